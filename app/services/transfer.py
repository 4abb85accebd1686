"""What comes into the library from files, and what goes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from app.detect.pattern_faults import rule_fault
from app.domain.case import Case
from app.domain.journal import Deed
from app.domain.library import Memory, Power
from app.domain.rule import Rule
from app.ports import Change, Library, Line, Problem

GIVING_WAY_EVERY = 32
"""After so many lines a key that is being answered goes first."""

TOLD_PROBLEMS = 20
"""So many problems are told one by one; the rest are counted."""

Content = TypeVar("Content", Memory, Power, Rule, Case)


@dataclass(frozen=True, slots=True)
class Intake:
    """What an import did: the kind in words, what changed, and the lines that were left out."""

    kind: str
    change: Change
    problems: tuple[Problem, ...] = ()

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
        }

    def text(self) -> str:
        """A summary, then the problems by line."""
        change = self.change
        counts = f"{len(change.added):,} added, {len(change.updated):,} updated, {change.unchanged:,} unchanged"
        lines = [f"{self.kind}: {counts}."]
        lines += [f"line {problem.line:,}: {problem.sentence}" for problem in self.problems[:TOLD_PROBLEMS]]
        if len(self.problems) > TOLD_PROBLEMS:
            lines.append(f"and {len(self.problems) - TOLD_PROBLEMS:,} more lines with problems")
        return "\n".join(lines)


class StoppedError(Exception):
    """A person does not want the rest of an import; what was written of it is taken back with its transaction."""


@dataclass
class Sieve:
    """Lets the good lines of a file through one by one, and keeps the problems; a rule must compile to be good.

    `read` counts the lines so far. `stopped` may be set from another thread; then the next line is StoppedError.
    `give_way` is called now and then, and may take its time.
    """

    lines: Iterable[Line[Any] | Problem]
    problems: list[Problem] = field(default_factory=list)
    give_way: Callable[[], object] = lambda: None
    read: int = 0
    stopped: bool = False

    def __iter__(self) -> Iterator[Any]:
        for line in self.lines:
            self.read += 1
            if self.stopped:
                raise StoppedError
            if self.read % GIVING_WAY_EVERY == 0:
                self.give_way()
            if isinstance(line, Problem):
                self.problems.append(line)
            elif isinstance(line.value, Rule) and (fault := rule_fault(line.value)):
                self.problems.append(Problem(line.number, fault))
            else:
                yield line.value


ADDERS: dict[str, Callable[[Library, Iterable[Any], Deed], Change]] = {
    "memories": lambda library, found, deed: library.add_memories(found, deed),
    "powers": lambda library, found, deed: library.add_powers(found, deed),
    "rules": lambda library, found, deed: library.put_rules(found, deed),
    "cases": lambda library, found, deed: library.add_cases(found, deed),
}
"""How each kind is stored, by the words of `--kind`."""

GIVERS: dict[str, Callable[[Library], Sequence[Any]]] = {
    "memories": lambda library: library.memories(),
    "powers": lambda library: library.powers(),
    "rules": lambda library: library.rules(),
    "cases": lambda library: library.cases(),
}
"""How each kind is read back, in the order in which it was stored."""


def take_in(library: Library, kind: str, sieve: Sieve, source: str = "a file") -> Intake:
    """Store the good lines in one transaction, as one step that can be undone; the others are told by number.

    `source` names the file in the journal and in what is new. May block and raise KnownError, or StoppedError.
    """
    change = ADDERS[kind](library, sieve, Deed("imported", source=source))
    return Intake(kind, change, tuple(sieve.problems))
