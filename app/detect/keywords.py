"""The floor: keyword rules matched in a text, the selected type, and its confidence (S3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from app.detect.patterns import Pattern, PatternError
from app.detect.topics import topics
from app.domain.inspection import WEIGHS_CLAUSES, ClauseType, Detection, TypeEvidence
from app.domain.intent import DetectionSource, IntentType, Rule, RuleHit, RulePurpose, SearchIntent, intent_type
from app.domain.match import Operand, Step
from app.scoring.arithmetic import step
from app.scoring.text import tokens

FILLERS = r"(?:(?:please|just|even|ever|really|actually|try\s+to|bother\s+to)\s+)*"

NEGATED = re.compile(
    r"(?:"
    # An imperative at the start of a clause, without a subject.
    r"(?:^|[.,;:!?()]|\b(?:please|but|and|or|so|then|just|to))\s*(?:do\s+not|don['’]?t|never|not)\s+" + FILLERS + r"|"
    # A negated wish, with any subject.
    r"\b(?:do\s+not|don['’]?t|does\s+not|doesn['’]?t|never|no\s+longer)\s+(?:want|need|have|wish|mean|like)"
    r"(?:\s+(?:you|me|us))?\s+to\s+" + FILLERS + r"|"
    r"\b(?:no\s+need\s+to|instead\s+of|rather\s+than|without|not\s+asking(?:\s+you)?(?:\s+to)?)\s+" + FILLERS + r")$",
    re.IGNORECASE,
)
"""Negations right before a cue. "I don't find it" and "not working" negate nothing."""

LOOKED_BACK = 60
"""Number of characters checked before a cue."""

MOST_CLAUSES = 16

_BOUNDARY = re.compile(
    r"[.;!?\n]+\s*|(?<!\s),?\s+(?:and\s+then|and\s+also|and|then|but|also)\s+|,\s+(?=just\b)", re.IGNORECASE
)

_END = re.compile(r"[.,:;!?\n]|\s(?:and|then|but)\s", re.IGNORECASE)

Span = tuple[int, int]


def is_negated(text: str, start: int) -> bool:
    """Return whether the cue at this place is negated."""
    return NEGATED.search(text, max(0, start - LOOKED_BACK), start) is not None


def all_negated(text: str, hits: Sequence[tuple[IntentType, RuleHit]]) -> Sequence[tuple[IntentType, RuleHit]]:
    """Mark hits as negated that occur only after a negated one in the same clause.

    In "do not fix the error", the error is not the subject of the query.
    """
    scopes = [(hit.span[0], _end_of_scope(text, hit.span[1])) for _, hit in hits if hit.negated]
    if not scopes:
        return hits
    return [(type_, replace(hit, negated=hit.negated or _is_within(hit, scopes))) for type_, hit in hits]


def _is_within(hit: RuleHit, scopes: Sequence[Span]) -> bool:
    return all(any(_is_inside(span, scope) for scope in scopes) for span in hit.spans)


def _end_of_scope(text: str, start: int) -> int:
    found = _END.search(text, start)
    return len(text) if found is None else found.start()


def clause_types(text: str, hits: Iterable[tuple[IntentType, RuleHit]]) -> tuple[ClauseType, ...]:
    """Return each type with a clause of its own, by evidence; empty if all clauses agree.

    A clause without a cue continues the previous one; a negated clause has no type.
    """
    every = [(type_, hit) for type_, hit in hits if not hit.held_back]
    if len({type_ for type_, _ in every}) < 2:
        return ()
    found: list[ClauseType] = []
    for span in _clauses(text):
        if any(hit.negated and _is_inside(hit.span, span) for _, hit in every):
            continue
        strongest = _strongest_type(every, span)
        if strongest is None:
            found[-1:] = [replace(last, span=(last.span[0], span[1])) for last in found[-1:]]
        elif found and found[-1].type is strongest[0]:
            last = found[-1]
            found[-1] = ClauseType(last.type, (last.span[0], span[1]), last.evidence + strongest[1])
        else:
            found.append(ClauseType(strongest[0], span, strongest[1]))
    several = len({one.type for one in found}) > 1
    return tuple(sorted(found, key=lambda one: (-one.evidence, one.span))) if several else ()


def _strongest_type(hits: Iterable[tuple[IntentType, RuleHit]], clause: Span) -> tuple[IntentType, float] | None:
    """Return the type with the most evidence in a clause; ties go to the first cue.

    A cue counted in an earlier clause has only its rule's weight, without the opening bonus.
    """
    evidence: dict[IntentType, float] = {}
    for type_, hit in hits:
        if _is_inside(hit.span, clause) and not hit.negated:
            evidence[type_] = evidence.get(type_, 0.0) + hit.evidence
        elif any(_is_inside(span, clause) for span in hit.further):
            evidence[type_] = evidence.get(type_, 0.0) + hit.rule.weight
    return max(evidence.items(), key=lambda one: one[1], default=None)


def _is_inside(span: Span, clause: Span) -> bool:
    return clause[0] <= span[0] and span[1] <= clause[1]


def _clauses(text: str) -> Iterator[Span]:
    """Yield the spans of the clauses without separators; those beyond MOST_CLAUSES are one."""
    start = 0
    for count, boundary in enumerate(_BOUNDARY.finditer(text), 1):
        if count == MOST_CLAUSES:
            break
        if text[start : boundary.start()].strip():
            yield start, boundary.start()
            start = boundary.end()
    if text[start:].strip():
        yield start, len(text)


OPENING = 1.0
"""Evidence for a cue that opens the text."""

FURTHER_WORD, MOST_FURTHER_WORDS = 0.25, 3
"""Evidence for each of a few words beyond a cue's first: longer cues are more specific."""

