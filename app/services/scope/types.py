"""The six types as a person teaches them: by example, each a case that can be listed, edited and taken back."""

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
from app.services.engine.type_votes import TYPE_LESSON, TypeVotes
from app.services.events import Event
from app.services.lessons import Lessons
from app.services.library.curate import case_of
from app.services.library.journal import WINDOW, Journal


@dataclass(frozen=True, slots=True)
class TypesState:
    """What the types rest on: what was learned (None, and why), of how many examples, and how many of them ship."""

    trained: Trained | None
    missing: str
    examples: int
    shipped: int


class Types:
    """What is learned of the types in one profile: `workbench.types`. All methods run on the workbench's asyncio
    thread."""

    def __init__(
        self, core: Core, journal: Journal, adapters: Adapters, store: Executor, encode: Callable[[], Executor]
    ) -> None:
        self.learned = Event[None]()
        """When queries may have another type than before, because something else was learned."""
        self._core = core
        self._journal = journal
        self.votes: TypeVotes = core.engine.types
        kept = adapters.kept_lessons.get(Task.TYPE, ())
        self.lessons = Lessons(core, self.votes, TYPE_LESSON, adapters.type_examples, kept, store=store, encode=encode)
        self.learns = True
        """Whether vectors are made of examples to learn types from."""
        self._stale = True
        self._seen_encoder: object = None
        self._catching_up: asyncio.Task[None] | None = None

    def library_changed(self) -> None:
        """Something was taught or taken back; what is learned follows. Returns at once."""
        self._stale = True
        self.look()

    def look(self) -> None:
        """Follow what has changed, in the background. Returns at once."""
        if not self._is_behind or not self.learns or not self._core.settings.search_intent.learned:
            return
        if self._catching_up is None or self._catching_up.done():
            self._catching_up = self._core.in_background(self._follow())

    @property
    def _is_behind(self) -> bool:
        return self._stale or self._seen_encoder is not self._core.engine.encoder

    async def _follow(self) -> None:
        before = self.votes.model
        try:
            while self._is_behind:
                await self._core.typing_priority.turn()
                self._stale, self._seen_encoder = False, self._core.engine.encoder
                await self.lessons.learn()
        except StoreError as error:
            self.votes.missing, self._stale = str(error), True
            return
        if self.votes.model is not before:
            self.learned.notify(None)

    async def ready(self) -> None:
        """Wait until what is taught has been learned, or cannot be."""
        self.look()
        while self._catching_up is not None and not self._catching_up.done():
            await asyncio.wait({self._catching_up})

    def state(self) -> TypesState:
        examples, model = self.lessons.examples, self.votes.model
        return TypesState(
            None if model is None else model.trained,
            self.votes.missing,
            len(examples),
            sum(example.is_shipped for example in examples),
        )

    async def teach(self, text: str, type_: IntentType | None, *, source: str = WINDOW) -> bool:
        """Keep a query as a case of this type and no other, or with None as one that asks for nothing, as one step, and
        learn from it; whether it was no case before. StoreError."""
        expected = () if type_ is None else (type_.value,)
        held = await self._core.in_store(lambda library: case_of(library, text, Task.TYPE))
        case = Case(text, expected, Task.TYPE) if held is None else replace(held, expected=expected, unwanted=())
        await self._journal.do(Edit("taught", about("the type of “{text}”", text=text[:80]), source), [case])
        self.library_changed()
        return held is None

    async def close(self) -> None:
        """Stop learning."""
        if self._catching_up is not None:
            self._catching_up.cancel()
            await asyncio.gather(self._catching_up, return_exceptions=True)
        self.lessons.close()
