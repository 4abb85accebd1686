"""A route as lines for people: what decided, every stage with its outcome, and who agrees in an audit of the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from app.display import numbers
from app.display.routing.vote import backing
from app.display.scope.matches.resolution import route_card
from app.domain.language import say, say_n, thousands
from app.domain.route import RouteStage, StepOutcome
from app.domain.scope.resolution import RouteDecision
from app.evaluation.routing import Audit

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

Document = dict[str, Any]


def route_lines(route: RouteDecision, settings: Settings | None = None, *, is_run: bool = False) -> list[str]:
    """The decision, its reason, its stages, and the nearest examples."""
    card = route_card(route, settings, is_run=is_run)
    lines = [
        say("Route: {line} ({method})", line=f"{card.name}{card.rest}", method=card.badge),
        f"  {card.sentence}",
    ]
    if route.configuration:
        lines.append("  " + say("By the candidate of a roll-out: {candidate}", candidate=route.configuration))
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
        lines.append(f"  {say(name):22} {thousands(agree)} / {thousands(both)}")
    return lines


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
