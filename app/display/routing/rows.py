"""Route rules, logged decisions and audits as table rows: columns, facets to filter by, and details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from app.detect.rules.route_rules import SEVERAL, confidence_of
from app.display import numbers
from app.display.library.tables import Choice, Column, Facet, short_date, short_time
from app.display.review.history import AGES
from app.display.review.trace import TracePart, TraceRow
from app.display.routing.path import DECIDERS, dollars
from app.domain.intent import Rule, RulePurpose
from app.domain.language import say, say_n, thousands
from app.domain.route import (
    LoggedRoute,
    RouteFilter,
    RouteIntent,
    RouteMethod,
    RouteOrder,
    Routes,
    route_label,
)
from app.domain.scope.resolution import METHODS
from app.evaluation.routing import Audit, is_labelled, is_right
from app.services.routing.routes import AuditProgress

MOST_LOGGED = 1_000_000
DAY_SECONDS = 86_400.0

Document = dict[str, Any]

SOURCES: Mapping[str, str] = {"window": say("window"), "route": say("command line"), "mcp": "MCP"}

RIGHT, WRONG = "✓", "✗"


# ---- the decision matrix


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A rule of the matrix: what it looks for, where that leads, and how surely."""

    key: int
    rule: Rule
    label: str
    stores: tuple[str, ...]
    confidence: float
    color: str = ""


def matrix_rows(rules: Sequence[Rule], routes: Routes) -> tuple[MatrixRow, ...]:
    """The route rules, switched-off ones last, the surest first; keys are their places."""
    wanted = [rule for rule in rules if rule.purpose is RulePurpose.ROUTE]
    by_label = [(rule, route_label(rule.label)) for rule in wanted]
    by_label.sort(key=lambda pair: (not pair[0].enabled, -confidence_of(pair[1], pair[0]), pair[1], pair[0].position))
    return tuple(
        MatrixRow(place, rule, label, routes.stores_of(label), confidence_of(label, rule), routes.color_of(label))
        for place, (rule, label) in enumerate(by_label)
    )


def _method_of(row: MatrixRow, threshold: float) -> str:
    if not row.rule.enabled:
        return say("off")
    return say("decides") if row.confidence >= threshold else say("suggests")


def matrix_columns(threshold: float) -> tuple[Column[MatrixRow], ...]:
    """The columns of the matrix under this threshold of the rules."""
    return (
        Column("pattern", say("Pattern"), lambda row: row.rule.pattern, 360),
        Column("intent", say("Route"), lambda row: row.label, 150, mark=lambda row: row.color),
        Column("stores", say("Stores"), lambda row: ", ".join(row.stores), 150, is_shown=False),
        Column(
            "confidence", say("Confidence"), lambda row: numbers.score(row.confidence, (threshold,)), 84, is_number=True
        ),
        Column("effect", say("Alone it"), lambda row: _method_of(row, threshold), 76, is_quiet=True),
        Column("unless", say("Unless"), lambda row: row.rule.unless or "", 140, is_quiet=True),
        Column("rule", say("Rule"), lambda row: row.rule.id, 150, is_quiet=True),
    )


def matrix_sentence(rows: Sequence[MatrixRow], threshold: float) -> str:
    """How the matrix is read."""
    on = sum(row.rule.enabled for row in rows)
    return " ".join(
        (
            say_n(on, "{n} rule is on.", "{n} rules are on."),
            say("A rule decides from {threshold} on.", threshold=numbers.fixed(threshold, 2)),
            say(
                "Where several routes match, it is {label} with {confidence}.",
                label=RouteIntent.MULTI.value,
                confidence=numbers.fixed(SEVERAL, 2),
            ),
        )
    )


# ---- the log


def at_of(one: LoggedRoute) -> str:
    """When it was decided, as the store writes times."""
    return datetime.fromtimestamp(one.at, UTC).strftime("%Y-%m-%d %H:%M:%S")


def text_of(one: LoggedRoute) -> str:
    """What was asked, or that only its digest is kept."""
    return one.text or f"{numbers.ABSENT} {say('not kept')}"


def label_of(one: LoggedRoute) -> str:
    """If the decision was right by a case of the library; "" where there is none."""
    if not is_labelled(one):
        return ""
    expected = ", ".join(route_label(label) for label in one.labels)
    return f"{RIGHT} {say('right')}" if is_right(one) else f"{WRONG} {expected}"


def log_columns(routes: Routes) -> tuple[Column[LoggedRoute], ...]:
    """The columns of the log, each route in its colour; one that is none any more has no colour."""
    return tuple(
        replace(column, mark=lambda one: routes.color_of(one.intent)) if column.key == "intent" else column
        for column in LOG_COLUMNS
    )


LOG_COLUMNS: tuple[Column[LoggedRoute], ...] = (
    Column("text", say("Query"), text_of, 300, RouteOrder.TEXT),
    Column("at", say("Decided"), lambda one: short_date(at_of(one)), 98, RouteOrder.AT, is_quiet=True),
    Column("intent", say("Route"), lambda one: one.intent, 140, RouteOrder.INTENT),
    Column("stores", say("Stores"), lambda one: ", ".join(one.databases), 120, is_shown=False),
    Column("method", say("Method"), lambda one: say(METHODS[one.method]), 82, RouteOrder.METHOD),
    Column(
        "confidence",
        say("Confidence"),
        lambda one: numbers.score(one.confidence),
        84,
        RouteOrder.CONFIDENCE,
        is_number=True,
    ),
    Column(
        "rule",
        "Rule’s",
        lambda one: numbers.score(one.rule_confidence),
        64,
        RouteOrder.RULE_CONFIDENCE,
        is_number=True,
        is_shown=False,
    ),
    Column("ms", "ms", lambda one: numbers.milliseconds(one.ms), 58, RouteOrder.MS, is_number=True),
    Column("cost", say("Cost"), lambda one: dollars(one.cost), 70, RouteOrder.COST, is_number=True, is_shown=False),
    Column("source", say("Source"), lambda one: source_word(one.source), 84, is_quiet=True, is_shown=False),
    Column("label", say("By a case"), label_of, 92),
)
"""The columns of the log in the order in which they stand."""


