"""Tests of token costs: each answer, then the chosen activation (S5.7)."""

import asyncio
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import pytest

from app.detect.keywords import KeywordRules
from app.domain.case import Case, Task
from app.domain.errors import FormatError, KnownError
from app.domain.library import Line, Power, Problem, Tool
from app.domain.match import Tier
from app.evaluation.evaluation import Evaluation
from app.scoring.index.trigger_index import TriggerIndex
from app.services.engine.engine import Engine
from app.services.engine.llm_requests import LlmRequests
from app.services.engine.metrics import EngineMetrics
from app.services.evaluation.llm_answers import LlmAskOptions
from app.services.status import Status
from app.settings.model import Settings
from app.surfaces.cli.commands import evaluation
from app.surfaces.cli.evaluate import CaseFile, compare_cases, evaluate_cases, llm_cases, sweep_cases
from app.surfaces.cli.output import MisuseError, Printer
from app.surfaces.cli.parser import parser
from app.surfaces.cli.program import choices_of
from app.surfaces.cli.terminal import Progress, about
from tests.unit.scoring.vectors import DIMENSION
from tests.unit.services.evaluation.answering import evaluate
from tests.unit.services.evaluation.test_llm_answers import CASES, Model, on_desk
from tests.unit.surfaces.cli.case_files import judged

POWERS = [
    Power("red", "", ("paint", "red"), tools=(Tool("brush", "thin"), Tool("roller", "thick")), steering="Ask.", key=1),
    Power("blue", "", ("paint", "blue"), tools=(Tool("spray"),), key=2),
    Power("tune", "Whistles", ("tune",), key=3),
]
RUNS_RED = {
    "status": "activated",
    "power": {"name": "red", "confidence": 0.7, "match_type": "keyword"},
    "tools": [{"name": "brush", "description": "thin"}, {"name": "roller", "description": "thick"}],
    "started": True,
    "reason": None,
    "steering": "Ask.",
}
RUNS_BLUE = {
    **RUNS_RED,
    "power": {"name": "blue", "confidence": 0.7, "match_type": "keyword"},
    "tools": [{"name": "spray", "description": ""}],
    "steering": "",
}
EVERYTHING = [
    {"name": "brush", "description": "thin"},
    {"name": "roller", "description": "thick"},
    {"name": "spray", "description": ""},
    {"name": "tune", "description": "Whistles"},
]


class Letters:
    """Counter with one token per character, so that a test can count them, too."""

    name = "letters"

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


class StandingClock:
    def __call__(self) -> float:
        return 0.0


class Bench:
    """Minimal workbench for judging; without an encoder, keywords decide."""

    def __init__(self) -> None:
        index = TriggerIndex(DIMENSION)
        index.put(POWERS)
        # Without an encoder the lexical scorers count as well: with keywords only, the sums are simple.
        settings = Settings.model_validate({"power_combination": "keyword"})
        clock = StandingClock()
        self.engine = Engine(index, KeywordRules([]), settings, clock, LlmRequests(None, clock, EngineMetrics()))

    def status(self) -> Status:
        return Status("test")

    @property
    def evaluations(self) -> Self:
        return self

    async def today(self, cases: Sequence[Case], task: Task, progress: object, *, accounts: bool) -> Evaluation:
        engine = self.engine
        return evaluate(engine.index, engine.settings, cases, task, embed=None, detector=engine.detector)


def _held(bench: Any, lines: Sequence[Line[Case] | Problem], task: str, out: Printer, **how: Any) -> bool:
    return asyncio.run(judged(evaluate_cases, bench, lines, task, out, **how))


def _evaluated(*cases: Case, tokens: bool = True, task: str = "power") -> dict[str, Any]:
    out = io.StringIO()
    bench: Any = Bench()
    lines = [Line(number, case) for number, case in enumerate(cases, 1)]
    assert _held(bench, lines, task, Printer(out, as_json=True), counter=Letters() if tokens else None)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def _letters(document: object) -> int:
    return len(json.dumps(document))


def test_that_an_activation_costs_its_own_answer_as_if_it_ran() -> None:
    found = _evaluated(Case("red", ("red",), Task.POWER))["tokens"]
    power = {"name": "red", "confidence": 0.9, "match_type": "keyword"}
    expected = _letters({**RUNS_RED, "power": power})
    assert found["by_tier"]["activated"] == {"n": 1, "answer": expected, "tools": 0, "together": expected}


@pytest.mark.parametrize(
    ("expected", "then"), [(("blue",), RUNS_BLUE), (("tune",), RUNS_RED), (("blue", "red"), RUNS_RED), ((), None)]
)
def test_that_alternatives_cost_what_is_chosen_of_them_as_well(
    expected: tuple[str, ...], then: dict[str, Any] | None
) -> None:
    row = _evaluated(Case("paint", expected, Task.POWER))["tokens"]["by_tier"]["multiple_matches"]
    assert row["tools"] == (0 if then is None else _letters(then))
    assert row["together"] == row["answer"] + row["tools"]


def test_that_nothing_found_costs_the_list_of_what_there_is() -> None:
    row = _evaluated(Case("sleep", ("red",), Task.POWER))["tokens"]["by_tier"]["not_found"]
    names = [{"name": power.name, "description": power.description} for power in POWERS]
    message = "No relevant tools found. Available tools listed above."
    told = {"status": "not_found", "query": "sleep", "available_powers": names, "message": message}
    assert (row["answer"], row["tools"]) == (_letters(told), 0)


