"""Commands on the library: its items, files, copies, and the team that shares it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from app.domain.journal import BY_PLURAL
from app.domain.route import COLORS
from app.surfaces.cli.import_export import run_backup, run_export, run_import, run_restore
from app.surfaces.cli.options import TASKS, add_columns, count, flag, key, option, share
from app.surfaces.cli.output import Printer
from app.surfaces.cli.program import Command, Root, with_workbench
from app.surfaces.cli.team import run_team

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


def teach_options(command: argparse.ArgumentParser) -> None:
    option(command, "text", "TEXT", "the text to teach")
    option(command, "--intent", "LABEL", "the intent of the new memory")
    option(command, "--response", "WORDS", "the response of the new memory")
    option(command, "--name", "NAME", "the name of the new memory; by default its trigger")
    option(command, "--namespace", "NAME", "the namespace of the new memory; by default context")
    option(command, "--to", "KIND:NAME", "instead: add a trigger to this memory or power")
    option(command, "--route", "LABEL", "instead: add an example query of this route")
    option(command, "--type", "TYPE", "instead: add an example query of this type, or of none")


def mark_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("text", metavar="TEXT")
    how = command.add_mutually_exclusive_group(required=True)
    flag(how, "--right", "the answer was right")
    flag(how, "--wrong", "the answer was wrong")
    flag(how, "--none", "no answer is right: the query becomes a case that expects none")
    option(command, "--answer", "KIND:NAME", "the memory or power; by default the first match")


def undo_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("step", nargs="?", type=key, metavar="STEP", help="the number of a step, as `steps` lists it")


def steps_options(command: argparse.ArgumentParser) -> None:
    command.set_defaults(changing=())
    option(command, "--most", "N", "maximum number of steps", type=count, default=20)
    option(command, "--of", "KIND:NAME", "only steps on this memory, power, rule or case")
    option(command, "--by", "NAME", "only steps of this team member")


def approve_options(command: argparse.ArgumentParser) -> None:
    option(command, "name", "NAME", "the power")
    option(command, "--yes", "DIGEST", "approve without asking; the digest that was shown")


def call_options(command: argparse.ArgumentParser) -> None:
    option(command, "name", "POWER", "the power")
    option(command, "tool", "TOOL", "the tool; by default all are listed", nargs="?")
    flag(command, "--refresh", "score queries against the tools it lists now, even instead of your own")
    option(
        command, "arguments", "NAME=VALUE", "its arguments, or all of them as one JSON object", nargs="*", default=[]
    )


def pause_options(command: argparse.ArgumentParser) -> None:
    option(command, "names", "KIND:NAME", "memory or power, and its name", nargs="+")
    flag(command, "--resume", "resume them")


def remove_options(command: argparse.ArgumentParser) -> None:
    option(command, "names", "KIND:NAME", "memory, power, rule or case, and its name", nargs="+")


def bin_options(command: argparse.ArgumentParser) -> None:
    command.set_defaults(changing=("restore", "empty"))
    what = command.add_mutually_exclusive_group()
    option(what, "--restore", "KIND:NAME", "restore this; may be repeated", action="append")
    flag(what, "--empty", "delete the content of the bin permanently")


def inbox_options(command: argparse.ArgumentParser) -> None:
    command.set_defaults(changing=("right", "wrong", "none", "skip"))
    option(command, "--most", "N", "maximum number of queries", type=count, default=20)
    decided = command.add_mutually_exclusive_group()
    option(decided, "--right", "QUERY", "the first answer of this number was right", type=key)
    option(decided, "--wrong", "QUERY", "the first answer of this number was wrong", type=key)
    option(decided, "--none", "QUERY", "no answer is right for this number", type=key)
    option(decided, "--skip", "QUERY", "decide nothing about this number", type=key)


def history_options(command: argparse.ArgumentParser) -> None:
    command.set_defaults(changing=("forget", "forget_all"))
    option(command, "--most", "N", "maximum number of queries", type=count, default=20)
    option(command, "--find", "WORDS", "only queries that contain all of these words")
    command.add_argument(
        "--uses", choices=("most", "never"), help="list memories instead: the most used, or those never used"
    )
    option(command, "--memory", "NAME", "queries for which this memory was injected, or left out and why")
    flag(command, "--replay", "ask them again, and list those with another answer today, and why")
    flag(command, "--refits", "list fits and changes of settings, with the cases and recent queries that they changed")
    gone = command.add_mutually_exclusive_group()
    option(gone, "--forget", "QUERY", "delete this query; may be repeated", type=key, action="append")
    flag(gone, "--forget-all", "delete every query and the stored evaluations")


def cases_options(command: argparse.ArgumentParser) -> None:
    command.set_defaults(changing=())
    option(command, "--most", "N", "maximum number of cases", type=count, default=20)
    command.add_argument("--task", choices=TASKS, help="only cases of this task")
    option(command, "--find", "WORDS", "only cases whose text or answers contain this")


def settings_options(command: argparse.ArgumentParser) -> None:
    command.set_defaults(changing=("reset",))
    option(
        command,
        "words",
        "KEY=VALUE",
        "set this; a key or words without = list the matching settings",
        nargs="*",
        default=[],
    )
    option(command, "--reset", "KEY", "reset this setting; may be repeated", action="append")


def rules_options(command: argparse.ArgumentParser) -> None:
    command.set_defaults(changing=("on", "off", "reset", "move"))
    wanted = command.add_mutually_exclusive_group()
    option(wanted, "--pack", "PACK", "list the rules of this pack")
    option(wanted, "--on", "NAME", "switch on all rules of a pack, or the rule of this id")
    option(wanted, "--off", "NAME", "switch them off")
    option(wanted, "--reset", "PACK", "restore a shipped pack")
    wanted.add_argument(
        "--move", nargs=2, metavar=("RULE", "PLACE"), help="put a rule at this place of its pack, counted from 1"
    )


def routes_options(command: argparse.ArgumentParser) -> None:
    command.set_defaults(changing=("add", "change", "on", "off", "reset", "remove", "taken"))
    wanted = command.add_mutually_exclusive_group()
    option(wanted, "--add", "NAME", "add a route of your own")
    option(wanted, "--change", "NAME", "change a route, also a shipped one")
    option(wanted, "--on", "NAME", "switch it on")
    option(wanted, "--off", "NAME", "switch it off; its rules and examples stay")
    option(wanted, "--reset", "NAME", "reset a shipped route; “all”: all five")
    option(wanted, "--remove", "NAME", "remove it with its rules and examples; the log stays")
    option(wanted, "--import", "FILE", "import the routes of a TOML file", type=Path, dest="taken")
    option(wanted, "--export", "FILE", "export all to a TOML file; -: stdout", type=Path)
    option(command, "--name", "NEW", "with --change: new name of a route of your own")
    option(command, "--title", "WORDS", "with --add or --change: title on buttons")
    option(command, "--stores", "A,B", "with --add or --change: its stores; by default its name")
    command.add_argument("--colour", choices=COLORS, help="with --add or --change: its colour")
    option(command, "--about", "WORDS", "with --add or --change: its description for the LLM")


def duplicates_options(command: argparse.ArgumentParser) -> None:
    command.set_defaults(changing=("keep", "merge", "drop", "apart"))
    option(command, "--most", "N", "maximum number of findings", type=count, default=20)
    option(command, "--spelling", "S", "minimum similarity, 0 to 1; by default curate.duplicate_spelling", type=share)
    option(command, "--meaning", "S", "minimum similarity, 0 to 1; by default curate.duplicate_meaning", type=share)
    done = command.add_mutually_exclusive_group()
    option(done, "--keep", "KEY.P", "keep trigger P, remove the others")
    option(done, "--merge", "KEY.P", "merge them into one memory with the response of P")
    option(done, "--drop", "KEY.P", "delete trigger P")
    option(done, "--apart", "KEY", "never show these together again")


def run_curating(options: argparse.Namespace, root: Root) -> int:
    """Run the command's function in `curate`; without a `changing` option it only reads."""
    from app.surfaces.cli.curate import curate

    def work(workbench: Any, out: Printer) -> Any:
        return curate(workbench, options, out)

    changing = getattr(options, "changing", None)
    reads = changing is not None and not any(getattr(options, one) not in (None, False, []) for one in changing)
    reads = reads and "=" not in "".join(getattr(options, "words", ()))
    answers = options.row.answers or getattr(options, "replay", False)
    return with_workbench(options, root, work, wait=answers, encoder=answers, reads=reads)


