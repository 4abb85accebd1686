"""Ollama client with one connection, three request modes, and limits (S4.1, S4.5, S4.7)."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
import ollama

from app.adapters.bounded_http import Bound, BoundedTransport
from app.detect.prompts import (
    LONGEST_REPLY,
    ROUTES,
    TYPES,
    Classes,
    answer_from_distribution,
    answer_from_json,
    choice_classes,
    distribution,
    json_prompt,
    label_scores,
    one_token_prompt,
    quoted,
    shares,
)
from app.domain.llm import LlmAnswer, LlmOutcome, Option, same_model
from app.domain.running import shown
from app.logs import remember_sent, without_sent
from app.ports.llm import (
    LlmColdError,
    LlmDisconnectedError,
    LlmError,
    LlmModelMissingError,
    LlmState,
    LlmUnreachableError,
    LlmUnreadableError,
)
from app.settings.layers import OLLAMA_API_KEY, OLLAMA_PORT, api_key
from app.settings.sections import LlmSettings

TOP_TOKENS = 20
DETAIL_TOKENS = 160

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Support:
    """Reported capabilities of server and model."""

    version: str
    capabilities: frozenset[str]


class OllamaClient:
    """LlmClient with the official asynchronous client. All methods run on one asyncio loop."""

    def __init__(self, settings: LlmSettings) -> None:
        self._settings = settings
        self._made: ollama.AsyncClient | None = None
        try:
            self._made = client_of(settings.url)
        except (ValueError, httpx.InvalidURL) as error:
            self._refused = short(str(error))
        self._support = Support("", frozenset())
        self._may_think: bool | None = None
        """Value of `think` in requests; None leaves it to the server, for models that do not think."""
        self._priors: dict[str, Mapping[str, float]] = {}
        """Answers to an empty query in the mode of one token, by the word of the classes."""
        self._state = LlmState(LlmOutcome.COLD, "The model has not been asked for yet.", settings.model)

    @property
    def state(self) -> LlmState:
        return self._state

    @property
    def _client(self) -> ollama.AsyncClient:
        if self._made is None:
            raise LlmUnreachableError(f"{self._settings.url} is not a server address: {self._refused}.")
        return self._made

    # ---- Warm-up

    async def warm(self) -> LlmState:
        begun = time.perf_counter()
        try:
            async with asyncio.timeout(WARM_UP_SECONDS):
                self._support = await self._ask_support()
                mode = await self._first_mode()
        except TimeoutError:
            self._state = replace(self._state, outcome=LlmOutcome.FAILED, sentence="The model did not load in time.")
        except LlmError as error:
            self._state = replace(self._state, outcome=error.outcome, sentence=str(error))
        else:
            took = (time.perf_counter() - begun) * 1000.0
            _, cut = server_address(self._settings.url)
            cut = f" The end “{cut}” of its address is left out: it is not Ollama's own." if cut else ""
            ready, version = f"Ready after {took:,.0f} ms.{cut}", self._support.version
            self._state = LlmState(LlmOutcome.ANSWERED, ready, self._settings.model, mode, version, took)
        return self._state

    async def _ask_support(self) -> Support:
        if not self._settings.model:
            raise LlmModelMissingError("No model is chosen (llm.model).")
        version = await self.version()
        shown = await self._awaited(self._client.show(self._settings.model))
        # Only now is there known to be a server with the model, worth waiting for.
        self._state = replace(
            self._state, outcome=LlmOutcome.COLD, sentence="The model is loading. This is not a time-out."
        )
        capabilities = frozenset(shown.capabilities or ())
        self._may_think = False if "thinking" in capabilities else None
        return Support(version, capabilities)

    async def _first_mode(self) -> str:
        """Return the configured mode, or the first that works; raises the last error."""
        wanted = list(MODES) if self._settings.mode == "auto" else [self._settings.mode]
        if "decision" in wanted and "decision" not in self._support.capabilities and len(wanted) > 1:
            wanted.remove("decision")
        refused: LlmError | None = None
        for mode in wanted:
            try:
                await MODES[mode].prepare(self)
            except LlmUnreadableError as error:
                refused = error
            else:
                return mode
        raise refused or LlmUnreadableError("No mode of asking works with this model.")

    async def _prepare_one_token(self) -> None:
        # Two requests, so that both slots of a server with two hold the prefix. Both are awaited, so that none is
        # pending when the client is closed.
        asked = self._next_token("", TYPES), self._next_token("", TYPES)
        first, other = await asyncio.gather(*asked, return_exceptions=True)
        for each in (first, other):
            if isinstance(each, BaseException):
                raise each
        assert isinstance(first, tuple)
        self._priors[TYPES.word] = first[0]

    # ---- Requests

    async def classify(self, query: str) -> LlmAnswer:
        return await self._answer(query, TYPES)

    async def describe(self, query: str) -> LlmAnswer:
        return await self._ask_json(query, TYPES)

    async def warm_routes(self) -> None:
        """Fill the prefix cache for routes, and measure the prior; raises LlmError."""
        if self._state.mode == "one_token":
            self._priors[ROUTES.word], _ = await self._next_token("", ROUTES)

    async def route(self, query: str) -> LlmAnswer:
        return await self._answer(query, ROUTES)

    async def choose(self, query: str, options: Sequence[Option]) -> LlmAnswer:
        return await self._answer(query, choice_classes(options))

    async def _answer(self, query: str, classes: Classes) -> LlmAnswer:
        if not self._state.is_ready or self._state.mode is None:
            raise LlmColdError(self._state.sentence)
        return await MODES[self._state.mode].ask(self, query, classes)

    async def _ask_one_token(self, query: str, classes: Classes) -> LlmAnswer:
        scores, reply = await self._next_token(query, classes)
        probabilities = distribution(scores, self._priors.get(classes.word), classes)
        return answer_from_distribution(probabilities, "one_token", one_token_prompt(query, classes), reply)

    async def _ask_decision(self, query: str, classes: Classes) -> LlmAnswer:
        probabilities, reply = await self._decide(query, classes)
        return answer_from_distribution(probabilities, "decision", quoted(query), reply)

    async def _ask_json(self, query: str, classes: Classes) -> LlmAnswer:
        reply, prompt = await self._object(query, classes), json_prompt(query, classes)
        try:
            return answer_from_json(reply, prompt, classes)
        except LlmUnreadableError as error:
            raise error.about(prompt, reply[:LONGEST_REPLY]) from None

    async def _next_token(self, query: str, classes: Classes) -> tuple[dict[str, float], str]:
        """Return the log-probability of each label as the next token, and the raw listing."""
        prompt = one_token_prompt(query, classes)
        answer = await self._generate(prompt, raw=True, logprobs=True, top_logprobs=TOP_TOKENS, num_predict=1)
        listed = (answer.logprobs[0].top_logprobs or ())[:TOP_TOKENS] if answer.logprobs else None
        if not listed:
            sentence = "The server gives no probabilities of tokens; it may be too old."
            raise LlmUnreadableError(sentence).about(prompt, str(answer.response))
        tokens = [(found.token, found.logprob) for found in listed]
        reply = "\n".join(f"{token!r} {logprob:.3f}" for token, logprob in tokens)
        try:
            return label_scores(tokens, classes), reply
        except LlmUnreadableError as error:
            raise error.about(prompt, reply) from None

    async def _object(self, query: str, classes: Classes) -> str:
        """Return the JSON object of the answer, as text."""
        prompt = json_prompt(query, classes)
        answer = await self._generate(prompt, format=dict(classes.schema), num_predict=DETAIL_TOKENS)
        if answer.done_reason == "length":
            raise LlmUnreadableError("The answer was cut short by its length.").about(prompt, str(answer.response))
        return str(answer.response)

    async def _decide(self, query: str, classes: Classes) -> tuple[dict[str, float], str]:
        question = {"type": "choice", "instructions": classes.decision, "criteria": dict(classes.meanings)}
        settings = self._settings
        found = await self._awaited(
            self._client.systemone(settings.model, quoted(query), {"intent": question}, keep_alive=settings.keep_alive)
        )
        chosen = found.answers.get("intent")
        if not isinstance(chosen, ollama.SystemOneChoiceAnswer):
            raise LlmUnreadableError("The server's decision is not a choice.")
        return shares(chosen.probabilities, classes), str(chosen.probabilities)

    async def _generate(self, prompt: str, *, num_predict: int, **how: Any) -> ollama.GenerateResponse:
        """Generate an answer without thinking, which would use up its tokens."""
        options = {"temperature": 0, "num_predict": num_predict, "num_ctx": self._settings.context_length}

        async def ask(may_think: bool | None) -> ollama.GenerateResponse:
            asked = self._client.generate(
                self._settings.model, prompt, options=options, keep_alive=self._settings.keep_alive,
                think=may_think, **how,
            )  # fmt: skip
            try:
                return await self._awaited(asked)
            except LlmError as error:
                raise error.about(prompt, "") from error.__cause__

        told = self._may_think
        try:
            found = await ask(told)
        except LlmError as error:
            if told is None or "think" not in str(error.__cause__):
                raise
            self._may_think = None  # the server rejects the option
            found = await ask(None)
        if self._may_think is None and is_thought(found):  # a server that does not report which models think
            with suppress(LlmError):
                found = await ask(False)
                self._may_think = False
        if is_thought(found):
            sentence = (
                f"{self._settings.model} thinks before it answers and cannot be told not to: its thoughts took all the "
                "room of the answer. Choose a model that does not think (llm.model)."
            )
            raise LlmUnreadableError(sentence).about(prompt, str(found.thinking or found.response)[:LONGEST_REPLY])
        return found

    # ---- Server

    async def version(self) -> str:
        """Return the server's version; raises LlmUnreachableError without an answer."""
        # The official client has no call for this.
        found = await self._awaited(self._client._client.get("/api/version"))
        return version_in(found, self._settings.url)

    async def models(self) -> list[str]:
        return [found.model for found in (await self._awaited(self._client.list())).models if found.model]

    async def is_loaded(self) -> bool:
        loaded = await self._awaited(self._client.ps())
        names = [name for found in loaded.models for name in (found.model, found.name) if name]
        return any(same_model(self._settings.model, name) for name in names)

    async def pull(self, model: str) -> AsyncGenerator[tuple[str, int, int], None]:
        try:
            async for step in await self._client.pull(model, stream=True):
                yield step.status or "", step.completed or 0, step.total or 0
        except FAILURES as error:
            raise known(error, self._settings) from error

    async def close(self) -> None:
        if self._made is not None:
            await self._made.close()  # type: ignore[no-untyped-call]

    # ---- Errors

    async def _awaited(self, call: Awaitable[Result]) -> Result:
        """Await a request; failures become LlmError."""
        try:
            return await call
        except FAILURES as error:
            raise known(error, self._settings) from error


