"""Import and export: files previewed, validated by line, stored as one step, scored; export."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from enum import StrEnum
from operator import methodcaller
from pathlib import Path, PurePath
from typing import Any

from app.detect.patterns import rule_fault
from app.detect.surfacing import is_silent
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.filters import MemoryFilter
from app.domain.intent import TYPE_NAMES, Rule
from app.domain.journal import BY_PLURAL, Edit, Item, name_of
from app.domain.language import plural
from app.domain.library import Line, Memory, Power, Problem
from app.domain.match import without_hidden
from app.domain.references import without_places
from app.files import why_unwritten
from app.ports.store import Memories, TaughtItems, WriteResult
from app.services.core import Core
from app.services.engine.adapters import Adapters, ColumnMapping, TableHead
from app.services.engine.encoder_loader import EncoderLoader
from app.services.engine.index_loader import IndexLoader
from app.services.engine.typing_priority import without_gc
from app.settings.refusals import has_password, passes_secret

GIVING_WAY_EVERY = 32
"""Number of lines between yields to typing."""

SHOWN_PROBLEMS = 20
"""Maximum number of listed problems; others are counted."""

SHOWN_NAMES, LONGEST_NAME = 10, 80
"""Limits of listed powers without words, and of characters of their names."""

WORDLESS = "found by name only. Start {}, or add keywords."

TAKEN_AS_INTENT = "an intent and a type; the case is taken to expect the intent. For the type, add the task “type”."

SILENT = "no response: the intent is found, but nothing is injected."

SHOWN_SECRET = "its address or arguments contain a password or key, as do exports. Use a header or variable."


@dataclass(frozen=True, slots=True)
class ImportResult:
    """Result of an import: kind, changes, and skipped lines.

    `notes` are on partly stored lines; `wordless` are powers that queries cannot find, and `silent` counts memories
    without a response; `fields` maps the file's headings to fields, "" for ignored ones.
    """

    kind: str
    change: WriteResult
    problems: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()
    wordless: tuple[str, ...] = ()
    silent: int = 0
    fields: Mapping[str, str] = field(default_factory=dict)

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
        """Return a summary, then the problems by line."""
        change = self.change
        counts = f"{len(change.added):,} added, {len(change.updated):,} updated, {change.unchanged:,} unchanged"
        lines = [f"{self.kind}: {counts}."]
        lines += [f"line {problem.line:,}: {problem.sentence}" for problem in self.problems[:SHOWN_PROBLEMS]]
        if len(self.problems) > SHOWN_PROBLEMS:
            lines.append(f"and {len(self.problems) - SHOWN_PROBLEMS:,} more lines with problems")
        return "\n".join([*lines, *self.remarks()])

    def remarks(self, notes: int = SHOWN_PROBLEMS, names: int = SHOWN_NAMES) -> list[str]:
        """Return the notes and the powers without words, one line each, with at most so many of each."""
        lines = [f"note on line {note.line:,}: {note.sentence}" for note in self.notes[:notes]]
        if (left := len(self.notes) - notes) > 0:
            lines.append(plural(left, "{n} more note.", "{n} more notes."))
        if self.wordless:
            named = ", ".join(" ".join(name.split())[:LONGEST_NAME] for name in self.wordless[:names])
            more = f" and {len(self.wordless) - names:,} more" if len(self.wordless) > names else ""
            lines.append(f"{named}{more}: {WORDLESS.format('it' if len(self.wordless) == 1 else 'each')}")
        if self.silent:
            lines.append(f"{plural(self.silent, '1 memory has', '{n} memories have')} {SILENT}")
        return lines


class ImportCancelledError(Exception):
    """The import was cancelled; its transaction is rolled back."""


@dataclass
class ImportValidator:
    """Iterates the valid lines of a file, and collects problems; rules must compile.

    `notes` are on valid lines. `read` counts the lines so far. `stopped` may be set from another thread; the next line
    then raises ImportCancelledError. `yield_to_typing` is called periodically, and may block. `labels` are intents with
    names of types; cases without a task expect these. `seen` has the last line of each item by its unique fields.
    """

    lines: Iterable[Line[Any] | Problem]
    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    wordless: set[str] = field(default_factory=set)
    seen: dict[Hashable, Line[Any]] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    yield_to_typing: Callable[[], object] = lambda: None
    read: int = 0
    stopped: bool = False

    def __iter__(self) -> Iterator[Any]:
        for line in self.lines:
            self.read += 1
            if self.stopped:
                raise ImportCancelledError
            if self.read % GIVING_WAY_EVERY == 0:
                self.yield_to_typing()
            if isinstance(line, Problem):
                self.problems.append(line)
            elif isinstance(line.value, Rule) and (fault := rule_fault(line.value)):
                self.problems.append(Problem(line.number, fault))
            else:
                value = self._joined(line.number, self._meant(_visible(line.value)))
                self._note(line, value)
                for name, field_ in line.fields:
                    self.fields[name] = self.fields.get(name) or field_
                yield value

    def _meant(self, item: Any) -> Any:
        """Return an item; a case of assumed types whose names are intents is a case of intents."""
        if isinstance(item, Memory) and item.intent in TYPE_NAMES:
            self.labels.add(item.intent)
        is_of_intents = isinstance(item, Case) and item.is_assumed and self.labels.issuperset(item.expected)
        return replace(item, task=Task.INTENT) if is_of_intents else item

    def _joined(self, number: int, item: Any) -> Any:
        """Return an item with the triggers of its earlier lines; note an earlier line it replaces."""
        old = self.seen.get(key := natural_key(item))
        if old and isinstance(item, Memory) and (old.value.intent, old.value.response) == (item.intent, item.response):
            item = replace(item, triggers=tuple(dict.fromkeys((*old.value.triggers, *item.triggers))))
        elif old and old.value != item:
            field_ = "name" if isinstance(item, Power) else "id" if getattr(item, "id", None) else "text"
            self.notes.append(Problem(number, f"It replaces line {old.number:,}, which has the same {field_}."))
        self.seen[key] = Line(number, item)
        return item

    def _note(self, line: Line[Any], value: Any) -> None:
        if line.note:
            self.notes.append(Problem(line.number, line.note))
        if isinstance(value, Case) and value.is_assumed and value.task is Task.INTENT:
            self.notes.append(Problem(line.number, f"“{value.expected[0]}” is {TAKEN_AS_INTENT}"))
        if isinstance(value, Memory) and (tag := value.unread_threshold):
            ignored = f"“{tag}” is no threshold from 0 to 1, so it counts for nothing."
            self.notes.append(Problem(line.number, ignored))
        if isinstance(value, Power):
            if value.has_name_only:
                self.wordless.add(value.name)
            texts = [without_places(text) for text in value.transport.args]
            if has_password(without_places(value.transport.url or "")) or passes_secret(texts):
                self.notes.append(Problem(line.number, f"{value.name}: {SHOWN_SECRET}"))


def type_labels(library: Memories) -> set[str]:
    """Return the names of types that are intents of the library, too."""
    return {name for name in TYPE_NAMES if library.find_memories(MemoryFilter(label=name))}


def natural_key(item: Item) -> Hashable:
    """Return the fields by which the store matches an item with a stored one."""
    match item:
        case Memory():
            return item.id if item.id is not None else (item.intent, item.triggers[0])
        case Case():
            return item.task.value, item.text
    return name_of(item)


def _visible(item: Any) -> Any:
    """Return an item without invisible characters in its label or name."""
    match item:
        case Memory(intent=str(label)) if (bare := without_hidden(label)) != label:
            return replace(item, intent=bare or None)
        case Power(name=name) if (bare := without_hidden(name)) != name and bare:
            return replace(item, name=bare)
        case Case(task=Task.INTENT, expected=labels):
            return replace(item, expected=tuple(dict.fromkeys(without_hidden(label) or label for label in labels)))
    return item


EXPORTERS: dict[str, Callable[[TaughtItems], Sequence[Any]]] = {kind: methodcaller(kind) for kind in BY_PLURAL}
"""Readers of each kind in order of storage, by the words of `--kind`, for an export."""


def store_lines(library: TaughtItems, kind: str, validator: ImportValidator, name: str = "a file") -> ImportResult:
    """Store the valid lines of one kind, like `store_sources`."""
    return store_sources(library, [(kind, validator)], name)[0]


def store_sources(
    library: TaughtItems, sources: Sequence[tuple[str, ImportValidator]], name: str = "a file"
) -> list[ImportResult]:
    """Store the valid lines of sources with their kinds in one transaction, as one step.

    Invalid lines are reported by number. `name` is the file's name in the journal and in new items. May block and raise
    KnownError, or ImportCancelledError.
    """
    labels = type_labels(library)
    for _, validator in sources:
        validator.labels = labels
    changes = library.add_kinds(sources, Edit("imported", source=name))
    # An existing power keeps words that the file lacks.
    stored = library.powers() if any(validator.wordless for _, validator in sources) else []
    return [
        ImportResult(
            kind,
            change,
            tuple(validator.problems),
            tuple(validator.notes),
            tuple(one.name for one in stored if one.name in validator.wordless and one.has_name_only),
            sum(isinstance(line.value, Memory) and is_silent(line.value) for line in validator.seen.values()),
            validator.fields,
        )
        for (kind, validator), change in zip(sources, changes, strict=True)
    ]


# ---- Detection of evaluation data, which text and label alone do not show.


TEST_WORDS = frozenset(
    ("case", "cases", "dev", "eval", "evaluate", "evaluation", "gold", "held", "heldout", "holdout", "queries", "query",
     "test", "testing", "tests", "valid", "validation")
)  # fmt: skip
"""Words in file names of evaluation data."""

SUSPICIOUS_SHARE = 0.1
"""Share of cases among the texts from which the others may be evaluation data, too."""

COMPARED_TEXTS = 2_000
"""Maximum number of a file's texts compared with the cases."""


