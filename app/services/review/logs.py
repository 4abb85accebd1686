"""A log of real queries taken into the history: each text answered once, without an LLM, and kept (S7.4)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from app.detect.doubts import presets_differ
from app.domain.history import Doubt, Source
from app.domain.inspection import Inspection
from app.domain.library import Line, Problem
from app.services.core import Core
from app.services.review.recorder import Recorder, other_preset
from app.services.review.replay import ask_all

KEPT_AT_ONCE = 100
"""So many answers are written together; what is stopped loses at most these."""

PROGRESS_SECONDS = 0.1

SHOWN_PROBLEMS = 100
"""So many lines that could not be read are told."""


@dataclass(frozen=True, slots=True)
class LogProgress:
    """How far taking in a log has come: queries answered of so many, and how many different ones are kept.

    `left_out` counts the lines that could not be read, and `problems` are the first hundred of them, once: line
    number and sentence.
    """

    read: int
    of: int
    kept: int = 0
    left_out: int = 0
    problems: tuple[tuple[int, str], ...] = ()
    is_done: bool = False


def read_all(lines: Iterable[Line[str] | Problem]) -> tuple[Counter[str], list[Problem]]:
    """The texts of a log with how often each occurs, in order, and the lines that hold none. May block."""
    texts: Counter[str] = Counter()
    problems: list[Problem] = []
    for line in lines:
        if isinstance(line, Problem):
            problems.append(line)
        else:
            texts[line.value] += 1
    return texts, problems


async def take_in(
    core: Core, recorder: Recorder, texts: Counter[str], problems: Sequence[Problem]
) -> AsyncGenerator[LogProgress, None]:
    """Answer the texts of a log and keep them, with the doubt that the two presets differ where that is wanted; how far
    that is, again and again."""
    shown_problems = tuple((problem.line, problem.sentence) for problem in problems[:SHOWN_PROBLEMS])
    progress = LogProgress(0, texts.total(), left_out=len(problems), problems=shown_problems)
    yield progress
    progress = replace(progress, problems=())
    asked = [core.settings]
    if core.settings.history.compare_presets:
        asked.append(core.settings_under({"preset": other_preset(core.settings)}))
    batch: list[Inspection] = []
    doubts: dict[str, tuple[Doubt, ...]] = {}
    sent_at = time.monotonic()
    async with aclosing(ask_all(core, list(texts), asked)) as answers:
        async for ours, *theirs in answers:
            batch.append(ours)
            progress = replace(progress, read=progress.read + texts[ours.query.text])
            if any(presets_differ(ours, other) for other in theirs):
                doubts[ours.query.text] = (Doubt.PRESETS,)
            if len(batch) == KEPT_AT_ONCE:
                progress = replace(progress, kept=progress.kept + await _kept(recorder, batch, doubts, texts))
                batch, doubts = [], {}
            if time.monotonic() - sent_at >= PROGRESS_SECONDS:
                yield progress
                sent_at = time.monotonic()
    progress = replace(progress, kept=progress.kept + await _kept(recorder, batch, doubts, texts))
    yield replace(progress, is_done=True)


async def preset_doubts(core: Core, inspections: Iterable[Inspection]) -> dict[str, tuple[Doubt, ...]]:
    """By text the doubt of those whose first answer or type is another under the other preset.

    Each is asked once more under the other preset, and where an LLM may have had a say, once under ours without it;
    vectors that are known are not made again. Nothing while the encoder loads, or where that is not wanted.
    """
    if not core.settings.history.compare_presets:
        return {}
    if core.engine.encoder is None and core.engine.encoder_fault is None:
        return {}
    ours, theirs = core.settings, core.settings_under({"preset": other_preset(core.settings)})
    doubts: dict[str, tuple[Doubt, ...]] = {}
    for inspection in inspections:
        text = inspection.query.text
        if inspection.query.is_empty or text in doubts:
            continue
        alone = await core.settle_under(text, ours) if ours.llm.url else inspection
        if presets_differ(alone, await core.settle_under(text, theirs)):
            doubts[text] = (Doubt.PRESETS,)
    return doubts


async def _kept(
    recorder: Recorder, batch: Sequence[Inspection], doubts: dict[str, tuple[Doubt, ...]], texts: Counter[str]
) -> int:
    return len(await recorder.keep(batch, Source.LOG, doubts, texts))
