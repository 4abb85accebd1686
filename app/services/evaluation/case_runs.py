"""Runs of labelled cases on the present engine: right answers and confidences (S7.5)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from app.domain.case import Case, Task
from app.domain.intent import IntentType
from app.evaluation.answers import (
    Answered,
    Delivery,
    Top,
    Tops,
    candidates_of,
    delivery_of,
    fault_words,
    top_of,
    why_not_delivered,
)
from app.evaluation.evaluation import threshold_of
from app.scoring.combiners import combiner_for
from app.services.core import Core
from app.services.engine.typing_priority import chunks
from app.services.evaluation.evaluations import Evaluations
from app.services.evaluation.runs import LatestRun
from app.services.routing.routes import Routing
from app.settings.model import Settings

BLOCK = 8
"""Number of cases per block; a typed query waits for at most one block."""

FETCHED = 256
"""Number of cases read from the store at once."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one case; `version` is that of the case that was run.

    `answered` is None for "no match", `confidence` in [0, 1], `rank` the rank of the first right answer, from 1.
    `why` names what else would be delivered if only the answer is right.
    """

    key: int
    version: int
    delivery: Delivery
    rank: int | None
    confidence: float
    answered: str | None
    why: str = ""
    fault: str = ""
    """Reason of a failure like `why`, to follow the answer's name."""
    limits: tuple[float, ...] = ()
    """Confidences at which the outcome changes."""

    @property
    def is_right(self) -> bool:
        return self.delivery is Delivery.RIGHT


@dataclass(frozen=True, slots=True)
class CaseRun:
    """Progress of a run: cases done and in total, and the outcomes since the last report.

    Cases for routes cannot run while routing is off; `skipped` counts them.
    """

    done: int
    total: int
    outcomes: tuple[Outcome, ...] = ()
    skipped: int = 0
    noted: tuple[LatestRun, ...] = ()
    """Evaluations, one per task whose cases are all included; in the last step only."""


NoteCases = Callable[[Sequence[Answered]], Awaitable[Sequence[LatestRun]]]
"""Notes the answers of a whole run, as `Runs.note_cases`."""


async def run_cases(
    core: Core, evaluations: Evaluations, keys: Sequence[int], note: NoteCases | None = None
) -> AsyncGenerator[CaseRun, None]:
    """Answer cases in blocks, without storing or using the LLM. Raises StoreError, EncoderError."""
    run, answered = CaseRun(0, len(keys)), list[Answered]()
    layout, settings = core.engine.index.layout(), core.engine.settings
    yield run
    for wanted in chunks(keys, FETCHED):
        fetched = await core.in_store(lambda library: library.cases_by_key(wanted))  # noqa: B023 - awaited at once
        found = [dated.item for dated in fetched]
        answerable = [case for case in found if case.task is not Task.ROUTE or core.settings.route.enabled]
        skipped = run.skipped + len(found) - len(answerable)
        run = replace(run, done=run.done + len(wanted) - len(answerable), skipped=skipped, outcomes=())
        for block in _blocks(answerable):
            judged = await evaluations.answer(block, block[0].task, accounts=note is not None)
            answered += judged if note is not None else ()
            run = replace(run, done=run.done + len(block), outcomes=tuple(map(case_outcome, judged)))
            yield run
            await asyncio.sleep(0)
    noted: Sequence[LatestRun] = ()
    if note is not None and layout is core.engine.index.layout() and settings is core.engine.settings:
        noted = await note(answered)
    if noted or (run.done and not run.outcomes):
        yield replace(run, outcomes=(), noted=tuple(noted))


def _blocks(cases: Sequence[Case]) -> list[list[Case]]:
    """Return runs of cases of one task, none longer than `BLOCK`."""
    by_task: dict[Task, list[Case]] = {}
    for case in cases:
        by_task.setdefault(case.task, []).append(case)
    return [block for same in by_task.values() for block in chunks(same, BLOCK)]


def case_outcome(answered: Answered) -> Outcome:
    case = answered.case
    assert case.key is not None, "what was fetched is stored"
    return Outcome(
        case.key,
        case.version,
        delivery_of(answered),
        answered.rank,
        answered.confidence,
        answered.predicted,
        why_not_delivered(answered),
        fault_words(answered),
        answered.limits,
    )


def answer_names(bench: Core, routing: Routing, task: Task, text: str, most: int = 20) -> list[str]:
    """Return names that contain the text and that a case may expect, prefix matches first."""
    if task is Task.TYPE:
        names: Sequence[str] = [name.value for name in IntentType]
    elif task is Task.ROUTE:
        names = routing.known
    else:
        names = candidates_of(bench.engine.index, task).names
    sought = text.casefold().strip()
    held = [name for name in names if sought in name.casefold()]
    return sorted(held, key=lambda name: not name.casefold().startswith(sought))[:most]


# ---- Results of the labelled cases, on which thresholds can be tried without answering again.

TASKS = (Task.INTENT, Task.MEMORY, Task.POWER, Task.TYPE)
"""Tasks whose cases can be answered, in this order."""


async def answer_cases(core: Core, evaluations: Evaluations) -> AsyncGenerator[Tops, None]:
    """Answer all labelled cases in blocks, as typed queries; the last item has all results.

    Nothing is stored and the LLM is not used. Raises StoreError, EncoderError.
    """
    cases = await core.in_store(lambda library: library.cases())
    wanted = {task: [case for case in cases if case.task is task] for task in TASKS}
    total, done = sum(map(len, wanted.values())), 0
    found: dict[Task, list[Top]] = {task: [] for task in TASKS}
    yield Tops(0, total, {})
    for task, chosen in wanted.items():
        for block in chunks(chosen, BLOCK):
            least, answered = threshold_of(task, core.engine.settings), await evaluations.answer(block, task)
            found[task] += [_top(one, least) for one in answered]
            done += len(block)
            if done < total:
                yield Tops(done, total, {})
            await asyncio.sleep(0)
    by_task = {task: tuple(tops) for task, tops in found.items() if tops}
    yield Tops(done, total, by_task, {power: _of_folds(core.settings, power) for power in (False, True)})


def _of_folds(settings: Settings, power: bool) -> tuple[Top, ...]:
    """Return the results of the held-out phrases of the fit, if it decides."""
    if not combiner_for(settings, power=power).is_shared:
        return ()
    own = settings.learned.of(power=power, has_regression=True).outcomes
    return tuple(Top(chance, bool(is_right), is_right is None) for chance, is_right in own)


def _top(answered: Answered, least: float) -> Top:
    top = top_of(answered)
    if answered.tier is None and answered.rejected and answered.confidence >= least:
        # Its own label's threshold rejects it, whatever the others are.
        return replace(top, confidence=0.0)
    return top
