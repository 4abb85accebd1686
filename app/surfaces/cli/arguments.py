"""Every command of the terminal, with its options."""

from __future__ import annotations

import argparse
import errno
import math
import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, NoReturn

from app.domain.language import say
from app.domain.route import COLORS
from app.surfaces.cli.output import OK, visible_here

KINDS = ("memories", "powers", "rules", "cases")
FORMATS = ("jsonl", "csv", "tsv", "toml", "mcp", "routes", "tools", "rasa", "spell", "json", "yaml", "qa")
WRITTEN = ("jsonl", "csv", "tsv", "toml", "json", "yaml")
LOGS = ("text", "jsonl", "subcog", "chat")
TASKS = ("intent", "memory", "power", "route", "type")
ENCODERS = ("minilm", "accurate", "sentence-transformers", "ollama")
INSTALLED = ("accurate", "sentence-transformers")
"""The encoders that are not there from the start."""

VALUED = ("--profile", "--library", "--settings", "--set", "--output", "--exit-after", "--query")
"""The options before a command that take the next word."""

WINDOW, CHECKING = "gui", "doctor"

LOGGED = 20
"""So many changes of a team's log are shown where nobody says how many."""

FOR_PROGRAMS = frozenset({"hook", "engine", "mcp", "serve"})
"""The commands that answer programs, which know English."""

_LONGEST_NAME = "x" * 64
"""No name in a profile is longer, so where this one fits, all do."""


def parser() -> argparse.ArgumentParser:
    """Every command with its options."""
    common = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument(
        "--profile", type=_folder, metavar="DIR", help=say("where library, settings and caches are kept")
    )
    common.add_argument("--settings", type=Path, metavar="FILE", help=say("a settings file (TOML)"))
    common.add_argument(
        "--set", action="append", dest="pairs", metavar="KEY=VALUE", help=say("one setting; may be repeated")
    )
    common.add_argument("--json", action="store_true", help=say("one JSON document on stdout and nothing else there"))
    common.add_argument("--output", type=Path, metavar="FILE", help=say("write to a file instead of stdout"))
    common.add_argument("--verbose", action="store_true", help=say("log to stderr"))
    shared = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    shared.add_argument(
        "--library",
        metavar="ADDRESS",
        help=say("the team's at postgresql://USER@HOST/DATABASE, in a profile that joins it at first"),
    )
    top = _Parser(
        prog="intentscope",
        description=say("Type a query and see what a hybrid intent detector makes of it, and why."),
        epilog=say("Files instead of a command are opened in the window."),
        parents=[common, shared],
    )
    top.add_argument("--version", action=_Version, nargs=0, help=say("say which version this is"))
    commands = top.add_subparsers(dest="command", metavar="COMMAND", action=_Commands)

    def command(name: str, summary: str) -> _Parser:
        parents = [common] if name == CHECKING else [common, shared]  # its own option of that name has a second use
        return commands.add_parser(name, help=summary, description=summary, parents=parents)

    gui = command("gui", say("Open the window (the default)."))
    for shown in (top, gui):
        shown.add_argument(
            "--exit-after",
            type=_seconds,
            metavar="S",
            default=argparse.SUPPRESS,
            help=say("close again after S seconds"),
        )
        shown.add_argument("--query", metavar="TEXT", default=argparse.SUPPRESS, help=say("type this at the start"))
    gui.add_argument("files", nargs="*", metavar="FILE", help=say("a file to import, or the folder of a library"))
    _add_questions(command)
    taken = command("import", say("Add what a file holds to the library."))
    taken.add_argument("file", nargs="?", type=Path, metavar="FILE", help=say("or the folder of a library"))
    taken.add_argument(
        "--kind",
        choices=(*KINDS, "settings", "auto"),
        default="auto",
        help=say("what it holds, told from it by default; settings: those of Subcog's configuration file"),
    )
    taken.add_argument("--task", choices=TASKS, help=say("what imported cases label"))
    taken.add_argument("--seed", action="store_true", help=say("add the library that ships with the program"))
    taken.add_argument(
        "--format", choices=("auto", *FORMATS), default="auto", help=say("what the file is, told from it by default")
    )
    _add_columns(taken)
    taken.add_argument("--no-teach", action="store_true", help=say("cases for routes are kept but do not teach"))
    taken.add_argument(
        "--dry-run", action="store_true", help=say("say what would be added and changed, and change nothing")
    )
    given = command("export", say("Write one kind of the library's content."))
    given.add_argument(
        "--kind", choices=(*KINDS, "library"), required=True, help=say("library: everything, as a folder of text files")
    )
    given.add_argument("--format", choices=WRITTEN, help=say("by default that of the ending of --output, else jsonl"))
    _add_evaluate(command)
    _add_route(command)
    _add_simulate(command)
    _add_rollout(command)
    _add_last(command)
    return top


