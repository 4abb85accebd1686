"""Actions as rows, the base class of pages, and Shell, the window's protocol for features."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.domain.case import Task
from app.gui.kit.controls import single_shot
from app.gui.kit.dialogs import ConfirmDialog, ask
from app.gui.kit.layouts import fill, show_bars, spaced
from app.gui.kit.sheet import Ruled
from app.gui.kit.theme import Theme

if TYPE_CHECKING:
    from app.display.staleness import EvaluationInputs
    from app.domain.library import Power
    from app.domain.why_not import Expectation
    from app.gui.bridge.engine_thread import Worker
    from app.gui.kit.tables.filter_bar import FilterBar
    from app.gui.kit.tables.list_detail import ListDetail
    from app.services.status import Status
    from app.settings.model import Settings


Act = Callable[[], object]

Refusal = Callable[[], str]
"""Returns why an action is not possible now, in a sentence; "" if it is."""


class Group(StrEnum):
    """Group of an action, titled and ordered as in the palette."""

    QUERY = "Query"
    TEACH = "Teach"
    LIBRARY = "Library"
    FILES = "Files"
    COPY = "Copy"
    PANES = "Panes"
    PAGES = "Pages"
    PRESETS = "Presets"
    SETTINGS = "Settings"


def never_refused() -> str:
    """Return "": the action is always possible."""
    return ""


def no_op() -> None:
    """Do nothing: callback of an unbound action."""


@dataclass(frozen=True, slots=True)
class Action:
    """Command: key, text, callback, shortcuts in Qt's spelling, icon, button label and refusal.

    Pages contribute actions with `Page.action_rows`, the window adds its own. `also` are further search words of the
    palette. An action with a `word` has a button in the query bar, or under the selected answer. A row without a
    callback gets one by `bound`.
    """

    key: str
    text: str
    group: Group
    act: Act = no_op
    shortcuts: tuple[str, ...] = ()
    icon: str = ""
    word: str = ""
    refusal: Refusal = never_refused
    also: tuple[str, ...] = ()

    def bound(self, act: Act, refusal: Refusal = never_refused) -> Action:
        """Return the row with its callback and refusal."""
        return replace(self, act=act, refusal=refusal)

    @property
    def keys(self) -> tuple[str, ...]:
        """Shortcuts as displayed by the desktop."""
        return tuple(native(shortcut) for shortcut in self.shortcuts)

    @property
    def tip(self) -> str:
        """Tooltip: text and first shortcut."""
        return f"{self.text} ({self.keys[0]})" if self.shortcuts else self.text


def native(shortcut: str) -> str:
    """Return a shortcut as displayed by the desktop."""
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)


@dataclass(frozen=True, slots=True)
class CoreState:
    """Snapshot of the workbench: status, settings, and the origin of each by dotted key."""

    status: Status
    settings: Settings
    origins: Mapping[str, str]


def evaluation_inputs(core_state: CoreState | None, tasks: Collection[Task]) -> EvaluationInputs | None:
    """Return the inputs that answers to cases of these tasks depend on; None before opening."""
    from app.display import staleness  # imported late with the settings' model, to start faster

    if core_state is None:
        return None
    return staleness.evaluation_inputs(core_state.status, core_state.settings, tasks=tasks)


def changed_since(before: EvaluationInputs | None, core_state: CoreState | None) -> str:
    """Return a sentence on these inputs' changes; "" for none."""
    from app.display import staleness

    held = {} if before is None else before.digests
    tasks = [task for what, task in staleness.TASK_BY_EXAMPLES.items() if what in held]
    return staleness.changes_sentence(before, evaluation_inputs(core_state, tasks))


def only_appearance_changed(before: CoreState | None, now: CoreState) -> bool:
    """Check if only appearance settings differ: then no query has to run again."""
    from app.settings.model import LOOKS, bearing

    if before is None or before.status != now.status or before.settings == now.settings:
        return False
    is_same = bearing(before.settings, LOOKS) == bearing(now.settings, LOOKS)
    return is_same and (before.settings.calibration, before.settings.learned) == (
        now.settings.calibration,
        now.settings.learned,
    )


