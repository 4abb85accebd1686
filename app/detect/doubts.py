"""Reasons to review an answer: not delivered, tied, or in conflict with another (S7.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.detect.surfacing import Limits, injected, is_silent
from app.detect.topics import STOP_WORDS
from app.domain.history import Doubt
from app.domain.inspection import Inspection
from app.domain.library import Kind, Memory
from app.domain.llm import LlmOutcome, LlmReport
from app.domain.match import Match, Tier
from app.settings.model import Settings

OFFERED = frozenset({Tier.ACTIVATED, Tier.MULTIPLE_MATCHES})
"""Tiers in which an assistant gets the power, or its name to choose."""

SPOKE = frozenset({LlmOutcome.ANSWERED, LlmOutcome.LATE})
"""Outcomes in which the LLM gave a type, in time or late."""

TOO_LATE = frozenset({LlmOutcome.TIMED_OUT, LlmOutcome.LATE})


def doubts_of(inspection: Inspection, settings: Settings) -> tuple[Doubt, ...]:
    """Return the doubts about a settled answer; empty for a query without a word."""
    if not has_word(inspection.query.text):
        return ()
    first, margin = inspection.first, settings.tiers.ambiguity_margin
    rivals = () if first is None else inspection.powers if first.kind is Kind.POWER else inspection.memories
    found = [
        (Doubt.WEAK, not is_delivered(inspection, settings)),
        (Doubt.TIED, margin > 0 and _is_tied(rivals, margin)),
        (Doubt.CEILING, _ceiling_differs(inspection)),
        (Doubt.TIMED_OUT, inspection.trace.llm is not None and inspection.trace.llm.outcome in TOO_LATE),
    ]
    return tuple(doubt for doubt, holds in found if holds)


def is_delivered(inspection: Inspection, settings: Settings) -> bool:
    """Return whether a memory would be injected, or a power activated or offered.

    A best memory without a response counts if it would be injected with one. A power counts if it is not approved yet:
    its approval, not the answer, is missing.
    """
    if any(power.tier in OFFERED for power in inspection.powers):
        return True
    best = inspection.memory
    if best is not None and isinstance(best.answer, Memory) and is_silent(best.answer):
        limits = Limits.of(settings)
        chance = best.confidence if best.label_chance is None else best.label_chance
        return best.is_found and chance >= limits.least(limits.row(inspection.intent))
    return bool(injected(inspection, settings).matches)


def has_word(text: str) -> bool:
    """Return whether a text has a word other than a lone stop word, or a non-ASCII letter."""
    runs = re.findall(r"[^\W\d_]+", text.casefold())
    return any(len(run) > 1 or not run.isascii() for run in runs) and not (len(runs) == 1 and runs[0] in STOP_WORDS)


def presets_differ(one: Inspection, other: Inspection) -> bool:
    """Return whether two answers without an LLM give different first answers or types."""
    types = [found.intent and found.intent.type for found in (one, other)]
    firsts = [first_answer(found) for found in (one, other)]
    return has_word(one.query.text) and (types[0] != types[1] or firsts[0] != firsts[1])


def first_answer(inspection: Inspection) -> tuple[Kind, str] | None:
    """Return the identity of the first answer: its label, else its name; None without a match."""
    return None if inspection.first is None else _identity(inspection.first)


def _is_tied(matches: Sequence[Match], margin: float) -> bool:
    """Return whether the best two answers are within the margin, and a memory is found or a power offered.

    Memories of one label count as one answer, with the chance of the label.
    """
    chances: dict[tuple[Kind, str], float] = {}
    for match in matches:
        chances[_identity(match)] = max(chances.get(_identity(match), 0.0), match.compared)
    best = sorted(chances.values())[-2:]
    is_found = any(one.is_found and (one.kind is Kind.MEMORY or one.tier in OFFERED) for one in matches)
    return len(best) == 2 and best[1] - best[0] <= margin and is_found


def _identity(match: Match) -> tuple[Kind, str]:
    answer = match.answer
    label = answer.answer_label if isinstance(answer, Memory) else None
    return match.kind, label or answer.name


def _ceiling_differs(inspection: Inspection) -> bool:
    """Return whether floor and LLM give different types."""
    floor, report = inspection.detection.floor, inspection.trace.llm
    return floor is not None and report is not None and _named_by(report) not in (None, floor.type.value)


def _named_by(report: LlmReport) -> str | None:
    spoke = report.outcome in SPOKE and report.answer is not None
    return report.answer.type.value if spoke and report.answer is not None else None
