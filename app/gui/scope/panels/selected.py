"""Selected match in full: scores, equation, words, triggers, response, and actions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout

from app.display import numbers, words
from app.display.library.teaching import CHANGES_NOTHING, preview_base, preview_lines, preview_short
from app.display.scope.arithmetic import compared
from app.display.scope.contributions import Contribution, Part, Word, flip_sentences, word_rows
from app.display.scope.match_rows import MatchDetails, answer_key, match_details
from app.display.scope.verdict import with_outcomes
from app.display.words import about
from app.domain.inspection import WordImportance
from app.domain.library import Kind
from app.domain.why_not import EditPreview
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit import icons
from app.gui.kit.controls import ElidedLabel
from app.gui.kit.document import aside_html, badge_html, bar_html, icon_html, level_html, link_html, span, table_html
from app.gui.kit.fields import plain_tip
from app.gui.kit.layouts import spaced
from app.gui.kit.theme import Theme, Themed, styled
from app.gui.scope.actions import UNDER_ANSWER, action_button
from app.gui.scope.panels.matches_delegate import outcome_token
from app.gui.scope.panels.panel import DocumentPanel

_HEIGHT, _MARGIN, _GAP, _WITH_WORD = 45, 16, 6, 34
_LAST, _MIDDLE = "add_trigger", Qt.AlignmentFlag.AlignVCenter


class AnswerFoot(Themed):
    """Button for each action on the selected answer; icons instead of words if narrow."""

    action_requested = Signal(str)  # key of an action

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.rows = {row.key: row for row in UNDER_ANSWER}
        request = self.action_requested.emit
        self.buttons = {row.key: styled(action_button(row, request), slim="true") for row in UNDER_ANSWER}
        self.effect = styled(ElidedLabel(alignment=Qt.AlignmentFlag.AlignRight | _MIDDLE), role="caption")
        self.setFixedHeight(theme.px(_HEIGHT))
        layout = spaced(QHBoxLayout(self), theme.px(_GAP), theme.px(_MARGIN), 1, theme.px(_MARGIN), 0)
        layout.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)  # words may be cut
        for key, made in self.buttons.items():
            if key == _LAST:
                layout.addWidget(self.effect, 1)
            layout.addWidget(made)
        theme.follow(self._apply_theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._set_words()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.color("surface"))
        painter.fillRect(0, 0, self.width(), 1, self.theme.color("border"))

    def show_preview(self, preview: EditPreview | None) -> None:
        """Show the effect of one more trigger; nothing if unknown, or if no case and no answer changes."""
        known = "" if preview is None else preview_short(preview)
        short = "" if known == CHANGES_NOTHING else known
        tip = self.rows[_LAST].tip
        if preview is not None and known:
            tip = plain_tip("\n".join((known, preview_base(preview), *preview_lines(preview), tip)))
        self.buttons[_LAST].setToolTip(tip)
        self.buttons[_LAST].setAccessibleDescription(short)
        self.effect.setText(short)

    def _apply_theme(self) -> None:
        tokens = self.theme.tokens
        for key, made in self.buttons.items():
            made.setIcon(icons.icon(self.rows[key].icon, tokens.text, tokens.border_strong))
        self._set_words()

    def _set_words(self) -> None:
        face = self.theme.face(12, 600)
        wide = sum(face.width(row.word) + _WITH_WORD for row in self.rows.values())
        says = wide + _GAP * (len(self.rows) - 1) + 2 * _MARGIN <= self.width() / self.theme.scale
        for key, made in self.buttons.items():
            made.setText(self.rows[key].word if says else "")


# ---- Pane: the match as a document with sections that fold

_MOST_CONTRIBUTIONS, _MOST_TRIGGERS, _LONGEST_RESPONSE = 4, 50, 400
_NAMES, _BESIDE_BAR, _LEAST_BAR, _MOST_BAR, _WORD_BAR = 142, 250, 40, 400, 80
"""Widths in units: names before bars, everything beside a bar, bounds of a bar, and the bar of a word."""
_UNBROKEN = re.compile(rf"^ (?=\S\S|\S$)| (?={numbers.TIMES})|(?<={numbers.TIMES}) |(?<=ln) ")
"""Spaces of an equation within a factor; lines are broken at its other spaces."""
SECTIONS: Mapping[str, str] = {
    "scores": "Scores",
    "computed": "How this was computed",
    "words": "Word by word",
    "triggers": "Triggers",
}
"""Foldable sections, by key."""
_SCORES_FROM = 480.0  # height of the pane in units from which the scores are open by default


class SelectedPanel(DocumentPanel):
    sections_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Selected", "Selected match", "search")
        self.shown: MatchDetails | None = None
        self.counts: WordImportance | None = None
        """Importance of the query's words, once known for this match."""
        self.sections: frozenset[str] = frozenset()
        """Sections that differ from their default: folded, but for the scores in a high pane."""
        self.sheet.anchorClicked.connect(lambda link: self.flip(link.toString()))
        self.foot = AnswerFoot(theme)
        self.foot.action_requested.connect(self.action_requested)
        self.foot.hide()
        self.column.addWidget(self.foot)
        self._draw()

    def show_sections(self, sections: frozenset[str]) -> None:
        self.sections = sections
        self._draw()

    def flip(self, key: str) -> None:
        self.show_sections(self.sections ^ {key})
        self.sections_changed.emit()

    def summary(self) -> str:
        return "" if self.shown is None else self.shown.row.name

    def show_state(self, scope_state: ScopeState) -> None:
        shown = None
        if scope_state.inspection is not None and scope_state.selected is not None:
            shown = match_details(scope_state.inspection, scope_state.selected, scope_state.settings)
            if scope_state.settings is not None:
                row = with_outcomes((shown.row,), scope_state.inspection, scope_state.settings)[0]
                shown = replace(shown, row=row)
        before, self.scope_state = self.scope_state, scope_state
        if scope_state.is_new_query(before) or picked_key(scope_state) != picked_key(before):
            self.sheet.verticalScrollBar().setValue(0)
        if shown != self.shown:
            self.counts = None
            self.foot.setVisible(shown is not None)
            self.foot.show_preview(None)
        self.shown = shown
        self._draw()

    def show_counts(self, counts: WordImportance) -> None:
        """Show the importance of words, if it belongs to the match shown."""
        inspection, match = self.scope_state.inspection, self.scope_state.selected
        if inspection is None or match is None or counts.query != inspection.query.scored:
            return
        if counts.name == match.answer.name:
            self.counts = counts
            self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._draw()

    def _draw(self) -> None:
        shown, inspection = self.shown, self.scope_state.inspection
        if shown is None:
            has_matches = inspection is not None and bool(inspection.matches)
            what = "The best match appears here." if inspection is None else "Nothing matches the query."
            what = "Select a match to see why." if has_matches else what
            self.show_empty("No answer selected", what)
            return
        wide = round(self.width() / self.theme.scale) - _BESIDE_BAR
        wide = max(_LEAST_BAR, min(_MOST_BAR, wide))
        lead, stop = _lead_rows(shown, wide), self.theme.px(_NAMES)
        rival = "" if shown.reason.rival is None else words.title(shown.reason.rival.answer)
        above = span(shown.reason.sentence, "below", "p")
        if lead:
            above = span(f"Ahead of {rival}" if shown.reason.lead > 0.0 else f"Against {rival}", "head", "p")
        parts = [_title_html(shown), above, table_html(lead, stop=stop)]
        contents: dict[str, Callable[[], str]] = {
            "scores": lambda: table_html(_score_rows(shown, wide), stop=stop),
            "computed": partial(_computed_html, shown),
        }
        if shown.parts or (self.counts is not None and self.counts.words):
            contents["words"] = partial(_words_html, shown, self.counts)
        contents["triggers"] = partial(_triggers_html, shown)
        for key, content in contents.items():
            is_open = (key in self.sections) != (key == "scores" and self.height() >= self.theme.px(_SCORES_FROM))
            note = f"“{shown.row.trigger}”" if key == "triggers" and shown.row.trigger else ""
            sign = icon_html("chevron-down" if is_open else "chevron-right", "text_2", 12)
            state = aside_html("open" if is_open else "folded")
            title = f"{sign} {link_html(key, SECTIONS[key], 'strong text')}{state} &nbsp;{span(note, 'text_2')}"
            parts += [f'<hr><p class="below">{title}</p>', content() if is_open else ""]
        self.show_html(lambda: "".join(parts))


