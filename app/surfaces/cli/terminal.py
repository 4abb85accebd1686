"""Query commands on an open workbench: `inspect`, `detect`, `resolve` and `bench`, as documents or text."""

from __future__ import annotations

import codecs
import io
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, TextIO

from app.detect.resolve import with_activation
from app.display.documents import detection_document, full_inspection_document, resolution_document
from app.display.scope.surfacing import surfaced_document, surfacing_document
from app.display.scope.text import as_text, intent_lines, resolution_lines
from app.display.scope.word_importance import word_lines, words_document
from app.display.visible import visible, visible_lines
from app.domain.errors import KnownError
from app.domain.match import Tier
from app.domain.running import Activation
from app.domain.scope.inspection import Inspection
from app.domain.scope.resolution import Resolution
from app.ports.encoder import Vectors
from app.services.workbench import Workbench
from app.settings.model import Settings
from app.surfaces.cli.query_stream import AnswerLog, answer_each

Document = dict[str, Any]

Embed = Callable[[Sequence[str]], Vectors]
Keep = Callable[[str], object]

PROGRESS_AFTER_SECONDS = 1.0
"""Without a terminal, work that takes longer is reported once."""


@dataclass(frozen=True, slots=True)
class Question:
    """A command that answers one query: its document, and its text for people."""

    document: Callable[[Inspection, Settings], Document]
    text: Callable[[Inspection, Settings], str]
    is_whole: bool = False
    """Whether it prints everything, including what would be surfaced."""
    counts_words: bool = False
    """Whether it also prints the importance of each word."""
    waits: bool = False
    """Whether it waits for a late answer of the LLM."""
    has_route: bool = False
    """Whether a route is part of its answer; else none is decided, and the LLM is not asked for one."""


def _resolution(inspection: Inspection, settings: Settings) -> Document:
    found: Resolution | None = inspection.resolution
    if found is None:
        return {
            "status": "not_found",
            "query": inspection.query.text,
            "available_powers": [],
            "message": "No query.",
        }
    return resolution_document(found)


QUESTIONS: dict[str, Question] = {
    "inspect": Question(full_inspection_document, as_text, is_whole=True, has_route=True),
    "detect": Question(
        lambda found, settings: detection_document(found), lambda found, settings: "\n".join(intent_lines(found))
    ),
    "resolve": Question(_resolution, lambda found, settings: "\n".join(resolution_lines(found, settings))),
}
"""The commands that take TEXT or --stdin."""


@asynccontextmanager
async def opened(
    workbench: Workbench, *, wait: bool, encoder: bool = True, llm: bool = False
) -> AsyncIterator[Workbench]:
    """The workbench with its library open and, with `wait`, every vector made; raises what the window would show.

    A failed encoder is no reason to stop: the lexical scorers decide, and stderr says so.
    """
    await workbench.open(encoder=encoder, llm=llm, watch=False)
    try:
        workbench.library  # noqa: B018  (StoreError if it could not be opened)
        if wait:
            await made_ready(workbench)
        for sentence in workbench.status().warnings:
            print(visible(sentence), file=sys.stderr)
        yield workbench
    finally:
        await workbench.close()


async def made_ready(workbench: Workbench) -> None:
    """Wait until answers are complete, with progress on stderr."""
    embedding = Progress("embedding", "Computing vectors for {n} texts; this takes {time} more.")
    calibrating = Progress("calibrating")

    def fitted(done: int, total: int) -> None:
        embedding.done()
        calibrating(done, total)

    try:
        await workbench.ready(embedding, fitted)
    finally:
        embedding.done()
        calibrating.done()


class Progress:
    """A line on stderr that counts up in place. Where stderr is no terminal it is silent, or says `once` what takes
    longer than a moment, with {n} the number of things and {time} an estimate from the pace so far."""

    def __init__(self, verb: str, once: str = "") -> None:
        self._verb, self._once = verb, once
        self._shown = False
        self._begun: tuple[float, int] | None = None

    def __call__(self, done: int, total: int) -> None:
        if not total:
            return
        if sys.stderr.isatty():
            print(
                "\r" + f"{self._verb} {done:,} of {total:,} ",
                end="",
                file=sys.stderr,
                flush=True,
            )
            self._shown = True
        elif self._once:
            now = time.monotonic()
            since, before = self._begun = self._begun or (now, done)
            if now - since >= PROGRESS_AFTER_SECONDS and done > before:
                left = (now - since) * (total - done) / (done - before)
                print(self._once.format(n=f"{total:,}", time=about(left)), file=sys.stderr, flush=True)
                self._once = ""

    def done(self) -> None:
        if self._shown:
            print(file=sys.stderr)
            self._shown = False


