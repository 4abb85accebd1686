"""Arguments of the library commands: files, backups, team, teaching, approval, curating."""

from __future__ import annotations

from pathlib import Path

from app.surfaces.cli.arguments.values import TASKS, AddCommand, add_columns, count, key, share

KINDS = ("memories", "powers", "rules", "cases")
FORMATS = (
    "jsonl",
    "csv",
    "tsv",
    "graph",
    "mcp",
    "toml",
    "dialogflow",
    "botpress",
    "homeassistant",
    "snips",
    "jsontable",
    "routes",
    "tools",
    "rasa",
    "pairs",
    "spell",
    "json",
    "yaml",
    "skill",
    "notes",
    "qa",
    "fasttext",
    "padatious",
    "zip",
    "lines",
    "rhasspy",
)
WRITTEN = ("jsonl", "csv", "tsv", "toml", "json", "yaml")

LOGGED = 20
"""Default number of changes shown from a team's log."""


def add_transfer(command: AddCommand) -> None:
    taken = command("import", "Add the content of a file to the library.")
    taken.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="or the folder of a library, of skills or of notes"
    )
    taken.add_argument(
        "--kind",
        choices=(*KINDS, "settings", "auto"),
        default="auto",
        help="kind of the content; by default detected; settings: those of Subcog's configuration file",
    )
    taken.add_argument("--task", choices=TASKS, help="task of imported cases")
    taken.add_argument("--seed", action="store_true", help="add the memories and powers of the sample library")
    taken.add_argument(
        "--format", choices=("auto", *FORMATS), default="auto", help="format of the file; by default detected"
    )
    add_columns(taken)
    taken.add_argument("--no-teach", action="store_true", help="store cases for routes without learning from them")
    taken.add_argument(
        "--dry-run", action="store_true", help="print what would be added and changed, and change nothing"
    )
    taken.add_argument(
        "--accept-settings",
        action="store_true",
        help="of another program's configuration take addresses and permissions as well, unasked",
    )
    given = command("export", "Export one kind of the library's content.")
    given.add_argument(
        "--kind", choices=(*KINDS, "library"), required=True, help="library: everything, as a folder of text files"
    )
    given.add_argument("--format", choices=WRITTEN, help="by default from the suffix of --output, else jsonl")


def add_copies(command: AddCommand) -> None:
    copied = command("backup", "Copy the whole library into one file, and print its name.")
    copied.add_argument("--list", action="store_true", help="list the stored copies, newest first")
    restored = command("restore", "Replace the library by a copy, and keep the previous one.")
    restored.add_argument("copy", nargs="?", type=Path, metavar="FILE", help="by default the newest stored copy")
    restored.add_argument(
        "--accept-settings",
        action="store_true",
        help="accept addresses and permissions of a copy from elsewhere without asking",
    )


def add_team(command: AddCommand) -> None:
    shared = command("team", "Join, leave or show the library that a team shares on a PostgreSQL server.")
    what = shared.add_mutually_exclusive_group()
    what.add_argument(
        "--join", metavar="ADDRESS", help="postgresql://USER@HOST/DATABASE; an empty one receives the local library"
    )
    what.add_argument("--index", action="store_true", help="fill or update the search index on the team's server")
    what.add_argument(
        "--log",
        nargs="?",
        type=count,
        const=LOGGED,
        metavar="N",
        help="the server's log: who changed how many items and when, newest first",
    )
    what.add_argument("--leave", action="store_true", help="leave the team and keep a copy of the library")
    shared.add_argument(
        "--offline", action="store_true", help="leave without the server; the latest changes of others are missing"
    )
    shared.add_argument("--password", action="store_true", help="enter the server's password hidden, or by stdin")


def add_teaching(command: AddCommand) -> None:
    taught = command("teach", "Teach a text: as a memory, a trigger of an answer, or a query of a route or type.")
    taught.add_argument("text", metavar="TEXT", help="the text to teach")
    taught.add_argument("--intent", metavar="LABEL", help="the intent of the new memory")
    taught.add_argument("--response", metavar="WORDS", help="the response of the new memory")
    taught.add_argument("--name", metavar="NAME", help="the name of the new memory; by default its trigger")
    taught.add_argument("--namespace", metavar="NAME", help="the namespace of the new memory; by default context")
    taught.add_argument("--to", metavar="KIND:NAME", help="instead: add a trigger to this memory or power")
    taught.add_argument("--route", metavar="LABEL", help="instead: add an example query of this route")
    taught.add_argument("--type", metavar="TYPE", help="instead: add an example query of this type, or of none")
    marked = command("mark", "Mark an answer right or wrong for a query, or all wrong: the query becomes a case.")
    marked.add_argument("text", metavar="TEXT")
    how = marked.add_mutually_exclusive_group(required=True)
    how.add_argument("--right", action="store_true", help="the answer was right")
    how.add_argument("--wrong", action="store_true", help="the answer was wrong")
    how.add_argument(
        "--none", action="store_true", help="no answer is right: the query becomes a case that expects none"
    )
    marked.add_argument("--answer", metavar="KIND:NAME", help="which memory or power; by default the first match")
    command("undo", "Undo the last step, or the step with this number.").add_argument(
        "step", nargs="?", type=key, metavar="STEP", help="the number of a step, as `steps` lists it"
    )
    command("redo", "Redo the step that was undone last.")
    listed = command("steps", "List the steps done to the library, newest first, those of the window included.")
    listed.add_argument("--most", type=count, default=20, metavar="N", help="maximum number of steps")
    listed.add_argument("--of", metavar="KIND:NAME", help="only steps on this memory, power, rule or case")
    listed.add_argument("--by", metavar="NAME", help="only steps of this team member")


