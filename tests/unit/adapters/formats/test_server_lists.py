"""Tests of assistants' server lists: a long file, and values that are passwords or are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.adapters.formats.records import FileKind
from app.adapters.formats.table import format_of
from app.domain.errors import FormatError
from app.domain.library import Line, Power, Problem, Transport
from app.services.library.import_export import ImportValidator


def read(folder: Path, text: str, name: str = "mcp.json") -> list[Line[Any] | Problem]:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return list(format_of(file).read(file, FileKind.POWERS))


def powers(folder: Path, servers: dict[str, Any]) -> dict[str, Power]:
    found = read(folder, json.dumps({"mcpServers": servers}))
    return {line.value.name: line.value for line in found if isinstance(line, Line)}


def notes(folder: Path, server: dict[str, Any]) -> str:
    (line,) = read(folder, json.dumps({"mcpServers": {"it": server}}))
    assert isinstance(line, Line), line
    return line.note


def test_servers_are_found_far_down_in_a_file_of_settings(tmp_path: Path) -> None:
    settings = {"history": [{"n": n} for n in range(9_000)], "mcpServers": {"clock": {"command": "uvx"}}}
    (line,) = read(tmp_path, json.dumps(settings), "settings.json")
    assert isinstance(line, Line)
    assert line.value == Power("clock", transport=Transport("uvx"))


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


def test_a_placeholder_in_an_argument_is_no_password(tmp_path: Path) -> None:
    server = {"command": "docker", "args": ["run", "-e", "TOKEN=${input:tok}", "--api-key=${KEY}", "--key=<your key>"]}
    validator = ImportValidator(read(tmp_path, json.dumps({"mcpServers": {"it": server}})))
    assert len(list(validator)) == 1
    assert not any("contain a password or key" in note.sentence for note in validator.notes)
    shown = ImportValidator(read(tmp_path, json.dumps({"mcpServers": {"it": {"command": "c --token=abc"}}})))
    assert len(list(shown)) == 1
    assert "contain a password or key" in shown.notes[0].sentence


def test_curly_quotes_in_toml_are_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="curly quotes"):
        read(tmp_path, "[mcp_servers.a]\ncommand = “x”\n", "config.toml")
