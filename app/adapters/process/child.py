"""A process of somebody else's program, with all that it starts: begun under a supervisor, measured, ended whole."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import anyio
import psutil
from anyio.abc import ByteReceiveStream, Process

from app.adapters.process import supervisor
from app.domain.errors import PowerError
from app.domain.library import Transport
from app.domain.references import Reference, is_reference, open_places, references_in, resolved
from app.domain.running import Launch, steers
from app.ports.power import Load

FRONT_DOOR = "--keep-process"
"""The word by which a bundle, which has no other Python, becomes the supervisor."""

NEEDED_BY_WINDOWS = """
    APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME
    USERPROFILE WINDIR
"""

PASSED = ("HOME", "LANG", "PATH", *(NEEDED_BY_WINDOWS.split() if sys.platform == "win32" else ()))
"""All that a server gets of this program's environment, beside what its power names."""

CLOSING_SECONDS = 0.4
"""So long a server may take to end by itself once its standard input is closed (MCP's own way to say farewell)."""

ENDING_SECONDS = supervisor.GRACE_SECONDS + 0.5
"""So long the supervisor may take to end the rest, before it is killed itself."""

DRAINING_SECONDS = 0.2
"""So long what an ended program has written may take to be read; then somebody else holds its pipes."""

ORPHANS_SECONDS = 3.0
"""So long orphans of a killed supervisor are looked for that keep starting others."""

POLL_SECONDS = 0.01

ORPHANS = supervisor.Orphans()


class Child:
    """A running program: its pipes, and the way to end it. Made by `begin`."""

    def __init__(self, process: Process, holding: int | None) -> None:
        self._process = process
        self._holding = holding
        """The end of the pipe that closes with this program; the supervisor has the other."""
        self._has_ended = False
        self._measured: psutil.Process | None = None
        with suppress(psutil.NoSuchProcess):  # whose server has killed it before this line
            self._measured = psutil.Process(process.pid)
        self._seen: dict[int, psutil.Process] = {}
        assert process.stdin is not None, "opened with pipes"
        assert process.stdout is not None, "opened with pipes"
        assert process.stderr is not None, "opened with pipes"
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr

    @property
    def pid(self) -> int:
        """The supervisor's number: the server and all it started are below it."""
        return self._process.pid

    @property
    def code(self) -> int | None:
        """The exit code, 128 and more for signals; None while it runs."""
        return self._process.returncode

    async def wait(self, seconds: float) -> bool:
        """Whether it has ended within so many seconds; its pipes may still be open."""
        for _ in range(round(seconds / POLL_SECONDS)):
            if self._process.returncode is not None:
                return True
            await anyio.sleep(POLL_SECONDS)
        return self._process.returncode is not None

    async def end(self) -> None:
        """Let it end by itself for a moment, then end it with everything below it. Nobody else may read its output."""
        with anyio.CancelScope(shield=True):
            async with anyio.create_task_group() as group:
                for stream in (self.stdout, self.stderr):
                    group.start_soon(_drain, stream)  # who is stuck in writing cannot end
                with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                    await self.stdin.aclose()
                await self.wait(CLOSING_SECONDS)
                self.let_go()
                if not await self.wait(ENDING_SECONDS):
                    self._kill()
                    await self.wait(ENDING_SECONDS)
                await self._end_orphans()
                group.cancel_scope.deadline = anyio.current_time() + DRAINING_SECONDS
            for stream in (self.stdout, self.stderr):
                await stream.aclose()

    async def _end_orphans(self) -> None:
        """End what the supervisor should have ended, had it not been killed."""
        for _ in range(round(ORPHANS_SECONDS / POLL_SECONDS)):
            if not (ORPHANS.end() or ORPHANS.end()):  # a list that changes while it is read may lack one
                break
            await anyio.sleep(POLL_SECONDS)
        if not self._has_ended:
            self._has_ended = True
            ORPHANS.expect_no_more()

    def let_go(self) -> None:
        """Have the supervisor end everything, without waiting for it."""
        if self._holding is not None:
            os.close(self._holding)
            self._holding = None
        elif sys.platform == "win32":
            self._kill()

    def _kill(self) -> None:
        if self._measured is None:
            return
        with suppress(psutil.Error):
            for each in (*self._measured.children(recursive=True), self._measured):
                with suppress(psutil.Error):
                    each.kill()

    def load(self) -> Load | None:
        """What all below the supervisor take, without the supervisor; blocks for some ms. None once it has ended."""
        memory, percent = 0, 0.0
        if self._measured is None:
            return None
        try:
            below = {each.pid: each for each in self._measured.children(recursive=True)}
        except psutil.Error:
            return None
        self._seen = {pid: self._seen.get(pid, each) for pid, each in below.items()}
        for each in self._seen.values():
            with suppress(psutil.Error):
                memory += each.memory_info().rss
                percent += each.cpu_percent(None)  # since the last time that this same object was asked
        return Load(memory, percent)


