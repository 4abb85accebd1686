"""What a change of settings or of the encoder does to labelled cases, in words, rows and parts of a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.display import numbers
from app.display.library.cases import NO_MATCH_TEXT, format_answers
from app.domain.case import TASK_WORDS
from app.domain.language import percents, plural
from app.domain.match import Tier
from app.evaluation.answers import Answered
from app.evaluation.comparison import CHANCE, CaseChange, ChangedCase, Comparison
from app.evaluation.delivery import delivery_of, unexpected, why_not_delivered
from app.evaluation.evaluation import Evaluation
from app.evaluation.metrics import no_match_right
from app.evaluation.reports.report import document
from app.evaluation.reports.tier_report import table
from app.evaluation.sweep import Sweep, SweepRow

if TYPE_CHECKING:
    from app.evaluation.evaluation import Evaluation
    from app.services.system.encoders import Gain


SHOWN_CASES = 20
"""So many cases of a kind are listed on the command line."""

SHOWN_REFUSED = 5
"""Up to so many values that were not tried are named."""

NO_MATCH_RIGHT = "no_match_right"
"""Beside the metrics: the share of the cases without an answer that got none."""

TURNS: Mapping[CaseChange, str] = {
    CaseChange.FIXED: "Newly right",
    CaseChange.BROKEN: "Newly wrong",
    CaseChange.OTHERWISE: "Wrong in another way",
}

_DIGITS = 4


def metric_values(evaluation: Evaluation) -> dict[str, float | None]:
    """Every metric that applies to these cases, the share of rightly unanswered ones, and what becomes of powers."""
    every = {**evaluation.metrics, NO_MATCH_RIGHT: no_match_right(evaluation.answered), **_of_powers(evaluation)}
    return {name: value for name, value in every.items() if value is not None}


def _of_powers(evaluation: Evaluation) -> dict[str, float | None]:
    """The share of the cases that would start a power, that of the started which are wrong, and the turns that the
    answers cost at most."""
    quality, whole = evaluation.tier_quality, len(evaluation.answered)
    if quality is None or not whole:
        return {}
    friction = None if quality.friction is None else quality.friction[1]
    started, wrongly = evaluation.tiers[Tier.ACTIVATED], quality.wrongly_activated
    return {
        "served": quality.served,
        "activated": started / whole,
        "wrongly_activated": wrongly / started if started else None,
        "friction": friction,
    }


def metric_text(value: float | None) -> str:
    """A metric: four digits, which tell a case of some thousands."""
    return numbers.ABSENT if value is None else f"{value:.{_DIGITS}f}"


def gain_text(before: float | None, after: float | None) -> str:
    """What is added to a metric, with its sign; "0" for nothing at all."""
    if before is None or after is None:
        return ""
    size = numbers.fixed(after - before, _DIGITS)
    if after != before and not round(after - before, _DIGITS):
        least = f"<{10**-_DIGITS}"
        size = least if after > before else f"{numbers.MINUS}{least}"
    return f"+{size}" if after > before else size


def turned_sentence(comparison: Comparison) -> str:
    """How many cases turn."""
    fixed, broken, other = (len(comparison.of(turn)) for turn in CaseChange)
    right = plural(fixed, "{n} case newly right", "{n} cases newly right")
    wrong = plural(broken, "{n} newly wrong", "{n} newly wrong")
    sentence = f"{right}, {wrong}."
    if not other:
        return sentence
    more = plural(other, "{n} more stays wrong in another way.", "{n} more stay wrong in another way.")
    return f"{sentence} {more}"


def chance_sentence(comparison: Comparison, tried: int = 1) -> str:
    """Whether the difference is more than chance, in a sentence; "" where no case turned."""
    whole = comparison.fixed + comparison.broken
    if not whole:
        return ""
    of = plural(
        whole,
        "If right or wrong were a toss-up for the case that turned",
        "If right or wrong were a toss-up for each of the {n} cases that turned",
    )
    odds = (
        f"{of}, a difference like this would come by chance in {_share(comparison.p)} of all "
        f"tries (McNemar's exact test, {p_text(comparison.p)})."
    )
    if tried > 1:
        strict = f"As {tried} values were tried, it takes p below {CHANCE / tried:.2g}."
        odds = f"{odds} {strict}"
    if comparison.is_more_than_chance(tried):
        return f"This is more than chance. {odds}"
    return f"This may be chance. {odds}"


def p_text(p: float) -> str:
    """A p as it is written: "p = 0.035", "p < 0.001"."""
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.2g}"


def _share(p: float) -> str:
    if p < 0.001:
        return "fewer than 0.1 %"
    return f"{100 * p:.2g} %" if p < 0.995 else "100 %"


def verdict(comparison: Comparison) -> str:
    """What the change does."""
    if not comparison.turned:
        return "Every case is answered as before."
    return turned_sentence(comparison)


def sweep_verdict(sweep: Sweep) -> str:
    """Which value is best, and whether it is better by more than chance."""
    best = sweep.best
    if best is None:
        return "No value was tried."
    if best.comparison.net <= 0:
        what = "No value gets more cases right than the current one."
        return what if best.comparison.net == 0 else f"{what} The best of them is {best.value}."
    turned = turned_sentence(best.comparison)
    if sweep.is_better:
        return f"{best.value} is best. {turned}"
    what = "No value beats the current one by more than chance."
    return f"{what} At {best.value} most answers are right. {turned}"


def sweep_chance_sentence(sweep: Sweep) -> str:
    """How sure it is that the best value is better, and what was not tried; "" where there is neither."""
    best = sweep.best
    sure = "" if best is None or best.comparison.net <= 0 else chance_sentence(best.comparison, sweep.tried)
    if not sweep.refused:
        return sure
    few = sweep.refused if len(sweep.refused) <= SHOWN_REFUSED else (sweep.refused[0], "…", sweep.refused[-1])
    left = f"Not tried, since the other settings do not go with it: {' '.join(few)}."
    return f"{sure} {left}".strip()


def skipped_lines_sentence(lost: int, file: str) -> str:
    """How many lines of a file could not be judged."""
    return plural(
        lost,
        "1 line of {file} is not a case and was skipped.",
        "{n} lines of {file} are not cases and were skipped.",
        file=file,
    )


def given(answered: Answered) -> str:
    """The answer given, or that none was."""
    return answered.predicted or NO_MATCH_TEXT


def outcome_text(answered: Answered) -> str:
    """The answer given; where that is right and the case fails, what is delivered wrongly."""
    return why_not_delivered(answered) or given(answered)


def expected(answered: Answered) -> str:
    """What would be right, or what would not be."""
    case = answered.case
    if case.unwanted and not case.expected:
        return f"not {format_answers(case.unwanted)}"
    return format_answers(answered.acceptable) if answered.acceptable else NO_MATCH_TEXT


# ---- for people on the command line


def comparison_lines(comparison: Comparison, changes: Mapping[str, str]) -> list[str]:
    """The metrics side by side, the verdict, and the cases that turn."""
    return [
        f"Under {changes_text(changes)}",
        *table([("metric", "today", "then", "change"), *comparison_rows(comparison)]),
        "",
        f"{verdict(comparison)} {chance_sentence(comparison)}".strip(),
        *(line for turn in CaseChange for line in turned_lines(turn, comparison.of(turn))),
    ]


def changes_text(changes: Mapping[str, str]) -> str:
    """Changed settings as they are written."""
    return ", ".join(f"{key}={value}" for key, value in changes.items())


def comparison_rows(comparison: Comparison) -> list[tuple[str, str, str, str]]:
    """Every figure before and after, and what is gained."""
    before, after = metric_values(comparison.before), metric_values(comparison.after)
    return [
        (name, metric_text(one), metric_text(after.get(name)), gain_text(one, after.get(name)))
        for name, one in before.items()
    ]


def turned_lines(turn: CaseChange, turned: Sequence[ChangedCase]) -> list[str]:
    """The first of the cases of which this became, for people on the command line."""
    if not turned:
        return []
    lines = ["", f"{TURNS[turn]} ({len(turned):,})"]
    lines += (turned_line(one) for one in turned[:SHOWN_CASES])
    if len(turned) > SHOWN_CASES:
        lines.append(f"  and {len(turned) - SHOWN_CASES:,} more; --json has all")
    return lines


def turned_line(one: ChangedCase) -> str:
    """A case that turned, for people on the command line."""
    before, after = (_answer_words(answer) for answer in (one.before, one.after))
    return f"  {before} → {after} (expected {expected(one.before)}): {one.before.case.text}"


def _answer_words(answered: Answered) -> str:
    why = why_not_delivered(answered).rstrip(".")
    return f"{given(answered)} {numbers.score(answered.confidence)}" + (f" ({why[0].lower()}{why[1:]})" if why else "")


def sweep_lines(sweep: Sweep) -> list[str]:
    """A line for each value, then the verdict."""
    shown = list(metric_values(sweep.today))
    best = sweep.best
    stars = {name: sweep.best_of(name) for name in shown if name in sweep.today.metrics}
    heads = (sweep.key, *shown, "fixed", "broken", "p", "")
    rows = [("today", *(metric_text(value) for value in metric_values(sweep.today).values()), "", "", "", "")]
    for row in sweep.rows:
        found = metric_values(row.comparison.after)
        cells = (metric_text(found.get(name)) + ("*" if row.value in stars.get(name, ()) else "") for name in shown)
        marks = ["best"] if row is best else []
        marks += ["today"] if row.is_today else []
        turned = (f"{row.comparison.fixed:,}", f"{row.comparison.broken:,}", _p(row))
        rows.append((row.value, *cells, *turned, ", ".join(marks)))
    legend = "* best of its column; best: the most cases delivered as expected"
    summed_up = f"{sweep_verdict(sweep)} {sweep_chance_sentence(sweep)}".strip()
    return [f"Sweep of {sweep.key}", *table([heads, *rows]), legend, "", summed_up]


def _p(row: SweepRow) -> str:
    return "" if row.is_today else p_text(row.comparison.p).removeprefix("p ").removeprefix("= ")


# ---- as parts of a document


def comparison_document(comparison: Comparison, changes: Mapping[str, str]) -> dict[str, Any]:
    """What a change does, made of plain dicts, lists, strings, numbers and None."""
    return {
        "settings": dict(changes),
        "metrics": dict(comparison.after.metrics),
        **_turned_document(comparison),
        "cases": {turn.value: [case_document(one) for one in comparison.of(turn)] for turn in CaseChange},
    }


def _turned_document(comparison: Comparison, tried: int = 1) -> dict[str, Any]:
    return {
        NO_MATCH_RIGHT: no_match_right(comparison.after.answered),
        **_of_powers(comparison.after),
        "fixed": comparison.fixed,
        "broken": comparison.broken,
        "net": comparison.net,
        "p": comparison.p,
        "test": "McNemar, exact, two-sided",
        "more_than_chance": comparison.is_more_than_chance(tried),
    }


def case_document(one: ChangedCase) -> dict[str, Any]:
    """A case that turned, with both answers."""
    return {
        "text": one.before.case.text,
        "expected": list(one.before.case.expected),
        "unwanted": list(one.before.case.unwanted),
        "before": _side(one.before),
        "after": _side(one.after),
    }


def _side(answered: Answered) -> dict[str, Any]:
    return {
        "predicted": answered.predicted,
        "confidence": answered.confidence,
        "delivered": delivery_of(answered).value,
        "unexpected": list(unexpected(answered)),
    }


def sweep_document(sweep: Sweep) -> dict[str, Any]:
    """Today's evaluation without its cases, and what each value comes to."""
    today = {key: value for key, value in document(sweep.today).items() if key != "cases"}
    best = sweep.best
    rows = [
        {
            "value": row.value,
            "today": row.is_today,
            "right": row.right,
            "metrics": dict(row.comparison.after.metrics),
            **_turned_document(row.comparison, sweep.tried),
        }
        for row in sweep.rows
    ]
    swept = {"key": sweep.key, "values": rows, "best": None if best is None else best.value}
    return {**today, "sweep": {**swept, "better_than_chance": sweep.is_better, "refused": list(sweep.refused)}}


