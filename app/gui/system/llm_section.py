"""LLM on the settings page: server, model and pull, and the check of each link."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.display.system.models import USUAL_ADDRESS, LinkRow, StateLine, link_rows, progress, state_line, verdict
from app.display.system.settings import SettingRow, setting_sections
from app.domain.language import plural
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.canvas import Canvas
from app.gui.kit.controls import PaneHeader, button, line_edit, progress_bar, set_primary
from app.gui.kit.document import DocumentView, icon_html, span
from app.gui.kit.fields import ChoiceBox, ValueLine, plain_tip
from app.gui.kit.layouts import fill, orient_box, spaced
from app.gui.kit.page import CoreState
from app.gui.kit.pane_parts import FaultLine, WrappedLabel
from app.gui.kit.sheet import Ruled
from app.gui.kit.theme import Theme, Themed, styled
from app.services.engine.connection import COLD_START, REMEDIES, Link, LinkState
from app.settings.sections import LlmSettings

if TYPE_CHECKING:
    from app.services.workbench import Workbench


URL, MODEL, MODE = "llm.url", "llm.model", "llm.mode"
_SOFT = {"success": "success_soft", "warning": "warning_soft", "danger": "danger_soft"}


class StatePill(Ruled):
    """LLM's state: icon and word on a coloured background."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.line = StateLine("", "off", "text_2", "")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_line(self, line: StateLine) -> None:
        """Show a state's pill."""
        self.line = line
        self.setAccessibleName(line.word)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.theme.px(self.theme.face(11, 600).width(self.line.word) + 38), self.theme.px(20))

    def write(self, canvas: Canvas) -> None:
        line = self.line
        canvas.fill(QRectF(0, 0, canvas.width, 20), _SOFT.get(line.token, "sunken"), 10)
        canvas.icon(line.icon, 8, 3.5, 13, line.token)
        canvas.text(QRectF(26, 0, canvas.width - 27, 20), line.word, self.theme.face(11, 600), line.token)


class Field(QWidget):
    """Label, editor, widget beside it, and below why it is fixed or was refused."""

    def __init__(self, theme: Theme, name: str, editor: ValueLine | ChoiceBox, *beside: QWidget) -> None:
        super().__init__()
        self.editor = editor
        self.row: SettingRow | None = None
        editor.setAccessibleName(name)
        self.name, self.reason, self.fault = QLabel(name), QLabel(), FaultLine(theme)
        self.name.setFixedWidth(theme.px(64))
        self.name.setBuddy(editor)
        self.reason.setWordWrap(True)
        self.reason.setTextFormat(Qt.TextFormat.PlainText)
        styled(self.name, role="title")
        styled(self.reason, role="caption")
        self.reason.setContentsMargins(theme.px(72), 0, 0, 0)
        line = fill(spaced(QHBoxLayout(), theme.px(8)), self.name, (editor, 1), *beside)
        column = spaced(QVBoxLayout(self), theme.px(4), theme.px(16), 0, theme.px(16), theme.px(10))
        fill(column, line, self.reason, self.fault)

    def show_row(self, row: SettingRow) -> None:
        if row != self.row:
            self.fault.show_fault("")
        self.row = row
        if isinstance(self.editor, ValueLine):
            self.editor.setReadOnly(bool(row.fixed))
        else:
            self.editor.setEnabled(not row.fixed)
        self.editor.setToolTip(plain_tip(row.sentence))
        self.editor.setAccessibleDescription(row.sentence)
        self.editor.show_value(row.raw)
        self.reason.setText(row.fixed)
        self.reason.setVisible(bool(row.fixed))


