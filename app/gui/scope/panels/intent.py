"""Intent pane: type, confidence, source, and the arithmetic of the confidence."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QWidget

from app.display.scope.intent import (
    CueRow,
    IntentCard,
    LearnedCard,
    LearnedNear,
    Policies,
    RuleEffect,
    intent_card,
    policies,
)
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.controls import PaneHeader, button
from app.gui.kit.drawing.canvas import LEFT, RIGHT, Canvas
from app.gui.kit.drawing.sheet import Sheet, scrolled
from app.gui.kit.theme.theme import Theme
from app.gui.scope.panels.arithmetic import draw_arithmetic, draw_policies, draw_ruler, draw_surfacing
from app.gui.scope.panels.panel import Panel, draw_empty

_PAD = 16.0

SURFACING = "search_intent.surfacing_threshold"
"""Setting that a type's confidence must reach for memories to be surfaced."""


class IntentSheet(Sheet):
    under_bar = True
    has_query = False
    """True if there is a query, even without an answer yet."""
    card: IntentCard | None = None
    both: Policies | None = None
    """The merge policies side by side, if requested."""

    def compose(self, canvas: Canvas) -> float:
        card = self.card
        if card is None:
            line, what = "No query yet", "Type a sentence above to see what it asks for."
            if self.has_query:
                line, what = "Working", "The type of the query appears here."
            return draw_empty(canvas, "scope", line, what, self.height_units)
        y = self._headline(canvas, card)
        y = draw_ruler(canvas, self.theme, card, _PAD, y + 14, canvas.width - 2 * _PAD)
        if self.both is not None:
            y = draw_policies(canvas, self.theme, self.both, y + 18)
        elif card.sums:
            y = draw_arithmetic(canvas, self.theme, card.sums, card.confidence, y + 18)
        y = self._cues(canvas, card, y + 8)
        y = self._learned(canvas, card.learned, y + 14)
        y = self._topics(canvas, card, y + 14)
        return (draw_surfacing(canvas, self.theme, card.surfacing, y + 14) if card.surfacing else y) + 10

    def _headline(self, canvas: Canvas, card: IntentCard) -> float:
        face = self.theme.face
        right = canvas.width - _PAD
        number = face(22, 700, mono=True).width(card.confidence)
        canvas.text(QRectF(_PAD, 4, right - _PAD - number - 8, 24), card.headline, face(18, 650))
        canvas.text(
            QRectF(right - number - 2, 6, number + 2, 26), card.confidence, face(22, 700, mono=True), "text", RIGHT
        )
        if card.found:
            canvas.text(QRectF(_PAD, 27, right - _PAD, 16), card.source, face(12), "text_2")
            return 44
        return 29 + canvas.paragraph(QRectF(_PAD, 29, right - _PAD, 60), card.source, face(12), "text_2")

    def _cues(self, canvas: Canvas, card: IntentCard, y: float) -> float:
        if not card.cues:
            return y - 14
        face = self.theme.face
        canvas.text(QRectF(_PAD, y, canvas.width - 32, 16), card.cues_title, face(11, 600), "text_2")
        y += 18
        names = max(face(12, 600).width(row.type) for row in card.cues)
        for row in card.cues:
            self._cue(canvas, row, y, names)
            y += 22
        if card.other:
            y += 2 + canvas.paragraph(QRectF(_PAD, y + 2, canvas.width - 32, 40), card.other, face(12), "text_2")
        return y

    def _cue(self, canvas: Canvas, row: CueRow, y: float, names: float) -> None:
        face = self.theme.face
        won = row.rule_effect is RuleEffect.WON
        right = canvas.width - _PAD
        if won:
            canvas.triangle(_PAD + 4, y + 8)
        canvas.text(QRectF(34, y, names + 2, 22), row.type, face(12, 600 if won else 400), "text" if won else "text_2")
        number = face(12, 700 if won else 400, mono=True) if row.rule_effect is not RuleEffect.HELD_BACK else face(11)
        width = number.width(row.weight)
        canvas.text(QRectF(right - width - 2, y, width + 2, 22), row.weight, number, "text" if won else "text_2", RIGHT)
        x, end = 34 + names + 9, right - width - 8
        for text in row.cues:
            chip = min(face(11, 500).width(text) + 16, end - x)
            if chip < 28:
                break
            canvas.fill(QRectF(x, y + 2, chip, 18), "accent_soft" if won else "sunken", 4)
            canvas.text(QRectF(x + 8, y + 2, chip - 16, 18), text, face(11, 500), "accent" if won else "text_2", LEFT)
            x += chip + 4

    def _learned(self, canvas: Canvas, learned: LearnedCard | None, y: float) -> float:
        """Draw the vote of the examples: shares, decisive words, nearest examples."""
        if learned is None:
            return y - 14
        face, right = self.theme.face, canvas.width - _PAD
        y += canvas.paragraph(QRectF(_PAD, y, right - _PAD, 40), learned.title, face(11, 600), "text_2") + 3
        for share in learned.shares:
            token, weight = ("text", 600) if share.is_first else ("text_2", 400)
            number = face(12, 700 if share.is_first else 400, mono=True)
            if share.is_first:
                canvas.triangle(_PAD + 4, y + 6)
            canvas.text(QRectF(34, y, right - 100, 18), share.type, face(12, weight), token)
            canvas.text(QRectF(right - 70, y, 70, 18), share.value, number, token, RIGHT)
            y += 19
        if learned.sentence:
            y += canvas.paragraph(QRectF(_PAD, y + 2, right - _PAD, 60), learned.sentence, face(12), "text_2") + 4
        for near in learned.near:
            y = self._example(canvas, near, y + 3)
        return y

    def _example(self, canvas: Canvas, near: LearnedNear, y: float) -> float:
        face, right = self.theme.face, canvas.width - _PAD
        token = "text" if near.is_first else "text_2"
        canvas.text(QRectF(right - 60, y, 60, 16), near.similarity, face(11, mono=True), "text_2", RIGHT)
        canvas.text(QRectF(_PAD, y, right - _PAD - 64, 16), f"“{near.text}”", face(12), token)
        canvas.text(QRectF(_PAD, y + 16, right - _PAD, 14), f"{near.type}, {near.origin}", face(11), "text_2")
        return y + 32

    def _topics(self, canvas: Canvas, card: IntentCard, y: float) -> float:
        if not card.topics:
            return y - 14
        face = self.theme.face
        canvas.text(QRectF(_PAD, y, canvas.width - 32, 16), "Topics", face(11, 600), "text_2")
        x, y, end = _PAD, y + 19, canvas.width - _PAD
        for topic in card.topics:
            chip = min(face(11, 500).width(topic) + 14, end - _PAD)
            if x > _PAD and x + chip > end:
                x, y = _PAD, y + 23
            canvas.fill(QRectF(x, y, chip, 19), "sunken", 4)
            canvas.text(QRectF(x + 7, y, chip - 14, 19), topic, face(11, 500))
            x += chip + 5
        canvas.explain(QRectF(_PAD, y, canvas.width - 32, 19), card.no_topics)
        return y + 19


