"""Search for memories and cases: sorted keys, so that a view fetches only its page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson
from sqlalchemy import Connection, text

from app.adapters.store.connections import among
from app.adapters.store.damage import sound
from app.adapters.store.entries import match_of, words_of
from app.adapters.store.rows import usage
from app.adapters.store.rows.items import CaseRepository, MemoryRepository
from app.adapters.store.writes import cleaned
from app.domain.case import NO_MATCH_WORDS, Case
from app.domain.filters import CaseFilter, CaseOrder, MemoryFilter, MemoryOrder
from app.domain.library import Dated, Memory, StoredIntent, StoredIntents, threshold_in
from db.schema import CaseRow, MemoryRow

FIRST = "(SELECT t.text FROM triggers t WHERE t.memory_id = m.id AND t.position = 0)"

USED = "(m.usage + coalesce((SELECT u.used FROM uses u WHERE u.memory_id = m.id), 0))"
"""SQL of a memory's number of uses, before counting started here and since."""

MEMORY_ORDERS: Mapping[MemoryOrder, str] = {
    MemoryOrder.KEY: "m.id",
    MemoryOrder.NAME: f"coalesce(nullif(m.external_id, ''), {FIRST}) COLLATE NOCASE",
    MemoryOrder.TRIGGER: f"{FIRST} COLLATE NOCASE",
    MemoryOrder.ID: "m.external_id COLLATE NOCASE",
    MemoryOrder.LABEL: "m.intent COLLATE NOCASE",
    MemoryOrder.RESPONSE: "nullif(m.response, '') COLLATE NOCASE",
    MemoryOrder.NAMESPACE: "m.namespace COLLATE NOCASE",
    MemoryOrder.TAGS: "nullif(m.tags, '[]') COLLATE NOCASE",
    MemoryOrder.SUCCESS: "m.success",
    MemoryOrder.USAGE: USED,
    MemoryOrder.RIGHT: "m.right",
    MemoryOrder.PAUSED: "m.paused",
    MemoryOrder.SOURCE: "nullif(m.source, '') COLLATE NOCASE",
    MemoryOrder.CREATED: "m.created",
    MemoryOrder.UPDATED: "m.updated",
}

ALWAYS_THERE = frozenset(
    {MemoryOrder.KEY, MemoryOrder.NAME, MemoryOrder.TRIGGER, MemoryOrder.NAMESPACE, MemoryOrder.SUCCESS,
     MemoryOrder.USAGE, MemoryOrder.RIGHT, MemoryOrder.PAUSED, MemoryOrder.CREATED, MemoryOrder.UPDATED}
)  # fmt: skip

CASE_ORDERS: Mapping[CaseOrder, str] = {
    CaseOrder.KEY: "c.id",
    CaseOrder.TEXT: "c.text COLLATE NOCASE",
    CaseOrder.TASK: "c.task",
    CaseOrder.EXPECTED: "nullif(c.expected, '[]') COLLATE NOCASE",
}

FACETS: Mapping[str, str] = {
    "namespace": "SELECT namespace, count(*) FROM memories GROUP BY 1",
    "label": "SELECT intent, count(*) FROM memories WHERE intent NOT NULL GROUP BY 1",
    "tag": "SELECT e.value, count(*) FROM memories m, json_each(m.tags) e WHERE m.tags != '[]' GROUP BY 1",
    "source": "SELECT source, count(*) FROM memories GROUP BY 1",
}

COMPARED: Mapping[str, str] = {
    "namespace": "m.namespace =",
    "label": "coalesce(m.intent, '') =",
    "source": "m.source =",
    "paused": "m.paused =",
    "updated_from": "m.updated >=",
    "updated_to": "m.updated <",
}
RANGES: Mapping[str, str] = {"success": "m.success", "usage": USED, "right": "m.right"}


def memory_keys(
    connection: Connection, wanted: MemoryFilter, order: MemoryOrder = MemoryOrder.KEY, *, descending: bool = False
) -> list[int]:
    """Return the keys of matching memories, in order; missing values last in both directions."""
    conditions, values = _memory_conditions(cleaned(wanted))
    by = f"{MEMORY_ORDERS[order]} {'DESC' if descending else 'ASC'}"
    if order not in ALWAYS_THERE:
        by += " NULLS LAST"
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    return _keys(connection, f"SELECT m.id AS id FROM memories m {where} ORDER BY {by}, m.id", values)


