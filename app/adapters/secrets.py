"""Secrets in the system's keyring, or in a private file."""

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
from app.files import why_unwritten, write_private

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend


LOCK, WAIT_SECONDS = "secrets.lock", 10.0
"""Lock file beside it, with a system lock that ends with its program."""

KEY_BYTES = 32


def secret_key(file: Path) -> bytes:
    """Return the random key in this private file, created durably if missing; raises OSError.

    An invalid key is replaced.
    """
    if (found := _key_in(file)) is None:
        with _folder_lock(file):
            if (found := _key_in(file)) is None:
                write_private(file, found := token_bytes(KEY_BYTES))
    return found


def has_key(file: Path) -> bool:
    """Return whether the file holds a key; raises OSError."""
    return _key_in(file) is not None


def _key_in(file: Path) -> bytes | None:
    try:
        found = file.read_bytes()
    except FileNotFoundError:
        return None
    return found if len(found) == KEY_BYTES else None


@contextmanager
def _folder_lock(file: Path) -> Iterator[None]:
    """Exclude other threads and programs from this folder's secrets; raises Timeout, OSError."""
    from filelock import FileLock  # imported only to change secrets

    with FileLock(file.with_name(LOCK), timeout=WAIT_SECONDS, mode=0o600, thread_local=False):
        yield


class FileSecrets:
    """JSON object of names and values, mode 0600, replaced as a whole."""

    is_fallback = True

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = Lock()

    @property
    def place(self) -> str:
        return f"No keyring of the system can be used, so secrets are kept in {self._file}, which only you may read."

    def get(self, name: str) -> str | None:
        return self._stored().get(name)

    def put(self, name: str, value: str) -> None:
        self.change({name: value})

    def forget(self, name: str) -> None:
        self.change({name: None})

    def change(self, values: Mapping[str, str | None]) -> None:
        """Store and delete values in one atomic write."""
        if not (any(values.values()) or not self._stored().keys().isdisjoint(values)):
            return
        with self._locked():
            held = self._stored()
            merged = {name: value for name, value in {**held, **values}.items() if value is not None}
            if merged != held:
                self._write(merged)

    def names_with_prefix(self, prefix: str) -> Sequence[str]:
        return [name for name in self._stored() if name.startswith(prefix)]

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Exclude other threads and programs from the file; raises StoreError."""
        from filelock import Timeout  # imported only to change secrets

        try:
            with self._lock, _folder_lock(self._file):
                yield
        except Timeout as error:
            raise StoreError(
                f"Another program is at work on the secrets in {self._file}: let it finish, and try again."
            ) from error
        except OSError as error:
            raise StoreError(f"The secrets cannot be written to {self._file}: {why_unwritten(error)}.") from error

    def _stored(self) -> dict[str, str]:
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
            raise StoreError(f"The secrets cannot be written to {self._file}: {why_unwritten(error)}.") from error


# ---- Secrets in the system's keyring, or in a file of the profile

DIGITS = 12
"""Number of digits of the profile folder's digest."""


class KeyringSecrets:
    """Values under the service "intentscope" with a digest of the profile's folder.

    The keyring is only accessed to store or read a secret. If none is usable, or it refuses, the file takes the
    value; the file is read first, because its values are newer.
    """

    def __init__(self, profile: Path) -> None:
        named = os.fsencode(profile.absolute())  # the same bytes in any file system encoding
        self._service = f"intentscope {sha256(named).hexdigest()[:DIGITS]}"
        self._file = FileSecrets(profile / "secrets.json")
        self._looked_for = False
        self._keyring: KeyringBackend | None = None

    @property
    def place(self) -> str:
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
                self._keyring = None  # present, but it refuses: use the file from now on
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
            return  # not stored
        except KeyringError as error:
            raise StoreError(f"The keyring of the system does not forget a secret ({error}): unlock it.") from error

    def change(self, values: Mapping[str, str | None]) -> None:
        """Change values one by one in a keyring, which has no transactions; else in one write."""
        if self._backend() is None:
            self._file.change(values)
            return
        for name, value in values.items():
            if value is None:
                self.forget(name)
            else:
                self.put(name, value)

    def names_with_prefix(self, prefix: str) -> Sequence[str]:
        """Return the names in the file, as a keyring lists none."""
        return self._file.names_with_prefix(prefix)

    def _backend(self) -> KeyringBackend | None:
        """Return the system's keyring; None if there is none that works."""
        if not self._looked_for:
            # Looking for it imports the backends, only for users with secrets.
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
