"""Full disks, and damaged or foreign files: a message, and nothing half done."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from sqlalchemy import NullPool

from app.adapters.store import connections
from app.adapters.store.library import SqlLibrary
from app.domain.errors import KnownError
from app.domain.journal import Edit
from app.domain.library import Memory
from app.files import write_private
from db import upgrade
from tests.torture.attempts import Attempt, FellError, Round, expect
from tests.torture.kill import Say, killed, said

LARGE = "x" * 3_000


def filled(folder: Path, count: int = 60) -> None:
    library = SqlLibrary.open(folder)
    library.change(Edit("taught"), [Memory((f"phrase {n}",), response=LARGE) for n in range(count)])
    library.close()


def triggers(folder: Path) -> set[str]:
    """Return the triggers of a library, which must be intact."""
    with closing(sqlite3.connect(folder / "library.db")) as connection:
        expect(connection.execute("PRAGMA integrity_check").fetchone() == ("ok",), "the library is damaged")
    library = SqlLibrary.open(folder)
    if any(step.undone for step in library.steps()):
        library.redo()  # it ended between an undo and its redo
    held = {memory.triggers[0] for memory in library.memories()}
    library.close()
    return held


def everything(library: SqlLibrary) -> None:
    library.memories(), library.powers(), library.rules(), library.cases(), library.steps(), library.setting_values()
    library.facets(), library.counts(), library.binned()


# -------------------------------------------------------------------------------------------------------------- full


def teach_until_refused(folder: Path, say: Say) -> None:
    """Report each stored memory until the store refuses one.

    The last report is "refused", or "crashed" for other errors.
    """
    library = SqlLibrary.open(folder)
    ending = "crashed"
    try:
        for number in range(400):
            library.change(Edit("taught"), [Memory((f"new {number}",), response=LARGE)])
            say(f"new {number}")
            if number % 5 == 4:
                library.undo()
                library.redo()
        ending = "ended"
    except KnownError:
        ending = "refused"
    finally:
        say(ending)


def verdict(lines: list[str], held: set[str]) -> str:
    expect(lines and lines[-1] in {"refused", "ended"}, f"it ended otherwise: {lines[-1:]}")
    lost = [line for line in lines[:-1] if line not in held]
    expect(not lost, f"acknowledged, and lost: {lost}")
    return lines[-1]


def full_disk(round_: Round) -> str:
    """A disk of a few hundred kilobytes fills up while memories are added."""
    disk = round_.folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={round_.chance.randrange(400, 1_200)}k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        return "no leave to mount"
    try:
        lines = said(lambda say: opened_late(disk / "profile", say))
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        return verdict(lines, triggers(disk / "profile"))
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def opened_late(folder: Path, say: Say) -> None:
    """Do the same from the first opening on, which a full disk may refuse, too."""
    try:
        filled(folder, 20)
    except KnownError:
        say("refused")
        return
    teach_until_refused(folder, say)


def largest_file(round_: Round) -> str:
    """The system refuses every write beyond a random position of a file."""
    folder = round_.folder / "profile"
    filled(folder, 5)
    size = (folder / "library.db").stat().st_size
    most = round_.chance.randrange(0, size + 400_000)

    def work(say: Say) -> None:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        try:
            SqlLibrary.open(folder).close()
        except KnownError:
            say("refused")
            return
        teach_until_refused(folder, say)

    return verdict(said(work), triggers(folder))


def small_files(round_: Round) -> str:
    """A small file of the profile is written on a full disk: the old one stays."""
    file, old = round_.folder / "calibration.json", b"old" * 1_000
    new = round_.chance.randbytes(round_.chance.randrange(1, 60_000))
    write_private(file, old)
    most = round_.chance.randrange(0, 60_000)

    def work(say: Say) -> None:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        try:
            write_private(file, new)
        except OSError:
            say("refused")
        else:
            say("written")

    (ending,) = said(work)
    expect(file.read_bytes() == (new if ending == "written" else old), f"{ending}, and the file is another")
    expect(sorted(os.listdir(round_.folder)) == [file.name], "something was left beside it")
    return ending


# ------------------------------------------------------------------------------------------------------ harmed at rest


def flipped(round_: Round) -> str:
    """Changed bytes anywhere in the file: it is read or refused, without a crash."""
    folder, chance = round_.folder / "profile", round_.chance
    filled(folder)
    file = folder / "library.db"
    content = bytearray(file.read_bytes())
    for _ in range(chance.choice((1, 1, 3, 40))):
        content[chance.randrange(len(content))] = chance.randrange(256)
    if chance.random() < 0.3:
        del content[chance.randrange(len(content)) :]
    file.write_bytes(content)
    try:
        library = SqlLibrary.open(folder)
    except KnownError as error:
        expect(str(error).endswith("."), f"no sentence: {error}")
        expect(file.read_bytes() == bytes(content), "refused, and yet changed")
        return "refused"
    try:
        everything(library)
        library.change(Edit("taught"), [Memory(("one more",))])
        return "read"
    except KnownError:
        return "read in part"
    finally:
        library.close()


def other_schema(round_: Round) -> str:
    """A library of a newer program, or another program's database, stays unchanged."""
    folder = round_.folder / "profile"
    filled(folder, 3)
    file = folder / "library.db"
    change = round_.chance.choice(
        ("UPDATE alembic_version SET version_num='9999'", "DROP TABLE alembic_version", "DELETE FROM alembic_version")
    )
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(change)
        connection.commit()
    before = file.read_bytes()
    try:
        SqlLibrary.open(folder).close()
    except KnownError:
        expect(file.read_bytes() == before, "refused, and yet changed")
        return "refused"
    raise FellError(f"opened after {change}")


