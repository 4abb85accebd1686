"""Duplicate findings in words: list rows, cards, counts, and results of a resolution."""

from __future__ import annotations

from base64 import b32encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from app.display import numbers
from app.display.library.teaching import answer_name
from app.display.words import marked_right, success_text
from app.domain.documents import fields_of
from app.domain.health import DuplicateFinding, DuplicateKind, SimilarityThresholds, TriggerUse
from app.domain.language import plural, quantity
from app.domain.library import Kind, Memory
from app.scoring.text import without_punctuation

if TYPE_CHECKING:
    from app.scoring.duplicates import Findings


LIKENESSES: dict[DuplicateKind, str] = {
    DuplicateKind.CONFLICT: "Conflict",
    DuplicateKind.NEAR_CONFLICT: "Near conflict",
    DuplicateKind.DUPLICATE: "Duplicate",
    DuplicateKind.NEAR_DUPLICATE: "Near duplicate",
}

_MOST_NAMED = 3

KEY_LETTERS = 5
"""Length of a finding's key, in base 32.

Among a hundred findings two share a key once in seven thousand lists; such keys are refused.
"""

Marked = tuple[tuple[str, bool], ...]
"""Words of a trigger, each with a flag if it differs."""


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding in the list: kind, trigger, answers, and scores of near triggers."""

    likeness: DuplicateKind
    word: str
    trigger: str
    answers: str
    spelling: str
    meaning: str


@dataclass(frozen=True, slots=True)
class HoldingCard:
    """One use of a trigger: its words, its answer, and that answer's use."""

    kind: Kind
    trigger: str
    marked: Marked
    name: str
    place: str
    response: str
    tags: str
    use: str
    others: str


def finding_row(finding: DuplicateFinding) -> FindingRow:
    likeness = finding.likeness
    named = list(dict.fromkeys(answer_name(holding.answer) for holding in finding.holdings))
    answers = " · ".join(named[:_MOST_NAMED])
    if len(named) > _MOST_NAMED:
        answers += f" · {len(named) - _MOST_NAMED} more"
    elif len(named) == 1:
        answers = named[0] + plural(len(finding.holdings), "", ", {n} times")
    return FindingRow(
        likeness,
        LIKENESSES[likeness],
        finding.holdings[0].trigger,
        answers,
        numbers.rough_chance(finding.spelling) if likeness.is_near else "",
        numbers.rough_chance(finding.meaning) if likeness.is_near else "",
    )


def holding_cards(finding: DuplicateFinding) -> tuple[HoldingCard, ...]:
    """Make the cards of a finding, with differing words marked."""
    marked = differing_words([holding.trigger for holding in finding.holdings])
    return tuple(_card(holding, words_) for holding, words_ in zip(finding.holdings, marked, strict=True))


def _card(holding: TriggerUse, marked: Marked) -> HoldingCard:
    answer = holding.answer
    if isinstance(answer, Memory):
        tags = ", ".join(answer.tags)
        use = f"success {success_text(answer)}, {marked_right(answer)}"
        place, response, others = answer.namespace, answer.response, len(answer.triggers) - 1
        name = answer_name(answer)
    else:
        tags, use, place = "", "a power has no success score", "power"
        response, others, name = answer.description, len(answer.examples) - 1, answer.name
    more = quantity(others, "more trigger") if others else "its only trigger"
    return HoldingCard(answer.kind, holding.trigger, marked, name, place, response, tags, use, more)


def differing_words(triggers: Sequence[str]) -> tuple[Marked, ...]:
    """Mark the words of each trigger that the others lack; case and punctuation are ignored."""
    split = [trigger.split() for trigger in triggers]
    counted = [Counter(without_punctuation(word) for word in own) for own in split]
    shared = counted[0].copy()
    for counts in counted[1:]:
        shared &= counts
    split_marked = []
    for own in split:
        left = shared.copy()
        marked = []
        for word in own:
            bare = without_punctuation(word)
            marked.append((word, bool(bare) and left[bare] <= 0))
            left[bare] -= 1
        split_marked.append(tuple(marked))
    return tuple(split_marked)


