"""Editor of one rule: fields, faults, and the live test on the query and on all cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.detect.patterns import LINEAR
from app.detect.rule_trial import RuleEffect
from app.display.library.rules import (
    CHECKING,
    PURPOSES,
    CaseLine,
    HighlightedText,
    RuleDraft,
    SampleLine,
    case_line,
    fault_sentence,
    highlighted,
    match_counts,
    readable,
    sample_line,
    trial_limits,
    unlisted_cases,
    verdict,
)
from app.display.library.teaching import preview_base, preview_lines, preview_short
from app.display.words import type_word
from app.domain.intent import IntentType, RulePurpose
from app.domain.why_not import EditPreview
from app.gui.kit.controls import PaneHeader, button, line_edit
from app.gui.kit.document import DocumentView, icon_html, span
from app.gui.kit.fields import ChoiceBox, Switch, UndoKeyFilter, handle_escape, plain_tip
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import FaultLine, Section, WrappedLabel
from app.gui.kit.theme import Theme, Themed, styled
from app.services.library.rules import RuleTrialResult

LONGEST = 4_000
"""Maximum length of a pattern in characters."""


class RuleEditor(Themed):
    """Editor that emits `changed` with every keystroke; the page decides when to store."""

    changed = Signal(RuleDraft)
    save_requested = Signal()
    revert_requested = Signal()
    line_changed = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.draft: RuleDraft | None = None
        self.setAccessibleName("Rule")
        self.pattern, self.unless = _field(LONGEST), _field(LONGEST)
        self.line = line_edit("Another text to try the rule on", hint="Type a query to try the rule on", longest=2_000)
        self.weight, self.confidence, self.pack = _field(20), _field(20), _field(60)
        self.label = QComboBox(editable=True)
        self.label.addItems([*map(type_word, IntentType)])
        self.purpose = ChoiceBox([(kind.value, word) for kind, word in PURPOSES.items()])
        self.enabled = Switch(theme)
        self.save = button("Save", primary=True, tip="Save the rule (Ctrl+S)", press=self.save_requested.emit)
        self.revert = button("Revert", tip="Drop what is not saved (Esc)", press=self.revert_requested.emit)
        self.head = PaneHeader(theme, "Rule", self.revert, self.save, wraps=True)
        self.about = WrappedLabel(role="body")
        self.about.setContentsMargins(theme.px(16), 0, theme.px(16), theme.px(6))
        self.refusal = FaultLine(theme)
        self.hints = styled(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), role="hints")
        self.hints.setVisible(False)
        self.test_head = PaneHeader(theme, "Try it")
        self.sheet = TrialView(theme, "Live test")
        self._arrange()
        self._connect()
        self.typing = UndoKeyFilter(self)
        for field in (self.pattern, self.unless):
            field.setFont(theme.font(13, mono=True))
            styled(field, role="mono")

    # ---- widgets

    def _arrange(self) -> None:
        px = self.theme.px
        body = QWidget()
        first, more = spaced(QGridLayout()), spaced(QGridLayout(body))
        for grid in (first, more):
            grid.setContentsMargins(px(16), px(6), px(16), px(6))
            grid.setHorizontalSpacing(px(8))
            grid.setVerticalSpacing(px(6))
            grid.setColumnMinimumWidth(0, px(48))
            grid.setColumnStretch(1, 3)
            grid.setColumnStretch(3, 2)
        self._pair(first, 0, ("&Pattern", self.pattern))
        self._pair(first, 1, ("&Result", self.label), ("State", self.enabled))
        self._pair(more, 0, ("U&nless", self.unless))
        self._pair(more, 1, ("P&urpose", self.purpose), ("&Weight", self.weight))
        self._pair(more, 2, ("Pac&k", self.pack), ("C&onfidence", self.confidence))
        self.more = Section(self.theme, "Unless, weight and pack", body)
        self._lines()[-1].setAccessibleName("Result")
        self.pattern.setToolTip(plain_tip(LINEAR))
        self.unless.setPlaceholderText("none; a match here overrules the rule")
        self.confidence.setPlaceholderText("none")
        trying = fill(spaced(QHBoxLayout(), None, px(16), 0, px(16), px(4)), self.line)
        whole = spaced(QVBoxLayout(self))
        fill(whole, self.head, self.about, self.refusal, self.hints, first, self.more)
        fill(whole, self.test_head, trying, (self.sheet, 1))

    def _pair(self, grid: QGridLayout, row: int, *pairs: tuple[str, QWidget]) -> None:
        for place, (word, field) in enumerate(pairs):
            grid.addWidget(self._word(word, field), row, 2 * place)
            grid.addWidget(field, row, 2 * place + 1, 1, 1 if len(pairs) > 1 else 3)

    def _word(self, word: str, field: QWidget) -> QLabel:
        label = styled(QLabel(word), role="body")
        label.setBuddy(field)
        field.setAccessibleName(word.replace("&", ""))
        return label

    def _connect(self) -> None:
        for field in (self.pattern, self.unless, self.weight, self.confidence, self.pack):
            field.textEdited.connect(self._on_edit)
        self.label.editTextChanged.connect(self._on_edit)
        self.purpose.changed.connect(self._on_edit)
        self.enabled.changed.connect(self._on_switch)
        self.line.textChanged.connect(self.line_changed)
        for watched in (*self._lines(), self.purpose, self.enabled):
            watched.installEventFilter(self)

    def _lines(self) -> list[QLineEdit]:
        label = self.label.lineEdit()
        assert label is not None, "the label can be edited"
        return [self.pattern, self.unless, self.weight, self.confidence, self.pack, label]

    # ---- display

    def show_draft(self, draft: RuleDraft | None, *, is_shipped: bool = False) -> None:
        """Show a rule, or nothing; fields with the same text keep their state."""
        if draft is None or self.draft is None or draft.id != self.draft.id:
            self.about.show_text(CHECKING)
        self.draft = None
        for field, text in zip(self._lines(), _texts(draft), strict=True):
            if field.text() != text:
                field.setText(text)
                field.setCursorPosition(0)
        if draft is not None:
            self.purpose.show_value(draft.purpose.value)
            self.enabled.setChecked(draft.enabled)
        self.draft = draft
        self.pack.setReadOnly(is_shipped)
        self._describe()

    def show_hints(self, hints: Sequence[str]) -> None:
        """Show hints on possible faults of the stored rule."""
        text = "\n".join(hints)
        if text != self.hints.text():
            self.hints.setText(text)
            self.hints.setVisible(bool(text))

    def show_preview(self, preview: EditPreview | None) -> None:
        """Show the effect of saving on the button and below it; None if unknown."""
        short = "" if preview is None else preview_short(preview)
        self.save.setText(f"Save: {short}" if short else "Save")
        told = (preview_base(preview), *preview_lines(preview)) if preview is not None and short else ()
        self.sheet.show_preview(" ".join(told))

    def show_trial(self, trial: RuleTrialResult) -> None:
        """Show the result of the live test of the draft."""
        self.sheet.show_trial(trial)
        self.about.show_text("" if _has_fault(trial) else match_counts(self.sheet.counted or trial))

    def show_refusal(self, sentence: str) -> None:
        """Show why the rule was not stored; "" hides it."""
        self.refusal.show_fault(sentence)

    def _describe(self) -> None:
        draft = self.draft
        changed = draft is not None and draft.is_changed
        faults = {} if draft is None else draft.faults()
        self.save.setEnabled(changed)
        self.revert.setEnabled(changed)
        name = "" if draft is None else readable(draft.pattern)
        self.head.more.about = "" if draft is None else draft.id
        self.head.set_more(f"{name} · not saved" if changed else name)
        for key, field in (("label", self.label), ("weight", self.weight), ("confidence", self.confidence)):
            field.setToolTip(plain_tip(faults.get(key, "")))
            field.setAccessibleDescription(faults.get(key, ""))
        sentence = next((text for key, text in faults.items() if key != "pattern"), "")
        if sentence or self._is_own_fault:
            self.refusal.show_fault(sentence)
        self._is_own_fault = bool(sentence)

    _is_own_fault = False
    """True if the shown refusal is about a field, and disappears when that is corrected."""

    # ---- editing

    def _on_edit(self, *_: object) -> None:
        if self.draft is None:
            return
        label = self.label.currentText()
        self.draft = replace(
            self.draft,
            pattern=self.pattern.text(),
            unless=self.unless.text(),
            weight=self.weight.text(),
            confidence=self.confidence.text(),
            pack=self.pack.text(),
            label={type_word(kind): kind.value for kind in IntentType}.get(label, label),
            purpose=RulePurpose(self.purpose.currentData()),
            enabled=self.enabled.isChecked(),
        )
        self._describe()
        self.changed.emit(self.draft)

    def _on_switch(self, *_: object) -> None:
        """Save a switched state at once; for a new rule it is only part of the draft."""
        self._on_edit()
        if self.draft is not None and self.draft.base is not None:
            self.save_requested.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Save on Enter; discard unsaved input on Esc, which otherwise goes to the window."""
        if isinstance(event, QKeyEvent) and self.draft is not None and self.draft.is_changed:
            if handle_escape(event, self.revert_requested.emit):
                return True
            is_pressed = isinstance(watched, QLineEdit) and event.type() is QEvent.Type.KeyPress
            if is_pressed and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.save_requested.emit()
                return True
        return super().eventFilter(watched, event)


