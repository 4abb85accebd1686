"""Powers as rows and in words: effects of edits, state, server, and the approval request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.display import numbers, words
from app.display.library.tables import Column
from app.display.scope.matches.rows import level_word, power_level
from app.domain.journal import Revision
from app.domain.language import percents, plural
from app.domain.library import Power, Tool
from app.domain.match import Tier
from app.domain.running import PowerRun, RunState, ValueFrom, approval_text, quoted, shown, steers
from app.scoring.columns.exact import shared_keyword_score
from app.services.powers.power_preview import UNSTORED, PowerEffect, PowerRank

STATES: Mapping[RunState, tuple[str, str, str]] = {
    RunState.STOPPED: ("\N{WHITE CIRCLE}", "Stopped", "text_2"),
    RunState.STARTING: ("\N{CIRCLE WITH LEFT HALF BLACK}", "Starting", "warning"),
    RunState.RUNNING: ("\N{BLACK CIRCLE}", "Running", "success"),
    RunState.RESTARTING: ("\N{CIRCLE WITH RIGHT HALF BLACK}", "Restarting", "warning"),
    RunState.FAILED: ("\N{MULTIPLICATION X}", "Failed", "danger"),
}
"""Glyph, word and colour of each state."""

ON = (RunState.STARTING, RunState.RUNNING, RunState.RESTARTING)
_SPELT = frozenset("\n\t")
_MOST_STEPS = 40
_MOST_NAMES = 6


def state_word(run: PowerRun | None) -> str:
    """Return glyph and word: "● Running"."""
    glyph, word, _ = STATES[RunState.STOPPED if run is None else run.state]
    return f"{glyph} {word}"


def state_token(run: PowerRun | None) -> str:
    return STATES[RunState.STOPPED if run is None else run.state][2]


def is_on(run: PowerRun | None) -> bool:
    """Check if the server runs or starts."""
    return run is not None and run.state in ON


def running_words(count: int) -> str:
    """Return the number of running powers: "2 powers run"; "" for none."""
    return plural(count, "{n} power runs", "{n} powers run") if count else ""


def escaped_text(text: str, most: int = 20_000) -> str:
    """Escape control and unprintable characters of untrusted text, up to `most` characters."""
    spelt = "".join(
        sign if sign.isprintable() or sign in _SPELT else sign.encode("unicode_escape").decode()
        for sign in text[:most].replace("\r\n", "\n")
    )
    if len(text) <= most:
        return spelt
    return f"{spelt}\n… " + f"{numbers.count(len(text) - most)} more characters"


def memory_text(size: int | None) -> str:
    """Format bytes: "84.2 MB"."""
    if size is None:
        return numbers.ABSENT
    return f"{size / 1000000:,.1f} MB"


def duration_text(seconds: float) -> str:
    """Format a duration: "3 min 12 s"."""
    whole = max(0, int(seconds))
    hours, minutes = whole // 3600, whole % 3600 // 60
    if hours:
        return f"{numbers.count(hours)} h {minutes} min"
    return f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"


def turns_left(run: PowerRun, idle_turns: int) -> str:
    """Return the number of unused queries until the server is stopped."""
    if not idle_turns:
        return "never stopped for being idle"
    left = max(0, idle_turns - run.idle_turns)
    return plural(left, "{n} query left until it is stopped", "{n} queries left until it is stopped")


@dataclass(frozen=True, slots=True)
class Fact:
    """One property of a server: name and value."""

    what: str
    said: str


def facts(run: PowerRun | None, seconds: float, idle_turns: int) -> tuple[Fact, ...]:
    """Return the properties of a server that has run for `seconds`; empty if it does not run."""
    if run is None or run.state is not RunState.RUNNING:
        return ()
    absent = numbers.ABSENT
    percent = absent if run.cpu_percent is None else percents(run.cpu_percent / 100)
    started = absent if run.started_ms is None else f"{numbers.milliseconds(run.started_ms)} ms"
    return (
        Fact("Server", shown(run.server, 120) or absent),
        Fact("Protocol", f"MCP {shown(run.protocol, 40) or absent}"),
        Fact("Runs for", duration_text(seconds)),
        Fact("Started in", started),
        Fact("Memory", memory_text(run.memory_bytes)),
        Fact("Processor", percent),
        Fact("Calls", numbers.count(run.calls)),
        Fact("Restarts", numbers.count(run.restarts)),
        Fact("Idle", turns_left(run, idle_turns)),
    )


def sentence(run: PowerRun | None, power: Power) -> str:
    """Return the sentence below the state: an error and its remedy, or what starting does."""
    if run is not None and run.state is RunState.FAILED:
        after = "See the log, fix its command or requirements, and start it again."
        return f"{shown(run.sentence, 1_000)} {after}".strip()
    if run is not None and run.sentence:
        return shown(run.sentence, 1_000)
    if is_on(run):
        return "Waiting for its tools." if run and run.state is not RunState.RUNNING else ""
    if power.key is None:
        return "Save the power first, then start it here."
    if power.is_text:
        return "It has no server: its steering text is delivered when it is activated."
    if not approval_text(power.transport):
        return "It has neither a command nor an address: give it one under “How it is reached”."
    if power.paused:
        return "It is paused: resume it, then start it here."
    return ""


@dataclass(frozen=True, slots=True)
class ApprovalPrompt:
    """Approval request: the exact text, its origin, and the text approved before."""

    power: str
    text: str
    is_address: bool
    origin: str
    before: str = ""
    values: Mapping[str, ValueFrom] = field(default_factory=dict)
    only_approves: bool = False
    is_again: bool = False
    """True if the approved text now runs another program."""
    said: str = ""
    """Text to display; approval is bound to `text`."""

    @property
    def title(self) -> str:
        if self.only_approves:
            return f"Approve “{shown(self.power, 80)}”"
        return f"Start “{shown(self.power, 80)}”"

    @property
    def question(self) -> str:
        """Consequence of approving."""
        if self.is_again:
            lead = "It was approved before, but now runs another program, or with other values."
        elif self.before:
            lead = "It was approved before, but has changed since."
        else:
            lead = "Not approved yet."
        if self.is_address:
            return lead + " " + "Intentscope connects to this address and passes calls on to it:"
        return lead + " " + "Intentscope runs this command with your rights:"

    @property
    def variables(self) -> str:
        """Lines on the variables or headers and the source of each value, own ones first."""
        ranks = (ValueFrom.OWN, ValueFrom.NOWHERE, ValueFrom.STORED)
        said = {
            ValueFrom.OWN: "no value stored, so it gets yours",
            ValueFrom.NOWHERE: "no value stored, and none in your environment yet",
            ValueFrom.STORED: "value stored",
        }
        if self.is_address:
            said[ValueFrom.NOWHERE] = "no value stored, so it is not sent"
        found = sorted(self.values.items(), key=lambda each: (ranks.index(each[1]), each[0]))
        return "\n".join(f"{quoted(name)}: {said[source]}" for name, source in found)

    @property
    def warning(self) -> str:
        """Warning on influences on the program, and on values taken from the user; "" for none."""
        return self._gets_own if self.is_address else " ".join(filter(None, (self._steered, self._gets_own)))

    @property
    def _steered(self) -> str:
        names = sorted(name for name in self.values if steers(name))
        if not names:
            return ""
        listed = ", ".join(map(quoted, names[:_MOST_NAMES])) + (", …" if len(names) > _MOST_NAMES else "")
        return (
            f"Whatever the command says, {listed} can make it run or load something else. Cancel "
            "if you do not know why."
        )

    @property
    def _gets_own(self) -> str:
        asked = (ValueFrom.OWN,) if self.is_address else (ValueFrom.OWN, ValueFrom.NOWHERE)
        count = sum(source in asked for source in self.values.values())
        if not count:
            return ""
        return plural(
            count,
            "It asks for {n} variable of your own environment. Cancel if you do not know why.",
            "It asks for {n} variables of your own environment. Cancel if you do not know why.",
        )

    @property
    def verb(self) -> str:
        if self.only_approves:
            return "Approve this address" if self.is_address else "Approve this command"
        return "Connect to this address" if self.is_address else "Start this command"


def approval_prompt(
    power: Power,
    text: str,
    revisions: Sequence[Revision],
    values: Mapping[str, ValueFrom] | None = None,
    *,
    only_approves: bool = False,
    is_again: bool = False,
) -> ApprovalPrompt:
    """Make the approval request, from the power's revisions (newest first) and variables."""
    return ApprovalPrompt(
        power.name,
        text,
        bool(power.transport.url and not power.transport.command),
        _origin(power, revisions),
        _before(power, revisions),
        values or {},
        only_approves,
        is_again,
        text,
    )


