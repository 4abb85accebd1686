"""Import of settings from the configuration file of Subcog, 000's own project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.domain.intent import intent_type
from app.domain.library import NAMESPACES
from app.settings.foreign import understood
from app.settings.layers import from_file
from app.settings.model import SettingsError
from app.settings.namespaces import weight_key

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
