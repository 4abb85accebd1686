"""The conditional logit over candidates and none: fitted data for a query, and its storage.

    z(candidate) = sum of weight * feature over FEATURES
    z(none)      = weights.none + sum of weight * feature over NONE_FEATURES
    confidence   = softmax over all candidates and none

The logarithm of the ratio of two confidences is therefore a difference of sums, and each term is a contribution.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.scoring.columns.column import Floats, Singles
from app.scoring.learned.regression import PLACES, letters_of, seen_from

FEATURES = ("lr", "semantic", "description", "bm25", "centroid", "fuzzy")
"""Features of a candidate.

- lr: the regression's log-probability of its label among all labels, at least FLOOR
- semantic: the cosine of its best trigger, in [0, 1]
- description: the cosine of what a power says that it does (app.scoring.columns.descriptions)
- bm25: the BM25 of its best trigger divided by that of a perfect match, in [0, 1]
- centroid: the cosine of the mean of its triggers, in [0, 1]
- fuzzy: the similarity of spelling to its best trigger (app.scoring.columns.fuzzy)
"""

NONE_FEATURES = ("energy", "background")
"""Features of a query.

- energy: the logarithm of the sum of the regression's exponentials over labels
- background: the log-odds of the background class, high for text that is common everywhere
"""

FLOOR = -12.0
"""Lower bound: no label has a probability below exp(FLOOR).

