"""Help page: contents and search at the left, a page at the right, external links confirmed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRect, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.display.system.help_pages import ABOUT, LICENCES, START, Section, chapters, find, words_of
from app.domain.language import quantity
from app.gui.bridge.engine_thread import Worker
from app.gui.kit import icons
from app.gui.kit.controls import EmptyState, PaneHeader, button, line_edit
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import Action, Group, Page
from app.gui.kit.pane_parts import FaultLine
from app.gui.kit.sheet import Ruled
from app.gui.kit.theme import Theme
from app.gui.system.help_repository import (
    LICENCE,
    REPORT,
    HelpContent,
    HelpRepository,
    about_page,
    licence_page,
    licences_page,
)
from app.gui.system.help_text import HelpList, HelpRow, HelpText, contents, findings

_LEFT, _LEFT_WIDE, _WIDE_FROM, _NARROW = 264, 340, 1500, 620


@dataclass(frozen=True, slots=True)
class HelpLocation:
    """Location in the help: page, heading, and scroll position when left."""

    key: str
    anchor: str = ""
    scrolled: int | None = None


class HelpPage(Page):
    """Loads a page when it is opened; with back and forward."""

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Help")
        self.profile: Path | None = None
        self.repository = HelpRepository()
        self.keys: frozenset[str] = frozenset()
        self.books: Mapping[str, Sequence[Section]] | None = None
        self.spots: list[HelpLocation] = []
        self.place = -1
        self._is_reading_all = False
        self._marked: Sequence[str] = ()
        self.search = line_edit("Search the help", clearable=True, is_hint=True)
        self.search.textChanged.connect(self._filter)
        self.list = HelpList(theme, "Contents of the help")
        self.search.returnPressed.connect(self.list.go)
        for key, by in (("Down", 1), ("Up", -1)):  # through the hits
            move = QShortcut(QKeySequence(key), self.search, partial(self.list.move_by, by))
            move.setContext(Qt.ShortcutContext.WidgetShortcut)
        for key, by in (("Alt+Left", -1), ("Alt+Right", 1)):
            QShortcut(QKeySequence(key), self, partial(self.step, by))
        self.list.opened.connect(self._on_requested)
        self.empty = EmptyState(theme, "search", "Nothing says that", "Try one word, or its beginning.")
        self.text = HelpText(theme, "Help")
        self.text.link_followed.connect(self.follow)
        self.close_prompt = LinkPrompt(theme)
        self.fault = FaultLine(theme)
        self.back = self._arrow("Back (Alt+Left)", -1)
        self.forward = self._arrow("Forward (Alt+Right)", 1)
        self.head = PaneHeader(theme, "Help", self.back, self.forward)
        self.repository.listed.connect(self._on_listed)
        self.repository.fetched.connect(self._on_fetched)
        self.repository.all_read.connect(self._on_all_read)
        self.repository.failed.connect(self._on_failed)
        self._arrange()
        theme.follow(self._apply_theme)
        self._show_place()
        self.repository.list_pages()

    def _arrow(self, tip: str, by: int) -> QPushButton:
        made = button("", tip=tip, press=partial(self.step, by))
        made.setProperty("square", "true")
        return made

    def _arrange(self) -> None:
        px = self.theme.px
        self.left = QWidget()
        column = spaced(QVBoxLayout(self.left))
        top = fill(spaced(QHBoxLayout(), None, px(16), px(2), px(16), px(6)), self.search)
        fill(column, top, (self.list, 1), (self.empty, 1))
        self.empty.setVisible(False)
        right = fill(spaced(QVBoxLayout(), 0), self.fault, self.close_prompt, (self.text, 1))
        below = fill(spaced(QHBoxLayout(), px(1)), self.left, (right, 1))
        fill(spaced(QVBoxLayout(self), 0, 0, px(4), 0, 0), self.head, (below, 1))

    # ---- Page interface

    def focus_stops(self) -> list[QWidget]:
        return [self.search, self.list, self.text]

    def persist_in(self, folder: Path) -> None:
        self.profile = folder

    def enter(self) -> None:
        """Take the focus; the first time, open the first page."""
        if not self.spots:
            self.open(START)
        super().enter()
        self.search.selectAll()

    def go_to(self, key: str) -> None:
        self.search.clear()
        self.open(key)
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def action_rows(self) -> tuple[Action, ...]:
        return (
            Action("help_back", "Help: go back", Group.PAGES, lambda: self.step(-1), icon="back"),
            Action("help_forward", "Help: go forward", Group.PAGES, lambda: self.step(1), icon="forward"),
        )

    # ---- navigation

    def open(self, key: str, anchor: str = "", marked: Sequence[str] = ()) -> None:
        """Open a page at a heading; the present location is added to the history."""
        self._remember()
        location = HelpLocation(key, anchor)
        if self.place < 0 or self.spots[self.place].key != key or anchor != self.spots[self.place].anchor:
            self.spots[self.place + 1 :] = [location]
            self.place += 1
        self._marked = marked
        self._show_location()

    def step(self, by: int) -> None:
        """Go back or forward within the history."""
        if 0 <= self.place + by < len(self.spots):
            self._remember()
            self.place += by
            self._marked = ()
            self._show_location()

    @property
    def location(self) -> HelpLocation:
        return self.spots[self.place]

    def _remember(self) -> None:
        if self.place >= 0:
            self.spots[self.place] = replace(self.location, scrolled=self.text.verticalScrollBar().value())

    def _show_location(self) -> None:
        key = self.location.key
        self.close_prompt.forget()
        self._show_place()
        if not self.search.text().strip():
            self.list.select(key)
        if key == ABOUT:
            self.repository.make(key, partial(about_page, self.core_state, self.profile))
        elif key == LICENCES:
            self.repository.make(key, licences_page)
        elif key.startswith(LICENCE):
            self.repository.make(key, partial(licence_page, key.removeprefix(LICENCE)))
        else:
            self.repository.fetch(key, self.text.pixels_wide)

    def _on_fetched(self, key: str, content: HelpContent) -> None:
        if self.place < 0 or key != self.location.key:
            return  # another page was requested meanwhile
        self.fault.show_fault("")
        if content.markdown == self.text.content.markdown and not self._marked and not self.text.marked:
            self.text.go_to(self.location.anchor)
        else:
            self.text.show_content(content, self.location.anchor, self._marked)
        if self.location.scrolled is not None:
            self.text.verticalScrollBar().setValue(self.location.scrolled)

    def _on_failed(self, key: str, why: str) -> None:
        if not key or (self.place >= 0 and key == self.location.key):
            self.text.show_content(HelpContent(""))
            self.fault.show_fault(f"This page of the help cannot be read: {why}.")

    def _show_place(self) -> None:
        self.back.setEnabled(self.place > 0)
        self.forward.setEnabled(self.place + 1 < len(self.spots))

    # ---- links

    def follow(self, link: str) -> None:
        """Follow a link: within the help, or outside after confirmation."""
        if link.startswith(("https:", "http:", "mailto:")):
            self.close_prompt.ask(link)
        elif link == REPORT:
            self.action_requested.emit("report")
        elif link.startswith(LICENCE):
            self.open(link)
        else:
            page, _, anchor = link.partition("#")
            self.open(page.removesuffix(".md") or self.location.key, anchor)

    # ---- contents and search

    def _on_listed(self, keys: frozenset[str]) -> None:
        self.keys = keys
        self._filter()

    def _on_all_read(self, books: Mapping[str, Sequence[Section]]) -> None:
        self.books = books
        self._filter()

    def _filter(self) -> None:
        """List the contents, or the search hits; all pages are read for the first search."""
        sought = self.search.text().strip()
        lines = contents(chapters(self.keys)) if not sought and self.keys else []
        if sought and self.books is None:
            if not self._is_reading_all:
                self._is_reading_all = True
                self.repository.read_all()
            return
        if sought:
            lines = findings(find(self.books or {}, sought))
        self.list.setAccessibleName("What was found" if sought else "Contents of the help")
        self.list.show_lines(lines, "" if sought or self.place < 0 else self.location.key)
        if sought:
            self.list.move_by(1)
        self.list.setVisible(bool(lines) or not sought)
        self.empty.setVisible(bool(sought) and not lines)
        found = quantity(len(lines), "place")
        self.head.set_more(found if sought else "")
        self.search.setAccessibleDescription(found if sought else "")

    def _on_requested(self, line: HelpRow) -> None:
        sought = self.search.text().strip()
        self.open(line.key, line.anchor, words_of(sought) if sought else ())

    # ---- appearance

    def resizeEvent(self, event: QResizeEvent) -> None:
        px = self.theme.px
        wide = px(_LEFT_WIDE if self.width() >= px(_WIDE_FROM) else _LEFT)
        self.left.setFixedWidth(min(wide, self.width() // 3) if self.width() < px(_NARROW) else wide)

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(self.left.width(), self.left.y(), 1, self.left.height())

    def _apply_theme(self) -> None:
        tokens = self.theme.tokens
        for made, name in ((self.back, "back"), (self.forward, "forward")):
            made.setIcon(icons.icon(name, tokens.text, tokens.border_strong))


# ---- Confirmation before an external link opens in the browser: the program fetches nothing.


class LinkPrompt(Ruled):
    """Address of an external link with its actions; hidden until one is clicked."""

    ground = "bg"

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.address = ""
        self.sentence = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.go = button("Open in the browser", press=self.open)
        self.copy_actions = button("Copy the address", press=self.copy)
        self.stay = button("Stay here", press=self.forget)
        across = spaced(QHBoxLayout(self), theme.px(8), theme.px(32), theme.px(8), theme.px(16), theme.px(8))
        fill(across, (self.sentence, 1), self.go, self.copy_actions, self.stay)
        self.setVisible(False)

    def ask(self, address: str) -> None:
        """Ask if this address may be opened; the focus is on the answer "no"."""
        self.address = address
        self.sentence.setText(f"{address} is not part of this program.")
        self.setAccessibleName(self.sentence.text())
        self.setVisible(True)
        self.stay.setFocus(Qt.FocusReason.OtherFocusReason)

    def forget(self) -> None:
        """Close without opening anything."""
        self.address = ""
        self.setVisible(False)

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.address)
        self.forget()

    def open(self) -> None:
        """Open the address with the desktop."""
        QDesktopServices.openUrl(QUrl(self.address))
        self.forget()

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(0, self.height() - 1, self.width(), 1)
