"""Desk whose history stores traces, with functions that wait for it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from app.adapters.formats.query_logs import read_log
from app.display.documents import inspection_document
from app.domain.history import HistoryEntry, HistoryFilter
from app.domain.journal import Edit
from app.domain.library import Memory, Power
from app.ports.encoder import Embedder
from app.ports.llm import LlmConnection
from app.ports.store import Library
from app.services.engine.adapters import Encoder
from app.services.workbench import Workbench
from app.settings.sections import LlmSettings
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import LetterEncoder, no_llm, workbench_of

TAUGHT = (
    Memory(("the build is slow", "why is the build slow"), id="slow-build"),
    Memory(("rotate the keys",), id="keys"),
    Power("postgres", "Query the database", keywords=("postgres",)),
)

ALL = HistoryFilter()
TAUGHT_EDIT = Edit("taught")


@asynccontextmanager
async def past_desk(
    library: Callable[[], Library] = MemoryLibrary,
    *,
    encoder: Callable[[], Embedder] = LetterEncoder,
    make_llm: Callable[[LlmSettings], LlmConnection] = no_llm,
    settings: Mapping[str, object] = {},
    ready: bool = True,
    watch: bool = False,
) -> AsyncGenerator[Workbench, None]:
    """Open a workbench with TAUGHT in its library."""
    bench = workbench_of(
        {"search_intent.debounce_ms": 0, **settings},
        open_library=library,
        encoders={"intentscope-minilm": Encoder(lambda _: encoder())},
        make_llm=make_llm,
        trace_document=inspection_document,
        read_log=read_log,
    )
    await bench.open(watch=watch)
    if ready:
        await bench.ready()
    try:
        await teach(bench, TAUGHT)
        yield bench
    finally:
        await bench.close()


async def teach(bench: Workbench, answers: Iterable[Memory | Power]) -> None:
    for answer in answers:
        await bench.journal.do(TAUGHT_EDIT, [answer])
    if bench.status().encoder_state.value == "ready":
        await bench.ready()


async def typed(bench: Workbench, text: str) -> None:
    """Type a query, wait for the answer, and act on it immediately."""
    async for _ in bench.inspect(text):
        pass
    await settled(bench)


async def settled(bench: Workbench) -> None:
    recorder = bench.history.recorder
    bench.history.recorder.keep_settled()
    await recorder.wait_decisions()
    await recorder.flush()
    while recorder._comparing is not None and not recorder._comparing.done():
        await asyncio.wait([recorder._comparing])


async def kept(bench: Workbench, wanted: HistoryFilter = ALL) -> list[HistoryEntry]:
    history = bench.history
    return await history.page(await history.find(wanted, descending=False))


def log_file(folder: Path, text: str) -> Path:
    file = folder / "queries.log"
    file.write_text(text, "utf-8")
    return file