def source_word(source: str) -> str:
    """Where a query came from, in a word."""
    return say(SOURCES.get(source, source))


def log_facets(routes: Routes, labels: Sequence[str] = ()) -> tuple[Facet, ...]:
    """The facets that the log is filtered by; `labels` are the taught routes."""
    intents = list(dict.fromkeys([*(row.name for row in routes.rows), *labels]))
    return (
        Facet("method", say("Method"), tuple(Choice(one, say(METHODS[one])) for one in RouteMethod)),
        Facet("intent", say("Route"), tuple(Choice(one, one) for one in intents)),
        Facet("age", say("Decided"), tuple(Choice(days, say(word)) for days, word in AGES)),
    )


def log_filter(text: str, chosen: Mapping[str, Any], now: float) -> RouteFilter:
    """What was typed and chosen, as the store takes it; ages are counted from `now`, in seconds since 1970."""
    days = chosen.get("age")
    return RouteFilter(
        text=text.strip(),
        intent=chosen.get("intent"),
        method=chosen.get("method"),
        since=None if not days else now - days * DAY_SECONDS,
        limit=MOST_LOGGED,
    )


def log_heading(one: LoggedRoute) -> str:
    """When, from where and by what it was decided."""
    return " · ".join((short_time(at_of(one)), source_word(one.source), say(DECIDERS[one.method])))


def log_parts(one: LoggedRoute, routes: Routes) -> tuple[TracePart, ...]:
    """Everything that the log knows of a decision; its stores are a column of the table."""
    gone = say("is no route that is set up now") if routes.find(one.intent) is None else ""
    decision = (TraceRow(one.intent, numbers.score(one.confidence), quiet=gone),)
    reason = one.reasoning or say("Not kept: a reason quotes the words of the query.")
    said = [TraceRow(say("Rules"), numbers.score(one.rule_confidence), quiet=one.rule_intent or say("nothing"))]
    said.append(TraceRow(say("LLM"), quiet=_llm(one)))
    said.append(TraceRow(say("Case"), quiet=", ".join(one.labels) if is_labelled(one) else say("none for this query")))
    return (
        TracePart(say("Decision"), decision),
        TracePart(say("Why"), (TraceRow(reason),)),
        TracePart(say("Who said what"), tuple(said)),
        TracePart(
            say("Effort"),
            (TraceRow(say("ms"), numbers.milliseconds(one.ms)), TraceRow(say("Cost"), dollars(one.cost))),
        ),
    )


def _llm(one: LoggedRoute) -> str:
    if one.llm_intent:
        return one.llm_intent
    return say("not asked") if one.llm is None else one.llm.value.replace("_", " ")


# ---- the audit


def agreement_text(one: LoggedRoute) -> str:
    """Whether rules, LLM and labels agree; "" where there is only one of them."""
    labels = [route_label(label) for label in one.labels] if is_labelled(one) else []
    said = [label for label in (one.rule_intent, one.llm_intent) if label]
    if len(said) + bool(labels) < 2:
        return ""
    agree = len(set(said)) <= 1 and all(label in labels for label in said) if labels else len(set(said)) == 1
    return say("agree") if agree else f"{WRONG} {say('differ')}"


AUDIT_COLUMNS: tuple[Column[LoggedRoute], ...] = (
    Column("text", say("Query"), text_of, 300),
    Column("decided", say("Decided"), lambda one: one.intent, 140),
    Column("method", say("By"), lambda one: say(METHODS[one.method]), 76, is_quiet=True),
    Column("rule", say("Rules say"), lambda one: one.rule_intent or numbers.ABSENT, 140),
    Column("llm", say("LLM says"), lambda one: one.llm_intent or numbers.ABSENT, 140),
    Column("label", say("Case says"), lambda one: ", ".join(one.labels) or numbers.ABSENT, 140),
    Column("agree", say("Agreement"), agreement_text, 84),
)


def audit_rows(audit: Audit) -> tuple[tuple[str, str], ...]:
    """How often each two agree: whose, and "41 of 52"."""
    rows = (
        (say("Rules and LLM"), audit.rule_against_llm),
        (say("Rules and cases"), audit.rule_against_label),
        (say("LLM and cases"), audit.llm_against_label),
        (say("Decisions and cases"), audit.decision_against_label),
    )
    return tuple((say(name), _of(*pair)) for name, pair in rows)


def _of(agree: int, both: int) -> str:
    if not both:
        return say("nothing to compare")
    share = numbers.percent(agree, both)
    return say("{agree} of {both} ({share})", agree=agree, both=both, share=share)


def audit_sentence(step: AuditProgress, *, is_over: bool) -> str:
    """How far an audit is, and why the LLM kept silent, if it did."""
    if not step.whole:
        return say("The log holds no decision whose text is kept, so there is nothing to look at.")
    far = say("{done} of {whole} looked at.", done=step.done, whole=step.whole)
    if is_over and step.done == step.whole:
        far = say_n(step.whole, "{n} decision was looked at.", "{n} decisions were looked at.")
    return f"{far} {step.silence}".strip()


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
