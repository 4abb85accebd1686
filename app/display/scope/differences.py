"""Why two answers to one question differ, in a clause that names the numbers behind it."""

from __future__ import annotations

from app.display import numbers, words
from app.display.scope.arithmetic import line
from app.display.scope.intent import IntentCard, why_none
from app.display.scope.rows import answer_key
from app.domain.inspection import Inspection
from app.domain.match import Match

NOISE = 1e-6
"""Two results that are closer are the same one, taken in another order."""

_DIGITS = range(numbers.SCORE_DIGITS, 8)
"""Seven tell apart whatever is farther apart than NOISE."""


def same(left: float | None, right: float | None) -> bool:
    """If two numbers are the same but for rounding; absent is the same as absent alone."""
    if left is None or right is None:
        return left is right
    return abs(left - right) <= NOISE


def apart(left: float, right: float) -> tuple[str, str, str]:
    """Two numbers with as many digits as it takes to tell them apart, and right less left with its sign ("" if they
    are the same)."""
    if same(left, right):
        return numbers.score(left), numbers.score(left), ""
    shown = ((numbers.fixed(left, digits), numbers.fixed(right, digits)) for digits in _DIGITS)
    one, other = next((one, other) for one, other in shown if one != other)
    return one, other, numbers.signed(right - left)


def why_matches(left: Match, right: Match, both: tuple[Inspection, Inspection]) -> str:
    """Why one answer stands otherwise on the right than on the left: a clause that begins with “because”."""
    if same(left.confidence, right.confidence):
        return _why_moved(left, both)
    deciding = list(dict.fromkeys((*left.winners, *right.winners)))
    pairs = [(key, left.scores.get(key), right.scores.get(key)) for key in deciding or left.scores]
    for key, one, other in pairs:
        if (one is None) != (other is None):
            side = words.say("on the left") if one is None else words.say("on the right")
            return words.say("because {scorer} is absent {side}", scorer=words.scorer(key).title, side=side)
    changed = [(key, one, other) for key, one, other in pairs if one is not None and other is not None]
    changed = [(key, one, other) for key, one, other in changed if not same(one, other)]
    if changed:
        key, one, other = max(changed, key=lambda found: abs(found[1] - found[2]))
        shown = apart(one, other)
        return words.say(
            "because {scorer} is {left} against {right}",
            scorer=words.scorer(key).title,
            left=shown[0],
            right=shown[1],
        )
    return words.say(
        "because the left takes {left} and the right {right}", left=_arithmetic(left), right=_arithmetic(right)
    )


def _arithmetic(match: Match) -> str:
    """The steps of a confidence in one run, the inner ones first."""
    return ", ".join(line(step).text for step in match.steps) or words.say("nothing")


def _why_moved(match: Match, both: tuple[Inspection, Inspection]) -> str:
    """Why an answer of the same confidence has another rank or another tier."""
    ahead = [_ahead_of(match, inspection) for inspection in both]
    passed = [name for key, name in ahead[1].items() if key not in ahead[0]]
    if passed:
        return words.say("because {name} comes before it on the right", name=passed[0])
    fallen = [name for key, name in ahead[0].items() if key not in ahead[1]]
    if fallen:
        return words.say("because {name} comes before it on the left", name=fallen[0])
    return words.say("because the rules for its tier differ, or its other scores do")


def _ahead_of(match: Match, inspection: Inspection) -> dict[str, str]:
    """The answers before one of them, by key: their names."""
    found: dict[str, str] = {}
    for other in inspection.matches:
        if answer_key(other) == answer_key(match):
            break
        found[answer_key(other)] = other.answer.name
    return found


def why_intents(left: Inspection, right: Inspection, cards: tuple[IntentCard, IntentCard]) -> str:
    """How the intents differ and why, in a sentence; "" if they do not."""
    one, other = left.intent, right.intent
    if one is None and other is None:
        return ""
    if one is None or other is None:
        none = left if one is None else right
        side = words.say("On the left") if one is None else words.say("On the right")
        return words.say("{side} there is no type. {why}", side=side, why=why_none(none))
    found = []
    if one.type is not other.type:
        found.append(words.say("{left} against {right}", left=cards[0].headline, right=cards[1].headline))
    if not same(one.confidence, other.confidence):
        shown = apart(one.confidence, other.confidence)
        found.append(words.say("{left} against {right}", left=shown[0], right=shown[1]))
    if not found:
        return ""
    return words.say("{found}, {why}.", found=", ".join(found), why=_why_intents(left, right))


def _why_intents(left: Inspection, right: Inspection) -> str:
    policies = left.detection.policy, right.detection.policy
    if policies[0] != policies[1]:
        return words.say(
            "because the left selects by {left}, the right by {right}",
            left=words.policy(policies[0]).lower(),
            right=words.policy(policies[1]).lower(),
        )
    cues = [inspection.intent.keywords if inspection.intent else () for inspection in (left, right)]
    if cues[0] != cues[1]:
        shown = [", ".join(f"“{cue}”" for cue in side[:3]) or words.say("none") for side in cues]
        return words.say("because the cues are {left} against {right}", left=shown[0], right=shown[1])
    return words.say("because the same cues stand in other sentences")
