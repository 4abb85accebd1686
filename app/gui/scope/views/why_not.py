"""Why-not view over the panes: expected answer, verdict, and changes with their effect."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.display.scope.why_not import KIND_ICONS, ChangeRow, GapRow, WhyNotExplanation
from app.display.scope.why_not_sentences import cut
from app.domain.scope.why_not import Change
from app.gui.kit.controls import EmptyState, PaneHeader, button, progress_bar
from app.gui.kit.document import DocumentView, badge_html, bar_html, icon_html, link_html, span, table_html
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.theme import icons
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.scope.views.overlays import Overlay
from app.gui.scope.views.why_not_line import ExpectedLine
from app.scoring.scorers import SCORERS

_LONGEST = 300
"""Maximum number of characters of a change or a case."""

_WIDEST_LINE = 620
_BESIDE, _LEAST_BAR, _MOST_BAR = 900.0, 60.0, 240.0
"""Minimum width for changes beside the verdict, and bounds of a bar's width, in units."""


class WhyNotView(Overlay):
    """Shows a verdict and emits requests; it computes nothing."""

    cancel_requested = Signal()
    seeds_requested = Signal()
    apply_requested = Signal(Change)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Why not")
        self.shown: WhyNotExplanation | None = None
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
        stops = (self.expected.line, self.explain, self.sheet, self.seeds, self.cancel, self.close_it)
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)
        self.show_running(None)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    # ---- display

    def show_verdict(self, shown: WhyNotExplanation | None) -> None:
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
            self.apply_requested.emit(self.shown.changes[int(place)].change)

    def _draw(self) -> None:
        shown, width = self.shown, self.width() / self.theme.scale
        if shown is None:
            return
        is_beside = width >= _BESIDE
        bar = max(_LEAST_BAR, min(_MOST_BAR, (width / (2 if is_beside else 1) - 260) / 2))
        verdict, changes = _verdict_html(shown, round(bar)), self._changes_html(shown)
        if is_beside:
            cells = (
                f'<td width="50%" class="{side}">{part}</td>' for side, part in (("left", verdict), ("beside", changes))
            )
            self.sheet.show_html(f'<table width="100%" cellspacing="0"><tr>{"".join(cells)}</tr></table>')
        else:
            self.sheet.show_html(f"{verdict}<hr>{changes}")

    def _changes_html(self, shown: WhyNotExplanation) -> str:
        rows = (self._change_html(row, place) for place, row in enumerate(shown.changes))
        return span(shown.title, "body strong", "p") + span(shown.hint, "small text_2 below", "p") + "".join(rows)

    def _change_html(self, row: ChangeRow, place: int) -> str:
        is_open = place in self._unfolded
        verbs = [link_html(f"apply:{place}", "Apply", "accent strong") if self._may_apply else span("Apply", "text_2")]
        if row.named:
            verbs.append(link_html(f"cases:{place}", "Hide the cases" if is_open else "Which cases"))
        counts = [span(row.fixes, "success" if row.has_fixes else "text_2")] if row.fixes else []
        counts += [span(row.breaks, "danger" if row.has_breaks else "text_2")] if row.breaks else []
        named = ""
        for title, texts in row.named if is_open else ():
            named += span(title, "head", "p") + "".join(span(_cut(text), "", "p") for text in texts)
        heading = f"<hr>{span(row.heading, 'body strong', 'p')}" if row.heading else ""
        what = span(_cut(row.what), "strong", "p") + span(row.effect, "small text_2", "p")
        return f'{heading}<hr>{what}<p class="below">{" &nbsp; ".join((*verbs, *counts))}</p>{named}'

    def _apply_theme(self) -> None:
        tokens = self.theme.tokens
        self.close_it.setIcon(icons.icon("cross", tokens.text, tokens.border_strong))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


def _verdict_html(shown: WhyNotExplanation, bar: int) -> str:
    sign = icon_html("check" if shown.won else "cross", "success" if shown.won else "danger")
    html = f"<p>{sign} {span(shown.headline, 'title')}</p>" + span(shown.sentence, "body", "p")
    if shown.rows:
        sides = (("Expected", shown.expected), (shown.beside, shown.winner))
        named = [(word, name) for word, name in sides if name]
        heads = [f"{span(word, 'small text_2')}<br>{span(cut(name), 'strong', tip=name)}" for word, name in named]
        heads[0] = f"{icon_html(KIND_ICONS.get(shown.kind, 'label'), 'text_2', 14)} {heads[0]}"
        ranks = [["Rank", *(span(rank, "mono text_2") for rank in shown.ranks), ""]] if shown.ranks[0] else []
        difference = span("Difference", "small text_2")
        html += table_html([["", *heads, difference], *(_gap_html(row, len(heads), bar) for row in shown.rows), *ranks])
    return html + span(shown.nearest, "text_2", "p")


def _gap_html(row: GapRow, sides: int, bar: int) -> list[str]:
    """Return a scorer's row: both numbers with bars, the larger one bold, and the difference."""
    is_known, total = row.scorer in SCORERS, not row.scorer
    values = ((row.expected, row.expected_text), (row.winner, row.winner_text))[:sides]
    most = max((value for value, _ in values if value), default=None)
    end = max(1.0, most or 0.0)  # evidence may exceed 1
    token = "accent" if total else row.scorer if is_known else "bar"
    cells = [
        span(text, "mono strong" if total or value == most else "mono text_2")
        + f"<br>{bar_html(None if value is None else value / end, token, bar)}"
        for value, text in values
    ]
    badge = f"{badge_html(row.scorer)} " if is_known else ""
    return [badge + span(row.title, "strong" if total else "text"), *cells, span(row.gap, "mono strong")]
