"""Why a search-intent type was not the one that was detected, and what would make it (S3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.detect.keywords import KeywordRules, confidence_steps
from app.detect.merge import Ceiling, merge
from app.domain.inspection import Detection, TypeEvidence
from app.domain.intent import ALIASES, IntentType, SearchIntent, intent_type
from app.domain.llm import LlmOutcome
from app.domain.query import Query
from app.domain.rule import Rule, RuleHit, RulePurpose
from app.domain.why_not import LostAt, ScorerGap, StoreRules
from app.services.why_not.drafts import Draft, SettingsUnder, Trial, number, settings_draft, up
from app.services.why_not.rules import asleep, new_rules
from app.settings import Settings

LLM_NOT_ASKED = "The LLM is not asked here; where it answers in time it may decide otherwise."


@dataclass(frozen=True, slots=True)
class Typed:
    """What the keyword rules make of a query under some settings, and the intent that is left of it."""

    detection: Detection
    intent: SearchIntent | None

    def evidence(self, type_: IntentType) -> TypeEvidence | None:
        return next((one for one in self.detection.ranking if one.type is type_), None)


def typed(rules: KeywordRules, text: str, settings: Settings) -> Typed:
    """The detection without an LLM."""
    wanted = settings.search_intent
    detection = Detection(None, wanted.selection, enabled=False)
    if wanted.enabled:
        detection = rules.detect(Query.of(text).scored, wanted.selection)
    return Typed(detection, merge(detection.intent, Ceiling(LlmOutcome.OFF), wanted).intent)


@dataclass(frozen=True, slots=True)
class LostType:
    """A query with the type that was expected; `rules` are all that are stored."""

    text: str
    expected: IntentType
    found: Typed
    rules: Sequence[Rule]
    compiled: KeywordRules
    settings: Settings
    under: SettingsUnder

    @property
    def stage(self) -> LostAt | None:
        """What loses the type; None where it is the one detected."""
        found, picked = self.found, self.found.detection.intent
        if not found.detection.enabled:
            return LostAt.SWITCHED_OFF
        if found.evidence(self.expected) is None:
            return LostAt.NO_RULE
        if picked is not None and picked.type is not self.expected:
            return LostAt.SELECTION
        return None if found.intent is not None else LostAt.TOPICS

    @property
    def winner(self) -> TypeEvidence | None:
        """The type that was picked, or where the expected one was, the next."""
        others = [one for one in self.found.detection.ranking if one.type is not self.expected]
        return others[0] if others else None

    @property
    def held_back(self) -> list[RuleHit]:
        return [
            hit for hit in self.found.detection.hits if hit.held_back and intent_type(hit.rule.label) is self.expected
        ]

    def wins(self, trial: Trial) -> bool:
        intent = typed(trial.rules or self.compiled, self.text, trial.settings).intent
        return intent is not None and intent.type is self.expected


def gaps(lost: LostType) -> tuple[ScorerGap, ...]:
    """The evidence of both types; it may be above 1."""
    mine, theirs = lost.found.evidence(lost.expected), lost.winner
    own = ScorerGap("evidence", mine.evidence if mine else None, theirs.evidence if theirs else None)
    return () if own.expected is None and own.winner is None else (own,)


def sentence(lost: LostType) -> str:
    """Where the type was lost."""
    name, winner = lost.expected.value, lost.winner
    picked = f"“{winner.type.value}” by {_cues(winner.hits)}" if winner is not None else "nothing"
    match lost.stage:
        case None:
            mine = lost.found.evidence(lost.expected)
            assert mine is not None, "what was detected has evidence"
            return f"“{name}” is the type, by {_cues(mine.hits)}."
        case LostAt.SWITCHED_OFF:
            return "No search intent is detected at all: search_intent.enabled is off."
        case LostAt.NO_RULE if lost.held_back:
            return f"The rule “{lost.held_back[0].rule.id}” is held back by its “unless”; detected is {picked}."
        case LostAt.NO_RULE:
            return f"No rule for “{name}” matches this query; detected is {picked}."
        case LostAt.TOPICS:
            return "The query holds no topic, and search_intent.require_topics wants one."
        case _:
            return _outweighed(lost, picked)


def _outweighed(lost: LostType, picked: str) -> str:
    mine, theirs, policy = lost.found.evidence(lost.expected), lost.winner, lost.settings.search_intent.selection
    assert mine is not None, "it has matched"
    assert theirs is not None, "so has the one that was picked"
    said = f"Rules for “{lost.expected.value}” match ({_cues(mine.hits)}), but {policy} picks {picked}"
    if policy == "priority":
        return f"{said}, which comes first in the fixed order."
    return f"{said}: {number(theirs.evidence)} against {number(mine.evidence)}."


def _cues(hits: Sequence[RuleHit]) -> str:
    return ", ".join(dict.fromkeys(f"“{hit.text}”" for hit in hits))


def type_confidence(lost: LostType, type_: IntentType) -> float | None:
    """How sure the matched rules of a type are of it; None where none matched."""
    own = lost.found.evidence(type_)
    return None if own is None else confidence_steps(lost.text, own.hits)[-1].result


# ---- changes


def drafts(lost: LostType) -> list[Draft]:
    """Every change that is worth trying, none of them tried yet."""
    chosen = lost.settings.search_intent
    other = "priority" if chosen.selection == "evidence" else "evidence"
    settings = (
        ({"search_intent.enabled": "true"}, 1),
        ({"search_intent.require_topics": "false"}, 1),
        ({"search_intent.selection": other}, 4),
    )
    found = [settings_draft(lost.under, lost.settings, pairs, size=size, anyway=size == 1) for pairs, size in settings]
    return [*(draft for draft in found if draft is not None), *_of_rules(lost)]


def _of_rules(lost: LostType) -> Iterator[Draft]:
    labels = frozenset({lost.expected.value, *(alias for alias, type_ in ALIASES.items() if type_ is lost.expected)})
    for rule in asleep(lost.rules, lost.text, labels, RulePurpose.SEARCH_INTENT):
        yield _rule(lost, "rule.enable", f"Switch on the rule “{rule.id}”", replace(rule, enabled=True), 1)
    for hit in lost.held_back:
        what = f"Let nothing hold back the rule “{hit.rule.id}”"
        yield _rule(lost, "rule.unless", what, replace(hit.rule, unless=None), 3)
    if lost.stage is LostAt.SELECTION and lost.winner is not None:
        yield from _weighing(lost, lost.winner)
        for hit in lost.winner.hits:
            what = f"Switch off the rule “{hit.rule.id}”, which found “{hit.text}”"
            yield _rule(lost, "rule.disable", what, replace(hit.rule, enabled=False), 3)
    yield from _adding(lost)


def _adding(lost: LostType) -> Iterator[Draft]:
    """A rule for each cue of the query, no heavier than it must be."""
    won: set[str] = set()
    for cue, rule in new_rules(lost.rules, lost.text, lost.expected.value, RulePurpose.SEARCH_INTENT):
        weighs = "" if rule.weight == 1.0 else f", of weight {rule.weight:g}"
        what = f"Add a rule for “{lost.expected.value}” that finds “{cue}”{weighs}"
        draft = _rule(lost, "rule.add", what, rule, 2 + round(rule.weight) + (" " in cue))
        if cue not in won and lost.wins(draft.trial):
            won.add(cue)
            yield draft


def _weighing(lost: LostType, winner: TypeEvidence) -> Iterator[Draft]:
    """The matched rules of the expected type, each so heavy that the sum is enough."""
    mine = lost.found.evidence(lost.expected)
    for hit in mine.hits if mine is not None else ():
        assert mine is not None, "its hits are looked at"
        for more in (0.0, 0.01):  # where both are equal the fixed order decides
            heavy = up(hit.rule.weight + winner.evidence - mine.evidence) + more
            what = f"Let the rule “{hit.rule.id}” weigh {heavy:.2f} instead of {hit.rule.weight:.2f}"
            draft = _rule(lost, "rule.weight", what, replace(hit.rule, weight=round(heavy, 2)), 2)
            if lost.wins(draft.trial):
                yield replace(draft, before=f"{hit.rule.weight:.2f}", after=f"{heavy:.2f}")
                break


def _rule(lost: LostType, key: str, what: str, rule: Rule, size: int) -> Draft:
    trial = Trial(lost.settings, rules=lost.compiled.with_rule(rule))
    return Draft(key, what, StoreRules((rule,)), trial, size, family=key)
