"""Tests of edit previews: the same cases and queries change as by the edit itself."""

from __future__ import annotations

from dataclasses import replace

from app.display.library.teaching import foreseen_base, foreseen_lines, foreseen_short
from app.domain.case import Case, Task
from app.domain.intent import Rule, RulePurpose
from app.domain.journal import Edit
from app.domain.library import Memory, Power, Transport
from app.domain.review.history import Source
from app.domain.scope.why_not import Effect, Expectation
from app.services.workbench import Workbench
from tests.unit.services.benches import desk

TAUGHT = (
    Memory(("create a branch",), intent="branch"),
    Memory(("drink a cup of coffee",), intent="coffee"),
    Memory(("water the plants",), intent="garden"),
)
CASES = (
    Case("brew a flat white", ("coffee",), Task.INTENT),
    Case("brew a flat white at noon", ("garden",), Task.INTENT),
    Case("create a branch", ("branch",), Task.INTENT),
)


async def taught(bench: Workbench) -> None:
    for memory in TAUGHT:
        await bench.curator.teach(memory)
    await bench.journal.do(Edit("added"), list(CASES))
    await bench.ready()


async def right(bench: Workbench) -> set[str]:
    judged = await bench.evaluations.today(CASES, Task.INTENT)
    return {one.case.text for one in judged.answered if one.is_right}


async def test_that_what_is_foreseen_of_a_memory_and_of_a_trigger_is_what_comes() -> None:
    for text, drafted in (("brew a flat white", None), ("brew a flat white", "branch")):
        async with desk() as bench:
            await taught(bench)
            await bench.foresee([case.text for case in CASES])
            before = await right(bench)
            stored = {match.answer.answer_label: match.answer for match in (await bench.settle("branch")).matches}
            answer = Memory((text,), intent="coffee") if drafted is None else stored[drafted]
            found = await bench.edit_previews.of_trigger(answer, text)
            assert await right(bench) == before  # nothing is stored
            if isinstance(answer, Memory) and answer.key is None:
                await bench.curator.teach(answer)
            else:
                await bench.curator.add_trigger(answer, text)
            await bench.ready()
            await bench.foresee([case.text for case in CASES])
            after = await right(bench)
            assert set(found.effect.fixed) == after - before
            assert set(found.effect.broken) == before - after
            assert found.effect.total == len(CASES)
            assert (found.effect.fixes, found.effect.breaks) == (len(after - before), len(before - after))


async def test_that_queries_of_late_with_another_answer_or_tier_are_named() -> None:
    async with desk() as bench:
        await taught(bench)
        settled = [await bench.settle(text) for text in ("xxyyzz", "create a branch")]
        await bench.history.recorder.keep(settled, Source.WINDOW)
        power = Power("zebra", "Keeps zebras", keywords=("xxyyzz",), steering="Feed them.")
        found = await bench.edit_previews.of([power], ["xxyyzz"])
        assert [one.text for one in found.changed] == ["xxyyzz"]
        assert (found.changed[0].after, found.changed_count, found.tiers, found.query_count) == ("zebra", 1, 1, 2)
        assert foreseen_short(found) == "fixes 0, breaks 0, changes 1 recent tier"
        assert foreseen_lines(found)[-1].startswith("Recent queries that would change: “xxyyzz” (")
        assert foreseen_base(found) == "Checked against 3 cases and 2 recent queries."
        assert foreseen_short(replace(found, tiers=0)) == "fixes 0, breaks 0, changes 1 recent answer"
        assert foreseen_short(replace(found, effect=Effect(0, 0), changed_count=0, tiers=0)) == "changes nothing"
        many = replace(found, changed_count=7, effect=replace(found.effect, fixes=9, fixed=("a", "b", "c", "d")))
        assert foreseen_lines(many)[0] == "Fixes “a”, “b”, “c” and 6 more."


TYPED = (
    Case("frobnicate the zebra", ("location",), Task.TYPE),
    Case("frobnicate the heron", ("comparison",), Task.TYPE),
    Case("frobnicate the wombat", ("graph_traversal",), Task.ROUTE),
    Case("where is the wombat", ("location",), Task.TYPE),
)


