"""Tests of safe writing: not through links, not over others' files, and without leftovers."""

import errno
import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import files
from tests.waiting import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and owners of POSIX")

as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can make foreign files")
NOBODY = 65534


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with a protected file, and the current folder for the attempts."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "rc").write_text("mine")
    (tmp_path / "here").mkdir()
    return tmp_path


@pytest.fixture
def pattern() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def untouched(folder: Path) -> bool:
    return (folder / "home" / "rc").read_text() == "mine" and not list(folder.rglob("*.part"))


# ---- links


@pytest.mark.parametrize("led", ["../home/rc", "../home/new", "../home", "x", "/dev/null", "/dev/stdout"])
def test_that_a_link_is_refused_wherever_it_leads(folder: Path, led: str) -> None:
    link = folder / "here" / "x"
    link.symlink_to(led)
    for write in (files.write, files.write_private):
        with pytest.raises(files.UnsafeTargetError, match=r"it is a link to .*: name that file, or remove the link"):
            write(link, b"theirs")
    with pytest.raises(files.UnsafeTargetError), files.writing(link) as stream:
        stream.write(b"theirs")
    with pytest.raises(files.UnsafeTargetError):
        files.read(link, 10)
    assert untouched(folder)
    assert link.is_symlink()
    assert not (folder / "home" / "new").exists()


def test_that_a_relative_path_leads_through_no_link(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder / "here")
    Path("out").symlink_to("../home")
    for name in ("out/rc", "out/new", "out/../out/rc", "./out/rc"):
        with pytest.raises(
            files.UnsafeTargetError, match=r"“out” is a link to \.\./home: give the path of that folder"
        ):
            files.write(Path(name), b"theirs")
    with pytest.raises(files.UnsafeTargetError):
        files.make_folder(Path("out/below"))
    assert sorted(os.listdir(folder / "home")) == ["rc"]
    files.write(Path("../home/new"), b"wanted")
    assert (folder / "home" / "new").read_bytes() == b"wanted"


def test_that_a_folder_named_by_its_whole_path_may_be_ones_own_link(folder: Path) -> None:
    (folder / "out").symlink_to("here/deep")
    (folder / "here" / "deep").symlink_to(folder / "home")
    files.write(folder / "out" / "new", b"wanted")
    assert (folder / "home" / "new").read_bytes() == b"wanted"


