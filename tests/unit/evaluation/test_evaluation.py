from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from app.display.evaluation.diagnostics import confidence_bars
from app.domain.case import Task
from app.domain.confidence import Calibration, Chance
from app.domain.library import Answer, Memory, Power
from app.domain.match import BAND_WORDS, TIER_WORDS, Band, Tier
from app.evaluation.answers import LISTED, RankedName, acceptable, candidates_of
from app.evaluation.distribution import MOST_LABELS, bands, confusion, mistakes, quality
from app.evaluation.documents import document, gate, parse_gate
from app.evaluation.evaluation import METRICS, Evaluation, judged, reliability, reliability_groups
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import ScoredText
from app.settings.model import Settings
from tests.build import some
from tests.unit.evaluation.made import answer, page_of

SETTINGS = Settings()
FOUR = [answer("a", "a:0.9 b:0.5"), answer("b", "a:0.5 b:0.4"), answer("b", "a:0.4"), answer("oos", "a:0.2")]


def _judged(task: Task = Task.INTENT) -> Evaluation:
    return judged(task, "balanced", FOUR, SETTINGS)


# ---- answers and candidates


def test_that_words_for_no_match_are_no_answers() -> None:
    assert acceptable(["oos", "none", "None"]) == ()
    assert acceptable(["b", "a", "b"]) == ("b", "a")
    assert acceptable(["NONE"]) == ("NONE",)


def _index(*answers: Answer) -> TriggerIndex:
    index = TriggerIndex(2)
    index.put(answers)
    return index


LIBRARY = _index(
    Memory(("rain today",), intent="weather", key=1),
    Memory(("pay the bill",), intent="billing", id="bill-1", key=2),
    Memory(("will it snow", "is it cold"), intent="weather", key=3),
    Memory(("hello",), key=4),
    Memory(("rain today",), intent="billing", key=5),
    Power("rain", keywords=("umbrella",), key=1),
)


def test_that_each_task_has_its_own_candidates() -> None:
    assert candidates_of(LIBRARY, Task.INTENT).names == ("weather", "billing", "hello")
    assert candidates_of(LIBRARY, Task.MEMORY).names == ("rain today", "bill-1", "will it snow", "hello")
    assert candidates_of(LIBRARY, Task.POWER).names == ("rain",)


def test_that_a_label_takes_for_each_scorer_the_best_of_all_its_triggers_before_they_are_combined() -> None:
    # "is it rain" has its best fuzzy score and its best token overlap with two memories of one label.
    index = _index(
        Memory(("it rains",), intent="weather", key=1),
        Memory(("rain it today please is that so",), intent="weather", key=2),
        Memory(("other",), key=3),
    )
    settings = Settings(combination="weighted_average")
    scores = index.score(ScoredText("is it rain"))
    by_memory = [{name: scores.by_slot[name][place] for name in ("fuzzy", "token_overlap")} for place in (0, 1)]
    assert by_memory[0]["fuzzy"] > by_memory[1]["fuzzy"]
    assert by_memory[0]["token_overlap"] < by_memory[1]["token_overlap"]
    expected = (0.3 * by_memory[0]["fuzzy"] + 0.2 * by_memory[1]["token_overlap"]) / (0.4 + 0.3 + 0.2)
    found = candidates_of(index, Task.INTENT).confidences(scores, settings)
    assert found[0] == pytest.approx(expected)


def test_that_memories_of_one_name_count_once_by_their_best_confidence() -> None:
    candidates = candidates_of(LIBRARY, Task.MEMORY)
    found = candidates.confidences(LIBRARY.score(ScoredText("rain today")), Settings(combination="exact"))
    assert found.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_that_ranks_are_those_of_the_full_list_and_ties_keep_the_order_of_teaching() -> None:
    index = _index(*(Memory((f"m{place}",), key=place + 1) for place in range(20)))
    candidates = candidates_of(index, Task.MEMORY)
    values = np.array([0.5] * 15 + [0.9] + [0.5] * 3 + [0.0])
    ranked = candidates.ranked(values)
    assert len(ranked) == LISTED
    assert [candidate.name for candidate in ranked[:3]] == ["m15", "m0", "m1"]
    assert candidates.rank(["m15"], values) == 1
    assert candidates.rank(["m14"], values) == 16
    assert candidates.rank(["m18", "m14"], values) == 16
    assert candidates.rank(["m18"], values) == 19


def test_that_what_scored_0_is_no_candidate() -> None:
    index = _index(Memory(("a",), key=1), Memory(("b",), key=2))
    candidates = candidates_of(index, Task.MEMORY)
    assert candidates.ranked(np.array([0.0, 0.4])) == (RankedName("b", 0.4),)
    assert candidates.rank(["a"], np.array([0.0, 0.4])) is None
    assert candidates.rank(["nobody"], np.array([0.0, 0.4])) is None


