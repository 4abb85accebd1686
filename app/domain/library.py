"""Memories and powers, whose triggers queries are scored against; parsed lines of files; teams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Generic, TypeVar

from app.domain.confidence import checked_confidence
from app.domain.intent import TYPE_NAMES
from app.domain.package_words import name_words, package_words
from app.domain.references import is_reference

NAMESPACES = (
    "decisions",
    "patterns",
    "learnings",
    "context",
    "tech-debt",
    "blockers",
    "progress",
    "apis",
    "config",
    "security",
    "performance",
    "testing",
    "help",
    "prompts",
)
"""The namespaces that every profile knows (S4.13); people may add their own."""

BLANK_LINE = "\n\n"
"""Parts the paragraphs of a description."""

NEW_SUCCESS = 0.5
"""The success score of a memory that nobody has marked yet."""


THRESHOLD = "score_threshold"
"""What semantic-router calls the number from which on a route is taken; a tag holds it, so that every file does."""


class Kind(StrEnum):
    """The two kinds of answers a query can resolve to."""

    MEMORY = "memory"
    POWER = "power"


@dataclass(frozen=True, slots=True)
class Memory:
    """A taught pattern (S1). `key` is the store's number, None before it is stored; `id` the imported name, if any.

    `usage` is how often it was used before anybody counted here, `right` how often it was marked right. `source` says
    where it was taught; `version` is the number of the step that made it what it is, 0 before there were
    steps, and takes no part in comparisons. It holds from one moment on until another, "2026-11-22 04:26:21" of UTC,
    "" where that is open, which only data stores are told; `replaces` are ids of those that it came in the place of.
    """

    triggers: tuple[str, ...]
    response: str = ""
    intent: str | None = None
    namespace: str = "context"
    tags: tuple[str, ...] = ()
    id: str | None = None
    success: float = NEW_SUCCESS
    usage: int = 0
    paused: bool = False
    key: int | None = None
    source: str = ""
    version: int = field(default=0, compare=False)
    right: int = 0
    valid_from: str = ""
    valid_to: str = ""
    replaces: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked_confidence(self.success)
        if not self.triggers:
            raise ValueError("a memory needs at least one trigger")

    @property
    def kind(self) -> Kind:
        return Kind.MEMORY

    @property
    def name(self) -> str:
        """Its imported id, else its first trigger (S1.3)."""
        return self.id or self.triggers[0]

    @property
    def keywords(self) -> tuple[str, ...]:
        """Memories declare none; powers do."""
        return ()

    @property
    def answer_label(self) -> str | None:
        """The intent label that this memory is one phrase of (S2.6), if it is not one of the six types."""
        if self.intent is None or self.intent.strip().lower() in TYPE_NAMES:
            return None
        return self.intent

    @property
    def threshold(self) -> float | None:
        """The confidence from which on it is an answer, where it carries one of its own: the largest of such tags."""
        return max((own for tag in self.tags if (own := threshold_in(tag)) is not None), default=None)

    @property
    def unread_threshold(self) -> str:
        """A tag that is named as a threshold and is no number in [0, 1], so that it counts for nothing; "" for none."""
        named = (tag for tag in self.tags if tag.partition("=")[0].strip() == THRESHOLD)
        return next((tag for tag in named if threshold_in(tag) is None), "")

    def with_threshold(self, value: float | None) -> Memory:
        """The memory with this threshold in the place of others; None: with none."""
        others = tuple(tag for tag in self.tags if threshold_in(tag) is None)
        return replace(self, tags=others if value is None else (*others, f"{THRESHOLD}={value:g}"))


def threshold_in(tag: str) -> float | None:
    """The number in [0, 1] that a tag says."""
    name, equals, said = tag.partition("=")
    if not equals or name.strip() != THRESHOLD:
        return None
    try:
        value = float(said)
    except ValueError:
        return None
    return value if 0.0 <= value <= 1.0 else None


@dataclass(frozen=True, slots=True)
class StoredIntent:
    """Counts of one intent: its memories, how many of them are paused, its triggers, and the cases that expect it.

    `named` counts the cases that expect it or do not want it. `threshold` is the largest that its active memories
    carry; `asked` is the time (UTC) of the newest query in the history that it answered, "" for none. An intent without
    memories is one that only cases expect.
    """

    label: str
    memories: int = 0
    paused: int = 0
    triggers: int = 0
    cases: int = 0
    named: int = 0
    threshold: float | None = None
    asked: str = ""


@dataclass(frozen=True, slots=True)
class StoredIntents:
    """Every intent, by label; the number of memories without one, and the number of cases of intents.

    `cases_state` changes whenever one of these cases is added, edited or deleted.
    """

    intents: tuple[StoredIntent, ...] = ()
    unlabelled: int = 0
    cases: int = 0
    cases_state: tuple[int, int] = (0, 0)


def merged(base: Memory, mine: Memory, theirs: Memory) -> Memory | None:
    """Three-way merge: theirs with what I changed of what both began with, under their version; None where both made
    something else of one thing. Of lists, such as triggers, each keeps what it added and loses what it took out."""
    taken: dict[str, object] = {}
    for name in MERGED:
        was, ours, other = (getattr(memory, name) for memory in (base, mine, theirs))
        if ours in (was, other):
            continue
        if other == was:
            taken[name] = ours
        elif isinstance(was, tuple):
            kept = tuple(one for one in other if one in ours or one not in was)
            taken[name] = (*kept, *(one for one in ours if one not in was and one not in kept))
        else:
            return None
    if not taken.get("triggers", theirs.triggers):
        return None
    return replace(theirs, **taken)  # type: ignore[arg-type]


MERGED = tuple(each.name for each in fields(Memory) if each.name not in ("key", "source", "version"))
"""What a person may change of a memory."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of a power."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Transport:
    """How a power's MCP server is reached: a command with arguments and environment, or a URL.

    `env` names what is given along: variables of the command's environment, or headers of every request to the URL. A
    value of `env` is only here on its way to where secrets are kept; an empty one leaves what is kept there alone.
    A value that refers to the environment, such as `${TOKEN}`, is no secret: it stays here, and is resolved at start.
    """

    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    url: str | None = None

    @property
    def named(self) -> dict[str, str]:
        """The names of `env` without secrets: each with its reference, or ""."""
        return {name: value if is_reference(value, name) else "" for name, value in self.env.items()}

    @property
    def env_lines(self) -> list[str]:
        """The names of `env` in order, each with its reference, if it has one, as in `TOKEN=${MY_TOKEN}`."""
        return [f"{name}={reference}" if reference else name for name, reference in sorted(self.named.items())]


