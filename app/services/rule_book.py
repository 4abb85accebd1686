"""Rules and their packs as people edit them: order, on and off, weights, and back to what ships (S3.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.domain.errors import KnownError
from app.domain.intent import Rule
from app.domain.journal import Deed, ThingKind, Written
from app.services.journal import WINDOW, Desk, Journal


class RuleBook:
    """The packs of one library; every verb is one step of the journal and returns it, None if nothing changed."""

    def __init__(self, desk: Desk, journal: Journal, shipped: Callable[[], list[Rule]]) -> None:
        self._desk = desk
        self._journal = journal
        self._shipped = shipped

    async def rules(self, pack: str | None = None) -> list[Rule]:
        """The rules of a pack, or of all, each pack in its order."""
        rules = await self._desk.in_store(lambda library: library.rules())
        return [rule for rule in rules if pack in (None, rule.pack)]

    async def enable(self, pack: str, *, on: bool, source: str = WINDOW) -> Written | None:
        """Switch every rule of a pack on or off."""
        changed = [replace(rule, enabled=on) for rule in await self.rules(pack)]
        deed = Deed("switched on" if on else "switched off", f"the pack “{pack}”", source)
        return await self._journal.do(deed, changed)

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
