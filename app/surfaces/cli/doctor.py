"""Commands `doctor`, `encoders` and `metrics`: checks, encoders, use by assistants."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from app.display.evaluation.comparison import encoder_gain_document, encoder_gain_sentence
from app.display.review import health
from app.display.routing.metrics import metrics_document, metrics_lines
from app.display.system.metrics import usage_document, usage_lines
from app.display.system.models import KINDS, costs
from app.display.words import visible
from app.domain.documents import fields_of
from app.domain.encoder import EncoderFacts
from app.domain.history import HistoryFilter
from app.ports.store import HistoryMaintenance
from app.services.review.health import check_health
from app.services.system.checkup import check_up
from app.services.workbench import Workbench
from app.settings.sections import EncoderSettings
from app.surfaces.cli.output import Printer
from app.surfaces.cli.terminal import Progress, last_of


async def compact(workbench: Workbench) -> tuple[int, int]:
    """Compact the library's file, with progress on stderr; return its size before and after.

    Cancellable between two traces; raises StoreError.
    """
    before = await workbench.in_store(lambda library: library.size_bytes())
    # Entries added meanwhile are already compressed.
    last = max(await workbench.in_store(lambda library: library.find_queries(HistoryFilter())), default=0)
    after = 0
    with Progress("compacting", "The history is pressed smaller; this may take a minute.") as progress:
        while (reached := await workbench.in_store(partial(_compress_traces, after=after))) is not None:
            after = reached
            progress(min(after, last), last)
        await workbench.in_store(lambda library: library.reclaim_space())
    return before, await workbench.in_store(lambda library: library.size_bytes())


def _compress_traces(library: HistoryMaintenance, after: int) -> int | None:
    return library.compress_traces(after)


async def print_checkup(
    workbench: Workbench,
    out: Printer,
    *,
    library: bool,
    compacted: tuple[int, int] | None = None,
    removed: Sequence[Path] = (),
) -> bool:
    """Print the check of the profile; return True if all is well.

    With `library` a finding that is a fault counts, too. `compacted` are the sizes before and after, `removed` the
    leftovers of killed programs.
    """
    await workbench.learning.recall()
    findings = check_up(workbench)
    found = None
    if library and workbench.status().is_open:
        parts = workbench.rule_edits, workbench.rule_trial, workbench.intents, workbench.routing, workbench.gateway
        with Progress("looking", "Checking the library…") as progress:
            found = await last_of(check_health(workbench, *parts), progress)
    is_fine = all(f.fine for f in findings)
    document: dict[str, Any] = {"fine": is_fine, "findings": [asdict(f) for f in findings]}
    lines: list[str] = []
    if compacted is not None:
        document["compacted"] = dict(zip(("before", "after"), compacted, strict=True))
        lines.append("compacted        from {:,} to {:,} bytes on the disk".format(*compacted))
    if removed:
        document["removed"] = [str(path) for path in removed]
    lines += [f"removed          {visible(str(path))}, which a killed program had left" for path in removed]
    lines += [f"{'ok' if f.fine else 'NOT OK':7}{f.what:10}{visible(f.sentence)}" for f in findings]
    if found is not None:
        document["library"] = health.health_document(found)
        lines += ["", *health.health_lines(found)]
    out.write(document, lines)
    return is_fine and not (found is not None and found.has_fault)


# ---- Encoders at the terminal: cost or missing parts, and installation.


async def print_encoders(workbench: Workbench, out: Printer) -> None:
    """Print each encoder with its cost, or why it is unavailable; the current one is marked."""
    now = workbench.settings.encoder
    rows: list[tuple[EncoderSettings, EncoderFacts]] = []
    for name in KINDS:
        chosen = now if name == now.name else EncoderSettings.model_validate({"name": name})
        rows.append((chosen, await workbench.encoders.facts(chosen)))
    documents = [
        {
            "name": chosen.name,
            "model": chosen.model,
            "is_set": chosen is now,
            **fields_of(facts, "bytes_on_disk", "is_offline", "fault"),
            "can_be_installed": facts.remedy == "install",
        }
        for chosen, facts in rows
    ]
    lines: list[str] = []
    for chosen, facts in rows:
        lines.append(f"{'*' if chosen is now else ' '} {chosen.name:22}{KINDS[chosen.name][1]}")
        lines.append(f"{'':24}{costs(facts, None)}")
    out.write({"encoders": documents}, lines)


async def try_out(workbench: Workbench, name: str, out: Printer) -> None:
    """Print an encoder's effect on the labelled cases; raises KnownError if there are none."""
    now = workbench.settings.encoder
    chosen = now if name == now.name else EncoderSettings.model_validate({"name": name})
    with Progress("trying", "Computing vectors and answering cases: {n} steps; this takes {time} more.") as progress:
        gain = await workbench.encoders.gain(chosen, progress)
    out.write(encoder_gain_document(gain), [encoder_gain_sentence(gain)])


async def install(workbench: Workbench, name: str, out: Printer) -> None:
    """Install the missing parts of an encoder, with progress on stderr; raises KnownError."""
    async with aclosing(workbench.encoders.install()) as steps:
        async for step in steps:
            far = f" ({step.done + 1} of {step.whole})" if step.whole else ""
            print(visible(f"{step.words}{far}"), file=sys.stderr, flush=True)
    facts = await workbench.encoders.facts(EncoderSettings.model_validate({"name": name}))
    lines = [f"{name} is installed: {costs(facts, None)}."]
    lines.append(f"Use it on the Settings page, or with --set encoder.name={name}.")
    out.write({"installed": name, "bytes_on_disk": facts.bytes_on_disk}, lines)


async def print_use(workbench: Workbench, out: Printer, *, days: int) -> None:
    """Print use by assistants in recent days, and metrics of the route log; raises StoreError."""
    found, routed = await workbench.usage.totals(days), await workbench.routing.log.metrics()
    routes = metrics_lines(routed, has_stores=workbench.settings.route.has_any_store)
    document = {"assistants": usage_document(found), "routes": metrics_document(routed)}
    lines = [*usage_lines(found), "Routes", *(f"  {line}" for line in routes)]
    out.write(document, lines)
