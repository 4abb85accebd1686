"""Intents as table rows: columns, filter, order; and sentences about one intent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.display import numbers
from app.display.library.tables import Column, short_date
from app.domain.language import plural, quantity
from app.domain.library import StoredIntent, StoredIntents
from app.services.library.intents import Confusion, IntentEvaluation, IntentFigures, RenamedIntent

NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class IntentRow:
    """An intent in the table; `figures` is None without an evaluation or without cases."""

    intent: StoredIntent
    figures: IntentFigures | None = None

    @property
    def label(self) -> str:
        return self.intent.label

    @property
    def precision(self) -> float | None:
        return None if self.figures is None else self.figures.score.precision

    @property
    def recall(self) -> float | None:
        return None if self.figures is None else self.figures.score.recall

    @property
    def rival(self) -> Confusion | None:
        """Most frequent confusion with another intent."""
        return None if self.figures is None else self.figures.rival


def _state(row: IntentRow) -> str:
    intent = row.intent
    if not intent.memories:
        return "cases only"
    if not intent.paused:
        return ""
    return "paused" if intent.paused == intent.memories else f"{numbers.count(intent.paused)} paused"


def _share(value: float | None, row: IntentRow) -> str:
    if value is not None:
        return f"{100.0 * value:.0f} %"
    return "" if row.intent.cases and row.figures is None else numbers.ABSENT


def _delivered(row: IntentRow) -> str:
    """Return the number of cases delivered as expected, of all that expect the intent."""
    of, right = row.intent.cases, numbers.ABSENT
    if row.figures is not None:
        of, right = row.figures.score.expected, numbers.count(row.figures.delivered)
    return f"{right} of {of:,}" if of else numbers.ABSENT


def _tone(row: IntentRow) -> str:
    return "danger" if row.figures is not None and row.figures.delivered < row.figures.score.expected else "text"


def _rival(row: IntentRow) -> str:
    return "" if row.rival is None else f"{row.rival.other or ''} {numbers.TIMES}{numbers.count(row.rival.count)}"


INTENT_COLUMNS: tuple[Column[IntentRow], ...] = (
    Column("label", "Intent", lambda row: row.label, 220, "label", aside=_state),
    Column(
        "memories", "Memories", lambda row: numbers.count(row.intent.memories), 78, "memories", is_number=True, yields=2
    ),
    Column(
        "triggers", "Triggers", lambda row: numbers.count(row.intent.triggers), 72, "triggers", is_number=True, yields=2
    ),
    Column("cases", "Delivered", _delivered, 78, "cases", is_number=True, yields=6, tone=_tone),
    Column("precision", "Precision", lambda row: _share(row.precision, row), 78, "precision", is_number=True, yields=5),
    Column("recall", "Recall", lambda row: _share(row.recall, row), 66, "recall", is_number=True, yields=6),
    Column("rival", "Confused with", _rival, 132, "rival", yields=4, is_sparse=True),
    Column(
        "threshold",
        "Threshold",
        lambda row: "" if row.intent.threshold is None else numbers.chance(row.intent.threshold),
        80,
        "threshold",
        is_number=True,
        yields=1,
        is_shown=False,
    ),
    Column(
        "asked",
        "Last asked",
        lambda row: short_date(row.intent.asked),
        98,
        "asked",
        is_quiet=True,
        yields=1,
        is_sparse=True,
    ),
)

_VALUES: Mapping[str, Callable[[IntentRow], Any]] = {
    "label": lambda row: row.label.casefold(),
    "memories": lambda row: row.intent.memories,
    "triggers": lambda row: row.intent.triggers,
    "cases": lambda row: row.figures.delivered / of if row.figures and (of := row.figures.score.expected) else None,
    "precision": lambda row: row.precision,
    "recall": lambda row: row.recall,
    "rival": lambda row: None if row.rival is None else row.rival.count,
    "threshold": lambda row: row.intent.threshold,
    "asked": lambda row: row.intent.asked or None,
}
"""Sort value of each column; None comes last in both directions."""


def rows_of(stored: StoredIntents, figures: Mapping[str, IntentFigures]) -> list[IntentRow]:
    """Make the rows of all intents, by label."""
    return [IntentRow(intent, figures.get(intent.label)) for intent in stored.intents]


def sorted_rows(rows: Sequence[IntentRow], text: str, order: str, *, descending: bool) -> list[IntentRow]:
    """Return the rows whose labels contain every word, sorted by a column ("": label)."""
    words = text.casefold().split()
    kept = [row for row in rows if all(word in row.label.casefold() for word in words)]
    value = _VALUES[order or "label"]
    kept.sort(key=lambda row: row.label.casefold())
    known = [row for row in kept if value(row) is not None]
    absent = [row for row in kept if value(row) is None]
    return sorted(known, key=value, reverse=descending) + absent


# ---- Page


def summary(stored: StoredIntents) -> str:
    """Return the numbers of intents and of their memories."""
    memories = sum(intent.memories for intent in stored.intents)
    return f"{quantity(len(stored.intents), 'intent')}, {quantity(memories, 'memory', 'memories')}"


def unlabelled_words(stored: StoredIntents) -> str:
    """Return the number of memories without an intent; "" for none."""
    count = stored.unlabelled
    return plural(count, "{n} memory without an intent", "{n} memories without an intent") if count else ""


def evaluated_line(evaluation: IntentEvaluation | None, cases: int) -> str:
    """Return the source of precision and recall in a sentence, or why there are none."""
    if not cases:
        return "No case expects an intent yet. Cases are labelled queries; precision and recall come from them."
    if evaluation is None:
        return f"Precision and recall of {quantity(cases, 'case')} are not known yet."
    right = numbers.percent(evaluation.right, evaluation.cases)
    of = quantity(evaluation.cases, "case")
    return f"Delivered as expected: {right} of {of}. Precision and recall count answers given, delivered or not."


# ---- Selected intent


def counts_line(row: IntentRow) -> str:
    """Return an intent's numbers of memories and triggers, its threshold, and its last use."""
    intent = row.intent
    if not intent.memories:
        return "No memory has this intent; only cases expect it. Rename it to the intent that is meant."
    parts = [quantity(intent.memories, "memory", "memories"), quantity(intent.triggers, "trigger")]
    if intent.paused:
        parts.append(f"{numbers.count(intent.paused)} paused")
    lines = [", ".join(parts) + "."]
    if intent.threshold is not None:
        lines.append(f"Threshold: {numbers.chance(intent.threshold)}.")
    lines.append(f"Last asked: {short_date(intent.asked)}." if intent.asked else "Not asked in the history.")
    return "\n".join(lines)


