"""What a regression over labels reads of a text: its vector as seen from the middle of what is taught, and its letters.

Texts of one library lean one way together, which tells none of its labels apart; seen from their middle, a stranger's
question is short in every direction that tells labels apart. Letters tell names and forms that vectors blur: runs of
three to five within a word, each hashed to a place and a sign (Weinberger et al., ICML 2009).
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from app.scoring.learned.regression import CancelCheck
from app.scoring.learned.taught import Places, Singles
from app.scoring.text import words

PLACES = 512
"""So many numbers hold the letters of a text."""

LETTERS = 0.4
"""The length of what letters tell beside a vector of length 1."""

RUNS = (3, 4, 5)

LONGEST_WORD = 64
"""Of a longer word its beginning tells enough."""

FEW = 20.0
"""So many phrases at the middle of all texts of elsewhere count towards that of what is taught: of a handful it tells
little."""

TEXTS_AT_ONCE = 256


def centre_of(taught: Singles, elsewhere: Singles) -> Singles:
    """The middle of what is taught, shape (dimension,), of vectors of shape (phrases, dimension)."""
    whole = taught.sum(axis=0, dtype=np.float64)
    if len(elsewhere):
        whole += FEW * elsewhere.mean(axis=0, dtype=np.float64)
    found: Singles = (whole / (len(taught) + FEW)).astype(np.float32)
    return found


def inputs_of(vectors: Singles, letters: Singles, centre: Singles) -> Singles:
    """What is read of texts, shape (texts, dimension + PLACES), from (texts, dimension) and (texts, PLACES)."""
    found = np.empty((len(vectors), len(centre) + PLACES), np.float32)
    own = found[:, : len(centre)]
    np.subtract(vectors, centre, out=own)
    lengths = np.linalg.norm(own, axis=1, keepdims=True)
    np.divide(own, lengths, out=own, where=lengths > 0.0)
    found[:, len(centre) :] = letters
    return found


def letters_of_each(texts: Sequence[str], step: CancelCheck = lambda: None) -> Singles:
    """Of each text, shape (texts, PLACES); `step` is called between some."""
    found = np.empty((len(texts), PLACES), np.float32)
    for row, text in enumerate(texts):
        found[row] = letters_of(words(text))
        if row % TEXTS_AT_ONCE == 0:
            step()
    return found


def seen_from(vector: Singles, centre: Singles) -> Singles:
    """Of a vector of shape (dimension,), at length 1."""
    away = vector - centre
    length = float(np.linalg.norm(away))
    return away / np.float32(length) if length else away


def letters_of(found: Sequence[str]) -> Singles:
    """Of the words of a text, each once; shape (PLACES,), of length LETTERS unless there are none."""
    own = [_places(word[:LONGEST_WORD]) for word in dict.fromkeys(found)]
    counts = np.bincount(np.concatenate(own), minlength=2 * PLACES) if own else np.zeros(2 * PLACES)
    signed = (counts[:PLACES] - counts[PLACES:]).astype(np.float32)
    length = float(np.linalg.norm(signed))
    return signed * np.float32(LETTERS / length) if length else signed


@lru_cache(maxsize=8_192)
def _places(word: str) -> Places:
    """Where the runs of letters of a word are counted: from PLACES on those that count against."""
    marked = f"^{word}$"
    runs = (marked[first : first + size] for size in RUNS for first in range(len(marked) - size + 1))
    hashes = np.array([zlib.crc32(run.encode("utf-8", "surrogatepass")) for run in runs], np.int64)
    found: Places = (hashes % (2 * PLACES)).astype(np.intp)
    return found
