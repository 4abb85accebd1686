"""Tests of an inspection as rows, cards, cues, Markdown and beside another, and its explanations."""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.display import words
from app.display.scope import guide
from app.display.scope.intent import (
    cues,
    intent_card,
    learned_card,
    learned_lines,
    other_policy,
    taught_message,
    type_choice,
)
from app.display.scope.match_rows import (
    chances_sentence,
    ignored_scorers,
    level_word,
    match_details,
    match_rows,
    power_card,
)
from app.display.scope.side_by_side import (
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
from app.domain.inspection import (
    Detection,
    Inspection,
    LearnedType,
    PowerMatch,
    Resolution,
    Stage,
    TierChances,
    Trace,
)
from app.domain.intent import DetectionSource, IntentType, SearchIntent
from app.domain.library import Memory, Power, Transport
from app.domain.llm import LlmAnswer, LlmOutcome, LlmReport
from app.domain.match import Band, EagerExplanation, Match, Operand, Query, Step, Tier
from app.settings.model import Settings
from tests import golden
from tests.build import of_type, some
from tests.golden import written
from tests.gui.inspections import TEXT, design, led, undetected

SETTINGS = Settings()


def test_that_the_same_answer_has_the_same_key_whatever_its_numbers() -> None:
    before = {row.name: row.key for row in match_rows(design(), SETTINGS)}
    assert before == {row.name: row.key for row in match_rows(undetected("something else"), SETTINGS)}
    assert len(set(before.values())) == len(before)


GOLDEN = Path(__file__).with_name("answers.txt")
"""Reviewed text of rows, cards, copies and messages; `GOLDEN.write_text(read())` writes it again."""

NEAR = tuple(NearExample(f"near {n}", "location", 0.9 - 0.1 * n, n < 2) for n in range(5))
BASIS = VoteBasis(backing=(NearExample("it dies at night", "troubleshoot", 0.31),), words=("dies", "at"))
TOLD = Memory(("x",), response="Wait.", id="slow-build")
EVIL = Memory(("trigger",), id="a|b *c* <i> [x](y)\n# `z`", key=1)


def vote(**shares: float) -> Vote:
    ranked = tuple(sorted(shares.items(), key=lambda one: -one[1]))
    return Vote(ranked[0][0], 0.75, 0.5, ranked, NEAR, BASIS)


def learned() -> Iterator[list[str]]:
    """Yield the lines on examples: off, absent, a vote for a type, and one for none."""
    yield learned_lines(learned_card(Detection(None, "evidence")))
    for one in (None, vote(troubleshoot=0.7, location=0.2, general=0.05), vote(troubleshoot=0.1)):
        found = LearnedType(one, "" if one else "The examples are being learned.")
        yield learned_lines(learned_card(Detection(None, "evidence", learned=found)))


def details(match: Match) -> Iterator[str]:
    shown = match_details(replace(design(), matches=(match,)), match, SETTINGS)
    parts = ((part.scorer, part.score, part.arithmetic) for part in shown.parts)
    told: dict[str, object] = {"lines": [line.text for line in shown.lines], "parts": parts}
    for name in ("subtitle", "use", "limits", "best", "absent", "response", "triggers"):
        told[name] = getattr(shown, name)
    yield from (match.answer.name, *golden.lines(told))


def selected() -> Iterator[str]:
    """Yield the details of a memory, one without a regression, and a power in four states."""
    first, second, *_ = design().matches
    yield from details(first)
    yield from details(replace(second, scores={**second.scores, "regression": None}))
    offered = design().powers[0]
    power = of_type(offered.answer, Power)
    for answer in (
        power,
        replace(power, transport=Transport("server")),
        replace(power, transport=Transport("server"), approved=True),
        replace(power, steering="Say it plainly."),
    ):
        yield from details(replace(offered, answer=answer))


def cards() -> Iterator[object]:
    """Yield a power's card: typing, at rest, unapproved, text only, tied, by chance, none."""
    yield power_card(design(), SETTINGS)
    yield power_card(design(), SETTINGS, is_typing=False)
    power = Power("xcode-build", transport=Transport("xcodebuild"), key=1)
    for answer in (power, Power("hint", "Say how", key=2)):
        found = Resolution(Tier.ACTIVATED, TEXT, matches=(PowerMatch(answer, 0.95, "keyword"),))
        yield power_card(replace(design(), resolution=found), SETTINGS)
    chances = {
        Tier.MULTIPLE_MATCHES: TierChances(0.2, 0.5, 0.1, 0.2),
        Tier.WEAK_MATCHES: TierChances(0.2, 0.1, 0.1, 0.6),
        Tier.NOT_FOUND: TierChances(0.1, 0.1, 0.05, 0.75),
    }
    by_chance = (Resolution(tier, TEXT, chances=one) for tier, one in chances.items())
    for resolution in (Resolution(Tier.MULTIPLE_MATCHES, TEXT, tied=True), *by_chance):
        yield power_card(replace(design(), resolution=resolution), SETTINGS)
    none = replace(design(), resolution=Resolution(Tier.NOT_FOUND, TEXT))
    yield power_card(none, SETTINGS)
    yield power_card(none, SETTINGS, is_untaught=True)


def types() -> Iterator[object]:
    """Yield the card of a type, and of none: without keywords, switched off, without topics."""
    yield intent_card(design())
    yield intent_card(undetected("hello"))
    yield intent_card(replace(undetected("hello"), detection=Detection(None, "evidence", enabled=False)))
    yield intent_card(replace(design(), intent=None))


def ranks() -> Iterator[str]:
    """Yield the rank of two answers: ahead, level, alone, not taught yet, a namesake."""
    for values in ((0.9, 0.756), (0.9, 0.9), (0.9,)):
        found = [replace(match, confidence=value) for match, value in zip(design().matches, values, strict=False)]
        inspection = replace(design(), matches=led(found))
        for match in design().matches[:2]:
            yield guide.rank_message(inspection, match.answer, match.answer.triggers[0])
    first = design().matches[0].answer
    yield guide.rank_message(design(), first, "taught a moment ago")
    yield guide.rank_message(design(), Power(first.name, key=99), first.triggers[0])


def marks() -> Iterator[str]:
    for before, after, fits in ((0.5, 0.55, True), (0.5, 0.45, False), (1.0, 1.0, True), (0.0, 0.0, False)):
        yield guide.marked_message(Memory(("x",), success=before), Memory(("x",), success=after), fits=fits)
    yield guide.not_found_message(Memory(("x",)))
    yield guide.marked_message(Power("p"), Power("p"), fits=True)
    for answer in (TOLD, replace(TOLD, response=" "), Power("sentry")):
        yield guide.trigger_added_message(answer)
    yield guide.taught_message(Memory(("y" * 100,)))
    yield type_choice(None)
    yield taught_message(IntentType.HOWTO, is_new=True)
    yield taught_message(None, is_new=False)


def with_matches(*changes: tuple[str, dict[str, Any]], without: str = "") -> Inspection:
    """Return the design's answer with some matches changed, or one left out."""
    inspection, wanted = design(), dict(changes)
    kept = [match for match in inspection.matches if match.answer.name != without]
    return replace(inspection, matches=led([replace(m, **wanted.get(m.answer.name, {})) for m in kept]))


def by_max(name: str, scorer: str, value: float) -> tuple[str, dict[str, Any]]:
    steps = (Step("confidence", "max", (Operand(scorer, value),), value),)
    return name, {"confidence": value, "winners": (scorer,), "account": EagerExplanation(steps)}


def pairs() -> Iterator[tuple[Inspection, Inspection]]:
    """Yield pairs that are alike, or differ in rank, score, outcome, steps or type."""
    old, gap = design().powers[0], with_matches(without="xcode-build")
    yield design(), design()
    yield design(), with_matches(by_max("signing", "fuzzy", 0.8))
    yield design(), with_matches(by_max("xcode-build", "fuzzy", 0.842))
    for semantic in (0.9, None):
        scores = {"scores": {**old.scores, "semantic": semantic}, "confidence": 0.7}
        yield design(), with_matches((old.answer.name, scores))
    yield design(), gap
    yield gap, design()
    yield design(), with_matches(by_max("slow-build", "fuzzy", 0.842), without="signing")
    yield design(), replace(design(), resolution=None)
    yield design(), with_matches((design().matches[0].answer.name, by_max("", "", 0.1)[1] | {"winners": ()}))
    policy = replace(design().detection, policy="priority")
    yield design(), replace(design(), detection=policy, intent=replace(some(design().intent), confidence=0.65))
    yield design(), undetected("x")
    yield undetected("x"), undetected("x")
    sides = []
    for text, share in (("what does it cost", 0.9), ("who pays less", 0.7)):
        asked = Vote("explanation", share, 0.5, (("explanation", share),), (NearExample(text, "explanation", 0.8),))
        cue = ("what does",) if share > 0.8 else ()
        shown = SearchIntent(IntentType.EXPLANATION, share, DetectionSource.LEARNED, cue)
        detection = replace(design().detection, learned=LearnedType(asked, floor=shown))
        sides.append(replace(design(), intent=shown, detection=detection))
    yield sides[0], sides[1]


def beside() -> Iterator[str]:
    for left, right in pairs():
        shown = side_by_side(left, right, ("Recommended", "As documented"), SETTINGS)
        yield f"{shown.headline} — {shown.first}"
        yield f"  types: {shown.intents_differ or 'alike'} outcomes: {shown.outcomes_differ or 'alike'}"
        for row in shown.rows:
            if row.differs or row.change:
                ranks = (str(one.rank) if one else "–" for one in (row.left, row.right))
                yield f"  {'*' * row.is_first}{row.name}: {' to '.join(ranks)}, {row.differs} {row.change}".rstrip()


def read() -> str:
    gap = with_matches(by_max("slow-build", "fuzzy", 0.842), without="signing")
    trace = Trace((Stage("keywords", 0.25), Stage("embed query", 9.71, "failed", 0.25), Stage("llm", 700.0)))
    first, *others = design().matches
    odd = replace(design(), query=Query.of("# <b>\nx"), matches=(replace(first, answer=EVIL, scores={}), *others))
    nothing = replace(undetected("hello"), matches=(), resolution=None)
    absent = (LlmOutcome.UNREACHABLE, LlmOutcome.MODEL_MISSING, LlmOutcome.UNREADABLE, LlmOutcome.TIMED_OUT)
    late = LlmReport(LlmOutcome.LATE, model="m", ms=740.0, budget_ms=200.0, answer=LlmAnswer("howto", 0.9, "json"))
    reports = (*(LlmReport(outcome, "Gone.", "m", budget_ms=200.0) for outcome in absent), late)
    by_label = (replace(first, threshold=first.confidence + by) for by in (0.001, -0.001))
    numbers_apart = ((0.84211, 0.84213), (0.61, 0.842), (0.842, 0.61), (0.5, 0.5))
    lost = Resolution(Tier.NOT_FOUND, TEXT, available=(Power("git"),))
    detection, (won, matched, *_) = design().detection, (design().detection.hits[2], design().detection.hits[1])
    overlapping = replace(matched, span=(won.span[0] - 2, won.span[1]), text="x" + won.text)
    return written(
        {
            "text": as_text(design(), SETTINGS),
            "Markdown": as_markdown(design(), SETTINGS),
            "Markdown of names with markup": as_markdown(odd),
            "text of an answer without scores": match_lines(odd, SETTINGS)[:2],
            "Markdown where nothing is found": as_markdown(nothing),
            "text where nothing is found": as_text(nothing, SETTINGS),
            "text without matches": as_text(replace(design(), matches=()), SETTINGS),
            "text where the LLM is absent or late": (
                line
                for report in reports
                for line in intent_lines(replace(design(), trace=replace(design().trace, llm=report)))
            ),
            "a label's own threshold": (
                [row for row in match_lines(replace(design(), matches=(one, *others)), SETTINGS) if "own" in row]
                for one in by_label
            ),
            "selected": selected(),
            "cues": cues(detection),
            "overlapping cues": cues(replace(detection, hits=(overlapping, won))),
            "another policy of the same type": other_policy(
                replace(detection, by_policy={"evidence": some(detection.intent).type})
            ),
            "types": types(),
            "powers": cards(),
            "examples": learned(),
            "times": waterfall(trace),
            "levels": [level_word(Band.FALLBACK), level_word(Tier.NOT_FOUND)],
            "ranks": ranks(),
            "marks": marks(),
            "side by side": beside(),
            "a copy of both sides": side_by_side_text(
                side_by_side(replace(design(), resolution=lost), gap, ("Recommended", "As documented"), SETTINGS)
            ),
            "two numbers": [difference_text(*numbers_apart[0]), *(confidences_text(*pair) for pair in numbers_apart)],
            "combinations": map(combination_word, ("token_overlap", "weighted_average")),
            "a scorer without a row": words.scorer("bm25_like").title,
        }
    )


def test_that_answers_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


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


def test_that_only_scorers_that_count_for_nothing_give_their_columns_up() -> None:
    learned = replace(design(), combination={"memory": "learned", "power": "learned"})
    assert ignored_scorers(learned) <= {"exact", "fuzzy", "token_overlap"}
    assert not ignored_scorers(learned) & {key for match in learned.matches for key in match.winners}
    assert ignored_scorers(replace(learned, combination={"memory": "learned", "power": "balanced"})) == frozenset()
    assert ignored_scorers(replace(learned, combination={})) == frozenset()


@pytest.mark.parametrize(("left", "right"), [(0.1, 0.1 + 1e-12), (None, None), (0.0, 0.0)])
def test_that_rounding_is_no_difference(left: float | None, right: float | None) -> None:
    assert equal_but_rounding(left, right)
