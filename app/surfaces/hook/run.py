"""The prompt hook of assistants: a prompt on stdin, what to add to its context on stdout, always in time (000)."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from app.surfaces.hook.budget import OK, Answer, Budget, early_ms

if TYPE_CHECKING:
    from app.services.workbench import Workbench
    from app.settings.model import Settings

LIKELY_AGE, MOST_AGE = 0.1, 10.0
"""How old a process is, in seconds, when its first lines run; an older one was made for something else."""


def _age() -> float:
    """For how many seconds the process has been running; a guess where the system does not tell it at once."""
    try:
        began = int(Path("/proc/self/stat").read_text("ascii", "replace").rpartition(")")[2].split()[19])
        age = float(Path("/proc/uptime").read_text("ascii").split()[0]) - began / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return LIKELY_AGE
    return age if LIKELY_AGE <= age <= MOST_AGE else LIKELY_AGE


def run_hook(make_workbench: Callable[[], Workbench], settings: Callable[[], Settings], pairs: Iterable[str]) -> int:
    """Answer one prompt in time; always the exit code 0, since any other could keep the prompt from the assistant.

    `settings` are those of file, environment and command line, of which `pairs` are the words; both callables may raise
    SettingsError.
    """
    answer = Answer()
    budget = Budget(answer, time.monotonic() - _age())
    budget.last(early_ms(pairs, os.environ))
    try:
        # Only now, while the time runs, what takes long to load.
        from app.surfaces.hook.context import add_context

        add_context(answer, budget, make_workbench, settings)
    finally:
        answer.give()
        budget.stop()
    return OK


@contextmanager
def leave() -> Iterator[None]:
    """End the process after this, at once and without an error code; a bug is reported on stderr."""
    try:
        yield
    finally:
        if sys.exc_info()[0] is not None:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(OK)
