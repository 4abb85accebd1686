"""Why-not view over the panes: expected answer, verdict, changes with effects, and actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING

from PySide6.QtCore import SIGNAL, QEvent, QModelIndex, QObject, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.display.scope import why_not
from app.display.scope.why_not import KIND_ICONS, kind_word, parse_expectation, shown_name
from app.display.scope.why_not_sentences import change_words, shortened
from app.display.words import cut, title
from app.domain.inspection import Inspection, Phase
from app.domain.why_not import Change, Expectation, LostAt, ScorerGap, WhyNot
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit import icons
from app.gui.kit.canvas import RIGHT, Canvas
from app.gui.kit.controls import EmptyState, PaneHeader, button, line_edit, progress_bar, single_shot
from app.gui.kit.document import DocumentView, badge_html, bar_html, icon_html, link_html, press_html, span, table_html
from app.gui.kit.fields import handle_escape
from app.gui.kit.layouts import chain_focus, fill, spaced
from app.gui.kit.pane_parts import FaultLine
from app.gui.kit.tables.delegates import RowDelegate
from app.gui.kit.tables.rows import ROW_ROLE, Index, ListModel
from app.gui.kit.theme import Theme, Themed, styled
from app.gui.scope.overlays import Overlay, Overlays
from app.gui.scope.query_line import QueryLine
from app.scoring.scorers import SCORERS

if TYPE_CHECKING:
    from app.services.workbench import Workbench


_LONGEST = 300
"""Maximum number of characters of a change or a case."""

_LONGEST_HEAD, _WIDEST_LINE, _OFFERED = 24, 620, 4
_BESIDE, _LEAST_BAR, _MOST_BAR = 900.0, 60.0, 240.0
"""Minimum width for changes beside the verdict, and bounds of a bar's width, in units."""


