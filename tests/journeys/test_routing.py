"""Tests of routes, tiers and 002's tests with the shipped encoder (S2.14, S5, S6.3, S6.4)."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.__main__ import main
from app.adapters.encoders.minilm import DIMENSION, MiniLm
from app.adapters.formats.records import power_of
from app.bootstrap import make_workbench
from app.detect.resolve import resolve
from app.domain.inspection import Resolution, RouteDecision
from app.domain.library import Memory
from app.domain.match import Band, Tier
from app.domain.route import RouteMethod
from app.scoring.columns.bm25 import VOID
from app.scoring.index.ranking import matches, rank
from app.scoring.index.scales import confidences
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import ScoredText, words
from app.settings.model import PRESETS, Choices, Settings, layer
from tests.apex_phrases import FOR_THE_LLM, PHRASES
from tests.program import PROJECT, run, said

UNSEEN: dict[str, tuple[str, ...]] = {
    "graph_traversal": (
        "Which vendors stand between us and the chip maker?",
        "who is a friend of a friend of Omar",
        "what breaks if the login service goes away",
        "show the chain of command for sergeant Hill",
        "which proteins bind to a partner of p53",
        "how does the river reach the sea, through which others",
        "who vouched for the guest that vouched for the thief",
        "list all parts upstream of the pump",
        "which statutes refer to one another",
        "what lies two links away from the router",
        "shortest path from Graz to Lille",
        "connections between the jury and the press",
        "are these two accounts tied to one owner",
        "which libraries pull in openssl indirectly",
        "trace the invoice back to whoever ordered it",
    ),
    "vector_similarity": (
        "more poems in this mood",
        "find me jackets that look alike",
        "tickets that complain about the same thing in other words",
        "what else is close in meaning to this clause",
        "documents similar to my draft",
        "something to read after Dune",
        "articles about the same idea as this talk",
        "recommend a wine based on what I liked",
        "which faq entry means what I am asking",
        "photos resembling this beach",
        "code that behaves the way this loop does",
        "nearest answers to this question",
        "stories with the spirit of this one",
        "paragraphs expressing the same thought",
        "other songs like this",
    ),
    "hybrid_search": (
        "invoices from May over 300 euros that mention freight",
        "open tickets with priority high about login",
        "papers by author Kim published after 2018 on fusion",
        "emails from Rita last week with the word budget",
        "recipes tagged vegan that take under 20 minutes",
        "contracts of type lease that expire this year",
        "commits by Ola in June touching the parser",
        "notes with metadata project=atlas about pricing",
        "court cases from 2012 in Texas on zoning",
        "jobs in Madrid posted this month that want Go",
        "filter by category and then search for rust",
        "reports in French about drought since 2020",
        "patients over 70 with the code J45",
        "orders with status late and carrier UPS",
        "books by Woolf in the section essays",
    ),
    "temporal_reasoning": (
        "how did the alliance between the clubs change over time",
        "when did the two firms stop trading with each other",
        "how has her circle of friends developed since school",
        "who left and who joined the board each year",
        "timeline of who owned the ship",
        "how did the dependency graph look before the rewrite",
        "in which order were the subsidiaries taken over",
        "what ties did the senator have then compared with now",
        "how did the outbreak move from town to town week by week",
        "since when do these modules depend on each other",
        "which partnerships ended after the scandal",
        "how the role of the hub shifted from season to season",
        "history of links between the two labs",
        "did they work together before or after the merger",
        "growth of the supplier network year by year",
    ),
    "multi_database": (
        "companies owned the way ours is, filed since 2019",
        "papers by Chen and everyone who built on them",
        "what is trending among the friends of my clients",
        "find networks shaped like that of the cartel",
        "everything we know about dossier 12, from every source",
        "tickets tagged billing and the services they depend on",
        "texts like this one and who is connected to their authors",
        "cross-reference filing dates with family ties",
        "similar patients treated by doctors who work together",
        "reports from 2021 with the people in them and how they know each other",
    ),
}


@pytest.fixture(scope="module")
def decisions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RouteDecision]:
    """Return the decisions on 001's phrases and a hundred others, without an LLM."""

    async def route() -> dict[str, RouteDecision]:
        workbench = make_workbench(Choices(tmp_path_factory.mktemp("profile")))
        await workbench.open(llm=False, watch=False)
        try:
            await workbench.ready()
            texts = [text for text, _ in PHRASES] + [text for some in UNSEEN.values() for text in some]
            return {text: await workbench.routing.route(text) for text in texts}
        finally:
            await workbench.close()

    return asyncio.run(route())