def _field(longest: int) -> QLineEdit:
    return QLineEdit(maxLength=longest)


def _texts(draft: RuleDraft | None) -> list[str]:
    if draft is None:
        return [""] * 6
    return [draft.pattern, draft.unless, draft.weight, draft.confidence, draft.pack, type_word(draft.label)]


# ---- Live test: matches in the query, and cases whose answer changes.


_TOKENS = {RuleEffect.TURNS_WRONG: "danger", RuleEffect.TURNS_RIGHT: "success", RuleEffect.CHANGES: "warning"}
_ICONS = {RuleEffect.TURNS_WRONG: "cross", RuleEffect.TURNS_RIGHT: "check"}


class TrialView(DocumentView):
    """Result of the live test; until its cases are counted, the previous ones are shown dimmed."""

    trial: RuleTrialResult | None = None
    counted: RuleTrialResult | None = None
    preview = ""
    _lines = ""

    @property
    def is_stale(self) -> bool:
        """True if the cases shown are those of an earlier draft."""
        return self.counted is not None and self.trial is not None and self.counted.attempt != self.trial.attempt

    def show_trial(self, trial: RuleTrialResult) -> None:
        """Show the result of the live test of a draft."""
        self.trial = trial
        if trial.is_whole:
            self.counted = trial
            self._lines = "".join(_case(case_line(outcome)) for outcome in trial.outcomes)
        elif self.counted is not None and self.counted.attempt.draft.id != trial.attempt.draft.id:
            self.counted, self._lines = None, ""
        self._show()

    def show_preview(self, said: str) -> None:
        """Show the effect of saving on final answers; "" if unknown."""
        self.preview = said
        self._show()

    def _show(self) -> None:
        if (trial := self.trial) is None:
            return
        if _has_fault(trial):
            self.show_html(_fault(trial))
            return
        counted = self.counted or trial
        none = span("Type a query on the scope or a line above to try the rule on it.", "text_2", "p")
        shade = "text_2" if self.is_stale else "text"
        parts = (
            "".join(_sample(sample_line(sample, trial)) for sample in trial.samples) or none,
            span(trial_limits(trial), "small text_2", "p") if trial.samples or counted.cases else "",
            "<hr>",
            span(verdict(counted), f"body strong {shade}" if counted.cases else "small text_2 below", "p"),
            span(f"With examples and all else that decides: {self.preview}", "small text_2 below", "p")
            if self.preview
            else "",
            f'<table width="100%" cellspacing="0">{self._lines}</table>' if self._lines else "",
            span(unlisted_cases(counted), "small text_2", "p"),
            "<hr>" + span("Matched texts", "strong below", "p") if counted.matches else "",
            *(f'<p class="below">{_marked(highlighted(*match))}</p>' for match in counted.matches),
        )
        self.show_html("".join(parts))


