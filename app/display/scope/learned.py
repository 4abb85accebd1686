"""What taught examples say of the type, in words and numbers: shares of the vote, words that tell, nearest examples."""

from __future__ import annotations

from dataclasses import dataclass

from app.display import numbers, words
from app.domain.examples import NearExample, Vote
from app.domain.inspection import Detection
from app.domain.intent import IntentType

MOST_SHARES, MOST_NEAR = 3, 3
LEAST_SHARE = 0.005
"""A smaller share of the vote is not worth a row."""


@dataclass(frozen=True, slots=True)
class LearnedShare:
    """What one type has of the vote; `is_first`: the vote is for it."""

    type: str
    value: str
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class LearnedNear:
    """A taught example near the query, with its type and how near it is; `is_first`: it is of the type voted for."""

    text: str
    type: str
    similarity: str
    origin: str
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class LearnedCard:
    """The vote; `sentence` says why there is none, or what words speak for its type."""

    title: str
    shares: tuple[LearnedShare, ...] = ()
    sentence: str = ""
    near: tuple[LearnedNear, ...] = ()


def learned_card(detection: Detection) -> LearnedCard | None:
    """The card; None where examples are not asked."""
    learned = detection.learned
    if learned is None:
        return None
    if learned.vote is None:
        return LearnedCard(words.say("Learned from examples"), sentence=learned.missing)
    vote = learned.vote
    if vote.says_none:
        title = words.say("Learned from examples: nothing is asked")
    else:
        confidence = numbers.score(vote.confidence)
        title = words.say("Learned from examples: right with a chance of {chance}", chance=confidence)
    return LearnedCard(title, _shares(vote), _words(vote), tuple(_near(one, vote) for one in _shown(vote)))


def learned_lines(card: LearnedCard | None) -> list[str]:
    """The same in lines."""
    if card is None:
        return []
    lines = [card.title]
    if card.shares:
        lines.append(", ".join(f"{share.type} {share.value}" for share in card.shares))
    if card.sentence:
        lines.append(card.sentence)
    return [*lines, *(f"“{one.text}”: {one.type} {one.similarity}, {one.origin}" for one in card.near)]


def type_choice(type_: IntentType | None) -> str:
    """A type as it is taught; None is what asks for nothing."""
    return words.say("Asks for nothing") if type_ is None else words.type_word(type_)


def taught(type_: IntentType | None, *, is_new: bool) -> str:
    """What was taught, for the message that offers to take it back."""
    said = {"type": words.say("none") if type_ is None else words.type_word(type_)}
    if is_new:
        return words.say("Taught: the type of this query is {type}.", **said)
    return words.say("Changed: the type of this query is {type} from now on.", **said)


def _shares(vote: Vote) -> tuple[LearnedShare, ...]:
    """The largest shares, and that of none where it is among them."""
    every = [(words.type_word(label), share) for label, share in vote.shares]
    every.append((words.say("nothing is asked"), vote.for_none))
    every.sort(key=lambda one: -one[1])
    shown = [one for one in every if one[1] >= LEAST_SHARE][:MOST_SHARES]
    return tuple(LearnedShare(name, numbers.score(share), place == 0) for place, (name, share) in enumerate(shown))


def _words(vote: Vote) -> str:
    if vote.says_none or not vote.grounds.words:
        return ""
    told = ", ".join(f"“{word}”" for word in vote.grounds.words)
    return words.say("Words that speak for {type}: {words}.", type=words.type_word(vote.label), words=told)


def _shown(vote: Vote) -> tuple[NearExample, ...]:
    """The nearest; where none of them is of the type voted for, one that is in the place of the last."""
    nearest = vote.nearest[:MOST_NEAR]
    backing = vote.grounds.backing[:1]
    if vote.says_none or not backing or any(one.label == vote.label for one in nearest):
        return nearest
    return (*nearest[: MOST_NEAR - 1], *backing)


def _near(one: NearExample, vote: Vote) -> LearnedNear:
    origin = words.say("ships with the program") if one.is_shipped else words.say("taught here")
    is_first = not vote.says_none and one.label == vote.label
    return LearnedNear(one.text, words.type_word(one.label), numbers.score(one.similarity), origin, is_first)
