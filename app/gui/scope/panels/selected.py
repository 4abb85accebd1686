"""Selected match in full: equation, bars, triggers, response, and the parts of each score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.display import numbers, words
from app.display.library.teaching import CHANGES_NOTHING, foreseen_base, foreseen_lines, foreseen_short
from app.display.scope.matches.arithmetic import Line, compared
from app.display.scope.matches.contributions import Contribution, Part, Word, Words, flip_sentences, word_rows
from app.display.scope.matches.rows import MatchDetails, answer_key, match_details
from app.display.scope.verdict import with_outcomes
from app.display.words import about
from app.domain.language import plural
from app.domain.library import Kind
from app.domain.scope.inspection import WordImportance
from app.domain.scope.why_not import EditPreview
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.controls import PaneHeader, button
from app.gui.kit.drawing.canvas import RIGHT, Canvas, Run
from app.gui.kit.drawing.sheet import Sheet, scrolled
from app.gui.kit.fields import plain_tip
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.theme import icons
from app.gui.kit.theme.fonts import Face
from app.gui.kit.theme.theme import Theme, Themed, color
from app.gui.scope.actions import UNDER_ANSWER
from app.gui.scope.panels.matches_delegate import outcome_token
from app.gui.scope.panels.panel import Panel, draw_empty
from app.scoring.scorers import SCORERS

_HEIGHT, _MARGIN, _GAP, _WITH_WORD = 45, 16, 6, 34
_LAST = "add_trigger"


class AnswerFoot(Themed):
    """Button for each action on the selected answer; icons instead of words if narrow."""

    action_requested = Signal(str)  # key of an action

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.rows = {row.key: row for row in UNDER_ANSWER}
        self.buttons = {key: self._button(key) for key in self.rows}
        self._says: bool | None = None
        self.short = ""
        """Short effect of the query as one more trigger, once known."""
        self.setFixedHeight(theme.px(_HEIGHT))
        layout = spaced(QHBoxLayout(self), theme.px(_GAP), theme.px(_MARGIN), 1, theme.px(_MARGIN), 0)
        layout.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)  # words may be cut
        for key, made in self.buttons.items():
            if key == _LAST:
                layout.addStretch(1)
            layout.addWidget(made)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._set_words()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.color("surface"))
        painter.fillRect(0, 0, self.width(), 1, self.theme.color("border"))

    def show_preview(self, preview: EditPreview | None) -> None:
        """Show on the button which cases and recent queries one more trigger would change; None while unknown.

        The button is plain if it changes none: it would read as if the query's own answer stayed.
        """
        known = "" if preview is None else foreseen_short(preview)
        short = "" if known == CHANGES_NOTHING else known
        tip = self.rows[_LAST].tip
        if preview is not None and known:
            tip = plain_tip("\n".join((known, foreseen_base(preview), *foreseen_lines(preview), tip)))
        self.buttons[_LAST].setToolTip(tip)
        if short == self.short:
            return
        self.short = short
        self._says = None
        self._set_words()

    def _button(self, key: str) -> QPushButton:
        row = self.rows[key]
        made = button("", tip=row.tip, press=partial(self.action_requested.emit, key))
        made.setObjectName(key)
        made.setAccessibleName(row.name)
        made.setProperty("slim", "true")
        return made

    def _apply_theme(self) -> None:
        tokens = self.theme.tokens
        for key, made in self.buttons.items():
            made.setIcon(icons.icon(self.rows[key].icon, tokens.text, tokens.border_strong))
        self._says = None
        self._set_words()

    def _set_words(self) -> None:
        face = self.theme.face(12, 600)
        wide = sum(face.width(row.word) + _WITH_WORD for row in self.rows.values())
        says = wide + _GAP * (len(self.rows) - 1) + 2 * _MARGIN <= self.width() / self.theme.scale
        if says is self._says:
            return
        self._says = says
        for key, made in self.buttons.items():
            made.setText(self.rows[key].word if says else "")
        self._show_preview(face)

    def _show_preview(self, face: Face) -> None:
        """Show the effect of one more trigger in the space that the words leave."""
        last = self.buttons[_LAST]
        last.setAccessibleDescription(self.short)
        if not self.short:
            return
        others = sum(made.sizeHint().width() for key, made in self.buttons.items() if key != _LAST) / self.theme.scale
        room = self.width() / self.theme.scale - others - _GAP * len(self.buttons) - 2 * _MARGIN - _WITH_WORD
        word = self.rows[_LAST].word
        for short in (self.short, self.short.rpartition(", ")[0]):
            if short and face.width(text := f"{word}: {short}") <= room:
                last.setText(text)
                return


# ---- Sheet: equation, bars on one axis, triggers, words, response

_PAD = 16.0
_ROW = 18.0
_FOLD = 26.0
"""Height of the heading of a foldable section, in units."""
_MOST_CONTRIBUTIONS = 4
_BARS_FROM = 108.0
"""Left end of the bars beside the names of scorers, in units."""
_NAMED_FROM = 380.0
"""Width in units from which names stand beside the letters of scorers."""
SECTIONS: Mapping[str, str] = {"computed": "How this was computed", "words": "Word by word", "triggers": "Triggers"}
"""Foldable sections, by key."""


class SelectedSheet(Sheet):
    """Details of one match."""

    shown: MatchDetails | None = None
    under_bar = True
    counts: WordImportance | None = None
    """Importance of the query's words, once known for this match."""
    has_query = False
    """True if there is an answer, so that a match can be selected."""
    flipped = Signal(str)  # key of a section whose heading was pressed

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self.sections: frozenset[str] = frozenset()
        self._heads: dict[str, float] = {}
        self.setMouseTracking(True)

    def compose(self, canvas: Canvas) -> float:
        shown = self.shown
        if shown is None:
            line, what = "No answer selected", "Select a match to see why."
            if not self.has_query:
                what = "Type a sentence; its best match appears here."
            return draw_empty(canvas, "search", line, what, self.height_units)
        y = self._title(canvas, shown)
        y = self._response(canvas, shown, y + 8)
        y = (self._over_rival if shown.reason.contributions else self._reason)(canvas, shown, y + 12)
        y = self._bars(canvas, shown, y + 10) + 4
        for key, (draw, note) in self._parts_of(shown).items():
            y = self._fold(canvas, key, note, y + 6)
            if key in self.sections:
                y = draw(canvas, y + 2)
        return y + 12

    def _parts_of(self, shown: MatchDetails) -> Mapping[str, tuple[Callable[[Canvas, float], float], str]]:
        """Return the non-empty sections: drawing function, and a note beside the title."""
        found: dict[str, tuple[Callable[[Canvas, float], float], str]] = {}
        found["computed"] = (partial(self._equation, shown), "")
        if shown.parts or (self.counts is not None and self.counts.words):
            found["words"] = (partial(self._word_by_word, shown), "")
        nearest = f"“{shown.row.trigger}”" if shown.row.trigger else ""
        found["triggers"] = (partial(self._triggers, shown), nearest)
        return found

    def _fold(self, canvas: Canvas, key: str, note: str, y: float) -> float:
        """Draw the heading of a foldable section; return the start of its content."""
        canvas.line(_PAD, y - 0.5, canvas.width - _PAD, y - 0.5)
        self._heads[key] = y
        is_open = key in self.sections
        canvas.icon("chevron-down" if is_open else "chevron-right", _PAD - 3, y + 7, 12)
        used = canvas.text(QRectF(_PAD + 14, y, canvas.width - 46, _FOLD), SECTIONS[key], self.theme.face(12, 600))
        canvas.aside("(open)" if is_open else "(folded)")
        rest = QRectF(_PAD + 24 + used, y, canvas.width - used - 56, _FOLD)
        canvas.text(rest, note, self.theme.face(12), "text_2")
        return y + _FOLD

    def section_at(self, y: float) -> str:
        """Return the section whose heading is at this height, in pixels; "" for none."""
        units = y / self.theme.scale
        shown = () if self.shown is None else self._parts_of(self.shown)
        return next((key for key in shown if 0 <= units - self._heads.get(key, -99.0) < _FOLD), "")

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        shape = (
            Qt.CursorShape.PointingHandCursor if self.section_at(event.position().y()) else Qt.CursorShape.ArrowCursor
        )
        self.setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and (key := self.section_at(event.position().y())):
            self.flipped.emit(key)

    def _heading(self, canvas: Canvas, y: float, text: str, right: str = "") -> float:
        face = self.theme.face
        used = canvas.text(QRectF(_PAD, y, canvas.width - 32, 16), text, face(11, 600), "text_2")
        if right:
            room = QRectF(_PAD + used + 8, y, canvas.width - 32 - used - 8, 16)
            canvas.text(room, right, face(11), "text_2", RIGHT)
        return y + 18

    def _title(self, canvas: Canvas, shown: MatchDetails) -> float:
        face = self.theme.face
        right = canvas.width - _PAD
        row = shown.row
        word = face(12, 500).width(row.outcome) if row.says_outcome else 0.0
        if row.level is not None and row.says_outcome:
            canvas.level(row.level, right - word - 19, 5)
            place = QRectF(right - word - 1, 2, word + 2, 18)
            canvas.text(place, row.outcome, face(12, 500), outcome_token(row))
        canvas.text(QRectF(_PAD, 0, right - word - 24 - _PAD, 22), shown.row.name, face(15, 650))
        below = QRectF(_PAD, 23, right - _PAD, 40)
        high = canvas.paragraph(below, shown.subtitle, face(12), "text_2", lines=2)
        return 23 + high

    def _reason(self, canvas: Canvas, shown: MatchDetails, y: float) -> float:
        room = QRectF(_PAD, y, canvas.width - 32, 54)
        return y + canvas.paragraph(room, shown.reason.sentence, self.theme.face(12), "text", lines=3)

    def _over_rival(self, canvas: Canvas, shown: MatchDetails, y: float) -> float:
        """Draw each scorer's advantage over the runner-up, in log-odds, as bars around a line."""
        told = sorted(shown.reason.contributions, key=lambda one: -abs(one.value))[:_MOST_CONTRIBUTIONS]
        name = "" if shown.reason.rival is None else shown.reason.rival.answer.name
        y = self._heading(canvas, y, f"Ahead of {name}" if shown.reason.lead > 0.0 else f"Against {name}")
        face, right = self.theme.face, canvas.width - _PAD
        names = [_name_beside_bar(one.name) for one in told]
        left = max(_BARS_FROM, _PAD + 34 + max(face(12).width(name) for name in names))
        against = max(0.0, *(-one.value for one in told))
        reach = max(0.0, *(one.value for one in told)) + against
        zero = left + (right - left) * (against / reach if reach else 0.0)
        for name, one in zip(names, told, strict=True):
            if one.name in SCORERS:
                canvas.badge(one.name, _PAD, y + 1.5)
            canvas.text(QRectF(_PAD + 22, y, left - _PAD - 22, _ROW), name, face(12))
            wide = (right - left) * abs(one.value) / reach if reach else 0.0
            start = zero - wide if one.value < 0.0 else zero
            canvas.fill(QRectF(start, y + 5, max(1.0, wide), 8), "accent" if one.value >= 0.0 else "warning", 1)
            canvas.explain(QRectF(_PAD, y, right - _PAD, _ROW), f"{numbers.signed(one.value)} log-odds")
            canvas.aside("(for)" if one.value >= 0.0 else "(against)")
            y += _ROW
        return y

    def _equation(self, shown: MatchDetails, canvas: Canvas, y: float) -> float:
        if shown.reason.contributions:
            y = self._reason(canvas, shown, y) + 4
        for place, line in enumerate(shown.lines):
            y = self._line(canvas, line, y, last=place == len(shown.lines) - 1)
        if not shown.lines:
            canvas.text(QRectF(_PAD, y, canvas.width - 32, 18), "No scorer could run.", self.theme.face(12))
            y += _ROW
        return self._absent(canvas, shown, y + 4)

    def _line(self, canvas: Canvas, line: Line, y: float, *, last: bool) -> float:
        mono = self.theme.face(12, mono=True)
        result = self.theme.face(12, 700 if last else 400, mono=True)
        equals = mono.width("= ") + result.width(line.result)
        runs: list[Run] = [
            (piece.text, self.theme.face(12, 700, mono=True), piece.scorer)
            if piece.scorer
            else (piece.text, mono, "text")
            for piece in line.pieces
        ]
        room = canvas.width - 2 * _PAD
        needed = sum(font.width(text) for text, font, _ in runs)
        if needed + equals + 8 <= room:
            canvas.runs(_PAD, y, _ROW, runs, room)
        else:
            y = self._wrapped(canvas, runs, y, room)
        total: list[Run] = [("= ", mono, "text"), (line.result, result, "text")]
        canvas.runs(canvas.width - _PAD - equals, y, _ROW, total, equals + 1)
        return y + _ROW + 1

    def _wrapped(self, canvas: Canvas, runs: list[Run], y: float, room: float) -> float:
        x = _PAD
        for text, font, token in runs:
            width = font.width(text)
            if x > _PAD and x + width > _PAD + room:
                x, y = _PAD + 12, y + _ROW
            canvas.text(QRectF(x, y, room, _ROW), text, font, token)
            x += width
        return y + _ROW

    def _bars(self, canvas: Canvas, shown: MatchDetails, y: float) -> float:
        y = self._heading(canvas, y, "Scores")
        left, right = _BARS_FROM, canvas.width - _PAD - 46
        width, cells = right - left, shown.row.cells
        bottom = y + _ROW * len(cells)
        for limit in shown.limits:
            canvas.line(left + width * limit, y, left + width * limit, bottom, "border_strong", 1, dashes=(2, 3))
        limits = ", ".join(numbers.chance(limit) for limit in shown.limits)
        canvas.explain(QRectF(left, y, width, bottom - y), f"The dashed lines are at {limits}." if limits else "")
        for place in range(len(cells)):
            self._bar_row(canvas, shown, place, y + _ROW * place, left, width)
        x = left + width * shown.row.match.confidence
        canvas.line(x, y, x, bottom + 2, "text", 1.6)
        canvas.triangle(x, bottom)
        return bottom + 8

    def _bar_row(self, canvas: Canvas, shown: MatchDetails, place: int, y: float, left: float, width: float) -> None:
        cell, face = shown.row.cells[place], self.theme.face
        weight, token = (600, "text") if cell.decides else (400, "text_2")
        canvas.badge(cell.scorer, _PAD, y + 1.5)
        canvas.text(QRectF(_PAD + 22, y, left - 40, _ROW), words.scorer(cell.scorer).title, face(12, weight), token)
        canvas.explain(QRectF(_PAD, y, left - _PAD, _ROW), words.scorer(cell.scorer).summary)
        bar = QRectF(left, y + 5, width, 8)
        if cell.value is None:
            canvas.hatch(bar)
        elif cell.value == 0.0:
            canvas.fill(QRectF(left, y + 5, 1.5, 8), color(self.theme.tokens.scorer(cell.scorer)))
        else:
            canvas.bar(bar, cell.value, self.theme.tokens.scorer(cell.scorer), track=None)
        number = face(12, 700 if cell.decides else 400, mono=True)
        canvas.text(QRectF(canvas.width - _PAD - 50, y, 50, _ROW), cell.text, number, token, RIGHT)
        if cell.decides:
            canvas.aside("decides")

    def _best(self, canvas: Canvas, shown: MatchDetails, y: float) -> float:
        if not shown.best:
            return y
        y = self._heading(canvas, y, "Best trigger per scorer")
        for best in shown.best:
            x = _PAD
            for scorer in best.scorers:
                canvas.badge(scorer, x, y + 1.5, named=canvas.width >= _NAMED_FROM)
                x += 18
            names = ", ".join(words.scorer(scorer).title for scorer in best.scorers)
            if canvas.width >= _NAMED_FROM:
                x += canvas.text(QRectF(x + 2, y, canvas.width / 2, _ROW), names, self.theme.face(12), "text_2") + 4
            canvas.text(QRectF(x + 4, y, canvas.width - _PAD - x - 4, _ROW), best.text, self.theme.face(12))
            y += _ROW
        return y + 12

    def _word_by_word(self, shown: MatchDetails, canvas: Canvas, y: float) -> float:
        if shown.parts:
            y = draw_contributions(canvas, self.theme, shown.parts, y) + 12
        return self._counts(canvas, y)

    def _counts(self, canvas: Canvas, y: float) -> float:
        if self.counts is None or not self.counts.words:
            return y - 12
        y = self._heading(canvas, y, "Without each word")
        return draw_word_counts(canvas, self.theme, self.counts, y)

    def _absent(self, canvas: Canvas, shown: MatchDetails, y: float) -> float:
        """Draw the scorers without a score and the reasons, equal reasons once."""
        by_reason: dict[str, list[str]] = {}
        for one in shown.absent:
            by_reason.setdefault(one.reason, []).append(one.scorer)
        for reason, scorers in by_reason.items():
            x = _PAD
            canvas.hatch(QRectF(x, y + 3, 22, 9))
            x += 22
            names = ", ".join(words.scorer(scorer).title for scorer in scorers)
            room = QRectF(x + 5, y + 1, canvas.width - _PAD - x - 5, 60)
            y += max(_ROW, canvas.paragraph(room, f"{names}: {reason}", self.theme.face(11), "text_2", lines=3) + 3)
        return y

    def _response(self, canvas: Canvas, shown: MatchDetails, y: float) -> float:
        if not shown.response:
            return y - 8
        room = QRectF(_PAD, y, canvas.width - 32, 400)
        return y + canvas.paragraph(room, shown.response, self.theme.face(12), "text", lines=4)

    def _triggers(self, shown: MatchDetails, canvas: Canvas, y: float) -> float:
        used = canvas.text(QRectF(_PAD, y, canvas.width - 32, 16), shown.use, self.theme.face(11), "text_2")
        if shown.row.kind is Kind.MEMORY:
            canvas.explain(QRectF(_PAD, y, used, 16), about("success"))
        y = self._best(canvas, shown, y + 20)
        if not shown.triggers:
            return y
        y = self._heading(canvas, y, f"Taught triggers: {len(shown.triggers)}", words.scorer("semantic").title)
        mono = self.theme.face(12, mono=True)
        for text, score in shown.triggers[:50]:
            canvas.text(QRectF(_PAD, y, canvas.width - 32 - 66, _ROW), text, self.theme.face(12))
            canvas.text(QRectF(canvas.width - _PAD - 50, y, 50, _ROW), score, mono, "text_2", RIGHT)
            y += _ROW
        return y