def _origin(power: Power, revisions: Sequence[Revision]) -> str:
    """Return the origin of the command or address: the last step that changed it."""
    for revision in revisions[:_MOST_STEPS]:
        before, after = revision.before, revision.after
        if not isinstance(after, Power) or after.transport != power.transport:
            break
        if isinstance(before, Power) and before.transport == after.transport:
            continue
        source, at = shown(revision.step.source, 120), revision.step.at
        if revision.step.author:
            author = shown(revision.step.author, 120)
            return f"It came from {author}, who shares this library ({at} UTC)."
        if revision.step.source == "window" and revision.step.verb in ("added", "edited"):
            return f"It was typed in the window ({at} UTC)."
        if revision.step.source == "seed":
            return f"It came with the sample library ({at} UTC)."
        verb = shown(revision.step.verb, 40)
        return f"It came from {source} ({verb}, {at} UTC)."
    return "It is not known where it came from."


def _before(power: Power, revisions: Sequence[Revision]) -> str:
    """Return the text approved before, if it differs; "" if unknown."""
    now = approval_text(power.transport)
    for revision in revisions[:_MOST_STEPS]:
        before = revision.before
        if isinstance(before, Power) and before.approved and approval_text(before.transport) != now:
            return approval_text(before.transport)
    return ""