BASE = 0.5
PER_MATCH, MOST_FOR_MATCHES = 0.05, 0.15
BONUS = 0.1
LONG_TEXT = 50
"""Bonus of 000: 0.5, plus 0.05 per cue up to 0.15, plus 0.1 each for three features.

The features are a long text, several sentences and a question. The maximum is its cap of 0.95.
"""

MOST_PLACES = 8
"""Maximum number of marked spans of one cue."""

MOST_DETECTED = 1_024
"""Maximum number of cached detections; an evaluation detects each query several times."""

PRIORITY: tuple[IntentType, ...] = tuple(IntentType)
"""Fixed order of 000, which is the declaration order of the types."""


Found = Sequence[tuple[IntentType, RuleHit]]
"""Hits in one text, each with the type of its rule."""


@dataclass(frozen=True, slots=True)
class CompiledRule:
    rule: Rule
    pattern: Pattern
    unless: Pattern | None

    @classmethod
    def of(cls, rule: Rule) -> CompiledRule:
        """Compile a rule; raises PatternError if one of its patterns is invalid."""
        unless = None if rule.unless is None else Pattern(rule.unless)
        return cls(rule, Pattern(rule.pattern), unless)

    def find(self, text: str) -> RuleHit | None:
        """Find the rule's cue, the first one not negated if possible; None without a match."""
        spans = list(self._places(text))
        if not spans:
            return None
        span = next((one for one in spans if not is_negated(text, one[0])), None)
        first = span or spans[0]
        held_back = self.unless is not None and self.unless.find(text) is not None
        evidence, further = _evidence(self.rule, text, first), tuple(one for one in spans if one is not first)
        return RuleHit(self.rule, first, text[slice(*first)], evidence, held_back, span is None, further)

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the first MOST_PLACES spans of the cue."""
        span = self.pattern.find(text)
        for _ in range(MOST_PLACES):
            if span is None:
                return
            yield span
            span = self.pattern.find(text, max(span[1], span[0] + 1))


class KeywordRules:
    """Enabled search-intent rules, compiled; invalid ones are skipped and named in `problems`."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules: list[tuple[IntentType, CompiledRule]] = []
        self.problems: list[str] = []
        rules = sorted(rules, key=lambda rule: (rule.pack, rule.position))
        self.of_routes = tuple(rule for rule in rules if rule.purpose is RulePurpose.ROUTE)
        """Rules whose labels are routes; they take no part in detection."""
        self.digest = hash(tuple(rule for rule in rules if rule.enabled))
        """Hash of the enabled rules; valid in this process only."""
        self._detected = lru_cache(MOST_DETECTED)(self._detect)
        for rule in rules:
            if rule.enabled and rule.purpose is RulePurpose.SEARCH_INTENT:
                self._add(rule)

    def _add(self, rule: Rule) -> None:
        type_ = intent_type(rule.label)
        if type_ is None:
            why = f"“{rule.label}” is not one of the six types."
            self.problems.append(f"Rule {rule.id} is left out: {why}")
            return
        try:
            self._rules.append((type_, CompiledRule.of(rule)))
        except PatternError as error:
            self.problems.append(f"Rule {rule.id} is left out: {error}")

    def __len__(self) -> int:
        return len(self._rules)

    @property
    def of_types(self) -> tuple[Rule, ...]:
        return tuple(own.rule for _, own in self._rules)

    def with_rule(self, rule: Rule) -> KeywordRules:
        """Return the rules with one replaced by id, or added; the others stay compiled."""
        other = KeywordRules((rule,))
        other._rules[:0] = [(type_, own) for type_, own in self._rules if own.rule.id != rule.id]
        if rule.purpose is RulePurpose.ROUTE or any(own.id == rule.id for own in self.of_routes):
            kept = (own for own in self.of_routes if own.id != rule.id)
            other.of_routes = tuple(sorted((*kept, *other.of_routes), key=lambda own: (own.pack, own.position)))
        else:
            other.of_routes = self.of_routes
        return other

    def detect(self, text: str, policy: str) -> Detection:
        """Detect every matched type, and pick one by the policy (a key of POLICIES), or none."""
        return self._detected(text, policy)

    def _detect(self, text: str, policy: str) -> Detection:
        return decide(text, [(type_, hit) for type_, rule in self._rules if (hit := rule.find(text))], policy)


