"""Contract of every Library's journal on approvals, secrets, names and steps."""

from dataclasses import replace

import pytest

from app.domain.case import Case, Task
from app.domain.errors import StoreError
from app.domain.intent import Rule
from app.domain.journal import Edit, Item, ItemKind
from app.domain.library import Memory, Power, Transport
from app.ports.store import Library
from tests.build import some
from tests.team import every_library

TAUGHT, EDITED, DELETED, RESTORED = Edit("taught"), Edit("edited"), Edit("deleted"), Edit("restored")
POWER = Power("gh", "d", transport=Transport("npx", env={"TOKEN": "good"}), approved=True)


library = every_library


def with_value(power: Power, value: str) -> Power:
    return replace(power, transport=replace(power.transport, env={"TOKEN": value}))


class TestApprovals:
    def test_that_undo_gives_none_to_another_value(self, library: Library) -> None:
        library.change(TAUGHT, [POWER])
        library.change(EDITED, [with_value(library.powers()[0], "other")])
        assert not library.powers()[0].approved
        written = some(library.undo())
        (power,) = library.powers()
        assert (power.approved, library.environment(power)) == (False, {"TOKEN": "other"})
        assert written.items == [power]
        library.redo()
        assert not library.powers()[0].approved

    def test_that_it_stays_where_only_words_change(self, library: Library) -> None:
        library.change(TAUGHT, [POWER])
        library.change(EDITED, [replace(library.powers()[0], description="new")])
        library.undo()
        assert (library.powers()[0].approved, library.powers()[0].description) == (True, "d")
        library.redo()
        assert (library.powers()[0].approved, library.powers()[0].description) == (True, "new")

    def test_that_what_comes_back_waits_for_it_again(self, library: Library) -> None:
        library.change(TAUGHT, [POWER])
        (power,) = library.powers()
        assert power.key is not None
        key = (ItemKind.POWER, power.key)
        library.change(DELETED, gone=[key])
        library.undo()
        assert not library.powers()[0].approved
        library.change(EDITED, [replace(library.powers()[0], approved=True)])
        library.change(DELETED, gone=[key])
        library.put_back(RESTORED, [key])
        assert not library.powers()[0].approved

    def test_that_an_earlier_state_brings_none_back(self, library: Library) -> None:
        library.change(TAUGHT, [POWER])
        (before,) = library.powers()
        library.change(EDITED, [with_value(before, "other")])
        library.change(RESTORED, [replace(before, description="as it was")], anyway=True)
        (power,) = library.powers()
        assert (power.approved, power.description) == (False, "as it was")

    def test_that_a_power_without_an_environment_keeps_it(self, library: Library) -> None:
        library.change(TAUGHT, [replace(POWER, transport=Transport("npx"))])
        (power,) = library.powers()
        library.change(DELETED, gone=[(ItemKind.POWER, power.key or 0)])
        library.undo()
        assert library.powers()[0].approved


class TestNames:
    def test_that_two_deleted_things_of_one_name_do_not_both_come_back(self, library: Library) -> None:
        for number in range(2):
            library.change(TAUGHT, [Power("same", f"d{number}")])
            library.change(DELETED, gone=[(ItemKind.POWER, library.powers()[0].key or 0)])
        first, second = (binned.key for binned in library.binned())
        with pytest.raises(StoreError, match="“same”"):
            library.put_back(RESTORED, [first, second])
        assert library.powers() == []
        library.put_back(RESTORED, [first])
        assert [power.description for power in library.powers()] == ["d1"]

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (Power("gh", "good"), Power("gh", "other")),
            (Rule("a", "howto", "how", pack="mine", position=0), Rule("a", "howto", "zzz", pack="own", position=0)),
            (Case("q", ("a",), Task.INTENT), Case("q", ("b",), Task.INTENT)),
        ],
    )
    def test_that_a_new_thing_never_replaces_one_of_its_name(self, library: Library, first: Item, second: Item) -> None:
        library.change(TAUGHT, [first])
        before = [*library.powers(), *library.rules(), *library.cases()]
        with pytest.raises(StoreError, match="exists already"):
            library.change(Edit("added"), [second])
        assert [*library.powers(), *library.rules(), *library.cases()] == before
        library.change(Edit("imported"), [second], anyway=True)
        assert [*library.powers(), *library.rules(), *library.cases()] != before
        assert len(library.steps()) == 2


class TestWhatStays:
    def test_that_what_is_told_apart_outlives_the_bin_and_can_be_undone(self, library: Library) -> None:
        pair = (b"a" * 32, b"b" * 32)
        library.put_distinct_pairs(Edit("told apart", "x"), [pair])
        library.change(TAUGHT, [Memory(("t",))])
        library.change(DELETED, gone=[(ItemKind.MEMORY, library.memories()[0].key or 0)])
        library.empty_bin()
        assert [step.verb for step in library.steps()] == ["told apart"]
        library.undo()
        assert library.distinct_pairs() == set()

    def test_that_an_import_of_cases_keeps_what_they_do_not_want(self, library: Library) -> None:
        library.add("cases", [Case("q", (), Task.INTENT, unwanted=("a", "b"))])
        library.add("cases", [Case("q", ("b",), Task.INTENT)])
        assert [(case.expected, case.unwanted) for case in library.cases()] == [(("b",), ("a",))]
        library.add("cases", [Case("q", ("b",), Task.INTENT, unwanted=("c",))])
        assert [case.unwanted for case in library.cases()] == [("c",)]

    def test_that_settings_are_kept_together(self, library: Library) -> None:
        library.put_settings({"theme": "dark", "matches": "5"})
        library.put_settings({"theme": None, "combination": "max"})
        assert library.setting_values() == {"combination": "max", "matches": "5"}
