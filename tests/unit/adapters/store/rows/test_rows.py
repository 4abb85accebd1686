"""Tests of past queries in the library's file: migration, compression, and atomic writes."""

import shutil
import sqlite3
import stat
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from unittest import mock

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.store import connections
from app.adapters.store.library import SqlLibrary
from app.adapters.store.rows import queries
from app.adapters.store.rows.routes import DAMAGED_CACHE, DAMAGED_ROWS
from app.domain.case import Case, Task
from app.domain.errors import KnownError, StoreBusyError, StoreError
from app.domain.history import Doubt, HistoryEntry, HistoryFilter, Judgement, Source
from app.domain.intent import Rule
from app.domain.journal import Edit, Item, ItemKind
from app.domain.library import Memory, Power, Transport
from app.domain.llm import LlmAnswer
from app.domain.route import CachedRoute, LoggedRoute, RouteFilter, RouteIntent, RouteMethod
from app.scoring.text import without_punctuation
from db import upgrade
from db.schema import digest
from tests.build import some
from tests.contracts.test_routes import LINE, NOW

QUERY = HistoryEntry("2026-11-22 04:26:21", Source.LOG, "q", doubts=(Doubt.WEAK,), trace={"n": 1})


def made_by(folder: Path, revision: str) -> Path:
    folder.mkdir()
    engine = connections.engine(folder / "library.db", "BEGIN IMMEDIATE", connections.MIGRATING)
    with engine.begin() as connection:
        upgrade.upgrade(connection, revision)
    engine.dispose()
    return folder


def test_that_a_library_of_before_keeps_its_steps_and_learns_to_keep_queries(tmp_path: Path) -> None:
    folder = made_by(tmp_path / "profile", "0004")
    with closing(sqlite3.connect(folder / "library.db")) as driver, driver:
        driver.execute("INSERT INTO queries (text) VALUES ('never written by a program')")
        driver.execute("INSERT INTO steps (verb, subject, count, source) VALUES ('taught', 'x', 1, 'window')")
    library = SqlLibrary.open(folder)
    assert [step.verb for step in library.steps()] == ["taught"]
    assert library.find_queries(HistoryFilter()) == []
    keys = library.add_queries([QUERY])
    library.decide(Edit("skipped"), keys, Judgement.SKIPPED)
    library.undo()
    library.change(Edit("taught"), [Memory(("x",))])
    assert library.queries_by_key(keys)[0].waits
    library.close()


def test_that_a_decision_of_before_stays_with_its_step_and_that_of_an_undone_one_out_of_force(tmp_path: Path) -> None:
    folder = made_by(tmp_path / "profile", "0013")
    with closing(sqlite3.connect(folder / "library.db")) as driver, driver:
        driver.execute(
            "INSERT INTO steps (id, verb, subject, count, source, undone) "
            "VALUES (1, 'a', '', 1, '', 0), (2, 'b', '', 1, '', 1)"
        )
        driver.executemany(
            "INSERT INTO queries (source, digest, text, confidence, answer_confidence, doubts, decision, step_id) "
            "VALUES ('log', ?, 'q', 0, 0, 'weak', ?, ?)",
            [(bytes([n]) * 32, "right" if n else None, n or None) for n in range(3)],
        )
    library = SqlLibrary.open(folder)
    keys = library.find_queries(HistoryFilter())
    assert [query.decision for query in library.queries_by_key(keys)] == [None, Judgement.RIGHT, None]
    library.redo()
    assert [query.decision for query in library.queries_by_key(keys)] == [None, Judgement.RIGHT, Judgement.RIGHT]
    library.close()


