"""Memories and powers with the words of their names, parsed lines of files, team libraries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Generic, TypeVar
from urllib.parse import urlsplit

from app.domain.confidence import checked_confidence
from app.domain.intent import TYPE_NAMES
from app.domain.references import is_reference

NOISE = frozenset(
    "mcp server servers modelcontextprotocol client proxy bridge wrapper official latest stdio sse http remote local "
    "npm pypi py js ts node python docker image main index dist build src run start cli app bin exe cmd bat api www "
    "dev com org net io ai".split()
)
"""Words common in names of packages and hosts."""

LAUNCHERS = frozenset(
    "npx bunx pnpm pnpx yarn dlx uvx uv pipx run tool exec node deno bun python docker podman".split()
)
"""Programs that start a package given as argument, and their subcommands."""

VALUED = frozenset(
    "-e --env -v --volume --mount --name --network -w --workdir -u --user -p --python --directory".split()
)
"""Launcher options whose value is the next argument."""

PACKAGED = frozenset("-m --package --from".split())
"""Launcher options whose value is the package."""

_PART = re.compile(r"[^\W\d_]+\d*")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SCRIPT = re.compile(r"\.(py|m?js|cjs|ts|sh|jar)$", re.IGNORECASE)
_ENDING = re.compile(r"\.(exe|cmd|bat)$", re.IGNORECASE)
_PYTHON = re.compile(r"^python[\d.]*$")


def name_words(name: str) -> str:
    """Remove the common words of server names: "slack" of "slack-mcp-server"; may be empty."""
    return " ".join(_name_words(name))


def package_words(command: str, args: Sequence[str], url: str) -> str:
    """Return the informative words of a command's package or a URL's host; may be empty.

    Only the package argument is read, as others may hold paths and passwords.
    """
    if command:
        program = _ENDING.sub("", command.replace("\\", "/").rpartition("/")[2]).casefold()
        return _of_package(next(_packages(args), "") if _is_launcher(program) else program)
    return _of_host(url) if url else ""


def _name_words(text: str) -> Iterator[str]:
    for part in _PART.findall(_CAMEL.sub(" ", text)):
        if part.casefold() not in NOISE:
            yield part.casefold()


def _packages(args: Iterable[str]) -> Iterator[str]:
    """Yield the packages, images or scripts that a launcher may start."""
    rest = iter(args)
    for arg in rest:
        name, _, value = arg.partition("=")
        if arg in VALUED:
            next(rest, None)
        elif name in PACKAGED:
            yield value or next(rest, "")
        elif not arg.startswith("-") and not _is_launcher(arg.casefold()):
            yield arg


def _is_launcher(word: str) -> bool:
    return word in LAUNCHERS or _PYTHON.match(word) is not None


def _of_package(package: str) -> str:
    """Return the words of "@scope/name@1.2": of the name, else the scope or nearest folder."""
    path = package.replace("\\", "/")
    for written in reversed(path.split("/")):
        part = written.removeprefix("@").partition("@")[0].partition(":")[0]
        if words := name_words(_SCRIPT.sub("", part).removesuffix(".git")):
            return words
    return ""


def _of_host(url: str) -> str:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    labels = host.split(".")
    if len(labels) < 2 or labels[-1].isdigit() or ":" in host:
        return ""
    return next((words for label in reversed(labels[:-1]) if (words := name_words(label))), "")


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
"""Built-in namespaces (S4.13); users may add others."""

BLANK_LINE = "\n\n"
"""Separator between the paragraphs of a description."""

NEW_SUCCESS = 0.5
"""Success score of a memory without feedback."""


THRESHOLD = "score_threshold"
"""Name of the tag that holds a memory's own threshold, as in semantic-router."""


class Kind(StrEnum):
    """Kinds of answers to a query."""

    MEMORY = "memory"
    POWER = "power"


