"""The tabs above a page that shares its entry of the rail with others."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QTabBar

from app.display import words
from app.gui.shell.pages import PageRow, pages_of


class PageTabs(QTabBar):
    """One tab a page of the open entry; hidden where the entry has one page alone."""

    page_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("pages")
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setAccessibleName(self.tr("Pages of this entry"))
        self._rows: tuple[PageRow, ...] = ()
        self.currentChanged.connect(self._on_changed)
        self.hide()

    @property
    def keys(self) -> list[str]:
        """The pages of the open entry."""
        return [row.key for row in self._rows]

    def show_page(self, page: str, entry: str) -> None:
        """Show the tabs of an entry, that of this page as the open one."""
        with QSignalBlocker(self):
            if self._rows != (rows := pages_of(entry)):
                while self.count():
                    self.removeTab(0)
                self._rows = rows
                for row in rows:
                    self.addTab(words.say(row.title))
            self.setCurrentIndex(self.keys.index(page))
        self.setVisible(len(self._rows) > 1)

    def step(self, by: int) -> None:
        """Open the next page of the entry, or the one before; the last is followed by the first."""
        if self._rows:
            self.setCurrentIndex((self.currentIndex() + by) % len(self._rows))

    def _on_changed(self, place: int) -> None:
        if 0 <= place < len(self._rows):
            self.page_asked.emit(self._rows[place].key)
