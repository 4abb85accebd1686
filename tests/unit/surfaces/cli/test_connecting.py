"""`connect` writes what it showed, keeps what was there, and puts it back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.services.system.clients import client_of
from app.services.system.starts import own_command
from app.surfaces.cli import connecting
from app.surfaces.cli.connecting import BACKUP
from tests.program import run

KEPT = '{\r\n  "mcpServers": {"db": {"command": "db", "env": {"KEY": "secret"}}}\r\n}\r\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "mcp.json"
    made.write_bytes(KEPT.encode())
    return made


def connect(file: Path, *more: str, typed: bytes = b"") -> tuple[int, str, str]:
    done = run("connect", "cursor", "--file", file, *more, profile=file.parent / "p", stdin=typed)
    return done.returncode, done.stdout, done.stderr


def test_that_nothing_is_written_unless_somebody_agrees(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = connect(file)
    assert (code, file.read_bytes()) == (0, KEPT.encode())
    assert any(line.startswith("+") and "intentscope" in line for line in out.splitlines())
    assert "--yes" in err
    monkeypatch.setattr(connecting, "is_somebody_there", lambda: True)
    for typed, expected in ((b"\n", 1), (b"y\n", 0)):
        assert connect(file, typed=typed)[0] == expected
        assert (file.read_bytes() != KEPT.encode()) is (expected == 0)


def test_that_what_was_written_is_taken_back_to_the_byte(file: Path) -> None:
    assert connect(file, "--yes")[0] == 0
    written = json.loads(file.read_text("utf-8"))["mcpServers"]
    assert list(written) == ["db", "intentscope"]
    backup = file.with_name(file.name + BACKUP)
    assert backup.read_bytes() == KEPT.encode()
    assert backup.stat().st_mode & 0o077 == 0, "it may hold secrets"
    assert "already" in connect(file, "--yes")[2]
    assert connect(file, "--undo")[0] == 0
    assert file.read_bytes() == KEPT.encode()
    assert not backup.exists()


def test_that_a_file_that_was_made_goes_again(tmp_path: Path) -> None:
    made = tmp_path / "new" / "mcp.json"
    assert connect(made, "--yes")[0] == 0
    assert made.read_text("utf-8").rstrip() == client_of("cursor").written(own_command(made.parent / "p"))
    assert connect(made, "--undo")[0] == 0
    assert not made.exists()
    assert "nothing is changed" in connect(made, "--undo")[2]


def test_that_what_was_changed_since_is_left_to_its_owner(file: Path) -> None:
    connect(file, "--yes")
    changed = file.read_bytes().replace(b'"db"', b'"base"', 1)
    file.write_bytes(changed)
    code, _, err = connect(file, "--undo")
    assert (code, file.read_bytes()) == (2, changed)
    assert BACKUP in err


@pytest.mark.parametrize("odd", [b"\xff\xfe", b'{"mcpServers": []}', b"not this"])
def test_that_a_file_that_cannot_be_read_is_left_alone(file: Path, odd: bytes) -> None:
    file.write_bytes(odd)
    code, _, err = connect(file, "--yes")
    assert (code, file.read_bytes()) == (2, odd)
    assert str(file) in err


def test_that_programs_are_told_what_changes(file: Path) -> None:
    _, out, _ = connect(file, "--json", "--yes")
    told = json.loads(out)
    assert told["written"]
    assert told["file"] == str(file)
    assert any("intentscope" in line for line in told["difference"])
    printed = json.loads(connect(file, "--print", "--json")[1])
    assert printed["text"] == told["text"]
