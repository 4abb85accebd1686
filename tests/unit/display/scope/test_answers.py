"""Tests of an inspection as rows, cards, cues, Markdown and beside another, and its explanations."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.display import words
from app.display.scope import guide
from app.display.scope.intent import (
    MOST_NEAR,
    MOST_SHARES,
    RuleEffect,
    cue_rows,
    cues,
    intent_card,
    learned_card,
    learned_lines,
    other_policy,
    taught_message,
    type_choice,
)
from app.display.scope.matches.rows import (
    chances_sentence,
    ignored_scorers,
    level_word,
    match_details,
    match_rows,
    power_card,
    scorer_keys,
)
from app.display.scope.side_by_side import (
    SideBySide,
    combination_word,
    confidences_text,
    difference_text,
    equal_but_rounding,
    side_by_side,
    side_by_side_text,
)
from app.display.scope.text import as_markdown, as_text, intent_lines, match_lines
from app.display.scope.timing import waterfall
from app.domain.case import NearExample, Vote, VoteBasis
from app.domain.intent import DetectionSource, IntentType, SearchIntent
from app.domain.library import Answer, Kind, Memory, Power, Transport
from app.domain.llm import LlmOutcome, LlmReport
from app.domain.match import Band, EagerExplanation, Match, Operand, Query, Step, Tier
from app.domain.scope.inspection import (
    Detection,
    Inspection,
    LearnedType,
    PowerMatch,
    Resolution,
    Stage,
    TierChances,
    Trace,
)
from app.settings.model import Settings
from tests.build import some
from tests.gui.inspections import TEXT, design, led, undetected

SETTINGS = Settings()


def test_that_rows_read_as_in_the_design() -> None:
    first, second, *_ = rows = match_rows(design(), SETTINGS)
    assert len(rows) == 10
    assert (first.name, first.level, first.level_word, first.confidence) == (
        "build-fails-locally",
        Band.HIGH,
        "High",
        "0.856",
    )
    assert first.lead == "+0.309"
    assert [cell.text for cell in first.cells] == ["0", "0.779", "0.515", "0.838", "0.874", "–"]
    assert [cell.scorer for cell in first.cells if cell.decides] == ["semantic", "centroid"]
    assert (second.name, second.level, second.level_word) == ("slow-build", Band.MEDIUM, "Medium")
    power = next(row for row in rows if row.kind is Kind.POWER)
    assert (power.name, power.level, power.level_word) == ("xcode-build", Tier.MULTIPLE_MATCHES, "Offered")
    assert rows[-1].lead == ""


def test_that_the_same_answer_has_the_same_key_whatever_its_numbers() -> None:
    before = {row.name: row.key for row in match_rows(design(), SETTINGS)}
    after = {row.name: row.key for row in match_rows(undetected("something else"), SETTINGS)}
    assert before == after
    assert len(set(before.values())) == len(before)


def test_that_the_selected_match_is_told_in_full() -> None:
    inspection = design()
    shown = match_details(inspection, inspection.matches[0], SETTINGS)
    assert (shown.subtitle, shown.use) == ("", "success 86 %, marked right 31 times")
    assert shown.reason.sentence == "Ahead of slow-build by 31 points, by the centroid and semantic scores."
    mean, sum_, last = (line.text for line in shown.lines)
    assert (mean, last) == ("mean(S 0.838, C 0.874)", "max(E 0, 0.856)")
    assert sum_.startswith("over slow-build: ")
    assert shown.limits == (0.3, 0.5, 0.75)
    assert [(best.scorers, best.text) for best in shown.best] == [
        (("fuzzy", "token_overlap"), "the build keeps failing on my laptop"),
        (("semantic",), "build fails on macos"),
        (("centroid",), "mean of 3 triggers"),
    ]
    parts = {part.scorer: part for part in shown.parts}
    assert parts["token_overlap"].arithmetic == "0.4 × 5/11 + 0.6 × 5/9"
    assert [(one.scorer, one.reason) for one in shown.absent] == [("keyword", "Memories declare no keywords.")]
    assert shown.triggers[0] == ("build fails on macos", "0.838")


def test_that_a_missing_regression_is_not_blamed_on_the_vectors() -> None:
    inspection = design()
    match = inspection.matches[1]
    shown = match_details(inspection, replace(match, scores={**match.scores, "regression": None}), SETTINGS)
    (why,) = [one.reason for one in shown.absent if one.scorer == "regression"]
    assert why == "Too few examples to learn from, or learning is not finished."


def test_that_a_power_shows_its_tools_and_its_tiers() -> None:
    inspection = design()
    shown = match_details(inspection, inspection.powers[0], SETTINGS)
    assert shown.limits == (0.3, 0.5, 0.9)
    assert shown.response.splitlines()[0] == "build: Build a scheme"
    assert (shown.subtitle, shown.use) == ("no command", "2 tools, 2 keywords")
    power = inspection.powers[0].answer
    assert isinstance(power, Power)
    for changed, told in (
        (replace(power, transport=Transport("server")), "not approved"),
        (replace(power, transport=Transport("server"), approved=True), "approved"),
        (replace(power, steering="Say it plainly."), ""),
    ):
        assert match_details(inspection, replace(inspection.powers[0], answer=changed), SETTINGS).subtitle == told


def test_that_cues_tell_winner_match_and_held_back_apart() -> None:
    found = cues(design().detection)
    assert [(cue.text, cue.label, cue.rule_effect) for cue in found] == [
        ("why does", "Explanation", RuleEffect.HELD_BACK),
        ("build", "How-to", RuleEffect.MATCHED),
        ("failing", "Troubleshoot", RuleEffect.WON),
    ]
    assert all(TEXT[cue.start : cue.end] == cue.text for cue in found)


def test_that_of_overlapping_cues_the_winners_stays() -> None:
    detection = design().detection
    winner = detection.hits[2]
    loser = replace(detection.hits[1], span=(winner.span[0] - 2, winner.span[1]), text="x" + winner.text)
    found = cues(replace(detection, hits=(loser, winner)))
    assert [cue.rule_effect for cue in found] == [RuleEffect.WON]


def test_that_cue_rows_rank_types_and_end_with_those_held_back() -> None:
    detection = design().detection
    assert [(row.type, row.weight) for row in cue_rows(detection)] == [
        ("Troubleshoot", "1.200"),
        ("How-to", "0.500"),
        ("Explanation", "overruled"),
    ]
    assert other_policy(detection) == "Priority would have chosen How-to."
    assert other_policy(replace(detection, by_policy={"evidence": "troubleshoot"})) == ""  # type: ignore[dict-item]


def test_that_the_intent_card_adds_up_to_its_confidence() -> None:
    card = intent_card(design())
    assert (card.headline, card.confidence, card.source) == ("Troubleshoot", "55 %", "From keywords")
    assert [(row.what, row.how, row.value) for row in card.sums] == [("1 keyword", "0.500 + 0.050", "0.550")]
    assert card.topics == ("build", "keep", "failing", "mac")


def test_that_no_intent_is_nought_and_says_why() -> None:
    card = intent_card(undetected("hello"))
    assert (card.headline, card.confidence, card.found) == ("No type", "0 %", False)
    assert card.source == "No keyword rule matches this text."
    off = replace(undetected("hello"), detection=Detection(None, "evidence", enabled=False))
    assert "switched off" in intent_card(off).source
    topicless = replace(design(), intent=None)
    assert "no topics" in intent_card(topicless).source


def test_that_the_powers_card_says_what_leads_and_what_it_takes() -> None:
    card = some(power_card(design(), SETTINGS))
    assert (card.badge, card.name, card.rest) == ("Offered", "xcode-build", " 62 %, 24 points ahead of sentry")
    assert card.sentence == "Needs 90 % to activate. Nothing starts while you type."
    assert some(power_card(design(), SETTINGS, is_typing=False)).sentence == "Needs 90 % to activate."
    power = Power("xcode-build", transport=Transport("xcodebuild"), key=1)
    sure = Resolution(Tier.ACTIVATED, TEXT, matches=(PowerMatch(power, 0.95, "keyword"),))
    card = some(power_card(replace(design(), resolution=sure), SETTINGS))
    assert (card.badge, card.sentence) == (
        "Not approved",
        "It reaches 90 %, but is not approved. Nothing starts while you type.",
    )
    text_only = Resolution(
        Tier.ACTIVATED, TEXT, matches=(PowerMatch(Power("hint", "Say how", key=2), 0.95, "keyword"),)
    )
    card = some(power_card(replace(design(), resolution=text_only), SETTINGS))
    assert "Needs 90 %" not in card.sentence
    tied = replace(design(), resolution=Resolution(Tier.MULTIPLE_MATCHES, TEXT, tied=True))
    card = some(power_card(tied, SETTINGS))
    assert card.sentence == "Not activated: a second power is within 5 points."
    two = "first two add up to 30 %, several matches need 50 %"
    for tier, chances, said in (
        (Tier.MULTIPLE_MATCHES, (0.2, 0.5, 0.1, 0.2), "The first two add up to 70 %, several matches need 50 %."),
        (
            Tier.WEAK_MATCHES,
            (0.2, 0.1, 0.1, 0.6),
            f"The first three add up to 40 %, a weak match needs 30 %; the {two}.",
        ),
        (Tier.NOT_FOUND, (0.1, 0.1, 0.05, 0.75), "The first three add up to 25 %, a weak match needs 30 %."),
    ):
        resolution = Resolution(tier, TEXT, chances=TierChances(*chances))
        card = some(power_card(replace(design(), resolution=resolution), SETTINGS))
        each = "Chances: one power {} %, several {} %, a hint {} %, none {} %."
        each = each.format(*(round(100 * chance) for chance in chances))
        assert card.sentence == f"{each} {said} Needs 90 % to activate."
    none = some(power_card(replace(design(), resolution=Resolution(Tier.NOT_FOUND, TEXT)), SETTINGS))
    assert (none.rest, none.sentence) == ("No power is in use: the library has none, or all are paused.", "")
    none = some(power_card(replace(design(), resolution=Resolution(Tier.NOT_FOUND, TEXT)), SETTINGS, is_untaught=True))
    assert none.rest == "No powers are taught yet: add one on their page (Ctrl+3)."


@given(
    st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4).filter(lambda drawn: sum(drawn) > 0.0), st.sampled_from(Tier)
)
@example([0.0, 0.5, 0.5, 2.2e-16], Tier.WEAK_MATCHES)
def test_that_the_shown_chances_add_up_and_stay_on_their_side(drawn: list[float], tier: Tier) -> None:
    chances = TierChances(*(one / math.fsum(drawn) for one in drawn))
    text = chances_sentence(tier, chances, SETTINGS).replace("<1 %", "0 %").replace(">99 %", "100 %")
    said = [Decimal(found) for found in re.findall(r"([\d.]+) %", text)]
    assert sum(said[:4]) == 100
    assert abs(float(said[0]) - 100.0 * chances.one) <= 0.5 + 1e-9
    sums = {said[0] + said[1]: (chances.served, SETTINGS.tiers.medium)}
    if tier is not Tier.MULTIPLE_MATCHES:
        sums = {said[0] + said[1] + said[2]: (chances.related, SETTINGS.tiers.weak)}
    assert said[4] in sums
    for shown, (value, limit) in sums.items():
        assert (shown >= Decimal(str(100 * limit))) == (value >= limit)


def test_that_the_waterfall_holds_every_stage_but_the_llms() -> None:
    trace = Trace((Stage("keywords", 0.25), Stage("embed query", 9.71, "failed", 0.25), Stage("llm", 700.0)))
    shown = waterfall(trace)
    assert [(bar.name, bar.text, bar.outcome) for bar in shown.bars] == [
        ("Keywords", "0.2 ms", ""),
        ("Embed query", "9.7 ms", "failed"),
    ]
    assert shown.settled_text == "settled 9.96 ms"
    assert shown.axis == 12.0


def test_that_the_text_holds_what_the_window_shows() -> None:
    text = as_text(design(), SETTINGS)
    for part in (
        TEXT,
        "Type: Troubleshoot 55 %",
        "build-fails-locally  Memory  High",
        "Power   Offered",
        "0.838*",
        "mean(S 0.838, C 0.874) = 0.856",
    ):
        assert part in text
    assert "Powers: Offered. xcode-build" in text
    assert "settled 8.6 ms" in text
    assert "No matches." in as_text(replace(design(), matches=()), SETTINGS)


def test_that_a_scorer_without_a_row_is_named_by_its_key() -> None:
    assert words.scorer("bm25_like").title == "Bm25 like"


def test_that_only_scorers_that_count_for_nothing_give_their_columns_up() -> None:
    learned = replace(design(), combination={"memory": "learned", "power": "learned"})
    assert ignored_scorers(learned) <= {"exact", "fuzzy", "token_overlap"}
    assert not ignored_scorers(learned) & {key for match in learned.matches for key in match.winners}
    assert ignored_scorers(replace(learned, combination={"memory": "learned", "power": "balanced"})) == frozenset()
    assert ignored_scorers(replace(learned, combination={})) == frozenset()


def test_that_a_listed_row_below_its_threshold_is_not_called_not_found() -> None:
    assert level_word(Band.FALLBACK, short=True) == "Below threshold"
    assert level_word(Tier.NOT_FOUND, short=True) == "Not offered"
    assert level_word(Tier.NOT_FOUND) == "Not found"  # of a query


def test_that_query_intent_matches_and_times_are_all_there() -> None:
    inspection = design()
    told = as_markdown(inspection, Settings())
    assert told.startswith(f"## {TEXT}\n")
    assert "- Type: Troubleshoot " in told
    rows = [line for line in told.splitlines() if line.startswith("| ")]
    columns = len(scorer_keys(inspection)) + 4
    table = rows[: len(inspection.matches) + 2]
    assert {line.count(" | ") + 1 for line in table} == {columns}
    for row, line in zip(match_rows(inspection, Settings()), table[2:], strict=True):
        assert f"**{row.confidence}**" in line
        assert all(cell.text in line for cell in row.cells)
    assert "**0.838**" in table[2], "a deciding score is bold"
    assert "- Embed query       7.6 ms\n" in told


def test_that_the_columns_of_the_terminal_end_below_their_letters() -> None:
    inspection = design()
    heading, *lines = match_lines(inspection, Settings())
    rows = match_rows(inspection, Settings())
    for row, line in zip(rows, lines, strict=False):
        for key, cell in zip(scorer_keys(inspection), row.cells, strict=True):
            end = heading.index(f" {words.scorer(key).initial} ", len(row.name) + 4) + 2
            assert line[:end].endswith(cell.text), f"{key}: {line}"


def test_that_texts_of_people_are_not_markup() -> None:
    inspection = design()
    evil = Memory(("trigger",), id="a|b *c* <i> [x](y)\n# `z`", key=1)
    first, *others = inspection.matches
    odd = replace(inspection, query=Query.of("# <b>\nx"), matches=(replace(first, answer=evil), *others))
    told = as_markdown(odd)
    assert told.startswith("## \\# \\<b\\>␊x\n")
    assert r"a\|b \*c\* \<i\> \[x\](y)␊\# \`z\`" in told
    assert not [line for line in told.splitlines() if line.startswith("# ")]


def test_that_nothing_found_is_said() -> None:
    told = as_markdown(replace(undetected("hello"), matches=(), resolution=None))
    assert "No matches." in told
    assert "- Type: No type\n" in told


@pytest.mark.parametrize(
    ("outcome", "remedy"),
    [
        (LlmOutcome.UNREACHABLE, "  Gone. Start the server (“ollama serve”), or correct llm.url."),
        (LlmOutcome.MODEL_MISSING, "  Gone. Choose a model that the server lists, or pull it."),
        (LlmOutcome.TIMED_OUT, None),
    ],
)
def test_that_a_terminal_says_what_to_do_about_an_absent_llm(outcome: LlmOutcome, remedy: str | None) -> None:
    inspection = design()
    report = LlmReport(outcome, "Gone.", "m", budget_ms=200.0)
    lines = intent_lines(replace(inspection, trace=replace(inspection.trace, llm=report)))
    assert [line for line in lines if line.startswith("  Gone.")] == ([] if remedy is None else [remedy])


def test_that_the_threshold_of_a_label_is_named_where_it_rejects() -> None:
    found = design()
    first, *others = found.matches
    strict, kind = (replace(first, threshold=first.confidence + by) for by in (0.001, -0.001))
    said = " is below its own threshold "
    assert not any(said in line for line in match_lines(replace(found, matches=(kind, *others)), Settings()))
    lines = match_lines(replace(found, matches=(strict, *others)), Settings())
    assert [line.split(":")[0] for line in lines if said in line] == [first.answer.name]


NEAR = tuple(NearExample(f"near {n}", "location", 0.9 - 0.1 * n, n < 2) for n in range(5))
BACKING = (NearExample("it dies at night", "troubleshoot", 0.31),)


def detection(vote: Vote | None, missing: str = "") -> Detection:
    return Detection(None, "evidence", learned=LearnedType(vote, missing))


def vote(**shares: float) -> Vote:
    ranked = tuple(sorted(shares.items(), key=lambda one: -one[1]))
    return Vote(ranked[0][0], 0.75, 0.5, ranked, NEAR, VoteBasis(backing=BACKING, words=("dies", "at")))


def test_that_nothing_is_told_where_examples_are_not_asked_and_a_reason_where_they_cannot() -> None:
    assert learned_card(Detection(None, "evidence")) is None
    assert learned_lines(None) == []
    card = learned_card(detection(None, "The examples are being learned."))
    assert learned_lines(card) == ["From examples", "The examples are being learned."]


def test_that_the_chance_the_largest_shares_the_words_and_an_example_that_agrees_are_told() -> None:
    card = some(learned_card(detection(vote(troubleshoot=0.7, location=0.2, general=0.05))))
    assert len(card.shares) == MOST_SHARES
    assert len(card.near) == MOST_NEAR
    assert learned_lines(card) == [
        "From examples: Troubleshoot, 75 % likely",
        "Votes: Troubleshoot 70 %, Location 20 %, nothing is asked 5 %",
        "The likelihood is how often such votes are right. Words that indicate Troubleshoot: “dies”.",
        "“near 0”: Location 0.900, ships with the program",
        "“near 1”: Location 0.800, ships with the program",
        "“it dies at night”: Troubleshoot 0.310, taught here",
    ]


def test_that_a_vote_for_none_says_that_nothing_is_asked() -> None:
    card = some(learned_card(detection(vote(troubleshoot=0.1))))
    assert card.title == "From examples: asks for nothing"
    assert [(share.type, share.is_first) for share in card.shares] == [
        ("nothing is asked", True),
        ("Troubleshoot", False),
    ]
    assert not any(one.is_first for one in card.near)
    assert card.sentence == ""


def test_that_what_was_taught_is_said() -> None:
    assert type_choice(None) == "Asks for nothing"
    assert taught_message(IntentType.HOWTO, is_new=True) == "Taught: the type of this query is How-to."
    assert taught_message(None, is_new=False) == "Changed: the type of this query is none from now on."


def with_confidences(*values: float) -> tuple[Match, ...]:
    found = [replace(match, confidence=value) for match, value in zip(design().matches, values, strict=False)]
    following = [match.confidence for match in found[1:]]
    leads = [match.confidence - other for match, other in zip(found, following, strict=False)]
    return tuple(replace(match, lead=lead) for match, lead in zip(found, [*leads, None], strict=True))


def standing(inspection: Inspection, answer: Answer) -> str:
    return guide.rank_message(inspection, answer, answer.triggers[0])


def test_that_a_leader_is_told_by_how_much() -> None:
    matches = with_confidences(0.9, 0.756)
    inspection = replace(design(), matches=matches)
    assert standing(inspection, matches[0].answer) == "It now leads by 14 points."
    assert standing(inspection, matches[1].answer) == (
        f"It is now number 2, 14 points behind {matches[0].answer.name}."
    )


def test_that_ties_and_loners_are_told_apart() -> None:
    tied = with_confidences(0.9, 0.9)
    inspection = replace(design(), matches=tied)
    assert standing(inspection, tied[0].answer) == f"It is now level with {tied[1].answer.name}."
    assert standing(inspection, tied[1].answer) == f"It is now level with {tied[0].answer.name}."
    alone = with_confidences(0.9)
    assert standing(replace(design(), matches=alone), alone[0].answer) == "It is now the only match."
    assert standing(replace(design(), matches=alone), tied[1].answer) == ""


def test_that_an_answer_which_has_not_got_the_trigger_yet_does_not_stand_anywhere() -> None:
    matches = with_confidences(0.9, 0.5)
    assert guide.rank_message(replace(design(), matches=matches), matches[0].answer, "taught a moment ago") == ""


def test_that_an_answer_of_the_same_name_and_another_kind_is_another() -> None:
    matches = with_confidences(0.9, 0.5)
    namesake = Power(matches[0].answer.name, key=99)
    assert standing(replace(design(), matches=matches), namesake) == ""


@pytest.mark.parametrize(
    ("before", "after", "fits", "said"),
    [
        (0.5, 0.55, True, "x marked right: success 50 % → 55 %. Kept as a case."),
        (0.5, 0.45, False, "x marked wrong: success 50 % → 45 %. Kept as a case."),
        (1.0, 1.0, True, "x marked right: success stays 100 %. Kept as a case."),
        (0.0, 0.0, False, "x marked wrong: success stays 0 %. Kept as a case."),
    ],
)
def test_that_a_mark_tells_how_the_score_moved(before: float, after: float, fits: bool, said: str) -> None:
    memory = Memory(("x",), success=before)
    assert guide.marked_message(memory, replace(memory, success=after), fits=fits) == said


def test_that_a_mark_on_what_was_not_found_or_has_no_score_says_so() -> None:
    assert guide.not_found_message(Memory(("x",))) == "x is still not found: teach it this query, too."
    assert guide.marked_message(Power("p"), Power("p"), fits=True) == "p marked right. Kept as a case."


def test_that_triggers_and_examples_are_told_apart_and_long_names_cut() -> None:
    told = Memory(("x",), response="Wait.", id="slow-build")
    assert guide.trigger_added_message(told) == "Taught as a trigger of slow-build."
    assert guide.trigger_added_message(replace(told, response=" ")).endswith("slow-build. " + guide.SILENT)
    assert guide.trigger_added_message(Power("sentry")) == "Taught as an example of sentry."
    assert guide.taught_message(Memory(("y" * 100,))) == f"Taught as “{'y' * 59}…”. {guide.SILENT}"


def paired(left: Inspection, right: Inspection) -> SideBySide:
    return side_by_side(left, right, ("Recommended", "As documented"), SETTINGS)


def with_matches(*changes: tuple[str, dict[str, Any]], without: str = "") -> Inspection:
    """Return the design's answer with some matches changed, or one left out."""
    inspection, wanted = design(), dict(changes)
    kept = [match for match in inspection.matches if match.answer.name != without]
    return replace(inspection, matches=led([replace(m, **wanted.get(m.answer.name, {})) for m in kept]))


