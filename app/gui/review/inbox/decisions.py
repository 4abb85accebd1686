"""Deciding what waits: one key each, the next query at once, the storing behind, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QPushButton

from app.display.review import inbox
from app.domain.history import Decision, PastQuery
from app.domain.inspection import Inspection
from app.domain.library import Answer, Memory
from app.gui.kit.action import Action, Group
from app.gui.kit.page import Page
from app.gui.review.history.lines import PastRows
from app.gui.review.inbox.jobs import InboxJobs
from app.gui.review.inbox.teach import TeachBox, taught_as

KEY = "inbox"
SOURCE = "inbox"
"""Where a memory was taught that was made from a query here."""


class InboxParts(Page):
    """The inbox as its verbs know it."""

    jobs: InboxJobs
    view: PastRows
    verbs: dict[str, QPushButton]
    back: QPushButton
    teach: TeachBox

    @property
    def key(self) -> int | None:
        """The key of the query in front."""
        raise NotImplementedError

    @property
    def row(self) -> PastQuery | None:
        """The query in front, if it has come."""
        raise NotImplementedError

    def today(self) -> Inspection | None:
        """How the query in front is answered today, if that is known."""
        raise NotImplementedError

    def open_in_scope(self) -> None:
        """Ask the query in front in the scope."""
        raise NotImplementedError

    def drop_front(self, key: int) -> None:
        """The query in front is decided: the next one is there at once."""
        raise NotImplementedError

    def bring_back(self, place: int, key: int, row: PastQuery) -> None:
        """What was decided is not: the query is in front again, unless a label is being typed for another one."""
        raise NotImplementedError

    def wait_for(self, key: int | None) -> None:
        """Put this one in front as soon as it waits again."""
        raise NotImplementedError

    def close_teach(self) -> None:
        """Teach nothing."""
        raise NotImplementedError

    def say(self, sentence: str) -> None:
        """Say what was just done, with the way back."""
        raise NotImplementedError


class InboxDecisions(QObject):
    """The verbs of the inbox. What fails comes back with its sentence."""

    def __init__(self, page: InboxParts) -> None:
        super().__init__(page)
        self._page, self._jobs = page, page.jobs
        self.pending: dict[int, tuple[int, PastQuery]] = {}
        """Decisions under way, by key: from which place, and the query."""
        self.decided: list[int] = []
        """What was decided since the page is there, last at the end."""
        self._labels: dict[int, str] = {}
        """What was typed as the label of a memory, until that is taught."""
        queued = Qt.ConnectionType.QueuedConnection
        letters = {verb.letter.lower(): verb.key for verb in inbox.VERBS}
        page.view.typed.connect(lambda letter: self.do(letters[letter]) if letter in letters else None)
        for verb, made in page.verbs.items():
            made.clicked.connect(partial(self._press, verb))
        page.back.clicked.connect(lambda _=False: self._press_undo())
        page.teach.trigger_chosen.connect(self._teach_trigger)
        page.teach.label_chosen.connect(self._teach_memory)
        page.jobs.done.connect(self._on_done, queued)
        page.jobs.failed.connect(self._on_failed, queued)

    def do(self, verb: str) -> None:
        """Do what a key or a button says with the query in front."""
        page = self._page
        row, key = page.row, page.key
        if verb == "next":
            page.view.go_to(page.view.place + 1)
        elif row is None or key is None:
            page.say(self.tr("The query is being fetched. Try again in a moment."))
        elif why := inbox.refusal(row, verb):
            page.say(why)
        elif verb == "teach":
            today = page.today()
            page.teach.begin(None if today is None else inbox.choices(today))
            if label := self._labels.get(key):
                page.teach.label.setText(label)
                page.teach.label.setFocus(Qt.FocusReason.OtherFocusReason)
        elif verb == "skip":
            self._decide(Decision.SKIPPED, lambda: self._jobs.skip(key))
        else:
            fits = verb == "right"
            decision = Decision.RIGHT if fits else Decision.WRONG
            self._decide(decision, lambda: self._jobs.mark(key, fits=fits))

    def undo(self) -> None:
        """Take back the last decision after all that are under way; the query is in front again."""
        self._page.wait_for(self.decided.pop() if self.decided else None)
        self._jobs.undo()
        self._page.say("")

    def _press(self, verb: str, _: bool = False) -> None:
        self.do(verb)
        if verb != "teach":
            self._page.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _press_undo(self) -> None:
        self.undo()
        self._page.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _teach_trigger(self, answer: Answer) -> None:
        if (key := self._page.key) is not None:
            self._page.close_teach()
            self._decide(Decision.TAUGHT, lambda: self._jobs.add_trigger(key, answer), answer.name)

    def _teach_memory(self, label: str) -> None:
        key, row = self._page.key, self._page.row
        if key is not None and row is not None and row.text is not None:
            memory = Memory((row.text,), intent=label or None, source=SOURCE)
            self._page.close_teach()
            self._labels[key] = label
            self._decide(Decision.TAUGHT, lambda: self._jobs.teach(key, memory), taught_as(label))

    def _decide(self, decision: Decision, send: Callable[[], object], answer: str = "") -> None:
        """The query goes and the next one is there; what is decided is stored behind."""
        page = self._page
        row, key = page.row, page.key
        if row is None or key is None:
            return
        self.pending[key] = (page.view.place, row)
        self.decided.append(key)
        send()
        page.drop_front(key)
        page.say(inbox.decided(row, decision, answer))

    def _on_done(self, key: int) -> None:
        self.pending.pop(key, None)
        self._labels.pop(key, None)

    def _on_failed(self, key: int, sentence: str) -> None:
        place, row = self.pending.pop(key, (0, None))
        if key in self.decided:
            self.decided.remove(key)
        if row is not None:
            self._page.bring_back(place, key, row)
            told = inbox.come_back(row, sentence)
            self._page.say(told)
            self._page.told.emit(told, False, True)
        if self._labels.get(key) and self._page.key == key:
            self.do("teach")

    # ---- as rows

    def offers(self) -> list[Action]:
        """What can be done in the inbox, for palette and keys."""
        made = [
            Action(
                f"{KEY}:{verb.key}",
                f"Inbox: {verb.word.lower()}",
                Group.TEACH,
                self._page.opening(KEY, partial(self.do, verb.key)),
                icon=KEY,
            )
            for verb in inbox.VERBS
        ]
        ask = self._page.opening(KEY, self._page.open_in_scope)
        return [*made, Action(f"{KEY}:scope", "Inbox: ask the query in the scope", Group.TEACH, ask, icon="scope")]