@pytest.mark.parametrize(("text", "intent"), PHRASES)
def test_that_every_phrase_of_001_goes_where_it_says(
    decisions: dict[str, RouteDecision], text: str, intent: str
) -> None:
    assert decisions[text].intent == intent


@pytest.mark.parametrize(("text", "intent"), FOR_THE_LLM)
def test_that_what_001_leaves_to_the_llm_does_not_end_in_a_rule(
    decisions: dict[str, RouteDecision], text: str, intent: str
) -> None:
    assert decisions[text].method != RouteMethod.RULE


def test_that_most_of_a_hundred_unseen_queries_go_the_right_way(decisions: dict[str, RouteDecision]) -> None:
    asked = [(text, intent) for intent, texts in UNSEEN.items() for text in texts]
    found = [decisions[text] for text, _ in asked]
    right = [decision.intent == intent for decision, (_, intent) in zip(found, asked, strict=True)]
    sure = [ok for ok, one in zip(right, found, strict=True) if one.method in ("rule", "examples")]
    assert len(asked) + len(PHRASES) == 100
    assert sum(right) >= 0.75 * len(asked)
    assert sum(sure) >= 0.8 * len(sure)
    assert all(one.databases and one.reasoning and len(one.steps) == 5 for one in found)


def test_that_the_command_line_routes_teaches_and_judges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = ["--profile", str(tmp_path / "profile"), "--json"]

    def said(*words: str, code: int = 0) -> Any:
        assert main([*words, *profile]) == code
        return json.loads(capsys.readouterr().out.splitlines()[-1])

    first = said("route", "texts similar to this one", "--no-llm")
    assert list(first)[:7] == ["query", "intent", "databases", "confidence", "method", "rule_confidence", "reasoning"]
    assert (first["intent"], first["method"]) == ("vector_similarity", "rule")
    assert said("inspect", "texts similar to this one")["route"]["databases"] == ["qdrant"]
    cases = tmp_path / "cases.jsonl"
    rows = [("parcel late again", "logistics"), ("where is my parcel", "logistics"), ("parcel lost", "logistics")]
    rows += [("refund my card", "billing"), ("card charged twice", "billing"), ("refund not there", "billing")]
    cases.write_text("".join(json.dumps({"text": text, "expected": [label]}) + "\n" for text, label in rows))
    assert said("import", str(cases), "--kind", "cases", "--task", "route")["added"] == 6
    assert said("route", "my parcel is late")["databases"] == ["logistics"]
    judged = said("evaluate", str(cases), "--task", "route", "--against", "route.examples=false")
    assert judged["metrics"]["accuracy"] >= 0.5
    assert {case["method"] for case in judged["cases"]} <= set(RouteMethod)
    assert judged["flips"]
    said("evaluate", str(cases), "--task", "route", "--gate", "accuracy>=0.1", "--no-teach", code=1)
    said("import", str(cases), "--kind", "cases", "--task", "route", "--no-teach")
    assert said("route", "my parcel is late")["databases"] != ["logistics"]
    assert said("route", "--metrics")["n"] == 3
    assert said("route", "--audit")["n"] == 2
    assert said("route", "--clear-cache") == {"cleared": 0}
    assert main(["route", *profile]) == 2
    assert main(["evaluate", str(cases), "--task", "type", "--no-teach", *profile]) == 2


FIVE = {
    "exact": ("What is Python?", "What is Python?", 0.95, 1.0),
    "fuzzy": ("What is machine learning?", "What's machine learning?", 0.75, 1.0),
    "semantic": ("How does AI work?", "Explain artificial intelligence", 0.40, 1.0),
    "token overlap": ("neural networks deep learning architecture", "deep learning neural networks", 0.60, 1.0),
    "no match": ("What is Python?", "Tell me about quantum physics", 0.0, 0.5),
}
"""Taught text, query, and the bounds of confidence by 002: at least, and below (or 1)."""


@pytest.fixture(scope="module")
def encoder() -> MiniLm:
    return MiniLm.load()


def _taught(encoder: MiniLm, *triggers: str) -> TriggerIndex:
    index = TriggerIndex(DIMENSION)
    index.put(Memory((trigger,), key=key) for key, trigger in enumerate(triggers, 1))
    index.embed(dict(zip(triggers, encoder.encode(triggers), strict=True)))
    return index


