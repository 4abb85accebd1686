"""Live routing decision on the typed query: drawing, outcome, reasons, strip for teaching."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QPen, QPolygonF, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.display.routing.metrics import MOST_CHOICES, can_ask_llm, route_button_text, state_line, teachable_routes
from app.display.routing.path import RouteView, Stop, route_view
from app.display.words import with_titles
from app.domain.inspection import Inspection, RouteDecision
from app.domain.match import Tier
from app.domain.route import DOCUMENTED, Routes, StepOutcome
from app.gui.kit.canvas import RIGHT, Canvas
from app.gui.kit.controls import EmptyState, button, line_edit, swatch
from app.gui.kit.document import DocumentView, span, tables_html
from app.gui.kit.fields import LONGEST, handle_escape
from app.gui.kit.layouts import FlowLayout, chain_focus, fill, spaced
from app.gui.kit.page import CoreState
from app.gui.kit.pane_parts import Section
from app.gui.kit.sheet import Sheet
from app.gui.kit.theme import Theme, styled
from app.gui.kit.tokens import ROUTE_TOKENS
from app.services.routing.routes import RoutingState

_PAD, _GAP = 16.0, 26.0
_LEAST = 160.0
"""Minimum width of a stop, in units; on narrower sheets stops wrap into several rows."""
_LOW = 36.0
"""Height of a stop with neither route nor reason, in units."""
_MOST_LINES = 7

_GLYPHS: dict[StepOutcome, Tier] = {
    StepOutcome.DECIDED: Tier.ACTIVATED,
    StepOutcome.UNSURE: Tier.WEAK_MATCHES,
    StepOutcome.NOTHING: Tier.NOT_FOUND,
}
_ICONS: dict[StepOutcome, tuple[str, str]] = {
    StepOutcome.FAILED: ("cross", "danger"),
    StepOutcome.WAITING: ("loading", "text_2"),
    StepOutcome.SKIPPED: ("ring", "text_2"),
}


def _why(stop: Stop) -> str:
    """Return the reason of a stop, and how long it took."""
    return f"{stop.why} {stop.ms}\N{NO-BREAK SPACE}ms.".lstrip() if stop.ms else stop.why


class RouteSheet(Sheet):
    """Outcome as a headline and two sentences, and the path below."""

    shown: RouteView | None = None

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def show_view(self, shown: RouteView | None) -> None:
        """Draw this view, unless it is already drawn."""
        if shown != self.shown:
            self.shown = shown
            self.update()

    def compose(self, canvas: Canvas) -> float:
        shown = self.shown
        if shown is None:
            return 0.0
        face, wide, at = self.theme.face, canvas.width - 2 * _PAD, _PAD
        if shown.color:
            canvas.fill(QRectF(at, 14, 12, 12), ROUTE_TOKENS[shown.color], 2)
            at += 18
        token = "text" if shown.confidence else "text_2"
        runs = [(shown.intent, face(18, 650), token)]
        runs += [(" to ", face(13), "text_2"), (shown.stores, face(18, 650), token)] if shown.stores else []
        runs.append((f"  {shown.confidence}", face(18, 650), "text"))
        by = f", {shown.by}" if shown.confidence else shown.by
        runs.append((by if shown.is_final else f"{by}, so far", face(13), "text_2"))
        canvas.runs(at, 8, 24, runs, wide - (at - _PAD))
        y = 36.0
        for place, sentence in enumerate(shown.sentences):
            quiet = place == len(shown.sentences) - 1
            box = QRectF(_PAD, y, wide, 80)
            y += canvas.paragraph(box, sentence, face(13), "text_2" if quiet else "text", lines=3) + 2
        return self._path(canvas, shown, y + 10)

    # ---- path

    def _path(self, canvas: Canvas, shown: RouteView, y: float) -> float:
        """Draw the stops side by side, in as many rows as needed."""
        wide = canvas.width - 2 * _PAD
        count = max(1, min(len(shown.stops), int((wide + _GAP) // (_LEAST + _GAP))))
        room = (wide - (count - 1) * _GAP) / count
        for begin in range(0, len(shown.stops), count):
            row = shown.stops[begin : begin + count]
            high = max(self._stop_height(canvas, stop, room) for stop in row)
            for place, stop in enumerate(row):
                x = _PAD + place * (room + _GAP)
                if place or (begin and stop.is_passed):
                    self._draw_connector(canvas, stop, max(2.0, x - _GAP + 4), y + 18, x - 4)
                self._box(canvas, stop, QRectF(x, y, room, high if stop.why or stop.label else _LOW))
            y += high + 12
        return y

    def _stop_head(self, stop: Stop, room: float) -> tuple[bool, float]:
        """Return if the outcome has to stand below the name, and the height of both, for a box of this width."""
        face = self.theme.face
        fits = face(13, 600).width(stop.name) + face(12, 600).width(stop.word) + 9 <= room - 44
        under = not (fits or stop.confidence)
        return under, 50.0 if under or stop.label or stop.confidence else 30.0

    def _stop_height(self, canvas: Canvas, stop: Stop, room: float) -> float:
        why = canvas.wrapped_height(_why(stop), room - 24, self.theme.face(11), _MOST_LINES)
        return self._stop_head(stop, room)[1] + why + 10

    def _box(self, canvas: Canvas, stop: Stop, box: QRectF) -> None:
        face = self.theme.face
        self._frame(canvas, stop, box)
        x, right = box.x() + 12, box.right() - 12
        self._mark(canvas, stop, x, box.y() + 11)
        token = "text" if stop.is_passed else "text_2"
        wide = face(12, 600).width(stop.word) + 1
        under, head = self._stop_head(stop, box.width())
        room = right - x - 20 - (0 if under else wide + 8)
        name = canvas.text(QRectF(x + 20, box.y() + 8, room, 18), stop.name, face(13, 600), token)
        beside = QRectF(max(x + 28 + name, right - wide), box.y() + 8, wide, 18)
        at = QRectF(right - wide, box.y() + 29, wide, 18) if under else beside
        canvas.text(at, stop.word, face(12, 600), "accent" if stop.decides else token)
        room = right - x - (wide if under else face(12, 600, mono=True).width(stop.confidence)) - 8
        canvas.text(QRectF(x, box.y() + 29, room, 18), stop.label, face(12), token)
        number = QRectF(right - 80, box.y() + 29, 80, 18)
        canvas.text(number, stop.confidence, face(12, 600, mono=True), token, RIGHT)
        why = QRectF(x, box.y() + head, right - x, 200)
        canvas.paragraph(why, _why(stop), face(11), token if stop.decides else "text_2", lines=_MOST_LINES)

    def _frame(self, canvas: Canvas, stop: Stop, box: QRectF) -> None:
        """Draw a stop's frame: filled if it decided, an edge if passed, otherwise dashed."""
        if not canvas.shows(box.y(), box.height()):
            return
        painter = canvas.painter
        if stop.decides:
            canvas.fill(box, "accent_soft", 6)
        edge = QPen(self.theme.color("accent" if stop.decides else "border_strong" if stop.is_passed else "border"))
        edge.setWidthF(2.0 if stop.decides else 1.0)
        if not stop.is_passed:
            edge.setColor(self.theme.color("border_strong"))
            edge.setDashPattern([3, 4])
        painter.setPen(edge)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        inset = 1.0 if stop.decides else 0.5
        painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), 6, 6)

    def _mark(self, canvas: Canvas, stop: Stop, x: float, y: float) -> None:
        if (glyph := _GLYPHS.get(stop.outcome)) is not None:
            if canvas.shows(y, 13):
                canvas.level(glyph, x, y)
        else:
            icon, token = _ICONS[stop.outcome]
            canvas.icon(icon, x, y, 13, token)

    def _draw_connector(self, canvas: Canvas, stop: Stop, x: float, y: float, end: float) -> None:
        """Draw the connector to a stop: an arrow if the query got there, otherwise a dashed line."""
        if not stop.is_passed:
            canvas.line(x, y, end, y, "border_strong", 1.0, dashes=(3, 4))
            return
        canvas.line(x, y, end - 5, y, "accent", 2.0)
        canvas.painter.setPen(Qt.PenStyle.NoPen)
        canvas.painter.setBrush(self.theme.color("accent"))
        canvas.painter.drawPolygon(QPolygonF([QPointF(end, y), QPointF(end - 7, y - 4.5), QPointF(end - 7, y + 4.5)]))


