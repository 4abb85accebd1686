"""`encoders` says what each costs or lacks, and installs what one lacks, step by step."""

from __future__ import annotations

import asyncio
import io

import orjson
import pytest

from app.domain.errors import KnownError
from app.services.workbench import Workbench
from app.surfaces.cli.check_up import install, print_encoders, try_out
from tests.gui.encoders import FakeEncoders
from tests.unit.services.benches import unopened


@pytest.fixture
def workbench() -> Workbench:
    made = unopened()
    made.encoders = FakeEncoders()
    return made


def told(workbench: Workbench, *, as_json: bool = False) -> str:
    out = io.StringIO()
    asyncio.run(print_encoders(workbench, out, as_json=as_json))
    return out.getvalue()


def test_that_each_encoder_stands_with_its_cost_or_what_it_lacks(workbench: Workbench) -> None:
    text = told(workbench)
    assert "* minilm" in text
    assert "24 MB on disk, offline" in text
    assert "accurate is not installed." in text
    rows = {row["name"]: row for row in orjson.loads(told(workbench, as_json=True))["encoders"]}
    assert [name for name, row in rows.items() if row["is_set"]] == ["minilm"]
    assert [name for name, row in rows.items() if row["can_be_installed"]] == ["accurate", "sentence-transformers"]


def test_that_installing_tells_its_steps_and_then_what_it_costs(
    workbench: Workbench, capsys: pytest.CaptureFixture[str]
) -> None:
    out = io.StringIO()
    asyncio.run(install(workbench, "accurate", "", out, as_json=False))
    assert "accurate is installed: 92 MB on disk, offline, at least 18.0 ms a query" in out.getvalue()
    assert "Successfully installed (3 of 3)" in capsys.readouterr().err
    assert "* minilm" in told(workbench)  # what is set stays


def test_that_a_trial_is_one_sentence_or_one_document(workbench: Workbench) -> None:
    out = io.StringIO()
    asyncio.run(try_out(workbench, "accurate", out, as_json=False))
    assert "100.0 % come out right with it, 50.0 % as it is now" in out.getvalue()
    out = io.StringIO()
    asyncio.run(try_out(workbench, "accurate", out, as_json=True))
    document = orjson.loads(out.getvalue())
    assert (document["top1_before"], document["top1_after"], document["fixed"]) == (0.5, 1.0, 4)


def test_that_a_failure_is_the_installers_word(workbench: Workbench) -> None:
    assert isinstance(workbench.encoders, FakeEncoders)
    workbench.encoders.fault = "The disk is full."
    with pytest.raises(KnownError, match="The disk is full"):
        asyncio.run(install(workbench, "accurate", "", io.StringIO(), as_json=True))