def _preset(name: str) -> Settings:
    return layer(here={"preset": name}).values


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("test", FIVE)
def test_that_a_test_of_002_passes(encoder: MiniLm, test: str, preset: str) -> None:
    trigger, query, least, below = FIVE[test]
    scores = _taught(encoder, trigger).score(ScoredText(query, encoder.encode([query])[0]))
    confidence = float(confidences(scores, _preset(preset))[0])
    assert least <= confidence
    assert confidence < below or below == 1.0


@pytest.mark.parametrize("preset", PRESETS)
def test_that_each_query_of_002_finds_its_own_memory_when_all_are_taught(encoder: MiniLm, preset: str) -> None:
    index = _taught(encoder, *dict.fromkeys(trigger for trigger, *_ in FIVE.values()))
    settings = _preset(preset)
    for trigger, query, *_ in list(FIVE.values())[:4]:
        scores = index.score(ScoredText(query, encoder.encode([query])[0]))
        first = matches(index, scores, rank(scores, settings, 10), settings)[0]
        assert first.answer.name == trigger
        assert first.band is not Band.FALLBACK


def test_that_the_formulas_win_over_002s_printed_results(encoder: MiniLm) -> None:
    scores = _taught(encoder, "What is Python?").score(ScoredText("What's Python?"))
    assert scores.by_slot["exact"][0] == 0.0
    assert scores.by_slot["fuzzy"][0] == pytest.approx(0.828, abs=5e-4)
    assert scores.by_slot["token_overlap"][0] == pytest.approx(0.4)


SEED = PROJECT / "resources" / "seed" / "powers.jsonl"
CASES = PROJECT / "resources" / "datasets" / "tiers.jsonl"


@pytest.fixture(scope="module")
def index(encoder: MiniLm) -> TriggerIndex:
    lines = SEED.read_text(encoding="utf-8").splitlines()
    made = TriggerIndex(DIMENSION)
    made.put(replace(power_of(json.loads(line)), key=key) for key, line in enumerate(lines, 1))
    texts = made.unembedded()
    made.embed(dict(zip(texts, encoder.encode(texts), strict=True)))
    return made


def _resolved(index: TriggerIndex, encoder: MiniLm, query: str, preset: str) -> Resolution:
    settings = layer(here={"preset": preset}).values
    scores = index.score(ScoredText(query, encoder.encode([query])[0]), name_counts=settings.name_counts)
    ranking = rank(scores, settings, 10)
    found = matches(index, scores, ranking, settings)
    powers, best_scores = index.layout().powers, ranking.best_scores
    return resolve(query, found, powers, settings, shared=ranking.any_power, best_scores=best_scores)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    "query", ["check my database", "Check my database", "check my databases", "CHECK MY DATABASE!"]
)
def test_that_checking_the_database_offers_all_three(
    index: TriggerIndex, encoder: MiniLm, preset: str, query: str
) -> None:
    found = _resolved(index, encoder, query, preset)
    assert found.status is Tier.MULTIPLE_MATCHES
    assert {match.power.name for match in found.matches} == {"postgres", "mysql", "mongodb"}
    assert found.message == "Multiple database tools found. Use activate_power(name) to select one."


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("query", ["run a postgres query", "Run a Postgres query.", "run a POSTGRES query"])
def test_that_naming_postgres_activates_it(index: TriggerIndex, encoder: MiniLm, preset: str, query: str) -> None:
    found = _resolved(index, encoder, query, preset)
    assert found.status is Tier.ACTIVATED
    assert [match.power.name for match in found.matches] == ["postgres"]
    assert found.matches[0].match_type == "hybrid"


def test_that_tiers_and_tokens_are_judged_on_the_command_line(seeded: Path) -> None:
    found: dict[str, Any] = json.loads(
        said("evaluate", str(CASES), "--task", "power", "--tokens", "--json", profile=seeded)
    )
    assert sum(found["tiers"].values()) == found["n"] == found["tier_quality"]["expecting"] == 70
    assert found["tier_quality"]["accuracy"] == found["metrics"]["tier_accuracy"]
    assert found["tier_quality"]["accuracy"] >= 0.62
    meant = {tier: sum(row.values()) for tier, row in found["tier_quality"]["confusion"].items()}
    assert meant == {"activated": 20, "multiple_matches": 20, "weak_matches": 20, "not_found": 10}
    assert found["times"]["n"] == 70
    assert found["times"]["by_tier_ms"].keys() == {tier for tier, count in found["tiers"].items() if count}
    tokens = found["tokens"]
    assert {tier: row["n"] for tier, row in tokens["by_tier"].items()} == found["tiers"]
    weighed = sum(row["n"] * row["together"] for row in tokens["by_tier"].values()) / 70
    assert tokens["together"] == pytest.approx(weighed)
    assert 0 < tokens["together"] < tokens["everything"]
    assert tokens["counter"] == "WordPiece of all-MiniLM-L6-v2"
    assert (tokens["powers"], tokens["tools"]) == (20, 79)
    page = said("evaluate", str(CASES), "--task", "power", profile=seeded)
    assert "Tiers meant (rows) and got (columns)" in page
    assert "Tokens" not in page


