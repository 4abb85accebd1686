"""Keywords as chips, each with the number of powers that share it and its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.display.powers.rows import keyword_score_text
from app.gui.kit.layouts import FlowLayout, spaced
from app.gui.kit.theme import icons
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

_LONGEST = 200


class _Line(QLineEdit):
    """Line edit for another keyword; Backspace in the empty line edits the last chip."""

    taken_back = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Backspace and not self.text():
            self.taken_back.emit()
        else:
            super().keyPressEvent(event)


class KeywordChips(QWidget):
    """Keywords of one power. Enter or a comma adds one, pressing a chip removes it."""

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.keywords: tuple[str, ...] = ()
        self.chips: list[QPushButton] = []
        self._holders: Mapping[str, int] = {}
        self.line = _Line()
        self.line.setMaxLength(_LONGEST)
        self.line.setPlaceholderText("Add a keyword and press Enter")
        self.line.setAccessibleName("Add a keyword")
        self.line.returnPressed.connect(self._add)
        self.line.editingFinished.connect(self._add)
        self.line.textEdited.connect(self._on_text)
        self.line.taken_back.connect(self._take_back)
        self._field = QWidget()
        self._flow = FlowLayout(theme.px(6))
        self._field.setLayout(self._flow)
        self._field.setSizePolicy(self._grows())
        column = spaced(QVBoxLayout(self), theme.px(6))
        column.addWidget(self._field)
        column.addWidget(self.line)
        theme.changed.connect(self._apply_theme)

    def show_keywords(self, keywords: Sequence[str]) -> None:
        """Show these keywords without a signal."""
        self.keywords = tuple(keywords)
        self.line.clear()
        self._rebuild()

    def show_holders(self, holders: Mapping[str, int]) -> None:
        """Show the number of powers that share each keyword."""
        self._holders = holders
        for chip, keyword in zip(self.chips, self.keywords, strict=True):
            self._describe(chip, keyword)
        self._flow.invalidate()

    def _grows(self) -> QSizePolicy:
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        return policy

    def _rebuild(self) -> None:
        for chip in self.chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self.chips = []
        for keyword in self.keywords:
            chip = QPushButton(self._field)
            chip.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the cross is at the right
            chip.clicked.connect(lambda _=False, keyword=keyword: self._remove(keyword))
            self._describe(chip, keyword)
            styled(chip, role="keyword")
            self._flow.addWidget(chip)
            chip.show()
            self.chips.append(chip)
        self._field.setVisible(bool(self.chips))
        self._apply_theme()

    def _describe(self, chip: QPushButton, keyword: str) -> None:
        worth = keyword_score_text(self._holders.get(keyword, 1))
        chip.setText(f"{keyword[:40]}   {worth} ".replace("&", "&&"))
        chip.setAccessibleName(f"Keyword {keyword}: {worth}. Press to remove it.")
        chip.setToolTip(f"Press to remove it. By itself this keyword scores {worth}.")

    def _on_text(self, text: str) -> None:
        if text.endswith((",", ";")):
            self.line.setText(text[:-1])
            self._add()

    def _add(self) -> None:
        keyword = self.line.text().strip()
        self.line.clear()
        if keyword and keyword not in self.keywords:
            self.keywords = (*self.keywords, keyword)
            self._rebuild()
            self.changed.emit()

    def _take_back(self) -> None:
        if self.keywords:
            self._remove(self.keywords[-1])

    def _remove(self, keyword: str) -> None:
        place = self.keywords.index(keyword)
        self.keywords = tuple(one for one in self.keywords if one != keyword)
        self._rebuild()
        (self.chips[min(place, len(self.chips) - 1)] if self.chips else self.line).setFocus()
        self.changed.emit()

    def _apply_theme(self) -> None:
        px, tokens = self.theme.px, self.theme.tokens
        for chip in self.chips:
            chip.setIcon(icons.icon("cross", tokens.text_2))
            chip.setIconSize(QSize(px(12), px(12)))
