"""The LLM of a query in words: a status pill, a sentence, probabilities, and the effect."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.detect.merge import Ceiling, merge
from app.display import numbers, words
from app.display.scope import arithmetic
from app.display.scope.merging import too_unsure
from app.display.scope.timing import Durations
from app.domain.inspection import Inspection
from app.domain.llm import LlmAnswer, LlmChoice, LlmOutcome, LlmReport
from app.domain.match import Query, Step
from app.ports.llm import LlmState

if TYPE_CHECKING:
    from app.settings.model import Settings


READY = ("Ready", "check", "success")
"""Pill before the first request."""

MODES: dict[str, str] = {
    "decision": "decision mode",
    "one_token": "one-token mode",
    "json": "JSON mode",
    "auto": "automatic mode",
}

_QUIET = frozenset({LlmOutcome.UNREACHABLE, LlmOutcome.MODEL_MISSING, LlmOutcome.COLD})
_TIGHT = re.compile(
    f"(?<=[\\d)]) (?=ms\\b|s\\b|[{numbers.MINUS}{numbers.TIMES}+=])|(?<=[{numbers.MINUS}{numbers.TIMES}+=]) "
)
_ALONE, _STANDS = "Keywords and examples decide alone.", "It changes nothing."
_NOTHING = "No keyword matched: there is no type."
_DECIDES = "Keywords and examples say nothing, so it decides alone."


@dataclass(frozen=True, slots=True)
class LlmStatus:
    """Content of the LLM pane: pill (word, icon, colour), sentence, bars (type, value, number).

    `in_time` is the arithmetic of the merge (hypothetical for a late answer): word, line, result. `later` has topics
    and reasoning; `about` names model, server and mode. During a request the countdown starts at `budget_ms`, after a
    typing pause of `pause_ms`.
    """

    word: str
    icon: str
    token: str
    sentence: str
    bars: tuple[tuple[str, float, str], ...] = ()
    in_time: tuple[str, str, str] | None = None
    later: tuple[str, ...] = ()
    about: str = ""
    asking: bool = False
    pause_ms: float = 0.0
    budget_ms: float = 0.0


def status_of(
    report: LlmReport | None,
    *,
    inspection: Inspection | None = None,
    settings: Settings | None = None,
    state: LlmState | None = None,
) -> LlmStatus:
    """Make the content for a report; without one, from the LLM's state."""
    if report is None:
        return _before(state, settings)
    word, icon, token, *_ = words.LLM[report.outcome]
    said = _ReportText(report, inspection, settings, state)
    asking = report.outcome is LlmOutcome.ASKING
    return LlmStatus(
        word,
        icon,
        token,
        said.sentence(),
        _bars(report.answer) if report.answer else (),
        said.in_time(),
        (*_later(report), *(choice_line(one) for one in (inspection.trace.choices if inspection is not None else ()))),
        model_line(report.model, report.mode, settings),
        asking,
        report.pause_ms if asking else 0.0,
        report.budget_ms if asking else 0.0,
    )


def _before(state: LlmState | None, settings: Settings | None) -> LlmStatus:
    if state is None or not state.is_ready:
        outcome = state.outcome if state is not None else LlmOutcome.OFF
        report = LlmReport(outcome, state.sentence if state else "", state.model if state else "")
        return status_of(report, settings=settings, state=state)
    budget = settings.search_intent.llm_timeout_ms if settings is not None else 0
    sentence = f"Asked when typing pauses, for at most {budget} ms."
    word, icon, token = READY
    return LlmStatus(word, icon, token, sentence, about=model_line(state.model, state.mode, settings))


def model_line(model: str, mode: str | None, settings: Settings | None) -> str:
    """Return model, server and mode: "qwen2.5:1.5b on localhost:11434, one-token mode"."""
    if not model:
        return ""
    url = settings.llm.url if settings is not None else ""
    server = url.split("://")[-1].split("/")[0]
    said = f"{model} on {server}" if server else model
    return f"{said}, {MODES.get(mode, mode)}" if mode else said


