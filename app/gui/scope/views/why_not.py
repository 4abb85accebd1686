"""Why-not view over the panes: expected answer, verdict, and changes with their effect."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import SIGNAL, QEvent, QModelIndex, QObject, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QVBoxLayout, QWidget

from app.display.scope import why_not
from app.display.scope.why_not import KIND_ICONS, kind_word, parse_expectation, shown_name
from app.display.scope.why_not_sentences import change_words, shortened
from app.display.words import cut
from app.domain.scope.why_not import Change, Expectation, LostAt, ScorerGap, WhyNot
from app.gui.kit.controls import EmptyState, PaneHeader, button, line_edit, progress_bar
from app.gui.kit.document import DocumentView, badge_html, bar_html, icon_html, link_html, span, table_html
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.fields import handle_escape
from app.gui.kit.layouts import chain_focus, fill, spaced
from app.gui.kit.pane_parts import FaultLine
from app.gui.kit.tables.delegates import RowDelegate
from app.gui.kit.tables.rows import ROW_ROLE, Index, ListModel
from app.gui.kit.theme import icons
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme, Themed
from app.gui.scope.views.overlays import Overlay
from app.scoring.scorers import SCORERS

_LONGEST = 300
"""Maximum number of characters of a change or a case."""

_LONGEST_HEAD, _WIDEST_LINE = 24, 620
_BESIDE, _LEAST_BAR, _MOST_BAR = 900.0, 60.0, 240.0
"""Minimum width for changes beside the verdict, and bounds of a bar's width, in units."""


