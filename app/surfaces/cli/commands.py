"""COMMANDS: every terminal command as a row; `arguments` defines their options."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from app.surfaces.cli.library.import_export import columns_of, run_backup, run_export, run_import, run_restore
from app.surfaces.cli.library.team import run_team
from app.surfaces.cli.output import OK, MisuseError, output, written
from app.surfaces.cli.program import (
    Command,
    Program,
    Root,
    choices_of,
    interruptible,
    is_plain,
    print_notice,
    wants_json,
    with_workbench,
)

MOST_TRIGGERS = 2_000_000


# ---- Answers to one query or many: everything, the intent, the power, the store


def run_question(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.query_stream import is_file, queries_of
    from app.surfaces.cli.terminal import answer, lines_of

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
    as_json, start = wants_json(options), options.command == "resolve" and not options.no_start

    def work(workbench: Any, out: TextIO) -> Any:
        return answer(workbench, options.command, queries, out, as_json=as_json, start=start, **how)

    return with_workbench(options, root, work, wait=True, llm=True, reads=not how["keep"])


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

    def work(workbench: Any, out: TextIO) -> Any:
        if options.audit:
            return routes.print_audit(workbench, out, as_json=wants_json(options), ask=not options.no_llm)
        if actions:
            return verbs[actions[0]](workbench, out, as_json=wants_json(options))
        if options.run:
            return routes.run_each(workbench, queries, out, compare=options.compare, as_json=wants_json(options))
        return routes.route_each(workbench, queries, out, as_json=wants_json(options))

    reads = not (options.clear_cache or options.clear_log)
    asks = not actions or (options.audit and not options.no_llm)
    return with_workbench(options, root, work, wait=not actions, encoder=not actions, llm=asks, reads=reads)


def run_simulate(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli import routes

    if options.queries is not None and options.cases:
        raise MisuseError("simulate takes either a file or --cases.")

    async def work(workbench: Any, out: TextIO) -> None:
        change = routes.change_of(options.against, options.llm_fails, options.seed, asks_llm=not options.no_llm)
        source = options.queries if options.queries is not None else routes.CASES if options.cases else options.last
        await routes.simulate(workbench, source, change, out, as_json=wants_json(options))

    return with_workbench(options, root, work, wait=True, reads=True)


def run_rollout(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli import routes

    if options.against and options.share is None:
        raise MisuseError("--against goes with a share, such as 10.")

    def work(workbench: Any, out: TextIO) -> Any:
        return routes.roll_out(workbench, options.share, options.against, out, as_json=wants_json(options))

    return with_workbench(options, root, work, wait=False, encoder=False, reads=options.share is None)


def run_metrics(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.doctor import print_use

    work = partial(print_use, days=options.days, as_json=wants_json(options))
    return with_workbench(options, root, work, wait=False, encoder=False, reads=True)


def run_stores(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli import routes

    if options.yes and not options.fill:
        raise MisuseError("--yes goes with --fill.")
    if options.task and options.judge is None:
        raise MisuseError("--task goes with --judge.")

    lines = [] if options.judge is None else list(root().read_file(options.judge, "cases", options.task)[1])

    async def work(workbench: Any, out: TextIO) -> bool:
        if options.judge is not None:
            await routes.judge(workbench, lines, out, as_json=wants_json(options))
            return True
        if options.sources:
            await routes.print_sources(workbench, options.sources, out, as_json=wants_json(options))
            return True
        if options.password:
            await routes.keep_password(workbench, options.password)
        elif options.fill and not await routes.fill(workbench, options.fill, agreed=options.yes):
            return False
        await routes.print_states(workbench, out, as_json=wants_json(options))
        return True

    return with_workbench(options, root, work, wait=not options.password, reads=not options.password)


def run_why_not(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.query_commands import expectation, explain
    from app.surfaces.cli.terminal import Progress

    expected = expectation(options)

    async def work(workbench: Any, out: TextIO) -> bool:
        with Progress("cases") as progress:
            return await explain(workbench, options.text, expected, out, progress, as_json=wants_json(options))

    return with_workbench(options, root, work, wait=True, reads=True)


def run_curating(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.library.curate import VERBS, curate

    def work(workbench: Any, out: TextIO) -> Any:
        return curate(workbench, options, out, as_json=wants_json(options))

    verb = VERBS[options.command]
    answers = verb.answers(options)
    return with_workbench(options, root, work, wait=answers, encoder=answers, reads=verb.reads(options))


def run_approving(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.library import approve

    act = approve.call if options.command == "call" else approve.approve

    def work(workbench: Any, out: TextIO) -> Any:
        return act(workbench, options, out, as_json=wants_json(options))

    return with_workbench(options, root, work, wait=False, encoder=False)


# ---- Quality and speed of answers, and checks


def run_evaluate(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli import evaluate

    as_json = wants_json(options)
    if options.refit and options.cases is None and not options.runs:
        return with_workbench(options, root, partial(evaluate.print_fit, as_json=as_json), wait=True)
    _check_evaluate(options)
    if options.runs or options.forget_run is not None:
        forgetting = partial(evaluate.forget_run, run=options.forget_run, as_json=as_json)
        work = partial(evaluate.print_runs, as_json=as_json) if options.runs else forgetting
        return with_workbench(options, root, work, wait=False, encoder=False, reads=options.runs)
    is_plain_one = not (options.against or options.sweep or options.llm or options.task == "route")
    is_plain_one &= options.against_run is None
    counter = root().make_token_counter() if options.tokens and is_plain_one else None
    evaluating = _evaluation(options, root, counter)
    return with_workbench(options, root, evaluating, wait=True, reads=not (options.refit and is_plain_one))


def _evaluation(
    options: argparse.Namespace, root: Root, counter: Any
) -> Callable[[Any, TextIO], Coroutine[Any, Any, bool]]:
    """Return the evaluation that the options ask for; it tells whether every gate held."""
    from app.surfaces.cli import evaluate
    from app.surfaces.cli.routes import judge_routes

    asking, against = _asking(options), options.against
    as_json, taught = wants_json(options), not options.no_teach

    async def work(workbench: Any, out: TextIO) -> bool:
        file = _case_file(options, root, out)
        if options.against_run is not None:
            await workbench.contests.settle()
            return await evaluate.compare_with_run(workbench, file, run=options.against_run)
        if options.sweep:
            return await evaluate.sweep_cases(workbench, file, sweep=options.sweep, taught=taught, asking=asking)
        if options.llm and not against:
            return await evaluate.llm_cases(workbench, file, asking=asking)
        judged: list[Any] = []
        if options.task == "route":
            held = await judge_routes(workbench, file, taught=taught, note=judged.append, against=against)
            if not taught or against:
                return held
        elif against:
            return await evaluate.compare_cases(workbench, file, against=against, asking=asking)
        else:
            if workbench.engine.candidates is not None:
                await workbench.gather([case.text for case in file.cases])
            await workbench.contests.settle()
            how = {"precision": options.precision, "strangers": options.strangers}
            with interruptible():
                held = evaluate.evaluate_cases(workbench, file, counter=counter, note=judged.append, **how)
        await evaluate.keep_run(workbench, judged, options.cases.name, out, as_json=as_json)
        return held

    return work


def _case_file(options: argparse.Namespace, root: Root, out: TextIO) -> Any:
    """Read the case file; raises FormatError."""
    from app.domain.case import Task
    from app.surfaces.cli.evaluate import CaseFile

    how = {"gates": options.gate, "junit": options.junit, "as_json": wants_json(options)}
    with interruptible():
        read = root().read_file(options.cases, "cases", options.task, columns=columns_of(options.columns))
        return CaseFile.of(list(read[1]), Task(options.task), out, **how)


def _check_evaluate(options: argparse.Namespace) -> None:
    """Raise MisuseError for options that exclude each other."""
    from app.evaluation.documents import parse_gate

    is_of_runs = options.runs or options.forget_run is not None
    if not is_of_runs and (options.cases is None or options.task is None):
        raise MisuseError("evaluate takes a file of cases and --task, or --runs, or --refit.")
    try:
        gates = [parse_gate(text) for text in options.gate]
    except ValueError as error:
        raise MisuseError(str(error)) from None
    changes = bool(options.against or options.sweep)
    if options.against_run is not None and (changes or options.tokens or options.llm):
        raise MisuseError("--against-run goes without --against, --sweep, --tokens and --llm.")
    changes |= options.against_run is not None
    if not changes and (named := next((gate.metric for gate in gates if gate.is_on_change), None)):
        raise MisuseError(f"A gate on “{named}” goes with --against, --against-run or --sweep.")
    if options.against and options.sweep:
        raise MisuseError("evaluate takes either --against or --sweep.")
    if options.junit and options.sweep:
        raise MisuseError("--junit tells one evaluation, and goes without --sweep.")
    if options.tokens and (options.task != "power" or changes):
        raise MisuseError("--tokens goes with --task power, and without --against and --sweep.")
    if options.no_teach and options.task != "route":
        raise MisuseError("--no-teach goes with --task route.")
    _check_precision(options, plain=not changes and not options.llm)
    _check_llm(options)


def _check_precision(options: argparse.Namespace, *, plain: bool) -> None:
    """Raise MisuseError if no threshold can be fitted to a precision."""
    if options.strangers is not None and options.precision is None:
        raise MisuseError("--strangers goes with --precision.")
    if options.precision is not None and not (plain and options.task in ("intent", "memory", "power")):
        raise MisuseError("--precision goes with one evaluation of --task intent, memory or power.")


def _check_llm(options: argparse.Namespace) -> None:
    """Raise MisuseError for options that the LLM does not support."""
    if options.llm and options.task not in ("type", "intent", "power"):
        raise MisuseError("--llm goes with --task type, intent and power.")
    if options.llm and options.task != "type" and (options.against or options.sweep):
        raise MisuseError("--llm with --against or --sweep goes with --task type.")
    if not options.llm and (options.ask_anew or options.llm_seconds is not None or options.repeat is not None):
        raise MisuseError("--ask-anew, --llm-seconds and --repeat require --llm.")
    if options.no_llm and options.ask_anew:
        raise MisuseError("evaluate takes --no-llm or --ask-anew, not both.")
    if options.llm_seconds == 0.0:
        raise MisuseError("--llm-seconds takes a number above 0.")


def _asking(options: argparse.Namespace) -> Any:
    """Return the options of LLM requests; None without the LLM."""
    if not options.llm:
        return None
    from app.services.evaluation.llm_answers import CASE_SECONDS, LlmAskOptions

    seconds = CASE_SECONDS if options.llm_seconds is None else options.llm_seconds
    return LlmAskOptions(seconds, options.repeat or 1, ask=not options.no_llm, ask_again=options.ask_anew)


def run_bench(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.terminal import bench_sizes

    try:
        sizes = [int(size) for size in options.sizes.split(",")]
    except ValueError:
        raise MisuseError(f"--sizes takes whole numbers, not “{options.sizes}”.") from None
    if any(not 1 <= size <= MOST_TRIGGERS for size in sizes):
        raise MisuseError(f"--sizes takes numbers from 1 to {MOST_TRIGGERS:,}.")
    if options.plot is not None and (options.plot.suffix.lower() != ".svg" or not options.plot.parent.is_dir()):
        raise MisuseError(f"--plot takes a file ending in .svg, in a folder that is there, not “{options.plot}”.")
    with output(options) as out:
        keep = None if options.plot is None else partial(_draw, options.plot)
        bench_sizes(sizes, out, as_json=wants_json(options), keep=keep, embed=_shipped_encoder(root()))
    return OK


def _draw(path: Path, picture: str) -> None:
    with written(path) as file:
        file.write(picture)


def _shipped_encoder(program: Program) -> Callable[[Sequence[str]], Any] | None:
    """Return the shipped encoder, None if it cannot be loaded: a bench runs without."""
    from app.domain.errors import EncoderError
    from app.settings.model import Settings

    try:
        return program.load_encoder(Settings().encoder).encode
    except EncoderError:
        return None


def run_encoders(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.doctor import install, print_encoders, try_out

    def work(workbench: Any, out: TextIO) -> Any:
        if options.tried is not None:
            return try_out(workbench, options.tried, out, as_json=wants_json(options))
        if options.install is None:
            return print_encoders(workbench, out, as_json=wants_json(options))
        return install(workbench, options.install, out, as_json=wants_json(options))

    tries = options.tried is not None
    return with_workbench(options, root, work, wait=tries, encoder=tries, reads=True)


def run_doctor(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.connect import remove_abandoned

    removed = [*root().remove_abandoned(choices_of(options)), *remove_abandoned()]  # before the library is opened

    async def work(workbench: Any, out: TextIO) -> bool:
        from app.surfaces.cli.doctor import compact, print_checkup

        compacted = await compact(workbench) if options.compact else None
        how = {"library": bool(options.library), "as_json": wants_json(options)}
        return await print_checkup(workbench, out, compacted=compacted, removed=removed, **how)

    return with_workbench(options, root, work, wait=True, reads=not options.compact, vectors=bool(options.library))


# ---- The engine for assistants: MCP over standard streams or HTTP, and the hook


def run_mcp(options: argparse.Namespace, root: Root) -> int:
    import asyncio

    from app.surfaces.mcp.handshake import answer_handshake

    handshake = getattr(options, "handshake", None) or answer_handshake()  # before imports that take seconds
    from app.surfaces.mcp.server import answer_on_standard_streams

    asyncio.run(answer_on_standard_streams(root().make_assistant_workbench(choices_of(options)), handshake))
    return OK


def run_serve(options: argparse.Namespace, root: Root) -> int:
    import asyncio

    from app.surfaces.cli.query_commands import run_query_command
    from app.surfaces.hook.engine_server import EngineServer
    from app.surfaces.http.server import announce, answer_over_http

    choices, program = choices_of(options), root()
    endpoint = program.make_endpoint(choices, options.host, options.port, anew=options.new_token)
    if options.show_token or options.new_token:
        with output(options, private=True) as out:
            print(json.dumps({"token": endpoint.token}) if wants_json(options) else endpoint.token, file=out)
        return OK
    print_notice = partial(announce, as_json=wants_json(options))
    assistants = program.make_assistant_workbench(choices)
    if is_plain(options):
        EngineServer(assistants.workbench, program.engine_folder(choices), run_query_command).follow()
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
    asyncio.run(serve_until_idle(lambda: program.make_forgiving_workbench(choices), instance_lock, run_query_command))
    return OK


def run_connect(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli import connect

    return connect.run_connect(options)


COMMANDS: dict[str, Command] = {
    "inspect": run_question,
    "detect": run_question,
    "resolve": run_question,
    "route": run_route,
    "simulate": run_simulate,
    "rollout": run_rollout,
    "stores": run_stores,
    "metrics": run_metrics,
    "why-not": run_why_not,
    "import": run_import,
    "export": run_export,
    "backup": run_backup,
    "restore": run_restore,
    "team": run_team,
    "evaluate": run_evaluate,
    "teach": run_curating,
    "mark": run_curating,
    "undo": run_curating,
    "redo": run_curating,
    "steps": run_curating,
    "approve": run_approving,
    "call": run_approving,
    "pause": run_curating,
    "remove": run_curating,
    "bin": run_curating,
    "cases": run_curating,
    "settings": run_curating,
    "inbox": run_curating,
    "history": run_curating,
    "rules": run_curating,
    "routes": run_curating,
    "duplicates": run_curating,
    "bench": run_bench,
    "mcp": run_mcp,
    "serve": run_serve,
    "hook": run_hook,
    "engine": run_engine,
    "connect": run_connect,
    "encoders": run_encoders,
    "doctor": run_doctor,
}
"""Commands import slow modules when they run. The entry point adds the window's command."""
