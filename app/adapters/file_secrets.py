"""Secrets in a file of the profile that only its owner may read, for systems without a keyring."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

import orjson

from app.adapters.private_file import write_private
from app.ports import StoreError


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
        with self._lock:
            self._write({**self._held(), name: value})

    def forget(self, name: str) -> None:
        with self._lock:
            held = self._held()
            if held.pop(name, None) is not None:
                self._write(held)

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
