"""Rows of the LLM's answers in evaluations, by digest of the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from sqlalchemy import Connection, delete, func, select
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.exc import OperationalError

from app.adapters.store.access import SqlAccess
from app.adapters.store.connections import chunks, keyed
from app.adapters.store.faults import RowError
from app.adapters.store.rows.routes import is_misshapen, made_anew
from app.adapters.store.writing.writes import cleaned
from app.domain.errors import StoreError
from app.domain.llm import LlmOutcome, StoredLlmAnswer
from db.schema import LlmAnswerRow, digest

T = TypeVar("T")


class SqlLlmAnswers:
    """LlmAnswerCache in the library's file; every call waits for its transaction.

    Raises StoreError.
    """

    def __init__(self, access: SqlAccess) -> None:
        self._access = access

    def answers(self, question_digest: str, texts: Iterable[str]) -> list[StoredLlmAnswer]:
        """Return the stored answers to these texts, without damaged rows."""
        wanted = list(texts)
        return self._whole(lambda connection: _kept(connection, question_digest, wanted), self._access.read)

    def keep(self, question_digest: str, answers: Iterable[StoredLlmAnswer], most: int) -> None:
        """Store answers, and keep the newest `most`."""
        new = [cleaned(answer) for answer in answers]
        if new:
            self._whole(lambda connection: _keep(connection, question_digest, new, most), self._access.write)

    def _whole(self, work: Callable[[Connection], T], run: Callable[[Callable[[Connection], T]], T]) -> T:
        """Run work; an unreadable table is recreated once."""
        try:
            return run(work)
        except (OperationalError, StoreError) as error:
            if not (isinstance(error, RowError) or is_misshapen(error)):
                raise
        self._access.write(lambda connection: made_anew(connection, LlmAnswerRow))
        return run(work)


def _kept(connection: Connection, question_digest: str, texts: list[str]) -> list[StoredLlmAnswer]:
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
        answer = StoredLlmAnswer(
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
    return answer


def _keep(connection: Connection, question_digest: str, answers: list[StoredLlmAnswer], most: int) -> None:
    table = LlmAnswerRow
    for answer in answers:
        values = {
            "outcome": answer.outcome.value,
            "name": answer.name,
            "confidence": answer.confidence,
            "mode": answer.mode,
            "distribution": None if answer.distribution is None else dict(answer.distribution),
            "ms": answer.ms,
            "at": answer.at,
        }
        own = {"asked": question_digest, "digest": keyed(connection, digest(answer.text)), "run": answer.run}
        statement = upsert(table).values(**own, **values)
        connection.execute(statement.on_conflict_do_update(index_elements=[*own], set_=values))
    if connection.execute(select(func.count()).select_from(table)).scalar_one() > most:
        oldest = select(table.at).order_by(table.at.desc()).offset(most).limit(1).scalar_subquery()
        connection.execute(delete(table).where(table.at <= oldest))
