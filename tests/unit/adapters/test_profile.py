"""Tests of a profile's small files and secrets: private, atomic, durable; and of returned memory."""

import logging
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from app.adapters.encoders.learned_files import CalibrationFile, FitFile
from app.adapters.encoders.vector_cache import VectorCache
from app.adapters.formats.csv_tables import ColumnMappings
from app.adapters.library_folder import SyncStateFiles
from app.adapters.machine import release_memory, resident_bytes
from app.adapters.secrets import LOCK, FileSecrets, secret_key
from app.adapters.store.library import SqlLibrary
from app.domain.confidence import Calibration
from app.domain.encoder import Provenance
from app.domain.errors import StoreError
from app.domain.journal import Edit
from app.domain.library import Power, Transport
from app.files import write_private
from app.gui.kit.tables import table_columns
from app.gui.scope import dock_layout
from app.gui.shell import file_opener
from app.gui.shell.report_box import BlackBox
from app.ports.folder import SyncState
from app.services.engine.adapters import ColumnMapping
from app.surfaces.cli.instance import acquire_window_lock
from tests.build import some
from tests.waiting import PATIENCE

KEEPERS: dict[str, Callable[[Path], None]] = {
    "calibration": lambda file: CalibrationFile(file).save(Calibration()),
    "what was learned": lambda file: FitFile(file).save({"about": np.zeros(1, np.uint8)}),
    "secrets": lambda file: FileSecrets(file).put("a", "b"),
}


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Record the sizes of files that were synced to disk."""
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
    assert synced[0] == file.stat().st_size
    assert set(tmp_path.iterdir()) - {tmp_path / LOCK} == {file}


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
    with suppress(StoreError):  # which raises where it matters
        keep(file)
    assert file.read_bytes() == before
    assert set(tmp_path.iterdir()) - {tmp_path / LOCK} == {file}


def test_that_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write_private(tmp_path / "nowhere" / "kept.json", b"{}")


def everything_kept(profile: Path) -> None:
    """Make each part of the product store its data in a profile."""
    library = SqlLibrary.open(profile)
    library.change(Edit("taught"), [Power("gh", transport=Transport("npx", env={"TOKEN": "hush"}))])
    CalibrationFile(profile / "calibration.json").save(Calibration())
    ColumnMappings(profile / "columns.json").put(("a", "b"), ColumnMapping("memories", {"a": "triggers"}))
    SyncStateFiles(profile / "folders").put(profile, SyncState())
    VectorCache(profile / "cache").save(Provenance("encoder", "1", 1), {"ids": np.zeros(1, np.int64)})
    dock_layout.write(dock_layout.Arrangement({}, {}), profile / dock_layout.FILE)
    table_columns.write(profile / table_columns.FILE, "memories", table_columns.TableLook())
    file_opener.write([profile], profile / file_opener.FILE)
    write_private(profile / "updates.json", b"{}", waits=False)
    library.close()


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_that_all_that_is_kept_in_a_profile_is_its_owners_alone(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    profile.mkdir(mode=0o755)
    before, box = os.umask(0o022), BlackBox(profile)
    try:
        found = some(acquire_window_lock(profile))
        found.listen(lambda _: True)
        box.open()
        logging.getLogger("app").info("a line")
        everything_kept(profile)
        assert profile.stat().st_mode & 0o777 == 0o700, "the window was here first"
        open_modes = {path.name: oct(path.stat().st_mode) for path in profile.rglob("*") if path.stat().st_mode & 0o077}
        assert open_modes == {}
        assert len(list(profile.rglob("*"))) >= 16, "there is something to look at"
    finally:
        os.umask(before)
        box.close()
        if found is not None:
            found.release()


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_that_a_library_others_could_read_is_closed_to_them_with_its_folder(tmp_path: Path) -> None:
    SqlLibrary.open(tmp_path).close()
    for each in (
        "window.lock",
        "engine-1.sock",
        ".engine-2.address.9.part",
        "tables.json",
        "panes.json",
        ".recent.json.17.part",
    ):
        (tmp_path / each).touch()
    (tmp_path / "folders").mkdir()
    tmp_path.chmod(0o755)
    (tmp_path / "library.db").chmod(0o644)
    library = SqlLibrary.open(tmp_path)
    library.put_settings({"theme": "dark"})
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("library.db*")}
    assert modes == {"library.db": 0o600, "library.db-wal": 0o600, "library.db-shm": 0o600}
    assert tmp_path.stat().st_mode & 0o777 == 0o700
    library.close()


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_that_it_is_closed_also_where_the_c_library_cannot_leave_links_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile, other = tmp_path / "profile", tmp_path / "other"
    SqlLibrary.open(profile).close()
    other.touch()
    other.chmod(0o644)
    (profile / "library.db").chmod(0o644)
    (profile / "library.db-journal").symlink_to(other)
    chmod = os.chmod

    def without_proc(path: Path, mode: int, *, follow_symlinks: bool = True) -> None:
        if not follow_symlinks:
            raise NotImplementedError("chmod: follow_symlinks unavailable on this platform")
        chmod(path, mode)

    monkeypatch.setattr(os, "chmod", without_proc)
    SqlLibrary.open(profile).close()
    assert (profile / "library.db").stat().st_mode & 0o777 == 0o600
    assert other.stat().st_mode & 0o777 == 0o644, "a link's target is not ours"


def test_that_a_key_is_made_once_however_many_want_it_at_the_same_time(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(secret_key, [tmp_path / "key"] * 8))
    assert keys == {(tmp_path / "key").read_bytes()}


def test_that_a_key_is_on_the_disk_before_it_is_used(tmp_path: Path, synced: list[int]) -> None:
    secret_key(tmp_path / "key")
    assert 32 in synced


MEGABYTE = 1 << 20


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells its memory in a file")
def test_that_what_was_freed_goes_back_to_the_system() -> None:
    blocks = [bytes(2000) for _ in range(100_000)]
    held = resident_bytes()
    # Every hundredth block stays, like memories among the rows read: the heap cannot simply shrink.
    kept = blocks[::100]
    del blocks
    release_memory()
    left = resident_bytes()
    assert held is not None
    assert left is not None
    assert held - left > 100 * MEGABYTE
    assert len(kept) == 1000


PROJECT = Path(__file__).parents[3]
TELL = "import sys; from pathlib import Path; from app.adapters.secrets import KeyringSecrets; "
TELL += "print(KeyringSecrets(Path(sys.argv[1]))._service)"


def test_that_a_name_that_the_locale_cannot_read_names_the_same_secrets(tmp_path: Path) -> None:
    profile = tmp_path / "pröfil"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [os.fsencode(sys.executable), b"-c", TELL.encode(), os.fsencode(profile)]
    done = subprocess.run(command, capture_output=True, cwd=PROJECT, env=environment, timeout=PATIENCE, check=True)
    wanted = sha256(str(profile).encode()).hexdigest()[:12]
    assert done.stdout.decode().strip() == f"intentscope {wanted}"
