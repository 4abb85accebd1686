"""Keywords and the vote of taught examples become one floor: the surer of both speaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.detect.topics import topics
from app.domain.case import Vote
from app.domain.inspection import Detection, LearnedType
from app.domain.intent import DetectionSource, IntentType, SearchIntent
from app.domain.match import Operand, Step
from app.scoring.arithmetic import step

if TYPE_CHECKING:
    from app.settings.sections import SearchIntentSettings

ALONE, TAKEN, KEPT, NOTHING_ASKED = "examples alone", "examples are surer", "keywords are surer", "nothing is asked"
"""The steps that there can be; the surer speaks also where both name the same type, which is then as sure as that."""

Floor = tuple[SearchIntent | None, tuple[Step, ...]]


def with_vote(detection: Detection, text: str, vote: Vote, settings: SearchIntentSettings) -> Detection:
    """The detection with what the examples say of the text. They count from `learned_from` on, and where no keyword
    speaks or is as sure; a vote for none is one that nothing is asked, and then a keyword is no surer than the vote."""
    floor, steps = _joined(detection, text, vote, settings)
    return replace(detection, learned=LearnedType(vote, "", floor, steps))


def _joined(detection: Detection, text: str, vote: Vote, settings: SearchIntentSettings) -> Floor:
    keyword = detection.intent
    if vote.says_none:
        is_held = keyword is None or settings.strict_floor or vote.for_none <= keyword.confidence
        return (keyword, ()) if is_held else _held_down(keyword, vote)
    if vote.confidence < settings.learned_from:
        return keyword, ()
    own = _operand("learned", vote.confidence)
    if keyword is None:
        return _spoken(detection, text, vote), (step(ALONE, "take", own),)
    both = _operand("keyword", keyword.confidence)
    if vote.confidence <= keyword.confidence:
        return keyword, (step(KEPT, "max", (*both, *own)),)
    return _spoken(detection, text, vote), (step(TAKEN, "max", (*own, *both)),)


def _spoken(detection: Detection, text: str, vote: Vote) -> SearchIntent:
    """The type that the examples name, with the cues that speak for it as well."""
    type_ = IntentType(vote.label)
    cues = next((one.hits for one in detection.ranking if one.type is type_), ())
    words = tuple(hit.text for hit in cues)
    return SearchIntent(type_, vote.confidence, DetectionSource.LEARNED, words, topics(text))


def _held_down(keyword: SearchIntent | None, vote: Vote) -> Floor:
    assert keyword is not None, "what is not there cannot be held down"
    share = dict(vote.shares).get(keyword.type.value, 0.0)
    lowered = step(NOTHING_ASKED, "min", (*_operand("keyword", keyword.confidence), *_operand("learned", share)))
    return replace(keyword, confidence=lowered.result, source=DetectionSource.LEARNED), (lowered,)


def _operand(name: str, value: float) -> Sequence[Operand]:
    return (Operand(name, value),)