def case_keys(
    connection: Connection, wanted: CaseFilter, order: CaseOrder = CaseOrder.KEY, *, descending: bool = False
) -> list[int]:
    """Return the keys of matching cases, in order; missing values last in both directions."""
    conditions, values = ["1"], {}
    if wanted.task is not None:
        conditions.append("c.task = :task")
        values["task"] = wanted.task.value
    if wanted.text:
        alike = [f"{column} LIKE :like ESCAPE '\\'" for column in ("c.text", "c.expected", "c.unwanted")]
        conditions.append(f"({' OR '.join(alike)})")
        values["like"] = f"%{_escaped(cleaned(wanted.text))}%"
    by = f"{CASE_ORDERS[order]} {'DESC' if descending else 'ASC'} NULLS LAST, c.id"
    return _keys(connection, f"SELECT c.id AS id FROM cases c WHERE {' AND '.join(conditions)} ORDER BY {by}", values)


def memories_of(connection: Connection, keys: Sequence[int]) -> list[Dated[Memory]]:
    """Return the memories of these keys in order, with dates; missing and damaged ones skipped."""
    memories, _ = sound(connection, MemoryRepository.selected, MemoryRow.id, among(MemoryRow.id, keys))
    found = {memory.key: memory for memory in memories}
    dates, uses = _dates(connection, "memories", keys), usage.uses(connection, keys)
    used = ((found[key], dates[key], uses.get(key, (0, ""))) for key in keys if key in found)
    return [Dated(memory, *dated, memory.usage + count, last) for memory, dated, (count, last) in used]


def cases_of(connection: Connection, keys: Sequence[int]) -> list[Dated[Case]]:
    """Return the cases of these keys in order, with dates; missing and damaged ones skipped."""
    cases, _ = sound(connection, CaseRepository.selected, CaseRow.id, among(CaseRow.id, keys))
    found = {case.key: case for case in cases}
    dates = _dates(connection, "cases", keys)
    return [Dated(found[key], *dates[key]) for key in keys if key in found]


def facets(connection: Connection) -> Mapping[str, Sequence[tuple[str, int]]]:
    """Count memories by namespace, label, tag and source, most frequent first."""

    def counted(rows: str) -> list[tuple[str, int]]:
        found = ((str(value), count) for value, count in connection.exec_driver_sql(rows))
        return sorted(found, key=lambda facet: (-facet[1], facet[0]))

    return {name: counted(rows) for name, rows in FACETS.items()}


_EXPECTED, _UNWANTED = (
    f"SELECT c.id AS id, e.value AS label FROM cases c, "
    f"json_each(CASE WHEN json_valid(c.{column}) THEN c.{column} ELSE '[]' END) e "
    "WHERE c.task = 'intent' AND e.type = 'text'"
    for column in ("expected", "unwanted")
)
"""SQL of intent cases by each label that they name."""

_COUNTS: Mapping[str, str] = {
    "memories": "SELECT intent, count(*) FROM memories WHERE intent NOT NULL GROUP BY 1",
    "paused": "SELECT intent, count(*) FROM memories WHERE intent NOT NULL AND paused GROUP BY 1",
    "triggers": (
        "SELECT m.intent, count(*) FROM triggers t JOIN memories m ON m.id = t.memory_id WHERE m.intent NOT NULL "
        "GROUP BY 1"
    ),
    "cases": f"SELECT label, count(DISTINCT id) FROM ({_EXPECTED}) GROUP BY 1",
    "named": f"SELECT label, count(*) FROM ({_EXPECTED} UNION {_UNWANTED}) GROUP BY 1",
}
"""SQL of each count of an intent."""

_THRESHOLDS = (
    "SELECT m.intent, e.value FROM memories m, json_each(CASE WHEN json_valid(m.tags) THEN m.tags ELSE '[]' END) e "
    "WHERE m.intent NOT NULL AND NOT m.paused AND m.tags LIKE '%score_threshold%' AND e.type = 'text'"
)

