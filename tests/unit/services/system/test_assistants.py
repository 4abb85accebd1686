"""What assistants need to ask this engine: each text is of its file's format, and starts exactly the command given."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from app.services.system.checkup import CLIENTS, Client, NoClientError, client_of, own_command

COMMAND = ['/opt/the "odd" place/intentscope', "--profile", "/home/a b/it's"]


def started(client: Client) -> list[str]:
    """The command and its words that the text has an assistant start."""
    text = client.written(COMMAND)
    if client.place.endswith(".toml"):
        server = tomllib.loads(text)["mcp_servers"]["intentscope"]
        return [server["command"], *server["args"]]
    (key, value), *others = json.loads(text).items()
    assert not others
    if key == "hooks":
        return shlex.split(value["UserPromptSubmit"][0]["hooks"][0]["command"])
    server = value["intentscope"]
    return [server["command"], *server["args"]]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.key)
def test_that_each_text_starts_the_command_whatever_signs_are_in_it(client: Client) -> None:
    last = "hook" if client.key == "claude-hook" else "mcp"
    assert started(client) == [*COMMAND, last]


def test_that_the_profile_is_named_only_where_it_is_not_the_usual_one(tmp_path: Path) -> None:
    usual = own_command(None)
    assert own_command(tmp_path) == [*usual, "--profile", str(tmp_path)]
    assert Path(usual[0]).is_file()


def test_that_an_unknown_assistant_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(NoClientError, match=r"claude-code, .*gemini"):
        client_of("clippy")
