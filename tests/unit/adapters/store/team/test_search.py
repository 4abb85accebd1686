"""Tests of the search on a team's server: every item is found, or reported as changed since."""

import hashlib
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray
from sqlalchemy import delete, select, text, update

from app.adapters.store.team.bulk_load import AT_ONCE, BulkLoad, fill_search
from app.adapters.store.team.faults import TeamGoneError
from app.adapters.store.team.library import TeamLibrary
from app.adapters.store.team.search import LONGEST, SqlCandidates
from app.adapters.store.team.server import Server
from app.domain.encoder import Provenance
from app.domain.errors import StoreBusyError, StoreError
from app.domain.journal import Edit, ItemKind
from app.domain.library import Memory
from db.team import SEARCH_STATE, SEARCH_TRIGGERS
from tests.build import some
from tests.team import Team
from tests.waiting import wait_for

TAUGHT, DELETED = Edit("taught"), Edit("deleted")
WORDS = "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima".split()
MEMORIES = [Memory((f"{one} {other}", f"{other} the {one} {n}"), id=f"m{n}")
            for n, (one, other) in enumerate((a, b) for a in WORDS for b in WORDS)]  # fmt: skip


class WordEncoder:
    """Encoder whose text vector is the mean of its words', each with its own direction."""

    provenance = Provenance("words", "1", 16)

    def __init__(self) -> None:
        self.encoded = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.encoded += len(texts)
        found = np.stack([sum((_direction(word) for word in text.split()), np.zeros(16)) for text in texts])
        made: NDArray[np.float32] = (found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)).astype(
            "f4"
        )
        return made


def _direction(word: str) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
    return np.random.default_rng(seed).standard_normal(16)


@pytest.fixture
def anna(team: Team, tmp_path: Path) -> TeamLibrary:
    library = team.member(tmp_path / "anna")
    library.add("memories", MEMORIES, TAUGHT)
    return library


def keys(library: TeamLibrary, *wanted: str) -> set[int]:
    return {memory.key or 0 for memory in library.memories() if memory.id in wanted}


def test_that_all_is_found_by_meaning_and_words(team: Team, anna: TeamLibrary) -> None:
    encoder = WordEncoder()
    filling = BulkLoad(anna, team.server, encoder)
    filling.fill()
    with closing(SqlCandidates(Server(team.address))) as search:
        standing = some(search.status())
        assert (standing.triggers, standing.seq) == (2 * len(MEMORIES), standing.head)
        memory = MEMORIES[17]
        (vector,) = encoder.encode(memory.triggers[:1])
        found = search.search(memory.triggers[0], vector, 20, encoder="words 1")
        assert len(found.vectors) == 20
        assert keys(anna, memory.id or "") <= set(found.vectors)
        assert (found.status, found.touched) == (standing, ())
        for key, vectors in found.vectors.items():
            (one,) = (each.item for each in anna.memories_by_key([key]))
            assert list(vectors) == list(one.triggers)
            assert np.allclose([*vectors.values()], encoder.encode(one.triggers), atol=2e-3)
        assert set(filling.nearest(vector, 10)) <= set(search.search("", vector, 20, encoder="words 1").vectors)
        assert search.search("", vector, 20, encoder="others 1").vectors == {}
        spelled = search.search("foxtrott 143", None, 20)
        assert (spelled.by_meaning, spelled.by_words > 0) == (0, True)
        assert keys(anna, "m143") <= set(spelled.vectors)
        assert filling.measure(search, 10) == 1.0
        assert some(search.status()).recall == 1.0