async def test_that_what_is_foreseen_of_a_rule_is_what_comes() -> None:
    async def of_type(bench: Workbench, text: str) -> str:
        intent = (await bench.settle(text)).intent
        return "" if intent is None else intent.type.value

    async def of_route(bench: Workbench, text: str) -> str:
        return (await bench.routing.route(text)).intent

    rules = (
        Rule("mine.one", "location", "frobnicate", "mine", 0, 5.0),
        Rule("mine.two", "graph_traversal", "frobnicate", "mine", 1, confidence=0.95, purpose=RulePurpose.ROUTE),
        Rule("mine.one", "comparison", "frobnicate the", "mine", 0, 5.0),
        Rule("mine.one", "comparison", "frobnicate the", "mine", 0, 5.0),
    )
    async with desk() as bench:
        await bench.journal.do(Edit("added"), list(TYPED))
        await bench.history.recorder.keep([await bench.settle(one.text) for one in TYPED], Source.WINDOW)
        for drafted in rules:
            stored = {one.id: one for one in await bench.rule_book.rules()}.get(drafted.id)
            rule = drafted if stored is None else replace(drafted, key=stored.key, version=stored.version)
            task = Task.ROUTE if rule.purpose is RulePurpose.ROUTE else Task.TYPE
            decided = of_route if task is Task.ROUTE else of_type
            before = {one.text: await decided(bench, one.text) for one in TYPED}
            found = await bench.edit_previews.of_rule(rule)
            assert before == {one.text: await decided(bench, one.text) for one in TYPED}  # nothing is stored
            await bench.rule_book.store(rule)
            await bench.ready()
            after = {one.text: await decided(bench, one.text) for one in TYPED}
            judged = [one for one in TYPED if one.task is task]
            is_right = {one.text: (before[one.text] in one.expected, after[one.text] in one.expected) for one in judged}
            assert found.effect.fixed == tuple(text for text, now in is_right.items() if now == (False, True))
            assert found.effect.broken == tuple(text for text, now in is_right.items() if now == (True, False))
            turned = {(text, before[text], after[text]) for text in before if before[text] != after[text]}
            assert {(one.text, one.before, one.after) for one in found.changed} == turned
            if before != after:
                assert (found.effect.total, found.query_count, found.task) == (len(judged), 4, task)
                ending = f"changes 1 recent {task.value}" if len(turned) == 1 else f"{len(turned)} recent {task.value}s"
                assert foreseen_short(found).endswith(ending)
        assert foreseen_short(await bench.edit_previews.of_rule(replace(rules[0], id="mine.new", pattern="("))) == ""


async def test_that_what_is_foreseen_of_a_setting_is_what_comes() -> None:
    async def tiers(bench: Workbench) -> dict[str, str]:
        found = {one.text: (await bench.settle(one.text)).resolution for one in CASES}
        return {text: "" if resolution is None else resolution.status.value for text, resolution in found.items()}

    async with desk() as bench:
        await taught(bench)
        await bench.journal.do(Edit("added"), [Power("brewer", "Brews a flat white", keywords=("espresso",))])
        await bench.ready()
        await bench.history.recorder.keep([await bench.settle(one.text) for one in CASES], Source.WINDOW)
        await bench.edit_previews.of_settings(
            {"combination": "max"}
        )  # its knowledge of other memories does not apply to this one
        changes = {"fallback_threshold": "0.99"}
        await bench.foresee([case.text for case in CASES])
        before, stood = await right(bench), await tiers(bench)
        found = await bench.edit_previews.of_settings(changes)
        assert await right(bench) == before  # nothing is set
        await bench.choose_all(changes)
        await bench.foresee([case.text for case in CASES])
        after, stand = await right(bench), await tiers(bench)
        assert before != after
        assert (set(found.effect.fixed), set(found.effect.broken)) == (after - before, before - after)
        assert (found.effect.total, found.query_count) == (len(CASES), len(CASES))
        assert found.tiers == sum(stood[text] != stand[text] for text in stood)
        assert foreseen_short(await bench.edit_previews.of_settings({"log_breakdowns": "true"})) == ""
        assert foreseen_short(await bench.edit_previews.of_settings(changes)) == "", "it is set"