class WhyNotView(Overlay):
    """Shows a verdict and emits requests; it computes nothing."""

    cancel_requested = Signal()
    seeds_requested = Signal()
    apply_requested = Signal(Change)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Why not")
        self.shown: WhyNot | None = None
        self._may_apply = True
        self._unfolded: frozenset[int] = frozenset()
        """Places of the changes whose cases are listed."""
        self.expected = ExpectedLine(theme)
        self.expected.left.connect(self.close_requested)
        self.explain = button("Explain", tip="Explain where it was lost (Enter)", press=self.expected.decide)
        self.cancel = button("Cancel", tip="Stop trying changes", press=self.cancel_requested.emit)
        self.head = PaneHeader(theme, "Why not", self.cancel, self.close_it)
        self.progress = styled(progress_bar("Cases that were run"), role="hairline")
        self.fault = FaultLine(theme)
        self.sheet = DocumentView(theme, "Expected against winner, and changes")
        self.sheet.anchorClicked.connect(self._on_link)
        self.seeds = button("Add the sample library", primary=True, press=self.seeds_requested.emit)
        self.empty = EmptyState(theme, "why", "", "", self.seeds)
        px, top = theme.px, QWidget()
        row = spaced(QHBoxLayout(top), px(8), px(16), px(6), px(16), px(10))
        self.expected.setMaximumWidth(px(_WIDEST_LINE))
        fill(row, (self.expected, 1), self.explain, 0)
        fill(spaced(QVBoxLayout(self)), self.head, top, self.progress, self.fault, (self.sheet, 1), (self.empty, 1))
        chain_focus(self.expected.line, self.explain, self.sheet, self.seeds, self.cancel, self.close_it)
        self.show_running(None)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    # ---- display

    def show_verdict(self, shown: WhyNot | None) -> None:
        """Show a verdict; None: there is none, as `show_empty` explains."""
        if shown != self.shown:
            self._unfolded = frozenset()
        self.shown = shown
        self.sheet.setVisible(shown is not None)
        self.empty.setVisible(shown is None)
        self._draw()

    def show_empty(self, line: str, sentence: str, *, seeds: bool = False) -> None:
        """Show the empty state without a verdict; with `seeds` the sample library is offered."""
        self.empty.set_text(line, sentence)
        self.seeds.setVisible(seeds)

    def show_running(self, more: str | None, done: int = 0, total: int = 0) -> None:
        """Show the progress beside the title; None for no job. The layout does not move."""
        is_running = more is not None
        had_focus = self.cancel.hasFocus()
        self.cancel.setVisible(is_running)
        self.head.set_more(more or "")
        self.progress.setMaximum(total if is_running else 1)
        self.progress.setValue(done if is_running else 0)
        if had_focus and not is_running:
            self.expected.line.setFocus(Qt.FocusReason.OtherFocusReason)

    def let_apply(self, *, on: bool) -> None:
        """Offer to apply the changes while the verdict belongs to the current query."""
        self._may_apply = on
        self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._draw()

    def _on_link(self, link: QUrl) -> None:
        verb, place = link.toString().split(":")
        if verb == "cases":
            self._unfolded ^= {int(place)}
            self._draw()
        elif self.shown is not None:
            self.apply_requested.emit(self.shown.changes[int(place)])

    def _draw(self) -> None:
        shown, width = self.shown, self.width() / self.theme.scale
        if shown is None:
            return
        is_beside = width >= _BESIDE
        bar = max(_LEAST_BAR, min(_MOST_BAR, (width / (2 if is_beside else 1) - 260) / 2))
        verdict = _verdict_html(shown, round(bar))
        changes = span(why_not.title(shown), "body strong", "p") + span(why_not.hint(shown), "small text_2 below", "p")
        changes += "".join(self._change_html(place, *row) for place, row in enumerate(why_not.headed(shown.changes)))
        if is_beside:
            cells = (
                f'<td width="50%" class="{side}">{part}</td>' for side, part in (("left", verdict), ("beside", changes))
            )
            self.sheet.show_html(f'<table width="100%" cellspacing="0"><tr>{"".join(cells)}</tr></table>')
        else:
            self.sheet.show_html(f"{verdict}<hr>{changes}")

    def _change_html(self, place: int, heading: str, change: Change) -> str:
        is_open, effect = place in self._unfolded, change.effect
        cases = list(why_not.cases_named(effect))
        verbs = []
        if change.wins:
            apply = link_html(f"apply:{place}", "Apply", "accent strong")
            verbs.append(apply if self._may_apply else span("Apply", "text_2"))
        if cases:
            verbs.append(link_html(f"cases:{place}", "Hide the cases" if is_open else "Which cases"))
        if effect is not None:
            verbs.append(span(f"fixes {effect.fixes:,}", "success" if effect.fixes else "text_2"))
            verbs.append(span(f"breaks {effect.breaks:,}", "danger" if effect.breaks else "text_2"))
            verbs.append(span(f"of {why_not.cases_of(effect)}", "text_2"))
        named = ""
        for title, texts in cases if is_open else ():
            named += span(title, "head", "p") + "".join(span(_cut(text), "", "p") for text in texts)
        above = f"<hr>{span(heading, 'body strong', 'p')}" if heading else ""
        what = span(_cut(shortened(change_words(change))), "strong", "p")
        if risk := why_not.risk_sentence(change):
            what += span(risk, "small text_2", "p")
        return f'{above}<hr>{what}<p class="below">{" &nbsp; ".join(verbs)}</p>{named}'

    def _apply_theme(self) -> None:
        tokens = self.theme.tokens
        self.close_it.setIcon(icons.icon("cross", tokens.text, tokens.border_strong))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


