"""Small controls of panes: segmented control, elided label, header, buttons, empty state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6 import QtGui
from PySide6.QtCore import SIGNAL, QEvent, QObject, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QIcon,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QStaticText,
)
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from app.display import numbers
from app.gui.kit import icons
from app.gui.kit.canvas import CENTER
from app.gui.kit.fields import handle_escape, plain_tip
from app.gui.kit.layouts import FlowLayout, fill, spaced
from app.gui.kit.theme import Theme, Themed, styled
from app.gui.kit.tokens import ROUTE_TOKENS

_APART, _CLOSE = 20.0, 10.0
"""Space around each word of SegmentedControl in units, and the minimum."""


class SegmentedControl(QWidget):
    """Row of exclusive choices, by arrow keys and clicks; segments shrink if space is short."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, name: str, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.theme, self._choices, self._on = theme, list(choices), choices[0][0]
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._describe()

    @property
    def current(self) -> str:
        return self._on

    def set_current(self, key: str) -> None:
        """Show a choice as on, without a signal."""
        if key != self._on:
            self._on = key
            self._describe()
            self.update()

    def set_words(self, words: dict[str, str]) -> None:
        choices = [(key, words.get(key, word)) for key, word in self._choices]
        if choices != self._choices:
            self._choices = choices
            self._describe()
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return self._size(_APART)

    def minimumSizeHint(self) -> QSize:
        return self._size(_CLOSE)

    def _size(self, apart: float) -> QSize:
        return QSize(self.theme.px(self._text_width + apart * len(self._choices) + 4), self.theme.px(28))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(self.theme.scale, self.theme.scale)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.color("sunken"))
        painter.drawRoundedRect(QRectF(0, 0, sum(self._widths()) + 4, 28), 6, 6)
        x = 2.0
        for (key, word), width in zip(self._choices, self._widths(), strict=True):
            on = key == self._on
            if on:
                edge = 2.0 if self.hasFocus() else 1.0
                painter.setPen(QPen(self.theme.color("accent" if self.hasFocus() else "border"), edge))
                painter.setBrush(self.theme.color("segment_on"))
                painter.drawRoundedRect(QRectF(x + edge / 2, 2 + edge / 2, width - edge, 24 - edge), 5, 5)
            painter.setFont(self.theme.face(12, 600))
            painter.setPen(self.theme.color("text" if on else "text_2"))
            painter.drawText(QRectF(x, 0, width, 28), CENTER, word)
            x += width

    def mousePressEvent(self, event: QMouseEvent) -> None:
        x = 2.0
        for (key, _), width in zip(self._choices, self._widths(), strict=True):
            if x <= event.position().x() / self.theme.scale < x + width:
                self._choose(key)
            x += width

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = [key for key, _ in self._choices]
        move = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if move:
            self._choose(keys[max(0, min(len(keys) - 1, keys.index(self._on) + move))])
        else:
            super().keyPressEvent(event)

    def _choose(self, key: str) -> None:
        if key != self._on:
            self.set_current(key)
            self.chosen.emit(key)

    def _widths(self) -> list[float]:
        font, room = self.theme.face(12, 600), self.width() / self.theme.scale - 4 - self._text_width
        apart = min(_APART, max(_CLOSE, room / len(self._choices)))
        return [round(font.width(word)) + apart for _, word in self._choices]

    @property
    def _text_width(self) -> float:
        font = self.theme.face(12, 600)
        return sum(round(font.width(word)) for _, word in self._choices)

    def _describe(self) -> None:
        chosen = "{0} (chosen)"
        words = (chosen.format(word) if key == self._on else word for key, word in self._choices)
        self.setAccessibleDescription(", ".join(words))


_MORE = " …"
"""Mark of parts that are left out."""


class ElidedLabel(QLabel):
    """Label that elides its text; then the tooltip has the full text, otherwise `about`.

    First the part before the first `parting` goes, but for what a colon ends; then those after the last, as wholes.
    """

    about = parting = ""

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        whole = self.fontMetrics().horizontalAdvance(self.text()) <= self.width()
        self.setToolTip(plain_tip(self.about if whole else self.text()))
        # Otherwise the tooltip is read, with its markup.
        self.setAccessibleDescription(self.about if whole else self.text())
        if whole:
            super().paintEvent(event)
            return
        shown, metrics = self.text(), self.fontMetrics()
        if self.parting and self.parting in shown:
            first, _, shown = shown.partition(self.parting)
            shown = "".join((*first.rpartition(": ")[:2], shown))  # “Provisional: ” stays
            while metrics.horizontalAdvance(shown) > self.width() and self.parting in shown.removesuffix(_MORE):
                shown = shown.removesuffix(_MORE).rpartition(self.parting)[0] + _MORE
        shown = metrics.elidedText(shown, Qt.TextElideMode.ElideRight, self.width())
        painter, drawn = QPainter(self), QStaticText(self.drawn(shown))
        drawn.setTextFormat(self.textFormat())
        painter.setPen(self.palette().color(self.foregroundRole()))
        drawn.prepare(font=self.font())
        painter.drawStaticText(0, (self.height() - round(drawn.size().height())) // 2, drawn)

    def drawn(self, text: str) -> str:
        """Return an elided text in the label's format."""
        return text


class PaneHeader(Themed):
    """Header of a pane: title, muted text, and controls at the right, wrapping below if `wraps`."""

    def __init__(self, theme: Theme, title: str, *right: QWidget, wraps: bool = False) -> None:
        super().__init__(theme)
        self._flow = FlowLayout(theme.px(8), ends=True) if wraps else None
        if self._flow is None:
            self.setFixedHeight(theme.px(34))
        else:
            self.setMinimumHeight(theme.px(34))
            self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            self._flow.setContentsMargins(0, theme.px(3), 0, theme.px(3))
        layout = self._row = spaced(QHBoxLayout(self), theme.px(8), theme.px(16), 0, theme.px(12), 0)
        self._flush(right[-1] if right else None)
        self._title, self.more = QLabel(title), ElidedLabel()
        self._title.setFont(theme.font(12, 600))
        for label in (self._title, self.more):
            label.setTextFormat(Qt.TextFormat.PlainText)
            layout.addWidget(label)
        if self._flow is None:
            layout.addStretch(1)
        else:
            # The muted text shrinks before a control wraps.
            self.more.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            layout.setStretchFactor(self.more, 1)
            layout.addLayout(self._flow)
        for widget in right:
            (layout if self._flow is None else self._flow).addWidget(widget)
        styled(self._title, role="title")
        styled(self.more, role="caption")

    def sizeHint(self) -> QSize:
        found = super().sizeHint()
        return found if self._flow is not None else QSize(found.width(), self.maximumHeight())

    def add(self, widget: QWidget, stretch: int = 0) -> None:
        """Add a control at the right end."""
        self._row.addWidget(widget, stretch)
        self._flush(widget)

    def _flush(self, last: QWidget | None) -> None:
        """Align a last control's edge with the pane's; a link has padding of its own."""
        has_edge = last is not None and not last.property("link")
        margins = self._row.contentsMargins()
        margins.setRight(self.theme.px(16 if has_edge else 12))
        self._row.setContentsMargins(margins)

    @property
    def least(self) -> int:
        """Minimum width in pixels that shows everything in full."""
        return self._row.minimumSize().width()

    def show_title(self, on: bool) -> None:
        """Show or hide the title; screen readers get the pane's name anyway."""
        self._title.setVisible(on)

    def set_more(self, text: str, about: str = "") -> None:
        """Set the muted text beside the title, and its tooltip."""
        self.more.about = about
        if text != self.more.text():
            self.more.setText(text)


PRIMARY_KEY = "Ctrl+Return"
"""Shortcut of the primary button of the open page."""


class _PrimaryTip(QObject):
    """Filter that adds the shortcut to a button's tooltip while it is the primary button of a page."""

    def eventFilter(self, made: QObject, event: QEvent) -> bool:
        if not isinstance(event, QHelpEvent) or event.type() is not event.Type.ToolTip:
            return False
        if not isinstance(made, QPushButton) or made.property("primary") != "true" or not is_on_page(made):
            return False
        key = QKeySequence(PRIMARY_KEY).toString(QKeySequence.SequenceFormat.NativeText)
        QToolTip.showText(event.globalPos(), f"{made.toolTip() or made.accessibleName() or made.text()}\n{key}", made)
        return True


def is_on_page(of: QWidget) -> bool:
    return not isinstance(of.window(), QDialog)


def primary_button(page: QWidget) -> QPushButton | None:
    """Return the visible primary button nearest to the focus; None if it cannot be pressed now."""
    focus = QApplication.focusWidget()
    place = focus if focus is not None and page.isAncestorOf(focus) else page
    while True:
        shown = (one for one in place.findChildren(QPushButton) if one.isVisible() and is_on_page(one))
        visible = [one for one in shown if one.property("primary") == "true"]
        if visible or place is page:
            return next((one for one in visible if one.isEnabled()), None)
        place = place.parentWidget() or page


def entered_line(page: QWidget) -> QLineEdit | None:
    """Return the focused line of a page whose Enter does something: it comes before any button."""
    line = QApplication.focusWidget()
    if not isinstance(line, QLineEdit) or not page.isAncestorOf(line):
        return None
    uses_enter = line.receivers(SIGNAL("returnPressed()")) or line.receivers(SIGNAL("editingFinished()"))
    return line if uses_enter else None


def button(
    text: str,
    *,
    primary: bool = False,
    link: bool = False,
    tip: str = "",
    name: str = "",
    press: Callable[[], object] | None = None,
    checkable: bool = False,
    default: bool = False,
    auto: bool = True,
) -> QPushButton:
    """Make a push button: plain, primary, or a link; Enter presses it, like Space."""
    made = QPushButton(text, autoDefault=auto, default=default)
    made.setCheckable(checkable)
    if name:
        made.setAccessibleName(name)
    if primary:
        set_primary(made, on=True)
    if link:
        made.setProperty("link", "true")
    if tip:
        made.setToolTip(tip)
        if not text and not name:
            made.setAccessibleName(tip)
    if press is not None:
        made.clicked.connect(lambda _checked=False: press())
    return made


def menu_button(text: str, tip: str, fill_menu: Callable[[QMenu], object]) -> QPushButton:
    """Make a button with a menu, which is filled each time before it opens."""
    made = styled(button(text, tip=tip), menu="true")
    menu = QMenu(made)

    def refill() -> None:
        menu.clear()
        fill_menu(menu)

    menu.aboutToShow.connect(refill)
    made.setMenu(menu)
    return made


def single_shot(parent: QObject, after_ms: int, act: Callable[[], object]) -> QTimer:
    """Make a timer that calls `act` once after its last start."""
    made = QTimer(parent, singleShot=True, interval=after_ms)
    made.timeout.connect(act)
    return made


class ClearableLine(QLineEdit):
    """Line edit that Escape clears; the window gets the key once it is empty."""

    def event(self, event: QEvent) -> bool:
        return (bool(self.text()) and handle_escape(event, self.clear)) or super().event(event)


def line_edit(
    name: str,
    *,
    text: str = "",
    hint: str = "",
    is_hint: bool = False,
    longest: int = 0,
    clearable: bool = False,
    secret: bool = False,
) -> QLineEdit:
    """Make a line of text, named for screen readers; `is_hint` shows the name as the hint."""
    make = ClearableLine if clearable else QLineEdit
    line = make(text, placeholderText=name if is_hint else hint, clearButtonEnabled=clearable)
    line.setAccessibleName(name)
    for clear in line.findChildren(QToolButton):
        clear.setAccessibleName("Clear")
        clear.setToolTip("Clear (Esc)")
    if longest:
        line.setMaxLength(longest)
    if secret:
        line.setEchoMode(QLineEdit.EchoMode.Password)
    return line


def text_box(name: str, *, text: str = "", read_only: bool = False, height: int = 0) -> QPlainTextEdit:
    """Make a box of text, named for screen readers, that Tab leaves."""
    box = QPlainTextEdit(text, readOnly=read_only, tabChangesFocus=True)
    box.setAccessibleName(name)
    if height:
        box.setFixedHeight(height)
    return box


def progress_bar(name: str, *, width: int = 0) -> QProgressBar:
    """Make a bar without a text, named for screen readers."""
    bar = QProgressBar(textVisible=False)
    bar.setAccessibleName(name)
    if width:
        bar.setFixedWidth(width)
    return bar


def set_primary(made: QPushButton, on: bool) -> None:
    """Make a button the primary one of its page, or a plain one."""
    if made.property("primary") is None:
        made.installEventFilter(_PrimaryTip(made))
    styled(made, primary="true" if on else "false")


_ROOMY = 150
"""Minimum height of an empty state with its picture, in units."""


class EmptyState(QWidget):
    """Empty state of a pane: an icon, a line, a sentence, and at most two buttons."""

    def __init__(self, theme: Theme, icon: str, line: str, sentence: str, *buttons: QPushButton) -> None:
        super().__init__()
        self.theme, self._icon, self.words = theme, icon, (line, sentence)
        self._picture, self._line, self._sentence = QLabel(), QLabel(line), QLabel(numbers.unbroken(sentence))
        layout = fill(spaced(QVBoxLayout(self), theme.px(8), theme.px(16), 0, theme.px(16), 0), 1)
        for label in (self._picture, self._line, self._sentence):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(label is not self._picture)
            fits = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
            fits.setHeightForWidth(label.wordWrap())  # otherwise a second line is cut in a narrow pane
            label.setSizePolicy(fits)
            label.setMaximumWidth(theme.px(560))  # easily read; centred by a layout of its own
            layout.addLayout(fill(QHBoxLayout(), label))
        if buttons:
            layout.addSpacing(theme.px(4))
            layout.addLayout(fill(QHBoxLayout(), 1, *buttons, 1))
        layout.addStretch(1)
        styled(self._line, role="heading")
        styled(self._sentence, role="caption")
        theme.follow(self._apply_theme)

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        super().resizeEvent(event)
        self._picture.setVisible(self.height() >= self.theme.px(_ROOMY))

    def set_text(self, line: str, sentence: str) -> None:
        if (line, sentence) != self.words:
            self.words = line, sentence
            self._line.setText(line)
            self._sentence.setText(numbers.unbroken(sentence))

    def _apply_theme(self) -> None:
        theme = self.theme
        self._picture.setPixmap(icons.pixmap(self._icon, theme.tokens.text_2, theme.px(28), 2.0))


def swatch(theme: Theme, color: str) -> QIcon:
    """Return a route's colour as an icon."""
    drawn = QPixmap(QSize(theme.px(14), theme.px(14)))
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color(ROUTE_TOKENS[color]))
    edge = theme.px(2)
    painter.drawRoundedRect(drawn.rect().adjusted(edge, edge, -edge, -edge), edge, edge)
    painter.end()
    return QIcon(drawn)
