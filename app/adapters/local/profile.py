"""Where a profile is kept, and what file, environment and command line say of its settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.services.engine.adapters import Said
from app.services.system.start_requests import SETTINGS_FILE, data_folder, default_profile
from app.settings.foreign import foreign_settings
from app.settings.layers import from_file, from_lines, from_pairs, own_variables
from app.settings.model import Choices, SettingsError, SettingsSources, layer

if TYPE_CHECKING:
    from app.settings.model import Choices  # the window is painted before the settings are read


PROFILES_FILE = "profiles.json"


def profile_folder(choices: Choices) -> Path:
    """The folder of library, settings, log and caches."""
    return profile_at(choices.profile)


def profile_at(chosen: Path | None) -> Path:
    """The profile's folder: the one that was chosen, or the usual one."""
    return chosen or default_profile()


def settings_file(choices: Choices) -> Path:
    """The settings file, which need not be there."""
    return choices.settings or profile_folder(choices) / SETTINGS_FILE


def settings_at(chosen: Path | None, profile: Path) -> Path:
    """The settings file: the one that was chosen, or the profile's own."""
    return chosen or profile / SETTINGS_FILE


def profiles_list() -> Path:
    """The file that remembers which profiles were opened from a window."""
    return data_folder() / PROFILES_FILE


def encoders_folder() -> Path:
    """Where encoders are kept that a person had fetched: too large for each profile to have its own."""
    return data_folder() / "encoders"


# ---- What file, environment and command line say of the settings, read at the start and whenever the file is
# another.


Stamp = tuple[int, int, int] | None
"""What tells one version of a file from another; None where there is no file."""


def sources_of(choices: Choices, environment: Mapping[str, str] = os.environ) -> SettingsSources:
    """What file, environment and command line say; SettingsError if one of them is refused."""
    file = settings_file(choices)
    found = from_file(file) if choices.settings is not None or file.exists() else {}
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
    """Reads them for a program that goes on with what is refused left out. Every call may block."""

    choices: Choices
    _seen: Stamp = None
    _was_good: bool = False
    _was_whole: bool = False
    """All was good at once: command line and environment have been so since, and only the file can be at fault."""

    def has_changed(self) -> bool:
        """Whether the file is made, changed or gone since it was read last."""
        return _stamp(settings_file(self.choices)) != self._seen

    def read(self) -> Said:
        """What is said now. Where the file is refused there are no sources if there were good ones before, else those
        that stand in for them."""
        self._seen = _stamp(settings_file(self.choices))
        try:
            sources = sources_of(self.choices)
        except SettingsError as error:
            # Among what cannot be read may be the wish that nothing is kept.
            if not self._was_whole and (said := _fault_outside(self.choices, str(error))) is not None:
                self._was_good = True
                return said
            if self._was_good:
                return Said(None, f"{error} The last good settings stay in use.")
            fault = f"{error} The defaults are used until it is mended, and no query is kept in the history."
            return Said(SettingsSources(file={"history.privacy": "off"}), fault)
        self._was_good = self._was_whole = True
        return Said(sources)

    def read_strictly(self) -> SettingsSources:
        """The settings as they are now; SettingsError if any of them is refused."""
        self._seen = _stamp(settings_file(self.choices))
        sources = sources_of(self.choices)
        self._was_good = self._was_whole = True
        return sources


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _fault_outside(choices: Choices, sentence: str) -> Said | None:
    """The settings without those of the command line, or else of the environment, if the fault is there, and what is
    said of it; None if it is not."""
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
        return Said(
            replace(found, command_line=quiet),
            f"{begun}and no query is kept in the history.",
            is_outside=True,
        )
    return None
