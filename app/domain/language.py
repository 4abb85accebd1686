"""Format counts and shares for sentences."""

from __future__ import annotations


def plural(n: int, one: str, many: str, /, **values: object) -> str:
    """Fill in `one` if n is 1, else `many`; {n} gets thousands separators."""
    return (one if n == 1 else many).format(n=f"{n:,}", **values)


def quantity(n: int, noun: str, nouns: str = "") -> str:
    """Format a count with its noun; `nouns` is the plural, by default with an s."""
    return f"{n:,} {noun if n == 1 else nouns or f'{noun}s'}"


def capitalized(text: str) -> str:
    """Return a text with its first letter in upper case, and the others as they are."""
    return text[:1].upper() + text[1:]


def percents(share: float, digits: int = 1) -> str:
    """Format a share in [0, 1] as a percentage; without digits, "<1 %" and ">99 %" at the ends."""
    if not digits and 0.0 < share < 0.01:
        return "<1 %"
    if not digits and 0.995 <= share < 1.0:
        return ">99 %"
    return f"{100.0 * share:.{digits}f} %"
