"""The intent card in words: what was detected, from what, with which arithmetic, and why there may be none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.display import numbers, words
from app.display.cues import CueRow, cue_rows, other_policy
from app.display.merging import SILENT, Sum, in_force, limits, merge_rows
from app.display.surfacing import Surfacing, surfacing
from app.domain.inspection import Inspection
from app.domain.intent import DetectionSource
from app.domain.llm import LlmOutcome, LlmReport

if TYPE_CHECKING:
    from app.settings.model import Settings

_DID_NOT_HELP = frozenset({LlmOutcome.OFF, LlmOutcome.ASKING, LlmOutcome.ANSWERED})
"""Outcomes that are not worth a word where there is no intent."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A wedge on the ruler; hollow where the value did not count."""

    word: str
    value: float
    text: str
    counts: bool = True


@dataclass(frozen=True, slots=True)
class IntentCard:
    """All of the intent card. `value` is where the ruler's bar ends; `confidence` the same as a number.

    `threshold` is the confidence from which on memories are surfaced; `policy` the merge policy behind the sums.
    """

    headline: str
    found: bool
    source: str
    value: float
    confidence: str
    marks: tuple[Mark, ...]
    threshold: Mark | None
    sums: tuple[Sum, ...]
    policy: str
    cues: tuple[CueRow, ...]
    cues_title: str
    other: str
    topics: tuple[str, ...]
    surfacing: Surfacing | None = None


def intent_card(inspection: Inspection, settings: Settings | None = None) -> IntentCard:
    """The card of one inspection."""
    detection, intent = inspection.detection, inspection.intent
    confidence = intent.confidence if intent else 0.0
    policy, merged = in_force(inspection, settings)
    return IntentCard(
        words.type_word(intent.type) if intent else words.say("No intent"),
        intent is not None,
        _source(inspection, intent.source) if intent else why_none(inspection),
        confidence,
        numbers.score(confidence, limits(settings)),
        _marks(inspection, settings),
        _threshold(settings),
        merge_rows(inspection, merged, policy, settings),
        policy,
        cue_rows(detection),
        words.say("Cues weighed by {policy}", policy=words.policy(detection.policy).lower()),
        other_policy(detection),
        intent.topics if intent else (),
        surfacing(inspection, settings) if settings is not None else None,
    )


def _marks(inspection: Inspection, settings: Settings | None) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    floor = inspection.detection.intent
    if floor is not None:
        marks.append(Mark(words.say("Floor"), floor.confidence, numbers.score(floor.confidence, limits(settings))))
    report = inspection.trace.llm
    if report is not None and report.answer is not None:
        value = report.answer.confidence
        least = () if settings is None else (settings.search_intent.min_confidence, *limits(settings))
        counts = report.outcome is LlmOutcome.ANSWERED
        marks.append(Mark(words.say("LLM"), value, numbers.score(value, least), counts))
    return tuple(marks)


def _threshold(settings: Settings | None) -> Mark | None:
    if settings is None:
        return None
    value = settings.search_intent.surfacing_threshold
    return Mark(words.say("surfacing"), value, numbers.fixed(value))


def _source(inspection: Inspection, source: DetectionSource) -> str:
    silent = _silent(inspection.trace.llm)
    if silent and source is not DetectionSource.LLM:
        return f"{words.say(words.SOURCES[DetectionSource.KEYWORD])}, {silent}"
    said = words.say(words.SOURCES[source])
    if source is DetectionSource.LLM and inspection.detection.intent is None:
        return words.say("{said}, no cue matched", said=said)
    return said


def _silent(report: LlmReport | None) -> str:
    word = SILENT.get(report.outcome, "") if report is not None else ""
    return words.say(word) if word else ""


def why_none(inspection: Inspection) -> str:
    """Why there is no intent, in a sentence."""
    detection, report = inspection.detection, inspection.trace.llm
    if not detection.enabled:
        return words.say("Detection is switched off (search_intent.enabled).")
    if inspection.query.is_empty:
        return words.say("There is nothing to look at yet.")
    if detection.intent is not None or (report is not None and report.outcome is LlmOutcome.ANSWERED):
        return words.say("There is an intent, but it has no topics, and the settings ask for one.")
    held_back = any(hit.held_back for hit in detection.hits)
    why = words.say("Every cue that matched was held back" if held_back else "No keyword rule matches this text")
    silent = "" if report is None or report.outcome in _DID_NOT_HELP else _silent(report)
    return f"{why}, {silent}." if silent else f"{why}."
