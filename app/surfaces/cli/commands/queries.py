"""Commands on one query or many: what answers it, and why an expected answer does not."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from app.surfaces.cli.options import flag, option
from app.surfaces.cli.output import MisuseError, Printer
from app.surfaces.cli.program import Command, Root, with_workbench

LOGS = ("text", "jsonl", "subcog", "chat")


def _add_query(command: argparse.ArgumentParser) -> None:
    """Add what every command on queries takes."""
    command.add_argument("text", nargs="?", metavar="TEXT")
    flag(command, "--stdin", "read one query per line, print one answer per line")
    flag(command, "--no-llm", "without the LLM: keywords and examples")
    command.add_argument("--log", choices=("auto", *LOGS), help="stdin is a log or chat: answer its queries")


def detect_options(command: argparse.ArgumentParser) -> None:
    _add_query(command)
    flag(command, "--late", "wait for a late answer of the LLM, up to 30 seconds")


def inspect_options(command: argparse.ArgumentParser) -> None:
    detect_options(command)
    flag(command, "--keep", "store the answers in history and inbox")
    flag(command, "--words", "also show the result without each word")


def resolve_options(command: argparse.ArgumentParser) -> None:
    _add_query(command)
    flag(command, "--no-start", "start no power, approved or not")


def run_question(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.terminal import answer, is_file, lines_of, queries_of

    if options.stdin == (options.text is not None):
        raise MisuseError(f"{options.command} takes either TEXT or --stdin.")
    if options.log is not None and not options.stdin:
        raise MisuseError("--log says what comes by --stdin.")
    queries = lines_of(sys.stdin.buffer) if options.stdin else [options.text]
    if options.log is not None:
        queries = queries_of(root().read_queries(sys.stdin.buffer, options.log))
    how = {
        "keep": getattr(options, "keep", False),
        "ahead": options.stdin and is_file(sys.stdin.buffer),
        "late": getattr(options, "late", False),
        "word_counts": getattr(options, "words", False),
    }
    start = options.command == "resolve" and not options.no_start

    def work(workbench: Any, out: Printer) -> Any:
        return answer(workbench, options.command, queries, out, start=start, **how)

    return with_workbench(options, root, work, wait=True, llm=True, reads=not how["keep"])


def why_not_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("text", metavar="TEXT")
    option(
        command,
        "--expect",
        "KIND:NAME",
        "what was expected: intent (or type), memory, power or route, and its name; KIND:none: no answer",
        required=True,
    )


def run_why_not(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.query_commands import expectation, explain
    from app.surfaces.cli.terminal import Progress

    expected = expectation(options)

    async def work(workbench: Any, out: Printer) -> bool:
        with Progress("cases") as progress:
            return await explain(workbench, options.text, expected, out, progress)

    return with_workbench(options, root, work, wait=True, reads=True)


COMMANDS = (
    Command("inspect", "Inspect a query, from type to route, with the reasons.", run_question, inspect_options),
    Command(
        "detect",
        "Detect the type of a query, such as how-to or troubleshoot, by keywords, examples and the LLM.",
        run_question,
        detect_options,
        uses_fit=False,
    ),
    Command("resolve", "Find the power that serves a query.", run_question, resolve_options),
    Command(
        "why-not",
        "Explain where an expected answer was lost, what would make it win, and the effect on all cases.",
        run_why_not,
        why_not_options,
    ),
)
