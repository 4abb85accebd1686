"""Why-not explanation as rows for the window, lines for the terminal, and a document (S8.7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from app.display import numbers, words
from app.display.scope.why_not_sentences import (
    blocker_words,
    change_words,
    injection_words,
    note_words,
    sentence,
    shortened,
    unexpected_words,
)
from app.display.words import cut, visible
from app.domain.documents import fields_of
from app.domain.intent import intent_type
from app.domain.language import plural, quantity
from app.domain.library import Power
from app.domain.running import ActivationBlocker, activation_blocker
from app.domain.why_not import (
    KINDS,
    NOTHING,
    AddTrigger,
    Change,
    ChangeSettings,
    Effect,
    Expectation,
    LostAt,
    RestoreItems,
    Rewrite,
    ScorerGap,
    StoreRules,
    TeachRoute,
    TeachType,
    WhyNot,
    kind_of,
)

_LONGEST = 90
"""Maximum length of a change in a message, in characters."""

KIND_ICONS: Mapping[str, str] = {"intent": "label", "memory": "memory", "power": "power", "route": "route"}

LOST_WORDS: Mapping[LostAt, str] = {
    LostAt.NOT_TAUGHT: "Not taught",
    LostAt.SWITCHED_OFF: "Switched off",
    LostAt.SET_ASIDE: "Set aside",
    LostAt.NO_RULE: "No rule matched",
    LostAt.SCORING: "Outscored",
    LostAt.COMBINATION: "Ahead in some scores, not overall",
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


def kind_word(expected: Expectation) -> str:
    """Return the word for an expectation's kind; types and labels share a kind."""
    return "Type" if expected.is_type else expected.kind.capitalize()


def shown_name(expected: Expectation) -> str:
    """Return the display name of an expectation; a search-intent type has its own word."""
    if expected.is_nothing:
        return "no match"
    return words.type_word(expected.name) if expected.is_type else expected.name


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
    is_type = head.strip().lower() == "type" and intent_type(rest) is not None
    if colon and kind_of(head) in KINDS and rest.strip():
        kind, bare = kind_of(head), rest.strip()
        among = [choice for choice in among if choice.kind == kind and (choice.is_type or not is_type)]
        folded = bare.casefold()
    same = [c for c in among if folded in (c.name.casefold(), shown_name(c).casefold())]
    if not same and folded == "no match".casefold():
        return Expectation(kind if kind in KINDS and kind != "route" else "intent", NOTHING)
    same.sort(key=lambda choice: (choice.kind != kind, choice.is_type))
    return next(iter(same or among), Expectation(kind if kind in KINDS else "memory", bare, is_type))


ALIKE = 0.6
"""Minimum similarity of two texts that count as edits of one query."""

RELATED, FIRST_FEW = 0.25, 3
"""Minimum confidence and maximum rank of an answer that a query may have been meant for."""


def is_edit(text: str, other: str) -> bool:
    """Check if two queries are similar enough to be edits of one."""
    return SequenceMatcher(None, text.casefold(), other.casefold(), autojunk=False).ratio() >= ALIKE


def is_related(found: WhyNot) -> bool:
    """Return whether the expected answer suits the query: it wins, or is among the first few."""
    if found.has_won:
        return True
    own, rank = found.expected_confidence, found.expected_rank
    return own is not None and own >= RELATED and (rank is None or rank <= FIRST_FEW)


# ---- Parts of the view, for window and terminal


def headline(found: WhyNot) -> str:
    if found.stage is not None:
        return LOST_WORDS[found.stage]
    if found.expects_nothing and not found.unexpected:
        return "Nothing is injected" if found.is_held_back else "Nothing is answered"
    if found.unexpected:
        return "Something else is delivered" if found.expects_nothing else "First, but not alone"
    if found.blocker is not None:
        return "Found, but not approved" if found.blocker is ActivationBlocker.APPROVAL else "Found, but has no command"
    if not found.is_delivered:
        return "First, but not injected"
    # an answer of another kind may be ahead
    return "It is the route" if found.expected.kind == "route" else f"It is the first {found.expected.kind}"


