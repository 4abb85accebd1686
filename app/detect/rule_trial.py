"""Trial of a rule on known texts: its matches, the answers that change with it, and its use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain

from app.detect.keywords import PRIORITY, CompiledRule, picked
from app.detect.patterns import PatternError
from app.domain.intent import IntentType, Rule, RuleHit, RulePurpose, intent_type


class RuleEffect(StrEnum):
    """Effect of a rule on a case, most severe first."""

    TURNS_WRONG = "turns wrong"
    TURNS_RIGHT = "turns right"
    CHANGES = "changes"
    STAYS_RIGHT = "stays right"
    STAYS_WRONG = "stays wrong"


@dataclass(frozen=True, slots=True)
class Subject:
    """Text that rules are tried on; `right` are its correct types, None if unlabelled."""

    text: str
    right: frozenset[str] | None = None

    def judges(self, answer: IntentType | None) -> bool:
        """Return whether an answer is right; without correct types, None is right."""
        assert self.right is not None, "nobody has said what would be right"
        return answer in self.right if self.right else answer is None


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """Case that a rule matches or changes: its hit, and the answers before and after."""

    subject: Subject
    hit: RuleHit | None
    before: IntentType | None
    after: IntentType | None
    rule_effect: RuleEffect


Hits = Mapping[str, RuleHit]
"""Hits in one text by rule id."""


@dataclass(slots=True)
class RuleMatches:
    """Matches of one rule in cases, other texts, and suppressed.

    `overtaken` counts, by id, rules of an earlier type that matched the same texts; `places` are its hits.
    """

    cases: int = 0
    others: int = 0
    held_back: int = 0
    overtaken: Counter[str] = field(default_factory=Counter)
    hidden: int = 0
    places: set[tuple[int, tuple[int, int]]] = field(default_factory=set)


class RuleMatchTable:
    """Texts with the hits of every rule, to try changes of one rule without matching the others.

    An invalid rule matches nothing.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = {rule.id: rule for rule in rules}
        self.subjects: list[Subject] = []
        self.hits: list[Hits] = []
        self.finds: dict[str, RuleMatches] = {rule.id: RuleMatches() for rule in rules}
        self._compiled = [made for rule in rules if (made := compiled(rule))]
        self.broken = self.rules.keys() - {made.rule.id for made in self._compiled}

    def match(self, text: str) -> dict[str, RuleHit]:
        """Return the hits of every rule in a text, including disabled ones."""
        return {made.rule.id: hit for made in self._compiled if (hit := made.find(text))}

    def add(self, subjects: Iterable[Subject]) -> None:
        for subject in subjects:
            hits = self.match(subject.text)
            self._count(len(self.subjects), subject, hits)
            self.subjects.append(subject)
            self.hits.append(hits)

    def counts(self, hits: Hits, but: str = "", draft: RuleHit | None = None) -> list[tuple[IntentType, RuleHit]]:
        """Return the counted hits of enabled rules, without the rule `but`, with the draft's hit."""
        kept = [hit for name, hit in hits.items() if name != but]
        if draft is not None:
            kept.append(draft)
        return [(type_, hit) for hit in kept if (type_ := counting(hit.rule)) is not None]

    def outcome(self, place: int, policy: str, but: str, draft: CompiledRule, *, base: bool) -> RuleOutcome | None:
        """Return the effect on one text of replacing the rule `but` by a draft; None if unaffected.

        With `base` the answer before is that of the present rules, else that without the rule `but`.
        """
        subject, hits = self.subjects[place], self.hits[place]
        hit = draft.find(subject.text)
        if hit is None and but not in hits:
            return None
        before = picked(subject.text, self.counts(hits, "" if base else but), policy)
        after = picked(subject.text, self.counts(hits, but, hit), policy)
        if hit is None and before == after:
            return None
        return RuleOutcome(subject, hit, before, after, rule_effect_of(subject, before, after))

    def _count(self, place: int, subject: Subject, hits: Hits) -> None:
        types = {name: counting(self.rules[name]) for name in hits}
        for name, hit in hits.items():
            finds = self.finds[name]
            if hit.held_back:
                finds.held_back += 1
                continue
            finds.places.add((place, hit.span))
            if subject.right is None:
                finds.others += 1
            else:
                finds.cases += 1
            own = types[name]
            earlier = [
                other
                for other, type_ in types.items()
                if own is not None and type_ is not None and not hits[other].held_back and _is_earlier(type_, own)
            ]
            finds.overtaken.update(earlier)
            finds.hidden += bool(earlier)


