"""Growth of a team's library. Run: `python -m tests.benchmarks.growth --texts FILE --sizes N`.

A real server in a temporary folder on this machine, without a network between, filled and searched by the product's own
code. The first texts are those of the files ("text" or "query" of each line) with the vectors of the encoder that
ships; beyond them each is such a text with two more words and a number, and its vector the text's moved by noise of
`NOISE`: neighbours that were made up, as the tables say. A memory has three triggers. Told are seconds to fill (vectors
were made before) and to make the indexes, bytes a trigger, milliseconds a query (P50, P95), with and without scoring
what was found, the share of the nearest ten memories that is found, and queries a second with several clients, each a
process of its own. `--svg FILE` draws what `--json FILE` kept of runs.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import update

from app.adapters.encoders.minilm import MiniLm
from app.adapters.store.library import SqlLibrary
from app.adapters.store.team.bulk_load import BulkLoad
from app.adapters.store.team.search import SqlCandidates
from app.adapters.store.team.server import Server
from app.domain.encoder import Provenance
from app.domain.library import Dated, Membership, Memory
from app.ports.datastore import Candidates
from app.scoring.index.ranking import rank
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import QueryVector, ScoredText
from app.settings.model import Settings
from db.team import LIBRARY
from tests import store_servers
from tests.benchmarks.plot import Lines, draw
from tests.store_servers import postgres_server

TRIGGERS = 3
NOISE = 0.6
ASKED = 200
CANDIDATES = 64
CLIENTS = (1, 5, 20)
CLIENT_SECONDS = 10.0
MORE = "today tomorrow urgently abroad online offline twice again berlin london paris monday friday soon later".split()
SERVER = (
    "-c listen_addresses='' -c fsync=off -c shared_buffers=4GB -c maintenance_work_mem=4GB -c max_connections=60 "
    "-c max_wal_size=20GB -c max_parallel_maintenance_workers=2 -c shared_memory_type=mmap"
)

Vectors = NDArray[np.float32]


class MadeLibrary:
    """Copy of a library with generated texts and known vectors, so that only filling is timed."""

    def __init__(self, texts: Sequence[str], vectors: Vectors, triggers: int) -> None:
        self._texts, self._base, self._memories = texts, vectors, triggers // TRIGGERS

    def text(self, place: int) -> str:
        base = self._texts[place % len(self._texts)]
        if place < len(self._texts):
            return base
        more = MORE[place % len(MORE)], MORE[(place // len(MORE)) % len(MORE)]
        return f"{base} {more[0]} {more[1]} {place // len(self._texts)}"

    def vector(self, place: int) -> Vectors:
        made = self._base[place % len(self._texts)]
        if place >= len(self._texts):
            noise = np.random.default_rng(place).standard_normal(made.shape, np.float32)
            made = made + noise * np.float32(NOISE / np.sqrt(len(made)))
        return cast("Vectors", made / np.linalg.norm(made))

    def team(self) -> Membership:
        return Membership("made", "", "", 0, "")

    def find_memories(self, _: object) -> list[int]:
        return list(range(1, self._memories + 1))

    def memories_by_key(self, keys: Sequence[int]) -> list[Dated[Memory]]:
        return [Dated(self.memory(key), "", "") for key in keys]

    def memory(self, key: int) -> Memory:
        first = (key - 1) * TRIGGERS
        return Memory(tuple(map(self.text, range(first, first + TRIGGERS))), id=str(key), key=key)

    def embeddings(self, _: Provenance, texts: Sequence[str]) -> dict[str, Vectors]:
        return {text: self._known[text] for text in texts}

    def know(self, keys: Sequence[int]) -> None:
        places = [(key - 1) * TRIGGERS + one for key in keys for one in range(TRIGGERS)]
        self._known = {self.text(place): self.vector(place) for place in places}


class TimedFilling(BulkLoad):
    """Bulk load whose time excludes generating texts and vectors."""

    loaded = made = 0.0

    def _memories(self, keys: Sequence[int]) -> list[Memory]:
        begun = time.perf_counter()
        found = super()._memories(keys)
        cast("MadeLibrary", self._copy).know(keys)
        self.made += time.perf_counter() - begun
        return found

    def _load(self, filled: int, tell: Any) -> None:
        begun = time.perf_counter()
        super()._load(filled, tell)
        self.loaded = time.perf_counter() - begun - self.made


def asked_of(library: MadeLibrary, triggers: int) -> list[tuple[str, Vectors]]:
    """Return queries: triggers without one of their words, with vectors moved likewise.

    They are moved as far as neighbours are.
    """
    chance = np.random.default_rng(7)
    found = []
    for place in chance.integers(0, triggers - TRIGGERS, ASKED).tolist():
        words = library.text(place).split()
        words.pop(int(chance.integers(len(words))))
        vector = library.vector(place)
        vector = vector + chance.standard_normal(vector.shape, np.float32) * np.float32(NOISE / np.sqrt(len(vector)))
        found.append((" ".join(words), cast("Vectors", vector / np.linalg.norm(vector))))
    return found


def spread(took: Sequence[float]) -> dict[str, float]:
    ordered = sorted(took)
    return {"p50_ms": statistics.median(ordered), "p95_ms": ordered[int(len(ordered) * 0.95) - 1]}


def scored(library: MadeLibrary, found: Mapping[int, Mapping[str, Vectors]], text: str, vector: Vectors) -> str | None:
    """Return the memory that the client's scorers rank first among the found ones."""
    memories = [library.memory(key) for key in found]
    index = TriggerIndex(len(vector))
    index.put(memories)
    for own in found.values():
        index.embed(own)
    settings = Settings(combination="balanced")
    scores = index.with_meaning(index.score(ScoredText(text), name_counts=False), QueryVector(vector, vector))
    best = rank(scores, settings, 1, by_label=False).memories.tolist()
    return index.candidate(int(scores.layout.slots[best[0]])).answer.id if best else None


