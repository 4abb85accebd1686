"""Three-way diff of library and folder against their last common state, with conflicts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b
from typing import Protocol, TypeVar

from app.domain.case import Case
from app.domain.intent import Rule
from app.domain.journal import Item, ItemKey, ThingKind, kind_of, name_of
from app.domain.library import Memory, Power
from app.ports.folder import LocatedItem

T = TypeVar("T")


class Side(StrEnum):
    """Side that changed an item since both were the same."""

    HERE = "here"
    THERE = "there"
    BOTH = "both"


class Choice(StrEnum):
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
    def kind(self) -> ThingKind:
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

    def taken(self, choices: Mapping[str, Choice]) -> Iterator[Difference]:
        """Yield the differences to load: changes in the folder only, and conflicts by choice."""
        for one in self.differences:
            if one.side is Side.THERE or (one.side is Side.BOTH and choices.get(one.identity) is Choice.THEIRS):
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
    return f"{kind_of(item).value}:{_hash(_natural_key(item))}"


def _natural_key(item: Item) -> object:
    match item:
        case Memory():
            return item.id if item.id is not None else (item.intent, item.triggers[0])
        case Case():
            return item.task.value, item.text
    return name_of(item)


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
            if before.key is not None and gone.pop((ThingKind.MEMORY, before.key), None) is not None:
                return _replacing(before, item)
    return item


def _traits(memory: Memory) -> Iterator[object]:
    """Yield traits that survive a changed label or first trigger; none that are too common."""
    yield "triggers", memory.triggers, memory.id
    if memory.response or len(memory.triggers) > 1:
        yield "rest", memory.triggers[1:], memory.response, memory.intent, memory.namespace, memory.tags, memory.id
