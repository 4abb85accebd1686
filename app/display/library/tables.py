"""Table models: columns, filter facets, counts and times in cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Generic, TypeVar

from app.display import numbers

Row = TypeVar("Row")
Row_contra = TypeVar("Row_contra", contravariant=True)

ANY = None
"""Value of a facet that filters nothing."""


@dataclass(frozen=True, slots=True)
class Column(Generic[Row_contra]):
    """One column: key, title, cell text, and initial width in units.

    `order` is the store's sort key, "" for an unsortable column; numbers are right-aligned. `aside` is muted text at
    the right that is never cut. If space is short, columns with `yields` are hidden, lowest first; 0 stays.
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
    mark: Callable[[Row_contra], str] | None = None
    """Colour of the route named in the cell, "" for none."""
    tone: Callable[[Row_contra], str] | None = None
    """Colour token of the text, if not the default; a sign in the text says the same."""
    about: str = ""
    """Glossary term that explains the title."""
    is_sparse: bool = False
    """True for a column that is hidden while all its cells are empty."""
    value: Callable[[Row_contra], Any] | None = None
    """Sort value of rows in memory, if not the text of the cell; None for an absent one."""


def number_column(
    key: str,
    title: str,
    value: Callable[[Row], Any],
    width: int,
    form: Callable[[Any], str] = numbers.count,
    **looks: Any,
) -> Column[Row]:
    """Make a sortable column of numbers in memory, written by `form`; an absent one leaves the cell empty."""

    def cell(row: Row) -> str:
        return "" if (number := value(row)) is None else form(number)

    return Column(key, title, cell, width, key, is_number=True, value=value, **looks)


def sort_value(columns: Sequence[Column[Row]], order: str) -> Callable[[Row], Any]:
    """Return what rows are sorted by in the column of an order; raises StopIteration for an unknown one."""
    column = next(one for one in columns if one.order == order)
    return column.value or (lambda row: column.cell(row).casefold())


def sorted_by(columns: Sequence[Column[Row]], rows: Iterable[Row], order: str, *, descending: bool) -> list[Row]:
    """Sort rows in memory by a column, absent values last in both directions; "" keeps their order."""
    rows = list(rows)
    if not order:
        return rows
    value = sort_value(columns, order)
    known = sorted((row for row in rows if value(row) is not None), key=value, reverse=descending)
    return [*known, *(row for row in rows if value(row) is None)]


def has_words(text: str, search: str) -> bool:
    """Check if a text contains every word of a search, in any case."""
    folded = text.casefold()
    return all(word in folded for word in search.casefold().split())


def column_lines(columns: Sequence[Column[Any]], rows: Iterable[object]) -> list[str]:
    """Format rows below the titles of their columns, for the terminal."""
    cells = [[column.title for column in columns], *([column.cell(row) for column in columns] for row in rows)]
    wide = [max(map(len, each)) for each in zip(*cells, strict=True)]
    sides = [str.rjust if column.is_number else str.ljust for column in columns]
    return [
        "  ".join(side(cell, room) for side, cell, room in zip(sides, line, wide, strict=True)).rstrip()
        for line in cells
    ]


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a facet, its display name, and its count if known."""

    value: Any
    word: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Facet:
    """Filter facet: key, title and values; `is_long` if there are too many to scan."""

    key: str
    title: str
    choices: tuple[Choice, ...]

    @property
    def is_long(self) -> bool:
        return len(self.choices) > 12

    def word_of(self, value: object) -> str:
        """Return the display name of a value; an unused value keeps its own."""
        return next((choice.word for choice in self.choices if choice.value == value), str(value))


def counted_facets(
    rows: Iterable[Row], values: Mapping[str, tuple[str, Callable[[Row], Any]]], word: Callable[[Any], str] = str
) -> tuple[Facet, ...]:
    """Return a facet for each key, with its title and the number of rows of each value."""
    rows = list(rows)
    return tuple(
        Facet(key, title, tuple(Choice(one, word(one), n) for one, n in sorted(Counter(map(value, rows)).items())))
        for key, (title, value) in values.items()
    )


def count_of_total(shown: int, whole: int) -> str:
    """Format the number of shown rows: "1,204 of 100,000", or one number without a filter."""
    if shown == whole:
        return numbers.count(whole)
    return f"{numbers.count(shown)} of {numbers.count(whole)}"


def first_names(names: Sequence[str], most: int = 3) -> str:
    """Return the first few names and the number of others."""
    head = ", ".join(names[:most])
    more = len(names) - most
    return head if more <= 0 else f"{head} and {numbers.count(more)} more"


def short_time(at: str) -> str:
    """Format a stored time (UTC, "2026-11-22 04:26:21") as local time: "14:02", or with date."""
    if not at:
        return ""
    date, clock = _local(at)
    return clock if date == f"{datetime.now().astimezone():%Y-%m-%d}" else f"{date} {clock}".rstrip()


def short_date(at: str) -> str:
    """Format a date in short: the time today, otherwise the day."""
    when = short_time(at)
    return when[:10] if len(when) > 10 and when[4:5] == "-" else when


@lru_cache(maxsize=4_000)
def _local(at: str) -> tuple[str, str]:
    try:
        then = datetime.fromisoformat(at).replace(tzinfo=UTC).astimezone()
    except ValueError:
        return at, ""
    return f"{then:%Y-%m-%d}", f"{then:%H:%M}"
