"""Whether the program would deliver exactly what a case expects (S9.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from app.domain.case import Task
from app.evaluation.answers import Answered


class Delivery(StrEnum):
    """What a case comes to."""

    RIGHT = "right"
    """What it expects would be delivered, and nothing else."""
    WRONG = "wrong"
    """Another answer is given."""
    MISSING = "missing"
    """Nothing is given, or the right memory is found and not injected."""
    UNEXPECTED = "unexpected"
    """The answer is right, and something that the case does not expect would be injected or activated beside it."""


JUDGED = (Task.INTENT, Task.MEMORY, Task.POWER)
"""The tasks whose cases speak of memories and powers; a case of the others says nothing of them."""


def delivery_of(answered: Answered) -> Delivery:
    """What a case comes to by all that would be delivered."""
    if not answered.is_right:
        return Delivery.MISSING if answered.predicted is None else Delivery.WRONG
    if unexpected(answered):
        return Delivery.UNEXPECTED
    return Delivery.MISSING if is_withheld(answered) else Delivery.RIGHT


def passes(answered: Answered) -> bool:
    """Whether exactly what the case expects would be delivered."""
    return delivery_of(answered) is Delivery.RIGHT


def unexpected(answered: Answered) -> tuple[str, ...]:
    """The names of what would be injected or activated although the case does not expect it."""
    found, case = answered.delivered, answered.case
    if found is None or case.task not in JUDGED:
        return ()
    if answered.unwanted:
        names = (*(name for memory in found.memories for name in memory), found.power)
        return tuple(dict.fromkeys(name for name in names if name in answered.unwanted))
    wanted, powers = set(answered.acceptable), [found.power] if found.power else []
    if case.task is Task.POWER:
        memories = [name for name, _ in found.memories]
        return (*memories, *(name for name in powers if name not in wanted))
    powers = [name for name in powers if name not in wanted]
    if case.task is Task.INTENT:
        return (*dict.fromkeys(label for _, label in found.memories if label not in wanted), *powers)
    # Memories of one label compete: where the right one comes, those beside it are no surprise.
    labels = {label for name, label in found.memories if name in wanted}
    return (*(name for name, label in found.memories if name not in wanted and label not in labels), *powers)


def is_withheld(answered: Answered) -> bool:
    """Whether the right memory is found, but would not be injected although it has a response."""
    found, case = answered.delivered, answered.case
    if found is None or not answered.acceptable or case.task not in (Task.INTENT, Task.MEMORY):
        return False
    given = {name for memory in found.memories for name in memory}
    return found.can_inject and given.isdisjoint(answered.acceptable)


def deliveries(answers: Sequence[Answered]) -> Mapping[Delivery, int]:
    """How many cases come to each."""
    counts = Counter(map(delivery_of, answers))
    return {one: counts[one] for one in Delivery}


def why_not_delivered(answered: Answered) -> str:
    """What keeps a case whose answer is right from passing; "" where it passes, or the answer is wrong."""
    if not answered.is_right:
        return ""
    if names := unexpected(answered):
        return f"Unexpected beside it: {_listed(names)}."
    return "The right memory is found, but would not be injected." if is_withheld(answered) else ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)
