"""Command palette: a few letters find an action, Enter runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QListView, QWidget

from app.gui.kit.canvas import CENTER, Canvas
from app.gui.kit.page import Action
from app.gui.kit.sheet import draw_caps
from app.gui.kit.tables.delegates import RowDelegate
from app.gui.kit.tables.rows import ROW_ROLE, Index, ListModel
from app.gui.kit.theme import Theme, styled

HIGH = 34
_PAD, _TEXT, _GAP = 16, 44, 12


class PaletteDelegate(RowDelegate):
    """Icon and name at the left; at the right the shortcuts, the group, or the refusal."""

    marked = False

    def __init__(self, theme: Theme, refusal: Callable[[Action], str], parent: QObject | None = None) -> None:
        super().__init__(theme, HIGH, parent)
        self._refusal = refusal

    def color_of(self, index: Index, on: bool) -> None:
        return None

    def draw(self, canvas: Canvas, index: Index, *, on: bool) -> None:
        row = index.data(ROW_ROLE)
        refusal = self._refusal(row)
        if on:
            canvas.fill(QRectF(6, 1, canvas.width - 12, HIGH - 2), "selection", 6)
        token = "text_2" if refusal else "text"
        if row.icon:
            canvas.icon(row.icon, _PAD, (HIGH - 16) / 2, 16, token)
        left = self._right(canvas, row, refusal)
        canvas.text(QRectF(_TEXT, 0, left - _TEXT, HIGH), row.text, self.theme.face(13), token)

    def _right(self, canvas: Canvas, row: Action, refusal: str) -> float:
        """Draw the right part; return the end of the space for the name."""
        end = draw_caps(canvas, row.keys[:1], canvas.width - _PAD, 0, HIGH)
        quiet = refusal or ("" if row.keys else row.group)
        if not quiet:
            return end - _GAP
        face = self.theme.face(11)
        name = self.theme.face(13).width(row.text)
        room = end - _GAP - _TEXT - name - _GAP
        wide = min(face.width(quiet), room)
        if wide < min(60, face.width(quiet)):
            return end - _GAP
        canvas.text(QRectF(end - (_GAP if row.keys else 0) - wide, 0, wide, HIGH), quiet, face, "text_2")
        return end - _GAP - wide - _GAP


# ---- Palette: search for an action and run it

MOST_RECENT = 8
_WIDE, _TOP, _LINE, _LISTED, _LEAST_BELOW = 640, 72, 46, 11, 40
_MOVES = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: _LISTED - 1, Qt.Key.Key_PageUp: 1 - _LISTED}
_KEPT = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


class Palette(QWidget):
    """Overlay that takes all keys while it is open, and returns the focus on closing."""

    chosen = Signal(Action)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme, self._window = theme, parent
        self.setAccessibleName("Palette")
        self._rows: Sequence[Action] = ()
        self._refusals: Mapping[str, str] = {}
        self._recent: list[str] = []
        self._back: QWidget | None = None
        self._shown = QRect()
        self.model = ListModel[Action](
            lambda row: row.text, lambda row: ", ".join(filter(None, (row.text, *row.keys, self._refusal(row)))), self
        )
        self.line = styled(QLineEdit(self, placeholderText="Find an action, a setting or a preset"), role="command")
        self.line.setAccessibleName("Find an action, a setting or a preset")
        self.line.installEventFilter(self)
        self.line.textChanged.connect(self._filter)
        self.view = QListView(self)
        self.view.setModel(self.model)
        self.view.setItemDelegate(PaletteDelegate(theme, self._refusal, self))
        self.view.setAccessibleName("Results, best first")
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setUniformItemSizes(True)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setMouseTracking(True)
        self.view.entered.connect(self.view.setCurrentIndex)
        self.view.clicked.connect(lambda _: self._choose())
        self.view.selectionModel().currentChanged.connect(self._describe)
        styled(self.view, role="results")  # not transparent, so that the page below is not repainted with every row
        self.hide()

    def open_with(self, rows: Sequence[Action], refusals: Mapping[str, str], sought: str = "") -> None:
        """Offer these actions, filtered by a text; `refusals` has why some cannot run now."""
        self._rows, self._refusals = rows, refusals
        self._back = QApplication.focusWidget()
        self.line.setText(sought)
        self._filter()
        self.place()
        self.show()
        self.raise_()
        self.line.setFocus(Qt.FocusReason.PopupFocusReason)

    def _refusal(self, row: Action) -> str:
        return self._refusals.get(row.key, "")

    def leave(self) -> None:
        back, self._back = self._back, None
        self.hide()
        if back is not None and back.isVisible():
            back.setFocus(Qt.FocusReason.PopupFocusReason)

    def place(self) -> None:
        """Cover the window, with the box in the middle of its upper part."""
        px, before = self.theme.px, self._shown
        self.setGeometry(self._window.rect())
        box = self._shown = self._box()
        self.line.setGeometry(box.left() + px(42), box.top() + 1, box.width() - px(50), px(_LINE))
        below = box.adjusted(1, px(_LINE) + 2, -1, -px(6))
        self.view.setGeometry(below)
        self.view.setVisible(bool(self.model.rows))
        if box != before:
            self.update(before.united(box))  # no more: the page below is repainted with it

    # ---- keys and mouse

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()  # no key runs another action during the search
            return True
        if event.type() is QEvent.Type.FocusOut and self.isVisible() and self.window().isActiveWindow():
            self.hide()
        return isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and self._handle_key(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self._box().contains(event.position().toPoint()):
            self.leave()

    def _handle_key(self, event: QKeyEvent) -> bool:
        """Handle a key of the palette; False for keys of the line."""
        key = Qt.Key(event.key())
        again = key is Qt.Key.Key_K and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if key is Qt.Key.Key_Escape or again:
            self.leave()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose()
        elif key in _MOVES:
            last = len(self.model.rows) - 1
            self._go_to(max(0, min(last, self.view.currentIndex().row() + _MOVES[key])))
        else:
            return key in _KEPT
        return True

    def _choose(self) -> None:
        place = self.view.currentIndex().row()
        if not 0 <= place < len(self.model.rows):
            return
        row = self.model.rows[place]
        self._recent = [row.key, *(key for key in self._recent if key != row.key)][:MOST_RECENT]
        self.leave()
        self.chosen.emit(row)

    # ---- list

    def _filter(self) -> None:
        """List the matching actions, best first; ties by recent use."""
        from app.scoring.name_filter import fuzzy_filter  # rapidfuzz would delay the first paint

        sought = self.line.text().strip()
        lately = {key: place for place, key in enumerate(self._recent)}
        rows = sorted(self._rows, key=lambda row: lately.get(row.key, MOST_RECENT))
        self.model.show_rows(fuzzy_filter(sought, rows, lambda row: row.text, lambda row: row.also))
        self._go_to(0)
        self._describe()
        if self.isVisible():
            self.place()

    def _go_to(self, place: int) -> None:
        self.view.setCurrentIndex(self.model.index(place, 0))

    def _describe(self) -> None:
        text = self.view.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole)
        self.line.setAccessibleDescription(text or "Nothing found.")

    # ---- appearance

    def _box(self) -> QRect:
        px = self.theme.px
        wide = min(px(_WIDE), self.width() - px(48))
        top = min(px(_TOP), self.height() // 10)
        listed = max(1, min(_LISTED, len(self.model.rows)))
        high = min(px(_LINE + listed * HIGH + 10), self.height() - top - px(_LEAST_BELOW))
        return QRect((self.width() - wide) // 2, top, wide, high)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        shade = self.theme.color("text") if not self.theme.is_dark else self.theme.color("bg")
        painter.setOpacity(0.18 if not self.theme.is_dark else 0.55)
        painter.fillRect(self.rect(), shade)
        painter.setOpacity(1.0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, px = self._box(), self.theme.px
        painter.setBrush(self.theme.color("raised"))
        painter.setPen(QPen(self.theme.color("border_strong"), 1))
        painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), px(8), px(8))
        painter.fillRect(box.left() + 1, box.top() + px(_LINE) + 1, box.width() - 2, 1, self.theme.color("border"))
        scale = self.theme.scale
        canvas = Canvas(painter, self.theme, self.width())
        canvas.icon("search", box.left() / scale + 16, box.top() / scale + (_LINE - 18) / 2 + 1, 18)
        if not self.model.rows:
            room = QRectF(box.left() / scale, box.top() / scale + _LINE + 2, box.width() / scale, HIGH)
            canvas.text(room, "Nothing found.", self.theme.face(13), "text_2", CENTER)
