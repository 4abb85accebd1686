"""KIND:NAME: what a person names in the terminal, found among what is stored, or refused with what is like it."""

from __future__ import annotations

from app.display.scope.why_not_words import cut
from app.domain.case import Case
from app.domain.errors import KnownError
from app.domain.journal import Item, ThingKind, name_of
from app.domain.language import say
from app.domain.library import Answer, Memory, Power
from app.services.workbench import Workbench

MOST_LISTED = 8
"""So many things of one name are listed to choose from."""


def parsed(text: str) -> tuple[ThingKind, str]:
    """Kind and name of what is written as KIND:NAME; KnownError."""
    kind, _, name = text.partition(":")
    if kind.strip().lower() not in set(ThingKind) or not name.strip():
        raise KnownError(
            say(
                "“{text}” is not KIND:NAME, where KIND is one of {thingkind}.",
                text=text,
                thingkind=", ".join(ThingKind),
            )
        )
    return ThingKind(kind.strip().lower()), name.strip()


async def one_of(workbench: Workbench, text: str) -> tuple[ThingKind, Item]:
    """What is stored under this name; KnownError where that is nothing, or more than one thing."""
    kind, name = parsed(text)
    found = await workbench.catalogue.named(kind, name)
    if not found:
        like = ", ".join(f"{kind.value}:{cut(one)}" for one in await workbench.catalogue.like(kind, name))
        sentence = say("There is no {kind} “{name}”.", kind=kind.value, name=name)
        raise KnownError(f"{sentence} {say('Nearest names: {names}', names=like)}" if like else sentence)
    if len(found) > 1:
        numbers = ", ".join(f"{kind.value}:#{one.key} ({_told_apart(one)})" for one in found[:MOST_LISTED])
        raise KnownError(
            say(
                "{count} are called “{name}”. Name one by its number: {numbers}.",
                count=len(found),
                name=name,
                numbers=numbers,
            )
        )
    return kind, found[0]


def _told_apart(item: Item) -> str:
    """What tells an item from others of its name."""
    if isinstance(item, Memory):
        return cut(item.answer_label or item.response or item.namespace)
    return item.task.value if isinstance(item, Case) else name_of(item)


async def answer_of(workbench: Workbench, text: str) -> Answer:
    """The memory or power of this name; KnownError."""
    _, item = await one_of(workbench, text)
    if not isinstance(item, Memory | Power):
        raise KnownError(say("“{text}” is no answer: name a memory or a power.", text=text))
    return item
