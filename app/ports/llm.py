"""LLM client and server, and their errors."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from app.domain.errors import KnownError
from app.domain.llm import LlmAnswer, LlmOutcome, Option


class LlmError(KnownError):
    """Failed request to the LLM: outcome, and prompt and reply where there are any."""

    outcome = LlmOutcome.FAILED
    prompt = ""
    reply = ""

    def about(self, prompt: str, reply: str) -> Self:
        """Attach prompt and reply to this error."""
        self.prompt, self.reply = prompt, reply
        return self


class LlmUnreachableError(LlmError):
    """No server answers at the address."""

    outcome = LlmOutcome.UNREACHABLE


class LlmModelMissingError(LlmError):
    """The server does not have the model."""

    outcome = LlmOutcome.MODEL_MISSING


class LlmColdError(LlmError):
    """The model is being loaded; not a time-out."""

    outcome = LlmOutcome.COLD


class LlmDisconnectedError(LlmError):
    """The connection broke before the answer was complete."""


class LlmUnreadableError(LlmError):
    """The answer does not have the requested form."""

    outcome = LlmOutcome.UNREADABLE


@dataclass(frozen=True, slots=True)
class LlmState:
    """Readiness of the LLM: an outcome (`answered`: ready), a sentence, and facts.

    `mode` is the request mode in use; `load_ms` the time of the last warm-up.
    """

    outcome: LlmOutcome
    sentence: str = ""
    model: str = ""
    mode: str | None = None
    version: str = ""
    load_ms: float | None = None

    @property
    def is_ready(self) -> bool:
        return self.outcome is LlmOutcome.ANSWERED


class LlmChooser(Protocol):
    """LLM that chooses a route or an option. Cancelling a call ends its request."""

    @property
    def state(self) -> LlmState: ...

    async def warm_routes(self) -> None:
        """Make the first route request as fast as later ones; raises LlmError."""

    async def route(self, query: str) -> LlmAnswer:
        """Choose the data store for a query, as fast as the mode allows; raises LlmError."""

    async def choose(self, query: str, options: Sequence[Option]) -> LlmAnswer:
        """Choose the best of two or more options, as fast as the mode allows; raises LlmError."""


class LlmClient(LlmChooser, Protocol):
    """LLM that classifies queries, too."""

    async def warm(self) -> LlmState:
        """Probe server and model, load the model and fill its prefix cache; never raises LlmError."""

    async def is_loaded(self) -> bool:
        """Return whether the server holds the model in memory; raises LlmError."""

    async def classify(self, query: str) -> LlmAnswer:
        """Classify the type of a query, as fast as the mode allows; raises LlmError."""

    async def describe(self, query: str) -> LlmAnswer:
        """Return type, topics and reasoning, slowly; raises LlmError."""

    async def close(self) -> None: ...


class LlmConnection(LlmClient, Protocol):
    """Client, and the server's own calls; every call of these raises LlmError."""

    async def version(self) -> str: ...

    async def models(self) -> list[str]:
        """Return the names of the available models."""

    def pull(self, model: str) -> AsyncGenerator[tuple[str, int, int], None]:
        """Download a model; yields (status, bytes done, total bytes). Closing the iterator cancels it."""
