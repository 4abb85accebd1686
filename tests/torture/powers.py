"""Powers without approval start nothing; misbehaving servers are ended completely."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

import psutil

import app.__main__ as front_door
from app.adapters.mcp.runner import McpRunner
from app.bootstrap import make_workbench, read_file
from app.domain.errors import KnownError, PowerError
from app.domain.journal import Edit
from app.domain.library import Power, Transport
from app.ports.power import ServerStart
from app.services.workbench import Workbench
from app.settings.model import Choices
from tests.servers import powers as misbehaving
from tests.torture.attempts import NO_ENCODER, Attempt, Round, expect
from tests.torture.kill import PAIRS

SERVER = Path(misbehaving.__file__)
START_MS, CALL_MS, MOST_SECONDS = 4_000, 1_500, 30.0
MODES = sorted(
    {*misbehaving.CALLS, *misbehaving.BEFORE, "many-tools", "pages", "endless-pages", "wrong-tools", "no-tools"}
)


# ------------------------------------------------------------------------------------------- nothing without its yes


def canary(folder: Path, name: str = "canary") -> tuple[Path, Path]:
    """Make a program that leaves a mark when started; return both."""
    program, mark = folder / name, folder / f"{name} was started"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\nexec sleep 5\n", "utf-8")
    program.chmod(0o755)
    return program, mark


async def stored(bench: Workbench, transport: Transport, name: str = "p") -> None:
    await bench.journal.do(Edit("added"), [Power(name, transport=transport)])


async def tried(bench: Workbench, name: str = "p") -> None:
    """Activate and call it like an assistant; a refusal is expected."""
    told = await bench.gateway.activate(name)
    expect(not told.started, "it says that it was started")
    with suppress(KnownError):
        await bench.gateway.call(name, "echo", {})


async def approved(bench: Workbench, name: str = "p") -> None:
    await bench.gateway.approve(name, await bench.gateway.approval_text(name))


async def unasked(bench: Workbench, program: Path, folder: Path) -> None:
    """No approval was given."""
    await stored(bench, Transport(str(program)))
    await tried(bench)


async def changed_command(bench: Workbench, program: Path, folder: Path) -> None:
    """One command line was approved, then replaced by another."""
    await stored(bench, Transport("/bin/true", ("a",)))
    await approved(bench)
    power = next(power for power in bench.library.powers() if power.name == "p")
    await bench.journal.do(Edit("edited"), [replace(power, transport=Transport(str(program)))])
    await tried(bench)


async def other_words(bench: Workbench, program: Path, folder: Path) -> None:
    """The approved text is not the stored one."""
    await stored(bench, Transport(str(program)))
    for text in ("", str(program.parent), f"{program} ", "p"):
        with suppress(KnownError):
            await bench.gateway.approve("p", text)
    await tried(bench)


async def imported(bench: Workbench, program: Path, folder: Path) -> None:
    """A file claims to be approved."""
    file = folder / "mcp.json"
    words = {"command": str(program), "approved": True, "autoApprove": ["*"], "enabled": True, "trust": True}
    file.write_text(json.dumps({"mcpServers": {"p": words}}), "utf-8")
    kind, lines = await asyncio.to_thread(read, file)
    await bench.import_sources([(kind, lines)], "a file")
    await tried(bench)


def read(file: Path) -> tuple[str, list[Any]]:
    kind, lines = read_file(file, "auto", None)
    return kind, list(lines)


async def from_folder(bench: Workbench, program: Path, folder: Path) -> None:
    """A power's command in a folder is changed by others after the approval."""
    place = folder / "library"
    await stored(bench, Transport("/bin/true"))
    await approved(bench)
    await bench.files.save(place)
    for file in place.rglob("*.toml"):
        file.write_text(file.read_text("utf-8").replace("/bin/true", str(program)), "utf-8")
    await bench.files.import_all(place)
    expect(any(str(program) in str(power.transport) for power in bench.library.powers()), "nothing was taken in")
    await tried(bench)


