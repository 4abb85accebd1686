"""Rules in use: too broad ones, silent ones, and the effect of disabling one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from app.detect.keywords import picked
from app.detect.rules.rule_trial import Hits, RuleEffect, RuleMatchTable, Subject, counting, rule_effect_of
from app.domain.intent import intent_type

BROAD_SHARE = 0.25
"""The share of texts from which on a rule is too broad."""

BROAD_TEXTS = 40
"""The least number of texts for a share."""

JUDGED = 5
"""The least number of matched cases to judge whether a rule is mostly right."""

SILENT_QUERIES = 100
"""The least number of queries for a silent rule."""


@dataclass(frozen=True, slots=True)
class DisableEffect:
    """What switching a rule off does: how many cases turn right, turn wrong, and how many texts of any kind get another
    type without one or the other."""

    fixes: int
    breaks: int
    changes: int


@dataclass(frozen=True, slots=True)
class RuleUse:
    """A rule by id, the share of texts that it matches, and the effect of disabling it."""

    id: str
    share: float
    without: DisableEffect


@dataclass(frozen=True, slots=True)
class PastQueryMatches:
    """Past queries with the hits of every rule."""

    queries: tuple[tuple[Subject, Hits], ...] = ()

    def fired(self) -> Counter[str]:
        """The number of queries that each rule matches, without those held back."""
        return Counter(name for _, hits in self.queries for name, hit in hits.items() if not hit.held_back)


def past_query_matches(table: RuleMatchTable, texts: Iterable[str]) -> list[tuple[Subject, Hits]]:
    """The hits of the rules in these texts."""
    return [(Subject(text), table.match(text)) for text in texts]


def without(table: RuleMatchTable, past_matches: PastQueryMatches, rule: str, policy: str) -> DisableEffect:
    """The effect on all texts of disabling a rule."""
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
    """Rules that fire on BROAD_SHARE of all texts, past queries among them, unless most of the cases that they fire on
    are of their type; the broadest first."""
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
    """Rules that matched none of SILENT_QUERIES or more past queries, the least missed first."""
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
    """Whether most of the cases that a rule fires on are of its type."""
    type_ = intent_type(table.rules[name].label)
    rights = [
        type_ in subject.right
        for subject, hits in zip(table.subjects, table.hits, strict=True)
        if subject.right is not None and name in hits and not hits[name].held_back
    ]
    return len(rights) >= JUDGED and sum(rights) * 2 > len(rights)


def distinct(texts: Sequence[str | None]) -> list[str]:
    """The stored texts, each once."""
    return list(dict.fromkeys(text for text in texts if text))
