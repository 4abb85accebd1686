"""The LLM lane in words: one pill, one sentence, and the probabilities where there are any."""

from __future__ import annotations

from dataclasses import dataclass

from app.display import numbers, words
from app.domain.llm import LlmAnswer, LlmOutcome, LlmReport

PILLS: dict[LlmOutcome, tuple[str, str, str]] = {
    LlmOutcome.OFF: ("Off", "off", "text_2"),
    LlmOutcome.UNREACHABLE: ("Unreachable", "warning", "danger"),
    LlmOutcome.MODEL_MISSING: ("Model missing", "warning", "danger"),
    LlmOutcome.COLD: ("Loading", "loading", "warning"),
    LlmOutcome.ASKING: ("Asking", "loading", "text_2"),
    LlmOutcome.ANSWERED: ("Answered", "check", "success"),
    LlmOutcome.LOW_CONFIDENCE: ("Low confidence", "chart", "warning"),
    LlmOutcome.TIMED_OUT: ("Timed out", "clock", "warning"),
    LlmOutcome.LATE: ("Late", "clock", "warning"),
    LlmOutcome.SUPERSEDED: ("Superseded", "chevron-right", "text_2"),
    LlmOutcome.FAILED: ("Failed", "warning", "danger"),
    LlmOutcome.UNREADABLE: ("Unreadable", "warning", "danger"),
}
"""Word, icon and colour of each outcome (S4.5)."""


@dataclass(frozen=True, slots=True)
class Lane:
    """The lane as it is shown: pill (word, icon, colour), sentence, bars (type, value, number), last line."""

    word: str
    icon: str
    token: str
    sentence: str
    bars: tuple[tuple[str, float, str], ...] = ()
    foot: str = ""


def lane(report: LlmReport | None) -> Lane:
    """The lane of one report; off where nothing was asked yet."""
    report = report or LlmReport(LlmOutcome.OFF)
    word, icon, token = PILLS[report.outcome]
    bars = _bars(report.answer) if report.answer else ()
    return Lane(words.say(word), icon, token, _sentence(report), bars, _foot(report))


def _sentence(report: LlmReport) -> str:
    answer, ms = report.answer, report.ms or 0.0
    budget = numbers.milliseconds(report.budget_ms)
    if answer is not None and report.outcome is LlmOutcome.LATE:
        return words.say(
            "Would have said {type} {confidence} after {ms} ms, {over} ms past the budget.",
            type=words.type_word(answer.type),
            confidence=numbers.score(answer.confidence),
            ms=numbers.milliseconds(ms, (report.budget_ms,)),
            over=numbers.milliseconds(max(0.0, ms - report.budget_ms)),
        )
    if answer is not None and report.outcome is LlmOutcome.ANSWERED:
        return words.say(
            "{type} {confidence} after {ms} ms.",
            type=words.type_word(answer.type),
            confidence=numbers.score(answer.confidence),
            ms=numbers.milliseconds(ms, (report.budget_ms,)),
        )
    if report.sentence:
        return report.sentence
    return {
        LlmOutcome.OFF: words.say("The LLM is off. Keywords decide alone."),
        LlmOutcome.ASKING: words.say("Asking {model}, for at most {budget} ms.", model=report.model, budget=budget),
        LlmOutcome.TIMED_OUT: words.say("No answer within {budget} ms.", budget=budget),
        LlmOutcome.COLD: words.say("The model is loading. This is not a time-out."),
        LlmOutcome.LOW_CONFIDENCE: _unsure(answer),
        LlmOutcome.SUPERSEDED: words.say("Cancelled by a newer query."),
    }.get(report.outcome, words.say("Keywords decide alone."))


def _unsure(answer: LlmAnswer | None) -> str:
    if answer is None:
        return words.say("The answer was too unsure. The floor stands.")
    return words.say(
        "{type} {confidence} is too unsure. The floor stands.",
        type=words.type_word(answer.type),
        confidence=numbers.score(answer.confidence),
    )


def _bars(answer: LlmAnswer) -> tuple[tuple[str, float, str], ...]:
    ranked = sorted((answer.distribution or {}).items(), key=lambda entry: -entry[1])
    return tuple((words.type_word(name), value, numbers.score(value)) for name, value in ranked)


def _foot(report: LlmReport) -> str:
    if report.outcome is LlmOutcome.LATE and report.would_be is not None:
        return words.say("In time it would have been {value}.", value=numbers.score(report.would_be))
    if report.answer is not None and report.model:
        return words.say("{model}, mode {mode}", model=report.model, mode=report.answer.mode)
    return ""
