"""Joining a team's library and leaving it: both sides hold the same, or nothing was changed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.adapters.store.library import SqlLibrary
from app.adapters.store.team import joining
from app.adapters.store.team.joining import _split
from app.adapters.store.team.library import PASSWORD
from app.domain.case import Case, Task
from app.domain.errors import StoreError
from app.domain.intent import Rule
from app.domain.journal import Edit, ThingKind
from app.domain.library import Memory, Power
from tests.team import Team

ITEMS = (Memory(("a\0b", "c"), id="m"), Power("p", approved=True), Rule("r", "howto", "how", "mine", 1))


def taught(team: Team, folder: Path) -> SqlLibrary:
    library = SqlLibrary.open(folder, team.secrets(folder))
    library.change(Edit("taught"), ITEMS)
    library.add_cases([Case("q", ("m",), Task.INTENT)], Edit("imported"))
    library.choose_settings(Edit("set"), {"score.threshold": "0.5"})
    library.put_different(Edit("told apart"), [(b"a" * 32, b"b" * 32)])
    library.change(Edit("deleted"), gone=[(ThingKind.MEMORY, 1)])
    library.undo()
    return library


def everything(library: SqlLibrary) -> list[Any]:
    things: list[Sequence[object]] = [library.memories(), library.rules(), library.cases(), library.binned()]
    powers = [(power.key, power.name) for power in library.powers()]
    return [*things, powers, library.different(), [s.id for s in library.steps() if s.verb != "set"]]


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
    assert bernd.redo() is None  # it is hers
    assert anna.redo() is not None
    assert team.secrets(his).get(PASSWORD) == "open sesame"
    team.close()
    assert joining.part(his, team.secrets(his)).author == "bernd"
    assert team.secrets(his).get(PASSWORD) is None
    with closing(SqlLibrary.open(his, team.secrets(his))) as alone:
        assert alone.team() is None
        assert alone.memories() == []
        assert [step.author for step in alone.steps()] == ["anna"] * 4
        assert alone.change(Edit("taught"), [Memory(("alone",))]) is not None
        assert alone.undo() is not None
    assert joining.standing(his, team.secrets(his)) == (None, "")
    with pytest.raises(StoreError, match="in no team"):
        joining.part(his, team.secrets(his))


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
    assert joining.standing(folder, team.secrets(folder))[0] is not None  # takes over what is new
    with closing(SqlLibrary.open(tmp_path / "hers", None)) as hers, closing(SqlLibrary.open(folder, None)) as ritas:
        assert everything(ritas) == everything(hers)
    assert joining.part(folder, team.secrets(folder)).author == "rita"


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
        joining.part(folder, secrets)
    else:

        def killed(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(joining, "membership", killed)  # the server has committed by then
            with pytest.raises(KeyboardInterrupt):
                joining.join(folder, secrets, team.address_of("anna"), None)
        assert joining.standing(folder, secrets) == (None, "")
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
        library.add_memories([Memory(("not theirs",))])
        before = everything(library)
    with pytest.raises(StoreError, match="has memories, powers or cases of its own"):
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
    monkeypatch.setattr(joining, "_found", lambda *_: "")
    monkeypatch.setattr(joining, "_follow", lambda *_: None)
    with pytest.raises(StoreError, match=r"do not hold the same \(\d+ rows here, 0 there\)"):
        joining.join(folder, team.secrets(folder), team.address, None)
    assert joining.standing(folder, team.secrets(folder)) == (None, "")


def test_that_a_library_that_was_joined_meanwhile_is_opened_anew(team: Team, tmp_path: Path) -> None:
    folder = tmp_path / "p"
    with closing(SqlLibrary.open(folder, team.secrets(folder))) as open_before:
        joining.join(folder, team.secrets(folder), team.address, None)
        with pytest.raises(StoreError, match="joined to a team's"):
            open_before.change(Edit("taught"), [Memory(("a",))])
    member = team.open(folder)
    joining.part(folder, team.secrets(folder))
    with pytest.raises(StoreError, match="joined to a team's"):
        member.change(Edit("taught"), [Memory(("a",))])
    assert member.memories() == []


def test_that_another_library_at_the_address_is_refused(team: Team, tmp_path: Path) -> None:
    member = team.member(tmp_path / "p")
    member.change(Edit("taught"), [Memory(("a",))])
    team.empty()  # as if an older copy of it had been put back
    with pytest.raises(StoreError, match="an older copy of it was put back"):
        member.change(Edit("taught"), [Memory(("b",))])
    assert len(member.memories()) == 1
    team.close()
    with pytest.raises(StoreError, match="an older copy of it was put back"):
        joining.part(tmp_path / "p", team.secrets(tmp_path / "p"))
    assert joining.part(tmp_path / "p", team.secrets(tmp_path / "p"), offline=True).author == "postgres"
    assert joining.standing(tmp_path / "p", team.secrets(tmp_path / "p")) == (None, "")


def test_that_a_copy_of_the_profile_is_nobodys(team: Team, tmp_path: Path) -> None:
    from app.adapters.store.dry_run import dry_run

    folder = tmp_path / "p"
    member = team.member(folder)
    with dry_run(folder, team.secrets(folder)) as tried:
        assert tried.add_memories([Memory(("a",))]).added
    with team.server.snapshot() as (_, state):
        assert state.head == 0
    assert member.memories() == []


@pytest.mark.parametrize(
    ("who", "told"),
    [("nobody", "GRANT"), ("stranger", "cannot be reached"), ("postgres", "is no address")],
)
def test_that_what_hinders_joining_is_a_sentence(team: Team, tmp_path: Path, who: str, told: str) -> None:
    address = "https://example.com" if who == "postgres" else team.address_of(who)
    with pytest.raises(StoreError, match=told):
        joining.join(tmp_path, team.secrets(tmp_path), address, None)


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
