"""Tests of trials on copies: edit previews, words left out, and a partial index over the rest."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from app.detect.merge import MERGERS
from app.display.library.teaching import preview_base, preview_lines, preview_short
from app.display.scope.contributions import flip_sentences, word_lines, word_rows, words_document
from app.domain.case import Case, Task
from app.domain.history import Source
from app.domain.inspection import LlmNeeded
from app.domain.intent import DetectionSource, IntentType, Rule, RulePurpose, SearchIntent
from app.domain.journal import Edit
from app.domain.library import Answer, Memory, Power, Transport
from app.domain.why_not import Effect, Expectation
from app.evaluation.answers import candidates_of
from app.scoring.index.layout import key_of
from app.scoring.index.ranking import matches, rank
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import ScoredText
from app.services.engine.embedding import query_vectors
from app.services.evaluation.trials import RANKED, NameRanking, Overlay, TaughtAnswers, TrialEdit, TrialQuery, texts_of
from app.services.scope.word_importance import MOST_WORDS, llm_needed
from app.services.workbench import Workbench
from app.settings.model import Settings
from app.settings.sections import SearchIntentSettings
from tests.unit.services.benches import LetterEncoder, desk

TAUGHT = (
    Memory(("create a branch",), intent="branch"),
    Memory(("drink a cup of coffee",), intent="coffee"),
    Memory(("water the plants",), intent="garden"),
)
CASES = (
    Case("brew a flat white", ("coffee",), Task.INTENT),
    Case("brew a flat white at noon", ("garden",), Task.INTENT),
    Case("create a branch", ("branch",), Task.INTENT),
    Case("Zzz zzz zzz! Water the plants. Qqqq jjjj kkkk vv.", ("garden",), Task.INTENT),
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
    for text, drafted in (("brew a flat white", None), ("brew a flat white", "branch"), ("qqqq jjjj kkkk", "branch")):
        async with desk() as bench:
            await taught(bench)
            await bench.prefetch([case.text for case in CASES])
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
            await bench.prefetch([case.text for case in CASES])
            after = await right(bench)
            assert ({*found.effect.fixed}, {*found.effect.broken}) == (after - before, before - after)
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
        assert preview_short(found) == "changes 1 recent tier"
        assert preview_lines(found)[-1].endswith(": “xxyyzz”: no answer → zebra.")
        assert preview_base(found) == "Checked against 4 cases and 2 recent queries."
        assert preview_short(replace(found, tiers=0)) == "changes 1 recent answer"
        assert preview_short(replace(found, effect=Effect(0, 0), changed_count=0, tiers=0)) == "changes nothing"
        many = replace(found, changed_count=7, effect=replace(found.effect, fixes=9, fixed=("a", "b", "c", "d")))
        assert preview_lines(many)[0] == "Fixes “a”, “b”, “c” and 6 more."


async def test_that_what_a_new_memory_replaces_stops_being_delivered() -> None:
    async with desk() as bench:
        await taught(bench)
        await bench.curator.teach(Memory(("register a dog",), "108 euros", intent="dog", id="dog-1"))
        case = Case("register a dog", ("dog-1",), Task.MEMORY)
        await bench.journal.do(Edit("added"), [case])
        await bench.ready()
        new = Memory(("xxyyzz",), "120 euros", intent="fee", id="dog-2", replaces=("dog-1",))
        assert (await bench.edit_previews.of([new], ["xxyyzz"])).effect.broken == (case.text,)


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
            stored = {one.id: one for one in await bench.rule_edits.rules()}.get(drafted.id)
            rule = drafted if stored is None else replace(drafted, key=stored.key, version=stored.version)
            task = Task.ROUTE if rule.purpose is RulePurpose.ROUTE else Task.TYPE
            decided = of_route if task is Task.ROUTE else of_type
            before = {one.text: await decided(bench, one.text) for one in TYPED}
            found = await bench.edit_previews.of_rule(rule)
            assert before == {one.text: await decided(bench, one.text) for one in TYPED}  # nothing is stored
            await bench.rule_edits.store(rule)
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
                assert preview_short(found).endswith(ending)
        assert preview_short(await bench.edit_previews.of_rule(replace(rules[0], id="mine.new", pattern="("))) == ""


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
        await bench.prefetch([case.text for case in CASES])
        before, stood = await right(bench), await tiers(bench)
        found = await bench.edit_previews.of_settings(changes)
        assert await right(bench) == before  # nothing is set
        await bench.choose_all(changes)
        await bench.prefetch([case.text for case in CASES])
        after, stand = await right(bench), await tiers(bench)
        assert before != after
        assert (set(found.effect.fixed), set(found.effect.broken)) == (after - before, before - after)
        assert (found.effect.total, found.query_count) == (len(CASES), len(CASES))
        assert found.tiers == sum(stood[text] != stand[text] for text in stood)
        assert preview_short(await bench.edit_previews.of_settings({"log_breakdowns": "true"})) == ""
        assert preview_short(await bench.edit_previews.of_settings(changes)) == "", "it is set"


async def test_that_a_setting_of_types_turns_types_and_the_least_success_lets_memories_out_and_in() -> None:
    async with desk() as bench:
        await taught(bench)
        await bench.ready()
        await bench.history.recorder.keep([await bench.settle(one.text) for one in CASES], Source.WINDOW)
        await bench.choose("combination", "balanced")
        found = await bench.edit_previews.of_settings({"search_intent.enabled": "false"})
        assert found.task is Task.TYPE
        for least in ("0.9", "0"):
            await bench.prefetch([case.text for case in CASES])
            before = await right(bench)
            found = await bench.edit_previews.of_settings({"min_score": least})
            await bench.choose("min_score", least)
            await bench.ready()
            await bench.prefetch([case.text for case in CASES])
            after = await right(bench)
            assert before != after
            assert (set(found.effect.fixed), set(found.effect.broken)) == (after - before, before - after)


async def test_that_nothing_is_foreseen_where_there_is_nothing_to_count_on() -> None:
    async with desk() as bench:
        found = await bench.edit_previews.of([Memory(("a thing",))], ["a thing"])
        assert preview_short(found) == ""


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
        await bench.choose("search_intent.certain_confidence", "0.95")
        await bench.ready()
        found = await bench.why_nots.explain(f"{PLANTS.text} ok", Expectation("power", "hose"))
        effect = next(one.effect for one in found.changes if one.key == "trigger.add")
        assert getattr(effect, "broken", ()) == (PLANTS.text,)


QUERY = "how do I create a branch, please?"
SURE = SearchIntent(IntentType.HOWTO, 0.55, DetectionSource.KEYWORD)


async def test_that_each_word_counts_for_what_the_engine_says_without_it() -> None:
    async with desk() as bench:
        for text, name in (("create a branch", "branch"), ("drink a cup of coffee", "coffee")):
            await bench.curator.teach(Memory((text,), id=name))
        await bench.ready()
        asked = await bench.settle(QUERY)
        found = await bench.ablate_words(asked)
        assert [word.word for word in found.words] == QUERY.split()
        assert all(QUERY[slice(*word.span)] == word.word for word in found.words)
        for place, word in enumerate(found.words):
            words = QUERY.split()
            del words[place]
            alone = await bench.settle(" ".join(words))
            own = next(match for match in alone.matches if match.answer.name == "branch")
            assert word.found.confidence == own.confidence
            assert word.found.scores == own.scores
            assert word.found.type is (None if alone.intent is None else alone.intent.type)
        assert found.name == "branch"
        assert found.whole.scores["semantic"] != found.words[5].found.scores["semantic"]
        assert len(word_rows(found)) == len(found.words)
        assert word_lines(found)[0] == "Where the words count, for branch:"
        assert words_document(found)["without"][5]["word"] == "branch,"


async def test_that_the_smallest_set_of_words_turns_the_type_and_none_of_it_is_needless() -> None:
    async with desk() as bench:
        await bench.choose("search_intent.learned", "false")
        found = await bench.ablate_words(await bench.settle("fix or compare it"))
        assert found.type_flip is not None
        for text in ("fix or compare it",):
            left = " ".join(word for word in text.split() if word not in found.type_flip.without)
            alone = await bench.settle(left)
            now = "" if alone.intent is None else alone.intent.type.value
            assert now == found.type_flip.becomes
        assert any("Without “" in sentence for sentence in flip_sentences(found))


async def test_that_a_long_query_is_left_out_of_so_far_and_says_so_and_that_nothing_asked_counts_for_nothing() -> None:
    async with desk() as bench:
        found = await bench.ablate_words(await bench.settle("word " * (MOST_WORDS + 2)))
        assert (len(found.words), found.left) == (MOST_WORDS, 2)
        assert flip_sentences(found)[-1] == "2 words further on were not left out."
        nothing = await bench.ablate_words(await bench.settle("  "))
        assert (nothing.words, word_lines(nothing)) == ((), [])


@pytest.mark.parametrize("policy", MERGERS)
def test_that_the_llm_turns_the_type_from_what_it_is_said_to_need_on_and_not_below(policy: str) -> None:
    settings = SearchIntentSettings.model_validate({"merge": policy, "surfacing_threshold": 0.7})
    needed = llm_needed(SURE, settings)
    assert needed.another is not None
    assert needed.another >= settings.min_confidence
    assert needed.surfaces is not None
    lower = llm_needed(SURE, settings.model_copy(update={"min_confidence": 0.3}))
    assert lower.another is not None
    assert lower.another <= needed.another
    assert llm_needed(None, settings) == LlmNeeded(None, None)


WORDS = "pay bill rain order parcel cancel garage cat database query weather open where settle".split()
LABELS = (None, "billing", "weather", "howto", "billing", "cancel")
COMBINATIONS = ("balanced", "max", "weighted_average", "cascade", "calibrated", "learned")


def phrase(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(1, 4)))


def answer(chance: random.Random, key: int) -> Answer:
    texts = tuple(dict.fromkeys(phrase(chance) for _ in range(chance.randint(1, 3))))
    if key % 4 == 0:
        return Power(f"power {key}", texts[0], keywords=tuple(chance.choices(WORDS, k=2)), examples=texts, key=key)
    return Memory(texts, intent=chance.choice(LABELS), id=chance.choice((None, f"m{key}", "shared")), key=key)


def index_of(answers: list[Answer]) -> TriggerIndex:
    encoder = LetterEncoder()
    texts = texts_of(answers)
    vectors = dict(zip(texts, encoder.encode(texts), strict=True))
    index = TriggerIndex(encoder.provenance.dimension)
    index.put(answers)
    index.embed(vectors)
    return index


@pytest.mark.parametrize("seed", range(20))
def test_that_an_edit_laid_over_is_as_the_edit_made(seed: int) -> None:
    chance = random.Random(seed)
    answers = [answer(chance, key) for key in range(1, 25)]
    chosen = chance.sample(answers, 2)
    come = [replace(answer(chance, one.key or 0), key=one.key) for one in chosen]
    come[0] = replace(come[0], paused=chance.random() < 0.3)
    edit = TrialEdit(tuple(come))
    changed = [one for one in answers if key_of(one) not in edit.keys] + list(edit.scored)
    library, whole = TaughtAnswers(index_of(answers)), index_of(changed)
    encoder, text = LetterEncoder(), phrase(chance)
    query = ScoredText(text, encoder.encode([text])[0])
    for task in RANKED:
        beside = texts_of(library.affected_by(edit, task).values())
        vectors = dict(zip(beside, encoder.encode(beside), strict=True)) if beside else {}
        overlay = Overlay(library, edit, task, vectors)
        for name in COMBINATIONS:
            settings = Settings.model_validate({"combination": name})
            told = TrialQuery(library, query).ranking(task, settings, overlay)
            candidates = candidates_of(whole, task)
            values = candidates.confidences(whole.score(query), settings)
            expected = {one: float(value) for one, value in zip(candidates.names, values, strict=True) if value > 0}
            found = {one: float(value) for one, value in zip(told.names, told.values, strict=True) if value > 0}
            assert found == pytest.approx(expected, abs=1e-6), (task, name)


@pytest.mark.parametrize("seed", range(8))
def test_that_an_intent_has_the_chance_that_is_shown_with_its_memories(seed: int) -> None:
    chance = random.Random(seed)
    index, text, settings = index_of([answer(chance, key) for key in range(1, 25)]), phrase(chance), Settings()
    scores = index.score(ScoredText(text, LetterEncoder().encode([text])[0]))
    candidates = candidates_of(index, Task.INTENT)
    values = dict(zip(candidates.names, candidates.confidences(scores, settings).tolist(), strict=True))
    found = matches(index, scores, rank(scores, settings, 50), settings)
    shown: dict[str, float] = {}
    for one in found:
        if isinstance(one.answer, Memory):
            name = one.answer.intent or one.answer.name
            shown[name] = max(one.label_chance or 0.0, shown.get(name, 0.0))
    assert shown == pytest.approx({name: values[name] for name in shown}, abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_that_labels_are_divided_after_an_edit_as_once_it_is_made(seed: int) -> None:
    chance = random.Random(seed)
    said = ("", "Pay it.", "Wait.", "Call.")
    drawn = [answer(chance, key) for key in range(1, 25)]
    answers = [
        replace(one, id=f"m{one.key}", response=chance.choice(said)) if isinstance(one, Memory) else one
        for one in drawn
    ]
    memories = [one for one in answers if isinstance(one, Memory)]
    come = [
        replace(one, triggers=(phrase(chance),), response=chance.choice(said)) for one in chance.sample(memories, 3)
    ]
    edit = TrialEdit((*come, Memory((phrase(chance),), "Ask.", "billing", id="new", key=99)))
    changed = [one for one in answers if key_of(one) not in edit.keys] + list(edit.scored)
    library, whole = TaughtAnswers(index_of(answers)), index_of(changed)
    encoder, text, settings = LetterEncoder(), phrase(chance), Settings()
    query = ScoredText(text, encoder.encode([text])[0])
    beside = texts_of(library.affected_by(edit, Task.MEMORY).values())
    overlay = Overlay(library, edit, Task.MEMORY, dict(zip(beside, encoder.encode(beside), strict=True)))
    told = TrialQuery(library, query).ranking(Task.MEMORY, settings, overlay)
    made = TrialQuery(TaughtAnswers(whole), query).ranking(Task.MEMORY, settings)
    found = {one: float(value) for one, value in zip(told.names, told.values, strict=True) if value > 0}
    assert made.label_chances
    expected = {one: float(value) for one, value in zip(made.names, made.values, strict=True) if value > 0}
    assert found == pytest.approx(expected, abs=1e-6)
    assert told.label_chances == pytest.approx({one: made.label_chances[one] for one in told.label_chances}, abs=1e-6)


def test_that_a_trigger_that_an_edit_removes_no_longer_decides_which_sentence_is_read() -> None:
    plants, other = Memory(("water the plants",), key=1), Memory(("zzz",), key=2)
    mail = "Zzz zzz zzz! Water the plants. Qqqq jjjj kkkk vv."
    library, vectors = TaughtAnswers(index_of([plants, other])), query_vectors(LetterEncoder(), [mail])[0]
    query = TrialQuery(library, library.index.read(mail, vectors))
    overlay = Overlay(library, TrialEdit((replace(plants, paused=True),)), Task.MEMORY, {})
    made = index_of([other]).read(mail, vectors)
    assert query.query.sentence != overlay.read(query).query.sentence == made.sentence == "Zzz zzz zzz!"


def test_that_of_level_names_the_edited_stand_last() -> None:
    standing = NameRanking(("a", "b", "c", "d"), np.array([0.5, 0.7, 0.7, 0.0]), frozenset({1}))
    assert standing.best(10) == [2, 1, 0]
    assert (standing.top, standing.rank(1), standing.rank(0), standing.rank(3)) == (2, 2, 3, None)
    assert NameRanking((), np.zeros(0)).top is None


def test_that_an_edit_of_a_memory_touches_no_power() -> None:
    memory, power = Memory(("pay bill",), key=1), Power("postgres", key=2)
    library = TaughtAnswers(index_of([memory, power]))
    edit = TrialEdit((replace(memory, triggers=("pay", "bill")),))
    assert library.affected_by(edit, Task.MEMORY) == {key_of(memory): edit.stored[0]}
