"""Tests of training examples for types: added in one step, fitted, stored, deleted."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.domain.case import Case, Task, TaughtExample
from app.domain.intent import DetectionSource, IntentType
from app.scoring.learned.taught import FitCancelledError
from app.services.engine.adapters import Adapters
from app.services.engine.typing_priority import TypingPriority
from app.services.scope.types import Types
from app.services.workbench import Workbench
from tests.build import some
from tests.unit.services.benches import WordsAndLetters, desk, unopened

ASKED = {
    "AAAA": IntentType.LOCATION,
    "AAAB": IntentType.LOCATION,
    "AABA": IntentType.LOCATION,
    "ZZZZ": IntentType.COMPARISON,
    "ZZZY": IntentType.COMPARISON,
    "ZZYZ": IntentType.COMPARISON,
}


class KeptArrays:
    def __init__(self) -> None:
        self.arrays: Mapping[str, Any] | None = None
        self.saved = 0

    def load(self) -> Mapping[str, Any] | None:
        return self.arrays

    def save(self, arrays: Mapping[str, Any]) -> None:
        self.arrays, self.saved = arrays, self.saved + 1


async def teach_all(bench: Workbench) -> None:
    for text, type_ in ASKED.items():
        await bench.types.teach(text, type_)
    await bench.types.ready()


async def test_that_what_is_taught_speaks_where_no_keyword_does_and_undo_takes_it_back() -> None:
    async with desk() as bench:
        assert (await bench.settle("AAAAB")).intent is None
        assert bench.types.state().trained is None
        await teach_all(bench)
        state = bench.types.state()
        assert state.trained is not None
        assert (state.examples, state.shipped, state.missing) == (6, 0, "")
        known = some((await bench.settle("ZZZZ")).intent)
        assert (known.type, known.source, known.confidence) == (IntentType.COMPARISON, DetectionSource.LEARNED, 1.0)
        assert [case.task for case in bench.library.cases()] == [Task.TYPE] * 6
        for _ in ASKED:
            await bench.curator.undo()
        await bench.types.ready()
        assert bench.types.state().examples == 0
        assert (await bench.settle("ZZZZ")).intent is None


async def test_that_a_type_is_taught_anew_or_as_none() -> None:
    async with desk() as bench:
        assert await bench.types.teach("where", IntentType.LOCATION)
        assert not await bench.types.teach("where", None)
        assert [(case.text, case.expected) for case in bench.library.cases()] == [("where", ())]


async def test_that_as_documented_learns_nothing_and_asks_no_examples() -> None:
    async with desk(preset="as_documented") as bench:
        await teach_all(bench)
        found = await bench.settle("ZZZZ")
        assert found.intent is None
        assert found.detection.learned is None
        assert bench.types.state().examples == 0


async def test_that_an_evaluation_leaves_a_case_out_of_its_own_vote() -> None:
    async with desk(encoder=WordsAndLetters) as bench:
        await teach_all(bench)
        await bench.types.teach("AAAC", IntentType.COMPARISON)
        await bench.types.ready()
        shown = some((await bench.settle("AAAC")).intent)
        assert shown.type is IntentType.COMPARISON
        assert await bench.encoded_both(["AAAC"]) is not None
        detector, wanted = bench.engine.detector, bench.settings.search_intent
        left = detector.detect("AAAC", bench.engine.vectors.both("AAAC"), wanted, left_out=True)
        assert some(some(left.learned).vote).label == IntentType.LOCATION


async def test_that_what_was_learned_is_found_again_and_only_new_texts_are_encoded() -> None:
    kept, first = KeptArrays(), WordsAndLetters()
    bench = with_kept(unopened(encoder=lambda: first), kept)
    await bench.open(watch=False)
    await bench.ready()
    await teach_all(bench)
    library = bench.library
    await bench.close()
    again = WordsAndLetters()
    bench = with_kept(unopened(lambda: library, lambda: again), kept)
    await bench.open(watch=False)
    await bench.ready()
    saved = kept.saved
    assert bench.types.state().trained is not None
    assert not set(ASKED) & set(again.encoded)
    await bench.catalogue.add_case(Case("ABCD", ("location",), Task.TYPE))
    await bench.types.ready()
    assert set(again.encoded) & {*ASKED, "ABCD"} == {"ABCD"}
    assert kept.saved > saved
    await bench.close()


def with_kept(bench: Workbench, kept: KeptArrays) -> Workbench:
    adapters: Adapters = replace(bench._adapters, stored_models={Task.TYPE: (kept,)})
    thread = bench._index_loader.thread
    bench.types.trainer.close()
    bench.types = Types(bench, bench.journal, adapters, thread, lambda: bench._encoder.thread)
    return bench


async def test_that_a_fit_ends_at_its_next_step_once_it_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = [TaughtExample(text, (type_.value,)) for text, type_ in ASKED.items()]
    vectors = np.eye(len(examples), dtype=np.float32)
    async with desk() as bench:
        await bench.types.ready()
        lessons = bench.types.trainer
        encoder = some(bench.engine.encoder)
        assert await lessons.fit(examples, vectors, vectors, encoder) is not None
        monkeypatch.setattr(TypingPriority, "yield_to_typing", lambda _: lessons.close())
        with pytest.raises(FitCancelledError):
            await lessons.fit(examples, vectors, vectors, encoder)


async def test_that_an_encoder_that_is_gone_is_not_held() -> None:
    async with desk(encoder=WordsAndLetters) as bench:
        await teach_all(bench)
        assert bench.types.voter.model is not None
        bench.engine.encoder = None
        await bench.types.ready()
        held: list[object] = [bench.types.voter.encoder, bench.types.voter.model, bench.types.trainer._fitted]
        assert held == [None, None, None]
