"""MERGERS: policies that combine keywords, examples' vote and LLM answer into one intent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.detect.topics import topics
from app.domain.case import Vote
from app.domain.inspection import WEIGHS_CLAUSES, Detection, LearnedType, Merged
from app.domain.intent import DetectionSource, IntentType, SearchIntent, intent_type
from app.domain.llm import NO_PENALTY, LlmAnswer, LlmOutcome
from app.domain.match import Operand, Step
from app.scoring.arithmetic import step

if TYPE_CHECKING:
    from app.settings.sections import SearchIntentSettings


LLM_WEIGHT, KEYWORD_WEIGHT = 0.7, 0.3
"""Weights of the LLM's and the keywords' confidence (000)."""

AGREEMENT_BONUS = 0.1
PENALTY, PENALTY_FACTOR, TRUSTED = 0.1, 0.9, 0.8
"""Penalty without an LLM answer: 0.1 or a tenth, for confidences below 0.8 (000)."""

SHIPPED_CAP = 0.95
"""Cap of the merged confidence in 000's project."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The LLM's input to the merge: an outcome, and the answer if it came in time."""

    outcome: LlmOutcome
    answer: LlmAnswer | None = None


Merger = Callable[["SearchIntent | None", Ceiling, "SearchIntentSettings"], Merged]


def merge(floor: SearchIntent | None, ceiling: Ceiling, settings: SearchIntentSettings) -> Merged:
    """Merge by the policy in force, then apply the floor (S4.11) and topics (S4.10 rule 6)."""
    merged = MERGERS[settings.merge](floor, ceiling, settings)
    if settings.strict_floor:
        merged = _not_below(floor, merged)
    if settings.require_topics and merged.intent is not None and not merged.intent.topics:
        nothing = Step("no topics", "min", operands(merged=merged.intent.confidence, required_topics=0.0), 0.0)
        return Merged(None, (*merged.steps, nothing))
    return merged


def _adr(floor: SearchIntent | None, ceiling: Ceiling, settings: SearchIntentSettings) -> Merged:
    answer = ceiling.answer
    if floor is None:
        return _llm_alone(answer)
    if answer is None:
        # The penalty is for keywords: learned confidences are calibrated already.
        is_chance = floor.source is DetectionSource.LEARNED
        return Merged(floor) if is_chance or ceiling.outcome in NO_PENALTY else _without_answer(floor, settings)
    if answer.confidence < settings.min_confidence:
        return Merged(replace(floor, source=DetectionSource.HYBRID), (_take_keywords(floor, answer),))
    return _agreed(floor, answer, _weighed(floor, answer))


def _shipped(floor: SearchIntent | None, ceiling: Ceiling, settings: SearchIntentSettings) -> Merged:
    answer = ceiling.answer
    if floor is None:
        return _llm_alone(answer)
    if answer is None:
        return Merged(floor)
    if answer.confidence < settings.min_confidence:
        return Merged(replace(floor, source=DetectionSource.HYBRID), (_take_keywords(floor, answer),))
    weighed = _weighed(floor, answer)
    capped = _capped(weighed.result, SHIPPED_CAP)
    return Merged(_hybrid(floor, answer, capped.result, answer.topics or floor.topics), (weighed, capped))


def _by_type(floor: SearchIntent | None, ceiling: Ceiling, settings: SearchIntentSettings) -> Merged:
    """Like `adr`, but by the floor's confidence of the same type; an unsure LLM never decides."""
    answer = ceiling.answer
    if answer is None or (floor is not None and answer.confidence < settings.min_confidence):
        return _adr(floor, ceiling, settings)
    if answer.confidence < settings.min_confidence:
        return Merged(None, (step("too unsure", "take", operands(least=0.0, llm=answer.confidence)),))
    if floor is None:
        return _llm_alone(answer)
    own = _weighed(floor, answer, floor.given(answer.type))
    if answer.type is floor.type:
        return _agreed(floor, answer, own)
    topics = _all_topics(floor, answer)
    other = _weighed(floor, replace(answer, confidence=0.0), floor.confidence)
    if other.result > own.result:
        kept = replace(floor, confidence=other.result, source=DetectionSource.HYBRID, topics=topics)
        return Merged(kept, (other,))
    return Merged(_hybrid(floor, answer, own.result, topics), (own,))