@dataclass(frozen=True, slots=True)
class EvaluationDataHint:
    """Hints of evaluation data in an import: a word in its name, and cases among `of` texts."""

    word: str = ""
    cases: int = 0
    of: int = 0

    @property
    def are_cases(self) -> bool:
        """True if the share of cases alone suggests it."""
        return self.of > 0 and self.cases >= max(1, SUSPICIOUS_SHARE * self.of)

    def __bool__(self) -> bool:
        return bool(self.word) or self.are_cases


def evaluation_word(name: str) -> str:
    """Return the word in a file name that suggests evaluation data; "" for none."""
    words = re.split(r"[^a-z]+", PurePath(name).stem.lower())
    return next((word for word in words if word in TEST_WORDS), "")


def suspicion(name: str, texts: Sequence[str], cases: frozenset[str]) -> EvaluationDataHint:
    """Return the hints by a file's name, and by cases among its first texts."""
    seen = list(dict.fromkeys(texts))[:COMPARED_TEXTS]
    return EvaluationDataHint(evaluation_word(name), sum(text in cases for text in seen), len(seen))


# ---- Stages of an import: preview, storing as one step, scoring, vectors.


SHOWN = 5
"""Number of valid lines in a preview."""

PROGRESS_SECONDS = 0.1


class ImportStage(StrEnum):
    STORING = "storing"
    ANSWERING = "answering"


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """Progress of an import: lines stored, then answers scored; `total` is 0 if unknown."""

    stage: ImportStage
    done: int
    total: int = 0


