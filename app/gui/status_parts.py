"""What the line at the bottom says of encoder, LLM, library and preset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.display import words
from app.display.system.connection import state_line
from app.display.system.encoders import change
from app.domain.llm import LlmOutcome

if TYPE_CHECKING:
    from app.display.library.importing import Pace
    from app.gui.late_count import LateCount
    from app.services.system.status import Status

Part = tuple[str, str, str]
"""Icon ("" for none), colour and words."""

PRESETS = {"recommended": "Recommended", "as_documented": "As documented"}


def encoder_part(status: Status | None, pace: Pace | None) -> Part:
    """The encoder's state, with how long the vectors that are being made still take."""
    if status is None:
        return "loading", "text_2", words.say("Opening the library")
    name = status.encoder
    if status.encoder_state == "failed":
        return "warning", "danger", words.say("Encoder {name} failed; lexical scores decide", name=name)
    if status.encoder_state == "loading":
        said = words.say("Encoder {name} is loading; the best lexical score decides for now", name=name)
        return "loading", "warning", said
    under_way = change(status)
    if status.next_encoder and under_way is not None:
        return "loading", "warning", under_way.words
    if status.embedded < status.to_embed:
        made, of = f"{status.embedded:,}", f"{status.to_embed:,}"
        said = words.say("Encoder {name} ready, {made} of {of} triggers embedded", name=name, made=made, of=of)
        left = pace.left(status.to_embed) if pace is not None else ""
        return "loading", "warning", f"{said}, {left}" if left else said
    if status.put_off:
        said = words.say_n(status.put_off, "{n} trigger has no vector yet", "{n} triggers have no vector yet")
        return "warning", "warning", said
    return "check", "success", words.say("Encoder {name} ready", name=name)


def llm_part(status: Status | None, late: LateCount) -> Part:
    """Whether the LLM can be asked, and how often it came too late."""
    if status is None or status.llm.outcome is LlmOutcome.OFF:
        return "", "text_2", ""
    shown = state_line(status.llm, wanted=True)
    word = words.say("LLM warm") if status.llm.is_ready else words.say("LLM: {state}", state=shown.word)
    if not late.asked:
        return shown.icon, shown.token, word
    said = words.say_n(late.asked, "{late} of {n} late", "{late} of {n} late", late=late.late)
    return shown.icon, shown.token, f"{word}, {said}"


def library_words(status: Status | None) -> str:
    """What the library holds: "60 memories, 20 powers, 54 rules"; "" before that is known."""
    if status is None:
        return ""
    return ", ".join(
        words.say_n(status.counts.get(key, 0), one, many)
        for key, one, many in (
            ("memories", "{n} memory", "{n} memories"),
            ("powers", "{n} power", "{n} powers"),
            ("rules", "{n} rule", "{n} rules"),
        )
        if key in status.counts
    )


def preset_name(status: Status | None) -> str:
    """The preset that the settings come to, as people call it; "" before that is known."""
    if status is None:
        return ""
    name = PRESETS.get(status.preset)
    return words.say(name) if name else status.preset
