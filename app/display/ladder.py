"""Labelled cases sorted by confidence, so that any threshold counts them at once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

from app.evaluation.answers import Top

Rung = tuple[int, int]
"""How many cases lie on a level, and how many of those are right."""


class Ladder:
    """Cases by their top confidence. Counting takes a few look-ups, whatever their number, but for ties."""

    def __init__(self, tops: Iterable[Top]) -> None:
        self._tops = sorted(tops, key=lambda top: top.confidence)
        self._confidences = [top.confidence for top in self._tops]
        self._right = [0, *accumulate(int(top.is_right) for top in self._tops)]
        self._none = [0, *accumulate(int(top.expects_none) for top in self._tops)]

    def __len__(self) -> int:
        return len(self._tops)

    def rungs(self, limits: Sequence[float], margin: float = 0.0) -> list[Rung]:
        """The levels that ascending limits make, best first, inclusive at the lower end (S2.13, S5.1).

        In the last one nothing is found: there those cases are right that expect nothing. A limit below an earlier one
        divides nothing. With a `margin`, what leads the second by no more falls from the best level to the next (S5.3).
        """
        ends = [0, *(bisect_left(self._confidences, limit) for limit in accumulate(limits, max)), len(self._tops)]
        found = [(end - start, self._right[end] - self._right[start]) for start, end in pairwise(ends)]
        found[0] = (found[0][0], self._none[ends[1]])
        found.reverse()
        if margin > 0.0 and len(found) > 1:
            tied = [top for top in self._tops[ends[-2] :] if top.lead <= margin]
            right = sum(top.is_right for top in tied)
            found[0] = (found[0][0] - len(tied), found[0][1] - right)
            found[1] = (found[1][0] + len(tied), found[1][1] + right)
        return found
