"""Arguments of the library commands: files, backups, team, teaching, approval, curating."""

from __future__ import annotations

from pathlib import Path

from app.surfaces.cli.arguments.values import TASKS, AddCommand, add_columns, count, flag, key, option, share

KINDS = ("memories", "powers", "rules", "cases")
FORMATS = (
    "jsonl", "csv", "tsv", "graph", "mcp", "toml", "dialogflow", "botpress", "homeassistant", "snips",
    "jsontable", "routes", "tools", "rasa", "pairs", "spell", "json", "yaml", "skill", "notes",
    "qa", "fasttext", "padatious", "zip", "lines", "rhasspy",
)  # fmt: skip
WRITTEN = ("jsonl", "csv", "tsv", "toml", "json", "yaml")

LOGGED = 20
"""Default number of changes shown from a team's log."""


def add_transfer(command: AddCommand) -> None:
    taken = command("import", "Add the content of a file to the library.")
    option(taken, "file", "FILE", "or the folder of a library, of skills or of notes", nargs="?", type=Path)
    taken.add_argument(
        "--kind",
        choices=(*KINDS, "settings", "auto"),
        default="auto",
        help="kind of the content; by default detected; settings: those of Subcog's configuration file",
    )
    taken.add_argument("--task", choices=TASKS, help="task of imported cases")
    flag(taken, "--seed", "add the memories and powers of the sample library")
    taken.add_argument(
        "--format", choices=("auto", *FORMATS), default="auto", help="format of the file; by default detected"
    )
    add_columns(taken)
    flag(taken, "--no-teach", "store cases for routes without learning from them")
    flag(taken, "--dry-run", "print what would be added and changed, and change nothing")
    flag(
        taken, "--accept-settings", "of another program's configuration take addresses and permissions as well, unasked"
    )
    given = command("export", "Export one kind of the library's content.")
    given.add_argument(
        "--kind", choices=(*KINDS, "library"), required=True, help="library: everything, as a folder of text files"
    )
    given.add_argument("--format", choices=WRITTEN, help="by default from the suffix of --output, else jsonl")


def add_copies(command: AddCommand) -> None:
    copied = command("backup", "Copy the whole library into one file, and print its name.")
    flag(copied, "--list", "list the stored copies, newest first")
    restored = command("restore", "Replace the library by a copy, and keep the previous one.")
    option(restored, "copy", "FILE", "by default the newest stored copy", nargs="?", type=Path)
    flag(restored, "--accept-settings", "accept addresses and permissions of a copy from elsewhere without asking")


def add_team(command: AddCommand) -> None:
    shared = command("team", "Join, leave or show the library that a team shares on a PostgreSQL server.")
    what = shared.add_mutually_exclusive_group()
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
    flag(shared, "--offline", "leave without the server; the latest changes of others are missing")
    flag(shared, "--password", "enter the server's password hidden, or by stdin")


def add_teaching(command: AddCommand) -> None:
    taught = command("teach", "Teach a text: as a memory, a trigger of an answer, or a query of a route or type.")
    option(taught, "text", "TEXT", "the text to teach")
    option(taught, "--intent", "LABEL", "the intent of the new memory")
    option(taught, "--response", "WORDS", "the response of the new memory")
    option(taught, "--name", "NAME", "the name of the new memory; by default its trigger")
    option(taught, "--namespace", "NAME", "the namespace of the new memory; by default context")
    option(taught, "--to", "KIND:NAME", "instead: add a trigger to this memory or power")
    option(taught, "--route", "LABEL", "instead: add an example query of this route")
    option(taught, "--type", "TYPE", "instead: add an example query of this type, or of none")
    marked = command("mark", "Mark an answer right or wrong for a query, or all wrong: the query becomes a case.")
    marked.add_argument("text", metavar="TEXT")
    how = marked.add_mutually_exclusive_group(required=True)
    flag(how, "--right", "the answer was right")
    flag(how, "--wrong", "the answer was wrong")
    flag(how, "--none", "no answer is right: the query becomes a case that expects none")
    option(marked, "--answer", "KIND:NAME", "which memory or power; by default the first match")
    command("undo", "Undo the last step, or the step with this number.").add_argument(
        "step", nargs="?", type=key, metavar="STEP", help="the number of a step, as `steps` lists it"
    )
    command("redo", "Redo the step that was undone last.")
    listed = command("steps", "List the steps done to the library, newest first, those of the window included.")
    option(listed, "--most", "N", "maximum number of steps", type=count, default=20)
    option(listed, "--of", "KIND:NAME", "only steps on this memory, power, rule or case")
    option(listed, "--by", "NAME", "only steps of this team member")


