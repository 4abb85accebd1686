"""Rules and their packs as people edit them: order, on and off, weights, and back to what ships (S3.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from app.detect.pattern_advice import rule_fault
from app.domain.errors import KnownError
from app.domain.intent import Rule
from app.domain.journal import Deed, ThingKind, Written
from app.services.core import Core
from app.services.engine.adapters import PackFiles
from app.services.library.journal import WINDOW, Journal


class RuleBook:
    """The packs of one library; every verb is one step of the journal and returns it, None if nothing changed."""

    def __init__(self, core: Core, journal: Journal, shipped: Callable[[], list[Rule]]) -> None:
        self._core = core
        self._journal = journal
        self._shipped = shipped

    async def rules(self, pack: str | None = None) -> list[Rule]:
        """The rules of a pack, or of all, each pack in its order."""
        rules = await self._core.in_store(lambda library: library.rules())
        return [rule for rule in rules if pack in (None, rule.pack)]

    async def enable(self, pack: str, *, on: bool, source: str = WINDOW) -> Written | None:
        """Switch every rule of a pack on or off."""
        changed = [replace(rule, enabled=on) for rule in await self.rules(pack)]
        deed = Deed("switched on" if on else "switched off", f"the pack “{pack}”", source)
        return await self._journal.do(deed, changed)

    async def switch(self, rules: Sequence[Rule], *, on: bool, source: str = WINDOW) -> Written | None:
        """Switch these rules on or off."""
        changed = [replace(rule, enabled=on) for rule in rules]
        subject = f"“{rules[0].id}”" if len(rules) == 1 else ""
        return await self._journal.do(Deed("switched on" if on else "switched off", subject, source), changed)

    async def store(self, rule: Rule, *, source: str = WINDOW) -> Rule:
        """Store a rule as it is written, new or edited; the rule as it is stored then. StaleError."""
        verb = "edited" if rule.key is not None else "added"
        written = await self._journal.do(Deed(verb, f"“{rule.id}”", source), [rule])
        item = rule if written is None else written.items[0]
        assert isinstance(item, Rule), "a rule stays one"
        return item

    async def order(self, pack: str, ids: Sequence[str], *, source: str = WINDOW) -> Written | None:
        """Put the rules of a pack into the order of these ids; those that are not named come after, as they were."""
        rules = {rule.id: rule for rule in await self.rules(pack)}
        named = [rules.pop(name) for name in dict.fromkeys(ids) if name in rules]
        placed = [replace(rule, position=place) for place, rule in enumerate((*named, *rules.values()))]
        return await self._journal.do(Deed("ordered", f"the pack “{pack}”", source), placed)

    async def reset(self, pack: str, *, source: str = WINDOW) -> Written | None:
        """Make a pack what it was when it came with the program; KnownError if it did not."""
        shipped = {rule.id: rule for rule in self._shipped() if rule.pack == pack}
        if not shipped:
            raise KnownError(f"The pack “{pack}” did not come with the program, so there is nothing to reset it to.")
        everywhere = {rule.id: rule for rule in await self.rules()}
        renewed = [
            replace(rule, key=held.key, version=held.version) if (held := everywhere.get(rule.id)) else rule
            for rule in shipped.values()
        ]
        added = [rule for rule in everywhere.values() if rule.pack == pack and rule.id not in shipped]
        gone = [(ThingKind.RULE, rule.key) for rule in added if rule.key is not None]
        return await self._journal.do(Deed("reset", f"the pack “{pack}”", source), renewed, gone)

    async def delete(self, rules: Sequence[Rule], *, source: str = WINDOW) -> Written | None:
        """Delete rules of one's own; KnownError for one that ships, which would be back at the next start."""
        shipped = {rule.id for rule in self._shipped()}
        if kept := [rule.id for rule in rules if rule.id in shipped]:
            raise KnownError(f"“{kept[0]}” came with the program and stays: switch it off instead.")
        name = rules[0].id if len(rules) == 1 else ""
        keys = [(ThingKind.RULE, rule.key) for rule in rules if rule.key is not None]
        return await self._journal.delete(keys, name=name, source=source)


# --------------------------------------------------------------------------------------------------------------------
# Packs as files, and what a reset or an import of one would change before it does

