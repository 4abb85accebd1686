"""Shipped encoder `intentscope-minilm` on onnxruntime: files, loading, layers and vectors."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

import app
from app.adapters.encoders.model_folders import encoder_error
from app.domain.encoder import Provenance
from app.domain.errors import EncoderError
from app.ports.encoder import Vectors

# Official builds send telemetry from 1.29 on, unless this is set before they are loaded.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime
import onnxruntime.capi.onnxruntime_pybind11_state as runtime

ERRORS: tuple[type[Exception], ...] = (
    *(getattr(runtime, name) for name in ("Fail", "InvalidGraph", "InvalidProtobuf", "InvalidArgument")),
    *(getattr(runtime, name) for name in ("RuntimeException", "NoSuchFile", "NotImplemented", "EPFail")),
    RuntimeError,
    ValueError,
    OSError,
    MemoryError,
)
"""Exceptions of loading and running; onnxruntime's have no common base class."""

BATCH = 16
MOST_PADDING = 16
"""Maximum padding tokens of a batch; each batch has a fixed cost for loading weights."""

BATCHES_AT_ONCE = min(2, os.cpu_count() or 1)
"""Number of parallel batches for many texts while nobody types; otherwise one thread."""


class OnnxEncoder:
    """Loaded model. Use from one thread at a time.

    `model` and `tokenizer` are file contents; texts are cut after `most_tokens`; error messages end in `remedy`.
    """

    def __init__(
        self, model: bytes, tokenizer: bytes, provenance: Provenance, *, most_tokens: int, remedy: str
    ) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._session._model_bytes = None  # kept only for a change of providers, which does not occur
        self._reads = frozenset(each.name for each in self._session.get_inputs())
        self._tokenizer: Any = Tokenizer.from_buffer(tokenizer)
        self._tokenizer.enable_truncation(most_tokens)
        self._most_characters = most_tokens * 100  # longer words are unknown to the tokenizer
        self._tokenizer.no_padding()
        self._provenance = provenance
        self._remedy = remedy

    @property
    def provenance(self) -> Provenance:
        return self._provenance

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (len(texts), dimension)."""
        return self.means(texts, (LAST,))[0]

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens read of each text."""
        return [len(ids) for ids in self._tokens(texts)]

    def means(self, texts: Sequence[str], outputs: Sequence[str]) -> list[Vectors]:
        """Return the mean of each output over a text's tokens, at length 1.

        Other texts in a batch change no number by 1e-6.
        """
        means = [np.zeros((len(texts), self._provenance.dimension), np.float32) for _ in outputs]
        tokens = self._tokens(texts)
        together = list(batches([len(ids) for ids in tokens]))

        def work(places: Sequence[int]) -> None:
            for mean, sums in zip(means, self._sums([tokens[place] for place in places], outputs), strict=True):
                mean[places] = units(sums)

        if len(texts) <= BATCH:
            for places in together:
                work(places)
            return means
        with ThreadPoolExecutor(BATCHES_AT_ONCE, "encoder batch") as pool:
            for _ in pool.map(work, together):
                pass  # errors of batches are raised here
        return means

    def _tokens(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Return the tokens read of each text, without splitting all of a very long one."""
        cut = [text[: self._most_characters] for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch(cut)]

    def _sums(self, batch: Sequence[Sequence[int]], outputs: Sequence[str]) -> list[Vectors]:
        """Sum each output over the tokens of each text; shape (texts, dimension) each."""
        ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
        mask = np.zeros_like(ids)
        for row, own in enumerate(batch):
            ids[row, : len(own)] = own
            mask[row, : len(own)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            read = {name: numbers for name, numbers in inputs.items() if name in self._reads}
            found: list[Vectors] = self._session.run(outputs, read)
        except ERRORS as error:
            raise encoder_error("The encoder failed", error, self._remedy) from error
        wanted = self._provenance.dimension
        if any(hidden.shape[2] != wanted for hidden in found):
            raise EncoderError(f"The encoder gives {found[0].shape[2]} numbers where {wanted} belong. {self._remedy}")
        is_real = mask[..., None].astype(np.float32)
        return [(hidden if mask.all() else hidden * is_real).sum(axis=1) for hidden in found]


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield batches of text positions, by token counts that are equal or similar enough."""
    batch: list[int] = []
    padding = 0
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        more = len(batch) * (lengths[place] - lengths[batch[-1]]) if batch else 0
        if len(batch) == BATCH or padding + more > MOST_PADDING:
            yield batch
            batch, padding, more = [], 0, 0
        batch.append(place)
        padding += more
    if batch:
        yield batch


LAST = "last_hidden_state"
"""Output whose mean is the vector for comparison."""

WEIGHTS = (1.0, 0.6, 0.4)
"""Weights of the joined layers, last layer first; chosen on public queries, none shipped."""


def basis_of(content: bytes) -> Vectors:
    """Parse the projection matrix, shape (numbers in, numbers out), float32."""
    basis: Vectors = np.load(io.BytesIO(content), allow_pickle=False).astype(np.float32)
    return basis


def joined(layers: Sequence[Vectors], basis: Vectors | None) -> Vectors:
    """Join the layers' unit vectors, last layer first, to unit vectors projected on `basis`."""
    weighted = [layer * np.float32(weight) for layer, weight in zip(layers, WEIGHTS, strict=True)]
    whole = units(np.concatenate(weighted, axis=1))
    return whole if basis is None else units(whole @ basis)


def units(sums: Vectors) -> Vectors:
    """Scale the rows to length 1, except rows of zeros."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    found: Vectors = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)
    return found


NAME = "intentscope-minilm"
FOLDER = Path(app.__file__).parents[1] / "resources" / "encoders" / NAME

MODEL = ("model.onnx", "a14bc2a0835dca1100bc754f30db58d6c6e845a9ff7b19ea32c6cf3ff645cb04")
TOKENIZER = ("tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037")
BASIS = ("layers.npy", "5f2fc19724b875891c49d497b99f99eedf8d0c0bf43c8f4ca6147cc4a01a4f68")
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
        """Return the vectors of `encode`, and the joined layers 6, 3 and 0, each (texts, 384)."""
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
