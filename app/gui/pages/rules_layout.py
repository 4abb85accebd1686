"""The rules page as it is laid out: packs and their rules at the left, the editor of one at the right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.gui.controls import Empty, Head, button
from app.gui.pages.page import Page
from app.gui.pages.turning import least_heights, turn_box
from app.gui.rules.editor import RuleEditor
from app.gui.rules.packs import PacksPane
from app.gui.rules.table import RulesTable
from app.gui.theme import Theme

_RIGHT, _WIDEST, _SHARE = 452, 640, 0.37


class RulesLayout(Page):
    """The parts and their places; what they do is the page's."""

    least_beside = 800

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, self.tr("Rules"))
        self.packs = PacksPane(theme)
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.setPlaceholderText(self.tr("Filter by id, label, pattern or hint"))
        self.search.setAccessibleName(self.tr("Filter the rules"))
        self.table = RulesTable(theme, self.tr("Rules"))
        self.add = button(self.tr("Add"), tip=self.tr("Write a new rule in a pack of your own"))
        self.twin = button(self.tr("Duplicate"), tip=self.tr("Write a rule of your own that begins as this one"))
        self.delete = button(self.tr("Delete"), tip=self.tr("Delete the selected rule (Del)"))
        self.head = Head(theme, self.tr("Rules"), self.add, self.twin, self.delete)
        self.editor = RuleEditor(theme)
        self.nothing = Empty(
            theme, "search", self.tr("No rule is like this"), self.tr("Filter by one word, or by none.")
        )
        self.nothing.setVisible(False)
        self.first = button(self.tr("Add a rule"), primary=True)
        self.none = Empty(
            theme,
            "rules",
            self.tr("No rule is selected"),
            self.tr("Select one to edit and try it. Add one, or duplicate a shipped one to make it your own."),
            self.first,
        )
        self._arrange()

    def _arrange(self) -> None:
        px = self.theme.px
        seeking = QHBoxLayout()
        seeking.setContentsMargins(px(16), 0, px(16), px(8))
        seeking.addWidget(self.search)
        left = QVBoxLayout()
        left.setContentsMargins(0, px(4), 0, 0)
        left.setSpacing(0)
        left.addWidget(self.packs)
        left.addWidget(self.head)
        left.addLayout(seeking)
        left.addWidget(self.table, 1)
        left.addWidget(self.nothing, 1)
        self.side = QWidget()
        right = QVBoxLayout(self.side)
        right.setContentsMargins(1, px(4), 0, 0)
        right.setSpacing(0)
        right.addWidget(self.editor, 1)
        right.addWidget(self.none, 1)
        whole = self._whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(left, 1)
        whole.addWidget(self.side)

    def stops(self) -> list[QWidget]:
        return [self.table, self.search, self.packs.list, self.editor.pattern, self.editor.area]

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.lay_panes(turned=False)

    def lay_panes(self, turned: bool) -> None:
        width, narrow = self.width() / self.theme.scale, self.is_narrow
        wanted = max(_RIGHT, min(_WIDEST, _SHARE * width))
        least_heights(self.theme, {self.table: 200, self.side: 380}, narrow=narrow, within=0)
        turn_box(self.theme, self._whole, self.side, min(wanted, width / 2), narrow=narrow)

    def enter(self) -> None:
        """Take the keyboard: the editor if something is not saved there, else the table."""
        draft = self.editor.draft
        stop = self.editor.pattern if draft is not None and draft.is_changed else self.stops()[0]
        stop.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def allow_delete(self, on: bool, *, is_shipped: bool) -> None:
        """Let the selected rule be deleted, if there is one and it did not come with the program."""
        self.delete.setEnabled(on and not is_shipped)
        self.delete.setToolTip(
            self.tr("A rule that came with the program stays: switch it off instead.")
            if is_shipped
            else self.tr("Delete the selected rule (Del)")
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter, line = QPainter(self), self.theme.color("border")
        if self.is_narrow:
            painter.fillRect(0, self.side.y() - 1, self.width(), 1, line)
        else:
            painter.fillRect(self.side.x(), 0, 1, self.height(), line)
        painter.fillRect(0, self.packs.geometry().bottom(), self.packs.width(), 1, line)
