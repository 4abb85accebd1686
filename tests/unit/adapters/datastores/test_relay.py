"""Tests of the relay before PostgreSQL: the same servers and password as libpq's."""

from __future__ import annotations

import socket
import sys
from contextlib import closing
from pathlib import Path

import pytest

from app.domain.errors import DataStoreGoneError
from tests.store_servers import free_ports

pytest.importorskip("psycopg", reason="`python3 packaging/develop.py test` installs psycopg")
from app.adapters.datastores.postgres import PostgresStore
from app.adapters.datastores.relay import Place, Relay, password_of

AT = Place("db.example", "db.example", "5432")


def test_that_a_socket_is_found_by_its_folder_and_port() -> None:
    assert Place("/run/pg", "/run/pg", "6").path == "/run/pg/.s.PGSQL.6"
    assert Place("@pg", "@pg", "6").path == "\0pg/.s.PGSQL.6"
    assert AT.path == ""


@pytest.mark.skipif(sys.platform == "win32", reason="it has no modes of files")
@pytest.mark.parametrize(
    ("lines", "password"),
    [
        ("db.example:5432:notes:me:open sesame", "open sesame"),
        ("*:*:*:me:any", "any"),
        ("# comment\nother:5432:notes:me:no\ndb.example:*:notes:me:yes\n*:*:*:*:late", "yes"),
        (r"db.example:5432:notes:me:a\:b\\c", r"a:b\c"),
        ("db.example:5433:notes:me:other port", None),
        ("db.example:5432:notes", None),
        ("", None),
    ],
)
def test_that_the_password_of_a_server_is_looked_up_by_its_own_port(
    tmp_path: Path, lines: str, password: str | None
) -> None:
    file = tmp_path / "pgpass"
    file.write_text(lines)
    file.chmod(0o600)
    settings = {"passfile": str(file), "user": "me", "dbname": "notes"}
    assert password_of(settings, AT) == password
    assert password_of({**settings, "password": "told"}, AT) is None
    file.chmod(0o644)
    assert password_of(settings, AT) is None  # libpq ignores a file that others may read
    assert password_of({**settings, "passfile": str(tmp_path / "none")}, AT) is None


def test_that_an_unreachable_server_is_told_by_its_own_port() -> None:
    (port,) = free_ports(1)
    with (
        closing(PostgresStore(f"postgresql://me@127.0.0.1:{port}/notes", "one")) as store,
        pytest.raises(DataStoreGoneError, match=f"port {port} failed: ") as refused,
    ):
        store.stored_states()
    assert "127.0.0.1" in str(refused.value)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such sockets")
def test_that_nobody_else_reaches_the_relay_of_a_server_on_a_socket(tmp_path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as server, closing(Relay()) as relay:
        server.bind(str(tmp_path / ".s.PGSQL.6"))
        server.listen()
        near = relay.lead_to(Place(str(tmp_path), str(tmp_path), "6"), 5.0)
        folder = Path(near["host"])
        assert near["hostaddr"] == ""
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (folder / f".s.PGSQL.{near['port']}").is_socket()
    assert not folder.exists()
