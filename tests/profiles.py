"""What is costly about a profile is done once a process: migrating a library, loading the encoder, and the seed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from app.adapters.encoders import minilm
from app.adapters.store import opening
from tests.program import run


@pytest.fixture(autouse=True, scope="session")
def migrated_once() -> Iterator[Callable[[Path], None]]:
    """Every new library of this process begins with the bytes of the first; the migrations themselves are yielded."""
    migrate, made = opening._migrate, list[bytes]()

    def filled(file: Path) -> None:
        if made and not file.stat().st_size:
            file.write_bytes(made[0])
            return
        is_new = not file.stat().st_size
        migrate(file)
        if is_new:
            made.append(file.read_bytes())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "_migrate", filled)
        yield migrate


@pytest.fixture
def migrations_run(migrated_once: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what migrating does, and of what may befall it."""
    monkeypatch.setattr(opening, "_migrate", migrated_once)


@pytest.fixture(autouse=True, scope="session")
def loaded_once() -> Iterator[Callable[[], minilm.MiniLm]]:
    """All engines of this process have the same encoder, which nobody closes; loading itself is yielded."""
    load = minilm.MiniLm.load

    @cache
    def loaded(*_files: object) -> minilm.MiniLm:
        return load()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            minilm.MiniLm, "load", lambda: loaded(minilm.FOLDER, minilm.MODEL, minilm.TOKENIZER, minilm.BASIS)
        )
        yield load


@pytest.fixture(scope="session")
def seed_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile with the seed library and its vectors, which is only copied: `seeded` is a copy for one file."""
    profile = tmp_path_factory.mktemp("seed") / "seeded"
    done = run("import", "--seed", profile=profile)
    assert done.returncode == 0, done.stderr
    assert "60 added" in done.stdout
    assert "20 added" in done.stdout
    return profile


@pytest.fixture(scope="module")
def seeded(seed_library: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The seed library with its vectors, in a profile that the tests of one file share."""
    return Path(shutil.copytree(seed_library, tmp_path_factory.mktemp("profiles") / "seeded"))
