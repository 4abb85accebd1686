"""Past queries as table rows: columns, filter facets, and sentences on the history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from app.detect.surfacing import Cut
from app.display import numbers, words
from app.display.library.tables import Choice, Column, Facet, short_date, short_time
from app.display.scope.surfacing import surfacing_limits
from app.domain.documents import fields_of
from app.domain.history import (
    Access,
    Doubt,
    HistoryCounts,
    HistoryEntry,
    HistoryFilter,
    HistoryOrder,
    Judgement,
    LoggedAccess,
    Source,
)
from app.domain.intent import IntentType
from app.domain.language import plural, quantity
from app.domain.library import Dated, Kind, Memory
from app.domain.match import Band, Tier
from app.domain.running import ActivationBlocker
from app.scoring.index.ranking import band_of, tier_of
from app.services.review.history import LogProgress
from app.settings.model import Settings, value_of

SOURCE_WORDS: Mapping[Source, str] = {
    Source.WINDOW: "Window",
    Source.LOG: "Imported",
    Source.MCP: "MCP",
    Source.HOOK: "Hook",
}

FROM: Mapping[Source, str] = {
    Source.WINDOW: "from the window",
    Source.LOG: "imported from a log or the command line",
    Source.MCP: "over MCP",
    Source.HOOK: "from an assistant’s prompt",
}
"""Source of a query, within a sentence."""

GIVEN_WORDS: Mapping[Source, str] = {**dict.fromkeys(Source, "injected"), Source.MCP: "returned"}

DOUBTS: Mapping[Doubt, tuple[str, str, str]] = {
    Doubt.WEAK: ("not delivered", "Not delivered", "not delivered"),
    Doubt.TIED: ("tied", "Tied", "tied"),
    Doubt.CEILING: ("LLM against", "Keywords and LLM disagree", "disagree with the LLM"),
    Doubt.PRESETS: ("presets", "Presets disagree", "differ by preset"),
    Doubt.TIMED_OUT: ("timed out", "LLM timed out", "timed out"),
    Doubt.CHOSEN: ("chosen", "Chosen by an assistant", "chosen by an assistant"),
}
"""Reason why a query waits: a word for a cell, a title, and what follows a number of such queries."""

DOUBT_TITLES = {doubt: title for doubt, (_, title, _) in DOUBTS.items()}

DECISION_WORDS: Mapping[Judgement, str] = {
    Judgement.TAUGHT: "Taught",
    Judgement.RIGHT: "✓ right",
    Judgement.WRONG: "✗ wrong",
    Judgement.NONE: "No answer",
    Judgement.SKIPPED: "Skipped",
}

WAITING = "waiting"
"""Facet value of queries that wait for a decision."""

AGES: tuple[tuple[int, str], ...] = (
    (1, "In the last 24 hours"),
    (7, "In the last 7 days"),
    (30, "In the last 30 days"),
    (90, "In the last 90 days"),
)
"""Days, with their display name."""


def text_of(entry: HistoryEntry | LoggedAccess) -> str:
    """Return the query, or that only its digest is stored."""
    return entry.text if entry.text is not None else f"{numbers.ABSENT} hashed"


def doubts_of(entry: HistoryEntry) -> str:
    """Return the reasons why a query waits or waited, in a few words."""
    return ", ".join(DOUBTS[doubt][0] for doubt in entry.doubts)


def decision_of(entry: HistoryEntry) -> str:
    """Return the decision, with a marked answer other than the first, or that it waits."""
    if (marked := _marked_beside(entry)) and entry.decision is not None:
        return f"{DECISION_WORDS[entry.decision]}: {marked}"
    if entry.decision is not None:
        return DECISION_WORDS[entry.decision]
    return "Waits" if entry.waits else ""


def _marked_beside(entry: HistoryEntry) -> str:
    """Return the marked answers, if the former first one is not among them."""
    fits = entry.decision is Judgement.RIGHT
    names = [name for (_, name), right in entry.marks.items() if right is fits]
    return "" if entry.answer in names else ", ".join(names)


def level_of(entry: HistoryEntry, settings: Settings | None) -> words.Level | None:
    """Return the level of the first answer: a power's stored one, a memory's band by present thresholds.

    An undelivered memory has the lowest band. A power's confidence alone does not tell its tier: others count, too.
    """
    if settings is None or entry.answer is None:
        return None
    if entry.kind != Kind.POWER:
        is_weak = Doubt.WEAK in entry.doubts
        return Band.FALLBACK if is_weak else band_of(entry.answer_confidence, settings, entry.threshold)
    stored = next((level for level in (*Tier, *ActivationBlocker) if level == entry.status), None)
    return stored or tier_of(entry.answer_confidence, settings)


def _times(entry: HistoryEntry) -> str:
    return f"{numbers.TIMES}{numbers.count(entry.times)}" if entry.times > 1 else ""


_DEFAULTS = Settings()
_OF_ANSWERS: Mapping[str, tuple[str, ...]] = {
    Kind.POWER: ("tiers.weak", "tiers.medium", "tiers.high"),
    Kind.MEMORY: ("fallback_threshold", "bands.medium", "bands.high"),
}


def answer_limits(entry: HistoryEntry, kind: str | None) -> tuple[float, ...]:
    """Return the thresholds at the time of the query, so that numbers look as they did then."""
    return tuple(_setting_then(entry, key) for key in _OF_ANSWERS.get(kind or "", ()))


def type_limits(entry: HistoryEntry) -> tuple[float, ...]:
    """Return the thresholds of types at the time of the query."""
    keys = "fallback_threshold", "search_intent.surfacing_threshold"
    return surfacing_limits(*(_setting_then(entry, key) for key in keys))


def _setting_then(entry: HistoryEntry, key: str) -> float:
    """Return a setting at the time of the query; a trace stores non-default ones."""
    kept = ((entry.trace or {}).get("settings") or {}).get(key)
    return float(str(value_of(_DEFAULTS, key) if kept is None else kept))


def _type_confidence(entry: HistoryEntry) -> str:
    return numbers.rough_chance(entry.confidence, type_limits(entry)) if entry.type else ""


def _answer(entry: HistoryEntry) -> str:
    return f"{entry.intent or entry.answer or numbers.ABSENT}{_provisional(entry)}"


def _provisional(entry: HistoryEntry) -> str:
    return ", provisional" if entry.settled_ms is None else ""


def answer_chance(entry: HistoryEntry) -> str:
    """Format the confidence of the first answer as a short percentage; a dash without an answer."""
    if entry.answer is None:
        return numbers.ABSENT
    return numbers.rough_chance(entry.answer_confidence, answer_limits(entry, entry.kind))


def _settled(entry: HistoryEntry) -> str:
    return numbers.ABSENT if entry.settled_ms is None else numbers.milliseconds(entry.settled_ms)


def _outcome(entry: HistoryEntry) -> str:
    """Return what an assistant's query brought: memories that it got, or what became of the power."""
    if entry.injected:
        return f"{numbers.count(entry.injected)} {GIVEN_WORDS[entry.source]}"
    if entry.kind != Kind.POWER or entry.source is not Source.MCP:
        return ""
    tiers = {Tier.ACTIVATED: "Activated", Tier.MULTIPLE_MATCHES: "Offered", Tier.WEAK_MATCHES: "Weak match"}
    return next((word for level, word in (*tiers.items(), *words.SHORT_LACKS.items()) if level == entry.status), "")


