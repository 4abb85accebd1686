"""RE2 patterns of rules, matched on word borders in linear time, and explanations of errors.

RE2 has no backtracking, as users write the patterns and they run on every key press. Two further limits, on the
compiled size and on the work of repeated searches, are counted and not timed, so that results are reproducible.
Look-around and back-references are rejected with a sentence.
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
"""Maximum number of instructions of a pattern.

A `.` takes about nine, so `.{0,440}` is allowed; shipped patterns have at most 1,886.
"""

LONGEST = 8_000
"""Maximum length of a pattern in characters.

A class such as `\\pL` counts for CLASS more: it takes 0.5 ms to read.
"""

CLASS = 50

QUOTED = 200
"""Maximum number of characters of a pattern in a message."""

MOST_WORK = 10_000_000
"""Maximum work of repeated searches in one text, in instructions by characters.

It takes about 0.15 s.
"""

_PER_CHARACTER = 4
"""Steps of a search per character of the text, however small the pattern."""


class PatternError(ValueError):
    """Invalid pattern; `place` is the character at fault, from 1, None if unknown.

    `reason` is RE2's own message.
    """

    place: int | None = None
    reason: str = ""


class Pattern:
    """Compiled pattern; raises PatternError if it does not compile."""

    def __init__(self, source: str) -> None:
        long = len(source) + CLASS * source.lower().count("\\p")
        if long > LONGEST:
            raise _too_large(source, f"it comes to {long:,} characters, and at most {LONGEST:,} are read")
        try:
            self._anywhere = re2.compile(source, _OPTIONS)
            self._on_edges = re2.compile(rf"\b(?:{source})\b", _OPTIONS)
        except re2.error as error:
            reason = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
            refused = PatternError(f"The pattern “{_quoted(source)}” does not compile: {_quoted(reason)}.")
            refused.place, refused.reason = _place(source, reason), reason
            raise refused from error
        self._size: int = max(self._anywhere.programsize, self._on_edges.programsize)
        if self._size > LARGEST:
            raise _too_large(source, f"it comes to {self._size:,} instructions, and at most {LARGEST:,} are run")

    def find(self, text: str, start: int = 0) -> tuple[int, int] | None:
        """Find the first match of whole words from `start` on, as code points; None without one.

        A match within a word is searched again from the next word on, until MOST_WORK is exceeded; then later
        matches are missed.
        """
        left = MOST_WORK
        found = self._anywhere.search(text, start)
        whole = None if found is None else self._on_edges.search(text, start)
        while found is not None:
            # In "fail|failing" the first alternative may end within a word where the second would not. A match on
            # word borders is reused until it is passed; searching it each time would be quadratic.
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
            found = self._anywhere.search(text, start)
        return None

    def _work(self, text: str, start: int) -> int:
        """Return the worst-case cost of a search from a place on, in steps."""
        return self._size * (len(text) - start) + _PER_CHARACTER * len(text)


def _too_large(source: str, why: str) -> PatternError:
    large = PatternError(
        f"The pattern “{_quoted(source)}” is too large to run on every key: {why}. Use smaller repetitions, or make "
        "two rules of it."
    )
    large.reason = "pattern too large"  # as RE2 says it, beyond its memory limit
    return large


def _quoted(text: str) -> str:
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}…"


def _place(source: str, reason: str) -> int | None:
    """Return the start of the part that RE2 names after a colon.

    None if it is the whole pattern.
    """
    fragment = reason.partition(": ")[2]
    found = source.find(fragment)
    return None if found < 0 or fragment in ("", source) else found + 1


def _is_whole(text: str, first: int, end: int) -> bool:
    return end > first and _is_edge(text, first) and _is_edge(text, end)


def _is_edge(text: str, place: int) -> bool:
    """Return whether no word spans this place; unlike RE2's word boundary, for Unicode letters."""
    if place == 0 or place == len(text):
        return True
    return not (_in_word(text[place - 1]) and _in_word(text[place]))


def _next_edge(text: str, place: int) -> int:
    """Return the next place where a whole word can begin; after the text if there is none."""
    for later in range(place + 1, len(text)):
        if _is_edge(text, later):
            return later
    return len(text) + 1


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


# ---- Explanations of invalid patterns: the character, the reason, and a remedy.


NOT_THERE = "Write what must not be there into “Unless”"

LINEAR = (
    "Whole words, in any case. Patterns run on RE2 and what one may cost is bounded: large "
    "repetitions are refused, so none can run away."
)
"""Note that patterns such as `(a+)+$` or `(?:.{0,30}){0,33}b` are safe."""


@dataclass(frozen=True, slots=True)
class PatternFault:
    """Fault of a pattern: first character (from 1), number of characters, reason, and remedy."""

    place: int
    length: int
    sentence: str
    remedy: str


def explain(source: str) -> PatternFault | None:
    """Return the fault of a pattern; None if it compiles."""
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
"""Constructs that RE2 lacks: prefix, meaning, remedy; longer prefixes first."""

_REASONS: tuple[tuple[str, str, str], ...] = (
    (
        "no argument for repetition",
        "“{0}” has nothing before it to repeat.",
        "Put a \\ before it if the sign is meant.",
    ),
    ("bad repetition", "“{0}” repeats what is repeated already.", "One of the signs is enough."),
    ("invalid repetition size", "“{0}” is no size: at most 1,000, the smaller number first.", "Use a smaller number."),
    ("invalid character class range", "“{0}” is no range or class.", "The first of a range comes before its last."),
    ("invalid escape", "“{0}” is no escape.", "Leave the \\ out, or double it if it is meant itself."),
    ("invalid named capture", "“{0}” is no name for a group.", "Write (?: instead; names are not used."),
    ("pattern too large", "The pattern is too large.", "Use smaller repetitions, or make two rules of it."),
)
"""Prefixes of RE2's reasons, with explanation and remedy; {0} is the quoted part."""


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
    """Return the fault of the first group that RE2 does not support."""
    for place in groups:
        for begin, does, remedy in _LACKING:
            if source.startswith(begin, place - 1):
                return PatternFault(place, len(begin), f"“{begin}” {does}, which RE2 does not do.", remedy)
    return None


@dataclass(slots=True)
class _Brackets:
    """Places, from 1, of the last unclosed bracket, of a stray one, and of all groups."""

    round: int | None
    square: int | None
    stray: int | None
    groups: list[int]


def _scan(source: str) -> _Brackets:
    """Scan the brackets of a pattern, except escaped ones and those in classes."""
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
    """Return the end of the class that begins at `start`, None if unclosed.

    A leading “]” is literal.
    """
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
# Faults of rules, and their place in the pattern


def pattern_fault(source: str) -> str | None:
    """Return RE2's reason with the place, from 1, as a sentence; None if the pattern compiles."""
    try:
        Pattern(source)
    except PatternError as error:
        place = error.place
        return str(error) if place is None else f"{str(error).rstrip('.')} (at character {place})."
    return None


def rule_fault(rule: Rule) -> str | None:
    """Return the fault of the rule's pattern or of its `unless` pattern."""
    if not rule.pattern.strip():
        return "The pattern is empty, so it would be found everywhere and nowhere."
    return pattern_fault(rule.pattern) or (None if rule.unless is None else pattern_fault(rule.unless))
