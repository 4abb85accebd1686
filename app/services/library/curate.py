"""Memories, powers, rules and cases found and read, and edits of them in one step each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.filters import (
    WHOLE,
    CaseFilter,
    CaseOrder,
    MemoryFilter,
    MemoryOrder,
    SearchResult,
    View,
    search_result,
)
from app.domain.history import Judgement
from app.domain.intent import Rule
from app.domain.journal import Edit, Item, ItemKind, Redone, Step, Undone, Written, name_of
from app.domain.language import quantity
from app.domain.library import Answer, Dated, Memory, Power
from app.domain.match import without_hidden
from app.evaluation.answers import JUDGED
from app.ports.store import Cases, Library, Memories, TaughtItems
from app.scoring.index.layout import key_of
from app.scoring.text import without_punctuation
from app.services.core import Core
from app.services.engine.typing_priority import without_gc
from app.services.events import Event
from app.services.library.import_export import EXPORTERS
from app.services.library.journal import WINDOW, Journal

STEP = 0.1
"""Step by which a mark moves a success score towards 1 or 0 (S7.2)."""


SOUGHT = 200
"""Prefix length of searches for a case; results are compared in full."""


@dataclass(frozen=True, slots=True)
class QueryDecision:
    """Event: a decision about queries by text, and its step, None if nothing changed."""

    texts: tuple[str, ...]
    decision: Judgement
    step: Step | None


def right(success: float) -> float:
    """Return the success score after a mark as right."""
    return min(1.0, success + STEP * (1.0 - success))


def wrong(success: float) -> float:
    """Return the success score after a mark as wrong."""
    return max(0.0, success - STEP * success)


class Curator:
    """`workbench.curator`: teach and mark from a query; every action is a journal step."""

    def __init__(self, core: Core, journal: Journal) -> None:
        self._core = core
        self._journal = journal
        self.decided = Event[QueryDecision]()

    async def teach(self, memory: Memory, *, source: str = WINDOW, query: str = "") -> Memory:
        """Store a new memory and score it at once; raises StoreError.

        `query` is the query it was made for, if it is none of its triggers.
        """
        memory = replace(memory, intent=without_hidden(memory.intent or "") or None)
        written = await self._journal.do(Edit("taught", f"“{memory.name}”", source), [memory])
        assert written is not None, "a new memory is always a change"
        (stored,) = written.items
        assert isinstance(stored, Memory), "a memory stays one"
        self._done((*memory.triggers, query) if query else memory.triggers, Judgement.TAUGHT, written)
        return stored

    async def set_thresholds(self, wanted: Mapping[str, float | None]) -> tuple[Written | None, int]:
        """Set (None: remove) thresholds of labels, or of memories without one, as one step.

        Returns the step, None without a change, and the number of labels and memories found.
        """
        named, changed = set[str](), list[Memory]()
        engine = self._core.engine
        held = {one.key: one for one in engine.index.answers().values() if isinstance(one, Memory)}
        if engine.candidates is not None:  # the index holds some of the memories only
            filters = [MemoryFilter(label=label, paused=False) for label in wanted]
            stored = await self._core.in_store(
                lambda library: library.memories_by_key([key for one in filters for key in library.find_memories(one)])
            )
            held |= {one.item.key: one.item for one in stored}
        for memory in held.values():
            if (name := memory.intent or memory.name) in wanted:
                named.add(name)
                changed.append(memory.with_threshold(wanted[name]))
        if not changed:
            return None, 0
        about = f"“{named.copy().pop()}”" if len(named) == 1 else ""
        with without_gc(len(changed)):
            return await self._journal.do(Edit("edited", about, WINDOW), changed), len(named)

    async def add_trigger(self, answer: Answer, text: str, *, source: str = WINDOW) -> Answer:
        """Add a trigger to a memory, or an example to a power; raises KnownError if it exists."""
        now = await self._stored(answer)
        if text in now.triggers:
            own = ", being its name, description, a keyword or a tool: teach a whole request instead"
            is_own = isinstance(now, Power) and text not in now.examples
            raise KnownError(f"“{text}” is a trigger of {answer.name} already{own if is_own else ''}.")
        changed = with_trigger(now, text)
        edit = Edit("added", f"“{text}” to the triggers of {answer.name}", source)
        written = await self._journal.do(edit, [changed])
        self._done((text,), Judgement.TAUGHT, written)
        return self.current(changed)

    async def mark(self, answer: Answer, query: str, *, fits: bool, source: str = WINDOW) -> Answer:
        """Mark an answer right or wrong for a query: adjusts its success, makes a case (S7.2)."""
        changed = _marked(await self._stored(answer), fits)
        case = await self._core.in_store(lambda library: _case(library, answer, query, fits=fits))
        items: list[Item] = [changed, case]
        edit = Edit("marked", f"{answer.name} {'right' if fits else 'wrong'} for “{query}”", source)
        written = await self._journal.do(edit, items)
        self._done((query,), Judgement.RIGHT if fits else Judgement.WRONG, written)
        return changed

    async def mark_none(self, query: str, *, source: str = WINDOW) -> Written | None:
        """Mark that no answer is right: the query becomes a case that expects nothing.

        One case per kind of taught answer; success scores stay. None if the cases exist already.
        """
        if not query.strip():
            raise KnownError("The query is empty, so no answer to it can be right or wrong.")
        tasks = _tasks_of(self._core.engine.index.answers().values())
        items = await self._core.in_store(lambda library: _cases_of_none(library, query, tasks))
        edit = Edit("marked", f"no answer right for “{query}”", source)
        written = await self._journal.do(edit, items)
        self._done((query,), Judgement.NONE, written)
        return written

    async def make_cases(self, chosen: Sequence[tuple[str, Answer | None]]) -> Written | None:
        """Make a case of each query that expects this answer, or no answer: one step.

        None if all exist already.
        """
        tasks = _tasks_of(self._core.engine.index.answers().values())

        def cases(library: Cases) -> list[Item]:
            made: list[Item] = []
            for query, answer in chosen:
                made += (
                    _cases_of_none(library, query, tasks)
                    if answer is None
                    else [_case(library, answer, query, fits=True)]
                )
            return made

        items = await self._core.in_store(cases)
        count = quantity(len(chosen), "case")
        written = await self._journal.do(Edit("added", count, WINDOW), items)
        for decision, is_found in ((Judgement.RIGHT, True), (Judgement.NONE, False)):
            if texts := [query for query, answer in chosen if (answer is not None) is is_found]:
                self._done(texts, decision, written)
        return written

    async def undo(self, step: int | None = None) -> Undone | None:
        """Undo a step, or the last; None if there is none. A step that cannot be undone stays."""
        written = await self._journal.undo(step)
        return None if written is None else Undone(f"Undone: {written.step.sentence}.")

    async def redo(self) -> Redone | None:
        """Redo the last undone step; None if there is none, or a new step was made since.

        A step that cannot be redone stays the next.
        """
        written = await self._journal.redo()
        return None if written is None else Redone(f"Redone: {written.step.sentence}.")

    def current(self, answer: Answer) -> Answer:
        """Return the current version of an answer, which may be newer than the displayed one."""
        return self._core.engine.index.answer(key_of(answer)) or answer

    def _done(self, texts: Sequence[str], decision: Judgement, written: Written | None) -> None:
        self.decided.notify(QueryDecision(tuple(texts), decision, None if written is None else written.step))

    async def _stored(self, answer: Answer) -> Answer:
        """Return the stored version of an answer, which may be newer than the indexed one."""
        now = await self._core.in_store(lambda library: _stored_now(library, answer))
        if now is None:
            raise KnownError(f"“{answer.name}” has been deleted meanwhile.")
        return now


def _stored_now(library: TaughtItems, answer: Answer) -> Answer | None:
    if isinstance(answer, Power):
        return next((power for power in library.powers() if power.key == answer.key), None)
    found = library.memories_by_key([] if answer.key is None else [answer.key])
    return found[0].item if found else None


def with_trigger(answer: Answer, text: str) -> Answer:
    """Return the answer with one more trigger; a power gets one more example."""
    if isinstance(answer, Power):
        return replace(answer, examples=(*answer.examples, text))
    return replace(answer, triggers=(*answer.triggers, text))


def _marked(answer: Answer, fits: bool) -> Answer:
    if isinstance(answer, Memory):
        moved = right(answer.success) if fits else wrong(answer.success)
        return replace(answer, success=moved, right=answer.right + fits)
    return answer


def _case(library: Cases, answer: Answer, query: str, *, fits: bool) -> Case:
    """Return the query's case with the answer added to the expected or unwanted ones.

    A right answer replaces all expected ones; a wrong one is removed from them. A stored case that expects no match
    stays: it already makes the answer wrong.
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


