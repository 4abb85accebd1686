"""Counts and shares as sentences hold them."""

from __future__ import annotations


def plural(n: int, one: str, many: str, /, **values: object) -> str:
    """Fill in the form for a count: `one` for 1, else `many`, whose {n} has its thousands separated."""
    return (one if n == 1 else many).format(n=f"{n:,}", **values)


def percents(share: float, digits: int = 1) -> str:
    """A share in [0, 1] as a percentage with its sign."""
    return f"{100.0 * share:.{digits}f} %"
