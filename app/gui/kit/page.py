"""The base class of pages, the frame that scrolls one, and Shell, the protocol of the window for features."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.domain.case import Task
from app.gui.kit.action import Action
from app.gui.kit.dialogs import ConfirmDialog, ask
from app.gui.kit.drawing.sheet import Ruled
from app.gui.kit.theme.theme import Theme

if TYPE_CHECKING:
    from app.display.staleness import EvaluationInputs
    from app.domain.library import Power
    from app.domain.scope.why_not import Expectation
    from app.gui.bridge.engine_thread import Worker
    from app.services.core import Status
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class CoreState:
    """A snapshot of the workbench: status, settings in force, and the origin of each by dotted key."""

    status: Status
    settings: Settings
    origins: Mapping[str, str]


def evaluation_inputs(core_state: CoreState | None, tasks: Collection[Task]) -> EvaluationInputs | None:
    """The inputs that the answers to labelled cases of these tasks depend on; None before the library is open."""
    from app.display import staleness  # with the settings' model: no start waits for it

    if core_state is None:
        return None
    return staleness.evaluation_inputs(core_state.status, core_state.settings, tasks=tasks)


def changed_since(before: EvaluationInputs | None, core_state: CoreState | None) -> str:
    """A sentence that names which of these inputs have changed; "" for none."""
    from app.display import staleness

    held = {} if before is None else before.digests
    tasks = [task for what, task in staleness.TASK_BY_EXAMPLES.items() if what in held]
    return staleness.changes_sentence(before, evaluation_inputs(core_state, tasks))


def only_appearance_changed(before: CoreState | None, now: CoreState) -> bool:
    """Whether only settings of appearance differ: then no query need be run again."""
    from app.settings.model import LOOKS, bearing

    if before is None or before.status != now.status or before.settings == now.settings:
        return False
    is_same = bearing(before.settings, LOOKS) == bearing(now.settings, LOOKS)
    return is_same and (before.settings.calibration, before.settings.learned) == (
        now.settings.calibration,
        now.settings.learned,
    )


WHY_PLACE = "why-not "
"""The prefix of the scope's place for why-not, before the expected answer."""


LABEL_PLACE = "label "
"""The prefix of the places of memories, before the label whose memories are shown alone."""


