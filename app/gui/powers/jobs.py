"""Jobs of the powers page: search, effects of an edit, storing, secrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.domain.errors import KnownError, StaleError
from app.domain.journal import Edit, ThingKind, about, counted
from app.domain.library import Power
from app.gui.bridge.engine_thread import Worker
from app.services.powers.power_preview import PowerEffect

if TYPE_CHECKING:
    from app.services.powers.power_preview import PowerRank, PowerTrial
    from app.services.workbench import Workbench


@dataclass(frozen=True, slots=True)
class PowersShown:
    """All stored powers, and the rank of the enabled ones for the current query."""

    powers: Sequence[Power]
    standings: Mapping[int, PowerRank]
    query: str


class PowerJobs(QObject):
    """Jobs of the page. A ticket identifies the request of an answer."""

    found = Signal(PowersShown)
    effect_found = Signal(int, PowerEffect)  # ticket, PowerEffect
    saved = Signal(Power, Power)  # power as sent, power as stored
    stale = Signal(StaleError)
    refused = Signal(str)  # sentence: saving, pausing or deleting failed
    done = Signal(str)  # sentence on what was done
    revealed = Signal(int, Mapping)  # key, values by name
    not_revealed = Signal(str)  # sentence
    place_found = Signal(str, bool)  # place of secrets, True for a fallback

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._trial: PowerTrial | None = None

    def load(self, query: str) -> None:
        """Load all powers and their ranks for the query."""

        async def act(bench: Workbench) -> PowersShown:
            powers = await bench.catalogue.powers()
            standings: Mapping[int, PowerRank] = {}
            if query.strip():
                try:
                    standings = await self._trial_of(bench).standings(query)
                except KnownError:
                    standings = {}  # the encoder reports its fault elsewhere
            return PowersShown(powers, standings, query)

        self._worker.do(act, self.found.emit, self.refused.emit)

    def find_effect(self, ticket: int, query: str, draft: Power) -> None:
        """Compute the draft's effect on the query."""

        async def act(bench: Workbench) -> Any:
            return await self._trial_of(bench).effect(query, draft)

        self._worker.do(act, lambda effect: self.effect_found.emit(ticket, effect), lambda _: None)

    def save(self, draft: Power, *, anyway: bool = False) -> None:
        """Store one power as a journal step."""

        async def act(bench: Workbench) -> Any:
            if draft.key is None:
                written = await bench.journal.do(Edit("added", about("the power “{name}”", name=draft.name)), [draft])
                return draft if written is None else written.items[0]
            return await bench.journal.edit(draft, anyway=anyway)

        self._worker.do(act, lambda stored: self.saved.emit(draft, stored), self.refused.emit, self.stale.emit)

    def pause(self, powers: Sequence[Power], *, on: bool) -> None:
        """Pause or enable powers, as one step."""
        changed = [power for power in powers if power.paused is not on]
        if not changed:
            return
        sentence = f"{'Paused' if on else 'Resumed'} {_subject(changed)}."
        self._worker.do(
            lambda bench: bench.journal.pause(changed, on=on), lambda _: self.done.emit(sentence), self.refused.emit
        )

    def delete(self, powers: Sequence[Power]) -> None:
        """Delete powers as one step."""
        keys = [(ThingKind.POWER, power.key) for power in powers if power.key is not None]
        if not powers:
            return
        edit = Edit("deleted", _subject(powers))
        self._worker.do(
            lambda bench: bench.journal.do(edit, gone=keys),
            lambda _: self.done.emit(f"Deleted {edit.subject}."),
            self.refused.emit,
        )

    def reveal(self, power: Power | None) -> None:
        """Load the values of a stored power's environment; a new one has none."""
        if power is None:
            return
        self._worker.do(
            lambda bench: bench.catalogue.environment(power),
            lambda values: self.revealed.emit(power.key, values),
            self.not_revealed.emit,
        )

    def find_place(self) -> None:
        """Find out where values of environments are stored."""
        self._worker.do(
            lambda bench: bench.catalogue.secrets_place(), lambda place: self.place_found.emit(*place), lambda _: None
        )

    def _trial_of(self, bench: Workbench) -> PowerTrial:
        """Return the trial, made on the engine's thread on first use."""
        if self._trial is None:
            from app.services.powers.power_preview import PowerTrial

            self._trial = PowerTrial(bench)
        return self._trial


def _subject(powers: Sequence[Power]) -> str:
    return f"“{powers[0].name}”" if len(powers) == 1 else counted(ThingKind.POWER, len(powers))
