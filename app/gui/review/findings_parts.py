"""Parts of the findings page: rows, check strip, one finding, one duplicate in full."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent, QTextTable
from PySide6.QtWidgets import QPushButton, QVBoxLayout

from app.display.library import duplicates
from app.display.library.duplicates import HoldingCard
from app.display.library.tables import Column
from app.display.review import health, health_findings
from app.display.review.health import Ranked
from app.display.words import visible
from app.domain.health import DuplicateFinding, FindingEffect, FindingSubject, HealthFinding, Severity
from app.domain.language import capitalized
from app.domain.library import Kind
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import button, set_primary
from app.gui.kit.document import DocumentView, aside_html, badge_html, icon_html, span
from app.gui.kit.layouts import FlowLayout, fill, spaced
from app.gui.kit.pane_parts import TaskStrip
from app.gui.kit.tables.delegates import TwoLineRow
from app.gui.kit.tables.rows import ListModel
from app.gui.kit.theme import Theme, Themed

if TYPE_CHECKING:
    from app.domain.journal import Written
    from app.services.library.duplicates import Duplicates


SHADES = {Severity.FAULT: "danger", Severity.WARNING: "warning", Severity.NOTE: "text_2"}
ICONS = {Severity.FAULT: "cross", Severity.WARNING: "warning", Severity.NOTE: "label"}


def findings_model(parent: QObject) -> ListModel[Ranked]:
    return ListModel(lambda one: health.finding_row(one).title, _spoken, parent, _drawn)


def _spoken(one: Ranked) -> str:
    row = health.finding_row(one)
    return ", ".join(filter(None, (row.word, row.title, row.sentence, row.cases, row.queries)))


def _drawn(one: Ranked) -> TwoLineRow:
    row = health.finding_row(one)
    effect = [*filter(None, (row.cases, row.queries)), "", ""]
    return TwoLineRow(
        row.title,
        row.sentence,
        effect[0],
        aside_below=effect[1],
        icon=ICONS[row.severity],
        word=row.word,
        shade=SHADES[row.severity],
    )


# ---- Check: time of the last one, start button, and progress


class CheckStrip(TaskStrip):
    """Emits `check_requested` to start a check, and `stopped` to cancel it."""

    check_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.bar.setAccessibleName("Progress of the check")
        self.begin.setToolTip("Check the whole library and all settings, in the background")
        self.begin.setText("Check again")
        set_primary(self.begin, False)
        self.begin.clicked.connect(self.check_requested)
        self.stop.setToolTip("Stop the check")
        self.bar.setFixedWidth(theme.px(160))
        fill(spaced(self.row, theme.px(12)), self.bar, self.stop, self.begin)
        self.note.setMinimumHeight(theme.px(30))  # a layout's margins would stay where the note is hidden
        self.note.setParent(self)  # until the page places it: without a parent it would open as a window
        self.show_progress(None)


# ---- One finding in full: severity, sentence, effect, basis, and remedy

WIDEST = 760


def health_html(finding: HealthFinding, effect: FindingEffect) -> str:
    """Return a finding in full; its affected items are in the table below."""
    row, shade = health.finding_row((finding, effect)), SHADES[finding.severity]
    known = f"{health.effect_sentence(effect)} {health_findings.KNOWN_BY[finding.basis]}".strip()
    lines = (
        f'<p class="body">{span(row.word, f"{shade} strong")}&nbsp; {span(row.title, "title")}</p>',
        span(row.sentence, "body", "p"),
        span(known, "text_2", "p"),
        span("What to do", "head", "p"),
        span(visible(health_findings.advice(finding)), "body", "p"),
    )
    return (
        f"<table><tr><td>{icon_html(ICONS[finding.severity], shade)}&nbsp;</td><td>{''.join(lines)}</td></tr></table>"
    )


# ---- Table of a finding's subjects, formatted on demand.

_WIDTHS = (150, 160, 100, 84)


def subject_columns(finding: HealthFinding) -> list[Column[FindingSubject]]:
    """Return the columns that the subjects of a finding have a text in."""
    return [
        Column(head, head, partial(_cell, finding, place), _WIDTHS[place], is_number=place == 3, is_quiet=place == 1)
        for place, head in enumerate(health.heads(finding))
        if head
    ]


def _cell(finding: HealthFinding, place: int, one: FindingSubject) -> str:
    return health.cells(finding, one)[place]


_VERBS = (
    ("keep", "Keep", "K", "The chosen answer has the trigger alone; a near one moves to it"),
    ("merge", "Merge", "M", "One memory with all triggers and tags, and the chosen response"),
    ("apart", "Different", "D", "Never show these together again"),
    ("drop", "Delete trigger", "X", "Delete the chosen trigger from its answer"),
    ("next", "Next", "N", "Leave it for now"),
)

_KEYS = {key.lower(): verb for verb, _, key, _ in _VERBS}


class DuplicateSide(Themed):
    """Resolves a finding by key or button; `resolved` has a sentence, undoable or refused."""

    resolved = Signal(str, bool)  # a sentence, True if it can be undone
    skipped = Signal()

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme)
        self._job = Job(worker, self)
        self.is_resolving = False
        self.finding: DuplicateFinding | None = None
        self.place = 0
        self.sheet = DocumentView(theme, "The finding side by side")
        self.sheet.viewport().installEventFilter(self)
        self.verbs: dict[str, QPushButton] = {}
        above = spaced(FlowLayout(theme.px(8)), None, theme.px(16), theme.px(10), theme.px(16), theme.px(10))
        for verb, word, key, tip in _VERBS:
            made = button(f"{word}  {key}", primary=verb == "keep", tip=f"{tip} ({key})", press=partial(self.do, verb))
            made.setAccessibleName(word)
            self.verbs[verb] = made
            above.addWidget(made)
        fill(spaced(QVBoxLayout(self)), above, (self.sheet, 1))

    def show_finding(self, finding: DuplicateFinding | None) -> None:
        """Show a finding and select its first answer."""
        self.is_resolving = False
        self.finding, self.place = finding, 0
        self._draw()

    def choose(self, place: int) -> None:
        """Select the answer at an index, or the nearest one."""
        if self.finding is not None:
            self.place = max(0, min(place, len(self.finding.holdings) - 1))
            self._draw()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Choose the card that is clicked, unless text was selected."""
        if isinstance(event, QMouseEvent) and event.type() is QEvent.Type.MouseButtonRelease:
            cursor = self.sheet.cursorForPosition(event.position().toPoint())
            table = cursor.currentFrame()
            if isinstance(table, QTextTable) and not self.sheet.textCursor().hasSelection():
                cell = table.cellAt(cursor)
                self.choose(cell.row() * table.columns() + cell.column())
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        layout = self.layout()
        if layout is not None:  # its buttons may take two rows
            self.setMinimumHeight(layout.minimumHeightForWidth(self.width()))
        self._draw()

    def _draw(self) -> None:
        html = ""
        if self.finding is not None:
            cards = duplicates.holding_cards(self.finding)
            across = max(1, min(len(cards), int(self.width() / self.theme.scale) // _NARROWEST))
            cells = [_card_html(one, 100 // across, is_chosen=one is cards[self.place]) for one in cards]
            rows = ("".join(cells[start : start + across]) for start in range(0, len(cells), across))
            gap = self.theme.px(8)
            table = "".join(f"<tr>{row}</tr>" for row in rows)
            table = f'<table width="100%" cellspacing="{gap}" style="margin-left: -{gap}px">{table}</table>'
            html = _head_html(self.finding) + table
        self.sheet.show_html(html)

    def do(self, verb: str) -> None:
        """Run an action, by its name or its key in lower case, on the finding."""
        finding, place, verb = self.finding, self.place, _KEYS.get(verb, verb)
        if verb == "next":
            self.skipped.emit()
        if finding is None or self.is_resolving:
            return
        match verb:
            case "left" | "right":
                self.choose(place + (1 if verb == "right" else -1))
            case "keep":
                self._resolve(lambda duplicates: duplicates.keep(finding, place))
            case "merge":
                self._resolve(lambda duplicates: duplicates.merge(finding, place))
            case "apart":
                self._resolve(lambda duplicates: duplicates.mark_different(finding))
            case "drop":
                self._resolve(lambda duplicates: duplicates.drop(finding, place))

    def _resolve(self, resolve: Callable[[Duplicates], Awaitable[Written | None]]) -> None:
        self.is_resolving = True
        self._job.do(lambda bench: resolve(bench.duplicates), self._on_resolved, self._on_refused)

    def _on_resolved(self, written: Written | None) -> None:
        self.is_resolving = False
        self.resolved.emit("" if written is None else f"{capitalized(written.step.sentence)}.", True)

    def _on_refused(self, sentence: str) -> None:
        self.is_resolving = False
        self.resolved.emit(sentence, False)


# ---- Answers side by side with their differences marked, and one selected.

_NARROWEST = 240
"""Minimum width of a card, in units."""

_MOST_RESPONSE = 600
"""Maximum number of characters of a response in a card."""


def _head_html(finding: DuplicateFinding) -> str:
    shade, row = SHADES[finding.severity], duplicates.finding_row(finding)
    html = f"<p>{icon_html(ICONS[finding.severity], shade, 18)} {span(row.word, 'title')}</p>"
    html += span(duplicates.explanation(finding), "text_2 below", "p")
    scores = (("fuzzy", "Spelling", row.spelling), ("semantic", "Meaning", row.meaning))
    parts = (f"{badge_html(scorer)} {word} {span(score, 'strong')}" for scorer, word, score in scores if score)
    return f'{html}<p class="below">{" &nbsp; ".join(parts)}</p>'


def _card_html(card: HoldingCard, width: int, *, is_chosen: bool) -> str:
    """Return a card of a width in percent; words that the other triggers lack are marked."""
    looks = {False: "number text", True: "number text strong underlined accent_soft"}
    words = " ".join(span(word, looks[differs]) for word, differs in card.marked)
    icon = icon_html("memory" if card.kind is Kind.MEMORY else "power", "text_2", 15)
    lines = (span(text, "text_2", "p") for text in (f"{card.place}, {card.others}", card.use, card.tags))
    is_long = len(card.response) > _MOST_RESPONSE
    response = f"{card.response[:_MOST_RESPONSE].rstrip()}…" if is_long else card.response
    return (
        f'<td width="{width}%" class="card{" chosen" * is_chosen}">'
        f'<p class="body">{words}{aside_html("(chosen)" * is_chosen)}</p>'
        f"<p>{icon} {span(card.name, 'text strong')}</p>{''.join(lines)}{span(response, 'text below', 'p')}</td>"
    )
