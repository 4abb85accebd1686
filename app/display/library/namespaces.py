"""Matrix of namespaces and types as rows: weights, changes, and origins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.display import numbers, words
from app.display.scope.surfacing import weight_text
from app.display.system.settings import FIXED, ORIGINS
from app.domain.intent import IntentType
from app.domain.library import NAMESPACES
from app.settings.model import Settings
from app.settings.routes import UNWEIGHTED, default_weight, weight_key

TYPES = tuple(IntentType)
"""Columns of the matrix."""


@dataclass(frozen=True, slots=True)
class WeightCell:
    """One weight: key, text, and flags if it differs from 1, is set, and is set in the window.

    `fixed` is why it cannot be changed here, "" if it can.
    """

    key: str
    text: str
    is_plain: bool
    is_set: bool
    is_here: bool
    fixed: str
    tip: str
    said: str


@dataclass(frozen=True, slots=True)
class NamespaceRow:
    """One namespace: name, number of memories, shipped or not, and weights in order of TYPES."""

    name: str
    count: int
    is_shipped: bool
    cells: tuple[WeightCell, ...]

    @property
    def counted(self) -> str:
        return numbers.count(self.count)


def namespace_rows(
    settings: Settings, origins: Mapping[str, str], counts: Mapping[str, int]
) -> tuple[NamespaceRow, ...]:
    """Return every namespace: shipped, added, or used by memories or weights."""
    weighed = (name for of_type in settings.namespaces.weights.values() for name in of_type)
    names = dict.fromkeys((*settings.namespaces.all, *counts, *weighed))
    return tuple(
        NamespaceRow(
            name,
            counts.get(name, 0),
            name in NAMESPACES,
            tuple(_cell(settings, origins, type_, name) for type_ in TYPES),
        )
        for name in names
    )


def own_keys(rows: tuple[NamespaceRow, ...]) -> list[str]:
    """Return the keys of all weights that were set in the window."""
    return [cell.key for row in rows for cell in row.cells if cell.is_here]


def is_weight_text(text: str) -> bool:
    """Check if a text is a valid weight while it is typed."""
    try:
        return 0.0 <= float(text) <= 10.0
    except ValueError:
        return False


def _cell(settings: Settings, origins: Mapping[str, str], type_: IntentType, name: str) -> WeightCell:
    key = weight_key(type_, name)
    weight, default = settings.namespaces.weight(type_, name), default_weight(type_, name)
    origin = origins.get(key, "default")
    is_set = origin != "default"
    fixed = ""
    if origin in FIXED:
        where = ORIGINS[origin].lower()
        fixed = f"Set by the {where}, which wins over a choice made here."
    default_words = f"default {weight_text(default)}"
    parts = [ORIGINS.get(origin, origin).lower(), default_words] if is_set else ["default"]
    said = ", ".join((name, words.type_word(type_), weight_text(weight), *parts))
    tip = fixed or (f"{key} = {weight_text(weight)}\n" + ", ".join(parts))
    return WeightCell(key, weight_text(weight), weight == UNWEIGHTED, is_set, origin == "here", fixed, tip, said)
