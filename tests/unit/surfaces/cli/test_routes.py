"""Tests of the exact output on routes and stores."""

import asyncio
import io
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.display.routing.simulation import flip_cause
from app.domain.case import Case, Task
from app.domain.errors import FormatError, KnownError
from app.domain.inspection import RouteDecision
from app.domain.intent import IntentType
from app.domain.library import Line, Memory, Problem
from app.domain.llm import LlmAnswer, LlmOutcome
from app.domain.route import LoggedRoute, RouteMethod, RouteStage, RouteStep, StepOutcome
from app.ports.llm import LlmState
from app.services.workbench import Workbench
from app.surfaces.cli.commands.system import run_route, run_stores
from app.surfaces.cli.curate import routes
from app.surfaces.cli.output import MisuseError, Printer
from app.surfaces.cli.parser import parser
from app.surfaces.cli.routes import (
    CASES,
    change_of,
    clear_cache,
    fill,
    judge_routes,
    keep_password,
    print_audit,
    print_metrics,
    print_states,
    roll_out,
    route_each,
    run_each,
    simulate,
)
from tests.build import library_of
from tests.fakes import ScriptedLlm
from tests.memory_library import MemoryLibrary
from tests.unit.services.benches import LetterEncoder, desk, unopened_asking
from tests.unit.services.routing.test_routes import TAUGHT
from tests.unit.services.routing.test_routes import desk as route_desk
from tests.unit.services.routing.test_stores import on_server
from tests.unit.surfaces.cli.case_files import judged
from tests.unit.surfaces.cli.test_library import Terminal

RULED = LoggedRoute(
    0.0, "q", "route", "graph_traversal", ("neo4j",), 0.95, RouteMethod.RULE, 0.95, "", 1.0, labels=("graph",), key=1
)
ASKED = replace(
    RULED,
    method=RouteMethod.LLM_FALLBACK,
    intent="multi_database",
    ms=120.0,
    cost=0.001,
    llm=LlmOutcome.ANSWERED,
    llm_intent="multi_database",
    rule_intent="graph_traversal",
    labels=("vector",),
    text="other",
)
LOST = replace(ASKED, method=RouteMethod.DEGRADED, llm=LlmOutcome.TIMED_OUT, labels=(), text="lost", llm_intent="")


async def told(
    work: Callable[..., Awaitable[Any]], *words: Any, library: MemoryLibrary | None = None, **how: Any
) -> str:
    printer = Printer(out := io.StringIO(), as_json=how.pop("as_json", False))
    async with route_desk(library=library or MemoryLibrary()) as bench:
        await work(bench, *words, printer, **how)
    return re.sub(r" +[\d.]+ ms", " T ms", out.getvalue())


async def test_that_a_simulation_sets_both_sides_beside_each_other() -> None:
    library = library_of(Case("similar texts", ("graph",), Task.ROUTE), Case("who knows whom", ("graph",), Task.ROUTE))
    change = change_of(["route.rules=false", "route.examples=false"], 0.0, 0, asks_llm=True)
    said = await told(simulate, CASES, change, library=library)
    heads, right, between = (" ".join(line.split()) for line in said.splitlines()[:3])
    assert heads == "2 queries Current Changed ±, points"
    assert right == "Right, of those with a case 50.0 % 0 % −50.0"
    assert between == "… with 95 % between 9–91 % 0–66 %"
    assert "\n  Changed: route.rules=false, route.examples=false.\n" in said
    assert "  vector_similarity (rule) → vector_similarity (fallback) [still wrong]: similar texts\n" in said
    assert "      Rules: Rules are off.\n" in said
    assert re.search(r"Undecided +0 % +100 % +\+100\.0\n", said)  # percentage points as well, no count
    found = json.loads(await told(simulate, CASES, change, library=library, as_json=True))
    assert (found["n"], found["before"]["accuracy"], found["after"]["accuracy"]) == (2, 0.5, 0.0)
    assert found["comparison"]["broken"] == 1


def test_that_the_cause_of_a_flip_is_a_stage_that_decides() -> None:
    def decided(rules: RouteStep, examples: RouteStep) -> RouteDecision:
        return cast("RouteDecision", SimpleNamespace(steps=(rules, examples)))

    silent = RouteStep(RouteStage.RULES, StepOutcome.NOTHING, "No rule matched.")
    off = RouteStep(RouteStage.RULES, StepOutcome.SKIPPED, "Rules are off.")
    graph, vector = (
        RouteStep(RouteStage.EXAMPLES, StepOutcome.DECIDED, f"{name} is nearest.", label=name)
        for name in ("graph", "vector")
    )
    assert flip_cause(decided(silent, graph), decided(off, vector)) == "Examples: vector is nearest."
    assert flip_cause(decided(silent, graph), decided(off, graph)) == "Rules: Rules are off."


