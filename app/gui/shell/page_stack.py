"""The pages of the window, one of them shown: which is open, and where F6 stops on it."""

from __future__ import annotations

from collections.abc import Sequence

import shiboken6
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from app.gui.kit.page import Frame, Page
from app.gui.shell.pages import SCOPE


class PageStack(QStackedWidget):
    """Every page but the scope lies in a frame that scrolls it as a whole; on the scope the panes scroll one by one."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[str, Page] = {}
        self._frames: dict[str, Frame] = {}

    @property
    def page(self) -> Page:
        """The page that is open."""
        shown = self.currentWidget()
        return next(page for key, page in self.pages.items() if self._frames.get(key, page) is shown)

    def add(self, key: str, page: Page) -> None:
        """Take up a page that was just made."""
        self.pages[key] = page
        if key != SCOPE:
            self._frames[key] = Frame(page)
        self.addWidget(self._frames.get(key, page))

    def is_open(self, key: str) -> bool:
        """Whether the page of this key is the one that is shown."""
        return self.currentWidget() is self._frames.get(key, self.pages.get(key))

    def open(self, key: str) -> None:
        """Show a page that was added."""
        self.setCurrentWidget(self._frames.get(key, self.pages[key]))

    def next_stop(self, by: int, more: Sequence[QWidget]) -> None:
        """Go to the next place of the open page where the keyboard stops, or back; `more` follow those of the page."""
        stops = [stop for stop in (*self.page.stops(), *more) if stop.isVisible() and stop.isEnabled()]
        focus = QApplication.focusWidget()
        here = next((n for n, stop in enumerate(stops) if stop is focus or (focus and stop.isAncestorOf(focus))), 0)
        stop = stops[(here + by) % len(stops)]
        stop.activateWindow()  # a pane that floats is a window of its own
        stop.setFocus(Qt.FocusReason.TabFocusReason)
        if isinstance(frame := self.currentWidget(), Frame):
            frame.ensureWidgetVisible(stop)


# --------------------------------------------------------------------------------------------------------------------
# Where the keyboard is: on something that can be seen of the open page, also once that page shows other things


class Keyboard(QObject):
    """Brings the keyboard back to the open page when what had it there is hidden.

    Qt hands it to whatever comes next in the window, mostly the rail, and leaves it where it is if that was never seen.
    """

    def __init__(self, window: QWidget, stack: PageStack) -> None:
        super().__init__(window)
        self._window, self._stack = window, stack
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._bring_back)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_moved)

    def _on_moved(self, old: QWidget | None, new: QWidget | None) -> None:
        """Qt has moved it; a person who moves it leaves something that can be seen."""
        if not shiboken6.isValid(self._stack):  # what had it goes with the window
            return
        page = self._stack.page
        was_hidden = old is not None and page.isAncestorOf(old) and not old.isVisible()
        if was_hidden and new is not None and new.window() is self._window and not page.isAncestorOf(new):
            self._soon.start()

    def note_painted(self) -> None:
        """What was given the keyboard before there was anything to show may still be hidden."""
        focus = QApplication.focusWidget()
        if focus is not None and not focus.isVisible() and focus.window() is self._window:
            self._soon.start()

    def _bring_back(self) -> None:
        page, focus = self._stack.page, QApplication.focusWidget()
        if self._window.isActiveWindow() and not (focus is not None and page.isAncestorOf(focus) and focus.isVisible()):
            page.enter()
