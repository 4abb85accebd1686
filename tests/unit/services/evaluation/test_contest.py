"""Tests of the replacement of `learned` if it is worse on cases, which a setting reverts."""

from __future__ import annotations

from dataclasses import replace
from string import ascii_lowercase

import numpy as np
import pytest

from app.domain.case import Case, Task
from app.domain.journal import Edit
from app.domain.library import Line, Memory
from app.domain.scope.fits import SHIPPED_MEMORIES, SHIPPED_POWERS, Contest, Learned
from app.evaluation.comparison import compared
from app.evaluation.evaluation import judged
from app.scoring.combiners import COMBINERS, STAND_IN, chosen_for, combiner_for
from app.scoring.learned.library import Fit
from app.scoring.learned.taught import Background
from app.services.evaluation.contest import (
    LEAST_CASES,
    contest_of,
    contest_sentence,
    evidence_sentence,
    joined_sentence,
    replacement_sentence,
)
from app.services.evaluation.learner import wants_fit
from app.services.workbench import Workbench
from app.settings.model import Settings
from tests.build import some
from tests.unit.evaluation.made import answer
from tests.unit.services.benches import desk
from tests.unit.services.evaluation.test_calibrating import TAUGHT

BOTH = {"combination": "learned", "keep_better": "false"}, {"combination": STAND_IN}
LOST = Contest(40, 10, 30, 0.001, -0.7, -0.3, True)
TEXTS = [f"{one} {verb} {other}" for one in ("", "please") for verb in ascii_lowercase for other in ("", "door", "x y")]


def _known(workbench: Workbench) -> Contest | None:
    return workbench.settings.learned.contest(power=False)


def test_that_what_was_chosen_decides_unless_cases_of_its_kind_say_otherwise() -> None:
    plain = Settings(combination="learned")
    lost = plain.with_learned(Learned(of_memories=LOST))
    assert combiner_for(plain, power=False) is COMBINERS["learned"]
    assert combiner_for(lost, power=False) is COMBINERS[STAND_IN]
    assert combiner_for(lost, power=True) is chosen_for(lost, power=True)
    assert wants_fit(lost), "or it could never win again"
    kept = Settings(combination="learned", keep_better=False).with_learned(lost.learned)
    assert combiner_for(kept, power=False) is COMBINERS["learned"]
    other = Settings(combination="balanced").with_learned(lost.learned)
    assert combiner_for(other, power=False) is COMBINERS["balanced"]
    won = plain.with_learned(Learned(of_memories=replace(LOST, is_outdone=False)))
    assert combiner_for(won, power=False) is COMBINERS["learned"]


def test_that_it_is_said_who_decides_instead_and_only_then() -> None:
    lost = Settings(combination="learned").with_learned(Learned(of_memories=LOST))
    assert "calibrated decides on memories" in replacement_sentence(lost)
    assert "10 right and calibrated 30" in replacement_sentence(lost)
    assert "decides on powers" in replacement_sentence(Settings().with_learned(Learned(of_powers=LOST)))
    assert replacement_sentence(Settings(keep_better=False).with_learned(lost.learned)) == ""
    assert replacement_sentence(Settings()) == ""
    assert "-50.0 points (-70.0 to -30.0" in contest_sentence(LOST, power=False)


def test_that_it_is_told_how_many_cases_take_part() -> None:
    joined = Learned(powers=replace(SHIPPED_POWERS, case_digests=frozenset(range(1200))))
    assert joined_sentence(joined, power=True).startswith("Powers: 1,200 labelled cases take part")
    assert joined_sentence(joined, power=False) == ""


def test_that_it_is_told_how_much_the_weights_are_fitted_on() -> None:
    def said(evidence: int, phrases: int = 30) -> str:
        return evidence_sentence(Learned(memories=replace(SHIPPED_MEMORIES, phrases=phrases, evidence=evidence)))

    assert said(1).startswith("Memories: the weights of the learned score are fitted on 1 question, fewer than 150")
    assert said(400) == "Memories: the weights of learned are fitted here, on 400 questions"
    assert said(0, phrases=0) == "", "nothing was fitted"


