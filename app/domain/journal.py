"""The journal: steps done to the library, and the revisions of every item."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.case import Case
from app.domain.intent import Rule
from app.domain.language import forms, retold, say, say_n
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


_FORMS: dict[str, tuple[str, str]] = {
    "memory": forms("{n} memory", "{n} memories"),
    "power": forms("{n} power", "{n} powers"),
    "rule": forms("{n} rule", "{n} rules"),
    "case": forms("{n} case", "{n} cases"),
}
_COUNTED = re.compile(r"([0-9,]+) (\w+)")
_WHOLE = re.compile(r"[0-9,]+ \w+( and [0-9,]+ \w+)*")
_CHOSEN = re.compile(r"([^\s,]+) to (.*?)(?: and (?=[^\s,]+ to )|$)", re.DOTALL)
_QUOTED = re.compile(r"“([^“”]*)”")

SUBJECTS = {
    "the route of “{text}”": say("the route of “{text}”"),
    "the route “{name}”": say("the route “{name}”"),
    "the routes that ship": say("the routes that ship"),
    "the rules and examples of “{name}”": say("the rules and examples of “{name}”"),
    "{count} routes": say("{count} routes"),
    "the type of “{text}”": say("the type of “{text}”"),
    "the rule “{name}”": say("the rule “{name}”"),
    "the pack “{pack}”": say("the pack “{pack}”"),
    "the case “{case}”": say("the case “{case}”"),
    "the power “{name}”": say("the power “{name}”"),
    "the tools of “{name}” from its server": say("the tools of “{name}” from its server"),
    "the trigger “{trigger}” of {called}": say("the trigger “{trigger}” of {called}"),
    "“{text}” to the triggers of {answer}": say("“{text}” to the triggers of {answer}"),
    "{count} memories into {called}": say("{count} memories into {called}"),
    "no answer right for “{query}”": say("no answer right for “{query}”"),
    "{answer} right for “{query}”": say("{answer} right for “{query}”"),
    "{answer} wrong for “{query}”": say("{answer} wrong for “{query}”"),
    "an earlier memory “{name}”": say("an earlier memory “{name}”"),
    "an earlier power “{name}”": say("an earlier power “{name}”"),
    "an earlier rule “{name}”": say("an earlier rule “{name}”"),
    "an earlier case “{name}”": say("an earlier case “{name}”"),
    "“{trigger}” for {called} alone": say("“{trigger}” for {called} alone"),
    "“{one}” and “{other}”": say("“{one}” and “{other}”"),
}
"""What steps were about, but for names and counts: the store keeps the keys, filled, and translators see the values."""


def about(subject: str, **values: object) -> str:
    """One of SUBJECTS as the store keeps it; who reads it has it in a language of their own."""
    assert subject in SUBJECTS, "what a step is about is told in the reader's language"
    return subject.format(**values)


def _spoken(verb: str, subject: str) -> str:
    """What a step was about, as the store keeps it, in the reader's language; what is no such sentence as it is."""
    if verb == "set" and (pairs := _CHOSEN.findall(subject)):
        return say(" and ").join(
            say("{key} to {value}", key=key, value=say("empty") if value == "empty" else value) for key, value in pairs
        )
    if quoted := _QUOTED.fullmatch(subject):
        return say("“{name}”", name=quoted[1])
    return retold(subject, SUBJECTS) or _in_numbers(subject)


def _in_numbers(subject: str) -> str:
    """A subject that is a count in the reader's language; any other as it is."""
    kinds = {word: kind for kind in ThingKind for word in (kind.value, PLURALS[kind])}
    found = _COUNTED.findall(subject) if _WHOLE.fullmatch(subject) else []
    if not found or any(word not in kinds for _, word in found):
        return subject
    return say(" and ").join(say_n(int(number.replace(",", "")), *_FORMS[kinds[word]]) for number, word in found)


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


VERBS = {
    "added": say("added"),
    "approved": say("approved"),
    "decided as right": say("decided as right"),
    "decided as skipped": say("decided as skipped"),
    "decided as taught": say("decided as taught"),
    "decided as without an answer": say("decided as without an answer"),
    "decided as wrong": say("decided as wrong"),
    "deleted": say("deleted"),
    "edited": say("edited"),
    "imported": say("imported"),
    "kept": say("kept"),
    "marked": say("marked"),
    "merged": say("merged"),
    "moved a trigger of": say("moved a trigger of"),
    "ordered": say("ordered"),
    "paused": say("paused"),
    "reset": say("reset"),
    "restored": say("restored"),
    "resumed": say("resumed"),
    "set": say("set"),
    "switched off": say("switched off"),
    "switched on": say("switched on"),
    "taught": say("taught"),
    "told apart": say("told apart"),
    "took": say("took"),
    "took in": say("took in"),
}
"""What edits are called by those who read them; the journal keeps the keys."""


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
        what = _spoken(self.verb, self.subject) or say_n(self.count, "1 thing", "{n} things")
        return say("{verb} {subject}", verb=VERBS.get(self.verb, self.verb), subject=what)


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
