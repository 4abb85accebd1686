"""What the driver of a team's server does here as it does not by itself; loaded by those who have a server."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

import psycopg

SECONDS = 25.0
"""Longer than the server lets a statement take: who is silent for so long is frozen, not busy."""


class PatientConnection(psycopg.Connection):  # type: ignore[misc]
    """Time-out: a server whose process is stopped still keeps its connections alive, so that TCP finds no fault."""

    is_building = False
    """Whether a statement may take as long as it takes, such as one that makes an index."""

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        return super().wait(gen if self.is_building else self._heard(gen), *args, **kwargs)

    def _heard(self, gen: Any) -> Generator[Any, Any, Any]:
        """What the driver waits for; it is asked again every now and then while nothing comes."""
        end = time.monotonic() + SECONDS
        try:
            wanted = next(gen)
            while True:
                if ready := (yield wanted):
                    end = time.monotonic() + SECONDS
                elif time.monotonic() > end:
                    self.pgconn.finish()
                    raise psycopg.OperationalError("the server is silent")
                wanted = gen.send(ready)
        except StopIteration as done:
            return done.value


class BinaryCursor(psycopg.Cursor):  # type: ignore[misc]
    """What is found comes as the server keeps it: vectors are not spelled out."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.format = psycopg.pq.Format.BINARY
