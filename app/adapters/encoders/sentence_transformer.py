"""Encoder of local sentence-transformers models, with torch on one thread, offline."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

# Set before importing the libraries, which read these once: nothing is downloaded unless the user starts it.
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np
import torch
import transformers.utils.logging as transformers_log
from safetensors import SafetensorError
from sentence_transformers import SentenceTransformer

from app.adapters.encoders.model_folders import check_folder, encoder_error, revision_of
from app.domain.encoder import Provenance
from app.domain.errors import EncoderError
from app.ports.encoder import Vectors

BATCH = 16
REMEDY = "Choose another model on the Settings page."
ERRORS = (
    SafetensorError,
    ArithmeticError,
    AttributeError,
    ImportError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""Exceptions of loading and running any folder."""


class TorchEncoder:
    """Loaded model. Use from one thread at a time."""

    def __init__(self, folder: Path, name: str) -> None:
        check_folder(folder)
        # More threads would compete with the window's, and a query is too short to profit.
        torch.set_num_threads(1)
        transformers_log.disable_progress_bar()
        try:
            self._model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
            dimension = int(self._model.encode(["dimension"], show_progress_bar=False).shape[1])
        except ERRORS as error:
            raise encoder_error(f"The model {name} cannot be loaded", error, REMEDY) from error
        self.provenance = Provenance(f"sentence-transformers {name}", revision_of(folder), dimension)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (len(texts), dimension); the library makes the batches."""
        dimension = self.provenance.dimension
        if not texts:
            return np.zeros((0, dimension), np.float32)
        try:
            found = self._model.encode(
                list(texts), batch_size=BATCH, convert_to_numpy=True, normalize_embeddings=True, show_progress_bar=False
            )
            vectors: Vectors = np.asarray(found, np.float32)
        except ERRORS as error:
            raise encoder_error("The encoder failed", error, REMEDY) from error
        if vectors.shape != (len(texts), dimension) or not np.isfinite(vectors).all():
            raise EncoderError(f"The encoder gave no vectors of {dimension} numbers each. {REMEDY}")
        return vectors
