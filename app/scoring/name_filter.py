"""Filter of names by a few letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from rapidfuzz.distance import JaroWinkler, LCSseq

_LEAST = 3
"""Minimum number of letters for a search in other words than names; also letters per initial."""

_LONGEST = 80
"""Maximum letters of a search text."""

Thing = TypeVar("Thing")


def fuzzy_filter(
    search: str,
    things: Iterable[Thing],
    name: Callable[[Thing], str],
    also: Callable[[Thing], Sequence[str]] = lambda _: (),
) -> list[Thing]:
    """Return the items that match by name or another word's start, best first; ties keep order.

    Names with a word that starts with the search text come first, then those with all its words or its letters in
    a row. Names with its letters here and there are listed only without any of these.
    """
    sought = " ".join(search.casefold().split())[:_LONGEST]
    if not sought:
        return list(things)
    ranked = [(_rank(sought, name(thing), also(thing)), thing) for thing in things]
    most = 1 if any(rank[0] <= 1 for rank, _ in ranked) and len(sought) >= _LEAST else 2
    return [thing for rank, thing in sorted(ranked, key=lambda entry: entry[0]) if rank[0] <= most]


def _rank(sought: str, name: str, others: Sequence[str]) -> tuple[float, ...]:
    """Return 0, 1 or 2 by kind of match, 3 for none, then the order among its kind."""
    letters, text = sought.replace(" ", ""), " ".join(name.casefold().split())
    if (begun := re.search(rf"(?<!\w){re.escape(sought)}", text)) is not None:
        return 0, begun.start() > 0, len(text)
    beside = len(letters) >= _LEAST and any(other.casefold().replace(" ", "").startswith(letters) for other in others)
    has_all = all(re.search(rf"(?<!\w){re.escape(word)}", text) for word in sought.split())
    if has_all or beside or (len(letters) > 1 and letters in text.replace(" ", "")):
        return 1, len(text)
    initials = "".join(re.findall(r"\b\w", text))
    begin = LCSseq.similarity(letters, initials)
    if begin * _LEAST < len(letters) or LCSseq.similarity(letters, text) < len(letters):
        return (3,)
    return 2, -begin, -JaroWinkler.similarity(letters, initials), len(text)
