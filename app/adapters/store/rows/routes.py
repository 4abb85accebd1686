"""Rows of the router: LLM answers, decision log, and cases excluded from training."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import ColumnElement, Connection, Select, Table, delete, func, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.exc import OperationalError

from app.adapters.store.connections import SqlAccess, chunks, keyed, reading
from app.adapters.store.faults import RowError
from app.adapters.store.writes import cleaned
from app.domain.case import Task
from app.domain.documents import fields_of
from app.domain.errors import StoreError
from app.domain.llm import LlmAnswer, LlmOutcome
from app.domain.route import CachedRoute, LoggedRoute, RolloutStep, RouteColumns, RouteFilter, RouteMethod, RouteOrder
from db.schema import CaseRow, RouteCacheRow, RouteDecisionRow, RouteRolloutRow, TableRow, UntaughtRouteRow, digest

DAMAGED_CACHE = "The cache of the LLM’s routes was damaged and has been emptied."
DAMAGED_ROWS = "Some of the LLM’s routes that were kept were damaged and have been thrown away."

AT_ONCE = 500
"""Number of texts per statement."""

PART = 2_000
"""Number of decisions read at a time."""

LOGGED = [column.name for column in RouteDecisionRow.__table__.c if column.name not in ("id", "digest")]
"""Columns of a decision that are its fields."""

NO_CASE: tuple[tuple[str, ...], float] = (), -math.inf
"""Labels and date of a text without a case."""

T = TypeVar("T")
P = ParamSpec("P")


def recreating(
    access: SqlAccess,
    run: Callable[[Callable[[Connection], T]], T],
    work: Callable[[Connection], T],
    row: type[TableRow],
    *,
    rows_too: bool = False,
) -> T:
    """Run work; a table of another shape, or with `rows_too` of damaged rows, is recreated once."""
    try:
        return run(work)
    except (OperationalError, StoreError) as error:
        if not is_misshapen(error) and not (rows_too and isinstance(error, RowError)):
            raise
    access.write(lambda connection: recreate(connection, row))
    return run(work)


def recreating_table(
    work: Callable[Concatenate[Connection, P], T], row: type[TableRow], *, writes: bool = True
) -> Callable[Concatenate[Any, P], T]:
    """Make a method of a transaction's work; an unreadable table is recreated once."""

    @wraps(work)
    def method(self: SqlRoutes, /, *given: P.args, **named: P.kwargs) -> T:
        run = self._access.write if writes else self._access.read
        return recreating(self._access, run, lambda connection: work(connection, *given, **named), row)

    return method


def is_misshapen(error: OperationalError | StoreError) -> bool:
    """Return whether a table is missing or has another shape, by the error or its cause."""
    cause = error if isinstance(error, OperationalError) else error.__cause__
    cause = cause.orig if isinstance(cause, OperationalError) else cause
    return isinstance(cause, sqlite3.Error) and getattr(cause, "sqlite_errorcode", 0) == sqlite3.SQLITE_ERROR


def recreate(connection: Connection, row: type[TableRow]) -> None:
    table = row.__table__
    assert isinstance(table, Table)
    table.drop(connection, checkfirst=True)
    table.create(connection)


def _cached(connection: Connection, question_digest: str, since: float, until: float) -> tuple[list[CachedRoute], str]:
    cache = RouteCacheRow
    connection.execute(delete(cache).where((cache.at < since) | (cache.at > until) | (cache.asked != question_digest)))
    columns = (cache.text, cache.asked, cache.intent, cache.confidence, cache.mode, cache.reasoning, cache.at)
    found: list[CachedRoute] = []
    damaged: list[bytes] = []
    for key, *values in connection.execute(select(cache.digest, *columns).order_by(cache.at)):
        kept = _parse_answer(values)
        if kept is None or digest(kept.text) != key:
            damaged.append(key)
        else:
            found.append(kept)
    if damaged:
        connection.execute(delete(cache).where(cache.digest.in_(damaged)))
    return found, DAMAGED_ROWS if damaged else ""


def _parse_answer(values: Sequence[object]) -> CachedRoute | None:
    """Parse the answer in a row; None if invalid."""
    text, asked, intent, confidence, mode, reasoning, at = values
    if not all(map(isinstance, values, (str, str, str, float, str, str, float))):
        return None
    try:
        answer = LlmAnswer(str(intent), float(str(confidence)), str(mode), reasoning=str(reasoning))
    except ValueError:
        return None
    return CachedRoute(str(text), str(asked), answer, float(str(at)))


