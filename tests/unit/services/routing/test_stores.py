"""Tests of stores after a decision: updated with changes, compared, fused, and evaluated."""

import io
import json
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from threading import Event
from typing import Any, cast

import pytest

from app.adapters.datastores.embedded import EmbeddedStore
from app.adapters.datastores.table import DATA_STORES
from app.detect.store_query import period_of_time
from app.display.routing.stores import store_evaluation_lines, store_evaluation_sentence
from app.domain.case import Case, Task
from app.domain.datastore import Document, Hit, Source, StoreAnswer, fused
from app.domain.errors import DataStoreError, DataStoreGoneError, EncoderError, FormatError, KnownError
from app.domain.library import Line, Memory, Power, Problem, Tool
from app.domain.route import RouteIntent
from app.ports.datastore import DataStore, StoreQuery
from app.ports.encoder import Embedder, Vectors
from app.services.routing import guarded_server
from app.services.routing import stores as services
from app.services.routing.store_evaluation import StoreEvaluation, evaluate_stores, right_ids
from app.services.routing.stores import StoreRun, Stores, StoreState, documents_of, state_of
from app.services.workbench import Workbench
from app.settings.sections import RouteSettings
from app.surfaces.cli.output import Printer
from app.surfaces.cli.routes import judge
from tests.build import library_of, remove, some
from tests.unit.services.benches import KeptValues, LetterEncoder, desk
from tests.waiting import PATIENCE

ANSWERS = (
    Memory(("the build is red",), "look at the first job", id="ci-red", tags=("build", "ci")),
    Memory(("signing fails",), id="signing", intent="fix-signing", namespace="blockers", tags=("build",)),
    Memory(("soup of the day",), id="soup", namespace="food"),
    Memory(("hidden",), id="hidden", tags=("build",), paused=True),
    Power("git", "commits and branches", ("vcs",), tools=(Tool("log"),)),
)
RELATED = "how are signing and soup related"
"""Query that 001's rules route to neo4j."""


class Watched(EmbeddedStore):
    """Store that records writes, and rejects some kinds of search."""

    def __init__(self, refuses: Sequence[RouteIntent] = ()) -> None:
        super().__init__()
        self.was_put: list[str] = []
        self.refuses = refuses

    def put(self, documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors]) -> None:
        super().put(kept := list(documents), vectors)
        self.was_put += [document.id for document, _ in kept]

    def search(self, query: StoreQuery) -> StoreAnswer:
        if query.intent in self.refuses:
            raise DataStoreError("The server is gone.")
        return super().search(query)


@asynccontextmanager
async def on_stores(
    *,
    refuses: Sequence[RouteIntent] = (),
    encoder: Callable[[], Embedder] = LetterEncoder,
    chosen: Mapping[str, object] = {},
) -> AsyncGenerator[tuple[Workbench, Watched], None]:
    library = library_of(
        *(one for one in ANSWERS if isinstance(one, Memory)), *(one for one in ANSWERS if isinstance(one, Power))
    )
    store = Watched(refuses)
    async with desk(lambda: library, encoder, **{"route.examples": False, **chosen}) as bench:
        adapters = replace(bench._adapters, data_stores={"embedded": lambda *_: store})
        bench.stores = Stores(bench, bench.routing, adapters)
        yield bench, store


async def steps(bench: Workbench, text: str, *, compare: bool = False) -> list[StoreRun]:
    return [step async for step in bench.stores.run(text, compare=compare)]


async def test_that_the_decision_comes_first_and_then_the_routed_answer() -> None:
    async with on_stores() as (bench, _):
        found = await steps(bench, RELATED)
        assert found[0].decision == found[-1].decision
        assert (found[0].replies, found[0].waiting) == ((), ("neo4j",))
        assert not found[0].is_over
        assert found[-1].is_over
        (reply,) = found[-1].replies
        assert (reply.store, reply.by, reply.is_routed, reply.fault) == ("neo4j", "embedded", True, "")
        assert [hit.name for hit in found[-1].hits] == ["signing", "soup", "ci-red"]
        assert found[-1].hits[-1].path == ("signing", "tag:build", "ci-red")


