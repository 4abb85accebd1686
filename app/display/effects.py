"""What a step of teaching has brought about, in a sentence."""

from __future__ import annotations

from app.display import numbers, words
from app.domain.inspection import Inspection
from app.domain.library import Answer, Memory, Power
from app.domain.match import Match

_LONGEST_NAME = 60


def taught(memory: Memory) -> str:
    """That a memory is there now."""
    return words.say("Taught as “{name}”.", name=_short(memory.name))


def trigger_added(answer: Answer) -> str:
    """That an answer has one more trigger; a power's are its examples."""
    if isinstance(answer, Power):
        return words.say("Taught as an example of {name}.", name=_short(answer.name))
    return words.say("Taught as a trigger of {name}.", name=_short(answer.name))


def marked(before: Answer, after: Answer, *, fits: bool) -> str:
    """How a mark moved the success score, and if the query is a case now."""
    kept = words.say("Kept as a case.")
    name = _short(before.name)
    word = words.say("{name} marked right", name=name) if fits else words.say("{name} marked wrong", name=name)
    if not isinstance(before, Memory) or not isinstance(after, Memory):
        return f"{word}. {kept}".strip()
    old, new = numbers.score(before.success), numbers.score(after.success)
    if old == new:
        return words.say("{word}: success stays {score}. {kept}", word=word, score=new, kept=kept).strip()
    return words.say("{word}: success {old} → {new}. {kept}", word=word, old=old, new=new, kept=kept).strip()


def standing(inspection: Inspection, answer: Answer, taught: str) -> str:
    """Where an answer stands among the matches with a trigger it was taught; "" if it is not shown, or yet without."""
    matches = inspection.matches
    place = next((n for n, match in enumerate(matches) if _is(match, answer)), None)
    if place is None or taught not in matches[place].answer.triggers:
        return ""
    if place:
        behind = numbers.signed(matches[0].confidence - matches[place].confidence)[1:]
        name = _short(matches[0].answer.name)
        if not behind:
            return words.say("It is now level with {name}.", name=name)
        return words.say("It is now number {place}, {behind} behind {name}.", place=place + 1, behind=behind, name=name)
    lead = matches[0].lead
    if lead is None:
        return words.say("It is now the only match.")
    if lead == 0.0:
        return words.say("It is now level with {name}.", name=_short(matches[1].answer.name))
    return words.say("It now leads by {lead}.", lead=numbers.signed(lead)[1:])


def _is(match: Match, answer: Answer) -> bool:
    same = (match.kind, match.answer.key) == (answer.kind, answer.key)
    return same and (answer.key is not None or match.answer.name == answer.name)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
