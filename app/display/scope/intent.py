"""The intent card in words: what was detected, from what, with which arithmetic, and why there may be none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.display import numbers, words
from app.display.scope.cues import CueRow, cue_rows, other_policy
from app.display.scope.learned import LearnedCard, learned_card
from app.display.scope.merging import ORDER, SILENT, MergeBreakdown, floor_word, in_force, limits, merge_rows
from app.display.scope.surfacing import Surfacing, surfacing
from app.domain.inspection import Inspection, Merged
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
    sums: tuple[MergeBreakdown, ...]
    policy: str
    cues: tuple[CueRow, ...]
    cues_title: str
    other: str
    topics: tuple[str, ...]
    surfacing: Surfacing | None = None
    learned: LearnedCard | None = None


def intent_card(inspection: Inspection, settings: Settings | None = None) -> IntentCard:
    """The card of one inspection."""
    detection, intent = inspection.detection, inspection.intent
    confidence = intent.confidence if intent else 0.0
    policy, merged = in_force(inspection, settings)
    return IntentCard(
        words.type_word(intent.type) if intent else words.say("No type"),
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
        learned_card(detection),
    )


def _marks(inspection: Inspection, settings: Settings | None) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    floor = inspection.detection.floor
    if floor is not None:
        marks.append(Mark(floor_word(floor), floor.confidence, numbers.score(floor.confidence, limits(settings))))
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
    silent, floor = _silent(inspection.trace.llm), inspection.detection.floor
    if silent and source is not DetectionSource.LLM:
        below = DetectionSource.KEYWORD if floor is None else floor.source
        return f"{words.say(words.SOURCES[below])}, {silent}"
    said = words.say(words.SOURCES[source])
    if source is DetectionSource.HYBRID and floor is not None and floor.source is DetectionSource.LEARNED:
        said = words.say("From what is learned and the LLM")
    if source is DetectionSource.LLM and floor is None:
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
    if detection.floor is not None or (report is not None and report.outcome is LlmOutcome.ANSWERED):
        return words.say("A type matches, but the query has no topics, and the settings ask for one.")
    held_back = any(hit.held_back for hit in detection.hits)
    why = words.say("Every cue that matched was held back" if held_back else "No keyword rule matches this text")
    if detection.learned is not None and detection.learned.vote is not None:
        is_none = detection.learned.vote.says_none
        also = "examples say that nothing is asked" if is_none else "examples are too unsure"
        why = words.say("{why}, and {also}", why=why, also=words.say(also))
    silent = "" if report is None or report.outcome in _DID_NOT_HELP else _silent(report)
    return f"{why}, {silent}." if silent else f"{why}."


# --------------------------------------------------------------------------------------------------------------------
# Two merge policies side by side: what each makes of the same floor and LLM answer, and where they part


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One row of both: what it is, how each policy comes to it, the amounts, and if this is where they part."""

    what: str
    hows: tuple[str, ...]
    values: tuple[str, ...]
    parts: bool = False

    @property
    def how(self) -> str:
        """What there is to say once for all policies; "" where they say different things."""
        said = {how for how, value in zip(self.hows, self.values, strict=True) if value}
        return said.pop() if len(said) == 1 else ""


@dataclass(frozen=True, slots=True)
class Policies:
    """The table: policies by name, rows, types, confidences, a sentence; `used` is the place of the one in force."""

    keys: tuple[str, ...]
    names: tuple[str, ...]
    used: int
    rows: tuple[PolicyRow, ...]
    types: tuple[str, ...]
    confidences: tuple[str, ...]
    topics: tuple[str, ...]
    sentence: str


def policies(inspection: Inspection, settings: Settings | None) -> Policies | None:
    """All policies of the inspection; None where it holds fewer than two."""
    if len(inspection.by_merger) < 2:
        return None
    names = tuple(inspection.by_merger)
    columns = [
        {row.key: row for row in merge_rows(inspection, merged, name, settings)}
        for name, merged in inspection.by_merger.items()
    ]
    rows = [_row([column.get(key) for column in columns]) for key in ORDER if any(key in c for c in columns)]
    first = next((place for place, row in enumerate(rows) if len(set(row.values)) > 1), None)
    if first is not None:
        rows[first] = PolicyRow(rows[first].what, rows[first].hows, rows[first].values, parts=True)
    mergeds = tuple(inspection.by_merger.values())
    used, _ = in_force(inspection, settings)
    types = tuple(_type(merged) for merged in mergeds)
    topics = tuple(", ".join(merged.intent.topics) if merged.intent else "" for merged in mergeds)
    return Policies(
        names,
        tuple(words.merge_policy(name) for name in names),
        names.index(used) if used in names else 0,
        tuple(rows),
        types,
        tuple(_confidence(merged, settings) for merged in mergeds),
        topics if len(set(topics)) > 1 else (),
        _sentence(words.merge_policy(used), rows[first].what if first is not None else "", types, topics),
    )


def _row(found: list[MergeBreakdown | None]) -> PolicyRow:
    known = [row for row in found if row is not None]
    return PolicyRow(
        known[0].what,
        tuple(row.how if row is not None else "" for row in found),
        tuple(row.value if row is not None else "" for row in found),
    )


def _type(merged: Merged) -> str:
    return words.type_word(merged.intent.type) if merged.intent else words.say("No type")


def _confidence(merged: Merged, settings: Settings | None) -> str:
    return numbers.score(merged.intent.confidence if merged.intent else 0.0, limits(settings))


def _sentence(used: str, first: str, types: tuple[str, ...], topics: tuple[str, ...]) -> str:
    if first:
        return words.say("In force: {policy}. They part at “{row}”.", policy=used, row=first)
    if len(set(types)) > 1 or len(set(topics)) > 1:
        return words.say("In force: {policy}. The number is the same, the topics are not.", policy=used)
    return words.say("In force: {policy}. Here they come to the same.", policy=used)
