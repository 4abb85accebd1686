"""How a number is written: few digits, but never one that tells another story than the value."""

from __future__ import annotations

import math
from collections.abc import Iterable

MINUS = "\N{MINUS SIGN}"
TIMES = "\N{MULTIPLICATION SIGN}"
ABSENT = "\N{EN DASH}"
SCORE_DIGITS = 3
MOST_DIGITS = 17
"""A double is told apart from every other with this many digits."""

_ENDS = (0.0, 1.0)
_SMALL = 0.01


def score(value: float | None, thresholds: Iterable[float] = ()) -> str:
    """A score or confidence: three decimals, more where fewer would cross a threshold; "0" only for a true zero.

    A value next to the ends of the scale that four decimals cannot tell from them is "<0.001" or ">0.999".
    """
    if value is None:
        return ABSENT
    if value == 0.0:
        return "0"
    limits = tuple(thresholds)
    if 0.0 < value < 1.0:
        # What nearly every score comes to, without asking twice: three decimals, on the same side of everything.
        short = f"{value:.{SCORE_DIGITS}f}"
        rounded = float(short)
        if 0.0 < rounded < 1.0 and all((value >= limit) == (rounded >= limit) for limit in limits):
            return short
    text = _keeping_sides(value, SCORE_DIGITS, SCORE_DIGITS + 1, _ENDS)
    if text is None:
        return "<0.001" if value < 0.5 else ">0.999"
    return minus(_keeping_sides(value, _decimals(text), MOST_DIGITS, (*_ENDS, *limits)) or repr(value))


def chance(value: float, thresholds: Iterable[float] = ()) -> str:
    """A confidence in [0, 1] as a percentage: "98 %", with more digits where fewer would cross a threshold.

    A value next to the ends of the scale that two decimals cannot tell from them is "<0.01 %" or ">99.99 %".
    """
    if value in _ENDS:
        return f"{100.0 * value:.0f} %"
    share = 100.0 * value
    if _keeping_sides(share, 0, 2, (0.0, 100.0)) is None:
        return "<0.01 %" if value < 0.5 else ">99.99 %"
    shown = _keeping_sides(share, 0, MOST_DIGITS, (0.0, 100.0, *(100.0 * limit for limit in thresholds)))
    return f"{shown or repr(share)} %"


def rough_chance(value: float, thresholds: Iterable[float] = ()) -> str:
    """A confidence in [0, 1] as a percentage for a list: "<1 %" where it is next to nothing."""
    small = 0.0 < value < _SMALL and not any(0.0 < limit < _SMALL for limit in thresholds)
    return "<1 %" if small else chance(value, thresholds)


def fixed(value: float, digits: int = SCORE_DIGITS) -> str:
    """An operand or a result with that many decimals and a real minus; "0" only for a true zero."""
    return "0" if value == 0.0 else minus(f"{value:.{digits}f}")


def signed(value: float | None) -> str:
    """A difference of scores with its sign: "+0.237", "+<0.001" for hardly any, "0" for none at all."""
    if value is None:
        return ""
    if value == 0.0:
        return "0"
    text = _keeping_sides(abs(value), SCORE_DIGITS, SCORE_DIGITS + 1, _ENDS)
    if text is None:
        text = "<0.001" if abs(value) < 0.5 else ">0.999"
    return ("+" if value > 0 else MINUS) + text


def milliseconds(value: float, budgets: Iterable[float] = ()) -> str:
    """A duration without its unit: one decimal under 10, none from 10 on, more where it would cross a budget.

    What equals a budget is within it, so what is over it never reads as the budget itself.
    """
    if value == 0.0:
        return "0"
    if value < 0.005:
        return "<0.01"
    least, limits = 1 if value < 10.0 else 0, tuple(budgets)
    for digits in range(least, MOST_DIGITS + 1):
        text = f"{value:.{digits}f}"
        over = all((value > limit) == (float(text) > limit) for limit in limits)
        if over and sides_kept(value, text, (0.0, 10.0, *limits)):
            return text
    return repr(value)


def percent(part: int, whole: int) -> str:
    """A share with one decimal and its sign: "3.9 %"; "0 %" and "100 %" only for none and all."""
    if whole <= 0 or part <= 0:
        return "0 %"
    if part >= whole:
        return "100 %"
    share = 100.0 * part / whole
    return (_keeping_sides(share, 1, 6, (0.0, 100.0)) or "<0.1") + " %"


def count(value: int) -> str:
    """A count with thousands apart."""
    return f"{value:,}"


def tick(value: float, digits: int = 0) -> str:
    """A number on an axis: "0", ".75", "10"."""
    text = minus(f"{value:.{digits}f}" if digits else f"{value:g}")
    return text[1:] if text.startswith("0.") else text


def minus(text: str) -> str:
    """The text of a number with a real minus sign."""
    return text.replace("-", MINUS)


def sides_kept(value: float, shown: str, thresholds: Iterable[float]) -> bool:
    """If the shown number lies on the same side of every threshold as the value (the lower end belongs above)."""
    rounded = float(shown.replace(MINUS, "-"))
    return all(
        (value >= limit) == (rounded >= limit) and not (limit == 0.0 and (value > 0.0) != (rounded > 0.0))
        for limit in thresholds
    )


def _keeping_sides(value: float, first: int, last: int, thresholds: Iterable[float]) -> str | None:
    limits = tuple(limit for limit in thresholds if math.isfinite(limit))
    for digits in range(first, last + 1):
        text = f"{value:.{digits}f}"
        if sides_kept(value, text, limits):
            return text
    return None


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])