@dataclass(frozen=True, slots=True)
class Mode:
    """Request mode: its preparation, which also tests it, and its request."""

    prepare: Callable[[OllamaClient], Awaitable[object]]
    ask: Callable[[OllamaClient, str, Classes], Awaitable[LlmAnswer]]


MODES: Mapping[str, Mode] = {
    "decision": Mode(lambda client: client._decide("warm-up", TYPES), OllamaClient._ask_decision),
    "one_token": Mode(OllamaClient._prepare_one_token, OllamaClient._ask_one_token),
    "json": Mode(lambda client: client._object("warm-up", TYPES), OllamaClient._ask_json),
}
"""Modes in the order that `auto` tries them (S4.1)."""


# ---- Connection to Ollama: limits of time and size, and messages for failures (S4.5, S4.7).


WARM_UP_SECONDS = 120.0
"""Time-out of loading a model in seconds."""

REQUEST_SECONDS = WARM_UP_SECONDS
"""Time-out of any request in seconds; a query's budget in the settings is much shorter."""

CONNECT_SECONDS = 2.0

PULL, EMBED, VERSION = "/api/pull", "/api/embed", "/api/version"

READ_SECONDS: Mapping[str, float] = {
    VERSION: 2.0,
    "/api/show": 5.0,
    "/api/ps": 5.0,
    "/api/tags": 5.0,
    EMBED: 60.0,
    PULL: 600.0,
}
"""Time-outs of answers in seconds, and of silence during a pull; else REQUEST_SECONDS.

A cold server loads the model before it embeds.
"""

