"""Stored trace in words: intent, arithmetic, matches, outcomes and times."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.display import numbers, words
from app.display.library.tables import short_time
from app.display.review import history
from app.display.review.history import DECISION_WORDS, FROM, answer_limits, decision_of, type_limits
from app.display.scope.arithmetic import line
from app.display.scope.match_rows import level_word
from app.domain.history import TRACE_VERSION, Doubt, HistoryEntry, Judgement
from app.domain.inspection import METHODS
from app.domain.intent import DetectionSource
from app.domain.language import plural
from app.domain.library import Kind
from app.domain.llm import LlmOutcome
from app.domain.match import Band, Operand, Step, Tier
from app.domain.route import RouteMethod
from app.domain.running import ActivationBlocker
from app.services.review.traces import DIGITS

Document = Mapping[str, Any]

MOST_MATCHES, _LEAST_CONFIDENCE = 10, 0.01
"""Maximum number of listed matches, and minimum confidence of those after the first that have no mark."""

_STEPS: Mapping[str, str] = {
    "cues": "Keywords",
    "floor": "Keywords",
    "confidence": "Confidence",
    "mean": "Mean",
    "balanced": "Balanced",
    "weighed": "Keywords and LLM, weighed",
    "penalty": "Penalty, no LLM",
    "cap": "Cap",
    "same topics": "Same topics",
    "keyword result": "Keywords",
    "llm alone": "LLM alone",
    "examples alone": "Examples alone",
    "examples are surer": "Examples more confident",
    "keywords are surer": "Keywords more confident",
    "nothing is asked": "Nothing is asked",
    "examples say what is negated": "Examples say what is negated",
}


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One line: text, number on the right, arithmetic or not, and muted text."""

    said: str
    value: str = ""
    is_sum: bool = False
    quiet: str = ""
    level: words.Level | None = None


def mark_of(entry: HistoryEntry, kind: str, name: str, label: str | None) -> bool | None:
    """Return True or False if the answer was marked right or wrong for the query, else None."""
    keys = [("power", name)] if kind == "power" else [("memory", name), ("intent", label or "")]
    return next((entry.marks[key] for key in keys if key in entry.marks), None)


@dataclass(frozen=True, slots=True)
class TracePart:
    title: str
    rows: tuple[TraceRow, ...]


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """One answer of a stored trace; `id` is the imported name, or the store's number as text."""

    kind: str
    id: str
    name: str
    confidence: float
    level: words.Level | None = None
    intent: str | None = None
    lack: ActivationBlocker | None = None
    outcome: str = ""
    """Outcome of a memory above its threshold, as on the scope; "" if it is not stored."""

    @property
    def title(self) -> str:
        """Intent of a memory that is named by its first trigger, else the name."""
        return self.intent if self.intent and self.id.isdecimal() else self.name

    @property
    def phrase(self) -> str:
        """Quoted first trigger below an intent as title; "" for a named answer."""
        return "" if self.title == self.name else f"“{words.cut(self.name, 28)}”"

    @property
    def level_word(self) -> str:
        return self.outcome or level_word(self.lack or self.level)


def heading(entry: HistoryEntry) -> str:
    """Return time, source and count of the query, in a line."""
    pieces = [
        f"asked {short_time(entry.at)}",
        FROM[entry.source],
        plural(entry.times, "once", "{n} times") if entry.times > 1 else "",
        "provisional" if entry.settled_ms is None else "",
        decision_of(entry).lower() if entry.decision is not None else "",
    ]
    return " · ".join(filter(None, pieces))


def trace_parts(entry: HistoryEntry) -> tuple[TracePart, ...]:
    """Return the memories that an assistant got, then the parts of the trace in order, without empty ones."""
    told = TracePart(history.GIVEN_WORDS[entry.source].capitalize(), tuple(_injection_rows(entry)))
    return (*((told,) if told.rows else ()), *_parts_of_trace(entry))


def _parts_of_trace(entry: HistoryEntry) -> tuple[TracePart, ...]:
    if entry.trace is None:
        return (TracePart("Trace", (TraceRow("No trace is stored for this query."),)),)
    try:
        trace = entry.trace
        steps = trace.get("trace") or {}
        parts = (
            TracePart("Type", tuple(_intent(entry, trace))),
            TracePart("Matches", tuple(_matches(entry, trace))),
            TracePart("How the first answer was computed", tuple(_first(entry, trace))),
            TracePart("Outcome", tuple(_outcome(entry, trace))),
            TracePart("LLM", tuple(_llm(steps.get("llm")))),
            TracePart("Times", tuple(_times(steps.get("stages") or ()))),
            TracePart(
                "Settings that were not at their defaults",
                tuple(TraceRow(str(key), quiet=str(value)) for key, value in (trace.get("settings") or {}).items()),
            ),
            TracePart("Remarks", tuple(_remarks(entry))),
        )
        return tuple(part for part in parts if part.rows)
    except (KeyError, TypeError, ValueError, AttributeError):  # written by another program under this number
        return (TracePart("Trace", (TraceRow("The trace of this query cannot be read."),)),)


