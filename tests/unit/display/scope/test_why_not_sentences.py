"""Tests of every sentence and change of a why-not explanation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.detect.surfacing import Cut
from app.display.scope import why_not
from app.display.scope.why_not import why_not_document
from app.display.scope.why_not_sentences import (
    NOTES,
    change_words,
    injection_words,
    note_words,
    sentence,
    shortened,
)
from app.domain.case import Case, Task
from app.domain.intent import IntentType, Rule, RulePurpose
from app.domain.journal import ThingKind
from app.domain.library import Answer, Memory, Power
from app.domain.scope.why_not import (
    AddTrigger,
    Change,
    ChangeSettings,
    Expectation,
    Injection,
    LostAt,
    Note,
    NotScoredReason,
    NotScoredStanding,
    Outcome,
    RankedStanding,
    RestoreItems,
    Rewrite,
    RouteStanding,
    ScorerGap,
    Standing,
    StoreRules,
    TeachRoute,
    TeachType,
    TypeStanding,
    Unknown,
    ValueChange,
    WhyNot,
)

MEMORY = RankedStanding("rain", is_power=False, line=0.5, margin=0.1, listed=10)
POWER = replace(MEMORY, name="mysql", is_power=True, line=0.85)
AHEAD = replace(MEMORY, ahead=(("bm25", 0.42), ("semantic", 0.101)), through="pay my bill")
ASIDE = NotScoredStanding("cat", NotScoredReason.OFF, success=0.2, least=0.3)
TYPE = TypeStanding("howto", ("how", "do"), ("where",), "", "evidence")
ROUTE = RouteStanding("graph", ("No rule matched.", "The examples are unsure."))
THETA, SPOTLESS, INTENTS = Memory(("theta",), intent="greek"), Memory(("x",), id="spotless"), Power("git", "")


def told(
    stage: LostAt | None, standing: Standing, values: tuple[float, float | None] = (0.4, 0.9), rank: int | None = 2,
    *, winner: str | None = "bill", kind: str = "memory", gaps: tuple[ScorerGap, ...] = (),
) -> WhyNot:  # fmt: skip
    outcome = Outcome.WON if stage is None else Outcome.LOST
    return WhyNot("q", Expectation(kind, "rain"), outcome, stage, standing, winner, gaps, *values, rank)


SENTENCES = [
    (told(None, MEMORY, (0.9, 0.5), 1), "“rain” comes first, with 90 %, 40 points ahead of “bill”."),
    (told(None, MEMORY, (0.9, None), 1, winner=None), "“rain” comes first, with 90 %."),
    (
        told(LostAt.THRESHOLD, MEMORY, (0.0, None), None, winner=None),
        "“rain” scores nothing for this query, and neither does anything else.",
    ),
    (
        told(LostAt.THRESHOLD, replace(POWER, is_negated=True), (0.0, None), None, winner=None),
        "The query says that “mysql” is not wanted, so it has no chance, and neither has any other power.",
    ),
    (
        told(LostAt.SCORING, replace(AHEAD, is_negated=True)),
        "“rain” is in place 2 with 40 %; “bill” comes first with 90 %. The query says that “rain” is not wanted.",
    ),
    (
        told(LostAt.THRESHOLD, MEMORY, (0.4999, 0.1), 1),
        "“rain” is the best, but 49.99 % is below the 50 % required for an answer.",
    ),
    (
        told(LostAt.THRESHOLD, POWER, (0.7, 0.1), 1),
        "“mysql” is the best, but 70 % is below the 85 % required for activation.",
    ),
    (
        told(LostAt.AMBIGUITY, POWER, (0.9, 0.85), 1),
        "“mysql” is the best with 90 %, but “bill” with 85 % is within the margin of 10 points.",
    ),
    (
        told(LostAt.RANKING, MEMORY, (0.9, 0.9), 12),
        "“rain” is as good as the best, but only place 12 and not among those that are named.",
    ),
    (
        told(LostAt.AMBIGUITY, MEMORY, (0.9, 0.9)),
        "“rain” is level with “bill”, which comes first as it was taught before: both have 90 %.",
    ),
    (
        told(LostAt.AMBIGUITY, POWER, (0.9, 0.9)),
        "“mysql” with 90 % is level with “bill” with 90 %, so neither is chosen.",
    ),
    (
        told(LostAt.AMBIGUITY, POWER, (0.88, 0.9)),
        "“mysql” with 88 % is within the margin of “bill” with 90 %, so neither is chosen.",
    ),
    (
        told(LostAt.SCORING, MEMORY, (0.0, 0.9), None),
        "“rain” scores nothing and is not among the 10 that are listed; “bill” comes first with 90 %.",
    ),
    (
        told(LostAt.SCORING, MEMORY, rank=1200),
        "“rain” is in place 1,200 with 40 % and is not among the 10 that are listed; “bill” comes first with 90 %.",
    ),
    (
        told(LostAt.SCORING, AHEAD),
        (
            "“rain” is in place 2 with 40 %; “bill” comes first with 90 %. "
            "What decides is rare words (by 0.420), semantic (by 0.101) through “pay my bill”."
        ),
    ),
    (
        told(LostAt.COMBINATION, replace(AHEAD, combination="balanced")),
        (
            "“rain” is in place 2 with 40 %; “bill” comes first with 90 %. "
            "What decides is rare words (by 0.420), semantic (by 0.101) through “pay my bill”. "
            "Another combination of the scores would put it first, but “Balanced” is in force."
        ),
    ),
    (told(LostAt.SET_ASIDE, ASIDE), "“cat” is switched off, so it is not scored."),
    (
        told(LostAt.SET_ASIDE, replace(ASIDE, why=NotScoredReason.BINNED, place=1, would=0.9)),
        "“cat” is in the bin, so it is not scored. Otherwise it would be in place 1 with 90 %.",
    ),
    (
        told(LostAt.SET_ASIDE, replace(ASIDE, why=NotScoredReason.UNSUCCESSFUL, would=0.0)),
        (
            "“cat” has a success score of 0.20, below the min_score of 0.3, so it is not scored. "
            "Otherwise it would have 0 %."
        ),
    ),
    (told(LostAt.NOT_TAUGHT, Unknown(), kind="power"), "No power is named “rain”."),
    (told(LostAt.NOT_TAUGHT, Unknown(), kind="route"), "No route is named “rain”."),
    (told(None, TYPE), "“howto” is the type, by “how”, “do”."),
    (told(LostAt.SWITCHED_OFF, TYPE), "No type is detected at all: search_intent.enabled is off."),
    (told(LostAt.TOPICS, TYPE), "The query holds no topic, and search_intent.require_topics requires one."),
    (
        told(LostAt.NO_RULE, TYPE, winner="location"),
        "No rule for “howto” matches this query. Detected is “location” by “where”.",
    ),
    (
        told(LostAt.NO_RULE, replace(TYPE, held_back="howto.a"), winner=None),
        "The rule “howto.a” is overruled by its “unless”. Nothing is detected.",
    ),
    (
        told(LostAt.SELECTION, TYPE, winner="location", gaps=(ScorerGap("evidence", 1.0, 2.5),)),
        "Rules for “howto” match (“how”, “do”), but evidence picks “location” by “where”: 2.50 against 1.00.",
    ),
    (
        told(LostAt.SELECTION, replace(TYPE, policy="priority"), winner="x", gaps=(ScorerGap("evidence", 1.0, 2.5),)),
        (
            "Rules for “howto” match (“how”, “do”), but priority picks “x” by “where”, which comes first in the fixed "
            "order."
        ),
    ),
    (told(None, ROUTE), "“graph” is the route. No rule matched. The examples are unsure."),
    (told(LostAt.RULES, ROUTE), "The query goes to “graph”. No rule matched. The examples are unsure."),
    (
        told(LostAt.THRESHOLD, ROUTE),
        "No rule matched. The examples are unsure. So nothing was sure, and the query goes to “graph”.",
    ),
    (told(LostAt.LLM, ROUTE), "No rule matched. The examples are unsure. So the query goes to “graph”."),
]


def rewriting(key: str, *about: Answer, text: str = "hi", moved: tuple[ValueChange, ...] = ()) -> Change:
    return Change(key, True, None, Rewrite(about), moved, about, text)


def setting(*pairs: tuple[str, str], point: tuple[str, str] | None = None) -> Change:
    moved = tuple(ValueChange(key, "0.50", value) for key, value in pairs)
    return Change(f"setting.{pairs[0][0]}", True, None, ChangeSettings(pairs, point), moved)


RULE = Rule("howto.a", "howto", "how", "mine", 0)
CASE = Case("who is tied", ("graph",), Task.ROUTE)

CHANGES = [
    (setting(("min_score", "0.20")), "Set min_score from 0.50 to 0.20"),
    (
        setting(("tiers.high", "0.20"), ("tiers.medium", "0.20")),
        "Set tiers.high from 0.50 to 0.20 and tiers.medium from 0.50 to 0.20",
    ),
    (
        setting(("use_hybrid_retrieval", "true"), point=("combination", "max")),
        "Combine the scores by “Max” (combination max)",
    ),
    (
        setting(("power_combination", "max"), point=("power_combination", "max")),
        "Combine the scores of powers by “Max” (power_combination max)",
    ),
    (setting(("preset", "as_documented"), point=("preset", "as_documented")), "Take the preset “as_documented”"),
    (Change("trigger.add", True, None, AddTrigger(THETA, "x")), "Teach “x” as one more trigger of “theta” (greek)"),
    (Change("trigger.add", True, None, AddTrigger(INTENTS, "x")), "Teach “x” as one more example of “git”"),
    (rewriting("trigger.remove", SPOTLESS), "Remove “hi” from “spotless”"),
    (rewriting("trigger.move", SPOTLESS, THETA), "Move “hi” from “spotless” to “theta” (greek)"),
    (
        rewriting("memory.relabel", THETA, moved=(ValueChange("label", "greek", "latin"),)),
        "Change the intent of “hi” from “greek” to “latin”",
    ),
    (rewriting("memory.pause", SPOTLESS), "Pause “spotless”, whose only trigger misleads"),
    (rewriting("enable", SPOTLESS), "Enable “spotless”"),
    (rewriting("enable.teach", SPOTLESS), "Enable “spotless” and teach it “hi”"),
    (Change("bin.put_back", True, None, RestoreItems(()), about=(SPOTLESS,)), "Put “spotless” back"),
    (Change("route.teach", True, None, TeachRoute(CASE)), "Teach “who is tied” as a query for “graph”"),
    (
        Change("route.teach.rule", True, None, TeachRoute(CASE, (RULE,))),
        "Teach “who is tied” as a query for “graph”, and switch off the rule “howto.a”",
    ),
    (
        Change("route.teach.rule", True, None, TeachRoute(CASE, (RULE, replace(RULE, id="b")))),
        "Teach “who is tied” as a query for “graph”, and switch off the rules “howto.a”, “b”",
    ),
    (
        Change("type.teach", True, None, TeachType("who is tied", IntentType.HOWTO)),
        "Teach “who is tied” as a query of the type How-to",
    ),
    (Change("rule.enable", True, None, StoreRules((RULE,))), "Switch on the rule “howto.a”"),
    (
        Change("rule.disable", True, None, StoreRules((RULE,)), text="how"),
        "Switch off the rule “howto.a”, which found “how”",
    ),
    (Change("rule.unless", True, None, StoreRules((RULE,))), "Remove the “unless” of the rule “howto.a”"),
    (
        Change("rule.weight", True, None, StoreRules((RULE,)), (ValueChange("weight", "1.00", "2.50"),)),
        "Let the rule “howto.a” weigh 2.50 instead of 1.00",
    ),
    (Change("rule.add", True, None, StoreRules((RULE,)), text="how"), "Add a rule for “howto” that finds “how”"),
    (
        Change("rule.add", True, None, StoreRules((replace(RULE, weight=2.0),)), text="how"),
        "Add a rule for “howto” that finds “how”, of weight 2",
    ),
    (
        Change("rule.add", True, None, StoreRules((replace(RULE, purpose=RulePurpose.ROUTE),)), text="how", sure=0.9),
        "Add a rule for “howto” that finds “how”, as sure as its others (0.90)",
    ),
]


@pytest.mark.parametrize(("explanation", "said"), SENTENCES)
def test_that_every_loss_is_a_sentence(explanation: WhyNot, said: str) -> None:
    assert sentence(explanation) == said


@pytest.mark.parametrize(("change", "said"), CHANGES)
def test_that_every_change_has_its_words(change: Change, said: str) -> None:
    assert change_words(change) == said


def test_that_each_kind_of_change_is_told_in_plain_values() -> None:
    restore = Change("bin.put_back", True, None, RestoreItems(((ThingKind.MEMORY, 7),)), about=(SPOTLESS,))
    found = replace(told(LostAt.SCORING, MEMORY), changes=(*(change for change, _ in CHANGES), restore))
    acts = {made["key"]: made["act"] for made in why_not_document(found)["changes"]}
    assert acts["setting.tiers.high"] == {"settings": {"tiers.high": "0.20", "tiers.medium": "0.20"}}
    assert acts["trigger.add"] == {"teach": "x", "to": "git"}
    assert acts["trigger.move"] == {"store": ["spotless", "theta"]}
    assert acts["bin.put_back"] == {"put_back": ["memory 7"]}
    assert acts["route.teach"] == {"teach": "who is tied", "route": ["graph"]}
    assert acts["route.teach.rule"] == {"teach": "who is tied", "route": ["graph"], "rules_off": ["howto.a", "b"]}
    assert acts["type.teach"] == {"teach": "who is tied", "type": "howto"}
    rule = {"id": "howto.a", "label": "howto", "pattern": "how", "weight": 1.0}
    assert acts["rule.disable"] == {"rules": [rule]}


@pytest.mark.parametrize(
    ("cut", "why"),
    [
        (None, "too far from the query to be considered"),
        (Cut.PAUSED, "it is paused"),
        (Cut.THRESHOLD, "the type has 50 %, below 60 %, so a confidence of 75 % is needed; it has 40 %"),
        (Cut.CONFIDENCE, "it has 40 %, and 75 % is needed (search_intent.surfacing_confidence)"),
        (Cut.LABEL, "it has 40 %, below its own threshold 75 %"),
        (Cut.COVERED, "those before it cover what is wanted (it is 40 %; search_intent.surfacing_coverage)"),
        (Cut.COUNT, "number 6, where 5 are allowed"),
        (Cut.BUDGET, "with it there are 4,100 tokens, 4,000 are allowed"),
    ],
)
def test_that_every_reason_against_injection_has_its_words(cut: Cut | None, why: str) -> None:
    rank = None if cut is None else 6
    out = Injection(rank, cut, 0.4, 1.0, 0.75, 5, 4_100, 4_000, 0.5, 0.6)
    assert injection_words(out) == f"It would not be injected: {why}."
    of_intent = replace(out, cut=Cut.CONFIDENCE, confidence=0.3, chance=0.6)
    assert "its intent has 60 %, and" in injection_words(of_intent)
    assert injection_words(replace(out, weight=1.5)).endswith(" Its namespace counts 1.5-fold.")


def test_that_long_names_are_cut_where_there_is_little_room() -> None:
    long = "x" * 2000
    said = shortened(sentence(told(LostAt.SCORING, replace(AHEAD, name=long, through=long), winner=long)))
    assert len(said) < 300
    assert "is in place 2 with 40 %" in said
    assert "comes first with 90 %" in said
    assert said.endswith("…”.")
    assert shortened("Pause “spotless”, whose only trigger misleads") == "Pause “spotless”, whose only trigger misleads"
    change = Change("trigger.add", True, None, AddTrigger(SPOTLESS, long))
    assert why_not.applied_message(change).count("…") == 1
    assert why_not.applied_message(change).endswith("“spotless”.")


def test_that_notes_are_sentences() -> None:
    assert set(NOTES) == set(Note)
    assert note_words(()) == ""
    assert note_words((Note.LLM_MAY_DIFFER, Note.NO_CASES)).count(".") == 2
