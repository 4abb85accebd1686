"""Which version is the newer, and when an address may be asked again."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from app.services.system.checkup import (
    CLIENTS,
    DAY_SECONDS,
    AskedFor,
    Client,
    NoClientError,
    asked_before,
    client_of,
    is_due,
    newer,
)
from app.services.system.starts import own_command

URL = "http://127.0.0.1/version.json"


@pytest.mark.parametrize(
    ("version", "than", "told"),
    [
        ("1.2.0", "1.1.9", "1.2.0"),
        ("0.10", "0.9.1", "0.10"),
        ("1.2", "1.2.0", ""),
        ("1.2.0", "1.2.0", ""),
        ("0.9", "1.0", ""),
        ("2", "1.9.9.9", "2"),
        ("1.0.1", "1.0.0rc1", "1.0.1"),
        ("", "1.0", ""),
        ("<b>9</b>", "1.0", ""),
        ("9.9\n", "1.0", ""),
        ("9" * 30, "1.0", ""),
        ("2.0", "unknown", ""),
    ],
)
def test_that_only_a_newer_version_is_told(version: str, than: str, told: str) -> None:
    assert newer(version, than) == told


def test_that_an_address_is_asked_once_a_day() -> None:
    before = AskedFor(URL, 1_000_000.0, "1.0")
    assert is_due(None, URL, 0.0)
    assert not is_due(before, URL, before.at + DAY_SECONDS - 1)
    assert is_due(before, URL, before.at + DAY_SECONDS)
    assert is_due(before, URL, before.at - 1), "a clock that was put back"
    assert is_due(before, f"{URL}?other", before.at)


def test_that_what_was_asked_survives_being_kept_and_damage_is_none() -> None:
    before = AskedFor(URL, 12.5, "1.0")
    assert asked_before(before.text()) == before
    for text in ("", "[]", "{}", '{"url": 1}', '{"url": "", "at": "x", "version": ""}', "[" * 100_000):
        assert asked_before(text) is None


# ---- What assistants need to ask this engine: each text is of its file's format, and starts exactly the command
# given.


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
