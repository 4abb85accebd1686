"""Generate the tables of options in the help on commands.

    python packaging/commands.py           write them to resources/help/commands.md
    python packaging/commands.py --check   exit with 1 if they are out of date

Run it in the program's own environment. The text around the tables is written by hand and kept.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
PAGE = PROJECT / "resources" / "help" / "commands.md"
EVERY = "Every command"
"""Heading of the options of all commands."""
WORDS = {
    "text": "the query",
    "cases": "a file of labelled queries",
    "task": "what the cases label",
}
"""Descriptions of arguments without a help text."""
_TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


def parser() -> argparse.ArgumentParser:
    sys.path.insert(0, str(PROJECT))
    from app.surfaces.cli.parser import parser as made

    return made()


def commands(top: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """Return every command by its name."""
    (choices,) = (action.choices for action in top._actions if isinstance(action, argparse._SubParsersAction))
    return dict(choices)


def table(actions: list[argparse.Action]) -> str:
    """Return a table with one row per argument: its syntax and its help text."""
    rows = [f"| `{_written(one)}` | {_told(one)} |" for one in actions]
    return "\n".join(("| | |", "| --- | --- |", *rows, ""))


def _written(one: argparse.Action) -> str:
    named = " ".join(one.metavar) if isinstance(one.metavar, tuple) else one.metavar
    value = named if named is not None else "|".join(map(str, one.choices or ()))
    if not one.option_strings:
        return value or one.dest.upper()
    named = one.option_strings[-1]
    if one.nargs == 0:
        return named
    value = value or one.dest.upper()
    return f"{named} {f'[{value}]' if one.nargs == '?' else value}".replace("|", "\\|")


def _told(one: argparse.Action) -> str:
    told = (one.help or WORDS.get(one.dest, "")).replace("|", "\\|")
    if one.default not in (None, False, [], argparse.SUPPRESS) and one.nargs != 0:
        told = f"{told}; by default `{one.default}`" if told else f"by default `{one.default}`"
    return told


def tables() -> Iterator[tuple[str, str]]:
    """Yield heading and table of the common options and of every command."""
    top = parser()
    common = {option for one in top._actions for option in one.option_strings} - {"--exit-after", "--query"}
    shared = [one for one in top._actions if one.option_strings and common.issuperset(one.option_strings)]
    yield EVERY, table([one for one in shared if "--help" not in one.option_strings])
    for name, command in commands(top).items():
        own = [one for one in command._actions if one not in shared and "--help" not in one.option_strings]
        if own:
            yield name, table(own)


def written(page: str) -> str:
    """Return the page with generated tables; ValueError if it lacks a heading."""
    top, *sections = page.split("\n## ")
    bodies = {section.partition("\n")[0]: section.partition("\n")[2].strip("\n") for section in sections}
    for heading, made in tables():
        if heading not in bodies:
            raise ValueError(f"{PAGE.name} has no heading “{heading}”.")
        words = _TABLE.sub("", f"{bodies[heading]}\n").strip("\n")
        bodies[heading] = f"{words}\n\n{made}".strip("\n")
    parts = [top.strip("\n"), *(f"## {heading}\n\n{body}" for heading, body in bodies.items())]
    return "\n\n".join(parts) + "\n"


def main(words: list[str]) -> int:
    """Write the page, or check it."""
    before = PAGE.read_text(encoding="utf-8")
    after = written(before)
    if words == ["--check"]:
        return int(before != after)
    PAGE.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