def add_approving(command: AddCommand) -> None:
    approved = command("approve", "Approve the command of a power, which is shown word for word first.")
    option(approved, "name", "NAME", "the power")
    option(approved, "--yes", "DIGEST", "do not ask; the digest shown before")
    called = command("call", "Start an approved power, call one of its tools, and stop it again.")
    option(called, "name", "POWER", "the power")
    option(called, "tool", "TOOL", "the tool; by default all are listed", nargs="?")
    flag(called, "--refresh", "score queries against the tools it lists now, even instead of your own")
    option(called, "arguments", "NAME=VALUE", "its arguments, or all of them as one JSON object", nargs="*", default=[])


def add_removing(command: AddCommand) -> None:
    paused = command("pause", "Pause memories or powers: keep them, but exclude them from the answers.")
    option(paused, "names", "KIND:NAME", "memory or power, and its name", nargs="+")
    flag(paused, "--resume", "resume them")
    removed = command("remove", "Move memories, powers, rules or cases to the bin.")
    option(removed, "names", "KIND:NAME", "memory, power, rule or case, and its name", nargs="+")
    kept = command("bin", "List and restore deleted items.")
    what = kept.add_mutually_exclusive_group()
    option(what, "--restore", "KIND:NAME", "restore this; may be repeated", action="append")
    flag(what, "--empty", "delete the content of the bin permanently")


def add_cases(command: AddCommand) -> None:
    tests = command("cases", "List labelled queries, newest first, each with its number.")
    option(tests, "--most", "N", "maximum number of cases", type=count, default=20)
    tests.add_argument("--task", choices=TASKS, help="only cases of this task")
    option(tests, "--find", "WORDS", "only cases whose text or answers contain this")


def add_rules(command: AddCommand) -> None:
    ruled = command("rules", "List, switch on or off, and reset packs of keyword rules.")
    wanted = ruled.add_mutually_exclusive_group()
    option(wanted, "--pack", "PACK", "list the rules of this pack")
    option(wanted, "--on", "NAME", "switch on all rules of a pack, or the rule of this id")
    option(wanted, "--off", "NAME", "switch them off")
    option(wanted, "--reset", "PACK", "restore a shipped pack")
    wanted.add_argument(
        "--move", nargs=2, metavar=("RULE", "PLACE"), help="put a rule at this place of its pack, counted from 1"
    )


def add_duplicates(command: AddCommand) -> None:
    alike = command("duplicates", "List similar triggers, of the same answer or of different ones.")
    option(alike, "--most", "N", "maximum number of findings", type=count, default=20)
    option(alike, "--spelling", "S", "alike from here on, 0 to 1; by default curate.duplicate_spelling", type=share)
    option(alike, "--meaning", "S", "alike from here on, 0 to 1; by default curate.duplicate_meaning", type=share)
    done = alike.add_mutually_exclusive_group()
    option(done, "--keep", "KEY.P", "keep trigger P, remove the others")
    option(done, "--merge", "KEY.P", "merge them into one memory with the response of P")
    option(done, "--drop", "KEY.P", "delete trigger P")
    option(done, "--apart", "KEY", "never show these together again")


# --------------------------------------------------------------------------------------------------------------------
# Inbox and history


def add_inbox(command: AddCommand) -> None:
    waiting = command("inbox", "List queries to review, and decide them.")
    option(waiting, "--most", "N", "maximum number of queries", type=count, default=20)
    decided = waiting.add_mutually_exclusive_group()
    option(decided, "--right", "QUERY", "the first answer of this number was right", type=key)
    option(decided, "--wrong", "QUERY", "the first answer of this number was wrong", type=key)
    option(decided, "--none", "QUERY", "no answer is right for this number", type=key)
    option(decided, "--skip", "QUERY", "decide nothing about this number", type=key)


def add_history(command: AddCommand) -> None:
    past = command("history", "List stored queries, newest first, or delete them permanently.")
    option(past, "--most", "N", "maximum number of queries", type=count, default=20)
    option(past, "--find", "WORDS", "only queries that contain all of these words")
    past.add_argument(
        "--uses", choices=("most", "never"), help="list memories instead: the most used, or those never used"
    )
    option(past, "--memory", "NAME", "queries for which this memory was injected, or left out and why")
    flag(past, "--replay", "ask them again, and list what is answered differently today, and why")
    flag(
        past,
        "--refits",
        "instead: list the fits of the learned weights, and the cases and recent queries that they changed",
    )
    gone = past.add_mutually_exclusive_group()
    option(gone, "--forget", "QUERY", "delete this query; may be repeated", type=key, action="append")
    flag(gone, "--forget-all", "delete every query and the stored evaluations")
