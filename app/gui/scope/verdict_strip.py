"""Verdict above the panes: the result of each decision, the reasons, and helpful links."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from itertools import accumulate, zip_longest

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.display.scope.verdict import HELP_WORDS, Help, Verdict, verdict
from app.display.words import Level, about
from app.domain.match import Match
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.canvas import Canvas
from app.gui.kit.controls import ElidedLabel, button
from app.gui.kit.layouts import spaced
from app.gui.kit.theme import Theme, styled

_HIGH_FROM, _FIVE, _THREE, _TWO = 480.0, 90.0, 82.0, 56.0
"""Minimum page height for three lines, and the heights of five, three and two lines, in units."""

_LARGE, _NARROW, _TIGHT_FROM, _MOST_HEADLINES = 1.5, 860.0, 280.0, 3
"""Minimum text scale, maximum width, minimum height, and headline lines of a five-line verdict."""

_LINKS_FROM: tuple[float, ...] = (520.0, 860.0, 1400.0)
"""Minimum widths in units for a first, second and third link beside the verdict."""

ACTS: Mapping[Help, str] = {
    Help.WHY_NOT: "why_not",
    Help.TEACH: "teach",
    Help.CONNECT_LLM: "llm",
    Help.APPROVE: "approve_power",
}
PLACES: Mapping[Help, str] = {Help.COMMAND: "powers"}
SETTING: Mapping[Help, str] = {
    Help.LEAST_ANSWER: "fallback_threshold",
    Help.LEAST_FOUND: "tiers.weak",
    Help.LEAST_OF_LABEL: "label_thresholds",
    Help.LEAST_ACTIVATED: "tiers.high",
    Help.LEAST_SURFACED: "search_intent.surfacing_threshold",
    Help.LEAST_CONFIDENCE: "search_intent.surfacing_confidence",
    Help.LEAST_CERTAIN: "search_intent.certain_confidence",
}
"""Targets of help links: an action of the window, the answer on its page, or a setting."""


class Glyph(QWidget):
    """Glyph of a band or tier, as in the rows of matches."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.level: Level | None = None
        self.setFixedSize(QSize(theme.px(20), theme.px(20)))

    def show_level(self, level: Level | None) -> None:
        """Draw the glyph of a level; None draws nothing."""
        if level is not self.level:
            self.level = level
            self.setVisible(level is not None)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.level is not None:
            Canvas(QPainter(self), self.theme, self.width()).level(self.level, 1, 4)


class Headline(ElidedLabel):
    """Decisions in one line, their names in bold; `text` is without markup."""

    parting = " · "
    _plain = ""

    def text(self) -> str:
        return self._plain

    def setText(self, text: str) -> None:
        self._plain = text
        super().setText(self.drawn(text))

    def drawn(self, text: str) -> str:
        """Return the text as HTML, with percentages and outcomes in regular weight."""
        said = re.sub(r" \S+ %[^·]*", '\u200e<span style="font-weight:400">\\g<0></span>', escape(text))
        return f'<div dir="ltr" style="white-space:pre">{said}</div>'


