"""Layered settings of a profile: file, environment, command line, and its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from app.domain.confidence import Calibration
from app.domain.fits import Learned
from app.services.engine.adapters import SettingsFile, SettingsRead
from app.settings.model import Layered, Settings, SettingsError, SettingsSources, is_accepted, layer
from app.settings.refusals import ORIGINS


class LayeredSettings:
    """Layers of settings and their merged values; does not access the store."""

    def __init__(self, sources: SettingsSources, fault: str | None = None) -> None:
        self._sources = sources
        self._fault = fault
        self._here: Mapping[str, object] = {}
        self._layered = Layered(Settings(), {})
        self.calibration = Calibration()
        self.learned = Learned()
        """Weights in use under any settings, as are the scales."""

    @property
    def values(self) -> Settings:
        return self._layered.values.with_calibration(self.calibration).with_learned(self.learned)

    @property
    def origins(self) -> Mapping[str, str]:
        """Source of each dotted key's value."""
        return self._layered.origins

    @property
    def passed_over(self) -> str:
        """Sentences on unusable variables of other programs; "" for none."""
        return " ".join(self._sources.passed_over)

    @property
    def note(self) -> str:
        """Sentences on settings and values of earlier versions, "" for none."""
        return self._layered.note

    def set_sources(self, sources: SettingsSources | None, fault: str | None) -> None:
        """Set the external layers (None keeps them); `apply` applies them."""
        self._sources, self._fault = sources or self._sources, fault

    def apply(self, kept: Mapping[str, object]) -> str | None:
        """Apply the profile's own settings; refused ones are left out and reported in sentences."""
        sentences = [] if self._fault is None else [self._fault]
        here = dict(kept)
        try:
            layered = layer(self._sources, here=here)
        except SettingsError:
            here, refused = self._accepted(here)
            layered = layer(self._sources, here=here)
            sentences += [f"{sentence} It is left out." for sentence in refused]
        self._layered, self._here = layered, here
        return " ".join(sentences) or None

    def choosing(self, kept: Mapping[str, object], changes: Mapping[str, str | None]) -> LayeredSettings:
        """Return the settings with changed (None: removed) own values; raises SettingsError."""
        here: dict[str, object] = {name: old for name, old in kept.items() if name not in changes}
        chosen = {key: value for key, value in changes.items() if value is not None}
        try:
            layered = layer(self._sources, here={**here, **chosen})
        except SettingsError:
            if is_accepted(kept, self._sources):
                raise  # the change is refused, not an earlier value
            here, _ = self._accepted(here)
            layered = layer(self._sources, here={**here, **chosen})
        for key in chosen:
            if layered.origins[key] != "here":
                raise SettingsError(
                    f"{key} is set by {ORIGINS[layered.origins[key]]}, which wins over a choice made here."
                )
        life = LayeredSettings(self._sources, self._fault)
        life._layered, life._here = layered, {**here, **chosen}
        life.calibration, life.learned = self.calibration, self.learned
        return life

    def sources_under(self, changes: Mapping[str, str]) -> SettingsSources:
        """Return the external layers with these values added as command-line settings."""
        return replace(self._sources, command_line={**self._sources.command_line, **changes})

    def under(self, changes: Mapping[str, str]) -> Settings:
        """Return the settings with these values as command-line settings; raises SettingsError."""
        values = layer(self.sources_under(changes), here=self._here).values
        return values.with_calibration(self.calibration).with_learned(self.learned)

    def _accepted(self, here: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
        """Split the profile's settings into accepted ones, each on top of the earlier, and refusals."""
        accepted: dict[str, object] = {}
        refused: list[str] = []
        for key, value in here.items():
            try:
                layer(self._sources, here={**accepted, key: value})
            except SettingsError as error:
                refused.append(str(error))
            else:
                accepted[key] = value
        return accepted, refused


# ---- Watching the settings file: valid changes are applied, invalid ones reported

LOOK_SECONDS = 2.0
"""Interval of polling the file's stat, in seconds."""

SETTLE_SECONDS = 0.2
"""Delay between a change and reading the file, in seconds: a write may be in progress."""


async def follow(file: SettingsFile, take: Callable[[SettingsRead], Awaitable[None]]) -> None:
    """Follow changes of the file until cancelled."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if await asyncio.to_thread(file.has_changed):
            await asyncio.sleep(SETTLE_SECONDS)
            await take(await asyncio.to_thread(file.read))
