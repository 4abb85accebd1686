"""Merge as a column of amounts that adds up to the confidence, per merge policy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.detect.merge import NOTHING_ASKED, TRUSTED
from app.display import numbers, words
from app.display.scope.surfacing import surfacing_limits
from app.domain.inspection import Detection, Inspection, Merged
from app.domain.intent import DetectionSource, SearchIntent
from app.domain.language import quantity
from app.domain.llm import NO_PENALTY, LlmOutcome, LlmReport
from app.domain.match import Operand, Step

if TYPE_CHECKING:
    from app.settings.model import Settings

ORDER = ("floor", "llm", "topics", "cap", "least", "strict", "none")
"""Keys of the possible rows, in merge order."""

_DIGITS = range(numbers.SCORE_DIGITS, 13)
_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class MergeRow:
    """One row: a step, its explanation, and the amount it adds, as text.

    `adds` is True for arithmetic and False for words.
    """

    what: str
    how: str
    value: str
    key: str = "floor"
    adds: bool = True


@dataclass(frozen=True, slots=True)
class Term:
    """Number in a sum, with an optional factor and an optional maximum."""

    value: float
    times: float | None = None
    most: float | None = None

    def worth(self, digits: int) -> float:
        whole = _rounded(self.value, digits) * (1.0 if self.times is None else self.times)
        return whole if self.most is None else min(whole, self.most)

    def text(self, digits: int) -> str:
        number = numbers.fixed(self.value, digits)
        if self.times is not None:
            number = f"{self.times:g} {numbers.TIMES} {number}"
        return number if self.most is None else f"min({number}, {numbers.fixed(self.most, digits)})"


@dataclass(frozen=True, slots=True)
class _Amount:
    """Row before its digits are known: words, or terms that are added and weighted."""

    key: str
    what: str
    amount: float | None
    say: str = ""
    terms: tuple[Term, ...] = ()
    weight: float | None = None

    def how(self, digits: int) -> str:
        if self.say:
            return self.say
        text = " + ".join(term.text(digits) for term in self.terms)
        if self.weight is None:
            return text
        text = f"({text})" if len(self.terms) > 1 or self.terms[0].times is not None else text
        return f"{numbers.minus(f'{self.weight:g}')} {numbers.TIMES} {text}"

    def worth(self, digits: int) -> float:
        return (1.0 if self.weight is None else self.weight) * math.fsum(term.worth(digits) for term in self.terms)

    def row(self, digits: int) -> MergeRow:
        if self.amount is None:
            return MergeRow(self.what, self.say, numbers.ABSENT, self.key, adds=False)
        value = numbers.fixed(0.0 if abs(self.amount) < _NOTHING else self.amount, digits)
        if self.say:
            return MergeRow(self.what, self.say, value, self.key, adds=False)
        target = _rounded(self.amount, digits)
        enough = (more for more in _DIGITS if abs(_rounded(self.worth(more), digits) - target) < _NOTHING)
        return MergeRow(self.what, self.how(next(enough, _DIGITS[-1])), value, self.key)


@dataclass(frozen=True, slots=True)
class _Merge:
    """Input of the rows: the detection, a policy's result, and the LLM's report."""

    detection: Detection
    merged: Merged
    report: LlmReport | None
    policy: str
    settings: Settings | None
    steps: Mapping[str, Step] = field(default_factory=dict)

    @property
    def is_on(self) -> bool:
        return self.report is not None and self.report.outcome is not LlmOutcome.OFF


def merge_rows(inspection: Inspection, merged: Merged, policy: str, settings: Settings | None) -> tuple[MergeRow, ...]:
    """Return the rows of a policy's merge; displayed values add up to the displayed confidence."""
    steps = {step.name: step for step in merged.steps}
    case = _Merge(inspection.detection, merged, inspection.trace.llm, policy, settings, steps)
    amounts = [*_floor(case), *_llm(case), *_remainder(case)]
    confidence = merged.intent.confidence if merged.intent else 0.0
    digits = _digits([amount.amount or 0.0 for amount in amounts], numbers.score(confidence, limits(settings)))
    return tuple(amount.row(digits) for amount in amounts)


