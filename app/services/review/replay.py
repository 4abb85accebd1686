"""Replay of stored queries under present settings and library: changes and causes (S7.4)."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from operator import methodcaller

from app.detect.doubts import doubts_of
from app.domain.errors import KnownError
from app.domain.history import (
    DifferenceKind,
    Doubt,
    ReplayCause,
    ReplayCauseKind,
    ReplayDifference,
    ReplayedQuery,
    ReplayProgress,
)
from app.domain.inspection import Inspection
from app.domain.library import Answer
from app.domain.match import Tier
from app.domain.running import ActivationBlocker
from app.ports.store import Library
from app.scoring.index.trigger_index import TriggerIndex
from app.services.core import Core
from app.services.engine.embedding import CHUNK, QUIET_CHUNK, QueryVectors
from app.services.engine.typing_priority import chunks
from app.services.review.recorder import Documents
from app.services.review.traces import StoredTrace, default_text, first_kind, history_entry, read_trace
from app.settings.model import Settings, changed_keys

READ_AT_ONCE = 200
"""Batch size of reading traces."""

PROGRESS_SECONDS = 0.1


async def replay(
    core: Core, keys: Sequence[int], settings: Settings, documents: Documents | None
) -> AsyncGenerator[ReplayProgress, None]:
    """Replay the queries of these keys; yields the progress with the changed ones."""
    progress = ReplayProgress(0, len(keys))
    yield progress
    sent_at = time.monotonic()
    for some in chunks(keys, READ_AT_ONCE):
        found = await core.in_store(methodcaller("traced_queries", some))
        readable = {query.key: query for query in found if query.text is not None}
        progress = replace(
            progress,
            done=progress.done + len(some) - len(readable),
            left_out=progress.left_out + len(some) - len(readable),
        )
        texts = [query.text or "" for query in readable.values()]
        async with aclosing(ask_all(core, texts, [settings])) as answers:
            queries = iter(readable.values())
            async for (inspection,) in answers:
                before = next(queries)
                after = history_entry(inspection, before.source, settings, documents, at=before.at)
                is_there = partial(first_answer, core.engine.index)
                found_otherwise = differences(read_trace(before), read_trace(after), is_there)
                progress = replace(progress, done=progress.done + 1)
                if found_otherwise:
                    changed = ReplayedQuery(
                        replace(before, trace=None), replace(after, trace=None), tuple(found_otherwise)
                    )
                    progress = replace(progress, changed=(*progress.changed, changed))
                else:
                    progress = replace(progress, same=progress.same + 1)
                if time.monotonic() - sent_at >= PROGRESS_SECONDS and progress.done < progress.of:
                    yield progress
                    progress, sent_at = replace(progress, changed=()), time.monotonic()
    yield progress


async def judge_again(core: Core, keys: Sequence[int], documents: Documents | None) -> bool:
    """Store the present answers and doubts of waiting queries; return whether any has changed.

    Where an LLM influenced the type, only the doubts are stored. Raises KnownError.
    """
    beyond = {Doubt.CEILING, Doubt.TIMED_OUT, Doubt.CHOSEN}  # those come from an LLM or an assistant
    found = await core.in_store(methodcaller("traced_queries", keys))
    waiting = [query for query in found if query.waits and not beyond & {*query.doubts}]
    settings = core.settings
    async with aclosing(ask_all(core, [query.text or "" for query in waiting], [settings])) as answers:
        inspections = [inspection async for (inspection,) in answers]

    def store(library: Library) -> bool:
        still = {query.key: query for query in library.queries_by_key(keys)}
        changed = []
        for before, inspection in zip(waiting, inspections, strict=True):
            now = still.get(before.key)
            if now is None or not now.waits or (now.at, now.doubts) != (before.at, before.doubts):
                continue  # asked again, decided or deleted meanwhile
            doubts = (*doubts_of(inspection, settings), *({Doubt.PRESETS} & {*before.doubts}))
            after = history_entry(inspection, before.source, settings, documents, at=before.at, doubts=doubts, times=0)
            if read_trace(before).said is not None:
                after = replace(before, doubts=after.doubts, times=0)
            changed += [after] if (now.answer_confidence, now.doubts) != (after.answer_confidence, after.doubts) else []
        return bool(library.add_queries(changed))

    return await core.in_store(store)


def first_answer(index: TriggerIndex, past: StoredTrace) -> Answer | None:
    """Return the present state of the stored first match, by key, or by name without a key."""
    kind = first_kind(past)
    if kind is not None and past.key is not None:
        return index.answer((kind, past.key))
    answers = (answer for answer in index.answers().values() if answer.kind is kind and answer.name == past.name)
    return next(answers, None)


# ---- Batch runs of queries: vectors computed together, no LLM, yielding to typing

STILL_LOADING = "The encoder is still loading: without it every answer would look changed. Try again when it is ready."


async def ask_all(
    core: Core, texts: Sequence[str], settings: Sequence[Settings]
) -> AsyncGenerator[tuple[Inspection, ...], None]:
    """Yield the answers to each text under each of the settings.

    Raises KnownError while loading.
    """
    if core.engine.encoder is None and core.engine.encoder_fault is None:
        raise KnownError(STILL_LOADING)
    start = 0
    while start < len(texts):
        some = texts[start : start + (CHUNK if core.typing_priority.is_typing else QUIET_CHUNK)]
        start += len(some)
        vectors = QueryVectors()
        await core.prefetch(some, vectors)
        encoder = core.engine.encoder
        for text in some:
            await core.typing_priority.turn()
            if core.engine.encoder is not encoder:
                vectors, encoder = QueryVectors(), core.engine.encoder  # vectors of two encoders are never mixed
            yield tuple([await core.settle_under(text, one, vectors) for one in settings])


# ---- Differences of a stored and a new answer to one query, and their causes.


LEAST = 0.0005
"""Confidences that differ by less are equal."""

OF_TYPE = ("search_intent.", "llm.")
"""Settings that only affect the type."""

PRESET = "preset"
"""Settings that affect type and answers."""

CONFIDENT = frozenset((Tier.ACTIVATED, *ActivationBlocker))
"""Levels of a confident power; only its command or approval separates them, which needs no cause."""

OF_LEVEL = ("tiers.", "bands.", "fallback_threshold", "label_thresholds")


def differences(
    before: StoredTrace, after: StoredTrace, is_there: Callable[[StoredTrace], object]
) -> list[ReplayDifference]:
    """Return all differences; `is_there` checks if the stored first match still exists.

    If an LLM influenced the stored type, the keywords' type is compared: a replay uses no LLM.
    """
    return [*_types(before, after), *_firsts(before, after, is_there), *_statuses(before, after)]


def _types(before: StoredTrace, after: StoredTrace) -> Iterator[ReplayDifference]:
    one, other = (before.type, before.confidence), (after.type, after.confidence)
    causes: list[ReplayCause] = []
    if before.said is not None and before.floor is not None and after.floor is not None:
        one, other = before.floor, after.floor
    elif before.said is not None:
        causes.append(ReplayCause(ReplayCauseKind.LLM, before.said))
    if one[0] == other[0] and abs(one[1] - other[1]) <= LEAST:
        return
    if before.rules is not None and after.rules is not None:
        causes += [ReplayCause(ReplayCauseKind.RULE_FIRES, rule) for rule in sorted(after.rules - before.rules)]
        causes += [ReplayCause(ReplayCauseKind.RULE_SILENT, rule) for rule in sorted(before.rules - after.rules)]
    causes += _settings(before, after, lambda key: key.startswith((*OF_TYPE, PRESET)))
    if one[0] != other[0]:
        yield ReplayDifference(DifferenceKind.TYPE, one[0], other[0], _or_unknown(causes))
    else:
        yield ReplayDifference(DifferenceKind.TYPE_CONFIDENCE, one[1], other[1], _or_unknown(causes))


def _firsts(
    before: StoredTrace, after: StoredTrace, is_there: Callable[[StoredTrace], object]
) -> Iterator[ReplayDifference]:
    if not _is_same_first(before, after):
        causes = _other_first(before, after, is_there)
        yield ReplayDifference(DifferenceKind.FIRST, before.name, after.name, _or_unknown(causes))
        return
    moved = list(_moved(before, after))
    if abs(before.first_confidence - after.first_confidence) > LEAST:
        causes = [*moved, *_settings(before, after, _is_of_match)]
        yield ReplayDifference(
            DifferenceKind.CONFIDENCE, before.first_confidence, after.first_confidence, _or_unknown(causes)
        )
    if before.level is not None and before.level != after.level:
        causes = [*_settings(before, after, lambda key: key.startswith((*OF_LEVEL, PRESET))), *moved]
        said = () if {before.level, after.level} <= CONFIDENT else _or_unknown(causes)
        yield ReplayDifference(DifferenceKind.LEVEL, before.level, after.level, said)


def _statuses(before: StoredTrace, after: StoredTrace) -> Iterator[ReplayDifference]:
    are_confident = {before.status, after.status} <= CONFIDENT
    if before.status == after.status or (are_confident and before.listed is None):  # what it lacked is not stored
        return
    causes = [*_settings(before, after, _is_of_match)]
    if before.kind == after.kind == "power":
        causes += _moved(before, after)
    said = () if are_confident else _or_unknown(causes)
    yield ReplayDifference(DifferenceKind.STATUS, before.status, after.status, said)


def _is_same_first(before: StoredTrace, after: StoredTrace) -> bool:
    """Compare first matches by key if both have one: a memory may have been renamed."""
    if before.kind != after.kind:
        return False
    if before.key is not None and after.key is not None:
        return before.key == after.key
    return before.name == after.name


def _other_first(
    before: StoredTrace, after: StoredTrace, is_there: Callable[[StoredTrace], object]
) -> list[ReplayCause]:
    causes: list[ReplayCause] = []
    if before.name is not None and not is_there(before):
        causes.append(ReplayCause(ReplayCauseKind.GONE, before.name))
    if after.name is not None and before.listed is not None and after.name not in before.listed:
        causes.append(ReplayCause(ReplayCauseKind.NEW, after.name))
    causes += _scorers(before, after)
    return causes + _settings(before, after, _is_of_match)


def _moved(before: StoredTrace, after: StoredTrace) -> Iterator[ReplayCause]:
    """Return why the same first match has another confidence: deciding scorers, or scores."""
    yield from _scorers(before, after)
    for name, score in after.scores.items():
        then = before.scores.get(name)
        if then is not None and abs(then - score) > LEAST:
            yield ReplayCause(ReplayCauseKind.SCORE, name, f"{then:.4f}", f"{score:.4f}")


def _scorers(before: StoredTrace, after: StoredTrace) -> list[ReplayCause]:
    if not before.winners or not after.winners or before.winners == after.winners:
        return []
    return [ReplayCause(ReplayCauseKind.SCORER, before=" + ".join(before.winners), after=" + ".join(after.winners))]


def _is_of_match(key: str) -> bool:
    return not key.startswith(OF_TYPE)


def _settings(before: StoredTrace, after: StoredTrace, matters: Callable[[str], bool]) -> list[ReplayCause]:
    if before.settings is None or after.settings is None:
        return []
    one, other = before.settings, after.settings
    changed = (key for key in changed_keys(one, other) if matters(key))
    return [ReplayCause(ReplayCauseKind.SETTING, key, _text(one, key), _text(other, key)) for key in changed]


def _text(settings: Mapping[str, str], key: str) -> str:
    return settings.get(key, default_text(key))


def _or_unknown(causes: list[ReplayCause]) -> tuple[ReplayCause, ...]:
    return tuple(causes) or (ReplayCause(ReplayCauseKind.UNKNOWN),)
