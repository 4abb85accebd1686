"""Typed publish and subscribe on the engine's thread: an Event tells each of its listeners what has happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Payload = TypeVar("Payload")


class Event(Generic[Payload]):
    """Publish and subscribe, so that a second listener takes nothing from the first. All on one asyncio thread."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Payload], object]] = []

    @property
    def is_heard(self) -> bool:
        """If anybody listens: what nobody hears need not be worked out."""
        return bool(self._listeners)

    def subscribe(self, listener: Callable[[Payload], object]) -> Callable[[], None]:
        """Call a listener with every payload from now on; what is returned unsubscribes it, once or often."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def notify(self, payload: Payload) -> None:
        """Call each listener in the order in which they subscribed."""
        for listener in tuple(self._listeners):
            listener(payload)
