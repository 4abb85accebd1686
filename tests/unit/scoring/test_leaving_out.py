"""Tests of leave-one-out against a plain loop, and of fitted calibrations."""

import numpy as np
import pytest

from app.domain.confidence import Chance
from app.domain.library import Answer, Kind, Memory, Power
from app.scoring import leaving_out as module
from app.scoring.chances import FAINT, SAME_SHARE, SLOPE_SPREAD, USUAL_SLOPE, _points, fitted, is_much_the_same, sketch
from app.scoring.columns import exact
from app.scoring.columns.exact import KeywordHit
from app.scoring.index.layout import key_of
from app.scoring.index.scales import confidences
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.leaving_out import LEAST_ASKED, LeftOut, left_out
from app.scoring.text import ScoredText
from app.settings.model import Settings
from tests.build import some
from tests.unit.scoring.vectors import index_of, vector_of

MEMORIES = [
    *(Memory((f"word {key} of label {key % 8}",), intent=f"label {key % 8}", key=key) for key in range(1, 61)),
    Memory(("alone and unlabelled",), key=100),
    Memory(("one of two", "two of two"), key=101),
    Memory(("Word 3 of label 3!",), intent="label 3", key=102),  # equal up to case and punctuation
    Memory(("word 4 of label 4",), intent="label 5", key=103),  # the same text under another label
]
POWERS = [
    Power(f"power {n}", f"it does {n}", (f"key{n}",), examples=tuple(f"use {n} of {m}" for m in range(9)), key=n + 1)
    for n in range(7)
] + [Power("keyed", "its keyword is in all examples of one", ("use",), key=90)]


def _nothing() -> None:
    """Do nothing between steps."""


def _left_out(index: TriggerIndex, *, power: bool = False) -> LeftOut | None:
    return left_out(index, index.layout(), power=power, between=_nothing)


def _group(answer: Answer) -> object:
    return answer.answer_label or key_of(answer)


def _without(answers: list[Answer], mine: object, bare: str | None) -> list[Answer]:
    kept: list[Answer] = []
    for answer in answers:
        if _group(answer) != mine:
            kept.append(answer)
        elif bare is not None:
            texts = tuple(text for text in answer.triggers if ScoredText(text).bare != bare)
            if texts and isinstance(answer, Memory):
                kept.append(Memory(texts, intent=answer.intent, key=answer.key))
    return kept


def _plain(answers: list[Answer], asked: str, mine: object) -> tuple[float, bool, float]:
    """Return the best confidence, its correctness, and the best without the answer.

    Each comes from a new index.
    """
    found = []
    for bare in (ScoredText(asked).bare, None):
        index = index_of(_without(answers, mine, bare))
        values = confidences(index.score(ScoredText(asked, vector_of(asked))), Settings(combination="balanced"))
        best: dict[object, float] = {}
        for slot, value in zip(index.layout().slots.tolist(), values.tolist(), strict=True):
            group = _group(index.candidate(slot).answer)
            best[group] = max(best.get(group, 0.0), value)
        found.append((best.get(mine, 0.0), max(value for group, value in best.items() if group != mine)))
    (own, others), (_, stranger) = found
    return max(own, others), own > others, stranger


def test_that_questions_come_to_what_a_plain_loop_says() -> None:
    answers: list[Answer] = list(MEMORIES)
    found = some(_left_out(index_of(answers)))
    asked = [(text, _group(one)) for one in MEMORIES for text in one.triggers if one.key != 100]
    assert len(found.best) == len(asked)
    plain = {(round(a, 5), b, round(c, 5)) for a, b, c in (_plain(answers, *question) for question in asked)}
    told = zip(found.best.tolist(), found.right.tolist(), found.stranger.tolist(), strict=True)
    for best, right, stranger in told:
        assert (
            any(
                best == pytest.approx(a, abs=2e-5) and right == b and stranger == pytest.approx(c, abs=2e-5)
                for a, b, c in plain
                # If the same text occurs under another answer, all levels of exact count as 1.
            )
            or max(best, stranger) == 1.0
        )


def test_that_the_examples_of_powers_are_asked_and_keywords_count() -> None:
    found = some(_left_out(index_of([*MEMORIES, *POWERS]), power=True))
    assert len(found.best) == sum(len(power.examples) for power in POWERS)
    assert set(found.fellows.tolist()) == {len(POWERS[0].triggers)}
    assert (found.stranger >= 0.9 - 1e-9).all()  # “use” is a keyword of another power


@pytest.mark.parametrize("few", [10, LEAST_ASKED - 1])
def test_that_too_few_questions_say_nothing(few: int) -> None:
    answers: list[Answer] = [Memory((f"t {n}",), intent=f"l {n % 2}", key=n + 1) for n in range(few)]
    assert _left_out(index_of(answers)) is None
    assert _left_out(index_of(answers), power=True) is None


def test_that_one_answer_alone_says_nothing() -> None:
    assert _left_out(index_of([Memory((f"t {n}",), intent="l", key=n + 1) for n in range(90)])) is None


def test_that_of_many_some_are_drawn_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(list(MEMORIES))
    monkeypatch.setattr(module, "MOST_ASKED", 55)
    monkeypatch.setattr(module, "AT_ONCE", 200)
    one, other = _left_out(index), _left_out(index)
    assert len(some(one).best) == 55
    assert np.array_equal(some(one).best, some(other).best)


