"""Files of values fitted on a library: learned weights, refit log, calibration."""

from __future__ import annotations

import io
import os
import tokenize
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import orjson
from pydantic import TypeAdapter

from app.domain.confidence import SHIPPED_MEMORIES, SHIPPED_POWERS, Calibration, Chance
from app.domain.documents import fields_of
from app.domain.fits import Refit
from app.files import lock, version_of, write_private
from app.ports.encoder import Arrays

MOST_BYTES = 2**30
"""Maximum unpacked size of a file in bytes."""

DAMAGED = (
    SystemError,  # from ast.literal_eval in a thread of Python 3.11.2; it is fitted again
    *(OSError, EOFError, MemoryError, TypeError, ValueError, AttributeError, LookupError, ArithmeticError),
    *(RuntimeError, SyntaxError, tokenize.TokenError, zipfile.BadZipFile, zlib.error),
)
"""Exceptions of damaged files, including some that are no ValueError."""


class FitFile:
    """Fit in a file, which processes share by its stamp, and update with a claim.

    Its digests have no key, as they are of phrases and labelled queries in the library, not of other queries. Those
    of deleted items disappear with the next fit.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def load(self) -> Arrays | None:
        """Load the stored arrays; None if missing or unreadable."""
        try:
            with zipfile.ZipFile(self._file) as packed:
                if sum(part.file_size for part in packed.infolist()) > MOST_BYTES:
                    return None
            with np.load(self._file, allow_pickle=False) as held:
                return dict(held)
        except DAMAGED:
            return None

    def save(self, arrays: Arrays) -> None:
        """Store the arrays; errors are ignored."""
        content = io.BytesIO()
        np.savez(content, allow_pickle=False, **arrays)
        with suppress(OSError):  # it is fitted again next time
            write_private(self._file, content.getvalue())

    def stamp(self) -> object:
        return version_of(self._file)

    def claim(self) -> Callable[[], None] | None:
        """Claim the exclusive right to fit; a function that releases it, None if another has it.

        The system's lock ends with the process. Without file locks every process may fit.
        """
        handle: int | None = None
        try:
            handle = os.open(self._file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
            lock(handle)
        except BlockingIOError:
            if handle is not None:
                os.close(handle)
            return None
        except OSError:
            if handle is not None:
                os.close(handle)
            return lambda: None
        own = handle
        return lambda: os.close(own)


# ---- Log of refits: counts, and keys of cases and queries, not their texts.

MOST_REFITS, MOST_LOG_BYTES = 50, 2**22
"""Maximum number of stored refits, and maximum size of a file in bytes."""


class RefitFile:
    """Log of a profile's refits in a file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def load(self) -> list[Refit]:
        """Return the stored refits, newest first; empty if unreadable."""
        try:
            if self._file.stat().st_size > MOST_LOG_BYTES:
                return []
            return TypeAdapter(list[Refit]).validate_python(orjson.loads(self._file.read_bytes())["refits"])
        except (OSError, TypeError, KeyError, ValueError, RecursionError):
            return []

    def add(self, refit: Refit) -> None:
        kept = [refit, *self.load()][:MOST_REFITS]
        with suppress(OSError):
            write_private(self._file, orjson.dumps({"refits": kept}))


# ---- Calibration in a file of the profile, with its training data and time.


FORMAT = 2


FITTED = ("slope", "offset", "of_logarithm", "asked", "ece")
"""Stored fields of a scale; a shipped one is not stored, so that later versions use their own."""


class CalibrationFile:
    """Calibration of a profile in a file, possibly shared by processes."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def load(self) -> Calibration | None:
        """Load the calibration; None if missing or unreadable."""
        try:
            held, scale = orjson.loads(self._file.read_bytes()), TypeAdapter(Chance | None)
            if held["format"] != FORMAT:
                return None
            return Calibration(
                memories=scale.validate_python(held["memories"]) or SHIPPED_MEMORIES,
                powers=scale.validate_python(held["powers"]) or SHIPPED_POWERS,
                encoder=str(held["encoder"]),
                library=tuple(int(digest) for digest in held["library"]),
                made=float(held["made"]),
            )
        except (OSError, TypeError, KeyError, ValueError):
            return None

    def save(self, calibration: Calibration) -> None:
        """Store the calibration; errors are ignored."""
        held = {
            "format": FORMAT,
            "encoder": calibration.encoder,
            "made": calibration.made,
            "memories": None if calibration.memories.is_shipped else fields_of(calibration.memories, *FITTED),
            "powers": None if calibration.powers.is_shipped else fields_of(calibration.powers, *FITTED),
            "library": calibration.library,
        }
        with suppress(OSError):  # it is fitted again next time
            write_private(self._file, orjson.dumps(held))