async def _drain(stream: ByteReceiveStream) -> None:
    with suppress(OSError, anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
        while True:
            await stream.receive()


def environment(named: Mapping[str, str], own: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What a server gets: where programs, home and language are, and what its power names.

    A name without a value gets this program's own, where that has one; a reference is replaced by what it stands for,
    and left out where that is not set.
    """
    found = {name: own[name] for name in PASSED if name in own and not own[name].startswith("()")}
    found |= {name: own[name] for name, value in named.items() if not value and name in own}
    return found | with_own(named, own)


def with_own(named: Mapping[str, str], own: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The values that are given, references resolved; what has none, or refers to what is not set, is left out."""
    found = {}
    for name, value in named.items():
        with suppress(KeyError):
            found[name] = resolved(value, own) if is_reference(value, name) else value
    return {name: value for name, value in found.items() if value}


SHELLS = frozenset("sh bash dash zsh ksh fish cmd powershell pwsh".split())
"""Programs that replace variables in their arguments themselves."""


def resolved_transport(transport: Transport, own: Mapping[str, str] = os.environ) -> Transport:
    """The transport with the variables that its texts name replaced by their values in this program's environment.

    A variable that the server gets by name stays for the server to replace, and a shell gets those of its arguments.
    PowerError where a needed variable is not set, or a place has still to be filled in.
    """
    own = {**own, "userHome": own.get("HOME") or own.get("USERPROFILE") or ""}
    named = dict(transport.env)
    if transport.command and Path(transport.command).stem.lower() in SHELLS:
        plain = (one.name for text in transport.args for one in references_in(text) if one.is_plain)
        named = dict.fromkeys((name for name in plain if not steers(name)), "") | named
    values = {**with_own(named, own), **own}

    def stays(reference: Reference) -> bool:
        unset = reference.is_bare and not values.get(reference.name)
        return reference.is_plain and (reference.name in named or unset)

    try:
        command = resolved(_filled(transport.command), values) or None
        args = tuple(resolved(_filled(argument), values, stays) for argument in transport.args)
        url = resolved(_filled(transport.url), values) or None
    except KeyError as error:
        raise PowerError(
            f"The variable {error.args[0]} is not set, which the arguments or the address name: set it before "
            "Intentscope starts, or write its value in its place on the power's page."
        ) from None
    headers = dict.fromkeys(named, "") | with_own(named, own)
    return Transport(command, args, named if command else headers, url)


def _filled(text: str | None) -> str:
    """The text; PowerError where a person has to fill in part of it."""
    if text and (places := open_places(text)):
        raise PowerError(f"{places[0]} has to be filled in: write what it stands for there, on the power's page.")
    return text or ""


def found_command(command: str, env: Mapping[str, str]) -> str:
    """The program that a command names; PowerError if there is none.

    Never one that lies where this program happened to be started: who said yes to a command did not see that folder.
    """
    place = Path(command).expanduser() if command.startswith("~") else Path(command)
    has_folder = place.drive or any(sign in command for sign in (os.sep, os.altsep or os.sep))
    if has_folder and not place.is_absolute():
        raise PowerError(f"The command “{command}” is a relative path: give its full path in the power.")
    folders = [folder for folder in env.get("PATH", os.defpath).split(os.pathsep) if Path(folder).is_absolute()]
    found = shutil.which(str(place) if place.is_absolute() else command, path=os.pathsep.join(folders))
    if found is None or not Path(found).is_absolute():  # Windows looks into its own folder first
        where = "is not there or cannot be run" if len(place.parts) > 1 else "was not found on the PATH"
        raise PowerError(f"The command “{command}” {where}: install it, or give its full path in the power.")
    return found


def launch_of(transport: Transport, own: Mapping[str, str] = os.environ) -> Launch:
    """What starting a transport comes to here and now, for `begin`; looks at the disk."""
    if not transport.command:
        return Launch()
    env = environment(transport.env, own)
    steering = {name: env[name] for name in transport.env if name in env and steers(name)}
    try:
        program = found_command(resolved_transport(Transport(transport.command), own).command or "", env)
    except PowerError as error:
        return Launch(steering=steering, fault=str(error))
    return Launch(program, os.path.realpath(program), steering)


async def begin(launch: Launch, args: Sequence[str], env: Mapping[str, str]) -> Child:
    """Start a program that `launch_of` found under a supervisor, in its home folder; PowerError if the system refuses.

    Its name is not looked up again.
    """
    watched, holding = (None, None) if sys.platform == "win32" else os.pipe()
    words = [*_supervisor(), str(os.getpid() if watched is None else watched), launch.real, launch.program, *args]
    child: Child | None = None
    ORPHANS.expect()
    try:
        process = await anyio.open_process(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            cwd=_home(env),
            start_new_session=True,
            pass_fds=() if watched is None else (watched,),
        )
        child = Child(process, holding)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise PowerError(f"The command “{launch.program}” could not be started: {why}.") from error
    finally:
        if watched is not None:
            os.close(watched)
        if child is None:
            ORPHANS.expect_no_more()
            if holding is not None:
                os.close(holding)  # also where this was given up half-way: a supervisor that is there by now then ends
    return child


def _supervisor() -> list[str]:
    """The words that start the supervisor: a bare Python takes some 20 ms."""
    if getattr(sys, "frozen", False):
        return [sys.executable, FRONT_DOOR]
    apart = ["-I"] if sys.platform == "win32" else ["-I", "-S"]
    return [sys.executable, *apart, supervisor.__file__]


def _home(env: Mapping[str, str]) -> str | None:
    home = env.get("HOME") or env.get("USERPROFILE")
    return home if home and Path(home).is_dir() else None


def ending(code: int | None) -> str:
    """How a program ended, in words that follow "it"."""
    if code is None:
        return "closed its output"
    if code > 128 and code - 128 in {each.value for each in signal.Signals}:
        return f"was ended by {signal.Signals(code - 128).name}"
    return "ended" if code == 0 else f"ended with exit code {code}"