def test_that_an_empty_library_ranks_nothing() -> None:
    index = TriggerIndex(2)
    for task in (Task.INTENT, Task.MEMORY, Task.POWER):
        candidates = candidates_of(index, task)
        values = candidates.confidences(index.score(ScoredText("a")), SETTINGS)
        assert values.tolist() == []
        assert candidates.ranked(values) == ()


# ---- bands, tiers, confusion


def test_that_bands_are_counted_and_002s_verdict_is_their_share() -> None:
    counts = bands(FOUR, SETTINGS)
    assert counts == {Band.HIGH: 1, Band.MEDIUM: 1, Band.LOW: 1, Band.FALLBACK: 1}
    assert quality(counts) == 0.5
    assert quality(bands([], SETTINGS)) is None


def test_that_the_confusion_of_labels_holds_every_pair_and_that_of_memories_the_mistakes() -> None:
    assert confusion(FOUR, Task.INTENT) == {"a": {"a": 1}, "b": {"a": 2}, "none": {"none": 1}}
    assert confusion(FOUR, Task.MEMORY) == {"b": {"a": 2}}
    assert mistakes(FOUR).most_common() == [(("b", "a"), 2)]


def test_that_one_of_several_acceptable_answers_is_no_mistake() -> None:
    assert confusion([answer("a b", "b:0.9")], Task.INTENT) == {"b": {"b": 1}}
    assert confusion([answer("a b", "c:0.9")], Task.INTENT) == {"a": {"c": 1}}


def test_that_the_confusion_of_very_many_powers_is_left_out() -> None:
    many = [answer(f"p{place}", "other:0.9") for place in range(MOST_LABELS + 1)]
    assert confusion(many, Task.POWER) == {}
    assert len(confusion(many, Task.INTENT)) == MOST_LABELS + 1


# ---- gates


@pytest.mark.parametrize(
    ("condition", "passed"),
    [
        ("accuracy>=0.5", True),
        ("accuracy>0.5", False),
        ("accuracy <= 0.5", True),
        (" accuracy < 0.5 ", False),
        ("top1<1", True),
        ("ece<1e0", True),
        ("no_match_right>=1", True),
    ],
)
def test_that_a_gate_compares_a_metric(condition: str, passed: bool) -> None:
    assert gate(_judged(), condition) is passed


def test_that_a_gate_on_a_metric_that_does_not_apply_is_not_passed() -> None:
    evaluation = judged(Task.INTENT, "balanced", FOUR[:3], SETTINGS)
    assert not gate(evaluation, "auroc>=0")
    assert not gate(evaluation, "auroc<=1")


def test_that_an_unknown_metric_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="Unknown metric “top2”; choose one of delivered, top1, top3, top5, recall10"):
        parse_gate("top2>=0.5")


# ---- documents and reports


def test_that_the_document_has_the_shape_of_the_specification() -> None:
    found = json.loads(json.dumps(document(_judged())))
    assert found["task"] == "intent"
    assert found["n"] == 4
    assert list(found["metrics"]) == list(METRICS)
    assert found["bands"] == {"high": 1, "medium": 1, "low": 1, "fallback": 1}
    assert found["quality"] == {"share": 0.5, "target": 0.7, "met": False}
    assert found["tiers"] == {}
    assert found["cases"][1] == {
        "text": "?",
        "expected": ["b"],
        "unwanted": [],
        "predicted": "a",
        "confidence": 0.5,
        "answerable": 0.5,
        "rank": 2,
        "tier": None,
        "right": False,
        "delivered": "wrong",
        "unexpected": [],
        "candidates": [{"name": "a", "confidence": 0.5}, {"name": "b", "confidence": 0.4}],
    }
    assert found["cases"][3]["predicted"] is None


def test_that_powers_have_tiers_and_no_bands() -> None:
    answers = [answer("a", "a:0.9", task=Task.POWER, tier=Tier.ACTIVATED)] * 2
    found = document(judged(Task.POWER, "balanced", answers, SETTINGS))
    assert found["tiers"] == {"activated": 2, "multiple_matches": 0, "weak_matches": 0, "not_found": 0}
    assert found["bands"] == {}
    assert found["quality"] is None


def test_that_no_line_of_confidence_rejects_powers_where_the_chance_of_any_decides() -> None:
    single = judged(Task.POWER, "learned", [answer("", "a:0.06", task=Task.POWER, tier=Tier.WEAK_MATCHES)], SETTINGS)
    several = replace(single, answered=tuple(replace(one, shared=0.43) for one in single.answered))
    assert "no match below 30 %." in page_of(single)
    assert "no match where the chance that any power fits is below 30 %." in page_of(several)
    assert [bool(some(confidence_bars(one)).at) for one in (single, several)] == [True, False]


