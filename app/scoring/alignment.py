"""Two texts letter by letter, as the scorer of spelling compares them: what both have in order, and what one has alone.

For the one match that a person looks at; no keystroke waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from app.scoring.text import tokens


@dataclass(frozen=True, slots=True)
class SortedWord:
    """One word in its place after sorting; `edits` of its letters, and of the space behind it, the other text lacks.

    `partner` is the place of the other text's word that shares most of its letters, if that is most of both words.
    """

    text: str
    edits: int
    partner: int | None = None


@dataclass(frozen=True, slots=True)
class Aligned:
    """Both texts' words in sorted order. The score is 1 - `edits` / `letters`: every edit belongs to one word, and
    `letters` counts both sorted texts, the spaces between their words included."""

    query: tuple[SortedWord, ...]
    trigger: tuple[SortedWord, ...]
    letters: int

    @property
    def edits(self) -> int:
        return sum(word.edits for word in (*self.query, *self.trigger))

    @property
    def score(self) -> float:
        return 1.0 - self.edits / self.letters if self.letters else 1.0


def aligned(query: str, trigger: str) -> Aligned:
    """Lay a query beside a trigger as `token_sort_ratio` does (S2.3)."""
    mine, theirs = sorted(tokens(query)), sorted(tokens(trigger))
    text, other = " ".join(mine), " ".join(theirs)
    own, foreign = _owners(mine), _owners(theirs)
    shared: dict[tuple[int, int], int] = {}
    kept, met = [0] * len(mine), [0] * len(theirs)
    for here, there in _pairs(text, other):
        first, second = own[here], foreign[there]
        kept[first] += 1
        met[second] += 1
        if text[here] != " ":
            shared[first, second] = shared.get((first, second), 0) + 1
    partners = _partners(shared, mine, theirs)
    back = {second: first for first, second in partners.items()}
    return Aligned(_words(mine, kept, partners), _words(theirs, met, back), len(text) + len(other))


def _pairs(text: str, other: str) -> Iterator[tuple[int, int]]:
    """The places of each letter of a longest common subsequence."""
    for block in LCSseq.opcodes(text, other):
        if block.tag == "equal":
            yield from zip(range(block.src_start, block.src_end), range(block.dest_start, block.dest_end), strict=True)


def _owners(words: list[str]) -> list[int]:
    """The place of the word that each letter of the joined text belongs to; a space belongs to the word before it."""
    owners = [place for place, word in enumerate(words) for _ in range(len(word) + 1)]
    return owners[:-1]


def _partners(shared: dict[tuple[int, int], int], mine: list[str], theirs: list[str]) -> dict[int, int]:
    """Words that meet: each with at most one, the most letters first, and never with less than half of either."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    for (first, second), letters in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        is_most = 2 * letters > max(len(mine[first]), len(theirs[second]))
        if is_most and first not in found and second not in taken:
            found[first] = second
            taken.add(second)
    return found


def _words(words: list[str], met: list[int], partners: dict[int, int]) -> tuple[SortedWord, ...]:
    """The space behind a word counts as its own; behind the last there is none."""
    last = len(words) - 1
    return tuple(
        SortedWord(word, len(word) + (place < last) - met[place], partners.get(place))
        for place, word in enumerate(words)
    )
