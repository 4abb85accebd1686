"""Log of the latest messages of a server, limited, with secrets masked."""

from __future__ import annotations

import json
import re
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from app.adapters.mcp.reasons import reason_in
from app.domain.running import WireMessage

KEPT = 200
"""Maximum number of stored messages."""

KEPT_CHARACTERS = 4_000
"""Maximum number of characters per message."""

STDERR_CHARACTERS = 64_000
"""Maximum number of characters of the standard error."""

READ_CHARACTERS = 8_000
"""Number of characters of an output searched for a reason."""

SHORTEST = 4
"""Minimum length of a masked value; shorter ones such as "on" occur everywhere."""

MASK = "•••"

TOKENS = re.compile(
    r"""
    (?P<before>"(?:[a-z_-]{0,40}(?:api_?-?key|token|secret|password|passwd|authorization|credential)[a-z_-]{0,40})"
       \s{0,4}:\s{0,4}")[^"\\]{1,4000}
    | (?P<scheme>\b(?:bearer|basic)\s)[a-z0-9._~+/=-]{8,4000}
    | (?P<user>://)[^\s/@"']{1,400}(?=@)
    | \b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|glpat|xox[abposr]|npm|hf|pypi|shpat|whsec)[-_][a-z0-9_-]{12,400}
    | \bgithub_pat_[a-z0-9_]{20,400}
    | \b(?:akia|asia)[a-z0-9]{16}\b
    | \beyj[a-z0-9_-]{8,2000}\.[a-z0-9_-]{4,4000}(?:\.[a-z0-9_-]{0,2000})?
    | (?<=[?&])(?P<name>(?:api_?key|key|token|access_token|auth|secret)=)[^&\s"']{4,400}
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Patterns of tokens: known prefixes, JSON fields, query parameters, users in addresses."""


class WireLog:
    """Messages and standard error of one server, times in ms, without values of `secrets`."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        plain = {value for value in secrets if len(value) >= SHORTEST}
        escaped = {json.dumps(value, ensure_ascii=ascii_)[1:-1] for value in plain for ascii_ in (True, False)}
        self._secrets = sorted(plain | escaped, key=len, reverse=True)
        self._longest = max(map(len, self._secrets), default=0)
        self._began = time.monotonic()
        self._kept: deque[tuple[WireMessage, int]] = deque(maxlen=KEPT)
        self._stderr = self._printed = ""

    def note(self, text: str, *, sent: bool) -> None:
        """Store a message."""
        # A secret at the cut must be complete until it is masked.
        kept = text[: KEPT_CHARACTERS + self._longest]
        self._kept.append((WireMessage((time.monotonic() - self._began) * 1000, sent, kept), len(text)))

    def note_stderr(self, text: str) -> None:
        """Store a part of the standard error."""
        self._stderr = (self._stderr + text)[-(STDERR_CHARACTERS + self._longest) :]

    def masked(self, text: str) -> str:
        """Mask the secrets and anything that looks like one."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return TOKENS.sub(_mask, text)

    def exchanges(self) -> tuple[WireMessage, ...]:
        """Return the stored messages, oldest first, masked on access. Thread-safe."""
        kept_now = tuple(self._kept)  # a copy: another thread may add one meanwhile
        return tuple(replace(kept, text=self._shown(kept.text, length)) for kept, length in kept_now)

    def _shown(self, text: str, length: int) -> str:
        cut = f"… ({length:,} characters)" if length > KEPT_CHARACTERS else ""
        return f"{self.masked(text)[:KEPT_CHARACTERS]}{cut}"

    def stderr(self) -> str:
        return self.masked(self._stderr)[-STDERR_CHARACTERS:]

    def note_printed(self, text: str) -> None:
        """Store a line of the standard output that is no message."""
        self._printed = f"{self._printed}{text}\n"[-(READ_CHARACTERS + self._longest) :]

    def last_line(self) -> str:
        """Return the last non-blank line of the standard error; "" if none."""
        lines = [line.strip() for line in self.stderr()[-READ_CHARACTERS:].splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""

    def reason(self) -> str:
        """Return the lines of both outputs with the reason of the end; "" if none."""
        return reason_in(f"{self.masked(self._printed)[-READ_CHARACTERS:]}\n{self.stderr()[-READ_CHARACTERS:]}")


def _mask(found: re.Match[str]) -> str:
    kept = [found.group(name) for name in ("before", "scheme", "user", "name") if found.group(name)]
    return f"{kept[0] if kept else ''}{MASK}"