def cases_line(row: IntentRow, *, is_running: bool = False) -> str:
    """Return recall and precision of an intent, in sentences."""
    figures, cases = row.figures, row.intent.cases
    if figures is None:
        if not cases:
            return "No case expects it, so its precision and recall are unknown."
        known = plural(cases, "{n} case expects it.", "{n} cases expect it.")
        return f"{known} {'Evaluating.' if is_running else 'Not evaluated yet.'}"
    score, lines = figures.score, []
    if score.recall is None:
        lines.append("Recall unknown: no case expects it.")
    else:
        of = plural(score.expected, "{n} case that expects it", "{n} cases that expect it")
        lines.append(f"Delivered: {figures.delivered:,} of {of}.")
        lines.append(f"Recall {100.0 * score.recall:.0f} %: {score.right:,} of {of}.")
    if score.precision is None:
        lines.append("Precision unknown: no case got it.")
    else:
        given = quantity(score.given, "case")
        lines.append(f"Precision {100.0 * score.precision:.0f} %: {score.right:,} of {given} that got it.")
    return "\n".join(lines)


def confusion_lines(row: IntentRow) -> list[tuple[str, str | None]]:
    """Return the confusions of an intent as sentences, each with the other answer (None: none)."""
    lines: list[tuple[str, str | None]] = []
    for one in () if row.figures is None else row.figures.confusions:
        if one.lost:
            lines.append((f"{numbers.count(one.lost)} of its cases got {one.other or NO_ANSWER}", one.other))
        if one.taken:
            of = "that should get no answer" if one.other is None else f"of {one.other}"
            lines.append((f"{quantity(one.taken, 'case')} {of} got it", one.other))
    return lines


# ---- Questions and results


def rename_preview(row: IntentRow, target: StoredIntent | None) -> str:
    """Return what a rename changes, in a sentence; `target` is an intent with the new name."""
    what = _named(row.intent.memories, row.intent.named)
    if target is None:
        return f"Renames {what}, in one step that can be undone."
    has = quantity(target.memories, "memory", "memories")
    return f"“{target.label[:60]}” exists already, with {has}. Merging adds {what} to it, and can be undone."


def _named(memories: int, cases: int) -> str:
    counts = ((memories, "memory", "memories"), (cases, "case", "cases"))
    return " and ".join(quantity(*one) for one in counts if one[0])


def renamed_sentence(label: str, new: str, renamed: RenamedIntent | None) -> str:
    if renamed is None:
        return "No change."
    verb, way = ("Merged", "into") if renamed.written.step.verb == "merged" else ("Renamed", "to")
    return f"{verb} “{label[:60]}” {way} “{new[:60]}”: {_named(renamed.memories, renamed.cases)}."


def threshold_sentence(label: str, value: float | None, *, is_changed: bool) -> str:
    if not is_changed:
        return "No change."
    if value is None:
        return f"“{label[:60]}” has no threshold of its own any more."
    return f"“{label[:60]}” is an answer from {numbers.chance(value)} on."
