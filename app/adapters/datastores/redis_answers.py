"""Redis as a cache of the LLM's answers: one key per answer, with a time to live."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any, TypeVar

import orjson
import redis
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from app.adapters.datastores.client import INVALID, DeadlineLoop, first_line
from app.domain.documents import fields_of
from app.domain.errors import DataStoreError, DataStoreGoneError
from app.domain.llm import LlmAnswer
from app.domain.route import CachedRoute

Result = TypeVar("Result")

PREFIX = "intentscope:route"
MOST_BYTES = 100_000
"""Maximum size of an answer in bytes."""


REACH_SECONDS = 5.0
"""Time-out of connecting in seconds."""

COUNT_SECONDS = 10.0
"""Time-out of counting and deleting, which scan all keys."""


class RedisAnswers:
    """SharedAnswerCache on one server; keys consist of digests only."""

    def __init__(self, address: str, seconds: float, password: str | None = None) -> None:
        given: dict[str, Any] = {} if password is None else {"password": password}
        self._seconds = seconds
        try:
            self._redis = Redis.from_url(
                address,
                socket_connect_timeout=REACH_SECONDS,
                retry=Retry(NoBackoff(), 0),  # a retry would take another time-out
                max_connections=2,
                protocol=2,
                driver_info=None,
                **given,
            )
        except (redis.RedisError, ValueError) as error:
            raise DataStoreError(f"The server cannot be reached: {first_line(error)}") from error
        self._loop = DeadlineLoop()

    def ping(self) -> None:
        self._call(self._redis.ping(), REACH_SECONDS)

    def get(self, digest: str, text: str) -> CachedRoute | None:
        found = self._call(self._redis.get(_key(digest, text)), self._seconds)
        return _read(found, digest, text) if isinstance(found, bytes) and len(found) <= MOST_BYTES else None

    def put(self, kept: CachedRoute, seconds: float) -> None:
        if (ms := round(seconds * 1000.0)) > 0:
            answer = kept.answer
            document = {
                "intent": answer.name,
                **fields_of(answer, "confidence", "mode"),
                "reasoning": answer.reasoning.encode("utf-8", "replace").decode("utf-8"),
                "distribution": answer.distribution,
                "at": kept.at,
            }
            self._call(self._redis.set(_key(kept.digest, kept.text), orjson.dumps(document), px=ms), self._seconds)

    def count(self, digest: str) -> int:
        with self._loop.within(COUNT_SECONDS):
            return sum(len(keys) for keys in self._pages(digest))

    def forget(self, digest: str, texts: Sequence[str] | None = None) -> int:
        with self._loop.within(COUNT_SECONDS):
            if texts is None:
                return sum(map(self._unlinked, self._pages(digest)))
            # Present keys first, which is fast; others need a scan.
            gone = self._unlinked([_key(digest, text).encode() for text in texts])
            ends = {_text_digest(text).encode() for text in texts}
            found = ([key for key in keys if key.rpartition(b":")[2] in ends] for keys in self._pages("*"))
            return gone + sum(map(self._unlinked, found))

    def _unlinked(self, keys: Sequence[bytes]) -> int:
        with _known_errors():  # what is no number, too
            return int(self._call(self._redis.unlink(*keys), COUNT_SECONDS)) if keys else 0

    def _pages(self, digest: str) -> Iterator[list[bytes]]:
        at: int | None = None
        while at != 0:
            page = self._redis.scan(at or 0, match=f"{PREFIX}:{digest}:*", count=1_000)
            at, keys = self._call(page, COUNT_SECONDS)
            yield keys

    def _call(self, work: Coroutine[Any, Any, Result], seconds: float) -> Result:
        with _known_errors(), self._loop.within(seconds):
            return self._loop.run(work, seconds)

    def close(self) -> None:
        with suppress(DataStoreError):
            self._call(self._redis.aclose(), REACH_SECONDS)
        self._loop.close()


def _key(digest: str, text: str) -> str:
    return f"{PREFIX}:{digest}:{_text_digest(text)}"


def _text_digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def _read(found: bytes, digest: str, text: str) -> CachedRoute | None:
    """Parse an answer written by another program; None if invalid."""
    try:
        document = orjson.loads(found)
        shares = document["distribution"]
        answer = LlmAnswer(
            _text(document["intent"]),
            float(document["confidence"]),
            _text(document["mode"]),
            reasoning=_text(document["reasoning"]),
            distribution=None if shares is None else {_text(label): float(share) for label, share in shares.items()},
        )
        return CachedRoute(text, digest, answer, float(document["at"])) if answer.name else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


@contextmanager
def _known_errors() -> Iterator[None]:
    try:
        yield
    except (redis.ConnectionError, redis.TimeoutError) as error:
        if isinstance(error, redis.AuthenticationError) or isinstance(error.__cause__, redis.AuthenticationError):
            raise DataStoreGoneError(f"Redis refuses the password, or wants one: {first_line(error)}") from error
        raise DataStoreGoneError(f"The server cannot be reached: {first_line(error)}") from error
    except redis.InvalidResponse as error:
        raise DataStoreError(INVALID) from error
    except redis.RedisError as error:
        raise DataStoreError(f"The server refused: {first_line(error)}") from error
    except ValueError as error:
        raise DataStoreError(INVALID) from error