@dataclass(frozen=True, slots=True)
class Power:
    """A power: an MCP server that can be activated, described by words, tools and examples (S1)."""

    name: str
    description: str = ""
    keywords: tuple[str, ...] = ()
    steering: str = ""
    tools: tuple[Tool, ...] = ()
    examples: tuple[str, ...] = ()
    transport: Transport = Transport()
    paused: bool = False
    approved: bool = False
    key: int | None = None
    version: int = field(default=0, compare=False)

    @property
    def kind(self) -> Kind:
        return Kind.POWER

    @property
    def id(self) -> str:
        return self.name

    @property
    def answer_label(self) -> str | None:
        return None

    @property
    def is_text(self) -> bool:
        """Whether it has no server and gives its steering text alone, as a skill does."""
        return bool(self.steering.strip()) and not (self.transport.command or self.transport.url)

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """Of its description: what stands between blank lines."""
        return tuple(part for part in self.description.split(BLANK_LINE) if part.strip())

    @property
    def summary(self) -> str:
        """The first paragraph, which is what assistants choose by."""
        return next(iter(self.paragraphs), "")

    @property
    def triggers(self) -> tuple[str, ...]:
        """Name, description, each keyword, each tool as "name: description", each example (S1.2); no blanks. Of a
        description in paragraphs each is one: its first sentence and the long text are near different queries. Last,
        the telling words of the names of server and package."""
        tools = (f"{tool.name}: {tool.description}" if tool.description else tool.name for tool in self.tools)
        every = (self.name, *self.paragraphs, *self.keywords, *tools, *self.examples, *self.name_words)
        return tuple(dict.fromkeys(text for text in every if text.strip()))

    @property
    def name_words(self) -> tuple[str, ...]:
        """Telling words of the names of a server and of its package, such as "slack" of "@x/slack-mcp"; none for a
        power without a server, and none that its name is already."""
        started = self.transport
        if not (started.command or started.url):
            return ()
        found = (name_words(self.name), package_words(started.command or "", started.args, started.url or ""))
        return tuple(dict.fromkeys(text for text in found if text and text != self.name.casefold()))

    @property
    def has_name_only(self) -> bool:
        """Whether nothing but names says what it does: no description, keyword, tool or example."""
        return not any(
            text.strip()
            for text in (self.description, *self.keywords, *(tool.name for tool in self.tools), *self.examples)
        )


