"""How rules do in use: which fire on far too much, which never fire on what is asked, and what it does to drop one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from app.detect.keywords import picked
from app.detect.rules.rule_trial import Hits, RuleEffect, RuleMatchTable, Subject, counting, rule_effect_of
from app.domain.intent import intent_type

BROAD_SHARE = 0.25
"""A rule that fires on so large a share of all texts says little of any."""

BROAD_TEXTS = 40
"""Of fewer texts a share says nothing."""

JUDGED = 5
"""So many cases that a rule fires on tell whether it mostly fires rightly."""

SILENT_QUERIES = 100
"""After so many queries it is worth saying that a rule fired on none."""


@dataclass(frozen=True, slots=True)
class DisableEffect:
    """What switching a rule off does: how many cases turn right, turn wrong, and how many texts of any kind get another
    type without one or the other."""

    fixes: int
    breaks: int
    changes: int


@dataclass(frozen=True, slots=True)
class RuleUse:
    """A rule by its id, the share of the texts on which it fires, and what becomes of them without it."""

    id: str
    share: float
    without: DisableEffect


@dataclass(frozen=True, slots=True)
class PastQueryMatches:
    """Past queries with what each rule found in them."""

    queries: tuple[tuple[Subject, Hits], ...] = ()

    def fired(self) -> Counter[str]:
        """On how many of them each rule fires, those that are held back left out."""
        return Counter(name for _, hits in self.queries for name, hit in hits.items() if not hit.held_back)


def past_query_matches(ground: RuleMatchTable, texts: Iterable[str]) -> list[tuple[Subject, Hits]]:
    """What the rules find in these texts."""
    return [(Subject(text), ground.look_in(text)) for text in texts]


def without(ground: RuleMatchTable, asked: PastQueryMatches, rule: str, policy: str) -> DisableEffect:
    """What becomes of all texts if a rule is switched off."""
    rule_effects: Counter[RuleEffect] = Counter()
    for subject, hits in chain(zip(ground.subjects, ground.hits, strict=True), asked.queries):
        if rule not in hits:
            continue
        before = picked(subject.text, ground.counted(hits), policy)
        after = picked(subject.text, ground.counted(hits, rule), policy)
        rule_effects[rule_effect_of(subject, before, after)] += 1
    return DisableEffect(
        rule_effects[RuleEffect.TURNS_RIGHT], rule_effects[RuleEffect.TURNS_WRONG], rule_effects[RuleEffect.CHANGES]
    )


def broad_rules(ground: RuleMatchTable, asked: PastQueryMatches, policy: str) -> list[RuleUse]:
    """Rules that fire on BROAD_SHARE of all texts, past queries among them, unless most of the cases that they fire on
    are of their type; the broadest first."""
    whole, fired = len(ground.subjects) + len(asked.queries), asked.fired()
    if whole < BROAD_TEXTS:
        return []
    found = []
    for name, finds in ground.finds.items():
        share = (finds.cases + finds.others + fired[name]) / whole
        if share >= BROAD_SHARE and counting(ground.rules[name]) is not None and not _is_mostly_right(ground, name):
            found.append(RuleUse(name, share, without(ground, asked, name, policy)))
    return sorted(found, key=lambda one: (-one.share, one.id))


def silent_rules(ground: RuleMatchTable, asked: PastQueryMatches, policy: str) -> list[RuleUse]:
    """Rules that fired on none of SILENT_QUERIES or more past queries; those first that are missed least."""
    if len(asked.queries) < SILENT_QUERIES:
        return []
    fired = asked.fired()
    found = [
        RuleUse(name, 0.0, without(ground, asked, name, policy))
        for name, rule in ground.rules.items()
        if name not in ground.broken and not fired[name] and counting(rule) is not None
    ]
    return sorted(found, key=lambda one: (one.without.breaks, one.id))


def _is_mostly_right(ground: RuleMatchTable, name: str) -> bool:
    """Whether most of the cases that a rule fires on are of its type."""
    type_ = intent_type(ground.rules[name].label)
    rights = [
        type_ in subject.right
        for subject, hits in zip(ground.subjects, ground.hits, strict=True)
        if subject.right is not None and name in hits and not hits[name].held_back
    ]
    return len(rights) >= JUDGED and sum(rights) * 2 > len(rights)


def distinct(texts: Sequence[str | None]) -> list[str]:
    """The texts that are kept, each once."""
    return list(dict.fromkeys(text for text in texts if text))
