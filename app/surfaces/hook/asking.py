"""A running engine asked in place of this process: by the prompt hook, and by the short commands of one query.

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
"""By which the engine of a profile is asked, and its files are called; the number is that of what is said between the
two. Whoever says it otherwise, before an update or after it, has a seat of its own: it is not asked, and keeps nobody
out."""

MOST_INPUT_BYTES = 2**20
"""A longer input is not read to its end."""

CONNECT_SECONDS, HEARD_SECONDS = 0.2, 0.9
"""An engine that has not said by then that it heard is taken for hung; there is time then to answer without it."""

PROFILE, HOOK, JSON = "--profile", "hook", "--json"

QUICK: Mapping[str, tuple[str, ...]] = {
    "detect": (),
    "inspect": (),
    "resolve": ("--no-start",),
    "route": (),
    "why-not": ("--expect",),
}
"""The commands that an engine answers, with the options of their own that it knows: any other may ask for an answer
that is not the engine's."""

VALUED = {PROFILE, "--expect"}

OURS, HARMLESS = "INTENTSCOPE_", "INTENTSCOPE_SERVE_"
THEIRS = ("SUBCOG_SEARCH_INTENT_", "OLLAMA_HOST")
"""How variables begin that are settings; those of the second kind change no answer."""

EVENT = "UserPromptSubmit"

READ_SECONDS = 1.9
"""A prompt that is not there by then is answered without a word."""

WAIT, ANSWERED, OTHER_VERSION = "wait", "answered", "other-version"
OTHER_SETTINGS, OTHER_LANGUAGE, UNASKED = "other-settings", "other-language", "unasked"
"""The last: the answer would do something that the process has to do itself, such as start a power until it ends."""

EXPECTED = {OTHER_SETTINGS, OTHER_LANGUAGE, UNASKED}
"""Why an engine rightly leaves an answer to the process: nobody need be told."""

LIKELY_AGE, MOST_AGE = 0.1, 10.0
"""How old a process is, in seconds, when its first lines run; an older one was made for something else."""


def output(context: str) -> str:
    """What the assistant is reported: text that joins the context of the prompt."""
    import json  # only where no engine has made it

    return json.dumps({"hookSpecificOutput": {"hookEventName": EVENT, "additionalContext": context}}) + "\n"


def stamp() -> list[object]:
    """What tells one installation of the program from another: a newer one must not be answered by an older."""
    path = os.path.realpath(sys.executable if getattr(sys, "frozen", False) else __file__)
    found = os.stat(path)
    return [path, found.st_ino, found.st_mtime_ns, found.st_size]


def age() -> float:
    """For how many seconds the process has been running; a guess where the system does not tell it at once."""
    try:
        with open("/proc/self/stat", "rb") as stat, open("/proc/uptime", "rb") as uptime:
            began = int(stat.read().rpartition(b")")[2].split()[19])
            found = float(uptime.read().split()[0]) - began / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return LIKELY_AGE
    return found if LIKELY_AGE <= found <= MOST_AGE else LIKELY_AGE


def variables(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What the environment says of answers: an engine that was started with other words answers otherwise."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith((OURS, *THEIRS)) and not name.startswith(HARMLESS)
    }


def wants_its_own(environment: Mapping[str, str] = os.environ) -> bool:
    """If the environment holds settings of ours: an engine that it starts would not be one for everybody."""
    return any(name.startswith(OURS) for name in variables(environment))


def is_hook(words: Sequence[str]) -> bool:
    """If these are the words of a prompt hook that a running engine answers as the program itself would."""
    ways = [HOOK], [HOOK, PROFILE, *words[2:3]], [PROFILE, *words[1:2], HOOK]
    return list(words) in ways and profile_in(words) != ""


def is_quick(words: Sequence[str]) -> bool:
    """If these are the words of one query that a running engine answers as the program itself would."""
    plain, options = _split(words)
    if len(plain) != 2 or plain[0] not in QUICK or any(not value for value in options.values()):
        return False
    own = QUICK[plain[0]]
    return set(options) <= {PROFILE, JSON, *own} and ("--expect" in options or "--expect" not in own)


def is_server(words: Sequence[str]) -> bool:
    """If these are the words of a server on standard input and output, and none is wrong."""
    plain, options = _split(words)
    return plain == ["mcp"] and set(options) <= {PROFILE} and all(options.values())


def _split(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The words that are no options, and the options with their values; one that is named twice has none."""
    plain: list[str] = []
    options: dict[str, str] = {}
    waiting = iter(words)
    for word in waiting:
        if not word.startswith("-"):
            plain.append(word)
        else:
            value = next(waiting, "") if word in VALUED else word
            options[word] = "" if word in options or (value.startswith("-") and word in VALUED) else value
    return plain, options


def profile_in(words: Sequence[str]) -> str | None:
    """The profile that is named; None for the usual one."""
    return words[words.index(PROFILE) + 1] if PROFILE in words[:-1] else None


def answered(words: Sequence[str], usual: Callable[[], str], language: Callable[[Sequence[str]], str]) -> int | None:
    """Have the running engine answer, if there is one: the exit code, once the answer is written, else None.

    What was read of the standard input stands there again then, and stderr says what hindered, unless there is simply
    no engine, or none for this. `language` is asked for the one in which people are to be answered.
    """
    from app.surfaces.local_socket import address_of

    try:
        address = address_of(profile_in(words) or usual(), NAME)
    except (OSError, ValueError):
        return None
    if is_hook(words):
        given = _given()
        found = _found(address, {"input": given.decode("utf-8", "surrogateescape"), "spent_ms": age() * 1000.0})
        if found is None:
            sys.stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    else:
        found = _found(address, {"words": list(words), "language": language(words)})
    if found is None:
        return None
    code, out, err = found
    sys.stderr.write(err)
    sys.stdout.write(out)
    sys.stdout.flush()
    return code


def _found(address: Mapping[str, str], wish: Mapping[str, object]) -> tuple[int, str, str] | None:
    """What the engine answers: exit code and what is written; None where it does not, and stderr says why if that is
    worth it."""
    from app.surfaces.local_socket import Caller, written

    seconds = HEARD_SECONDS
    try:
        line = Caller.to(address, CONNECT_SECONDS)
        try:
            line.send(written({"token": address["token"], "stamp": stamp(), "variables": variables(), **wish}))
            while True:
                outcome, *numbers = line.words(seconds)
                if outcome != WAIT:
                    break
                seconds = float(numbers[0]) / 1000.0  # it heard, and says how long that may take
            if outcome == ANSWERED:
                code, out, err = map(int, numbers)
                return code, line.text(out, seconds), line.text(err, seconds)
        finally:
            line.close()
        trouble = "" if outcome in EXPECTED else outcome
    except TimeoutError:
        trouble = f"no answer within {seconds:.1f} s"
    except (OSError, ValueError, LookupError, ArithmeticError) as error:
        trouble = "" if isinstance(error, ConnectionRefusedError | FileNotFoundError) else type(error).__name__
    if trouble:
        print(f"intentscope: the running engine was of no use: {trouble.replace('-', ' ')}.", file=sys.stderr)
    return None


def _given() -> bytes:
    """The standard input; where none comes the process ends with an answer all the same."""
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
