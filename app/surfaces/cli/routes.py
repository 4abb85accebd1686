"""Commands `route`, `simulate`, `rollout` and `evaluate --task route`; route log and cache."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

from app.display.documents import route_document
from app.display.evaluation.comparison import comparison_document
from app.display.evaluation.results import comparison_lines, evaluation_lines
from app.display.routing.metrics import cache_tables, metrics_document, metrics_lines, share_document, share_tables
from app.display.routing.path import route_lines
from app.display.routing.rows import audit_document, audit_sentence, audit_table
from app.display.routing.simulation import (
    flip_lines,
    rollout_document,
    rollout_lines,
    rollout_state_document,
    rollout_table,
    simulation_document,
    simulation_lines,
)
from app.display.routing.stores import (
    fill_question,
    run_document,
    run_lines,
    source_lines,
    sources_document,
    states_document,
    states_lines,
    store_evaluation_document,
    store_evaluation_lines,
)
from app.display.system.metrics import table_lines
from app.domain.case import Case, Task
from app.domain.errors import FormatError
from app.domain.history import UsageCounter
from app.domain.library import Line, Problem
from app.domain.route import CacheLookup, RouteMethod
from app.evaluation.documents import document
from app.evaluation.evaluation import Evaluation
from app.services.core import LLM_SECONDS
from app.services.evaluation.evaluate import Flip, abstained, decisions_of, flips, route_metrics
from app.services.evaluation.simulator import Change
from app.services.library.import_export import ImportValidator
from app.services.routing.routes import audit_steps
from app.services.routing.store_evaluation import StoreEvaluation, can_be_evaluated, evaluate_stores
from app.services.workbench import Workbench
from app.surfaces.cli.evaluate import CaseFile, changes_of
from app.surfaces.cli.output import Printer, retry_while_locked, typed_password
from app.surfaces.cli.terminal import Progress, agrees, batched_lines

SOURCE = "route"
CASES = "cases"
"""Name of the library's route cases as a source."""


def teaching_among(
    sources: Iterable[tuple[str, Iterable[Line[Any] | Problem]]],
) -> tuple[list[tuple[str, Iterable[Line[Any] | Problem]]], dict[Task, list[str]]]:
    """Return the sources, and lists that collect texts of route and type cases while reading."""
    texts: dict[Task, list[str]] = {Task.ROUTE: [], Task.TYPE: []}

    def watched(lines: Iterable[Line[Any] | Problem]) -> Iterable[Line[Any] | Problem]:
        for line in lines:
            if isinstance(line, Line) and isinstance(line.value, Case) and line.value.task in texts:
                texts[line.value.task].append(line.value.text)
            yield line

    return [(kind, watched(lines)) for kind, lines in sources], texts


async def route_each(workbench: Workbench, queries: Iterable[str], out: Printer) -> None:
    """Route each query with one document or block of lines, as it comes, and log it.

    Queries that are already available are encoded together.
    """
    async with aclosing(batched_lines(queries)) as blocks:
        async for block in blocks:
            if len(block) > 1:
                await workbench.routing.prefetch(block)
            for query in block:
                decision = await workbench.routing.route(query)
                workbench.routing.log.note(query, decision, SOURCE)
                rollout = rollout_state_document(workbench.routing.rollout.state)
                document = {"query": query, **(route_document(decision) or {}), "rollout": rollout}
                out.write(document, route_lines(decision, workbench.settings))
                out.file.flush()


async def run_each(workbench: Workbench, queries: Iterable[str], out: Printer, *, compare: bool) -> None:
    """Route each query and run it on the routed stores, or on all; log each decision."""
    progress = Progress("filling")
    async with aclosing(batched_lines(queries)) as blocks:
        async for block in blocks:
            for query in block:
                async for run in workbench.stores.run(query, compare=compare):
                    progress(*run.filled)
                progress.done()
                workbench.routing.log.note(query, run.decision, SOURCE)
                document = {"query": query, **(route_document(run.decision) or {}), "run": run_document(run)}
                lines = [*route_lines(run.decision, workbench.settings, is_run=True), *run_lines(run)]
                out.write(document, lines)
                out.file.flush()


