"""Tests of secrets: stored with a commit, deleted with their power, never used for another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection

from app import files
from app.adapters.local.secrets import FileSecrets
from app.adapters.store.library import SqlLibrary
from app.adapters.store.writing.pending_secrets import PendingSecrets
from app.domain.errors import StaleError, StoreError
from app.domain.journal import Edit, ThingKind
from app.domain.library import Memory, Power, Transport
from tests.nursery import Program

PROJECT = Path(__file__).resolve().parents[5]
TAUGHT, EDITED, DELETED = Edit("taught"), Edit("edited"), Edit("deleted")


def power(name: str = "gh", value: str = "good") -> Power:
    return Power(name, "d", transport=Transport("npx", env={"TOKEN": value}), approved=True)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[SqlLibrary]:
    made = SqlLibrary.open(tmp_path / "profile")
    yield made
    made.close()


def held(library: SqlLibrary) -> str:
    file = library.file.with_name("secrets.json")
    return file.read_text() if file.exists() else ""


class Refusing(FileSecrets):
    """Secrets that cannot be read or deleted, like those of a locked keyring."""

    def forget(self, name: str) -> None:
        raise StoreError(f"{name} is locked")


class TestWritesThatFail:
    def test_that_an_import_that_ends_midway_leaves_the_values_as_they_were(self, library: SqlLibrary) -> None:
        library.change(TAUGHT, [power()])

        def powers() -> Iterator[Power]:
            yield power(value="other")
            for number in range(3000):
                yield power(f"n{number}", "orphan")
            raise RuntimeError("stop")

        with pytest.raises(RuntimeError):
            library.add("powers", powers(), Edit("imported"))
        (stored,) = library.powers()
        assert (stored.approved, library.environment(stored)) == (True, {"TOKEN": "good"})
        assert "orphan" not in held(library)

    def test_that_a_stale_edit_leaves_the_value_as_it_was(self, library: SqlLibrary) -> None:
        library.change(TAUGHT, [power()])
        (opened,) = library.powers()
        library.change(EDITED, [replace(opened, description="theirs")])
        mine = replace(opened, transport=replace(opened.transport, env={"TOKEN": "other"}))
        with pytest.raises(StaleError):
            library.change(EDITED, [power("new"), mine])
        assert library.environment(library.powers()[0]) == {"TOKEN": "good"}

    def test_that_a_new_power_inherits_nothing(self, library: SqlLibrary) -> None:
        secrets = FileSecrets(library.file.with_name("secrets.json"))
        secrets.put("power:1:TOKEN", "orphan")
        library.change(TAUGHT, [power(value="")])
        assert library.environment(library.powers()[0]) == {"TOKEN": ""}
        assert "orphan" not in held(library)

    def test_that_it_inherits_nothing_that_cannot_be_forgotten(self, tmp_path: Path) -> None:
        secrets = Refusing(tmp_path / "held.json")
        secrets.put("power:1:TOKEN", "orphan")
        library = SqlLibrary.open(tmp_path / "profile", secrets)
        library.add("powers", [power(value="")])
        assert library.environment(library.powers()[0]) == {"TOKEN": ""}
        library.close()

    def test_that_a_power_told_twice_in_one_file_has_the_value_told_last(self, library: SqlLibrary) -> None:
        library.add("powers", [power(value="first"), power(value="last")])
        assert library.environment(library.powers()[0]) == {"TOKEN": "last"}


class TestSecretsThatNobodyNeeds:
    def test_that_those_of_an_undone_power_go_when_it_cannot_be_redone(self, library: SqlLibrary) -> None:
        library.change(TAUGHT, [power()])
        library.undo()
        assert "good" in held(library), "it can be done again"
        library.change(TAUGHT, [Memory(("t",))])
        assert "good" not in held(library)

    def test_that_they_go_when_texts_are_told_apart_instead(self, library: SqlLibrary) -> None:
        library.change(TAUGHT, [power()])
        library.undo()
        library.put_distinct_pairs(Edit("told apart", "x"), [(b"a" * 32, b"b" * 32)])
        assert "good" not in held(library)

    def test_that_pruning_forgets_those_of_deleted_powers_alone(self, library: SqlLibrary) -> None:
        library.change(TAUGHT, [power(), power("other", "kept")])
        library.change(DELETED, gone=[(ThingKind.POWER, 1)])
        library.prune(0)
        assert "good" not in held(library)
        assert library.environment(library.powers()[0]) == {"TOKEN": "kept"}

    def test_that_names_of_earlier_versions_go_with_the_bin(self, library: SqlLibrary) -> None:
        library.change(TAUGHT, [power()])
        (stored,) = library.powers()
        library.change(EDITED, [replace(stored, transport=Transport("npx", env={"OTHER": "too"}))])
        library.change(DELETED, gone=[(ThingKind.POWER, 1)])
        library.empty_bin()
        assert held(library).strip() == "{}"


IMPORTER = """
import os, sys
from pathlib import Path
import sqlalchemy.dialects.sqlite
from app.adapters.local import secrets as file_secrets
from app.adapters.store.library import SqlLibrary
from app.domain.journal import Edit
from app.domain.library import Power, Transport

