"""Sync of the library with a folder under version control: compare, load, save, watch."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path
from typing import Protocol, TypeVar

from app.detect.patterns import rule_fault
from app.domain.case import Case
from app.domain.errors import KnownError, StoreError
from app.domain.intent import Rule
from app.domain.journal import Edit, Item, ItemKey, ItemKind, Written, kind_of, name_of
from app.domain.library import Memory, Power, Problem
from app.ports.folder import FileFault, FolderContent, LibraryFolders, LocatedItem, SyncState, SyncStates
from app.ports.store import Library
from app.services.core import Core
from app.services.engine.index_loader import damage_sentence
from app.services.engine.typing_priority import without_gc
from app.services.library.import_export import ImportCancelledError, natural_key
from app.services.library.journal import WINDOW, Journal
from app.services.status import FolderNews


class Side(StrEnum):
    """Side that changed an item since both were the same."""

    HERE = "here"
    THERE = "there"
    BOTH = "both"


class Winner(StrEnum):
    """Side of a conflict that wins."""

    MINE = "mine"
    THEIRS = "theirs"


class Throttle(Protocol):
    """Passes items on one by one, and may block during typing."""

    def __call__(self, things: Iterable[T], /) -> Iterable[T]: ...


@dataclass(frozen=True, slots=True)
class Difference:
    """Different item by unique `identity`: its state here and in the folder, None if absent."""

    identity: str
    side: Side
    here: Item | None
    there: LocatedItem | None

    @property
    def item(self) -> Item:
        """The folder's state if present, otherwise the library's."""
        item = self.there.item if self.there is not None else self.here
        assert item is not None, "a difference is of something"
        return item

    @property
    def kind(self) -> ItemKind:
        return kind_of(self.item)

    @property
    def name(self) -> str:
        return name_of(self.item)


@dataclass(frozen=True, slots=True)
class FolderDiff:
    """Differences of library and folder, in the folder's order, and the number of equal items."""

    differences: tuple[Difference, ...]
    same: int

    def of(self, side: Side) -> tuple[Difference, ...]:
        return tuple(one for one in self.differences if one.side is side)

    def taken(self, choices: Mapping[str, Winner]) -> Iterator[Difference]:
        """Yield the differences to load: changes in the folder only, and conflicts by choice."""
        for one in self.differences:
            if one.side is Side.THERE or (one.side is Side.BOTH and choices.get(one.identity) is Winner.THEIRS):
                yield one


def by_unique_identity(items: Iterable[Item]) -> dict[str, Item]:
    """Return items by identity; equal identities, as of memories without an ID, get a number."""
    found: dict[str, Item] = {}
    seen: Counter[str] = Counter()
    for item in items:
        known = identity_of(item)
        seen[known] += 1
        found[known if seen[known] == 1 else f"{known}#{seen[known]}"] = item
    return found


def identity_of(item: Item) -> str:
    """Return the natural key, such as a memory's ID or a case's task and text."""
    return f"{kind_of(item).value}:{_hash(natural_key(item))}"


def digest_of(item: Item) -> str:
    """Return the digest of an item's content, without keys, sources and approval."""
    return _hash(_content_of(item))


def _content_of(item: Item) -> tuple[object, ...]:
    match item:
        case Memory():
            texts: tuple[object, ...] = (item.triggers, item.response, item.intent, item.namespace, item.tags, item.id)
            # Unmarked items have the digest from before marks existed, so that they stay synced.
            lasting = (item.valid_from, item.valid_to, item.replaces)
            later = (item.right, *lasting) if any(lasting) else (item.right,) if item.right else ()
            return (*texts, float(item.success), item.usage, item.paused, *later)
        case Power():
            reached = item.transport
            how = (reached.command, reached.args, reached.env_lines, reached.url)
            tools = tuple((tool.name, tool.description) for tool in item.tools)
            return (item.name, item.description, item.keywords, item.steering, tools, item.examples, how, item.paused)
        case Rule():
            confidence = None if item.confidence is None else float(item.confidence)
            words = (item.id, item.label, item.pattern, item.pack, item.position, item.unless, item.purpose.value)
            return (*words, float(item.weight), confidence, item.enabled)
        case Case():
            return item.text, item.expected, item.unwanted, item.task.value


