"""Why a rule cannot be used as it stands, and where in its pattern the fault is."""

from __future__ import annotations

from app.detect.patterns import Pattern, PatternError
from app.domain.intent import Rule


def pattern_fault(source: str) -> str | None:
    """Why RE2 refuses a pattern, with the place counted from 1, as a sentence; None if it compiles."""
    try:
        Pattern(source)
    except PatternError as error:
        place = error.place
        return str(error) if place is None else f"{str(error).rstrip('.')} (at character {place})."
    return None


def rule_fault(rule: Rule) -> str | None:
    """The fault of the rule's pattern or of the pattern that holds it back."""
    if not rule.pattern.strip():
        return "The pattern is empty, so it would be found everywhere and nowhere."
    return pattern_fault(rule.pattern) or (None if rule.unless is None else pattern_fault(rule.unless))
