"""Settings as rows: title, description, value, choices, origin, and if they can be changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from app.display import numbers, words
from app.domain.language import capitalized, quantity
from app.settings.layers import FOREIGN_ENVIRONMENT, environment_name
from app.settings.model import ALIASES, PRESETS, TABLES, Settings, value_of

SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "theme": ("colours", "dark mode", "light mode", "night"),
    "text_scale": ("font size", "size of texts", "text size", "zoom", "bigger", "larger", "smaller"),
    "high_contrast": ("accessibility",),
    "reduced_motion": ("accessibility", "animation"),
}
"""Other words for settings, by key, for the palette and the page's search."""

TIERS, BANDS, SURFACING, LEAST = "tiers", "bands", "surfacing", "least"

THRESHOLDS: Mapping[str, str] = {
    "fallback_threshold": BANDS,
    "search_intent.min_confidence": LEAST,
    "search_intent.surfacing_threshold": SURFACING,
    "tiers.high": TIERS,
    "tiers.medium": TIERS,
    "tiers.weak": TIERS,
    "tiers.ambiguity_margin": TIERS,
    "bands.high": BANDS,
    "bands.medium": BANDS,
}
"""Settings edited by a slider, with the scale each one divides."""

_TABLES: Mapping[str, str] = {
    "namespaces.weights": "Changed on the page Context, one weight at a time.",
    "routes": "Changed on the page Routing, under Routes.",
}
"""Pages on which settings with tables are edited."""

FIXED = ("environment", "command line")
"""Origins that override a choice in the window."""

ORIGINS: Mapping[str, str] = {
    "default": "Default",
    "preset": "From the preset",
    "file": "Settings file",
    "here": "Set here",
    "environment": "Environment",
    "command line": "Command line",
}

SECTIONS: Mapping[str, tuple[str, str]] = {
    "answers": ("Answers", "preset combination power_combination keep_better use_ name_"),
    "thresholds": (
        "Thresholds",
        (
            "fallback_ label_ min_ tiers. bands. thresholds. curate.duplicate_ search_intent.min_ "
            "search_intent.certain_ search_intent.surfacing_threshold search_intent.surfacing_confidence"
        ),
    ),
    "type": ("Type", "search_intent."),
    "injection": ("Injection", "search_intent.surfacing_ namespaces."),
    "llm": ("LLM", "llm. search_intent.use_llm search_intent.llm_ search_intent.debounce_"),
    "encoder": ("Encoder", "encoder."),
    "weights": ("Weighted average", "weights."),
    "privacy": ("Privacy", "history. log_breakdowns updates. metrics."),
    "appearance": ("Appearance", "theme rail high_ reduced_ text_ match group_ log_axes notify."),
    "library": ("Library", "curate. files. team."),
    "powers": ("Powers", "powers."),
    "assistants": ("Assistants", "serve."),
    "routing": ("Routing", "route"),
}
"""Title of each section, and key prefixes of its settings; the longest prefix decides."""

EVERYDAY = (
    "preset name_counts fallback_threshold tiers.high search_intent.surfacing_confidence search_intent.enabled "
    "search_intent.surfacing_tokens search_intent.use_llm search_intent.llm_timeout_ms llm.choose_labels "
    "encoder.name encoder.model history.privacy history.days updates.url theme text_scale high_contrast "
    "reduced_motion notify.when_done curate.bin_days files.folder files.follow powers.idle_turns "
    "powers.most_running serve.teach serve.keep_engine route.enabled route.use_llm"
).split()
"""Keys of the settings that people change; the page folds the others under *Advanced*."""

GROUPS: Mapping[str, str] = {
    "tiers": "Powers",
    "bands": "Memories",
    "thresholds": "Cascade",
    "weights": "Weight",
    "namespaces": "Namespaces",
    "history": "History",
    "metrics": "Metrics",
    "updates": "Newer versions",
    "notify": "Notice",
    "team": "Team",
}
"""First words of titles of settings in shared sections, by the first part of the key."""

TITLES: Mapping[str, str] = {
    "search_intent.enabled": "Detect the type",
    "search_intent.selection": "Choice among several types",
    "search_intent.learned": "Types from examples",
    "search_intent.merge": "Keywords and LLM",
    "route.enabled": "Choose a data store",
    "name": "Encoder",
    "tiers.high": "Activation threshold of powers",
    "bin_days": "Days in the bin",
    "folder": "Linked folder",
    "follow": "Follow the linked folder",
    "idle_turns": "Queries until an idle power stops",
    "most_running": "Maximum running powers",
    "teach": "Let assistants teach",
    "text_scale": "Text size",
    "more": "your own",
    "fallback_threshold": "Answer threshold",
    "min_confidence": "LLM threshold",
    "fallback_penalty": "Penalty without the LLM",
    "strict_floor": "Never below the keywords",
    "min_score": "Minimum success of a memory",
    "keep_better": "Prefer the better combination",
    "name_counts": "Power named in the query",
    "learned_from": "Probability of a learned type",
    "debounce_ms": "Pause before the LLM (ms)",
    "rail": "Side bar",
    "surfacing_threshold": "Type threshold",
    "surfacing_confidence": "Injection threshold",
    "certain_confidence": "Injection threshold without a type",
    "surfacing_coverage": "Coverage of injected memories",
    "surfacing_success": "Weight of success",
    "surfacing_tokens": "Maximum injected tokens",
}
"""Titles of settings whose key is not readable, by the last part of the key."""


