"""Tests of joining and leaving a team: both sides are equal afterwards, or unchanged."""

import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select
from sqlalchemy import text as sql

from app.adapters.store.library import SqlLibrary
from app.adapters.store.team import joining, server
from app.adapters.store.team.joining import _split
from app.adapters.store.team.library import PASSWORD
from app.adapters.store.team.server import Server
from app.adapters.store.team.wire import LOCAL
from app.domain.case import Case, Task
from app.domain.errors import StoreError
from app.domain.intent import Rule
from app.domain.journal import Edit, ItemKind
from app.domain.library import Memory, Moving, Power, Tool, Transport
from db.team import SERVER, TABLES
from tests.team import Team
from tests.waiting import PATIENCE

ITEMS = (Memory(("a\0b", "c"), id="m"), Power("p", approved=True), Rule("r", "howto", "how", "mine", 1))

ODD = ("", "\0", "\0\0a", "\ue000", "\ue0000", "\ue0001\0", "\\N", "\\.", "\\x00", "\t\r\n\v\x1f\x7f",
       "é e\u0301 \U0010ffff", "'\";--%s%(a)s{}", "\u202e\u2028\ufeff", "\ud800 \udc80", "long " * 19_000)  # fmt: skip
"""Texts that a format, a driver or a server may misread."""


def odd(library: SqlLibrary) -> None:
    """Add, edit and delete items with odd texts and numbers in every field."""
    edit = Edit("taught", ODD[4])
    for number, text in enumerate(ODD):
        memory = Memory(
            (f"first {number}{text}", f"{text}."),
            id=f"m{number}{text[:99]}",
            intent=text or None,
            response=text,
            tags=(text, '["'),
            success=number / 17,
            usage=2**31 + number,
            paused=number % 2 == 1,
            valid_from="2024-02-29",
            valid_to="9999-12-31",
            replaces=(text,),
        )
        transport = Transport(f"npx{text}", (text,), {f"K{number}": "value"})
        power = Power(f"p{number}{text}", text, (text,), text, (Tool("t", text),), (text,), transport)
        rule = Rule(f"r{number}{text}", "howto", f"how {number}", f"mine{text}", number, weight=1 / 3, confidence=0.1)
        library.change(edit, [memory, power, rule])
        library.add("cases", [Case(f"case {number}{text}", (text,), Task.INTENT, unwanted=(text,))], edit)
        library.change(Edit("edited"), [replace(library.memories()[-1], response=f"{text}, edited")])
    library.change(Edit("deleted"), gone=[(ItemKind.MEMORY, 1), (ItemKind.POWER, 2), (ItemKind.RULE, 3)])
    library.change(Edit("deleted"), gone=[(ItemKind.MEMORY, 4)])
    library.undo()


def rows(folder: Path, *without: str) -> dict[str, list[str]]:
    """Return all rows of the tables that a team shares, as SQLite stores them."""
    with closing(sqlite3.connect(folder / "library.db")) as connection:
        connection.row_factory = sqlite3.Row
        found = {name: connection.execute(str(table.select())).fetchall() for name, table in LOCAL.items()}
    return {
        name: sorted(repr([pair for pair in dict(row).items() if pair[0] not in without]) for row in found[name])
        for name in TABLES
    }


def test_that_every_row_comes_back_as_it_went(team: Team, tmp_path: Path) -> None:
    hers, his = tmp_path / "hers", tmp_path / "his"
    with closing(taught(team, hers)) as library:
        odd(library)
    before, theirs = rows(hers), rows(hers, "author", "approved", "state")
    theirs["steps"] = [step for step in theirs["steps"] if "('verb', 'set')" not in step]
    for folder, person in ((hers, "anna"), (his, "bernd")):
        joining.join(folder, team.secrets(folder), team.address_of(person), None)
    assert rows(his, "author", "approved", "state") == theirs
    with closing(SqlLibrary.open(hers, None)) as library, closing(SqlLibrary.open(his, None)) as other:
        assert library.setting_values() == CHOSEN
        assert other.setting_values() == {key: CHOSEN[key] for key in SHARED}
    for folder in (hers, his):
        joining.leave(folder, team.secrets(folder))
    assert rows(hers) == before
    assert rows(his, "author", "approved", "state") == theirs


