"""User texts made safe for a terminal: control characters are shown as symbols."""

from __future__ import annotations

_UNSEEN = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
_SPELT = (*range(0x80, 0xA0), 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_VISIBLE: dict[int, int | str] = {**_UNSEEN, **{code: f"\\u{code:04x}" for code in _SPELT}}


def visible(line: str) -> str:
    """Show the control characters of a line: ESC, NUL, line ends, changes of direction."""
    return line.translate(_VISIBLE)


def visible_lines(text: str) -> str:
    return "\n".join(map(visible, text.split("\n")))
