"""Past queries for tests of history and inbox: a window on them, and functions that wait."""

import asyncio
from collections.abc import Sequence
from typing import Any

from pytestqt.qtbot import QtBot

from app.domain.history import Doubt, HistoryEntry, Source
from app.domain.library import Memory, Power
from app.gui.shell.main_window import MainWindow
from app.services.workbench import Workbench
from tests.gui.conftest import Opener
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

ANSWERS = (
    Power("postgres", "Ask PostgreSQL", ("postgres",)),
    Power("mysql", "Ask MySQL", ("mysql",)),
    Memory(("the build is slow", "why is the build slow"), id="slow-build", intent="speed-up"),
    Memory(("rotate the keys",), id="keys", intent="secrets"),
)


def history_entry(text: str | None, place: int = 0, **values: Any) -> HistoryEntry:
    """Make a query in the inbox with a weak best answer.

    Place 0 is the newest, `values` change it.
    """
    told: dict[str, Any] = {
        "at": f"2026-11-20 10:{59 - place // 60 % 60:02}:{59 - place % 60:02}",
        "source": Source.WINDOW,
        "text": text,
        "type": "troubleshoot",
        "confidence": 0.55,
        "kind": "memory",
        "answer": "slow-build",
        "answer_confidence": 0.412,
        "settled_ms": 3.2,
        "doubts": (Doubt.WEAK,),
        "trace": {
            "intent": {"type": "troubleshoot", "confidence": 0.55, "source": "keyword", "keywords": [], "topics": []},
            "matches": [
                {
                    "kind": "memory",
                    "id": "slow-build",
                    "name": "slow-build",
                    "confidence": 0.412,
                    "band": "low",
                    "winner": ["fuzzy"],
                    "trigger": "the build is slow",
                    "scores": {"exact": 0.0, "fuzzy": 0.412},
                    "arithmetic": [
                        {
                            "step": "confidence",
                            "operation": "max",
                            "operands": {"exact": 0.0, "fuzzy": 0.412},
                            "result": 0.412,
                        }
                    ],
                },
                {"kind": "memory", "id": "keys", "name": "keys", "confidence": 0.4, "band": "low", "scores": {}},
            ],
            "resolution": None,
            "route": None,
            "trace": {"stages": [{"name": "keywords", "ms": 0.4, "outcome": "ok"}], "rules": [], "merge": []},
            "settings": {},
            "floor": {"type": "troubleshoot", "confidence": 0.55},
            "first_key": None,
        },
    }
    return HistoryEntry(**{**told, **values})


def history_entries(count: int) -> list[HistoryEntry]:
    return [history_entry(f"the nightly build number {n} is slow", n) for n in range(count)]


def bench_of(queries: Sequence[HistoryEntry]) -> tuple[Workbench, MemoryLibrary]:
    """Make a real workbench whose library holds these queries, not yet opened."""
    library = MemoryLibrary()
    library.add_queries(queries)
    return real_bench(library, ANSWERS), library


def open_on(qtbot: QtBot, open_window: Opener, queries: Sequence[HistoryEntry]) -> tuple[MainWindow, MemoryLibrary]:
    """Open a window on these queries, with its encoder ready."""
    bench, library = bench_of(queries)
    window = open_window(bench)
    window.activateWindow()
    qtbot.waitUntil(
        lambda: window.scope.state.status is not None and window.scope.state.status.encoder_state == "ready"
    )
    return window, library


def keep(window: MainWindow, qtbot: QtBot, queries: Sequence[HistoryEntry]) -> None:
    """Store queries as another program would, and wait for the notice."""
    done: list[object] = []

    async def act(bench: Workbench) -> None:
        await bench.in_store(lambda library: library.add_queries(queries))
        bench.history.library_changed()
        await asyncio.sleep(0)

    window.worker.do(act, done.append, done.append)
    qtbot.waitUntil(lambda: bool(done))
