"""The settings in force at one desk: what was said outside, and what was chosen here."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from app.domain.confidence import Calibration
from app.domain.language import say
from app.domain.scope.logit import Learned
from app.services.engine.adapters import Said, SettingsFile
from app.settings.model import Layered, Settings, SettingsError, SettingsSources, layer
from app.settings.refusals import ORIGINS


class LayeredSettings:
    """Everything that was said about settings, laid over each other; nothing here reads or writes the store."""

    def __init__(self, sources: SettingsSources, fault: str | None = None) -> None:
        self._sources = sources
        self._fault = fault
        self._here: Mapping[str, object] = {}
        self._layered = Layered(Settings(), {})
        self._calibration = Calibration()
        self._learned = Learned()

    @property
    def values(self) -> Settings:
        return self._layered.values.with_calibration(self._calibration).with_learned(self._learned)

    @property
    def origins(self) -> Mapping[str, str]:
        """Where the value of each dotted key comes from."""
        return self._layered.origins

    @property
    def calibration(self) -> Calibration:
        """The scales that are told by."""
        return self._calibration

    def calibrate(self, calibration: Calibration) -> None:
        """Tell by these scales from now on, under whatever settings."""
        self._calibration = calibration

    @property
    def learned(self) -> Learned:
        """The weights that are decided by."""
        return self._learned

    def learn(self, learned: Learned) -> None:
        """Decide by these weights from now on, under whatever settings."""
        self._learned = learned

    def hear(self, sources: SettingsSources | None, fault: str | None) -> None:
        """Something else was said outside, None where what was said before holds; `take_up` makes it take effect."""
        self._sources, self._fault = sources or self._sources, fault

    def take_up(self, kept: Mapping[str, object]) -> str | None:
        """Let what the profile keeps take effect; what is refused of that is left out, and told in sentences."""
        sentences = [] if self._fault is None else [self._fault]
        here = dict(kept)
        try:
            layered = layer(self._sources, here=here)
        except SettingsError:
            here, refused = self._accepted(here)
            layered = layer(self._sources, here=here)
            sentences += [say("{sentence} It is left out.", sentence=sentence) for sentence in refused]
        self._layered, self._here = layered, here
        return " ".join(sentences) or None

    def choosing(self, kept: Mapping[str, object], changes: Mapping[str, str | None]) -> LayeredSettings:
        """The settings with some of the kept ones changed, or with None forgotten; SettingsError if one is refused."""
        here: dict[str, object] = {name: old for name, old in kept.items() if name not in changes}
        chosen = {key: value for key, value in changes.items() if value is not None}
        try:
            layered = layer(self._sources, here={**here, **chosen})
        except SettingsError:
            if self._is_accepted(kept):
                raise  # it is the change that is refused, not what was kept before it
            here, _ = self._accepted(here)
            layered = layer(self._sources, here={**here, **chosen})
        for key in chosen:
            if layered.origins[key] != "here":
                raise SettingsError(
                    say(
                        "{key} is set by {origin}, which wins over a choice made here.",
                        key=key,
                        origin=ORIGINS[layered.origins[key]],
                    )
                )
        life = LayeredSettings(self._sources, self._fault)
        life._layered, life._here = layered, {**here, **chosen}
        life._calibration, life._learned = self._calibration, self._learned
        return life

    def sources_under(self, changes: Mapping[str, str]) -> SettingsSources:
        """What is said outside, as if these had been said on the command line, too."""
        return replace(self._sources, command_line={**self._sources.command_line, **changes})

    def under(self, changes: Mapping[str, str]) -> Settings:
        """The settings as if these had been said on the command line; SettingsError if one is refused."""
        values = layer(self.sources_under(changes), here=self._here).values
        return values.with_calibration(self._calibration).with_learned(self._learned)

    def _is_accepted(self, here: Mapping[str, object]) -> bool:
        try:
            layer(self._sources, here=here)
        except SettingsError:
            return False
        return True

    def _accepted(self, here: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
        """What of the kept settings is not refused, each tried on what was accepted before, and why the rest is."""
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


# --------------------------------------------------------------------------------------------------------------------
# The settings file, watched for changes: what is valid takes effect, what is not is reported in words

LOOK_SECONDS = 2.0
"""How often the file is looked at: its stat alone."""

SETTLE_SECONDS = 0.2
"""So long a file that has changed is left alone: whoever writes it may not be done."""


async def follow(file: SettingsFile, take: Callable[[Said], Awaitable[None]]) -> None:
    """Have whatever the file says from now on taken over, until cancelled."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if await asyncio.to_thread(file.has_changed):
            await asyncio.sleep(SETTLE_SECONDS)
            await take(await asyncio.to_thread(file.read))
