"""What comes into the library from files, and what goes out: looked at, stored as one step, given its vectors."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path, PurePath
from typing import Any

from app.detect.patterns import rule_fault
from app.domain.errors import KnownError
from app.domain.intent import Rule
from app.domain.journal import Edit
from app.domain.language import say, thousands
from app.domain.library import Line, Memory, Power, Problem, Transport
from app.ports.store import Change, TaughtItems
from app.services.core import Core
from app.services.engine.adapters import Adapters, Mapped, TableHead
from app.services.engine.encoder_lane import EncoderLane
from app.services.engine.index_loader import IndexLoader
from app.services.engine.typing_priority import making_many
from app.settings.refusals import has_password, passes_secret

GIVING_WAY_EVERY = 32
"""After so many lines a key that is being answered goes first."""

SHOWN_PROBLEMS = 20
"""So many problems are told one by one; the rest are counted."""

SHOWN_NAMES, LONGEST_NAME = 10, 80
"""So many powers without words are named, each by so many characters."""

WORDLESS = say("no words to be found by yet but the name; start them and take their tools over, or add keywords.")

SHOWN_SECRET = say(
    "a password or key stands in its address or arguments, where everybody reads it who gets the library or an export "
    "of it: give it as a header or variable, whose values stay on this machine."
)


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
        counts = say(
            "{count} added, {count_2} updated, {unchanged} unchanged",
            count=thousands(len(change.added)),
            count_2=thousands(len(change.updated)),
            unchanged=thousands(change.unchanged),
        )
        lines = [f"{self.kind}: {counts}."]
        lines += [
            say("line {line}: {problem}", line=thousands(problem.line), problem=problem.sentence)
            for problem in self.problems[:SHOWN_PROBLEMS]
        ]
        if len(self.problems) > SHOWN_PROBLEMS:
            lines.append(
                say("and {count} more lines with problems", count=thousands(len(self.problems) - SHOWN_PROBLEMS))
            )
        return "\n".join([*lines, *self.remarks()])

    def remarks(self) -> list[str]:
        """What a person should know of what was taken, one line each."""
        lines = [
            say("note on line {line}: {note}", line=thousands(note.line), note=note.sentence)
            for note in self.notes[:SHOWN_PROBLEMS]
        ]
        if len(self.notes) > SHOWN_PROBLEMS:
            lines.append(say("and {count} more lines with notes", count=thousands(len(self.notes) - SHOWN_PROBLEMS)))
        if self.wordless:
            named = ", ".join(" ".join(name.split())[:LONGEST_NAME] for name in self.wordless[:SHOWN_NAMES])
            more = (
                say(" and {count} more", count=thousands(len(self.wordless) - SHOWN_NAMES))
                if len(self.wordless) > SHOWN_NAMES
                else ""
            )
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
        if isinstance(line.value, Memory) and (tag := line.value.unread_threshold):
            ignored = say("“{tag}” is no threshold from 0 to 1, so it counts for nothing.", tag=tag)
            self.notes.append(Problem(line.number, ignored))
        if isinstance(line.value, Power):
            if _is_wordless(line.value):
                self.wordless.add(line.value.name)
            if _shows_secret(line.value.transport):
                self.notes.append(Problem(line.number, say("{name}: {why}", name=line.value.name, why=SHOWN_SECRET)))


def _shows_secret(transport: Transport) -> bool:
    return has_password(transport.url or "") or passes_secret(transport.args)


def _is_wordless(power: Power) -> bool:
    return not (power.description or power.keywords or power.tools or power.examples)


ADDERS: dict[str, Callable[[TaughtItems, Iterable[Any], Edit], Change]] = {
    "memories": lambda library, found, edit: library.add_memories(found, edit),
    "powers": lambda library, found, edit: library.add_powers(found, edit),
    "rules": lambda library, found, edit: library.put_rules(found, edit),
    "cases": lambda library, found, edit: library.add_cases(found, edit),
}
"""How each kind is stored, by the words of `--kind`."""

GIVERS: dict[str, Callable[[TaughtItems], Sequence[Any]]] = {
    "memories": lambda library: library.memories(),
    "powers": lambda library: library.powers(),
    "rules": lambda library: library.rules(),
    "cases": lambda library: library.cases(),
}
"""How each kind is read back, in the order in which it was stored."""


def take_in(library: TaughtItems, kind: str, sieve: Sieve, source: str = "a file") -> Intake:
    """Store the good lines in one transaction, as one step that can be undone; the others are told by number.

    `source` names the file in the journal and in what is new. May block and raise KnownError, or StoppedError.
    """
    change = ADDERS[kind](library, sieve, Edit("imported", source=source))
    # A power that was there before keeps words that the file does not hold.
    stored = library.powers() if sieve.wordless else ()
    wordless = tuple(one.name for one in stored if one.name in sieve.wordless and _is_wordless(one))
    return Intake(kind, change, tuple(sieve.problems), tuple(sieve.notes), wordless)


# ---- Whether the lines of a file are a test: text and label alone do not tell what teaches from what it is judged
# by.


TEST_WORDS = frozenset(
    ("case", "cases", "dev", "eval", "evaluate", "evaluation", "gold", "held", "heldout", "holdout", "queries", "query",
     "test", "testing", "tests", "valid", "validation")
)  # fmt: skip
"""Words of file names that people give to what they judge by."""

MANY = 0.1
"""From this share of texts on that are cases already, the others may be a test, too."""

LOOKED_AT = 2_000
"""So many texts of a file are compared with the cases."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Why what would be taught may be a test: a word of the file's name, and how many of so many texts are cases."""

    word: str = ""
    cases: int = 0
    of: int = 0

    @property
    def are_cases(self) -> bool:
        """Whether so many are cases that this alone suggests it."""
        return self.of > 0 and self.cases >= max(1, MANY * self.of)

    def __bool__(self) -> bool:
        return bool(self.word) or self.are_cases


