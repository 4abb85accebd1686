"""Small generated libraries: unit vectors around a direction per label, with its own words."""

from __future__ import annotations

import numpy as np

from app.scoring.columns.column import Singles
from app.scoring.learned.taught import OutOfScopeTexts, TrainingSet

DIMENSION = 24


def unit(vectors: Singles) -> Singles:
    made: Singles = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return made.astype(np.float32)


def library(labels: int, phrases: int, seed: int = 0, spread: float = 0.6) -> TrainingSet:
    rng = np.random.default_rng(seed)
    centres = unit(np.random.default_rng(99).normal(size=(labels, DIMENSION)).astype(np.float32))
    owners = np.repeat(np.arange(labels), phrases)
    noise = unit(rng.normal(size=(len(owners), DIMENSION)).astype(np.float32))
    texts = [f"topic{owner} please word{rng.integers(50)} {number}" for number, owner in enumerate(owners.tolist())]
    names = tuple(("label", f"topic {number}") for number in range(labels))
    return TrainingSet(names, owners, texts, unit(centres[owners] + spread * noise))


def background(count: int = 40, seed: int = 7) -> OutOfScopeTexts:
    rng = np.random.default_rng(seed)
    texts = [f"what is the meaning of thing{number}" for number in range(count)]
    return OutOfScopeTexts(texts, unit(rng.normal(size=(count, DIMENSION)).astype(np.float32)))


def permuted(taught: TrainingSet, seed: int = 3) -> TrainingSet:
    """Return the same phrases in another order, with labels numbered differently."""
    rng = np.random.default_rng(seed)
    labels, rows = rng.permutation(len(taught.labels)), rng.permutation(len(taught.owners))
    numbers = np.argsort(labels)
    names = tuple(taught.labels[label] for label in labels.tolist())
    texts = [taught.texts[row] for row in rows.tolist()]
    return TrainingSet(names, numbers[taught.owners[rows]], texts, taught.vectors[rows])
