"""Intent card in words: detected type, cues, examples and arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from app.detect.merge import two_policies
from app.detect.topics import FUNCTION_WORDS, Dropped, topic_words
from app.display import numbers, words
from app.display.scope.merging import (
    ORDER,
    MergeRow,
    floor_word,
    limits,
    merge_in_force,
    merge_rows,
    type_chance,
)
from app.display.scope.surfacing import Surfacing, has_type, surfacing
from app.domain.case import NearExample, Vote
from app.domain.inspection import WEIGHS_CLAUSES, Detection, Inspection, TypeEvidence
from app.domain.intent import DetectionSource, IntentType, RuleHit
from app.domain.llm import LlmOutcome

if TYPE_CHECKING:
    from app.settings.model import Settings


NO_QUERY = "No query yet."

_DID_NOT_HELP = frozenset({LlmOutcome.OFF, LlmOutcome.ASKING, LlmOutcome.ANSWERED})
"""LLM outcomes that need no mention if there is no intent."""


@dataclass(frozen=True, slots=True)
class RulerMark:
    """Mark on the ruler; hollow if the value did not count."""

    word: str
    value: float
    text: str
    counts: bool = True


@dataclass(frozen=True, slots=True)
class IntentCard:
    """Content of the intent card. `value` is the end of the bar, `confidence` its text.

    `sums` are the rows of the merge and `total` their sum, in percent where nothing is added. `threshold` is the
    minimum confidence for injection.
    """

    headline: str
    found: bool
    source: str
    value: float
    confidence: str
    marks: tuple[RulerMark, ...]
    threshold: RulerMark | None
    sums: tuple[MergeRow, ...]
    total: str
    cues: tuple[CueRow, ...]
    cues_title: str
    other: str
    topics: tuple[str, ...]
    surfacing: Surfacing | None = None
    learned: LearnedCard | None = None
    no_topics: str = ""
    """Words that are no topics, and the reasons."""


def intent_card(inspection: Inspection, settings: Settings | None = None) -> IntentCard:
    detection, intent = inspection.detection, inspection.intent
    confidence, is_found = intent.confidence if intent else 0.0, has_type(inspection, settings)
    policy, merged = merge_in_force(inspection, settings)
    shown, total = type_chance(confidence, settings), numbers.score(confidence, limits(settings))
    sums = merge_rows(inspection, merged, policy, settings)
    if len(sums) == 1 and not sums[0].adds and sums[0].value != numbers.ABSENT:
        sums, total = (replace(sums[0], value=shown),), shown
    return IntentCard(
        words.type_word(intent.type) if intent and is_found else "No type",
        is_found,
        type_source(inspection, settings) or no_type_reason(inspection, settings),
        confidence,
        shown,
        _marks(inspection, settings),
        _threshold(settings),
        sums,
        total,
        cue_rows(detection),
        f"Keywords weighed by {words.policy(detection.policy).lower()}",
        " ".join(filter(None, (several_types_sentence(detection, inspection.query.scored), other_policy(detection)))),
        intent.topics if intent else (),
        surfacing(inspection, settings) if settings is not None else None,
        learned_card(detection),
        stop_words_sentence(inspection.query.scored) if intent else "",
    )


DROPPED: Mapping[Dropped, str] = {
    Dropped.SHORT: "too short",
    Dropped.COMMON: "too common",
    Dropped.NUMBER: "numbers",
    Dropped.AGAIN: "said again",
    Dropped.FULL: "beyond the first five",
}


def stop_words_sentence(text: str) -> str:
    """Return the words that are no topics, by reason; "" if there are none."""
    by_reason: dict[Dropped, dict[str, None]] = {}
    for one in topic_words(text):
        if one.dropped is not None:
            by_reason.setdefault(one.dropped, {})[one.word] = None
    named = {why: ", ".join(list(words_)[:_MOST_DROPPED]) for why, words_ in by_reason.items()}
    parts = [f"{named[why]} ({DROPPED[why]})" for why in Dropped if why in named]
    return f"No topics: {'; '.join(parts)}." if parts else ""


_MOST_DROPPED = 8


def _marks(inspection: Inspection, settings: Settings | None) -> tuple[RulerMark, ...]:
    marks: list[RulerMark] = []
    floor = inspection.detection.floor
    if floor is not None:
        marks.append(RulerMark(floor_word(floor), floor.confidence, type_chance(floor.confidence, settings)))
    report = inspection.trace.llm
    if report is not None and report.answer is not None:
        value = report.answer.confidence
        least = () if settings is None else (settings.search_intent.min_confidence,)
        counts = report.outcome is LlmOutcome.ANSWERED
        marks.append(RulerMark("LLM", value, type_chance(value, settings, least), counts))
    return tuple(marks)


def _threshold(settings: Settings | None) -> RulerMark | None:
    if settings is None:
        return None
    value = settings.search_intent.surfacing_threshold
    return RulerMark("Inject from", value, numbers.chance(value))


def type_source(inspection: Inspection, settings: Settings | None) -> str:
    """Return what the type is from: cues, examples or the LLM; "" without a type."""
    if inspection.intent is None or not has_type(inspection, settings):
        return ""
    report, source, floor = inspection.trace.llm, inspection.intent.source, inspection.detection.floor
    silent = "" if report is None else words.LLM[report.outcome].silent
    if silent and source is not DetectionSource.LLM:
        below = DetectionSource.KEYWORD if floor is None else floor.source
        return f"{words.SOURCES[below]}, {silent}"
    said = words.SOURCES[source]
    if source is DetectionSource.HYBRID and floor is not None and floor.source is DetectionSource.LEARNED:
        said = "From examples and the LLM"
    if source is DetectionSource.LLM and floor is None:
        return f"{said}, no keyword matched"
    return said


def no_type_reason(inspection: Inspection, settings: Settings | None) -> str:
    """Return why there is no type, in a sentence."""
    detection, report = inspection.detection, inspection.trace.llm
    if inspection.intent is not None and settings is not None:
        type_, confidence, least = inspection.intent.type, inspection.intent.confidence, settings.fallback_threshold
        needed = f"{numbers.chance(least, (confidence,))} is needed"
        return f"The nearest is {words.type_word(type_)} with {type_chance(confidence, settings)}; {needed}."
    if not detection.enabled:
        return "Detection is switched off (search_intent.enabled)."
    if inspection.query.is_empty:
        return NO_QUERY
    if detection.floor is not None or (report is not None and report.outcome is LlmOutcome.ANSWERED):
        return "A type matches, but the query has no topics, and the settings ask for one."
    held_back = any(hit.held_back for hit in detection.hits)
    why = "Every keyword that matched was overruled" if held_back else "No keyword rule matches this text"
    if detection.learned is not None and detection.learned.vote is not None:
        is_none = detection.learned.vote.is_none_first
        also = "examples say that nothing is asked" if is_none else "examples are too unsure"
        why = f"{why}, and {also}"
    silent = "" if report is None or report.outcome in _DID_NOT_HELP else words.LLM[report.outcome].silent
    return f"{why}, {silent}." if silent else f"{why}."


# --------------------------------------------------------------------------------------------------------------------
# Two merge policies side by side on the same keywords' result and LLM answer


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """Row of the comparison: a step, each policy's explanation and amount.

    `parts` marks the step at which the policies diverge.
    """

    what: str
    hows: tuple[str, ...]
    values: tuple[str, ...]
    parts: bool = False

    @property
    def how(self) -> str:
        """Explanation shared by all policies; "" if they differ."""
        said = {how for how, value in zip(self.hows, self.values, strict=True) if value}
        return said.pop() if len(said) == 1 else ""


@dataclass(frozen=True, slots=True)
class Policies:
    """Table of merge policies: rows, types, confidences; `used` is the active one's index."""

    keys: tuple[str, ...]
    names: tuple[str, ...]
    used: int
    rows: tuple[PolicyRow, ...]
    types: tuple[str, ...]
    confidences: tuple[str, ...]
    topics: tuple[str, ...]
    sentence: str