def test_that_the_work_ends_where_somebody_wants_it_to() -> None:
    index = index_of(list(MEMORIES))

    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        left_out(index, index.layout(), power=False, between=stop)


def test_that_an_index_that_has_changed_gives_up() -> None:
    index = index_of(list(MEMORIES))
    layout = index.layout()
    index.remove((Kind.MEMORY, 1))
    with pytest.raises(LookupError):
        left_out(index, layout, power=False, between=_nothing)


# ---- the calibration


def _made(slope: float, offset: float, count: int = 4_000) -> LeftOut:
    random = np.random.default_rng(1)
    best = random.uniform(0.1, 0.9, count)
    right = random.uniform(size=count) < 1.0 / (1.0 + np.exp(-(slope * np.log(best) + offset)))
    return LeftOut(best, right, np.full(count, 0.05), np.full(count, 100.0), 100)


def test_that_keywords_may_come_while_others_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    index, coming = index_of([*POWERS]), [Power("new", "it came meanwhile", ("use",), key=200)]

    def hit(keyword: str, holders: int | None) -> KeywordHit:
        if coming:
            index.put([coming.pop()])
        return KeywordHit(keyword, holders)

    monkeypatch.setattr(exact, "KeywordHit", hit)
    assert len(index.keywords.hits(ScoredText("use it"), name_counts=False)) == 1
    assert len(index.keywords.hits(ScoredText("use it"), name_counts=False)) == 2


def test_that_the_scale_that_made_the_outcomes_is_found_again_but_for_strangers() -> None:
    chance = fitted(_made(6.0, 3.5))
    assert chance.asked == 4_000
    assert chance.ece is not None
    assert chance.ece < 0.03
    for confidence in (0.4, 0.5, 0.6, 0.8):
        assert chance(confidence) == pytest.approx(Chance(6.0, 3.5, of_logarithm=True)(confidence), abs=0.05)


def test_that_with_few_fellows_the_left_out_one_is_given_its_due() -> None:
    few, many = _made(6.0, 3.5), _made(6.0, 3.5)
    few = LeftOut(few.best, few.right, few.stranger, np.full(len(few.best), 2.0), few.answers)
    assert fitted(few)(0.5) > fitted(many)(0.5)


@pytest.mark.parametrize("right", [True, False])
def test_that_outcomes_that_are_all_alike_leave_a_scale_that_rises(right: bool) -> None:
    best = np.linspace(0.5, 0.5, 60)
    chance = fitted(LeftOut(best, np.full(60, right), best / 2.0, np.full(60, 2.0), 100))
    assert chance(0.2) < chance(0.8)
    assert (chance(0.5) > 0.8) is right


def test_that_a_faint_answer_is_hardly_ever_right_though_no_stranger_was_so_faint() -> None:
    made = _made(6.0, 3.5)
    strangers = LeftOut(made.best, made.right, np.full(len(made.best), 0.4), made.fellows, made.answers)
    assert fitted(strangers)(0.1) < 0.001


@pytest.mark.parametrize("seed", range(8))
def test_that_the_fit_comes_to_rest_at_the_likeliest_curve(seed: int) -> None:
    random = np.random.default_rng(seed)
    best = random.beta(8.0, 1.5, 300)
    right = random.uniform(size=300) < best**4
    outcome = LeftOut(best, right, random.beta(2.0, 6.0, 300), random.integers(2, 9, 300).astype(np.float64), 100)
    found = fitted(outcome)

    def loss(slope: float, offset: float) -> float:
        best, right, weight = _points(outcome, np.ones(300, np.bool_))
        told = slope * np.log(np.maximum(best, FAINT)) + offset
        prior = ((slope - USUAL_SLOPE) / SLOPE_SPREAD) ** 2 / 2.0
        return float((weight * (np.logaddexp(0.0, told) - right * told)).sum() + prior)

    least = loss(found.slope, found.offset)
    for slope, offset in ((0.02, 0.0), (-0.02, 0.0), (0.0, 0.02), (0.0, -0.02), (0.02, 0.02), (-0.02, -0.02)):
        assert least < loss(found.slope + slope, found.offset + offset)


# ---- similar libraries


def test_that_a_sketch_tells_how_much_of_a_library_is_still_there() -> None:
    taught = [(f"label {n % 30}", f"trigger {n}") for n in range(5_000)]
    before = sketch(taught)
    assert before == sketch(reversed(taught))
    assert is_much_the_same(before, before)
    assert is_much_the_same(before, sketch(taught[: int(5_000 * (SAME_SHARE + 0.07))]))
    assert not is_much_the_same(before, sketch(taught[:4_000]))
    assert not is_much_the_same(before, sketch([*taught, *(("new", f"other {n}") for n in range(2_000))]))
    assert not is_much_the_same(before, sketch([]))
    assert is_much_the_same(sketch([]), sketch([]))


def test_that_more_of_the_queries_are_assumed_to_be_out_of_scope_where_few_answers_are_taught() -> None:
    best, right = np.full(200, 0.6), np.ones(200, np.bool_)
    outcomes = (LeftOut(best, right, best, np.full(200, 100.0), answers) for answers in (10, 50, 70, 100, 1000))
    few, still_few, between, many, most = (fitted(outcome)(0.6) for outcome in outcomes)
    assert few == still_few < between < many == most
    assert few == pytest.approx(0.8, abs=0.01)
    assert many == pytest.approx(0.92, abs=0.01)
