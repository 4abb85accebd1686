"""Tests of the watched settings file, edited texts, and assistants' configurations."""

import copy
import json
import os
import shlex
import tomllib
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.bootstrap import make_forgiving_workbench, make_workbench
from app.services.engine import settings
from app.services.system.clients import CLIENTS, EVENTS, Client, NoClientError, Surroundings, client_of
from app.services.system.configuration_text import (
    UnreadableConfigurationError,
    json_tree,
    with_json_value,
    with_toml_table,
)
from app.services.system.start_requests import own_command
from app.services.workbench import Workbench
from app.settings.model import Choices
from tests.waiting import until


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith(("INTENTSCOPE_", "SUBCOG_", "OLLAMA_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(settings, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(settings, "SETTLE_SECONDS", 0.02)
    (tmp_path / "profile").mkdir()
    return tmp_path / "profile" / "settings.toml"


@asynccontextmanager
async def opened(bench: Workbench) -> AsyncGenerator[Workbench, None]:
    await bench.open(encoder=False, llm=False)
    try:
        yield bench
    finally:
        await bench.close()


def said(file: Path, text: str | None) -> None:
    """Write this text to the file, or delete it for None."""
    if text is None:
        file.unlink()
    else:
        file.write_text(text)


async def test_that_a_file_made_changed_and_deleted_while_the_desk_is_open_takes_effect(file: Path) -> None:
    async with opened(make_forgiving_workbench(Choices(profile=file.parent, pairs=("theme=dark",)))) as bench:
        told: list[int] = []
        bench.status_changed.subscribe(lambda _: told.append(bench.settings.matches))
        said(file, "matches = 25\n")
        await until(lambda: bench.settings.matches == 25)
        assert bench.engine.settings.matches == 25
        assert (bench.origins["matches"], bench.settings.theme) == ("file", "dark")
        assert 25 in told
        said(file, 'matches = 7\ntheme = "light"\n')
        await until(lambda: bench.settings.matches == 7)
        assert bench.settings.theme == "dark", "what was said on the command line still wins"
        said(file, None)
        await until(lambda: bench.settings.matches == 10)
        assert "settings" not in bench.status().faults


@pytest.mark.parametrize("make", [make_forgiving_workbench, make_workbench])
async def test_that_a_file_broken_meanwhile_is_told_and_the_last_good_settings_stay(
    file: Path, make: Callable[[Choices], Workbench]
) -> None:
    file.write_text("matches = 25\n")
    async with opened(make(Choices(profile=file.parent))) as bench:
        said(file, "theme = 'dark'\nmatches = = 3\n")
        await until(lambda: "settings" in bench.status().faults)
        told = bench.status().faults["settings"]
        assert "has an error in line 2" in told
        assert told.endswith("The last good settings stay in use.")
        assert (bench.settings.matches, bench.settings.history.privacy) == (25, "full")
        said(file, "matches = 30_000\n")
        await until(lambda: "line 1" in bench.status().faults["settings"])
        said(file, "matches = 30\n")
        await until(lambda: "settings" not in bench.status().faults)
        assert bench.settings.matches == 30


async def test_that_a_file_that_was_broken_at_the_start_counts_once_it_is_mended(file: Path) -> None:
    file.write_text("matches = = 3\n")
    async with opened(make_forgiving_workbench(Choices(profile=file.parent, pairs=("theme=dark",)))) as bench:
        assert "The defaults are used until it is mended" in bench.status().faults["settings"]
        assert bench.settings.history.privacy == "off"
        said(file, "\nmatches = = 4\n")
        await until(lambda: "line 2" in bench.status().faults["settings"])
        assert bench.settings.history.privacy == "off", "it may say that nothing is kept"
        said(file, "matches = 4\n")
        await until(lambda: "settings" not in bench.status().faults)
        found = bench.settings
        assert (found.matches, found.history.privacy, found.theme) == (4, "full", "dark")


@pytest.mark.parametrize("make", [make_forgiving_workbench, make_workbench])
async def test_that_a_file_that_does_not_go_with_the_command_line_any_more_leaves_all_as_it_was(
    file: Path, make: Callable[[Choices], Workbench]
) -> None:
    file.write_text("matches = 25\n")
    choices = Choices(profile=file.parent, pairs=("tiers.high=0.6", "theme=dark"))
    async with opened(make(choices)) as bench:
        said(file, "matches = 30\n[tiers]\nmedium = 0.7\n")
        await until(lambda: "settings" in bench.status().faults)
        assert bench.status().faults["settings"].endswith("The last good settings stay in use.")
        assert "settings" not in bench.status().outside
        found = bench.settings
        assert (found.matches, found.tiers.high, found.theme) == (25, 0.6, "dark")
        assert found.history.privacy == "full"


async def test_that_what_was_chosen_here_holds_over_a_changed_file(file: Path) -> None:
    async with opened(make_forgiving_workbench(Choices(profile=file.parent))) as bench:
        await bench.choose("matches", "12")
        said(file, "matches = 25\nmin_score = 0.2\n")
        await until(lambda: bench.settings.min_score == 0.2)
        assert (bench.settings.matches, bench.origins["matches"]) == (12, "here")
        await bench.choose("matches", None)
        assert bench.settings.matches == 25


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=4)
LAYOUTS = st.sampled_from([None, 1, 2, "\t"])


@given(VALUES, LAYOUTS)
def test_that_json_is_read_as_json(value: Any, layout: Any) -> None:
    assert json_tree(json.dumps(value, indent=layout)).value == value


@given(OBJECTS, LAYOUTS, st.text(max_size=4), st.text(max_size=4), VALUES)
def test_that_a_value_that_is_set_is_there_and_nothing_else_changed(
    document: dict[str, Any], layout: Any, outer: str, inner: str, value: Any
) -> None:
    expected = copy.deepcopy(document)
    if not isinstance(expected.get(outer, {}), dict):
        with pytest.raises(UnreadableConfigurationError):
            with_json_value(json.dumps(document), (outer, inner), value)
        return
    expected.setdefault(outer, {})[inner] = value
    assert json.loads(with_json_value(json.dumps(document, indent=layout), (outer, inner), value)) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ("// mine\n", '// mine\n{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ('{"x": 2}', '{"x": 2, "a": {"b": 1}}'),
        ('{\n    "x": 2, // two\n}', '{\n    "x": 2, // two\n    "a": {\n        "b": 1\n    },\n}'),
        ('{\n  "x": 2 /* two */ // 2\n}', '{\n  "x": 2, /* two */ // 2\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"x": 2 // two\n}', '{"x": 2, "a": {"b": 1} // two\n}'),
        ('{\n  "a": {}\n}', '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"a": {"b": 0, /* none */ "b": 5}}', '{"a": {"b": 0, /* none */ "b": 1}}'),
        ('\ufeff{\r\n  "x": 2\r\n}', '\ufeff{\r\n  "x": 2,\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}'),
    ],
)
def test_that_the_text_keeps_its_look(before: str, after: str) -> None:
    assert with_json_value(before, ("a", "b"), 1) == after


def test_that_a_list_on_one_line_stays_on_one() -> None:
    assert with_json_value('{\n  "a": ["x"]\n}', ("a",), ["y", "z"]) == '{\n  "a": ["y", "z"]\n}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('[t]\na = "old" # note\nb = 1\n', '[t]\na = "new" # note\nb = 1\n'),
        ('[t]\r\na = "o#d"\t# a # b\r\n', '[t]\r\na = "new"\t# a # b\r\n'),
        ("[t]\na = [ # one\n  1,\n] # end", '[t]\na = "new" # end\n'),
        ('[t]\na = "o#d"\n', '[t]\na = "new"\n'),
    ],
)
def test_that_the_comment_behind_a_tables_value_stays(before: str, after: str) -> None:
    assert with_toml_table(before, ["t"], {"a": "new"}) == after


def test_that_depth_without_end_is_refused() -> None:
    with pytest.raises(UnreadableConfigurationError):
        json_tree("[" * 100_000)


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
