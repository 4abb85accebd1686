"""Driver of a team's server with time and size limits; loaded only for teams."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import psycopg

from app.adapters.datastores.relay import Relay, connected

SECONDS = 25.0
"""Time-out of an answer in seconds, above the server's statement time-out."""

LONGEST_ANSWER = 128_000_000
"""Maximum size in bytes of the answer to one statement."""


class BoundedConnection(psycopg.Connection):  # type: ignore[misc]
    """Connection whose answers are limited in time and size.

    libpq reads as long as data arrives; a server whose process is stopped keeps its connections alive, so that TCP
    finds no fault.
    """

    relay: Relay | None = None
    """Relay of the server's answers."""

    is_building = False
    """True while statements have no time-out, such as for an index."""

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        if self.relay is None:
            return super().wait(gen, *args, **kwargs)
        with self.relay.within(None if self.is_building else SECONDS):
            return super().wait(gen, *args, **kwargs)

    def cancel_safe(self, *, timeout: float = 30.0) -> None:
        if self.relay is not None:
            self.relay.lead_again(timeout)
        super().cancel_safe(timeout=timeout)

    def close(self) -> None:
        super().close()
        if self.relay is not None:
            self.relay.close()


def connect(address: str, password: str | None, seconds: float, **how: Any) -> BoundedConnection:
    """Open a limited connection to the server at this address; raises psycopg.Error."""
    relay = Relay(LONGEST_ANSWER, "The server")
    with ExitStack() as unless_connected:
        unless_connected.callback(relay.close)
        made = connected(address, password, relay, seconds, BoundedConnection, **how)
        unless_connected.pop_all()
    assert isinstance(made, BoundedConnection), "it was asked for"
    made.relay = relay
    return made


class BinaryCursor(psycopg.Cursor):  # type: ignore[misc]
    """Cursor with binary results, so that vectors are not formatted as text."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.format = psycopg.pq.Format.BINARY
