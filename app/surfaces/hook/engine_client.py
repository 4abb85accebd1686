"""Client of a running engine, which answers the hook and query commands for this process.

Only a few modules of the standard library are imported: the whole process should take 0.2 s.
"""

from __future__ import annotations

import os
import sys
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.surfaces.local_socket import SocketClient

NAME = "engine-2"
"""Name of an engine's lock and address files, with the protocol version.

A client and an engine of different versions, such as after an update, do not meet.
"""

MOST_INPUT_BYTES = 2**20
"""Limit of bytes read from stdin."""

CONNECT_SECONDS, ACKNOWLEDGE_SECONDS = 0.2, 0.9
"""Time-outs in seconds; without acknowledgement an engine counts as hung."""

MOST_SECONDS = 60.0
"""Longest time in seconds that an engine may announce: the longest budget of a hook."""

LONGEST_SECONDS = 300.0
"""Longest time in seconds to an answer, however often an engine announces more."""

PROFILE, HOOK, JSON = "--profile", "hook", "--json"

QUERY_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "detect": (),
    "inspect": (),
    "resolve": ("--no-start",),
    "route": (),
    "why-not": ("--expect",),
}
"""Commands that an engine answers, with the options that it supports for each."""

OPTIONS_WITH_VALUE = {PROFILE, "--expect"}

OWN_PREFIX, HARMLESS_PREFIX = "INTENTSCOPE_", "INTENTSCOPE_SERVE_"
FOREIGN_PREFIXES = ("SUBCOG_SEARCH_INTENT_", "OLLAMA_HOST")
"""Prefixes of environment variables that are settings; HARMLESS_PREFIX changes no answer."""

VALUED = (PROFILE, "--library", "--settings", "--set", "--output", "--exit-after", "--query")
"""Options before a command that take the next word."""

WAIT, ANSWERED, OTHER_VERSION, BUSY = "wait", "answered", "other-version", "busy"
OTHER_SETTINGS, UNASKED = "other-settings", "unasked"
"""Outcomes of a request.

BUSY: the engine cannot answer in time. UNASKED: the process has to answer itself, such as to start a power until its
end.
"""

ABSENT = "absent"
"""Outcome without an engine. Any other outcome is a fault in words."""

EXPECTED_OUTCOMES = {ABSENT, OTHER_SETTINGS, UNASKED}
"""Outcomes without an answer that are expected, and not reported."""

LIKELY_AGE, MOST_AGE = 0.1, 60.0
"""Usual and largest plausible age of a process, in seconds, at its first lines."""


def version_stamp() -> list[object]:
    """Return the version stamp of this installation: engines only answer clients of their own."""
    path = os.path.realpath(sys.executable if getattr(sys, "frozen", False) else __file__)
    found = os.stat(path)
    return [path, found.st_ino, found.st_mtime_ns, found.st_size]


def process_age() -> float:
    """Return the age of the process in seconds; an estimate if the system has no quick answer."""
    try:
        with open("/proc/self/stat", "rb") as stat, open("/proc/uptime", "rb") as uptime:
            began = int(stat.read().rpartition(b")")[2].split()[19])
            found = float(uptime.read().split()[0]) - began / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return LIKELY_AGE
    return found if LIKELY_AGE <= found <= MOST_AGE else LIKELY_AGE


def setting_variables(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment variables that change answers; the engine's must be equal."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith((OWN_PREFIX, *FOREIGN_PREFIXES)) and not name.startswith(HARMLESS_PREFIX)
    }


def has_own_settings() -> bool:
    """Check if the environment has settings: an engine started with them would not suit others."""
    return any(name.startswith(OWN_PREFIX) for name in setting_variables(os.environ))


def first_word(words: Sequence[str]) -> int | None:
    """Return the index of the first word that is no option and no option's value."""
    place = 0
    while place < len(words):
        word = words[place]
        if word == "--":
            return None
        if not word.startswith("-") or word == "-":
            return place
        place += 2 if word in VALUED else 1
    return None


def is_hook_command(words: Sequence[str]) -> bool:
    place = first_word(words)
    return place is not None and words[place] == HOOK


def is_hook(words: Sequence[str]) -> bool:
    """Check if these words are a prompt hook that a running engine can answer."""
    ways = [HOOK], [HOOK, PROFILE, *words[2:3]], [PROFILE, *words[1:2], HOOK]
    return list(words) in ways and profile_in(words) != ""


