"""Tests of returning free memory to the system."""

from __future__ import annotations

import sys

import pytest

from app.adapters.local.machine import release_memory, resident_bytes

MEGABYTE = 1 << 20


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells its memory in a file")
def test_that_what_was_freed_goes_back_to_the_system() -> None:
    blocks = [bytes(2000) for _ in range(100_000)]
    held = resident_bytes()
    # Every hundredth block stays, like memories among the rows read: the heap cannot simply shrink.
    kept = blocks[::100]
    del blocks
    release_memory()
    left = resident_bytes()
    assert held is not None
    assert left is not None
    assert held - left > 100 * MEGABYTE
    assert len(kept) == 1000
