"""Available models, and loaded ones: one engine each."""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from tests.servers.engine import Engine, EngineError

NUM_CTX = 2048
NEVER = "2318-01-01T00:00:00Z"


class RefusedError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def full_name(name: object) -> str:
    if not name or not isinstance(name, str):
        raise RefusedError(400, "model is required")
    return name if ":" in name else f"{name}:latest"


class Model:
    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self.size = path.stat().st_size
        self.modified = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat()

    @cached_property
    def digest(self) -> str:
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def card(self) -> dict[str, object]:
        names = {"name": self.name, "model": self.name}
        about = {"size": self.size, "digest": self.digest, "modified_at": self.modified, "details": {}}
        return {**names, **about}


@dataclass(slots=True)
class Loaded:
    """Model in memory, or being loaded (engine None)."""

    model: Model
    num_ctx: int
    engine: Engine | None = None
    users: int = 1
    load_ns: int = 0
    error: EngineError | None = None
    ready: threading.Event = field(default_factory=threading.Event)


class Shelf:
    """All models; thread-safe."""

    def __init__(self, binary: Path, *, slots: int) -> None:
        self._binary, self._slots = binary, slots
        self._changed = threading.Condition()
        self._models: dict[str, Model] = {}
        self._loaded: dict[str, Loaded] = {}

    def put(self, name: str, path: Path) -> None:
        with self._changed:
            self._models[name] = Model(name, path)

    def remove(self, name: object) -> Model:
        model = self.find(name)
        self.unload(model)
        with self._changed:
            del self._models[model.name]
        return model

    def find(self, name: object) -> Model:
        with self._changed:
            model = self._models.get(full_name(name))
        if model is None:
            raise RefusedError(404, f"model '{name}' not found")
        return model

    def all(self) -> list[Model]:
        with self._changed:
            return list(self._models.values())

    @contextlib.contextmanager
    def use(self, model: Model, num_ctx: int | None) -> Iterator[tuple[Engine, int]]:
        """Return a model's engine, loaded if necessary, and the time of loading in nanoseconds.

        As with Ollama, another context length than the loaded one (or none: the default) loads it again.
        """
        entry, ours = self._enter(model, num_ctx or NUM_CTX)
        try:
            if ours:
                self._load(entry)
            entry.ready.wait()
            if entry.engine is None:
                raise entry.error or EngineError("llama runner: not started")
            yield entry.engine, entry.load_ns if ours else 0
        finally:
            self._leave(entry)

    def unload(self, model: Model) -> None:
        with self._changed:
            while (entry := self._loaded.get(model.name)) and entry.users:
                self._changed.wait()
            if entry:
                self._drop(entry)

    def running(self) -> list[dict[str, object]]:
        """Return the answer of /api/ps; as with Ollama, models being loaded are included."""
        with self._changed:
            entries = list(self._loaded.values())
        return [
            {**entry.model.card(), "expires_at": NEVER, "size_vram": 0, "context_length": entry.num_ctx}
            for entry in entries
        ]

    def close(self) -> None:
        with self._changed:
            for entry in list(self._loaded.values()):
                self._drop(entry)

    def _enter(self, model: Model, num_ctx: int) -> tuple[Loaded, bool]:
        with self._changed:
            while (entry := self._loaded.get(model.name)) and entry.num_ctx != num_ctx:
                if entry.users:
                    self._changed.wait()
                else:
                    self._drop(entry)
            if entry:
                entry.users += 1
                return entry, False
            entry = self._loaded[model.name] = Loaded(model, num_ctx)
            return entry, True

    def _load(self, entry: Loaded) -> None:
        start = time.perf_counter_ns()
        try:
            entry.engine = Engine(self._binary, entry.model.path, entry.num_ctx, self._slots)
        except EngineError as error:
            entry.error = error
            raise
        finally:
            entry.load_ns = time.perf_counter_ns() - start
            entry.ready.set()

    def _leave(self, entry: Loaded) -> None:
        with self._changed:
            entry.users -= 1
            if not entry.users and entry.engine is None:
                self._drop(entry)
            self._changed.notify_all()

    def _drop(self, entry: Loaded) -> None:
        if self._loaded.get(entry.model.name) is entry:
            del self._loaded[entry.model.name]
        if entry.engine:
            entry.engine.close()
        self._changed.notify_all()
