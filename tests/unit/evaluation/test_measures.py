"""Tests of figures of evaluated cases: metrics, curves, precision targets, flat lines, deliveries."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.case import Case, Delivered, Task
from app.domain.history import HistoryEntry, Source
from app.domain.match import Tier
from app.domain.running import ActivationBlocker
from app.evaluation.answers import (
    Answered,
    AnswerEvidence,
    Delivery,
    RankedName,
    Top,
    acceptable,
    delivery_of,
    fault_words,
    grade,
    passes,
    top_of,
    unexpected,
    why_not_delivered,
)
from app.evaluation.comparison import Cause, CauseKind, Side, Since, by_library, by_settings, interval
from app.evaluation.curves import (
    HISTOGRAM_BINS,
    LEAST_ANSWERED,
    MOST_POINTS,
    confidence_histogram,
    cuts,
    precision_target,
    retrieval,
)
from app.evaluation.evaluation import accuracy, auroc, ece, macro_f1, measured, mrr10, recall10, top
from app.evaluation.flatlines import (
    ENOUGH,
    OFTEN,
    RECENT,
    FlatLine,
    FlatSignal,
    ListedMatch,
    PassedOver,
    SilentLlm,
    flat_lines,
    passed_over,
    silent_llm,
)
from tests.build import some
from tests.unit.evaluation.made import FIVE, answer


def test_that_ranking_metrics_take_cases_with_an_answer_whatever_the_confidence() -> None:
    assert top(1)(FIVE) == pytest.approx(2 / 3)
    assert top(3)(FIVE) == 1.0
    assert mrr10(FIVE) == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert recall10(FIVE) == 1.0


def test_that_accuracy_takes_all_cases_and_heeds_the_threshold() -> None:
    assert accuracy(FIVE) == pytest.approx(2 / 5)


def test_that_macro_f1_counts_no_match_as_a_label() -> None:
    # a: expected once, given twice, right once. b: expected twice, never given. c: given once. No match: expected
    # twice, given twice, right once.
    assert macro_f1(FIVE) == pytest.approx((2 / 3 + 0 + 0 + 2 / 4) / 4)


def test_that_auroc_compares_answerable_cases_with_the_others() -> None:
    # 0.9, 0.8, 0.2 against 0.25, 0.6: of six pairs, four are in order.
    assert auroc(FIVE) == pytest.approx(4 / 6)


def test_that_auroc_counts_the_chance_of_any_where_confidences_are_shares() -> None:
    level, stranger = answer("a", "a:0.48 b:0.47"), answer("oos", "a:0.6")
    assert auroc([level, stranger]) == 0.0
    assert auroc([replace(level, shared=0.95), replace(stranger, shared=0.7)]) == 1.0


def test_that_ece_weighs_the_gap_of_each_bin() -> None:
    # Bins of 1/15: 0.9 -> 13, 0.8 -> 12, 0.2 and 0.25 -> 3, 0.6 -> 9. Right at the top: 0.9 and 0.2.
    gaps = [abs(0.9 - 1), abs(0.8 - 0), abs(0.2 + 0.25 - 1), abs(0.6 - 0)]
    assert ece(FIVE) == pytest.approx(sum(gaps) / 5)


def test_that_recall_is_of_all_acceptable_answers_and_nothing_counts_beyond_the_tenth_place() -> None:
    eleventh = answer("a", " ".join(f"x{place}:0.5" for place in range(10)), rank=11)
    assert (mrr10([eleventh]), recall10([eleventh])) == (0.0, 0.0)
    assert recall10([answer("a b c", "x:0.5 b:0.4")]) == pytest.approx(1 / 3)


def test_that_a_case_without_candidates_is_a_match_of_none() -> None:
    nothing = [answer("none", ""), answer("a", "")]
    assert accuracy(nothing) == 0.5
    assert auroc(nothing) == 0.5
    assert top(1)(nothing) == 0.0


CONFIDENCES = st.lists(st.sampled_from([place / 20 for place in range(1, 21)]), min_size=1, max_size=8)


@given(CONFIDENCES, CONFIDENCES)
def test_that_auroc_is_the_share_of_pairs_in_order(answerable: list[float], others: list[float]) -> None:
    cases = [answer("a", f"a:{value}") for value in answerable] + [answer("", f"a:{value}") for value in others]
    pairs = [(value > other) + 0.5 * (value == other) for value in answerable for other in others]
    assert auroc(cases) == pytest.approx(sum(pairs) / len(pairs))


@given(CONFIDENCES, CONFIDENCES)
def test_that_auroc_of_the_perfectly_separated_is_1(answerable: list[float], others: list[float]) -> None:
    cases = [answer("a", f"a:{0.5 + value / 2}") for value in answerable]
    cases += [answer("", f"a:{value / 2 - 0.02}") for value in others]
    assert auroc(cases) == 1.0


CASES = st.builds(
    lambda expected, names, top_confidence: answer(
        expected, " ".join(f"{name}:{top_confidence / place}" for place, name in enumerate(names, 1))
    ),
    st.sampled_from(("a", "b", "a b", "none", "")),
    st.lists(st.sampled_from("abcd"), unique=True, max_size=4),
    st.floats(0.01, 1.0),
)


@given(st.lists(CASES, max_size=12))
def test_that_every_metric_lies_in_0_to_1_and_more_places_find_no_less(cases: list[Answered]) -> None:
    found = measured(cases)
    assert all(value is None or (0.0 <= value <= 1.0 and math.isfinite(value)) for value in found.values())
    if found["top1"] is not None:
        first, third, fifth = (some(found[f"top{places}"]) for places in (1, 3, 5))
        assert first <= some(found["mrr10"]) <= fifth
        assert first <= third <= fifth


ANSWERS = st.lists(
    st.builds(
        lambda expected, first, confidence: answer(expected, f"{first}:{confidence:.3f}"),
        st.sampled_from(["a", "b", "c", "oos"]),
        st.sampled_from("abc"),
        st.floats(0.001, 1.0),
    ),
    min_size=1,
    max_size=30,
)


def test_that_the_histogram_parts_right_from_wrong_by_the_top_answer() -> None:
    found = confidence_histogram([*FIVE, answer("a", "a:1.0")])
    assert (sum(found.right), sum(found.wrong)) == (3, 3)
    assert found.right[HISTOGRAM_BINS - 1] == 1
    assert found.right[18] == 1
    assert found.wrong[16] == 1


def test_that_a_cut_tells_what_answering_from_there_on_comes_to() -> None:
    found = cuts(FIVE)
    assert [cut.threshold for cut in found] == [0.9, 0.8, 0.6, 0.25, 0.2]
    assert (found[1].coverage, found[1].precision, found[1].recall) == pytest.approx((0.4, 0.5, 1 / 3))
    assert (found[-1].coverage, found[-1].precision, found[-1].recall) == pytest.approx((1.0, 0.4, 2 / 3))


@given(ANSWERS)
def test_that_cuts_cover_ever_more_and_end_with_all_that_are_first(answers: list[Answered]) -> None:
    found = cuts(answers)
    assert [cut.coverage for cut in found] == sorted(cut.coverage for cut in found)
    assert [cut.recall for cut in found] == sorted(cut.recall for cut in found)
    assert found[-1].recall == pytest.approx(top(1)(answers) or 0.0)


def test_that_a_curve_of_many_cases_keeps_its_ends_and_few_points() -> None:
    many = [answer("a", f"a:{place / 1000:.3f}") for place in range(1, 1001)]
    found = cuts(many)
    assert len(found) == MOST_POINTS
    assert (found[0].threshold, found[-1].threshold, found[-1].coverage) == (1.0, 0.001, 1.0)


def test_that_retrieval_looks_ever_deeper() -> None:
    deep = answer("a", "b:0.5", rank=40)
    assert dict(retrieval([*FIVE, deep])) == {1: 0.5, 2: 0.75, 3: 0.75, 5: 0.75, 10: 0.75, 20: 0.75, 50: 1.0, 100: 1.0}


PRECISION_TARGET_CONFIDENCES = st.integers(1, 99).map(lambda one: one / 100)
KNOWN = st.lists(st.tuples(PRECISION_TARGET_CONFIDENCES, st.booleans()), min_size=1, max_size=90)
STRANGE = st.lists(PRECISION_TARGET_CONFIDENCES, max_size=30)


def _answers(known: list[tuple[float, bool]], strange: list[float]) -> list[Top]:
    own = [answer("a", f"a:{one}" if is_right else f"b:{one}") for one, is_right in known]
    return [top_of(one) for one in (*own, *(answer("oos", f"a:{one}") for one in strange))]


@given(known=KNOWN, strange=STRANGE, target=st.floats(0.5, 0.99), share=st.floats(0.0, 0.6))
def test_that_a_line_keeps_its_promise_and_no_lower_one_does(
    known: list[tuple[float, bool]], strange: list[float], target: float, share: float
) -> None:
    share = share if strange else 0.0
    found = precision_target(_answers(known, strange), target, share)

    def precision(line: float) -> tuple[float, int]:
        over = [is_right for one, is_right in known if one >= line]
        out = [one for one in strange if one >= line]
        inside = (1.0 - share) / len(known)
        outside = share / len(strange) if strange else 0.0
        whole = inside * len(over) + outside * len(out)
        return (inside * sum(over) / whole if whole else 0.0), len(over) + len(out)

    lines = {one for one, _ in known} | set(strange)
    kept = [line for line in lines if precision(line)[0] >= target and precision(line)[1] >= LEAST_ANSWERED]
    if found is None:
        assert all(precision(line)[0] < target + 1e-9 for line in kept)
        return
    assert (found.precision, found.answered) == pytest.approx(precision(found.threshold))
    assert found.precision >= target - 1e-9
    assert found.low <= found.precision <= found.high
    assert all(line >= found.threshold - 1e-9 for line in kept)
    assert found.coverage == pytest.approx(sum(one >= found.threshold for one, _ in known) / len(known))


def test_that_more_strangers_take_a_higher_line() -> None:
    known = [(0.5 + place / 200, place % 50 != 3) for place in range(90)]
    answers = _answers(known, [0.3, 0.55, 0.6, 0.7, 0.75])
    lines = [found.threshold for share in (0.0, 0.05, 0.2) if (found := precision_target(answers, 0.95, share))]
    assert len(lines) == 3
    assert lines == sorted(lines)
    assert lines[0] < lines[-1]


def test_that_an_interval_is_narrower_of_more_cases() -> None:
    assert interval(900.0, 1000.0)[0] > interval(45.0, 50.0)[0]
    assert 0.0 <= interval(0.0, 5.0)[0] <= interval(0.0, 5.0)[1] < 1.0


def asked(count: int, **told: object) -> list[HistoryEntry]:
    given = {"type": "howto", "confidence": 0.6, "kind": "memory", "answer": "one", "answer_confidence": 0.5, **told}
    return [HistoryEntry(at="", source=Source.WINDOW, text=str(place), **given) for place in range(count)]  # type: ignore[arg-type]


def varied(count: int) -> list[HistoryEntry]:
    made: list[HistoryEntry] = []
    for place in range(count):
        types = ("howto", None, "general")
        made += asked(
            1, type=types[place % 3], confidence=place / count, answer=f"a {place}", answer_confidence=1 / (place + 2)
        )
    return made


def test_that_few_queries_say_nothing() -> None:
    assert flat_lines(asked(ENOUGH - 1)) == []


def test_that_what_varies_is_not_flat() -> None:
    assert flat_lines(varied(ENOUGH)) == []
    assert flat_lines([*varied(ENOUGH), *asked(200)][:RECENT]) == []


def test_that_everything_that_stands_still_is_told() -> None:
    assert flat_lines(asked(150)) == [
        FlatLine(FlatSignal.TYPE, RECENT, "howto"),
        FlatLine(FlatSignal.CONFIDENCE, RECENT, 0.6),
        FlatLine(FlatSignal.ANSWER, RECENT, "one"),
        FlatLine(FlatSignal.ANSWER_CONFIDENCE, RECENT, 0.5),
    ]


def test_that_an_llm_is_silent_only_if_it_was_asked_and_never_heard() -> None:
    assert silent_llm(["timed_out"] * 15 + ["late"] * 5) == SilentLlm(20, "timed_out", 15)
    assert silent_llm(["timed_out"] * (ENOUGH - 1)) is None
    assert silent_llm(["timed_out"] * 30 + ["answered"]) is None
    assert silent_llm(["off", "unreachable", "superseded"] * 30) is None, "nobody was asked"


def listed(*rows: tuple[str, float]) -> Sequence[ListedMatch]:
    return [ListedMatch(name, None, confidence) for name, confidence in rows]


def test_that_what_is_near_and_never_first_is_passed_over() -> None:
    lists = [listed(("a", 0.9), ("b", 0.8), ("c", 0.2))] * OFTEN + [listed(("d", 0.9), ("b", 0.85)), []]
    assert passed_over(lists, 0.3) == [PassedOver("b", OFTEN + 1, 0.85, "a")]
    assert passed_over([*lists, listed(("b", 0.9))], 0.3) == []
    assert passed_over(lists, 0.3, {"b": 0.9}) == []
    assert passed_over(lists, 0.99, {"b": 0.1})[0].name == "b"


def test_that_memories_of_one_label_are_one_answer() -> None:
    lists = [[ListedMatch("x", "same", 0.9), ListedMatch("y", "same", 0.8), ListedMatch("z", "other", 0.7)]] * OFTEN
    assert [one.name for one in passed_over(lists, 0.3)] == ["other"]


def case(
    task: Task,
    expected: tuple[str, ...],
    predicted: str | None,
    delivered: Delivered | None = None,
    unwanted: tuple[str, ...] = (),
) -> Answered:
    found = () if predicted is None else (RankedName(predicted, 0.9),)
    rank = 1 if predicted in expected else None
    return Answered(
        Case("a text", expected, task, unwanted=unwanted),
        acceptable(expected),
        found,
        rank,
        predicted is None,
        delivered=delivered,
    )


def shipped(delivered: Delivered, *others: str) -> Answered:
    return case(Task.INTENT, ("ship-release", *others), "ship-release", delivered)


ROLLBACK, DEPLOY = ("rollback-shop", "ship-release"), ("deploy-shop", "ship-release")
OTHER = ("reset-data", "reset")
UNAPPROVED = Delivered(found_power="git", blocker=ActivationBlocker.APPROVAL)
NO_COMMAND = Delivered(found_power="git", blocker=ActivationBlocker.COMMAND)
OFFERED = Delivered(found_power="git", can_inject=True)
BESIDE = replace(UNAPPROVED, memories=(OTHER,))


@pytest.mark.parametrize(
    ("answered", "delivery", "names"),
    [
        (case(Task.INTENT, ("ship-release",), "ship-release"), Delivery.RIGHT, ()),
        (case(Task.INTENT, ("ship-release",), "reset"), Delivery.WRONG, ()),
        (case(Task.INTENT, ("ship-release",), None), Delivery.MISSING, ()),
        (shipped(Delivered((ROLLBACK, DEPLOY), can_inject=True)), Delivery.RIGHT, ()),
        (shipped(Delivered((ROLLBACK, OTHER), can_inject=True)), Delivery.UNEXPECTED, ("reset",)),
        (shipped(Delivered((ROLLBACK,), "git", can_inject=True)), Delivery.UNEXPECTED, ("git",)),
        (shipped(Delivered((ROLLBACK,), "git", can_inject=True), "git"), Delivery.RIGHT, ()),
        (case(Task.INTENT, ("reset",), "reset", Delivered((), can_inject=True)), Delivery.MISSING, ()),
        (case(Task.INTENT, ("reset",), "reset", Delivered((), can_inject=False)), Delivery.RIGHT, ()),
        (case(Task.MEMORY, ("rollback-shop",), "rollback-shop", Delivered((ROLLBACK, DEPLOY))), Delivery.RIGHT, ()),
        (case(Task.MEMORY, ROLLBACK[:1], ROLLBACK[0], Delivered((ROLLBACK, OTHER))), Delivery.UNEXPECTED, OTHER[:1]),
        (case(Task.POWER, ("git",), "git", Delivered((), "git")), Delivery.RIGHT, ()),
        (case(Task.POWER, ("git",), "git", Delivered((OTHER,), "git")), Delivery.UNEXPECTED, ("reset-data",)),
        (case(Task.INTENT, ("none",), None, Delivered()), Delivery.RIGHT, ()),
        (case(Task.INTENT, ("none",), None, Delivered((), "weather")), Delivery.UNEXPECTED, ("weather",)),
        (case(Task.TYPE, ("howto",), "howto", Delivered((OTHER,), "git")), Delivery.RIGHT, ()),
        (case(Task.INTENT, ("git",), "git", Delivered((), "git", can_inject=True)), Delivery.RIGHT, ()),
        (case(Task.POWER, ("git",), "git", UNAPPROVED), Delivery.UNAPPROVED, ()),
        (case(Task.INTENT, ("git",), "git", replace(UNAPPROVED, can_inject=True)), Delivery.UNAPPROVED, ()),
        (case(Task.POWER, ("git",), "docker", UNAPPROVED), Delivery.WRONG, ()),
        (case(Task.POWER, ("git",), "git", NO_COMMAND), Delivery.NO_COMMAND, ()),
        (case(Task.INTENT, ("reset",), "reset", replace(NO_COMMAND, memories=(OTHER,))), Delivery.RIGHT, ()),
        (case(Task.POWER, ("git",), "git", BESIDE), Delivery.UNEXPECTED, ("reset-data",)),
        (case(Task.INTENT, ("git", "reset"), "git", replace(BESIDE, can_inject=True)), Delivery.RIGHT, ()),
        (
            case(Task.INTENT, (), "ship-release", Delivered((ROLLBACK,), "git"), unwanted=("git",)),
            Delivery.UNEXPECTED,
            ("git",),
        ),
        (case(Task.INTENT, (), "ship-release", Delivered((ROLLBACK,)), unwanted=("git",)), Delivery.RIGHT, ()),
        (case(Task.INTENT, (), "reset", Delivered(can_inject=True)), Delivery.RIGHT, ()),
        (case(Task.INTENT, (), "reset", Delivered((OTHER,), can_inject=True)), Delivery.WRONG, ()),
        (case(Task.INTENT, (), "reset", replace(UNAPPROVED, can_inject=True)), Delivery.RIGHT, ()),
        (case(Task.INTENT, (), "reset", Delivered(power="git", can_inject=True)), Delivery.UNEXPECTED, ()),
        (case(Task.INTENT, (), "reset", Delivered()), Delivery.WRONG, ()),
        (case(Task.INTENT, ("reset",), None, Delivered(can_inject=True)), Delivery.MISSING, ()),
        (case(Task.POWER, ("git",), "git", OFFERED), Delivery.MISSING, ()),
        (case(Task.POWER, ("git",), "git", replace(OFFERED, memories=(OTHER,))), Delivery.MISSING, ("reset-data",)),
        (case(Task.POWER, ("docker",), "git", OFFERED), Delivery.MISSING, ()),
        (case(Task.POWER, (), "git", OFFERED), Delivery.WRONG, ()),
        (case(Task.POWER, (), "git", replace(OFFERED, memories=(OTHER,))), Delivery.WRONG, ()),
        (case(Task.INTENT, ("git",), "git", OFFERED), Delivery.MISSING, ()),
        (case(Task.INTENT, (), "reset", OFFERED), Delivery.RIGHT, ()),
        (case(Task.INTENT, ("reset",), "reset", replace(OFFERED, memories=(OTHER,))), Delivery.RIGHT, ()),
    ],
)
def test_that_all_that_is_delivered_is_judged(answered: Answered, delivery: Delivery, names: tuple[str, ...]) -> None:
    assert (delivery_of(answered), unexpected(answered) if answered.is_right else ()) == (delivery, names)
    assert passes(answered) is (delivery is Delivery.RIGHT)
    assert answered.predicted or fault_words(answered)[:8] in ("", "no match")
    says = why_not_delivered(answered)
    assert bool(says) is (delivery is Delivery.UNEXPECTED or (answered.is_right and delivery is not Delivery.RIGHT))
    assert all(name in says for name in names)


def test_that_a_power_that_would_not_start_is_told_apart_and_fails() -> None:
    waiting, bare = (case(Task.POWER, ("git",), "git", one) for one in (UNAPPROVED, NO_COMMAND))
    assert [(fault_words(one), grade(one)) for one in (waiting, bare)] == [("not approved", 1), ("no command", 1)]
    assert why_not_delivered(waiting) == "The right power is found, but not approved: it would not start."
    assert why_not_delivered(bare) == "The right power is found, but has no command: it would not start."
    both = [
        fault_words(case(Task.POWER, ("git",), "git", replace(one, memories=(OTHER,)))) for one in (OFFERED, BESIDE)
    ]
    assert both == ["not started, and reset-data", "not approved, and reset-data"]
    withheld = case(Task.INTENT, (), "reset", Delivered(power="git", can_inject=True, needs=1.0))
    assert fault_words(withheld) == "not injected, and git"
    started = case(Task.POWER, ("git",), "git", Delivered((), "git", found_power="git"))
    assert [grade(one) for one in (case(Task.POWER, ("git",), "docker", UNAPPROVED), waiting, started)] == [0, 1, 2]


@pytest.mark.parametrize(
    ("expected", "tier", "delivery"),
    [
        (("git",), Tier.MULTIPLE_MATCHES, Delivery.RIGHT),
        (("git",), Tier.ACTIVATED, Delivery.MISSING),
        (("git",), None, Delivery.MISSING),
        ((), Tier.NOT_FOUND, Delivery.WRONG),
        ((), None, Delivery.WRONG),
    ],
)
def test_that_an_offer_is_no_start_unless_the_case_states_the_tier(
    expected: tuple[str, ...], tier: Tier | None, delivery: Delivery
) -> None:
    offered = case(Task.POWER, expected, "git", OFFERED)
    offered = replace(offered, case=replace(offered.case, tier=tier))
    assert delivery_of(offered) is delivery
    assert grade(offered) == (2 if delivery is Delivery.RIGHT else 0)


def test_that_other_cases_do_not_depend_on_an_approval() -> None:
    beside = replace(UNAPPROVED, memories=(ROLLBACK,), can_inject=True)
    for task, expected in ((Task.INTENT, "ship-release"), (Task.MEMORY, "rollback-shop")):
        assert passes(case(task, (expected,), expected, beside))


NAMES = (RankedName("a", 0.8), RankedName("b", 0.5))


def answered(case: Case, *, rejected: bool = False, names: tuple[RankedName, ...] = NAMES) -> Answered:
    right = acceptable(case.expected)
    rank = next((n for n, one in enumerate(names, 1) if one.name in right), None)
    return Answered(case, right, names, rank, rejected)


def test_that_the_top_answer_counts_whatever_its_confidence() -> None:
    assert not answered(Case("q", (), Task.POWER, unwanted=("a",)), rejected=True).top_is_right
    assert answered(Case("q", (), Task.POWER, unwanted=("b",))).top_is_right


def test_that_what_is_expected_comes_before_what_is_unwanted() -> None:
    both = answered(Case("q", ("b",), Task.POWER, unwanted=("c",)))
    assert (both.is_right, both.unwanted) == (False, ())
    assert answered(Case("q", ("a",), Task.POWER, unwanted=("b",))).is_right


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