def test_that_every_tool_is_set_against_it_and_a_power_without_tools_is_one() -> None:
    found = _evaluated(Case("red", ("red",), Task.POWER))["tokens"]
    assert (found["powers"], found["tools"], found["everything"]) == (3, 4, _letters(EVERYTHING))
    assert found["saving"] == pytest.approx(1 - found["together"] / found["everything"])


def test_that_searches_are_timed_where_tiers_are_meant_or_tokens_asked_for() -> None:
    plain, meant = Case("red", ("red",), Task.POWER), Case("red", ("red",), Task.POWER, tier=Tier.ACTIVATED)
    assert _evaluated(plain, tokens=False)["times"] is None
    assert _evaluated(meant, tokens=False)["times"]["n"] == 1
    assert _evaluated(meant, tokens=False)["tokens"] is None
    assert _evaluated(plain)["times"]["mean_ms"] == 0.0
    other = _evaluated(Case("red", ("howto",), Task.TYPE), task="type")
    assert (other["times"], other["tokens"]) == (None, None)


def test_that_a_build_server_gets_cases_and_gates_as_junit_and_json(tmp_path: Path) -> None:
    bench: Any = Bench()
    cases: list[Line[Case] | Problem] = [Line(1, Case("red", ("red",), Task.POWER)), Problem(2, "This is not a case.")]
    kept, out = tmp_path / "found.xml", io.StringIO()
    assert not _held(bench, cases, "power", Printer(out, as_json=True), gates=["top1>=1", "top1<1"], junit=kept)
    told = kept.read_text(encoding="utf-8")
    assert '<testsuite name="power" tests="1" failures="0"' in told
    assert '<testsuite name="gates" tests="3" failures="2"' in told
    held = json.loads(out.getvalue())["gates"]
    assert [(one["gate"], one["value"], one["met"]) for one in held] == [("top1>=1", 1.0, True), ("top1<1", 1.0, False)]


def test_that_a_line_for_a_precision_is_told_where_it_is_asked_for() -> None:
    bench: Any = Bench()
    cases: list[Line[Case] | Problem] = [Line(1, Case("red", ("red",), Task.POWER))]
    out = io.StringIO()
    assert _held(bench, cases, "power", Printer(out, as_json=True), precision=0.9)
    assert json.loads(out.getvalue())["promise"] is None, "of one case"
    assert _held(bench, cases * 20, "power", Printer((out := io.StringIO()), as_json=True), precision=0.9)
    assert json.loads(out.getvalue())["promise"]["answered"] == 20
    assert _held(bench, cases, "power", Printer(out := io.StringIO()), precision=0.9)
    assert "No value keeps that over 20 cases" in out.getvalue()
    with pytest.raises(MisuseError, match="there are none"):
        _held(bench, cases, "power", Printer(io.StringIO()), precision=0.9, strangers=0.1)


def test_that_cases_of_other_tasks_are_left_out_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    found = _evaluated(Case("red", ("red",), Task.POWER), Case("tell me", ("weather",), Task.INTENT), tokens=False)
    assert [case["text"] for case in found["cases"]] == ["red"]
    assert capsys.readouterr().err.splitlines()[0] == "1 case of other tasks is left out"
    with pytest.raises(FormatError, match="Its cases are for --task intent"):
        _evaluated(Case("tell me", ("weather",), Task.INTENT), tokens=False)


def test_that_answers_that_nobody_taught_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    def told(*expected: str) -> str:
        lines = [Line(n, Case("paint it", (name,), Task.POWER)) for n, name in enumerate(expected, 1)]
        _held(Bench(), lines, "power", Printer(io.StringIO(), as_json=True))
        return capsys.readouterr().err

    assert "Not taught" not in told("red", "blue")
    assert "2 of the 3 different answers that the cases expect (“Red”, “green”). Names" in told("red", "Red", "green")
    assert "“R_ed” is taught as “red”. Where “out_of_scope” means" in told("R_ed", "out_of_scope")
    assert "5 of the 5 different answers that the cases expect (“a”, “b”, “c” and more). Names" in told(*"abcde")


def test_that_lines_with_the_same_problem_are_told_once_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[Line[Case] | Problem] = [Line(1, Case("how to", ("howto",), Task.TYPE))]
    lines += [Problem(number, f"“build.{number}” is none of the six types.") for number in range(2, 40)]
    lines.append(Problem(40, "The line is not JSON."))
    CaseFile.of(lines, Task.TYPE, Printer(io.StringIO()))
    assert capsys.readouterr().err.splitlines() == [
        "line 2: “build.2” is none of the six types. (and 37 more lines alike)",
        "line 40: The line is not JSON.",
        "--task type judges the six types of search intent; if the cases name intents of memories, use --task intent.",
    ]


def test_that_what_takes_long_is_estimated_from_the_pace_so_far(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = iter([0.0, 0.5, 2.0, 3.0])
    monkeypatch.setattr("app.surfaces.cli.terminal.time.monotonic", lambda: next(now))
    progress = Progress("embedding", "{n} texts take {time} more.")
    for done in (0, 100, 400):
        progress(done, 1_400_000)
    progress(500, 1_400_000)
    assert capsys.readouterr().err == "1,400,000 texts take about 2 hours more.\n"
    assert [about(seconds) for seconds in (0.2, 20, 80, 100, 6_000)] == [
        "about a second",
        "about 20 seconds",
        "about 80 seconds",
        "about 2 minutes",
        "about 2 hours",
    ]


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
