"""Packs as files, and what a reset or an import would change, told before it is done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.adapters.formats.rule_packs import TomlPacks, pack_text
from app.domain.errors import FormatError, KnownError
from app.domain.intent import Rule
from app.domain.journal import Deed
from app.services.library.rules import RulePacks
from app.services.workbench import Workbench
from tests.unit.services.benches import desk, run

MINE = [Rule("mine.a", "howto", "rotate", "mine", 0), Rule("mine.b", "general", r"list\s+it", "mine", 1, unless="not")]


def packs(bench: Workbench) -> RulePacks:
    return RulePacks(bench, bench.journal, bench.rule_packs._shipped, TomlPacks())


def test_that_a_reset_says_first_what_it_changes() -> None:
    async def work() -> None:
        async with desk() as bench:
            shipped = await bench.rule_book.rules("subcog")
            assert (await packs(bench).plan_reset("subcog")).is_empty
            await bench.journal.do(
                Deed("edited"), [replace(shipped[0], weight=9.0, enabled=False), replace(MINE[0], pack="subcog")]
            )
            await bench.rule_book.order("subcog", [shipped[3].id])
            plan = await packs(bench).plan_reset("subcog")
            edited, gone = plan.changes
            assert edited.fields == ("weight", "enabled")
            assert gone.before is not None
            assert (gone.before.id, gone.after, plan.reordered) == ("mine.a", None, True)
            await bench.rule_book.reset("subcog")
            assert (await packs(bench).plan_reset("subcog")).is_empty

    run(work())


def test_that_a_pack_goes_out_and_comes_back_as_it_was(tmp_path: Path) -> None:
    async def work() -> None:
        async with desk() as bench:
            await bench.journal.do(Deed("added"), MINE)
            file = tmp_path / "mine.toml"
            file.write_text(await packs(bench).text("mine"), "utf-8")
            assert (await packs(bench).plan_import(file)).is_empty
            await bench.rule_book.delete(await bench.rule_book.rules("mine"))
            plan = await packs(bench).plan_import(file)
            assert [(change.before, change.after) for change in plan.changes] == [(None, rule) for rule in MINE]
            written = await packs(bench).take(plan)
            assert written is not None
            assert written.step.source == "mine.toml"
            assert await bench.rule_book.rules("mine") == MINE

    run(work())


def test_that_an_import_changes_what_has_the_id_and_leaves_out_what_does_not_compile(tmp_path: Path) -> None:
    async def work() -> None:
        async with desk() as bench:
            await bench.journal.do(Deed("added"), MINE)
            file = tmp_path / "mine.toml"
            bad = replace(MINE[1], pattern="(list")
            file.write_text(pack_text("mine", "Mine", [replace(MINE[0], weight=3.0), bad]), "utf-8")
            plan = await packs(bench).plan_import(file)
            (change,) = plan.changes
            assert change.fields == ("weight",)
            assert len(plan.problems) == 1
            assert plan.problems[0].startswith("mine.b: ")
            await packs(bench).take(plan)
            assert [rule.weight for rule in await bench.rule_book.rules("mine")] == [3.0, 1.0]
            await bench.journal.undo()
            assert await bench.rule_book.rules("mine") == MINE

    run(work())


def test_that_no_pack_is_refused_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "no.toml"
    file.write_text("[pack]\n", "utf-8")

    async def work() -> None:
        async with desk() as bench:
            with pytest.raises(FormatError, match=r"no\.toml is not of the form"):
                await packs(bench).plan_import(file)
            with pytest.raises(KnownError, match="cannot be read from files"):
                await bench.rule_packs.text("subcog")

    run(work())
