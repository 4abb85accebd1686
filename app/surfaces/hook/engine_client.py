"""Client of a running engine: lets it answer the prompt hook and the commands of one query in place of this process.

Only the standard library is imported, and little of it: the whole process is to last a fifth of a second.
"""

from __future__ import annotations

import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

NAME = "engine-2"
"""The name of an engine's lock and address files, with the version of the protocol: a client and an engine of other
versions, as before and after an update, do not meet."""

MOST_INPUT_BYTES = 2**20
"""The limit of what is read of standard input."""

CONNECT_SECONDS, ACKNOWLEDGE_SECONDS = 0.2, 0.9
"""An engine that has not acknowledged by then is taken for hung; there is still time to answer without it."""

PROFILE, HOOK, JSON = "--profile", "hook", "--json"

QUERY_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "detect": (),
    "inspect": (),
    "resolve": ("--no-start",),
    "route": (),
    "why-not": ("--expect",),
}
"""The commands that an engine answers, with the options that it supports for each."""

OPTIONS_WITH_VALUE = {PROFILE, "--expect"}

OWN_PREFIX, HARMLESS_PREFIX = "INTENTSCOPE_", "INTENTSCOPE_SERVE_"
FOREIGN_PREFIXES = ("SUBCOG_SEARCH_INTENT_", "OLLAMA_HOST")
"""Prefixes of environment variables that are settings; those of HARMLESS_PREFIX change no answer."""

EVENT = "UserPromptSubmit"

READ_SECONDS = 1.9
"""A prompt that has not arrived by then gets an empty answer."""

WAIT, ANSWERED, OTHER_VERSION = "wait", "answered", "other-version"
OTHER_SETTINGS, UNASKED = "other-settings", "unasked"
"""Outcomes of a request. UNASKED: the process has to answer itself, such as to start a power until it ends."""

EXPECTED_OUTCOMES = {OTHER_SETTINGS, UNASKED}
"""Outcomes for which an engine rightly leaves the answer to the process; not reported."""

LIKELY_AGE, MOST_AGE = 0.1, 10.0
"""The usual and the largest plausible age of a process, in seconds, when its first lines run."""


def output(context: str) -> str:
    """The JSON output of a prompt hook: text that joins the context of the prompt."""
    import json  # only where no engine has made it

    return json.dumps({"hookSpecificOutput": {"hookEventName": EVENT, "additionalContext": context}}) + "\n"


def version_stamp() -> list[object]:
    """Version stamp of this installation: an engine answers only clients of its own."""
    path = os.path.realpath(sys.executable if getattr(sys, "frozen", False) else __file__)
    found = os.stat(path)
    return [path, found.st_ino, found.st_mtime_ns, found.st_size]


def process_age() -> float:
    """How long the process has been running, in seconds; a guess where the system does not tell quickly."""
    try:
        with open("/proc/self/stat", "rb") as stat, open("/proc/uptime", "rb") as uptime:
            began = int(stat.read().rpartition(b")")[2].split()[19])
            found = float(uptime.read().split()[0]) - began / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return LIKELY_AGE
    return found if LIKELY_AGE <= found <= MOST_AGE else LIKELY_AGE


def setting_variables(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment variables that change answers: an engine that was started with others answers differently."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith((OWN_PREFIX, *FOREIGN_PREFIXES)) and not name.startswith(HARMLESS_PREFIX)
    }


def has_own_settings(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the environment holds own settings: an engine started with them would not serve everybody."""
    return any(name.startswith(OWN_PREFIX) for name in setting_variables(environment))


def is_hook(words: Sequence[str]) -> bool:
    """Whether these words are a prompt hook that a running engine answers like the program itself."""
    ways = [HOOK], [HOOK, PROFILE, *words[2:3]], [PROFILE, *words[1:2], HOOK]
    return list(words) in ways and profile_in(words) != ""


def is_query_command(words: Sequence[str]) -> bool:
    """Whether these words are a command of one query that a running engine answers like the program itself."""
    plain, options = _split(words)
    if len(plain) != 2 or plain[0] not in QUERY_COMMANDS or any(not value for value in options.values()):
        return False
    own = QUERY_COMMANDS[plain[0]]
    return set(options) <= {PROFILE, JSON, *own} and ("--expect" in options or "--expect" not in own)


def is_server(words: Sequence[str]) -> bool:
    """Whether these words start the MCP server on standard streams, without a mistake."""
    plain, options = _split(words)
    return plain == ["mcp"] and set(options) <= {PROFILE} and all(options.values())


def _split(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Positional words, and options with their values; an option that is given twice has an empty value."""
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
    """The value of --profile; None for the default profile."""
    return words[words.index(PROFILE) + 1] if PROFILE in words[:-1] else None


def ask_engine(words: Sequence[str], default_profile: Callable[[], str]) -> int | None:
    """Have the running engine answer, if there is one: the exit code once the answer is written, else None.

    On None the standard input is restored, and stderr says what failed, unless there is simply no engine, or none for
    this.
    """
    folder = profile_in(words) or default_profile()
    if not os.path.exists(os.path.join(folder, f"{NAME}.address")):
        return None
    if is_hook(words):
        given = _read_input()
        found = _request(
            folder, {"input": given.decode("utf-8", "surrogateescape"), "spent_ms": process_age() * 1000.0}
        )
        if found is None:
            sys.stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    else:
        found = _request(folder, {"words": list(words)})
    if found is None:
        return None
    code, out, err = found
    sys.stderr.write(err)
    sys.stdout.write(out)
    sys.stdout.flush()
    return code


def _request(folder: str, request: Mapping[str, object]) -> tuple[int, str, str] | None:
    """Send a request: exit code, stdout and stderr of the answer; None without an answer, with the fault on stderr
    where it is unexpected."""
    from app.surfaces.local_socket import SocketClient, UntrustedError

    seconds = ACKNOWLEDGE_SECONDS
    try:
        client = SocketClient.to(folder, NAME, CONNECT_SECONDS)
        try:
            client.send({"stamp": version_stamp(), "variables": setting_variables(), **request})
            while True:
                outcome, *numbers = client.words(seconds)
                if outcome != WAIT:
                    break
                seconds = float(numbers[0]) / 1000.0  # it heard, and says how long that may take
            if outcome == ANSWERED:
                code, out, err = map(int, numbers)
                return code, client.text(out, seconds), client.text(err, seconds)
        finally:
            client.close()
        fault = "" if outcome in EXPECTED_OUTCOMES else outcome
    except UntrustedError as error:
        print(f"intentscope: the running engine was not asked: {error}.", file=sys.stderr)
        return None
    except TimeoutError:
        fault = f"no answer within {seconds:.1f} s"
    except (OSError, ValueError, LookupError, ArithmeticError) as error:
        fault = "" if isinstance(error, ConnectionRefusedError | FileNotFoundError) else type(error).__name__
    if fault:
        print(f"intentscope: the running engine was of no use: {fault.replace('-', ' ')}.", file=sys.stderr)
    return None


def _read_input() -> bytes:
    """Read standard input; on a time-out the process ends with an empty answer."""
    from _thread import allocate_lock, start_new_thread

    is_read = allocate_lock()
    is_read.acquire()

    def end() -> None:
        if not is_read.acquire(timeout=READ_SECONDS):
            sys.stderr.write("intentscope: no prompt came.\n")
            sys.stdout.write(output(""))
            sys.stdout.flush()
            os._exit(0)

    start_new_thread(end, ())
    given = sys.stdin.buffer.read(MOST_INPUT_BYTES)
    is_read.release()
    return given
