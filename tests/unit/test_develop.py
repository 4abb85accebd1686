"""Tests of the setup script: its messages before installation, and exactly locked packages."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.scripts import PROJECT, script
from tests.waiting import PATIENCE


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Make a checkout in which nothing is set up."""
    (tmp_path / "packaging").mkdir()
    for name in ("develop.py", "environment.py", "system_packages.py"):
        shutil.copy(PROJECT / "packaging" / name, tmp_path / "packaging")
    for name in ("pyproject.toml", "requirements.lock"):
        shutil.copy(PROJECT / name, tmp_path)
    return tmp_path


@pytest.mark.parametrize("words", [["run", "--help"], ["run", "--", "inspect", "-h"], ["test", "--help"]])
def test_that_help_installs_nothing(checkout: Path, words: list[str]) -> None:
    command = [sys.executable, "-E", "-s", "-B", str(checkout / "packaging" / "develop.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.startswith("Set up Intentscope in its source folder")
    assert "nothing was installed for this help" in done.stdout
    assert sorted(path.name for path in checkout.iterdir()) == ["packaging", "pyproject.toml", "requirements.lock"]


def test_that_an_extra_that_is_gone_hinders_no_update(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PROJECT / "packaging"))
    environment, installed = script("environment"), []
    monkeypatch.setattr(environment, "STAMP", tmp_path / "stamp")
    monkeypatch.setattr(environment, "is_usable", lambda: True)
    monkeypatch.setattr(environment, "pip", lambda words, _: installed.extend(words))
    environment.STAMP.write_text("old\ndev of-another-version\nhere\n", "utf-8")
    environment.install("new", frozenset({"postgres"}), 0)
    assert environment.read_stamp()[:2] == ("new", {"dev", "postgres"})
    assert str(script("locking").file_of("postgres")) in installed


# ---- the locks

HASHED = re.compile(r"[\w.-]+==\S+(?: ; [^\\\n]+?)? \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\\n|$))+")


def locks() -> list[Path]:
    """Return every list of packages to install."""
    lists = [PROJECT / "packaging" / "test-models.txt"]
    return [script("locking").LOCK, *sorted(script("locking").LOCKS.glob("*.txt")), *lists]


@pytest.mark.parametrize("path", locks(), ids=lambda path: str(path.name))
def test_that_every_locked_package_has_an_exact_version_and_a_hash(path: Path) -> None:
    found = script("locking").blocks(path.read_text("utf-8"))
    assert found
    assert [block for block in found if not HASHED.fullmatch(block)] == []


def locked(part: str) -> list[Requirement]:
    """Return the entries of a lock that apply here."""
    found = script("locking").blocks(script("locking").file_of(part).read_text("utf-8"))
    entries = [Requirement(block.partition("\\")[0]) for block in found]
    return [entry for entry in entries if entry.marker is None or entry.marker.evaluate()]


def test_that_the_locks_meet_what_the_project_asks_for() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    asked = {"build": project["build-system"]["requires"], "intentscope": project["project"]["dependencies"]}
    asked |= project["project"]["optional-dependencies"] | project["dependency-groups"]
    for part, words in asked.items():
        versions = {
            canonicalize_name(one.name): str(one.specifier)[2:] for one in [*locked("intentscope"), *locked(part)]
        }
        wanted = [Requirement(word) for word in words]
        here = [one for one in wanted if one.marker is None or one.marker.evaluate()]
        assert [str(one) for one in here if not one.specifier.contains(versions[canonicalize_name(one.name)])] == []


@pytest.mark.parametrize("part", ["intentscope", "build", "dev", "sentence-transformers"])
def test_that_a_lock_is_complete_so_that_nothing_need_be_looked_for(part: str) -> None:
    kept = {canonicalize_name(one.name) for one in [*locked("intentscope"), *locked(part)]}
    lacking = set()
    for name in kept:
        with contextlib.suppress(PackageNotFoundError):  # packages of another system, or for building
            needed = [Requirement(word) for word in requires(name) or ()]
            named = [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
            lacking |= {(name, canonicalize_name(one)) for one in named} - {(name, one) for one in kept}
    assert lacking == set()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the usual torch is the one for the CPU")
def test_that_torch_for_the_cpu_is_locked_for_every_python_on_linux() -> None:
    text = script("locking").file_of("sentence-transformers").read_text("utf-8")
    (usual,) = (block for block in script("locking").blocks(text) if "+cpu ; sys_platform == 'linux'" in block)
    assert usual.count("sha256:") >= 8, "3.11 to 3.14, on x86_64 and aarch64"
    assert script("locking").torch_version(text).endswith("+cpu")


def test_that_a_package_that_was_changed_is_refused_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "changed-1.0-py3-none-any.whl"
    wheel.write_bytes(b"not what was tested")
    lock = tmp_path / "lock.txt"
    lock.write_text(f"changed==1.0 \\\n    --hash=sha256:{'0' * 64}\n", "utf-8")
    monkeypatch.syspath_prepend(str(PROJECT / "packaging"))
    environment = script("environment")
    words = [*script("locking").HASHED, "--no-index", "--find-links", str(tmp_path), "--requirement", str(lock)]
    with (
        lock.open() as turn,
        pytest.raises(environment.SetUpError, match="A package was refused because its file is not the one"),
    ):
        environment.pip([*words, "--target", str(tmp_path / "there")], turn.fileno(), Path(sys.executable))
    assert not (tmp_path / "there").exists()


def test_that_the_audit_asks_of_every_version_whatever_system_it_is_for() -> None:
    ours = "one==1 ; sys_platform == 'win32' \\\n    --hash=sha256:a\none==2 \\\n    --hash=sha256:b\n"
    extra = "# words\none==2 \\\n    --hash=sha256:b\ntorch==3+cpu ; x \\\n    --hash=sha256:c\n"
    assert script("locking").without_conditions([ours, extra]) == [
        "one==1 \\\n    --hash=sha256:a\ntorch==3 \\\n    --hash=sha256:c\n",
        "one==2 \\\n    --hash=sha256:b\n",
    ]


def test_that_an_audit_without_an_answer_is_no_clean_one(tmp_path: Path) -> None:
    locking = script("locking")
    silent = tmp_path / "python"
    silent.write_text("#!/bin/sh\necho 'requests.exceptions.ConnectionError: Failed to resolve' >&2\nexit 1\n", "utf-8")
    silent.chmod(0o755)
    with pytest.raises(locking.LockError, match=r"were not audited: the OSV service does not answer\. Connect"):
        locking.audit(silent)


# ---- verification of an installation


def test_that_an_acceptance_says_what_it_will_install_before_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(PROJECT / "packaging"))
    debian = script("debian")
    done: list[str] = []
    for name, value in {"ROOT": tmp_path, "is_current": lambda: False, "bundle": lambda: done.append("bundle")}.items():
        monkeypatch.setattr(debian, name, value)
    monkeypatch.setattr(debian.os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(debian.shutil, "which", lambda name: None if name == "debootstrap" else f"/bin/{name}")

    def call(command: list[str]) -> None:
        assert "debootstrap" in capsys.readouterr().err or done, "it is said before anything is installed"
        done.append(" ".join(command))

    def deb() -> Path:
        raise debian.BundleError("far enough")

    monkeypatch.setattr(debian, "call", call)
    monkeypatch.setattr(debian, "deb", deb)
    with pytest.raises(debian.BundleError, match="far enough"):
        debian.acceptance()
    install = "apt-get install --yes --no-install-recommends debootstrap"
    assert done == ["apt-get update", install, "bundle"]
    assert debian.plan()[-1].endswith("xvfb xdotool imagemagick")
