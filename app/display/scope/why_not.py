"""Why-not explanation as rows for the window, lines for the terminal, and a document (S8.7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from app.display import numbers, words
from app.display.scope.why_not_sentences import (
    blocker_words,
    change_words,
    cut,
    injection_words,
    note_words,
    sentence,
    shortened,
    unexpected_words,
)
from app.display.words import visible
from app.domain.intent import IntentType
from app.domain.language import plural
from app.domain.running import ActivationBlocker
from app.domain.scope.why_not import (
    KINDS,
    MOST_NAMED,
    NOTHING,
    AddTrigger,
    Change,
    ChangeSettings,
    Effect,
    Expectation,
    Injection,
    LostAt,
    Outcome,
    RestoreItems,
    Rewrite,
    StoreRules,
    TeachRoute,
    TeachType,
    Unwanted,
    WhyNot,
)

_LONGEST = 90
"""Maximum length of a change in a message, in characters."""

KIND_WORDS: Mapping[str, str] = {"intent": "Intent", "memory": "Memory", "power": "Power", "route": "Route"}
KIND_ICONS: Mapping[str, str] = {"intent": "label", "memory": "memory", "power": "power", "route": "route"}

LOST_WORDS: Mapping[LostAt, str] = {
    LostAt.NOT_TAUGHT: "Not taught",
    LostAt.SWITCHED_OFF: "Switched off",
    LostAt.SET_ASIDE: "Set aside",
    LostAt.NO_RULE: "No rule matched",
    LostAt.SCORING: "Outscored",
    LostAt.COMBINATION: "Lost in the combination",
    LostAt.SELECTION: "Lost in the selection",
    LostAt.TOPICS: "Lost for lack of topics",
    LostAt.THRESHOLD: "Lost at a threshold",
    LostAt.AMBIGUITY: "Lost to ambiguity",
    LostAt.RANKING: "Lost in the ranking",
    LostAt.UNWANTED: "Answered, though nothing should be",
    LostAt.RULES: "Lost to the rules",
    LostAt.CACHE: "Lost to the cache",
    LostAt.EXAMPLES: "Lost to the examples",
    LostAt.LLM: "Lost to the LLM",
    LostAt.FALLBACK: "Nothing decided",
}


@dataclass(frozen=True, slots=True)
class GapRow:
    """One line of the comparison with the winner; values in [0, 1], None if absent.

    `scorer` is "" for the confidence; `gap` is the signed difference (expected minus winner), "" if one is absent.
    """

    scorer: str
    title: str
    expected: float | None
    winner: float | None
    expected_text: str
    winner_text: str
    gap: str


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One change: its description, its effect on query and cases, and its action.

    `fixes` and `breaks` are the texts of two chips, "" if no cases were run; `named` are titles with texts of cases
    below them; `heading` is above the first change that breaks more cases than it fixes, below others.
    """

    change: Change
    what: str
    effect: str
    fixes: str
    breaks: str
    has_fixes: bool
    has_breaks: bool
    named: tuple[tuple[str, tuple[str, ...]], ...]
    heading: str = ""


@dataclass(frozen=True, slots=True)
class WhyNotExplanation:
    """Complete explanation: headline, sentence, lines, ranks, and changes under their title.

    `expected` and `winner` are the column titles, `winner` "" without another answer; `beside` tells if that is the
    winner, the first of several, or the runner-up; `ranks` are those of the two, "" if unranked. `hint` is a note on
    the changes, `nearest` lists names similar to an unknown one.
    """

    why_not: WhyNot
    won: bool
    headline: str
    sentence: str
    kind: str
    expected: str
    winner: str
    beside: str
    rows: tuple[GapRow, ...]
    ranks: tuple[str, str]
    nearest: str
    title: str
    hint: str
    changes: tuple[ChangeRow, ...]


def kind_word(expected: Expectation) -> str:
    """Return the word for an expectation's kind; types and labels share a kind."""
    if _is_type(expected):
        return "Type"
    return KIND_WORDS.get(expected.kind, expected.kind.capitalize())


def shown_name(expected: Expectation) -> str:
    """Return the display name of an expectation; a search-intent type has its own word."""
    if expected.is_nothing:
        return "no match"
    return words.type_word(expected.name) if _is_type(expected) else expected.name


def _is_type(expected: Expectation) -> bool:
    return expected.kind == "intent" and expected.name in IntentType.__members__.values()


