"""The headers that a power's server at an address is asked with: which can be sent, and which wait for a value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from app.ports.power import PowerError

NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
"""What the name of a header may be (RFC 9110, 5.1)."""

VALUE = re.compile(r"[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?", re.ASCII)
"""What its value may be (RFC 9110, 5.5), as far as every server takes it."""

OWN = frozenset(
    "accept accept-encoding connection content-encoding content-length content-type host last-event-id "
    "mcp-protocol-version mcp-session-id te trailer transfer-encoding upgrade".split()
)
"""Headers that the connection itself needs as they are."""


def sendable(given: Mapping[str, str]) -> dict[str, str]:
    """The headers that have a value; PowerError, which tells no value, if one cannot be sent."""
    for name, value in given.items():
        if not NAME.fullmatch(name):
            raise PowerError(f"“{name[:60]}” cannot be the name of a header: mend it on the power's page.")
        if name.lower() in OWN:
            raise PowerError(f"The header {name[:60]} is the connection's own: take it out on the power's page.")
        if value and not VALUE.fullmatch(value):
            raise PowerError(f"The value of the header {name[:60]} cannot be sent: enter it anew on the power's page.")
    return {name: value for name, value in given.items() if value}


def secrets_of(headers: Mapping[str, str]) -> list[str]:
    """What is never to be shown of them: the values, and of one such as "Bearer …" also what stands behind the word."""
    behind = (value.partition(" ")[2].strip() for value in headers.values())
    return [*headers.values(), *filter(None, behind)]


def lacking(given: Iterable[str], sent: Mapping[str, str]) -> str:
    """Which of them had no value, in a sentence; "" if all had one."""
    names = [name for name in given if name not in sent]
    return f"No value is stored for {', '.join(names)}, so it was asked without." if names else ""