def _name_beside_bar(scorer: str) -> str:
    """Return a scorer's name as in the list of scores, or the phrase for what is no scorer."""
    phrase = compared(scorer)
    return words.scorer(scorer).title if scorer in SCORERS else phrase[:1].upper() + phrase[1:]


class SelectedPanel(Panel):
    """Pane of the selected match."""

    sections_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Selected")
        self.sheet = SelectedSheet(theme, "Selected match")
        self.area = scrolled(self.sheet, "Selected match")
        self.sheet.flipped.connect(self.flip)
        fill(self.column, PaneHeader(theme, "Selected"), (self.area, 1))
        self.foot = AnswerFoot(theme)
        self.foot.action_requested.connect(self.action_requested)
        self.foot.hide()
        self.column.addWidget(self.foot)

    def focus_target(self) -> QWidget:
        return self.area

    def show_sections(self, sections: frozenset[str]) -> None:
        """Open these sections and fold the others."""
        self.sheet.sections = sections
        self.sheet.update()

    def flip(self, key: str) -> None:
        """Open or fold a section."""
        self.show_sections(self.sheet.sections ^ {key})
        self.sections_changed.emit()

    def summary(self) -> str:
        return "" if self.sheet.shown is None else self.sheet.shown.row.name

    def show_state(self, scope_state: ScopeState) -> None:
        shown = None
        if scope_state.inspection is not None and scope_state.selected is not None:
            shown = match_details(scope_state.inspection, scope_state.selected, scope_state.settings)
            if scope_state.settings is not None:
                row = with_outcomes((shown.row,), scope_state.inspection, scope_state.settings)[0]
                shown = replace(shown, row=row)
        has_query = scope_state.inspection is not None and bool(scope_state.inspection.matches)
        before, self.scope_state = self.scope_state, scope_state
        if scope_state.is_new_query(before) or _picked(scope_state) != _picked(before):
            self.area.verticalScrollBar().setValue(0)
        if (shown, has_query) != (self.sheet.shown, self.sheet.has_query):
            self.sheet.shown, self.sheet.has_query = shown, has_query
            self.foot.setVisible(shown is not None)
            self.sheet.counts = None
            self.foot.show_preview(None)
            self.sheet.update()

    def show_counts(self, counts: WordImportance) -> None:
        """Show the importance of words, if it belongs to the match shown."""
        inspection, match = self.scope_state.inspection, self.scope_state.selected
        if inspection is None or match is None or counts.query != inspection.query.scored:
            return
        if counts.name == match.answer.name:
            self.sheet.counts = counts
            self.sheet.update()


