"""Thresholds: effect of one on trial, and the one that reaches a target precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.display import numbers, words
from app.display.library.cases import SortedConfidences
from app.display.system.settings import BANDS, LEAST, SURFACING, THRESHOLDS, TIERS
from app.domain.case import Task
from app.domain.inspection import Inspection
from app.domain.language import percents, quantity
from app.domain.library import Kind
from app.domain.match import BAND_WORDS, TIER_WORDS, Band, Match, Tier
from app.evaluation.answers import Top, Tops
from app.settings.model import Settings, value_of

if TYPE_CHECKING:
    from app.evaluation.curves import PrecisionTarget


DESCENDING: tuple[tuple[str, ...], ...] = (("tiers.high", "tiers.medium", "tiers.weak"), ("bands.high", "bands.medium"))
"""Settings that must not increase from one to the next."""

_TASKS: Mapping[str, tuple[Task, ...]] = {
    TIERS: (Task.POWER,),
    BANDS: (Task.INTENT, Task.MEMORY),
    SURFACING: (Task.TYPE,),
    LEAST: (),
}

_FILES: Mapping[str, str] = {TIERS: "power", BANDS: "intent", SURFACING: "type"}
"""Task that an import of cases would name, by family of thresholds."""

_SURFACED, _KEPT_BACK = "Injected", "Not injected"


@dataclass(frozen=True, slots=True)
class LevelCount:
    """Numbers of cases and of correct ones on a level, under the current value and the tried one."""

    level: Band | Tier | None
    word: str
    now: int
    now_right: int
    then: int
    then_right: int


@dataclass(frozen=True, slots=True)
class ThresholdTrial:
    """Effect of a value.

    `refusal` is why it cannot be set ("" if it can); `current` the effect on the answer on screen; `levels` the cases
    by level, best first, empty without cases, and `cases` the same as a sentence.
    """

    refusal: str
    current: str
    cases: str
    levels: tuple[LevelCount, ...]


def neighbours(key: str, settings: Settings) -> tuple[tuple[str, float], ...]:
    """Return the other thresholds of the same scale, by the last part of their keys, as marks."""
    family = THRESHOLDS[key]
    others = (other for other, own in THRESHOLDS.items() if own == family and other != key)
    return tuple(
        (other.rpartition(".")[2].removesuffix("_threshold"), float(str(value_of(settings, other))))
        for other in others
        if "margin" not in key and "margin" not in other
    )


def refusal(key: str, value: float, settings: Settings) -> str:
    """Return why a threshold cannot have a value beside the others as they are; "" if it can."""
    for family in DESCENDING:
        if key not in family:
            continue
        place = family.index(key)
        above, below = reversed(family[:place]), family[place + 1 :]
        for other, is_above in [(name, True) for name in above] + [(name, False) for name in below]:
            limit = float(str(value_of(settings, other)))
            if value > limit if is_above else value < limit:
                way, first = ("above", "Raise") if is_above else ("below", "Lower")
                own, name = (part.rpartition(".")[2] for part in (key, other))
                bound = f"must not be {way} “{name}” {numbers.fixed(limit)}"
                return f"“{own}” {numbers.fixed(value)} {bound}. {first} that one first."
    return ""


class AnsweredCases:
    """Answered labelled cases, sorted once for every scale; `fault` is why there are none."""

    def __init__(self, tops: Tops | None = None, fault: str = "") -> None:
        self.tops, self.fault = tops, fault
        found = {} if tops is None else tops.by_task
        self._ladders = {
            family: SortedConfidences(top for task in tasks for top in found.get(task, ()))
            for family, tasks in _TASKS.items()
        }

    def confidences(self, family: str) -> SortedConfidences:
        """Return the cases that the thresholds of one scale divide."""
        return self._ladders[family]


def try_threshold(
    key: str, value: float, settings: Settings, inspection: Inspection | None, cases: AnsweredCases
) -> ThresholdTrial:
    """Return the effect of a value on the current answer and the cases.

    If it contradicts another threshold, only the reason.
    """
    refused = refusal(key, value, settings)
    if refused:
        return ThresholdTrial(refused, "", "", ())
    limits = {name: float(str(value_of(settings, name))) for name in THRESHOLDS}
    tried = limits | {key: value}
    family = THRESHOLDS[key]
    ladder = cases.confidences(family)
    return ThresholdTrial(
        "",
        _current(family, limits, tried, inspection),
        cases.fault or _cases_sentence(family, len(ladder), cases.tops),
        _counts(family, limits, tried, ladder) if len(ladder) else (),
    )


# ---- the cases

Level = tuple[Band | Tier | None, str]


def _levels(family: str) -> tuple[Level, ...]:
    if family == TIERS:
        return tuple((tier, TIER_WORDS[tier]) for tier in Tier)
    if family == BANDS:
        return tuple((band, BAND_WORDS[band]) for band in Band)
    return (None, _SURFACED), (None, _KEPT_BACK)


def _counts(
    family: str, limits: Mapping[str, float], tried: Mapping[str, float], ladder: SortedConfidences
) -> tuple[LevelCount, ...]:
    now, then = (ladder.count_levels(_ascending(family, values), _margin(family, values)) for values in (limits, tried))
    return tuple(LevelCount(*level, *now[place], *then[place]) for place, level in enumerate(_levels(family)))


def _ascending(family: str, values: Mapping[str, float]) -> tuple[float, ...]:
    """Return the thresholds of a scale, lowest first."""
    keys = {
        TIERS: ("tiers.weak", "tiers.medium", "tiers.high"),
        BANDS: ("fallback_threshold", "bands.medium", "bands.high"),
        SURFACING: ("search_intent.surfacing_threshold",),
    }
    return tuple(values[key] for key in keys[family])


def _margin(family: str, values: Mapping[str, float]) -> float:
    return values["tiers.ambiguity_margin"] if family == TIERS else 0.0


def _place(family: str, values: Mapping[str, float], confidence: float, lead: float) -> int:
    """Return the level of one answer, 0 being the best."""
    rungs = SortedConfidences([Top(confidence, is_right=True, lead=lead)]).count_levels(
        _ascending(family, values), _margin(family, values)
    )
    return next(place for place, (n, _) in enumerate(rungs) if n)


def _cases_sentence(family: str, n: int, tops: Tops | None) -> str:
    if family == LEAST:
        return "The labelled cases are answered without the LLM, so its effect on them is not known."
    if tops is None:
        return "The labelled cases are not counted."
    if tops.done < tops.total:
        done, total = numbers.count(tops.done), numbers.count(tops.total)
        return f"Answering the labelled cases, {done} of {total}."
    if not n:
        return f"No cases with a labelled {_FILES[family]} yet, so its effect on them is not known."
    return quantity(n, "labelled case")


# ---- the answer on screen


def _current(
    family: str, limits: Mapping[str, float], tried: Mapping[str, float], inspection: Inspection | None
) -> str:
    if inspection is None:
        return ""
    if family in (SURFACING, LEAST):
        return _current_intent(family, limits, tried, inspection)
    kind = Kind.POWER if family == TIERS else Kind.MEMORY
    found = [match for match in inspection.matches if match.kind is kind]
    if not found:
        return "The answer on screen has no power." if kind is Kind.POWER else "It has no memory."
    lead = found[0].confidence - found[1].confidence if len(found) > 1 else 1.0
    levels = [word.lower() for word in (TIER_WORDS if family == TIERS else BAND_WORDS).values()]
    now, then = (levels[_place(family, values, found[0].confidence, lead)] for values in (limits, tried))
    return _becomes(_best(found[0], tuple(tried.values())), now, then)


def _best(match: Match, limits: tuple[float, ...]) -> str:
    shown = numbers.rough_chance(match.confidence, limits)
    return f"The current best, {words.answer(match.answer.name)} {shown},"


def _becomes(what: str, now: str, then: str) -> str:
    if now == then:
        return f"{what} stays: {now}."
    return f"{what} would be: {then}. Now: {now}."


def _current_intent(
    family: str, limits: Mapping[str, float], tried: Mapping[str, float], inspection: Inspection
) -> str:
    key = "search_intent.surfacing_threshold" if family == SURFACING else "search_intent.min_confidence"
    values = (tried[key], limits[key])
    if family == SURFACING:
        if inspection.intent is None:
            return "The query on screen has no type, so this changes nothing for it."
        confidence, name = inspection.intent.confidence, words.type_word(inspection.intent.type)
        yes, no = "high enough", "too low"
    else:
        report = inspection.trace.llm
        if report is None or report.answer is None:
            return "The LLM has not answered the query on screen."
        confidence, name = report.answer.confidence, f"the LLM's {report.answer.type.value}"
        yes, no = "counted", "not counted"
    what = f"The type on screen, {name} {numbers.chance(confidence, values)},"
    return _becomes(what, yes if confidence >= limits[key] else no, yes if confidence >= tried[key] else no)


DEFAULT_PRECISION, DEFAULT_OUT_OF_SCOPE = 0.97, 0.05
"""Default targets: precision, and the share of out-of-scope queries."""

TASKS_BY_THRESHOLD: Mapping[str, tuple[Task, ...]] = {
    "tiers.high": (Task.POWER,),
    "bands.high": (Task.INTENT, Task.MEMORY),
}
"""Thresholds that can be fitted to a target precision, with the tasks that measure it."""

THRESHOLD_BY_TASK: Mapping[Task, str] = {task: key for key, tasks in TASKS_BY_THRESHOLD.items() for task in tasks}
"""Threshold that is fitted on the cases of each task."""


@dataclass(frozen=True, slots=True)
class PrecisionTargetView:
    """Sentence on a target precision, and the threshold that reaches it; None if there is none."""

    sentence: str
    value: float | None = None


def precision_target_view(key: str, tops: Tops | None, precision: float, out_of_scope: float) -> PrecisionTargetView:
    """Return the threshold that reaches a target precision on the labelled cases of the profile.

    If these are too few, the held-out phrases of the fit are used.
    """
    from app.evaluation.curves import LEAST_ANSWERED

    if tops is None or tops.done < tops.total:
        return PrecisionTargetView("")
    cases = [top for task in TASKS_BY_THRESHOLD[key] for top in tops.by_task.get(task, ())]
    folds = tops.of_folds.get(TASKS_BY_THRESHOLD[key] == (Task.POWER,), ())
    if sum(top.is_labelled for top in cases) >= LEAST_ANSWERED:
        return threshold_for_precision(cases, precision, out_of_scope)
    if not folds:
        return PrecisionTargetView(
            f"For a precision it takes {LEAST_ANSWERED} labelled cases, or several queries an "
            "answer and the combination “Learned”."
        )
    return threshold_for_precision(folds, precision, out_of_scope, are_cases=False)


def threshold_for_precision(
    every: Sequence[Top], precision: float, out_of_scope: float, *, are_cases: bool = True
) -> PrecisionTargetView:
    """Return the threshold for a precision on these answers; without out-of-scope ones, share 0."""
    from app.evaluation.curves import precision_target

    known = [top for top in every if top.is_labelled]
    has_out_of_scope = any(top.expects_none for top in known)
    found = precision_target(known, precision, out_of_scope if has_out_of_scope else 0.0)
    return PrecisionTargetView(
        precision_target_sentence(found, are_cases=are_cases), None if found is None else found.threshold
    )


def precision_target_sentence(found: PrecisionTarget | None, *, are_cases: bool = True) -> str:
    """Format what a threshold for a precision does; None: there is none."""
    from app.evaluation.curves import LEAST_ANSWERED

    if found is None:
        return f"No value keeps that over {LEAST_ANSWERED} cases and more."
    bounds = f"{percents(found.low)} to {percents(found.high)} with 95 %"
    effect = (
        f"From {found.threshold:g} on {percents(found.precision)} of the answers are correct ({bounds}), and "
        f"{percents(found.coverage)} of the queries that have an answer get one."
    )
    sample = _sample_sentence(found, are_cases=are_cases)
    if found.admitted is None:
        return f"{effect} {sample} No case is out of scope, so none are counted."
    share = f"assumed to be {percents(found.strangers)} of all"
    return f"{effect} Of out-of-scope queries, {share}, {percents(found.admitted)} get one too. {sample}"


def _sample_sentence(found: PrecisionTarget, *, are_cases: bool) -> str:
    if are_cases:
        return f"By {quantity(found.answered, 'labelled case')}."
    texts = quantity(found.answered, "text that was", "texts that were")
    return f"By {texts} left out of the fit and asked; labelled cases tell it better."


def precision_target_line(found: PrecisionTarget | None, task: Task) -> str:
    """Format the threshold for a precision for the terminal, with its setting."""
    return f"{THRESHOLD_BY_TASK[task]}: {precision_target_sentence(found)}"
