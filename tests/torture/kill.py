"""Programs killed at random moments: reported writes are stored, others not in part.

Each round forks this process, which has all imports done. The copy opens a profile, works on it and reports each
acknowledged write, until it is killed without warning.
"""

import asyncio
import importlib
import json
import os
import select
import signal
import sys
from collections.abc import Callable
from random import Random
from time import monotonic

import app.__main__ as front_door
from app.adapters.library_folder import SyncStateFiles, TomlFolders
from app.adapters.store.library import SqlLibrary
from app.bootstrap import make_forgiving_workbench, make_workbench
from app.domain.filters import MemoryEdit, MemoryFilter
from app.domain.journal import Edit
from app.domain.library import Memory
from app.gui.shell.application import make_window
from app.settings.model import Choices
from tests.torture.attempts import NO_ENCODER, Attempt, Round, expect

Say = Callable[[str], None]
PATIENCE = 30.0
"""Default maximum time until a copy's first report, in seconds."""

LONGEST = 180.0
"""Maximum run time in seconds of a copy that is not killed, on a busy machine."""

CRASHED = 70
GROUP, FILE = 25, 20
PAIRS = [word for pair in NO_ENCODER for word in ("--set", pair)]
NO_SERVER = ["--set", "encoder.name=ollama", "--set", "encoder.url=http://127.0.0.1:9"]
"""Options for an encoder that fails immediately, instead of after a slow import."""


def killed(
    work: Callable[[Say], object],
    chance: Random,
    longest: float,
    answers: bytes = b"",
    after: int = 1,
    patience: float = PATIENCE,
) -> list[str]:
    """Return the reports of a forked copy until it was killed.

    The kill comes at most `longest` seconds after the report number `after`, for which it may take `patience`
    seconds. With `answers` its standard input is a pipe with them, and its reports are its output.
    """
    end, start = os.pipe()
    stdin, feed = os.pipe()
    copy = os.fork()
    if copy == 0:
        os.close(end)
        os.close(feed)
        quiet = os.open(os.devnull, os.O_RDWR)
        os.dup2(stdin if answers else quiet, 0)
        os.dup2(start if answers else quiet, 1)
        os.dup2(quiet, 2)
        # Streams of this process may refer to a file or a terminal, and fail on a pipe.
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115 - until the end

        def say(line: str) -> None:
            os.write(start, f"{line}\n".encode())

        code = CRASHED
        try:
            work(say)
            code = 0
        finally:
            os._exit(code)
    os.close(start)
    os.close(stdin)
    try:
        if answers:
            os.write(feed, answers)
        return _heard(end, copy, chance.uniform(0.0, longest), after, patience)
    finally:
        os.close(end)
        os.close(feed)
        os.kill(copy, signal.SIGKILL)
        _, status = os.waitpid(copy, 0)
        expect(status != CRASHED << 8, "the copy crashed before it was killed")


def said(work: Callable[[Say], object]) -> list[str]:
    """Return the reports of a forked copy until its end, which must come in time."""
    return killed(work, Random(0), 0.0, after=sys.maxsize, patience=LONGEST)


def _heard(end: int, copy: int, seconds: float, after: int, patience: float) -> list[str]:
    """Read everything before the kill, and the rest of the pipe; only complete lines count."""
    heard, is_doomed = b"", False
    ends = monotonic() + patience
    while (left := ends - monotonic()) > 0:
        if not select.select([end], [], [], left)[0]:
            continue
        if not (piece := os.read(end, 65_536)):
            break
        heard += piece
        if not is_doomed and heard.count(b"\n") >= after:
            is_doomed, ends = True, monotonic() + seconds
    os.kill(copy, signal.SIGKILL)
    while piece := os.read(end, 65_536):
        heard += piece
    return heard.decode().splitlines()[: heard.count(b"\n")]


def told(lines: list[str]) -> str:
    return "nothing was said yet" if not lines else "all there"


# ------------------------------------------------------------------------------------------------------------ the store