def sentences(found: WhyNot) -> list[str]:
    """Return the stage that lost the answer, and what prevents its delivery."""
    delivery = injection_words(found.injection, found.threshold), blocker_words(found), unexpected_words(found)
    return [sentence(found), *filter(None, delivery)]


def scores(found: WhyNot) -> list[tuple[ScorerGap, tuple[str, str, str, str]]]:
    """Return the scores of both sides, the confidence (scorer "") last, each with the cells of its row."""
    gaps = list(found.gaps)
    if found.expected_confidence is not None or found.winner_confidence is not None:
        gaps.append(ScorerGap("", found.expected_confidence, found.winner_confidence))
    return [(gap, _cells(gap)) for gap in gaps]


def _cells(gap: ScorerGap) -> tuple[str, str, str, str]:
    """Return title, both scores, which read differently unless they are equal, and the difference."""
    one, other = gap.expected, gap.winner
    middle = () if one is None or other is None or one == other else ((one + other) / 2,)
    title = words.scorer(gap.scorer).title if gap.scorer else "Confidence"
    return title, numbers.score(one, middle), numbers.score(other, middle), numbers.signed(gap.difference)


def leads(found: WhyNot) -> bool:
    """Return whether the expected answer comes first, so that the other one is the runner-up."""
    return found.has_won or found.expected_rank == 1


def nearest_names(found: WhyNot) -> str:
    return f"Nearest names: {', '.join(map(cut, found.nearest))}" if found.nearest else ""


def title(found: WhyNot) -> str:
    """Return the title of the changes."""
    if found.is_delivered:
        return "Nothing to fix"
    if found.blocker is not None:
        return "It already comes first"
    return "Smallest changes that fix it" if _is_fixable(found) else "No change found that fixes it"


def _is_fixable(found: WhyNot) -> bool:
    return any(change.wins for change in found.changes)


def hint(found: WhyNot) -> str:
    """Return notes on the changes, and how to make cases if there are none."""
    if found.stage is LostAt.NOT_TAUGHT and not found.changes:
        return "Teach it first, or name what was meant."
    noted, counted = note_words(found.notes), any(change.effect is not None for change in found.changes)
    if counted or not found.changes:
        return noted
    how = "Mark answers right or wrong in the scope, or write cases on their page, to see what a change breaks."
    return f"{noted or 'There are no cases yet.'} {how}"


HARMFUL, PARTIAL = "These break more cases than they fix", "Not enough alone"
_ALSO_NEEDED = {
    None: "",
    ActivationBlocker.APPROVAL: ", as it needs your approval, too",
    ActivationBlocker.COMMAND: ", as it needs a command, too",
}


def headed(changes: Sequence[Change]) -> Iterator[tuple[str, Change]]:
    """Yield each change with a heading; only the first harmful or insufficient one has one."""
    first = next((change for change in changes if change.is_harmful or not change.wins), None)
    taught = (change.act.answer for change in changes if isinstance(change.act, AddTrigger))
    also = _ALSO_NEEDED[next((activation_blocker(one) for one in taught if isinstance(one, Power)), None)]
    return (((HARMFUL if change.wins else PARTIAL + also) if change is first else "", change) for change in changes)


_MEASURED = ("search_intent.certain_confidence", "search_intent.surfacing_confidence", "tiers.high")
"""Thresholds with defaults that were measured on labelled sets."""

_FAR = 0.1


def risk_sentence(change: Change) -> str:
    """Warn of a threshold that would be far below its measured default; "" if none would."""
    from app.settings.model import Settings, value_of  # not before the first paint

    defaults = [(float(str(value_of(Settings(), one.name))), one) for one in change.moved if one.name in _MEASURED]
    low = [default for default, one in defaults if float(one.after) < min(default - _FAR, float(one.before))]
    return f"{max(low):g} was measured as safe; so far below, expect wrong answers, too." if low else ""


def cases_of(effect: Effect) -> str:
    """Return the number of cases, and how many of them label the decision unless all do."""
    cases, labelled = quantity(effect.total, "case"), effect.labelled
    if labelled is None or labelled == effect.total:
        return cases
    return (
        f"{cases} ({f'{labelled:,}' if labelled else 'none'} {plural(labelled or 1, 'labels', 'label')} this decision)"
    )


