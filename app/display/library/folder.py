"""Synchronising a library with its folder, in sentences: differences, resolutions, outcomes and progress."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.display import numbers
from app.display.library.memories import day_of
from app.display.library.memory_details import FieldDiff, field_diffs
from app.domain.case import Case
from app.domain.intent import Rule
from app.domain.journal import Item, ThingKind
from app.domain.language import numeral, say, say_n, thousands
from app.domain.library import Memory, Power
from app.services.core import FolderNews
from app.services.library.folder_diff import Choice, Side
from app.services.library.folder_diff import Difference as Differing
from app.services.library.folder_sync import FolderComparison, LoadResult, SaveResult

KINDS = {
    ThingKind.MEMORY: say("Memory"),
    ThingKind.POWER: say("Power"),
    ThingKind.RULE: say("Rule"),
    ThingKind.CASE: say("Case"),
}


def folder_name(folder: Path) -> str:
    """A folder's own name."""
    return folder.name or str(folder)


def strip_sentence(came: FolderNews | None) -> str:
    """What the strip says; "" where there is nothing to do."""
    if came is None:
        return ""
    name = folder_name(came.folder)
    if came.fault:
        return came.fault
    if came.is_new:
        return say("The folder {name} holds no library yet.", name=name)
    if came.faults:
        return say_n(
            came.faults,
            "{n} line of the folder {name} cannot be read.",
            "{n} lines of the folder {name} cannot be read.",
            name=name,
        )
    parts = []
    if came.there:
        parts.append(
            say_n(
                came.there,
                "{n} thing changed in the folder {name}.",
                "{n} things changed in the folder {name}.",
                name=name,
            )
        )
    if came.conflicts:
        parts.append(
            say_n(
                came.conflicts,
                "{n} thing changed both here and in the folder {name}.",
                "{n} things changed both here and in the folder {name}.",
                name=name,
            )
        )
    return " ".join(parts)


def diff_summary(seen: FolderComparison) -> str:
    """What the sheet of differences says above its list."""
    name = folder_name(seen.folder)
    if seen.faults:
        return say_n(
            len(seen.faults),
            "{n} line of {name} cannot be read, so nothing can be taken in. Mend it, and look again.",
            "{n} lines of {name} cannot be read, so nothing can be taken in. Mend them, and look again.",
            name=name,
        )
    counts = {side: len(seen.diff.of(side)) for side in Side}
    if not any(counts.values()):
        return say_n(
            seen.diff.same,
            "Library and folder hold the same {n} thing.",
            "Library and folder hold the same {n} things.",
        )
    counted = (
        (counts[Side.THERE], "{n} changed in the folder", "{n} changed in the folder"),
        (counts[Side.BOTH], "{n} changed on both sides", "{n} changed on both sides"),
        (counts[Side.HERE], "{n} changed here, which saving writes", "{n} changed here, which saving writes"),
    )
    parts = [say_n(count, one, many) for count, one, many in counted if count]
    same = say_n(seen.diff.same, "{n} is the same", "{n} are the same")
    return say("{name}: {told}; {same}.", name=name, told=", ".join(parts), same=same)


def change_words(one: Differing) -> str:
    """What happened to a thing, in a few words."""
    if one.side is Side.BOTH:
        if one.here is None or one.there is None:
            gone = say("here") if one.here is None else say("in the folder")
            return say("Changed, and deleted {where}", where=gone)
        return say("Changed on both sides")
    where = say("here") if one.side is Side.HERE else say("in the folder")
    before, after = (one.there, one.here) if one.side is Side.HERE else (one.here, one.there)
    if after is None:
        return say("Deleted {where}", where=where)
    return say("New {where}", where=where) if before is None else say("Changed {where}", where=where)


def resolution_words(one: Differing, choice: Choice | None) -> str:
    """What becomes of a thing when it is taken in."""
    if one.side is Side.HERE or choice is Choice.MINE:
        return say("Stays as it is here")
    if one.side is Side.BOTH and choice is None:
        return say("Undecided")
    if one.there is None:
        return say("Goes to the bin")
    return say("Is added") if one.here is None else say("Becomes as in the folder")


