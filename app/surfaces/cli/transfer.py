"""Imports with dry runs, and saving to a folder; loaded when one begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from app.display.library.importing import fields_sentence, preview_line
from app.domain.fits import FitPolicy
from app.domain.journal import BY_PLURAL, kind_of
from app.domain.language import plural
from app.domain.library import Line, Problem
from app.ports.folder import LibraryFolders, SyncState
from app.ports.store import Library, TaughtItems
from app.services.library.folder_sync import (
    FolderComparison,
    all_items,
    compare_folder,
    refuse_faults,
    restricted_to_kind,
)
from app.services.library.import_export import EXPORTERS, SHOWN_PROBLEMS, ImportResult, ImportValidator, store_lines
from app.services.workbench import Workbench
from app.surfaces.cli.output import Printer, Unread, retry_while_locked
from app.surfaces.cli.terminal import wait_until_ready

SHOWN = 10
"""Limit of listed names of added and of updated items."""

LONGEST = 80


async def import_all(
    workbench: Workbench,
    sources: Iterable[tuple[str, Iterable[Line[Any] | Problem]]],
    out: Printer,
    *,
    name: str,
    notify: Callable[[ImportResult], object],
) -> bool:
    """Import all sources as one step, compute vectors and fit; return False if nothing was valid.

    `name` is the source in the journal; `notify` is called for each stored import.
    """
    unread = [(kind, Unread(lines)) for kind, lines in sources]
    intakes = await retry_while_locked(
        partial(workbench.import_sources, unread, name), again=lambda: not any(lines.is_begun for _, lines in unread)
    )
    for intake in intakes:
        notify(intake)
    documents = [intake.document() for intake in intakes]
    document = documents[0] if len(documents) == 1 else {"imports": documents}
    out.write(document, [intake.text() for intake in intakes])
    out.file.flush()
    await _fit(workbench)
    return any(intake.taken or not intake.problems for intake in intakes)


# ---- Dry run: report the effect of an import without making it


def dry_run(library: TaughtItems, sources: Iterable[tuple[str, Iterable[Line[Any] | Problem]]], out: Printer) -> bool:
    """Import into a copy; False if nothing would be valid; raises KnownError if refused."""
    intakes = [_tried(library, kind, lines) for kind, lines in sources]
    shown = [_shown_items(library, intake) for intake in intakes]
    pairs = [*zip(intakes, shown, strict=True)]
    documents = [{**intake.document(), **_shown(intake, items), "dry_run": True} for intake, items in pairs]
    document = documents[0] if len(documents) == 1 else {"imports": documents, "dry_run": True}
    out.write(document, [_intake_sentence(intake, items) for intake, items in pairs])
    return any(intake.taken or not intake.problems for intake in intakes)


def _tried(library: TaughtItems, kind: str, lines: Iterable[Line[Any] | Problem]) -> ImportResult:
    sieve = ImportValidator(lines)
    try:
        return store_lines(library, kind, sieve, "dry run")
    finally:
        sieve.stopped = True  # do not read the rest of the file after an interrupt


def _intake_sentence(intake: ImportResult, items: Mapping[Any, Any]) -> str:
    change = intake.change
    counts = f"{len(change.added):,} would be added, {len(change.updated):,} updated, {change.unchanged:,} unchanged"
    lines = [f"{intake.kind}: {counts}; nothing was written."]
    lines += [said] if (said := fields_sentence(intake.fields)) else []
    lines += _names(items, "add", change.added)
    lines += _names(items, "update", change.updated)
    lines += [f"skip line {problem.line:,}: {problem.sentence}" for problem in intake.problems[:SHOWN_PROBLEMS]]
    if len(intake.problems) > SHOWN_PROBLEMS:
        lines.append(f"and {len(intake.problems) - SHOWN_PROBLEMS:,} more lines with problems")
    return "\n".join([*lines, *intake.remarks()])


def _names(items: Mapping[Any, Any], verb: str, keys: Sequence[Any]) -> list[str]:
    names = [f"{verb} {_preview_text(items[key])}" for key in keys[:SHOWN] if key in items]
    return [*names, f"{verb} {len(keys) - SHOWN:,} more"] if len(keys) > SHOWN else names


def _preview_text(thing: Any) -> str:
    """Return an item as it would be stored: its name, and its content in brackets."""
    row = preview_line(thing)
    name, detail = _cut(row.name.replace("\n", " · ")), _cut(row.detail)
    return f"{name} ({detail})" if detail else name


def _cut(text: str) -> str:
    """Return a text in one line, with “…” if it is cut."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _shown(intake: ImportResult, items: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the first items as stored, and the mapping of the file's fields, for programs."""
    rows = map(preview_line, islice(items.values(), SHOWN))
    return {"first": [{"name": row.name, "detail": row.detail} for row in rows], "fields": dict(intake.fields)}