def word_of_tests(name: str) -> str:
    """The word of a file's name that suggests a test; "" for none."""
    words = re.split(r"[^a-z]+", PurePath(name).stem.lower())
    return next((word for word in words if word in TEST_WORDS), "")


def suspicion(name: str, texts: Sequence[str], cases: frozenset[str]) -> Suspicion:
    """What a file's name and its first texts suggest, beside those of them that are cases."""
    seen = list(dict.fromkeys(texts))[:LOOKED_AT]
    return Suspicion(word_of_tests(name), sum(text in cases for text in seen), len(seen))


# ---- A file on its way into the library: looked at, stored as one step, answered with, and given its vectors.


SHOWN = 5
"""So many good lines of a file are shown before it is stored."""

PROGRESS_SECONDS = 0.1


class Stage(StrEnum):
    """What is done with a file, in this order."""

    STORING = "storing"
    ANSWERING = "answering"


@dataclass(frozen=True, slots=True)
class Taking:
    """How far an import is: lines stored, then answers that are scored; `total` is 0 where it is not known."""

    stage: Stage
    done: int
    total: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """How an import ended: what it did, or None if it was stopped before anything was kept."""

    intake: Intake | None


@dataclass(frozen=True, slots=True)
class Looked:
    """What a file holds: a kind in the words of `--kind`, how many good lines, the first, and what others lack."""

    path: Path
    kind: str
    count: int
    first: tuple[Any, ...]
    problems: tuple[Problem, ...]
    columns: Mapping[str, str] | None = None
    """The field of each heading of a table ("" for none), where that was said; it is remembered on import."""
    suspicion: Suspicion = field(default_factory=Suspicion)
    """Why memories among them may be queries to judge by."""


