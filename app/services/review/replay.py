"""Kept queries asked again under today's settings and library: what is answered otherwise, and why (S7.4)."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial

from app.domain.errors import EncoderError, KnownError
from app.domain.history import PastQuery, Replay, Replayed
from app.domain.inspection import Inspection
from app.domain.match import Query
from app.ports.encoder import Embedder
from app.ports.store import PastQueries
from app.services.core import Core
from app.services.engine.embedding import CHUNK, QUIET_CHUNK, QueryVector, QueryVectors
from app.services.review.differences import differences
from app.services.review.recorder import Documents
from app.services.review.traces import PastTrace, first_kind, past_query, read_trace
from app.settings.model import Settings

READ_AT_ONCE = 200
"""So many traces are read from the store at a time."""

PROGRESS_SECONDS = 0.1


async def replay(
    core: Core, keys: Sequence[int], settings: Settings, documents: Documents | None
) -> AsyncGenerator[Replay, None]:
    """Ask the queries of these keys again; how far that is, again and again, with those that are answered otherwise."""
    progress = Replay(0, len(keys))
    yield progress
    sent_at = time.monotonic()
    for start in range(0, len(keys), READ_AT_ONCE):
        some = keys[start : start + READ_AT_ONCE]
        found = await core.in_store(partial(_traced, keys=some))
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
                after = past_query(inspection, before.source, settings, documents, at=before.at)
                found_otherwise = differences(read_trace(before), read_trace(after), partial(_is_there, core))
                progress = replace(progress, done=progress.done + 1)
                if found_otherwise:
                    changed = Replayed(replace(before, trace=None), replace(after, trace=None), tuple(found_otherwise))
                    progress = replace(progress, changed=(*progress.changed, changed))
                else:
                    progress = replace(progress, same=progress.same + 1)
                if time.monotonic() - sent_at >= PROGRESS_SECONDS and progress.done < progress.of:
                    yield progress
                    progress, sent_at = replace(progress, changed=()), time.monotonic()
    yield progress


def _traced(library: PastQueries, keys: Sequence[int]) -> list[PastQuery]:
    return library.traced_queries(keys)


def _is_there(core: Core, past: PastTrace) -> bool:
    """Whether the first match of then is in the index: by its key, or by name where no key is known."""
    kind, index = first_kind(past), core.engine.index
    if kind is not None and past.key is not None:
        return index.answer((kind, past.key)) is not None
    return any(answer.name == past.name and answer.kind is kind for answer in index.answers().values())


# --------------------------------------------------------------------------------------------------------------------
# Many queries asked one after the other: vectors made together, no LLM, and way given to a person who types

STILL_LOADING = "The encoder is still loading: without it every answer would look changed. Try again when it is ready."


async def ask_all(
    core: Core, texts: Sequence[str], settings: Sequence[Settings]
) -> AsyncGenerator[tuple[Inspection, ...], None]:
    """For each text its answers under each of the settings, in order; KnownError while the encoder loads."""
    if core.engine.encoder is None and core.engine.encoder_fault is None:
        raise KnownError(STILL_LOADING)
    start = 0
    while start < len(texts):
        some = texts[start : start + (CHUNK if core.typing_priority.is_typing else QUIET_CHUNK)]
        start += len(some)
        vectors, encoder = await _vectors_of(core, some)
        for text in some:
            await core.typing_priority.turn()
            if core.engine.encoder is not encoder:
                vectors, encoder = QueryVectors(), core.engine.encoder  # vectors of two encoders are never mixed
            yield tuple([await core.settle_under(text, one, vectors) for one in settings])


async def _vectors_of(core: Core, texts: Sequence[str]) -> tuple[QueryVectors, Embedder | None]:
    """The vectors of these texts, and who made them; none where the encoder fails, which each answer then tells."""
    kept = QueryVectors()
    scored = [scored for text in texts if (scored := Query.of(text).scored).strip()]
    try:
        made = await core.encoded_both(scored) if scored else None
    except EncoderError:
        made = None
    if made is not None:
        for text, own, learned in zip(scored, *made, strict=True):
            kept.keep(text, QueryVector(own, learned))
    return kept, core.engine.encoder