async def test_that_comparing_asks_all_in_their_order_and_leaves_the_answer_as_it_is() -> None:
    async with on_stores() as (bench, _):
        alone = (await steps(bench, RELATED))[-1]
        found = (await steps(bench, RELATED, compare=True))[-1]
        assert [reply.store for reply in found.replies] == ["neo4j", "graphiti", "qdrant", "postgresql"]
        assert [reply.is_routed for reply in found.replies] == [True, False, False, False]
        assert found.hits == alone.hits
        assert all(reply.answer and reply.answer.hits for reply in found.replies)
        by_meaning = some(found.replies[2].answer)
        assert len(by_meaning.hits) == len(ANSWERS) - 1


async def test_that_what_was_put_before_a_cancellation_stays_until_it_is_removed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.services.routing.stores.CHUNK", 1)
    async with on_stores() as (bench, store):
        stream = bench.stores.run(RELATED)
        async for step in stream:
            if step.filled == (1, 4):
                break
        await stream.aclose()
        assert len(store.was_put) == 1
        found = await steps(bench, RELATED)
        assert len(store.was_put) == len(set(store.was_put)) == 4
        assert [step.filled for step in found if step.filled[1]][-1] == (3, 3)
        assert found[-1].hits
        await bench.in_store(lambda library: remove(library, library.memories()[0]))
        await bench.ready()
        await steps(bench, RELATED)
        assert store.stored_states().keys() == {"memory:signing", "memory:soup", "power:git"}


async def test_that_several_routed_stores_are_fused_by_reciprocal_rank() -> None:
    async with on_stores() as (bench, _):
        found = (await steps(bench, "what is similar to the path between signing and soup"))[-1]
        assert found.decision.intent == RouteIntent.MULTI
        rankings = [[hit.id for hit in reply.answer.hits] for reply in found.replies if reply.answer is not None]
        assert len(rankings) == len(found.decision.databases) > 1
        assert [hit.id for hit in found.hits] == [each for each, _ in fused(rankings)]


async def test_that_a_store_that_fails_is_told_and_the_others_answer() -> None:
    async with on_stores(refuses=[RouteIntent.GRAPH]) as (bench, _):
        found = (await steps(bench, RELATED, compare=True))[-1]
        faults = {reply.store: reply.fault for reply in found.replies}
        assert faults == {"neo4j": "The server is gone.", "graphiti": "", "qdrant": "", "postgresql": ""}
        assert found.is_over
        assert found.hits == ()


async def test_that_a_query_that_names_nothing_starts_from_what_is_nearest() -> None:
    async with on_stores() as (bench, _):
        found = (await steps(bench, "how are red and first related"))[-1]
        assert found.hits[0].path == ("ci-red",)
    async with on_stores(refuses=[RouteIntent.HYBRID]) as (bench, _):
        assert (await steps(bench, "how are red and first related"))[-1].hits == ()


async def test_that_without_an_encoder_words_and_links_answer() -> None:
    def broken() -> Embedder:
        raise EncoderError("The encoder is broken.")

    async with on_stores(encoder=broken) as (bench, store):
        found = (await steps(bench, "how are signing and red related", compare=True))[-1]
        by_store = {reply.store: reply for reply in found.replies}
        assert "encoder" in by_store["qdrant"].fault
        assert by_store["postgresql"].answer is not None
        assert {hit.name for hit in by_store["postgresql"].answer.hits} >= {"ci-red", "signing"}
        store.was_put.clear()
        await steps(bench, RELATED)
        assert store.was_put == []


