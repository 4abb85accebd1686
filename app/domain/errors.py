"""The known errors: each carries a sentence that was written for the user."""

from __future__ import annotations

from app.domain.journal import Item, name_of


class KnownError(Exception):
    """Something that is expected to go wrong; the message is a sentence for the user, with what to do."""


class StoreError(KnownError):
    """The library cannot be opened or written: locked, read-only, damaged, newer than this program, disk full.

    `in_folder`: it can only be mended in the profile's folder; trying again by itself is no use.
    """

    in_folder = False


class FolderError(StoreError):
    """One of those that can only be mended in the profile's folder."""

    in_folder = True


class StoreGoneError(StoreError):
    """The library that is open is not the one that lies in its place any more: removed, or replaced by another."""


class StoreBusyError(StoreError):
    """Another program is writing to the library and did not let go in time; nothing was begun."""


class StaleError(KnownError):
    """An edit was made on an older version than the stored one: `present` is that, None if it is deleted by now.

    To write `mine` all the same, give it the version of `present`, or where that is None, restore it. `author` is who
    of a team did it, `base` what both began with, None where that is not known.
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
    """A power's server cannot be started, asked or understood; the message is a sentence with what to do."""


class DataStoreError(KnownError):
    """A data store behind the router cannot be reached, asked or filled; the message is a sentence with what to do."""


class DataStoreGoneError(DataStoreError):
    """It cannot be reached, or does not answer in time; so it may go on for a while."""


class CacheError(KnownError):
    """What could be worked out again cannot be kept: disk full, read-only folder."""


class FormatError(KnownError):
    """A file cannot be read as what it was taken for."""
