"""The way in beside the sources: what it tells before anything is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in which nothing is set up."""
    (tmp_path / "packaging").mkdir()
    shutil.copy(PROJECT / "packaging" / "develop.py", tmp_path / "packaging")
    for name in ("pyproject.toml", "requirements.lock"):
        shutil.copy(PROJECT / name, tmp_path)
    return tmp_path


@pytest.mark.parametrize("words", [["run", "--help"], ["run", "--", "inspect", "-h"], ["test", "--help"]])
def test_that_help_installs_nothing(checkout: Path, words: list[str]) -> None:
    command = [sys.executable, "-I", str(checkout / "packaging" / "develop.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout.startswith("Set up Intentscope beside its sources")
    assert "nothing was installed for this help" in done.stdout
    assert sorted(path.name for path in checkout.iterdir()) == ["packaging", "pyproject.toml", "requirements.lock"]
