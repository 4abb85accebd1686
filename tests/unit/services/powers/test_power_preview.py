"""Test of the ranks of powers for a query, beside its answer."""

from __future__ import annotations

from app.domain.journal import Edit
from app.domain.library import Power
from app.services.scope.edit_previews import PowerTrial
from tests.unit.services.benches import desk


async def test_that_each_power_has_the_tier_of_the_answer() -> None:
    async with desk() as bench:
        powers = [Power(name, f"Reads {name} tables.", (name, "database")) for name in ("mysql", "postgres", "mongodb")]
        await bench.journal.do(Edit("added"), powers)
        answer, ranks = await bench.settle("mysql database"), await PowerTrial(bench).standings("mysql database")
        tiers = {match.answer.key: match.tier for match in answer.powers}
        assert {key: rank.tier for key, rank in ranks.items()} == tiers
