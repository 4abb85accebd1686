"""Tests of the LLM's choice among the engine's answers: alone, merged, requested once."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.display.evaluation.llm import llm_document, llm_lines, llm_view
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.library import Memory, Power
from app.domain.llm import ChoiceAnswer, Option
from app.domain.match import Tier
from app.services.evaluation.llm_answers import OFF, LlmAskOptions
from tests.build import library_of
from tests.fakes import MemoryLibrary
from tests.unit.services.evaluation.test_llm_answers import Model, on_desk

FUZZY = {"combination": "fuzzy", "power_combination": "fuzzy", "tiers.ambiguity_margin": "0"}


def library() -> MemoryLibrary:
    return library_of(
        *(Memory((f"will it {word}",), intent=word) for word in ("rain", "snow", "freeze")),
        Power("postgres", "Ask PostgreSQL", ("database",)),
        Power("mysql", "Ask MySQL", ("database",)),
    )


class Chooser(Model):
    """LLM that chooses the last option."""

    async def choose(self, query: str, options: Sequence[Option]) -> ChoiceAnswer:
        self.choice = ChoiceAnswer(options[-1].name, 0.8, "json")
        return await super().choose(query, options)


async def test_that_labels_are_judged_by_the_engine_by_the_llm_and_by_both() -> None:
    cases = [Case("will it rain", ("rain",), Task.INTENT), Case("will it rai", ("snow",), Task.INTENT)]

    model = Chooser()
    async with on_desk(model, library, {**FUZZY, "llm.choose_most": "2"}) as bench:
        model.offered.clear()
        found = await bench.llm_choices.judged(cases, Task.INTENT, LlmAskOptions(runs=2))
        assert list(found.columns) == ["engine", "llm", "by_type", "adr", "shipped"]
        assert model.offered[:2] == [["rain", "snow"], ["rain", "snow"]]
        right = {name: [one.is_right for one in column.answered] for name, column in found.columns.items()}
        assert right == dict(zip(found.columns, ([True, False], *[[False, True]] * 4), strict=True))
        today = await bench.evaluations.today(cases, Task.INTENT)
        for own, plain in zip(found.columns["engine"].answered, today.answered, strict=True):
            assert (own.predicted, own.rank, own.confidence) == (plain.predicted, plain.rank, plain.confidence)
        (merged, _) = found.columns["adr"].answered
        assert merged.confidence == pytest.approx(0.7 * 0.8 + 0.3 * today.answered[0].candidates[1].confidence)
        assert merged.candidates[1].confidence <= merged.confidence
        assert found.repeats is not None
        assert (found.repeats.share, found.asked) == (1.0, 4)
        again = await bench.llm_choices.judged(cases, Task.INTENT, LlmAskOptions(ask=False))
        assert (again.asked, llm_document(again)["columns"]) == (0, llm_document(found)["columns"])
        assert "Engine alone" in "\n".join(llm_lines(found))
        assert len(llm_view(found).lists["llm_wrong"]) == 1


async def test_that_a_power_that_is_passed_over_is_judged_as_not_activated() -> None:
    cases = [Case("postgres", ("postgres",), Task.POWER), Case("mysql", ("postgres",), Task.POWER)]
    async with on_desk(Chooser(), library, FUZZY) as bench:
        found = await bench.llm_choices.judged(cases, Task.POWER, LlmAskOptions())
        engine, merged = (found.columns[name].answered for name in ("engine", "adr"))
        assert [one.tier for one in engine] == [Tier.ACTIVATED] * 2
        assert [one.predicted for one in merged] == ["mysql", "postgres"]
        assert Tier.ACTIVATED not in [one.tier for one in merged]


async def test_that_without_a_choice_or_an_llm_it_is_said() -> None:
    async with on_desk(Chooser(), library, FUZZY) as bench:
        with pytest.raises(KnownError, match="two answers"):
            await bench.llm_choices.judged([Case("", (), Task.POWER)], Task.POWER, LlmAskOptions())
    async with on_desk(Chooser(), library, {**FUZZY, "search_intent.use_llm": "false"}) as bench:
        with pytest.raises(KnownError) as refused:
            await bench.llm_choices.judged([Case("x", (), Task.POWER)], Task.POWER, LlmAskOptions())
        assert str(refused.value) == OFF