def edits(round_: Round) -> str:
    """Bulk edits, additions, undo and redo, directly in the store."""
    library = SqlLibrary.open(round_.folder)
    library.add("memories", (Memory((f"phrase {n}",), intent="0", namespace="group") for n in range(GROUP)))
    library.close()

    def work(say: Say) -> None:
        store = SqlLibrary.open(round_.folder)
        keys = store.find_memories(MemoryFilter(namespace="group"))
        for number in range(1, 10_000):
            store.edit_memories(Edit("edited"), keys, MemoryEdit(label=str(number)))
            say(f"label {number}")
            store.change(Edit("taught"), [Memory((f"new {number}", "second"), id=f"new-{number}")])
            say(f"new {number}")
            if number % 3 == 0:
                store.undo()
                store.redo()

    lines = killed(work, round_.chance, 0.12)
    library = SqlLibrary.open(round_.folder)
    if any(step.undone for step in library.steps()):
        library.redo()  # killed between an undo and its redo
    memories = library.memories()
    library.close()
    labels = {memory.intent for memory in memories if memory.namespace == "group"}
    expect(len(labels) == 1, f"half an edit: {labels}")
    said = [int(line.split()[1]) for line in lines if line.startswith("label")]
    expect(int(labels.pop() or 0) >= max(said, default=0), "an edit that was acknowledged is lost")
    there = {memory.id for memory in memories}
    lost = [line for line in lines if line.startswith("new") and line.replace(" ", "-") not in there]
    expect(not lost, f"taught and acknowledged, and lost: {lost}")
    return told(lines)


# ----------------------------------------------------------------------------------------------------- command and MCP


def imports(round_: Round) -> str:
    """`import FILE`, one after the other."""
    profile = round_.folder / "profile"
    files = []
    for number in range(30):
        files.append(round_.folder / f"{number}.jsonl")
        lines = [json.dumps({"text": f"memory {number} {line}", "intent": str(number)}) for line in range(FILE)]
        files[-1].write_text("\n".join(lines), "utf-8")

    def work(say: Say) -> None:
        for number, file in enumerate(files):
            if front_door.main(["import", str(file), "--profile", str(profile), *PAIRS]) == 0:
                say(str(number))

    lines = killed(work, round_.chance, 0.6)
    library = SqlLibrary.open(profile)
    counts = [sum(memory.intent == str(number) for memory in library.memories()) for number in range(len(files))]
    library.close()
    expect(set(counts) <= {0, FILE}, f"a file is half there: {counts}")
    lost = [line for line in lines if counts[int(line)] != FILE]
    expect(not lost, f"imported with exit code 0, and lost: {lost}")
    return told(lines)


def exports(round_: Round) -> str:
    """`export --output` over an existing file."""
    profile, file = round_.folder / "profile", round_.folder / "out.jsonl"
    library = SqlLibrary.open(profile)
    library.add("memories", (Memory((f"phrase {number}",), response="x" * 200) for number in range(1_000)))
    library.close()
    file.write_text("what was there before\n", "utf-8")
    words = ["export", "--kind", "memories", "--output", str(file), "--profile", str(profile), *PAIRS]

    def work(say: Say) -> None:
        say("begun")
        while front_door.main(words) == 0:
            say("done")

    lines = killed(work, round_.chance, 2.0)
    found = file.read_text("utf-8").splitlines()
    is_old = found == ["what was there before"]
    expect(is_old or len(found) == 1_000, f"half a file: {len(found)} lines")
    expect(not is_old or "done" not in lines, "written with exit code 0, and not there")
    return "the old file, whole" if is_old else "the new file, whole"


