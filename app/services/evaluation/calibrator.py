"""The scales of `calibrated`: fitted on what is taught, kept in the profile, fitted again when much has changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from threading import Event

from app.domain.confidence import SHIPPED_MEMORIES, SHIPPED_POWERS, Calibration, Chance
from app.domain.encoder import Provenance
from app.domain.errors import KnownError
from app.domain.scope.fits import FitPolicy
from app.ports.encoder import CalibrationStore, Embedder
from app.scoring.chances import fitted, is_much_the_same, sketch
from app.scoring.combiners import combiner_for
from app.scoring.index.layout import Layout
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.library.leaving_out import AT_ONCE, MOST_ASKED, MOST_PRODUCTS, left_out
from app.services.engine.engine import Engine
from app.services.engine.typing_priority import TypingPriority
from app.settings.model import Settings

LOOK_SECONDS = 10.0
"""What is taught is looked at so often; while somebody teaches or types, it can wait."""

GIVE_WAY_AFTER = 2_000
"""So many triggers are digested between two looks at the keyboard."""


class CalibrationStoppedError(KnownError):
    """A fit was given up before its end."""


def wants_scales(settings: Settings) -> bool:
    """Whether a confidence is told by a scale under these settings."""
    return any(combiner_for(settings, power=power).is_calibrated for power in (False, True))


class Calibrator:
    """One engine's scales. All methods run on the asyncio thread; what takes long runs on another.

    `adopt` is told the scales to tell by; they are of the encoder and the library of that moment.
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
        """Whether what this process reads is what others of the profile read, and so may be stored."""
        self._held: Calibration | None = None
        self._settled: tuple[int, Provenance] | None = None
        self._turn = asyncio.Lock()
        self.progress = (0, 0)
        """How many questions of a fit are asked, about, and how many are to be; (0, 0) while nothing is fitted."""

    async def keep_up(self, ready: asyncio.Event) -> None:
        """Once all vectors are there, and again and again from there on, see that the scales are of what is taught,
        until cancelled."""
        await ready.wait()
        await self.settle()
        seen = self._engine.index.changes
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            before, seen = seen, self._engine.index.changes
            if before == seen and not self._typing_priority.is_typing:
                await self.settle()

    async def settle(self, wanted_by: Settings | None = None) -> None:
        """Have the scales of what is taught now, if they are wanted by the settings in force, or by these: those that
        are kept, or new ones.

        Nothing happens while vectors are missing, or if the library is changed meanwhile; cancelling gives it up.
        """
        async with self._turn:
            engine, index = self._engine, self._engine.index
            encoder, changes = engine.encoder, index.changes
            if encoder is None or not wants_scales(wanted_by or engine.settings) or index.unembedded():
                return
            if engine.candidates is not None:
                return  # the index holds what was asked for lately: no scale of that is one of the library
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
        """What is kept or fitted; None where that was given up, or the library changed on the way."""
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
        if kept is not None and (is_much_the_same(kept.library, now) or self._uses_stale(kept)):
            return kept
        if self.policy is FitPolicy.NEVER:
            raise CalibrationStoppedError("Scales are fitted by windows, engines and commands.")
        memories, powers = self._fitted(layout, between)
        made = Calibration(memories, powers, name, now, self._wall_seconds())
        if self._kept is not None and self.is_own_view():
            self._kept.save(made)
        return made

    def _uses_stale(self, kept: Calibration) -> bool:
        """Whether scales of another library are used as they are, as commands use those of windows and engines."""
        is_fitted = not (kept.memories.is_shipped and kept.powers.is_shipped)
        return self.policy is not FitPolicy.REFIT and is_fitted and self.is_own_view()

    def _fitted(self, layout: Layout, between: Callable[[], None]) -> list[Chance]:
        """The scale of memories and that of powers, those that ship where too little is taught."""
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
    """How much there is to ask of one kind, at most, and in how many steps, about."""

    questions: int
    steps: int

    @classmethod
    def of(cls, index: TriggerIndex, slots: Iterable[int]) -> _Work:
        triggers = sum(len(index.candidate(slot).rows) for slot in slots)
        questions = min(triggers, MOST_ASKED, MOST_PRODUCTS // triggers) if triggers else 0
        return cls(questions, max(1, -(-questions * triggers // AT_ONCE)))

    def asked(self, steps: int) -> int:
        """How many are asked after so many steps."""
        return self.questions * min(steps, self.steps) // self.steps


def _taught(index: TriggerIndex, layout: Layout, between: Callable[[], None]) -> Iterator[tuple[str, str]]:
    """Every trigger with what it stands for."""
    for place, slot in enumerate(layout.slots.tolist()):
        answer = index.candidate(slot).answer
        name = f"{answer.kind} {answer.answer_label or answer.name}"
        for trigger in answer.triggers or (answer.name,):
            yield name, trigger
        if place % GIVE_WAY_AFTER == 0:
            between()
