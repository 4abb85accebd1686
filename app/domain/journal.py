"""The journal: steps done to the library, and the revisions of every item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.case import Case
from app.domain.intent import Rule
from app.domain.language import plural
from app.domain.library import Memory, Power

Item = Memory | Power | Rule | Case
"""Anything that can be taught, edited and deleted."""


class ThingKind(StrEnum):
    """The kinds of items in the journal."""

    MEMORY = "memory"
    POWER = "power"
    RULE = "rule"
    CASE = "case"


ItemKey = tuple[ThingKind, int]
"""What the journal knows an item by: its kind and the store's key, which is never given twice."""

MUCH = 100
"""From so many things on, a step is not taken back in passing."""

PLURALS = {
    ThingKind.MEMORY: "memories",
    ThingKind.POWER: "powers",
    ThingKind.RULE: "rules",
    ThingKind.CASE: "cases",
}

KINDS: dict[type[Item], ThingKind] = {
    Memory: ThingKind.MEMORY,
    Power: ThingKind.POWER,
    Rule: ThingKind.RULE,
    Case: ThingKind.CASE,
}


def kind_of(item: Item) -> ThingKind:
    return KINDS[type(item)]


def name_of(item: Item) -> str:
    """The display name of an item: a name, an id or its text."""
    match item:
        case Memory() | Power():
            return item.name
        case Rule():
            return item.id
        case Case():
            return item.text


def counted(kind: ThingKind, count: int) -> str:
    """A count in words: "1 memory", "2,000 memories"."""
    return f"{count:,} {kind.value if count == 1 else PLURALS[kind]}"


SUBJECTS = frozenset(
    {
        "the route of “{text}”",
        "the route “{name}”",
        "the routes that ship",
        "the rules and examples of “{name}”",
        "{count} routes",
        "the type of “{text}”",
        "the rule “{name}”",
        "the pack “{pack}”",
        "the case “{case}”",
        "the power “{name}”",
        "the tools of “{name}” from its server",
        "the trigger “{trigger}” of {called}",
        "“{text}” to the triggers of {answer}",
        "{count} memories into {called}",
        "the intent “{name}” to “{other}”",
        "the intent “{name}” into “{other}”",
        "no answer right for “{query}”",
        "{answer} right for “{query}”",
        "{answer} wrong for “{query}”",
        "an earlier memory “{name}”",
        "an earlier power “{name}”",
        "an earlier rule “{name}”",
        "an earlier case “{name}”",
        "“{trigger}” for {called} alone",
        "“{one}” and “{other}”",
    }
)
"""Templates of what a step was about; the store keeps them filled."""


def about(subject: str, **values: object) -> str:
    """One of SUBJECTS, filled."""
    assert subject in SUBJECTS, f"no template of a step: {subject}"
    return subject.format(**values)


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person is about to do: a verb in the past ("deleted"), to what, and from where it was asked.

    `subject` may be empty where the count says it all; `source` is the window, the command line, or a file's name.
    """

    verb: str
    subject: str = ""
    source: str = "window"


def choosing(changes: Mapping[str, str | None], source: str = "window") -> Edit:
    """The edit of who sets these settings, or forgets all of them (None)."""
    pairs = [key if value is None else f"{key} to {value or 'empty'}" for key, value in changes.items()]
    if all(value is None for value in changes.values()):
        return Edit("reset", ", ".join(pairs), source)
    return Edit("set", " and ".join(pairs), source)


@dataclass(frozen=True, slots=True)
class Step:
    """One edit that was done: its number, which alone orders steps, and when (UTC, "2026-11-22 04:26:21").

    `count` is how many things it touched; an undone step can be redone until the next edit. `author` is who did it,
    where that was somebody else of a team.
    """

    id: int
    at: str
    verb: str
    subject: str
    count: int
    source: str
    undone: bool = False
    author: str = ""

    def is_far(self, today: str) -> bool:
        """Whether it did much before `today` (UTC, "2026-11-22"), so that nobody means it who undoes in passing."""
        return self.count >= MUCH and self.at[:10] < today

    @property
    def sentence(self) -> str:
        """What was done, in words without a full stop: "deleted 12 memories"."""
        what = self.subject or plural(self.count, "1 thing", "{n} things")
        return f"{self.verb} {what}"


@dataclass(frozen=True, slots=True)
class Written:
    """What an edit, an undo or a redo left behind: its step, the items as they are now, and the keys that are gone.

    Of an import `items` is empty: its Change tells the keys.
    """

    step: Step
    items: Sequence[Item] = ()
    gone: Sequence[ItemKey] = ()


@dataclass(frozen=True, slots=True)
class Undone:
    """The result of an undo, in a sentence."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Redone:
    """The result of a redo, in a sentence."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Revision:
    """The revision of one item by one step; None stands for absent."""

    step: Step
    before: Item | None
    after: Item | None


@dataclass(frozen=True, slots=True)
class Binned:
    """A deleted item in the bin, and the step that deleted it."""

    step: Step
    kind: ThingKind
    item: Item

    @property
    def key(self) -> ItemKey:
        assert self.item.key is not None, "what is in the bin was stored"
        return self.kind, self.item.key
