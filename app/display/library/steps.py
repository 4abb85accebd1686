"""What was done to the library, and what is in the bin, as documents and as lines."""

from __future__ import annotations

from typing import Any

from app.display.library.memory_words import step_words
from app.domain.journal import Binned, Revision, Step, name_of
from app.domain.language import say

Document = dict[str, Any]


def step_document(step: Step) -> Document:
    """One step of the journal."""
    return {
        "step": step.id,
        "at": step.at,
        "done": step.sentence,
        "things": step.count,
        "source": step.source,
        "author": step.author or None,
        "undone": step.undone,
    }


def step_line(step: Step) -> str:
    """One step with its number, which `undo` takes."""
    said = step_words(step)
    return f"{step.id:>6}  " + (say("{said} (undone)", said=said) if step.undone else said)


def done_document(step: Step | None) -> Document:
    """What a verb did; None where everything was so already."""
    return {"done": None if step is None else step_document(step)}


def revision_document(revision: Revision) -> Document:
    """One step of an item's history, and whether the item was there before and after."""
    return {
        **step_document(revision.step),
        "was_there": revision.before is not None,
        "is_there": revision.after is not None,
    }


def revision_line(revision: Revision) -> str:
    """One step of an item's history as a line."""
    return step_line(revision.step)


def binned_document(binned: Binned) -> Document:
    """A deleted item by the kind and name that bring it back, and the step that deleted it."""
    step = binned.step
    return {"kind": binned.kind.value, "name": name_of(binned.item), "step": step.id, "at": step.at}


def binned_line(binned: Binned) -> str:
    """A deleted item as it is named to be put back, and what deleted it."""
    return f"{binned.kind.value}:{name_of(binned.item)}  {step_words(binned.step)}"
