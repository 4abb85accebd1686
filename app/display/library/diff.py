"""What differs between two states of a memory, field by field and word by word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from app.display import numbers, words
from app.display.library.catalogue import moment
from app.domain.journal import Revision, Step
from app.domain.library import Memory

_LONGEST_COMPARED = 2_000
"""So many words of a field are compared one by one; longer texts are shown whole, old and new."""


class Mark(StrEnum):
    """What became of a piece of text."""

    SAME = "same"
    GONE = "gone"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text and what became of it."""

    text: str
    mark: Mark = Mark.SAME


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that differs, in lines of pieces."""

    title: str
    lines: tuple[tuple[Piece, ...], ...]

    @property
    def sentence(self) -> str:
        """The field and what differs in it, for those who listen."""
        said = {Mark.GONE: words.say("gone: "), Mark.NEW: words.say("new: "), Mark.SAME: ""}
        return "; ".join("".join(f"{said[piece.mark]}{piece.text}" for piece in line) for line in self.lines)


def differences(before: Memory | None, after: Memory | None) -> tuple[Difference, ...]:
    """The fields that differ, in the order of the details; all fields that say something if one state is none."""
    return compared(_fields(before), _fields(after))


def compared(old: Mapping[str, Sequence[str]], new: Mapping[str, Sequence[str]]) -> tuple[Difference, ...]:
    """The fields that differ of two things, each a title and its lines, in the order of the fields."""
    return tuple(
        Difference(words.say(title), _lines(old.get(title, ()), new.get(title, ())))
        for title in dict.fromkeys((*old, *new))
        if old.get(title, ()) != new.get(title, ())
    )


def step_words(step: Step) -> str:
    """A step as a line: "deleted 12 memories · 14:02"."""
    return f"{step.sentence} · {moment(step.at)}"


def success_history(revisions: Sequence[Revision]) -> tuple[str, ...]:
    """How the success score moved, newest first: "0.500 → 0.550, marked … right · 14:02"."""
    moves = []
    for revision in revisions:
        old, new = (state.success if isinstance(state, Memory) else None for state in (revision.before, revision.after))
        if old is not None and new is not None and old != new and not revision.step.undone:
            moves.append(f"{numbers.score(old)} → {numbers.score(new)}, {step_words(revision.step)}")
    return tuple(moves)


def _fields(memory: Memory | None) -> dict[str, tuple[str, ...]]:
    if memory is None:
        return {}
    fields = {
        "Triggers": memory.triggers,
        "Response": (memory.response,) if memory.response else (),
        "Label": (memory.intent,) if memory.intent else (),
        "Namespace": (memory.namespace,),
        "Tags": memory.tags,
        "Success": (numbers.score(memory.success),),
        "Used": (numbers.count(memory.usage),),
        "State": (words.say("Paused") if memory.paused else words.say("Active"),),
        "Id": (memory.id,) if memory.id else (),
    }
    return {title: lines for title, lines in fields.items() if lines}


def _lines(old: Sequence[str], new: Sequence[str]) -> tuple[tuple[Piece, ...], ...]:
    """Single texts are compared word by word, lists line by line."""
    if len(old) == len(new) == 1:
        return (_words(old[0], new[0]),)
    lines: list[tuple[Piece, ...]] = []
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            lines += [(Piece(text),) for text in old[a:b]]
        elif what == "replace" and b - a == d - c:
            lines += [_words(*pair) for pair in zip(old[a:b], new[c:d], strict=True)]
        else:
            lines += [(Piece(text, Mark.GONE),) for text in old[a:b]]
            lines += [(Piece(text, Mark.NEW),) for text in new[c:d]]
    return tuple(lines)


def _words(old: str, new: str) -> tuple[Piece, ...]:
    left, right = re.findall(r"\s+|\w+|[^\w\s]", old), re.findall(r"\s+|\w+|[^\w\s]", new)
    if max(len(left), len(right)) > _LONGEST_COMPARED:
        return (Piece(old, Mark.GONE), Piece(new, Mark.NEW))
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < 0.4:
        return (Piece(old, Mark.GONE), Piece(new, Mark.NEW))
    pieces: list[Piece] = []
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            pieces.append(Piece("".join(left[a:b])))
            continue
        pieces += [Piece("".join(left[a:b]), Mark.GONE)] if b > a else []
        pieces += [Piece("".join(right[c:d]), Mark.NEW)] if d > c else []
    return tuple(pieces)