LONGEST_ANSWER = 1_000_000
"""Maximum size in bytes of an answer, or of a line of a pull's progress."""

LONGEST_TOLD = 10_000
"""Number of leading bytes in which an error message is looked for."""

LONGEST_VECTORS = 16_000_000
"""Maximum size in bytes of an answer with a batch of vectors: 64 of 8,000 numbers."""


FAILURES = (
    *(ollama.ResponseError, httpx.HTTPError, httpx.InvalidURL, ConnectionError),
    *(ValueError, TypeError, RecursionError),
)
"""Exceptions of a request; the last are for JSON that is no object or is nested too deep."""

ENDPOINTS = re.compile(
    r"/(?:v1(?:/(?:chat/completions|completions|embeddings|models|responses|messages))?"
    r"|api(?:/(?:generate|chat|embed|embeddings|tags|show|ps|version|pull))?)/*$",
    re.IGNORECASE,
)
"""Path suffixes of addresses for other clients; Ollama's own adds them itself."""

ANYWHERE: Mapping[str, str] = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}
"""Listening addresses, and the address at which clients reach each.

Some systems cannot connect to a listening address such as 0.0.0.0.
"""


def server_address(url: str) -> tuple[str, str]:
    """Return the server's base address, and the suffix removed, such as "/v1"."""
    cut = ENDPOINTS.search(url)
    own = url[: cut.start()] if cut else url
    parts = urlsplit(own if "://" in own else f"//{own}")
    if (here := ANYWHERE.get(parts.hostname or "")) is not None:
        own = own.replace(parts.netloc, here if parts.port is None else f"{here}:{parts.port}", 1)
    return own, cut[0].rstrip("/") if cut else ""


