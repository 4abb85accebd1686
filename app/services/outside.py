"""Everything outside that a desk is joined to, chosen by the composition root."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from app.domain.rule import Rule
from app.ports import Clock, Embedder, EncoderFacts, Library, Line, LlmConnection, Problem
from app.services.measures import Measures
from app.settings_sections import EncoderSettings, LlmSettings


def _nothing_known(_: EncoderSettings) -> EncoderFacts:
    return EncoderFacts()


def _not_measured() -> int | None:
    return None


@dataclass(frozen=True, slots=True)
class Encoder:
    """A kind of encoder: how it is loaded (EncoderError), and what is known of it before. Both may block."""

    load: Callable[[EncoderSettings], Embedder]
    facts: Callable[[EncoderSettings], EncoderFacts] = _nothing_known


class Supplies(Protocol):
    """Fetches what an encoder lacks, each a line of news after another; closing the iterator breaks off; KnownError."""

    def hindrance(self) -> str:
        """Why nothing can be installed here, with what to do instead; "" if it can."""
        ...

    def install(self) -> AsyncGenerator[str, None]: ...
    def download(self, model: str) -> AsyncGenerator[str, None]: ...


@dataclass(frozen=True, slots=True)
class Outside:
    """Everything outside that a workbench is joined to; each call may block and may raise a KnownError."""

    profile: str
    open_library: Callable[[], Library]
    encoders: Mapping[str, Encoder]
    clock: Clock
    shipped_rules: Callable[[], list[Rule]]
    make_llm: Callable[[LlmSettings], LlmConnection]
    serve_measures: Callable[[Measures, int], Callable[[], None]]
    seed: Mapping[str, Callable[[], Iterable[Line[Any] | Problem]]]
    supplies: Supplies | None = None
    resident_bytes: Callable[[], int | None] = _not_measured
    """How much memory this process holds; None where that cannot be told."""
