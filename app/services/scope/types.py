"""Types service: teaches the six types by example, and keeps their voter trained."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import lru_cache

from app.domain.case import NO_MATCH_WORDS, Case, Task, TaughtExample
from app.domain.intent import IntentType, intent_type
from app.scoring.example_model import Trained, example_key
from app.services.core import Core
from app.services.engine.adapters import Adapters
from app.services.engine.type_voter import TypeVoter
from app.services.example_trainer import ExampleService, ExampleTrainer, TrainingSpec
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


# ---- Training examples of types


def type_examples(
    cases: Iterable[Case], excluded: set[str], shipped: Iterable[TaughtExample]
) -> tuple[TaughtExample, ...]:
    """Select the training examples of types: cases, and shipped examples with other texts.

    Cases that expect nothing are out-of-scope examples; cases with other labels than types are skipped.
    """
    taught: dict[str, TaughtExample] = {}
    for case in cases:
        types = _types(case.expected)
        if case.text not in excluded and (types or NO_MATCH_WORDS.issuperset(case.expected)):
            taught[example_key(case.text)] = TaughtExample(case.text, types)
    for example in shipped:
        taught.setdefault(example_key(example.text), example.with_labels(_types(example.labels)))
    return tuple(taught.values())


@lru_cache(1_024)
def _types(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the types of these names; () for words that mean "no match"."""
    found = (intent_type(name) for name in names if name not in NO_MATCH_WORDS)
    return tuple(dict.fromkeys(type_.value for type_ in found if type_ is not None))


TYPE_TRAINING = TrainingSpec(Task.TYPE, type_examples, by_subject=False)
"""Training of the types. A type shows in the wording of a query, whatever its subject."""