WHY_PLACE = "why-not "
"""Prefix of the scope's place for why-not, before the expected answer."""


LABEL_PLACE = "label "
"""Prefix of the memories' place that shows only a label's memories."""


NEWS_AFTER_MS = 120
"""Time from news to the next load of a page, in ms, since news come in bursts."""


class Page(Ruled):
    """One page of the window. Gets its data from the worker, independent of other pages."""

    notified = Signal(str, bool, bool)  # sentence for the toast; True to offer undo; True for an error
    fault_changed = Signal(str)  # sentence for the status line while the fault lasts; "" for none
    action_requested = Signal(str)  # key of an action of the window to run
    palette_requested = Signal(str)  # text to search actions by
    page_requested = Signal(str, str)  # key of another page, and of a place on it ("" for none)
    query_typed = Signal(str)  # query typed on this page, for the whole window
    task_finished = Signal(str)  # result of a long task in a sentence, for a desktop notification
    action_rows_changed = Signal()  # `action_rows` returns other rows than before

    ground = "surface"

    key = ""
    """Key of the page in PAGES, if it has actions of its own."""

    group = Group.LIBRARY
    """Group of its own actions."""

    previous_page = ""
    """Key of the page to return to; "" for none."""

    no_undo_reason = ""
    """Reason why Ctrl+Z undoes only settings here, in a sentence; "" if it undoes steps, too."""

    side_by_side_from = 0
    """Minimum width in units for panes side by side; 0 for a page without such panes."""

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__(theme)
        self.is_narrow = False
        self.visible_height = 0
        """Visible part of the height, in pixels; 0 while unknown."""
        self.core_state: CoreState | None = None
        self.dialog: ConfirmDialog | None = None
        """Open confirmation dialog of the page."""
        self.news_timer = single_shot(self, NEWS_AFTER_MS, self.load)
        self.setAccessibleName(title)

    def show_core_state(self, core_state: CoreState) -> None:
        """Show a new snapshot of the workbench; called on changes, and on creation."""
        self.core_state = core_state
        self.outdate()

    def load(self) -> None:
        """Load what the page shows of the library: called when it is shown, and soon after news while it is."""

    def outdate(self) -> None:
        """Load soon, if the page is visible and the library open."""
        if self.isVisible() and self.core_state is not None and self.core_state.status.is_open:
            self.news_timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.core_state is not None and self.core_state.status.is_open:
            self.load()

    def fit(self, width: int) -> None:
        """Fit into the visible width in pixels: panes are stacked if it is too narrow."""
        if self.side_by_side_from:
            flipped = self.is_narrow != (width < self.theme.px(self.side_by_side_from))
            self.is_narrow ^= flipped
            self.lay_panes(flipped)

    def lay_panes(self, flipped: bool) -> None:
        """Stack the panes if `is_narrow`, otherwise side by side; `flipped` if that has changed."""

    def persist_in(self, folder: Path) -> None:
        """Restore the page's layout from the profile's folder, and persist it; called on creation."""

    def action_rows(self) -> Sequence[Action]:
        """Return the actions of this page, as rows like those of ACTIONS."""
        return ()

    def show_action_rows(self, rows: Sequence[Action]) -> None:
        """Update the actions of the window; called on creation and on changes."""

    def go_to(self, key: str) -> None:
        """Go to the place of that key on this page, if there is one."""

    def ask_on_scope(self, text: str | None) -> None:
        """Ask a query on the scope; it is refused if only its digest is stored."""
        if not text:
            self.refuse("Only a digest of this query is stored. It cannot be asked again.")
            return
        self.query_typed.emit(text)
        self.action_requested.emit("query")

    def ask_why(self, text: str, expected: Expectation | None) -> None:
        """Open why-not on the scope; without an expectation it is asked for there."""
        self.query_typed.emit(text)
        self.page_requested.emit("scope", f"{WHY_PLACE}{expected or ''}")

    def own_action(self, key: str, text: str, act: Act, icon: str = "", refusal: Refusal = never_refused) -> Action:
        """Make an action of this page, which opens the page first."""

        def do() -> None:
            self.page_requested.emit(self.key, "")
            act()

        return Action(f"{self.key}:{key}", text, self.group, do, icon=icon, refusal=refusal)

    def refuse(self, sentence: str) -> None:
        """Show in a toast why something was not possible."""
        self.notified.emit(sentence, False, True)

    def confirm(self, title: str, question: str, verb: str, act: Callable[[], object], *, verbatim: str = "") -> None:
        """Confirm something large or irreversible before calling `act`; `verbatim` is shown as is."""
        self.dialog = ask(ConfirmDialog(self.theme, title, question, verb, self, verbatim=verbatim), act)
        self.dialog.finished.connect(self._forget_dialog)

    def _forget_dialog(self) -> None:
        self.dialog = None

    def undo(self) -> bool:
        """Undo the last step in the page's own way; False to leave it to the window."""
        return False

    def selected_power(self) -> Power | None:
        """Return the power for Start and Stop while this page is open; None for none."""
        return None

    def with_power(self, act: Callable[[Power], object]) -> None:
        """Call `act` with the selected power, after storing its pending edits."""
        power = self.selected_power()
        if power is not None:
            act(power)

    @abstractmethod
    def focus_stops(self) -> list[QWidget]:
        """Return the widgets of F6 in order; the first gets the focus when the page opens."""

    def after_paint(self) -> None:
        """Called after the window has painted with this page open."""

    def enter(self) -> None:
        """Focus the first visible and enabled stop."""
        focus_stops = self.focus_stops()
        seen = (stop for stop in focus_stops if stop.isVisible() and stop.isEnabled())
        next(seen, focus_stops[0]).setFocus(Qt.FocusReason.ShortcutFocusReason)


