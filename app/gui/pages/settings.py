"""The settings page: every setting by section, searchable, changed in place and live."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QListWidget, QVBoxLayout, QWidget

from app.display import words
from app.display.settings_rows import SettingSection, matching, setting_sections
from app.gui.controls import Empty, Head, button
from app.gui.pages.encoder_section import EncoderSection
from app.gui.pages.page import Desk, Page
from app.gui.pages.setting_line import SettingLine
from app.gui.pages.trying import Trying
from app.gui.sheet import scrolled
from app.gui.theme import Theme
from app.gui.worker import Worker

_WIDEST = 1180
"""In units; a sentence and its value should not be a screen apart."""


class SettingsPage(Page):
    """A field to search, the sections at the left, the settings at the right."""

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, self.tr("Settings"))
        self.no_undo = self.tr("Ctrl+Z takes back what was done to the library. A setting has its own way back: Reset.")
        self.worker = worker
        self.sections: tuple[SettingSection, ...] = ()
        self.lines: dict[str, SettingLine] = {}
        self.titles: dict[str, QLabel] = {}
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.setPlaceholderText(self.tr("Search settings by name, sentence or variable"))
        self.search.setAccessibleName(self.tr("Search settings"))
        self.search.textChanged.connect(self._sift)
        self.only_changed = button(self.tr("Only changed"), tip=self.tr("Show what is not at its default"))
        self.only_changed.setCheckable(True)
        self.only_changed.toggled.connect(self._sift)
        self.trying = Trying(self, worker, self.lines)
        self.head = Head(theme, self.tr("Settings"), self.trying.button)
        self.places = QListWidget()
        self.places.setAccessibleName(self.tr("Sections"))
        self.places.setProperty("places", "true")
        self.places.currentTextChanged.connect(self._go_to)
        self.body = QWidget()
        self.column = QVBoxLayout(self.body)
        self.column.setContentsMargins(0, 0, 0, theme.px(24))
        self.column.setSpacing(0)
        self.body.setMaximumWidth(theme.px(_WIDEST))
        self.encoder = EncoderSection(theme, worker.errands)
        self.area = scrolled(self.body, self.tr("Settings"))
        self.empty = Empty(
            theme, "search", self.tr("No setting is called so"), self.tr("Search for one word of its name or sentence.")
        )
        self.empty.setVisible(False)
        self._arrange()
        worker.errands.refused.connect(self._on_refused, Qt.ConnectionType.QueuedConnection)
        theme.changed.connect(self._dress)

    def _arrange(self) -> None:
        px = self.theme.px
        top = QHBoxLayout()
        top.setContentsMargins(px(16), 0, px(16), px(10))
        top.setSpacing(px(8))
        top.addWidget(self.search, 1)
        top.addWidget(self.only_changed)
        self.places.setFixedWidth(px(216))
        below = QHBoxLayout()
        below.setSpacing(0)
        below.addWidget(self.places)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self.area, 1)
        right.addWidget(self.empty, 1)
        below.addLayout(right, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, px(4), 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.head)
        whole.addLayout(top)
        whole.addLayout(below, 1)

    def stops(self) -> list[QWidget]:
        return [self.search, self.places, self.area]

    def enter(self) -> None:
        """Take the keyboard; what was sought before is typed over."""
        super().enter()
        self.search.selectAll()

    def show_desk(self, desk: Desk) -> None:
        super().show_desk(desk)
        self.sections = setting_sections(desk.settings, desk.origins)
        if not self.lines:
            self._build()
        for section in self.sections:
            for row in section.rows:
                if row != self.lines[row.key].row:
                    self.lines[row.key].show_row(row)
        self.trying.show_desk(desk)
        self.encoder.show_desk(desk)
        self._sift()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.trying.look()

    def _build(self) -> None:
        for section in self.sections:
            title = QLabel(section.title)
            title.setTextFormat(Qt.TextFormat.PlainText)
            title.setIndent(0)
            self.titles[section.key] = title
            self.column.addWidget(title)
            if section.key == "encoder":
                self.column.addWidget(self.encoder)
            self.places.addItem(section.title)
            for row in section.rows:
                line = self.lines[row.key] = SettingLine(self.theme, row)
                line.chosen.connect(self.worker.errands.choose)
                self.trying.join(line)
                self.column.addWidget(line)
        self.column.addStretch(1)
        self._dress()

    # ---- finding

    def _sift(self) -> None:
        """Leave what is sought, and the titles above it."""
        sought, changed = self.search.text(), self.only_changed.isChecked()
        left = 0
        for place, section in enumerate(self.sections):
            shown = [
                row.key
                for row in section.rows
                if matching(row, section, sought) and (not changed or row.value != row.default or row.is_set_here)
            ]
            for row in section.rows:
                self.lines[row.key].setVisible(row.key in shown)
            self.titles[section.key].setVisible(bool(shown))
            if section.key == "encoder":
                self.encoder.setVisible(bool(shown) and not changed)
            self.places.item(place).setHidden(not shown)
            left += len(shown)
        self.head.set_more(words.say_n(left, "{n} setting", "{n} settings"))
        self.area.setVisible(bool(left))
        self.empty.setVisible(not left)

    def go_to(self, key: str) -> None:
        """Bring one setting into view and put the keyboard there, whatever was sought before."""
        self.search.clear()
        self.only_changed.setChecked(False)
        line = self.lines.get(key)
        if line is not None:
            self.area.ensureWidgetVisible(line, 0, self.area.height() // 3)
            line.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _go_to(self, title: str) -> None:
        label = next((label for label in self.titles.values() if label.text() == title), None)
        if label is not None:
            self.area.verticalScrollBar().setValue(label.y())

    # ---- what comes back

    def _on_refused(self, key: str, sentence: str) -> None:
        line = self.lines.get(key)
        if line is not None and self.isVisible():
            line.tell(sentence)

    def _dress(self) -> None:
        px, tokens = self.theme.px, self.theme.tokens
        for label in self.titles.values():
            label.setStyleSheet(
                f"font-size: {px(15)}px; font-weight: 650; color: {tokens.text}; "
                f"padding: {px(18)}px {px(16)}px {px(4)}px {px(16)}px"
            )
