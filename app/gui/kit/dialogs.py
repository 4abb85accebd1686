"""Shared dialogs: confirmation, saving to a file, and the skipped lines of an import."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QEvent, QObject, QPoint, QRunnable, QSize, Qt, QThreadPool, Signal
from PySide6.QtGui import QImage, QImageWriter, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app import files
from app.domain.language import plural, quantity
from app.gui.kit.controls import button, text_box
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.domain.library import Problem


class ModalDialog(QDialog):
    """Modal dialog with a title; its width in units is fixed, and at most that of the screen."""

    def __init__(self, theme: Theme, title: str, wide: int, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setWindowTitle(title)
        self.setModal(True)
        self.setFixedWidth(min(theme.px(wide), self.screen().availableGeometry().width()))


class GrowingDialog(ModalDialog):
    """Dialog that grows with its content up to the height of the screen, and moves up at its lower edge."""

    def lay_out(self, content: QVBoxLayout, foot: QHBoxLayout) -> None:
        """Lay out content, which scrolls where the screen is too low, above buttons, which are always visible."""
        px = self.theme.px
        body, self.area = QWidget(), QScrollArea()
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.content = spaced(content, px(12), px(20), px(20), px(20), px(4))
        body.setLayout(content)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(body)
        for part in (body, self.area.viewport()):
            part.setAutoFillBackground(False)
        body.installEventFilter(self)
        fill(spaced(QVBoxLayout(self)), (self.area, 1), spaced(foot, px(8), px(20), px(12), px(20), px(16)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.LayoutRequest):
            seen, frame = self.area.viewport().size(), self.frameGeometry().height() - self.height()
            room = self.screen().availableGeometry().height() - frame
            lacking = self.content.totalHeightForWidth(seen.width()) - seen.height()
            self.resize(self.width(), min(room, self.height() + max(0, lacking)))
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.screen().availableGeometry()
        below = self.frameGeometry().bottom() - room.bottom()
        if below > 0 and self.isVisible():
            self.move(self.x(), max(room.top(), self.y() - below))


class ConfirmDialog(ModalDialog):
    """Confirmation. Cancel has the focus, so that Enter alone deletes nothing.

    `verbatim` is the exact text to confirm; it scrolls if it is long.
    """

    def __init__(
        self, theme: Theme, title: str, question: str, verb: str, parent: QWidget, *, verbatim: str = ""
    ) -> None:
        super().__init__(theme, title, 480, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.question = WrappedLabel(question, role="lead")
        self.verb = button(verb, primary=True, press=self.accept)
        self.cancel = button("Cancel", press=self.reject)
        self.verb.setAutoDefault(False)
        self.cancel.setDefault(True)
        foot = fill(spaced(QHBoxLayout(), theme.px(8)), 1, self.cancel, self.verb)
        column = spaced(QVBoxLayout(self), theme.px(16), theme.px(20), theme.px(20), theme.px(20), theme.px(16))
        column.addWidget(self.question)
        if verbatim:
            shown = text_box(title, text=verbatim, read_only=True)
            shown.setFont(theme.face(11, mono=True))
            shown.setFixedHeight(theme.px(260))
            column.addWidget(shown)
        column.addLayout(foot)
        self.cancel.setFocus()


def ask(dialog: ConfirmDialog, act: Callable[[], object]) -> ConfirmDialog:
    """Open a confirmation, and call `act` if it is accepted."""
    dialog.accepted.connect(act)
    dialog.open()
    return dialog


def choose_file(parent: QWidget, title: str, act: Callable[[Path], object], *kinds: str) -> None:
    """Open a dialog for a file of these kinds ("CSV (*.csv)"), and call `act` with it."""
    dialog = QFileDialog(parent, title, fileMode=QFileDialog.FileMode.ExistingFile)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setNameFilters(kinds)
    dialog.fileSelected.connect(lambda chosen: act(Path(chosen)))
    dialog.open()


# ---- Saving to a chosen file: a non-modal dialog, and writing on a separate thread.


class FileSaver(QObject):
    """Asks for a file, writes it on a worker thread, reports the result. One dialog at a time."""

    notified = Signal(str, bool)  # sentence, True for an error
    _written = Signal(str, str)  # file name, error

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.dialog: QFileDialog | None = None
        self._written.connect(self._report, Qt.ConnectionType.QueuedConnection)

    def ask(self, title: str, name: str, kind: str, make: Callable[[], bytes]) -> None:
        """Ask for a file, starting with `name`; `kind` is a filter such as "CSV (*.csv)".

        `make` returns the content; it is called on the writing thread.
        """
        if self.dialog is not None:
            self.dialog.activateWindow()
            return
        dialog = QFileDialog(self._window, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(kind)
        dialog.setDefaultSuffix(Path(name).suffix[1:])
        dialog.selectFile(name)
        dialog.fileSelected.connect(lambda chosen: self.write(Path(chosen), make))
        dialog.finished.connect(self._closed)
        self.dialog = dialog
        dialog.open()

    def write(self, path: Path, make: Callable[[], bytes]) -> None:
        """Write to a file atomically; returns at once."""

        def run() -> None:
            try:
                files.write(path, make())
            except OSError as error:
                self._written.emit(path.name, files.why_unwritten(error))
            else:
                self._written.emit(path.name, "")

        QThreadPool.globalInstance().start(QRunnable.create(run))

    def _closed(self) -> None:
        self.dialog = None

    def _report(self, name: str, wrong: str) -> None:
        if wrong:
            sentence = f"{name} was not written: {wrong}. Choose another place."
            self.notified.emit(sentence, True)
        else:
            self.notified.emit(f"Written to {name}.", False)


def png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())


def png_of(widget: QWidget) -> bytes:
    return png(widget.grab().toImage())


def svg_of(widget: QWidget, title: str) -> bytes:
    from PySide6.QtSvg import QSvgGenerator

    kept = QByteArray()
    buffer = QBuffer(kept)
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    drawing = QSvgGenerator()
    drawing.setOutputDevice(buffer)
    drawing.setTitle(title)
    drawing.setSize(QSize(widget.width(), widget.height()))
    drawing.setViewBox(widget.rect())
    drawing.setResolution(96)
    painter = QPainter(drawing)
    widget.render(painter, QPoint())
    painter.end()
    return bytes(kept.data())


# ---- Skipped lines of a file by number, with reasons: a list, and a dialog.


_WIDE, _LIST_HIGH = 620, 132


class ProblemList(QPlainTextEdit):
    """Skipped lines by number, to read and copy."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFixedHeight(theme.px(_LIST_HIGH))
        self.setAccessibleName("Skipped lines")

    def show_problems(self, problems: Sequence[Problem]) -> None:
        from app.display.library.importing import problem_lines

        self.setPlainText(problem_lines(problems))


class SkippedLinesDialog(ModalDialog):
    def __init__(self, theme: Theme, name: str, problems: Sequence[Problem], parent: QWidget | None = None) -> None:
        super().__init__(theme, "Skipped lines", _WIDE, parent)
        px = theme.px
        count = len(problems)
        lead = QLabel(f"{quantity(count, 'line')} of {name} {plural(count, 'was', 'were')} skipped.")
        lead.setTextFormat(Qt.TextFormat.PlainText)
        listed = ProblemList(theme)
        listed.show_problems(problems)
        close = button("Close", press=self.accept, default=True)
        foot = fill(QHBoxLayout(), 1, close)
        fill(spaced(QVBoxLayout(self), px(12), px(20), px(20), px(20), px(16)), lead, listed, foot)
