"""Use of rules: too broad ones, silent ones, and the effect of disabling one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from app.detect.keywords import picked
from app.detect.rules.rule_trial import Hits, RuleEffect, RuleMatchTable, Subject, counting, rule_effect_of
from app.domain.intent import intent_type

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
