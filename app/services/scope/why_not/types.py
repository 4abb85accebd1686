"""Explanation of an expected search-intent type that was not detected, and changes (S3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.detect.keywords import confidence_steps
from app.detect.merge import Ceiling, merge
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
from app.domain.scope.inspection import Detection, TypeEvidence
from app.domain.scope.why_not import LostAt, ScorerGap, StoreRules, TeachType, TypeStanding, ValueChange
from app.scoring.text import ScoredText
from app.services.engine.embedding import QueryVector
from app.services.engine.example_voters import TypeDetector, TypeVoter
from app.services.scope.why_not.question import (
    Draft,
    SettingsUnder,
    Trial,
    disabled_matching_rules,
    new_rules,
    round_up,
    settings_draft,
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
    detection = detector.detect(query.text, QueryVector.of(query), wanted)
    return Typed(detection, merge(detection.floor, Ceiling(LlmOutcome.OFF), wanted).intent)


@dataclass(frozen=True, slots=True)
class LostType:
    """A query with the expected type; `rules` are all stored rules."""

    query: ScoredText
    expected: IntentType
    found: Typed
    rules: Sequence[Rule]
    detector: TypeDetector
    settings: Settings
    under: SettingsUnder

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


def gaps(lost: LostType) -> tuple[ScorerGap, ...]:
    """Return the evidence for both types; it may be above 1."""
    mine, theirs = lost.found.evidence(lost.expected), lost.winner
    own = ScorerGap("evidence", mine.evidence if mine else None, theirs.evidence if theirs else None)
    return () if own.expected is None and own.winner is None else (own,)


def standing(lost: LostType) -> TypeStanding:
    """Return the evidence found for the expected type and for the picked one."""
    mine, theirs, held = lost.found.evidence(lost.expected), lost.winner, lost.held_back
    learned = lost.found.detection.learned
    vote = None if learned is None else learned.vote
    nearest = vote.grounds.backing[:1] if vote is not None else ()
    return TypeStanding(
        lost.expected.value,
        _cues(mine.hits) if mine is not None else (),
        _cues(theirs.hits) if theirs is not None else (),
        held[0].rule.id if held else "",
        lost.settings.search_intent.selection,
        nearest[0].text if nearest and lost.spoken is not None else "",
    )


def _cues(hits: Sequence[RuleHit]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(hit.text for hit in hits))


def type_confidence(lost: LostType, type_: IntentType) -> float | None:
    """Return the confidence of the examples or matched rules in a type; None without a match."""
    if lost.spoken is not None and lost.spoken.type is type_:
        return lost.spoken.confidence
    own = lost.found.evidence(type_)
    return None if own is None else confidence_steps(lost.text, own.hits)[-1].result


# ---- changes


def drafts(lost: LostType, taught: TypeVoter | None = None) -> list[Draft]:
    """Return every change worth trying, untried."""
    chosen = lost.settings.search_intent
    other = "priority" if chosen.selection == "evidence" else "evidence"
    settings = (
        ({"search_intent.enabled": "true"}, 1),
        ({"search_intent.require_topics": "false"}, 1),
        ({"search_intent.learned": "false"}, 4),
        ({"search_intent.selection": other}, 4),
    )
    found = [settings_draft(lost.under, lost.settings, pairs, size=size, anyway=size == 1) for pairs, size in settings]
    drafted = [draft for draft in found if draft is not None]
    if taught is not None:
        trial, act = Trial(lost.settings, voter=taught), TeachType(lost.text, lost.expected)
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
    mine = lost.found.evidence(lost.expected)
    for hit in mine.hits if mine is not None else ():
        assert mine is not None, "its hits are looked at"
        for more in (0.0, 0.01):  # on a tie the fixed order decides
            heavy = round_up(hit.rule.weight + winner.evidence - mine.evidence) + more
            draft = _rule(lost, "rule.weight", replace(hit.rule, weight=round(heavy, 2)), 2)
            if lost.wins(draft.trial):
                yield replace(draft, moved=(ValueChange("weight", f"{hit.rule.weight:.2f}", f"{heavy:.2f}"),))
                break


def _rule(lost: LostType, key: str, rule: Rule, size: int, text: str = "") -> Draft:
    trial = Trial(lost.settings, rules=lost.detector.rules.with_rule(rule))
    return Draft(key, StoreRules((rule,)), trial, size, family=key, text=text)
