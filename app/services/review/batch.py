"""Asking many queries one after the other: vectors made together, no LLM, and way given to a person who types."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from app.domain.errors import EncoderError, KnownError
from app.domain.inspection import Inspection
from app.domain.query import Query
from app.ports.encoder import Embedder
from app.services.core import Core
from app.services.engine.embedding import CHUNK, QUIET_CHUNK, QueryVector, QueryVectors
from app.settings.model import Settings

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
