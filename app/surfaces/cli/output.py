"""Output of a command: to the terminal, or to a file that is replaced atomically."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from app import files

OK, FAILED, MISUSED, CRASHED, INTERRUPTED = 0, 1, 2, 70, 130
"""Exit codes (S8.1): success; failed check; bad usage or input; bug of the program; Ctrl+C."""


class MisuseError(Exception):
    """The command line is invalid; the message is a sentence."""


@contextlib.contextmanager
def output(options: argparse.Namespace, *, private: bool = False) -> Iterator[TextIO]:
    """Open stdout, or the file of --output, which is replaced when everything is written.

    See `files.writing` for special targets and refusals. Only its owner may read a private file.
    """
    path: Path | None = getattr(options, "output", None)
    if path is None:
        yield sys.stdout
    else:
        with written(path, private=private) as file:
            yield file


@contextlib.contextmanager
def written(path: Path, *, private: bool = False) -> Iterator[TextIO]:
    """Write a file atomically; raises MisuseError if it cannot be written."""
    with contextlib.ExitStack() as opened:
        with as_misuse(path):
            stream = opened.enter_context(files.writing(path, mode=files.PRIVATE if private else None))
        file = io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", newline="\n")
        yield file
        with as_misuse(path):
            file.flush()
            opened.close()


@contextlib.contextmanager
def as_misuse(path: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise MisuseError(f"{path} cannot be written: {error.strerror or error}.") from error


def visible_here(sentence: object) -> str:
    """Escape a sentence for the terminal, since it may quote a file or an argument."""
    from app.display.visible import visible

    return visible(str(sentence))
