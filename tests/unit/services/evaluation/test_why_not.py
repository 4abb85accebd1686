"""Tests of why-not: each stage that can lose an answer, and effective changes (S7.6)."""

import asyncio
import random
from dataclasses import replace

import pytest

from app.display import numbers
from app.display.scope.why_not import headline, is_edit, is_related, why_not_document, why_not_lines
from app.display.scope.why_not_sentences import change_words, sentence
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.inspection import REFUSED
from app.domain.intent import DetectionSource, IntentType, Rule
from app.domain.journal import Edit, ItemKind
from app.domain.library import Memory, Power, Transport
from app.domain.match import Tier
from app.domain.running import ActivationBlocker
from app.domain.why_not import NOTHING, AddTrigger, ChangeSettings, Expectation, LostAt, Note, TeachType, WhyNot
from app.services.evaluation.case_runs import run_cases
from app.services.scope.why_not_question import MOST_PER_FAMILY
from app.services.workbench import Workbench
from app.settings.model import value_of
from tests.build import library_of, some
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import desk
from tests.unit.services.why_nots import CASES, LOSSES, library, without_cases


async def explained(bench: Workbench, name: str) -> WhyNot:
    """Return the explanation of a loss, after checking that asking for it stores nothing."""
    loss = LOSSES[name]
    if loss.chosen:
        await bench.choose_all(dict(loss.chosen))
    await bench.ready()
    before = kept(bench)
    told = await bench.why_nots.explain(loss.text, Expectation.of(loss.expected))
    assert kept(bench) == before
    return told


def kept(bench: Workbench) -> tuple[list[Memory], list[Power], list[Rule], list[Case], dict[str, str], int]:
    store = bench.library
    stored = store.memories(), store.powers(), store.rules(), store.cases(), dict(store.setting_values())
    return (*stored, len(store.steps()))


async def right(bench: Workbench) -> dict[str, bool]:
    cases = {case.key: case for case in bench.library.cases() if case.key is not None}
    steps = [step async for step in run_cases(bench, bench.evaluations, list(cases))]
    outcomes = [one for step in steps for one in step.outcomes]
    return {f"{cases[one.key].task} {cases[one.key].text}": one.is_right for one in outcomes}


@pytest.mark.parametrize("name", LOSSES)
async def test_that_the_stage_is_found_that_lost_it(name: str) -> None:
    async with desk(library) as bench:
        told = await explained(bench, name)
        assert told.stage is LOSSES[name].stage, sentence(told)
        assert sentence(told).endswith(".")
        assert {change.key for change in told.changes if change.wins} >= set(LOSSES[name].changes)
        assert len({change_words(change) for change in told.changes}) == len(told.changes), "each is told once"
        assert sum(change.key == "setting.combination" for change in told.changes) <= MOST_PER_FAMILY
        assert len({change.wins for change in told.changes}) <= 1, "what is not enough is not shown beside what is"


@pytest.mark.parametrize("name", [name for name, loss in LOSSES.items() if loss.changes])
async def test_that_every_change_does_what_it_says_once_it_is_made_and_is_undone(name: str) -> None:
    async with desk(library) as bench:
        changes = (await explained(bench, name)).changes
        before, triggers = await right(bench), [one.triggers for one in bench.library.memories()]
        for change in changes:
            await bench.why_nots.apply(change)
            await bench.ready()
            after = await right(bench)
            told = await bench.why_nots.explain(LOSSES[name].text, Expectation.of(LOSSES[name].expected))
            assert told.is_delivered == change.wins, (change_words(change), sentence(told))
            effect = some(change.effect)
            assert effect.total == len(CASES)
            same = before.keys() & after.keys()
            fixed = {text.partition(" ")[2] for text in same if after[text] and not before[text]}
            broken = {text.partition(" ")[2] for text in same if before[text] and not after[text]}
            assert (set(effect.fixed), set(effect.broken)) == (fixed, broken), change_words(change)
            assert (effect.fixes, effect.breaks) == (len(effect.fixed), len(effect.broken))
            assert await bench.curator.undo() is not None
            await bench.ready()
            assert [one.triggers for one in bench.library.memories()] == triggers


WORDS = "pay bill parcel order rain garage water plant refund invoice ticket train door light".split()


