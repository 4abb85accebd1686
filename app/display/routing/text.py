"""A route as lines for people: what decided, every stage with its outcome, and what the log comes to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from app.display import numbers
from app.display.routing.vote import backing
from app.display.scope.matches.resolution import METHODS, route_card
from app.domain.language import say, say_n
from app.domain.route import RouteMethod, RouteStage, StepOutcome
from app.domain.scope.resolution import RouteDecision
from app.evaluation.routing import Audit, RoutingMetrics, Share

if TYPE_CHECKING:
    from app.settings.model import Settings

STAGES: dict[RouteStage, str] = {
    RouteStage.RULES: say("Rules"),
    RouteStage.CACHE: say("Cache"),
    RouteStage.EXAMPLES: say("Examples"),
    RouteStage.LLM: "LLM",
    RouteStage.FALLBACK: say("Default"),
}

OUTCOMES: dict[StepOutcome, str] = {
    StepOutcome.DECIDED: say("decided"),
    StepOutcome.UNSURE: say("unsure"),
    StepOutcome.NOTHING: say("nothing"),
    StepOutcome.FAILED: say("failed"),
    StepOutcome.SKIPPED: say("skipped"),
    StepOutcome.WAITING: say("waiting"),
}

ABSENT = "\N{EN DASH}"

Document = dict[str, Any]


def route_lines(route: RouteDecision, settings: Settings | None = None, *, is_run: bool = False) -> list[str]:
    """The decision, its reason, its stages, and the nearest examples."""
    card = route_card(route, settings, is_run=is_run)
    lines = [
        say("Route: {line} ({method})", line=f"{card.name}{card.rest}", method=card.badge),
        f"  {card.sentence}",
    ]
    for step in route.steps:
        name, outcome = say(STAGES[step.stage]), say(OUTCOMES[step.outcome])
        lines.append(
            say(
                "  {name} {outcome} {ms} ms  {step}",
                name=f"{name:9}",
                outcome=f"{outcome:8}",
                ms=f"{numbers.fixed(step.ms):>8}",
                step=step.sentence,
            )
        )
    if route.nearest:
        lines.append("  " + say("Nearest examples:"))
        lines += [f"    {numbers.fixed(one.similarity)}  {one.label:20}  {one.text}" for one in route.nearest]
    if own := backing(route):
        lines.append("  " + say("Nearest of those for {label}:", label=own[0].label))
        lines += [f"    {one.similarity}  {one.label:20}  {one.text}" for one in own]
    return lines


def metrics_lines(found: RoutingMetrics, *, has_stores: bool = False) -> list[str]:
    """001's dashboard: measures, with their targets and alarms where there are stores, times and shares."""
    lines = [say_n(found.count, "{n} decision", "{n} decisions")]
    for target in found.targets:
        value = ABSENT if target.value is None else f"{target.value:.4g}"
        if not has_stores:
            lines.append(f"  {say(target.name):18} {value:>9}")
            continue
        met = "" if target.is_met is None else say("met") if target.is_met else say("not met")
        lines.append(f"  {say(target.name):18} {value:>9}  {_bounds(target.least, target.most):14} {met}".rstrip())
    lines += [say("Alarm: {sentence}", sentence=alert.sentence) for alert in found.alerts if has_stores]
    return lines + share_lines(found)


def share_lines(found: RoutingMetrics) -> list[str]:
    """How many went which way, how many of those rightly, and how long it took."""
    lines = _shares(say("By method"), {_method(name): share for name, share in found.by_method.items()})
    lines += _shares(say("By route"), found.by_intent)
    if found.times:
        lines.append(say("Milliseconds (P50, P90, P95, P99)"))
        times = ((_method(name), (t.p50, t.p90, t.p95, t.p99)) for name, t in found.times.items())
        lines += [f"  {name:20} {' '.join(f'{ms:9.2f}' for ms in of_method)}" for name, of_method in times]
    return lines


def _method(name: str) -> str:
    """What decided, in a reader's words; all of them together are named so."""
    return say(METHODS[RouteMethod(name)]) if name in set(RouteMethod) else say(name)


def _bounds(least: float | None, most: float | None) -> str:
    if least is not None and most is not None:
        return say("{least} to {most}", least=f"{least:g}", most=f"{most:g}")
    return say("from {least} on", least=f"{least:g}") if least is not None else say("up to {most}", most=f"{most:g}")


def _shares(title: str, shares: Any) -> list[str]:
    rows = []
    for name, share in shares.items():
        accuracy = ABSENT if share.accuracy is None else f"{share.accuracy:.1%}"
        rows.append(f"  {name:20} {share.count:>7,}  {accuracy:>6}")
    return [title, *rows] if rows else []


def audit_lines(audit: Audit) -> list[str]:
    """How often rules, LLM and labels agree in a sample of the log."""
    rows = (
        (say("rules and LLM"), audit.rule_against_llm),
        (say("rules and labels"), audit.rule_against_label),
        (say("LLM and labels"), audit.llm_against_label),
        (say("decisions and labels"), audit.decision_against_label),
    )
    lines = [say_n(len(audit.sample), "Audit of {n} decision: agreement of", "Audit of {n} decisions: agreement of")]
    for name, (agree, both) in rows:
        lines.append(f"  {say(name):22} {agree:,} / {both:,}")
    return lines


def metrics_document(found: RoutingMetrics) -> Document:
    """The measures of routing as a JSON document."""
    return {
        "n": found.count,
        "rule_hits": found.rule_hits,
        "fallbacks": found.fallbacks,
        "degraded": found.degraded,
        "cache_hits": found.cache_hits,
        "llm_errors": found.llm_errors,
        "accuracy": found.accuracy,
        "cost": found.cost,
        "cost_per_query": found.cost_per_query,
        "times": {
            name: {"n": t.count, "p50_ms": t.p50, "p90_ms": t.p90, "p95_ms": t.p95, "p99_ms": t.p99}
            for name, t in found.times.items()
        },
        "by_method": {name: share_document(share) for name, share in found.by_method.items()},
        "by_intent": {name: share_document(share) for name, share in found.by_intent.items()},
        "by_day": {str(day): dict(counts) for day, counts in found.by_day.items()},
        "targets": [
            {"name": t.name, "value": t.value, "least": t.least, "most": t.most, "met": t.is_met} for t in found.targets
        ],
        "alerts": [{"name": alert.name, "sentence": alert.sentence} for alert in found.alerts],
    }


def share_document(share: Share) -> Document:
    return {"n": share.count, "labelled": share.labelled, "right": share.right, "accuracy": share.accuracy}


def audit_document(audit: Audit) -> Document:
    pairs = {
        "rule_llm": audit.rule_against_llm,
        "rule_label": audit.rule_against_label,
        "llm_label": audit.llm_against_label,
        "decision_label": audit.decision_against_label,
    }
    sample: Sequence[Document] = [
        {
            "query": one.text,
            "intent": one.intent,
            "method": one.method.value,
            "rule": one.rule_intent,
            "llm": one.llm_intent,
            "expected": list(one.labels),
        }
        for one in audit.sample
    ]
    return {"n": len(sample), **{name: {"agree": a, "of": b} for name, (a, b) in pairs.items()}, "sample": sample}
