"""Powers as rows, effects of keywords and edits, and parsing of pasted commands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.display import numbers, words
from app.display.library.tables import Column, has_words, number_column
from app.display.powers.running import state_word
from app.display.scope.match_rows import level_word, power_level
from app.domain.library import Power, Tool
from app.domain.match import Tier
from app.domain.running import PowerRun, RunState
from app.scoring.columns.exact import shared_keyword_score
from app.services.scope.edit_previews import UNSTORED, PowerEffect, PowerRank


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


def _tier(row: PowerRow) -> str:
    if row.standing is None:
        return numbers.ABSENT
    chance = numbers.rough_chance(row.standing.confidence)
    if row.standing.tier is Tier.NOT_FOUND:
        return "" if chance.startswith("<") else chance
    return f"{chance} {level_word(power_level(row.power, row.standing.tier)).lower()}"


def _tone(row: PowerRow) -> str:
    return "text" if row.standing is not None and row.standing.tier is not Tier.NOT_FOUND else "text_2"


def state_cell(row: PowerRow) -> str:
    """Return the state of a power's server, with a glyph; "" for one that is stopped, and for none."""
    return "" if row.run is None or row.run.state is RunState.STOPPED else state_word(row.run)


def _state(row: PowerRow) -> int | None:
    return list(RunState).index(row.run.state) if row.run and state_cell(row) else None


POWER_COLUMNS: tuple[Column[PowerRow], ...] = (
    Column(
        "name",
        "Name",
        lambda row: row.power.name + "  (unsaved)" * row.is_edited,
        140,
        "name",
        value=lambda row: row.power.name.casefold(),
    ),
    Column(
        "description",
        "Description",
        lambda row: "(found by name only)" if row.power.has_name_only else row.power.description,
        190,
        "description",
        is_quiet=True,
        yields=5,
        value=lambda row: row.power.description.casefold() or None,
    ),
    number_column("keywords", "Keywords", lambda row: len(row.power.keywords), 74, yields=2),
    number_column("tools", "Tools", lambda row: len(row.power.tools), 54, yields=1),
    Column(
        "transport",
        "Transport",
        lambda row: transport_word(row.power),
        84,
        "transport",
        is_shown=False,
        value=lambda row: transport_word(row.power) or None,
    ),
    Column("approved", "Approved", lambda row: "Yes" * row.power.approved, 78, "approved", yields=4, is_sparse=True),
    Column("paused", "Paused", lambda row: "Paused" * row.power.paused, 66, "paused", yields=3, is_sparse=True),
    Column(
        "tier",
        "This query",
        _tier,
        144,
        "tier",
        tone=_tone,
        is_sparse=True,
        value=lambda row: None if row.standing is None else row.standing.confidence,
    ),
    Column("state", "Server", state_cell, 104, "state", is_sparse=True, value=_state),
)


def matches_search(power: Power, search: str) -> bool:
    """Check if every search word occurs in the power's texts, case-insensitively."""
    tools = " ".join(f"{tool.name} {tool.description}" for tool in power.tools)
    every = " ".join((power.name, power.description, *power.keywords, *power.examples, tools))
    return has_words(every, search)


def keyword_score_text(holders: int) -> str:
    """Return a keyword's score: "90 %", or with the number of sharing powers (S2.7)."""
    score = numbers.rough_chance(shared_keyword_score(holders))
    return score if holders == 1 else f"{score}, in {numbers.count(holders)} powers"


def rank_text(standing: PowerRank | None) -> str:
    """Format a power's rank, "73 %, rank 2 of 20, offered"; no rank at 0."""
    if standing is None:
        return "does not answer"
    word = level_word(standing.tier).lower() if standing.lack is None else words.LACKS[standing.lack]
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
