"""What is learned of the six types has its say on a query whose vectors are known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.detect.keywords import KeywordRules
from app.detect.merge import with_vote
from app.domain.case import NO_MATCH_WORDS, Case, Task, TaughtExample
from app.domain.intent import intent_type
from app.domain.scope.inspection import Detection, LearnedType
from app.scoring.examples.model import ExampleModel
from app.scoring.text import without_punctuation
from app.services.engine.embedding import QueryVector
from app.services.engine.pupils import LEARNING, NO_ENCODER, Lesson
from app.settings.sections import SearchIntentSettings


class TypeVotes:
    """A pupil of the lessons in types; `model` was learned from vectors of `encoder`, `missing` says why there is
    none."""

    def __init__(self) -> None:
        self.model: ExampleModel | None = None
        self.encoder: object = None
        self.missing = LEARNING

    def take_note(self, examples: tuple[TaughtExample, ...]) -> None:
        """Nothing depends on what teaches but the model."""

    def joined(
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
        """The detection with the vote on a text with these vectors, made by this encoder; with `left_out` a text that
        is taught word for word has no part in it; `absent` says why there are no vectors."""
        if not settings.enabled or not settings.learned:
            return detection
        if vectors is None or encoder is None:
            return replace(detection, learned=LearnedType(missing=absent))
        if self.model is None or self.encoder is not encoder:
            return replace(detection, learned=LearnedType(missing=self.missing or LEARNING))
        vote = self.model.vote(text, vectors.scored, vectors.learned, left_out=left_out)
        return with_vote(detection, text, vote, settings)


@dataclass(frozen=True, slots=True)
class TypeDetector:
    """Detects a type as far as that goes without an LLM: by the rules, and by what is learned beside this encoder."""

    rules: KeywordRules
    votes: TypeVotes
    encoder: object

    def detect(
        self, text: str, vectors: QueryVector | None, settings: SearchIntentSettings, *, left_out: bool = False
    ) -> Detection:
        """With `left_out` a text that is taught word for word has no part in its own vote."""
        if not settings.enabled:
            return Detection(None, settings.selection, enabled=False)
        found = self.rules.detect(text, settings.selection)
        return self.votes.joined(found, text, vectors, self.encoder, settings, left_out=left_out)


def gathered(cases: Iterable[Case], quiet: set[str], shipped: Iterable[TaughtExample]) -> tuple[TaughtExample, ...]:
    """What teaches types: cases, those that expect nothing as strangers, and what ships, unless a case says the same
    text otherwise. A case that expects other things than types teaches nothing."""
    taught: dict[str, TaughtExample] = {}
    for case in cases:
        types = _types(case.expected)
        if case.text not in quiet and (types or NO_MATCH_WORDS.issuperset(case.expected)):
            taught[without_punctuation(case.text)] = TaughtExample(case.text, types)
    for example in shipped:
        taught.setdefault(without_punctuation(example.text), replace(example, labels=_types(example.labels)))
    return tuple(taught.values())


def _types(names: Iterable[str]) -> tuple[str, ...]:
    """The types that these names stand for; none for a word that says that nothing is meant."""
    found = (intent_type(name) for name in names if name not in NO_MATCH_WORDS)
    return tuple(dict.fromkeys(type_.value for type_ in found if type_ is not None))


TYPE_LESSON = Lesson(Task.TYPE, gathered, by_subject=False)
"""A type shows in how something is asked, whatever it is about."""
