"""Tests of assistants' usage in words: a text per outcome, no numbers without data."""

from __future__ import annotations

from app.display.system.metrics import NAMES, OUTCOMES, usage_document, usage_lines, usage_tables
from app.domain.review.usage import USAGE_COUNTERS, UsageCounter, UsageTotals, turns_outcome

FOUND = UsageTotals(7, {(UsageCounter.TURNS, "0"): 3, (UsageCounter.TURNS, "1"): 1, (UsageCounter.POWERS, "called"): 4})


def test_that_every_outcome_has_its_words() -> None:
    assert set(NAMES) == set(USAGE_COUNTERS) == set(UsageCounter)
    assert set(OUTCOMES) == {outcome for outcomes in USAGE_COUNTERS.values() for outcome in outcomes}
    assert [turns_outcome(turns) for turns in (0, 2, 3, 40)] == ["0", "2", "3 or more", "3 or more"]


def test_that_what_was_counted_is_told_with_shares_of_what_are_parts_of_a_whole() -> None:
    heading, powers, turns = usage_tables(FOUND)
    assert heading.title == "Use, the last 7 days"
    assert [row.cells[0] for row in powers.rows] == ["0", "0", "4", "0"]
    assert not any(row.cells[1] for row in powers.rows)
    assert (turns.rows[0].cells, turns.remark.split()[0]) == (("3", "75.0 %"), "0.250")
    assert usage_document(FOUND)["mean_turns"] == 0.25
    assert usage_document(FOUND)["hooks"] == {"injected": 0, "nothing": 0, "late": 0}
    assert "75.0 %" in "\n".join(usage_lines(FOUND))


def test_that_nothing_counted_is_said_once() -> None:
    assert usage_tables(UsageTotals(1)) == ()
    assert usage_lines(UsageTotals(1)) == ["Use, today: nothing was counted."]
    assert UsageTotals(1).mean_turns is None


def test_that_who_has_one_cache_reads_of_no_other() -> None:
    _, caches = usage_tables(UsageTotals(1, {(UsageCounter.ROUTE_CACHES, "table miss"): 1}))
    assert [row.what for row in caches.rows] == ["Found in the table", "Not in the table"]
