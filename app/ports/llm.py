"""What asking a local LLM needs of the outside: a client, a server, and how they may fail."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from app.domain.errors import KnownError
from app.domain.llm import ChoiceAnswer, LlmAnswer, LlmOutcome, Option
from app.domain.route import RouteAnswer


class LlmError(KnownError):
    """The LLM gave no answer; `outcome` is the word for it, `prompt` and `reply` what was said, where it was."""

    outcome = LlmOutcome.FAILED
    prompt = ""
    reply = ""

    def about(self, prompt: str, reply: str) -> Self:
        """This error with what was asked and said."""
        self.prompt, self.reply = prompt, reply
        return self


class LlmUnreachableError(LlmError):
    """No server answers at the address."""

    outcome = LlmOutcome.UNREACHABLE


class LlmModelMissingError(LlmError):
    """The server does not have the model."""

    outcome = LlmOutcome.MODEL_MISSING


class LlmColdError(LlmError):
    """The model is being loaded, which is no time-out."""

    outcome = LlmOutcome.COLD


class LlmDisconnectedError(LlmError):
    """The connection broke before the answer was there."""


class LlmUnreadableError(LlmError):
    """The answer is not what was asked for."""

    outcome = LlmOutcome.UNREADABLE


@dataclass(frozen=True, slots=True)
class LlmState:
    """Whether the LLM can be asked now: an outcome (`answered` stands for ready), a sentence, and what is known of it.

    `mode` is the one in use; `load_ms` how long the last warm-up took.
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


class LlmClient(Protocol):
    """A local LLM that classifies queries. Cancelling a call ends the request on the wire."""

    @property
    def state(self) -> LlmState: ...

    async def warm(self) -> LlmState:
        """Ask server and model what they support, load the model and fill its prefix cache; never raises LlmError."""
        ...

    async def is_loaded(self) -> bool:
        """Whether the server holds the model in memory now; raises LlmError."""
        ...

    async def classify(self, query: str) -> LlmAnswer:
        """The type of one query, as fast as the mode allows; raises LlmError."""
        ...

    async def describe(self, query: str) -> LlmAnswer:
        """Type, topics and reasoning, slowly; raises LlmError."""
        ...

    async def warm_routes(self) -> None:
        """Make the first question for a route as fast as those after it; raises LlmError."""
        ...

    async def route(self, query: str) -> RouteAnswer:
        """Which data store answers one query, as fast as the mode allows; raises LlmError."""
        ...

    async def choose(self, query: str, options: Sequence[Option]) -> ChoiceAnswer:
        """Which of at least two options answers one query best, as fast as the mode allows; raises LlmError."""
        ...

    async def close(self) -> None: ...


class LlmServer(Protocol):
    """What a server of LLMs can tell and do; every call raises LlmError."""

    async def version(self) -> str: ...

    async def models(self) -> list[str]:
        """The names of the models that it has."""
        ...

    async def is_loaded(self) -> bool:
        """Whether it holds the model that is set in memory now."""
        ...

    def pull(self, model: str) -> AsyncGenerator[tuple[str, int, int], None]:
        """Have it fetch a model: status, bytes done and in all, again and again; closing it stops the transfer."""
        ...

    async def close(self) -> None: ...


class LlmConnection(LlmClient, LlmServer, Protocol):
    """Both in one, as a client of a server of LLMs is."""
