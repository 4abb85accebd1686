"""`connect` writes what it showed, keeps what was there, and puts it back."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from app.services.system.clients import client_of
from app.services.system.start_requests import own_command
from app.surfaces.cli import connect as connect_command
from app.surfaces.cli.connect import BACKUP, Connection, NotConnectedError
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
    monkeypatch.setattr(connect_command, "is_somebody_there", lambda: True)
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


def test_that_what_was_written_while_the_question_stood_is_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = KEPT.replace("db", "base").encode()

    def agrees(_question: str) -> bool:
        file.write_bytes(newer)
        return True

    monkeypatch.setattr(connect_command, "is_somebody_there", lambda: True)
    monkeypatch.setattr(connect_command, "_confirm", agrees)
    code, _, err = connect(file)
    assert (code, file.read_bytes()) == (2, newer)
    assert "has changed" in err
    assert not file.with_name(file.name + BACKUP).exists()


@pytest.mark.parametrize("former", [KEPT, None])
def test_that_what_was_written_before_it_is_taken_back_is_kept(file: Path, former: str | None) -> None:
    if former is None:
        file.unlink()
    connect(file, "--yes")
    read = Connection.of(client_of("cursor"), file, ["/x"])
    file.write_bytes(b"{}")
    with pytest.raises(NotConnectedError, match="has changed"):
        read.restore(read.former())
    assert file.read_bytes() == b"{}"


@pytest.mark.parametrize("former", [KEPT.encode(), None])
def test_that_another_profile_is_taken_back_to_before_the_first(
    file: Path, tmp_path: Path, former: bytes | None
) -> None:
    if former is None:
        file.unlink()
    backup = file.with_name(file.name + BACKUP)
    for profile in ("a", "b"):
        done = run("connect", "cursor", "--file", file, "--yes", profile=tmp_path / profile)
        assert done.returncode == 0
        assert str(tmp_path / profile) in file.read_text("utf-8")
        assert (backup.read_bytes() if backup.exists() else None) == former
        assert (BACKUP in done.stderr) is (former is not None)
    assert connect(file, "--undo")[0] == 0, "whichever profile asks for it"
    assert (file.read_bytes() if file.exists() else None) == former
    assert not backup.exists()


def test_that_it_is_told_where_an_entry_is_left(file: Path, tmp_path: Path) -> None:
    run("connect", "cursor", "--file", file, "--yes", profile=tmp_path / "a")
    changed = file.read_bytes().replace(b'"db"', b'"base"', 1)
    file.write_bytes(changed)
    connect(file, "--yes")
    code, _, err = connect(file, "--undo")
    assert (code, file.read_bytes()) == (0, changed)
    assert "named this program then" in err


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there")
@pytest.mark.parametrize("former", [KEPT.encode(), None])
def test_that_what_a_link_leads_to_is_written_and_put_back(file: Path, tmp_path: Path, former: bytes | None) -> None:
    link = tmp_path / "links" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(file)
    if former is None:
        file.unlink()
    assert connect(link, "--yes")[0] == 0
    assert "intentscope" in file.read_text("utf-8")
    assert connect(link, "--undo")[0] == 0
    assert (file.read_bytes() if file.exists() else None) == former
    assert link.is_symlink()
    assert [each.name for each in link.parent.iterdir() if each != link.parent / "p"] == ["mcp.json"]


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
