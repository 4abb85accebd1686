"""The answer of the prompt hook and the time that it has; nothing here takes long to load."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock, Timer

from app.surfaces.hook.engine_client import output
from app.surfaces.mcp.power_tools import bounded

MOST_CONTEXT = 50_000
DEFAULT_MS = 2_000
"""The budget until the settings have been read, unless these say otherwise."""
KEY, VARIABLE = "serve.hook_budget_ms", "INTENTSCOPE_SERVE_HOOK_BUDGET_MS"
SPARED_MS = 100.0
"""So long before its budget ends the hook answers, so that the answer is out when it ends."""
OK = 0


def answer_with(context: str) -> str:
    """What the assistant is reported, bounded."""
    return output(bounded(context, MOST_CONTEXT))


def early(pairs: Iterable[str], environment: Mapping[str, str], key: str, variable: str) -> str:
    """What the command line or the environment says of a setting, before the settings can be read; "" for nothing."""
    named = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    return named.get(key, environment.get(variable, ""))


def early_ms(pairs: Iterable[str], environment: Mapping[str, str]) -> float:
    """The budget that is known before the settings can be read; else the default."""
    said = early(pairs, environment, KEY, VARIABLE)
    return float(said) if said.isascii() and said.isdigit() and len(said) < 6 else DEFAULT_MS


@dataclass
class Answer:
    """The best context so far; it is given once, whoever comes first: the engine, or the end of the budget."""

    context: str = ""
    lacks: str = "nothing was looked up yet"
    """What the context so far does not have; "" when it is as good as it gets."""
    after: Callable[[], object] = lambda: None
    """What is done once it is given."""
    _given: Lock = field(default_factory=Lock)

    def end_with_it(self) -> None:
        """Do nothing after the answer."""
        self.after = lambda: None

    def give(self) -> None:
        if self._given.acquire(blocking=False):
            with suppress(OSError):  # nobody listens any more
                os.write(sys.stdout.fileno(), answer_with(self.context).encode())
            self.after()


class Budget:
    """The time that the hook has from `began` on (time.monotonic): when it ends, the process ends with the answer.

    Whatever is still under way then: of the library the hook changes nothing, so nothing is lost.
    """

    def __init__(self, answer: Answer, began: float) -> None:
        self._answer, self._began = answer, began
        self._timer: Timer | None = None

    def last(self, ms: float) -> None:
        """Let it be so long."""
        self.stop()
        left = ms - SPARED_MS - (time.monotonic() - self._began) * 1000.0
        self._timer = Timer(max(0.0, left) / 1000.0, self._end)
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _end(self) -> None:
        self._answer.give()
        if self._answer.lacks:
            line = f"intentscope: the time of the hook is over ({KEY}): {self._answer.lacks}.\n"
            with suppress(OSError):
                os.write(sys.stderr.fileno(), line.encode())
        os._exit(OK)
