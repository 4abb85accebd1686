"""What a search came to, worked out on the engine's side so that the window only has to show it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

FEW = 20
"""So many things are looked for on the window's side, which is quicker than asking again."""

MOST_RANGES = 500
"""A selection that lies in more pieces than this after another sorting is not kept."""


@dataclass(frozen=True, slots=True)
class Found:
    """Keys in order, how many there are in all, the rows of the first that will be seen, and where things are now.

    `selected` are ranges (first, last) of what was selected; `current` and `top` are the new places of the current row
    and of the one at the top of the view, None where they are not among the keys.
    """

    keys: Sequence[int]
    whole: int
    rows: Mapping[int, Any] = field(default_factory=dict)
    selected: Sequence[tuple[int, int]] = ()
    current: int | None = None
    top: int | None = None


def places(keys: Sequence[int], kept: Collection[int]) -> list[tuple[int, int]]:
    """Where these keys lie, as ranges of places (first, last), both included; nothing for too many ranges."""
    if len(kept) == len(keys) and keys and set(kept) == set(keys):
        return [(0, len(keys) - 1)]
    wanted = set(kept)
    found: list[tuple[int, int]] = []
    for place, key in enumerate(keys):
        if key not in wanted:
            continue
        if found and found[-1][1] == place - 1:
            found[-1] = (found[-1][0], place)
        else:
            found.append((place, place))
    return found if len(found) <= MOST_RANGES else []


def following(found: Found, selected: Sequence[int], current: int | None) -> Found:
    """The same with what has been selected since it was asked for: a few things, looked for one by one."""
    here = sorted(place for key in selected if (place := place_of(found.keys, key)) is not None)
    return replace(found, selected=[(place, place) for place in here], current=place_of(found.keys, current))


def place_of(keys: Sequence[int], key: int | None) -> int | None:
    """Where one key lies."""
    try:
        return None if key is None else keys.index(key)
    except ValueError:
        return None
