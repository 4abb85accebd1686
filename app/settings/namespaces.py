"""Namespaces of memories, and their weights for each type of intent (S4.13)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator

from app.domain.intent import TYPE_NAMES, IntentType
from app.domain.library import NAMESPACES
from app.settings.sections import Section

WEIGHTS = "namespaces.weights"
"""Key of the weight matrix; a cell is `namespaces.weights.howto.patterns`."""

UNWEIGHTED = 1.0
MOST_WEIGHT = 10.0

DEFAULT_WEIGHTS: Mapping[IntentType, Mapping[str, float]] = {
    IntentType.HOWTO: {"patterns": 1.5, "learnings": 1.3},
    IntentType.TROUBLESHOOT: {"blockers": 1.5, "learnings": 1.3},
    IntentType.LOCATION: {"decisions": 1.5, "context": 1.3},
    IntentType.EXPLANATION: {"decisions": 1.5, "context": 1.3},
    IntentType.COMPARISON: {"decisions": 1.5, "patterns": 1.3},
    IntentType.GENERAL: {"decisions": 1.2, "patterns": 1.2},
}
"""Default weights of document 000; others are 1."""

_REFUSED = f"it must be a number from 0 to {MOST_WEIGHT:g}"


def _weight(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(_REFUSED)
    try:
        weight = float(value)
    except ValueError:
        raise ValueError(_REFUSED) from None
    if not 0.0 <= weight <= MOST_WEIGHT:
        raise ValueError(_REFUSED)
    return weight


Weight = Annotated[float, BeforeValidator(_weight)]
"""Factor on a memory's confidence in the order of injection, in [0, 10]."""


class NamespaceSettings(Section):
    """Namespaces beside the shipped ones, and weights that differ from the defaults."""

    more: str = Field("", max_length=10_000, description="Your own namespaces, separated by commas.")
    weights: Mapping[IntentType, Mapping[str, Weight]] = Field(
        {}, description="Weights of a namespace's memories for a type; they order the injected memories."
    )

    @field_validator("more")
    @classmethod
    def _are_names(cls, more: str) -> str:
        if not more.isprintable():
            raise ValueError("it must be names, parted by commas")
        return ", ".join(_names(more))

    @property
    def own(self) -> tuple[str, ...]:
        """Namespaces added by the user, in order."""
        return tuple(name for name in _names(self.more) if name not in NAMESPACES)

    @property
    def all(self) -> tuple[str, ...]:
        """Shipped namespaces, then those added by the user."""
        return (*NAMESPACES, *self.own)

    def weight(self, type_: IntentType, namespace: str) -> float:
        found = self.weights.get(type_, {}).get(namespace)
        return default_weight(type_, namespace) if found is None else found


def default_weight(type_: IntentType, namespace: str) -> float:
    return DEFAULT_WEIGHTS[type_].get(namespace, UNWEIGHTED)


def weight_key(type_: IntentType, namespace: str) -> str:
    """Return the dotted key of one cell of the matrix."""
    return f"{WEIGHTS}.{type_.value}.{namespace}"


def is_weight(key: str) -> bool:
    """Return whether a dotted key is a cell of the matrix."""
    if not key.startswith(f"{WEIGHTS}."):
        return False
    type_, _, namespace = key.removeprefix(f"{WEIGHTS}.").partition(".")
    return type_ in TYPE_NAMES and bool(namespace)


def _names(text: str) -> list[str]:
    found = (re.sub(r"\s+", " ", name).strip() for name in text.split(","))
    return list(dict.fromkeys(filter(None, found)))
