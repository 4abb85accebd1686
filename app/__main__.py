"""Entry point: parse the command line, run one command, and exit with its code."""

from __future__ import annotations

import io
import os
import sys

TYPE_CHECKING = False  # a plain name: importing `typing` takes half as long as Python needs to start
if TYPE_CHECKING:  # the prompt hook has 0.2 s: other modules are imported when they are needed
    import argparse
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Any, TypeVar

    from app.surfaces.cli.program import Program, Root
    from app.surfaces.mcp.handshake import Handshake

    Result = TypeVar("Result")

# Scoring is one matrix-vector product per keystroke: more BLAS threads only slow it down.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

SUPERVISOR = "--keep-process"
"""Flag that starts a frozen program, which has no other Python, as a power's supervisor."""

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
"""Variables of which one must be set to open a window on Linux."""

DISK_FULL = ("ENOSPC", "EDQUOT", "EFBIG", "EIO")
"""Error codes of a full disk or a file that is too large."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if arguments is None and sys.argv[1:2] == [SUPERVISOR]:
        from app.adapters.mcp import supervisor

        return supervisor.main(sys.argv[2:])
    open_missing_streams()
    words = sys.argv[1:] if arguments is None else arguments
    from app.surfaces.hook.engine_client import is_hook_command

    if is_hook_command(words):
        return _hook(words)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with CrashReporter(words):
            code = _written(lambda: _ask_running_engine(words))
        return _run_here(words, handshake=_early_handshake(words)) if code is None else code
    except KeyboardInterrupt as stop:
        from app.surfaces.cli.output import INTERRUPTED

        print(f"intentscope: {str(stop) or 'stopped.'}", file=sys.stderr)
        return INTERRUPTED


def _early_handshake(words: Sequence[str]) -> Handshake | None:
    """Answer an assistant's first message if a server is requested; None for other commands."""
    from app.surfaces.hook.engine_client import is_server

    if not is_server(words):
        return None
    from app.surfaces.mcp.handshake import answer_handshake

    return answer_handshake()


def _hook(words: Sequence[str]) -> int:
    """Answer a prompt hook; the exit code is always 0, since another could block the prompt.

    The time budget starts before any slow import.
    """
    from app.surfaces.hook.budget import OK, Budget

    budget = Budget.of_process(words)
    try:
        with CrashReporter(words):
            from app.surfaces.hook.entry import is_answered

            if not is_answered(words, _default_profile, budget):
                _run_here(words, budget=budget)
    except (SystemExit, KeyboardInterrupt):
        pass  # already reported, or an assistant that was stopped
    finally:
        budget.stop()
    return OK


def _run_here(words: Sequence[str], **more: object) -> int:
    """Run the command in this process with additional options; return its exit code."""
    from app.surfaces.cli.program import interruptible

    with interruptible():
        options = _written(lambda: _parsed(words))
    if isinstance(options, int):
        return options
    vars(options).update(more)
    with CrashReporter(words):
        return _run(options)


def _ask_running_engine(words: Sequence[str]) -> int | None:
    """Return the exit code of the answer of a running engine; None without such an engine."""
    from app.surfaces.hook import engine_client

    if engine_client.is_query_command(words):
        return engine_client.ask_engine(words, _default_profile)
    return None


def _default_profile() -> str:
    from app.surfaces.local_socket import default_profile_folder

    return default_profile_folder()


def program() -> Program:
    """Import and return the composition root; delayed, so that the window is painted first."""
    from app.surfaces.cli.program import interruptible

    with interruptible():
        from app import bootstrap

    return bootstrap


def open_missing_streams() -> None:
    """Open missing standard streams on the null device.

    A program started with `>&-` or without a terminal may have none: files opened later must not get their numbers, and
    `print` must not fail.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    """Parse the words as options; SystemExit for invalid ones, with code 0 for a hook.

    Another exit code of a hook could block the prompt.
    """
    from app.surfaces.cli.parser import parser, with_command

    try:
        return parser().parse_args(with_command(words))
    except SystemExit as end:
        sys.stdout.flush()  # of --help and --version
        raise SystemExit(0 if "hook" in words else end.code) from None


class CrashReporter:
    """Ends an unexpected error with its traceback and its own exit code; 1 is for failed checks.

    Where a program or a desktop reads stderr as a log, the trace omits the messages of exceptions.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            import traceback

            from app.logs import private_trace
            from app.surfaces.cli.output import CRASHED
            from app.surfaces.cli.parser import is_stderr_log

            if is_stderr_log(self._words):
                print(private_trace(error), file=sys.stderr)
            else:
                traceback.print_exception(error)
            raise SystemExit(CRASHED)


