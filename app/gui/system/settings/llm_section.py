"""LLM on the settings page: server, model and pull, and the check of each link."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.display.system.models import LinkRow, link_rows, verdict
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import PaneHeader, button, set_primary
from app.gui.kit.document import DocumentView, icon_html, span
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.layouts import orient_box, spaced
from app.gui.kit.page import CoreState
from app.gui.kit.theme.theme import Theme
from app.gui.system.settings.llm_server import LlmServerPane, PullPane
from app.services.system.connection import COLD_START, REMEDIES, Link, LinkState
from app.settings.sections import LlmSettings

_LEFT, _BESIDE_FROM = 420, 780


class LlmSection(QWidget):
    """Server, model and pull at the left, the check at the right.

    A check's result is valid until the settings change.
    """

    task_finished = Signal(str)  # result of a pull in a sentence

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self.theme = theme
        self._checked: LlmSettings | None = None
        self.server = LlmServerPane(theme, worker)
        self.checking = CheckPane(theme, worker)
        self.pulling = PullPane(theme, worker)
        self.pulling.finished.connect(self._on_pulled)
        self.side = QWidget()
        left = spaced(QVBoxLayout(self.side))
        left.addWidget(self.server)
        left.addWidget(self.pulling)
        left.addStretch(1)
        self._whole = spaced(QHBoxLayout(self))
        self._whole.addWidget(self.side)
        self._whole.addWidget(self.checking, 1)

    def _on_pulled(self, model: str, fault: str) -> None:
        if not fault:
            self.server.list_models()
        self.task_finished.emit(fault or f"{model} is there.")

    def resizeEvent(self, event: QResizeEvent) -> None:
        narrow = self.width() < self.theme.px(_BESIDE_FROM)
        orient_box(self.theme, self._whole, self.side, _LEFT, narrow=narrow)

    def show_core_state(self, core_state: CoreState) -> None:
        """Show the settings and the state of the LLM; a check of other settings is dropped."""
        if self._checked is not None and self._checked != core_state.settings.llm:
            self.checking.forget()
        self._checked = core_state.settings.llm
        self.server.show_core_state(core_state)
        set_primary(self.checking.check, self.server.has_address)  # without an address, setting it comes first
        self.pulling.set_reachable(self.server.has_address)


# ---- Connection check: each link with its state, sentence and remedy.


def _links_html(rows: Iterable[LinkRow]) -> str:
    """Return address, server, model, loaded, answer, latency, and a remark on cold starts."""
    cold = f'<td class="alert">{icon_html("clock", "text_2")}</td><td>{span(COLD_START, "text_2")}</td>'
    return (
        f'<table width="100%" cellspacing="0">{"".join(map(_link_html, rows))}</table>'
        f'<hr><table cellspacing="0"><tr>{cold}</tr></table>'
    )


def _link_html(row: LinkRow) -> str:
    token = "danger" if row.remedy else "text_2" if row.is_untried else "text"
    remedy = f"<br>{span(row.remedy, 'strong')}" if row.remedy else ""
    cells = (
        icon_html(row.icon, row.token, 17),
        span(row.name, "body strong whole", "p"),
        span(row.word, f"strong whole {row.token}", "p"),
        span(row.sentence, token) + remedy,
    )
    ground = "alert danger_soft" if row.remedy else "alert"
    widths = ("", "", "", ' width="100%"')
    line = (f'<td class="{ground}"{width}>{cell}</td>' for cell, width in zip(cells, widths, strict=True))
    return f"<tr>{''.join(line)}</tr>"


# --------------------------------------------------------------------------------------------------------------------
# Connection check: link by link, with a remedy for a failure

_UNTRIED = tuple(Link(name, LinkState.WAITING) for name in REMEDIES)


class CheckPane(QWidget):
    """Button, six links, and a remark on cold starts."""

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self.theme, self._job = theme, Job(worker, self)
        self.is_checking = False
        self.links: tuple[Link, ...] = _UNTRIED
        self.check = button(
            "Check", primary=True, tip="Test each step of the connection with sample questions", press=self.begin
        )
        self.cancel = button("Cancel", tip="Stop the check", press=self._cancel)
        self.head = PaneHeader(theme, "Connection check", self.cancel, self.check)
        self.fault = FaultLine(theme)
        self.sheet = DocumentView(theme, "Steps of the connection", is_whole=True, widest=960)
        column = spaced(QVBoxLayout(self))
        for widget in (self.head, self.fault, self.sheet):
            column.addWidget(widget)
        column.addStretch(1)
        self.forget()

    def begin(self) -> None:
        """Check the links from the first."""
        self.fault.show_fault("")
        self._show(_UNTRIED, "Checking", checking=True)
        self._job.follow(lambda bench: bench.check_llm(), self._on_tried, self._on_finished)
        self.cancel.setFocus()

    def forget(self) -> None:
        """Drop the result, which is no longer valid."""
        self._job.cancel()
        self.fault.show_fault("")
        self._show(_UNTRIED, "Not checked yet", checking=False)

    def _cancel(self) -> None:
        self._job.cancel()
        tried = tuple(Link(x.name, LinkState.WAITING) if x.state is LinkState.RUNNING else x for x in self.links)
        self._show(tried, "Stopped", checking=False)

    def _on_tried(self, links: tuple[Link, ...]) -> None:
        self._show(links, "Checking", checking=True)

    def _on_finished(self, sentence: str) -> None:
        self.fault.show_fault(sentence)
        self._show(self.links, verdict(self.links), checking=False)

    def _show(self, links: tuple[Link, ...], word: str, *, checking: bool) -> None:
        back = self.cancel.hasFocus() and not checking
        self.links, self.is_checking = links, checking
        self.sheet.show_html(_links_html(link_rows(links)))
        self.head.set_more(word)
        self.cancel.setVisible(checking)
        self.check.setEnabled(not checking)
        if back:
            self.check.setFocus()