def picked_key(scope_state: ScopeState) -> str:
    return "" if scope_state.selected is None else answer_key(scope_state.selected)


def _title_html(shown: MatchDetails) -> str:
    row, response = shown.row, shown.response
    glyph = "" if row.level is None or not row.shows_outcome else level_html(row.level)
    outcome = glyph + span(row.outcome, outcome_token(row)) if glyph else ""
    if len(response) > _LONGEST_RESPONSE:
        response = f"{response[: _LONGEST_RESPONSE - 1].rstrip()}…"
    title = table_html([(span(row.name, "title"), outcome)])
    subtitle = span(shown.subtitle * (shown.subtitle != row.outcome.lower()), "text_2 below", "p")
    return title + subtitle + span(response, "", "p")


def _lead_rows(shown: MatchDetails, wide: int) -> list[tuple[str, ...]]:
    """Return each scorer's advantage over the runner-up, in log-odds."""
    told = sorted(shown.reason.contributions, key=lambda one: -abs(one.value))[:_MOST_CONTRIBUTIONS]
    most = max((abs(one.value) for one in told), default=1.0) or 1.0
    rows: list[tuple[str, ...]] = []
    for one in told:
        tip, token = f"{numbers.signed(one.value)} log-odds", "accent" if one.value >= 0.0 else "warning"
        name = compared(one.name).removeprefix("the ").capitalize()
        against = "" if one.value >= 0.0 else span("against", "small text_2")
        rows.append((span(name, tip=tip), bar_html(abs(one.value) / most, token, wide) + aside_html(tip), against))
    return rows


