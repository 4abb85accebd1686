"""How a person set up a table, and the file in the profile that remembers it over restarts."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

FILE = "tables.json"
FORMAT = 1
_WIDEST = 10_000


@dataclass(frozen=True, slots=True)
class TableLook:
    """One table: widths of columns in units by key, which columns are shown or hidden, and what it is sorted by."""

    widths: Mapping[str, float] = field(default_factory=dict)
    shown: Mapping[str, bool] = field(default_factory=dict)
    order: str = ""
    falling: bool = False


def read(file: Path, table: str) -> TableLook:
    """What was remembered of a table; nothing where there is nothing, or the file is damaged."""
    try:
        kept = _read(file)["tables"][table]
        widths = {str(key): float(width) for key, width in kept["widths"].items() if 0 < float(width) <= _WIDEST}
        shown = {str(key): bool(on) for key, on in kept["shown"].items()}
        return TableLook(widths, shown, str(kept["order"]), bool(kept["falling"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return TableLook()


def write(file: Path, table: str, look: TableLook) -> None:
    """Remember one table and let the others be; a profile that cannot be written to keeps what it has."""
    from app.gui.kit.file_saver import PRIVATE, write_whole

    try:
        tables = dict(_read(file)["tables"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        tables = {}
    tables[table] = {
        "widths": dict(look.widths),
        "shown": dict(look.shown),
        "order": look.order,
        "falling": look.falling,
    }
    text = json.dumps({"format": FORMAT, "tables": tables}, indent=1)
    try:
        write_whole(file, text.encode(), waits=False, mode=PRIVATE)
    except OSError as error:
        log.info("The columns of the table are not kept: %s", error)


def _read(file: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if found["format"] != FORMAT:
        raise ValueError
    return found
