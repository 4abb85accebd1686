"""Changes during faults of a team's server.

`python -m tests.torture team --faults` prints a table. Each fault affects a real server in a temporary folder while
Anna and Bernd share a library on it. A row has her message for the affected change, whether it was made, whether
she can repeat it afterwards, and whether both copies and the server are equal in the end, with all acknowledged
changes. Wrong clocks are tested if libfaketime is installed (`pip install libfaketime`).
"""

import importlib.resources
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from random import Random

from app.adapters.secrets import FileSecrets
from app.adapters.store.library import SqlLibrary
from app.adapters.store.team import joining
from app.adapters.store.team.faults import CROWD
from app.adapters.store.team.open_library import open_library
from app.adapters.store.team.server import Server
from app.domain.errors import StoreError
from app.domain.journal import Edit
from app.domain.library import Memory
from tests.store_servers import Postgres, postgres_program

SECONDS = 60.0
TAUGHT = Edit("taught")
CLIENTS, PLACES = 50, 20
"""Number of clients, and of the server's connections."""

MIGRATING = """
import sys, time
from sqlalchemy import create_engine
from app.adapters.store.team.server import Server, history
with create_engine("postgresql+psycopg://", creator=Server(sys.argv[1]).connected).begin() as connection:
    history.upgrade_team(connection)
    print("midway", flush=True)
    time.sleep(600)
"""


SKEWED = """
import sys
from pathlib import Path
from app.adapters.secrets import FileSecrets
from app.adapters.store.team.open_library import open_library
from app.domain.journal import Edit
from app.domain.library import Memory
library = open_library(Path(sys.argv[1]), FileSecrets(Path(sys.argv[1]) / "secrets.json"))
for text in (sys.argv[2], "taken back at once"):
    library.change(Edit("taught"), [Memory((text,))])
print(library.undo().step.at)
library.prune(365)
library.close()
"""
"""Program that adds, undoes the last addition, and prunes old steps, with a wrong clock."""

YEARS = 2


@dataclass(frozen=True)
class Outcome:
    """Outcome of a fault.

    `said` is the message for the affected change, "" for success; `made`: it was made; `again`: the next one was,
    without help; `same`: all copies and the server have all acknowledged changes.
    """

    said: str
    made: bool
    again: bool
    same: bool


@dataclass
class Scene:
    """Team of two on its own server."""

    server: Postgres
    folder: Path
    opened: ExitStack
    acknowledged: list[str] = field(default_factory=list)
    address: str = ""

    def __post_init__(self) -> None:
        self.address = self.address or self.server.address

    def member(self, name: str) -> SqlLibrary:
        folder = self.folder / name
        if not (folder / "joined").exists():
            secrets = FileSecrets(folder / "secrets.json")
            joining.join(folder, secrets, self.address, None)
            (folder / "joined").touch()
        library = open_library(folder, FileSecrets(folder / "secrets.json"))
        self.opened.callback(library.close)
        return library

    def teach(self, library: SqlLibrary, text: str) -> str:
        """Add a memory; return the message of a refusal, or ""."""
        try:
            library.change(TAUGHT, [Memory((text,))])
        except StoreError as error:
            return str(error)
        self.acknowledged.append(text)
        return ""

    def again(self, library: SqlLibrary, text: str = "again") -> bool:
        """Return whether a change succeeds soon, without help."""
        return until(lambda: not self.teach(library, text))

    def outcome(self, said: str, made: str, *libraries: SqlLibrary, again: bool = True) -> Outcome:
        wanted = sorted(self.acknowledged)
        same = until(lambda: all(texts(library) == wanted for library in libraries))
        with_server = sorted(server_texts(self.address)) == wanted
        return Outcome(said, made in wanted, again, same and with_server)


def until(is_so: Callable[[], bool]) -> bool:
    end = time.monotonic() + SECONDS
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def texts(library: SqlLibrary) -> list[str]:
    return sorted(memory.triggers[0] for memory in library.memories())