def cases_named(effect: Effect | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a title and the texts of cases for those fixed, and for those broken."""
    if effect is not None:
        for named, texts, count in (
            ("Would pass", effect.fixed, effect.fixes),
            ("Would fail", effect.broken, effect.breaks),
        ):
            more = (plural(count - len(texts), "and one more", "and {n} more"),) if count > len(texts) else ()
            if texts:
                yield named, (*texts, *more)


def applied_message(change: Change) -> str:
    what = shortened(change_words(change))
    if len(what) > _LONGEST:
        return f"Applied: {what[: _LONGEST - 1].rstrip()}…"
    return f"Applied: {what}."


# ---- Why-not for the terminal: lines for people, and the document of S8.7.


MOST_CHANGES = 6
"""Maximum number of changes in the lines; the document has all."""


def why_not_lines(found: WhyNot) -> list[str]:
    """Return the lines: the sentences, both sides by scorer, and the changes."""
    lines = [f"{found.expected}: {headline(found).lower()}", *sentences(found)]
    lines += [f"{near}." for near in (nearest_names(found),) if near]
    if found.gaps:
        rows = [("", "expected", found.winner_name or "–", ""), *(cells for _, cells in scores(found))]
        width, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
        cells = ([row[0].ljust(width), *map(str.rjust, row[1:], widths)] for row in rows)
        lines += ["", *(f"  {'  '.join(row)}".rstrip() for row in cells)]
    if _is_fixable(found):
        lines += ["", "What would fix it:"]
    elif not (found.is_delivered or found.nearest or found.blocker):
        lines.append("No single change fixes it.")
    for heading, change in headed(found.changes[:MOST_CHANGES]):
        lines += [*([f"  {heading}:"] if heading else []), f"  {change_words(change)}{_effect_words(change.effect)}"]
        lines += [f"    {risk}" for risk in (risk_sentence(change),) if risk]
    if (left := len(found.changes) - MOST_CHANGES) > 0:
        lines.append("  " + plural(left, "… and 1 more (--json)", "… and {n} more (--json)"))
    return [visible(line) for line in [*lines, *filter(None, [note_words(found.notes)])]]


def _effect_words(effect: Effect | None) -> str:
    if effect is None:
        return ""
    if not effect.fixes and not effect.breaks:
        return f": of {cases_of(effect)} none changes"
    return f": of {cases_of(effect)} fixes {effect.fixes}, breaks {effect.breaks}"


def why_not_document(found: WhyNot) -> dict[str, Any]:
    """Make the document of S8.7, with additional fields."""
    return {
        "query": found.query,
        "expected": str(found.expected),
        "outcome": "won" if found.has_won else "lost",
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
        "injection": _injection_document(found),
        "unexpected": list(found.unexpected),
        "needs_approval": found.blocker is ActivationBlocker.APPROVAL,
        "needs_command": found.blocker is ActivationBlocker.COMMAND,
        "delivered": found.is_delivered,
        "changes": [_change_document(change) for change in found.changes],
        "nearest": list(found.nearest),
        "note": note_words(found.notes),
    }


def _injection_document(found: WhyNot) -> dict[str, Any] | None:
    injection = found.injection
    if injection is None:
        return None
    injected = injection.rank is not None and injection.cut is None
    return {
        "injected": injected,
        "reason": None if injected else injection.cut or "far",
        **fields_of(injection, "rank", "confidence"),
        "needs": injection.least if injection.least <= 1.0 else None,
        **fields_of(injection, "weight", "tokens", "budget"),
        "sentence": injection_words(injection, found.threshold),
    }


def _change_document(change: Change) -> dict[str, Any]:
    effect = change.effect
    names = "fixes", "breaks", "cases", "labelled", "fixed", "broken"
    cases = effect and (
        *fields_of(effect, "fixes", "breaks", "total", "labelled").values(),
        [*effect.fixed],
        [*effect.broken],
    )
    return {
        "key": change.key,
        "what": change_words(change),
        "wins": change.wins,
        **dict(zip(names, cases or (None,) * len(names), strict=True)),
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
