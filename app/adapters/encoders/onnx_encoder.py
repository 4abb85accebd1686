"""ONNX sentence encoder with onnxruntime, single-threaded and offline, in batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from app.adapters.encoders.joined_layers import LAST, units
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
"""Number of parallel batches, only for many texts, while nobody types.

Queries, and the few texts encoded during typing, use one thread.
"""


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
        return [len(encoding.ids) for encoding in self._tokenizer.encode_batch(list(texts))]

    def means(self, texts: Sequence[str], outputs: Sequence[str]) -> list[Vectors]:
        """Return the mean of each output over a text's tokens, at length 1.

        Other texts in a batch change no number by 1e-6.
        """
        means = [np.zeros((len(texts), self._provenance.dimension), np.float32) for _ in outputs]
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
                pass  # errors of batches are raised here
        return means

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
