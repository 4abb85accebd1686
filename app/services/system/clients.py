"""Supported assistants: the file in which each one configures this engine, and its entry."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.domain.errors import KnownError
from app.services.system.configuration_text import (
    UnreadableConfigurationError,
    json_tree,
    with_json_value,
    with_toml_table,
)

SERVER = "intentscope"
"""Name of the engine in an assistant's configuration."""

HOOK, EVENTS = "hook", ("UserPromptSubmit", "SessionStart")
"""Command and events of the hook; at a session's start it only starts the engine."""

Edit = Callable[[str, Sequence[str]], str]
"""Adds the program's command to a configuration: text and command in, text out."""

Named = Callable[[str], list[str] | None]
"""Reads the program's command from a configuration; None without an entry.

Raises UnreadableConfigurationError.
"""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Places of assistants' files: home folder, project folder, system and its variables."""

    home: Path
    project: Path
    system: str
    """Value of `sys.platform`."""
    variables: Mapping[str, str]

    def settings_of_programs(self) -> Path:
        """Return the folder of settings of desktop programs."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        name, usual = ("APPDATA", "AppData/Roaming") if self.system == "win32" else ("XDG_CONFIG_HOME", ".config")
        return Path(self.variables.get(name) or self.home / usual)

    def folder_of(self, variable: str, usual: str) -> Path:
        """Return the folder that a variable names, otherwise one in the home folder."""
        return Path(self.variables.get(variable) or self.home / usual)


@dataclass(frozen=True, slots=True)
class Client:
    """One assistant: key, name, place of its configuration in words and on disk, and its format."""

    key: str
    name: str
    place: str
    file: Callable[[Surroundings], Path]
    edit: Edit
    named: Named

    def written(self, command: Sequence[str]) -> str:
        """Return the content of a file with this entry only."""
        return self.edit("", command).rstrip()


class NoClientError(KnownError):
    """No assistant has this key."""


def _servers(key: str, **more: str) -> Edit:
    def edit(text: str, command: Sequence[str]) -> str:
        wanted: dict[str, Any] = {**more, "command": command[0], "args": [*command[1:], "mcp"]}
        there = _inside(json_tree(text).value, key, SERVER)
        if not isinstance(there, dict):
            return with_json_value(text, (key, SERVER), wanted)
        _refuse_http(there)
        for name, value in wanted.items():
            if there.get(name) != value:
                text = with_json_value(text, (key, SERVER, name), value)
        return text

    return edit


def _named_server(key: str) -> Named:
    return lambda text: _words(_inside(json_tree(text).value, key, SERVER))


def _inside(document: Any, *names: str) -> Any:
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def _words(server: Any) -> list[str] | None:
    """Return the command in a server's entry."""
    args = _inside(server, "args")
    words = [_inside(server, "command"), *(args if isinstance(args, list) else ())]
    return words[:-1] if words[-1] == "mcp" and all(isinstance(word, str) for word in words) else None


def _named_table(text: str) -> list[str] | None:
    import tomllib

    try:
        return _words(_inside(tomllib.loads(text), "mcp_servers", SERVER))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UnreadableConfigurationError(f"it cannot be read as TOML: {error}") from None


def _tables(text: str, command: Sequence[str]) -> str:
    import tomllib

    table = ("mcp_servers", SERVER)
    wanted = {"command": command[0], "args": [*command[1:], "mcp"]}
    found = with_toml_table(text, table, wanted)
    _refuse_http(tomllib.loads(found)["mcp_servers"][SERVER])
    return found


def _refuse_http(server: Mapping[str, Any]) -> None:
    if "url" in server or "httpUrl" in server:  # Gemini's name
        raise UnreadableConfigurationError(f"{SERVER} is connected over HTTP there already")


def _hook(text: str, command: Sequence[str]) -> str:
    wanted = shlex.join([*command, HOOK])
    for event in EVENTS:
        document = json_tree(text).value
        found = _our_hook(document, event)
        if found is None:
            groups = _inside(document, "hooks", event)
            place = len(groups) if isinstance(groups, list) else 0
            group = {"hooks": [{"type": "command", "command": wanted}]}
            text = with_json_value(text, ("hooks", event, place), group)
        elif found[1] != wanted:
            text = with_json_value(text, found[0], wanted)
    return text


def _named_hook(text: str) -> list[str] | None:
    found = _our_hook(json_tree(text).value, EVENTS[0])
    return None if found is None else shlex.split(found[1])[:-1]


def _our_hook(document: Any, event: str) -> tuple[tuple[str | int, ...], str] | None:
    """Return the event's first hook that starts this program: the path of its command, and the command."""
    groups = _inside(document, "hooks", event)
    for place, group in enumerate(groups if isinstance(groups, list) else ()):
        hooks = _inside(group, "hooks")
        for number, hook in enumerate(hooks if isinstance(hooks, list) else ()):
            command = _inside(hook, "command")
            if _is_ours(command):
                return ("hooks", event, place, "hooks", number, "command"), command
    return None


def _is_ours(command: object) -> bool:
    """Check if a hook's command starts this program, at any location."""
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    return words[-1:] == [HOOK] and (Path(words[0]).stem == SERVER or words[1:3] == ["-m", "app"])


CLIENTS: tuple[Client, ...] = (
    Client(
        "claude-code",
        "Claude Code",
        ".mcp.json in the project",
        lambda around: around.project / ".mcp.json",
        _servers("mcpServers"),
        _named_server("mcpServers"),
    ),
    Client(
        "claude-hook",
        "Claude Code, prompt hook",
        "~/.claude/settings.json",
        lambda around: around.folder_of("CLAUDE_CONFIG_DIR", ".claude") / "settings.json",
        _hook,
        _named_hook,
    ),
    Client(
        "claude-desktop",
        "Claude Desktop",
        "claude_desktop_config.json (Settings, Developer, Edit Config)",
        lambda around: around.settings_of_programs() / "Claude" / "claude_desktop_config.json",
        _servers("mcpServers"),
        _named_server("mcpServers"),
    ),
    Client(
        "cursor",
        "Cursor",
        "~/.cursor/mcp.json",
        lambda around: around.home / ".cursor" / "mcp.json",
        _servers("mcpServers"),
        _named_server("mcpServers"),
    ),
    Client(
        "vscode",
        "VS Code",
        ".vscode/mcp.json in the project",
        lambda around: around.project / ".vscode" / "mcp.json",
        _servers("servers", type="stdio"),
        _named_server("servers"),
    ),
    Client(
        "codex",
        "Codex",
        "~/.codex/config.toml",
        lambda around: around.folder_of("CODEX_HOME", ".codex") / "config.toml",
        _tables,
        _named_table,
    ),
    Client(
        "gemini",
        "Gemini CLI",
        "~/.gemini/settings.json",
        lambda around: around.home / ".gemini" / "settings.json",
        _servers("mcpServers"),
        _named_server("mcpServers"),
    ),
)


def client_of(key: str) -> Client:
    """Return the assistant of this key; raises NoClientError."""
    for client in CLIENTS:
        if client.key == key:
            return client
    raise NoClientError(f"No assistant is called “{key}”; there are {', '.join(each.key for each in CLIENTS)}.")
