"""The library beside a folder of texts under version control: watched, compared, taken in and saved."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from app.detect.patterns import rule_fault
from app.domain.errors import KnownError, StoreError
from app.domain.intent import Rule
from app.domain.journal import PLURALS, Edit, Item, Written, name_of
from app.domain.language import in_quotes, say, thousands
from app.domain.library import Problem
from app.ports.folder import FileFault, FolderContent, LibraryFolders, LocatedItem, SyncState, SyncStates
from app.ports.store import Library
from app.services.core import Core, FolderNews
from app.services.engine.index_loader import damage_of
from app.services.engine.typing_priority import making_many
from app.services.library.folder_plan import (
    Choice,
    Plan,
    Side,
    WhileLocked,
    compare,
    digest_of,
    identified,
    repeated,
    to_do,
)
from app.services.library.import_export import ImportCancelledError
from app.services.library.journal import WINDOW, Journal

GIVING_WAY_EVERY = 32
SHOWN_FAULTS = 3
"""So many faults are told in a sentence; a window shows all of them."""

T = TypeVar("T")
Far = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class Seen:
    """A folder as it was read: what differs from the library, or what cannot be read of it."""

    folder: Path
    plan: Plan
    faults: tuple[FileFault, ...]
    prints: Mapping[str, str]
    digests: Mapping[str, str]
    """Of all that the folder holds, by identity."""
    things: tuple[LocatedItem, ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was taken in; None if there was nothing to take. `left` counts conflicts that are still undecided."""

    written: Written | None
    left: int


@dataclass(frozen=True, slots=True)
class Saved:
    """What was saved: how many things in all, and how many files changed for it."""

    folder: Path
    things: int
    files: int


