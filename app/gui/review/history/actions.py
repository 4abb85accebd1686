"""What a person can do with past queries: ask them in the scope, ask them again, forget them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu, QPushButton

from app.display.review.rows import forget_question, forgotten
from app.domain.history import PastCounts, PastQuery
from app.gui.kit.action import Action, Group
from app.gui.kit.confirm import Confirm, ask
from app.gui.kit.page import Page
from app.gui.review.history.jobs import HistoryJobs
from app.gui.review.history.replay import ReplayView
from app.gui.review.history.side import HistorySide
from app.gui.review.history.strips import LogStrip
from app.gui.review.history.table import HistoryTable

KEY = "history"


class HistoryParts(Page):
    """The page of past queries as its verbs know it."""

    jobs: HistoryJobs
    counts: PastCounts
    table: HistoryTable
    side: HistorySide
    replay: ReplayView
    log: LogStrip
    replay_all: QPushButton
    forget_all: QPushButton

    @property
    def is_replaying(self) -> bool:
        """Whether a replay stands in the place of the table."""
        raise NotImplementedError

    def show_replay(self, *, on: bool) -> None:
        """Let the replay stand in the place of the table, or the table again."""
        raise NotImplementedError


class HistoryActions(QObject):
    """The verbs of the page, and what they come to. At most one question is open."""

    def __init__(self, page: HistoryParts) -> None:
        super().__init__(page)
        self._page, self._jobs = page, page.jobs
        self.dialog: Confirm | None = None
        queued = Qt.ConnectionType.QueuedConnection
        page.jobs.forgotten.connect(self._on_forgotten, queued)
        page.jobs.refused.connect(self._on_refused, queued)
        page.jobs.replay_moved.connect(page.replay.show_progress)
        page.jobs.replay_ended.connect(page.replay.end)
        page.jobs.replay_ended.connect(lambda why: page.task_ended.emit(why or self.tr("The replay has ended.")))
        page.replay.stop_asked.connect(self.stop_replay)
        page.replay.left.connect(self.leave_replay)
        page.replay.picked.connect(self._on_replay_picked)
        page.replay.entered.connect(self.open_in_scope)
        page.table.entered.connect(self.open_in_scope)
        page.table.doubleClicked.connect(lambda _: self.open_in_scope())
        page.table.delete_asked.connect(self.forget)
        page.table.menu_wanted.connect(self._fill_menu)
        page.side.open_asked.connect(self.open_in_scope)
        page.side.replay_asked.connect(self.replay_selected)
        page.side.forget_asked.connect(self.forget)
        page.replay_all.clicked.connect(lambda _=False: self.replay_found())
        page.forget_all.clicked.connect(lambda _=False: self.forget_all())

    # ---- in the scope

    def open_in_scope(self) -> None:
        """Ask the query that is looked at in the scope."""
        row = self._looked_at()
        if row is None:
            return
        if row.text is None:
            sentence = self.tr("Only a digest of this query is kept. It cannot be asked again.")
            self._page.told.emit(sentence, False, True)
            return
        self._page.query_typed.emit(row.text)
        self._page.act_asked.emit("query")

    def _looked_at(self) -> PastQuery | None:
        if self._page.is_replaying:
            current = self._page.replay.current
            return current.before if current is not None else None
        return self._page.table.current_row

    # ---- again

    def replay_selected(self) -> None:
        """Ask what is selected again."""
        self._replay(self._page.table.selected_keys)

    def replay_found(self) -> None:
        """Ask all that the filter leaves again."""
        self._replay(list(self._page.table.paged.keys))

    def _replay(self, keys: Sequence[int]) -> None:
        if keys:
            self._page.show_replay(on=True)
            self._page.replay.begin(len(keys))
            self._jobs.replay(keys)

    def stop_replay(self) -> None:
        """Stop; what has come out stays."""
        self._jobs.stop_replay()
        self._page.replay.end()

    def leave_replay(self) -> None:
        """Go back to the table; a replay under way is stopped."""
        if self._page.replay.is_running:
            self.stop_replay()
        self._page.show_replay(on=False)

    def _on_replay_picked(self) -> None:
        current = self._page.replay.current
        if self._page.is_replaying and current is not None:
            self._page.side.show_replayed(current)

    # ---- forgetting

    def forget(self) -> None:
        """Forget what is selected, after a question: there is no way back."""
        keys = self._page.table.selected_keys
        if keys and not self._page.is_replaying:
            self._ask(forget_question(len(keys)), partial(self._jobs.forget, keys))

    def forget_all(self) -> None:
        """Forget everything, after a question: there is no way back."""
        if count := self._page.counts.kept:
            self._ask(forget_question(count, is_all=True), self._jobs.forget_all)

    def _ask(self, question: str, act: Callable[[], object]) -> None:
        verb = self.tr("Forget")
        self.dialog = ask(Confirm(self._page.theme, verb, question, verb, self._page), act)
        self.dialog.finished.connect(self._close_dialog)

    def _close_dialog(self) -> None:
        self.dialog = None

    # ---- what comes back

    def _on_forgotten(self, count: int) -> None:
        self._page.told.emit(forgotten(count), False, False)

    def _on_refused(self, sentence: str) -> None:
        self._page.told.emit(sentence, False, True)

    def _fill_menu(self, menu: QMenu, at: QPoint) -> None:
        side = self._page.side
        for made in (side.open, side.replay, side.forget):
            act = menu.addAction(made.text())
            act.setEnabled(made.isEnabled())
            act.triggered.connect(made.click)
        menu.popup(at)

    # ---- as rows

    def offers(self) -> tuple[Action, ...]:
        """What can be done on the page, for palette and keys."""
        rows: tuple[tuple[str, str, Callable[[], object], str], ...] = (
            ("scope", "Ask the selected past query in the scope", self.open_in_scope, "scope"),
            ("replay", "Replay the selected past queries", self.replay_selected, "redo"),
            ("replay_all", "Replay all past queries that are found", self.replay_found, "redo"),
            ("log", "Take in a log of queries", self._page.log.choose, "inbox"),
            ("forget", "Forget the selected past queries", self.forget, "trash"),
            ("forget_all", "Forget the whole history", self.forget_all, "trash"),
        )
        return tuple(
            Action(f"{KEY}:{key}", text, Group.LIBRARY, self._page.opening(KEY, act), icon=icon)
            for key, text, act, icon in rows
        )
