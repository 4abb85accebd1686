"""Routes, their rules, logged decisions and audits as rows, lines, JSON and TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from app.detect.route import SEVERAL
from app.display import numbers, words
from app.display.library.tables import Choice, Column, Facet, short_date, short_time
from app.display.review.history import AGES
from app.display.review.trace import TracePart, TraceRow
from app.display.routing.metrics import route_button_text
from app.display.routing.path import DECIDERS, dollars
from app.display.system.metrics import Row, Table
from app.domain.datastore import WAYS
from app.domain.documents import fields_of
from app.domain.inspection import METHODS
from app.domain.language import quantity
from app.domain.route import (
    SHIPPED_ROUTES,
    LoggedRoute,
    Route,
    RouteFilter,
    RouteIntent,
    RouteMethod,
    RouteOrder,
    Routes,
    route_label,
)
from app.evaluation.routing import Audit, is_right
from app.services.routing.custom_routes import Removal, RouteUse
from app.services.routing.routes import AuditProgress
from app.settings.routes import keys_of


def other_stores(route: Route) -> str:
    """Return a route's unknown stores, as typed; one with the route's own name is left out."""
    return ", ".join(store for store in route.stores if store not in WAYS and (store,) != (route.name,))


def known_stores(chosen: Sequence[str], others: str, name: str) -> tuple[str, ...]:
    """Return the chosen and typed stores, each once; by default one with the route's name."""
    typed = (" ".join(store.split()) for store in others.split(","))
    return tuple(dict.fromkeys(filter(None, (*chosen, *typed)))) or (name,)


def state_word(use: RouteUse) -> str:
    if not use.is_set_up:
        return "only named"
    if not use.route.enabled:
        return "off"
    return "your own" if use.is_own else "changed" if use.is_changed else "as shipped"


def route_sentence(use: RouteUse) -> str:
    """Return the problems of a route: unknown stores, and what is missing to decide for it."""
    strange = [store for store in use.route.stores if store not in WAYS]
    parts = []
    if not use.is_set_up:
        parts.append("Only rules or cases name this route. Set it up to say which stores answer.")
    elif use.is_own and not (use.rules or use.taught):
        parts.append("It has no rule and no example yet, so that an LLM alone can decide for it.")
    elif use.is_own and not use.rules and use.taught < FEW:
        parts.append("Few examples: from six on a route is found more often.")
    if strange:
        parts.append(f"Unknown store{'s' * (len(strange) != 1)}: {', '.join(strange)}.")
    return " ".join(parts)


FEW = 6
"""Minimum number of examples; with fewer a route is rarely decided for."""

ROUTE_COLUMNS: tuple[Column[RouteUse], ...] = (
    Column("route", "Route", lambda use: use.route.name, 170, mark=lambda use: use.route.color),
    Column("title", "Title", lambda use: route_button_text(use.route.name, Routes((use.route,))), 130),
    Column("stores", "Stores", lambda use: ", ".join(use.route.stores), 170, yields=6),
    Column("rules", "Rules", lambda use: numbers.count(use.rules), 60, is_number=True, yields=4),
    Column("shipped", "Examples", lambda use: numbers.count(use.shipped), 76, is_number=True, yields=3),
    Column("taught", "Taught", lambda use: numbers.count(use.taught), 64, is_number=True, yields=2),
    Column("state", "State", state_word, 120, is_quiet=True, yields=5),
    Column("colour", "Colour", lambda use: use.route.color, 84, is_quiet=True, is_shown=False),
    Column("about", "Asked for", lambda use: use.route.about, 240, is_quiet=True, yields=1),
)
"""Columns of the list of routes."""


def route_counts(uses: Sequence[RouteUse]) -> str:
    """Return the number of routes, and of enabled ones."""
    there = [use for use in uses if use.is_set_up]
    on = sum(use.route.enabled for use in there)
    return f"{quantity(len(there), 'route')}, {on} on"


def rules_sentence(threshold: float) -> str:
    """Format the confidence from which a rule decides alone, and the effect of several rules."""
    alone, several = numbers.chance(threshold), numbers.chance(SEVERAL)
    title = words.ROUTES[RouteIntent.MULTI]
    return f"A rule decides alone from {alone} on; where several routes match, it is {title} with {several}."


def removal_question(found: Removal) -> str:
    """Return the question before a route is removed, with what it removes."""
    rules, examples = quantity(len(found.rules), "rule"), quantity(len(found.cases) + len(found.shared), "example")
    asked = f"Remove the route “{found.name}” with {rules} and {examples}?"
    logged, ends = quantity(found.logged, "decision"), "s" * (found.logged == 1)
    stays = f"{logged} of the log name{ends} it, and stay{ends}."
    back = "Undo brings back the route, and once more its rules and examples."
    return " ".join((asked, *([stays] if found.logged else ()), back))


# ---- terminal


