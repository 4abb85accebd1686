"""Tests of the circuit breaker: opens by the share of failures, pauses, retries."""

from app.domain.route import CircuitName
from app.services.engine.route_llm import LEAST, REST_SECONDS, Circuit
from tests.fakes import Clock

RATE = 0.5


def opened() -> tuple[Circuit, Clock]:
    wall = Clock()
    circuit = Circuit(wall)
    for _ in range(LEAST):
        assert circuit.lets_through()
        circuit.note(failed=True, error_rate=RATE)
    return circuit, wall


def test_that_few_or_rare_failures_leave_it_closed() -> None:
    circuit = Circuit(Clock())
    for failed in (True, True, True, True, False, False, False, False, False, False, True):
        assert circuit.lets_through()
        circuit.note(failed=failed, error_rate=RATE)
    assert (circuit.state.name, circuit.state.sentence) == (CircuitName.CLOSED, "")


def test_that_too_many_failures_open_it_for_a_while() -> None:
    circuit, wall = opened()
    assert circuit.state.name is CircuitName.OPEN
    assert "5 of its last 5 answers failed" in circuit.state.sentence
    wall.now += REST_SECONDS - 1
    assert not circuit.lets_through()


def test_that_one_question_tries_it_and_an_answer_closes_it() -> None:
    circuit, wall = opened()
    wall.now += REST_SECONDS
    assert circuit.lets_through()
    assert circuit.state.name == "half_open"
    assert "one question" in circuit.state.sentence
    assert not circuit.lets_through()
    circuit.note(failed=False, error_rate=RATE)
    assert circuit.state.name == "closed"
    assert circuit.lets_through()


def test_that_a_failed_try_opens_it_again() -> None:
    circuit, wall = opened()
    wall.now += REST_SECONDS
    assert circuit.lets_through()
    circuit.note(failed=True, error_rate=RATE)
    assert circuit.state.name is CircuitName.OPEN
    assert "it failed again" in circuit.state.sentence
    assert not circuit.lets_through()


def test_that_a_try_that_nobody_waited_for_is_no_answer_and_the_next_question_tries() -> None:
    circuit, wall = opened()
    wall.now += REST_SECONDS
    assert circuit.lets_through()
    circuit.note(failed=None, error_rate=RATE)
    assert circuit.state.name == "half_open"
    assert circuit.lets_through()
    assert not circuit.lets_through()
    circuit.note(failed=False, error_rate=RATE)
    assert circuit.state.name is CircuitName.CLOSED


def test_that_what_nobody_waited_for_makes_no_share_of_failures_smaller() -> None:
    circuit = Circuit(Clock())
    for failed in (*[None] * 20, *[True] * LEAST):
        assert circuit.lets_through()
        circuit.note(failed=failed, error_rate=RATE)
    assert circuit.state.name is CircuitName.OPEN


def test_that_an_answer_that_comes_late_neither_closes_it_nor_keeps_it_open_for_longer() -> None:
    circuit, wall = opened()
    wall.now += REST_SECONDS - 1
    for failed in (True, False):
        circuit.note(failed=failed, error_rate=RATE)
        assert circuit.state.name is CircuitName.OPEN
    wall.now += 1
    assert circuit.lets_through()


def test_that_a_clock_that_is_set_back_does_not_keep_it_open() -> None:
    circuit, wall = opened()
    wall.now += -7 * 86_400
    assert circuit.lets_through()
