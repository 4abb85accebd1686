"""One line above the bottom: what has changed in the folder that the library is linked to, and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.gui.controls import button
from app.gui.library.pane_parts import Said
from app.gui.theme import Theme

if TYPE_CHECKING:
    from app.services.library.folder_content import FolderNews


class FolderStrip(QWidget):
    """Hidden while library and folder are in step, or the same news was put off."""

    show_asked = Signal()
    take_asked = Signal()
    save_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.news: FolderNews | None = None
        self._put_off: FolderNews | None = None
        self.sentence = Said(theme)
        self.take = button(self.tr("Take in"), press=self.take_asked.emit)
        self.show_ = button(self.tr("Show what differs"), press=self.show_asked.emit)
        self.save = button(self.tr("Save the library there"), press=self.save_asked.emit)
        self.later = button(self.tr("Not now"), link=True, press=self._later)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(16), theme.px(6), theme.px(12), theme.px(6))
        row.setSpacing(theme.px(8))
        row.addWidget(self.sentence, 1)
        for one in (self.take, self.show_, self.save, self.later):
            row.addWidget(one)
        self.setVisible(False)
        theme.changed.connect(self.update)

    def show_news(self, news: FolderNews | None) -> None:
        """Tell this, unless it was put off."""
        if news == self.news:
            return
        from app.display.library.folder import news as said

        self.news = news
        sentence = said(news)
        self.sentence.say(sentence)
        self.setAccessibleName(sentence)
        readable = news is not None and not (news.fault or news.is_new)
        can_take = news is not None and readable and bool(news.there) and not (news.conflicts or news.faults)
        self.take.setVisible(can_take)
        self.show_.setVisible(readable)
        self.save.setVisible(news is not None and news.is_new)
        self.setVisible(bool(sentence) and news != self._put_off)

    def _later(self) -> None:
        self._put_off = self.news
        self.setVisible(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.color("accent_soft"))
        painter.fillRect(0, 0, self.theme.px(3), self.height(), self.theme.color("accent"))
