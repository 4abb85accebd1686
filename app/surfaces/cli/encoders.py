"""The encoders on the terminal: what each costs or lacks, and what one lacks installed."""

from __future__ import annotations

import sys
from contextlib import aclosing
from typing import TextIO

from app.display.evaluation.encoder_gain import gain_document, gain_words
from app.display.system.encoders import KINDS, costs
from app.display.visible import visible
from app.domain.encoder import EncoderFacts
from app.services.workbench import Workbench
from app.settings.sections import EncoderSettings
from app.surfaces.cli.terminal import Progress, write_document


async def print_encoders(workbench: Workbench, out: TextIO, *, as_json: bool) -> None:
    """Say of each encoder what it is, and what it costs or why it cannot be had; the one that is set is marked."""
    now = workbench.settings.encoder
    rows: list[tuple[EncoderSettings, EncoderFacts]] = []
    for name in KINDS:
        chosen = now if name == now.name else EncoderSettings.model_validate({"name": name})
        rows.append((chosen, await workbench.encoders.facts(chosen)))
    if as_json:
        documents = [
            {
                "name": chosen.name,
                "model": chosen.model,
                "is_set": chosen is now,
                "bytes_on_disk": facts.bytes_on_disk,
                "query_ms": facts.query_ms,
                "is_offline": facts.is_offline,
                "fault": facts.fault,
                "can_be_installed": facts.remedy == "install",
            }
            for chosen, facts in rows
        ]
        write_document(out, {"encoders": documents})
        return
    for chosen, facts in rows:
        print(f"{'*' if chosen is now else ' '} {chosen.name:22}{KINDS[chosen.name][1]}", file=out)
        print(f"{'':24}{visible(costs(facts, None))}", file=out)


async def try_out(workbench: Workbench, name: str, out: TextIO, *, as_json: bool) -> None:
    """Say what an encoder would do to the labelled cases of the library; KnownError where there are none."""
    now = workbench.settings.encoder
    chosen = now if name == now.name else EncoderSettings.model_validate({"name": name})
    progress = Progress("trying", "Vectors are made and cases answered: {n} steps; this takes {time} more.")
    try:
        gain = await workbench.encoders.gain(chosen, progress)
    finally:
        progress.done()
    if as_json:
        write_document(out, gain_document(gain))
    else:
        print(gain_words(gain), file=out)


async def install(workbench: Workbench, name: str, folder: str, out: TextIO, *, as_json: bool) -> None:
    """Install what an encoder lacks, and say on stderr how far that is; KnownError."""
    async with aclosing(workbench.encoders.install(name, folder)) as steps:
        async for step in steps:
            far = f" ({step.done + 1} of {step.whole})" if step.whole else ""
            print(visible(f"{step.words}{far}"), file=sys.stderr, flush=True)
    facts = await workbench.encoders.facts(EncoderSettings.model_validate({"name": name}))
    if as_json:
        write_document(out, {"installed": name, "bytes_on_disk": facts.bytes_on_disk, "query_ms": facts.query_ms})
        return
    print(f"{name} is installed: {visible(costs(facts, None))}.", file=out)
    print(f"Use it on the Settings page, or with --set encoder.name={name}.", file=out)
