"""Routes of a profile (S6.1), and namespaces of memories with their weights (S4.13)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
)

from app.domain.intent import TYPE_NAMES, IntentType
from app.domain.library import NAMESPACES
from app.domain.route import COLORS, ROUTE_NAMES, SHIPPED_ROUTES, Route, Routes, route_label
from app.settings.sections import Section

WEIGHTS = "namespaces.weights"
"""Key of the weight matrix; a cell is `namespaces.weights.howto.patterns`."""

UNWEIGHTED = 1.0
MOST_WEIGHT = 10.0

DEFAULT_WEIGHTS: Mapping[IntentType, Mapping[str, float]] = {
    IntentType.HOWTO: {"patterns": 1.5, "learnings": 1.3},
    IntentType.TROUBLESHOOT: {"blockers": 1.5, "learnings": 1.3},
    IntentType.LOCATION: {"decisions": 1.5, "context": 1.3},
    IntentType.EXPLANATION: {"decisions": 1.5, "context": 1.3},
    IntentType.COMPARISON: {"decisions": 1.5, "patterns": 1.3},
    IntentType.GENERAL: {"decisions": 1.2, "patterns": 1.2},
}
"""Default weights of document 000; others are 1."""

_REFUSED = f"it must be a number from 0 to {MOST_WEIGHT:g}"


def _weight(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(_REFUSED)
    try:
        weight = float(value)
    except ValueError:
        raise ValueError(_REFUSED) from None
    if not 0.0 <= weight <= MOST_WEIGHT:
        raise ValueError(_REFUSED)
    return weight


Weight = Annotated[float, BeforeValidator(_weight)]
"""Factor on a memory's confidence in the order of injection, in [0, 10]."""


class NamespaceSettings(Section):
    """Namespaces beside the shipped ones, and weights that differ from the defaults."""

    more: str = Field("", max_length=10_000, description="Your own namespaces, separated by commas.")
    weights: Mapping[IntentType, Mapping[str, Weight]] = Field(
        {}, description="Weights of a namespace's memories for a type; they order the injected memories."
    )

    @field_validator("more")
    @classmethod
    def _are_names(cls, more: str) -> str:
        if not more.isprintable():
            raise ValueError("it must be names, parted by commas")
        return ", ".join(_names(more))

    @property
    def own(self) -> tuple[str, ...]:
        """Namespaces added by the user, in order."""
        return tuple(name for name in _names(self.more) if name not in NAMESPACES)

    @property
    def all(self) -> tuple[str, ...]:
        """Shipped namespaces, then those added by the user."""
        return (*NAMESPACES, *self.own)

    def weight(self, type_: IntentType, namespace: str) -> float:
        found = self.weights.get(type_, {}).get(namespace)
        return default_weight(type_, namespace) if found is None else found


def default_weight(type_: IntentType, namespace: str) -> float:
    return DEFAULT_WEIGHTS[type_].get(namespace, UNWEIGHTED)


def weight_key(type_: IntentType, namespace: str) -> str:
    """Return the dotted key of one cell of the matrix."""
    return f"{WEIGHTS}.{type_.value}.{namespace}"


def is_weight(key: str) -> bool:
    """Return whether a dotted key is a cell of the matrix."""
    if not key.startswith(f"{WEIGHTS}."):
        return False
    type_, _, namespace = key.removeprefix(f"{WEIGHTS}.").partition(".")
    return type_ in TYPE_NAMES and bool(namespace)


def _names(text: str) -> list[str]:
    found = (re.sub(r"\s+", " ", name).strip() for name in text.split(","))
    return list(dict.fromkeys(filter(None, found)))


ROUTES = "routes"
"""Key of all routes; a cell is `routes.billing.stores`."""

LONGEST_NAME, LONGEST_TITLE, LONGEST_ABOUT = 80, 40, 200

Colour = Literal["purple", "blue", "green", "orange", "grey", "sky", "pink", "olive"]
assert get_args(Colour) == COLORS


def _name(text: str) -> str:
    if text != " ".join(text.split()) or not text.isprintable() or not 0 < len(text) <= LONGEST_NAME:
        raise ValueError(f"the name of a route is a text of at most {LONGEST_NAME} characters")
    if any(sign in text for sign in ";="):
        raise ValueError("the name of a route holds no semicolon and no equals sign")
    if route_label(text) != text:
        raise ValueError(f"“{text}” is another name of the route {route_label(text)}")
    return text


def _stores(text: str) -> str:
    names = dict.fromkeys(filter(None, (" ".join(name.split()) for name in text.split(","))))
    if not names or not text.isprintable():
        raise ValueError("it must be names of stores, parted by commas")
    return ", ".join(names)


def _line(value: object) -> object:
    return " ".join(value.split()) if isinstance(value, str) else value


class RouteChoice(Section):
    """Changes to one route; None keeps the default of a shipped or new route."""

    title: Annotated[str, BeforeValidator(_line)] | None = Field(None, max_length=LONGEST_TITLE)
    stores: Annotated[str, AfterValidator(_stores)] | None = None
    colour: Colour | None = None
    about: Annotated[str, BeforeValidator(_line)] | None = Field(None, max_length=LONGEST_ABOUT)
    enabled: bool | None = None

    @model_serializer(mode="wrap")
    def _given_values(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Serialize only the given values; each is a setting of its own."""
        return {name: value for name, value in handler(self).items() if value is not None}


FIELDS = tuple(RouteChoice.model_fields)

RouteChoices = Mapping[Annotated[str, AfterValidator(_name)], RouteChoice]


def routes_of(choices: RouteChoices) -> Routes:
    """Return the five routes of 001 with changes, then the others by name."""
    if not choices:
        return Routes()
    rows = [_changed(row, choices.get(row.name)) for row in SHIPPED_ROUTES]
    own = sorted((name for name in choices if name not in ROUTE_NAMES), key=str.casefold)
    for place, name in enumerate(own, len(rows)):
        rows.append(_changed(Route(name, (name,), COLORS[place % len(COLORS)]), choices[name]))
    return Routes(tuple(rows))


def _changed(row: Route, choice: RouteChoice | None) -> Route:
    if choice is None:
        return row
    return replace(
        row,
        stores=row.stores if choice.stores is None else tuple(choice.stores.split(", ")),
        color=choice.colour or row.color,
        title=row.title if choice.title is None else choice.title,
        about=row.about if choice.about is None else choice.about,
        enabled=row.enabled if choice.enabled is None else choice.enabled,
    )


def route_key(name: str, field: str) -> str:
    """Return the dotted key of one cell."""
    return f"{ROUTES}.{name}.{field}"


def keys_of(row: Route) -> dict[str, str]:
    """Return all values of a route, by dotted key."""
    said = (row.title, ", ".join(row.stores), row.color, row.about, "true" if row.enabled else "false")
    return {route_key(row.name, field): value for field, value in zip(FIELDS, said, strict=True)}


def named_in(key: str) -> str:
    """Return the route that a dotted key belongs to; "" for another key."""
    section, _, rest = key.partition(".")
    name, _, field = rest.rpartition(".")
    return name if section == ROUTES and field in FIELDS else ""
