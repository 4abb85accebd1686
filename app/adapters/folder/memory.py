"""What a profile remembers of each folder that its library was saved to or loaded from: a file of digests.

And that a save to it was begun, until it is finished.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

import orjson

from app.adapters.local.profile import write_private
from app.domain.errors import KnownError
from app.ports.folder import Synced


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
            self._place.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(file, orjson.dumps(held))
        except OSError as error:
            raise KnownError(f"{file} cannot be written: {error.strerror or error}.") from error

    def begun(self, folder: Path) -> str:
        """The token of the save to a folder that this profile began and has not finished; "" for none."""
        try:
            return self._file(folder, ".saving").read_text("ascii")
        except (OSError, ValueError):
            return ""

    def begin(self, folder: Path, token: str) -> None:
        """Know a save for one's own before it changes anything; OSError."""
        self._place.mkdir(parents=True, exist_ok=True)
        write_private(self._file(folder, ".saving"), token.encode("ascii"))

    def ended(self, folder: Path) -> None:
        """Nothing of a save is left to do; OSError."""
        self._file(folder, ".saving").unlink(missing_ok=True)

    def _file(self, folder: Path, ending: str = ".json") -> Path:
        name = os.path.normcase(folder.resolve())
        return self._place / f"{blake2b(os.fsencode(name), digest_size=8).hexdigest()}{ending}"
