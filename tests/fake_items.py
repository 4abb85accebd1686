"""Items of a Library in dictionaries, by key and by unique field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.adapters.store.writing.writes import cleaned, merged_power
from app.domain.case import Case, Task
from app.domain.encoder import Provenance
from app.domain.errors import StaleError, StoreError
from app.domain.filters import CaseFilter, CaseOrder, MemoryFilter, MemoryOrder
from app.domain.intent import Rule
from app.domain.journal import Item, ItemKey, ThingKind, kind_of, name_of
from app.domain.library import Dated, Membership, Memory, Power
from app.domain.match import without_lone_surrogates as clean
from tests.fake_runs import MemoryRuns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.ports.encoder import Halves, Vectors

NOW = "2026-11-22 04:26:21"


MEMORY_VALUES: dict[MemoryOrder, Callable[[Memory], Any]] = {
    MemoryOrder.KEY: lambda memory: memory.key,
    MemoryOrder.NAME: lambda memory: memory.name.lower(),
    MemoryOrder.TRIGGER: lambda memory: memory.triggers[0].lower(),
    MemoryOrder.ID: lambda memory: memory.id and memory.id.lower(),
    MemoryOrder.LABEL: lambda memory: memory.intent and memory.intent.lower(),
    MemoryOrder.RESPONSE: lambda memory: memory.response.lower() or None,
    MemoryOrder.NAMESPACE: lambda memory: memory.namespace.lower(),
    MemoryOrder.TAGS: lambda memory: ",".join(memory.tags).lower() or None,
    MemoryOrder.SUCCESS: lambda memory: memory.success,
    MemoryOrder.USAGE: lambda memory: memory.usage,
    MemoryOrder.RIGHT: lambda memory: memory.right,
    MemoryOrder.PAUSED: lambda memory: memory.paused,
    MemoryOrder.SOURCE: lambda memory: memory.source.lower() or None,
    MemoryOrder.CREATED: lambda _: NOW,
    MemoryOrder.UPDATED: lambda _: NOW,
}


CASE_VALUES: dict[CaseOrder, Callable[[Case], Any]] = {
    CaseOrder.KEY: lambda case: case.key,
    CaseOrder.TEXT: lambda case: case.text.lower(),
    CaseOrder.TASK: lambda case: case.task.value,
    CaseOrder.EXPECTED: lambda case: ",".join(case.expected).lower() or None,
}


class MemoryItems(MemoryRuns):
    """Items by key, with secrets, vectors and settings, without steps."""

    def __init__(self) -> None:
        super().__init__()
        self._items: dict[ItemKey, Item] = {}
        self._versions: dict[tuple[ItemKey, int], Item] = {}
        self._given = dict.fromkeys(ThingKind, 0)
        self._number = 0
        """Number of the present or last write."""
        self._secrets: dict[tuple[int, str], str] = {}
        self._embeddings: dict[tuple[Provenance, str], NDArray[np.float32]] = {}
        self._settings: dict[str, str] = {}
        self._uses: dict[int, tuple[int, str]] = {}

    # ---- reading

    def _all(self, kind: ThingKind) -> list[Any]:
        return [self._items[key] for key in sorted(self._items) if key[0] is kind]

    def memories(self) -> list[Memory]:
        return self._all(ThingKind.MEMORY)

    def powers(self) -> list[Power]:
        return self._all(ThingKind.POWER)

    refusal = ""

    def team(self) -> Membership | None:
        return None

    def damaged(self) -> Mapping[str, Sequence[int | str]]:
        return {}

    def rules(self) -> list[Rule]:
        return sorted(self._all(ThingKind.RULE), key=lambda rule: (rule.pack, rule.position))

    def cases(self, task: Task | None = None) -> list[Case]:
        return [case for case in self._all(ThingKind.CASE) if task in (None, case.task)]

    def find_memories(
        self, wanted: MemoryFilter, order: MemoryOrder = MemoryOrder.KEY, *, descending: bool = False
    ) -> list[int]:
        counted = [replace(memory, usage=self._used(memory)[0]) for memory in self.memories()]
        found = [memory for memory in counted if _is_wanted(memory, wanted)]
        return _sorted(found, MEMORY_VALUES[order], descending=descending)

    def find_cases(
        self, wanted: CaseFilter, order: CaseOrder = CaseOrder.KEY, *, descending: bool = False
    ) -> list[int]:
        text = wanted.text.lower()
        told = [c for c in self.cases(wanted.task) if text in f"{c.text}{c.expected}{c.unwanted}".lower()]
        return _sorted(told, CASE_VALUES[order], descending=descending)

    def memories_by_key(self, keys: Sequence[int]) -> list[Dated[Memory]]:
        return [
            replace(row, used=u, last_used=last)
            for row in self._dated(ThingKind.MEMORY, keys)
            for u, last in [self._used(row.item)]
        ]

    def _used(self, memory: Memory) -> tuple[int, str]:
        used, last = self._uses.get(memory.key or 0, (0, ""))
        return memory.usage + used, last

    def cases_by_key(self, keys: Sequence[int]) -> list[Dated[Case]]:
        return self._dated(ThingKind.CASE, keys)

    def cases_among(self, texts: Iterable[str]) -> frozenset[str]:
        return frozenset(texts) & {case.text for case in self.cases()}

    def _dated(self, kind: ThingKind, keys: Sequence[int]) -> list[Dated[Any]]:
        return [Dated(self._items[kind, key], NOW, NOW) for key in keys if (kind, key) in self._items]

    def facets(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        memories = self.memories()
        values = {
            "namespace": [memory.namespace for memory in memories],
            "label": [memory.intent for memory in memories if memory.intent is not None],
            "tag": [tag for memory in memories for tag in memory.tags],
            "source": [memory.source for memory in memories],
        }
        return {
            name: sorted(((value, held.count(value)) for value in set(held)), key=lambda each: (-each[1], each[0]))
            for name, held in values.items()
        }

    def counts(self) -> Mapping[str, int]:
        return {
            "memories": len(self.memories()),
            "powers": len(self.powers()),
            "triggers": sum(len(memory.triggers) for memory in self.memories()),
            "rules": len(self.rules()),
            "cases": len(self.cases()),
            "embeddings": len(self._embeddings),
        }

    # ---- storing one item

    def _by(self, kind: ThingKind, identity: Callable[[Any], Hashable]) -> Callable[[Any], int | None]:
        return lambda new: next((held.key for held in self._all(kind) if identity(held) == identity(new)), None)

    def _restated_power(self, stored: Power, newcomer: Power) -> Power:
        known, named = self._secrets, newcomer.transport.named
        given = {name: value for name, value in newcomer.transport.env.items() if value and not named[name]}
        fresh = {name: value for name, value in given.items() if value != known.get((stored.key or 0, name))}
        blank = replace(newcomer, transport=replace(newcomer.transport, env=named))
        power = merged_power(stored, blank)
        transport = replace(power.transport, env={**power.transport.env, **fresh})
        return replace(power, transport=transport, approved=power.approved and not fresh)

    def _put(self, item: Item, source: str = "", *, anyway: bool) -> Item:
        item = cleaned(item)
        kind = kind_of(item)
        if item.key is None and not isinstance(item, Memory):
            found = self._by(kind, text_and_task if isinstance(item, Case) else name_of)(item)
            key = (kind, found or self._next_key(kind))
            if found is not None and not anyway:
                raise StoreError(f"A {kind.value} “{name_of(item)}” exists already.")
            if found is not None:
                restated: Callable[[Any, Any], Any] = self._restated_power if isinstance(item, Power) else replaced_case
                item = restated(self._items[key], item)
        else:
            key = (kind, item.key or self._next_key(kind))
            stored = self._items.get(key)
            if item.key is not None and not anyway and (stored is None or stored.version != item.version):
                raise StaleError(item, stored, base=self._versions.get((key, item.version)))
            if anyway and isinstance(item, Power) and item.transport.env:
                item = replace(item, approved=item.approved and isinstance(stored, Power) and stored.approved)
            if isinstance(item, Power) and isinstance(stored, Power):
                item = self._restated_power(stored, item)
        self._check_name(key, item)
        if key not in self._items or self._items[key] != item:
            self._set(key, item, source)
        return self._items[key]

    def _check_name(self, key: ItemKey, item: Item) -> None:
        identity = _identity(item)
        others = (held for other, held in self._items.items() if key != other)
        if identity is not None and any(_identity(held) == identity for held in others):
            raise StoreError(f"Another {key[0].value} has the name “{name_of(item)}” already.")

    def _set(self, key: ItemKey, item: Item | None, source: str = "") -> None:
        if item is None:
            self._items.pop(key, None)
            return
        self._given[key[0]] = max(self._given[key[0]], key[1])
        if isinstance(item, Memory) and key not in self._items:
            item = replace(item, source=item.source or source)
        if isinstance(item, Power):
            named = item.transport.named
            for name, value in item.transport.env.items():
                if value and not named[name]:
                    self._secrets[key[1], name] = value
            item = replace(item, transport=replace(item.transport, env=named))
        self._items[key] = self._versions[key, self._number] = replace(item, key=key[1], version=self._number)
        self._withdraw(key[1], item)

    def _next_key(self, kind: ThingKind) -> int:
        return self._given[kind] + 1

    # ---- secrets, vectors, settings

    def environment(self, power: Power) -> dict[str, str]:
        known, key = self._secrets, power.key or 0
        return {name: given or known.get((key, name), "") for name, given in power.transport.named.items()}

    def secrets_place(self) -> str:
        return "Secrets are kept in memory."

    def secrets_fault(self) -> str | None:
        return None

    def embeddings(self, provenance: Provenance, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        known = self._embeddings
        return {text: known[provenance, clean(text)] for text in texts if (provenance, clean(text)) in known}

    def put_embeddings(self, provenance: Provenance, texts: Sequence[str], vectors: Vectors | Halves) -> None:
        if vectors.shape != (len(texts), provenance.dimension):
            raise ValueError(f"an array of {vectors.shape} for {len(texts)} texts")
        for text, vector in zip(texts, vectors, strict=True):
            self._embeddings[provenance, clean(text)] = np.array(vector, dtype=np.float32)

    def prune_embeddings(self, kept: Iterable[str], most: int) -> int:
        wanted = set(map(clean, kept))
        gone = set([text for _, text in self._embeddings if text not in wanted][:most])
        before = len(self._embeddings)
        self._embeddings = {key: vector for key, vector in self._embeddings.items() if key[1] not in gone}
        return before - len(self._embeddings)

    def vector_counts(self) -> Mapping[Provenance, int]:
        return Counter(provenance for provenance, _ in self._embeddings)

    def setting_values(self) -> dict[str, str]:
        return dict(sorted(self._settings.items()))

    def put_settings(self, changes: Mapping[str, str | None]) -> None:
        for key, value in changes.items():
            self._settings.pop(key, None)
            if value is not None:
                self._settings[key] = clean(value)

    def changed_memories(self) -> Sequence[int] | None:
        return None

    def data_version(self) -> int:
        return 1  # no other program can write

    def close(self) -> None:
        pass


def _sorted(things: list[Any], value: Callable[[Any], Any], *, descending: bool) -> list[int]:
    there = sorted((thing for thing in things if value(thing) is not None), key=value, reverse=descending)
    if descending:  # reversing a stable sort also reverses its ties
        there.sort(key=lambda thing: thing.key)
        there.sort(key=value, reverse=True)
    return [thing.key for thing in (*there, *(thing for thing in things if value(thing) is None))]


def _is_wanted(memory: Memory, wanted: MemoryFilter) -> bool:
    texts = (*memory.triggers, memory.id or "", memory.intent or "", *memory.tags, memory.response)
    words = " ".join("".join(c if c.isalnum() else " " for c in text.lower()) for text in texts).split()
    asked = "".join(c if c.isalnum() else " " for c in wanted.text.lower()).split()
    same = {"namespace": memory.namespace, "label": memory.intent, "source": memory.source, "paused": memory.paused}
    ranges = ((wanted.success, memory.success), (wanted.usage, memory.usage), (wanted.right, memory.right))
    return (
        all(any(word.startswith(start) for word in words) for start in asked)
        and all(getattr(wanted, name) in (None, value) for name, value in same.items())
        and wanted.tag in (None, *memory.tags)
        and all(ends is None or ends[0] <= value <= ends[1] for ends, value in ranges)
        and all(since is None or since <= NOW for since in (wanted.created_from, wanted.updated_from))
        and all(until is None or until > NOW for until in (wanted.created_to, wanted.updated_to))
    )


def replaced(stored: Item, newcomer: Item) -> Item:
    return replace(newcomer, key=stored.key, version=stored.version)


def replaced_case(stored: Item, newcomer: Item) -> Item:
    if isinstance(stored, Case) and isinstance(newcomer, Case) and not newcomer.unwanted:
        kept = tuple(name for name in stored.unwanted if name not in newcomer.expected)
        newcomer = replace(newcomer, unwanted=kept)
    return replaced(stored, newcomer)


def text_and_task(case: Case) -> Hashable:
    return case.task, case.text


def _identity(item: Item) -> Hashable:
    match item:
        case Memory():
            return None if item.id is None else (ThingKind.MEMORY, item.id)
        case Case():
            return ThingKind.CASE, item.task, item.text
        case _:
            return kind_of(item), name_of(item)
