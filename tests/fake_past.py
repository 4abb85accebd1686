"""Past queries in a dictionary, simple enough to be evidently correct."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from app.domain.journal import Edit, Step, Written
from app.domain.match import without_lone_surrogates as clean
from app.domain.review.history import (
    Access,
    Decision,
    Doubt,
    HistoryCounts,
    HistoryEntry,
    HistoryFilter,
    HistoryOrder,
    LoggedAccess,
    Source,
)


class MemoryPast:
    """Queries by key; steps and numbers of injections are the library's."""

    _uses: dict[int, tuple[int, str]]

    def __init__(self) -> None:
        self._past: dict[int, HistoryEntry] = {}
        self._decided: dict[int, dict[int, Decision]] = {}
        self._last_query = 0
        self._log: list[tuple[int, str, Access]] = []

    def _is_undone(self, step: int) -> bool:
        raise NotImplementedError

    def _bare_step(self, edit: Edit, count: int) -> Step:
        raise NotImplementedError

    def _standing_step(self, number: int) -> Step | None:
        raise NotImplementedError

    def _unsay(self, subjects: set[str]) -> None:
        raise NotImplementedError

    def add_queries(self, queries: Iterable[HistoryEntry]) -> list[int]:
        return [self._note(query) for query in queries]

    def _note(self, query: HistoryEntry) -> int:
        mark = query.digest
        if query.text is not None:
            query = replace(query, text=clean(query.text))
            mark = sha256(str(query.text).encode()).digest()
        held = next((q for q in self._past.values() if (q.digest, q.source) == (mark, query.source)), None)
        if held is None:
            self._last_query += 1
        key = self._last_query if held is None or held.key is None else held.key
        doubts = tuple(doubt for doubt in Doubt if doubt in query.doubts)
        query = replace(query, key=key, digest=mark, doubts=doubts, decision=None)
        if held is not None:
            same = (held.type, held.kind, held.answer) == (query.type, query.kind, query.answer)
            query = replace(query, times=held.times + query.times)
            if query.doubts and not same:
                self._decided.pop(key, None)
        self._past[key] = replace(query, accesses=())
        self._access(key, query)
        return key

    def _access(self, key: int, query: HistoryEntry) -> None:
        self._log += [(key, query.at, one) for one in query.accesses]
        for one in query.accesses:
            if one.cut is None:
                used, last = self._uses.get(one.memory, (0, ""))
                self._uses[one.memory] = used + 1, max(last, query.at)

    def _name_of(self, memory: int) -> str:
        raise NotImplementedError

    def accesses_of(self, memory: int, most: int) -> list[LoggedAccess]:
        own = [row for row in self._log if row[2].memory == memory]
        queries = ((self._past[key], at, one) for key, at, one in reversed(own))
        return [LoggedAccess(one, at, q.source, q.text, q.key or 0) for q, at, one in queries][:most]

    def _now(self, query: HistoryEntry) -> HistoryEntry:
        by_step = self._decided.get(query.key or 0, {})
        latest = max((step for step in by_step if not self._is_undone(step)), default=None)
        return query if latest is None else replace(query, decision=by_step[latest])

    def find_queries(
        self, wanted: HistoryFilter, order: HistoryOrder = HistoryOrder.AT, *, descending: bool = False
    ) -> list[int]:
        every = [self._now(query) for query in self._past.values()]
        found = [query for query in every if _is_wanted(query, wanted, every)]
        found.sort(key=lambda query: query.key or 0, reverse=descending)
        value = VALUES[order]
        there = sorted((q for q in found if value(q) is not None), key=value, reverse=descending)
        return [q.key for q in [*there, *(q for q in found if value(q) is None)] if q.key is not None]

    def queries_by_key(self, keys: Sequence[int]) -> list[HistoryEntry]:
        return [replace(query, trace=None, trace_version=1) for query in self.traced_queries(keys)]

    def traced_queries(self, keys: Sequence[int]) -> list[HistoryEntry]:
        return [self._now(self._past[key]) for key in keys if key in self._past]

    def query(self, key: int) -> HistoryEntry | None:
        found = next(iter(self.traced_queries([key])), None)
        own = [(at, one) for query, at, one in self._log if query == key]
        last = {one.memory: one for at, one in own if at == max(at for at, _ in own)}
        told = sorted(last.values(), key=lambda one: (one.cut is not None, one.rank is None, one.rank or 0))
        named = tuple(replace(one, name=self._name_of(one.memory)) for one in told)
        return None if found is None else replace(found, accesses=named)

    def queries_of(self, texts: Iterable[str]) -> list[int]:
        marks = {sha256(clean(text).encode()).digest() for text in texts}
        return [key for key, query in self._past.items() if query.digest in marks]

    def decide(self, edit: Edit | int, keys: Iterable[int], decision: Decision) -> Written | None:
        there = [key for key in dict.fromkeys(keys) if key in self._past]
        if not there:
            return None
        step = self._standing_step(edit) if isinstance(edit, int) else self._bare_step(edit, len(there))
        if step is None:
            return None
        for key in there:
            self._decided.setdefault(key, {})[step.id] = decision
        return Written(step)

    def add_doubts(self, key: int, doubts: Iterable[Doubt]) -> None:
        if query := self._past.get(key):
            together = {*query.doubts, *doubts}
            self._past[key] = replace(query, doubts=tuple(doubt for doubt in Doubt if doubt in together))

    def compress_traces(self, after: int = 0) -> int | None:
        return None

    def size_bytes(self) -> int:
        return 0

    def reclaim_space(self) -> None:
        pass

    def forget_queries(self, keys: Iterable[int] | None = None) -> int:
        doomed = [key for key in (self._past if keys is None else keys) if key in self._past]
        self._unsay({f"“{self._past[key].text}”" for key in doomed})
        for key in doomed:
            del self._past[key]
            self._decided.pop(key, None)
        self._log = [row for row in self._log if row[0] in self._past]
        return len(doomed)

    def prune_queries(self, days: int, most: int, accesses: int) -> int:
        """Prune as if all queries were old."""
        kept = [] if days == 0 else sorted(self._past, key=lambda key: (self._past[key].at, key))[-most:]
        gone = self.forget_queries([key for key in self._past if key not in kept])
        before, self._log = len(self._log), self._log[max(0, len(self._log) - accesses) :]
        return gone + before - len(self._log)

    def count_queries(self) -> HistoryCounts:
        queries = [self._now(query) for query in self._past.values()]
        waiting = [query for query in queries if _in_front(query, queries)]
        by_doubt = {doubt: sum(doubt in query.doubts for query in waiting) for doubt in Doubt}
        return HistoryCounts(len(queries), len(waiting), by_doubt)

    def _forget_decisions_of(self, steps: Iterable[int]) -> None:
        for step in steps:
            for by_step in self._decided.values():
                by_step.pop(step, None)


