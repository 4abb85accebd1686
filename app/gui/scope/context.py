"""Injection preview: the text that a query adds to an assistant's context, and why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.detect.surfacing import Surfaced
from app.display import numbers
from app.display.scope.surfacing import ContextList, ContextRow, context_list, rules_of_surfacing, surfacing
from app.domain.inspection import Inspection
from app.domain.language import plural
from app.gui.bridge.engine_thread import Worker
from app.gui.kit.controls import EmptyState, PaneHeader, button, line_edit, text_box
from app.gui.kit.document import DocumentView, link_html, span, table_html
from app.gui.kit.fields import LONGEST
from app.gui.kit.layouts import fill, keep_least_heights, orient_box, spaced
from app.gui.kit.page import Action, CoreState, Group, Page
from app.gui.kit.pane_parts import FaultLine, Section
from app.gui.kit.tables import table_columns
from app.gui.kit.theme import Theme, styled
from app.gui.scope.namespaces import NamespaceWeights, QueryFollower
from app.gui.scope.panels.intent import surfacing_html

COPY = Action("copy_context", "Copy what would be injected", Group.COPY, shortcuts=("Ctrl+Alt+C",), icon="copy")
WEIGHTS = "weights"
"""Key of the namespace weights on the page."""

_RIGHT, _RIGHT_WIDE, _WIDE_FROM = 440, 620, 1500


class ContextPage(Page):
    """Page with the exact text on the left, the list on the right, weights and rules below."""

    side_by_side_from = 860

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Context")
        self.surfaced: Surfaced | None = None
        self.shown: ContextList | None = None
        self.no_undo_reason = "The last step did not change a setting: undo it with Ctrl+Z on another page."
        self._is_typed_here = False
        hint = "Type a query to see what it would inject"
        self.line = styled(line_edit("Query", hint=hint, longest=LONGEST), role="probe")
        self.line.textEdited.connect(self._on_typed)
        self.fault = FaultLine(theme)
        self.sheet = DocumentView(theme, "Injected memories, in order")
        self.sheet.anchorClicked.connect(lambda _: self._show_list(in_full=True))
        self.table = DocumentView(theme, "Number of injected memories", is_whole=True)
        self.text = text_box("The text that would be injected", read_only=True)
        self.text.setPlaceholderText("Nothing would be injected.")
        self.copy = button("Copy", primary=True, tip=COPY.text, press=self.copy_text)
        self.rules = Section(theme, "Injection rules", self.table)
        self.list_head = PaneHeader(theme, "Memories")
        self.text_head = PaneHeader(theme, "Exactly what is injected", self.copy)
        self.empty = EmptyState(theme, "context", "No query yet", "Type one above, or on the scope.")
        self.following = QueryFollower(self, worker)
        self.following.found.connect(self._show)
        self.following.refused.connect(self._on_refused)
        self.weights = NamespaceWeights(theme, self.following)
        self.weights.begun.connect(lambda: self.fault.show_fault(""))
        self.weights.notified.connect(lambda sentence, undo: self.notified.emit(sentence, undo, False))
        self._arrange()
        styled(self.text, role="mono")
        self._show_body(False)

    def _arrange(self) -> None:
        px = self.theme.px
        top = fill(spaced(QHBoxLayout(), None, px(16), px(2), px(16), px(10)), self.line)
        self.left, self.right, self.body = QWidget(), QWidget(), QWidget()
        box = fill(spaced(QVBoxLayout(), None, px(16), 0, px(16), px(16)), self.text)
        fill(spaced(QVBoxLayout(self.left), 0, 0, px(4), 0, 0), self.text_head, (box, 1))
        fill(spaced(QVBoxLayout(self.right), 0, 0, px(4), 0, 0), self.list_head, (self.sheet, 1))
        self._across = fill(spaced(QHBoxLayout(self.body), px(1)), (self.left, 1), self.right)
        whole = spaced(QVBoxLayout(self), 0, 0, px(4), 0, 0)
        fill(whole, PaneHeader(self.theme, "Context"), top, self.fault, (self.body, 1), (self.empty, 1))
        fill(whole, self.weights, self.rules)

    def persist_in(self, folder: Path) -> None:
        self.rules.persist_in(folder / table_columns.FILE, "context rules")

    def focus_stops(self) -> list[QWidget]:
        return [self.line, self.text, self.copy, self.sheet, *self.weights.focus_stops(), self.rules.line]

    def go_to(self, key: str) -> None:
        """Open the weights of namespaces for “weights”."""
        if key == WEIGHTS:
            self.weights.set_open(True)
            self.weights.matrix.setFocus(Qt.FocusReason.OtherFocusReason)

    def action_rows(self) -> tuple[Action, ...]:
        return (COPY.bound(self.copy_text, self.refusal),)

    def refusal(self) -> str:
        """Return why there is nothing to copy; "" if there is."""
        is_empty = self.surfaced is None or not self.surfaced.text
        return "Nothing would be injected, so there is nothing to copy." if is_empty else ""

    def copy_text(self) -> None:
        """Copy exactly what would be injected."""
        if self.surfaced is None or self.refusal():
            self.refuse(self.refusal())
            return
        QGuiApplication.clipboard().setText(self.surfaced.text)
        self.notified.emit(plural(self.surfaced.tokens, "Copied {n} token.", "Copied {n} tokens."), False, False)

    # ---- display

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        self.weights.show_core_state(core_state)
        self.following.show_core_state(core_state)

    def _on_typed(self, text: str) -> None:
        self._is_typed_here = True
        self.query_typed.emit(text)
        if not text.strip():
            self.following.forget()
            self._show_body(False)

    def _show(self, inspection: Inspection, found: Surfaced) -> None:
        if self.core_state is None:
            return
        self.surfaced = found
        # Text being typed here is newer than answers; a query of the scope may arrive after opening the page.
        if not self._is_typed_here and self.line.text() != inspection.query.text:
            self.line.setText(inspection.query.text)
        shown, rules = surfacing(inspection, self.core_state.settings), rules_of_surfacing(self.core_state.settings)
        self.weights.show_found(inspection, found)
        self.shown = context_list(found, shown.sentence, self.weights.before)
        remark = span(self.shown.remark, "small text_2", "p")
        self.table.show_html(surfacing_html(shown) + span(rules, "text_2", "p") + remark)
        self._show_list()
        self.text_head.set_more(self.shown.tokens if found.inside else "")
        self.list_head.set_more(f"{len(found.inside)} of {numbers.count(found.memories)} would be injected")
        if self.text.toPlainText() != found.text:
            self.text.setPlainText(found.text)
        self.copy.setEnabled(bool(found.text))
        self._show_body(True)

    def _show_list(self, *, in_full: bool = False) -> None:
        if self.shown is not None:
            self.sheet.show_html(_list_html(self.shown, in_full=in_full))

    def _show_body(self, on: bool) -> None:
        self.surfaced = self.surfaced if on else None
        for part in (self.body, self.rules):
            part.setVisible(on)
        self.empty.setVisible(not on)
        self.lay_panes(flipped=False)  # the heights are those of what is visible

    def _on_refused(self, sentence: str) -> None:
        self.fault.show_fault(sentence)
        if self.isVisible():
            self.weights.matrix.type_again()
        self.following.refresh()

    # ---- visibility and layout

    def showEvent(self, event: QShowEvent) -> None:
        answer, self._is_typed_here = self.following.answer, False
        self.line.setText("" if answer is None else answer.query.text)
        if answer is None:
            self._show_body(False)
        self.empty.setVisible(answer is None)
        self.weights.count()
        self.following.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        self.following.forget()

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(0, self.body.y() - 1, self.width(), 1)
        if self.body.isVisible():
            right = self.right.geometry().translated(self.body.pos())
            high, wide = (1, right.width()) if self.is_narrow else (right.height(), 1)
            yield QRect(right.x() - (wide == 1), right.y() - (high == 1), wide, high)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.lay_panes(flipped=False)
        self.weights.fit()

    def lay_panes(self, flipped: bool) -> None:
        wide = self.width() >= self.theme.px(_WIDE_FROM)
        seen = self.visible_height - self.body.y() - self._across.spacing()
        keep_least_heights(self.theme, {self.left: 260, self.right: 260}, narrow=self.is_narrow, within=seen)
        orient_box(self.theme, self._across, self.right, _RIGHT_WIDE if wide else _RIGHT, narrow=self.is_narrow)


# ---- Memories: order, arithmetic, tokens, and cuts.

_SPACE = "\N{NO-BREAK SPACE}"


def _list_html(shown: ContextList, *, in_full: bool) -> str:
    """Return the injected memories, then those left out with the reason; slight ones only `in_full`."""
    heads = (span(title, "small strong text_2") for title in ("Memory", "Confidence × weight", "Tokens"))
    rows = [[*heads], *map(_row_html, shown.inside)]
    for sentence, cut in shown.cuts:
        listed = [row for row in cut if in_full or not row.is_slight]
        rows += [[span(sentence, "strong text_2")], *(_row_html(row, cut[0].why) for row in listed)]
        rows += [[link_html("all", f"Show {len(cut) - len(listed)} below 1 %")]] if len(cut) > len(listed) else []
    if shown.aside:
        rows += [[span("Set aside; these would be among the first", "strong")], *map(_row_html, shown.aside)]
    return table_html(rows, "56%", ruled=True)


def _row_html(row: ContextRow, reason_of_cut: str = "") -> list[str]:
    token = "text strong" if row.is_inside else "text_2"
    places = abs(row.move)
    move = f" {places} {plural(places, 'place', 'places')} {'up' if row.move > 0 else 'down'}" if places else ""
    why = row.why if row.why != reason_of_cut else ""
    rank = span(f"\u200e{(row.rank * row.is_inside).rjust(2, _SPACE)}{2 * _SPACE}", "mono text_2")  # also beside Arabic
    name = f"{rank}{span(row.name, token)}{span(move, 'small text_2')}"
    below = (
        span(row.namespace, "small text_2 under", "div")
        if row.is_inside
        else f" &nbsp;{span(why, 'small strong text_2')}"
    )
    sum_ = f"{row.confidence} × {row.weight} = " if row.weight != "1" else ""
    product = span(sum_, "mono text_2") + span(row.product, f"mono {token}")
    return [name + below, product, span(row.tokens, "mono text_2")]
