"""Changes that may make an expected answer win, before it is known what they do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.detect.keywords import KeywordRules
from app.domain.library import Answer
from app.domain.why_not import Act, Change, ChangeSettings, Effect, Moved
from app.services.routing_stages import Router
from app.services.why_not.trials import Edit
from app.settings.model import Settings, SettingsError, value_of

MOST_OF_A_FAMILY = 2
"""Of changes that are alike, such as one combination or another, so many are told."""

SettingsUnder = Callable[[Mapping[str, str]], Settings]


@dataclass(frozen=True, slots=True)
class Trial:
    """How things would be: settings, and what else would be otherwise; None stands for "as it is"."""

    settings: Settings
    edit: Edit | None = None
    rules: KeywordRules | None = None
    router: Router | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A change that was not tried yet. `size` orders changes that do as much, the smaller first; of one `family` only
    the best few are told; with `anyway` it is told even if the query is not won by it, as it has to be made first."""

    key: str
    act: Act
    trial: Trial
    size: int
    family: str = ""
    moved: tuple[Moved, ...] = ()
    about: tuple[Answer, ...] = ()
    text: str = ""
    sure: float | None = None
    anyway: bool = False

    def change(self, effect: Effect | None, *, wins: bool) -> Change:
        """The change, now that it was tried."""
        return Change(self.key, wins, effect, self.act, self.moved, self.about, self.text, self.sure)


def down(value: float) -> float:
    """The nearest number of two decimals that is not above."""
    return math.floor(round(value * 100.0, 9)) / 100.0


def up(value: float) -> float:
    """The nearest number of two decimals that is not below."""
    return math.ceil(round(value * 100.0, 9)) / 100.0


def in_words(value: object) -> str:
    """A setting's value as it is written."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def settings_draft(
    under: SettingsUnder,
    now: Settings,
    pairs: Mapping[str, str],
    *,
    size: int,
    point: tuple[str, str] | None = None,
    family: str = "",
    anyway: bool = False,
) -> Draft | None:
    """A change of settings; None where it is refused, or where nothing would be otherwise."""
    try:
        settings = under(pairs)
    except SettingsError:
        return None
    changed = {name: value for name, value in pairs.items() if value_of(settings, name) != value_of(now, name)}
    if not changed:
        return None
    moved = tuple(Moved(name, in_words(value_of(now, name)), in_words(value_of(settings, name))) for name in changed)
    act = ChangeSettings(tuple(changed.items()), point)
    return Draft(f"setting.{moved[0].name}", act, Trial(settings), size, family, moved, anyway=anyway)