def expectable_answers(candidates: Iterable[str]) -> tuple[Expectation, ...]:
    """Parse the engine's KIND:NAME candidates."""
    return tuple(Expectation.of(candidate) for candidate in candidates)


def parse_expectation(typed: str, offered: Iterable[Expectation], kind: str) -> Expectation | None:
    """Resolve a typed text: an exact name, the first offer, or an unknown name of that kind.

    None for an empty text.
    """
    text = " ".join(typed.split())
    if not text:
        return None
    among = list(offered)
    bare, folded = text, text.casefold()
    head, colon, rest = text.partition(":")
    if colon and head.strip().lower() in KINDS and rest.strip():
        kind, bare = head.strip().lower(), rest.strip()
        among = [choice for choice in among if choice.kind == kind]
        folded = bare.casefold()
    same = [c for c in among if folded in (c.name.casefold(), shown_name(c).casefold())]
    if not same and folded == "no match".casefold():
        return Expectation(kind if kind in KINDS and kind != "route" else "intent", NOTHING)
    same.sort(key=lambda choice: choice.kind != kind)
    return next(iter(same or among), Expectation(kind if kind in KINDS else "memory", bare))


ALIKE = 0.6
"""Minimum similarity of two texts that count as edits of one query."""

RELATED, FIRST_FEW = 0.25, 3
"""Minimum confidence and maximum rank of an answer that a query may have been meant for."""


def is_edit(text: str, other: str) -> bool:
    """Check if two queries are similar enough to be edits of one."""
    return SequenceMatcher(None, text.casefold(), other.casefold(), autojunk=False).ratio() >= ALIKE


def is_related(found: WhyNot) -> bool:
    """Return whether the expected answer suits the query: it wins, or is among the first few."""
    if found.outcome is Outcome.WON:
        return True
    own, rank = found.expected_confidence, found.expected_rank
    return own is not None and own >= RELATED and (rank is None or rank <= FIRST_FEW)


FIRST_WORDS: Mapping[str, str] = {
    "intent": "It is the first intent",
    "memory": "It is the first memory",
    "power": "It is the first power",
    "route": "It is the route",
}
"""Sentence by kind of the expected answer; an answer of another kind may be ahead."""


def explain_why_not(found: WhyNot) -> WhyNotExplanation:
    """Make the content of an explanation."""
    won = found.outcome is Outcome.WON
    winner = shown_name(Expectation(found.expected.kind, found.winner_name)) if found.winner_name else ""
    lost = LOST_WORDS[found.stage] if found.stage is not None else "Lost"
    return WhyNotExplanation(
        found,
        found.is_delivered,
        _came(found) if won else lost,
        " ".join(filter(None, (shortened(sentence(found)), *_delivery_words(found)))),
        found.expected.kind,
        shown_name(found.expected),
        winner,
        _beside(found),
        _rows(found),
        _ranks(found),
        f"Nearest names: {', '.join(map(cut, found.nearest))}" if found.nearest else "",
        _title(found, won),
        _hint(found, won),
        tuple(_change(change, heading) for heading, change in _headed(found.changes)),
    )


def _came(found: WhyNot) -> str:
    if _is_unwanted(found):
        return "Nothing is answered"
    if found.unexpected:
        return "First, but not alone"
    if found.blocker is not None:
        return "Found, but not approved" if found.blocker is ActivationBlocker.APPROVAL else "Found, but has no command"
    return FIRST_WORDS[found.expected.kind] if found.is_delivered else "First, but not injected"


def _delivery_words(found: WhyNot) -> tuple[str, ...]:
    return injection_words(found.injection), blocker_words(found), unexpected_words(found)


def _is_unwanted(found: WhyNot) -> bool:
    return isinstance(found.standing, Unwanted)


def _rows(found: WhyNot) -> tuple[GapRow, ...]:
    rows = [_row(gap.scorer, words.scorer(gap.scorer).title, gap.expected, gap.winner) for gap in found.gaps]
    if found.expected_confidence is not None or found.winner_confidence is not None:
        rows.append(_row("", "Confidence", found.expected_confidence, found.winner_confidence))
    return tuple(rows)


def _row(scorer: str, title: str, expected: float | None, winner: float | None) -> GapRow:
    gap = "" if expected is None or winner is None else numbers.signed(expected - winner)
    return GapRow(scorer, title, expected, winner, *_apart(expected, winner), gap)


