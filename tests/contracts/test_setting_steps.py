"""Contract of every Library on settings and distinct pairs in steps, and of every UsageCounts."""

from pathlib import Path

import pytest

from app.adapters.store.library import SqlLibrary
from app.domain.errors import KnownError
from app.domain.history import UsageCount, UsageCounter, UsageTotals
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


COUNTS = [
    UsageCount(20_000, UsageCounter.RESOLUTIONS, "activated", 2),
    UsageCount(20_001, UsageCounter.RESOLUTIONS, "activated", 1),
    UsageCount(20_001, UsageCounter.TURNS, "0", 3),
]


def test_that_counts_of_a_day_add_up_and_older_days_are_left_out(library: Library) -> None:
    counts = library.usage_counts
    counts.add(COUNTS)
    counts.add(COUNTS[:2])
    assert UsageTotals.of(9, counts.since(20_000)).counts == {
        (UsageCounter.RESOLUTIONS, "activated"): 6,
        (UsageCounter.TURNS, "0"): 3,
    }
    assert UsageTotals.of(9, counts.since(20_001))[UsageCounter.RESOLUTIONS, "activated"] == 2
    assert counts.since(20_002) == []
    counts.forget()
    assert counts.since(0) == []


def test_that_counts_go_with_the_whole_history_and_those_of_a_later_program_are_passed_over(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path / "profile")
    library.usage_counts.add(COUNTS)
    library._access.write(
        lambda connection: connection.exec_driver_sql("INSERT INTO use_counts VALUES (20000, 'dreams', 'odd', 1)")
    )
    assert len(library.usage_counts.since(0)) == 3
    library.forget_queries()
    assert library.usage_counts.since(0) == []
    library.close()