def counting(rule: Rule) -> IntentType | None:
    """Return the type that a rule votes for; None if it takes no part in detection."""
    if not rule.enabled or rule.purpose is not RulePurpose.SEARCH_INTENT:
        return None
    return intent_type(rule.label)


def _is_earlier(type_: IntentType, own: IntentType) -> bool:
    return PRIORITY.index(type_) < PRIORITY.index(own)


def rule_effect_of(subject: Subject, before: IntentType | None, after: IntentType | None) -> RuleEffect:
    """Return the effect, given the answers before and after."""
    if subject.right is None:
        return RuleEffect.CHANGES if before != after else RuleEffect.STAYS_RIGHT
    was, is_ = subject.judges(before), subject.judges(after)
    if was != is_:
        return RuleEffect.TURNS_RIGHT if is_ else RuleEffect.TURNS_WRONG
    if before != after:
        return RuleEffect.CHANGES
    return RuleEffect.STAYS_RIGHT if is_ else RuleEffect.STAYS_WRONG


def compiled(rule: Rule) -> CompiledRule | None:
    """Compile a rule; None if one of its patterns is invalid."""
    try:
        return CompiledRule.of(rule)
    except PatternError:
        return None


# ---- Health


class RuleIssue(StrEnum):
    BROKEN = "broken"
    DUPLICATE = "duplicate"
    SHADOWED = "shadowed"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class RuleHint:
    """Issue of a rule, and the other rule involved, if any."""

    issue: RuleIssue
    other: str = ""


_ALIKE_FROM = 2
"""Minimum number of equal matches for a duplicate: fewer may be chance."""


ENOUGH = 20
"""Minimum number of texts for "matches none"."""


def health(table: RuleMatchTable) -> dict[str, tuple[RuleHint, ...]]:
    """Return the hints on each rule by id; rules without hints are left out."""
    twins = _twins(table)
    found = {}
    for name, rule in table.rules.items():
        finds, hints = table.finds[name], []
        if name in table.broken:
            hints.append(RuleHint(RuleIssue.BROKEN))
        if name in twins:
            hints.append(RuleHint(RuleIssue.DUPLICATE, twins[name]))
        matched = finds.cases + finds.others
        if matched and finds.hidden == matched and counting(rule) is not None:
            hints.append(RuleHint(RuleIssue.SHADOWED, finds.overtaken.most_common(1)[0][0]))
        if len(table.subjects) >= ENOUGH and not matched and not hints:
            hints.append(RuleHint(RuleIssue.NEVER))
        if hints:
            found[name] = tuple(hints)
    return found


def _twins(table: RuleMatchTable) -> dict[str, str]:
    """Find rules that duplicate an earlier one: same pattern, or same matches and label."""
    twins: dict[str, str] = {}
    first_with: dict[object, str] = {}
    for name, rule in table.rules.items():
        label = intent_type(rule.label) or rule.label
        places = frozenset(table.finds[name].places)
        keys: list[object] = [(rule.purpose, label, rule.pattern.strip().lower(), rule.unless)]
        if len(places) >= _ALIKE_FROM:
            keys.append((rule.purpose, label, places))
        for key in keys:
            if (first := first_with.setdefault(key, name)) != name:
                twins.setdefault(name, first)
    return twins


# ---- Use of rules: too broad ones, silent ones, and the effect of disabling one.


