"""Tests of the health check on a real engine: each kind of finding, no false ones (S7.7)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.domain.case import Case, Delivered, Task
from app.domain.encoder import Provenance
from app.domain.errors import EncoderError
from app.domain.health import FindingEvidence, FindingKind, Health, HealthFinding, Severity
from app.domain.history import HistoryEntry, Source
from app.domain.intent import Rule
from app.domain.library import Memory, Power, Transport
from app.domain.running import ActivationBlocker
from app.evaluation.answers import Answered, RankedName
from app.ports.encoder import Embedder
from app.services.library.intents import Intents
from app.services.library.rules import RuleEdits, RuleTrial
from app.services.powers.gateway import Gateway
from app.services.review.health import check_health
from app.services.review.health_findings import ReachInputs, confusion_findings, evidence_of, reach_findings
from app.services.routing.routes import Routing
from app.services.workbench import Workbench
from app.settings.model import Settings
from app.settings.sections import LlmSettings
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import LetterEncoder, WordsAndLetters, desk

FINE = (
    Memory(("rotate the page", "turn the page around"), intent="rotate"),
    Memory(("split a file in two", "cut the file apart"), intent="split"),
)


def parts_of(bench: Workbench) -> tuple[RuleEdits, RuleTrial, Intents, Routing, Gateway]:
    return bench.rule_edits, bench.rule_trial, bench.intents, bench.routing, bench.gateway


async def coverage(workbench: Workbench) -> Health:
    steps = [step async for step in check_health(workbench, *parts_of(workbench))]
    shares = [step for step in steps if isinstance(step, float)]
    assert shares == sorted(shares)
    assert all(0.0 <= share <= 1.0 for share in shares)
    last = steps[-1]
    assert isinstance(last, Health)
    return last


async def found(
    *taught: Memory | Power,
    library: MemoryLibrary | None = None,
    encoder: Callable[[], Embedder] = LetterEncoder,
    settings: Mapping[str, object] = {},
    **chosen: Any,
) -> dict[FindingKind, HealthFinding]:
    """Return the findings by kind; of several of one kind the first."""
    kept = library or MemoryLibrary()
    kept.add("memories", [answer for answer in taught if isinstance(answer, Memory)])
    kept.add("powers", [answer for answer in taught if isinstance(answer, Power)])
    told: dict[FindingKind, HealthFinding] = {}
    async with desk(lambda: kept, encoder, **settings, **chosen) as workbench:
        for finding in (await coverage(workbench)).findings:
            told.setdefault(finding.kind, finding)
    return told


def names(finding: HealthFinding) -> list[str]:
    return [one.name for one in finding.subjects]


async def test_that_a_sound_library_has_no_fault_and_no_warning() -> None:
    told = await found(*FINE)
    assert {finding.severity for finding in told.values()} == {Severity.NOTE}
    assert set(told) == {FindingKind.ROW_DEAD, FindingKind.ROUTE_UNSURE}
    assert all(finding.is_shipped for finding in told.values())
    changed = await found(*FINE, settings={"search_intent.surfacing_threshold": 0.7})
    assert not changed[FindingKind.ROW_DEAD].is_shipped


async def test_that_wrong_cases_name_the_intents_that_are_confused() -> None:
    library = MemoryLibrary()
    cases = [("rotate the page", "split"), ("turn the page around", "split"), ("split a file in two", "rotate")]
    library.add(
        "cases", [Case(text, (intent,), Task.INTENT) for text, intent in (*cases, ("cut the file apart", "split"))]
    )
    told = (await found(*FINE, library=library))[FindingKind.CONFUSED]
    assert told.figures == {"name": "split", "rival": "rotate", "lost": 2, "taken": 1}
    assert sorted((one.about, one.rival) for one in told.subjects) == [
        ("rotate the page", "rotate"),
        ("split a file in two", "split"),
        ("turn the page around", "rotate"),
    ]


def test_that_a_single_wrong_answer_confuses_intents_only_where_it_is_delivered() -> None:
    case, names = Case("turn the page", ("split",), Task.INTENT), (RankedName("rotate", 0.6), RankedName("split", 0.2))
    wrong = Answered(case, ("split",), names, 2, rejected=False, delivered=Delivered((("page", "rotate"),)))
    withheld = replace(wrong, delivered=Delivered(can_inject=True))
    for answers, is_told in (([wrong], True), ([withheld], False), ([withheld] * 2, True)):
        assert any(one.kind is FindingKind.CONFUSED for one in confusion_findings(answers)) is is_told


async def test_that_cases_whose_expected_answer_is_found_and_lost_are_a_finding_of_their_own() -> None:
    library = MemoryLibrary()
    library.add("cases", [Case("turn something around", ("rotate",), Task.INTENT)])
    told = (await found(*FINE, library=library, settings={"fallback_threshold": 1.0}))[FindingKind.NOT_DELIVERED]
    assert [one.about for one in told.subjects if one.rival == "rejected"] == ["turn something around"]
    assert told.effect(FindingEvidence()).cases == 1


async def test_that_an_empty_library_is_looked_at_too() -> None:
    assert set(await found()) == {FindingKind.ROW_DEAD, FindingKind.ROUTE_UNSURE}


# ---- memories


async def test_that_a_trigger_under_two_answers_is_a_fault_of_the_later_one() -> None:
    told = await found(*FINE, Memory(("rotate the page",), "Another response.", intent="other"))
    (one,) = told[FindingKind.TRIGGER_TAKEN].subjects
    assert (one.name, one.about, one.rival) == ("other", "rotate the page", "rotate")
    assert told[FindingKind.TRIGGER_TAKEN].severity is Severity.FAULT
    assert FindingKind.MEMORY_HIDDEN not in told


async def test_that_a_twin_of_the_same_answer_is_a_note() -> None:
    told = await found(*FINE, Memory(("rotate the page",), "Again.", intent="rotate", id="twin"))
    (one,) = told[FindingKind.MEMORY_HIDDEN].subjects
    assert (one.name, one.about) == ("rotate", "rotate the page")
    assert FindingKind.TRIGGER_TAKEN not in told


async def test_that_a_memory_with_one_trigger_of_its_own_is_not_lost() -> None:
    told = await found(*FINE, Memory(("rotate the page", "zzz qqq"), intent="other"))
    assert FindingKind.TRIGGER_TAKEN not in told


async def test_that_a_trigger_among_strangers_is_won_word_for_word_only() -> None:
    told = await found(
        Memory(("aaa aab", "aab aaa a", "aaab aaa", "aabaa a"), intent="a"),
        Memory(("xyz xyz", "zyx yxz", "xxy zyz"), intent="x"),
        Memory(("aab aab a",), "In the wrong place.", intent="x", id="wrong"),
    )
    (one,) = told[FindingKind.MEANING_ELSEWHERE].subjects
    assert (one.name, one.about, one.rival) == ("x", "aab aab a", "a")
    assert one.value is not None
    assert one.value > 0.1
    assert FindingKind.MEANING_ELSEWHERE not in await found(*FINE, combination="semantic")


async def test_that_what_its_own_words_do_not_find_is_below() -> None:
    told = await found(*FINE, combination="keyword")
    assert sorted(names(told[FindingKind.MEMORY_BELOW])) == ["rotate", "split"]
    assert told[FindingKind.MEMORY_BELOW].figures["threshold"] == 0.3
    low = tuple(one.with_threshold(0.0) if one.intent == "split" else one for one in FINE)
    assert names((await found(*low, combination="keyword"))[FindingKind.MEMORY_BELOW]) == ["rotate"], (
        "its label takes less"
    )
    assert len(names((await found(*low, combination="keyword", label_thresholds=False))[FindingKind.MEMORY_BELOW])) == 2


async def test_that_a_share_of_all_answers_is_not_judged_by_one_answer_alone() -> None:
    high = tuple(one.with_threshold(0.97) for one in FINE)
    assert FindingKind.MEMORY_BELOW in await found(*high, combination="keyword")
    assert FindingKind.MEMORY_BELOW not in await found(*high, combination="learned")


async def test_that_memories_set_aside_are_counted() -> None:
    aside = (Memory(("pause me",), paused=True), Memory(("weak me", "weaker me"), success=0.1))
    told = await found(*FINE, *aside, min_score=0.2)
    assert names(told[FindingKind.MEMORY_PAUSED]) == ["pause me"]
    assert names(told[FindingKind.BELOW_MIN_SCORE]) == ["weak me"]


async def test_that_a_label_of_one_trigger_is_told_where_others_have_more() -> None:
    assert names((await found(*FINE, Memory(("only one",), intent="thin")))[FindingKind.LABEL_THIN]) == ["thin"]
    assert FindingKind.LABEL_THIN not in await found(Memory(("only one",), intent="thin"))
    assert FindingKind.LABEL_THIN not in await found(
        Memory(("only one",), intent="thin"), Memory(("and another",), "Said.")
    )


# ---- reachability


async def test_that_what_settings_leave_dead_is_told() -> None:
    told = await found(
        *FINE, Power("one", "does one thing"), power_combination="weighted_average", fallback_threshold=0.5
    )
    assert told[FindingKind.TIER_DEAD].figures["name"] == "activated"
    assert told[FindingKind.TIER_DEAD].figures["most"] == pytest.approx(1 / 1.3)
    assert told[FindingKind.BAND_DEAD].figures["name"] == "low"


async def test_that_a_scale_is_asked_for_its_range() -> None:
    tiers = {"tiers.weak": 0.001, "tiers.medium": 0.005}
    told = await found(Power("one", "does one thing"), power_combination="calibrated", settings=tiers)
    figures = told[FindingKind.TIER_DEAD].figures
    assert (figures["name"], figures["why"]) == ("weak_matches", "between")


async def test_that_a_budget_of_nothing_surfaces_nothing() -> None:
    told = await found(*FINE, settings={"search_intent.surfacing_tokens": 0})
    assert told[FindingKind.NOTHING_SURFACES].severity is Severity.FAULT
    high = await found(*FINE, settings={"search_intent.surfacing_threshold": 1.0})
    assert high[FindingKind.NOTHING_SURFACES].figures["most"] == pytest.approx(0.95)


async def test_that_nothing_is_said_of_what_is_off() -> None:
    off = await found(*FINE, settings={"search_intent.enabled": False, "route.enabled": False})
    assert off == {}


async def test_that_the_cascade_and_the_routes_are_looked_at() -> None:
    told = await found(Power("one", "does one thing"), combination="cascade", settings={"route.threshold": 1.0})
    assert told[FindingKind.CASCADE_STEP_DEAD].figures["most"] == 0.0
    assert told[FindingKind.ROUTE_UNSURE].severity is Severity.WARNING


# ---- rules


async def test_that_rules_with_ailments_are_told_and_those_that_are_off_are_not() -> None:
    library = MemoryLibrary()
    rules = [
        Rule("first", "howto", "rotate", "own", 0),
        Rule("same", "howto", "Rotate", "own", 1),
        Rule("later", "general", "rotate the", "own", 2),
        Rule("never", "general", "qqqq", "own", 3),
        Rule("off", "general", "wwww", "own", 4, enabled=False),
        Rule("broken", "general", "(", "own", 5),
    ]
    library.add("rules", rules)
    library.add("cases", [Case(f"rotate the thing {place}", ("rotate",), Task.INTENT) for place in range(25)])
    told = await found(*FINE, library=library, settings={"search_intent.selection": "priority"})
    assert "same" in names(told[FindingKind.RULE_DUPLICATE])
    assert "later" in names(told[FindingKind.RULE_SHADOWED])
    assert "never" in names(told[FindingKind.RULE_NEVER])
    assert "off" not in names(told[FindingKind.RULE_NEVER])
    assert names(told[FindingKind.RULE_BROKEN]) == ["broken"]
    assert FindingKind.RULE_SHADOWED not in await found(library=library), (
        "where evidence is summed no earlier type hides another"
    )


async def test_that_rules_that_are_too_broad_or_needed_by_no_query_are_told_with_what_goes_without_them() -> None:
    library = MemoryLibrary()
    rules = [
        Rule("broad", "general", "the|a|is", "own", 0, weight=5.0),
        Rule("howto", "howto", "how do i", "own", 1, weight=0.2),
        Rule("idle", "comparison", "versus", "own", 2),
    ]
    library.add("rules", rules)
    library.add(
        "cases",
        [Case(f"how do i turn the page {n}", ("howto",), Task.TYPE) for n in range(30)]
        + [Case(f"this is a page {n}", ("general",), Task.TYPE) for n in range(10)]
        + [Case("red versus blue", ("comparison",), Task.TYPE)],
    )
    library.add_queries(
        HistoryEntry(f"2026-11-22 10:{n // 60:02}:{n % 60:02}", Source.WINDOW, f"how do i go {n}") for n in range(100)
    )
    told = await found(*FINE, library=library)
    (broad,) = told[FindingKind.RULE_BROAD].subjects
    assert (broad.name, broad.about, broad.effect) == ("broad", "the|a|is", (30, 10, 4))
    assert broad.value is not None
    assert 0.25 <= broad.value < 0.5
    silent = {one.name: one.effect for one in told[FindingKind.RULE_SILENT].subjects}
    assert (silent["broad"], silent["idle"]) == ((30, 10, 4), (0, 0, 0))  # a shipped rule matches "versus", too
    assert "howto" not in silent
    assert told[FindingKind.RULE_SILENT].figures["queries"] == 100
    library.forget_queries()
    assert FindingKind.RULE_SILENT not in await found(library=library), "nothing was asked"


async def test_that_a_memory_that_is_asked_for_and_never_surfaced_is_told_with_what_would_bring_it_up() -> None:
    library = MemoryLibrary()

    def asked(label: str, confidence: float, start: int, count: int, type_: str | None = None) -> None:
        match = {"kind": "memory", "name": label, "confidence": confidence, "intent": label}
        library.add_queries(
            HistoryEntry(
                f"2026-11-22 10:{start:02}:{n:02}",
                Source.WINDOW,
                f"{label} {start} {n}",
                type_,
                0.0 if type_ is None else 0.7,
                "memory",
                label,
                confidence,
                trace={"matches": [match]},
            )
            for n in range(count)
        )

    asked("rotate", 0.61, 0, 4)
    asked("split", 0.8, 1, 3, "howto")
    asked("split", 0.7, 2, 1)
    asked("gone", 0.7, 3, 5)
    told = await found(*FINE, library=library)
    finding = told[FindingKind.NEVER_SURFACED]
    assert [(one.name, one.value) for one in finding.subjects] == [("rotate", 4.0)]
    assert {name: finding.figures[name] for name in ("least", "fixes", "others", "breaks")} == {
        "least": 0.61,
        "fixes": 4,
        "others": 6,
        "breaks": 0,
    }


def test_that_a_type_without_a_rule_is_mute_unless_an_llm_is_asked() -> None:
    rules = [Rule("only", "howto", "how", "own", 0)]
    (mute,) = [
        one for one in reach_findings(ReachInputs(Settings(), (), 0, rules, True)) if one.kind is FindingKind.TYPE_MUTE
    ]
    assert "general" in names(mute)
    assert "howto" not in names(mute)
    asked = Settings(llm=LlmSettings(url="http://127.0.0.1:1", model="m"))
    assert FindingKind.TYPE_MUTE not in {one.kind for one in reach_findings(ReachInputs(asked, (), 0, rules, True))}


# ---- powers


async def test_that_powers_that_cannot_be_told_apart_or_started_are_told() -> None:
    crowd = [Power(f"db{place}", "", ("database",), transport=Transport("run-db")) for place in range(7)]
    told = await found(*crowd)
    (keyword,) = told[FindingKind.KEYWORD_CROWDED].subjects
    assert keyword.name == "database"
    assert keyword.value == pytest.approx(0.5 + 0.4 / 7)
    assert keyword.about == "db0, db1, db2, db3, db4, …"
    assert len(told[FindingKind.POWER_UNAPPROVED].subjects) == 7
    assert FindingKind.KEYWORD_CROWDED not in await found(*crowd[:3])
    waiting, top = Delivered(found_power="db0", blocker=ActivationBlocker.APPROVAL), (RankedName("db0", 1.0),)
    failed = Answered(Case("ask", ("db0",), Task.POWER), ("db0",), top, 1, False, delivered=waiting)
    assert told[FindingKind.POWER_UNAPPROVED].effect(evidence_of([failed], [])).cases == 1


async def test_that_powers_found_by_name_only_are_told() -> None:
    bare, told = Power("slack", transport=Transport("npx")), Power("git", keywords=("commit",))
    (subject,) = (await found(bare, told))[FindingKind.POWER_NAME_ONLY].subjects
    assert subject.name == "slack"
    assert FindingKind.POWER_NAME_ONLY not in await found(told)


# ---- vectors


class NoEncoder(LetterEncoder):
    def __init__(self) -> None:
        raise EncoderError("The encoder cannot be loaded.")


async def test_that_a_missing_encoder_is_a_fault() -> None:
    told = await found(*FINE, encoder=NoEncoder)
    assert told[FindingKind.ENCODER_ABSENT].severity is Severity.FAULT
    assert str(told[FindingKind.ENCODER_ABSENT].figures["sentence"]).startswith("The encoder cannot be loaded.")
    assert FindingKind.VECTOR_MISSING not in told
    assert FindingKind.MEANING_ELSEWHERE not in told


async def test_that_vectors_of_another_encoder_are_told() -> None:
    library = MemoryLibrary()
    library.put_embeddings(Provenance("old", "7", 2), [FINE[0].triggers[0]], np.ones((1, 2), np.float32))
    told = await found(*FINE, library=library)
    (one,) = told[FindingKind.VECTOR_FOREIGN].subjects
    assert (one.name, one.about, one.value) == ("old", "7, 2", 1.0)


async def test_that_what_a_learner_reads_is_of_no_other_encoder() -> None:
    library = MemoryLibrary()
    told = await found(*FINE, library=library, encoder=WordsAndLetters)
    assert WordsAndLetters.layers in library.vector_counts()
    assert FindingKind.VECTOR_FOREIGN not in told


# ---- past queries


async def test_that_a_past_that_stands_still_is_told() -> None:
    library = MemoryLibrary()
    match = {"kind": "memory", "name": "m", "confidence": 0.9, "intent": "split"}
    near = {"kind": "memory", "name": "n", "confidence": 0.6, "intent": "rotate"}
    gone = {"kind": "memory", "name": "forgotten", "confidence": 0.6, "intent": None}
    trace = {"matches": [match, near, gone], "trace": {"llm": {"outcome": "timed_out"}}}
    library.add_queries(
        HistoryEntry(
            f"2026-11-22 10:00:{place:02}", Source.WINDOW, f"q {place}", "howto", 0.6, "memory", "m", 0.9, trace=trace
        )
        for place in range(30)
    )
    told = await found(*FINE, library=library)
    assert told[FindingKind.TYPE_FLAT].figures["value"] == "howto"
    assert told[FindingKind.CONFIDENCE_FLAT].figures["value"] == 0.6
    assert told[FindingKind.ANSWER_FLAT].figures["value"] == "m"
    assert told[FindingKind.LLM_NEVER].figures["outcome"] == "timed_out"
    (passed,) = told[FindingKind.PASSED_OVER].subjects
    assert (passed.name, passed.rival, passed.value) == ("rotate", "split", 30.0)


async def test_that_traces_of_any_shape_are_read() -> None:
    library = MemoryLibrary()
    odd: tuple[Any, ...] = (
        None,
        {},
        {"matches": None, "trace": []},
        {"matches": ["x"], "trace": {"llm": {"outcome": 3}}},
    )
    library.add_queries(
        HistoryEntry("2026-11-22 10:00:00", Source.WINDOW, f"q {place}", trace=odd[place % 4]) for place in range(8)
    )
    assert FindingKind.PASSED_OVER not in await found(*FINE, library=library)


# ---- the check itself


async def test_that_a_look_can_be_broken_off_and_typing_goes_on_meanwhile() -> None:
    taught = [Memory((f"trigger number {place} of many",), intent=f"label {place % 700}") for place in range(3_000)]
    async with desk() as workbench:
        memories = [replace(memory, key=key) for key, memory in enumerate(taught, 1)]
        workbench.engine.index.put(memories)
        texts = [memory.triggers[0] for memory in memories]
        workbench.engine.index.embed(dict(zip(texts, LetterEncoder().encode(texts), strict=True)))
        steps = check_health(workbench, *parts_of(workbench))
        async for step in steps:
            assert not isinstance(step, Health)
            if step > 0.05:
                break
        assert (await workbench.settle("trigger number 7")).matches
        await steps.aclose()