def run_approving(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli import approve

    act = approve.call if options.command == "call" else approve.approve

    return with_workbench(options, root, lambda workbench, out: act(workbench, options, out), wait=False, encoder=False)


COMMANDS = (
    Command("import", "Add the content of a file to the library.", run_import, import_options),
    Command("export", "Export one kind of the library's content.", run_export, export_options),
    Command("backup", "Copy the whole library into one file, and print its name.", run_backup, backup_options),
    Command("restore", "Replace the library by a copy, and keep the previous one.", run_restore, restore_options),
    Command(
        "team", "Join, leave or show the library that a team shares on a PostgreSQL server.", run_team, team_options
    ),
    Command(
        "teach",
        "Teach a text: as a memory, a trigger of an answer, or a query of a route or type.",
        run_curating,
        teach_options,
    ),
    Command(
        "mark",
        "Mark an answer right or wrong for a query, or all wrong: the query becomes a case.",
        run_curating,
        mark_options,
        answers=True,
    ),
    Command("undo", "Undo the last step, or the step with this number.", run_curating, undo_options),
    Command("redo", "Redo the step that was undone last.", run_curating),
    Command(
        "steps",
        "List the steps done to the library, newest first, those of the window included.",
        run_curating,
        steps_options,
    ),
    Command(
        "approve", "Approve the command of a power, which is shown word for word first.", run_approving, approve_options
    ),
    Command("call", "Start an approved power, call one of its tools, and stop it again.", run_approving, call_options),
    Command(
        "pause", "Pause memories or powers: keep them, but exclude them from the answers.", run_curating, pause_options
    ),
    Command("remove", "Move memories, powers, rules or cases to the bin.", run_curating, remove_options),
    Command("bin", "List and restore deleted items.", run_curating, bin_options),
    Command("inbox", "List queries to review, and decide them.", run_curating, inbox_options),
    Command("history", "List stored queries, newest first, or delete them permanently.", run_curating, history_options),
    Command("cases", "List labelled queries, newest first, each with its number.", run_curating, cases_options),
    Command(
        "settings", "List settings with their origin, or change them as in the window.", run_curating, settings_options
    ),
    Command("rules", "List, switch on or off, and reset packs of keyword rules.", run_curating, rules_options),
    Command("routes", "List, add, change, switch on or off the routes of queries.", run_curating, routes_options),
    Command(
        "duplicates",
        "List similar triggers, of the same answer or of different ones.",
        run_curating,
        duplicates_options,
        uses_fit=False,
        answers=True,
    ),
)
