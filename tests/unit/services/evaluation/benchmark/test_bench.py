import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from app.scoring.columns.fuzzy import FuzzyColumn
from app.scoring.index import ranking as ranking_module
from app.scoring.index.ranking import Ranking
from app.scoring.index.scores import Scores
from app.services.evaluation import bench as bench_module
from app.services.evaluation.bench import COMBINATION, COMBINATIONS, MANY, bench, report
from app.settings.model import Settings
from tests.unit.scoring.vectors import vectors_of


@pytest.fixture(scope="module")
def small() -> Iterator[dict[str, object]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench_module, "SESSIONS", 1)
        yield bench([1, 60], seed=3, embed=vectors_of)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_module, "SESSIONS", 1)
    monkeypatch.setattr(bench_module, "COMBINATIONS", (COMBINATION,))


def test_that_the_document_has_the_shape_of_the_specification(small: dict[str, object]) -> None:
    found = json.loads(json.dumps(small))
    assert set(found["machine"]) >= {"platform", "cpus", "python", "numpy", "rapidfuzz"}
    assert list(found["sizes"]) == ["1", "60"]
    row = found["sizes"]["60"]
    assert set(row) >= {"exact", "vs_loop", "vs_limit", "p50_ms", "p95_ms", "rows_checked"}
    assert row["rows_checked"] == 60
    assert row["combinations"].keys() == set(COMBINATIONS)
    assert row["combinations"]["balanced"].items() >= {"p50_ms": row["p50_ms"], "p95_ms": row["p95_ms"]}.items()
    assert row["encode_p50_ms"] is not None
    for figures in row["combinations"].values():
        assert figures["edits"].keys() == set(bench_module.EDITS)
        assert all(0.0 < took["p50_ms"] <= took["p95_ms"] for took in figures["edits"].values())


def test_that_the_engine_is_exact(small: dict[str, object]) -> None:
    found = json.loads(json.dumps(small))
    assert all(row["exact"] is True for row in found["sizes"].values())


def test_that_the_report_is_a_table(small: dict[str, object]) -> None:
    page = report(small)
    assert "yes (60 rows)" in page
    assert "vs limit" in page


@pytest.mark.usefixtures("short")
def test_that_a_wrong_score_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = FuzzyColumn.score
    monkeypatch.setattr(FuzzyColumn, "score", lambda column, query: right(column, query) * 0.999)
    assert bench([30])["sizes"]["30"]["exact"] is False


@pytest.mark.usefixtures("short")
def test_that_a_wrong_ranking_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = ranking_module.rank

    def without_the_best(scores: Scores, settings: Settings, count: int) -> Ranking:
        ranking = right(scores, settings, count + 1)
        return replace(ranking, memories=ranking.memories[1:])

    monkeypatch.setattr(bench_module, "rank", without_the_best)
    assert bench([30])["sizes"]["30"]["exact"] is False


@pytest.mark.usefixtures("short")
def test_that_a_large_library_is_looped_over_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_module, "MANY", 50)
    monkeypatch.setattr(bench_module, "LOOPED_ROWS", 10)
    monkeypatch.setattr(bench_module, "CHECKED_ROWS", 20)
    row = bench([100])["sizes"]["100"]
    assert row["exact"] is True
    assert row["rows_checked"] == 20
    assert row["keystrokes"] > 60
    assert row["encode_p50_ms"] is None


def test_that_sizes_below_1_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 trigger"):
        bench([10, 0])
    assert MANY == 100_000


def test_that_made_up_texts_are_distinct_repeatable_and_of_3_to_12_words() -> None:
    texts = bench_module.triggers(2_000, Random(5))
    assert len(set(texts)) == 2_000
    assert texts == bench_module.triggers(2_000, Random(5))
    assert texts != bench_module.triggers(2_000, Random(6))
    lengths = [len(text.split()) for text in texts if " no. " not in text]
    assert min(lengths) >= 3
    assert max(lengths) <= 12
    assert 5 <= np.mean(lengths) <= 9


def test_that_a_session_types_deletes_edits_in_the_middle_and_pastes() -> None:
    target, pasted = "how do i open the last invoice?", "Find a lamp"
    done, typed = zip(*bench_module.session(target, pasted, Random(1)), strict=True)
    assert typed[0] == "h"
    assert target in typed[:-2]
    assert typed[-2:] == (pasted, pasted + "?")
    assert set(done) == set(bench_module.EDITS)
    assert done[typed.index(pasted)] == "pasting"
    for edit, before, after in zip(done[1:], typed, typed[1:], strict=False):
        if edit in ("typing", "deleting"):
            assert len(after) - len(before) == (1 if edit == "typing" else -1)
            assert after.startswith(before) or before.startswith(after)
    changes = [len(after) - len(before) for before, after in pairwise(typed)]
    assert {1, -1} <= set(changes)
    assert any(not target.startswith(text) for text in typed[:-2])