MERGERS: Mapping[str, Merger] = {"by_type": _by_type, "adr": _adr, "shipped": _shipped}
"""Merge policies: the recommended one, 000's document as S4.10 reads it, and 000's project."""


def two_policies(in_force: str) -> tuple[str, str]:
    """Return the two policies to compare, including the one in force."""
    return ("by_type", "adr") if in_force == "by_type" else ("adr", "shipped")


def _agreed(floor: SearchIntent, answer: LlmAnswer, weighed: Step) -> Merged:
    """Return the weighed answer, with the bonus for the same topics."""
    steps = [weighed]
    if answer.topics and set(answer.topics) == set(floor.topics):
        steps.append(step("same topics", "sum", operands(weighed=weighed.result, bonus=AGREEMENT_BONUS)))
        steps.append(_capped(steps[-1].result, 1.0))
    return Merged(_hybrid(floor, answer, steps[-1].result, _all_topics(floor, answer)), tuple(steps))


def _all_topics(floor: SearchIntent, answer: LlmAnswer) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*answer.topics, *floor.topics)))


def _llm_alone(answer: LlmAnswer | None) -> Merged:
    if answer is None:
        return Merged(None)
    alone = step("llm alone", "take", operands(llm=answer.confidence))
    return Merged(SearchIntent(answer.type, answer.confidence, DetectionSource.LLM, (), answer.topics), (alone,))


def _without_answer(floor: SearchIntent, settings: SearchIntentSettings) -> Merged:
    """Apply S4.10 rule 4 with the fallback penalty in force."""
    if settings.fallback_penalty == "none":
        return Merged(floor)
    if settings.fallback_penalty == "scaled":
        scaled = step("scaled", "sum", (Operand(_name(floor), floor.confidence, PENALTY_FACTOR),))
        return Merged(replace(floor, confidence=scaled.result), (scaled,))
    if floor.confidence >= TRUSTED:
        kept = step("keyword result", "take", operands(**{_name(floor): floor.confidence}, trusted=TRUSTED))
        return Merged(floor, (kept,))
    lowered = step("penalty", "sum", operands(**{_name(floor): floor.confidence}, penalty=-PENALTY))
    if lowered.result >= 0.0:
        return Merged(replace(floor, confidence=lowered.result), (lowered,))
    zero = step("not below 0", "max", operands(lowered=lowered.result, least=0.0))
    return Merged(replace(floor, confidence=zero.result), (lowered, zero))


def _take_keywords(floor: SearchIntent, answer: LlmAnswer) -> Step:
    return step("keyword result", "take", operands(**{_name(floor): floor.confidence, "llm": answer.confidence}))


def _weighed(floor: SearchIntent, answer: LlmAnswer, own: float | None = None) -> Step:
    """Weigh LLM and floor; `own` replaces the floor's confidence."""
    given = floor.confidence if own is None else own
    operands = (Operand("llm", answer.confidence, LLM_WEIGHT), Operand(_name(floor), given, KEYWORD_WEIGHT))
    return step("weighed", "sum", operands)


def _name(floor: SearchIntent) -> str:
    """Return the name of the floor's operand."""
    return "learned" if floor.source is DetectionSource.LEARNED else "keyword"


def _capped(value: float, most: float) -> Step:
    return step("cap", "min", operands(sum=value, most=most))


def _hybrid(floor: SearchIntent, answer: LlmAnswer, confidence: float, topics: tuple[str, ...]) -> SearchIntent:
    return SearchIntent(answer.type, confidence, DetectionSource.HYBRID, floor.keywords, topics)


def _not_below(floor: SearchIntent | None, merged: Merged) -> Merged:
    if floor is None or merged.intent is None or merged.intent.confidence >= floor.confidence:
        return merged
    held = step("strict floor", "max", operands(merged=merged.intent.confidence, floor=floor.confidence))
    return Merged(replace(merged.intent, confidence=held.result), (*merged.steps, held))


