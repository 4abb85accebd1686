"""Encoder on an Ollama server: its embedding endpoint, in batches."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar

import httpx
import numpy as np
import ollama
from anyio.from_thread import start_blocking_portal

from app.adapters.llm import FAILURES, KEYLESS, bound_of, client_of, short, untrusted, wants_key
from app.domain.encoder import Provenance
from app.domain.errors import EncoderError
from app.domain.llm import same_model
from app.logs import without
from app.ports.encoder import Vectors

USUAL_MODEL = "all-minilm"
"""Ollama's name of all-MiniLM-L6-v2."""

BATCH = 64
LOOKED_AFTER_SECONDS = 5.0
"""Minimum seconds between checks that the model is unchanged."""

Answer = TypeVar("Answer")

ERRORS = (*FAILURES, CancelledError, RuntimeError, TypeError)
"""Exceptions of the official client: CancelledError while closing, RuntimeError afterwards."""


class EmbeddingServer:
    """Model on a server with its own connection; errors are EncoderErrors."""

    def __init__(self, url: str, model: str) -> None:
        if not url:
            raise EncoderError("No address of an Ollama server is set. Set encoder.url or llm.url.")
        self.url, self.name = url, model or USUAL_MODEL
        try:
            self._client = client_of(url)
        except (ValueError, httpx.InvalidURL) as error:
            raise EncoderError(f"{url} is not a server address.") from error
        self._asked: Future[Any] | None = None
        self._is_given_up = False
        self._open = ExitStack()
        self._portal = self._open.enter_context(start_blocking_portal())
        self._open.callback(self._portal.call, self._client.close)

    def close(self) -> None:
        """Close the connection, from any thread; pending requests end with EncoderError."""
        self.give_up()
        self._open.close()

    def give_up(self) -> None:
        """Cancel the pending and all later requests, from any thread; `close` is still needed."""
        self._is_given_up = True
        if self._asked is not None:
            self._asked.cancel()

    def _run_request(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        """Run a request on a loop, where it can be cancelled; raises ERRORS."""
        asked = self._portal.start_task_soon(call)
        self._asked = asked
        if self._is_given_up:  # checked last, so that no cancellation is missed
            asked.cancel()
        return asked.result()

    def model(self) -> tuple[str, int]:
        """Return digest and size of the model on the server; raises EncoderError if missing."""
        try:
            models = self._run_request(self._client.list).models
        except ERRORS as error:
            raise self._error(error) from error
        for found in models:
            if found.model and same_model(self.name, found.model):
                return found.digest or "", int(found.size or 0)
        raise EncoderError(f"{self.name} is not on the server at {self.url}. Pull it there, or choose another.")

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (len(texts), dimension)."""
        try:
            embed = partial(self._client.embed, self.name, list(texts), truncate=True, keep_alive="30m")
            found = np.asarray(self._run_request(embed).embeddings, np.float32)
        except ERRORS as error:
            raise self._error(error, texts) from error
        if found.ndim != 2 or len(found) != len(texts) or not found.shape[1] or not np.isfinite(found).all():
            raise EncoderError(f"{self.name} answered without a vector for each text: it is not an embedding model.")
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        units: Vectors = np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 0)
        return units

    def _error(self, error: Exception, texts: Sequence[str] = ()) -> EncoderError:
        """Return the error without the texts that a server may echo, as logs may show it."""
        if isinstance(error, ollama.ResponseError):
            if error.status_code in KEYLESS:
                return EncoderError(wants_key(error.status_code))
            status = "" if error.status_code == HTTPStatus.OK else f" {error.status_code}"
            return EncoderError(
                f"The server at {self.url} answered{status}: {short(without(str(error.error), texts)) or 'nothing'}."
            )
        if isinstance(error, ConnectionError | httpx.ConnectError | httpx.ConnectTimeout):
            told = f"No Ollama server answers at {self.url}. Start it, or correct the address."
            return EncoderError(untrusted(error, self.url) or told)
        if isinstance(error, httpx.TimeoutException):
            return EncoderError(
                f"The server at {self.url} did not answer within {bound_of(error.request).within:.0f} s."
            )
        if isinstance(error, httpx.DecodingError):
            return EncoderError(f"What {self.url} answers is not read: {error}.")
        if isinstance(error, httpx.HTTPError | RuntimeError | CancelledError) and not isinstance(error, RecursionError):
            reason = short(without(str(error), texts)) if isinstance(error, httpx.ReadError) else ""
            return EncoderError(f"The connection to {self.url} broke{f': {reason}' if reason else ''}.")
        return EncoderError(f"What {self.url} answers is not what an Ollama server sends.")


LOADING: set[EmbeddingServer] = set()
"""Servers in their first request, which have no other owner to close them."""


class OllamaEncoder:
    """Model on a server. Use from one thread at a time; `close` ends pending requests."""

    def __init__(self, url: str, model: str) -> None:
        self._server = EmbeddingServer(url, model)
        LOADING.add(self._server)
        try:
            self._digest = self._server.model()[0]
            dimension = self._server.embed(["dimension"]).shape[1]
        except EncoderError:
            self._server.close()
            raise
        finally:
            LOADING.discard(self._server)
        self._looked = time.monotonic()
        self.provenance = Provenance(f"ollama {self._server.name}", self._digest[:12], dimension)

    def close(self) -> None:
        self._server.close()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (len(texts), dimension), in batches of similar lengths."""
        dimension = self.provenance.dimension
        vectors = np.zeros((len(texts), dimension), np.float32)
        self._check_model()
        # Empty texts are not sent: their vector is zero.
        order = sorted((place for place, text in enumerate(texts) if text.strip()), key=lambda place: len(texts[place]))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            found = self._server.embed([texts[place] for place in places])
            if found.shape[1] != dimension:
                raise self._replaced(f"gives vectors of {found.shape[1]} numbers, not of {dimension} as before: it ")
            vectors[places] = found
        return vectors

    def _check_model(self) -> None:
        """Check that the model is unchanged, as stored vectors must not be mixed with others."""
        if time.monotonic() - self._looked >= LOOKED_AFTER_SECONDS:
            if self._server.model()[0] != self._digest:
                raise self._replaced()
            self._looked = time.monotonic()

    def _replaced(self, how: str = "") -> EncoderError:
        name = self._server.name
        return EncoderError(f"{name} {how}was replaced on the server. Load it again on the Settings page.")


def give_up(url: str, model: str) -> None:
    """Cancel the loading of a model, which reports a broken connection."""
    for server in tuple(LOADING):
        if (server.url, server.name) == (url, model or USUAL_MODEL):
            server.give_up()


def model_on_server(url: str, model: str) -> tuple[str, int]:
    """Return digest and size of a model; raises EncoderError."""
    server = EmbeddingServer(url, model)
    try:
        return server.model()
    finally:
        server.close()
