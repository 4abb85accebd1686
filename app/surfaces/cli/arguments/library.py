"""The commands of what is taught: files in and out, copies, a team, teaching, approving, and curating."""

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
"""So many changes of a team's log are shown where nobody says how many."""


def add_transfer(command: AddCommand) -> None:
    taken = command("import", "Add what a file holds to the library.")
    taken.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="or the folder of a library, of skills or of notes"
    )
    taken.add_argument(
        "--kind",
        choices=(*KINDS, "settings", "auto"),
        default="auto",
        help="what it holds, told from it by default; settings: those of Subcog's configuration file",
    )
    taken.add_argument("--task", choices=TASKS, help="what imported cases label")
    taken.add_argument("--seed", action="store_true", help="add the library that ships with the program")
    taken.add_argument(
        "--format", choices=("auto", *FORMATS), default="auto", help="what the file is, told from it by default"
    )
    add_columns(taken)
    taken.add_argument("--no-teach", action="store_true", help="cases for routes are kept but do not teach")
    taken.add_argument("--dry-run", action="store_true", help="say what would be added and changed, and change nothing")
    taken.add_argument(
        "--accept-settings",
        action="store_true",
        help="of another program's configuration take addresses and permissions as well, unasked",
    )
    given = command("export", "Write one kind of the library's content.")
    given.add_argument(
        "--kind", choices=(*KINDS, "library"), required=True, help="library: everything, as a folder of text files"
    )
    given.add_argument("--format", choices=WRITTEN, help="by default that of the ending of --output, else jsonl")


def add_copies(command: AddCommand) -> None:
    copied = command("backup", "Copy the whole library into one file, and say where.")
    copied.add_argument("--list", action="store_true", help="say which copies are kept, the newest first")
    restored = command("restore", "Put a copy in the library's place, and keep what was there.")
    restored.add_argument("copy", nargs="?", type=Path, metavar="FILE", help="by default the newest that is kept")
    restored.add_argument(
        "--accept-settings",
        action="store_true",
        help="of a copy from elsewhere take addresses and permissions as well, unasked",
    )


def add_team(command: AddCommand) -> None:
    shared = command("team", "The library that a team shares on a PostgreSQL server: join it, leave it, see it.")
    what = shared.add_mutually_exclusive_group()
    what.add_argument(
        "--join",
        metavar="ADDRESS",
        help="postgresql://USER@HOST/DATABASE; an empty one takes what is here",
    )
    what.add_argument(
        "--index", action="store_true", help="fill what is searched on the servers, or bring it up to date"
    )
    what.add_argument(
        "--log",
        nargs="?",
        type=count,
        const=LOGGED,
        metavar="N",
        help="the server's log: who changed how many things when, the newest first",
    )
    what.add_argument("--leave", action="store_true", help="go on alone, with all that is in the library")
    shared.add_argument(
        "--offline", action="store_true", help="leave without the server: what others changed last is not here"
    )
    shared.add_argument("--password", action="store_true", help="type the server's password unseen, or by stdin")


def add_teaching(command: AddCommand) -> None:
    taught = command("teach", "Teach a text: as a memory, as one more trigger of an answer, or as a query of a route.")
    taught.add_argument("text", metavar="TEXT", help="what is taught")
    taught.add_argument("--intent", metavar="LABEL", help="the intent of the new memory")
    taught.add_argument("--response", metavar="WORDS", help="what the new memory says")
    taught.add_argument("--name", metavar="NAME", help="what the new memory is called; by default its trigger")
    taught.add_argument("--namespace", metavar="NAME", help="where the new memory belongs; by default context")
    taught.add_argument("--to", metavar="KIND:NAME", help="instead: one more trigger of this memory or power")
    taught.add_argument("--route", metavar="LABEL", help="instead: a query that this route is right for")
    marked = command(
        "mark", "Mark an answer right or wrong for a query, or all of them wrong: the query becomes a case."
    )
    marked.add_argument("text", metavar="TEXT")
    how = marked.add_mutually_exclusive_group(required=True)
    how.add_argument("--right", action="store_true", help="the answer was right")
    how.add_argument("--wrong", action="store_true", help="the answer was wrong")
    how.add_argument("--none", action="store_true", help="no answer is right: the query becomes a case of nothing")
    marked.add_argument("--answer", metavar="KIND:NAME", help="which memory or power; by default the first match")
    command("undo", "Undo the last step, or the step with this number.").add_argument(
        "step", nargs="?", type=key, metavar="STEP", help="the number of a step, as `steps` lists it"
    )
    command("redo", "Redo the step that was undone last.")
    listed = command("steps", "What was done to the library, newest first, also in the window.")
    listed.add_argument("--most", type=count, default=20, metavar="N", help="so many steps at most")
    listed.add_argument("--of", metavar="KIND:NAME", help="only what was done to this memory, power, rule or case")
    listed.add_argument("--by", metavar="NAME", help="only what was done by this person of a team")