def about(seconds: float) -> str:
    """A rough duration in words."""
    if seconds >= 5400:
        return f"about {seconds / 3600:,.0f} hours"
    if seconds >= 90:
        return f"about {seconds / 60:,.0f} minutes"
    return f"about {seconds:,.0f} seconds" if seconds >= 1.5 else "about a second"


async def answer(
    workbench: Workbench,
    verb: str,
    queries: Iterable[str],
    out: TextIO,
    *,
    as_json: bool,
    start: bool = False,
    keep: bool = False,
    ahead: bool = False,
    word_counts: bool = False,
    late: bool = False,
) -> None:
    """Answer each query with one document or one block of lines, as it comes.

    With `start`, a power that is activated is started, if a person approved it (S5.5), and runs until the last answer.
    With `late` the LLM is waited for beyond its budget. With `keep` the answers go into the history as those of a log;
    with `ahead` queries are read some at a time.
    """
    asked_for = replace(QUESTIONS[verb], counts_words=word_counts, waits=late)
    log = AnswerLog(workbench, out, keep=keep, ahead=ahead)
    try:
        await _answered(workbench, asked_for, queries, out, log, as_json=as_json, start=start)
    finally:
        if start:
            await workbench.gateway.stop_all()


async def _answered(
    workbench: Workbench,
    question: Question,
    queries: Iterable[str],
    out: TextIO,
    log: AnswerLog,
    *,
    as_json: bool,
    start: bool,
) -> None:
    try:
        how = {"ahead": log.ahead, "late": question.waits, "route": question.has_route}
        async with aclosing(answer_each(workbench, queries, **how)) as answers:
            async for inspection in answers:
                found = await _started(workbench, inspection) if start else inspection
                await write_answer(workbench, question, found, out, as_json=as_json)
                await log.take(found)
    finally:
        await log.done()


async def write_answer(
    workbench: Workbench, question: Question, inspection: Inspection, out: TextIO, *, as_json: bool
) -> None:
    """One document, or one block of lines."""
    counts = await workbench.ablate_words(inspection) if question.counts_words else None
    if as_json:
        more: Document = {}
        if question.is_whole:
            surfaced = await workbench.surface(inspection)
            more = {"surfaced": surfaced_document(surfaced), "surfacing": surfacing_document(surfaced)}
        if counts is not None:
            more["without_words"] = words_document(counts)
        write_document(out, {**question.document(inspection, workbench.settings), **more})
    else:
        print(question.text(inspection, workbench.settings), file=out)
        if counts is not None:
            print("\n".join(map(visible, word_lines(counts))), file=out)
    out.flush()


async def _started(workbench: Workbench, inspection: Inspection) -> Inspection:
    """The inspection with its activated power started, or the reason why it is not; servers that no query used for as
    many turns as the settings say are stopped."""
    workbench.gateway.turn()
    resolution = inspection.resolution
    if resolution is None or resolution.status is not Tier.ACTIVATED:
        return inspection
    power = resolution.matches[0].power
    try:
        activation = await workbench.gateway.activate(power.name)
    except KnownError as error:
        activation = Activation(power, False, reason=str(error))
    return replace(inspection, resolution=with_activation(resolution, activation))


def write_document(out: TextIO, document: Document) -> None:
    """One JSON document on a line of its own; text that no encoding can hold is escaped."""
    print(json.dumps(document, ensure_ascii=True, allow_nan=False), file=out)


class VisibleStream(io.RawIOBase):
    """A terminal as a binary stream for tables and documents in UTF-8: characters that would steer it are shown."""

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


def lines_of(stream: BinaryIO) -> Iterable[str]:
    """The lines of a binary stream as queries: UTF-8, wrong bytes replaced, line ends dropped, blank lines kept."""
    for line in stream:
        yield line.decode("utf-8", "replace").rstrip("\r\n")


def bench_sizes(
    sizes: Sequence[int], out: TextIO, *, as_json: bool, keep: Keep | None = None, embed: Embed | None = None
) -> None:
    """Measure keystrokes over made-up libraries of these sizes, and beside them what `embed` takes for a query; `keep`
    is given the SVG picture of them."""
    from app.services.evaluation.benchmark.bench import bench
    from app.services.evaluation.benchmark.bench import report as bench_report

    measured = bench(sizes, embed=embed)
    if keep is not None:
        from app.services.evaluation.benchmark.bench_plot import svg

        keep(svg(measured))
    if as_json:
        write_document(out, measured)
    else:
        print(bench_report(measured), file=out)
