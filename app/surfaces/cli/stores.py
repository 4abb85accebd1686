"""Command `stores`: states of data stores, filling one after confirmation, its password."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from typing import TextIO

from app.display.routing.store_evaluation import store_evaluation_document, store_evaluation_lines
from app.display.routing.stores import fill_question, source_lines, sources_document, states_document, states_lines
from app.display.visible import visible_lines
from app.domain.case import Case
from app.domain.errors import FormatError, KnownError
from app.domain.library import Line, Problem
from app.services.library.import_export import ImportValidator
from app.services.routing.store_evaluation import StoreEvaluation, can_be_evaluated, evaluate_stores
from app.services.workbench import Workbench
from app.surfaces.cli.terminal import Progress, write_result


async def print_states(workbench: Workbench, out: TextIO, *, as_json: bool) -> None:
    """Print the state of each store."""
    states = await workbench.stores.states()
    write_result(out, {"stores": states_document(states)}, states_lines(states), as_json=as_json)


async def print_sources(workbench: Workbench, name: str, out: TextIO, *, as_json: bool) -> None:
    """Print the sources on a server, with the setting that selects each; raises KnownError."""
    sources = await workbench.stores.sources(name)
    write_result(out, {"sources": sources_document(name, sources)}, source_lines(name, sources), as_json=as_json)


async def fill(workbench: Workbench, name: str, *, agreed: bool) -> bool:
    """Fill a store after confirmation of the exact statements; False if declined.

    Raises KnownError.
    """
    setup = await workbench.stores.setup(name)
    if not agreed and not await _agrees("\n\n".join(filter(None, (fill_question(name, setup), setup)))):
        return False
    progress = Progress("filling")
    async for done, whole in workbench.stores.fill(name):
        progress(done, whole)
    progress.done()
    return True


async def judge(workbench: Workbench, lines: Iterable[Line[Case] | Problem], out: TextIO, *, as_json: bool) -> None:
    """Evaluate the stores on the labelled queries of a file. Raises FormatError, KnownError."""
    sieve = ImportValidator(lines)
    cases = [case for case in sieve if can_be_evaluated(case)]
    if not cases:
        raise FormatError("The file has no case that expects a memory, a power or an intent.")
    progress, found = Progress("judging"), StoreEvaluation(0, 0)
    async for found in evaluate_stores(workbench.stores, cases):
        progress(found.done, found.whole)
    progress.done()
    write_result(out, store_evaluation_document(found), store_evaluation_lines(found), as_json=as_json)


async def _agrees(question: str) -> bool:
    print(visible_lines(question), file=sys.stderr)
    if not sys.stdin.isatty():
        raise KnownError("No terminal to confirm in. After reading the above, add --yes.")
    print("Fill? [y/N] ", end="", file=sys.stderr, flush=True)
    answer = (await asyncio.to_thread(sys.stdin.readline)).strip().casefold()
    return answer in {"y", "yes"}


async def keep_password(workbench: Workbench, name: str) -> None:
    """Store the password from a hidden prompt or stdin; an empty one deletes it.

    Raises KnownError.
    """
    from getpass import getpass

    if sys.stdin.isatty():
        password = await asyncio.to_thread(getpass, f"Password of {name}: ")
    else:
        password = (await asyncio.to_thread(sys.stdin.readline)).rstrip("\r\n")
    await workbench.stores.keep_password(name, password)
