"""Replay in words: changed answers, before and after, and the causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.display import numbers, words
from app.display.review.trace import TracePart, TraceRow
from app.display.scope.match_rows import level_word
from app.domain.history import (
    DifferenceKind,
    ReplayCause,
    ReplayCauseKind,
    ReplayDifference,
    ReplayedQuery,
    ReplayProgress,
)
from app.domain.language import quantity
from app.domain.match import Band, Tier
from app.domain.running import ActivationBlocker

DIFFERS: Mapping[DifferenceKind, str] = {
    DifferenceKind.TYPE: "Type",
    DifferenceKind.TYPE_CONFIDENCE: "Confidence of the type",
    DifferenceKind.FIRST: "First answer",
    DifferenceKind.CONFIDENCE: "Confidence of the first answer",
    DifferenceKind.LEVEL: "Level of the first answer",
    DifferenceKind.STATUS: "Powers",
}

_CAUSES: Mapping[ReplayCauseKind, str] = {
    ReplayCauseKind.SCORER: "{after} decides now, not {before}",
    ReplayCauseKind.SCORE: "{name} {before} → {after}",
    ReplayCauseKind.RULE_FIRES: "the rule {name} fires now",
    ReplayCauseKind.RULE_SILENT: "the rule {name} fires no longer",
    ReplayCauseKind.GONE: "“{name}” is deleted or paused",
    ReplayCauseKind.NEW: "“{name}” was not among the matches then",
    ReplayCauseKind.SETTING: "{name} was {before}, is {after}",
    ReplayCauseKind.LLM: "the LLM took part then, and is not asked again",
    ReplayCauseKind.UNKNOWN: "too little was stored to tell",
}

_MAIN = (
    DifferenceKind.FIRST,
    DifferenceKind.TYPE,
    DifferenceKind.STATUS,
    DifferenceKind.LEVEL,
    DifferenceKind.CONFIDENCE,
    DifferenceKind.TYPE_CONFIDENCE,
)
"""Differences in order of importance."""


def change_text(difference: ReplayDifference) -> str:
    """Format one difference: "slow-build → ci-red"."""
    before, after = difference.before, difference.after
    return f"{_value(difference.what, before, after)} → {_value(difference.what, after, before)}"


def change_line(replayed: ReplayedQuery) -> str:
    """Format all differences of a query in a line, most important first."""
    return "; ".join(f"{DIFFERS[one.what]}: {change_text(one)}" for one in _in_order(replayed))


def cause_line(cause: ReplayCause) -> str:
    """Format one cause, within a sentence."""
    name, before, after = cause.name, cause.before, cause.after
    if cause.because is ReplayCauseKind.SCORER:
        before, after = _scorers(before), _scorers(after)
    elif cause.because is ReplayCauseKind.SCORE:
        name, before, after = _scorers(name), _number(before, after), _number(after, before)
    elif cause.because is ReplayCauseKind.SETTING:
        before, after = before or "not set", after or "not set"
    return _CAUSES[cause.because].format(name=name, before=before, after=after)


def cause_parts(replayed: ReplayedQuery) -> tuple[TracePart, ...]:
    """Return every difference with its causes; shared causes are listed with the first."""
    named: set[ReplayCause] = set()
    parts = []
    for one in _in_order(replayed):
        fresh = [cause for cause in dict.fromkeys(one.causes) if cause not in named]
        named.update(fresh)
        rows = (TraceRow(change_text(one)), *(TraceRow(f"because {cause_line(cause)}") for cause in fresh))
        parts.append(TracePart(DIFFERS[one.what], rows))
    return tuple(parts)


def accessible_text(replayed: ReplayedQuery) -> str:
    """Return a replayed query in words, for screen readers."""
    causes = dict.fromkeys(cause for one in _in_order(replayed) for cause in one.causes)
    why = ", ".join(cause_line(cause) for cause in causes)
    said = f"{replayed.before.text or ''}. {change_line(replayed)}"
    return f"{said}, because {why}" if why else said


def replay_sentence(replay: ReplayProgress, changed: int, *, is_running: bool) -> str:
    """Return the progress or result of a replay: changed, unchanged, and skipped queries."""
    if is_running:
        far = f"{numbers.count(replay.done)} of {numbers.count(replay.of)} asked again."
        return f"{far} {_otherwise(changed)}"
    sentences = [_otherwise(changed), f"{numbers.count(replay.same)} the same."]
    if replay.left_out:
        kept = quantity(replay.left_out, "is kept without its", "are kept without their")
        sentences.append(f"{kept} text and could not be asked.")
    if replay.done < replay.of:
        sentences.append(f"Stopped after {numbers.count(replay.done)}.")
    return " ".join(sentences)


def _otherwise(changed: int) -> str:
    return f"{quantity(changed, 'is', 'are')} answered differently."


def replay_document(replay: ReplayProgress, changed: Sequence[ReplayedQuery]) -> dict[str, object]:
    return {
        "asked": replay.done,
        "same": replay.same,
        "left_out": replay.left_out,
        "changed": [
            {
                "query": one.before.key,
                "text": one.before.text,
                "differs": [
                    {
                        "what": each.what.value,
                        "before": each.before,
                        "after": each.after,
                        "because": [cause_line(cause) for cause in each.causes],
                    }
                    for each in _in_order(one)
                ],
            }
            for one in changed
        ],
    }


def _in_order(replayed: ReplayedQuery) -> list[ReplayDifference]:
    return sorted(replayed.differences, key=lambda one: _MAIN.index(one.what))


def _value(what: DifferenceKind, value: str | float | None, other: str | float | None) -> str:
    if value is None:
        return "nothing"
    if not isinstance(value, str):
        return numbers.score(value, () if other is None or isinstance(other, str) else (other,))
    if what is DifferenceKind.TYPE:
        return words.type_word(value)
    kinds = (Band, Tier, ActivationBlocker) if what in (DifferenceKind.LEVEL, DifferenceKind.STATUS) else ()
    return next((level_word(kind(value)) for kind in kinds if value in kind.__members__.values()), value)


def _scorers(names: str) -> str:
    """Format the names of scorers within a sentence."""
    said = [words.scorer(name).title.lower() for name in names.split(" + ") if name]
    return " and ".join(said) or "nothing"


def _number(value: str, other: str) -> str:
    """Format a score given as text."""
    try:
        mine = float(value)
    except ValueError:
        return value or "nothing"
    try:
        return numbers.score(mine, (float(other),))
    except ValueError:
        return numbers.score(mine)