def test_that_the_report_says_what_people_ask() -> None:
    page = page_of(_judged())
    assert page.startswith("2 of 4 cases delivered as expected (50.0 %)")
    assert "Combination balanced; no match below 30 %." in page
    assert "High or medium: 50.0 %; the target of 70.0 % is not met." in page
    assert "  b → a" in page
    assert all(f"  {name}\n" in page for name, value in _judged().metrics.items() if value is not None)
    assert "no_match_right" in page
    tiers = page_of(judged(Task.POWER, "balanced", [answer("a", "", tier=Tier.NOT_FOUND)], SETTINGS))
    assert "not found" in tiers.lower()


def test_that_an_empty_evaluation_can_be_reported() -> None:
    for task in (Task.INTENT, Task.POWER, Task.TYPE):
        empty = judged(task, "balanced", [], SETTINGS)
        assert document(empty)["n"] == 0
        assert "0 cases" in page_of(empty)


def test_that_the_report_sets_what_is_expected_beside_what_is_right() -> None:
    answers = [answer("a", "a:0.9"), answer("b", "a:0.92"), answer("a", "a:0.5"), answer("", "a:0.5")]
    bins = reliability(answers)
    assert [(one.count, one.right) for one in bins] == [(2, 0.5), (2, 0.5)]
    assert [one.confidence for one in bins] == pytest.approx([0.5, 0.91])
    assert METRICS["ece"](answers) == pytest.approx(0.5 * 0.41)
    evaluation = judged(Task.INTENT, "balanced", answers, SETTINGS)
    assert re.search("  50 to 92 % +4 +70.5 % +50.0 %", page_of(evaluation))
    assert document(evaluation)["reliability"][1]["count"] == 2
    assert document(evaluation)["scale"] is None


def test_that_groups_of_reliability_hold_equally_many_cases() -> None:
    few = [answer("a", f"a:{confidence / 100}") for confidence in range(50, 74)]
    assert [one.count for one in reliability_groups(few)] == [8, 8, 8]
    assert (reliability_groups(few)[0].low, reliability_groups(few)[0].high) == (0.5, 0.57)
    many = [answer("a", f"{'a' if one % 2 else 'b'}:{one / 201}") for one in range(201)]
    groups = reliability_groups(many)
    assert [one.count for one in groups] == [21, *[20] * 9]
    assert all(abs(one.right - 0.5) < 0.03 for one in groups)
    assert reliability_groups([]) == ()
    assert [one.count for one in reliability_groups(few[:3])] == [3]


def test_that_the_report_says_whose_scale_told_the_confidences() -> None:
    shipped = judged(Task.POWER, "calibrated", [answer("a", "a:0.9", tier=Tier.ACTIVATED)], SETTINGS)
    assert "the shipped one tells" in page_of(shipped)
    own = SETTINGS.with_calibration(Calibration(memories=Chance(9.0, -4.0, asked=1_200, ece=0.0123)))
    fitted = judged(Task.INTENT, "calibrated", [answer("a", "a:0.9")], own)
    assert "fitted on 1,200 triggers taught here; its own calibration error is 1.2 points." in page_of(fitted)
    told = {"slope": 9.0, "offset": -4.0, "crowd": 0.0, "of_logarithm": False, "asked": 1_200, "ece": 0.0123}
    assert document(fitted)["scale"] == told


NO_GATES = "top1", "top1=0.5", "top1>=", ">=0.5", "top1>=high", "top1>=nan", "top1>=1>=2", ""
NEVER_HELD = "top1>=90", "ece<=-0.1", "top1>1", "macro_f1<0", "against.top1>2", "p<-1", "broken<0"


@pytest.mark.parametrize("condition", [*NO_GATES, *NEVER_HELD])
def test_that_what_is_no_gate_or_can_never_hold_is_refused_with_a_sentence(condition: str) -> None:
    never = r"tells nothing: [\w.]+ is (from 0 to 1|0 or more)\."
    with pytest.raises(ValueError, match=never if condition in NEVER_HELD else r"^“.*\.$"):
        parse_gate(condition)


@pytest.mark.parametrize("condition", ["top1>=1", "ece<=0", "broken<=500", "net>=-20", "p<0.05"])
def test_that_a_gate_within_the_range_is_taken(condition: str) -> None:
    assert parse_gate(condition).metric in condition


@pytest.mark.parametrize(("task", "names"), [(Task.INTENT, BAND_WORDS), (Task.POWER, TIER_WORDS)])
def test_that_a_page_names_levels_in_words(task: Task, names: dict[Band | Tier, str]) -> None:
    told = judged(task, "balanced", [replace(one, tier=Tier.NOT_FOUND) for one in FOUR], SETTINGS)
    page = page_of(told)
    for name in names.values():
        assert f"  {name.lower()} " in page.lower()
