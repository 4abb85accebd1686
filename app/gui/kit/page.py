"""What every page is, where the keyboard stops on it, and what a feature asks of the window, as a protocol."""

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
    from app.display.staleness import Grounds
    from app.domain.library import Power
    from app.domain.scope.why_not import Expectation
    from app.gui.bridge.engine_thread import Worker
    from app.services.core import Status
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class CoreState:
    """How the workbench stands: its status, the settings in force, and where each comes from by dotted key."""

    status: Status
    settings: Settings
    origins: Mapping[str, str]


def grounds(core_state: CoreState | None, tasks: Collection[Task]) -> Grounds | None:
    """What the answers to labelled cases of these tasks rest on; None before the library is open."""
    from app.display import staleness  # with the settings' model: no start waits for it

    if core_state is None:
        return None
    return staleness.grounds(core_state.status, core_state.settings, tasks=tasks)


def changed_since(before: Grounds | None, core_state: CoreState | None) -> str:
    """A sentence that names what of that has changed since; "" for nothing that changes answers."""
    from app.display import staleness

    held = {} if before is None else before.digests
    tasks = [task for what, task in staleness.LESSONS.items() if what in held]
    return staleness.since(before, grounds(core_state, tasks))


def only_appearance_changed(before: CoreState | None, now: CoreState) -> bool:
    """Whether nothing but how the window looks was changed: then nobody need be asked anew."""
    from app.settings.model import LOOKS, bearing

    if before is None or before.status != now.status or before.settings == now.settings:
        return False
    is_same = bearing(before.settings, LOOKS) == bearing(now.settings, LOOKS)
    return is_same and (before.settings.calibration, before.settings.learned) == (
        now.settings.calibration,
        now.settings.learned,
    )


WHY_PLACE = "why-not "
"""How the place on the scope is called where it is said why an answer did not come, before what was expected."""


class Page(Ruled):
    """One page of the window. It asks the worker for what it needs, and knows nothing of the other pages."""

    notified = Signal(str, bool, bool)  # a sentence for the toast; if it offers undo, if it is bad news
    fault_changed = Signal(str)  # a sentence for the status line while it lasts; "" for none
    action_requested = Signal(str)  # the key of an action of the window, which is to be done
    palette_requested = Signal(str)  # what is sought among all that can be done
    page_requested = Signal(str, str)  # the key of another page, and what is called so there; "" for nothing
    query_typed = Signal(str)  # a query that was typed on this page, for the whole window
    task_finished = Signal(str)  # how something that may have taken long has ended, for whoever looks elsewhere
    relaid = Signal()  # a part of it came or went, so that what lies over the page may hide something else
    action_rows_changed = Signal()  # `action_rows` has other rows than before

    ground = "surface"

    previous_page = ""
    """The key of the page that was left for this one, where there is a way back."""

    no_undo_reason = ""
    """Why Ctrl+Z takes back here no step of the library, but settings alone, in a sentence; "" where it does."""

    side_by_side_from = 0
    """From so many units of width on the panes of the page stand side by side; 0 for a page that has no such panes."""

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__(theme)
        self.is_narrow = False
        self.visible_height = 0
        """So many pixels of its height can be seen; 0 while that is not known."""
        self.core_state: CoreState | None = None
        self.dialog: ConfirmDialog | None = None
        """The question of the page that is open."""
        self.setAccessibleName(title)

    def show_core_state(self, core_state: CoreState) -> None:
        """Show how the workbench stands; called when that changes, and when the page is made."""
        self.core_state = core_state

    def fit(self, width: int) -> None:
        """So many pixels of its width can be seen: with large text or a small window panes go below each other."""
        if self.side_by_side_from:
            turned = self.is_narrow != (width < self.theme.px(self.side_by_side_from))
            self.is_narrow ^= turned
            self.lay_panes(turned)

    def lay_panes(self, turned: bool) -> None:
        """Lay the panes one below the other if `is_narrow`, else side by side; `turned` if it was otherwise before."""

    def persist_in(self, folder: Path) -> None:
        """Remember in this folder, the profile's, what a person has set up here; called when the page is made."""

    def action_rows(self) -> Sequence[Action]:
        """What can be done on this page beyond what the window offers everywhere, as rows like those of ACTIONS."""
        return ()

    def show_action_rows(self, rows: Sequence[Action]) -> None:
        """Take note of all that can be done in the window; called when the page is made and when that changes."""

    def go_to(self, key: str) -> None:
        """Go to what is called so on this page, if anything is."""

    def ask_why(self, text: str, expected: Expectation | None) -> None:
        """Ask on the scope why a text was not answered as expected; without an expectation it is asked for there."""
        self.query_typed.emit(text)
        self.page_requested.emit("scope", f"{WHY_PLACE}{expected or ''}")

    def opening(self, key: str, act: Callable[[], object]) -> Callable[[], None]:
        """Open this page, whose key that is, then do something on it."""

        def do() -> None:
            self.page_requested.emit(key, "")
            act()

        return do

    def confirm(self, title: str, question: str, verb: str, act: Callable[[], object], *, verbatim: str = "") -> None:
        """Ask before something is done that is much, or has no way back; `verbatim` is shown word for word."""
        self.dialog = ask(ConfirmDialog(self.theme, title, question, verb, self, verbatim=verbatim), act)
        self.dialog.finished.connect(self._forget_dialog)

    def _forget_dialog(self) -> None:
        self.dialog = None

    def undo(self) -> bool:
        """Take back the last step in this page's own way; False where the window does that."""
        return False

    def selected_power(self) -> Power | None:
        """The power that starting and stopping mean while this page is open; None where there are none."""
        return None

    def with_power(self, act: Callable[[Power], object]) -> None:
        """Do something with the power that is meant, as it is seen here: what is edited of it is stored before."""
        power = self.selected_power()
        if power is not None:
            act(power)

    @abstractmethod
    def focus_stops(self) -> list[QWidget]:
        """Where F6 stops, in order; the first takes the keyboard when the page is opened."""

    def after_paint(self) -> None:
        """The window has painted while this page was open."""

    def enter(self) -> None:
        """Take the keyboard: the first stop that can be seen."""
        focus_stops = self.focus_stops()
        seen = (stop for stop in focus_stops if stop.isVisible() and stop.isEnabled())
        next(seen, focus_stops[0]).setFocus(Qt.FocusReason.ShortcutFocusReason)


# --------------------------------------------------------------------------------------------------------------------
# Room for a page that needs more than the window has: it scrolls, and the window keeps its size


class Frame(QScrollArea):
    """Shows one page, as large as there is room, and never smaller than it has to be."""

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


# ---- What a feature that belongs to no single page asks of the window: a protocol, so that no feature knows the
# window.


class Shell(Protocol):
    """The window as features see it: where the engine is asked, and where news is reported."""

    theme: Theme
    worker: Worker
    core_state: CoreState | None

    @property
    def page(self) -> Page:
        """The page that is open."""
        ...

    def window(self) -> QWidget:
        """The window itself, which dialogs stand in front of."""
        ...

    def tell(self, sentence: str, *, undo: bool = False, bad: bool = False) -> None:
        """Show a sentence for a while; with `undo` it can be taken back from there."""
        ...

    def show_job(self, line: str, *, can_stop: bool = False) -> None:
        """Show in the status line how far something long is; "" when it has ended."""
        ...

    def note_stored(self) -> None:
        """Something was stored: the next undo takes that back, and no letter of the query."""
        ...
