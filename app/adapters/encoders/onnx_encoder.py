"""Runs a sentence encoder in ONNX by onnxruntime on one thread, offline: texts in batches of like length."""

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

# Its official builds report to their maker from 1.29 on, unless this is set before they are loaded.
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
"""What loading and running may raise: onnxruntime's own classes are direct children of Exception, without a parent."""

BATCH = 16
MOST_PADDING = 16
"""A batch costs what so many tokens cost, whatever is in it: its weights come from memory once."""

BATCHES_AT_ONCE = min(2, os.cpu_count() or 1)
"""Of more texts than one batch, which only come while nobody types: they share the weights, and the query's turn comes
the sooner. A query, and the few texts at a time that are encoded while somebody types, keep to one thread."""


class OnnxEncoder:
    """A loaded model. Safe to call from one thread at a time.

    `model` and `tokenizer` are what their files hold; a text is cut after `most_tokens`; every error ends in `remedy`.
    """

    def __init__(
        self, model: bytes, tokenizer: bytes, provenance: Provenance, *, most_tokens: int, remedy: str
    ) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._session._model_bytes = None  # what it keeps for a change of providers, which there is none of
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
        """Unit vectors of shape (len(texts), dimension)."""
        return self.means(texts, (LAST,))[0]

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens it reads of each text."""
        return [len(encoding.ids) for encoding in self._tokenizer.encode_batch(list(texts))]

    def means(self, texts: Sequence[str], outputs: Sequence[str]) -> list[Vectors]:
        """The mean of each output over the tokens of each text, at length 1. What else is encoded with a text changes
        none of its numbers by 1e-6."""
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
                pass  # what failed in one is raised here
        return means

    def _sums(self, batch: Sequence[Sequence[int]], outputs: Sequence[str]) -> list[Vectors]:
        """The sum of each output over the tokens of each text; each of shape (texts, dimension)."""
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