async def test_that_a_route_of_ones_own_has_no_store() -> None:
    cases = [Case(f"aaa {'a' * n}", ("orders",), Task.ROUTE) for n in range(1, 9)]
    cases += [Case(f"bbb {'b' * n}", ("stock",), Task.ROUTE) for n in range(1, 9)]
    library = library_of(*cases)
    async with desk(lambda: library) as bench:
        found = (await steps(bench, "aaa aaaa"))[-1]
        assert found.decision.databases == ("orders",)
        assert found.replies[0].fault == "No store “orders” is connected."
        assert found.hits == ()


async def test_that_what_cannot_be_asked_is_said() -> None:
    async with on_stores(chosen={"route.enabled": False}) as (bench, _):
        with pytest.raises(KnownError, match="switched off"):
            await steps(bench, RELATED)
    async with on_stores() as (bench, _):
        bench.stores = Stores(bench, bench.routing, replace(bench._adapters, data_stores={}))
        with pytest.raises(DataStoreError, match=services.NO_STORES):
            await steps(bench, RELATED)
    async with on_stores() as (bench, _):
        (first, last) = await steps(bench, "  ")
        assert (first.replies, last.waiting, last.hits) == ((), (), ())


# ---- servers


class Server(Watched):
    """Server that must be prepared, and may be gone or hang."""

    def __init__(self) -> None:
        super().__init__()
        self.is_ready = self.is_gone = False
        self.release = Event()
        self.release.set()
        self.asked = self.beside = 0
        self.lie: StoreAnswer | None = None

    def setup(self) -> str:
        self._reach()
        return "" if self.is_ready else "CREATE TABLE"

    def prepare(self) -> None:
        self.is_ready = True

    def count_foreign(self) -> int:
        return self.beside

    def search(self, query: StoreQuery) -> StoreAnswer:
        self._reach()
        return self.lie or super().search(query)

    def _reach(self) -> None:
        self.asked += 1
        self.release.wait(PATIENCE)
        if self.is_gone:
            raise DataStoreGoneError("Nobody answers.")


class Theirs(Server):
    """Foreign documents: one, with a field that no own document has."""

    def __init__(self) -> None:
        super().__init__()
        EmbeddedStore.put(self, [(replace(ONE, id="42", texts=("on the shelf",), fields={"shelf": ("top",)}), "")], {})

    def setup(self) -> str:
        raise DataStoreError("That is only read.")

    def count_foreign(self) -> int:
        return 1

    def sources(self) -> Sequence[Source]:
        return (Source("docs", {"id": "text", "body": "text", "shelf": "text"}),)

    def values(self) -> Mapping[str, tuple[str, ...]]:
        return {"shelf": ("top", "low")}


HYBRID_QUERY = "memories with the tag build"
ADDRESS = "postgresql://me@localhost/notes"


@asynccontextmanager
async def on_server(chosen: Mapping[str, object] = {}) -> AsyncGenerator[tuple[Workbench, Server, Any], None]:
    library = library_of(*(one for one in ANSWERS if isinstance(one, Memory)))
    server, secrets, wall = Server(), KeptValues(), [1_800_000_000.0]
    passwords: list[str | None] = []

    def opened(settings: RouteSettings, secret: Callable[[str], str | None], library: str) -> DataStore | None:
        assert library == "ours"
        passwords.append(secret("store:postgresql"))
        if settings.postgresql and settings.postgresql_mapping:
            return Theirs()
        return server if settings.postgresql else None

    async with desk(lambda: library, LetterEncoder, **{"route.examples": False, **chosen}) as bench:
        rows = {"embedded": DATA_STORES["embedded"], "postgresql": opened}
        adapters = replace(
            bench._adapters, data_stores=rows, secrets=cast("Any", secrets), wall_seconds=lambda: wall[0],
            library_identity=lambda: "ours",
        )  # fmt: skip
        bench.stores = Stores(bench, bench.routing, adapters)
        await bench.choose("route.postgresql", ADDRESS)
        yield bench, server, (secrets, passwords, wall)


