"""Trying the way to the LLM, link by link, with what to do about the one that fails."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.display.system.connection import link_rows, verdict
from app.gui.controls import Head, button
from app.gui.errands import CHECK, Errands
from app.gui.fault_line import FaultLine
from app.gui.pages.links import LinksSheet
from app.gui.sheet import scrolled
from app.gui.theme import Theme
from app.services.system.connection import REMEDIES, Link, LinkState

_UNTRIED = tuple(Link(name, LinkState.WAITING) for name in REMEDIES)


class CheckPane(QWidget):
    """A button, six links, and a word on cold starts."""

    def __init__(self, theme: Theme, errands: Errands) -> None:
        super().__init__()
        self.theme, self.errands = theme, errands
        self.is_checking = False
        self.links: tuple[Link, ...] = _UNTRIED
        self.check = button(
            self.tr("Check"), primary=True, tip=self.tr("Try every link, with questions of its own"), press=self.begin
        )
        self.cancel = button(self.tr("Cancel"), tip=self.tr("Stop the check"), press=self._cancel)
        self.head = Head(theme, self.tr("The way to the LLM"), self.cancel, self.check)
        self.fault = FaultLine(theme)
        self.sheet = LinksSheet(theme, self.tr("Links to the LLM"))
        self.area = scrolled(self.sheet, self.tr("Links to the LLM"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.head, self.fault):
            column.addWidget(widget)
        column.addWidget(self.area, 1)
        errands.links_tried.connect(self._on_tried)
        errands.check_ended.connect(self._on_ended)
        self.forget()

    def begin(self) -> None:
        """Try the links from the first."""
        self.fault.tell("")
        self._show(_UNTRIED, self.tr("Checking"), checking=True)
        self.errands.check()
        self.cancel.setFocus()

    def forget(self) -> None:
        """What was tried no longer holds."""
        self.errands.cancel(CHECK)
        self.fault.tell("")
        self._show(_UNTRIED, self.tr("Not checked yet"), checking=False)

    def _cancel(self) -> None:
        self.errands.cancel(CHECK)
        tried = tuple(Link(x.name, LinkState.WAITING) if x.state is LinkState.RUNNING else x for x in self.links)
        self._show(tried, self.tr("Stopped"), checking=False)

    def _on_tried(self, links: tuple[Link, ...]) -> None:
        self._show(links, self.tr("Checking"), checking=True)

    def _on_ended(self, sentence: str) -> None:
        self.fault.tell(sentence)
        self._show(self.links, verdict(self.links), checking=False)

    def _show(self, links: tuple[Link, ...], word: str, *, checking: bool) -> None:
        back = self.cancel.hasFocus() and not checking
        self.links, self.is_checking = links, checking
        self.sheet.shown = link_rows(links)
        self.sheet.update()
        self.head.set_more(word)
        self.cancel.setVisible(checking)
        self.check.setEnabled(not checking)
        if back:
            self.check.setFocus()
