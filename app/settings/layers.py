"""Layers of settings outside the program, and settings from backups, teams and Subcog."""

from __future__ import annotations

import re
import stat
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from app.domain.intent import intent_type
from app.domain.library import NAMESPACES
from app.settings.model import (
    LOOKS,
    RETIRED,
    SURFACING,
    SettingsError,
    SettingsSources,
    dotted,
    is_accepted,
    is_cell,
    keys,
    layer,
    value_text,
)
from app.settings.refusals import line_of, of_toml, without_passwords
from app.settings.routes import weight_key

MAX_BYTES = 2**20
"""Maximum size of a settings file in bytes; a complete one takes a few kilobytes."""

LONG_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]+[ \t]*\.[ \t]*){64}""")
"""Key with too many parts, whose parsing time grows quadratically."""


def environment_name(key: str) -> str:
    """Return the variable of a key, such as INTENTSCOPE_LLM_URL of `llm.url`."""
    return "INTENTSCOPE_" + key.upper().replace(".", "_")


def own_variables(environment: Mapping[str, str]) -> dict[str, object]:
    """Return the settings in our own variables, by dotted key."""
    named = {key: environment.get(environment_name(key)) for key in (*keys(), *RETIRED)}
    return {key: value for key, value in named.items() if value}


def from_file(path: Path) -> dict[str, object]:
    """Return the settings of a TOML file by dotted key; raises SettingsError if it cannot be read."""
    try:
        text = _content(path).decode("utf-8-sig")  # read once, as a writer may change it meanwhile
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
        return dotted(tomllib.loads(text))
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
        line = line_of(path.read_text("utf-8-sig"), error.key)
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


# ---- Variables of other programs that set settings here; unusable ones are skipped.


OLLAMA_HOST, OLLAMA_PORT, OLLAMA_API_KEY = "OLLAMA_HOST", 11434, "OLLAMA_API_KEY"

FOREIGN_ENVIRONMENT: dict[str, str] = {
    "SUBCOG_SEARCH_INTENT_ENABLED": "search_intent.enabled",
    "SUBCOG_SEARCH_INTENT_USE_LLM": "search_intent.use_llm",
    "SUBCOG_SEARCH_INTENT_LLM_TIMEOUT_MS": "search_intent.llm_timeout_ms",
    "SUBCOG_SEARCH_INTENT_MIN_CONFIDENCE": "search_intent.min_confidence",
    OLLAMA_HOST: "llm.url",
}
"""Variables of 000's own project and of Ollama, below our own (S4.14)."""

