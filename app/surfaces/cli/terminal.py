"""Query commands on an open workbench, for one query or a stream."""

from __future__ import annotations

import asyncio
import codecs
import io
import os
import stat
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from threading import Semaphore, Thread
from typing import Any, BinaryIO, Self, TypeVar

from app.detect.resolve import with_activation
from app.display.documents import detection_document, full_inspection_document, resolution_document
from app.display.scope.contributions import word_lines, words_document
from app.display.scope.surfacing import surfaced_document, surfacing_document
from app.display.scope.text import as_text, intent_lines, resolution_lines
from app.display.words import visible, visible_lines
from app.domain.errors import KnownError
from app.domain.inspection import Inspection, Resolution
from app.domain.library import Line, Problem
from app.domain.match import Tier
from app.domain.running import Activation
from app.services.status import FIT, Status
from app.services.workbench import Workbench
from app.settings.model import Settings
from app.surfaces.cli.output import Printer, is_confirmed, retry_while_locked

Document = dict[str, Any]

T = TypeVar("T")

PROGRESS_AFTER_SECONDS = 1.0
"""Delay in seconds before long work is reported once without a terminal."""


@dataclass(frozen=True, slots=True)
class QueryCommand:
    """Command that answers one query: its document, and its text for people."""

    document: Callable[[Inspection, Settings], Document]
    text: Callable[[Inspection, Settings], str]
    is_whole: bool = False
    """True if everything is printed, including surfaced memories."""
    has_route: bool = False
    """True if a route is part of the answer; otherwise none is decided or asked for."""


def _resolution(inspection: Inspection, settings: Settings) -> Document:
    found: Resolution | None = inspection.resolution
    if found is None:
        return {"status": "not_found", "query": inspection.query.text, "available_powers": [], "message": "No query."}
    return resolution_document(found)


QUESTIONS: dict[str, QueryCommand] = {
    "inspect": QueryCommand(full_inspection_document, as_text, is_whole=True, has_route=True),
    "detect": QueryCommand(
        lambda found, settings: detection_document(found),
        lambda found, settings: "\n".join(intent_lines(found, settings)),
    ),
    "resolve": QueryCommand(_resolution, lambda found, settings: "\n".join(resolution_lines(found, settings))),
}
"""Commands that take TEXT or --stdin."""


def warnings_of(status: Status, *, uses_fit: bool) -> list[str]:
    """Return the sentences for a command's stderr, without a note on a fit that it does not use."""
    fit = None if uses_fit else status.notes.get(FIT)
    return [visible(sentence) for sentence in status.warnings if sentence != fit]


@asynccontextmanager
async def opened(
    workbench: Workbench, *, wait: bool, encoder: bool = True, llm: bool = False, uses_fit: bool = True
) -> AsyncIterator[Workbench]:
    """Open the workbench and, with `wait`, compute every vector; raises StoreError.

    A failed encoder is reported on stderr; the lexical scorers decide then.
    """
    await workbench.open(encoder=encoder, llm=llm, watch=False)
    try:
        workbench.library  # noqa: B018  (StoreError if it could not be opened)
        if wait:
            await wait_until_ready(workbench)
        for sentence in warnings_of(workbench.status(), uses_fit=uses_fit):
            print(sentence, file=sys.stderr)
        yield workbench
    finally:
        await workbench.close()


async def wait_until_ready(workbench: Workbench) -> None:
    """Wait until answers are complete, with progress on stderr."""
    told = "Computing vectors for {n} texts; this takes {time} more."
    fits = "Fitting the learned score; this takes {time} more."
    with Progress("embedding", told) as embedding, Progress("calibrating", fits) as calibrating:

        def fitted(done: int, total: int) -> None:
            embedding.done()
            calibrating(done, total)

        await workbench.ready(embedding, fitted)


async def last_of(steps: AsyncGenerator[float | T, None], progress: Progress) -> T:
    """Show the progress of steps from 0 to 1, and return the result that follows them."""
    async with aclosing(steps):
        async for step in steps:
            if not isinstance(step, float):
                return step
            progress(round(100 * step), 100)
    raise AssertionError("steps that are not cancelled end with a result")


async def agrees(question: str, verb: str, otherwise: str) -> bool:
    """Show a question and ask for a yes; raises KnownError without a terminal, with the option to use."""
    print(visible_lines(question), file=sys.stderr)
    if not sys.stdin.isatty():
        raise KnownError(f"No terminal to confirm in. After reading the above, add {otherwise}")
    return await asyncio.to_thread(is_confirmed, f"{verb}?")


