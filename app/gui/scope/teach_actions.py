"""Teaching from the query line, at once or in a dialog with conflicts; its effect, and undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.display.library.teaching import (
    TeachingTarget,
    broken_line,
    near_duplicate_line,
    preview_base,
    preview_lines,
    preview_short,
    teaching_targets,
)
from app.display.scope import guide
from app.display.scope.intent import taught_message as type_taught
from app.display.scope.intent import type_choice
from app.domain.health import NearDuplicate
from app.domain.inspection import Inspection, Phase
from app.domain.intent import IntentType
from app.domain.language import capitalized, plural
from app.domain.library import NAMESPACES, Answer, Memory
from app.domain.why_not import EditPreview
from app.gui.bridge.engine_thread import AnswerLike, Worker
from app.gui.bridge.jobs import Job
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit import icons
from app.gui.kit.controls import button, single_shot
from app.gui.kit.dialogs import GrowingDialog
from app.gui.kit.fields import LONGEST
from app.gui.kit.layouts import UNBOUNDED, fill, spaced
from app.gui.kit.pane_parts import FaultLine, WrappedLabel
from app.gui.kit.tables.list_detail import DigitList
from app.gui.kit.theme import Theme
from app.gui.scope.query_line import QueryLine

if TYPE_CHECKING:
    from app.domain.journal import Redone, Undone
    from app.services.workbench import Workbench


_LOOK_AFTER_MS = 80
_ROW, _EFFECT = 28, 36
_LONGEST_RESPONSE = 100_000


class TeachDialog(GrowingDialog):
    """Dialog that stays open until the memory is stored.

    A digit and Enter add the trigger to one of `choices` instead.
    """

    taught = Signal(Memory)
    trigger_chosen = Signal(AnswerLike, str)  # the Answer that gets the trigger, the trigger
    draft_changed = Signal(AnswerLike, str, str)  # the drafted or extended answer, trigger, intent label; "" for none
    none_chosen = Signal()  # no answer is right for the query

    def __init__(
        self, theme: Theme, trigger: str, parent: QWidget | None = None, choices: Sequence[TeachingTarget] = ()
    ) -> None:
        super().__init__(theme, "Teach a memory", 560, parent)
        self.setMaximumWidth(UNBOUNDED)
        self.choices = choices
        self.trigger = QLineEdit(trigger, maxLength=LONGEST, cursorPosition=0)
        self.intent, self.tags = QLineEdit(), QLineEdit()
        self.intent.setPlaceholderText("optional; memories with the same intent count as one answer")
        self.tags.setPlaceholderText("none; separated by commas")
        self.response = QPlainTextEdit(tabChangesFocus=True, placeholderText="the text that an assistant gets")
        self.response.setFixedHeight(theme.px(96))
        self.namespace = QComboBox(editable=True)
        self.namespace.addItems(list(NAMESPACES))
        self.namespace.setCurrentText(Memory(("x",)).namespace)
        self.list = DigitList(self.theme, "Existing answers", edge=8)
        self.list.show_lines([one.line for one in self.choices])
        self.list.setFixedHeight(self.theme.px(_ROW * len(self.choices) + 2))
        self.list.opened.connect(self._choose)
        self.list.picked.connect(self._on_draft)
        self.list.written.connect(self._begin_response)
        self.conflicts, self.near = (WrappedLabel(role="caption", shade="warning") for _ in range(2))
        self.near.hide()
        self.effect = WrappedLabel(role="body")
        self.effect.setMinimumHeight(theme.px(_EFFECT))  # so that nothing moves while typing
        self.broken = WrappedLabel(role="caption", shade="danger")
        self.sign, self.loss = (
            QLabel(pixmap=icons.pixmap(name, color, theme.px(16), self.devicePixelRatioF()))
            for name, color in (("warning", theme.tokens.warning), ("cross", theme.tokens.danger))
        )
        self.sign.hide()
        self.fault = FaultLine(theme)
        self.is_storing = False
        self.verb = button("Teach", primary=True, press=self._teach, default=True)
        for sequence in ("Ctrl+Return", "Ctrl+Enter"):  # Enter alone starts a new line in the response
            QShortcut(QKeySequence(sequence), self, self.verb.click)
        self._arrange()
        self._timer = single_shot(self, _LOOK_AFTER_MS, self._emit_draft)
        for line in (self.trigger, self.intent):
            line.textChanged.connect(self._on_typing)
        self.response.textChanged.connect(self._on_draft)
        self._on_typing()
        (self.list if choices else self.response if trigger.strip() else self.trigger).setFocus()

    def _arrange(self) -> None:
        px = self.theme.px
        cancel = button("Cancel", press=self.reject, auto=False)
        form = QFormLayout()
        form.setSpacing(px(10))
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        for word, field in (
            ("&Trigger", self.trigger),
            ("&Response", self.response),
            ("&Intent", self.intent),
            ("&Namespace", self.namespace),
            ("Ta&gs", self.tags),
        ):
            form.addRow(word, field)
            field.setAccessibleName(word.replace("&", ""))
        more = button("Namespace and tags", link=True, checkable=True, auto=False)
        form.insertRow(3, fill(QHBoxLayout(), more, 1))
        for field in (self.namespace, self.tags):
            form.setRowVisible(field, False)
            more.toggled.connect(partial(form.setRowVisible, field))
        foot = QHBoxLayout()
        if self.choices:
            foot.addWidget(button("No answer is right", link=True, press=self.none_chosen.emit))
        fill(foot, 1, cancel, self.verb)
        layout = QVBoxLayout()
        if self.choices:
            layout.addWidget(WrappedLabel("Add to an existing answer: press its number, then Enter", role="section"))
            layout.addWidget(self.list)
            layout.addWidget(WrappedLabel("Or create a new memory", role="section"))
        else:
            self.list.setParent(self)
            self.list.hide()
        layout.addLayout(form)
        row, broken = (
            fill(spaced(QHBoxLayout(), px(8)), (sign, 0, Qt.AlignmentFlag.AlignTop), (told, 1))
            for sign, told in ((self.sign, self.conflicts), (self.loss, self.broken))
        )
        head = WrappedLabel("What changes", role="section")
        fill(layout, head, row, self.near, self.effect, broken, self.fault, 1)
        self.lay_out(layout, foot)

    def memory(self) -> Memory | None:
        """Return the memory of the fields; None without a trigger."""
        trigger = self.trigger.text().strip()
        if not trigger:
            return None
        return Memory(
            (trigger,),
            response=self.response.toPlainText().strip()[:_LONGEST_RESPONSE],
            intent=self.intent.text().strip() or None,
            namespace=self.namespace.currentText().strip() or Memory((trigger,)).namespace,
            tags=tuple(dict.fromkeys(tag.strip() for tag in self.tags.text().split(",") if tag.strip())),
        )

    def show_conflicts(self, found: list[Memory]) -> None:
        """Show the memories that have this trigger under another answer."""
        names = ", ".join(f"{memory.name} ({memory.intent or memory.namespace})"[:120] for memory in found[:3])
        others = plural(len(found), "Another memory uses", "{n} other memories use")
        sentence = f"{others} this trigger: {names}. {plural(len(found), 'Both', 'All')} will score the same."
        self.conflicts.show_text(sentence if found else "")
        self.sign.setVisible(bool(found))

    def show_near(self, found: list[NearDuplicate]) -> None:
        """Show near duplicates of the trigger under other answers, below the equal ones."""
        self.near.show_text(near_duplicate_line(found))

    def show_preview(self, preview: EditPreview) -> None:
        """Show the effect of the latest draft; a loss has a colour and a sign."""
        short, broken = preview_short(preview), broken_line(preview)
        told = [line for line in preview_lines(preview) if line != broken]
        lines = (f"{capitalized(short)}.", *told, preview_base(preview)) if short else ()
        is_silent = not (self.list.places or self.response.toPlainText().strip())
        if is_silent and not self.intent.text().strip():  # nothing was typed yet that could be right or wrong
            lines, broken = (), ""
        self.effect.setText("\n".join((*[guide.SILENT] * is_silent, *lines)))
        self.broken.show_text(broken)
        self.loss.setVisible(bool(broken))

    @property
    def _word(self) -> str:
        return "Add trigger" if self.list.places and self.list.hasFocus() else "Teach"

    def _on_draft(self) -> None:
        """Emit the changed draft, and clear its preview."""
        self.verb.setText(self._word)
        self.effect.setText("")
        self.broken.show_text("")
        self.loss.hide()
        self._timer.start()

    def refuse(self, sentence: str) -> None:
        """Show why nothing was stored; the draft stays."""
        self.is_storing = False
        self.fault.show_fault(sentence)
        self._show_verb()

    def _show_verb(self) -> None:
        self.verb.setEnabled(bool(self.trigger.text().strip()) and not self.is_storing)

    def _on_typing(self) -> None:
        self._show_verb()
        self._on_draft()

    def _emit_draft(self) -> None:
        trigger = self.trigger.text().strip()
        drafted = self.choices[self.list.places[0]].match.answer if self.list.places else self.memory()
        self.draft_changed.emit(drafted, trigger, self.intent.text().strip())
        if not trigger:
            self.sign.hide()
            self.near.hide()
            self.conflicts.show_text("A memory needs a trigger.")

    def _begin_response(self, letter: str) -> None:
        self.response.setFocus(Qt.FocusReason.OtherFocusReason)
        self.response.insertPlainText(letter)

    def _choose(self, place: int) -> None:
        """Add the trigger to the selected answer on Enter; without a selection, teach the memory."""
        trigger = self.trigger.text().strip()
        if not self.list.places:
            self.verb.click()
        elif trigger:
            self.trigger_chosen.emit(self.choices[place].match.answer, trigger)

    def _teach(self) -> None:
        memory = self.memory()
        if memory is not None:
            self.is_storing = True
            self.fault.show_fault("")
            self._show_verb()
            self.taught.emit(memory)


class TeachActions(QObject):
    """Actions of teaching, with one dialog at a time; closing it focuses the line.

    The selection stays, unless the query was taught as a new memory, which is then selected.
    """

    notified = Signal(str, bool, bool)  # as in Page
    keep_requested = Signal()  # keep the selected answer selected, wherever it moves
    query_requested = Signal(str)  # a query to type
    select_requested = Signal(Memory)  # select this memory, if it is among the matches

    def __init__(
        self, page: QWidget, line: QueryLine, theme: Theme, worker: Worker, scope_state: Callable[[], ScopeState]
    ) -> None:
        super().__init__(page)
        self._page, self._theme, self._worker, self._line = page, theme, worker, line
        self._scope_state = scope_state
        self.dialog: TeachDialog | None = None
        self._waiting: tuple[str, Answer, str] | None = None
        self._seen: Inspection | None = None
        self._is_seen_whole = self._is_unfound = False
        self._written, self._conflicts = Job(worker, self, self._toast), Job(worker, self, self._toast)
        self._near, self._effect = Job(worker, self), Job(worker, self)
        self.menu: QMenu | None = None
        queued = Qt.ConnectionType.QueuedConnection
        worker.taught.connect(self._on_taught, queued)
        worker.trigger_added.connect(self._on_trigger_added, queued)
        worker.marked.connect(self._on_marked, queued)
        worker.undone.connect(self._on_undone, queued)
        worker.redone.connect(self._on_redone, queued)
        worker.seeded.connect(self._on_seeded, queued)
        worker.inspected.connect(self._on_inspected)
        worker.settled.connect(self._on_settled, queued)

    # ---- user actions

    def open_dialog(self) -> None:
        """Open the dialog with the query as trigger of a new memory or of an existing answer."""
        text, inspection = self._line.text(), self._scope_state().inspection
        is_of_query = inspection is not None and inspection.query.text == text
        self._open(text, teaching_targets(inspection) if is_of_query else ())

    def open_for(self, inspection: Inspection) -> None:
        """Open the dialog for another answered query."""
        self._open(inspection.query.text, teaching_targets(inspection))

    def open_new(self) -> None:
        """Open the dialog for a new memory without a trigger."""
        self._open("", ())

    def _open(self, text: str, offered: Sequence[TeachingTarget]) -> None:
        dialog = TeachDialog(self._theme, text, self._page.window(), offered)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.draft_changed.connect(self._on_draft)
        dialog.taught.connect(self._teach)
        dialog.trigger_chosen.connect(self._add_to)
        dialog.none_chosen.connect(self._choose_none)
        dialog.finished.connect(self._on_closed)
        self.dialog = dialog
        dialog.open()

    def refusal(self) -> str:
        """Return why the selected answer can be neither marked nor given a trigger; "" if it can."""
        if not self._line.text().strip():
            return "The query is empty. Type a query first."
        if self._scope_state().selected is None:
            return "No answer is selected. There is nothing to teach or mark."
        return ""

    def type_refusal(self) -> str:
        """Return why no type can be taught; "" if one can."""
        return "" if self._line.text().strip() else "The query is empty. Type a query first."

    def ask_type(self) -> None:
        """Open the menu of types below the query; each has a digit."""
        menu = QMenu(self._page)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName("Teach the type of the query")
        for digit, type_ in enumerate((*IntentType, None), 1):
            menu.addAction(f"&{digit}  {type_choice(type_)}", partial(self._teach_type, type_))
        menu.aboutToHide.connect(partial(setattr, self, "menu", None))
        self.menu = menu
        menu.setActiveAction(menu.actions()[0])
        menu.popup(self._line.mapToGlobal(QPoint(0, self._line.height() + 2)))

    def _teach_type(self, type_: IntentType | None) -> None:
        text = self._line.text().strip()
        self._written.do(
            lambda bench: bench.types.teach(text, type_), lambda is_new: self._report(type_taught(type_, is_new=is_new))
        )

    def add_trigger(self) -> None:
        if answer := self._selected():
            self._worker.add_trigger(answer, self._line.text().strip())

    def mark(self, *, fits: bool) -> None:
        if answer := self._selected():
            match = self._scope_state().selected
            self._is_unfound = fits and match is not None and not match.is_found
            self._worker.mark(answer, self._line.text().strip(), fits=fits)

    def mark_none(self) -> None:
        text = self._line.text().strip()
        if text:
            self._mark_none(text)
        else:
            self.notified.emit(self.refusal(), False, True)

    def _mark_none(self, text: str) -> None:
        self.keep_requested.emit()
        self._written.do(
            lambda bench: bench.curator.mark_none(text),
            lambda written: self._report(guide.marked_none_message(text), undo=written is not None),
        )

    def _selected(self) -> Answer | None:
        """Return the selected answer, which stays selected; None with a message if there is none."""
        why, match = self.refusal(), self._scope_state().selected
        if why or match is None:
            self.notified.emit(why, False, True)
            return None
        self.keep_requested.emit()
        return match.answer

    def refuse(self, sentence: str) -> bool:
        """Show in the dialog why a memory was not stored; False if none is open."""
        if self.dialog is None or not self.dialog.is_storing:
            return False
        self.dialog.refuse(sentence)
        return True

    def _teach(self, memory: Memory) -> None:
        self.keep_requested.emit()
        self._worker.teach(memory)

    def _choose_none(self) -> None:
        text = self._line.text() if self.dialog is None else self.dialog.trigger.text()
        if self.dialog is not None:
            self.dialog.accept()
        self._mark_none(text.strip())

    def _add_to(self, answer: Answer, trigger: str) -> None:
        if self.dialog is not None:
            self.dialog.accept()
        self.keep_requested.emit()
        self._worker.add_trigger(answer, trigger)

    # ---- results

    def _on_closed(self) -> None:
        self._on_draft(None, "", "")
        self.dialog = None
        if self._page.isVisible():
            self._line.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _on_draft(self, drafted: Answer | None, trigger: str, label: str) -> None:
        """Request the conflicts of a draft, near duplicates under other answers, and its effect on cases."""
        for job in (self._conflicts, self._near, self._effect):
            job.cancel()
        if self.dialog is None or drafted is None or not trigger:
            return

        async def conflicts(bench: Workbench) -> list[Memory]:
            return bench.catalogue.conflicts(trigger, label or None)

        self._conflicts.run(conflicts, self.dialog.show_conflicts)
        self._near.run(lambda bench: bench.duplicates.near(trigger, label or None), self.dialog.show_near)
        self._effect.run(lambda bench: bench.edit_previews.of_trigger(drafted, trigger), self.dialog.show_preview)

    def _on_taught(self, memory: Memory) -> None:
        if self.dialog is not None and self.dialog.is_storing:
            self.dialog.accept()
            if not self._line.text().strip() and memory.triggers and self._page.isVisible():
                self.query_requested.emit(memory.triggers[0])  # otherwise the new memory would not be visible
        of_query = self._line.text().strip() in memory.triggers
        if of_query:
            self.select_requested.emit(memory)  # marking then applies to the new memory
        self._report_rank(guide.taught_message(memory), memory, self._line.text().strip())

    def _on_trigger_added(self, answer: Answer, trigger: str) -> None:
        self._report_rank(guide.trigger_added_message(answer), answer, trigger)

    def _on_marked(self, before: Answer, after: Answer, fits: bool) -> None:
        text = guide.marked_message(before, after, fits=fits)
        self._report(f"{text} {guide.not_found_message(after)}" if self._is_unfound else text)

    def _on_undone(self, undone: Undone | None) -> None:
        if undone is None:
            self.notified.emit("Nothing to undo.", False, False)
        else:
            self._report(undone.sentence, undo=False)

    def _on_redone(self, redone: Redone | None) -> None:
        if redone is None:
            self.notified.emit("Nothing to redo.", False, False)
        else:
            self._report(redone.sentence)

    def _on_seeded(self, count: int) -> None:
        self.notified.emit(f"Added the sample library: {count} memories, powers and cases.", bool(count), False)

    def _toast(self, refusal: str) -> None:
        self.notified.emit(refusal, False, True)

    # ---- effect, shown with the next answer to the query

    def _report(self, sentence: str, *, undo: bool = True) -> None:
        """Report an action. Until the next letter, Ctrl+Z undoes it."""
        self._line.leaves_undo = True
        self._waiting = None
        self.notified.emit(sentence, undo, False)

    def _report_rank(self, sentence: str, answer: Answer, taught: str) -> None:
        """Report an action at once, and the answer's new rank once the query is answered again."""
        self._report(sentence)
        if taught == self._line.text().strip() and taught in answer.triggers and guide.SILENT not in sentence:
            self._waiting = (sentence, answer, taught)
            self._report_shown()

    def _on_inspected(self, _: int, inspection: Inspection) -> None:
        self._seen, self._is_seen_whole = inspection, inspection.phase is not Phase.FLOOR
        self._report_shown()

    def _on_settled(self, generation: int) -> None:
        if generation == self._worker.generation:
            self._is_seen_whole = True
            self._report_shown()

    def _report_shown(self) -> None:
        """Report the rank from the final answer after the action.

        The floor is skipped if a better answer follows, so that the message does not change while it is read.
        """
        if self._waiting is None or self._seen is None or not self._is_seen_whole:
            return
        sentence, answer, taught = self._waiting
        if self._line.text().strip() != taught:
            self._waiting = None
        elif self._seen.query.text.strip() == taught and (standing := guide.rank_message(self._seen, answer, taught)):
            self._waiting = None
            self.notified.emit(f"{sentence} {standing}", True, False)
