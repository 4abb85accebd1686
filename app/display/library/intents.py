"""Intents as table rows: columns, filter, order; and sentences about one intent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.display import numbers
from app.display.library.tables import Column, has_words, number_column, short_date, sorted_by
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


def _share_column(
    key: str, title: str, value: Callable[[IntentRow], float | None], width: int, yields: int
) -> Column[IntentRow]:
    def cell(row: IntentRow) -> str:
        if (share := value(row)) is not None:
            return f"{100.0 * share:.0f} %"
        return "" if row.intent.cases and row.figures is None else numbers.ABSENT

    return Column(key, title, cell, width, key, is_number=True, yields=yields, value=value)


def _delivered(row: IntentRow) -> str:
    """Return how many of the cases that expect the intent are delivered, or a dash before a run."""
    if row.figures is None or not row.figures.score.expected:
        return numbers.ABSENT
    return f"{row.figures.delivered:,} of {row.figures.score.expected:,}"


def _share_delivered(row: IntentRow) -> float | None:
    return row.figures.delivered / row.figures.score.expected if row.figures and row.figures.score.expected else None


def _tone(row: IntentRow) -> str:
    return "danger" if row.figures is not None and row.figures.delivered < row.figures.score.expected else "text"


INTENT_COLUMNS: tuple[Column[IntentRow], ...] = (
    Column("label", "Intent", lambda row: row.label, 220, "label", aside=_state),
    number_column("memories", "Memories", lambda row: row.intent.memories, 78, yields=2),
    number_column("triggers", "Triggers", lambda row: row.intent.triggers, 72, yields=2),
    Column("cases", "Delivered", _delivered, 78, "cases", is_number=True, yields=6, tone=_tone, value=_share_delivered),
    _share_column("precision", "Precision", lambda row: row.precision, 78, yields=5),
    _share_column("recall", "Recall", lambda row: row.recall, 66, yields=6),
    Column(
        "rival",
        "Confused with",
        lambda row: f"{row.rival.other or ''} {numbers.TIMES}{numbers.count(row.rival.count)}" if row.rival else "",
        132,
        "rival",
        yields=4,
        is_sparse=True,
        value=lambda row: row.rival.count if row.rival else None,
    ),
    number_column(
        "threshold", "Threshold", lambda row: row.intent.threshold, 80, numbers.chance, yields=1, is_shown=False
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
        value=lambda row: row.intent.asked or None,
    ),
)


def rows_of(stored: StoredIntents, figures: Mapping[str, IntentFigures]) -> list[IntentRow]:
    """Make the rows of all intents, by label."""
    return [IntentRow(intent, figures.get(intent.label)) for intent in stored.intents]


def sorted_rows(rows: Sequence[IntentRow], text: str, order: str, *, descending: bool) -> list[IntentRow]:
    """Return the rows whose labels contain every word, sorted by a column ("": label)."""
    kept = sorted((row for row in rows if has_words(row.label, text)), key=lambda row: row.label.casefold())
    return sorted_by(INTENT_COLUMNS, kept, order or "label", descending=descending)


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
