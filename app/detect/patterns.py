"""The doorway to RE2: rule patterns that match whole words in linear time, and what is wrong with one, in words.

RE2 is used because people write these patterns and they run on every keystroke: it has no backtracking. Two bounds of
our own keep that promise: a pattern may come to so many instructions only, and looking anew from word to word stops
after so much work, both counted and not timed, so that the same pattern and text always get the same answer.
Look-around and back-references are refused with a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

from app.domain.intent import Rule

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
                f"The pattern “{source}” is too large to run on every key: it comes to {self._size:,} "
                f"instructions, and at most {LARGEST:,} are run. Use smaller repetitions, or make two "
                "rules of it."
            )
            large.reason = TOO_LARGE
            raise large

    def find(self, text: str, start: int = 0) -> tuple[int, int] | None:
        """The first place from `start` on, as code points with exclusive end, where whole words match; None if there is
        none.

        What is found within a word is looked for anew from the next word on, until that has cost MOST_WORK: then
        nothing is found, though something might stand further on.
        """
        left = MOST_WORK
        whole = self._on_edges.search(text, start)
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


# ---- What is wrong with a pattern, at which character, in plain words, and what to write instead.


NOT_THERE = "Write what must not be there into “Unless”"

LINEAR = (
    "Whole words, in any case. Patterns run on RE2 and what one may cost is bounded: large "
    "repetitions are refused, so none can run away."
)
"""Why nobody need fear a pattern such as `(a+)+$` or `(?:.{0,30}){0,33}b`."""


@dataclass(frozen=True, slots=True)
class PatternFault:
    """Why a pattern is refused: from which character on (from 1) and how many, why, and what to do."""

    place: int
    length: int
    sentence: str
    remedy: str


def explain(source: str) -> PatternFault | None:
    """The fault of a pattern, None if it compiles."""
    if not source.strip():
        return PatternFault(1, 1, "The pattern is empty.", "Type the words that the rule looks for.")
    try:
        Pattern(source)
    except PatternError as error:
        return _fault_of(source, error.reason)
    return None


_LACKING: tuple[tuple[str, str, str], ...] = (
    ("(?<!", "looks back for what must not be there", f"{NOT_THERE}."),
    ("(?!", "looks ahead for what must not be there", f"{NOT_THERE}."),
    ("(?<=", "looks back at what stands before", "Write what stands before into the pattern itself."),
    ("(?=", "looks ahead at what follows", "Write what follows into the pattern itself."),
    ("(?P=", "refers back to a group", "Write the repeated words out, one after the other, with | between."),
    ("(?>", "is an atomic group", "Write (?: instead: there is no backtracking to keep off."),
    ("(?(", "asks whether a group matched", "Make two rules of it, one for each case."),
    ("(?#", "is a comment", "Leave the comment out."),
)
"""What RE2 does not have: how it begins, what it does, what to write instead. Longer beginnings stand first."""

_REASONS: tuple[tuple[str, str, str], ...] = (
    (
        "no argument for repetition",
        "“{0}” has nothing before it to repeat.",
        "Put a \\ before it if the sign is meant.",
    ),
    ("bad repetition", "“{0}” repeats what is repeated already.", "One of the signs is enough."),
    (
        "invalid repetition size",
        "“{0}” is no size: at most 1,000, the smaller number first.",
        "Use a smaller number.",
    ),
    (
        "invalid character class range",
        "“{0}” is no range or class.",
        "The first of a range comes before its last.",
    ),
    ("invalid escape", "“{0}” is no escape.", "Leave the \\ out, or double it if it is meant itself."),
    ("invalid named capture", "“{0}” is no name for a group.", "Write (?: instead; names are not used."),
    ("pattern too large", "The pattern is too large.", "Use smaller repetitions, or make two rules of it."),
)
"""How RE2's reasons begin, what that means, and what to do; {0} is the part that it names."""


