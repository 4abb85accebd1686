"""Table models: columns, facets to filter by, counts and times in cells, and the fuzzy filter of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Generic, TypeVar

from app.display import numbers

Row_contra = TypeVar("Row_contra", contravariant=True)

ANY = None
"""The value of a facet that filters nothing."""


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
    mark: Callable[[Row_contra], str] | None = None
    """The colour of the route that the cell names, "" for none; the name always stands beside it."""
    tone: Callable[[Row_contra], str] | None = None
    """The colour token of the text, where it is not the usual one; a sign in the text says the same."""
    about: str = ""
    """A term of the glossary that the title needs."""

    @property
    def name(self) -> str:
        """The title in the user's language."""
        return self.title


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a facet, its word, and how many have it where that is known."""

    value: Any
    word: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Facet:
    """A facet to filter by: its key, title and values; `is_long` where there are too many to scan."""

    key: str
    title: str
    choices: tuple[Choice, ...]

    @property
    def name(self) -> str:
        """The word in the user's language."""
        return self.title

    @property
    def is_long(self) -> bool:
        return len(self.choices) > 12

    def word_of(self, value: object) -> str:
        """What a value is called; a value that nothing has any more keeps its own name."""
        return next((choice.word for choice in self.choices if choice.value == value), str(value))


def count_of_total(shown: int, whole: int) -> str:
    """How many rows of how many are shown: "1,204 of 100,000", or one number where nothing is filtered."""
    if shown == whole:
        return numbers.count(whole)
    return f"{numbers.count(shown)} of {numbers.count(whole)}"


def first_names(names: Sequence[str], most: int = 3) -> str:
    """The first few names and how many more there are."""
    head = ", ".join(names[:most])
    more = len(names) - most
    return head if more <= 0 else f"{head} and {numbers.count(more)} more"


def short_time(at: str, now: datetime | None = None) -> str:
    """A time of the store (UTC, "2026-11-22 04:26:21") in the desktop's own: "14:02" today, else with its day."""
    if not at:
        return ""
    today = now.astimezone() if now is not None else datetime.now().astimezone()
    date, clock = _local(at)
    return clock if date == f"{today:%Y-%m-%d}" else f"{date} {clock}".rstrip()


def short_date(at: str) -> str:
    """A date in short: the hour today, else the day alone."""
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
# Fuzzy filter: subsequence matching of typed letters in names, best at the starts of words

_FIRST, _START, _PLAIN = 10, 8, 1
_RUN, _GAP = 5, 0.05
"""The score of a letter: first of the name, at the start of a word, elsewhere; the bonus right after the last match,
and the penalty of a gap."""

_LEAST = 2.0
"""The least average score of a letter; letters strewn over a name are no match."""

_LEAST_BESIDE = 3
"""Fewer letters search names only: too many other words begin with them."""

_LONGEST = 80
"""Longer search texts are cut to this many letters."""

Thing = TypeVar("Thing")


def fuzzy_score(search: str, name: str) -> float | None:
    """The score of a name, higher is better; 0 for an empty search text, None for no match."""
    letters, text = _letters(search)[:_LONGEST], name.casefold()
    best = {-1: 0.0}  # where the last letter was found, and the most that the letters up to it are worth
    for letter in letters:
        best = _next_scores(best, letter, text)
        if not best:
            return None
    worth = max(best.values())
    if worth < _LEAST * len(letters):
        return None
    return worth - len(text) * _GAP / 10 if letters else 0.0


def _next_scores(best: dict[int, float], letter: str, text: str) -> dict[int, float]:
    """One step of the subsequence search: by position, the best scores after one letter more."""
    reached: dict[int, float] = {}
    place = text.find(letter)
    while place >= 0:
        before = [worth + _gap_score(last, place) for last, worth in best.items() if last < place]
        if before:
            reached[place] = max(before) + _letter_score(text, place)
        place = text.find(letter, place + 1)
    return reached


def _gap_score(last: int, place: int) -> float:
    """The bonus or penalty of the gap between two matched letters."""
    if last < 0:
        return 0.0
    return _RUN if place == last + 1 else -_GAP * (place - last - 1)


def fuzzy_filter(
    search: str,
    things: Iterable[Thing],
    name: Callable[[Thing], str],
    also: Callable[[Thing], Sequence[str]] = lambda _: (),
) -> list[Thing]:
    """The things whose name matches, or one of whose other words begins with the search text, best first; ties keep
    their order. Names in which a word begins with the search text come first, and where there are any, names over which
    the letters are only strewn are left out."""
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
    """Whether the search text is in the name, from the start of a word on."""
    letters, text = search.casefold().strip()[:_LONGEST], name.casefold()
    place = text.find(letters)
    while place > 0 and text[place - 1].isalnum():
        place = text.find(letters, place + 1)
    return place >= 0


def _best_score(search: str, name: str, others: Sequence[str]) -> float | None:
    """The score of the name; another word that begins with the search text scores like one within the name."""
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
