"""Settings from outside: a backup, a team's server, the configuration of Subcog."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from app.domain.intent import intent_type
from app.domain.library import NAMESPACES
from app.settings.layers import from_file, understood
from app.settings.model import LOOKS, SURFACING, SettingsError, is_cell, keys, layer
from app.settings.namespaces import weight_key

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
    if not _is_valid(valid):
        sections = groupby(sorted(named), lambda key: key.partition(".")[0])
        valid = {key: named[key] for _, section in sections for key in _of_section({k: named[k] for k in section})}
        valid = valid if _is_valid(valid) else {}
    return valid, [key for key in named if key not in valid]


def _of_section(section: Mapping[str, str]) -> Mapping[str, str]:
    if _is_valid(section):
        return section
    alone = {key: value for key, value in section.items() if _is_valid({key: value})}
    return alone if _is_valid(alone) else {}


def _is_valid(settings: Mapping[str, str]) -> bool:
    try:
        layer(here=settings)
    except SettingsError:
        return False
    return True


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
    """Read the settings of a Subcog file.

    Raises SettingsError if it is unreadable or sets nothing.
    """
    said = from_file(path)
    ours = {key: name for key in said if (name := _our_name(key, said)) is not None}
    if not ours:
        raise SettingsError(f"{path} holds no setting of Subcog that is one here.")
    found = {name: understood(name, _as_text(said[key])) for key, name in ours.items()}
    return ForeignSettings(found, tuple(key for key in said if key not in ours and key != PROVIDER))


def _our_name(key: str, said: Mapping[str, object]) -> str | None:
    if key.startswith(WEIGHTS):
        type_, _, namespace = key.removeprefix(WEIGHTS).partition(".")
        known = intent_type(type_)
        return weight_key(known, namespace) if known is not None and namespace in NAMESPACES else None
    if key in OF_OLLAMA:
        return OF_OLLAMA[key] if said.get(PROVIDER) == OLLAMA else None
    return SAME.get(key)


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