class LlmServerPane(QWidget):
    """Three settings of the LLM, and its state."""

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self.theme, self._job = theme, Job(worker, self)
        self._url: str | None = None
        self._models: list[str] = []
        self.address, self.model, self.mode = ValueLine(), ChoiceBox(), ChoiceBox()
        self.address.setPlaceholderText("none, so nothing is contacted")
        self.again = button("Refresh", tip="Ask the server for its models", press=self.list_models)
        self.fields = {
            URL: Field(theme, "Address", self.address),
            MODEL: Field(theme, "Model", self.model, self.again),
            MODE: Field(theme, "Mode", self.mode),
        }
        self.usual = button(
            f"Use {USUAL_ADDRESS}",
            primary=True,
            tip="Where Ollama listens by itself. Nothing is contacted before an address is set.",
            press=lambda: worker.choose(URL, USUAL_ADDRESS),
        )
        self.pill, self.state, self.listed = StatePill(theme), QLabel(), QLabel()
        self._arrange()
        for key, field in self.fields.items():
            field.editor.changed.connect(lambda raw, key=key: worker.choose(key, raw))
        worker.choice_refused.connect(self._on_refused, Qt.ConnectionType.QueuedConnection)
        for label in (self.state, self.listed):
            styled(label, role="caption")

    def _arrange(self) -> None:
        px = self.theme.px
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, px(4))
        fill(column, PaneHeader(self.theme, "Server and model", self.pill), self.state, self.fields[URL])
        row = spaced(QHBoxLayout(), None, px(88), 0, px(16), px(12))
        fill(row, self.usual, 1)
        self.offer = QWidget()
        self.offer.setLayout(row)
        fill(column, self.offer, self.fields[MODEL], self.listed, self.fields[MODE])
        for label, left in ((self.state, 16), (self.listed, 88)):
            label.setContentsMargins(px(left), 0, px(16), px(10))
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def has_address(self) -> bool:
        return bool(self._url)

    def show_core_state(self, core_state: CoreState) -> None:
        """Show the present settings and state."""
        rows = {row.key: row for part in setting_sections(core_state.settings, core_state.origins) for row in part.rows}
        self.mode.set_choices(rows[MODE].choices)
        self._offer_models(core_state.settings.llm.model)
        for key, field in self.fields.items():
            field.show_row(rows[key])
        url = core_state.settings.llm.url
        self.offer.setVisible(not url and not rows[URL].fixed)
        self.again.setEnabled(bool(url))
        line = state_line(core_state.status.llm, wanted=core_state.settings.search_intent.use_llm)
        self.pill.show_line(line)
        self.state.setText(line.sentence)
        if url != self._url:
            self._url = url
            self._models = []
            self._offer_models(core_state.settings.llm.model)
            self.listed.setText("Asking for its models" if url else "")
            if url:
                self.list_models()
        self.listed.setVisible(self.listed.text() not in ("", line.sentence))

    def _offer_models(self, chosen: str) -> None:
        names = [*self._models, *([chosen] if chosen and chosen not in self._models else [])]
        self.model.set_choices([("", "none"), *((name, name) for name in names)])
        self.model.show_value(chosen)

    def list_models(self) -> None:
        """Ask the server for its models; the settings may name another one before it answers."""
        asked = self._url

        async def look(bench: Workbench) -> list[str]:
            nonlocal asked
            asked = bench.settings.llm.url
            return await bench.llm_server.models()

        def show(found: list[str], sentence: str = "") -> None:
            if asked and asked == self._url:
                self.show_models(found, sentence)

        self._job.do(look, show, lambda sentence: show([], sentence))

    def show_models(self, found: list[str], sentence: str) -> None:
        """Show the models of the server; a sentence if it could not list them."""
        self._models = [] if sentence else found
        self.listed.setText(sentence or plural(len(found), "The server has one model.", "The server has {n} models."))
        self.listed.setVisible(self.listed.text() != self.state.text())
        self._offer_models(str(self.model.currentData() or ""))

    def _on_refused(self, key: str, sentence: str) -> None:
        field = self.fields.get(key)
        if field is not None and self.isVisible():
            field.fault.show_fault(sentence)
            if isinstance(field.editor, ChoiceBox) and field.row is not None:
                field.editor.show_value(field.row.raw)


# ---- Pulling a model: name, progress, cancelling.