def by_max(name: str, scorer: str, value: float) -> tuple[str, dict[str, Any]]:
    steps = (Step("confidence", "max", (Operand(scorer, value),), value),)
    return name, {"confidence": value, "winners": (scorer,), "account": EagerExplanation(steps)}


def test_that_the_same_answers_differ_in_nothing() -> None:
    shown = paired(design(), design())
    assert shown.first == "The matches are the same on both sides."
    assert not any(row.is_first or row.change for row in shown.rows)


def test_that_every_answer_stands_once_in_the_order_of_its_better_rank() -> None:
    shown = paired(design(), with_matches(by_max("signing", "fuzzy", 0.8)))
    assert [row.name for row in shown.rows][:4] == ["build-fails-locally", "slow-build", "signing", "ci-red"]
    assert len({row.key for row in shown.rows}) == len(shown.rows) == 10
    signing = shown.rows[2]
    assert (some(signing.left).rank, some(signing.right).rank) == (3, 2)
    assert signing.differs == "rank, confidence"
    assert signing.change == "+28 points"


def test_that_the_first_difference_names_ranks_numbers_and_what_decides() -> None:
    shown = paired(design(), with_matches(by_max("xcode-build", "fuzzy", 0.842)))
    assert [row.is_first for row in shown.rows].index(True) == 7
    assert shown.first == (
        "First differs here: xcode-build, rank 1, confidence 62 % against 84 %, because the left takes "
        "mean(S 0.713, C 0.525), max(E 0, 0.619) and the right max(F 0.842)."
    )


