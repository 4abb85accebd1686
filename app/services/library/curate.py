"""Teaching by hand: new memories, more triggers, right and wrong; each step can be undone and redone (S7.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.filters import CaseFilter, MemoryFilter
from app.domain.journal import Edit, Item, Redone, Step, Undone, Written, about
from app.domain.library import Answer, Memory, Power
from app.domain.review.history import Decision
from app.ports.store import Cases, Memories, TaughtItems
from app.scoring.index.trigger_index import key_of
from app.services.core import Core
from app.services.engine.typing_priority import without_gc
from app.services.events import Event
from app.services.library.journal import WINDOW, Journal

STEP = 0.1
"""The step by which a mark moves a success score towards 1 or 0 (S7.2)."""


SOUGHT = 200
"""The prefix length of searches for a case; the found ones are compared in full."""


ANSWERING = (Task.INTENT, Task.MEMORY, Task.POWER)
"""The tasks whose answers a query gets, memories and powers."""


@dataclass(frozen=True, slots=True)
class QueryDecision:
    """Event: a decision about queries by text, and its step, None if nothing changed."""

    texts: tuple[str, ...]
    decision: Decision
    step: Step | None


def right(success: float) -> float:
    """The success score after an answer was marked right."""
    return min(1.0, success + STEP * (1.0 - success))


def wrong(success: float) -> float:
    """The success score after an answer was marked wrong."""
    return max(0.0, success - STEP * success)


class Curator:
    """`workbench.curator`: teach and mark from a query; every action is a step of the journal."""

    def __init__(self, core: Core, journal: Journal) -> None:
        self._core = core
        self._journal = journal
        self.decided = Event[QueryDecision]()

    async def teach(self, memory: Memory, *, source: str = WINDOW, query: str = "") -> Memory:
        """Store a new memory and answer with it at once; StoreError if it cannot be kept.

        `query` is what it was taught for, if that is none of its triggers.
        """
        written = await self._journal.do(Edit("taught", f"“{memory.name}”", source), [memory])
        assert written is not None, "a new memory is always a change"
        (stored,) = written.items
        assert isinstance(stored, Memory), "a memory stays one"
        self._done((*memory.triggers, query) if query else memory.triggers, Decision.TAUGHT, written)
        return stored

    async def set_thresholds(
        self, wanted: Mapping[str, float | None], *, source: str = WINDOW
    ) -> tuple[Written | None, int]:
        """Let labels, and memories without one by name, carry these thresholds as one step, None: no longer one; the
        step, None if nothing changes by it, and how many of them there are."""
        named = set[str]()
        changed: list[Memory] = []
        for memory in await self._in_use(wanted):
            if (name := memory.intent or memory.name) in wanted:
                named.add(name)
                changed.append(memory.with_threshold(wanted[name]))
        if not changed:
            return None, 0
        about = f"“{named.copy().pop()}”" if len(named) == 1 else ""
        with without_gc(len(changed)):
            return await self._journal.do(Edit("edited", about, source), changed), len(named)

    async def _in_use(self, labels: Iterable[str]) -> list[Memory]:
        """The indexed memories, and all others of these labels where the index holds candidates only."""
        engine = self._core.engine
        held = {one.key: one for one in engine.index.answers().values() if isinstance(one, Memory)}
        if engine.candidates is not None:
            held |= {one.key: one for one in await self._core.in_store(partial(_labelled_so, labels=labels))}
        return list(held.values())

    async def add_trigger(self, answer: Answer, text: str, *, source: str = WINDOW) -> Answer:
        """Teach a text as one more trigger of a memory, or example of a power; KnownError if it is one already."""
        now = await self._stored(answer)
        if text in now.triggers:
            raise KnownError(f"“{text}” is a trigger of {answer.name} already.")
        changed: Answer
        if isinstance(now, Power):
            changed = replace(now, examples=(*now.examples, text))
        else:
            changed = replace(now, triggers=(*now.triggers, text))
        added = about("“{text}” to the triggers of {answer}", text=text, answer=answer.name)
        written = await self._journal.do(Edit("added", added, source), [changed])
        self._done((text,), Decision.TAUGHT, written)
        return self.current(changed)

    async def mark(self, answer: Answer, query: str, *, fits: bool, source: str = WINDOW) -> Answer:
        """Say that an answer was right or wrong for a query: its success score moves, and the query becomes a case
        that expects it, or does not want it first (S7.2)."""
        changed = _marked(await self._stored(answer), fits)
        case = await self._core.in_store(lambda library: _case(library, answer, query, fits=fits))
        items: list[Item] = [changed, case]
        marked = "{answer} right for “{query}”" if fits else "{answer} wrong for “{query}”"
        edit = Edit("marked", about(marked, answer=answer.name, query=query), source)
        written = await self._journal.do(edit, items)
        self._done((query,), Decision.RIGHT if fits else Decision.WRONG, written)
        return changed

    async def mark_none(self, query: str, *, source: str = WINDOW) -> Written | None:
        """Say that no answer is right for a query: it becomes a case that expects nothing, of every kind of answer that
        is taught. No success score moves. None if the cases say so already."""
        if not query.strip():
            raise KnownError("The query is empty, so no answer to it can be right or wrong.")
        tasks = _tasks_of(self._core.engine.index.answers().values())

        def none_of(library: Cases) -> list[Item]:
            held = (case_of(library, query, task) or Case(query, (), task) for task in tasks)
            return [replace(case, expected=(), unwanted=()) for case in held]

        items = await self._core.in_store(none_of)
        edit = Edit("marked", about("no answer right for “{query}”", query=query), source)
        written = await self._journal.do(edit, items)
        self._done((query,), Decision.NONE, written)
        return written

    async def undo(self, step: int | None = None) -> Undone | None:
        """Take back a step, or the last; None if there is none. A step that cannot be taken back now stays."""
        written = await self._journal.undo(step)
        return None if written is None else Undone(f"Undone: {written.step.sentence}.")

    async def redo(self) -> Redone | None:
        """Do the step again that was taken back last; None if there is none, or a new step came since.

        A step that cannot be done again now stays the next.
        """
        written = await self._journal.redo()
        return None if written is None else Redone(f"Redone: {written.step.sentence}.")

    def current(self, answer: Answer) -> Answer:
        """The current version of an answer, which may be newer than the one on screen."""
        return self._core.engine.index.answer(key_of(answer)) or answer

    def _done(self, texts: Sequence[str], decision: Decision, written: Written | None) -> None:
        self.decided.notify(QueryDecision(tuple(texts), decision, None if written is None else written.step))

    async def _stored(self, answer: Answer) -> Answer:
        """The stored version of an answer, which may be newer than the one on screen or in the index."""
        now = await self._core.in_store(lambda library: _stored_now(library, answer))
        if now is None:
            raise KnownError(f"“{answer.name}” has been deleted meanwhile.")
        return now


def _labelled_so(library: Memories, labels: Iterable[str]) -> list[Memory]:
    """The enabled memories of these labels."""
    keys = [key for label in labels for key in library.find_memories(MemoryFilter(label=label, paused=False))]
    return [one.item for one in library.memories_by_key(keys)]


def _stored_now(library: TaughtItems, answer: Answer) -> Answer | None:
    if isinstance(answer, Power):
        return next((power for power in library.powers() if power.key == answer.key), None)
    found = library.memories_by_key([] if answer.key is None else [answer.key])
    return found[0].item if found else None


def _marked(answer: Answer, fits: bool) -> Answer:
    if isinstance(answer, Memory):
        moved = right(answer.success) if fits else wrong(answer.success)
        return replace(answer, success=moved, right=answer.right + fits)
    return answer


def _case(library: Cases, answer: Answer, query: str, *, fits: bool) -> Case:
    """The query with the answer among what is expected or unwanted, beside what a case of it says already.

    A right answer is all that is expected from now on; a wrong one is taken from what was. A stored case that wants no
    match at all says already that the answer is wrong.
    """
    name, task = _labelled(answer)
    case = case_of(library, query, task) or Case(query, (), task)
    if not fits and case.key is not None and not case.expected and not case.unwanted:
        return case
    expected = tuple(other for other in case.expected if other != name)
    unwanted = tuple(other for other in case.unwanted if other != name)
    if fits:
        return replace(case, expected=(name,), unwanted=unwanted)
    return replace(case, expected=expected, unwanted=(*unwanted, name))


def case_of(library: Cases, text: str, task: Task) -> Case | None:
    """The stored case of this task and whole text, if there is one."""
    keys = library.find_cases(CaseFilter(text[:SOUGHT], task))
    return next((dated.item for dated in library.cases_by_key(keys) if dated.item.text == text), None)


def cases_of(library: Cases, text: str) -> list[Case]:
    """The stored cases of this whole text, of every task."""
    return [case for task in (*ANSWERING, Task.TYPE, Task.ROUTE) if (case := case_of(library, text, task)) is not None]


def _tasks_of(answers: Iterable[Answer]) -> list[Task]:
    """The tasks for which anything is taught; labels where nothing is."""
    tasks: set[Task] = set()
    for answer in answers:
        tasks.add(_labelled(answer)[1])
        if len(tasks) == len(ANSWERING):
            break
    return [task for task in ANSWERING if task in tasks] or [Task.INTENT]


def _labelled(answer: Answer) -> tuple[str, Task]:
    """The label of this answer in a case, and the task."""
    if isinstance(answer, Power):
        return answer.name, Task.POWER
    if answer.answer_label is not None:
        return answer.answer_label, Task.INTENT
    return answer.name, Task.MEMORY