def _apart(expected: float | None, winner: float | None) -> tuple[str, str]:
    """Format both numbers, differently unless the values are equal."""
    if expected is None or winner is None or expected == winner:
        return numbers.score(expected), numbers.score(winner)
    middle = ((expected + winner) / 2,)
    return numbers.score(expected, middle), numbers.score(winner, middle)


def _ranks(found: WhyNot) -> tuple[str, str]:
    if found.expected_rank is None:
        return "", ""
    beside = "2" if _leads(found) else "1"
    return numbers.count(found.expected_rank), beside if found.winner_name else ""


def _beside(found: WhyNot) -> str:
    if _leads(found):
        return "Next"
    return "First" if found.stage is LostAt.AMBIGUITY else "Winner"


def _leads(found: WhyNot) -> bool:
    return found.outcome is Outcome.WON or found.expected_rank == 1


def _title(found: WhyNot, won: bool) -> str:
    if won:
        return "Nothing to fix" if found.is_delivered else "It already comes first"
    if _is_unwanted(found):
        if found.changes:
            return "Smallest changes that keep it out"
        return "No change found that keeps it out"
    winning = [change for change in found.changes if change.wins]
    if winning and all(change.is_harmful for change in winning):
        return "It wins only by changes that break more cases than they fix"
    if winning:
        return "Smallest changes that make it win"
    return "Possible changes" if found.changes else "No change found that makes it win"


def _hint(found: WhyNot, won: bool) -> str:
    """Return notes on the changes, and how to make cases if there are none."""
    if found.stage is LostAt.NOT_TAUGHT and not found.changes:
        return "Teach it first, or name what was meant."
    noted, counted = note_words(found.notes), any(change.effect is not None for change in found.changes)
    if won or counted or not found.changes:
        return noted
    how = "Mark answers right or wrong in the scope, or write cases on their page, to see what a change breaks."
    return f"{noted or 'There are no cases yet.'} {how}"


HARMFUL = "These break more cases than they fix"


def _headed(changes: Sequence[Change]) -> Iterator[tuple[str, Change]]:
    """Yield each change with a heading; only the first harmful one after others has one."""
    first = next((place for place, change in enumerate(changes) if change.wins and change.is_harmful), 0)
    for place, change in enumerate(changes):
        yield (HARMFUL if place == first > 0 else ""), change


def _change(change: Change, heading: str) -> ChangeRow:
    effect = change.effect
    effect_words = _effect(effect) if change.wins else f"It would still lose. {_effect(effect)}".strip()
    return ChangeRow(
        change,
        shortened(change_words(change)),
        effect_words,
        f"fixes {numbers.count(effect.fixes)}" if effect else "",
        f"breaks {numbers.count(effect.breaks)}" if effect else "",
        bool(effect and effect.fixes),
        bool(effect and effect.breaks),
        _named(effect),
        heading,
    )


def _effect(effect: Effect | None) -> str:
    """Return the effect on the cases in a sentence; "" without cases."""
    if effect is None:
        return ""
    if not effect.fixes and not effect.breaks:
        return plural(effect.total, "The one case stays as it is.", "All {n} cases stay as they are.")
    total = numbers.count(effect.total)
    if effect.breaks:
        one, many = ("1 of {total} cases would fail.", "{n} of {total} cases would fail.")
        return plural(effect.breaks, one, many, total=total)
    one, many = ("1 of {total} cases would pass, none would fail.", "{n} of {total} cases would pass, none would fail.")
    return plural(effect.fixes, one, many, total=total)


