"""A profile opened for one command, and closed again."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from app.commands.output import output, visible_here


def choices_of(options: argparse.Namespace) -> Any:
    from app.settings.model import Choices

    pairs = tuple(getattr(options, "pairs", ()))
    if getattr(options, "no_llm", False):
        pairs += ("search_intent.use_llm=false", "route.use_llm=false")
    return Choices(getattr(options, "profile", None), getattr(options, "settings", None), pairs)


def with_workbench(
    options: argparse.Namespace,
    work: Callable[[Any, TextIO], Coroutine[Any, Any, int]],
    *,
    wait: bool,
    encoder: bool = True,
    llm: bool = False,
    private: bool = False,
    reads: bool = False,
    vectors: bool = True,
) -> int:
    """Do the work on the opened profile. With `reads` it is work that keeps nothing that was asked for, so a profile
    that cannot be written will do. Without `vectors` none are made."""
    import asyncio

    from app.bootstrap import make_workbench
    from app.surfaces.cli.terminal import opened

    async def run() -> int:
        with output(options, private=private) as out:
            desk = make_workbench(choices_of(options), say if reads else None)
            if not vectors:
                desk.make_no_vectors()
            async with opened(desk, wait=wait, encoder=encoder, llm=llm) as workbench:
                return await work(workbench, out)

    return asyncio.run(run())


@contextmanager
def interruptible() -> Iterator[None]:
    """Let the first Ctrl+C end long work that never awaits, such as parsing a large file.

    While a coroutine runs, asyncio takes Ctrl+C for the wish to cancel it at its next `await`, which may be minutes
    away.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def say(sentence: str) -> None:
    """A sentence to who called the command, beside its output."""
    print(visible_here(sentence), file=sys.stderr)


def wants_json(options: argparse.Namespace) -> bool:
    return bool(getattr(options, "json", False))
