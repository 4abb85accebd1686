"""The head of a CSV file: what is shown of it before its columns are mapped, and how they were mapped before."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from app.adapters.formats.csv_columns import ALSO_READ, COLUMNS, all_known_as
from app.adapters.formats.csv_tables import rows_of, told_kind
from app.adapters.formats.records import ItemKind
from app.adapters.local.profile import write_private
from app.services.engine.adapters import Mapped, TableHead

SHOWN = 3
"""So many rows are shown."""

MOST_KEPT = 200
"""So many mappings are remembered; the oldest is forgotten first."""

_LONGEST = 200


def head_of(path: Path) -> TableHead | None:
    """Headings and first rows; None for a table without any. FormatError."""
    found = rows_of(path)
    first = next(found, None)
    if first is None:
        return None
    headings = tuple(name.strip() for name in first)
    rows = tuple(tuple(cell[:_LONGEST] for cell in row) for row in islice(found, SHOWN))
    kind = told_kind(first)
    return TableHead(
        headings,
        rows,
        {kind.value: (*COLUMNS[kind], *ALSO_READ.get(kind, ())) for kind in ItemKind},
        {kind.value: tuple(name or "" for name in all_known_as(kind, headings)) for kind in ItemKind},
        "" if kind is None else kind.value,
    )


class ColumnMappings:
    """Mappings by headings, in a file of the profile."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def get(self, headings: tuple[str, ...]) -> Mapped | None:
        """What was said of a table with these headings; None where nothing was, or that cannot be read."""
        try:
            held = self._read()[_named(headings)]
            columns = {str(name): str(field) for name, field in held["columns"].items()}
            return Mapped(ItemKind(held["kind"]).value, columns)
        except (TypeError, KeyError, ValueError, AttributeError):
            return None

    def put(self, headings: tuple[str, ...], mapped: Mapped) -> None:
        """Remember it; a profile that cannot be written to forgets it."""
        kept = self._read()
        kept.pop(_named(headings), None)
        kept[_named(headings)] = {"kind": mapped.kind, "columns": dict(mapped.columns)}
        latest = dict(list(kept.items())[-MOST_KEPT:])
        with suppress(OSError):
            write_private(self._file, orjson.dumps(latest, option=orjson.OPT_INDENT_2))

    def _read(self) -> dict[str, Any]:
        try:
            held = orjson.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return {}
        return held if isinstance(held, dict) else {}


def _named(headings: tuple[str, ...]) -> str:
    return orjson.dumps([name.lower() for name in headings]).decode()
