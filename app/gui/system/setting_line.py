"""One setting on its page: description, value, origin, and effect of a threshold."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QResizeEvent

from app.display import numbers
from app.display.evaluation.thresholds import TASKS_BY_THRESHOLD, LevelCount, ThresholdTrial
from app.display.system.settings import ORIGINS, Editor, SettingRow, stepped
from app.gui.kit import icons
from app.gui.kit.canvas import LEVEL_COLORS, Canvas
from app.gui.kit.controls import button, single_shot
from app.gui.kit.fields import ChoiceBox, Switch, UnitSpin, ValueLine, explain, plain_tip
from app.gui.kit.pane_parts import FaultLine
from app.gui.kit.sheet import Ruled
from app.gui.kit.theme import Theme, styled
from app.gui.kit.thresholds import HIGH, PrecisionTargetRow, ThresholdSlider

_PAD, _GAP = 16, 24
_EDITOR, _ORIGIN = 210, 190
_NUMBER = 110
_TOP, _LINE = 10, 17
_LEAST_WORDS = 240
"""Minimum width of the text in units; below it value and origin are below the text."""

_BELOW = 38


class SettingLine(Ruled):
    """Painted except for its editor, its reset and the sentence of a refusal."""

    chosen = Signal(str, str)  # key, value
    drafted = Signal(str, str)  # key, value being typed or hovered, "" when it ends
    forgotten = Signal(str)  # key whose own value is to be removed

    def __init__(self, theme: Theme, row: SettingRow) -> None:
        super().__init__(theme)
        self.row = row
        self.read = ""
        self.editor = self._make_editor(row)
        self.editor.setParent(self)
        self.editor.setAccessibleName(row.title)
        self.editor.changed.connect(self._on_changed)
        if row.editor in (Editor.NUMBER, Editor.THRESHOLD):
            self.editor.setFont(theme.font(13, mono=True))
            styled(self.editor, role="mono")
        self.preview = ""
        if row.editor is Editor.NUMBER and isinstance(self.editor, ValueLine):
            self.editor.textChanged.connect(self._on_draft)
            self.editor.changed.connect(self._on_set)
        elif isinstance(self.editor, Switch | ChoiceBox):
            self.editor.previewed.connect(self._on_previewed)
            self.editor.changed.connect(self._on_set)
        self.strip = self._make_strip(row)
        self.promise = self._make_promise(row)
        self.reset = button("", link=True, tip=f"Reset {row.title}", press=self._forget)
        self.reset.setText("Reset")
        self.reset.setParent(self)
        self._fault: FaultLine | None = None
        theme.follow(self._apply_theme)
        self.show_row(row)

    @property
    def fault(self) -> FaultLine:
        """Line of a refusal, made for the first one."""
        if self._fault is None:
            self._fault = FaultLine(self.theme)
            self._fault.setParent(self)
        return self._fault

    def show_row(self, row: SettingRow) -> None:
        """Show the present setting; a new value clears a refusal."""
        if row != self.row:
            self.show_refusal("")
        self.row = row
        self.editor.show_value(row.raw)
        if self.strip is not None:
            self.strip.slider.show_value(float(row.raw))
            self.strip.slider.setEnabled(not row.fixed)
        if isinstance(self.editor, ValueLine | UnitSpin):
            self.editor.setReadOnly(bool(row.fixed))
        else:
            self.editor.setEnabled(not row.fixed)
        self.editor.setToolTip(plain_tip(row.fixed))
        self.reset.setVisible(row.is_set_here)
        explain(self, "\n".join((row.key, *row.variables)))
        self.editor.setAccessibleDescription(". ".join(filter(None, (row.sentence, row.origin, row.fixed))))
        self.update()

    def show_preview(self, short: str, tip: str) -> None:
        """Show the effect of a draft or hovered value beside it; "" for none."""
        if short and isinstance(self.editor, Switch | ChoiceBox):
            short = f"{self.editor.named}: {short}"
        if short != self.preview:
            self.preview = short
            self.editor.setToolTip(plain_tip(tip or self.row.fixed))
            self.update()

    def show_refusal(self, sentence: str) -> None:
        """Show why a value was refused; "" for none. The draft stays."""
        if sentence and not isinstance(self.editor, ValueLine):
            self.show_row(self.row)
        if sentence or self._fault is not None:
            self.fault.show_fault(sentence)
            self._lay_out()

    def fit(self, width: int) -> None:
        """Set the height for a width in pixels, before it is shown."""
        self.resize(width, self.height())
        self._lay_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_out()

    def write(self, canvas: Canvas) -> None:
        face, row, left = self.theme.face, self.row, self.text_width(canvas.width)
        values = self._values_at(canvas.width)
        canvas.text(QRectF(_PAD, _TOP, left, 18), row.title, face(13, 600))
        canvas.paragraph(QRectF(_PAD, _TOP + 19, left, 200), row.sentence, face(12), "text_2", lines=12)
        if row.bounds:
            x = values.x() + _NUMBER + 10
            canvas.text(QRectF(x, values.y() + 1, _EDITOR - _NUMBER, 22), row.bounds, face(11), "text_2")
        self._origin(canvas, row, values)
        bottom = self.height() / self.theme.scale - 0.5
        canvas.line(_PAD, bottom, canvas.width, bottom)
        self.read = "\n".join(canvas.written)

    def _origin(self, canvas: Canvas, row: SettingRow, values: QPointF) -> None:
        face = self.theme.face
        x, top = values.x() + _EDITOR + _GAP, values.y()
        wide = canvas.width - _PAD - x
        room = QRectF(x, top, wide - (60 if row.is_set_here else 0), 18)
        if row.value != row.default or row.origin != ORIGINS["default"]:
            canvas.text(room, row.origin, face(12, 500), "text_2" if row.value == row.default else "text")
        if self.preview:
            canvas.paragraph(QRectF(x, top + 19, wide, 3 * _LINE), self.preview, face(11, 600), lines=3)
        elif row.fixed:
            canvas.icon("pin", x - 20, top + 2, 14)
            canvas.paragraph(QRectF(x, top + 19, wide, 80), row.fixed, face(11), "text_2", lines=5)
        elif row.value != row.default:
            default = f"default: {row.default}"
            canvas.text(QRectF(x, top + 19, wide, _LINE), default, face(11), "text_2")

    # ---- parts

    def _make_strip(self, row: SettingRow) -> TrialStrip | None:
        spin = self.editor
        if not isinstance(spin, UnitSpin):
            return None
        strip = TrialStrip(self.theme, row.title)
        strip.setParent(self)
        strip.tried.connect(spin.try_value)
        strip.rested.connect(spin.commit)
        strip.resized.connect(self._lay_out)
        spin.moved.connect(strip.slider.show_value)
        self.setTabOrder(spin, strip.slider)
        return strip

    def _make_promise(self, row: SettingRow) -> PrecisionTargetRow | None:
        if row.key not in TASKS_BY_THRESHOLD:
            return None
        promise = PrecisionTargetRow(self.theme)
        promise.setParent(self)
        promise.threshold_requested.connect(self._on_changed)
        promise.resized.connect(self._lay_out)
        return promise

    def _on_changed(self, raw: str) -> None:
        if self.strip is not None:
            self.strip.hold()
            if self.strip.trial is not None and self.strip.trial.refusal:
                self.show_refusal(self.strip.trial.refusal)
                return
        self.chosen.emit(self.row.key, raw)

    def _on_draft(self, _: str) -> None:
        typed = self.editor.text().strip() if isinstance(self.editor, ValueLine) else ""
        is_drafted = self.editor.hasFocus() and typed != self.row.raw
        self.show_preview("", "")
        self.drafted.emit(self.row.key, typed if is_drafted else "")

    def _on_previewed(self, raw: str) -> None:
        self.show_preview("", "")
        self.drafted.emit(self.row.key, "" if raw == self.row.raw else raw)

    def _on_set(self, _: str) -> None:
        self.show_preview("", "")
        self.drafted.emit(self.row.key, "")

    def _make_editor(self, row: SettingRow) -> Switch | ChoiceBox | ValueLine | UnitSpin:
        if row.editor is Editor.SWITCH:
            return Switch(self.theme)
        if row.editor is Editor.CHOICE:
            return ChoiceBox(row.choices)
        if row.editor is Editor.THRESHOLD:
            return UnitSpin()
        if row.editor is Editor.TEXT:
            line = ValueLine()
            line.setPlaceholderText("empty")
            return line
        number = ValueLine(partial(stepped, row))
        number.setAlignment(Qt.AlignmentFlag.AlignRight)
        return number

    def _forget(self) -> None:
        self.show_refusal("")
        self.editor.setFocus()  # the button is deleted
        self.forgotten.emit(self.row.key)

    def text_width(self, width: float) -> float:
        """Return the width left for words in a line of this width, both in unscaled pixels."""
        beside = width - _PAD - _GAP - _EDITOR - _GAP - _ORIGIN - _PAD
        return beside if beside >= _LEAST_WORDS else width - 2 * _PAD

    def _values_at(self, width: float) -> QPointF:
        """Return the left edge of the editor: beside the text, or below it."""
        words = self.text_width(width)
        if words < width - 2 * _PAD:
            return QPointF(width - _PAD - _ORIGIN - _GAP - _EDITOR, _TOP)
        return QPointF(_PAD, self._text_bottom(width) + 8)

    def _lay_out(self) -> None:
        px, scale = self.theme.px, self.theme.scale
        width = self.width() / scale
        if width < _EDITOR + _GAP + 2 * _PAD:
            return
        at = self._values_at(width)
        number = self.row.editor in (Editor.NUMBER, Editor.THRESHOLD)
        wide = _NUMBER if number else 80 if self.row.editor is Editor.SWITCH else _EDITOR - 20
        self.editor.setGeometry(px(at.x()), px(at.y() - 2), px(wide), px(28))
        self.reset.setGeometry(px(width - _PAD - 52), px(at.y() - 3), px(56), px(24))
        high = self._text_height(width)
        fault = px(30) if self._fault is not None and self._fault.sentence else 0
        if self._fault is not None:
            self._fault.setGeometry(0, px(high), self.width(), fault)
        below = 0
        if self.strip is not None:
            self.strip.resize(self.width(), max(1, self.strip.height()))
            below = px(self.strip.high)
            self.strip.setGeometry(0, px(high) + fault, self.width(), below)
        if self.promise is not None:
            wanted = self.promise.heightForWidth(self.width())
            self.promise.setGeometry(0, px(high) + fault + below, self.width(), wanted)
            below += wanted
        if self.height() != px(high) + fault + below:
            self.setFixedHeight(px(high) + fault + below)
        self.update()

    def _text_height(self, width: float) -> float:
        """Return the height of the text with what is beside or below it."""
        at = self._values_at(width)
        right = 0.0
        if self.row.fixed:
            room = width - _PAD - at.x() - _EDITOR - _GAP
            right = self.theme.face(11).wrapped(self.row.fixed, room, int(Qt.TextFlag.TextWordWrap))
        is_below = at.y() > _TOP
        return max(self._text_bottom(width) + 10, at.y() + 19 + right + 10, at.y() + _BELOW if is_below else 0.0)

    def _text_bottom(self, width: float) -> float:
        """Return the bottom of title and sentence."""
        room = self.text_width(width)
        words = self.theme.face(12).wrapped(self.row.sentence, room, int(Qt.TextFlag.TextWordWrap))
        return _TOP + 19 + words

    def _apply_theme(self) -> None:
        self.reset.setIcon(icons.icon("undo", self.theme.tokens.accent))
        self.update()


# ---- Below a threshold on the settings page: its slider, and the effect of the value.


_REST_MS = 300
"""Rest in ms after a key before the slider's value is set; the mouse sets it on release."""