async def test_that_a_rollout_is_begun_told_and_ended() -> None:
    assert await told(roll_out, None, []) == "Nothing is rolled out.\n"
    library = MemoryLibrary()
    said = await told(roll_out, 10, ["route.threshold=0.95"], library=library)
    assert said.startswith("10 of 100 queries go by route.threshold=0.95, since ")
    assert "After 50 decisions of the candidate" in said
    found = json.loads(await told(roll_out, 100, [], library=library, as_json=True))
    assert (found["rollout"]["share"], found["of"]) == (100, "route.threshold=0.95")
    (routed,) = [json.loads(await told(route_each, ["similar texts"], library=library, as_json=True))]
    assert (routed["configuration"], routed["rollout"]["share"]) == ("route.threshold=0.95", 100)
    assert "By the candidate of a roll-out: route.threshold=0.95" in await told(
        route_each, ["similar"], library=library
    )
    assert "Nothing is rolled out." in await told(roll_out, 0, [], library=library)


async def test_that_an_empty_log_is_told_as_one() -> None:
    assert (await told(print_metrics)).startswith("0 decisions\n  Decided by rules ")
    empty = "The log holds no decision whose text is stored, so there is nothing to check.\n"
    assert await told(print_audit) == empty
    assert await told(clear_cache) == "0 answers of the LLM were forgotten.\n"


async def test_that_an_audit_waits_until_it_is_known_whether_the_llm_can_be_asked() -> None:
    class SlowToWarm(ScriptedLlm):
        async def warm(self) -> LlmState:
            await asyncio.sleep(0.05)
            return await super().warm()

    client, out = SlowToWarm(LlmAnswer(IntentType.HOWTO, 0.9, "json")), io.StringIO()
    chosen = {"llm.url": "http://127.0.0.1:1", "llm.model": "m"}
    workbench = unopened_asking(lambda _: cast("Any", client), chosen)
    await workbench.open(encoder=False, watch=False)
    await route_each(workbench, ["who knows whom"], Printer(io.StringIO(), as_json=True))
    assert client.asked == [], "it was not ready"
    await print_audit(workbench, Printer(out, as_json=True))
    assert client.asked == ["who knows whom"]
    assert json.loads(out.getvalue())["sample"][0]["llm"] == "graph_traversal"
    await workbench.close()


async def test_that_an_audit_in_the_terminal_asks_the_llm_about_what_the_rules_decided() -> None:
    llm = ScriptedLlm(LlmAnswer(IntentType.GENERAL, 0.9, "json"))
    async with route_desk(llm=llm) as bench:
        for text in ("similar texts", "texts that resemble mine"):
            bench.routing.log.note(text, await bench.routing.route(text))
        for ask, said in ((True, r"\n  Rules and LLM +0 of 2 +0 %\n"), (False, r"Rules and LLM +nothing to compare")):
            await print_audit(bench, Printer(out := io.StringIO()), ask=ask)
            assert re.search(said, out.getvalue())
        await print_audit(bench, Printer((out := io.StringIO()), as_json=True))
        found = json.loads(out.getvalue())
        assert (found["rule_llm"], found["llm_silence"]) == ({"agree": 0, "of": 2}, "")


async def test_that_each_query_is_told_with_its_stages() -> None:
    assert (await told(route_each, ["texts similar to this", "", "zzz"])).splitlines() == [
        "Route: vector_similarity, 95 % (rule)",
        "  “similar” → vector_similarity: 95 % reaches 90 %. No store is connected; the embedded one answers.",
        "  Rules     decided T ms  “similar” → vector_similarity: 95 % reaches 90 %.",
        "  Cache     skipped T ms  Not needed: it was decided before.",
        "  Examples  skipped T ms  Not needed: it was decided before.",
        "  LLM       skipped T ms  Not needed: it was decided before.",
        "  Fallback  skipped T ms  Not needed: it was decided before.",
        "Route: vector_similarity, 0 % (undecided)",
        "  Nothing was asked. No store is connected; the embedded one answers.",
        "Route: vector_similarity (fallback)",
        "  Nothing decided, so it falls back to vector search. No store is connected; the embedded one answers.",
        "  Rules     nothing T ms  No rule matched.",
        "  Cache     nothing T ms  No answer of the LLM to this query is kept.",
        "  Examples  skipped T ms  There are too few examples to learn from: at least four, of two labels.",
        "  LLM       skipped T ms  No LLM is set up: it needs an address and a model.",
        "  Fallback  decided T ms  Nothing was found that decides, so it falls back to vector search.",
    ]


