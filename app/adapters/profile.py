"""Location of a profile, and the sources of its settings: file, environment, command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.files import version_of
from app.services.engine.adapters import SettingsRead
from app.services.system.start_requests import SETTINGS_FILE, data_folder, default_profile
from app.settings.layers import foreign_settings, from_file, from_lines, from_pairs, own_variables
from app.settings.model import Choices, SettingsError, SettingsSources, layer

if TYPE_CHECKING:
    from app.settings.model import Choices  # the window is painted before the settings are read


def profile_folder(choices: Choices) -> Path:
    """Return the folder of library, settings, log and caches."""
    return profile_at(choices.profile)


def profile_at(chosen: Path | None) -> Path:
    """Return the given or the default profile folder."""
    return chosen or default_profile()


def settings_file(choices: Choices) -> Path:
    return choices.settings or profile_folder(choices) / SETTINGS_FILE


def settings_at(chosen: Path | None, profile: Path) -> Path:
    """Return the given settings file, or the profile's own."""
    return chosen or profile / SETTINGS_FILE


def profiles_list() -> Path:
    """Return the file with the profiles opened from a window."""
    return data_folder() / "profiles.json"


def encoders_folder() -> Path:
    """Return the shared folder of downloaded encoders, which are large."""
    return data_folder() / "encoders"


# ---- Settings from file, environment and command line, read at the start and when the file changes.


def sources_of(choices: Choices, environment: Mapping[str, str] = os.environ) -> SettingsSources:
    """Read file, environment and command line; raises SettingsError if one is invalid."""
    file = settings_file(choices)
    found = from_file(file) if choices.settings is not None or os.path.lexists(file) else {}
    own = own_variables(environment)
    foreign = foreign_settings(environment, own)
    sources = SettingsSources(found, {**foreign.found, **own}, from_pairs(choices.pairs), foreign.passed_over)
    try:
        layer(sources)
    except SettingsError as error:
        raise from_lines(file, error) from error
    return sources


@dataclass(slots=True)
class SettingsFiles:
    """Reader of settings that leaves out invalid sources. Every call may block."""

    choices: Choices
    _seen: object = None
    _was_good: bool = False
    _was_whole: bool = False
    """True once all sources were valid: later only the file can be at fault."""

    def has_changed(self) -> bool:
        """Return whether the file was created, changed or deleted since the last read."""
        return version_of(settings_file(self.choices)) != self._seen

    def read(self) -> SettingsRead:
        """Read the settings; without sources if the file is invalid and there were valid ones.

        Otherwise fallback sources replace invalid ones.
        """
        self._seen = version_of(settings_file(self.choices))
        try:
            sources = sources_of(self.choices)
        except SettingsError as error:
            # The invalid source may contain a privacy setting.
            if not self._was_whole and (said := _fault_outside(self.choices, str(error))) is not None:
                self._was_good = True
                return said
            if self._was_good:
                return SettingsRead(None, f"{error} The last good settings stay in use.")
            fault = f"{error} The defaults are used until it is mended, and no query is kept in the history."
            return SettingsRead(SettingsSources(file={"history.privacy": "off"}), fault)
        self._was_good = self._was_whole = True
        return SettingsRead(sources)

    def read_strictly(self) -> SettingsRead:
        """Read the settings; raises SettingsError if one is invalid."""
        self._seen = version_of(settings_file(self.choices))
        sources = sources_of(self.choices)
        self._was_good = self._was_whole = True
        return SettingsRead(sources)


def _fault_outside(choices: Choices, sentence: str) -> SettingsRead | None:
    """Return the settings without the faulty command line or environment; None for other faults."""
    without: dict[str, Callable[[], SettingsSources]] = {
        "on the command line": partial(sources_of, replace(choices, pairs=())),
        "in the environment": partial(sources_of, choices, {}),
    }
    for place, read in without.items():
        try:
            found = read()
        except SettingsError:
            continue
        begun = f"{sentence} It stands {place}, so the settings there are left out until the program is started again, "
        quiet = {**found.command_line, "history.privacy": "off"}
        return SettingsRead(
            replace(found, command_line=quiet), f"{begun}and no query is kept in the history.", is_outside=True
        )
    return None