_AROUND = "\"'`“”„‘’«»\u200b\ufeff"
_NUMBER = re.compile(r"([+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:e[+-]?\d+)?)\s*([a-zµμ%]*)\.?", re.IGNORECASE)
_MS: Mapping[str, float] = {
    **dict.fromkeys(("", "ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), 1.0),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1_000.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60_000.0),
    **dict.fromkeys(("us", "µs", "μs"), 0.001),
}


@dataclass(frozen=True, slots=True)
class Foreign:
    """Settings from variables of other programs, by key, and a sentence per skipped variable."""

    found: Mapping[str, str]
    passed_over: tuple[str, ...]


def foreign_settings(environment: Mapping[str, str], but: Mapping[str, object] = {}) -> Foreign:
    """Read the settings from variables of other programs, except keys in `but`."""
    found: dict[str, str] = {}
    passed_over: list[str] = []
    for name, key in FOREIGN_ENVIRONMENT.items():
        text = unquoted(environment.get(name, ""))
        if not text or key in but:
            continue
        value = _READ.get(key, str)(text)
        try:
            layer(SettingsSources(environment={key: value}))
        except SettingsError as error:
            why = str(error).rpartition(" is refused: ")[2]
            passed_over.append(f"The variable {name} = {without_passwords(text)!r} is passed over: {why}")
        else:
            found[key] = value
    if environment.get(OLLAMA_API_KEY) and not api_key(environment) and unquoted(environment[OLLAMA_API_KEY]):
        passed_over.append(f"The variable {OLLAMA_API_KEY} is passed over: it holds characters that no key has.")
    return Foreign(found, tuple(passed_over))


def unquoted(text: str) -> str:
    """Strip blanks and quotes, which Windows keeps and Ollama removes."""
    before = None
    while before != text:
        before, text = text, text.strip().strip(_AROUND)
    return text


def api_key(environment: Mapping[str, str]) -> str:
    """Return the key for an Ollama server from the environment; "" if missing or unusable."""
    key = unquoted(environment.get(OLLAMA_API_KEY, "")).removeprefix("Bearer ").strip()
    return key if re.fullmatch(r"[\x21-\x7e]+", key) else ""


def _address(text: str) -> str:
    scheme, mark, rest = text.partition("://")
    text = f"{scheme.lower()}{mark}{rest}"
    # Ollama takes a bare word as a host.
    return f"http://{text}:{OLLAMA_PORT}" if re.fullmatch(r"[\w-]+", text) else text


def _milliseconds(text: str) -> str:
    amount, unit = _amount(text)
    return text if amount is None or unit not in _MS else f"{amount * _MS[unit]:.0f}"


def _share(text: str) -> str:
    amount, unit = _amount(text)
    if amount is None or unit not in ("", "%"):
        return text
    return f"{amount / 100.0:g}" if unit else f"{amount:g}"


def _amount(text: str) -> tuple[float | None, str]:
    """Split a number and its unit; None if it is not one."""
    found = _NUMBER.fullmatch(text)
    return (float(found[1].replace(",", ".")), found[2].lower()) if found else (None, "")


_READ: Mapping[str, Callable[[str], str]] = {
    "llm.url": _address,
    "search_intent.llm_timeout_ms": _milliseconds,
    "search_intent.min_confidence": _share,
}
"""Conversions of values from the format of another program, by key."""


PORTABLE = (
    "preset",
    "combination",
    "power_combination",
    "keep_better",
    "use_hybrid_retrieval",
    "name_counts",
    "min_score",
    "fallback_threshold",
    "label_thresholds",
    "routes",
    "search_intent.enabled",
    "search_intent.selection",
    "search_intent.learned",
    "search_intent.learned_from",
    "search_intent.min_confidence",
    "search_intent.require_topics",
    "search_intent.merge",
    "search_intent.strict_floor",
    "search_intent.fallback_penalty",
    "search_intent.certain_confidence",
    "route.enabled",
    "route.has_stores",
    "route.threshold",
    "route.rules",
    "route.examples",
    "route.overrule",
    "route.abstain",
)
"""Settings that belong to a library, because they affect its answers.

All others belong to a user and a machine: addresses, permissions, privacy, encoders, limits, looks.
"""

PORTABLE_SECTIONS = ("routes.", "tiers.", "bands.", "thresholds.", "weights.", "namespaces.")
"""Prefixes of settings that all belong to a library."""

MOST = 1_000
"""Maximum number of settings processed; a profile with many routes and weights has hundreds."""


HARMLESS = (*LOOKS, "matches", "group_matches", SURFACING)
"""User settings, or prefixes, that only affect the display."""


@dataclass(frozen=True, slots=True)
class Sorted:
    """Settings from outside, by dotted key.

    `portable` ones may be applied, `harmless` ones with a copy of a profile, `personal` ones only with the user's
    consent; `refused` holds the keys of unknown settings and invalid values.
    """

    portable: Mapping[str, str] = field(default_factory=dict)
    harmless: Mapping[str, str] = field(default_factory=dict)
    personal: Mapping[str, str] = field(default_factory=dict)
    refused: tuple[str, ...] = ()


def is_portable(key: str) -> bool:
    """Return whether a setting may come with a library; False for unknown ones."""
    return (key in PORTABLE or key.startswith(PORTABLE_SECTIONS)) and (is_cell(key) or key in keys())


def sort_settings(found: Mapping[str, str]) -> Sorted:
    """Sort settings from outside by their permitted use."""
    known = set(keys())
    named = {key: value for key, value in found.items() if key in known or is_cell(key)}
    refused = [key for key in found if key not in named]
    if len(named) > MOST:
        return Sorted(refused=tuple(found))
    valid, invalid = _valid(named)
    portable = {key: value for key, value in valid.items() if is_portable(key)}
    rest = {key: value for key, value in valid.items() if key not in portable}
    harmless = {key: value for key, value in rest.items() if key.startswith(HARMLESS)}
    personal = {key: value for key, value in rest.items() if key not in harmless}
    return Sorted(portable, harmless, personal, (*refused, *invalid))


def _valid(named: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Split settings into valid ones and the keys of others; values of a section may conflict."""
    valid = dict(named)
    if not is_accepted(valid):
        sections = groupby(sorted(named), lambda key: key.partition(".")[0])
        valid = {key: named[key] for _, section in sections for key in _of_section({k: named[k] for k in section})}
        valid = valid if is_accepted(valid) else {}
    return valid, [key for key in named if key not in valid]


def _of_section(section: Mapping[str, str]) -> Mapping[str, str]:
    if is_accepted(section):
        return section
    alone = {key: value for key, value in section.items() if is_accepted({key: value})}
    return alone if is_accepted(alone) else {}


# ---- Import of settings from the configuration file of Subcog, 000's own project.


SAME: Mapping[str, str] = {
    **{
        f"search_intent.{name}": f"search_intent.{name}"
        for name in ("enabled", "use_llm", "llm_timeout_ms", "min_confidence")
    },
    "search_intent.max_tokens": "search_intent.surfacing_tokens",
    "search_intent.context.max_tokens": "search_intent.surfacing_tokens",
}
"""Keys of Subcog, and ours."""

WEIGHTS = "search_intent.weights."

PROVIDER, OLLAMA = "llm.provider", "ollama"
OF_OLLAMA: Mapping[str, str] = {"llm.model": "llm.model", "llm.base_url": "llm.url"}
"""Keys that apply only if Subcog's LLM provider is Ollama."""


@dataclass(frozen=True, slots=True)
class ForeignSettings:
    """Settings read from another program's file, as given to `--set`, and its unused keys."""

    found: Mapping[str, str]
    left_out: tuple[str, ...]


def is_config(path: Path) -> bool:
    """Return whether a file is Subcog's configuration: TOML with a table [search_intent]."""
    try:
        said = from_file(path)
    except SettingsError:
        return False
    return any(key.startswith("search_intent.") for key in said)


def from_subcog(path: Path) -> ForeignSettings:
    """Read the settings of a Subcog file; raises SettingsError if it is unreadable or sets nothing."""
    said = from_file(path)
    ours = {key: name for key in said if (name := _our_name(key, said)) is not None}
    if not ours:
        raise SettingsError(f"{path} holds no setting of Subcog that is one here.")
    found = {name: _READ.get(name, str)(value_text(said[key])) for key, name in ours.items()}
    return ForeignSettings(found, tuple(key for key in said if key not in ours and key != PROVIDER))


def _our_name(key: str, said: Mapping[str, object]) -> str | None:
    if key.startswith(WEIGHTS):
        type_, _, namespace = key.removeprefix(WEIGHTS).partition(".")
        known = intent_type(type_)
        return weight_key(known, namespace) if known is not None and namespace in NAMESPACES else None
    if key in OF_OLLAMA:
        return OF_OLLAMA[key] if said.get(PROVIDER) == OLLAMA else None
    return SAME.get(key)
