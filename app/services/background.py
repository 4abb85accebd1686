"""Work under way in the background of one asyncio thread."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


class Background:
    """Tasks that nobody waits for; what fails in one reaches the loop's exception handler, so that it is not silent."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_stopped = False

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin; the task may be cancelled. Once stopped, it is cancelled before it begins."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        if self._is_stopped:
            task.cancel()
        return task

    async def stop(self) -> None:
        """Cancel what is under way, wait until it has let go, and let nothing begin from now on.

        What lets go may want to begin something else, for which store and threads would be gone by then.
        """
        self._is_stopped = True
        for task in self._tasks:
            task.cancel()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            asyncio.get_running_loop().call_exception_handler({"message": "a task failed", "exception": error})