_ASKED = (
    "SELECT m.intent, max(q.at) FROM (SELECT answer, max(at) AS at FROM queries WHERE kind = 'memory' "
    "AND answer_confidence >= ? GROUP BY answer) q "
    f"JOIN memories m ON coalesce(nullif(m.external_id, ''), {FIRST}) = q.answer WHERE m.intent NOT NULL GROUP BY 1"
)

_OF_CASES = "SELECT count(*), coalesce(max(version), 0), coalesce(sum(id), 0) FROM cases WHERE task = 'intent'"


def intents(connection: Connection, least: float) -> StoredIntents:
    """Return every intent with its counts, by label; see the port."""
    counts = {
        name: {str(label): int(count) for label, count in connection.exec_driver_sql(rows)}
        for name, rows in _COUNTS.items()
    }
    thresholds: dict[str, float] = {}
    for label, tag in connection.exec_driver_sql(_THRESHOLDS):
        if (own := threshold_in(tag)) is not None:
            thresholds[label] = max(own, thresholds.get(label, 0.0))
    asked = {str(label): str(at)[:19] for label, at in connection.exec_driver_sql(_ASKED, (least,))}
    cases, version, keys = connection.exec_driver_sql(_OF_CASES).one()
    unlabelled = connection.exec_driver_sql("SELECT count(*) FROM memories WHERE intent IS NULL").scalar_one()
    labels = sorted({*counts["memories"], *(counts["cases"].keys() - NO_MATCH_WORDS)})
    return StoredIntents(
        tuple(
            StoredIntent(
                label,
                **{name: by_label.get(label, 0) for name, by_label in counts.items()},
                threshold=thresholds.get(label),
                asked=asked.get(label, ""),
            )
            for label in labels
        ),
        unlabelled,
        cases,
        (version, keys),
    )


def _memory_conditions(wanted: MemoryFilter) -> tuple[list[str], dict[str, Any]]:
    conditions: list[str] = []
    values: dict[str, Any] = {}
    indexed, others = words_of(wanted.text)
    if indexed:
        conditions.append("m.id IN (SELECT rowid FROM found WHERE found MATCH :match)")
        values["match"] = match_of(indexed)
    for number, word in enumerate(others):
        conditions.append(f"EXISTS (SELECT 1 FROM triggers t WHERE t.memory_id = m.id AND instr(t.text, :w{number}))")
        values[f"w{number}"] = word
    if wanted.tag is not None:
        # A tag follows a bracket or comma, and its quotation marks are escaped: this matches whole tags only.
        conditions.append("(instr(m.tags, '[' || :tag) OR instr(m.tags, ',' || :tag))")
        values["tag"] = orjson.dumps(wanted.tag).decode()
    for name, comparison in COMPARED.items():
        if getattr(wanted, name) is not None:
            conditions.append(f"{comparison} :{name}")
            values[name] = getattr(wanted, name)
    for name, column in RANGES.items():
        if (ends := getattr(wanted, name)) is not None:
            conditions.append(f"{column} BETWEEN :{name}_least AND :{name}_most")
            values |= {f"{name}_least": ends[0], f"{name}_most": ends[1]}
    return conditions, values


def _keys(connection: Connection, ordered: str, values: dict[str, Any]) -> list[int]:
    # One text of many numbers crosses from SQLite to Python faster than many rows.
    found = connection.execute(text(f"SELECT json_group_array(id) FROM ({ordered})"), values).scalar_one()
    keys: list[int] = orjson.loads(found)
    return keys


def _dates(connection: Connection, table: str, keys: Iterable[int]) -> dict[int, tuple[str, str]]:
    wanted = orjson.dumps(list(keys)).decode()
    rows = connection.exec_driver_sql(
        f"SELECT id, CAST(created AS BLOB), CAST(updated AS BLOB) FROM {table} "
        "WHERE id IN (SELECT value FROM json_each(?))",
        (wanted,),
    )
    return {key: (_date(created), _date(updated)) for key, created, updated in rows}


def _date(stored: object) -> str:
    return (stored.decode(errors="replace") if isinstance(stored, bytes) else str(stored))[:19]


def _escaped(pattern: str) -> str:
    for mark in "\\%_":
        pattern = pattern.replace(mark, f"\\{mark}")
    return pattern
