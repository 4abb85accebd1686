"""Which values of a setting a sweep tries: what a person writes, read, and what is offered before they do."""

from __future__ import annotations

import math

from app.display import words
from app.display.settings_rows import Editor, SettingRow
from app.evaluation.sweep import steps

ALL = "all"
"""Written for every choice that there is, or for the whole range of a number."""

MOST = 200
"""No more values than these are read from one line."""

_COUNTED = 1e9
"""From so many on the number of values says nobody anything."""

_DUST = 1e-9

_PARTS = 20
"""A range without a step is gone through in so many."""


def offered(row: SettingRow) -> str:
    """What a sweep of this setting tries where nobody says otherwise; "" where there is nothing to offer."""
    if row.editor in (Editor.SWITCH, Editor.CHOICE):
        return ALL
    if row.low is None or row.high is None:
        return ""
    if row.is_whole:
        return f"{row.low:.0f}:{row.high:.0f}:{max(1, round((row.high - row.low) / _PARTS))}"
    return f"{row.low:g}:{row.high:g}:{(row.high - row.low) / _PARTS:g}"


def can_sweep(row: SettingRow) -> bool:
    """Whether there are several values to try: a text has none."""
    return row.editor is not Editor.TEXT


def values_of(row: SettingRow, text: str) -> tuple[str, ...]:
    """The values that are written: a list parted by commas, numbers also as FROM:TO:STEP, `all` for all that there are.

    ValueError with a sentence for what is none, and for more than MOST.
    """
    if not can_sweep(row):
        raise ValueError(words.say("“{key}” is a text, of which there is nothing to sweep.", key=row.key))
    text = text.strip()
    if text == ALL or not text:
        text = ",".join(_choices(row)) or offered(row)
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise ValueError(words.say("“{key}” has no end: write its values as 1,2,5 or as 0:10:1.", key=row.key))
    found = [value for part in parts for value in _read(row, part)]
    values = tuple(dict.fromkeys(found))
    if len(values) > MOST:
        raise _TooManyError(len(values))
    return values


class _TooManyError(ValueError):
    """More values than are tried at once; told with how many there are, where that can be said shortly."""

    def __init__(self, count: float) -> None:
        if count < _COUNTED:
            told = words.say("At most {most} values are tried at once, not {n}.", most=MOST, n=f"{count:,.0f}")
        else:
            told = words.say("At most {most} values are tried at once; this range has far more.", most=MOST)
        super().__init__(told)


def _choices(row: SettingRow) -> tuple[str, ...]:
    if row.editor is Editor.SWITCH:
        return "true", "false"
    return tuple(value for value, _ in row.choices)


def _read(row: SettingRow, part: str) -> tuple[str, ...]:
    known = _choices(row)
    if known:
        if part not in known:
            told = ", ".join(known)
            raise ValueError(
                words.say("“{value}” is no value of “{key}”; there are {known}.", value=part, key=row.key, known=told)
            )
        return (part,)
    try:
        ends = [float(end) for end in part.split(":")]
        found = _range(ends)
    except _TooManyError:
        raise
    except (ValueError, OverflowError):
        sentence = words.say("“{value}” is neither a number nor a range such as 0:0.2:0.02.", value=part)
        raise ValueError(sentence) from None
    if row.is_whole and any(value != int(value) for value in found):
        raise ValueError(words.say("“{key}” takes whole numbers, not {value}.", key=row.key, value=part))
    if any(_is_outside(row, value) for value in found):
        raise ValueError(words.say("“{key}” takes {bounds}, not {value}.", key=row.key, bounds=row.bounds, value=part))
    return tuple(f"{value:.10g}" for value in found)


def _is_outside(row: SettingRow, value: float) -> bool:
    return (row.low is not None and value < row.low) or (row.high is not None and value > row.high)


def _range(ends: list[float]) -> tuple[float, ...]:
    if len(ends) == 1:
        return steps(ends[0], ends[0], 1.0)
    start, stop, step = ends if len(ends) == 3 else (*ends, (ends[1] - ends[0]) / _PARTS)
    if step and (count := (stop - start) / step) > 100 * MOST:
        raise _TooManyError(math.floor(count + _DUST) + 1 if math.isfinite(count) else count)
    return steps(start, stop, step)
