"""Settings of a routing candidate in one value: `route.threshold=0.95, route.use_llm=false`."""

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
"""Settings that two parallel configurations may differ in.

They share LLM, circuit breaker, budget and cache.
"""


def parse_candidate(written: str) -> dict[str, str]:
    """Parse the settings by key.

    Raises ValueError with a sentence for unknown or forbidden ones.
    """
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
    """Format the settings as one value."""
    return ", ".join(f"{key}={value}" for key, value in sorted(changes.items()))