class Importer:
    """The verbs of one person; one import runs at a time, the next waits for it."""

    def __init__(self, core: Core, adapters: Adapters, index_loader: IndexLoader, lane: EncoderLane) -> None:
        self._core = core
        self._adapters = adapters
        self._index_loader = index_loader
        self._lane = lane
        self._sieve: Sieve | None = None
        self._vectors_later = False

    async def head(self, path: Path) -> tuple[TableHead, Mapped] | None:
        """Headings and first rows of a table, and how its columns are mapped: as before, or by their names.

        None for a file that is no table; KnownError where it cannot be read.
        """
        return await asyncio.to_thread(self._head, path)

    def _head(self, path: Path) -> tuple[TableHead, Mapped] | None:
        head = self._adapters.read_table(path)
        if head is None:
            return None
        kept = None if self._adapters.mappings is None else self._adapters.mappings.get(head.headings)
        kind = head.kind or "memories"
        return head, kept or Mapped(kind, dict(zip(head.headings, head.meant[kind], strict=True)))

    async def look(self, path: Path, kind: str = "auto", columns: Mapping[str, str] | None = None) -> Looked:
        """Read a file without storing anything; KnownError where it cannot be read."""
        looked, texts = await asyncio.to_thread(self._look, path, kind, columns)
        if not texts:
            return looked
        cases = await self._core.in_store(lambda library: library.cases_among(texts))
        return replace(looked, suspicion=suspicion(path.name, texts, cases))

    def _read(
        self, path: Path, kind: str, columns: Mapping[str, str] | None
    ) -> tuple[str, Iterable[Line[Any] | Problem]]:
        if columns is None:
            return self._adapters.read_file(path, kind, None)
        return self._adapters.read_file(path, kind, None, "auto", columns)

    def _look(self, path: Path, kind: str, columns: Mapping[str, str] | None) -> tuple[Looked, list[str]]:
        """What the file holds, and the first texts of the memories among it."""
        known, lines = self._read(path, kind, columns)
        first: list[Any] = []
        texts: list[str] = []
        count = 0
        sieve = Sieve(lines, yield_to_typing=self._index_loader.typing_priority.yield_to_typing)
        for value in sieve:
            count += 1
            if count <= SHOWN:
                first.append(value)
            if isinstance(value, Memory) and len(texts) < LOOKED_AT:
                texts.append(value.triggers[0])
        return Looked(path, known, count, tuple(first), tuple(sieve.problems), columns), texts

    async def take_in_file(self, looked: Looked) -> AsyncGenerator[Taking | Taken, None]:
        """Import what a file holds, as `take_in`; KnownError if it cannot be read any more."""
        if looked.columns is not None and self._adapters.mappings is not None:
            said = Mapped(looked.kind, looked.columns)
            await asyncio.to_thread(self._adapters.mappings.put, tuple(looked.columns), said)
        kind, lines = await asyncio.to_thread(self._read, looked.path, looked.kind, looked.columns)
        total = looked.count + len(looked.problems)
        async with aclosing(self.take_in(kind, lines, looked.path.name, total)) as steps:
            async for step in steps:
                yield step

    async def take_in(
        self, kind: str, lines: Iterable[Line[Any] | Problem], source: str, total: int = 0
    ) -> AsyncGenerator[Taking | Taken, None]:
        """Store the good lines as one step, then answer with them; how far that is, again and again, last what it did.

        KnownError if the file or the store refuses; then nothing is changed. Only the end of the program closes it
        early.
        """
        self._vectors_later = False
        async with self._core.writing:
            sieve = self._sieve = Sieve(lines, yield_to_typing=self._index_loader.typing_priority.yield_to_typing)
            storing = asyncio.ensure_future(self._core.in_store(lambda library: take_in(library, kind, sieve, source)))
            # Who closes the program may cancel the wait for it, too: then nobody asks how it ended.
            storing.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            try:
                with making_many(total):
                    while not storing.done():
                        yield Taking(Stage.STORING, sieve.read, total)
                        await asyncio.wait({storing}, timeout=PROGRESS_SECONDS)
            finally:
                sieve.stopped, self._sieve = True, None
                await asyncio.wait({storing})
                stopped = isinstance(storing.exception(), StoppedError)
            if stopped:
                yield Taken(None)
                return
            intake = storing.result()
            async for taking in self._answer_with(intake):
                yield taking
            if await self._index_loader.is_behind():  # another program wrote meanwhile
                await self._index_loader.load()
        if self._vectors_later:
            self._lane.rest()
        await self._core.library_changed()
        yield Taken(intake)

    async def _answer_with(self, intake: Intake) -> AsyncGenerator[Taking, None]:
        """Score with what was stored; the steps are told as they come."""
        keys = (*intake.change.added, *intake.change.updated)
        news: asyncio.Queue[Taking] = asyncio.Queue()
        following = asyncio.ensure_future(
            self._index_loader.follow(intake.kind, keys, lambda *far: news.put_nowait(Taking(Stage.ANSWERING, *far)))
        )
        try:
            while not following.done():
                await asyncio.wait({following}, timeout=PROGRESS_SECONDS)
                while not news.empty():
                    yield news.get_nowait()
        finally:
            await asyncio.wait({following})
        following.result()

    def stop(self) -> None:
        """Leave out an import that is not stored yet; of one that is, and where vectors are made, put those off."""
        if self._sieve is not None:
            self._sieve.stopped = True
        else:
            self._vectors_later = True
            self._lane.rest()

    async def give_out(self, kind: str, path: Path) -> int:
        """Write all things of a kind to a file; how many. KnownError where it cannot be written."""
        things = await self._core.in_store(GIVERS[kind])
        try:
            return await asyncio.to_thread(self._adapters.write_file, path, things)
        except OSError as error:
            why = error.strerror or error
            raise KnownError(
                say("{path} was not written: {why}. Choose another place.", path=path.name, why=why)
            ) from error