class LibraryFiles:
    """The verbs of one person at one desk. One runs at a time; `stop` breaks off what has changed nothing yet."""

    def __init__(self, core: Core, journal: Journal, folders: LibraryFolders | None, states: SyncStates | None) -> None:
        self._core = core
        self._journal = journal
        self._outside = folders, states
        self._turn = asyncio.Lock()
        self._stopped = False

    @property
    def _folders(self) -> LibraryFolders:
        if self._outside[0] is None:
            raise KnownError(say("No folders can be read here."))
        return self._outside[0]

    @property
    def _states(self) -> SyncStates:
        if self._outside[1] is None:
            raise KnownError(say("Nothing can be remembered of folders here."))
        return self._outside[1]

    def stop(self) -> None:
        """Break off what is being read or written, before it changes anything."""
        self._stopped = True

    async def look(self, folder: Path, far: Far = lambda _done, _total: None) -> Seen:
        """What differs between the library and a folder; nothing is changed. KnownError."""
        async with self._turn:
            self._stopped = False
            return await self._look(folder, far)

    async def import_all(self, folder: Path, kind: str | None = None) -> tuple[Seen, Loaded]:
        """Take in all that a folder holds, or all of one kind, over what the library says; nothing is deleted.

        KnownError as of `load`.
        """
        found = only(await self.look(folder), kind)
        theirs = {one.identity: Choice.THEIRS for one in found.plan.of(Side.BOTH)}
        return found, await self.load(found, theirs, verb="imported")

    async def load(self, seen: Seen, choices: Mapping[str, Choice], *, verb: str = "took in") -> Loaded:
        """Take in what changed in the folder alone, and of conflicts what is chosen, as one step.

        KnownError if the folder cannot be read or was changed since, or if somebody changed one of the things
        meanwhile; nothing is changed then.
        """
        async with self._turn:
            refuse_faults(seen)
            if await asyncio.to_thread(self._folders.fingerprints, seen.folder) != seen.prints:
                raise KnownError(
                    say("The files have changed again since they were read: look at what differs once more.")
                )
            put, gone = to_do(seen.plan.taken(choices))
            written = None
            if put or gone:
                edit = Edit(verb, source=seen.folder.name or WINDOW)
                with making_many(len(put) + len(gone)):
                    written = await self._journal.do(edit, put, gone)
            left = [one for one in seen.plan.of(Side.BOTH) if one.identity not in choices]
            base = await asyncio.to_thread(self._states.get, seen.folder)
            digests = dict(seen.digests)
            for one in left:  # as if neither had been seen, so that they stay conflicts
                digests.pop(one.identity, None)
                if one.identity in base.digests:
                    digests[one.identity] = base.digests[one.identity]
            await asyncio.to_thread(self._states.put, seen.folder, SyncState(digests, seen.prints))
            return Loaded(written, len(left))

    async def save(self, folder: Path, far: Far = lambda _done, _total: None) -> Saved:
        """Make a folder hold this library; KnownError if it holds what this library has never seen."""
        async with self._turn:
            self._stopped = False
            seen = await self._look(folder, far, may_be_new=True)
            refuse_faults(seen)
            unseen = [*seen.plan.of(Side.THERE), *seen.plan.of(Side.BOTH)]
            if unseen:
                named = ", ".join(in_quotes(one.name) for one in unseen[:SHOWN_FAULTS])
                more = (
                    say(" and {count} more", count=thousands(len(unseen) - SHOWN_FAULTS))
                    if len(unseen) > SHOWN_FAULTS
                    else ""
                )
                raise KnownError(
                    say(
                        "{named}{more} changed in {folder} and not here, so nothing was saved: "
                        "look at what differs and take it in, then save again.",
                        named=named,
                        more=more,
                        folder=folder,
                    )
                )
            async with self._core.writing:
                items = await self._core.in_store(everything)
            with making_many(len(items)):
                return await asyncio.to_thread(self._save, folder, items, seen.prints, far)

    def _save(self, folder: Path, items: list[Item], expected: Mapping[str, str], far: Far) -> Saved:
        def tell(done: int, _total: int) -> None:
            self._attend()
            far(done, len(items))

        files = self._folders.write(folder, self._patiently(items), expected, tell)
        digests = {identity: digest_of(item) for identity, item in identified(self._patiently(items)).items()}
        self._states.put(folder, SyncState(digests, self._folders.fingerprints(folder)))
        return Saved(folder, len(items), files)

    async def _look(self, folder: Path, far: Far, *, may_be_new: bool = False) -> Seen:
        async with self._core.writing:
            items = await self._core.in_store(everything)
        with making_many(2 * len(items)):
            return await asyncio.to_thread(self._compare, folder, items, far, may_be_new)

    def _compare(self, folder: Path, items: list[Item], far: Far, may_be_new: bool) -> Seen:
        def tell(done: int, total: int) -> None:
            self._attend()
            far(done, total)

        if may_be_new:  # it is saved to: what broke off of an earlier save comes first
            self._folders.recover(folder)
        if may_be_new and not self._folders.fingerprints(folder):
            return seen(folder, FolderContent(), items, SyncState(), self._patiently)
        return seen(folder, self._folders.read(folder, tell), items, self._states.get(folder), self._patiently)

    def _patiently(self, things: Iterable[T]) -> Iterator[T]:
        """The things one by one; a key that is being answered goes first."""
        for number, thing in enumerate(things):
            if number % GIVING_WAY_EVERY == 0:
                self._attend()
            yield thing

    def _attend(self) -> None:
        if self._stopped:
            raise ImportCancelledError
        self._core.typing_priority.yield_to_typing()


def seen(
    folder: Path,
    content: FolderContent,
    items: Iterable[Item],
    base: SyncState,
    patiently: WhileLocked = iter,
) -> Seen:
    """What differs between things of a library and what a folder was found to hold."""
    faults = (*content.faults, *_found_faults(content.items, patiently))
    if faults:
        return Seen(folder, Plan((), 0), faults, content.fingerprints, {})
    by_identity = identified(placed.item for placed in patiently(content.items))
    there = dict(zip(by_identity, content.items, strict=True))
    plan = compare(identified(patiently(items)), there, base.digests, patiently)
    digests = {identity: digest_of(placed.item) for identity, placed in patiently(there.items())}
    return Seen(folder, plan, (), content.fingerprints, digests, content.items)


def everything(library: Library) -> list[Item]:
    """All that a library holds; StoreError where some of it cannot be read: in a folder it would look deleted."""
    items: list[Item] = [*library.memories(), *library.powers(), *library.rules(), *library.cases()]
    if damage := damage_of(library):
        raise StoreError(say("{damage} So nothing was compared with a folder or saved to one.", damage=damage))
    return items


def _found_faults(things: Iterable[LocatedItem], patiently: WhileLocked) -> Iterator[FileFault]:
    """What is wrong with things that can be read: names that come twice, and patterns that cannot be used."""
    for again, first in repeated(patiently(things)):
        said = say(
            "“{name_of}” stands in {place}, too: give one of them another name or id.",
            name_of=name_of(again.item),
            place=first.place,
        )
        yield FileFault(again.file, Problem(again.line, said))
    for placed in things:
        if isinstance(placed.item, Rule) and (why := rule_fault(placed.item)):
            yield FileFault(placed.file, Problem(placed.line, why))


