"""How well a name fits what somebody types to find it: every letter in its order, best at the starts of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

_FIRST, _START, _PLAIN = 10, 8, 1
_RUN, _GAP = 5, 0.05
"""What a letter is worth: as the first of all, at the start of a word, elsewhere; what is added right after the last
one found, and what a gap costs."""

_LEAST = 2.0
"""So much a letter is worth on average at least; letters strewn over a name are no finding."""

_LEAST_BESIDE = 3
"""Fewer letters look for names alone: too many other words begin with them."""

_LONGEST = 80
"""Nobody types more to find a name; what comes after is not looked at."""

Thing = TypeVar("Thing")


def fit(sought: str, name: str) -> float | None:
    """How well a name fits, the more the better; 0 for nothing sought, None if it does not fit."""
    letters, text = _bare(sought)[:_LONGEST], name.casefold()
    best = {-1: 0.0}  # where the last letter was found, and the most that the letters up to it are worth
    for letter in letters:
        best = _next(best, letter, text)
        if not best:
            return None
    worth = max(best.values())
    if worth < _LEAST * len(letters):
        return None
    return worth - len(text) * _GAP / 10 if letters else 0.0


def _next(best: dict[int, float], letter: str, text: str) -> dict[int, float]:
    """The same for one letter more."""
    reached: dict[int, float] = {}
    place = text.find(letter)
    while place >= 0:
        before = [worth + _step(last, place) for last, worth in best.items() if last < place]
        if before:
            reached[place] = max(before) + _worth(text, place)
        place = text.find(letter, place + 1)
    return reached


def _step(last: int, place: int) -> float:
    """What it is worth to go on from one place to another."""
    if last < 0:
        return 0.0
    return _RUN if place == last + 1 else -_GAP * (place - last - 1)


def found(
    sought: str,
    things: Iterable[Thing],
    name: Callable[[Thing], str],
    also: Callable[[Thing], Sequence[str]] = lambda _: (),
) -> list[Thing]:
    """The things whose name fits, or another word that begins so, best first; what fits as well stays in its order."""
    fits = [(_fit_any(sought, name(thing), also(thing)), thing) for thing in things]
    kept = [(worth, thing) for worth, thing in fits if worth is not None]
    return [thing for _, thing in sorted(kept, key=lambda entry: -entry[0])]


def _fit_any(sought: str, name: str, others: Sequence[str]) -> float | None:
    """As the name fits; a word beside it that begins with what is sought counts as one within a name."""
    by_name, letters = fit(sought, name), _bare(sought)
    if len(letters) < _LEAST_BESIDE or not any(_bare(other).startswith(letters) for other in others):
        return by_name
    beside = _START + (_PLAIN + _RUN) * (len(letters) - 1.0)
    return beside if by_name is None else max(by_name, beside)


def _bare(sought: str) -> str:
    return "".join(letter for letter in sought.casefold() if not letter.isspace())


def _worth(text: str, place: int) -> float:
    if place == 0:
        return _FIRST
    return _START if text[place].isalnum() and not text[place - 1].isalnum() else _PLAIN
