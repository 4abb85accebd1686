"""What was fitted on a library, in files of the profile: the learned weights, and the scales of `calibrated`."""

from __future__ import annotations

import io
import tokenize
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from app.domain.confidence import SHIPPED_MEMORIES, SHIPPED_POWERS, Calibration, Chance
from app.files import write_private
from app.ports.encoder import Arrays

MOST_BYTES = 2**30
"""What a file may hold once it is unpacked: more was not written here."""

DAMAGED = (
    *(OSError, EOFError, MemoryError, TypeError, ValueError, AttributeError, LookupError, ArithmeticError),
    *(RuntimeError, SyntaxError, tokenize.TokenError, zipfile.BadZipFile, zlib.error),
)
"""What reading a damaged file may raise: several of these stand beside ValueError, not below it."""


class FitFile:
    """One profile's; several programs may share it, and the last to write wins.

    The digests in it have no key, for they tell nothing that is not beside it: they are of taught phrases and labelled
    queries, which the library has in full, and none is of a query that was only asked. What is taught no more goes with
    the next fit.
    """

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


# ---- The scales of `calibrated` in a file of the profile: what they were fitted on, and when, beside them.


FORMAT = 2


class CalibrationFile:
    """One profile's; several programs may share it, and the last to write wins."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def load(self) -> Calibration | None:
        """What is kept; None where nothing is, or it cannot be read."""
        try:
            held = orjson.loads(self._file.read_bytes())
            if held["format"] != FORMAT:
                return None
            return Calibration(
                memories=_chance(held["memories"]) or SHIPPED_MEMORIES,
                powers=_chance(held["powers"]) or SHIPPED_POWERS,
                encoder=str(held["encoder"]),
                library=tuple(int(digest) for digest in held["library"]),
                made=float(held["made"]),
            )
        except (OSError, TypeError, KeyError, ValueError):
            return None

    def save(self, calibration: Calibration) -> None:
        """Keep these; a profile that cannot be written to forgets them."""
        held = {
            "format": FORMAT,
            "encoder": calibration.encoder,
            "made": calibration.made,
            "memories": _document(calibration.memories),
            "powers": _document(calibration.powers),
            "library": calibration.library,
        }
        with suppress(OSError):  # they are fitted anew next time
            write_private(self._file, orjson.dumps(held))


def _document(chance: Chance) -> dict[str, float | int | None] | None:
    """None for a scale that ships with the program, whatever it is by then."""
    if chance.is_shipped:
        return None
    fit = {"slope": chance.slope, "offset": chance.offset, "of_logarithm": chance.of_logarithm}
    return fit | {"asked": chance.asked, "ece": chance.ece}


def _chance(held: dict[str, Any] | None) -> Chance | None:
    if held is None:
        return None
    ece = held["ece"]
    return Chance(
        float(held["slope"]),
        float(held["offset"]),
        asked=int(held["asked"]),
        ece=None if ece is None else float(ece),
        of_logarithm=bool(held["of_logarithm"]),
    )
