"""Jobs of the page of cases: search, rows, edits, names for completion, and runs."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.display.library.cases import CONFIDENCE, RANK, RESULT, keys_by_outcome
from app.display.scope.guide import samples_for
from app.domain.case import Case, Task
from app.domain.errors import StaleError
from app.domain.filters import CaseFilter, CaseOrder, SearchResult, View
from app.domain.journal import Edit, ThingKind, counted
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.services.evaluation.case_runs import CaseRun, Outcome

if TYPE_CHECKING:
    from app.services.workbench import Workbench


@dataclass(frozen=True, slots=True)
class CaseRequest:
    """A search: filter, order, outcomes of the runs, and the selected, current and top rows."""

    wanted: CaseFilter
    order: str = CaseOrder.KEY
    descending: bool = False
    result: str | None = None
    outcomes: Mapping[int, Outcome] | None = None
    selected: Sequence[int] = ()
    current: int | None = None
    top: int | None = None


class CaseJobs(QObject):
    """Jobs of the page; of searches, completions and runs only the latest is reported."""

    found = Signal(SearchResult, Mapping, bool)  # it with cases as rows, the cases of each task, if the sample is there
    rows_loaded = Signal(Mapping, Sequence)  # cases by key, the keys that were asked for
    saved = Signal(Case)  # as it is now
    stale = Signal(StaleError)
    added = Signal()
    refused = Signal(str)
    done = Signal(str)  # a sentence about what was done
    named = Signal(int, Sequence)  # ticket, names
    run_progressed = Signal(CaseRun)
    run_finished = Signal(str)  # a sentence if it broke off

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._search, self._naming, self._run = (Job(worker, self) for _ in range(3))

    # ---- looking

    def find(self, asking: CaseRequest) -> None:
        """Look for cases; an older search that is still under way is not reported."""
        self._search.run(lambda bench: _found(bench, asking), lambda found: self.found.emit(*found), self.refused.emit)

    def fetch(self, keys: Sequence[int]) -> None:
        """Fetch the cases of these keys."""

        self._worker.do(
            lambda bench: bench.catalogue.cases(keys), lambda rows: self.rows_loaded.emit(rows, keys), self.refused.emit
        )

    def find_names(self, ticket: int, task: Task, text: str) -> None:
        """Ask which answers hold a text."""

        async def act(bench: Workbench) -> list[str]:
            from app.services.evaluation.case_runs import answer_names

            return answer_names(bench, bench.routing, task, text)

        self._naming.run(act, lambda names: self.named.emit(ticket, names))

    # ---- doing

    def save(self, case: Case, *, anyway: bool = False) -> None:
        """Store one edited case as a step of the journal."""
        self._do(lambda bench: bench.journal.edit(case, anyway=anyway), self.saved.emit)

    def add(self, case: Case) -> None:
        """Store a new case; one of the same task and text is refused, not overwritten."""

        def tell(_: Any) -> None:
            self.added.emit()
            self.done.emit("Added the case.")

        self._do(lambda bench: bench.catalogue.add_case(case), tell)

    def add_sample(self) -> None:
        """Store the labelled queries about the sample library."""
        self._do(
            lambda bench: bench.add_seed_cases(),
            lambda n: self.done.emit(f"Added {n} cases about the sample library."),
        )

    def delete(self, keys: Sequence[int]) -> None:
        """Delete cases as one step."""
        subject = counted(ThingKind.CASE, len(keys))
        gone = [(ThingKind.CASE, key) for key in keys]
        self._do(
            lambda bench: bench.journal.do(Edit("deleted", subject), (), gone),
            lambda _: self.done.emit(f"Deleted {subject}."),
        )

    # ---- running

    def run(self, keys: Sequence[int]) -> None:
        """Put these cases to the engine, instead of those of an earlier run."""

        async def begin(bench: Workbench) -> AsyncGenerator[CaseRun, None]:
            from app.services.evaluation.case_runs import run_cases

            await bench.at_rest()
            async with aclosing(run_cases(bench, bench.routing, keys)) as steps:
                async for step in steps:
                    yield step

        self._run.follow(begin, self.run_progressed.emit, self.run_finished.emit, whole_steps=True)

    def stop(self) -> None:
        """Cancel the run; its outcomes so far stay."""
        self._run.cancel()

    # ---- how

    def _do(self, act: Callable[[Workbench], Awaitable[Any]], tell: Callable[[Any], object]) -> None:
        self._worker.do(act, tell, self.refused.emit, self.stale.emit)


async def _found(bench: Workbench, asking: CaseRequest) -> tuple[SearchResult, dict[Task, int], bool]:
    outcomes = asking.outcomes or {}
    by_run = asking.order in {RESULT, RANK, CONFIDENCE}

    def arrange(keys: Sequence[int]) -> Sequence[int]:
        if asking.result is not None:
            wanted = asking.result == "right"
            keys = [key for key in keys if key in outcomes and outcomes[key].is_right is wanted]
        return keys_by_outcome(keys, outcomes, asking.order, descending=asking.descending) if by_run else keys

    found, tasks = await bench.catalogue.find_cases(
        asking.wanted,
        CaseOrder.KEY if by_run else CaseOrder(asking.order or CaseOrder.KEY),
        descending=asking.descending and not by_run,
        view=View(asking.selected, asking.current, asking.top),
        arrange=arrange,
    )
    return found, tasks, bool(samples_for(bench.holds))
