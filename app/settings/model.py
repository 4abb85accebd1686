"""Validated settings, the origin of each value, and their relevance to answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from app.domain.route import Routes
from app.settings.refusals import ORIGINS, refusal
from app.settings.routes import ROUTES, WEIGHTS, NamespaceSettings, RouteChoices, is_weight, named_in, routes_of
from app.settings.sections import (
    DEFAULT_ENCODER,
    FORMER_ENCODERS,
    STORE_ADDRESSES,
    BandSettings,
    Calibrated,
    CurateSettings,
    EncoderSettings,
    FilesSettings,
    HistorySettings,
    LlmSettings,
    MetricsSettings,
    NotifySettings,
    PowersSettings,
    RouteSettings,
    SearchIntentSettings,
    ServeSettings,
    TeamSettings,
    ThresholdSettings,
    TierSettings,
    Unit,
    UpdatesSettings,
    WeightSettings,
)

Combination = Literal[
    "balanced",
    "calibrated",
    "learned",
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


class Settings(Calibrated):
    """Every setting of a profile, validated and frozen.

    Keys are dotted, such as `search_intent.enabled`.
    """

    preset: Literal["recommended", "as_documented"] = Field(
        "recommended",
        description="Set of defaults: the tuned ones, or those of the original specification.",
    )
    combination: Combination = Field(
        "learned", description="Function that combines the scores of a candidate into its confidence."
    )
    power_combination: Combination | Literal["same"] = Field(
        "same", description="Combination for powers; `same`: that of `combination`."
    )
    keep_better: bool = Field(
        True, description="Use `calibrated` if `learned` is significantly worse on your labelled cases."
    )
    use_hybrid_retrieval: bool = Field(True, description="Combine several scores; off: the semantic score only.")
    name_counts: bool = Field(False, description="A power whose name is in the query scores 0.95.")
    min_score: Unit = Field(0.0, description="Memories with a lower success score are not answers.")
    fallback_threshold: Unit = Field(0.3, description="Below this confidence a query has no answer, or no type.")
    label_thresholds: bool = Field(
        True, description="Use the thresholds of single intents; the common one applies to the others."
    )
    log_breakdowns: bool = Field(
        False,
        description=(
            "Log score breakdowns of 0.7 and above, with the names of the memories. Only with `history.privacy` full."
        ),
    )
    matches: int = Field(10, ge=1, le=1000, description="Number of memories, and of powers, to list.")
    group_matches: Literal["memory", "label"] = Field(
        "memory", description="One row per memory, or one row per intent: its best memory and the number of others."
    )
    match_columns: Literal["confidence", "scorers"] = Field(
        "confidence",
        description="Columns of the list of matches: one bar for the confidence, or one column per scorer.",
    )
    theme: Literal["system", "light", "dark"] = Field("system", description="Colours of the window.")
    rail: Literal["auto", "words", "icons"] = Field(
        "auto", description="Side bar with words or with icons only; `auto`: by the width of the window."
    )
    high_contrast: Literal["system", "on", "off"] = Field(
        "system", description="Stronger lines, and outlines instead of soft fills; `system`: as the desktop."
    )
    reduced_motion: Literal["system", "on", "off"] = Field(
        "system", description="No animations; `system`: as the desktop."
    )
    text_scale: float = Field(1.0, ge=1.0, le=2.0, description="Scale of texts, relative to the desktop's text size.")
    log_axes: str = Field(
        "llm", description="Stages whose times in this session have a logarithmic axis, separated by commas."
    )
    routes: RouteChoices = Field({}, description="Your own routes, and changes of the shipped ones.")
    search_intent: SearchIntentSettings = SearchIntentSettings()
    llm: LlmSettings = LlmSettings()
    metrics: MetricsSettings = MetricsSettings()
    powers: PowersSettings = PowersSettings()
    serve: ServeSettings = ServeSettings()
    curate: CurateSettings = CurateSettings()
    files: FilesSettings = FilesSettings()
    history: HistorySettings = HistorySettings()
    team: TeamSettings = TeamSettings()
    notify: NotifySettings = NotifySettings()
    updates: UpdatesSettings = UpdatesSettings()
    encoder: EncoderSettings = EncoderSettings()
    tiers: TierSettings = TierSettings()
    route: RouteSettings = RouteSettings()
    bands: BandSettings = BandSettings()
    thresholds: ThresholdSettings = ThresholdSettings()
    weights: WeightSettings = WeightSettings()
    namespaces: NamespaceSettings = NamespaceSettings()

    @property
    def all_routes(self) -> Routes:
        """All routes, shipped ones first."""
        return routes_of(self.routes)

    def memory_limits(self, own: float | None = None) -> tuple[float, ...]:
        """Return the confidences at which the status of a memory changes, its threshold first."""
        wanted, least = self.search_intent, self.fallback_threshold if own is None else own
        return least, self.bands.medium, self.bands.high, wanted.surfacing_confidence, wanted.certain_confidence


PRESETS: dict[str, dict[str, object]] = {
    "recommended": {},
    "as_documented": {
        "combination": "max",
        "power_combination": "keyword_or_semantic",
        "name_counts": True,
        "label_thresholds": False,
        "route.overrule": False,
        "tiers.high": 0.85,
        "tiers.ambiguity_margin": 0.0,
        "search_intent.selection": "priority",
        "search_intent.learned": False,
        "search_intent.surfacing_confidence": 0.0,
        "search_intent.surfacing_coverage": 0.0,
        "search_intent.certain_confidence": 0.0,
        "search_intent.require_topics": True,
        "search_intent.merge": "adr",
    },
}
"""Defaults that a preset changes (S2.12)."""

ALIASES: dict[str, str] = {
    "retrieval_exact_threshold": "thresholds.exact",
    "retrieval_fuzzy_threshold": "thresholds.fuzzy",
    "retrieval_token_threshold": "thresholds.token",
    "retrieval_semantic_threshold": "thresholds.semantic",
    "retrieval_scoring_method": "combination",
}
"""Names of settings in document 002 (S2.11)."""


class SettingsError(ValueError):
    """Invalid setting or settings file; the message is a sentence for the user.

    `key` is the setting and `origin` the source of its value, "" if no single one is at fault.
    """

    def __init__(self, sentence: str, key: str = "", origin: str = "") -> None:
        super().__init__(sentence)
        self.key, self.origin = key, origin


ENCODER_NAME = "encoder.name"


@dataclass(frozen=True, slots=True)
class Layered:
    """Settings in force, the origin of each value by dotted key, and notes on outdated values."""

    values: Settings
    origins: Mapping[str, str]
    note: str = ""


def keys() -> list[str]:
    """Return every dotted key, in the order of the model."""
    return list(described())


@dataclass(frozen=True, slots=True)
class Choices:
    """Profile and settings given on the command line."""

    profile: Path | None = None
    settings: Path | None = None
    pairs: Sequence[str] = ()


@cache
def described(model: type[BaseModel] = Settings, prefix: str = "") -> Mapping[str, str]:
    """Return the description of each setting, by dotted key."""
    found: dict[str, str] = {}
    for name, info in model.model_fields.items():
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            found |= described(info.annotation, f"{prefix}{name}.")
        else:
            found[prefix + name] = info.description or ""
    return MappingProxyType(found)


@dataclass(frozen=True, slots=True)
class SettingsSources:
    """Settings given outside the profile, by dotted key: file, environment, command line."""

    file: Mapping[str, object] = field(default_factory=dict)
    environment: Mapping[str, object] = field(default_factory=dict)
    command_line: Mapping[str, object] = field(default_factory=dict)
    passed_over: tuple[str, ...] = ()
    """A sentence per unusable variable of another program."""


def layer(sources: SettingsSources = SettingsSources(), *, here: Mapping[str, object] = {}) -> Layered:
    """Merge the layers over the defaults; raises SettingsError with the key and its origin."""
    said = {
        "file": sources.file,
        "here": here,
        "environment": sources.environment,
        "command line": sources.command_line,
    }
    layers = {origin: _known(found, origin) for origin, found in said.items()}
    origins = dict.fromkeys(keys(), "default")
    values: dict[str, object] = {}
    preset = next((str(found["preset"]) for found in reversed(layers.values()) if "preset" in found), "recommended")
    if preset not in PRESETS:
        raise SettingsError(f"Unknown preset “{preset}”; choose one of {', '.join(PRESETS)}.")
    for origin, found in {"preset": PRESETS[preset], **layers}.items():
        values |= found
        origins |= dict.fromkeys(found, origin)
        for table, (_, is_of, _) in TABLES.items():
            if any(map(is_of, found)):
                origins[table] = origin
    try:
        settings = Settings.model_validate(_nested(values))
    except ValidationError as error:
        raise SettingsError(*refusal(error.errors(), Settings, origins, values)) from error
    notes = [note for key, note in RETIRED.items() if any(found.get(key) for found in said.values())]
    notes.append(_former_encoder(str(values.get(ENCODER_NAME)), origins))
    return Layered(settings, origins, " ".join(filter(None, notes)))


def is_accepted(here: Mapping[str, object], sources: SettingsSources = SettingsSources()) -> bool:
    """Return whether a profile may have these settings of its own, above these sources."""
    try:
        layer(sources, here=here)
    except SettingsError:
        return False
    return True


def _former_encoder(name: str, origins: Mapping[str, str]) -> str:
    """Explain the replacement of an encoder of earlier versions; "" for others."""
    if (model := FORMER_ENCODERS.get(name)) is None:
        return ""
    origin = ORIGINS.get(origins[ENCODER_NAME], origins[ENCODER_NAME])
    return (
        f"{ENCODER_NAME} = {name} (from {origin}): this version has no encoder {name}, so {DEFAULT_ENCODER} is used. "
        f"Set {ENCODER_NAME} to {DEFAULT_ENCODER} or reset it. To go on with {model}, set {ENCODER_NAME} to "
        f"sentence-transformers and encoder.model to {model}."
    )


def value_of(settings: Settings, key: str) -> object:
    return attrgetter(key)(settings)


TABLES: Mapping[str, tuple[str, Callable[[str], object], str]] = {
    WEIGHTS: (",", is_weight, "howto.patterns=2"),
    ROUTES: (";", named_in, "billing.stores=qdrant"),
}
"""Settings that are tables: the cell separator, the test for keys of cells, and a cell."""


def is_cell(key: str) -> bool:
    """Return whether a dotted key is a cell of a table."""
    return any(is_of(key) for _, is_of, _ in TABLES.values())


def _spelled_out(found: Mapping[str, object]) -> dict[str, object]:
    """Expand tables given in one value, like "howto.patterns=2, general.apis=0", into cells.

    A cell given by itself overrides one in the table's value.
    """
    cells: dict[str, object] = {}
    for table, (parting, _, _) in TABLES.items():
        for part in filter(None, (piece.strip() for piece in str(found.get(table, "")).split(parting))):
            cell, _, value = part.partition("=")
            cells[f"{table}.{cell.strip()}"] = value.strip()
    return {**cells, **{key: value for key, value in found.items() if key not in TABLES}}


RETIRED: Mapping[str, str] = {
    "language": "",
    "team.servers": (
        "team.servers is ignored: this version searches a team's library on the library's own server. Fill that with "
        "“intentscope team --index”, and remove the setting (“intentscope settings --reset team.servers” where it is "
        "stored in the profile)."
    ),
}
"""Ignored settings of earlier versions, each with its message, "" for none."""


def _known(found: Mapping[str, object], origin: str) -> dict[str, object]:
    known = set(keys())
    renamed = _spelled_out({ALIASES.get(key, key): value for key, value in found.items() if key not in RETIRED})
    for key in renamed:
        if key not in known and not is_cell(key):
            said = "--set" if origin == "command line" else ORIGINS[origin]
            table = next((name for name in TABLES if key.startswith(f"{name}.") and key not in found), key)
            cell, why = key[len(table) + 1 :][:60], f"Unknown setting “{key}” (from {said})"
            if cell:
                why = f"{table} (from {said}) is refused: “{cell}” is no cell, such as {TABLES[table][2]}"
            raise SettingsError(f"{why}.", table, origin if origin == "file" else "")
    return renamed


def _nested(flat: Mapping[str, object]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for key, value in flat.items():
        # The name of a namespace or a route may contain dots.
        route = named_in(key)
        *sections, name = key.split(".", 3) if is_weight(key) else key.split(".")
        if route:
            sections, name = [ROUTES, route], key.rpartition(".")[2]
        target = nested
        for section in sections:
            target = target.setdefault(section, {})
        target[name] = value
    return nested


# ---- Settings that affect answers, for comparison of stored results.


LOOKS = ("theme", "match_columns", "rail", "high_contrast", "reduced_motion", "text_scale", "log_axes")
"""Settings of the window's appearance."""