@pytest.mark.parametrize("seed", range(2, 6))
async def test_that_every_setting_that_is_offered_delivers_what_is_expected(seed: int) -> None:
    draw, tried = random.Random(seed), 0
    texts = [" ".join(draw.sample(WORDS, draw.randint(2, 4))) for _ in range(30)]
    memories = [Memory((texts.pop(), texts.pop()), intent=f"{n % 5}", response=f"{n}.") for n in range(9)]
    cases = [Case(texts.pop(), (name,), Task.INTENT) for name in (*"01234012", NOTHING, NOTHING)]
    async with desk(lambda: library_of(*memories, *cases[::2])) as bench:
        await bench.choose_all({"combination": ("max", "learned")[seed % 2], "fallback_threshold": f"0.{3 + seed}"})
        await bench.ready()
        judged = await right(bench)
        for text, expected in ((case.text, Expectation("intent", case.expected[0])) for case in cases):
            told = await bench.why_nots.explain(text, expected)
            assert seed % 2 or told.is_delivered == judged.get(f"intent {text}", told.is_delivered), sentence(told)
            for change in told.changes:
                if change.wins and isinstance(change.act, ChangeSettings):
                    await bench.why_nots.apply(change)
                    assert (await bench.why_nots.explain(text, expected)).is_delivered, (text, change_words(change))
                    assert (await right(bench)).get(f"intent {text}", True), (text, change_words(change))
                    await bench.curator.undo()
                    tried += 1
    assert tried


async def test_that_what_is_in_the_bin_is_found_and_put_back() -> None:
    async with desk(library) as bench:
        parcel = next(one for one in bench.library.memories() if one.id == "parcel")
        assert parcel.key is not None
        await bench.journal.delete([(ItemKind.MEMORY, parcel.key)], name="parcel")
        told = await bench.why_nots.explain("where is my parcel", Expectation("memory", "parcel"))
        assert told.stage is LostAt.SET_ASIDE
        assert [(one.key, one.wins) for one in told.changes] == [("bin.put_back", True)]
        await bench.why_nots.apply(told.changes[0])
        await bench.ready()
        told = await bench.why_nots.explain("where is my parcel", Expectation("memory", "parcel"))
        assert (told.stage, told.expected_rank) == (None, 1)


async def test_that_both_sides_are_scored_as_an_inspection_scores_them() -> None:
    async with desk(library) as bench:
        await bench.ready()
        text = "pay the bill tomorrow"
        scores = {match.answer.name: match for match in (await bench.settle(text)).matches}
        told = await bench.why_nots.explain(text, Expectation("memory", "rain"))
        assert told.winner_name == "bill"
        for gap in told.gaps:
            assert gap.expected == pytest.approx(scores["rain"].scores[gap.scorer], abs=1e-6)
            assert gap.winner == pytest.approx(scores["bill"].scores[gap.scorer], abs=1e-6)
        assert told.expected_confidence == pytest.approx(scores["rain"].confidence, abs=1e-6)
        assert told.winner_confidence == pytest.approx(scores["bill"].confidence, abs=1e-6)


async def test_that_thresholds_move_no_further_than_they_must() -> None:
    async with desk(library) as bench:
        told = await explained(bench, "threshold")
        change = next(one for one in told.changes if one.key == "setting.fallback_threshold")
        (moved,), own = change.moved, some(told.expected_confidence)
        assert own - 0.01 < float(moved.after) <= own
        await bench.why_nots.apply(change)
        assert value_of(bench.settings, "fallback_threshold") == float(moved.after)


async def test_that_without_cases_nothing_is_counted_and_a_trigger_goes_before_a_setting() -> None:
    async with desk(without_cases) as bench:
        told = await explained(bench, "threshold")
        assert (told.notes, {change.effect for change in told.changes}) == ((Note.NO_CASES,), {None})
        is_setting = [change.key.startswith("setting.") for change in told.changes if change.wins]
        assert {*is_setting} == {False, True}
        assert is_setting == sorted(is_setting)
        told = await bench.why_nots.explain("rain", Expectation.of("power:none"))
        acts = [one.act.point for one in told.changes if isinstance(one.act, ChangeSettings)]
        assert {*acts} == {None}, "a combination is tested first"


async def test_that_what_breaks_least_and_fixes_most_is_told_first() -> None:
    async with desk(library) as bench:
        for name in ("scoring", "ambiguity", "selection"):
            order = [
                (not one.wins, one.effect.breaks, -one.effect.fixes)
                for one in (await explained(bench, name)).changes
                if one.effect is not None
            ]
            assert order == sorted(order)


