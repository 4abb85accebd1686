"""Tests of several members of one library: equal results, and named conflicts."""

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.adapters.store.team import joining
from app.adapters.store.team.faults import TeamGoneError
from app.adapters.store.team.library import TeamLibrary
from app.adapters.store.team.server import Server
from app.adapters.store.team.wire import _escape, _unescape
from app.domain.case import Case, Task
from app.domain.errors import KnownError, StaleError, StoreBusyError, StoreError
from app.domain.filters import MemoryEdit
from app.domain.history import HistoryEntry, Judgement, Source
from app.domain.intent import Rule
from app.domain.journal import Edit, ItemKind
from app.domain.library import Memory, Power, Role, Transport
from tests.build import of_type, put, remove
from tests.store_servers import freeze
from tests.team import Team
from tests.waiting import wait_for

TAUGHT, EDITED, DELETED = Edit("taught"), Edit("edited"), Edit("deleted")
MEMORY = Memory(("a\0b", "\ue0000"), id="m")
RULE, CASE = Rule("r", "howto", "how", "mine", 1), Case("q", ("m",), Task.INTENT)


@pytest.fixture
def anna(team: Team, tmp_path: Path) -> TeamLibrary:
    return team.member(tmp_path / "anna", "anna")


@pytest.fixture
def bernd(team: Team, tmp_path: Path) -> TeamLibrary:
    return team.member(tmp_path / "bernd", "bernd")


def heard(library: TeamLibrary) -> TeamLibrary:
    library._team.catch_up()
    return library


def everything(library: TeamLibrary) -> list[Any]:
    return [*library.memories(), *library.powers(), *library.rules(), *library.cases(), library.distinct_pairs()]


def test_that_others_have_all_that_one_taught_by_themselves(anna: TeamLibrary, bernd: TeamLibrary) -> None:
    before = bernd.data_version()
    anna.change(TAUGHT, [MEMORY, RULE, CASE])
    anna.put_distinct_pairs(Edit("told apart"), [(b"a" * 32, b"b" * 32)])
    anna.routes.set_teaching(["q"], on=False)
    wait_for(lambda: bernd.routes.non_teaching(["q"]) == {"q"})
    assert everything(bernd) == everything(anna)
    assert bernd.data_version() != before
    assert [step.author for step in bernd.steps()] == ["anna", "anna"]
    assert [step.author for step in anna.steps()] == ["", ""]


def test_that_undo_takes_back_ones_own_steps_and_others_only_by_number(anna: TeamLibrary, bernd: TeamLibrary) -> None:
    first = put(anna, MEMORY)
    mine = put(heard(bernd), Memory(("mine",)))
    (_, hers) = bernd.steps()
    assert bernd.undo() is not None
    assert [one.key for one in bernd.memories()] == [first.key]
    assert bernd.undo() is None
    assert bernd.redo() is not None
    assert heard(anna).undo() is not None
    assert [one.key for one in anna.memories()] == [mine.key]
    assert heard(bernd).undo(hers.id) is None
    assert anna.redo() is not None
    assert heard(bernd).undo(hers.id) is not None
    assert everything(heard(anna)) == everything(bernd)


def test_that_who_was_slower_hears_who_changed_it(anna: TeamLibrary, bernd: TeamLibrary) -> None:
    memory = put(anna, MEMORY)
    put(heard(bernd), replace(memory, response="his"))
    with pytest.raises(StaleError, match="bernd has changed “m”") as told:
        anna.change(EDITED, [replace(memory, response="hers")])
    assert of_type(told.value.mine, Memory).response == "hers"
    assert of_type(told.value.present, Memory).response == "his"
    assert told.value.base == memory
    assert [one.response for one in anna.memories()] == ["his"]
    with pytest.raises(KnownError, match="because bernd changed the same item"):
        anna.undo()
    bernd.change(DELETED, gone=[(ItemKind.MEMORY, memory.key)])
    with pytest.raises(StaleError, match="bernd has deleted “m”"):
        anna.change(EDITED, [replace(memory, response="hers")])


def test_that_a_name_is_taken_for_all(anna: TeamLibrary, bernd: TeamLibrary) -> None:
    put(anna, MEMORY)
    with pytest.raises(StoreError, match="has the id “m” already"):
        bernd.change(TAUGHT, [Memory(("other",), id="m")])


def test_that_approvals_settings_and_decisions_stay_on_each_machine(anna: TeamLibrary, bernd: TeamLibrary) -> None:
    power = put(anna, Power("p", approved=True, transport=Transport("npx", env={"KEY": "secret"})))
    assert [one.approved for one in anna.powers()] == [True]
    (theirs,) = heard(bernd).powers()
    assert (theirs.approved, bernd.environment(theirs)) == (False, {"KEY": ""})
    bernd.change(TAUGHT, [replace(theirs, approved=True)])
    put(heard(anna), replace(anna.powers()[0], description="new"))
    assert [(one.approved, one.description) for one in heard(bernd).powers()] == [(True, "new")]
    put(anna, replace(anna.powers()[0], transport=Transport("other", env={"KEY": ""})))
    assert [one.approved for one in heard(bernd).powers()] == [False]
    anna.choose_settings(Edit("set"), {"score.threshold": "0.5"})
    (query,) = anna.add_queries([HistoryEntry("2026-11-24 00:00:00", Source.WINDOW, "q")])
    anna.decide(Edit("decided as right"), [query], Judgement.RIGHT)
    assert bernd.setting_values() == {}
    head = len(heard(bernd).steps())
    assert len(anna.steps()) == head + 2
    assert anna.undo() is not None
    assert anna.environment(power) == {"KEY": "secret"}