def _cases_of_none(library: Cases, query: str, tasks: Iterable[Task]) -> list[Item]:
    """Return the query's case of each task, expecting nothing."""
    held = (case_of(library, query, task) or Case(query, (), task) for task in tasks)
    return [replace(case, expected=(), unwanted=()) for case in held]


def case_of(library: Cases, text: str, task: Task) -> Case | None:
    """Return the stored case of this task and exact text, if there is one."""
    keys = library.find_cases(CaseFilter(text[:SOUGHT], task))
    return next((dated.item for dated in library.cases_by_key(keys) if dated.item.text == text), None)


def cases_of(library: Cases, text: str) -> list[Case]:
    """Return the stored cases of this exact text, of every task."""
    return [case for task in (*JUDGED, Task.TYPE, Task.ROUTE) if (case := case_of(library, text, task)) is not None]


def _tasks_of(answers: Iterable[Answer]) -> list[Task]:
    """Return the tasks with content; labels if there is none."""
    tasks: set[Task] = set()
    for answer in answers:
        tasks.add(_labelled(answer)[1])
        if len(tasks) == len(JUDGED):
            break
    return [task for task in JUDGED if task in tasks] or [Task.INTENT]


def _labelled(answer: Answer) -> tuple[str, Task]:
    """Return the label of this answer in a case, and the task."""
    if isinstance(answer, Power):
        return answer.name, Task.POWER
    if answer.answer_label is not None:
        return answer.answer_label, Task.INTENT
    return answer.name, Task.MEMORY


