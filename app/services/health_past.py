"""What past queries, routes and the vectors in store tell of a library's health, as findings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from app.domain.health import Concerned, Figures, HealthFinding, Sign
from app.domain.history import PastFilter, PastOrder, PastQuery
from app.evaluation.flat import RECENT, Listed, Still, flat_lines, passed_over, silence
from app.evaluation.routing import RoutingMetrics
from app.ports.encoder import Provenance
from app.ports.store import Library
from app.settings.model import Settings

TRACED = 500
"""Of so many of the newest queries the whole answer is read."""

READ_AT_ONCE = 50

FLAT_SIGNS: Mapping[Still, Sign] = {
    Still.TYPE: Sign.TYPE_FLAT,
    Still.CONFIDENCE: Sign.CONFIDENCE_FLAT,
    Still.ANSWER: Sign.ANSWER_FLAT,
    Still.ANSWER_CONFIDENCE: Sign.ANSWER_FLAT,
}


def newest(library: Library) -> list[int]:
    """The keys of the newest queries, TRACED at most."""
    return library.find_queries(PastFilter(), PastOrder.AT, falling=True)[:TRACED]


def past_findings(queries: Sequence[PastQuery], settings: Settings, taught: Collection[str]) -> list[HealthFinding]:
    """What past queries tell, the newest first, with their traces; `taught` are the names and labels of today."""
    found = []
    for flat in flat_lines(queries, detects=settings.search_intent.enabled):
        value = "" if flat.value is None else flat.value
        found.append(HealthFinding(FLAT_SIGNS[flat.what], {"what": flat.what, "count": flat.count, "value": value}))
    silent = silence([outcome for query in queries if (outcome := _outcome(query.trace))])
    if settings.search_intent.use_llm and silent is not None:
        figures: Figures = {"asked": silent.asked, "outcome": silent.outcome, "times": silent.times}
        found.append(HealthFinding(Sign.LLM_NEVER, {**figures, "budget": settings.search_intent.llm_timeout_ms}))
    passed = [
        Concerned(one.name, rival=one.rival, value=float(one.times), kind="memory")
        for one in passed_over((_listed(query.trace) for query in queries), settings.fallback_threshold)
        if one.name in taught
    ]
    if passed:
        found.append(HealthFinding(Sign.PASSED_OVER, {"queries": len(queries)}, tuple(passed)))
    return found


def route_findings(metrics: RoutingMetrics) -> list[HealthFinding]:
    """The alarms of the log that say that routing stands still (S6.6)."""
    flat = [alert.sentence for alert in metrics.alerts if alert.name == "flatline"]
    figures: Figures = {"count": min(metrics.count, RECENT), "sentence": " ".join(flat)}
    return [HealthFinding(Sign.ROUTE_FLAT, figures)] if flat else []


def vector_findings(counts: Mapping[Provenance, int], used: Provenance) -> list[HealthFinding]:
    """Stored vectors of other encoders than the one that answers; they are kept, and never compared (S2.15)."""
    others = [
        Concerned(f"{source.encoder}", f"{source.revision}, {source.dimension}", "", float(count), "encoder")
        for source, count in counts.items()
        if source != used and count
    ]
    figures: Figures = {"vectors": sum(int(one.value or 0) for one in others), "encoder": used.encoder}
    return [HealthFinding(Sign.VECTOR_FOREIGN, figures, tuple(others))] if others else []


def _outcome(trace: Mapping[str, Any] | None) -> str:
    told = _part(_part(trace, "trace"), "llm").get("outcome")
    return told if isinstance(told, str) else ""


def _listed(trace: Mapping[str, Any] | None) -> list[Listed]:
    """The first match, whatever it is, and the memories after it, as a trace of any version tells them."""
    matches = _part(trace).get("matches")
    rows = [row for row in matches if isinstance(row, Mapping)] if isinstance(matches, list) else []
    return [
        Listed(str(row.get("name")), _label(row.get("intent")), float(row.get("confidence") or 0.0))
        for place, row in enumerate(rows)
        if place == 0 or row.get("kind") == "memory"
    ]


def _label(told: object) -> str | None:
    return told if isinstance(told, str) and told else None


def _part(held: Mapping[str, Any] | None, name: str = "") -> Mapping[str, Any]:
    told = held if not name or held is None else held.get(name)
    return told if isinstance(told, Mapping) else {}
