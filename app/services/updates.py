"""Whether a newer version is there: what is asked at most once a day, and which of two versions is the newer."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

DAY_SECONDS = 86_400.0
_VERSION = re.compile(r"\d{1,9}(\.\d{1,9}){0,3}")


@dataclass(frozen=True, slots=True)
class AskedFor:
    """What an address last said: when it was asked, in seconds since 1970, and the version, "" for none."""

    url: str
    at: float
    version: str = ""

    def text(self) -> str:
        """As it is kept."""
        return json.dumps({"url": self.url, "at": self.at, "version": self.version})


def asked_before(text: str) -> AskedFor | None:
    """What was kept; None if it is damaged."""
    try:
        found = json.loads(text)
        return AskedFor(str(found["url"]), float(found["at"]), str(found["version"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def is_due(before: AskedFor | None, url: str, now: float) -> bool:
    """Whether the address may be asked now: it is another one, or a day has gone; so it is if the clock went back."""
    return before is None or before.url != url or not 0.0 <= now - before.at < DAY_SECONDS


def newer(version: str, than: str) -> str:
    """The version if it is one and newer than the other, else ""."""
    if not _VERSION.fullmatch(version) or (ours := _VERSION.match(than)) is None:
        return ""
    return version if _parts(version) > _parts(ours.group()) else ""


def _parts(version: str) -> tuple[int, ...]:
    parts = [int(part) for part in version.split(".")]
    return tuple(parts + [0] * (4 - len(parts)))