Arrange = Callable[[Sequence[int]], Sequence[int]]

MOST_LIKE = 5
"""Maximum number of similar names."""


class Catalogue:
    """`workbench.catalogue`: content of one profile. Methods run on the asyncio thread.

    Methods raise StoreError if the library cannot be read or written.
    """

    def __init__(self, core: Core, journal: Journal) -> None:
        self._core = core
        self._journal = journal

    # ---- answers that the index holds, by their triggers without case and punctuation

    def holders(self, trigger: str) -> list[Memory]:
        """Return the memories with this trigger."""
        bare = without_punctuation(trigger)
        same = self._core.engine.index.same_but_punctuation(bare) if bare else []
        return [memory for memory in same if isinstance(memory, Memory)]

    def conflicts(self, trigger: str, intent: str | None) -> list[Memory]:
        """Return the memories with this trigger and another intent."""
        return [memory for memory in self.holders(trigger) if intent is None or memory.intent != intent]

    def holds(self, name: str, trigger: str) -> bool:
        """Check if an answer of this name has this trigger."""
        same = self._core.engine.index.same_but_punctuation(without_punctuation(trigger))
        return any(answer.name == name for answer in same)

    # ---- memories

    async def find_memories(
        self,
        wanted: MemoryFilter,
        order: MemoryOrder = MemoryOrder.KEY,
        *,
        descending: bool = False,
        view: View = WHOLE,
    ) -> SearchResult:
        """Return the keys of matching memories in order, with the visible rows."""

        def look(library: Library) -> SearchResult:
            keys = library.find_memories(wanted, order, descending=descending)
            return search_result(keys, library.counts()["memories"], view, lambda some: _dated(library, some))

        return await self._core.in_store(look)

    async def memories(self, keys: Sequence[int]) -> dict[int, Dated[Memory]]:
        return await self._core.in_store(lambda library: _dated(library, keys))

    async def facets(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        """Return the values in use by namespace, label, tag and source, with their counts."""
        return await self._core.in_store(lambda library: library.facets())

    # ---- powers and rules

    async def powers(self) -> list[Power]:
        """Return every power, without the values of its environment."""
        return await self._core.in_store(lambda library: library.powers())

    async def environment(self, power: Power) -> dict[str, str]:
        """Return the values of a stored power's environment, by name."""
        return await self._core.in_store(lambda library: library.environment(power))

    async def secrets_place(self) -> tuple[str, bool]:
        """Return where environment values are stored, in a sentence, and True for a fallback."""
        return await self._core.in_store(lambda library: (library.secrets_place(), library.secrets_fault() is not None))

    async def rules(self) -> list[Rule]:
        """Return every rule, of search intents and of routes."""
        return await self._core.in_store(lambda library: library.rules())

    # ---- cases

    async def find_cases(
        self,
        wanted: CaseFilter,
        order: CaseOrder = CaseOrder.KEY,
        *,
        descending: bool = False,
        view: View = WHOLE,
        arrange: Arrange | None = None,
    ) -> tuple[SearchResult, dict[Task, int]]:
        """Return the keys of matching cases in order, with the visible rows, and counts by task.

        `arrange` filters and orders keys by what the store does not know, such as the result of a run.
        """

        def look(library: Library) -> tuple[SearchResult, dict[Task, int]]:
            keys: Sequence[int] = library.find_cases(wanted, order, descending=descending)
            keys = keys if arrange is None else arrange(keys)
            counts = case_counts(library)
            return search_result(
                keys, sum(counts.values()), view, lambda some: _cases(library, some), around=False
            ), counts

        return await self._core.in_store(look)

    async def cases(self, keys: Sequence[int]) -> dict[int, Case]:
        return await self._core.in_store(lambda library: _cases(library, keys))

    async def cases_of(self, task: Task) -> list[Case]:
        return await self._core.in_store(lambda library: library.cases(task))

    async def case_counts(self) -> dict[Task, int]:
        return await self._core.in_store(case_counts)

    async def add_case(self, case: Case) -> Written | None:
        """Store a new case as a step; raises KnownError if there is one of this task and text."""
        if await self._core.in_store(lambda library: case_of(library, case.text, case.task)) is not None:
            raise KnownError("A case with this query and task already exists: edit that one.")
        return await self._journal.do(Edit("added", f"the case “{case.text}”", WINDOW), [case])

    # ---- names

    async def named(self, kind: ItemKind, name: str) -> list[Item]:
        """Return the items of a name: a memory's ID or first trigger, a case's query.

        Several cases of different tasks, or memories with one first trigger, may share a name. #12 is item number 12.
        """
        return await self._core.in_store(
            lambda library: [one for one in EXPORTERS[kind.plural](library) if name in (name_of(one), f"#{one.key}")]
        )

    async def like(self, kind: ItemKind, name: str) -> tuple[str, ...]:
        """Return the names of this kind that are most similar to an unknown one."""
        return nearest(name, map(name_of, await self._core.in_store(EXPORTERS[kind.plural])))


def nearest(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names most similar to an unknown one, containing or same-prefix ones first."""
    folded = {one.casefold(): one for one in names}
    sought = name.casefold()
    holding = [one for fold, one in folded.items() if sought in fold]
    alike = [folded[fold] for fold in get_close_matches(sought, folded, MOST_LIKE, 0.6)]
    return tuple(dict.fromkeys([*holding[:MOST_LIKE], *alike]))[:MOST_LIKE]


def _dated(library: Memories, keys: Sequence[int]) -> dict[int, Dated[Memory]]:
    rows: Iterable[Dated[Any]] = library.memories_by_key(keys)
    return {row.item.key: row for row in rows if row.item.key is not None}


def _cases(library: Cases, keys: Sequence[int]) -> dict[int, Case]:
    rows = library.cases_by_key(keys)
    return {row.item.key: row.item for row in rows if row.item.key is not None}


def case_counts(library: Cases) -> dict[Task, int]:
    return {task: len(library.find_cases(CaseFilter(task=task))) for task in Task}
