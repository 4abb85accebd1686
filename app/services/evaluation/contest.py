"""Check of `learned` on labelled cases; if it does worse, `calibrated` decides."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from hashlib import blake2b

from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.fits import Contest, Learned
from app.domain.language import quantity
from app.evaluation.answers import grade
from app.evaluation.comparison import NORMAL_95, Comparison
from app.scoring.combiners import STAND_IN, chosen_for, combiner_for
from app.scoring.learned.library import Fit
from app.scoring.learned.logit import EVIDENCE
from app.services.core import Core
from app.services.engine.learner import Learner
from app.services.evaluation.evaluations import Evaluations
from app.services.evaluation.trial_snapshot import ChangedMeanwhileError
from app.services.status import Status
from app.settings.model import UNASKED, Settings, bearing

LEAST_CASES, MOST_CASES = 20, 500
"""Minimum number of cases for a result, and the maximum that is answered."""

LOOK_SECONDS = 5.0

BESIDE = (*UNASKED, "preset", "keep_better", "route.", "routes", "bands.")
"""Keys, or their prefixes, that no contest depends on: any other change repeats it."""

KINDS: Mapping[bool, tuple[str, tuple[Task, ...]]] = {
    False: ("combination", (Task.INTENT, Task.MEMORY)),
    True: ("power_combination", (Task.POWER,)),
}
"""Setting, and tasks to judge by, of memories (False) and powers (True); the first counts."""


class Contests:
    """Results of a fit on the present cases, on the asyncio thread; stored only in the fit."""

    def __init__(self, core: Core, evaluations: Evaluations, learning: Learner) -> None:
        self._core = core
        self._evaluations = evaluations
        self._learning = learning
        self._seen: object = None
        self._changes = 0

    def on_status_changed(self, _: Status) -> None:
        """Note a write: a changed case leaves the number of cases as it was."""
        self._changes += 1

    async def keep_up(self, ready: asyncio.Event) -> None:
        """Check for changes at intervals, once all vectors exist, until cancelled."""
        await ready.wait()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if not self._core.typing_priority.is_typing:
                await self.settle()

    async def settle(self) -> None:
        """Judge the deciding fit by the present cases, unless that was done; stopped by changes."""
        await self._learning.settle()  # the fit that includes the cases comes before its judgement
        held, settings = self._learning.held, self._core.settings
        seen = (held, self._changes, bearing(settings, BESIDE))
        if held is None or seen == self._seen:
            return
        try:
            cases = await self._core.in_store(lambda library: library.cases())
            contests = {
                power: contest for power in KINDS if (contest := await self._judged(held, cases, power)) is not None
            }
        except ChangedMeanwhileError:
            return
        except KnownError:  # such as an encoder's failure: repeated after the next change
            self._seen = seen
            return
        if contests != dict(held.contests):
            await self._learning.judged(held, contests)
        self._seen = (self._learning.held, *seen[1:])

    async def _judged(self, held: Fit, cases: Sequence[Case], power: bool) -> Contest | None:
        """Return the fit's result on one kind; None for too few cases or another combination."""
        key, tasks = KINDS[power]
        by_task = ([case for case in cases if case.task is task] for task in tasks)
        own = next((some for some in by_task if len(some) >= LEAST_CASES), None)
        if own is None or held.models.get(power) is None or not chosen_for(self._core.settings, power=power).is_shared:
            return None
        under = _hashed(repr(sorted(bearing(self._core.settings, BESIDE).items())))
        about = (held.library + under + sum(map(_number, own))) % 2**53  # in any order of the cases
        own = sorted(own, key=_number)[:MOST_CASES]
        known = held.contests.get(power)
        if known is not None and known.about == about:
            return known
        one, other = {key: "learned", "keep_better": "false"}, {key: STAND_IN}
        return contest_of(await self._evaluations.between(own, own[0].task, one, other), about)


def contest_of(comparison: Comparison, about: int = 0) -> Contest:
    """Return the contest of `learned` (`before`) against the other (`after`), judged by what is delivered.

    The interval of paired shares is that of Agresti and Min (Statistics in Medicine 2005).
    """
    cases = len(comparison.before.answered)
    learned, other = (sum(grade(one) > 0 for one in each.answered) for each in (comparison.before, comparison.after))
    lost, won = comparison.fixed + 0.5, comparison.broken + 0.5
    middle = (won - lost) / (cases + 2.0)
    wide = NORMAL_95 * math.sqrt(max(won + lost - (won - lost) ** 2 / (cases + 2.0), 0.0)) / (cases + 2.0)
    is_outdone = comparison.net > 0 and comparison.is_more_than_chance()
    return Contest(cases, learned, other, comparison.p, middle - wide, middle + wide, is_outdone, about)


# ---- Messages: a combination that was not chosen never decides without one.


def replacement_sentence(settings: Settings) -> str:
    """Format that a replacement decides instead of `learned`, and why; "" if none does."""
    sentences = [
        f"Of {_counts(contest, ' of powers' * power)}, so calibrated decides on {'powers' if power else 'memories'}; "
        "keep_better switches that off."
        for power in KINDS
        if (contest := settings.learned.contest(power=power)) is not None
        and combiner_for(settings, power=power) is not chosen_for(settings, power=power)
    ]
    return " ".join(sentences)


def _counts(contest: Contest, of: str = "") -> str:
    right = f"learned has {contest.learned:,} right and calibrated {contest.other:,}"
    return f"{contest.cases:,} labelled cases{of} {right}"


def contest_sentence(contest: Contest, *, power: bool) -> str:
    """Format the result of `learned` on the labelled cases of one kind, with interval and test."""
    p = f"{contest.p:.3f}" if contest.p >= 0.001 else "< 0.001"
    between = f"{100 * contest.low:+.1f} to {100 * contest.high:+.1f} with 95 %"
    difference = f"the difference is {100 * contest.difference:+.1f} points ({between}), p {p}"
    return f"{'Powers' if power else 'Memories'}: of {_counts(contest)}; {difference}"


def joined_sentence(learned: Learned, *, power: bool) -> str:
    """Format how many labelled cases of one kind the weights were fitted on; "" for none."""
    own = learned.powers if power else learned.memories
    if not own.cases:
        return ""
    return (
        f"{'Powers' if power else 'Memories'}: {own.cases:,} labelled cases take part in the "
        "weights of learned, and each is judged by weights without its say"
    )


def evidence_sentence(learned: Learned) -> str:
    """Format how much data the weights of memories were fitted on; "" for shipped weights."""
    own = learned.memories
    if own.is_shipped:
        return ""
    if own.evidence >= EVIDENCE:
        return f"Memories: the weights of learned are fitted here, on {own.evidence:,} questions"
    if not own.evidence:
        return "Memories: the weights of the learned score are those that ship; add triggers or cases to fit them here"
    return (
        f"Memories: the weights of the learned score are fitted on {quantity(own.evidence, 'question')}, fewer than "
        f"{EVIDENCE:.0f}, so they stay near the shipped weights; add triggers or labelled cases to fit them here"
    )


def _number(case: Case) -> int:
    return _hashed(repr((case.text, case.task.value, case.expected, case.unwanted)))


def _hashed(told: str) -> int:
    return int.from_bytes(blake2b(told.encode("utf-8", "surrogatepass"), digest_size=7).digest())