@pytest.mark.parametrize("is_one_line", [False, True])
def test_that_one_word_that_names_no_power_starts_none(seeded: Path, tmp_path: Path, *, is_one_line: bool) -> None:
    powers = [power_of(json.loads(line)) for line in SEED.read_text(encoding="utf-8").splitlines()]
    profile = seeded
    if is_one_line:
        lines = [json.dumps({"name": power.name, "description": power.description}) for power in powers]
        (tmp_path / "powers.jsonl").write_text("\n".join(lines), encoding="utf-8")
        profile = tmp_path / "profile"
        said("import", str(tmp_path / "powers.jsonl"), "--kind", "powers", profile=profile)
    names = {word for power in powers for name in (power.name, *power.keywords) for word in words(name)}
    names |= {word for power in powers for tool in power.tools for word in words(tool.name.replace("_", " "))}
    texts = [text for power in powers for text in (power.description, *power.examples)]
    texts += [tool.description for power in powers for tool in power.tools]
    spoken = {word for text in texts for word in words(text)} - names - VOID
    cases = [json.dumps({"text": f"the {word}", "expected": []}) for word in sorted(spoken)]
    (tmp_path / "cases.jsonl").write_text("\n".join(cases), encoding="utf-8")
    found = json.loads(said("evaluate", str(tmp_path / "cases.jsonl"), "--task", "power", "--json", profile=profile))
    assert found["n"] > 100
    assert [case["text"] for case in found["cases"] if case["tier"] == "activated"] == []


MENTIONED = [
    ("vpn", "Connect this computer to the network of the company", "I cannot reach the file server, connect me"),
    ("printer", "Print a document on the nearest printer", "print the contract twice, please"),
    ("meeting", "Book, move and cancel meetings", "move my meeting with Ana to Friday"),
    ("translation", "Translate a text into another language", "translate this letter into Polish"),
    ("forecast", "Forecast of rain, wind and temperature for a place", "will it rain in Graz tomorrow"),
    ("invoice", "Create invoices and send them to customers", "send the customer an invoice for May"),
    ("album", "Find, crop and share pictures of the album", "crop the picture of the bridge"),
    ("ticket", "Open and close tickets of the help desk", "open a ticket: the beamer is broken"),
    ("explain", "Explain what a piece of code or an error message does", "explain code"),
]
"""Keyword, description and request of each power."""


def test_that_a_mention_of_a_keyword_is_mostly_no_request(tmp_path: Path) -> None:
    profile, about = tmp_path / "profile", ("what does {} stand for", "history of {}", "define {}", "what is {}")
    powers = [{"name": f"{word}-tool", "description": does, "keywords": [word]} for word, does, _ in MENTIONED]
    powers[0]["examples"] = ["what is vpn"]
    cases = [{"text": request, "expected": [f"{word}-tool"]} for word, _, request in MENTIONED]
    cases += [{"text": one.format(word), "expected": []} for word, *_ in MENTIONED for one in about]
    for name, found in (("powers", powers), ("cases", cases)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, found)), encoding="utf-8")
    said("import", str(tmp_path / "powers.jsonl"), "--kind", "powers", profile=profile)
    judged = json.loads(said("evaluate", str(tmp_path / "cases.jsonl"), "--task", "power", "--json", profile=profile))
    requests, mentions = judged["cases"][: len(MENTIONED)], judged["cases"][len(MENTIONED) :]
    assert sum(case["rank"] == 1 for case in requests) >= 7
    assert sum(case["tier"] == "activated" for case in requests) >= 4
    assert sum(case["tier"] == "activated" for case in mentions) <= len(mentions) // 4
    assert {"explain code", "what is vpn"} <= {one["text"] for one in judged["cases"] if one["confidence"] > 0.99}


def test_that_tokens_are_for_powers(seeded: Path) -> None:
    done = run("evaluate", CASES, "--task", "intent", "--tokens", profile=seeded)
    assert done.returncode == 2
    assert "--tokens goes with --task power" in done.stderr
