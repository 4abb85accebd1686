"""Commands on data stores, on serving and connecting assistants, and on the program."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Any

from app.surfaces.cli.options import count, flag, hundredths, option, port, share
from app.surfaces.cli.output import OK, MisuseError, Printer, output, wants_json
from app.surfaces.cli.program import Command, Root, choices_of, is_plain, print_notice, with_workbench


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
    from app.surfaces.cli.terminal import buffered_stream, lines_of

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


ENCODERS = ("intentscope-minilm", "sentence-transformers", "ollama")
INSTALLED = ("sentence-transformers",)
"""Encoders that need an installation."""


def run_mcp(options: argparse.Namespace, root: Root) -> int:
    import asyncio

    from app.surfaces.mcp.handshake import answer_handshake

    handshake = getattr(options, "handshake", None) or answer_handshake()  # before imports that take seconds
    from app.surfaces.mcp.server import answer_on_standard_streams

    asyncio.run(answer_on_standard_streams(root().make_assistant_workbench(choices_of(options)), handshake))
    return OK


def serve_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--host", default="127.0.0.1", help="a loopback address")
    option(command, "--port", "N", "by default the setting serve.port; 0: any free one", type=port)
    flag(command, "--show-token", "print the token that assistants must send")
    flag(command, "--new-token", "create a new token, and print it")


def run_serve(options: argparse.Namespace, root: Root) -> int:
    import asyncio

    from app.surfaces.cli.query_commands import run_query_command
    from app.surfaces.hook.engine_server import EngineServer
    from app.surfaces.http_server import announce, answer_over_http

    choices, program = choices_of(options), root()
    endpoint = program.make_endpoint(choices, options.host, options.port, anew=options.new_token)
    if options.show_token or options.new_token:
        with output(options, private=True) as out:
            out.write({"token": endpoint.token}, [endpoint.token])
        return OK
    print_notice = partial(announce, as_json=wants_json(options))
    assistants = program.make_assistant_workbench(choices)
    if is_plain(options):
        run_command = partial(run_query_command, options.parse)
        EngineServer(assistants.workbench, program.engine_folder(choices), run_command).follow()
    asyncio.run(answer_over_http(assistants, endpoint, print_notice))
    return OK


def run_hook(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.hook.prompt_hook import leave, run_hook

    def make_workbench() -> Any:
        return root().make_workbench(choices_of(options), print_notice)

    def settings() -> Any:
        from app.settings.model import layer

        return layer(root().settings_sources(choices_of(options))).values

    with leave():
        profile = getattr(options, "profile", None)
        return run_hook(make_workbench, settings, options.budget, profile, is_plain=is_plain(options))


def run_engine(options: argparse.Namespace, root: Root) -> int:
    from app.services.system.start_requests import default_profile
    from app.surfaces.hook.engine_client import NAME
    from app.surfaces.local_socket import InstanceLock, acquire_patiently

    instance_lock = InstanceLock(getattr(options, "profile", None) or default_profile(), NAME)
    if not acquire_patiently(instance_lock) or instance_lock.handle is None:
        return OK  # another engine runs or starts: checked before any slow import
    instance_lock.note_start()
    import asyncio

    from app.surfaces.cli.query_commands import run_query_command
    from app.surfaces.hook.engine_server import serve_until_idle

    choices, program = choices_of(options), root()
    run_command = partial(run_query_command, options.parse)
    asyncio.run(serve_until_idle(lambda: program.make_forgiving_workbench(choices), instance_lock, run_command))
    return OK


def connect_options(command: argparse.ArgumentParser) -> None:
    option(command, "client", "CLIENT", "the assistant; by default all are listed", nargs="?")
    option(command, "--file", "FILE", "the configuration file, if not the default", type=Path)
    how = command.add_mutually_exclusive_group()
    flag(how, "--yes", "write it without asking")
    flag(how, "--undo", "restore the previous file")
    flag(how, "--print", "only print the text for the configuration", dest="printed")


def run_connect(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli import connect

    return connect.run_connect(options)


def encoders_options(command: argparse.ArgumentParser) -> None:
    what = command.add_mutually_exclusive_group()
    option(what, "--install", "NAME", "install the missing parts of this one", choices=INSTALLED)
    option(what, "--try", "NAME", "try this one on your labelled cases", dest="tried", choices=ENCODERS)


def run_encoders(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.doctor import install, print_encoders, try_out

    def work(workbench: Any, out: Printer) -> Any:
        if options.tried is not None:
            return try_out(workbench, options.tried, out)
        if options.install is None:
            return print_encoders(workbench, out)
        return install(workbench, options.install, out)

    tries = options.tried is not None
    return with_workbench(options, root, work, wait=tries, encoder=tries, reads=True)


def doctor_options(command: argparse.ArgumentParser) -> None:
    option(
        command,
        "--library",
        "ADDRESS",
        "also check the library, here or at an address: unreachable thresholds, unused rules and memories",
        nargs="?",
        const=True,
        default=False,
    )
    flag(command, "--compact", "first compact the library's file")


def run_doctor(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.connect import remove_abandoned

    removed = [*root().remove_abandoned(choices_of(options)), *remove_abandoned()]  # before the library is opened

    async def work(workbench: Any, out: Printer) -> bool:
        from app.surfaces.cli.doctor import compact, print_checkup

        compacted = await compact(workbench) if options.compact else None
        whole = bool(options.library)
        return await print_checkup(workbench, out, library=whole, compacted=compacted, removed=removed)

    return with_workbench(options, root, work, wait=True, reads=not options.compact, vectors=bool(options.library))


def metrics_options(command: argparse.ArgumentParser) -> None:
    option(command, "--days", "N", "number of days, today included", type=count, default=30)


def run_metrics(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.doctor import print_use

    work = partial(print_use, days=options.days)
    return with_workbench(options, root, work, wait=False, encoder=False, reads=True)


COMMANDS = (
    Command(
        "route",
        "Route a query to a data store, or summarize the log of decisions.",
        run_route,
        route_options,
        uses_fit=False,
    ),
    Command(
        "simulate",
        "Route queries with the current and with other settings, and compare.",
        run_simulate,
        simulate_options,
        uses_fit=False,
    ),
    Command(
        "rollout",
        "Route a share of the queries with other settings and compare; without arguments: print the state.",
        run_rollout,
        rollout_options,
        uses_fit=False,
    ),
    Command("stores", "List the data stores that answer routed queries, or fill one.", run_stores, stores_options),
    Command("mcp", "Serve an assistant over MCP on standard input and output.", run_mcp, for_programs=True),
    Command(
        "serve",
        "Serve assistants over MCP by HTTP, on this machine only and with a token.",
        run_serve,
        serve_options,
        for_programs=True,
    ),
    Command(
        "hook",
        "Answer an assistant's prompt hook: JSON on stdin, the injected context on stdout.",
        run_hook,
        for_programs=True,
    ),
    Command(
        "engine",
        "Answer prompt hooks until none has arrived for a while; started by the hook.",
        run_engine,
        for_programs=True,
    ),
    Command(
        "connect",
        "Add this program to an assistant's configuration, after showing the changes.",
        run_connect,
        connect_options,
    ),
    Command(
        "encoders",
        "List the encoders with their cost here, and whether they are installed.",
        run_encoders,
        encoders_options,
    ),
    Command("doctor", "Check profile, library and encoder.", run_doctor, doctor_options),
    Command(
        "metrics",
        "Report what assistants did with memories and powers, and summarize the log of routes.",
        run_metrics,
        metrics_options,
    ),
)
