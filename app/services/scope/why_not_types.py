"""Explanation of an expected search-intent type that was not detected, and changes (S3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.detect.keywords import confidence_steps
from app.detect.merge import Ceiling, merge
from app.domain.case import Case, Task
from app.domain.inspection import Detection, TypeEvidence
from app.domain.intent import (
    ALIASES,
    DetectionSource,
    IntentType,
    Rule,
    RuleHit,
    RulePurpose,
    SearchIntent,
    intent_type,
)
from app.domain.llm import LlmOutcome
from app.domain.why_not import LostAt, Note, StoreRules, TeachType, ValueChange, WhyNot
from app.scoring.text import ScoredText
from app.services.engine.type_voter import TypeDetector, TypeVoter, voter_like
from app.services.evaluation.trial_snapshot import Trial, TrialSnapshot
from app.services.scope.types import Types, type_examples
from app.services.scope.why_not_question import (
    MOST_LEARNED,
    Draft,
    FoundAnswer,
    WhyNotQuestion,
    disabled_matching_rules,
    gaps,
    new_rules,
    round_up,
    settings_drafts,
)
from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class Typed:
    """Detection of a query under some settings, and the resulting intent."""

    detection: Detection
    intent: SearchIntent | None

    def evidence(self, type_: IntentType) -> TypeEvidence | None:
        return next((one for one in self.detection.ranking if one.type is type_), None)


def typed(detector: TypeDetector, query: ScoredText, settings: Settings) -> Typed:
    """Detect without an LLM."""
    wanted = settings.search_intent
    detection = detector.detect(query.text, query.whole, wanted)
    return Typed(detection, merge(detection.floor, Ceiling(LlmOutcome.OFF), wanted).intent)


@dataclass(frozen=True, slots=True)
class LostType:
    """A query with the expected type; `rules` are all stored rules."""

    query: ScoredText
    expected: IntentType
    found: Typed
    rules: Sequence[Rule]
    detector: TypeDetector
    snapshot: TrialSnapshot

    @property
    def text(self) -> str:
        return self.query.text

    @property
    def spoken(self) -> SearchIntent | None:
        """Vote of the examples that overrules the keywords; None if they decide."""
        floor = self.found.detection.floor
        return floor if floor is not None and floor.source is DetectionSource.LEARNED else None

    @property
    def stage(self) -> LostAt | None:
        """Stage that loses the type; None if it is the detected one."""
        found, picked = self.found, self.found.detection.intent
        if found.intent is not None and found.intent.type is self.expected:
            return None
        if not found.detection.enabled:
            return LostAt.SWITCHED_OFF
        if self.spoken is not None and self.spoken.type is not self.expected:
            return LostAt.EXAMPLES
        if found.evidence(self.expected) is None:
            return LostAt.NO_RULE
        if picked is not None and picked.type is not self.expected:
            return LostAt.SELECTION
        return LostAt.TOPICS

    @property
    def winner(self) -> TypeEvidence | None:
        """Picked type, or the runner-up if the expected one was picked."""
        others = [one for one in self.found.detection.ranking if one.type is not self.expected]
        return others[0] if others else None

    @property
    def held_back(self) -> list[RuleHit]:
        return [
            hit for hit in self.found.detection.hits if hit.held_back and intent_type(hit.rule.label) is self.expected
        ]

    def wins(self, trial: Trial) -> bool:
        intent = typed(trial.detector(self.detector), self.query, trial.settings).intent
        return intent is not None and intent.type is self.expected


def type_confidence(lost: LostType, type_: IntentType) -> float | None:
    """Return the confidence of the examples or matched rules in a type; None without a match."""
    if lost.spoken is not None and lost.spoken.type is type_:
        return lost.spoken.confidence
    own = lost.found.evidence(type_)
    return None if own is None else confidence_steps(lost.text, own.hits)[-1].result


async def explain_type(question: WhyNotQuestion, type_: IntentType, types: Types) -> FoundAnswer:
    """Explain the loss of a search-intent type, without an LLM; raises StoreError, EncoderError."""
    snapshot, engine = question.snapshot, question.snapshot.core.engine
    rules = await snapshot.core.in_store(lambda library: library.rules())
    snapshot.check()
    query = (await snapshot.trial_query(question.text)).query
    lost = LostType(query, type_, typed(engine.detector, query, snapshot.settings), rules, engine.detector, snapshot)
    mine, theirs, held, spoken = lost.found.evidence(type_), lost.winner, lost.held_back, lost.spoken
    winner = spoken if spoken is not None and lost.stage is not None else theirs
    order = [one.type for one in lost.found.detection.ranking]
    learned, wanted = lost.found.detection.learned, snapshot.settings.search_intent
    vote = None if learned is None or spoken is None else learned.vote
    answer = WhyNot(
        question.text,
        question.expected,
        Task.TYPE,
        lost.stage,
        type_.value,
        winner_name=winner.type.value if winner else None,
        gaps=gaps(
            {"evidence": mine.evidence if mine else None},
            {"evidence": theirs.evidence if theirs else None},
            ("evidence",),  # it may be above 1
        ),
        expected_confidence=type_confidence(lost, type_),
        winner_confidence=type_confidence(lost, winner.type) if winner else None,
        expected_rank=order.index(type_) + 1 if type_ in order else None,
        notes=(Note.LLM_MAY_DIFFER,) if wanted.use_llm and engine.llm.client is not None else (),
        through=next((example.text for example in vote.grounds.backing), "") if vote else "",
        cues=_cues(mine) if spoken is None or lost.stage is not None else (),
        winner_cues=_cues(theirs),
        held_back=held[0].rule.id if held else "",
        policy=wanted.selection,
    )
    if lost.stage is None:
        return FoundAnswer(answer)
    voter = await _taught_voter(snapshot, types, Case(lost.text, (type_.value,), Task.TYPE))
    snapshot.check()
    return FoundAnswer(answer, drafts(lost, voter), lambda draft: lost.wins(draft.trial))


def _cues(evidence: TypeEvidence | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(hit.text for hit in evidence.hits)) if evidence else ()


async def _taught_voter(snapshot: TrialSnapshot, types: Types, case: Case) -> TypeVoter | None:
    """Return the voter of types trained with one more case.

    None without an encoder, with too many examples, or if examples do not decide.
    """
    encoder, wanted = snapshot.core.engine.encoder, snapshot.settings.search_intent
    if encoder is None or not wanted.enabled or not wanted.learned:
        return None
    others = [one for one in snapshot.cases[Task.TYPE] if one.text != case.text]
    examples = type_examples((*others, case), set(), types.trainer.shipped())
    if len(examples) > MOST_LEARNED:
        return None
    vectors = await types.trainer.vectors(examples, encoder)
    model = await types.trainer.fit(examples, *vectors, encoder)
    return None if model is None else voter_like(model, encoder)


# ---- changes


def drafts(lost: LostType, taught: TypeVoter | None = None) -> list[Draft]:
    """Return every change worth trying, untried."""
    chosen = lost.snapshot.settings.search_intent
    other = "priority" if chosen.selection == "evidence" else "evidence"
    settings = (
        ({"search_intent.enabled": "true"}, 1),
        ({"search_intent.require_topics": "false"}, 1),
        ({"search_intent.learned": "false"}, 4),
        ({"search_intent.selection": other}, 4),
    )
    drafted = [
        draft
        for pairs, size in settings
        for draft in settings_drafts(lost.snapshot, pairs, size=size, anyway=size == 1)
    ]
    if taught is not None:
        trial, act = Trial(lost.snapshot.settings, voter=taught), TeachType(lost.text, lost.expected)
        drafted.append(Draft("type.teach", act, trial, 2, anyway=True))
    return [*drafted, *_of_rules(lost)]


def _of_rules(lost: LostType) -> Iterator[Draft]:
    labels = frozenset({lost.expected.value, *(alias for alias, type_ in ALIASES.items() if type_ is lost.expected)})
    for rule in disabled_matching_rules(lost.rules, lost.text, labels, RulePurpose.SEARCH_INTENT):
        yield _rule(lost, "rule.enable", replace(rule, enabled=True), 1)
    for hit in lost.held_back:
        yield _rule(lost, "rule.unless", replace(hit.rule, unless=None), 3)
    if lost.stage is LostAt.SELECTION and lost.winner is not None:
        yield from _weighing(lost, lost.winner)
        for hit in lost.winner.hits:
            yield _rule(lost, "rule.disable", replace(hit.rule, enabled=False), 3, hit.text)
    yield from _adding(lost)


def _adding(lost: LostType) -> Iterator[Draft]:
    """Draft a rule for each cue of the query, with the lowest weight that wins."""
    won: set[str] = set()
    for cue, rule in new_rules(lost.rules, lost.text, lost.expected.value, RulePurpose.SEARCH_INTENT):
        draft = _rule(lost, "rule.add", rule, 2 + round(rule.weight) + (" " in cue), cue)
        if cue not in won and lost.wins(draft.trial):
            won.add(cue)
            yield draft


def _weighing(lost: LostType, winner: TypeEvidence) -> Iterator[Draft]:
    """Draft each matched rule of the expected type with a weight that wins."""
    if (mine := lost.found.evidence(lost.expected)) is None:
        return
    for hit in mine.hits:
        for more in (0.0, 0.01):  # on a tie the fixed order decides
            heavy = round_up(hit.rule.weight + winner.evidence - mine.evidence) + more
            draft = _rule(lost, "rule.weight", replace(hit.rule, weight=round(heavy, 2)), 2)
            if lost.wins(draft.trial):
                yield replace(draft, moved=(ValueChange("weight", f"{hit.rule.weight:.2f}", f"{heavy:.2f}"),))
                break


def _rule(lost: LostType, key: str, rule: Rule, size: int, text: str = "") -> Draft:
    trial = Trial(lost.snapshot.settings, rules=lost.detector.rules.with_rule(rule))
    return Draft(key, StoreRules((rule,)), trial, size, family=key, text=text)
