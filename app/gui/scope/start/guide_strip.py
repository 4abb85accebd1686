"""The line below the panes that says one thing that helps now, with buttons that do it and one that sends it away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton

from app.gui.kit.controls import Quiet, button
from app.gui.kit.drawing.sheet import Ruled
from app.gui.kit.theme import icons
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme


class GuideStrip(Ruled):
    """A sentence, up to three links, and a cross; hidden while there is nothing to say."""

    ground = "accent_soft"
    mark = "accent"

    pressed = Signal(str)  # the key of a link
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.links: list[QPushButton] = []
        self.sentence = styled(Quiet(), role="body")
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.close_it = button("", link=True, tip=self.tr("Close this line"), press=self.closed.emit)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(16), theme.px(4), theme.px(12), theme.px(4))
        row.setSpacing(theme.px(8))
        row.addWidget(self.sentence)
        row.addStretch(1)
        row.addWidget(self.close_it)
        theme.changed.connect(self._dress)
        self._dress()
        self.setVisible(False)

    def tell(self, sentence: str, links: Sequence[tuple[str, str]]) -> None:
        """Say this, with a link for each key and word; "" says nothing."""
        for link in self.links:
            self._row.removeWidget(link)
            link.deleteLater()
        self.links = []
        for place, (key, word) in enumerate(links):
            link = button(word, link=True, press=partial(self.pressed.emit, key))
            self._row.insertWidget(1 + place, link)
            self.links.append(link)
        self.sentence.setText(sentence)
        self.setAccessibleName(sentence)
        self.setVisible(bool(sentence))

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(0, 0, self.width(), 1)

    def _dress(self) -> None:
        size = self.theme.px(14)
        self.close_it.setIcon(icons.icon("cross", self.theme.tokens.text_2))
        self.close_it.setIconSize(QSize(size, size))
