"""Parts of a library from outside that are left out when it is restored or joined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.domain.running import shown


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Parts of an outside library that were left out.

    `approvals` are names of powers, `settings` are addresses, permissions and other choices of a user, `unknown`
    holds keys of unknown or invalid settings, `team` is the address of a team's library, "" for none, and `sql` the
    names of triggers and views.
    """

    approvals: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    team: str = ""
    sql: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any((self.approvals, self.settings, self.unknown, self.team, self.sql))


@dataclass(frozen=True, slots=True)
class Restored:
    """Restored library: the backup of the previous one, and what was accepted and left out.

    `is_own`: this profile made the copy.
    """

    before: str
    is_own: bool
    accepted: Mapping[str, str]
    left_out: LeftOut


class RestoreCandidate(Protocol):
    """Library in a copy, for inspection before it replaces the present one."""

    @property
    def is_own(self) -> bool:
        """True if this profile made the copy, and it is unchanged."""

    @property
    def settings(self) -> Mapping[str, str]:
        """Settings of an outside copy that need the user's consent."""

    def restore(self, *, accept: bool = False) -> Restored:
        """Back up and replace the library; on StoreError nothing is changed."""


# ---- Sentences


MOST_NAMED, LONGEST, LONGEST_SHOWN = 12, 80, 300
"""Maximum number of named things in a sentence, and characters of each there and on a line."""


def named(things: Sequence[str]) -> str:
    """List the first things by name, and count the others."""
    listed = ", ".join(shown(thing, LONGEST) for thing in things[:MOST_NAMED])
    return f"{listed} and {len(things) - MOST_NAMED:,} more" if len(things) > MOST_NAMED else listed


def pairs(settings: Mapping[str, str]) -> list[str]:
    """Format settings as KEY=VALUE."""
    return [f"{key}={value}" for key, value in settings.items()]


def counted(things: Sequence[object] | Mapping[str, str], one: str, many: str) -> str:
    """Format a count with the singular or plural word."""
    return f"{len(things):,} {one if len(things) == 1 else many}"


def left_out_lines(left: LeftOut, way: str = "“intentscope settings KEY=VALUE” sets one here.") -> list[str]:
    """Return one sentence per kind of part left out; `way` is the advice on how to set settings."""
    return list(_left_out(left, way))


def _left_out(left: LeftOut, way: str) -> Iterable[str]:
    if left.approvals:
        yield (
            f"Left out: the approval of {counted(left.approvals, 'power', 'powers')} ({named(left.approvals)}). "
            "“intentscope approve NAME” shows what it runs, and asks."
        )
    if left.settings:
        yield (
            f"Left out: {counted(left.settings, 'setting', 'settings')} with an address, a permission or another "
            f"choice of a person ({named(pairs(left.settings))}). {way}"
        )
    if left.unknown:
        yield (
            f"Left out: {counted(left.unknown, 'setting', 'settings')} unknown to this version or with an invalid "
            f"value ({named(left.unknown)})."
        )
    if left.team:
        yield f"Left out: the membership in the team at {shown(left.team, LONGEST)}. “team --join” joins one."
    if left.sql:
        yield f"Left out: {counted(left.sql, 'trigger or view', 'triggers and views')} in the file ({named(left.sql)})."


def team_settings_sentence(settings: Mapping[str, str]) -> str:
    """Warn a profile that may have taken settings from a team's server; "" without settings."""
    if not settings:
        return ""
    resets = " ".join(f"--reset {key}" for key in settings)
    return (
        "This profile takes part in a team's library, or did. Earlier versions took every setting from the team's "
        f"server on joining, and {counted(settings, 'one', 'these')} may have come from there "
        f"({named(pairs(settings))}). Check them: “intentscope settings {resets}” resets them."
    )
