"""Which settings bear on an answer: what is kept, run or tried under others is told by these alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.settings.model import PRESETS, Settings

LOOKS = ("theme", "rail", "high_contrast", "reduced_motion", "text_scale", "log_axes", "language")
"""How the window looks and moves."""

SURFACING = "search_intent.surfacing_"
"""What becomes of an answer, and not which one it is."""

BESIDE = (*LOOKS, "log_breakdowns", "metrics.", "serve.", "notify.", "updates.", "files.", "curate.", "history.",
          "powers.", "llm.url", "llm.keep_alive", "encoder.url")  # fmt: skip
"""Settings that no answer depends on, nor what follows from it, or how such keys begin."""

UNASKED = (*BESIDE, SURFACING, "matches", "group_matches", "llm.", "search_intent.debounce_ms", "search_intent.llm_",
           "route.llm_while_typing", "route.cache_hours", "route.monthly_budget", "route.cost_per_query",
           "route.error_rate")  # fmt: skip
"""Settings that no labelled case depends on: it is put to the engine without an LLM, and nothing is listed."""

_PRESET = "preset"


def bearing(settings: Settings, but: tuple[str, ...]) -> dict[str, str]:
    """The value of every dotted key as text, but for those that begin with one of these."""
    return {key: value for key, value in flat(settings).items() if not key.startswith(but)}


def changed_keys(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The dotted keys that differ, in order; a preset stands for all that it sets."""
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    if _PRESET in changed:
        changed -= {key for preset in PRESETS.values() for key in preset}
    return sorted(changed)


def flat(settings: Settings) -> dict[str, str]:
    """The value of every dotted key as text."""
    return _flat(settings.model_dump(mode="json"))


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = str(value).lower() if isinstance(value, bool) else str(value)
    return found
