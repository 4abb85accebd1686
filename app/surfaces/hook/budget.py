"""Answer and time budget of the prompt hook, started before any slow import."""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, start_new_thread
from time import monotonic

from app.surfaces.hook.engine_client import MOST_SECONDS, process_age

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TextIO

    from app.surfaces.local_socket import InstanceLock

MOST_CONTEXT = 50_000
DEFAULT_MS = 2_000
"""Budget in ms until the settings are read."""
KEY, VARIABLE = "serve.hook_budget_ms", "INTENTSCOPE_SERVE_HOOK_BUDGET_MS"
SET = "--set"
SPARED_MS = 100.0
"""Time in ms before the end of the budget at which the hook answers."""
OK = 0

EVENT, START = "UserPromptSubmit", "SessionStart"
"""Events of the hook: a prompt, and the start of a session, at which it only starts the engine."""
EMPTY = f'{{"hookSpecificOutput": {{"hookEventName": "{EVENT}", "additionalContext": ""}}}}\n'
"""Output that adds nothing."""


def event_in(given: bytes) -> str:
    """Return the name of the event in a hook's input; without one that of a prompt."""
    name = given.partition(b'"hook_event_name"')[2][:60].lstrip(b' :"\r\n\t').partition(b'"')[0]
    return name.decode() if name.isalpha() else EVENT


def answer_with(context: str, event: str = EVENT) -> str:
    """Make the JSON output of a prompt hook: bounded text for the prompt's context.

    Without text other events get no output, since few of them may have a context.
    """
    if not context:
        return EMPTY if event == EVENT else ""
    import json

    from app.surfaces.mcp.power_tools import bounded

    given = {"hookEventName": event, "additionalContext": bounded(context, MOST_CONTEXT)}
    return json.dumps({"hookSpecificOutput": given}) + "\n"


def early(pairs: Iterable[str], environment: Mapping[str, str], key: str, variable: str) -> str:
    """Return a setting from the command line or environment, before the settings; "": unset."""
    named = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    return named.get(key, environment.get(variable, ""))


def early_ms(pairs: Iterable[str], environment: Mapping[str, str]) -> float:
    """Return the budget known before the settings are read; otherwise the default."""
    said = early(pairs, environment, KEY, VARIABLE)
    return float(said) if said.isascii() and said.isdigit() and len(said) < 6 else DEFAULT_MS


def pairs_in(words: Sequence[str]) -> list[str]:
    """Return the settings among the words of an unparsed command line."""
    joined = [word.removeprefix(f"{SET}=") for word in words if word.startswith(f"{SET}=")]
    return joined + [words[place + 1] for place, word in enumerate(words[:-1]) if word == SET]


NOTHING = "nothing was looked up yet"


class Answer:
    """Best context so far, written once: by the engine, or at the end of the budget."""

    def __init__(self, context: str = "") -> None:
        self.context = context
        self.event = EVENT
        self.lacks = NOTHING
        """Reason why the context is incomplete so far; "" if it is final."""
        self.after: Callable[[], object] = _do_nothing
        """Called after the answer is written."""
        self._writes = allocate_lock()
        self._is_given = False

    def finish(self) -> None:
        """Do nothing after the answer."""
        self.after = _do_nothing

    def give(self, patience: float = -1) -> None:
        """Write the best context once; a write in progress is awaited for `patience` seconds."""
        self.write(answer_with(self.context, self.event), patience=patience)

    def write(self, out: str, err: str = "", patience: float = -1) -> None:
        """Write stdout and stderr as the answer, unless an answer is written."""
        if not self._writes.acquire(timeout=patience):
            return
        try:
            is_given, self._is_given = self._is_given, True
            if not is_given:
                _write(sys.stderr, err)
                _write(sys.stdout, out)
        finally:
            self._writes.release()
        if not is_given:
            self.after()


class Budget:
    """Time of the hook from `began` (time.monotonic); at its end the process exits, answered.

    Pending work is dropped: the hook changes nothing in the library.
    """

    def __init__(self, answer: Answer, began: float) -> None:
        self.answer, self._began = answer, began
        self.given_ms: float | None = None
        """Budget in ms from the command line or environment; None: from the settings."""
        self.turn: InstanceLock | None = None
        """Right of this process to answer by itself, held until its end."""
        self._ends: float | None = None
        self._wakes = allocate_lock()
        self._wakes.acquire()
        self._is_watched = self._is_announced = False

    @classmethod
    def of_process(cls, words: Sequence[str]) -> Budget:
        """Make the budget of this process from its words, counted from its start."""
        budget = cls(Answer(), monotonic() - process_age())
        pairs = pairs_in(words)
        ms = early_ms(pairs, os.environ)
        budget.given_ms = ms if early(pairs, os.environ, KEY, VARIABLE) else None
        budget.last(ms)
        return budget

    @property
    def left(self) -> float:
        """Seconds until the budget ends."""
        return 0.0 if self._ends is None else self._ends - monotonic()

    def last(self, ms: float) -> None:
        """Set the duration in ms, from the beginning."""
        self._end_at(self._began + (ms - SPARED_MS) / 1000.0)

    def last_from_now(self, seconds: float) -> None:
        """Set the end to a number of seconds from now, within a known budget; only the first call does."""
        if not self._is_announced:
            self._is_announced = True
            known = MOST_SECONDS if self.given_ms is None else self.given_ms / 1000.0
            self._end_at(min(monotonic() + seconds, self._began + known))

    def stop(self) -> None:
        """Remove the limit, and let other hooks have their turn."""
        self._end_at(None)
        if self.turn is not None:
            self.turn.release()

    def _end_at(self, ends: float | None) -> None:
        self._ends = ends
        if ends is not None and ends <= monotonic():
            self.end()
        if self._is_watched:
            if self._wakes.locked():
                self._wakes.release()
        elif ends is not None:
            self._is_watched = True
            start_new_thread(self._watch, ())

    def _watch(self) -> None:
        while (ends := self._ends) is not None:
            left = ends - monotonic()
            if left <= 0.0:
                self.end()
            self._wakes.acquire(timeout=left)

    def end(self) -> None:
        """End the process with the best answer so far."""
        lacks = self.answer.lacks
        self.answer.give(SPARED_MS / 1000.0)
        if lacks:
            _write(sys.stderr, f"intentscope: the hook's time budget ran out ({KEY}): {lacks}.\n")
        os._exit(OK)


def _do_nothing() -> None: ...


def _write(stream: TextIO, text: str) -> None:
    """Write to the file of a stream at once; ignore a closed one."""
    if text:
        try:
            os.write(stream.fileno(), text.encode("utf-8", "surrogatepass"))
        except OSError:
            return
