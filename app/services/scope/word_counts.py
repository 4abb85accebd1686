"""Leave-one-word-out: the whole query asked again without each of its words, encoded together, beside all typing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from app.detect.merge import Ceiling, merge
from app.domain.intent import IntentType, SearchIntent
from app.domain.llm import LlmAnswer, LlmOutcome
from app.domain.match import Band, Match, Query, Tier
from app.domain.scope.inspection import Inspection
from app.domain.scope.word_counts import AsAsked, Flip, LlmNeeded, WithoutWord, WordCounts
from app.services.core import Core
from app.services.engine.embedding import QueryVector, QueryVectors
from app.settings.sections import SearchIntentSettings

MOST_WORDS = 32
"""So many words are left out, one after the other; the rest of a longer query is told to be left."""

MOST_TOGETHER = 3
"""So many words are left out together where none alone turns anything: with more, hardly a query is left."""

ENCODED_AT_ONCE = 8
"""So many texts are encoded before a query has its turn."""

_WORD = re.compile(r"\S+")
_STEPS = 100
_PUNCTUATION = ".,;:!?\"'()[]{}“”„«»"

Left = frozenset[int]
"""The numbers of the words that are left out."""


async def count_words(core: Core, inspection: Inspection, match: Match | None = None) -> WordCounts:
    """What the query would be without each of its words, for the first answer or for `match`, by every scorer; nothing
    is kept and no LLM asked. Cancelling it stops between two texts. EncoderError, SettingsError."""
    asking = _Asking(core, inspection, match or next(iter(inspection.matches), None))
    await asking.ask(frozenset({place}) for place in range(len(asking.words)))
    singles = [asking.found[frozenset({place})] for place in range(len(asking.words))]
    wanted = core.settings.search_intent
    whole = asking.whole
    return WordCounts(
        inspection.query.scored,
        "" if asking.match is None else asking.match.answer.name,
        whole,
        tuple(WithoutWord(word.group(), word.span(), found) for word, found in zip(asking.words, singles, strict=True)),
        asking.left,
        await asking.flip(lambda one: one.given, lambda one: one.confidence or 0.0) if whole.given else None,
        await asking.flip(lambda one: one.type or "", lambda one: one.type_confidence) if whole.type else None,
        llm_needed(inspection.detection.floor, wanted),
    )


@dataclass
class _Asking:
    """One query under way, asked without more and more of its words."""

    core: Core
    inspection: Inspection
    match: Match | None
    found: dict[Left, AsAsked] = field(default_factory=dict)
    _vectors: QueryVectors = field(default_factory=QueryVectors)

    def __post_init__(self) -> None:
        every = list(_WORD.finditer(self.inspection.query.scored))
        self.words, self.left = every[:MOST_WORDS], max(0, len(every) - MOST_WORDS)
        self.settings = self.core.settings
        floor = self.inspection.detection.floor
        self.whole = self._as_asked(self.inspection, floor)

    async def ask(self, wanted: Iterable[Left]) -> None:
        """Ask without these words, what is not known yet; the texts are encoded some at a time."""
        texts = {left: self._without(left) for left in wanted if left not in self.found}
        await self._encode([text for text in texts.values() if text.strip()])
        for left, text in texts.items():
            inspection = await self.core.settle_under(text, self.settings, self._vectors)
            self.found[left] = self._as_asked(inspection, inspection.detection.floor)
            await self.core.typing_priority.turn()

    async def flip(self, tells: Callable[[AsAsked], str], value: Callable[[AsAsked], float]) -> Flip | None:
        """The fewest words without which another thing is told: one alone, else those that count most, together."""
        now = tells(self.whole)
        order = sorted(range(len(self.words)), key=lambda place: (value(self.found[frozenset({place})]), place))
        sets = [frozenset({place}) for place in order]
        sets += [frozenset(order[:count]) for count in range(2, min(MOST_TOGETHER, len(order) - 1) + 1)]
        for left in sets:
            await self.ask([left])
            if tells(self.found[left]) != now:
                fewest = await self._fewest(left, lambda one: tells(one) != now)
                bare = (self.words[place].group().strip(_PUNCTUATION) for place in sorted(fewest))
                return Flip(tuple(bare), tells(self.found[fewest]))
        return None

    async def _fewest(self, left: Left, holds: Callable[[AsAsked], bool]) -> Left:
        """The set without each word that is not needed."""
        for place in sorted(left):
            fewer = left - {place}
            if fewer:
                await self.ask([fewer])
                left = fewer if holds(self.found[fewer]) else left
        return left

    def _without(self, left: Left) -> str:
        return " ".join(word.group() for place, word in enumerate(self.words) if place not in left) + self._rest

    @property
    def _rest(self) -> str:
        return self.inspection.query.scored[self.words[-1].end() :] if self.left else ""

    async def _encode(self, texts: Sequence[str]) -> None:
        for start in range(0, len(texts), ENCODED_AT_ONCE):
            some = [Query.of(text).scored for text in texts[start : start + ENCODED_AT_ONCE]]
            both = await self.core.encoded_both(some)
            if both is None:
                return
            for text, scored, learned in zip(some, *both, strict=True):
                self._vectors.keep(text, QueryVector(scored, learned))
            await self.core.typing_priority.turn()

    def _as_asked(self, inspection: Inspection, floor: SearchIntent | None) -> AsAsked:
        own = self._own(inspection)
        first = next(iter(inspection.matches), None)
        return AsAsked(
            first.answer.name if first is not None and is_given(first) else "",
            None if floor is None else floor.type,
            0.0 if floor is None else floor.confidence,
            None if own is None else own.confidence,
            {} if own is None else own.scores,
        )

    def _own(self, inspection: Inspection) -> Match | None:
        """The answer that is looked at, among those that are near the first."""
        if self.match is None:
            return None
        key = self.match.kind, self.match.answer.key
        near = (*inspection.matches, *inspection.below)
        return next((one for one in near if (one.kind, one.answer.key) == key), None)


def is_given(match: Match) -> bool:
    """Whether a match is an answer at all."""
    return match.band is not Band.FALLBACK and match.tier is not Tier.NOT_FOUND


def llm_needed(floor: SearchIntent | None, settings: SearchIntentSettings) -> LlmNeeded:
    """What the LLM would have to say, by the merge policy in force, to turn what is known without it."""
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
