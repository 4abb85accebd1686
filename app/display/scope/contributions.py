"""Lexical scores of a match by word: the displayed parts add up to the score (S2.2 to S2.8).

Computed from the texts of the selected match. If the parts do not give the score (the trigger was edited meanwhile),
words are shown without arithmetic. Scoring modules are imported where they are used, since they import heavy libraries
that the engine has loaded by then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from app.display import numbers, words
from app.domain.inspection import AblatedWord, AblationResult, AnswerFlip, WordImportance
from app.domain.language import plural
from app.domain.match import Match, MatchedKeyword

if TYPE_CHECKING:
    from app.scoring.columns.fuzzy import SortedWord


JACCARD_WEIGHT, COVERAGE_WEIGHT = 0.4, 0.6
"""Weights of S2.4."""
IDENTICAL, BUT_CASE, BUT_PUNCTUATION = 1.0, 0.98, 0.95
"""Scores of S2.2."""
ALONE_OR_SHARED, SHARED_OUT, FURTHER_KEYWORD, NAME_SCORE = 0.5, 0.4, 0.02, 0.95
"""Scores of S2.7."""
MOST_SHOWN = 3
"""Maximum number of keywords with a sentence of their own."""
MOST_WORDS = 60
"""Maximum number of displayed words of a text; the arithmetic counts all."""

_NEARLY = 1e-9
_DIGITS = range(numbers.SCORE_DIGITS, 13)


class Part(StrEnum):
    """Relation of a word to the other text: present, nearly present, or absent."""

    SAME = "same"
    CLOSE = "close"
    ALONE = "alone"


@dataclass(frozen=True, slots=True)
class Word:
    """One word, its relation, and what it adds or costs, as text ("" for nothing)."""

    text: str
    part: Part
    note: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """Row of words; `title` tells which text they are from."""

    title: str
    words: tuple[Word, ...]
    more: int = 0
    """Number of omitted words."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """One scorer's score by word, against its trigger: rows of words, and the sum.

    `arithmetic` gives the displayed `score`; "" if the words do not.
    """

    scorer: str
    score: str
    rows: tuple[Words, ...] = ()
    sentence: str = ""
    arithmetic: str = ""


def contributions(query: str, match: Match) -> tuple[Contribution, ...]:
    """Return every lexical score of a match, in scorer order."""
    makers = {"exact": _exact, "fuzzy": _fuzzy, "token_overlap": _token_overlap}
    found: list[Contribution] = []
    for scorer, score in match.scores.items():
        trigger = match.best_trigger.get(scorer)
        if score and scorer == "keyword" and match.keywords:
            found.append(_keyword(match.keywords, score))
        elif score and trigger and scorer in makers:
            found.append(makers[scorer](query, trigger, score))
    return tuple(found)


# ---- exact


def _exact(query: str, trigger: str, score: float) -> Contribution:
    level, sentence = exact_level(query, trigger)
    return Contribution("exact", numbers.score(score), sentence=sentence if level == score else "")


def exact_level(query: str, trigger: str) -> tuple[float, str]:
    """Return the exact score that a trigger reaches, and its sentence; 0 and "" for none."""
    from app.scoring.text import without_punctuation

    if query == trigger:
        return IDENTICAL, "Identical, sign for sign."
    if query.lower() == trigger.lower():
        return BUT_CASE, "Identical but for upper and lower case."
    if without_punctuation(query) == without_punctuation(trigger):
        return BUT_PUNCTUATION, "Identical but for punctuation, spaces and case."
    return 0.0, ""


# ---- token overlap


def _token_overlap(query: str, trigger: str, score: float) -> Contribution:
    from app.scoring.text import tokens

    asked, held = tokens(query), set(tokens(trigger))
    mine = set(asked)
    both = mine & held
    each, sentence = "", ""
    if both and _is_overlap(len(both), len(mine | held), len(mine), score):
        # what one shared word adds, with digits that add up to the displayed score
        each = each_of(len(both), score, JACCARD_WEIGHT / len(mine | held) + COVERAGE_WEIGHT / len(mine))
    if each:
        sentence = f"{plural(len(both), 'The shared word', 'Each of {n} shared words')} adds {each}."
    shown = [
        Word(text, Part.SAME if token in both else Part.ALONE) for text, token in zip(query.split(), asked, strict=True)
    ]
    missing = [Word(token, Part.ALONE) for token in dict.fromkeys(tokens(trigger)) if token not in mine]
    rows = [_row("Query", shown)]
    if missing:
        rows.append(_row("Only in the trigger", missing))
    return Contribution(
        "token_overlap",
        numbers.score(score),
        tuple(rows),
        sentence,
        _fractions(len(both), len(mine | held), len(mine), score),
    )


def _fractions(both: int, union: int, asked: int, score: float) -> str:
    if not _is_overlap(both, union, asked, score):
        return ""
    times = numbers.TIMES
    return f"{JACCARD_WEIGHT} {times} {both}/{union} + {COVERAGE_WEIGHT} {times} {both}/{asked}"


def _is_overlap(both: int, union: int, asked: int, score: float) -> bool:
    if not union or not asked:
        return False
    return abs(JACCARD_WEIGHT * both / union + COVERAGE_WEIGHT * both / asked - score) < _NEARLY


def each_of(count: int, score: float, value: float) -> str:
    """Format a value that makes a score when added `count` times, with the fewest digits."""
    target = numbers.score(score)
    decimals = len(target.partition(".")[2])
    for digits in _DIGITS:
        text = f"{value:.{digits}f}"
        whole = math.fsum([float(text)] * count)
        if f"{whole:.{decimals}f}" == target or not target[0].isdigit():
            return text
    return f"{value:.{_DIGITS[-1]}f}"


# ---- fuzzy


def _fuzzy(query: str, trigger: str, score: float) -> Contribution:
    from app.scoring.columns.fuzzy import aligned

    found = aligned(query, trigger)
    fits = abs(found.score - score) < _NEARLY
    edits = f"{found.edits:,} edits, each a letter or a space, make the sorted texts one; beside each word are its own."
    if found.edits == 1:
        edits = "1 edit, a letter or a space, makes the sorted texts one."
    return Contribution(
        "fuzzy",
        numbers.score(score),
        (
            _row("Query, sorted", _sorted_words(found.query, found.trigger)),
            _row("Trigger, sorted", _sorted_words(found.trigger, found.query)),
        )[: 2 if found.edits else 1],
        edits if found.edits else "The same words, whatever their order.",
        f"1 {numbers.MINUS} {found.edits}/{found.letters}" if fits and found.edits else "",
    )


def _sorted_words(mine: Sequence[SortedWord], theirs: Sequence[SortedWord]) -> list[Word]:
    """Return the words of one text; an unpaired word may cost nothing, by others' letters."""
    found: list[Word] = []
    for word in mine:
        other = theirs[word.partner].text if word.partner is not None else None
        part = Part.ALONE if other is None else Part.SAME if other == word.text else Part.CLOSE
        found.append(Word(word.text, part, f"{word.edits}" if word.edits else ""))
    return found