def old_upgrade(round_: Round) -> str:
    """The upgrade of an older library is killed at some moment; the next one completes it."""
    folder, revision = round_.folder / "profile", round_.chance.choice(upgrade.REVISIONS[:-1])
    folder.mkdir(mode=0o700)
    engine = connections.engine(folder / "library.db", "BEGIN IMMEDIATE", connections.MIGRATING, NullPool)
    with engine.begin() as connection:
        upgrade.upgrade(connection, revision)
        connection.exec_driver_sql("INSERT INTO settings (key, value) VALUES ('matches', '7')")

    def work(say: Say) -> None:
        say("begun")
        SqlLibrary.open(folder).close()
        say("done")

    lines = killed(work, round_.chance, 0.3)
    library = SqlLibrary.open(folder)
    kept = library.setting_values()
    everything(library)
    library.close()
    expect(kept == {"matches": "7"}, f"what the old one held is {kept}")
    expect(not list(folder.glob("**/*.part")) or "done" not in lines, "half a copy was left")
    return "upgraded before the kill" if "done" in lines else "finished by the next"


# ---------------------------------------------------------------------------------------------------- harmed while open


def truncated(file: Path) -> None:
    with file.open("rb+") as stream:
        stream.truncate(file.stat().st_size // 2)


def scribbled(file: Path) -> None:
    with file.open("rb+") as stream:
        stream.seek(4_096)
        stream.write(b"\xff" * 40_000)


def replaced(file: Path) -> None:
    other = file.with_name("other")
    filled(other, 2)
    (other / "library.db").replace(file)


HARMS: dict[str, Callable[[Path], object]] = {
    "truncated": truncated,
    "written over": scribbled,
    "replaced": replaced,
    "removed": Path.unlink,
    "renamed": lambda file: file.rename(file.with_name("library.old")),
    "without its log": lambda file: file.with_name("library.db-wal").unlink(),
}


def harmed(harm: Callable[[Path], object], round_: Round) -> str:
    """A file changes under an open library: later acknowledged writes are stored, or none."""
    folder = round_.folder / "profile"
    filled(folder)
    library = SqlLibrary.open(folder)
    library.change(Edit("taught"), [Memory(("before",))])
    harm(folder / "library.db")
    kept: list[str] = []
    try:
        for number in range(3):
            library.change(Edit("taught"), [Memory((f"after {number}",))])
            kept.append(f"after {number}")
        everything(library)
    except KnownError as error:
        expect(str(error).endswith("."), f"no sentence: {error}")
    finally:
        library.close()
    if not kept:
        return "refused"
    try:
        held = triggers(folder)
    except (KnownError, sqlite3.Error, FellError):
        return "damaged by the harm"  # cannot be repaired, as the bytes are gone
    expect(set(kept) <= held, f"acknowledged after the harm, and lost: {set(kept) - held}")
    return "kept"


ATTEMPTS = [
    Attempt("disk", "a small disk that fills", full_disk, 4),
    Attempt("disk", "no write beyond a random place of a file", largest_file, 2),
    Attempt("disk", "a small file on a full disk", small_files),
    Attempt("disk", "bytes flipped and cut at rest", flipped),
    Attempt("disk", "a newer, another and a nameless schema", other_schema, 2),
    Attempt("disk", "an upgrade that is killed", old_upgrade, 2),
    *(Attempt("disk", f"a library {name} while it is open", partial(harmed, harm), 2) for name, harm in HARMS.items()),
]

if sys.platform == "win32":
    ATTEMPTS = []