def item_diffs(one: Differing) -> tuple[FieldDiff, ...]:
    """What differs, field by field: first as it is in the library, then as it is in the folder."""
    there = None if one.there is None else one.there.item
    return field_diffs(_fields(one.here), _fields(there))


def _fields(item: Item | None) -> dict[str, Sequence[str]]:
    """What a thing says, by title; nothing of what it does not say."""
    match item:
        case Memory():
            fields: dict[str, Sequence[str]] = {
                say("Triggers"): item.triggers,
                say("Response"): (item.response,),
                say("Label"): (item.intent or "",),
                say("Namespace"): (item.namespace,),
                say("Tags"): item.tags,
                say("Success"): (numbers.score(item.success),),
                say("Used"): (numbers.count(item.usage),),
                say("Right"): (numbers.count(item.right),),
                say("Valid from"): (day_of(item.valid_from),),
                say("Valid to"): (day_of(item.valid_to),),
                say("Replaces"): item.replaces,
                say("State"): (_state(item.paused),),
                say("Id"): (item.id or "",),
            }
        case Power():
            reached = item.transport
            tools = [f"{tool.name}: {tool.description}" for tool in item.tools]
            fields = {
                say("Name"): (item.name,),
                say("Description"): (item.description,),
                say("Keywords"): item.keywords,
                say("Examples"): item.examples,
                say("Steering"): (item.steering,),
                say("Tools"): tools,
                say("Command"): (reached.command or "",),
                say("Arguments"): reached.args,
                say("Environment"): sorted(reached.env),
                say("Address"): (reached.url or "",),
                say("State"): (_state(item.paused),),
            }
        case Rule():
            confidence = "" if item.confidence is None else numbers.score(item.confidence)
            fields = {
                say("Id"): (item.id,),
                say("Label"): (item.label,),
                say("Pattern"): (item.pattern,),
                say("Unless"): (item.unless or "",),
                say("Pack"): (item.pack,),
                say("Place"): (thousands(item.position + 1),),
                say("Weight"): (numeral(f"{item.weight:g}"),),
                say("Confidence"): (confidence,),
                say("State"): (_state(not item.enabled),),
            }
        case Case():
            fields = {
                say("Text"): (item.text,),
                say("Task"): (item.task.value,),
                say("Expected"): item.expected or (say("no match"),),
                say("Unwanted"): item.unwanted,
            }
        case _:
            fields = {}
    return {title: lines for title, lines in fields.items() if any(lines)}


def _state(is_off: bool) -> str:
    return say("Paused") if is_off else say("Active")


def loaded_sentence(folder: Path, came: LoadResult) -> str:
    """What was taken in, in a sentence."""
    name = folder_name(folder)
    if came.written is None:
        sentence = say("Nothing of {name} had to be taken in.", name=name)
    else:
        sentence = say("Took in {things} from {name}.", things=came.written.step.subject, name=name)
    if came.left:
        sentence += " " + say_n(came.left, "{n} conflict is undecided.", "{n} conflicts are undecided.")
    return sentence


def saved_sentence(came: SaveResult) -> str:
    """What was saved, in a sentence."""
    name = folder_name(came.folder)
    if not came.files:
        return say("The folder {name} holds this library already.", name=name)
    changed = say_n(came.files, "{n} file changed", "{n} files changed")
    return say("Saved {n} things to {name}: {changed}.", n=thousands(came.things), name=name, changed=changed)


def progress_line(verb_: str, name: str, done: int, total: int) -> str:
    """How far reading or saving is."""
    if verb_ == "save" and total:
        return say("Saving to {name}: {n} of {m} things", name=name, n=thousands(done), m=thousands(total))
    if total:
        return say("Reading {name}: {n} of {m} files", name=name, n=thousands(done), m=thousands(total))
    return say("Reading {name}", name=name)
