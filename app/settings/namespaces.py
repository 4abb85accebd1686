"""The namespaces of memories: which there are, and what each weighs for each type of intent (S4.13)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator

from app.domain.intent import TYPE_NAMES, IntentType
from app.domain.library import NAMESPACES
from app.settings.sections import Section

WEIGHTS = "namespaces.weights"
"""The matrix as a whole; `namespaces.weights.howto.patterns` is one of its cells."""

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
"""000's weights; all others are 1."""

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
"""What a confidence is multiplied with before memories are put in order: 0 to 10."""


class NamespaceSettings(Section):
    """Which namespaces there are beside the shipped ones, and the weights that differ from the shipped ones."""

    more: str = Field("", max_length=10_000, description="Namespaces of your own, parted by commas.")
    weights: Mapping[IntentType, Mapping[str, Weight]] = Field(
        {},
        description="How a namespace's memories are weighed for a type; this orders what is injected.",
    )

    @field_validator("more")
    @classmethod
    def _are_names(cls, more: str) -> str:
        if not more.isprintable():
            raise ValueError("it must be names, parted by commas")
        return ", ".join(_names(more))

    @property
    def own(self) -> tuple[str, ...]:
        """The namespaces that people added, in their order."""
        return tuple(name for name in _names(self.more) if name not in NAMESPACES)

    @property
    def all(self) -> tuple[str, ...]:
        """The shipped namespaces, then those that people added."""
        return (*NAMESPACES, *self.own)

    def weight(self, type_: IntentType, namespace: str) -> float:
        """What a namespace's memories weigh where an intent is of this type."""
        found = self.weights.get(type_, {}).get(namespace)
        return default_weight(type_, namespace) if found is None else found


def default_weight(type_: IntentType, namespace: str) -> float:
    """What a namespace weighs for a type if nobody says otherwise."""
    return DEFAULT_WEIGHTS[type_].get(namespace, UNWEIGHTED)


def weight_key(type_: IntentType, namespace: str) -> str:
    """The dotted key of one cell of the matrix."""
    return f"{WEIGHTS}.{type_.value}.{namespace}"


def is_weight(key: str) -> bool:
    """Whether a dotted key is that of a cell of the matrix."""
    if not key.startswith(f"{WEIGHTS}."):
        return False
    type_, _, namespace = key.removeprefix(f"{WEIGHTS}.").partition(".")
    return type_ in TYPE_NAMES and bool(namespace)


def _names(text: str) -> list[str]:
    found = (re.sub(r"\s+", " ", name).strip() for name in text.split(","))
    return list(dict.fromkeys(filter(None, found)))
