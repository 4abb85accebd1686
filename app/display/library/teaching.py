"""Teaching a query: answers that can get it as a trigger, chosen by digit; near duplicates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.display import numbers, words
from app.display.scope.match_rows import together
from app.domain.case import Task
from app.domain.health import NearDuplicate
from app.domain.inspection import Inspection
from app.domain.language import plural, quantity
from app.domain.library import Answer, Kind, Memory
from app.domain.match import Match
from app.domain.why_not import EditPreview

MOST_CHOICES = 6
"""Maximum number of answers with a digit."""


@dataclass(frozen=True, slots=True)
class TeachingTarget:
    """Answer that can get the query as a trigger: digit, name, kind, present confidence."""

    digit: int
    name: str
    what: str
    confidence: str
    match: Match

    @property
    def line(self) -> tuple[str, str]:
        """List text, and muted text on the right."""
        return f"{self.digit}   {self.name}", f"{self.what}   {self.confidence}"


def teaching_targets(
    today: Inspection | None,
    answered: tuple[str | None, str | None] = (None, None),
    limits: Callable[[Kind], Sequence[float]] = lambda _: (),
) -> tuple[TeachingTarget, ...]:
    """Return the answers that can get the query as a trigger, best first, one kind after the other.

    `answered` are kind and name of a stored first answer; `limits` returns the thresholds of a kind.
    """
    if today is None or today.first is None:
        return ()
    first = next((one for one in today.matches if (one.kind, one.answer.name) == answered), today.first)
    matches = together(today.matches, 2, MOST_CHOICES)[:MOST_CHOICES]
    matches.sort(key=lambda match: (match is not first, match.kind is not first.kind))
    shown = [numbers.rough_chance(match.confidence, limits(match.kind)) for match in matches]
    return tuple(
        TeachingTarget(place, match.answer.name, _description(match), shown[place - 1], match)
        for place, match in enumerate(matches, start=1)
    )


def _description(match: Match) -> str:
    answer = match.answer
    if isinstance(answer, Memory):
        return f"memory, intent {answer.intent}" if answer.intent else "memory"
    return "power"


def answer_name(answer: Answer) -> str:
    """Return the label of an answer, otherwise its name."""
    return answer.answer_label or answer.name


def near_duplicate_line(found: Sequence[NearDuplicate]) -> str:
    """Return which triggers are nearly the same as a typed one; "" for none."""
    near = [each for each in found if not each.is_same]
    if not near:
        return ""
    best = near[0]
    scores = f"spelling {numbers.rough_chance(best.spelling)}"
    if best.meaning is not None:
        scores += f", meaning {numbers.rough_chance(best.meaning)}"
    others = plural(len(near), "another answer", "other answers, {n} times")
    nearest = f"“{best.trigger[:120]}” ({answer_name(best.answer)[:80]}; {scores})"
    return f"Nearly the same under {others}: {nearest}."


# --------------------------------------------------------------------------------------------------------------------
# Preview of an edit, shown while it is a draft


CHANGES_NOTHING = "changes nothing"
NAMED = 3  # of the affected cases and queries


def preview_short(preview: EditPreview) -> str:
    """Return a short preview: "fixes 2, breaks 1, changes 3 recent tiers"; "" if nothing is known."""
    if not preview.effect.total and not preview.query_count:
        return ""
    if not any((preview.effect.fixes, preview.effect.breaks, preview.tiers, preview.changed_count)):
        return CHANGES_NOTHING
    parts = []
    if preview.effect.fixes or preview.effect.breaks:
        fixes, breaks = numbers.count(preview.effect.fixes), numbers.count(preview.effect.breaks)
        parts.append(f"fixes {fixes}, breaks {breaks}")
    if preview.tiers or preview.changed_count:
        parts.append(_changes(preview))
    return ", ".join(parts)


def _changes(preview: EditPreview) -> str:
    """Return how many recent queries change what: "changes 1 recent answer"."""
    count = preview.changed_count
    match preview.task:
        case Task.TYPE:
            what = "type"
        case Task.ROUTE:
            what = "route"
        case _ if preview.changed_count and not preview.tiers:
            what = "answer"
        case _:
            what, count = "tier", preview.tiers
    return f"changes {quantity(count, f'recent {what}')}"


def preview_lines(preview: EditPreview) -> tuple[str, ...]:
    """Return the affected cases and queries, the first few of each by name."""
    fixes = _named("Fixes", preview.effect.fixed, preview.effect.fixes)
    texts = [
        f"“{one.text[:60]}”: {_turned(preview, one.before)} → {_turned(preview, one.after)}" for one in preview.changed
    ]
    changed = f"Recent queries that would change: {_some(texts, preview.changed_count, '; ')}." if texts else ""
    return tuple(filter(None, (fixes, broken_line(preview), changed)))


def broken_line(preview: EditPreview) -> str:
    """Return the cases that would break, the first few by name; "" for none."""
    return _named("Breaks", preview.effect.broken, preview.effect.breaks)


def _turned(preview: EditPreview, name: str) -> str:
    return words.type_word(name) or "no type" if preview.task is Task.TYPE else name or "no answer"


def preview_base(preview: EditPreview) -> str:
    """Return the number of cases and queries that were run."""
    cases = quantity(preview.effect.total, "case")
    past = quantity(preview.query_count, "recent query", "recent queries")
    return f"Checked against {cases} and {past}."


def _named(verb: str, texts: Sequence[str], count: int) -> str:
    return f"{verb} {_some([f'“{text[:60]}”' for text in texts], count)}." if texts else ""


def _some(said: Sequence[str], count: int, parting: str = ", ") -> str:
    shown = parting.join(said[:NAMED])
    return f"{shown} and {numbers.count(count - NAMED)} more" if count > NAMED else shown