PAST_COLUMNS: tuple[Column[HistoryEntry], ...] = (
    Column("text", "Query", text_of, 240, HistoryOrder.TEXT, aside=_times),
    Column("at", "Asked", lambda entry: short_date(entry.at), 98, HistoryOrder.AT, is_quiet=True, yields=5),
    Column("source", "Source", lambda entry: SOURCE_WORDS[entry.source], 70, is_quiet=True, yields=1),
    Column(
        "type",
        "Type",
        lambda entry: words.type_word(entry.type) if entry.type else "No type",
        96,
        HistoryOrder.TYPE,
        yields=4,
    ),
    Column("type_confidence", "Type’s", _type_confidence, 60, HistoryOrder.CONFIDENCE, is_number=True, is_shown=False),
    Column("answer", "First answer", _answer, 120, HistoryOrder.ANSWER),
    Column("confidence", "Confidence", answer_chance, 84, HistoryOrder.ANSWER_CONFIDENCE, is_number=True),
    Column("settled", "Settled ms", _settled, 78, HistoryOrder.SETTLED, is_number=True, is_shown=False),
    Column("doubts", "Doubts", doubts_of, 112, is_quiet=True, yields=3, is_sparse=True),
    Column("decision", "Decision", decision_of, 68, yields=2, is_sparse=True),
    Column("outcome", "Outcome", _outcome, 104, is_sparse=True),
)
"""Columns in display order; the first one takes the remaining width."""


