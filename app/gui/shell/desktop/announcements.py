"""One-time notices of the library, in a strip until dismissed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout

from app.gui.kit.controls import button
from app.gui.kit.drawing.sheet import Ruled
from app.gui.kit.layouts import spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.theme.theme import Theme

if TYPE_CHECKING:
    from app.gui.shell.desktop.remedy_actions import TakeNotices
    from app.gui.shell.window import Window
    from app.services.workbench import Workbench


class AnnouncementStrip(Ruled):
    """Notices, one per line; hidden without any, and after “Got it”."""

    ground = "warning_soft"
    mark = "warning"

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.text = WrappedLabel()
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.read = button("Got it", press=lambda: self.show_sentences(()))
        row = spaced(QHBoxLayout(self), theme.px(8), theme.px(16), theme.px(6), theme.px(12), theme.px(6))
        row.addWidget(self.text, 1)
        row.addWidget(self.read)
        self.setVisible(False)

    def show_sentences(self, sentences: Sequence[str]) -> None:
        """Show the notices; none hide the strip."""
        text = "\n".join(sentences)
        self.text.show_text(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))


class Announcements(QObject):
    """Fetches the notices once the library is open, and shows them."""

    _taken = Signal(list)

    def __init__(self, window: Window, take: TakeNotices | None, strip: AnnouncementStrip) -> None:
        super().__init__(window.window())
        self._worker = window.worker
        self._taken.connect(strip.show_sentences, Qt.ConnectionType.QueuedConnection)
        if take is not None:
            self._take = take
            window.worker.opened.connect(self._ask, Qt.ConnectionType.QueuedConnection)

    def _ask(self) -> None:
        async def act(_: Workbench) -> list[str]:
            import asyncio  # after the first paint

            return list(await asyncio.to_thread(self._take))

        self._worker.do(act, self._taken.emit, lambda _: None)
