"""What was learned of a library in a file of the profile: arrays of numbers, which run nothing when they are read."""

from __future__ import annotations

import io
import tokenize
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np

from app.adapters.local.profile import write_private
from app.ports.encoder import Arrays

MOST_BYTES = 2**30
"""What a file may hold once it is unpacked: more was not written here."""

DAMAGED = (
    *(OSError, EOFError, MemoryError, TypeError, ValueError, AttributeError, LookupError, ArithmeticError),
    *(RuntimeError, SyntaxError, tokenize.TokenError, zipfile.BadZipFile, zlib.error),
)
"""What reading a damaged file may raise: several of these stand beside ValueError, not below it."""


class FitFile:
    """One profile's; several programs may share it, and the last to write wins."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def load(self) -> Arrays | None:
        """What is kept; None where nothing is, or it cannot be read."""
        try:
            with zipfile.ZipFile(self._file) as packed:
                if sum(part.file_size for part in packed.infolist()) > MOST_BYTES:
                    return None
            with np.load(self._file, allow_pickle=False) as held:
                return dict(held)
        except DAMAGED:
            return None

    def save(self, arrays: Arrays) -> None:
        """Keep these; a profile that cannot be written to forgets them."""
        content = io.BytesIO()
        np.savez_compressed(content, allow_pickle=False, **arrays)
        with suppress(OSError):  # it is fitted anew next time
            write_private(self._file, content.getvalue())
