"""A rule while it is being edited: what stands in its fields, and what is wrong there."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.display import words
from app.domain.intent import TYPE_NAMES, Rule, RulePurpose, intent_type
from app.domain.query import without_lone_surrogates

OWN_PACK = "mine"
"""Where new rules go, unless another pack is chosen."""

MOST_WEIGHT = 100.0


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """The fields as they are written; `base` is the stored rule that is being edited, None for a new one."""

    id: str
    pack: str
    label: str = "howto"
    pattern: str = ""
    unless: str = ""
    weight: str = "1"
    confidence: str = ""
    purpose: RulePurpose = RulePurpose.SEARCH_INTENT
    enabled: bool = True
    position: int = 0
    base: Rule | None = None

    @classmethod
    def of(cls, rule: Rule, base: Rule | None = None) -> RuleDraft:
        """The fields of a rule; an edit of `base`, or a new rule if there is none."""
        return cls(
            rule.id,
            rule.pack,
            rule.label,
            rule.pattern,
            rule.unless or "",
            f"{rule.weight:.12g}",
            "" if rule.confidence is None else f"{rule.confidence:.12g}",
            rule.purpose,
            rule.enabled,
            rule.position,
            base,
        )

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to save."""
        return self.base is None or self != RuleDraft.of(self.base, self.base)

    def faults(self) -> dict[str, str]:
        """What keeps the draft from being saved, by field; whether the patterns compile is the engine's to say."""
        found: dict[str, str] = {}
        if not self.pattern.strip():
            found["pattern"] = words.say("Type the words that the rule looks for.")
        if not self.pack.strip():
            found["pack"] = words.say("Name a pack for the rule.")
        if not self.label.strip():
            found["label"] = words.say("Name what the rule stands for.")
        elif self.purpose is RulePurpose.SEARCH_INTENT and intent_type(self.label) is None:
            types = ", ".join(sorted(TYPE_NAMES))
            found["label"] = words.say(
                "“{label}” is not one of the six types: {types}.", label=self.label.strip(), types=types
            )
        if _number(self.weight, MOST_WEIGHT) is None:
            found["weight"] = words.say("The weight is a number from 0 to {most}.", most=f"{MOST_WEIGHT:g}")
        if self.confidence.strip() and _number(self.confidence, 1.0) is None:
            found["confidence"] = words.say("The rule's own confidence is a number from 0 to 1, or nothing.")
        return found

    def rule(self) -> Rule:
        """The rule as written; what cannot be read as a number is as it was, so that the rest can be tried."""
        base = self.base
        weight = _number(self.weight, MOST_WEIGHT)
        return Rule(
            self.id,
            without_lone_surrogates(self.label.strip()),
            without_lone_surrogates(self.pattern),
            without_lone_surrogates(self.pack.strip()),
            self.position,
            1.0 if weight is None else weight,
            _number(self.confidence, 1.0),
            without_lone_surrogates(self.unless) if self.unless.strip() else None,
            self.purpose,
            self.enabled,
            None if base is None else base.key,
            0 if base is None else base.version,
        )

    def rebased(self, stored: Rule) -> RuleDraft:
        """The same edit made on what the store holds now."""
        return replace(self, base=stored, position=stored.position)


def new_draft(rules: Iterable[Rule], pack: str = OWN_PACK) -> RuleDraft:
    """An empty rule at the end of a pack."""
    rules = list(rules)
    last = max((rule.position for rule in rules if rule.pack == pack), default=-1)
    return RuleDraft(_free_id(f"{pack}.rule", rules), pack, position=last + 1)


def copy_of(rule: Rule, rules: Iterable[Rule]) -> RuleDraft:
    """A new rule in the own pack with everything that another one has."""
    made = new_draft(rules)
    stem = rule.id.partition(".")[2] or rule.id
    twin = replace(rule, id=_free_id(f"{OWN_PACK}.{stem}", rules), pack=OWN_PACK, position=made.position, key=None)
    return RuleDraft.of(twin)


def _free_id(stem: str, rules: Iterable[Rule]) -> str:
    taken = {rule.id for rule in rules}
    number = 1
    while (name := stem if number == 1 else f"{stem}-{number}") in taken:
        number += 1
    return name


def _number(text: str, most: float) -> float | None:
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) and 0.0 <= value <= most else None


_EDITED = ("label", "pattern", "unless", "weight", "confidence", "purpose", "pack", "enabled")


def merged(draft: RuleDraft, stored: Rule) -> RuleDraft:
    """The draft on what is stored now, if nobody changed a field that it changes too; else as it is."""
    if draft.base is None:
        return draft
    before, now = RuleDraft.of(draft.base, draft.base), RuleDraft.of(stored, stored)
    edited = {name: getattr(draft, name) for name in _EDITED if getattr(draft, name) != getattr(before, name)}
    if any(getattr(now, name) != getattr(before, name) for name in edited):
        return draft
    return replace(now, **edited)
