"""Stored traces: the `inspect` document with its settings, by version (S8.7).

Version 1 is that document without the query's text, with numbers of five decimals and explanations of the first matches
only. Additional fields are `settings` (dotted keys with other than default values, as text), `floor` (the keywords'
type without an LLM) and `first_key` (the store's key of the first match). A new version adds a row to READERS; from an
unknown version the known fields are read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from app.detect.surfacing import injected
from app.domain.history import TRACE_VERSION, Doubt, HistoryEntry, Source
from app.domain.inspection import Inspection
from app.domain.library import Kind
from app.domain.llm import NO_PENALTY
from app.domain.match import Match, Tier, without_lone_surrogates
from app.settings.model import BESIDE, SURFACING, Settings, bearing, flat

Document = dict[str, Any]

WITHOUT_SAY = frozenset({outcome.value for outcome in NO_PENALTY})
"""LLM outcomes that left the keywords' result unchanged (S4.10)."""

DIGITS = 5
MATCHES_WHOLE = 3
"""Number of matches stored with their explanation; others have scores only."""

ACCOUNT = ("arithmetic", "best_trigger")


@dataclass(frozen=True, slots=True)
class StoredTrace:
    """Content of a stored trace for comparisons; None if the trace lacks it.

    `type` and `first` are also None if there was none; `first` is kind, key if known, and name. `listed` names all
    matches. `level` and `status` name what a confident power lacks to be activated. `said` is the outcome of an LLM
    that influenced the type; `floor` the keywords' type and confidence.
    """

    type: str | None
    confidence: float
    kind: str | None = None
    name: str | None = None
    key: int | None = None
    first_confidence: float = 0.0
    level: str | None = None
    status: str | None = None
    winners: tuple[str, ...] | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    rules: frozenset[str] | None = None
    listed: frozenset[str] | None = None
    settings: Mapping[str, str] | None = None
    floor: tuple[str | None, float] | None = None
    said: str | None = None


# ---- writing


def history_entry(
    inspection: Inspection,
    source: Source,
    settings: Settings,
    document: Callable[[Inspection, Settings], Document] | None,
    *,
    at: str,
    doubts: tuple[Doubt, ...] = (),
    times: int = 1,
    first: Match | None = None,
    is_hashed: bool = False,
) -> HistoryEntry:
    """Make the history entry of an answer; if hashed, without its text and derived fields.

    `first` is the match to name, if it is not what would be delivered or, without that, the inspection's first.
    """
    intent, resolution = inspection.intent, inspection.resolution
    first = first or _delivered(inspection, settings) or inspection.first
    if first is not None and inspection.first is not None and first.kind is not inspection.first.kind:
        doubts = tuple(one for one in doubts if one is not Doubt.TIED)  # a tie of others than the one to name
    text = without_lone_surrogates(inspection.query.text)
    trace = None if document is None else _trace(inspection, first, settings, document(inspection, settings))
    return HistoryEntry(
        at=at,
        source=source,
        text=None if is_hashed else text,
        digest=sha256(text.encode()).digest(),
        type=None if intent is None or intent.confidence < settings.fallback_threshold else intent.type.value,
        confidence=0.0 if intent is None else intent.confidence,
        kind=None if first is None else first.kind.value,
        answer=None if first is None else first.answer.name,
        answer_confidence=0.0 if first is None else first.confidence,
        status=None if resolution is None else resolution.level.value,
        settled_ms=None if inspection.is_provisional else inspection.trace.settled_ms,
        doubts=doubts,
        times=times,
        trace=without_texts(trace) if is_hashed and trace is not None else trace,
        trace_version=TRACE_VERSION,
    )


def _delivered(inspection: Inspection, settings: Settings) -> Match | None:
    """Return the answering memory if injected, or the first injected one, or the power that would start."""
    inside = {id(one.answer) for one in injected(inspection, settings).matches}
    starts = inspection.resolution is not None and inspection.resolution.status is Tier.ACTIVATED
    delivered = [one for one in inspection.memories if id(one.answer) in inside] or inspection.powers[:starts]
    return min(delivered, key=lambda one: one is not inspection.memory, default=None)


def _trace(inspection: Inspection, first: Match | None, settings: Settings, document: Document) -> Document:
    """Return the document to store; the named match and its kind come first."""
    floor = inspection.detection.floor
    pairs = zip(inspection.matches, document["matches"], strict=True)
    ordered = sorted(
        pairs, key=lambda pair: (pair[0] is not first, first is not None and pair[0].kind is not first.kind)
    )
    matches = [stored for _, stored in ordered]
    kept: Document = {
        **_without(document, ("query", "memories", "powers")),
        "matches": [*matches[:MATCHES_WHOLE], *(_without(m, ACCOUNT) for m in matches[MATCHES_WHOLE:])],
        "resolution": document["resolution"] and _without(document["resolution"], ("query", "available_powers")),
        "route": document["route"] and _without(document["route"], ("query",)),
        "settings": changed_settings(settings),
        "floor": None if floor is None else {"type": floor.type.value, "confidence": floor.confidence},
        "first_key": None if first is None else first.answer.key,
    }
    rounded: Document = _rounded(kept)
    return rounded


