"""The layers of settings outside the program: a TOML file, the environment, the command line."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app.settings.foreign import foreign_settings
from app.settings.model import RETIRED, SettingsError, keys
from app.settings.refusals import line_of, of_toml

MAX_BYTES = 2**20
"""A settings file may not be larger; one that names every setting takes a few kilobytes."""

LONG_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){64}""")
"""No key in TOML has so many parts, and reading one takes time with the square of their number."""


def environment_name(key: str) -> str:
    """The variable that sets a key: `search_intent.use_llm` is INTENTSCOPE_SEARCH_INTENT_USE_LLM."""
    return "INTENTSCOPE_" + key.upper().replace(".", "_")


def from_environment(environment: Mapping[str, str] = os.environ) -> dict[str, object]:
    """The settings that the environment holds, by dotted key; ours win over those of other programs, empty ones do not
    count."""
    own = own_variables(environment)
    return {**foreign_settings(environment, own).found, **own}


def own_variables(environment: Mapping[str, str]) -> dict[str, object]:
    """The settings that our own variables hold, by dotted key."""
    named = {key: environment.get(environment_name(key)) for key in (*keys(), *RETIRED)}
    return {key: value for key, value in named.items() if value}


def from_file(path: Path) -> dict[str, object]:
    """The settings that a TOML file holds, by dotted key; SettingsError if it cannot be read."""
    try:
        text = _content(path).decode()  # once: whoever writes it may go on meanwhile
    except OSError as error:
        raise SettingsError(f"The settings file {path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"The settings file {path} is not UTF-8 text.") from error
    if long := LONG_KEY.search(text):
        line = text.count("\n", 0, long.start()) + 1
        raise SettingsError(
            f"The settings file {path} has an error in line {line}: no setting has a name of more than 64 parts."
        )
    try:
        return _flat(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        line, why = of_toml(str(error), text)
        raise SettingsError(f"The settings file {path} has an error in line {line}: {why}.") from error
    except RecursionError as error:
        raise SettingsError(f"The settings file {path} is not read: it is nested too deep.") from error
    except ValueError as error:  # a whole number of thousands of digits
        raise SettingsError(f"The settings file {path} holds a number or a date that cannot be.") from error


def _content(path: Path) -> bytes:
    """All of the file; OSError or SettingsError if it is none. A pipe or a device would be waited for, or never end."""
    if not stat.S_ISDIR(kind := path.stat().st_mode) and not stat.S_ISREG(kind):
        raise SettingsError(f"The settings file {path} is a pipe or a device: save what it gives in a file first.")
    with path.open("rb") as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise SettingsError(f"The settings file {path} is larger than {MAX_BYTES // 2**20} MB, so it is not read.")
    return content


def from_lines(path: Path, error: SettingsError) -> SettingsError:
    """The refusal of something that a file said, with the line in which it stands."""
    if error.origin != "file" or not error.key:
        return error
    try:
        line = line_of(path.read_text("utf-8"), error.key)
    except (OSError, UnicodeDecodeError):  # it is gone, or another by now
        return error
    if line is None:
        return error
    return SettingsError(
        f"The settings file {path} has an error in line {line}: {error}",
        error.key,
        error.origin,
    )


def from_pairs(pairs: Sequence[str]) -> dict[str, object]:
    """The settings of `KEY=VALUE` words, as `--set` takes them."""
    found: dict[str, object] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise SettingsError(f"“{pair}” is not of the form KEY=VALUE.")
        found[key.strip()] = value.strip()
    return found


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat
