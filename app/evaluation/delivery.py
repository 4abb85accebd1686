"""Check that the program delivers exactly what a case expects (S9.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from app.domain.case import Delivered, Task
from app.domain.running import ActivationBlocker
from app.evaluation.answers import Answered


class Delivery(StrEnum):
    """Verdict on what would be delivered for a case."""

    RIGHT = "right"
    """Exactly the expected answer would be delivered."""
    WRONG = "wrong"
    """Another answer is given."""
    MISSING = "missing"
    """No answer, or the right memory is found but not injected."""
    UNAPPROVED = "unapproved"
    """The right power is found, but not approved, so it would not start."""
    NO_COMMAND = "no_command"
    """The right power is found, but has neither a command nor an address, so nothing would start."""
    UNEXPECTED = "unexpected"
    """The answer is right, but something unexpected would be injected or activated as well."""

    @property
    def words(self) -> str:
        return self.value.replace("_", " ")


VERDICTS: Mapping[ActivationBlocker, Delivery] = {
    ActivationBlocker.APPROVAL: Delivery.UNAPPROVED,
    ActivationBlocker.COMMAND: Delivery.NO_COMMAND,
}
"""Verdicts on a right power that would not start."""

BLOCKER_WORDS: Mapping[ActivationBlocker, str] = {
    ActivationBlocker.APPROVAL: "not approved",
    ActivationBlocker.COMMAND: "no command",
}
"""Words after the name of a power that would not start."""

JUDGED = (Task.INTENT, Task.MEMORY, Task.POWER)
"""Tasks whose cases judge memories and powers."""


def delivery_of(answered: Answered) -> Delivery:
    """Return the verdict on everything that would be delivered."""
    if not answered.is_right and not _withholds_unexpected(answered):
        return Delivery.MISSING if answered.predicted is None else Delivery.WRONG
    if unexpected(answered):
        return Delivery.UNEXPECTED
    if blocker := blocker_of(answered):
        return VERDICTS[blocker]
    return Delivery.MISSING if is_withheld(answered) else Delivery.RIGHT


def _withholds_unexpected(answered: Answered) -> bool:
    """Return whether a memory is found where none is right, but nothing would be delivered."""
    found, expects_none = answered.delivered, not (answered.acceptable or answered.unwanted)
    if found is None or not expects_none or answered.case.task not in (Task.INTENT, Task.MEMORY):
        return False
    return found.can_inject and not found.memories and not found.found_power


def passes(answered: Answered) -> bool:
    """Return whether exactly what the case expects would be delivered."""
    return delivery_of(answered) is Delivery.RIGHT


def grade(answered: Answered) -> int:
    """Return the grade of a case for comparisons.

    2 if it passes, 1 if the right power is found but would not start, else 0.
    """
    verdict = delivery_of(answered)
    return 2 if verdict is Delivery.RIGHT else int(verdict in VERDICTS.values())


def unexpected(answered: Answered) -> tuple[str, ...]:
    """Return the names that would be injected or started but are not expected."""
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
    # Memories of one label compete: others beside the right one are expected.
    labels = {label for name, label in found.memories if name in wanted}
    return (*(name for name, label in found.memories if name not in wanted and label not in labels), *powers)


def is_withheld(answered: Answered) -> bool:
    """Return whether the right memory is found and has a response, but would not be injected."""
    found, case = answered.delivered, answered.case
    if found is None or not answered.acceptable or case.task not in (Task.INTENT, Task.MEMORY):
        return False
    return found.can_inject and not _is_power(answered, found) and _given(found).isdisjoint(answered.acceptable)


def blocker_of(answered: Answered) -> ActivationBlocker | None:
    """Return why the right answer, a power that is found, would not start; None if nothing prevents it."""
    found = answered.delivered
    if found is None or answered.case.task not in JUDGED or answered.predicted not in answered.acceptable:
        return None
    is_meant = _is_power(answered, found) and _given(found).isdisjoint(answered.acceptable)
    return found.blocker if is_meant else None


def top_blocker(answered: Answered) -> ActivationBlocker | None:
    """Return why the best power of a case could not be started; None if it could, or if unknown."""
    found = answered.delivered
    is_top = found is not None and bool(answered.candidates) and answered.candidates[0].name == found.found_power
    return found.blocker if found is not None and is_top else None


def _is_power(answered: Answered, found: Delivered) -> bool:
    """Return whether the given answer is a power."""
    return answered.case.task is Task.POWER or answered.predicted in {found.power, found.found_power} - {""}


def _given(found: Delivered) -> set[str]:
    """Return the names and labels of the injected memories."""
    return {name for memory in found.memories for name in memory}


def deliveries(answers: Sequence[Answered]) -> Mapping[Delivery, int]:
    """Count the cases of each verdict."""
    counts = Counter(map(delivery_of, answers))
    return {one: counts[one] for one in Delivery}


def why_not_delivered(answered: Answered) -> str:
    """Explain why a case with a right answer fails; "" if it passes or the answer is wrong."""
    if not answered.is_right:
        return ""
    if names := unexpected(answered):
        return f"Unexpected beside it: {_listed(names)}."
    if blocker := blocker_of(answered):
        has = "has " if blocker is ActivationBlocker.COMMAND else ""
        return f"The right power is found, but {has}{BLOCKER_WORDS[blocker]}: it would not start."
    return "The right memory is found, but would not be injected." if is_withheld(answered) else ""


def fault_words(answered: Answered) -> str:
    """Return why a case with a right answer fails, to follow the answer's name; "" if it passes."""
    if not answered.is_right:
        return ""
    if names := unexpected(answered):
        return f"and {', '.join(names)}"
    if blocker := blocker_of(answered):
        return BLOCKER_WORDS[blocker]
    return "not injected" if is_withheld(answered) else ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)
