"""The cues in the query's text: which words spoke for which type, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.display import numbers, words
from app.domain.inspection import Detection, TypeEvidence
from app.domain.intent import RuleHit


class Fate(StrEnum):
    """What became of a cue: its type won, another type won, or the rule was held back."""

    WON = "won"
    MATCHED = "matched"
    HELD_BACK = "held back"


@dataclass(frozen=True, slots=True)
class Cue:
    """A marked place in the query: code points from `start` to `end`, the words there, its label and its fate."""

    start: int
    end: int
    text: str
    label: str
    fate: Fate


@dataclass(frozen=True, slots=True)
class CueRow:
    """One matched type with its cues and what they weigh; `weight` is a number or "held back"."""

    type: str
    cues: tuple[str, ...]
    weight: str
    fate: Fate


_RANK = {Fate.WON: 0, Fate.MATCHED: 1, Fate.HELD_BACK: 2}


def cues(detection: Detection) -> tuple[Cue, ...]:
    """One cue per place, the best fate first where several rules hit the same words, else in the text's order."""
    winner = detection.intent.type if detection.intent else None
    found: list[Cue] = []
    for hit in detection.hits:
        fate = Fate.HELD_BACK if hit.held_back else Fate.WON if hit.rule.label == winner else Fate.MATCHED
        found.append(Cue(*hit.span, hit.text, _label(hit, fate), fate))
    found.sort(key=lambda cue: (_RANK[cue.fate], cue.start, cue.start - cue.end))
    kept: list[Cue] = []
    for cue in found:
        if not any(cue.start < other.end and other.start < cue.end for other in kept):
            kept.append(cue)
    return tuple(sorted(kept, key=lambda cue: cue.start))


def no_cue(detection: Detection) -> str:
    """What stands in the place of the cues' labels where there are none."""
    return words.say("No word here tells the type") if detection.enabled else words.say("Types are not detected")


def cue_rows(detection: Detection) -> tuple[CueRow, ...]:
    """The matched types in the policy's order, then those whose every rule was held back."""
    winner = detection.intent.type if detection.intent else None
    rows = [_ranked(entry, Fate.WON if entry.type == winner else Fate.MATCHED) for entry in detection.ranking]
    ranked = {str(entry.type) for entry in detection.ranking}
    held: dict[str, list[str]] = {}
    for hit in detection.hits:
        if hit.held_back and hit.rule.label not in ranked:
            held.setdefault(hit.rule.label, []).append(hit.text)
    rows += [
        CueRow(words.type_word(label), tuple(dict.fromkeys(texts)), words.say("held back"), Fate.HELD_BACK)
        for label, texts in held.items()
    ]
    return tuple(rows)


def other_policy(detection: Detection) -> str:
    """What the policies that are not in force would have picked, where it differs; "" where all agree."""
    picked = detection.intent.type if detection.intent else None
    sentences = [
        words.say("{policy} would have picked {type}.", policy=words.policy(name), type=words.type_word(other))
        if other
        else words.say("{policy} would have picked nothing.", policy=words.policy(name))
        for name, other in detection.by_policy.items()
        if name != detection.policy and other != picked
    ]
    return " ".join(sentences)


def _ranked(entry: TypeEvidence, fate: Fate) -> CueRow:
    texts = tuple(dict.fromkeys(hit.text for hit in entry.hits if not hit.held_back))
    return CueRow(words.type_word(entry.type), texts, numbers.fixed(entry.evidence), fate)


def _label(hit: RuleHit, fate: Fate) -> str:
    word = words.type_word(hit.rule.label)
    return words.say("{type}, held back", type=word) if fate is Fate.HELD_BACK else word