async def test_that_an_evaluation_is_told_by_method_and_intent_with_what_turns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    library = library_of(*TAUGHT)
    cases = [*TAUGHT, Case("a b", ("intent",), Task.INTENT)]
    lines = [*(Line(number, case) for number, case in enumerate(cases, 1)), Problem(18, "No text.")]
    judge = partial(judged, judge_routes)
    said = await told(judge, lines, "route", library=library, against=["route.examples=false"])
    assert said.startswith("Under route.examples=false\nWorse: 0 cases fixed, 16 broken.")
    assert "Combination rules + examples;" in said
    shares = [line.split()[:5] for line in said[said.index("By method") :].splitlines()]
    assert shares[1] == ["examples", "16", "100", "%", "100"]
    assert shares[4:6] == [["orders", "8", "50.0", "%", "100"], ["stock", "8", "50.0", "%", "100"]]
    assert said[said.index("Examples did not decide") :].splitlines()[:3] == [
        "Examples did not decide in 0 of 16 cases.",
        "Under route.examples=false: 16 cases go another way, 0 now right, 16 now wrong.",
        "  orders (examples) → vector_similarity (fallback) [now wrong]: aaa a",
    ]
    assert capsys.readouterr().err == "1 case of other tasks is left out\nline 18: No text.\n"


async def test_that_each_gate_is_told_and_unjudged_lines_meet_none(capsys: pytest.CaptureFixture[str]) -> None:
    verdicts = []

    async def judge(bench: Workbench, lines: list[Any], out: Printer, **how: Any) -> None:
        verdicts.append(await judged(judge_routes, bench, lines, "route", out, **how))

    case = Line(1, Case("similar texts", ("vector",), Task.ROUTE))
    assert re.search(r"\n  rule +1 +100 % +100 %", await told(judge, [case], gates=["accuracy>=0.9"]))
    assert capsys.readouterr().err == "gate met: accuracy>=0.9 (it is 1)\n"
    await told(judge, [case], gates=["accuracy<=0.5"])
    assert capsys.readouterr().err == "gate not met: accuracy<=0.5 (it is 1)\n"
    await told(judge, [case, Problem(2, "No text.")], gates=["accuracy>=0.9"])
    assert capsys.readouterr().err.splitlines()[2] == "gate not met: 1 of 2 lines could not be judged"
    assert verdicts == [True, False, False]
    with pytest.raises(FormatError, match="no case that can be evaluated"):
        await told(judge, [])


async def test_that_only_queries_that_no_rule_settles_are_encoded_together() -> None:
    made: list[list[str]] = []

    class Counting(LetterEncoder):
        def encode(self, texts: Sequence[str]) -> Any:
            made.append(list(texts))
            return super().encode(texts)

    taught = [Case(f"{label} {n}", (label,), Task.ROUTE) for label in ("graph", "vector") for n in range(4)]
    # Examples may overrule a rule.
    for overrule, expected in ((False, ["zzz", "qqq"]), (True, ["zzz", "similar texts", "qqq"])):
        async with route_desk(encoder=Counting, library=library_of(*taught), route__overrule=overrule) as bench:
            made.clear()
            await bench.routing.prefetch(["zzz", "similar texts", "qqq", "zzz"])
            assert made == [expected]
            await bench.routing.route("zzz")
            assert len(made) == 1
            made.clear()
    async with route_desk(encoder=Counting, route__examples=False) as bench:
        await bench.routing.prefetch(["zzz"])
        assert made == []


async def test_that_a_run_is_told_with_its_decision_and_as_one_document() -> None:
    library = library_of(
        Memory(("red build",), id="ci-red", tags=("build",)), Memory(("slow build",), id="slow", namespace="food")
    )

    async def work(bench: Workbench) -> None:
        lines, document = io.StringIO(), io.StringIO()
        await run_each(bench, ["how is ci-red related"], Printer(lines), compare=False)
        await run_each(bench, ["how is ci-red related"], Printer(document, as_json=True), compare=True)
        said = lines.getvalue()
        assert said.startswith("Route: graph_traversal, 95 % (rule)\n")
        assert re.search(r"1 hit of neo4j\nneo4j, routed: embedded .+\n  1\. ci-red +1\.000  named in the query", said)
        assert "No store is" not in said
        found = json.loads(document.getvalue())
        assert found["databases"] == ["neo4j"]
        assert [one["id"] for one in found["run"]["hits"]] == ["memory:ci-red"]
        assert [one["store"] for one in found["run"]["stores"]] == ["neo4j", "graphiti", "qdrant", "postgresql"]
        await bench.routing.log.flushed()
        assert len(await bench.routing.log.decisions()) == 2

    async with desk(lambda: library) as bench:
        await work(bench)


RUNS = "route a --compare", "route --metrics --run", "route --clear-log --run --compare"