def _run(options: argparse.Namespace) -> int:
    import logging

    from app.domain.errors import KnownError
    from app.logs import keep_private
    from app.surfaces.cli.output import MISUSED, MisuseError, escaped

    if getattr(options, "verbose", False):
        logging.basicConfig(level=logging.DEBUG, format="%(levelname)s %(name)s: %(message)s")
    elif options.row is not None and options.row.for_programs:
        keep_private()
    run = open_window if options.row is None else options.row.run
    try:
        return _written(lambda: run(_with_library(options), program)) or 0
    except (KnownError, MisuseError, ValueError) as error:
        if isinstance(error, ValueError) and not _is_refused_setting(error):
            raise
        print(f"intentscope: {escaped(error)}", file=sys.stderr)
        return MISUSED


def _with_library(options: argparse.Namespace) -> argparse.Namespace:
    """Return the options, with the profile of the library they name, if any."""
    if not isinstance(getattr(options, "library", None), str):
        return options
    from app.surfaces.cli.team import profile_of

    options.profile = profile_of(options, program)
    return options


def _written(run: Callable[[], Result]) -> Result | int:
    """Run and flush what writes to stdout; return its result, or an exit code if output is lost."""
    code: Result | int = 0
    try:
        code = run()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of stdout has gone: write nothing more, not even at exit.
        give_up_stdout()
    except OSError as error:
        import errno

        if errno.errorcode.get(error.errno or 0) not in DISK_FULL:
            raise
        from app.files import why_unwritten
        from app.surfaces.cli.output import MISUSED, escaped

        print(f"intentscope: The output cannot be written: {escaped(why_unwritten(error))}.", file=sys.stderr)
        give_up_stdout()
        return MISUSED
    return code


def _is_refused_setting(error: ValueError) -> bool:
    """Check the type with a late import, so that the window is painted before settings are read."""
    from app.settings.model import SettingsError

    return isinstance(error, SettingsError)


def give_up_stdout() -> None:
    """Redirect stdout to the null device, so that unwritten output is not retried at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_window(options: argparse.Namespace, root: Root) -> int:
    """Open the window, or raise the one that is already open for this profile."""
    from app.surfaces.cli.output import MisuseError

    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in SCREENS):
        raise MisuseError("No screen to open a window on (DISPLAY and WAYLAND_DISPLAY are not set).")
    from app.adapters.profile import profile_at, profiles_list, settings_at
    from app.services.system.start_requests import StartRequest
    from app.surfaces.cli.instance import acquire_window_lock, screen_of, send_start_request
    from app.surfaces.cli.output import OK
    from app.surfaces.cli.parser import files_of
    from app.surfaces.cli.program import choices_of, is_plain

    files, missing = files_of(getattr(options, "files", ()))
    if missing:
        raise MisuseError(f"File not found: {missing[0]}.")
    folder = profile_at(getattr(options, "profile", None))
    chosen = getattr(options, "settings", None)
    start = StartRequest(getattr(options, "query", None), tuple(files), os.environ.get("XDG_ACTIVATION_TOKEN", ""))
    mine = acquire_window_lock(folder)
    if mine is None and send_start_request(folder, start, screen_of()):
        lost = " --set and --settings were left out." if chosen or getattr(options, "pairs", ()) else ""
        print(f"intentscope: The window of this profile is open already; it came to the front.{lost}", file=sys.stderr)
        return OK
    from app.gui.shell.application import run
    from app.gui.shell.remedy_actions import Places

    def newest_version(url: str) -> Any:
        from app.adapters.bounded_http import newest_version

        return newest_version(url)

    def join(profile: Any, address: str, password: str, tell: Any) -> object:
        from app.settings.model import Choices

        return root().join_team(Choices(profile, None, ()), address, password or None, tell)

    def take_notices() -> Any:
        return root().take_notices(choices_of(options))

    def make_workbench() -> Any:
        workbench = root().make_forgiving_workbench(choices_of(options))
        if is_plain(options):
            from functools import partial

            from app.surfaces.cli.query_commands import run_query_command
            from app.surfaces.hook.engine_server import EngineServer

            EngineServer(workbench, folder, partial(run_query_command, options.parse)).follow()
        return workbench

    try:
        return run(
            make_workbench,
            query=start.query,
            files=start.files,
            exit_after=getattr(options, "exit_after", None),
            places=Places(folder, settings_at(chosen, folder), profiles_list(), join, take_notices),
            listen=None if mine is None else mine.listen,
            newest_version=newest_version,
        )
    finally:
        if mine is not None:
            mine.release()


if __name__ == "__main__":
    sys.exit(main())