def test_that_only_a_difference_of_more_than_chance_is_a_loss_and_lies_in_its_interval() -> None:
    right, wrong = answer("a", "a:0.9"), answer("a", "b:0.9")

    def contest(broken: int, fixed: int, same: int = 10) -> Contest:
        before = [right] * broken + [wrong] * fixed + [right] * same
        after = [wrong] * broken + [right] * fixed + [right] * same
        pair = (judged(Task.INTENT, "learned", answers, Settings()) for answers in (before, after))
        return contest_of(compared(*pair))

    assert contest(2, 20).is_outdone
    assert not contest(20, 2).is_outdone
    assert not contest(3, 5).is_outdone
    for one in (contest(2, 20), contest(20, 2), contest(3, 5), contest(0, 0)):
        assert -1.0 <= one.low <= one.difference <= one.high <= 1.0
        assert (one.high < 0.0) is one.is_outdone


def test_that_a_contest_is_kept_with_its_fit_and_a_damaged_one_is_none() -> None:
    none = np.zeros((0, 3), np.float32)
    fit = Fit("x", 1, Background((), none), contests={False: LOST, True: replace(LOST, is_outdone=False, about=7)})
    again = some(Fit.of_arrays(fit.arrays()))
    assert again.contests == fit.contests
    assert again.learned.is_outdone(power=False)
    assert not again.learned.is_outdone(power=True)
    for odd in (replace(LOST, cases=0), replace(LOST, p=float("nan"))):
        assert Fit.of_arrays(replace(fit, contests={False: odd}).arrays()) is None


@pytest.mark.parametrize("is_worse", [True, False])
async def test_that_kept_cases_decide_who_decides(is_worse: bool) -> None:
    async with desk(combination="learned") as workbench:
        lines = (Line(n, replace(one, key=None)) for n, one in enumerate(TAUGHT, 1) if isinstance(one, Memory))
        await workbench.import_lines("memories", lines, "a test")
        await workbench.ready()
        asked = [Case(text, ("oos",), Task.INTENT) for text in dict.fromkeys(TEXTS)]
        pair = await workbench.evaluations.between(asked, Task.INTENT, *BOTH)
        told = zip(asked, pair.before.answered, pair.after.answered, strict=True)
        cases = [
            replace(case, expected=((other if is_worse else one).predicted or "oos",))
            for case, one, other in told
            if one.predicted != other.predicted
        ]
        assert len(cases) >= LEAST_CASES
        await workbench.contests.settle()
        assert _known(workbench) is None, "no case is kept yet"
        await workbench.import_lines("cases", (Line(n, case) for n, case in enumerate(cases, 1)), "a test")
        await workbench.contests.settle()
        contest = some(_known(workbench))
        assert (contest.cases, contest.is_outdone) == (len(cases), is_worse)
        assert (contest.learned, contest.other)[is_worse] == len(cases)
        decides = (await workbench.settle(cases[0].text)).combination["memory"]
        assert decides == (STAND_IN if is_worse else "learned")
        assert ("learned" in workbench.status().notes) is is_worse
        if not is_worse:
            return
        wants = {case.text: case.expected for case in cases}
        kept = await workbench.in_store(lambda library: library.cases())
        edited = [replace(case, expected=("another",)) for case in kept]
        await workbench.journal.do(Edit("edited", "cases"), edited)
        await workbench.contests.settle()
        contest = some(_known(workbench))
        assert (contest.learned, contest.other) == (0, 0), "as many cases, that want something else"
        kept = await workbench.in_store(lambda library: library.cases())
        await workbench.journal.do(Edit("edited", "cases"), [replace(one, expected=wants[one.text]) for one in kept])
        await workbench.contests.settle()
        assert (await workbench.settle(cases[0].text)).combination["memory"] == STAND_IN
        assert not workbench.settings.calibration.memories.is_shipped, "it tells by scales of what is taught"
        judged_at_first = _known(workbench)
        await workbench.choose("fallback_threshold", "1")
        await workbench.contests.settle()
        contest = some(_known(workbench))
        assert contest.learned == contest.other, "nothing is found under this threshold, by either"
        await workbench.choose("fallback_threshold", "0.3")
        await workbench.contests.settle()
        assert _known(workbench) == judged_at_first
        await workbench.choose("keep_better", "false")
        assert (await workbench.settle(cases[0].text)).combination["memory"] == "learned"
        assert "learned" not in workbench.status().notes