def test_that_any_text_is_brought_to_the_server_and_found_by_its_words(team: Team, tmp_path: Path) -> None:
    library = team.member(tmp_path / "anna")
    odd = ("grüße 🍵 tee", 'back\\slash\ttab\n"quoted"', "xray " * (LONGEST // 5) + "beyond", "{} \\N null \u200b")
    library.add("memories", [Memory((text,), id=str(place)) for place, text in enumerate(odd)], TAUGHT)
    BulkLoad(library, team.server, WordEncoder()).fill()
    with closing(SqlCandidates(Server(team.address))) as search:
        for place, word in enumerate(("grüße", "quoted", "xray", "null")):
            found = search.search(word, None, 20).vectors
            assert set(found) == keys(library, str(place))
            assert next(iter(found.values())).keys() == ({odd[place]} if len(odd[place]) < LONGEST else set())
        assert search.search("beyond", None, 20).vectors == {}


def test_that_what_was_changed_since_is_told_until_it_is_filled(team: Team, anna: TeamLibrary) -> None:
    encoder = WordEncoder()
    filling = BulkLoad(anna, team.server, encoder)
    filling.fill()
    with closing(SqlCandidates(Server(team.address))) as search:
        gone, new = keys(anna, "m3"), Memory(("zulu yankee",), id="new")
        anna.change(TAUGHT, [new])
        anna.change(DELETED, [], [(ItemKind.MEMORY, key) for key in gone])
        (key,) = keys(anna, "new")
        assert set(search.search("zulu", None, 20).touched) == {key, *gone}
        before = encoder.encoded
        filling.fill()
        assert encoder.encoded - before == 1
        found = search.search("zulu", None, 20)
        assert (found.touched, set(found.vectors)) == ((), {key})
        assert not gone & set(search.search("alpha charlie", None, len(MEMORIES)).vectors)


def test_that_filling_goes_on_where_it_was_cut_off(
    team: Team, anna: TeamLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.adapters.store.team.bulk_load.AT_ONCE", 50)
    assert AT_ONCE > 50

    def stop(done: int, total: int) -> None:
        if done >= 100:
            raise KeyboardInterrupt

    first, second = WordEncoder(), WordEncoder()
    with pytest.raises(KeyboardInterrupt):
        BulkLoad(anna, team.server, first).fill(stop)
    with closing(SqlCandidates(Server(team.address))) as search:
        assert search.status() is None
        with pytest.raises(StoreError, match="--index"):
            search.search("alpha", None, 20)
        BulkLoad(anna, team.server, second).fill()
        assert first.encoded + second.encoded == 2 * len(MEMORIES)
        assert search.search("alpha", None, 20).status.triggers == 2 * len(MEMORIES)


def test_that_a_server_that_is_gone_is_not_passed_over(postgres: str, team: Team, anna: TeamLibrary) -> None:
    BulkLoad(anna, team.server, WordEncoder()).fill()
    with closing(SqlCandidates(Server(team.address))) as search:
        search.search("alpha", None, 20)
        with team.unreachable(), pytest.raises(TeamGoneError):
            search.search("alpha", None, 20)
        assert search.search("alpha", None, 20).vectors


def test_that_a_lacking_extension_is_told_with_what_an_administrator_runs(
    postgres: str, team: Team, anna: TeamLibrary
) -> None:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE lacking")
    with psycopg.connect(postgres.replace("/postgres?", "/lacking?")) as connection:
        connection.execute("GRANT CREATE ON SCHEMA public TO nobody")
    bare = Server(team.address_of("nobody").replace("/team?", "/lacking?"))
    try:
        with pytest.raises(StoreError, match="CREATE EXTENSION vector;"):
            BulkLoad(anna, bare, WordEncoder()).fill()
    finally:
        bare.close()
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute("DROP DATABASE lacking WITH (FORCE)")


@pytest.mark.parametrize("change", [{"library": "another"}, {"shards": 3}, {"seq": -1}, {"seq": 99}])
def test_that_a_server_that_holds_another_library_or_not_all_of_it_is_not_asked(
    team: Team, anna: TeamLibrary, change: dict[str, object]
) -> None:
    BulkLoad(anna, team.server, WordEncoder()).fill()
    with team.server.transaction() as connection:
        connection.execute(update(SEARCH_STATE).values(**change))
    with closing(SqlCandidates(Server(team.address))) as search:
        assert search.status() is None
        with pytest.raises(StoreError, match="team --index"):
            search.search("alpha", None, 20)


def test_that_one_client_fills_at_a_time(
    team: Team, anna: TeamLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.adapters.store.team.bulk_load.AT_ONCE", 50)
    refused: list[str] = []

    def other(done: int, total: int) -> None:
        with closing(Server(team.address)) as second, pytest.raises(StoreBusyError, match="Somebody else") as told:
            BulkLoad(anna, second, WordEncoder()).fill()
        refused.append(str(told.value))

    BulkLoad(anna, team.server, WordEncoder()).fill(other)
    assert len(refused) == 4
    standing = fill_search(anna, team.secrets(tmp_path), WordEncoder(), lambda *_: None)
    assert (standing.triggers, standing.recall) == (2 * len(MEMORIES), 1.0)


def test_that_who_goes_on_with_an_older_copy_leaves_what_it_lacks_to_be_told(
    team: Team, anna: TeamLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.adapters.store.team.bulk_load.AT_ONCE", 50)
    bernd = team.member(tmp_path / "bernd", "bernd")
    bernd._follower.close()  # simulates a slow network
    changed = next(memory for memory in anna.memories() if memory.id == "m140")
    anna.change(TAUGHT, [replace(changed, triggers=("zulu yankee",))])

    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    def follow(done: int, total: int) -> None:
        if done == total:
            bernd._team.catch_up()

    with suppress(KeyboardInterrupt):
        BulkLoad(anna, team.server, WordEncoder()).fill(stop)
    BulkLoad(bernd, team.server, WordEncoder()).fill(follow)
    with closing(SqlCandidates(Server(team.address))) as search:
        found = search.search("zulu", None, 20)
        assert changed.key in {*found.vectors, *found.touched}


def test_that_what_another_library_has_there_stays(team: Team, anna: TeamLibrary) -> None:
    BulkLoad(anna, team.server, WordEncoder()).fill()
    with team.server.transaction() as connection:
        connection.execute(update(SEARCH_STATE).values(library="another"))
    with pytest.raises(StoreError, match="of another library"):
        BulkLoad(anna, team.server, WordEncoder()).fill()
    with team.server.transaction() as connection:
        assert connection.scalar(select(SEARCH_STATE.c.library)) == "another"


@pytest.mark.parametrize("former", [{"seq": 99}, {"shard": 1, "shards": 2}, {"encoder": "others 1"}])
def test_that_a_server_is_filled_anew_that_holds_more_than_a_restored_library_or_a_part_of_it(
    team: Team, anna: TeamLibrary, former: dict[str, object]
) -> None:
    BulkLoad(anna, team.server, WordEncoder()).fill()
    with team.server.transaction() as connection:
        connection.execute(update(SEARCH_STATE).values(**former))
        connection.execute(delete(SEARCH_TRIGGERS))
    BulkLoad(anna, team.server, WordEncoder()).fill()
    with closing(SqlCandidates(Server(team.address))) as search:
        assert search.search("alpha", None, 20).vectors


def test_that_what_takes_the_server_long_while_it_is_filled_is_not_broken_off(
    team: Team, anna: TeamLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = WordEncoder()
    BulkLoad(anna, team.server, encoder).fill()
    anna.change(TAUGHT, [Memory(("zulu yankee",), id="new")])
    monkeypatch.setattr("app.adapters.store.team.server.STATEMENT_MS", 300)
    slow = "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END'"
    with team.server.transaction() as connection:
        connection.exec_driver_sql(slow)
        connection.exec_driver_sql("CREATE TRIGGER slow AFTER INSERT ON search_triggers EXECUTE FUNCTION slow()")
    try:
        with closing(Server(team.address)) as server:
            filling = BulkLoad(anna, server, encoder)
            filling.fill()
            monkeypatch.setattr(
                "app.adapters.store.team.bulk_load.NEAREST_OF_ALL",
                text(
                    "SELECT 7 AS memory, 1.0 AS alike FROM pg_sleep(0.5) WHERE :most > 0 AND CAST(:vector AS text) > ''"
                ),
            )
            assert filling.nearest(encoder.encode(["zulu"])[0], 10) == [7]
    finally:
        with team.server.transaction() as connection:
            connection.exec_driver_sql("DROP FUNCTION slow CASCADE")


def test_that_searches_take_one_connection_and_leave_none(postgres: str, team: Team, anna: TeamLibrary) -> None:
    asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'team' AND pid <> ALL(%s)"
    BulkLoad(anna, team.server, WordEncoder()).fill()
    anna.close()
    team.server.let_go()
    with psycopg.connect(postgres, autocommit=True) as connection:

        def there(others: Sequence[int] = ()) -> int:
            return int((connection.execute(asked, [list(others)]).fetchone() or (0,))[0])

        others = [pid for (pid,) in connection.execute("SELECT pid FROM pg_stat_activity WHERE datname = 'team'")]
        with closing(SqlCandidates(Server(team.address))) as search:
            for place in range(100):
                search.search(WORDS[place % len(WORDS)], None, 20)
            assert there(others) == 1
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'team'")
            assert search.search("alpha", None, 20).vectors
        wait_for(lambda: there() == 0)  # a server process ends shortly after its client
