"""Contract of every Library on settings in steps: undone, redone, never overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.adapters.store.library import SqlLibrary
from app.domain.errors import KnownError
from app.domain.journal import Edit
from app.domain.library import Memory
from app.ports.store import Library
from tests.build import some

SET = Edit("set", "matches to 5")


def test_that_settings_are_chosen_once_as_one_step(library: Library) -> None:
    assert library.choose_settings(SET, {"matches": "5", "theme": "dark"})
    assert not library.choose_settings(SET, {"matches": "5"})
    assert library.setting_values() == {"matches": "5", "theme": "dark"}
    (step,) = library.steps()
    assert (step.sentence, step.count, step.source) == ("set matches to 5", 2, "window")


def test_that_they_are_taken_back_and_done_again_among_other_steps(library: Library) -> None:
    library.put_settings({"matches": "7"})
    library.change(Edit("taught"), [Memory(("x",))])
    library.choose_settings(SET, {"matches": "5", "theme": "dark"})
    library.change(Edit("taught"), [Memory(("y",))])
    library.undo()
    undone = some(library.undo())
    assert (undone.step.verb, list(undone.items), list(undone.gone)) == ("set", [], [])
    assert library.setting_values() == {"matches": "7"}
    assert [memory.name for memory in library.memories()] == ["x"]
    library.undo()
    for _ in range(3):
        assert library.redo() is not None
    assert library.setting_values() == {"matches": "5", "theme": "dark"}
    assert [memory.name for memory in library.memories()] == ["x", "y"]
    assert library.redo() is None


def test_that_what_a_step_holds_is_told_before_it_is_taken_back_or_done_again(library: Library) -> None:
    library.put_settings({"matches": "7"})
    library.choose_settings(SET, {"theme": "dark", "matches": "5"})
    number = library.steps()[0].id
    assert library.settings_of_step() == library.settings_of_step(number) == {"matches": "7", "theme": None}
    assert library.settings_of_step(redo=True) == {}
    library.undo()
    assert library.settings_of_step(redo=True) == {"matches": "5", "theme": "dark"}
    assert library.settings_of_step() == library.settings_of_step(number) == {}
    library.change(Edit("taught"), [Memory(("x",))])
    assert library.settings_of_step() == {}


def test_that_what_was_chosen_anew_stays_and_so_does_the_step(library: Library) -> None:
    library.choose_settings(SET, {"matches": "5", "theme": "dark"})
    library.put_settings({"matches": "6"})
    for _ in range(2):
        with pytest.raises(KnownError, match=r"“set matches to 5” cannot be undone, because .* set again since"):
            library.undo()
    assert library.setting_values() == {"matches": "6", "theme": "dark"}
    library.put_settings({"matches": "5"})
    assert library.undo() is not None
    assert library.setting_values() == {}
    library.put_settings({"theme": "light"})
    with pytest.raises(KnownError, match="cannot be redone"):
        library.redo()
    library.put_settings({"theme": None})
    assert library.redo() is not None
    assert library.setting_values() == {"matches": "5", "theme": "dark"}


def test_that_a_new_choice_takes_the_place_of_undone_steps(library: Library) -> None:
    library.change(Edit("taught"), [Memory(("x",))])
    library.undo()
    library.choose_settings(SET, {"matches": "5"})
    assert library.redo() is None
    library.undo()
    library.choose_settings(SET, {"matches": "8"})
    assert library.redo() is None
    assert len(library.steps()) == 1


def test_that_settings_stay_when_their_step_grows_old_and_the_step_when_the_bin_is_emptied(library: Library) -> None:
    library.choose_settings(SET, {"matches": "5"})
    library.empty_bin()
    assert len(library.steps()) == 1
    library.prune(0)
    assert (library.steps(), library.setting_values()) == ([], {"matches": "5"})


def test_that_a_step_of_settings_outlives_the_program(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    library.choose_settings(SET, {"matches": "5"})
    library.close()
    library = SqlLibrary.open(tmp_path)
    assert library.undo() is not None
    assert library.setting_values() == {}
    library.close()
