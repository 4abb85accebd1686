"""Clauses of a text with the type of each, and negated cues: "do not fix it, just explain"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from app.domain.intent import IntentType, RuleHit
from app.domain.scope.inspection import ClauseType

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
    return all(any(_stands(span, scope) for scope in scopes) for span in hit.spans)


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
        if any(hit.negated and _stands(hit.span, span) for _, hit in every):
            continue
        told = _strongest_type(every, span)
        if told is None:
            found[-1:] = [_extended(last, span[1]) for last in found[-1:]]
        elif found and found[-1].type is told[0]:
            last = found[-1]
            found[-1] = ClauseType(last.type, (last.span[0], span[1]), last.evidence + told[1])
        else:
            found.append(ClauseType(told[0], span, told[1]))
    several = len({one.type for one in found}) > 1
    return tuple(sorted(found, key=lambda one: (-one.evidence, one.span))) if several else ()


def _strongest_type(hits: Iterable[tuple[IntentType, RuleHit]], clause: Span) -> tuple[IntentType, float] | None:
    """Return the type with the most evidence in a clause; ties go to the first cue.

    A cue counted in an earlier clause has only its rule's weight, without the opening bonus.
    """
    evidence: dict[IntentType, float] = {}
    for type_, hit in hits:
        if _stands(hit.span, clause) and not hit.negated:
            evidence[type_] = evidence.get(type_, 0.0) + hit.evidence
        elif any(_stands(span, clause) for span in hit.further):
            evidence[type_] = evidence.get(type_, 0.0) + hit.rule.weight
    return max(evidence.items(), key=lambda one: one[1], default=None)


def _stands(span: Span, clause: Span) -> bool:
    return clause[0] <= span[0] and span[1] <= clause[1]


def _extended(clause: ClauseType, end: int) -> ClauseType:
    return ClauseType(clause.type, (clause.span[0], end), clause.evidence)


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