def client_of(url: str) -> ollama.AsyncClient:
    """Make the official client with these limits; raises ValueError, httpx.InvalidURL."""
    key = remember_sent(api_key(os.environ))
    client = ollama.AsyncClient(
        host=server_address(url)[0] or f"http://127.0.0.1:{OLLAMA_PORT}",
        timeout=httpx.Timeout(REQUEST_SECONDS, connect=CONNECT_SECONDS),
        headers={"authorization": f"Bearer {key}"},
        trust_env=False,
        follow_redirects=False,  # nothing is sent to an address that the user did not set
        transport=BoundedTransport(bound_of),
        event_hooks={"response": [_raise_reported_error]},
    )
    if not key:
        del client._client.headers["authorization"]  # set first so that the client takes none from the environment
    return client


async def _raise_reported_error(response: httpx.Response) -> None:
    """Raise for an error in an answer or for a redirect, except in a request for the version."""
    path = response.request.url.path
    if response.has_redirect_location:
        raise ollama.ResponseError(response.headers["location"], response.status_code)
    if path.endswith(VERSION if response.is_error else PULL):
        return
    content = await response.aread()
    document: Any = None
    if response.is_error or b'"error"' in content[:LONGEST_TOLD]:
        with suppress(ValueError, RecursionError):
            document = json.loads(content)
    words = document.get("error") if isinstance(document, dict) else None
    if isinstance(words, dict):
        words = words.get("message")
    if words or response.is_error:
        error = ollama.ResponseError("", response.status_code)  # otherwise it would parse the message as JSON
        error.error = str(words) if words else response.text
        raise error


