"""Inbox in words: why a query waits, and the decision made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.display import numbers, words
from app.display.review.history import DOUBT_TITLES, DOUBTS, answer_chance, level_of, type_limits
from app.display.review.trace import StoredMatch, stored_matches
from app.display.scope.match_rows import match_word
from app.display.scope.merging import type_chance
from app.display.scope.surfacing import has_type
from app.domain.history import Doubt, HistoryCounts, HistoryEntry, Judgement
from app.domain.inspection import Inspection
from app.domain.language import capitalized, plural, quantity
from app.settings.model import Settings

FIRST = 3
"""Number of shown matches."""

PRESETS = ("recommended", "as_documented")
PRESET_NAMES: Mapping[str, str] = {"recommended": "Recommended", "as_documented": "As documented"}


@dataclass(frozen=True, slots=True)
class Verb:
    """Action on the current query: key, label, letter, and tooltip."""

    key: str
    word: str
    letter: str
    tip: str


VERBS: tuple[Verb, ...] = (
    Verb("teach", "Teach", "T", "Teach the query as a memory, or as a trigger of an answer"),
    Verb("right", "Right", "R", "The first answer is right: its success rises, and the query becomes a case"),
    Verb("wrong", "Wrong", "W", "The first answer is wrong: its success falls, and the query becomes a case"),
    Verb("none", "No answer", "O", "No answer is right: the query becomes a case that expects nothing"),
    Verb("skip", "Skip", "S", "Make no decision, and do not ask again"),
)


@dataclass(frozen=True, slots=True)
class Reason:
    """Reason why a query waits: a word, and a sentence."""

    doubt: Doubt
    word: str
    sentence: str


def waiting_line(counts: HistoryCounts) -> str:
    """Return the number of waiting queries by reason: "12 to review: 8 not delivered, 4 tied"."""
    if not counts.waiting:
        return "Nothing to review."
    said = f"{numbers.count(counts.waiting)} to review"
    by_doubt = {counted: counts.by_doubt.get(doubt, 0) for doubt, (_, _, counted) in DOUBTS.items()}
    each = ", ".join(f"{numbers.count(n)} {counted}" for counted, n in by_doubt.items() if n)
    if sum(counts.by_doubt.values()) > counts.waiting:
        return f"{said}, some for several reasons: {each}"
    return f"{said}: {each}" if each else said


def empty_words(privacy: str, counts: HistoryCounts) -> tuple[str, str]:
    """Return heading and sentence of an empty inbox."""
    line = "Nothing to review"
    if privacy == "off":
        return line, "The history is off, so no query comes here."
    if privacy == "hashed":
        return line, "The history keeps digests only. What has no text cannot be decided."
    if not counts.kept:
        none = "Queries that find no memory to inject and no power to start, offer or approve,"
        return line, f"{none} are tied, or are answered in two ways appear here."
    none = plural(counts.kept, "The one stored query needs no", "None of the {n} stored queries needs a")
    return line, f"{none} decision."


def badge(count: int) -> str:
    """Return the count for the navigation rail; "" for none."""
    return "" if count <= 0 else numbers.count(count) if count < 100 else "99+"


def accessible_badge(count: int) -> str:
    """Return the badge in words, for screen readers."""
    return f"{quantity(count, 'query', 'queries') if count > 0 else 'nothing'} to review"


def reasons_line(entry: HistoryEntry) -> str:
    """Return the first answer, and the reasons why a query waits, as a list line."""
    usual_last = sorted(entry.doubts, key=lambda doubt: doubt is Doubt.WEAK)
    doubts = (DOUBT_TITLES[doubt] for doubt in usual_last)
    said = ", ".join(title if title[1].isupper() else title[:1].lower() + title[1:] for title in doubts)
    return f"{entry.intent or entry.answer}: {said}" if entry.answer else capitalized(said)


def reasons(
    entry: HistoryEntry, settings: Settings | None, by_preset: Mapping[str, Inspection] = {}
) -> tuple[Reason, ...]:
    """Return why a query waits; `by_preset` are the answers under each preset, once known."""
    said = {
        Doubt.WEAK: lambda: _undelivered(entry),
        Doubt.TIED: lambda: _tied(entry, settings),
        Doubt.CEILING: lambda: _ceiling(entry),
        Doubt.PRESETS: lambda: _presets(by_preset, settings),
        Doubt.TIMED_OUT: lambda: _timed_out(entry),
        Doubt.CHOSEN: lambda: _chosen(entry),
    }
    return tuple(Reason(doubt, _title(doubt, entry), said[doubt]()) for doubt in entry.doubts)


def _title(doubt: Doubt, entry: HistoryEntry) -> str:
    return "Weak match" if doubt is Doubt.WEAK and _lacks_verdict(entry) else DOUBT_TITLES[doubt]


def _lacks_verdict(entry: HistoryEntry) -> bool:
    """Return whether the trace is of an older version, which took weak answers for undelivered ones."""
    return entry.answer is not None and entry.trace is not None and entry.trace.get("verdict") is None


def _undelivered(entry: HistoryEntry) -> str:
    if entry.answer is None:
        return "Nothing answers it."
    said = f"{entry.answer} has {answer_chance(entry)}"
    if _lacks_verdict(entry):
        return f"{said}. Whether it was delivered is not stored."
    verdict = (entry.trace or {}).get("verdict") or {}
    reason = (verdict.get(str(entry.kind)) or {}).get("reason")
    return str(reason) if reason else f"{said}."


def _chosen(entry: HistoryEntry) -> str:
    if entry.answer is None:
        return "An assistant chose among several."
    return f"Of several, an assistant activated {entry.answer}: right makes that a case."


def _tied(entry: HistoryEntry, settings: Settings | None) -> str:
    first, second = (*stored_matches(entry, 2), None, None)[:2]
    if first is None or second is None:
        return "The second answer is as near as the first."
    lead = first.confidence - second.confidence
    ahead, behind = words.answer(first.title), words.answer(second.title)
    if lead == 0.0:
        return f"{ahead} and {behind} are level."
    said = f"{ahead} is {numbers.points_apart(first.confidence, second.confidence)} ahead of {behind}"
    if settings is None:
        return f"{said}."
    margin = numbers.points(settings.tiers.ambiguity_margin)
    return f"{said}; {margin} would tell them apart."


def _ceiling(entry: HistoryEntry) -> str:
    trace = entry.trace or {}
    answer = ((trace.get("trace") or {}).get("llm") or {}).get("answer") or {}
    floor = trace.get("floor") or {}
    if not answer or not floor:
        return "Keywords and LLM name different types."
    named = "Keywords say" if floor.get("keywords") else "Examples say"
    return (
        f"{named} {words.type_word(str(floor.get('type', '')))} "
        f"{numbers.rough_chance(floor.get('confidence') or 0.0)}, the LLM says "
        f"{words.type_word(str(answer.get('type', '')))} "
        f"{numbers.rough_chance(answer.get('confidence') or 0.0)}."
    )


def _presets(by_preset: Mapping[str, Inspection], settings: Settings | None) -> str:
    if not all(key in by_preset for key in PRESETS):
        return "The two presets answer it differently."
    return " ".join(f"{PRESET_NAMES[key]}: {_answered(by_preset[key], settings)}." for key in PRESETS)


def _answered(inspection: Inspection, settings: Settings | None) -> str:
    intent, first = inspection.intent, inspection.first
    kind = "No type"
    if intent is not None and has_type(inspection, settings):
        kind = f"{words.type_word(intent.type)} {type_chance(intent.confidence, settings)}"
    return f"{kind}, {words.named(first.answer)} {numbers.rough_chance(first.confidence)}" if first else kind


def _timed_out(entry: HistoryEntry) -> str:
    report = ((entry.trace or {}).get("trace") or {}).get("llm") or {}
    if budget := report.get("budget_ms"):
        return f"The LLM gave no answer within {budget:g} ms."
    return "The LLM gave no answer in time."


def intent_line(entry: HistoryEntry) -> str:
    """Return the detected type: "Troubleshoot 55 %"."""
    if entry.type is None:
        return "No type"
    return f"{words.type_word(entry.type)} {numbers.rough_chance(entry.confidence or 0.0, type_limits(entry))}"


def first_matches(entry: HistoryEntry, settings: Settings | None) -> tuple[StoredMatch, ...]:
    """Return the stored first matches, until the trace is read the first alone."""
    if entry.trace is None and entry.answer is not None:
        return (StoredMatch(entry.kind or "", "", entry.answer, entry.answer_confidence, level_of(entry, settings)),)
    return stored_matches(entry, FIRST)


def today_line(entry: HistoryEntry, today: Inspection | None) -> str:
    """Return the present first answer if it has changed; "" otherwise."""
    if today is None:
        return ""
    first = today.first
    if first is None:
        return "Now nothing answers it." if entry.answer is not None else ""
    if first.answer.name == entry.answer:
        return ""
    level = match_word(first)
    return f"Now {words.named(first.answer)} comes first: {numbers.rough_chance(first.confidence)}, {level}."


def verb_refusal(entry: HistoryEntry, verb: str) -> str:
    """Return why an action is not possible with this query; "" if it is."""
    if verb in ("right", "wrong") and entry.answer is None:
        return "No answer to mark. Teach it (T), or skip it (S)."
    return ""


def decision_sentence(entry: HistoryEntry, decision: Judgement, answer: str = "") -> str:
    text = (entry.text or "")[:60]
    answer = answer or entry.answer or ""
    return {
        Judgement.TAUGHT: f"“{text}” is taught: {answer}.",
        Judgement.RIGHT: f"{answer} is right for “{text}”.",
        Judgement.WRONG: f"{answer} is wrong for “{text}”.",
        Judgement.NONE: f"No answer is right for “{text}”.",
        Judgement.SKIPPED: f"“{text}” is skipped.",
    }[decision]


def failure_sentence(entry: HistoryEntry, sentence: str) -> str:
    """Return that a decision failed and the query is back, with the reason."""
    return f"“{(entry.text or '')[:60]}” is back: {sentence}"


def position_text(place: int, count: int) -> str:
    """Format a position: "3 of 1,204"."""
    return f"{numbers.count(place + 1)} of {numbers.count(count)}"


def accessible_text(entry: HistoryEntry) -> str:
    """Return a list row in words, for screen readers."""
    answer = answer_chance(entry) if entry.answer else "no answer"
    return ", ".join(filter(None, (entry.text, reasons_line(entry), intent_line(entry), answer)))
