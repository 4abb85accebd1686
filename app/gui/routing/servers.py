"""Servers of the stores: state, password, filling, and the mapping of foreign tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.display.routing.stores import (
    PART_WORDS,
    can_be_filled,
    can_be_mapped,
    is_server,
    mapping_setting,
    state_sentence,
    untested,
)
from app.domain.datastore import PARTS, Source, StoreMapping, suggested
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import button, line_edit
from app.gui.kit.dialogs import GrowingDialog
from app.gui.kit.fields import ChoiceBox
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import CommitLine, WrappedLabel, label
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.services.routing.stores import StoreState
from app.settings.sections import STORE_ADDRESSES

SERVERS: Mapping[str, str] = {name: example for name, (_, example) in STORE_ADDRESSES.items()}
"""Example of an address of each store, and of the cache."""

_LONGEST = 1_000


class ServersDialog(QDialog):
    """Dialog of the servers; a password is masked, and dropped once it is stored.

    The states are loaded on opening and after a password was stored.
    """

    fill_requested = Signal(str)
    loaded = Signal(Sequence)  # the state of each store

    def __init__(self, theme: Theme, worker: Worker, parent: QWidget, addresses: Mapping[str, str]) -> None:
        super().__init__(parent)
        self.theme, self._worker, self._addresses = theme, worker, addresses
        self._job = Job(worker, self, self._show_message)
        self.mapping: MappingDialog | None = None
        self.setWindowTitle("Connect stores")
        self.setModal(True)
        self.setFixedWidth(theme.px(600))
        self.rows: dict[str, ServerRow] = {}
        self.message = WrappedLabel("The servers are being asked.", role="caption")
        self.close_button = button("Close", press=self.reject, auto=False)  # Enter stores a password
        hint = WrappedLabel("A store with an address answers itself, the embedded store for the others.")
        self._column = spaced(QVBoxLayout(self), *map(theme.px, (12, 20, 20, 20, 16)))
        fill(self._column, hint, self.message, 1, fill(QHBoxLayout(), 1, self.close_button))
        self._load()

    def _load(self) -> None:
        self._job.run(lambda bench: bench.stores.states(), self._on_states)

    def _on_states(self, states: Sequence[StoreState]) -> None:
        for state in states:
            if state.store not in self.rows:
                self.rows[state.store] = row = ServerRow(self.theme, state, self._addresses[state.store])
                row.address_entered.connect(partial(self._choose, f"route.{state.store}"))
                row.password_entered.connect(partial(self._store_password, state.store))
                row.fill_requested.connect(partial(self._fill, state.store))
                row.map_requested.connect(partial(self._ask_mapping, state.store))
                self._column.insertWidget(self._column.count() - 2, row)
                row.show()
            self.rows[state.store].show_state(state)
        self._show_message("")
        self.loaded.emit(states)

    def _show_message(self, sentence: str) -> None:
        self.message.show_text(sentence)
        QTimer.singleShot(0, self, self._fit)  # once the rows have their widths

    def _fit(self) -> None:
        self.setFixedHeight(self.heightForWidth(self.width()))  # wrapped texts ask for more than they have

    def _store_password(self, name: str, password: str) -> None:
        """Store the password of a server; an empty one deletes it."""

        def tell(_: object) -> None:
            self._show_message(f"The password of {name} is {'kept' if password else 'forgotten'}.")
            self._load()

        self._job.do(lambda bench: bench.stores.keep_password(name, password), tell)

    def _ask_mapping(self, name: str) -> None:
        self.mapping = MappingDialog(self.theme, self._worker, name, self.rows[name].mapped, self)
        self.mapping.chosen.connect(partial(self._choose, mapping_setting(name)))
        self.mapping.open()

    def _choose(self, key: str, text: str) -> None:
        def tell(_: object) -> None:
            self._show_message("The server is being asked.")
            self._load()

        self._job.do(lambda bench: bench.choose(key, text or None), tell)

    def _fill(self, name: str) -> None:
        self.accept()
        self.fill_requested.emit(name)


class ServerRow(QWidget):
    """One store: its state and, if it has a server, its actions."""

    address_entered = Signal(str)
    password_entered = Signal(str)
    fill_requested = Signal()
    map_requested = Signal()

    def __init__(self, theme: Theme, state: StoreState, address: str) -> None:
        super().__init__()
        name, self.mapped = state.store, state.mapped
        self.state, self.untested = WrappedLabel(), WrappedLabel(role="caption")
        self.address = CommitLine(f"Address of {name}")
        self.address.show_value(address)
        self.address.setPlaceholderText(f"Address, such as {SERVERS[name]}; empty: not connected")
        self.address.committed.connect(self.address_entered.emit)
        hint = "Password; empty: forget it"
        self.password = line_edit(f"Password of {name}", hint=hint, longest=_LONGEST, secret=True)
        self.password.returnPressed.connect(self._store_password)
        tip = "Keep the password in the keyring (Enter)"
        self.keep = button("Keep", tip=tip, press=self._store_password, auto=False)
        tip = "Write new and changed memories and powers to the server"
        self.fill = button(f"Fill {name}", tip=tip, press=self.fill_requested.emit, auto=False)
        tip = f"Search documents that others store on {name}; nothing is written"
        self.map = button("Use existing documents", tip=tip, press=self.map_requested.emit, auto=False)
        title, gap = styled(QLabel(name), role="title"), theme.px(8)
        head = fill(spaced(QHBoxLayout(), gap), title, (self.state, 1))
        verbs = fill(spaced(QHBoxLayout(), gap), (self.password, 1), self.keep, self.map, self.fill)
        fill(spaced(QVBoxLayout(self), theme.px(4)), head, self.untested, self.address, verbs)

    def show_state(self, state: StoreState) -> None:
        self.mapped = state.mapped
        self.state.show_text(state_sentence(state))
        self.untested.show_text(untested(state))
        for each in (self.password, self.keep):
            each.setVisible(is_server(state))
        self.fill.setVisible(can_be_filled(state))
        self.map.setVisible(can_be_mapped(state))

    def _store_password(self) -> None:
        self.password_entered.emit(self.password.text())
        self.password.clear()


# ---- Mapping of a store to foreign tables on its server.


_NOTHING, _LABEL = "", 190


class MappingDialog(GrowingDialog):
    """Dialog that lists the server's tables and suggests a mapping of the columns."""

    chosen = Signal(str)  # the mapping, "" for none

    def __init__(self, theme: Theme, worker: Worker, store: str, mapping: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Existing documents of {store}")
        self.setModal(True)
        self.setFixedWidth(theme.px(520))
        self.store = store
        self._sources: dict[str, Source] = {}
        self._now = StoreMapping.of(mapping) if mapping else None
        self.message = WrappedLabel("The server is being asked what it holds.", role="caption")
        self.source = ChoiceBox()
        self.boxes = {part: ChoiceBox() for part in PARTS if part != "fields"}
        self.fields = line_edit(PART_WORDS["fields"], hint="columns to filter by, separated by commas")
        self.read = button("Read it", primary=True, press=lambda: self._choose(str(self.mapping())))
        self.none = button("Read nothing of others", press=partial(self._choose, ""), auto=False)
        self.none.setVisible(self._now is not None)
        self.cancel = button("Cancel", press=self.reject, auto=False)
        form = QFormLayout(labelAlignment=Qt.AlignmentFlag.AlignLeft)
        form.setSpacing(theme.px(8))
        for part, box in (("source", self.source), *self.boxes.items(), ("fields", self.fields)):
            box.setAccessibleName(PART_WORDS[part])
            form.addRow(label(theme, PART_WORDS[part], _LABEL), box)
        foot = fill(spaced(QHBoxLayout(), theme.px(8)), self.none, 1, self.cancel, self.read)
        hint = WrappedLabel("Documents of others are read only, never written.")
        fill(spaced(QVBoxLayout(self), *map(theme.px, (12, 20, 20, 20, 16))), hint, form, self.message, foot)
        self._enable(False)
        self.source.changed.connect(self._show_source)
        Job(worker, self).do(lambda bench: bench.stores.sources(store), self._on_sources, self.message.show_text)

    def _on_sources(self, sources: Sequence[Source]) -> None:
        self._sources = {source.name: source for source in sources}
        self.source.set_choices([(name, name) for name in self._sources])
        self._enable(bool(self._sources))
        self.message.show_text("" if sources else "The server has no documents of others to read.")
        if self._sources:
            now = self._now.source if self._now is not None else ""
            name = now if now in self._sources else next(iter(self._sources))
            self.source.show_value(name)
            self._show_source(name)
            self.source.setFocus()

    def _show_source(self, name: str) -> None:
        source = self._sources[name]
        mapping = self._now if self._now is not None and self._now.source == name else suggested(source, self.store)
        choices = [(column, f"{column}  ({kind})" if kind else column) for column, kind in source.columns.items()]
        for part, box in self.boxes.items():
            box.set_choices([(_NOTHING, "\N{EN DASH}"), *choices])
            box.show_value(getattr(mapping, part))
        self.fields.setText(", ".join(mapping.fields))

    def _enable(self, enabled: bool) -> None:
        for each in (self.source, *self.boxes.values(), self.fields, self.read):
            each.setEnabled(enabled)

    def mapping(self) -> StoreMapping:
        fields = tuple(name.strip() for name in self.fields.text().split(",") if name.strip())
        parts = {part: str(box.currentData() or "") for part, box in self.boxes.items()}
        return StoreMapping(str(self.source.currentData()), fields=fields, **parts)

    def _choose(self, mapping: str) -> None:
        self.chosen.emit(mapping)
        self.accept()
