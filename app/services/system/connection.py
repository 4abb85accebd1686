"""Is the LLM in reach? Each link of the chain tried in turn, until one fails, with what to do about it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from app.domain.llm import same_model
from app.ports.clock import Clock
from app.ports.llm import LlmClient, LlmConnection, LlmError, LlmServer, LlmUnreachableError
from app.services.engine.engine import Engine
from app.services.engine.llm_lane import LlmLane
from app.services.engine.measures import Measures
from app.settings.sections import LlmSettings

if TYPE_CHECKING:
    from app.settings.model import Settings


TEST_QUERY = "how do I rotate a page"
TEST_ANSWERS = 5
"""So many answers are timed; the median is held against the budget."""

COLD_START = (
    "A cold start is not a time-out: the server loads the model into memory, which takes seconds, and only then "
    "answers within milliseconds. The model is kept loaded as long as llm.keep_alive says."
)


class LinkState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    FINE = "fine"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Link:
    """One step of the check: its name for people, how it went, a sentence, and a remedy where it failed."""

    name: str
    state: LinkState
    sentence: str = ""
    remedy: str = ""


REMEDIES: Mapping[str, str] = {
    "Address": "Set llm.url to the address of an Ollama server, such as http://127.0.0.1:11434.",
    "Server": "Start the server (“ollama serve”), or correct llm.url.",
    "Model": "Choose a model that the server lists, or pull it.",
    "Loaded": "See the server's log: the model may be too large for its memory, or damaged.",
    "Answer": "Choose another model or another llm.mode.",
    "Latency": "Choose a smaller model, or raise search_intent.llm_timeout_ms.",
}
"""Every link in its order, and what to do where it fails."""


def without_address() -> tuple[Link, ...]:
    """All links where not even an address is set."""
    first, *others = REMEDIES
    failed = Link(first, LinkState.FAILED, "No address is set.", REMEDIES[first])
    return (failed, *(Link(name, LinkState.WAITING) for name in others))


class ConnectionCheck:
    """One run through the links over a client that was made for it; `links` is the state of all of them."""

    def __init__(self, client: LlmClient, server: LlmServer, settings: Settings, clock: Clock) -> None:
        self._client = client
        self._server = server
        self._settings = settings
        self._clock = clock
        self.links = {name: Link(name, LinkState.WAITING) for name in REMEDIES}

    async def run(self) -> AsyncGenerator[tuple[Link, ...], None]:
        """All links again after each change; nothing is tried behind a link that failed."""
        tries: dict[str, Callable[[], Awaitable[str]]] = {
            "Address": self._address,
            "Server": self._version,
            "Model": self._model,
            "Loaded": self._load,
            "Answer": self._answer,
            "Latency": self._latency,
        }
        for name, attempt in tries.items():
            self.links[name] = Link(name, LinkState.RUNNING)
            yield tuple(self.links.values())
            try:
                self.links[name] = Link(name, LinkState.FINE, await attempt())
            except LlmError as error:
                self.links[name] = Link(name, LinkState.FAILED, str(error), REMEDIES[name])
            yield tuple(self.links.values())
            if self.links[name].state is LinkState.FAILED:
                return

    async def _address(self) -> str:
        return f"{self._settings.llm.url}."

    async def _version(self) -> str:
        return f"Ollama {await self._server.version()} answers."

    async def _model(self) -> str:
        wanted = self._settings.llm.model
        models = await self._server.models()
        if not wanted:
            raise LlmError("No model is chosen.")
        if not any(same_model(wanted, found) for found in models):
            raise LlmError(f"The server does not have {wanted}; it has {', '.join(models) or 'none'}.")
        return f"{wanted} is on the server."

    async def _load(self) -> str:
        loaded = await self._server.is_loaded()
        state = await self._client.warm()
        if not state.is_ready:
            raise LlmError(state.sentence)
        took = f"in {state.load_ms:,.0f} ms" if state.load_ms is not None else ""
        return f"It was loaded already and is warm {took}." if loaded else f"It was loaded {took}. {COLD_START}"

    async def _answer(self) -> str:
        answer = await self._client.classify(TEST_QUERY)
        return f"“{TEST_QUERY}”: {answer.type.value} {answer.confidence:.3f}, mode {answer.mode}."

    async def _latency(self) -> str:
        times: list[float] = []
        for number in range(TEST_ANSWERS):
            begun = self._clock.now_ms()
            await self._client.classify(f"{TEST_QUERY} {number + 1}")
            times.append(self._clock.now_ms() - begun)
        median, budget = sorted(times)[TEST_ANSWERS // 2], self._settings.search_intent.llm_timeout_ms
        told = f"{median:,.0f} ms is the median of {TEST_ANSWERS} answers; the budget is {budget:,} ms"
        if median > budget:
            raise LlmError(f"{told}: most answers come late.")
        return f"{told}."


# --------------------------------------------------------------------------------------------------------------------
# The LLM's server, seen from the desk: joined for queries, checked, listed and told to fetch models


class LlmDoor:
    """The one way from a desk to the server that its settings name."""

    def __init__(
        self,
        make: Callable[[LlmSettings], LlmConnection],
        engine: Engine,
        measures: Measures,
        on_change: Callable[[], None],
    ) -> None:
        self._make = make
        self._engine = engine
        self._measures = measures
        self._changed = on_change

    async def set_up(self) -> None:
        """Join the LLM that the settings name, if they name one, and begin to warm it up."""
        settings, before = self._engine.settings, self._engine.lane
        llm = settings.llm
        client = self._make(llm) if llm.url and llm.model and settings.search_intent.use_llm else None
        self._engine.lane = LlmLane(client, self._engine.clock, self._measures)
        self._engine.lane.on_change = self._changed
        self._engine.lane.start()
        await before.close()

    async def check(self) -> AsyncGenerator[tuple[Link, ...], None]:
        """Try every link to the LLM in turn: all links again after each change."""
        if not self._engine.settings.llm.url:
            yield without_address()
            return
        async with self._connection() as llm:
            check = ConnectionCheck(llm, llm, self._engine.settings, self._engine.clock)
            async with aclosing(check.run()) as steps:
                async for links in steps:
                    yield links

    async def models(self) -> list[str]:
        """The models that the server has; LlmError."""
        async with self._connection() as llm:
            return await llm.models()

    async def pull(self, model: str) -> AsyncGenerator[tuple[str, int, int], None]:
        """Have the server fetch a model: status, bytes done and in all; closing it stops the transfer; LlmError."""
        async with self._connection() as llm, aclosing(llm.pull(model)) as steps:
            async for step in steps:
                yield step

    @asynccontextmanager
    async def _connection(self) -> AsyncGenerator[LlmConnection, None]:
        """A connection of its own, so that a check never stands in the way of a query."""
        llm = self._engine.settings.llm
        if not llm.url:
            raise LlmUnreachableError("No address is set (llm.url).")
        connection = self._make(llm)
        try:
            yield connection
        finally:
            await connection.close()