SHARED = ("weights.fuzzy", "routes.billing.stores", "fallback_threshold")
CHOSEN = {**dict.fromkeys(SHARED, "0.5"), "theme": "dark", "encoder.name": "ollama", "history.days": "7"}
"""Settings that belong to a library, and others of a user and a machine."""


def taught(team: Team, folder: Path) -> SqlLibrary:
    library = SqlLibrary.open(folder, team.secrets(folder))
    library.change(Edit("taught"), ITEMS)
    library.add("cases", [Case("q", ("m",), Task.INTENT)], Edit("imported"))
    library.choose_settings(Edit("set"), CHOSEN)
    library.put_distinct_pairs(Edit("told apart"), [(b"a" * 32, b"b" * 32)])
    library.change(Edit("deleted"), gone=[(ItemKind.MEMORY, 1)])
    library.undo()
    return library


def everything(library: SqlLibrary) -> list[Any]:
    things: list[Sequence[object]] = [library.memories(), library.rules(), library.cases(), library.binned()]
    powers = [(power.key, power.name) for power in library.powers()]
    return [*things, powers, library.distinct_pairs(), [s.id for s in library.steps() if s.verb != "set"]]


def test_that_a_library_goes_to_the_server_and_comes_from_it_whole(team: Team, tmp_path: Path) -> None:
    hers, his = tmp_path / "hers", tmp_path / "his"
    with closing(taught(team, hers)) as library:
        before, approved = everything(library), [power.approved for power in library.powers()]
    founded = joining.join(hers, team.secrets(hers), team.address_of("anna"), None)
    joined = joining.join(his, team.secrets(his), team.address_of("bernd"), "open sesame")
    assert (founded.founded, joined.founded) == (True, False)
    assert (founded.rows, founded.digest) == (joined.rows, joined.digest)
    assert Path(founded.before).is_file()
    anna, bernd = team.open(hers), team.open(his)
    assert everything(anna) == everything(bernd) == before
    assert [power.approved for power in anna.powers()] == approved == [True]
    assert [power.approved for power in bernd.powers()] == [False]
    assert bernd.redo() is None  # the step is another member's
    assert anna.redo() is not None
    assert team.secrets(his).get(PASSWORD) == "open sesame"
    team.close()
    assert joining.leave(his, team.secrets(his)).author == "bernd"
    assert team.secrets(his).get(PASSWORD) is None
    with closing(SqlLibrary.open(his, team.secrets(his))) as alone:
        assert alone.team() is None
        assert alone.memories() == []
        assert [step.author for step in alone.steps()] == ["anna"] * 4
        assert alone.change(Edit("taught"), [Memory(("alone",))]) is not None
        assert alone.undo() is not None
    assert joining.status(his, team.secrets(his)) == (None, "")
    with pytest.raises(StoreError, match="in no team"):
        joining.leave(his, team.secrets(his))


def test_that_a_reader_joins_and_leaves_and_is_told_at_a_change_who_may_allow_it(team: Team, tmp_path: Path) -> None:
    taught(team, tmp_path / "hers").close()
    joining.join(tmp_path / "hers", team.secrets(tmp_path / "hers"), team.address_of("anna"), None)
    folder = tmp_path / "p"
    assert joining.join(folder, team.secrets(folder), team.address_of("rita"), None).member.author == "rita"
    reader = team.open(folder)
    with pytest.raises(StoreError, match=r'rita may not change .* UPDATE, DELETE ON ALL TABLES .* TO "rita";'):
        reader.change(Edit("taught"), [Memory(("mine",))])
    editor = team.open(tmp_path / "hers")
    editor.change(Edit("taught"), [Memory(("hers",))])
    team.close()
    assert joining.status(folder, team.secrets(folder))[0] is not None  # applies the changes
    with closing(SqlLibrary.open(tmp_path / "hers", None)) as hers, closing(SqlLibrary.open(folder, None)) as ritas:
        assert everything(ritas) == everything(hers)
    assert joining.leave(folder, team.secrets(folder)).author == "rita"


