"""What comes into the library from files, and what goes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from app.detect.pattern_advice import rule_fault
from app.domain.case import Case
from app.domain.intent import Rule
from app.domain.journal import Deed
from app.domain.library import Line, Memory, Power, Problem
from app.ports.store import Change, Taught

GIVING_WAY_EVERY = 32
"""After so many lines a key that is being answered goes first."""

SHOWN_PROBLEMS = 20
"""So many problems are told one by one; the rest are counted."""

SHOWN_NAMES, LONGEST_NAME = 10, 80
"""So many powers without words are named, each by so many characters."""

WORDLESS = "no words to be found by yet but the name; start them and take their tools over, or add keywords."

Content = TypeVar("Content", Memory, Power, Rule, Case)


@dataclass(frozen=True, slots=True)
class Intake:
    """What an import did: the kind in words, what changed, and the lines that were left out.

    `notes` are of lines that were taken but for a part of them; `wordless` are the powers that no query can find yet.
    """

    kind: str
    change: Change
    problems: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()
    wordless: tuple[str, ...] = ()

    @property
    def taken(self) -> int:
        return len(self.change.added) + len(self.change.updated) + self.change.unchanged

    def document(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "added": len(self.change.added),
            "updated": len(self.change.updated),
            "unchanged": self.change.unchanged,
            "problems": [{"line": problem.line, "problem": problem.sentence} for problem in self.problems],
            "notes": [{"line": note.line, "note": note.sentence} for note in self.notes],
            "no_words": list(self.wordless),
        }

    def text(self) -> str:
        """A summary, then the problems by line."""
        change = self.change
        counts = f"{len(change.added):,} added, {len(change.updated):,} updated, {change.unchanged:,} unchanged"
        lines = [f"{self.kind}: {counts}."]
        lines += [f"line {problem.line:,}: {problem.sentence}" for problem in self.problems[:SHOWN_PROBLEMS]]
        if len(self.problems) > SHOWN_PROBLEMS:
            lines.append(f"and {len(self.problems) - SHOWN_PROBLEMS:,} more lines with problems")
        return "\n".join([*lines, *self.remarks()])

    def remarks(self) -> list[str]:
        """What a person should know of what was taken, one line each."""
        lines = [f"note on line {note.line:,}: {note.sentence}" for note in self.notes[:SHOWN_PROBLEMS]]
        if len(self.notes) > SHOWN_PROBLEMS:
            lines.append(f"and {len(self.notes) - SHOWN_PROBLEMS:,} more lines with notes")
        if self.wordless:
            named = ", ".join(" ".join(name.split())[:LONGEST_NAME] for name in self.wordless[:SHOWN_NAMES])
            more = f" and {len(self.wordless) - SHOWN_NAMES:,} more" if len(self.wordless) > SHOWN_NAMES else ""
            lines.append(f"{named}{more}: {WORDLESS}")
        return lines


class StoppedError(Exception):
    """A person does not want the rest of an import; what was written of it is taken back with its transaction."""


@dataclass
class Sieve:
    """Lets the good lines of a file through one by one, and keeps the problems; a rule must compile to be good.

    `notes` are of lines that were let through. `read` counts the lines so far. `stopped` may be set from another
    thread; then the next line is StoppedError.
    `yield_to_typing` is called now and then, and may take its time.
    """

    lines: Iterable[Line[Any] | Problem]
    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    wordless: set[str] = field(default_factory=set)
    yield_to_typing: Callable[[], object] = lambda: None
    read: int = 0
    stopped: bool = False

    def __iter__(self) -> Iterator[Any]:
        for line in self.lines:
            self.read += 1
            if self.stopped:
                raise StoppedError
            if self.read % GIVING_WAY_EVERY == 0:
                self.yield_to_typing()
            if isinstance(line, Problem):
                self.problems.append(line)
            elif isinstance(line.value, Rule) and (fault := rule_fault(line.value)):
                self.problems.append(Problem(line.number, fault))
            else:
                self._remark(line)
                yield line.value

    def _remark(self, line: Line[Any]) -> None:
        if line.note:
            self.notes.append(Problem(line.number, line.note))
        if isinstance(line.value, Power) and _is_wordless(line.value):
            self.wordless.add(line.value.name)


def _is_wordless(power: Power) -> bool:
    return not (power.description or power.keywords or power.tools or power.examples)


ADDERS: dict[str, Callable[[Taught, Iterable[Any], Deed], Change]] = {
    "memories": lambda library, found, deed: library.add_memories(found, deed),
    "powers": lambda library, found, deed: library.add_powers(found, deed),
    "rules": lambda library, found, deed: library.put_rules(found, deed),
    "cases": lambda library, found, deed: library.add_cases(found, deed),
}
"""How each kind is stored, by the words of `--kind`."""

GIVERS: dict[str, Callable[[Taught], Sequence[Any]]] = {
    "memories": lambda library: library.memories(),
    "powers": lambda library: library.powers(),
    "rules": lambda library: library.rules(),
    "cases": lambda library: library.cases(),
}
"""How each kind is read back, in the order in which it was stored."""


def take_in(library: Taught, kind: str, sieve: Sieve, source: str = "a file") -> Intake:
    """Store the good lines in one transaction, as one step that can be undone; the others are told by number.

    `source` names the file in the journal and in what is new. May block and raise KnownError, or StoppedError.
    """
    change = ADDERS[kind](library, sieve, Deed("imported", source=source))
    # A power that was there before keeps words that the file does not hold.
    stored = library.powers() if sieve.wordless else ()
    wordless = tuple(one.name for one in stored if one.name in sieve.wordless and _is_wordless(one))
    return Intake(kind, change, tuple(sieve.problems), tuple(sieve.notes), wordless)
