"""Rows of text as lines, their columns in line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def counted(counts: Iterable[tuple[str, int]]) -> list[str]:
    """A line for each name with its count and share."""
    found = list(counts)
    total = sum(count for _, count in found) or 1
    return table([(name, f"{count:,}", f"{count / total:.1%}") for name, count in found])


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of equal length as lines, indented, their columns padded to one width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return ["  " + line.rstrip() for line in lines]