def server_texts(address: str) -> list[str]:
    server = Server(address)
    try:
        with server.transaction() as connection:
            return list(connection.exec_driver_sql("SELECT text FROM triggers").scalars())
    finally:
        server.close()


@contextmanager
def scene(options: str = "", *, alone: bool = False) -> Iterator[tuple[Scene, SqlLibrary, SqlLibrary]]:
    """Make a scene with Anna and Bernd, who have one memory.

    `alone`: no other profile has joined.
    """
    with ExitStack() as opened, postgres_program() as server, tempfile.TemporaryDirectory() as folder:
        server.make()
        server.start(options)
        made = Scene(server, Path(folder), opened)
        anna = made.member("anna")
        made.teach(anna, "first")
        bernd = anna if alone else made.member("bernd")
        with opened:
            yield made, anna, bernd


def restarted(how: str) -> Outcome:
    """The server is shut down, and restarted after an attempted change."""
    with scene() as (one, anna, bernd):
        one.server.stop(how)
        said = one.teach(anna, "meanwhile")
        one.server.start()
        return one.outcome(said, "meanwhile", anna, bernd, again=one.again(bernd))


def killed() -> Outcome:
    """The server's main process is killed without warning, and restarted."""
    with scene() as (one, anna, bernd):
        os.kill(one.server.pid, signal.SIGKILL)
        said = one.teach(anna, "meanwhile")
        until(lambda: started(one.server))
        return one.outcome(said, "meanwhile", anna, bernd, again=one.again(bernd))


def started(server: Postgres) -> bool:
    """Return whether it started: a killed server's processes may still hold its memory."""
    try:
        server.start()
    except subprocess.CalledProcessError:
        return False
    return True


def cut() -> Outcome:
    """The server ends the connection in the middle of a change."""
    with scene() as (one, anna, bernd):

        def half() -> Iterator[Memory]:
            yield Memory(("meanwhile",))
            server = Server(one.address)
            with server.transaction() as connection:
                connection.exec_driver_sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'"
                )
            server.close()
            yield Memory(("more",))

        said = ""
        try:
            anna.add("memories", half(), TAUGHT)
        except StoreError as error:
            said = str(error)
        return one.outcome(said, "meanwhile", anna, bernd, again=one.again(anna))


def slow() -> Outcome:
    """A statement takes longer than the server allows."""
    with scene() as (one, anna, bernd):
        server = Server(one.address)
        with server.transaction() as connection:
            connection.exec_driver_sql(
                "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql "
                "AS 'BEGIN PERFORM pg_sleep(600); RETURN new; END'"
            )
            connection.exec_driver_sql(
                "CREATE TRIGGER slow BEFORE INSERT ON triggers FOR EACH ROW EXECUTE FUNCTION wait()"
            )
            connection.exec_driver_sql("ALTER DATABASE postgres SET statement_timeout = '50ms'")
        with limited("app.adapters.store.team.server.STATEMENT_MS", 50):
            anna._access._server.let_go()  # type: ignore[attr-defined]
            said = one.teach(anna, "meanwhile")
        with server.transaction() as connection:
            connection.exec_driver_sql("DROP TRIGGER slow ON triggers")
        server.close()
        anna._access._server.let_go()  # type: ignore[attr-defined]
        return one.outcome(said, "meanwhile", anna, bernd, again=one.again(anna))


@contextmanager
def limited(name: str, value: int) -> Iterator[None]:
    """Change a constant of a module in this block."""
    import importlib

    module, _, constant = name.rpartition(".")
    held = importlib.import_module(module)
    before = getattr(held, constant)
    setattr(held, constant, value)
    try:
        yield
    finally:
        setattr(held, constant, before)


