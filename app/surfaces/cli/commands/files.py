"""Commands on the library as a whole: files, copies, and the team that shares it."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.domain.journal import BY_PLURAL
from app.surfaces.cli.library.import_export import run_backup, run_export, run_import, run_restore
from app.surfaces.cli.library.team import run_team
from app.surfaces.cli.options import TASKS, add_columns, count, flag, option
from app.surfaces.cli.program import Command

FORMATS = (
    "jsonl", "csv", "tsv", "graph", "mcp", "toml", "dialogflow", "botpress", "homeassistant", "snips",
    "jsontable", "routes", "tools", "rasa", "pairs", "spell", "json", "yaml", "skill", "notes",
    "qa", "fasttext", "padatious", "lu", "zip", "lines", "rhasspy"
)  # fmt: skip
WRITTEN = ("jsonl", "csv", "tsv", "toml", "json", "yaml")

LOGGED = 20
"""Default number of changes shown from a team's log."""


def import_options(command: argparse.ArgumentParser) -> None:
    option(command, "file", "FILE", "a file, or the folder of a library, of skills or of notes", nargs="?", type=Path)
    command.add_argument(
        "--kind",
        choices=(*BY_PLURAL, "settings", "auto"),
        default="auto",
        help="kind of the content; by default detected; settings: those of Subcog's configuration file",
    )
    command.add_argument("--task", choices=TASKS, help="task of imported cases")
    flag(command, "--seed", "add the memories and powers of the sample library")
    command.add_argument(
        "--format", choices=("auto", *FORMATS), default="auto", help="format of the file; by default detected"
    )
    add_columns(command)
    flag(command, "--no-teach", "store cases for routes without learning from them")
    flag(command, "--dry-run", "print what would be added and changed, and change nothing")
    flag(command, "--accept-settings", "accept addresses and permissions of another program's settings without asking")


def export_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--kind", choices=(*BY_PLURAL, "library"), required=True, help="library: everything, as a folder of text files"
    )
    command.add_argument("--format", choices=WRITTEN, help="by default from the suffix of --output, else jsonl")


def backup_options(command: argparse.ArgumentParser) -> None:
    flag(command, "--list", "list the stored copies, newest first")


def restore_options(command: argparse.ArgumentParser) -> None:
    option(command, "copy", "FILE", "by default the newest stored copy", nargs="?", type=Path)
    flag(command, "--accept-settings", "accept addresses and permissions of a copy from elsewhere without asking")


def team_options(command: argparse.ArgumentParser) -> None:
    what = command.add_mutually_exclusive_group()
    option(what, "--join", "ADDRESS", "postgresql://USER@HOST/DATABASE; an empty one receives the local library")
    flag(what, "--index", "fill or update the search index on the team's server")
    option(
        what,
        "--log",
        "N",
        "the server's log: who changed how many items and when, newest first",
        nargs="?",
        type=count,
        const=LOGGED,
    )
    flag(what, "--leave", "leave the team and keep a copy of the library")
    flag(command, "--offline", "leave without the server; the latest changes of others are missing")
    flag(command, "--password", "enter the server's password hidden, or by stdin")


COMMANDS = (
    Command("import", "Add the content of a file to the library.", run_import, import_options),
    Command("export", "Export one kind of the library's content.", run_export, export_options),
    Command("backup", "Copy the whole library into one file, and print its name.", run_backup, backup_options),
    Command("restore", "Replace the library by a copy, and keep the previous one.", run_restore, restore_options),
    Command(
        "team", "Join, leave or show the library that a team shares on a PostgreSQL server.", run_team, team_options
    ),
)
