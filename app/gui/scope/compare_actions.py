"""Two answers side by side, by presets, queries or combinations, and their actions."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.display import words
from app.display.scope.intent import IntentCard
from app.display.scope.match_rows import Card
from app.display.scope.side_by_side import (
    PairRow,
    RankedRow,
    SideBySide,
    combination_choices,
    combination_word,
    preset_choices,
    side_by_side,
    side_by_side_text,
)
from app.domain.inspection import Inspection
from app.domain.library import Kind
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit import icons
from app.gui.kit.controls import EmptyState, PaneHeader, SegmentedControl, button
from app.gui.kit.document import DocumentView, aside_html, badge_html, bar_html, icon_html, level_html, span, table_html
from app.gui.kit.fields import ChoiceBox
from app.gui.kit.layouts import FlowLayout, fill, spaced
from app.gui.kit.page import CoreState
from app.gui.kit.pane_parts import FaultLine
from app.gui.kit.theme import Theme
from app.gui.scope.overlays import Overlay, Overlays
from app.gui.scope.query_line import QueryLine

if TYPE_CHECKING:
    from app.services.workbench import Workbench
    from app.settings.model import Settings


class ComparisonKind(StrEnum):
    PRESETS = "presets"
    QUERIES = "queries"
    COMBINATIONS = "combinations"


class SideBySideView(Overlay):
    """Shows a comparison and calls the actions on it; it computes nothing."""

    def __init__(self, theme: Theme, actions: CompareActions) -> None:
        super().__init__(theme, "Side by side", actions.close)
        self._actions = actions
        self.shown: SideBySide | None = None
        self._kept, self._is_whole = "", False
        kinds = [(kind, kind.value.capitalize()) for kind in ComparisonKind]
        self.against = SegmentedControl(theme, "Set side by side", kinds)
        self.against.chosen.connect(lambda key: actions.choose(ComparisonKind(key)))
        self.boxes = (self._make_box("Combination at the left"), self._make_box("Combination at the right"))
        self.swap = button("Swap", tip="Swap the sides", press=actions.swap)
        self.unpin = button("Unpin", tip="Unpin the query (Ctrl+P)", press=actions.close)
        self.copy = button("Copy", tip="Copy the comparison as text", press=actions.copy)
        self.head = PaneHeader(theme, "Side by side", self.swap, self.unpin, self.copy, self.close_it)
        self.fault = FaultLine(theme)
        self.sheet = DocumentView(theme, "Answers of both sides, paired")
        self.sheet.anchorClicked.connect(self._unfold)
        self.empty = EmptyState(theme, "columns", "", "")
        px, top = theme.px, QWidget()
        row = spaced(FlowLayout(px(8)), None, px(16), px(6), px(24), px(6))
        top.setLayout(fill(row, self.against, *self.boxes))
        fill(spaced(QVBoxLayout(self)), self.head, top, self.fault, (self.sheet, 1), (self.empty, 1))
        theme.follow(self._apply_theme)

    # ---- display

    def show_against(self, against: ComparisonKind, combinations: tuple[str, str]) -> None:
        """Show the kind of comparison, and choices where the sides can be chosen."""
        self.against.set_current(against)
        for box, name in zip(self.boxes, combinations, strict=True):
            box.setVisible(against is ComparisonKind.COMBINATIONS)
            box.show_value(name)
        self.unpin.setVisible(against is ComparisonKind.QUERIES)

    def show_pairs(self, shown: SideBySide | None) -> None:
        """Show a comparison; None: nothing to compare, as `show_empty` explains."""
        self.shown, self._is_whole = shown, False
        self._draw()
        self.copy.setEnabled(shown is not None)
        self.sheet.setVisible(shown is not None)
        self.empty.setVisible(shown is None)

    def show_pinned(self, kept: str) -> None:
        """Show what the sides have in common, such as settings although presets would differ; "" for none."""
        self._kept = kept
        self._draw()

    def show_empty(self, line: str, sentence: str) -> None:
        """Show the empty state: there is nothing to compare."""
        self.empty.set_text(line, sentence)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._draw()

    def _unfold(self) -> None:
        self._is_whole = True
        self._draw()

    def _draw(self) -> None:
        best = "" if self.shown is None or not self.shown.rows else self.shown.headline
        self.head.set_more(". ".join(filter(None, (best, "Both without the LLM", self._kept))))
        if self.shown is not None:
            self.sheet.show_html(_pairs_html(self.shown, self.width() / self.theme.scale, is_whole=self._is_whole))

    def _make_box(self, name: str) -> ChoiceBox:
        box = ChoiceBox(combination_choices())
        box.setAccessibleName(name)
        box.changed.connect(lambda: self._actions.combine(*(one.currentData() for one in self.boxes)))
        return box

    def _apply_theme(self) -> None:
        tokens = self.theme.tokens
        for made, name in ((self.unpin, "pin"), (self.copy, "copy"), (self.close_it, "cross")):
            made.setIcon(icons.icon(name, tokens.text, tokens.border_strong))
        self.update()


# ---- The comparison as a document: types, first difference, matches, outcomes of powers

_STEPS, _LONGEST_TITLE = 3, 80
_SHARES = 'width="24%"', 'width="22%"', 'width="16%"'  # of the width: the answer; rank and confidence of a side
_ANSWER, _BESIDE, _LEAST_CELL, _MOST_CELL = 240.0, 140.0, 43.0, 92.0
"""Widths in units: the answer, rank and confidence of a side, and bounds of a score's column."""


