"""Options of the commands: types of their values, then one function per group."""

from __future__ import annotations

import argparse
import errno
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.domain.route import COLORS

AddCommand = Callable[[str, str], argparse.ArgumentParser]
"""Adds the parser of a command, by name and `--help` summary."""

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
    """Add the option for table columns of imported files."""
    option(read, "--columns", "HEADING=COLUMN", "field of a CSV column; may be repeated", action="append", default=[])


def seconds(text: str) -> float:
    """Parse a duration of at least 0 s; all parsers here raise ArgumentTypeError."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not (math.isfinite(found) and found >= 0.0):
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of seconds (0 or more).")
    return found


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


def count(text: str) -> int:
    """Parse a number from 1 to 999,999."""
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) < 10**6):
        raise argparse.ArgumentTypeError(f"“{text}” is not a whole number from 1 to 999,999.")
    return int(text)


def key(text: str) -> int:
    """Parse a key of the library."""
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 0 < int(text) < 2**62):
        raise argparse.ArgumentTypeError(f"“{text}” is not a whole number of at least 1.")
    return int(text)


def share(text: str) -> float:
    """Parse a share from 0 to 1."""
    found = seconds(text)
    if found > 1.0:
        raise argparse.ArgumentTypeError(f"“{text}” is not a number from 0 to 1.")
    return found


def hundredths(text: str) -> int:
    """Parse a percentage from 0 to 100."""
    if not (text.isascii() and text.isdigit() and int(text[:9]) <= 100):
        raise argparse.ArgumentTypeError(f"“{text}” is not a whole number from 0 to 100.")
    return int(text)


def port(text: str) -> int:
    """Parse a TCP port, 0 for any free one."""
    if not (text.isascii() and text.isdigit() and int(text[:9]) < 2**16):
        raise argparse.ArgumentTypeError(f"“{text}” is not a port from 0 to 65535.")
    return int(text)


# ---- Queries, evaluation, routes, and the system

LOGS = ("text", "jsonl", "subcog", "chat")


def add_questions(command: AddCommand) -> None:
    for name, summary in (
        ("inspect", "Inspect a query, from type to route, with the reasons."),
        ("detect", "Detect the type of a query, such as how-to or troubleshoot, by keywords, examples and the LLM."),
        ("resolve", "Find the power that serves a query."),
    ):
        question = command(name, summary)
        question.add_argument("text", nargs="?", metavar="TEXT")
        flag(question, "--stdin", "read one query per line, print one answer per line")
        flag(question, "--no-llm", "without the LLM: keywords and examples")
        question.add_argument("--log", choices=("auto", *LOGS), help="stdin is a log or chat: answer its queries")
        if name != "resolve":
            flag(question, "--late", "wait for a late answer of the LLM, up to 30 seconds")
        if name == "inspect":
            flag(question, "--keep", "store the answers in history and inbox")
            flag(question, "--words", "also show the result without each word")
        if name == "resolve":
            flag(question, "--no-start", "start no power, approved or not")


def add_why_not(command: AddCommand) -> None:
    asked = command(
        "why-not", "Explain where an expected answer was lost, what would make it win, and the effect on all cases."
    )
    asked.add_argument("text", metavar="TEXT")
    option(
        asked,
        "--expect",
        "KIND:NAME",
        "what was expected: intent (or type), memory, power or route, and its name; KIND:none: no answer",
        required=True,
    )


def add_evaluate(command: AddCommand) -> None:
    judged = command("evaluate", "Evaluate the answers to labelled queries.")
    judged.add_argument("cases", nargs="?", type=Path, metavar="CASES")
    judged.add_argument("--task", choices=TASKS)
    add_columns(judged)
    option(
        judged,
        "--gate",
        "METRIC>=X",
        "exit with 1 unless true; of a comparison also broken, fixed, net and p",
        action="append",
        default=[],
    )
    option(judged, "--precision", "P", "find the confidence from which this share is right, such as 0.97", type=share)
    option(
        judged,
        "--strangers",
        "S",
        "with --precision: share of out-of-scope queries; by default as in the cases",
        type=share,
    )
    option(judged, "--junit", "FILE", "write cases and gates as JUnit XML, for build servers", type=Path)
    flag(judged, "--tokens", "token cost of answers about powers, compared with all their tools")
    _add_llm(judged)
    flag(judged, "--no-teach", "routes: use the shipped examples only")
    option(judged, "--against", "KEY=VALUE", "compare with this setting; may be repeated", action="append", default=[])
    flag(
        judged,
        "--refit",
        "first refit stale learned weights, store them, and list the changes",
    )
    flag(judged, "--runs", "list the stored evaluations")
    option(judged, "--forget-run", "ID", "delete a stored evaluation permanently", type=key)
    option(
        judged, "--against-run", "ID", "compare with a stored evaluation, by default the last of this task", type=run
    )
    option(judged, "--sweep", "KEY=VALUES", "try several values of a setting: 0:0.2:0.02, max,cascade or all")


def _add_llm(judged: argparse.ArgumentParser) -> None:
    flag(judged, "--llm", "ask the LLM for each case of types, intents or powers, and show what it adds")
    flag(judged, "--no-llm", "send nothing to the LLM; with --llm, use its stored answers")
    flag(judged, "--ask-anew", "with --llm: ask again instead of using stored answers")
    option(judged, "--llm-seconds", "S", "with --llm: time-out of each case; by default 10", type=seconds)
    option(judged, "--repeat", "N", "with --llm: number of times to ask each case", type=count)


def add_bench(command: AddCommand) -> None:
    timed = command("bench", "Measure the time per keystroke, compared with plain loops.")
    option(timed, "--sizes", "N,N", "number of triggers", default="1000,10000")
    option(timed, "--plot", "FILE.svg", "draw time and memory against size", type=Path)


def add_route(command: AddCommand) -> None:
    routed = command("route", "Route a query to a data store, or summarize the log of decisions.")
    routed.add_argument("text", nargs="?", metavar="TEXT")
    flag(routed, "--stdin", "read one query per line, print one answer per line")
    flag(routed, "--no-llm", "rules and taught examples only")
    flag(routed, "--run", "query the stores of the route")
    flag(routed, "--compare", "with --run: query every other store, too")
    flag(routed, "--metrics", "summary of the log, with the targets")
    flag(routed, "--audit", "compare rules, LLM and cases on a hundred queries")
    flag(routed, "--clear-cache", "delete the stored answers of the LLM")
    flag(routed, "--clear-log", "delete all decisions; their cost is kept")


def add_simulate(command: AddCommand) -> None:
    simulated = command("simulate", "Route queries with the current and with other settings, and compare.")
    option(
        simulated,
        "queries",
        "FILE",
        "queries, with the right routes where known; by default the log of decisions",
        nargs="?",
        type=Path,
    )
    flag(simulated, "--cases", "use the library's own cases for routes")
    option(simulated, "--last", "N", "number of newest decisions of the log", type=count, default=1000)
    option(
        simulated,
        "--against",
        "KEY=VALUE",
        "a changed setting, such as route.threshold=0.95; may be repeated",
        action="append",
        default=[],
    )
    option(
        simulated,
        "--llm-fails",
        "SHARE",
        "share of the LLM's answers that fail under the change, such as 0.2",
        type=share,
        default=0.0,
    )
    option(simulated, "--seed", "N", "seed of the choice; by default 0", type=int, default=0)
    flag(simulated, "--no-llm", "ask no LLM on either side")


def add_rollout(command: AddCommand) -> None:
    rolled = command(
        "rollout", "Route a share of the queries with other settings and compare; without arguments: print the state."
    )
    option(
        rolled,
        "share",
        "SHARE",
        "share of the queries in percent, such as 10, 50 or 100; 0 ends it",
        nargs="?",
        type=hundredths,
    )
    option(
        rolled,
        "--against",
        "KEY=VALUE",
        "a setting of the candidate, such as route.threshold=0.95; by default the previous ones",
        action="append",
        default=[],
    )


def add_stores(command: AddCommand) -> None:
    stores = command("stores", "List the data stores that answer routed queries, or fill one.")
    one = stores.add_mutually_exclusive_group()
    option(one, "--fill", "NAME", "write new and changed memories and powers to this store")
    option(one, "--password", "NAME", "store the password of this store; read from stdin")
    option(one, "--sources", "NAME", "list the documents of others on this server, and the setting that reads them")
    option(one, "--judge", "CASES", "run labelled queries on every store, and check the routed one", type=Path)
    stores.add_argument(
        "--task", choices=("intent", "memory", "power"), help="with --judge: task of the cases, if they do not name it"
    )
    flag(stores, "--yes", "with --fill: run the statements without asking")


def add_routes(command: AddCommand) -> None:
    own = command("routes", "List, add, change, switch on or off the routes of queries.")
    wanted = own.add_mutually_exclusive_group()
    option(wanted, "--add", "NAME", "add a route of your own")
    option(wanted, "--change", "NAME", "change a route, also a shipped one")
    option(wanted, "--on", "NAME", "switch it on")
    option(wanted, "--off", "NAME", "switch it off; its rules and examples stay")
    option(wanted, "--reset", "NAME", "reset a shipped route; “all”: all five")
    option(wanted, "--remove", "NAME", "remove it with its rules and examples; the log stays")
    option(wanted, "--import", "FILE", "import the routes of a TOML file", type=Path, dest="taken")
    option(wanted, "--export", "FILE", "export all to a TOML file; -: stdout", type=Path)
    option(own, "--name", "NEW", "with --change: new name of a route of your own")
    option(own, "--title", "WORDS", "with --add or --change: title on buttons")
    option(own, "--stores", "A,B", "with --add or --change: its stores; by default its name")
    own.add_argument("--colour", choices=COLORS, help="with --add or --change: its colour")
    option(own, "--about", "WORDS", "with --add or --change: its description for the LLM")


ENCODERS = ("intentscope-minilm", "sentence-transformers", "ollama")
INSTALLED = ("sentence-transformers",)
"""Encoders that need an installation."""

CHECKING = "doctor"


def add_metrics(command: AddCommand) -> None:
    counted = command(
        "metrics", "Report what assistants did with memories and powers, and summarize the log of routes."
    )
    option(counted, "--days", "N", "number of days, today included", type=count, default=30)


def add_settings(command: AddCommand) -> None:
    chosen = command("settings", "List settings with their origin, or change them as in the window.")
    option(
        chosen,
        "words",
        "KEY=VALUE",
        "set this; a key or words without = list the matching settings",
        nargs="*",
        default=[],
    )
    option(chosen, "--reset", "KEY", "reset this setting; may be repeated", action="append")


def add_serving(command: AddCommand) -> None:
    command("mcp", "Serve an assistant over MCP on standard input and output.")
    served = command("serve", "Serve assistants over MCP by HTTP, on this machine only and with a token.")
    served.add_argument("--host", default="127.0.0.1", help="a loopback address")
    option(served, "--port", "N", "by default the setting serve.port; 0: any free one", type=port)
    flag(served, "--show-token", "print the token that assistants must send")
    flag(served, "--new-token", "create a new token, and print it")
    command("hook", "Answer an assistant's prompt hook: JSON on stdin, the injected context on stdout.")
    command("engine", "Answer prompt hooks until none has arrived for a while; started by the hook.")


def add_connect(command: AddCommand) -> None:
    connected = command("connect", "Add this program to an assistant's configuration, after showing the changes.")
    option(connected, "client", "CLIENT", "the assistant; by default all are listed", nargs="?")
    option(connected, "--file", "FILE", "the configuration file, if not the default", type=Path)
    how = connected.add_mutually_exclusive_group()
    flag(how, "--yes", "write it without asking")
    flag(how, "--undo", "restore the previous file")
    flag(how, "--print", "only print the text for the configuration", dest="printed")


def add_encoders(command: AddCommand) -> None:
    offered = command("encoders", "List the encoders with their cost here, and whether they are installed.")
    what = offered.add_mutually_exclusive_group()
    option(what, "--install", "NAME", "install the missing parts of this one", choices=INSTALLED)
    option(what, "--try", "NAME", "try this one on your labelled cases", dest="tried", choices=ENCODERS)


def add_doctor(command: AddCommand) -> None:
    checked = command(CHECKING, "Check profile, library and encoder.")
    option(
        checked,
        "--library",
        "ADDRESS",
        "also check the library, here or at an address: unreachable thresholds, unused rules and memories",
        nargs="?",
        const=True,
        default=False,
    )
    flag(checked, "--compact", "first compact the library's file")


# ---- The library: files, backups, team, teaching, approval, curating

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
    option(taken, "file", "FILE", "a file, or the folder of a library, of skills or of notes", nargs="?", type=Path)
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
    flag(taken, "--accept-settings", "accept addresses and permissions of another program's settings without asking")
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
    option(marked, "--answer", "KIND:NAME", "the memory or power; by default the first match")
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
    option(approved, "--yes", "DIGEST", "approve without asking; the digest that was shown")
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
    option(alike, "--spelling", "S", "minimum similarity, 0 to 1; by default curate.duplicate_spelling", type=share)
    option(alike, "--meaning", "S", "minimum similarity, 0 to 1; by default curate.duplicate_meaning", type=share)
    done = alike.add_mutually_exclusive_group()
    option(done, "--keep", "KEY.P", "keep trigger P, remove the others")
    option(done, "--merge", "KEY.P", "merge them into one memory with the response of P")
    option(done, "--drop", "KEY.P", "delete trigger P")
    option(done, "--apart", "KEY", "never show these together again")


# ---- Inbox and history


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
    flag(past, "--replay", "ask them again, and list those with another answer today, and why")
    flag(
        past,
        "--refits",
        "list the fits of the learned weights, and the cases and recent queries that they changed",
    )
    gone = past.add_mutually_exclusive_group()
    option(gone, "--forget", "QUERY", "delete this query; may be repeated", type=key, action="append")
    flag(gone, "--forget-all", "delete every query and the stored evaluations")