def test_that_keys_of_what_is_gone_are_given_to_nobody(anna: TeamLibrary, bernd: TeamLibrary) -> None:
    gone = put(anna, MEMORY)
    remove(anna, gone)
    assert put(bernd, Memory(("new",))).key > gone.key


def test_that_who_may_only_read_is_told_what_to_ask_for(
    team: Team, anna: TeamLibrary, bernd: TeamLibrary, tmp_path: Path
) -> None:
    put(anna, MEMORY)
    rita = team.member(tmp_path / "rita", "rita")
    assert everything(rita) == everything(anna)
    owner = team.member(tmp_path / "owner")
    roles = [getattr(one.team(), "role", None) for one in (owner, bernd, rita)]
    assert roles == [Role.OWNER, Role.EDITOR, Role.READER]
    with pytest.raises(StoreError, match="GRANT SELECT, INSERT, UPDATE, DELETE"):
        put(rita, Memory(("hers",)))
    assert everything(rita) == everything(anna)


def test_that_what_is_cut_midway_is_nowhere(team: Team, anna: TeamLibrary, bernd: TeamLibrary) -> None:
    def cut() -> Iterator[Memory]:
        yield Memory(("first",))
        with team.server.transaction() as connection:
            connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE usename = 'anna' AND xact_start IS NOT NULL"
            )
        yield Memory(("second",))

    with pytest.raises(TeamGoneError):
        anna.add("memories", cut(), TAUGHT)
    assert everything(anna) == everything(heard(bernd)) == [set()]
    put(anna, MEMORY)
    assert everything(heard(bernd)) == everything(anna)


@pytest.mark.parametrize("is_made", [True, False])
def test_that_a_lost_answer_is_looked_up(
    anna: TeamLibrary, bernd: TeamLibrary, monkeypatch: pytest.MonkeyPatch, is_made: bool
) -> None:
    from sqlalchemy.engine.base import RootTransaction

    commit, lost = RootTransaction.commit, list[object]()

    def lose(transaction: RootTransaction) -> None:
        if transaction.connection.dialect.name != "postgresql" or lost:
            return commit(transaction)
        lost.append(transaction)
        if is_made:
            commit(transaction)
        import psycopg

        raise OperationalError("COMMIT", None, psycopg.OperationalError("server closed the connection"))

    anna._follower.close()
    bernd._follower.close()
    monkeypatch.setattr(RootTransaction, "commit", lose)
    if is_made:
        put(anna, MEMORY)
    else:
        with pytest.raises(TeamGoneError):
            put(anna, MEMORY)
    assert lost
    assert len(anna.memories()) == is_made
    assert everything(heard(bernd)) == everything(heard(anna))


def test_that_without_a_server_all_is_read_and_nothing_changed(
    team: Team, anna: TeamLibrary, bernd: TeamLibrary, tmp_path: Path
) -> None:
    put(anna, MEMORY)
    before = anna.data_version()
    with team.unreachable():
        wait_for(lambda: bool(anna.refusal))
        assert "all is as it was at 20" in anna.refusal
        assert anna.data_version() != before
        with pytest.raises(TeamGoneError):
            put(anna, Memory(("late",)))
        assert anna.choose_settings(Edit("set"), {"score.threshold": "0.5"})
        assert len(anna.memories()) == 1
        again = team.open(tmp_path / "anna")
        assert len(again.memories()) == 1
        assert again.refusal
    wait_for(lambda: not (anna.refusal or bernd.refusal))
    put(bernd, Memory(("meanwhile",)))
    wait_for(lambda: everything(anna) == everything(bernd))


