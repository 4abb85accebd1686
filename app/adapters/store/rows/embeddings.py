"""Rows of vectors, by digest of the text and encoder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Connection, Row, delete, func, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert

from app.adapters.store.access import reading, writing
from app.adapters.store.connections import chunks
from app.domain.encoder import Provenance
from app.domain.match import without_lone_surrogates
from db.schema import EmbeddingRow, EncoderRow, digest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.ports.encoder import Halves, Vectors

SCAN_SHARE = 0.25
"""Share of an encoder's vectors from which on reading all is faster than look-ups."""

WHOLE, HALF = np.dtype("<f4"), np.dtype("<f2")
"""Types of stored vectors, distinguished by length."""


def selected(connection: Connection, provenance: Provenance, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    """Return the stored vectors of the texts, read-only, if their length is right."""
    encoder = _encoder(connection, provenance)
    if encoder is None or not texts:
        return {}
    keys = {text: digest(without_lone_surrogates(text)) for text in texts}
    wanted = set(keys.values())
    kinds = {kind.itemsize * provenance.dimension: kind for kind in (WHOLE, HALF)}
    vectors = {
        key: np.frombuffer(vector, kinds[len(vector)]).astype(np.float32, copy=False)
        for key, vector in _rows(connection, encoder, wanted)
        if len(vector) in kinds
    }
    return {text: vectors[key] for text, key in keys.items() if key in vectors}


def put(connection: Connection, provenance: Provenance, texts: Sequence[str], vectors: Vectors | Halves) -> None:
    """Store one vector per text; raises ValueError unless the shape is (len(texts), dimension)."""
    if vectors.shape != (len(texts), provenance.dimension):
        raise ValueError(f"{len(texts)} vectors of {provenance.dimension} numbers, not an array of {vectors.shape}")
    encoder = _encoder(connection, provenance)
    if encoder is None:
        values = {"name": provenance.encoder, "revision": provenance.revision, "dimension": provenance.dimension}
        encoder = connection.execute(insert(EncoderRow).returning(EncoderRow.id), values).scalar_one()
    stored = np.ascontiguousarray(vectors, dtype=HALF if vectors.dtype == np.float16 else WHOLE)
    statement = upsert(EmbeddingRow)
    statement = statement.on_conflict_do_update(
        index_elements=[EmbeddingRow.encoder_id, EmbeddingRow.digest], set_={"vector": statement.excluded.vector}
    )
    for chunk in chunks(zip(texts, stored, strict=True)):
        connection.execute(
            statement,
            [
                {"encoder_id": encoder, "digest": digest(without_lone_surrogates(text)), "vector": vector.tobytes()}
                for text, vector in chunk
            ],
        )


def prune(connection: Connection, kept: Iterable[str], most: int) -> int:
    """Delete the vectors of at most `most` texts not in `kept`; return the number of vectors."""
    wanted = {digest(without_lone_surrogates(text)) for text in kept}
    gone = [key for (key,) in connection.execute(select(EmbeddingRow.digest).distinct()) if key not in wanted][:most]
    return sum(
        connection.execute(delete(EmbeddingRow).where(EmbeddingRow.digest.in_(keys))).rowcount for keys in chunks(gone)
    )


def counted(connection: Connection) -> Mapping[Provenance, int]:
    """Count the vectors of each encoder that has any."""
    statement = select(EncoderRow.name, EncoderRow.revision, EncoderRow.dimension, func.count())
    statement = statement.join(EmbeddingRow, EmbeddingRow.encoder_id == EncoderRow.id).group_by(EncoderRow.id)
    rows = connection.execute(statement)
    return {Provenance(name, revision, dimension): count for name, revision, dimension, count in rows}


def _rows(connection: Connection, encoder: int, wanted: set[bytes]) -> Iterable[Row[bytes, bytes]]:
    rows = select(EmbeddingRow.digest, EmbeddingRow.vector).where(EmbeddingRow.encoder_id == encoder)
    held = connection.scalar(select(func.count()).select_from(EmbeddingRow).where(EmbeddingRow.encoder_id == encoder))
    if len(wanted) >= SCAN_SHARE * (held or 0):
        yield from (row for row in connection.execute(rows) if row[0] in wanted)
        return
    for keys in chunks(wanted):
        yield from connection.execute(rows.where(EmbeddingRow.digest.in_(keys)))


def _encoder(connection: Connection, provenance: Provenance) -> int | None:
    return connection.scalar(
        select(EncoderRow.id).where(
            EncoderRow.name == provenance.encoder,
            EncoderRow.revision == provenance.revision,
            EncoderRow.dimension == provenance.dimension,
        )
    )


class SqlVectors:
    """Vectors by provenance and text; every call waits for its transaction."""

    embeddings = reading(selected)
    put_embeddings = writing(put)
    prune_embeddings = writing(prune)
    vector_counts = reading(counted)
