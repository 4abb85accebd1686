"""This machine: its clock, and how much of its memory this process holds."""

from __future__ import annotations

import ctypes
import sys
import time
from pathlib import Path


class SystemClock:
    """Time since an arbitrary start, in ms; it never goes back."""

    def now_ms(self) -> float:
        return time.perf_counter() * 1000.0


# ---- How much memory this process holds, and giving back what it holds without need.


STATUS = Path("/proc/self/status")


def resident_bytes() -> int | None:
    """The bytes in real memory; None on a system that does not tell it in a file."""
    try:
        lines = STATUS.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    found = [line.split() for line in lines if line.startswith("VmRSS:")]
    return int(found[0][1]) * 1024 if found else None


def release_memory() -> None:
    """Hand to the system what was freed; glibc keeps it for later, which after a large load is never. May block."""
    if not sys.platform.startswith("linux"):
        return
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return  # another C library, which keeps nothing
    trim(0)
