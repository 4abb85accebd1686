"""What was learned of examples as arrays of numbers: kept in a profile, or shipped, instead of being fitted again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.domain.case import TaughtExample
from app.domain.encoder import Provenance
from app.scoring.examples.model import ExampleModel, Trained, indexed
from app.scoring.examples.sureness import Sureness
from app.scoring.examples.words import ExampleWords
from app.scoring.learned.regression import Solution

Arrays = Mapping[str, NDArray[Any]]
Singles = NDArray[np.float32]

VERSION = 2
"""Another one where the same examples would be learned otherwise."""

NUMBERS = ("examples", "labels", "accuracy", "coverage", "precision", "threshold", "strangers")


def digest_of(examples: Sequence[TaughtExample], sources: Sequence[Provenance], *, by_subject: bool) -> str:
    """Tells apart what is learned of these examples by these vectors from whatever else may be."""
    made = blake2b(repr((VERSION, by_subject, tuple(sources))).encode(), digest_size=16)
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
    """The arrays of a model, and the vectors of the texts that it was learned of: with half the digits, which is more
    than it can tell apart."""
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
    """Whether these are the arrays of what this tells."""
    return str(arrays.get("digest", "")) == digest


def restored(arrays: Arrays, examples: Sequence[TaughtExample]) -> ExampleModel | None:
    """The model of these arrays, which are of these examples; None where they are damaged."""
    try:
        values = dict(zip(NUMBERS, arrays["trained"].tolist(), strict=True))
        counts = {name: int(values.pop(name)) for name in ("examples", "labels", "strangers")}
        taken = arrays["taken"].astype(np.intp)
        words = {str(word): place for place, word in enumerate(arrays["words"].tolist())}
        return indexed(
            [examples[place] for place in taken],
            taken,
            arrays["vectors"].astype(np.float32)[taken],
            ExampleWords(words, arrays["telling"].astype(np.float64)),
            Solution(arrays["coefficients"].astype(np.float32), arrays["intercepts"].astype(np.float32), 0),
            Sureness(arrays["sureness"].astype(np.float64), arrays["lonely"].astype(np.float64)),
            Trained(**values, **counts),
            arrays["left_out"].astype(np.float64),
        )
    except (KeyError, IndexError, TypeError, ValueError):
        return None


def vectors_in(
    arrays: Arrays, texts: Sequence[str], sources: Sequence[Provenance]
) -> dict[str, tuple[Singles, Singles]]:
    """Of those of these texts that were learned of by vectors from there: the vector that is compared, and the one that
    a learner reads."""
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
    except (KeyError, IndexError, TypeError, ValueError):
        return {}


def _numbers_of(texts: Sequence[str]) -> NDArray[np.uint64]:
    digests = (blake2b(text.encode("utf-8", "replace"), digest_size=8).digest() for text in texts)
    return np.array([int.from_bytes(one, "little") for one in digests], np.uint64)
