"""Inbox: queries that wait for a decision, each decided with one key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.display.library.teaching import TeachingTarget, teaching_targets
from app.display.review import inbox
from app.display.review.history import answer_limits
from app.domain.filters import PAGE, SearchResult
from app.domain.history import HistoryCounts, HistoryEntry, HistoryFilter, Judgement
from app.domain.library import Answer, Memory
from app.gui.bridge.engine_thread import Operation, Worker, ignore
from app.gui.bridge.jobs import Job, history_watch
from app.gui.kit.controls import EmptyState, PaneHeader, button, set_primary
from app.gui.kit.layouts import fill, spaced, splitter
from app.gui.kit.page import Action, CoreState, Group, Page, native
from app.gui.kit.pane_parts import FaultLine, WrappedLabel
from app.gui.kit.theme import Theme
from app.gui.review.inbox_queue import DetailCache, InboxDetail, InboxFront, InboxList, taught_as

if TYPE_CHECKING:
    from app.services.workbench import Workbench

SOURCE = "inbox"
"""Source of memories made from queries here."""

_LOADED_AHEAD = 3
_LIST = 380


class InboxPage(Page):
    """A decision removes the query at once and shows the next; a failed one restores it."""

    key, group = "inbox", Group.TEACH

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Inbox")
        self.worker = worker
        self._jobs, self._ahead = Job(worker, self, self.refuse), Job(worker, self)
        self.watch = history_watch(worker)
        self.counts = self.watch.counts or HistoryCounts()
        self._front: int | None = None
        self.looks = DetailCache(worker, self)
        self._is_stale, self._is_known = True, False
        self.pending: dict[int, tuple[int, HistoryEntry]] = {}
        """Running decisions, by key: index and query."""
        self._decided_since: set[int] = set()
        """Decided keys that the last requested search may still return."""
        self.decided: list[int] = []
        """Keys decided since the page was made, in order."""
        self._labels: dict[int, str] = {}
        """Label typed for a memory, until it is stored."""
        self._make_parts()
        self._arrange()
        self._connect()
        self._connect_verbs()
        self._show_front()

    # ---- construction

    def _make_parts(self) -> None:
        theme = self.theme
        self.where = WrappedLabel(role="caption")
        self.where.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.where.setWordWrap(False)
        self.head = PaneHeader(theme, "Inbox", self.where)
        self.fault = FaultLine(theme)
        self.view = InboxList(theme, "Queries to review, newest first")
        self.model = self.view.queue
        self.front = front = InboxFront(theme)
        self.verbs, self.said, self.back = front.verbs, front.message, front.back
        self.teach, self.card = front.teach, front.card
        self.empty = EmptyState(
            theme,
            "inbox",
            "Nothing to review",
            "Queries that are weak, tied or answered in two ways appear here.",
            button("Go to the history", press=lambda: self.action_requested.emit("page:history")),
        )

    def _arrange(self) -> None:
        px = self.theme.px
        self.split = splitter(self.view, self.front, stretches=(0, 1))
        self.split.setSizes([px(_LIST), px(1280 - 48 - _LIST)])
        self.stack = fill(QStackedWidget(), self.split, self.empty)
        whole = fill(spaced(QVBoxLayout(self), 0, 0, px(4), 0, 0), self.head, self.fault)
        whole.addSpacing(1)
        whole.addWidget(self.stack, 1)

    def _connect(self) -> None:
        self.view.picked.connect(self._on_picked)
        self.model.rows_requested.connect(self._fetch)
        self.looks.loaded.connect(self._on_detail_loaded)
        self.looks.failed.connect(lambda _, sentence: self.refuse(sentence), Qt.ConnectionType.QueuedConnection)
        self.teach.closed.connect(self._close_teach)
        self.watch.counted.connect(self._on_counted)

    def event(self, event: QEvent) -> bool:
        """Stay in the empty inbox on Escape, which closed the last query's parts before."""
        if event.type() is QEvent.Type.ShortcutOverride and self.stack.currentWidget() is self.empty:
            event.setAccepted(isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape)
        return super().event(event)

    def fit(self, width: int) -> None:
        """Limit the list's share of the width, so that the current query has enough space."""
        super().fit(width)
        self.split.setSizes([(most := min(max(self.theme.px(_LIST), width // 3), width * 3 // 8)), width - most])

    def _connect_verbs(self) -> None:
        letters = {verb.letter.lower(): verb.key for verb in inbox.VERBS} | {"e": "why", "n": "next"}
        self.front.why.clicked.connect(lambda _=False: self.ask_why_not())
        self.view.typed.connect(lambda letter: self.do(letters[letter]) if letter in letters else None)
        for verb, made in self.verbs.items():
            made.clicked.connect(partial(self._press, verb))
        self.back.clicked.connect(lambda _=False: self._press_undo())
        self.teach.trigger_chosen.connect(self._teach_trigger)
        self.teach.label_chosen.connect(self._teach_memory)
        self.teach.draft_changed.connect(self._preview_draft)

    # ---- Page interface

    def focus_stops(self) -> list[QWidget]:
        if self.stack.currentWidget() is self.empty:
            return [self.empty.findChildren(QPushButton)[0]]
        box: list[QWidget] = [self.teach.list, self.teach.label] if self.teach.isVisible() else []
        return [self.view, *box, self.card, self.verbs["teach"]]

    def show_core_state(self, core_state: CoreState) -> None:
        evaluation_inputs = (core_state.settings, core_state.status.encoder_state)
        is_new = self.core_state is None or evaluation_inputs != (
            self.core_state.settings,
            self.core_state.status.encoder_state,
        )
        super().show_core_state(core_state)
        self.fault.show_fault(core_state.status.faults.get("store", ""))
        self.model.settings = core_state.settings
        self._show_front()
        if is_new:
            self.looks.outdate()
            self.view.viewport().update()
            if (key := self.view.key) is not None and self.isVisible():
                self.looks.ask(key, anew=True)

    def load(self) -> None:
        self._jobs.do(
            lambda bench: bench.catalogue.facets(),
            lambda facets: self.teach.show_labels([label for label, _ in facets.get("label", ()) if label]),
            ignore,
        )
        if self._is_stale:
            self.refresh()

    # ---- waiting queries

    def refresh(self) -> None:
        """Search for waiting queries."""
        is_open = self.core_state is not None and self.core_state.status.is_open
        self._is_stale = not (self.isVisible() and is_open)
        if not self._is_stale:
            self._decided_since = set(self.pending)

            async def find(bench: Workbench) -> SearchResult:
                keys = await bench.history.find(HistoryFilter(waiting=True))
                return SearchResult(keys, len(keys), await bench.history.rows(keys[:PAGE]))

            self._jobs.run(find, self.show_found)

    def _on_counted(self, counts: HistoryCounts) -> None:
        self.counts = counts
        self.looks.outdate()
        self._is_stale = True
        self._show_front()
        self.outdate()

    def show_found(self, found: SearchResult) -> None:
        """Show what waits, without what was decided since it was searched for."""
        self._is_known = True
        self.view.show_found(found, self._decided_since)
        self._show_front()

    def _fetch(self, keys: Sequence[int]) -> None:
        def show(rows: dict[int, HistoryEntry]) -> None:
            self.model.take_rows(rows, keys)
            if self.view.key in rows and self.card.past is None:
                self._on_picked()

        self._jobs.do(lambda bench: bench.history.rows(keys), show)

    def _show_front(self) -> None:
        """Show the list, or why it is empty."""
        has_any = bool(self.model.keys)
        had_focus = self.view.hasFocus() or self.teach.list.hasFocus() or self.teach.label.hasFocus()
        self.head.set_more(inbox.waiting_line(self.counts) if self.counts.waiting else "")
        self.where.setText(inbox.position_text(self.view.place, len(self.model.keys)) if has_any else "")
        privacy = self.core_state.settings.history.privacy if self.core_state else "full"
        line, sentence = inbox.empty_words(privacy, self.counts)
        if self.decided and (done := self.front.message.text()):
            sentence = f"{done} {native('Ctrl+Z')} undoes it."
        self.empty.set_text(line, sentence)
        self.stack.setCurrentWidget(self.split if has_any else self.empty)
        if not has_any and self._is_known:
            self.teach.setVisible(False)
        if had_focus and not has_any:
            self.focus_stops()[0].setFocus(Qt.FocusReason.OtherFocusReason)

    # ---- current query

    def _on_picked(self) -> None:
        key, row = self.view.key, self.view.row
        settings = self.core_state.settings if self.core_state is not None else None
        self.where.setText(inbox.position_text(self.view.place, len(self.model.keys)) if key is not None else "")
        if key == self._front and self.card.past is not None:
            return  # the list has changed around it
        self._front = key
        if self.teach.isVisible():
            self._close_teach()
        self.card.verticalScrollBar().setValue(0)
        detail = self.looks.of(key)
        if detail is not None:
            self.card.show_detail(detail, settings)
        else:
            self.card.show_row(row, settings)
        for verb, made in self.verbs.items():
            made.setEnabled(row is not None and not inbox.verb_refusal(row, verb))
        place = self.view.place
        for ahead in self.model.keys[max(0, place) : place + 1 + _LOADED_AHEAD]:
            self.looks.ask(ahead, anew=ahead == key)

    def _on_detail_loaded(self, key: int, detail: InboxDetail) -> None:
        if key == self.view.key:
            self.card.show_detail(detail, self.core_state.settings if self.core_state is not None else None)
            if self.teach.isVisible() and detail.today is not None:
                self.teach.show_choices(_targets(detail))

    def open_in_scope(self) -> None:
        if (row := self.view.row) is not None:
            self.ask_on_scope(row.text)

    def ask_why_not(self) -> None:
        """Open why-not on the scope for the current query."""
        row, key = self.view.row, self.view.key
        if row is not None and key is not None and row.text is not None:
            self._jobs.do(lambda bench: bench.history.expected(key), partial(self.ask_why, row.text))

    def _drop_front(self, key: int) -> None:
        """Remove the decided query and show the next one at once."""
        self.looks.forget(key)
        self._front = None
        self.view.drop_front()
        self._on_picked()
        self._show_front()

    def _bring_back(self, place: int, key: int, row: HistoryEntry) -> None:
        """Restore a query whose decision failed, and show it unless a label is being typed."""
        if key not in self.model.keys:
            self.view.bring_back(place, key, row)
            self._show_front()
            if not (self.teach.isVisible() and self.teach.label.text()):
                self.view.go_to(self.model.keys.index(key))

    def _close_teach(self) -> None:
        self._ahead.cancel()
        self.front.close_teach(self.view)

    def show_message(self, sentence: str) -> None:
        """Show what was just done, with an undo."""
        self.front.show_message(sentence, can_undo=bool(self.decided))

    # ---- decisions

    def do(self, verb: str) -> None:
        """Run the decision of a key or button on the current query."""
        row, key = self.view.row, self.view.key
        if verb == "next":
            self.view.go_to(self.view.place + 1)
        elif row is None or key is None:
            self.show_message("The query is being fetched. Try again in a moment.")
        elif verb == "why":
            self.ask_why_not()
        elif why := inbox.verb_refusal(row, verb):
            self.show_message(why)
        elif verb == "teach":
            detail = self.looks.of(key)
            set_primary(self.verbs["teach"], False)  # the box has one
            self.teach.begin(_targets(detail))
            if label := self._labels.get(key):
                self.teach.label.setText(label)
                self.teach.label.setFocus(Qt.FocusReason.OtherFocusReason)
        elif verb == "none":
            self._decide(Judgement.NONE, lambda bench: bench.history.mark_none(key))
        elif verb == "skip":
            self._decide(Judgement.SKIPPED, lambda bench: bench.history.skip([key]))
        else:
            fits = verb == "right"
            decision = Judgement.RIGHT if fits else Judgement.WRONG
            self._decide(decision, lambda bench: bench.history.mark(key, fits=fits))

    def undo(self) -> bool:
        """Undo the last decision after all running ones; its query becomes current."""
        self.view.wait_for(self.decided.pop() if self.decided else None)
        self._jobs.queue(partial(self.worker.undo_last, ""), self.worker.tell_undone)
        self.show_message("")
        return True

    def _press(self, verb: str, _: bool = False) -> None:
        self.do(verb)
        if verb != "teach":
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _press_undo(self) -> None:
        self.undo()
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _preview_draft(self, ticket: int, answer: Answer | None, label: str) -> None:
        """Request the effect of teaching the current query."""
        if (row := self.view.row) is not None and row.text is not None:
            text, drafted = row.text, answer or _as_memory(row.text, label)
            self._ahead.run(
                lambda bench: bench.edit_previews.of_trigger(drafted, text), partial(self.teach.show_preview, ticket)
            )

    def _teach_trigger(self, answer: Answer) -> None:
        if (key := self.view.key) is not None:
            self._close_teach()
            self._decide(Judgement.TAUGHT, lambda bench: bench.history.add_trigger(key, answer), answer.name)

    def _teach_memory(self, label: str) -> None:
        key, row = self.view.key, self.view.row
        if key is not None and row is not None and row.text is not None:
            memory = _as_memory(row.text, label)
            self._close_teach()
            self._labels[key] = label
            self._decide(Judgement.TAUGHT, lambda bench: bench.history.teach(key, memory), taught_as(label))

    def _decide(self, decision: Judgement, act: Operation, answer: str = "") -> None:
        """Remove the query and show the next one at once; the decision is stored in the background."""
        row, key = self.view.row, self.view.key
        if row is None or key is None:
            return
        self.pending[key] = (self.view.place, row)
        self._decided_since.add(key)
        self.decided.append(key)
        self._jobs.queue(act, lambda _: self._on_done(key), lambda sentence: self._on_failed(key, sentence))
        self.show_message(inbox.decision_sentence(row, decision, answer))
        self._drop_front(key)

    def _on_done(self, key: int) -> None:
        self.pending.pop(key, None)
        self._labels.pop(key, None)

    def _on_failed(self, key: int, sentence: str) -> None:
        place, row = self.pending.pop(key, (0, None))
        self._decided_since.discard(key)
        if key in self.decided:
            self.decided.remove(key)
        if row is not None:
            self._bring_back(place, key, row)
            why = inbox.failure_sentence(row, sentence)
            self.show_message(why)
            self.refuse(why)
        if self._labels.get(key) and self.view.key == key:
            self.do("teach")

    # ---- actions

    def action_rows(self) -> Sequence[Action]:
        row, verbs = self.own_action, inbox.VERBS
        return [
            *(row(one.key, f"Inbox: {one.word.lower()}", partial(self.do, one.key), "inbox") for one in verbs),
            row("scope", "Inbox: ask the query in the scope", self.open_in_scope, "scope"),
        ]

    # ---- paint

    def hairlines(self) -> Iterator[QRect]:
        if self.stack.currentWidget() is self.split:
            top = self.stack.y()
            edge = self.view.mapTo(self, QPoint(self.view.width(), 0)).x()
            yield QRect(0, top - 1, self.width(), 1)
            yield QRect(edge, top, 1, self.height() - top)


def _targets(detail: InboxDetail | None) -> Sequence[TeachingTarget] | None:
    """Return the answers to choose from, first those of the card; None while they are loading."""
    if detail is None or detail.today is None:
        return None
    past = detail.past
    return teaching_targets(detail.today, (past.kind, past.answer), partial(answer_limits, past))


def _as_memory(text: str, label: str) -> Memory:
    return Memory((text,), intent=label or None, source=SOURCE)