def _has_fault(trial: RuleTrialResult) -> bool:
    return trial.fault is not None or trial.unless_fault is not None


def _fault(trial: RuleTrialResult) -> str:
    """Return the pattern that does not compile, with the place marked, and what to write instead."""
    draft, in_unless = trial.attempt.draft, trial.fault is None
    fault, source = (trial.unless_fault, draft.unless or "") if in_unless else (trial.fault, draft.pattern)
    assert fault is not None, "one of the patterns does not compile"
    start, end = fault.place - 1, fault.place - 1 + fault.length
    where = f"{span(source[:start])}{span(source[start:end], 'danger strong underlined')}{span(source[end:])}"
    return f'<p class="mono below">{where}</p>{span(fault_sentence(fault, in_unless=in_unless), "danger", "p")}'


def _sample(line: SampleLine) -> str:
    outcome = span(line.outcome, "strong" if line.moves else "small text_2", "p")
    return f'<p class="below">{_marked(line.text)}</p>{outcome}'


def _case(line: CaseLine) -> str:
    token = _TOKENS.get(line.rule_effect, "text_2")
    icon = icon_html(_ICONS[line.rule_effect], token, 13) if line.rule_effect in _ICONS else ""
    below = f"<td>{icon} {span(line.word, f'small strong {token}')}</td>"
    below += f'<td align="right">{span(line.answers, "small text_2")}</td>'
    return f'<tr><td colspan="2">{_marked(line.text)}</td></tr><tr>{below}</tr>'


def _marked(text: HighlightedText) -> str:
    """Return a line with its match highlighted, and underlined unless suppressed."""
    found = span(text.found, "accent_soft" if text.held_back else "accent_soft underlined")
    return f"{span(text.before)}{found}{span(text.after)}"
