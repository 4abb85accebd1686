"""The live test, drawn: what the rule finds in the query, and whose answer turns with it among the cases."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.detect.pattern_advice import PatternFault
from app.detect.rule_trial import Fate
from app.display.library.rule_trial import (
    CaseLine,
    Marked,
    case_line,
    fault_sentence,
    left_out,
    no_fault,
    reach,
    sample_line,
    verdict,
)
from app.gui.kit.drawing.pen import RIGHT, Pen
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.theme.theme import Theme
from app.services.library.rules import Trial

_PAD = 16.0
_TOKENS = {Fate.TURNS_WRONG: "danger", Fate.TURNS_RIGHT: "success", Fate.CHANGES: "warning"}
_ICONS = {Fate.TURNS_WRONG: "cross", Fate.TURNS_RIGHT: "check"}
_CASE_HIGH = 40.0
FAULT_HIGH = 60


class FaultSheet(Sheet):
    """Below the pattern: where it does not compile, with a caret under the place; its height stays."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self.pattern, self.unless = "", ""
        self.fault: PatternFault | None = None
        self.unless_fault: PatternFault | None = None

    @property
    def sentence(self) -> str:
        """What is said of the patterns."""
        if self.fault is not None:
            return fault_sentence(self.fault)
        return fault_sentence(self.unless_fault, in_unless=True) if self.unless_fault is not None else no_fault()

    def show_faults(self, trial: Trial) -> None:
        """Tell what is wrong with the patterns of a draft."""
        draft = trial.attempt.draft
        self.pattern, self.unless = draft.pattern, draft.unless or ""
        self.fault, self.unless_fault = trial.fault, trial.unless_fault
        self.update()

    def compose(self, pen: Pen) -> float:
        face = self.theme.face
        fault, source = self.fault, self.pattern
        if fault is None:
            fault, source = self.unless_fault, self.unless
        if fault is None:
            pen.paragraph(QRectF(0, 2, pen.width, 34), self.sentence, face(11), "text_2", lines=2)
            return FAULT_HIGH
        mono = face(12, mono=True)
        fits = max(8, int((pen.width - 16) / mono.width("m")))
        start = max(0, min(fault.place - 1 - fits // 2, len(source) - fits))
        shown = source[start : start + fits]
        pen.fill(QRectF(0, 0, pen.width, FAULT_HIGH), "danger_soft", 4)
        pen.fill(QRectF(0, 0, 3, FAULT_HIGH), "danger")
        at = 10 + mono.width(shown[: fault.place - 1 - start])
        wide = max(mono.width("m"), mono.width(shown[fault.place - 1 - start : fault.place - 1 - start + fault.length]))
        pen.text(QRectF(10, 3, pen.width - 14, 16), shown, mono)
        pen.line(at, 19.5, at + wide, 19.5, "danger", 1.6)
        pen.text(QRectF(at - 1, 17, 20, 12), "^", face(12, 700, mono=True), "danger")
        pen.paragraph(QRectF(10, 28, pen.width - 16, 34), self.sentence, face(11, 500), "danger", lines=2)
        return FAULT_HIGH


class TrialSheet(Sheet):
    """What comes of a draft; until its cases are counted those of the one before stay, dimmed."""

    trial: Trial | None = None
    counted: Trial | None = None
    _lines: tuple[CaseLine, ...] = ()

    @property
    def is_stale(self) -> bool:
        """Whether the cases shown are those of an earlier draft."""
        return self.counted is not None and self.trial is not None and self.counted.attempt != self.trial.attempt

    def show_trial(self, trial: Trial) -> None:
        """Show what came of a draft."""
        self.trial = trial
        if trial.is_whole:
            self.counted = trial
            self._lines = tuple(case_line(outcome) for outcome in trial.outcomes)
        elif self.counted is not None and self.counted.attempt.draft.id != trial.attempt.draft.id:
            self.counted, self._lines = None, ()
        self.update()

    def compose(self, pen: Pen) -> float:
        trial = self.trial
        if trial is None:
            return 20.0
        if trial.fault is not None or trial.unless_fault is not None:
            sentence = self.tr("Nothing is tried while a pattern does not compile.")
            pen.text(QRectF(_PAD, 6, pen.width - 2 * _PAD, 20), sentence, self.theme.face(12), "text_2")
            return 32.0
        return self._cases(pen, self.counted or trial, self._samples(pen, trial))

    def _samples(self, pen: Pen, trial: Trial) -> float:
        face, room = self.theme.face, pen.width - 2 * _PAD
        y = 4.0
        if not trial.samples:
            sentence = self.tr("Type a query on the scope or a line above to try the rule on it.")
            pen.text(QRectF(_PAD, y, room, 20), sentence, face(12), "text_2")
            return y + 26
        for sample in trial.samples:
            line = sample_line(sample)
            self._marked(pen, line.text, y, room)
            token = "text" if line.moves else "text_2"
            pen.text(QRectF(_PAD, y + 19, room, 17), line.outcome, face(11, 600 if line.moves else 400), token)
            y += _CASE_HIGH
        return y + 2

    def _cases(self, pen: Pen, trial: Trial, y: float) -> float:
        face, room = self.theme.face, pen.width - 2 * _PAD
        pen.line(_PAD, y + 0.5, pen.width - _PAD, y + 0.5)
        y += 8
        if said := verdict(trial):
            token = "text_2" if self.is_stale else "text"
            y += pen.paragraph(QRectF(_PAD, y, room, 40), said, face(13, 600), token, lines=2) + 2
        if said := reach(trial):
            y += pen.paragraph(QRectF(_PAD, y, room, 40), said, face(11), "text_2", lines=3) + 8
        seen = self.visibleRegion().boundingRect()
        top, bottom = seen.top() / self.theme.scale - _CASE_HIGH, seen.bottom() / self.theme.scale
        for line in self._lines:
            if top <= y <= bottom:
                self._case(pen, line, y, room)
            else:  # not on screen, but read
                pen.written += [f"{line.text.before}{line.text.found}{line.text.after}", f"{line.word} {line.answers}"]
            y += _CASE_HIGH
        if more := left_out(trial):
            pen.text(QRectF(_PAD, y, room, 20), more, face(11), "text_2")
            y += 22
        return y + 12

    def _case(self, pen: Pen, line: CaseLine, y: float, room: float) -> None:
        face = self.theme.face
        token = _TOKENS.get(line.fate, "text_2")
        self._marked(pen, line.text, y, room)
        at = _PAD
        if line.fate in _ICONS:
            pen.icon(_ICONS[line.fate], at, y + 20, 13, token)
            at += 17
        taken = pen.text(QRectF(at, y + 18, room, 17), line.word, face(11, 600), token)
        pen.text(QRectF(at + taken + 8, y + 18, room - taken - 25, 17), line.answers, face(11), "text_2", RIGHT)

    def _marked(self, pen: Pen, text: Marked, y: float, room: float) -> None:
        """A line with what was found in it on a soft ground: underlined, dotted where it is held back."""
        face = self.theme.face(12)
        if not text.found:
            pen.text(QRectF(_PAD, y, room, 18), text.before, face)
            return
        before = text.before
        while before and face.width(before + text.found) > room:
            before = "…" + before[2:] if len(before) > 1 else ""
        start = _PAD + face.width(before)
        wide = min(face.width(text.found), _PAD + room - start)
        pen.fill(QRectF(start - 1, y + 1, wide + 2, 16), "accent_soft", 2)
        pen.runs(_PAD, y, 18, [(part, face, "text") for part in (before, text.found, text.after) if part], room)
        dashes = (2.0, 2.0) if text.held_back else None
        pen.line(start, y + 17, start + wide, y + 17, "text_2" if text.held_back else "accent", 1.6, dashes=dashes)