def _add_questions(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    for name, summary in (
        ("inspect", say("What the detector makes of a query, from type to route, and why.")),
        ("detect", say("The type of a query, such as how-to or troubleshoot, by keywords, examples and the LLM.")),
        ("resolve", say("Which power serves a query.")),
    ):
        question = command(name, summary)
        question.add_argument("text", nargs="?", metavar="TEXT")
        question.add_argument("--stdin", action="store_true", help=say("one query a line in, one answer a line out"))
        question.add_argument("--no-llm", action="store_true", help=say("without the LLM: keywords and examples"))
        question.add_argument(
            "--log", choices=("auto", *LOGS), help=say("stdin is a log or chat: answer what was asked in it")
        )
        if name != "resolve":
            question.add_argument(
                "--late", action="store_true", help=say("wait for what the LLM says after its budget, up to 30 seconds")
            )
        if name == "inspect":
            question.add_argument("--keep", action="store_true", help=say("keep the answers, for history and inbox"))
            question.add_argument("--words", action="store_true", help=say("also what it would be without each word"))
        if name == "resolve":
            question.add_argument("--no-start", action="store_true", help=say("start no power, approved or not"))


def _add_copies(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    copied = command("backup", say("Copy the whole library into one file, and say where."))
    copied.add_argument("--list", action="store_true", help=say("say which copies are kept, the newest first"))
    restored = command("restore", say("Put a copy in the library's place, and keep what was there."))
    restored.add_argument("copy", nargs="?", type=Path, metavar="FILE", help=say("by default the newest that is kept"))


def _add_team(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    shared = command("team", say("The library that a team shares on a PostgreSQL server: join it, leave it, see it."))
    what = shared.add_mutually_exclusive_group()
    what.add_argument(
        "--join",
        metavar="ADDRESS",
        help=say("postgresql://USER@HOST/DATABASE; an empty one takes what is here"),
    )
    what.add_argument(
        "--index", action="store_true", help=say("fill what is searched on the servers, or bring it up to date")
    )
    what.add_argument(
        "--log",
        nargs="?",
        type=_count,
        const=LOGGED,
        metavar="N",
        help=say("the server's log: who changed how many things when, the newest first"),
    )
    what.add_argument("--leave", action="store_true", help=say("go on alone, with all that is in the library"))
    shared.add_argument(
        "--offline", action="store_true", help=say("leave without the server: what others changed last is not here")
    )
    shared.add_argument("--password", action="store_true", help=say("type the server's password unseen, or by stdin"))


def _add_columns(read: argparse.ArgumentParser) -> None:
    read.add_argument(
        "--columns",
        action="append",
        default=[],
        metavar="HEADING=COLUMN",
        help=say("what a column of a CSV file holds"),
    )


def _add_evaluate(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    judged = command("evaluate", say("How good the answers to labelled queries are."))
    judged.add_argument("cases", nargs="?", type=Path, metavar="CASES")
    judged.add_argument("--task", choices=TASKS)
    _add_columns(judged)
    judged.add_argument(
        "--gate",
        action="append",
        metavar="METRIC>=X",
        default=[],
        help=say("exit 1 unless this holds; of a change also broken, fixed, net and p"),
    )
    judged.add_argument(
        "--precision",
        type=_share,
        metavar="P",
        help=say("from which confidence on so many answers are right, such as 0.97"),
    )
    judged.add_argument(
        "--strangers",
        type=_share,
        metavar="S",
        help=say("with --precision: this share of all queries is of nothing taught; by default as among the cases"),
    )
    judged.add_argument(
        "--junit", type=Path, metavar="FILE", help=say("write cases and gates as JUnit XML, for build servers")
    )
    judged.add_argument(
        "--tokens", action="store_true", help=say("what answers about powers cost, against all their tools")
    )
    _add_llm(judged)
    judged.add_argument("--no-teach", action="store_true", help=say("routes: by what ships alone"))
    judged.add_argument(
        "--against", action="append", metavar="KEY=VALUE", default=[], help=say("what turns under this setting")
    )
    judged.add_argument("--runs", action="store_true", help=say("list the evaluations that are kept, instead of one"))
    judged.add_argument("--forget-run", type=_key, metavar="ID", help=say("forget one of these for good"))
    judged.add_argument(
        "--against-run",
        type=_run,
        metavar="ID",
        help=say("what turned since a kept evaluation, or the last of this task, and what moved it"),
    )
    judged.add_argument(
        "--sweep", metavar="KEY=VALUES", help=say("one setting over values: 0:0.2:0.02, max,cascade or all")
    )


def _add_llm(judged: argparse.ArgumentParser) -> None:
    judged.add_argument(
        "--llm",
        action="store_true",
        help=say("ask the LLM for each case of types, labels or powers, and show what it adds"),
    )
    judged.add_argument(
        "--no-llm", action="store_true", help=say("send it nothing; with --llm, what it said before counts")
    )
    judged.add_argument("--ask-anew", action="store_true", help=say("with --llm: ask also what was asked before"))
    judged.add_argument(
        "--llm-seconds", type=_seconds, metavar="S", help=say("with --llm: so long each case may take; by default 10")
    )
    judged.add_argument(
        "--repeat", type=_count, metavar="N", help=say("with --llm: ask each case so often; how many come out the same")
    )


def _add_route(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    routed = command(
        "route", say("Which data store should answer a query, and what the log of such decisions comes to.")
    )
    routed.add_argument("text", nargs="?", metavar="TEXT")
    routed.add_argument("--stdin", action="store_true", help=say("one query a line in, one answer a line out"))
    routed.add_argument("--no-llm", action="store_true", help=say("rules and taught examples only"))
    routed.add_argument("--run", action="store_true", help=say("have the stores answer that the route leads to"))
    routed.add_argument("--compare", action="store_true", help=say("with --run: ask every other store, too"))
    routed.add_argument("--metrics", action="store_true", help=say("what the log comes to, beside the targets"))
    routed.add_argument("--audit", action="store_true", help=say("what rules, LLM and cases say of a hundred queries"))
    routed.add_argument("--clear-cache", action="store_true", help=say("forget what the LLM said"))
    routed.add_argument("--clear-log", action="store_true", help=say("forget all decisions; what they cost stays"))


def _add_simulate(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    simulated = command("simulate", say("Queries routed under today's settings and under others, side by side."))
    simulated.add_argument(
        "queries",
        nargs="?",
        type=Path,
        metavar="FILE",
        help=say("queries, with the routes that are right where known; by default the log of decisions"),
    )
    simulated.add_argument("--cases", action="store_true", help=say("the library's own cases for routes instead"))
    simulated.add_argument(
        "--last", type=_count, default=1_000, metavar="N", help=say("so many decisions of the log, the newest")
    )
    simulated.add_argument(
        "--against",
        action="append",
        metavar="KEY=VALUE",
        default=[],
        help=say("a setting of the other side, such as route.threshold=0.95; may be repeated"),
    )
    simulated.add_argument(
        "--llm-fails",
        type=_share,
        default=0.0,
        metavar="SHARE",
        help=say("on the other side this share of the LLM's answers does not come, such as 0.2"),
    )
    simulated.add_argument("--seed", type=int, default=0, metavar="N", help=say("which of them; by default 0"))
    simulated.add_argument("--no-llm", action="store_true", help=say("ask no LLM on either side"))


def _add_rollout(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    rolled = command(
        "rollout",
        say("Let some queries be routed by other settings, and see how both do; without words: how it stands."),
    )
    rolled.add_argument(
        "share",
        nargs="?",
        type=_hundredths,
        metavar="SHARE",
        help=say("so many of a hundred queries, such as 10, 50 or 100; 0 goes back"),
    )
    rolled.add_argument(
        "--against",
        action="append",
        metavar="KEY=VALUE",
        default=[],
        help=say("a setting of the candidate, such as route.threshold=0.95; by default those that it had"),
    )


def _add_metrics(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    counted = command(
        "metrics", say("What assistants did with memories and powers, and what the log of routes comes to.")
    )
    counted.add_argument("--days", type=_count, default=30, metavar="N", help=say("so many days, today among them"))


def _add_stores(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    stores = command("stores", say("The data stores that answer routed queries: what each holds; fill one."))
    one = stores.add_mutually_exclusive_group()
    one.add_argument("--fill", metavar="NAME", help=say("bring what is taught into this store, as far as it changed"))
    one.add_argument("--password", metavar="NAME", help=say("keep the password of this store; read from stdin"))
    one.add_argument(
        "--sources",
        metavar="NAME",
        help=say("list what others keep on this server, and the setting that would read it"),
    )
    one.add_argument(
        "--judge", type=Path, metavar="CASES", help=say("put labelled queries to every store: was the routed one right")
    )
    stores.add_argument(
        "--task",
        choices=("intent", "memory", "power"),
        help=say("with --judge: what the cases expect, if they do not say"),
    )
    stores.add_argument("--yes", action="store_true", help=say("with --fill: run the statements without asking"))


def _add_curating(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    taught = command(
        "teach", say("Teach a text: as a memory, as one more trigger of an answer, or as a query of a route.")
    )
    taught.add_argument("text", metavar="TEXT", help=say("what is taught"))
    taught.add_argument("--intent", metavar="LABEL", help=say("the label of the new memory"))
    taught.add_argument("--response", metavar="WORDS", help=say("what the new memory says"))
    taught.add_argument("--name", metavar="NAME", help=say("what the new memory is called; by default its trigger"))
    taught.add_argument("--namespace", metavar="NAME", help=say("where the new memory belongs; by default context"))
    taught.add_argument("--to", metavar="KIND:NAME", help=say("instead: one more trigger of this memory or power"))
    taught.add_argument("--route", metavar="LABEL", help=say("instead: a query that this route is right for"))
    marked = command(
        "mark", say("Mark an answer right or wrong for a query, or all of them wrong: the query becomes a case.")
    )
    marked.add_argument("text", metavar="TEXT")
    how = marked.add_mutually_exclusive_group(required=True)
    how.add_argument("--right", action="store_true", help=say("the answer was right"))
    how.add_argument("--wrong", action="store_true", help=say("the answer was wrong"))
    how.add_argument("--none", action="store_true", help=say("no answer is right: the query becomes a case of nothing"))
    marked.add_argument("--answer", metavar="KIND:NAME", help=say("which memory or power; by default the first match"))
    command("undo", say("Take back the last step, whatever it was, or one of your choice.")).add_argument(
        "step", nargs="?", type=_key, metavar="STEP", help=say("the number of a step, as `steps` lists it")
    )
    command("redo", say("Do again what was taken back last."))
    listed = command("steps", say("What was done to the library, newest first, also in the window."))
    listed.add_argument("--most", type=_count, default=20, metavar="N", help=say("so many steps at most"))
    listed.add_argument("--of", metavar="KIND:NAME", help=say("only what was done to this memory, power, rule or case"))
    listed.add_argument("--by", metavar="NAME", help=say("only what was done by this person of a team"))


def _add_bin_and_inbox(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    approved = command("approve", say("Say yes to what a power runs, which is shown word for word first."))
    approved.add_argument("name", metavar="NAME", help=say("the power"))
    approved.add_argument("--yes", metavar="DIGEST", help=say("do not ask: the digest of what was shown before"))
    called = command("call", say("Start an approved power, call one of its tools, and stop it again."))
    called.add_argument("name", metavar="POWER", help=say("the power"))
    called.add_argument("tool", nargs="?", metavar="TOOL", help=say("the tool; without, all are listed"))
    called.add_argument(
        "arguments",
        nargs="*",
        default=[],
        metavar="NAME=VALUE",
        help=say("its arguments, or all of them as one JSON object"),
    )
    paused = command("pause", say("Take memories or powers out of the answers without forgetting them."))
    paused.add_argument("names", nargs="+", metavar="KIND:NAME", help=say("memory or power, and its name"))
    paused.add_argument("--resume", action="store_true", help=say("bring them back"))
    removed = command("remove", say("Put memories, powers, rules or cases into the bin."))
    removed.add_argument("names", nargs="+", metavar="KIND:NAME", help=say("memory, power, rule or case, and its name"))
    kept = command("bin", say("What is deleted and can be put back."))
    what = kept.add_mutually_exclusive_group()
    what.add_argument("--restore", action="append", metavar="KIND:NAME", help=say("put this back; may be repeated"))
    what.add_argument("--empty", action="store_true", help=say("forget for good what is in the bin"))
    waiting = command("inbox", say("Queries that wait for a decision, and decisions about them."))
    waiting.add_argument("--most", type=_count, default=20, metavar="N", help=say("so many queries at most"))
    decided = waiting.add_mutually_exclusive_group()
    decided.add_argument("--right", type=_key, metavar="QUERY", help=say("the first answer of this number was right"))
    decided.add_argument("--wrong", type=_key, metavar="QUERY", help=say("the first answer of this number was wrong"))
    decided.add_argument("--none", type=_key, metavar="QUERY", help=say("no answer is right for this number"))
    decided.add_argument("--skip", type=_key, metavar="QUERY", help=say("decide nothing about this number"))
    past = command("history", say("Queries that are kept, newest first, and forgetting them for good."))
    past.add_argument("--most", type=_count, default=20, metavar="N", help=say("so many queries at most"))
    past.add_argument("--find", metavar="WORDS", help=say("only those whose text holds all of these words"))
    past.add_argument(
        "--uses",
        choices=("most", "never"),
        help=say("memories instead: those that were used most, or those that never were"),
    )
    past.add_argument(
        "--memory",
        metavar="NAME",
        help=say("those for which this memory was told to an assistant, or left out and why"),
    )
    past.add_argument(
        "--replay", action="store_true", help=say("ask them again: what is answered otherwise today, and why")
    )
    gone = past.add_mutually_exclusive_group()
    gone.add_argument(
        "--forget", type=_key, action="append", metavar="QUERY", help=say("forget this one; may be repeated")
    )
    gone.add_argument("--forget-all", action="store_true", help=say("forget every query and the kept evaluations"))
    _add_configuring(command)
    _add_duplicates(command)


def _add_configuring(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    tests = command("cases", say("Labelled queries, newest first, each with the number that names it."))
    tests.add_argument("--most", type=_count, default=20, metavar="N", help=say("so many cases at most"))
    tests.add_argument("--task", choices=TASKS, help=say("only those that label this"))
    tests.add_argument("--find", metavar="WORDS", help=say("only those whose text or answers hold this"))
    chosen = command("settings", say("What is set and where that comes from; set for good, as in the window."))
    chosen.add_argument(
        "words",
        nargs="*",
        default=[],
        metavar="KEY=VALUE",
        help=say("set this; a key or words without = list what has them"),
    )
    chosen.add_argument("--reset", action="append", metavar="KEY", help=say("forget what was set; may be repeated"))
    ruled = command(
        "rules", say("Packs of keyword rules: listed, switched on and off, and made again what they came as.")
    )
    wanted = ruled.add_mutually_exclusive_group()
    wanted.add_argument("--pack", metavar="PACK", help=say("list the rules of this pack"))
    wanted.add_argument("--on", metavar="NAME", help=say("switch on all rules of a pack, or the rule of this id"))
    wanted.add_argument("--off", metavar="NAME", help=say("switch them off"))
    wanted.add_argument("--reset", metavar="PACK", help=say("make a pack what it was when it came with the program"))
    wanted.add_argument(
        "--move", nargs=2, metavar=("RULE", "PLACE"), help=say("put a rule at this place of its pack, counted from 1")
    )
    _add_routes(command)


def _add_routes(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    own = command("routes", say("The routes that queries can take: listed, added, changed, switched on and off."))
    wanted = own.add_mutually_exclusive_group()
    wanted.add_argument("--add", metavar="NAME", help=say("set up a route of your own"))
    wanted.add_argument("--change", metavar="NAME", help=say("let a route be so, also one that ships"))
    wanted.add_argument("--on", metavar="NAME", help=say("let it be decided for again"))
    wanted.add_argument("--off", metavar="NAME", help=say("nothing decides for it; its rules and examples stay"))
    wanted.add_argument("--reset", metavar="NAME", help=say("as it came with the program; “all”: all five that ship"))
    wanted.add_argument("--remove", metavar="NAME", help=say("remove it with its rules and examples; the log stays"))
    wanted.add_argument("--import", type=Path, dest="taken", metavar="FILE", help=say("set up those of a TOML file"))
    wanted.add_argument("--export", type=Path, metavar="FILE", help=say("write all as a TOML file; -: to the screen"))
    own.add_argument("--name", metavar="NEW", help=say("with --change: what a route of your own is called from now on"))
    own.add_argument("--title", metavar="WORDS", help=say("with --add or --change: what it is called on a button"))
    own.add_argument("--stores", metavar="A,B", help=say("with --add or --change: what answers; by default its name"))
    own.add_argument("--colour", choices=COLORS, help=say("with --add or --change: what it is drawn in"))
    own.add_argument("--about", metavar="WORDS", help=say("with --add or --change: what an LLM knows it by"))


def _add_duplicates(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    alike = command("duplicates", say("Triggers that are alike: of the same answer, or of answers that differ."))
    alike.add_argument("--most", type=_count, default=20, metavar="N", help=say("so many findings at most"))
    alike.add_argument("--spelling", type=_share, default=0.90, metavar="S", help=say("alike from here on, 0 to 1"))
    alike.add_argument("--meaning", type=_share, default=0.95, metavar="S", help=say("alike from here on, 0 to 1"))
    done = alike.add_mutually_exclusive_group()
    done.add_argument("--keep", metavar="KEY.P", help=say("let the answer of trigger P have it alone"))
    done.add_argument("--merge", metavar="KEY.P", help=say("make one memory of all, with the response of P"))
    done.add_argument("--drop", metavar="KEY.P", help=say("delete trigger P"))
    done.add_argument("--apart", metavar="KEY", help=say("never show these together again"))


def _add_why_not(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    asked = command(
        "why-not", say("Where an expected answer was lost, what would make it win, and what that does to all cases.")
    )
    asked.add_argument("text", metavar="TEXT")
    asked.add_argument(
        "--expect",
        required=True,
        metavar="KIND:NAME",
        help=say(
            "what was expected: intent (a label or a type), memory, power or route, and its name; none: no answer"
        ),
    )


def _add_last(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    _add_stores(command)
    _add_metrics(command)
    _add_copies(command)
    _add_team(command)
    _add_curating(command)
    _add_bin_and_inbox(command)
    _add_why_not(command)
    timed = command("bench", say("How fast a keystroke is answered, against plain loops, in one run."))
    timed.add_argument("--sizes", default="1000,10000", metavar="N,N", help=say("how many triggers"))
    timed.add_argument("--plot", type=Path, metavar="FILE.svg", help=say("draw time and memory against size"))
    command("mcp", say("Answer an assistant over MCP on standard input and output."))
    served = command("serve", say("Answer assistants over MCP by HTTP, on this machine only and behind a token."))
    served.add_argument("--host", default="127.0.0.1", help=say("a loopback address"))
    served.add_argument(
        "--port", type=_port, metavar="N", help=say("by default the setting serve.port; 0: any free one")
    )
    served.add_argument("--show-token", action="store_true", help=say("print the token that assistants have to send"))
    served.add_argument("--new-token", action="store_true", help=say("make another token, and print it"))
    command("hook", say("Answer an assistant's prompt hook: JSON on stdin, what joins the context on stdout."))
    command("engine", say("Answer prompt hooks until none has come for a while; the hook starts it by itself."))
    _add_connect(command)
    _add_encoders(command)
    checked = command(CHECKING, say("Check profile, library and encoder."))
    checked.add_argument(
        "--library",
        nargs="?",
        const=True,
        default=False,
        metavar="ADDRESS",
        help=say("also what cannot be reached, never fires, or never comes first; here or at an address"),
    )
    checked.add_argument(
        "--compact",
        action="store_true",
        help=say("first make the library's file smaller: what was kept larger or is free"),
    )


def _add_connect(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    connected = command(
        "connect", say("Name this program in an assistant's configuration, after showing what changes.")
    )
    connected.add_argument("client", nargs="?", metavar="CLIENT", help=say("which assistant; without, all are listed"))
    connected.add_argument("--file", type=Path, metavar="FILE", help=say("the configuration, if it is another file"))
    how = connected.add_mutually_exclusive_group()
    how.add_argument("--yes", action="store_true", help=say("write it without asking"))
    how.add_argument("--undo", action="store_true", help=say("put the file back as it was before"))
    how.add_argument(
        "--print", action="store_true", dest="printed", help=say("only print what belongs into a configuration")
    )


def _add_encoders(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    offered = command(
        "encoders", say("What turns texts into vectors: what each costs here, and what is not installed yet.")
    )
    what = offered.add_mutually_exclusive_group()
    what.add_argument("--install", choices=INSTALLED, metavar="NAME", help=say("fetch what this one lacks"))
    what.add_argument(
        "--try",
        dest="tried",
        choices=ENCODERS,
        metavar="NAME",
        help=say("what this one would do to your labelled cases"),
    )
    offered.add_argument(
        "--from", dest="folder", type=Path, metavar="FOLDER", help=say("accurate: write it from a folder of its model")
    )


def _say_frame() -> tuple[str, ...]:
    """Have argparse say its own words as ours are said: it looks for them by the name that gettext has in it. The
    words, for translators."""
    vars(argparse)["_"] = say
    return (
        say("usage: "),
        say("positional arguments"),
        say("options"),
        say("show this help message and exit"),
        say("the following arguments are required: %s"),
        say("unrecognized arguments: %s"),
        say("expected one argument"),
        say("expected at least one argument"),
        say("argument %(argument_name)s: %(message)s"),
        say("invalid %(type)s value: %(value)r"),
        say("invalid choice: %(value)r (choose from %(choices)s)"),
        say("not allowed with argument %s"),
        say("one of the arguments %s is required"),
        say("ignored explicit argument %r"),
    )


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]  # it takes none at run time
    """Settings named before a command stand beside those named after it, which argparse would put in their place."""

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
    """Its complaints quote what was typed, which a terminal must not obey; an option is written out or it is none."""

    def __init__(self, **said: Any) -> None:
        _say_frame()
        super().__init__(allow_abbrev=False, **said)

    def error(self, message: str) -> NoReturn:
        super().error(visible_here(message))


class _Version(argparse.Action):
    """The version is looked up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"intentscope {version('intentscope')}")
        parser.exit(OK)


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not (math.isfinite(found) and found >= 0.0):
        raise argparse.ArgumentTypeError(say("“{text}” is no number of seconds from 0 on.", text=text))
    return found


def _run(text: str) -> int:
    """The number of a kept run; 0 for the last."""
    if text == "last":
        return 0
    try:
        return _key(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(say("“{text}” is no number of a run, nor “last”.", text=text)) from None


def _folder(text: str) -> Path:
    """The folder of a profile. An empty name would mean the working directory, which nobody means who lets a variable
    in a script stay empty."""
    if not text.strip():
        raise argparse.ArgumentTypeError(say("it is empty: name a folder, or leave it out for the default profile."))
    try:
        (Path(text) / _LONGEST_NAME).exists()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise argparse.ArgumentTypeError(
            say("the path is longer than this system allows: choose a shorter one.")
        ) from None
    return Path(text)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) < 10**6):
        raise argparse.ArgumentTypeError(say("“{text}” is no number from 1 on.", text=text))
    return int(text)


def _key(text: str) -> int:
    """A number that the library may have given to something."""
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 0 < int(text) < 2**62):
        raise argparse.ArgumentTypeError(say("“{text}” is no number from 1 on.", text=text))
    return int(text)


def _share(text: str) -> float:
    found = _seconds(text)
    if found > 1.0:
        raise argparse.ArgumentTypeError(say("“{text}” is no number from 0 to 1.", text=text))
    return found


def _hundredths(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:9]) <= 100):
        raise argparse.ArgumentTypeError(say("“{text}” is no whole number from 0 to 100.", text=text))
    return int(text)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:9]) < 2**16):
        raise argparse.ArgumentTypeError(say("“{text}” is no port from 0 to 65535.", text=text))
    return int(text)


# --------------------------------------------------------------------------------------------------------------------
# Files without a command: they are opened in the window


def with_command(words: Sequence[str], commands: Collection[str]) -> list[str]:
    """The words with the window's command put before files that stand where a command would.

    A word that is neither a command nor a file, nor looks like the path of one, stays: it is a command misspelt.
    """
    found = list(words)
    place = _first(found)
    if place is not None and found[place] not in commands and _is_file(found[place]):
        found.insert(place, WINDOW)
    return found


def is_for_programs(words: Sequence[str]) -> bool:
    """Whether a program reads what comes of a command line."""
    place = _first(words)
    return "--json" in words or (place is not None and words[place] in FOR_PROGRAMS)


def files_of(names: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """The files and folders that are there, by their whole paths, and those that are not."""
    paths = [Path(name).absolute() for name in names]
    return [path for path in paths if path.exists()], [path for path in paths if not path.exists()]


def _first(words: Sequence[str]) -> int | None:
    """The place of the first word that is no option and no option's value."""
    place = 0
    while place < len(words):
        word = words[place]
        if word == "--":
            return None
        if not word.startswith("-") or word == "-":
            return place
        place += 2 if word in VALUED else 1
    return None


def _is_file(word: str) -> bool:
    separators = {os.sep, os.altsep or os.sep, "."}
    return any(separator in word for separator in separators) or Path(word).exists()
