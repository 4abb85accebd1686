"""Tests of assistants' server lists: a power each, paused if disabled, with notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.adapters.formats.records import ItemKind
from app.adapters.formats.table import format_of
from app.domain.errors import FormatError
from app.domain.library import Line, Power, Problem, Tool, Transport
from app.services.library.import_export import ImportValidator

WEB = "https://m.example/mcp"
MAPS = Power("maps", transport=Transport(url=WEB))
CLOCK = Power("clock", transport=Transport("uvx", ("clock-mcp", "--zone", "UTC")))
RUN = {"command": "uvx", "args": ["clock-mcp", "--zone", "UTC"]}
SERVERS: dict[str, Any] = {"clock": RUN, "maps": {"url": WEB}}
LISTED = [{"name": "clock", **RUN}, {"name": "maps", "url": WEB}]

CODEX = f"""model = "m"

[mcp_servers.clock]
command = "uvx"
args = ["clock-mcp", "--zone", "UTC"]

[mcp_servers.maps]
url = "{WEB}"
"""
GOOSE = f"""GOOSE_MODE: auto
extensions:
  clock: {{type: stdio, cmd: uvx, args: [clock-mcp, --zone, UTC], enabled: true}}
  maps: {{type: streamable_http, uri: "{WEB}"}}
"""
CONTINUE = f"""name: mine
mcpServers:
  - {{name: clock, command: uvx, args: [clock-mcp, --zone, UTC]}}
  - {{name: maps, type: streamable-http, url: "{WEB}"}}
"""
MERGED = f"""base: &base {{command: uvx, args: [a]}}
mcpServers:
  clock: {{args: [clock-mcp, --zone, UTC], <<: *base}}
  maps: {{<<: [{{url: "{WEB}"}}, {{url: other}}]}}
