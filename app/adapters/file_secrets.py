"""Secrets in a file of the profile that only its owner may read, for systems without a keyring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import orjson

from app.adapters.private_file import sync_folder, write_private
from app.domain.errors import StoreError

LOCK, WAIT_SECONDS = "secrets.lock", 10.0
"""Beside the file; it is the system's own lock, which goes with its program."""


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

    def strays(self, prefix: str) -> Sequence[str]:
        return [name for name in self._held() if name.startswith(prefix)]

    def _has_news(self, values: Mapping[str, str | None]) -> bool:
        return any(values.values()) or not self._held().keys().isdisjoint(values)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let no other thread or program change the file meanwhile; StoreError."""
        from filelock import FileLock, Timeout  # only who changes secrets pays for it

        lock = FileLock(self._file.with_name(LOCK), timeout=WAIT_SECONDS, mode=0o600, thread_local=False)
        try:
            with self._lock, lock:
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
            sync_folder(self._file.parent)
        except OSError as error:
            raise StoreError(f"The secrets cannot be written to {self._file}: {error.strerror or error}.") from error
