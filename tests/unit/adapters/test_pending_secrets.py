"""A secret is what the library says it is: kept with a commit, gone with its power, and never lent to another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.adapters.file_secrets import FileSecrets
from app.adapters.sql_library import SqlLibrary
from app.domain.journal import Deed, ThingKind
from app.domain.library import Memory, Power, Transport
from app.ports import StaleError, StoreError

TAUGHT, EDITED, DELETED = Deed("taught"), Deed("edited"), Deed("deleted")


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
    """Secrets that can be neither read nor forgotten, as those of a locked keyring."""

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
            library.add_powers(powers(), Deed("imported"))
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
        library.add_powers([power(value="")])
        assert library.environment(library.powers()[0]) == {"TOKEN": ""}
        library.close()

    def test_that_a_power_told_twice_in_one_file_has_the_value_told_last(self, library: SqlLibrary) -> None:
        library.add_powers([power(value="first"), power(value="last")])
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
        library.put_different(Deed("told apart", "x"), [(b"a" * 32, b"b" * 32)])
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
