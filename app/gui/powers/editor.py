"""Editor of one power: texts, tools and transport, and the edit's effect on the query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QVBoxLayout, QWidget

from app.display.powers.rows import effect_words, stripped
from app.domain.errors import KnownError
from app.domain.library import Power, Tool
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import PaneHeader, button, line_edit, single_shot, text_box
from app.gui.kit.fields import FocusLeaveWatch, Switch, UndoKeyFilter, handle_key
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import FaultLine, WrappedLabel, section
from app.gui.kit.sheet import ScrollArea
from app.gui.kit.theme import Theme, Themed
from app.gui.powers.fields import COMMAND, NONE, KeywordChips, ListEditor, SecretsEditor, TransportFields
from app.services.scope.edit_previews import PowerEffect, PowerRank, PowerTrial

if TYPE_CHECKING:
    from app.services.workbench import Workbench

_LONGEST_TEXT = 100_000


class PowerEditor(Themed):
    """Shows a draft and emits `changed` when it is edited; the page keeps the drafts."""

    changed = Signal()
    save_requested = Signal()
    revert_requested = Signal()
    reveal_requested = Signal()
    approve_requested = Signal()  # the user wants to approve exactly the text that is then shown
    env_used = Signal()  # the environment has names: show where values are stored

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.stored: Power | None = None
        self._base = Power("")
        self._quiet = False
        self._is_new = False
        self._make_fields()
        self.save = button("Save", primary=True, tip="Save (Ctrl+S)", press=self.save_requested.emit)
        self.revert = button("Revert", tip="Discard the edits (Esc)", press=self.revert_requested.emit)
        self.fault = FaultLine(theme)
        self.effect_title = section("This query")
        self.effect = WrappedLabel()
        self._arrange()
        self._connect()
        self.typing = UndoKeyFilter(self)
        self.fields_left = FocusLeaveWatch(self, but=(self.revert,))
        self.fields_left.left.connect(self.save_requested)

    def _make_fields(self) -> None:
        theme, px = self.theme, self.theme.px
        self.name = line_edit("Name", longest=500)
        self.description = text_box("Description", height=px(64))
        self.keywords = KeywordChips(theme)
        self.examples = ListEditor(theme, "Examples", ["Example"], "Add an example")
        self.steering = text_box("Steering text", height=px(88))
        self.tools = ListEditor(theme, "Tools", ["Tool", "Description"], "Add a tool")
        self.reached = TransportFields(theme)
        self.env = SecretsEditor(theme, "Environment or headers", ["Name", "Value"], "Add a name")
        self.reveal = button("Reveal", link=True, tip="Show the values, until you leave this power", checkable=True)
        self.env.add_button(self.reveal)
        self.place = WrappedLabel(role="caption")
        self.approved = Switch(theme, "Approved")
        self.approval = WrappedLabel(role="caption")
        self.paused = Switch(theme, "Paused")

    def _arrange(self) -> None:
        px = self.theme.px
        body = QWidget()
        column = spaced(QVBoxLayout(body), px(6), px(16), px(4), px(16), px(24))
        for title, fields in self._sections():
            column.addSpacing(px(6))
            fill(column, section(title), *fields)
        column.addStretch(1)
        self.area = ScrollArea(body, "The power")
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.head = PaneHeader(self.theme, "Power", self.revert, self.save)
        self.effect_box = QWidget()
        effect = spaced(QVBoxLayout(self.effect_box), px(2), px(16), px(2), px(16), 0)
        fill(effect, self.effect_title, self.effect)
        fill(spaced(QVBoxLayout(self), 0, 0, px(4), 0, 0), self.head, self.effect_box, self.fault, (self.area, 1))

    def _sections(self) -> list[tuple[str, list[QWidget]]]:
        return [
            ("Name", [self.name]),
            ("Description", [self.description]),
            ("Keywords", [self.keywords]),
            ("Examples", [self.examples]),
            ("Tools", [self.tools]),
            ("Steering text, given to the assistant when the power is activated", [self.steering]),
            ("How it is reached", [self.reached]),
            ("Environment of the command, or headers for the URL", [self.env, self.place]),
            ("Approved: it may be started", [self.approved, self.approval]),
            ("Paused: it does not answer", [self.paused]),
        ]

    def _connect(self) -> None:
        self.name.textEdited.connect(self._on_edit)
        for area in (self.description, self.steering):
            area.textChanged.connect(self._on_edit)
        for part in (self.keywords, self.examples, self.tools, self.reached, self.env):
            part.changed.connect(self._on_edit)
        self.approved.changed.connect(self._on_approved)
        self.paused.changed.connect(self._on_switch)
        self.reached.variables_pasted.connect(lambda values: self.env.show_names({**self.env.env(), **values}))
        self.reveal.toggled.connect(self._on_reveal)

    # ---- display

    def showEvent(self, event: QShowEvent) -> None:
        for _ in range(3):  # lists, their editors, the column: before the first paint, not one frame each
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)

    def show_power(self, stored: Power | None, draft: Power) -> None:
        """Show the draft of a stored or new power; unchanged fields stay as they are."""
        if draft == self._base and stored == self.stored and self._base.name:
            return
        anew = stored is None or self.stored is None or stored.key != self.stored.key
        is_stored = stored is not None and stored != self.stored and draft == stored
        is_first = self._is_new and stored is not None and stored.name == self.name.text().strip()
        self.stored, self._base, self._quiet = stored, draft, True
        self.reveal.setChecked(False)
        self.fault.show_fault("")
        if self.name.text().strip() != draft.name:  # typed text may still end in a space
            self.name.setText(draft.name)
            self.name.setCursorPosition(0)
        for area, text in ((self.description, draft.description), (self.steering, draft.steering)):
            if area.toPlainText().strip() != text.strip():
                area.setPlainText(text)
        if self.keywords.keywords != draft.keywords:
            self.keywords.show_keywords(draft.keywords)
        self.examples.show_rows([(example,) for example in draft.examples])
        self.tools.show_rows([(tool.name, tool.description) for tool in draft.tools])
        # A new power starts with the most common transport; the user's choice stays, also after saving.
        begins, stays = stored is None and not self._is_new, stored is None or is_first or not anew
        self._is_new = stored is None
        self.reached.show_transport(
            draft.transport, empty=COMMAND if begins else self.reached.how.current if stays else NONE
        )
        self.env.show_names(draft.transport.env)
        self.approved.show_value("true" if draft.approved else "false")
        self.paused.show_value("true" if draft.paused else "false")
        if is_stored:
            self.typing.forget()
        self._quiet = False
        focus = QApplication.focusWidget()
        if anew and (focus is None or not self.isAncestorOf(focus)):  # otherwise the user continues where the focus is
            self.area.verticalScrollBar().setValue(0)
        self._show_state()

    def draft(self) -> Power:
        """Return the content of the fields, as an edit of the shown power."""
        transport = self.reached.transport({name: value for name, value in self.env.env().items() if name})
        is_same = self.stored is not None and transport == self.stored.transport
        return stripped(
            replace(
                self._base,
                name=self.name.text(),
                description=_text(self.description),
                keywords=self.keywords.keywords,
                steering=_text(self.steering),
                tools=tuple(Tool(*row) for row in self.tools.filled()),
                examples=tuple(row[0] for row in self.examples.filled()),
                transport=transport,
                paused=self.paused.isChecked(),
                approved=self.approved.isChecked() and is_same,
            )
        )

    def settle(self) -> None:
        """Commit the text being typed into a cell or line."""
        self.reached.settle()
        for part in (self.examples, self.tools, self.env):
            part.settle()

    def show_holders(self, holders: Mapping[str, int]) -> None:
        """Show the number of powers that share each keyword."""
        self.keywords.show_holders(holders)

    def show_effect(self, title: str, sentence: str) -> None:
        self.effect_title.show_text(title)
        self.effect.show_text(sentence)

    def show_place(self, sentence: str) -> None:
        """Show where the values of the environment are stored."""
        self.place.show_text(sentence if any(self.env.env()) else "")

    def show_values(self, values: Mapping[str, str]) -> None:
        """Show the requested values, if the request is still on."""
        if self.reveal.isChecked():
            self.env.show_values(values)

    def hide_values(self) -> None:
        self.reveal.setChecked(False)

    @property
    def is_dirty(self) -> bool:
        """True if there are unsaved edits."""
        return self.stored is None or self.draft() != stripped(self.stored)

    # ---- user actions

    def _on_edit(self, *_: object) -> None:
        if not self._quiet:
            self._show_state()
            self.changed.emit()

    def _on_approved(self, value: str) -> None:
        """Handle the switch: turning approval off is an edit, turning it on needs confirmation.

        The text to approve must be seen first.
        """
        if value == "true" and self.stored is not None and not self.stored.approved:
            self.approved.show_value("false")
            self.approve_requested.emit()
        else:
            self._on_switch()

    def _on_switch(self, *_: object) -> None:
        """Commit a switch at once."""
        self._on_edit()
        if not self._quiet:
            self.save_requested.emit()

    def _on_reveal(self, on: bool) -> None:
        self.reveal.setText("Hide" if on else "Reveal")
        if on:
            self.reveal_requested.emit()
        else:
            self.env.hide_values()

    def _show_state(self) -> None:
        draft = self.draft()
        has_names = any(draft.transport.env)
        self.reveal.setVisible(has_names and self.stored is not None)
        if has_names:
            self.env_used.emit()
        else:
            self.place.show_text("")
        dirty = self.is_dirty
        self.head.set_more("new" if self.stored is None else "unsaved edits" if dirty else "")
        self.save.setEnabled(dirty)
        self.revert.setEnabled(dirty)
        self.approved.setEnabled(self.stored is not None and draft.transport == self.stored.transport)
        self.approval.show_text(self._approval(draft))

    def _approval(self, draft: Power) -> str:
        if self.stored is None:
            return "A new power can be approved once it is saved."
        if draft.transport != self.stored.transport:
            if self.stored.approved:
                return "You changed how it is reached: saving withdraws the approval. Nothing is started here."
            return "You changed how it is reached: save it first, then approve it."
        return "You start it under “Server”; resolve and assistants start it only if it is approved."

    def event(self, event: QEvent) -> bool:
        # Ctrl+S and, with edits, Escape belong to this pane before the window.
        return handle_key(event, self._action_of) or super().event(event)

    def _action_of(self, event: QKeyEvent) -> Callable[[], object] | None:
        if event.key() == Qt.Key.Key_S and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            return self.save_requested.emit
        return self.revert_requested.emit if event.key() == Qt.Key.Key_Escape and self.is_dirty else None


def _text(area: QPlainTextEdit) -> str:
    return area.toPlainText()[:_LONGEST_TEXT]


# ---- Effect of an edit on the last query, computed shortly after each change

PAUSE_MS = 120
"""Delay after the last change, in ms."""


class DraftTrial(QObject):
    """Runs the current query against the draft in the editor, and shows the result there."""

    def __init__(self, editor: PowerEditor, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._editor, self._worker, self._job = editor, worker, Job(worker, self)
        self._trial: PowerTrial | None = None
        self._timer = single_shot(self, PAUSE_MS, self.begin)

    @property
    def query(self) -> str:
        """Last query of the scope."""
        return "" if self._worker.answer is None else self._worker.answer.query.text.strip()

    def begin_soon(self) -> None:
        """Try the draft after a pause in editing."""
        self._timer.start()

    def begin(self) -> None:
        """Request the effect of the draft on the query; an earlier request is dropped."""
        self.drop()
        if query := self.query:
            draft = self._editor.draft()
            self._job.run(lambda bench: self._of(bench).effect(query, draft), self._on_effect)
        else:
            self._editor.show_effect(
                "No query yet", "Type one on the scope (Ctrl+1) to see the effect of an edit here."
            )

    def drop(self) -> None:
        """Drop the request: no power is edited."""
        self._timer.stop()
        self._job.cancel()

    async def standings(self, bench: Workbench, query: str) -> Mapping[int, PowerRank]:
        """Return the ranks of the enabled powers for a query, by key; {} if the encoder fails."""
        try:
            return await self._of(bench).standings(query) if query.strip() else {}
        except KnownError:
            return {}

    def _of(self, bench: Workbench) -> PowerTrial:
        """Return the trial of the engine, created on first use on its thread."""
        self._trial = self._trial or PowerTrial(bench)
        return self._trial

    def _on_effect(self, effect: PowerEffect) -> None:
        query = effect.query if len(effect.query) <= 60 else f"{effect.query[:59]}…"
        title = f"For “{query}” this power scores"
        note = "" if effect.knows_meaning else " Without the encoder, by words only."
        self._editor.show_effect(title, effect_words(effect) + note)