def crowded() -> Outcome:
    """More clients than the server allows, at the same time; each retries until it is connected."""
    with scene(f"-c max_connections={PLACES}", alone=True) as (one, anna, _):
        anna.close()
        crowd = [one.folder / f"one {number}" for number in range(CLIENTS)]
        said: set[str] = set()

        def writes(folder: Path) -> None:
            secrets = FileSecrets(folder / "secrets.json")
            ended = time.monotonic() + SECONDS
            while time.monotonic() < ended:
                try:
                    server = Server(one.address)
                    with server.transaction() as connection:
                        connection.exec_driver_sql("SELECT pg_sleep(0.05)")
                    server.close()
                    joining.join(folder, secrets, one.address, None)
                    break
                except StoreError as error:
                    said.add(str(error))
            library = open_library(folder, secrets)
            try:
                until(lambda: one.teach(library, folder.name) == "")
            finally:
                library.close()

        with ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(writes, crowd))
        bernd = one.member("bernd")
        told = sorted(sentence for sentence in said if CROWD in sentence)
        all_in = all(folder.name in one.acknowledged for folder in crowd)
        return one.outcome(next(iter(told), ""), "", bernd, again=all_in)


def failed_over(*, is_behind: bool) -> Outcome:
    """Another server takes over at a second address.

    `is_behind`: its copy lacks the last acknowledged change.
    """
    with ExitStack() as opened, postgres_program() as first, tempfile.TemporaryDirectory() as folder:
        first.make()
        first.start("-c wal_level=replica -c max_wal_senders=4 -c hot_standby=on")
        second = first.beside("second")
        address = f"postgresql://postgres@/postgres?host={first.data},{second.data}&target_session_attrs=read-write"
        one = Scene(first, Path(folder), opened, address=address)
        anna = one.member("anna")
        bernd = one.member("bernd")
        one.teach(anna, "first")
        copied = ("-h", str(first.data), "-U", "postgres", "-X", "stream", "-R", "--no-sync", "-c", "fast")
        second.run("pg_basebackup", *copied)
        (second.data / ".s.PGSQL.5432.lock").unlink()  # that of the first server's socket
        if not is_behind:
            second.start("-c hot_standby=on")
        one.teach(anna, "second")
        if not is_behind:
            until(lambda: "second" in standby_texts(second))
        first.stop()
        said = one.teach(anna, "meanwhile")
        if is_behind:
            (second.data / "standby.signal").unlink()
            second.start()
            until(lambda: "put back" in anna.refusal or "put back" in one.teach(anna, "later"))
            said = one.teach(anna, "later")
            with opened:
                return Outcome(said, "later" in server_texts(address), False, "second" in texts(anna))
        second.run("pg_ctl", "-w", "promote")
        with opened:
            return one.outcome(said, "meanwhile", anna, bernd, again=one.again(anna))


def standby_texts(server: Postgres) -> list[str]:
    import psycopg

    with psycopg.connect(server.address) as connection:
        return [str(text) for (text,) in connection.execute("SELECT text FROM triggers")]


def full() -> Outcome:
    """The disk of the server's tables is full; later there is space again."""
    with scene() as (one, anna, bernd), small_disk(one.server) as disk:
        server = Server(one.address)
        with server.transaction() as connection:
            connection.connection.driver_connection.autocommit = True  # type: ignore[union-attr]
            connection.exec_driver_sql(f"CREATE TABLESPACE small LOCATION '{disk}'")
            connection.exec_driver_sql("ALTER TABLE triggers SET TABLESPACE small")
        server.close()
        (disk / "filler").write_bytes(b"-" * (4 << 20))
        large = Random(1).randbytes(4 << 20).hex()
        said = one.teach(anna, large)
        (disk / "filler").unlink()
        return one.outcome(said, large, anna, bernd, again=one.again(anna))


