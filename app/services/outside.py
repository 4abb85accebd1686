"""Everything outside that a desk is joined to, chosen by the composition root."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from app.domain.rule import Rule
from app.ports import (
    Clock,
    Embedder,
    EncoderError,
    EncoderFacts,
    FormatError,
    Library,
    Line,
    LlmConnection,
    Problem,
    TokenCounter,
    VectorCache,
)
from app.services.measures import Measures
from app.settings_sections import EncoderSettings, LlmSettings


class PackFiles(Protocol):
    """Rule packs as files: a pack read from one (FormatError), and the text of one. Both may block."""

    def read(self, path: Path) -> list[Rule]: ...
    def text(self, name: str, title: str, rules: Iterable[Rule]) -> str: ...


def _nothing_known(_: EncoderSettings) -> EncoderFacts:
    return EncoderFacts()


def _no_tokenizer() -> TokenCounter:
    raise EncoderError("No tokenizer is set up.")


def _not_measured() -> int | None:
    return None


def _read_nothing(path: Path, kind: str, task: str | None) -> tuple[str, Iterable[Line[Any] | Problem]]:
    raise FormatError("No files can be read here.")


def _write_nothing(path: Path, things: Iterable[Any]) -> int:
    raise FormatError("No files can be written here.")


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
    make_token_counter: Callable[[], TokenCounter] = _no_tokenizer
    """What counts the tokens of what is surfaced; EncoderError where there is none."""
    vector_cache: VectorCache | None = None
    """Where an index's vectors are kept for the next start; without it they are read from the library."""
    packs: PackFiles | None = None
    read_file: Callable[[Path, str, str | None], tuple[str, Iterable[Line[Any] | Problem]]] = _read_nothing
    """The kind of a file's lines, told from them for "auto", and the lines; FormatError if it cannot be read."""
    write_file: Callable[[Path, Iterable[Any]], int] = _write_nothing
    """Writes things of one kind to a file, whole or not at all; how many; OSError, or FormatError for its ending."""