def operands(**values: float) -> tuple[Operand, ...]:
    return tuple(Operand(name.replace("_", " "), value) for name, value in values.items())


def by_merger(floor: SearchIntent | None, ceiling: Ceiling, settings: SearchIntentSettings) -> Mapping[str, Merged]:
    """Return the result of every policy for the same floor and ceiling, by name."""
    return {name: merge(floor, ceiling, settings.model_copy(update={"merge": name})) for name in MERGERS}


# ---- Keywords and the vote of training examples become one floor: the more confident decides.


ALONE, TAKEN, KEPT, NOTHING_ASKED = "examples alone", "examples are surer", "keywords are surer", "nothing is asked"
NEGATED = "examples say what is negated"
"""Names of the possible steps.

The more confident source decides also if both give the same type.
"""

Floor = tuple[SearchIntent | None, tuple[Step, ...]]


def with_vote(detection: Detection, text: str, vote: Vote, settings: SearchIntentSettings) -> Detection:
    """Add the examples' vote to a detection.

    It counts from `learned_from` on, if no keyword matches or none is as confident; a vote for none limits a
    keyword's confidence to the vote's.
    """
    floor, steps = _joined(detection, text, vote, settings)
    return replace(detection, learned=LearnedType(vote, "", floor, steps))


def _joined(detection: Detection, text: str, vote: Vote, settings: SearchIntentSettings) -> Floor:
    keyword = detection.intent
    if vote.is_none_first:
        is_held = keyword is None or settings.strict_floor or vote.for_none <= keyword.confidence
        return (keyword, ()) if is_held else _limited(keyword, vote)
    if vote.confidence < settings.learned_from:
        return _beside(keyword, vote), ()
    own = operands(learned=vote.confidence)
    spoken, keyword = _beside(_spoken(detection, text, vote), vote, keyword), _beside(keyword, vote)
    if keyword is None:
        return spoken, (step(ALONE, "take", own),)
    both = operands(keyword=keyword.confidence)
    if _is_negated(detection, vote):
        return keyword, (step(NEGATED, "take", (*both, *own)),)
    if vote.confidence <= keyword.confidence:
        return keyword, (step(KEPT, "max", (*both, *own)),)
    return spoken, (step(TAKEN, "max", (*own, *both)),)


def _beside(intent: SearchIntent | None, vote: Vote, keyword: SearchIntent | None = None) -> SearchIntent | None:
    """Add the confidences of other types, the larger of vote and keywords."""
    if intent is None:
        return None
    known = dict(intent.beside if keyword is None else (*keyword.beside, (keyword.type, keyword.confidence)))
    for label, share in vote.shares:
        type_ = intent_type(label)
        if type_ is not None:
            known[type_] = max(known.get(type_, 0.0), min(1.0, share))
    known.pop(intent.type, None)
    return replace(intent, beside=tuple(known.items()))


def _is_negated(detection: Detection, vote: Vote) -> bool:
    """Return whether every cue of the examples' type is negated."""
    own = [hit for hit in detection.hits if intent_type(hit.rule.label) == vote.label and not hit.held_back]
    return detection.policy in WEIGHS_CLAUSES and bool(own) and all(hit.negated for hit in own)


def _spoken(detection: Detection, text: str, vote: Vote) -> SearchIntent:
    """Return the type of the vote, with the cues that support it."""
    type_ = IntentType(vote.label)
    cues = next((one.hits for one in detection.ranking if one.type is type_), ())
    words = tuple(hit.text for hit in cues)
    return SearchIntent(type_, vote.confidence, DetectionSource.LEARNED, words, topics(text))


def _limited(keyword: SearchIntent | None, vote: Vote) -> Floor:
    assert keyword is not None, "what is not there cannot be held down"
    share = dict(vote.shares).get(keyword.type.value, 0.0)
    lowered = step(NOTHING_ASKED, "min", operands(keyword=keyword.confidence, learned=share))
    return replace(keyword, confidence=lowered.result, source=DetectionSource.LEARNED), (lowered,)