@contextmanager
def small_disk(server: Postgres) -> Iterator[Path]:
    """Make a disk of a few megabytes; skips without the permission."""
    import pytest

    disk = server.folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m,mode=777", "tmpfs", str(disk)]
    made = subprocess.run(mount, capture_output=True, check=False)
    if made.returncode:
        pytest.skip("only root may make a small disk")
    if server.user is not None:
        shutil.chown(disk, server.user)
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def migrated() -> Outcome:
    """A client is killed while it creates or changes the tables; the next one completes it."""
    with ExitStack() as opened, postgres_program() as server, tempfile.TemporaryDirectory() as folder:
        server.make()
        server.start()
        half = subprocess.Popen([sys.executable, "-c", MIGRATING, server.address], stdout=subprocess.PIPE)
        assert half.stdout is not None
        assert half.stdout.readline() == b"midway\n"
        half.kill()
        half.wait()
        half.stdout.close()
        one = Scene(server, Path(folder), opened)
        anna = one.member("anna")
        said = one.teach(anna, "first")
        bernd = one.member("bernd")
        with opened:
            return one.outcome(said, "first", anna, bernd, again=one.again(bernd))


def skewed() -> Outcome:
    """Two clients with clocks years ahead and behind alternate with one whose clock is right."""
    with scene() as (one, anna, bernd):
        names = [f"{name} {turn}" for turn in range(2) for name in ("ahead", "behind", "right")]
        for name in names:
            who = name.split()[0]
            if who == "right":
                one.teach(anna, name)
                continue
            one.member(who).close()
            at = in_another_year(one.folder / who, name, YEARS if who == "ahead" else -YEARS)
            assert abs(int(at[:4]) - datetime.now(UTC).year) == YEARS, "the clock was wrong"
            one.acknowledged.append(name)
        again = one.again(bernd)
        outcome = one.outcome("", names[0], anna, bernd, again=again)
        order = [one.triggers[0] for one in sorted(bernd.memories(), key=lambda memory: memory.key or 0)]
        years = [step.at[:4] for step in reversed(bernd.steps())]
        assert years != sorted(years), "steps go by their numbers, not by clocks"
        with closing(Server(one.address)) as server, server.transaction() as connection:
            ats = list(connection.exec_driver_sql("SELECT at FROM changes ORDER BY seq").scalars())
        assert ats == sorted(ats), "the log goes by the server's clock"
        return replace(outcome, same=outcome.same and order == ["first", *names, "again"])


def in_another_year(folder: Path, text: str, years: int) -> str:
    """Add this with a clock that is years ahead; return the step's time by it."""
    (there,) = importlib.resources.files("libfaketime").joinpath("vendor/libfaketime/src").glob("libfaketime*.so.1")  # type: ignore[attr-defined]
    clock = {"LD_PRELOAD": str(there), "FAKETIME": f"{years * 365:+}d", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    command = [sys.executable, "-c", SKEWED, str(folder), text]
    return subprocess.run(
        command, env={**os.environ, **clock}, check=True, capture_output=True, text=True, timeout=SECONDS
    ).stdout


FAULTS: dict[str, Callable[[], Outcome]] = {
    "the server is restarted, those who are there first": lambda: restarted("fast"),
    "the server is restarted at once": lambda: restarted("immediate"),
    "the server is killed and started anew": killed,
    "the connection is cut in the middle of a change": cut,
    "a statement takes too long": slow,
    f"{CLIENTS} people at a server for {PLACES} connections": crowded,
    "another server takes over": lambda: failed_over(is_behind=False),
    "one takes over that lacks the last change": lambda: failed_over(is_behind=True),
    "the disk of the server is full": full,
    "a client is killed while it makes the tables": migrated,
}
if find_spec("libfaketime") is not None:  # compiled during installation, which not every machine can do
    FAULTS[f"clocks of clients are {YEARS} years ahead and behind"] = skewed


def main() -> int:
    """Print the table; return 1 if an acknowledged change was lost."""
    lost = 0
    for name, happens in FAULTS.items():
        found = happens()
        print(f"{name}\n    {found.said or 'nothing is said'}")
        print(f"    made: {found.made}, again by itself: {found.again}, all the same: {found.same}", flush=True)
        lost += not found.same
    return int(lost > 0)
