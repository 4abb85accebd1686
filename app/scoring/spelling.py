"""Reading of a query: words that are slips of taught ones, and courtesies around a request."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial

from rapidfuzz import process
from rapidfuzz.distance import OSA

from app.scoring.columns.bm25 import CLAUSE, VOID, Frequencies
from app.scoring.text import singular, words

SHORTEST = 5
"""Minimum length of a taught word; shorter ones with one edit are mostly other words.

Exchanged letters are an exception. A query's word with fewer letters is corrected only beside a taught word: "ordr",
but not the German "flur".
"""

MOST_WORDS = 32
"""Maximum number of different unknown words of a query that are looked up, the first ones."""

_LIKE = (
    "qwa wes erd rtf tyg yuh uij iok opl asz sdx dfc fgv ghb hjn jkm kl zx xc cv vb bn nm "
    "aeiouy ckqsxz bpv dt fv gj lr yz"
).split()
"""Letters that are typed or heard for each other: neighbours on a keyboard, vowels, and like sounds."""

_WORD = re.compile(rf"(?<![\w./\\@#-])[^\W\d_]{{{SHORTEST - 1},}}(?![\w/\\@-]|\.\w)")
"""Words of letters alone that are no parts of addresses, paths and names."""

_CONTRACTION = re.compile("(?:are|ca|could|did|do|does|had|has|have|is|might|must|need|should|was|were|wo|would)nt")
"""Words that lack the apostrophe of "doesn't": a trigger with it holds the word "doesn"."""

_LOOKALIKES = str.maketrans("\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0458\u03bf", "aeopcyxisjo")
"""Cyrillic and Greek letters that look like Latin ones, in a word with Latin letters."""

_HI = r"hi(?!\W(?:fi|res|tech|vis)\b)|hiya|hey"
_HELLO = f"(?:{_HI}|hello|howdy|dear|greetings|morning|good (?:morning|afternoon|evening|day))"
_TO = r"(?: (?:all|again|everybody|everyone|folks|guys|team|there|(?:\w+ )?support(?: team)?))?"
_OPENING = re.compile(
    rf"(?:{_HELLO}(?:(?<!^morning)(?: \w+){{0,2}}?|{_TO})\s*[,.!:;–-]+\s*|(?:{_HI}){_TO} "
    rf"|{_HELLO}{_TO} (?=(?:{'|'.join(CLAUSE)})\b)|(?-i:[Mm]y name is [A-Z]\w+(?: [A-Z]\w+)?(?:,? and |[,.] (?!not ))"
    r"|[Tt]his is [A-Z]\w+(?: [A-Z]\w+)? from \w+[,.:] )|@(?:all|bot|channel|here|help\w*|support|team)\b[,:]? "
    r"|(?:urgent|help)[:!] |(?:pls|plz)[,: ]\s*|(?:(?:just )?(?:an?|one)? ?(?:quick|short)? ?question(?!-\w)|excuse me"
    r"|sorry|(?:can|could) (?:you|someone|anyone) help(?: me)?)\s*[,.!?:;–-]+\s*|i was wondering,? (?:(?:if|whether) )?"
    r"|(?:(?:can|could|may|might) i (?:kindly |please )?ask you to|(?:(?:can|could|will|would) you|you (?:could|might))"
    r" be so kind as to|i(?:'d| would) be (?:very )?grateful if you (?:could|would)) (?:tell me (?=how\b|if\b|wh))?)*",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:[\s,.!;–-]*(?<![\w\"'“])(?:(?:many )?thanks|thank you|thx|tia|pls|plz|asap|cheers)"
    r"(?: (?:(?:so|very) much|a lot|in advance|for (?:your|the|any) help))*"
    r"|\s*[,.!?;\n–-]\s*(?:(?:best|kind|warm) )?regards(?:,? \w+)?|\s+[:;]-?[()DP])+\W*$",
    re.IGNORECASE,
)
"""Courtesies around a request, which no trigger has; "please" is in triggers as often."""

_GREETING = frozenset("hi hiya hey hello dear morning good afternoon evening day all again there team".split())
_TAKES = re.compile(
    r"(?i:(?:^|[,.!?:;] )(?:please )?(?:find|hear|play|queue|stream|watch)|\b(?:an?|about|album|and|as|band|book|called"
    r"|define|film|for|from|in|is|means?|my|named|of|or|phrase|pronounce|say|saying|sang|sing|song|spell|tell|term|the"
    r"|them|to|translate|type|with|word|write))$"
)
"""End of a request that a courtesy without a comma is part of: "play cheers", "the word thanks"."""


def without_courtesies(text: str, is_taught: Callable[[str], bool] = lambda _: False) -> str:
    """Return a request without greetings and thanks around it; "Hello Kitty" stays where it is taught."""
    name = words(opening.group()) if (opening := _OPENING.match(text)) else ()
    is_name = 1 < len(name) < 4 and name[0] in _GREETING and not _GREETING.issuperset(name)
    bare = text if opening is None or (is_name and all(map(is_taught, name))) else text[opening.end() :]
    closing = _CLOSING.search(bare, max(len(bare) - 100, 0))  # no courtesy at the end is longer
    before = bare[: closing.start()] if closing else bare
    bare = bare if closing and re.match(r" (?!pl[sz])\w", closing.group()) and _TAKES.search(before) else before
    return bare if any(word not in VOID for word in words(bare)) else text


class Spelling:
    """Corrects words that are neither taught nor a token of the encoder to a taught word one slip away.

    A slip is a letter added, left out, replaced, or exchanged with the next one.

    `taught` counts the triggers with each word, in lower case and singular; `lengths` counts tokens of texts.
    The first letter counts as right. All other words stay, and so does every taught text. Only exchanged letters are
    slips in a name, a capitalised word within the query: "call Johansen" is no slip of "call Johanson".
    """

    def __init__(self, taught: Frequencies, lengths: Callable[[Sequence[str]], list[int]]) -> None:
        self._taught = taught
        self._lengths = lengths
        self._tokens: dict[str, bool] = {}
        self._by_letter: dict[str, list[str]] = {}
        self._found: dict[str, str] = {}
        self._last = "", ""

    def corrected(self, text: str) -> str:
        """Return the text without courtesies, and each slip replaced by the taught word, in lower case."""
        last = self._last
        if text != last[0]:
            plain = without_courtesies(text, self._is_taught)
            plain = plain if plain.isascii() else re.sub(r"\S*[^\s\x00-\x7f]\S*", self._plain, plain)
            found = _WORD.sub(partial(self._replaced, set(), SHORTEST), plain)
            if any(self._is_taught(word) for word in words(found)):
                found = _WORD.sub(partial(self._replaced, set(), 1), found)
            foreign = [word for word in words(found) if not (word.isascii() or self._is_known(word))]
            if foreign and not any(self._is_known(word) for word in words(plain) if len(word) >= SHORTEST - 1):
                found = plain
            self._last = last = text, found
        return last[1]

    def _is_known(self, word: str) -> bool:
        return self._is_taught(word) or self._is_token(word)

    def _plain(self, match: re.Match[str]) -> str:
        """Return a word in plain letters if those are known words: full-width, bold, with look-alikes."""
        plain = unicodedata.normalize("NFKC", match.group())
        if not plain.isascii() and re.search("[A-Za-z]", plain):
            plain = plain.lower().translate(_LOOKALIKES)
        is_known = plain.isascii() and all(map(self._is_known, words(plain) or [""]))
        return plain if is_known and not all(map(self._is_taught, words(match.group()) or [""])) else match.group()

    def _is_taught(self, word: str) -> bool:
        own = (word, word.removeprefix("re"), word.removeprefix("un"))  # "rebook" is no slip of "reboot"
        return any(self._taught.held(singular(one)) > 0 for one in own)

    def _replaced(self, looked_up: set[str], least: int, match: re.Match[str]) -> str:
        word = match.group().lower()
        if self._is_known(word):
            return match.group()
        looked_up.add(word)
        if len(looked_up) > MOST_WORDS or len(word) < least:
            return match.group()
        if word not in self._found:
            self._found[word] = self._corrected(word)
        found = self._found[word] or match.group()
        is_name = match.start() > 0 and match.group().istitle() and not match.string.istitle()
        return match.group() if is_name and sorted(found) != sorted(word) else found

    def _is_token(self, word: str) -> bool:
        if word not in self._tokens:
            token, own = self._lengths(["a", word])
            self._tokens[word] = own <= token
        return self._tokens[word]

    def _corrected(self, word: str) -> str:
        """Return the most frequent taught word one slip away, also for a plural in -s; "" without one."""
        if _CONTRACTION.fullmatch(word):
            return ""
        first, one = word[0], word[:-1] if word == f"{singular(word)}s" else ""
        if first not in self._by_letter:
            all_words = (other for other in self._taught.words() if other[0] == first)
            self._by_letter[first] = [other for other in all_words if len(other) >= SHORTEST - 1 and other.isalpha()]
        for text in (word, one) if one and not self._is_token(one) else (word,):
            near = process.extract(text, self._by_letter[first], scorer=OSA.distance, score_cutoff=1, limit=None)
            if any(re.fullmatch(r"(\w+e) \1d|(\w+e)d \2", f"{text} {other}") for other, *_ in near):
                return ""
            if slips := [other for other, *_ in near if _is_slip(text, other)]:
                return min(slips, key=lambda one: (-self._taught.held(one), one)) + word[len(text) :]
        return ""


def _is_slip(word: str, taught: str) -> bool:
    """Return whether a word one edit away is a slip; one letter for quite another is mostly another name."""
    if len(taught) < SHORTEST:
        return sorted(word) == sorted(taught)
    differing = [{one, other} for one, other in zip(word, taught, strict=False) if one != other]
    return len(word) != len(taught) or len(differing) > 1 or any(differing[0] <= set(near) for near in _LIKE)
