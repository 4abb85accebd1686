"""Commands on the data store that should answer a query."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from app.surfaces.cli.options import count, flag, hundredths, option, share
from app.surfaces.cli.output import MisuseError, Printer
from app.surfaces.cli.program import Command, Root, with_workbench


def route_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("text", nargs="?", metavar="TEXT")
    flag(command, "--stdin", "read one query per line, print one answer per line")
    flag(command, "--no-llm", "rules and examples only")
    flag(command, "--run", "query the stores of the route")
    flag(command, "--compare", "with --run: query every other store, too")
    flag(command, "--metrics", "summary of the log, with the targets")
    flag(command, "--audit", "compare rules, LLM and cases on a hundred queries")
    flag(command, "--clear-cache", "delete the stored answers of the LLM")
    flag(command, "--clear-log", "delete all decisions; their cost is kept")


def run_route(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli import routes
    from app.surfaces.cli.query_stream import buffered_stream
    from app.surfaces.cli.terminal import lines_of

    verbs: dict[str, Any] = {"metrics": routes.print_metrics, "audit": routes.print_audit}
    verbs |= {"clear_cache": routes.clear_cache, "clear_log": routes.clear_log}
    actions = [name for name in verbs if getattr(options, name)]
    if (options.compare and not options.run) or (options.run and actions):
        raise MisuseError("--run goes with TEXT or --stdin, and --compare with --run.")
    if len(actions) + bool(options.stdin) + (options.text is not None) != 1:
        raise MisuseError("route takes one of TEXT, --stdin, --metrics, --audit, --clear-cache and --clear-log.")
    queries = lines_of(buffered_stream(sys.stdin.buffer)) if options.stdin else [options.text]

    def work(workbench: Any, out: Printer) -> Any:
        if options.audit:
            return routes.print_audit(workbench, out, ask=not options.no_llm)
        if actions:
            return verbs[actions[0]](workbench, out)
        if options.run:
            return routes.run_each(workbench, queries, out, compare=options.compare)
        return routes.route_each(workbench, queries, out)

    reads = not (options.clear_cache or options.clear_log)
    asks = not actions or (options.audit and not options.no_llm)
    return with_workbench(options, root, work, wait=not actions, encoder=not actions, llm=asks, reads=reads)


def simulate_options(command: argparse.ArgumentParser) -> None:
    option(
        command,
        "queries",
        "FILE",
        "queries, with the right routes where known; by default the log of decisions",
        nargs="?",
        type=Path,
    )
    flag(command, "--cases", "use the library's own cases for routes")
    option(command, "--last", "N", "number of newest decisions of the log", type=count, default=1000)
    option(
        command,
        "--against",
        "KEY=VALUE",
        "a changed setting, such as route.threshold=0.95; may be repeated",
        action="append",
        default=[],
    )
    option(
        command,
        "--llm-fails",
        "SHARE",
        "share of the LLM's answers that fail under the change, such as 0.2",
        type=share,
        default=0.0,
    )
    option(command, "--seed", "N", "seed of the choice; by default 0", type=int, default=0)
    flag(command, "--no-llm", "ask no LLM on either side")


def run_simulate(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli import routes

    if options.queries is not None and options.cases:
        raise MisuseError("simulate takes either a file or --cases.")

    async def work(workbench: Any, out: Printer) -> None:
        change = routes.change_of(options.against, options.llm_fails, options.seed, asks_llm=not options.no_llm)
        source = options.queries if options.queries is not None else routes.CASES if options.cases else options.last
        await routes.simulate(workbench, source, change, out)

    return with_workbench(options, root, work, wait=True, reads=True)


def rollout_options(command: argparse.ArgumentParser) -> None:
    option(
        command,
        "share",
        "SHARE",
        "share of the queries in percent, such as 10, 50 or 100; 0 ends it",
        nargs="?",
        type=hundredths,
    )
    option(
        command,
        "--against",
        "KEY=VALUE",
        "a setting of the candidate, such as route.threshold=0.95; by default the previous ones",
        action="append",
        default=[],
    )


def run_rollout(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli import routes

    if options.against and options.share is None:
        raise MisuseError("--against goes with a share, such as 10.")

    def work(workbench: Any, out: Printer) -> Any:
        return routes.roll_out(workbench, options.share, options.against, out)

    return with_workbench(options, root, work, wait=False, encoder=False, reads=options.share is None)


def stores_options(command: argparse.ArgumentParser) -> None:
    one = command.add_mutually_exclusive_group()
    option(one, "--fill", "NAME", "write new and changed memories and powers to this store")
    option(one, "--password", "NAME", "store the password of this store; read from stdin")
    option(one, "--sources", "NAME", "list the documents of others on this server, and the setting that reads them")
    option(one, "--judge", "CASES", "run labelled queries on every store, and check the routed one", type=Path)
    command.add_argument(
        "--task", choices=("intent", "memory", "power"), help="with --judge: task of the cases, if they do not name it"
    )
    flag(command, "--yes", "with --fill: run the statements without asking")


def run_stores(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli import routes

    if options.yes and not options.fill:
        raise MisuseError("--yes goes with --fill.")
    if options.task and options.judge is None:
        raise MisuseError("--task goes with --judge.")

    lines = [] if options.judge is None else list(root().read_file(options.judge, "cases", options.task)[1])

    async def work(workbench: Any, out: Printer) -> bool:
        if options.judge is not None:
            await routes.judge(workbench, lines, out)
            return True
        if options.sources:
            await routes.print_sources(workbench, options.sources, out)
            return True
        if options.password:
            await routes.keep_password(workbench, options.password)
        elif options.fill and not await routes.fill(workbench, options.fill, agreed=options.yes):
            return False
        await routes.print_states(workbench, out)
        return True

    return with_workbench(options, root, work, wait=not options.password, reads=not options.password)


COMMANDS = (
    Command("route", "Route a query to a data store, or summarize the log of decisions.", run_route, route_options),
    Command(
        "simulate",
        "Route queries with the current and with other settings, and compare.",
        run_simulate,
        simulate_options,
    ),
    Command(
        "rollout",
        "Route a share of the queries with other settings and compare; without arguments: print the state.",
        run_rollout,
        rollout_options,
    ),
    Command("stores", "List the data stores that answer routed queries, or fill one.", run_stores, stores_options),
)