@dataclass(frozen=True, slots=True)
class Memory:
    """Pattern with triggers and a response (S1).

    `key` is the row in the store, None before it is stored; `id` the imported name, if any. `usage` is the number
    of uses before counting started here, `right` the number of times it was marked right. `source` is where it was
    added; `version` the number of the step that last changed it, 0 for none, and is not compared. `valid_from` and
    `valid_to` bound its validity (UTC "2026-11-22 04:26:21", "" if open); `replaces` holds the ids of memories it
    supersedes.
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
        """The imported id, else the first trigger (S1.3)."""
        return self.id or self.triggers[0]

    @property
    def keywords(self) -> tuple[str, ...]:
        """Declared keywords: always empty, only powers have them."""
        return ()

    @property
    def answer_label(self) -> str | None:
        """Intent label (S2.6), None if it is missing or one of the six types."""
        if self.intent is None or self.intent.strip().lower() in TYPE_NAMES:
            return None
        return self.intent

    @property
    def threshold(self) -> float | None:
        """Own minimum confidence of the memory: the largest of its threshold tags, None without one."""
        return max((own for tag in self.tags if (own := threshold_in(tag)) is not None), default=None)

    @property
    def unread_threshold(self) -> str:
        """Threshold tag without a valid number in [0, 1], which is ignored; "" if none."""
        named = (tag for tag in self.tags if tag.partition("=")[0].strip() == THRESHOLD)
        return next((tag for tag in named if threshold_in(tag) is None), "")

    def with_threshold(self, value: float | None) -> Memory:
        """Return the memory with this threshold instead of its own; None removes it."""
        others = tuple(tag for tag in self.tags if threshold_in(tag) is None)
        return replace(self, tags=others if value is None else (*others, f"{THRESHOLD}={value:g}"))


def threshold_in(tag: str) -> float | None:
    """Parse the threshold in [0, 1] of a tag; None for other tags."""
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
    """Counts of one intent: memories, paused memories, triggers, and cases that expect it.

    `named` counts the cases that expect or exclude it. `threshold` is the largest threshold of its active memories;
    `asked` the time (UTC) of the newest query in the history that it answered, "" for none. An intent without
    memories is only named by cases.
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
    """All intents by label, the number of unlabelled memories, and the number of intent cases.

    `cases_state` changes whenever one of these cases is added, edited or deleted.
    """

    intents: tuple[StoredIntent, ...] = ()
    unlabelled: int = 0
    cases: int = 0
    cases_state: tuple[int, int] = (0, 0)