folder, word, ends_at, each = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4:]
write, written = file_secrets.write_private, []

def ending(file, content):
    if file.name == "secrets.json":
        written.append(file)
    if written and len(written) == ends_at:
        os._exit(9)  # as a kill does: nothing is tidied
    write(file, content)

file_secrets.write_private = ending
library = SqlLibrary.open(folder)
for some in each:
    names = some.split()
    powers = [Power(n, "d", transport=Transport("npx", env={"A": word + n, "B": word})) for n in names]
    library.add("powers", powers, Edit("imported"))
"""


def importing(folder: Path, word: str, *imports: str, ends_at: int = 0) -> Program:
    """Start a program that imports powers, a file per text, and dies at the given secret write."""
    return Program(IMPORTER, folder, word, str(ends_at), *imports)


def environments(library: SqlLibrary) -> dict[str, dict[str, str]]:
    return {power.name: library.environment(power) for power in library.powers()}


class TestProgramsThatEndMidway:
    @pytest.mark.parametrize("ends_at", [1, 2])
    def test_that_powers_and_values_are_there_together_or_not_at_all(self, tmp_path: Path, ends_at: int) -> None:
        folder = tmp_path / "profile"
        with importing(folder, "v", "one two three", ends_at=ends_at) as program:
            assert program.wait() == 9
        library = SqlLibrary.open(folder)
        found = environments(library)
        assert found in ({}, {name: {"A": f"v{name}", "B": "v"} for name in ("one", "two", "three")})
        assert bool(found) is (ends_at == 2), "one end before the commit, one after it"
        assert "staged:" not in held(library)
        library.close()

    def test_that_values_that_wait_can_be_read_before_anybody_tidies(self, library: SqlLibrary) -> None:
        with importing(library.file.parent, "v", "one", ends_at=2) as program:
            assert program.wait() == 9
        assert environments(library) == {"one": {"A": "vone", "B": "v"}}, "in a window that was open all the while"

    def test_that_an_approved_power_never_runs_with_a_value_that_was_not_committed(
        self, library: SqlLibrary, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        library.change(TAUGHT, [power()])
        (stored,) = library.powers()
        assert (stored.approved, environments(library)) == (True, {"gh": {"TOKEN": "good"}})

        stage = PendingSecrets.stage

        def fail(secrets: PendingSecrets, connection: Connection) -> bool:
            stage(secrets, connection)
            assert "other" in held(library), "on the disk before the commit"
            raise StoreError("the disk is full")

        monkeypatch.setattr(PendingSecrets, "stage", fail)
        with pytest.raises(StoreError):
            library.add("powers", [power(value="other")], Edit("imported"))
        monkeypatch.undo()
        assert environments(library) == {"gh": {"TOKEN": "good"}}
        assert "other" not in held(library), "what was put aside is gone again"

    @pytest.mark.parametrize("full_at", [1, 2])
    def test_that_a_full_disk_loses_no_value_of_what_it_stores(
        self, library: SqlLibrary, monkeypatch: pytest.MonkeyPatch, full_at: int
    ) -> None:
        write, written = files.write_private, []

        def full(file: Path, content: bytes) -> None:
            written.append(file)
            if len(written) >= full_at:
                raise OSError(28, "No space left on device")
            write(file, content)

        monkeypatch.setattr("app.adapters.local.secrets.write_private", full)
        if full_at == 1:
            with pytest.raises(StoreError, match="No space left"):
                library.add("powers", [power()])
            assert library.powers() == []
            return
        library.add("powers", [power()])
        assert environments(library) == {"gh": {"TOKEN": "good"}}
        monkeypatch.undo()
        library.add("powers", [power("other", "too")])
        assert environments(library) == {"gh": {"TOKEN": "good"}, "other": {"TOKEN": "too"}}
        assert "staged:" not in held(library)


def test_that_two_imports_at_once_lose_no_value(tmp_path: Path) -> None:
    folder = tmp_path / "profile"
    SqlLibrary.open(folder).close()
    both = [
        importing(folder, word, *(" ".join(f"{word}{file}-{n}" for n in range(5)) for file in range(20)))
        for word in ("left", "right")
    ]
    for program in both:
        program.output()
    library = SqlLibrary.open(folder)
    found = environments(library)
    assert len(found) == 200
    assert [name for name, env in found.items() if env["A"] != env["B"] + name or not env["B"]] == []
    assert "staged:" not in held(library)
    library.close()
