"""Builders with defaults: libraries, and values that are known to be there."""

from pathlib import Path
from typing import Any, TypeVar

from app.domain.case import Case
from app.domain.journal import Edit, ItemKind
from app.domain.library import Memory, Power
from app.ports.store import Library
from tests.fakes import MemoryLibrary

T = TypeVar("T")
PUT = Edit("put")


def library_of(*items: Memory | Power | Case) -> MemoryLibrary:
    """Make a library in memory that holds these items."""
    made = MemoryLibrary()
    made.add("memories", [one for one in items if isinstance(one, Memory)])
    made.add("powers", [one for one in items if isinstance(one, Power)])
    made.add("cases", [one for one in items if isinstance(one, Case)])
    return made


def put(library: Library, item: Any, edit: Edit = PUT) -> Any:
    """Store an item exactly, in a step of its own; return it with its key."""
    return some(library.change(edit, [item], anyway=True)).items[0]


def remove(library: Library, memory: Memory) -> None:
    library.change(Edit("removed"), gone=[(ItemKind.MEMORY, some(memory.key))])


def some(value: T | None) -> T:
    """Return a value after asserting that it is not None."""
    assert value is not None
    return value


def of_type(value: object, kind: type[T]) -> T:
    """Return a value after asserting its type."""
    assert isinstance(value, kind)
    return value


def rewrite(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")
