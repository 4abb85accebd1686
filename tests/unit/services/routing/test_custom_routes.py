"""Tests of users' own routes: they decide, query stores and are judged like 001's five."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from app.display.routing.rows import as_toml, removal_question, route_sentence, state_word
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.intent import IntentType, Rule, RulePurpose
from app.domain.journal import Edit
from app.domain.library import Memory
from app.domain.llm import LlmAnswer
from app.domain.route import DOCUMENTED, Route, RouteMethod, RouteStage
from app.ports.llm import LlmConnection
from app.services.workbench import Workbench
from app.settings.layers import from_file
from tests.build import library_of
from tests.fakes import MemoryLibrary, ScriptedLlm
from tests.unit.services.benches import asking_desk, desk

BILLING = Route("billing", ("qdrant", "ledger"), "pink", "Billing", "asks about invoices")
TAUGHT = [Case(f"aaa {'a' * n}", ("billing",), Task.ROUTE) for n in range(1, 7)]
OTHERS = [Case(f"bbb {'b' * n}", ("graph",), Task.ROUTE) for n in range(1, 7)]
VAGUE = "zzz qqq"


def taught() -> MemoryLibrary:
    return library_of(Memory(("aaa aa",), "pay it", id="bill"), Memory(("bbb",), id="other"), *TAUGHT, *OTHERS)


async def test_that_a_route_of_ones_own_wins_by_six_examples_asks_its_stores_and_is_judged_and_counted() -> None:
    async with desk(taught) as bench:
        await bench.routes.add(BILLING)
        await bench.ready()
        found = await bench.routing.route("aaaa aa")
        assert (found.method, found.intent) == (RouteMethod.EXAMPLES, "billing")
        assert found.databases == ("qdrant", "ledger")
        asked = [step async for step in bench.stores.run("aaaa aa")][-1]
        assert [(one.store, one.is_routed, bool(one.fault)) for one in asked.replies] == [
            ("qdrant", True, False),
            ("ledger", True, True),
        ]
        assert asked.hits[0].name == "bill"
        bench.routing.log.note("aaaa aa", found, "route")
        metrics = await bench.routing.log.metrics()
        assert (metrics.by_intent["billing"].count, bench.metrics.routes["examples", "billing"]) == (1, 1)
        # A case for which it is right, and one for which it is wrong: both are in the confusion.
        cases = [TAUGHT[0], Case("aaaaa", ("hybrid",), Task.ROUTE)]
        judged = await bench.evaluations.today(cases, Task.ROUTE)
        assert [(one.acceptable, one.predicted) for one in judged.answered] == [
            (("billing",), "billing"),
            (("hybrid_search",), "billing"),
        ]


async def test_that_the_llm_chooses_among_the_routes_that_are_on_and_hears_what_they_are_asked_for() -> None:
    llm = ScriptedLlm(LlmAnswer(IntentType.GENERAL, 0.9, "json"))
    llm.choice = LlmAnswer("billing", 0.8, "json")

    asked = {"llm.url": "http://127.0.0.1:9", "llm.model": "scripted", "route.examples": "false"}
    async with asking_desk(lambda _: cast("LlmConnection", llm), asked) as bench:
        assert (await bench.routing.route(VAGUE)).intent == "graph_traversal"
        assert llm.offered == []
        await bench.routes.add(BILLING)
        await bench.routes.switch("temporal_reasoning", on=False)
        await bench.ready()
        found = await bench.routing.route(VAGUE)
        assert (found.method, found.intent, found.databases) == (RouteMethod.LLM_FALLBACK, "billing", BILLING.stores)
        on = ["graph_traversal", "vector_similarity", "hybrid_search", "multi_database", "billing"]
        assert llm.offered == [on], "what the LLM said before, of other routes, counts no more"
        assert (await bench.routing.route(VAGUE)).method == RouteMethod.CACHE
        await bench.routes.switch("billing", on=False)
        await bench.ready()
        llm.choice = LlmAnswer("billing", 0.9, "json")
        found = await bench.routing.route(VAGUE)
        said = next(step.sentence for step in found.steps if step.stage is RouteStage.LLM)
        assert (found.intent, said) == ("vector_similarity", "It would be billing, a route that is switched off.")


async def test_that_a_removed_route_leaves_a_log_that_can_be_read_and_comes_back_by_undo() -> None:
    rule = Rule("my.invoice", "billing", "invoice", "mine", 0, purpose=RulePurpose.ROUTE)

    library = taught()
    library.add("cases", [Case("aaab", ("billing", "graph"), Task.ROUTE)])
    async with desk(lambda: library) as bench:
        await bench.routes.add(BILLING)
        await bench.journal.do(Edit("added"), [rule])
        await bench.ready()
        found = await bench.routing.route("my invoice")
        assert (found.method, found.intent, found.databases) == (RouteMethod.RULE, "billing", BILLING.stores)
        bench.routing.log.note("my invoice", found, "route")
        question = removal_question(await bench.routes.removal("billing"))
        assert "with 1 rule and 7 examples? 1 decision of the log names it, and stays." in question
        await bench.routes.remove("billing")
        await bench.ready()
        listed = [use.route.name for use in await bench.routes.listed()]
        assert (bench.settings.all_routes, listed) == (DOCUMENTED, [row.name for row in DOCUMENTED.rows])
        assert (await bench.routing.route("my invoice")).intent != "billing"
        (one,) = await bench.routing.log.decisions()
        assert (one.intent, one.databases) == ("billing", BILLING.stores)
        await bench.curator.undo()
        await bench.curator.undo()
        await bench.ready()
        assert bench.settings.all_routes.own == (BILLING,)
        assert (await bench.routing.route("my invoice")).intent == "billing"
        assert [use.taught for use in await bench.routes.listed()] == [7, 0, 0, 0, 0, 7]


async def test_that_a_route_takes_its_rules_and_examples_along_to_another_name() -> None:
    async with desk(taught) as bench:
        await bench.routes.add(BILLING)
        await bench.routing.teach("aab", "BILLING")
        assert (await bench.routes.listed())[-1].taught == 7, "called by its title, in any case"
        await bench.routes.rename("billing", replace(BILLING, name="money", color="sky"))
        await bench.ready()
        assert (await bench.routing.route("aaaa aa")).intent == "money"
        use = (await bench.routes.listed())[-1]
        assert (use.route.name, use.route.color, use.taught, use.is_set_up) == ("money", "sky", 7, True)
        for name, why in (("graph", "another name of the route"), ("", "unique name"), ("a=b", "equals sign")):
            with pytest.raises((KnownError, ValueError), match=why):
                await bench.routes.rename("money", replace(BILLING, name=name))
        assert [use.taught for use in await bench.routes.listed()][-1] == 7, "refused before anything is done"
        with pytest.raises(KnownError, match="give it a title"):
            await bench.routes.rename("graph_traversal", BILLING)
        for _ in range(2):
            await bench.curator.undo()
        assert [use.route.name for use in await bench.routes.listed()][-1] == "billing"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Billing", "already"),
        ("graph", "another name of the route"),
        ("", "unique name"),
        ("none", "unique name"),
        ("a=b", "equals sign"),
    ],
)
async def test_that_a_route_needs_a_name_that_stands_for_nothing_else(name: str, why: str) -> None:
    async with desk() as bench:
        await bench.routes.add(BILLING)
        with pytest.raises((KnownError, ValueError), match=why):
            await bench.routes.add(Route(name, ("qdrant",), "pink"))
        with pytest.raises(KnownError, match="Unknown route “shipping”"):
            await bench.routes.switch("shipping", on=False)
        for verb in (bench.routes.remove("graph_traversal"), bench.routes.reset(["billing"])):
            with pytest.raises(KnownError, match="ship"):
                await verb


async def test_that_routes_go_from_one_profile_to_another_and_labels_that_are_none_are_told(tmp_path: Path) -> None:
    file = tmp_path / "routes.toml"

    async def write(bench: Workbench) -> None:
        await bench.routes.add(BILLING)
        await bench.routes.switch("multi_database", on=False)
        await bench.ready()
        file.write_text(as_toml(await bench.routes.listed()), "utf-8")

    async def read(bench: Workbench) -> None:
        use = (await bench.routes.listed())[-1]
        assert (use.route.name, state_word(use), use.taught) == ("billing", "only named", 6)
        assert "Only rules or cases name this route." in route_sentence(use)
        assert await bench.routes.import_routes(from_file(file)) == 2
        assert bench.settings.all_routes.own == (BILLING,)
        assert bench.settings.all_routes.is_off("multi_database")
        assert route_sentence((await bench.routes.listed())[-1]) == "Unknown store: ledger."
        with pytest.raises(KnownError, match="says no route"):
            await bench.routes.import_routes({"matches": 3})

    for work in (write, read):
        async with desk(taught) as bench:
            await work(bench)
