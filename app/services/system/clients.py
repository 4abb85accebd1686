"""CLIENTS: the assistants that can ask this engine, a row each: the file that names it, and what stands there."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.domain.errors import KnownError
from app.domain.language import say
from app.services.system.configuration_text import (
    UnreadableConfigurationError,
    json_tree,
    with_json_value,
    with_toml_table,
)

SERVER = "intentscope"
"""The name under which an assistant knows the engine."""

HOOK, EVENT = "hook", "UserPromptSubmit"

Edit = Callable[[str, Sequence[str]], str]
"""A configuration, and the program's words: the configuration that names the program."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where assistants look for their files: the person's folder, the project's, the system and its variables."""

    home: Path
    project: Path
    system: str
    """As `sys.platform` has it."""
    variables: Mapping[str, str]

    def settings_of_programs(self) -> Path:
        """Where programs with a window keep their settings."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        name, usual = ("APPDATA", "AppData/Roaming") if self.system == "win32" else ("XDG_CONFIG_HOME", ".config")
        return Path(self.variables.get(name) or self.home / usual)

    def folder_of(self, variable: str, usual: str) -> Path:
        """The folder that a variable names, else one of the person's."""
        return Path(self.variables.get(variable) or self.home / usual)


@dataclass(frozen=True, slots=True)
class Client:
    """One assistant: key, name, where its configuration stands in words and on this machine, and what it needs."""

    key: str
    name: str
    place: str
    file: Callable[[Surroundings], Path]
    edit: Edit

    def written(self, command: Sequence[str]) -> str:
        """What a file holds that holds nothing else."""
        return self.edit("", command).rstrip()


class NoClientError(KnownError):
    """No assistant is called so."""


def _servers(key: str, **more: str) -> Edit:
    def edit(text: str, command: Sequence[str]) -> str:
        wanted: dict[str, Any] = {**more, "command": command[0], "args": [*command[1:], "mcp"]}
        servers = json_tree(text).value.get(key) if isinstance(json_tree(text).value, dict) else None
        there = servers.get(SERVER) if isinstance(servers, dict) else None
        if not isinstance(there, dict):
            return with_json_value(text, (key, SERVER), wanted)
        _refuse_http(there)
        for name, value in wanted.items():
            if there.get(name) != value:
                text = with_json_value(text, (key, SERVER, name), value)
        return text

    return edit


def _tables(text: str, command: Sequence[str]) -> str:
    import tomllib

    table = ("mcp_servers", SERVER)
    wanted = {"command": command[0], "args": [*command[1:], "mcp"]}
    found = with_toml_table(text, table, wanted)
    _refuse_http(tomllib.loads(found)["mcp_servers"][SERVER])
    return found


def _refuse_http(server: Mapping[str, Any]) -> None:
    if "url" in server:
        raise UnreadableConfigurationError(say("{server} is connected over HTTP there already", server=SERVER))


def _hook(text: str, command: Sequence[str]) -> str:
    wanted = shlex.join([*command, HOOK])
    groups: Any = json_tree(text).value
    for name in ("hooks", EVENT):
        groups = groups.get(name) if isinstance(groups, dict) else None
    place = 0
    for place, group in enumerate(groups if isinstance(groups, list) else (), 1):
        hooks = group.get("hooks") if isinstance(group, dict) else None
        for number, hook in enumerate(hooks if isinstance(hooks, list) else ()):
            if isinstance(hook, dict) and _is_ours(hook.get("command")):
                path = ("hooks", EVENT, place - 1, "hooks", number, "command")
                return text if hook["command"] == wanted else with_json_value(text, path, wanted)
    return with_json_value(text, ("hooks", EVENT, place), {"hooks": [{"type": "command", "command": wanted}]})


def _is_ours(command: object) -> bool:
    """If a hook's command starts this program, wherever it stood then."""
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    return words[-1:] == [HOOK] and (Path(words[0]).stem == SERVER or words[1:3] == ["-m", "app"])


CLIENTS: tuple[Client, ...] = (
    Client(
        "claude-code",
        "Claude Code",
        say(".mcp.json in the project"),
        lambda around: around.project / ".mcp.json",
        _servers("mcpServers"),
    ),
    Client(
        "claude-hook",
        say("Claude Code, prompt hook"),
        "~/.claude/settings.json",
        lambda around: around.folder_of("CLAUDE_CONFIG_DIR", ".claude") / "settings.json",
        _hook,
    ),
    Client(
        "claude-desktop",
        "Claude Desktop",
        say("claude_desktop_config.json (Settings, Developer, Edit Config)"),
        lambda around: around.settings_of_programs() / "Claude" / "claude_desktop_config.json",
        _servers("mcpServers"),
    ),
    Client(
        "cursor",
        "Cursor",
        "~/.cursor/mcp.json",
        lambda around: around.home / ".cursor" / "mcp.json",
        _servers("mcpServers"),
    ),
    Client(
        "vscode",
        "VS Code",
        say(".vscode/mcp.json in the project"),
        lambda around: around.project / ".vscode" / "mcp.json",
        _servers("servers", type="stdio"),
    ),
    Client(
        "codex",
        "Codex",
        "~/.codex/config.toml",
        lambda around: around.folder_of("CODEX_HOME", ".codex") / "config.toml",
        _tables,
    ),
    Client(
        "gemini",
        "Gemini CLI",
        "~/.gemini/settings.json",
        lambda around: around.home / ".gemini" / "settings.json",
        _servers("mcpServers"),
    ),
)


def client_of(key: str) -> Client:
    """The assistant of this key; NoClientError."""
    for client in CLIENTS:
        if client.key == key:
            return client
    raise NoClientError(
        say(
            "No assistant is called “{key}”; there are {clients}.",
            key=key,
            clients=", ".join(each.key for each in CLIENTS),
        )
    )
