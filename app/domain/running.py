"""Powers that run: what their server is doing, what it can do, and what it answered (003)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from app.domain.library import Power


def shown(text: str, most: int = 300) -> str:
    """Untrusted text as it may stand in a sentence: one line without signs that steer, cut where it is long."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text[: most * 4])
    line = " ".join(plain.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


class RunState(StrEnum):
    """What a power's server is doing."""

    STOPPED = "stopped"
    STARTING = "starting"
    RUNNING = "running"
    RESTARTING = "restarting"
    """It ended by itself and is started again after a pause."""
    FAILED = "failed"
    """It could not be started, or ended too often."""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """One tool as its server tells it: untrusted text. `input_schema` and `output_schema` are JSON schemas."""

    name: str
    description: str = ""
    title: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=dict)
    output_schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message on the wire, secrets masked: when (ms since the start), its direction, its JSON text, cut if long."""

    ms: float
    sent: bool
    text: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered. `content` are MCP's content blocks as JSON, bounded; `cut` says that some was left out."""

    content: tuple[Mapping[str, Any], ...] = ()
    structured: Mapping[str, Any] | None = None
    is_error: bool = False
    ms: float = 0.0
    cut: bool = False


@dataclass(frozen=True, slots=True)
class PowerRun:
    """The state of one power's server, frozen: what the window draws and `list_powers` tells.

    `changed` names tools whose description or schema is another than at the last start that a person saw; `sentence`
    says what went wrong or is odd, with what to do. `started_ms` is how long its last start took, `idle_turns` counts
    queries since the last use. `memory_bytes` and `cpu_percent` are of the child and its children; None where that
    cannot be told.
    """

    power: str
    state: RunState = RunState.STOPPED
    sentence: str = ""
    server: str = ""
    protocol: str = ""
    tools: tuple[ToolSchema, ...] = ()
    changed: tuple[str, ...] = ()
    started_ms: float | None = None
    pid: int | None = None
    memory_bytes: int | None = None
    cpu_percent: float | None = None
    idle_turns: int = 0
    calls: int = 0
    restarts: int = 0


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What is kept of a power's runs from one start of the program to the next.

    `approved` is a digest of the command line or address that a person said yes to, "" if nobody did. `told` are the
    tools that its server told last, `seen` the digests by name of those that a person saw last (None: none yet).
    `last_used` is UTC, "2026-11-22 04:26:21".
    """

    approved: str = ""
    told: tuple[ToolSchema, ...] = ()
    seen: Mapping[str, str] | None = None
    activations: int = 0
    calls: int = 0
    last_used: str | None = None


@dataclass(frozen=True, slots=True)
class Activation:
    """What came of the wish to activate a power (S5.4, S5.5). `started` is False with a `reason` where nothing runs.

    `needs_approval` is the exact command line, or the address, that a person has to say yes to first; else "".
    """

    power: Power
    started: bool
    tools: tuple[ToolSchema, ...] = ()
    reason: str | None = None
    needs_approval: str = ""
    ms: float = 0.0
