"""What a person can do about a fault: the word on the button, and which fault it is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from app.display import words

if TYPE_CHECKING:
    from app.services.core import Status

RETRY_STORE, RETRY_ENCODER = "retry store", "retry encoder"
OPEN_FOLDER, SHOW_SETTINGS, REPORT = "open folder", "show settings", "report"

TITLES: Mapping[str, str] = {
    RETRY_STORE: "Try again",
    RETRY_ENCODER: "Try again",
    OPEN_FOLDER: "Open folder",
    SHOW_SETTINGS: "Show settings file…",
    REPORT: "Report…",
}


def title(remedy: str) -> str:
    """The word on the button; "" for no remedy."""
    return words.say(TITLES[remedy]) if remedy else ""


def remedy_for(part: str, status: Status | None) -> str:
    """What helps against the fault of a part of the status; "" if only time or another page does."""
    if part == "store":
        return OPEN_FOLDER if status is not None and part in status.in_folder else RETRY_STORE
    if part == "settings" and status is not None and part in status.outside:
        return ""
    return {"changes": RETRY_STORE, "encoder": RETRY_ENCODER, "settings": SHOW_SETTINGS}.get(part, "")
