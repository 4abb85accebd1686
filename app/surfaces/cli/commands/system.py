"""Commands that serve and connect assistants, and that report on the program itself."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from app.surfaces.cli.options import count, flag, option, port
from app.surfaces.cli.output import OK, Printer, output, wants_json
from app.surfaces.cli.program import Command, Root, choices_of, is_plain, print_notice, with_workbench

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
    from app.surfaces.http.server import announce, answer_over_http

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
    asyncio.run(answer_over_http(assistants, endpoint, program.make_clock(), print_notice))
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
    from app.services.system.clients import default_profile
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
    Command("mcp", "Serve an assistant over MCP on standard input and output.", run_mcp),
    Command(
        "serve", "Serve assistants over MCP by HTTP, on this machine only and with a token.", run_serve, serve_options
    ),
    Command("hook", "Answer an assistant's prompt hook: JSON on stdin, the injected context on stdout.", run_hook),
    Command("engine", "Answer prompt hooks until none has arrived for a while; started by the hook.", run_engine),
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