def client(address: str, asked: Sequence[tuple[str, Vectors]], first: int, begin: Any, told: Any) -> None:
    """Query for some seconds, starting with all other clients; report the durations."""
    with closing(SqlCandidates(Server(address))) as search:
        ask = asking(search)
        ask(*asked[first % len(asked)])
        begin.wait()
        took: list[float] = []
        end, place = time.monotonic() + CLIENT_SECONDS, first
        while time.monotonic() < end:
            place += 1
            took.append(ask(*asked[place % len(asked)]).ms)
        told.put(took)


def asking(search: SqlCandidates) -> Callable[[str, Vectors], Candidates]:
    standing = search.status()
    assert standing is not None
    return partial(search.search, most=CANDIDATES, encoder=standing.encoder)


def throughput(address: str, asked: Sequence[tuple[str, Vectors]]) -> dict[int, dict[str, float]]:
    found = {}
    context = multiprocessing.get_context("spawn")
    for clients in CLIENTS:
        told, begin = context.Queue(), context.Barrier(clients)
        running = [
            context.Process(target=client, args=(address, asked, 17 * place, begin, told)) for place in range(clients)
        ]
        for one in running:
            one.start()
        took = [ms for _ in range(clients) for ms in told.get()]
        for one in running:
            one.join()
        found[clients] = {"queries_a_second": len(took) / CLIENT_SECONDS, **spread(took)}
    return found


def bytes_on(server: Server) -> dict[str, int]:
    sizes = (
        "SELECT relname, pg_relation_size(oid) FROM pg_class WHERE relname ~ '^search_(t|w)' AND relkind IN ('r', 'i')"
    )
    with server.transaction() as connection:
        return {str(name): int(size) for name, size in connection.exec_driver_sql(sizes)}