async def relative(bench: Workbench, program: Path, folder: Path) -> None:
    """Names that only the working directory would resolve; each is approved."""
    before = Path.cwd()
    os.chdir(program.parent)
    try:
        for number, word in enumerate((program.name, f"./{program.name}", f"sub/../{program.name}")):
            await stored(bench, Transport(word), f"p{number}")
            with suppress(KnownError):
                await approved(bench, f"p{number}")
            with suppress(KnownError):
                await bench.gateway.activate(f"p{number}")
    finally:
        os.chdir(before)


async def swapped(bench: Workbench, link: Path, before: Path, after: Path, command: str) -> None:
    """A link is approved with one target, and then changed to another."""
    lead(link, before)
    await stored(bench, Transport(command))
    await approved(bench)
    lead(link, after)
    await tried(bench)


def lead(link: Path, target: Path) -> None:
    link.unlink(missing_ok=True)
    link.symlink_to(target)


async def other_target(bench: Workbench, program: Path, folder: Path) -> None:
    """The command is a link."""
    link = folder / "link"
    await swapped(bench, link, Path("/bin/true"), program, str(link))


async def other_middle(bench: Workbench, program: Path, folder: Path) -> None:
    """The command is a link to a link, and the latter is changed."""
    link, outer = folder / "middle", folder / "outer"
    outer.symlink_to(link)
    await swapped(bench, link, Path("/bin/true"), program, str(outer))


async def other_folder(bench: Workbench, program: Path, folder: Path) -> None:
    """A folder above the command is a link."""
    harmless = folder / "harmless"
    harmless.mkdir()
    (harmless / program.name).symlink_to("/bin/true")
    link = folder / "current"
    await swapped(bench, link, harmless, program.parent, str(link / program.name))


async def other_on_path(bench: Workbench, program: Path, folder: Path) -> None:
    """A bare name is found in a folder of PATH, and later in an earlier one."""
    late, early = folder / "late", folder / "early"
    for place, target in ((late, Path("/bin/true")), (early, program)):
        place.mkdir()
        (place / "a-server").symlink_to(target)
    before = os.environ["PATH"]
    try:
        os.environ["PATH"] = os.pathsep.join((str(late), before))
        await stored(bench, Transport("a-server"))
        await approved(bench)
        os.environ["PATH"] = os.pathsep.join((str(early), os.environ["PATH"]))
        await tried(bench)
    finally:
        os.environ["PATH"] = before


WAYS: dict[str, Callable[[Workbench, Path, Path], Awaitable[None]]] = {
    "that nobody said yes to": unasked,
    "whose command changed after the yes": changed_command,
    "with a yes to other words": other_words,
    "of a file that says yes itself": imported,
    "of a folder that was changed": from_folder,
    "with a relative path": relative,
    "whose link was swapped after the yes": other_target,
    "whose link leads to a link that was swapped": other_middle,
    "below a folder whose link was swapped": other_folder,
    "that another one hides on PATH after the yes": other_on_path,
}


def flipping(round_: Round) -> str:
    """A link alternates between the approved program and another one during starts."""
    program, mark = canary(round_.folder)
    link, fresh, is_over = round_.folder / "link", round_.folder / "fresh", Event()
    lead(link, Path("/bin/true"))

    def flip() -> None:
        while not is_over.is_set():
            for target in (program, Path("/bin/true")):
                fresh.symlink_to(target)
                fresh.replace(link)

    async def work() -> None:
        bench = make_workbench(Choices(round_.folder / "profile", pairs=NO_ENCODER))
        await bench.open(encoder=False, llm=False, watch=False)
        flipper = Thread(target=flip)
        try:
            await stored(bench, Transport(str(link)))
            await approved(bench)
            flipper.start()
            for _ in range(20):
                with suppress(KnownError):
                    await bench.gateway.activate("p")
        finally:
            is_over.set()
            flipper.join()
            await bench.close()

    asyncio.run(work())
    expect(not mark.exists(), "the other program was started")
    return "not once"


