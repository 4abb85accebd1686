"""What an import would do, told without doing it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from app.display.visible import visible_lines
from app.domain.journal import name_of
from app.ports.store import Library, Line, Problem
from app.services.library.transfer import GIVERS, TOLD_PROBLEMS, Intake, Sieve, take_in
from app.surfaces.cli.terminal import write_document

SHOWN = 10
"""So many names are told of what would be added, and of what would be updated."""

LONGEST = 80


def rehearse(
    library: Library, sources: Iterable[tuple[str, Iterable[Line[Any] | Problem]]], out: TextIO, *, as_json: bool
) -> bool:
    """Import each source into a library that is only a copy; whether the import would take anything at all.

    KnownError where the import would be refused.
    """
    intakes = [_tried(library, kind, lines) for kind, lines in sources]
    if as_json:
        documents = [{**intake.document(), "dry_run": True} for intake in intakes]
        write_document(out, documents[0] if len(documents) == 1 else {"imports": documents, "dry_run": True})
    else:
        print(visible_lines("\n".join(_told(library, intake) for intake in intakes)), file=out)
    return any(intake.taken or not intake.problems for intake in intakes)


def _tried(library: Library, kind: str, lines: Iterable[Line[Any] | Problem]) -> Intake:
    sieve = Sieve(lines)
    try:
        return take_in(library, kind, sieve, "rehearsal")
    finally:
        sieve.stopped = True  # who interrupts it does not wait for the rest of the file


def _told(library: Library, intake: Intake) -> str:
    change = intake.change
    counts = f"{len(change.added):,} would be added, {len(change.updated):,} updated, {change.unchanged:,} unchanged"
    lines = [f"{intake.kind}: {counts}; nothing was written."]
    lines += _names(library, intake.kind, "add", change.added)
    lines += _names(library, intake.kind, "update", change.updated)
    lines += [f"skip line {problem.line:,}: {problem.sentence}" for problem in intake.problems[:TOLD_PROBLEMS]]
    if len(intake.problems) > TOLD_PROBLEMS:
        lines.append(f"and {len(intake.problems) - TOLD_PROBLEMS:,} more lines with problems")
    return "\n".join([*lines, *intake.remarks()])


def _names(library: Library, kind: str, verb: str, keys: Sequence[Any]) -> list[str]:
    if not keys:
        return []
    names = [f"{verb} {' '.join(name_of(thing).split())[:LONGEST]}" for thing in _things(library, kind, keys[:SHOWN])]
    return [*names, f"{verb} {len(keys) - SHOWN:,} more"] if len(keys) > SHOWN else names


def _things(library: Library, kind: str, keys: Sequence[Any]) -> list[Any]:
    if kind == "memories":  # of which there may be many
        return [found.item for found in library.memories_by_key(keys)]
    wanted = set(keys)
    return [thing for thing in GIVERS[kind](library) if thing.key in wanted]