def _verdict_html(shown: WhyNot, bar: int) -> str:
    icon, token = ("check", "success") if shown.is_delivered else ("cross", "danger")
    first, *others = why_not.sentences(shown)
    html = f"<p>{icon_html(icon, token)} {span(why_not.headline(shown), 'title')}</p>"
    html += span(shortened(first), "body", "p") + "".join(span(more, "text_2 below", "p") for more in others)
    if rows := why_not.scores(shown):
        is_first, winner, sides = why_not.leads(shown), shown.winner_name, [("Expected", shown_name(shown.expected))]
        if winner:
            beside = "Next" if is_first else "First" if shown.stage is LostAt.AMBIGUITY else "Winner"
            sides.append((beside, shown_name(Expectation(shown.expected.kind, winner, shown.expected.is_type))))
        names = [span(cut(name, _LONGEST_HEAD), "strong", tip=name) for _, name in sides]
        heads = [f"{span(word, 'small text_2')}<br>{name}" for (word, _), name in zip(sides, names, strict=True)]
        heads[0] = f"{icon_html(KIND_ICONS[shown.expected.kind], 'text_2', 14)} {heads[0]}"
        ranks = [f"{shown.expected_rank or 0:,}", ("2" if is_first else "1") if winner else ""]
        last = [["Rank", *(span(rank, "mono text_2") for rank in ranks), ""]] if shown.expected_rank else []
        cells = (_gap_html(gap, *texts, sides=len(heads), bar=bar) for gap, texts in rows)
        html += table_html([["", *heads, span("Difference", "small text_2")], *cells, *last])
    return html + span(why_not.nearest_names(shown), "text_2", "p")


def _gap_html(gap: ScorerGap, title: str, *texts: str, sides: int, bar: int) -> list[str]:
    """Return a scorer's row: both numbers with bars, the larger one bold, and the difference."""
    is_known, total = gap.scorer in SCORERS, not gap.scorer
    values = list(zip((gap.expected, gap.winner), texts[:sides], strict=False))
    most = max((value for value, _ in values if value), default=None)
    end = max(1.0, most or 0.0)  # evidence may exceed 1
    token = "accent" if total else gap.scorer if is_known else "bar"
    cells = [
        span(text, "mono strong" if total or value == most else "mono text_2")
        + f"<br>{bar_html(None if value is None else value / end, token, bar)}"
        for value, text in values
    ]
    badge = f"{badge_html(gap.scorer)} " if is_known else ""
    return [badge + span(title, "strong" if total else "text"), *cells, span(texts[-1], "mono strong")]


# ---- Line of the expected answer, with completions of all answers and their kinds.

_MOST_ROWS, _ROW, _TAG, _LONGEST_NAME = 10, 28, 96.0, 400


class ChoiceDelegate(RowDelegate):
    """Row of the completions: icon of the kind, name, and word of the kind on the right."""

    wide, ground = 120, "raised"

    def draw(self, canvas: Canvas, index: Index, *, on: bool) -> None:
        choice, theme = index.data(ROW_ROLE), self.theme
        canvas.icon(KIND_ICONS[choice.kind], 12, 7, 14)
        taken = canvas.text(QRectF(0, 0, canvas.width - 12, _ROW), kind_word(choice), theme.face(11), "text_2", RIGHT)
        canvas.text(QRectF(34, 0, canvas.width - 34 - 24 - taken, _ROW), shown_name(choice), theme.face(13))


