"""Dialog that teaches the query as a memory, with a live preview of conflicts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.display.library.teaching import (
    TeachingTarget,
    foreseen_base,
    foreseen_lines,
    foreseen_short,
    near_duplicate_line,
)
from app.domain.language import plural
from app.domain.library import NAMESPACES, Memory
from app.domain.review.health import NearDuplicate
from app.domain.scope.why_not import EditPreview
from app.gui.bridge.engine_thread import AnswerLike
from app.gui.kit.controls import button, single_shot
from app.gui.kit.dialogs import GrowingDialog
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.fields import LONGEST
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.tables.list_detail import DigitList
from app.gui.kit.theme import icons
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

_LOOK_AFTER_MS = 80
_ROW, _MOST_ROWS = 28, 4
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
        super().__init__(parent)
        self.theme, self.choices = theme, choices
        self.setWindowTitle("Teach a memory")
        self.setModal(True)
        self.setMinimumWidth(theme.px(560))
        self.trigger = QLineEdit(trigger, maxLength=LONGEST, cursorPosition=0)
        self.intent, self.tags = QLineEdit(), QLineEdit()
        self.intent.setPlaceholderText("optional; memories with the same intent count as one answer")
        self.tags.setPlaceholderText("none; separated by commas")
        self.response = QPlainTextEdit(tabChangesFocus=True)
        self.response.setFixedHeight(theme.px(96))
        self.namespace = QComboBox(editable=True)
        self.namespace.addItems(list(NAMESPACES))
        self.namespace.setCurrentText(Memory(("x",)).namespace)
        self.list = self._make_list()
        self.conflicts, self.near = self._make_fields(), self._make_near()
        self.effect = styled(self._make_fields(), role="caption", shade="text_2")
        self.sign = QLabel(pixmap=icons.pixmap("warning", theme.tokens.warning, theme.px(16), self.devicePixelRatioF()))
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
        self._on_typing()
        (self.list if choices else self.response if trigger.strip() else self.trigger).setFocus()

    def _make_list(self) -> DigitList:
        made = DigitList(self.theme, "Existing answers", edge=8)
        made.show_lines([one.line for one in self.choices])
        made.setFixedHeight(self.theme.px(_ROW * min(_MOST_ROWS, len(self.choices)) + 2))
        made.opened.connect(self._choose)
        made.picked.connect(self._on_draft)
        made.written.connect(self._begin_response)
        return made

    def _make_fields(self) -> QLabel:
        told = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        told.setMinimumHeight(self.theme.px(36))
        told.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        return told

    def _make_near(self) -> QLabel:
        near = styled(self._make_fields(), role="caption", shade="warning")
        policy = near.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # so that nothing moves while typing
        near.setSizePolicy(policy)
        near.hide()
        return near

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
        foot = QHBoxLayout()
        if self.choices:
            foot.addWidget(button("No answer is right", link=True, press=self.none_chosen.emit))
        fill(foot, 1, cancel, self.verb)
        layout = spaced(QVBoxLayout(self), px(12), px(20), px(20), px(20), px(16))
        if self.choices:
            layout.addWidget(WrappedLabel("Add to an existing answer: press its number, then Enter", role="section"))
            layout.addWidget(self.list)
            layout.addWidget(WrappedLabel("Or create a new memory", role="section"))
        else:
            self.list.setParent(self)
            self.list.hide()
        layout.addLayout(form)
        row = fill(spaced(QHBoxLayout(), px(8)), (self.sign, 0, Qt.AlignmentFlag.AlignTop), (self.conflicts, 1))
        fill(layout, row, self.near, self.effect, self.fault, foot)

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
        if not found:
            self.conflicts.setText("No other memory uses this phrase.")
            token = "text_2"
        else:
            names = ", ".join(f"{memory.name} ({memory.intent or memory.namespace})"[:120] for memory in found[:3])
            sentence = plural(
                len(found),
                "Another memory uses this phrase: {names}. Both will score the same.",
                "{n} other memories use this phrase: {names}. All will score the same.",
                names=names,
            )
            self.conflicts.setText(sentence)
            token = "warning"
        self.sign.setVisible(bool(found))
        styled(self.conflicts, role="caption", shade=token)

    def show_near(self, found: list[NearDuplicate]) -> None:
        """Show near duplicates of the trigger under other answers, below the equal ones."""
        sentence = near_duplicate_line(found)
        self.near.setText(sentence)
        self.near.setVisible(bool(sentence))

    def show_preview(self, preview: EditPreview) -> None:
        """Show the effect of the latest draft: counts, then cases and queries."""
        short = foreseen_short(preview)
        self.effect.setText(
            "\n".join((f"{short[:1].upper()}{short[1:]}. {foreseen_base(preview)}", *foreseen_lines(preview)))
            if short
            else ""
        )
        self._grow()

    @property
    def _word(self) -> str:
        return "Add trigger" if self.list.places and self.list.hasFocus() else "Teach"

    def _on_draft(self) -> None:
        """Emit the changed draft, and clear its preview."""
        self.verb.setText(self._word)
        self.effect.setText("")
        self._timer.start()

    def refuse(self, sentence: str) -> None:
        """Show why nothing was stored; the draft stays."""
        self.is_storing = False
        self.fault.show_fault(sentence)
        self._show_verb()
        QTimer.singleShot(0, self, self._grow)  # the layout is done by then

    def _grow(self) -> None:
        layout = self.layout()
        if layout is not None:
            self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))

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
            self.conflicts.setText("A memory needs a trigger.")

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