def test_that_another_score_of_a_decider_is_the_reason() -> None:
    def other(scores: dict[str, float | None]) -> Inspection:
        old = design().powers[0]
        return with_matches((old.answer.name, {"scores": {**old.scores, **scores}, "confidence": 0.7}))

    assert "because Semantic is 0.713 against 0.900" in paired(design(), other({"semantic": 0.9})).first
    assert "because Semantic is absent on the right" in paired(design(), other({"semantic": None})).first


def test_that_a_gap_is_told_with_its_side() -> None:
    shown = paired(design(), with_matches(without="xcode-build"))
    row = shown.rows[7]
    assert (row.right, row.differs, row.is_first) == (None, "only on the left", True)
    assert "xcode-build is rank 1 on the left, confidence 62 %; it is not listed on the right." in shown.first
    assert shown.headline == "Memory: build-fails-locally on both sides. Power: xcode-build left, sentry right"
    swapped = paired(with_matches(without="xcode-build"), design())
    assert [row.name for row in swapped.rows[7:9]] == ["sentry", "xcode-build"]
    assert (swapped.rows[8].left, swapped.rows[8].differs) == (None, "only on the right")
    assert swapped.first.endswith("because xcode-build comes before it on the right.")


def test_that_one_that_only_moved_is_explained_by_what_passed_it() -> None:
    shown = paired(design(), with_matches(by_max("signing", "fuzzy", 0.8)))
    moved = next(row for row in shown.rows if row.name == "slow-build")
    assert (moved.differs, moved.change) == ("rank", "")
    assert shown.first == (
        "First differs here: slow-build, rank 2 against 3, confidence 55 % on both sides, "
        "because signing comes before it on the right."
    )