SURFACING = "search_intent.surfacing_"
"""Prefix of settings for the use of an answer, not its choice."""

BESIDE = (*LOOKS, "log_breakdowns", "metrics.", "serve.", "notify.", "updates.", "files.", "curate.", "history.",
          "powers.", "llm.url", "llm.keep_alive", "encoder.url")  # fmt: skip
"""Settings, or prefixes of keys, that affect neither answers nor their use."""

UNASKED = (*BESIDE, SURFACING, "matches", "group_matches", "llm.", "search_intent.debounce_ms", "search_intent.llm_",
           "route.llm_while_typing", "route.cache_hours", "route.monthly_budget", "route.cost_per_query",
           "route.error_rate", "route.rollout", "route.candidate", "route.store_seconds", "route.redis",
           *(f"route.{store}" for store in STORE_ADDRESSES))  # fmt: skip
"""Settings, or prefixes, that affect no labelled case, which runs without an LLM or lists."""


def bearing(settings: Settings, but: tuple[str, ...]) -> dict[str, str]:
    """Return all values as text by dotted key.

    Keys with these prefixes and routes' looks are left out.
    """
    return {
        key: value
        for key, value in flat(settings).items()
        if not key.startswith(but) and not (named_in(key) and key.endswith((".title", ".colour")))
    }


def changed_keys(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return the differing dotted keys, sorted; a preset stands for all its keys."""
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    if "preset" in changed:
        changed -= {key for preset in PRESETS.values() for key in preset}
    return sorted(changed)


def flat(settings: Settings) -> dict[str, str]:
    """Return the value of every dotted key as text."""
    return {key: value_text(value) for key, value in dotted(settings.model_dump(mode="json")).items()}


def value_text(value: object) -> str:
    """Return a value as `--set` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def dotted(table: Mapping[str, Any], prefix: str = "") -> dict[str, object]:
    """Return the values of nested tables by dotted key."""
    found: dict[str, object] = {}
    for name, value in table.items():
        found |= dotted(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {prefix + name: value}
    return found
