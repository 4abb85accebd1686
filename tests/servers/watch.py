"""Detection of a client that closes its connection during a request."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self


class ClientGoneError(Exception):
    """The client has closed the connection; the answer is not needed."""


class Watch:
    """Thread that waits for the end of a client's connection while another one works for it."""

    def __init__(self, client: socket.socket) -> None:
        self._client = client
        self._wake, self._sleep = socket.socketpair()
        self._lock = threading.Lock()
        self._then: Callable[[], None] | None = None
        self.gone_at = 0.0
        self._thread = threading.Thread(target=self._look, name="watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._wake.close()
        self._thread.join()
        self._sleep.close()

    def when_gone(self, then: Callable[[], None] | None) -> None:
        """Call this when the client disconnects, or now if it already has; None cancels it."""
        with self._lock:
            self._then = then
            if self.gone_at and then:
                then()

    def check(self) -> None:
        """Raise ClientGoneError if the client has disconnected."""
        if self.gone_at:
            raise ClientGoneError

    def _look(self) -> None:
        while True:
            ready = select.select([self._client, self._sleep], [], [])[0]
            if self._sleep in ready:
                return
            try:
                if self._client.recv(1, socket.MSG_PEEK):
                    return  # a next request, sent ahead of the answer: that client is connected
            except OSError:
                pass
            with self._lock:
                self.gone_at = time.monotonic()
                if self._then:
                    self._then()
            return