@pytest.mark.parametrize("has_left", [False, True])
def test_that_who_was_cut_off_after_the_server_had_all_or_has_left_joins_with_what_is_here(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_left: bool
) -> None:
    folder, secrets = tmp_path / "p", team.secrets(tmp_path / "p")
    with closing(taught(team, folder)) as library:
        library.change(Edit("taught"), [Memory(("kept",))])
        before = everything(library)
    if has_left:
        joining.join(folder, secrets, team.address_of("anna"), None)
        joining.leave(folder, secrets)
    else:

        def killed(server: Server, connection: Connection, change: str) -> None:
            committed(server, connection, change)
            raise KeyboardInterrupt

        committed = Server.commit
        with monkeypatch.context() as patch:
            patch.setattr(Server, "commit", killed)
            with pytest.raises(KeyboardInterrupt):
                joining.join(folder, secrets, team.address_of("anna"), None)
        assert joining.status(folder, secrets) == (None, "")
    again = joining.join(folder, secrets, team.address_of("anna"), None)
    assert (again.founded, again.member.head) == (False, 1)
    anna = team.open(folder)
    assert everything(anna) == before
    assert anna.change(Edit("taught"), [Memory(("more",))]) is not None
    assert anna.undo() is not None
    with team.server.snapshot() as (_, state):
        assert state.head == 3


def test_that_what_a_person_taught_is_never_replaced(team: Team, tmp_path: Path) -> None:
    folder = tmp_path / "p"
    taught(team, tmp_path / "q").close()
    joining.join(tmp_path / "q", team.secrets(folder), team.address, None)
    with closing(taught(team, folder)) as library:
        library.add("memories", [Memory(("not theirs",))])
        before = everything(library)
    with pytest.raises(StoreError, match="has its own memories, powers or cases"):
        joining.join(folder, team.secrets(folder), team.address, None)
    with pytest.raises(StoreError, match=r"has joined .* already"):
        joining.join(tmp_path / "q", team.secrets(folder), team.address, None)
    with closing(SqlLibrary.open(folder, team.secrets(folder))) as library:
        assert library.team() is None
        assert everything(library) == before


