"""Base of the library commands: their output, resolution of names, and reports of steps."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

from app.display.library.journal import done_document
from app.display.scope.why_not_sentences import cut
from app.domain.case import Case
from app.domain.errors import KnownError
from app.domain.journal import Item, ThingKind, Written, name_of
from app.domain.library import Answer, Memory, Power
from app.services.workbench import Workbench
from app.surfaces.cli.terminal import Document

SOURCE = "command line"

MOST_LISTED = 8
"""Limit of listed items with the same name."""


@dataclass(frozen=True, slots=True)
class Output:
    """Result of a command: lines for people, and one document for programs."""

    lines: list[str]
    document: Document


# ---- names


def parsed(text: str) -> tuple[ThingKind, str]:
    """Parse KIND:NAME; raises KnownError."""
    kind, _, name = text.partition(":")
    if kind.strip().lower() not in set(ThingKind) or not name.strip():
        raise KnownError(f"“{text}” is not KIND:NAME, where KIND is one of {', '.join(ThingKind)}.")
    return ThingKind(kind.strip().lower()), name.strip()


async def one_of(workbench: Workbench, text: str) -> tuple[ThingKind, Item]:
    """Return the only item of this name; raises KnownError for none or several."""
    kind, name = parsed(text)
    found = await workbench.catalogue.named(kind, name)
    if not found:
        like = [f"{kind.value}:{cut(one)}" for one in await workbench.catalogue.like(kind, name)]
        raise KnownError(unknown(f"No {kind.value} is named “{name}”.", like))
    if len(found) > 1:
        numbers = ", ".join(f"{kind.value}:#{one.key} ({_distinguishing_text(one)})" for one in found[:MOST_LISTED])
        raise KnownError(f"{len(found)} are called “{name}”. Name one by its number: {numbers}.")
    return kind, found[0]


def unknown(sentence: str, like: Sequence[str]) -> str:
    """Return a sentence about an unknown name, with similar names."""
    return f"{sentence} Nearest names: {', '.join(like)}" if like else sentence


def _distinguishing_text(item: Item) -> str:
    """Return the text that distinguishes an item from others of its name."""
    if isinstance(item, Memory):
        return cut(item.answer_label or item.response or item.namespace)
    return item.task.value if isinstance(item, Case) else name_of(item)


async def answer_of(workbench: Workbench, text: str) -> Answer:
    """Return the memory or power of this name; raises KnownError."""
    _, item = await one_of(workbench, text)
    if not isinstance(item, Memory | Power):
        raise KnownError(f"“{text}” is not an answer: name a memory or a power.")
    return item


def whole(text: str) -> int:
    """Parse an integer of at least 1; 0 for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


# ---- reports


async def stepped(workbench: Workbench, act: Awaitable[object]) -> Output:
    """Run an action and report the step that it made, if any."""
    before = await workbench.journal.steps(1, by="")
    await act
    return done(next((Written(one) for one in await workbench.journal.steps(1, by="") if [one] != before), None))


def done(written: Written | None, nothing: str = "") -> Output:
    """Report the written step, or `nothing` without a change."""
    if written is None:
        return Output([nothing or "No change."], done_document(None))
    return Output([f"{_capital(written.step.sentence)}."], done_document(written.step))


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
