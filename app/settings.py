"""Validated settings, and where each value comes from: default, preset, file, here, environment or command line."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

Unit = Annotated[float, Field(ge=0.0, le=1.0)]
"""A number in [0, 1]."""


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SearchIntentSettings(_Section):
    """000: how the search intent is detected."""

    enabled: bool = Field(True, description="Detect a search intent at all.")
    selection: Literal["evidence", "priority"] = Field(
        "evidence",
        description="What picks one of several matched types: summed evidence, or a fixed order.",
    )
    use_llm: bool = Field(True, description="Let a local LLM improve on the keyword result.")
    llm_timeout_ms: int = Field(200, ge=1, le=60_000, description="How long the LLM may take, from its dispatch.")
    min_confidence: Unit = Field(0.5, description="Below this an LLM answer does not count.")
    require_topics: bool = Field(False, description="A query without topics has no intent.")
    merge: Literal["adr", "shipped"] = Field("adr", description="How keyword and LLM results become one.")
    strict_floor: bool = Field(False, description="Keep the final confidence from falling below the keywords' own.")
    fallback_penalty: Literal["table", "scaled", "none"] = Field(
        "table", description="What keywords lose when the LLM stays silent: 0.1 unless trusted, a tenth, or nothing."
    )
    debounce_ms: int = Field(120, ge=0, le=5_000, description="How long typing must pause before the LLM is asked.")
    llm_max_in_flight: int = Field(2, ge=1, le=16, description="So many requests to the LLM may run at once.")
    surfacing_threshold: Unit = Field(0.6, description="Memories are surfaced from this confidence on.")


class LlmSettings(_Section):
    """The local LLM: an Ollama server."""

    url: str = Field("", description="Address of the Ollama server, such as http://127.0.0.1:11434; empty: none.")
    model: str = Field("", description="Name of the model, as the server lists it; empty: none.")
    mode: Literal["auto", "decision", "one_token", "json"] = Field(
        "auto", description="How the model is asked; auto takes the first that server and model support."
    )
    keep_alive: str = Field("30m", description="How long the server keeps the model loaded after a request.")
    context_length: int = Field(2048, ge=512, le=131_072, description="The context length asked for, kept constant.")
    details: bool = Field(False, description="Ask once more, outside the budget, for topics and reasoning.")

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        url = url.strip()
        if url and not _is_address(url):
            raise ValueError("it is no address of a server, such as 127.0.0.1:11434 or http://127.0.0.1:11434")
        return url


def _is_address(text: str) -> bool:
    """Whether a text is host[:port] or a URL of HTTP, with a port that can be."""
    scheme, mark, _ = text.partition("://")
    if re.search(r"[\s\x00-\x1f\x7f\ud800-\udfff]", text) or (mark and scheme not in ("http", "https")):
        return False
    try:
        parts = urlsplit(text if mark else f"http://{text}")
        port = parts.port
    except ValueError:
        return False
    return port != 0 and not parts.netloc.endswith(":") and (bool(parts.hostname) or port is not None)


class MetricsSettings(_Section):
    """Counts and latencies for Prometheus."""

    port: int = Field(0, ge=0, le=65_535, description="Serve /metrics on this loopback port; 0: not at all.")


class EncoderSettings(_Section):
    """Which model turns texts into vectors."""

    name: Literal["minilm"] = Field("minilm", description="The sentence encoder.")


class TierSettings(_Section):
    """003: from which confidence on a power is activated, offered, or shown as a weak match."""

    high: Unit = Field(0.85, description="Activated from this confidence on.")
    medium: Unit = Field(0.5, description="Offered among multiple matches from this confidence on.")
    weak: Unit = Field(0.3, description="Shown as a weak match from this confidence on; below, nothing is found.")
    ambiguity_margin: Unit = Field(
        0.05, description="A second power this close to the first keeps it from being activated; 0 turns that off."
    )

    @model_validator(mode="after")
    def _go_down(self) -> Self:
        if not self.high >= self.medium >= self.weak:
            told = f"high ({self.high:g}), medium ({self.medium:g}) and weak ({self.weak:g})"
            raise ValueError(f"{told} must not rise from one to the next")
        return self


class BandSettings(_Section):
    """002: what is called a high, medium or low match of a memory."""

    high: Unit = Field(0.75, description="High from this confidence on.")
    medium: Unit = Field(0.5, description="Medium from this confidence on.")

    @model_validator(mode="after")
    def _go_down(self) -> Self:
        if self.high < self.medium:
            raise ValueError(f"high ({self.high:g}) must not be below medium ({self.medium:g})")
        return self


class ThresholdSettings(_Section):
    """002: when the cascade takes a score."""

    exact: Unit = Field(0.95, description="The cascade takes an exact score from here on.")
    fuzzy: Unit = Field(0.75, description="The cascade takes a fuzzy score from here on.")
    token: Unit = Field(0.70, description="The cascade takes a token score from here on.")
    semantic: Unit = Field(
        0.60, description="Has no effect; kept so that files written for retrieval_semantic_threshold load."
    )
    keyword: Unit = Field(0.85, description="The cascade takes a keyword score from here on (powers).")


class WeightSettings(_Section):
    """002: the weights of the weighted average, renormalised over the scorers that are present."""

    exact: float = Field(0.4, ge=0.0, description="Weight of the exact score.")
    fuzzy: float = Field(0.3, ge=0.0, description="Weight of the fuzzy score.")
    token_overlap: float = Field(0.2, ge=0.0, description="Weight of the token score.")
    semantic: float = Field(0.1, ge=0.0, description="Weight of the semantic score.")
    keyword: float = Field(0.3, ge=0.0, description="Weight of the keyword score (powers).")

    @model_validator(mode="after")
    def _can_be_shared_out(self) -> Self:
        total = self.exact + self.fuzzy + self.token_overlap + self.semantic + self.keyword
        if total == 0.0:
            raise ValueError("at least one weight must be above 0")
        if not math.isfinite(total):
            raise ValueError("the weights are too large to be added up")
        return self


Combination = Literal[
    "balanced",
    "max",
    "weighted_average",
    "cascade",
    "keyword_or_semantic",
    "exact",
    "fuzzy",
    "token_overlap",
    "semantic",
    "centroid",
    "keyword",
]


class Settings(_Section):
    """Every setting of a profile, validated and frozen. Keys are dotted: `search_intent.enabled`."""

    preset: Literal["recommended", "as_documented"] = Field(
        "recommended", description="A set of defaults: ours, or the source documents'."
    )
    combination: Combination = Field("balanced", description="How the scores of one candidate become its confidence.")
    power_combination: Combination | Literal["same"] = Field(
        "same", description="The same for powers; `same` takes `combination`."
    )
    use_hybrid_retrieval: bool = Field(True, description="Off: the semantic score alone.")
    name_counts: bool = Field(False, description="A power whose name is in the query scores 0.95.")
    min_score: Unit = Field(0.0, description="Memories with a lower success score are left out.")
    fallback_threshold: Unit = Field(0.3, description="Below this confidence a memory's answer is a fallback.")
    log_breakdowns: bool = Field(True, description="Write breakdowns of 0.7 and above to the log.")
    matches: int = Field(10, ge=1, le=1000, description="How many memories, and how many powers, are listed.")
    theme: Literal["system", "light", "dark"] = Field("system", description="Colours of the window.")
    search_intent: SearchIntentSettings = SearchIntentSettings()
    llm: LlmSettings = LlmSettings()
    metrics: MetricsSettings = MetricsSettings()
    encoder: EncoderSettings = EncoderSettings()
    tiers: TierSettings = TierSettings()
    bands: BandSettings = BandSettings()
    thresholds: ThresholdSettings = ThresholdSettings()
    weights: WeightSettings = WeightSettings()


PRESETS: dict[str, dict[str, object]] = {
    "recommended": {},
    "as_documented": {
        "combination": "max",
        "power_combination": "keyword_or_semantic",
        "name_counts": True,
        "tiers.ambiguity_margin": 0.0,
        "search_intent.selection": "priority",
        "search_intent.require_topics": True,
        "search_intent.merge": "adr",
    },
}
"""What a preset changes of the defaults (S2.12)."""

ALIASES: dict[str, str] = {
    "retrieval_exact_threshold": "thresholds.exact",
    "retrieval_fuzzy_threshold": "thresholds.fuzzy",
    "retrieval_token_threshold": "thresholds.token",
    "retrieval_semantic_threshold": "thresholds.semantic",
    "retrieval_scoring_method": "combination",
}
"""Names that 002 gives to settings (S2.11)."""

FOREIGN_ENVIRONMENT: dict[str, str] = {
    "SUBCOG_SEARCH_INTENT_ENABLED": "search_intent.enabled",
    "SUBCOG_SEARCH_INTENT_USE_LLM": "search_intent.use_llm",
    "SUBCOG_SEARCH_INTENT_LLM_TIMEOUT_MS": "search_intent.llm_timeout_ms",
    "SUBCOG_SEARCH_INTENT_MIN_CONFIDENCE": "search_intent.min_confidence",
    "OLLAMA_HOST": "llm.url",
}
"""Variables of 000's own project and of Ollama, honoured below ours (S4.14)."""

