"""Parts of a pane: labels, marks, strips, faults, folded sections, and committing fields."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionFocusRect,
    QVBoxLayout,
    QWidget,
)

from app.display import numbers
from app.domain.errors import StaleError
from app.gui.kit import icons
from app.gui.kit.canvas import Canvas
from app.gui.kit.controls import ElidedLabel, button
from app.gui.kit.fields import handle_key
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.sheet import Ruled
from app.gui.kit.tables import table_columns
from app.gui.kit.tables.table_columns import TableLook
from app.gui.kit.theme import Theme, Themed, styled

if TYPE_CHECKING:
    from app.services.status import Status


_PAD, _GAP, _BAR, _BARS_HIGH, _SIGN = 16.0, 8.0, 4.0, 16.0, 18.0


class FoldedLine(QPushButton):
    """Line with a chevron, a name, a summary, and an optional sparkline; checked: chevron down."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme, self.name = theme, name
        self.summary = ""
        self.bars: tuple[float, ...] = ()
        self.setFlat(True)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.setToolTip(f"Open {name}")
        self.setAccessibleName(f"Open {name}")

    def show_summary(self, summary: str, bars: tuple[float, ...] = ()) -> None:
        if (summary, bars) != (self.summary, self.bars):
            wide = self.sizeHint()
            self.summary, self.bars = summary, bars
            if self.sizeHint() != wide:
                self.updateGeometry()
            self.update()
        self.setAccessibleDescription(summary)

    def sizeHint(self) -> QSize:
        texts = self.theme.face(12, 600).width(self.name) + self.theme.face(12).width(self.summary)
        bars = len(self.bars) * (_BAR + 1) + _GAP if self.bars else 0.0
        return QSize(self.theme.px(2 * _PAD + texts + 2 * _GAP + bars + _SIGN), self.theme.px(34))

    def minimumSizeHint(self) -> QSize:
        """Return a width that never cuts the name, but the summary."""
        return QSize(self.theme.px(_PAD + self.theme.face(12, 600).width(self.name) + _SIGN), self.theme.px(34))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.underMouse():
            painter.fillRect(self.rect(), self.theme.color("sunken"))
        if self.hasFocus():
            option = QStyleOptionFocusRect()
            option.initFrom(self)
            option.rect = self.rect().adjusted(2, 2, -2, -2)
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, option, painter, self)
        canvas, high = Canvas(painter, self.theme, self.width()), self.height() / self.theme.scale
        canvas.icon("chevron-down" if self.isChecked() else "chevron-right", _PAD - 4, (high - 12) / 2, 12)
        x = _PAD + 12
        bold, plain = self.theme.face(12, 600), self.theme.face(12)
        canvas.text(QRectF(x, 0, canvas.width - x, high), self.name, bold)
        x += bold.width(self.name) + _GAP
        wide = len(self.bars) * (_BAR + 1) + _GAP if self.bars else 0.0
        room = canvas.width - x - _PAD / 2 - wide
        if room + 1 >= plain.width(self.summary):
            canvas.text(QRectF(x, 0, room, high), self.summary, plain, "text_2")
            x += plain.width(self.summary) + _GAP
        for place, value in enumerate(self.bars if x + wide <= canvas.width + 1 else ()):
            tall = max(1.0, _BARS_HIGH * value)
            canvas.fill(QRectF(x + place * (_BAR + 1), (high + _BARS_HIGH) / 2 - tall, _BAR, tall), "text_2")