class KindTag(Themed):
    """Kind of the expected answer, before its name."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._shown: Expectation | None = None
        self.setFixedSize(theme.px(_TAG), theme.px(28))

    def show_kind(self, expected: Expectation | None) -> None:
        self._shown = expected
        self.setAccessibleName(kind_word(expected) if expected is not None else "")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        canvas, shown = Canvas(QPainter(self), self.theme, self.width()), self._shown
        if shown is not None:
            canvas.icon(KIND_ICONS[shown.kind], 0, 6, 16)
        left, word, token = (0, "Expected", "text_2") if shown is None else (23, kind_word(shown), "text")
        canvas.text(QRectF(left, 0, _TAG - left, 28), word, self.theme.face(12, 600), token)


class ExpectedLine(Themed):
    """Requests completions while typing; Enter chooses, even before they have arrived."""

    names_requested = Signal(str)  # the text
    names_dropped = Signal()  # the pending request is of no use
    chosen = Signal(Expectation)
    left = Signal()  # Escape

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.choice: Expectation | None = None
        self._decides, self._opens = False, False
        self.tag = KindTag(theme)
        self.line = line_edit(
            "What was expected", longest=_LONGEST_NAME, hint="a memory, an intent, a type, a power or a route"
        )
        self.model = ListModel[Expectation](
            shown_name, lambda choice: f"{kind_word(choice)} {shown_name(choice)}", self
        )
        self._completer = QCompleter(self.model, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(_MOST_ROWS)
        self._completer.setWidget(self.line)
        self._completer.connect(SIGNAL("activated(QModelIndex)"), self._on_row)  # one of two overloads
        if (popup := self._completer.popup()) is not None:
            popup.setItemDelegate(ChoiceDelegate(theme, _ROW, popup))
            popup.setAccessibleName("What can be expected")
        self.line.textEdited.connect(self._on_edited)
        self.line.returnPressed.connect(self.decide)
        self.line.installEventFilter(self)
        fill(spaced(QHBoxLayout(self), theme.px(8)), self.tag, (self.line, 1))
        self.setFocusProxy(self.line)

    # ---- display

    def show_choice(self, choice: Expectation) -> None:
        """Show this answer, without a signal."""
        self.choice = choice
        self.tag.show_kind(choice)
        self.line.setText(shown_name(choice))
        self.select()

    @property
    def _is_choice(self) -> bool:
        """True if the text names the chosen answer."""
        return self.choice is not None and self.line.text() == shown_name(self.choice)

    def select(self) -> None:
        """Select the text, so that the next letter replaces it; a long name shows its start."""
        length = len(self.line.text())
        self.line.setSelection(length, -length)

    def show_names(self, offered: Sequence[Expectation]) -> None:
        """Show the completions of the latest request; choose, if Enter waits for them."""
        self.model.show_rows(offered)
        if self._decides:
            self._decides = False
            self._hide_names()
            if choice := parse_expectation(self.line.text(), offered, self.choice.kind if self.choice else ""):
                self._choose(choice)
        elif offered and self.line.hasFocus() and (self._opens or self.line.text().strip()):
            self._completer.complete()
        else:
            self._hide_names()

    def decide(self) -> None:
        """Choose by the text once its completions have arrived; a selected completion has priority."""
        popup = self._completer.popup()
        if popup is not None and popup.isVisible() and (picked := popup.currentIndex()).isValid():
            self._hide_names()
            self._on_row(picked)
        elif self.choice is not None and self._is_choice:
            self._hide_names()
            self.chosen.emit(self.choice)
        elif typed := self.line.text().strip():
            self._decides = True
            self.names_requested.emit(typed)

    # ---- user actions

    def _on_edited(self) -> None:
        self._decides = self._opens = False
        self.tag.show_kind(self.choice if self._is_choice else None)
        self.names_requested.emit(self.line.text().strip())

    def _on_row(self, index: QModelIndex) -> None:
        choice = index.data(ROW_ROLE)
        if isinstance(choice, Expectation):
            self._decides = False
            self.names_dropped.emit()
            self._choose(choice)

    def _choose(self, choice: Expectation) -> None:
        self.show_choice(choice)
        self.chosen.emit(choice)

    def _hide_names(self) -> None:
        if (popup := self._completer.popup()) is not None:
            popup.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave the line on Escape, before the window's shortcut; open the list on Down."""
        if watched is not self.line or not isinstance(event, QKeyEvent):
            return False
        if event.key() == Qt.Key.Key_E and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # the window's, though it moves the cursor on some desktops
            return event.type() is QEvent.Type.ShortcutOverride
        if handle_escape(event, self.left.emit):
            return True
        if event.key() == Qt.Key.Key_Down and event.type() is QEvent.Type.KeyPress:
            self._opens = True  # lists the completions of the text, or all if the text is the chosen answer
            self.names_requested.emit("" if self._is_choice else self.line.text().strip())
            return True
        return False
