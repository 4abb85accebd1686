"""Argument parser: all commands and options, in the order of `--help`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from app.surfaces.cli.commands import COMMANDS
from app.surfaces.cli.options import flag, folder, option, seconds
from app.surfaces.cli.output import OK, escaped
from app.surfaces.hook.engine_client import first_word


@cache
def parser() -> argparse.ArgumentParser:
    """Make the parser of all commands; its 500 options are made once per process."""
    common = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    option(common, "--profile", "DIR", "folder of library, settings and caches", type=folder)
    option(common, "--settings", "FILE", "a settings file (TOML)", type=Path)
    option(common, "--set", "KEY=VALUE", "one setting; may be repeated", action="append", dest="pairs")
    flag(common, "--json", "print one JSON document on stdout")
    option(common, "--output", "FILE", "write to a file instead of stdout", type=Path)
    flag(common, "--verbose", "log to stderr, queries included")
    shared = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    option(
        shared,
        "--library",
        "ADDRESS",
        "the team's library at postgresql://USER@HOST/DATABASE; the profile joins it first if needed",
    )
    top = _Parser(
        prog="intentscope",
        description="Type a query and see what a hybrid intent detector finds, and why.",
        epilog="Files given instead of a command are opened in the window.",
        parents=[common, shared],
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", action=_Commands)

    def command(name: str, summary: str) -> _Parser:
        parents = [common] if name == "doctor" else [common, shared]  # its own --library has another meaning
        return commands.add_parser(name, help=summary, description=summary, parents=parents)

    gui = command("gui", "Open the window (the default).")
    for shown in (top, gui):
        option(shown, "--exit-after", "S", "close again after S seconds", type=seconds, default=argparse.SUPPRESS)
        option(shown, "--query", "TEXT", "type this text at the start", default=argparse.SUPPRESS)
    option(gui, "files", "FILE", "a file to import, or the folder of a library", nargs="*")
    for row in COMMANDS.values():
        made = command(row.name, row.summary)
        made.set_defaults(row=row)
        row.add_options(made)
    top.set_defaults(row=None, parse=top.parse_args)  # an engine parses the command lines of its clients
    return top


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]  # it takes none at run time
    """Merges settings before and after the command; argparse would replace the former."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        before = getattr(namespace, "pairs", [])
        namespace.pairs = []
        super().__call__(parser, namespace, values, option_string)
        namespace.pairs = [*before, *namespace.pairs]
        if not namespace.pairs:
            del namespace.pairs


class _Parser(argparse.ArgumentParser):
    """Escapes user input in error messages; options cannot be abbreviated."""

    def __init__(self, **said: Any) -> None:
        super().__init__(allow_abbrev=False, **said)

    def error(self, message: str) -> NoReturn:
        super().error(escaped(message))


class _Version(argparse.Action):
    """Looks the version up on demand."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"intentscope {version('intentscope')}")
        parser.exit(OK)


WINDOW = "gui"


def with_command(words: Sequence[str]) -> list[str]:
    """Return the words with the window's command inserted before files in the command's place.

    A word that is neither a command nor like a file stays: it is a misspelt command.
    """
    found = list(words)
    place = first_word(found)
    if place is not None and found[place] not in {WINDOW, *COMMANDS} and _is_file(found[place]):
        found.insert(place, WINDOW)
    return found


def is_stderr_log(words: Sequence[str]) -> bool:
    """Check if stderr is a log: an assistant's, or the desktop's for a window."""
    place = first_word(words)
    if place is None or words[place] == WINDOW:
        return True
    return words[place] in COMMANDS and COMMANDS[words[place]].for_programs


def files_of(names: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """Return the absolute paths that exist, and those that do not."""
    paths = [Path(name).absolute() for name in names]
    return [path for path in paths if path.exists()], [path for path in paths if not path.exists()]


def _is_file(word: str) -> bool:
    separators = {os.sep, os.altsep or os.sep, "."}
    return any(separator in word for separator in separators) or Path(word).exists()