BROAD_SHARE = 0.25
"""Share of texts from which on a rule is too broad."""

BROAD_TEXTS = 40
"""Minimum number of texts for a share."""

JUDGED = 5
"""Minimum number of matched cases to judge whether a rule is mostly right."""

SILENT_QUERIES = 100
"""Minimum number of queries for a silent rule."""


@dataclass(frozen=True, slots=True)
class DisableEffect:
    """Effect of disabling a rule: cases that become right or wrong, and other changed texts."""

    fixes: int
    breaks: int
    changes: int


@dataclass(frozen=True, slots=True)
class RuleUse:
    """Rule by id, the share of texts that it matches, and the effect of disabling it."""

    id: str
    share: float
    without: DisableEffect


@dataclass(frozen=True, slots=True)
class PastQueryMatches:
    """Past queries with the hits of every rule."""

    queries: tuple[tuple[Subject, Hits], ...] = ()

    def fired(self) -> Counter[str]:
        """Count the queries that each rule matches, without suppressed hits."""
        return Counter(name for _, hits in self.queries for name, hit in hits.items() if not hit.held_back)


def past_query_matches(table: RuleMatchTable, texts: Iterable[str]) -> list[tuple[Subject, Hits]]:
    return [(Subject(text), table.match(text)) for text in texts]


def without(table: RuleMatchTable, past_matches: PastQueryMatches, rule: str, policy: str) -> DisableEffect:
    """Compute the effect on all texts of disabling a rule."""
    rule_effects: Counter[RuleEffect] = Counter()
    for subject, hits in chain(zip(table.subjects, table.hits, strict=True), past_matches.queries):
        if rule not in hits:
            continue
        before = picked(subject.text, table.counts(hits), policy)
        after = picked(subject.text, table.counts(hits, rule), policy)
        rule_effects[rule_effect_of(subject, before, after)] += 1
    return DisableEffect(
        rule_effects[RuleEffect.TURNS_RIGHT], rule_effects[RuleEffect.TURNS_WRONG], rule_effects[RuleEffect.CHANGES]
    )


def broad_rules(table: RuleMatchTable, past_matches: PastQueryMatches, policy: str) -> list[RuleUse]:
    """Return rules that match BROAD_SHARE of all texts, unless mostly right; broadest first."""
    whole, fired = len(table.subjects) + len(past_matches.queries), past_matches.fired()
    if whole < BROAD_TEXTS:
        return []
    found = []
    for name, finds in table.finds.items():
        share = (finds.cases + finds.others + fired[name]) / whole
        if share >= BROAD_SHARE and counting(table.rules[name]) is not None and not _is_mostly_right(table, name):
            found.append(RuleUse(name, share, without(table, past_matches, name, policy)))
    return sorted(found, key=lambda one: (-one.share, one.id))


def silent_rules(table: RuleMatchTable, past_matches: PastQueryMatches, policy: str) -> list[RuleUse]:
    """Return rules that matched none of SILENT_QUERIES past queries, least needed first."""
    if len(past_matches.queries) < SILENT_QUERIES:
        return []
    fired = past_matches.fired()
    found = [
        RuleUse(name, 0.0, without(table, past_matches, name, policy))
        for name, rule in table.rules.items()
        if name not in table.broken and not fired[name] and counting(rule) is not None
    ]
    return sorted(found, key=lambda one: (one.without.breaks, one.id))


def _is_mostly_right(table: RuleMatchTable, name: str) -> bool:
    """Return whether most of the cases that a rule matches are of its type."""
    type_ = intent_type(table.rules[name].label)
    rights = [
        type_ in subject.right
        for subject, hits in zip(table.subjects, table.hits, strict=True)
        if subject.right is not None and name in hits and not hits[name].held_back
    ]
    return len(rights) >= JUDGED and sum(rights) * 2 > len(rights)


def distinct(texts: Sequence[str | None]) -> list[str]:
    """Return the texts without duplicates and missing ones."""
    return list(dict.fromkeys(text for text in texts if text))
