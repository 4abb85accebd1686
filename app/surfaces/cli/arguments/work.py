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
    flag,
    hundredths,
    key,
    option,
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
        flag(question, "--stdin", "one query a line in, one answer a line out")
        flag(question, "--no-llm", "without the LLM: keywords and examples")
        question.add_argument("--log", choices=("auto", *LOGS), help="stdin is a log or chat: answer its queries")
        if name != "resolve":
            flag(question, "--late", "wait for a late answer of the LLM, up to 30 seconds")
        if name == "inspect":
            flag(question, "--keep", "store the answers in history and inbox")
            flag(question, "--words", "also the result without each word")
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
        "exit 1 unless this holds; of a change also broken, fixed, net and p",
        action="append",
        default=[],
    )
    option(
        judged, "--precision", "P", "the confidence from which this share of answers is right, such as 0.97", type=share
    )
    option(
        judged,
        "--strangers",
        "S",
        "with --precision: share of out-of-scope queries; by default as in the cases",
        type=share,
    )
    option(judged, "--junit", "FILE", "write cases and gates as JUnit XML, for build servers", type=Path)
    flag(judged, "--tokens", "token cost of answers about powers, against all their tools")
    _add_llm(judged)
    flag(judged, "--no-teach", "routes: with the shipped examples only")
    option(judged, "--against", "KEY=VALUE", "compare with this setting", action="append", default=[])
    flag(
        judged,
        "--refit",
        "fit the learned weights again first where the stored ones are stale, store them, and list the changes",
    )
    flag(judged, "--runs", "list the stored evaluations")
    option(judged, "--forget-run", "ID", "delete a stored evaluation permanently", type=key)
    option(
        judged, "--against-run", "ID", "compare with a stored evaluation, by default the last of this task", type=run
    )
    option(judged, "--sweep", "KEY=VALUES", "try one setting over values: 0:0.2:0.02, max,cascade or all")


def _add_llm(judged: argparse.ArgumentParser) -> None:
    flag(judged, "--llm", "ask the LLM for each case of types, intents or powers, and show what it adds")
    flag(judged, "--no-llm", "send nothing to the LLM; with --llm, use its stored answers")
    flag(judged, "--ask-anew", "with --llm: ask again instead of using stored answers")
    option(judged, "--llm-seconds", "S", "with --llm: time-out of each case; by default 10", type=seconds)
    option(judged, "--repeat", "N", "with --llm: number of times to ask each case", type=count)


def add_bench(command: AddCommand) -> None:
    timed = command("bench", "Measure how fast a keystroke is answered, against plain loops.")
    option(timed, "--sizes", "N,N", "number of triggers", default="1000,10000")
    option(timed, "--plot", "FILE.svg", "draw time and memory against size", type=Path)


def add_route(command: AddCommand) -> None:
    routed = command("route", "Route a query to a data store, or summarize the log of decisions.")
    routed.add_argument("text", nargs="?", metavar="TEXT")
    flag(routed, "--stdin", "one query a line in, one answer a line out")
    flag(routed, "--no-llm", "rules and taught examples only")
    flag(routed, "--run", "query the stores of the route")
    flag(routed, "--compare", "with --run: query every other store, too")
    flag(routed, "--metrics", "summary of the log, with the targets")
    flag(routed, "--audit", "compare rules, LLM and cases on a hundred queries")
    flag(routed, "--clear-cache", "delete the stored answers of the LLM")
    flag(routed, "--clear-log", "delete all decisions; their cost is kept")


def add_simulate(command: AddCommand) -> None:
    simulated = command("simulate", "Route queries under today's settings and under others, side by side.")
    option(
        simulated,
        "queries",
        "FILE",
        "queries, with the right routes where known; by default the log of decisions",
        nargs="?",
        type=Path,
    )
    flag(simulated, "--cases", "the library's own cases for routes instead")
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