def add_approving(command: AddCommand) -> None:
    approved = command("approve", "Approve the command of a power, which is shown word for word first.")
    approved.add_argument("name", metavar="NAME", help="the power")
    approved.add_argument("--yes", metavar="DIGEST", help="do not ask; the digest shown before")
    called = command("call", "Start an approved power, call one of its tools, and stop it again.")
    called.add_argument("name", metavar="POWER", help="the power")
    called.add_argument("tool", nargs="?", metavar="TOOL", help="the tool; by default all are listed")
    called.add_argument(
        "--refresh", action="store_true", help="score queries against the tools it lists now, even instead of your own"
    )
    called.add_argument(
        "arguments",
        nargs="*",
        default=[],
        metavar="NAME=VALUE",
        help="its arguments, or all of them as one JSON object",
    )


def add_removing(command: AddCommand) -> None:
    paused = command("pause", "Pause memories or powers: keep them, but exclude them from the answers.")
    paused.add_argument("names", nargs="+", metavar="KIND:NAME", help="memory or power, and its name")
    paused.add_argument("--resume", action="store_true", help="resume them")
    removed = command("remove", "Move memories, powers, rules or cases to the bin.")
    removed.add_argument("names", nargs="+", metavar="KIND:NAME", help="memory, power, rule or case, and its name")
    kept = command("bin", "List and restore deleted items.")
    what = kept.add_mutually_exclusive_group()
    what.add_argument("--restore", action="append", metavar="KIND:NAME", help="restore this; may be repeated")
    what.add_argument("--empty", action="store_true", help="delete the content of the bin permanently")


def add_cases(command: AddCommand) -> None:
    tests = command("cases", "List labelled queries, newest first, each with its number.")
    tests.add_argument("--most", type=count, default=20, metavar="N", help="maximum number of cases")
    tests.add_argument("--task", choices=TASKS, help="only cases of this task")
    tests.add_argument("--find", metavar="WORDS", help="only cases whose text or answers contain this")


def add_rules(command: AddCommand) -> None:
    ruled = command("rules", "List, switch on or off, and reset packs of keyword rules.")
    wanted = ruled.add_mutually_exclusive_group()
    wanted.add_argument("--pack", metavar="PACK", help="list the rules of this pack")
    wanted.add_argument("--on", metavar="NAME", help="switch on all rules of a pack, or the rule of this id")
    wanted.add_argument("--off", metavar="NAME", help="switch them off")
    wanted.add_argument("--reset", metavar="PACK", help="restore a shipped pack")
    wanted.add_argument(
        "--move", nargs=2, metavar=("RULE", "PLACE"), help="put a rule at this place of its pack, counted from 1"
    )


def add_duplicates(command: AddCommand) -> None:
    alike = command("duplicates", "List similar triggers, of the same answer or of different ones.")
    alike.add_argument("--most", type=count, default=20, metavar="N", help="maximum number of findings")
    alike.add_argument(
        "--spelling", type=share, metavar="S", help="alike from here on, 0 to 1; by default curate.duplicate_spelling"
    )
    alike.add_argument(
        "--meaning", type=share, metavar="S", help="alike from here on, 0 to 1; by default curate.duplicate_meaning"
    )
    done = alike.add_mutually_exclusive_group()
    done.add_argument("--keep", metavar="KEY.P", help="keep trigger P, remove the others")
    done.add_argument("--merge", metavar="KEY.P", help="merge them into one memory with the response of P")
    done.add_argument("--drop", metavar="KEY.P", help="delete trigger P")
    done.add_argument("--apart", metavar="KEY", help="never show these together again")


# --------------------------------------------------------------------------------------------------------------------
# Inbox and history


def add_inbox(command: AddCommand) -> None:
    waiting = command("inbox", "List queries to review, and decide them.")
    waiting.add_argument("--most", type=count, default=20, metavar="N", help="maximum number of queries")
    decided = waiting.add_mutually_exclusive_group()
    decided.add_argument("--right", type=key, metavar="QUERY", help="the first answer of this number was right")
    decided.add_argument("--wrong", type=key, metavar="QUERY", help="the first answer of this number was wrong")
    decided.add_argument("--none", type=key, metavar="QUERY", help="no answer is right for this number")
    decided.add_argument("--skip", type=key, metavar="QUERY", help="decide nothing about this number")


def add_history(command: AddCommand) -> None:
    past = command("history", "List stored queries, newest first, or delete them permanently.")
    past.add_argument("--most", type=count, default=20, metavar="N", help="maximum number of queries")
    past.add_argument("--find", metavar="WORDS", help="only queries that contain all of these words")
    past.add_argument(
        "--uses", choices=("most", "never"), help="list memories instead: the most used, or those never used"
    )
    past.add_argument(
        "--memory", metavar="NAME", help="queries for which this memory was injected, or left out and why"
    )
    past.add_argument(
        "--replay", action="store_true", help="ask them again, and list what is answered differently today, and why"
    )
    past.add_argument(
        "--refits",
        action="store_true",
        help="instead: list the fits of the learned weights, and the cases and recent queries that they changed",
    )
    gone = past.add_mutually_exclusive_group()
    gone.add_argument("--forget", type=key, action="append", metavar="QUERY", help="delete this query; may be repeated")
    gone.add_argument("--forget-all", action="store_true", help="delete every query and the stored evaluations")
