"""Health findings, pure: unreachable outcomes; rules, powers, history, routes and vectors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product, starmap
from typing import Any

from app.detect import reach
from app.detect.reach import Span, confidence_spans, holders_of, keyword_span
from app.detect.rule_trial import RuleHint, RuleIssue, RuleUse
from app.detect.surfacing import SURFACING, Limits, surfacing_row
from app.domain.case import Task
from app.domain.confidence import Chance
from app.domain.encoder import Provenance
from app.domain.health import Figures, FindingEvidence, FindingKind, FindingSubject, HealthFinding, Severity
from app.domain.history import HistoryEntry, HistoryFilter, HistoryOrder
from app.domain.inspection import MULTIPLE
from app.domain.intent import Rule
from app.domain.library import Power
from app.domain.route_alerts import RouteAlarm
from app.domain.running import PowerRun, RunState
from app.evaluation.answers import Answered, Delivery, blocker_of, delivery_of, found_but_lost, labelled, withheld_by
from app.evaluation.flatlines import RECENT, FlatSignal, ListedMatch, flat_lines, passed_over, silent_llm
from app.evaluation.routing import RoutingMetrics
from app.ports.encoder import Embedder
from app.ports.store import QueryHistory
from app.scoring.columns.exact import shared_keyword_score
from app.scoring.combiners import combiner_for
from app.services.engine.embedding import provenance_read
from app.settings.model import Settings

SHOWN_HOLDERS = 5
"""Maximum number of powers named as holders of one keyword."""


@dataclass(frozen=True, slots=True)
class ReachInputs:
    """Inputs that decide which outcomes can be reached."""

    settings: Settings
    powers: Sequence[Power]
    answers: int
    rules: Sequence[Rule]
    has_meaning: bool

    @property
    def has_llm(self) -> bool:
        """True if the settings provide an LLM for the type."""
        llm = self.settings.llm
        return self.settings.search_intent.use_llm and bool(llm.url and llm.model)


def reach_findings(inputs: ReachInputs) -> list[HealthFinding]:
    """Return the tiers, bands, types and routes that no input can reach."""
    keyword = keyword_span(inputs.powers, name_counts=inputs.settings.name_counts)
    return [*_tiers(inputs, keyword), *_bands(inputs), *_intents(inputs), *_routes(inputs)]


def _tiers(inputs: ReachInputs, keyword: Span | None) -> list[HealthFinding]:
    if not inputs.powers:
        return []
    settings, has_meaning = inputs.settings, inputs.has_meaning
    chance = _chance(settings, len(inputs.powers), power=True)
    spans = confidence_spans(settings, power=True, has_meaning=has_meaning, keyword=keyword, chance=chance)
    name = combiner_for(settings, power=True).name
    tiers = reach.dead_tiers(settings, spans, len(inputs.powers))
    steps = reach.dead_steps(settings, keyword)
    margin = settings.tiers.ambiguity_margin
    return [
        *(_dead(FindingKind.TIER_DEAD, dead, combination=name, margin=margin) for dead in tiers),
        *(_dead(FindingKind.CASCADE_STEP_DEAD, dead) for dead in steps),
    ]


def _bands(inputs: ReachInputs) -> list[HealthFinding]:
    if not inputs.answers:
        return []
    settings = inputs.settings
    chance = _chance(settings, inputs.answers, power=False)
    spans = confidence_spans(settings, power=False, has_meaning=inputs.has_meaning, chance=chance)
    name = combiner_for(settings, power=False).name
    return [_dead(FindingKind.BAND_DEAD, dead, combination=name) for dead in reach.dead_bands(settings, spans)]


def _intents(inputs: ReachInputs) -> list[HealthFinding]:
    settings = inputs.settings.search_intent
    if not settings.enabled:
        return []
    found = []
    spans = reach.intent_spans(inputs.rules, has_llm=inputs.has_llm)
    rows = reach.dead_rows(inputs.settings, spans)
    if len(rows) == len(SURFACING) or settings.surfacing_tokens == 0:
        most = max((span.most for span in spans), default=0.0)
        figures = {"threshold": settings.surfacing_threshold, "most": most, "tokens": settings.surfacing_tokens}
        found.append(HealthFinding(FindingKind.NOTHING_SURFACES, figures))
    else:
        found += [_dead(FindingKind.ROW_DEAD, row, threshold=settings.surfacing_threshold) for row in rows]
    mute = reach.mute_types(inputs.rules, has_llm=inputs.has_llm)
    if mute:
        found.append(
            HealthFinding(FindingKind.TYPE_MUTE, {}, tuple(FindingSubject(type_.value, kind="type") for type_ in mute))
        )
    return found


def _routes(inputs: ReachInputs) -> list[HealthFinding]:
    settings, routes = inputs.settings.route, inputs.settings.all_routes
    unsure = reach.unsure_routes(inputs.rules, settings.threshold, routes) if settings.enabled else []
    if not unsure:
        return []
    every = reach.unsure_routes(inputs.rules, 2.0, routes)
    severity = Severity.WARNING if len(unsure) == len(every) else None
    subjects = tuple(FindingSubject(label, value=confidence, kind="route") for label, confidence in unsure)
    return [HealthFinding(FindingKind.ROUTE_UNSURE, {"threshold": settings.threshold}, subjects, severity)]


def _dead(kind: FindingKind, dead: reach.Dead, **more: float | str) -> HealthFinding:
    figures = {"why": dead.why.value, "least": dead.least, "below": dead.below, "most": dead.most, "next": dead.next}
    return HealthFinding(kind, {"name": dead.name, **figures, **more})


def _chance(settings: Settings, answers: int, *, power: bool) -> Chance | None:
    if not combiner_for(settings, power=power).is_calibrated:
        return None
    calibration = settings.calibration
    return (calibration.powers if power else calibration.memories).among(answers)


# ---- powers


def power_findings(
    powers: Sequence[Power], approved: frozenset[str], runs: Mapping[str, PowerRun]
) -> list[HealthFinding]:
    """Return what makes enabled powers ambiguous or unstartable."""
    found = []
    crowded = [
        FindingSubject(
            held[0][1], _named([power.name for power, _ in held]), "", shared_keyword_score(len(held)), "keyword"
        )
        for held in holders_of(powers).values()
        if len(held) > MULTIPLE
    ]
    if crowded:
        crowded.sort(key=lambda one: (one.value or 0.0, one.name))
        found.append(HealthFinding(FindingKind.KEYWORD_CROWDED, {"named": MULTIPLE}, tuple(crowded)))
    bare = [power for power in powers if power.has_name_only]
    if bare:
        found.append(HealthFinding(FindingKind.POWER_NAME_ONLY, {}, tuple(map(_of_power, bare))))
    startable = (power for power in powers if power.transport.command or power.transport.url)
    waiting = [power for power in startable if power.name not in approved]
    if waiting:
        found.append(HealthFinding(FindingKind.POWER_UNAPPROVED, {}, tuple(map(_of_power, waiting))))
    failed = [power for power in powers if power.name in runs and runs[power.name].state is RunState.FAILED]
    if failed:
        subjects = tuple(
            FindingSubject(one.name, runs[one.name].sentence, "", None, "power", one.key) for one in failed
        )
        found.append(HealthFinding(FindingKind.POWER_FAILED, {}, subjects))
    return found


def _of_power(power: Power) -> FindingSubject:
    return FindingSubject(power.name, power.description, "", None, "power", power.key)


def _named(names: Sequence[str]) -> str:
    listed = ", ".join(names[:SHOWN_HOLDERS])
    return listed if len(names) <= SHOWN_HOLDERS else f"{listed}, …"


# ---- rules

RULE_FINDINGS: Mapping[RuleIssue, FindingKind] = {
    RuleIssue.BROKEN: FindingKind.RULE_BROKEN,
    RuleIssue.DUPLICATE: FindingKind.RULE_DUPLICATE,
    RuleIssue.SHADOWED: FindingKind.RULE_SHADOWED,
    RuleIssue.NEVER: FindingKind.RULE_NEVER,
}


def rule_findings(
    rules: Sequence[Rule],
    hints: Mapping[str, Sequence[RuleHint]],
    texts: int,
    policy: str,
    shipped: Collection[str] = (),
) -> list[HealthFinding]:
    """Return issues of enabled rules, by their matches in `texts` texts; `shipped` ones apart.

    Only under the policy `priority` can a rule shadow another.
    """
    found: dict[tuple[FindingKind, bool], list[FindingSubject]] = {}
    for rule in rules:
        for hint in hints.get(rule.id, ()) if rule.enabled else ():
            if hint.issue is RuleIssue.SHADOWED and policy != "priority":
                continue
            subjects = FindingSubject(rule.id, rule.pattern, hint.other, None, "rule", rule.id)
            found.setdefault((RULE_FINDINGS[hint.issue], rule.id in shipped), []).append(subjects)
    return [
        HealthFinding(kind, {"texts": texts}, tuple(subjects), is_shipped=is_shipped)
        for (kind, is_shipped), subjects in found.items()
    ]


def use_findings(
    rules: Sequence[Rule],
    broad: Sequence[RuleUse],
    silent: Sequence[RuleUse],
    queries: int,
    shipped: Collection[str] = (),
) -> list[HealthFinding]:
    """Return rules that match too many or none of the past queries."""
    by_id = {rule.id: rule for rule in rules}
    found = []
    both = product(((FindingKind.RULE_BROAD, broad), (FindingKind.RULE_SILENT, silent)), (False, True))
    for (kind, uses), is_shipped in both:
        subjects = tuple(
            FindingSubject(
                use.id,
                by_id[use.id].pattern,
                "",
                use.share if kind is FindingKind.RULE_BROAD else None,
                "rule",
                use.id,
                (use.without.fixes, use.without.breaks, use.without.changes),
            )
            for use in uses
            if use.id in by_id and (use.id in shipped) == is_shipped
        )
        if subjects:
            found.append(HealthFinding(kind, {"queries": queries}, subjects, is_shipped=is_shipped))
    return found


# ---- cases


def confusion_findings(answers: Sequence[Answered]) -> list[HealthFinding]:
    """Return the cases that lose their answer, then the confused pairs of intents, most cases first."""
    pairs: dict[frozenset[str], list[Answered]] = {}
    for one in labelled(answers):
        names = frozenset(name for name in (one.expected_name, one.predicted) if name is not None)
        if one.case.task is Task.INTENT and not one.is_right and len(names) == 2:
            pairs.setdefault(names, []).append(one)
    lost = found_but_lost(answers)
    place = " ".join(withheld) if (withheld := withheld_by(answers))[1] else ""
    found = [HealthFinding(FindingKind.NOT_DELIVERED, {}, list(starmap(_of_case, lost)), place=place)] if lost else []
    confused = (own for own in pairs.values() if len(own) > 1 or delivery_of(own[0]) is not Delivery.MISSING)
    return [*found, *map(_confused, sorted(confused, key=len, reverse=True))]


def _of_case(one: Answered, rival: str) -> FindingSubject:
    return FindingSubject(one.expected_name or "", one.case.text, rival, one.confidence, "case")


def _confused(cases: Sequence[Answered]) -> HealthFinding:
    (name, rival), lost = Counter((one.expected_name, one.predicted) for one in cases).most_common(1)[0]
    figures: Figures = {"name": name or "", "rival": rival or "", "lost": lost, "taken": len(cases) - lost}
    return HealthFinding(FindingKind.CONFUSED, figures, [_of_case(one, one.predicted or "") for one in cases])


def evidence_of(answers: Sequence[Answered], queries: Sequence[HistoryEntry]) -> FindingEvidence:
    """Return the evidence for effects: answered cases, and past queries with their traces."""
    failed = (one for one in labelled(answers) if not one.is_right or blocker_of(one))
    wrong = Counter((one.expected_name, one.predicted) for one in failed)
    listed = [[match.answer for match in _listed(query.trace)[:2]] for query in queries]
    return FindingEvidence(wrong, Counter((names[0], names[1] if names[1:] else None) for names in listed if names))


# ---- Findings on past queries, routes and stored vectors

TRACED = 500
"""Number of newest queries whose traces are read."""

READ_AT_ONCE = 50

FLAT_SIGNS: Mapping[FlatSignal, FindingKind] = {
    FlatSignal.TYPE: FindingKind.TYPE_FLAT,
    FlatSignal.CONFIDENCE: FindingKind.CONFIDENCE_FLAT,
    FlatSignal.ANSWER: FindingKind.ANSWER_FLAT,
    FlatSignal.ANSWER_CONFIDENCE: FindingKind.ANSWER_FLAT,
}


def newest(library: QueryHistory) -> list[int]:
    """Return the keys of the newest queries, TRACED at most."""
    return library.find_queries(HistoryFilter(), HistoryOrder.AT, descending=True)[:TRACED]


def history_findings(
    queries: Sequence[HistoryEntry], settings: Settings, taught: Collection[str], own: Mapping[str, float]
) -> list[HealthFinding]:
    """Return findings on past queries with their traces, newest first.

    `taught` are the present names and labels, `own` their thresholds, if any.
    """
    found = []
    for flat in flat_lines(queries, detects=settings.search_intent.enabled):
        value = "" if flat.value is None else flat.value
        found.append(HealthFinding(FLAT_SIGNS[flat.what], {"what": flat.what, "count": flat.count, "value": value}))
    llm = (_part(_part(query.trace, "trace"), "llm") for query in queries)
    silent = silent_llm([outcome for one in llm if (outcome := _label(one.get("outcome")))])
    if settings.search_intent.use_llm and silent is not None:
        figures: Figures = {"asked": silent.asked, "outcome": silent.outcome, "times": silent.times}
        found.append(HealthFinding(FindingKind.LLM_NEVER, {**figures, "budget": settings.search_intent.llm_timeout_ms}))
    passed = [
        FindingSubject(one.name, rival=one.rival, value=float(one.times), kind="memory")
        for one in passed_over((_listed(query.trace) for query in queries), settings.fallback_threshold, own)
        if one.name in taught
    ]
    if passed:
        found.append(HealthFinding(FindingKind.PASSED_OVER, {"queries": len(queries)}, tuple(passed)))
    return [*found, *_never_surfaced(queries, settings, taught, own)]


ASKED_FOR = 3
"""Number of first ranks from which a memory is worth reporting."""


@dataclass(frozen=True, slots=True)
class _First:
    """A past query whose first answer is a memory, and whether it was surfaced or marked wrong."""

    name: str
    confidence: float
    is_surfaced: bool
    is_wrong: bool


def _never_surfaced(
    queries: Sequence[HistoryEntry], settings: Settings, taught: Collection[str], own: Mapping[str, float]
) -> list[HealthFinding]:
    """Return memories that often ranked first but never reached the confidence to be surfaced.

    The finding includes the effect of a lower threshold under the present settings.
    """
    firsts = [first for query in queries if (first := _first(query, settings, own)) is not None]
    times = Counter(first.name for first in firsts)
    surfaced = {first.name for first in firsts if first.is_surfaced}
    best: dict[str, float] = {}
    for first in firsts:
        best[first.name] = max(best.get(first.name, 0.0), first.confidence)
    names = [name for name, count in times.most_common() if count >= ASKED_FOR and name not in surfaced]
    names = [name for name in names if name in taught]
    if not names:
        return []
    least = math.floor(100 * min(best[name] for name in names)) / 100
    gained = [first for first in firsts if not first.is_surfaced and first.confidence >= least]
    figures: Figures = {
        "queries": len(queries),
        "least": least,
        "fixes": sum(first.name in names and not first.is_wrong for first in gained),
        "others": sum(first.name not in names and not first.is_wrong for first in gained),
        "breaks": sum(first.is_wrong for first in gained),
    }
    subjects = tuple(FindingSubject(name, value=float(times[name]), kind="memory") for name in names)
    return [HealthFinding(FindingKind.NEVER_SURFACED, figures, subjects)]


def _first(query: HistoryEntry, settings: Settings, own: Mapping[str, float]) -> _First | None:
    """Return the memory that ranked first, if it reached its threshold."""
    listed = _listed(query.trace)
    if not listed or query.kind != "memory":
        return None
    first, limits = listed[0], Limits.of(settings)
    if first.confidence < own.get(first.answer, settings.fallback_threshold):
        return None
    row = None if query.type is None else surfacing_row(query.confidence, limits.threshold)
    is_wrong = any(not fits and name in (first.name, first.label) for (_, name), fits in query.marks.items())
    return _First(first.answer, first.confidence, first.confidence >= limits.least(row), is_wrong)


def route_findings(metrics: RoutingMetrics) -> list[HealthFinding]:
    """Return the flat-line alerts of the route log (S6.6)."""
    flat = [alert.sentence for alert in metrics.alerts if alert.name is RouteAlarm.FLATLINE]
    figures: Figures = {"count": min(metrics.count, RECENT), "sentence": " ".join(flat)}
    return [HealthFinding(FindingKind.ROUTE_FLAT, figures)] if flat else []


def vector_findings(counts: Mapping[Provenance, int], encoder: Embedder) -> list[HealthFinding]:
    """Return stored vectors of other encoders, which are never compared (S2.15)."""
    used = {encoder.provenance, provenance_read(encoder)}
    others = [
        FindingSubject(f"{source.encoder}", f"{source.revision}, {source.dimension}", "", float(count), "encoder")
        for source, count in counts.items()
        if source not in used and count
    ]
    figures: Figures = {"vectors": sum(int(one.value or 0) for one in others), "encoder": encoder.provenance.encoder}
    return [HealthFinding(FindingKind.VECTOR_FOREIGN, figures, tuple(others))] if others else []


def _listed(trace: Mapping[str, Any] | None) -> list[ListedMatch]:
    """Return the first match and the memories after it, read from a trace of any version."""
    matches = _part(trace).get("matches")
    rows = [row for row in matches if isinstance(row, Mapping)] if isinstance(matches, list) else []
    return [
        ListedMatch(
            str(row.get("name")),
            _label(row.get("intent")),
            float(row.get("intent_confidence") or row.get("confidence") or 0.0),
        )
        for place, row in enumerate(rows)
        if place == 0 or row.get("kind") == "memory"
    ]


def _label(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _part(held: Mapping[str, Any] | None, name: str = "") -> Mapping[str, Any]:
    part = held if not name or held is None else held.get(name)
    return part if isinstance(part, Mapping) else {}