def policies(inspection: Inspection, settings: Settings | None) -> Policies | None:
    """Compare the active policy with another one; None with fewer than two policies."""
    if len(inspection.by_merger) < 2:
        return None
    used, _ = merge_in_force(inspection, settings)
    names = tuple(name for name in two_policies(used) if name in inspection.by_merger)
    mergeds = tuple(inspection.by_merger[name] for name in names)
    columns = [
        {row.key: row for row in merge_rows(inspection, merged, name, settings)}
        for name, merged in zip(names, mergeds, strict=True)
    ]
    rows = [_row([column.get(key) for column in columns]) for key in ORDER if any(key in c for c in columns)]
    first = next((place for place, row in enumerate(rows) if len(set(row.values)) > 1), None)
    if first is not None:
        rows[first] = PolicyRow(rows[first].what, rows[first].hows, rows[first].values, parts=True)
    types = tuple(words.type_word(merged.intent.type) if merged.intent else "No type" for merged in mergeds)
    topics = tuple(", ".join(merged.intent.topics) if merged.intent else "" for merged in mergeds)
    return Policies(
        names,
        tuple(words.merge_policy(name) for name in names),
        names.index(used) if used in names else 0,
        tuple(rows),
        types,
        tuple(numbers.score(one.intent.confidence if one.intent else 0.0, limits(settings)) for one in mergeds),
        topics if len(set(topics)) > 1 else (),
        _sentence(words.merge_policy(used), rows[first].what if first is not None else "", types, topics),
    )


