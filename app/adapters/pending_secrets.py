"""What a write to the library does to secrets, held back until that write is committed."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from app.library_ports import Secrets
from app.ports import StoreError


class PendingSecrets:
    """Reads as the secrets will be; nothing is put or forgotten before `settle`, so a write that fails leaves all."""

    def __init__(self, kept: Secrets) -> None:
        self._kept = kept
        self._put: dict[str, str] = {}
        self._forgotten: dict[str, None] = {}

    def get(self, name: str) -> str | None:
        return self._put.get(name) or self._kept.get(name)

    def put(self, name: str, value: str) -> None:
        self._put[name] = value

    def forget(self, names: Iterable[str]) -> None:
        self._forgotten |= dict.fromkeys(names)

    def clear(self, name: str) -> None:
        """See to it now that nothing is kept under a name that nobody has used; StoreError."""
        try:
            self._kept.forget(name)
        except StoreError:
            self._kept.put(name, "")  # a keyring that refuses: the file is asked before it, and says that there is none

    def settle(self, *, strictly: bool = False) -> None:
        """Do what was held back; StoreError for a value that cannot be kept.

        One that cannot be forgotten is nobody's by now: only `strictly` is that an error.
        """
        for name, value in self._put.items():
            self._kept.put(name, value)
        for name in self._forgotten:
            if strictly:
                self._kept.forget(name)
            else:
                with suppress(StoreError):
                    self._kept.forget(name)
