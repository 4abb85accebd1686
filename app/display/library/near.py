"""What a trigger that is typed is nearly the same as, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from app.display import numbers, words
from app.domain.duplicates import Near
from app.domain.library import Answer


def called(answer: Answer) -> str:
    """What a person knows the answer by: its label, else its name."""
    return answer.answer_label or answer.name


def near_line(found: Sequence[Near]) -> str:
    """What a typed trigger is nearly the same as, in a sentence; "" if it is not."""
    near = [each for each in found if not each.is_same]
    if not near:
        return ""
    best = near[0]
    scores = words.say("spelling {score}", score=numbers.score(best.spelling))
    if best.meaning is not None:
        scores += ", " + words.say("meaning {score}", score=numbers.score(best.meaning))
    return words.say_n(
        len(near),
        "Nearly the same under another answer: “{trigger}” ({name}; {scores}).",
        "Nearly the same under other answers, {n} times: “{trigger}” ({name}; {scores}).",
        trigger=best.trigger[:120],
        name=called(best.answer)[:80],
        scores=scores,
    )
