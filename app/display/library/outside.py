"""What restoring came to, and what is asked before, in sentences and as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.outside import LONGEST_SHOWN, Restored, counted, left_out_lines, named, pairs
from app.domain.running import shown


def restored_lines(source: str, restored: Restored) -> list[str]:
    """What restoring came to: whose the library is now, what was accepted or left out, and where the former one is."""
    lines = [f"The library is that of {source}."]
    if not restored.is_own:
        lines.append("That copy was not made by this profile.")
    if restored.accepted:
        lines.append(
            f"Accepted: {counted(restored.accepted, 'setting', 'settings')} ({named(pairs(restored.accepted))})."
        )
    lines += left_out_lines(restored.left_out, "“restore --accept-settings” takes them as well.")
    return [*lines, f"What it was before is kept in {restored.before}."]


def restored_document(restored: Restored) -> dict[str, object]:
    """What restoring came to, as JSON."""
    left = restored.left_out
    return {
        "before": restored.before,
        "own": restored.is_own,
        "accepted": dict(restored.accepted),
        "left_out": {
            "approvals": list(left.approvals),
            "settings": dict(left.settings),
            "unknown_settings": list(left.unknown),
            "team": left.team or None,
            "sql": list(left.sql),
        },
    }


def settings_question(settings: Mapping[str, str]) -> str:
    """The settings of a copy from outside, to be accepted or not."""
    told = counted(settings, "setting", "settings")
    head = f"That copy was not made by this profile. It holds {told} with an address, a permission or another choice:"
    return "\n".join((head, *(f"    {shown(pair, LONGEST_SHOWN)}" for pair in pairs(settings))))
