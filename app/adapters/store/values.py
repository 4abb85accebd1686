"""Validation of values from outside: SQLite stores any type anywhere, servers may lie."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import JSON, Boolean, Column, DateTime, Float, Integer, LargeBinary, Text

from app.adapters.store.damage import check, decoding
from app.adapters.store.entries import item_of
from app.domain.journal import ItemKind
from app.domain.library import Power

MOST_CHARACTERS = 10_000_000
"""Maximum length of a text, except recorded states, which hold all texts of an item."""

MOST_SHARED = 1_000_000
"""Maximum length of a text on a team's server; imports take 100,000 characters."""

MOST_NUMBER = 2**53
"""Maximum absolute integer, so that increments still fit into SQLite's 64 bits."""

STATE = "state"


def _is_number(value: object) -> bool:
    return type(value) is int and abs(value) <= MOST_NUMBER


def _is_float(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and math.isfinite(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MOST_CHARACTERS


def _is_json(value: object) -> bool:
    if not isinstance(value, str) or len(value) > MOST_CHARACTERS:
        return False
    try:
        return isinstance(orjson.loads(value), list | dict)
    except orjson.JSONDecodeError:
        return False


def _is_time(value: object) -> bool:
    if not isinstance(value, str) or len(value) > len("2026-11-22 04:26:09.000000"):
        return False
    try:
        return bool(datetime.fromisoformat(value))
    except ValueError:
        return False


STORED: Mapping[str, Callable[[object], bool]] = {
    "INTEGER": _is_number,
    "BOOLEAN": lambda value: type(value) is int and value in (0, 1),
    "FLOAT": _is_float,
    "TEXT": _is_text,
    "VARCHAR(32)": _is_text,
    "JSON": _is_json,
    "DATETIME": _is_time,
    "BLOB": lambda value: isinstance(value, bytes),
}
"""Checks of stored values, by the declared type of SQLite's column."""

LOADED: Mapping[type[Any], Callable[[object], bool]] = {
    Boolean: lambda value: isinstance(value, bool),
    Integer: _is_number,
    Float: _is_float,
    JSON: lambda value: isinstance(value, list),
    DateTime: lambda value: isinstance(value, datetime),
    LargeBinary: lambda value: isinstance(value, bytes | memoryview),
    Text: lambda value: isinstance(value, str) and len(value) <= MOST_SHARED,
}
"""Checks of loaded values, by SQLAlchemy's type."""


def is_loaded(column: Column[Any], value: object) -> bool:
    """Return whether a loaded value is valid in a column."""
    if value is None:
        return bool(column.nullable)
    if column.name in (STATE, "env"):
        return isinstance(value, str if column.name == STATE else dict)
    return next(check for kind, check in LOADED.items() if isinstance(column.type, kind))(value)


def unapproved_state(kind: str, state: str | None) -> str | None:
    """Return a recorded state from outside without approval; raises RowError if invalid."""
    with decoding("recorded states"):
        named = ItemKind(kind)
        if state is None:
            return None
        item = item_of(named, 1, 1, state)
        check(item)
        if isinstance(item, Power) and item.approved:
            return orjson.dumps(orjson.loads(state) | {"approved": 0}).decode()
        return state