def _named(effect: Effect | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if effect is None:
        return ()
    parts = (("Would pass", effect.fixed, effect.fixes), ("Would fail", effect.broken, effect.breaks))
    return tuple((title, _capped(texts, count)) for title, texts, count in parts if texts)


def _capped(texts: tuple[str, ...], count: int) -> tuple[str, ...]:
    shown = texts[:MOST_NAMED]
    left = count - len(shown)
    return (*shown, plural(left, "and one more", "and {n} more")) if left > 0 else shown


def applied_message(change: Change) -> str:
    what = shortened(change_words(change))
    if len(what) > _LONGEST:
        return f"Applied: {what[: _LONGEST - 1].rstrip()}…"
    return f"Applied: {what}."


# ---- Why-not for the terminal: lines for people, and the document of S8.7.


MOST_CHANGES = 6
"""Maximum number of changes in the lines; the document has all."""


def why_not_lines(found: WhyNot) -> list[str]:
    """Return the lines: the sentence, both sides by scorer, and the changes."""
    outcome = _came(found) if found.outcome is Outcome.WON else "Lost"
    said = outcome if found.stage is None else LOST_WORDS[found.stage]
    lines = [f"{found.expected}: {said.lower()}"]
    lines.append(sentence(found))
    lines += filter(None, _delivery_words(found))
    if found.nearest:
        lines.append(f"Like it: {', '.join(f'“{name}”' for name in found.nearest)}.")
    lines += _table(found)
    if found.changes:
        lines += ["", "What would keep it out:" if _is_unwanted(found) else "What would make it win:"]
        for heading, change in _headed(found.changes[:MOST_CHANGES]):
            lines += [*([f"  {heading}:"] if heading else []), _change_line(change)]
        if len(found.changes) > MOST_CHANGES:
            left = len(found.changes) - MOST_CHANGES
            lines.append("  " + plural(left, "… and 1 more (--json)", "… and {n} more (--json)"))
    elif found.stage is not None and not found.nearest:
        unwanted = "No single change keeps it out."
        lines.append(unwanted if _is_unwanted(found) else "No single change makes it win.")
    return [visible(line) for line in [*lines, *filter(None, [note_words(found.notes)])]]


def _table(found: WhyNot) -> list[str]:
    if not found.gaps:
        return []
    rows = [("", "expected", found.winner_name or "–", "")]
    rows += [
        (words.scorer(gap.scorer).title, _value(gap.expected), _value(gap.winner), _signed(gap.difference))
        for gap in found.gaps
    ]
    both = found.expected_confidence, found.winner_confidence
    lead = None if both[0] is None or both[1] is None else both[0] - both[1]
    rows.append(("confidence", _value(both[0]), _value(both[1]), _signed(lead)))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return ["", *("  " + "  ".join(_cells(row, widths)).rstrip() for row in rows)]


def _cells(row: tuple[str, ...], widths: list[int]) -> list[str]:
    padded = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
    return [row[0].ljust(widths[0]), *padded[1:]]


def _value(value: float | None) -> str:
    return numbers.score(value)


def _signed(value: float | None) -> str:
    return numbers.signed(value)


def _change_line(change: Change) -> str:
    needed = "" if change.wins else " (not enough alone)"
    return f"  {change_words(change)}{needed}{_effect_words(change.effect)}"


def _effect_words(effect: Effect | None) -> str:
    if effect is None:
        return ""
    if not effect.fixes and not effect.breaks:
        return plural(effect.total, ": no other case changes", ": of {n} cases none changes")
    return f": of {effect.total:,} cases fixes {effect.fixes}, breaks {effect.breaks}"


def why_not_document(found: WhyNot) -> dict[str, Any]:
    """Make the document of S8.7, with additional fields."""
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
        "injection": _injection_document(found.injection),
        "unexpected": list(found.unexpected),
        "needs_approval": found.blocker is ActivationBlocker.APPROVAL,
        "needs_command": found.blocker is ActivationBlocker.COMMAND,
        "delivered": found.is_delivered,
        "changes": [_change_document(change) for change in found.changes],
        "nearest": list(found.nearest),
        "note": note_words(found.notes),
    }


def _injection_document(injection: Injection | None) -> dict[str, Any] | None:
    if injection is None:
        return None
    injected = injection.rank is not None and injection.cut is None
    return {
        "injected": injected,
        "reason": None if injected else injection.cut or "far",
        "rank": injection.rank,
        "confidence": injection.confidence,
        "needs": injection.least if injection.least <= 1.0 else None,
        "weight": injection.weight,
        "tokens": injection.tokens,
        "budget": injection.budget,
        "sentence": injection_words(injection),
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
    """Return the action in plain values."""
    match change.act:
        case ChangeSettings(pairs, _):
            return {"settings": dict(pairs)}
        case AddTrigger(answer, text):
            return {"teach": text, "to": answer.name}
        case Rewrite(answers, _):
            return {"store": [answer.name for answer in answers]}
        case RestoreItems(keys):
            return {"put_back": [f"{kind.value} {key}" for kind, key in keys]}
        case TeachRoute(case, rules):
            off = {"rules_off": [rule.id for rule in rules]} if rules else {}
            return {"teach": case.text, "route": list(case.expected), **off}
        case TeachType(text, type_):
            return {"teach": text, "type": type_.value}
        case StoreRules(rules):
            return {"rules": [{"id": r.id, "label": r.label, "pattern": r.pattern, "weight": r.weight} for r in rules]}
