"""The prompt hook of assistants: a prompt on stdin, what to add to its context on stdout, always in time (000)."""

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
"""What the environment may say against an engine; what the settings say is known a little later."""


def start_engine(profile: Path | None) -> None:
    """Start the engine of a profile, None for the usual one, in a process that outlives this one, unless one answers or
    is starting already; what hinders is of no account, for the prompt has its answer."""
    instance_lock = InstanceLock(profile or default_profile(), NAME)
    try:
        if is_starting(instance_lock.folder, NAME) or not instance_lock.acquire() or instance_lock.handle is None:
            return
        instance_lock.note_start()
    finally:
        instance_lock.release()
    words = [*own_command(None if profile is None else profile.absolute()), "engine"]
    nowhere = subprocess.DEVNULL
    # Windows, untested: neither the console of the hook nor its Ctrl+C is to be the engine's.
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
    with suppress(OSError, RuntimeError):  # RuntimeError: nobody knows of a home
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
    """Answer one prompt in time; always the exit code 0, since any other could keep the prompt from the assistant.

    `settings` are those of file, environment and command line; both callables may raise SettingsError. Once the answer
    is given an engine is begun for the next prompts, where nothing speaks against it: neither settings nor words nor
    variables by which the engine would answer otherwise than `is_plain` hooks want.
    """
    answer = budget.answer
    if is_plain and not has_own_settings() and early((), os.environ, *KEEP) not in NO:
        answer.after = partial(start_engine, profile)
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
    """End the process after this, at once and without an error code; a bug is reported on stderr, without its
    message, since that is the assistant's log."""
    try:
        yield
    finally:
        if (error := sys.exc_info()[1]) is not None:
            print(private_trace(error), file=sys.stderr)
        sys.stderr.flush()
        os._exit(OK)
