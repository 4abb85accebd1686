"""Contract of every EvaluationRuns."""

from __future__ import annotations

import json
import sqlite3
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from app.adapters.store.library import SqlLibrary
from app.domain.case import CaseOutcome, Delivered, EvaluationRun, Task
from app.domain.running import ActivationBlocker
from app.ports.store import Library

RUN = EvaluationRun(
    at=1_800_000_000.5,
    task=Task.INTENT,
    source="cases.jsonl",
    cases=2,
    right=1,
    combination="max",
    threshold=0.3,
    metrics={"top1": 0.5, "auroc": None},
    settings={"combination": "max"},
    digests={"answers": 2**60 + 1},
    versions={"program": "1.0", "encoder": "minilm"},
    step=7,
)
BROUGHT = Delivered((("fix-it", "fix"), ("other", "other")), "git", can_inject=True)
WON = CaseOutcome("is it broken", "fix", 0.75, False, 1, 0.9, "activated", {"semantic": 0.5}, ("rule-1",), BROUGHT)
LOST = CaseOutcome("odd \ud800", None, 0.0, True, None)


def test_that_a_run_comes_back_with_what_its_cases_came_to(library: Library) -> None:
    kept = library.evaluation_runs
    key = kept.keep(RUN, [WON, LOST], 5)
    assert kept.runs() == [replace(RUN, key=key)]
    assert kept.outcomes(key, [WON.text, "another", LOST.text]) == [WON, LOST]
    assert kept.outcomes(key + 1, [WON.text]) == []


def test_that_it_is_stored_why_a_power_would_not_start(library: Library) -> None:
    blocked = [
        replace(WON, text=blocker.value, delivered=Delivered(found_power="git", blocker=blocker))
        for blocker in ActivationBlocker
    ]
    key = library.evaluation_runs.keep(RUN, blocked, 5)
    assert library.evaluation_runs.outcomes(key, [one.text for one in blocked]) == blocked


@pytest.mark.parametrize(
    ("stored", "delivered"),
    [
        ([[["fix-it", "fix"]], "git", True], None),
        ([[["fix-it", "fix"]], "", True], None),
        ([[["fix-it", "fix"]], "git", True, "git", False], None),
        ([[], "", True, "git", False], None),
        ([[], "", True, "git", True], Delivered((), "", True, "git", ActivationBlocker.APPROVAL)),
        ([[["fix-it", "fix"]], "", True, "", False], Delivered((("fix-it", "fix"),), can_inject=True)),
    ],
)
def test_that_an_older_delivery_counts_only_if_it_tells_whether_its_power_would_start(
    tmp_path: Path, stored: list[object], delivered: Delivered | None
) -> None:
    library = SqlLibrary.open(tmp_path / "profile")
    key = library.evaluation_runs.keep(RUN, [WON], 9)
    connection = sqlite3.connect(library.file, isolation_level=None)
    (packed,) = connection.execute("SELECT document FROM evaluation_runs").fetchone()
    document = {text: [*held[:-1], stored] for text, held in json.loads(zlib.decompress(packed)).items()}
    connection.execute("UPDATE evaluation_runs SET document = ?", (zlib.compress(json.dumps(document).encode()),))
    connection.close()
    assert library.evaluation_runs.outcomes(key, [WON.text]) == [replace(WON, delivered=delivered)]
    library.close()


def test_that_the_newest_come_first_and_only_so_many_stay(library: Library) -> None:
    kept = library.evaluation_runs
    keys = [kept.keep(replace(RUN, right=right), [WON], 3) for right in range(5)]
    assert [run.key for run in kept.runs()] == keys[:1:-1]
    assert kept.outcomes(keys[0], [WON.text]) == []
    assert [run.right for run in kept.runs()] == [4, 3, 2]
    first, *others = kept.runs()
    assert (kept.forget(first.key), kept.runs(), kept.forget(first.key)) == (1, others, 0)
    assert (kept.forget(), kept.runs(), kept.forget()) == (2, [], 0)


def test_that_kept_runs_go_with_the_whole_history(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path / "profile")
    library.evaluation_runs.keep(RUN, [WON], 3)
    assert library.forget_queries([1]) == 0
    assert len(library.evaluation_runs.runs()) == 1
    assert library.forget_queries() == 0
    assert library.evaluation_runs.runs() == []
    library.close()


def test_that_no_text_of_a_case_is_kept_and_what_is_damaged_is_passed_over(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path / "profile")
    kept = library.evaluation_runs
    key = kept.keep(RUN, [WON], 9)
    connection = sqlite3.connect(library.file, isolation_level=None)
    (packed,) = connection.execute("SELECT document FROM evaluation_runs").fetchone()
    assert b"broken" not in zlib.decompress(packed)
    connection.execute("UPDATE evaluation_runs SET document = ?", (zlib.compress(b'{"x": [1]}'),))
    assert kept.outcomes(key, [WON.text]) == []
    connection.execute("UPDATE evaluation_runs SET document = ?", (packed[:5],))
    assert kept.outcomes(key, [WON.text]) == []
    connection.execute("UPDATE evaluation_runs SET document = ?", (zlib.compress(b"[]"),))
    assert kept.outcomes(key, [WON.text]) == []
    broken = zlib.decompress(packed).replace(b"0.75", b"7.5")
    connection.execute("UPDATE evaluation_runs SET document = ?", (zlib.compress(broken),))
    assert kept.outcomes(key, [WON.text]) == []
    connection.execute("UPDATE evaluation_runs SET task = 'odd'")
    assert kept.runs() == []
    connection.close()
    library.close()
