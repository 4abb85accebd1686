"""Table models: columns, filter facets, counts and times in cells, and a fuzzy name filter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Generic, TypeVar

from app.display import numbers

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

    @property
    def name(self) -> str:
        return self.title


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
    def name(self) -> str:
        return self.title

    @property
    def is_long(self) -> bool:
        return len(self.choices) > 12

    def word_of(self, value: object) -> str:
        """Return the display name of a value; an unused value keeps its own."""
        return next((choice.word for choice in self.choices if choice.value == value), str(value))


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


def short_time(at: str, now: datetime | None = None) -> str:
    """Format a stored time (UTC, "2026-11-22 04:26:21") as local time: "14:02", or with date."""
    if not at:
        return ""
    today = now.astimezone() if now is not None else datetime.now().astimezone()
    date, clock = _local(at)
    return clock if date == f"{today:%Y-%m-%d}" else f"{date} {clock}".rstrip()


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


# --------------------------------------------------------------------------------------------------------------------
# Fuzzy filter: subsequence matching of letters in names, best at the starts of words

_FIRST, _START, _PLAIN = 10, 8, 1
_RUN, _GAP = 5, 0.05
"""Scores of a letter (first of the name, start of a word, other), run bonus, gap penalty."""

_LEAST = 2.0
"""Minimum average score of a letter; scattered letters are no match."""

_LEAST_BESIDE = 3
"""Minimum number of letters to search other words than names."""

_LONGEST = 80
"""Maximum letters of a search text."""

Thing = TypeVar("Thing")


def fuzzy_score(search: str, name: str) -> float | None:
    """Score a name, higher is better; 0 for an empty search text, None for no match."""
    letters, text = _letters(search)[:_LONGEST], name.casefold()
    best = {-1: 0.0}  # best score of the letters so far, by position of the last one
    for letter in letters:
        best = _next_scores(best, letter, text)
        if not best:
            return None
    worth = max(best.values())
    if worth < _LEAST * len(letters):
        return None
    return worth - len(text) * _GAP / 10 if letters else 0.0


def _next_scores(best: dict[int, float], letter: str, text: str) -> dict[int, float]:
    """Advance the subsequence search by one letter; return the best scores by position."""
    reached: dict[int, float] = {}
    place = text.find(letter)
    while place >= 0:
        before = [worth + _gap_score(last, place) for last, worth in best.items() if last < place]
        if before:
            reached[place] = max(before) + _letter_score(text, place)
        place = text.find(letter, place + 1)
    return reached


def _gap_score(last: int, place: int) -> float:
    """Return the bonus or penalty of the gap between two matched letters."""
    if last < 0:
        return 0.0
    return _RUN if place == last + 1 else -_GAP * (place - last - 1)


def fuzzy_filter(
    search: str,
    things: Iterable[Thing],
    name: Callable[[Thing], str],
    also: Callable[[Thing], Sequence[str]] = lambda _: (),
) -> list[Thing]:
    """Return the items that match by name or another word's start, best first; ties keep order.

    Names with a word that starts with the search text come first; if there are any, names with scattered letters are
    left out.
    """
    fits = [(_best_score(search, name(thing), also(thing)), thing) for thing in things]
    kept = [(not _begins_word(search, name(thing)), -worth, thing) for worth, thing in fits if worth is not None]
    letters = _letters(search)
    if len(letters) >= _LEAST_BESIDE and not all(is_later for is_later, *_ in kept):
        kept = [
            (is_later, worth, thing)
            for is_later, worth, thing in kept
            if letters in _letters(name(thing)) or any(_letters(other).startswith(letters) for other in also(thing))
        ]
    return [thing for *_, thing in sorted(kept, key=lambda entry: entry[:2])]


def _begins_word(search: str, name: str) -> bool:
    """Check if the search text occurs in the name at the start of a word."""
    letters, text = search.casefold().strip()[:_LONGEST], name.casefold()
    place = text.find(letters)
    while place > 0 and text[place - 1].isalnum():
        place = text.find(letters, place + 1)
    return place >= 0


def _best_score(search: str, name: str, others: Sequence[str]) -> float | None:
    """Return the score of the name, or of another word that starts with the search text."""
    by_name, letters = fuzzy_score(search, name), _letters(search)
    if len(letters) < _LEAST_BESIDE or not any(_letters(other).startswith(letters) for other in others):
        return by_name
    beside = _START + (_PLAIN + _RUN) * (len(letters) - 1.0)
    return beside if by_name is None else max(by_name, beside)


def _letters(search: str) -> str:
    return "".join(letter for letter in search.casefold() if not letter.isspace())


def _letter_score(text: str, place: int) -> float:
    if place == 0:
        return _FIRST
    return _START if text[place].isalnum() and not text[place - 1].isalnum() else _PLAIN
