"""Packs as files, and what a reset or an import of one would change before it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from app.detect.pattern_advice import rule_fault
from app.domain.errors import KnownError
from app.domain.intent import Rule
from app.domain.journal import Deed, Written
from app.services.journal import Desk, Journal
from app.services.outside import PackFiles

_ASIDE = ("id", "key", "version", "position")
"""What a change of a rule is not told by; that the order changes is told for the pack."""


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
        self, desk: Desk, journal: Journal, shipped: Callable[[], list[Rule]], files: PackFiles | None = None
    ) -> None:
        self._desk, self._journal, self._shipped, self._files = desk, journal, shipped, files

    async def stored(self) -> tuple[list[Rule], list[Rule]]:
        """All rules as they are, and all rules that ship; StoreError."""
        return await self._desk.in_store(lambda library: (library.rules(), self._shipped()))

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
        found = await self._desk.in_store(lambda _: files.read(path))
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