async def test_that_progress_is_told_and_asking_can_be_given_up() -> None:
    async with desk(library) as bench:
        await bench.ready()
        steps: list[tuple[int, int]] = []
        expected = Expectation("intent", "weather")
        await bench.why_nots.explain("pay my bill", expected, lambda done, total: steps.append((done, total)))
        assert steps[-1][0] == steps[-1][1]
        assert steps == sorted(steps)
        before = kept(bench)
        task = asyncio.create_task(bench.why_nots.explain("pay my bill", expected))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert kept(bench) == before


async def test_that_nothing_asked_and_nothing_meant_are_told_in_sentences() -> None:
    async with desk(library) as bench:
        with pytest.raises(KnownError, match="Nothing was asked"):
            await bench.why_nots.explain("  ", Expectation("memory", "bill"))
    for wrong in ("bill", "thing:bill", "memory:", ":x", "", "type:bill", "type:"):
        with pytest.raises(ValueError, match=r"\.$"):
            Expectation.of(wrong)
    with pytest.raises(ValueError, match=r"as in memory:none\.$"):
        Expectation.of("none")
    assert Expectation.of(" Memory : a:b ") == Expectation("memory", "a:b")
    assert Expectation.of("type:howto") == Expectation("intent", "howto", is_type=True)


async def test_that_names_are_offered_of_every_kind() -> None:
    async with desk(library) as bench:
        await bench.ready()
        offered = bench.why_nots.candidates
        assert offered("memory:b")[:1] == ["memory:bill"]
        for name, typed in (("intent:billing", "bil"), ("type:howto", "howto"), ("route:graph_traversal", "graph")):
            assert name in offered(typed)
        await bench.curator.teach(Memory(("upgrade it",), id="postgres-upgrade"))
        assert offered("Postgres") == ["power:postgres", "memory:postgres-upgrade"]
        assert len(offered("", 3)) == 3


async def test_that_an_intent_named_like_a_type_is_explained_and_offered_beside_the_type() -> None:
    async with desk(library) as bench:
        await bench.curator.teach(Memory(("what is your address",), intent="location"))
        await bench.ready()
        assert {"intent:location", "type:location"} <= {*bench.why_nots.candidates("location")}
        for expected, task in (("intent:location", Task.INTENT), ("type:location", Task.TYPE)):
            told = await bench.why_nots.explain("tell me your address", Expectation.of(expected))
            assert (told.task, told.expected.is_type) == (task, task is Task.TYPE)
        told = await bench.why_nots.explain("tell me your address", Expectation.of("intent:howto"))
        assert told.expected == Expectation.of("type:howto")


async def test_that_an_expectation_in_another_case_is_judged_the_same() -> None:
    async with desk(library) as bench:
        await bench.curator.teach(Memory(("what is your address",), "Main Street 1", intent="location"))
        await bench.ready()
        for one in ("intent:location", "memory:what is your address"):
            told = await bench.why_nots.explain("what is your address", Expectation.of(one))
            other = await bench.why_nots.explain("what is your address", Expectation.of(one.title()))
            assert told.has_won
            assert (told.has_won, told.injection) == (other.has_won, other.injection)


UNWANTED = {
    "pay the bil now": ("intent:none", {"setting.fallback_threshold", "label.give", "setting.combination"}),
    "where is the parcel": ("memory:oos", {"setting.fallback_threshold", "label.give"}),
    "read the report": ("intent:none", {"label.raise"}),
    "sing on": ("memory:none", {"memory.pause"}),
    "check my postgres": ("power:none", {"setting.tiers.weak"}),
}


async def test_that_what_came_though_nothing_should_is_named_with_what_keeps_it_out() -> None:
    async with desk(library) as bench:
        await bench.choose("fallback_threshold", "0.75")
        await bench.curator.teach(Memory(("read the reports",), intent="reports").with_threshold(0.5))
        await bench.curator.teach(Memory(("sing on",), id="song"))
        await bench.ready()
        for text, (expected, keys) in UNWANTED.items():
            told = await bench.why_nots.explain(text, Expectation.of(expected))
            assert told.stage is LostAt.UNWANTED, sentence(told)
            assert {change.key for change in told.changes} >= keys, sentence(told)
            assert len({change_words(change) for change in told.changes}) == len(told.changes), "each is told once"
            change = next((one for one in told.changes if one.key == "label.raise"), told.changes[0])
            await bench.why_nots.apply(change)
            steps = [step.sentence for step in bench.library.steps()]
            assert ("set the threshold of “reports”" in steps) is (change.key == "label.raise")
            assert (await bench.why_nots.explain(text, Expectation.of(expected))).has_won, change_words(change)
            await bench.curator.undo()