async def test_that_a_setting_of_types_turns_types_and_the_least_success_lets_memories_out_and_in() -> None:
    async with desk() as bench:
        await taught(bench)
        await bench.ready()
        await bench.history.recorder.keep([await bench.settle(one.text) for one in CASES], Source.WINDOW)
        await bench.choose("combination", "balanced")
        found = await bench.edit_previews.of_settings({"search_intent.enabled": "false"})
        assert found.task is Task.TYPE
        for least in ("0.9", "0"):
            await bench.foresee([case.text for case in CASES])
            before = await right(bench)
            found = await bench.edit_previews.of_settings({"min_score": least})
            await bench.choose("min_score", least)
            await bench.ready()
            await bench.foresee([case.text for case in CASES])
            after = await right(bench)
            assert before != after
            assert (set(found.effect.fixed), set(found.effect.broken)) == (after - before, before - after)


async def test_that_nothing_is_foreseen_where_there_is_nothing_to_count_on() -> None:
    async with desk() as bench:
        found = await bench.edit_previews.of([Memory(("a thing",))], ["a thing"])
        assert foreseen_short(found) == ""


SPEAKING = Memory(("water the plants",), intent="garden", response="Every morning.")
PLANTS = Case("water the plants", ("garden",), Task.INTENT)


async def test_that_an_edit_of_a_power_breaks_cases_of_memories_on_which_it_would_start() -> None:
    async with desk(combination="fuzzy") as bench:
        await bench.curator.teach(SPEAKING)
        await bench.journal.do(Edit("added"), [PLANTS])
        await bench.history.recorder.keep([await bench.settle(PLANTS.text)], Source.WINDOW)
        hose = Power("hose", "Waters", examples=(PLANTS.text,), steering="Water them.")
        found = await bench.edit_previews.of([hose], list(hose.examples))
        assert found.effect.broken == (PLANTS.text,)
        assert [(one.before, one.after) for one in found.changed] == [("garden", "garden, hose")]
        waiting = replace(hose, transport=Transport(command="hose"))
        found = await bench.edit_previews.of([waiting], list(hose.examples))
        assert found.effect.breaks == 0
        assert [(one.before, one.after) for one in found.changed] == [("garden", "garden, hose (not approved)")]
        harmless = await bench.edit_previews.of([replace(hose, examples=("knit a jumper",))], ["knit a jumper"])
        assert (harmless.effect.breaks, harmless.changed_count) == (0, 0)


async def test_that_a_limit_of_injection_breaks_the_cases_whose_memory_stays_out() -> None:
    async with desk(combination="fuzzy") as bench:
        await bench.curator.teach(SPEAKING)
        await bench.journal.do(Edit("added"), [PLANTS])
        await bench.history.recorder.keep([await bench.settle(PLANTS.text)], Source.WINDOW)
        found = await bench.edit_previews.of_settings({"search_intent.certain_confidence": "0"})
        assert found.effect.broken == (PLANTS.text,)
        assert [(one.before, one.after) for one in found.changed] == [("garden", "")]
        kept = await bench.edit_previews.of_settings({"search_intent.certain_confidence": "0.9"})
        assert (kept.effect.breaks, kept.changed_count) == (0, 0)


async def test_that_why_not_counts_cases_of_memories_that_a_change_of_powers_breaks() -> None:
    async with desk(combination="fuzzy") as bench:
        await bench.curator.teach(SPEAKING)
        hose = Power("hose", "Waters", examples=("water the plant beds",), steering="Water them.")
        await bench.journal.do(Edit("added"), [PLANTS, hose])
        await bench.ready()
        found = await bench.why_nots.explain(PLANTS.text, Expectation("power", "hose"))
        taught = next(one for one in found.changes if one.key == "trigger.add")
        assert taught.effect is not None
        assert taught.effect.broken == (PLANTS.text,)
