"""Everything outside that a desk is joined to, chosen by the composition root."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.rule import Rule
from app.ports import Clock, Embedder, Library, Line, LlmConnection, Problem
from app.services.measures import Measures
from app.settings import LlmSettings


@dataclass(frozen=True, slots=True)
class Outside:
    """Everything outside that a workbench is joined to; each call may block and may raise a KnownError."""

    profile: str
    open_library: Callable[[], Library]
    encoders: Mapping[str, Callable[[], Embedder]]
    clock: Clock
    shipped_rules: Callable[[], list[Rule]]
    make_llm: Callable[[LlmSettings], LlmConnection]
    serve_measures: Callable[[Measures, int], Callable[[], None]]
    seed: Mapping[str, Callable[[], Iterable[Line[Any] | Problem]]]