def history_facets() -> tuple[Facet, ...]:
    """Return the filter facets of past queries."""
    sources = tuple(Choice(source, SOURCE_WORDS[source]) for source in Source)
    doubts = tuple(Choice(doubt, DOUBT_TITLES[doubt]) for doubt in Doubt)
    types = tuple(Choice(kind.value, words.type_word(kind)) for kind in IntentType)
    decisions = (Choice(WAITING, "Waits"), *(Choice(one, DECISION_WORDS[one]) for one in Judgement))
    return (
        Facet("source", "Source", sources),
        Facet("type", "Type", types),
        Facet("doubt", "Doubt", doubts),
        Facet("decision", "Decision", decisions),
        Facet("age", "Asked", tuple(Choice(days, word) for days, word in AGES)),
    )


def history_filter(text: str, chosen: Mapping[str, Any], now: datetime | None = None) -> HistoryFilter:
    """Make the store's filter from text and choices; ages count from now."""
    since = ""
    if days := chosen.get("age"):
        since = ((now or datetime.now(UTC)) - timedelta(days=days)).strftime("%Y-%m-%d %H:%M:%S")
    decision = chosen.get("decision")
    return HistoryFilter(
        words=text.strip(),
        sources=_one(chosen.get("source")),
        doubts=_one(chosen.get("doubt")),
        decisions=() if decision in (None, WAITING) else (decision,),
        types=_one(chosen.get("type")),
        waiting=decision == WAITING,
        since=since,
    )


def _one(value: Any) -> tuple[Any, ...]:
    return () if value is None else (value,)


# --------------------------------------------------------------------------------------------------------------------
# History in sentences: privacy and retention, deletion, import of logs

PRIVACY: Mapping[str, tuple[str, str]] = {
    "full": ("Full", "Text, answer and trace, in this profile only."),
    "hashed": (
        "Hashed",
        "Only a digest, numbers and names are stored, and no text. Nothing can be read, asked or decided.",
    ),
    "off": ("Off", "No query is stored from now on. Stored queries stay until you forget them."),
}
"""Display name and meaning of each `history.privacy` choice."""

MOST_PROBLEMS = 100
"""Maximum number of listed lines that were skipped."""


def privacy_choices() -> tuple[tuple[str, str], ...]:
    """Return the choices in order, with display names."""
    return tuple((key, name) for key, (name, _) in PRIVACY.items())


def privacy_sentence(privacy: str, days: int, most: int) -> str:
    """Return what will be stored, and for how long."""
    meaning = PRIVACY[privacy][1]
    return meaning if privacy == "off" else f"{meaning} {retention_sentence(days, most)}"


def nothing_stored_sentence(privacy: str) -> str:
    """Return that no query is stored, with a possible reason, for the terminal."""
    if privacy == "off":
        return "Nothing is stored: the history is off (history.privacy)."
    return "No queries yet. Queries of the window and of assistants appear here, and those of the terminal with --keep."


def retention_sentence(days: int, most: int) -> str:
    """Return how long queries are stored, in a sentence."""
    return f"Deleted after {quantity(days, 'day')}, or beyond {numbers.count(most)}."


def counts_line(counts: HistoryCounts) -> str:
    """Return stored and waiting queries: "1,204 queries, 12 to review"; "" for none."""
    if not counts.kept:
        return ""
    stored = quantity(counts.kept, "query", "queries")
    return f"{stored}, {numbers.count(counts.waiting)} to review" if counts.waiting else stored


def forget_question(count: int, *, is_all: bool = False) -> str:
    """Return the question before queries are deleted."""
    if is_all:
        waiting = plural(count, "also if it waits", "also those that wait")
        every = plural(count, "the {n} query", "all {n} queries")
        what = f"{every} of the history, {waiting} in the inbox, and the kept evaluations"
    else:
        what = quantity(count, "query", "queries")
    return f"Forget {what}? This cannot be undone. What was taught from {plural(count, 'it', 'them')} stays."


def forgotten_message(count: int) -> str:
    """Return the result of deleting queries."""
    return f"Forgot {quantity(count, 'query', 'queries')}."


