"""Tests of an inspection as rows, cards, cues and text."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from decimal import Decimal

from hypothesis import example, given
from hypothesis import strategies as st

from app.display import words
from app.display.scope.intent import RuleEffect, cue_rows, cues, intent_card, other_policy
from app.display.scope.matches.resolution import chances_sentence, power_card
from app.display.scope.matches.rows import ignored_scorers, level_word, match_details, match_rows, thresholds
from app.display.scope.text import as_text
from app.display.scope.timing import waterfall
from app.domain.library import Kind, Power, Transport
from app.domain.match import Band, Tier
from app.domain.scope.inspection import Detection, Stage, Trace
from app.domain.scope.resolution import PowerMatch, Resolution, TierChances
from app.settings.model import Settings
from tests.build import some
from tests.gui.inspections import TEXT, design, undetected

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
    assert (shown.subtitle, shown.use) == ("in blockers", "success 86 %, marked right 31 times")
    assert shown.reason.sentence == "Ahead of slow-build by 31 points, by the centroid and the semantic score."
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


def test_that_thresholds_follow_the_settings() -> None:
    assert thresholds(SETTINGS, Kind.POWER) == (0.3, 0.5, 0.9)
    assert thresholds(None, Kind.POWER) == ()


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
