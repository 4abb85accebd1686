"""What was fitted on a library, in files of the profile: the learned weights, and the scales of `calibrated`."""

from __future__ import annotations

import io
import os
import sys
import tokenize
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from app.domain.confidence import SHIPPED_MEMORIES, SHIPPED_POWERS, Calibration, Chance
from app.domain.scope.fits import ChangedDelivery, Compared, FitSource, Refit
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
    """A fit in a file. Several processes may share a profile's: they follow it by its stamp, and fit under its claim.

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

    def stamp(self) -> object:
        """Identity of the file's content, another after each save; None where there is no file."""
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def claim(self) -> Callable[[], None] | None:
        """Claim the right to fit, for this process alone; the function that releases it, None while another has it.

        The lock is the system's own and ends with the process. Where files cannot be locked everybody may fit.
        """
        handle: int | None = None
        try:
            handle = os.open(self._file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
            _lock(handle)
        except BlockingIOError:
            if handle is not None:
                os.close(handle)
            return None
        except OSError:
            if handle is not None:
                os.close(handle)
            return _release_nothing
        own = handle
        return lambda: os.close(own)


def _release_nothing() -> None: ...


def _lock(handle: int) -> None:
    """Lock an open file until it is closed; BlockingIOError while another process has it, OSError without locks."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


# ---- What refits changed: counts, and keys of cases and queries, never their texts.

MOST_REFITS, MOST_LOG_BYTES = 50, 2**22
"""The number of refits that are stored, and the size of a file that is not read."""


class RefitFile:
    """The log of a profile's refits in a file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def load(self) -> list[Refit]:
        """The stored refits, newest first; none where they cannot be read."""
        try:
            if self._file.stat().st_size > MOST_LOG_BYTES:
                return []
            return [_refit(one) for one in orjson.loads(self._file.read_bytes())["refits"]]
        except (OSError, TypeError, KeyError, ValueError, RecursionError):
            return []

    def add(self, refit: Refit) -> None:
        """Store one more; a profile that cannot be written to forgets it."""
        kept = [refit, *self.load()][:MOST_REFITS]
        with suppress(OSError):
            write_private(self._file, orjson.dumps({"refits": [asdict(one) for one in kept]}))


def _refit(held: dict[str, Any]) -> Refit:
    source = held["source"]
    changed = tuple(
        ChangedDelivery(Compared(one["kind"]), int(one["key"]), _names(one["before"]), _names(one["after"]))
        for one in held["changed"]
    )
    return Refit(
        FitSource(int(source["memories"]), int(source["powers"]), int(source["cases"]), float(source["made"])),
        cases=int(held["cases"]),
        queries=int(held["queries"]),
        changed_cases=int(held["changed_cases"]),
        changed_queries=int(held["changed_queries"]),
        changed=changed,
    )


def _names(held: list[Any]) -> tuple[str, ...]:
    return tuple(map(str, held))


# ---- The scales of `calibrated` in a file of the profile: what they were fitted on, and when, beside them.


FORMAT = 2


class CalibrationFile:
    """The scales of a profile in a file; several processes may share it."""

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
