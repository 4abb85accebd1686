"""Contract of every library on run records of powers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.journal import Edit, ItemKind
from app.domain.library import Power, Transport
from app.domain.running import RunRecord, ToolSchema
from app.ports.store import Library
from tests.fakes import MemoryLibrary

POWER = Power("git", transport=Transport("git-server"))
TOOLS = (
    ToolSchema("log", "Tells\0 what\ud800 was.", "Log", {"type": "object", "properties": {"n": {"maximum": 10**40}}}),
    ToolSchema("bare", output_schema={"type": "object"}),
)


@pytest.fixture
def library() -> Library:
    made = MemoryLibrary()
    made.change(Edit("added"), [POWER])
    return made


def key_of(library: Library) -> int:
    return library.powers()[0].key or 0


def test_that_nothing_is_kept_of_a_power_that_never_ran(library: Library) -> None:
    assert library.run_records() == {}


def test_that_what_is_given_is_kept_and_the_rest_stays(library: Library) -> None:
    key = key_of(library)
    library.record_run(key, approved="abc")
    library.record_run(key, tools=TOOLS[1:], activations=1)
    library.record_run(key, seen={"bare": "d"}, calls=3)
    library.record_run(key, calls=2)
    kept = library.run_records()[key]
    assert replace(kept, last_used=None) == RunRecord("abc", TOOLS[1:], {"bare": "d"}, 1, 5)
    assert kept.last_used is not None
    library.record_run(key, tools=(), seen={})
    assert (library.run_records()[key].tools, library.run_records()[key].seen) == ((), {})


def test_that_no_use_is_no_time_of_use(library: Library) -> None:
    library.record_run(key_of(library), approved="abc")
    assert library.run_records()[key_of(library)].last_used is None


def test_that_whatever_text_a_server_tells_can_be_kept(library: Library) -> None:
    library.record_run(key_of(library), tools=TOOLS)
    assert library.run_records()[key_of(library)].tools == TOOLS


def test_that_whatever_withdraws_an_approval_forgets_what_it_was_for(library: Library) -> None:
    key = key_of(library)
    library.change(Edit("approved"), [replace(library.powers()[0], approved=True)])
    library.record_run(key, approved="abc", calls=1)
    library.change(Edit("edited"), [replace(library.powers()[0], description="other")])
    assert library.run_records()[key].approved == "abc"
    library.change(Edit("edited"), [replace(library.powers()[0], transport=Transport("other"))])
    assert library.run_records()[key].approved == ""
    library.undo()
    assert library.powers()[0].approved
    assert (library.run_records()[key].approved, library.run_records()[key].calls) == ("", 1)


def test_that_a_power_that_comes_back_from_the_bin_unapproved_is_unapproved(library: Library) -> None:
    key = key_of(library)
    library.record_run(key, approved="abc")
    library.change(Edit("deleted"), gone=[(ItemKind.POWER, key)])
    library.undo()
    assert library.run_records()[key].approved == ""