def _picked(scope_state: ScopeState) -> str:
    return "" if scope_state.selected is None else answer_key(scope_state.selected)


# ---- Parts of a score: words of query and trigger, their relation, and the sum.


PAD = 16.0
ROW = 18.0
_HEAD = 22.0
_UNDERLINE = 16.0
_BETWEEN = 8.0
"""Space between two scorers, in units."""


def draw_contributions(canvas: Canvas, theme: Theme, parts: tuple[Contribution, ...], y: float) -> float:
    """Draw a block per scorer from `y` down; return the lower end."""
    for place, part in enumerate(parts):
        y = _contribution(canvas, theme, part, y + (_BETWEEN if place else 0.0))
    return y


def _contribution(canvas: Canvas, theme: Theme, part: Contribution, y: float) -> float:
    face, room = theme.face, canvas.width - 2 * PAD
    canvas.badge(part.scorer, PAD, y + 2)
    canvas.text(QRectF(PAD + 22, y, room - 80, ROW), words.scorer(part.scorer).title, face(12, 600))
    canvas.text(QRectF(canvas.width - PAD - 60, y, 60, ROW), part.score, face(12, 700, mono=True), "text", RIGHT)
    y += _HEAD
    for row in part.rows:
        y = _words(canvas, theme, part.scorer, row, y) + 2
    if part.sentence:
        y += canvas.paragraph(QRectF(PAD, y, room, 60), part.sentence, face(11), "text_2", lines=3) + 2
    if part.arithmetic:
        mono, total = face(11, mono=True), f"= {part.score}"
        runs: list[Run] = [(f"{part.arithmetic} ", mono, "text"), (total, face(11, 700, mono=True), "text")]
        if mono.width(part.arithmetic) + face(11, 700, mono=True).width(f" {total}") > room:
            y += canvas.paragraph(QRectF(PAD, y, room, 60), f"{part.arithmetic} {total}", mono, "text", lines=3) + 2
        else:
            canvas.runs(PAD, y, ROW, runs, room)
            y += ROW
    return y


