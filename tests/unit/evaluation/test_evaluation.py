import numpy as np
import pytest

from app.domain.case import Task
from app.domain.library import Answer, Memory, Power
from app.evaluation.answers import LISTED, RankedName, acceptable, candidates_of
from app.evaluation.distribution import MOST_LABELS, confusion, mistakes
from app.evaluation.documents import parse_gate
from app.evaluation.evaluation import reliability_groups
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import ScoredText
from app.settings.model import Settings
from tests.unit.evaluation.made import answer

SETTINGS = Settings()
FOUR = [answer("a", "a:0.9 b:0.5"), answer("b", "a:0.5 b:0.4"), answer("b", "a:0.4"), answer("oos", "a:0.2")]


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
    assert candidates_of(index, Task.INTENT).confidences(scores, settings)[0] == pytest.approx(expected)


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


def test_that_an_unknown_metric_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="Unknown metric “top2”; choose one of delivered, top1, top3, top5, recall10"):
        parse_gate("top2>=0.5")


# ---- documents and reports


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