_WIDEST = 720
"""Maximum width of the grounds, in units."""

_MARKS = {None: "body", True: "body accent underlined", False: "body text_2 underlined"}
"""Style of words in the query: of no rule, of a rule that counts, of an overruled one."""


class RouteDecisionPart(QWidget):
    """Shows the decision, which the page requests."""

    typed = Signal(str)
    llm_requested = Signal(str)  # the query
    teach_requested = Signal(str, str)  # query, label
    switch_on_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.query = ""
        self.route: RouteDecision | None = None
        self._is_typed_here = False
        self._core_state: CoreState | None = None
        self._state: RoutingState | None = None
        hint = "Type a query to see which store should answer it"
        self.line = styled(line_edit("Query", hint=hint, longest=LONGEST), role="probe")
        tip = "Ask the LLM for this route now, as a query that is not typed is"
        self.ask = button("Ask the LLM", tip=tip, press=lambda: self.llm_requested.emit(self.query))
        self.sheet = RouteSheet(theme, "The decision and its path")
        self.teach = RouteTeach(theme)
        self.evidence = DocumentView(theme, "The grounds of the decision", is_whole=True, widest=_WIDEST)
        self.grounds = Section(theme, "Rules and examples", self.evidence)
        on = button("Switch it on", primary=True, press=self.switch_on_requested.emit)
        what = "No query is routed, and nothing is put into the log (route.enabled)."
        self.off = EmptyState(theme, "off", "Routing is switched off", what, on)
        px = theme.px
        top = fill(spaced(QHBoxLayout(), px(8), px(16), px(4), px(16), px(4)), (self.line, 1), self.ask)
        fill(spaced(QVBoxLayout(self)), top, self.sheet, self.teach, self.grounds, self.off)
        self.line.textEdited.connect(self._on_typed)
        self.line.returnPressed.connect(self._leave_line)
        self.teach.chosen.connect(self._on_chosen)
        self.teach.left.connect(self._leave_line)
        for digit in range(1, MOST_CHOICES + 1):
            # Digits typed in a text line do not reach this shortcut.
            key = QShortcut(QKeySequence(str(digit)), self, lambda digit=digit: self.teach.choose(digit))
            key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.show_state(None)
        self.show_nothing()

    def _leave_line(self) -> None:
        """Move the focus to where digits teach."""
        if self.route is not None and self.teach.buttons:
            self.teach.buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_stops(self) -> list[QWidget]:
        if self.route is None:
            return [self.line]
        grounds = [self.grounds.line, *([self.evidence] if self.grounds.is_open else [])]
        return [self.line, self.teach.buttons[0], self.teach.label, *grounds]

    # ---- display

    @property
    def _routes(self) -> Routes:
        return DOCUMENTED if self._core_state is None else self._core_state.settings.all_routes

    def show_core_state(self, core_state: CoreState) -> None:
        self._core_state = core_state
        if not core_state.settings.route.enabled:
            self.query, self.route = "", None
        self.show_state(self._state)

    def show_state(self, state: RoutingState | None) -> None:
        self._state = state
        names = teachable_routes(state, self._routes)
        color = self._routes.color_of
        self.teach.show_choices([(name, route_button_text(name, self._routes), color(name)) for name in names])
        chain_focus(self.ask, *self.teach.buttons)  # they are newer than what follows
        self._show()

    def show_inspection(self, inspection: Inspection | None) -> None:
        """Show the query of the window; None: no query."""
        if inspection is None or inspection.query.is_empty:
            if not self._is_typed_here:
                self.line.clear()
            self.show_nothing()
            return
        # Text that is being typed here is newer than the answers.
        if not self._is_typed_here and self.line.text() != inspection.query.text:
            self.line.setText(inspection.query.text)
        if inspection.route is not None:
            self.show_route(inspection.query.text, inspection.route)
        else:  # decided shortly; the previous decision stays, and cannot be taught
            self.teach.enable_teaching(on=False)
            self.query = ""

    def show_route(self, query: str, route: RouteDecision) -> None:
        self.query, self.route = query, route
        self._show()

    def show_nothing(self) -> None:
        """Show that there is no decision, without a query or with routing off."""
        self.query, self.route = "", None
        self._show()

    def follow(self) -> None:
        self._is_typed_here = False

    def _show(self) -> None:
        settings = None if self._core_state is None else self._core_state.settings.route
        for part in (self.sheet, self.teach, self.grounds):
            part.setVisible(self.route is not None)
        self.off.setVisible(settings is not None and not settings.enabled)
        self.teach.enable_teaching(on=bool(self.query))
        self.ask.setVisible(can_ask_llm(self.route))
        if self.route is None:
            return
        limits, has_stores = ((), False) if settings is None else ((settings.threshold,), settings.has_any_store)
        shown = route_view(self.query, self.route, limits, has_stores=has_stores, routes=self._routes)
        self.sheet.show_view(shown)
        query = "".join(span(text, _MARKS[mark]) for text, mark in shown.spans)
        foot = span(state_line(self._state), "small text_2", "p") if self._state is not None else ""
        self.evidence.show_html(f'<p class="below">{query}</p>{with_titles(tables_html(shown.grounds))}<hr>{foot}')
        self.grounds.line.show_summary(shown.summary)

    def _on_typed(self, text: str) -> None:
        self._is_typed_here = True
        self.typed.emit(text)
        if not text.strip():
            self.show_nothing()

    def _on_chosen(self, label: str) -> None:
        if self.query:
            self.teach_requested.emit(self.query, label)