async def test_that_thresholds_of_tiers_are_raised_above_the_chances_that_they_go_by() -> None:
    def with_more_databases() -> MemoryLibrary:
        made = library()
        made.add("powers", [Power(name, f"Ask {name}", (name, "database")) for name in ("redis", "oracle")])
        return made

    async with desk(with_more_databases) as bench:
        await bench.choose("combination", "learned")
        await bench.choose("tiers.weak", "0.1")
        await bench.ready()
        before = await bench.settle("check my database")
        related, weak = some(some(before.resolution).chances).related, bench.settings.tiers.weak
        assert related > before.powers[0].confidence > weak
        told = await bench.why_nots.explain("check my database", Expectation.of("power:none"))
        assert f"any power is meant, {numbers.rough_chance(related, (weak,))}" in sentence(told)
        (raised,) = (change for change in told.changes if change.key == "setting.tiers.weak")
        await bench.why_nots.apply(raised)
        after = await bench.settle("check my database")
        assert some(after.resolution).status is Tier.NOT_FOUND


async def test_that_nothing_that_scores_is_said_and_that_a_name_that_is_taught_is_meant() -> None:
    async with desk(library) as bench:
        for text, says in (("§§", "Nothing scores for this query, so nothing is answered."), ("don't deploy", REFUSED)):
            assert sentence(await bench.why_nots.explain(text, Expectation.of("power:none"))) == says
        await bench.curator.teach(Memory(("what else",), intent="none"))
        await bench.ready()
        told = await bench.why_nots.explain("what else", Expectation.of("intent:none"))
        assert sentence(told).startswith("“none” comes first"), "a label may be called so"


async def test_that_a_type_is_offered_to_be_taught_and_comes_once_it_is() -> None:
    async with desk() as bench:
        texts = {"location": ("zoo one", "zoo two", "zoo three"), "comparison": ("pie a", "pie b", "pie c")}
        cases = [Case(text, (type_,), Task.TYPE) for type_, own in texts.items() for text in own]
        await bench.journal.do(Edit("added"), cases)
        await bench.ready()
        text = "zoo four"
        found = await bench.why_nots.explain(text, Expectation("intent", "comparison"))
        taught = next(one for one in found.changes if one.key == "type.teach")
        assert taught.act == TeachType(text, IntentType.COMPARISON)
        before = await right(bench)
        await bench.why_nots.apply(taught)
        await bench.ready()
        intent = (await bench.settle(text)).intent
        assert (intent is not None and intent.type is IntentType.COMPARISON) is taught.wins
        after = await right(bench)
        assert sum(before[one] and not after[one] for one in before) == some(taught.effect).breaks
        assert [case.expected for case in bench.library.cases(Task.TYPE) if case.text == text] == [("comparison",)]
        assert await bench.curator.undo() is not None
        assert len(bench.library.cases(Task.TYPE)) == len(cases)


async def test_that_what_comes_beside_the_expected_answer_is_named_and_fails_it() -> None:
    async with desk(combination="fuzzy") as bench:
        text = "water the plants"
        memory = Memory((text,), intent="garden", response="Every morning.")
        await bench.journal.do(
            Edit("added"), [memory, Power("hose", "Waters", steering="Open the tap.", examples=(text,))]
        )
        await bench.ready()
        for kind, name in (("intent", "garden"), ("memory", memory.name)):
            found = await bench.why_nots.explain(text, Expectation(kind, name))
            assert found.has_won
            assert found.unexpected == ("hose",)
            assert not found.is_delivered
            assert headline(found) == "First, but not alone"
            assert any("“hose” would be delivered too" in line for line in why_not_lines(found))
        both = Case(text, ("garden", "hose"), Task.INTENT)
        await bench.journal.do(Edit("added"), [both])
        found = await bench.why_nots.explain(text, Expectation("intent", "garden"))
        assert (found.unexpected, found.is_delivered) == ((), True), "its case expects both"