async def print_metrics(workbench: Workbench, out: Printer) -> None:
    found, use = await workbench.routing.log.metrics(), await workbench.usage.totals()
    rollout = workbench.routing.rollout
    await rollout.ready()
    sides = await rollout.metrics()
    caches = {look.value: use[UsageCounter.ROUTE_CACHES, look] for look in CacheLookup}
    document = {**metrics_document(found), "caches": caches, **rollout_document(rollout.state, sides)}
    lines = metrics_lines(found, has_stores=workbench.settings.route.has_any_store)
    more = [] if sides is None else [rollout_table(sides, rollout.state)]
    lines = [*lines, *table_lines([*cache_tables(use), *more])]
    out.write(document, lines)


def change_of(against: Sequence[str], fails: float, seed: int, *, asks_llm: bool) -> Change:
    """Make the change that a simulation compares; raises SettingsError."""
    return Change(changes_of(against), asks_llm, fails, seed)


async def simulate(workbench: Workbench, source: Path | str | int, change: Change, out: Printer) -> None:
    """Route the queries of a file, the cases, or log entries under both configurations.

    Raises KnownError, SettingsError.
    """
    simulator = workbench.simulator
    if isinstance(source, int):
        queries = await simulator.logged(source)
    else:
        queries = await (simulator.labelled() if source == CASES else simulator.read(Path(source)))
    with Progress("simulating") as progress:
        found = await simulator.run(queries, change, progress)
    out.write(simulation_document(found, change), simulation_lines(found, change))


async def roll_out(workbench: Workbench, share: int | None, against: Sequence[str], out: Printer) -> None:
    """Send `share` percent of queries to these settings, if given; print the rollout's state.

    Raises SettingsError, StoreError.
    """
    rollout = workbench.routing.rollout
    await rollout.ready()
    if share is not None:
        await retry_while_locked(lambda: rollout.roll_out(share, changes_of(against)))
    found = await rollout.metrics()
    state = rollout.state
    out.write(rollout_document(state, found), rollout_lines(state, found))


async def print_audit(workbench: Workbench, out: Printer, *, ask: bool = True) -> None:
    """Print an audit of a sample of the log; `ask` also asks the LLM, once it is probed."""
    await workbench.routing.ready()
    if ask:
        with suppress(TimeoutError):
            await asyncio.wait_for(workbench.engine.llm.known.wait(), LLM_SECONDS)
    with Progress("auditing") as progress:
        async for step in audit_steps(workbench.routing, ask=ask):
            progress(step.done, step.whole)
    lines = [audit_sentence(step, is_over=True), *(table_lines([audit_table(step.audit)]) if step.whole else ())]
    out.write(audit_document(step.audit, step.silence), lines)


async def clear_cache(workbench: Workbench, out: Printer) -> None:
    gone = await retry_while_locked(workbench.routing.clear_cache)
    out.write({"cleared": gone}, [f"{gone:,} answers of the LLM were forgotten."])


async def clear_log(workbench: Workbench, out: Printer) -> None:
    gone = await retry_while_locked(workbench.routing.log.clear)
    out.write({"cleared": gone}, [f"{gone:,} decisions were forgotten."])


async def judge_routes(
    workbench: Workbench,
    file: CaseFile,
    *,
    taught: bool = True,
    against: Sequence[str] = (),
    note: Callable[[Evaluation], object] = lambda _: None,
) -> bool:
    """Judge the routes of labelled queries; return True if every gate held.

    With settings `against` also the cases whose route changes. Raises SettingsError, FormatError, EncoderError.
    """
    changes, evaluations, comparison = changes_of(against), workbench.evaluations, None
    changed: list[Flip] | None = None
    with Progress("evaluating") as progress:
        if changes:
            comparison = await evaluations.compare(file.cases, file.task, changes, progress, taught=taught)
            found, after = comparison.before, comparison.after
            changed = flips(file.cases, decisions_of(found), decisions_of(after))
        else:
            found = await evaluations.today(file.cases, file.task, progress, taught=taught)
    note(found)
    told, page = _document(found, changed), _result_lines(found, changed, against)
    lines = evaluation_lines(found)
    if comparison is not None:
        told["against"] = comparison_document(comparison, changes)
        lines = comparison_lines(comparison, changes)
    return file.finish(found, told, [*lines, *page], comparison)