_ASIDE = ("id", "key", "version", "position")
"""What a change of a rule is not reported by; that the order changes is reported for the pack."""


@dataclass(frozen=True, slots=True)
class RuleChange:
    """What would become of one rule: None before for a new one, None after for one that would be deleted."""

    before: Rule | None
    after: Rule | None

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields that differ; none for a rule that comes or goes."""
        if self.before is None or self.after is None:
            return ()
        return tuple(
            one.name
            for one in fields(Rule)
            if one.name not in _ASIDE and getattr(self.before, one.name) != getattr(self.after, one.name)
        )


@dataclass(frozen=True, slots=True)
class PackPlan:
    """What a deed would change of a pack; `reordered` says if rules that are not named move.

    `rules` are what an import would store; `problems` are sentences on rules of a file that would be left out.
    """

    pack: str
    changes: tuple[RuleChange, ...]
    reordered: bool = False
    rules: tuple[Rule, ...] = ()
    problems: tuple[str, ...] = ()
    source: str = ""

    @property
    def is_empty(self) -> bool:
        return not self.changes and not self.reordered


class RulePacks:
    """The packs of one library, as they ship and as files."""

    def __init__(
        self, core: Core, journal: Journal, shipped: Callable[[], list[Rule]], files: PackFiles | None = None
    ) -> None:
        self._core, self._journal, self._shipped, self._files = core, journal, shipped, files

    async def stored(self) -> tuple[list[Rule], list[Rule]]:
        """All rules as they are, and all rules that ship; StoreError."""
        return await self._core.in_store(lambda library: (library.rules(), self._shipped()))

    async def plan_reset(self, pack: str) -> PackPlan:
        """What it would change to make a pack what it was when it came with the program."""
        stored, shipped = await self.stored()
        by_id = {rule.id: rule for rule in stored}
        wanted = {rule.id: rule for rule in shipped if rule.pack == pack}
        changes = _changes(by_id, wanted.values())
        changes += [RuleChange(rule, None) for rule in stored if rule.pack == pack and rule.id not in wanted]
        return PackPlan(pack, tuple(changes), _is_reordered(by_id, wanted.values()))

    async def plan_import(self, path: Path) -> PackPlan:
        """What it would change to take in a file; FormatError if it is none, KnownError where no file can be read."""
        files = self._with_files()
        found = await self._core.in_store(lambda _: files.read(path))
        stored, _ = await self.stored()
        good = [rule for rule in found if rule_fault(rule) is None]
        problems = tuple(f"{rule.id}: {fault}" for rule in found if (fault := rule_fault(rule)) is not None)
        by_id = {rule.id: rule for rule in stored}
        held = [_as_held(by_id, rule) for rule in good]
        name = found[0].pack if found else path.stem
        changes = tuple(_changes(by_id, held))
        return PackPlan(name, changes, _is_reordered(by_id, held), tuple(held), problems, path.name)

    async def take(self, plan: PackPlan) -> Written | None:
        """Do what a plan of an import says; StaleError if a rule was changed since."""
        return await self._journal.do(Deed("imported", f"the pack “{plan.pack}”", plan.source), plan.rules)

    async def text(self, pack: str) -> str:
        """A pack as the text of a file that reads back as the same rules; FormatError."""
        files = self._with_files()
        stored, _ = await self.stored()
        return files.text(pack, pack, [rule for rule in stored if rule.pack == pack])

    def _with_files(self) -> PackFiles:
        if self._files is None:
            raise KnownError("Packs cannot be read from files or written to them here.")
        return self._files


def _as_held(by_id: Mapping[str, Rule], rule: Rule) -> Rule:
    held = by_id.get(rule.id)
    return rule if held is None else replace(rule, key=held.key, version=held.version)


def _changes(by_id: Mapping[str, Rule], wanted: Iterable[Rule]) -> list[RuleChange]:
    made = [RuleChange(by_id.get(rule.id), rule) for rule in wanted]
    return [change for change in made if change.before is None or change.fields]


def _is_reordered(by_id: Mapping[str, Rule], wanted: Iterable[Rule]) -> bool:
    known = [rule for rule in wanted if rule.id in by_id]
    return [r.id for r in sorted(known, key=lambda rule: by_id[rule.id].position)] != [r.id for r in known]