Answer = Memory | Power
"""A candidate: what a match points to."""


# --------------------------------------------------------------------------------------------------------------------
# What is stored and what is read from files, of whatever kind

Content_co = TypeVar("Content_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Dated(Generic[Content_co]):
    """A stored thing, and when it was made and last changed (UTC, "2026-11-22 04:26:21"); of a memory also how often it
    was used in all, and when an assistant was told it last, "" for never."""

    item: Content_co
    created: str
    updated: str
    used: int = 0
    last_used: str = ""


@dataclass(frozen=True, slots=True)
class Line(Generic[Content_co]):
    """A good line of a file: its number, from 1, what it says, and in a sentence what of it was left out, if any.

    Of the first lines, `fields` says what became of each name or heading in the file: our field, "" for none.
    """

    number: int
    value: Content_co
    note: str = ""
    fields: tuple[tuple[str, str], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Problem:
    """A line of a file that was left out: its number, from 1, and why, in a sentence."""

    line: int
    sentence: str


class Role(StrEnum):
    """What the rights of an account come to on a team's server."""

    READER = "reader"
    EDITOR = "editor"
    OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Membership:
    """The team's library that a profile has a copy of: its own word, where it is (without a password), whom the team
    knows this person as, and how fresh the copy is: its last change, and when that came (UTC, "2026-11-22 04:26").
    `role` is what the server said last; None where it was not asked."""

    library: str
    address: str
    author: str
    head: int
    seen: str
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A line of the log of a team's server: the change's number, when it came by the server's clock (UTC, "2026-11-22
    04:26:09"), by which account, and how many things it touched."""

    number: int
    at: str
    author: str
    things: int


class Moving(StrEnum):
    """What is being done while a library goes to a team's server, comes from it, or leaves it."""

    COPYING = "copying"
    SENDING = "sending"
    FETCHING = "fetching"
    COMPARING = "comparing"
    KEEPING = "keeping"
    """Both sides are about to keep what they hold: it is too late to break off."""


MoveProgress = Callable[[Moving, int, int], object]
"""Hears what is being done, and of how many rows how many are done (0 of 0: not known). Before KEEPING it may raise
something to break off, and nothing is changed on either side."""


@dataclass(frozen=True, slots=True)
class Joined:
    """What joining a team came to: how many rows either side holds, and their common digest; whether they were brought
    to the server (`founded`) or from there, the file where what was here before is kept, and the keys of the server's
    settings that were left out."""

    member: Membership
    rows: int
    digest: str
    founded: bool
    before: str
    left_out: tuple[str, ...] = ()
