"""What the labelled cases came to, so that thresholds can be tried on them without asking anything again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from app.domain.case import Case, Task
from app.domain.query import Query
from app.evaluation.answers import Answered, Top, Tops
from app.services.evaluate import Embed, evaluate
from app.services.workbench import Workbench

BLOCK = 8
"""So many cases are answered at once: whoever types meanwhile waits for at most one block."""

TASKS = (Task.INTENT, Task.MEMORY, Task.POWER, Task.TYPE)
"""The tasks whose cases can be answered today, in the order in which they are."""


async def answer_cases(bench: Workbench) -> AsyncGenerator[Tops, None]:
    """Answer every labelled case of the profile, block by block, on the path of typed queries; the last of what is
    yielded holds them all. No LLM is asked and nothing is stored. StoreError, EncoderError."""
    cases = await bench.in_store(lambda library: library.cases())
    wanted = {task: [case for case in cases if case.task is task] for task in TASKS}
    total, done = sum(map(len, wanted.values())), 0
    found: dict[Task, list[Top]] = {task: [] for task in TASKS}
    yield Tops(0, total, {})
    for task, chosen in wanted.items():
        for start in range(0, len(chosen), BLOCK):
            block = chosen[start : start + BLOCK]
            found[task] += await _answered(bench, block, task)
            done += len(block)
            if done < total:
                yield Tops(done, total, {})
            await asyncio.sleep(0)
    yield Tops(done, total, {task: tuple(tops) for task, tops in found.items() if tops})


async def _answered(bench: Workbench, cases: Sequence[Case], task: Task) -> list[Top]:
    texts = [Query.of(case.text).scored for case in cases]
    made = None if task is Task.TYPE else await bench.encoded(texts)
    embed = None if made is None else _known(dict(zip(texts, made, strict=True)))
    engine = bench.engine
    judged = evaluate(engine.index, engine.settings, cases, task, embed=embed, rules=engine.rules)
    return [_top(answered) for answered in judged.answered]


def _known(vectors: Mapping[str, NDArray[np.float32]]) -> Embed:
    return lambda texts: np.stack([vectors[text] for text in texts])


def _top(answered: Answered) -> Top:
    best = [candidate.confidence for candidate in answered.candidates[:2]]
    lead = best[0] - best[1] if len(best) > 1 else 1.0
    return Top(answered.confidence, answered.top_is_right, not answered.acceptable, lead)