def not_started(way: Callable[[Workbench, Path, Path], Awaitable[None]], round_: Round) -> str:
    program, mark = canary(round_.folder, round_.chance.choice(("canary", "npx", "a b", "ünï")))

    async def work() -> None:
        bench = make_workbench(Choices(round_.folder / "profile", pairs=NO_ENCODER))
        await bench.open(encoder=False, llm=False, watch=False)
        try:
            await way(bench, program, round_.folder)
        finally:
            await bench.close()

    asyncio.run(work())
    expect(not mark.exists(), "it was started")
    expect(not mine(str(program)), "it runs")
    return "nothing started"


def with_its_yes(round_: Round) -> str:
    """Control: an approved program is started, directly or by a link.

    This shows that unapproved ones could have been started.
    """
    program, mark = canary(round_.folder)
    link = round_.folder / "link"
    lead(link, program)
    command = str(round_.chance.choice((program, link)))

    async def work() -> None:
        bench = make_workbench(Choices(round_.folder / "profile", pairs=(*NO_ENCODER, "powers.start_timeout_ms=1500")))
        await bench.open(encoder=False, llm=False, watch=False)
        try:
            await stored(bench, Transport(command))
            await approved(bench)
            await bench.gateway.activate("p")
        finally:
            await bench.close()

    asyncio.run(work())
    expect(mark.exists(), "with its yes it was not started")
    expect(not mine(str(program)), "it was left running")
    return "started"


def by_command(round_: Round) -> str:
    """Import by the command line, and all commands that read powers."""
    program, mark = canary(round_.folder)
    file, profile = round_.folder / "mcp.json", str(round_.folder / "profile")
    file.write_text(json.dumps({"mcpServers": {"canary": {"command": str(program)}}}), "utf-8")
    out = ["--output", str(round_.folder / "out.json"), "--profile", profile, *PAIRS]
    for words in (["import", str(file)], ["resolve", "canary"], ["inspect", "canary"], ["export", "--kind", "powers"]):
        front_door.main([*words, *out])
    expect(not mark.exists(), "a command started it")
    return "nothing started"


# --------------------------------------------------------------------------------------------- servers that misbehave


def mine(word: str) -> list[psutil.Process]:
    """Return the child processes with a word in their command line."""
    found = []
    for each in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if any(word in said for said in each.cmdline()):
                found.append(each)
    return found


def misbehaved(mode: str, round_: Round) -> str:
    """Started, called and stopped at some moment: bounded in time, and nothing is left."""
    order = ServerStart(mode, Transport(sys.executable, ("-I", "-S", str(SERVER), mode), {}), START_MS, CALL_MS)
    chance, begun = round_.chance, monotonic()

    async def work() -> str:
        try:
            server = await McpRunner().start(order)
        except PowerError as error:
            expect(str(error).strip(), "refused without a word")
            return "refused at the start"
        try:
            for name in chance.sample(["echo", "where", mode], 2):
                try:
                    answer = await server.call(name, {"text": "hello", "size": 3_000_000})
                except PowerError as error:
                    expect(str(error).strip(), "refused without a word")
                else:
                    expect(len(json.dumps(answer.content, default=str)) < 2_000_000, "an answer without a bound")
        finally:
            await server.stop()
        return "contained"

    outcome = asyncio.run(work())
    expect(monotonic() - begun < MOST_SECONDS, f"it took {monotonic() - begun:.0f} s")
    left = mine(str(SERVER))
    expect(not left, f"left behind: {left}")
    return outcome


ATTEMPTS = [
    *(Attempt("powers", f"a power {name}", partial(not_started, way), 2) for name, way in WAYS.items()),
    Attempt("powers", "a power whose link flips while it is started", flipping, 4),
    Attempt("powers", "the control: a power with its yes", with_its_yes, 8),
    Attempt("powers", "an import and every command that reads powers", by_command, 4),
    *(Attempt("powers", f"a server that misbehaves: {mode}", partial(misbehaved, mode), 4) for mode in MODES),
]

if sys.platform == "win32":
    ATTEMPTS = []
