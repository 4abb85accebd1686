"""What a profile remembers of each folder that its library was saved to or loaded from: a file of digests."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

import orjson

from app.adapters.private_file import write_private
from app.ports import KnownError
from app.services.library_folders import Synced


class FolderMemory:
    """Files in a folder of the profile, one for each of the others."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def get(self, folder: Path) -> Synced:
        """What was remembered last; nothing where that cannot be read."""
        try:
            held = orjson.loads(self._file(folder).read_bytes())
            return Synced(dict(held["digests"]), dict(held["prints"]))
        except (OSError, ValueError, KeyError, TypeError):
            return Synced()

    def put(self, folder: Path, synced: Synced) -> None:
        """Remember this instead; KnownError where it cannot be written."""
        file = self._file(folder)
        named = str(folder).encode("utf-8", "backslashreplace").decode()
        held = {"folder": named, "digests": dict(synced.digests), "prints": dict(synced.prints)}
        try:
            self._place.mkdir(parents=True, exist_ok=True)
            write_private(file, orjson.dumps(held))
        except OSError as error:
            raise KnownError(f"{file} cannot be written: {error.strerror or error}.") from error

    def _file(self, folder: Path) -> Path:
        name = os.path.normcase(folder.resolve())
        return self._place / f"{blake2b(os.fsencode(name), digest_size=8).hexdigest()}.json"