def merged(base: Memory, mine: Memory, theirs: Memory) -> Memory | None:
    """Three-way merge of two edits of a memory, with the version of `theirs`; None on conflict.

    In lists such as triggers, the additions and removals of both sides apply.
    """
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
"""Fields of a memory that a user can edit."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Tool of a power."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Transport:
    """Transport to a power's MCP server: a command with arguments and environment, or a URL.

    `env` holds environment variables of the command, or headers of requests to the URL. Its values are here only on
    the way to the secret store; an empty value leaves the stored secret unchanged. A reference to the environment
    such as `${TOKEN}` is not a secret: it stays here and is resolved at start.
    """

    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    url: str | None = None

    @property
    def named(self) -> dict[str, str]:
        """Names in `env`, each with its reference, or "" in place of a secret."""
        return {name: value if is_reference(value, name) else "" for name, value in self.env.items()}

    @property
    def env_lines(self) -> list[str]:
        """Sorted names in `env`, with references where present, as in `TOKEN=${MY_TOKEN}`."""
        return [f"{name}={reference}" if reference else name for name, reference in sorted(self.named.items())]


@dataclass(frozen=True, slots=True)
class Power:
    """MCP server that can be activated, described by words, tools and examples (S1)."""

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
        """True if the power has no server and only gives its steering text, like a skill."""
        return bool(self.steering.strip()) and not (self.transport.command or self.transport.url)

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """Non-empty paragraphs of the description."""
        return tuple(part for part in self.description.split(BLANK_LINE) if part.strip())

    @property
    def summary(self) -> str:
        """First paragraph of the description, by which assistants choose."""
        return next(iter(self.paragraphs), "")

    @property
    def triggers(self) -> tuple[str, ...]:
        """Name, paragraphs, keywords, tools as "name: description", examples (S1.2), name words.

        Each paragraph of the description is a trigger of its own. Blank texts and duplicates are left out.
        """
        tools = (f"{tool.name}: {tool.description}" if tool.description else tool.name for tool in self.tools)
        every = (self.name, *self.paragraphs, *self.keywords, *tools, *self.examples, *self.name_words)
        return tuple(dict.fromkeys(text for text in every if text.strip()))

    @property
    def name_words(self) -> tuple[str, ...]:
        """Informative words in the names of server and package, such as "slack" of "@x/slack-mcp".

        Empty for a power without a server; words equal to the power's name are left out.
        """
        started = self.transport
        if not (started.command or started.url):
            return ()
        found = (name_words(self.name), package_words(started.command or "", started.args, started.url or ""))
        return tuple(dict.fromkeys(text for text in found if text and text != self.name.casefold()))

    @property
    def naming(self) -> frozenset[str]:
        """Triggers that name the power and do not say what it does: its name, other keywords and name words."""
        return frozenset((self.name, *self.name_words, *set(self.keywords).difference(self.paragraphs, self.examples)))

    @property
    def has_name_only(self) -> bool:
        """True if the power has only a name: no description, keyword, tool or example."""
        return not any(
            text.strip()
            for text in (self.description, *self.keywords, *(tool.name for tool in self.tools), *self.examples)
        )


Answer = Memory | Power
"""Candidate that a match points to."""


# ---- Stored items, and lines read from files

Content_co = TypeVar("Content_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Dated(Generic[Content_co]):
    """Stored item with the times of its creation and last change (UTC, "2026-11-22 04:26:21").

    For a memory also its total number of uses, and the last time it was injected, "" for never.
    """

    item: Content_co
    created: str
    updated: str
    used: int = 0
    last_used: str = ""


@dataclass(frozen=True, slots=True)
class Line(Generic[Content_co]):
    """Valid line of a file: its number, from 1, its value, and a note on ignored parts.

    The first lines carry `fields`: each name or heading of the file and the field it maps to, "" for none.
    """

    number: int
    value: Content_co
    note: str = ""
    fields: tuple[tuple[str, str], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Problem:
    """Skipped line of a file: its number, from 1, and the reason in a sentence."""

    line: int
    sentence: str


class Role(StrEnum):
    """Access rights of an account on a team's server."""

    READER = "reader"
    EDITOR = "editor"
    OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Membership:
    """Copy of a team's library in a profile.

    `library` identifies it, `address` is its place without a password, `author` the user's name in the team. `head`
    is the last change in the copy and `seen` when it arrived (UTC, "2026-11-22 04:26"). `role` is the last one the
    server reported, None if unknown.
    """

    library: str
    address: str
    author: str
    head: int
    seen: str
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class TeamChange:
    """Entry in the log of a team's server: the change's number, account, and number of items.

    `at` is the server's time (UTC, "2026-11-22 04:26:09").
    """

    number: int
    at: str
    author: str
    things: int


class Moving(StrEnum):
    """Phases of moving a library to or from a team's server."""

    COPYING = "copying"
    SENDING = "sending"
    FETCHING = "fetching"
    COMPARING = "comparing"
    KEEPING = "keeping"
    """Both sides are about to commit; cancelling is no longer possible."""


MoveProgress = Callable[[Moving, int, int], object]
"""Callback with the phase, the rows done and their total (0 of 0: unknown).

Before KEEPING it may raise to cancel; then neither side changes.
"""


@dataclass(frozen=True, slots=True)
class Joined:
    """Result of joining a team: the number of rows on each side and their common digest.

    `founded`: the rows were sent to the server, not fetched. `before` is the backup of the previous library,
    `left_out` the keys of the server's settings that were not applied.
    """

    member: Membership
    rows: int
    digest: str
    founded: bool
    before: str
    left_out: tuple[str, ...] = ()