VALUES: dict[HistoryOrder, Callable[[HistoryEntry], Any]] = {
    HistoryOrder.AT: lambda query: query.at,
    HistoryOrder.TEXT: lambda query: None if query.text is None else query.text.casefold(),
    HistoryOrder.TYPE: lambda query: query.type,
    HistoryOrder.CONFIDENCE: lambda query: query.confidence,
    HistoryOrder.ANSWER: lambda query: None if query.answer is None else query.answer.lower(),
    HistoryOrder.ANSWER_CONFIDENCE: lambda query: query.answer_confidence,
    HistoryOrder.SETTLED: lambda query: query.settled_ms,
}


def _in_front(query: HistoryEntry, every: Iterable[HistoryEntry]) -> bool:
    """Return whether a query is in the inbox, and the latest one of its text there."""

    def place(one: HistoryEntry) -> tuple[str, int]:
        return one.at, one.key or 0

    return query.waits and not any(
        other.waits and other.text == query.text and place(other) > place(query) for other in every
    )


def _is_wanted(query: HistoryEntry, wanted: HistoryFilter, every: Iterable[HistoryEntry]) -> bool:
    words = clean(wanted.words).casefold().split()
    sought = None if query.text is None else query.text.casefold()
    sources: tuple[Source, ...] = wanted.sources
    return (
        (not words or (sought is not None and all(word in sought for word in words)))
        and (not sources or query.source in sources)
        and (not wanted.doubts or any(doubt in query.doubts for doubt in wanted.doubts))
        and (not wanted.decisions or query.decision in wanted.decisions)
        and (not wanted.types or (query.type or "") in wanted.types)
        and (not wanted.waiting or _in_front(query, every))
        and query.at >= wanted.since
    )
