from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from app.detect.keywords import KeywordRules
from app.detect.resolve import resolve
from app.domain.case import Case, Task
from app.domain.intent import Rule
from app.domain.library import Answer, Memory, Power
from app.domain.match import Tier
from app.evaluation.evaluation import Evaluation
from app.scoring.columns.exact import ScoredText
from app.scoring.index.ranking import matches, rank
from app.scoring.index.trigger_index import TriggerIndex
from app.services.engine.example_voters import TypeDetector, TypeVoter
from app.services.evaluation.deliveries import Deliveries
from app.services.evaluation.trials import TaughtAnswers, TrialQuery
from app.settings.model import Settings, layer
from tests.unit.scoring.vectors import DIMENSION, vectors_of
from tests.unit.services.evaluation.answering import Embed, evaluate

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


def _index(answers: Sequence[Answer] = LIBRARY) -> TriggerIndex:
    index = TriggerIndex(DIMENSION)
    index.put(answers)
    texts = index.unembedded()
    index.embed(dict(zip(texts, vectors_of(texts), strict=True)))
    return index


def _cases(task: Task, **expected: str) -> list[Case]:
    """Make cases: text with underscores for blanks = acceptable answers separated by commas."""
    return [
        Case(text.replace("_", " "), tuple(name for name in names.split(",") if name), task)
        for text, names in expected.items()
    ]


def _evaluated(task: Task, **expected: str) -> Evaluation:
    return evaluate(_index(), BALANCED, _cases(task, **expected), task, embed=both_of, detector=DETECTOR)


@pytest.mark.parametrize("task", [Task.INTENT, Task.MEMORY, Task.POWER])
def test_that_under_learned_all_that_share_the_whole_make_a_query_answerable(task: Task) -> None:
    cases = _cases(task, will_it_rain="weather", zzz="oos")
    shares = Settings(combination="learned")
    found = evaluate(_index(), shares, cases, task, embed=both_of, detector=DETECTOR).answered
    for answer in found:
        of_all = sum(candidate.confidence for candidate in answer.candidates)
        assert answer.answerable == pytest.approx(answer.confidence if task is Task.MEMORY else of_all)
    plain = evaluate(_index(), BALANCED, cases, task, embed=both_of, detector=DETECTOR).answered
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
    index, settings = _index(), BALANCED
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
    found = evaluate(_index(powers), settings, cases, Task.POWER, embed=both_of, detector=DETECTOR)
    for answer in found.answered:
        assert (answer.predicted is None) == (answer.tier is Tier.NOT_FOUND) == (answer.offered == 0)
        assert answer.is_right == (answer.offered == 0)


def test_that_a_tie_of_powers_keeps_the_first_from_activation() -> None:
    powers = [Power(name, keywords=(name,), key=key) for key, name in enumerate(("red", "blue"), 1)]
    index = _index(powers)
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
    index, settings = _index(powers), Settings(combination="learned")
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
    index = _index([Power("weather", key=1), Power("other", key=2)])
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
    found = evaluate(_index([]), BALANCED, cases, Task.TYPE, embed=None, detector=DETECTOR)
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
    assert evaluate(_index([]), off, cases, Task.TYPE, embed=None, detector=DETECTOR).answered[0].predicted is None
    priority = Settings.model_validate({"search_intent": {"selection": "priority"}})
    found = evaluate(_index([]), priority, cases, Task.TYPE, embed=None, detector=DETECTOR)
    assert found.answered[0].predicted == "troubleshoot"
    assert found.combination == "priority"


def test_that_topics_can_be_required() -> None:
    cases = [Case("how do i", ("howto",), Task.TYPE), Case("how do i whistle", ("howto",), Task.TYPE)]
    documented = layer(here={"preset": "as_documented"}).values
    found = evaluate(_index([]), documented, cases, Task.TYPE, embed=None, detector=DETECTOR)
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
    found = evaluate(_index([]), BALANCED, [case], Task.TYPE, embed=None, detector=detector)
    ranked = found.answered[0].candidates
    assert [candidate.name for candidate in ranked] == ["howto", "general"]
    assert ranked[0].confidence == ranked[1].confidence


def test_that_without_an_encoder_the_lexical_scores_decide() -> None:
    case = [Case("WILL IT RAIN", ("weather",), Task.INTENT)]
    found = evaluate(_index(), BALANCED, case, Task.INTENT, embed=None, detector=DETECTOR)
    assert found.answered[0].predicted == "weather"
    assert found.answered[0].confidence == pytest.approx(1.0)
    meant = evaluate(_index(), Settings(combination="semantic"), case, Task.INTENT, embed=None, detector=DETECTOR)
    assert meant.answered[0].candidates == ()


@pytest.mark.parametrize(("most", "delivered"), [(4_000, 2), (250, 1), (40, 0)])
def test_that_what_is_delivered_keeps_to_the_budget_of_tokens(most: int, delivered: int) -> None:
    answers = [Memory(("a b",), id=name, response=f"{name} " * 200, key=key) for key, name in enumerate("xy", 1)]
    here = {"combination": "balanced", "search_intent.surfacing_tokens": str(most)}
    settings = layer(here=here | {"search_intent.certain_confidence": "0.1"}).values
    taught = TaughtAnswers(_index(answers))
    deliveries = Deliveries(taught, DETECTOR, lambda texts: [len(text.split()) for text in texts])
    asked = TrialQuery(taught, ScoredText("a b", *(one[0] for one in both_of(["a b"]))))
    assert len(deliveries.of_query(asked, settings).memories) == delivered


def test_that_no_cases_are_no_error() -> None:
    found = evaluate(_index([]), BALANCED, [], Task.INTENT, embed=None, detector=DETECTOR)
    assert set(found.metrics.values()) == {None}


def test_that_an_empty_library_answers_nothing_and_odd_texts_are_scored() -> None:
    cases = [Case(text, (), Task.MEMORY) for text in ("", "   ", "\ud800", "x" * 10_000, "?")]
    found = evaluate(_index([]), BALANCED, cases, Task.MEMORY, embed=both_of, detector=DETECTOR)
    assert found.metrics["accuracy"] == 1.0
    full = evaluate(_index(), BALANCED, cases, Task.MEMORY, embed=both_of, detector=DETECTOR)
    assert len(full.answered) == len(cases)


@pytest.mark.parametrize("embed", [both_of, None])
def test_that_a_scale_tells_only_where_there_are_vectors(embed: Embed | None) -> None:
    cases, told = _cases(Task.INTENT, will_it_snow="weather"), Settings(combination="calibrated")
    plain = evaluate(_index(), BALANCED, cases, Task.INTENT, embed=embed, detector=DETECTOR)
    found = evaluate(_index(), told, cases, Task.INTENT, embed=embed, detector=DETECTOR)
    assert found.combination == "calibrated"
    assert (found.chance is None) is (embed is None)
    balanced, names = plain.answered[0].confidence, 3
    expected = balanced if embed is None else told.calibration.memories.among(names)(balanced)
    assert found.answered[0].confidence == expected
