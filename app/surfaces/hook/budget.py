"""The answer of the prompt hook and the time that it has: armed before anything that takes long to load."""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, start_new_thread
from time import monotonic

from app.surfaces.hook.engine_client import process_age

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TextIO

    from app.surfaces.local_socket import InstanceLock

MOST_CONTEXT = 50_000
DEFAULT_MS = 2_000
"""The budget until the settings have been read, unless these say otherwise."""
KEY, VARIABLE = "serve.hook_budget_ms", "INTENTSCOPE_SERVE_HOOK_BUDGET_MS"
SET = "--set"
SPARED_MS = 100.0
"""So long before its budget ends the hook answers, so that the answer is out when it ends."""
OK = 0

EVENT = "UserPromptSubmit"
EMPTY = f'{{"hookSpecificOutput": {{"hookEventName": "{EVENT}", "additionalContext": ""}}}}\n'
"""The output that adds nothing."""


def answer_with(context: str) -> str:
    """The JSON output of a prompt hook: text that joins the context of the prompt, bounded."""
    if not context:
        return EMPTY
    import json

    from app.surfaces.mcp.power_tools import bounded

    given = {"hookEventName": EVENT, "additionalContext": bounded(context, MOST_CONTEXT)}
    return json.dumps({"hookSpecificOutput": given}) + "\n"


def early(pairs: Iterable[str], environment: Mapping[str, str], key: str, variable: str) -> str:
    """What the command line or the environment says of a setting, before the settings can be read; "" for nothing."""
    named = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    return named.get(key, environment.get(variable, ""))


def early_ms(pairs: Iterable[str], environment: Mapping[str, str]) -> float:
    """The budget that is known before the settings can be read; else the default."""
    said = early(pairs, environment, KEY, VARIABLE)
    return float(said) if said.isascii() and said.isdigit() and len(said) < 6 else DEFAULT_MS


def pairs_in(words: Sequence[str]) -> list[str]:
    """The settings among the words of a command line that is not parsed yet."""
    joined = [word.removeprefix(f"{SET}=") for word in words if word.startswith(f"{SET}=")]
    return joined + [words[place + 1] for place, word in enumerate(words[:-1]) if word == SET]


NOTHING = "nothing was looked up yet"


class Answer:
    """The best context so far; it is given once, whoever comes first: the engine, or the end of the budget."""

    def __init__(self, context: str = "") -> None:
        self.context = context
        self.lacks = NOTHING
        """What the context so far does not have; "" when it is as good as it gets."""
        self.after: Callable[[], object] = _do_nothing
        """What is done once it is given."""
        self._writes = allocate_lock()
        self._is_given = False

    def end_with_it(self) -> None:
        """Do nothing after the answer."""
        self.after = _do_nothing

    def give(self, patience: float = -1) -> None:
        """Write the best context, unless an answer is written, or being written for longer than `patience` seconds."""
        self.write(answer_with(self.context), patience=patience)

    def write(self, out: str, err: str = "", patience: float = -1) -> None:
        """Write this output as the answer, and beside it what goes to stderr, unless an answer is written."""
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
    """The time that the hook has from `began` on (time.monotonic): when it ends, the process ends with the answer.

    Whatever is still under way then: of the library the hook changes nothing, so nothing is lost.
    """

    def __init__(self, answer: Answer, began: float) -> None:
        self.answer, self._began = answer, began
        self.given_ms: float | None = None
        """The budget that the command line or the environment gives, in ms; None where the settings decide."""
        self.turn: InstanceLock | None = None
        """The right of this process to answer by itself, held until it ends."""
        self._ends: float | None = None
        self._wakes = allocate_lock()
        self._wakes.acquire()
        self._is_watched = False

    @classmethod
    def of_process(cls, words: Sequence[str]) -> Budget:
        """The budget of this process, which has its words, from its start on."""
        budget = cls(Answer(), monotonic() - process_age())
        pairs = pairs_in(words)
        ms = early_ms(pairs, os.environ)
        budget.given_ms = ms if early(pairs, os.environ, KEY, VARIABLE) else None
        budget.last(ms)
        return budget

    @property
    def left(self) -> float:
        """The seconds until the budget ends."""
        return 0.0 if self._ends is None else self._ends - monotonic()

    def last(self, ms: float) -> None:
        """Let it be so long from its beginning."""
        self._end_at(self._began + (ms - SPARED_MS) / 1000.0)

    def last_from_now(self, seconds: float) -> None:
        """Let it end so many seconds from now."""
        self._end_at(monotonic() + seconds)

    def stop(self) -> None:
        """Let it never end, and others have their turn."""
        self._end_at(None)
        if self.turn is not None:
            self.turn.release()

    def _end_at(self, ends: float | None) -> None:
        self._ends = ends
        if ends is not None and ends <= monotonic():
            self.end()
        if self._is_watched:
            self._wake()
        elif ends is not None:
            self._is_watched = True
            start_new_thread(self._watch, ())

    def _wake(self) -> None:
        if self._wakes.locked():
            self._wakes.release()

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
            _write(sys.stderr, f"intentscope: the time of the hook is over ({KEY}): {lacks}.\n")
        os._exit(OK)


def _do_nothing() -> None: ...


def _write(stream: TextIO, text: str) -> None:
    """Write to the file of a stream, at once; nothing where nobody listens any more."""
    if text:
        try:
            os.write(stream.fileno(), text.encode("utf-8", "surrogatepass"))
        except OSError:
            return