def test_that_links_in_a_circle_end(folder: Path) -> None:
    (folder / "a").symlink_to("b")
    (folder / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        files.write(folder / "a" / "x", b"theirs")


@as_root
def test_that_another_users_links_and_files_are_refused(folder: Path) -> None:
    here = folder / "here"
    (here / "out").symlink_to(folder / "home")
    os.chown(here / "out", NOBODY, NOBODY, follow_symlinks=False)
    with pytest.raises(files.UnsafeTargetError, match="“out” is another user's link to"):
        files.write(here / "out" / "rc", b"theirs")
    (here / "theirs").write_text("theirs")
    os.mkfifo(here / "pipe")
    for name in ("theirs", "pipe"):
        os.chown(here / name, NOBODY, NOBODY)
        for opened in (files.replacing, files.writing):
            with pytest.raises(files.UnsafeTargetError), opened(here / name):
                pytest.fail("opened")
    assert untouched(folder)
    assert (here / "theirs").read_text() == "theirs"


# ---- pipes and devices


def test_that_pipes_devices_and_folders_are_refused_without_waiting(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    for place, why in ((folder / "pipe", "a pipe"), (Path("/dev/null"), "a device"), (folder / "here", "directory")):
        with pytest.raises(OSError, match=why):
            files.write(place, b"x")
        with pytest.raises(OSError, match=why):
            files.read(place, 10)
    assert untouched(folder)


def test_that_named_streams_are_written_to_directly(folder: Path) -> None:
    reading, writing = os.pipe()
    for name in (f"/dev/fd/{writing}", f"/proc/self/fd/{writing}", "/dev/null"):
        if Path(name).exists():
            with files.writing(Path(name)) as stream:
                stream.write(b"said")
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        assert stream.read() in (b"said", b"saidsaid")


def test_that_a_pipe_is_written_to_once_somebody_reads(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    later = threading.Timer(0.05, reader.start)
    later.start()
    with files.writing(pipe) as stream:
        stream.write(b"x" * 200_000)
    later.join()
    reader.join(PATIENCE)
    assert found == [b"x" * 200_000]
    monkeypatch.setattr(files, "PIPE_SECONDS", 0.05)
    with pytest.raises(files.UnsafeTargetError, match="no program reads"), files.writing(pipe):
        pytest.fail("opened")


# ---- modes and drafts


@pytest.mark.usefixtures("pattern")
def test_that_modes_are_kept_private_or_usual(folder: Path) -> None:
    file = folder / "here" / "x"
    seen: list[int] = []
    for mode in (None, files.PRIVATE, None):
        with files.replacing(file, mode=mode) as stream:
            (draft,) = (folder / "here").glob(".x.*.part")
            assert stat.S_IMODE(draft.stat().st_mode) & 0o077 == (
                0 if mode or (file.exists() and seen[-1] == 0o600) else 0o044
            )
            stream.write(b"said")
        seen.append(stat.S_IMODE(file.stat().st_mode))
    assert seen == [0o644, 0o600, 0o600]


def test_that_a_draft_prepared_by_somebody_is_never_opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = folder / "here"
    monkeypatch.setattr(os, "urandom", bytes)  # unpredictable names are predicted
    (here / f".x.{bytes(8).hex()}.part").symlink_to("../home/rc")
    with pytest.raises(FileExistsError):
        files.write(here / "x", b"theirs")
    assert (folder / "home" / "rc").read_text() == "mine"
    assert not (here / "x").exists()


def test_that_what_happens_while_it_is_written_decides(folder: Path) -> None:
    file = folder / "here" / "x"

    def linked() -> None:
        with files.replacing(file):
            file.symlink_to("../home/rc")

    def exchanged() -> None:
        with files.replacing(file):
            (draft,) = (folder / "here").glob(".x.*")
            draft.unlink()
            draft.write_text("another's")

    with pytest.raises(files.UnsafeTargetError, match="it is a link"):
        linked()
    file.unlink()
    with pytest.raises(files.UnsafeTargetError, match="replaced its draft"):
        exchanged()
    assert not file.exists()
    moved = folder / "moved"
    with files.replacing(file) as stream:
        stream.write(b"said")
        (folder / "here").rename(moved)
        (folder / "here").symlink_to("home")
    assert (moved / "x").read_bytes() == b"said", "the folder that was opened, not what took its name"
    assert sorted(os.listdir(folder / "home")) == ["rc"]


def test_that_a_failure_leaves_the_old_file_and_no_draft(folder: Path) -> None:
    def half() -> None:
        with files.replacing(folder / "home" / "rc") as stream:
            stream.write(b"half")
            raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        half()
    assert untouched(folder)


@pytest.mark.parametrize("name", ["x" * 255, "ä" * 127, "new\nline", "[x]*", ".part", "\udcff"])
def test_that_every_name_of_a_file_has_its_draft(folder: Path, name: str) -> None:
    files.write(folder / "here" / name, b"said")
    assert os.listdir(folder / "here") == [name]
    with files.replacing(folder / "here" / name):
        assert len(os.listdir(folder / "here")) == 2


KILLED = """
import os, sys, pathlib
from app import files
with files.replacing(pathlib.Path(sys.argv[1])) as stream:
    stream.write(b"half")
    stream.flush()
    print("begun", flush=True)
    sys.stdin.read()
"""


def test_that_drafts_go_once_their_program_has_ended_and_no_earlier(folder: Path) -> None:
    file = folder / "here" / "x"
    others = (".y.0123456789abcdef.part", ".x.part", ".x.0123.part", "x.0123456789abcdef.part")
    for name in others:
        (file.parent / name).touch()
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        assert files.remove_abandoned(file.parent, "x") == []
        files.write(file, b"said")
        (draft,) = (one for one in file.parent.glob(".x.*.part") if one.name not in others)
        writer.kill()
    assert draft.exists()
    files.write(file, b"said")
    assert sorted(os.listdir(file.parent)) == sorted((*others, "x")), "nobody else's"
    assert files.remove_abandoned(file.parent) == [".y.0123456789abcdef.part"], "all that look like drafts"
    assert re.fullmatch(r"\.x\.[0-9a-f]{16}\.part", draft.name)


def test_that_folders_are_made_and_read_from(folder: Path) -> None:
    files.make_folder(folder / "a" / "b")
    files.write(folder / "a" / "b" / "x", b"said")
    assert files.read(folder / "a" / "b" / "x", 3) == b"sai"
    assert files.read(folder / "a" / "none" / "x", 3) is None
    assert files.read(folder / "a" / "b" / "none", 3) is None
    files.remove(folder / "a" / "b" / "x")
    files.remove(folder / "a" / "b" / "x")
    assert not os.listdir(folder / "a" / "b")


# ---- temporary folders

HOLDER = """
import pathlib, sys
from app import files
place = files.TemporaryFolder(pathlib.Path(sys.argv[1]))
(place.path / "below").mkdir()
(place.path / "below" / "library.db").write_bytes(b"private")
print(place.path, flush=True)
sys.stdin.read()
"""


def test_that_a_temporary_folder_is_its_owners_and_goes(folder: Path) -> None:
    place = files.TemporaryFolder(folder / "here")
    with place as path:
        assert path.parent == folder / "here"
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
        (path / "below").mkdir()
        (path / "below" / "x").touch()
        assert files.remove_abandoned(folder / "here") == [], "this very program uses it"
    place.leave()
    assert not os.listdir(folder / "here")


def test_that_temporary_folders_go_once_their_program_has_ended_and_no_earlier(folder: Path) -> None:
    here = folder / "here"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(here)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        left = Path(holder.stdout.readline().strip())
        assert files.remove_abandoned(here) == []
        assert (left / "below" / "library.db").exists()
        holder.kill()
    assert (left / "below" / "library.db").exists()
    (left / files.LOCK).rename(here / "aside")
    files.TemporaryFolder(here).leave()
    assert left.exists(), "what has no lock is only being made, or nobody's"
    (here / "aside").rename(left / files.LOCK)
    (left.parent / ".intentscope-abcdefgh").mkdir()  # left by a program that was killed before it locked it
    assert sorted(files.remove_abandoned(here)) == sorted([left.name, ".intentscope-abcdefgh"])
    assert not os.listdir(here)


def test_that_only_folders_of_ones_own_are_removed(folder: Path) -> None:
    here, planted = folder / "here", folder / "home" / "lock"
    planted.touch()
    (here / ".intentscope-aaaaaaaa").symlink_to("../home")
    (here / ".intentscope-bbbbbbbb").mkdir()
    (here / ".intentscope-bbbbbbbb" / "lock").symlink_to(planted)
    (here / ".intentscope-cccccccc").mkdir()
    os.mkfifo(here / ".intentscope-cccccccc" / "lock")
    (here / ".intentscope-dddddddd").write_text("a file")
    os.mkfifo(here / ".x.0123456789abcdef.part")
    (here / ".y.0123456789abcdef.part").symlink_to(planted)
    before = sorted(os.listdir(here))
    assert files.remove_abandoned(here) == []
    assert sorted(os.listdir(here)) == before
    assert sorted(os.listdir(folder / "home")) == ["lock", "rc"]


@as_root
def test_that_another_users_leavings_stay(folder: Path) -> None:
    left = folder / "here" / ".intentscope-aaaaaaaa"
    left.mkdir()
    (left / "lock").touch()
    draft = folder / "here" / ".x.0123456789abcdef.part"
    draft.touch()
    for path in (left, left / "lock", draft):
        os.chown(path, NOBODY, NOBODY)
    assert files.remove_abandoned(folder / "here") == []
    assert draft.exists()
    assert (left / "lock").exists()


def test_that_what_is_moved_is_held_to_the_same(folder: Path) -> None:
    source = folder / "made"
    source.write_bytes(b"said")
    (folder / "here" / "x").symlink_to("../home/rc")
    with pytest.raises(files.UnsafeTargetError):
        files.move(source, folder / "here" / "x")
    (folder / "here" / "x").unlink()
    files.move(source, folder / "here" / "x")
    assert (folder / "here" / "x").read_bytes() == b"said"
    assert not source.exists()
    assert stat.S_IMODE((folder / "here" / "x").stat().st_mode) == 0o600


def test_that_a_file_moves_to_another_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace, tried = os.replace, [0]

    def between_disks(*words: Any, **named: Any) -> None:
        tried[0] += 1
        if tried[0] == 1:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        replace(*words, **named)

    monkeypatch.setattr(os, "replace", between_disks)
    (folder / "made").write_bytes(b"said")
    files.move(folder / "made", folder / "here" / "x")
    assert (folder / "here" / "x").read_bytes() == b"said"
    assert os.listdir(folder / "here") == ["x"]
    assert not (folder / "made").exists()


@pytest.mark.parametrize(
    ("mode", "shared"), [(0o700, False), (0o755, False), (0o1777, False), (0o777, True), (0o775, True)]
)
def test_that_a_folder_where_others_can_replace_files_is_told(folder: Path, mode: int, shared: bool) -> None:
    (folder / "here").chmod(mode)
    assert files.is_shared(folder / "here") is shared
