"""Commands of one query on an open workbench, as a running engine executes them."""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable, Sequence
from typing import Any

from app.display.scope.why_not import why_not_document, why_not_lines
from app.domain.errors import KnownError
from app.domain.match import Tier
from app.domain.why_not import Expectation
from app.services.workbench import Workbench
from app.surfaces.cli.output import FAILED, MISUSED, OK, MisuseError, Printer, escaped, wants_json
from app.surfaces.cli.routes import route_each
from app.surfaces.cli.terminal import QUESTIONS, warnings_of, write_answer

Progress = Callable[[int, int], None]


class OwnProcessError(Exception):
    """The answer would start a power for the command's duration: the client has to run it."""


async def run_query_command(
    parse: Callable[[Sequence[str]], argparse.Namespace], workbench: Workbench, words: Sequence[str]
) -> dict[str, Any] | None:
    """Run a command line; return stdout, stderr and exit code, or None if the client has to."""
    out, told = io.StringIO(), io.StringIO()
    try:
        options = parse(words)
        workbench.library  # noqa: B018  (StoreError if it could not be opened)
        await workbench.ready()
        for sentence in warnings_of(workbench.status(), uses_fit=options.row.uses_fit):
            print(sentence, file=told)
        code = await _answer(workbench, options, Printer(out, as_json=wants_json(options)))
    except (OwnProcessError, SystemExit):
        return None
    except (KnownError, MisuseError) as error:
        print(f"intentscope: {escaped(error)}", file=told)
        code = MISUSED
    return {"out": out.getvalue(), "err": told.getvalue(), "code": code}


async def _answer(workbench: Workbench, options: argparse.Namespace, out: Printer) -> int:
    if options.command == "why-not":
        won = await explain(workbench, options.text, expectation(options), out, lambda _done, _total: None)
        return OK if won else FAILED
    if options.command == "route":
        await route_each(workbench, [options.text], out)
        return OK
    question = QUESTIONS[options.command]
    found = await workbench.settle(options.text, route=question.has_route)
    status = None if found.resolution is None else found.resolution.status
    if options.command == "resolve" and not options.no_start and status is Tier.ACTIVATED:
        raise OwnProcessError
    await write_answer(workbench, question, found, out)
    return OK


def expectation(options: argparse.Namespace) -> Expectation:
    """Parse the expectation of the options; raises MisuseError."""
    try:
        return Expectation.of(options.expect)
    except ValueError as error:
        raise MisuseError(str(error)) from None


async def explain(workbench: Workbench, text: str, expected: Expectation, out: Printer, progress: Progress) -> bool:
    """Print why the expected answer was lost, or that it won; return True if it won."""
    found = await workbench.why_nots.explain(text, expected, progress)
    out.write(why_not_document(found), why_not_lines(found))
    return found.is_delivered