@pytest.mark.parametrize(("left", "right"), [(0.1, 0.1 + 1e-12), (None, None), (0.0, 0.0)])
def test_that_rounding_is_no_difference(left: float | None, right: float | None) -> None:
    assert equal_but_rounding(left, right)


def test_that_two_numbers_gain_digits_until_they_differ() -> None:
    assert difference_text(0.84211, 0.84213) == ("0.84211", "0.84213")
    assert confidences_text(0.84211, 0.84213) == ("84.211 %", "84.213 %", "+<0.1 points")
    assert confidences_text(0.61, 0.842) == ("61 %", "84 %", "+23 points")
    assert confidences_text(0.842, 0.61)[2] == "−23 points"
    assert confidences_text(0.5, 0.5) == ("50 %", "50 %", "")
    assert not equal_but_rounding(None, 0.0)


def test_that_intents_differ_in_a_sentence() -> None:
    policy = replace(design().detection, policy="priority")
    assert design().intent is not None
    other = replace(design(), detection=policy, intent=replace(design().intent, confidence=0.65))  # type: ignore[type-var]
    assert paired(design(), other).intents_differ == (
        "55 % against 65 %, because the left selects by evidence, the right by priority."
    )
    assert paired(design(), undetected("x")).intents_differ.startswith("On the right no type was found. ")
    sides = []
    for text, share in (("what does it cost", 0.9), ("who pays less", 0.7)):
        vote = Vote("explanation", share, 0.5, (("explanation", share),), (NearExample(text, "explanation", 0.8),))
        shown = SearchIntent(
            IntentType.EXPLANATION, share, DetectionSource.LEARNED, ("what does",) if share > 0.8 else ()
        )
        detection = replace(design().detection, learned=LearnedType(vote, floor=shown))
        sides.append(replace(design(), intent=shown, detection=detection))
    assert paired(*sides).intents_differ.endswith("the nearest example is “what does it cost” against “who pays less”.")
    assert paired(undetected("x"), undetected("x")).intents_differ == ""


def test_that_outcomes_say_what_differs() -> None:
    shown = paired(design(), replace(design(), resolution=None))
    assert shown.outcomes_differ == "outcome"
    assert shown.outcomes[1] is None


def test_that_the_copy_holds_both_sides_and_the_mark() -> None:
    text = side_by_side_text(paired(design(), with_matches(by_max("slow-build", "fuzzy", 0.842), without="signing")))
    assert "Left: Recommended, query: why does the build keep failing on my mac" in text
    assert "First differs here: slow-build" in text
    line = next(line for line in text.splitlines() if line.startswith("* "))
    assert "slow-build" in line
    assert "0.547" in line
    assert "0.842" in line
    assert "not listed" in next(line for line in text.splitlines() if "signing" in line)


def test_that_a_scorer_by_itself_says_so() -> None:
    assert combination_word("token_overlap") == "Token alone"
    assert combination_word("weighted_average") == "Weighted average"


def test_that_matches_without_steps_are_still_explained() -> None:
    bare: Match = replace(design().matches[0], account=EagerExplanation(), winners=(), confidence=0.1)
    shown = paired(design(), replace(design(), matches=led([bare, *design().matches[1:]])))
    assert any(row.differs for row in shown.rows)
