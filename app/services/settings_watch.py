"""The settings file, watched for changes: what is valid takes effect, what is not is told in words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from app.settings.model import SettingsSources

LOOK_SECONDS = 2.0
"""How often the file is looked at: its stat alone."""

SETTLE_SECONDS = 0.2
"""So long a file that has changed is left alone: whoever writes it may not be done."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of settings outside the program; no sources where those that hold stay in use.

    `fault` is a sentence about what is refused, with what is used instead; `is_outside` where that stands on the
    command line or in the environment.
    """

    sources: SettingsSources | None
    fault: str | None = None
    is_outside: bool = False


class SettingsFile(Protocol):
    """The settings file of a profile, with all else that was said at the start. Both calls may block."""

    def has_changed(self) -> bool: ...
    def read(self) -> Said: ...


async def follow(file: SettingsFile, take: Callable[[Said], Awaitable[None]]) -> None:
    """Have whatever the file says from now on taken over, until cancelled."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if await asyncio.to_thread(file.has_changed):
            await asyncio.sleep(SETTLE_SECONDS)
            await take(await asyncio.to_thread(file.read))