def log_line(name: str, progress: LogProgress) -> str:
    if not progress.is_done:
        of = f" of {numbers.count(max(progress.of, progress.read))}" if progress.of else ""
        return f"{numbers.count(progress.read)}{of} lines of {name} are read, {numbers.count(progress.kept)} kept."
    kept = f"{quantity(progress.kept, f'query of {name} is', f'queries of {name} are')} kept."
    skipped = f" {quantity(progress.left_out, 'line was', 'lines were')} skipped." if progress.left_out else ""
    return kept + skipped


def log_stopped(name: str, progress: LogProgress) -> str:
    return f"{name}: stopped. {quantity(progress.kept, 'query is', 'queries are')} kept and stay."


# ---- command line


def entry_document(entry: HistoryEntry) -> dict[str, Any]:
    """Make the document of a past query: number, answer, and why it waits."""
    return {
        "query": entry.key,
        **fields_of(entry, "at", "text", "source", "type", "kind", "answer"),
        "confidence": entry.answer_confidence,
        "doubts": [doubt.value for doubt in entry.doubts],
        "decision": entry.decision.value if entry.decision else None,
        "times": entry.times,
        "provisional": entry.settled_ms is None,
    }


def entry_line(entry: HistoryEntry) -> str:
    """Format a past query as a line: number, text, answer, and reason to wait or decision."""
    answer = f"{entry.answer} {numbers.rough_chance(entry.answer_confidence)}" if entry.answer else "no answer"
    why = decision_of(entry) if entry.decision else doubts_of(entry)
    line = f"{entry.key:>6}  {entry.text or ''}  →  {answer}{_provisional(entry)}"
    return f"{line}  ({why})" if why else line


CUT_WORDS: Mapping[Cut, str] = {
    Cut.PAUSED: "paused",
    Cut.SUCCESS: "success too low",
    Cut.SILENT: "no response",
    Cut.THRESHOLD: "type below the threshold",
    Cut.CONFIDENCE: "not confident enough",
    Cut.COVERED: "covered by others",
    Cut.COUNT: "beyond the count",
    Cut.BUDGET: "over the budget",
    Cut.NAMESPACE: "another namespace",
    Cut.EXPIRED: "no longer valid",
    Cut.REPLACED: "replaced",
    Cut.NOT_YET: "not valid yet",
}
"""Reasons why a memory was left out; the limits of that time are not stored."""


def outcome_of(access: Access, source: Source) -> str:
    """Return the rank at which an assistant got a memory, or why it was left out."""
    if access.cut is None:
        return f"{GIVEN_WORDS[source]} as no. {access.rank or 0}"
    known = access.cut in Cut.__members__.values()
    return f"left out: {CUT_WORDS[Cut(access.cut)] if known else access.cut}"


def name_of(access: Access) -> str:
    """Return the present name of the memory."""
    return access.name or "a memory that is gone"


def access_lines(logged: Sequence[LoggedAccess]) -> list[tuple[str, str]]:
    """Return the queries that considered a memory, newest first, with the outcome of each."""
    return [(text_of(one), " · ".join(_about(one, short_time(one.at)))) for one in logged]


def _about(one: LoggedAccess, last: str) -> tuple[str, ...]:
    return outcome_of(one.access, one.source), SOURCE_WORDS[one.source], last


def log_lines(row: Dated[Memory], logged: Sequence[LoggedAccess]) -> list[str]:
    """Format the access log of a memory for the terminal, below a line with its total."""
    about = (" · ".join(_about(one, numbers.rough_chance(one.access.confidence))) for one in logged)
    lines = (f"{short_time(one.at):>16}  {text_of(one)}  →  {said}" for one, said in zip(logged, about, strict=True))
    return [usage_line(row), *lines]


def usage_line(row: Dated[Memory]) -> str:
    """Return how often a memory was used and marked right, and its last injection."""
    memory = row.item
    said = f"{memory.name}: used {row.used}, marked right {memory.right}"
    last = f"last injected {short_time(row.last_used)}" if row.last_used else "never injected"
    return f"{said} ({last})"


def usage_document(row: Dated[Memory]) -> dict[str, Any]:
    """Make the document of a memory's use, marks and last injection."""
    return {"memory": row.item.name, "used": row.used, "right": row.item.right, "last_used": row.last_used or None}


def log_document(row: Dated[Memory], logged: Sequence[LoggedAccess]) -> dict[str, Any]:
    """Make the document of a memory's use, and of the queries that considered it."""
    return {
        **usage_document(row),
        "accesses": [
            {**fields_of(one, "at", "source", "query", "text"), **fields_of(one.access, "rank", "confidence", "cut")}
            for one in logged
        ],
    }
