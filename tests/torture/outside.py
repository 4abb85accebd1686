"""Outside copies and hostile data stores, which bring rows or a message, and nothing else.

Another profile's copy may be restored or refused. It brings no approvals, addresses, permissions or SQL. A store
with endless or oversized answers is left in time, without using memory.
"""

import json
import resource
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from time import monotonic

import numpy as np

from app.adapters.secrets import FileSecrets
from app.adapters.store import restoring
from app.adapters.store.library import SqlLibrary
from app.adapters.store.opening import FILE
from app.adapters.store.restoring import candidate
from app.domain.errors import KnownError, StoreError
from app.domain.journal import Edit
from app.domain.library import Memory, Power, Transport
from app.domain.route import RouteIntent
from app.ports.datastore import StoreQuery
from tests.servers.hostile_stores import BOLT, EARLY, HTTP, POSTGRES, REDIS, hostile
from tests.torture.attempts import Attempt, Caught, Round, expect
from tests.torture.kill import Say, said
from tests.unit.adapters.store.test_restoring import ENDLESS, REFUSED, changed
from tests.unit.test_settings import PERSONAL

# ---- Copies


def foreign_copy(round_: Round) -> Path:
    """Make a copy of another user's library, with an approved power, addresses and permissions."""
    kept = round_.shared / "theirs.db"
    if not kept.exists():
        profile = round_.shared / "theirs"
        with closing(SqlLibrary.open(profile, FileSecrets(profile / "secrets.json"))) as library:
            library.change(Edit("taught"), [Memory(("brew tea", "make tea"), id="tea"), Memory(("boil water",))])
            power = Power("deployer", transport=Transport("/bin/sh", ("-c", "id")), approved=True)
            library.change(Edit("approved"), [power])
            library.choose_settings(Edit("set"), PERSONAL)
        restoring.back_up(profile, kept)
    return Path(shutil.copyfile(kept, round_.folder / "copy.db"))


BROUGHT: Mapping[str, tuple[str, ...]] = {
    "a trigger that deletes": ("CREATE TRIGGER evil AFTER INSERT ON memories BEGIN DELETE FROM memories; END",),
    "a trigger that approves": (
        "CREATE TRIGGER worse AFTER INSERT ON powers BEGIN UPDATE powers SET approved = 1; END",
    ),
    "an endless view beside": (f"CREATE VIEW extra AS {ENDLESS}",),
    "an index of an error": ("CREATE INDEX odd ON memories (abs(id))",),
    "a run that was approved": ("UPDATE runs SET approved = 'digest'",),
    "approved states": ("UPDATE revisions SET state = json_set(state, '$.approved', 1) WHERE kind = 'power'",),
    "another address": ("UPDATE settings SET value = 'http://192.0.2.9:1' WHERE key = 'llm.url'",),
    "unknown settings": ("INSERT INTO settings (key, value) VALUES ('no.such', '1'), ('tiers.high', 'much')",),
    "secrets that wait": ("INSERT INTO pending_secrets VALUES ('stolen', 'power:1:TOKEN')",),
    "a team": ("INSERT INTO team (id, library, address, author, head) VALUES (1, 'x', 'postgresql://e@h/x', 'm', 3)",),
}
"""Additions to a copy that is restored nevertheless."""


