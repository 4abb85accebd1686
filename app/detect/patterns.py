"""The doorway to RE2: rule patterns that match whole words in any case, in time linear in the text.

RE2 is used because people write these patterns and they run on every keystroke: it has no backtracking. Two bounds of
our own keep that promise: a pattern may come to so many instructions only, and looking anew from word to word stops
after so much work, both counted and not timed, so that the same pattern and text always get the same answer.
Look-around and back-references are refused with a sentence.
"""

from __future__ import annotations

import re2

_OPTIONS = re2.Options()
_OPTIONS.case_sensitive = False
_OPTIONS.log_errors = False
_OPTIONS.max_mem = 1 << 20

LARGEST = 4_000
"""Instructions that a pattern may come to. Each `.` takes about nine, so `.{0,440}` will do; what
ships has at most 1,886."""

MOST_WORK = 10_000_000
"""Steps that looking anew may take in one text: instructions by characters, which at worst is about 0.15 s."""

_PER_CHARACTER = 4
"""Steps that a search costs for every character of the text, however small the pattern."""


TOO_LARGE = "pattern too large"
"""The reason that RE2 itself gives where it would need more memory than it may."""


class PatternError(ValueError):
    """A pattern that RE2 refuses; the message says why, and `place` at which character, from 1, where that is known.

    `reason` is what RE2 says, in its own words.
    """

    place: int | None = None
    reason: str = ""


class Pattern:
    """A compiled pattern; PatternError if it does not compile."""

    def __init__(self, source: str) -> None:
        try:
            self._anywhere = re2.compile(source, _OPTIONS)
            self._on_edges = re2.compile(rf"\b(?:{source})\b", _OPTIONS)
        except re2.error as error:
            reason = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
            refused = PatternError(f"The pattern “{source}” does not compile: {reason}.")
            refused.place, refused.reason = _place(source, reason), reason
            raise refused from error
        self._size: int = max(self._anywhere.programsize, self._on_edges.programsize)
        if self._size > LARGEST:
            large = PatternError(
                f"The pattern “{source}” is too large to run on every key: it comes to {self._size:,} instructions, "
                f"and at most {LARGEST:,} are run. Use smaller repetitions, or make two rules of it."
            )
            large.reason = TOO_LARGE
            raise large

    def find(self, text: str) -> tuple[int, int] | None:
        """The first place, as code points with exclusive end, where whole words match; None if there is none.

        What is found within a word is looked for anew from the next word on, until that has cost MOST_WORK: then
        nothing is found, though something might stand further on.
        """
        start = 0
        left = MOST_WORK
        whole = self._on_edges.search(text)
        while (found := self._anywhere.search(text, start)) is not None:
            # Of "fail|failing" the first alternative may end within a word where the second would not. What was found
            # on edges stays the next such place until it is passed: looking anew each time would cost its square.
            while whole is not None and whole.start() < found.start() and left > 0:
                place = _next_edge(text, whole.start())
                left -= self._work(text, place)
                whole = self._on_edges.search(text, place)
            for match in (found, whole):
                if match is not None and _is_whole(text, *match.span()):
                    first, end = match.span()
                    return first, end
            start = _next_edge(text, found.start())
            left -= self._work(text, start)
            if start > len(text) or left <= 0:
                return None
        return None

    def _work(self, text: str, start: int) -> int:
        """What a search from a place on may cost at worst, in steps."""
        return self._size * (len(text) - start) + _PER_CHARACTER * len(text)


def _place(source: str, reason: str) -> int | None:
    """Where the part of the pattern begins that RE2 names after a colon; None if it names the whole pattern."""
    fragment = reason.partition(": ")[2]
    found = source.find(fragment)
    return None if found < 0 or fragment in ("", source) else found + 1


def _is_whole(text: str, first: int, end: int) -> bool:
    return end > first and _is_edge(text, first) and _is_edge(text, end)


def _is_edge(text: str, place: int) -> bool:
    """Whether no word runs across this place; Unicode letters count, which RE2's own word boundary ignores."""
    if place == 0 or place == len(text):
        return True
    return not (_in_word(text[place - 1]) and _in_word(text[place]))


def _next_edge(text: str, place: int) -> int:
    """The first place after this one where a whole word can begin; beyond the text if there is none."""
    for later in range(place + 1, len(text)):
        if _is_edge(text, later):
            return later
    return len(text) + 1


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"
