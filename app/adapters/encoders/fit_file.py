"""What was learned of a library in a file of the profile: arrays of numbers, which run nothing when they are read."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from app.adapters.local.profile import write_private
from app.ports.encoder import Arrays


class FitFile:
    """One profile's; several programs may share it, and the last to write wins."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def load(self) -> Arrays | None:
        """What is kept; None where nothing is, or it cannot be read."""
        try:
            with np.load(self._file, allow_pickle=False) as held:
                return dict(held)
        except (OSError, TypeError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
            return None

    def save(self, arrays: Arrays) -> None:
        """Keep these; a profile that cannot be written to forgets them."""
        content = io.BytesIO()
        np.savez_compressed(content, allow_pickle=False, **arrays)
        with suppress(OSError):  # it is fitted anew next time
            write_private(self._file, content.getvalue())
