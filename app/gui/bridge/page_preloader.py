"""Fetches the code of pages that may be opened next, on a thread of its own, so that opening one need not wait."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Sequence
from importlib.util import find_spec

BETWEEN_SECONDS = 0.05
"""Between two pieces the window and the engine have the interpreter to themselves."""

LATER_SECONDS = 0.5
"""So long after somebody typed it is asked again."""

STOP_SECONDS = 5.0
"""How long stopping waits for the piece under way."""


class PagePreloader:
    """Imports these modules one by one, those that there are, while nobody types, as `is_idle` says."""

    def __init__(self, modules: Sequence[str], is_idle: Callable[[], bool]) -> None:
        self._modules, self._is_idle = modules, is_idle
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._fetch, name="intentscope-fetching", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Fetch no more; a program must not end in the middle of an import."""
        self._stopped.set()
        self.wait(STOP_SECONDS)

    def wait(self, seconds: float) -> bool:
        """Wait until everything is fetched, so long at most; if it is."""
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _fetch(self) -> None:
        for name in self._modules:
            self._stopped.wait(BETWEEN_SECONDS)
            while not self._is_idle() and not self._stopped.wait(LATER_SECONDS):
                pass
            if self._stopped.is_set():
                return
            if find_spec(name) is not None:
                importlib.import_module(name)