_VALUES: Mapping[str, str] = {**{name: f"{capitalized(word)} ({name})" for name, word in words.MERGES.items()}}
"""Display names of choices whose key is not readable."""

_SPELLED: Mapping[str, str] = {
    "llm": "LLM",
    "most": "maximum",
    "postgresql": "PostgreSQL",
    "url": "address",
    "ms": "(ms)",
    "timeout": "time-out",
    "adr": "ADR",
    "json": "JSON",
}
_SIGNS = {True: "On", False: "Off"}


class Editor(StrEnum):
    SWITCH = "switch"
    CHOICE = "choice"
    NUMBER = "number"
    THRESHOLD = "threshold"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting. `value` and `default` are display texts, `raw` is the setting's own format.

    `fixed` is why it cannot be changed here, "" if it can; `choices` pairs stored values with display names.
    """

    key: str
    title: str
    sentence: str
    editor: Editor
    raw: str
    value: str
    default: str
    origin: str
    is_set_here: bool
    fixed: str
    variables: tuple[str, ...]
    choices: tuple[tuple[str, str], ...] = ()
    low: float | None = None
    high: float | None = None
    is_whole: bool = False
    is_unread: bool = False
    """True if only a combination that is not in force uses it."""

    @property
    def is_advanced(self) -> bool:
        return self.key not in EVERYDAY

    @property
    def is_changed(self) -> bool:
        return self.value != self.default or self.is_set_here

    @property
    def bounds(self) -> str:
        """Range of a number, in words; "" if unlimited."""
        low, high = (None if end is None else f"{end:,.10g}" for end in (self.low, self.high))
        if low is not None and high is not None:
            return f"{low} to {high}"
        return f"from {low} on" if low is not None else ""


@dataclass(frozen=True, slots=True)
class SettingSection:
    key: str
    title: str
    rows: tuple[SettingRow, ...]


def setting_sections(settings: Settings, origins: Mapping[str, str]) -> tuple[SettingSection, ...]:
    from app.scoring.combiners import only_reader  # late, as it imports numpy

    found: dict[str, list[SettingRow]] = {name: [] for name in SECTIONS}
    for key, info in _fields(Settings):
        row = _row(key, info, settings, origins.get(key, "default"))
        is_unread = all(only_reader(key, settings, power=power) for power in (False, True))
        found[_section(key)].append(replace(row, is_unread=is_unread))
    return tuple(SettingSection(name, SECTIONS[name][0], tuple(rows)) for name, rows in found.items())


def _section(key: str) -> str:
    """Return the section of a setting; raises KeyError for none."""
    fits = {start: name for name, (_, starts) in SECTIONS.items() for start in starts.split() if key.startswith(start)}
    return fits[max(fits, key=len, default="")]


def also_called(row: SettingRow) -> tuple[str, ...]:
    """Return other words for a setting: its choices and synonyms."""
    name = row.key.rpartition(".")[2].replace("_", " ")
    return name, *(word for _, word in row.choices), *SYNONYMS.get(row.key, ())


def matching(row: SettingRow, section: SettingSection, search: str) -> bool:
    """Check if every search word starts a word of the setting's texts."""
    names = [*(alias for alias, key in ALIASES.items() if key == row.key), *also_called(row)]
    where = " ".join(
        (row.key, row.title, row.sentence, row.value, row.origin, section.title, *row.variables, *names)
    ).lower()
    return all(re.search(rf"(?<![^\W_]){re.escape(word)}", where) for word in search.lower().split())


def setting_lines(rows: Sequence[SettingRow], *, in_full: bool) -> list[str]:
    """Format settings with their origin; `in_full` adds description and range."""
    lines = []
    for row in rows:
        lines.append(f"{row.key} = {row.raw}  ({row.origin})")
        taken = ", ".join(choice for choice, _ in row.choices) or row.bounds
        if in_full:
            lines += [f"    {part}" for part in (row.sentence, taken) if part]
    return lines


def setting_document(row: SettingRow) -> dict[str, object]:
    """Make the document of a setting, as `--set` takes it."""
    return {
        "key": row.key,
        "value": row.raw,
        "is_set_here": row.is_set_here,
        "choices": [one for one, _ in row.choices],
    }


