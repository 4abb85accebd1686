"""Routes as rows: colours and stores in words, their uses; as lines, JSON and TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from app.detect.route_rules import SEVERAL
from app.display import numbers
from app.display.library.tables import Column
from app.display.routing.dashboard import route_button_text
from app.domain.datastore import WAYS
from app.domain.documents import fields_of
from app.domain.language import plural
from app.domain.route import SHIPPED_ROUTES, Route, RouteIntent, Routes
from app.services.routing.custom_routes import Removal, RouteUse
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
        stores = ", ".join(strange)
        parts.append(plural(len(strange), "Unknown store: {stores}.", "Unknown stores: {stores}.", stores=stores))
    return " ".join(parts)


FEW = 6
"""Minimum number of examples; with fewer a route is rarely decided for."""

ROUTE_COLUMNS: tuple[Column[RouteUse], ...] = (
    Column("route", "Route", lambda use: use.route.name, 190, mark=lambda use: use.route.color),
    Column("title", "Title", lambda use: route_button_text(use.route.name, Routes((use.route,))), 90),
    Column("stores", "Stores", lambda use: ", ".join(use.route.stores), 170),
    Column("rules", "Rules", lambda use: numbers.count(use.rules), 60, is_number=True),
    Column("shipped", "Examples", lambda use: numbers.count(use.shipped), 76, is_number=True),
    Column("taught", "Taught", lambda use: numbers.count(use.taught), 64, is_number=True),
    Column("state", "State", state_word, 120, is_quiet=True),
    Column("colour", "Colour", lambda use: use.route.color, 84, is_quiet=True, is_shown=False),
    Column("about", "Asked for", lambda use: use.route.about, 390, is_quiet=True, yields=1),
)
"""Columns of the list of routes."""


def route_counts(uses: Sequence[RouteUse]) -> str:
    """Return the number of routes, and of enabled ones."""
    there = [use for use in uses if use.is_set_up]
    on = sum(use.route.enabled for use in there)
    return plural(len(there), "{n} route, {on} on", "{n} routes, {on} on", on=on)


def rules_sentence(threshold: float) -> str:
    """Format the confidence from which a rule decides alone, and the effect of several rules."""
    alone, several = numbers.chance(threshold), numbers.chance(SEVERAL)
    return (
        f"A rule decides alone from {alone} on; where several routes match, it is {RouteIntent.MULTI} with {several}."
    )


def removal_question(found: Removal) -> str:
    """Return the question before a route is removed, with what it removes."""
    rules = plural(len(found.rules), "{n} rule", "{n} rules")
    taught = len(found.cases) + len(found.shared)
    examples = plural(taught, "{n} example", "{n} examples")
    asked = f"Remove the route “{found.name}” with {rules} and {examples}?"
    stays = plural(
        found.logged, "{n} decision of the log names it, and stays.", "{n} decisions of the log name it, and stay."
    )
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
