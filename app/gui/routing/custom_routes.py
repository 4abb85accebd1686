"""Routes with colours, stores, rules and examples: add, edit, switch, reset and remove."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.display.routing.rows import (
    ROUTE_COLUMNS,
    known_stores,
    other_stores,
    removal_question,
    route_counts,
    route_sentence,
    rules_sentence,
)
from app.domain.datastore import WAYS
from app.domain.route import COLORS, ROUTE_NAMES, Route
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import button, line_edit, swatch
from app.gui.kit.dialogs import GrowingDialog
from app.gui.kit.fields import ChoiceBox
from app.gui.kit.layouts import FlowLayout, fill, spaced
from app.gui.kit.page import LABEL_PLACE, Page
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.tables.table import Grid
from app.gui.kit.theme import Theme
from app.services.routing.custom_routes import Removal, RouteUse
from app.settings.routes import LONGEST_ABOUT, LONGEST_NAME, LONGEST_TITLE

if TYPE_CHECKING:
    from app.services.workbench import Workbench

_LONGEST = 500


class CustomRoutesPart(QWidget):
    """Part in which Enter edits the current route, and Del removes it after a confirmation."""

    def __init__(self, page: Page, worker: Worker) -> None:
        super().__init__()
        theme = self.theme = page.theme
        self._page, self._worker, self._job = page, worker, Job(worker, self, page.refuse)
        self._decides = ""
        self.uses: tuple[RouteUse, ...] = ()
        self.dialog: RouteDialog | None = None
        self._next = ""
        self.message = WrappedLabel(role="caption")
        self.note = WrappedLabel(role="note")
        self.add = button("Add…", primary=True, tip="Add a route of your own with its stores", press=self.open_new)
        self.edit = button(
            "Edit…", tip="Stores, colour and words of the route in front (Enter)", press=self.open_current
        )
        self.switch = button(
            "Switch off", tip="Switch the route off or on; its rules and examples stay", press=self._switch
        )
        self.reset = button("Reset", tip="Restore the shipped route", press=self._reset)
        self.remove = button("Remove…", tip="Remove it with its rules and examples (Del)", press=self._ask_removal)
        self.rules = button("Rules", tip="Open the rules that lead to it", press=self._open_rules)
        self.table = Grid(theme, "Routes", [column for column in ROUTE_COLUMNS if column.is_shown])
        self._arrange()
        self.table.entered.connect(self.open_current)
        self.table.doubleClicked.connect(self.open_current)
        self.table.delete_requested.connect(self._ask_removal)
        self.table.picked.connect(self._show_current)
        self.show_uses(())

    def _arrange(self) -> None:
        px = self.theme.px
        top = spaced(FlowLayout(px(8)), None, px(16), px(4), px(16), px(8))
        fill(top, self.add, self.edit, self.switch, self.rules, self.reset, self.remove)
        told = fill(spaced(QVBoxLayout(), px(4), px(16), 0, px(16), px(8)), self.message, self.note)
        fill(spaced(QVBoxLayout(self)), top, told, (self.table, 1))

    def focus_stops(self) -> list[QWidget]:
        return [self.table, self.add]

    @property
    def current(self) -> RouteUse | None:
        current: RouteUse | None = self.table.current
        return current

    # ---- display

    def load(self) -> None:
        self._job.run(lambda bench: bench.routes.listed(), self.show_uses)

    def show_threshold(self, threshold: float) -> None:
        """Show the confidence from which a rule decides alone."""
        self._decides = rules_sentence(threshold)
        self.show_uses(self.uses)

    def show_uses(self, uses: Sequence[RouteUse]) -> None:
        before = self._next or (self.current.route.name if self.current else "")
        self._next = ""
        self.uses = tuple(uses)
        place = next((n for n, use in enumerate(self.uses) if use.route.name == before), 0 if self.uses else None)
        self.table.show_rows(self.uses, place)
        self.message.show_text(f"{route_counts(self.uses)}. {self._decides}" if self.uses else "")
        self._show_current()

    def _show_current(self) -> None:
        use = self.current
        is_there = use is not None and use.is_set_up
        self.edit.setEnabled(use is not None)
        self.edit.setText("Edit…" if is_there or use is None else "Set up…")
        self.switch.setEnabled(is_there)
        is_off = use is not None and not use.route.enabled
        self.switch.setText("Switch on" if is_off else "Switch off")
        self.reset.setEnabled(use is not None and use.is_changed)
        self.remove.setEnabled(use is not None and use.is_own)
        self.note.show_text("" if use is None else route_sentence(use))

    # ---- actions

    def open_new(self) -> None:
        used = [use.route.color for use in self.uses if use.is_set_up]
        color = min(COLORS, key=used.count)
        self._open(Route("", (), color), is_new=True)

    def open_current(self) -> None:
        if (use := self.current) is not None:
            self._open(use.route, is_new=not use.is_set_up)

    def _open(self, route: Route, *, is_new: bool) -> None:
        self.dialog = RouteDialog(self.theme, self._worker, self, route, is_new=is_new)
        self.dialog.stored.connect(self._on_stored)
        self.dialog.open()

    def _on_stored(self, name: str) -> None:
        self._next = name
        self.load()

    def _switch(self) -> None:
        if (use := self.current) is not None and use.is_set_up:
            route = use.route
            self._job.do(lambda bench: bench.routes.switch(route.name, on=not route.enabled), lambda _: self.load())

    def _open_rules(self) -> None:
        if (use := self.current) is not None:
            self._page.page_requested.emit("rules", f"{LABEL_PLACE}{use.route.name}")

    def _reset(self) -> None:
        if (use := self.current) is not None and use.is_changed:
            name = use.route.name
            self._job.do(lambda bench: bench.routes.reset([name]), lambda _: self.load())

    def _ask_removal(self) -> None:
        if (use := self.current) is not None and use.is_own:
            name = use.route.name

            def ask(found: Removal) -> None:
                remove = partial(self._job.do, lambda bench: bench.routes.remove(name), tell)
                self._page.confirm(f"Remove {name}", removal_question(found), "Remove", remove)

            def tell(_: object) -> None:
                self._page.notified.emit(f"Removed the route “{name}”.", True, False)
                self.load()

            self._job.do(lambda bench: bench.routes.removal(name), ask)


class RouteDialog(GrowingDialog):
    """Dialog of a route, which keeps the draft after a refusal until it is stored."""

    stored = Signal(str)  # name of the route

    def __init__(self, theme: Theme, worker: Worker, parent: QWidget, route: Route, *, is_new: bool) -> None:
        super().__init__(theme, "New route" if is_new else f"Route {route.name}", 520, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._route, self._is_new = route, is_new
        self._make_fields()
        self._arrange()
        self._job = Job(worker, self, self.message.show_text)
        (self.name if not route.name else self.stores[0]).setFocus()

    def _make_fields(self) -> None:
        route = self._route
        self.name = line_edit("Name", text=route.name, hint="such as billing", longest=LONGEST_NAME)
        self.name.setReadOnly(route.name in ROUTE_NAMES or (self._is_new and bool(route.name)))
        self.title = line_edit("Title", text=route.title, hint="on buttons; by default its name", longest=LONGEST_TITLE)
        self.stores = [QCheckBox(store) for store in WAYS]
        for box in self.stores:
            box.setChecked(box.text() in route.stores)
        others = "others, parted by commas; empty: its name"
        self.others = line_edit("Other stores", text=other_stores(route), hint=others, longest=_LONGEST)
        self.color = ChoiceBox([(color, color) for color in COLORS], "Colour")
        self.color.setIconSize(QSize(self.theme.px(14), self.theme.px(14)))
        for place in range(self.color.count()):
            self.color.setItemIcon(place, swatch(self.theme, self.color.itemData(place)))
        self.color.show_value(route.color)
        hint = "what an LLM knows it by: asks about invoices"
        self.about = line_edit("Asked for", text=route.about, hint=hint, longest=LONGEST_ABOUT)
        self.message = WrappedLabel(role="body", shade="danger")
        self.message.show_text("")
        self.save = button("Save", primary=True, press=self._save)
        self.save.setDefault(True)
        self.cancel = button("Cancel", press=self.reject)
        self.cancel.setAutoDefault(False)

    def _arrange(self) -> None:
        px = self.theme.px
        boxes = fill(FlowLayout(px(12)), *self.stores)
        form = QFormLayout()
        form.setHorizontalSpacing(px(12))
        form.setVerticalSpacing(px(10))
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for word, field in (("Name", self.name), ("Title", self.title)):
            form.addRow(word, field)
        form.addRow("Stores", boxes)
        form.addRow("", self.others)
        form.addRow("Colour", self.color)
        form.addRow("Asked for", self.about)
        foot = fill(QHBoxLayout(), 1, self.cancel, self.save)
        self.lay_out(fill(QVBoxLayout(), form, self.message, 1), foot)

    @property
    def wanted(self) -> Route:
        name = " ".join(self.name.text().split())
        stores = known_stores([box.text() for box in self.stores if box.isChecked()], self.others.text(), name)
        title, about = (" ".join(line.text().split()) for line in (self.title, self.about))
        return Route(name, stores, self.color.currentData(), title, about, self._route.enabled)

    def _save(self) -> None:
        self.message.show_text("")
        route, was = self.wanted, "" if self._is_new else self._route.name

        async def act(bench: Workbench) -> None:
            if not was:
                await bench.routes.add(route)
            elif was == route.name:
                await bench.routes.change(route)
            else:
                await bench.routes.rename(was, route)

        def tell(_: object) -> None:
            self.stored.emit(route.name)
            self.accept()

        self._job.do(act, tell)
