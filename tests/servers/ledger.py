"""Record of a server's requests, cancelled ones, and the time their work stopped."""

from __future__ import annotations

import threading
import time
from dataclasses import asdict, dataclass

KEPT = 1000


@dataclass(slots=True)
class Entry:
    """One request.

    Times are time.monotonic() in seconds, which on Linux is the same for all processes; 0 is never.
    """

    number: int
    path: str
    started: float
    outcome: str = "running"
    """Outcome: running, finished, failed or cancelled."""
    first_piece: float = 0.0
    """Time of the first token."""
    gone: float = 0.0
    """Time at which the client was seen to have closed the connection."""
    stopped: float = 0.0
    """Time at which the model was seen to have stopped its work; set for cancelled ones."""
    ended: float = 0.0


class Ledger:
    """All requests since the start; thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._entries: list[Entry] = []
        self._counts = {"started": 0, "finished": 0, "failed": 0, "cancelled": 0}

    def begin(self, path: str) -> Entry:
        """Add an entry for a new request."""
        with self._changed:
            self._counts["started"] += 1
            entry = Entry(self._counts["started"], path, time.monotonic())
            self._entries.append(entry)
            del self._entries[:-KEPT]
            self._changed.notify_all()
        return entry

    def end(self, entry: Entry, outcome: str) -> None:
        """Record the end of a request: finished, failed or cancelled."""
        with self._changed:
            entry.outcome, entry.ended = outcome, time.monotonic()
            self._counts[outcome] += 1
            self._changed.notify_all()

    def counts(self) -> dict[str, int]:
        """Count the requests since the start by outcome.

        `ended` is the sum of three, `running` the rest.
        """
        with self._changed:
            return self._sums()

    def report(self) -> dict[str, object]:
        """Return the counts, and the last requests one by one."""
        with self._changed:
            return {**self._sums(), "requests": [asdict(entry) for entry in self._entries]}

    def wait_for(self, name: str, count: int, seconds: float) -> bool:
        """Wait until a count is reached; False after this time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._sums()[name] >= count, seconds)

    def _sums(self) -> dict[str, int]:
        ended = self._counts["finished"] + self._counts["failed"] + self._counts["cancelled"]
        return {**self._counts, "ended": ended, "running": self._counts["started"] - ended}
