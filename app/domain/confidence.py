"""The one rule that every score and confidence obeys: a float in [0, 1]."""

from __future__ import annotations


def checked_confidence(value: float) -> float:
    """The value itself; ValueError if it is not a number in [0, 1]."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"a confidence lies in [0, 1], not at {value!r}")
    return value
