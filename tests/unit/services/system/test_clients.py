"""Tests of assistants' configurations: valid, with exactly the given command."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from app.services.system.clients import CLIENTS, EVENTS, Client, NoClientError, Surroundings, client_of
from app.services.system.configuration_text import UnreadableConfigurationError, json_tree
from app.services.system.start_requests import own_command

COMMAND = ['/opt/the "odd" place/intentscope', "--profile", "/home/a b/it's"]
OTHERS = [client for client in CLIENTS if client.key not in {"claude-hook", "codex"}]

# Files of these assistants with servers, secrets and comments of the user.
CODEX = """model = "gpt-5.2-codex"  # the default
approval_policy = "on-request"

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]

[mcp_servers.context7.env]
API_KEY = "secret"

[projects."/home/a/project"]
trust_level = "trusted"
"""
VSCODE = """{
\t// asked for once
\t"inputs": [{ "type": "promptString", "id": "key", "password": true },],
\t"servers": {
\t\t"github": { "type": "http", "url": "https://api.githubcopilot.com/mcp/" }, /* the usual */
\t},
}
"""
DESKTOP = '{\r\n  "theme": "",\r\n  "mcpServers": {\r\n    "files": {"command": "npx", "args": ["/tmp"]}\r\n  }\r\n}'
GEMINI = '{"theme": "GitHub", "selectedAuthType": "oauth-personal"}'
HOOKS = """{
  "permissions": {"allow": ["Bash(git diff:*)"]},
  "hooks": {
    "UserPromptSubmit": [
      {"hooks": [{"type": "command", "command": "date"}]}
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]
  }
}
"""
KEPT = {
    "claude-code": '{"mcpServers": {}}',
    "claude-hook": HOOKS,
    "claude-desktop": DESKTOP,
    "cursor": '{\n  "mcpServers": {\n    "db": {"url": "http://localhost:1/mcp"}\n  }\n}\n',
    "vscode": VSCODE,
    "codex": CODEX,
    "gemini": GEMINI,
}


def read(client: Client, text: str) -> Any:
    return tomllib.loads(text) if client.key == "codex" else json_tree(text).value


def started(client: Client, text: str) -> list[str]:
    """Return the command line that the text makes an assistant start."""
    document = read(client, text)
    if client.key == "claude-hook":
        last, start = (document["hooks"][event][-1]["hooks"][0]["command"] for event in EVENTS)
        assert last == start
        return shlex.split(last)
    (server,) = [servers["intentscope"] for servers in document.values() if "intentscope" in servers]
    return [server["command"], *server["args"]]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.key)
def test_that_each_text_starts_the_command_whatever_signs_are_in_it(client: Client) -> None:
    last = "hook" if client.key == "claude-hook" else "mcp"
    text = client.written(COMMAND)
    assert started(client, text) == [*COMMAND, last]
    if client.key != "codex":
        assert len(json.loads(text)) == 1


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.key)
def test_that_whatever_else_stands_in_a_file_stays_to_the_character(client: Client) -> None:
    before = KEPT[client.key]
    after = client.edit(before, COMMAND)
    assert started(client, after)[:-1] == COMMAND
    kept = iter(after)
    assert all(character in kept for character in before), "what is added is added, and nothing is taken away"
    document, former = read(client, after), read(client, before)
    if client.key == "claude-hook":
        document["hooks"]["UserPromptSubmit"].pop()
        assert len(document["hooks"].pop("SessionStart")) == 1
    else:
        (servers,) = [name for name in document if "intentscope" in document[name]]
        document[servers].pop("intentscope")
        former.setdefault(servers, {})
    assert document == former


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.key)
def test_that_a_program_that_moved_is_named_anew_once_with_what_was_added_beside_it(client: Client) -> None:
    moved = ["/new/intentscope"]
    after = client.edit(client.edit(KEPT[client.key], COMMAND), moved)
    assert after == client.edit(after, moved), "a second time changes nothing"
    assert started(client, after)[:-1] == moved
    assert "odd" not in after
    assert after == client.edit(KEPT[client.key], moved), "it is as if the first had never been named"
    assert (client.named(KEPT[client.key]), client.named(after)) == (None, moved)


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.key)
def test_that_an_entry_of_the_persons_own_is_named_anew_in_its_own_look(client: Client) -> None:
    kept = client.written(["/old"]).replace('": [\n        "mcp"\n      ]', '": ["mcp"]') + "\n"
    assert client.edit(client.edit(kept, COMMAND), ["/new", "--x"]) == client.edit(kept, ["/new", "--x"])


@pytest.mark.parametrize("odd", ['{"command": "x"}', '{"command": "x", "args": ["serve"]}', '{"args": ["mcp"]}', "1"])
def test_that_an_entry_that_starts_no_server_of_ours_names_no_program(odd: str) -> None:
    assert client_of("cursor").named(f'{{"mcpServers": {{"intentscope": {odd}}}}}') is None


def test_that_a_setting_of_the_persons_own_in_our_entry_stays() -> None:
    text = client_of("codex").written(["/old"]) + "\nstartup_timeout_sec = 20\n"
    assert "startup_timeout_sec = 20" in client_of("codex").edit(text, COMMAND)
    heading = "[mcp_servers.intentscope"
    spread = f'{heading}]\nargs = [\n  "mcp",\n]\ncommand = "/old"\n\n{heading}.env]\nA = "b"\n'
    found = tomllib.loads(client_of("codex").edit(spread, COMMAND))["mcp_servers"]["intentscope"]
    assert found == {"command": COMMAND[0], "args": [*COMMAND[1:], "mcp"], "env": {"A": "b"}}
    kept = '{"mcpServers": {"intentscope": {"command": "/old", "args": [], "env": {"A": "b"}}}}'
    assert json.loads(client_of("cursor").edit(kept, COMMAND))["mcpServers"]["intentscope"]["env"] == {"A": "b"}


@pytest.mark.parametrize("client", OTHERS, ids=lambda client: client.key)
@pytest.mark.parametrize("odd", ["[]", "{", '{"mcpServers": 1, "servers": 1}', '{"a": 1} x', '{"a" 1}', "{'a': 1}"])
def test_that_a_file_of_another_shape_is_refused(client: Client, odd: str) -> None:
    with pytest.raises(UnreadableConfigurationError):
        client.edit(odd, COMMAND)


@pytest.mark.parametrize(
    "odd",
    ["a =", "mcp_servers = 1", "mcp_servers = {intentscope = {command = 'x'}}", '[mcp_servers.intentscope]\nurl = "x"'],
)
def test_that_tables_of_another_shape_are_refused(odd: str) -> None:
    with pytest.raises(UnreadableConfigurationError):
        client_of("codex").edit(odd, COMMAND)


def test_that_an_entry_over_http_is_not_mixed_with_ours() -> None:
    with pytest.raises(UnreadableConfigurationError, match="HTTP"):
        client_of("cursor").edit('{"mcpServers": {"intentscope": {"url": "http://127.0.0.1:1/mcp"}}}', COMMAND)
    with pytest.raises(UnreadableConfigurationError, match="HTTP"):
        client_of("gemini").edit('{"mcpServers": {"intentscope": {"httpUrl": "http://127.0.0.1:1/mcp"}}}', COMMAND)


@pytest.mark.parametrize(
    ("system", "variables", "expected"),
    [
        ("linux", {}, "/home/a/.config/Claude/claude_desktop_config.json"),
        ("linux", {"XDG_CONFIG_HOME": "/c"}, "/c/Claude/claude_desktop_config.json"),
        ("darwin", {}, "/home/a/Library/Application Support/Claude/claude_desktop_config.json"),
        ("win32", {"APPDATA": "/r"}, "/r/Claude/claude_desktop_config.json"),
    ],
)
def test_that_claude_desktops_file_is_at_its_place(system: str, variables: dict[str, str], expected: str) -> None:
    around = Surroundings(Path("/home/a"), Path("/project"), system, variables)
    assert client_of("claude-desktop").file(around) == Path(expected)
    assert client_of("vscode").file(around) == Path("/project/.vscode/mcp.json")
    moved = Surroundings(Path("/home/a"), Path("/project"), system, {"CODEX_HOME": "/x", "CLAUDE_CONFIG_DIR": "/y"})
    assert client_of("codex").file(moved) == Path("/x/config.toml")
    assert client_of("claude-hook").file(moved) == Path("/y/settings.json")


def test_that_the_profile_is_named_only_where_it_is_not_the_usual_one(tmp_path: Path) -> None:
    usual = own_command(None)
    assert own_command(tmp_path) == [*usual, "--profile", str(tmp_path)]
    assert Path(usual[0]).is_file()


def test_that_an_unknown_assistant_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(NoClientError, match=r"claude-code, .*gemini"):
        client_of("clippy")
