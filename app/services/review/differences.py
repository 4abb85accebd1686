"""What two answers to one query differ in, and why: one that was kept, and one of now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from app.domain.history import Because, Cause, Differs, PastDifference
from app.services.review.traces import PastTrace, default_text
from app.settings.model import changed_keys

LEAST = 0.0005
"""Confidences that are nearer than this are the same."""

OF_TYPE = ("search_intent.", "llm.")
"""Settings that the type depends on, and no match."""

PRESET = "preset"
"""Both depend on it."""

OF_LEVEL = ("tiers.", "bands.", "fallback_threshold")


def differences(before: PastTrace, after: PastTrace, is_there: Callable[[PastTrace], bool]) -> list[PastDifference]:
    """All that differs; `is_there` tells whether the first match of then can still be found.

    Where an LLM had a say then, what the keywords said is compared: a replay asks no LLM.
    """
    return [*_types(before, after), *_firsts(before, after, is_there), *_statuses(before, after)]


def _types(before: PastTrace, after: PastTrace) -> Iterator[PastDifference]:
    one, other = (before.type, before.confidence), (after.type, after.confidence)
    causes: list[Cause] = []
    if before.said is not None and before.floor is not None and after.floor is not None:
        one, other = before.floor, after.floor
    elif before.said is not None:
        causes.append(Cause(Because.LLM, before.said))
    if one[0] == other[0] and abs(one[1] - other[1]) <= LEAST:
        return
    if before.rules is not None and after.rules is not None:
        causes += [Cause(Because.RULE_FIRES, rule) for rule in sorted(after.rules - before.rules)]
        causes += [Cause(Because.RULE_SILENT, rule) for rule in sorted(before.rules - after.rules)]
    causes += _settings(before, after, lambda key: key.startswith((*OF_TYPE, PRESET)))
    if one[0] != other[0]:
        yield PastDifference(Differs.TYPE, one[0], other[0], _or_unknown(causes))
    else:
        yield PastDifference(Differs.TYPE_CONFIDENCE, one[1], other[1], _or_unknown(causes))


def _firsts(before: PastTrace, after: PastTrace, is_there: Callable[[PastTrace], bool]) -> Iterator[PastDifference]:
    if not _is_same_first(before, after):
        causes = _other_first(before, after, is_there)
        yield PastDifference(Differs.FIRST, before.name, after.name, _or_unknown(causes))
        return
    moved = list(_moved(before, after))
    if abs(before.first_confidence - after.first_confidence) > LEAST:
        causes = [*moved, *_settings(before, after, _is_of_match)]
        yield PastDifference(Differs.CONFIDENCE, before.first_confidence, after.first_confidence, _or_unknown(causes))
    if before.level is not None and before.level != after.level:
        causes = [*_settings(before, after, lambda key: key.startswith((*OF_LEVEL, PRESET))), *moved]
        yield PastDifference(Differs.LEVEL, before.level, after.level, _or_unknown(causes))


def _statuses(before: PastTrace, after: PastTrace) -> Iterator[PastDifference]:
    if before.status != after.status:
        causes = [*_settings(before, after, _is_of_match)]
        if before.kind == after.kind == "power":
            causes += _moved(before, after)
        yield PastDifference(Differs.STATUS, before.status, after.status, _or_unknown(causes))


def _is_same_first(before: PastTrace, after: PastTrace) -> bool:
    """By key where both tell one: a memory may have been renamed since."""
    if before.kind != after.kind:
        return False
    if before.key is not None and after.key is not None:
        return before.key == after.key
    return before.name == after.name


def _other_first(before: PastTrace, after: PastTrace, is_there: Callable[[PastTrace], bool]) -> list[Cause]:
    causes: list[Cause] = []
    if before.name is not None and not is_there(before):
        causes.append(Cause(Because.GONE, before.name))
    if after.name is not None and before.listed is not None and after.name not in before.listed:
        causes.append(Cause(Because.NEW, after.name))
    causes += _scorers(before, after)
    return causes + _settings(before, after, _is_of_match)


def _moved(before: PastTrace, after: PastTrace) -> Iterator[Cause]:
    """Which scorers decide the same first match now, and whose scores are others."""
    yield from _scorers(before, after)
    for name, score in after.scores.items():
        then = before.scores.get(name)
        if then is not None and abs(then - score) > LEAST:
            yield Cause(Because.SCORE, name, f"{then:.4f}", f"{score:.4f}")


def _scorers(before: PastTrace, after: PastTrace) -> list[Cause]:
    if not before.winners or not after.winners or before.winners == after.winners:
        return []
    return [Cause(Because.SCORER, before=" + ".join(before.winners), after=" + ".join(after.winners))]


def _is_of_match(key: str) -> bool:
    return not key.startswith(OF_TYPE)


def _settings(before: PastTrace, after: PastTrace, matters: Callable[[str], bool]) -> list[Cause]:
    if before.settings is None or after.settings is None:
        return []
    one, other = before.settings, after.settings
    changed = (key for key in changed_keys(one, other) if matters(key))
    return [Cause(Because.SETTING, key, _text(one, key), _text(other, key)) for key in changed]


def _text(settings: Mapping[str, str], key: str) -> str:
    return settings.get(key, default_text(key))


def _or_unknown(causes: list[Cause]) -> tuple[Cause, ...]:
    return tuple(causes) or (Cause(Because.UNKNOWN),)
