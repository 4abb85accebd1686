"""Builders with defaults: libraries, and values that are known to be there."""

from __future__ import annotations

from typing import TypeVar

from app.domain.case import Case
from app.domain.library import Memory, Power
from tests.fakes import MemoryLibrary

T = TypeVar("T")


def library_of(*items: Memory | Power | Case) -> MemoryLibrary:
    """Make a library in memory that holds these items."""
    made = MemoryLibrary()
    made.add("memories", [one for one in items if isinstance(one, Memory)])
    made.add("powers", [one for one in items if isinstance(one, Power)])
    made.add("cases", [one for one in items if isinstance(one, Case)])
    return made


def some(value: T | None) -> T:
    """Return a value after asserting that it is not None."""
    assert value is not None
    return value


def of_type(value: object, kind: type[T]) -> T:
    """Return a value after asserting its type."""
    assert isinstance(value, kind)
    return value
