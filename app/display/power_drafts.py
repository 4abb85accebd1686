"""Edits of powers that are kept by key until they are saved or taken back, wherever a person goes meanwhile."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.display.power_rows import carried_over
from app.domain.library import Power
from app.services.powers.live_effect import UNSTORED


class Drafts(dict[int, Power]):
    """Drafts by the key of the power; a new one has the key UNSTORED."""

    def note(self, key: int, draft: Power | None) -> bool:
        """Keep a draft, or with None forget it; whether there was none before, or is none now."""
        had = key in self
        if draft is None:
            self.pop(key, None)
        else:
            self[key] = draft
        return had != (draft is not None)

    def follow(self, before: Iterable[Power], now: Iterable[Power]) -> None:
        """Take up what has changed of the stored powers, where no edit speaks against it."""
        were = {power.key: power for power in before}
        for power in now:
            if power.key is not None and power.key in self and power.key in were:
                self[power.key] = carried_over(self[power.key], were[power.key], power)

    def saved(self, sent: Power, stored: Power) -> None:
        """A draft was stored: it is none any more, unless it was edited on meanwhile."""
        key = UNSTORED if sent.key is None else sent.key
        draft = self.pop(key, sent)
        if draft != sent:
            self[stored.key or key] = replace(draft, key=stored.key, version=stored.version)
