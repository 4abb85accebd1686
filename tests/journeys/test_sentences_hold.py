"""Tests that each sentence of an answer states the field that it is about, and that reasons add up."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import starmap
from pathlib import Path
from typing import Any

import pytest

from app.bootstrap import make_workbench
from app.detect.surfacing import Surfaced
from app.display import words
from app.display.documents import full_inspection_document
from app.display.scope.matches.rows import match_details, match_rows
from app.display.scope.text import as_text
from app.display.scope.verdict import OUTCOME_WORDS, Outcome, verdict
from app.display.scope.why_not import why_not_document, why_not_lines
from app.domain.scope.inspection import Inspection
from app.domain.scope.why_not import Expectation, WhyNot
from app.settings.model import Choices, Settings
from app.surfaces.cli.terminal import opened
from tests.program import run
from tests.reason_law import assert_reason_holds

RESOURCES = Path(__file__).parents[2] / "resources"
P = r"([<>]?[\d.]+ %)"
Answered = tuple[Inspection, Surfaced, WhyNot | None, Settings]


def rows_of(name: str, step: int = 1) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (RESOURCES / name).read_text("utf-8").splitlines()[::step] if line.strip()]


async def asked(profile: Path, rows: list[dict[str, Any]], expected: Expectation) -> list[Answered]:
    async with opened(make_workbench(Choices(profile)), wait=True) as bench:
        found = [await bench.settle_as(row["text"], {}) for row in rows]
        whys = {row["text"]: await bench.why_nots.explain(row["text"], expected, lambda *_: None) for row in rows[::20]}
        return [(one, await bench.surface(one), whys.get(one.query.text), bench.settings) for one in found]


@pytest.fixture(scope="module")
def answers(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Answered]:
    """Return answers to shipped queries by the sample library, and to others by memories of few intents."""
    folder = tmp_path_factory.mktemp("other")
    taught = enumerate(rows_of("datasets/routes.jsonl", 20))
    memory = [{"id": f"m{n}", "intent": one["route"], "triggers": [one["text"]], "response": "x"} for n, one in taught]
    (folder / "memories.jsonl").write_text("\n".join(map(json.dumps, memory)), "utf-8")
    assert run("import", str(folder / "memories.jsonl"), profile=folder / "profile").returncode == 0
    shipped = [*rows_of("seed/cases.jsonl"), *rows_of("datasets/tiers.jsonl", 2), *rows_of("datasets/types.jsonl", 40)]
    other = asked(folder / "profile", rows_of("datasets/routes-held-out.jsonl", 5), Expectation("memory", "m1"))
    return asyncio.run(asked(seeded, shipped, Expectation("power", "docker"))) + asyncio.run(other)


def states(shown: str, field: Any) -> bool:
    """Check that a text states a field; 99.9 is the largest number of points below 100."""
    if not isinstance(field, float):
        return shown == str(field or "")
    bare = shown.strip("<> %")
    number, digits = float(bare or "nan") / 100, len(bare.partition(".")[2])
    if shown[:1] in {"<", ">"} or bare == "99.9":
        return 0.0 < field <= number if shown[0] == "<" else number - 5e-4 <= field < 1.0
    return abs(field - number) <= 0.005 * 10**-digits + 1e-9 or (not bare and not field)


def sentences(found: Inspection, surfaced: Surfaced, settings: Settings) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the pattern of each sentence, with the fields that its groups state."""
    told = json.loads(json.dumps(full_inspection_document(found, settings)))["verdict"]
    type_, memory, power, route = (told[name] for name in ("type", "memory", "power", "route"))
    names, chances = [entry.memory.name for entry in surfaced.inside], power["tier_chances"] or Counter()
    assert (memory["injected"], memory["outcome"] == "injected") == (names, memory["name"] in names)
    assert memory["covered"] == pytest.approx(surfaced.covered, abs=1e-9)
    word = words.type_word(type_["name"]) if type_["name"] else "No type"
    head, heads = [rf"^({word})(?: {P})?"], [word, type_["confidence"]]
    for one in (memory, power):
        if one["name"]:
            head.append(rf"(\S+) {P}(?:, ([^·\n]+))?")
            heads += [one["name"], one["confidence"], OUTCOME_WORDS[Outcome(one["outcome"])]]
    yield " · ".join(head if head[1:] else [*head, "No answer"]) + "$", tuple(heads)
    yield rf"^Type: ({word})(?: {P})?$", (word, type_["confidence"])
    yield rf"^Route: (\S+), {P}", (route["name"], route["confidence"])
    yield r"^Injected: ([^.]+)\.", (", ".join(names),)
    yield rf"(\d+) memor(?:y covers|ies cover) {P}; wanted", (len(names), surfaced.covered)
    yield rf"^  Chances: one power {P}, .* none {P}\. ", (chances["activated"], chances["not_found"])
    yield rf"query is for any is {P}", (1.0 - chances["not_found"],)
    for title, own, matches in (("Memory", memory, found.memories), ("Power", power, found.powers)):
        best = [(one.answer.name, one.confidence) for one in matches[:1]] or [("", 0.0)]
        yield rf"^(?:  {title}: .*?nearest is|{title}s: .*?\.) (\S+) (?:with )?{P}", best[0]
        for rival in (one for one in (*matches, *found.below) if one.kind.value == title.lower()):
            name, apart = re.escape(rival.answer.name), abs(best[0][1] - rival.confidence)
            yield rf"^  {title}: .*?(?:Ahead of|Behind) {name} by (<?[\d.]+) points?", (apart,)
        if own["name"]:
            assert assert_reason_holds(found, matches[0]).sentence in own["reason"]
            assert states(match_details(found, matches[0], settings).row.share, own["confidence"])
            yield rf"^  {title}: (.*)$", (own["reason"],)


def test_that_every_sentence_states_its_field(answers: list[Answered]) -> None:
    held, wrong = Counter[str](), list[str]()
    for found, surfaced, why, settings in answers:
        text, shown = as_text(found, settings), verdict(found, settings)
        assert "\n  ".join((f"\n{shown.headline}", *shown.reasons)) in text
        for row, match in zip(match_rows(found, settings), found.matches, strict=True):
            assert (row.name, states(row.share, match.confidence)) == (match.answer.name, True)
        stated = [*sentences(found, surfaced, settings)]
        if why is not None:
            text, by = "\n".join([text, *why_not_lines(why)]), why_not_document(why)["by"]
            fields = by["rank"], by["confidence"]["expected"], by["winner"], by["confidence"]["winner"]
            stated.append((rf"is in place (\d+) with {P}; “(\S+)” comes first with {P}", fields))
        for pattern, values in stated:
            for line in re.finditer(pattern, text, re.MULTILINE):
                held[pattern[:9]] += 1
                if not all(starmap(states, zip(line.groups(""), values, strict=True))):
                    wrong.append(f"{line[0]!r}, not {values}: {found.query.text}")
    assert (wrong, len(held) >= 20) == ([], True)
