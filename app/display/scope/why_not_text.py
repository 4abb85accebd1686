"""Why not for the terminal: a few lines for people, and the document of S8.7."""

from __future__ import annotations

from typing import Any

from app.display import words
from app.display.scope.why_not_words import change_words, note_words, sentence
from app.display.visible import visible
from app.domain.why_not import (
    AddTrigger,
    Change,
    ChangeSettings,
    Effect,
    PutBack,
    Rewrite,
    StoreRules,
    TeachRoute,
    WhyNot,
)

MOST_CHANGES = 6
"""So many changes are listed for people; the document has all."""


def why_not_lines(found: WhyNot) -> list[str]:
    """What people read: the sentence, both sides scorer by scorer, and what would change it."""
    at = "" if found.stage is None else f" ({words.say(found.stage.value)})"
    lines = [f"{found.expected}: {words.say(found.outcome.value)}{at}"]
    lines.append(sentence(found))
    if found.nearest:
        lines.append(words.say("Like it: {names}.", names=", ".join(f"“{name}”" for name in found.nearest)))
    lines += _table(found)
    if found.changes:
        lines += ["", words.say("What would make it win:")]
        lines += [_change(change) for change in found.changes[:MOST_CHANGES]]
        if len(found.changes) > MOST_CHANGES:
            left = len(found.changes) - MOST_CHANGES
            lines.append("  " + words.say_n(left, "… and 1 more (--json)", "… and {n} more (--json)"))
    elif found.stage is not None and not found.nearest:
        lines.append(words.say("No single change was found that makes it win."))
    return [visible(line) for line in [*lines, *filter(None, [note_words(found.notes)])]]


def _table(found: WhyNot) -> list[str]:
    if not found.gaps:
        return []
    rows = [("", words.say("expected"), found.winner_name or "–", "")]
    rows += [(gap.scorer, _value(gap.expected), _value(gap.winner), _signed(gap.difference)) for gap in found.gaps]
    both = found.expected_confidence, found.winner_confidence
    lead = None if both[0] is None or both[1] is None else both[0] - both[1]
    rows.append((words.say("confidence"), _value(both[0]), _value(both[1]), _signed(lead)))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return ["", *("  " + "  ".join(_cells(row, widths)).rstrip() for row in rows)]


def _cells(row: tuple[str, ...], widths: list[int]) -> list[str]:
    padded = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
    return [row[0].ljust(widths[0]), *padded[1:]]


def _value(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.3f}"


def _change(change: Change) -> str:
    needed = "" if change.wins else words.say(" (not enough alone)")
    return f"  {change_words(change)}{needed}{_effect(change.effect)}"


def _effect(effect: Effect | None) -> str:
    if effect is None:
        return ""
    if not effect.fixes and not effect.breaks:
        return words.say_n(effect.total, ": no other case changes", ": of {n} cases none changes")
    return words.say(
        ": of {n} cases fixes {fixes}, breaks {breaks}", n=f"{effect.total:,}", fixes=effect.fixes, breaks=effect.breaks
    )


def why_not_document(found: WhyNot) -> dict[str, Any]:
    """The shape of S8.7, and more beside it."""
    return {
        "query": found.query,
        "expected": str(found.expected),
        "outcome": found.outcome.value,
        "stage": None if found.stage is None else found.stage.value,
        "sentence": sentence(found),
        "by": {
            "winner": found.winner_name,
            "scores": {
                gap.scorer: {"expected": gap.expected, "winner": gap.winner, "difference": gap.difference}
                for gap in found.gaps
            },
            "confidence": {"expected": found.expected_confidence, "winner": found.winner_confidence},
            "rank": found.expected_rank,
        },
        "changes": [_change_document(change) for change in found.changes],
        "nearest": list(found.nearest),
        "note": note_words(found.notes),
    }


def _change_document(change: Change) -> dict[str, Any]:
    effect = change.effect
    return {
        "key": change.key,
        "what": change_words(change),
        "wins": change.wins,
        "fixes": None if effect is None else effect.fixes,
        "breaks": None if effect is None else effect.breaks,
        "cases": None if effect is None else effect.total,
        "fixed": None if effect is None else list(effect.fixed),
        "broken": None if effect is None else list(effect.broken),
        "from": ", ".join(one.before for one in change.moved) or None,
        "to": ", ".join(one.after for one in change.moved) or None,
        "act": _act(change),
    }


def _act(change: Change) -> dict[str, Any]:
    """What is to be done, in plain values."""
    match change.act:
        case ChangeSettings(pairs, _):
            return {"settings": dict(pairs)}
        case AddTrigger(answer, text):
            return {"teach": text, "to": answer.name}
        case Rewrite(answers, _):
            return {"store": [answer.name for answer in answers]}
        case PutBack(keys):
            return {"put_back": [f"{kind.value} {key}" for kind, key in keys]}
        case TeachRoute(case, rules):
            off = {"rules_off": [rule.id for rule in rules]} if rules else {}
            return {"teach": case.text, "route": list(case.expected), **off}
        case StoreRules(rules):
            return {"rules": [{"id": r.id, "label": r.label, "pattern": r.pattern, "weight": r.weight} for r in rules]}
