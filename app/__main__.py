"""The front door: takes the words of the command line, runs one command, and ends with its exit code."""

from __future__ import annotations

import argparse
import errno
import io
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from types import TracebackType

from app.commands import COMMANDS
from app.commands.arguments import parser
from app.commands.output import CRASHED, MISUSED, OK, MisuseError, visible_here

# Scoring is one matrix-vector product a keystroke: more threads of the linear algebra only get in each other's way.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

KEEPER = "--keep-process"
"""How a bundle, which has no other Python, is started to stand between the program and a power's server."""

DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO) if hasattr(errno, "EDQUOT") else (errno.ENOSPC,)
"""What the system says where an output does not fit."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    if arguments is None and sys.argv[1:2] == [KEEPER]:
        from app.adapters.process import keeper

        return keeper.main(sys.argv[2:])
    open_what_is_closed()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    options = _parsed(sys.argv[1:] if arguments is None else arguments)
    with BugsAreTold():
        return _run(options)


def open_what_is_closed() -> None:
    """Give a program that was started without standard streams, as `>&-` and windows without a terminal do, ones that
    lead nowhere: no file that it opens then gets their number, and no print ends it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    """The words as options; SystemExit where they cannot be, for a hook without an error, which would keep the prompt
    from the assistant."""
    from app.surfaces.cli.locked import with_command

    try:
        return parser().parse_args(with_command(words, COMMANDS))
    except SystemExit as end:
        raise SystemExit(OK if "hook" in words else end.code) from None


class BugsAreTold:
    """What nobody expected ends with its traceback and an exit code of its own: 1 is for checks that failed."""

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            traceback.print_exception(error)
            raise SystemExit(CRASHED)


def _run(options: argparse.Namespace) -> int:
    if getattr(options, "verbose", False):
        logging.basicConfig(level=logging.DEBUG, format="%(levelname)s %(name)s: %(message)s")
    run = COMMANDS[options.command or "gui"]
    from app.domain.errors import KnownError

    try:
        code = run(options)
        sys.stdout.flush()
        return code
    except (KnownError, MisuseError, ValueError) as error:
        if isinstance(error, ValueError) and not _is_refused_setting(error):
            raise
        print(f"intentscope: {visible_here(error)}", file=sys.stderr)
        return MISUSED
    except KeyboardInterrupt as stop:
        print(f"intentscope: {str(stop) or 'stopped.'}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output has gone; nothing is left to say, not even at exit.
        give_up_stdout()
        return OK
    except OSError as error:
        if error.errno not in DISK_FULL:
            raise
        print(f"intentscope: The output cannot be written: {visible_here(error.strerror)}.", file=sys.stderr)
        give_up_stdout()
        return MISUSED


def _is_refused_setting(error: ValueError) -> bool:
    """Asked late, so that the window is painted before settings are read."""
    from app.settings.model import SettingsError

    return isinstance(error, SettingsError)


def give_up_stdout() -> None:
    """What could not be written must not be tried again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