def add_approving(command: AddCommand) -> None:
    approved = command("approve", "Approve the command of a power, which is shown word for word first.")
    approved.add_argument("name", metavar="NAME", help="the power")
    approved.add_argument("--yes", metavar="DIGEST", help="do not ask: the digest of what was shown before")
    called = command("call", "Start an approved power, call one of its tools, and stop it again.")
    called.add_argument("name", metavar="POWER", help="the power")
    called.add_argument("tool", nargs="?", metavar="TOOL", help="the tool; without, all are listed")
    called.add_argument(
        "--refresh", action="store_true", help="score queries against the tools it lists now, also instead of your own"
    )
    called.add_argument(
        "arguments",
        nargs="*",
        default=[],
        metavar="NAME=VALUE",
        help="its arguments, or all of them as one JSON object",
    )


def add_removing(command: AddCommand) -> None:
    paused = command("pause", "Take memories or powers out of the answers without forgetting them.")
    paused.add_argument("names", nargs="+", metavar="KIND:NAME", help="memory or power, and its name")
    paused.add_argument("--resume", action="store_true", help="bring them back")
    removed = command("remove", "Put memories, powers, rules or cases into the bin.")
    removed.add_argument("names", nargs="+", metavar="KIND:NAME", help="memory, power, rule or case, and its name")
    kept = command("bin", "What is deleted and can be put back.")
    what = kept.add_mutually_exclusive_group()
    what.add_argument("--restore", action="append", metavar="KIND:NAME", help="put this back; may be repeated")
    what.add_argument("--empty", action="store_true", help="forget for good what is in the bin")


def add_cases(command: AddCommand) -> None:
    tests = command("cases", "Labelled queries, newest first, each with the number that names it.")
    tests.add_argument("--most", type=count, default=20, metavar="N", help="so many cases at most")
    tests.add_argument("--task", choices=TASKS, help="only those that label this")
    tests.add_argument("--find", metavar="WORDS", help="only those whose text or answers hold this")


def add_rules(command: AddCommand) -> None:
    ruled = command("rules", "Packs of keyword rules: listed, switched on and off, and made again what they came as.")
    wanted = ruled.add_mutually_exclusive_group()
    wanted.add_argument("--pack", metavar="PACK", help="list the rules of this pack")
    wanted.add_argument("--on", metavar="NAME", help="switch on all rules of a pack, or the rule of this id")
    wanted.add_argument("--off", metavar="NAME", help="switch them off")
    wanted.add_argument("--reset", metavar="PACK", help="make a pack what it was when it came with the program")
    wanted.add_argument(
        "--move", nargs=2, metavar=("RULE", "PLACE"), help="put a rule at this place of its pack, counted from 1"
    )


def add_duplicates(command: AddCommand) -> None:
    alike = command("duplicates", "Triggers that are alike: of the same answer, or of answers that differ.")
    alike.add_argument("--most", type=count, default=20, metavar="N", help="so many findings at most")
    alike.add_argument("--spelling", type=share, default=0.90, metavar="S", help="alike from here on, 0 to 1")
    alike.add_argument("--meaning", type=share, default=0.95, metavar="S", help="alike from here on, 0 to 1")
    done = alike.add_mutually_exclusive_group()
    done.add_argument("--keep", metavar="KEY.P", help="let the answer of trigger P have it alone")
    done.add_argument("--merge", metavar="KEY.P", help="make one memory of all, with the response of P")
    done.add_argument("--drop", metavar="KEY.P", help="delete trigger P")
    done.add_argument("--apart", metavar="KEY", help="never show these together again")
