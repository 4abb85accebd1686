#!/usr/bin/env python3
"""Compute layers.npy of the encoder: the directions of largest variation of joined layers.

    python packaging/layers.py

It reads only texts of this project (sample memories, powers, route examples, help pages), so no evaluation set takes
part. Each text's layers 6, 3 and 0 are joined as the encoder does; the file has the 384 eigenvectors with the largest
eigenvalues of the second moment about zero, as float16.

After a change, write the printed SHA-256 into app/adapters/encoders/minilm.py; every library then computes its second
vectors again.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

PROJECT = Path(__file__).resolve().parent.parent
RESOURCES = PROJECT / "resources"
TAUGHT = ("seed/memories.jsonl", "seed/powers.jsonl", "datasets/routes.jsonl")
SENTENCE = re.compile(r"(?<=[.:;?!])\s+|\n\s*\n|\s*\|\s*|\n[-#*]+ ")
"""Separators of sentences, table cells and list items of a page."""
MARKS = re.compile(r"[`*\[\]#]|\([^)]*\.md[^)]*\)")
FEWEST_WORDS, MOST_LETTERS = 3, 300


def texts() -> list[str]:
    """Return the texts of the sample library and all sentences of the help, without repetitions."""
    lines = [line for name in TAUGHT for line in (RESOURCES / name).read_text("utf-8").splitlines()]
    taught = [text for line in lines for text in strings_of(json.loads(line)) if " " in text]
    pages = [file.read_text("utf-8") for file in sorted((RESOURCES / "help").glob("*.md"))]
    parts = [" ".join(MARKS.sub("", part).split()) for page in pages for part in SENTENCE.split(page)]
    told = [part for part in parts if len(part.split()) >= FEWEST_WORDS and len(part) < MOST_LETTERS]
    return list(dict.fromkeys([*taught, *told]))


def strings_of(value: object) -> Iterator[str]:
    """Yield all strings of a record, also in nested lists and records."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for field in value.values():
            yield from strings_of(field)
    elif isinstance(value, list):
        for item in value:
            yield from strings_of(item)


def main() -> None:
    sys.path.insert(0, str(PROJECT))
    from app.adapters.encoders.minilm import BASIS, DIMENSION, FOLDER, MODEL, TOKENIZER, MiniLm, checked_content

    found = texts()
    encoder = MiniLm(checked_content(*MODEL), checked_content(*TOKENIZER))
    whole = encoder.encode_layers(found)[1].astype(np.float64)
    _, directions = np.linalg.eigh(whole.T @ whole / len(whole))
    kept = directions[:, ::-1][:, :DIMENSION]
    kept *= np.sign(kept[np.abs(kept).argmax(axis=0), np.arange(DIMENSION)])  # fixes the signs, which are arbitrary
    file = FOLDER / BASIS[0]
    np.save(file, kept.astype(np.float16))
    share = np.square(whole @ kept).sum() / np.square(whole).sum()
    print(f"{len(found):,} texts; {share:.1%} of their length is kept; {file.stat().st_size:,} bytes")
    print(f"SHA-256 {hashlib.sha256(file.read_bytes()).hexdigest()}")


if __name__ == "__main__":
    main()
