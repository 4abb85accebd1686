"""Leave-one-word-out: the query is run again without each word, in batches behind typing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from app.detect.merge import Ceiling, merge
from app.domain.inspection import AblatedWord, AblationResult, AnswerFlip, Inspection, LlmNeeded, WordImportance
from app.domain.intent import IntentType, SearchIntent
from app.domain.llm import LlmAnswer, LlmOutcome
from app.domain.match import Match, Query
from app.services.core import Core
from app.services.engine.embedding import QueryVectors
from app.services.engine.typing_priority import chunks
from app.settings.sections import SearchIntentSettings

MOST_WORDS = 32
"""Limit of words that are removed one by one; others are only counted."""

MOST_TOGETHER = 3
"""Limit of words removed together if no single word changes the outcome."""

ENCODED_AT_ONCE = 8
"""Batch size of encoding."""

_WORD = re.compile(r"\S+")
_STEPS = 100
_PUNCTUATION = ".,;:!?\"'()[]{}“”„«»"

WordSet = frozenset[int]
"""Numbers of removed words."""


async def ablate_words(core: Core, inspection: Inspection, match: Match | None = None) -> WordImportance:
    """Return the effect of removing each word on the first answer, or on `match`, by scorer.

    Nothing is stored and no LLM is used. Cancelling the task stops it between two texts. Raises EncoderError,
    SettingsError.
    """
    ablation = _Ablation(core, inspection, match or next(iter(inspection.matches), None))
    await ablation.ask(frozenset({place}) for place in range(len(ablation.words)))
    singles = [ablation.found[frozenset({place})] for place in range(len(ablation.words))]
    wanted = core.settings.search_intent
    baseline = ablation.baseline
    return WordImportance(
        inspection.query.scored,
        "" if ablation.match is None else ablation.match.answer.name,
        baseline,
        tuple(
            AblatedWord(word.group(), word.span(), found) for word, found in zip(ablation.words, singles, strict=True)
        ),
        ablation.left,
        await ablation.flip(lambda one: one.given, lambda one: one.confidence or 0.0) if baseline.given else None,
        await ablation.flip(lambda one: one.type or "", lambda one: one.type_confidence) if baseline.type else None,
        llm_needed(inspection.detection.floor, wanted),
    )


@dataclass
class _Ablation:
    """Runs of one query without some of its words, cached by the removed words."""

    core: Core
    inspection: Inspection
    match: Match | None
    found: dict[WordSet, AblationResult] = field(default_factory=dict)
    _vectors: QueryVectors = field(default_factory=QueryVectors)

    def __post_init__(self) -> None:
        every = list(_WORD.finditer(self.inspection.query.scored))
        self.words, self.left = every[:MOST_WORDS], max(0, len(every) - MOST_WORDS)
        self.settings = self.core.settings
        floor = self.inspection.detection.floor
        self.baseline = self._result(self.inspection, floor)

    async def ask(self, wanted: Iterable[WordSet]) -> None:
        """Run the query without each of these sets of words, unless cached."""
        texts = {removed: self._without(removed) for removed in wanted if removed not in self.found}
        await self._encode([text for text in texts.values() if text.strip()])
        for removed, text in texts.items():
            inspection = await self.core.settle_under(text, self.settings, self._vectors)
            self.found[removed] = self._result(inspection, inspection.detection.floor)
            await self.core.typing_priority.turn()

    async def flip(
        self, outcome_of: Callable[[AblationResult], str], value: Callable[[AblationResult], float]
    ) -> AnswerFlip | None:
        """Return the smallest set of words, one or the most important, that changes the outcome."""
        now = outcome_of(self.baseline)
        order = sorted(range(len(self.words)), key=lambda place: (value(self.found[frozenset({place})]), place))
        sets = [frozenset({place}) for place in order]
        sets += [frozenset(order[:count]) for count in range(2, min(MOST_TOGETHER, len(order) - 1) + 1)]
        for removed in sets:
            await self.ask([removed])
            if outcome_of(self.found[removed]) != now:
                fewest = await self._smallest_flip(removed, lambda one: outcome_of(one) != now)
                bare = (self.words[place].group().strip(_PUNCTUATION) for place in sorted(fewest))
                return AnswerFlip(tuple(bare), outcome_of(self.found[fewest]))
        return None

    async def _smallest_flip(self, removed: WordSet, holds: Callable[[AblationResult], bool]) -> WordSet:
        """Minimise a set: drop each word that is not needed."""
        for place in sorted(removed):
            fewer = removed - {place}
            if fewer:
                await self.ask([fewer])
                removed = fewer if holds(self.found[fewer]) else removed
        return removed

    def _without(self, removed: WordSet) -> str:
        return " ".join(word.group() for place, word in enumerate(self.words) if place not in removed) + self._rest

    @property
    def _rest(self) -> str:
        return self.inspection.query.scored[self.words[-1].end() :] if self.left else ""

    async def _encode(self, texts: Sequence[str]) -> None:
        for some in chunks([Query.of(text).scored for text in texts], ENCODED_AT_ONCE):
            made = await self.core.query_vectors(some)
            if made is None:
                return
            for text, vectors in zip(some, made, strict=True):
                self._vectors.keep(text, vectors)
            await self.core.typing_priority.turn()

    def _result(self, inspection: Inspection, floor: SearchIntent | None) -> AblationResult:
        own = self._scores_of(inspection)
        first = next(iter(inspection.matches), None)
        return AblationResult(
            first.answer.name if first is not None and first.is_found else "",
            None if floor is None else floor.type,
            0.0 if floor is None else floor.confidence,
            None if own is None else own.confidence,
            {} if own is None else own.scores,
        )

    def _scores_of(self, inspection: Inspection) -> Match | None:
        """Return the explained answer among the listed and unlisted matches."""
        if self.match is None:
            return None
        key = self.match.kind, self.match.answer.key
        near = (*inspection.matches, *inspection.below)
        return next((one for one in near if (one.kind, one.answer.key) == key), None)


def llm_needed(floor: SearchIntent | None, settings: SearchIntentSettings) -> LlmNeeded:
    """Return the minimum LLM confidence that would change the type, by the merge policy."""
    if floor is None or not settings.enabled:
        return LlmNeeded(None, None)
    other = next(type_ for type_ in IntentType if type_ is not floor.type)
    surfaces = None
    if floor.confidence < settings.surfacing_threshold:
        surfaces = _least(floor, floor.type, settings, lambda one: one.confidence >= settings.surfacing_threshold)
    return LlmNeeded(_least(floor, other, settings, lambda one: one.type is other), surfaces)


def _least(
    floor: SearchIntent, said: IntentType, settings: SearchIntentSettings, holds: Callable[[SearchIntent], bool]
) -> float | None:
    for step in range(_STEPS + 1):
        answer = LlmAnswer(said, step / _STEPS, mode="")
        intent = merge(floor, Ceiling(LlmOutcome.ANSWERED, answer), settings).intent
        if intent is not None and holds(intent):
            return step / _STEPS
    return None
