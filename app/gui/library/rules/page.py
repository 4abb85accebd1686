"""Rules page: packs, their rules, and the editor of one with its live test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.display.library.rule_trial import deciding_rule, decision_sentence
from app.display.library.rules import OWN_PACK, RuleDraft, copy_of, counted_in, merged, new_draft, pack_rows, rule_rows
from app.domain.errors import StaleError
from app.domain.intent import Rule
from app.domain.journal import Written
from app.domain.language import plural
from app.domain.scope.why_not import EditPreview
from app.gui.bridge.engine_thread import Worker, ignore
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import EmptyState, PaneHeader, button, line_edit, set_primary, single_shot
from app.gui.kit.fields import FocusLeaveWatch
from app.gui.kit.layouts import fill, keep_least_heights, orient_box, spaced
from app.gui.kit.page import LABEL_PLACE, Action, CoreState, Page
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.tables import table_columns
from app.gui.kit.theme.theme import Theme
from app.gui.library.rules.editor import RuleEditor
from app.gui.library.rules.packs import PackEdits, PacksPane, dropped_before, placed, rule_actions, stepped
from app.gui.library.rules.table import RulesTable
from app.services.library.rules import RuleAttempt, RuleSurvey, RuleTrialResult

if TYPE_CHECKING:
    from app.domain.scope.inspection import Inspection
    from app.services.workbench import Workbench


_RIGHT, _WIDEST, _SHARE = 452, 640, 0.37


class RulesLayout(Page):
    """Widgets and layout; the behaviour is in RulesPage."""

    side_by_side_from = 800

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Rules")
        self.packs = PacksPane(theme)
        self.search = line_edit("Search the rules", clearable=True, hint="Search ids, types, patterns and hints")
        self.table = RulesTable(theme, "Rules")
        self.add = button("New rule", tip="Write a new rule in a pack of your own")
        self.twin = button("Duplicate", tip="Copy this rule to a new one of your own")
        self.delete = button("Delete", tip="Delete the selected rule (Del)")
        self.head = PaneHeader(theme, "Rules", self.delete, self.twin, self.add, wraps=True)
        self.sentence = WrappedLabel(role="verdict")
        self.editor = RuleEditor(theme)
        self.empty_state = EmptyState(theme, "search", "No rule found", "Search for fewer words.")
        self.empty_state.setVisible(False)
        self.first = button("New rule")
        self.none = EmptyState(
            theme,
            "rules",
            "No rule is selected",
            "Select one to edit and try it. Add one, or duplicate a shipped one to make it your own.",
            self.first,
        )
        self._arrange()

    def _arrange(self) -> None:
        px = self.theme.px
        seeking = fill(spaced(QVBoxLayout(), px(8), px(16), px(2), px(16), px(8)), self.sentence, self.search)
        left = spaced(QVBoxLayout(), 0, 0, px(4), 0, 0)
        fill(left, self.head, seeking, (self.table, 1), (self.empty_state, 1), self.packs)
        self.side = QWidget()
        fill(spaced(QVBoxLayout(self.side), 0, 1, px(4), 0, 0), (self.editor, 1), (self.none, 1))
        whole = self._whole = spaced(QHBoxLayout(self))
        fill(whole, (left, 1), self.side)

    def focus_stops(self) -> list[QWidget]:
        packs = [self.packs.section.line, *([self.packs.list] if self.packs.section.is_open else [])]
        return [self.table, self.search, *packs, self.editor.pattern, self.editor.sheet]

    def persist_in(self, folder: Path) -> None:
        self.packs.section.persist_in(folder / table_columns.FILE, "rule packs")

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.lay_panes(flipped=False)

    def lay_panes(self, flipped: bool) -> None:
        width, narrow = self.width() / self.theme.scale, self.is_narrow
        wanted = max(_RIGHT, min(_WIDEST, _SHARE * width))
        keep_least_heights(self.theme, {self.table: 200, self.side: 380}, narrow=narrow, within=0)
        orient_box(self.theme, self._whole, self.side, min(wanted, width / 2), narrow=narrow)

    def enter(self) -> None:
        """Focus the editor if it has unsaved input, otherwise the table."""
        draft = self.editor.draft
        stop = self.editor.pattern if draft is not None and draft.is_changed else self.focus_stops()[0]
        stop.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def allow_delete(self, on: bool, *, is_shipped: bool) -> None:
        """Enable deletion if a custom rule is selected."""
        self.delete.setEnabled(on and not is_shipped)
        self.delete.setToolTip(
            "A shipped rule cannot be deleted: switch it off instead."
            if is_shipped
            else "Delete the selected rule (Del)"
        )

    def hairlines(self) -> Iterator[QRect]:
        if self.is_narrow:
            yield QRect(0, self.side.y() - 1, self.width(), 1)
        else:
            yield QRect(self.side.x(), 0, 1, self.height())


# ---- Page

_AHEAD_AFTER_MS = 200

MOST_TRIED = 2_000
"""Maximum length of a tested query in characters."""


@dataclass(frozen=True, slots=True)
class Listing:
    """All stored rules, and the packs and rule ids that came with the program."""

    rules: tuple[Rule, ...]
    shipped_packs: frozenset[str]
    shipped: frozenset[str]


class RulesPage(RulesLayout):
    """Page that keeps an unsaved draft, whatever is selected or opened meanwhile."""

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme)
        self.worker = worker
        self._jobs, self._counting, self._ahead = (Job(worker, self, self._on_refused) for _ in range(3))
        self.edits = PackEdits(theme, self, self.packs, self._jobs, self._on_done)
        self.listing = Listing((), frozenset(), frozenset())
        self.survey: RuleSurvey | None = None
        self.drafts: dict[str, RuleDraft] = {}
        self.selected = ""
        self.query = worker.answer.query.text if worker.answer is not None else ""
        self.attempt: RuleAttempt | None = None
        self._begun: dict[str, RuleDraft] = {}
        """New rules in their initial state: unchanged ones are dropped on another selection."""
        self._selected_for = ""
        """Query whose deciding rule was selected, or after which the user selected one."""
        self._contested: set[str] = set()
        """Rules that were changed elsewhere meanwhile: overwriting them needs a confirmation."""
        editor = self.editor
        self._previewed_rule: Rule | None = None
        """Draft whose preview is requested or shown."""
        self._preview_timer = single_shot(self, _AHEAD_AFTER_MS, self._request_preview)
        self.fields_left = FocusLeaveWatch(editor, but=(editor.revert, editor.line, editor.sheet, self.delete))
        self._connect()
        self._show_selected()

    def _connect(self) -> None:
        self.worker.inspected.connect(self._on_inspected)
        self.packs.picked.connect(self._show_rows)
        self.search.textChanged.connect(self._show_rows)
        self.table.picked.connect(self.select)
        self.table.switched.connect(self._switch)
        self.table.moved.connect(self._move)
        self.table.deleted.connect(self._delete)
        self.table.entered_row.connect(self.editor.pattern.setFocus)
        self.table.rules.dropped.connect(self._drop)
        self.add.clicked.connect(self.add_rule)
        self.first.clicked.connect(self.add_rule)
        self.twin.clicked.connect(self.duplicate)
        self.delete.clicked.connect(lambda: self._delete(self.selected))
        self.editor.changed.connect(self._on_edited)
        self.editor.save_requested.connect(self.save)
        self.fields_left.left.connect(self._save_on_focus_loss)
        self.editor.revert_requested.connect(self.revert)
        self.editor.line_changed.connect(self._try)
        self.edits.notified.connect(lambda sentence, bad: self.notified.emit(sentence, False, bad))
        standard = QKeySequence.StandardKey
        for key, act in ((standard.Save, self.save), (standard.Find, self.search.setFocus)):
            shortcut = QShortcut(QKeySequence(key), self, act)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)  # the constructor ignores it

    # ---- display

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        if self.isVisible():
            self._load()
            if self._previewed_rule is not None:
                self._preview_timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._load()

    def _load(self) -> None:
        """List the rules and try the selected one, then count what they find."""

        async def read(bench: Workbench) -> Listing:
            rules, shipped = await bench.rule_packs.stored()
            return Listing(tuple(rules), frozenset(one.pack for one in shipped), frozenset(one.id for one in shipped))

        self._jobs.do(read, self._on_listed)
        self._counting.run(lambda bench: bench.rule_trial.survey(), self._on_surveyed, ignore)

    def action_rows(self) -> Sequence[Action]:
        acts = {"add": self.add_rule, "duplicate": self.duplicate, "save": self.save, "revert": self.revert}
        return rule_actions(self, acts)

    def go_to(self, key: str) -> None:
        self.packs.pick("")
        self.search.setText(key.removeprefix(LABEL_PLACE) if key.startswith(LABEL_PLACE) else "")
        self.select(key)
        self._show_rows()

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
        self.twin.setEnabled(draft is not None)
        self.allow_delete(draft is not None, is_shipped=self.selected in self.listing.shipped)
        self.editor.show_draft(draft, is_shipped=self.selected in self.listing.shipped)
        hints = () if self.survey is None else self.survey.hints.get(self.selected, ())
        shown = [row for row in self.table.rules.rows if row.id == self.selected] if hints else []
        self.editor.show_hints(shown[0].hints if shown else ())

    def _show_rows(self) -> None:
        listing, pack = self.listing, self.packs.current
        rows = rule_rows(listing.rules, self.drafts, self.survey, pack, self.search.text(), listing.shipped)
        set_primary(self.add, not self.drafts)  # otherwise Save
        self.table.show_packs(not pack)
        self.table.show_rows(rows, self.selected)
        self.table.setVisible(bool(rows))
        self.empty_state.setVisible(not rows and bool(listing.rules))
        self.head.set_more(f"{plural(len(rows), '{n} rule', '{n} rules')} · {counted_in(self.survey)}")

    # ---- results

    def _on_listed(self, listing: Listing) -> None:
        self.listing = listing
        stored = self.stored
        if self.query != self._selected_for and self.selected not in self.drafts:
            self.selected, self._selected_for = deciding_rule(self.worker.answer) or self.selected, self.query
        for name, draft in list(self.drafts.items()):
            now = stored.get(name)
            kept = merged(draft, now) if now is not None else replace(draft, base=None)
            self.drafts[name] = kept
            if not kept.is_changed:
                del self.drafts[name]
        self.packs.show_rows(pack_rows(listing.rules, listing.shipped_packs))
        self._show_rows()
        self._show_selected()
        self._try()

    def _on_surveyed(self, survey: RuleSurvey) -> None:
        self.survey = survey
        self._show_rows()
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
        self._jobs.follow(lambda bench: bench.rule_trial.attempt(attempt), self.show_trial, self._on_tried_out)
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
            self.editor.sheet.show_trial(trial)

    def _on_tried_out(self, sentence: str) -> None:
        if sentence:
            self._on_refused(sentence)

    # ---- one rule

    def _on_edited(self, draft: RuleDraft) -> None:
        if draft.is_changed:
            self.drafts[draft.id] = draft
        else:
            self.drafts.pop(draft.id, None)
        self._show_rows()
        self._try()

    def add_rule(self) -> None:
        """Begin a new rule in a custom pack."""
        pack = self.packs.current
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
        self.search.clear()
        if self.packs.current not in ("", draft.pack):
            self.packs.pick("")
        self.select(draft.id)
        self._show_rows()
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
            lambda bench: bench.rule_book.store(rule),
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
            self._show_rows()
            self._show_selected()
            self._try()

    def _on_saved(self, rule: Rule) -> None:
        self.drafts.pop(rule.id, None)
        others = [one for one in self.listing.rules if one.id != rule.id]
        rules = sorted([*others, rule], key=lambda one: (one.pack, one.position))
        self.listing = replace(self.listing, rules=tuple(rules))
        self.editor.show_refusal("")
        self.editor.typing.forget()
        self._show_rows()
        self._show_selected()
        self._try()
        self.notified.emit(f"Saved “{rule.id}”. It counts from now on.", True, False)

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
            self._change(lambda bench: bench.rule_book.switch([switched], on=switched.enabled))

    def _delete(self, name: str) -> None:
        if (rule := self.stored.get(name)) is None:
            self.revert()
        else:
            self.drafts.pop(name, None)
            self._change(lambda bench: bench.rule_book.delete([rule]))

    # ---- order

    def _move(self, name: str, by: int) -> None:
        self._place(name, stepped(self.listing.rules, [row.id for row in self.table.rules.rows], name, by))

    def _drop(self, name: str, before: int) -> None:
        shown = [row.id for row in self.table.rules.rows]
        ids = dropped_before(self.listing.rules, shown, name, before)
        if ids is None:
            why = "A rule is moved within its pack. Its pack is changed in the editor."
            self.notified.emit(why, False, True)
        self._place(name, ids)

    def _place(self, name: str, ids: list[str] | None) -> None:
        rule = self.stored.get(name)
        if rule is None or not ids:
            return
        # Shown at once, so that keys can be repeated.
        self.listing = replace(self.listing, rules=placed(self.listing.rules, ids))
        self._show_rows()
        self._change(lambda bench: bench.rule_book.order(rule.pack, ids))

    def _on_done(self, written: Written | None) -> None:
        if written is not None:
            text = written.step.sentence
            self.notified.emit(f"{text[:1].upper()}{text[1:]}.", True, False)

    def _on_refused(self, sentence: str) -> None:
        if self.isVisible():
            self.notified.emit(sentence, False, True)
