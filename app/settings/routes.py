"""Routes of a profile: changes to the five of 001, and further routes (S6.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, SerializerFunctionWrapHandler, model_serializer

from app.domain.route import COLORS, ROUTE_NAMES, SHIPPED_ROUTES, Route, Routes, route_label
from app.settings.sections import Section

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
        raise ValueError(f"“{text}” stands for something else already")
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
