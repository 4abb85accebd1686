"""Typed publish and subscribe on the engine's thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Payload = TypeVar("Payload")


class Event(Generic[Payload]):
    """Event with any number of listeners, all on one asyncio thread."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Payload], object]] = []

    @property
    def has_listeners(self) -> bool:
        """True if there are listeners; otherwise a payload need not be computed."""
        return bool(self._listeners)

    def subscribe(self, listener: Callable[[Payload], object]) -> Callable[[], None]:
        """Call a listener with every later payload; return the function that unsubscribes it."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def notify(self, payload: Payload) -> None:
        """Call each listener in order of subscription."""
        for listener in tuple(self._listeners):
            listener(payload)
