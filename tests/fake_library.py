"""Library in dictionaries, simple enough to be evidently correct."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

from app.adapters.store.writing.writes import cleaned, merged_memory
from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.errors import KnownError
from app.domain.filters import MemoryEdit, touched
from app.domain.intent import Rule
from app.domain.journal import (
    Binned,
    Edit,
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
from app.domain.library import Memory, Power, StoredIntent, StoredIntents
from app.ports.store import Change, DistinctPair
from tests.fake_evaluation_runs import MemoryEvaluationRuns
from tests.fake_items import NOW, MemoryItems, replaced, replaced_case, text_and_task
from tests.fake_llm_answers import MemoryLlmAnswers
from tests.fake_past import MemoryPast
from tests.fake_routes import MemoryRoutes
from tests.fake_use_counts import MemoryUseCounts


class MemoryLibrary(MemoryItems, MemoryPast):
    """Items by key; lost with the process."""

    def __init__(self) -> None:
        super().__init__()
        self.routes = MemoryRoutes(lambda: self.cases(Task.ROUTE))
        self.llm_answers = MemoryLlmAnswers()
        self.evaluation_runs = MemoryEvaluationRuns()
        self.usage_counts = MemoryUseCounts()
        self._steps: dict[int, Step] = {}
        self._held: dict[int, dict[ItemKey, Item | None]] = {}
        self._present: dict[int, dict[ItemKey, int | None]] = {}
        self._undone: list[int] = []
        self._different: dict[DistinctPair, int] = {}
        self._last: int | None = None
        self._is_joined = False
        """True while writes are part of one step."""
        self._settings_of: dict[int, dict[str, tuple[str | None, str | None]]] = {}

    def intents(self, least: float) -> StoredIntents:
        memories, cases = self.memories(), self.cases(Task.INTENT)
        answered = [query for query in self._past.values() if query.kind == "memory"]
        labels = {memory.intent for memory in memories if memory.intent is not None}
        labels |= {name for case in cases for name in case.expected} - NO_MATCH_WORDS

        def counted(label: str) -> StoredIntent:
            held = [memory for memory in memories if memory.intent == label]
            names = {memory.name for memory in held}
            own = [one.threshold for one in held if one.threshold is not None and not one.paused]
            asked = [query.at for query in answered if query.answer in names and query.answer_confidence >= least]
            return StoredIntent(
                label,
                len(held),
                sum(memory.paused for memory in held),
                sum(len(memory.triggers) for memory in held),
                sum(label in case.expected for case in cases),
                sum(label in (*case.expected, *case.unwanted) for case in cases),
                max(own, default=None),
                max(asked, default=""),
            )

        state = (max((case.version for case in cases), default=0), sum(case.key or 0 for case in cases))
        unlabelled = sum(memory.intent is None for memory in memories)
        return StoredIntents(tuple(map(counted, sorted(labels))), unlabelled, len(cases), state)

    # ---- adding, by unique field

    def add_memories(self, memories: Iterable[Memory], edit: Edit | None = None) -> Change:
        def find(newcomer: Memory) -> int | None:
            held = self.memories()
            if newcomer.id is not None:
                return next((memory.key for memory in held if memory.id == newcomer.id), None)
            same = (newcomer.triggers[0], newcomer.intent)
            found = [memory for memory in held if (memory.triggers[0], memory.intent) == same]
            oldest = min(found, key=lambda memory: (memory.id is not None, memory.key), default=None)
            return None if oldest is None else oldest.key

        return self._add(ThingKind.MEMORY, memories, find, merged_memory, edit)

    def add_powers(self, powers: Iterable[Power], edit: Edit | None = None) -> Change:
        return self._add(ThingKind.POWER, powers, self._by(ThingKind.POWER, name_of), self._restated_power, edit)

    def put_rules(self, rules: Iterable[Rule], edit: Edit | None = None) -> Change:
        return self._add(ThingKind.RULE, rules, self._by(ThingKind.RULE, name_of), replaced, edit)

    def add_cases(self, cases: Iterable[Case], edit: Edit | None = None) -> Change:
        return self._add(ThingKind.CASE, cases, self._by(ThingKind.CASE, text_and_task), replaced_case, edit)

    def add_kinds(self, kinds: Sequence[tuple[str, Iterable[Any]]], edit: Edit | None = None) -> list[Change]:
        adders: dict[str, Callable[..., Change]] = {
            "memories": self.add_memories,
            "powers": self.add_powers,
            "rules": self.put_rules,
            "cases": self.add_cases,
        }
        with self._writing(edit):
            self._is_joined = True
            try:
                return [adders[kind](things, edit) for kind, things in kinds]
            finally:
                self._is_joined = False

    def put_memory(self, memory: Memory) -> Memory:
        with self._writing(None):
            return cast("Memory", self._put(memory, anyway=True))

    def remove_memory(self, key: int) -> None:
        with self._writing(None):
            self._set((ThingKind.MEMORY, key), None)

    def _add(
        self,
        kind: ThingKind,
        things: Iterable[Any],
        find: Callable[[Any], int | None],
        restated: Callable[[Any, Any], Any],
        edit: Edit | None,
    ) -> Change:
        before = dict(self._items)
        unchanged = 0
        with self._writing(edit) as source:
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

    # ---- the journal

    def change(
        self, edit: Edit, items: Iterable[Item] = (), gone: Iterable[ItemKey] = (), *, anyway: bool = False
    ) -> Written | None:
        items = list(items)
        kept = {(kind_of(item), item.key) for item in items}
        gone = [key for key in gone if key not in kept]
        with self._writing(edit) as source:
            for key in gone:
                self._set(key, None)
            stored = [self._put(item, source, anyway=anyway) for item in items]
        return self._written(stored, gone)

    def edit_memories(self, edit: Edit, keys: Iterable[int], change: MemoryEdit) -> Written | None:
        with self._writing(edit):
            changed = touched(change, [dated.item for dated in self.memories_by_key(list(keys))])
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

    def steps(self, most: int = 200, by: str | None = None) -> list[Step]:
        found = [step for step in reversed(self._steps.values()) if by in (None, step.author)][:most]
        return [replace(step, undone=step.id in self._undone) for step in found]

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

    def put_back(self, edit: Edit, keys: Iterable[ItemKey]) -> Written | None:
        wanted = set(keys)
        items = [binned.item for binned in self.binned() if binned.key in wanted]
        return self.change(edit, items, anyway=True)

    def empty_bin(self) -> None:
        for binned in self.binned():
            for held in self._held.values():
                held.pop(binned.key, None)
        meant = {
            *self._different.values(),
            *(step for by_step in self._decided.values() for step in by_step),
            *self._settings_of,
        }
        self._drop([number for number, held in self._held.items() if not held and number not in meant])

    def prune(self, days: int) -> None:
        if days == 0:
            self._drop(list(self._steps))

    def _swap(self, number: int, after: int | None) -> Written:
        held, step = self._held[number], self._steps[number]
        word = "redone" if after is None else "undone"
        present = {key: self._items.get(key) for key in held}
        expected = self._present[number]
        if any((item.version if item else None) != expected[key] for key, item in present.items()):
            raise KnownError(f"“{step.sentence}” cannot be {word}, because the same item was changed again.")
        self._swap_settings(step, word)
        self._present[number] = {key: item.version if item else None for key, item in held.items()}
        for key in held:
            self._items.pop(key, None)
        for key, item in held.items():
            if item is not None:
                self._check_name(key, item)
                self._items[key] = _unrevived(item, present[key])
                self._withdraw(key[1], self._items[key])
        self._held[number] = present
        return Written(
            step, [self._items[key] for key, item in held.items() if item], [k for k, item in held.items() if not item]
        )

    def distinct_pairs(self) -> set[DistinctPair]:
        return {pair for pair, number in self._different.items() if number not in self._undone}

    def put_distinct_pairs(self, edit: Edit, pairs: Iterable[DistinctPair]) -> Written | None:
        fresh = [pair for pair in dict.fromkeys(pairs) if pair not in self.distinct_pairs()]
        if not fresh:
            return None
        step = self._bare_step(edit, len(fresh))
        self._different |= dict.fromkeys(fresh, step.id)
        return Written(step)

    def _bare_step(self, edit: Edit, count: int) -> Step:
        """Add a step that touches no item."""
        self._drop(self._undone)
        self._number += 1
        self._steps[self._number] = Step(self._number, NOW, edit.verb, edit.subject, count, edit.source)
        self._held[self._number], self._present[self._number] = {}, {}
        return self._steps[self._number]

    def _unsay(self, subjects: set[str]) -> None:
        for number, step in self._steps.items():
            if step.subject in subjects and not self._held[number]:
                self._steps[number] = replace(step, subject="a query")

    def _name_of(self, memory: int) -> str:
        item = self._items.get((ThingKind.MEMORY, memory))
        return "" if item is None else name_of(item)

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
    def _writing(self, edit: Edit | None) -> Iterator[str]:
        """Open a transaction: all or nothing, and a step if there is an edit and a change."""
        if self._is_joined:  # part of an outer one
            yield edit.source if edit else ""
            return
        before, given, secrets = dict(self._items), dict(self._given), dict(self._secrets)
        self._number += 1
        self._last = None
        try:
            yield edit.source if edit else ""
        except BaseException:
            self._items, self._given, self._secrets = before, given, secrets
            raise
        keys = before.keys() | self._items.keys()
        held = {key: before.get(key) for key in sorted(keys) if before.get(key) is not self._items.get(key)}
        if edit is None or not held:
            return
        self._drop(self._undone)
        counts = [counted(kind, n) for kind in ThingKind if (n := sum(key[0] is kind for key in held))]
        subject = edit.subject or " and ".join(filter(None, (", ".join(counts[:-1]), counts[-1])))
        self._steps[self._number] = Step(self._number, NOW, edit.verb, subject, len(held), edit.source)
        self._held[self._number] = held
        self._present[self._number] = {key: self._number if key in self._items else None for key in held}
        self._last = self._number

    def _written(self, items: Sequence[Item] = (), gone: Sequence[ItemKey] = ()) -> Written | None:
        return None if self._last is None else Written(self._steps[self._last], items, gone)

    # ---- the rest

    def choose_settings(self, edit: Edit, changes: Mapping[str, str | None]) -> bool:
        fresh = {key: value for key, value in changes.items() if self._settings.get(key) != value}
        if not fresh:
            return False
        before = {key: self._settings.get(key) for key in fresh}
        self.put_settings(fresh)
        step = self._bare_step(edit, len(fresh))
        self._settings_of[step.id] = {key: (before[key], self._settings.get(key)) for key in fresh}
        return True

    def settings_of_step(self, step: int | None = None, *, redo: bool = False) -> Mapping[str, str | None]:
        standing = [number for number in self._steps if number not in self._undone and step in (None, number)]
        meant = (self._undone if redo else standing)[-1:]
        return {key: held for number in meant for key, (held, _) in self._settings_of.get(number, {}).items()}

    def _swap_settings(self, step: Step, word: str) -> None:
        chosen = self._settings_of.get(step.id, {})
        if any(self._settings.get(key) != present for key, (_, present) in chosen.items()):
            raise KnownError(f"“{step.sentence}” cannot be {word}, because a setting was set again since.")
        if chosen:
            self.put_settings({key: held for key, (held, _) in chosen.items()})
            self._settings_of[step.id] = {key: (present, held) for key, (held, present) in chosen.items()}


def _unrevived(item: Item, now: Item | None) -> Item:
    """Return the item, approved only if it is now for the same transport.

    A power without an environment stays approved.
    """
    if not isinstance(item, Power) or not item.transport.env:
        return item
    holds = isinstance(now, Power) and now.approved and now.transport == item.transport
    return replace(item, approved=item.approved and holds)