def _score_rows(shown: MatchDetails, wide: int) -> list[tuple[str, ...]]:
    """Return a bar per scorer, with the thresholds as ticks, and the confidence last."""
    rows: list[tuple[str, ...]] = []
    for cell in shown.row.cells:
        scorer, classes = words.scorer(cell.scorer), "strong" if cell.decides else "text_2"
        rows.append(
            (
                f"{badge_html(cell.scorer)} {span(scorer.title, classes, tip=scorer.summary)}",
                bar_html(cell.value, cell.scorer, wide, shown.limits),
                span("absent" if cell.value is None else cell.text, f"mono {classes}"),
            )
        )
    limits = ", ".join(numbers.chance(limit) for limit in shown.limits)
    tip = f"The lines are at {limits}." if limits else ""
    bar = bar_html(shown.row.match.confidence, "accent", wide, shown.limits)
    rows.append((span("Confidence", "strong", tip=tip), bar, span(shown.row.confidence, "mono strong")))
    return rows


def _computed_html(shown: MatchDetails) -> str:
    rows = []
    for place, line in enumerate(shown.lines):
        pieces = (
            span(_UNBROKEN.sub("\xa0", piece.text), f"mono strong {piece.scorer}" if piece.scorer else "mono")
            for piece in line.pieces
        )
        last = "mono strong whole" if place == len(shown.lines) - 1 else "mono whole"
        rows.append(("".join(pieces), span(f"= {line.result}", last)))
    by_reason: dict[str, list[str]] = {}
    for one in shown.absent:
        by_reason.setdefault(one.reason, []).append(words.scorer(one.scorer).title)
    reason = span(shown.reason.sentence, "below", "p") if shown.reason.contributions else ""
    absent = (span(f"{', '.join(names)}: {why}", "small text_2", "p") for why, names in by_reason.items())
    return reason + (table_html(rows) if rows else span("No scorer could run.", "", "p")) + "".join(absent)


def _words_html(shown: MatchDetails, counts: WordImportance | None) -> str:
    """Return the parts of each score, and the change of the confidence without each word."""
    parts = "".join(map(_part_html, shown.parts))
    if counts is None or not counts.words:
        return parts
    rows, most = word_rows(counts), max((abs(row.share) for row in word_rows(counts)), default=0.0) or 1.0
    table = table_html(
        (
            span(row.text) + (span(f" (without it: {row.instead})", "small text_2") if row.instead else ""),
            bar_html(abs(row.share) / most, "accent" if row.share >= 0 else "danger", _WORD_BAR),
            span(row.adds, "mono text_2"),
        )
        for row in rows
    )
    sentences = (span(sentence, "small text_2", "p") for sentence in flip_sentences(counts))
    return parts + span("Without each word", "head", "p") + table + "".join(sentences)


def _part_html(part: Contribution) -> str:
    title = f"{badge_html(part.scorer)} {span(words.scorer(part.scorer).title, 'strong')}"
    lines = [table_html([(title, span(part.score, "mono strong"))])]
    for row in part.rows:
        more = span(f" and {row.more} more", "small text_2") if row.more else ""
        texts = " ".join(_word_html(word, part.scorer) for word in row.words)
        lines.append(f"<p>{span(row.title, 'small text_2')}&nbsp; {texts}{more}</p>")
    lines.append(span(part.sentence, "small text_2", "p"))
    if part.arithmetic:
        lines.append(f"<p>{span(f'{part.arithmetic} = ', 'small mono')}{span(part.score, 'small mono strong')}</p>")
    return "".join(lines)


def _word_html(word: Word, scorer: str) -> str:
    """Return a word: in the scorer's colour if both have it, underlined if both nearly have it."""
    looks = {Part.SAME: (f"strong underlined {scorer}", "in both"), Part.CLOSE: ("underlined", "nearly in both")}
    classes, tip = looks.get(word.part, ("text_2", ""))
    both = aside_html(f"({tip})" if tip else "")
    return span(word.text, classes, tip=tip) + both + (f" {span(word.note, 'small mono text_2')}" if word.note else "")


def _triggers_html(shown: MatchDetails) -> str:
    tip = about("success") if shown.row.kind is Kind.MEMORY else ""
    html = span(shown.use, "small text_2", tip=tip)
    if shown.best:
        html += span("Best trigger per scorer", "head", "p")
    for best in shown.best:
        names = ", ".join(words.scorer(scorer).title for scorer in best.scorers)
        html += f"<p>{''.join(map(badge_html, best.scorers))} {span(names, 'text_2')} {span(best.text)}</p>"
    if not shown.triggers:
        return html
    rows = [(span(text), span(score, "mono text_2")) for text, score in shown.triggers[:_MOST_TRIGGERS]]
    heads = span(f"Taught triggers: {len(shown.triggers)}", "small strong text_2")
    return html + table_html([(heads, span(words.scorer("semantic").title, "small text_2")), *rows])