class Page(Ruled):
    """One page of the window. It gets its data from the worker, and knows nothing of the other pages."""

    notified = Signal(str, bool, bool)  # a sentence for the toast; if it offers undo, if it is bad news
    fault_changed = Signal(str)  # a sentence for the status line while it lasts; "" for none
    action_requested = Signal(str)  # the key of an action of the window to run
    palette_requested = Signal(str)  # the text to search actions by
    page_requested = Signal(str, str)  # the key of another page, and of a place on it; "" for none
    query_typed = Signal(str)  # a query that was typed on this page, for the whole window
    task_finished = Signal(str)  # how a long task ended, in a sentence, for a desktop notice
    relaid = Signal()  # a part was shown or hidden, so that a toast may cover something else
    action_rows_changed = Signal()  # `action_rows` returns other rows than before

    ground = "surface"

    previous_page = ""
    """The key of the page to go back to; "" for none."""

    no_undo_reason = ""
    """Why Ctrl+Z undoes only settings here and no step of the library, in a sentence; "" where it does both."""

    side_by_side_from = 0
    """The least width, in units, at which the panes stand side by side; 0 for a page without such panes."""

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__(theme)
        self.is_narrow = False
        self.visible_height = 0
        """The visible part of its height, in pixels; 0 while unknown."""
        self.core_state: CoreState | None = None
        self.dialog: ConfirmDialog | None = None
        """The open confirmation dialog of the page."""
        self.setAccessibleName(title)

    def show_core_state(self, core_state: CoreState) -> None:
        """Show a new snapshot of the workbench; called when it changes, and when the page is made."""
        self.core_state = core_state

    def fit(self, width: int) -> None:
        """Fit into the visible width, in pixels: with large text or a small window panes go below each other."""
        if self.side_by_side_from:
            flipped = self.is_narrow != (width < self.theme.px(self.side_by_side_from))
            self.is_narrow ^= flipped
            self.lay_panes(flipped)

    def lay_panes(self, flipped: bool) -> None:
        """Lay the panes out below each other if `is_narrow`, else side by side; `flipped` if that has changed."""

    def persist_in(self, folder: Path) -> None:
        """Persist the layout of the page in the profile's folder, and restore it; called when the page is made."""

    def action_rows(self) -> Sequence[Action]:
        """The actions of this page, beside those of the window, as rows like those of ACTIONS."""
        return ()

    def show_action_rows(self, rows: Sequence[Action]) -> None:
        """Take the actions of the whole window; called when the page is made and when they change."""

    def go_to(self, key: str) -> None:
        """Go to the place of that key on this page, if there is one."""

    def ask_why(self, text: str, expected: Expectation | None) -> None:
        """Ask on the scope why a text was not answered as expected; without an expectation it is asked for there."""
        self.query_typed.emit(text)
        self.page_requested.emit("scope", f"{WHY_PLACE}{expected or ''}")

    def after_opening(self, key: str, act: Callable[[], object]) -> Callable[[], None]:
        """A callback that opens this page, by its key, then calls `act`."""

        def do() -> None:
            self.page_requested.emit(key, "")
            act()

        return do

    def confirm(self, title: str, question: str, verb: str, act: Callable[[], object], *, verbatim: str = "") -> None:
        """Confirm something large or irreversible before `act` is called; `verbatim` is shown word for word."""
        self.dialog = ask(ConfirmDialog(self.theme, title, question, verb, self, verbatim=verbatim), act)
        self.dialog.finished.connect(self._forget_dialog)

    def _forget_dialog(self) -> None:
        self.dialog = None

    def undo(self) -> bool:
        """Undo the last step in this page's own way; False where the window is to do that."""
        return False

    def selected_power(self) -> Power | None:
        """The power that Start and Stop act on while this page is open; None for none."""
        return None

    def with_power(self, act: Callable[[Power], object]) -> None:
        """Call `act` with the selected power; pending edits of it are stored before."""
        power = self.selected_power()
        if power is not None:
            act(power)

    @abstractmethod
    def focus_stops(self) -> list[QWidget]:
        """The widgets that F6 walks, in order; the first gets the focus when the page is opened."""

    def after_paint(self) -> None:
        """The window has painted while this page was open."""

    def enter(self) -> None:
        """Focus the first visible and enabled stop."""
        focus_stops = self.focus_stops()
        seen = (stop for stop in focus_stops if stop.isVisible() and stop.isEnabled())
        next(seen, focus_stops[0]).setFocus(Qt.FocusReason.ShortcutFocusReason)


# --------------------------------------------------------------------------------------------------------------------
# The scroll area of a page that needs more room than the window has


class Frame(QScrollArea):
    """Scroll area of one page: as large as there is room, never below the page's minimum."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(page.accessibleName())
        self.setWidget(page)
        self._page = page

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._page.visible_height = self.viewport().height()
        self._page.fit(self.viewport().width())  # first: how much the page needs follows from it
        super().resizeEvent(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)


# ---- The window as a protocol, for features that belong to no single page.


class Shell(Protocol):
    """The window as features see it: the worker, the open page, and messages to the user."""

    theme: Theme
    worker: Worker
    core_state: CoreState | None

    @property
    def page(self) -> Page:
        """The page that is open."""
        ...

    def window(self) -> QWidget:
        """The top-level widget, the parent of dialogs."""
        ...

    def notify(self, sentence: str, *, undo: bool = False, bad: bool = False) -> None:
        """Show a sentence as a toast; with `undo` it has an undo button."""
        ...

    def show_job(self, line: str, *, can_stop: bool = False) -> None:
        """Show the progress of a long task in the status line; "" when it has ended."""
        ...

    def note_stored(self) -> None:
        """Note that something was stored: the next undo is of that, and not of typing in the query."""
        ...
