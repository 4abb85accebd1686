"""Scales of `calibrated`: fitted, stored in the profile, refitted after large changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from threading import Event

from app.domain.confidence import SHIPPED_MEMORIES, SHIPPED_POWERS, Calibration, Chance
from app.domain.encoder import Provenance
from app.domain.errors import KnownError
from app.domain.fits import FitPolicy
from app.ports.encoder import CalibrationStore, Embedder
from app.scoring.chances import fitted, is_much_the_same, sketch
from app.scoring.combiners import combiner_for
from app.scoring.index.layout import Layout
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.leaving_out import AT_ONCE, MOST_ASKED, MOST_PRODUCTS, left_out
from app.services.engine.engine import Engine
from app.services.engine.typing_priority import TypingPriority
from app.settings.model import Settings

LOOK_SECONDS = 10.0
"""Interval in s between checks of the library; skipped while the user types."""

GIVE_WAY_AFTER = 2_000
"""Number of triggers processed between two checks for typing."""


class CalibrationStoppedError(KnownError):
    """A fit was stopped before its end."""


def wants_scales(settings: Settings) -> bool:
    """Check if these settings use calibrated confidences."""
    return any(combiner_for(settings, power=power).is_calibrated for power in (False, True))


class Calibrator:
    """Scales of one engine. All methods run on the asyncio thread; long work runs on another.

    `adopt` receives the scales to use; they belong to the encoder and library of that moment.
    """

    def __init__(
        self,
        kept: CalibrationStore | None,
        wall_seconds: Callable[[], float],
        engine: Engine,
        typing_priority: TypingPriority,
        adopt: Callable[[Calibration], None],
    ) -> None:
        self._kept = kept
        self._wall_seconds = wall_seconds
        self._engine = engine
        self._typing_priority = typing_priority
        self._adopt = adopt
        self.policy = FitPolicy.REFIT
        self.is_own_view: Callable[[], bool] = lambda: True
        """True if this process reads what others of the profile read, so that scales may be stored."""
        self._held: Calibration | None = None
        self._settled: tuple[int, Provenance] | None = None
        self._turn = asyncio.Lock()
        self.progress = (0, 0)
        """Approximate progress of a fit as (questions asked, in total); (0, 0) without a fit."""

    async def keep_up(self, ready: asyncio.Event) -> None:
        """Keep the scales up to date with the library, once all vectors exist, until cancelled."""
        await ready.wait()
        await self.settle()
        seen = self._engine.index.changes
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            before, seen = seen, self._engine.index.changes
            if before == seen and not self._typing_priority.is_typing:
                await self.settle()

    async def settle(self, wanted_by: Settings | None = None) -> None:
        """Use current scales, stored or new, if the settings in force or these need them.

        Does nothing while vectors are missing, or if the library changes meanwhile; cancelling stops the fit.
        """
        async with self._turn:
            engine, index = self._engine, self._engine.index
            encoder, changes = engine.encoder, index.changes
            if encoder is None or not wants_scales(wanted_by or engine.settings) or index.unembedded():
                return
            if engine.candidates is not None:
                return  # the index contains recently asked candidates only, not the library
            if self._settled == (changes, encoder.provenance):
                return
            found = await self._found(encoder, index.layout())
            if found is None or index.changes != changes or engine.encoder is not encoder:
                return
            self._settled = changes, encoder.provenance
            if found != self._held:
                self._held = found
                self._adopt(found)

    async def _found(self, encoder: Embedder, layout: Layout) -> Calibration | None:
        """Return stored or fitted scales; None if stopped or if the library changed meanwhile."""
        stop = Event()

        def between() -> None:
            if stop.is_set():
                raise CalibrationStoppedError("The fit was stopped.")
            self._typing_priority.yield_to_typing()

        try:
            return await asyncio.to_thread(self._work, encoder.provenance, layout, between)
        except (LookupError, CalibrationStoppedError):
            return None
        finally:
            stop.set()
            self.progress = (0, 0)

    def _work(self, provenance: Provenance, layout: Layout, between: Callable[[], None]) -> Calibration:
        index, name = self._engine.index, f"{provenance.encoder} {provenance.revision}"
        now = sketch(_taught(index, layout, between))
        kept = self._held
        if kept is None and self._kept is not None:
            kept = self._kept.load()
        if kept is not None and kept.encoder != name:
            kept = None
        if kept is not None:
            is_fitted = not (kept.memories.is_shipped and kept.powers.is_shipped)
            uses_stale = self.policy is not FitPolicy.REFIT and is_fitted and self.is_own_view()
            if uses_stale or is_much_the_same(kept.library, now):
                return kept
        if self.policy is FitPolicy.NEVER:
            raise CalibrationStoppedError("Scales are fitted by windows, engines and commands.")
        memories, powers = self._fitted(layout, between)
        made = Calibration(memories, powers, name, now, self._wall_seconds())
        if self._kept is not None and self.is_own_view():
            self._kept.save(made)
        return made

    def _fitted(self, layout: Layout, between: Callable[[], None]) -> list[Chance]:
        """Fit the scales of memories and of powers; shipped ones if there is too little data."""
        index, scales = self._engine.index, list[Chance]()
        kinds = ((False, SHIPPED_MEMORIES, layout.memory_places), (True, SHIPPED_POWERS, layout.power_places))
        works = [_Work.of(index, layout.slots[places].tolist()) for _, _, places in kinds]
        before, total = 0, sum(work.questions for work in works)
        for (power, shipped, _), work in zip(kinds, works, strict=True):
            self.progress = (before, total)
            steps = count(1)

            def stepped(before: int = before, work: _Work = work, steps: Iterator[int] = steps) -> None:
                between()
                self.progress = (before + work.asked(next(steps)), total)

            outcome = left_out(index, layout, power=power, between=stepped)
            scales.append(shipped if outcome is None else fitted(outcome))
            before += work.questions
        return scales


@dataclass(frozen=True, slots=True)
class _Work:
    """Approximate upper limit of the questions of one kind, and their number of steps."""

    questions: int
    steps: int

    @classmethod
    def of(cls, index: TriggerIndex, slots: Iterable[int]) -> _Work:
        triggers = sum(len(index.candidate(slot).rows) for slot in slots)
        questions = min(triggers, MOST_ASKED, MOST_PRODUCTS // triggers) if triggers else 0
        return cls(questions, max(1, -(-questions * triggers // AT_ONCE)))

    def asked(self, steps: int) -> int:
        """Return the number of questions after this many steps."""
        return self.questions * min(steps, self.steps) // self.steps


def _taught(index: TriggerIndex, layout: Layout, between: Callable[[], None]) -> Iterator[tuple[str, str]]:
    """Yield every trigger with the name of its answer."""
    for place, slot in enumerate(layout.slots.tolist()):
        answer = index.candidate(slot).answer
        name = f"{answer.kind} {answer.answer_label or answer.name}"
        for trigger in answer.triggers or (answer.name,):
            yield name, trigger
        if place % GIVE_WAY_AFTER == 0:
            between()