@dataclass(frozen=True, slots=True)
class _ReportText:
    """One report, with the data to describe its effect."""

    report: LlmReport
    inspection: Inspection | None
    settings: Settings | None
    state: LlmState | None

    def sentence(self) -> str:
        report, answer = self.report, self.report.answer
        if answer is not None and report.outcome in _WITH_ANSWER:
            return self._answered(answer)
        given = report.sentence or self._outcome_sentence()
        if report.outcome in _QUIET:
            given = self._loading() if report.outcome is LlmOutcome.COLD else given
            given = given if _ALONE in given else f"{given} {_ALONE}"
        if self._has_no_floor:
            return given.replace(_ALONE, _NOTHING).replace(_STANDS, _NOTHING)
        if report.outcome in _QUIET:
            return given
        lost = self._penalty_text() or (_ALONE if report.outcome is LlmOutcome.TIMED_OUT else "")
        return f"{given} {lost}" if lost else given

    def _answered(self, answer: LlmAnswer) -> str:
        report, settings = self.report, self.settings
        least = (settings.search_intent.min_confidence,) if settings is not None else ()
        ms = report.ms or 0.0
        type_, after = words.type_word(answer.type), f"after {numbers.milliseconds(ms, (report.budget_ms,))} ms"
        confidence = numbers.chance(answer.confidence, least)
        if report.outcome is LlmOutcome.ANSWERED:
            return f"{type_} {confidence} {after}."
        if report.outcome is LlmOutcome.LATE:
            over = numbers.milliseconds(max(0.0, ms - report.budget_ms))
            return f"Would have said {type_} {confidence} {after}, {over} ms past the budget."
        why = too_unsure(answer.confidence, settings)
        stands = _STANDS
        if self._has_no_floor:
            stands = _NOTHING if self.inspection is None or self.inspection.intent is None else _DECIDES
        return f"{type_} {why}, {after}. {stands}"

    @property
    def _has_no_floor(self) -> bool:
        """True if only the LLM could give a type."""
        return self.inspection is not None and self.inspection.detection.floor is None

    def _outcome_sentence(self) -> str:
        report = self.report
        budget = numbers.milliseconds(report.budget_ms)
        return {
            LlmOutcome.OFF: "LLM is off. Keywords and examples decide alone.",
            LlmOutcome.ASKING: f"Asking {report.model}, for at most {budget} ms.",
            LlmOutcome.TIMED_OUT: f"No answer within {budget} ms.",
            LlmOutcome.LATE: f"No answer within {budget} ms.",
            LlmOutcome.COLD: "The model is loading. This is not a time-out.",
            LlmOutcome.SUPERSEDED: "Cancelled by a newer query.",
            LlmOutcome.LOW_CONFIDENCE: "The answer was too unsure. It changes nothing.",
            LlmOutcome.UNREACHABLE: "The server does not answer.",
            LlmOutcome.MODEL_MISSING: "The model is not on the server.",
            LlmOutcome.UNREADABLE: "The answer holds no type.",
        }.get(report.outcome, "The server did not answer as it should.")

    def _loading(self) -> str:
        load = self.state.load_ms if self.state is not None else None
        if load is None:
            return self.report.sentence or self._outcome_sentence()
        return f"The model is loading, about {max(1, round(load / 1000.0))} s. This is not a time-out."

    def _penalty_text(self) -> str:
        """Return the effect of the LLM's silence on the confidence: "0.550 − 0.100 = 0.450."."""
        for step in self.inspection.trace.merge if self.inspection is not None else ():
            if step.name in ("penalty", "scaled"):
                line = _line(step)
                return f"{line.text} = {line.result}."
            if step.name == "keyword result" and step.operands[-1].name == "trusted":
                least = numbers.fixed(step.operands[-1].value)
                floor = numbers.score(step.result, (step.operands[-1].value,))
                return f"{floor} stays: it is {least} or more."
        return ""

    def in_time(self) -> tuple[str, str, str] | None:
        """Return the merge of an answer that counted, or would have: word, line, result."""
        report, inspection = self.report, self.inspection
        if report.outcome is LlmOutcome.LATE and report.would_be is not None:
            steps = self._would_be(report.would_be)
            unsure = any(step.name == "keyword result" for step in steps)
            word = "In time, too unsure:" if unsure else "In time"
            return word, _weighing(steps), numbers.score(report.would_be)
        if report.outcome is not LlmOutcome.ANSWERED or inspection is None or inspection.intent is None:
            return None
        text = _weighing(inspection.trace.merge)
        return ("Combined", text, numbers.score(inspection.intent.confidence)) if text else None

    def _would_be(self, would_be: float) -> Sequence[Step]:
        """Return the steps to the confidence of a late answer; none if they do not lead to it."""
        if self.inspection is None or self.settings is None or self.report.answer is None:
            return ()
        ceiling = Ceiling(LlmOutcome.ANSWERED, self.report.answer)
        merged = merge(self.inspection.detection.floor, ceiling, self.settings.search_intent)
        same = merged.intent is not None and merged.intent.confidence == would_be
        return merged.steps if same else ()


_WITH_ANSWER = (LlmOutcome.ANSWERED, LlmOutcome.LATE, LlmOutcome.LOW_CONFIDENCE)


CHOSEN_WORDS = {"label": "Intent", "power": "Power"}
"""Names of what the LLM chooses."""


