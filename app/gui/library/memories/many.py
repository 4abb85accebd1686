"""Several memories at once: one change for all of them, which first says how many it touches."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.display import words
from app.display.library.memories import namespace_of, tags_of
from app.display.library.memory_words import edit_of, would_change
from app.domain.errors import KnownError
from app.domain.filters import MemoryEdit
from app.gui.kit.controls import Segments, button
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.pane_parts import Said, label
from app.gui.kit.theme.theme import Theme

_COUNT_AFTER_MS = 120
_LEAVE, _PAUSE, _RESUME = "leave", "pause", "resume"


class ManyMemories(QWidget):
    """A field that stays empty changes nothing."""

    counted_for = Signal(MemoryEdit)  # MemoryEdit: how many would it change?
    asked = Signal(MemoryEdit)
    delete_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.selected = 0
        self.title = Said(role="heading")
        self.lines = {
            key: self._line(name, hint)
            for key, name, hint in (
                ("namespace", self.tr("Namespace"), self.tr("as it is")),
                ("label", self.tr("Label"), self.tr("as it is")),
                ("add", self.tr("Add tags"), self.tr("none; separated by commas")),
                ("remove", self.tr("Remove tags"), self.tr("none; separated by commas")),
            )
        }
        self.no_label = QCheckBox(self.tr("Take the label away"))
        self.state = Segments(
            theme,
            self.tr("State"),
            ((_LEAVE, self.tr("As it is")), (_PAUSE, self.tr("Paused")), (_RESUME, self.tr("Active"))),
        )
        self.reset = QCheckBox(self.tr("Set success back to 0.500"))
        self.caption = Said(role="caption")
        self.fault = FaultLine(theme)
        self.verb = button(self.tr("Change"), primary=True, press=self._on_verb)
        self.delete = button(self.tr("Delete"), press=self.delete_asked.emit)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_COUNT_AFTER_MS)
        self._timer.timeout.connect(self._ask_count)
        for box in (self.no_label, self.reset):
            box.toggled.connect(self._on_change)
        self.state.chosen.connect(self._on_change)
        self._arrange()

    def _line(self, name: str, hint: str) -> QLineEdit:
        line = QLineEdit()
        line.setAccessibleName(name)
        line.setPlaceholderText(hint)
        line.textChanged.connect(self._on_change)
        return line

    def _arrange(self) -> None:
        px = self.theme.px
        form = QFormLayout()
        form.setSpacing(px(8))
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

        def row(name: str, field: QWidget) -> None:
            form.addRow(label(self.theme, name, 88), field)

        for key, line in self.lines.items():
            row(line.accessibleName(), line)
            if key == "label":
                row("", self.no_label)
        row(self.state.accessibleName(), self.state)
        row("", self.reset)
        foot = QHBoxLayout()
        foot.addWidget(self.delete)
        foot.addStretch(1)
        foot.addWidget(self.verb)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(16), px(4), px(16), px(16))
        column.setSpacing(px(10))
        column.addWidget(self.title)
        column.addLayout(form)
        column.addWidget(self.fault)
        column.addWidget(self.caption)
        column.addLayout(foot)
        column.addStretch(1)

    def show_selected(self, count: int) -> None:
        """Say how many are selected; what was typed stays."""
        self.selected = count
        self.title.say(words.say_n(count, "{n} memory selected", "{n} memories selected"))
        self.delete.setText(words.say_n(count, "Delete {n} memory …", "Delete {n} memories …"))
        self._on_change()

    def show_count(self, changed: int) -> None:
        """Say how many the edit would change."""
        if self.edit() is None:
            return
        self.caption.say(would_change(changed, self.selected))
        self.verb.setText(words.say_n(changed, "Change {n} memory", "Change {n} memories"))
        self.verb.setEnabled(changed > 0)

    def try_again(self) -> None:
        """What was asked for was refused: it can be asked for again."""
        self._on_change()

    def clear(self) -> None:
        """Ask for nothing."""
        for line in self.lines.values():
            line.clear()
        for box in (self.no_label, self.reset):
            box.setChecked(False)
        self.state.set_current(_LEAVE)
        self._on_change()

    def edit(self) -> MemoryEdit | None:
        """What the fields ask for; None for nothing, or for what is refused."""
        texts = {key: line.text().strip() for key, line in self.lines.items()}
        paused = {_LEAVE: None, _PAUSE: True, _RESUME: False}[self.state.current]
        label = "" if self.no_label.isChecked() else texts["label"] or None
        try:
            namespace = namespace_of(texts["namespace"]) if texts["namespace"] else ""
            add, remove = tags_of(texts["add"]), tags_of(texts["remove"])
        except KnownError as error:
            self.fault.tell(str(error))
            return None
        self.fault.tell("")
        return edit_of(namespace, label, add, remove, paused, self.reset.isChecked())

    def stops(self) -> Sequence[QWidget]:
        return [self.lines["namespace"]]

    def _on_change(self, *_: object) -> None:
        self.lines["label"].setEnabled(not self.no_label.isChecked())
        self.verb.setEnabled(False)
        self.verb.setText(self.tr("Change"))
        self.caption.say(self.tr("Say what is to be changed; an empty field stays as it is."))
        self._timer.start()

    def _ask_count(self) -> None:
        edit = self.edit()
        if edit is not None and self.isVisible():
            self.counted_for.emit(edit)

    def _on_verb(self) -> None:
        edit = self.edit()
        if edit is not None:
            self.verb.setEnabled(False)
            self.asked.emit(edit)
