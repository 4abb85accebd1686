"""Changes that may make an expected answer win, before it is known what they do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.detect.keywords import KeywordRules
from app.domain.why_not import Act, ChangeSettings
from app.services.routing_stages import Router
from app.services.why_not.trials import Edit
from app.settings import Settings, SettingsError, value_of

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
    what: str
    act: Act
    trial: Trial
    size: int
    family: str = ""
    before: str = ""
    after: str = ""
    anyway: bool = False


def down(value: float) -> float:
    """The nearest number of two decimals that is not above."""
    return math.floor(round(value * 100.0, 9)) / 100.0


def up(value: float) -> float:
    """The nearest number of two decimals that is not below."""
    return math.ceil(round(value * 100.0, 9)) / 100.0


def number(value: float) -> str:
    """A confidence or score in a sentence."""
    return f"{value:.2f}"


def apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers in as many digits as it takes to tell them apart, at least two."""
    for digits in range(2, 6):
        said = f"{one:.{digits}f}", f"{other:.{digits}f}"
        if said[0] != said[1]:
            return said
    return number(one), number(other)


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
    key: str = "",
    what: str = "",
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
    before = ", ".join(in_words(value_of(now, name)) for name in changed)
    after = ", ".join(in_words(value_of(settings, name)) for name in changed)
    told = " and ".join(
        f"{name} from {in_words(value_of(now, name))} to {in_words(value_of(settings, name))}" for name in changed
    )
    first = next(iter(changed))
    act = ChangeSettings(tuple(changed.items()))
    return Draft(
        key or f"setting.{first}", what or f"Set {told}", act, Trial(settings), size, family, before, after, anyway
    )
