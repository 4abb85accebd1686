"""Formatting of numbers: few digits, but no number seems to cross a threshold."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Decimal

MINUS = "\N{MINUS SIGN}"
TIMES = "\N{MULTIPLICATION SIGN}"
ABSENT = "\N{EN DASH}"
SCORE_DIGITS = 3
MOST_DIGITS = 17
"""Number of digits that distinguish any two doubles."""

_ENDS = (0.0, 1.0)
_SMALL, _LARGE = 0.01, 0.995
"""Confidences next to the ends, which whole percentages tell no more of."""


def score(value: float | None, thresholds: Iterable[float] = ()) -> str:
    """Format a score or confidence: three decimals, more to stay on its side of the thresholds.

    "0" only for 0; values that four decimals cannot distinguish from 0 or 1 are "<0.001" or ">0.999".
    """
    if value is None:
        return ABSENT
    if value == 0.0:
        return "0"
    limits = tuple(thresholds)
    if 0.0 < value < 1.0:
        # Fast path for nearly every score: three decimals that cross no threshold.
        short = f"{value:.{SCORE_DIGITS}f}"
        rounded = float(short)
        if 0.0 < rounded < 1.0 and all((value >= limit) == (rounded >= limit) for limit in limits):
            return short
    text = _keeping_sides(value, SCORE_DIGITS, SCORE_DIGITS + 1, _ENDS)
    if text is None:
        return "<0.001" if value < 0.5 else ">0.999"
    return minus(_keeping_sides(value, len(text.partition(".")[2]), MOST_DIGITS, (*_ENDS, *limits)) or repr(value))


def chance(value: float, thresholds: Iterable[float] = ()) -> str:
    """Format a confidence in [0, 1] as "98 %", with up to two decimals to stay on a threshold's side.

    Values that these cannot distinguish are "<0.01 %", ">99.99 %", or as just below 50 % "<50 %".
    """
    if value in _ENDS:
        return f"{100.0 * value:.0f} %"
    share = _hundredfold(value)
    if _keeping_sides(share, 0, 2, (0.0, 100.0)) is None:
        return "<0.01 %" if value < 0.5 else ">99.99 %"
    limits = (0.0, 100.0, *map(_hundredfold, thresholds))
    near = min(limits, key=lambda limit: abs(limit - share))
    side = "<" if share < near else ">" if share > near else ""
    return f"{_keeping_sides(share, 0, 2, limits) or f'{side}{near:.4g}'} %"


def rough_chance(value: float | None, thresholds: Iterable[float] = ()) -> str:
    """Format a confidence in [0, 1] as a short percentage, "<1 %" and ">99 %" near the ends.

    Near a threshold there it has enough digits to show the side of the value.
    """
    if value is None:
        return ABSENT
    limits = tuple(thresholds)
    if 0.0 < value < _SMALL and not any(0.0 < limit < _SMALL for limit in limits):
        return "<1 %"
    if _LARGE <= value < 1.0 and not any(_LARGE - _SMALL / 2.0 < limit < 1.0 for limit in limits):
        return ">99 %"
    return chance(value, limits)


def rounded_chance(shown: Decimal, exact: float) -> str:
    """Format a rounded percentage, but "<1 %" and ">99 %" unless the exact share is 0 or 1."""
    if shown == 0 < exact:
        return "<1 %"
    return ">99 %" if shown == 100 and exact < 1.0 else f"{shown:f} %"


def fixed(value: float, digits: int = SCORE_DIGITS) -> str:
    """Format a number with fixed decimals and a minus sign; "0" only for 0."""
    return "0" if value == 0.0 else minus(f"{value:.{digits}f}")


def signed(value: float | None) -> str:
    """Format a difference of scores with its sign: "+0.237", "+<0.001" for a tiny one, "0"."""
    if value is None:
        return ""
    if value == 0.0:
        return "0"
    text = _keeping_sides(abs(value), SCORE_DIGITS, SCORE_DIGITS + 1, _ENDS)
    if text is None:
        text = "<0.001" if abs(value) < 0.5 else ">0.999"
    return ("+" if value > 0 else MINUS) + text


def points(value: float) -> str:
    """Format a difference of two confidences, at most 1, in percentage points: "31 points", "1.5 points"."""
    share = 100.0 * value
    if share < 0.05:
        return "<0.1 points"
    text = f"{share:.0f}" if 9.95 <= share < 99.5 or share == 100.0 else f"{min(share, 99.9):.1f}".removesuffix(".0")
    return "1 point" if text == "1" else f"{text} points"


def points_apart(one: float, other: float) -> str:
    """Format a difference in points, with a decimal if the whole percents differ by another number."""
    apart, wholes = abs(one - other), [round(_hundredfold(value)) for value in (one, other)]
    if abs(wholes[0] - wholes[1]) == round(100.0 * apart) or apart >= _LARGE:
        return points(apart)
    return f"{100.0 * apart:.1f} points" if apart >= 0.0005 else points(apart)


def points_gained(change: float) -> str:
    """Format a change of a share, with a decimal: "+3.9 points", "−12.0 points", "0 points"."""
    size = percent(round(abs(change) * 1e9), 10**9).removesuffix(" %")
    return f"{'+' if change > 0 else MINUS if change else ''}{size} points"


def milliseconds(value: float, budgets: Iterable[float] = ()) -> str:
    """Format a duration in ms without unit: one decimal under 10, otherwise none.

    More decimals are used if the number would seem to cross a budget; a duration equal to a budget is within it.
    """
    if value == 0.0:
        return "0"
    if value < 0.005:
        return "<0.01"
    least, limits = 1 if value < 10.0 else 0, tuple(budgets)
    for digits in range(least, MOST_DIGITS + 1):
        text = f"{value:.{digits}f}"
        over = all((value > limit) == (float(text) > limit) for limit in limits)
        if over and keeps_sides(value, text, (0.0, 10.0, *limits)):
            return text
    return repr(value)


def percent(part: int, whole: int) -> str:
    """Format a share with one decimal: "3.9 %"; "0 %" and "100 %" only for none and all."""
    if whole <= 0 or part <= 0:
        return "0 %"
    if part >= whole:
        return "100 %"
    share = 100.0 * part / whole
    return (_keeping_sides(share, 1, 6, (0.0, 100.0)) or "<0.1") + " %"


def count(value: int) -> str:
    """Format a count with thousands separators."""
    return f"{value:,}"


def tick(value: float, digits: int = 0) -> str:
    """Format a number on an axis: "0", ".75", "10"."""
    text = minus(f"{value:.{digits}f}" if digits else f"{value:g}")
    return text[1:] if text.startswith("0.") else text


def unbroken(text: str) -> str:
    """Return a text in which no line ends between a number and its "%"."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def breakable(text: str) -> str:
    """Return an unbroken text whose long words can end a line, by zero-width spaces."""
    return re.sub(r"\S{40,}", lambda found: re.sub(r"(.{16})", "\\1\u200b", found[0]), unbroken(text))


def minus(text: str) -> str:
    """Replace hyphens in a number by minus signs."""
    return text.replace("-", MINUS)


def keeps_sides(value: float, shown: str, thresholds: Iterable[float]) -> bool:
    """Check if a shown number is on the same side of every threshold as the value.

    A value equal to a threshold is above it.
    """
    rounded = float(shown.replace(MINUS, "-"))
    return all(
        (value >= limit) == (rounded >= limit) and not (limit == 0.0 and (value > 0.0) != (rounded > 0.0))
        for limit in thresholds
    )


def _hundredfold(value: float) -> float:
    """Return a share in percent as the digits of the share say: 55.0 for 0.55, not 55.00000000000001."""
    return float(Decimal(repr(float(value))).scaleb(2)) if math.isfinite(value) else value


def _keeping_sides(value: float, first: int, last: int, thresholds: Iterable[float]) -> str | None:
    limits = tuple(limit for limit in thresholds if math.isfinite(limit))
    for digits in range(first, last + 1):
        text = f"{value:.{digits}f}"
        if keeps_sides(value, text, limits):
            return text
    return None