_STRIP_PAD, _WIDEST = 16.0, 700.0
_SENTENCE, _CASES = HIGH + 4.0, HIGH + 24.0
_COUNTS_HIGH = 42.0


class TrialStrip(Ruled):
    """Slider of a threshold; emits `tried` values and `rested`; `show_trial` shows the effect."""

    tried = Signal(float)
    rested = Signal()
    resized = Signal()

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__(theme)
        self.trial: ThresholdTrial | None = None
        self.read = ""
        self._high, self._top = 0.0, _CASES
        self.setAccessibleName(f"What “{title}” does")
        self.slider = ThresholdSlider(theme)
        self.slider.setParent(self)
        self.slider.setAccessibleName(f"{title}, slider")
        self._rest = single_shot(self, _REST_MS, self.rested.emit)
        self.slider.tried.connect(self._on_tried)
        self.slider.sliderReleased.connect(self._on_released)

    @property
    def high(self) -> float:
        """Present height of the strip, in units."""
        wide = self.width() / self.theme.scale - 2 * _STRIP_PAD
        cases = self._cases_high(wide)
        return self._top + cases + 8 + (_COUNTS_HIGH if self.trial is not None and self.trial.levels else 0.0)

    def show_trial(self, trial: ThresholdTrial) -> None:
        """Show the effect of the value under the slider."""
        if trial == self.trial:
            return
        self.trial, self._top = trial, _CASES if trial.current or trial.refusal else _SENTENCE
        counts = (f"{level.word}: {_counted(level)}" for level in trial.levels)
        self.read = "\n".join(filter(None, (trial.refusal, trial.current, trial.cases, *counts)))
        self.setAccessibleDescription(self.read)
        self.slider.setAccessibleDescription(self.read)
        if self.high != self._high:
            self._high = self.high
            self.resized.emit()
        self.update()

    def hold(self) -> None:
        """Ignore the slider's move: its value is set in another way."""
        self._rest.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        px = self.theme.px
        wide = min(_WIDEST, self.width() / self.theme.scale - 2 * _STRIP_PAD)
        self.slider.setGeometry(px(_STRIP_PAD - 9), 0, px(wide + 18), px(HIGH))

    def write(self, canvas: Canvas) -> None:
        trial = self.trial
        if trial is None:
            return
        face, wide = self.theme.face, canvas.width - 2 * _STRIP_PAD
        if trial.refusal:
            canvas.icon("warning", _STRIP_PAD, _SENTENCE + 2, 14, "danger")
            canvas.text(QRectF(_STRIP_PAD + 20, _SENTENCE, wide - 20, 18), trial.refusal, face(12, 500), "danger")
            return
        canvas.text(QRectF(_STRIP_PAD, _SENTENCE, wide, 18), trial.current, face(12, 500))
        canvas.paragraph(QRectF(_STRIP_PAD, self._top, wide, 40), trial.cases, face(11), "text_2", lines=3)
        top = self._top + self._cases_high(wide) + 4
        column = min(260.0, wide / max(1, len(trial.levels)))
        for place, level in enumerate(trial.levels):
            self._level(canvas, level, _STRIP_PAD + place * column, top, column - 12)

    def _level(self, canvas: Canvas, level: LevelCount, x: float, top: float, room: float) -> None:
        face, token, at = self.theme.face, "text", x
        if level.level is not None:
            canvas.level(level.level, x, top + 3)
            token, at = LEVEL_COLORS[level.level], x + 18
        canvas.text(QRectF(at, top, room - (at - x), 18), level.word, face(12, 600), token)
        canvas.text(
            QRectF(x, top + 18, room, 16), _counted(level), face(11, mono=True), "text" if _moves(level) else "text_2"
        )

    def _cases_high(self, wide: float) -> float:
        if self.trial is None or not self.trial.cases:
            return 0.0
        flags = int(Qt.TextFlag.TextWordWrap)
        measure = self.theme.face(11).measure
        return measure.boundingRect(QRectF(0, 0, max(100.0, wide), 1000), flags, self.trial.cases).height() + 2

    def _on_tried(self, value: float) -> None:
        self.tried.emit(value)
        if not self.slider.isSliderDown():
            self._rest.start()

    def _on_released(self) -> None:
        self._rest.stop()
        self.rested.emit()


def _moves(level: LevelCount) -> bool:
    return (level.now, level.now_right) != (level.then, level.then_right)


def _counted(level: LevelCount) -> str:
    """Format the number of cases and of correct ones, before and after the tried value."""
    if not _moves(level):
        return f"{numbers.count(level.now)}, {numbers.count(level.now_right)} correct"
    return (
        f"{numbers.count(level.now)} → {numbers.count(level.then)}, "
        f"{numbers.count(level.now_right)} → {numbers.count(level.then_right)} correct"
    )
