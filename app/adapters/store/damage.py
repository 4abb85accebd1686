"""Damaged rows: located one by one and skipped, so that the others stay usable."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy import Column, ColumnElement, Connection, select
from sqlalchemy.exc import OperationalError

from app.adapters.store.connections import among
from app.adapters.store.faults import RowError, is_of_a_row
from app.domain.case import Case
from app.domain.intent import Rule
from app.domain.library import Memory, Power

T = TypeVar("T", Memory, Power, Rule, Case)
Found = TypeVar("Found")

Selected = Callable[[Connection, ColumnElement[bool] | None], list[T]]
"""Reader of rows, all or those of a condition; raises RowError."""


@contextmanager
def decoding(table: str) -> Iterator[None]:
    """Raise RowError for an invalid value of this table."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, zlib.error) as error:
        raise RowError(table) from error
    except OperationalError as error:
        if isinstance(error.orig, sqlite3.Error) and is_of_a_row(error.orig):
            raise RowError(table) from error
        raise


def check(thing: Memory | Power | Rule | Case) -> None:
    """Raise TypeError for a value of the wrong type: SQLite stores any type in any column."""
    texts, numbers = _typed_values(thing)
    if not all(isinstance(held, str) for held in texts) or not all(isinstance(held, int | float) for held in numbers):
        raise TypeError(thing)


def _typed_values(thing: Memory | Power | Rule | Case) -> tuple[Iterable[object], Iterable[object]]:
    """Return the values that must be texts, and those that must be numbers."""
    match thing:
        case Memory():
            first = thing.triggers[0]  # every memory has one
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
    """Raise TypeError if a value is neither of its type nor None."""
    if any(not isinstance(held, str | None) for held in texts):
        raise TypeError("no text")
    if any(not isinstance(held, int | float | None) for held in numbers):
        raise TypeError("no number")


def sound(
    connection: Connection, selected: Selected[T], key: Column[int], where: ColumnElement[bool] | None
) -> tuple[list[T], list[int]]:
    """Return the readable items in key order, and the keys of damaged rows."""

    def keys() -> Sequence[int]:
        wanted = select(key).order_by(key)
        return connection.scalars(wanted if where is None else wanted.where(where)).all()

    return halved(lambda some: selected(connection, where if some is None else among(key, some)), keys)


def halved(
    read: Callable[[Sequence[int] | None], list[Found]], keys: Callable[[], Sequence[int]]
) -> tuple[list[Found], list[int]]:
    """Return the items that `read` returns, and the keys of damaged rows.

    Reads all at once (None); on RowError the keys are halved until the damaged ones are isolated.
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
