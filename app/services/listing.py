"""Which of the ranked matches are listed, and which are worth a line in the log."""

from __future__ import annotations

import logging

from app.domain.library import Kind
from app.domain.match import Match
from app.settings.model import Settings

log = logging.getLogger(__name__)

LOGGED_FROM = 0.7
"""002: breakdowns above this confidence are worth a line in the log."""


def listed(ranked: tuple[Match, ...], settings: Settings) -> tuple[Match, ...]:
    """At most `matches` of each kind."""
    left = dict.fromkeys(Kind, settings.matches)
    kept: list[Match] = []
    for match in ranked:
        left[match.kind] -= 1
        if left[match.kind] >= 0:
            kept.append(match)
    return tuple(kept)


def log_breakdowns(ranked: tuple[Match, ...]) -> None:
    """One line for each match of LOGGED_FROM and above."""
    for match in ranked:
        if match.confidence < LOGGED_FROM:
            break
        shown = ", ".join(f"{name} {value:.3f}" for name, value in match.scores.items() if value is not None)
        log.debug("%s %.3f: %s", match.answer.name, match.confidence, shown)
