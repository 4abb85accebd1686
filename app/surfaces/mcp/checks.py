"""Tools on answers for assistants: why-not, routing, and evaluation.

They take long with many labelled queries: they report progress and can be cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any

from app.display.documents import route_document
from app.display.scope.why_not import why_not_document
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.filters import CaseFilter
from app.domain.library import Memory, Power
from app.domain.review.usage import UsageCounter
from app.domain.scope.why_not import Expectation
from app.ports.power import Progress
from app.services.evaluation.case_runs import Outcome, run_cases
from app.services.workbench import Workbench
from app.surfaces.mcp.assistant_workbench import AssistantWorkbench
from app.surfaces.mcp.power_tools import DESCRIPTION, NAME, bounded
from app.surfaces.mcp.schemas import EvaluateArguments, FeedbackArguments, QueryArguments, WhyNotArguments

Document = dict[str, Any]
Count = Callable[[int, int], None]

SOURCE = "assistant"

PROGRESS_SECONDS = 0.5
"""Interval of progress reports, in seconds."""

MOST_WRONG = 20
"""Maximum number of listed cases with wrong answers."""


async def why_not(assistants: AssistantWorkbench, arguments: WhyNotArguments, progress: Progress) -> Document:
    """Return the stage that lost the expected answer, and changes with their effect on cases."""
    workbench = await assistants.ready(progress)
    try:
        expected = Expectation.of(arguments.expect)
    except ValueError as error:
        raise KnownError(str(error)) from None
    return why_not_document(
        await _with_progress(lambda count: workbench.why_nots.explain(arguments.query, expected, count), progress)
    )


async def _with_progress(work: Callable[[Count], Coroutine[Any, Any, Any]], progress: Progress) -> Any:
    """Run counting work with progress reports; cancelling the caller cancels the work."""
    counted = [(0, 0)]
    working = asyncio.create_task(work(lambda done, total: counted.__setitem__(0, (done, total))))
    reported = counted[0]
    try:
        while not working.done():
            await asyncio.wait([working], timeout=PROGRESS_SECONDS)
            if counted[0] != reported:
                reported = counted[0]
                await progress(reported[0], reported[1], f"{reported[0]:,} of {reported[1]:,} labelled queries.")
        return working.result()
    finally:
        working.cancel()


async def route(assistants: AssistantWorkbench, arguments: QueryArguments, progress: Progress) -> Document:
    """Return the data store that should answer the query; the decision is logged."""
    workbench = await assistants.ready(progress)
    decision = await workbench.routing.route(arguments.query)
    workbench.routing.log.note(arguments.query, decision, SOURCE)
    return {"query": arguments.query, **(route_document(decision) or {})}


async def evaluate(assistants: AssistantWorkbench, arguments: EvaluateArguments, progress: Progress) -> Document:
    """Return the number of cases with the expected answer, and some without."""
    workbench = await assistants.ready(progress)
    task = Task(arguments.task)
    keys = await workbench.in_store(lambda library: library.find_cases(CaseFilter(task=task)))
    outcomes: list[Outcome] = []
    skipped = 0
    async with aclosing(run_cases(workbench, workbench.routing, keys)) as runs:
        async for run in runs:
            outcomes += run.outcomes
            skipped = run.skipped
            await progress(run.done, run.total, f"{run.done:,} of {run.total:,} labelled queries.")
    wrong = [one for one in outcomes if not one.is_right][:MOST_WRONG]
    cases = await _cases(workbench, [one.key for one in wrong])
    right = sum(one.is_right for one in outcomes)
    return {
        "task": task.value,
        "n": len(outcomes),
        "skipped": skipped,
        "right": right,
        "delivered": right / len(outcomes) if outcomes else None,
        "wrong": [_wrong(one, cases[one.key]) for one in wrong if one.key in cases],
    }


async def _cases(workbench: Workbench, keys: list[int]) -> dict[int, Case]:
    found = await workbench.in_store(lambda library: library.cases_by_key(keys))
    return {dated.item.key: dated.item for dated in found if dated.item.key is not None}


def _wrong(outcome: Outcome, case: Case) -> Document:
    return {
        "text": bounded(case.text, DESCRIPTION),
        "expected": [bounded(name, NAME) for name in case.expected],
        "answered": None if outcome.answered is None else bounded(outcome.answered, NAME),
        "why": outcome.why,
        "confidence": outcome.confidence,
        "rank": outcome.rank,
    }


async def feedback(assistants: AssistantWorkbench, arguments: FeedbackArguments, progress: Progress) -> Document:
    """Mark an answer right or wrong for a query: adjusts its success, makes a case. Undoable."""
    workbench = await assistants.opened()
    kind, _, name = arguments.answer.partition(":")
    kinds = {"memory": Memory, "power": Power}
    if kind not in kinds or not name:
        raise KnownError("`answer` is memory:NAME or power:NAME.")
    answers = workbench.engine.index.answers().values()
    found = next((one for one in answers if isinstance(one, kinds[kind]) and one.name == name), None)
    if found is None:
        raise KnownError(f"No {kind} “{bounded(name, NAME)}” in use.")
    marked = await workbench.curator.mark(found, arguments.query, fits=arguments.right, source=SOURCE)
    workbench.usage.count(UsageCounter.MARKS, "right" if arguments.right else "wrong")
    return {"answer": arguments.answer, "right": arguments.right, "success": getattr(marked, "success", None)}
