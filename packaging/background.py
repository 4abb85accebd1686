#!/usr/bin/env python3
"""Encode the texts of resources/datasets/background.txt to background.npz of the encoder.

    python packaging/background.py

With another encoder or other texts, the program computes these vectors before its first fit, in some seconds.
"""

from __future__ import annotations

import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
TEXTS = PROJECT / "resources" / "datasets" / "background.txt"
FILE = PROJECT / "resources" / "encoders" / "intentscope-minilm" / "background.npz"


def main() -> None:
    sys.path.insert(0, str(PROJECT))
    from app.adapters.encoders.learned_files import FitFile
    from app.adapters.encoders.minilm import MiniLm
    from app.scoring.learned.library import UNTAUGHT, Fit
    from app.scoring.learned.taught import OutOfScopeTexts
    from app.services.engine.fit_maker import in_order, name_of

    encoder = MiniLm.load()
    texts = in_order(TEXTS.read_text("utf-8").splitlines())
    compared, learned = encoder.encode_layers(texts)
    FitFile(FILE).save(Fit(name_of(encoder), UNTAUGHT, OutOfScopeTexts(texts, learned, compared)).arrays())
    print(f"{len(texts):,} texts; {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