def _pairs_html(shown: SideBySide, width: float, *, is_whole: bool) -> str:
    """Return the comparison as one table: without scores in little space, else with a link to the rest."""
    cell = (width - _ANSWER - 2 * _BESIDE) / max(1, 2 * len(shown.scorers))
    scorers = shown.scorers if cell >= _LEAST_CELL else ()
    bar, side = round(min(cell, _MOST_CELL)) - 18, len(scorers) + 2
    titles = [span(" ".join(title[:_LONGEST_TITLE].split()), "strong", tip=title) for title in shown.titles]
    wide, *shares = [""] * (side + 1) if scorers else _SHARES  # beside scores Qt would part less than a word
    columns = [("#", ""), *((badge_html(key), words.scorer(key).title) for key in scorers), ("Confidence", "")]
    heads = "".join(
        f'<td {share} align="right" class="small text_2 cell" title="{tip}">{text}</td>'
        for (text, tip), share in zip(columns, shares, strict=True)
    )
    listed = [row for row in shown.rows if is_whole or row.is_found or row.is_first]
    differs = f"differs: {shown.outcomes_differ}" if shown.outcomes_differ else ""
    look = "warning_soft alert" if any(row.is_first for row in shown.rows) else "text_2 rule"
    link = f'<a href="more">{len(shown.rows) - len(listed)} more, further down on both sides</a>'
    rows = [
        _sides("", titles, side),
        _sides(_said("Type", shown.intents_differ), map(_intent, shown.intents), side),
        f'<tr><td colspan="{2 * side + 1}" class="{look}">{escape(shown.first)}</td></tr>',
        f'<tr><td {wide} class="small text_2">Answer</td>{heads}{heads}</tr>',
        *(_row(row, shown.titles, scorers, bar) for row in listed),
        f'<tr><td colspan="{2 * side + 1}" class="rule">{link}</td></tr>' if len(listed) < len(shown.rows) else "",
        _sides(_said("Powers", differs), map(_outcome, shown.outcomes), side),
    ]
    return f'<table width="100%" cellspacing="0">{"".join(rows)}</table>'


def _sides(said: str, cells: Iterable[str], side: int) -> str:
    """Return a row: what is compared, and both sides, which span `side` columns each."""
    both = "".join(f'<td colspan="{side}" class="apart">{cell}</td>' for cell in cells)
    return f"<tr><td>{said}</td>{both}</tr>"


def _said(title: str, differs: str) -> str:
    said = span(differs or "the same on both sides", "small" if differs else "small text_2")
    return f"{span(title, 'strong')}<br>{said}"


def _intent(card: IntentCard) -> str:
    steps = [(span(f"{row.what}: {row.how}", "small text_2"), span(row.value, "mono")) for row in card.sums[:_STEPS]]
    head = (span(card.headline, "title"), span(card.confidence if card.found else "", "number mono strong"))
    return table_html([head, [span(card.source, "text_2")], *steps])


def _outcome(card: Card | None) -> str:
    if card is None:
        return ""
    badge = ("" if card.level is None else level_html(card.level)) + span(card.badge, "strong")
    return f"{badge} {span(card.name, 'strong')}{span(card.rest)}<br>{span(card.sentence, 'small text_2')}"


