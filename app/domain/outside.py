"""What a library that somebody else may have made brings along, and what of it is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.domain.running import shown


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What did not come along with a library from outside.

    `approvals` are the names of powers, `settings` addresses, permissions and other choices of a person, `unknown` the
    keys of settings that are unknown or invalid, `team` the address of a team's library, "" for none, and `sql` the
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
    """A library that was restored: where the one before it is kept, whether the copy was this profile's own, the
    settings that were accepted, and what was left out."""

    before: str
    is_own: bool
    accepted: Mapping[str, str]
    left_out: LeftOut


class RestoreCandidate(Protocol):
    """The library that a copy comes to, to be looked at before it replaces the present one."""

    @property
    def is_own(self) -> bool:
        """Whether this profile made the copy, and nobody changed it since."""
        ...

    @property
    def settings(self) -> Mapping[str, str]:
        """The settings of a copy from outside that only come along once a person has seen and accepted them."""
        ...

    def restore(self, *, accept: bool = False) -> Restored:
        """Replace the library, after a copy was made of it; StoreError, and then nothing is changed."""
        ...


# ---- Sentences


MOST_NAMED, LONGEST, LONGEST_SHOWN = 12, 80, 300
"""Maximum number of things that are named in a sentence, and of characters of each there and in a line of its own."""


def named(things: Sequence[str]) -> str:
    """The first things by name, and the number of the others."""
    told = ", ".join(shown(thing, LONGEST) for thing in things[:MOST_NAMED])
    return f"{told} and {len(things) - MOST_NAMED:,} more" if len(things) > MOST_NAMED else told


def pairs(settings: Mapping[str, str]) -> list[str]:
    """Settings with their values, each as it is set."""
    return [f"{key}={value}" for key, value in settings.items()]


def counted(things: Sequence[object] | Mapping[str, str], one: str, many: str) -> str:
    """The number of things, in words of one or many."""
    return f"{len(things):,} {one if len(things) == 1 else many}"


def left_out_lines(left: LeftOut, way: str = "“intentscope settings KEY=VALUE” sets one here.") -> list[str]:
    """One sentence for each kind of thing that was left out; `way` says how settings are taken nevertheless."""
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
    """The sentence for a profile that may have taken settings from a team's server; "" without settings."""
    if not settings:
        return ""
    resets = " ".join(f"--reset {key}" for key in settings)
    return (
        "This profile takes part in a team's library, or did. Earlier versions took every setting from the team's "
        f"server on joining, and {counted(settings, 'one', 'these')} may have come from there "
        f"({named(pairs(settings))}). Check them: “intentscope settings {resets}” resets them."
    )
