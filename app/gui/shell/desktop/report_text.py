"""A report of what went wrong, as text to read before it is given to anyone: no secrets, and no queries unasked."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from app.settings.model import keys, value_of

if TYPE_CHECKING:
    from app.gui.kit.page import CoreState
    from app.settings.model import Settings

PACKAGES = ("intentscope", "PySide6-Essentials", "numpy", "onnxruntime", "SQLAlchemy", "rapidfuzz", "pydantic")
LOG_LINES = 60
SECRET = re.compile(r"(key|token|secret|password|credential)s?$", re.IGNORECASE)
"""The last word of a setting that holds something to be kept."""
_IN_ADDRESS = re.compile(r"(?<=://)[^/\s@]+@")
HIDDEN = "(hidden)"
LEAST_QUERY = 3
"""A query shorter than this is in every text; nothing is hidden for it."""


@dataclass(frozen=True, slots=True)
class Happening:
    """What a report is made of: the sentence of the fault, traces, lines of the log, the screen in a word."""

    what: str = ""
    bugs: tuple[str, ...] = ()
    last_crash: str = ""
    log: tuple[str, ...] = ()
    screen: str = ""


def report_text(
    happening: Happening, core_state: CoreState | None, queries: Sequence[str], *, with_queries: bool
) -> str:
    """The report in paragraphs. Where `queries` are not wanted, they are hidden wherever they were written."""
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    parts = {
        f"Intentscope report, {now}": [happening.what] if happening.what else [],
        "Versions": versions(),
        "System": [platform.platform(), f"Python {sys.version.split()[0]}", happening.screen],
        "State": _state(core_state),
        "Settings that differ from their defaults": _settings(core_state),
        "Trace": list(happening.bugs),
        "How the previous run ended": [happening.last_crash] if happening.last_crash else [],
        "Latest lines of the log": list(happening.log[-LOG_LINES:]),
    }
    if with_queries and queries:
        parts["My queries"] = list(queries)
    text = "\n\n".join("\n".join((title, "-" * len(title), *filter(None, lines))) for title, lines in parts.items())
    text = _IN_ADDRESS.sub(f"{HIDDEN}@", text).replace(str(Path.home()), "~")
    return (text if with_queries else _without(text, queries)) + "\n"


def versions() -> list[str]:
    """The program and the libraries that it stands on, as far as they are installed."""
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package}: not installed")
    return found


def _state(core_state: CoreState | None) -> list[str]:
    if core_state is None:
        return ["The library was not open yet."]
    status = core_state.status
    return [
        f"Encoder: {status.encoder}, {status.encoder_state}, {status.embedded} of {status.to_embed} triggers embedded",
        f"LLM: {status.llm.outcome} {status.llm.model}".rstrip(),
        "Library: " + ", ".join(f"{count} {what}" for what, count in status.counts.items()),
        *(f"Fault of the {part}: {sentence}" for part, sentence in status.faults.items()),
    ]


def _settings(core_state: CoreState | None) -> list[str]:
    if core_state is None:
        return []
    return list(_differing(core_state.settings, core_state.origins)) or ["None."]


def _differing(settings: Settings, origins: Mapping[str, str]) -> Iterable[str]:
    for key in keys():
        origin = origins.get(key, "default")
        if origin != "default":
            value = HIDDEN if SECRET.search(key) else value_of(settings, key)
            yield f"{key} = {value!r} ({origin})"


def _without(text: str, queries: Sequence[str]) -> str:
    for query in sorted({query.strip() for query in queries}, key=len, reverse=True):
        if len(query) >= LEAST_QUERY:
            for form in {query, repr(query)[1:-1]}:
                text = re.sub(re.escape(form), "(query hidden)", text, flags=re.IGNORECASE)
    return text
