"""What can be compared and swept for a task in the window: its settings, the presets, and what is offered first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.display import words
from app.display.evaluation.sweep import can_sweep
from app.display.system.settings import SettingRow, setting_sections
from app.domain.case import Task
from app.settings.layers import from_pairs
from app.settings.model import ALIASES, Settings, SettingsError

SEVERAL = "several"
"""Chosen to write several settings at once."""

PRESET_WORDS: Mapping[str, str] = {
    "preset=recommended": "Preset “Recommended”",
    "preset=as_documented": "Preset “As documented”",
}

_RANKED = ("combination", "use_hybrid_retrieval", "fallback_threshold", "min_score", "thresholds.", "weights.")
_TOUCH: Mapping[Task, tuple[str, ...]] = {
    Task.INTENT: _RANKED,
    Task.MEMORY: _RANKED,
    Task.POWER: (
        "combination",
        "power_combination",
        "tiers.",
        "name_counts",
        "use_hybrid_retrieval",
        "thresholds.",
        "weights.",
    ),
    Task.ROUTE: ("route.threshold", "route.examples", "route.abstain"),
    Task.TYPE: ("search_intent.selection", "search_intent.require_topics", "fallback_threshold"),
}
"""What the answers of a task depend on: settings, and sections where they end in a dot."""


def rows_for(task: Task, settings: Settings, origins: Mapping[str, str]) -> list[SettingRow]:
    """The settings that a task's answers depend on, the most telling first."""
    known = {row.key: row for section in setting_sections(settings, origins) for row in section.rows}
    found = []
    for name in _TOUCH[task]:
        found += [row for key, row in known.items() if (key.startswith(name) if name.endswith(".") else key == name)]
    return [row for row in found if can_sweep(row)]


def compare_choices(rows: Sequence[SettingRow]) -> list[tuple[str, str]]:
    """What can be compared with: presets, single settings, several at once."""
    presets = [(pair, words.say(word)) for pair, word in PRESET_WORDS.items()]
    return [*presets, *((row.key, row.key) for row in rows), (SEVERAL, words.say("Several settings…"))]


def changes_written(text: str) -> dict[str, str]:
    """The settings written as `KEY=VALUE; KEY=VALUE`; SettingsError with a sentence for what is none."""
    parts = [part for part in text.split(";") if part.strip()]
    if not parts:
        raise SettingsError(
            words.say("Write what should be otherwise, such as combination=max; fallback_threshold=0.4.")
        )
    return {ALIASES.get(key, key): str(value) for key, value in from_pairs(parts).items()}