def assistants(round_: Round) -> str:
    """`mcp`, with an assistant that adds items."""
    importlib.import_module("app.surfaces.mcp.server")  # once here, instead of for seconds in each copy
    profile = round_.folder / "profile"
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "torture", "version": "1"}}
    asked = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}]
    asked.append({"jsonrpc": "2.0", "method": "notifications/initialized"})
    for number in range(1, 200):
        call = {"name": "teach", "arguments": {"text": f"taught {number}", "intent": f"i{number}", "response": "r"}}
        asked.append({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call})
    words = ["mcp", "--profile", str(profile), "--set", "serve.teach=true", *NO_SERVER]
    fed = "".join(f"{json.dumps(one)}\n" for one in asked).encode()
    lines = killed(lambda _: front_door.main(words), round_.chance, 0.5, fed, 2)
    answers = [json.loads(line) for line in lines]
    done = {one["id"] for one in answers if one.get("id") and not one.get("result", {"isError": True}).get("isError")}
    library = SqlLibrary.open(profile)
    there = {memory.triggers[0]: memory for memory in library.memories()}
    library.close()
    lost = [number for number in done if f"taught {number}" not in there]
    expect(not lost, f"taught over MCP and acknowledged, and lost: {lost}")
    expect(all(one.response == "r" for one in there.values()), "half a memory")
    expect(done, f"no step was acknowledged: {lines}")
    return "all there"


# ---------------------------------------------------------------------------------------------------- window and folder


def windows(round_: Round) -> str:
    """The window, with additions and undo."""
    profile = round_.folder / "profile"

    def work(say: Say) -> None:
        from PySide6.QtWidgets import QApplication

        app = QApplication([])
        window = make_window(lambda: make_forgiving_workbench(Choices(profile, pairs=NO_ENCODER)))
        worker = window.worker
        count = iter(range(10_000))

        def teach() -> None:
            worker.teach(Memory((f"taught {next(count)}",), response="r"))

        def taught(memory: Memory) -> None:
            say(f"+{memory.triggers[0]}")
            teach()

        worker.opened.connect(teach)
        worker.taught.connect(taught)
        window.show()
        worker.start()
        app.exec()

    lines = killed(work, round_.chance, 0.5)
    library = SqlLibrary.open(profile)
    there = {memory.triggers[0]: memory for memory in library.memories()}
    library.close()
    lost = [line for line in lines if line[1:] not in there]
    expect(not lost, f"taught in the window and acknowledged, and lost: {lost}")
    expect(all(one.response == "r" for one in there.values()), "half a memory")
    return told(lines)


def folders(round_: Round) -> str:
    """A library with additions, saved to a folder each time."""
    profile, folder = round_.folder / "profile", round_.folder / "library"

    async def save(say: Say) -> None:
        bench = make_workbench(Choices(profile, pairs=NO_ENCODER))
        await bench.open(encoder=False, llm=False, watch=False)
        for number in range(1_000):
            memory = Memory((f"taught {number}",), response="r", intent=f"intent {number % 7}")
            await bench.curator.teach(memory)
            await bench.files.save(folder)
            say(f"taught {number}")

    lines = killed(lambda say: asyncio.run(save(say)), round_.chance, 0.6)
    files = TomlFolders(SyncStateFiles(profile / "folders"))
    files.recover(folder)
    held = files.read(folder)
    expect(not held.faults, f"the folder cannot be read: {held.faults[:1]}")
    there = {one.item.triggers[0] for one in held.items if isinstance(one.item, Memory)}
    library = SqlLibrary.open(profile)
    stored = {memory.triggers[0] for memory in library.memories()}
    library.close()
    expect(not [line for line in lines if line not in there], "saved and acknowledged, and not in the folder")
    expect(there <= stored, f"in the folder, and not in the library: {there - stored}")
    expect(len(stored - there) <= 1, f"more than the last step is missing in the folder: {stored - there}")
    return told(lines)


ATTEMPTS = [
    Attempt("kill", "the store: edits, teaching, undo and redo", edits),
    Attempt("kill", "the command line: imports", imports, 2),
    Attempt("kill", "the command line: an export over a file", exports, 2),
    Attempt("kill", "an assistant that teaches over MCP", assistants, 4),
    Attempt("kill", "the window: teaching", windows, 4),
    Attempt("kill", "saving to a folder of texts", folders, 4),
]
