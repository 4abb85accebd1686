"""Questions for a fact about a thing, and whether a power promises to answer them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from app.scoring.columns.bm25 import FUNCTION_WORDS
from app.scoring.negation import ACTIONS
from app.scoring.text import stem, words

_FACT = re.compile(
    r"(?:(?:hey|hi|hello|please|so|and|ok|okay|also|can you|could you|tell me|do you know|any idea) ){0,4}(?:"
    r"(?:whom?|whose|which (?:company|person|people|team)) (?!(?:can|could|may|shall|should|will|would|am|(?:are|do) "
    r"(?:i|we|you))\b)(?P<who>.*)"
    r"|(?:since )?(?:when|where) (?:(?:is|are|was|were|has|have|did|does) )?(?!(?:can|could|do|should|will|would)\b)"
    r".*?\b(?P<done>\w+ed)(?: \w+)?"
    r"|(?:since )?(?:when|where) (?:is|are|was|were|has|have|did|does) .*"
    r"|how (?:big|far|fast|large|long|many|much|often|old)\b(?! (?:can|could|do|should|will|would)\b).*"
    r"|what (?:is|are|was|were) (?:the|my|our|your|their|its) (?P<of>(?:\w+ ){1,3}?)of .*)"
)
"""Questions that are no request in disguise; in groups the words that hold the relation asked for."""

LONGEST = 200
"""Maximum number of characters of such a question; longer texts tell what to do."""

_LEAST = FUNCTION_WORDS | frozenset(
    "best currently ever first last most now originally popular some top usually".split()
)
_READS = frozenset(
    map(
        stem,
        "access analyze answer ask author browse calculate check compare count current data date describe detail "
        "discover display explain explore fetch find forecast get history how info information inspect latest list "
        "locate log look lookup measure monitor provide query read recent recommend report retrieve return score "
        "search show state statistic status suggest tell track view when where which who".split(),
    )
)
"""Words of powers that answer, unlike those that only deploy, create, send or delete."""

_ACTS = frozenset(map(stem, ACTIONS))


@lru_cache(maxsize=64)
def fact_of(question: str) -> frozenset[str] | None:
    """Return the stems of the relation asked for, as "own"; none for a number, None for no fact."""
    plain = " ".join(re.sub(r"['’]s\b", " is", question.lower()).split()).rstrip(" .!?")
    is_other = len(plain) > LONGEST or re.search(r"[.,;:!?]|\busing\b", plain)
    found = None if is_other else _FACT.fullmatch(plain)
    if found is None:
        return None
    named = [word for part in found.groups() for word in words(part or "") if word not in _LEAST]
    return frozenset(map(stem, named if found["of"] else named[:1]))


def promises(texts: Iterable[str], fact: frozenset[str]) -> bool:
    """Return whether a power with these texts promises such a fact.

    It does not if it only acts, or never mentions the relation: "who owns the payment service".
    """
    every = {word for text in texts for word in words(text)}
    known = {stem(form) for word in every for form in (word, re.sub("[eo]r$", "", word))}
    answers = not known.isdisjoint(_READS) or known.isdisjoint(_ACTS)
    return answers and not (fact and known.isdisjoint(fact))
