"""Tests of server failures during a change: it is made or not, and never lost."""

from __future__ import annotations

import pytest

from tests.torture.team_faults import FAULTS

TOLD = {
    "the server is restarted at once": ("cannot be reached", False, True),
    "a statement takes too long": ("change less at once", False, True),
    "another server takes over": ("cannot be reached", False, True),
    "one takes over that lacks the last change": ("put back there", False, False),
    "the disk of the server is full": ("is full", False, True),
    "a client is killed while it makes the tables": ("", True, True),
}
"""Message per fault, whether the change was made, and whether the next one is.

These faults end soon; `python -m tests.torture team --faults` has all.
"""


@pytest.mark.parametrize("fault", TOLD)
def test_that_nothing_acknowledged_is_lost_and_what_happened_is_said(fault: str) -> None:
    words, made, again = TOLD[fault]
    found = FAULTS[fault]()
    assert (found.made, found.again, found.same) == (made, again, True)
    assert words in found.said
    assert bool(found.said) == bool(words)
