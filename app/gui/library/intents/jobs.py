"""Jobs of the page of intents: counts, evaluation of their cases, renaming, thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.display.library.intents import renamed_sentence, threshold_sentence
from app.display.staleness import EvaluationInputs, evaluation_inputs
from app.domain.case import Task
from app.domain.errors import KnownError
from app.domain.journal import ThingKind
from app.domain.library import Memory, StoredIntents
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job, Progress
from app.services.library.intents import IntentEvaluation

if TYPE_CHECKING:
    from app.domain.journal import Written
    from app.services.library.intents import Renamed
    from app.services.workbench import Workbench


class IntentJobs(QObject):
    """Jobs of the page. Of counts and evaluations only the latest is reported."""

    loaded = Signal(StoredIntents)
    progressed = Signal(int, int)
    evaluated = Signal(IntentEvaluation, EvaluationInputs)  # the evaluation, and its inputs
    broken = Signal(str)  # why an evaluation failed
    renamed = Signal(str, str)  # a sentence, the new name; "" for no step
    threshold_set = Signal(str, bool)  # a sentence, True if the step can be undone
    memory_found = Signal(int)  # key of the memory
    refused = Signal(str)

    def __init__(self, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._load, self._run = Job(worker, self), Job(worker, self)

    def load(self) -> None:
        """Count the intents."""
        self._load.run(lambda bench: bench.intents.stored(), self.loaded.emit, self.refused.emit)

    def evaluate(self) -> None:
        """Evaluate the cases of intents, once vectors and fits are done."""

        async def act(bench: Workbench, tell: Progress) -> tuple[IntentEvaluation, EvaluationInputs]:
            await bench.at_rest()
            rests_on = evaluation_inputs(bench.status(), bench.settings, tasks=(Task.INTENT,))
            return await bench.intents.evaluated(tell), rests_on

        self._run.run_with_progress(
            act, self.progressed.emit, lambda found: self.evaluated.emit(*found), self.broken.emit
        )

    def cancel(self) -> None:
        """Cancel the evaluation; nothing more is reported of it."""
        self._run.cancel()

    def find_memory(self, name: str) -> None:
        """Find the memory without an intent that has this name."""

        async def act(bench: Workbench) -> int:
            found = await bench.catalogue.named(ThingKind.MEMORY, name)
            key = next((one.key for one in found if isinstance(one, Memory) and one.answer_label is None), None)
            if key is None:
                raise KnownError(f"No memory is called “{name[:60]}” any more. Evaluate again.")
            return key

        self._run.do(act, self.memory_found.emit, self.refused.emit)

    def rename(self, label: str, new: str) -> None:
        """Rename an intent with its cases, or merge it into the one of that name."""

        def tell(renamed: Renamed | None) -> None:
            self.renamed.emit(renamed_sentence(label, new, renamed), new if renamed is not None else "")

        self._run.do(lambda bench: bench.intents.rename(label, new), tell, self.refused.emit)

    def set_threshold(self, label: str, value: float | None) -> None:
        """Set the threshold of an intent; None for the common one."""

        def tell(found: tuple[Written | None, int]) -> None:
            is_changed = found[0] is not None
            self.threshold_set.emit(threshold_sentence(label, value, is_changed=is_changed), is_changed)

        self._run.do(lambda bench: bench.curator.set_thresholds({label: value}), tell, self.refused.emit)
