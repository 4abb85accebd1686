"""One query or many, answered: everything, the intent, the power, the store."""

from __future__ import annotations

import argparse
import sys
from typing import Any, TextIO

from app.commands.desk import wants_json, with_workbench
from app.commands.output import FAILED, OK, MisuseError


def run_question(options: argparse.Namespace) -> int:
    from app.surfaces.cli.query_stream import is_file, queries_of
    from app.surfaces.cli.terminal import QUESTIONS, answer, lines_of

    if options.stdin == (options.text is not None):
        raise MisuseError(f"{options.command} takes either TEXT or --stdin.")
    if options.log is not None and not options.stdin:
        raise MisuseError("--log says what comes by --stdin.")
    queries = lines_of(sys.stdin.buffer) if options.stdin else [options.text]
    if options.log is not None:
        from app.adapters.formats.query_logs import read_log

        queries = queries_of(read_log(sys.stdin.buffer, options.log))
    keep, ahead = getattr(options, "keep", False), options.stdin and is_file(sys.stdin.buffer)
    as_json, start = wants_json(options), options.command == "resolve" and not options.no_start

    async def work(workbench: Any, out: TextIO) -> int:
        await answer(workbench, options.command, queries, out, as_json=as_json, start=start, keep=keep, ahead=ahead)
        return OK

    needed = QUESTIONS[options.command].needs_encoder
    return with_workbench(options, work, wait=True, encoder=needed, llm=True, reads=not keep)


def run_route(options: argparse.Namespace) -> int:
    from app.surfaces.cli import routes
    from app.surfaces.cli.query_stream import own_stream
    from app.surfaces.cli.terminal import lines_of

    tellers = {"metrics": routes.tell_metrics, "audit": routes.tell_audit, "clear_cache": routes.clear_cache}
    asked = [name for name in tellers if getattr(options, name)]
    if len(asked) + bool(options.stdin) + (options.text is not None) != 1:
        raise MisuseError("route takes one of TEXT, --stdin, --metrics, --audit and --clear-cache.")
    queries = lines_of(own_stream(sys.stdin.buffer)) if options.stdin else [options.text]

    async def work(workbench: Any, out: TextIO) -> int:
        if asked:
            await tellers[asked[0]](workbench, out, as_json=wants_json(options))
        else:
            await routes.route_each(workbench, queries, out, as_json=wants_json(options))
        return OK

    reads = not options.clear_cache
    return with_workbench(options, work, wait=not asked, encoder=not asked, llm=not asked, reads=reads)


def run_why_not(options: argparse.Namespace) -> int:
    from app.display.scope.why_not_text import why_not_document, why_not_lines
    from app.domain.why_not import Expectation, Outcome
    from app.surfaces.cli.terminal import Progress, write_document

    try:
        expected = Expectation.of(options.expect)
    except ValueError as error:
        raise MisuseError(str(error)) from None

    async def work(workbench: Any, out: TextIO) -> int:
        progress = Progress("cases")
        try:
            told = await workbench.why_nots.explain(options.text, expected, progress)
        finally:
            progress.done()
        if wants_json(options):
            write_document(out, why_not_document(told))
        else:
            print("\n".join(why_not_lines(told)), file=out)
        return OK if told.outcome is Outcome.WON else FAILED

    return with_workbench(options, work, wait=True, reads=True)
