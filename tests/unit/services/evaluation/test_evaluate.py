"""Tests of evaluations: one by one, in blocks, with own thresholds, with an LLM."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.detect.keywords import KeywordRules
from app.detect.resolve import resolve
from app.display.documents import match_document
from app.display.evaluation.diagnostics import diagnostics_of, suggested_thresholds
from app.display.evaluation.llm import llm_document, llm_lines, llm_view
from app.display.scope.verdict import Help, verdict
from app.display.scope.why_not_sentences import change_words, injection_words, sentence
from app.domain.case import Case, Task
from app.domain.encoder import Provenance
from app.domain.errors import EncoderError, KnownError
from app.domain.intent import Rule
from app.domain.journal import Edit
from app.domain.library import THRESHOLD, Answer, Memory, Power, Transport
from app.domain.llm import LlmAnswer, Option
from app.domain.match import Band, Match, Tier
from app.domain.why_not import Expectation, LostAt
from app.evaluation.answers import Delivery, Tops, grade
from app.evaluation.evaluation import Evaluation
from app.ports.encoder import Vectors
from app.scoring.index.ranking import matches, rank
from app.scoring.text import ScoredText
from app.services.engine.engine import Engine
from app.services.engine.llm_requests import LlmRequests
from app.services.engine.metrics import EngineMetrics
from app.services.engine.type_voter import TypeDetector, TypeVoter
from app.services.evaluation.case_runs import BLOCK, CaseRun, Outcome, answer_cases, answer_names, run_cases
from app.services.evaluation.deliveries import Deliveries
from app.services.evaluation.evaluate import TIMED, resolve_each, spread
from app.services.evaluation.llm_answers import OFF, LlmAskOptions
from app.services.evaluation.runs import LatestRun
from app.services.evaluation.trials import TaughtAnswers, TrialQuery
from app.services.workbench import Workbench
from app.settings.model import Settings, layer
from tests.build import library_of
from tests.memory_library import MemoryLibrary
from tests.unit.scoring.vectors import DIMENSION, index_of, vectors_of
from tests.unit.services.benches import desk
from tests.unit.services.evaluation.answering import Embed, evaluate
from tests.unit.services.evaluation.test_llm_answers import Model, on_desk

RULES = KeywordRules(
    [
        Rule("howto", "howto", "how do i", "ours", 0),
        Rule("trouble", "troubleshoot", "broken", "ours", 1),
        Rule("general", "general", "search", "ours", 2),
    ]
)

DETECTOR = TypeDetector(RULES, TypeVoter(), None)

LIBRARY: tuple[Answer, ...] = (
    Memory(("will it rain", "is it cold"), intent="weather", key=1),
    Memory(("do i need an umbrella",), intent="weather", key=2),
    Memory(("pay my bill",), intent="billing", id="bill-1", key=3),
    Memory(("good morning",), key=4),
    Power("postgres", "Ask a PostgreSQL database", ("database", "postgres"), key=1),
    Power("mysql", "Ask a MySQL database", ("database", "mysql"), key=2),
)


BALANCED = Settings(combination="balanced")

Both = tuple[NDArray[np.float32], NDArray[np.float32]]


def both_of(texts: Sequence[str]) -> Both:
    return vectors_of(texts), vectors_of(texts)


def _cases(task: Task, **expected: str) -> list[Case]:
    """Make cases: text with underscores for blanks = acceptable answers separated by commas."""
    return [
        Case(text.replace("_", " "), tuple(name for name in names.split(",") if name), task)
        for text, names in expected.items()
    ]


def _evaluated(task: Task, **expected: str) -> Evaluation:
    return evaluate(index_of(LIBRARY), BALANCED, _cases(task, **expected), task, embed=both_of, detector=DETECTOR)


@pytest.mark.parametrize("task", [Task.INTENT, Task.MEMORY, Task.POWER])
def test_that_under_learned_all_that_share_the_whole_make_a_query_answerable(task: Task) -> None:
    cases = _cases(task, will_it_rain="weather", zzz="oos")
    shares = Settings(combination="learned")
    found = evaluate(index_of(LIBRARY), shares, cases, task, embed=both_of, detector=DETECTOR).answered
    for answer in found:
        of_all = sum(candidate.confidence for candidate in answer.candidates)
        assert answer.answerable == pytest.approx(answer.confidence if task is Task.MEMORY else of_all)
    plain = evaluate(index_of(LIBRARY), BALANCED, cases, task, embed=both_of, detector=DETECTOR).answered
    assert all(answer.answerable == answer.confidence for answer in plain)


def test_that_labels_are_ranked_and_unknown_ones_are_no_match() -> None:
    found = _evaluated(
        Task.INTENT, will_it_rain="weather", pay_my_bill="billing", good_morning="good morning", zzz="oos"
    )
    assert [answer.predicted for answer in found.answered[:3]] == ["weather", "billing", "good morning"]
    assert [answer.rank for answer in found.answered] == [1, 1, 1, None]
    assert {candidate.name for candidate in found.answered[0].candidates} <= {"weather", "billing", "good morning"}
    assert found.metrics["top1"] == 1.0
    assert found.combination == "balanced"
    assert sum(found.bands.values()) == 4
    assert found.tiers == {}


def test_that_labels_and_names_are_compared_as_given() -> None:
    found = _evaluated(Task.INTENT, will_it_rain="Weather")
    assert found.metrics["top1"] == 0.0
    assert found.answered[0].rank is None


def test_that_single_memories_go_by_their_name() -> None:
    found = _evaluated(Task.MEMORY, pay_my_bill="bill-1", do_i_need_an_umbrella="do i need an umbrella", is_it_cold="x")
    assert [answer.rank for answer in found.answered] == [1, 1, None]
    assert found.answered[2].predicted == "will it rain"


def test_that_memories_are_scored_as_the_live_path_scores_them() -> None:
    index, settings = index_of(LIBRARY), BALANCED
    found = _evaluated(Task.MEMORY, will_it_snow="will it rain")
    scores = index.score(ScoredText("will it snow", vectors_of(["will it snow"])[0]))
    live = [match for match in matches(index, scores, rank(scores, settings, 10), settings) if match.band]
    names = [(match.answer.name, match.confidence) for match in live if match.confidence > 0]
    candidates = found.answered[0].candidates
    assert [candidate.name for candidate in candidates] == [name for name, _ in names]
    assert [candidate.confidence for candidate in candidates] == pytest.approx([value for _, value in names], abs=1e-6)


def test_that_powers_end_in_the_tier_of_the_live_resolution() -> None:
    found = _evaluated(Task.POWER, run_a_postgres_query="postgres", check_my_database="postgres,mysql", zzz="")
    assert [answer.tier for answer in found.answered[:2]] == [Tier.ACTIVATED, Tier.MULTIPLE_MATCHES]
    assert found.metrics["top1"] == 1.0
    assert sum(found.tiers.values()) == 3
    assert found.bands == {}
    assert found.threshold == BALANCED.tiers.weak


@pytest.mark.parametrize("weak", [0.05, 0.3, 0.5])
@pytest.mark.parametrize("combination", ["balanced", "learned"])
def test_that_no_match_is_given_where_no_power_is_offered_and_only_there(combination: str, weak: float) -> None:
    powers = [Power(f"p{key}", "look after the garden", ("garden",), key=key) for key in range(1, 7)]
    settings = Settings.model_validate({"combination": combination, "tiers": {"weak": weak, "medium": 0.6}})
    cases = [Case(text, (), Task.POWER) for text in ("water the garden", "look after it", "a garden", "zzz", "the")]
    found = evaluate(index_of(powers), settings, cases, Task.POWER, embed=both_of, detector=DETECTOR)
    for answer in found.answered:
        assert (answer.predicted is None) == (answer.tier is Tier.NOT_FOUND) == (answer.offered == 0)
        assert answer.is_right == (answer.offered == 0)


def test_that_a_tie_of_powers_keeps_the_first_from_activation() -> None:
    powers = [Power(name, keywords=(name,), key=key) for key, name in enumerate(("red", "blue"), 1)]
    index = index_of(powers)
    both = [Case("red blue", ("red",), Task.POWER)]
    found = evaluate(index, BALANCED, both, Task.POWER, embed=None, detector=DETECTOR)
    assert found.answered[0].tier is Tier.MULTIPLE_MATCHES
    scores = index.score(ScoredText("red blue"))
    live = matches(index, scores, rank(scores, BALANCED, 10), BALANCED)
    assert resolve("red blue", live, powers, BALANCED).status is found.answered[0].tier


@pytest.mark.parametrize("count", [3, 5, 20])
@pytest.mark.parametrize("text", ["water the garden", "look after it", "a garden", "zzz", "the"])
def test_that_the_tier_of_shares_is_that_of_the_live_resolution_however_many_are_ranked(text: str, count: int) -> None:
    powers = [Power(f"p{key}", f"look after garden {key}", ("garden",), key=key) for key in range(1, 9)]
    index, settings = index_of(powers), Settings(combination="learned")
    case = [Case(text, (), Task.POWER)]
    found = evaluate(index, settings, case, Task.POWER, embed=both_of, detector=DETECTOR).answered[0]
    scores = index.score(ScoredText(text, *(one[0] for one in both_of([text]))))
    ranking = rank(scores, settings, count)
    ranked, best_scores = matches(index, scores, ranking, settings), ranking.best_scores
    live = resolve(text, ranked, powers, settings, shared=ranking.any_power, best_scores=best_scores)
    assert live.status is found.tier
    assert best_scores is not None
    trial = TrialQuery(TaughtAnswers(index), scores.query).ranking(Task.POWER, settings)
    assert trial.best_scores == best_scores
    assert ranking.any_power == pytest.approx(found.shared, abs=1e-6)


def test_that_a_powers_name_counts_under_as_documented() -> None:
    documented = layer(here={"preset": "as_documented"}).values
    index = index_of([Power("weather", key=1), Power("other", key=2)])
    case = [Case("the weather please", ("weather",), Task.POWER)]
    found = evaluate(index, documented, case, Task.POWER, embed=None, detector=DETECTOR)
    assert found.answered[0].confidence == 0.95
    assert found.combination == "keyword_or_semantic"


def test_that_types_go_by_their_labels_and_a_text_without_cues_has_none() -> None:
    cases = [
        Case("how do i search?", ("HowTo",), Task.TYPE),
        Case("my search is broken", ("fix",), Task.TYPE),
        Case("a sentence.", ("None",), Task.TYPE),
        Case("a broken sentence.", ("None",), Task.TYPE),
        Case("search it", ("Unheard",), Task.TYPE),
    ]
    found = evaluate(index_of([]), BALANCED, cases, Task.TYPE, embed=None, detector=DETECTOR)
    assert [answer.predicted for answer in found.answered] == ["howto", "troubleshoot", None, "troubleshoot", "general"]
    first = found.answered[0]
    assert [candidate.name for candidate in first.candidates] == ["howto", "general"]
    assert first.candidates[0].confidence == pytest.approx(0.65)
    assert first.rank == 1
    assert found.confusion["none"] == {"none": 1, "troubleshoot": 1}
    assert found.combination == "evidence"
    assert not found.bands
    assert not found.tiers


def test_that_types_follow_the_settings() -> None:
    cases = [Case("what a broken search", ("troubleshoot",), Task.TYPE)]
    off = Settings.model_validate({"search_intent": {"enabled": False}})
    assert evaluate(index_of([]), off, cases, Task.TYPE, embed=None, detector=DETECTOR).answered[0].predicted is None
    priority = Settings.model_validate({"search_intent": {"selection": "priority"}})
    found = evaluate(index_of([]), priority, cases, Task.TYPE, embed=None, detector=DETECTOR)
    assert found.answered[0].predicted == "troubleshoot"
    assert found.combination == "priority"


def test_that_topics_can_be_required() -> None:
    cases = [Case("how do i", ("howto",), Task.TYPE), Case("how do i whistle", ("howto",), Task.TYPE)]
    documented = layer(here={"preset": "as_documented"}).values
    found = evaluate(index_of([]), documented, cases, Task.TYPE, embed=None, detector=DETECTOR)
    assert [answer.predicted for answer in found.answered] == [None, "howto"]


def test_that_candidates_of_types_never_rise_in_confidence() -> None:
    # The second type has two cues, the winner one.
    rules = KeywordRules(
        [
            Rule("a", "howto", "alpha", "ours", 0, weight=9.0),
            Rule("b", "general", "beta", "ours", 1),
            Rule("c", "general", "gamma", "ours", 2),
        ]
    )
    case, detector = Case("alpha beta gamma", ("howto",), Task.TYPE), TypeDetector(rules, TypeVoter(), None)
    found = evaluate(index_of([]), BALANCED, [case], Task.TYPE, embed=None, detector=detector)
    ranked = found.answered[0].candidates
    assert [candidate.name for candidate in ranked] == ["howto", "general"]
    assert ranked[0].confidence == ranked[1].confidence


def test_that_without_an_encoder_the_lexical_scores_decide() -> None:
    case = [Case("WILL IT RAIN", ("weather",), Task.INTENT)]
    found = evaluate(index_of(LIBRARY), BALANCED, case, Task.INTENT, embed=None, detector=DETECTOR)
    assert found.answered[0].predicted == "weather"
    assert found.answered[0].confidence == pytest.approx(1.0)
    meant = evaluate(
        index_of(LIBRARY), Settings(combination="semantic"), case, Task.INTENT, embed=None, detector=DETECTOR
    )
    assert meant.answered[0].candidates == ()


@pytest.mark.parametrize(("most", "delivered"), [(4_000, 2), (250, 1), (40, 0)])
def test_that_what_is_delivered_keeps_to_the_budget_of_tokens(most: int, delivered: int) -> None:
    answers = [Memory(("a b",), id=name, response=f"{name} " * 200, key=key) for key, name in enumerate("xy", 1)]
    here = {"combination": "balanced", "search_intent.surfacing_tokens": str(most)}
    settings = layer(here=here | {"search_intent.certain_confidence": "0.1"}).values
    taught = TaughtAnswers(index_of(answers))
    deliveries = Deliveries(taught, DETECTOR, lambda texts: [len(text.split()) for text in texts])
    asked = TrialQuery(taught, ScoredText("a b", *(one[0] for one in both_of(["a b"]))))
    found = deliveries.of_query(asked, settings)
    assert (len(found.memories), found.needs) == (delivered, 0.1), "the query has no type"


def test_that_no_cases_are_no_error() -> None:
    found = evaluate(index_of([]), BALANCED, [], Task.INTENT, embed=None, detector=DETECTOR)
    assert set(found.metrics.values()) == {None}


def test_that_an_empty_library_answers_nothing_and_odd_texts_are_scored() -> None:
    cases = [Case(text, (), Task.MEMORY) for text in ("", "   ", "\ud800", "x" * 10_000, "?")]
    found = evaluate(index_of([]), BALANCED, cases, Task.MEMORY, embed=both_of, detector=DETECTOR)
    assert found.metrics["accuracy"] == 1.0
    full = evaluate(index_of(LIBRARY), BALANCED, cases, Task.MEMORY, embed=both_of, detector=DETECTOR)
    assert len(full.answered) == len(cases)


@pytest.mark.parametrize("embed", [both_of, None])
def test_that_a_scale_tells_only_where_there_are_vectors(embed: Embed | None) -> None:
    cases, told = _cases(Task.INTENT, will_it_snow="weather"), Settings(combination="calibrated")
    plain = evaluate(index_of(LIBRARY), BALANCED, cases, Task.INTENT, embed=embed, detector=DETECTOR)
    found = evaluate(index_of(LIBRARY), told, cases, Task.INTENT, embed=embed, detector=DETECTOR)
    assert found.combination == "calibrated"
    assert (found.chance is None) is (embed is None)
    balanced, names = plain.answered[0].confidence, 3
    expected = balanced if embed is None else told.calibration.memories.among(names)(balanced)
    assert found.answered[0].confidence == expected


CASES = [
    Case("a postgres query", ("postgres",), Task.POWER),
    Case("a postgres query please", ("mysql",), Task.POWER),
    Case("the postgres", (), Task.POWER, unwanted=("postgres",)),
    Case("zzz", (), Task.POWER, unwanted=("postgres",)),
    Case("will it rain", ("rain",), Task.MEMORY),
    Case("pay my bill", ("billing",), Task.INTENT),
    Case("where is the door", ("location",), Task.TYPE),
    Case("where is the graph", ("neo4j",), Task.ROUTE),
]


def library() -> MemoryLibrary:
    return library_of(
        Memory(("will it rain",), id="rain"),
        Memory(("pay my bill",), intent="billing"),
        Power("postgres", "Ask PostgreSQL", ("postgres",), transport=Transport(command="pg"), approved=True),
        Power("mysql", "Ask MySQL", ("mysql",)),
        *CASES,
    )


async def all_of(bench: Workbench, keys: list[int]) -> list[CaseRun]:
    await bench.ready()
    return [step async for step in run_cases(bench, bench.evaluations, keys)]


async def test_that_every_case_comes_out_right_or_wrong() -> None:
    async with desk(library) as bench:
        keys = [case.key for case in bench.library.cases() if case.key is not None]
        steps = await all_of(bench, keys)
        outcomes: list[Outcome] = [one for step in steps for one in step.outcomes]
        by_key = {one.key: one for one in outcomes}
        assert [by_key[key].is_right for key in keys[:6]] == [True, False, False, True, True, True]
        assert (by_key[keys[7]].answered, by_key[keys[7]].is_right) == ("graph_traversal", False)
        assert (steps[-1].done, steps[-1].total, steps[-1].skipped) == (8, 8, 0)
        assert [step.done for step in steps] == sorted(step.done for step in steps)
        wrong = by_key[keys[1]]
        assert (wrong.answered, wrong.confidence >= 0.9) == ("postgres", True)
        assert wrong.rank == 2 or wrong.rank is None
        assert by_key[keys[3]].answered is None


async def test_that_a_case_of_a_power_passes_once_it_has_a_command_and_is_approved() -> None:
    async with desk(library) as bench:
        keys = [case.key for case in bench.library.cases()[:1] if case.key is not None]
        faults = {Delivery.NO_COMMAND: "no command", Delivery.UNAPPROVED: "not approved", Delivery.RIGHT: ""}
        for delivery, fault in faults.items():
            (held,) = [one for one in bench.library.powers() if one.name == "postgres"]
            command = "" if delivery is Delivery.NO_COMMAND else "pg"
            edited = replace(held, transport=Transport(command=command), approved=delivery is Delivery.RIGHT)
            await bench.journal.do(Edit("edited"), [edited])
            (outcome,) = [one for step in await all_of(bench, keys) for one in step.outcomes]
            assert (outcome.answered, outcome.fault, outcome.delivery) == ("postgres", fault, delivery)


async def test_that_a_run_of_routes_alone_with_routing_off_and_of_nothing_ends() -> None:
    off: dict[str, Any] = {"route.enabled": False}
    async with desk(library, **off) as bench:
        route = bench.library.cases()[7].key or 0
        steps = await all_of(bench, [route])
        assert (steps[-1].done, steps[-1].skipped) == (1, 1)
        assert await all_of(bench, []) == [CaseRun(0, 0)]


async def test_that_cases_deleted_meanwhile_are_passed_over() -> None:
    async with desk(library) as bench:
        first = bench.library.cases()[0].key or 0
        steps = await all_of(bench, [first, 9_999])
        assert (steps[-1].done, steps[-1].total) == (2, 2)
        assert [one.key for step in steps for one in step.outcomes] == [first]


async def test_that_names_to_expect_are_those_of_the_task_and_what_begins_so_comes_first() -> None:
    async with desk(library) as bench:
        assert answer_names(bench, bench.routing, Task.POWER, "SQL") == ["mysql"]
        assert answer_names(bench, bench.routing, Task.POWER, "m")[:1] == ["mysql"]
        assert answer_names(bench, bench.routing, Task.MEMORY, "rain") == ["rain"]
        assert answer_names(bench, bench.routing, Task.INTENT, "bill") == ["billing"]
        assert "howto" in answer_names(bench, bench.routing, Task.TYPE, "")
        assert answer_names(bench, bench.routing, Task.ROUTE, "gra") == ["graph_traversal"]
        assert len(answer_names(bench, bench.routing, Task.POWER, "", most=1)) == 1


def test_that_a_run_of_all_cases_of_a_task_is_an_evaluation_and_tells_what_changed_since_the_last() -> None:
    async def noted(bench: Workbench, keys: list[int]) -> list[LatestRun]:
        await bench.ready()
        steps = [step async for step in run_cases(bench, bench.evaluations, keys, bench.runs.note_cases)]
        assert all(not step.noted for step in steps[:-1])
        return list(steps[-1].noted)

    async def run() -> None:
        async with desk(library, combination="fuzzy") as bench:
            keys = [case.key for case in bench.library.cases() if case.key is not None]
            assert await noted(bench, keys[:3]) == []
            assert await bench.runs.kept() == []
            first = {one.evaluation.task: one for one in await noted(bench, keys)}
            assert set(first) == set(Task)
            assert all(one.since is None for one in first.values())
            runs = {run.task: run for run in await bench.runs.kept()}
            powers = first[Task.POWER]
            assert (runs[Task.POWER].right, runs[Task.POWER].cases) == (1, 4)
            grades = {one.case.text: grade(one) for one in powers.evaluation.answered}
            today = await bench.evaluations.today(await bench.catalogue.cases_of(Task.POWER), Task.POWER)
            assert powers.evaluation.metrics == today.metrics
            await bench.choose_all({f"tiers.{tier}": "1" for tier in ("high", "medium", "weak")})
            (again,) = await noted(bench, keys[:4])
            assert again is bench.runs.latest[Task.POWER]
            assert again.number > powers.number
            assert again.since is not None
            fixed = sum(grade(one) > grades[one.case.text] for one in again.evaluation.answered)
            assert (again.since.run.key, again.since.fixed, again.since.cases) == (runs[Task.POWER].key, fixed, 4)
            assert again.since.fixed + again.since.broken > 0

    asyncio.run(run())


POWERS = [
    Power("postgres", "Ask a PostgreSQL database", ("database", "postgres"), key=1),
    Power("mysql", "Ask a MySQL database", ("database", "mysql"), key=2),
]


class Ticking:
    now = 0.0

    def __call__(self) -> float:
        self.now += 5.0
        return self.now


class Encoder:
    provenance = Provenance("made up", "1", DIMENSION)

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        if "fail" in texts:
            raise EncoderError("No vectors today.")
        return vectors_of(texts)


def _engine(encoder: Encoder | None) -> Engine:
    clock, settings = Ticking(), Settings(combination="balanced")
    llm = LlmRequests(None, clock, EngineMetrics())
    return Engine(index_of(POWERS), KeywordRules([]), settings, clock, llm, encoder)


def test_that_each_query_is_embedded_resolved_and_timed_by_itself() -> None:
    encoder = Encoder()
    found = list(resolve_each(_engine(encoder), ["run a postgres query", "check my database", "zzz"]))
    assert [one.resolution.status for one in found[:2]] == [Tier.ACTIVATED, Tier.MULTIPLE_MATCHES]
    assert [match.power.name for match in found[1].resolution.matches] == ["postgres", "mysql"]
    assert found[1].resolution.query == "check my database"
    assert encoder.asked == [["run a postgres query"], ["check my database"], ["zzz"]]
    assert found[0].timed == (Tier.ACTIVATED, 5.0)
    assert not any(one.resolution.started for one in found)


def test_that_without_an_encoder_a_query_is_resolved_by_keywords() -> None:
    (found,) = resolve_each(_engine(None), ["run a postgres query"])
    assert found.resolution.status is Tier.ACTIVATED
    assert found.resolution.matches[0].match_type == "keyword"


def test_that_a_failing_encoder_is_told() -> None:
    with pytest.raises(EncoderError):
        list(resolve_each(_engine(Encoder()), ["fail"]))


def test_that_a_sample_is_spread_over_all() -> None:
    many = [str(number) for number in range(1_000)]
    assert spread(many[:TIMED]) == many[:TIMED]
    sample = spread(many)
    assert (len(sample), sample[0], sample[-1]) == (TIMED, "0", "995")


MEMORIES = [Memory(("will it rain",), id="rain"), Memory(("pay my bill",), intent="billing")]
THRESHOLDS_POWERS = [
    Power("postgres", "Ask PostgreSQL", ("database", "postgres")),
    Power("mysql", "Ask MySQL", ("database",)),
]


def library_with(*labelled: Case) -> MemoryLibrary:
    return library_of(*MEMORIES, *THRESHOLDS_POWERS, *labelled)


async def answers_of(bench: Workbench) -> list[Tops]:
    await bench.ready()
    return [tops async for tops in answer_cases(bench, bench.evaluations)]


async def test_that_cases_come_with_their_confidence_lead_and_if_they_are_right() -> None:
    cases = [
        Case("a postgres query", ("postgres",), Task.POWER),
        Case("the database", ("postgres",), Task.POWER),
        Case("zzz", (), Task.POWER),
        Case("will it rain", ("rain",), Task.MEMORY),
        Case("pay my bill", ("billing",), Task.INTENT),
    ]
    async with desk(lambda: library_with(*cases)) as bench:
        *_, last = await answers_of(bench)
        assert (last.done, last.total) == (5, 5)
        alone, tied, none = last.by_task[Task.POWER]
        assert alone.is_right
        assert alone.confidence >= 0.85
        assert tied.lead < alone.lead
        assert none.expects_none
        assert last.by_task[Task.MEMORY][0].confidence == 1.0
        judged = await bench.evaluations.today(cases[:3], Task.POWER)
        assert [top.confidence for top in last.by_task[Task.POWER]] == [one.confidence for one in judged.answered]


async def test_that_progress_is_told_block_by_block_and_no_cases_are_no_fault() -> None:
    many = [Case(f"query {n}", ("general",), Task.TYPE) for n in range(2 * BLOCK + 1)]
    async with desk(lambda: library_with(*many)) as bench:
        told = await answers_of(bench)
        assert [tops.done for tops in told] == [0, BLOCK, 2 * BLOCK, 2 * BLOCK + 1]
        assert [len(tops.by_task) for tops in told] == [0, 0, 0, 1]
    async with desk(library_with) as bench:
        assert (await answers_of(bench))[-1] == Tops(0, 0, {}, {False: (), True: ()})


async def test_that_without_an_encoder_the_lexical_scores_answer() -> None:
    async with desk(lambda: library_with(Case("will it rain", ("rain",), Task.MEMORY))) as bench:
        await bench.ready()
        bench.engine.encoder = None
        assert [tops async for tops in answer_cases(bench, bench.evaluations)][-1].by_task[Task.MEMORY][0].is_right


FUZZY = {"combination": "fuzzy", "power_combination": "fuzzy", "tiers.ambiguity_margin": "0"}


def library_of_builds() -> MemoryLibrary:
    return library_of(
        *(Memory((f"will it {word}",), intent=word) for word in ("rain", "snow", "freeze")),
        Power("postgres", "Ask PostgreSQL", ("database",)),
        Power("mysql", "Ask MySQL", ("database",)),
    )


class Chooser(Model):
    async def choose(self, query: str, options: Sequence[Option]) -> LlmAnswer:
        self.choice = LlmAnswer(options[-1].name, 0.8, "json")
        return await super().choose(query, options)


async def test_that_labels_are_judged_by_the_engine_by_the_llm_and_by_both() -> None:
    cases = [Case("will it rain", ("rain",), Task.INTENT), Case("will it rai", ("snow",), Task.INTENT)]

    model = Chooser()
    async with on_desk(model, library_of_builds, {**FUZZY, "llm.choose_most": "2"}) as bench:
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
    async with on_desk(Chooser(), library_of_builds, FUZZY) as bench:
        found = await bench.llm_choices.judged(cases, Task.POWER, LlmAskOptions())
        engine, merged = (found.columns[name].answered for name in ("engine", "adr"))
        assert [one.tier for one in engine] == [Tier.ACTIVATED] * 2
        assert [one.predicted for one in merged] == ["mysql", "postgres"]
        assert Tier.ACTIVATED not in [one.tier for one in merged]


async def test_that_without_a_choice_or_an_llm_it_is_said() -> None:
    async with on_desk(Chooser(), library_of_builds, FUZZY) as bench:
        with pytest.raises(KnownError, match="two answers"):
            await bench.llm_choices.judged([Case("", (), Task.POWER)], Task.POWER, LlmAskOptions())
    async with on_desk(Chooser(), library_of_builds, {**FUZZY, "search_intent.use_llm": "false"}) as bench:
        with pytest.raises(KnownError) as refused:
            await bench.llm_choices.judged([Case("x", (), Task.POWER)], Task.POWER, LlmAskOptions())
        assert str(refused.value) == OFF


TEXT = "pay the bills of may"
LABEL_THRESHOLDS_MEMORIES = (
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
        for memory in LABEL_THRESHOLDS_MEMORIES:
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
        for memory in LABEL_THRESHOLDS_MEMORIES:
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
