"""Status line: running task, encoder, LLM, fault with remedy, library, preset, profile."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QResizeEvent

from app.display.library.journal import member_lines, sharing_words
from app.display.powers.running import running_words
from app.display.system.models import encoder_change, state_line
from app.display.words import about
from app.domain.fits import FitState
from app.domain.language import plural
from app.domain.llm import LlmOutcome
from app.gui.bridge.scope_state import LateCount
from app.gui.kit import pane_parts
from app.gui.kit.canvas import Canvas
from app.gui.kit.controls import button
from app.gui.kit.fields import explain, plain_tip
from app.gui.kit.sheet import Ruled
from app.gui.kit.theme import Theme, styled

if TYPE_CHECKING:
    from app.display.library.importing import RemainingTime
    from app.domain.inspection import Inspection
    from app.services.status import Status


Part = tuple[str, str, str]
"""Icon ("" for none), colour and text."""


class Placed(NamedTuple):
    """Parts that fit the line, in units: left ones with widths, right ones with places, and both ends."""

    left: list[tuple[Part, float]]
    right: list[tuple[str, float]]
    end: float
    fault_end: float


_NOTHING: Part = ("", "text_2", "")
_OPENING: Part = ("loading", "text_2", "Opening the library")

PRESETS = {"recommended": "Recommended", "as_documented": "As documented"}


_PAD, _GAP, _ICON = 16.0, 20.0, 19.0
_LEAST_FAULT = 260.0
"""Minimum width for a fault, in units; below it less important parts are hidden."""

_READY = "Ready"
"""Word for an encoder that is ready; left out while something is still being fitted."""

_LEAST_ASIDE = 120.0
"""Minimum width for a note's text, in units; below it only an icon with a tooltip is shown."""