def _keep(connection: Connection, kept: CachedRoute, most: int) -> None:
    cache = RouteCacheRow
    answer, text = kept.answer, cleaned(kept.text)
    values = {
        "asked": kept.digest,
        "text": text,
        "intent": answer.name,
        **fields_of(answer, "confidence", "mode"),
        "reasoning": cleaned(answer.reasoning),
        "at": kept.at,
    }
    statement = upsert(cache).values(digest=digest(text), **values)
    connection.execute(statement.on_conflict_do_update(index_elements=[cache.digest], set_=values))
    if connection.execute(select(func.count()).select_from(cache)).scalar_one() > most:
        newest = select(cache.digest).order_by(cache.at.desc()).limit(most)
        connection.execute(delete(cache).where(cache.digest.not_in(newest)))


def _note(connection: Connection, rows: Iterable[dict[str, Any]]) -> None:
    known = [{**row, "digest": keyed(connection, row["digest"])} for row in rows]
    connection.execute(insert(RouteDecisionRow), known)


def _logged(decision: LoggedRoute, *, hashed: bool) -> dict[str, Any]:
    row = {name: getattr(decision, name) for name in LOGGED} | {"digest": digest(decision.text)}
    # A reason quotes words of the query.
    return row | {"text": None, "reasoning": ""} if hashed else row


def _found(connection: Connection, wanted: RouteFilter) -> list[LoggedRoute]:
    log = RouteDecisionRow
    rows = _labelled().where(*_conditions(wanted)).order_by(log.at.desc(), log.id.desc()).limit(wanted.limit)
    return [_decision(row) for row in connection.execute(rows)]


def _labelled() -> Select[Any]:
    """Select every decision with the expectation of its text's case."""
    log = RouteDecisionRow
    known = select(func.keyed(CaseRow.digest).label("digest"), CaseRow.expected).where(CaseRow.task == Task.ROUTE.value)
    # The limit makes SQLite key the digests once, not for each decision.
    cases = known.limit(-1).subquery()
    rows = select(log, cases.c.expected).outerjoin(cases, cases.c.digest == log.digest)
    return rows.with_only_columns(*log.__table__.c, cases.c.expected)


def _columns(connection: Connection, wanted: RouteFilter) -> RouteColumns:
    log = RouteDecisionRow
    cases = select(CaseRow.digest, CaseRow.expected, CaseRow.updated).where(CaseRow.task == Task.ROUTE.value)
    known = {
        keyed(connection, one.digest): (tuple(one.expected), one.updated.replace(tzinfo=UTC).timestamp())
        for one in connection.execute(cases)
    }
    read = (log.at, log.intent, log.method, log.confidence, log.ms, log.cost, log.llm, log.digest)
    found = select(*read).where(*_conditions(wanted)).order_by(log.at.desc(), log.id.desc()).limit(wanted.limit)
    columns: list[list[Any]] = [[] for _ in read]
    for rows in connection.execute(found).partitions(PART):  # short portions let key presses through
        for place, part in enumerate(zip(*rows, strict=True)):
            columns[place] += part
    at, intents, methods, confidences, ms, costs, outcomes, digests = columns
    expected = [known.get(one, NO_CASE) for one in digests]
    labels = [labels for labels, _ in expected]
    marked = [updated >= at for at, (_, updated) in zip(at, expected, strict=True)]
    return RouteColumns(at, intents, methods, confidences, ms, costs, outcomes, labels, marked)


def _keys(connection: Connection, wanted: RouteFilter, order: RouteOrder, *, descending: bool) -> list[int]:
    log = RouteDecisionRow
    column = log.__table__.c[order.value]
    places: list[ColumnElement[Any]] = [column.desc() if descending else column.asc(), log.at.desc(), log.id.desc()]
    if order is RouteOrder.TEXT:
        # Missing texts come last in both directions.
        places.insert(0, func.coalesce(log.text, "") == "")
    found = select(log.id).where(*_conditions(wanted)).order_by(*places).limit(wanted.limit)
    return list(connection.scalars(found))


def _page(connection: Connection, keys: Sequence[int]) -> list[LoggedRoute]:
    found: list[LoggedRoute] = []
    for some in chunks(keys, AT_ONCE):
        found += map(_decision, connection.execute(_labelled().where(RouteDecisionRow.id.in_(some))))
    return found


def _count(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(RouteDecisionRow)).scalar_one()


def _cost_since(connection: Connection, since: float) -> float:
    """Return the LLM's cost from this time on, in dollars."""
    total = select(func.coalesce(func.sum(RouteDecisionRow.cost), 0.0)).where(RouteDecisionRow.at >= since)
    return float(connection.execute(total).scalar_one())


def _prune(connection: Connection, before: float) -> int:
    """Delete decisions before this time; return their number."""
    return connection.execute(delete(RouteDecisionRow).where(RouteDecisionRow.at < before)).rowcount


def _add_rollout(connection: Connection, step: RolloutStep) -> None:
    row = insert(RouteRolloutRow).values(at=step.at, share=step.share, candidate=step.candidate, why=step.why)
    connection.execute(row)