def test_that_one_waits_for_another_only_so_long(
    team: Team, anna: TeamLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.adapters.store.team.server.LOCK_MS", 20)
    anna._team._server.let_go()
    with team.server.change(), pytest.raises(StoreBusyError):
        put(anna, MEMORY)
    put(anna, MEMORY)


def test_that_a_frozen_server_is_given_up(
    anna: TeamLibrary, bernd: TeamLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    with anna._team._server.snapshot() as (server, _):
        pid = server.scalar(text("SELECT pg_backend_pid()"))
    assert isinstance(pid, int)
    freeze(pid)
    try:
        with monkeypatch.context() as hurried:
            hurried.setattr("app.adapters.store.team.driver.SECONDS", 0.05)
            with pytest.raises(TeamGoneError, match="did not answer within"):
                put(anna, MEMORY)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert anna.memories() == []
    wait_for(lambda: not anna.refusal)
    put(anna, MEMORY)
    wait_for(lambda: everything(bernd) == everything(anna))


def test_that_is_known_what_another_has_touched_unless_another_program_took_it_over(
    team: Team, anna: TeamLibrary, bernd: TeamLibrary, tmp_path: Path
) -> None:
    assert bernd.changed_memories() is None
    one, other = put(anna, MEMORY), put(anna, Memory(("other",)))
    assert heard(bernd).changed_memories() == [one.key, other.key]
    assert bernd.changed_memories() == []
    put(bernd, Memory(("own",)))
    assert bernd.changed_memories() == []
    anna.change(EDITED, [replace(one, intent="new")])
    anna.change(DELETED, gone=[(ItemKind.MEMORY, other.key)])
    assert heard(bernd).changed_memories() == [one.key, other.key]
    put(team.open(tmp_path / "bernd"), Memory(("by another program",)))
    put(anna, Memory(("late",)))
    assert heard(bernd).changed_memories() is None
    assert bernd.changed_memories() == []


ACTS: dict[str, Callable[[TeamLibrary, int], object]] = {
    "teach": lambda library, n: library.change(TAUGHT, [Memory((f"t{n}",), id=f"m{n % 3}")], anyway=True),
    "import": lambda library, n: library.add("memories", [Memory((f"t{n % 4}", "x"), f"{n}")], TAUGHT),
    "edit": lambda library, n: library.edit_memories(EDITED, [n % 4], MemoryEdit(label=f"{n}")),
    "case": lambda library, n: library.add("cases", [Case(f"c{n % 3}", (f"{n}",), Task.INTENT)], TAUGHT),
    "delete": lambda library, n: library.change(DELETED, gone=[(ItemKind.MEMORY, n % 4)]),
    "restore": lambda library, _: library.put_back(Edit("restored"), [one.key for one in library.binned()]),
    "undo": lambda library, _: library.undo(),
    "redo": lambda library, _: library.redo(),
    "set": lambda library, n: library.choose_settings(Edit("set"), {"score.threshold": str(n)}),
    "empty": lambda library, _: library.empty_bin(),
}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=8)
@given(acts=st.lists(st.tuples(st.booleans(), st.sampled_from(list(ACTS)), st.integers(1, 9)), max_size=12))
def test_that_whatever_they_do_both_have_the_same(
    anna: TeamLibrary, bernd: TeamLibrary, acts: list[tuple[bool, str, int]]
) -> None:
    for is_hers, act, number in acts:
        try:
            ACTS[act](anna if is_hers else bernd, number)
        except KnownError:
            continue
    hers, his = heard(anna), heard(bernd)
    assert everything(hers) == everything(his)
    shared = [[s for s in library.steps() if s.verb != "set"] for library in (hers, his)]
    assert [replace(one, author="") for one in shared[0]] == [replace(one, author="") for one in shared[1]]
    assert [one.author or "anna" for one in shared[0]] == [one.author or "bernd" for one in shared[1]]
    assert [hers.history(ItemKind.MEMORY, key) for key in range(1, 5)] == [
        [replace(one, step=replace(one.step, author={"": "bernd", "anna": ""}[one.step.author])) for one in past]
        for past in (his.history(ItemKind.MEMORY, key) for key in range(1, 5))
    ]


@given(st.text(alphabet="a0123\0\ue000ä"))
def test_that_every_text_comes_back_from_the_server_as_it_was(text: str) -> None:
    assert "\0" not in _escape(text)
    assert _unescape(_escape(text)) == text


def test_that_the_log_tells_who_and_that_only_the_owner_could_change_it(
    team: Team, anna: TeamLibrary, bernd: TeamLibrary, tmp_path: Path
) -> None:
    put(anna, MEMORY)
    put(bernd, Memory(("more",)))
    told = joining.newest_changes(tmp_path / "bernd", team.secrets(tmp_path / "bernd"), 2)
    assert [(one.number, one.author, one.things) for one in told] == [(2, "bernd", 1), (1, "anna", 1)]
    forged = "INSERT INTO changes (seq, id, things, author) VALUES (9, 'x', 1, 'anna')"
    for statement in ("UPDATE changes SET author = 'anna'", "DELETE FROM changes", forged):
        server = Server(team.address_of("bernd"))
        with pytest.raises(StoreError, match="may not"), server.transaction() as connection:
            connection.exec_driver_sql(statement)
        server.close()


def test_that_steps_of_one_person_are_found_behind_any_number_of_others(anna: TeamLibrary, bernd: TeamLibrary) -> None:
    put(bernd, Memory(("mine",)))
    for number in range(3):
        put(anna, Memory((f"hers {number}",)))
    assert [step.author for step in heard(bernd).steps()] == ["anna", "anna", "anna", ""]
    assert [step.author for step in bernd.steps(1, by="")] == [""]
    assert [step.author for step in bernd.steps(2, by="anna")] == ["anna", "anna"]