def _hash(said: object) -> str:
    return blake2b(repr(said).encode(), digest_size=10).hexdigest()


def compare(
    here: Mapping[str, Item], there: Mapping[str, LocatedItem], base: Mapping[str, str], throttled: Throttle = iter
) -> FolderDiff:
    """Return the differences by identity; `base` has the digests of the last common state."""
    differences: list[Difference] = []
    same = 0
    for identity in throttled(dict.fromkeys((*there, *here))):
        mine, theirs = here.get(identity), there.get(identity)
        my_digest = None if mine is None else digest_of(mine)
        their_digest = None if theirs is None else digest_of(theirs.item)
        if my_digest == their_digest:
            same += 1
            continue
        before = base.get(identity)
        side = Side.HERE if their_digest == before else Side.THERE if my_digest == before else Side.BOTH
        differences.append(Difference(identity, side, mine, theirs))
    return FolderDiff(tuple(differences), same)


def duplicate_names(things: Iterable[LocatedItem]) -> Iterator[tuple[LocatedItem, LocatedItem]]:
    """Yield items with a duplicate unique name, each with the first one."""
    first: dict[str, LocatedItem] = {}
    for placed in things:
        if isinstance(placed.item, Memory) and placed.item.id is None:
            continue
        before = first.setdefault(identity_of(placed.item), placed)
        if before is not placed:
            yield placed, before


def changes_to_apply(taken: Iterable[Difference]) -> tuple[list[Item], list[ItemKey]]:
    """Return the items to store and the keys to delete, so that the library equals the folder.

    A memory with only its first trigger or label changed is an edit: it keeps its history.
    """
    put: list[Item] = []
    gone: dict[ItemKey, Item] = {}
    for one in taken:
        if one.there is None:
            assert one.here is not None
            assert one.here.key is not None, "what is here is stored"
            gone[kind_of(one.here), one.here.key] = one.here
        else:
            put.append(one.there.item if one.here is None else _replacing(one.here, one.there.item))
    return _with_renamed(put, gone), list(gone)


def _replacing(stored: Item, newcomer: Item) -> Item:
    """Return the newcomer under the stored item's key, with fields that a folder lacks."""
    if isinstance(stored, Memory) and isinstance(newcomer, Memory):
        return replace(newcomer, key=stored.key, version=stored.version, source=stored.source)
    if isinstance(stored, Power) and isinstance(newcomer, Power):
        return replace(newcomer, key=stored.key, version=stored.version, approved=stored.approved)
    return replace(newcomer, key=stored.key, version=stored.version)


def _with_renamed(put: list[Item], gone: dict[ItemKey, Item]) -> list[Item]:
    leaving: defaultdict[object, list[Memory]] = defaultdict(list)
    for item in gone.values():
        if isinstance(item, Memory):
            for trait in _traits(item):
                leaving[trait].append(item)
    if not leaving:
        return put
    return [_renamed(item, leaving, gone) for item in put]


def _renamed(item: Item, leaving: Mapping[object, list[Memory]], gone: dict[ItemKey, Item]) -> Item:
    if not isinstance(item, Memory) or item.key is not None:
        return item
    for trait in _traits(item):
        for before in leaving.get(trait, ()):
            if before.key is not None and gone.pop((ItemKind.MEMORY, before.key), None) is not None:
                return _replacing(before, item)
    return item


def _traits(memory: Memory) -> Iterator[object]:
    """Yield traits that survive a changed label or first trigger; none that are too common."""
    yield "triggers", memory.triggers, memory.id
    if memory.response or len(memory.triggers) > 1:
        yield "rest", memory.triggers[1:], memory.response, memory.intent, memory.namespace, memory.tags, memory.id


