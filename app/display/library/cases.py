"""Cases as table rows: columns, input format of answers, and results of a run."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any

from app.display import numbers
from app.display.library.tables import Choice, Column, Facet
from app.domain.case import NO_MATCH_WORDS, TASK_WORDS, Case, Task
from app.domain.filters import CaseOrder
from app.domain.intent import intent_type
from app.domain.language import plural, quantity
from app.evaluation.answers import Delivery, Top
from app.services.evaluation.case_runs import CaseRun, Outcome

PARTS = ";"
"""Separator of a case's answers in input."""

NO_MATCH_TEXT = "no match"
"""Text in place of answers if nothing should match."""

NO_CASES = (
    "No cases yet",
    (
        "A case is a query with the answer that would be right. Mark an answer on the scope as right (Ctrl+Up) or wrong"
        " (Ctrl+Down), import labelled queries, or write one yourself."
    ),
)
ADD_SAMPLE = "Add cases about the sample library"


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case in the table; `outcomes` are the results of the runs by key, and may come later."""

    case: Case
    outcomes: Mapping[int, Outcome] = field(default_factory=dict)

    @property
    def outcome(self) -> Outcome | None:
        """Result of the last run; None before it, and after an edit of the case."""
        found = None if self.case.key is None else self.outcomes.get(self.case.key)
        return found if found is not None and found.version == self.case.version else None

    @property
    def is_lost(self) -> bool:
        """True if the last run gave a wrong or unwanted answer."""
        return self.outcome is not None and not self.outcome.is_right


def format_answers(answers: Sequence[str]) -> str:
    """Format answers for input, separated by semicolons."""
    return f"{PARTS} ".join(answers)


def parse_answers(text: str) -> tuple[str, ...]:
    """Parse typed answers; the words for "no match" are no answers."""
    parts = (part.strip() for part in text.split(PARTS))
    return tuple(dict.fromkeys(part for part in parts if part and part not in {*NO_MATCH_WORDS, NO_MATCH_TEXT}))


def answers_fault(task: Task, answers: Iterable[str]) -> str:
    """Return why these cannot be the answers of a case, in a sentence; "" if they can."""
    if task is not Task.TYPE:
        return ""
    unknown = next((answer for answer in answers if intent_type(answer) is None), None)
    return "" if unknown is None else f"“{unknown}” is none of the six types."


def canonical_answers(task: Task, answers: Sequence[str]) -> tuple[str, ...]:
    """Return canonical answers: aliases of the six types become their names (S1.1)."""
    known = ((intent_type(answer) if task is Task.TYPE else None) or answer for answer in answers)
    return tuple(dict.fromkeys(str(one) for one in known))


def edited_case(case: Case, column: str, text: str) -> Case:
    if column == "text":
        return replace(case, text=text.strip())
    answers = canonical_answers(case.task, parse_answers(text))
    return replace(case, unwanted=answers) if column == "unwanted" else replace(case, expected=answers)


def _expected(row: CaseRow) -> str:
    return format_answers(row.case.expected) if row.case.expected or row.case.unwanted else NO_MATCH_TEXT


def case_line(case: Case) -> str:
    """Format a case as a line: number, task, query, expected and unwanted answers."""
    unwanted = f"  must not win: {format_answers(case.unwanted)}" if case.unwanted else ""
    return f"{f'#{case.key}':>6}  {case.task.value:6}  {case.text}  →  {_expected(CaseRow(case))}{unwanted}"


def case_document(case: Case) -> dict[str, object]:
    answers = {"expected": list(case.expected), "unwanted": list(case.unwanted)}
    return {"case": case.key, "task": case.task.value, "text": case.text, **answers}


def _of_outcome(cell: Callable[[Outcome], str], missing: str = "") -> Callable[[CaseRow], str]:
    """Make a cell function for the outcome of a case; `missing` without one."""
    return lambda row: missing if row.outcome is None else cell(row.outcome)


_SIGNS: Mapping[Delivery, tuple[str, str]] = {
    Delivery.RIGHT: ("✓", "success"),
    Delivery.UNAPPROVED: ("△", "warning"),
    Delivery.NO_COMMAND: ("△", "warning"),
}
FAILED = "failed"
"""Key of the filter for every result but delivered."""


def answer_text(name: str | None, fault: str) -> str:
    """Format a given answer and its fault; without one, the fault may name a rejected answer."""
    return fault if name is None and fault else ", ".join(filter(None, (name or NO_MATCH_TEXT, fault)))


def delivery_text(found: Delivery) -> str:
    """Format a result with its sign: "✗ not delivered"."""
    return f"{_SIGNS.get(found, '✗')[0]} {found.words}"


def delivery_tone(found: Delivery) -> str:
    return _SIGNS.get(found, ("", "danger"))[1]


def is_of_result(outcome: Outcome, result: object) -> bool:
    """Return whether an outcome passes a filter of results."""
    return not outcome.is_right if result == FAILED else outcome.delivery == result


CASE_COLUMNS: tuple[Column[CaseRow], ...] = (
    Column("text", "Query", lambda row: row.case.text, 300, CaseOrder.TEXT, can_edit=True),
    Column("task", "Task", lambda row: TASK_WORDS[row.case.task], 70, CaseOrder.TASK, yields=3),
    Column("expected", "Expected", _expected, 150, CaseOrder.EXPECTED, can_edit=True),
    Column(
        "unwanted",
        "Must not win",
        lambda row: format_answers(row.case.unwanted),
        96,
        is_quiet=True,
        can_edit=True,
        yields=2,
        is_sparse=True,
    ),
    Column(
        "result",
        "Result",
        _of_outcome(lambda one: delivery_text(one.delivery)),
        112,
        "result",
        is_sparse=True,
        tone=_of_outcome(lambda one: delivery_tone(one.delivery), "text_2"),
    ),
    Column(
        "answered",
        "Answered",
        _of_outcome(lambda one: answer_text(one.answered, one.fault)),
        300,
        is_quiet=True,
        yields=5,
        is_sparse=True,
    ),
    Column(
        "rank",
        "Rank",
        _of_outcome(lambda one: numbers.count(one.rank) if one.rank else numbers.ABSENT),
        56,
        "rank",
        is_number=True,
        yields=1,
        is_sparse=True,
    ),
    Column(
        "confidence",
        "Confidence",
        _of_outcome(lambda one: numbers.rough_chance(one.confidence, one.limits)),
        88,
        "confidence",
        is_number=True,
        yields=4,
        is_sparse=True,
    ),
)

_WORST_FIRST = tuple(Delivery(one) for one in ("wrong", "unexpected", "missing", "no_command", "unapproved", "right"))

BY_OUTCOME: Mapping[str, Callable[[Outcome], Any]] = {
    "result": lambda one: _WORST_FIRST.index(one.delivery),
    "rank": lambda one: one.rank,
    "confidence": lambda one: one.confidence,
}
"""Sort keys of cases by the outcome of the last run, which the store does not have."""


def keys_by_outcome(keys: Sequence[int], outcomes: Mapping[int, Outcome], order: str, *, descending: bool) -> list[int]:
    """Sort keys by the outcome of the last run; cases without one come last in both directions."""
    value = BY_OUTCOME[order]
    there = [key for key in keys if key in outcomes and value(outcomes[key]) is not None]
    found = set(there)
    return sorted(there, key=lambda key: value(outcomes[key]), reverse=descending) + [k for k in keys if k not in found]


def case_facets(counts: Mapping[Task, int], outcomes: Mapping[int, Outcome]) -> tuple[Facet, ...]:
    """Return the filter facets of cases: task, and result of the last run."""
    tasks = tuple(Choice(task, TASK_WORDS[task], counts[task]) for task in Task if counts.get(task))
    facets = [Facet("task", "Task", tasks)]
    if outcomes:
        counts_of = Counter(one.delivery for one in outcomes.values())
        results = [Choice(FAILED, "All that fail", len(outcomes) - counts_of[Delivery.RIGHT])]
        results += [Choice(one, f"{one.words.capitalize()} only", counts_of[one]) for one in Delivery if counts_of[one]]
        facets.append(Facet("result", "Result", tuple(results)))
    return tuple(facets)


def progress_words(run: CaseRun) -> str:
    return f"{numbers.count(run.done)} of {numbers.count(run.total)} cases"


def summary(outcomes: Mapping[int, Outcome], skipped: int = 0) -> str:
    """Return the results of all runs, and the cases passed over; "" for none."""
    routes = (
        f"{plural(skipped, '{n} case for a route was', '{n} cases for routes were')} passed over: routing is off."
        if skipped
        else ""
    )
    told = delivered_sentence(Counter(one.delivery for one in outcomes.values())) if outcomes else ""
    return f"{told} {routes}".strip()


def delivered_sentence(counts: Mapping[Delivery, int]) -> str:
    """Format how many cases deliver exactly what they expect, and what the others lack."""
    whole, right = sum(counts.values()), counts[Delivery.RIGHT]
    failed = (one for one in Delivery if one is not Delivery.RIGHT and counts[one])
    lack = ", ".join(f"{numbers.count(counts[one])} {one.words}" for one in failed)
    told = f"{numbers.count(right)} of {quantity(whole, 'case')} delivered as expected"
    return f"{told} ({numbers.percent(right, whole)}){f'; {lack}' if lack else ''}."


# ---- Labelled cases sorted by confidence, to count them at any threshold

Rung = tuple[int, int]
"""Number of cases on a level, and of right ones among them."""


class SortedConfidences:
    """Cases by top confidence. Counting takes a few binary searches, except for ties."""

    def __init__(self, tops: Iterable[Top]) -> None:
        self._tops = sorted(tops, key=lambda top: top.confidence)
        self._confidences = [top.confidence for top in self._tops]
        self._right = [0, *accumulate(int(top.is_right) for top in self._tops)]
        self._none = [0, *accumulate(int(top.expects_none) for top in self._tops)]

    def __len__(self) -> int:
        return len(self._tops)

    def count_levels(self, limits: Sequence[float], margin: float) -> list[Rung]:
        """Count the levels between ascending limits, best first, inclusive at the lower end.

        (S2.13, S5.1) In the last level nothing is found: cases that expect nothing are right there. A limit below an
        earlier one is raised to it. With a `margin`, a lead within it moves a case from the best level to the next
        (S5.3).
        """
        ends = [0, *(bisect_left(self._confidences, limit) for limit in accumulate(limits, max)), len(self._tops)]
        found = [(end - start, self._right[end] - self._right[start]) for start, end in pairwise(ends)]
        found[0] = (found[0][0], self._none[ends[1]])
        found.reverse()
        if margin > 0.0 and len(found) > 1:
            tied = [top for top in self._tops[ends[-2] :] if top.lead <= margin]
            right = sum(top.is_right for top in tied)
            found[0] = (found[0][0] - len(tied), found[0][1] - right)
            found[1] = (found[1][0] + len(tied), found[1][1] + right)
        return found