ORIGINS = ("default", "preset", "file", "here", "environment", "command line")
"""Where a value can come from; a later one wins."""


class SettingsError(ValueError):
    """A setting, or the file that holds it, is refused; the message is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Layered:
    """The settings in force, and for each dotted key the origin of its value."""

    values: Settings
    origins: Mapping[str, str]


def keys() -> list[str]:
    """Every dotted key, in the order of the model."""
    return list(described())


@dataclass(frozen=True, slots=True)
class Choices:
    """What a person said on the command line about where to work and how."""

    profile: Path | None = None
    settings: Path | None = None
    pairs: Sequence[str] = ()


def described(model: type[BaseModel] = Settings, prefix: str = "") -> dict[str, str]:
    """What each setting does, in a sentence, by dotted key."""
    found: dict[str, str] = {}
    for name, info in model.model_fields.items():
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            found |= described(info.annotation, f"{prefix}{name}.")
        else:
            found[prefix + name] = info.description or ""
    return found


def environment_name(key: str) -> str:
    """The variable that sets a key: `search_intent.use_llm` is INTENTSCOPE_SEARCH_INTENT_USE_LLM."""
    return "INTENTSCOPE_" + key.upper().replace(".", "_")


def from_environment(environment: Mapping[str, str] = os.environ) -> dict[str, object]:
    """The settings that the environment holds, by dotted key; ours win over those of 000, empty ones do not count."""
    found: dict[str, object] = {
        key: environment[name] for name, key in FOREIGN_ENVIRONMENT.items() if environment.get(name)
    }
    found |= {key: environment[environment_name(key)] for key in keys() if environment.get(environment_name(key))}
    return found


def from_file(path: Path) -> dict[str, object]:
    """The settings that a TOML file holds, by dotted key; SettingsError if it cannot be read."""
    try:
        with path.open("rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        raise SettingsError(f"The settings file {path} cannot be read: {error.strerror or error}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"The settings file {path} is no valid TOML: {error}.") from error
    return _flat(table)


def from_pairs(pairs: Sequence[str]) -> dict[str, object]:
    """The settings of `KEY=VALUE` words, as `--set` takes them."""
    found: dict[str, object] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise SettingsError(f"“{pair}” is not of the form KEY=VALUE.")
        found[key.strip()] = value.strip()
    return found


@dataclass(frozen=True, slots=True)
class SettingsSources:
    """What was said about settings outside the program, by dotted key: file, environment, command line."""

    file: Mapping[str, object] = field(default_factory=dict)
    environment: Mapping[str, object] = field(default_factory=dict)
    command_line: Mapping[str, object] = field(default_factory=dict)


def layer(sources: SettingsSources = SettingsSources(), *, here: Mapping[str, object] = {}) -> Layered:
    """Lay the origins over each other, defaults below; SettingsError names the key and origin that is refused."""
    layers: dict[str, dict[str, object]] = {
        "file": _known(sources.file, "the settings file"),
        "here": _known(here, "the profile"),
        "environment": _known(sources.environment, "the environment"),
        "command line": _known(sources.command_line, "--set"),
    }
    origins = dict.fromkeys(keys(), "default")
    values: dict[str, object] = {}
    preset = "recommended"
    for found in layers.values():
        preset = str(found.get("preset", preset))
    if preset not in PRESETS:
        raise SettingsError(f"There is no preset “{preset}”; there are {', '.join(PRESETS)}.")
    for origin, found in {"preset": PRESETS[preset], **layers}.items():
        values |= found
        origins |= dict.fromkeys(found, origin)
    try:
        settings = Settings.model_validate(_nested(values))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"] if "Literal" not in str(part) and "literal" not in str(part))
        reason = str(first["msg"]).removeprefix("Value error, ").rstrip(".")
        if key in origins:
            told = f"{key} = {first['input']!r} (from {origins[key]})"
        else:
            said = [f"{name} from {origins[name]}" for name in values if name.startswith(f"{key}.")]
            told = f"{key} ({', '.join(said)})"
        raise SettingsError(f"{told} is refused: {reason}.") from error
    return Layered(settings, origins)


def value_of(settings: Settings, key: str) -> object:
    """The value of a dotted key."""
    value: object = settings
    for part in key.split("."):
        value = getattr(value, part)
    return value


def _known(found: Mapping[str, object], origin: str) -> dict[str, object]:
    known = set(keys())
    renamed = {ALIASES.get(key, key): value for key, value in found.items()}
    for key in renamed:
        if key not in known:
            raise SettingsError(f"There is no setting “{key}” (from {origin}).")
    return renamed


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def _nested(flat: Mapping[str, object]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for key, value in flat.items():
        *sections, name = key.split(".")
        target = nested
        for section in sections:
            target = target.setdefault(section, {})
        target[name] = value
    return nested
