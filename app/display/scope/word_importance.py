"""Word importance as rows, lines and a document: the effect of removing each word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.display import numbers, words
from app.domain.language import plural
from app.domain.scope.inspection import AblatedWord, AblationResult, AnswerFlip, WordImportance


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
    return tuple(_row(counts, word, whole - (word.found.confidence or 0.0)) for word in counts.words)


def _row(counts: WordImportance, word: AblatedWord, adds: float) -> WordRow:
    found, instead = word.found, []
    if found.given != counts.whole.given:
        instead.append(found.given or "no answer")
    if found.type is not counts.whole.type:
        instead.append(_type(found))
    return WordRow(word.word, numbers.signed(round(adds, numbers.SCORE_DIGITS)), adds, ", ".join(instead))


def _type(found: AblationResult) -> str:
    return "no type" if found.type is None else words.type_word(found.type)


def flip_sentences(counts: WordImportance) -> tuple[str, ...]:
    """Return the smallest changes of words, or of an LLM's answer, that change the outcome."""
    said = []
    if counts.answer_flip is not None:
        said.append(_without(counts.answer_flip, counts.answer_flip.becomes or "no answer"))
    if counts.type_flip is not None:
        becomes = counts.type_flip.becomes
        said.append(_without(counts.type_flip, words.type_word(becomes) if becomes else "no type"))
    if counts.llm.another is not None:
        least = numbers.score(counts.llm.another)
        said.append(f"If the LLM names another type with {least} or more, it decides.")
    if counts.llm.surfaces is not None:
        least = numbers.score(counts.llm.surfaces)
        said.append(f"If the LLM names the same type with {least} or more, memories are injected.")
    if counts.left:
        n = counts.left
        said.append(plural(n, "{n} word further on was not left out.", "{n} words further on were not left out."))
    return tuple(said)


def _without(flip: AnswerFlip, becomes: str) -> str:
    named = ", ".join(f"“{word}”" for word in flip.without)
    return f"Without {named} it is {becomes}."


def word_lines(counts: WordImportance) -> list[str]:
    """Return the lines for the terminal."""
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
