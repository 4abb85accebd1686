"""Character alignment of two texts, as the fuzzy scorer compares them.

Only for the displayed match, not for each key press.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from app.scoring.text import tokens


@dataclass(frozen=True, slots=True)
class SortedWord:
    """Word after sorting.

    `edits` counts its characters, and the space after it, that are not in the other text. `partner` is the position
    of the other text's word that shares most of its letters, if that is most of both words.
    """

    text: str
    edits: int
    partner: int | None = None


@dataclass(frozen=True, slots=True)
class Aligned:
    """Words of both texts in sorted order; the score is 1 - `edits` / `letters`.

    Every edit belongs to one word; `letters` counts both sorted texts with spaces.
    """

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
    """Align a query with a trigger as `token_sort_ratio` does (S2.3)."""
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
    """Yield the positions of each letter of a longest common subsequence."""
    for block in LCSseq.opcodes(text, other):
        if block.tag == "equal":
            yield from zip(range(block.src_start, block.src_end), range(block.dest_start, block.dest_end), strict=True)


def _owners(words: list[str]) -> list[int]:
    """Return the word of each letter of the joined text; a space belongs to the word before it."""
    owners = [place for place, word in enumerate(words) for _ in range(len(word) + 1)]
    return owners[:-1]


def _partners(shared: dict[tuple[int, int], int], mine: list[str], theirs: list[str]) -> dict[int, int]:
    """Pair words by most shared letters, each at most once, with at least half of both."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    for (first, second), letters in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        is_most = 2 * letters > max(len(mine[first]), len(theirs[second]))
        if is_most and first not in found and second not in taken:
            found[first] = second
            taken.add(second)
    return found


def _words(words: list[str], met: list[int], partners: dict[int, int]) -> tuple[SortedWord, ...]:
    """Build the words; the space after a word counts as its own, except after the last."""
    last = len(words) - 1
    return tuple(
        SortedWord(word, len(word) + (place < last) - met[place], partners.get(place))
        for place, word in enumerate(words)
    )