def _words(canvas: Canvas, theme: Theme, scorer: str, row: Words, y: float) -> float:
    """Draw the words after the row's title, wrapped; return the end of the last line."""
    small, end = theme.face(11), canvas.width - PAD
    x = PAD + canvas.text(QRectF(PAD, y, end - PAD, ROW), row.title, small, "text_2") + 8
    for word in row.words:
        wide = min(_face(theme, word).width(word.text) + _note_width(theme, word), end - PAD)
        if x > PAD and x + wide > end:
            x, y = PAD, y + ROW + 1
        _word(canvas, theme, scorer, word, x, y, wide)
        x += wide + 6
    if row.more:
        text = plural(row.more, "and {n} more", "and {n} more")
        if x + small.width(text) > end:
            x, y = PAD, y + ROW + 1
        canvas.text(QRectF(x, y, end - x, ROW), text, small, "text_2")
    return y + ROW


def _face(theme: Theme, word: Word) -> Face:
    return theme.face(12, 600 if word.part is Part.SAME else 400)


def _note_width(theme: Theme, word: Word) -> float:
    return theme.face(11, mono=True).width(word.note) + 3 if word.note else 0.0


def _word(canvas: Canvas, theme: Theme, scorer: str, word: Word, x: float, y: float, wide: float) -> None:
    """Draw a word: underlined if both have it, dashed if both nearly have it."""
    font, note = _face(theme, word), _note_width(theme, word)
    reach = max(1.0, wide - note)
    canvas.text(QRectF(x, y, reach + 0.6, ROW), word.text, font, "text_2" if word.part is Part.ALONE else "text")
    if word.part in _SAID:
        canvas.aside(_SAID[word.part])
    if word.part is not Part.ALONE:
        dashes = None if word.part is Part.SAME else (3.0, 2.0)
        canvas.line(x, y + _UNDERLINE, x + reach, y + _UNDERLINE, scorer, 1.6, dashes=dashes)
    if word.note:
        canvas.text(QRectF(x + reach + 3, y, note, ROW), word.note, theme.face(11, mono=True), "text_2")


