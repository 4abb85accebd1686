"""The prompt hook beside a running engine: what the assistant gave goes there, and what comes back is written.

Only the standard library is imported, and little of it: the whole process is to last a fifth of a second.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

NAME = "engine"
"""By which the engine of a profile is asked, and its files are called."""

MOST_INPUT_BYTES = 2**20
"""A longer input is not read to its end."""

ANSWER_MS, CONNECT_SECONDS, ANSWER_SECONDS = 700, 0.2, 0.9
"""The time that the engine has, and after which it is taken for hung; there is time then to answer without it."""

OPTION, COMMAND, VARIABLES, HARMLESS = "--profile", "hook", "INTENTSCOPE_", "INTENTSCOPE_SERVE_"
"""Any other option, and variables that begin with the third but not the fourth, may ask for another answer than the
engine's."""

EVENT = "UserPromptSubmit"

READ_SECONDS = 1.9
"""A prompt that is not there by then is answered without a word."""

ANSWERED, OTHER_VERSION = "answered", "other version"


def output(context: str) -> str:
    """What the assistant is reported: text that joins the context of the prompt."""
    return json.dumps({"hookSpecificOutput": {"hookEventName": EVENT, "additionalContext": context}}) + "\n"


def stamp() -> list[object]:
    """What tells one installation of the program from another: a newer one must not be answered by an older."""
    path = Path(sys.executable if getattr(sys, "frozen", False) else __file__).resolve()
    found = path.stat()
    return [str(path), found.st_ino, found.st_mtime_ns, found.st_size]


def asks(words: Sequence[str], environment: Mapping[str, str] = os.environ) -> bool:
    """If this start is one that a running engine answers as the program itself would."""
    ways = [COMMAND], [COMMAND, OPTION, *words[2:3]], [OPTION, *words[1:2], COMMAND]
    return list(words) in ways and not wants_its_own(environment) and profile_in(words) != ""


def wants_its_own(environment: Mapping[str, str] = os.environ) -> bool:
    """If the environment holds settings that may ask for another answer than the engine's."""
    return any(name.startswith(VARIABLES) and not name.startswith(HARMLESS) for name in environment)


def profile_in(words: Sequence[str]) -> str | None:
    """The profile that is named; None for the usual one."""
    return words[words.index(OPTION) + 1] if OPTION in words[:-1] else None


def answered(words: Sequence[str], usual: Callable[[], Path]) -> bool:
    """Have the running engine answer, if there is one; whether the answer is written.

    If it is not, what was read of the standard input stands there again, and stderr says what hindered, unless there
    is simply no engine.
    """
    from app.surfaces.local_socket import address_of, connected, line, send

    named = profile_in(words)
    folder = usual() if named is None else Path(named)
    try:
        address = address_of(folder, NAME)
    except (OSError, ValueError, RecursionError):
        return False
    given = _given()
    try:
        with connected(address, CONNECT_SECONDS) as connection:
            wish = {"token": address["token"], "stamp": stamp(), "ms": ANSWER_MS}
            send(connection, {**wish, "input": given.decode("utf-8", "surrogateescape")})
            found: Any = json.loads(line(connection, ANSWER_SECONDS))
        if found["outcome"] == ANSWERED:
            _write(found["out"], found["err"])
            return True
        trouble = found["outcome"]
    except TimeoutError:
        trouble = f"no answer within {ANSWER_SECONDS:.1f} s"
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        trouble = "" if isinstance(error, ConnectionRefusedError | FileNotFoundError) else type(error).__name__
    if trouble:
        print(f"intentscope: the running engine was of no use: {trouble}.", file=sys.stderr)
    sys.stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    return False


def _given() -> bytes:
    """The standard input; where none comes the process ends with an answer all the same."""
    from threading import Timer

    def end() -> None:
        _write(output(""), "intentscope: no prompt came.\n")
        os._exit(0)

    timer = Timer(READ_SECONDS, end)
    timer.daemon = True
    timer.start()
    given = sys.stdin.buffer.read(MOST_INPUT_BYTES)
    timer.cancel()
    return given


def _write(out: str, err: str) -> None:
    sys.stderr.write(err)
    sys.stdout.write(out)
    sys.stdout.flush()