"""
OPENCODE = {
    "clock": {"type": "local", "command": ["uvx", "clock-mcp", "--zone", "UTC"]},
    "maps": {"type": "remote", "url": WEB},
}
EXPERIMENTAL = [{"name": "clock", "transport": {"type": "stdio", **RUN}}, {"name": "maps", "transport": {"url": WEB}}]
LINES = {"clock": {"command": "uvx clock-mcp --zone UTC"}, "maps": {"baseUrl": WEB}}
WORDS = {"clock": {"command": "uvx", "args": "clock-mcp --zone UTC"}, "maps": {"config": {"serverUrl": WEB}}}

OPENAI = [{"type": "mcp", "server_label": "clock", **RUN}, {"type": "mcp", "server_label": "maps", "server_url": WEB}]
COPIED = "\u200b" + json.dumps({"mcpServers": SERVERS}, indent=1).replace(" ", "\u00a0").replace('\u00a0"', ' "')

FILES: dict[str, tuple[str, object]] = {
    "OpenAI's tools": ("tools.json", OPENAI),
    "copied from a web page": ("mcp.json", COPIED),
    "Codex": ("config.toml", CODEX),
    "opencode": ("opencode.json", {"$schema": "s", "mcp": OPENCODE}),
    "Goose": ("config.yaml", GOOSE),
    "Continue": ("config.yaml", CONTINUE),
    "Continue in JSON": ("config.json", {"experimental": {"modelContextProtocolServers": EXPERIMENTAL}}),
    "no outer name": ("mcp.json", SERVERS),
    "a list": ("mcp.json", LISTED),
    "a list under its name": ("mcp.json", {"mcpServers": LISTED}),
    **{
        name: ("settings.json", "// mine\n" + json.dumps({name: SERVERS}))
        for name in ("MCPServers", "mcpservers", "MCP_SERVERS", "chat.mcp.servers", "context_servers")
    },
    "merge keys": ("servers.yaml", MERGED),
    "a workspace of VS Code": ("x.code-workspace", {"folders": [], "settings": {"mcp": {"servers": SERVERS}}}),
    "a part copied with its comma": ("mcp.json", f'"mcpServers": {json.dumps(SERVERS, indent=1)},\n'),
    "a dotted name": ("settings.json", {"x.mcpServers": {"clock": RUN, "maps": WEB}}),
    "whole command lines": ("mcp.json", {"mcpServers": LINES}),
    "arguments in a text": ("mcp.json", {"mcpServers": WORDS}),
    "far down": ("settings.json", {"history": [{"n": n} for n in range(9_000)], "mcpServers": SERVERS}),
}


def read(folder: Path, text: str, name: str = "mcp.json") -> list[Line[Any] | Problem]:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return list(format_of(file).read(file, ItemKind.POWERS))


def powers(folder: Path, servers: dict[str, Any]) -> dict[str, Power]:
    found = read(folder, json.dumps({"mcpServers": servers}))
    return {line.value.name: line.value for line in found if isinstance(line, Line)}


def notes(folder: Path, server: dict[str, Any]) -> str:
    (line,) = read(folder, json.dumps({"mcpServers": {"it": server}}))
    assert isinstance(line, Line), line
    return line.note


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "clock.dev/mcp", "https://"])
def test_an_address_that_cannot_be_reached_is_named(tmp_path: Path, url: str) -> None:
    assert f"its address {url} is no http:// or https:// address" in notes(tmp_path, {"url": url})
    assert "address" not in notes(tmp_path, {"url": "${BASE}/mcp"}).replace("BASE", "")


TOOL = {"name": "clock", "description": "Tells the time", "parameters": {}}


@pytest.mark.parametrize(
    "tools",
    [
        {"functions": [TOOL]}, {"tools": [{"functionDeclarations": [TOOL]}]}, [{"function_declarations": [TOOL]}],
        {"tools": [{"toolSpec": TOOL}]}, [{"type": "function", "function": TOOL}], {"result": {"tools": [TOOL]}},
    ],
)  # fmt: skip
def test_tools_of_each_model_are_a_power(tmp_path: Path, tools: object) -> None:
    (line,) = read(tmp_path, json.dumps(tools), "it.json")
    assert isinstance(line, Line)
    assert line.value == Power("it", tools=(Tool("clock", "Tells the time"),))


@pytest.mark.parametrize("kind", FILES)
def test_each_assistant_keeps_the_same_servers(tmp_path: Path, kind: str) -> None:
    name, content = FILES[kind]
    found = read(tmp_path, content if isinstance(content, str) else json.dumps(content), name)
    assert [line.value if isinstance(line, Line) else line for line in found] == [CLOCK, MAPS]


@pytest.mark.parametrize(
    "off",
    [
        {"enabled": False}, {"disabled": True}, {"active": False}, {"isActive": False}, {"is_enabled": False},
        {"enabled": "false"}, {"enabled": "No"}, {"disabled": "yes"}, {"disabled": 1}, {"enabled": 0},
        {"settings": {"enabled": False}}, {"config": {"disabled": "true"}}, {"status": "disabled"},
    ],
)  # fmt: skip
def test_a_server_that_is_switched_off_comes_in_paused(tmp_path: Path, off: dict[str, Any]) -> None:
    assert powers(tmp_path, {"it": {"command": "c", **off}})["it"].paused
    (line,) = read(tmp_path, json.dumps({"name": "it", "command": "c", "keywords": ["k"], **off}) + "\n", "x.jsonl")
    assert isinstance(line, Line)
    assert line.value.paused


@pytest.mark.parametrize(
    "on", [{"enabled": True}, {"disabled": False}, {"disabled": "false"}, {"isActive": "true"}, {"enabled": None}, {}]
)
def test_a_server_that_is_on_is_not_paused(tmp_path: Path, on: dict[str, Any]) -> None:
    assert not powers(tmp_path, {"it": {"command": "c", **on}})["it"].paused


def test_values_that_stand_elsewhere_are_no_secrets(tmp_path: Path) -> None:
    env = {
        "SAME": "${SAME}", "OTHER": "{env:MINE}", "PART": "v-${env:MINE}", "WIN": "%WIN%", "ASKED": "${input:asked}",
        "SHOWN": "<your-key>", "HERE": "YOUR_KEY_HERE", "KEPT": "s3cret",
    }  # fmt: skip
    server = {"command": "c", "args": ["--key=${input:key}", "--team", "${TEAM}", "<your id>"], "env": env}
    power = powers(tmp_path, {"it": server})["it"]
    assert power.transport.env == {
        "SAME": "", "OTHER": "{env:MINE}", "PART": "v-${env:MINE}", "WIN": "", "ASKED": "", "SHOWN": "", "HERE": "",
        "KEPT": "s3cret",
    }  # fmt: skip
    assert power.transport.args == tuple(server["args"])
    told = notes(tmp_path, server)
    assert "ASKED, SHOWN, HERE, ${input:key} and <your id> have to be filled in on the power's page" in told
    assert "SAME, MINE, WIN and TEAM are taken from your own environment when it starts" in told
    assert "s3cret" not in told


def test_a_password_in_capitals_after_a_dollar_is_kept_as_one_and_the_note_says_so(tmp_path: Path) -> None:
    server = {"command": "c", "env": {"DB_PASSWORD": "$HUNTER", "PIN": "$DRAGON7", "TWO": "$TWO", "T": "$MY_TOKEN"}}
    power = powers(tmp_path, {"it": server})["it"]
    assert power.transport.env == {"DB_PASSWORD": "$HUNTER", "PIN": "$DRAGON7", "TWO": "", "T": "$MY_TOKEN"}
    assert power.transport.named == {"DB_PASSWORD": "", "PIN": "", "TWO": "", "T": "$MY_TOKEN"}
    told = notes(tmp_path, server)
    assert "DB_PASSWORD and PIN are kept as passwords, although a “$” or “%” is in them: write ${NAME}" in told
    assert "TWO and MY_TOKEN are taken from your own environment" in told
    assert "HUNTER" not in told
    assert "DRAGON" not in told


def test_headers_name_variables_in_many_ways(tmp_path: Path) -> None:
    headers = {"Authorization": "Bearer ${env:T}", "X-Key": "$X_KEY", "X-Asked": "Bearer {{TOKEN}}"}
    assert powers(tmp_path, {"it": {"url": WEB, "headers": headers}})["it"].transport.env == {
        "Authorization": "Bearer ${env:T}", "X-Key": "$X_KEY", "X-Asked": "",
    }  # fmt: skip
    codex = {"url": WEB, "bearer_token_env_var": "T", "env_http_headers": {"X-Key": "K"}, "http_headers": {"A": "b"}}
    assert powers(tmp_path, {"it": codex})["it"].transport.env == {
        "A": "b", "X-Key": "${K}", "Authorization": "Bearer ${T}",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("server", "said"),
    [
        ({"command": "c", "cwd": "/srv/x"}, "working folder /srv/x (cwd) is not taken over"),
        ({"command": "c", "working_directory": "/srv/x"}, "(working_directory) is not taken over"),
        ({"command": "c", "envFile": "${workspaceFolder}/.env"}, "its file of variables (envFile) is not read"),
        ({"url": WEB, "type": "sse"}, "HTTP with SSE, the old way of MCP"),
        ({"url": WEB, "transport": "SSE"}, "HTTP with SSE, the old way of MCP"),
        ({"url": WEB, "type": "ws"}, "WebSocket"),
        ({"url": "wss://x.example/mcp"}, "WebSocket"),
        ({"url": "unix:///tmp/s", "type": "http"}, "reached by a socket"),
        ({"url": WEB, "apiKey": "x"}, "its way to sign in (apiKey) is not taken over"),
        ({"url": WEB, "oauth": {"clientId": "x"}}, "its way to sign in (oauth) is not taken over"),
        ({"command": "c", "alwaysAllow": ["write"]}, "its permissions (alwaysAllow) are not taken over"),
        ({"command": "c", "autoApprove": ["*"]}, "its permissions (autoApprove) are not taken over"),
        ({"command": "c", "tools": ["read"]}, "its choice of tools (tools) is not taken over"),
        ({"command": "c", "excludeTools": ["write"]}, "its choice of tools (excludeTools) is not taken over"),
        ({"command": "c", "includeTools": [{"name": "x"}]}, "its choice of tools (includeTools) is not taken over"),
        ({"command": "c", "tools": [{"name": "x", "enabled": False}]}, "its choice of tools (tools) is not taken over"),
        ({"command": "c", "tools": [{"name": "x", "description": 7}]}, "its choice of tools (tools) is not taken over"),
    ],
)
def test_what_is_not_taken_over_is_said(tmp_path: Path, server: dict[str, Any], said: str) -> None:
    assert said in notes(tmp_path, server)


def test_tools_that_a_server_declares_are_those_of_the_power(tmp_path: Path) -> None:
    server = {"command": "c", "tools": [{"name": "find", "description": "Finds one", "inputSchema": {}}, {"name": "x"}]}
    assert powers(tmp_path, {"it": server})["it"].tools == (Tool("find", "Finds one"), Tool("x"))
    assert not notes(tmp_path, server)


def test_lists_of_servers_switched_off_are_no_servers(tmp_path: Path) -> None:
    off = {name: ["clock"] for name in ("disabledMcpServers", "disabled-mcp-servers", "mcpServers.disabled")}
    found = read(tmp_path, json.dumps({**off, "mcpServers": {"clock": RUN}}))
    assert [line.value.transport.command for line in found if isinstance(line, Line)] == ["uvx"]


@pytest.mark.parametrize("hidden", ["\u200b", "\ufeff", "\u202e", "\u00ad", "\u200d", "\n", "\x1b"])
def test_invisible_characters_make_no_second_name(tmp_path: Path, hidden: str) -> None:
    names = list(powers(tmp_path, {f"git{hidden}hub": {"command": "a"}, "github": {"command": "b"}, hidden: RUN}))
    assert names == ["github", "github (1)", "clock-mcp"]


def test_a_placeholder_in_an_argument_is_no_password(tmp_path: Path) -> None:
    server = {"command": "docker", "args": ["run", "-e", "TOKEN=${input:tok}", "--api-key=${KEY}", "--key=<your key>"]}
    validator = ImportValidator(read(tmp_path, json.dumps({"mcpServers": {"it": server}})))
    assert len(list(validator)) == 1
    assert not any("contain a password or key" in note.sentence for note in validator.notes)
    shown = ImportValidator(read(tmp_path, json.dumps({"mcpServers": {"it": {"command": "c --token=abc"}}})))
    assert len(list(shown)) == 1
    assert "contain a password or key" in shown.notes[0].sentence


def test_servers_of_a_project_say_so_and_may_share_a_name(tmp_path: Path) -> None:
    text = json.dumps({
        "numStartups": 3,
        "projects": {
            "/home/me/shop": {
                "mcpServers": {"db": {"command": "x"}, "all": {"command": "a"}}, "disabledMcpServers": ["db"],
            },
            "/home/me/blog": {"mcpServers": {"db": {"command": "y"}}},
        },
        "mcpServers": {"all": {"command": "a"}},
    })  # fmt: skip
    found = {line.value.name: line for line in read(tmp_path, text, ".claude.json") if isinstance(line, Line)}
    assert list(found) == ["all", "db", "db (blog)"]
    assert found["db"].value.paused
    assert not found["db (blog)"].value.paused
    assert found["db (blog)"].note == "db: it is only for the project /home/me/blog."


def test_a_desktop_extension_keeps_its_command_and_words(tmp_path: Path) -> None:
    launch = {"command": "node", "args": ["${__dirname}/index.js"], "env": {"DIR": "${user_config.dir}"}}
    manifest = {
        "dxt_version": "0.1", "name": "files", "version": "1.0.0", "description": "Finds files.", "keywords": ["file"],
        "server": {"type": "node", "entry_point": "index.js", "mcp_config": launch},
        "tools": [{"name": "find", "description": "Finds one"}],
    }  # fmt: skip
    (line,) = read(tmp_path, json.dumps(manifest), "manifest.json")
    assert isinstance(line, Line)
    transport = Transport("node", ("${__dirname}/index.js",), {"DIR": ""})
    assert line.value == Power("files", "Finds files.", ("file",), "", (Tool("find", "Finds one"),), (), transport)
    assert "DIR and ${__dirname} have to be filled in" in line.note
    (problem,) = read(tmp_path, '{"dxt_version": "0.1", "name": "x", "server": {"entry_point": "a"}}', "manifest.json")
    assert isinstance(problem, Problem)
    assert "no “mcp_config”" in problem.sentence


def test_a_path_with_blanks_stays_one_command(tmp_path: Path) -> None:
    app = "/Applications/My App.app/Contents/server"
    found = powers(
        tmp_path, {"a": {"command": app}, "b": {"command": "/opt/python /srv/x.py"}, "c": {"command": "A=1 x"}}
    )
    assert found["a"].transport == Transport(app)
    assert found["b"].transport == Transport("/opt/python", ("/srv/x.py",))
    assert found["c"].transport == Transport("x", env={"A": "1"})
    node = r"C:\Program Files\nodejs\node.exe"
    found = powers(tmp_path, {"d": {"command": rf'{node} C:\x.js "a b"', "args": ["-y"]}, "e": {"command": node}})
    assert found["d"].transport == Transport(node, (r"C:\x.js", "a b", "-y"))
    assert found["e"].transport == Transport(node)
    odd = r"C:\my.exe files\run.exe"
    found = powers(
        tmp_path,
        {"f": {"command": odd}, "g": {"command": rf"{odd} -x C:\y.exe"}, "h": {"command": rf"{node} a b\y.exe"}},
    )
    assert found["f"].transport == Transport(odd)
    assert found["g"].transport == Transport(odd, ("-x", r"C:\y.exe"))
    assert found["h"].transport == Transport(node, ("a", r"b\y.exe"))


def test_a_server_without_a_name_is_called_after_its_program(tmp_path: Path) -> None:
    (line,) = read(tmp_path, '{"command": "npx", "args": ["-y", "@maps/search-mcp@1.2"]}')
    assert isinstance(line, Line)
    assert line.value.name == "search-mcp"


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', "mcp.json", "“a” stands there twice"),
        ("mcpServers:\n  a: {command: x}\n  a: {command: y}\n", "mcp.yaml", "Line 3: “a” stands there twice"),
        ("{“mcpServers”: {}}", "mcp.json", "“mcpServers” has curly quotes"),
        ("[mcp_servers.a]\ncommand = “x”\n", "config.toml", "curly quotes"),
        ("{'mcpServers': {}}", "mcp.json", "between double quotes"),
        (r'{"mcpServers": {"a": {"command": "C:\x\s.exe"}}}', "mcp.json", "a backslash in a text is written twice"),
        ('{"openapi": "3", "servers": [{"url": "https://a.example"}]}', "api.json", "is unclear"),
        ("services:\n  web:\n    command: run\n", "compose.yaml", "is unclear"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, name: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        read(tmp_path, text, name)


@pytest.mark.parametrize(
    "server",
    [7, None, [], {}, {"command": 5}, {"command": "c", "args": {"x": 1}}, {"command": "c", "args": [None]},
     {"url": ["x"]}, {"url": WEB, "headers": "A: b"}, {"command": [None]}, {"type": "stdio"}],
)  # fmt: skip
def test_what_is_no_server_is_left_out_alone(tmp_path: Path, server: Any) -> None:
    found = read(tmp_path, json.dumps({"mcpServers": {"bad": server, "good": {"command": "c"}}}))
    assert [isinstance(one, Line) for one in found] == [False, True]


def test_a_part_of_an_assistant_is_no_server(tmp_path: Path) -> None:
    text = "extensions:\n  developer: {type: builtin, enabled: true}\n  clock: {type: stdio, cmd: clock-mcp}\n"
    problem, line = read(tmp_path, text, "config.yaml")
    assert isinstance(problem, Problem)
    assert "part of its assistant" in problem.sentence
    assert isinstance(line, Line)