class WhyNotView(Overlay):
    """Shows a verdict and calls the actions on it; it computes nothing."""

    def __init__(self, theme: Theme, worker: Worker, actions: WhyNotActions) -> None:
        super().__init__(theme, "Why not", actions.close)
        self._actions = actions
        self.shown: WhyNot | None = None
        self._may_apply = True
        self._unfolded: frozenset[int] = frozenset()
        """Places of the changes whose cases are listed."""
        self.expected = ExpectedLine(theme)
        self.expected.names_requested.connect(actions.find_names)
        self.expected.names_dropped.connect(actions.drop_names)
        self.expected.chosen.connect(actions.expect)
        self.expected.left.connect(actions.close)
        self.explain = button("Explain", tip="Explain where it was lost (Enter)", press=self.expected.decide)
        self.cancel = button("Cancel", tip="Stop trying changes", press=actions.cancel)
        self.head = PaneHeader(theme, "Why not", self.cancel, self.close_it)
        self.progress = styled(progress_bar("Cases that were run"), role="hairline")
        self.fault = FaultLine(theme)
        self.sheet = DocumentView(theme, "Expected against winner, and changes")
        self.sheet.anchorClicked.connect(self._on_link)
        self.seeds = button("Add the sample library", primary=True, press=worker.add_seed_library)
        self.offers = [button("") for _ in range(_OFFERED)]
        for place, made in enumerate(self.offers):
            made.clicked.connect(partial(self._choose_offer, place))
        self._offered: Sequence[Expectation] = ()
        self.empty = EmptyState(theme, "why", "", "", self.seeds, *self.offers)
        px, top = theme.px, QWidget()
        row = spaced(QHBoxLayout(top), px(8), px(16), px(6), px(16), px(10))
        self.expected.setMaximumWidth(px(_WIDEST_LINE))
        fill(row, (self.expected, 1), self.explain, 0)
        fill(spaced(QVBoxLayout(self)), self.head, top, self.progress, self.fault, (self.sheet, 1), (self.empty, 1))
        chain_focus(self.expected.line, self.explain, self.sheet, self.seeds, *self.offers, self.cancel, self.close_it)
        self.show_running(None)
        theme.follow(lambda: self.close_it.setIcon(icons.icon("cross", theme.tokens.text, theme.tokens.border_strong)))

    # ---- display

    def show_verdict(self, shown: WhyNot | None) -> None:
        """Show a verdict; None: there is none, as `show_empty` explains."""
        if shown != self.shown:
            self._unfolded = frozenset()
        self.shown = shown
        self.sheet.setVisible(shown is not None)
        self.empty.setVisible(shown is None)
        self._draw()

    def show_empty(self, line: str, sentence: str, *, seeds: bool = False, offered: Sequence[Expectation] = ()) -> None:
        """Show the empty state without a verdict: `offered` answers, or with `seeds` the sample library."""
        self.empty.set_text(line, sentence)
        self.seeds.setVisible(seeds)
        self._offered = offered[:_OFFERED]
        for made, one in zip_longest(self.offers, self._offered):
            made.setText("" if one is None else cut(shown_name(one), _LONGEST_HEAD))
            made.setVisible(one is not None)

    def _choose_offer(self, place: int) -> None:
        self._actions.ask_about(self._offered[place])

    def show_running(self, more: str | None, done: int = 0, total: int = 0) -> None:
        """Show the progress beside the title; None for no job. The layout does not move."""
        is_running = more is not None
        had_focus = self.cancel.hasFocus()
        self.cancel.setVisible(is_running)
        self.head.set_more(more or "")
        self.progress.setMaximum(total if is_running else 1)
        self.progress.setValue(done if is_running else 0)
        if had_focus and not is_running:
            self.expected.line.setFocus(Qt.FocusReason.OtherFocusReason)

    def let_apply(self, *, on: bool) -> None:
        """Offer to apply the changes while the verdict belongs to the current query."""
        self._may_apply = on
        self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._draw()

    def _on_link(self, link: QUrl) -> None:
        verb, place = link.toString().split(":")
        if verb == "cases":
            self._unfolded ^= {int(place)}
            self._draw()
        elif self.shown is not None:
            self._actions.apply(self.shown.changes[int(place)])

    def _draw(self) -> None:
        shown, width = self.shown, self.width() / self.theme.scale
        if shown is None:
            return
        is_beside = width >= _BESIDE
        bar = max(_LEAST_BAR, min(_MOST_BAR, (width / (2 if is_beside else 1) - 260) / 2))
        verdict = _verdict_html(shown, round(bar))
        changes = span(why_not.title(shown), "body strong", "p") + span(why_not.hint(shown), "small text_2 below", "p")
        changes += "".join(self._change_html(place, *row) for place, row in enumerate(why_not.headed(shown.changes)))
        if is_beside:
            cells = (
                f'<td width="50%" class="{side}">{part}</td>' for side, part in (("left", verdict), ("beside", changes))
            )
            self.sheet.show_html(f'<table width="100%" cellspacing="0"><tr>{"".join(cells)}</tr></table>')
        else:
            self.sheet.show_html(f"{verdict}<hr>{changes}")

    def _change_html(self, place: int, heading: str, change: Change) -> str:
        is_open, effect = place in self._unfolded, change.effect
        cases = list(why_not.cases_named(effect))
        verbs, apply = [], ""
        if change.wins:
            apply = f"<td>{press_html(f'apply:{place}', 'Apply', on=self._may_apply)}</td>"
            verbs = [span("Fixes this query", "success")]
        if effect is not None:
            verbs.append(span(f"{why_not.cases_of(effect)}:", "text_2"))
            verbs.append(span(f"{effect.fixes:,} fixed", "success" if effect.fixes else "text_2"))
            verbs.append(span(f"{effect.breaks:,} broken", "danger" if effect.breaks else "text_2"))
        if cases:
            verbs.append(link_html(f"cases:{place}", "Hide the cases" if is_open else "Which cases"))
        named = ""
        for said, texts in cases if is_open else ():
            named += span(said, "head", "p") + "".join(span(cut(text, _LONGEST), "", "p") for text in texts)
        above = f"<hr>{span(heading, 'body strong', 'p')}" if heading else ""
        what = span(cut(shortened(change_words(change)), _LONGEST), "strong", "p")
        if risk := why_not.risk_sentence(change):
            what += span(risk, "small text_2", "p")
        cells = f'{apply}<td valign="middle" class="{"cell" if apply else ""}">{" &nbsp; ".join(verbs)}</td>'
        return f'{above}<hr>{what}<table cellspacing="0"><tr>{cells}</tr></table>{named}'