class Section(Ruled):
    """Body below a line that folds it; `right` controls are hidden while it is folded."""

    toggled = Signal()

    def __init__(
        self, theme: Theme, name: str, body: QWidget, *, right: Sequence[QWidget] = (), always: Sequence[QWidget] = ()
    ) -> None:
        super().__init__(theme)
        self.body, self._right = body, right
        self.line = FoldedLine(theme, name)
        self.line.setCheckable(True)
        self.line.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.line.setFixedHeight(theme.px(36))
        self.line.toggled.connect(self._on_toggled)
        head = fill(spaced(QHBoxLayout(), theme.px(8), 0, 1, theme.px(16), 0), (self.line, 1))
        for made in (*right, *always):
            head.addWidget(made, 0, Qt.AlignmentFlag.AlignVCenter)
        fill(spaced(QVBoxLayout(self)), head, (body, 1))
        self._on_toggled(False)

    @property
    def is_open(self) -> bool:
        return self.line.isChecked()

    def set_open(self, on: bool) -> None:
        self.line.setChecked(on)

    def persist_in(self, file: Path, key: str) -> None:
        """Restore whether it is open from the file of tables, and store each change there."""
        self.set_open(table_columns.read(file, key).shown.get("open", self.is_open))
        self.toggled.connect(lambda: table_columns.write(file, key, TableLook(shown={"open": self.is_open})))

    def _on_toggled(self, on: bool) -> None:
        for part in (self.body, *self._right):
            part.setVisible(on)
        self.setSizePolicy(
            QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred if on else QSizePolicy.Policy.Fixed
        )
        self.line.setAccessibleName(f"{'Fold' if on else 'Open'} {self.line.name}")
        self.line.setToolTip(self.line.accessibleName())
        self.toggled.emit()

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(0, 0, self.width(), 1)


_NARROW = 420


class FaultLine(Themed):
    """Coloured line with an icon, a sentence and an optional button; hidden without a fault."""

    remedy_requested = Signal(str)  # remedy, as passed to `show_fault`

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._remedy = ""
        self._across = layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        layout.setContentsMargins(theme.px(36), theme.px(6), theme.px(12), theme.px(6))
        layout.setSpacing(theme.px(4))
        self._sentence = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self._sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.act = button("", link=True, press=lambda: self.remedy_requested.emit(self._remedy))
        self.act.setVisible(False)
        layout.addWidget(self._sentence, 1)
        layout.addWidget(self.act, 0, Qt.AlignmentFlag.AlignLeft)
        self.setVisible(False)
        styled(self._sentence, role="caption", shade="danger")

    @property
    def sentence(self) -> str:
        return self._sentence.text()

    def show_fault(self, sentence: str, remedy: str = "") -> None:
        """Show a sentence, and a button for a remedy; "" hides the line."""
        if sentence != self._sentence.text():
            self._sentence.setText(sentence)
            self.setAccessibleName(sentence)
            self.setVisible(bool(sentence))
        remedy = remedy if sentence else ""
        if remedy != self._remedy:
            self._remedy = remedy
            self.act.setText(title(remedy))
            self.act.setAccessibleDescription(sentence)
            self.act.setVisible(bool(remedy))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Move the button below the sentence in a narrow line."""
        narrow = self.width() < self.theme.px(_NARROW)
        direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if direction is not self._across.direction():
            self._across.setDirection(direction)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        danger = self.theme.color("danger")
        painter.fillRect(self.rect(), self.theme.color("danger_soft"))
        if self.theme.is_high_contrast:
            painter.setPen(QPen(danger, 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.fillRect(0, 0, self.theme.px(3), self.height(), danger)
        picture = icons.pixmap("warning", self.theme.tokens.danger, self.theme.px(15), self.devicePixelRatioF())
        painter.drawPixmap(self.theme.px(13), (self.height() - self.theme.px(15)) // 2, picture)


# ---- Remedies of faults: button labels, and the fault each one is for.


RETRY_STORE, RETRY_ENCODER = "retry store", "retry encoder"
OPEN_FOLDER, SHOW_SETTINGS, REPORT, LIMIT = "open folder", "show settings", "report", "limit"

TITLES: Mapping[str, str] = {
    RETRY_STORE: "Try again",
    RETRY_ENCODER: "Try again",
    OPEN_FOLDER: "Open folder",
    SHOW_SETTINGS: "Show settings file…",
    REPORT: "Report…",
    LIMIT: "Change time limit",
}


def title(remedy: str) -> str:
    """Return the label of the button; "" for no remedy."""
    return TITLES[remedy] if remedy else ""


def remedy_for(part: str, status: Status | None) -> str:
    """Return the remedy for the fault of a status part; "" for none here."""
    if part == "store":
        return OPEN_FOLDER if status is not None and part in status.in_folder else RETRY_STORE
    if part == "settings" and status is not None and part in status.outside:
        return ""
    return {"changes": RETRY_STORE, "encoder": RETRY_ENCODER, "settings": SHOW_SETTINGS}.get(part, "")


_SENT, _REFUSED = "sent", "refused"
"""State of a field after a commit, until the result is known."""


_MEASURE = 88
"""Maximum width of a line in average letters, about 95 characters of a text."""


class WrappedLabel(QLabel):
    """Wrapping plain-text label with a style sheet role."""

    def __init__(self, text: str = "", *, role: str = "body", shade: str = "") -> None:
        super().__init__(numbers.breakable(text))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        styled(self, role=role, shade=shade)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep lines readable in a wide window: the right of it stays free."""
        margins = self.contentsMargins()
        margins.setRight(self._spare(event.size().width()))
        self.setContentsMargins(margins)

    def heightForWidth(self, width: int) -> int:
        return super().heightForWidth(width - self._spare(width) + self.contentsMargins().right())

    def _spare(self, width: int) -> int:
        left = self.contentsMargins().left()
        return max(left, width - left - _MEASURE * self.fontMetrics().averageCharWidth())

    def setText(self, text: str) -> None:
        super().setText(numbers.breakable(text))

    def text(self) -> str:
        return super().text().replace("\N{NO-BREAK SPACE}%", " %").replace("\u200b", "")

    def show_text(self, text: str) -> None:
        if text != self.text():
            self.setText(text)
        self.setVisible(bool(text))


