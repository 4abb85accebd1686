"""Cases as rows: what each column of their table says, how answers are written, and what a run came to."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any

from app.display import numbers
from app.display.library.tables import Choice, Column, Facet
from app.domain.case import NO_MATCH_WORDS, TASK_WORDS, Case, Task
from app.domain.filters import CaseOrder
from app.domain.intent import intent_type
from app.domain.language import plural
from app.evaluation.answers import Top
from app.services.evaluation.case_runs import CaseRun, Outcome

PARTS = ";"
"""What parts the answers of a case where they are typed."""

RESULT, RANK, CONFIDENCE = "result", "rank", "confidence"
"""What cases can be sorted by besides what the store knows: what the last run came to."""


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case in the table; `outcomes` are those of the runs, by key, and may come later."""

    case: Case
    outcomes: Mapping[int, Outcome] = field(default_factory=dict)

    @property
    def outcome(self) -> Outcome | None:
        """What the case came to when it was run; None before, and after it was edited."""
        found = None if self.case.key is None else self.outcomes.get(self.case.key)
        return found if found is not None and found.version == self.case.version else None

    @property
    def is_lost(self) -> bool:
        """Whether the case was answered wrongly when it was run, be it by an answer that is not to come."""
        return self.outcome is not None and not self.outcome.is_right


def format_answers(answers: Sequence[str]) -> str:
    """Answers as they are typed: parted by semicolons."""
    return f"{PARTS} ".join(answers)


def parse_answers(text: str) -> tuple[str, ...]:
    """Answers as they were typed; the words for "no match" are none."""
    parts = (part.strip() for part in text.split(PARTS))
    return tuple(dict.fromkeys(part for part in parts if part and part not in {*NO_MATCH_WORDS, no_match()}))


def no_match() -> str:
    """What is written where nothing should match."""
    return "no match"


def answers_fault(task: Task, answers: Iterable[str]) -> str:
    """Why these cannot be the answers of a case, in a sentence; "" if they can."""
    if task is not Task.TYPE:
        return ""
    unknown = next((answer for answer in answers if intent_type(answer) is None), None)
    return "" if unknown is None else f"“{unknown}” is none of the six types."


def canonical_answers(task: Task, answers: Sequence[str]) -> tuple[str, ...]:
    """The answers in the words of the task: aliases of the six types become their names (S1.1)."""
    known = ((intent_type(answer) if task is Task.TYPE else None) or answer for answer in answers)
    return tuple(dict.fromkeys(str(one) for one in known))


def edited_case(case: Case, column: str, text: str) -> Case:
    """The case with another text in one of its columns."""
    if column == "text":
        return replace(case, text=text.strip())
    answers = canonical_answers(case.task, parse_answers(text))
    return replace(case, unwanted=answers) if column == "unwanted" else replace(case, expected=answers)


def _expected(row: CaseRow) -> str:
    case = row.case
    return format_answers(case.expected) if case.expected or case.unwanted else no_match()


def case_line(case: Case) -> str:
    """A case as a line: the number that names it, its task, its query, and what is expected or not wanted first."""
    wanted = format_answers(case.expected) if case.expected or case.unwanted else no_match()
    unwanted = "  " + f"must not win: {format_answers(case.unwanted)}" if case.unwanted else ""
    return f"{f'#{case.key}':>6}  {case.task.value:6}  {case.text}  →  {wanted}{unwanted}"


def case_document(case: Case) -> dict[str, object]:
    """A case for programs, by the number that names it."""
    answers = {"expected": list(case.expected), "unwanted": list(case.unwanted)}
    return {"case": case.key, "task": case.task.value, "text": case.text, **answers}


def _result(row: CaseRow) -> str:
    if row.outcome is None:
        return ""
    return "✓ right" if row.outcome.is_right else "✗ wrong"


def _rank(row: CaseRow) -> str:
    if row.outcome is None:
        return ""
    return numbers.ABSENT if row.outcome.rank is None else numbers.count(row.outcome.rank)


def _answered(row: CaseRow) -> str:
    if row.outcome is None:
        return ""
    return row.outcome.why or row.outcome.answered or no_match()


def _tone(row: CaseRow) -> str:
    """The colour token of the result."""
    if row.outcome is None:
        return "text_2"
    return "success" if row.outcome.is_right else "danger"


