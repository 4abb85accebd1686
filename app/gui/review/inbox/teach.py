"""The choice of what a query is taught as, made in place: a trigger of an answer, or a memory with a label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QObject, QRect, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QLineEdit, QVBoxLayout

from app.display.library.teaching import Choice
from app.domain.language import say
from app.gui.bridge.engine_thread import AnyAnswer
from app.gui.kit.controls import button
from app.gui.kit.drawing.sheet import Ruled
from app.gui.kit.pane_parts import Said
from app.gui.kit.tables.lines import DigitList
from app.gui.kit.theme.theme import Theme

_ROW = 28
_LEAST_ROWS, _MOST_ROWS = 1, 9


class TeachBox(Ruled):
    """Digits and arrows choose an answer, letters begin a label, Enter confirms, Escape closes."""

    ground = "raised"
    mark = "accent"

    trigger_chosen = Signal(AnyAnswer)  # the Answer that gets the query as a trigger
    label_chosen = Signal(str)  # the label of a new memory, "" for none
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.choices: Sequence[Choice] = ()
        self.setAccessibleName(self.tr("Teach the query"))
        self.title = Said(self.tr("As a trigger of an answer: a digit or the arrows, then Enter"), role="caption")
        self.list = DigitList(theme, self.tr("Answers that the query can become a trigger of"), edge=12)
        self.list.installEventFilter(self)
        self.list.asked.connect(self._choose)
        self.list.written.connect(self._begin_label)
        self.list.clicked.connect(lambda index: self._choose(index.row()))
        self.none = Said(self.tr("Nothing answers it. Teach it as a memory."), role="caption")
        self.label = QLineEdit()
        self.label.setMaxLength(200)
        self.label.setAccessibleName(self.tr("Label of the new memory"))
        self.label.setPlaceholderText(self.tr("label; with none it is an answer of its own"))
        self.label.installEventFilter(self)
        self.label.returnPressed.connect(lambda: self.label_chosen.emit(self.label.text().strip()))
        self._labels = QStringListModel(self)
        self._completer = QCompleter(self._labels, self)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.label.setCompleter(self._completer)
        self.verb = button(self.tr("Teach  Enter"), primary=True, press=self.confirm)
        self.verb.setAccessibleName(self.tr("Teach"))
        self.cancel = button(self.tr("Cancel  Esc"), press=self.closed.emit)
        self.cancel.setAccessibleName(self.tr("Cancel"))
        self._arrange()
        self.setVisible(False)

    def _arrange(self) -> None:
        px = self.theme.px
        foot = QHBoxLayout()
        foot.setSpacing(px(8))
        self.as_memory = Said(self.tr("Or as a memory:"), role="caption")
        self.as_memory.setSizePolicy(self.verb.sizePolicy())
        foot.addWidget(self.as_memory)
        foot.addWidget(self.label, 1)
        foot.addWidget(self.verb)
        foot.addWidget(self.cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(24), px(10), px(16), px(12))
        column.setSpacing(px(8))
        for widget in (self.title, self.list, self.none):
            column.addWidget(widget)
        column.addLayout(foot)

    def begin(self, choices: Sequence[Choice] | None) -> None:
        """Open with these answers; with None they are still to come."""
        self.label.clear()
        self.show_choices(())
        self.show_choices(choices)
        self.setVisible(True)
        (self.label if choices == () else self.list).setFocus(Qt.FocusReason.OtherFocusReason)

    def show_choices(self, choices: Sequence[Choice] | None) -> None:
        """Offer these; who has begun to choose goes on."""
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
        """Complete labels with these."""
        self._labels.setStringList(list(labels))

    def confirm(self) -> None:
        """Teach as the label says, if one is being typed, else as a trigger of the chosen answer."""
        place = self.list.currentIndex().row()
        if self.list.hasFocus() or (self.choices and not self.label.text().strip() and not self.label.hasFocus()):
            self._choose(place)
        else:
            self.label_chosen.emit(self.label.text().strip())

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self.choices):
            self.trigger_chosen.emit(self.choices[place].match.answer)

    # ---- keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.type() not in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            return False
        if event.key() == Qt.Key.Key_Escape:
            if event.type() is QEvent.Type.ShortcutOverride:
                event.accept()  # the window would lead to the query
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
    """What the query is taught as, in a sentence's middle."""
    return say("a memory with the label {label}", label=label) if label else say("a memory of its own")