def test_that_a_trace_goes_with_its_query(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    library.forget_queries(library.add_queries([QUERY]))
    library.close()
    with closing(sqlite3.connect(tmp_path / "library.db")) as driver:
        assert driver.execute("SELECT count(*) FROM traces").fetchone() == (0,)


def test_that_nothing_of_a_forgotten_query_is_left_in_any_file_while_the_program_runs(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    said = "my bank code is 4711"
    keys = library.add_queries([replace(QUERY, text=f"{said} {n}", trace={"trigger": said}) for n in range(50)])
    library.decide(Edit("skipped", f"“{said} 0”"), keys[:1], Judgement.SKIPPED)
    assert [file.name for file in tmp_path.rglob("*") if file.is_file() and said.encode() in file.read_bytes()]
    library.forget_queries()
    assert not [file.name for file in tmp_path.rglob("*") if file.is_file() and said.encode() in file.read_bytes()]
    library.close()


@pytest.mark.parametrize("whole", [True, False])
def test_that_the_router_forgets_what_a_forgotten_query_said_and_not_what_it_cost(tmp_path: Path, whole: bool) -> None:
    library = SqlLibrary.open(tmp_path)
    texts = ("Who calls parse()?", "where is it?")
    keys = library.add_queries([replace(QUERY, text=text) for text in texts])
    hybrid = RouteIntent.HYBRID
    for text in texts:
        decision = LoggedRoute(
            1.0, text, "window", hybrid, (), 0.9, RouteMethod.LLM_FALLBACK, 0.1, f"it says {text}", 5.0
        )
        library.routes.add([replace(decision, cost=0.5)])
        library.routes.keep(CachedRoute(without_punctuation(text), "d", LlmAnswer(hybrid, 0.9, "say"), 1.0), 10)
    library.forget_queries(None if whole else keys[:1])
    left = [] if whole else [texts[1]]
    log = library.routes.find(RouteFilter())
    assert [one.text for one in log if one.text] == left
    assert [one.reasoning for one in log if one.reasoning] == [f"it says {text}" for text in left]
    assert library.routes.cost_since(0.0) == 1.0
    assert [one.text for one in library.routes.find_answers("d", 0.0, 2.0)[0]] == list(map(without_punctuation, left))
    library.close()


def test_that_a_batch_that_fails_leaves_nothing(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    with pytest.raises(TypeError):
        library.add_queries([QUERY, HistoryEntry("2026-11-22 04:26:21", Source.LOG, "r", trace={"no": object()})])
    assert library.find_queries(HistoryFilter()) == []
    library.close()


def test_that_traces_are_pressed_small(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    scores = {"exact": 0.0, "fuzzy": 0.5, "token_overlap": 0.25, "semantic": 0.7, "centroid": 0.6, "keyword": None}
    match = {"kind": "memory", "id": "a", "name": "a", "confidence": 0.65, "band": "medium", "scores": scores}
    (key,) = library.add_queries(
        [HistoryEntry("2026-11-22 04:26:21", Source.LOG, "q", trace={"matches": [match] * 20})]
    )
    query = some(library.query(key))
    assert query.trace == {"matches": [match] * 20}
    library.close()
    with closing(sqlite3.connect(tmp_path / "library.db")) as driver:
        (size,) = driver.execute("SELECT length(document) FROM traces").fetchone()
        assert size < len(str(query.trace)) / 10


SAID = "my bank code is 4711"
LOGGED = LoggedRoute(1.0, SAID, "window", RouteIntent.HYBRID, (), 0.9, RouteMethod.RULE, 0.9, f"it says {SAID}", 5.0)


def holding(folder: Path, sought: bytes) -> list[str]:
    return [file.name for file in folder.rglob("*") if file.is_file() and sought in file.read_bytes()]


def hashed(text: str, source: Source = Source.LOG) -> HistoryEntry:
    return replace(QUERY, text=None, digest=digest(text), source=source, trace=None)


def test_that_what_is_kept_hashed_cannot_be_guessed_from_the_file_and_is_known_again(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    (key,) = library.add_queries([hashed(SAID)])
    library.routes.add([LOGGED], hashed=True)
    assert library.add_queries([hashed(SAID)]) == [key] == library.queries_of([SAID])
    library.close()
    assert holding(tmp_path, digest(SAID)) == []
    library = SqlLibrary.open(tmp_path)  # the key remains after the program ends
    assert library.add_queries([hashed(SAID)]) == [key]
    (query,) = library.queries_by_key([key])
    assert query.times == 3
    library.close()


def test_that_two_profiles_keep_the_same_query_under_different_digests(tmp_path: Path) -> None:
    kept = set()
    for name in ("one", "two"):
        library = SqlLibrary.open(tmp_path / name)
        kept.add(library.queries_by_key(library.add_queries([hashed(SAID)]))[0].digest)
        library.close()
    assert len(kept) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_that_the_key_of_a_profile_is_its_owners_alone(tmp_path: Path) -> None:
    SqlLibrary.open(tmp_path / "profile").close()
    assert stat.S_IMODE((tmp_path / "profile" / connections.KEY_FILE).stat().st_mode) == 0o600


def test_that_a_key_which_is_none_is_made_anew(tmp_path: Path) -> None:
    SqlLibrary.open(tmp_path).close()
    file = tmp_path / connections.KEY_FILE
    file.write_bytes(b"")
    SqlLibrary.open(tmp_path).close()
    assert len(file.read_bytes()) == 32


def test_that_a_hashed_decision_of_the_router_still_has_the_labels_of_its_case(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    library.add("cases", [Case(SAID, ("graph", "neo"), Task.ROUTE), Case("other", ("x",), Task.ROUTE)])
    library.routes.add([LOGGED], hashed=True)
    (found,) = library.routes.find(RouteFilter())
    assert (found.text, found.labels) == ("", ("graph", "neo"))
    library.close()


def test_that_forgetting_a_query_that_is_hashed_by_now_forgets_what_the_router_kept_of_its_text(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    library.routes.add([LOGGED])
    library.forget_queries(library.add_queries([hashed(SAID)]))
    (found,) = library.routes.find(RouteFilter())
    assert (found.text, found.reasoning) == ("", "")
    assert holding(tmp_path, SAID.encode()) == []
    library.close()


def test_that_digests_of_before_are_keyed_in_the_library_and_its_copies(tmp_path: Path) -> None:
    folder = made_by(tmp_path / "profile", "0009")
    with closing(sqlite3.connect(folder / "library.db")) as driver, driver:
        driver.executemany(
            "INSERT INTO queries (source, digest, text, confidence, answer_confidence) VALUES ('log', ?, ?, 0, 0)",
            [(digest(SAID), None), (digest("plain"), "plain")],
        )
        driver.execute(
            "INSERT INTO route_decisions (at, digest, source, intent, databases, confidence, method, rule_confidence, "
            "rule_intent, llm_intent, reasoning, ms, cost) "
            "VALUES (1, ?, 'log', 'hybrid', '[]', 1, 'rule', 1, '', '', '', 1, 0)",
            (digest(SAID),),
        )
    assert holding(tmp_path, digest(SAID)) == ["library.db"]
    library = SqlLibrary.open(folder)
    first, second = library.find_queries(HistoryFilter(), descending=False)
    assert (
        library.queries_of([SAID, "plain"]) == [first, second] == library.add_queries([hashed(SAID), hashed("plain")])
    )
    library.close()
    assert len(list((folder / "backups").iterdir())) == 1
    assert holding(tmp_path, digest(SAID)) == holding(tmp_path, digest("plain")) == []
    (copy,) = (folder / "backups").iterdir()
    shutil.copyfile(copy, folder / "library.db")
    library = SqlLibrary.open(folder)  # a copy in its place finds the same queries
    assert library.queries_of([SAID, "plain"]) == [first, second]
    library.close()


# ---- compression


def older(folder: Path, number: int) -> SqlLibrary:
    """Make a library with this number of traces, written with the first dictionary only."""
    library = SqlLibrary.open(folder)
    keys = library.add_queries([replace(QUERY, text=f"q {n}") for n in range(number)])
    with closing(sqlite3.connect(folder / "library.db")) as driver, driver:
        for key in keys:
            press = zlib.compressobj(zdict=queries.SAMPLE)
            document = press.compress(orjson.dumps(traced(key))) + press.flush()
            driver.execute("UPDATE traces SET document = ? WHERE query_id = ?", (document, key))
    return library


def traced(key: int) -> dict[str, object]:
    scores = {name: 0.12345 + key * 0.00001 * place for place, name in enumerate(("exact", "fuzzy", "semantic"))}
    told = "Nothing was found that decides, so qdrant is searched, the safe choice."
    texts = ("Tag urgent, text refund", "Which tickets block the release, and what blocks those?")
    return {"matches": [{"kind": "memory", "scores": scores}] * 3, "route": {"reasoning": told, "nearest": texts}}


def test_that_the_sample_that_traces_refer_to_is_what_it_was() -> None:
    held = queries.SHAPES_FILE.read_bytes()
    assert zlib.adler32(held).to_bytes(4) == queries.SHAPES_NUMBER == bytes.fromhex("db8102d0")


def test_that_traces_of_before_are_read_and_are_the_same_when_they_are_pressed_anew(tmp_path: Path) -> None:
    library = older(tmp_path, 5)
    keys = library.find_queries(HistoryFilter())

    def held() -> list[bytes]:
        with closing(sqlite3.connect(tmp_path / "library.db")) as driver:
            return [row[0] for row in driver.execute("SELECT document FROM traces ORDER BY query_id")]

    def told() -> list[object]:
        return [orjson.dumps(query.trace) for query in library.traced_queries(keys)]

    before, said = held(), told()
    assert said == [orjson.dumps(traced(key)) for key in keys]
    last = library.compress_traces()
    assert last == max(keys)
    assert library.compress_traces(last) is None
    assert told() == said
    assert sum(map(len, held())) < 0.8 * sum(map(len, before))
    after = held()
    assert library.compress_traces() is None  # nothing is left to do
    assert held() == after
    library.close()


def test_that_a_trace_that_cannot_be_read_is_left_as_it_is(tmp_path: Path) -> None:
    library = older(tmp_path, 2)
    with closing(sqlite3.connect(tmp_path / "library.db")) as driver, driver:
        driver.execute("UPDATE traces SET document = x'78bb00112233445566' WHERE query_id = 1")
    assert library.compress_traces() == 2
    with closing(sqlite3.connect(tmp_path / "library.db")) as driver:
        assert (
            driver.execute("SELECT hex(document) FROM traces WHERE query_id = 1").fetchone()[0].startswith("78BB0011")
        )
    library.close()


def test_that_what_is_free_in_the_file_is_given_back(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    keys = library.add_queries([replace(QUERY, text=f"{n} {'long ' * 400}") for n in range(500)])
    library.forget_queries(keys[10:])
    before = library.size_bytes()
    library.reclaim_space()
    assert library.size_bytes() < before / 3
    assert library.find_queries(HistoryFilter()) == keys[:10]
    library.add_queries([QUERY])  # it continues with new queries
    library.close()


def test_that_a_full_disk_and_another_writer_are_told_and_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BUSY_TIMEOUT_MS", 50)
    library = older(tmp_path, 3)
    with monkeypatch.context() as patched:
        patched.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=1_000))
        with pytest.raises(StoreError, match="no room to rewrite it"):
            library.reclaim_space()
    with closing(sqlite3.connect(tmp_path / "library.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for work in (library.reclaim_space, library.compress_traces):
            with pytest.raises(StoreBusyError, match="in use by another program"):
                work()
    assert len(library.find_queries(HistoryFilter())) == 3
    library.close()


NAMES = ("a", "b", "c")
STORED: tuple[Item, ...] = (
    Memory(("one",), id="a"),
    Memory(("two",)),
    Power("a", transport=Transport("uvx", env={"TOKEN": ""}), approved=True),
    Power("b"),
    Rule("a", "howto", "how", "p", 0),
    Case("a", ("x",), Task.INTENT),
    Case("b", ("x",), Task.INTENT, unwanted=("y",)),
)

names = st.sampled_from(NAMES)
new: st.SearchStrategy[Item] = st.one_of(
    st.builds(lambda name, text: Memory((text,), id=name), st.none() | names, names),
    st.builds(Power, names, names),
    st.builds(lambda name, text: Rule(name, "howto", text, "p", 0), names, names),
    st.builds(lambda name, text: Case(name, (text,), Task.INTENT), names, names),
)
edits = st.tuples(st.integers(0, len(STORED) - 1), names, st.booleans())


def edited(stored: Sequence[Item], chosen: tuple[int, str, bool]) -> Item:
    """Return one of the stored items under another name, or with another change."""
    number, name, is_renamed = chosen
    match stored[number]:
        case Memory() as memory:
            return replace(memory, id=name) if is_renamed else replace(memory, response=name)
        case Power() as power:
            return replace(power, name=name) if is_renamed else replace(power, description=name)
        case Rule() as rule:
            return replace(rule, id=name) if is_renamed else replace(rule, pattern=name)
        case Case() as case:
            return replace(case, text=name) if is_renamed else replace(case, expected=(name,))


@given(st.lists(new | edits, max_size=8), st.sets(st.sampled_from(ItemKind)), st.booleans())
def test_that_a_change_is_the_same_in_one_chunk_as_one_by_one(
    drawn: list[Item | tuple[int, str, bool]], gone: set[ItemKind], anyway: bool
) -> None:
    found: list[tuple[object, ...]] = []
    for size in (1, 1_000):
        with TemporaryDirectory() as folder, mock.patch.object(connections, "CHUNK", size):
            library = SqlLibrary.open(Path(folder))
            first = some(library.change(Edit("taught"), STORED))
            items = [edited(first.items, one) if isinstance(one, tuple) else one for one in drawn]
            try:
                written = library.change(Edit("edited"), items, [(kind, 1) for kind in gone], anyway=anyway)
                told: object = None if written is None else written.items
            except KnownError as error:
                told = str(error)
            found.append((told, everything(library), [step.sentence for step in library.steps()]))
            library.undo()
            found.append((everything(library),))
            library.close()
    assert found[:2] == found[2:]


def everything(library: SqlLibrary) -> list[Item]:
    return [*library.memories(), *library.powers(), *library.rules(), *library.cases()]


KEPT = CachedRoute("q", "d", LlmAnswer("graph_traversal", 0.8, "json"), NOW)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[SqlLibrary]:
    made = SqlLibrary.open(tmp_path / "profile")
    made.add("memories", [Memory(("kept",))])
    made.routes.keep(KEPT, 10)
    yield made
    assert [memory.triggers for memory in made.memories()] == [("kept",)]
    made.close()


def spoil(library: SqlLibrary, *statements: str) -> None:
    connection = sqlite3.connect(library.file, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_that_damaged_answers_are_told_and_thrown_away(library: SqlLibrary) -> None:
    library.routes.keep(CachedRoute("second", "d", KEPT.answer, NOW), 10)
    spoil(library, "UPDATE route_cache SET confidence = 7 WHERE text = 'q'")
    found, damage = library.routes.find_answers("d", 0.0, NOW)
    assert ([one.text for one in found], damage) == (["second"], DAMAGED_ROWS)
    for spoiling in (
        "UPDATE route_cache SET confidence = 'x' WHERE text = 'q'",
        "UPDATE route_cache SET text = 'another' WHERE text = 'q'",
        "UPDATE route_cache SET mode = x'00ff' WHERE text = 'q'",
    ):
        library.routes.keep(KEPT, 10)
        spoil(library, spoiling)
        assert [one.text for one in library.routes.find_answers("d", 0.0, NOW)[0]] == ["second"]
    assert library.routes.find_answers("d", 0.0, NOW)[1] == ""


@pytest.mark.parametrize(
    "damage", [("DROP TABLE route_cache",), ("DROP TABLE route_cache", "CREATE TABLE route_cache (nonsense)")]
)
def test_that_a_lost_table_is_made_anew(library: SqlLibrary, damage: tuple[str, ...]) -> None:
    spoil(library, *damage)
    assert library.routes.find_answers("d", 0.0, NOW) == ([], DAMAGED_CACHE)
    library.routes.keep(KEPT, 10)
    assert library.routes.find_answers("d", 0.0, NOW)[0] == [KEPT]


def test_that_a_verb_makes_its_table_anew_too(library: SqlLibrary) -> None:
    spoil(library, "DROP TABLE route_cache", "DROP TABLE route_decisions")
    library.routes.keep(KEPT, 10)
    library.routes.add([LINE])
    assert len(library.routes.find(RouteFilter())) == 1
