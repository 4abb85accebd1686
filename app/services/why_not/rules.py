"""Rules as changes: a cue of the query as a new rule, one that misleads switched off, one that sleeps switched on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from app.detect.keywords import CompiledRule
from app.detect.patterns import PatternError
from app.detect.topics import topics
from app.domain.intent import Rule, RuleHit, RulePurpose

OWN_PACK = "mine"
"""Where rules of one's own go."""

OPENING_WORDS = (2, 3, 4)
"""So many words of the query's opening are tried as a cue."""

WEIGHTS = (1.0, 2.0, 3.0)
"""A new rule weighs no more than it must."""

_WORD = re.compile(r"\w+(?:['’\-_]\w+)*")


def cues(text: str) -> list[str]:
    """What of a query may serve as a rule's cue: how it opens, and the words that it is about."""
    words = _WORD.findall(text)
    opening = [" ".join(words[:count]) for count in OPENING_WORDS if count <= len(words)]
    if not opening and words:
        opening = [words[0]]
    return list(dict.fromkeys([*opening, *topics(text)]))


def pattern_of(cue: str) -> str:
    """A pattern that finds the words of a cue, one after the other."""
    return r"\W+".join(re.escape(word) for word in cue.split())


def new_rules(
    rules: Sequence[Rule], text: str, label: str, purpose: RulePurpose, weights: Iterable[float] = WEIGHTS
) -> Iterator[tuple[str, Rule]]:
    """For each cue a rule for the label, in each weight; nothing where the pattern would not find the text."""
    taken = {rule.id for rule in rules}
    number = next(n for n in range(1, len(taken) + 2) if _id(label, n) not in taken)
    position = 1 + max((rule.position for rule in rules if rule.pack == OWN_PACK), default=-1)
    weights = tuple(weights)
    for cue in cues(text):
        rule = Rule(_id(label, number), label, pattern_of(cue), OWN_PACK, position, purpose=purpose)
        if hit_of(rule, text) is not None:
            yield from ((cue, replace(rule, weight=weight)) for weight in weights)


def _id(label: str, number: int) -> str:
    stem = f"{OWN_PACK}.{re.sub(r'[^a-z0-9]+', '-', label.lower()).strip('-') or 'rule'}"
    return stem if number == 1 else f"{stem}-{number}"


def hit_of(rule: Rule, text: str) -> RuleHit | None:
    """Where the rule is found in the text; None if nowhere, or if it does not compile."""
    try:
        return CompiledRule.of(rule).find(text)
    except PatternError:
        return None


def asleep(rules: Iterable[Rule], text: str, labels: frozenset[str], purpose: RulePurpose) -> list[Rule]:
    """The rules for these labels that are switched off and would be found in the text."""
    return [
        rule
        for rule in rules
        if not rule.enabled and rule.purpose is purpose and rule.label.lower() in labels and hit_of(rule, text)
    ]