# ---- keyword


def _keyword(held: Sequence[MatchedKeyword], score: float) -> Contribution:
    """Explain the best keyword, 0.02 per further one, and the cap; a name is not a further one."""
    first = held[0]
    further = [other for other in held[1:] if other.holders is not None]
    best = NAME_SCORE if first.holders is None else ALONE_OR_SHARED + SHARED_OUT / first.holders
    whole = best + FURTHER_KEYWORD * len(further)
    fits = abs(min(1.0, whole) - score) < _NEARLY
    shown = [Word(first.keyword, Part.SAME, numbers.score(best))]
    shown += [Word(other.keyword, Part.SAME, f"+{FURTHER_KEYWORD}") for other in further]
    return Contribution(
        "keyword",
        numbers.score(score),
        (_row("Keywords in the query", shown),),
        " ".join(_holders_words(one) for one in (first, *further)[:MOST_SHOWN]),
        _keyword_sum(first, len(further), capped=whole > 1.0) if fits else "",
    )


def _keyword_sum(first: MatchedKeyword, further: int, *, capped: bool) -> str:
    """Return the sum; "" for a single number."""
    if first.holders is None and not further:
        return ""
    text = f"{NAME_SCORE}" if first.holders is None else f"{ALONE_OR_SHARED} + {SHARED_OUT}/{first.holders}"
    if further:
        text = f"{text} + {further} {numbers.TIMES} {FURTHER_KEYWORD}"
    return f"min({text}, 1)" if capped else text