def measured(texts: Sequence[str], vectors: Vectors, triggers: int) -> dict[str, Any]:
    library = MadeLibrary(texts, vectors, triggers)
    encoder = type("Encoder", (), {"provenance": MiniLm.load().provenance})()
    with ExitStack() as running:
        address = running.enter_context(postgres_server())
        server = running.enter_context(closing(Server(address)))
        with server.transaction() as connection:
            connection.execute(update(LIBRARY).values(id=library.team().library))
        filling = TimedFilling(cast("SqlLibrary", library), server, encoder)
        begun = time.perf_counter()
        filling.fill()
        whole = time.perf_counter() - begun - filling.made
        sizes = bytes_on(server)
        asked = asked_of(library, triggers)
        search = running.enter_context(closing(SqlCandidates(server)))
        ask = asking(search)
        for text, vector in asked[:20]:
            ask(text, vector)
        took, with_scoring, hits, wanted = [], [], 0, 0
        for place, (text, vector) in enumerate(asked):
            found = ask(text, vector)
            took.append(found.ms)
            begun = time.perf_counter()
            scored(library, found.vectors, text, vector)
            with_scoring.append(found.ms + (time.perf_counter() - begun) * 1000)
            if place < ASKED // 4:
                exact = filling.nearest(vector, 10)
                hits, wanted = hits + len(set(exact) & set(found.vectors)), wanted + len(exact)
        return {
            "triggers": sum(1 for _ in range(triggers // TRIGGERS)) * TRIGGERS,
            "fill_s": filling.loaded,
            "index_s": whole - filling.loaded,
            "bytes": {name: size / triggers for name, size in sizes.items()},
            "search": spread(took),
            "search_and_score": spread(with_scoring),
            "recall10": hits / wanted,
            "throughput": throughput(address, asked),
        }


def read(files: Sequence[Path]) -> Iterator[str]:
    for file in files:
        for line in file.read_text("utf-8").splitlines():
            held = json.loads(line)
            text = str(held.get("text") or held.get("query") or "").strip()
            if 3 < len(text) < 400:
                yield text


def lines(row: Mapping[str, Any]) -> Iterator[str]:
    load = os.getloadavg()[0]
    yield f"{row['triggers']:,} triggers, {os.cpu_count()} CPUs for all, load {load:.1f}"
    yield f"  filled in {row['fill_s']:.1f} s, indexes {row['index_s']:.1f} s"
    yield "  bytes a trigger: " + ", ".join(f"{name} {size:.0f}" for name, size in sorted(row["bytes"].items()))
    for name in ("search", "search_and_score"):
        yield f"  {name}: P50 {row[name]['p50_ms']:.1f} ms, P95 {row[name]['p95_ms']:.1f} ms"
    yield f"  of the nearest ten found: {row['recall10']:.3f}"
    for clients, one in row["throughput"].items():
        yield f"  {clients} clients: {one['queries_a_second']:.0f} a second, P95 {one['p95_ms']:.0f} ms"


def drawn(rows: Sequence[Mapping[str, Any]], picture: Path) -> None:
    times: Lines = {
        "a query, P50": lambda row: row["search"]["p50_ms"],
        "a query, P95": lambda row: row["search"]["p95_ms"],
        "P95 with 20 clients": lambda row: row["throughput"]["20"]["p95_ms"],
    }
    seconds: Lines = {
        "filled, s": lambda row: row["fill_s"],
        "indexes, s": lambda row: row["index_s"],
        "MB on the server": lambda row: sum(row["bytes"].values()) * row["triggers"] / 1e6,
    }
    about = "PostgreSQL 18, pgvector 0.8; clients and server on the same 2 CPUs; beyond 40,000 texts made-up neighbours"
    runs = sorted(((int(row["triggers"]), row) for row in rows), key=lambda run: run[0])
    draw(runs, {"ms per query": times, "seconds and megabytes": seconds}, about, picture)


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m tests.benchmarks.growth", description=__doc__)
    asked.add_argument("--texts", type=Path, nargs="*", default=[], help="JSON lines")
    asked.add_argument("--sizes", type=int, nargs="*", default=[10_000])
    asked.add_argument("--json", type=Path, help="runs are added to those that it holds")
    asked.add_argument("--svg", type=Path)
    options = asked.parse_args()
    kept = json.loads(options.json.read_text("utf-8")) if options.json and options.json.exists() else []
    if options.texts:
        store_servers.OPTIONS = SERVER
        texts = list(dict.fromkeys(read(options.texts)))
        np.random.default_rng(1).shuffle(texts)
        encoder = MiniLm.load()
        vectors = np.concatenate([encoder.encode(texts[at : at + 256]) for at in range(0, len(texts), 256)])
        for size in options.sizes:
            row = json.loads(json.dumps(measured(texts, vectors, size)))
            print("\n".join(lines(row)), flush=True)
            kept.append(row)
            if options.json:
                options.json.write_text(json.dumps(kept, indent=1), "utf-8")
    if options.svg:
        drawn(kept, options.svg)


if __name__ == "__main__":
    main()
