"""Injection preview: the text that a query adds to an assistant's context, and why."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QHideEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.detect.surfacing import Surfaced
from app.display.scope.surfacing import ContextList, ContextRow, Surfacing, context_list, rules_of_surfacing, surfacing
from app.domain.language import plural
from app.domain.scope.inspection import Inspection
from app.gui.bridge.engine_thread import Worker
from app.gui.kit.controls import EmptyState, PaneHeader, button, line_edit, text_box
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.drawing.sheet import Sheet, draw_move, scrolled
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.fields import LONGEST
from app.gui.kit.layouts import fill, keep_least_heights, orient_box, spaced
from app.gui.kit.page import Action, CoreState, Group, Page
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.scope.namespaces import NamespaceWeights, QueryFollower
from app.gui.scope.panels.arithmetic import draw_surfacing

COPY = Action("copy_context", "Copy what would be injected", Group.COPY, shortcuts=("Ctrl+Alt+C",), icon="copy")
WEIGHTS = "weights"
"""Key of the namespace weights on the page."""

_RIGHT, _RIGHT_WIDE, _WIDE_FROM = 440, 620, 1500


class ContextPage(Page):
    """Page with the list on the left, the rule and the exact text on the right."""

    side_by_side_from = 860

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Context")
        self.surfaced: Surfaced | None = None
        self.no_undo_reason = "The last step did not change a setting: undo it with Ctrl+Z on another page."
        self._is_typed_here = False
        hint = "Type a query to see what it would bring into the context"
        self.line = line_edit("Query", hint=hint, longest=LONGEST)
        self.line.textEdited.connect(self._on_typed)
        self.fault = FaultLine(theme)
        self.sheet = ContextSheet(theme, "Injected memories, in order")
        self.area = scrolled(self.sheet, "Injected memories, in order")
        self.table = TableSheet(theme, "Number of injected memories")
        self.text = text_box("The text that would be injected", read_only=True)
        self.copy = button("Copy", tip=COPY.name, press=self.copy_text)
        self.list_head = PaneHeader(theme, "Injected memories")
        self.text_head = PaneHeader(theme, "Exactly what is injected", self.copy)
        self.empty = EmptyState(
            theme, "context", "No query yet", "Type one above, or on the scope; this page follows it."
        )
        self.following = QueryFollower(self, worker)
        self.following.found.connect(self._show)
        self.following.refused.connect(self._on_refused)
        self.weights = NamespaceWeights(theme, self.following)
        self.weights.begun.connect(lambda: self.fault.show_fault(""))
        self.weights.notified.connect(lambda sentence, undo: self.notified.emit(sentence, undo, False))
        self._arrange()
        self.text.setFont(theme.font(12, mono=True))
        styled(self.text, role="mono")
        styled(self.line, role="probe")
        self._show_nothing()

    def _arrange(self) -> None:
        px = self.theme.px
        top = fill(spaced(QHBoxLayout(), None, px(16), 0, px(16), px(10)), self.line)
        self.left, self.right = QWidget(), QWidget()
        fill(spaced(QVBoxLayout(self.left)), self.list_head, (self.area, 1), (self.empty, 1), self.weights)
        box = fill(spaced(QVBoxLayout(), None, px(16), 0, px(16), px(16)), self.text)
        right = QVBoxLayout(self.right)
        right.setSpacing(0)
        right.addSpacing(px(8))
        fill(right, self.table, self.text_head, (box, 1))
        self.body = QWidget()
        across = self._across = spaced(QHBoxLayout(self.body), px(1))
        fill(across, (self.left, 1), self.right)
        fill(
            spaced(QVBoxLayout(self), 0, 0, px(4), 0, 0),
            PaneHeader(self.theme, "Context"),
            top,
            self.fault,
            (self.body, 1),
        )

    def focus_stops(self) -> list[QWidget]:
        return [self.line, self.area, *self.weights.focus_stops(), self.text, self.copy]

    def go_to(self, key: str) -> None:
        """Open the weights of namespaces for “weights”."""
        if key == WEIGHTS:
            self.weights.set_open(True)
            self.weights.matrix.setFocus(Qt.FocusReason.OtherFocusReason)

    def action_rows(self) -> tuple[Action, ...]:
        return (COPY.bound(self.copy_text, self.refusal),)

    def refusal(self) -> str:
        """Return why there is nothing to copy; "" if there is."""
        if self.surfaced is None or not self.surfaced.text:
            return "Nothing would be injected, so there is nothing to copy."
        return ""

    def copy_text(self) -> None:
        """Copy exactly what would be injected."""
        if self.surfaced is None or self.refusal():
            self.notified.emit(self.refusal(), False, True)
            return
        QGuiApplication.clipboard().setText(self.surfaced.text)
        self.notified.emit(plural(self.surfaced.tokens, "Copied {n} token.", "Copied {n} tokens."), False, False)

    # ---- display

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        self.weights.show_core_state(core_state)
        self.following.show_core_state(core_state)

    def _on_typed(self, text: str) -> None:
        self._is_typed_here = True
        self.query_typed.emit(text)
        if not text.strip():
            self.following.forget()
            self._show_nothing()

    def _show(self, inspection: Inspection, found: Surfaced) -> None:
        if self.core_state is None:
            return
        self.surfaced = found
        # Text being typed here is newer than answers; a query of the scope may arrive after opening the page.
        if not self._is_typed_here and self.line.text() != inspection.query.text:
            self.line.setText(inspection.query.text)
        self.table.shown = surfacing(inspection, self.core_state.settings)
        self.table.rules = rules_of_surfacing(self.core_state.settings)
        self.weights.show_found(inspection, found)
        self.sheet.shown = context_list(found, self.table.shown.sentence, self.weights.before)
        inside, listed = len(found.inside), len(found.entries)
        self.list_head.set_more(f"{inside} in, {listed - inside} out")
        if self.text.toPlainText() != found.text:
            self.text.setPlainText(found.text)
        reason = next((sentence for sentence, _ in self.sheet.shown.cuts), self.table.shown.sentence)
        self.text.setPlaceholderText(reason if not found.text else "")
        self.text.viewport().update()  # Qt only repaints a placeholder text if there was none before
        self.text_head.set_more(plural(found.tokens, "{n} token", "{n} tokens") if found.text else "")
        self.copy.setEnabled(bool(found.text))
        self._show_body(True)
        for sheet in (self.sheet, self.table):
            sheet.update()

    def _show_nothing(self) -> None:
        self.surfaced = None
        self._show_body(False)

    def _show_body(self, on: bool) -> None:
        for part in (self.list_head, self.area, self.right):
            part.setVisible(on)
        self.empty.setVisible(not on)

    def _on_refused(self, sentence: str) -> None:
        self.fault.show_fault(sentence)
        if self.isVisible():
            self.weights.matrix.type_again()
        self.following.refresh()

    # ---- visibility and layout

    def showEvent(self, event: QShowEvent) -> None:
        answer, self._is_typed_here = self.following.answer, False
        text = "" if answer is None else answer.query.text
        if text != self.line.text():
            self.line.setText(text)
        if answer is None:
            self._show_nothing()
        self.weights.count()
        self.following.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        self.following.forget()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter, border = QPainter(self), self.theme.color("border")
        painter.fillRect(0, self.body.y() - 1, self.width(), 1, border)
        painter.fillRect(0, self.body.y() + self.weights.y(), self.left.width(), 1, border)
        if self.right.isVisible():
            right = self.right.geometry().translated(self.body.pos())
            high, wide = (1, right.width()) if self.is_narrow else (right.height(), 1)
            painter.fillRect(QRect(right.x() - (wide == 1), right.y() - (high == 1), wide, high), border)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.lay_panes(flipped=False)
        self.weights.fit()

    def lay_panes(self, flipped: bool) -> None:
        wide = self.width() >= self.theme.px(_WIDE_FROM)
        seen = self.visible_height - self.body.y() - self._across.spacing()
        keep_least_heights(self.theme, {self.left: 200, self.right: 380}, narrow=self.is_narrow, within=seen)
        is_single = self.is_narrow and self.left.minimumHeight() + self.right.minimumHeight() > seen
        off, as_needed = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.area.setVerticalScrollBarPolicy(off if is_single else as_needed)  # no bar beside that of the page
        orient_box(self.theme, self._across, self.right, _RIGHT_WIDE if wide else _RIGHT, narrow=self.is_narrow)


# ---- Sheet of the surfaced memories: order, arithmetic, tokens, running total, and cut.


_PAD, _ROW, _CUT = 16.0, 40.0, 30.0
_RANK, _MOVE, _SUM, _NUMBER = 24.0, 34.0, 168.0, 62.0
_MOST_LINES = 12


class ContextSheet(Sheet):
    """Injected memories in full contrast; the others dimmed, each with its own reason."""

    shown: ContextList | None = None

    def compose(self, canvas: Canvas) -> float:
        shown = self.shown
        if shown is None:
            return 0.0
        y = self._budget(canvas, shown, 4.0)
        y = self._heads(canvas, y)
        for row in shown.inside:
            y = self._row(canvas, row, y)
        for sentence, rows in shown.cuts:
            y = self._cut_line(canvas, sentence, y)
            for row in rows:
                y = self._row(canvas, row, y, rows[0].why)
        if shown.aside:
            face = self.theme.face
            title = "Set aside; these would be among the first"
            canvas.text(QRectF(_PAD, y + 14, canvas.width - 2 * _PAD, 18), title, face(12, 600))
            y += 38
            for row in shown.aside:
                y = self._row(canvas, row, y)
        y += 8
        return (
            y
            + canvas.paragraph(
                QRectF(_PAD, y, canvas.width - 2 * _PAD, 60), shown.remark, self.theme.face(11), "text_2"
            )
            + 12
        )

    def _budget(self, canvas: Canvas, shown: ContextList, y: float) -> float:
        wide = canvas.text(QRectF(_PAD, y, 220, 18), shown.tokens, self.theme.face(12, 600))
        canvas.bar(
            QRectF(_PAD + wide + 14, y + 6, canvas.width - 2 * _PAD - wide - 14, 6), shown.share, self.theme.tokens.bar
        )
        return y + 28

    def _heads(self, canvas: Canvas, y: float) -> float:
        face, right = self.theme.face(11, 600), canvas.width - _PAD
        canvas.text(QRectF(_PAD + _RANK + _MOVE, y, 120, 18), "Memory", face, "text_2")
        for title, wide in (("Total", _NUMBER), ("Tokens", _NUMBER), ("Confidence × weight", _SUM)):
            canvas.text(QRectF(right - wide, y, wide, 18), title, face, "text_2", RIGHT)
            right -= wide
        canvas.line(_PAD, y + 21.5, canvas.width - _PAD, y + 21.5)
        return y + 22

    def _row(self, canvas: Canvas, row: ContextRow, y: float, reason_of_cut: str = "") -> float:
        face, right = self.theme.face, canvas.width - _PAD
        token, weight = ("text", 600) if row.is_inside else ("text_2", 400)
        first, number = y + 3, face(12, mono=True)
        canvas.text(QRectF(_PAD, first, _RANK - 8, 18), row.rank, face(12, weight, mono=True), token, RIGHT)
        draw_move(canvas, self.theme, row.move, _PAD + _RANK, first)
        for text, wide in ((row.total, _NUMBER), (row.tokens, _NUMBER)):
            canvas.text(QRectF(right - wide, first, wide, 18), text, number, token, RIGHT)
            right -= wide
        canvas.text(QRectF(right - 50, first, 50, 18), row.product, face(12, weight, mono=True), token, RIGHT)
        sum_ = f"{row.confidence} × {row.weight} ="
        canvas.text(QRectF(right - _SUM, first, _SUM - 54, 18), sum_, number, "text_2", RIGHT)
        left = _PAD + _RANK + _MOVE
        canvas.text(QRectF(left, first, right - _SUM - left - 6, 18), row.name, face(13, weight), token)
        room = canvas.width - _PAD - left
        if row.why != reason_of_cut:
            sentence = canvas.text(
                QRectF(left + room - 220, first + 17, 220, 16), row.why, face(11, 600), "text_2", RIGHT
            )
            room -= sentence + 10
        canvas.text(QRectF(left, first + 17, room, 16), row.about, face(11), "text_2")
        y += _ROW
        canvas.line(_PAD, y - 0.5, canvas.width - _PAD, y - 0.5)
        return y

    def _cut_line(self, canvas: Canvas, sentence: str, y: float) -> float:
        canvas.line(0, y + 0.5, canvas.width, y + 0.5, "warning", 2.0, dashes=(3, 2))
        canvas.text(QRectF(_PAD, y + 5, canvas.width - 2 * _PAD, 20), sentence, self.theme.face(12, 600), "text_2")
        return y + _CUT


class TableSheet(Sheet):
    """Table of the number of memories by confidence, and the minimum confidence of a memory.

    It includes unreachable rows.
    """

    shown: Surfacing | None = None
    rules = ""

    def compose(self, canvas: Canvas) -> float:
        if self.shown is None:
            return 10.0
        y = draw_surfacing(canvas, self.theme, self.shown, 2.0) + 4
        room = QRectF(_PAD, y, canvas.width - 2 * _PAD, 60)
        return y + canvas.paragraph(room, self.rules, self.theme.face(12), "text_2", lines=_MOST_LINES) + 6
