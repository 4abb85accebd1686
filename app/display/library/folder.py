"""Sync of a library with its folder in sentences: differences, resolutions, results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.display import numbers
from app.display.library.memories import FieldDiff, field_diffs, memory_fields
from app.domain.case import Case
from app.domain.intent import Rule
from app.domain.journal import Item
from app.domain.language import plural, quantity
from app.domain.library import Memory, Power
from app.services.library.folder_sync import Difference as Differing
from app.services.library.folder_sync import FolderComparison, LoadResult, SaveResult, Side, Winner
from app.services.status import FolderNews


def folder_name(folder: Path) -> str:
    return folder.name or str(folder)


def strip_sentence(came: FolderNews | None) -> str:
    """Return the text of the folder's strip; "" if there is nothing to do."""
    if came is None:
        return ""
    name = folder_name(came.folder)
    if came.fault:
        return came.fault
    if came.is_new:
        return f"The folder {name} holds no library yet."
    if came.faults:
        return f"{quantity(came.faults, 'line')} of the folder {name} cannot be read."
    parts = []
    if came.there:
        parts.append(f"{quantity(came.there, 'thing')} changed in the folder {name}.")
    if came.conflicts:
        parts.append(f"{quantity(came.conflicts, 'thing')} changed both here and in the folder {name}.")
    return " ".join(parts)


def diff_summary(seen: FolderComparison) -> str:
    """Return the summary above the list of differences."""
    name = folder_name(seen.folder)
    if seen.faults:
        lines, them = quantity(len(seen.faults), "line"), plural(len(seen.faults), "it", "them")
        return f"{lines} of {name} cannot be read, so nothing can be imported. Fix {them}, and check again."
    counts = {side: len(seen.diff.of(side)) for side in Side}
    if not any(counts.values()):
        return f"Library and folder hold the same {quantity(seen.diff.same, 'thing')}."
    where = {Side.THERE: "in the folder", Side.BOTH: "on both sides", Side.HERE: "here, which saving writes"}
    parts = [f"{counts[side]:,} changed {place}" for side, place in where.items() if counts[side]]
    same = plural(seen.diff.same, "{n} is the same", "{n} are the same")
    return f"{name}: {', '.join(parts)}; {same}."


def change_words(one: Differing) -> str:
    """Return what changed about an item, in a few words."""
    if one.side is Side.BOTH:
        if one.here is None or one.there is None:
            gone = "here" if one.here is None else "in the folder"
            return f"Changed, and deleted {gone}"
        return "Changed on both sides"
    where = "here" if one.side is Side.HERE else "in the folder"
    before, after = (one.there, one.here) if one.side is Side.HERE else (one.here, one.there)
    if after is None:
        return f"Deleted {where}"
    return f"New {where}" if before is None else f"Changed {where}"


def resolution_words(one: Differing, choice: Winner | None) -> str:
    """Return what an import does to an item."""
    if one.side is Side.HERE or choice is Winner.MINE:
        return "Stays as it is here"
    if one.side is Side.BOTH and choice is None:
        return "Undecided"
    if one.there is None:
        return "Goes to the bin"
    return "Is added" if one.here is None else "Becomes as in the folder"


def item_diffs(one: Differing) -> tuple[FieldDiff, ...]:
    """Return differences by field: library first, folder second."""
    there = None if one.there is None else one.there.item
    return field_diffs(_fields(one.here), _fields(there))


def _fields(item: Item | None) -> dict[str, Sequence[str]]:
    """Return the fields of an item by title; empty fields are left out."""
    match item:
        case Memory():
            fields: dict[str, Sequence[str]] = memory_fields(item)
        case Power():
            reached = item.transport
            tools = [f"{tool.name}: {tool.description}" for tool in item.tools]
            fields = {
                "Name": (item.name,),
                "Description": (item.description,),
                "Keywords": item.keywords,
                "Examples": item.examples,
                "Steering": (item.steering,),
                "Tools": tools,
                "Command": (reached.command or "",),
                "Arguments": reached.args,
                "Environment": reached.env_lines,
                "Address": (reached.url or "",),
                "State": (_state(item.paused),),
            }
        case Rule():
            confidence = "" if item.confidence is None else numbers.score(item.confidence)
            fields = {
                "Id": (item.id,),
                "Label": (item.label,),
                "Pattern": (item.pattern,),
                "Unless": (item.unless or "",),
                "Pack": (item.pack,),
                "Place": (f"{item.position + 1:,}",),
                "Weight": (f"{item.weight:g}",),
                "Confidence": (confidence,),
                "State": (_state(not item.enabled),),
            }
        case Case():
            fields = {
                "Text": (item.text,),
                "Task": (item.task.value,),
                "Expected": item.expected or ("no match",),
                "Unwanted": item.unwanted,
            }
        case _:
            fields = {}
    return {title: lines for title, lines in fields.items() if any(lines)}


def _state(is_off: bool) -> str:
    return "Paused" if is_off else "Active"


def loaded_sentence(folder: Path, came: LoadResult) -> str:
    name = folder_name(folder)
    what = "Nothing to import" if came.written is None else f"Imported {came.written.step.subject}"
    sentence = f"{what} from {name}."
    if came.left:
        sentence += " " + plural(came.left, "{n} conflict is undecided.", "{n} conflicts are undecided.")
    return sentence


def saved_sentence(came: SaveResult) -> str:
    name = folder_name(came.folder)
    if not came.files:
        return f"No change: the folder {name} holds this library."
    return f"Saved {came.things:,} things to {name}: {quantity(came.files, 'file')} changed."


def progress_line(verb_: str, name: str, done: int, total: int) -> str:
    """Return the progress of reading or saving."""
    if verb_ == "save" and total:
        return f"Saving to {name}: {done:,} of {total:,} things"
    if total:
        return f"Reading {name}: {done:,} of {total:,} files"
    return f"Reading {name}"