class IntentPanel(Panel):
    """Intent pane, which can compare the merge policies; a link in its head ends that."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Type")
        self.sheet = IntentSheet(theme, "Type of the query")
        self.area = scrolled(self.sheet, "Type")
        self.is_comparing = False
        tip = "Show what the policy in force makes of it, alone"
        self.one = button("One policy", link=True, tip=tip, press=self.toggle_policies)
        self.one.setVisible(False)
        self.threshold = button(
            "Change threshold",
            link=True,
            tip="Open the setting that keeps the memories from being injected",
            press=lambda: self.setting_requested.emit(SURFACING),
        )
        self.threshold.setVisible(False)
        self.column.addWidget(PaneHeader(theme, "Type", self.threshold, self.one))
        self.column.addWidget(self.area, 1)
        self._draw()

    def focus_target(self) -> QWidget:
        return self.area

    def summary(self) -> str:
        card = self.sheet.card
        return "" if card is None else card.source if card.found else "no type"

    def toggle_policies(self) -> None:
        """Switch between both merge policies and the one in force."""
        self.is_comparing = not self.is_comparing
        self._draw()

    def show_state(self, scope_state: ScopeState) -> None:
        if scope_state.is_new_query(self.scope_state):
            self.area.verticalScrollBar().setValue(0)
        self.scope_state = scope_state
        self._draw()

    def _draw(self) -> None:
        inspection, settings = self.scope_state.inspection, self.scope_state.settings
        card = intent_card(inspection, settings) if inspection is not None else None
        both = policies(inspection, settings) if inspection is not None and self.is_comparing else None
        self.one.setVisible(self.is_comparing)
        if not self.scope_state.awaits_vector:  # the floor alone would show and hide it with each key
            self.threshold.setVisible(card is not None and _is_held_back(card) and not self.is_comparing)
        has_query = self.scope_state.has_query
        if (card, both, has_query) != (self.sheet.card, self.sheet.both, self.sheet.has_query):
            self.sheet.card, self.sheet.both, self.sheet.has_query = card, both, has_query
            self.sheet.update()
            self.size_wish_changed.emit()


def _is_held_back(card: IntentCard) -> bool:
    """Check if only the threshold prevents surfacing."""
    return card.found and card.threshold is not None and card.value < card.threshold.value