def explanation(finding: DuplicateFinding) -> str:
    """Return what a finding means, in a sentence."""
    answers = len({holding.meant for holding in finding.holdings})
    match finding.likeness:
        case DuplicateKind.CONFLICT:
            said = "The same trigger under {n} answers. A query like it scores the same for each of them."
            return plural(answers, "", said)
        case DuplicateKind.NEAR_CONFLICT:
            return "Nearly the same trigger under two answers. A query like one may resolve to the other."
        case DuplicateKind.DUPLICATE:
            count = len(finding.holdings)
            return plural(count, "", "The same trigger {n} times under one answer. One of them is enough.")
        case DuplicateKind.NEAR_DUPLICATE:
            return "Nearly the same trigger twice under one answer. One of them may be enough."


def counts(found: Sequence[DuplicateFinding], left_out: Mapping[DuplicateKind, int]) -> dict[DuplicateKind, int]:
    """Count the findings of each kind, including those that are not listed."""
    listed = Counter(finding.likeness for finding in found)
    return {likeness: listed[likeness] + left_out.get(likeness, 0) for likeness in DuplicateKind}


def counts_line(counted: Mapping[DuplicateKind, int]) -> str:
    """Return the counts of findings in a line, most urgent first; zeros are left out."""
    parts = [quantity(n, LIKENESSES[one].lower()) for one, n in counted.items() if n]
    return " · ".join(parts) or "nothing found"


def searched_line(findings: Findings, least: SimilarityThresholds) -> str:
    """Return what was compared, and what could not be compared by vectors."""
    how = f"from {least.spelling:.2f} by spelling and {least.meaning:.2f} by meaning"
    sentence = plural(findings.searched, "1 trigger was compared.", f"All {{n}} triggers were compared, {how}.")
    return " ".join(filter(None, (sentence, missing_line(findings))))


def missing_line(findings: Findings) -> str:
    """Format what was not compared by vectors, and if the list is cut; "" if complete."""
    sentence = ""
    if findings.unembedded:
        triggers = plural(findings.unembedded, "1 trigger has", "{n} triggers have")
        was = plural(findings.unembedded, "was", "were")
        sentence = f"{triggers} no vector yet and {was} compared by spelling alone."
    if findings.is_cut or findings.left_out:
        sentence += " There are too many duplicates to list all: the most alike are shown."
    return sentence.strip()


def finding_key(finding: DuplicateFinding) -> str:
    """Return the stable key of a finding, which users type.

    It is a hash of the triggers and their answers in order, so it never names another finding, and none once a trigger
    is gone.
    """
    held = "\n".join(f"{holding.answer.kind} {holding.answer.key} {holding.trigger}" for holding in finding.holdings)
    return b32encode(sha256(held.encode("utf-8", "surrogatepass")).digest())[:KEY_LETTERS].decode().lower()


def finding_lines(finding: DuplicateFinding) -> list[str]:
    """Format a finding with its key, and its triggers with their numbers and answers."""
    shown, key = finding_row(finding), finding_key(finding)
    named = (("spelling", shown.spelling), ("meaning", shown.meaning))
    near = "".join(f", {name} {value}" for name, value in named if value)
    held = [
        f"  {key}.{place}  “{holding.trigger}”  {answer_name(holding.answer)}"
        for place, holding in enumerate(finding.holdings, 1)
    ]
    return [f"{key}  {shown.word}{near}", *held]


def finding_document(finding: DuplicateFinding) -> dict[str, object]:
    """Make the document of a finding; scores are in [0, 1], `meaning` is null if not compared."""
    return {
        "key": finding_key(finding),
        **fields_of(finding, "likeness", "spelling", "meaning"),
        "triggers": [
            {
                "place": place,
                "trigger": holding.trigger,
                "kind": holding.answer.kind.value,
                "name": holding.answer.name,
                "label": holding.answer.answer_label,
            }
            for place, holding in enumerate(finding.holdings, 1)
        ],
    }
