"""Known errors: each has a message for the user."""

from __future__ import annotations

from app.domain.journal import Item, name_of


class KnownError(Exception):
    """Expected error; the message tells the user what happened and what to do."""


class StoreError(KnownError):
    """The library cannot be opened or written: locked, read-only, damaged, too new, disk full.

    `in_folder`: only a change in the profile's folder helps, so there is no automatic retry.
    """

    in_folder = False


class FolderError(StoreError):
    """Store error that only a change in the profile's folder can fix."""

    in_folder = True


class StoreGoneError(StoreError):
    """The open library file was removed or replaced by another."""


class StoreBusyError(StoreError):
    """Another program held the write lock for too long; nothing was changed."""


class StaleError(KnownError):
    """Edit of an outdated version; `present` is the stored item, None if it was deleted.

    To write `mine` anyway, give it the version of `present`, or restore it if deleted. `author` is the team member
    who made the other edit; `base` is the common ancestor, None if unknown.
    """

    def __init__(self, mine: Item, present: Item | None, author: str = "", base: Item | None = None) -> None:
        name = name_of(mine)
        if present is None and author:
            told = f"{author} has deleted “{name}” since you opened it, so nothing was changed."  # fmt: skip
        elif present is None:
            told = f"“{name}” has been deleted elsewhere since you opened it, so nothing was changed."
        elif author:
            told = f"{author} has changed “{name}” since you opened it, so nothing was changed."  # fmt: skip
        else:
            told = f"“{name}” has been changed elsewhere since you opened it, so nothing was changed."
        super().__init__(told)
        self.mine, self.present, self.base, self.author = mine, present, base, author


class EncoderError(KnownError):
    """The encoder cannot be loaded or cannot encode: missing, altered or failing."""


class PowerError(KnownError):
    """A power's server cannot be started, does not answer, or answers invalid data."""


class DataStoreError(KnownError):
    """A data store behind the router cannot be reached, queried or filled."""


class DataStoreGoneError(DataStoreError):
    """A data store cannot be reached or timed out; the state may last."""


class CacheError(KnownError):
    """Derived data cannot be stored: disk full, read-only folder."""


class FormatError(KnownError):
    """A file is not in the expected format."""
