"""Tests of differences between two states of a memory, by field and word."""

from __future__ import annotations

from dataclasses import replace

from app.display.library.journal import revision_rows, success_changes
from app.display.library.memories import bulk_edit, edit_outcome, edit_preview, memory_diffs, three_way_diffs
from app.domain.filters import MemoryEdit
from app.domain.journal import Revision, Step, Written
from app.domain.library import Memory

MEMORY = Memory(("one", "two"), "Press the red button now.", "fix", tags=("a",), key=1)
STEP = Step(4, "2026-01-02 03:04:05", "edited", "“one”", 1, "window")


def test_that_only_fields_that_differ_are_told() -> None:
    told = memory_diffs(MEMORY, replace(MEMORY, paused=True, success=0.75))
    assert [one.title for one in told] == ["Success", "State"]
    assert "gone: Active" in told[1].sentence
    assert "new: Paused" in told[1].sentence
    assert memory_diffs(MEMORY, MEMORY) == ()


def test_that_the_success_history_names_each_move_and_leaves_out_what_was_undone() -> None:
    up = Revision(STEP, MEMORY, replace(MEMORY, success=0.55))
    same = Revision(STEP, MEMORY, replace(MEMORY, intent=None))
    undone = replace(up, step=replace(STEP, undone=True))
    (told,) = success_changes([undone, same, up])
    assert told.startswith("50 % → 55 %, edited “one”")
    assert revision_rows([undone])[0][0] == "Edited: Success (undone)"
    assert revision_rows([Revision(STEP, MEMORY, None)])[0][0] == "Edited “one”"


def test_that_an_edit_of_many_is_said_before_and_after() -> None:
    assert edit_preview(0, 12) == "No change to any of the 12 memories."
    assert edit_preview(12, 12) == "This changes all 12 memories."
    assert edit_preview(9, 12) == "This changes 9 of 12 memories; the others already match."
    assert edit_outcome("edited", None) == "No change."
    assert edit_outcome("deleted", Written(replace(STEP, subject="", count=12))) == "12 memories are in the bin."
    assert edit_outcome("deleted", Written(STEP)) == "“one” is in the bin."


def test_that_fields_left_empty_ask_for_nothing() -> None:
    assert bulk_edit("", None, (), (), None, False) is None
    assert bulk_edit("", "", (), ("x",), None, True) == MemoryEdit(label="", remove_tags=("x",), success=0.5)


def test_that_a_conflict_tells_who_changed_which_field() -> None:
    base = Memory(("a",), "r", intent="tea", tags=("x",))
    theirs = replace(base, response="theirs", tags=("x", "y"), namespace="both")
    mine = replace(base, intent="mine", tags=("x", "z"), namespace="both")
    found = {one.title: one.sentence for one in three_way_diffs(base, theirs, mine, "anna")}
    assert found == {
        "Response · changed by anna": "gone: rnew: theirs",
        "Intent · changed by you": "gone: teanew: mine",
        "Namespace · changed alike by both": f"gone: {base.namespace}new: both",
        "Tags · changed by both: from theirs to yours": "x; gone: ynew: z",
    }