NAME_ONLY = "(found by name only)"
"""Text in place of the description of a power with a name only."""


@dataclass(frozen=True, slots=True)
class PowerRow:
    """A power in the table: its rank for the current query, and if it has unsaved edits."""

    power: Power
    standing: PowerRank | None = None
    is_edited: bool = False
    run: PowerRun | None = None


def transport_word(power: Power) -> str:
    """Return the transport of a power in a word; "" for none."""
    transport = power.transport
    if transport.url:
        return "URL"
    return "Command" if transport.command else ""


def _name(row: PowerRow) -> str:
    return f"{row.power.name}  (unsaved)" if row.is_edited else row.power.name


def _tier(row: PowerRow) -> str:
    if row.standing is None:
        return numbers.ABSENT
    chance = numbers.rough_chance(row.standing.confidence)
    if row.standing.tier is Tier.NOT_FOUND:
        return "" if chance.startswith("<") else chance
    return f"{chance} {level_word(power_level(row.power, row.standing.tier), short=True).lower()}"


def _tone(row: PowerRow) -> str:
    return "text" if row.standing is not None and row.standing.tier is not Tier.NOT_FOUND else "text_2"


def state_cell(row: PowerRow) -> str:
    """Return the state of a power's server, with a glyph; "" for a power without one."""
    return state_word(row.run) if row.power.key is not None and transport_word(row.power) else ""


_STATES = tuple(RunState)

POWER_COLUMNS: tuple[Column[PowerRow], ...] = (
    Column("name", "Name", _name, 140, "name"),
    Column(
        "description",
        "Description",
        lambda row: NAME_ONLY if row.power.has_name_only else row.power.description,
        190,
        "description",
        is_quiet=True,
        yields=5,
    ),
    Column(
        "keywords",
        "Keywords",
        lambda row: numbers.count(len(row.power.keywords)),
        74,
        "keywords",
        is_number=True,
        yields=2,
    ),
    Column("tools", "Tools", lambda row: numbers.count(len(row.power.tools)), 54, "tools", is_number=True, yields=1),
    Column("transport", "Transport", lambda row: transport_word(row.power), 84, "transport", is_shown=False),
    Column(
        "approved",
        "Approved",
        lambda row: "Yes" if row.power.approved else "",
        78,
        "approved",
        yields=4,
        is_sparse=True,
    ),
    Column(
        "paused", "Paused", lambda row: "Paused" if row.power.paused else "", 66, "paused", yields=3, is_sparse=True
    ),
    Column("tier", "This query", _tier, 144, "tier", tone=_tone),
    Column("state", "Server", state_cell, 104, "state"),
)

ORDERS: dict[str, Callable[[PowerRow], Any]] = {
    "name": lambda row: row.power.name.casefold(),
    "description": lambda row: row.power.description.casefold() or None,
    "keywords": lambda row: len(row.power.keywords),
    "tools": lambda row: len(row.power.tools),
    "transport": lambda row: transport_word(row.power) or None,
    "approved": lambda row: row.power.approved,
    "paused": lambda row: row.power.paused,
    "tier": lambda row: None if row.standing is None else row.standing.confidence,
    "state": lambda row: _STATES.index(row.run.state if row.run else RunState.STOPPED) if state_cell(row) else None,
}


