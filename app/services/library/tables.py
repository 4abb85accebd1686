"""Whether the lines of a file are a test: text and label alone do not tell what teaches from what it is judged by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

TEST_WORDS = frozenset(
    ("case", "cases", "dev", "eval", "evaluate", "evaluation", "gold", "held", "heldout", "holdout", "queries", "query",
     "test", "testing", "tests", "valid", "validation")
)  # fmt: skip
"""Words of file names that people give to what they judge by."""

MANY = 0.1
"""From this share of texts on that are cases already, the others may be a test, too."""

LOOKED_AT = 2_000
"""So many texts of a file are compared with the cases."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Why what would be taught may be a test: a word of the file's name, and how many of so many texts are cases."""

    word: str = ""
    cases: int = 0
    of: int = 0

    @property
    def are_cases(self) -> bool:
        """Whether so many are cases that this alone suggests it."""
        return self.of > 0 and self.cases >= max(1, MANY * self.of)

    def __bool__(self) -> bool:
        return bool(self.word) or self.are_cases


def word_of_tests(name: str) -> str:
    """The word of a file's name that suggests a test; "" for none."""
    words = re.split(r"[^a-z]+", PurePath(name).stem.lower())
    return next((word for word in words if word in TEST_WORDS), "")


def suspicion(name: str, texts: Sequence[str], cases: frozenset[str]) -> Suspicion:
    """What a file's name and its first texts suggest, beside those of them that are cases."""
    seen = list(dict.fromkeys(texts))[:LOOKED_AT]
    return Suspicion(word_of_tests(name), sum(text in cases for text in seen), len(seen))