async def test_that_a_server_is_filled_only_when_asked_and_then_answers_in_its_name() -> None:
    async with on_server() as (bench, server, _):
        assert await bench.stores.setup("postgresql") == "CREATE TABLE"
        states = {state.store: state for state in await bench.stores.states()}
        assert (states["postgresql"].held, states["postgresql"].late) == (0, 3)
        assert states["neo4j"] == StoreState("neo4j", "embedded")
        before = (await steps(bench, HYBRID_QUERY))[-1]
        assert (before.replies[0].by, before.hits, server.was_put) == ("postgresql", (), [])
        server.beside = 7
        filled = [step async for step in bench.stores.fill("postgresql")]
        assert filled == [(0, 3), (3, 3)]
        assert await bench.stores.setup("postgresql") == ""
        assert (await bench.stores.states())[-2] == StoreState("postgresql", "postgresql", 3, others=7)
        found = (await steps(bench, HYBRID_QUERY, compare=True))[-1]
        assert {reply.store: reply.by for reply in found.replies} == {
            "neo4j": "embedded", "graphiti": "embedded", "qdrant": "embedded", "postgresql": "postgresql",
        }  # fmt: skip
        assert {hit.name for hit in found.hits} == {"signing", "ci-red"}
        await bench.choose("route.postgresql", "")
        assert (await steps(bench, HYBRID_QUERY))[-1].replies[0].by == "embedded"
        with pytest.raises(DataStoreError, match="No store “postgresql” is connected"):
            await bench.stores.setup("postgresql")


async def test_that_documents_of_others_answer_by_their_own_fields_and_are_never_filled() -> None:
    async with on_server() as (bench, server, _):
        assert await bench.stores.sources("postgresql") == Theirs().sources()
        with pytest.raises(DataStoreError, match="cannot read documents that others wrote"):
            await bench.stores.sources("graphiti")
        with pytest.raises(DataStoreError, match="No store “qdrant” is connected"):
            await bench.stores.sources("qdrant")
        await bench.choose("route.postgresql_mapping", "docs; id=id; text=body; fields=shelf")
        state = next(each for each in await bench.stores.states() if each.store == "postgresql")
        assert state == StoreState("postgresql", "postgresql", others=1, mapped="docs; id=id; text=body; fields=shelf")
        with pytest.raises(DataStoreError, match="only read"):
            _ = [step async for step in bench.stores.fill("postgresql")]
        for query, ids in (("memories on shelf top", ["42"]), ("all on shelf low", [])):
            reply = next(one for one in (await steps(bench, query, compare=True))[-1].replies if one.by == "postgresql")
            assert (reply.fault, [hit.id for hit in reply.answer.hits] if reply.answer else None) == ("", ids)
        await bench.choose("route.postgresql_mapping", None)
        assert (await bench.stores.states())[3].mapped == ""
        assert server.was_put == []


async def test_that_a_server_that_is_gone_is_left_alone_for_a_while() -> None:
    async with on_server() as (bench, server, told):
        *_, wall = told
        server.is_gone = True
        for _ in range(3):
            assert (await steps(bench, HYBRID_QUERY))[-1].replies[0].fault == "Nobody answers."
        asked = server.asked
        resting = (await steps(bench, HYBRID_QUERY, compare=True))[-1]
        assert resting.replies[-1].fault.startswith("It failed 3 times in a row")
        assert all(reply.answer is not None for reply in resting.replies[:-1])
        assert (await bench.stores.states())[-2].fault == resting.replies[-1].fault
        assert server.asked == asked
        server.is_gone = False
        wall[0] += guarded_server.REST_SECONDS
        assert (await steps(bench, HYBRID_QUERY))[-1].replies[0].fault == ""


async def test_that_a_server_that_hangs_delays_neither_the_decision_nor_the_others() -> None:
    async with on_server() as (bench, server, _):
        server.release.clear()
        seen = []
        async for step in bench.stores.run(HYBRID_QUERY, compare=True):
            seen.append(step)
            if len(step.replies) == 3:
                assert step.waiting == ("postgresql",)
                server.release.set()
        assert seen[0].decision.databases == ("postgresql",)
        assert [reply.store for reply in seen[-2].replies] == ["neo4j", "graphiti", "qdrant"]
        assert seen[-1].replies[-1].fault == ""


