"""Tests of routing metrics with 001's targets and alarms (S6.6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.llm import LlmOutcome
from app.domain.review.route_alerts import RouteAlarm, RouteCounts, alerts
from app.domain.route import LoggedRoute, RouteColumns, RouteMethod
from app.evaluation.routing import DAY, Share, Target, audit_of, counts_of, metrics_of, sampled

RULE, LLM, CACHE = RouteMethod.RULE, RouteMethod.LLM_FALLBACK, RouteMethod.CACHE
LINE = LoggedRoute(
    0.0, "q", "route", "graph_traversal", ("neo4j",), 0.95, RULE, 0.95, "", 1.0, labels=("graph",), key=1
)
ASKED = replace(
    LINE,
    method=LLM,
    intent="multi_database",
    confidence=0.7,
    ms=100.0,
    cost=0.001,
    llm=LlmOutcome.ANSWERED,
    llm_intent="multi_database",
    rule_intent="graph_traversal",
    at=DAY,
    labels=("vector",),
)


def test_that_an_empty_log_has_no_rates_and_no_alarms() -> None:
    found = metrics_of([])
    assert (found.count, found.rule_hits, found.accuracy, found.cost_per_query, found.times) == (
        0,
        None,
        None,
        None,
        {},
    )
    assert {target.is_met for target in found.targets} == {None}
    assert found.alerts == ()


def test_that_rates_times_money_and_accuracy_are_counted() -> None:
    kept = replace(ASKED, method=CACHE, llm=None, cost=0.0, ms=2.0, labels=())
    lost = replace(ASKED, method=RouteMethod.DEGRADED, llm=LlmOutcome.TIMED_OUT, labels=("none",))
    found = metrics_of([LINE, LINE, ASKED, kept, lost])
    assert (found.rule_hits, found.fallbacks, found.degraded) == (0.4, 0.2, 0.2)
    assert found.cache_hits == pytest.approx(1 / 3)
    assert found.llm_errors == 0.5
    assert found.accuracy == pytest.approx(2 / 3)
    assert found.cost == pytest.approx(0.002)
    assert found.by_method["rule"].accuracy == 1.0
    assert found.by_method["cache"].accuracy is None
    assert found.by_intent["multi_database"].count == 3
    assert (found.seconds, [one.at for one in found.over_time]) == (3_600.0, [0.0, DAY])
    assert [one.counts.rule_hits for one in found.over_time] == [2, 0]
    assert [one.counts.rates[RouteAlarm.FALLBACKS] for one in found.over_time] == [0.0, pytest.approx(1 / 3)]
    assert [one.cost_per_query for one in found.over_time] == [0.0, pytest.approx(0.002 / 3)]
    assert found.over_time[1].cache_hits == pytest.approx(1 / 3)
    assert sum(one.times["all"].count for one in found.over_time) == 5
    assert found.times["all"].count == 5
    assert (found.times["rule"].p50, found.times["llm_fallback"].p99) == (1.0, 100.0)


@pytest.mark.parametrize(
    ("span", "starts"),
    [
        (0.0, (3_600.0, 100 * DAY)),
        (100 * 3_600.0, (3_600.0, 100 * DAY)),
        (100 * 3_600.0 + 1, (DAY, 100 * DAY)),
        (101 * DAY, (7 * DAY, 95 * DAY)),
    ],
)
def test_that_a_curve_has_hours_days_or_weeks_from_monday_on(span: float, starts: tuple[float, float]) -> None:
    found = metrics_of([replace(LINE, at=100 * DAY + span), replace(LINE, at=100 * DAY)])
    assert (found.seconds, found.over_time[0].at) == starts
    assert sum(one.counts.decisions for one in found.over_time) == 2


def test_that_one_intent_is_measured_alone_and_is_no_flat_line_for_that() -> None:
    others = [replace(ASKED, confidence=n / 40, at=n) for n in range(20)]
    found = metrics_of([*others, *(replace(LINE, intent="billing", confidence=n / 40) for n in range(25))], "billing")
    assert (found.count, found.rule_hits, found.intents) == (25, 1.0, ("billing", "multi_database"))
    assert [alert.sentence for alert in found.alerts if "same way" in alert.sentence] == []


def test_that_what_was_marked_afterwards_is_counted_apart() -> None:
    log = RouteColumns.of([replace(LINE, at=1.0), replace(ASKED, at=2.0), replace(LINE, at=9.0)], labelled_at=5.0)
    found = metrics_of(log)
    assert found.accuracy == pytest.approx(2 / 3)
    assert found.marked == Share(2, 2, 1)


def test_that_targets_have_bounds_on_either_side() -> None:
    assert Target("x", 0.75, 0.7, 0.8).is_met
    assert not Target("x", 0.9, 0.7, 0.8).is_met
    assert not Target("x", 0.1, 0.7, None).is_met


def test_that_all_is_quiet_where_001s_targets_are_met() -> None:
    log = [LINE] * 16 + [replace(ASKED, labels=("multi",))] * 5
    found = metrics_of(log)
    assert found.alerts == ()
    assert [target.is_met for target in found.targets] == [True, True, True, True, False, False, True]


def test_that_001_would_be_woken() -> None:
    log = [LINE] * 5 + [ASKED] * 14 + [replace(ASKED, llm=LlmOutcome.FAILED, ms=9.0)] * 2
    assert [alert.name for alert in metrics_of(log).alerts] == ["rule_hits", "fallbacks", "accuracy", "llm_errors"]
    assert metrics_of(log[:5]).alerts == ()


@pytest.mark.parametrize(
    ("outcomes", "silent"),
    [("", 0), ("a", 0), ("f", 1), ("aff", 2), ("fffa", 0), ("fffl", 0), ("afsf", 2), ("fs-f-", 2)],
)
def test_that_the_newest_failures_in_a_row_are_counted_by_their_time(outcomes: str, silent: int) -> None:
    """A superseded request, and a decision without one, do not count."""
    kinds = {
        "a": LlmOutcome.ANSWERED,
        "l": LlmOutcome.LOW_CONFIDENCE,
        "f": LlmOutcome.TIMED_OUT,
        "s": LlmOutcome.SUPERSEDED,
        "-": None,
    }
    log = [replace(ASKED, at=float(at), llm=kinds[word]) for at, word in enumerate(outcomes)]
    assert counts_of(log[::-1]).llm_silent == silent


def test_that_a_flat_line_is_told() -> None:
    found = metrics_of([LINE] * 20)
    assert [alert.name for alert in found.alerts] == ["flatline"] * 3
    assert "0.95" in found.alerts[0].sentence
    assert "graph_traversal" in found.alerts[2].sentence


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        (RouteCounts(1000, rule_hits=599), "Rules decide only 59.9 % of"),
        (RouteCounts(10_000, rule_hits=5999), "Rules decide only 59.99 % of"),
        (RouteCounts(1000, rule_hits=600, fallbacks=401), "The LLM decides 40.1 % of"),
        (RouteCounts(1000, rule_hits=600, fallbacks=400, labelled=1000, right=899), "Only 89.9 % of"),
        (RouteCounts(100, rule_hits=60, llm_calls=10, llm_errors=1), "10.0 % of the questions"),
        (
            RouteCounts(20, rule_hits=20, methods=frozenset({"degraded"})),
            "The last 20 decisions all went to the fallback",
        ),
        (RouteCounts(99, rule_hits=99, methods=frozenset({"llm_fallback"}), newest=30), "by the same method, LLM."),
        (RouteCounts(20, rule_hits=20, intents=frozenset({"billing"})), "go the same way, billing."),
        (RouteCounts(20, rule_hits=20, confidences=frozenset({0.5})), "same confidence, 0.50."),
        (RouteCounts(3, llm_calls=3, llm_errors=3, llm_silent=3), "The last 3 questions to the LLM failed."),
        (RouteCounts(100, rule_hits=60, llm_calls=90, llm_errors=4, llm_silent=4), "The last 4 questions"),
        (RouteCounts(100, rule_hits=60, llm_calls=10, llm_errors=9, llm_silent=9), "The last 9 questions"),
    ],
)
def test_that_an_alert_stands_on_counts_alone_and_no_share_crosses_its_bound(counts: RouteCounts, told: str) -> None:
    (alert,) = alerts(counts)
    assert told in alert.sentence


@pytest.mark.parametrize(
    "counts",
    [
        RouteCounts(0),
        RouteCounts(2, llm_calls=2, llm_errors=2, llm_silent=2),
        RouteCounts(19, labelled=19, llm_calls=19, llm_errors=19, methods=frozenset({"rule"})),
        RouteCounts(20, rule_hits=12, fallbacks=8, labelled=9, llm_calls=9, llm_errors=9),
        RouteCounts(1000, rule_hits=600, fallbacks=400, labelled=10, right=9, llm_calls=100, llm_errors=5),
        RouteCounts(20, rule_hits=20, methods=frozenset({"rule", "cache"}), confidences=frozenset({0.1, 0.2})),
    ],
)
def test_that_nothing_fires_at_a_bound_or_over_too_few(counts: RouteCounts) -> None:
    assert alerts(counts) == ()


def test_that_an_audit_compares_rules_llm_and_labels() -> None:
    agreed = replace(ASKED, llm_intent="graph_traversal", labels=("graph", "vector"))
    found = audit_of([LINE, ASKED, agreed, replace(LINE, labels=(), rule_intent="")])
    assert found.rule_against_llm == (1, 2)
    assert found.rule_against_label == (1, 2)
    assert found.llm_against_label == (1, 2)
    assert found.decision_against_label == (1, 3)


def test_that_a_sample_is_by_chance_and_the_same_again() -> None:
    log = [replace(LINE, text=f"q{n}") for n in range(300)]
    some = sampled([*log, *log], 100, seed=3)
    assert len({one.text for one in some}) == 100
    assert some == sampled([*log, *log], 100, seed=3)
    assert some != sampled(log, 100, seed=4)
    assert len(sampled([replace(LINE, text="", key=n) for n in range(5)], 100)) == 5
