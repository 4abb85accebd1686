"""Resumable streams: a client that reconnects gets the latest messages of its session again."""

from __future__ import annotations

from collections import deque
from contextvars import ContextVar
from dataclasses import dataclass

from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.types import JSONRPCMessage

MOST_EVENTS, MOST_EVENT_BYTES = 256, 2**20
"""Limits of a session's backlog, in messages and in bytes."""


@dataclass(frozen=True, slots=True)
class Event:
    """A sent message; None for the start of a stream."""

    number: int
    stream: str
    message: JSONRPCMessage | None
    size: int


class Backlog:
    """Bounded buffer of the latest messages of one session; the oldest are evicted."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self._last = self._bytes = 0

    def keep(self, stream: str, message: JSONRPCMessage | None) -> int:
        """Append a message; return its number."""
        size = 0 if message is None else len(message.model_dump_json(by_alias=True, exclude_none=True))
        self._last += 1
        self._bytes += size
        self._events.append(Event(self._last, stream, message, size))
        while len(self._events) > MOST_EVENTS or self._bytes > MOST_EVENT_BYTES:
            self._bytes -= self._events.popleft().size
        return self._last

    def after(self, number: str) -> list[Event] | None:
        """Return the event of a number and later ones of its stream; None if evicted."""
        seen = next((event for event in self._events if str(event.number) == number), None)
        if seen is None:
            return None
        return [event for event in self._events if event.stream == seen.stream and event.number >= seen.number]


BACKLOG: ContextVar[Backlog] = ContextVar("backlog")
"""Backlog of the current session; inherited by every task that a request starts."""


class SessionEvents(EventStore):
    """Event store of the MCP library, with one backlog per session.

    Stream names are request numbers, which restart in every session. Events outside a session are not stored.
    """

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        backlog = BACKLOG.get(None)
        return "" if backlog is None else str(backlog.keep(stream_id, message))

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        backlog = BACKLOG.get(None)
        found = None if backlog is None else backlog.after(last_event_id)
        if not found:
            return None
        for event in found[1:]:
            if event.message is not None:
                await send_callback(EventMessage(event.message, str(event.number)))
        return found[0].stream