async def test_that_a_server_that_lies_is_held_to_what_it_was_asked() -> None:
    async with on_server() as (bench, server, _):
        hits = [Hit(f"memory:{n % 20}", f"{n}", n / 100) for n in range(100)]
        server.lie = StoreAnswer((*hits, *hits), 1.0, "SELECT")
        found = (await steps(bench, HYBRID_QUERY, compare=True))[-1]
        assert [hit.name for hit in found.hits] == [str(n) for n in range(99, 89, -1)]


async def test_that_a_keyring_that_waits_keeps_the_others_from_nothing() -> None:
    async with on_server() as (bench, _, told):
        secrets, passwords, _ = told
        asked = Event()
        secrets.get = lambda _: asked.wait(PATIENCE) and None
        async for step in bench.stores.run(HYBRID_QUERY, compare=True):
            if len(step.replies) == 3:
                assert (step.waiting, passwords) == (("postgresql",), [])
                asked.set()


async def test_that_a_server_that_hangs_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "GRACE_SECONDS", 0.0)
    async with on_server({"route.store_seconds": 0.05}) as (bench, server, _):
        server.release.clear()
        found = (await steps(bench, HYBRID_QUERY))[-1]
        assert "did not answer within" in found.replies[0].fault
        server.release.set()


async def test_that_a_library_that_loads_is_no_delay_of_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[str, float | None]] = []
    call = services.OpenStore.call

    def noted(store: services.OpenStore, act: Any, seconds: float | None) -> Any:
        given.append((store.name, seconds))
        return call(store, act, seconds)

    monkeypatch.setattr(services.OpenStore, "call", noted)
    async with on_server() as (bench, *_):
        for _ in range(2):
            assert (await steps(bench, HYBRID_QUERY))[-1].replies[0].fault == ""
        asked = 5.0 + services.GRACE_SECONDS
        assert [seconds for name, seconds in given if name == "postgresql"] == [
            guarded_server.SERVER_SECONDS,
            asked,
            asked,
        ]


async def test_that_a_password_is_kept_with_the_secrets_and_used_from_then_on() -> None:
    async with on_server() as (bench, _, told):
        secrets, passwords, _ = told
        await bench.stores.keep_password("postgresql", "open sesame")
        await bench.stores.setup("postgresql")
        assert (secrets, passwords[-1]) == ({"store:postgresql": "open sesame"}, "open sesame")
        await bench.stores.keep_password("postgresql", "")
        assert secrets == {}
        with pytest.raises(DataStoreError, match="“nothing”"):
            await bench.stores.keep_password("nothing", "x")


ONE = Document("memory:a", "a", ("text",), {"kind": ("memory",), "tag": ("x", "y")}, "body", "2025", "2026")


def test_that_memories_hold_as_long_as_they_say_and_until_they_are_replaced() -> None:
    library = library_of(
        Memory(("old rule",), id="old"),
        Memory(("new rule",), id="new", valid_from="2024-01-01 00:00:00", replaces=("old", "nobody")),
        Memory(("newest rule",), id="newest", valid_from="2025-01-01 00:00:00", replaces=("new",)),
        Memory(("past",), id="past", valid_to="2023-01-01 00:00:00"),
    )
    found = {one.name: (one.since[:4], one.until[:4]) for one in documents_of(library)}
    assert found == {"old": ("", "2024"), "new": ("2024", "2025"), "newest": ("2025", ""), "past": ("", "2023")}
    store = EmbeddedStore()
    store.put([(one, "") for one in documents_of(library)], {})
    for day, wanted in (("2022", ["old", "past"]), ("2024", ["new"]), ("2025", ["newest"])):
        query = StoreQuery("rule past", RouteIntent.HYBRID, valid=period_of_time(f"{day}-06-01 00:00:00"))
        assert sorted(hit.name for hit in store.search(query).hits) == wanted
    walk = StoreQuery("", RouteIntent.GRAPH, anchors=("memory:newest",))
    assert ("newest", "id:new", "new") in [hit.path for hit in store.search(walk).hits]


