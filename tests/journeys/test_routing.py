"""Tests of routes with the shipped rules, examples and encoder (S6.3, S6.4)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from app.__main__ import main
from app.bootstrap import make_workbench
from app.domain.route import RouteMethod
from app.domain.scope.resolution import RouteDecision
from app.settings.model import Choices
from tests.apex_phrases import FOR_THE_LLM, PHRASES

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
