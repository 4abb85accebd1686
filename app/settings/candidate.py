"""The settings of a candidate for routes, as one setting writes them: `route.threshold=0.95, route.use_llm=false`."""

from __future__ import annotations

from collections.abc import Mapping

CANDIDATE_KEYS = (
    "route.threshold",
    "route.rules",
    "route.examples",
    "route.overrule",
    "route.abstain",
    "route.use_llm",
    "route.llm_while_typing",
    "search_intent.min_confidence",
    "search_intent.llm_timeout_ms",
)
"""What two configurations may differ in that run side by side: LLM, circuit, budget and kept answers are shared."""


def parse_candidate(written: str) -> dict[str, str]:
    """The settings by key; ValueError with a sentence for what is none, or may not differ."""
    found: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in written.split(","))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not value:
            raise ValueError(f"a candidate is written as route.threshold=0.95, not “{part}”")
        if key not in CANDIDATE_KEYS:
            raise ValueError(f"a candidate may differ in {', '.join(CANDIDATE_KEYS)} only, not in {key}")
        found[key] = value
    return found


def candidate_text(changes: Mapping[str, str]) -> str:
    """The settings as one."""
    return ", ".join(f"{key}={value}" for key, value in sorted(changes.items()))
