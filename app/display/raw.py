"""What was sent to the LLM and what came back, word for word."""

from __future__ import annotations

from dataclasses import dataclass

from app.display import words
from app.display.llm import MODES, PILLS
from app.domain.llm import LlmReport


@dataclass(frozen=True, slots=True)
class Raw:
    """One text with its title."""

    title: str
    text: str


def raw_text(report: LlmReport) -> tuple[Raw, ...]:
    """Prompt and reply, and those of the later, slower answer; nothing where nothing was kept."""
    answer, detail = report.answer, report.detail
    prompt = report.prompt or (answer.prompt if answer else "")
    reply = report.reply or (answer.reply if answer else "")
    found = [Raw(words.say("Prompt"), prompt), Raw(words.say("Reply"), reply)]
    if detail is not None:
        found += [Raw(words.say("Later prompt"), detail.prompt), Raw(words.say("Later reply"), detail.reply)]
    return tuple(raw for raw in found if raw.text)


def raw_about(report: LlmReport) -> str:
    """Model, mode and outcome of one report in one line."""
    mode = words.say(MODES.get(report.mode, report.mode)) if report.mode else ""
    parts = (report.model, mode, words.say(PILLS[report.outcome][0]))
    return ", ".join(part for part in parts if part)
