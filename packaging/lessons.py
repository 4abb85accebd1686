#!/usr/bin/env python3
"""Make resources/datasets/routes.npz and types.npz anew: what is learned of the examples that ship.

    python packaging/lessons.py

A profile that teaches nothing else finds it there, with the vectors of the examples, and neither encodes nor fits
anything before its first answer. Run it after an edit of routes.jsonl or types.jsonl, another encoder, or another way
of learning; until then profiles learn by themselves.
"""

from __future__ import annotations

import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def main() -> None:
    sys.path.insert(0, str(PROJECT))
    from app.adapters.encoders.learned_files import FitFile
    from app.adapters.encoders.minilm import MiniLm
    from app.bootstrap import LESSONS, RESOURCES, shipped_examples
    from app.domain.match import Query
    from app.scoring.examples.kept import arrays_of, digest_of
    from app.scoring.examples.model import fit
    from app.services.engine.example_voters import TYPE_TRAINING
    from app.services.routing.routes import ROUTE_TRAINING

    encoder = MiniLm.load()
    sources = (encoder.provenance, encoder.layers)
    for lesson in (ROUTE_TRAINING, TYPE_TRAINING):
        examples = lesson.gathered((), set(), shipped_examples(lesson.task))
        texts = [Query.of(example.text).scored for example in examples]
        vectors, learned = encoder.encode_layers(texts)
        model = fit(examples, vectors, learned, by_subject=lesson.by_subject)
        assert model is not None, "what ships can be learned"
        digest = digest_of(examples, sources, by_subject=lesson.by_subject)
        file = RESOURCES / "datasets" / LESSONS[lesson.task][1]
        FitFile(file).save(arrays_of(model, digest, sources, texts, vectors, learned))
        file.chmod(0o644)
        print(f"{file.name}: {file.stat().st_size:,} bytes, right on {model.trained.accuracy:.1%} left out")


if __name__ == "__main__":
    main()
