"""Contract of every Library."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.store import connections
from app.domain.case import Case, Task
from app.domain.encoder import Provenance
from app.domain.errors import StoreError
from app.domain.intent import Rule, RulePurpose
from app.domain.library import Memory, Power, Tool, Transport
from app.ports.store import Library, WriteResult
from tests.build import put, remove
from tests.fakes import MemoryLibrary
from tests.team import ALONE, every_library

MINILM = Provenance("minilm", "1", 3)
NASTY = ("a\0b", "👩‍👩‍👧 emoji", "שלום עולם", "ﷺ\u202eabc", "quote ' \" ; --", "  spaces  ", "line\nbreak", "")


library = every_library


def keyless(memories: list[Memory]) -> list[Memory]:
    return [replace(memory, key=None) for memory in memories]


def without_values(power: Power) -> Power:
    return replace(power, transport=replace(power.transport, env=dict.fromkeys(power.transport.env, "")))


class TestMemories:
    def test_that_a_new_library_is_empty(self, library: Library) -> None:
        assert [library.memories(), library.powers(), library.rules(), library.cases()] == [[], [], [], []]
        assert set(library.counts()) == {"memories", "powers", "triggers", "rules", "cases", "embeddings"}
        assert not any(library.counts().values())

    def test_that_every_field_comes_back(self, library: Library) -> None:
        whole = Memory(("one", "two", "three"), "answer", "label", "patterns", ("a", "b"), "m-1", 0.7, 4, True)
        bare = Memory(("only",))
        change = library.add("memories", [whole, bare])
        assert keyless(library.memories()) == [whole, bare]
        assert change.added == tuple(memory.key for memory in library.memories())
        assert (change.updated, change.unchanged) == ((), 0)
        assert library.counts()["triggers"] == 4

    @pytest.mark.parametrize("text", NASTY)
    def test_that_any_text_comes_back_as_it_was(self, library: Library, text: str) -> None:
        memory = Memory((text, text + "x"), text, text, text, (text,), text)
        library.add("memories", [memory])
        assert keyless(library.memories()) == [memory]
        assert library.add("memories", [memory]).unchanged == 1

    def test_that_lone_surrogates_are_replaced(self, library: Library) -> None:
        library.add("memories", [Memory(("a\ud800b",), tags=("\udfff",), id="\ud83d")])
        library.add("cases", [Case("\ud800", ("\udc00",), Task.INTENT)])
        (memory,) = library.memories()
        assert (memory.triggers, memory.tags, memory.id) == (("a\ufffdb",), ("\ufffd",), "\ufffd")
        assert put(library, Memory(("\ud800",))).triggers == ("\ufffd",)
        assert [(case.text, case.expected) for case in library.cases()] == [("\ufffd", ("\ufffd",))]

    def test_that_adding_again_changes_nothing(self, library: Library) -> None:
        memories = [Memory(("a",), intent="x"), Memory(("a",), intent="y"), Memory(("a",)), Memory(("a",), id="n")]
        assert len(library.add("memories", memories).added) == 4
        assert library.add("memories", memories) == WriteResult((), (), 4)

    def test_that_another_response_to_the_same_text_and_label_is_an_update(self, library: Library) -> None:
        (key,) = library.add("memories", [Memory(("a",), "old", "x")]).added
        assert library.add("memories", [Memory(("a",), "new", "x")]) == WriteResult((), (key,), 0)
        assert [(memory.key, memory.response) for memory in library.memories()] == [(key, "new")]

    def test_that_an_id_is_stronger_than_the_text(self, library: Library) -> None:
        (key,) = library.add("memories", [Memory(("a",), id="n")]).added
        assert library.add("memories", [Memory(("b",), id="n")]).updated == (key,)
        assert library.add("memories", [Memory(("b",), id="other")]).updated == ()
        assert [memory.triggers for memory in library.memories()] == [("b",), ("b",)]

    def test_that_a_memory_without_id_keeps_the_id_of_the_one_it_restates(self, library: Library) -> None:
        library.add("memories", [Memory(("a",), "old", id="n")])
        library.add("memories", [Memory(("a",), "new")])
        assert [(memory.id, memory.response) for memory in library.memories()] == [("n", "new")]

    def test_that_history_stays_unless_the_newcomer_has_its_own(self, library: Library) -> None:
        library.add("memories", [Memory(("a",), success=0.9, usage=7, paused=True)])
        library.add("memories", [Memory(("a",), "new")])
        (memory,) = library.memories()
        assert (memory.response, memory.success, memory.usage, memory.paused) == ("new", 0.9, 7, True)
        library.add("memories", [Memory(("a",), "new", usage=8)])
        (memory,) = library.memories()
        assert (memory.success, memory.usage, memory.paused) == (0.5, 8, False)

    def test_that_a_line_with_one_known_trigger_leaves_the_others_alone(self, library: Library) -> None:
        library.add("memories", [Memory(("a", "taught later"))])
        assert library.add("memories", [Memory(("a",))]).unchanged == 1
        library.add("memories", [Memory(("a", "b", "c"))])
        assert library.memories()[0].triggers == ("a", "b", "c")

    def test_that_the_same_twice_in_one_call_is_stored_once(self, library: Library) -> None:
        change = library.add("memories", [Memory(("a",)), Memory(("a",)), Memory(("a",), "last")])
        assert (len(change.added), change.updated, change.unchanged) == (1, (), 1)
        assert [memory.response for memory in library.memories()] == ["last"]

    def test_that_a_failing_iterable_leaves_everything_as_it_was(self, library: Library) -> None:
        library.add("memories", [Memory(("before",), "old")])

        def memories() -> Iterator[Memory]:
            yield Memory(("before",), "new")
            yield from (Memory((f"m{number}",)) for number in range(2_500))
            raise LookupError("the file ended")

        with pytest.raises(LookupError, match="the file ended"):
            library.add("memories", memories())
        assert [(memory.triggers, memory.response) for memory in library.memories()] == [(("before",), "old")]
        assert len(library.add("memories", [Memory(("after",))]).added) == 1

    def test_that_a_removed_memory_can_be_put_back_under_its_key(self, library: Library) -> None:
        first, second = put(library, Memory(("a", "b"))), put(library, Memory(("c",)))
        remove(library, first)
        remove(library, first)
        assert library.memories() == [second]
        assert library.counts()["triggers"] == 1
        assert put(library, first) == first
        assert library.memories() == [first, second]

    def test_that_a_key_is_never_given_twice(self, library: Library) -> None:
        gone = put(library, Memory(("a",)))
        remove(library, gone)
        assert put(library, Memory(("b",))).key != gone.key
        assert gone.key not in library.add("memories", [Memory(("c",))]).added

    def test_that_a_taken_id_is_refused_with_a_sentence(self, library: Library) -> None:
        put(library, Memory(("a",), id="n"))
        other = put(library, Memory(("b",)))
        with pytest.raises(StoreError, match="“n”"):
            put(library, replace(other, id="n"))
        assert library.memories()[1] == other


class TestPowers:
    postgres = Power(
        "postgres",
        "Runs queries",
        ("database", "sql"),
        "Be careful.",
        (Tool("query", "Run one"), Tool("tables")),
        ("show my tables",),
        Transport("npx", ("-y", "pg"), {"URL": "x"}, None),
        paused=True,
    )

    def test_that_every_field_comes_back(self, library: Library) -> None:
        remote = Power("remote", transport=Transport(url="https://example.org/mcp"), approved=True)
        library.add("powers", [self.postgres, remote])
        assert [replace(power, key=None) for power in library.powers()] == [without_values(self.postgres), remote]

    def test_that_a_power_is_known_by_its_name(self, library: Library) -> None:
        (key,) = library.add("powers", [self.postgres, self.postgres]).added
        assert library.add("powers", [self.postgres]).unchanged == 1
        renewed = replace(self.postgres, description="New", tools=(Tool("only"),))
        assert library.add("powers", [renewed]).updated == (key,)
        assert [replace(power, key=None) for power in library.powers()] == [without_values(renewed)]

    def test_that_approval_stays_only_while_the_transport_does(self, library: Library) -> None:
        library.add("powers", [replace(self.postgres, approved=True)])
        library.add("powers", [replace(self.postgres, description="New words")])
        assert library.powers()[0].approved
        library.add("powers", [replace(self.postgres, transport=Transport("rm", ("-rf",)))])
        assert not library.powers()[0].approved

    def test_that_an_edit_cannot_carry_approval_to_another_transport(self, library: Library) -> None:
        library.add("powers", [replace(self.postgres, approved=True)])
        (stored,) = library.powers()
        library.add("powers", [replace(stored, transport=Transport("rm", ("-rf",)))])
        assert not library.powers()[0].approved

    def test_that_an_edited_power_can_lose_and_gain_its_approval(self, library: Library) -> None:
        library.add("powers", [self.postgres])
        for approved in (True, False):
            (stored,) = library.powers()
            library.add("powers", [replace(stored, approved=approved, paused=approved)])
            assert (library.powers()[0].approved, library.powers()[0].paused) == (approved, approved)

    def test_that_taught_examples_outlive_a_list_without_any(self, library: Library) -> None:
        library.add("powers", [self.postgres])
        library.add("powers", [replace(self.postgres, examples=())])
        assert library.powers()[0].examples == ("show my tables",)


class TestRulesAndCases:
    rule = Rule("howto.a", "howto", "how do i", "shipped", 2, 1.5, 0.9, "why", RulePurpose.ROUTE, False)

    def test_that_rules_are_known_by_their_id(self, library: Library) -> None:
        other = Rule("x.b", "x", "b", "mine", 1)
        earlier = replace(self.rule, id="howto.b", position=1)
        assert len(library.add("rules", [self.rule, other, earlier]).added) == 3
        assert library.rules() == [other, earlier, self.rule]
        assert library.add("rules", [self.rule, replace(other, enabled=False)]).unchanged == 1
        assert library.rules() == [replace(other, enabled=False), earlier, self.rule]

    def test_that_cases_are_known_by_task_and_text(self, library: Library) -> None:
        cases = [Case("q", ("a", "b"), Task.INTENT), Case("q", ("p",), Task.POWER), Case("none", (), Task.INTENT)]
        first, second, third = library.add("cases", cases).added
        assert library.add("cases", cases).unchanged == 3
        assert library.add("cases", [Case("q", ("c",), Task.INTENT)]) == WriteResult((), (first,), 0)
        assert library.cases(Task.INTENT) == [
            Case("q", ("c",), Task.INTENT, first),
            Case("none", (), Task.INTENT, third),
        ]
        assert library.cases(Task.POWER) == [Case("q", ("p",), Task.POWER, second)]
        assert len(library.cases()) == library.counts()["cases"] == 3


@ALONE
class TestEmbeddings:
    def test_that_vectors_come_back_for_their_texts_and_provenance(self, library: Library) -> None:
        texts = ["a", "b\0", "👩‍👧", "a"]
        vectors = np.arange(12, dtype=np.float32).reshape(4, 3)
        library.put_embeddings(MINILM, texts, vectors)
        found = library.embeddings(MINILM, [*texts, "unknown"])
        assert set(found) == set(texts)
        assert found["a"].dtype == np.float32
        assert found["a"].tolist() == [9, 10, 11]  # the later one of the same text
        assert found["👩‍👧"].tolist() == [6, 7, 8]
        for other in (replace(MINILM, revision="2"), replace(MINILM, encoder="x"), replace(MINILM, dimension=4)):
            assert library.embeddings(other, texts) == {}
        assert library.counts()["embeddings"] == 3

    def test_that_vectors_of_half_the_digits_come_back_as_they_were(self, library: Library) -> None:
        vectors = np.array([[0.1, -0.2, 0.3], [1e-6, 1.0, 0.0]], np.float16)
        library.put_embeddings(MINILM, ["a", "b"], vectors)
        library.put_embeddings(MINILM, ["c"], np.full((1, 3), 0.1, np.float32))
        found = library.embeddings(MINILM, ["a", "b", "c"])
        assert {vector.dtype for vector in found.values()} == {np.dtype(np.float32)}
        assert np.array_equal([found["a"], found["b"]], vectors.astype(np.float32))
        assert found["c"][0] == np.float32(0.1)

    def test_that_few_of_many_are_found_too(self, library: Library) -> None:
        texts = [f"text {number}" for number in range(3_000)]
        library.put_embeddings(MINILM, texts, np.repeat(np.arange(3_000, dtype=np.float32), 3).reshape(-1, 3))
        found = library.embeddings(MINILM, ["text 7", "text 2999", "other"])
        assert {text: vector[0] for text, vector in found.items()} == {"text 7": 7, "text 2999": 2999}
        assert library.embeddings(MINILM, []) == {}

    def test_that_texts_that_differ_by_a_lone_surrogate_share_a_vector(self, library: Library) -> None:
        library.put_embeddings(MINILM, ["\ud800"], np.ones((1, 3), dtype=np.float32))
        assert list(library.embeddings(MINILM, ["\udfff", "\ufffd"])) == ["\udfff", "\ufffd"]

    def test_that_another_shape_is_a_bug(self, library: Library) -> None:
        with pytest.raises(ValueError, match="array"):
            library.put_embeddings(MINILM, ["a"], np.ones((1, 4), dtype=np.float32))


@ALONE
class TestTheRest:
    def test_that_settings_are_kept_and_forgotten(self, library: Library) -> None:
        library.put_settings({"tiers.high": "0.9"})
        library.put_settings({"combination": "max"})
        library.put_settings({"tiers.high": "0.8"})
        assert library.setting_values() == {"combination": "max", "tiers.high": "0.8"}
        library.put_settings({"combination": None})
        library.put_settings({"combination": None})
        assert library.setting_values() == {"tiers.high": "0.8"}

    def test_that_our_own_writes_do_not_change_the_data_version(self, library: Library) -> None:
        before = library.data_version()
        library.add("memories", [Memory(("a",))])
        library.put_settings({"combination": "max"})
        assert library.data_version() == before

    def test_that_closing_twice_is_harmless(self, library: Library) -> None:
        library.close()
        library.close()


words = st.sampled_from(["a", "b", "c"])
memories = st.builds(
    Memory,
    triggers=st.lists(words, min_size=1, max_size=3).map(tuple),
    response=words,
    intent=st.none() | words,
    id=st.none() | words,
    usage=st.integers(0, 2),
)


@given(calls=st.lists(st.lists(memories, max_size=8), max_size=4), size=st.integers(1, 4))
def test_that_the_store_keeps_the_same_however_it_cuts_its_chunks(calls: list[list[Memory]], size: int) -> None:
    cut, whole = MemoryLibrary(), MemoryLibrary()
    for call in calls:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(connections, "CHUNK", size)
            added = cut.add("memories", call)
        assert added == whole.add("memories", call)
        assert cut.memories() == whole.memories()
    cut.end()
    whole.end()
