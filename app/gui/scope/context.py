"""The injection preview: what the query would bring into an assistant's context, word by word, live as it is typed."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication, QHideEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from app.detect.surfacing import Surfaced
from app.display.scope.surfacing import context_list, surfacing
from app.domain.inspection import Inspection
from app.domain.language import say, say_n
from app.gui.bridge.engine_thread import Worker
from app.gui.kit.action import Action, Group
from app.gui.kit.controls import Empty, Head, button
from app.gui.kit.drawing.sheet import scrolled
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.fields import LONGEST
from app.gui.kit.page import CoreState, Page
from app.gui.kit.query_follower import QueryFollower
from app.gui.kit.strips import least_heights, turn_box
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.scope.context_sheet import ContextSheet, TableSheet

COPY = Action("copy_context", say("Copy what would be injected"), Group.COPY, shortcuts=("Ctrl+Alt+C",), icon="copy")
_RIGHT, _RIGHT_WIDE, _WIDE_FROM = 440, 620, 1500


class ContextPage(Page):
    """The list at the left, the rule in force and the exact text at the right."""

    least_beside = 860

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, self.tr("Context"))
        self.surfaced: Surfaced | None = None
        self._is_typed_here = False
        self.line = QLineEdit()
        self.line.setMaxLength(LONGEST)
        self.line.setPlaceholderText(self.tr("Type a query to see what it would bring into the context"))
        self.line.setAccessibleName(self.tr("Query"))
        self.line.textEdited.connect(self._on_typed)
        self.fault = FaultLine(theme)
        self.sheet = ContextSheet(theme, self.tr("What is surfaced, in order"))
        self.area = scrolled(self.sheet, self.tr("What is surfaced, in order"))
        self.table = TableSheet(theme, self.tr("How many memories are surfaced"))
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(self.tr("The text that would be injected"))
        self.copy = button(self.tr("Copy"), tip=COPY.name, press=self.copy_text)
        self.list_head = Head(theme, self.tr("Surfaced memories"))
        self.text_head = Head(theme, self.tr("Exactly what is injected"), self.copy)
        self.empty = Empty(
            theme, "context", self.tr("No query yet"), self.tr("Type one above, or on the scope; this page follows it.")
        )
        self.following = QueryFollower(self, worker)
        self.following.found.connect(self._show)
        self.following.refused.connect(self.fault.tell)
        self._arrange()
        self.text.setFont(theme.font(12, mono=True))
        styled(self.text, role="mono")
        styled(self.line, role="probe")
        self._show_nothing()

    def _arrange(self) -> None:
        px = self.theme.px
        top = QHBoxLayout()
        top.setContentsMargins(px(16), 0, px(16), px(10))
        top.addWidget(self.line)
        left, right = QVBoxLayout(), QVBoxLayout()
        for column in (left, right):
            column.setSpacing(0)
        left.addWidget(self.list_head)
        left.addWidget(self.area, 1)
        box = QVBoxLayout()
        box.setContentsMargins(px(16), 0, px(16), px(16))
        box.addWidget(self.text)
        right.addSpacing(px(8))
        right.addWidget(self.table)
        right.addWidget(self.text_head)
        right.addLayout(box, 1)
        self.left, self.right = QWidget(), QWidget()
        left.setContentsMargins(0, 0, 0, 0)
        self.left.setLayout(left)
        self.right.setLayout(right)
        self.body = QWidget()
        across = self._across = QHBoxLayout(self.body)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(px(1))
        across.addWidget(self.left, 1)
        across.addWidget(self.right)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, px(4), 0, 0)
        whole.setSpacing(0)
        whole.addWidget(Head(self.theme, self.tr("Context")))
        whole.addLayout(top)
        whole.addWidget(self.fault)
        whole.addWidget(self.body, 1)
        whole.addWidget(self.empty, 1)

    def stops(self) -> list[QWidget]:
        return [self.line, self.area, self.text, self.copy]

    def offers(self) -> tuple[Action, ...]:
        return (COPY.bound(self.copy_text, self.refusal),)

    def refusal(self) -> str:
        """Why there is nothing to copy; "" if there is."""
        if self.surfaced is None or not self.surfaced.text:
            return self.tr("Nothing would be injected, so there is nothing to copy.")
        return ""

    def copy_text(self) -> None:
        """Put exactly what would be injected on the clipboard."""
        if self.surfaced is None or self.refusal():
            self.notified.emit(self.refusal(), False, True)
            return
        QGuiApplication.clipboard().setText(self.surfaced.text)
        self.notified.emit(say_n(self.surfaced.tokens, "Copied {n} token.", "Copied {n} tokens."), False, False)

    # ---- what is shown

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
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
        self.fault.tell("")
        self.surfaced = found
        # Whoever types here is ahead of the answers; a query from the scope may come after the page was opened.
        if not self._is_typed_here and self.line.text() != inspection.query.text:
            self.line.setText(inspection.query.text)
        self.table.shown = surfacing(inspection, self.core_state.settings)
        self.sheet.shown = context_list(found, self.table.shown.sentence)
        inside, listed = len(found.inside), len(found.entries)
        self.list_head.set_more(say("{inside} in, {out} out", inside=inside, out=listed - inside))
        if self.text.toPlainText() != found.text:
            self.text.setPlainText(found.text)
        self.text.setPlaceholderText(self.table.shown.sentence if not found.text else "")
        self.text.viewport().update()  # Qt paints another text there only where there was none before
        self.text_head.set_more(say_n(found.tokens, "{n} token", "{n} tokens") if found.text else "")
        self.copy.setEnabled(bool(found.text))
        self.body.setVisible(True)
        self.empty.setVisible(False)
        for sheet in (self.sheet, self.table):
            sheet.update()

    def _show_nothing(self) -> None:
        self.surfaced = None
        self.body.setVisible(False)
        self.empty.setVisible(True)

    # ---- while it can be seen

    def showEvent(self, event: QShowEvent) -> None:
        answer, self._is_typed_here = self.following.answer, False
        text = "" if answer is None else answer.query.text
        if text != self.line.text():
            self.line.setText(text)
        if answer is None:
            self._show_nothing()
        self.following.look()

    def hideEvent(self, event: QHideEvent) -> None:
        self.following.forget()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter, border = QPainter(self), self.theme.color("border")
        painter.fillRect(0, self.body.y() - 1, self.width(), 1, border)
        if self.body.isVisible():
            right = self.right.geometry().translated(self.body.pos())
            high, wide = (1, right.width()) if self.is_narrow else (right.height(), 1)
            painter.fillRect(QRect(right.x() - (wide == 1), right.y() - (high == 1), wide, high), border)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.lay_panes(turned=False)

    def lay_panes(self, turned: bool) -> None:
        wide = self.width() >= self.theme.px(_WIDE_FROM)
        seen = self.seen_high - self.body.y()
        least_heights(self.theme, {self.left: 200, self.right: 380}, narrow=self.is_narrow, within=seen)
        turn_box(self.theme, self._across, self.right, _RIGHT_WIDE if wide else _RIGHT, narrow=self.is_narrow)
