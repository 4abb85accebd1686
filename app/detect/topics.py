"""Topics of a query: its first few content words (S3.6)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

MOST_TOPICS = 5
SHORTEST_TOPIC = 3

_SEPARATORS = re.compile(r"[\s,;:]+")

STOP_WORDS = frozenset(
    """
    about above after again against all also although always and another any anyone anything are aren't around been
    before being below between both but came can can't cannot come could couldn't did didn't does doesn't doing don't
    done down during each either else every few find for from further get gets getting give given goes going got had
    hadn't has hasn't have haven't having help her here hers herself him himself his how however i'd i'll i'm i've
    into isn't it's its itself just keep keeps know let let's like list look made make makes many may maybe might mine
    more most much must mustn't myself need needs neither never nor not now off often once one only onto other our
    ours ourselves out over own please put quite rather really said same say says search see seem seems shall she
    should shouldn't show since some someone something still such take tell than that that's the their theirs them
    themselves then there there's these they they're this those though through thus together too toward try under
    until unto upon use used user uses using very via want wants was wasn't way well were weren't what what's whatever
    when where where's whether which while who who's whom whose why will with within without won't would wouldn't yes
    yet you you'd you'll you're you've your yours yourself
    """.split()
)
"""Words that are never a topic."""

_ASKING = frozenset("how what whatever when where where's whether which while who who's whom whose why".split())
_SHORT = frozenset("a am an as at be by do i in is it me my no of on so to up us we".split())

FUNCTION_WORDS = (STOP_WORDS - _ASKING) | _SHORT
"""Words without content for a reader; question words are not among them."""


class Dropped(StrEnum):
    """Reason that a word is no topic, the first that applies."""

    SHORT = "short"
    COMMON = "common"
    NUMBER = "number"
    AGAIN = "again"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class TopicWord:
    """Word of a query in the form of a topic, and the reason that it is none, or None."""

    word: str
    dropped: Dropped | None


def topics(text: str) -> tuple[str, ...]:
    """Return at most five distinct lower-case words of three or more characters, in text order."""
    kept = (one.word for one in topic_words(text) if one.dropped is None)
    return tuple(islice(kept, MOST_TOPICS))


def topic_words(text: str) -> Iterator[TopicWord]:
    """Yield every word of a text in order, kept or dropped; pure punctuation is no word."""
    found: set[str] = set()
    for part in _SEPARATORS.split(text):
        word = _without_outer_punctuation(part).lower()
        if word:
            dropped = _dropped(word, found)
            if dropped is None:
                found.add(word)
            yield TopicWord(word, dropped)


def _dropped(word: str, found: set[str]) -> Dropped | None:
    if len(word) < SHORTEST_TOPIC:
        return Dropped.SHORT
    if word in STOP_WORDS:
        return Dropped.COMMON
    if _is_number(word):
        return Dropped.NUMBER
    if word in found:
        return Dropped.AGAIN
    return Dropped.FULL if len(found) == MOST_TOPICS else None


def _is_number(word: str) -> bool:
    return all(c.isdigit() or c in ".-_" for c in word)


def _without_outer_punctuation(word: str) -> str:
    start, end = 0, len(word)
    while start < end and _strips(word[start]):
        start += 1
    while end > start and _strips(word[end - 1]):
        end -= 1
    return word[start:end]


def _strips(character: str) -> bool:
    return character not in "-_" and unicodedata.category(character)[0] in "PSC"
