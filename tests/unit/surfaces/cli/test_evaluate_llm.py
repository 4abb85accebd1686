"""Tests of `evaluate --llm`: output, rejected options, and notes on unused LLM settings."""

from __future__ import annotations

import io
import json

import pytest

from app.domain.errors import KnownError
from app.domain.library import Line
from app.services.evaluation.llm_answers import LlmAskOptions
from app.surfaces.cli.commands import evaluation
from app.surfaces.cli.evaluate import compare_cases, llm_cases, sweep_cases
from app.surfaces.cli.output import MisuseError, Printer
from app.surfaces.cli.parser import parser
from app.surfaces.cli.program import choices_of
from tests.unit.services.evaluation.test_llm_answers import CASES, Model, on_desk
from tests.unit.surfaces.cli.case_files import judged

LINES = [Line(number, case) for number, case in enumerate(CASES, 1)]


async def test_that_it_tells_the_answers_of_today_and_what_the_llm_adds() -> None:
    async with on_desk(Model()) as bench:
        out = io.StringIO()
        gates, asking = ["accuracy>=0.5"], LlmAskOptions()
        assert await judged(llm_cases, bench, LINES, "type", Printer(out, as_json=True), asking=asking, gates=gates)
        found = json.loads(out.getvalue())
        assert found["metrics"] == found["llm"]["columns"]["by_type"]["metrics"]
        assert found["llm"]["model"] == "scripted"
        out = io.StringIO()
        gates = ["accuracy>=0.9"]
        assert not await judged(llm_cases, bench, LINES, "type", Printer(out), asking=asking, gates=gates)
        assert "LLM fixes (1)" in out.getvalue()
        assert "every answer was kept" in out.getvalue()
        out = io.StringIO()
        against, asking = ["search_intent.use_llm=false"], LlmAskOptions(ask=False)
        assert await judged(
            compare_cases, bench, LINES, "type", Printer(out, as_json=True), against=against, asking=asking
        )
        assert json.loads(out.getvalue())["against"]["fixed"] == 2


async def test_that_settings_of_an_llm_that_is_not_asked_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    async with on_desk(Model()) as bench:
        out = io.StringIO()
        await judged(compare_cases, bench, LINES, "type", Printer(out), against=["search_intent.merge=shipped"])
        assert "--llm only: without it search_intent.merge changes" in capsys.readouterr().err
        await judged(sweep_cases, bench, LINES, "type", Printer(out), sweep="search_intent.learned_from=0.5,0.6")
        assert "--llm" not in capsys.readouterr().err
        against = ["encoder.name=x"]
        with pytest.raises(KnownError, match="without the LLM"):
            await judged(compare_cases, bench, LINES, "type", Printer(out), against=against, asking=LlmAskOptions())


@pytest.mark.parametrize(
    "words",
    [
        "--task route --llm",
        "--task intent --llm --sweep fallback_threshold=0.1,0.2",
        "--task type --repeat 3",
        "--task type --ask-anew",
        "--task type --llm-seconds 3",
        "--task type --llm --no-llm --ask-anew",
        "--task type --llm --llm-seconds 0",
    ],
)
def test_that_what_cannot_be_asked_of_it_is_refused(words: str) -> None:
    with pytest.raises(MisuseError):
        evaluation._check_evaluate(parser().parse_args(["evaluate", "cases.jsonl", *words.split()]))


def test_that_without_the_llm_kept_answers_count_only_where_it_was_named() -> None:
    options = parser().parse_args(["evaluate", "cases.jsonl", "--task", "type", "--no-llm", "--llm"])
    assert choices_of(options).pairs == ()
    options = parser().parse_args(["evaluate", "cases.jsonl", "--task", "type", "--no-llm"])
    assert "search_intent.use_llm=false" in choices_of(options).pairs