# ---- What another encoder does to the labelled cases, in a sentence and as a document.


def encoder_gain_sentence(gain: Gain) -> str:
    """What an encoder does to the labelled cases, and whether that is more than chance."""
    before, after = (_share_right(one) for one in (gain.comparison.before, gain.comparison.after))
    count = len(gain.comparison.after.answered)
    words = plural(
        count,
        "{task}: of the one case {after} comes out right with it, {before} as it is now.",
        "{task}: of the {n} cases {after} come out right with it, {before} as it is now.",
        task=TASK_WORDS[gain.task],
        after=after,
        before=before,
    )
    odds = chance_sentence(gain.comparison)
    return " ".join(part for part in (words, verdict(gain.comparison), odds) if part)


def encoder_gain_document(gain: Gain) -> dict[str, Any]:
    """What an encoder does to the labelled cases, for JSON."""
    comparison = gain.comparison
    return {
        "task": gain.task.value,
        "cases": len(comparison.after.answered),
        "top1_before": comparison.before.metrics["top1"],
        "top1_after": comparison.after.metrics["top1"],
        "fixed": comparison.fixed,
        "broken": comparison.broken,
        "p": comparison.p,
    }


def _share_right(evaluation: Evaluation) -> str:
    share = evaluation.metrics["top1"]
    return numbers.ABSENT if share is None else percents(share)
