"""What the options of several commands take: numbers, folders, tasks, columns."""

from __future__ import annotations

import argparse
import errno
import math
from collections.abc import Callable
from pathlib import Path

AddCommand = Callable[[str, str], argparse.ArgumentParser]
"""Adds the parser of one command, by its name and the sentence that `--help` has for it."""

TASKS = ("intent", "memory", "power", "route", "type")

_LONGEST_NAME = "x" * 64
"""No name in a profile is longer, so where this one fits, all do."""


def add_columns(read: argparse.ArgumentParser) -> None:
    """The option of a command that reads files of cases or of other content, which may be tables."""
    read.add_argument(
        "--columns",
        action="append",
        default=[],
        metavar="HEADING=COLUMN",
        help="the content of a column of a CSV file",
    )


def seconds(text: str) -> float:
    """A duration from 0 on, in seconds; ArgumentTypeError, as of all that follow."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not (math.isfinite(found) and found >= 0.0):
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of seconds (0 or more).")
    return found


def run(text: str) -> int:
    """The number of a kept run; 0 for the last."""
    if text == "last":
        return 0
    try:
        return key(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"“{text}” is not the number of a run or “last”.") from None


def folder(text: str) -> Path:
    """The folder of a profile. An empty name would mean the working directory, which nobody means who lets a variable
    in a script stay empty."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty: name a folder, or leave it out for the default profile.")
    try:
        (Path(text) / _LONGEST_NAME).exists()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise argparse.ArgumentTypeError("the path is longer than this system allows: choose a shorter one.") from None
    return Path(text)


def count(text: str) -> int:
    """A number from 1 to 999,999."""
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) < 10**6):
        raise argparse.ArgumentTypeError(f"“{text}” is not a whole number of at least 1.")
    return int(text)


def key(text: str) -> int:
    """A number that the library may have given to something."""
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 0 < int(text) < 2**62):
        raise argparse.ArgumentTypeError(f"“{text}” is not a whole number of at least 1.")
    return int(text)


def share(text: str) -> float:
    """A part of a whole, from 0 to 1."""
    found = seconds(text)
    if found > 1.0:
        raise argparse.ArgumentTypeError(f"“{text}” is not a number from 0 to 1.")
    return found


def hundredths(text: str) -> int:
    """A part of a hundred, from 0 to 100."""
    if not (text.isascii() and text.isdigit() and int(text[:9]) <= 100):
        raise argparse.ArgumentTypeError(f"“{text}” is not a whole number from 0 to 100.")
    return int(text)


def port(text: str) -> int:
    """A port of TCP, 0 for any free one."""
    if not (text.isascii() and text.isdigit() and int(text[:9]) < 2**16):
        raise argparse.ArgumentTypeError(f"“{text}” is not a port from 0 to 65535.")
    return int(text)
