"""Types service: teaches the six types by example, and keeps their voter trained."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

from app.domain.case import Task
from app.domain.intent import IntentType
from app.scoring.examples.model import Trained
from app.services.core import Core
from app.services.engine.adapters import Adapters
from app.services.engine.route_stages import TYPE_TRAINING, TypeVoter
from app.services.example_trainer import ExampleService, ExampleTrainer
from app.services.library.journal import WINDOW, Journal


@dataclass(frozen=True, slots=True)
class TypesState:
    """State of the types: the trained model (or why there is none), numbers of examples."""

    trained: Trained | None
    missing: str
    examples: int
    shipped: int


class Types(ExampleService):
    """Learned types of one profile: `workbench.types`. All methods run on the asyncio thread."""

    def __init__(
        self, core: Core, journal: Journal, adapters: Adapters, store: Executor, encode: Callable[[], Executor]
    ) -> None:
        self.voter: TypeVoter = core.engine.types
        kept = adapters.stored_models.get(Task.TYPE, ())
        trainer = ExampleTrainer(
            core, self.voter, TYPE_TRAINING, adapters.type_examples, kept, store=store, encode=encode
        )
        super().__init__(core, journal, trainer)

    def follow_changes(self) -> None:
        if self.learns and self._core.settings.search_intent.learned:
            super().follow_changes()

    def state(self) -> TypesState:
        examples, model = self.trainer.examples, self.voter.model
        return TypesState(
            None if model is None else model.trained,
            self.voter.missing,
            len(examples),
            sum(example.is_shipped for example in examples),
        )

    async def teach(self, text: str, type_: IntentType | None, *, source: str = WINDOW) -> bool:
        """Store a query as a case of this type only (None: of no type), as one undoable step.

        Training follows. Returns True if the text was no case before. Raises StoreError.
        """
        is_new = await self._store_case(text, () if type_ is None else (type_.value,), source)
        self.library_changed()
        return is_new
