"""Small files of a profile: private whatever the umask, whole whatever happens, and on the disk."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.adapters.calibration_file import CalibrationFile
from app.adapters.file_secrets import FileSecrets
from app.adapters.private_file import write_private
from app.domain.chance import Calibration
from app.ports import StoreError

KEEPERS: dict[str, Callable[[Path], None]] = {
    "calibration": lambda file: CalibrationFile(file).save(Calibration()),
    "secrets": lambda file: FileSecrets(file).put("a", "b"),
}


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the files that were brought to the disk."""
    sizes: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: sizes.append(os.fstat(handle).st_size))
    return sizes


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
@pytest.mark.usefixtures("open_umask")
@pytest.mark.parametrize("keep", KEEPERS.values(), ids=KEEPERS.keys())
def test_that_nobody_else_may_read_it(tmp_path: Path, keep: Callable[[Path], None]) -> None:
    file = tmp_path / "kept.json"
    file.write_text("{}")
    file.chmod(0o644)
    keep(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("keep", KEEPERS.values(), ids=KEEPERS.keys())
def test_that_it_is_on_the_disk_before_it_takes_the_old_ones_place(
    tmp_path: Path, keep: Callable[[Path], None], synced: list[int]
) -> None:
    file = tmp_path / "kept.json"
    keep(file)
    assert synced == [file.stat().st_size]
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("keep", KEEPERS.values(), ids=KEEPERS.keys())
def test_that_a_full_disk_leaves_the_old_one_and_nothing_beside_it(
    tmp_path: Path, keep: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kept.json"
    keep(file)
    before = file.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with suppress(StoreError):  # which says so, where that matters
        keep(file)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_that_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write_private(tmp_path / "nowhere" / "kept.json", b"{}")
