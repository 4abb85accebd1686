"""Running powers (003): approval, states of servers, tools, results, pasted command lines."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from app.domain.library import Power, Transport

BARE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+", re.ASCII)
"""Words that need no quotes in a shell."""


STEERING = re.compile(
    r"PATH|PATHEXT|COMSPEC|SHELL|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|IFS|PS4|PROMPT_COMMAND|ZDOTDIR|CDPATH|HOME|USERPROFILE"
    r"|(?:LOCAL)?APPDATA|CLASSPATH|JAVA_HOME|(?:_JAVA|JAVA_TOOL|JDK_JAVA)_OPTIONS|GLIBC_TUNABLES|OPENSSL_.+|TCLLIBPATH"
    r"|(?:HTTPS?|ALL)_PROXY|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|DOCKER_(?:HOST|CONFIG|CONTEXT)|PHPRC"
    r"|KUBECONFIG|AWS_(?:CONFIG|SHARED_CREDENTIALS)_FILE|CLOUDSDK_.+|PSMODULEPATH|EDITOR|VISUAL|PAGER|BROWSER|LESS(?:OPEN|CLOSE)"
    r"|[A-Z]+_OPTS|\w+_PLUGIN_PATH|GTK_(?:PATH|MODULES)|GIO_EXTRA_MODULES"
    r"|(?:PYTHON|PERL|RUBY).+|NODE_(?!ENV$).+|GO(?:PATH|FLAGS|ROOT|PROXY|ENV|TOOLCHAIN|SUMDB)"
    r"|(?:LD|DYLD|GIT|SSH|NPM|COREPACK|YARN|PNPM|BUN|DENO|UV|PIP|PIPX|VIRTUAL|CONDA|GEM|BUNDLE|CARGO|RUSTUP|LUA|PHP|R"
    r"|GCONV|DOTNET|CORECLR|COR|COMPLUS|ELECTRON|JULIA|XDG|CURL|BASH_FUNC)_.+",
    re.IGNORECASE,
)
"""Variables that make an interpreter, linker, shell or client load or run something else."""

SECRET = re.compile(r"TOKEN|SECRET|PASSW|AUTH|CREDENTIAL|COOKIE|(?:^|[_-]|API)KEY", re.IGNORECASE)
ACCOUNT = re.compile(r"(?<=://)[^/@\s]+(?=@)")
"""The name and password in an address."""

MOST_STEERING, MOST_SIGNS = 20, 400
"""Maximum number of steering values shown, and of characters of each."""


@dataclass(frozen=True, slots=True)
class Launch:
    """Resolved program of a command on this machine, and the variables that steer it.

    `program` is the path that is run, `real` the file behind its links; both are "" where none is found, and
    `fault` says why. `steering` holds the values of variables of the power that choose what is run or loaded,
    `scripts` the digests of scripts in the command by path. Empty for an address.
    """

    program: str = ""
    real: str = ""
    steering: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""
    scripts: Mapping[str, str] = field(default_factory=dict)


NO_LAUNCH = Launch()


def steers(name: str) -> bool:
    """Return whether a variable of this name chooses what is run or loaded."""
    return STEERING.fullmatch(name) is not None


class ValueFrom(StrEnum):
    """Source of a variable's value when a power's server is started."""

    STORED = "stored"
    OWN = "own"
    """No value is stored; this program's own environment has one."""
    NOWHERE = "nowhere"
    """No value is stored, and this program's environment has none now."""


class ActivationBlocker(StrEnum):
    """Reason that prevents the activation of a power above the threshold."""

    COMMAND = "command"
    """Neither a command nor an address is given."""
    APPROVAL = "approval"


def activation_blocker(power: Power) -> ActivationBlocker | None:
    """Return the reason that prevents the activation of a power; None if it can be activated."""
    if power.is_text:
        return None
    if not approval_text(power.transport):
        return ActivationBlocker.COMMAND
    return None if power.approved else ActivationBlocker.APPROVAL


def approval_text(transport: Transport, launch: Launch = NO_LAUNCH) -> str:
    """Format what the user approves: command line or address, and names of variables or headers.

    "" if there is neither. Lines before it name the resolved program, where it differs, and the variables that
    steer it, with a warning. Different transports give different texts, and every character is visible: unprintable
    characters and direction marks are escaped.
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
    lines += [f"runs the script {quoted(path)}" for path in launch.scripts if path not in (command, *transport.args)]
    if launch.steering:
        lines.append("WARNING: these values choose what is run or loaded, whatever the command says:")
        found = sorted(launch.steering.items())
        for name, value in found[:MOST_STEERING]:
            is_secret = bool(SECRET.search(name) or SECRET.search(transport.named.get(name, "")))
            shown = "(hidden)" if is_secret else ACCOUNT.sub("(hidden)", value)
            more = f" and {len(shown) - MOST_SIGNS:,} more characters" if len(shown) > MOST_SIGNS else ""
            lines.append(f"  {quoted(name)}={'(hidden)' if is_secret else quoted(shown[:MOST_SIGNS])}{more}")
        if len(found) > MOST_STEERING:
            lines.append(f"  and {len(found) - MOST_STEERING} more")
    return lines


def quoted(word: str) -> str:
    if BARE.fullmatch(word):
        return word
    if word.isprintable() and word.isascii() and "'" not in word:
        return f"'{word}'"
    spelt = "".join(
        sign if sign.isprintable() and sign not in "'\\" else sign.encode("unicode_escape").decode() for sign in word
    )
    return "$'" + spelt.replace("'", "\\'") + "'"


# ---- Running powers: state of the server, its tools and its results (003)


def shown(text: str, most: int = 300) -> str:
    """Make untrusted text safe for a sentence: one line, printable characters, at most `most`."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text[: most * 4])
    line = " ".join(plain.split())
    return line if len(line) <= most and len(text) <= most * 4 else f"{line[: most - 1]}…"