def sorted_rows(rows: Iterable[PowerRow], order: str, *, descending: bool) -> list[PowerRow]:
    """Sort the rows; missing values come last in both directions."""
    rows = list(rows)
    value = ORDERS.get(order)
    if value is None:
        return rows
    there = [row for row in rows if value(row) is not None]
    return sorted(there, key=value, reverse=descending) + [row for row in rows if value(row) is None]


def matches_search(power: Power, search: str) -> bool:
    """Check if every search word occurs in the power's texts, case-insensitively."""
    tools = " ".join(f"{tool.name} {tool.description}" for tool in power.tools)
    every = " ".join((power.name, power.description, *power.keywords, *power.examples, tools)).casefold()
    return all(word in every for word in search.casefold().split())


def keyword_score_text(holders: int) -> str:
    """Return a keyword's score: "90 %", or with the number of sharing powers (S2.7)."""
    score = numbers.rough_chance(shared_keyword_score(holders))
    return score if holders == 1 else f"{score}, in {numbers.count(holders)} powers"


def rank_text(standing: PowerRank | None) -> str:
    """Format a power's rank, "73 %, rank 2 of 20, multiple matches"; no rank at 0."""
    if standing is None:
        return "does not answer"
    word = level_word(standing.tier, short=True).lower() if standing.lack is None else words.LACKS[standing.lack]
    rank = f"rank {numbers.count(standing.rank)} of {numbers.count(standing.among)}" if standing.confidence else ""
    return ", ".join(filter(None, (numbers.rough_chance(standing.confidence), rank, word)))


def effect_words(effect: PowerEffect) -> str:
    """Return the effect of an edit on the rank: before and after, or the unchanged one."""
    before, after = rank_text(effect.before), rank_text(effect.after)
    return after if before == after else f"{before} → {after}"


def stripped(power: Power) -> Power:
    """Strip the power's texts, so that stray spaces are no edit."""
    return replace(
        power,
        name=power.name.strip(),
        description=power.description.strip(),
        steering=power.steering.strip(),
        tools=tuple(Tool(tool.name.strip(), tool.description.strip()) for tool in power.tools),
        examples=tuple(example.strip() for example in power.examples if example.strip()),
    )


def rebased_draft(draft: Power, before: Power, now: Power) -> Power:
    """Rebase a draft on changed approval or tools; other changes leave it as it is.

    Approving a power with unsaved edits is no conflict.
    """
    if now.version == before.version or replace(before, approved=now.approved, tools=now.tools) != now:
        return draft
    if before.tools not in (draft.tools, now.tools):
        return draft  # both changed the tools
    tools = now.tools if now.tools != before.tools else draft.tools
    is_same = draft.transport == before.transport
    return replace(draft, approved=now.approved and is_same, tools=tools, version=now.version)


def draft_fault(draft: Power, others: Iterable[Power]) -> str:
    """Return why a draft cannot be saved, in a sentence; "" if it can."""
    name = draft.name.strip()
    if not name:
        return "A power needs a name."
    if any(other.name == name and other.key != draft.key for other in others):
        return f"Another power is called “{name}”: give this one a different name."
    url = draft.transport.url
    if url and not url.startswith(("http://", "https://")):
        return "An address begins with http:// or https://."
    if any(not tool.name.strip() for tool in draft.tools):
        return "A tool has a description and no name: give it one, or remove it."
    return ""


# --------------------------------------------------------------------------------------------------------------------
# Unsaved edits of powers by key


class Drafts(dict[int, Power]):
    """Drafts by the key of the power; a new one has the key UNSTORED."""

    def put(self, key: int, draft: Power | None) -> bool:
        """Store a draft (None: remove it); return True if its existence changed."""
        had = key in self
        if draft is None:
            self.pop(key, None)
        else:
            self[key] = draft
        return had != (draft is not None)

    def follow(self, before: Iterable[Power], now: Iterable[Power]) -> None:
        """Rebase drafts on changed stored powers, without conflicts."""
        were = {power.key: power for power in before}
        for power in now:
            if power.key is not None and power.key in self and power.key in were:
                self[power.key] = rebased_draft(self[power.key], were[power.key], power)

    def saved(self, sent: Power, stored: Power) -> None:
        """Remove a stored draft, unless it was edited meanwhile."""
        key = UNSTORED if sent.key is None else sent.key
        draft = self.pop(key, sent)
        if draft != sent:
            self[stored.key or key] = replace(draft, key=stored.key, version=stored.version)
