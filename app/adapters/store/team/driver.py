"""What the driver of a team's server does here as it does not by itself; loaded by those who have a server."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import psycopg

from app.adapters.datastores.relay import Relay, connected

SECONDS = 25.0
"""Longer than the server lets a statement take: who has not answered by then is frozen, or never ends."""

LONGEST_ANSWER = 128_000_000
"""Bytes that a server may answer to one statement, such as a page of memories and triggers."""


class BoundedConnection(psycopg.Connection):  # type: ignore[misc]
    """Bound: each statement is answered in time, and by no more than an answer may have, or the server is left.

    libpq reads for as long as something comes; a server whose process is stopped still keeps its connections alive, so
    that TCP finds no fault.
    """

    relay: Relay | None = None
    """What the server's answers come through."""

    is_building = False
    """Whether a statement may take as long as it takes, such as one that makes an index."""

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
    """A bounded connection to the server at this address; psycopg.Error."""
    relay = Relay(LONGEST_ANSWER, "The server")
    with ExitStack() as unless_connected:
        unless_connected.callback(relay.close)
        made = connected(address, password, relay, seconds, BoundedConnection, **how)
        unless_connected.pop_all()
    assert isinstance(made, BoundedConnection), "it was asked for"
    made.relay = relay
    return made


class BinaryCursor(psycopg.Cursor):  # type: ignore[misc]
    """What is found comes as the server keeps it: vectors are not spelled out."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.format = psycopg.pq.Format.BINARY
