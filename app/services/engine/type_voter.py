"""Detection of a query's type without an LLM: keyword rules, and the vote of examples."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.detect.keywords import KeywordRules
from app.detect.merge import with_vote
from app.domain.case import TaughtExample
from app.domain.inspection import Detection, LearnedType
from app.scoring.example_model import ExampleModel
from app.scoring.text import QueryVector
from app.settings.sections import SearchIntentSettings

LEARNING = "The examples are being learned."
NO_ENCODER = "There is no encoder, so the examples cannot be compared."
ENCODER_COMING = "The encoder is loading; the examples are compared once it is there."


class ExampleVoter:
    """Voter with a model trained on vectors of `encoder`; `missing` is why there is no model."""

    def __init__(self) -> None:
        self.model: ExampleModel | None = None
        self.encoder: object = None
        self.missing = LEARNING

    def set_examples(self, examples: tuple[TaughtExample, ...]) -> None:
        """Note the training examples, even if no model can be trained on them."""


class TypeVoter(ExampleVoter):
    """Voter on the type of a query."""

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
