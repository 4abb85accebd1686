"""Rows that hold what they cannot: found one by one and passed over, so that one bad byte leaves the rest usable."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import InstrumentedAttribute

from app.adapters.store.connections import among
from app.adapters.store.faults import RowError, is_of_a_row
from app.domain.case import Case
from app.domain.intent import Rule
from app.domain.library import Memory, Power

T = TypeVar("T", Memory, Power, Rule, Case)
Found = TypeVar("Found")

Selected = Callable[[Connection, ColumnElement[bool] | None], list[T]]
"""What makes things of rows, all or those that a condition selects; RowError."""


@contextmanager
def decoding(table: str) -> Iterator[None]:
    """Raise RowError where a value of this table is not what its column says."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, zlib.error) as error:
        raise RowError(table) from error
    except OperationalError as error:
        if isinstance(error.orig, sqlite3.Error) and is_of_a_row(error.orig):
            raise RowError(table) from error
        raise


def check(thing: Memory | Power | Rule | Case) -> None:
    """TypeError where a value is of another kind than it must be: SQLite keeps any kind in any column."""
    texts, numbers = _held(thing)
    if not all(isinstance(held, str) for held in texts) or not all(isinstance(held, int | float) for held in numbers):
        raise TypeError(thing)


def _held(thing: Memory | Power | Rule | Case) -> tuple[Iterable[object], Iterable[object]]:
    """What must be texts and what must be numbers."""
    match thing:
        case Memory():
            first = thing.triggers[0]  # each has one
            words = (first, *thing.triggers, thing.response, thing.namespace, thing.source, *thing.tags)
            lasting = (thing.valid_from, thing.valid_to, *thing.replaces)
            return (*words, *lasting, thing.intent or "", thing.id or ""), (thing.success, thing.usage, thing.right)
        case Power():
            to = thing.transport
            words = (thing.name, thing.description, thing.steering, *thing.keywords, *thing.examples, *to.args)
            tools = (word for tool in thing.tools for word in (tool.name, tool.description))
            return (*words, *tools, *to.env.keys(), *to.env.values(), to.command or "", to.url or ""), ()
        case Rule():
            words = (thing.id, thing.label, thing.pattern, thing.pack, thing.unless or "")
            return words, (thing.weight, thing.position, thing.confidence or 0)
        case Case():
            return (thing.text, *thing.expected, *thing.unwanted), ()


def expect(texts: Iterable[object] = (), numbers: Iterable[object] = ()) -> None:
    """TypeError where one of them is neither of its kind nor None."""
    if any(not isinstance(held, str | None) for held in texts):
        raise TypeError("no text")
    if any(not isinstance(held, int | float | None) for held in numbers):
        raise TypeError("no number")


def sound(
    connection: Connection, selected: Selected[T], key: InstrumentedAttribute[int], where: ColumnElement[bool] | None
) -> tuple[list[T], list[int]]:
    """What can be made of the rows, in the order of their keys, and the keys of the rows of which nothing can."""

    def read(some: Sequence[int] | None) -> list[T]:
        return selected(connection, where if some is None else among(key, some))

    def keys() -> Sequence[int]:
        wanted = select(key).order_by(key)
        return connection.scalars(wanted if where is None else wanted.where(where)).all()

    return halved(read, keys)


def halved(
    read: Callable[[Sequence[int] | None], list[Found]], keys: Callable[[], Sequence[int]]
) -> tuple[list[Found], list[int]]:
    """What is read of rows, and the keys of those of which nothing can be.

    All are read at once (None); only where that raises RowError their keys are halved until the damaged stand alone.
    """
    try:
        return read(None), []
    except RowError:
        waiting: list[Sequence[int]] = [keys()]
    found: list[Found] = []
    damaged: list[int] = []
    while waiting:
        some = waiting.pop()
        try:
            found += read(some) if some else []
        except RowError:
            if len(some) == 1:
                damaged += some
            else:
                half = len(some) // 2
                waiting += [some[half:], some[:half]]
    return found, damaged
