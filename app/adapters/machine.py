"""Local machine: clock and memory."""

from __future__ import annotations

import ctypes
import sys
import time
from pathlib import Path


def now_ms() -> float:
    """Return the monotonic time in ms, from an arbitrary start."""
    return time.perf_counter() * 1000.0


# ---- Resident memory of this process, and returning free memory.


STATUS = Path("/proc/self/status")


def resident_bytes() -> int | None:
    """Return the resident memory in bytes; None if unknown."""
    try:
        lines = STATUS.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    found = [line.split() for line in lines if line.startswith("VmRSS:")]
    return int(found[0][1]) * 1024 if found else None


def release_memory() -> None:
    """Return free memory to the system, which glibc may hold forever. May block."""
    if not sys.platform.startswith("linux"):
        return
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return  # another C library, which holds nothing
    trim(0)