# ---- Strip for teaching the right route by digit, button or typed label.


_LONGEST = 80


class RouteTeach(QWidget):
    """Choice of the right route, independent of the query."""

    chosen = Signal(str)
    left = Signal()  # Escape in the line of labels

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._choices: tuple[tuple[str, str, str], ...] = ()
        self._can_teach = False
        self.buttons: list[QPushButton] = []
        name = "Route to teach, by a name of your own"
        self.label = line_edit(name, hint="or another route", longest=_LONGEST)
        self.label.setMinimumWidth(theme.px(120))
        self.label.returnPressed.connect(self._on_label)
        self.label.textChanged.connect(lambda _: self._show())
        self.label.installEventFilter(self)
        self.teach = button("Teach", tip="Teach the route that is typed (Enter)", press=self._on_label)
        title = styled(QLabel("Which route is right?"), role="title")
        self._row = spaced(FlowLayout(theme.px(6)), None, theme.px(16), 0, theme.px(16), theme.px(10))
        fill(self._row, title, self.label)
        self._row.grow(self.label)
        self._row.addWidget(self.teach)
        self.setLayout(self._row)
        theme.changed.connect(self._apply_theme)
        self._show()

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(name for name, *_ in self._choices)

    def show_choices(self, choices: Sequence[tuple[str, str, str]]) -> None:
        """Offer these routes, each as (name, label, colour); digits follow the order."""
        if tuple(choices) == self._choices:
            return
        self._choices = tuple(choices)
        for old in self.buttons:
            self._row.removeWidget(old)
            old.hide()  # it exists until the next event loop turn
            old.deleteLater()
        self.buttons = []
        for place, (label, word, _) in enumerate(self._choices, 1):
            tip = f"Teach {word} ({place})"
            made = button(f"{place}  {word}", tip=tip, name=tip, press=partial(self.chosen.emit, label))
            self.buttons.append(made)
            self._row.insert(place, made)
        self._apply_theme()
        self._show()

    def _apply_theme(self) -> None:
        """Colour each route's button for the current theme."""
        for made, (*_, color) in zip(self.buttons, self._choices, strict=True):
            if color:
                made.setIcon(swatch(self.theme, color))

    def enable_teaching(self, *, on: bool) -> None:
        self._can_teach = on
        self._show()

    def choose(self, digit: int) -> None:
        if self._can_teach and 0 < digit <= len(self.labels):
            self.chosen.emit(self.labels[digit - 1])

    def clear(self) -> None:
        self.label.clear()

    def _on_label(self) -> None:
        if self._can_teach and (text := self.label.text().strip()):
            self.chosen.emit(text)

    def _show(self) -> None:
        for made in (*self.buttons, self.label):
            made.setEnabled(self._can_teach)
        self.teach.setVisible(self._can_teach and bool(self.label.text().strip()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        return watched is self.label and handle_escape(event, self._leave)

    def _leave(self) -> None:
        self.label.clear()
        self.left.emit()
