"""A Library in dictionaries, small enough to be obviously right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from app.adapters.restating import restated_memory, restated_power
from app.adapters.sql_adding import cleaned
from app.domain.case import Case, Task
from app.domain.finding import CaseFilter, CaseOrder, MemoryEdit, MemoryFilter, MemoryOrder, touched
from app.domain.journal import (
    Binned,
    Deed,
    Item,
    ItemKey,
    Revision,
    Step,
    ThingKind,
    Written,
    counted,
    kind_of,
    name_of,
)
from app.domain.library import Memory, Power
from app.domain.query import without_lone_surrogates as clean
from app.domain.rule import Rule
from app.library_ports import Dated, Difference
from app.ports import Change, KnownError, Provenance, StaleError, StoreError
from tests.fake_past import MemoryPast
from tests.fake_routes import MemoryRoutes
from tests.fake_runs import MemoryRuns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.ports import Vectors

NOW = "2026-11-22 04:26:21"


class MemoryLibrary(MemoryRuns, MemoryPast):
    """Keys to things, gone with the process."""

    def __init__(self) -> None:
        super().__init__()
        self.routes = MemoryRoutes(lambda: self.cases(Task.ROUTE))
        self._items: dict[ItemKey, Item] = {}
        self._given = dict.fromkeys(ThingKind, 0)
        self._steps: dict[int, Step] = {}
        self._held: dict[int, dict[ItemKey, Item | None]] = {}
        self._present: dict[int, dict[ItemKey, int | None]] = {}
        self._undone: list[int] = []
        self._different: dict[Difference, int] = {}
        self._last: int | None = None
        self._number = 0
        self._secrets: dict[tuple[int, str], str] = {}
        self._embeddings: dict[tuple[Provenance, str], NDArray[np.float32]] = {}
        self._settings: dict[str, str] = {}
        self._settings_of: dict[int, dict[str, tuple[str | None, str | None]]] = {}

    # ---- what is there

    def _all(self, kind: ThingKind) -> list[Any]:
        return [self._items[key] for key in sorted(self._items) if key[0] is kind]

    def memories(self) -> list[Memory]:
        return self._all(ThingKind.MEMORY)

    def powers(self) -> list[Power]:
        return self._all(ThingKind.POWER)

    def rules(self) -> list[Rule]:
        return sorted(self._all(ThingKind.RULE), key=lambda rule: (rule.pack, rule.position))

    def cases(self, task: Task | None = None) -> list[Case]:
        return [case for case in self._all(ThingKind.CASE) if task in (None, case.task)]

    def find_memories(
        self, wanted: MemoryFilter, order: MemoryOrder = MemoryOrder.KEY, *, falling: bool = False
    ) -> list[int]:
        found = [memory for memory in self.memories() if _is_wanted(memory, wanted)]
        return _sorted(found, MEMORY_VALUES[order], falling=falling)

    def find_cases(self, wanted: CaseFilter, order: CaseOrder = CaseOrder.KEY, *, falling: bool = False) -> list[int]:
        text = wanted.text.lower()
        told = [c for c in self.cases(wanted.task) if text in f"{c.text}{c.expected}{c.unwanted}".lower()]
        return _sorted(told, CASE_VALUES[order], falling=falling)

    def memories_by_key(self, keys: Sequence[int]) -> list[Dated[Memory]]:
        return self._dated(ThingKind.MEMORY, keys)

    def cases_by_key(self, keys: Sequence[int]) -> list[Dated[Case]]:
        return self._dated(ThingKind.CASE, keys)

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

    # ---- adding, by what a thing is known by

    def add_memories(self, memories: Iterable[Memory], deed: Deed | None = None) -> Change:
        def find(newcomer: Memory) -> int | None:
            held = self.memories()
            if newcomer.id is not None:
                return next((memory.key for memory in held if memory.id == newcomer.id), None)
            same = (newcomer.triggers[0], newcomer.intent)
            found = [memory for memory in held if (memory.triggers[0], memory.intent) == same]
            oldest = min(found, key=lambda memory: (memory.id is not None, memory.key), default=None)
            return None if oldest is None else oldest.key

        return self._add(ThingKind.MEMORY, memories, find, restated_memory, deed)

    def add_powers(self, powers: Iterable[Power], deed: Deed | None = None) -> Change:
        return self._add(ThingKind.POWER, powers, self._by(ThingKind.POWER, name_of), self._restated_power, deed)

    def put_rules(self, rules: Iterable[Rule], deed: Deed | None = None) -> Change:
        return self._add(ThingKind.RULE, rules, self._by(ThingKind.RULE, name_of), _replaced, deed)

    def add_cases(self, cases: Iterable[Case], deed: Deed | None = None) -> Change:
        return self._add(ThingKind.CASE, cases, self._by(ThingKind.CASE, _text_and_task), _restated, deed)

    def put_memory(self, memory: Memory) -> Memory:
        with self._writing(None):
            return cast("Memory", self._put(memory, anyway=True))

    def remove_memory(self, key: int) -> None:
        with self._writing(None):
            self._set((ThingKind.MEMORY, key), None)

    def remove_cases(self, cases: Iterable[Case]) -> None:
        gone = {(case.task, clean(case.text)) for case in cases}
        with self._writing(None):
            for case in self.cases():
                if (case.task, case.text) in gone:
                    self._set((ThingKind.CASE, case.key or 0), None)

    def _add(
        self,
        kind: ThingKind,
        things: Iterable[Any],
        find: Callable[[Any], int | None],
        restated: Callable[[Any, Any], Any],
        deed: Deed | None,
    ) -> Change:
        before = dict(self._items)
        unchanged = 0
        with self._writing(deed) as source:
            for newcomer in map(cleaned, things):
                key = find(newcomer)
                if key is None:
                    self._set((kind, self._next_key(kind)), newcomer, source)
                elif (thing := restated(self._items[kind, key], newcomer)) == self._items[kind, key]:
                    unchanged += 1
                else:
                    self._set((kind, key), thing, source)
        now = {key: item for key, item in self._items.items() if key[0] is kind}
        added = tuple(key for (_, key) in now.keys() - before.keys())
        updated = tuple(key for (_, key), item in now.items() if (kind, key) in before and before[kind, key] != item)
        return Change(tuple(sorted(added)), updated, unchanged)

    def _by(self, kind: ThingKind, identity: Callable[[Any], Hashable]) -> Callable[[Any], int | None]:
        return lambda new: next((held.key for held in self._all(kind) if identity(held) == identity(new)), None)

    def _restated_power(self, stored: Power, newcomer: Power) -> Power:
        env = newcomer.transport.env
        fresh = {
            name: value for name, value in env.items() if value and value != self._secrets.get((stored.key or 0, name))
        }
        blank = replace(newcomer, transport=replace(newcomer.transport, env=dict.fromkeys(env, "")))
        power = restated_power(stored, blank)
        transport = replace(power.transport, env={**power.transport.env, **fresh})
        return replace(power, transport=transport, approved=power.approved and not fresh)

    # ---- the journal

    def change(
        self, deed: Deed, items: Iterable[Item] = (), gone: Iterable[ItemKey] = (), *, anyway: bool = False
    ) -> Written | None:
        gone = list(gone)
        with self._writing(deed) as source:
            stored = [self._put(item, source, anyway=anyway) for item in items]
            for key in gone:
                self._set(key, None)
        return self._written(stored, gone)

    def edit_memories(self, deed: Deed, keys: Iterable[int], edit: MemoryEdit) -> Written | None:
        with self._writing(deed):
            changed = touched(edit, [dated.item for dated in self.memories_by_key(list(keys))])
            for memory in changed:
                self._set((ThingKind.MEMORY, memory.key or 0), memory)
        return self._written([self._items[ThingKind.MEMORY, memory.key or 0] for memory in changed])

    def count_edited(self, keys: Iterable[int], edit: MemoryEdit) -> int:
        return len(touched(edit, [dated.item for dated in self.memories_by_key(list(keys))]))

    def undo(self, step: int | None = None) -> Written | None:
        standing = [number for number in self._steps if number not in self._undone and step in (None, number)]
        if not standing:
            return None
        written = self._swap(standing[-1], after=standing[-1])
        self._undone.append(standing[-1])
        return written

    def redo(self) -> Written | None:
        if not self._undone:
            return None
        written = self._swap(self._undone[-1], after=None)
        self._undone.pop()
        return written

    def steps(self, most: int = 200) -> list[Step]:
        return [replace(step, undone=step.id in self._undone) for step in reversed(self._steps.values())][:most]

    def history(self, kind: ThingKind, key: int) -> list[Revision]:
        after = self._items.get((kind, key))
        told = []
        for step in self.steps():
            if not step.undone and (kind, key) in self._held[step.id]:
                before = self._held[step.id][kind, key]
                told.append(Revision(step, before, after))
                after = before
        return told

    def binned(self) -> list[Binned]:
        found: dict[ItemKey, Binned] = {}
        for step in self.steps():
            for key, item in self._held[step.id].items():
                if not step.undone and key not in self._items and item is not None:
                    found.setdefault(key, Binned(step, key[0], item))
        return list(found.values())

    def put_back(self, deed: Deed, keys: Iterable[ItemKey]) -> Written | None:
        wanted = set(keys)
        items = [binned.item for binned in self.binned() if binned.key in wanted]
        return self.change(deed, items, anyway=True)

    def empty_bin(self) -> None:
        for binned in self.binned():
            for held in self._held.values():
                held.pop(binned.key, None)
        meant = {*self._different.values(), *self._decided_by.values(), *self._settings_of}
        self._drop([number for number, held in self._held.items() if not held and number not in meant])

    def prune(self, days: int) -> None:
        if days == 0:
            self._drop(list(self._steps))

    def _swap(self, number: int, after: int | None) -> Written:
        held, step = self._held[number], self._steps[number]
        word = "done again" if after is None else "taken back"
        present = {key: self._items.get(key) for key in held}
        expected = self._present[number]
        if any((item.version if item else None) != expected[key] for key, item in present.items()):
            raise KnownError(f"“{step.sentence}” cannot be {word}, because what it changed has been changed again.")
        self._swap_settings(step, word)
        self._present[number] = {key: item.version if item else None for key, item in held.items()}
        for key, item in held.items():
            self._items.pop(key, None)
            if item is not None:
                self._check_name(key, item)
                self._items[key] = _unrevived(item, present[key])
                self._withdraw(key[1], self._items[key])
        self._held[number] = present
        return Written(
            step, [self._items[key] for key, item in held.items() if item], [k for k, item in held.items() if not item]
        )

    def different(self) -> set[Difference]:
        return {pair for pair, number in self._different.items() if number not in self._undone}

    def put_different(self, deed: Deed, pairs: Iterable[Difference]) -> Written | None:
        fresh = [pair for pair in dict.fromkeys(pairs) if pair not in self.different()]
        if not fresh:
            return None
        step = self._bare_step(deed, len(fresh))
        self._different |= dict.fromkeys(fresh, step.id)
        return Written(step)

    def _bare_step(self, deed: Deed, count: int) -> Step:
        """A new step that touches no item."""
        self._drop(self._undone)
        self._number += 1
        self._steps[self._number] = Step(self._number, NOW, deed.verb, deed.subject, count, deed.source)
        self._held[self._number], self._present[self._number] = {}, {}
        return self._steps[self._number]

    def _unsay(self, subjects: set[str]) -> None:
        for number, step in self._steps.items():
            if step.subject in subjects and not self._held[number]:
                self._steps[number] = replace(step, subject="a query")

    def _is_undone(self, step: int) -> bool:
        return step in self._undone

    def _standing_step(self, number: int) -> Step | None:
        return None if number in self._undone else self._steps.get(number)

    def _drop(self, numbers: list[int]) -> None:
        undone = set(numbers) & set(self._undone)
        self._forget_decisions_of(undone)
        self._different = {pair: number for pair, number in self._different.items() if number not in undone}
        for number in numbers:
            del self._steps[number], self._held[number]
            self._settings_of.pop(number, None)
        self._undone = [number for number in self._undone if number in self._steps]

    @contextmanager
    def _writing(self, deed: Deed | None) -> Iterator[str]:
        """One transaction: all or nothing, and a step if there is a deed and anything changes."""
        before, given, secrets = dict(self._items), dict(self._given), dict(self._secrets)
        self._number += 1
        self._last = None
        try:
            yield deed.source if deed else ""
        except BaseException:
            self._items, self._given, self._secrets = before, given, secrets
            raise
        keys = before.keys() | self._items.keys()
        held = {key: before.get(key) for key in sorted(keys) if before.get(key) is not self._items.get(key)}
        if deed is None or not held:
            return
        self._drop(self._undone)
        counts = [counted(kind, n) for kind in sorted(ThingKind) if (n := sum(key[0] is kind for key in held))]
        subject = deed.subject or " and ".join(counts)
        self._steps[self._number] = Step(self._number, NOW, deed.verb, subject, len(held), deed.source)
        self._held[self._number] = held
        self._present[self._number] = {key: self._number if key in self._items else None for key in held}
        self._last = self._number

    def _written(self, items: Sequence[Item] = (), gone: Sequence[ItemKey] = ()) -> Written | None:
        return None if self._last is None else Written(self._steps[self._last], items, gone)

    def _put(self, item: Item, source: str = "", *, anyway: bool) -> Item:
        item = cleaned(item)
        kind = kind_of(item)
        if item.key is None and not isinstance(item, Memory):
            found = self._by(kind, _text_and_task if isinstance(item, Case) else name_of)(item)
            key = (kind, found or self._next_key(kind))
            if found is not None and not anyway:
                raise StoreError(f"A {kind.value} “{name_of(item)}” exists already.")
            if found is not None:
                restated: Callable[[Any, Any], Any] = self._restated_power if isinstance(item, Power) else _restated
                item = restated(self._items[key], item)
        else:
            key = (kind, item.key or self._next_key(kind))
            stored = self._items.get(key)
            if item.key is not None and not anyway and (stored is None or stored.version != item.version):
                raise StaleError(item, stored)
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
            self._secrets |= {(key[1], name): value for name, value in item.transport.env.items() if value}
            item = replace(item, transport=replace(item.transport, env=dict.fromkeys(item.transport.env, "")))
        self._items[key] = replace(item, key=key[1], version=self._number)
        self._withdraw(key[1], item)

    def _next_key(self, kind: ThingKind) -> int:
        return self._given[kind] + 1

    # ---- the rest

    def environment(self, power: Power) -> dict[str, str]:
        return {name: self._secrets.get((power.key or 0, name), "") for name in power.transport.env}

    def secrets_place(self) -> str:
        return "Secrets are kept in memory."

    def secrets_fault(self) -> str | None:
        return None

    def embeddings(self, provenance: Provenance, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        known = self._embeddings
        return {text: known[provenance, clean(text)] for text in texts if (provenance, clean(text)) in known}

    def put_embeddings(self, provenance: Provenance, texts: Sequence[str], vectors: Vectors) -> None:
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
            self.put_setting(key, value)

    def put_setting(self, key: str, value: str | None) -> None:
        self._settings.pop(key, None)
        if value is not None:
            self._settings[key] = clean(value)

    def choose_settings(self, deed: Deed, changes: Mapping[str, str | None]) -> bool:
        fresh = {key: value for key, value in changes.items() if self._settings.get(key) != value}
        if not fresh:
            return False
        before = {key: self._settings.get(key) for key in fresh}
        self.put_settings(fresh)
        step = self._bare_step(deed, len(fresh))
        self._settings_of[step.id] = {key: (before[key], self._settings.get(key)) for key in fresh}
        return True

    def settings_held(self, step: int | None = None, *, redo: bool = False) -> Mapping[str, str | None]:
        standing = [number for number in self._steps if number not in self._undone and step in (None, number)]
        meant = (self._undone if redo else standing)[-1:]
        return {key: held for number in meant for key, (held, _) in self._settings_of.get(number, {}).items()}

    def _swap_settings(self, step: Step, word: str) -> None:
        chosen = self._settings_of.get(step.id, {})
        if any(self._settings.get(key) != present for key, (_, present) in chosen.items()):
            raise KnownError(f"“{step.sentence}” cannot be {word}, because a setting was chosen anew since.")
        if chosen:
            self.put_settings({key: held for key, (held, _) in chosen.items()})
            self._settings_of[step.id] = {key: (present, held) for key, (held, present) in chosen.items()}

    def data_version(self) -> int:
        return 1  # nobody else can write

    def close(self) -> None:
        pass


MEMORY_VALUES: dict[MemoryOrder, Callable[[Memory], Any]] = {
    MemoryOrder.KEY: lambda memory: memory.key,
    MemoryOrder.TRIGGER: lambda memory: memory.triggers[0].lower(),
    MemoryOrder.ID: lambda memory: memory.id and memory.id.lower(),
    MemoryOrder.LABEL: lambda memory: memory.intent and memory.intent.lower(),
    MemoryOrder.RESPONSE: lambda memory: memory.response.lower() or None,
    MemoryOrder.NAMESPACE: lambda memory: memory.namespace.lower(),
    MemoryOrder.TAGS: lambda memory: ",".join(memory.tags).lower() or None,
    MemoryOrder.SUCCESS: lambda memory: memory.success,
    MemoryOrder.USAGE: lambda memory: memory.usage,
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


def _sorted(things: list[Any], value: Callable[[Any], Any], *, falling: bool) -> list[int]:
    there = sorted((thing for thing in things if value(thing) is not None), key=value, reverse=falling)
    if falling:  # a stable sort turned round has turned its ties round, too
        there.sort(key=lambda thing: thing.key)
        there.sort(key=value, reverse=True)
    return [thing.key for thing in (*there, *(thing for thing in things if value(thing) is None))]


def _is_wanted(memory: Memory, wanted: MemoryFilter) -> bool:
    texts = (*memory.triggers, memory.id or "", memory.intent or "", *memory.tags, memory.response)
    words = " ".join("".join(c if c.isalnum() else " " for c in text.lower()) for text in texts).split()
    asked = "".join(c if c.isalnum() else " " for c in wanted.text.lower()).split()
    same = {"namespace": memory.namespace, "label": memory.intent, "source": memory.source, "paused": memory.paused}
    ranges = ((wanted.success, memory.success), (wanted.usage, memory.usage))
    return (
        all(any(word.startswith(start) for word in words) for start in asked)
        and all(getattr(wanted, name) in (None, value) for name, value in same.items())
        and wanted.tag in (None, *memory.tags)
        and all(ends is None or ends[0] <= value <= ends[1] for ends, value in ranges)
        and all(since is None or since <= NOW for since in (wanted.created_from, wanted.updated_from))
        and all(until is None or until > NOW for until in (wanted.created_to, wanted.updated_to))
    )


def _replaced(stored: Item, newcomer: Item) -> Item:
    return replace(newcomer, key=stored.key, version=stored.version)


def _restated(stored: Item, newcomer: Item) -> Item:
    if isinstance(stored, Case) and isinstance(newcomer, Case) and not newcomer.unwanted:
        kept = tuple(name for name in stored.unwanted if name not in newcomer.expected)
        newcomer = replace(newcomer, unwanted=kept)
    return _replaced(stored, newcomer)


def _unrevived(item: Item, now: Item | None) -> Item:
    """The item with its approval only if that holds now for the same transport, or has no environment to it."""
    if not isinstance(item, Power) or not item.transport.env:
        return item
    holds = isinstance(now, Power) and now.approved and now.transport == item.transport
    return replace(item, approved=item.approved and holds)


def _text_and_task(case: Case) -> Hashable:
    return case.task, case.text


def _identity(item: Item) -> Hashable:
    match item:
        case Memory():
            return None if item.id is None else (ThingKind.MEMORY, item.id)
        case Case():
            return ThingKind.CASE, item.task, item.text
        case _:
            return kind_of(item), name_of(item)
