"""Redis in front of the answers of the LLM: one key an answer, which goes when it has had its time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import orjson
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from app.domain.errors import DataStoreError, DataStoreGoneError
from app.domain.route import CachedRoute, RouteAnswer

PREFIX = "intentscope:route"
MOST_BYTES = 100_000
"""What is longer is no answer of ours."""


class RedisAnswers:
    """SharedAnswerCache on one server. Keys tell nothing of a query: both parts are digests."""

    def __init__(self, address: str, seconds: float, password: str | None = None) -> None:
        given: dict[str, Any] = {} if password is None else {"password": password}
        with _known_errors():
            self._redis = redis.Redis.from_url(
                address,
                socket_timeout=seconds,
                socket_connect_timeout=seconds,
                retry=Retry(NoBackoff(), 0),  # a second try would take a second time-out
                max_connections=2,
                protocol=2,
                driver_info=None,
                **given,
            )

    def ping(self) -> None:
        with _known_errors():
            self._redis.ping()

    def get(self, digest: str, text: str) -> CachedRoute | None:
        with _known_errors():
            found = self._redis.get(_key(digest, text))
        return _read(found, digest, text) if isinstance(found, bytes) and len(found) <= MOST_BYTES else None

    def put(self, kept: CachedRoute, seconds: float) -> None:
        if (ms := round(seconds * 1000.0)) > 0:
            with _known_errors():
                self._redis.set(_key(kept.digest, kept.text), _written(kept), px=ms)

    def count(self, digest: str) -> int:
        with _known_errors():
            return sum(1 for _ in self._keys(digest))

    def forget(self, digest: str, texts: Sequence[str] | None = None) -> int:
        with _known_errors():
            if texts is None:
                return self._unlinked(list(self._keys(digest)))
            # Those of today first, which takes no time; others are looked for among all that there are.
            gone = self._unlinked([_key(digest, text) for text in texts])
            ends = {_text_digest(text).encode() for text in texts}
            return gone + self._unlinked([key for key in self._keys("*") if key.rpartition(b":")[2] in ends])

    def _unlinked(self, keys: Sequence[str | bytes]) -> int:
        return int(self._redis.unlink(*keys)) if keys else 0

    def _keys(self, digest: str) -> Iterator[bytes]:
        yield from self._redis.scan_iter(match=f"{PREFIX}:{digest}:*", count=1_000)

    def close(self) -> None:
        self._redis.close()


def _key(digest: str, text: str) -> str:
    return f"{PREFIX}:{digest}:{_text_digest(text)}"


def _text_digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def _written(kept: CachedRoute) -> bytes:
    answer = kept.answer
    told = {
        "intent": answer.intent,
        "confidence": answer.confidence,
        "mode": answer.mode,
        "reasoning": answer.reasoning.encode("utf-8", "replace").decode("utf-8"),
        "distribution": answer.distribution,
        "at": kept.at,
    }
    return orjson.dumps(told)


def _read(found: bytes, digest: str, text: str) -> CachedRoute | None:
    """The answer in what another program wrote; None where it is none."""
    try:
        told = orjson.loads(found)
        shares = told["distribution"]
        answer = RouteAnswer(
            _text(told["intent"]),
            float(told["confidence"]),
            _text(told["mode"]),
            _text(told["reasoning"]),
            None if shares is None else {_text(label): float(share) for label, share in shares.items()},
        )
        return CachedRoute(text, digest, answer, float(told["at"])) if answer.intent else None
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
    except redis.AuthenticationError as error:
        raise DataStoreGoneError(f"Redis refuses the password, or wants one: {error}") from error
    except (redis.ConnectionError, redis.TimeoutError) as error:
        raise DataStoreGoneError(f"The server cannot be reached: {error}") from error
    except (redis.RedisError, ValueError) as error:
        raise DataStoreError(f"The server refused: {error}") from error