def test_that_another_document_has_another_state() -> None:
    others = (
        replace(ONE, name="b"),
        replace(ONE, texts=("other",)),
        replace(ONE, fields={"tag": ("x",)}),
        replace(ONE, body=""),
        replace(ONE, since=""),
        replace(ONE, until=""),
    )
    words = {state_of(one, where) for one in (ONE, *others) for where in (None, LetterEncoder.provenance)}
    assert len(words) == 14
    assert state_of(replace(ONE), None) == state_of(ONE, None)
    assert state_of(replace(ONE, name="\ud800"), None)


CASES = [
    Case(HYBRID_QUERY, ("signing",), Task.MEMORY),
    Case(RELATED, ("soup",), Task.MEMORY),
    Case("memories with the label fix-signing", ("fix-signing",), Task.INTENT),
    Case("memories with the tag ci", ("nobody",), Task.MEMORY),
]


async def last(bench: Workbench) -> StoreEvaluation:
    found = [step async for step in evaluate_stores(bench.stores, CASES)]
    assert [(step.done, step.whole) for step in found] == [(n, len(CASES)) for n in range(len(CASES) + 1)]
    return found[-1]


async def test_that_a_failing_store_is_counted_and_lowers_its_recall(monkeypatch: pytest.MonkeyPatch) -> None:
    async with on_server() as (bench, server, _):
        async for _ in bench.stores.fill("postgresql"):
            pass
        server.drop(["memory:ci-red"])
        recall = some((await last(bench)).scores[-1].recall)
        assert 0.0 < recall < 1.0

        def gone(query: StoreQuery) -> Any:
            raise DataStoreGoneError("Nobody answers.")

        monkeypatch.setattr(server, "search", gone)
        score = (await last(bench)).scores[-1]
        assert (score.faults, score.among, score.ms, score.recall) == (len(CASES), 0, (), None)


def test_that_the_right_answers_are_known_by_name_and_label() -> None:
    memory = Document("memory:git", "git", (), {"kind": ("memory",), "label": ("vcs",)})
    power = Document("power:git", "git", (), {"kind": ("power",)})
    both = [memory, power]
    assert right_ids(Case("q", ("git",), Task.MEMORY), both) == {memory.id}
    assert right_ids(Case("q", ("git",), Task.POWER), both) == {power.id}
    assert right_ids(Case("q", ("vcs", "x"), Task.INTENT), both) == {memory.id}
    assert right_ids(Case("q", ("x",), Task.POWER), both) == frozenset()


async def test_that_the_terminal_tells_it_in_a_table_and_as_a_document() -> None:
    async with on_server() as (bench, _, _):
        lines: list[Line[Case] | Problem] = [Line(n, case) for n, case in enumerate(CASES, 1)]
        out = io.StringIO()
        await judge(bench, lines, Printer(out, as_json=True))
        told = json.loads(out.getvalue())
        assert (told["n"], told["strange"], told["stores"][0]["store"]) == (4, 1, "neo4j")
        found = await last(bench)
        assert store_evaluation_sentence(StoreEvaluation(0, 9)) == "Judging: 0 of 9"
        shown = store_evaluation_lines(found)
        assert shown[0] == (
            "4 labelled queries. Routed answer: right first in 0 %, among its hits in 50.0 %; "
            "any store had it in 75.0 %. 1 expects nothing that is taught here."
        )
        assert len(shown) == 2 + 4
        with pytest.raises(FormatError, match="no case"):
            await judge(bench, [Line(1, Case("q", ("graph",), Task.ROUTE))], Printer(out))