GIVING_WAY_EVERY = 32
SHOWN_FAULTS = 3
"""Maximum number of faults named in a sentence; the window shows all."""

T = TypeVar("T")
ProgressCallback = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class FolderComparison:
    """Folder as read: its diff with the library, or the faults that prevent it."""

    folder: Path
    diff: FolderDiff
    faults: tuple[FileFault, ...]
    fingerprints: Mapping[str, str]
    digests: Mapping[str, str]
    """Digests of all items in the folder, by identity."""
    things: tuple[LocatedItem, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadResult:
    """Result of a load: what was stored (None: nothing), and the number of undecided conflicts."""

    written: Written | None
    left: int


@dataclass(frozen=True, slots=True)
class SaveResult:
    """Result of a save: number of items, and of changed files."""

    folder: Path
    things: int
    files: int


class LibraryFiles:
    """`workbench.files`: compare, load and save, one at a time; `stop` cancels before changes."""

    def __init__(self, core: Core, journal: Journal, folders: LibraryFolders, states: SyncStates) -> None:
        self._core = core
        self._journal = journal
        self.folders, self.states = folders, states
        self._turn = asyncio.Lock()
        self._stopped = False

    def stop(self) -> None:
        """Cancel a read or write before it changes anything."""
        self._stopped = True

    async def compare(self, folder: Path, progress: ProgressCallback = lambda _done, _total: None) -> FolderComparison:
        """Compare the library with a folder, without changes. Raises KnownError."""
        async with self._turn:
            self._stopped = False
            return await self._compare_library(folder, progress)

    async def import_all(self, folder: Path, kind: str | None = None) -> tuple[FolderComparison, LoadResult]:
        """Import a folder's items, or one kind, deleting nothing; raises KnownError as `load`."""
        found = restricted_to_kind(await self.compare(folder), kind)
        theirs = {one.identity: Winner.THEIRS for one in found.diff.of(Side.BOTH)}
        return found, await self.load(found, theirs, verb="imported")

    async def load(
        self, comparison: FolderComparison, choices: Mapping[str, Winner], *, verb: str = "took in"
    ) -> LoadResult:
        """Load changes in the folder only, and conflicts by choice, as one step.

        Raises KnownError if the folder is unreadable or has changed since, or if an item was changed meanwhile; then
        nothing changes.
        """
        async with self._turn:
            refuse_faults(comparison)
            if await asyncio.to_thread(self.folders.fingerprints, comparison.folder) != comparison.fingerprints:
                raise KnownError("The files have changed again since they were read: compare them once more.")
            put, gone = changes_to_apply(comparison.diff.taken(choices))
            written = None
            if put or gone:
                edit = Edit(verb, source=comparison.folder.name or WINDOW)
                with without_gc(len(put) + len(gone)):
                    written = await self._journal.do(edit, put, gone)
            left = [one for one in comparison.diff.of(Side.BOTH) if one.identity not in choices]
            base = await asyncio.to_thread(self.states.get, comparison.folder)
            digests = dict(comparison.digests)
            for one in left:  # as if both were unseen, so that they stay conflicts
                digests.pop(one.identity, None)
                if one.identity in base.digests:
                    digests[one.identity] = base.digests[one.identity]
            await asyncio.to_thread(self.states.put, comparison.folder, SyncState(digests, comparison.fingerprints))
            return LoadResult(written, len(left))

    async def save(self, folder: Path, progress: ProgressCallback = lambda _done, _total: None) -> SaveResult:
        """Write the library to a folder; raises KnownError if it contains changes not loaded yet."""
        async with self._turn:
            self._stopped = False
            comparison = await self._compare_library(folder, progress, may_be_new=True)
            refuse_faults(comparison)
            unseen = [*comparison.diff.of(Side.THERE), *comparison.diff.of(Side.BOTH)]
            if unseen:
                named = ", ".join(f"“{one.name}”" for one in unseen[:SHOWN_FAULTS])
                more = f" and {len(unseen) - SHOWN_FAULTS:,} more" if len(unseen) > SHOWN_FAULTS else ""
                raise KnownError(
                    f"{named}{more} changed in {folder} and not here, so nothing was saved: import "
                    "these changes first, then save again."
                )
            async with self._core.writing:
                items = await self._core.in_store(all_items)
            with without_gc(len(items)):
                return await asyncio.to_thread(self._save, folder, items, comparison.fingerprints, progress)

    def _save(
        self, folder: Path, items: list[Item], expected: Mapping[str, str], progress: ProgressCallback
    ) -> SaveResult:
        def report(done: int, _total: int) -> None:
            self._yield_to_typing()
            progress(done, len(items))

        files = self.folders.write(folder, self._throttled(items), expected, report)
        digests = {identity: digest_of(item) for identity, item in by_unique_identity(self._throttled(items)).items()}
        self.states.put(folder, SyncState(digests, self.folders.fingerprints(folder)))
        return SaveResult(folder, len(items), files)

    async def _compare_library(
        self, folder: Path, progress: ProgressCallback, *, may_be_new: bool = False
    ) -> FolderComparison:
        async with self._core.writing:
            items = await self._core.in_store(all_items)
        with without_gc(2 * len(items)):
            return await asyncio.to_thread(self._compare, folder, items, progress, may_be_new)

    def _compare(
        self, folder: Path, items: list[Item], progress: ProgressCallback, may_be_new: bool
    ) -> FolderComparison:
        def report(done: int, total: int) -> None:
            self._yield_to_typing()
            progress(done, total)

        if may_be_new:  # before a save, an interrupted earlier one is completed
            self.folders.recover(folder)
        if may_be_new and not self.folders.fingerprints(folder):
            return compare_folder(folder, FolderContent(), items, SyncState(), self._throttled)
        return compare_folder(
            folder, self.folders.read(folder, report), items, self.states.get(folder), self._throttled
        )

    def _throttled(self, things: Iterable[T]) -> Iterator[T]:
        """Iterate items, yielding to typing; `stop` raises ImportCancelledError."""
        for number, thing in enumerate(things):
            if number % GIVING_WAY_EVERY == 0:
                self._yield_to_typing()
            yield thing

    def _yield_to_typing(self) -> None:
        if self._stopped:
            raise ImportCancelledError
        self._core.typing_priority.yield_to_typing()


def compare_folder(
    folder: Path, content: FolderContent, items: Iterable[Item], base: SyncState, throttled: Throttle = iter
) -> FolderComparison:
    """Compare a library's items with the content of a folder; pure."""
    faults = (*content.faults, *_found_faults(content.items, throttled))
    if faults:
        return FolderComparison(folder, FolderDiff((), 0), faults, content.fingerprints, {})
    by_identity = by_unique_identity(placed.item for placed in throttled(content.items))
    there = dict(zip(by_identity, content.items, strict=True))
    diff = compare(by_unique_identity(throttled(items)), there, base.digests, throttled)
    digests = {identity: digest_of(placed.item) for identity, placed in throttled(there.items())}
    return FolderComparison(folder, diff, (), content.fingerprints, digests, content.items)


def all_items(library: Library) -> list[Item]:
    """Return all items; raises StoreError if any is unreadable: it would look deleted."""
    items: list[Item] = [*library.memories(), *library.powers(), *library.rules(), *library.cases()]
    if damage := damage_sentence(library):
        raise StoreError(f"{damage} So nothing was compared with a folder or saved to one.")
    return items


def _found_faults(things: Iterable[LocatedItem], throttled: Throttle) -> Iterator[FileFault]:
    """Return faults of the items read: duplicate names, and patterns that do not compile."""
    for again, first in duplicate_names(throttled(things)):
        said = f"“{name_of(again.item)}” stands in {first.place}, too: give one of them another name or id."
        yield FileFault(again.file, Problem(again.line, said))
    for placed in things:
        if isinstance(placed.item, Rule) and (why := rule_fault(placed.item)):
            yield FileFault(placed.file, Problem(placed.line, why))


def restricted_to_kind(found: FolderComparison, kind: str | None = None) -> FolderComparison:
    """Reduce a comparison to an import: everything in the folder, or one kind, no deletions."""
    taken = (one for one in found.diff.differences if one.there is not None)
    kept = tuple(
        replace(one, side=Side.BOTH if one.here is not None else Side.THERE)
        for one in taken
        if kind in (None, one.kind.plural)
    )
    return replace(found, diff=FolderDiff(kept, found.diff.same))


def refuse_faults(comparison: FolderComparison) -> None:
    """Raise KnownError if something of a folder cannot be read."""
    if comparison.faults:
        sentences = " ".join(fault.sentence for fault in comparison.faults[:SHOWN_FAULTS])
        more = len(comparison.faults) - SHOWN_FAULTS
        also = f" And {more:,} more." if more > 0 else ""
        raise KnownError(f"{comparison.folder} cannot be read, so nothing was changed. {sentences}{also}")


# ---- Watching the linked folder: changes are reported, or loaded if the settings say so.


IDLE_SECONDS = 1.0
"""Interval in seconds of checks for a linked folder."""


class FolderWatch:
    """Watches the linked folder in the background; `news` is None without a linked folder."""

    def __init__(self, core: Core, files: LibraryFiles, changed: Callable[[], object]) -> None:
        self._core = core
        self._files = files
        self._changed = changed
        self.news: FolderNews | None = None

    @property
    def folder(self) -> Path | None:
        named = self._core.settings.files.folder
        return Path(named).expanduser() if named else None

    async def run(self) -> None:
        """Watch the linked folder, whichever it is, until cancelled."""
        while True:
            folder = self.folder
            if folder is None:
                self._publish(None)
                await asyncio.sleep(IDLE_SECONDS)
                continue
            await self.check()
            try:
                await self._follow(folder)
            except KnownError as error:  # cannot be watched now; tried again
                self._publish(FolderNews(folder, fault=str(error)))
            await asyncio.sleep(IDLE_SECONDS)

    async def _follow(self, folder: Path) -> None:
        """Check after every change until another folder is linked; raises KnownError."""
        async with aclosing(self._files.folders.watch(folder)) as changes:
            async for is_other in changes:
                if self.folder != folder:
                    return
                if is_other:
                    await self.check()

    async def check(self) -> None:
        """Compare now, and load changes of the folder only, if the settings say so."""
        folder = self.folder
        if folder is None:
            self._publish(None)
            return
        try:
            self._publish(await self._current_news(folder))
        except ImportCancelledError:
            return
        except KnownError as error:
            self._publish(FolderNews(folder, fault=str(error)))

    async def _current_news(self, folder: Path) -> FolderNews:
        fingerprints = await asyncio.to_thread(self._files.folders.fingerprints, folder)
        if not fingerprints:
            return FolderNews(folder, is_new=True)
        if fingerprints == (await asyncio.to_thread(self._files.states.get, folder)).fingerprints and not self._is_open:
            return FolderNews(folder)
        comparison = await self._files.compare(folder)
        if self._core.settings.files.follow and not comparison.faults and not comparison.diff.of(Side.BOTH):
            await self._files.load(comparison, {})
            return FolderNews(folder, here=len(comparison.diff.of(Side.HERE)))
        there, both, here = (len(comparison.diff.of(side)) for side in (Side.THERE, Side.BOTH, Side.HERE))
        return FolderNews(folder, there, both, here, len(comparison.faults))

    @property
    def _is_open(self) -> bool:
        """True if an undecided difference was reported."""
        return self.news is not None and bool(self.news.there or self.news.conflicts)

    def _publish(self, news: FolderNews | None) -> None:
        if news != self.news:
            self.news = news
            self._changed()