class PullPane(QWidget):
    """Pulling a model: the server downloads; the program requests, watches and can cancel."""

    finished = Signal(str, str)  # the model, a sentence if it failed

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self.theme, self._job = theme, Job(worker, self)
        self.name = line_edit("Model to pull", longest=200, hint="such as qwen2.5:1.5b")
        self.name.textChanged.connect(self._show_buttons)
        self.name.returnPressed.connect(self._begin)
        self.begin = button("Pull", tip="Have the server fetch this model", press=self._begin)
        self.cancel = button("Cancel", tip="Stop fetching", press=self._cancel)
        self.bar = progress_bar("Progress of the pull")
        self.line = WrappedLabel("The server fetches it from its own library; that may take minutes.", role="caption")
        self.fault = FaultLine(theme)
        self.reachable = False
        self._model = ""
        self._arrange()
        self._show_buttons()

    def _arrange(self) -> None:
        px = self.theme.px
        row = fill(spaced(QHBoxLayout(), px(8)), (self.name, 1), self.begin, self.cancel)
        inner = fill(spaced(QVBoxLayout(), px(8), px(16), px(4), px(16), px(12)), row, self.bar, self.line)
        fill(spaced(QVBoxLayout(self)), PaneHeader(self.theme, "Pull a model"), self.fault, inner)

    def set_reachable(self, there_is_an_address: bool) -> None:
        """Set whether a server is set up."""
        self.reachable = there_is_an_address
        self._show_buttons()

    def _begin(self) -> None:
        model = self.name.text().strip()
        if not model or not self.begin.isEnabled():
            return
        self._model = model
        self.fault.show_fault("")
        self.bar.setRange(0, 0)
        self.line.setText(f"Asking for {model}")
        self._show_buttons()
        self._job.follow(lambda bench: bench.llm_server.pull(model), self._on_progress, self._on_finished)
        self.cancel.setFocus()

    def _cancel(self) -> None:
        self._job.cancel()
        self._rest("Stopped. What {0} has got stays with the server; pulling again goes on from there.")

    def _on_progress(self, step: tuple[str, int, int]) -> None:
        text, share = progress(*step)
        self.line.setText(text)
        if share is None:
            self.bar.setRange(0, 0)
        else:
            self.bar.setRange(0, 1000)
            self.bar.setValue(round(1000 * share))

    def _on_finished(self, sentence: str) -> None:
        model = self._model
        self.fault.show_fault(sentence)
        if sentence:
            self._rest("{0} was not pulled.")
        else:
            self._rest("{0} is on the server. Choose it above.", full=True)
        self.finished.emit(model, sentence)

    def _rest(self, sentence: str, *, full: bool = False) -> None:
        self.line.setText(sentence.format(self._model))
        self._model = ""
        self.bar.setRange(0, 1)
        self.bar.setValue(1 if full else 0)
        self._show_buttons()
        if self.cancel.hasFocus():
            self.name.setFocus()

    def _show_buttons(self) -> None:
        pulling = bool(self._model)
        self.begin.setEnabled(not pulling and self.reachable and bool(self.name.text().strip()))
        self.cancel.setEnabled(pulling)
        self.name.setReadOnly(pulling)
        self.bar.setVisible(pulling)


_LEFT, _BESIDE_FROM = 420, 780


class LlmSection(Themed):
    """Server, model and pull at the left, the check at the right.

    A check's result is valid until the settings change.
    """

    task_finished = Signal(str)  # result of a pull in a sentence

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme)
        self._checked: LlmSettings | None = None
        self.server = LlmServerPane(theme, worker)
        self.checking = CheckPane(theme, worker)
        self.pulling = PullPane(theme, worker)
        self.pulling.finished.connect(self._on_pulled)
        self.side = QWidget()
        fill(spaced(QVBoxLayout(self.side)), self.server, self.pulling, 1)
        self._whole = fill(spaced(QHBoxLayout(self)), self.side, (self.checking, 1))

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


# ---- Connection check: link by link, with a remedy for a failure

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
        fill(spaced(QVBoxLayout(self)), self.head, self.fault, self.sheet, 1)
        self.forget()

    def begin(self) -> None:
        """Check the links from the first."""
        self.fault.show_fault("")
        self._show(_UNTRIED, "Checking", checking=True)
        self._job.follow(lambda bench: bench.llm_server.check(), self._on_tried, self._on_finished)
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
