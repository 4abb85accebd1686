"""Tests of a why-not view: rows, ranks, changes with effects, and typed names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.display.scope import why_not
from app.display.scope.why_not import GapRow
from app.domain.library import Memory
from app.domain.scope.why_not import (
    MOST_NAMED,
    AddTrigger,
    Change,
    ChangeSettings,
    Effect,
    Expectation,
    Injection,
    LostAt,
    Note,
    Outcome,
    RankedStanding,
    ScorerGap,
    Unknown,
    ValueChange,
    WhyNot,
)

SLOW = Memory(("build is slow",), id="slow-build", key=2)
TEACH = Change(
    "trigger.add", True, Effect(3, 1, ("a", "b", "c"), ("d",), 240), AddTrigger(SLOW, "x"), about=(SLOW,), text="x"
)
COMBINE = Change(
    "setting.combination",
    True,
    Effect(0, 0, total=240),
    ChangeSettings((("combination", "max"),), ("combination", "max")),
    (ValueChange("combination", "balanced", "max"),),
)
LOST = WhyNot(
    "why is the build slow",
    Expectation("memory", "slow-build"),
    Outcome.LOST,
    LostAt.SCORING,
    RankedStanding("slow-build", is_power=False, line=0.5, margin=0.1, listed=10),
    "build-fails",
    (ScorerGap("exact", 0.0, 0.0), ScorerGap("semantic", 0.547, 0.838), ScorerGap("keyword", None, 0.4)),
    0.547,
    0.856,
    3,
    (TEACH, COMBINE),
)
BUILDS = (
    Expectation("intent", "build"),
    Expectation("memory", "build is slow"),
    Expectation("power", "xcode-build"),
    Expectation("route", "build"),
)


def test_that_each_scorer_is_one_line_and_the_confidence_the_last() -> None:
    shown = why_not.explain_why_not(LOST)
    assert shown.rows == (
        GapRow("exact", "Exact", 0.0, 0.0, "0", "0", "0"),
        GapRow("semantic", "Semantic", 0.547, 0.838, "0.547", "0.838", "\N{MINUS SIGN}0.291"),
        GapRow("keyword", "Keyword", None, 0.4, "\N{EN DASH}", "0.400", ""),
        GapRow("", "Confidence", 0.547, 0.856, "0.547", "0.856", "\N{MINUS SIGN}0.309"),
    )
    assert (shown.headline, shown.expected, shown.beside, shown.winner) == (
        "Outscored", "slow-build", "Winner", "build-fails",
    )  # fmt: skip
    assert shown.ranks == ("3", "1")


def test_that_values_that_differ_never_read_the_same() -> None:
    rows = why_not.explain_why_not(replace(LOST, expected_confidence=0.84961, winner_confidence=0.84963)).rows
    assert rows[-1].expected_text != rows[-1].winner_text


@pytest.mark.parametrize("stage", LostAt)
def test_that_every_stage_has_a_headline(stage: LostAt) -> None:
    assert why_not.explain_why_not(replace(LOST, stage=stage)).headline == why_not.LOST_WORDS[stage]


def test_that_what_stands_beside_the_first_comes_next() -> None:
    tied = why_not.explain_why_not(replace(LOST, stage=LostAt.THRESHOLD, expected_rank=1))
    assert (tied.beside, tied.ranks) == ("Next", ("1", "2"))
    assert why_not.explain_why_not(replace(LOST, stage=LostAt.AMBIGUITY, expected_rank=2)).beside == "First"
    won = why_not.explain_why_not(replace(LOST, outcome=Outcome.WON, stage=None, expected_rank=1, changes=()))
    assert (won.won, won.headline, won.beside, won.title, won.changes) == (
        True, "It is the first memory", "Next", "Nothing to fix", (),
    )  # fmt: skip


def test_that_what_is_not_ranked_has_no_ranks_and_no_lines() -> None:
    shown = why_not.explain_why_not(
        WhyNot("q", Expectation("power", "gitt"), Outcome.LOST, LostAt.NOT_TAUGHT, Unknown(), nearest=("git", "github"))
    )
    assert (shown.rows, shown.ranks, shown.winner) == ((), ("", ""), "")
    assert shown.nearest == "Nearest names: git, github"
    assert (shown.title, shown.hint) == (
        "No change found that makes it win", "Teach it first, or name what was meant.",
    )  # fmt: skip


def test_that_changes_tell_what_they_do_to_the_cases() -> None:
    teach, combine = why_not.explain_why_not(LOST).changes
    assert (teach.what, teach.effect, teach.fixes, teach.breaks) == (
        "Teach “x” as one more trigger of “slow-build”", "1 of 240 cases would fail.", "fixes 3", "breaks 1",
    )  # fmt: skip
    assert teach.named == (("Would pass", ("a", "b", "c")), ("Would fail", ("d",)))
    assert (combine.what, combine.effect) == (
        "Combine the scores by “Max” (combination max)",
        "All 240 cases stay as they are.",
    )
    assert (combine.heading, combine.has_fixes, combine.has_breaks, combine.named) == ("", False, False, ())


@pytest.mark.parametrize(
    ("effect", "told"),
    [
        (Effect(0, 9, total=240), "9 of 240 cases would fail."),
        (Effect(1, 0, total=240), "1 of 240 cases would pass, none would fail."),
        (Effect(12, 0, total=1240), "12 of 1,240 cases would pass, none would fail."),
        (Effect(0, 0, total=1), "The one case stays as it is."),
        (None, ""),
    ],
)
def test_that_an_effect_is_a_sentence(effect: Effect | None, told: str) -> None:
    (row,) = why_not.explain_why_not(replace(LOST, changes=(replace(TEACH, effect=effect),))).changes
    assert row.effect == told


def test_that_cases_beyond_those_named_are_counted() -> None:
    many = tuple(f"case {n}" for n in range(MOST_NAMED))
    (row,) = why_not.explain_why_not(
        replace(LOST, changes=(replace(TEACH, effect=Effect(0, 23, (), many, 240)),))
    ).changes
    ((_, texts),) = row.named
    assert (len(texts), texts[-1]) == (MOST_NAMED + 1, "and 3 more")


def test_that_a_change_that_does_not_win_says_so_and_is_not_offered_first() -> None:
    shown = why_not.explain_why_not(replace(LOST, changes=(replace(TEACH, wins=False),)))
    assert shown.title == "Possible changes"
    assert shown.changes[0].effect == "It would still lose. 1 of 240 cases would fail."


def test_that_where_there_are_no_cases_it_is_said_how_to_make_some() -> None:
    none = why_not.explain_why_not(replace(LOST, changes=(replace(TEACH, effect=None),), notes=(Note.NO_CASES,)))
    assert none.hint.startswith(
        "There are no cases, so what else a change would do is not counted. Mark answers right or wrong"
    )
    assert (none.changes[0].fixes, none.changes[0].breaks) == ("", "")
    assert why_not.explain_why_not(replace(LOST, notes=())).hint == ""


def test_that_what_was_applied_is_told_in_brief() -> None:
    told = replace(COMBINE, act=ChangeSettings((("combination", "max"),)))
    assert why_not.applied_message(told) == "Applied: Set combination from balanced to max."
    assert len(why_not.applied_message(replace(TEACH, act=AddTrigger(SLOW, "x" * 400)))) < 120


@pytest.mark.parametrize(
    ("typed", "kind", "found"),
    [
        ("", "", None),
        ("  ", "memory", None),
        ("BUILD", "", BUILDS[0]),
        ("build", "route", BUILDS[3]),
        ("route: Build", "", BUILDS[3]),
        ("power:buil", "", BUILDS[2]),
        ("buil", "", BUILDS[0]),
    ],
)
def test_that_a_typed_name_means_the_one_called_so_else_the_first(
    typed: str, kind: str, found: Expectation | None
) -> None:
    assert why_not.parse_expectation(typed, BUILDS, kind) == found


def test_that_a_name_of_nothing_is_still_asked_about() -> None:
    assert why_not.parse_expectation("no such thing", (), "power") == Expectation("power", "no such thing")
    assert why_not.parse_expectation("no such thing", (), "") == Expectation("memory", "no such thing")
    assert why_not.parse_expectation("route:nowhere", (), "") == Expectation("route", "nowhere")


def test_that_a_type_of_search_intent_is_shown_by_its_word() -> None:
    assert why_not.shown_name(Expectation("intent", "howto")) == "How-to"
    assert why_not.shown_name(Expectation("memory", "howto")) == "howto"
    assert why_not.parse_expectation("how-to", (Expectation("intent", "howto"),), "") == Expectation("intent", "howto")
    assert why_not.expectable_answers(["intent:howto", "memory:a:b"]) == (
        Expectation("intent", "howto"), Expectation("memory", "a:b"),
    )  # fmt: skip


# ---- The terminal and the document of S8.7


SILENT = Injection(None, "silent", 0.547, least=0.75)


def test_that_the_terminal_has_both_sides_by_scorer_and_the_changes() -> None:
    many = (TEACH, replace(COMBINE, wins=False), *(replace(TEACH, effect=None),) * 5)
    assert why_not.why_not_lines(replace(LOST, changes=many, injection=SILENT)) == [
        "memory:slow-build: outscored",
        "“slow-build” is in place 3 with 55 %; “build-fails” comes first with 86 %.",
        "It would not be injected: it has no response.",
        "",
        "              expected  build-fails",
        "  Exact              0            0       0",
        "  Semantic       0.547        0.838  −0.291",
        "  Keyword            –        0.400",
        "  confidence     0.547        0.856  −0.309",
        "",
        "What would make it win:",
        "  Teach “x” as one more trigger of “slow-build”: of 240 cases fixes 3, breaks 1",
        "  Combine the scores by “Max” (combination max) (not enough alone): of 240 cases none changes",
        *["  Teach “x” as one more trigger of “slow-build”"] * 4,
        "  … and 1 more (--json)",
    ]


def test_that_where_nothing_helps_the_terminal_says_so() -> None:
    assert why_not.why_not_lines(replace(LOST, gaps=(), changes=()))[2:] == ["No single change makes it win."]
    unknown = WhyNot("q", Expectation("power", "gitt"), Outcome.LOST, LostAt.NOT_TAUGHT, Unknown(), nearest=("git",))
    assert why_not.why_not_lines(unknown)[1:] == ["No power is named “gitt”.", "Like it: “git”."]


def test_that_the_document_has_the_scores_the_injection_and_each_change() -> None:
    found = why_not.why_not_document(replace(LOST, injection=SILENT))
    assert (found["expected"], found["outcome"], found["stage"]) == ("memory:slow-build", "lost", "scoring")
    assert found["by"]["scores"]["keyword"] == {"expected": None, "winner": 0.4, "difference": None}
    assert (found["by"]["winner"], found["by"]["rank"]) == ("build-fails", 3)
    assert {key: found["injection"][key] for key in ("injected", "reason", "needs", "sentence")} == {
        "injected": False,
        "reason": "silent",
        "needs": 0.75,
        "sentence": "It would not be injected: it has no response.",
    }
    assert found["changes"][0] == {
        "key": "trigger.add",
        "what": "Teach “x” as one more trigger of “slow-build”",
        "wins": True,
        "fixes": 3,
        "breaks": 1,
        "cases": 240,
        "fixed": ["a", "b", "c"],
        "broken": ["d"],
        "from": None,
        "to": None,
        "act": {"teach": "x", "to": "slow-build"},
    }
    combine = found["changes"][1]
    assert (combine["from"], combine["to"], combine["act"]) == ("balanced", "max", {"settings": {"combination": "max"}})
    assert (
        why_not.why_not_document(replace(LOST, changes=(replace(TEACH, effect=None),)))["changes"][0]["cases"] is None
    )


def test_that_changes_that_break_more_than_they_fix_come_under_a_heading_of_their_own() -> None:
    harmful = replace(COMBINE, effect=Effect(0, 171, total=240))
    shown = why_not.explain_why_not(replace(LOST, changes=(TEACH, harmful, harmful)))
    assert (shown.title, [row.heading for row in shown.changes]) == (
        "Smallest changes that make it win", ["", why_not.HARMFUL, ""],
    )  # fmt: skip
    assert f"  {why_not.HARMFUL}:" in why_not.why_not_lines(replace(LOST, changes=(TEACH, harmful)))
    only = why_not.explain_why_not(replace(LOST, changes=(harmful,)))
    assert only.title.endswith("break more cases than they fix")
    assert not only.changes[0].heading
