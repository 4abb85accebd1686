"""Connection check of the LLM: each link in turn until one fails, with a remedy."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from app.domain.intent import IntentType
from app.domain.language import percents
from app.domain.llm import same_model
from app.ports.llm import LlmConnection, LlmError

if TYPE_CHECKING:
    from app.settings.model import Settings


class DoubtfulError(Exception):
    """A link works, but its result is wrong; the message says how."""


TEST_QUERY = "how do I rotate a page"
TEST_TYPE = IntentType.HOWTO
"""Correct type of the test query."""
TEST_ANSWERS = 5
"""Number of timed answers; their median is compared with the budget."""

COLD_START = (
    "A cold start is not a time-out: the server loads the model into memory, which takes "
    "seconds, and only then answers within milliseconds. The model is kept loaded as long as "
    "llm.keep_alive says."
)


class LinkState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    FINE = "fine"
    DOUBTFUL = "doubtful"
    """The link works, but its result is wrong."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Link:
    """One step of the check: its title, state, a sentence, and a remedy if it failed."""

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
"""Every link in order, and the remedy if it fails."""


def without_address() -> tuple[Link, ...]:
    """Return all links for a missing address."""
    first, *others = REMEDIES
    failed = Link(first, LinkState.FAILED, "No address is set.", REMEDIES[first])
    return (failed, *(Link(name, LinkState.WAITING) for name in others))


class ConnectionCheck:
    """One check of all links over a client made for it; `links` is their state."""

    def __init__(self, llm: LlmConnection, settings: Settings, now_ms: Callable[[], float]) -> None:
        self._llm = llm
        self._settings = settings
        self._now_ms = now_ms
        self.links = {name: Link(name, LinkState.WAITING) for name in REMEDIES}

    async def run(self) -> AsyncGenerator[tuple[Link, ...], None]:
        """Yield all links after each change; links after a failed one are not tried."""
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
            except DoubtfulError as doubt:
                self.links[name] = Link(name, LinkState.DOUBTFUL, str(doubt), REMEDIES[name])
            except LlmError as error:
                self.links[name] = Link(name, LinkState.FAILED, str(error), REMEDIES[name])
            yield tuple(self.links.values())
            if self.links[name].state is LinkState.FAILED:
                return

    async def _address(self) -> str:
        return f"{self._settings.llm.url}."

    async def _version(self) -> str:
        return f"Ollama {await self._llm.version()} answers."

    async def _model(self) -> str:
        wanted = self._settings.llm.model
        models = await self._llm.models()
        if not wanted:
            raise LlmError("No model is chosen.")
        if not any(same_model(wanted, found) for found in models):
            raise LlmError(f"The server does not have {wanted}; it has {', '.join(models) or 'none'}.")
        return f"{wanted} is on the server."

    async def _load(self) -> str:
        loaded = await self._llm.is_loaded()
        state = await self._llm.warm()
        if not state.is_ready:
            raise LlmError(state.sentence)
        took = f"in {state.load_ms:,.0f} ms" if state.load_ms is not None else ""
        return f"It was loaded already and is warm {took}." if loaded else f"It was loaded {took}. {COLD_START}"

    async def _answer(self) -> str:
        answer = await self._llm.classify(TEST_QUERY)
        said = f"“{TEST_QUERY}”: {answer.type.value} {percents(answer.confidence, 0)}, mode {answer.mode}."
        if answer.type is not TEST_TYPE:
            wrong = (
                f"That is wrong, the query is plainly {TEST_TYPE.value}: the model answers, but is not to be relied on."
            )
            raise DoubtfulError(f"{said} {wrong}")
        return said

    async def _latency(self) -> str:
        times: list[float] = []
        for number in range(TEST_ANSWERS):
            begun = self._now_ms()
            await self._llm.classify(f"{TEST_QUERY} {number + 1}")
            times.append(self._now_ms() - begun)
        median, budget = sorted(times)[TEST_ANSWERS // 2], self._settings.search_intent.llm_timeout_ms
        sentence = f"{median:,.0f} ms is the median of {TEST_ANSWERS} answers; the budget is {budget:,} ms"
        if median > budget:
            raise LlmError(f"{sentence}: most answers come late.")
        return f"{sentence}."
