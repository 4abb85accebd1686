"""Trying a rule while it is being written: on the query, and on every labelled case under the policy in force."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace

from app.detect.keywords import CompiledRule, KeywordRules, decide
from app.detect.pattern_advice import PatternFault, explain
from app.detect.rule_trial import Fate, Ground, Hint, Outcome, Subject, compiled, health
from app.domain.case import Case, Task
from app.domain.inspection import Detection
from app.domain.intent import Rule, RuleHit, intent_type
from app.domain.match import Query
from app.evaluation.answers import acceptable
from app.ports.store import Cases, Library
from app.services.core import Core

SHOWN = 50
"""So many cases are told one by one; the rest are counted."""

MOST_PHRASES = 2_000
"""Of what is taught at most so many phrases are tried, spread evenly."""

STEPS_SEEN = 1_000
"""Of so many steps it is seen whether they were taken back."""

AT_ONCE, TRIED_AT_ONCE = 4, 64
"""So many texts are gone through, by all rules or by one, before a waiting keystroke gets its turn."""


@dataclass(frozen=True, slots=True)
class Tally:
    """In how many texts a rule matched: labelled with a type, others, and held back by its `unless`."""

    cases: int
    others: int
    held_back: int


@dataclass(frozen=True, slots=True)
class Survey:
    """What all rules find in all that is known: how many texts that is, each rule's tally, what may be wrong."""

    cases: int
    others: int
    tallies: Mapping[str, Tally]
    hints: Mapping[str, tuple[Hint, ...]]


@dataclass(frozen=True, slots=True)
class Attempt:
    """A rule as it is being written, the id of the stored one that it would replace, if any, and texts to try it on."""

    draft: Rule
    of: str = ""
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """One text: where the draft is found in it, and what is detected before and after."""

    text: str
    hit: RuleHit | None
    before: Detection
    after: Detection


@dataclass(frozen=True, slots=True)
class Trial:
    """What an attempt came to so far: `fates` is None until the cases are gone through.

    Faults are set where a pattern is refused: then nothing is tried. `is_edit` says that the answers before are those
    of the rules as they are stored; otherwise, for a rule that is stored just so, they are those without it.
    """

    attempt: Attempt
    policy: str
    fault: PatternFault | None = None
    unless_fault: PatternFault | None = None
    is_edit: bool = True
    samples: tuple[Sample, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    fates: Mapping[Fate, int] | None = None
    matched: int = 0
    held_back: int = 0
    others_matched: int = 0
    cases: int = 0
    others: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether the cases are counted, and not only the samples tried."""
        return self.fates is not None


class RuleTrial:
    """Keeps what the stored rules find, until rules or cases change. All methods run on the core's thread."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._ground: Ground | None = None
        self._of: tuple[KeywordRules, object] | None = None
        self._laying = asyncio.Lock()

    async def survey(self) -> Survey:
        """What all rules find in all cases and in what is taught; StoreError."""
        ground = await self._current()
        judged = sum(subject.right is not None for subject in ground.subjects)
        tallies = {name: Tally(f.cases, f.others, f.held_back) for name, f in ground.finds.items()}
        return Survey(judged, len(ground.subjects) - judged, tallies, health(ground))

    async def attempt(self, attempt: Attempt) -> AsyncGenerator[Trial, None]:
        """Try a draft: on the texts at once, then on the cases, block by block. Nothing is stored; StoreError."""
        policy = self._core.engine.settings.search_intent.selection
        draft = attempt.draft
        unless = None if draft.unless is None else explain(draft.unless)
        trial = Trial(attempt, policy, explain(draft.pattern), unless)
        made = compiled(draft)
        if made is None or trial.fault is not None:
            yield trial
            return
        rules = await self._core.in_store(lambda library: library.rules())
        stored = next((rule for rule in rules if rule.id == attempt.of), None)
        trial = replace(trial, is_edit=stored != draft)
        trial = replace(trial, samples=_samples(trial, Ground(rules), made))
        yield trial
        ground = await self._current()
        found: list[Outcome] = []
        for start in range(0, len(ground.subjects), TRIED_AT_ONCE):
            places = range(start, min(len(ground.subjects), start + TRIED_AT_ONCE))
            outcomes = (ground.outcome(place, policy, attempt.of, made, base=trial.is_edit) for place in places)
            found += (outcome for outcome in outcomes if outcome is not None)
            await asyncio.sleep(0)
        yield _summed(trial, ground, found)

    async def _current(self) -> Ground:
        """What the rules find, gone through anew if anything has changed since."""
        async with self._laying:
            rules = self._core.engine.rules
            state = await self._core.in_store(_state)
            if self._ground is not None and self._of is not None:
                known, before = self._of
                if known is rules and before == state:
                    return self._ground
            ground = Ground(await self._core.in_store(lambda library: library.rules()))
            subjects = await self._core.in_store(_subjects) + self._phrases()
            for start in range(0, len(subjects), AT_ONCE):
                ground.add(subjects[start : start + AT_ONCE])
                await asyncio.sleep(0)
            self._ground, self._of = ground, (rules, state)
            return ground

    def _phrases(self) -> list[Subject]:
        answers = self._core.engine.index.answers().values()
        texts = list(dict.fromkeys(text for answer in answers for text in answer.triggers))
        every = max(1, -(-len(texts) // MOST_PHRASES))
        return [Subject(Query.of(text).scored) for text in texts[::every]]


def _samples(trial: Trial, ground: Ground, made: CompiledRule) -> tuple[Sample, ...]:
    attempt, policy, samples = trial.attempt, trial.policy, []
    for text in attempt.texts:
        hits, hit = ground.look_in(text), made.find(text)
        before = ground.counted(hits, "" if trial.is_edit else attempt.of)
        after = ground.counted(hits, attempt.of, hit)
        samples.append(Sample(text, hit, decide(text, before, policy), decide(text, after, policy)))
    return tuple(samples)


def _state(library: Library) -> object:
    """What is another whenever something was done, taken back or done again, here or by another program."""
    steps = tuple((step.id, step.undone) for step in library.steps(STEPS_SEEN))
    return steps, library.data_version(), tuple(sorted(library.counts().items()))


def _subjects(library: Cases) -> list[Subject]:
    return [Subject(Query.of(case.text).scored, _right(case)) for case in library.cases()]


def _right(case: Case) -> frozenset[str] | None:
    """The types that are right for a case, none where no type is; None for a case of another task."""
    if case.task is not Task.TYPE:
        return None
    names = acceptable(case.expected)
    return frozenset(name if (type_ := intent_type(name)) is None else type_.value for name in names)


def _summed(trial: Trial, ground: Ground, found: Sequence[Outcome]) -> Trial:
    judged = [outcome for outcome in found if outcome.subject.right is not None]
    rank = list(Fate)
    judged.sort(key=lambda outcome: rank.index(outcome.fate))
    cases = sum(subject.right is not None for subject in ground.subjects)
    hits = [outcome.hit for outcome in judged if outcome.hit is not None]
    others = [o.hit for o in found if o.subject.right is None and o.hit is not None and not o.hit.held_back]
    return replace(
        trial,
        outcomes=tuple(judged[:SHOWN]),
        fates=Counter(outcome.fate for outcome in judged),
        matched=sum(not hit.held_back for hit in hits),
        held_back=sum(hit.held_back for hit in hits),
        others_matched=len(others),
        cases=cases,
        others=len(ground.subjects) - cases,
    )
