"""What a person says yes to before a power is started: its command line or address, word for word."""

from __future__ import annotations

import re
from enum import StrEnum

from app.domain.library import Transport

BARE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+", re.ASCII)
"""Words that a shell, and a reader, takes as they are."""


class ValueFrom(StrEnum):
    """Where the value of a variable that a power names comes from when its server is started."""

    STORED = "stored"
    OWN = "own"
    """No value is stored: it is what this program was started with."""
    NOWHERE = "nowhere"
    """No value is stored, and this program was started with none; with the next it may be."""


def approval_text(transport: Transport) -> str:
    """The command line or the address, and the names of the environment or headers; "" if there is neither.

    Two transports that are not the same have two texts, and every sign of them can be seen: what does not print, or
    turns the direction of writing, is spelt out.
    """
    if transport.command:
        line = " ".join(map(quoted, (transport.command, *transport.args)))
    elif transport.url:
        line = quoted(transport.url)
    else:
        return ""
    names = ", ".join(quoted(name) for name in sorted(transport.env))
    if not names:
        return line
    return f"{line}\nwith {names}" if transport.command else f"{line}\nwith the headers {names}"


def quoted(word: str) -> str:
    """One word as it would be written for a shell."""
    if BARE.fullmatch(word):
        return word
    if word.isprintable() and word.isascii() and "'" not in word:
        return f"'{word}'"
    spelt = "".join(
        sign if sign.isprintable() and sign not in "'\\" else sign.encode("unicode_escape").decode() for sign in word
    )
    return "$'" + spelt.replace("'", "\\'") + "'"