def _without(held: Document, names: tuple[str, ...]) -> Document:
    return {name: value for name, value in held.items() if name not in names}


def _rounded(value: Any) -> Any:
    """Round all numbers to DIGITS: full precision would be most of a trace's size."""
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {name: _rounded(held) for name, held in value.items()}
    return [_rounded(held) for held in value] if isinstance(value, list | tuple) else value


KEPT_OF_INTENT = ("type", "confidence", "source")
KEPT_OF_MATCH = ("kind", "id", "name", "confidence", "band", "tier", "lacks", "winner", "scores", "lead", "intent")
KEPT_OF_RULE = ("id", "label", "span", "evidence", "held_back")
KEPT_OF_LLM = ("outcome", "mode", "ms", "distribution", "model", "budget_ms", "pause_ms", "would_be")
KEPT_OF_ANSWER = ("type", "confidence", "mode")
KEPT_WHOLE = ("absent", "combination", "counts", "notes", "settings", "floor", "first_key")


def without_texts(trace: Document) -> Document:
    """Return a trace without anything that reveals the query's text, by an allowlist of fields."""
    stages = trace["trace"]
    llm = stages["llm"]
    return {
        **{name: trace[name] for name in KEPT_WHOLE if name in trace},
        "intent": _only(trace["intent"], KEPT_OF_INTENT),
        "matches": [_only(match, KEPT_OF_MATCH) for match in trace["matches"]],
        "resolution": _only(trace["resolution"], ("status",)),
        "route": None,
        "trace": {
            "stages": stages["stages"],
            "rules": [_only(rule, KEPT_OF_RULE) for rule in stages["rules"]],
            "merge": [],
            "llm": llm
            and {
                **(_only(llm, KEPT_OF_LLM) or {}),
                "answer": _only(llm["answer"], KEPT_OF_ANSWER),
                "late": _only(llm["late"], KEPT_OF_ANSWER),
            },
        },
    }


def _only(held: Document | None, names: tuple[str, ...]) -> Document | None:
    return held and {name: held[name] for name in names if name in held}


def changed_settings(settings: Settings) -> dict[str, str]:
    """Return the settings that affect answers and are not at their defaults, as text by key."""
    defaults = flat(Settings())
    kept = bearing(settings, (*BESIDE, SURFACING))
    return {key: value for key, value in kept.items() if value != defaults.get(key)}


def default_text(key: str) -> str:
    """Return the default of a dotted key as text, "" for an unknown key."""
    return flat(Settings()).get(key, "")


# ---- reading


def read_trace(query: HistoryEntry) -> StoredTrace:
    """Read a stored trace by its version, or the row without a trace. Never fails."""
    bare = StoredTrace(
        type=query.type,
        confidence=query.confidence,
        kind=query.kind,
        name=query.answer,
        first_confidence=query.answer_confidence,
        status=query.status,
    )
    reader = READERS.get(query.trace_version)
    if query.trace is None or reader is None:
        return bare
    try:
        return reader(query.trace)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return bare  # written by another program under this number


def _version_1(trace: Mapping[str, Any]) -> StoredTrace:
    intent, resolution, stages = trace["intent"] or {}, trace["resolution"] or {}, trace["trace"]
    first = trace["matches"][0] if trace["matches"] else {}
    power: Mapping[str, Any] = next((match for match in trace["matches"] if match.get("kind") == Kind.POWER), {})
    status = resolution.get("status")
    floor = trace["floor"] or {}
    outcome = (stages["llm"] or {}).get("outcome")
    return StoredTrace(
        type=intent.get("type"),
        confidence=float(intent.get("confidence", 0.0)),
        kind=first.get("kind"),
        name=first.get("name"),
        key=trace["first_key"],
        first_confidence=float(first.get("confidence", 0.0)),
        level=first.get("lacks") or first.get("tier") or first.get("band"),
        status=power.get("lacks", status) if status == Tier.ACTIVATED else status,
        winners=tuple(first.get("winner", ())),
        scores={name: float(score) for name, score in first.get("scores", {}).items() if score is not None},
        rules=frozenset(rule["id"] for rule in stages["rules"] if not rule.get("held_back")),
        listed=frozenset(match["name"] for match in trace["matches"]),
        settings={str(key): str(value) for key, value in trace["settings"].items()},
        floor=(floor.get("type"), float(floor.get("confidence", 0.0))),
        said=None if outcome is None or outcome in WITHOUT_SAY else outcome,
    )


READERS: Mapping[int, Callable[[Mapping[str, Any]], StoredTrace]] = {1: _version_1}
"""Reader of each trace version."""


def first_kind(past: StoredTrace) -> Kind | None:
    """Return the kind of the first match; None without one, or for an unknown kind."""
    return Kind(past.kind) if past.kind in {kind.value for kind in Kind} else None