def stepped(row: SettingRow, value: str, by: int) -> str:
    """Step a number up or down within its range: by 1 for integers, by 0.05 otherwise."""
    try:
        number = float(value) + by * (1.0 if row.is_whole else 0.05)
    except ValueError:
        return value
    number = number if row.low is None else max(row.low, number)
    number = number if row.high is None else min(row.high, number)
    return f"{number:.0f}" if row.is_whole else f"{round(number, 6):g}"


def _fields(model: type[BaseModel], prefix: str = "") -> Iterable[tuple[str, FieldInfo]]:
    for name, info in model.model_fields.items():
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            yield from _fields(info.annotation, f"{prefix}{name}.")
        else:
            yield prefix + name, info


def _row(key: str, info: FieldInfo, settings: Settings, origin: str) -> SettingRow:
    value = value_of(settings, key)
    default = PRESETS[settings.preset].get(key, info.default)
    editor = Editor.THRESHOLD if key in THRESHOLDS else _editor(info.annotation)
    variables = (environment_name(key), *(name for name, known in FOREIGN_ENVIRONMENT.items() if known == key))
    return SettingRow(
        key,
        setting_title(key),
        re.sub("`([^`]+)`", r"“\1”", (info.description or "")),
        editor,
        _raw(value),
        _read(value, editor),
        _read(default, editor),
        f"Preset “{_title(settings.preset, {})}”" if origin == "preset" else ORIGINS.get(origin, origin),
        origin == "here" and key not in TABLES,
        _fixed(origin, variables, key),
        variables,
        tuple((choice, _title(choice, _VALUES)) for choice in _choices(info.annotation)),
        _bound(info, "ge"),
        _bound(info, "le"),
        info.annotation is int,
    )


def setting_title(key: str) -> str:
    """Return the title of a setting, after that of its group if it has one."""
    if key in TITLES:
        return TITLES[key]
    title = _title(key.rpartition(".")[2], TITLES)
    group = GROUPS.get(key.partition(".")[0])
    if group is None:
        return title
    return f"{group}: {title if title[:2].isupper() else title[:1].lower() + title[1:]}"


def titled_changes(changes: Mapping[str, str]) -> str:
    """Format changed settings by their titles: "Injection threshold to 75 %"."""
    return ", ".join(f"{setting_title(key)} to {value_words(key, value)}" for key, value in changes.items())


def value_words(key: str, value: str) -> str:
    """Format a value of a setting: confidences as percentages, choices by their display names."""
    if is_share(key):
        return f"{100 * float(value):.6g} %"
    is_choice = any(name == key and _choices(info.annotation) for name, info in _fields(Settings))
    return _title(value, _VALUES) if is_choice else value


def is_share(key: str) -> bool:
    """Check if a setting is shown in per cent."""
    return key in THRESHOLDS or key.endswith("_confidence")


def _editor(annotation: object) -> Editor:
    if annotation is bool:
        return Editor.SWITCH
    if _choices(annotation):
        return Editor.CHOICE
    return Editor.NUMBER if annotation in (int, float) else Editor.TEXT


def _choices(annotation: Any) -> tuple[str, ...]:
    """Return the members of a Literal, or of a union of several."""
    if get_origin(annotation) is Literal:
        return tuple(str(choice) for choice in get_args(annotation))
    return tuple(choice for part in get_args(annotation) for choice in _choices(part))


def _bound(info: FieldInfo, end: str) -> float | None:
    found = (getattr(mark, end, None) for mark in info.metadata)
    return next((float(bound) for bound in found if bound is not None), None)


def _raw(value: object) -> str:
    if isinstance(value, Mapping):
        is_routes = all(isinstance(row, BaseModel) for row in value.values())
        rows = {name: row.model_dump() if isinstance(row, BaseModel) else row for name, row in value.items()}
        cells = ((f"{name}.{cell}", said) for name, row in rows.items() for cell, said in row.items())
        return ("; " if is_routes else ", ").join(f"{cell}={_raw(said)}" for cell, said in cells)
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _read(value: object, editor: Editor) -> str:
    if isinstance(value, bool):
        return _SIGNS[value]
    if isinstance(value, Mapping):
        if any(isinstance(row, BaseModel) for row in value.values()):
            return f"{quantity(len(value), 'route')} set"
        changed = sum(len(of_type) for of_type in value.values())
        return f"{quantity(changed, 'weight')} set" if changed else "as shipped"
    if isinstance(value, int | float):
        return numbers.minus(f"{value:,.10g}")
    if value == "":
        return "empty"
    return _title(str(value), _VALUES) if editor is Editor.CHOICE else str(value)


def _fixed(origin: str, variables: tuple[str, ...], key: str) -> str:
    if key in TABLES:
        return _TABLES[key]
    if origin == "environment":
        names = " or ".join(variables)
        return f"Set by the environment ({names}), which wins over a choice made here."
    if origin == "command line":
        return "Set on the command line (--set), which wins over a choice made here."
    return ""


def _title(name: str, known: Mapping[str, str]) -> str:
    if name in known:
        return known[name]
    return capitalized(" ".join(_SPELLED.get(part, part) for part in name.split("_")))
