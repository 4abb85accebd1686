"""SCORERS: all scorers by name, in display order."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.library import Kind


@dataclass(frozen=True, slots=True)
class Scorer:
    """Row of SCORERS: display texts, need of an encoder, and kinds of answers.

    `per_trigger`: each trigger is scored, and the best counts (S2.8); else the answer as a whole.
    """

    name: str
    title: str
    initial: str
    summary: str
    needs_encoder: bool = False
    per_trigger: bool = True
    kinds: tuple[Kind, ...] = (Kind.MEMORY, Kind.POWER)
    only_under: str = ""
    """The only combination that uses and shows it; "" for all."""


SCORERS: dict[str, Scorer] = {
    row.name: row
    for row in (
        Scorer("exact", "Exact", "E", "The same text, case, punctuation and spaces apart."),
        Scorer("fuzzy", "Fuzzy", "F", "Similar spelling, whatever the order of the words."),
        Scorer("token_overlap", "Token", "T", "Shared words."),
        Scorer("bm25", "Rare words", "R", "Shared words, the rare ones above all.", only_under="learned"),
        Scorer("semantic", "Semantic", "S", "Similar meaning of one trigger.", needs_encoder=True),
        Scorer(
            "centroid",
            "Centroid",
            "C",
            "Similar meaning to all that is taught under one answer.",
            needs_encoder=True,
            per_trigger=False,
        ),
        Scorer(
            "description",
            "Description",
            "D",
            "Similar meaning to what the power says that it does; in a short query also to its name and keywords.",
            needs_encoder=True,
            per_trigger=False,
            kinds=(Kind.POWER,),
            only_under="learned",
        ),
        Scorer(
            "regression",
            "Learned",
            "L",
            "How likely the answer is by what was learned from all that is taught.",
            needs_encoder=True,
            per_trigger=False,
            only_under="learned",
        ),
        Scorer("keyword", "Keyword", "K", "A keyword that the power declares.", per_trigger=False, kinds=(Kind.POWER,)),
    )
}


def scorers_under(combination: str) -> tuple[str, ...]:
    """Return the scorers shown under a combination, in order."""
    return tuple(row.name for row in SCORERS.values() if row.only_under in ("", combination))
