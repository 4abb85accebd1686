"""Tests of invalid memories: not injected, not found by default, and shown with the reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.detect.surfacing import Cut, Surfaced
from app.display.documents import inspection_document
from app.display.scope.verdict import Outcome, decisions
from app.domain.library import Kind, Memory
from app.domain.review.health import FindingKind
from app.domain.scope.inspection import Decision, Inspection
from app.services.workbench import Workbench
from tests.build import library_of
from tests.unit.services.benches import desk
from tests.unit.services.review.test_health import found as health
from tests.unit.services.review.test_health import names

PAST, FUTURE = "2001-01-01 00:00:00", "2999-01-01 00:00:00"
OLD = Memory(("connect to the vpn",), "Use the old client.", "vpn", id="old-vpn")
NEW = Memory(("how to connect to the vpn now",), "Use the new client.", "vpn", id="new-vpn")
OTHER = Memory(("water the plants",), "Twice a week.", id="plants")


async def asked(*memories: Memory, text: str = "connect to the vpn") -> tuple[Inspection, Surfaced, Workbench]:
    library = library_of(*list(memories))
    async with desk(lambda: library) as bench:
        found = await bench.settle(text)
        return found, await bench.surface(found), bench


def injected(surfaced: Surfaced) -> list[str]:
    return [entry.memory.name for entry in surfaced.inside]


@pytest.mark.parametrize(
    ("old", "new", "cut", "reason"),
    [
        (replace(OLD, valid_to=PAST), NEW, Cut.EXPIRED, "no longer valid since 2001-01-01"),
        (replace(OLD, valid_from=FUTURE), NEW, Cut.NOT_YET, "not valid before 2999-01-01"),
        (OLD, replace(NEW, replaces=("old-vpn",)), Cut.REPLACED, "replaced by new-vpn"),
        (replace(OLD, valid_to=PAST), replace(NEW, replaces=("old-vpn",)), Cut.EXPIRED, "no longer valid since"),
    ],
)
async def test_that_what_does_not_hold_is_passed_over_with_why(old: Memory, new: Memory, cut: Cut, reason: str) -> None:
    found, surfaced, bench = await asked(old, new, OTHER)
    assert "old-vpn" not in injected(surfaced)
    assert (cut, "old-vpn") in [(why, one.memory.name) for one, why in surfaced.set_aside]
    memory = decisions(found, bench.settings)[Decision.MEMORY]
    assert memory.name != "old-vpn"
    assert f"old-vpn is passed over: it is {reason}" in memory.reason
    told = {one["name"]: one for one in inspection_document(found, bench.settings)["memories"]}
    assert told["old-vpn"]["lapse"]["kind"] == cut.value
    assert "lapse" not in told["new-vpn"]
    last = [match for match in found.matches if match.kind is Kind.MEMORY][-1]
    assert last.answer.name == "old-vpn", "it follows those that hold"
    assert not last.is_found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (replace(OLD, valid_to=FUTURE, valid_from=PAST), NEW),
        (OLD, replace(NEW, replaces=("old-vpn",), valid_from=FUTURE)),
        (OLD, replace(NEW, replaces=("old-vpn",), paused=True)),
        (replace(OLD, replaces=("old-vpn",)), NEW),
        (replace(OLD, replaces=("new-vpn",)), replace(NEW, replaces=("old-vpn",))),
    ],
)
async def test_that_what_holds_is_injected(old: Memory, new: Memory) -> None:
    found, surfaced, bench = await asked(old, new, OTHER)
    assert injected(surfaced)[0] == "old-vpn"
    memory = decisions(found, bench.settings)[Decision.MEMORY]
    assert (memory.name, memory.outcome) == ("old-vpn", Outcome.INJECTED)


async def test_that_nothing_is_decided_where_all_that_is_near_does_not_hold() -> None:
    found, surfaced, bench = await asked(replace(OLD, valid_to=PAST))
    assert injected(surfaced) == []
    memory = decisions(found, bench.settings)[Decision.MEMORY]
    assert (memory.name, memory.outcome) == ("", Outcome.NONE)
    assert memory.reason == "old-vpn is passed over: it is no longer valid since 2001-01-01."


async def test_that_many_of_the_past_take_no_place_from_what_holds() -> None:
    past = [replace(OLD, id=f"past-{number}", valid_to=PAST) for number in range(70)]
    found, surfaced, _ = await asked(*past, replace(NEW, triggers=OLD.triggers), OTHER)
    assert found.memories[0].answer.name == "new-vpn"
    assert injected(surfaced)[:1] == ["new-vpn"]


async def test_that_a_validity_that_changes_counts_at_once() -> None:
    library = library_of(OLD, NEW)
    async with desk(lambda: library) as bench:
        (first, *_) = (await bench.settle(OLD.triggers[0])).memories
        assert first.answer.name == "old-vpn"
        assert isinstance(first.answer, Memory)
        bench.engine.index.restate([replace(first.answer, valid_to=PAST)])
        assert bench.engine.index.lapses.most == 1
        bench.engine.index.restate([first.answer])
        assert bench.engine.index.lapses.most == 0


async def test_that_health_reports_what_does_not_hold_and_what_contradicts() -> None:
    told = await health(replace(OLD, valid_to=PAST), NEW, OTHER)
    (one,) = told[FindingKind.MEMORY_LAPSED].subjects
    assert (one.name, one.rival) == ("old-vpn", "no longer valid since 2001-01-01")
    assert FindingKind.CONTRADICTION not in told
    against = replace(NEW, triggers=("something else", "Connect  to the VPN"))
    told = await health(OLD, against, OTHER)
    (one,) = told[FindingKind.CONTRADICTION].subjects
    assert (one.name, one.about, one.rival) == ("new-vpn", "Connect  to the VPN", "old-vpn")
    same = replace(against, response="use the old  client.")
    assert FindingKind.CONTRADICTION not in await health(OLD, same, OTHER), "they say the same"
    assert FindingKind.CONTRADICTION not in await health(replace(OLD, valid_to=PAST), against, OTHER), (
        "one is of the past"
    )
    assert names((await health(OLD, replace(against, replaces=("old-vpn",)), OTHER))[FindingKind.MEMORY_LAPSED]) == [
        "old-vpn"
    ]
