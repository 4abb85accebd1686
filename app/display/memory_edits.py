"""What a person types into a field of a memory, taken up, or refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.display import words
from app.domain.errors import KnownError
from app.domain.library import Memory

LONGEST_TRIGGER = 2_000
LONGEST_NAME = 200
LONGEST_RESPONSE = 100_000


def edited(memory: Memory, field: str, text: str) -> Memory:
    """The memory with one field as typed; KnownError for what the field does not take."""
    return _FIELDS[field](memory, text.strip())


def with_triggers(memory: Memory, triggers: list[str]) -> Memory:
    """The memory with these triggers in this order; KnownError for none, an empty one, or one twice."""
    kept = [trigger.strip() for trigger in triggers]
    if not kept:
        raise KnownError(words.say("A memory keeps at least one trigger. Delete the memory instead."))
    if not all(kept):
        raise KnownError(words.say("A trigger cannot be empty. Remove it instead."))
    for place, trigger in enumerate(kept):
        if len(trigger) > LONGEST_TRIGGER:
            raise KnownError(words.say("A trigger has at most {n} characters.", n=f"{LONGEST_TRIGGER:,}"))
        if trigger in kept[:place]:
            raise KnownError(words.say("“{trigger}” is a trigger of this memory already.", trigger=trigger[:80]))
    return replace(memory, triggers=tuple(kept))


def tags_of(text: str) -> tuple[str, ...]:
    """The tags in a text, which commas part; KnownError for one that is too long."""
    tags = tuple(dict.fromkeys(tag.strip() for tag in text.split(",") if tag.strip()))
    for tag in tags:
        _checked(tag)
    return tags


def success_of(text: str) -> float:
    """A success score as typed, with a point or a comma; KnownError outside of 0 to 1."""
    refusal = words.say("Success is a number from 0 to 1; “{typed}” is not.", typed=text[:40])
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        raise KnownError(refusal) from None
    if not 0.0 <= value <= 1.0:
        raise KnownError(refusal)
    return value


def namespace_of(text: str) -> str:
    """A namespace as typed; KnownError for none."""
    if not text:
        raise KnownError(words.say("A memory is always in a namespace; “context” is the usual one."))
    return _checked(text)


def paused_of(text: str) -> bool:
    """Whether a cell says that the memory is paused; KnownError for a word that says neither."""
    known = {"": False, "false": False, "no": False, "0": False, "true": True, "yes": True, "1": True}
    known |= {words.say("Paused").casefold(): True, words.say("Active").casefold(): False}
    said = known.get(text.casefold())
    if said is None:
        raise KnownError(words.say("A memory is active or paused; “{typed}” is neither.", typed=text[:40]))
    return said


def _checked(name: str) -> str:
    if len(name) > LONGEST_NAME:
        raise KnownError(words.say("A name has at most {n} characters.", n=f"{LONGEST_NAME:,}"))
    return name


def _response(memory: Memory, text: str) -> Memory:
    if len(text) > LONGEST_RESPONSE:
        raise KnownError(words.say("A response has at most {n} characters.", n=f"{LONGEST_RESPONSE:,}"))
    return replace(memory, response=text)


_FIELDS: dict[str, Callable[[Memory, str], Memory]] = {
    "label": lambda memory, text: replace(memory, intent=_checked(text) or None),
    "namespace": lambda memory, text: replace(memory, namespace=namespace_of(text)),
    "tags": lambda memory, text: replace(memory, tags=tags_of(text)),
    "success": lambda memory, text: replace(memory, success=success_of(text)),
    "paused": lambda memory, text: replace(memory, paused=paused_of(text)),
    "response": _response,
}