CASE_COLUMNS: tuple[Column[CaseRow], ...] = (
    Column("text", "Query", lambda row: row.case.text, 300, CaseOrder.TEXT, can_edit=True),
    Column("task", "Task", lambda row: TASK_WORDS[row.case.task], 70, CaseOrder.TASK, yields=3),
    Column("expected", "Expected", _expected, 190, CaseOrder.EXPECTED, can_edit=True),
    Column("unwanted", "Must not win", lambda row: format_answers(row.case.unwanted), 120, can_edit=True, yields=2),
    Column("result", "Result", _result, 78, RESULT, tone=_tone),
    Column("answered", "Answered", _answered, 150, is_quiet=True, yields=5),
    Column("rank", "Rank", _rank, 56, RANK, is_number=True, yields=1),
    Column(
        "confidence",
        "Confidence",
        lambda row: "" if row.outcome is None else numbers.score(row.outcome.confidence),
        88,
        CONFIDENCE,
        is_number=True,
        yields=4,
    ),
)


def keys_by_outcome(keys: Sequence[int], outcomes: Mapping[int, Outcome], order: str, *, descending: bool) -> list[int]:
    """Keys sorted by what the last run came to; what was not run comes last, in both directions."""
    values: Mapping[str, Callable[[Outcome], Any]] = {
        RESULT: lambda one: one.is_right,
        RANK: lambda one: one.rank,
        CONFIDENCE: lambda one: one.confidence,
    }
    value = values[order]
    there = [key for key in keys if key in outcomes and value(outcomes[key]) is not None]
    found = set(there)
    return sorted(there, key=lambda key: value(outcomes[key]), reverse=descending) + [k for k in keys if k not in found]


def case_facets(counts: Mapping[Task, int], outcomes: Mapping[int, Outcome]) -> tuple[Facet, ...]:
    """The facets that cases are filtered by: their task, and the outcome of the last run."""
    tasks = tuple(Choice(task, TASK_WORDS[task], counts[task]) for task in Task if counts.get(task))
    facets = [Facet("task", "Task", tasks)]
    if outcomes:
        right = sum(one.is_right for one in outcomes.values())
        results = (
            Choice("wrong", "Wrong only", len(outcomes) - right),
            Choice("right", "Right only", right),
        )
        facets.append(Facet("result", "Result", results))
    return tuple(facets)


def progress_words(run: CaseRun) -> str:
    """How far a run is."""
    return f"{numbers.count(run.done)} of {numbers.count(run.total)} cases"


def summary(outcomes: Mapping[int, Outcome], skipped: int = 0) -> str:
    """What all runs came to: "212 right, 28 wrong (88.3 % right)"; "" where nothing was run."""
    routes = (
        plural(
            skipped,
            "{n} case for a route was passed over: routing is off.",
            "{n} cases for routes were passed over: routing is off.",
        )
        if skipped
        else ""
    )
    if not outcomes:
        return routes
    right = sum(one.is_right for one in outcomes.values())
    wrong, share = len(outcomes) - right, numbers.percent(right, len(outcomes))
    sentence = f"{numbers.count(right)} right, {numbers.count(wrong)} wrong ({share} right)."
    return f"{sentence} {routes}".strip()


# --------------------------------------------------------------------------------------------------------------------
# Labelled cases sorted by confidence, so that any threshold counts them at once

Rung = tuple[int, int]
"""How many cases lie on a level, and how many of those are right."""


class SortedConfidences:
    """Cases by their top confidence. Counting takes a few look-ups, whatever their number, but for ties."""

    def __init__(self, tops: Iterable[Top]) -> None:
        self._tops = sorted(tops, key=lambda top: top.confidence)
        self._confidences = [top.confidence for top in self._tops]
        self._right = [0, *accumulate(int(top.is_right) for top in self._tops)]
        self._none = [0, *accumulate(int(top.expects_none) for top in self._tops)]

    def __len__(self) -> int:
        return len(self._tops)

    def count_levels(self, limits: Sequence[float], margin: float = 0.0) -> list[Rung]:
        """The levels that ascending limits make, best first, inclusive at the lower end (S2.13, S5.1).

        In the last one nothing is found: there those cases are right that expect nothing. A limit below an earlier one
        divides nothing. With a `margin`, what leads the second by no more falls from the best level to the next (S5.3).
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
