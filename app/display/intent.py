"""The intent card in words: what was detected, from what, with which arithmetic, and why there may be none."""

from __future__ import annotations

from dataclasses import dataclass

from app.display import numbers, words
from app.display.arithmetic import line
from app.display.cues import CueRow, cue_rows, other_policy
from app.domain.inspection import Inspection
from app.domain.intent import DetectionSource
from app.domain.llm import LlmOutcome
from app.domain.match import Step

_SILENT: dict[LlmOutcome, str] = {
    LlmOutcome.UNREACHABLE: "LLM unreachable",
    LlmOutcome.MODEL_MISSING: "LLM missing",
    LlmOutcome.COLD: "LLM loading",
    LlmOutcome.ASKING: "LLM asked",
    LlmOutcome.TIMED_OUT: "LLM timed out",
    LlmOutcome.LATE: "LLM too late",
    LlmOutcome.FAILED: "LLM failed",
    LlmOutcome.UNREADABLE: "LLM unreadable",
}
"""Why keywords decide although the LLM is on."""


@dataclass(frozen=True, slots=True)
class Sum:
    """One row of the arithmetic: what, how, and the number it comes to."""

    what: str
    how: str
    value: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A wedge on the ruler; hollow where the value did not count."""

    word: str
    value: float
    text: str
    counts: bool = True


@dataclass(frozen=True, slots=True)
class IntentCard:
    """All of the intent card. `value` is where the ruler's bar ends; `confidence` the same as a number."""

    headline: str
    found: bool
    source: str
    value: float
    confidence: str
    marks: tuple[Mark, ...]
    sums: tuple[Sum, ...]
    cues: tuple[CueRow, ...]
    cues_title: str
    other: str
    topics: tuple[str, ...]


def intent_card(inspection: Inspection) -> IntentCard:
    """The card of one inspection."""
    detection, intent = inspection.detection, inspection.intent
    confidence = intent.confidence if intent else 0.0
    marks: list[Mark] = []
    if detection.intent is not None:
        floor = detection.intent.confidence
        marks.append(Mark(words.say("Floor"), floor, numbers.score(floor)))
    report = inspection.trace.llm
    if report is not None and report.answer is not None:
        value = report.answer.confidence
        counts = report.outcome is LlmOutcome.ANSWERED
        marks.append(Mark(words.say("LLM"), value, numbers.score(value), counts))
    steps = inspection.trace.merge or detection.steps
    return IntentCard(
        words.type_word(intent.type) if intent else words.say("No intent"),
        intent is not None,
        _source(inspection, intent.source) if intent else why_none(inspection),
        confidence,
        numbers.score(confidence),
        tuple(marks),
        tuple(_sum(step, inspection) for step in steps),
        cue_rows(detection),
        words.say("Cues weighed by {policy}", policy=words.policy(detection.policy).lower()),
        other_policy(detection),
        intent.topics if intent else (),
    )


def _source(inspection: Inspection, source: DetectionSource) -> str:
    report = inspection.trace.llm
    silent = _SILENT.get(report.outcome) if report is not None and source is DetectionSource.KEYWORD else None
    said = words.say(words.SOURCES[source])
    return f"{said}, {words.say(silent)}" if silent else said


def why_none(inspection: Inspection) -> str:
    """Why there is no intent, in a sentence."""
    detection = inspection.detection
    if not detection.enabled:
        return words.say("Detection is switched off (search_intent.enabled).")
    if inspection.query.is_empty:
        return words.say("There is nothing to look at yet.")
    if detection.intent is not None:
        return words.say("A cue matched, but the text has no topics, and the settings ask for one.")
    if any(hit.held_back for hit in detection.hits):
        return words.say("Every cue that matched was held back.")
    return words.say("No keyword rule matches this text.")


def _sum(step: Step, inspection: Inspection) -> Sum:
    how = line(step)
    detection = inspection.detection
    cues = len(detection.ranking[0].hits) if detection.ranking else 0
    if detection.steps and step == detection.steps[-1]:
        what = words.say_n(cues, "Floor, {n} cue", "Floor, {n} cues")
    else:
        what = step.name.replace("_", " ").capitalize()
    return Sum(what, how.text, how.result)