class StaleMark(QWidget):
    """Marks a result as stale, names the changes, and offers a rerun; hidden if current.

    Emits `rerun_requested`.
    """

    rerun_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.message = WrappedLabel(role="caption", shade="warning")
        self.again = button("Run again", link=True, press=self.rerun_requested.emit)
        fill(spaced(QHBoxLayout(self), theme.px(4)), (self.message, 1), (self.again, 0, Qt.AlignmentFlag.AlignTop))
        self.show_change("")

    def show_change(self, sentence: str) -> None:
        """Show the sentence on what has changed; "" for nothing."""
        self.message.show_text(sentence)
        self.setVisible(bool(sentence))


def section(title: str) -> WrappedLabel:
    return WrappedLabel(title, role="section")


def label(theme: Theme, name: str, wide: int) -> WrappedLabel:
    """Make the label before a field, with a fixed width in units for alignment."""
    made = WrappedLabel(name, role="caption")
    made.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
    made.setFixedWidth(theme.px(wide))
    made.setMinimumHeight(theme.px(28))
    return made


class DraftField:
    """Mixin of a field that commits: a draft survives updates until it is committed.

    A committed text survives until it is known to be stored.
    """

    committed: Any  # Signal(str) of the field
    _shown, _held = "", ""

    @abstractmethod
    def draft_text(self) -> str:
        """Return the text in the field."""

    @abstractmethod
    def set_draft_text(self, text: str) -> None:
        """Set the text in the field."""

    @abstractmethod
    def hasFocus(self) -> bool: ...

    @property
    def is_dirty(self) -> bool:
        return self.draft_text() != self._shown

    def show_value(self, text: str) -> None:
        """Show the stored value; a draft stays until it is committed."""
        keep = self.is_dirty and (self.hasFocus() or bool(self._held))
        self._shown = text
        if not keep and text != self.draft_text():
            self.set_draft_text(text)

    def revert(self) -> None:
        self._held = ""
        self.set_draft_text(self._shown)

    def mark_stored(self) -> None:
        """Note that the last commit is stored: the next value may replace it."""
        self._held = self._held.removeprefix(_SENT)

    def mark_refused(self) -> bool:
        """Note that the last commit was refused: its draft stays. Return True if there is one."""
        self._held = _REFUSED if self.is_dirty else ""
        return self.is_dirty

    def _commit(self) -> None:
        """Emit the draft, unless it equals the stored value."""
        if self.is_dirty:
            self._held = _SENT
            self.committed.emit(self.draft_text())


