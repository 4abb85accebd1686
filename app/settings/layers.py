"""Layers of settings outside the program: a TOML file, the environment, the command line."""

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
"""Maximum size of a settings file in bytes; a complete one takes a few kilobytes."""

LONG_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){64}""")
"""Key with too many parts, whose parsing time grows quadratically."""


def environment_name(key: str) -> str:
    """Return the variable of a key.

    That of `search_intent.use_llm` is INTENTSCOPE_SEARCH_INTENT_USE_LLM.
    """
    return "INTENTSCOPE_" + key.upper().replace(".", "_")


def from_environment(environment: Mapping[str, str] = os.environ) -> dict[str, object]:
    """Return the settings in the environment by dotted key; our variables override others'.

    Empty variables are ignored.
    """
    own = own_variables(environment)
    return {**foreign_settings(environment, own).found, **own}


def own_variables(environment: Mapping[str, str]) -> dict[str, object]:
    """Return the settings in our own variables, by dotted key."""
    named = {key: environment.get(environment_name(key)) for key in (*keys(), *RETIRED)}
    return {key: value for key, value in named.items() if value}


def from_file(path: Path) -> dict[str, object]:
    """Return the settings of a TOML file by dotted key.

    Raises SettingsError if it cannot be read.
    """
    try:
        text = _content(path).decode()  # read once, as a writer may change it meanwhile
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
    except ValueError as error:  # an integer of thousands of digits
        raise SettingsError(f"The settings file {path} holds a number or a date that cannot be.") from error


def _content(path: Path) -> bytes:
    """Read a regular file.

    Raises OSError or SettingsError otherwise. A pipe or device might block.
    """
    if not stat.S_ISDIR(kind := path.stat().st_mode) and not stat.S_ISREG(kind):
        raise SettingsError(f"The settings file {path} is a pipe or a device: save what it gives in a file first.")
    with path.open("rb") as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise SettingsError(f"The settings file {path} is larger than {MAX_BYTES // 2**20} MB, so it is not read.")
    return content


def from_lines(path: Path, error: SettingsError) -> SettingsError:
    """Add the line number in the file to an error about a value of the file."""
    if error.origin != "file" or not error.key:
        return error
    try:
        line = line_of(path.read_text("utf-8"), error.key)
    except (OSError, UnicodeDecodeError):  # the file is gone or has changed
        return error
    if line is None:
        return error
    return SettingsError(f"The settings file {path} has an error in line {line}: {error}", error.key, error.origin)


def from_pairs(pairs: Sequence[str]) -> dict[str, object]:
    """Return the settings of `KEY=VALUE` words, as given to `--set`."""
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