def stored_matches(entry: HistoryEntry, most: int = MOST_MATCHES) -> tuple[StoredMatch, ...]:
    """Return the answers of a stored trace, best first."""
    try:
        trace = entry.trace or {}
        injected = ((trace.get("verdict") or {}).get("memory") or {}).get("injected")
        if injected is None and Doubt.WEAK in entry.doubts:
            injected = ()
        return tuple(_with_outcome(_match(one), injected) for one in (trace.get("matches") or ())[:most])
    except (TypeError, ValueError, AttributeError):  # written by another program under this number
        return ()


def _match(one: Document) -> StoredMatch:
    return StoredMatch(
        str(one.get("kind", "")),
        str(one.get("id", "")),
        str(one.get("name", "")),
        float(one.get("confidence") or 0.0),
        _level(one),
        one.get("intent"),
        ActivationBlocker(one["lacks"]) if one.get("lacks") in ActivationBlocker.__members__.values() else None,
    )


def _with_outcome(match: StoredMatch, injected: Collection[str] | None) -> StoredMatch:
    if injected is None or not isinstance(match.level, Band) or match.level is Band.FALLBACK:
        return match
    if match.name in injected:
        return replace(match, outcome="Would be injected")
    return replace(match, outcome="Not injected", level=Band.FALLBACK)


def _level(one: Document) -> Band | Tier | None:
    if one.get("band") in Band.__members__.values():
        return Band(one["band"])
    return Tier(one["tier"]) if one.get("tier") in Tier.__members__.values() else None


def _intent(entry: HistoryEntry, trace: Document) -> Iterator[TraceRow]:
    intent, steps = trace.get("intent"), trace.get("trace") or {}
    if intent is None:
        yield TraceRow("No type", "0")
    elif entry.type is None and intent["confidence"] < (limits := type_limits(entry))[0]:
        nearest = f"{words.type_word(intent['type'])} is nearest"
        yield TraceRow("No type", numbers.rough_chance(intent["confidence"], limits), quiet=nearest)
    else:
        source = str(intent.get("source", ""))
        known = source in DetectionSource.__members__.values()
        said = words.SOURCES[DetectionSource(source)] if known else source
        limits = type_limits(entry)
        yield TraceRow(
            words.type_word(intent["type"]),
            numbers.rough_chance(_exact(entry.confidence, intent["confidence"]), limits),
            quiet=said,
        )
    hits = [hit for hit in steps.get("rules") or () if hit.get("text")]
    for hit in hits:
        held = "overruled" if hit.get("held_back") else ""
        label = words.type_word(str(hit.get("label", "")))
        yield TraceRow(f"“{hit['text']}”", "" if held else numbers.score(hit.get("evidence")), quiet=held or label)
    yield from _sums(steps.get("merge") or (), of_scores=False)


def _exact(exact: float, kept: float) -> float:
    """Return the exact number if it agrees with the rounded one of the trace, else the latter."""
    return exact if abs(exact - kept) < 10.0**-DIGITS else kept


def _matches(entry: HistoryEntry, trace: Document) -> Iterator[TraceRow]:
    matches = trace.get("matches") or ()
    if not matches:
        yield TraceRow("No match.")
    shown, said = 0, ""
    for place, match in enumerate(stored_matches(entry)):
        confidence = match.confidence if place else _exact(entry.answer_confidence, match.confidence)
        fits = mark_of(entry, match.kind, match.name, match.intent)
        mark = "" if fits is None else DECISION_WORDS[Judgement.RIGHT if fits else Judgement.WRONG]
        if place and confidence < _LEAST_CONFIDENCE and not mark:
            continue
        shown += 1
        word = match.level_word if match.level not in words.UNREACHED or match.level_word != said else ""  # said once
        said = match.level_word
        quiet = ", ".join(filter(None, (match.phrase, word, mark)))
        yield TraceRow(
            match.title,
            numbers.rough_chance(confidence, answer_limits(entry, match.kind)),
            quiet=quiet,
            level=match.lack or match.level,
        )
    if len(matches) > shown:
        yield TraceRow(f"and {numbers.count(len(matches) - shown)} more")


def _first(entry: HistoryEntry, trace: Document) -> Iterator[TraceRow]:
    for one in (trace.get("matches") or ())[:1]:
        if trigger := one.get("trigger"):
            yield TraceRow(f"“{trigger}”", quiet="best trigger")
        scores = one.get("scores") or {}
        for name, score in scores.items():
            decides = "puts it ahead" if name in (one.get("winner") or ()) else ""
            yield TraceRow(words.scorer(name).title, numbers.score(score), quiet=decides)
        yield from _sums(one.get("arithmetic") or (), answer_limits(entry, str(one.get("kind"))))


def _injection_rows(entry: HistoryEntry) -> Iterator[TraceRow]:
    if entry.accesses and all(access.cut is not None for access in entry.accesses):
        yield TraceRow(f"Nothing was {history.GIVEN_WORDS[entry.source]}.")
    for access in entry.accesses:
        said = history.outcome_of(access, entry.source)
        yield TraceRow(history.name_of(access), numbers.rough_chance(access.confidence), quiet=said)


def _outcome(entry: HistoryEntry, trace: Document) -> Iterator[TraceRow]:
    resolution, route = trace.get("resolution"), trace.get("route")
    if resolution is not None and resolution.get("status") in Tier.__members__.values():
        tier = Tier(resolution["status"])
        power = resolution.get("power") or {}
        powers = (_match(one) for one in trace.get("matches") or () if one.get("kind") == Kind.POWER)
        lack = next((one.lack for one in powers if tier is Tier.ACTIVATED), None)
        yield TraceRow("Powers", quiet=level_word(lack or tier), level=lack or tier)
        if power:
            shown = numbers.rough_chance(power.get("confidence"), answer_limits(entry, Kind.POWER))
            yield TraceRow(str(power.get("name", "")), shown)
    if route is not None:
        said = f"Route: {words.with_titles(route.get('intent', ''))}"
        method, chance = route.get("method", ""), route.get("confidence")
        word = METHODS.get(method, str(method)) if chance or method != RouteMethod.DEGRADED else "fallback"
        yield TraceRow(said, numbers.ABSENT if word == "fallback" else numbers.rough_chance(chance), quiet=word)


def _llm(report: Document | None) -> Iterator[TraceRow]:
    known = report is not None and report.get("outcome") in LlmOutcome.__members__.values()
    if report is None or not known or report["outcome"] == LlmOutcome.OFF:
        return
    took = report.get("ms")
    yield TraceRow(
        words.LLM[LlmOutcome(report["outcome"])].word,
        "" if took is None else f"{numbers.milliseconds(took)} ms",
        quiet=str(report.get("model") or ""),
    )
    for answer in (report.get("answer"), report.get("late")):
        if answer:
            yield TraceRow(words.type_word(str(answer.get("type", ""))), numbers.rough_chance(answer.get("confidence")))


def _times(stages: Sequence[Document]) -> Iterator[TraceRow]:
    for stage in stages:
        outcome = str(stage.get("outcome", "ok"))
        yield TraceRow(
            words.stage(str(stage.get("name", ""))),
            f"{numbers.milliseconds(float(stage.get('ms') or 0.0))} ms",
            quiet="" if outcome == "ok" else outcome.replace("_", " "),
        )


def _remarks(entry: HistoryEntry) -> Iterator[TraceRow]:
    for note in (entry.trace or {}).get("notes") or ():
        yield TraceRow(str(note))
    if entry.trace_version != TRACE_VERSION:
        yield TraceRow("The trace was stored by another version of the program.")


def _sums(steps: Iterable[Document], limits: Sequence[float] = (), *, of_scores: bool = True) -> Iterator[TraceRow]:
    """Return arithmetic that adds up; the keywords' steps have no scorers."""
    for one in steps:
        weights = one.get("weights") or {}
        operands = (one.get("operands") or {}).items()
        name = str(one.get("step", ""))
        step = Step(
            name,
            str(one.get("operation", "")),
            tuple(Operand(key if of_scores else "", float(value), weights.get(key)) for key, value in operands),
            float(one.get("result") or 0.0),
        )
        shown = line(step, limits)
        title = _STEPS.get(name, name.capitalize())
        yield TraceRow(f"{shown.text} = {shown.result}", is_sum=True, quiet=title)
