"""Child process with its descendants: started under a supervisor, measured, and ended."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import file_digest
from itertools import chain, islice, product
from pathlib import Path

import anyio
import psutil
from anyio.abc import ByteReceiveStream, Process

from app.adapters.mcp import supervisor
from app.domain.errors import PowerError
from app.domain.library import Transport
from app.domain.references import Reference, is_reference, open_places, references_in, resolved
from app.domain.running import Launch, steers
from app.ports.power import Load

FRONT_DOOR = "--keep-process"
"""Argument that turns a bundle, which has no separate Python, into the supervisor."""

NEEDED_BY_WINDOWS = """
    APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME
    USERPROFILE WINDIR
"""

PASSED = ("HOME", "LANG", "PATH", *(NEEDED_BY_WINDOWS.split() if sys.platform == "win32" else ()))
"""Variables passed to a server, beside those that its power names."""

CLOSING_SECONDS = 0.4
"""Time for a server to end after its standard input is closed, as MCP requires, in seconds."""

ENDING_SECONDS = supervisor.GRACE_SECONDS + 0.5
"""Time for the supervisor to end the rest, in seconds, before it is killed."""

DRAINING_SECONDS = 0.2
"""Time to read an ended program's output, in seconds; another process may hold the pipes."""

ORPHANS_SECONDS = 3.0
"""Time to look for orphans of a killed supervisor, in seconds."""

POLL_SECONDS = 0.01

ORPHANS = supervisor.Orphans()


class Child:
    """Running program: its pipes, and how to end it. Made by `begin`."""

    def __init__(self, process: Process, holding: int | None) -> None:
        self._process = process
        self._holding = holding
        """End of the pipe that closes with this program; the supervisor has the other."""
        self._has_ended = False
        self._measured: psutil.Process | None = None
        with suppress(psutil.NoSuchProcess):  # already killed by its server
            self._measured = psutil.Process(process.pid)
        self._seen: dict[int, psutil.Process] = {}
        assert process.stdin is not None, "opened with pipes"
        assert process.stdout is not None, "opened with pipes"
        assert process.stderr is not None, "opened with pipes"
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr

    @property
    def pid(self) -> int:
        """Process id of the supervisor, the parent of the server."""
        return self._process.pid

    @property
    def code(self) -> int | None:
        """Exit code, 128 and more for signals; None while it runs."""
        return self._process.returncode

    async def wait(self, seconds: float) -> bool:
        """Return whether it ends within this time; its pipes may stay open."""
        for _ in range(round(seconds / POLL_SECONDS)):
            if self._process.returncode is not None:
                return True
            await anyio.sleep(POLL_SECONDS)
        return self._process.returncode is not None

    async def end(self) -> None:
        """Let it end by itself briefly, then end it with its descendants. No other reader allowed."""
        with anyio.CancelScope(shield=True):
            async with anyio.create_task_group() as group:
                for stream in (self.stdout, self.stderr):
                    group.start_soon(_drain, stream)  # a process blocked in writing cannot end
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
        """End the descendants of a killed supervisor."""
        for _ in range(round(ORPHANS_SECONDS / POLL_SECONDS)):
            if not (ORPHANS.end() or ORPHANS.end()):  # a list that changes while it is read may be incomplete
                break
            await anyio.sleep(POLL_SECONDS)
        if not self._has_ended:
            self._has_ended = True
            ORPHANS.expect_no_more()

    def let_go(self) -> None:
        """Make the supervisor end everything, without waiting."""
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
        """Return the resources of the server's processes; None once ended. Blocks for some ms."""
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
                percent += each.cpu_percent(None)  # since the previous call on this object
        return Load(memory, percent)


