"""Tests of `restore` on the terminal, with consent for settings of outside copies."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.adapters.store import restoring
from app.adapters.store.library import SqlLibrary
from app.domain.journal import Edit
from app.domain.library import Memory, Power, Transport
from tests.program import run
from tests.unit.surfaces.cli.library.test_approve import at_terminal

ADDRESS = "http://192.0.2.1:11434"


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a copy of another user's library, with an approved power and an address."""
    folder = tmp_path_factory.mktemp("theirs")
    with closing(SqlLibrary.open(folder / "profile")) as library:
        library.change(
            Edit("taught"), [Memory(("brew tea",)), Power("deployer", transport=Transport("sh"), approved=True)]
        )
        library.choose_settings(Edit("set"), {"llm.url": ADDRESS, "serve.teach": "true", "tiers.high": "0.95"})
    return restoring.back_up(folder / "profile", folder / "copy.db")


def settings_of(profile: Path) -> dict[str, str]:
    with closing(SqlLibrary.open(profile)) as library:
        return library.setting_values()


def test_that_what_is_left_out_is_said_by_name_and_number_where_nobody_can_be_asked(
    theirs: Path, tmp_path: Path
) -> None:
    done = run("restore", theirs, profile=tmp_path / "p")
    assert done.returncode == 0
    assert "approval of 1 power (deployer)" in done.stdout
    assert f"2 settings with an address, a permission or another choice of a person (llm.url={ADDRESS}, " in done.stdout
    assert "“restore --accept-settings” takes them as well." in done.stdout
    assert settings_of(tmp_path / "p") == {"tiers.high": "0.95"}


def test_that_the_option_takes_the_settings_and_never_an_approval(theirs: Path, tmp_path: Path) -> None:
    done = run("restore", theirs, "--accept-settings", "--json", profile=tmp_path / "p")
    told = json.loads(done.stdout)
    assert told["restored"] == str(theirs)
    assert (told["own"], told["accepted"]) == (False, {"llm.url": ADDRESS, "serve.teach": "true"})
    assert told["left_out"] == {
        "approvals": ["deployer"], "settings": {}, "unknown_settings": [], "team": None, "sql": [],
    }  # fmt: skip
    assert settings_of(tmp_path / "p")["llm.url"] == ADDRESS


@pytest.mark.parametrize(
    ("typed", "is_taken"), [("y\n", True), ("Yes\n", True), ("\n", False), ("no\n", False), ("", False)]
)
def test_that_a_person_at_the_terminal_is_shown_the_settings_and_asked(
    theirs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: str,
    is_taken: bool,
) -> None:
    from app.__main__ import main

    at_terminal(monkeypatch, typed)
    assert main(["restore", str(theirs), "--profile", str(tmp_path / "p")]) == 0
    asked = capsys.readouterr().err
    assert f"\n    llm.url={ADDRESS}\n    serve.teach=true\n" in asked
    assert asked.count("[y/N]") == 1
    assert ("llm.url" in settings_of(tmp_path / "p")) is is_taken


def test_that_ones_own_copy_is_restored_unasked_and_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from app.__main__ import main

    profile = tmp_path / "p"
    assert run("settings", f"llm.url={ADDRESS}", profile=profile).returncode == 0
    run("backup", profile=profile)
    assert run("settings", "--reset", "llm.url", profile=profile).returncode == 0
    at_terminal(monkeypatch, "")
    assert main(["restore", "--profile", str(profile)]) == 0
    printed = capsys.readouterr()
    assert "[y/N]" not in printed.err
    assert "Left out" not in printed.out
    assert settings_of(profile)["llm.url"] == ADDRESS


def test_that_a_file_that_is_refused_ends_in_a_sentence(theirs: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(theirs.read_bytes())
    with closing(sqlite3.connect(broken)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    done = run("restore", broken, profile=tmp_path / "p")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "although its revision has" in done.stderr
    assert not (tmp_path / "p").exists()


def test_that_a_notice_is_printed_once_beside_the_output(theirs: Path, tmp_path: Path) -> None:
    profile = tmp_path / "p"
    run("settings", profile=profile)
    (profile / "library.db").write_bytes(theirs.read_bytes())
    first, second = (run("export", "--kind", "memories", profile=profile) for _ in range(2))
    assert first.stdout == second.stdout != ""
    assert "was not made by this profile" in first.stderr
    assert "deployer" in first.stderr
    assert second.stderr == ""