def _verdict_html(shown: WhyNot, bar: int) -> str:
    icon, token = ("check", "success") if shown.is_delivered else ("cross", "danger")
    first, *others = why_not.sentences(shown)
    html = f"<p>{icon_html(icon, token)} {span(why_not.headline(shown), 'title')}</p>"
    html += span(shortened(first), "body", "p") + "".join(span(more, "text_2 below", "p") for more in others)
    if rows := why_not.scores(shown):
        is_first, winner, sides = why_not.leads(shown), shown.winner_name, [("Expected", shown_name(shown.expected))]
        if winner:
            beside = "Next" if is_first else "First" if shown.stage is LostAt.AMBIGUITY else "Winner"
            sides.append((beside, shown_name(Expectation(shown.expected.kind, winner, shown.expected.is_type))))
        names = [span(cut(name, _LONGEST_HEAD), "strong", tip=name) for _, name in sides]
        heads = [f"{span(word, 'small text_2')}<br>{name}" for (word, _), name in zip(sides, names, strict=True)]
        heads[0] = f"{icon_html(KIND_ICONS[shown.expected.kind], 'text_2', 14)} {heads[0]}"
        ranks = [f"{shown.expected_rank or 0:,}", ("2" if is_first else "1") if winner else ""]
        last = [["Rank", *(span(rank, "mono text_2") for rank in ranks), ""]] if shown.expected_rank else []
        cells = (_gap_html(gap, *texts, sides=len(heads), bar=bar) for gap, texts in rows)
        html += table_html([["", *heads, span("Difference", "small text_2")], *cells, *last])
    return html + span(why_not.nearest_names(shown), "text_2", "p")


def _gap_html(gap: ScorerGap, title: str, *texts: str, sides: int, bar: int) -> list[str]:
    """Return a scorer's row: both numbers with bars, the larger one bold, and the difference."""
    is_known, total = gap.scorer in SCORERS, not gap.scorer
    values = list(zip((gap.expected, gap.winner), texts[:sides], strict=False))
    most = max((value for value, _ in values if value), default=None)
    end = max(1.0, most or 0.0)  # evidence may exceed 1
    token = "accent" if total else gap.scorer if is_known else "bar"
    cells = [
        span(text, "mono strong" if total or value == most else "mono text_2")
        + f"<br>{bar_html(None if value is None else value / end, token, bar)}"
        for value, text in values
    ]
    badge = f"{badge_html(gap.scorer)} " if is_known else ""
    return [badge + span(title, "strong" if total else "text"), *cells, span(texts[-1], "mono strong")]


# ---- Line of the expected answer, with completions of all answers and their kinds.

_MOST_ROWS, _ROW, _TAG, _LONGEST_NAME = 10, 28, 96.0, 400


class ChoiceDelegate(RowDelegate):
    """Row of the completions: icon of the kind, name, and word of the kind on the right."""

    wide, ground = 120, "raised"

    def draw(self, canvas: Canvas, index: Index, *, on: bool) -> None:
        choice, theme = index.data(ROW_ROLE), self.theme
        canvas.icon(KIND_ICONS[choice.kind], 12, 7, 14)
        taken = canvas.text(QRectF(0, 0, canvas.width - 12, _ROW), kind_word(choice), theme.face(11), "text_2", RIGHT)
        canvas.text(QRectF(34, 0, canvas.width - 34 - 24 - taken, _ROW), shown_name(choice), theme.face(13))


