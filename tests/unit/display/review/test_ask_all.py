"""Test of the rows of many answered queries."""

from __future__ import annotations

import csv

import pytest

from app.display.review.ask_all import ASKED_COLUMNS, QueryRow, rows_csv
from app.display.scope.verdict import Decided, Outcome

TYPE = Decided("", None, Outcome.NONE, "")
HELD, INJECTED = (Decided("hours", 0.68, outcome, "") for outcome in (Outcome.WITHHELD, Outcome.INJECTED))
OFFERED = Decided("calendar", 0.92, Outcome.MULTIPLE_MATCHES, "")
ACTIVATED = Decided("calendar", 0.92, Outcome.ACTIVATED, "")


@pytest.mark.parametrize(
    ("memory", "power", "delivered", "shares"),
    [
        (INJECTED, OFFERED, "injected", "68 %"),
        (HELD, ACTIVATED, "activated", "92 %"),
        (INJECTED, ACTIVATED, "injected, activated", "68 %, 92 %"),
        (HELD, OFFERED, "nothing", "68 %"),
        (TYPE, OFFERED, "nothing", "92 %"),
    ],
)
def test_that_the_confidence_is_that_of_what_is_delivered(
    memory: Decided, power: Decided, delivered: str, shares: str
) -> None:
    row = QueryRow("a query", TYPE, memory, power)
    shown = {column.key: column.cell(row) for column in ASKED_COLUMNS}
    assert (shown["delivered"], shown["confidence"]) == (delivered, shares)
    (written,) = csv.DictReader(rows_csv([row]).splitlines())
    assert written["delivered"].split() == delivered.split(", ")
    assert [f"{float(share):.0%}".replace("%", " %") for share in written["confidence"].split()] == shares.split(", ")
