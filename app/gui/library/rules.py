"""Rules page: table of all, the editor of one with its live test, and the menu of packs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QMimeData, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget

from app.display.library.rules import (
    OWN_PACK,
    RULE_COLUMNS,
    RuleDraft,
    RuleRow,
    copy_of,
    counted_in,
    deciding_rule,
    decision_sentence,
    filtered_rows,
    merged,
    new_draft,
    pack_rows,
    readable,
    rule_facets,
    rule_rows,
)
from app.domain.errors import StaleError
from app.domain.filters import View, search_result
from app.domain.intent import Rule
from app.domain.journal import Written
from app.domain.language import capitalized
from app.domain.why_not import EditPreview
from app.gui.bridge.engine_thread import Worker, ignore
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import EmptyState, PaneHeader, button, menu_button, set_primary, single_shot
from app.gui.kit.fields import FocusLeaveWatch, plain_tip
from app.gui.kit.page import LABEL_PLACE, Action, CoreState, Group, ListPage
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.tables.list_detail import DetailLayout, ListDetail, WrappingColumn, offer
from app.gui.kit.tables.rows import Index, PagedModel
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme import Theme
from app.gui.library.rule_editor import RuleEditor
from app.gui.library.rule_packs import PackEdits, dropped_before, placed, stepped
from app.services.library.rules import RuleAttempt, RuleSurvey, RuleTrialResult

if TYPE_CHECKING:
    from app.domain.inspection import Inspection
    from app.services.workbench import Workbench


_MIME = "application/x-intentscope-rule"
_ON = [column.key for column in RULE_COLUMNS].index("on")


class RulesModel(PagedModel[RuleRow]):
    """Model with a row per rule; a drop is emitted with `dropped` and shown once it is stored."""

    dropped = Signal(str, int)  # id, row that it is dropped before

    @property
    def ids(self) -> list[str]:
        """Ids of the shown rules, in order."""
        return [row.id for place in range(len(self.keys)) if (row := self.row_at(place)) is not None]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row_at(index.row()) if index.isValid() else None
        if row is not None and role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip("\n".join((row.id, *row.hints, row.draft.pattern)))
        said = super().data(index, role)
        if row is not None and role == Qt.ItemDataRole.AccessibleTextRole and index.column() == _ON:
            said = f"On: {'on' if row.draft.enabled else 'off'}"
        return f"{row.read}, {said}" if row is not None and role == Qt.ItemDataRole.AccessibleTextRole else said

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else flags | Qt.ItemFlag.ItemIsDropEnabled

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        data.setData(_MIME, self.ids[indexes[0].row()].encode())
        return data

    def dropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index) -> bool:
        if data.hasFormat(_MIME):
            before = row if row >= 0 else parent.row() if parent.isValid() else len(self.keys)
            self.dropped.emit(data.data(_MIME).toStdString(), before)
        return False  # the view would remove the row; rows are reloaded once the order is stored


class RulesTable(LibraryTable):
    """Table of rules in their order; one is selected."""

    model_class = RulesModel

    switched = Signal(str)  # id
    moved = Signal(str, int)  # id, number of places

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, RULE_COLUMNS, "rules")
        assert isinstance(self.paged, RulesModel)
        self.rules = self.paged
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDragDropOverwriteMode(False)
        self.clicked.connect(self._on_click)

    @property
    def current_id(self) -> str:
        """Id of the selected rule; "" for none."""
        row = self.rules.row_at(self.currentIndex().row())
        return "" if row is None else row.id

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, name = Qt.Key(event.key()), self.current_id
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(key, 0)
        if by and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            if name:
                self.moved.emit(name, by)
        elif key == Qt.Key.Key_Space and name:
            self.switched.emit(name)
        else:
            super().keyPressEvent(event)

    def _on_click(self, index: QModelIndex) -> None:
        if index.column() == _ON:
            self.switched.emit(self.rules.ids[index.row()])


_AHEAD_AFTER_MS = 200

MOST_TRIED = 2_000
"""Maximum length of a tested query in characters."""


@dataclass(frozen=True, slots=True)
class Listing:
    """All stored rules, and the packs and rule ids that came with the program."""

    rules: tuple[Rule, ...]
    shipped_packs: frozenset[str]
    shipped: frozenset[str]


class RulesPage(ListPage):
    """Page that keeps an unsaved draft, whatever is selected or opened meanwhile."""

    side_by_side_from = 800

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Rules")
        self.worker = worker
        self._jobs, self._counting, self._ahead = (Job(worker, self, self._on_refused) for _ in range(3))
        self.packs = PackEdits(self, self._jobs, self._on_done)
        self.listing = Listing((), frozenset(), frozenset())
        self.survey: RuleSurvey | None = None
        self.drafts: dict[str, RuleDraft] = {}
        self.selected = ""
        self.query = worker.answer.query.text if worker.answer is not None else ""
        self.attempt: RuleAttempt | None = None
        self._keys: dict[str, int] = {}
        """Keys of the rules in the table, by id."""
        self._begun: dict[str, RuleDraft] = {}
        """New rules in their initial state: unchanged ones are dropped on another selection."""
        self._selected_for = ""
        """Query whose deciding rule was selected, or after which the user selected one."""
        self._contested: set[str] = set()
        """Rules that were changed elsewhere meanwhile: overwriting them needs a confirmation."""
        self._previewed_rule: Rule | None = None
        """Draft whose preview is requested or shown."""
        self._preview_timer = single_shot(self, _AHEAD_AFTER_MS, self._request_preview)
        self._make_parts()
        editor = self.editor
        self.fields_left = FocusLeaveWatch(editor, but=(editor.revert, editor.line, editor.sheet, self.more))
        self._connect()
        self._show_selected()

    def _make_parts(self) -> None:
        theme = self.theme
        self.table = RulesTable(theme, "Rules")
        self.table.fill_row_menu = self._fill_row_menu
        self.more = menu_button("More", "Actions on the selected rule, and packs", self._fill_row_menu)
        self.add = button("New rule", tip="Write a new rule in a pack of your own", press=self.add_rule)
        self.head = PaneHeader(theme, "Rules", self.more, self.add, wraps=True)
        self.sentence = WrappedLabel(role="verdict")
        self.sentence.setContentsMargins(theme.px(16), 0, theme.px(16), theme.px(4))
        self.editor = RuleEditor(theme)
        self.none = EmptyState(
            theme,
            "rules",
            "No rule is selected",
            "Select one to edit and try it. Add one, or duplicate a shipped one to make it your own.",
            button("New rule", press=self.add_rule),
        )
        self.side = WrappingColumn((self.none,), self.editor, theme.px(4))
        self.list = ListDetail(
            theme,
            self.table,
            "Search ids, types, patterns and hints",
            ("No rule found", "Search for fewer words, or remove a filter."),
            DetailLayout(self.side, 452, (300, 380), (200, 380)),
            above=(self.head, self.sentence),
        )
        self.show_list()

    def focus_stops(self) -> list[QWidget]:
        return [*self.list.focus_stops(), self.editor.pattern, self.editor.sheet]

    def enter(self) -> None:
        """Focus the editor if it has unsaved input, otherwise the table."""
        if (draft := self.editor.draft) is not None and draft.is_changed:
            self.editor.pattern.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            super().enter()

    def _connect(self) -> None:
        table, editor = self.table, self.editor
        self.worker.inspected.connect(self._on_inspected)
        self.side.least_changed.connect(lambda: self.lay_panes(flipped=False))
        table.picked.connect(self._on_picked)
        table.switched.connect(self._switch)
        table.moved.connect(lambda name, by: self._place(name, stepped(self.listing.rules, table.rules.ids, name, by)))
        table.delete_requested.connect(lambda: self.delete(table.current_id))
        table.entered.connect(editor.pattern.setFocus)
        table.rules.dropped.connect(self._drop)
        editor.changed.connect(self._on_edited)
        editor.save_requested.connect(self.save)
        self.fields_left.left.connect(self._save_on_focus_loss)
        editor.revert_requested.connect(self.revert)
        editor.line_changed.connect(self._try)
        self.packs.chosen.connect(lambda pack: self.bar.set_filter(pack=pack))
        shortcut = QShortcut(QKeySequence(QKeySequence.StandardKey.Save), self, self.save)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)  # the constructor ignores it

    def _fill_row_menu(self, menu: QMenu) -> None:
        rule, name = self._draft(), self.selected
        is_shipped = name in self.listing.shipped
        switch = "Switch off" if rule is None or rule.enabled else "Switch on"
        delete = "A shipped rule cannot be deleted" if is_shipped else "Delete\tDel"
        offer(
            menu,
            ("Duplicate", self.duplicate, rule is not None),
            (f"{switch}\tSpace", partial(self._switch, name), name in self.stored),
            (delete, partial(self.delete, name), rule is not None and not is_shipped),
        )
        self.packs.fill_menu(menu.addMenu("Packs"))

    # ---- display

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        if self.isVisible() and self._previewed_rule is not None:
            self._preview_timer.start()

    def load(self) -> None:
        """List the rules and try the selected one, then count what they find."""

        async def read(bench: Workbench) -> Listing:
            rules, shipped = await bench.rule_packs.stored()
            return Listing(tuple(rules), frozenset(one.pack for one in shipped), frozenset(one.id for one in shipped))

        self._jobs.do(read, self._on_listed)
        self._counting.run(lambda bench: bench.rule_trial.survey(), self._on_surveyed, ignore)

    def action_rows(self) -> Sequence[Action]:
        def refusal() -> str:
            return "" if self.isVisibleTo(self.window()) else "Open the rules page first."

        rows = (
            ("add", "Add a rule", self.add_rule, "plus"),
            ("duplicate", "Duplicate the selected rule", self.duplicate, "rules"),
            ("save", "Save the rule that is being edited", self.save, "check"),
            ("revert", "Drop what is not saved of the rule", self.revert, "undo"),
        )
        return [
            Action(f"rule_{key}", text, Group.LIBRARY, act, icon=icon, refusal=refusal) for key, text, act, icon in rows
        ]

    def go_to(self, key: str) -> None:
        self.selected = key
        self.bar.set_filter(key.removeprefix(LABEL_PLACE) if key.startswith(LABEL_PLACE) else "")
        self.select(key)

    @property
    def stored(self) -> dict[str, Rule]:
        return {rule.id: rule for rule in self.listing.rules}

    def select(self, name: str) -> None:
        """Show a rule in the editor."""
        self._selected_for = self.query
        if name != self.selected:
            self.selected = name
            self.editor.show_refusal("")
        self._show_selected()
        self._try()

    def _draft(self) -> RuleDraft | None:
        """Return the rule in the editor: a draft, or the rule as stored."""
        rule = self.stored.get(self.selected)
        return self.drafts.get(self.selected) or (None if rule is None else RuleDraft.of(rule, rule))

    def _show_selected(self) -> None:
        draft = self._draft()
        self.editor.setVisible(draft is not None)
        self.none.setVisible(draft is None)
        self.editor.show_draft(draft, is_shipped=self.selected in self.listing.shipped)
        row = self.table.rules.row_of(self._keys.get(self.selected, -1))
        self.editor.show_hints(() if row is None else row.hints)

    def refresh(self, *, anew: bool = False) -> None:
        """Show the rules that fit the filter, with the selected one current, and keep the place."""
        whole = rule_rows(self.listing.rules, self.drafts, self.survey, self.listing.shipped)
        self.bar.show_facets(rule_facets(whole))
        rows = {self._keys.setdefault(row.id, len(self._keys)): row for row in whole}
        shown = {row.id for row in filtered_rows(whole, self.bar.text, self.bar.chosen)}
        keys = [key for key, row in rows.items() if row.id in shown]
        key, before = self._keys.get(self.selected), self.table.current_key
        view = View([] if key is None else [key], key, self.table.top_key)
        found = search_result(keys, len(whole), view, lambda _: rows, around=False)
        set_primary(self.add, not self.drafts)  # otherwise Save
        order = f"In the order of their pack, {counted_in(self.survey)}; drag one to move it"
        self.head.set_more("words that give a query its type or route", order)
        self.list.show_place(None if keys or not whole else self.list.no_fit)
        if self.selected:  # stays in the editor when it is deleted or does not fit the filter
            self.bar.show_count(len(keys), len(whole))
            self.table.show_found(found)
        else:
            self.list.show_found(found)
        if key != before and found.current is not None:
            self.table.scrollTo(self.table.currentIndex())

    def _on_picked(self) -> None:
        if (name := self.table.current_id) and name != self.selected:
            self.select(name)

    # ---- results

    def _on_listed(self, listing: Listing) -> None:
        self.listing = listing
        stored = self.stored
        if self.query != self._selected_for and self.selected not in self.drafts:
            decides = deciding_rule(self.worker.answer)
            self.selected, self._selected_for = decides.id if decides else self.selected, self.query
        for name, draft in list(self.drafts.items()):
            now = stored.get(name)
            kept = merged(draft, now) if now is not None else replace(draft, base=None)
            self.drafts[name] = kept
            if not kept.is_changed:
                del self.drafts[name]
        self.packs.rows = pack_rows(listing.rules, listing.shipped_packs)
        self.refresh()
        self._show_selected()
        self._try()

    def _on_surveyed(self, survey: RuleSurvey) -> None:
        self.survey = survey
        self.refresh()
        self._show_selected()

    def _on_inspected(self, generation: int, inspection: Inspection) -> None:
        if inspection.query.text != self.query:
            self.query = inspection.query.text
            if self.isVisible():
                self._try()

    # ---- live test

    def _try(self, *_: object) -> None:
        self.sentence.show_text(decision_sentence(self.worker.answer))
        draft = self._draft()
        if draft is None or not self.isVisible():
            return
        texts = tuple(text[:MOST_TRIED] for text in (self.query, self.editor.line.text()) if text.strip())
        self.attempt = attempt = RuleAttempt(draft.rule(), "" if draft.base is None else draft.id, texts)
        self._jobs.follow(lambda bench: bench.rule_trial.attempt(attempt), self.show_trial, self._on_refused)
        self._preview_draft(draft)

    def _preview_draft(self, draft: RuleDraft) -> None:
        """Preview the effect of saving, after a pause in typing."""
        rule = draft.rule() if draft.is_changed and not draft.faults() else None
        if rule != self._previewed_rule:
            self._previewed_rule = rule
            self.editor.show_preview(None)
            self._ahead.cancel()
            if rule is not None:
                self._preview_timer.start()

    def _request_preview(self) -> None:
        rule = self._previewed_rule
        if rule is None or not self.isVisible():
            return

        def show(preview: EditPreview) -> None:
            if rule == self._previewed_rule:
                self.editor.show_preview(preview)

        self._ahead.run(lambda bench: bench.edit_previews.of_rule(rule), show, ignore)

    def show_trial(self, trial: RuleTrialResult) -> None:
        """Show a trial's result, unless the draft has changed since."""
        if trial.attempt == self.attempt:
            self.editor.show_trial(trial)

    # ---- one rule

    def _on_edited(self, draft: RuleDraft) -> None:
        if draft.is_changed:
            self.drafts[draft.id] = draft
        else:
            self.drafts.pop(draft.id, None)
        self.refresh()
        self._try()

    def add_rule(self) -> None:
        """Begin a new rule in a custom pack."""
        pack = self.bar.chosen.get("pack")
        own = pack if pack and pack not in self.listing.shipped_packs else OWN_PACK
        self._begin(new_draft(self._known(), own))

    def duplicate(self) -> None:
        """Begin a custom rule as a copy of the selected one."""
        draft = self._draft()
        if draft is not None:
            self._begin(copy_of(draft.rule(), self._known()))

    def _known(self) -> list[Rule]:
        return [*self.listing.rules, *(draft.rule() for draft in self.drafts.values() if draft.base is None)]

    def _begin(self, draft: RuleDraft) -> None:
        self.drafts[draft.id] = self._begun[draft.id] = draft
        self.selected = draft.id
        self.editor.show_refusal("")
        self.bar.clear_all()
        self.select(draft.id)
        self.editor.pattern.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.editor.pattern.selectAll()

    def save(self) -> None:
        """Store the draft in the editor, if it is valid."""
        draft = self.drafts.get(self.selected)
        if draft is None:
            return
        self._contested.discard(draft.id)
        faults = draft.faults()
        if faults:
            self.editor.show_refusal(next(iter(faults.values())))
        else:
            self.store(draft.rule())

    def store(self, rule: Rule) -> None:
        """Store a rule as a step of the journal."""

        def on_conflict(error: StaleError) -> None:
            self._on_save_refused(rule.id, str(error), error.present if isinstance(error.present, Rule) else None)

        self._jobs.queue(
            lambda bench: bench.rule_edits.store(rule),
            self._on_saved,
            lambda sentence: self._on_save_refused(rule.id, sentence, None),
            on_conflict,
        )

    def _change(self, act: Callable[[Workbench], Awaitable[Written | None]]) -> None:
        self._jobs.queue(act, self._on_done)

    def _save_on_focus_loss(self) -> None:
        """Save the draft when a field loses the focus, as memories and powers do."""
        draft = self.drafts.get(self.selected)
        if draft is not None and draft != self._begun.get(draft.id) and draft.id not in self._contested:
            self.save()

    def revert(self) -> None:
        """Discard the draft in the editor."""
        if self.drafts.pop(self.selected, None) is not None:
            self.editor.show_refusal("")
            self.refresh()
            self._show_selected()
            self._try()

    def _on_saved(self, rule: Rule) -> None:
        self.drafts.pop(rule.id, None)
        others = [one for one in self.listing.rules if one.id != rule.id]
        rules = sorted([*others, rule], key=lambda one: (one.pack, one.position))
        self.listing = replace(self.listing, rules=tuple(rules))
        self.editor.show_refusal("")
        self.editor.typing.forget()
        self.refresh()
        self._show_selected()
        self._try()
        self.notified.emit(f"Saved “{readable(rule.pattern)}”. It counts from now on.", True, False)

    def _on_save_refused(self, name: str, sentence: str, present: Rule | None) -> None:
        draft = self.drafts.get(name)
        if present is not None and draft is not None:
            self.drafts[name] = draft.rebased(present)
            sentence += " Save again to replace that, or Esc to take it."
            self._contested.add(name)
        if name == self.selected:
            self.editor.show_refusal(sentence)
            self._show_selected()

    def _switch(self, name: str) -> None:
        if (rule := self.stored.get(name)) is not None:
            switched = replace(rule, enabled=not rule.enabled)
            self._change(lambda bench: bench.rule_edits.switch([switched], on=switched.enabled))

    def delete(self, name: str) -> None:
        """Delete a rule, or drop a new one."""
        if not name:
            return
        if (rule := self.stored.get(name)) is None:
            self.revert()
        else:
            self.drafts.pop(name, None)
            self._change(lambda bench: bench.rule_edits.delete([rule]))

    # ---- order

    def _drop(self, name: str, before: int) -> None:
        ids = dropped_before(self.listing.rules, self.table.rules.ids, name, before)
        if ids is None:
            self.refuse("A rule is moved within its pack. Its pack is changed in the editor.")
        self._place(name, ids)

    def _place(self, name: str, ids: list[str] | None) -> None:
        rule = self.stored.get(name)
        if rule is None or not ids:
            return
        # Shown at once, so that keys can be repeated.
        self.listing = replace(self.listing, rules=placed(self.listing.rules, ids))
        self.refresh()
        self._change(lambda bench: bench.rule_edits.order(rule.pack, ids))

    def _on_done(self, written: Written | None) -> None:
        if written is not None:
            text = written.step.sentence
            self.notified.emit(f"{capitalized(text)}.", True, False)

    def _on_refused(self, sentence: str) -> None:
        if sentence and self.isVisible():
            self.refuse(sentence)