def limits(settings: Settings | None) -> tuple[float, ...]:
    """Return the thresholds that the intent's confidence must not seem to cross."""
    if settings is None:
        return ()
    return surfacing_limits(settings.fallback_threshold, settings.search_intent.surfacing_threshold)


def type_chance(confidence: float, settings: Settings | None, least: Iterable[float] = ()) -> str:
    """Format the confidence of a type as a percentage, the same in headline, pane and text."""
    return numbers.rough_chance(confidence, (*least, *limits(settings)))


def merge_in_force(inspection: Inspection, settings: Settings | None) -> tuple[str, Merged]:
    """Return the active policy and its merge; without policies the inspection's own merge."""
    name: str = settings.search_intent.merge if settings is not None else ""
    steps = inspection.trace.merge[len(inspection.detection.floor_steps) :]
    shown = Merged(inspection.intent, steps)
    if inspection.by_merger.get(name) != shown:
        name = next((key for key, merged in inspection.by_merger.items() if merged == shown), "adr")
    return name, shown


# ---- keywords and examples


def _floor(case: _Merge) -> list[_Amount]:
    floor = case.detection.floor
    if floor is None:
        return [_Amount("floor", "Keywords", None, "no keyword matched")] if case.is_on else []
    weighed = case.steps.get("weighed")
    if weighed is not None:
        weight = weighed.operands[1].weight or 0.0
        given, is_learned = weighed.operands[1].value, floor.source is DetectionSource.LEARNED
        what = "Learned" if is_learned else "Keywords"
        terms = floor_terms(case.detection) if given == floor.confidence else (Term(given),)
        return [_Amount("floor", what, weight * given, "", terms, weight)]
    if floor.source is DetectionSource.LEARNED:
        return [_Amount("floor", "Learned", floor.confidence, learned_how(case.detection))]
    cues = len(case.detection.ranking[0].hits) if case.detection.ranking else 0
    what = quantity(cues, "keyword")
    own = case.detection.steps and case.detection.steps[-1].operation == "max"
    how = "the rule’s own confidence" if own else ""
    return [_Amount("floor", what, floor.confidence, how, floor_terms(case.detection))]


def floor_word(floor: SearchIntent) -> str:
    """Return the name of the result before the LLM."""
    return "Learned" if floor.source is DetectionSource.LEARNED else "Keywords"


def learned_how(detection: Detection) -> str:
    """Return why the examples overruled the keywords."""
    keyword = detection.intent
    if keyword is None:
        return "no keyword matched"
    confidence = numbers.chance(keyword.confidence)
    if detection.learned is not None and any(step.name == NOTHING_ASKED for step in detection.learned.steps):
        return f"nothing is asked; keywords: {confidence}"
    return f"more confident than the keywords ({words.type_word(keyword.type)} {confidence})"


def floor_terms(detection: Detection) -> tuple[Term, ...]:
    """Return the confidence before the LLM as terms: base, cues, and combined bonuses."""
    floor = detection.floor
    last = detection.steps[-1] if detection.steps else None
    if floor is None or last is None or last.operation != "sum" or floor.source is DetectionSource.LEARNED:
        return (Term(floor.confidence),) if floor is not None else ()
    capped = next((step for step in detection.steps if step.name == "cues"), None)
    terms: list[Term] = []
    bonuses: dict[float, int] = {}
    for operand in last.operands:
        if operand.name == "cues":
            terms.append(_cues(operand, capped, detection))
        elif operand.name == "base":
            terms.append(Term(operand.value))
        else:
            bonuses[operand.value] = bonuses.get(operand.value, 0) + 1
    return (*terms, *(Term(value, None if n == 1 else n) for value, n in bonuses.items()))


def _cues(operand: Operand, capped: Step | None, detection: Detection) -> Term:
    if capped is None:
        return Term(operand.value) if operand.weight is None else Term(operand.weight, operand.value)
    hits = len(detection.ranking[0].hits) if detection.ranking else 1
    whole, most = capped.operands[0].value, capped.operands[1].value
    return Term(whole / hits, hits, most if whole > most + _NOTHING else None)


