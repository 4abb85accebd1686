"""Answers of the data stores, with evidence and times, and the servers of the stores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.display.review.trace import TracePart, TraceRow
from app.display.routing.stores import (
    PART_WORDS,
    StoreTable,
    can_be_filled,
    can_be_mapped,
    fill_question,
    filling_progress,
    is_server,
    mapping_setting,
    run_sentence,
    run_tables,
    state_sentence,
    store_evaluation_sentence,
    store_evaluation_table,
    stores_summary,
    untested,
)
from app.domain.datastore import PARTS, Source, StoreMapping, suggested
from app.domain.inspection import Inspection
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import button, line_edit, set_primary
from app.gui.kit.dialogs import GrowingDialog, ModalDialog
from app.gui.kit.document import DocumentView, parts_html, span, tables_html
from app.gui.kit.fields import ChoiceBox
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import CoreState, Page
from app.gui.kit.pane_parts import CommitLine, Section, WrappedLabel, label
from app.gui.kit.theme import Theme, styled
from app.services.routing.store_evaluation import StoreEvaluation, evaluate_stores_on_cases
from app.services.routing.stores import StoreRun, StoreState
from app.settings.sections import STORE_ADDRESSES

SERVERS: Mapping[str, str] = {name: example for name, (_, example) in STORE_ADDRESSES.items()}
"""Example of an address of each store, and of the cache."""

_LONGEST = 1_000


class ServersDialog(ModalDialog):
    """Dialog of the servers; a password is masked, and dropped once it is stored.

    The states are loaded on opening and after a password was stored.
    """

    fill_requested = Signal(str)
    loaded = Signal(Sequence)  # the state of each store

    def __init__(self, theme: Theme, worker: Worker, parent: QWidget, addresses: Mapping[str, str]) -> None:
        super().__init__(theme, "Connect stores", 600, parent)
        self._worker, self._addresses = worker, addresses
        self._job = Job(worker, self, self._show_message)
        self.mapping: MappingDialog | None = None
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
        super().__init__(theme, f"Existing documents of {store}", 520, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
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
        foot = fill(QHBoxLayout(), self.none, 1, self.cancel, self.read)
        hint = WrappedLabel("Documents of others are read only, never written.")
        self.lay_out(fill(QVBoxLayout(), hint, form, self.message, 1), foot)
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


ANSWERS = "answers"
"""Key of the section."""

_WIDEST = 840
"""Maximum width of the answers, in units."""


class RouteAnswersPart(QWidget):
    """Part that queries the stores on request only."""

    def __init__(self, page: Page, worker: Worker) -> None:
        super().__init__()
        self._page, self.theme, self._worker = page, page.theme, worker
        theme = page.theme
        self.job, self._loading = Job(worker, self, page.refuse), Job(worker, self, page.refuse)
        self.query = ""
        self.shown: tuple[StoreTable, ...] = ()
        self.dialog: ServersDialog | None = None
        self._asked: str | None = None
        self._filled = ""
        self._is_on, self._has_stores = True, False
        self._addresses: Mapping[str, str] = {}
        self.begin = button(
            "Ask the stores",
            tip="Query the stores of the decision; the embedded store answers for those that are not connected",
            press=partial(self.run, compare=False),
        )
        self.compare = button("Compare all", tip="Query every store", press=partial(self.run, compare=True))
        self.judge_cases = button(
            "Evaluate cases",
            tip="Run the labelled queries of the library on every store, and check the routed answer",
            press=self.judge,
        )
        tip = "Connect stores: address, password, content and filling of each server"
        self.servers = button("Connect…", tip=tip, press=self.open_servers)
        self.stop = button("Stop", tip="Stop waiting for stores", press=self.cancel)
        self.message = WrappedLabel(role="caption")
        self.sheet = DocumentView(theme, "What the stores answered", is_whole=True, widest=_WIDEST)
        self.states = DocumentView(theme, "The stores", is_whole=True)
        self.copies: list[QPushButton] = []
        self._arrange()
        verbs = (self.compare, self.judge_cases)
        self.section = Section(theme, "Stores", self, right=verbs, always=(self.stop, self.begin))
        self.section.toggled.connect(self._show_state)
        self._show_state()

    def _arrange(self) -> None:
        px = self.theme.px
        told = fill(spaced(QHBoxLayout(), 0, px(16), 0, px(16), px(6)), self.message)
        self._foot = fill(spaced(QHBoxLayout(), px(6), px(16), 0, px(16), px(8)), 1)
        fill(spaced(QVBoxLayout(self)), self.states, told, self.sheet, self._foot)

    def focus_stops(self) -> list[QWidget]:
        verbs = (self.compare, self.judge_cases, self.stop, self.begin)
        shown = [self.sheet, *self.copies] if self.section.is_open and self.shown else []
        return [self.section.line, *(each for each in verbs if not each.isHidden()), *shown]

    # ---- requests

    def show_core_state(self, core_state: CoreState) -> None:
        """Update the controls: routing may have been switched off."""
        self._is_on = core_state.settings.route.enabled
        self._has_stores = core_state.settings.route.has_any_store
        addresses = {name: str(getattr(core_state.settings.route, name)) for name in SERVERS}
        if addresses != self._addresses:
            self._addresses = addresses
            self.load()
        self._show_state()

    def show_inspection(self, inspection: Inspection | None) -> None:
        """Set the query of the window; the answers of the last query stay."""
        self.query = "" if inspection is None else inspection.query.text
        self._show_state()

    def run(self, *, compare: bool) -> None:
        if self._is_on and self.query.strip():
            asked = self._asked = self.query
            self.job.follow(
                lambda bench: bench.stores.run(asked, compare=compare), self._on_progress, self._on_finished
            )
            self._show_state()

    def _on_states(self, states: Sequence[StoreState]) -> None:
        told = [state for state in states if state.fault or is_server(state)]
        rows = tuple(TraceRow(state.store, quiet=state_sentence(state)) for state in told)
        self.states.show_html(parts_html("", "", (TracePart("Which store answers", rows),)) if rows else "")
        self.section.line.show_summary(stores_summary(states))

    def judge(self) -> None:
        self._asked = None
        self.job.follow(lambda bench: evaluate_stores_on_cases(bench, bench.stores), self._on_judged, self._on_finished)
        self._show_state()

    def open_servers(self) -> None:
        self.dialog = ServersDialog(self.theme, self._worker, self, self._addresses)
        self.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.dialog.loaded.connect(self._on_states)
        self.dialog.fill_requested.connect(self._ask_to_fill)
        self.dialog.open()

    def _ask_to_fill(self, name: str) -> None:
        def ask(setup: str) -> None:
            self._page.go_to(ANSWERS)  # where its progress is shown
            verb, act = f"Fill {name}", partial(self.fill_store, name)
            self._page.confirm(verb, fill_question(name, setup), verb, act, verbatim=setup)

        self.job.do(lambda bench: bench.stores.setup(name), ask)

    def fill_store(self, name: str) -> None:
        self.job.follow(
            lambda bench: bench.stores.fill(name),
            lambda filled: self._on_filled(*filled),
            self._on_finished,
            whole_steps=True,
        )
        self._show_state()

    def _on_filled(self, done: int, whole: int) -> None:
        self._filled = filling_progress(done, whole)
        self.message.show_text(self._filled)

    def cancel(self) -> None:
        """Cancel the running job; answers so far stay."""
        if self.job.is_running:
            self.job.cancel()
            self._on_finished("Stopped.")

    def load(self) -> None:
        """Load the state of each store, while visible."""
        if self.section.isVisible():
            self.section.line.show_summary(self.section.line.summary or "being asked what they hold")
            self._loading.run(lambda bench: bench.stores.states(), self._on_states)

    def _on_progress(self, run: StoreRun) -> None:
        self._show(run_sentence(run), run_tables(run))

    def _on_judged(self, found: StoreEvaluation) -> None:
        self._show(store_evaluation_sentence(found), (StoreTable("", store_evaluation_table(found)),))

    def _show(self, sentence: str, shown: tuple[StoreTable, ...]) -> None:
        self.shown = shown
        parts = (tables_html([one.table]) + span(one.statement, "small mono text_2 diff", "p") for one in shown)
        self.sheet.show_html("<hr>".join(parts))
        self.message.show_text(sentence)

    def _on_finished(self, sentence: str) -> None:
        self._show_copies()
        self._show_state()
        if told := sentence or self._filled:
            self.message.show_text(told)
        self._filled = ""

    def _show_state(self) -> None:
        can_run = self._is_on and bool(self.query.strip()) and not self.job.is_running
        for each in (self.begin, self.compare):
            each.setEnabled(can_run)
        self.judge_cases.setEnabled(self._is_on and not self.job.is_running)
        self.begin.setVisible(not self.job.is_running and (self._has_stores or self.section.is_open))
        set_primary(self.begin, self._has_stores)
        self.stop.setVisible(self.job.is_running)
        if not self.shown:
            if not self.job.is_running:
                self.message.show_text("" if self._is_on else "Routing is switched off (route.enabled).")
        elif not self.job.is_running and self._asked is not None and self.query != self._asked:
            self.message.show_text(f"These answer “{self._asked[:200]}”.")

    # ---- copying

    def _show_copies(self) -> None:
        for old in self.copies:
            self._foot.removeWidget(old)
            old.hide()  # it exists until the next event loop turn
            old.deleteLater()
        self.copies = []
        for one in self.shown:
            if one.statement:
                copy = partial(self._copy, one.store, one.statement)
                made = button(f"Copy the query of {one.store}", link=True, press=copy)
                self._foot.insertWidget(len(self.copies), made)
                self.copies.append(made)

    def _copy(self, store: str, statement: str) -> None:
        QGuiApplication.clipboard().setText(statement)
        self._page.notified.emit(f"The query of {store} is on the clipboard.", False, False)
