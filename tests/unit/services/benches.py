"""Workbench on a library in memory, with an encoder of letters, for tests."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.datastores.table import DATA_STORES
from app.adapters.formats.query_logs import read_log
from app.adapters.formats.toml_tables import read_packs
from app.adapters.machine import now_ms
from app.bootstrap import read_file
from app.domain.case import Case, Task
from app.domain.encoder import Provenance
from app.domain.library import Line, Memory, Power
from app.ports.datastore import CandidateSearch
from app.ports.encoder import Embedder, Vectors
from app.ports.llm import LlmConnection
from app.ports.store import Library
from app.services.engine.adapters import Adapters, Encoder, SettingsRead
from app.services.engine.metrics import EngineMetrics
from app.services.workbench import Workbench
from app.settings.model import SettingsSources
from app.settings.sections import LlmSettings
from tests.fakes import MemoryLibrary

shipped_rules = cache(partial(read_packs, Path(__file__).parents[3] / "resources" / "rules"))
"""Function that returns the shipped rules, read once."""


class KeptValues(dict[Any, Any]):
    """Secrets or mappings in memory, with the methods that are used."""

    put = dict.__setitem__
    forget = dict.__delitem__


class LetterEncoder:
    """Encoder from texts to letter counts: texts with similar letters are similar."""

    provenance = Provenance("letters", "1", 384)

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.encoded += texts
        vectors = np.zeros((len(texts), 384), np.float32)
        for row, text in enumerate(texts):
            for letter in text.lower():
                vectors[row, ord(letter) % 384] += 1.0
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        units: Vectors = np.divide(vectors, lengths, out=vectors, where=lengths > 0)
        return units


class WordsAndLetters(LetterEncoder):
    """Encoder whose single pass gives the letters, and for learning also their number."""

    layers = Provenance("letters and length", "1", 3)

    def encode_layers(self, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        learned = np.array([[len(text) / 100, 0.6, 0.8] for text in texts], np.float32).reshape(-1, 3)
        return self.encode(texts), learned


def no_llm(settings: LlmSettings) -> LlmConnection:
    raise AssertionError("no LLM is set up")


def not_served(metrics: EngineMetrics, port: int) -> Callable[[], None]:
    raise AssertionError("metrics are off")


def adapters_of(**more: Any) -> Adapters:
    """Make these adapters, and otherwise those of the tests; the unused ones are missing."""
    adapters: dict[str, Any] = {
        **dict.fromkeys(("installer", "packs", "folders", "synced", "shared_answers")),
        "profile": "test",
        "open_library": MemoryLibrary,
        "encoders": {"intentscope-minilm": Encoder(lambda _: LetterEncoder())},
        "now_ms": now_ms,
        "shipped_rules": shipped_rules,
        "make_llm": no_llm,
        "serve_metrics": not_served,
        "seed": {},
        "secrets": KeptValues(),
        "mappings": KeptValues(),
        **more,
    }
    return Adapters(**adapters)


def workbench_of(said: Mapping[str, object] | SettingsSources, **more: Any) -> Workbench:
    """Make a workbench under these settings, with these adapters instead of those of the tests."""
    sources = said if isinstance(said, SettingsSources) else SettingsSources(command_line=said)
    return Workbench(adapters_of(**more), SettingsRead(sources))


@asynccontextmanager
async def opened(workbench: Workbench) -> AsyncGenerator[Workbench, None]:
    """Open a workbench that watches nothing, wait until it is ready, and close it."""
    await workbench.open(watch=False)
    await workbench.ready()
    try:
        yield workbench
    finally:
        await workbench.close()


@asynccontextmanager
async def desk(
    library: Callable[[], Library] = MemoryLibrary, encoder: Callable[[], Embedder] = LetterEncoder, **chosen: object
) -> AsyncGenerator[Workbench, None]:
    async with asking_desk(no_llm, chosen, library, encoder) as workbench:
        yield workbench


@asynccontextmanager
async def asking_desk(
    llm: Callable[[LlmSettings], LlmConnection],
    chosen: Mapping[str, object],
    library: Callable[[], Library] = MemoryLibrary,
    encoder: Callable[[], Embedder] = LetterEncoder,
) -> AsyncGenerator[Workbench, None]:
    async with opened(_made(llm, chosen, library, encoder)) as workbench:
        yield workbench


def unopened(
    library: Callable[[], Library] = MemoryLibrary,
    encoder: Callable[[], Embedder] = LetterEncoder,
    search: CandidateSearch | None = None,
    **chosen: object,
) -> Workbench:
    return _made(no_llm, chosen, library, encoder, search)


def unopened_asking(llm: Callable[[LlmSettings], LlmConnection], chosen: Mapping[str, object]) -> Workbench:
    return _made(llm, chosen, MemoryLibrary, LetterEncoder)


def _made(
    llm: Callable[[LlmSettings], LlmConnection],
    chosen: Mapping[str, object],
    library: Callable[[], Library],
    encoder: Callable[[], Embedder],
    search: CandidateSearch | None = None,
) -> Workbench:
    said = {"search_intent.debounce_ms": 0, **chosen}
    return workbench_of(
        SettingsSources(file={"combination": "balanced"}, command_line=said),
        open_library=library,
        encoders={"intentscope-minilm": Encoder(lambda _: encoder())},
        make_llm=llm,
        seed={
            "memories": lambda: [Line(1, Memory(("check my database",), id="db"))],
            "powers": lambda: [Line(1, Power("postgres", keywords=("postgres",)))],
            "cases": lambda: [Line(1, Case("check my database", ("db",), Task.MEMORY))],
        },
        data_stores=DATA_STORES,
        read_file=read_file,
        read_log=read_log,
        candidate_search=lambda library: search,
    )


async def names(workbench: Workbench, query: str) -> list[str]:
    return [match.answer.name for match in (await workbench.settle(query)).matches]
