"""Duplicate or conflict in full: its answers side by side, and a key for each resolution."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPen
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.display.library import duplicates
from app.display.library.duplicates import HoldingCard, Marked
from app.domain.library import Kind
from app.domain.review.duplicates import DuplicateFinding
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import button
from app.gui.kit.drawing.canvas import Canvas
from app.gui.kit.drawing.sheet import Sheet, scrolled
from app.gui.kit.layouts import FlowLayout, fill, spaced
from app.gui.kit.theme.theme import Theme
from app.gui.review.findings_list import ICONS, SHADES

if TYPE_CHECKING:
    from app.domain.journal import Written
    from app.services.library.duplicates import Duplicates

_VERBS = (
    ("keep", "Keep", "K", "The chosen answer has the trigger alone; a near one moves to it"),
    ("merge", "Merge", "M", "One memory with all triggers and tags, and the chosen response"),
    ("apart", "Different", "D", "Never show these together again"),
    ("drop", "Delete trigger", "X", "Delete the chosen trigger from its answer"),
    ("next", "Next", "N", "Leave it for now"),
)


class DuplicateSide(QWidget):
    """Resolves a finding by key or button; `resolved` has a sentence, undoable or refused."""

    resolved = Signal(str, bool)  # a sentence, True if it can be undone
    skipped = Signal()

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self._job = Job(worker, self)
        self.is_resolving = False
        self.sheet = FindingSheet(theme, "The finding side by side")
        self.area = scrolled(self.sheet, "The finding side by side")
        self.verbs: dict[str, QPushButton] = {}
        above = spaced(FlowLayout(theme.px(8)), None, theme.px(16), theme.px(10), theme.px(16), theme.px(2))
        for verb, word, key, tip in _VERBS:
            made = button(f"{word}  {key}", primary=verb == "keep", tip=f"{tip} ({key})", press=partial(self.do, verb))
            made.setAccessibleName(word)
            self.verbs[verb] = made
            above.addWidget(made)
        fill(spaced(QVBoxLayout(self)), above, (self.area, 1))
        self.sheet.chosen.connect(self.choose)

    def show_finding(self, finding: DuplicateFinding | None) -> None:
        """Show a finding and select its first answer."""
        self.is_resolving = False
        self.sheet.show_finding(finding)

    def choose(self, place: int) -> None:
        """Select the answer at an index, or the nearest one."""
        if (finding := self.sheet.finding) is not None:
            self.sheet.show_finding(finding, max(0, min(place, len(finding.holdings) - 1)))

    def do(self, verb: str) -> None:
        """Run the action of a key or a button on the finding."""
        finding, place = self.sheet.finding, self.sheet.place
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
                self._resolve(lambda duplicates: duplicates.tell_apart(finding))
            case "drop":
                self._resolve(lambda duplicates: duplicates.drop(finding, place))

    def _resolve(self, resolve: Callable[[Duplicates], Awaitable[Written | None]]) -> None:
        self.is_resolving = True
        self._job.do(lambda bench: resolve(bench.duplicates), self._on_resolved, self._on_refused)

    def _on_resolved(self, written: Written | None) -> None:
        self.is_resolving = False
        self.resolved.emit("" if written is None else duplicates.resolution_sentence(written.step), True)

    def _on_refused(self, sentence: str) -> None:
        self.is_resolving = False
        self.resolved.emit(sentence, False)


# ---- Answers side by side with their differences marked, and one selected.


_PAD, _GAP, _NARROWEST = 16.0, 12.0, 230.0
_INNER = 14.0
_LINE = 22.0


class FindingSheet(Sheet):
    """Card for each use of the trigger, in rows if there are many. A click selects one."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self.finding: DuplicateFinding | None = None
        self._cards: tuple[HoldingCard, ...] = ()
        self.places: list[QRectF] = []
        self.place = 0

    def show_finding(self, finding: DuplicateFinding | None, place: int = 0) -> None:
        """Show a finding with the selected use; None for none."""
        if finding is not self.finding:
            self.finding = finding
            self._cards = () if finding is None else duplicates.holding_cards(finding)
        self.place = place
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        where = event.position() / self.theme.scale
        for place, rect in enumerate(self.places):
            if rect.contains(where):
                self.chosen.emit(place)

    def compose(self, canvas: Canvas) -> float:
        self.places = []
        if self.finding is None:
            return 10
        y = self._head(canvas, self.finding)
        across = max(1, min(len(self._cards), int((canvas.width - 2 * _PAD + _GAP) // (_NARROWEST + _GAP))))
        wide = (canvas.width - 2 * _PAD - _GAP * (across - 1)) / across
        for first in range(0, len(self._cards), across):
            row = self._cards[first : first + across]
            places = [(card, _PAD + column * (wide + _GAP)) for column, card in enumerate(row)]
            high = max(self._lines(canvas, card, QRectF(x, y, wide, 0), draw=False) for card, x in places)
            for place, (card, x) in enumerate(places, first):
                rect = QRectF(x, y, wide, high)
                self.places.append(rect)
                self._frame(canvas, rect, place == self.place)
                self._lines(canvas, card, rect, draw=True)
                if place == self.place:
                    canvas.aside("(chosen)")
            y += high + _GAP
        return y + 4

    def _head(self, canvas: Canvas, finding: DuplicateFinding) -> float:
        face, shade = self.theme.face, SHADES[finding.severity]
        row = duplicates.finding_row(finding)
        canvas.icon(ICONS[finding.severity], _PAD, 14, 18, shade)
        canvas.text(QRectF(_PAD + 26, 10, canvas.width - 2 * _PAD - 26, 26), row.word, face(18, 650))
        y = 40 + canvas.paragraph(
            QRectF(_PAD, 40, canvas.width - 2 * _PAD, 60), duplicates.explanation(finding), face(12), "text_2"
        )
        if not row.spelling:
            return y + 12
        y += 8
        x = _PAD
        for scorer, word, score in (("fuzzy", "Spelling", row.spelling), ("semantic", "Meaning", row.meaning)):
            canvas.badge(scorer, x, y + 1)
            x += 22
            x += canvas.text(QRectF(x, y, 90, 18), word, face(12)) + 8
            x += canvas.text(QRectF(x, y, 70, 18), score, face(12, 700, mono=True)) + 24
        return y + 30

    def _frame(self, canvas: Canvas, rect: QRectF, on: bool) -> None:
        if on:
            canvas.fill(rect, "selection", 8)
        canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
        canvas.painter.setPen(QPen(self.theme.color("accent" if on else "border_strong"), 2 if on else 1))
        inset = 1.0 if on else 0.5
        canvas.painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), 8, 8)

    def _lines(self, canvas: Canvas, card: HoldingCard, rect: QRectF, *, draw: bool) -> float:
        """Draw or only measure a card; return its height."""
        face = self.theme.face
        x, y, wide = rect.x() + _INNER, rect.y() + _INNER, rect.width() - 2 * _INNER
        y = self._trigger(canvas, card.marked, QPointF(x, y), wide, draw=draw) + 10
        if draw:
            canvas.line(x, y, x + wide, y)
        y += 10
        if draw:
            canvas.icon("memory" if card.kind is Kind.MEMORY else "power", x, y + 2, 15)
            canvas.text(QRectF(x + 22, y, wide - 22, 19), card.name, face(13, 600))
        y += 22
        for text in (f"{card.place}, {card.others}", card.use, card.tags):
            if text:
                if draw:
                    canvas.text(QRectF(x, y, wide, 19), text, face(12), "text_2")
                y += 20
        if card.response:
            y += 6
            y += self._response(canvas, QRectF(x, y, wide, 0), card.response, draw=draw)
        return y + _INNER - 4 - rect.y()

    def _response(self, canvas: Canvas, rect: QRectF, text: str, *, draw: bool) -> float:
        face = self.theme.face(12)
        if draw:
            return canvas.paragraph(rect, text, face, "text", lines=6)
        flags = int(Qt.TextFlag.TextWordWrap)
        needed = face.measure.boundingRect(QRectF(0, 0, rect.width(), 100_000), flags, text[:4000]).height()
        return min(needed, face.measure.lineSpacing() * 6 + 1)

    def _trigger(self, canvas: Canvas, marked: Marked, at: QPointF, wide: float, *, draw: bool) -> float:
        """Draw the words of a trigger, wrapped; differing ones are bold, tinted and underlined."""
        plain, strong = self.theme.face(15), self.theme.face(15, 650)
        x, y = at.x(), at.y()
        for word, differs in marked:
            face = strong if differs else plain
            width = min(face.width(word), wide)
            if x > at.x() and x + width > at.x() + wide:
                x, y = at.x(), y + _LINE + 2
            if draw:
                if differs:
                    canvas.fill(QRectF(x - 2, y + 1, width + 4, _LINE - 2), "accent_soft", 3)
                    canvas.line(x, y + _LINE - 2, x + width, y + _LINE - 2, "accent", 2)
                canvas.text(QRectF(x, y, width + 1, _LINE - 2), word, face)
            x += width + plain.width(" ")
        return y + _LINE