def choice_line(choice: LlmChoice) -> str:
    """Return the outcome of an LLM choice, with the arithmetic if the answer counts."""
    of, asked = CHOSEN_WORDS[choice.of], words.LLM[choice.outcome].word
    if choice.outcome is LlmOutcome.ASKING:
        return f"{of}: the LLM is asked to choose."
    weighed = _weighing(choice.steps)
    if weighed:
        result = numbers.score(choice.confidence)
        return f"{of} by the LLM: {choice.name}, {weighed} = {result}"
    own = choice.sentence or asked
    if not choice.name:
        return f"{of}: {own}"
    return f"{of}: {choice.name} stays. {own}"


def without_breaks(sentence: str) -> str:
    """Return the sentence with non-breaking spaces in equations and before units."""
    return _TIGHT.sub("\N{NO-BREAK SPACE}", sentence)


def _weighing(steps: Sequence[Step]) -> str:
    """Return a merge as one expression: "min(0.7 × 0.910 + 0.3 × 0.550 + 0.100, 1.000)"."""
    text = ""
    for step in steps:
        last = step.operands[-1].value
        if step.name == "weighed":
            text = _line(step).text
        elif text and step.name == "same topics":
            text = f"{text} + {numbers.fixed(last)}"
        elif text and step.operation in ("min", "max") and step.result != step.operands[0].value:
            text = f"{step.operation}({text}, {numbers.fixed(last)})"
    return text


def _line(step: Step) -> arithmetic.Line:
    """Return the step as bare numbers: its `keyword` is the keywords' result, not the scorer."""
    operands = tuple(replace(operand, name=f"the {operand.name}") for operand in step.operands)
    return arithmetic.line(replace(step, operands=operands))


def _bars(answer: LlmAnswer) -> tuple[tuple[str, float, str], ...]:
    """Return the types by probability; without a distribution the type and its confidence."""
    shares = answer.distribution or {answer.type.value: answer.confidence}
    ranked = sorted(shares.items(), key=lambda entry: -entry[1])
    return tuple((words.type_word(name), value, numbers.chance(value)) for name, value in ranked)


def _later(report: LlmReport) -> tuple[str, ...]:
    """Return topics and reasoning, of the answer or of the slower one after it."""
    answer = report.detail or report.answer
    if answer is None:
        return ()
    lines: list[str] = []
    if report.answer is not None and report.answer.distribution is None:
        lines.append("The confidence is the model’s own opinion.")
    if answer.topics:
        lines.append(f"{'Topics' if report.detail is None else 'Later: topics'} {', '.join(answer.topics)}")
    if answer.reasoning:
        lines.append(answer.reasoning)
    return tuple(lines)


# --------------------------------------------------------------------------------------------------------------------
# Session times of the LLM: one per query, increased when a late answer arrives

_ANSWERS = frozenset({LlmOutcome.ANSWERED, LlmOutcome.LOW_CONFIDENCE, LlmOutcome.LATE, LlmOutcome.UNREADABLE})


class LlmTimes:
    """Collects the time of each query's LLM report; a time-out counts with the time waited.

    Unanswered requests (unreachable, failed, loading) are not counted.
    """

    def __init__(self) -> None:
        self.durations = Durations()
        self._last: tuple[Query, float] | None = None

    def take(self, query: Query, report: LlmReport) -> bool:
        """Count a report; return True if that changed anything."""
        ms = _time(report)
        if ms is None:
            return False
        if self._last is not None and self._last[0] is query:
            before = self._last[1]
            if before == ms:
                return False
            self.durations.take_back(before)
        self._last = (query, ms)
        self.durations.add(ms)
        return True


def _time(report: LlmReport) -> float | None:
    if report.ms is None:
        return None
    if report.outcome is LlmOutcome.TIMED_OUT:
        return max(report.ms, math.nextafter(report.budget_ms, math.inf))
    return report.ms if report.outcome in _ANSWERS else None


# --------------------------------------------------------------------------------------------------------------------
# Prompts and replies of the LLM, verbatim


@dataclass(frozen=True, slots=True)
class RawText:
    title: str
    text: str


def raw_texts(report: LlmReport, choices: Sequence[LlmChoice] = ()) -> tuple[RawText, ...]:
    """Return prompts and replies of answer, details and choices; empty if none were stored."""
    answer, detail = report.answer, report.detail
    prompt = report.prompt or (answer.prompt if answer else "")
    reply = report.reply or (answer.reply if answer else "")
    found = [RawText("Prompt", prompt), RawText("Reply", reply)]
    if detail is not None:
        found += [RawText("Later prompt", detail.prompt), RawText("Later reply", detail.reply)]
    for choice in choices:
        of = CHOSEN_WORDS[choice.of]
        found += [RawText(f"{of}: prompt", choice.prompt), RawText(f"{of}: reply", choice.reply)]
    return tuple(raw for raw in found if raw.text)


def raw_title(report: LlmReport) -> str:
    """Return model, mode and outcome of one report in one line."""
    mode = MODES.get(report.mode, report.mode) if report.mode else ""
    parts = (report.model, mode, words.LLM[report.outcome].word)
    return ", ".join(part for part in parts if part)
