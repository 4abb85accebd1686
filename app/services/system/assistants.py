"""CLIENTS: the assistants that can ask this engine, a row each with the file that names it and what stands there."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.domain.errors import KnownError

SERVER = "intentscope"
"""The name under which an assistant knows the engine."""


@dataclass(frozen=True, slots=True)
class Client:
    """One assistant: key, name, where its configuration stands, and that configuration for a command."""

    key: str
    name: str
    place: str
    written: Callable[[Sequence[str]], str]


class NoClientError(KnownError):
    """No assistant is called so."""


def _servers(key: str, **more: str) -> Callable[[Sequence[str]], str]:
    def written(command: Sequence[str]) -> str:
        return json.dumps({key: {SERVER: {**more, "command": command[0], "args": [*command[1:], "mcp"]}}}, indent=2)

    return written


def _toml(command: Sequence[str]) -> str:
    """Strings of JSON are strings of TOML."""
    words = ", ".join(json.dumps(word) for word in (*command[1:], "mcp"))
    return f"[mcp_servers.{SERVER}]\ncommand = {json.dumps(command[0])}\nargs = [{words}]"


def _hook(command: Sequence[str]) -> str:
    hook = {"type": "command", "command": shlex.join([*command, "hook"])}
    return json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}}, indent=2)


CLIENTS: tuple[Client, ...] = (
    Client("claude-code", "Claude Code", ".mcp.json in the project", _servers("mcpServers")),
    Client("claude-hook", "Claude Code, prompt hook", "~/.claude/settings.json", _hook),
    Client(
        "claude-desktop",
        "Claude Desktop",
        "claude_desktop_config.json (Settings, Developer, Edit Config)",
        _servers("mcpServers"),
    ),
    Client("cursor", "Cursor", "~/.cursor/mcp.json", _servers("mcpServers")),
    Client("vscode", "VS Code", ".vscode/mcp.json in the project", _servers("servers", type="stdio")),
    Client("codex", "Codex", "~/.codex/config.toml", _toml),
    Client("gemini", "Gemini CLI", "~/.gemini/settings.json", _servers("mcpServers")),
)


def client_of(key: str) -> Client:
    """The assistant of this key; NoClientError."""
    for client in CLIENTS:
        if client.key == key:
            return client
    raise NoClientError(f"No assistant is called “{key}”; there are {', '.join(each.key for each in CLIENTS)}.")


def own_command(profile: Path | None) -> list[str]:
    """The program and its words that answer for a profile, None for the usual one, from any working directory."""
    python = Path(sys.executable)
    script = python.with_name(f"{SERVER}{python.suffix}")
    if getattr(sys, "frozen", False):
        words = [str(python)]
    elif script.is_file():
        words = [str(script)]
    else:
        words = [str(python), "-m", "app"]
    return words if profile is None else [*words, "--profile", str(profile)]