def _row(found: list[MergeRow | None]) -> PolicyRow:
    known = [row for row in found if row is not None]
    return PolicyRow(
        known[0].what,
        tuple(row.how if row is not None else "" for row in found),
        tuple(row.value if row is not None else "" for row in found),
    )


def _sentence(used: str, first: str, types: tuple[str, ...], topics: tuple[str, ...]) -> str:
    if first:
        return f"In force: {used}. They part at “{first}”."
    if len(set(types)) > 1 or len(set(topics)) > 1:
        return f"In force: {used}. The number is the same, the topics are not."
    return f"In force: {used}. Here the results are equal."


# ---- Cues in the query's text: the type of each, and its effect.


class RuleEffect(StrEnum):
    """Effect of a cue: its type won, another type won, or the rule was held back."""

    WON = "won"
    MATCHED = "matched"
    HELD_BACK = "overruled"


@dataclass(frozen=True, slots=True)
class Cue:
    """Matched span of the query: code points `start` to `end`, text, label and effect."""

    start: int
    end: int
    text: str
    label: str
    rule_effect: RuleEffect


@dataclass(frozen=True, slots=True)
class CueRow:
    """One matched type with its cues and their weight; `weight` is a number or "held back"."""

    type: str
    cues: tuple[str, ...]
    weight: str
    rule_effect: RuleEffect


_RANK = {RuleEffect.WON: 0, RuleEffect.MATCHED: 1, RuleEffect.HELD_BACK: 2}


def cues(detection: Detection) -> tuple[Cue, ...]:
    """Return every span once, in text order, with the best effect of its rules."""
    winner = detection.intent.type if detection.intent else None
    found: list[Cue] = []
    for hit in detection.hits:
        rule_effect = RuleEffect.WON if hit.rule.label == winner else RuleEffect.MATCHED
        if hit.held_back or is_ignored(detection, hit):
            rule_effect = RuleEffect.HELD_BACK
        found += [Cue(*span, hit.text, _label(detection, hit, rule_effect), rule_effect) for span in hit.spans]
    found.sort(key=lambda cue: (_RANK[cue.rule_effect], cue.start, cue.start - cue.end))
    kept: list[Cue] = []
    for cue in found:
        if not any(cue.start < other.end and other.start < cue.end for other in kept):
            kept.append(cue)
    return tuple(sorted(kept, key=lambda cue: cue.start))


def no_cue(detection: Detection) -> str:
    return "No keyword matched" if detection.enabled else "Types are not detected"


def cue_rows(detection: Detection) -> tuple[CueRow, ...]:
    """Return the matched types in the policy's order, then those with held-back rules only."""
    winner = detection.intent.type if detection.intent else None
    rows = [
        _ranked(entry, RuleEffect.WON if entry.type == winner else RuleEffect.MATCHED) for entry in detection.ranking
    ]
    ranked = {str(entry.type) for entry in detection.ranking}
    held: dict[tuple[str, bool], list[str]] = {}
    for hit in detection.hits:
        unmeant = is_ignored(detection, hit)
        if (hit.held_back or unmeant) and hit.rule.label not in ranked:
            held.setdefault((hit.rule.label, unmeant), []).append(hit.text)
    rows += [
        CueRow(
            words.type_word(label),
            tuple(dict.fromkeys(texts)),
            "negated" if unmeant else "overruled",
            RuleEffect.HELD_BACK,
        )
        for (label, unmeant), texts in held.items()
    ]
    return tuple(rows)


def other_policy(detection: Detection) -> str:
    """Return what other policies would have picked, if different; "" if all agree."""
    picked = detection.intent.type if detection.intent else None
    sentences = [
        f"{words.policy(name)} would have chosen {words.type_word(other)}."
        if other
        else f"{words.policy(name)} would have chosen nothing."
        for name, other in detection.by_policy.items()
        if name != detection.policy and other != picked
    ]
    return " ".join(sentences)


def _ranked(entry: TypeEvidence, rule_effect: RuleEffect) -> CueRow:
    texts = tuple(dict.fromkeys(hit.text for hit in entry.hits if not hit.held_back))
    return CueRow(words.type_word(entry.type), texts, numbers.fixed(entry.evidence), rule_effect)


