"""Many things in few statements: cut into chunks, or their keys in one parameter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import InstrumentedAttribute

CHUNK = 1_000
"""How many things are looked up and written at a time; SQLite takes 32,766 parameters in a statement."""

KEYS_AT_ONCE = 10_000
"""How many keys go into one statement as a JSON array."""

T = TypeVar("T")


def array(keys: Iterable[int]) -> str:
    """Keys as a JSON array, which is one parameter however many there are."""
    return f"[{','.join(map(str, keys))}]"


def among(column: InstrumentedAttribute[int], keys: Iterable[int]) -> ColumnElement[bool]:
    """The condition that a column holds one of these keys."""
    return column.in_(select(func.json_each(array(keys)).table_valued("value").c.value))


def chunks(things: Iterable[T], size: int | None = None) -> Iterator[list[T]]:
    """Lists of up to `size` (CHUNK) things, in order."""
    iterator = iter(things)
    while chunk := list(islice(iterator, size or CHUNK)):
        yield chunk
