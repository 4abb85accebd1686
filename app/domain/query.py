"""What a person typed, and the part of it that is scored."""

from __future__ import annotations

from dataclasses import dataclass

SCORED_CHARACTERS = 2_000
"""Longer queries are scored on this many leading code points, and say so."""


@dataclass(frozen=True, slots=True)
class Query:
    """A typed text (`text`), the part that is scored (`scored`) and sentences on what was left out (`notes`)."""

    text: str
    scored: str
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Query:
        """Take any text at all: lone surrogates are replaced, and only a stated prefix of a long text is scored."""
        notes: list[str] = []
        scored = text
        if len(scored) > SCORED_CHARACTERS:
            notes.append(f"Only the first {SCORED_CHARACTERS:,} of {len(text):,} characters are scored.")
            scored = scored[:SCORED_CHARACTERS]
        clean = without_lone_surrogates(scored)
        if clean != scored:
            notes.append("Characters that are no valid Unicode were replaced by “\N{REPLACEMENT CHARACTER}”.")
        return cls(text, clean, tuple(notes))

    @property
    def is_empty(self) -> bool:
        return not self.scored.strip()


def without_lone_surrogates(text: str) -> str:
    """The text with every lone surrogate, which no encoder or store accepts, replaced by U+FFFD; same length."""
    if text.isascii():
        return text
    return "".join("\N{REPLACEMENT CHARACTER}" if "\ud800" <= c <= "\udfff" else c for c in text)
