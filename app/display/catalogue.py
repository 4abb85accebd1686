"""What every table of the library shows: its columns, what it can be sifted by, and how much of it is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Generic, TypeVar

from app.display import numbers, words

Row_contra = TypeVar("Row_contra", contravariant=True)

ANY = None
"""The value of a facet that sifts nothing out."""


@dataclass(frozen=True, slots=True)
class Column(Generic[Row_contra]):
    """One column: its key, title, the text of its cell, and its width in units at first.

    `order` names what the store sorts by, "" for a column that cannot be sorted; numbers stand at the right, and there
    stands what `aside` says more quietly, which is never cut. Where there is no room for all, those with `yields` are
    left out, the lowest first; 0 stays.
    """

    key: str
    title: str
    cell: Callable[[Row_contra], str]
    width: int
    order: str = ""
    is_number: bool = False
    is_quiet: bool = False
    can_edit: bool = False
    is_shown: bool = True
    yields: int = 0
    aside: Callable[[Row_contra], str] | None = None

    @property
    def name(self) -> str:
        """The title in the user's language."""
        return words.say(self.title)


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a facet, its word, and how many have it where that is known."""

    value: Any
    word: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Facet:
    """Something to sift by: its key, its word, and the values that there are; `is_long` where one looks for them."""

    key: str
    title: str
    choices: tuple[Choice, ...]

    @property
    def name(self) -> str:
        """The word in the user's language."""
        return words.say(self.title)

    @property
    def is_long(self) -> bool:
        return len(self.choices) > 12

    def word_of(self, value: object) -> str:
        """What a value is called; a value that nothing has any more keeps its own name."""
        return next((choice.word for choice in self.choices if choice.value == value), str(value))


def standing(shown: int, whole: int) -> str:
    """How many of how many: "1,204 of 100,000", or one number where nothing is sifted out."""
    if shown == whole:
        return numbers.count(whole)
    return words.say("{shown} of {whole}", shown=numbers.count(shown), whole=numbers.count(whole))


def listed(names: Sequence[str], most: int = 3) -> str:
    """The first few names and how many more there are."""
    head = ", ".join(names[:most])
    more = len(names) - most
    return head if more <= 0 else words.say("{head} and {n} more", head=head, n=numbers.count(more))


def moment(at: str, now: datetime | None = None) -> str:
    """A time of the store (UTC, "2026-11-22 04:26:21") in the desktop's own: "14:02" today, else with its day."""
    if not at:
        return ""
    today = now.astimezone() if now is not None else datetime.now().astimezone()
    date, clock = _local(at)
    return clock if date == f"{today:%Y-%m-%d}" else f"{date} {clock}".rstrip()


def day(at: str) -> str:
    """The same shorter: the hour today, else the day alone."""
    told = moment(at)
    return told[:10] if len(told) > 10 and told[4:5] == "-" else told


@lru_cache(maxsize=4_000)
def _local(at: str) -> tuple[str, str]:
    try:
        then = datetime.fromisoformat(at).replace(tzinfo=UTC).astimezone()
    except ValueError:
        return at, ""
    return f"{then:%Y-%m-%d}", f"{then:%H:%M}"