async def _drain(stream: ByteReceiveStream) -> None:
    with suppress(OSError, anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
        while True:
            await stream.receive()


def environment(named: Mapping[str, str], own: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return a server's environment: programs, home, language, and its power's variables.

    A name without a value gets this program's own; a reference is resolved, or left out if unset.
    """
    found = {name: own[name] for name in PASSED if name in own and not own[name].startswith("()")}
    found |= {name: own[name] for name, value in named.items() if not value and name in own}
    return found | with_own(named, own)


def with_own(named: Mapping[str, str], own: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the given values with references resolved, without empty and unresolved ones."""
    found = {}
    for name, value in named.items():
        with suppress(KeyError):
            found[name] = resolved(value, own) if is_reference(value, name) else value
    return {name: value for name, value in found.items() if value}


SHELLS = frozenset("sh bash dash zsh ksh fish cmd powershell pwsh".split())
"""Programs that expand variables in arguments themselves."""


def resolved_transport(transport: Transport, own: Mapping[str, str] = os.environ) -> Transport:
    """Return the transport with variables in its texts resolved by this program's environment.

    Variables passed to the server, and a shell's, are left to it. Raises PowerError for a missing variable or a
    placeholder.
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
    return Transport(command, args, named if command else dict.fromkeys(named, "") | with_own(named, own), url)


def _filled(text: str | None) -> str:
    """Return the text; raises PowerError if it has a placeholder."""
    if text and (places := open_places(text)):
        raise PowerError(f"{places[0]} has to be filled in: write what it stands for there, on the power's page.")
    return text or ""


def found_command(command: str, env: Mapping[str, str]) -> str:
    """Find the program of a command; raises PowerError if there is none.

    Never in the current folder, which the user did not see when approving.
    """
    place = Path(command).expanduser() if command.startswith("~") else Path(command)
    has_folder = place.drive or any(sign in command for sign in (os.sep, os.altsep or os.sep))
    if has_folder and not place.is_absolute():
        raise PowerError(f"The command “{command}” is a relative path: give its full path in the power.")
    folders = [folder for folder in env.get("PATH", os.defpath).split(os.pathsep) if Path(folder).is_absolute()]
    found = shutil.which(str(place) if place.is_absolute() else command, path=os.pathsep.join(folders))
    if found is None or not Path(found).is_absolute():  # Windows searches its own folder first
        where = "is not there or cannot be run" if len(place.parts) > 1 else "was not found on the PATH"
        raise PowerError(f"The command “{command}” {where}: install it, or give its full path in the power.")
    return found


def launch_of(transport: Transport, own: Mapping[str, str] = os.environ) -> Launch:
    """Resolve the start of a transport on this machine, for `begin`; accesses the disk."""
    if not transport.command:
        return Launch()
    env = environment(transport.env, own)
    steering = {name: env[name] for name in transport.env if name in env and steers(name)}
    try:
        program = found_command(resolved_transport(Transport(transport.command), own).command or "", env)
    except PowerError as error:
        return Launch(steering=steering, fault=str(error))
    return Launch(program, os.path.realpath(program), steering, scripts=_scripts(transport, env, own))


SCRIPTS = frozenset(
    ".bash .bat .cjs .cmd .fish .jar .js .lua .mjs .mts .php .pl .ps1 .py .r .rb .sh .ts .tsx .zsh".split()
)


QUOTED, BETWEEN_WORDS = re.compile(r"""\"([^"]*)"|'([^']*)'"""), re.compile(r"""[\s"'`=;|&()<>]+""")
"""Text in quotes, and what ends a word in a text for a shell: quotes within, "=" of `--name=value`."""

MOST_FOLDERS = 16
"""Maximum number of folders in which relative scripts are looked up: each costs a look for every word."""


def _scripts(transport: Transport, env: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Return the digests of the scripts that a command names, by path.

    Relative ones are at home or in another named folder. Words of a shell's text count too.
    """
    found, home = dict[str, str](), _home(env) or os.sep
    with suppress(PowerError):  # the start raises it
        made = resolved_transport(transport, own)
        inner = chain(*((*BETWEEN_WORDS.split(text), *map("".join, QUOTED.findall(text))) for text in made.args))
        words = [*made.args, *(re.sub(r"^(?:~|\$HOME|\$\{HOME\})(?=/)", lambda _: home, word) for word in inner)]
        named = dict.fromkeys(word for word in ("", *words) if os.path.isdir(os.path.join(home, word)))  # noqa: PTH112, PTH118
        words += [made.command] if made.command and os.sep in made.command else []
        for folder, word in product(islice(named, MOST_FOLDERS), dict.fromkeys(words)):
            file = Path(home, folder, word)
            with suppress(OSError, ValueError):
                if str(file) not in found and file.is_file():
                    with file.open("rb") as stream:
                        if stream.read(2) == b"#!" or file.suffix.lower() in SCRIPTS:
                            stream.seek(0)
                            found[str(file)] = file_digest(stream, "sha256").hexdigest()
    return found


async def begin(launch: Launch, args: Sequence[str], env: Mapping[str, str]) -> Child:
    """Start a resolved program under a supervisor in its home folder; raises PowerError.

    Its name is not resolved again.
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
                os.close(holding)  # also on cancellation: an already running supervisor then ends
    return child


def _supervisor() -> list[str]:
    """Return the command of the supervisor: a bare Python starts in about 20 ms."""
    if getattr(sys, "frozen", False):
        return [sys.executable, FRONT_DOOR]
    return [sys.executable, *(["-I"] if sys.platform == "win32" else ["-I", "-S"]), supervisor.__file__]


def _home(env: Mapping[str, str]) -> str | None:
    home = env.get("HOME") or env.get("USERPROFILE")
    return home if home and Path(home).is_dir() else None


def ending(code: int | None) -> str:
    """Describe how a program ended, to follow "it"."""
    if code is None:
        return "closed its output"
    if code > 128 and code - 128 in {each.value for each in signal.Signals}:
        return f"was ended by {signal.Signals(code - 128).name}"
    return "ended" if code == 0 else f"ended with exit code {code}"
