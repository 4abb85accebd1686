"""Tests of team servers with endless or oversized answers: bounded in time, with a message."""

from __future__ import annotations

import sys
from _thread import interrupt_main
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest
from sqlalchemy import text

from app.adapters.local.secrets import FileSecrets
from app.adapters.store.team import joining
from app.adapters.store.team.server import Server
from app.domain.errors import StoreError
from tests.servers.hostile_stores import EARLY, POSTGRES, hostile
from tests.store_servers import needed
from tests.team import Team
from tests.unit.adapters.datastores.test_hostile_stores import bounded


@pytest.mark.parametrize("mode", [*POSTGRES, *EARLY])
def test_that_a_server_that_lies_is_left(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("psycopg")
    monkeypatch.setattr("app.adapters.store.team.driver.SECONDS", 0.2)
    monkeypatch.setattr("app.adapters.store.team.driver.LONGEST_ANSWER", 16_000_000)
    monkeypatch.setattr("app.adapters.store.team.server.CONNECT_SECONDS", 1)
    with hostile("postgres", mode) as port, closing(Server(f"postgresql://me@127.0.0.1:{port}/notes")) as server:
        with pytest.raises(StoreError) as refused, bounded(), server.transaction():
            pass
        assert str(refused.value).isprintable()
        assert "nothing was changed" in str(refused.value)


def test_that_joining_such_a_server_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("psycopg")
    monkeypatch.setattr("app.adapters.store.team.driver.LONGEST_ANSWER", 1_000_000)
    with hostile("postgres", "rows") as port, pytest.raises(StoreError, match="longer than 1,000,000 bytes"), bounded():
        joining.join(tmp_path, FileSecrets(tmp_path / "s.json"), f"postgresql://me@127.0.0.1:{port}/notes", None)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl+C is another thing there")
def test_that_a_statement_that_is_interrupted_ends_on_the_server_too(team: Team) -> None:
    pids: list[object] = []

    def sleep() -> None:
        with team.server.transaction() as connection:
            pids.append(connection.scalar(text("SELECT pg_backend_pid()")))
            Timer(0.2, interrupt_main).start()
            connection.execute(text("SELECT pg_sleep(15)"))

    with pytest.raises(KeyboardInterrupt):
        sleep()
    with team.server.transaction() as connection:
        asked = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid AND query LIKE '%pg_sleep(15)%'")
        assert connection.scalar(asked, {"pid": pids[0]}) == 0