def _row(row: PairRow, titles: tuple[str, str], scorers: tuple[str, ...], bar: int) -> str:
    ground = " warning_soft" if row.is_first else ""
    said = span(row.change or row.differs or "the same", "small text_2")
    icon = icon_html("memory" if row.kind is Kind.MEMORY else "power", "text_2", 14) + aside_html(words.KINDS[row.kind])
    cells = [f'<td class="rule{ground}">{icon} {span(row.name, "strong")}<br>{said}</td>']
    for title, placed in zip(titles, row.sides, strict=True):
        cells.append(aside_html(f"{title[:_LONGEST_TITLE]}:"))
        if placed is None:
            cells.append(f'<td colspan="{len(scorers) + 2}" align="right" class="rule text_2{ground}">not listed</td>')
        else:
            cells += [f'<td align="right" class="rule cell{ground}">{one}</td>' for one in _side(placed, scorers, bar)]
    return f"<tr>{''.join(cells)}</tr>"


def _side(placed: RankedRow, scorers: tuple[str, ...], bar: int) -> list[str]:
    row, scores = placed.row, []
    for key in scorers:
        cell = row.cell(key)
        look = "mono strong" if cell is not None and cell.decides else "mono text_2"
        named = aside_html(f"{words.scorer(key).title}{', puts it ahead' * (cell is not None and cell.decides)}")
        scores.append("" if cell is None else f"{named}{span(cell.text, look)}<br>{bar_html(cell.value, key, bar)}")
    level = f"<br>{level_html(row.level)}{span(row.level_word, 'small')}" if row.level and row.is_found else ""
    return [
        aside_html("rank") + span(str(placed.rank), "mono text_2"),
        *scores,
        span(row.confidence if scores else row.share, "mono strong") + level,
    ]


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """One side of a comparison: a text, and changed settings as pairs of dotted key and value."""

    text: str
    changes: tuple[tuple[str, str], ...] = ()


Answers = tuple[Inspection, Inspection]
"""Inspections of the left and the right side."""


async def settle_both(
    bench: Workbench, left: ComparedQuestion, right: ComparedQuestion, known: Mapping[ComparedQuestion, Inspection]
) -> AsyncGenerator[Answers, None]:
    """Answer both sides, one after the other; known answers are reused. Raises SettingsError.

    Scoring a pinned query again would evict what the index caches for the text being typed.
    """
    sides = [known.get(asked) or await bench.settle_as(asked.text, dict(asked.changes)) for asked in (left, right)]
    yield sides[0], sides[1]


_LEFT_COMBINATION, _RIGHT_COMBINATION = "balanced", "max"