class KindTag(Themed):
    """Kind of the expected answer, before its name."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._shown: Expectation | None = None
        self.setFixedSize(theme.px(_TAG), theme.px(28))

    def show_kind(self, expected: Expectation | None) -> None:
        self._shown = expected
        self.setAccessibleName(kind_word(expected) if expected is not None else "")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        canvas, shown = Canvas(QPainter(self), self.theme, self.width()), self._shown
        if shown is not None:
            canvas.icon(KIND_ICONS[shown.kind], 0, 6, 16)
        left, word, token = (0, "Expected", "text_2") if shown is None else (23, kind_word(shown), "text")
        canvas.text(QRectF(left, 0, _TAG - left, 28), word, self.theme.face(12, 600), token)


class ExpectedLine(Themed):
    """Requests completions while typing; Enter chooses, even before they have arrived."""

    names_requested = Signal(str)  # the text
    names_dropped = Signal()  # the pending request is of no use
    chosen = Signal(Expectation)
    left = Signal()  # Escape

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.choice: Expectation | None = None
        self._decides, self._opens = False, False
        self.tag = KindTag(theme)
        self.line = line_edit(
            "What was expected", longest=_LONGEST_NAME, hint="a memory, an intent, a type, a power or a route"
        )
        self.model = ListModel[Expectation](
            shown_name, lambda choice: f"{kind_word(choice)} {shown_name(choice)}", self
        )
        self._completer = QCompleter(self.model, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(_MOST_ROWS)
        self._completer.setWidget(self.line)
        self._completer.connect(SIGNAL("activated(QModelIndex)"), self._on_row)  # one of two overloads
        if (popup := self._completer.popup()) is not None:
            popup.setItemDelegate(ChoiceDelegate(theme, _ROW, popup))
            popup.setAccessibleName("What can be expected")
        self.line.textEdited.connect(self._on_edited)
        self.line.returnPressed.connect(self.decide)
        self.line.installEventFilter(self)
        fill(spaced(QHBoxLayout(self), theme.px(8)), self.tag, (self.line, 1))
        self.setFocusProxy(self.line)

    # ---- display

    def show_choice(self, choice: Expectation) -> None:
        """Show this answer, without a signal."""
        self.choice = choice
        self.tag.show_kind(choice)
        self.line.setText(shown_name(choice))
        self.select()

    @property
    def _is_choice(self) -> bool:
        """True if the text names the chosen answer."""
        return self.choice is not None and self.line.text() == shown_name(self.choice)

    def select(self) -> None:
        """Select the text, so that the next letter replaces it; a long name shows its start."""
        length = len(self.line.text())
        self.line.setSelection(length, -length)

    def show_names(self, offered: Sequence[Expectation]) -> None:
        """Show the completions of the latest request; choose, if Enter waits for them."""
        self.model.show_rows(offered)
        if self._decides:
            self._decides = False
            self._hide_names()
            if choice := parse_expectation(self.line.text(), offered, self.choice.kind if self.choice else ""):
                self._choose(choice)
        elif offered and self.line.hasFocus() and (self._opens or self.line.text().strip()):
            self._completer.complete()
        else:
            self._hide_names()

    def decide(self) -> None:
        """Choose by the text once its completions have arrived; a selected completion has priority."""
        popup = self._completer.popup()
        if popup is not None and popup.isVisible() and (picked := popup.currentIndex()).isValid():
            self._hide_names()
            self._on_row(picked)
        elif self.choice is not None and self._is_choice:
            self._hide_names()
            self.chosen.emit(self.choice)
        elif typed := self.line.text().strip():
            self._decides = True
            self.names_requested.emit(typed)

    # ---- user actions

    def _on_edited(self) -> None:
        self._decides = self._opens = False
        self.tag.show_kind(self.choice if self._is_choice else None)
        self.names_requested.emit(self.line.text().strip())

    def _on_row(self, index: QModelIndex) -> None:
        choice = index.data(ROW_ROLE)
        if isinstance(choice, Expectation):
            self._decides = False
            self.names_dropped.emit()
            self._choose(choice)

    def _choose(self, choice: Expectation) -> None:
        self.show_choice(choice)
        self.chosen.emit(choice)

    def _hide_names(self) -> None:
        if (popup := self._completer.popup()) is not None:
            popup.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave the line on Escape, before the window's shortcut; open the list on Down."""
        if watched is not self.line or not isinstance(event, QKeyEvent):
            return False
        if event.key() == Qt.Key.Key_E and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # the window's, though it moves the cursor on some desktops
            return event.type() is QEvent.Type.ShortcutOverride
        if handle_escape(event, self.left.emit):
            return True
        if event.key() == Qt.Key.Key_Down and event.type() is QEvent.Type.KeyPress:
            self._opens = True  # lists the completions of the text, or all if the text is the chosen answer
            self.names_requested.emit("" if self._is_choice else self.line.text().strip())
            return True
        return False