_SAID: dict[Part, str] = {Part.SAME: "(in both)", Part.CLOSE: "(nearly in both)"}
"""Words for screen readers in place of underlines."""


# ---- Words of the query with bars for the change of confidence without them.


_BAR, _WORD_ROW = 4.0, 38.0
_LEAST_BAR = 26.0


def draw_word_counts(canvas: Canvas, theme: Theme, counts: WordImportance, y: float) -> float:
    """Draw the words with their importance, and the fewest that change the result.

    Returns the lower end.
    """
    font, small, end = theme.face(12, 600), theme.face(11, mono=True), canvas.width - PAD
    x, most = PAD, max((abs(row.share) for row in word_rows(counts)), default=0.0)
    for row in word_rows(counts):
        wide = min(max(font.width(row.text), small.width(row.adds), _LEAST_BAR), end - PAD)
        if x > PAD and x + wide > end:
            x, y = PAD, y + _WORD_ROW
        canvas.text(QRectF(x, y, wide + 0.6, ROW), row.text, font, "text")
        canvas.fill(QRectF(x, y + ROW, wide, _BAR), "sunken", 1)
        long = wide * abs(row.share) / most if most else 0.0
        canvas.fill(QRectF(x, y + ROW, long, _BAR), "accent" if row.share >= 0 else "danger", 1)
        canvas.text(QRectF(x, y + ROW + _BAR, wide + 0.6, 14), row.adds, small, "text_2")
        if row.instead:
            canvas.aside(f"(without it: {row.instead})")
        x += wide + 8
    y += _WORD_ROW
    for sentence in flip_sentences(counts):
        y += canvas.paragraph(QRectF(PAD, y, end - PAD, 60), sentence, theme.face(11), "text_2", lines=3) + 2
    return y
