"""Tests that samples, sentences and why-not hold with the shipped library and encoder (S7.6, S8.7)."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import starmap
from pathlib import Path
from typing import Any

import pytest

from app.__main__ import main
from app.bootstrap import make_workbench, seed_files
from app.detect.surfacing import Surfaced
from app.display import words
from app.display.documents import full_inspection_document
from app.display.scope.guide import SAMPLES, samples_for
from app.display.scope.match_rows import match_details, match_rows
from app.display.scope.text import as_text
from app.display.scope.verdict import OUTCOME_WORDS, Outcome, verdict, with_outcomes
from app.display.scope.why_not import why_not_document, why_not_lines
from app.domain.case import Case, Task
from app.domain.inspection import Inspection
from app.domain.library import Answer, Memory, Problem
from app.domain.match import Band, Tier
from app.domain.why_not import AddTrigger, Expectation, LostAt, WhyNot
from app.scoring.text import without_punctuation
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
    word, typed = (words.type_word(type_["name"]), type_["confidence"]) if type_["name"] else ("No type", 0.0)
    head, heads = [rf"^({word})(?: {P})?"], [word, typed]
    if found.intent is not None:
        assert bool(type_["name"]) is (found.intent.confidence >= settings.fallback_threshold)
        nearest = words.type_word(found.intent.type), found.intent.confidence, settings.fallback_threshold
        yield rf"^  The nearest is (\S+) with {P}; {P} is needed\.$", nearest
    for one in (memory, power):
        if one["name"]:
            head.append(rf"(\S+) {P}(?:, ([^·\n]+))?")
            heads += [one["name"], one["confidence"], OUTCOME_WORDS[Outcome(one["outcome"])]]
    yield " · ".join(head if head[1:] else [*head, "No answer"]) + "$", tuple(heads)
    yield rf"^Type: ({word})(?: {P})?$", (word, typed)
    yield rf"^Route: (\S+), {P}", (route["name"], route["confidence"])
    yield r"^Would be injected: ([^.]+)\.", (", ".join(names),)
    yield rf"(\d+) memor(?:y is|ies are) {P} likely to answer; \S+ % is enough", (len(names), surfaced.covered)
    yield rf"^  Chances: one power {P}, .* none {P}\. ", (chances["activated"], chances["not_found"])
    yield rf"chance that any power fits is {P}", (1.0 - chances["not_found"],)
    yield rf"chance that one or several fit is {P}", (chances["activated"] + chances["multiple_matches"],)
    wanted, offered = settings.search_intent, [] if found.resolution is None else found.resolution.matches
    yield rf"^  Power: (\d+) powers match[^;]*; {P} is needed to activate", (len(offered), settings.tiers.high)
    yield rf"^  Power: It [^;]*; {P} is needed to activate", (settings.tiers.high,)
    for one in found.memories[:1]:
        limit = settings.fallback_threshold if one.threshold is None else one.threshold
        yield rf"^  Memory: The nearest is \S+ with {P}.*; \D*{P} is needed", (one.confidence, limit)
        low = (type_["confidence"], wanted.surfacing_threshold, wanted.certain_confidence, one.compared)
        yield rf"the type ({word}) has {P}, below {P}, so .* of {P} is needed; .* has {P}", (word, *low)
    for one, other in zip(found.powers, found.powers[1:2], strict=False):
        ahead = rf"^Powers: .*? {P}, (<?[\d.]+) points? ahead of (\S+)"
        yield ahead, (one.confidence, one.confidence - other.confidence, other.answer.name)
    for title, own, matches in (("Memory", memory, found.memories), ("Power", power, found.powers)):
        best = [(one.answer.name, one.confidence) for one in matches[:1]] or [("", 0.0)]
        yield rf"^(?:  {title}: .*?nearest is|{title}s: .*?\.) (\S+) (?:with )?{P}", best[0]
        for rival in (one for one in (*matches, *found.below) if one.kind.value == title.lower()):
            name, apart = re.escape(rival.answer.name), abs(best[0][1] - rival.confidence)
            yield rf"^  {title}: .*?(?:Ahead of|Behind) {name} by (<?[\d.]+) points?", (apart,)
            chances = [one.confidence if one.label_chance is None else one.label_chance for one in (matches[0], rival)]
            next_intent = rf"Ahead of {name} \(next intent\) by (<?[\d.]+) points?"
            yield rf"^  {title}: .*?{next_intent}", (chances[0] - chances[1],)
        if own["name"]:
            assert assert_reason_holds(found, matches[0]).sentence in own["reason"]
            assert states(match_details(found, matches[0], settings).row.share, own["confidence"])
            yield rf"^  {title}: (.*)$", (own["reason"],)


def test_that_every_sentence_states_its_field(answers: list[Answered]) -> None:
    held, wrong = Counter[str](), list[str]()
    for found, surfaced, why, settings in answers:
        text, shown = as_text(found, settings), verdict(found, settings)
        assert "\n  ".join((f"\n{shown.headline}", *shown.reasons)) in text
        rows = with_outcomes(match_rows(found, settings), found, settings)
        seen = {row.name for row in rows if row.outcome == "Would be injected" and row.shows_outcome and row.is_found}
        assert seen == {one.memory.name for one in surfaced.inside}
        for row, match in zip(rows, found.matches, strict=True):
            assert (row.name, states(row.share, match.confidence)) == (match.answer.name, True)
            ending = re.escape(f" {row.confidence}  {row.lead}".rstrip())
            assert re.search(rf"^{re.escape(row.name[:31])}.*{ending}", text, re.MULTILINE)
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


Ask = Callable[[str], Inspection]


def seed() -> list[Answer]:
    found: list[Answer] = []
    for _, lines in seed_files():
        for line in lines:
            assert not isinstance(line, Problem)
            found.append(replace(line.value, key=len(found) + 1))
    return found


@pytest.fixture(scope="module")
def ask(seeded: Path) -> Ask:
    """Answer the samples after a first start, with fitted weights."""
    asked = [sample.text for sample in SAMPLES]

    async def answers() -> dict[str, Inspection]:
        workbench = make_workbench(Choices(seeded))
        await workbench.open(watch=False)
        await workbench.ready()
        await workbench.examples_trained()
        found = {text: await workbench.settle(text) for text in asked}
        await workbench.close()
        return found

    return asyncio.run(answers()).__getitem__


def tier(inspection: Inspection) -> Tier:
    assert inspection.resolution is not None
    return inspection.resolution.status


def is_a_conflict(found: Inspection) -> bool:
    """Return whether the two best memories have the same trigger and different responses."""
    first, second = [match.answer for match in found.matches if isinstance(match.answer, Memory)][:2]
    both = {without_punctuation(text) for text in first.triggers} & {
        without_punctuation(text) for text in second.triggers
    }
    return bool(both) and first.response != second.response


def has_an_absent_scorer(found: Inspection) -> bool:
    shown = match_details(found, found.matches[0], Settings())
    return "keyword" in {one.scorer for one in shown.absent} and all(one.reason for one in shown.absent)


CLAIMS: dict[str, Callable[[Inspection], bool]] = {
    "A clear type": lambda found: found.intent is not None and found.intent.confidence >= 0.8,
    "One clear power": lambda found: tier(found) is Tier.ACTIVATED,
    "Several powers": lambda found: tier(found) is Tier.MULTIPLE_MATCHES,
    "A weak match": lambda found: tier(found) is Tier.WEAK_MATCHES,
    "No answer": lambda found: tier(found) is Tier.NOT_FOUND,
    "A memory before powers": lambda found: found.matches[0].band is Band.HIGH and tier(found) is not Tier.NOT_FOUND,
    "A conflict": is_a_conflict,
    "An absent score": has_an_absent_scorer,
    "No type": lambda found: found.intent is None and found.detection.intent is None,
}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.shows)
def test_that_a_sample_shows_what_it_says(sample: object, ask: Ask) -> None:
    chosen = next(one for one in SAMPLES if one is sample)
    assert CLAIMS[chosen.shows](ask(chosen.text))


def test_that_there_is_a_sample_for_every_tier_and_claim() -> None:
    assert {sample.shows for sample in SAMPLES} == set(CLAIMS)


def test_that_the_seed_library_holds_what_every_sample_needs() -> None:
    answers = {answer.name: answer for answer in seed()}

    def holds(name: str, trigger: str) -> bool:
        held = {without_punctuation(text) for text in answers[name].triggers} if name in answers else set()
        return without_punctuation(trigger) in held

    assert samples_for(holds) == SAMPLES


def test_that_nothing_is_offered_to_a_library_without_these_answers() -> None:
    assert samples_for(lambda name, trigger: False) == ()
    assert [sample.shows for sample in samples_for(lambda name, _: name == "postgres")] == [
        "One clear power",
        "No answer",
    ]


CASES = (
    '{"text": "why does the build keep failing on my mac", "expected": ["build-fails-locally"]}\n'
    '{"text": "how do i list orders over the api", "expected": ["orders-api"]}\n'
)


@pytest.fixture(scope="module")
def profile(seeded: Path) -> Path:
    cases = seeded / "cases.jsonl"
    cases.write_text(CASES, "utf-8")
    assert main(["import", str(cases), "--profile", str(seeded), "--kind", "cases", "--task", "memory"]) == 0
    return seeded


def test_that_an_answer_that_came_ends_with_0(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["why-not", "why does the build keep failing on my mac", "--expect", "memory:build-fails-locally"]
    assert main([*asked, "--profile", str(profile)]) == 0
    assert capsys.readouterr().out.startswith("memory:build-fails-locally: it is the first memory\n")


def test_that_a_power_that_is_not_approved_ends_with_1(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["why-not", "list the pods", "--expect", "power:kubernetes", "--profile", str(profile)]
    assert main(asked) == 1
    assert capsys.readouterr().out.startswith("power:kubernetes: found, but not approved\n")
    assert main([*asked, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["outcome"], told["needs_approval"], told["delivered"]) == ("won", True, False)


def test_that_a_lost_answer_ends_with_1_and_a_document(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "why does the build keep failing on my mac"
    assert main(["why-not", text, "--expect", "memory:signing", "--json", "--profile", str(profile)]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["expected"], told["outcome"], told["stage"]) == ("memory:signing", "lost", "scoring")
    assert told["by"]["winner"] == "build-fails-locally"
    assert told["by"]["scores"]["semantic"]["difference"] < 0
    change = next(one for one in told["changes"] if one["key"] == "trigger.add")
    assert {"what", "fixes", "breaks"} <= change.keys()
    assert (change["wins"], change["fixes"], change["breaks"]) == (True, 0, 1)
    assert change["broken"] == [text], "a case expects the other memory"
    assert change["act"] == {"teach": text, "to": "signing"}


def test_that_people_read_a_few_lines(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why-not", "check my database", "--expect", "power:mongodb", "--profile", str(profile)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "power:mongodb: outscored"
    assert {"No single change fixes it.", "  Not enough alone, as it needs your approval, too:"} <= set(lines)
    assert len(lines) < 25


async def test_that_the_reason_is_what_decides(profile: Path) -> None:
    async with opened(make_workbench(Choices(profile)), wait=True) as workbench:

        async def explained(text: str, expected: str) -> WhyNot:
            return await workbench.why_nots.explain(text, Expectation.of(expected), lambda *_: None)

        for text in ("customer orders", "vpn"):
            best, match = (await workbench.settle(text)).memories[:2]
            told = max(best.account.contributions_over(match.scores), key=lambda one: one.value)
            assert (await explained(text, f"memory:{match.answer.name}")).ahead[0][0] == told.name
        assert (await explained("don't run the workflow", "power:github-actions")).is_negated
        taught = [
            any(isinstance(one.act, AddTrigger) for one in (await explained(text, "power:github-actions")).changes)
            for text in ("don't run the workflow", "customer orders")
        ]
        assert taught == [False, True], "a refusal is not offered as an example of what it refuses"
        assert not (await explained("the", "memory:vpn")).is_negated


async def test_that_every_change_offered_for_a_shipped_case_delivers_its_answer(profile: Path) -> None:
    cases = [Case(row["text"], tuple(row["expected"]), Task.INTENT) for row in rows_of("seed/cases.jsonl")]
    cases.append(Case("failing on my laptop", ("build-fails-locally",), Task.MEMORY))
    offers = Counter[str]()
    async with opened(make_workbench(Choices(profile)), wait=True) as bench:
        for text, expected in ((case.text, Expectation.of_case(case)) for case in cases):
            assert expected is not None
            for change in (await bench.why_nots.explain(text, expected)).changes:
                assert change.wins
                await bench.why_nots.apply(change)
                assert (await bench.why_nots.explain(text, expected)).is_delivered, (text, change.key)
                await bench.curator.undo()
                offers[change.key.partition(".")[0]] += 1
    assert set(offers) == {"setting", "trigger"}


def test_that_a_name_that_is_not_taught_is_told_with_the_nearest(
    profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["why-not", "anything", "--expect", "power:postgress", "--profile", str(profile)]) == 1
    assert "Nearest names: postgres" in capsys.readouterr().out


@pytest.mark.parametrize("expected", ["postgres", "thing:postgres", "power:"])
def test_that_what_is_no_expectation_is_bad_usage(
    profile: Path, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["why-not", "anything", "--expect", expected, "--profile", str(profile)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("intentscope: “")


async def test_that_a_route_lost_to_a_rule_is_won_by_teaching_it(profile: Path) -> None:
    text, expected = "similar documents about cats", Expectation("route", "graph")

    async with opened(make_workbench(Choices(profile)), wait=True) as bench:
        told = await bench.why_nots.explain(text, expected)
        assert told.stage is LostAt.RULES
        change = next(one for one in told.changes if one.key == "route.teach.rule")
        assert change.wins
        before = bench.library.cases()
        await bench.why_nots.apply(change)
        await bench.ready()
        assert (await bench.why_nots.explain(text, expected)).has_won
        assert (await bench.routing.route(text)).intent == "graph_traversal"
        assert await bench.curator.undo() is not None
        assert bench.library.cases() == before