def decide(text: str, found: Found, policy: str) -> Detection:
    """Detect by a policy from all hits in a text."""
    found = all_negated(text, found)
    hits = tuple(sorted((hit for _, hit in found), key=lambda hit: hit.span))
    rankings = {name: tuple(order(_matched(found, name))) for name, order in POLICIES.items()}
    by_policy = {name: ranking[0].type if ranking else None for name, ranking in rankings.items()}
    ranking = rankings[policy]
    if not ranking:
        return Detection(None, policy, hits, (), by_policy)
    steps = confidence_steps(text, ranking[0].hits)
    intent = SearchIntent(
        ranking[0].type,
        steps[-1].result,
        DetectionSource.KEYWORD,
        tuple(hit.text for hit in ranking[0].hits),
        topics(text),
        tuple((one.type, confidence_steps(text, one.hits)[-1].result) for one in ranking[1:]),
    )
    types = clause_types(text, found) if policy in WEIGHS_CLAUSES else ()
    return Detection(intent, policy, hits, ranking, by_policy, steps, clause_types=types)


def picked(text: str, found: Found, policy: str) -> IntentType | None:
    """Return the type that the policy picks from the hits; None if none counts."""
    ranking = POLICIES[policy](_matched(all_negated(text, found), policy))
    return ranking[0].type if ranking else None


def _matched(found: Found, policy: str) -> list[TypeEvidence]:
    """Group the counted hits by type; negated ones count under policies that ignore negation."""
    by_type: dict[IntentType, list[RuleHit]] = {}
    for type_, hit in found:
        if not hit.held_back and not (hit.negated and policy in WEIGHS_CLAUSES):
            by_type.setdefault(type_, []).append(hit)
    return [TypeEvidence(type_, sum(h.evidence for h in own), tuple(own)) for type_, own in by_type.items()]


def _evidence(rule: Rule, text: str, span: tuple[int, int]) -> float:
    opens = not any(c.isalnum() for c in text[: span[0]])
    further = min(MOST_FURTHER_WORDS, len(tokens(text[slice(*span)])) - 1)
    return rule.weight + OPENING * opens + FURTHER_WORD * further


POLICIES: Mapping[str, Callable[[Sequence[TypeEvidence]], list[TypeEvidence]]] = {
    "evidence": lambda matched: sorted(matched, key=lambda one: (-one.evidence, PRIORITY.index(one.type))),
    "priority": lambda matched: sorted(matched, key=lambda one: PRIORITY.index(one.type)),
}
"""Policies to select one of several matched types (S3.3); `priority` is 000's."""


def confidence_steps(text: str, hits: Sequence[RuleHit]) -> tuple[Step, ...]:
    """Compute the steps of the floor's confidence (S3.5), the last step's result."""
    own = [Operand(hit.rule.id, hit.rule.confidence) for hit in hits if hit.rule.confidence is not None]
    if own:
        return (step("own confidence", "max", own),)
    steps: list[Step] = []
    cues = Operand("cues", float(len(hits)), PER_MATCH)
    if PER_MATCH * len(hits) >= MOST_FOR_MATCHES:
        steps.append(step("cues", "min", [Operand("cues", PER_MATCH * len(hits)), Operand("most", MOST_FOR_MATCHES)]))
        cues = Operand("cues", steps[-1].result)
    operands = [Operand("base", BASE), cues]
    if len(text) > LONG_TEXT:
        operands.append(Operand("longer than 50 characters", BONUS))
    if sum(text.count(mark) for mark in ".?!") > 1:
        operands.append(Operand("several sentence marks", BONUS))
    if "?" in text:
        operands.append(Operand("question mark", BONUS))
    return (*steps, step("floor", "sum", operands))
