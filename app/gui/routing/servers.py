"""The servers behind the stores: what each holds or what is the matter, its password, and filling it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.display.routing.stores import can_be_filled, can_be_mapped, is_server, state_sentence, untested
from app.gui.kit.controls import button
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.theme.theme import Theme
from app.gui.routing.jobs import RouteJobs
from app.gui.routing.mapping import MappingDialog
from app.services.routing.stores import StoreState

_LONGEST = 1_000


class ServersDialog(QDialog):
    """Looks when it is opened and after a password; what is typed cannot be read, and is gone once it is kept."""

    fill_requested = Signal(str)

    def __init__(self, theme: Theme, jobs: RouteJobs, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme, self.jobs = theme, jobs
        self.mapping: MappingDialog | None = None
        self.setWindowTitle(self.tr("Servers"))
        self.setModal(True)
        self.setFixedWidth(theme.px(600))
        self.rows: dict[str, ServerRow] = {}
        self.said = WrappedLabel(self.tr("The servers are being asked."), role="caption")
        self.close_button = button(self.tr("Close"), press=self.reject)
        self.close_button.setAutoDefault(False)  # Enter keeps a password
        px = theme.px
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        hint = WrappedLabel(
            self.tr("Which server answers is said by its address in the settings, such as route.postgresql.")
        )
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(px(20), px(20), px(20), px(16))
        self._column.setSpacing(px(12))
        self._column.addWidget(hint)
        self._column.addWidget(self.said)
        self._column.addLayout(foot)
        jobs.states_found.connect(self._on_states)
        jobs.password_stored.connect(self._on_kept)
        jobs.mapped.connect(self._on_mapped)
        jobs.refused.connect(self._say)
        jobs.load_states()

    def _on_states(self, states: Sequence[StoreState]) -> None:
        for state in states:
            if state.store not in self.rows:
                self.rows[state.store] = row = ServerRow(self.theme, state)
                row.kept.connect(self.jobs.store_password)
                row.fill_requested.connect(self._fill)
                row.map_requested.connect(self._map)
                self._column.insertWidget(self._column.count() - 2, row)
                row.show()
            self.rows[state.store].show_state(state)
        self._say("")

    def _say(self, sentence: str) -> None:
        self.said.say(sentence)
        self._column.activate()
        self.setFixedHeight(self.heightForWidth(self.width()))  # wrapped texts ask for more than they have

    def _on_kept(self, name: str, is_kept: bool) -> None:
        told = self.tr("The password of {0} is kept.") if is_kept else self.tr("The password of {0} is forgotten.")
        self._say(told.format(name))
        self.jobs.load_states()

    def _map(self, name: str) -> None:
        self.mapping = MappingDialog(self.theme, self.jobs, name, self.rows[name].mapped, self)
        self.mapping.chosen.connect(partial(self.jobs.map, name))
        self.mapping.open()

    def _on_mapped(self, _name: str) -> None:
        self._say(self.tr("The server is being asked."))
        self.jobs.load_states()

    def _fill(self, name: str) -> None:
        self.accept()
        self.fill_requested.emit(name)


class ServerRow(QWidget):
    """A store, its state, and where a server answers in its name, what can be done with that."""

    kept = Signal(str, str)  # store and password
    fill_requested = Signal(str)
    map_requested = Signal(str)

    def __init__(self, theme: Theme, state: StoreState) -> None:
        super().__init__()
        self.name, self.mapped = state.store, state.mapped
        self.state = WrappedLabel()
        self.untested = WrappedLabel(role="caption")
        self.password = QLineEdit()
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.password.setMaxLength(_LONGEST)
        self.password.setPlaceholderText(self.tr("Password; empty: forget it"))
        self.password.setAccessibleName(self.tr("Password of {0}").format(self.name))
        self.password.returnPressed.connect(self._keep)
        self.keep = button(self.tr("Keep"), tip=self.tr("Keep the password in the keyring (Enter)"), press=self._keep)
        self.fill = button(
            self.tr("Fill {0}").format(self.name),
            tip=self.tr("Bring what is taught into the server, as far as it changed"),
            press=partial(self.fill_requested.emit, self.name),
        )
        self.map = button(
            self.tr("Read what is there"),
            tip=self.tr("Let documents answer that others keep on {0}; nothing is written").format(self.name),
            press=partial(self.map_requested.emit, self.name),
        )
        for each in (self.keep, self.fill, self.map):
            each.setAutoDefault(False)
        self._line = QHBoxLayout()
        self._line.setSpacing(theme.px(8))
        self._line.addWidget(self.password, 1)
        self._line.addWidget(self.keep)
        self._line.addWidget(self.map)
        self._line.addWidget(self.fill)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(4))
        column.addWidget(WrappedLabel(self.name, role="name"))
        column.addWidget(self.state)
        column.addWidget(self.untested)
        column.addLayout(self._line)

    def show_state(self, state: StoreState) -> None:
        """Tell how the store does now."""
        self.mapped = state.mapped
        self.state.say(state_sentence(state))
        self.untested.say(untested(state))
        for each in (self.password, self.keep):
            each.setVisible(is_server(state))
        self.fill.setVisible(can_be_filled(state))
        self.map.setVisible(can_be_mapped(state))

    def _keep(self) -> None:
        self.kept.emit(self.name, self.password.text())
        self.password.clear()
