"""JSON documents of frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any


def fields_of(thing: object, *names: str) -> dict[str, Any]:
    """Return these fields of a value as JSON has them: enum members as values, tuples as lists."""
    return {name: _plain(getattr(thing, name)) for name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value
