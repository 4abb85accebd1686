"""Prompt hook of assistants: prompt on stdin, context on stdout, always in time (000)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.logs import private_trace
from app.services.system.start_requests import default_profile, own_command
from app.surfaces.hook.budget import OK, Budget, early
from app.surfaces.hook.engine_client import NAME, has_own_settings
from app.surfaces.local_socket import InstanceLock, is_starting

if TYPE_CHECKING:
    from app.services.workbench import Workbench
    from app.settings.model import Settings

KEEP, NO = ("serve.keep_engine", "INTENTSCOPE_SERVE_KEEP_ENGINE"), {"false", "no", "off", "0"}
"""Setting and variable that disable the engine, known before the settings are read."""


def start_engine(profile: Path | None) -> None:
    """Start the engine of a profile (None: default) in a detached process, unless one runs.

    Errors are ignored: the prompt has its answer.
    """
    instance_lock = InstanceLock(profile or default_profile(), NAME)
    try:
        if is_starting(instance_lock.folder, NAME) or not instance_lock.acquire() or instance_lock.handle is None:
            return
        instance_lock.note_start()
    finally:
        instance_lock.release()
    words = [*own_command(None if profile is None else profile.absolute()), "engine"]
    nowhere = subprocess.DEVNULL
    # Windows (untested): detached from the hook's console and its Ctrl+C.
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
    with suppress(OSError, RuntimeError):  # RuntimeError: no home folder
        subprocess.Popen(
            words,
            stdin=nowhere,
            stdout=nowhere,
            stderr=nowhere,
            cwd=Path.home(),
            start_new_session=os.name == "posix",
            creationflags=flags,
        )


def run_hook(
    make_workbench: Callable[[], Workbench],
    settings: Callable[[], Settings],
    budget: Budget,
    profile: Path | None,
    *,
    is_plain: bool = True,
) -> int:
    """Answer one prompt in time; always exit code 0, since others could block the prompt.

    Both callables may raise SettingsError. After the answer an engine is started for further prompts, unless disabled
    by settings, options or variables, or if it would answer differently from `is_plain` hooks.
    """
    answer = budget.answer
    if is_plain and not has_own_settings() and early((), os.environ, *KEEP) not in NO:
        answer.after = partial(start_engine, profile)
    try:
        # Slow import, after the clock has started.
        from app.surfaces.hook.context import add_context

        add_context(answer, budget, make_workbench, settings)
    finally:
        answer.give()
        budget.stop()
    return OK


@contextmanager
def leave() -> Iterator[None]:
    """End the process at once with exit code 0; report a bug on stderr without its message.

    Stderr is the assistant's log.
    """
    try:
        yield
    finally:
        if (error := sys.exc_info()[1]) is not None:
            print(private_trace(error), file=sys.stderr)
        sys.stderr.flush()
        os._exit(OK)