class Lines(QWidget):
    """Lines with a glyph before the first and links beside the last, placed without a layout.

    A layout would rearrange the whole window with each text. Links have their place, also beside an empty last line.
    """

    def __init__(self, theme: Theme, sign: QWidget, lines: Sequence[QLabel], links: Sequence[QWidget]) -> None:
        super().__init__()
        self.theme, self._sign, self._lines, self._links = theme, sign, lines, links
        for widget in (sign, *lines, *links):
            widget.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize, QEvent.Type.Show):
            self.place()
        return super().event(event)

    def place(self) -> bool:
        """Give each shown line its height, centred vertically; return False if links cut the last text."""
        shown = [line for line in self._lines if not line.isHidden()]
        heights = [line.sizeHint().height() for line in shown]
        gap = self.theme.px(1)
        while len(shown) > 1 and sum(heights) + gap * (len(shown) - 1) > self.height():
            shown.pop().setGeometry(QRect())  # a line is drawn whole or not at all
            heights.pop()
        top = max(0, (self.height() - sum(heights) - gap * (len(shown) - 1)) // 2)
        indent = 0 if self._sign.isHidden() else self._sign.width() + self.theme.px(6)
        if heights and indent:
            self._sign.move(0, top + (heights[0] - self._sign.height()) // 2)
        for line, height in zip(shown, heights, strict=True):
            right = self._place_links(top + height // 2) if line is shown[-1] else self.width()
            line.setGeometry(QRect(indent, top, max(0, right - indent), height))
            top += height + gap
        return not shown or shown[-1].fontMetrics().horizontalAdvance(shown[-1].text()) <= shown[-1].width()

    def _place_links(self, middle: int) -> int:
        """Place the links at the right, centred on this height; return where the space for the text ends."""
        end = self.width()
        for link in reversed([link for link in self._links if not link.isHidden()]):
            size = link.sizeHint()
            end -= size.width()
            link.setGeometry(QRect(QPoint(end, max(0, middle - size.height() // 2)), size))
            end -= self.theme.px(12)
        return end


class VerdictStrip(QWidget):
    """Lines that can be selected and read by screen readers, with links on the right."""

    picked = Signal(Match)  # match for the next action
    action_requested = Signal(str)  # key of an action
    page_requested = Signal(str, str)  # a page, and the key of an item on it
    setting_requested = Signal(str)  # key of a setting

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.shown: Verdict | None = None
        self._high = 0.0
        self._state = ScopeState()
        self._offered: list[Help] = []
        self.setAccessibleName("Verdict")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.glyph = Glyph(theme)
        self.headline, self.reasons = Headline(), (Headline(), Headline(), ElidedLabel(), ElidedLabel())
        self.reasons[0].parting = self.reasons[1].parting = ""
        for line, role in ((self.headline, "headline"), *((reason, "lead") for reason in self.reasons)):
            styled(line, role=role)
            line.setTextFormat(Qt.TextFormat.RichText if isinstance(line, Headline) else Qt.TextFormat.PlainText)
            line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.links = [button("", link=True, press=partial(self._help, place)) for place in range(len(_LINKS_FROM))]
        self._arrange()
        theme.changed.connect(self._apply_theme)
        self.fit(0.0)
        self._show_verdict(None)

    def _arrange(self) -> None:
        px = self.theme.px
        row = spaced(QHBoxLayout(self), 0, px(16), px(2), px(12), px(2))
        self.lines = Lines(self.theme, self.glyph, (self.headline, *self.reasons), self.links)
        row.addWidget(self.lines)

    def show_state(self, state: ScopeState) -> None:
        """Show the verdict of the answer; the last one stays if a better one follows within ms."""
        self._state, inspection, settings = state, state.inspection, state.settings
        if inspection is None or settings is None:
            self._show_verdict(None)
        elif self.shown is None or not state.awaits_vector:
            self._show_verdict(verdict(inspection, settings))

    def fit(self, height: float) -> None:
        """Show as many lines as fit a page of this height, in units."""
        is_high = height >= (_TIGHT_FROM if self._is_tight else _HIGH_FROM)
        for reason in self.reasons[1:]:
            reason.setVisible(is_high and (reason is self.reasons[1] or self._is_tight))
        self._high = (_FIVE if self._is_tight else _THREE) if is_high else _TWO
        self.setMaximumHeight(self.theme.px(self._high))
        self.updateGeometry()

    @property
    def _is_tight(self) -> bool:
        """True if large text leaves too little width for the reasons and links side by side."""
        return self.theme.scale >= _LARGE and self.width() < self.theme.px(_NARROW)

    def sizeHint(self) -> QSize:
        return QSize(0, self.theme.px(self._high))

    def minimumSizeHint(self) -> QSize:
        """Return zero: with little space, names and confidences of matches have priority."""
        return QSize(0, 0)

    def _show_verdict(self, shown: Verdict | None) -> None:
        self.shown = shown
        self.glyph.show_level(None if shown is None else shown.level)
        provisional = "" if shown is None else shown.provisional
        shade, role = "text_2" if provisional else "text", "name" if self._is_tight else "headline"
        styled(self.headline, role=role, shade=shade)  # first: the texts are broken by its font
        texts, heads = ((*self._state.idle, "", "", ""), 1) if shown is None else self._texts(shown)
        for line, text in zip((self.headline, *self.reasons), texts, strict=True):
            if line.text() != text:
                line.setText(text)
        for place, reason in enumerate(self.reasons, 2):
            styled(reason, role=role if place <= heads else "lead", shade=shade if place <= heads else "text")
        hidden = "" if shown is None or heads == 1 else "\n".join(shown.reasons)
        terms = "" if shown is None else about(*shown.terms)
        self.headline.about = "\n".join(filter(None, (provisional, hidden, terms)))
        told = texts if shown is None else (shown.headline, *shown.reasons)
        self.setAccessibleDescription(" ".join(filter(None, (*told, provisional))))
        self._show_links()

    def _texts(self, shown: Verdict) -> tuple[Sequence[str], int]:
        """Return the text of each line, and the number of headline lines; long ones take spare lines."""
        lines, room = 1 + sum(not reason.isHidden() for reason in self.reasons), self.width() - self.theme.px(60)
        parting, metrics = self.headline.parting, self.headline.fontMetrics()
        texts, rest = list[str](), shown.headline
        most = _MOST_HEADLINES if lines > _MOST_HEADLINES else max(1, lines - len(shown.reasons))
        while rest:
            text, rest = _broken(rest, parting, metrics, room) if len(texts) < most - 1 else (rest, "")
            texts.append(text)
        heads = len(texts)
        waiting = [*shown.reasons]
        while waiting:
            is_spare, reason = lines > len(texts) + len(waiting), waiting.pop(0)
            text, rest = _broken(reason, " ", self.reasons[1].fontMetrics(), room) if is_spare else (reason, "")
            texts.append(text)
            waiting[:0] = [rest] * bool(rest)
        return [*texts[:5], *[""] * (5 - len(texts))], heads

    def _show_links(self) -> None:
        width = self.width() / self.theme.scale
        room = sum(width >= least for least in _LINKS_FROM)
        if self._is_tight:
            room = max(1, room + self.reasons[1].isVisibleTo(self))
        offered = () if self.shown is None else self.shown.help[:room]
        fewer = [one for one in offered if one not in SETTING] if Help.WHY_NOT in offered else offered
        for kept in (offered, fewer):  # why-not offers thresholds, too
            self._offered = sorted(kept, key=lambda wanted: wanted is Help.WHY_NOT)  # always the last, so in one place
            for link, wanted in zip_longest(self.links, self._offered):
                link.setText(HELP_WORDS[wanted] if wanted else "")
                link.setVisible(bool(wanted))
            if self.lines.place():
                break

    def _help(self, place: int) -> None:
        if self.shown is None:
            return
        wanted, match = self._offered[place], self.shown.match
        if wanted is Help.APPROVE:
            self.picked.emit(match)
        if wanted in ACTS:
            self.action_requested.emit(ACTS[wanted])
        elif wanted in PLACES:
            self.page_requested.emit(PLACES[wanted], "" if match is None else str(match.answer.key))
        else:
            self.setting_requested.emit(SETTING[wanted])

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.StyleChange):  # the latter once fonts have changed
            self._show_verdict(self.shown)
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.color("surface"))
        painter.fillRect(QRect(0, self.height() - 1, self.width(), 1), self.theme.color("border"))

    def _apply_theme(self) -> None:
        self.glyph.setFixedSize(QSize(self.theme.px(20), self.theme.px(20)))


def _broken(text: str, parting: str, metrics: QFontMetrics, room: int) -> tuple[str, str]:
    """Return as many parts of a text as fit the room, at least one, and the rest."""
    parts = text.split(parting)
    starts = accumulate(parts, lambda start, part: f"{start}{parting}{part}")
    fits = sum(metrics.horizontalAdvance(start) <= room for start in starts) or 1
    return parting.join(parts[:fits]), parting.join(parts[fits:])