def _fault_of(source: str, reason: str) -> PatternFault:
    what, _, fragment = reason.partition(": ")
    opened = _scan(source)
    if what == "missing )" and opened.round is not None:
        return PatternFault(opened.round, 1, "This “(” is never closed.", "Close it with “)”, or write \\( for it.")
    if what == "unexpected )" and opened.stray is not None:
        return PatternFault(opened.stray, 1, "This “)” closes nothing.", "Leave it out, or write \\) for it.")
    if what == "missing ]" and opened.square is not None:
        return PatternFault(opened.square, 1, "This “[” is never closed.", "Close it with “]”, or write \\[ for it.")
    if what.startswith("trailing"):
        return PatternFault(len(source), 1, "A “\\” at the end stands before nothing.", "Leave it out, or double it.")
    if what.startswith("invalid perl operator") and (lacking := _lacking(source, opened.groups)):
        return lacking
    place = max(0, source.find(fragment)) + 1
    if what.startswith("invalid escape") and fragment[1:2].isdigit():
        sentence = f"“{fragment}” refers back to a group, which RE2 does not do."
        return PatternFault(place, len(fragment), sentence, _LACKING[4][2])
    for begin, sentence, remedy in _REASONS:
        if what.startswith(begin):
            return PatternFault(place, len(fragment) if fragment in source else 1, sentence.format(fragment), remedy)
    return PatternFault(place, 1, f"RE2 refuses it: {reason}.", "Try a simpler form.")


def _lacking(source: str, groups: list[int]) -> PatternFault | None:
    """The first group that begins as RE2 has none."""
    for place in groups:
        for begin, does, remedy in _LACKING:
            if source.startswith(begin, place - 1):
                return PatternFault(place, len(begin), f"“{begin}” {does}, which RE2 does not do.", remedy)
    return None


@dataclass(slots=True)
class _Brackets:
    """Places, from 1, of the last bracket left open, of a stray one, and of all groups."""

    round: int | None
    square: int | None
    stray: int | None
    groups: list[int]


def _scan(source: str) -> _Brackets:
    """Read the brackets of a pattern; escaped ones and those in classes count as signs."""
    found = _Brackets(None, None, None, [])
    opened: list[int] = []
    place = 0
    while place < len(source):
        match source[place]:
            case "\\":
                place += 1
            case "[":
                end = _class_end(source, place)
                if end is None:
                    found.square = place + 1
                    break
                place = end
            case "(":
                opened.append(place + 1)
                found.groups.append(place + 1)
            case ")" if opened:
                opened.pop()
            case ")" if found.stray is None:
                found.stray = place + 1
        place += 1
    found.round = opened[-1] if opened else None
    return found


def _class_end(source: str, start: int) -> int | None:
    """Where the class that begins at `start` is closed; None if it never is. A “]” that comes first is a sign."""
    place = start + 1 + source.startswith("^", start + 1)
    place += source.startswith("]", place)
    while place < len(source):
        if source[place] == "]":
            return place
        if source[place] == "\\":
            place += 1
        elif source.startswith("[:", place) and (end := source.find(":]", place)) > 0:
            place = end + 1
        place += 1
    return None


# --------------------------------------------------------------------------------------------------------------------
# Why a rule cannot be used as it stands, and where in its pattern the fault is


def pattern_fault(source: str) -> str | None:
    """Why RE2 refuses a pattern, with the place counted from 1, as a sentence; None if it compiles."""
    try:
        Pattern(source)
    except PatternError as error:
        place = error.place
        return str(error) if place is None else f"{str(error).rstrip('.')} (at character {place})."
    return None


def rule_fault(rule: Rule) -> str | None:
    """The fault of the rule's pattern or of the pattern that holds it back."""
    if not rule.pattern.strip():
        return "The pattern is empty, so it would be found everywhere and nowhere."
    return pattern_fault(rule.pattern) or (None if rule.unless is None else pattern_fault(rule.unless))
