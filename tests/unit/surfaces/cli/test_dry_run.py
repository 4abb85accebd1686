"""Tests of dry runs: a short report on large files, and quick interruption."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.adapters.store.library import SqlLibrary
from app.domain.journal import Edit
from app.domain.library import Line, Memory, Power, Problem
from app.ports.store import Change
from app.services.library.import_export import ImportCancelledError, ImportResult
from app.surfaces.cli.library.transfer import SHOWN, dry_run
from app.surfaces.cli.output import Printer
from tests.fakes import MemoryLibrary

LINES = [Line(n, Memory((f"phrase {n}",))) for n in range(1, 31)]


class Interrupted(MemoryLibrary):
    """Library in which Ctrl+C is pressed during reading on another thread."""

    left: Iterator[Memory] = iter(())

    def add_kinds(self, kinds: Sequence[tuple[str, Iterable[Any]]], edit: Edit | None = None) -> list[Change]:
        self.left = iter(kinds[0][1])
        next(self.left)
        raise KeyboardInterrupt


def test_that_an_interrupted_dry_run_reads_no_further() -> None:
    library = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        dry_run(library, [("memories", LINES)], Printer(io.StringIO()))
    with pytest.raises(ImportCancelledError):
        next(library.left)


def test_that_a_rehearsal_reads_back_only_what_it_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(SqlLibrary, "memories")
    library = SqlLibrary.open(tmp_path)
    out = io.StringIO()
    assert dry_run(library, [("memories", LINES)], Printer(out))
    library.close()
    told = out.getvalue().splitlines()
    assert told[1 : SHOWN + 1] == [f"add phrase {n} (no intent)" for n in range(1, SHOWN + 1)]
    assert told[-1] == f"add {30 - SHOWN} more"


def test_that_what_was_left_out_of_a_line_and_what_no_query_finds_is_told() -> None:
    library, out = MemoryLibrary(), io.StringIO()
    library.add("powers", [Power("known", "reads tables")])
    lines = [
        Line(1, Power("time"), "headers were left out: A."),
        Line(2, Power("files")),
        Line(3, Power("git", keywords=("commit",))),
        Line(4, Power("known")),
    ]
    dry_run(library, [("powers", lines)], Printer(out))
    told = out.getvalue()
    assert "note on line 1: headers were left out: A.\n" in told
    assert "\ntime, files" in told
    assert "time, files: no keywords or tools yet, so only the name is matched. Start each once" in told
    assert "git:" not in told


def test_that_notes_and_names_are_bounded_and_stand_in_the_document() -> None:
    notes = tuple(Problem(n, "left out.") for n in range(30))
    intake = ImportResult("powers", Change(), (), notes, tuple(f"p{n}" for n in range(12)))
    assert "and 10 more lines with notes" in intake.text()
    assert "p9 and 2 more: no keywords or tools yet" in intake.text()
    assert len(intake.document()["notes"]) == 30
    assert intake.document()["no_words"][-1] == "p11"
