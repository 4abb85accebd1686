"""What data stores do and how well, by running them: `contract` prints which store passes which case, `recall` what
PostgreSQL's index finds of what comparing every vector finds, and in what time."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import closing
from statistics import median

import numpy as np
import pytest

from app.adapters.datastores.postgres import INDEX, PostgresStore
from app.domain.datastore import Document
from app.domain.route import RouteIntent
from app.ports.datastore import StoreQuery
from app.ports.encoder import Vectors
from tests.store_servers import postgres_server

SUITES = ("tests/contracts/test_data_stores.py", "tests/contracts/test_mapped_stores.py")
MARKS = {"passed": "yes", "failed": "NO", "skipped": "skipped"}
CHUNK, QUERIES, HITS = 500, 50, 10
LENGTH, CENTRES, SPREAD = 384, 1_000, 0.8
"""Length of vectors, number of their centres, and noise relative to the length.

Texts have such clusters by subject.
"""


# ---- The contract table


class Outcomes:
    """Plugin of pytest: results of the contracts' tests by case and store."""

    def __init__(self) -> None:
        self.by_case: dict[str, dict[str, list[str]]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name, _, rest = report.nodeid.rpartition("::")[2].removesuffix("]").partition("[")
        if report.when != "call" and report.outcome == "passed":
            return
        alone = next((store for store in ("neo4j", "graphiti") if store in name), "postgresql")
        store = rest.partition("-")[0] or alone
        column = f"{store} mapped" if "mapped" in report.nodeid else store
        case = name.removeprefix("test_that_").replace("_", " ")
        self.by_case.setdefault(case, {}).setdefault(column, []).append(report.outcome)

    def lines(self) -> Iterator[str]:
        """Yield the table in Markdown; a cell is empty if the case is not for the store."""
        columns = list(dict.fromkeys(column for cells in self.by_case.values() for column in cells))
        yield f"| case | {' | '.join(columns)} |"
        yield f"| --- |{' --- |' * len(columns)}"
        for case, cells in self.by_case.items():
            told = (_worst(cells[column]) if column in cells else "" for column in columns)
            yield f"| {case} | {' | '.join(told)} |"


def _worst(outcomes: Sequence[str]) -> str:
    return next(MARKS[one] for one in ("failed", "skipped", "passed") if one in outcomes)


def contract() -> int:
    """Run the contracts of stores, and print the table."""
    found = Outcomes()
    ended = pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", "--no-summary", *SUITES], [found])
    print("\n".join(found.lines()))
    return int(ended)


# ---- Recall and times


def clustered(count: int) -> tuple[Vectors, Vectors]:
    """Generate vectors around centres, and queries near some of them."""
    rng = np.random.default_rng(7)
    centres = rng.normal(size=(CENTRES, LENGTH)).astype(np.float32)
    made = centres[rng.integers(CENTRES, size=count + QUERIES)]
    made += rng.normal(size=made.shape).astype(np.float32) * SPREAD
    return made[:count], made[count:]


def filled(store: PostgresStore, vectors: Vectors) -> None:
    """Store a document for each vector, in chunks."""
    for start in range(0, len(vectors), CHUNK):
        some = vectors[start : start + CHUNK]
        documents = [
            Document(f"memory:{n}", f"n{n}", (f"text {n} of shelf {n % 997}",), {"tag": (f"t{n % 100}",)})
            for n in range(start, start + len(some))
        ]
        store.put(
            [(one, "as it is") for one in documents], dict(zip((one.texts[0] for one in documents), some, strict=True))
        )


def asked(store: PostgresStore, queries: Vectors, way: RouteIntent) -> tuple[list[list[str]], list[float], bool]:
    """Return the hits of each query, its time in ms, and whether the search was exact."""
    answers = [store.search(StoreQuery(f"shelf {n}", way, query, HITS, seconds=60)) for n, query in enumerate(queries)]
    return (
        [[hit.id for hit in answer.hits] for answer in answers],
        [answer.ms for answer in answers],
        all(answer.is_exact for answer in answers),
    )


def recall(count: int) -> None:
    """Fill, query by meaning and by words and meaning, index, and query again."""
    vectors, queries = clustered(count)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    exact = [[f"memory:{n}" for n in np.argsort(-(unit @ query))[:HITS]] for query in queries]
    with postgres_server() as address, closing(PostgresStore(address, "one")) as store:
        store.prepare()
        begun = time.perf_counter()
        filled(store, vectors)
        print(f"{count:,} documents of {LENGTH} numbers: filled in {time.perf_counter() - begun:.1f} s")
        ways = (RouteIntent.VECTOR, RouteIntent.HYBRID)
        before = {way: asked(store, queries, way) for way in ways}
        begun = time.perf_counter()
        store._connected().execute(INDEX.format(length=LENGTH).encode())
        print(f"index made in {time.perf_counter() - begun:.1f} s")
        for way in ways:
            found, ms, is_exact = asked(store, queries, way)
            was, was_ms, _ = before[way]
            right = exact if way is RouteIntent.VECTOR else was
            share = sum(len(set(one) & set(other)) for one, other in zip(found, right, strict=True)) / (HITS * QUERIES)
            print(
                f"{way.value}: recall@{HITS} {share:.4f}, approximate {not is_exact}, "
                f"p50 {median(ms):.1f} ms with the index, {median(was_ms):.1f} ms without"
            )


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("contract", "recall"))
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000])
    options = parser.parse_args()
    if options.what == "contract":
        return contract()
    for rows in options.rows:
        recall(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
