"""Arguments of the commands that evaluate, route, and connect to the system."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.domain.route import COLORS
from app.surfaces.cli.arguments.values import (
    TASKS,
    AddCommand,
    add_columns,
    count,
    hundredths,
    key,
    port,
    run,
    seconds,
    share,
)

LOGS = ("text", "jsonl", "subcog", "chat")


def add_questions(command: AddCommand) -> None:
    for name, summary in (
        ("inspect", "Inspect a query, from type to route, with the reasons."),
        ("detect", "Detect the type of a query, such as how-to or troubleshoot, by keywords, examples and the LLM."),
        ("resolve", "Find the power that serves a query."),
    ):
        question = command(name, summary)
        question.add_argument("text", nargs="?", metavar="TEXT")
        question.add_argument("--stdin", action="store_true", help="one query a line in, one answer a line out")
        question.add_argument("--no-llm", action="store_true", help="without the LLM: keywords and examples")
        question.add_argument("--log", choices=("auto", *LOGS), help="stdin is a log or chat: answer its queries")
        if name != "resolve":
            question.add_argument(
                "--late", action="store_true", help="wait for a late answer of the LLM, up to 30 seconds"
            )
        if name == "inspect":
            question.add_argument("--keep", action="store_true", help="store the answers in history and inbox")
            question.add_argument("--words", action="store_true", help="also the result without each word")
        if name == "resolve":
            question.add_argument("--no-start", action="store_true", help="start no power, approved or not")


def add_why_not(command: AddCommand) -> None:
    asked = command(
        "why-not", "Explain where an expected answer was lost, what would make it win, and the effect on all cases."
    )
    asked.add_argument("text", metavar="TEXT")
    asked.add_argument(
        "--expect",
        required=True,
        metavar="KIND:NAME",
        help="what was expected: intent (or type), memory, power or route, and its name; KIND:none: no answer",
    )


def add_evaluate(command: AddCommand) -> None:
    judged = command("evaluate", "Evaluate the answers to labelled queries.")
    judged.add_argument("cases", nargs="?", type=Path, metavar="CASES")
    judged.add_argument("--task", choices=TASKS)
    add_columns(judged)
    judged.add_argument(
        "--gate",
        action="append",
        metavar="METRIC>=X",
        default=[],
        help="exit 1 unless this holds; of a change also broken, fixed, net and p",
    )
    judged.add_argument(
        "--precision",
        type=share,
        metavar="P",
        help="the confidence from which this share of answers is right, such as 0.97",
    )
    judged.add_argument(
        "--strangers",
        type=share,
        metavar="S",
        help="with --precision: share of out-of-scope queries; by default as in the cases",
    )
    judged.add_argument(
        "--junit", type=Path, metavar="FILE", help="write cases and gates as JUnit XML, for build servers"
    )
    judged.add_argument(
        "--tokens", action="store_true", help="token cost of answers about powers, against all their tools"
    )
    _add_llm(judged)
    judged.add_argument("--no-teach", action="store_true", help="routes: with the shipped examples only")
    judged.add_argument("--against", action="append", metavar="KEY=VALUE", default=[], help="compare with this setting")
    judged.add_argument(
        "--refit",
        action="store_true",
        help="fit the learned weights again first where the stored ones are stale, store them, and list the changes",
    )
    judged.add_argument("--runs", action="store_true", help="list the stored evaluations")
    judged.add_argument("--forget-run", type=key, metavar="ID", help="delete a stored evaluation permanently")
    judged.add_argument(
        "--against-run",
        type=run,
        metavar="ID",
        help="compare with a stored evaluation, by default the last of this task",
    )
    judged.add_argument(
        "--sweep", metavar="KEY=VALUES", help="try one setting over values: 0:0.2:0.02, max,cascade or all"
    )


def _add_llm(judged: argparse.ArgumentParser) -> None:
    judged.add_argument(
        "--llm",
        action="store_true",
        help="ask the LLM for each case of types, intents or powers, and show what it adds",
    )
    judged.add_argument(
        "--no-llm", action="store_true", help="send nothing to the LLM; with --llm, use its stored answers"
    )
    judged.add_argument("--ask-anew", action="store_true", help="with --llm: ask again instead of using stored answers")
    judged.add_argument(
        "--llm-seconds", type=seconds, metavar="S", help="with --llm: time-out of each case; by default 10"
    )
    judged.add_argument("--repeat", type=count, metavar="N", help="with --llm: number of times to ask each case")


def add_bench(command: AddCommand) -> None:
    timed = command("bench", "Measure how fast a keystroke is answered, against plain loops.")
    timed.add_argument("--sizes", default="1000,10000", metavar="N,N", help="number of triggers")
    timed.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw time and memory against size")


def add_route(command: AddCommand) -> None:
    routed = command("route", "Route a query to a data store, or summarize the log of decisions.")
    routed.add_argument("text", nargs="?", metavar="TEXT")
    routed.add_argument("--stdin", action="store_true", help="one query a line in, one answer a line out")
    routed.add_argument("--no-llm", action="store_true", help="rules and taught examples only")
    routed.add_argument("--run", action="store_true", help="query the stores of the route")
    routed.add_argument("--compare", action="store_true", help="with --run: query every other store, too")
    routed.add_argument("--metrics", action="store_true", help="summary of the log, with the targets")
    routed.add_argument("--audit", action="store_true", help="compare rules, LLM and cases on a hundred queries")
    routed.add_argument("--clear-cache", action="store_true", help="delete the stored answers of the LLM")
    routed.add_argument("--clear-log", action="store_true", help="delete all decisions; their cost is kept")


def add_simulate(command: AddCommand) -> None:
    simulated = command("simulate", "Route queries under today's settings and under others, side by side.")
    simulated.add_argument(
        "queries",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="queries, with the right routes where known; by default the log of decisions",
    )
    simulated.add_argument("--cases", action="store_true", help="the library's own cases for routes instead")
    simulated.add_argument(
        "--last", type=count, default=1_000, metavar="N", help="number of newest decisions of the log"
    )
    simulated.add_argument(
        "--against",
        action="append",
        metavar="KEY=VALUE",
        default=[],
        help="a changed setting, such as route.threshold=0.95; may be repeated",
    )
    simulated.add_argument(
        "--llm-fails",
        type=share,
        default=0.0,
        metavar="SHARE",
        help="share of the LLM's answers that fail under the change, such as 0.2",
    )
    simulated.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the choice; by default 0")
    simulated.add_argument("--no-llm", action="store_true", help="ask no LLM on either side")


def add_rollout(command: AddCommand) -> None:
    rolled = command(
        "rollout", "Route a share of the queries with other settings and compare; without arguments: print the state."
    )
    rolled.add_argument(
        "share",
        nargs="?",
        type=hundredths,
        metavar="SHARE",
        help="share of the queries in percent, such as 10, 50 or 100; 0 ends it",
    )
    rolled.add_argument(
        "--against",
        action="append",
        metavar="KEY=VALUE",
        default=[],
        help="a setting of the candidate, such as route.threshold=0.95; by default the previous ones",
    )


def add_stores(command: AddCommand) -> None:
    stores = command("stores", "List the data stores that answer routed queries, or fill one.")
    one = stores.add_mutually_exclusive_group()
    one.add_argument("--fill", metavar="NAME", help="write new and changed memories and powers to this store")
    one.add_argument("--password", metavar="NAME", help="store the password of this store; read from stdin")
    one.add_argument(
        "--sources", metavar="NAME", help="list the documents of others on this server, and the setting that reads them"
    )
    one.add_argument(
        "--judge", type=Path, metavar="CASES", help="run labelled queries on every store, and check the routed one"
    )
    stores.add_argument(
        "--task", choices=("intent", "memory", "power"), help="with --judge: task of the cases, if they do not name it"
    )
    stores.add_argument("--yes", action="store_true", help="with --fill: run the statements without asking")


def add_routes(command: AddCommand) -> None:
    own = command("routes", "List, add, change, switch on or off the routes of queries.")
    wanted = own.add_mutually_exclusive_group()
    wanted.add_argument("--add", metavar="NAME", help="add a route of your own")
    wanted.add_argument("--change", metavar="NAME", help="change a route, also a shipped one")
    wanted.add_argument("--on", metavar="NAME", help="switch it on")
    wanted.add_argument("--off", metavar="NAME", help="switch it off; its rules and examples stay")
    wanted.add_argument("--reset", metavar="NAME", help="reset a shipped route; “all”: all five")
    wanted.add_argument("--remove", metavar="NAME", help="remove it with its rules and examples; the log stays")
    wanted.add_argument("--import", type=Path, dest="taken", metavar="FILE", help="import the routes of a TOML file")
    wanted.add_argument("--export", type=Path, metavar="FILE", help="export all to a TOML file; -: stdout")
    own.add_argument("--name", metavar="NEW", help="with --change: new name of a route of your own")
    own.add_argument("--title", metavar="WORDS", help="with --add or --change: title on buttons")
    own.add_argument("--stores", metavar="A,B", help="with --add or --change: its stores; by default its name")
    own.add_argument("--colour", choices=COLORS, help="with --add or --change: its colour")
    own.add_argument("--about", metavar="WORDS", help="with --add or --change: its description for the LLM")


ENCODERS = ("intentscope-minilm", "sentence-transformers", "ollama")
INSTALLED = ("sentence-transformers",)
"""Encoders that need an installation."""

CHECKING = "doctor"


def add_metrics(command: AddCommand) -> None:
    counted = command(
        "metrics", "Report what assistants did with memories and powers, and summarize the log of routes."
    )
    counted.add_argument("--days", type=count, default=30, metavar="N", help="number of days, today included")


def add_settings(command: AddCommand) -> None:
    chosen = command("settings", "List settings with their origin, or change them as in the window.")
    chosen.add_argument(
        "words",
        nargs="*",
        default=[],
        metavar="KEY=VALUE",
        help="set this; a key or words without = list the matching settings",
    )
    chosen.add_argument("--reset", action="append", metavar="KEY", help="reset this setting; may be repeated")


def add_serving(command: AddCommand) -> None:
    command("mcp", "Serve an assistant over MCP on standard input and output.")
    served = command("serve", "Serve assistants over MCP by HTTP, on this machine only and with a token.")
    served.add_argument("--host", default="127.0.0.1", help="a loopback address")
    served.add_argument("--port", type=port, metavar="N", help="by default the setting serve.port; 0: any free one")
    served.add_argument("--show-token", action="store_true", help="print the token that assistants must send")
    served.add_argument("--new-token", action="store_true", help="create a new token, and print it")
    command("hook", "Answer an assistant's prompt hook: JSON on stdin, the injected context on stdout.")
    command("engine", "Answer prompt hooks until none has arrived for a while; started by the hook.")


def add_connect(command: AddCommand) -> None:
    connected = command("connect", "Add this program to an assistant's configuration, after showing the changes.")
    connected.add_argument("client", nargs="?", metavar="CLIENT", help="the assistant; by default all are listed")
    connected.add_argument("--file", type=Path, metavar="FILE", help="the configuration file, if not the default")
    how = connected.add_mutually_exclusive_group()
    how.add_argument("--yes", action="store_true", help="write it without asking")
    how.add_argument("--undo", action="store_true", help="restore the previous file")
    how.add_argument("--print", action="store_true", dest="printed", help="only print the text for the configuration")


def add_encoders(command: AddCommand) -> None:
    offered = command("encoders", "List the encoders with their cost here, and whether they are installed.")
    what = offered.add_mutually_exclusive_group()
    what.add_argument("--install", choices=INSTALLED, metavar="NAME", help="install the missing parts of this one")
    what.add_argument(
        "--try", dest="tried", choices=ENCODERS, metavar="NAME", help="try this one on your labelled cases"
    )


def add_doctor(command: AddCommand) -> None:
    checked = command(CHECKING, "Check profile, library and encoder.")
    checked.add_argument(
        "--library",
        nargs="?",
        const=True,
        default=False,
        metavar="ADDRESS",
        help="also check the library, here or at an address: unreachable thresholds, unused rules and memories",
    )
    checked.add_argument("--compact", action="store_true", help="first compact the library's file")
