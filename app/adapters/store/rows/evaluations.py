"""Rows by digest of a text: vectors, stored evaluations, and the LLM's answers in them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sqlalchemy import Connection, Row, delete, func, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert

from app.adapters.store.connections import SqlAccess, chunks, keyed, reading, writing
from app.adapters.store.rows.routes import recreating
from app.adapters.store.writes import cleaned
from app.domain.case import CaseOutcome, Delivered, EvaluationRun, Task
from app.domain.documents import fields_of
from app.domain.encoder import Provenance
from app.domain.llm import LlmOutcome, StoredLlmAnswer
from app.domain.match import without_lone_surrogates
from app.domain.running import ActivationBlocker
from db.schema import EmbeddingRow, EncoderRow, EvaluationRunRow, LlmAnswerRow, digest

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


_ROW = EvaluationRunRow
_DELIVERY_SIZE = 5
"""Number of fields of a stored delivery."""
_HEADS = [column for column in _ROW.__table__.c if column.name != "document"]


def _keep_run(connection: Connection, run: EvaluationRun, outcomes: Iterable[CaseOutcome], most: int) -> int:
    """Store a run, and keep the newest `most`; return its key."""
    document = {keyed(connection, digest(one.text)).hex(): _outcome_row(one) for one in map(cleaned, outcomes)}
    held = {column.name: getattr(run, column.name) for column in _HEADS if column.name != "id"}
    values = {
        **{name: dict(value) if isinstance(value, Mapping) else value for name, value in held.items()},
        "source": cleaned(run.source),
        "document": zlib.compress(json.dumps(document, separators=(",", ":")).encode()),
    }
    key: int = connection.execute(insert(_ROW).values(**values).returning(_ROW.id)).scalar_one()
    oldest = select(_ROW.id).order_by(_ROW.id.desc()).offset(most).limit(1).scalar_subquery()
    connection.execute(delete(_ROW).where(_ROW.id <= oldest))
    return key


def _outcome_row(one: CaseOutcome) -> list[Any]:
    scores = {name: round(value, 6) for name, value in one.scores.items()}
    found = one.delivered
    more = (
        []
        if found is None
        else [found.can_inject, found.found_power, found.blocker and found.blocker.value, found.needs]
    )
    brought = None if found is None else [found.memories, found.power, *more]
    return [one.top, one.confidence, one.rejected, one.rank, one.shared, one.tier, scores, list(one.cues), brought]


def _runs(connection: Connection) -> list[EvaluationRun]:
    rows = connection.execute(select(*_HEADS).order_by(_ROW.id.desc())).mappings()
    return [run for row in rows if (run := _run(row)) is not None]


def _forget(connection: Connection, key: int | None = None) -> int:
    return connection.execute(delete(_ROW) if key is None else delete(_ROW).where(_ROW.id == key)).rowcount


def _run(row: Mapping[Any, Any]) -> EvaluationRun | None:
    try:
        return EvaluationRun(
            at=float(row["at"]),
            task=Task(row["task"]),
            source=str(row["source"]),
            cases=int(row["cases"]),
            right=int(row["right"]),
            combination=str(row["combination"]),
            threshold=float(row["threshold"]),
            metrics={str(k): None if value is None else float(value) for k, value in row["metrics"].items()},
            settings={str(k): str(value) for k, value in row["settings"].items()},
            digests={str(k): int(value) for k, value in row["digests"].items()},
            versions={str(k): str(value) for k, value in row["versions"].items()},
            step=int(row["step"]),
            key=int(row["id"]),
        )
    except (ValueError, TypeError, AttributeError):
        return None


def _outcomes(connection: Connection, key: int, texts: Iterable[str]) -> list[CaseOutcome]:
    packed = connection.execute(select(_ROW.document).where(_ROW.id == key)).scalar_one_or_none()
    try:
        document = {} if packed is None else dict(json.loads(zlib.decompress(packed)))
    except (zlib.error, ValueError, TypeError):
        return []
    found = []
    for text in texts:
        held = document.get(keyed(connection, digest(cleaned(text))).hex())
        if held is not None and (one := _outcome(text, held)) is not None:
            found.append(one)
    return found


def _outcome(text: str, held: Any) -> CaseOutcome | None:
    try:
        top, confidence, rejected, rank, shared, tier, scores, cues, *brought = held  # older runs hold no delivery
        return CaseOutcome(
            text=text,
            top=None if top is None else str(top),
            confidence=float(confidence),
            rejected=bool(rejected),
            rank=None if rank is None else int(rank),
            shared=None if shared is None else float(shared),
            tier=None if tier is None else str(tier),
            scores={str(name): float(value) for name, value in scores.items()},
            cues=tuple(map(str, cues)),
            delivered=_delivered(brought[0] if brought else None),
        )
    except (ValueError, TypeError, AttributeError):
        return None


def _delivered(held: Any) -> Delivered | None:
    """Return a stored delivery; None if it does not tell whether its power would start, as in older runs."""
    if held is None or len(held) < _DELIVERY_SIZE:
        return None
    memories, power, can_inject, found_power, blocker, *needs = held
    if isinstance(blocker, bool):  # runs of older versions store only whether an approval is missing
        if not blocker and (power or found_power):
            return None
        blocker = ActivationBlocker.APPROVAL if blocker else None
    return Delivered(
        tuple((str(name), str(label)) for name, label in memories),
        str(power),
        bool(can_inject),
        str(found_power),
        None if blocker is None else ActivationBlocker(blocker),
        sum(map(float, needs)),
    )


class SqlEvaluationRuns:
    """EvaluationRuns in the library's file; every call waits for its transaction.

    Raises StoreError.
    """

    def __init__(self, access: SqlAccess) -> None:
        self._access = access

    keep = writing(_keep_run)
    runs = reading(_runs)
    outcomes = reading(_outcomes)
    forget = writing(_forget)


T = TypeVar("T")


class SqlLlmAnswers:
    """LlmAnswerCache in the library's file; every call waits for its transaction.

    Raises StoreError.
    """

    def __init__(self, access: SqlAccess) -> None:
        self._access = access

    def answers(self, question_digest: str, texts: Iterable[str]) -> list[StoredLlmAnswer]:
        wanted = list(texts)
        return self._whole(lambda connection: _stored_answers(connection, question_digest, wanted), self._access.read)

    def keep(self, question_digest: str, answers: Iterable[StoredLlmAnswer], most: int) -> None:
        """Store answers, and keep the newest `most`."""
        new = [cleaned(answer) for answer in answers]
        if new:
            self._whole(lambda connection: _keep_answers(connection, question_digest, new, most), self._access.write)

    def _whole(self, work: Callable[[Connection], T], run: Callable[[Callable[[Connection], T]], T]) -> T:
        """Run work; an unreadable table is recreated once."""
        return recreating(self._access, run, work, LlmAnswerRow, rows_too=True)


def _stored_answers(connection: Connection, question_digest: str, texts: list[str]) -> list[StoredLlmAnswer]:
    row, found = LlmAnswerRow, list[StoredLlmAnswer]()
    for some in chunks(texts):
        by_digest = {keyed(connection, digest(cleaned(text))): text for text in some}
        rows = select(*row.__table__.c).where(row.asked == question_digest, row.digest.in_(by_digest))
        for held in connection.execute(rows).mappings():
            if (answer := _answer(held, by_digest[held["digest"]])) is not None:
                found.append(answer)
    return found


def _answer(held: Mapping[Any, Any], text: str) -> StoredLlmAnswer | None:
    """Parse the answer in a row; None if invalid."""
    shares = held["distribution"]
    try:
        return StoredLlmAnswer(
            text=text,
            run=int(held["run"]),
            outcome=LlmOutcome(held["outcome"]),
            ms=float(held["ms"]),
            at=float(held["at"]),
            name=str(held["name"]),
            confidence=float(held["confidence"]),
            mode=str(held["mode"]),
            distribution=None if shares is None else {str(name): float(share) for name, share in shares.items()},
        )
    except (ValueError, TypeError, AttributeError):
        return None


def _keep_answers(connection: Connection, question_digest: str, answers: list[StoredLlmAnswer], most: int) -> None:
    table = LlmAnswerRow
    for answer in answers:
        values = fields_of(answer, "outcome", "name", "confidence", "mode", "distribution", "ms", "at")
        own = {"asked": question_digest, "digest": keyed(connection, digest(answer.text)), "run": answer.run}
        statement = upsert(table).values(**own, **values)
        connection.execute(statement.on_conflict_do_update(index_elements=[*own], set_=values))
    if connection.execute(select(func.count()).select_from(table)).scalar_one() > most:
        oldest = select(table.at).order_by(table.at.desc()).offset(most).limit(1).scalar_subquery()
        connection.execute(delete(table).where(table.at <= oldest))