def _holders_words(held: MatchedKeyword) -> str:
    if held.holders is None:
        return f"“{held.keyword}” is the power’s name."
    if held.holders == 1:
        return f"“{held.keyword}” is declared by this power alone."
    return f"“{held.keyword}” is shared by {held.holders:,} powers." if held.holders != 1 else ""


def _row(title: str, shown: Sequence[Word]) -> Words:
    return Words(title, tuple(shown[:MOST_WORDS]), max(0, len(shown) - MOST_WORDS))


@dataclass(frozen=True, slots=True)
class WordRow:
    """One word, its effect on the confidence (text, and in [-1, 1]), and the answer without it."""

    text: str
    adds: str
    share: float
    instead: str


def word_rows(counts: WordImportance) -> tuple[WordRow, ...]:
    """Return every word in query order."""
    whole = counts.whole.confidence or 0.0
    return tuple(_word_row(counts, word, whole - (word.found.confidence or 0.0)) for word in counts.words)


def _word_row(counts: WordImportance, word: AblatedWord, adds: float) -> WordRow:
    found, instead = word.found, []
    if found.given != counts.whole.given:
        instead.append(found.given or "no answer")
    if found.type is not counts.whole.type:
        instead.append("no type" if found.type is None else words.type_word(found.type))
    return WordRow(word.word, numbers.signed(round(adds, numbers.SCORE_DIGITS)), adds, ", ".join(instead))


def flip_sentences(counts: WordImportance) -> tuple[str, ...]:
    """Return the smallest changes of words, or of an LLM's answer, that change the outcome."""
    said = []
    if counts.answer_flip is not None:
        said.append(_without(counts.answer_flip, counts.answer_flip.becomes or "no answer"))
    if counts.type_flip is not None:
        becomes = counts.type_flip.becomes
        said.append(_without(counts.type_flip, words.type_word(becomes) if becomes else "no type"))
    if counts.llm.another is not None:
        least = numbers.chance(counts.llm.another)
        said.append(f"If the LLM names another type with {least} or more, it decides.")
    if counts.llm.surfaces is not None:
        least = numbers.chance(counts.llm.surfaces)
        said.append(f"If the LLM names the same type with {least} or more, memories are injected.")
    if counts.left:
        n = counts.left
        said.append(plural(n, "{n} word further on was not left out.", "{n} words further on were not left out."))
    return tuple(said)


def _without(flip: AnswerFlip, becomes: str) -> str:
    named = ", ".join(f"“{word}”" for word in flip.without)
    return f"Without {named} it is {becomes}."


def word_lines(counts: WordImportance) -> list[str]:
    if not counts.words:
        return []
    of = f"Where the words count, for {counts.name}:" if counts.name else "Where the words count:"
    wide = max(len(word.word) for word in counts.words)
    rows = [f"  {row.text:{wide}}  {row.adds:>6}  {row.instead}".rstrip() for row in word_rows(counts)]
    return [of, *rows, *(f"  {sentence}" for sentence in flip_sentences(counts))]


def words_document(counts: WordImportance) -> dict[str, Any]:
    """Make the document: every scorer with and without each word."""
    return {
        "of": counts.name or None,
        "whole": _found(counts.whole),
        "without": [{"word": word.word, "span": list(word.span), **_found(word.found)} for word in counts.words],
        "left": counts.left,
        "answer_flip": _flip(counts.answer_flip),
        "type_flip": _flip(counts.type_flip),
        "llm": {"another_type_from": counts.llm.another, "surfaces_from": counts.llm.surfaces},
    }


def _found(found: AblationResult) -> dict[str, Any]:
    return {
        "given": found.given or None,
        "confidence": found.confidence,
        "scores": dict(found.scores),
        "type": None if found.type is None else found.type.value,
        "type_confidence": found.type_confidence,
    }


def _flip(flip: AnswerFlip | None) -> dict[str, Any] | None:
    return None if flip is None else {"without": list(flip.without), "becomes": flip.becomes or None}