# ---- LLM


def _llm(case: _Merge) -> list[_Amount]:
    if not case.is_on or case.report is None:
        return []
    steps, report = case.steps, case.report
    floor = case.detection.floor
    late = report.outcome is LlmOutcome.LATE
    silent = words.LLM[LlmOutcome.TIMED_OUT if late else report.outcome].silent or "LLM"
    if "weighed" in steps:
        llm = steps["weighed"].operands[0]
        weight = llm.weight or 0.0
        return [_Amount("llm", _answered(report), weight * llm.value, "", (Term(llm.value),), weight)]
    if "llm alone" in steps:
        return [_Amount("llm", _answered(report), steps["llm alone"].result, "no keyword matched")]
    if "penalty" in steps:
        how = f"below {numbers.fixed(TRUSTED)}"
        return [_Amount("llm", silent, steps["penalty"].operands[1].value, how)]
    if "scaled" in steps and floor is not None:
        lost = round((steps["scaled"].operands[0].weight or 1.0) - 1.0, 9)
        return [_Amount("llm", silent, lost * floor.confidence, "", (Term(floor.confidence),), lost)]
    if report.outcome is LlmOutcome.ASKING or floor is None:
        return [_Amount("llm", silent, None, ("no word yet" if report.outcome is LlmOutcome.ASKING else ""))]
    return [_Amount("llm", silent, 0.0, _unchanged_reason(case, report))]


def _answered(report: LlmReport) -> str:
    if report.ms is None:
        return "LLM"
    return f"LLM, after {numbers.milliseconds(report.ms, (report.budget_ms,))} ms"


def _unchanged_reason(case: _Merge, report: LlmReport) -> str:
    """Return why the LLM changes nothing."""
    if report.answer is not None and report.outcome is LlmOutcome.LOW_CONFIDENCE:
        return too_unsure(report.answer.confidence, case.settings)
    kept = case.steps.get("keyword result")
    if kept is not None and kept.operands[-1].name == "trusted":
        return f"{numbers.fixed(kept.operands[-1].value)} or more stays"
    return "changes nothing" if report.outcome in NO_PENALTY else "no penalty"


def too_unsure(confidence: float, settings: Settings | None) -> str:
    """Return why an answer's confidence is too low: "38 % is under 50 %"."""
    if settings is None:
        return "does not count"
    least = settings.search_intent.min_confidence
    return f"{numbers.chance(confidence, (least,))} is under {numbers.chance(least)}"


# ---- further steps of a policy


def _remainder(case: _Merge) -> Iterable[_Amount]:
    steps = case.steps
    answer = case.report.answer if case.report is not None else None
    if "same topics" in steps:
        yield _Amount("topics", "Same topics", steps["same topics"].operands[1].value, "a bonus")
    elif "weighed" in steps and case.policy in ("adr", "by_type") and answer is not None and answer.topics:
        yield _Amount("topics", "Same topics", 0.0, "no bonus, the sets differ")
    for name, key, what, how in (
        ("cap", "cap", "Cap", "at most {limit}"),
        ("not below 0", "least", "Not below 0", "at least {limit}"),
        ("strict floor", "strict", "Never below it", "at least {limit}"),
        ("no topics", "none", "No topics", "the settings ask for one"),
    ):
        made = steps.get(name)
        if made is not None and (name != "cap" or abs(made.result - made.operands[0].value) > _NOTHING):
            limit = numbers.fixed(made.operands[1].value)
            amount = made.result - made.operands[0].value
            yield _Amount(key, what, amount, how.format(limit=limit))


def _digits(amounts: Sequence[float], confidence: str) -> int:
    """Return the fewest decimals (at least three) with which the amounts add up as displayed."""
    if confidence[0] in "<>":
        return _DIGITS[0]
    shown = len(confidence.partition(".")[2])
    for digits in _DIGITS:
        total = math.fsum(_rounded(amount, digits) for amount in amounts)
        if abs(_rounded(total, shown) - float(confidence)) < _NOTHING:
            return digits
    return _DIGITS[-1]


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}f}")
