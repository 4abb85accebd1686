"""Tests that items stored in chunks equal items stored one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from app.adapters.store import connections
from app.adapters.store.library import SqlLibrary
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.intent import Rule
from app.domain.journal import Edit, Item, ItemKind
from app.domain.library import Memory, Power, Transport
from tests.build import some

NAMES = ("a", "b", "c")
STORED: tuple[Item, ...] = (
    Memory(("one",), id="a"),
    Memory(("two",)),
    Power("a", transport=Transport("uvx", env={"TOKEN": ""}), approved=True),
    Power("b"),
    Rule("a", "howto", "how", "p", 0),
    Case("a", ("x",), Task.INTENT),
    Case("b", ("x",), Task.INTENT, unwanted=("y",)),
)

names = st.sampled_from(NAMES)
new: st.SearchStrategy[Item] = st.one_of(
    st.builds(lambda name, text: Memory((text,), id=name), st.none() | names, names),
    st.builds(Power, names, names),
    st.builds(lambda name, text: Rule(name, "howto", text, "p", 0), names, names),
    st.builds(lambda name, text: Case(name, (text,), Task.INTENT), names, names),
)
edits = st.tuples(st.integers(0, len(STORED) - 1), names, st.booleans())


def edited(stored: Sequence[Item], chosen: tuple[int, str, bool]) -> Item:
    """Return one of the stored items under another name, or with another change."""
    number, name, is_renamed = chosen
    match stored[number]:
        case Memory() as memory:
            return replace(memory, id=name) if is_renamed else replace(memory, response=name)
        case Power() as power:
            return replace(power, name=name) if is_renamed else replace(power, description=name)
        case Rule() as rule:
            return replace(rule, id=name) if is_renamed else replace(rule, pattern=name)
        case Case() as case:
            return replace(case, text=name) if is_renamed else replace(case, expected=(name,))


@given(st.lists(new | edits, max_size=8), st.sets(st.sampled_from(ItemKind)), st.booleans())
def test_that_a_change_is_the_same_in_one_chunk_as_one_by_one(
    drawn: list[Item | tuple[int, str, bool]], gone: set[ItemKind], anyway: bool
) -> None:
    found: list[tuple[object, ...]] = []
    for size in (1, 1_000):
        with TemporaryDirectory() as folder, mock.patch.object(connections, "CHUNK", size):
            library = SqlLibrary.open(Path(folder))
            first = some(library.change(Edit("taught"), STORED))
            items = [edited(first.items, one) if isinstance(one, tuple) else one for one in drawn]
            try:
                written = library.change(Edit("edited"), items, [(kind, 1) for kind in gone], anyway=anyway)
                told: object = None if written is None else written.items
            except KnownError as error:
                told = str(error)
            found.append((told, everything(library), [step.sentence for step in library.steps()]))
            library.undo()
            found.append((everything(library),))
            library.close()
    assert found[:2] == found[2:]


def everything(library: SqlLibrary) -> list[Item]:
    return [*library.memories(), *library.powers(), *library.rules(), *library.cases()]
