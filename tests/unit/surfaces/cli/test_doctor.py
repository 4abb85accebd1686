"""Tests of `doctor`: its report, and its failure with `--library` if a finding is a fault."""

import asyncio
import io
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.adapters.store.library import SqlLibrary
from app.domain.errors import KnownError, StoreError
from app.domain.history import HistoryEntry, Source
from app.domain.library import Memory
from app.services.workbench import Workbench
from app.surfaces.cli import doctor
from app.surfaces.cli.doctor import compact, install, print_checkup, print_encoders, try_out
from app.surfaces.cli.output import Printer
from app.surfaces.cli.terminal import Progress
from tests.build import library_of
from tests.fakes import MemoryLibrary
from tests.gui.fakes import FakeEncoders
from tests.program import run as program
from tests.unit.services.benches import LetterEncoder, desk, unopened

FINE = (
    Memory(("rotate the page", "turn the page around"), intent="rotate"),
    Memory(("split a file in two", "cut the file apart"), intent="split"),
)
CONFLICT = Memory(("rotate the page",), "Something else.", intent="other")


async def told(*taught: Memory, library: bool, as_json: bool = False) -> tuple[bool, str]:
    out = io.StringIO()
    async with desk(lambda: library_of(*taught)) as workbench:
        said = await print_checkup(workbench, Printer(out, as_json=as_json), library=library)
    return said, out.getvalue()


async def document(*taught: Memory, library: bool) -> Any:
    return orjson.loads((await told(*taught, library=library, as_json=True))[1])


async def test_that_without_the_option_only_the_parts_are_told() -> None:
    is_fine, text = await told(*FINE, CONFLICT, library=False)
    assert (is_fine, "Checked: " in text) == (True, False)
    assert set(await document(*FINE, library=False)) == {"fine", "findings"}


async def test_that_a_fault_of_the_library_fails_the_check() -> None:
    is_fine, text = await told(*FINE, CONFLICT, library=True)
    assert (is_fine, "FAULT    Own words give another answer (1)" in text) == (False, True)
    assert "- other | rotate the page | rotate | 0 points" in text


def test_that_it_says_what_killed_programs_had_left(tmp_path: Path) -> None:
    left = tmp_path / "profile" / ".intentscope-abcd1234"
    left.mkdir(parents=True)
    (left / "lock").touch()
    (left / "library.db").write_bytes(b"private")
    said = program("doctor", profile=tmp_path / "profile").stdout
    assert f"removed          {left}, which a killed program had left" in said
    assert not left.exists()
    assert "removed" not in program("doctor", profile=tmp_path / "profile").stdout
    left.mkdir()
    assert orjson.loads(program("doctor", "--json", profile=tmp_path / "profile").stdout)["removed"] == [str(left)]


async def test_that_notes_do_not_fail_it_and_unreadable_secrets_do(monkeypatch: pytest.MonkeyPatch) -> None:
    is_fine, text = await told(*FINE, library=True)
    assert (is_fine, "findings about rules and settings as shipped" in text) == (True, True)
    monkeypatch.setattr(MemoryLibrary, "secrets_fault", lambda _: "They cannot be read.")
    assert "NOT OK secrets   They cannot be read." in (await told(library=False))[1]


async def test_that_the_document_tells_both() -> None:
    whole = await document(*FINE, CONFLICT, library=True)
    assert whole["fine"], "what is in place is in place"
    assert not whole["library"]["fine"]
    assert whole["library"]["findings"][0]["sign"] == "trigger_taken"


async def test_that_it_says_how_far_the_look_is(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[int, int]] = []

    class Heard(Progress):
        def __call__(self, done: int, total: int) -> None:
            steps.append((done, total))

    monkeypatch.setattr(doctor, "Progress", Heard)
    await told(*FINE, library=True)
    assert steps[:2] == [(0, 100), (5, 100)]
    assert steps == sorted(steps)


async def test_that_compacting_makes_the_file_smaller_and_tells_from_what_to_what(tmp_path: Path) -> None:
    kept = SqlLibrary.open(tmp_path)
    asked = [HistoryEntry("2026-11-22 04:26:21", Source.LOG, f"{n} {'long ' * 200}") for n in range(500)]
    kept.forget_queries(kept.add_queries(asked)[5:])
    out = io.StringIO()
    async with desk(lambda: kept) as workbench:
        before, after = await compact(workbench)
        assert after < before / 2
        for as_json in (False, True):
            await print_checkup(workbench, Printer(out, as_json=as_json), library=False, compacted=(before, after))
        assert f"from {before:,} to {after:,} bytes" in out.getvalue()
        assert '"compacted"' in out.getvalue()


