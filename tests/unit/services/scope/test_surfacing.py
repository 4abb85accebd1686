"""Tests of the injection preview: exact for any weights, with the memories left out."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from app.adapters.encoders.minilm import WordPieceCounter
from app.detect.surfacing import Cut, Surfaced, memory_text, number_text
from app.display.scope.verdict import verdict_document
from app.domain.intent import DetectionSource, IntentType, SearchIntent
from app.domain.library import NAMESPACES, Kind, Memory, Power
from app.domain.scope.inspection import Inspection
from app.scoring.index.ranking import confidences
from app.services.scope import surfacing
from app.services.scope import surfacing as service
from app.services.workbench import Workbench
from tests.build import library_of, some
from tests.unit.services.benches import LetterEncoder, desk

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


async def test_that_what_is_set_aside_is_scored_by_the_mean_of_its_whole_label() -> None:
    unscored_items = Memory(("sign the build",), "So.", "signing", id="apart")
    beside = [Memory((f"how to sign {n}",), "So.", "signing", id=f"b{n}") for n in range(3)]

    library = library_of(replace(unscored_items, paused=True), *beside)
    async with desk(lambda: library) as bench:
        # Its vector was made during scoring.
        encoder, triggers = some(bench.engine.encoder), unscored_items.triggers
        library.put_embeddings(encoder.provenance, list(triggers), encoder.encode(triggers))
        before = await bench.surface(await inspected(bench))
        (one, _), *_ = before.set_aside
        await bench.journal.edit(replace(one.memory, paused=False))
        await bench.ready()
        after = await bench.surface(await inspected(bench))
        assert after.set_aside == ()
        now = next(entry for entry in after.entries if entry.memory.id == "apart")
        assert now.weighed.confidence == pytest.approx(one.confidence, abs=1e-6)


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


@pytest.mark.parametrize(("most", "inside"), [(50, 0), (150, 1), (200, 2), (260, 3), (350, 4), (450, 5), (4_000, 5)])
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
