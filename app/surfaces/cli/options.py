"""Adding options to the parser of a command, and the types of their values."""

from __future__ import annotations

import argparse
import errno
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

Options = argparse._ActionsContainer
"""A parser, or a group of options of one."""

TASKS = ("intent", "memory", "power", "route", "type")

_LONGEST_NAME = "x" * 64
"""Longest file name in a profile: if it fits, all do."""


def flag(to: Options, name: str, meaning: str, **how: Any) -> None:
    to.add_argument(name, action="store_true", help=meaning, **how)


def option(to: Options, name: str, metavar: str, meaning: str, **how: Any) -> None:
    """Add an option or operand with a value, as `metavar` in `--help`."""
    to.add_argument(name, metavar=metavar, help=meaning, **how)


def add_columns(read: argparse.ArgumentParser) -> None:
    option(
        read, "--columns", "HEADING=COLUMN", "field of a column or name; may be repeated", action="append", default=[]
    )


def seconds(text: str) -> float:
    """Parse a duration of at least 0 s; all parsers here raise ArgumentTypeError."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not (math.isfinite(found) and found >= 0.0):
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of seconds (0 or more).")
    return found


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """Make a parser of whole numbers in a range."""
    said = f"of at least {least}" if most is None else f"from {least} to {most:,}"

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 19 and least <= int(text) <= (most or int(text))):
            raise argparse.ArgumentTypeError(f"“{text}” is not a whole number {said}.")
        return int(text)

    return parse


count = whole(1, 999_999)
key = whole(1)
hundredths = whole(0, 100)
port = whole(0, 65_535)


def run(text: str) -> int:
    """Parse the number of a stored run; 0 for the last."""
    if text == "last":
        return 0
    try:
        return key(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"“{text}” is not the number of a run or “last”.") from None


def folder(text: str) -> Path:
    """Parse a profile folder; an empty name is refused.

    It would mean the working directory, and usually comes from an unset variable in a script.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty: name a folder, or leave it out for the default profile.")
    try:
        (Path(text) / _LONGEST_NAME).exists()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise argparse.ArgumentTypeError("the path is longer than this system allows: choose a shorter one.") from None
    return Path(text)


def share(text: str) -> float:
    found = seconds(text)
    if found > 1.0:
        raise argparse.ArgumentTypeError(f"“{text}” is not a number from 0 to 1.")
    return found