class ListPage(Page):
    """Page of one list with details, which is searched, laid out and stored with it."""

    list: ListDetail
    bar: FilterBar

    def show_list(self) -> None:
        """Fill the page with its list, and search whenever that asks for it; called once, by the constructor."""
        self.bar = self.list.bar
        fill(spaced(QVBoxLayout(self)), self.list)
        self.list.search_requested.connect(lambda anew: self.refresh(anew=anew))
        self.list.focus_lost.connect(self.enter)

    @abstractmethod
    def refresh(self, *, anew: bool = False) -> None:
        """Search again; with `anew` from the top of the table, as for another search."""

    def load(self) -> None:
        self.refresh()

    def lay_panes(self, flipped: bool) -> None:
        self.list.lay(narrow=self.is_narrow, flipped=flipped, within=self.visible_height)

    def persist_in(self, folder: Path) -> None:
        self.list.persist_in(folder)


# ---- Scroll area of a page that needs more space than the window has


class Frame(QScrollArea):
    """Scroll area of one page: as large as possible, never below the page's minimum.

    While the page scrolls, no list or document in it has a bar beside that of the page; keys and wheel still scroll it.
    """

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(page.accessibleName())
        self.setWidget(page)
        self._page = page
        self.verticalScrollBar().rangeChanged.connect(lambda _, most: show_bars(page, on=most == 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._page.visible_height = self.viewport().height()
        self._page.fit(self.viewport().width())  # first: it determines how much space the page needs
        super().resizeEvent(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)


# ---- Protocol of the window, for features that belong to no single page.


class Shell(Protocol):
    """Window as seen by features: worker, open page, and messages to the user."""

    theme: Theme
    worker: Worker
    core_state: CoreState | None

    @property
    def page(self) -> Page:
        """Open page."""

    def window(self) -> QWidget:
        """Return the top-level widget, the parent of dialogs."""

    def notify(self, sentence: str, *, undo: bool = False, bad: bool = False) -> None:
        """Show a sentence as a toast, with an undo button if `undo`."""

    def show_job(self, line: str, *, can_stop: bool = False) -> None:
        """Show the progress of a long task in the status line; "" when it has ended."""

    def note_stored(self) -> None:
        """Note that something was stored: the next undo applies to it, not to typing in the query."""
