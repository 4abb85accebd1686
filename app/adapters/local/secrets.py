"""Secrets in the keyring of the system, or where it has none, in a file that only its owner may read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes
from threading import Lock
from typing import TYPE_CHECKING

import orjson

from app.domain.errors import StoreError
from app.files import write_private

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend


LOCK, WAIT_SECONDS = "secrets.lock", 10.0
"""Beside the file; it is the system's own lock, which goes with its program."""

KEY_BYTES = 32


def kept_key(file: Path) -> bytes:
    """The random key in this file, made once and on the disk by then, for its owner alone; OSError.

    What is no key any more is made anew.
    """
    if (found := _key_in(file)) is None:
        with _alone_beside(file):
            if (found := _key_in(file)) is None:
                write_private(file, found := token_bytes(KEY_BYTES))
    return found


def has_key(file: Path) -> bool:
    """Whether a key is in this file; OSError."""
    return _key_in(file) is not None


def _key_in(file: Path) -> bytes | None:
    try:
        found = file.read_bytes()
    except FileNotFoundError:
        return None
    return found if len(found) == KEY_BYTES else None


@contextmanager
def _alone_beside(file: Path) -> Iterator[None]:
    """Let no other thread or program change the secrets of this folder meanwhile; Timeout, OSError."""
    from filelock import FileLock  # only who changes secrets pays for it

    with FileLock(file.with_name(LOCK), timeout=WAIT_SECONDS, mode=0o600, thread_local=False):
        yield


class FileSecrets:
    """A JSON object of names and values, mode 0600, replaced whole with every change."""

    is_fallback = True

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = Lock()

    @property
    def place(self) -> str:
        return f"No keyring of the system can be used, so secrets are kept in {self._file}, which only you may read."

    def get(self, name: str) -> str | None:
        return self._held().get(name)

    def put(self, name: str, value: str) -> None:
        self.change({name: value})

    def forget(self, name: str) -> None:
        self.change({name: None})

    def change(self, values: Mapping[str, str | None]) -> None:
        """Put and forget in one write, which no other program's comes between."""
        if not self._has_news(values):
            return
        with self._alone():
            held = self._held()
            merged = {name: value for name, value in {**held, **values}.items() if value is not None}
            if merged != held:
                self._write(merged)

    def names_with_prefix(self, prefix: str) -> Sequence[str]:
        return [name for name in self._held() if name.startswith(prefix)]

    def _has_news(self, values: Mapping[str, str | None]) -> bool:
        return any(values.values()) or not self._held().keys().isdisjoint(values)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let no other thread or program change the file meanwhile; StoreError."""
        from filelock import Timeout  # only who changes secrets pays for it

        try:
            with self._lock, _alone_beside(self._file):
                yield
        except Timeout as error:
            raise StoreError(
                f"Another program is at work on the secrets in {self._file}: let it finish, and try again."
            ) from error
        except OSError as error:
            raise StoreError(f"The secrets cannot be written to {self._file}: {error.strerror or error}.") from error

    def _held(self) -> dict[str, str]:
        try:
            held = orjson.loads(self._file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, orjson.JSONDecodeError) as error:
            raise StoreError(f"The secrets in {self._file} cannot be read ({error}): mend or remove it.") from error
        return {str(name): str(value) for name, value in held.items()} if isinstance(held, dict) else {}

    def _write(self, held: dict[str, str]) -> None:
        try:
            write_private(self._file, orjson.dumps(held, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))
        except OSError as error:
            raise StoreError(f"The secrets cannot be written to {self._file}: {error.strerror or error}.") from error


# --------------------------------------------------------------------------------------------------------------------
# Secrets in the keyring of the system, or where it has none, in a file of the profile

SERVICE = "intentscope"
DIGITS = 12
"""So much of the digest of the profile's folder tells profiles apart."""


class KeyringSecrets:
    """Values under the service "intentscope" with a digest of the profile's folder.

    The keyring is only looked for when there is a secret to keep or to read. Where none can be used, or the one there
    is refuses, the file takes the value; what the file holds is read first, because it is newer.
    """

    def __init__(self, profile: Path) -> None:
        named = os.fsencode(profile.absolute())  # the same bytes whatever encoding this session has for names
        self._service = f"{SERVICE} {sha256(named).hexdigest()[:DIGITS]}"
        self._file = FileSecrets(profile / "secrets.json")
        self._looked_for = False
        self._keyring: KeyringBackend | None = None

    @property
    def place(self) -> str:
        """Where values are kept from now on."""
        backend = self._backend()
        return (
            self._file.place if backend is None else f"Secrets are kept in the keyring of the system ({backend.name})."
        )

    @property
    def is_fallback(self) -> bool:
        return self._backend() is None

    def get(self, name: str) -> str | None:
        held = self._file.get(name)
        backend = self._backend()
        if held is not None or backend is None:
            return held
        from keyring.errors import KeyringError

        try:
            return backend.get_password(self._service, name)
        except KeyringError as error:
            raise StoreError(f"The keyring of the system does not give out a secret ({error}): unlock it.") from error

    def put(self, name: str, value: str) -> None:
        backend = self._backend()
        if backend is not None:
            from keyring.errors import KeyringError

            try:
                backend.set_password(self._service, name, value)
            except KeyringError:
                self._keyring = None  # it is there, but refuses: from now on the file
            else:
                self._file.forget(name)
                return
        self._file.put(name, value)

    def forget(self, name: str) -> None:
        self._file.forget(name)
        backend = self._backend()
        if backend is None:
            return
        from keyring.errors import KeyringError, PasswordDeleteError

        try:
            backend.delete_password(self._service, name)
        except PasswordDeleteError:
            return  # it was not there
        except KeyringError as error:
            raise StoreError(f"The keyring of the system does not forget a secret ({error}): unlock it.") from error

    def change(self, values: Mapping[str, str | None]) -> None:
        """One after the other where there is a keyring, which knows no more than that; else in one write."""
        if self._backend() is None:
            self._file.change(values)
            return
        for name, value in values.items():
            if value is None:
                self.forget(name)
            else:
                self.put(name, value)

    def names_with_prefix(self, prefix: str) -> Sequence[str]:
        """Those in the file: a keyring lists no names."""
        return self._file.names_with_prefix(prefix)

    def _backend(self) -> KeyringBackend | None:
        """The keyring of the system, None if there is none that can be used."""
        if not self._looked_for:
            # Looking imports what every backend needs, so only those pay who have secrets.
            import keyring
            from keyring.backends import fail, null
            from keyring.errors import KeyringError

            self._looked_for = True
            try:
                found = keyring.get_keyring()
                is_any = not isinstance(found, fail.Keyring | null.Keyring) and found.priority > 0
            except (KeyringError, RuntimeError):
                return None
            self._keyring = found if is_any else None
        return self._keyring
