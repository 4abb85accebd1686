"""Restoring and importing settings in sentences and as JSON: questions and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.outside import LONGEST_SHOWN, LeftOut, Restored, counted, left_out_lines, named, pairs
from app.domain.running import shown


def restored_lines(source: str, restored: Restored) -> list[str]:
    """Return the result of a restore: owner, accepted and omitted parts, and the old library."""
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


def settings_question(settings: Mapping[str, str], holds: str) -> str:
    """Return the question on settings from elsewhere; `holds` is the file's name with a verb."""
    told = counted(settings, "setting", "settings")
    head = f"{holds} {told} with an address, a permission or another choice:"
    return "\n".join((head, *(f"    {shown(pair, LONGEST_SHOWN)}" for pair in pairs(settings))))


def imported_settings_lines(taken: Mapping[str, str], left: Mapping[str, str], unknown: Sequence[str]) -> list[str]:
    """Return the imported settings, and those left out."""
    left_out = left_out_lines(LeftOut(settings=left), "“import --accept-settings” takes them as well.")
    lines = [*(f"{key} = {value}" for key, value in taken.items()), *left_out]
    return [*lines, f"Left out, as nothing here is like it: {', '.join(unknown)}."] if unknown else lines


def imported_settings_document(
    taken: Mapping[str, str], left: Mapping[str, str], unknown: Sequence[str]
) -> dict[str, object]:
    """Make the document of imported settings; `left_out` has the keys of the file."""
    return {"settings": dict(taken), "not_accepted": dict(left), "left_out": list(unknown)}
