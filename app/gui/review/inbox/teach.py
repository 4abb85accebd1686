"""Inline choice for teaching a query: a trigger of an answer, or a memory with a label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QObject, QRect, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QVBoxLayout

from app.display.library.teaching import TeachingTarget, foreseen_base, foreseen_lines, foreseen_short
from app.domain.library import Answer
from app.domain.scope.why_not import EditPreview
from app.gui.bridge.engine_thread import AnswerLike
from app.gui.kit.controls import button, line_edit, single_shot
from app.gui.kit.drawing.sheet import Ruled
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.tables.list_detail import DigitList
from app.gui.kit.theme.theme import Theme

_ROW = 28
_TOLD = 34
_LOOK_AFTER_MS = 80
_LEAST_ROWS, _MOST_ROWS = 1, 9


class TeachBox(Ruled):
    """Digits and arrows choose an answer, letters start a label, Enter confirms, Escape closes."""

    ground = "raised"
    mark = "accent"

    trigger_chosen = Signal(AnswerLike)  # answer that gets the query as a trigger
    label_chosen = Signal(str)  # label of a new memory, "" for none
    draft_changed = Signal(int, AnswerLike, str)  # ticket, answer that would get the trigger (or None), label
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.choices: Sequence[TeachingTarget] = ()
        self.setAccessibleName("Teach the query")
        self.title = WrappedLabel(
            "Add to an existing answer: press its number or use the arrows, then Enter", role="caption"
        )
        self.list = DigitList(theme, "Answers that the query can become a trigger of", edge=12)
        self.list.installEventFilter(self)
        self.list.opened.connect(self._choose)
        self.list.written.connect(self._begin_label)
        self.list.clicked.connect(lambda index: self._choose(index.row()))
        self.none = WrappedLabel("Nothing answers it. Teach it as a new memory.", role="caption")
        self.label = line_edit(
            "Intent of the new memory",
            longest=200,
            hint="intent (optional); memories with the same intent count as one answer",
        )
        self.label.installEventFilter(self)
        self.label.textChanged.connect(self._on_draft)
        self.list.picked.connect(self._on_draft)
        self.label.returnPressed.connect(lambda: self.label_chosen.emit(self.label.text().strip()))
        self._labels = QStringListModel(self)
        self._completer = QCompleter(self._labels, self)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.label.setCompleter(self._completer)
        self.verb = button("Teach  Enter", primary=True, press=self.confirm, name="Teach")
        self.effect = WrappedLabel(role="caption", shade="text_2")
        self.effect.setMinimumHeight(theme.px(_TOLD))  # fixed space, so that nothing moves during the preview
        self.effect.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._ticket, self._is_labelling = 0, False
        self._timer = single_shot(self, _LOOK_AFTER_MS, self._emit_draft)
        self.cancel = button("Cancel  Esc", press=self.closed.emit, name="Cancel")
        self._arrange()
        self.setVisible(False)

    def _arrange(self) -> None:
        px = self.theme.px
        foot = spaced(QHBoxLayout(), px(8))
        self.as_memory = WrappedLabel("Or a new memory:", role="caption")
        self.as_memory.setSizePolicy(self.verb.sizePolicy())
        fill(foot, self.as_memory, (self.label, 1), self.verb, self.cancel)
        column = spaced(QVBoxLayout(self), px(8), px(24), px(10), px(16), px(12))
        fill(column, self.title, self.list, self.none, foot, self.effect)

    def begin(self, choices: Sequence[TeachingTarget] | None) -> None:
        """Open with these answers; None if they are still loading."""
        self.label.clear()
        self.show_choices(())
        self.show_choices(choices)
        self.setVisible(True)
        self._is_labelling = choices == ()
        self._on_draft()
        (self.label if choices == () else self.list).setFocus(Qt.FocusReason.OtherFocusReason)

    def show_choices(self, choices: Sequence[TeachingTarget] | None) -> None:
        """Offer the answers; a started choice stays."""
        place, is_known = self.list.currentIndex().row(), choices is not None
        self.choices = choices = choices or ()
        self.list.show_lines([one.line for one in choices])
        self.list.setVisible(bool(choices) or not is_known)
        self.title.setVisible(bool(choices) or not is_known)
        self.none.setVisible(not choices and is_known)
        rows = max(_LEAST_ROWS, min(_MOST_ROWS, len(choices)))
        self.list.setFixedHeight(self.theme.px(_ROW) * rows + 2)
        if choices:
            self.list.pick(max(0, min(place, len(choices) - 1)))

    def show_labels(self, labels: Sequence[str]) -> None:
        self._labels.setStringList(list(labels))

    def draft(self) -> Answer | str | None:
        """Return what would be taught: a label, or an answer that gets the trigger; None: neither."""
        label, place = self.label.text().strip(), self.list.currentIndex().row()
        if self.list.hasFocus() or (self.choices and not label and not self._is_labelling):
            return self.choices[place].match.answer if 0 <= place < len(self.choices) else None
        return label

    def confirm(self) -> None:
        drafted = self.draft()
        if isinstance(drafted, str):
            self.label_chosen.emit(drafted)
        elif drafted is not None:
            self.trigger_chosen.emit(drafted)

    def show_preview(self, ticket: int, preview: EditPreview) -> None:
        """Show the latest draft's effect on the button, and the affected cases and queries below."""
        if ticket == self._ticket and (short := foreseen_short(preview)):
            self.verb.setText(f"Teach: {short}  Enter")
            self.verb.setAccessibleName(f"Teach: {short}")
            self.effect.setText(" ".join((foreseen_base(preview), *foreseen_lines(preview))))

    def _on_draft(self) -> None:
        """Emit a changed draft, whose effect is unknown."""
        self._ticket += 1
        self.verb.setText("Teach  Enter")
        self.verb.setAccessibleName("Teach")
        self.effect.setText("")
        self._timer.start()

    def _emit_draft(self) -> None:
        drafted = self.draft()
        if drafted is not None and self.isVisible():
            is_label = isinstance(drafted, str)
            self.draft_changed.emit(self._ticket, None if is_label else drafted, drafted if is_label else "")

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self.choices):
            self.trigger_chosen.emit(self.choices[place].match.answer)

    # ---- keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.FocusIn:
            # A click on the button takes the focus without changing the draft.
            self._is_labelling = watched is self.label
            self._on_draft()
        if not isinstance(event, QKeyEvent) or event.type() not in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            return False
        if event.key() == Qt.Key.Key_Escape:
            if event.type() is QEvent.Type.ShortcutOverride:
                event.accept()  # the window would return to the query
            else:
                self.closed.emit()
            return True
        if event.type() is not QEvent.Type.KeyPress:
            return False
        return self._on_list_key(event) if watched is self.list else self._on_label_key(event)

    def _on_list_key(self, event: QKeyEvent) -> bool:
        at_end = self.list.currentIndex().row() == len(self.choices) - 1
        if event.key() == Qt.Key.Key_Down and at_end:
            self.label.setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        return False

    def _begin_label(self, letter: str) -> None:
        self.label.setFocus(Qt.FocusReason.OtherFocusReason)
        self.label.insert(letter)
        self._completer.setCompletionPrefix(self.label.text())

    def _on_label_key(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Up and self.choices:
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        return False

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(0, 0, self.width(), 1)
        yield QRect(0, self.height() - 1, self.width(), 1)


def taught_as(label: str) -> str:
    """Describe what the query is taught as, within a sentence."""
    return f"a new memory with the intent {label}" if label else "a new memory"