@dataclass(frozen=True, slots=True)
class ImportFinished:
    """End of an import; the result is None if it was cancelled before anything was stored."""

    result: ImportResult | None
    others: tuple[ImportResult, ...] = ()
    """Results of the other kinds of an import."""


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """Preview of a file: kind as in `--kind`, number of valid lines, first lines, problems."""

    path: Path
    kind: str
    count: int
    first: tuple[Any, ...]
    problems: tuple[Problem, ...]
    columns: Mapping[str, str] | None = None
    """Explicit field of each heading of a table ("": none), stored on import."""
    suspicion: EvaluationDataHint = field(default_factory=EvaluationDataHint)
    """Hints that its memories may be evaluation data."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Field of each name or heading in the file, "" for ignored ones."""


class Importer:
    """`workbench.importer`: one import at a time, others wait."""

    def __init__(self, core: Core, adapters: Adapters, index_loader: IndexLoader, loader: EncoderLoader) -> None:
        self._core = core
        self._adapters = adapters
        self._index_loader = index_loader
        self._encoder_loader = loader
        self._validators: Sequence[ImportValidator] = ()
        self._vectors_later = False

    async def table_head(self, path: Path) -> tuple[TableHead, ColumnMapping] | None:
        """Return head and column mapping of a table: as before, or by heading names.

        None for other files; raises KnownError if unreadable.
        """
        if (head := await asyncio.to_thread(self._adapters.read_table, path)) is None:
            return None
        kept = await asyncio.to_thread(self._adapters.mappings.get, head.headings)
        kind = head.kind or "memories"
        return head, kept or ColumnMapping(kind, dict(zip(head.headings, head.meant[kind], strict=True)))

    async def preview(self, path: Path, kind: str = "auto", columns: Mapping[str, str] | None = None) -> ImportPreview:
        """Read a file without storing anything; raises KnownError if unreadable."""
        labels = await self._core.in_store(type_labels)
        preview, texts = await asyncio.to_thread(self._preview, path, kind, columns, labels)
        if not texts:
            return preview
        cases = await self._core.in_store(lambda library: library.cases_among(texts))
        return replace(preview, suspicion=suspicion(path.name, texts, cases))

    def _preview(
        self, path: Path, kind: str, columns: Mapping[str, str] | None, labels: set[str]
    ) -> tuple[ImportPreview, list[str]]:
        """Return the content of a file, and the first texts of its memories."""
        known, lines = self._adapters.read_file(path, kind, None, "auto", columns)
        first: list[Any] = []
        texts: list[str] = []
        count = 0
        give_way = self._index_loader.typing_priority.yield_to_typing
        validator = ImportValidator(lines, labels=labels, yield_to_typing=give_way)
        for value in validator:
            count += 1
            if count <= SHOWN:
                first.append(value)
            if isinstance(value, Memory) and len(texts) < COMPARED_TEXTS:
                texts.append(value.triggers[0])
        problems, fields = tuple(validator.problems), validator.fields
        return ImportPreview(path, known, count, tuple(first), problems, columns, fields=fields), texts

    async def import_file(self, preview: ImportPreview) -> AsyncGenerator[ImportProgress | ImportFinished, None]:
        """Import a previewed file like `import_sources`; raises KnownError if unreadable now."""
        path, columns = preview.path, preview.columns
        if columns is not None:
            await asyncio.to_thread(self._adapters.mappings.put, tuple(columns), ColumnMapping(preview.kind, columns))
        source = await asyncio.to_thread(self._adapters.read_file, path, preview.kind, None, "auto", columns)
        total = preview.count + len(preview.problems)
        async with aclosing(self.import_sources([source], path.name, total)) as steps:
            async for step in steps:
                yield step

    async def import_sources(
        self, sources: Iterable[tuple[str, Iterable[Line[Any] | Problem]]], name: str, total: int = 0
    ) -> AsyncGenerator[ImportProgress | ImportFinished, None]:
        """Store the valid lines of at least one kind as one step, then score them.

        Yields progress, ImportFinished last. Raises KnownError if a file or the store refuses; then nothing changes.
        Only the program's exit closes it early.
        """
        self._vectors_later = False
        async with self._core.writing:
            give_way = self._index_loader.typing_priority.yield_to_typing
            checked = [(kind, ImportValidator(lines, yield_to_typing=give_way)) for kind, lines in sources]
            validators = self._validators = [validator for _, validator in checked]
            storing = asyncio.ensure_future(self._core.in_store(lambda library: store_sources(library, checked, name)))
            # Closing the program may cancel the wait, too: the result is then not retrieved.
            storing.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            try:
                with without_gc(total):
                    while not storing.done():
                        yield ImportProgress(ImportStage.STORING, sum(one.read for one in validators), total)
                        await asyncio.wait({storing}, timeout=PROGRESS_SECONDS)
            finally:
                for validator in validators:
                    validator.stopped = True
                self._validators = ()
                await asyncio.wait({storing})
                stopped = isinstance(storing.exception(), ImportCancelledError)
            if stopped:
                yield ImportFinished(None)
                return
            results = storing.result()
            for result in results:
                async for progress in self._score_new(result):
                    yield progress
            if await self._index_loader.is_behind():  # another program wrote meanwhile
                await self._index_loader.load()
        if self._vectors_later:
            self._encoder_loader.rest()
        await self._core.library_changed()
        yield ImportFinished(results[0], tuple(results[1:]))

    async def _score_new(self, result: ImportResult) -> AsyncGenerator[ImportProgress, None]:
        """Load stored items into the index, yielding the progress."""
        keys = (*result.change.added, *result.change.updated)
        news: asyncio.Queue[ImportProgress] = asyncio.Queue()
        following = asyncio.ensure_future(
            self._index_loader.apply_import(
                result.kind, keys, lambda *far: news.put_nowait(ImportProgress(ImportStage.ANSWERING, *far))
            )
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
        """Cancel an import that is not stored yet; of a stored one, postpone the vectors."""
        for validator in self._validators:
            validator.stopped = True
        if not self._validators:
            self._vectors_later = True
            self._encoder_loader.rest()

    async def export(self, kind: str, path: Path) -> int:
        """Write all items of a kind to a file; return their number. Raises KnownError."""
        things = await self._core.in_store(EXPORTERS[kind])
        try:
            return await asyncio.to_thread(self._adapters.write_file, path, things)
        except OSError as error:
            why = why_unwritten(error)
            raise KnownError(f"{path.name} was not written: {why}. Choose another place.") from error
