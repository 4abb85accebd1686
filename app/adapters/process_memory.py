"""How much memory this process holds."""

from __future__ import annotations

from pathlib import Path

STATUS = Path("/proc/self/status")


def resident_bytes() -> int | None:
    """The bytes in real memory; None on a system that does not tell it in a file."""
    try:
        lines = STATUS.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    found = [line.split() for line in lines if line.startswith("VmRSS:")]
    return int(found[0][1]) * 1024 if found else None
