"""Classifiers trained on examples, and the one that votes on a query's search-intent type."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

from app.detect.keywords import KeywordRules
from app.detect.merge import with_vote
from app.domain.case import NO_MATCH_WORDS, Case, Task, TaughtExample
from app.domain.intent import intent_type
from app.domain.scope.inspection import Detection, LearnedType
from app.scoring.examples.model import ExampleModel, example_key
from app.services.engine.embedding import QueryVector
from app.settings.sections import SearchIntentSettings

LEARNING = "The examples are being learned."
NO_ENCODER = "There is no encoder, so the examples cannot be compared."
ENCODER_COMING = "The encoder is loading; the examples are compared once it is there."


Examples = tuple[TaughtExample, ...]
SelectExamples = Callable[[Iterable[Case], set[str], Iterable[TaughtExample]], Examples]
"""Selects the training examples from cases, excluded texts, and shipped examples."""


@dataclass(frozen=True, slots=True)
class TrainingSpec:
    """Training of a task's voter; `by_subject`: labels depend on the subject of a text."""

    task: Task
    select: SelectExamples
    by_subject: bool


class ExampleVoter(Protocol):
    """Voter with a model trained on vectors of `encoder`; `missing` is why there is no model."""

    model: ExampleModel | None
    encoder: object
    missing: str

    def set_examples(self, examples: Examples) -> None:
        """Update the training examples, even if no model can be trained on them."""


# ---- Voter of the six types.


class TypeVoter:
    def __init__(self) -> None:
        self.model: ExampleModel | None = None
        self.encoder: object = None
        self.missing = LEARNING

    def set_examples(self, examples: tuple[TaughtExample, ...]) -> None:
        """Null operation: only the model depends on the examples."""

    def with_learned_type(
        self,
        detection: Detection,
        text: str,
        vectors: QueryVector | None,
        encoder: object,
        settings: SearchIntentSettings,
        *,
        left_out: bool = False,
        absent: str = NO_ENCODER,
    ) -> Detection:
        """Merge a detection with the vote on a text with these vectors by this encoder.

        With `left_out` an example with the same text is held out; `absent` is the reason for missing vectors.
        """
        if not settings.enabled or not settings.learned:
            return detection
        if vectors is None or encoder is None:
            return replace(detection, learned=LearnedType(missing=absent))
        if self.model is None or self.encoder is not encoder:
            return replace(detection, learned=LearnedType(missing=self.missing or LEARNING))
        vote = self.model.vote(text, vectors.scored, vectors.learned, left_out=left_out)
        return with_vote(detection, text, vote, settings)


def voter_like(model: ExampleModel, encoder: object) -> TypeVoter:
    """Return an independent voter with a model trained on vectors of this encoder."""
    voter = TypeVoter()
    voter.model, voter.encoder, voter.missing = model, encoder, ""
    return voter


@dataclass(frozen=True, slots=True)
class TypeDetector:
    """Type detector without an LLM: rules and voter."""

    rules: KeywordRules
    votes: TypeVoter
    encoder: object

    def detect(
        self, text: str, vectors: QueryVector | None, settings: SearchIntentSettings, *, left_out: bool = False
    ) -> Detection:
        """Detect the type; with `left_out` an example with the same text is held out of the vote."""
        if not settings.enabled:
            return Detection(None, settings.selection, enabled=False)
        found = self.rules.detect(text, settings.selection)
        return self.votes.with_learned_type(found, text, vectors, self.encoder, settings, left_out=left_out)


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