async def test_that_an_expected_power_is_delivered_once_it_is_approved() -> None:
    async with desk(combination="fuzzy") as bench:
        text = "water the plants"
        hose = Power("hose", "Waters", examples=(text,), transport=Transport(command="hose"))
        memory = Memory((text,), intent="garden", response="Every morning.")
        await bench.journal.do(Edit("added"), [hose])
        await bench.ready()
        waiting = await bench.why_nots.explain(text, Expectation("power", "hose"))
        assert waiting.has_won
        assert (waiting.blocker, waiting.is_delivered) == (ActivationBlocker.APPROVAL, False)
        assert headline(waiting) == "Found, but not approved"
        assert any("not approved" in line for line in why_not_lines(waiting))
        await bench.journal.do(Edit("added"), [memory])
        await bench.ready()
        assert (await bench.why_nots.explain(text, Expectation("intent", "garden"))).is_delivered
        (stored,) = (one for one in bench.engine.index.answers().values() if isinstance(one, Power))
        await bench.journal.do(Edit("approved"), [replace(stored, approved=True)])
        await bench.ready()
        beside = await bench.why_nots.explain(text, Expectation("intent", "garden"))
        assert (beside.unexpected, beside.is_delivered) == (("hose",), False)
        approved = await bench.why_nots.explain(text, Expectation("power", "hose"))
        assert approved.blocker is None


async def test_that_a_power_without_command_and_address_is_not_delivered() -> None:
    async with desk(combination="fuzzy") as bench:
        text = "water the plants"
        await bench.journal.do(Edit("added"), [Power("hose", "Waters", examples=(text,))])
        await bench.ready()
        found = await bench.why_nots.explain(text, Expectation("power", "hose"))
        assert (found.stage, found.blocker, found.is_delivered) == (None, ActivationBlocker.COMMAND, False)
        assert headline(found) == "Found, but has no command"
        assert any("neither a command nor an address" in line for line in why_not_lines(found))
        document = why_not_document(found)
        assert (document["needs_approval"], document["needs_command"]) == (False, True)


@pytest.mark.parametrize(
    ("rank", "own", "is_meant"), [(2, 0.3, True), (2, 0.001, False), (9, 0.3, False), (None, None, False)]
)
def test_that_a_query_is_related_to_one_of_the_first_few(rank: int | None, own: float | None, is_meant: bool) -> None:
    lost = WhyNot("a", Expectation("power", "x"), Task.POWER, LostAt.SCORING, "x", "y", (), own, 0.9, rank)
    assert is_related(lost) is is_meant


def test_that_an_edit_of_a_query_is_no_other_query() -> None:
    assert is_edit("cancel my order", "Cancel my orders please")
    assert is_edit("cancle my oder", "cancel my order")
    assert not is_edit("cancel my order", "will it rain tomorrow")


async def test_that_a_replaced_memory_learns_nothing_and_breaks_no_case_of_its_intent() -> None:
    old = Memory(("register a dog", "tax for a dog"), intent="dog", response="108 euros", id="dog-1")
    new = Memory(("licence fee 2026",), intent="dog", response="120 euros", id="dog-2", replaces=("dog-1",))
    rest = [Memory((text,), intent=text, response=text) for text in ("where is my bin", "opening hours", "too loud")]
    rest += [Memory(("swim in a lane",), intent="pool", response=one, id=one) for one in ("a1", "b1")]
    case = Case("register a dog", ("dog",), Task.INTENT)
    async with desk(lambda: library_of(old, new, *rest, case), combination="learned") as bench:
        assert (await bench.why_nots.explain(case.text, Expectation("intent", "dog"))).is_delivered
        other = await bench.why_nots.explain("xylophone at seven", Expectation("intent", "too loud"))
        assert [some(one.effect).breaks for one in other.changes if one.key == "trigger.add"] == [0]
        own = await bench.why_nots.explain("two labradors", Expectation("intent", "dog"))
        assert [one.act.answer.name for one in own.changes if isinstance(one.act, AddTrigger)] == ["dog-2"]
        level = await bench.why_nots.explain("crowded water", Expectation("intent", "pool"))
        assert {one.act.answer.name for one in level.changes if isinstance(one.act, AddTrigger)} == {"a1", "b1"}


async def test_that_a_type_that_examples_decide_is_not_put_down_to_its_keywords() -> None:
    async with desk() as bench:
        text, types = "how do I feed the zoo", ("howto", "comparison")
        cases = [Case(f"{text} {n}" if n % 2 else f"pie {n}", (types[n % 2 - 1],), Task.TYPE) for n in range(12)]
        await bench.journal.do(Edit("added"), cases)
        await bench.ready()
        assert some((await bench.settle(text)).intent).source is DetectionSource.LEARNED
        told = await bench.why_nots.explain(text, Expectation("intent", "howto"))
        assert sentence(told) == "“howto” is the type, by the learned score."
        assert told.winner_name != "howto"