REST_MS = 500
"""Debounce in ms of typing before a new explanation; after other changes `ANEW_MS`."""

ANEW_MS = 60
_MOST_NAMES = 40


class WhyNotActions(Overlays[WhyNotView]):
    """Requests an explanation after a pause in typing; the next key cancels it."""

    def __init__(
        self, line: QueryLine, state: Callable[[], ScopeState], theme: Theme, worker: Worker, place: QStackedWidget
    ) -> None:
        super().__init__(place, line)
        self._state, self._theme, self._worker = state, theme, worker
        self.expected: Expectation | None = None
        self._named_for = ""
        """Query that the expected answer was named for; "" before there is one."""
        self._shown: WhyNot | None = None
        self._asked = -1
        self._job, self._names = Job(worker, self, self._on_refused), Job(worker, self)
        self.drop_names = self._names.cancel
        self.rest = single_shot(self, 0, self._explain)
        self._line.changed.connect(self._on_text)
        worker.inspected.connect(self._on_inspected)
        worker.settled.connect(self._follow, Qt.ConnectionType.QueuedConnection)

    # ---- user actions

    def toggle(self, *, may_close: bool = True) -> None:
        """Explain why the selected or expected answer did not win; or go back."""
        if self.is_open and may_close:
            self.close()
        elif not self.is_open:
            self._open(self._selected_below())

    def ask_about(self, expected: Expectation | None) -> None:
        """Explain why this answer did not win; None asks for the expected answer."""
        self.close()
        self.expected = expected
        self._open(expected)

    def cancel(self) -> None:
        self._stop()
        if self.view is not None and self.view.shown is None:
            self.view.show_empty("Stopped", "Press Enter in the line above to try again.")

    def expect(self, expected: Expectation) -> None:
        self.expected, self._named_for = expected, self._line.text().strip()
        self._explain()

    def focus_stops(self) -> list[QWidget]:
        return [] if self.view is None else [self.view.expected.line, self.view.sheet]

    # ---- opening

    def _open(self, found: Expectation | None) -> None:
        if found is not None:
            self.expected, self._named_for = found, self._line.text().strip()
        self._shown, self._asked = None, -1
        view = self._lay_over()
        if found is not None:
            view.expected.show_choice(found)
        view.expected.select()  # partly typed text stays until the next letter
        view.expected.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        view.fault.show_fault("")
        self._explain()

    def _left(self) -> None:
        self._stop()  # the expected answer stays for the next time

    def _make_view(self) -> WhyNotView:
        return WhyNotView(self._theme, self._worker, self)

    def _selected_below(self) -> Expectation | None:
        """Return the selected match, unless it leads: the first of all, or the first found of its kind."""
        selected, inspection = self._state().selected, self._state().inspection
        if selected is None or inspection is None:
            return None
        first_of_kind = next((match for match in inspection.matches if match.kind is selected.kind), None)
        if inspection.matches[:1] == (selected,) or (selected.is_found and selected == first_of_kind):
            return None
        return Expectation(selected.kind.value, selected.answer.name)

    def _others(self) -> list[Expectation]:
        """Return the matches after the first of each kind, which the query may have meant; intents once."""
        found = self._state().inspection
        answers = [one.answer for one in (*found.memories[1:], *found.powers[1:])] if found else []
        kinds = ("intent" if title(one) != one.name else one.kind.value for one in answers)
        return list(dict.fromkeys(map(Expectation, kinds, map(title, answers))))

    # ---- requests

    def _explain(self) -> None:
        """Request an explanation for the current query; that of an edited one stays until it arrives."""
        self._stop()
        view = self.view
        if view is None or not self.is_open:
            return
        shown, text, expected, seeds = self._shown, self._line.text(), self.expected, self._state().has_empty_library
        why, others = ("What did you expect?", "Choose it, or type its name above."), self._others()
        if not text.strip():
            why = ("No query yet", "Type a query above, then name what you expected.")
        if seeds:
            why = ("The library is empty", "Add the sample library, or teach the query with Ctrl+T.")
        if seeds or expected is None or not text.strip():
            self._shown = None
            view.show_verdict(None)
            view.show_empty(*why, seeds=seeds, offered=others if text.strip() and not seeds else ())
            return
        self._asked = self._worker.generation
        if shown is None or shown.expected != expected or not why_not.is_edit(text.strip(), shown.query.strip()):
            view.show_verdict(None)
            view.show_empty("Finding where it was lost", "Changes are tried. For a type or a route this takes seconds.")
        view.let_apply(on=False)
        view.show_running("finding where it was lost")
        self._job.run_with_progress(
            lambda bench, tell: bench.why_nots.explain(text, expected, tell), self._on_progress, self._on_explained
        )

    def _stop(self) -> None:
        self.rest.stop()
        self._job.cancel()
        if self.view is not None:
            self.view.show_running(None)

    def apply(self, change: Change) -> None:
        if self.view is not None:
            self.view.let_apply(on=False)
            self.view.sheet.setFocus(Qt.FocusReason.OtherFocusReason)
        self._worker.note_acted()
        self._job.do(
            lambda bench: bench.why_nots.apply(change), lambda _: self._on_applied(change), self._on_not_applied
        )

    def find_names(self, prefix: str) -> None:
        async def find(bench: Workbench) -> Sequence[Expectation]:
            return tuple(map(Expectation.of, bench.why_nots.candidates(prefix, _MOST_NAMES)))

        def show(offered: Sequence[Expectation]) -> None:
            if self.view is not None:
                self.view.expected.show_names(offered)

        self._names.run(find, show)

    # ---- results

    def _on_text(self) -> None:
        """Cancel while typing; the shown verdict is of another query, so it cannot be applied."""
        if not self.is_open or self.view is None:
            return
        self._stop()
        self.view.let_apply(on=False)
        if self._line.text().strip():
            self.rest.start(REST_MS)
        else:
            self._explain()

    def _on_inspected(self, generation: int, inspection: Inspection) -> None:
        if inspection.phase is not Phase.FLOOR:
            self._follow(generation)

    def _follow(self, generation: int) -> None:
        """Explain a new answer to the query, also after a change of library or settings."""
        is_newest = generation == self._worker.generation
        if self.is_open and is_newest and generation != self._asked and not self.rest.isActive():
            self.rest.start(ANEW_MS)

    def _on_progress(self, done: int, total: int) -> None:
        if self.view is not None and self.is_open:
            text = f"trying changes: {done:,} of {total:,} cases"
            self.view.show_running(text, done, total)

    def _on_explained(self, found: WhyNot) -> None:
        view = self.view
        if view is None or not self.is_open:
            return
        self._shown = found
        view.fault.show_fault("")
        view.show_running(None)
        self._named_for = self._named_for or found.query
        if not why_not.is_edit(found.query.strip(), self._named_for) and not why_not.is_related(found):
            view.show_verdict(None)
            view.show_empty(
                f"“{why_not.shown_name(found.expected)}” was expected of another query",
                "Choose the answer that you expected of this one, or type its name above.",
                offered=self._others(),
            )
            return
        view.show_verdict(found)
        view.let_apply(on=True)

    def _on_refused(self, sentence: str) -> None:
        if self.view is not None:
            self.view.show_running(None)
            self.view.fault.show_fault(sentence)
            if self.view.shown is None:
                self.view.show_empty("Not explained", "Press Enter in the line above to try again.")

    def _on_applied(self, change: Change) -> None:
        self._line.leaves_undo = True
        self.notified.emit(why_not.applied_message(change), True, False)
        self._asked = -1
        if self.is_open:
            self.rest.start(ANEW_MS)

    def _on_not_applied(self, sentence: str) -> None:
        """Report the refusal, and explain again."""
        self.refuse(sentence)
        if self.is_open:
            self.rest.start(ANEW_MS)