def bound_of(request: httpx.Request) -> Bound:
    """Return the limits of a request's answer."""
    path = request.url.path
    seconds = next((seconds for end, seconds in READ_SECONDS.items() if path.endswith(end)), REQUEST_SECONDS)
    if path.endswith(PULL):
        return Bound(LONGEST_ANSWER, silence=seconds, by_line=True)
    return Bound(LONGEST_VECTORS if path.endswith(EMBED) else LONGEST_ANSWER, seconds)


def short(text: str) -> str:
    """Cut a text to 200 printable characters on one line, without sent secrets and a full stop."""
    return shown(without_sent(text), 200).rstrip(".")


def version_in(answer: httpx.Response, url: str) -> str:
    """Return the version in an answer; raises LlmError if it is not from Ollama."""
    if answer.status_code in KEYLESS:
        raise LlmError(wants_key(answer.status_code))
    try:
        return short(str(answer.raise_for_status().json()["version"]))
    except (httpx.HTTPStatusError, ValueError, RecursionError, KeyError, TypeError) as error:
        raise LlmError(f"The server at {url} is not an Ollama server.") from error


KEYLESS = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


def wants_key(status: int) -> str:
    """Return the sentence for a server that requires a key, or another one."""
    if api_key(os.environ):
        return f"The server refuses the key ({status}): correct the variable {OLLAMA_API_KEY}."
    return f"The server wants a key ({status}): put it into the variable {OLLAMA_API_KEY}."


def is_thought(answer: ollama.GenerateResponse) -> bool:
    """Return whether an answer holds only thoughts."""
    said = (answer.response or "").lstrip()
    return (bool(answer.thinking) and not said) or (said.startswith("<think>") and "</think>" not in said)


def untrusted(error: Exception, address: str) -> str:
    """Return the sentence for a certificate that is refused; "" for other errors."""
    found = re.search(r"CERTIFICATE_VERIFY_FAILED.*failed: (.*?)(?: \(_ssl|$)", f"{error.__context__ or error}")
    return f"The certificate of {address} is not trusted: {short(found[1])}." if found else ""


def known(error: Exception, settings: LlmSettings) -> LlmError:
    """Convert an exception of the client or httpx to an LlmError for the user."""
    address = settings.url or "the default address"
    if isinstance(error, ollama.ResponseError):
        if error.status_code in KEYLESS:
            return LlmError(wants_key(error.status_code))
        if error.status_code == HTTPStatus.OK:
            return LlmError(f"The server answered: {short(error.error)}.")
        if error.status_code == HTTPStatus.NOT_FOUND:
            return LlmModelMissingError(f"{settings.model} is not on the server. Choose another or pull it.")
        if HTTPStatus.MULTIPLE_CHOICES < error.status_code < HTTPStatus.BAD_REQUEST and error.error:
            return LlmError(f"{address} redirects to {short(error.error)}: set that address if it is yours.")
        return LlmError(f"The server answered {error.status_code}: {short(error.error) or 'nothing'}.")
    if isinstance(error, ConnectionError | httpx.ConnectError | httpx.ConnectTimeout | httpx.InvalidURL):
        return LlmUnreachableError(untrusted(error, address) or f"No answer from {address}.")
    if isinstance(error, httpx.TimeoutException):
        return LlmError(f"The server did not finish within {bound_of(error.request).within:.0f} s.")
    if isinstance(error, httpx.DecodingError):
        return LlmUnreadableError(f"What {address} answers is not read: {error}.")
    if isinstance(error, httpx.HTTPError):
        return LlmDisconnectedError(f"The connection broke: {short(str(error)) or type(error).__name__}.")
    return LlmUnreadableError(f"The server at {address} does not answer as Ollama does: correct llm.url, or update it.")
