"""Tests of deliveries: a case passes if exactly the expected answers would be delivered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.case import Case, Delivered, Task
from app.domain.running import ActivationBlocker
from app.evaluation.answers import (
    Answered,
    Delivery,
    RankedName,
    acceptable,
    deliveries,
    delivery_of,
    fault_words,
    grade,
    passes,
    unexpected,
    why_not_delivered,
)


def case(
    task: Task,
    expected: tuple[str, ...],
    predicted: str | None,
    delivered: Delivered | None = None,
    unwanted: tuple[str, ...] = (),
) -> Answered:
    found = () if predicted is None else (RankedName(predicted, 0.9),)
    rank = 1 if predicted in expected else None
    return Answered(
        Case("a text", expected, task, unwanted=unwanted),
        acceptable(expected),
        found,
        rank,
        predicted is None,
        delivered=delivered,
    )


ROLLBACK, DEPLOY = ("rollback-shop", "ship-release"), ("deploy-shop", "ship-release")
OTHER = ("reset-data", "reset")
UNAPPROVED = Delivered(found_power="git", blocker=ActivationBlocker.APPROVAL)
NO_COMMAND = Delivered(found_power="git", blocker=ActivationBlocker.COMMAND)
BESIDE = replace(UNAPPROVED, memories=(OTHER,))


@pytest.mark.parametrize(
    ("answered", "delivery", "names"),
    [
        (case(Task.INTENT, ("ship-release",), "ship-release"), Delivery.RIGHT, ()),
        (case(Task.INTENT, ("ship-release",), "reset"), Delivery.WRONG, ()),
        (case(Task.INTENT, ("ship-release",), None), Delivery.MISSING, ()),
        (
            case(Task.INTENT, ("ship-release",), "ship-release", Delivered((ROLLBACK, DEPLOY), can_inject=True)),
            Delivery.RIGHT,
            (),
        ),
        (
            case(Task.INTENT, ("ship-release",), "ship-release", Delivered((ROLLBACK, OTHER), can_inject=True)),
            Delivery.UNEXPECTED,
            ("reset",),
        ),
        (
            case(Task.INTENT, ("ship-release",), "ship-release", Delivered((ROLLBACK,), "git", can_inject=True)),
            Delivery.UNEXPECTED,
            ("git",),
        ),
        (
            case(Task.INTENT, ("ship-release", "git"), "ship-release", Delivered((ROLLBACK,), "git", can_inject=True)),
            Delivery.RIGHT,
            (),
        ),
        (case(Task.INTENT, ("reset",), "reset", Delivered((), can_inject=True)), Delivery.MISSING, ()),
        (case(Task.INTENT, ("reset",), "reset", Delivered((), can_inject=False)), Delivery.RIGHT, ()),
        (case(Task.MEMORY, ("rollback-shop",), "rollback-shop", Delivered((ROLLBACK, DEPLOY))), Delivery.RIGHT, ()),
        (
            case(Task.MEMORY, ("rollback-shop",), "rollback-shop", Delivered((ROLLBACK, OTHER))),
            Delivery.UNEXPECTED,
            ("reset-data",),
        ),
        (case(Task.POWER, ("git",), "git", Delivered((), "git")), Delivery.RIGHT, ()),
        (case(Task.POWER, ("git",), "git", Delivered((OTHER,), "git")), Delivery.UNEXPECTED, ("reset-data",)),
        (case(Task.INTENT, ("none",), None, Delivered()), Delivery.RIGHT, ()),
        (case(Task.INTENT, ("none",), None, Delivered((), "weather")), Delivery.UNEXPECTED, ("weather",)),
        (case(Task.TYPE, ("howto",), "howto", Delivered((OTHER,), "git")), Delivery.RIGHT, ()),
        (case(Task.INTENT, ("git",), "git", Delivered((), "git", can_inject=True)), Delivery.RIGHT, ()),
        (case(Task.POWER, ("git",), "git", UNAPPROVED), Delivery.UNAPPROVED, ()),
        (case(Task.INTENT, ("git",), "git", replace(UNAPPROVED, can_inject=True)), Delivery.UNAPPROVED, ()),
        (case(Task.POWER, ("git",), "docker", UNAPPROVED), Delivery.WRONG, ()),
        (case(Task.POWER, ("git",), "git", NO_COMMAND), Delivery.NO_COMMAND, ()),
        (case(Task.POWER, ("git",), "docker", NO_COMMAND), Delivery.WRONG, ()),
        (case(Task.INTENT, ("reset",), "reset", replace(NO_COMMAND, memories=(OTHER,))), Delivery.RIGHT, ()),
        (
            case(Task.POWER, ("git",), "git", replace(UNAPPROVED, memories=(OTHER,))),
            Delivery.UNEXPECTED,
            ("reset-data",),
        ),
        (
            case(Task.INTENT, ("git", "reset"), "git", replace(UNAPPROVED, memories=(OTHER,), can_inject=True)),
            Delivery.RIGHT,
            (),
        ),
        (
            case(Task.INTENT, (), "ship-release", Delivered((ROLLBACK,), "git"), unwanted=("git",)),
            Delivery.UNEXPECTED,
            ("git",),
        ),
        (case(Task.INTENT, (), "ship-release", Delivered((ROLLBACK,)), unwanted=("git",)), Delivery.RIGHT, ()),
        (case(Task.INTENT, (), "reset", Delivered(can_inject=True)), Delivery.RIGHT, ()),
        (case(Task.INTENT, (), "reset", Delivered((OTHER,), can_inject=True)), Delivery.WRONG, ()),
        (case(Task.INTENT, (), "reset", replace(UNAPPROVED, can_inject=True)), Delivery.WRONG, ()),
        (case(Task.INTENT, (), "reset", Delivered()), Delivery.WRONG, ()),
    ],
)
def test_that_all_that_is_delivered_is_judged(answered: Answered, delivery: Delivery, names: tuple[str, ...]) -> None:
    assert (delivery_of(answered), unexpected(answered) if answered.is_right else ()) == (delivery, names)
    assert passes(answered) is (delivery is Delivery.RIGHT)
    says = why_not_delivered(answered)
    assert bool(says) is (answered.is_right and delivery is not Delivery.RIGHT)
    assert all(name in says for name in names)


def test_that_every_case_counts_once() -> None:
    answers = [case(Task.INTENT, ("a",), "a"), case(Task.INTENT, ("a",), "b"), case(Task.INTENT, ("a",), None)]
    assert deliveries(answers) == {
        Delivery.RIGHT: 1,
        Delivery.WRONG: 1,
        Delivery.MISSING: 1,
        Delivery.UNAPPROVED: 0,
        Delivery.NO_COMMAND: 0,
        Delivery.UNEXPECTED: 0,
    }


def test_that_a_power_that_only_lacks_approval_is_told_apart_and_fails() -> None:
    waiting = case(Task.POWER, ("git",), "git", UNAPPROVED)
    assert (fault_words(waiting), grade(waiting)) == ("not approved", 1)
    assert why_not_delivered(waiting) == "The right power is found, but not approved: it would not start."
    started = case(Task.POWER, ("git",), "git", Delivered((), "git", found_power="git"))
    assert [grade(one) for one in (case(Task.POWER, ("git",), "docker", UNAPPROVED), waiting, started)] == [0, 1, 2]


def test_that_a_power_without_a_command_is_told_apart_and_fails() -> None:
    bare = case(Task.POWER, ("git",), "git", NO_COMMAND)
    assert (fault_words(bare), grade(bare)) == ("no command", 1)
    assert why_not_delivered(bare) == "The right power is found, but has no command: it would not start."


def test_that_other_cases_do_not_depend_on_an_approval() -> None:
    beside = replace(UNAPPROVED, memories=(ROLLBACK,), can_inject=True)
    for task, expected in ((Task.INTENT, "ship-release"), (Task.MEMORY, "rollback-shop")):
        assert passes(case(task, (expected,), expected, beside))
