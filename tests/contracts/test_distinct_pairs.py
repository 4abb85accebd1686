"""Contract of every Library on pairs marked as no duplicates: permanent, and undoable."""

from __future__ import annotations

from pathlib import Path

from app.adapters.store.library import SqlLibrary
from app.domain.journal import Edit
from app.domain.library import Memory
from app.ports.store import Library
from tests.build import some

APART = Edit("told apart", "“a” and “b”")
A, B, C = (bytes([n]) * 32 for n in range(3))


def test_that_pairs_are_told_apart_once_as_one_step(library: Library) -> None:
    assert library.distinct_pairs() == set()
    written = some(library.put_distinct_pairs(APART, [(A, B), (A, A), (A, B)]))
    assert (written.step.sentence, written.step.count) == ("told apart “a” and “b”", 2)
    assert library.distinct_pairs() == {(A, B), (A, A)}
    assert library.put_distinct_pairs(APART, [(A, A)]) is None
    assert len(library.steps()) == 1


def test_that_telling_apart_is_undone_and_done_again(library: Library) -> None:
    library.change(Edit("taught"), [Memory(("x",))])
    library.put_distinct_pairs(APART, [(A, B)])
    undone = some(library.undo())
    assert (undone.step.verb, list(undone.items), list(undone.gone)) == ("told apart", [], [])
    assert library.distinct_pairs() == set()
    assert len(library.memories()) == 1
    library.redo()
    assert library.distinct_pairs() == {(A, B)}


def test_that_what_was_undone_does_not_come_back_with_the_next_step(library: Library) -> None:
    library.put_distinct_pairs(APART, [(A, B)])
    library.undo()
    library.put_distinct_pairs(APART, [(B, C)])
    assert library.distinct_pairs() == {(B, C)}
    library.undo()
    library.change(Edit("taught"), [Memory(("x",))])
    assert library.distinct_pairs() == set()
    library.put_distinct_pairs(APART, [(A, B), (B, C)])
    assert library.distinct_pairs() == {(A, B), (B, C)}


def test_that_differences_stay_when_their_step_grows_old_or_the_bin_is_emptied(library: Library) -> None:
    library.put_distinct_pairs(APART, [(A, B)])
    library.empty_bin()
    assert library.distinct_pairs() == {(A, B)}
    library.put_distinct_pairs(APART, [(B, C)])
    library.prune(0)
    assert library.steps() == []
    assert library.distinct_pairs() == {(A, B), (B, C)}


def test_that_differences_outlive_the_program(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    library.put_distinct_pairs(APART, [(A, B)])
    library.close()
    library = SqlLibrary.open(tmp_path)
    assert library.distinct_pairs() == {(A, B)}
    library.close()
