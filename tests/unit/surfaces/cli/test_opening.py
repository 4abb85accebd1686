"""Tests of the command line: arguments, waiting for other programs, progress, streams, and Ctrl+C."""

import asyncio
import io
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from app import __main__ as front_door
from app.adapters.store import connections
from app.adapters.store.library import SqlLibrary
from app.domain.errors import StoreBusyError
from app.domain.journal import Edit
from app.domain.library import Line, Memory, Power, Problem, Transport
from app.ports.store import WriteResult
from app.services.library.import_export import ImportCancelledError, ImportResult, ImportValidator, store_lines
from app.surfaces.cli import terminal
from app.surfaces.cli.output import WAITING, Printer, Unread, retry_while_locked
from app.surfaces.cli.parser import files_of, with_command
from app.surfaces.cli.terminal import AT_ONCE, MOST_WAITING, Progress, batched_lines, buffered_stream
from app.surfaces.cli.transfer import SHOWN, dry_run
from tests.memory_library import MemoryLibrary
from tests.waiting import PATIENCE


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("some.csv", "gui some.csv"),
        ("here", "gui here"),
        ("a/b", "gui a/b"),
        ("one.csv two.csv", "gui one.csv two.csv"),
        ("--profile p some.csv", "--profile p gui some.csv"),
        ("--prof p some.csv", "--prof p some.csv"),
        ("--profile=p some.csv", "--profile=p gui some.csv"),
        ("--json --set a=b.c some.csv", "--json --set a=b.c gui some.csv"),
        ("--exit-after 1.5 some.csv", "--exit-after 1.5 gui some.csv"),
        ("--query some.csv", "--query some.csv"),
        ("--verbose some.csv", "--verbose gui some.csv"),
        ("imprt some.csv", "imprt some.csv"),
        ("import some.csv", "import some.csv"),
        ("detect ./x", "detect ./x"),
        ("gui some.csv", "gui some.csv"),
        ("--version", "--version"),
        ("--profile", "--profile"),
        ("-- some.csv", "-- some.csv"),
        ("-", "-"),
        ("", ""),
    ],
)
def test_that_files_open_in_the_window_and_commands_stay(
    words: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").touch()
    (tmp_path / "detect").touch()
    assert with_command(words.split()) == meant.split()


def test_that_files_that_are_not_there_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").touch()
    assert files_of(["a.csv", "b.csv"]) == ([tmp_path / "a.csv"], [tmp_path / "b.csv"])


JOINED = """
import sys
import app.bootstrap

LATE = "alembic httpx mcp ollama prometheus_client sqlalchemy.dialects.postgresql torch uvicorn yaml".split()
print([name for name in LATE if name in sys.modules])
"""


def test_that_the_program_is_joined_without_what_only_some_commands_need() -> None:
    done = subprocess.run([sys.executable, "-c", JOINED], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stdout.strip() == "[]", done.stderr


IN_EXEC = """
import sys
from app.surfaces.cli.program import interruptible

try:
    with interruptible():
        exec("import signal; signal.raise_signal(signal.SIGINT)")
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_that_ctrl_c_while_a_class_is_being_made_ends_with_the_exit_code_and_not_by_the_signal() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_EXEC], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stderr) == (130, "")


def test_that_words_that_are_interrupted_while_they_are_read_are_told_as_stopped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from app import __main__
    from app.surfaces.cli.program import Interrupted

    def parsed(_: object) -> None:
        raise Interrupted

    monkeypatch.setattr(__main__, "_parsed", parsed)
    assert __main__.main(["steps"]) == 130
    assert capsys.readouterr().err == "intentscope: stopped.\n"


IN_HOOK = """
import signal, sys
from app.__main__ import main
from app.surfaces.hook import entry

entry.is_answered = lambda *_: signal.raise_signal(signal.SIGINT)
sys.exit(main(["hook", "--set", "serve.hook_budget_ms=20000"]))
"""


def test_that_an_interrupted_hook_ends_in_silence_and_without_an_error() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_HOOK], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


WRITING = (
    ["teach", "turn the keys", "--to", "memory:keys"],
    ["pause", "memory:keys"],
    ["undo"],
    ["redo"],
    ["remove", "memory:keys"],
    ["bin", "--restore", "memory:keys"],
)


class Release(io.StringIO):
    """Standard error that unlocks the library after the notice of waiting."""

    def __init__(self, other: sqlite3.Connection) -> None:
        super().__init__()
        self._other = other

    def write(self, text: str) -> int:
        if WAITING in text:
            self._other.execute("COMMIT")
        return super().write(text)


def test_that_every_writing_verb_waits_for_another_program_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = ["--profile", str(tmp_path)]
    assert front_door.main(["teach", "rotate the keys", "--intent", "keys", "--name", "keys", *profile]) == 0
    monkeypatch.setattr(connections, "BUSY_TIMEOUT_MS", 50)
    other = sqlite3.connect(tmp_path / "library.db", isolation_level=None, check_same_thread=False)
    for words in WRITING:
        other.execute("BEGIN IMMEDIATE")
        told = Release(other)
        monkeypatch.setattr(sys, "stderr", told)
        assert front_door.main([*words, *profile]) == 0, (words, told.getvalue())
        assert told.getvalue().strip() == WAITING, words
    other.close()


def test_that_without_a_terminal_what_takes_long_is_told_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [10.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    progress = Progress("embedding", "Vectors are made for {n} texts.")
    progress(0, 0)
    progress(0, 2_152)
    assert capsys.readouterr().err == "", "it may be over in a moment"
    now[0] += terminal.PROGRESS_AFTER_SECONDS
    progress(256, 2_152)
    progress(512, 2_152)
    progress.done()
    assert capsys.readouterr().err == "Vectors are made for 2,152 texts.\n"


def test_that_a_terminal_counts_up_in_place(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = Progress("embedding", "Vectors are made for {n} texts.")
    progress(0, 2_152)
    progress(256, 2_152)
    progress.done()
    assert capsys.readouterr().err == "\rembedding 0 of 2,152 \rembedding 256 of 2,152 \n"


async def blocks_of(lines: Iterable[str]) -> list[list[str]]:
    return [block async for block in batched_lines(lines)]


def test_that_all_lines_come_in_their_order_in_blocks() -> None:
    lines = [str(number) for number in range(3 * MOST_WAITING + 5)]
    blocks = asyncio.run(blocks_of(lines))
    assert [line for block in blocks for line in block] == lines
    assert max(map(len, blocks)) <= AT_ONCE
    assert asyncio.run(blocks_of([])) == []
    assert asyncio.run(blocks_of([""])) == [[""]]


async def test_that_what_has_come_while_one_was_answered_is_taken_together() -> None:
    reached = Event()

    def lines() -> Iterator[str]:
        yield from map(str, range(AT_ONCE))
        reached.set()

    sizes = []
    async for block in batched_lines(lines()):
        sizes.append(len(block))
        await asyncio.to_thread(reached.wait)
        await asyncio.sleep(0)
    assert sum(sizes) == AT_ONCE
    assert len(sizes) <= 3


def test_that_a_line_is_answered_before_the_next_is_there() -> None:
    answered = Event()

    def lines() -> Iterator[str]:
        yield "first"
        assert answered.wait(PATIENCE)
        yield "second"

    async def run() -> list[list[str]]:
        found = []
        async for block in batched_lines(lines()):
            found.append(block)
            answered.set()
        return found

    assert asyncio.run(run()) == [["first"], ["second"]]


async def test_that_no_more_is_read_than_may_wait() -> None:
    read: list[int] = []

    def lines() -> Iterator[str]:
        for number in range(MOST_WAITING * 4):
            read.append(number)
            yield str(number)

    blocks = batched_lines(lines())
    first = await anext(blocks)
    assert first[0] == "0"
    assert len(read) <= MOST_WAITING + AT_ONCE + 1
    await blocks.aclose()


@pytest.mark.parametrize("error", [OSError("The pipe broke."), ValueError("It is closed.")])
def test_that_what_reading_raises_comes_behind_what_was_read(error: Exception) -> None:
    def lines() -> Iterator[str]:
        yield "first"
        raise error

    async def run(seen: Callable[[list[str]], None]) -> None:
        async for block in batched_lines(lines()):
            seen(block)

    found: list[list[str]] = []
    with pytest.raises(type(error), match=str(error)):
        asyncio.run(run(found.append))
    assert found == [["first"]]


def test_that_a_stream_of_the_system_gets_a_buffer_of_its_own() -> None:
    out, into = os.pipe()
    with os.fdopen(out, "rb") as held, os.fdopen(into, "wb") as writing:
        with buffered_stream(held) as own:
            assert own is not held
            writing.write(b"one\n")
            writing.flush()
            assert own.readline() == b"one\n"
        assert not held.closed
    memory = io.BytesIO(b"two\n")
    assert buffered_stream(memory) is memory


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqlLibrary]:
    monkeypatch.setattr(connections, "BUSY_TIMEOUT_MS", 50)
    library = SqlLibrary.open(tmp_path)
    yield library
    library.close()


def test_that_an_import_waits_for_the_other_program_and_takes_every_line(library: SqlLibrary) -> None:
    told: list[str] = []
    other = sqlite3.connect(library.file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")

    def tell(sentence: str) -> None:
        told.append(sentence)
        threading.Timer(0.2, other.execute, ("COMMIT",)).start()

    lines = Unread([Memory((f"m{number}",)) for number in range(3)])

    async def take() -> int:
        return len((await asyncio.to_thread(library.add, "memories", lines)).added)

    assert asyncio.run(retry_while_locked(take, again=lambda: not lines.is_begun, tell=tell)) == 3
    assert told == [WAITING]
    other.close()


def test_that_it_waits_no_longer_than_it_was_told_and_not_once_lines_were_read(library: SqlLibrary) -> None:
    other = sqlite3.connect(library.file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    told: list[str] = []

    async def take() -> object:
        return await asyncio.to_thread(library.add, "memories", [Memory(("m",))])

    with pytest.raises(StoreBusyError, match="in use by another program"):
        asyncio.run(retry_while_locked(take, longest=0.12, tell=told.append))
    assert told == [WAITING]
    with pytest.raises(StoreBusyError):
        asyncio.run(retry_while_locked(take, again=lambda: False, tell=told.append))
    assert told == [WAITING]
    other.execute("ROLLBACK")
    other.close()


LINES = [Line(n, Memory((f"phrase {n}",))) for n in range(1, 31)]


class Interrupted(MemoryLibrary):
    """Library in which Ctrl+C is pressed during reading on another thread."""

    left: Iterator[Memory] = iter(())

    def add_kinds(self, kinds: Sequence[tuple[str, Iterable[Any]]], edit: Edit | None = None) -> list[WriteResult]:
        self.left = iter(kinds[0][1])
        next(self.left)
        raise KeyboardInterrupt


def test_that_an_interrupted_dry_run_reads_no_further() -> None:
    library = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        dry_run(library, [("memories", LINES)], Printer(io.StringIO()))
    with pytest.raises(ImportCancelledError):
        next(library.left)


def test_that_a_rehearsal_reads_back_only_what_it_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(SqlLibrary, "memories")
    library = SqlLibrary.open(tmp_path)
    out = io.StringIO()
    assert dry_run(library, [("memories", LINES)], Printer(out))
    library.close()
    told = out.getvalue().splitlines()
    assert told[1 : SHOWN + 1] == [f"add phrase {n} (no intent)" for n in range(1, SHOWN + 1)]
    assert told[-2] == f"add {30 - SHOWN} more"


def test_that_the_last_line_of_a_memory_tells_if_it_has_a_response() -> None:
    lines = (Memory(("a",), id="m"), Memory(("a",), id="m", response="x"), Memory(("b",)))
    validator = ImportValidator([Line(n, one) for n, one in enumerate(lines)])
    assert store_lines(MemoryLibrary(), "memories", validator).silent == 1


def test_that_what_was_left_out_of_a_line_and_what_no_query_finds_is_told() -> None:
    library, out = MemoryLibrary(), io.StringIO()
    library.add("powers", [Power("known", "reads tables")])
    lines = [
        Line(1, Power("time"), "headers were left out: A."),
        Line(2, Power("files")),
        Line(3, Power("git", keywords=("commit",))),
        Line(4, Power("known")),
    ]
    dry_run(library, [("powers", lines)], Printer(out))
    told = out.getvalue()
    assert "note on line 1: headers were left out: A.\n" in told
    assert "\ntime, files" in told
    assert "time, files: found by name only. Start each," in told
    assert "git:" not in told


def test_that_notes_and_names_are_bounded_and_stand_in_the_document() -> None:
    notes = tuple(Problem(n, "left out.") for n in range(30))
    intake = ImportResult("powers", WriteResult(), (), notes, tuple(f"p{n}" for n in range(12)))
    assert "10 more notes." in intake.text()
    assert "p9 and 2 more: found by name only" in intake.text()
    assert len(intake.document()["notes"]) == 30
    assert intake.document()["no_words"][-1] == "p11"


def test_that_a_dry_run_masks_passwords_and_marks_what_it_cuts() -> None:
    library, out = MemoryLibrary(), io.StringIO()
    args = ("postgres://u:hunter2@h/db", "--api-key", "hunter3", "@scope/pkg@1.0")
    powers = [
        Power("pg", transport=Transport("npx", args)),
        Power("web", transport=Transport(url="https://h/mcp?token=hunter4")),
        Power("long", transport=Transport("sh", ("-c", "echo " + "a" * SHOWN * 10 + "; rm -rf /"))),
    ]
    assert dry_run(library, [("powers", [Line(1, power) for power in powers])], Printer(out))
    told = out.getvalue().splitlines()
    assert "hunter" not in out.getvalue()
    assert told[1].endswith("@scope/pkg@1.0)")
    assert told[3].endswith("aaa…)")
