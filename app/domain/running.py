"""Running powers (003): what is approved before a start, the state of servers, tools and their results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from app.domain.library import Power, Transport

BARE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+", re.ASCII)
"""Words that a shell, and a reader, takes as they are."""


STEERING = re.compile(
    r"PATH|PATHEXT|COMSPEC|SHELL|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|IFS|PS4|PROMPT_COMMAND|ZDOTDIR|CDPATH|HOME|USERPROFILE"
    r"|(?:LOCAL)?APPDATA|CLASSPATH|JAVA_HOME|(?:_JAVA|JAVA_TOOL|JDK_JAVA)_OPTIONS|GLIBC_TUNABLES|OPENSSL_CONF|TCLLIBPATH"
    r"|(?:HTTPS?|ALL)_PROXY|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|DOCKER_(?:HOST|CONFIG|CONTEXT)|PHPRC"
    r"|(?:PYTHON|PERL|RUBY).+|NODE_(?!ENV$).+|GO(?:PATH|FLAGS|ROOT|PROXY|ENV)"
    r"|(?:LD|DYLD|GIT|SSH|NPM|COREPACK|YARN|PNPM|BUN|DENO|UV|PIP|PIPX|VIRTUAL|CONDA|GEM|BUNDLE|CARGO|RUSTUP|LUA|PHP|R"
    r"|GCONV|DOTNET|CORECLR|COR|COMPLUS|ELECTRON|JULIA|XDG|CURL|BASH_FUNC)_.+",
    re.IGNORECASE,
)
"""Names of variables that make an interpreter, a linker, a shell or a package runner run or load something else."""

SECRET = re.compile(r"TOKEN|SECRET|PASSW|AUTH|CREDENTIAL|(?:^|_)KEY", re.IGNORECASE)
ACCOUNT = re.compile(r"(?<=://)[^/@\s]+(?=@)")
"""The name and password in an address."""

MOST_STEERING, MOST_SIGNS = 20, 400
"""So many steering values are shown, and so much of each; beyond, that there is more."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What starting a command comes to on this machine: the program that its name stands for, and what steers it.

    `program` is the path that is run, `real` the file behind its links; both are "", and `fault` says why, where there
    is none. `steering` are the values of those variables that the power names and that choose what is run or loaded.
    An address has nothing of all this.
    """

    program: str = ""
    real: str = ""
    steering: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""


NO_LAUNCH = Launch()


def steers(name: str) -> bool:
    """Whether a variable of this name chooses what is run or loaded."""
    return STEERING.fullmatch(name) is not None


class ValueFrom(StrEnum):
    """Where the value of a variable that a power names comes from when its server is started."""

    STORED = "stored"
    OWN = "own"
    """No value is stored: it is what this program was started with."""
    NOWHERE = "nowhere"
    """No value is stored, and this program was started with none; with the next it may be."""


class ActivationBlocker(StrEnum):
    """What blocks the activation of a power that is confident enough."""

    COMMAND = "command"
    """Neither a command nor an address is given."""
    APPROVAL = "approval"


def activation_blocker(power: Power) -> ActivationBlocker | None:
    """What blocks the activation of a power; None for nothing."""
    if power.is_text:
        return None
    if not approval_text(power.transport):
        return ActivationBlocker.COMMAND
    return None if power.approved else ActivationBlocker.APPROVAL


def approval_text(transport: Transport, launch: Launch = NO_LAUNCH) -> str:
    """The command line or the address, and the names of the environment or headers; "" if there is neither.

    Before it stands what it comes to on this machine, where the words do not say so themselves: the program that is
    run, and a warning with all that steers it.

    Two transports that are not the same have two texts, and every sign of them can be seen: what does not print, or
    turns the direction of writing, is spelt out.
    """
    if transport.command:
        line = " ".join(map(quoted, (transport.command, *transport.args)))
    elif transport.url:
        line = quoted(transport.url)
    else:
        return ""
    lines = [*_launch_lines(transport, launch), line] if transport.command else [line]
    given = sorted(transport.named.items())
    names = ", ".join(f"{quoted(name)}={quoted(value)}" if value else quoted(name) for name, value in given)
    if names:
        lines.append(f"with {names}" if transport.command else f"with the headers {names}")
    return "\n".join(lines)


def _launch_lines(transport: Transport, launch: Launch) -> list[str]:
    command, lines = transport.command or "", []
    if launch.fault:
        lines.append("runs nothing now: this program is not found, and you are asked again once it is")
    elif launch.program != launch.real:
        lines.append(f"runs {quoted(launch.program)}, which is {quoted(launch.real)}")
    elif launch.program not in ("", command):
        lines.append(f"runs {quoted(launch.program)}")
    if launch.steering:
        lines.append("WARNING: these values choose what is run or loaded, whatever the command says:")
        found = sorted(launch.steering.items())
        for name, value in found[:MOST_STEERING]:
            is_secret = bool(SECRET.search(name) or SECRET.search(transport.named.get(name, "")))
            lines.append(f"  {quoted(name)}={'(hidden)' if is_secret else _shown_value(value)}")
        if len(found) > MOST_STEERING:
            lines.append(f"  and {len(found) - MOST_STEERING} more")
    return lines


def _shown_value(value: str) -> str:
    """The value of a steering variable; an account in an address stays hidden."""
    value = ACCOUNT.sub("(hidden)", value)
    more = f" and {len(value) - MOST_SIGNS:,} more characters" if len(value) > MOST_SIGNS else ""
    return quoted(value[:MOST_SIGNS]) + more


def quoted(word: str) -> str:
    """One word as it would be written for a shell."""
    if BARE.fullmatch(word):
        return word
    if word.isprintable() and word.isascii() and "'" not in word:
        return f"'{word}'"
    spelt = "".join(
        sign if sign.isprintable() and sign not in "'\\" else sign.encode("unicode_escape").decode() for sign in word
    )
    return "$'" + spelt.replace("'", "\\'") + "'"


# --------------------------------------------------------------------------------------------------------------------
# Powers that run: what their server is doing, what it can do, and what it answered (003)


def shown(text: str, most: int = 300) -> str:
    """Untrusted text as it may stand in a sentence: one line without signs that steer, cut where it is long."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text[: most * 4])
    line = " ".join(plain.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


class RunState(StrEnum):
    """The states of a power's server."""

    STOPPED = "stopped"
    STARTING = "starting"
    RUNNING = "running"
    RESTARTING = "restarting"
    """It ended by itself and is started again after a pause."""
    FAILED = "failed"
    """It could not be started, or ended too often."""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """One tool as its server tells it: untrusted text. `input_schema` and `output_schema` are JSON schemas."""

    name: str
    description: str = ""
    title: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=dict)
    output_schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class WireMessage:
    """One message on the wire, secrets masked: when (ms since the start), its direction, its JSON text, cut if long."""

    ms: float
    sent: bool
    text: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered. `content` are MCP's content blocks as JSON, bounded; `cut` says that some was left out."""

    content: tuple[Mapping[str, Any], ...] = ()
    structured: Mapping[str, Any] | None = None
    is_error: bool = False
    ms: float = 0.0
    cut: bool = False


