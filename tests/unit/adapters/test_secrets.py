"""Tests of secrets: in the keyring if there is one, else in a private file."""

import stat
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail
from keyring.errors import KeyringError, PasswordDeleteError

from app.adapters.formats import json_lines
from app.adapters.formats.records import FileKind
from app.adapters.secrets import FileSecrets, KeyringSecrets
from app.adapters.store.library import SqlLibrary
from app.domain.errors import StoreError
from app.domain.library import Line, Power, Transport


class Drawer(KeyringBackend):
    priority = 5.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.held: dict[tuple[str, str], str] = {}
        self.is_locked = False

    def get_password(self, service: str, username: str) -> str | None:
        self._check()
        return self.held.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._check()
        self.held[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._check()
        if self.held.pop((service, username), None) is None:
            raise PasswordDeleteError("not there")

    def _check(self) -> None:
        if self.is_locked:
            raise KeyringError("locked")


@pytest.fixture
def drawer() -> Iterator[Drawer]:
    before, drawer = keyring.get_keyring(), Drawer()
    keyring.set_keyring(drawer)
    yield drawer
    keyring.set_keyring(before)


@pytest.fixture
def no_keyring() -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    yield
    keyring.set_keyring(before)


def test_that_the_keyring_holds_what_the_profile_does_not(tmp_path: Path, drawer: Drawer) -> None:
    secrets = KeyringSecrets(tmp_path)
    secrets.put("power:1:TOKEN", "hush")
    assert list(drawer.held.values()) == ["hush"]
    assert secrets.get("power:1:TOKEN") == "hush"
    assert KeyringSecrets(tmp_path / "other").get("power:1:TOKEN") is None
    assert list(tmp_path.iterdir()) == []
    assert (secrets.is_fallback, "keyring" in secrets.place) == (False, True)
    secrets.forget("power:1:TOKEN")
    secrets.forget("power:1:TOKEN")
    assert drawer.held == {}


def test_that_a_locked_keyring_is_told_and_not_taken_for_an_empty_one(tmp_path: Path, drawer: Drawer) -> None:
    secrets = KeyringSecrets(tmp_path)
    secrets.put("a", "hush")
    drawer.is_locked = True
    with pytest.raises(StoreError, match="unlock it"):
        secrets.get("a")
    with pytest.raises(StoreError, match="unlock it"):
        secrets.forget("a")


def test_that_what_the_keyring_refuses_goes_to_the_file_and_is_said(tmp_path: Path, drawer: Drawer) -> None:
    drawer.is_locked = True
    secrets = KeyringSecrets(tmp_path)
    secrets.put("a", "hush")
    assert (secrets.get("a"), secrets.is_fallback) == ("hush", True)
    assert "secrets.json" in secrets.place
    drawer.is_locked = False
    again = KeyringSecrets(tmp_path)
    assert again.get("a") == "hush"
    again.put("a", "newer")
    assert (again.get("a"), list(drawer.held.values())) == ("newer", ["newer"])


@pytest.mark.usefixtures("no_keyring")
def test_that_without_a_keyring_a_private_file_holds_them(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path, KeyringSecrets(tmp_path))
    assert library.secrets_fault() is None  # there are no secrets to report on
    library.add("powers", [Power("pg", transport=Transport("npx", env={"TOKEN": "hush"}))])
    assert "secrets.json" in (library.secrets_fault() or "")
    assert library.environment(library.powers()[0]) == {"TOKEN": "hush"}
    library.close()
    assert [path.name for path in tmp_path.iterdir() if path.is_file() and b"hush" in path.read_bytes()] == [
        "secrets.json"
    ]
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "secrets.json").stat().st_mode) == 0o600


@pytest.mark.usefixtures("no_keyring")
def test_that_only_a_value_in_the_file_is_worth_a_word(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path, KeyringSecrets(tmp_path))
    library.add("powers", [Power("pg", transport=Transport("npx", env={"TOKEN": ""}))])
    assert library.secrets_fault() is None, "a name without a value is no secret"
    library.add("powers", [Power("pg", transport=Transport("npx", env={"TOKEN": "hush"}))])
    assert "secrets.json" in (library.secrets_fault() or "")
    (tmp_path / "secrets.json").write_bytes(b"{")
    assert "mend or remove" in (library.secrets_fault() or "")
    library.close()


@pytest.mark.parametrize("content", [b"{", b"\xff"])
def test_that_a_broken_file_is_told_and_left_alone(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "secrets.json"
    file.write_bytes(content)
    with pytest.raises(StoreError, match="mend or remove"):
        FileSecrets(file).put("a", "b")
    assert file.read_bytes() == content


def test_that_an_export_names_secrets_and_an_import_of_it_keeps_them(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    power = Power("pg", transport=Transport("npx", env={"TOKEN": "hush"}))
    library.add("powers", [power])
    stream = BytesIO()
    json_lines.write(stream, [power])  # also one that was never in the library
    assert b"hush" not in stream.getvalue()
    assert b'"env":{"TOKEN":null}' in stream.getvalue()
    stream.seek(0)
    (line,) = json_lines.read(stream, FileKind.POWERS)
    assert isinstance(line, Line)
    assert library.add("powers", [line.value]).unchanged == 1
    assert library.environment(library.powers()[0]) == {"TOKEN": "hush"}
    assert "hush" not in repr(power)
    library.close()
