"""Tests of namespaces: counted, added, renamed with their memories, and removed when empty."""

from __future__ import annotations

import pytest

from app.domain.errors import KnownError
from app.domain.intent import IntentType
from app.domain.library import Memory
from app.services.library.memory_overview import (
    MORE,
    Renamed,
    add_namespace,
    checked_name,
    count_namespaces,
    remove_namespace,
    rename_namespace,
)
from app.settings.namespaces import weight_key
from tests.build import library_of
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import LetterEncoder, desk


def in_namespaces(*namespaces: str) -> MemoryLibrary:
    return library_of(*(Memory((f"trigger {n}",), namespace=name, id=f"m{n}") for n, name in enumerate(namespaces)))


async def test_that_renaming_is_one_step_that_is_undone_at_once() -> None:
    library = in_namespaces("patterns", "patterns", "help")
    async with desk(lambda: library) as bench:
        assert await rename_namespace(bench, bench.journal, "patterns", " my  recipes") == Renamed(
            "patterns", "my recipes", 2
        )
        assert await count_namespaces(bench) == {"my recipes": 2, "help": 1}
        found = [bench.engine.index.answers()[key] for key in bench.engine.index.answers()]
        assert sorted(one.namespace for one in found if isinstance(one, Memory)) == ["help"] + ["my recipes"] * 2
        assert len(await bench.journal.steps()) == 1
        await bench.journal.undo()
        assert await count_namespaces(bench) == {"patterns": 2, "help": 1}


async def test_that_a_new_name_takes_over_the_weights_and_undo_finds_the_old_one_as_it_was() -> None:
    async with desk(lambda: in_namespaces("mine")) as bench:
        await bench.choose_all({MORE: "mine, other", weight_key(IntentType.HOWTO, "mine"): "2.5"})
        await rename_namespace(bench, bench.journal, "mine", "ours")
        namespaces = bench.settings.namespaces
        assert namespaces.own == ("mine", "other", "ours")
        assert namespaces.weights == {IntentType.HOWTO: {"mine": 2.5, "ours": 2.5}}
        await bench.journal.undo()
        assert await count_namespaces(bench) == {"mine": 1}
        assert bench.settings.namespaces.weight(IntentType.HOWTO, "mine") == 2.5


async def test_that_an_empty_one_of_one_s_own_goes_with_its_name() -> None:
    async with desk(lambda: in_namespaces("help")) as bench:
        await bench.choose_all({MORE: "mine, other", weight_key(IntentType.HOWTO, "mine"): "2.5"})
        assert (await rename_namespace(bench, bench.journal, "mine", "ours")).moved == 0
        assert bench.settings.namespaces.own == ("other", "ours")
        assert bench.settings.namespaces.weights == {IntentType.HOWTO: {"ours": 2.5}}


async def test_that_an_existing_name_keeps_its_own_weights() -> None:
    async with desk(lambda: in_namespaces("mine", "patterns")) as bench:
        await bench.choose_all({weight_key(IntentType.HOWTO, "mine"): "2.5"})
        assert (await rename_namespace(bench, bench.journal, "mine", "patterns")).moved == 1
        assert bench.settings.namespaces.weight(IntentType.HOWTO, "patterns") == 1.5
        assert bench.settings.namespaces.weights == {IntentType.HOWTO: {"mine": 2.5}}


async def test_that_what_the_command_line_says_stays_and_hinders_no_renaming() -> None:
    key = weight_key(IntentType.HOWTO, "mine")
    async with desk(lambda: in_namespaces("mine"), LetterEncoder, **{key: 3, MORE: "mine"}) as bench:
        assert (await rename_namespace(bench, bench.journal, "mine", "ours")).moved == 1
        assert bench.settings.namespaces.own == ("mine",)
        assert bench.settings.namespaces.weight(IntentType.HOWTO, "ours") == 3


async def test_that_only_empty_namespaces_of_one_s_own_are_removed() -> None:
    async with desk(lambda: in_namespaces("mine")) as bench:
        await add_namespace(bench, "spare")
        for name, why in (("help", "belongs to the program"), ("mine", "holds a memory")):
            with pytest.raises(KnownError, match=why):
                await remove_namespace(bench, name)
        await remove_namespace(bench, "spare")
        assert bench.settings.namespaces.own == ()
        for name in ("help", "mine"):
            with pytest.raises(KnownError, match="already"):
                await add_namespace(bench, name)


@pytest.mark.parametrize("name", ["", "  ", "a,b", "a=b", "a\u0007b", "x" * 101])
def test_that_some_names_are_refused(name: str) -> None:
    with pytest.raises(KnownError):
        checked_name(name)