def _shown_items(library: TaughtItems, intake: ImportResult) -> dict[Any, Any]:
    """Return the first added and updated items by key, in this order."""
    keys = (*intake.change.added[:SHOWN], *intake.change.updated[:SHOWN])
    if intake.kind == "memories":  # there may be many
        found = {dated.item.key: dated.item for dated in library.memories_by_key(keys)}
    else:
        found = {thing.key: thing for thing in EXPORTERS[intake.kind](library) if thing.key in keys} if keys else {}
    return {key: found[key] for key in keys if key in found}


# ---- Library in a folder of texts


async def import_folder(workbench: Workbench, folder: Path, kind: str | None, out: Printer) -> None:
    """Import everything in a folder, or one kind, as one step; raises KnownError."""
    found, _ = await retry_while_locked(partial(workbench.files.import_all, folder, kind))
    _print_folder(found, kind, out, dry_run=False)
    out.file.flush()
    await _fit(workbench)


async def _fit(workbench: Workbench) -> None:
    """Compute vectors, and fit what was imported."""
    workbench.learning.policy = FitPolicy.REFIT
    await wait_until_ready(workbench)


def dry_run_folder(library: Library, folders: LibraryFolders, folder: Path, kind: str | None, out: Printer) -> None:
    """Dry run of `import_folder`; raises KnownError if it would be refused."""
    found = restricted_to_kind(
        compare_folder(folder, folders.read(folder, lambda _done, _total: None), all_items(library), SyncState()), kind
    )
    refuse_faults(found)
    _print_folder(found, kind, out, dry_run=True)


async def save_folder(workbench: Workbench, folder: Path, out: Printer) -> None:
    """Save the library to a folder; raises KnownError."""
    saved = await workbench.files.save(folder)
    changed = plural(saved.files, "1 file changed", "{n} files changed")
    document = {"folder": str(folder), "things": saved.things, "files_changed": saved.files}
    lines = [f"library: {saved.things:,} things saved to {folder}, {changed}."]
    out.write(document, lines)


def _print_folder(found: FolderComparison, kind: str | None, out: Printer, *, dry_run: bool) -> None:
    added = Counter(one.kind.plural for one in found.diff.differences if one.here is None)
    updated = Counter(one.kind.plural for one in found.diff.differences if one.here is not None)
    held = Counter(kind_of(placed.item).plural for placed in found.things)
    documents: list[dict[str, Any]] = []
    lines = []
    for name in BY_PLURAL:
        if kind not in (None, name) or (kind is None and not held[name]):
            continue
        counts = {"added": added[name], "updated": updated[name]}
        counts["unchanged"] = held[name] - counts["added"] - counts["updated"]
        documents.append({"kind": name, **counts, "problems": []})
        would, end = (" would be", "; nothing was written") if dry_run else ("", "")
        rest = f"{counts['updated']:,} updated, {counts['unchanged']:,} unchanged{end}."
        lines.append(f"{name}: {counts['added']:,}{would} added, {rest}")
        if dry_run:
            lines += _folder_names(found, name, "add", fresh=True) + _folder_names(found, name, "update", fresh=False)
    document = {"imports": documents, **({"dry_run": True} if dry_run else {})}
    out.write(document, lines or ["The folder holds nothing."])


def _folder_names(found: FolderComparison, kind: str, verb: str, *, fresh: bool) -> list[str]:
    names = [
        f"{verb} {_cut(one.name)}"
        for one in found.diff.differences
        if one.kind.plural == kind and (one.here is None) is fresh
    ]
    return names if len(names) <= SHOWN else [*names[:SHOWN], f"{verb} {len(names) - SHOWN:,} more"]
