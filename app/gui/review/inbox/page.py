"""The inbox: queries that wait for a decision, one in front, each decided with one key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.display.review import inbox
from app.domain.filters import SearchResult, place_of
from app.domain.history import PastCounts, PastQuery
from app.domain.inspection import Inspection
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.events import watch_of
from app.gui.kit.action import Action
from app.gui.kit.controls import Empty, Head, button
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.page import CoreState
from app.gui.kit.pane_parts import Said
from app.gui.kit.theme.theme import Theme
from app.gui.review.history.lines import PastRows
from app.gui.review.inbox.card import InboxFront
from app.gui.review.inbox.decisions import InboxDecisions, InboxParts
from app.gui.review.inbox.jobs import InboxJobs, Look, Looks
from app.gui.review.inbox.list import InboxModel, without

_NEWS_AFTER_MS, _AHEAD = 250, 3
_LIST = 380


class InboxPage(InboxParts):
    """A decision takes the query out at once and shows the next; what fails brings it back with its sentence."""

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, self.tr("Inbox"))
        self.worker = worker
        self.jobs = InboxJobs(worker, self)
        self.watch = watch_of(worker)
        self.counts = self.watch.counts or PastCounts()
        self._wanted: int | None = None
        self._front: int | None = None
        self.looks = Looks(self.jobs, self)
        self._is_stale, self._is_known = True, False
        self._make_parts()
        self._news_timer = QTimer(self, singleShot=True, interval=_NEWS_AFTER_MS)
        self._news_timer.timeout.connect(self.refresh)
        self._arrange()
        self._connect()
        self.deciding: InboxDecisions = InboxDecisions(self)
        self._show_front()

    # ---- building

    def _make_parts(self) -> None:
        theme = self.theme
        self.where = Said(role="caption")
        self.where.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.where.setWordWrap(False)
        self.head = Head(theme, self.tr("Inbox"), self.where)
        self.fault = FaultLine(theme)
        self.model = InboxModel(self)
        self.view = PastRows(theme, self.tr("Queries that wait, newest first"), self.model)
        self.front = front = InboxFront(theme)
        self.verbs, self.said, self.back = front.verbs, front.said, front.back
        self.teach, self.card, self.area = front.teach, front.card, front.area
        self.empty = Empty(
            theme,
            "inbox",
            self.tr("Nothing waits"),
            self.tr("Queries that are weak, tied or answered in two ways come here."),
            button(self.tr("Go to the history"), press=lambda: self.act_asked.emit("page:history")),
        )

    def _arrange(self) -> None:
        px = self.theme.px
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setHandleWidth(1)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.view)
        self.split.addWidget(self.front)
        self.split.setStretchFactor(0, 0)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([px(_LIST), px(1280 - 48 - _LIST)])
        self.stack = QStackedWidget()
        self.stack.addWidget(self.split)
        self.stack.addWidget(self.empty)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, px(4), 0, 0)
        whole.setSpacing(0)
        for part in (self.head, self.fault):
            whole.addWidget(part)
        whole.addSpacing(1)
        whole.addWidget(self.stack, 1)

    def _connect(self) -> None:
        jobs, queued = self.jobs, Qt.ConnectionType.QueuedConnection
        self.view.picked.connect(self._on_picked)
        self.view.seen.connect(self.model.look_at)
        self.model.wanted.connect(jobs.fetch)
        jobs.found.connect(self._on_found)
        jobs.rows_came.connect(self._on_rows, queued)
        self.looks.came.connect(self._on_looked)
        jobs.labels_came.connect(self.teach.show_labels, queued)
        jobs.refused.connect(lambda sentence: self.told.emit(sentence, False, True), queued)
        self.teach.closed.connect(self.close_teach)
        self.watch.counted.connect(self._on_counted)

    # ---- the page in the window

    def stops(self) -> list[QWidget]:
        if self.stack.currentWidget() is self.empty:
            return [self.empty.findChildren(QPushButton)[0]]
        box: list[QWidget] = [self.teach.list, self.teach.label] if self.teach.isVisible() else []
        return [self.view, *box, self.area, self.verbs["teach"]]

    def show_core_state(self, core_state: CoreState) -> None:
        was_open = self.core_state is not None and self.core_state.status.is_open
        grounds = (core_state.settings, core_state.status.encoder_state)
        is_new = self.core_state is None or grounds != (self.core_state.settings, self.core_state.status.encoder_state)
        super().show_core_state(core_state)
        self.fault.tell(core_state.status.faults.get("store", ""))
        self.model.settings = core_state.settings
        self._show_front()
        if is_new:
            self.looks.outdate()
            self.view.viewport().update()
            if (key := self.key) is not None and self.isVisible():
                self.looks.ask(key, anew=True)
        if core_state.status.is_open and not was_open and self.isVisible():
            self._begin()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.core_state is not None and self.core_state.status.is_open:
            self._begin()

    def _begin(self) -> None:
        self.jobs.find_labels()
        if self._is_stale:
            self.refresh()

    def offers(self) -> Sequence[Action]:
        return self.deciding.offers()

    def undo(self) -> bool:
        self.deciding.undo()
        return True

    # ---- what waits

    def refresh(self) -> None:
        """Ask what waits."""
        is_open = self.core_state is not None and self.core_state.status.is_open
        self._is_stale = not (self.isVisible() and is_open)
        if not self._is_stale:
            self.jobs.find()

    def _on_counted(self, counts: PastCounts) -> None:
        self.counts = counts
        self.looks.outdate()
        self._is_stale = True
        self._show_front()
        if self.isVisible():
            self._news_timer.start()

    def _on_found(self, found: SearchResult) -> None:
        keys = without(found.keys, self.deciding.pending)
        self._is_known = True
        if keys != self.model.keys:
            place, current = self.view.place, self.key
            self.model.show_keys(keys, found.rows)
            wanted = None if self._wanted is None else place_of(keys, self._wanted)
            if wanted is not None:
                place, self._wanted = wanted, None
            elif (still := place_of(keys, current)) is not None:
                place = still
            self.view.go_to(place)
        else:
            self.model.take_rows(found.rows, list(found.rows))
        self._show_front()

    def _on_rows(self, rows: dict[int, PastQuery], asked: list[int]) -> None:
        self.model.take_rows(rows, asked)
        if self.key in rows and self.card.past is None:
            self._on_picked()

    def _show_front(self) -> None:
        """Show the list, or why there is nothing in it."""
        has_any = bool(self.model.keys)
        had_focus = self.view.hasFocus() or self.teach.list.hasFocus() or self.teach.label.hasFocus()
        self.head.set_more(inbox.waiting_line(self.counts) if self.counts.waiting else "")
        self.where.setText(inbox.standing(self.view.place, len(self.model.keys)) if has_any else "")
        self.empty.tell(
            *inbox.empty_words(self.core_state.settings.history.privacy if self.core_state else "full", self.counts)
        )
        self.stack.setCurrentWidget(self.split if has_any else self.empty)
        if not has_any and self._is_known:
            self.teach.setVisible(False)
        if had_focus and not has_any:
            self.stops()[0].setFocus(Qt.FocusReason.OtherFocusReason)

    # ---- the one in front

    @property
    def key(self) -> int | None:
        """The key of the query in front."""
        place = self.view.place
        return self.model.keys[place] if 0 <= place < len(self.model.keys) else None

    @property
    def row(self) -> PastQuery | None:
        """The query in front, if it has come."""
        return self.model.row_at(self.view.place)

    def _on_picked(self) -> None:
        key, row = self.key, self.row
        settings = self.core_state.settings if self.core_state is not None else None
        self.where.setText(inbox.standing(self.view.place, len(self.model.keys)) if key is not None else "")
        if key == self._front and self.card.past is not None:
            return  # the list has changed around it
        self._front = key
        if self.teach.isVisible():
            self.close_teach()
        self.area.verticalScrollBar().setValue(0)
        look = self.looks.of(key)
        if look is not None:
            self.card.show_look(look, settings)
        else:
            self.card.show_row(row, settings)
        for verb, made in self.verbs.items():
            made.setEnabled(row is not None and not inbox.refusal(row, verb))
        place = self.view.place
        for ahead in self.model.keys[max(0, place) : place + 1 + _AHEAD]:
            self.looks.ask(ahead, anew=ahead == key)

    def _on_looked(self, key: int, look: Look) -> None:
        if key == self.key:
            self.card.show_look(look, self.core_state.settings if self.core_state is not None else None)
            if self.teach.isVisible() and look.today is not None:
                self.teach.show_choices(inbox.choices(look.today))

    def open_in_scope(self) -> None:
        """Ask the query in front in the scope."""
        if (row := self.row) is not None and row.text is not None:
            self.query_typed.emit(row.text)
            self.act_asked.emit("query")

    def drop_front(self, key: int) -> None:
        """The query in front is decided: the next one is there at once."""
        place = self.view.place
        self.looks.forget(key)
        self._front = None
        self.model.take_out(place)
        if self.view.place != place:
            self.view.go_to(place)
        self._on_picked()
        self._show_front()

    def bring_back(self, place: int, key: int, row: PastQuery) -> None:
        """What was decided is not: the query is in front again, unless a label is being typed for another one."""
        if key not in self.model.keys:
            place = self.model.put_in(place, key, row)
            self._show_front()
            if not (self.teach.isVisible() and self.teach.label.text()):
                self.view.go_to(place)

    def wait_for(self, key: int | None) -> None:
        """Put this one in front as soon as it waits again."""
        self._wanted = key

    def today(self) -> Inspection | None:
        """How the query in front is answered today, if that is known."""
        look = self.looks.of(self.key)
        return look.today if look is not None else None

    def close_teach(self) -> None:
        """Teach nothing."""
        self.front.close_teach(self.view)

    def say(self, sentence: str) -> None:
        """Say what was just done, with the way back."""
        self.front.say(sentence, can_undo=bool(self.deciding.decided))

    # ---- paint

    def hairlines(self) -> Iterator[QRect]:
        if self.stack.currentWidget() is self.split:
            top = self.stack.y()
            edge = self.view.mapTo(self, QPoint(self.view.width(), 0)).x()
            yield QRect(0, top - 1, self.width(), 1)
            yield QRect(edge, top, 1, self.height() - top)
