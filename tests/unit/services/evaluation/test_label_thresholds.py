"""Tests of labels' own thresholds: no answer below them on any path."""

from __future__ import annotations

from app.display.documents import match_document
from app.display.evaluation.diagnostics import diagnostics_of, suggested_thresholds
from app.display.scope.verdict import Help, verdict
from app.display.scope.why_not_sentences import change_words, injection_words, sentence
from app.domain.case import Case, Task
from app.domain.library import THRESHOLD, Memory
from app.domain.match import Band, Match
from app.domain.scope.why_not import Expectation, LostAt
from app.evaluation.evaluation import Evaluation
from app.services.workbench import Workbench
from tests.memory_library import MemoryLibrary
from tests.unit.services.benches import desk

TEXT = "pay the bills of may"
MEMORIES = (
    Memory(("pay the bill",), "Pay it.", "billing"),
    Memory(("settle a bill",), "Settle it.", "billing"),
    Memory(("rain over the garage",), "Bring an umbrella.", "weather"),
)
CHOSEN = {"combination": "balanced", "fallback_threshold": "0.1", "search_intent.surfacing_confidence": "0.2"}


async def best(bench: Workbench) -> Match:
    return (await bench.settle(TEXT)).matches[0]


async def judged(bench: Workbench) -> Evaluation:
    return await bench.evaluations.today([Case(TEXT, ("billing",), Task.INTENT)], Task.INTENT)


async def test_that_a_threshold_rejects_what_lies_below_it_and_is_set_lowered_and_taken_back() -> None:
    async with desk(MemoryLibrary) as bench:
        for memory in MEMORIES:
            await bench.curator.teach(memory)
        await bench.choose_all(CHOSEN)
        await bench.ready()
        found = await best(bench)
        assert found.band is not Band.FALLBACK
        assert (await judged(bench)).metrics["accuracy"] == 1.0

        line = round(found.confidence + 0.02, 4)
        written, count = await bench.curator.set_thresholds({"billing": line})
        assert written is not None
        assert (count, {one.threshold for one in bench.library.memories()}) == (1, {line, None})
        lost = await best(bench)
        assert (lost.answer.key, lost.confidence) == (found.answer.key, found.confidence)
        assert (lost.band, lost.threshold, match_document(lost)["threshold"]) == (Band.FALLBACK, line, line)
        shown = verdict(await bench.settle(TEXT), bench.settings)
        assert "its own threshold of " in shown.why
        assert shown.help[0] is Help.LEAST_OF_LABEL
        evaluation = await judged(bench)
        assert (evaluation.metrics["accuracy"], evaluation.metrics["top1"]) == (0.0, 1.0)
        assert evaluation.bands[Band.FALLBACK] == 1
        assert not (await bench.injected(TEXT)).inside

        told = await bench.why_nots.explain(TEXT, Expectation("intent", "billing"))
        assert told.stage is LostAt.THRESHOLD
        assert "is below its own threshold" in sentence(told)
        assert "below its own threshold" in injection_words(told.injection)
        lowered = next(one for one in told.changes if one.key == "label.threshold")
        assert lowered.wins
        assert change_words(lowered).startswith(f"Lower the threshold of its intent from {line:g}")
        await bench.why_nots.apply(lowered)
        assert (await best(bench)).band is not Band.FALLBACK
        assert await bench.curator.undo() is not None
        assert (await best(bench)).band is Band.FALLBACK

        await bench.choose_all({"label_thresholds": "false"})
        assert (await best(bench)).band is not Band.FALLBACK
        assert (await judged(bench)).metrics["accuracy"] == 1.0
        await bench.choose_all({"label_thresholds": None, "preset": "as_documented"})
        assert (await best(bench)).band is not Band.FALLBACK
        for _ in range(3):
            await bench.curator.undo()
        assert {one.threshold for one in bench.library.memories()} == {None}


def test_that_a_threshold_lies_between_nothing_and_everything_and_the_largest_of_a_label_counts() -> None:
    memory = Memory(("a",), tags=("home", f"{THRESHOLD}=0.4", f"{THRESHOLD}=0.6", f"{THRESHOLD}=7", f"{THRESHOLD}=x"))
    assert memory.threshold == 0.6
    assert memory.with_threshold(0.25).tags[:1] + memory.with_threshold(0.25).tags[-1:] == (
        "home",
        "score_threshold=0.25",
    )
    assert memory.with_threshold(None).threshold is None


async def test_that_suggested_thresholds_are_offered_for_labels_alone() -> None:
    async with desk(MemoryLibrary) as bench:
        for memory in MEMORIES:
            await bench.curator.teach(memory)
        await bench.ready()
        cases = [Case(f"pay the bill number {n}", ("billing",), Task.INTENT) for n in range(6)]
        shown = diagnostics_of(await bench.evaluations.today(cases, Task.INTENT))
        (own,) = (one for one in shown.labels if one.label == "billing")
        one, every = suggested_thresholds(shown, own)
        assert one[1] == every[1] == {"billing": own.threshold}
        assert suggested_thresholds(shown, None) == (every,)
        of_memories = [Case(case.text, ("pay the bill",), Task.MEMORY) for case in cases]
        shown = diagnostics_of(await bench.evaluations.today(of_memories, Task.MEMORY))
        assert suggested_thresholds(shown, shown.labels[0]) == ()
