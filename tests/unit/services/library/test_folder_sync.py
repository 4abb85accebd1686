"""Tests of library and folder: changes of each side, applied in one step."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.library_folder import SyncStateFiles, TomlFolders
from app.adapters.store.library import SqlLibrary
from app.domain.case import Case, Task
from app.domain.errors import FormatError, KnownError, StaleError
from app.domain.journal import Edit, Item, ItemKind
from app.domain.library import Memory, Power, Transport
from app.ports.folder import LocatedItem
from app.services.library import folder_sync as folder_service
from app.services.library.folder_sync import (
    FolderWatch,
    LibraryFiles,
    Side,
    Winner,
    changes_to_apply,
    compare,
    digest_of,
)
from app.services.library.import_export import ImportCancelledError
from app.services.status import FolderNews
from app.services.workbench import Workbench
from tests.build import rewrite, some
from tests.unit.services.benches import desk, names
from tests.waiting import PATIENCE

RESET = Memory(("reset my password", "forgot it"), "Account.", "reset", "help", id="m-1")
KEYS = Memory(("rotate the keys",), "monthly", "keys", "security")
POSTGRES = Power("postgres", "Tables", ("sql",), transport=Transport("uvx", (), {"TOKEN": "secret"}))
CASE = Case("how do I reset it", ("reset",), Task.INTENT)


@asynccontextmanager
async def profile(place: Path, *, empty: bool = False) -> AsyncGenerator[tuple[Workbench, LibraryFiles], None]:
    """Open a real library with items of every kind, beside real folders."""
    async with desk(library=lambda: SqlLibrary.open(place)) as workbench:
        if not empty:
            await workbench.journal.do(Edit("taught"), [RESET, KEYS, POSTGRES, CASE])
        workbench.files = LibraryFiles(workbench, workbench.journal, TomlFolders(), SyncStateFiles(place / "folders"))
        yield workbench, workbench.files


def told(workbench: Workbench) -> dict[str, str]:
    items = folder_service.by_unique_identity(folder_service.all_items(workbench.library))
    return {identity: digest_of(item) for identity, item in items.items()}


def memory(workbench: Workbench, name: str) -> Memory:
    return next(one for one in workbench.library.memories() if one.name == name)


RESET_FILE, KEYS_FILE = "memories/help/reset.toml", "memories/security/keys.toml"


async def test_that_a_saved_library_is_the_same_elsewhere_and_a_second_import_changes_nothing(tmp_path: Path) -> None:
    async with profile(tmp_path / "one") as (one, files):
        saved = await files.save(tmp_path / "folder")
        assert saved.things == len(folder_service.all_items(one.library))
        assert (await files.save(tmp_path / "folder")).files == 0
        before = told(one)
    async with profile(tmp_path / "two", empty=True) as (two, files):
        _, loaded = await files.import_all(tmp_path / "folder")
        assert some(loaded.written).step.sentence == "imported 2 memories, 1 power and 1 case"
        assert told(two) == before
        assert await names(two, "rotate the keys") == ["rotate the keys", "m-1", "postgres"]
        assert (await files.import_all(tmp_path / "folder"))[1].written is None
        assert (await files.save(tmp_path / "folder")).files == 0
        await two.curator.undo()
        assert [two.library.memories(), two.library.powers(), two.library.cases()] == [[], [], []]


async def test_that_each_side_keeps_what_it_changed_alone_and_conflicts_are_asked(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    async with profile(tmp_path / "one") as (workbench, files):
        await files.save(folder)
        rewrite(folder / RESET_FILE, "Account.", "Your account.")
        rewrite(folder / KEYS_FILE, "monthly", "weekly")
        (folder / "cases/intent.jsonl").unlink()
        keys, power = memory(workbench, KEYS.name), workbench.library.powers()[0]
        await workbench.journal.do(Edit("edited"), [replace(keys, response="daily"), replace(power, description="T")])

        compare_folder = await files.compare(folder)
        sides = {one.name: one.side for one in compare_folder.diff.differences}
        assert sides == {
            "m-1": Side.THERE, KEYS.name: Side.BOTH, "postgres": Side.HERE, CASE.text: Side.THERE,
        }  # fmt: skip
        loaded = await files.load(compare_folder, {})
        assert loaded.left == 1
        assert some(loaded.written).step.sentence == "took in 1 memory and 1 case"
        assert memory(workbench, "m-1").response == "Your account."
        assert memory(workbench, KEYS.name).response == "daily"
        assert workbench.library.cases() == []

        with pytest.raises(KnownError, match=r"“rotate the keys” changed in .* and not here, so nothing was saved"):
            await files.save(folder)
        again = await files.compare(folder)
        (conflict,) = again.diff.of(Side.BOTH)
        assert (await files.load(again, {conflict.identity: Winner.MINE})).written is None
        assert (await files.save(folder)).files == 2
        assert 'response = "daily"' in (folder / KEYS_FILE).read_text()
        assert (await files.compare(folder)).diff.differences == ()

        await workbench.curator.undo()
        assert memory(workbench, "m-1").response == "Account."
        assert {one.side for one in (await files.compare(folder)).diff.differences} == {Side.HERE}


async def test_that_theirs_is_taken_with_its_key_and_a_renamed_memory_keeps_its_history(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    async with profile(tmp_path / "one") as (workbench, files):
        await files.save(folder)
        key = some(memory(workbench, KEYS.name).key)
        rewrite(folder / KEYS_FILE, "rotate the keys", "rotate all the keys")
        await files.load(await files.compare(folder), {})
        assert memory(workbench, "rotate all the keys").key == key
        assert len(workbench.library.history(ItemKind.MEMORY, key)) == 2
        (folder / KEYS_FILE).unlink()
        await workbench.journal.do(Edit("edited"), [replace(memory(workbench, "rotate all the keys"), usage=3)])
        compare_folder = await files.compare(folder)
        (conflict,) = compare_folder.diff.of(Side.BOTH)
        await files.load(compare_folder, {conflict.identity: Winner.THEIRS})
        assert [binned.item.key for binned in workbench.library.binned()] == [key]


async def test_that_an_approval_and_secrets_outlive_what_a_folder_says_of_a_power(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    async with profile(tmp_path / "one") as (workbench, files):
        (power,) = workbench.library.powers()
        await workbench.journal.do(Edit("approved"), [replace(power, approved=True)])
        await files.save(folder)
        rewrite(folder / "powers/postgres.toml", "Tables", "Other tables")
        await files.load(await files.compare(folder), {})
        (power,) = workbench.library.powers()
        assert (power.description, power.approved) == ("Other tables", True)
        assert workbench.library.environment(power) == {"TOKEN": "secret"}
        rewrite(folder / "powers/postgres.toml", "uvx", "curl")
        await files.load(await files.compare(folder), {})
        assert not workbench.library.powers()[0].approved, "another command is another program"


async def test_that_a_fault_is_told_with_its_place_and_nothing_is_half_taken_in(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    async with profile(tmp_path / "one") as (workbench, files):
        await files.save(folder)
        before = told(workbench)
        rewrite(folder / RESET_FILE, "Account.", "Your account.")
        copy = (folder / RESET_FILE).read_text()
        (folder / "memories/help/again.toml").write_text(copy)
        (folder / "rules/bad.toml").write_text('pack = "bad"\n[[rule]]\nid = "x"\nlabel = "howto"\npattern = "("\n')
        (folder / KEYS_FILE).write_text("<<<<<<< HEAD\n")
        compare_folder = await files.compare(folder)
        sentences = [fault.sentence for fault in compare_folder.faults]
        assert len(sentences) == 3
        assert sentences[0].startswith(f"{KEYS_FILE}, line 1: A conflict that git could not settle")
        assert f"{RESET_FILE}, line 4: “m-1” stands in memories/help/again.toml, line 4, too" in sentences[1]
        assert sentences[2].startswith("rules/bad.toml, line 2: ")
        for attempt in (files.load(compare_folder, {}), files.import_all(folder), files.save(folder)):
            with pytest.raises(KnownError, match="cannot be read, so nothing was changed"):
                await attempt
        assert told(workbench) == before


async def test_that_what_changed_after_the_look_is_not_taken_for_what_was_seen(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    async with profile(tmp_path / "one") as (workbench, files):
        await files.save(folder)
        rewrite(folder / RESET_FILE, "Account.", "Your account.")
        compare_folder = await files.compare(folder)
        rewrite(folder / RESET_FILE, "Your account.", "My account.")
        with pytest.raises(KnownError, match="changed again since they were read"):
            await files.load(compare_folder, {})
        compare_folder = await files.compare(folder)
        await workbench.journal.do(Edit("edited"), [replace(memory(workbench, "m-1"), usage=9)])
        with pytest.raises(StaleError):
            await files.load(compare_folder, {})
        assert memory(workbench, "m-1").response == "Account."


async def test_that_reading_and_saving_can_be_stopped(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    async with profile(tmp_path / "one") as (_, files):
        with pytest.raises(ImportCancelledError):
            await files.save(folder, lambda _done, _total: files.stop())
        assert not (folder / "library.toml").exists()
        await files.save(folder)
        with pytest.raises(ImportCancelledError):
            await files.compare(folder, lambda _done, _total: files.stop())
        assert (await files.compare(folder)).diff.differences == ()


class Told(TomlFolders):
    """Folders whose changes are announced by the test."""

    def __init__(self) -> None:
        super().__init__()
        self.told: asyncio.Queue[bool] = asyncio.Queue()

    async def watch(self, folder: Path) -> AsyncGenerator[bool, None]:
        while True:
            yield await self.told.get()


@pytest.mark.parametrize("follow", [False, True])
async def test_that_a_change_in_the_linked_folder_is_told_or_taken_in(tmp_path: Path, *, follow: bool) -> None:
    folder = tmp_path / "folder"
    async with profile(tmp_path / "one") as (workbench, files):
        await files.save(folder)
        await workbench.choose_all({"files.folder": str(folder), "files.follow": str(follow).lower()})
        news: asyncio.Queue[FolderNews | None] = asyncio.Queue()
        folders = Told()
        files.folders = folders
        watch = FolderWatch(workbench, files, lambda: news.put_nowait(watch.news))
        watching = asyncio.ensure_future(watch.run())
        assert await news.get() == FolderNews(folder)
        rewrite(folder / RESET_FILE, "Account.", "Your account.")
        power = workbench.library.powers()[0]
        await workbench.journal.do(Edit("edited"), [replace(power, description="T")])
        folders.told.put_nowait(True)
        found = await news.get()
        assert found == FolderNews(folder, there=0 if follow else 1, here=1)
        assert memory(workbench, "m-1").response == ("Your account." if follow else "Account.")
        rewrite(folder / "powers/postgres.toml", "Tables", "Other tables")
        folders.told.put_nowait(True)
        assert await news.get() == FolderNews(folder, there=0 if follow else 1, conflicts=1)
        (folder / RESET_FILE).write_text("<<<<<<< HEAD\n")
        folders.told.put_nowait(True)
        assert await news.get() == FolderNews(folder, faults=1)
        (folder / "library.toml").unlink()
        folders.told.put_nowait(True)
        assert await news.get() == FolderNews(folder, is_new=True)
        await workbench.choose("files.folder", None)
        folders.told.put_nowait(False)
        assert await news.get() is None
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


class Refusing(Told):
    refuses = True

    async def watch(self, folder: Path) -> AsyncGenerator[bool, None]:
        if self.refuses:
            self.refuses = False
            raise FormatError("It holds too many files.")
        async with aclosing(super().watch(folder)) as changes:
            async for change in changes:
                yield change


async def test_that_a_folder_that_cannot_be_watched_is_told_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_service, "IDLE_SECONDS", 0.0)

    folder = tmp_path / "folder"
    async with profile(tmp_path / "one") as (workbench, files):
        await files.save(folder)
        await workbench.choose("files.folder", str(folder))
        news: asyncio.Queue[FolderNews | None] = asyncio.Queue()
        files.folders = Refusing()
        watch = FolderWatch(workbench, files, lambda: news.put_nowait(watch.news))
        watching = asyncio.ensure_future(watch.run())
        told = [await asyncio.wait_for(news.get(), PATIENCE) for _ in range(3)]
        fine, refused = FolderNews(folder), FolderNews(folder, fault="It holds too many files.")
        assert told == [fine, refused, fine]
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


@pytest.mark.parametrize("is_watched", [True, False])
async def test_that_changes_are_noticed_also_where_the_system_tells_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_watched: bool
) -> None:
    def refuses(*_: object, **__: object) -> object:
        raise OSError(28, "no more watches")

    folders = TomlFolders()
    folders.write(tmp_path, [KEYS], None, lambda _done, _total: None)
    monkeypatch.setattr("app.adapters.library_folder.POLL_SECONDS", 0.01)
    if not is_watched:
        monkeypatch.setattr("app.adapters.library_folder.awatch", refuses)
    async with aclosing(folders.watch(tmp_path)) as changes:
        assert await anext(changes) is False
        (tmp_path / "notes.txt").write_text("not of the library")
        rewrite(tmp_path / KEYS_FILE, "monthly", "every week")
        while not await anext(changes):
            pass


# ---- the plan

sides = st.dictionaries(st.sampled_from("abc"), st.sampled_from("123"))


def things(said: dict[str, str], *, stored: bool = True) -> dict[str, Item]:
    return folder_service.by_unique_identity(
        [Memory((name,), said[name], id=name, key=ord(name) if stored else None) for name in said]
    )


@given(sides, sides, sides)
def test_that_a_change_is_of_the_side_that_left_what_both_were(
    here: dict[str, str], there: dict[str, str], base: dict[str, str]
) -> None:
    mine, theirs = things(here), things(there, stored=False)
    digests = {identity: digest_of(item) for identity, item in things(base).items()}
    diff = compare(mine, {key: LocatedItem(item, "f", 1) for key, item in theirs.items()}, digests)
    found = {one.name: one.side for one in diff.differences}
    for name in "abc":
        states = here.get(name), there.get(name), base.get(name)
        expected = None if states[0] == states[1] else Side.BOTH
        if expected and states[1] == states[2]:
            expected = Side.HERE
        elif expected and states[0] == states[2]:
            expected = Side.THERE
        assert found.get(name) is expected
    put, gone = changes_to_apply(diff.taken({one.identity: Winner.THEIRS for one in diff.differences}))
    assert len({item.key for item in put if item.key}) + len(gone) <= len(here)


def test_that_a_memory_that_says_little_is_not_taken_for_another() -> None:
    here = things({"a": ""})
    diff = compare(here, {}, {})
    assert diff.differences[0].item is here[diff.differences[0].identity]
    gone = Memory(("x",), intent="l", key=1)
    came = LocatedItem(Memory(("y",), intent="l"), "f", 1)
    differences = compare(
        folder_service.by_unique_identity([gone]),
        dict(zip(folder_service.by_unique_identity([came.item]), [came], strict=True)),
        {},
    )
    put, keys = changes_to_apply([replace(one, side=Side.THERE) for one in differences.differences])
    assert [item.key for item in put] == [None]
    assert keys == [(ItemKind.MEMORY, 1)]