def _document(found: Evaluation, changed: Sequence[Flip] | None) -> dict[str, Any]:
    whole, metrics = document(found), route_metrics(found)
    for case, decision in zip(whole["cases"], decisions_of(found), strict=True):
        case |= {"method": decision.method, "databases": list(decision.databases), "reasoning": decision.reasoning}
    return {
        **whole,
        "by_method": {name: share_document(share) for name, share in metrics.by_method.items()},
        "by_intent": {name: share_document(share) for name, share in metrics.by_intent.items()},
        "times": metrics_document(metrics)["times"],
        "abstained": len(abstained(found)),
        "flips": None if changed is None else [_flip(one) for one in changed],
    }


def _flip(one: Flip) -> dict[str, Any]:
    return {
        "text": one.case.text,
        "expected": list(one.case.expected),
        "before": {"intent": one.before.intent, "method": one.before.method, "right": one.was_right},
        "after": {"intent": one.after.intent, "method": one.after.method, "right": one.is_right},
    }


def _result_lines(found: Evaluation, changed: Sequence[Flip] | None, against: Sequence[str]) -> list[str]:
    unsure = abstained(found)
    leaning = sum(one.method == RouteMethod.EXAMPLES for one in unsure)
    more = f"; in {leaning:,} of these they decided all the same, as nothing else did" * bool(leaning)
    lines = [
        *table_lines(share_tables(route_metrics(found))),
        f"Examples did not decide in {len(unsure):,} of {len(found.answered):,} cases{more}.",
    ]
    if changed is None:
        return lines
    better = sum(bool(one.is_right) and not one.was_right for one in changed)
    worse = sum(bool(one.was_right) and not one.is_right for one in changed)
    lines.append(
        f"Under {', '.join(against)}: {len(changed):,} cases go another way, {better:,} now right, {worse:,} now wrong."
    )
    return [*lines, *flip_lines(changed)]


# ---- Command stores


async def print_states(workbench: Workbench, out: Printer) -> None:
    states = await workbench.stores.states()
    out.write({"stores": states_document(states)}, states_lines(states))


async def print_sources(workbench: Workbench, name: str, out: Printer) -> None:
    """Print the sources on a server, with the setting that selects each; raises KnownError."""
    sources = await workbench.stores.sources(name)
    out.write({"sources": sources_document(name, sources)}, source_lines(name, sources))


async def fill(workbench: Workbench, name: str, *, agreed: bool) -> bool:
    """Fill a store once its statements are confirmed; False if not; raises KnownError."""
    setup = await workbench.stores.setup(name)
    question = "\n\n".join(filter(None, (fill_question(name, setup), setup)))
    if not agreed and not await agrees(question, "Fill", "--yes."):
        return False
    with Progress("filling") as progress:
        async for done, whole in workbench.stores.fill(name):
            progress(done, whole)
    return True


async def judge(workbench: Workbench, lines: Iterable[Line[Case] | Problem], out: Printer) -> None:
    """Evaluate the stores on the labelled queries of a file. Raises FormatError, KnownError."""
    sieve = ImportValidator(lines)
    cases = [case for case in sieve if can_be_evaluated(case)]
    if not cases:
        raise FormatError("The file has no case that expects a memory, a power or an intent.")
    found = StoreEvaluation(0, 0)
    with Progress("judging") as progress:
        async for found in evaluate_stores(workbench.stores, cases):
            progress(found.done, found.whole)
    out.write(store_evaluation_document(found), store_evaluation_lines(found))


async def keep_password(workbench: Workbench, name: str) -> None:
    """Store a password from prompt or stdin, empty to delete it; raises KnownError."""
    await workbench.stores.keep_password(name, await asyncio.to_thread(typed_password, name))
