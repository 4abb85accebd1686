"""What a table says of itself before it is imported: its headings, its first rows, and what they are taken for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TableHead:
    """The first row of a table and the few after it.

    By kind, in the words of `--kind`: `fields` that there are, and `told`, the one that each heading stands for by its
    name ("" for none). `kind` is what the headings tell, "" where they do not.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    fields: Mapping[str, tuple[str, ...]]
    told: Mapping[str, tuple[str, ...]]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Mapped:
    """What somebody said of the columns of such a table: the kind, and the field of each heading ("" for none)."""

    kind: str
    columns: Mapping[str, str]


class Mappings(Protocol):
    """What was said of tables by their headings; every call may block."""

    def get(self, headings: tuple[str, ...]) -> Mapped | None: ...
    def put(self, headings: tuple[str, ...], mapped: Mapped) -> None: ...


def head_of_none(path: Path) -> TableHead | None:
    """For those who read no tables."""
    return None
