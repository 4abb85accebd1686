"""Types service: teaches the six types by example, and keeps their voter trained."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from app.domain.case import Case, Task
from app.domain.errors import StoreError
from app.domain.intent import IntentType
from app.domain.journal import Edit, about
from app.scoring.examples.model import Trained
from app.services.core import Core
from app.services.engine.adapters import Adapters
from app.services.engine.route_stages import TYPE_TRAINING, TypeVoter
from app.services.events import Event
from app.services.example_trainer import ExampleTrainer
from app.services.library.curate import case_of
from app.services.library.journal import WINDOW, Journal


@dataclass(frozen=True, slots=True)
class TypesState:
    """State of the types: the trained model (or why there is none), numbers of examples."""

    trained: Trained | None
    missing: str
    examples: int
    shipped: int


class Types:
    """Learned types of one profile: `workbench.types`. All methods run on the asyncio thread."""

    def __init__(
        self, core: Core, journal: Journal, adapters: Adapters, store: Executor, encode: Callable[[], Executor]
    ) -> None:
        self.learned = Event[None]()
        """Called after a new model was trained, since queries may get another type."""
        self._core = core
        self._journal = journal
        self.voter: TypeVoter = core.engine.types
        kept = adapters.stored_models.get(Task.TYPE, ())
        self.trainer = ExampleTrainer(
            core, self.voter, TYPE_TRAINING, adapters.type_examples, kept, store=store, encode=encode
        )
        self.learns = True
        """True if the voter of types is trained at all."""
        self._stale = True
        self._seen_encoder: object = None
        self._training: asyncio.Task[None] | None = None

    def library_changed(self) -> None:
        """Note that the library changed; training follows. Returns at once."""
        self._stale = True
        self.follow_changes()

    def follow_changes(self) -> None:
        """Follow changes in the background. Returns at once."""
        if not self._is_behind or not self.learns or not self._core.settings.search_intent.learned:
            return
        if self._training is None or self._training.done():
            self._training = self._core.in_background(self._train_until_current())

    @property
    def _is_behind(self) -> bool:
        return self._stale or self._seen_encoder is not self._core.engine.encoder

    async def _train_until_current(self) -> None:
        before = self.voter.model
        try:
            while self._is_behind:
                await self._core.typing_priority.turn()
                self._stale, self._seen_encoder = False, self._core.engine.encoder
                await self.trainer.learn()
        except StoreError as error:
            self.voter.missing, self._stale = str(error), True
            return
        if self.voter.model is not before:
            self.learned.notify(None)

    async def ready(self) -> None:
        """Wait until training has ended or failed."""
        self.follow_changes()
        while self._training is not None and not self._training.done():
            await asyncio.wait({self._training})

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
        expected = () if type_ is None else (type_.value,)
        held = await self._core.in_store(lambda library: case_of(library, text, Task.TYPE))
        case = Case(text, expected, Task.TYPE) if held is None else replace(held, expected=expected, unwanted=())
        await self._journal.do(Edit("taught", about("the type of “{text}”", text=text[:80]), source), [case])
        self.library_changed()
        return held is None

    async def close(self) -> None:
        """Stop training."""
        if self._training is not None:
            self._training.cancel()
            await asyncio.gather(self._training, return_exceptions=True)
        self.trainer.close()
