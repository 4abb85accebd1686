#!/usr/bin/env python3
"""Fit resources/datasets/routes.npz and types.npz on the shipped examples.

    python packaging/lessons.py [--questions FILE]

A profile without examples of its own loads these files instead of encoding and fitting before its first answer. Run
this after a change of routes.jsonl, types.jsonl, the encoder or the learner; until then profiles fit for themselves.

FILE is NF-CATS (resources/datasets/README.md) as JSON Lines of `text` and `type`. The files keep only
means of the features of about seven similar questions; without FILE the existing means are kept. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.adapters.encoders.minilm import MiniLm
    from app.scoring.example_features import Prior
    from app.scoring.example_model import ExampleModel

PROJECT = Path(__file__).resolve().parent.parent

MEANS = 100
"""Maximum number of means per type."""

LEAST_ALIKE = 2
"""Minimum number of questions of a mean, so that no single question is stored."""

UNTOLD, MOST_UNTOLD = ("location", "troubleshoot"), 1.0 / 3.0
"""Types that NF-CATS lacks, and the maximum chance of one of them for a question to be used."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=Path)
    arguments = parser.parse_args()
    for library in ("OMP", "OPENBLAS"):  # several threads take minutes on a busy processor
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    sys.path.insert(0, str(PROJECT))
    from app.adapters.encoders.learned_files import FitFile
    from app.adapters.encoders.minilm import MiniLm
    from app.bootstrap import LESSONS, RESOURCES, shipped_examples
    from app.domain.case import Task
    from app.domain.match import Query
    from app.scoring.example_features import Prior
    from app.scoring.example_model import fit
    from app.scoring.example_storage import arrays_of, digest_of
    from app.services.routing.routes import ROUTE_TRAINING
    from app.services.scope.types import TYPE_TRAINING

    encoder = MiniLm.load()
    sources = (encoder.provenance, encoder.layers)
    for spec in (ROUTE_TRAINING, TYPE_TRAINING):
        examples = spec.select((), set(), shipped_examples(spec.task))
        texts = [Query.of(example.text).scored for example in examples]
        vectors, learned = encoder.encode_layers(texts)
        file = RESOURCES / "datasets" / LESSONS[spec.task][1]
        prior = None
        if spec.task is Task.TYPE:
            before = FitFile(file).load() or {}
            prior = Prior.of_arrays(before)
            if arguments.questions is not None:
                alone = fit(examples, vectors, learned, by_subject=spec.by_subject)
                assert alone is not None, "what ships can be learned"
                prior = means_of(_questions(arguments.questions), encoder, alone)
        model = fit(examples, vectors, learned, by_subject=spec.by_subject, prior=prior)
        assert model is not None, "what ships can be learned"
        digest = digest_of(examples, sources, by_subject=spec.by_subject)
        arrays = dict(arrays_of(model, digest, sources, texts, vectors, learned))
        FitFile(file).save(arrays | (prior.arrays() if prior is not None else {}))
        file.chmod(0o644)
        print(f"{file.name}: {file.stat().st_size:,} bytes, right on {model.trained.accuracy:.1%} left out")


def _questions(file: Path) -> list[tuple[str, str]]:
    """Return texts with their types; "" for a text that is not a question."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    return [(row["text"], "" if row["type"] == "None" else row["type"].lower()) for row in rows]


def means_of(questions: Sequence[tuple[str, str]], encoder: MiniLm, examples: ExampleModel) -> Prior:
    """Return means of similar questions of each type, by k-means on the regression's features."""
    import numpy as np
    from sklearn.cluster import KMeans

    from app.scoring.example_features import Prior

    texts = [text for text, _ in questions]
    _, vectors = encoder.encode_layers(texts)
    rows = np.hstack([vectors, examples.words.rows(texts)])
    logits = rows @ examples.regression.coefficients.T + examples.regression.intercepts
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    untold = shares[:, [examples.labels.index(label) for label in UNTOLD]].sum(axis=1) / shares.sum(axis=1)
    parts, labels, counts = [], [], []
    for label in sorted({label for _, label in questions}):
        is_own = np.array([named == label for _, named in questions]) & (untold <= MOST_UNTOLD)
        own = rows[is_own]
        groups = KMeans(min(MEANS, len(own) // 2), n_init=3, random_state=0).fit(own).labels_
        for group in range(groups.max() + 1):
            alike = own[groups == group]
            if len(alike) < LEAST_ALIKE:
                continue
            parts.append(alike.mean(axis=0))
            labels.append(label)
            counts.append(float(len(alike)))
    made, dimension = np.stack(parts).astype(np.float32), vectors.shape[1]
    features = tuple(examples.words.places)
    return Prior(made[:, :dimension], made[:, dimension:], features, tuple(labels), np.array(counts))


if __name__ == "__main__":
    main()