class CompareActions(Overlays[SideBySideView]):
    """Actions that request a comparison only after the panes' own answer.

    A newer query replaces the running comparison, so that typing never waits.
    """

    def __init__(self, theme: Theme, worker: Worker, place: QStackedWidget, line: QueryLine) -> None:
        super().__init__(place, line)
        self._theme, self._worker = theme, worker
        self.shown: SideBySide | None = None
        self.settings: Settings | None = None
        self.against = ComparisonKind.PRESETS
        self._pinned = ""
        self._presets: tuple[str, str] = ("recommended", "as_documented")
        self._combinations = (_LEFT_COMBINATION, _RIGHT_COMBINATION)
        self._pin_is_left = True
        self.asked: tuple[ComparedQuestion, ComparedQuestion] | None = None
        self._known: dict[ComparedQuestion, Inspection] = {}
        self._kept = ""
        self._job = Job(worker, self)

    # ---- user actions

    def toggle_presets(self) -> None:
        """Compare the two presets, or go back if they are compared."""
        if self.is_open and self.against is ComparisonKind.PRESETS:
            self.close()
        else:
            self._open(ComparisonKind.PRESETS)

    def compare_combinations(self) -> None:
        self._open(ComparisonKind.COMBINATIONS)

    def pin(self) -> None:
        """Pin the query in the line, or unpin it and go back."""
        if self.is_open and self.against is ComparisonKind.QUERIES:
            self.close()
            return
        if not self._line.text().strip():
            self.refuse("Type a query first; then it can be pinned.")
            return
        self._worker.note_acted()
        self._pin_text()
        self._open(ComparisonKind.QUERIES)

    def swap(self) -> None:
        self._presets = self._presets[::-1]
        self._combinations = self._combinations[::-1]
        self._pin_is_left = not self._pin_is_left
        self._ask()

    def copy(self) -> bool:
        """Copy the comparison as text; False if none is open."""
        if not self.is_open:
            return False
        if self.shown is None:
            self.refuse("No comparison to copy yet.")
        else:
            QGuiApplication.clipboard().setText(side_by_side_text(self.shown))
            self.notified.emit("Copied the comparison as text.", False, False)
        return True

    # ---- called by the page

    def focus_stops(self) -> list[QWidget]:
        return [] if self.view is None else [self.view.against, self.view.sheet]

    def answered(self) -> None:
        """Request the sides, if changed, once the panes have their answer or the line is empty."""
        if self.is_open and self._sides() != self.asked:
            self._ask()

    def show_core_state(self, core_state: CoreState) -> None:
        """Drop the results after a change of library or settings; the panes' answer comes first."""
        self.settings = core_state.settings
        self.asked = None
        self._known.clear()
        from app.settings.model import PRESETS

        own = [
            key for key in PRESETS["as_documented"] if core_state.origins.get(key) not in (None, "default", "preset")
        ]
        self._kept = f"kept on both sides: {', '.join(own)}" if own else ""

    # ---- internals

    def _open(self, against: ComparisonKind) -> None:
        self._lay_over()
        self.choose(against)

    def _left(self) -> None:
        self._job.cancel()
        self._pinned, self.asked, self.shown = "", None, None
        self._known.clear()

    def _make_view(self) -> SideBySideView:
        return SideBySideView(self._theme, self)

    def choose(self, against: ComparisonKind) -> None:
        if against is ComparisonKind.QUERIES and not self._pinned:
            self._pin_text()
        if against is not self.against:
            self.shown = None
        self.against = against
        self._ask()

    def _pin_text(self) -> None:
        self._pinned, self._pin_is_left = self._line.text(), True

    def combine(self, left: str, right: str) -> None:
        self._combinations = (left, right)
        self._ask()

    def _ask(self) -> None:
        """Request both sides; the last result stays until these arrive."""
        view = self.view
        assert view is not None, "there is something to compare only once it was opened"
        view.show_against(self.against, self._combinations)
        left, right = self._sides()
        note = "the same query on both sides: type another one" if self.against is ComparisonKind.QUERIES else ""
        view.show_pinned(self._kept if self.against is ComparisonKind.PRESETS else note * (left == right))
        if not left.text.strip() or not right.text.strip():
            self._job.cancel()
            self.asked, self.shown = None, None
            view.show_empty("No query yet", "Type a query above; it is answered on both sides.")
            view.show_pairs(None)
            return
        if self.shown is None:
            view.show_empty("Both sides are being settled", "This takes a moment.")
            view.show_pairs(None)
        self._known = {asked: found for asked, found in self._known.items() if asked in (left, right)}
        self.asked = (left, right)
        known = dict(self._known)

        self._job.follow(lambda bench: settle_both(bench, left, right, known), self._on_compared, self._on_finished)

    def _sides(self) -> tuple[ComparedQuestion, ComparedQuestion]:
        text = self._line.text()
        if self.against is ComparisonKind.PRESETS:
            left, right = (ComparedQuestion(text, (("preset", name),)) for name in self._presets)
            return left, right
        if self.against is ComparisonKind.COMBINATIONS:
            own = (("power_combination", "same"), ("use_hybrid_retrieval", "true"))
            left, right = (ComparedQuestion(text, (("combination", name), *own)) for name in self._combinations)
            return left, right
        pinned, typed = ComparedQuestion(self._pinned), ComparedQuestion(text)
        return (pinned, typed) if self._pin_is_left else (typed, pinned)

    def _titles(self) -> tuple[str, str]:
        if self.against is ComparisonKind.PRESETS:
            left, right = map(dict(preset_choices()).__getitem__, self._presets)
            return left, right
        if self.against is ComparisonKind.COMBINATIONS:
            left, right = map(combination_word, self._combinations)
            return left, right
        pinned, typed = f"Pinned: {self._pinned}", f"Typed: {self._line.text()}"
        return (pinned, typed) if self._pin_is_left else (typed, pinned)

    def _on_compared(self, answers: Answers) -> None:
        if not self.is_open or self.view is None or self.asked is None or self.settings is None:
            return
        self._known = dict(zip(self.asked, answers, strict=True))
        self.shown = side_by_side(answers[0], answers[1], self._titles(), self.settings)
        self.view.fault.show_fault("")
        self.view.show_pairs(self.shown)

    def _on_finished(self, sentence: str) -> None:
        if self.is_open and self.view is not None:
            self.view.fault.show_fault(sentence)
