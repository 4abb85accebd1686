"""Tests of the why-not view: a reviewed text of every loss and change, and typed names."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.detect.surfacing import Cut
from app.display.scope import why_not
from app.display.scope.why_not_sentences import change_words, sentence, shortened
from app.domain.case import Case, Task
from app.domain.intent import IntentType, Rule, RulePurpose
from app.domain.journal import ItemKind
from app.domain.library import Answer, Memory, Power
from app.domain.running import ActivationBlocker
from app.domain.why_not import (
    MOST_NAMED,
    AddTrigger,
    Change,
    ChangeSettings,
    Effect,
    Expectation,
    Injection,
    LostAt,
    Note,
    NotScoredReason,
    RestoreItems,
    Rewrite,
    ScorerGap,
    StoreRules,
    TeachRoute,
    TeachType,
    ValueChange,
    WhyNot,
)

GOLDEN = Path(__file__).with_name("why_not.txt")
"""Text of every view; write it again with `GOLDEN.write_text(read())`, and review the difference."""

THETA, SPOTLESS, GIT = Memory(("theta",), intent="greek"), Memory(("x",), id="spotless"), Power("git", "")
RULE = Rule("howto.a", "howto", "how", "mine", 0)
RULE_KEYS = ("rule.enable", "rule.disable", "rule.unless", "rule.add")
CASE = Case("who is tied", ("graph",), Task.ROUTE)
GAPS = (ScorerGap("exact", 0.0, 0.0), ScorerGap("semantic", 0.547, 0.838), ScorerGap("keyword", None, 0.4))
EVIDENCE = (ScorerGap("evidence", 1.0, 2.5),)
AHEAD: dict[str, Any] = {"ahead": (("bm25", 0.42), ("semantic", 0.101)), "through": "pay my bill"}
OUT = Injection(6, None, 0.4, 1.0, 0.75, 5, 4_100, 4_000, 0.5, 0.6)
CUTS = (None, Cut.PAUSED, Cut.SUCCESS, Cut.SILENT, Cut.THRESHOLD, Cut.CONFIDENCE, Cut.LABEL, Cut.COVERED, Cut.COUNT)


def lost(
    stage: LostAt | None, task: Task, own: float | None = 0.4, other: float | None = 0.9, rank: int | None = 2,
    *, name: str = "rain", winner: str | None = "bill", **facts: Any,
) -> WhyNot:  # fmt: skip
    kind = "intent" if task is Task.TYPE else task.value
    facts = {"threshold": 0.85 if task is Task.POWER else 0.5, "margin": 0.1, "listed": 10, **facts}
    expected = Expectation(kind, name or facts.pop("sought", "none"))
    return WhyNot("q", expected, task, stage, name, winner, facts.pop("gaps", ()), own, other, rank, **facts)


def changes() -> Iterator[Change]:
    """Yield one change of each kind, with each sort of effect in turn."""
    effects = (
        None,
        Effect(3, 1, ("a", "b", "c"), ("d",), 240),
        Effect(0, 0, total=240),
        Effect(12, 0, total=1240),
        Effect(0, 0, total=1),
        Effect(0, 23, (), tuple(f"case {n}" for n in range(MOST_NAMED)), 240),
    )

    def settings(*pairs: tuple[str, str], point: tuple[str, str] | None = None) -> Change:
        moved = tuple(ValueChange(key, "0.50", value) for key, value in pairs)
        return Change(f"setting.{pairs[0][0]}", True, None, ChangeSettings(pairs, point), moved)

    def rewrite(key: str, *about: Answer, moved: tuple[ValueChange, ...] = ()) -> Change:
        return Change(key, True, None, Rewrite(about), moved, about, "hi")

    label = (ValueChange("label", "greek", "latin"),)
    made = (
        settings(("min_score", "0.20")),
        settings(("tiers.high", "0.20"), ("tiers.medium", "0.20")),
        settings(("use_hybrid_retrieval", "true"), point=("combination", "max")),
        settings(("power_combination", "max"), point=("power_combination", "max")),
        settings(("preset", "as_documented"), point=("preset", "as_documented")),
        Change("trigger.add", True, None, AddTrigger(THETA, "x")),
        Change("trigger.add", False, None, AddTrigger(GIT, "x")),
        rewrite("trigger.remove", SPOTLESS),
        rewrite("trigger.move", SPOTLESS, THETA),
        rewrite("memory.relabel", THETA, moved=label),
        rewrite("memory.pause", SPOTLESS),
        *(rewrite(key, SPOTLESS, moved=label) for key in ("label.threshold", "label.raise", "label.give")),
        *(rewrite(key, SPOTLESS) for key in ("enable", "enable.teach")),
        Change("bin.put_back", True, None, RestoreItems(((ItemKind.MEMORY, 7),)), about=(SPOTLESS,)),
        Change("route.teach", True, None, TeachRoute(CASE)),
        Change("route.teach.rule", True, None, TeachRoute(CASE, (RULE,))),
        Change("route.teach.rule", True, None, TeachRoute(CASE, (RULE, replace(RULE, id="b")))),
        Change("type.teach", True, None, TeachType("who is tied", IntentType.HOWTO)),
        *(Change(key, True, None, StoreRules((RULE,)), text="how") for key in RULE_KEYS),
        Change("rule.weight", True, None, StoreRules((RULE,)), (ValueChange("weight", "1.00", "2.50"),)),
        Change("rule.add", True, None, StoreRules((replace(RULE, weight=2.0),)), text="how"),
        Change("rule.add", True, None, StoreRules((replace(RULE, purpose=RulePurpose.ROUTE),)), text="how", sure=0.9),
    )  # fmt: skip
    return (replace(one, effect=effects[place % len(effects)]) for place, one in enumerate(made))


def views() -> Iterator[WhyNot]:
    """Yield an explanation for each sentence, stage, heading, reason and change."""
    memory, power, type_, route = Task.MEMORY, Task.POWER, Task.TYPE, Task.ROUTE
    yield lost(None, memory, 0.9, 0.5, 1)
    yield lost(None, Task.INTENT, 0.9, None, 1, winner=None)
    yield lost(None, memory, 0.9, 0.5, 1, unexpected=("hose", "x" * 60))
    yield from (lost(None, power, 0.9, 0.5, 1, blocker=blocker) for blocker in ActivationBlocker)
    yield from (lost(None, memory, 0.9, 0.5, 1, injection=replace(OUT, cut=cut)) for cut in CUTS)
    yield lost(None, memory, 0.9, 0.5, 1, injection=replace(OUT, rank=None, weight=1.5))
    yield lost(None, memory, 0.9, 0.5, 1, injection=replace(OUT, cut=Cut.CONFIDENCE, confidence=0.3, chance=0.6))
    yield lost(LostAt.THRESHOLD, memory, 0.0, None, None, winner=None)
    yield from (lost(LostAt.THRESHOLD, one, 0.0, None, None, winner=None, is_negated=True) for one in (memory, power))
    yield from (lost(LostAt.THRESHOLD, one, 0.4999, 0.1, 1) for one in (memory, power))
    yield lost(LostAt.THRESHOLD, Task.INTENT, 0.3, 0.1, 1, is_own_threshold=True, label_chance=0.35)
    yield lost(LostAt.AMBIGUITY, power, 0.9, 0.85, 1)
    yield from (lost(LostAt.AMBIGUITY, one, 0.9, 0.9) for one in (memory, power))
    yield lost(LostAt.AMBIGUITY, power, 0.88, 0.9)
    yield lost(LostAt.RANKING, memory, 0.9, 0.9, 12)
    yield lost(LostAt.SCORING, memory, 0.0, 0.9, None)
    yield lost(LostAt.SCORING, memory, rank=1200)
    yield lost(LostAt.SCORING, memory, is_negated=True, **AHEAD)
    yield lost(LostAt.SCORING, memory, 0.84961, 0.84963, gaps=GAPS, **AHEAD)
    yield lost(LostAt.COMBINATION, memory, combination="balanced", **AHEAD)
    yield lost(LostAt.SET_ASIDE, memory, None, not_scored=NotScoredReason.OFF)
    yield lost(LostAt.SET_ASIDE, memory, 0.9, not_scored=NotScoredReason.BINNED, rank_if_scored=1)
    yield lost(LostAt.SET_ASIDE, memory, 0.0, not_scored=NotScoredReason.UNSUCCESSFUL, success=0.2, threshold=0.3)
    for one in Task:
        yield lost(LostAt.NOT_TAUGHT, one, None, None, None, name="", sought="gitt", nearest=("git", "github"))
    yield lost(None, memory, None, None, None, name="", winner=None)
    yield lost(None, memory, None, 0.3, None, name="", unexpected=("weather",))
    yield from (lost(None, memory, None, x, name="", winner_injection=replace(OUT, cut="expired")) for x in (0.3, 0.6))
    yield from (
        lost(LostAt.UNWANTED, memory, None, name="", through="hi", is_own_threshold=own) for own in (False, True)
    )
    yield lost(LostAt.UNWANTED, memory, None, name="", through="hi", changes=(next(changes()),))
    cues: dict[str, Any] = {"cues": ("how", "do"), "winner_cues": ("where",), "policy": "evidence", "name": "howto"}
    yield lost(None, type_, rank=1, **cues)
    yield lost(None, type_, rank=1, **{**cues, "cues": ()})
    for stage in (LostAt.SWITCHED_OFF, LostAt.TOPICS, LostAt.EXAMPLES, LostAt.NO_RULE, LostAt.SELECTION):
        yield lost(stage, type_, gaps=EVIDENCE, **cues)
    yield lost(LostAt.EXAMPLES, type_, through="how so", **cues)
    yield lost(LostAt.NO_RULE, type_, winner=None, held_back="howto.a", **cues)
    yield lost(LostAt.SELECTION, type_, gaps=EVIDENCE, **{**cues, "policy": "priority"})
    for at in (None, LostAt.RULES, LostAt.CACHE, LostAt.EXAMPLES, LostAt.THRESHOLD, LostAt.LLM, LostAt.FALLBACK):
        yield lost(at, route, reasoning="No rule matched. The examples are unsure.", notes=(Note.LLM_MAY_DIFFER,))
    yield lost(LostAt.SCORING, memory, notes=(Note.NOT_FOUND, Note.NO_CASES), changes=tuple(changes())[:1])
    yield lost(LostAt.SCORING, memory, changes=tuple(changes())[5:6])
    yield lost(LostAt.SCORING, memory, changes=tuple(changes())[6:7])
    yield lost(LostAt.SCORING, memory, notes=(Note.REFIT,), changes=tuple(changes())[:8])


def text_of(found: WhyNot) -> str:
    """Return the texts of the terminal and of the window."""
    window = (why_not.headline(found), why_not.title(found), why_not.hint(found))
    return "\n".join((*why_not.why_not_lines(found), " | ".join(filter(None, window))))


def change_text(change: Change) -> str:
    """Return the texts of a change in the window, and its document."""
    (told,) = why_not.why_not_document(lost(LostAt.SCORING, Task.MEMORY, changes=(change,)))["changes"]
    cases = "" if change.effect is None else f"of {why_not.cases_of(change.effect)}"
    parts = cases, why_not.risk_sentence(change), *map(str, why_not.cases_named(change.effect))
    return "\n".join((*filter(None, parts), json.dumps(told, ensure_ascii=False)))


def read() -> str:
    every = why_not.why_not_document(lost(LostAt.SCORING, Task.MEMORY, gaps=GAPS, injection=OUT))
    texts = *map(text_of, views()), *map(change_text, changes()), json.dumps(every, ensure_ascii=False, indent=1)
    return "\n\n".join(texts) + "\n"


def test_that_every_view_reads_as_reviewed() -> None:
    assert {found.stage for found in views()} == {None, *LostAt}
    assert {note for found in views() for note in found.notes} == {*Note}
    assert read() == GOLDEN.read_text("utf-8")


def test_that_long_names_are_cut_where_there_is_little_room() -> None:
    long = "x" * 2000
    said = shortened(sentence(lost(LostAt.SCORING, Task.MEMORY, name=long, winner=long, **{**AHEAD, "through": long})))
    assert len(said) < 300
    assert "is in place 2 with 40 %" in said
    assert said.endswith("…”.")
    assert shortened("Pause “spotless”, whose only trigger misleads") == "Pause “spotless”, whose only trigger misleads"
    message = why_not.applied_message(Change("trigger.add", True, None, AddTrigger(SPOTLESS, long)))
    assert message.count("…") == 1
    assert message.endswith("“spotless”.")
    first = next(changes())
    assert why_not.applied_message(first) == f"Applied: {change_words(first)}."


BUILDS = (
    Expectation("intent", "build"),
    Expectation("memory", "build is slow"),
    Expectation("power", "xcode-build"),
    Expectation("route", "build"),
)


def test_that_a_type_of_search_intent_is_shown_by_its_word() -> None:
    type_, label = Expectation("intent", "howto", is_type=True), Expectation("intent", "howto")
    assert why_not.shown_name(type_) == "How-to"
    assert why_not.shown_name(label) == why_not.shown_name(Expectation("memory", "howto")) == "howto"
    assert why_not.parse_expectation("how-to", (type_,), "") == type_
    for typed in ("howto", "intent:howto"):
        assert why_not.parse_expectation(typed, (type_, label), "") == label
    assert why_not.parse_expectation("type:howto", (type_, label), "") == type_
    assert why_not.parse_expectation("type:howto", (), "") == type_
