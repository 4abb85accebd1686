from __future__ import annotations

from app.evaluation.answers import AnswerEvidence
from app.evaluation.comparison import Cause, CauseKind, Side, Since, by_library, by_settings

CHANGED = {"a": ("1", "2"), "b": ("x", "y")}
SAME = Since((), {"one", "two"})


def side(top: str | None, trigger: str = "", cues: tuple[str, ...] = (), **scores: float) -> Side:
    return Side(top, AnswerEvidence(scores, trigger, cues))


def test_that_the_setting_is_named_that_alone_brings_the_answer_back() -> None:
    assert by_settings("one", {"a": "two", "b": "one", "": "one"}, CHANGED) == Cause(
        CauseKind.SETTING, "b", before="x", after="y"
    )
    assert by_settings(None, {"a": "two", "b": "two", "": None}, CHANGED) == Cause(CauseKind.SETTINGS, "a, b")
    assert by_settings("one", {"a": "two"}, CHANGED).kind is CauseKind.UNKNOWN


def test_that_rules_come_before_what_is_taught_and_that_before_scores() -> None:
    before, after = side("one", cues=("r1",)), side("two", "will it", cues=("r1", "r2"))
    since = Since({"two"}, {"one", "two"}, [CauseKind.FIT])
    assert by_library(before, after, None, since) == Cause(CauseKind.RULE, "r2", "two", "", "fires")
    assert by_library(after, before, None, since) == Cause(CauseKind.RULE, "r2", "two", "fires", "")
    plain = side("one"), side("two", "will it")
    assert by_library(*plain, None, since) == Cause(CauseKind.TRIGGER, "will it", "two")
    assert by_library(*plain, None, Since((), {"two"})) == Cause(CauseKind.GONE, "one")
    assert by_library(*plain, None, Since((), None, [CauseKind.FIT])) == Cause(CauseKind.FIT)
    edited = Since({"one"}, {"one", "two"})
    assert by_library(*plain, AnswerEvidence(trigger="rain"), edited) == Cause(CauseKind.TRIGGER, "rain", "one")


def test_that_the_scorer_that_moved_furthest_is_named_with_both_values() -> None:
    before = side("one", semantic=0.8, fuzzy=0.5)
    found = by_library(before, side("two"), AnswerEvidence({"semantic": 0.6, "fuzzy": 0.45}), SAME)
    assert found == Cause(CauseKind.SCORER, "semantic", "one", "0.800", "0.600")
    still = by_library(before, side("one", semantic=0.801, fuzzy=0.5), None, SAME)
    assert still.kind is CauseKind.UNKNOWN
    assert by_library(side(None), side("two"), None, SAME).kind is CauseKind.UNKNOWN
