"""Tests of injected memories: exact for any weights, the first reason against one, and validity."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from app.adapters.encoders.minilm import WordPieceCounter
from app.detect.surfacing import Cut, Surfaced, memory_text, number_text
from app.display.documents import inspection_document
from app.display.scope.verdict import Outcome, decisions, verdict_document
from app.display.scope.why_not import sentences, why_not_document, why_not_lines
from app.display.scope.why_not_sentences import injection_words
from app.domain.health import FindingKind
from app.domain.inspection import Decision, Inspection
from app.domain.intent import DetectionSource, IntentType, SearchIntent
from app.domain.library import NAMESPACES, Kind, Memory, Power
from app.domain.why_not import Expectation, Injection
from app.scoring.index.scales import confidences
from app.services.scope import surfacing
from app.services.scope import surfacing as service
from app.services.workbench import Workbench
from tests.build import library_of, some
from tests.unit.services.benches import LetterEncoder, desk
from tests.unit.services.review.test_health import found as health
from tests.unit.services.review.test_health import names

QUERY = "how do I sign the build"


def many(count: int, seed: int = 3) -> list[Memory]:
    dice = random.Random(seed)
    words = "how do i sign the build release key cloud error test page open file run".split()
    return [
        Memory(
            (" ".join(dice.choices(words, k=dice.randint(2, 7))) + f" {number}",),
            f"Answer {number}.",
            namespace=dice.choice(NAMESPACES),
            id=f"m{number}",
            success=number * 37 % 101 / 100,
        )
        for number in range(count)
    ]


async def inspected(bench: Workbench, confidence: float = 0.85, type_: IntentType = IntentType.HOWTO) -> Inspection:
    inspection = await bench.settle(QUERY)
    return replace(inspection, intent=SearchIntent(type_, confidence, DetectionSource.KEYWORD))


@pytest.mark.parametrize("least", [0.0, 0.45, 0.6])
@pytest.mark.parametrize("few", [0, 10_000])
@pytest.mark.parametrize(
    ("weights", "counts"),
    [({}, 0.0), ({"howto.help": "10"}, 1.0), ({"howto.patterns": "0", "howto.apis": "0.1", "howto.testing": "7"}, 0.4)],
)
async def test_that_the_list_is_that_of_weighing_every_memory(
    monkeypatch: pytest.MonkeyPatch, weights: dict[str, str], counts: float, few: int, least: float
) -> None:
    monkeypatch.setattr(surfacing, "FIRST", 4)
    monkeypatch.setattr(surfacing, "TIMES", 3)
    monkeypatch.setattr(surfacing, "FEW", few)
    changes = {f"namespaces.weights.{cell}": value for cell, value in weights.items()}
    changes["search_intent.surfacing_confidence"] = str(least)
    changes["search_intent.surfacing_success"] = str(counts)

    library = library_of(*many(400))
    async with desk(lambda: library) as bench:
        inspection = await inspected(bench)
        found = await bench.surface(inspection, changes)
        index, settings = bench.engine.index, bench._settings.under(changes)
        scores = service._scored(bench.engine, index, inspection, settings)
        answers = [index.candidate(int(slot)).answer for slot in scores.layout.slots]
        every = [
            (
                confidence < least,
                -confidence
                * (
                    settings.namespaces.weight(IntentType.HOWTO, answer.namespace)
                    * (1 + counts * (2 * answer.success - 1))
                ),
                -confidence,
                place,
            )
            for place, (answer, confidence) in enumerate(
                zip(answers, confidences(scores, settings).tolist(), strict=True)
            )
            if isinstance(answer, Memory)
        ]
        best = [answers[place].key for _, product, _, place in sorted(every) if product < 0][: service.LISTED]
        assert [entry.memory.key for entry in found.entries] == best
        assert found.pool <= found.memories == 400


async def test_that_confidences_are_those_of_the_inspection() -> None:
    library = library_of(*many(60))
    async with desk(lambda: library) as bench:
        inspection = await inspected(bench)
        found = await bench.surface(inspection)
        shown = {m.answer.key: m.confidence for m in inspection.matches if m.answer.kind is Kind.MEMORY}
        listed = {entry.memory.key: entry.weighed.confidence for entry in found.entries}
        common = shown.keys() & listed.keys()
        assert len(common) >= 5
        np.testing.assert_allclose([listed[key] for key in common], [shown[key] for key in common], rtol=0, atol=0)


def surfaced_of(memories: Sequence[Memory], confidence: float = 0.85, **chosen: object) -> Surfaced:
    async def work() -> Surfaced:
        library = library_of(*memories)
        async with desk(lambda: library, LetterEncoder, **chosen) as bench:
            return await bench.surface(await inspected(bench, confidence))

    return asyncio.run(work())


@pytest.mark.parametrize("certain", [0.0, 0.85])
def test_that_an_intent_below_the_threshold_keeps_all_out_but_what_is_certain(certain: float) -> None:
    memories = [*many(5), Memory((QUERY,), "So.", id="certain")]
    found = surfaced_of(memories, 0.45, **{"search_intent.certain_confidence": certain})
    assert found.row is None
    assert [entry.memory.id for entry in found.inside] == (["certain"] if certain else [])
    assert found.text.startswith("Memories for this question:\n" if certain else "")
    assert "its type is" not in found.text
    assert all(entry.cut is Cut.THRESHOLD for entry in found.entries if entry.cut is not None)


def test_that_paused_and_failing_memories_are_told_with_the_confidence_that_they_would_have() -> None:
    memories = [
        Memory((QUERY,), "So.", id="paused", paused=True),
        Memory((f"{QUERY}.",), "So.", id="failing", success=0.1),
        Memory(("how do I sign a build",), "So.", id="scored"),
    ]
    found = surfaced_of(memories, min_score=0.3)
    assert [entry.memory.id for entry in found.entries] == ["scored"]
    told = {one.memory.id: (cut, one.confidence >= 0.95, one.memory.paused) for one, cut in found.set_aside}
    assert told == {"paused": (Cut.PAUSED, True, True), "failing": (Cut.SUCCESS, True, False)}


def test_that_a_library_whose_memories_are_all_paused_surfaces_nothing_and_says_why() -> None:
    found = surfaced_of([Memory((QUERY,), "So.", id="paused", paused=True)])
    assert found.entries == ()
    assert [(one.memory.id, cut) for one, cut in found.set_aside] == [("paused", Cut.PAUSED)]


@pytest.mark.parametrize("few", [0, 10_000])
def test_that_a_memory_without_a_response_is_not_injected(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(surfacing, "FEW", few)
    silent = [Memory((f"{QUERY} {n}",), " \n", id=f"silent{n}") for n in range(20)]
    found = surfaced_of([*silent, Memory((QUERY,), "So.", id="spoken")])
    assert [entry.memory.id for entry in found.entries] == ["spoken"]
    assert found.text.count("\n1. ") == 1
    assert {cut for _, cut in found.set_aside} == {Cut.SILENT}
    assert surfaced_of(silent).text == ""


async def test_that_what_is_set_aside_is_scored_as_it_is_once_it_is_not() -> None:
    apart, mail = (
        Memory(("good day bob",), "So.", "greeting", id="apart"),
        "Good day, Bob! Request a vacation now. Zzz zz zz.",
    )
    beside = [Memory((f"good day {n}",), "So.", "hi", id=f"b{n}") for n in range(3)]

    library = library_of(replace(apart, paused=True), *beside, Memory(("request a vacation now",), "So."))
    async with desk(lambda: library) as bench:
        # Its vector was made during scoring.
        encoder = some(bench.engine.encoder)
        library.put_embeddings(encoder.provenance, list(apart.triggers), encoder.encode(apart.triggers))
        before = await bench.surface(await bench.settle(mail))
        (one, _), *_ = before.set_aside
        await bench.journal.edit(replace(one.memory, paused=False))
        await bench.ready()
        now = next(match for match in (await bench.settle(mail)).matches if match.answer.name == "apart")
        assert now.confidence == pytest.approx(one.confidence, abs=1e-6)


def test_that_a_tokenizer_that_is_missing_is_estimated_and_said() -> None:
    found = surfaced_of([Memory((QUERY,), "x" * 80, id="a")])
    assert found.counted_by.startswith("estimate")
    assert found.count_fault == "No tokenizer is set up."
    (entry,) = found.entries
    assert len(entry.text) / 4 <= entry.tokens <= len(entry.text) / 4 + 2
    assert found.tokens == found.head_tokens + entry.tokens


def test_that_the_budget_of_the_settings_cuts() -> None:
    found = surfaced_of(
        [Memory((f"{QUERY} {n}",), "word " * 100, id=f"m{n}") for n in range(8)],
        **{"search_intent.surfacing_tokens": 400},
    )
    inside = len(found.inside)
    assert 0 < inside < 8
    assert found.tokens <= 400 < found.entries[inside].total
    assert found.entries[inside].cut is Cut.BUDGET


async def test_that_an_empty_query_surfaces_nothing() -> None:
    async with desk(lambda: library_of(*many(3))) as bench:
        found = await bench.surface(await bench.settle(" "))
        assert (found.entries, found.text) == ((), "")


async def test_that_a_library_of_powers_alone_surfaces_nothing() -> None:
    library = library_of(Power("signing", keywords=("sign",)))
    async with desk(lambda: library) as bench:
        found = await bench.surface(await inspected(bench))
        assert (found.entries, found.text) == ((), "")


def test_that_the_real_tokenizer_counts_parts_that_add_up() -> None:
    tokens = WordPieceCounter.load()
    parts = ["Memories for this question:\n", "\n1. [patterns] sign the build\n   Use the signing-key.\n"]
    parts += [number_text(12), memory_text(Memory(("sign 2 builds",), "It's so."))]
    unscored_items = tokens.count(parts)
    assert sum(unscored_items) == tokens.count(["".join(parts)])[0]
    assert tokens.count(["hello world", "", "word " * 1000]) == [2, 0, 1000]


@pytest.mark.parametrize(("most", "inside"), [(50, 0), (110, 1), (160, 2), (220, 3), (310, 4), (410, 5), (4_000, 5)])
async def test_that_display_injects_what_a_hook_injects_and_counts_nothing(
    monkeypatch: pytest.MonkeyPatch, most: int, inside: int
) -> None:
    monkeypatch.setattr(service.LettersByFour, "count", lambda _, texts: [len(text) for text in texts])
    taught = [Memory((f"sign the build {n}",), "Sign — it. " * n, "signing", id=f"m{n}") for n in range(1, 6)]
    library = library_of(*taught)
    async with desk(lambda: library) as bench:
        await bench.choose_all(
            {
                "search_intent.surfacing_tokens": str(most),
                "search_intent.surfacing_coverage": "0",
                "search_intent.certain_confidence": "0.01",
            }
        )
        found = await bench.settle("sign the build 1")
        surfaced = await bench.surface(found)
        bench.engine.count_tokens = lambda texts: pytest.fail("counted for display")
        shown = verdict_document(found, bench.settings)["memory"]["injected"]
    assert shown == [entry.memory.name for entry in surfaced.inside]
    assert len(surfaced.inside) == inside


UNSURE = {"search_intent.surfacing_threshold": "0.99", "search_intent.certain_confidence": "0"}

INJECTION_QUERY = "how do I create a branch"


@pytest.mark.parametrize(
    ("expect", "settings", "said"),
    [
        ("memory:branch", {}, "as number 1"),
        ("intent:git", {}, "as number 1"),
        ("memory:branch", {"search_intent.surfacing_tokens": "1"}, "1 are allowed"),
        (
            "memory:branch",
            {"search_intent.surfacing_threshold": "0.99", "search_intent.certain_confidence": "0"},
            "below 99 %",
        ),
        ("memory:coffee", {}, "its confidence is too low"),
        ("memory:silent", {}, "it has no response"),
        ("memory:paused", {}, "it is paused"),
        ("intent:howto", {}, ""),
        ("power:none", {}, ""),
        ("memory:misspelt", {}, ""),
        ("intent:misspelt", {}, ""),
    ],
)
async def test_that_the_first_reason_is_told_in_both_places(expect: str, settings: dict[str, str], said: str) -> None:
    async with desk() as bench:
        for memory in (
            Memory(("create a branch",), "Run it.", "git", id="branch"),
            Memory(("zzz",), "Brew it.", id="coffee"),
            Memory(("how do I create a branch?",), id="silent"),
            Memory(("how do I create a branch!",), "No.", id="paused", paused=True),
        ):
            await bench.curator.teach(memory)
        await bench.ready()
        if settings:
            await bench.choose_all(settings)
        found = await bench.why_nots.explain(INJECTION_QUERY, Expectation.of(expect))
        words = injection_words(found.injection)
        assert said in words
        assert bool(said) is bool(words)
        assert any(words and words in line for line in why_not_lines(found)) is bool(said)
        document = why_not_document(found)["injection"]
        assert (document is None) is not bool(said)
        if document is not None:
            assert document["injected"] is ("as number" in said)


@pytest.mark.parametrize("cut", Cut)
def test_that_a_heavy_namespace_is_named_where_the_order_decides(cut: Cut) -> None:
    words = injection_words(Injection(12, cut, weight=1.5, namespace="patterns", most=10))
    assert ("“patterns” count 1.5 times" in words) is (cut in (Cut.COUNT, Cut.COVERED, Cut.BUDGET))


def test_that_what_is_far_is_said_to_be() -> None:
    assert "its confidence is too low" in injection_words(Injection(None, None))
    assert "min_score" in injection_words(Injection(None, "success"))


PAST, FUTURE = "2001-01-01 00:00:00", "2999-01-01 00:00:00"
OLD = Memory(("connect to the vpn",), "Use the old client.", "vpn", id="old-vpn")
NEW = Memory(("how to connect to the vpn now",), "Use the new client.", "vpn", id="new-vpn")
OTHER = Memory(("water the plants",), "Twice a week.", id="plants")


async def asked(*memories: Memory, text: str = "connect to the vpn") -> tuple[Inspection, Surfaced, Workbench]:
    library = library_of(*list(memories))
    async with desk(lambda: library) as bench:
        found = await bench.settle(text)
        return found, await bench.surface(found), bench


def injected(surfaced: Surfaced) -> list[str]:
    return [entry.memory.name for entry in surfaced.inside]


@pytest.mark.parametrize(
    ("old", "new", "cut", "reason"),
    [
        (replace(OLD, valid_to=PAST), NEW, Cut.EXPIRED, "no longer valid since 2001-01-01"),
        (replace(OLD, valid_from=FUTURE), NEW, Cut.NOT_YET, "not valid before 2999-01-01"),
        (OLD, replace(NEW, replaces=("old-vpn",)), Cut.REPLACED, "replaced by new-vpn"),
        (replace(OLD, valid_to=PAST), replace(NEW, replaces=("old-vpn",)), Cut.EXPIRED, "no longer valid since"),
    ],
)
async def test_that_what_does_not_hold_is_passed_over_with_why(old: Memory, new: Memory, cut: Cut, reason: str) -> None:
    found, surfaced, bench = await asked(old, new, OTHER)
    assert "old-vpn" not in injected(surfaced)
    assert (cut, "old-vpn") in [(why, one.memory.name) for one, why in surfaced.set_aside]
    memory = decisions(found, bench.settings)[Decision.MEMORY]
    assert memory.name != "old-vpn"
    assert f"old-vpn is passed over: it is {reason}" in memory.reason
    told = {one["name"]: one for one in inspection_document(found, bench.settings)["memories"]}
    assert told["old-vpn"]["lapse"]["kind"] == cut.value
    assert "lapse" not in told["new-vpn"]
    last = [match for match in found.matches if match.kind is Kind.MEMORY][-1]
    assert last.answer.name == "old-vpn", "it follows those that hold"
    assert not last.is_found


async def test_that_why_not_says_of_a_far_memory_that_it_is_not_valid() -> None:
    async with desk(lambda: library_of(replace(OLD, valid_to=PAST), OTHER)) as bench:
        found = await bench.why_nots.explain("water them", Expectation("memory", "old-vpn"))
    assert sentences(found)[0].startswith("“old-vpn” is passed over")
    assert sentences(found)[1] == "It would not be injected: it is no longer valid."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (replace(OLD, valid_to=FUTURE, valid_from=PAST), NEW),
        (OLD, replace(NEW, replaces=("old-vpn",), valid_from=FUTURE)),
        (OLD, replace(NEW, replaces=("old-vpn",), paused=True)),
        (replace(OLD, replaces=("old-vpn",)), NEW),
        (replace(OLD, replaces=("new-vpn",)), replace(NEW, replaces=("old-vpn",))),
    ],
)
async def test_that_what_holds_is_injected(old: Memory, new: Memory) -> None:
    found, surfaced, bench = await asked(old, new, OTHER)
    assert injected(surfaced)[0] == "old-vpn"
    memory = decisions(found, bench.settings)[Decision.MEMORY]
    assert (memory.name, memory.outcome) == ("old-vpn", Outcome.INJECTED)


async def test_that_nothing_is_decided_where_all_that_is_near_does_not_hold() -> None:
    found, surfaced, bench = await asked(replace(OLD, valid_to=PAST))
    assert injected(surfaced) == []
    memory = decisions(found, bench.settings)[Decision.MEMORY]
    assert (memory.name, memory.outcome) == ("", Outcome.NONE)
    assert memory.reason == "old-vpn is passed over: it is no longer valid since 2001-01-01."


async def test_that_many_of_the_past_take_no_place_from_what_holds() -> None:
    past = [replace(OLD, id=f"past-{number}", valid_to=PAST) for number in range(70)]
    found, surfaced, _ = await asked(*past, replace(NEW, triggers=OLD.triggers), OTHER)
    assert found.memories[0].answer.name == "new-vpn"
    assert injected(surfaced)[:1] == ["new-vpn"]


async def test_that_what_is_replaced_is_listed_after_the_matches_that_the_list_has_room_for() -> None:
    others = [Memory((f"water the plants of floor {number}",), "Twice.", id=f"floor-{number}") for number in range(20)]
    old, new = replace(OLD, intent=None), replace(NEW, intent=None, replaces=("old-vpn",))
    found, _, bench = await asked(old, new, *others)
    assert len(found.memories) == bench.settings.matches + 1
    assert found.memories[-1].answer.name == "old-vpn"
    assert "old-vpn is passed over" in decisions(found, bench.settings)[Decision.MEMORY].reason


async def test_that_a_validity_that_changes_counts_at_once() -> None:
    library = library_of(OLD, NEW)
    async with desk(lambda: library) as bench:
        (first, *_) = (await bench.settle(OLD.triggers[0])).memories
        assert first.answer.name == "old-vpn"
        assert isinstance(first.answer, Memory)
        bench.engine.index.restate([replace(first.answer, valid_to=PAST)])
        assert bench.engine.index.lapses.most == 1
        bench.engine.index.restate([first.answer])
        assert bench.engine.index.lapses.most == 0


async def test_that_health_reports_what_does_not_hold_and_what_contradicts() -> None:
    told = await health(replace(OLD, valid_to=PAST), NEW, OTHER)
    (one,) = told[FindingKind.MEMORY_LAPSED].subjects
    assert (one.name, one.rival) == ("old-vpn", "no longer valid since 2001-01-01")
    assert FindingKind.CONTRADICTION not in told
    against = replace(NEW, triggers=("something else", "Connect  to the VPN"))
    told = await health(OLD, against, OTHER)
    (one,) = told[FindingKind.CONTRADICTION].subjects
    assert (one.name, one.about, one.rival) == ("new-vpn", "Connect  to the VPN", "old-vpn")
    for near, is_told in (("connect to the VPNs?", True), ("the VPN to connect", False), ("connect to VPN", False)):
        assert (FindingKind.CONTRADICTION in await health(OLD, replace(NEW, triggers=(near,)), OTHER)) is is_told, near
    for one_text, near in (("set -5", "set 5"), ("50 %", "50"), ("the news", "the new"), ("learn C++", "learn C")):
        old, new = (replace(memory, triggers=(text,)) for memory, text in ((OLD, one_text), (NEW, near)))
        assert FindingKind.CONTRADICTION not in await health(old, new), near
    same = replace(against, response="use the old  client.")
    assert FindingKind.CONTRADICTION not in await health(OLD, same, OTHER), "they say the same"
    assert FindingKind.CONTRADICTION not in await health(replace(OLD, valid_to=PAST), against, OTHER), (
        "one is of the past"
    )
    assert names((await health(OLD, replace(against, replaces=("old-vpn",)), OTHER))[FindingKind.MEMORY_LAPSED]) == [
        "old-vpn"
    ]