def use_document(use: RouteUse) -> dict[str, Any]:
    row = use.route
    return {
        "route": row.name,
        "title": row.title,
        "stores": list(row.stores),
        "colour": row.color,
        "about": row.about,
        "on": row.enabled,
        "own": use.is_own,
        "set_up": use.is_set_up,
        "changed": use.is_changed,
        **fields_of(use, "rules", "taught", "shipped"),
    }


def as_toml(uses: Iterable[RouteUse]) -> str:
    """Format the routes as tables of a settings file, except unchanged shipped ones."""
    tables = []
    for use in uses:
        row = use.route
        if not use.is_set_up or not (use.is_own or use.is_changed):
            continue
        bare = next((one for one in SHIPPED_ROUTES if one.name == row.name), Route(row.name, (), ""))
        said = {key.rpartition(".")[2]: text for key, text in keys_of(row).items() if keys_of(bare)[key] != text}
        is_on = said.pop("enabled", "")
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in said.items()]
        lines += [f"enabled = {is_on}"] if is_on else []
        name = row.name if re.fullmatch(r"[A-Za-z0-9_-]+", row.name) else json.dumps(row.name, ensure_ascii=False)
        tables.append("\n".join((f"[routes.{name}]", *lines, "")))
    return "\n".join(tables)


MOST_LOGGED = 1_000_000
DAY_SECONDS = 86_400.0

_DECIDED = "decided"
"""The choice of all methods but the one that stands for none."""

Document = dict[str, Any]

SOURCES: Mapping[str, str] = {"window": "window", "route": "command line", "mcp": "MCP"}

RIGHT, WRONG = "✓", "✗"


# ---- the log


def at_of(one: LoggedRoute) -> str:
    """Return the time of a decision in the store's format."""
    return datetime.fromtimestamp(one.at, UTC).strftime("%Y-%m-%d %H:%M:%S")


def text_of(one: LoggedRoute) -> str:
    """Return the query, or that only its digest is stored."""
    return one.text or f"{numbers.ABSENT} not kept"


def label_of(one: LoggedRoute) -> str:
    """Return if the decision is right by a case; "" without a case."""
    if not one.labels:
        return ""
    expected = ", ".join(route_label(label) for label in one.labels)
    return f"{RIGHT} right" if is_right(one) else f"{WRONG} {expected}"


def log_columns(routes: Routes) -> tuple[Column[LoggedRoute], ...]:
    """Return the columns of the log with the colours of routes; undecided rows are dimmed."""
    quiet = [replace(column, tone=lambda one: "text" if _is_decided(one) else "text_2") for column in LOG_COLUMNS]
    return tuple(
        replace(column, mark=lambda one: routes.color_of(one.intent) if _is_decided(one) else "")
        if column.key == "intent"
        else column
        for column in quiet
    )


def confidence_text(one: LoggedRoute) -> str:
    """Format the confidence in percent; absent if nothing decided."""
    return numbers.rough_chance(one.confidence) if one.confidence or _is_decided(one) else numbers.ABSENT


def _is_decided(one: LoggedRoute) -> bool:
    return one.method is not RouteMethod.DEGRADED


def _by(one: LoggedRoute, said: Mapping[RouteMethod, str]) -> str:
    """Return what decided, in one of these words, or that it is the fallback."""
    return said[one.method] if one.confidence or _is_decided(one) else "fallback"


LOG_COLUMNS: tuple[Column[LoggedRoute], ...] = (
    Column("text", "Query", text_of, 300, RouteOrder.TEXT),
    Column("at", "Decided", lambda one: short_date(at_of(one)), 98, RouteOrder.AT, is_quiet=True, yields=4),
    Column("intent", "Route", lambda one: words.with_titles(one.intent), 140, RouteOrder.INTENT),
    Column("stores", "Stores", lambda one: ", ".join(one.databases), 120, is_shown=False),
    Column("method", "Method", lambda one: _by(one, METHODS), 82, RouteOrder.METHOD, yields=5),
    Column("confidence", "Confidence", confidence_text, 84, RouteOrder.CONFIDENCE, is_number=True, yields=3),
    Column(
        "rule",
        "Rule’s",
        lambda one: numbers.rough_chance(one.rule_confidence),
        64,
        RouteOrder.RULE_CONFIDENCE,
        is_number=True,
        is_shown=False,
    ),
    Column("ms", "ms", lambda one: numbers.milliseconds(one.ms), 58, RouteOrder.MS, is_number=True, yields=2),
    Column("cost", "Cost", lambda one: dollars(one.cost), 70, RouteOrder.COST, is_number=True, is_shown=False),
    Column("source", "Source", lambda one: SOURCES.get(one.source, one.source), 84, is_quiet=True, is_shown=False),
    Column("label", "By a case", label_of, 92, yields=1, is_sparse=True),
)
"""Columns of the log in display order."""


