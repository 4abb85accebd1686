"""A library in a folder of texts, on the command line: all of it taken in, rehearsed, or saved."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from app.display.visible import visible, visible_lines
from app.domain.journal import PLURALS, kind_of
from app.ports.folder import LibraryFolders, Synced
from app.ports.store import Library
from app.services.library.folder import Seen, everything, only, refuse_faults, seen
from app.services.workbench import Workbench
from app.surfaces.cli.locked import patiently
from app.surfaces.cli.terminal import made_ready, write_document

SHOWN = 10
"""So many names are told of what would be added, and of what would be updated."""

LONGEST = 80


async def import_folder(workbench: Workbench, folder: Path, kind: str | None, out: TextIO, *, as_json: bool) -> None:
    """Take in all that a folder holds, or all of one kind, as one step; KnownError."""
    found, _ = await patiently(partial(workbench.files.import_all, folder, kind))
    _tell(found, kind, out, as_json=as_json, dry_run=False)
    out.flush()
    await made_ready(workbench)


def rehearse_folder(
    library: Library, folders: LibraryFolders, folder: Path, kind: str | None, out: TextIO, *, as_json: bool
) -> None:
    """Say what that would do; KnownError where it would be refused."""
    found = only(seen(folder, folders.read(folder, lambda _done, _total: None), everything(library), Synced()), kind)
    refuse_faults(found)
    _tell(found, kind, out, as_json=as_json, dry_run=True)


async def save_folder(workbench: Workbench, folder: Path, out: TextIO, *, as_json: bool) -> None:
    """Make a folder hold the library; KnownError."""
    saved = await workbench.files.save(folder)
    if as_json:
        write_document(out, {"folder": str(folder), "things": saved.things, "files_changed": saved.files})
    else:
        changed = "1 file changed" if saved.files == 1 else f"{saved.files:,} files changed"
        print(visible(f"library: {saved.things:,} things saved to {folder}, {changed}."), file=out)


def _tell(found: Seen, kind: str | None, out: TextIO, *, as_json: bool, dry_run: bool) -> None:
    added = Counter(PLURALS[one.kind] for one in found.plan.differences if one.here is None)
    updated = Counter(PLURALS[one.kind] for one in found.plan.differences if one.here is not None)
    held = Counter(PLURALS[kind_of(placed.item)] for placed in found.things)
    documents: list[dict[str, Any]] = []
    lines = []
    for name in PLURALS.values():
        if kind not in (None, name) or (kind is None and not held[name]):
            continue
        counts = {"added": added[name], "updated": updated[name]}
        counts["unchanged"] = held[name] - counts["added"] - counts["updated"]
        documents.append({"kind": name, **counts, "problems": []})
        would, end = (" would be", "; nothing was written.") if dry_run else ("", ".")
        lines.append(
            f"{name}: {counts['added']:,}{would} added, {counts['updated']:,} updated, "
            f"{counts['unchanged']:,} unchanged{end}"
        )
        if dry_run:
            lines += _names(found, name, "add", fresh=True) + _names(found, name, "update", fresh=False)
    if as_json:
        write_document(out, {"imports": documents, **({"dry_run": True} if dry_run else {})})
    else:
        print(visible_lines("\n".join(lines) or "The folder holds nothing."), file=out)


def _names(found: Seen, kind: str, verb: str, *, fresh: bool) -> list[str]:
    names = [
        f"{verb} {' '.join(one.name.split())[:LONGEST]}"
        for one in found.plan.differences
        if PLURALS[one.kind] == kind and (one.here is None) is fresh
    ]
    return names if len(names) <= SHOWN else [*names[:SHOWN], f"{verb} {len(names) - SHOWN:,} more"]