class Progress:
    """Progress line on stderr, updated in place.

    Without a terminal it is silent, or prints `once` for long work, with {n} the number of items and {time} an
    estimate.
    """

    def __init__(self, verb: str, once: str = "") -> None:
        self._verb, self._once = verb, once
        self._shown = False
        self._begun: tuple[float, int] | None = None

    def __call__(self, done: int, total: int) -> None:
        if not total:
            return
        if sys.stderr.isatty():
            print("\r" + f"{self._verb} {done:,} of {total:,} ", end="", file=sys.stderr, flush=True)
            self._shown = True
        elif self._once:
            now = time.monotonic()
            since, before = self._begun = self._begun or (now, done)
            if now - since >= PROGRESS_AFTER_SECONDS and done > before:
                left = (now - since) * (total - done) / (done - before)
                print(self._once.format(n=f"{total:,}", time=about(left)), file=sys.stderr, flush=True)
                self._once = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.done()

    def done(self) -> None:
        if self._shown:
            print(file=sys.stderr)
            self._shown = False


def about(seconds: float) -> str:
    """Format a rough duration in words."""
    if seconds >= 5400:
        return f"about {seconds / 3600:,.0f} hours"
    if seconds >= 90:
        return f"about {seconds / 60:,.0f} minutes"
    return f"about {seconds:,.0f} seconds" if seconds >= 1.5 else "about a second"


async def answer(
    workbench: Workbench,
    verb: str,
    queries: Iterable[str],
    out: Printer,
    *,
    start: bool = False,
    keep: bool = False,
    ahead: bool = False,
    word_counts: bool = False,
    late: bool = False,
) -> None:
    """Answer each query with one document or block of lines, as it comes.

    `start` starts an activated power, if approved (S5.5), until the last answer; `late` waits for late LLM answers;
    `keep` records the answers as those of a log; `ahead` reads some queries at a time.
    """
    question = QUESTIONS[verb]
    log = AnswerLog(workbench, out, keep=keep, ahead=ahead)
    async with AsyncExitStack() as ends:
        if start:
            ends.push_async_callback(workbench.gateway.stop_all)
        ends.push_async_callback(log.done)
        answers = workbench.answer_each(queries, ahead=ahead, late=late, route=question.has_route)
        async for inspection in await ends.enter_async_context(aclosing(answers)):
            found = await _started(workbench, inspection) if start else inspection
            try:
                await write_answer(workbench, question, found, out, word_counts=word_counts)
            finally:
                await log.take(found)


async def write_answer(
    workbench: Workbench, question: QueryCommand, inspection: Inspection, out: Printer, *, word_counts: bool = False
) -> None:
    """Write one document, or one block of lines, with `word_counts` also the importance of each word."""
    counts = await workbench.ablate_words(inspection) if word_counts else None
    if out.as_json:
        more: Document = {}
        if question.is_whole:
            surfaced = await workbench.surface(inspection)
            more = {"surfaced": surfaced_document(surfaced), "surfacing": surfacing_document(surfaced)}
        if counts is not None:
            more["without_words"] = words_document(counts)
        out.write({**question.document(inspection, workbench.settings), **more}, ())
    else:
        out.print(question.text(inspection, workbench.settings))
        if counts is not None:
            out.print("\n".join(map(visible, word_lines(counts))))
    out.file.flush()


async def _started(workbench: Workbench, inspection: Inspection) -> Inspection:
    """Start the activated power, or note why not; stop servers that were idle too long."""
    workbench.gateway.begin_turn()
    resolution = inspection.resolution
    if resolution is None or resolution.status is not Tier.ACTIVATED:
        return inspection
    power = resolution.matches[0].power
    try:
        activation = await workbench.gateway.activate(power.name)
    except KnownError as error:
        activation = Activation(power, False, reason=str(error))
    return replace(inspection, resolution=with_activation(resolution, activation))


class VisibleStream(io.RawIOBase):
    """Terminal as a binary UTF-8 stream; control characters are made visible."""

    def __init__(self, terminal: BinaryIO) -> None:
        super().__init__()
        self._terminal = terminal
        self._decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8")("replace"), translate=True)

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        text = self._decoder.decode(bytes(content))
        self._terminal.write("\t".join(map(visible_lines, text.split("\t"))).encode())
        return len(content)


UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def lines_of(stream: BinaryIO) -> Iterable[str]:
    """Yield the lines of a binary stream as queries, with invalid UTF-8 replaced.

    Line ends and a UTF-8 mark are dropped, blank lines are kept. Raises KnownError for UTF-16.
    """
    for number, line in enumerate(stream):
        if number == 0 and (line[:2] in UTF_16 or b"\0" in line[:2]):
            raise KnownError("The queries of --stdin are in UTF-16: send them as UTF-8.")
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        yield text if number else text.removeprefix("\ufeff")


# ---- Streams of queries: answered one by one, counted on stderr, and stored on demand.


KEPT_AT_ONCE = 100
"""Batch size of storing answers."""

PROGRESS_SECONDS = 0.2


def queries_of(found: Iterable[Line[str] | Problem]) -> Iterator[str]:
    """Yield the queries of a log; report lines without one on stderr, by number."""
    for one in found:
        if isinstance(one, Problem):
            print(visible(f"line {one.line:,}: {one.sentence}"), file=sys.stderr)
        else:
            yield one.value


def is_file(stream: BinaryIO) -> bool:
    """Check if the stream is a file, so that nobody waits for an answer before the next line."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:
        return False


class AnswerLog:
    """Stores answers as Source.LOG in batches, with a count on stderr unless answers go there."""

    def __init__(self, workbench: Workbench, out: Printer, *, keep: bool, ahead: bool) -> None:
        if keep and workbench.settings.history.privacy == "off":
            raise KnownError("Nothing is kept of queries (history.privacy: off): leave --keep out, or set it to full.")
        self._workbench = workbench
        self._keep = keep
        self._at_once = KEPT_AT_ONCE if ahead else 1
        self._held: list[Inspection] = []
        self._is_reported = sys.stderr.isatty() and not out.file.isatty()
        self._begun = self._reported_at = time.monotonic()
        self._answered = 0

    async def take(self, inspection: Inspection) -> None:
        """Add an answer; raises StoreError if it cannot be stored."""
        self._answered += 1
        if self._keep:
            self._held.append(inspection)
        if len(self._held) >= self._at_once:
            await self._write()
        now = time.monotonic()
        if self._is_reported and now - self._reported_at >= PROGRESS_SECONDS:
            self._reported_at = now
            rate = self._answered / (now - self._begun)
            print("\r" + f"asking {self._answered:,} ({rate:,.0f} a second) ", end="", file=sys.stderr, flush=True)

    async def done(self) -> None:
        if self._reported_at > self._begun:
            print(file=sys.stderr)
        await self._write()

    async def _write(self) -> None:
        held, self._held = self._held, []
        if held:
            await retry_while_locked(partial(self._workbench.history.keep_log, held))


# --------------------------------------------------------------------------------------------------------------------
# Batched lines: those already available are taken together

AT_ONCE = 32
"""Limit of lines per batch."""

MOST_WAITING = 256
"""Limit of lines that are read ahead."""

Read = str | BaseException | None
"""A line, the error of reading, or the end."""


def buffered_stream(stream: BinaryIO) -> BinaryIO:
    """Return the stream with a separate buffer, if it is a system file.

    A thread blocked on a line at exit then holds no lock that the interpreter needs.
    """
    try:
        return os.fdopen(os.dup(stream.fileno()), "rb")
    except OSError:
        return stream


async def batched_lines(lines: Iterable[str]) -> AsyncGenerator[list[str], None]:
    """Yield the lines in batches of at most AT_ONCE; raises OSError, ValueError and KnownError of reading."""
    loop = asyncio.get_running_loop()
    found: asyncio.Queue[Read] = asyncio.Queue()
    room = Semaphore(MOST_WAITING)

    def give(one: Read) -> None:
        # After the end of the loop there is no reader.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(found.put_nowait, one)

    # A daemon thread, since a blocked read must not delay the exit.
    Thread(target=_read, args=(lines, room, give), name="read ahead", daemon=True).start()
    while True:
        one = await found.get()
        some: list[str] = []
        while isinstance(one, str):
            some.append(one)
            room.release()
            if len(some) == AT_ONCE or found.empty():
                break
            one = found.get_nowait()
        if some:
            yield some
        if isinstance(one, BaseException):
            raise one
        if one is None:
            return


def _read(lines: Iterable[str], room: Semaphore, give: Callable[[Read], None]) -> None:
    try:
        for line in lines:
            room.acquire()
            give(line)
    except (OSError, ValueError, KnownError) as error:
        give(error)
    else:
        give(None)
