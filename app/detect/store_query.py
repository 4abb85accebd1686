"""Parser of queries for data stores: field filters, times, and named documents or values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Self

from app.domain.datastore import ALWAYS, KIND, REPLACES, Document, Period, node_of
from app.domain.route import RouteIntent

_SECOND = timedelta(seconds=1)
"""Resolution of times."""

_WORD = re.compile(r"[^\W_]+")
_LONGEST_NAME = 6
"""Maximum number of words of a name."""

_FIELD_WORDS: Mapping[str, str] = {
    "tag": "tag",
    "tags": "tag",
    "tagged": "tag",
    "namespace": "namespace",
    "label": "label",
    "labelled": "label",
    "labeled": "label",
    "keyword": "keyword",
    "keywords": "keyword",
}
"""Words before a value, and the field that they name."""

_KINDS: Mapping[str, str] = {"memories": "memory", "powers": "power"}

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_TIME = re.compile(
    r"\b(?P<how>as of|since|after|from|before|until|till|in|during|on|at)\s+"
    r"(?:(?P<year>(?:19|20)\d\d)(?:-(?P<month>\d\d?)(?:-(?P<day>\d\d?))?)?"
    r"|(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\s+(?P<of>(?:19|20)\d\d)"
    r"|(?P<near>today|yesterday|last week|last month|last year))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Names a query may use, by their words, and the graph nodes of each name."""

    nodes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Original spelling of each value, by field and words."""
    fields: Mapping[str, str] = field(default_factory=lambda: _FIELD_WORDS)
    """Words before a value, and the field that they name."""
    has_kinds: bool = True

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Self:
        """Build the vocabulary of documents: their names and the values of their fields."""
        nodes: dict[str, dict[str, None]] = {}
        values: dict[str, dict[str, str]] = {}
        for document in documents:
            nodes.setdefault(_words(document.name), {})[document.id] = None
            for name, each in document.fields.items():
                for value in each:
                    values.setdefault(name, {})[_words(value)] = value
        for name, each_value in values.items():
            for words, value in each_value.items() if name not in {KIND, REPLACES} else ():
                nodes.setdefault(words, {})[node_of(name, value)] = None
        nodes.pop("", None)
        return cls({words: tuple(each) for words, each in nodes.items()}, values)

    @classmethod
    def of_values(cls, values: Mapping[str, Iterable[str]]) -> Self:
        known = {name: {_words(one): one for one in each} for name, each in values.items()}
        return cls({}, known, {_words(name): name for name in values}, has_kinds=False)


@dataclass(frozen=True, slots=True)
class StoreCriteria:
    """Criteria of a query for one kind of search, as fields of StoreQuery."""

    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    made: Period = ALWAYS
    held: Period = ALWAYS
    anchors: tuple[str, ...] = ()


def criteria_of(text: str, way: RouteIntent, known: Vocabulary, today: date) -> StoreCriteria:
    """Parse filters and times for hybrid search, anchors and times for walks, none for vectors."""
    if way is RouteIntent.HYBRID:
        made, held = _times(text, today)
        return StoreCriteria(_filters(_words(text).split(), known), made, held)
    if way is RouteIntent.TEMPORAL:
        made, held = _times(text, today)
        if held == ALWAYS != made:  # for states, the time they were valid is meant, not their start
            held = made if made.start else _last(made.end)
        return StoreCriteria(held=held, anchors=_anchors(_words(text).split(), known))
    if way is RouteIntent.GRAPH:
        return StoreCriteria(anchors=_anchors(_words(text).split(), known))
    return StoreCriteria()


def _words(text: str) -> str:
    return " ".join(found.group().lower() for found in _WORD.finditer(text))


def _anchors(words: list[str], known: Vocabulary) -> tuple[str, ...]:
    """Return the named nodes; of overlapping names the longest."""
    found: dict[str, None] = {}
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST_NAME, len(words) - at), 0, -1):
            if nodes := known.nodes.get(" ".join(words[at : at + length])):
                found |= dict.fromkeys(nodes)
                at += length
                break
        else:
            at += 1
    return tuple(found)


def _filters(words: list[str], known: Vocabulary) -> dict[str, tuple[str, ...]]:
    """Return the field values named after a field's word, and kinds named in the plural."""
    found: dict[str, dict[str, None]] = {}
    for at, word in enumerate(words):
        if known.has_kinds and (kind := _KINDS.get(word)) is not None:
            found.setdefault(KIND, {})[kind] = None
        for said, name in known.fields.items():
            start = at + len(said.split())
            if words[at:start] != said.split():
                continue
            values = known.values.get(name, {})
            for length in range(_LONGEST_NAME, 0, -1):
                if value := values.get(" ".join(words[start : start + length])):
                    found.setdefault(name, {})[value] = None
                    break
    return {name: tuple(values) for name, values in found.items()}


def _times(text: str, today: date) -> tuple[Period, Period]:
    """Parse the named period, and the time of "as of": the last moment of its period."""
    named, moment = ALWAYS, ALWAYS
    for found in _TIME.finditer(text):
        period = _period(found, today)
        if period is None:
            continue
        how = found["how"].lower()
        if how == "as of":
            moment = _last(period.end)
        elif how in {"since", "after", "from"}:
            named = replace(named, start=period.start)
        elif how in {"before", "until", "till"}:
            named = replace(named, end=period.start)
        else:
            named = period
    return named, moment


def period_of_time(time: str) -> Period:
    """Return a time as a period of one second; raises ValueError for an invalid time."""
    return Period(time, str(datetime.fromisoformat(time) + _SECOND))


def _last(end: str) -> Period:
    """Return the last second before a time."""
    return period_of_time(str(datetime.fromisoformat(end) - _SECOND))


def _period(found: re.Match[str], today: date) -> Period | None:
    """Return the first named day and the day after the last; None for invalid dates."""
    try:
        if near := (found["near"] or "").lower():
            begin, end = _near(near, today)
        else:
            year = int(found["year"] or found["of"])
            named = found["name"]
            month = _MONTHS.index(named[:3].lower()) + 1 if named else int(found["month"] or 0)
            begin = date(year, month or 1, int(found["day"] or 1))
            end = begin + timedelta(days=1) if found["day"] else _next(begin, months=1 if month else 12)
    except (ValueError, OverflowError):
        return None
    return Period(f"{begin.isoformat()} 00:00:00", f"{end.isoformat()} 00:00:00")


def _near(near: str, today: date) -> tuple[date, date]:
    if near == "today":
        return today, today + timedelta(days=1)
    if near == "yesterday":
        return today - timedelta(days=1), today
    if near == "last week":
        monday = today - timedelta(days=today.weekday())
        return monday - timedelta(days=7), monday
    first = today.replace(day=1) if near == "last month" else today.replace(month=1, day=1)
    begin = (first - timedelta(days=1)).replace(day=1) if near == "last month" else first.replace(year=first.year - 1)
    return begin, first


def _next(day: date, *, months: int) -> date:
    month = day.month - 1 + months
    return date(day.year + month // 12, month % 12 + 1, 1)


def utc(text: str) -> str:
    """Convert an ISO 8601 date or time to UTC as "2026-11-22 04:26:21"; "" for "".

    Without a zone it is UTC. Raises ValueError if invalid.
    """
    if not text.strip():
        return ""
    try:
        at = datetime.fromisoformat(text.strip())
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(str(error)) from error
    return at.replace(tzinfo=None, microsecond=0).isoformat(" ")
