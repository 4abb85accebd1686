"""The input of the regression for a text: its vector relative to a centre, and its letters.

The vectors of one library have a common direction, which does not help to tell its labels apart. Relative to their
centre, an out-of-scope query is short in every direction that separates labels. Letters identify names and word
forms that vectors do not separate: runs of three to five letters within a word, each hashed to a position and a
sign (Weinberger et al., ICML 2009).
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
"""Number of inputs for the letters of a text."""

LETTERS = 0.4
"""The length of the letter inputs, beside a vector of length 1."""

RUNS = (3, 4, 5)

LONGEST_WORD = 64
"""Only this many letters of a longer word are used."""

FEW = 20.0
"""Weight, in phrases, of the background texts in the centre.

The mean of a few taught phrases is not reliable by itself.
"""

TEXTS_AT_ONCE = 256


def centre_of(taught: Singles, elsewhere: Singles) -> Singles:
    """Return the centre of the taught vectors, shape (dimension,).

    The vectors have shape (phrases, dimension).
    """
    whole = taught.sum(axis=0, dtype=np.float64)
    if len(elsewhere):
        whole += FEW * elsewhere.mean(axis=0, dtype=np.float64)
    found: Singles = (whole / (len(taught) + FEW)).astype(np.float32)
    return found


def inputs_of(vectors: Singles, letters: Singles, centre: Singles) -> Singles:
    """Return the inputs of texts, shape (texts, dimension + PLACES).

    `vectors` has shape (texts, dimension), `letters` (texts, PLACES).
    """
    found = np.empty((len(vectors), len(centre) + PLACES), np.float32)
    own = found[:, : len(centre)]
    np.subtract(vectors, centre, out=own)
    lengths = np.linalg.norm(own, axis=1, keepdims=True)
    np.divide(own, lengths, out=own, where=lengths > 0.0)
    found[:, len(centre) :] = letters
    return found


def letters_of_each(texts: Sequence[str], step: CancelCheck = lambda: None) -> Singles:
    """Return the letter inputs of each text, shape (texts, PLACES).

    `step` is called between some of them.
    """
    found = np.empty((len(texts), PLACES), np.float32)
    for row, text in enumerate(texts):
        found[row] = letters_of(words(text))
        if row % TEXTS_AT_ONCE == 0:
            step()
    return found


def seen_from(vector: Singles, centre: Singles) -> Singles:
    """Return a vector of shape (dimension,) relative to the centre, at length 1."""
    away = vector - centre
    length = float(np.linalg.norm(away))
    return away / np.float32(length) if length else away


def letters_of(found: Sequence[str]) -> Singles:
    """Return the letter inputs of the words of a text, each word once.

    The shape is (PLACES,), the length LETTERS unless there are no words.
    """
    own = [_places(word[:LONGEST_WORD]) for word in dict.fromkeys(found)]
    counts = np.bincount(np.concatenate(own), minlength=2 * PLACES) if own else np.zeros(2 * PLACES)
    signed = (counts[:PLACES] - counts[PLACES:]).astype(np.float32)
    length = float(np.linalg.norm(signed))
    return signed * np.float32(LETTERS / length) if length else signed


@lru_cache(maxsize=8_192)
def _places(word: str) -> Places:
    """Return the positions for the runs of letters of a word.

    Positions from PLACES on count with a negative sign.
    """
    marked = f"^{word}$"
    runs = (marked[first : first + size] for size in RUNS for first in range(len(marked) - size + 1))
    hashes = np.array([zlib.crc32(run.encode("utf-8", "surrogatepass")) for run in runs], np.int64)
    found: Places = (hashes % (2 * PLACES)).astype(np.intp)
    return found
