"""Intent pane: type, confidence, source, and the arithmetic of the confidence."""

from __future__ import annotations

from functools import partial

from PySide6.QtGui import QShowEvent

from app.display.scope.intent import IntentCard, LearnedCard, Policies, RuleEffect, intent_card, policies, type_source
from app.display.scope.surfacing import Surfacing
from app.display.words import about
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.controls import button
from app.gui.kit.document import aside_html, bar_html, span, table_html
from app.gui.kit.theme import Theme
from app.gui.scope.panels.panel import DocumentPanel

SURFACING = "search_intent.surfacing_threshold"
"""Setting that a type's confidence must reach for memories to be surfaced."""


class IntentPanel(DocumentPanel):
    """Intent pane, which can compare the merge policies; a link in its head ends that."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Type", "Type of the query", "scope")
        tip = "Show what the policy in force makes of it, alone"
        self.one = button("One policy", link=True, tip=tip, press=self.toggle_policies)
        self.threshold = button(
            "Change threshold",
            link=True,
            tip="Open the setting that keeps the memories from being injected",
            press=lambda: self.setting_requested.emit(SURFACING),
        )
        for link in (self.threshold, self.one):
            self.head.add(link)
            link.setVisible(False)
        self._summary = ""
        self.is_comparing = False
        self._draw()

    def summary(self) -> str:
        return self._summary

    def toggle_policies(self) -> None:
        """Switch between both merge policies and the one in force."""
        self.is_comparing = not self.is_comparing
        self._draw()

    def show_state(self, scope_state: ScopeState) -> None:
        if scope_state.is_new_query(self.scope_state):
            self.sheet.verticalScrollBar().setValue(0)
        self.scope_state = scope_state
        inspection = scope_state.inspection
        summary = "" if inspection is None else type_source(inspection, scope_state.settings) or "no type"
        if self.isVisible():
            self._draw()
        if summary != self._summary:
            self._summary = summary
            self.size_wish_changed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        self._draw()

    def _draw(self) -> None:
        inspection, settings = self.scope_state.inspection, self.scope_state.settings
        self.one.setVisible(self.is_comparing)
        card = None if inspection is None else intent_card(inspection, settings)
        if not self.scope_state.awaits_vector:  # the floor alone would show and hide it with each key
            least = None if card is None or not card.value else card.threshold
            held_back = card is not None and least is not None and card.value < least.value
            self.threshold.setVisible(held_back and not self.is_comparing)
        if inspection is None or card is None:
            self.show_empty(*self.scope_state.idle)
        else:
            self.show_html(partial(_intent_html, card, policies(inspection, settings) if self.is_comparing else None))


def _intent_html(card: IntentCard, both: Policies | None) -> str:
    shown = span(card.confidence, "number mono strong") if card.found else ""
    head = f'<p class="head">{span("Injection", tip=about("injected"))}</p>'
    sums = _policies_html(both) if both is not None else _sums_html(card)
    topics = span("Topics", "head", "p") + span(" · ".join(card.topics), "", "p") if card.topics else ""
    return "".join(
        (
            table_html([(span(card.headline, "title"), shown)]),
            span(card.source, "text_2 below", "p"),
            _marks_html(card),
            sums,
            _cues_html(card),
            _learned_html(card.learned),
            topics + span(card.no_topics, "small text_2", "p"),
            "" if card.surfacing is None else head + surfacing_html(card.surfacing),
        )
    )


def _marks_html(card: IntentCard) -> str:
    """Return bars of the keywords, the LLM, the final confidence and the threshold."""
    marks = [
        (m.word, m.value, m.text, "bar" if m.counts else "sunken") for m in sorted(card.marks, key=lambda m: m.value)
    ]
    marks.append(("Result", card.value, card.confidence, "accent" if card.found else "text_2"))
    if card.threshold is not None:
        marks.append((card.threshold.word, card.threshold.value, card.threshold.text, "border_strong"))
    rows = ((span(word), bar_html(value, token), span(text, "mono")) for word, value, text, token in marks)
    return table_html(rows, "30%")


def _sums_html(card: IntentCard) -> str:
    if not card.sums:
        return ""
    rows = [
        (_below(span(row.what), span(row.how, f"small text_2{' mono' * row.adds}")), span(row.value, "mono"))
        for row in card.sums
    ]
    return table_html([*rows, (span("Confidence", "strong"), span(card.total, "mono strong"))])


def _policies_html(table: Policies) -> str:
    """Return two policies in columns, with their first difference marked."""

    def cells(texts: tuple[str, ...], classes: str = "mono") -> list[str]:
        used = ("strong" if place == table.used else "text_2" for place in range(len(texts)))
        return [span(text or "–", f"{classes} {shade}") for text, shade in zip(texts, used, strict=True)]

    def named(texts: tuple[str, ...]) -> list[str]:
        return [f"{name}: {text}" for name, text in zip(table.names, texts, strict=True) if text]

    names = [span(name, "strong", tip=about(key)) for name, key in zip(table.names, table.keys, strict=True)]
    rows = [[span("Merge policy", "small strong text_2"), *names]]
    for row in table.rows:
        hows = [row.how] if row.how else named(row.hows)
        what = span(row.what, "accent strong" if row.parts else "text")
        rows.append([_below(what, *(span(how, "small text_2") for how in hows)), *cells(row.values)])
    rows.append([span("Confidence", "strong"), *cells(table.confidences)])
    types = named(table.types) if len(set(table.types)) > 1 else []
    more = (span(text, "small text_2", "p") for text in (*types, *(named(table.topics) if table.topics else ())))
    return table_html(rows) + "".join(more) + span(table.sentence, "text_2", "p")


def _cues_html(card: IntentCard) -> str:
    if not card.cues:
        return ""
    rows = []
    for row in card.cues:
        won = row.rule_effect is RuleEffect.WON
        cues = " · ".join(span(text, "accent accent_soft" if won else "text_2") for text in row.cues)
        rows.append((f"{span(f'{row.type}:', 'strong' if won else 'text_2')} {cues}", span(row.weight, _value(won))))
    return span(card.cues_title, "head", "p") + table_html(rows) + span(card.other, "text_2", "p")


def _learned_html(learned: LearnedCard | None) -> str:
    """Return the vote of the examples: shares, decisive words, nearest examples."""
    if learned is None:
        return ""
    shares = (
        (span(one.type, "strong" if one.is_first else "text_2"), span(one.value, _value(one.is_first)))
        for one in learned.shares
    )
    texts = (span(f"“{one.text}”", "text" if one.is_first else "text_2") for one in learned.near)
    near = (
        (_below(text, span(f"{one.type}, {one.origin}", "small text_2")), span(one.similarity, "small mono text_2"))
        for text, one in zip(texts, learned.near, strict=True)
    )
    said = span(learned.sentence, "text_2", "p")
    return span(learned.title, "head", "p") + table_html(shares) + said + table_html(near)


def surfacing_html(shown: Surfacing) -> str:
    """Return the sentence on the injection, and the table with the present row in bold."""
    looks = ((row, "strong" if row.holds else "text_2") for row in shown.rows)
    table = table_html(
        (
            f"{span(f'≥ {row.least}', f'mono {look}')}&nbsp;&nbsp;{span(row.count, look)}",
            span(row.note, f"small {look}") + aside_html("in force" * row.holds),
        )
        for row, look in looks
    )
    return span(shown.sentence, "below", "p") + table


def _value(is_first: bool) -> str:
    return "mono strong" if is_first else "mono text_2"


def _below(*lines: str) -> str:
    return "<br>".join(filter(None, lines))
