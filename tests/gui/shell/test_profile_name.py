"""Tests of the profile's name in the window's title."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.gui.shell.desktop.remedy_actions import NOWHERE, Places


def test_that_a_profile_among_others_of_the_program_has_its_name_alone(tmp_path: Path) -> None:
    assert Places(tmp_path / "work", None, tmp_path / "profiles.json").profile_name("work") == "work"
    assert NOWHERE.profile_name("work") == "work"


def test_that_a_profile_elsewhere_is_told_by_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, known = tmp_path / "home", tmp_path / "data" / "profiles.json"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    assert Places(tmp_path / "p", None, known).profile_name("p") == str(tmp_path / "p")
    assert Places(home / "x" / "p", None, known).profile_name("p") == str(Path("~") / "x" / "p")
