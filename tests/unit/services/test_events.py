"""Tests of events: each listener gets each payload until it unsubscribes."""

from __future__ import annotations

from app.services.events import Event


def test_that_a_second_listener_takes_nothing_from_the_first() -> None:
    event, one, other = Event[int](), list[int](), list[int]()
    event.subscribe(one.append)
    event.subscribe(other.append)
    event.notify(1)
    assert (one, other) == ([1], [1])


def test_that_who_unsubscribes_hears_no_more_and_the_others_still_do() -> None:
    event, one, other = Event[int](), list[int](), list[int]()
    unsubscribe = event.subscribe(one.append)
    event.subscribe(other.append)
    unsubscribe()
    unsubscribe()
    event.notify(2)
    assert (one, other) == ([], [2])
    assert event.has_listeners


def test_that_a_listener_may_unsubscribe_while_it_is_told() -> None:
    event, heard = Event[int](), list[str]()

    def once(_: int) -> None:
        heard.append("once")
        unsubscribe()

    unsubscribe = event.subscribe(once)
    event.subscribe(lambda _: heard.append("always"))
    event.notify(1)
    event.notify(2)
    assert heard == ["once", "always", "always"]