async def test_that_compacting_that_is_broken_off_keeps_the_library_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = SqlLibrary.open(tmp_path)
    keys = kept.add_queries([HistoryEntry("2026-11-22 04:26:21", Source.LOG, "q", trace={"n": 1})])
    given_back: list[bool] = []
    monkeypatch.setattr(SqlLibrary, "reclaim_space", lambda library: given_back.append(True))
    async with desk(lambda: kept) as workbench:
        compacting = asyncio.create_task(compact(workbench))

        def pressed(library: SqlLibrary, after: int = 0) -> int:
            workbench_loop.call_soon_threadsafe(compacting.cancel)
            return after + 1

        workbench_loop = asyncio.get_running_loop()
        monkeypatch.setattr(SqlLibrary, "compress_traces", pressed)
        with pytest.raises(asyncio.CancelledError):
            await compacting
        (query,) = kept.traced_queries(keys)
        assert query.trace == {"n": 1}
    assert not given_back


async def test_that_missing_vectors_are_told_and_neither_made_nor_a_fault() -> None:
    kept, encoder, out = MemoryLibrary(), LetterEncoder(), io.StringIO()
    kept.add("memories", FINE)

    workbench = unopened(lambda: kept, lambda: encoder)
    workbench.make_no_vectors()
    await workbench.open(watch=False)
    await workbench.ready()
    assert await print_checkup(workbench, Printer(out), library=False)
    await workbench.close()
    assert (
        "ok     vectors   0 of 4 triggers of memories and powers in use have their vector; the others" in out.getvalue()
    )
    assert encoder.encoded == ["how do I rotate a page"], "one query, to see that it answers"
    assert kept.counts()["embeddings"] == 0


async def test_that_a_disk_on_which_nothing_can_be_kept_fails_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(workbench: Workbench) -> str:
        raise StoreError("The disk is full: free some space.")

    monkeypatch.setattr(Workbench, "room", full)
    is_fine, text = await told(*FINE, library=False)
    assert not is_fine
    assert "NOT OK disk      The disk is full: free some space." in text
    assert "ok     library" in text


# ---- `encoders` reports each one's size and requirements, and installs missing ones in steps.


@pytest.fixture
def workbench() -> Workbench:
    made = unopened()
    made.encoders = FakeEncoders()
    return made


def told_of_encoders(workbench: Workbench, *, as_json: bool = False) -> str:
    out = io.StringIO()
    asyncio.run(print_encoders(workbench, Printer(out, as_json=as_json)))
    return out.getvalue()


def test_that_each_encoder_stands_with_its_cost_or_what_it_lacks(workbench: Workbench) -> None:
    text = told_of_encoders(workbench)
    assert "* intentscope-minilm" in text
    assert "24 MB on disk, offline" in text
    assert "sentence-transformers is not installed." in text
    rows = {row["name"]: row for row in orjson.loads(told_of_encoders(workbench, as_json=True))["encoders"]}
    assert [name for name, row in rows.items() if row["is_set"]] == ["intentscope-minilm"]
    assert [name for name, row in rows.items() if row["can_be_installed"]] == ["sentence-transformers"]


def test_that_installing_tells_its_steps_and_then_what_it_costs(
    workbench: Workbench, capsys: pytest.CaptureFixture[str]
) -> None:
    out = io.StringIO()
    asyncio.run(install(workbench, "sentence-transformers", Printer(out)))
    assert "sentence-transformers is installed: 92 MB on disk, offline" in out.getvalue()
    assert "Successfully installed (3 of 3)" in capsys.readouterr().err
    assert "* intentscope-minilm" in told_of_encoders(workbench)  # the setting is unchanged


def test_that_a_trial_is_one_sentence_or_one_document(workbench: Workbench) -> None:
    out = io.StringIO()
    asyncio.run(try_out(workbench, "sentence-transformers", Printer(out)))
    assert "have the expected answer first with it, 50.0 % as it is now" in out.getvalue()
    out = io.StringIO()
    asyncio.run(try_out(workbench, "sentence-transformers", Printer(out, as_json=True)))
    document = orjson.loads(out.getvalue())
    assert (document["top1_before"], document["top1_after"], document["fixed"]) == (0.5, 1.0, 4)


def test_that_a_failure_is_the_installers_word(workbench: Workbench) -> None:
    assert isinstance(workbench.encoders, FakeEncoders)
    workbench.encoders.fault = "The disk is full."
    with pytest.raises(KnownError, match="The disk is full"):
        asyncio.run(install(workbench, "sentence-transformers", Printer(io.StringIO(), as_json=True)))