def test_that_nothing_is_changed_where_both_sides_differ(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "p"
    taught(team, folder).close()
    monkeypatch.setattr(server, "_copy", lambda *_: None)
    with pytest.raises(StoreError, match=r"do not hold the same \(\d+ rows here, 0 there\)"):
        joining.join(folder, team.secrets(folder), team.address, None)
    assert joining.status(folder, team.secrets(folder)) == (None, "")


class ImportCancelledError(Exception):
    pass


class Listener:
    """Progress listener that records the progress and cancels at a given phase."""

    def __init__(self, last: Moving | None = None) -> None:
        self.heard: list[tuple[Moving, int, int]] = []
        self._last = last

    def __call__(self, what: Moving, done: int, rows: int) -> None:
        self.heard.append((what, done, rows))
        if what is self._last and done == rows:
            raise ImportCancelledError


def test_that_what_is_broken_off_before_both_sides_keep_it_changes_neither(team: Team, tmp_path: Path) -> None:
    hers, his = tmp_path / "hers", tmp_path / "his"
    taught(team, hers).close()
    for folder, way in ((hers, Moving.SENDING), (his, Moving.FETCHING)):
        secrets = team.secrets(folder)
        with closing(SqlLibrary.open(folder, secrets)) as library:
            before, there = everything(library), rows_on(team)
        steps = (Moving.COPYING, way, Moving.COMPARING)
        for last in steps:
            with pytest.raises(ImportCancelledError):
                joining.join(folder, secrets, team.address_of("anna"), None, Listener(last))
            assert rows_on(team) == there
            assert list((folder / "backups").glob("kept-*")) == []
            with closing(SqlLibrary.open(folder, secrets)) as library:
                assert (library.team(), everything(library)) == (None, before)
        listener = Listener()
        joined = joining.join(folder, secrets, team.address_of("anna"), None, listener)
        assert tuple(dict.fromkeys(what for what, _, _ in listener.heard)) == (*steps, Moving.KEEPING)
        assert (way, joined.rows, joined.rows) in listener.heard
    listener = Listener()
    assert joining.leave(his, team.secrets(his), tell=listener).author == "anna"
    assert listener.heard[-1][0] is Moving.KEEPING


def rows_on(team: Team) -> list[object]:
    with team.server.transaction() as connection:
        rows = [connection.execute(select(table)).all() for name, table in SERVER.tables.items() if name != "changes"]
    return [sorted(map(repr, some)) for some in rows]


def test_that_one_profile_mirrors_an_address(team: Team, tmp_path: Path) -> None:
    SqlLibrary.open(tmp_path / "alone", None).close()
    folder, is_member = joining.profile_for(None, tmp_path, team.address_of("anna"))
    assert (folder.parent, folder.exists(), is_member) == (tmp_path, False, False)
    joining.join(folder, team.secrets(folder), team.address_of("anna"), None)
    assert joining.profile_for(None, tmp_path, team.address_of("anna")) == (folder, True)
    assert joining.profile_for(folder, tmp_path, team.address_of("anna:secret")) == (folder, True)
    assert joining.profile_for(tmp_path / "alone", tmp_path, team.address_of("anna")) == (tmp_path / "alone", False)
    assert joining.profile_for(None, tmp_path, team.address_of("bernd"))[1] is False
    with pytest.raises(StoreError, match=r"has joined .*anna@.* already"):
        joining.profile_for(folder, tmp_path, team.address_of("bernd"))


def test_that_who_is_not_let_in_makes_no_profile(team: Team, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be reached"):
        joining.join(tmp_path / "p", team.secrets(tmp_path), team.address_of("stranger"), None)
    assert not (tmp_path / "p").exists()


def test_that_a_new_profile_goes_again_where_joining_is_broken_off(team: Team, tmp_path: Path) -> None:
    taught(team, tmp_path / "hers").close()
    joining.join(tmp_path / "hers", team.secrets(tmp_path), team.address_of("anna"), None)
    new, begun = tmp_path / "new", tmp_path / "begun"
    SqlLibrary.open(begun, None).close()
    for folder in (new, begun):
        with pytest.raises(ImportCancelledError):
            joining.join(folder, team.secrets(tmp_path), team.address_of("anna"), None, Listener(Moving.COMPARING))
    assert (new.exists(), begun.exists()) == (False, True)


def test_that_a_library_that_was_joined_meanwhile_is_opened_anew(team: Team, tmp_path: Path) -> None:
    folder = tmp_path / "p"
    with closing(SqlLibrary.open(folder, team.secrets(folder))) as open_before:
        joining.join(folder, team.secrets(folder), team.address, None)
        with pytest.raises(StoreError, match="joined to a team's"):
            open_before.change(Edit("taught"), [Memory(("a",))])
    member = team.open(folder)
    joining.leave(folder, team.secrets(folder))
    with pytest.raises(StoreError, match="joined to a team's"):
        member.change(Edit("taught"), [Memory(("a",))])
    assert member.memories() == []


def test_that_another_library_at_the_address_is_refused(team: Team, tmp_path: Path) -> None:
    member = team.member(tmp_path / "p")
    member.change(Edit("taught"), [Memory(("a",))])
    team.empty()  # as if an older copy had been restored
    with pytest.raises(StoreError, match="an older copy of it was put back"):
        member.change(Edit("taught"), [Memory(("b",))])
    assert len(member.memories()) == 1
    team.close()
    with pytest.raises(StoreError, match="an older copy of it was put back"):
        joining.leave(tmp_path / "p", team.secrets(tmp_path / "p"))
    assert joining.leave(tmp_path / "p", team.secrets(tmp_path / "p"), offline=True).author == "postgres"
    assert joining.status(tmp_path / "p", team.secrets(tmp_path / "p")) == (None, "")


def test_that_a_copy_of_the_profile_is_nobodys(team: Team, tmp_path: Path) -> None:
    from app.adapters.store.team.open_library import dry_run

    folder = tmp_path / "p"
    member = team.member(folder)
    with dry_run(folder, team.secrets(folder)) as tried:
        assert tried.add("memories", [Memory(("a",))]).added
    with team.server.snapshot() as (_, state):
        assert state.head == 0
    assert member.memories() == []


@pytest.mark.parametrize(
    ("who", "told"), [("nobody", "GRANT"), ("stranger", "cannot be reached"), ("postgres", "is no address")]
)
def test_that_what_hinders_joining_is_a_sentence(team: Team, tmp_path: Path, who: str, told: str) -> None:
    address = "https://example.com" if who == "postgres" else team.address_of(who)
    with pytest.raises(StoreError, match=told):
        joining.join(tmp_path, team.secrets(tmp_path), address, None)


def test_that_a_missing_driver_is_said() -> None:
    act = (  # apart, since here the driver is loaded already
        "import sys; sys.modules['psycopg'] = None; from app.adapters.store.team.server import Server; "
        "Server('postgresql://anna@example.com/intents')"
    )
    run = subprocess.run([sys.executable, "-c", act], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert "run --with postgres" in run.stderr


def test_that_a_newer_library_is_refused(team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from db import upgrade

    member = team.member(tmp_path / "p")
    monkeypatch.setattr(upgrade, "TEAM_REVISIONS", ("0000",))
    with pytest.raises(StoreError, match="newer version of this program"):
        member.change(Edit("taught"), [Memory(("a",))])


def test_that_the_tables_are_made_once(team: Team) -> None:
    from app.adapters.store.team.server import _is_behind, prepare

    with team.server.transaction() as connection:
        connection.exec_driver_sql("CREATE SCHEMA empty")
        connection.exec_driver_sql("SET LOCAL search_path = empty")
        assert _is_behind(connection)
        prepare(connection)
        assert not _is_behind(connection)
        prepare(connection)
        connection.exec_driver_sql("DROP SCHEMA empty CASCADE")


def test_that_one_of_two_clients_makes_the_tables_after_one_that_was_cut_off(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    monkeypatch.setattr(server, "LOCK_MS", 60_000)
    waiting = sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    address = f"{team.address}&options=-csearch_path%3Dfresh"
    with team.server.transaction() as connection:
        connection.exec_driver_sql("CREATE SCHEMA fresh")
    clients = Server(address), Server(address)
    with ThreadPoolExecutor(len(clients)) as threads:
        with closing(psycopg.connect(address)) as cut_off:
            cut_off.execute("SELECT pg_advisory_xact_lock(%s)", [server.MIGRATION_LOCK])
            cut_off.execute("CREATE TABLE library (half int)")
            found = [threads.submit(library_of, client) for client in clients]
            while sum(not one.done() for one in found) == len(found):
                with team.server.transaction() as connection:
                    if connection.scalar(waiting) == len(clients):
                        break
        first, second = (one.result() for one in found)
    with team.server.transaction() as connection:
        connection.exec_driver_sql("DROP SCHEMA fresh CASCADE")
    assert first == second


def library_of(client: Server) -> str:
    with closing(client), client.snapshot() as (_, state):
        return state.library


def test_that_the_tables_are_those_of_the_models(team: Team) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from db.team import SERVER, VERSION_TABLE

    with team.server.transaction() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, SERVER) == []


def test_that_keys_are_read_as_they_are_spelled() -> None:
    from app.adapters.store.team.wire import read_key, spelled

    for kind, key in (("memory", 7), ("untaught", b"\x01" * 32), ("difference", (b"\x01" * 32, b"\xff" * 32))):
        assert read_key(kind, spelled(key)) == key


@pytest.mark.parametrize(
    ("address", "bare", "password"),
    [
        ("postgresql://u:p%40x@h:1/d?sslmode=require", "postgresql://u@h:1/d?sslmode=require", "p@x"),
        ("postgres://h/d?password=p&user=u", "postgres://h/d?user=u", "p"),
        (" postgresql://u@/d?host=/tmp/a%20b ", "postgresql://u@/d?host=/tmp/a%20b", None),
    ],
)
def test_that_a_password_is_taken_out_of_an_address(address: str, bare: str, password: str | None) -> None:
    assert _split(address) == (bare, password)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://u:se/cret@h/d",
        "postgresql://u:se?cret@h/d",
        "postgresql://u:se#cret@h/d",
        "postgresql://u:[se]cret@[::1/d",
        "postgresql://u@h/d?sslpassword=secret",
        "https://u:se@cret@h/d",
        "https://h/d?password=secret",
        "host=h password=secret",
        "postgres:secret",
    ],
)
def test_that_a_password_is_never_told_where_it_makes_no_address(address: str) -> None:
    with pytest.raises(StoreError, match="is no address") as told:
        _split(address)
    assert "cret" not in str(told.value)