def log_facets(routes: Routes, labels: Sequence[str] = ()) -> tuple[Facet, ...]:
    """Return the filter facets of the log; `labels` are the taught routes."""
    intents = list(dict.fromkeys([*(row.name for row in routes.rows), *labels]))
    methods = {**METHODS, RouteMethod.DEGRADED: "fallback or undecided"}
    return (
        Facet("method", "Method", (Choice(_DECIDED, "decided"), *(Choice(*one) for one in methods.items()))),
        Facet("intent", "Route", tuple(Choice(one, words.with_titles(one)) for one in intents)),
        Facet("age", "Decided", tuple(Choice(days, word) for days, word in AGES)),
    )


def log_filter(text: str, chosen: Mapping[str, Any], now: float) -> RouteFilter:
    """Make the store's filter from text and choices; ages count from `now` (s since 1970)."""
    days, is_decided = chosen.get("age"), chosen.get("method") == _DECIDED
    return RouteFilter(
        text=text.strip(),
        intent=chosen.get("intent"),
        method=None if is_decided else chosen.get("method"),
        since=None if not days else now - days * DAY_SECONDS,
        limit=MOST_LOGGED,
        is_decided=is_decided,
    )


def log_heading(one: LoggedRoute) -> str:
    """Return time, source and method of a decision."""
    return " · ".join((short_time(at_of(one)), SOURCES.get(one.source, one.source), _by(one, DECIDERS)))


def log_parts(one: LoggedRoute, routes: Routes) -> tuple[TracePart, ...]:
    """Return the details of a decision in the log that its row of the table has not."""
    gone = TraceRow(one.intent, quiet="is not among the routes")
    reason = one.reasoning or "Not stored: a reason quotes the words of the query."
    rules = numbers.rough_chance(one.rule_confidence) if one.rule_intent else ""
    said = (
        TraceRow("Rules", rules, quiet=one.rule_intent or "nothing"),
        TraceRow("LLM", dollars(one.cost) if one.cost else "", quiet=_llm(one)),
        TraceRow("Case", quiet=", ".join(one.labels) or "none for this query"),
    )
    return (
        *((TracePart("Decision", (gone,)),) if routes.find(one.intent) is None else ()),
        TracePart("Why", (TraceRow(reason),)),
        TracePart("Who said what", said),
    )


def _llm(one: LoggedRoute) -> str:
    if one.llm_intent:
        return one.llm_intent
    return "not asked" if one.llm is None else one.llm.value.replace("_", " ")


# ---- audit


def agreement_text(one: LoggedRoute) -> str:
    """Return if rules, LLM and labels agree; "" if there is only one of them."""
    labels = [route_label(label) for label in one.labels]
    said = [label for label in (one.rule_intent, one.llm_intent) if label]
    if len(said) + bool(labels) < 2:
        return ""
    agree = len(set(said)) <= 1 and all(label in labels for label in said) if labels else len(set(said)) == 1
    return "agree" if agree else f"{WRONG} differ"


AUDIT_COLUMNS: tuple[Column[LoggedRoute], ...] = (
    Column("text", "Query", text_of, 300),
    Column("decided", "Decided", lambda one: words.with_titles(one.intent), 140),
    Column("method", "By", lambda one: _by(one, METHODS), 82),
    Column("rule", "Rules say", lambda one: words.with_titles(one.rule_intent or numbers.ABSENT), 140),
    Column("llm", "LLM says", lambda one: words.with_titles(one.llm_intent or numbers.ABSENT), 140),
    Column("label", "Case says", lambda one: words.with_titles(", ".join(one.labels) or numbers.ABSENT), 140),
    Column("agree", "Agreement", agreement_text, 84),
)


def audit_table(audit: Audit) -> Table:
    """Make the table of the agreement of each pair."""
    pairs = {
        "Rules and LLM": audit.rule_against_llm,
        "Rules and cases": audit.rule_against_label,
        "LLM and cases": audit.llm_against_label,
        "Decisions and cases": audit.decision_against_label,
    }
    rows = (
        Row(name, (f"{agree:,} of {both:,}", numbers.percent(agree, both)) if both else ("nothing to compare", ""))
        for name, (agree, both) in pairs.items()
    )
    return Table("Agreement", ("", ""), tuple(rows))


def audit_sentence(step: AuditProgress, *, is_over: bool) -> str:
    """Return the progress of an audit, and why the LLM was silent, if it was."""
    if not step.whole:
        return "The log holds no decision whose text is stored, so there is nothing to check."
    far = f"{step.done} of {step.whole} checked."
    if is_over and step.done == step.whole:
        far = f"{quantity(step.whole, 'decision')} checked."
    return f"{far} {step.silence}".strip()


def audit_document(audit: Audit, silence: str = "") -> Document:
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
    agreement = {name: {"agree": agree, "of": both} for name, (agree, both) in pairs.items()}
    return {"n": len(sample), **agreement, "llm_silence": silence, "sample": sample}
