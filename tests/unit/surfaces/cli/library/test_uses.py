"""Tests of the list of memories given to assistants, and of those never given."""

from __future__ import annotations

import io
import json
import re

import pytest

from app.domain.errors import KnownError
from app.domain.journal import Binned, Step, ThingKind
from app.domain.library import Memory
from app.domain.review.history import Access, HistoryEntry, Source
from app.surfaces.cli.library.curate import binned_as, curate
from app.surfaces.cli.output import Printer
from app.surfaces.cli.parser import parser
from tests.build import library_of
from tests.unit.services.benches import desk

ASKED = HistoryEntry(
    "2026-11-22 04:26:21", Source.HOOK, "ship it", accesses=(Access(2, 1, 0.9), Access(1, 2, 0.5, "count"))
)


async def test_that_uses_are_listed_and_a_memory_says_for_which_queries() -> None:
    library = library_of(Memory(("sign",), id="sign"), Memory(("ship",), id="ship", usage=2, right=1))
    library.add_queries([ASKED])

    async def said(*words: str, as_json: bool = False) -> str:
        out = io.StringIO()
        async with desk(lambda: library) as bench:
            await curate(bench, parser().parse_args(["history", *words]), Printer(out, as_json=as_json))
        return out.getvalue()

    assert await said("--uses", "never") == "sign: used 0, marked right 0 (never injected)\n"
    first, second = (await said("--uses", "most")).splitlines()
    assert first.startswith("ship: used 3, marked right 1 (last injected")
    assert second.startswith("sign: used 0")
    (found,) = json.loads(await said("--uses", "most", "--most", "1", as_json=True))["memories"]
    assert found == {"memory": "ship", "used": 3, "right": 1, "last_used": ASKED.at}
    assert "ship it  →  left out: beyond the count · Hook · 50 %" in await said("--memory", "sign")
    (access,) = json.loads(await said("--memory", "ship", as_json=True))["accesses"]
    assert (access["text"], access["source"], access["rank"], access["cut"]) == ("ship it", "hook", 1, None)


def test_that_of_several_in_the_bin_that_are_called_the_same_one_is_asked_for_by_its_step() -> None:
    def thrown(step: int, name: str) -> Binned:
        done = Step(step, "2026-11-20 10:00:00", "deleted", "", 1, "window")
        return Binned(done, ThingKind.MEMORY, Memory(("turn the key",), id=name, key=step))

    binned = [thrown(9, "keys"), thrown(7, "keys"), thrown(8, "doors@8")]
    assert [binned_as(f"memory:{name}", binned).step.id for name in ("keys@7", "keys@9", "doors@8")] == [7, 9, 8]
    with pytest.raises(KnownError, match=re.escape("memory:keys@9, memory:keys@7")):
        binned_as("memory:keys", binned)
    for other in ("memory:keys@8", "power:keys@7"):
        with pytest.raises(KnownError, match="has no"):
            binned_as(other, binned)