@dataclass(frozen=True, slots=True)
class PowerRun:
    """The state of one power's server, frozen: what the window draws and `list_powers` tells.

    `changed` names tools whose description or schema is another than at the last start that a person saw; `sentence`
    says what went wrong or is odd, with what to do. `started_ms` is how long its last start took, `idle_turns` counts
    queries since the last use. `memory_bytes` and `cpu_percent` are of the child and its children; None where that
    cannot be told.
    """

    power: str
    state: RunState = RunState.STOPPED
    sentence: str = ""
    server: str = ""
    protocol: str = ""
    tools: tuple[ToolSchema, ...] = ()
    changed: tuple[str, ...] = ()
    started_ms: float | None = None
    pid: int | None = None
    memory_bytes: int | None = None
    cpu_percent: float | None = None
    idle_turns: int = 0
    calls: int = 0
    restarts: int = 0


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What is kept of a power's runs from one start of the program to the next.

    `approved` is a digest of the command line or address that a person said yes to, "" if nobody did. `tools` are the
    tools that its server listed last, `seen` the digests by name of those that a person saw last (None: none yet).
    `last_used` is UTC, "2026-11-22 04:26:21".
    """

    approved: str = ""
    tools: tuple[ToolSchema, ...] = ()
    seen: Mapping[str, str] | None = None
    activations: int = 0
    calls: int = 0
    last_used: str | None = None


@dataclass(frozen=True, slots=True)
class Activation:
    """The result of activating a power (S5.4, S5.5). `started` is False with a `reason` where nothing runs.

    `needs_approval` is the exact command line, or the address, that a person has to say yes to first; else "".
    `gives_text`: nothing is to be started, since the power is its steering text.
    """

    power: Power
    started: bool
    tools: tuple[ToolSchema, ...] = ()
    reason: str | None = None
    needs_approval: str = ""
    ms: float = 0.0
    gives_text: bool = False
