"""Whether all is in place in a profile, and with `--library` how the library does, printed on the terminal."""

from __future__ import annotations

from functools import partial
from typing import Any, TextIO

from app.display.review import health
from app.display.visible import visible
from app.domain.health import Health
from app.domain.history import PastFilter
from app.ports.store.past import PastUpkeep
from app.services.review.health import look
from app.services.system.checkup import check_up
from app.services.workbench import Workbench
from app.surfaces.cli.terminal import Progress, write_document


async def compact(workbench: Workbench) -> tuple[int, int]:
    """Make the library's file smaller, and say how far it is; its bytes before and after. It can be broken off between
    any two traces, and keeps what is done by then; StoreError."""
    before = await workbench.in_store(lambda library: library.bytes_held())
    # What an importing or a replay adds meanwhile is pressed already.
    last = max(await workbench.in_store(lambda library: library.find_queries(PastFilter())), default=0)
    progress, after = Progress("compacting", "The history is pressed smaller; this may take a minute."), 0
    try:
        while (reached := await workbench.in_store(partial(_press, after=after))) is not None:
            after = reached
            progress(min(after, last), last)
        await workbench.in_store(lambda library: library.give_back())
    finally:
        progress.done()
    return before, await workbench.in_store(lambda library: library.bytes_held())


def _press(library: PastUpkeep, after: int) -> int | None:
    return library.press_traces(after)


async def print_checkup(
    workbench: Workbench, out: TextIO, *, library: bool, as_json: bool, shrunk: tuple[int, int] | None = None
) -> bool:
    """Say what is in place and what is not, and the bytes before and after where the file was `shrunk`; whether all is
    fine, and with `library` no finding is a fault."""
    findings = check_up(workbench)
    found = await _looked(workbench) if library and workbench.status().is_open else None
    if as_json:
        rows = [{"what": f.what, "fine": f.fine, "sentence": f.sentence} for f in findings]
        document: dict[str, Any] = {"fine": all(f.fine for f in findings), "findings": rows}
        if shrunk is not None:
            document["compacted"] = dict(zip(("before", "after"), shrunk, strict=True))
        write_document(out, document if found is None else {**document, "library": health.document(found)})
    else:
        if shrunk is not None:
            print("compacted        from {:,} to {:,} bytes on the disk".format(*shrunk), file=out)
        for finding in findings:
            print(f"{'ok' if finding.fine else 'NOT OK':7}{finding.what:10}{visible(finding.sentence)}", file=out)
        if found is not None:
            print("", *health.lines(found), sep="\n", file=out)
    return all(finding.fine for finding in findings) and not (found is not None and found.has_fault)


async def _looked(workbench: Workbench) -> Health:
    progress, found = Progress("looking", "Looking at the library…"), None
    async for step in look(workbench, workbench.rule_trial, workbench.routing, workbench.gateway):
        if isinstance(step, Health):
            found = step
        else:
            progress(round(100 * step), 100)
    progress.done()
    assert found is not None, "a look that is not broken off ends with what it found"
    return found
