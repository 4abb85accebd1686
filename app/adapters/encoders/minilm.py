"""Shipped encoder `intentscope-minilm`: its files, loading, and its tokenizer for counting."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

import app
from app.adapters.encoders.joined_layers import LAST, basis_of, joined
from app.adapters.encoders.model_folders import encoder_error
from app.adapters.encoders.onnx_encoder import ERRORS, OnnxEncoder
from app.domain.encoder import Provenance
from app.domain.errors import EncoderError
from app.ports.encoder import Vectors

NAME = "intentscope-minilm"
FOLDER = Path(app.__file__).parents[1] / "resources" / "encoders" / NAME

MODEL = ("model.onnx", "0a653faa898a132ab97d4654e9e0e2627de0327a4581099ae971e274d9b0900f")
TOKENIZER = ("tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037")
BASIS = ("layers.npy", "5308561c465a43c18be917f72d88d16dde540f1e747d2ca8e8ff710e68fe6960")
"""Name and required SHA-256 of each file in FOLDER."""

EARLIER = ("layer_norm_6", "layer_norm")
"""Outputs of the model beside the last layer: third layer and embeddings."""

DIMENSION = 384
MOST_TOKENS = 256
"""Maximum number of tokens, as in sentence-transformers for all-MiniLM-L6-v2."""

REMEDY = "Run the set-up again to restore it."


class MiniLm(OnnxEncoder):
    """Pinned model; one pass also gives its earlier layers."""

    layers = Provenance(f"{NAME}, layers 6, 3 and 0", MODEL[1][:6] + BASIS[1][:6], DIMENSION)

    def __init__(self, model: bytes, tokenizer: bytes, basis: Vectors | None = None) -> None:
        provenance = Provenance(NAME, MODEL[1][:12], DIMENSION)
        super().__init__(model, tokenizer, provenance, most_tokens=MOST_TOKENS, remedy=REMEDY)
        self._basis = basis

    @classmethod
    def load(cls) -> MiniLm:
        """Check and load the pinned files; raises EncoderError if one is missing or altered."""
        model, tokenizer, basis = (checked_content(*file) for file in (MODEL, TOKENIZER, BASIS))
        try:
            return cls(model, tokenizer, basis_of(basis))
        except ERRORS as error:
            raise encoder_error("The encoder cannot be loaded", error, REMEDY) from error

    def encode_layers(self, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Return the vectors of `encode`, and the joined vectors of layers 6, 3 and 0.

        Both have shape (texts, 384).
        """
        means = self.means(texts, (LAST, *EARLIER))
        return means[0], joined(means, self._basis)


def checked_content(name: str, sha256: str) -> bytes:
    """Read and verify a pinned file once; raises EncoderError if it is missing or differs."""
    try:
        content = (FOLDER / name).read_bytes()
    except OSError as error:
        raise EncoderError(f"The encoder's file {name} cannot be read: {error.strerror or error}. {REMEDY}") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise EncoderError(f"The encoder's file {name} is not the one that was shipped (SHA-256 differs). {REMEDY}")
    return content


class WordPieceCounter:
    """Token counter; counts of texts that end in white space can be added."""

    name = "WordPiece of all-MiniLM-L6-v2"

    def __init__(self, content: bytes) -> None:
        self._tokenizer: Any = Tokenizer.from_buffer(content)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    @classmethod
    def load(cls) -> WordPieceCounter:
        """Check and load the pinned file; raises EncoderError if it is missing or altered."""
        content = checked_content(*TOKENIZER)
        try:
            return cls(content)
        except (ValueError, OSError, MemoryError) as error:
            raise EncoderError(f"The tokenizer cannot be loaded: {error}.") from error

    def count(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, without an encoder's special tokens."""
        return [len(found.ids) for found in self._tokenizer.encode_batch(list(texts), add_special_tokens=False)]