def _rollouts(connection: Connection, most: int) -> list[RolloutStep]:
    """Return the steps of roll-outs, newest first."""
    rows = connection.execute(select(RouteRolloutRow.__table__).order_by(RouteRolloutRow.id.desc()).limit(most))
    return [RolloutStep(row.at, row.share, row.candidate, row.why) for row in rows]


def _conditions(wanted: RouteFilter) -> list[ColumnElement[bool]]:
    log = RouteDecisionRow
    found: list[ColumnElement[bool]] = [log.confidence.between(wanted.least, wanted.most)]
    if wanted.text:
        found.append(log.text.icontains(wanted.text, autoescape=True))
    if wanted.method is not None:
        found.append(log.method == wanted.method.value)
    if wanted.is_decided:
        found.append(log.method != RouteMethod.DEGRADED.value)
    if wanted.since is not None:
        found.append(log.at >= wanted.since)
    if wanted.until is not None:
        found.append(log.at < wanted.until)
    equal = (log.intent, wanted.intent), (log.source, wanted.source), (log.configuration, wanted.configuration)
    return found + [column == value for column, value in equal if value is not None]


def _decision(row: Any) -> LoggedRoute:
    values = {name: getattr(row, name) for name in LOGGED} | {
        "text": row.text or "",
        "databases": tuple(row.databases),
        "method": RouteMethod(row.method),
        "llm": None if row.llm is None else LlmOutcome(row.llm),
    }
    return LoggedRoute(**values, labels=tuple(row.expected or ()), key=row.id)


def _labels(connection: Connection, texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for some in chunks(texts, AT_ONCE):
        by_digest = {digest(cleaned(text)): text for text in some}
        held = select(CaseRow.digest, CaseRow.expected)
        held = held.where(CaseRow.task == Task.ROUTE.value, CaseRow.digest.in_(by_digest))
        found |= {by_digest[key]: tuple(expected) for key, expected in connection.execute(held)}
    return found


def _untaught(connection: Connection, texts: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for some in chunks(texts, AT_ONCE):
        by_digest = {digest(cleaned(text)): text for text in some}
        held = select(UntaughtRouteRow.digest).where(UntaughtRouteRow.digest.in_(by_digest))
        found.update(by_digest[key] for key in connection.scalars(held))
    return found


def _let_teach(connection: Connection, digests: list[dict[str, bytes]], *, on: bool) -> None:
    if on:
        for some in chunks(digests, AT_ONCE):
            gone = [row["digest"] for row in some]
            connection.execute(delete(UntaughtRouteRow).where(UntaughtRouteRow.digest.in_(gone)))
        return
    connection.execute(upsert(UntaughtRouteRow).on_conflict_do_nothing(), digests)


class SqlRoutes:
    """RouteStore in the library's file; every call waits for its transaction. Raises StoreError."""

    def __init__(self, access: SqlAccess) -> None:
        self._access = access

    keep = recreating_table(_keep, RouteCacheRow)
    clear_answers = recreating_table(lambda rows: rows.execute(delete(RouteCacheRow)).rowcount, RouteCacheRow)
    find = recreating_table(_found, RouteDecisionRow, writes=False)
    columns = recreating_table(_columns, RouteDecisionRow, writes=False)
    keys = recreating_table(_keys, RouteDecisionRow, writes=False)
    page = recreating_table(_page, RouteDecisionRow, writes=False)
    count = recreating_table(_count, RouteDecisionRow, writes=False)
    cost_since = recreating_table(_cost_since, RouteDecisionRow, writes=False)
    prune = recreating_table(_prune, RouteDecisionRow)
    add_rollout = recreating_table(_add_rollout, RouteRolloutRow)
    rollouts = recreating_table(_rollouts, RouteRolloutRow)
    labels = reading(_labels)
    non_teaching = reading(_untaught)

    def find_answers(self, question_digest: str, since: float, until: float) -> tuple[list[CachedRoute], str]:
        """Return the answers of this digest and period, and a sentence on damage.

        All others are deleted: too old, from the future after a clock change, or of other requests. An unreadable
        table is recreated.
        """
        try:
            return self._access.write(lambda connection: _cached(connection, question_digest, since, until))
        except (OperationalError, StoreError) as error:
            if not is_misshapen(error):
                raise
        self._access.write(lambda connection: recreate(connection, RouteCacheRow))
        return [], DAMAGED_CACHE

    def add(self, decisions: Iterable[LoggedRoute], *, hashed: bool = False) -> None:
        """Append decisions to the log, with their texts or only digests."""
        rows = [_logged(cleaned(decision), hashed=hashed) for decision in decisions]
        if rows:
            self._note(rows)

    _note = recreating_table(_note, RouteDecisionRow)

    def set_teaching(self, texts: Iterable[str], *, on: bool) -> None:
        """Include the cases of these texts in training, or exclude them."""
        digests = [{"digest": digest(cleaned(text))} for text in texts]
        if digests:
            self._access.share(lambda connection: _let_teach(connection, digests, on=on))
