"""Tests of informative words in names of servers, packages, images and hosts."""

from __future__ import annotations

import pytest

from app.domain.library import Power, Transport

STARTED = {
    "npx -y @modelcontextprotocol/server-slack": "slack",
    "npx -y @x/github-mcp": "github",
    "npx @playwright/mcp@latest": "playwright",
    "cmd /c npx": "",
    "npx.cmd -y mcp-server-sqlite": "sqlite",
    "mcp-server-time": "time",
    "/opt/venv/bin/mcp-server-time": "time",
    "uvx --from git+https://example.org/x/mcp-server-weather.git serve": "weather",
    "uvx mcp-server-fetch==1.2": "fetch",
    "python -m mcp_server_git --repository /home/me/secret": "git",
    "python3.12 /srv/weather/main.py": "weather",
    "docker run -i --rm -e TOKEN=abc -v /a:/b mcp/postgres postgresql://me:word@localhost/x": "postgres",
    "docker run -i --rm --env TOKEN ghcr.io/github/github-mcp-server:latest": "github",
    "node C:\\tools\\brave-search\\dist\\index.js": "brave search",
    "npx": "",
}
CALLED = {
    "https://mcp.linear.app/sse": "linear",
    "https://api.notion.com/mcp?token=abc": "notion",
    "http://127.0.0.1:8000/mcp": "",
    "http://localhost:8000/mcp": "",
    "http://[::1]/mcp": "",
    "http://[broken": "",
}


@pytest.mark.parametrize(("line", "words"), STARTED.items())
def test_that_packages_give_their_telling_words(line: str, words: str) -> None:
    command, *args = line.split(" ")
    power = Power("server", transport=Transport(command, tuple(args)))
    assert power.name_words == ((words,) if words else ())


@pytest.mark.parametrize(("url", "words"), CALLED.items())
def test_that_hosts_give_their_telling_words(url: str, words: str) -> None:
    assert Power("server", transport=Transport(url=url)).name_words == ((words,) if words else ())


def test_that_names_give_words_once_and_last() -> None:
    slack = Power("Slack-MCP-server", "Chat.", transport=Transport("npx", ("server-slack",)))
    assert slack.triggers == ("Slack-MCP-server", "Chat.", "slack")
    assert Power("time", transport=Transport("mcp-server-time")).triggers == ("time",)
    assert Power("server-slack").triggers == ("server-slack",), "without a server"