class RunState(StrEnum):
    """States of a power's server."""

    STOPPED = "stopped"
    STARTING = "starting"
    RUNNING = "running"
    RESTARTING = "restarting"
    """It ended by itself and is started again after a pause."""
    FAILED = "failed"
    """It could not be started, or ended too often."""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """Tool as listed by its server: untrusted text; the schemas are JSON schemas."""

    name: str
    description: str = ""
    title: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=dict)
    output_schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class WireMessage:
    """MCP message with secrets masked: time in ms since the start, direction, JSON text."""

    ms: float
    sent: bool
    text: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Result of a tool; `content` holds MCP's content blocks as JSON; `cut`: some were left out."""

    content: tuple[Mapping[str, Any], ...] = ()
    structured: Mapping[str, Any] | None = None
    is_error: bool = False
    ms: float = 0.0
    cut: bool = False


@dataclass(frozen=True, slots=True)
class PowerRun:
    """State of one power's server, for the window and `list_powers`.

    `changed` names tools whose description or schema differs from what the user last saw; `sentence` is a problem
    and what to do. `started_ms` is the time of its last start, `idle_turns` counts queries since the last use.
    `memory_bytes` and `cpu_percent` include child processes; None if unknown.
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
    """Stored data of a power's runs.

    `approved` is a digest of the approved command line or address, "" for none. `tools` are the tools that its
    server listed last, `seen` the digests by name of tools that the user last saw (None: none yet). `last_used` is
    UTC, "2026-11-22 04:26:21".
    """

    approved: str = ""
    tools: tuple[ToolSchema, ...] = ()
    seen: Mapping[str, str] | None = None
    activations: int = 0
    calls: int = 0
    last_used: str | None = None


@dataclass(frozen=True, slots=True)
class Activation:
    """Result of activating a power (S5.4, S5.5); if not `started`, `reason` says why.

    `needs_approval` is the exact command line or address that the user must approve first, else "". `gives_text`:
    the power has no server, only its steering text.
    """

    power: Power
    started: bool
    tools: tuple[ToolSchema, ...] = ()
    reason: str | None = None
    needs_approval: str = ""
    ms: float = 0.0
    gives_text: bool = False


_SPACED = re.compile(r"\s")
_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_PROGRAM = re.compile(r"""^([A-Za-z]:[\\/]|\\\\|/)[^"']*?\.(exe|cmd|bat)(?=\s|$)""", re.IGNORECASE)
_PROMPT = re.compile(r"^\s*[$>%]\s+")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Parsed command line: the program, its arguments, and environment variables by name."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """Sentence that counts the arguments and variables of the parsed line."""
        count, variables = len(self.args), len(self.env)
        sentence = f"Taken apart: the command and {count} argument{'' if count == 1 else 's'}"
        if variables:
            sentence += f", {variables} variable{'' if variables == 1 else 's'}"
        return f"{sentence}."


def parse_command_line(text: str) -> CommandLine | None:
    """Parse a command line; None if it is only a program, or a quote is not closed.

    Quotes group words. A backslash is an ordinary character, as in Windows paths, except at the end of a line.
    """
    line = re.sub(r"[\\^`]\s*\n", " ", _PROMPT.sub("", text)).strip()
    program = _PROGRAM.match(line)
    if not _SPACED.search(line) or (program is not None and program.end() == len(line)):
        return None
    words = words_of(line[program.end() if program is not None else 0 :])
    if words is None:
        return None
    env: dict[str, str] = {}
    while program is None and len(words) > 1 and _ASSIGNED.match(words[0]):
        name, _, value = words.pop(0).partition("=")
        env[name] = value
    command = program.group() if program is not None else words.pop(0)
    return CommandLine(command, tuple(words), env)


def words_of(text: str) -> list[str] | None:
    """Split a line into words as a shell does, without escapes; None if a quote is not closed."""
    reader = shlex.shlex(text, posix=True, punctuation_chars=False)
    reader.whitespace_split, reader.escape, reader.commenters = True, "", ""
    try:
        return list(reader)
    except ValueError:
        return None