class StatusLine(Ruled):
    """Painted except for its buttons, and read aloud as one sentence; a fault is cut last."""

    ground = "bg"
    remedy_requested = Signal(str)
    profile_requested = Signal()  # open the choice of another profile
    stop_requested = Signal()  # cancel or postpone the running task

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._status: Status | None = None
        self._fault = self._bug = self._update = ""
        self._late = LateCount()
        self._job = ""
        self._running = 0
        self._can_stop = False
        self._pace: RemainingTime | None = None
        self.stop = button("", link=True, press=self._on_stop)
        self.stop.setParent(self)
        self.act = button("", link=True, press=lambda: self.remedy_requested.emit(self.remedy))
        self.act.setParent(self)
        self.who = styled(button("", link=True, press=self.profile_requested.emit), role="quiet")
        self.who.setParent(self)
        explain(self.who, "Open another profile…")
        self.setFixedHeight(theme.px(26))
        theme.follow(self._describe)

    def show_status(self, status: Status) -> None:
        if status != self._status:
            self._status = status
            self._note_pace(status)
            self._describe()

    def show_job(self, words: str, *, can_stop: bool = False) -> None:
        if (words, can_stop) != (self._job, self._can_stop):
            self._job, self._can_stop = words, can_stop
            self._describe()

    def show_running(self, count: int) -> None:
        self._running = count
        self._describe()

    def show_fault(self, sentence: str) -> None:
        """Repeat a page's fault while it lasts; "" for none."""
        self._fault = sentence
        self._describe()

    def show_bug(self, sentence: str) -> None:
        """Offer to report a bug; "" once that was opened."""
        self._bug = sentence
        self._describe()

    def show_update(self, version: str) -> None:
        """Show a newer version; "" for none."""
        self._update = version
        self._describe()

    def note(self, generation: int, inspection: Inspection) -> None:
        if self._late.note(generation, inspection):
            self._describe()

    @property
    def fault(self) -> str:
        lasting = next(iter(self._status.faults.values()), "") if self._status else ""
        late = self.llm()[2] if self._late.asked and self._late.late == self._late.asked else ""
        return self._fault or self._bug or lasting or late

    @property
    def aside(self) -> str:
        return "" if self.fault or self._status is None else next(iter(self._status.notes.values()), "")

    @property
    def update_line(self) -> str:
        """Notice of a newer version, if there is no fault."""
        return f"Version {self._update} is available" if self._update and not self.fault else ""

    @property
    def remedy(self) -> str:
        if self._fault:
            return ""
        if self._bug:
            return pane_parts.REPORT
        part = next(iter(self._status.faults), "") if self._status is not None else ""
        is_late = not part and self.fault == self.llm()[2] != ""
        return pane_parts.LIMIT if is_late else pane_parts.remedy_for(part, self._status)

    # ---- parts

    def first(self) -> Part:
        """Return the running task, otherwise the encoder's state."""
        return ("loading", "accent", self._job) if self._job else self.encoder()

    def stop_word(self) -> str:
        """Return the label of the stop button; "" for none."""
        status = self._status
        if self._job:
            return "Cancel" if self._can_stop else ""
        if status is None or status.encoder_state != "ready" or status.next_encoder:
            return ""
        if status.embedded < status.to_embed:
            return "Later"
        return "Make them now" if status.put_off else ""

    def _on_stop(self) -> None:
        if not self._job and self._status is not None and self._status.put_off and not self._status.to_embed:
            self.remedy_requested.emit(pane_parts.RETRY_ENCODER)
        else:
            self.stop_requested.emit()

    def _note_pace(self, status: Status) -> None:
        if status.embedded >= status.to_embed:
            self._pace = None
            return
        from app.display.library.importing import RemainingTime

        self._pace = self._pace or RemainingTime()
        self._pace.add(status.embedded, monotonic())

    def encoder(self) -> Part:
        """Return the encoder's state, with the remaining time of embedding."""
        status = self._status
        if status is None:
            return ("warning", "danger", "The library is not open") if self._fault else _OPENING
        name = status.encoder
        if status.encoder_state == "failed":
            return "warning", "danger", f"Encoder {name} failed; lexical scores decide"
        if status.encoder_state == "loading":
            return "loading", "warning", "Loading the encoder; until then only words are compared"
        under_way = encoder_change(status)
        if status.next_encoder and under_way is not None:
            return "loading", "warning", under_way.words
        if status.embedded < status.to_embed:
            text = f"{status.embedded:,} of {status.to_embed:,} triggers embedded"
            left = self._pace.text(status.to_embed) if self._pace is not None else ""
            return "loading", "warning", f"{text}, {left}" if left else text
        if status.put_off:
            text = plural(status.put_off, "{n} trigger has no vector yet", "{n} triggers have no vector yet")
            return "warning", "warning", text
        return "check", "success", f"Encoder {name} ready"

    def llm(self) -> Part:
        """Return the LLM's state, with the number of late answers."""
        status, late = self._status, self._late
        if status is None or status.llm.outcome is LlmOutcome.OFF:
            return _NOTHING
        shown = state_line(status.llm, wanted=True)
        word = "LLM warm" if status.llm.is_ready else f"LLM: {shown.word}"
        if not late.asked:
            return shown.icon, shown.token, word
        icon, token = ("warning", "warning") if late.late == late.asked else (shown.icon, shown.token)
        return icon, token, f"{word}, {late.late:,} of {late.asked:,} late"

    def fit(self) -> Part:
        """Return the state of the learned weights, once the encoder is ready."""
        status = self._status
        if status is None or status.encoder_state != "ready":
            return _NOTHING
        from app.services.evaluation.refits import fit_words

        words, is_current = fit_words(status.fit), status.fit.state in (FitState.CURRENT, FitState.STALE)
        return ("check", "success", words) if is_current else ("loading", "warning", words)

    def library(self) -> str:
        """Return the library's content: "60 memories, 20 powers, 54 rules"; "" while unknown."""
        counts = {} if self._status is None else self._status.counts
        return ", ".join(
            plural(counts[key], one, many)
            for key, one, many in (
                ("memories", "{n} memory", "{n} memories"),
                ("powers", "{n} power", "{n} powers"),
                ("rules", "{n} rule", "{n} rules"),
            )
            if key in counts
        )

    def running(self) -> Part:
        return "power", "success", running_words(self._running)

    def preset(self) -> str:
        return "" if self._status is None else PRESETS.get(self._status.preset) or self._status.preset

    def profile(self) -> str:
        """Return the profile, and its owner's name in the team."""
        if self._status is None:
            return ""
        own = f"Profile: {self._status.profile}"
        return own if self._status.team is None else f"{own}, {sharing_words(self._status.team)}"

    # ---- drawing: only what differs from the default; the tooltip and screen readers have all

    def _preset_shown(self) -> str:
        return "" if self._status is None or self._status.preset == "recommended" else self.preset()

    def _profile_shown(self) -> str:
        status = self._status
        is_usual = status is not None and status.profile == "default" and status.team is None
        return "" if is_usual else self.profile()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def write(self, canvas: Canvas) -> None:
        canvas.line(0, 0.5, canvas.width, 0.5)
        font = self.theme.face(11, 450)
        left, right, end, _ = self.parts()
        x = _PAD
        for (icon, token, text), wide in left:
            canvas.icon(icon, x, 6.5, 13, token)
            shade = "danger" if token == "danger" else "text_2"
            canvas.text(QRectF(x + _ICON, 1, wide - _ICON, 25), text, font, shade)
            x += wide + _GAP + (self._stop_width() if x == _PAD else 0.0)
        for text, at in right:
            if text != self.profile():  # a button shows it
                canvas.text(QRectF(at, 1, end - at, 25), text, font, "text_2")

    def parts(self) -> Placed:
        """Return the parts that fit; a fault or a note takes the space between the others."""
        face, end = self.theme.face(11, 450), self.width() / self.theme.scale - _PAD
        act = self.act.width() / self.theme.scale + 4 if self.remedy else 0.0
        x, at, fault_end = _PAD + self._stop_width(), end, 0.0
        parts, texts = self._fitting(end - x, act)
        left, right = list[tuple[Part, float]](), list[tuple[str, float]]()
        for part in parts:
            wide = _ICON + min(face.width(part[2]) + 1, max(20.0, end / 2))
            left.append((part, wide))
            x += wide + _GAP
        for text in reversed(texts):
            at -= face.width(text) + 1
            right.append((text, at))
            at -= _GAP
        if fault := self.fault:
            fault_end = min(x + _ICON + face.width(fault) + 1, at - act)
            shade = "warning" if fault == self.llm()[2] else "danger"
            left.append((("warning", shade, fault), max(_ICON, fault_end - x)))
        elif self.aside and at - x > _ICON:
            wide = min(_ICON + face.width(self.aside) + 1, at - x)
            left.append((("warning", "warning", self.aside), wide if wide > _LEAST_ASIDE else _ICON))
        return Placed(left, right, end, fault_end)

    def _fitting(self, space: float, act: float) -> tuple[list[Part], list[str]]:
        """Return the parts at the left and the texts at the right; for a fault the less important give way."""
        face, fault = self.theme.face(11, 450), self.fault
        (icon, token, text), fit, llm = self.first(), self.fit(), self.llm()
        fit = _NOTHING if fit[0] == "check" else fit  # the tooltip gives its source
        encoder = icon, token, _READY if icon == "check" else text
        left = [part for part in (encoder, fit, llm, self.running()) if part[2] not in ("", fault)]
        if encoder[2] == _READY and (fit[2] or self.x()):  # moved aside by a notice, which says more
            left.remove(encoder)
        right = [text for text in (self.update_line, self._preset_shown(), self._profile_shown()) if text]
        wanted = min(face.width(fault) + _ICON, _LEAST_FAULT) + act if fault else 0.0

        def is_crowded() -> bool:
            lefts = sum(_ICON + face.width(part[2]) + _GAP for part in left)
            return space - lefts - sum(face.width(text) + _GAP for text in right) < wanted

        for text in (self._preset_shown(), self.update_line):
            if is_crowded() and text in right:
                right.remove(text)
        for part in (fit, llm, encoder):
            if is_crowded() and part in left and (part is not encoder or (fault and not self.stop_word())):
                left.remove(part)
        return left, right

    def _stop_width(self) -> float:
        return self.stop.width() / self.theme.scale + 2 if self.stop_word() else 0.0

    def _place(self) -> None:
        word = self.stop_word()
        self.stop.setVisible(bool(word))
        if word:
            self.stop.setText(word)
            self.stop.setAccessibleDescription(self.first()[2])
            self.stop.adjustSize()
            wide = self.parts().left[0][1]
            self.stop.move(self.theme.px(_PAD + wide + 6), (self.height() - self.stop.height()) // 2 + 1)
        if self.remedy:
            self.act.adjustSize()
            self.act.move(self.theme.px(self.parts().fault_end + 4), (self.height() - self.act.height()) // 2 + 1)
        self.act.setVisible(bool(self.remedy))
        places = [at for text, at in self.parts().right if text and text == self.profile()]
        if places:
            px, at = self.theme.px, self.theme.px(places[0] - 4)
            self.who.setGeometry(at, px(1), self.width() - at - px(4), px(25))
        self.who.setVisible(bool(places))

    def _describe(self) -> None:
        now = (self.first()[2], self.fit()[2], self.llm()[2], self.running()[2], self.fault or self.aside)
        lasting = (self.update_line, self.library(), self.preset(), self.profile())
        parts = [part for part in (*now, *lasting) if part]
        self.setAccessibleName("; ".join(parts))
        self.setAccessibleDescription("Status")  # otherwise Qt would read the tooltip with its markup
        status = self._status
        more = () if status is None else (about(status.preset), *(member_lines(status.team) if status.team else ()))
        self.setToolTip(plain_tip("\n".join(filter(None, (*parts, *more)))))
        self.who.setText(self.profile())
        self.act.setText(pane_parts.title(self.remedy))
        self.act.setAccessibleDescription(self.fault)
        self._place()
        self.update()