def check_victim(folder: Path) -> None:
    """Check that the library has nothing that only its owner gives, and can be edited."""
    with closing(sqlite3.connect(folder / FILE)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view')").fetchall()
        expect(not {name for (name,) in names} & {"evil", "worse", "extra"}, f"SQL came along: {names}")
        (runs,) = connection.execute("SELECT count(*) FROM runs WHERE approved != ''").fetchone()
        expect(not runs, "a run came along as approved")
    with closing(SqlLibrary.open(folder, FileSecrets(folder / "secrets.json"))) as library:
        expect(not [power.name for power in library.powers() if power.approved], "an approval came along")
        expect(not library.setting_values().keys() & PERSONAL.keys(), "a setting of a person came along")
        expect(library.team() is None, "a team came along")
        before = len(library.memories())
        library.add("memories", [Memory(("taught afterwards",))])
        expect(len(library.memories()) == before + 1, "what was taught afterwards is not there")
        for step in library.steps(5):
            try:
                library.undo(step.id)
            except StoreError:
                continue
        expect(not any(power.approved for power in library.powers()), "an approval came back by undo")


def restored(folder: Path, copy: Path) -> str:
    """Return the outcome of restoring a copy; nothing changes if it is refused."""
    profile = folder / "victim"
    with closing(SqlLibrary.open(profile, FileSecrets(profile / "secrets.json"))) as library:
        library.add("memories", [Memory(("his own",))])
    before = sorted(profile.rglob("*"))
    try:
        with candidate(profile, copy) as found:
            expect(not found.is_own, "it was taken for one's own")
            found.restore()
    except StoreError as error:
        expect(str(error).isprintable(), f"no sentence: {str(error)!r}")
        expect(sorted(profile.rglob("*")) == before, "it was refused, and left something")
        with closing(SqlLibrary.open(profile)) as library:
            expect([memory.triggers for memory in library.memories()] == [("his own",)], "refused, and changed")
        return "refused"
    check_victim(profile)
    return "rows alone"


def brought(round_: Round) -> str:
    """A copy with random triggers, views, approvals, addresses and a team."""
    copy = foreign_copy(round_)
    for name in round_.chance.sample(sorted(BROUGHT), round_.chance.randint(1, 4)):
        changed(copy, *BROUGHT[name])
    outcome = restored(round_.folder, copy)
    expect(outcome == "rows alone", "a copy that can be read was refused")
    return outcome


HEAVY = ("a huge value",)
"""Copies that are slow to make."""


def no_library(round_: Round) -> str:
    """A copy that is no library: views as tables, false revisions, invalid values."""
    copy = foreign_copy(round_)
    statements, _ = REFUSED[round_.chance.choice([name for name in REFUSED if name not in HEAVY])]
    changed(copy, *statements)
    return restored(round_.folder, copy)


def flipped(round_: Round) -> str:
    """A copy with changed bytes, or without its end."""
    copy = foreign_copy(round_)
    content = bytearray(copy.read_bytes())
    for _ in range(round_.chance.randint(1, 40)):
        content[round_.chance.randrange(len(content))] = round_.chance.randrange(256)
    if round_.chance.random() < 0.2:
        del content[round_.chance.randrange(len(content)) :]
    copy.write_bytes(content)
    return restored(round_.folder, copy)


# ---- Data stores, and the server of a team

SECONDS = 0.5
"""Maximum time of a store in seconds."""

MOST_SECONDS, MOST_GROWTH_KB = 30.0, 400_000

Caller = Callable[[int], Iterator[Callable[[], object]]]
"""Function that opens a store at a port and yields calls of it."""


def query(intent: RouteIntent) -> StoreQuery:
    return StoreQuery("soup", intent, np.ones(8, np.float32), anchors=("memory:one",), seconds=SECONDS)


def redis_calls(port: int) -> Iterator[Callable[[], object]]:
    from app.adapters.datastores import redis_answers

    redis_answers.COUNT_SECONDS = SECONDS
    with closing(redis_answers.RedisAnswers(f"redis://127.0.0.1:{port}", SECONDS)) as store:
        yield from (lambda: store.get("d", "t"), lambda: store.count("d"), lambda: store.forget("d", ["t"]))


def qdrant_calls(port: int) -> Iterator[Callable[[], object]]:
    from app.adapters.datastores import qdrant

    qdrant._SERVER_SECONDS = 1
    with closing(qdrant.QdrantStore(f"http://127.0.0.1:{port}", "one")) as store:
        yield from (partial(store.search, query(RouteIntent.VECTOR)), store.setup, store.stored_states)


def neo4j_calls(port: int) -> Iterator[Callable[[], object]]:
    from app.adapters.datastores import neo4j

    neo4j._SERVER_SECONDS = SECONDS
    with closing(neo4j.Neo4jStore(f"bolt://127.0.0.1:{port}", "one")) as store:
        yield from (partial(store.search, query(RouteIntent.GRAPH)), store.stored_states)


def falkordb_calls(port: int) -> Iterator[Callable[[], object]]:
    from app.adapters.datastores import graphiti

    graphiti._SERVER_SECONDS = SECONDS
    with closing(graphiti.GraphitiStore(f"falkor://127.0.0.1:{port}", "one")) as store:
        yield from (partial(store.search, query(RouteIntent.GRAPH)), store.stored_states, store.count_foreign)


def postgres_calls(port: int) -> Iterator[Callable[[], object]]:
    from app.adapters.datastores import postgres

    postgres._READ_SECONDS, postgres.FROZEN_SECONDS, postgres._CONNECT_SECONDS = SECONDS, 0.0, 1
    with closing(postgres.PostgresStore(f"postgresql://me@127.0.0.1:{port}/notes", "one")) as store:
        yield from (partial(store.search, query(RouteIntent.GRAPH)), store.stored_states)


def team_calls(port: int) -> Iterator[Callable[[], object]]:
    from app.adapters.store.team import driver
    from app.adapters.store.team.server import Server

    driver.SECONDS = SECONDS
    with closing(Server(f"postgresql://me@127.0.0.1:{port}/notes")) as server:

        def begin() -> None:
            with server.transaction():
                pass

        yield begin


STORES: Mapping[str, tuple[str, tuple[str, ...], Caller]] = {
    "Redis": ("redis", tuple(REDIS), redis_calls),
    "Qdrant": ("http", tuple(HTTP), qdrant_calls),
    "Neo4j": ("bolt", (*BOLT, "handshake"), neo4j_calls),
    "FalkorDB": ("redis", tuple(REDIS), falkordb_calls),
    "PostgreSQL": ("postgres", (*POSTGRES, *EARLY), postgres_calls),
    "the team's PostgreSQL": ("postgres", (*POSTGRES, *EARLY), team_calls),
}


def endings(calls: Iterator[Callable[[], object]]) -> list[str]:
    """Return how each call ended, in a word; StoreError and similar errors have messages."""
    ended = []
    for call in calls:
        begun = monotonic()
        try:
            call()
            ended.append("answered")
        except KnownError as error:
            expect(str(error).isprintable(), f"no sentence: {str(error)!r}")
            ended.append("left")
        expect(monotonic() - begun < MOST_SECONDS, "it was waited for")
    return ended


def lying(name: str, round_: Round) -> str:
    """One store in one mode: each call ends in time, without using memory."""
    protocol, modes, calls = STORES[name]
    mode = round_.chance.choice(modes)

    with hostile(protocol, mode) as port:

        def work(say: Say) -> None:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            ended: list[str] = []
            with Caught() as caught:
                ended = endings(calls(port))
            if (error := caught.error) is not None:
                is_missing = isinstance(error, ImportError)
                ended = ["not installed" if is_missing else f"{type(error).__name__}: {error}"]
            say(json.dumps([ended, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before]))

        lines = said(work)
    expect(lines, f"“{mode}” did not end")
    ended, growth = json.loads(lines[0])
    expect(not set(ended) - {"left", "answered", "not installed"}, f"“{mode}”: {ended}")
    scale = 1024 if sys.platform == "darwin" else 1
    expect(growth // scale < MOST_GROWTH_KB, f"“{mode}” took {growth // scale >> 10} MB")
    return ", ".join(sorted(set(ended)))


ATTEMPTS = [
    Attempt("outside", "copies with SQL, approvals, addresses and a team", brought),
    Attempt("outside", "copies of something else", no_library),
    Attempt("outside", "copies whose bytes were changed", flipped),
    *(Attempt("outside", f"{name} that lies", partial(lying, name), 2) for name in STORES),
]
