"""The right of the page of powers: the words of the power that is picked, or its server."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout

from app.display import words
from app.domain.library import Power
from app.domain.running import shown
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.events import power_watch_of
from app.gui.kit.controls import Empty, Segments
from app.gui.kit.drawing.ruled import Ruled
from app.gui.kit.pane_parts import Said
from app.gui.kit.stale_strip import StaleStrip
from app.gui.kit.theme.theme import Theme
from app.gui.powers.editor import PowerEditor
from app.gui.powers.servers.jobs import ServerJobs
from app.gui.powers.servers.server import ServerPane

EDITOR, SERVER = "editor", "server"


class PowerSide(Ruled):
    """Which of the two is shown stays while other powers are picked."""

    act_asked = Signal(str)  # the key of an action of the window
    notified = Signal(str, bool, bool)  # as a page tells

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme)
        self.jobs = ServerJobs(worker, self)
        self.editor = PowerEditor(theme)
        self.stale = StaleStrip(theme)
        self.server = ServerPane(theme, self.jobs, power_watch_of(worker))
        self.which = Segments(
            theme,
            self.tr("What is shown of the power"),
            [(EDITOR, self.tr("Words and settings")), (SERVER, self.tr("Server"))],
        )
        self.stack = QStackedWidget()
        self.stack.addWidget(self.editor)
        self.stack.addWidget(self.server)
        self.nothing = Empty(
            theme,
            "power",
            self.tr("No power is selected"),
            self.tr("Select one in the list to see its words and its server."),
        )
        self.nothing.setVisible(False)
        self.note = Said(role="caption")
        self.note.setContentsMargins(theme.px(16), theme.px(6), theme.px(16), 0)
        self.note.setVisible(False)
        row = QHBoxLayout()
        row.setContentsMargins(theme.px(16), theme.px(7), theme.px(16), theme.px(2))
        row.addWidget(self.which)
        row.addStretch(1)
        right = QVBoxLayout(self)
        right.setContentsMargins(1, 0, 0, 0)
        right.setSpacing(0)
        right.addLayout(row)
        right.addWidget(self.note)
        right.addWidget(self.stale)
        right.addWidget(self.stack, 1)
        right.addWidget(self.nothing, 1)
        self._connect()

    def _connect(self) -> None:
        queued = Qt.ConnectionType.QueuedConnection
        self.which.chosen.connect(self.open_view)
        self.server.start_asked.connect(lambda: self.act_asked.emit("start_power"))
        self.server.stop_asked.connect(lambda: self.act_asked.emit("stop_power"))
        self.editor.approve_asked.connect(lambda: self.act_asked.emit("approve_power"))
        self.server.notified.connect(self.notified)
        self.jobs.took.connect(self._on_took, queued)
        self.jobs.refused.connect(lambda sentence: self.notified.emit(sentence, False, True), queued)

    def open_view(self, key: str) -> None:
        """Show the words, or the server."""
        self.which.set_current(key)
        self.stack.setCurrentWidget(self.server if key == SERVER else self.editor)

    @property
    def is_server_open(self) -> bool:
        return self.stack.currentWidget() is self.server and not self.is_bare

    @property
    def is_bare(self) -> bool:
        """Whether no power is shown."""
        return not self.nothing.isHidden()

    def show_stored(self, power: Power) -> None:
        """Tell the server's pane which power is picked, as it is stored."""
        self._show_bare(bare=False)
        self.note.say("")
        self.server.show_power(power)

    def show_nothing(self) -> None:
        """No power is picked: neither words nor a server to start are shown."""
        self.note.say("")
        self._show_bare(bare=True)

    def keep(self) -> None:
        """The power that is shown is picked no longer, and stays for its edits."""
        self.note.say(self.tr("This power is not among those that are listed. It stays here: its edits are not saved."))

    def _show_bare(self, *, bare: bool) -> None:
        self.nothing.setVisible(bare)
        for part in (self.which, self.stack):
            part.setVisible(not bare)
        if bare:
            self.stale.drop()

    def _on_took(self, name: str, changed: bool) -> None:
        if changed:
            self.notified.emit(words.say("Took over the tools of “{name}”.", name=shown(name, 80)), True, False)
        else:
            self.notified.emit(words.say("These are its tools already."), False, False)

    def hairlines(self) -> Iterator[QRect]:
        is_below = self.x() == 0  # the list is above it, where there is no room beside
        yield QRect(0, 0, self.width(), 1) if is_below else QRect(0, 0, 1, self.height())