@pytest.mark.parametrize("words", [*RUNS, "stores --yes"])
def test_that_an_option_without_what_it_goes_with_opens_nothing(words: str) -> None:
    def root() -> Any:
        raise AssertionError("nothing is opened")

    with pytest.raises(MisuseError, match="--run goes with TEXT" if words in RUNS else "--yes goes with --fill"):
        (run_route if words in RUNS else run_stores)(parser().parse_args(words.split()), root)


async def test_that_routes_are_listed_set_up_changed_carried_and_removed_from_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "routes.toml"

    async def said(bench: Workbench, *words: str) -> str:
        output = await routes(bench, parser().parse_args(["routes", *words]))
        return "\n".join(output.lines)

    async with desk() as bench:
        about = ("--stores", "qdrant, ledger", "--colour", "pink", "--about", "asks about invoices")
        assert await said(bench, "--add", "billing", *about) == "Added the route “billing”."
        assert await said(bench, "--change", "graph", "--title", "Ties") == "Edited the route “graph_traversal”."
        assert await said(bench, "--off", "multi_database") == "Switched off the route “multi_database”."
        listed = (await said(bench, "--export", str(file))).splitlines()
        assert [line.split()[0] for line in listed if " off " in line or " your own " in line] == [
            "multi_database",
            "billing",
        ]
        assert file.read_text("utf-8").splitlines() == [
            "[routes.graph_traversal]",
            'title = "Ties"',
            "",
            "[routes.multi_database]",
            "enabled = false",
            "",
            "[routes.billing]",
            'stores = "qdrant, ledger"',
            'colour = "pink"',
            'about = "asks about invoices"',
        ], "only what is not as it ships"
        assert await said(bench, "--export", "-") == file.read_text("utf-8").rstrip("\n")
        assert await said(bench, "--reset", "all") == "Reset the routes that ship."
        assert await said(bench, "--reset", "all") == "No change."
        assert await said(bench, "--remove", "billing") == "Deleted the route “billing”."
        assert await said(bench, "--import", str(file)) == "Imported 3 routes."
        found = (await routes(bench, parser().parse_args(["routes"]))).document["routes"]
        assert [(one["route"], one["title"], one["on"]) for one in found if one["changed"] or one["own"]] == [
            ("graph_traversal", "Ties", True),
            ("multi_database", "", False),
            ("billing", "", True),
        ]
        with pytest.raises(KnownError, match="go with --add or --change"):
            await said(bench, "--on", "billing", "--title", "Bills")


HEAD = [
    "neo4j       not connected; the embedded store answers in its place",
    "graphiti    not connected; the embedded store answers in its place",
    "qdrant      not connected; the embedded store answers in its place",
]


async def lines(bench: Workbench) -> list[str]:
    out = io.StringIO()
    await print_states(bench, Printer(out))
    return [line for line in out.getvalue().splitlines() if not line.startswith((" ", "redis"))]


async def test_that_a_store_is_filled_after_a_yes_to_the_very_statements(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with on_server() as (bench, server, _):
        assert await lines(bench) == [*HEAD, "postgresql  holds 0 documents; 3 differ from the library"]
        monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
        with pytest.raises(KnownError, match="No terminal to confirm in"):
            await fill(bench, "postgresql", agreed=False)
        monkeypatch.setattr("sys.stdin", Terminal("n\n"))
        assert not await fill(bench, "postgresql", agreed=False)
        assert server.was_put == []
        assert "is deleted there. These statements are run first:\n\nCREATE TABLE\n" in capsys.readouterr().err
        monkeypatch.setattr("sys.stdin", Terminal("yes\n"))
        assert await fill(bench, "postgresql", agreed=False)
        assert await lines(bench) == [*HEAD, "postgresql  holds 3 documents, up to date"]
        assert await fill(bench, "postgresql", agreed=True)
        server.is_gone = True
        out = io.StringIO()
        await print_states(bench, Printer(out, as_json=True))
        last = json.loads(out.getvalue())["stores"][-2]
        told = {"store": "postgresql", "by": "postgresql", "held": 0, "late": 0, "fault": "Nobody answers."}
        assert told.items() <= last.items()


async def test_that_a_password_comes_by_stdin_or_is_typed_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    async with on_server() as (bench, _, told):
        monkeypatch.setattr("sys.stdin", io.StringIO("pa ss\r\n"))
        await keep_password(bench, "postgresql")
        assert told[0] == {"store:postgresql": "pa ss"}
        monkeypatch.setattr("sys.stdin", Terminal())
        monkeypatch.setattr("getpass.getpass", lambda prompt: "typed" if prompt == "Password of postgresql: " else "")
        await keep_password(bench, "postgresql")
        assert told[0] == {"store:postgresql": "typed"}