def only(found: Seen, kind: str | None = None) -> Seen:
    """What an import of all that a folder holds would take, or of one kind: everything there, and no deletion."""
    taken = (one for one in found.plan.differences if one.there is not None)
    kept = tuple(
        replace(one, side=Side.BOTH if one.here is not None else Side.THERE)
        for one in taken
        if kind in (None, PLURALS[one.kind])
    )
    return replace(found, plan=Plan(kept, found.plan.same))


def refuse_faults(seen: Seen) -> None:
    """KnownError if something of a folder cannot be read."""
    if seen.faults:
        sentences = " ".join(fault.sentence for fault in seen.faults[:SHOWN_FAULTS])
        more = len(seen.faults) - SHOWN_FAULTS
        also = say(" And {more} more.", more=thousands(more)) if more > 0 else ""
        raise KnownError(
            say(
                "{folder} cannot be read, so nothing was changed. {sentences}{also}",
                folder=seen.folder,
                sentences=sentences,
                also=also,
            )
        )


# ---- The folder that a library is linked to, watched for changes: told, or taken in at once where that is wanted.


IDLE_SECONDS = 1.0
"""How soon a folder that is linked is watched."""


class FolderWatch:
    """Runs beside everything else; `news` is None while no folder is linked."""

    def __init__(
        self,
        core: Core,
        files: LibraryFiles,
        outside: tuple[LibraryFolders | None, SyncStates | None],
        changed: Callable[[], object],
    ) -> None:
        self._core = core
        self._files = files
        self._folders, self._states = outside
        self._changed = changed
        self.news: FolderNews | None = None

    @property
    def folder(self) -> Path | None:
        """The folder that is linked."""
        named = self._core.settings.files.folder
        return Path(named).expanduser() if named else None

    async def run(self) -> None:
        """Watch whatever folder is linked, until the end."""
        while self._folders is not None and self._states is not None:
            folder = self.folder
            if folder is None:
                self._tell(None)
                await asyncio.sleep(IDLE_SECONDS)
                continue
            await self.check()
            try:
                await self._follow(self._folders, folder)
            except KnownError as error:  # it cannot be watched now; it is tried again
                self._tell(FolderNews(folder, fault=str(error)))
            await asyncio.sleep(IDLE_SECONDS)

    async def _follow(self, folders: LibraryFolders, folder: Path) -> None:
        """Check whenever something changes, until another folder is linked or this one is gone; KnownError."""
        async with aclosing(folders.watch(folder)) as changes:
            async for is_other in changes:
                if self.folder != folder:
                    return
                if is_other:
                    await self.check()

    async def check(self) -> None:
        """Find out what differs now, and take in what the folder alone has changed where that is wanted."""
        folder = self.folder
        if folder is None:
            self._tell(None)
            return
        try:
            self._tell(await self._found(folder))
        except ImportCancelledError:
            return
        except KnownError as error:
            self._tell(FolderNews(folder, fault=str(error)))

    async def _found(self, folder: Path) -> FolderNews:
        assert self._folders is not None
        assert self._states is not None
        prints = await asyncio.to_thread(self._folders.fingerprints, folder)
        if not prints:
            return FolderNews(folder, is_new=True)
        if prints == (await asyncio.to_thread(self._states.get, folder)).fingerprints and not self._is_open:
            return FolderNews(folder)
        seen = await self._files.look(folder)
        if self._core.settings.files.follow and not seen.faults and not seen.plan.of(Side.BOTH):
            await self._files.load(seen, {})
            return FolderNews(folder, here=len(seen.plan.of(Side.HERE)))
        return news_of(seen)

    @property
    def _is_open(self) -> bool:
        """Whether something was found to differ that nobody has decided."""
        return self.news is not None and bool(self.news.there or self.news.conflicts)

    def _tell(self, news: FolderNews | None) -> None:
        if news != self.news:
            self.news = news
            self._changed()


def news_of(seen: Seen) -> FolderNews:
    """What was seen, counted."""
    there, both, here = (len(seen.plan.of(side)) for side in (Side.THERE, Side.BOTH, Side.HERE))
    return FolderNews(seen.folder, there, both, here, len(seen.faults))
