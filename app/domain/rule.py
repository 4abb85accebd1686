"""Keyword rules, which are data, and the places where they matched."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class RulePurpose(StrEnum):
    """What the labels of a rule stand for."""

    SEARCH_INTENT = "search_intent"
    ROUTE = "route"


@dataclass(frozen=True, slots=True)
class Rule:
    """A keyword pattern with a label.

    `id` is unique and stable ("howto.how-do-i"); `pattern` is a regular expression in RE2 syntax, matched on whole
    words in any case; `unless` is a second one: where it is found anywhere in the text, the rule is held back.
    `weight` counts as evidence (S3.3); `confidence`, if set, is the rule's own (S3.5). `key` is the store's number and
    `version` that of the step that made the rule what it is; neither takes part in comparisons.
    """

    id: str
    label: str
    pattern: str
    pack: str
    position: int
    weight: float = 1.0
    confidence: float | None = None
    unless: str | None = None
    purpose: RulePurpose = RulePurpose.SEARCH_INTENT
    enabled: bool = True
    key: int | None = field(default=None, compare=False)
    version: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class RuleHit:
    """One rule that matched: where (code points, end exclusive), its evidence, and whether it was held back."""

    rule: Rule
    span: tuple[int, int]
    text: str
    evidence: float
    held_back: bool = False
