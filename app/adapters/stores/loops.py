"""Asynchronous clients called from the one thread of a store: each call ends in time, whatever the server does."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from app.adapters.stores.words import closed, too_late
from app.domain.errors import DataStoreError, DataStoreGoneError

Result = TypeVar("Result")


class Loop:
    """An event loop of one thread. What takes too long is cancelled, which closes its connection: a blocking client
    would hold the thread for as long as the server hangs."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._is_closed = False

    def run(self, work: Coroutine[Any, Any, Result], seconds: float) -> Result:
        """The result of this work; DataStoreGoneError where there is none within so many seconds."""
        if self._is_closed:
            work.close()
            raise DataStoreError(closed())
        try:
            return self._runner.run(asyncio.wait_for(work, seconds))
        except TimeoutError as error:
            raise DataStoreGoneError(too_late(seconds)) from error

    def close(self) -> None:
        self._is_closed = True
        self._runner.close()
