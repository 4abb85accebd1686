"""Tests of `connect`: writes what it showed, keeps other content, and can be undone."""

import json
import os
import sys
from pathlib import Path

import pytest

from app.services.system.clients import CLIENTS, client_of
from app.services.system.start_requests import own_command
from app.surfaces.cli import connect as connect_command
from app.surfaces.cli.connect import BACKUP, Connection, NotConnectedError
from app.surfaces.cli.output import MisuseError
from tests.program import run

posix = pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there, and pipes no place")

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
    assert f"--file {file} --yes" in err
    monkeypatch.setattr(connect_command, "is_interactive", lambda: True)
    for typed, expected in ((b"\n", 1), (b"y\n", 0)):
        assert connect(file, typed=typed)[0] == expected
        assert (file.read_bytes() != KEPT.encode()) is (expected == 0)


def test_that_what_was_written_is_taken_back_to_the_byte(file: Path) -> None:
    assert f"--file {file} --undo" in connect(file, "--yes")[2]
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

    monkeypatch.setattr(connect_command, "is_interactive", lambda: True)
    monkeypatch.setattr(connect_command, "is_confirmed", agrees)
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


# ---- links and pipes, as a cloned repository may contain them

PROJECT_FILES = {"claude-code": ".mcp.json", "vscode": ".vscode/mcp.json"}
KEYS = {"vscode": "servers"}


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a current folder from elsewhere, and a home folder with a file of its owner."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "rc").write_text("mine")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "clone" / ".vscode").mkdir(parents=True)
    (tmp_path / "clone" / ".cursor").mkdir()
    monkeypatch.chdir(tmp_path / "clone")
    return tmp_path / "clone"


def everything(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): str(path.readlink()) if path.is_symlink() else path.read_text("utf-8")
        for path in folder.rglob("*")
        if not path.is_fifo() and (path.is_symlink() or path.is_file())
    }


def ask(*words: str | Path) -> tuple[int, str, str]:
    done = run("connect", *words, profile=Path("../p").absolute(), folder=Path.cwd())
    return done.returncode, done.stdout, done.stderr


@posix
@pytest.mark.parametrize("how", ["--yes", "--undo"])
@pytest.mark.parametrize("led", ["{home}/rc", "{home}/new", "/dev/null", "{home}"])
@pytest.mark.parametrize(
    ("client", "named"),
    [("claude-code", ()), ("vscode", ()), ("cursor", ("--file", ".cursor/mcp.json")), ("gemini", ("--file", "x.json"))],
)
@pytest.mark.parametrize("end", ["", BACKUP])
def test_that_nothing_is_written_through_a_link(
    clone: Path, client: str, named: tuple[str, ...], led: str, end: str, how: str
) -> None:
    file = Path(named[-1] if named else PROJECT_FILES[client])
    file.write_text(json.dumps({KEYS.get(client, "mcpServers"): {}}))
    if how == "--undo":
        assert ask(client, *named, "--yes")[0] == 0
    link = file.with_name(file.name + end)
    link.unlink(missing_ok=True)
    link.symlink_to(led.format(home=os.path.relpath(clone.parent / "home", link.parent)))
    before = everything(clone.parent)
    code, out, err = ask(client, *named, how)
    assert (code, out, everything(clone.parent)) == (2, "", before)
    assert f"{link} is not written to: it is a link to" in err


@posix
@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize("words", [("vscode",), ("cursor", "--file", ".vscode/mcp.json")])
@pytest.mark.parametrize("led", ["../home", "../home/none"])
def test_that_a_linked_folder_of_the_project_is_refused(tmp_path: Path, words: tuple[str, ...], led: str) -> None:
    Path(".vscode").rmdir()
    Path(".vscode").symlink_to(led)
    before = everything(tmp_path)
    code, out, err = ask(*words, "--yes")
    assert (code, out, everything(tmp_path)) == (2, "", before)
    assert f"“.vscode” is a link to {led}: give the path of that folder" in err


@posix
@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize("client", [each.key for each in CLIENTS])
@pytest.mark.parametrize("more", [("--yes",), ("--undo",), ("--json",), ()])
def test_that_a_pipe_is_not_waited_for(client: str, more: tuple[str, ...]) -> None:
    os.mkfifo("pipe")
    for file in ("pipe", "/dev/zero"):
        code, _, err = ask(client, "--file", file, *more)
        assert (code, "it is a pipe, a socket or a device: name a file" in err) == (2, True)
    Path("pipe").rename(f"x.json{BACKUP}")
    Path("x.json").write_text("")
    code, _, err = ask(client, "--file", "x.json", *more)
    assert (code, f"x.json{BACKUP} is not written to: it is a pipe" in err) == (2, True)


@pytest.mark.usefixtures("clone")
def test_that_the_diff_names_every_file_that_is_written() -> None:
    file, kept = Path(".mcp.json").absolute(), Path(f".mcp.json{BACKUP}").absolute()
    assert ask("claude-code")[1].splitlines()[:2] == [f"--- {os.devnull}", f"+++ {file}"]
    Path(".mcp.json").write_text("{}\n")
    shown = [f"copy from {file}", f"copy to {kept}", f"--- {file}", f"+++ {file}"]
    assert ask("claude-code")[1].splitlines()[:4] == shown
    assert json.loads(ask("claude-code", "--json", "--yes")[1])["difference"][:4] == shown
    back = [f"rename from {kept}", f"rename to {file}", f"--- {file}", f"+++ {file}"]
    assert ask("claude-code", "--undo")[1].splitlines()[:4] == back
    Path(".mcp.json").unlink()
    ask("claude-code", "--yes")
    assert ask("claude-code", "--undo")[1].splitlines()[:2] == [f"--- {file}", f"+++ {os.devnull}"]


@posix
def test_that_a_backup_that_cannot_be_made_leaves_the_file_alone(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".mcp.json").write_text("{}")
    connection = Connection.of(client_of("claude-code"), Path(".mcp.json"), ["/x"])
    connection.backup.symlink_to("../home/rc")
    before = everything(clone.parent)
    with pytest.raises(MisuseError, match="it is a link"):
        connection.make()
    assert everything(clone.parent) == before


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


def test_that_a_line_that_is_too_long_to_read_is_cut_around_the_change(file: Path) -> None:
    servers = {f"server-{number}": {"command": "npx", "args": ["x" * 90]} for number in range(1_000)}
    file.write_text(json.dumps({"mcpServers": servers}))
    code, out, _ = connect(file, "--yes")
    removed, added = out.splitlines()[-2:]
    assert (code, removed[:3], added[:3]) == (0, "-… ", "+… ")
    assert max(map(len, (removed, added))) < 2_100
    assert '"intentscope": {"command": ' in added
