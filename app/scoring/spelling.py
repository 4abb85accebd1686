"""Spelling of a query: words that are slips of taught ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from rapidfuzz import process
from rapidfuzz.distance import OSA

from app.scoring.text import singular

SHORTEST, LONG = 4, 8
"""Minimum number of letters of a word that is corrected, and of one with two slips."""

MOST_WORDS = 32
"""Maximum number of different unknown words of a query that are looked up."""

_WORD = re.compile(rf"(?<![\w./\\@#-])[^\W\d_]{{{SHORTEST},}}(?![\w/\\@-]|\.\w)")
"""Words of letters alone that are no parts of addresses, paths and names."""


class Spelling:
    """Corrects words that are neither taught nor a token of the encoder to the nearest taught word.

    `taught` has the number of triggers with each word, in lower case and singular; `lengths` counts tokens of texts.
    The first letter counts as right. All other words stay, and so does every taught text.
    """

    def __init__(self, taught: Mapping[str, int], lengths: Callable[[Sequence[str]], list[int]]) -> None:
        self._taught = {word: often for word, often in taught.items() if len(word) >= SHORTEST and word.isalpha()}
        self._by_letter: dict[str, list[str]] = {}
        for word in self._taught:
            self._by_letter.setdefault(word[0], []).append(word)
        self._lengths = lengths
        self._found: dict[str, str] = {}

    def corrected(self, text: str) -> str:
        """Return the text with each slip replaced by the taught word, in lower case."""
        return _WORD.sub(partial(self._replaced, set()), text)

    def _replaced(self, looked_up: set[str], match: re.Match[str]) -> str:
        word = match.group().lower()
        if word in self._taught or singular(word) in self._taught:
            return match.group()
        if word not in self._found:
            if len(looked_up) == MOST_WORDS:
                return match.group()
            looked_up.add(word)
            self._found[word] = self._look_up(word)
        return self._found[word] or match.group()

    def _look_up(self, word: str) -> str:
        """Return the nearest taught word, the most frequent of several; "" without one or for a token."""
        taught, most = self._by_letter.get(word[0], ()), 1 if len(word) < LONG else 2
        near = process.extract(word, taught, scorer=OSA.distance, score_cutoff=most, limit=None)
        if not near:
            return ""
        token, own = self._lengths(["a", word])
        return "" if own <= token else min(near, key=lambda one: (one[1], -self._taught[one[0]], one[0]))[0]
