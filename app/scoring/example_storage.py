"""Fitted models of examples as arrays, stored in a profile or shipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.domain.case import TaughtExample
from app.domain.encoder import Provenance
from app.scoring.columns.column import Singles
from app.scoring.example_features import ExampleWords, Prior
from app.scoring.example_model import SIGNS, ExampleModel, Sureness, Trained, indexed
from app.scoring.learned.regression import Solution

Arrays = Mapping[str, NDArray[Any]]

VERSION = 3
"""Version of the fit; increased when the same examples would give another model."""

DAMAGED = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError)
"""Exceptions raised by arrays of another content."""

NUMBERS = ("examples", "labels", "accuracy", "coverage", "precision", "threshold", "strangers")


def digest_of(examples: Sequence[TaughtExample], sources: Sequence[Provenance], *, by_subject: bool) -> str:
    """Return a digest of the examples, their vectors' provenance and the method."""
    is_drawn_here = by_subject and not all(one.is_shipped for one in examples)
    version = f"{VERSION}, those that ship may count less" if is_drawn_here else VERSION
    made = blake2b(repr((version, by_subject, tuple(sources))).encode(), digest_size=16)
    for one in examples:
        made.update(repr((one.text, one.labels, one.is_shipped)).encode("utf-8", "replace"))
    return made.hexdigest()


def arrays_of(
    model: ExampleModel,
    digest: str,
    sources: Sequence[Provenance],
    texts: Sequence[str],
    vectors: Singles,
    learned: Singles,
) -> Arrays:
    """Return the arrays of a model and its training texts' vectors.

    The vectors are float16, which is precise enough.
    """
    trained = model.trained
    return {
        "digest": np.array(digest),
        "sources": np.array(repr(tuple(sources))),
        "texts": _numbers_of(texts),
        "vectors": vectors.astype(np.float16),
        "learned": learned.astype(np.float16),
        "taken": model.taken,
        "coefficients": model.regression.coefficients,
        "intercepts": model.regression.intercepts,
        "words": np.array(list(model.words.places), np.str_),
        "telling": model.words.telling,
        "sureness": model.sureness.weights,
        "lonely": model.sureness.lonely,
        "left_out": model.left_out.astype(np.float32),
        "trained": np.array([float(getattr(trained, name)) for name in NUMBERS]),
    }


def is_of(arrays: Arrays, digest: str) -> bool:
    """Return whether the arrays have this digest."""
    return str(arrays.get("digest", "")) == digest


def restored(arrays: Arrays, examples: Sequence[TaughtExample], sources: Sequence[Provenance]) -> ExampleModel | None:
    """Restore the model of these examples; None if the arrays are damaged."""
    try:
        values = dict(zip(NUMBERS, arrays["trained"].tolist(), strict=True))
        counts = {name: int(values.pop(name)) for name in ("examples", "labels", "strangers")}
        taken = arrays["taken"].astype(np.intp)
        words = {str(word): place for place, word in enumerate(arrays["words"].tolist())}
        if taken.min(initial=0) < 0:
            return None
        model = indexed(
            [examples[place] for place in taken],
            taken,
            arrays["vectors"].astype(np.float32)[taken],
            ExampleWords(words, arrays["telling"].astype(np.float64)),
            Solution(arrays["coefficients"].astype(np.float32), arrays["intercepts"].astype(np.float32), 0),
            Sureness(arrays["sureness"].astype(np.float64), arrays["lonely"].astype(np.float64)),
            Trained(**values, **counts),
            arrays["left_out"].astype(np.float64),
        )
        return model if _is_whole(model, *(source.dimension for source in sources)) else None
    except DAMAGED:
        return None


def _is_whole(model: ExampleModel, compared: int, learned: int) -> bool:
    """Return whether the model's arrays have the right shapes and finite numbers."""
    rows, classes = model.owned.shape
    words, own, sureness = model.words, model.regression, model.sureness
    shapes = (
        (model.taken, (rows,)),
        (model.vectors, (rows, compared)),
        (words.telling, (len(words.places),)),
        (own.coefficients, (classes, learned + len(words.places))),
        (own.intercepts, (classes,)),
        (sureness.weights, (SIGNS,)),
        (sureness.lonely, (max(1, len(sureness.lonely)),)),
        (model.left_out, (rows, classes)),
    )
    are_numbers = all(bool(np.isfinite(array).all()) for array, _ in shapes)
    numbers = astuple(model.trained)
    return are_numbers and all(array.shape == shape for array, shape in shapes) and bool(np.isfinite(numbers).all())


def vectors_in(
    arrays: Arrays, texts: Sequence[str], sources: Sequence[Provenance]
) -> dict[str, tuple[Singles, Singles]]:
    """Return the stored vectors of texts: the one for comparison and the one for the regression."""
    if str(arrays.get("sources", "")) != repr(tuple(sources)):
        return {}
    try:
        places = {number: place for place, number in enumerate(arrays["texts"].tolist())}
        found = zip(texts, _numbers_of(texts).tolist(), strict=True)
        return {
            text: (arrays["vectors"][place].astype(np.float32), arrays["learned"][place].astype(np.float32))
            for text, number in found
            if (place := places.get(number)) is not None
        }
    except DAMAGED:
        return {}


def prior_in(arrays: Arrays, sources: Sequence[Provenance]) -> Prior | None:
    """Return the stored prior for vectors of these sources; None if missing."""
    found = Prior.of_arrays(arrays) if str(arrays.get("sources", "")) == repr(tuple(sources)) else None
    return found if found is not None and found.vectors.shape[1] == sources[-1].dimension else None


def _numbers_of(texts: Sequence[str]) -> NDArray[np.uint64]:
    digests = (blake2b(text.encode("utf-8", "replace"), digest_size=8).digest() for text in texts)
    return np.array([int.from_bytes(one, "little") for one in digests], np.uint64)
