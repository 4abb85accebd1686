"""Vectors from an Ollama server: its embedding endpoint, in batches."""

from __future__ import annotations

import time
from collections.abc import Sequence

import httpx
import numpy as np
import ollama

from app.domain.llm import same_model
from app.ports import EncoderError, Provenance, Vectors

USUAL_MODEL = "all-minilm"
"""What Ollama's library calls all-MiniLM-L6-v2."""

CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 60.0
"""A cold server loads the model first."""

BATCH = 64
LOOKED_AFTER_SECONDS = 5.0
"""So often, at most, the server is asked whether the model is still the one whose vectors are stored."""

KEEP_ALIVE = "30m"

ERRORS = (ollama.ResponseError, httpx.HTTPError, ConnectionError, RuntimeError, TypeError, ValueError)
"""What the official client was seen to raise; RuntimeError once it is closed."""


class EmbeddingServer:
    """One model of one server, and a connection of its own; its failures are EncoderErrors."""

    def __init__(self, url: str, model: str) -> None:
        if not url:
            raise EncoderError("No address of an Ollama server is set. Set encoder.url or llm.url.")
        self.url, self.name = url, model or USUAL_MODEL
        timeout = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
        try:
            # No redirect is followed and no proxy asked: nothing is sent to an address that the user did not set.
            self._client = ollama.Client(host=url, timeout=timeout, trust_env=False, follow_redirects=False)
        except (ValueError, httpx.InvalidURL) as error:
            raise EncoderError(f"{url} is no address of a server.") from error

    def close(self) -> None:
        self._client.close()  # type: ignore[no-untyped-call]

    def model(self) -> tuple[str, int]:
        """Digest and bytes of the model on the server; EncoderError if it is not there."""
        try:
            models = self._client.list().models
        except ERRORS as error:
            raise self._error(error) from error
        for found in models:
            if found.model and same_model(self.name, found.model):
                return found.digest or "", int(found.size or 0)
        raise EncoderError(f"{self.name} is not on the server at {self.url}. Pull it there, or choose another.")

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (len(texts), dimension)."""
        try:
            answer = self._client.embed(self.name, list(texts), truncate=True, keep_alive=KEEP_ALIVE)
            found = np.asarray(answer.embeddings, np.float32)
        except ERRORS as error:
            raise self._error(error) from error
        if found.ndim != 2 or len(found) != len(texts) or not found.shape[1] or not np.isfinite(found).all():
            raise EncoderError(f"{self.name} answered without a vector for each text: it is no embedding model.")
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        units: Vectors = np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 0)
        return units

    def _error(self, error: Exception) -> EncoderError:
        if isinstance(error, ollama.ResponseError):
            told = " ".join(str(error.error).split())[:200].rstrip(".")
            return EncoderError(f"The server at {self.url} answered {error.status_code}: {told}.")
        if isinstance(error, ConnectionError | httpx.ConnectError | httpx.ConnectTimeout):
            return EncoderError(f"No Ollama server answers at {self.url}. Start it, or correct the address.")
        if isinstance(error, httpx.TimeoutException):
            return EncoderError(f"The server at {self.url} did not answer within {ANSWER_SECONDS:.0f} s.")
        if isinstance(error, httpx.HTTPError | RuntimeError):
            return EncoderError(f"The connection to {self.url} broke.")
        return EncoderError(f"What {self.url} answers is not what an Ollama server sends.")


class OllamaEncoder:
    """A model on a server. Safe to call from one thread at a time; closing it ends what is under way."""

    def __init__(self, url: str, model: str) -> None:
        self._server = EmbeddingServer(url, model)
        try:
            self._digest = self._server.model()[0]
            dimension = self._server.embed(["dimension"]).shape[1]
        except EncoderError:
            self._server.close()
            raise
        self._looked = time.monotonic()
        self.provenance = Provenance(f"ollama {self._server.name}", self._digest[:12], dimension)

    def close(self) -> None:
        """Let go of the connection."""
        self._server.close()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (len(texts), dimension), in batches of texts of like length."""
        dimension = self.provenance.dimension
        vectors = np.zeros((len(texts), dimension), np.float32)
        self._look_after()
        # Nothing is asked about a text without content: its vector is zero.
        order = sorted((place for place, text in enumerate(texts) if text.strip()), key=lambda place: len(texts[place]))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            found = self._server.embed([texts[place] for place in places])
            if found.shape[1] != dimension:
                raise self._replaced(f"gives vectors of {found.shape[1]} numbers, not of {dimension} as before: it ")
            vectors[places] = found
        return vectors

    def _look_after(self) -> None:
        """Vectors of another model of the same name are not to be compared with those that are stored."""
        if time.monotonic() - self._looked >= LOOKED_AFTER_SECONDS:
            if self._server.model()[0] != self._digest:
                raise self._replaced()
            self._looked = time.monotonic()

    def _replaced(self, how: str = "") -> EncoderError:
        name = self._server.name
        return EncoderError(f"{name} {how}was replaced on the server. Load it again on the Settings page.")


def model_on_server(url: str, model: str) -> tuple[str, int]:
    """Digest and bytes of a model; EncoderError."""
    server = EmbeddingServer(url, model)
    try:
        return server.model()
    finally:
        server.close()
