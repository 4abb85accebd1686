"""Parts of a profile that are slow to make, each made once per process.

These are the migrated database, patterns, encoder, examples and seed library.
"""

import os
import shutil
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import re2
from filelock import FileLock
from sqlalchemy import create_engine
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

from app import bootstrap
from app.adapters.encoders import minilm
from app.adapters.encoders.learned_files import FitFile
from app.adapters.formats.toml_tables import read_packs
from app.adapters.store import connections, opening, restoring
from app.adapters.store.team import search, server
from app.ports.encoder import Arrays, Vectors
from app.settings.layers import foreign_settings, own_variables
from tests.memory_library import OPENED
from tests.program import run


@pytest.fixture(autouse=True, scope="session")
def migrated_once() -> Iterator[Callable[[Path], None]]:
    """Start every new library of this process with the first one's bytes.

    Yields the real migration.
    """
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
    monkeypatch.setattr(opening, "_migrate", migrated_once)


@pytest.fixture(autouse=True)
def libraries_ended() -> Iterator[None]:
    before = len(OPENED)
    yield
    for library in OPENED[before:]:
        library.end()


@pytest.fixture(autouse=True, scope="session")
def compiled_once() -> Iterator[None]:
    """Compile each pattern of the shipped rules once, as every workbench reads them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(re2, "compile", lru_cache(4_096)(re2.compile))
        yield


class MemoizedMiniLm(minilm.MiniLm):
    """Encoder that computes each vector once: many tests store or ask the same texts."""

    def __init__(self, model: bytes, tokenizer: bytes, basis: Vectors | None = None) -> None:
        super().__init__(model, tokenizer, basis)
        self._known: dict[tuple[str, str], Vectors] = {}

    def means(self, texts: Sequence[str], outputs: Sequence[str]) -> list[Vectors]:
        new = [text for text in dict.fromkeys(texts) if any((name, text) not in self._known for name in outputs)]
        if new:
            for name, vectors in zip(outputs, super().means(new, outputs), strict=True):
                self._known.update(zip(((name, text) for text in new), vectors, strict=True))
        shape = (len(texts), self.provenance.dimension)
        return [np.array([self._known[name, text] for text in texts], np.float32).reshape(shape) for name in outputs]


@pytest.fixture(autouse=True, scope="session")
def loaded_once() -> Iterator[Callable[[], minilm.MiniLm]]:
    """Share one encoder, never closed, among all engines of this process; yields real loading."""
    load, load_memoized = minilm.MiniLm.load, MemoizedMiniLm.load

    @cache
    def loaded(*_files: object) -> minilm.MiniLm:
        return load_memoized()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            minilm.MiniLm, "load", lambda: loaded(minilm.FOLDER, minilm.MODEL, minilm.TOKENIZER, minilm.BASIS)
        )
        yield load


@pytest.fixture(autouse=True, scope="session")
def certificates_read_once() -> Iterator[None]:
    """Read the certificates once for all HTTP clients: most use plain addresses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture(autouse=True, scope="session")
def shipped_read_once() -> Iterator[None]:
    """Share the shipped fits and rules, which every engine reads, among all engines of this process."""
    load = FitFile.load
    shipped = cache(lambda path: load(FitFile(path)))

    def loaded(file: FitFile) -> Arrays | None:
        return shipped(file._file) if file._file.is_relative_to(bootstrap.RESOURCES) else load(file)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FitFile, "load", loaded)
        patch.setattr(bootstrap, "read_packs", cache(read_packs))
        yield


@pytest.fixture(autouse=True, scope="session")
def statements_compiled_once() -> Iterator[None]:
    """Share compiled statements among all engines that a module makes in this process.

    They belong to a dialect, of which each engine has one of its own: all are taken for equal.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in (connections, opening, restoring, search, server):
            shared = {"compiled_cache": LRUCache[Any, Any](2_000)}
            patch.setattr(module, "create_engine", partial(create_engine, execution_options=shared))
        for dialect in (SQLiteDialect_pysqlite, PGDialect_psycopg):
            patch.setattr(dialect, "__eq__", lambda one, other: type(one) is type(other))
            patch.setattr(dialect, "__hash__", lambda one: hash(type(one)))
        yield


@pytest.fixture(scope="session")
def seed_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a profile with the seed library and its vectors, for all processes of a run.

    It is only copied: `seeded` is a copy for one file.
    """
    folder = tmp_path_factory.getbasetemp()
    profile = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "seed" / "seeded"
    profile.parent.mkdir(exist_ok=True)
    made = profile.with_name("made")
    with FileLock(profile.with_name("lock")):
        if not made.exists():
            done = run("import", "--seed", profile=profile)
            assert done.returncode == 0, done.stderr
            assert "60 added" in done.stdout
            assert "20 added" in done.stdout
            made.touch()
    return profile


@pytest.fixture(scope="module")
def seeded(seed_library: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the seed library with its vectors to a profile that the tests of one file share."""
    return Path(shutil.copytree(seed_library, tmp_path_factory.mktemp("profiles") / "seeded"))


def from_environment(environment: Mapping[str, str]) -> dict[str, object]:
    return {**foreign_settings(environment, own := own_variables(environment)).found, **own}
