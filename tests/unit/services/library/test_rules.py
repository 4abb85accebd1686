"""Tests of packs as files, and of previews of a reset or an import."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from app.adapters.formats.toml_tables import TomlPacks, pack_text
from app.detect.keywords import KeywordRules
from app.detect.rule_trial import RuleEffect, RuleHint, RuleIssue
from app.domain.case import Case, Task
from app.domain.errors import FormatError
from app.domain.intent import Rule, RulePurpose
from app.domain.journal import Edit
from app.domain.library import Memory
from app.services.engine.type_voter import TypeDetector, TypeVoter
from app.services.library.rules import SHOWN, RuleAttempt, RulePacks, RuleTrialResult
from app.services.workbench import Workbench
from tests.build import library_of, some
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import desk
from tests.unit.services.evaluation.answering import evaluate

MINE = [Rule("mine.a", "howto", "rotate", "mine", 0), Rule("mine.b", "general", r"list\s+it", "mine", 1, unless="not")]


def packs(bench: Workbench) -> RulePacks:
    return RulePacks(bench, bench.journal, bench.rule_edits.shipped, TomlPacks())


async def test_that_a_reset_says_first_what_it_changes() -> None:
    async with desk() as bench:
        shipped = await bench.rule_edits.rules("subcog")
        assert (await packs(bench).plan_reset("subcog")).is_empty
        await bench.journal.do(
            Edit("edited"), [replace(shipped[0], weight=9.0, enabled=False), replace(MINE[0], pack="subcog")]
        )
        await bench.rule_edits.order("subcog", [shipped[3].id])
        plan = await packs(bench).plan_reset("subcog")
        edited, gone = plan.changes
        assert edited.fields == ("weight", "enabled")
        assert (some(gone.before).id, gone.after, plan.reordered) == ("mine.a", None, True)
        await bench.rule_edits.reset("subcog")
        assert (await packs(bench).plan_reset("subcog")).is_empty


async def test_that_a_pack_goes_out_and_comes_back_as_it_was(tmp_path: Path) -> None:
    async with desk() as bench:
        await bench.journal.do(Edit("added"), MINE)
        file = tmp_path / "mine.toml"
        file.write_text(await packs(bench).text("mine"), "utf-8")
        assert (await packs(bench).plan_import(file)).is_empty
        await bench.rule_edits.delete(await bench.rule_edits.rules("mine"))
        plan = await packs(bench).plan_import(file)
        assert [(change.before, change.after) for change in plan.changes] == [(None, rule) for rule in MINE]
        written = some(await packs(bench).take(plan))
        assert written.step.source == "mine.toml"
        assert await bench.rule_edits.rules("mine") == MINE


async def test_that_an_import_changes_what_has_the_id_and_leaves_out_what_does_not_compile(tmp_path: Path) -> None:
    async with desk() as bench:
        await bench.journal.do(Edit("added"), MINE)
        file = tmp_path / "mine.toml"
        bad = replace(MINE[1], pattern="(list")
        file.write_text(pack_text("mine", "Mine", [replace(MINE[0], weight=3.0), bad]), "utf-8")
        plan = await packs(bench).plan_import(file)
        (change,) = plan.changes
        assert change.fields == ("weight",)
        assert len(plan.problems) == 1
        assert plan.problems[0].startswith("mine.b: ")
        await packs(bench).take(plan)
        assert [rule.weight for rule in await bench.rule_edits.rules("mine")] == [3.0, 1.0]
        await bench.journal.undo()
        assert await bench.rule_edits.rules("mine") == MINE


async def test_that_no_pack_is_refused_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "no.toml"
    file.write_text("[pack]\n", "utf-8")
    async with desk() as bench:
        with pytest.raises(FormatError, match=r"no\.toml cannot be read\. A rule pack was expected"):
            await packs(bench).plan_import(file)


# ---- A draft rule is tried on texts and on every labelled case, with its effects.


TRIED = Rule("mine.rotate", "howto", "rotate", "mine", 0, weight=2.0)
CASES = [
    Case("rotate the page", ("howto",), Task.TYPE),
    Case("where is the rotate button", ("location",), Task.TYPE),
    Case("rotate or not", (), Task.TYPE),
    Case("the build is broken", ("troubleshoot",), Task.TYPE),
    Case("please rotate it", ("rotation",), Task.INTENT),
]


def library(*more: Case) -> MemoryLibrary:
    return library_of(Memory(("rotate the keys",)), Memory(("open the door",)), *CASES, *more)


async def tried(bench: Workbench, attempt: RuleAttempt) -> list[RuleTrialResult]:
    return [trial async for trial in bench.rule_trial.attempt(attempt)]


async def test_that_a_draft_shows_what_it_matches_and_what_it_turns() -> None:
    async with desk(library) as bench:
        texts = ("how do I rotate a PDF", "rotate now", "nothing here")
        first, last = await tried(bench, RuleAttempt(TRIED, texts=texts))
        assert first.rule_effects is None
        first_two = [sample.hit.span if sample.hit else None for sample in first.samples]
        assert first_two == [(9, 15), (0, 6), None]
        assert first.samples[1].before.intent is None
        after = some(first.samples[1].after.intent)
        assert after.type == "howto"
        assert last.is_edit
        assert (last.cases, last.matched, last.others, last.others_matched) == (4, 3, 3, 2)
        assert len(last.matches) == 2
        told = {outcome.subject.text: outcome.rule_effect for outcome in last.outcomes}
        assert told == {
            "rotate the page": RuleEffect.TURNS_RIGHT,
            "where is the rotate button": RuleEffect.STAYS_RIGHT,
            "rotate or not": RuleEffect.TURNS_WRONG,
        }
        assert last.outcomes[0].rule_effect is RuleEffect.TURNS_WRONG


async def test_that_a_stored_rule_is_held_against_its_absence_and_an_edit_against_what_is_stored() -> None:
    async with desk(library) as bench:
        await bench.journal.do(Edit("added"), [TRIED])
        *_, same = await tried(bench, RuleAttempt(TRIED, of=TRIED.id))
        assert not same.is_edit
        assert same.rule_effects is not None
        assert (same.rule_effects[RuleEffect.TURNS_RIGHT], same.rule_effects[RuleEffect.TURNS_WRONG]) == (1, 1)
        *_, held = await tried(bench, RuleAttempt(replace(TRIED, unless="or not"), of=TRIED.id))
        assert held.is_edit
        assert (
            some(held.rule_effects)[RuleEffect.TURNS_RIGHT],
            some(held.rule_effects)[RuleEffect.TURNS_WRONG],
            held.held_back,
        ) == (1, 0, 1)
        *_, off = await tried(bench, RuleAttempt(replace(TRIED, enabled=False), of=TRIED.id))
        assert off.rule_effects is not None
        turned = [off.rule_effects[one] for one in (RuleEffect.TURNS_RIGHT, RuleEffect.TURNS_WRONG)]
        assert (turned, off.matched) == ([1, 1], 3)


async def test_that_a_refused_pattern_is_explained_and_nothing_is_tried() -> None:
    async with desk(library) as bench:
        (trial,) = await tried(bench, RuleAttempt(replace(TRIED, pattern="(rotate"), texts=("rotate",)))
        assert (some(trial.fault).place, trial.samples, trial.rule_effects) == (1, (), None)
        (trial,) = await tried(bench, RuleAttempt(replace(TRIED, unless="a**"), texts=("rotate",)))
        assert trial.fault is None
        assert some(trial.unless_fault).place == 2


async def test_that_many_cases_are_counted_and_some_are_told() -> None:
    many = [Case(f"rotate number {n}", ("howto",), Task.TYPE) for n in range(300)]
    async with desk(lambda: library(*many)) as bench:
        *_, last = await tried(bench, RuleAttempt(TRIED))
        assert last.matched == 303
        assert len(last.outcomes) == SHOWN
        assert some(last.rule_effects)[RuleEffect.TURNS_RIGHT] == 301


async def test_that_a_trial_lets_a_keystroke_through_and_stops_when_closed() -> None:
    many = [Case(f"rotate number {n}", ("howto",), Task.TYPE) for n in range(500)]
    async with desk(lambda: library(*many)) as bench:
        trying = asyncio.ensure_future(tried(bench, RuleAttempt(TRIED)))
        answered = 0
        while not trying.done():
            await bench.settle("rotate the keys")
            answered += 1
        assert answered > 3
        stream = bench.rule_trial.attempt(RuleAttempt(TRIED))
        await anext(stream)
        await stream.aclose()


async def test_that_the_survey_counts_and_says_what_may_be_wrong() -> None:
    rules = [
        TRIED,
        replace(TRIED, id="mine.again", pattern="Rotate", position=1),
        replace(TRIED, id="mine.turn", pattern="rotate|turn round", position=2),
        Rule("mine.late", "general", "rotate the", "mine", 3),
        Rule("mine.never", "general", "zebra", "mine", 4),
        Rule("mine.route", "docs", "rotate", "mine", 5, purpose=RulePurpose.ROUTE),
        Rule("mine.off", "general", "rotate it", "mine", 6, enabled=False),
    ]

    more = [Case(f"thing {n}", (), Task.POWER) for n in range(20)]
    async with desk(lambda: library(*more)) as bench:
        await bench.journal.do(Edit("added"), rules)
        survey = await bench.rule_trial.survey()
        assert (survey.cases, survey.others) == (4, 23)
        assert (survey.tallies["mine.rotate"].cases, survey.tallies["mine.rotate"].others) == (3, 2)
        assert survey.tallies["mine.never"].cases == 0
        own = {name: hints for name, hints in survey.hints.items() if name.startswith("mine.")}
        assert own == {
            "mine.again": (RuleHint(RuleIssue.DUPLICATE, "mine.rotate"),),
            "mine.turn": (RuleHint(RuleIssue.DUPLICATE, "mine.rotate"),),
            "mine.late": (RuleHint(RuleIssue.SHADOWED, "mine.rotate"),),
            "mine.never": (RuleHint(RuleIssue.NEVER),),
        }


async def test_that_few_texts_say_nothing_of_rules_that_match_none() -> None:
    async with desk(library) as bench:
        hints = (await bench.rule_trial.survey()).hints.values()
        assert not any(hint.issue is RuleIssue.NEVER for own in hints for hint in own)


async def test_that_a_survey_holds_until_rules_or_cases_change() -> None:
    held = library()
    async with desk(lambda: held) as bench:
        await bench.rule_trial.survey()
        ground = bench.rule_trial._table
        await bench.rule_trial.survey()
        assert bench.rule_trial._table is ground
        held.add("cases", [Case("one more", ("general",), Task.TYPE)])
        assert (await bench.rule_trial.survey()).cases == 5
        await bench.journal.do(Edit("added"), [TRIED])
        assert (await bench.rule_trial.survey()).tallies[TRIED.id].cases == 3


async def test_that_every_undo_of_a_case_counts_whatever_was_done_since() -> None:
    async with desk(library) as bench:
        [case] = [one for one in await bench.in_store(lambda held: held.cases()) if one.text == "rotate or not"]
        await bench.journal.do(Edit("edited"), [replace(case, expected=("howto",))])
        memory = next(iter(bench.engine.index.answers().values()))
        assert isinstance(memory, Memory)
        await bench.journal.do(Edit("edited"), [replace(memory, response="Turn it.")])
        rights = []
        for _ in range(2):
            await bench.journal.undo()
            await bench.rule_trial.survey()
            ground = some(bench.rule_trial._table)
            rights += [subject.right for subject in ground.subjects if subject.text == "rotate or not"]
        assert rights == [frozenset({"howto"}), frozenset()]


@pytest.mark.parametrize("policy", ["evidence", "priority"])
async def test_that_what_turns_is_what_an_evaluation_of_both_sides_finds(policy: str) -> None:
    cases = [Case(f"{text} {n}", (label,), Task.TYPE) for n in range(7) for text, label in ASKED]
    draft = Rule("mine.turn", "troubleshoot", "rotated?|is|the", "mine", 0, weight=1.4, unless="where")
    async with desk(lambda: library(*cases)) as bench:
        await bench.choose("search_intent.selection", policy)
        *_, last = await tried(bench, RuleAttempt(draft))
        judged = [case for case in bench.library.cases() if case.task is Task.TYPE]

        def right(rules: list[Rule]) -> set[str]:
            found = evaluate(
                bench.engine.index,
                bench.settings,
                judged,
                Task.TYPE,
                embed=None,
                detector=TypeDetector(KeywordRules(rules), TypeVoter(), None),
            )
            return {one.case.text for one in found.answered if one.is_right}

        stored = bench.library.rules()
        before, after = right(stored), right([*stored, draft])
        assert some(last.rule_effects)[RuleEffect.TURNS_RIGHT] == len(after - before)
        assert some(last.rule_effects)[RuleEffect.TURNS_WRONG] == len(before - after)
        assert len(before - after) > 0


ASKED = (
    ("How do I rotate the page", "howto"),
    ("the build is stuck", "troubleshoot"),
    ("Where is the configuration", "location"),
    ("is the page rotated already", "troubleshoot"),
    ("what is this", "explanation"),
    ("rotate the zebra", "howto"),
)