def is_query_command(words: Sequence[str]) -> bool:
    """Check if these words are a query command that a running engine can answer."""
    plain, options = _split(words)
    if len(plain) != 2 or plain[0] not in QUERY_COMMANDS or any(not value for value in options.values()):
        return False
    own = QUERY_COMMANDS[plain[0]]
    return set(options) <= {PROFILE, JSON, *own} and ("--expect" in options or "--expect" not in own)


def is_server(words: Sequence[str]) -> bool:
    """Check if these words start the MCP server on standard streams, without a mistake."""
    plain, options = _split(words)
    return plain == ["mcp"] and set(options) <= {PROFILE} and all(options.values())


def _split(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return positional words, and options with values; a repeated option has the value ""."""
    plain: list[str] = []
    options: dict[str, str] = {}
    waiting = iter(words)
    for word in waiting:
        if not word.startswith("-"):
            plain.append(word)
        else:
            value = next(waiting, "") if word in OPTIONS_WITH_VALUE else word
            options[word] = "" if word in options or (value.startswith("-") and word in OPTIONS_WITH_VALUE) else value
    return plain, options


def profile_in(words: Sequence[str]) -> str | None:
    """Return the value of --profile; None for the default profile."""
    return words[words.index(PROFILE) + 1] if PROFILE in words[:-1] else None


def ask_engine(words: Sequence[str], default_profile: Callable[[], str]) -> int | None:
    """Let the running engine answer a command; return the exit code, or None without an answer.

    Failures are reported on stderr, except a missing or unsuitable engine.
    """
    folder = profile_in(words) or default_profile()
    if not has_address(folder):
        return None
    outcome, answer = request(folder, {"words": list(words)})
    if answer is None:
        tell(outcome)
        return None
    code, out, err = answer
    sys.stderr.write(err)
    sys.stdout.write(out)
    sys.stdout.flush()
    return code


def has_address(folder: str) -> bool:
    """Check if an engine of this profile listens, or did until it crashed."""
    return os.path.exists(os.path.join(folder, f"{NAME}.address"))


def tell(outcome: str) -> None:
    """Report on stderr why a running engine has not answered, unless that is expected."""
    if outcome not in EXPECTED_OUTCOMES:
        print(f"intentscope: the running engine was of no use: {outcome.replace('other-', 'other ')}.", file=sys.stderr)


def request(
    folder: str,
    message: Mapping[str, object],
    *,
    acknowledged: Callable[[float], object] = lambda seconds: None,
    waits_on: Callable[[], bool] = lambda: False,
) -> tuple[str, tuple[int, str, str] | None]:
    """Send a request; return its outcome, and exit code, stdout and stderr of an answer.

    `acknowledged` is called with the engine's time limit in seconds. `waits_on` decides if a late acknowledgement is
    awaited further.
    """
    from app.surfaces.local_socket import SocketClient

    own = {"stamp": version_stamp(), "variables": setting_variables(), "sent_ms": monotonic() * 1000.0}
    try:
        client = SocketClient.to(folder, NAME, CONNECT_SECONDS)
        try:
            client.send({**own, **message})
            ends = monotonic() + LONGEST_SECONDS
            seconds, (outcome, *numbers) = ACKNOWLEDGE_SECONDS, _acknowledgement(client, waits_on)
            while outcome == WAIT:
                seconds = float(numbers[0]) / 1000.0  # acknowledged, with the engine's time limit
                if not 0.0 <= seconds <= MOST_SECONDS:
                    raise ValueError("no time")
                acknowledged(seconds)
                if (left := ends - monotonic()) <= 0.0:
                    raise TimeoutError("no answer in time")
                outcome, *numbers = client.words(min(seconds, left))
            if outcome != ANSWERED:
                return outcome, None
            code, out, err = map(int, numbers)
            return outcome, (code, client.text(out, seconds), client.text(err, seconds))
        finally:
            client.close()
    except (ConnectionRefusedError, FileNotFoundError):
        return ABSENT, None
    except OSError as error:
        return error.strerror or str(error) or type(error).__name__, None
    except (ValueError, LookupError, ArithmeticError):
        return "its answer is damaged", None


def _acknowledgement(client: SocketClient, waits_on: Callable[[], bool]) -> list[str]:
    """Return the first words of an engine; raises TimeoutError."""
    while True:
        try:
            return client.words(ACKNOWLEDGE_SECONDS)
        except TimeoutError:
            if not waits_on():
                raise