def _label(detection: Detection, hit: RuleHit, rule_effect: RuleEffect) -> str:
    word = words.type_word(hit.rule.label)
    if rule_effect is not RuleEffect.HELD_BACK:
        return word
    return f"{word} (negated)" if is_ignored(detection, hit) else word


def is_ignored(detection: Detection, hit: RuleHit) -> bool:
    """Check if a negated cue does not count under the active policy."""
    return hit.negated and not hit.held_back and detection.policy in WEIGHS_CLAUSES


def several_types_sentence(detection: Detection, text: str) -> str:
    """Return a sentence if a text asks for several types; "" otherwise."""
    parts = [f"{words.type_word(one.type)} (“{text[slice(*one.span)]}”)" for one in detection.clause_types]
    return f"It asks for more than one: {', '.join(parts)}." if parts else ""


# ---- Vote of the examples on the type: shares, decisive words, nearest examples.


MOST_SHARES, MOST_NEAR = 3, 3
LEAST_SHARE = 0.005
"""Minimum share of the vote to be shown."""


@dataclass(frozen=True, slots=True)
class LearnedShare:
    """One type's share of the vote; `is_first` marks the winner."""

    type: str
    value: str
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class LearnedNear:
    """Example near the query, with type and similarity; `is_first` marks the winning type."""

    text: str
    type: str
    similarity: str
    origin: str
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class LearnedCard:
    """Vote of the examples; `sentence` is why there is none, or which words support it."""

    title: str
    shares: tuple[LearnedShare, ...] = ()
    sentence: str = ""
    near: tuple[LearnedNear, ...] = ()


def learned_card(detection: Detection) -> LearnedCard | None:
    """Make the card; None if examples are not used."""
    learned = detection.learned
    if learned is None:
        return None
    if learned.vote is None:
        return LearnedCard("From examples", sentence=learned.missing)
    vote = learned.vote
    if vote.is_none_first:
        title = "From examples: asks for nothing"
    else:
        title = f"From examples: {words.type_word(vote.label)}, {numbers.rough_chance(vote.confidence)} likely"
    said = _words(vote) if vote.is_none_first else f"The likelihood is how often such votes are right. {_words(vote)}"
    return LearnedCard(title, _shares(vote), said.strip(), tuple(_near(one, vote) for one in _shown(vote)))


def learned_lines(card: LearnedCard | None) -> list[str]:
    if card is None:
        return []
    lines = [card.title]
    if card.shares:
        lines.append("Votes: " + ", ".join(f"{share.type} {share.value}" for share in card.shares))
    if card.sentence:
        lines.append(card.sentence)
    return [*lines, *(f"“{one.text}”: {one.type} {one.similarity}, {one.origin}" for one in card.near)]


def type_choice(type_: IntentType | None) -> str:
    """Return the display name of a type for teaching; None means no type."""
    return "Asks for nothing" if type_ is None else words.type_word(type_)


def taught_message(type_: IntentType | None, *, is_new: bool) -> str:
    """Return what was taught, for the message that offers undo."""
    type_is = f"the type of this query is {'none' if type_ is None else words.type_word(type_)}"
    return f"Taught: {type_is}." if is_new else f"Changed: {type_is} from now on."


def _shares(vote: Vote) -> tuple[LearnedShare, ...]:
    """Return the largest shares, with "none" if it is among them."""
    every = [(words.type_word(label), share) for label, share in vote.shares]
    every.append(("nothing is asked", vote.for_none))
    every.sort(key=lambda one: -one[1])
    shown = [one for one in every if one[1] >= LEAST_SHARE][:MOST_SHARES]
    return tuple(
        LearnedShare(name, numbers.rough_chance(share), place == 0) for place, (name, share) in enumerate(shown)
    )


def _words(vote: Vote) -> str:
    telling = [word for word in vote.grounds.words if word not in FUNCTION_WORDS]
    if vote.is_none_first or not telling:
        return ""
    told = ", ".join(f"“{word}”" for word in telling)
    return f"Words that indicate {words.type_word(vote.label)}: {told}."


def _shown(vote: Vote) -> tuple[NearExample, ...]:
    """Return the nearest examples, at least one of them of the winning type."""
    nearest = vote.nearest[:MOST_NEAR]
    backing = vote.grounds.backing[:1]
    if vote.is_none_first or not backing or any(one.label == vote.label for one in nearest):
        return nearest
    return (*nearest[: MOST_NEAR - 1], *backing)


def _near(one: NearExample, vote: Vote) -> LearnedNear:
    origin = "ships with the program" if one.is_shipped else "taught here"
    is_first = not vote.is_none_first and one.label == vote.label
    return LearnedNear(one.text, words.type_word(one.label), numbers.score(one.similarity), origin, is_first)