class CommitLine(QLineEdit, DraftField):
    """Line edit that commits on Enter or on leaving; Escape reverts it."""

    committed = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.editingFinished.connect(self._commit)

    def draft_text(self) -> str:
        return self.text()

    def set_draft_text(self, text: str) -> None:
        self.setText(text)
        self.setCursorPosition(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.is_dirty:
            self.revert()
        else:
            super().keyPressEvent(event)


_LINES = (3, 8)
"""Minimum and maximum height of a text edit, in lines."""


class CommitText(QPlainTextEdit, DraftField):
    """Text edit, as high as its lines within limits, that commits on Ctrl+Enter or on leaving."""

    committed = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.document().documentLayout().documentSizeChanged.connect(lambda _: self._fit())

    def _fit(self) -> None:
        lines = sorted((*_LINES, round(self.document().size().height())))[1]
        edges = (
            1 + 2 * self.document().documentMargin() + self.contentsMargins().top() + self.contentsMargins().bottom()
        )
        self.setFixedHeight(ceil(lines * self.fontMetrics().lineSpacing() + edges))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()  # other lines at another width

    def draft_text(self) -> str:
        return self.toPlainText()

    def set_draft_text(self, text: str) -> None:
        self.setPlainText(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            self._commit()

    def event(self, event: QEvent) -> bool:
        # Otherwise the window presses the page's primary button.
        return handle_key(event, self._action_of) or super().event(event)

    def _action_of(self, event: QKeyEvent) -> Callable[[], object] | None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        return self._commit if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier else None


_STEPS = 1_000


class TaskStrip(Themed):
    """Button, progress bar and note of a long task; subclasses set texts and layout.

    Emits `stopped` when the task is cancelled.
    """

    stopped = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.begin = button("", primary=True)
        self.stop = button("Stop", press=self.stopped.emit)
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.note = styled(ElidedLabel(), role="caption")
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.row = spaced(QHBoxLayout(self), None, theme.px(16), theme.px(8), theme.px(12), theme.px(8))

    @property
    def is_running(self) -> bool:
        return not self.stop.isHidden()

    def show_progress(self, done: float | None) -> None:
        """Show the share of the task that is done, 0 to 1; None without a task."""
        if done is not None:
            self.bar.setValue(round(done * _STEPS))
        had_focus = self.stop.hasFocus() or self.begin.hasFocus()
        self.bar.setVisible(done is not None)
        self.note.setVisible(done is None)
        self.stop.setVisible(done is not None)
        self.begin.setVisible(done is None)
        if had_focus:
            (self.begin if done is None else self.stop).setFocus()

    def show_note(self, sentence: str) -> None:
        """Show the result of the last run."""
        self.note.setText(sentence)


# ---- Edit conflict: another program stored first, and the user chooses a version.


class StaleStrip(Ruled):
    """Sentence and choices of a conflict; hidden without one."""

    ground = "warning_soft"
    mark = "warning"

    theirs_kept = Signal(StaleError)  # `mine` is the user's version
    mine_written = Signal(StaleError)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.error: StaleError | None = None
        self.sentence = WrappedLabel(shade="warning")
        self.theirs = button("Keep theirs", press=lambda: self._decide(self.theirs_kept))
        self.mine = button("Write mine", press=lambda: self._decide(self.mine_written))
        row = fill(spaced(QHBoxLayout(), theme.px(8)), self.theirs, self.mine, 1)
        column = spaced(QVBoxLayout(self), theme.px(6), theme.px(16), theme.px(8), theme.px(16), theme.px(10))
        fill(column, self.sentence, row)
        self.setVisible(False)

    def show_conflict(self, error: StaleError) -> None:
        """Ask which version stays; tooltips say what happens to the other."""
        self.error = error
        gone = error.present is None
        self.sentence.show_text(str(error))
        self.setAccessibleName(str(error))
        self.theirs.setToolTip("Drop your edits; it stays deleted" if gone else "Drop your edits and show theirs")
        self.mine.setToolTip("Bring it back as you edited it" if gone else "Write your edits over theirs")
        self.setVisible(True)
        self.theirs.setFocus()

    def drop(self) -> None:
        """Hide the strip: the conflict is resolved."""
        self.error = None
        self.setVisible(False)

    def _decide(self, signal: SignalInstance) -> None:
        error = self.error
        self.drop()
        if error is not None:
            signal.emit(error)