One feature can therefore not rule out a label alone.
"""

NO_OUTCOMES: Singles = np.zeros((0, 2), np.float32)

VERSION = 18
"""Version of stored models, which also changes with the weights that ship: a fit starts from these."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each feature in log-odds, and the constant of none.

    The weights of a candidate's features and `background` are at least 0, `energy` is at most 0.
    """

    lr: float
    semantic: float
    description: float
    bm25: float
    centroid: float = 0.0
    fuzzy: float = 0.0
    energy: float = 0.0
    background: float = 0.0
    none: float = 0.0

    @property
    def candidate(self) -> Floats:
        """The weights of FEATURES, in their order."""
        return np.array([getattr(self, name) for name in FEATURES])


@dataclass(frozen=True, slots=True)
class LabelledFit:
    """The labelled queries in a fit, and the weights fitted without parts of them.

    `digest` is that of all, `texts` are the digests of each. The n-th of `cross_fitted` was fitted without the
    queries whose digest has the remainder n. A labelled query is judged by the weights that were fitted without it.
    """

    digest: int = 0
    texts: tuple[int, ...] = ()
    cross_fitted: tuple[Weights, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """The output of the regression for one query.

    `log_probabilities` has shape (labels,), float64, in [FLOOR, 0]; `energy` and `background` are log-odds.
    """

    log_probabilities: Floats
    energy: float
    background: float


@dataclass(frozen=True, slots=True, eq=False)
class LearnedModel:
    """The fitted model of one kind of answer. Immutable: any thread may use it.

    - `labels`: the caller's group keys, in the order of the columns; empty for a library with too many labels,
      which has no regression and the weight 0 for `lr`
    - `centre`: the centre of the taught vectors, shape (dimension,) (app.scoring.learned.regression)
    - `coefficients`: shape (labels + 1, inputs), float32, a row per label and the background last
    - `intercepts`: shape (labels + 1,)
    - `encoder`: the name of the encoder of the vectors
    - `phrases`: the number of taught phrases the weights were fitted on, 0 for the weights that ship
    - `cases`: the labelled queries in the fit
    - `known`: a sketch of the texts the weights were fitted on (app.scoring.chances)
    - `evidence`: the number of queries that count as evidence for other weights than those that ship
    - `outcomes`: the results of the queries of the folds (app.scoring.learned.logit)
    - `version`: VERSION, or an earlier one
    """

    labels: tuple[Hashable, ...]
    centre: Singles
    coefficients: Singles
    intercepts: Singles
    weights: Weights
    encoder: str = ""
    phrases: int = 0
    cases: LabelledFit = LabelledFit()
    known: tuple[int, ...] = ()
    evidence: int = 0
    outcomes: Singles = field(default_factory=lambda: NO_OUTCOMES)
    version: int = VERSION
    _of_vector: Singles = field(init=False, repr=False)
    _of_letters: Singles = field(init=False, repr=False)
    """The coefficients of the vector, and those of the letters with a row for each letter input.

    A text uses few of the letter inputs.
    """

    def __post_init__(self) -> None:
        dimension = len(self.centre)
        object.__setattr__(self, "_of_vector", np.ascontiguousarray(self.coefficients[:, :dimension]))
        object.__setattr__(self, "_of_letters", np.ascontiguousarray(self.coefficients[:, dimension:].T))

    @property
    def has_regression(self) -> bool:
        return bool(self.labels)

    def read(self, vector: Singles, words: Sequence[str]) -> Reading:
        """Return the output of the regression for a vector and the words of its text.

        The vector has length 1 and shape (dimension,).
        """
        if not self.labels:
            return Reading(np.zeros(0), 0.0, 0.0)
        letters = letters_of(words)
        here = np.flatnonzero(letters)
        logits = self._of_vector @ seen_from(vector, self.centre) + self.intercepts
        logits += letters[here] @ self._of_letters[here]
        return reading(logits.astype(np.float64))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all of it as arrays of numbers and UTF-8 bytes.

        They suit a file format that executes nothing when read. Labels must be strings, numbers or (nested) tuples
        of them.
        """
        facts = {"version": self.version, "labels": self.labels, "encoder": self.encoder}
        return {
            "centre": self.centre,
            "coefficients": self.coefficients,
            "intercepts": self.intercepts,
            "weights": np.array(astuple(self.weights)),
            "counts": np.array([self.phrases, self.cases.digest, self.evidence], np.int64),
            "cases": np.array(self.cases.texts, np.int64),
            "apart": np.array([astuple(weights) for weights in self.cases.cross_fitted]).reshape(
                -1, len(fields(Weights))
            ),
            "known": np.array(self.known, np.int64),
            "outcomes": self.outcomes,
            "facts": np.frombuffer(json.dumps(facts).encode(), np.uint8),
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> LearnedModel:
        """Return the model that `arrays` stored.

        Raises ValueError or KeyError if the arrays do not fit together.
        """
        facts = json.loads(bytes(np.asarray(arrays["facts"], np.uint8)))
        if not 0 < (version := int(facts["version"])) <= VERSION:
            raise ValueError(f"a model of version {version}, where {VERSION} is read")
        labels = tuple(map(_hashable, facts["labels"]))
        centre = np.ascontiguousarray(arrays["centre"], np.float32)
        coefficients = np.ascontiguousarray(arrays["coefficients"], np.float32)
        intercepts = np.ascontiguousarray(arrays["intercepts"], np.float32)
        rows = len(labels) + 1 if labels else 0
        if coefficients.ndim != 2 or coefficients.shape[0] != rows or intercepts.shape != (rows,):
            raise ValueError(f"{coefficients.shape} coefficients do not belong to {len(labels)} labels")
        if centre.ndim != 1 or (labels and coefficients.shape[1] != len(centre) + PLACES):
            raise ValueError(f"{coefficients.shape} coefficients do not belong to a centre of shape {centre.shape}")
        sizes = {arrays["weights"].shape, arrays["apart"].shape[1:]}
        if sizes != {(len(fields(Weights)),)}:
            raise ValueError(f"{sizes} weights, where {len(fields(Weights))} belong")
        every = np.vstack([arrays["weights"], arrays["apart"]]).astype(np.float64)
        outcomes = np.ascontiguousarray(arrays["outcomes"], np.float32)
        if outcomes.ndim != 2 or outcomes.shape[1] != NO_OUTCOMES.shape[1]:
            raise ValueError(f"outcomes of shape {outcomes.shape}, where a chance and what it is of belong")
        reals = {arrays[name].dtype.kind for name in ("centre", "coefficients", "intercepts", "weights", "outcomes")}
        parts = (centre, coefficients, intercepts, every, outcomes)
        if reals != {"f"} or not all(np.isfinite(part).all() for part in parts):
            raise ValueError("a model is made of finite real numbers")
        own, *others = (Weights(*part) for part in every.tolist())
        phrases, digest, evidence = (int(count) for count in arrays["counts"])
        known, texts = (tuple(int(digest) for digest in arrays[name]) for name in ("known", "cases"))
        cases = LabelledFit(digest, texts, tuple(others))
        counts = facts["encoder"], phrases, cases, known, evidence, outcomes, version
        return cls(labels, centre, coefficients, intercepts, own, *counts)


def _hashable(value: Any) -> Hashable:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def reading(logits: Floats) -> Reading:
    """Return the output of the regression from the logits of all labels and the background.

    The logits have shape (labels + 1,).
    """
    own, background = logits[:-1], float(logits[-1])
    top = float(own.max())
    energy = top + float(np.log(np.exp(own - top).sum()))
    return Reading(np.maximum(own - energy, FLOOR), energy, background - energy)


def readings(logits: Floats) -> tuple[Floats, Floats, Floats]:
    """Do the same as `reading` for many queries.

    Logits of shape (queries, labels + 1) give arrays of shape (queries, labels), (queries,) and (queries,).
    """
    own, background = logits[:, :-1], logits[:, -1]
    top = own.max(axis=1, keepdims=True)
    energy = top[:, 0] + np.log(np.exp(own - top).sum(axis=1))
    return np.maximum(own - energy[:, None], FLOOR), energy, background - energy
