"""What a feature that belongs to no single page asks of the window: a protocol, so that no feature knows the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.gui.bridge.engine_thread import Worker
    from app.gui.kit.page import CoreState, Page
    from app.gui.kit.theme.theme import Theme


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
