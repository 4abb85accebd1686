"""The terminal's `approve`: shows word for word what a power would run, and keeps a person's yes to exactly that."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from app.display.powers.running import StartAsked, start_asked
from app.display.visible import visible_lines
from app.domain.errors import KnownError
from app.domain.journal import ThingKind
from app.domain.language import say
from app.surfaces.cli.library.verb import SOURCE
from app.surfaces.cli.locked import retry_while_locked
from app.surfaces.cli.terminal import write_document

if TYPE_CHECKING:
    from app.services.powers.approvals import Consent
    from app.services.workbench import Workbench


async def approve(workbench: Workbench, options: argparse.Namespace, out: TextIO, *, as_json: bool) -> bool:
    """Whether the power is approved in the end; KnownError for an unknown one, one with nothing to approve, and a
    digest of something else. Nothing is started."""
    name, gateway = options.name, workbench.gateway
    consent = await gateway.consent(name)
    if not consent.text:
        raise KnownError(
            say("“{name}” has neither a command nor an address, so there is nothing to approve.", name=name)
        )
    if not consent.is_given and options.yes is not None and options.yes != consent.digest:
        raise KnownError(
            say("That is the digest of something else: “intentscope approve” shows what there is now, and its digest.")
        )
    is_new = not consent.is_given and (options.yes is not None or not as_json)
    if is_new and options.yes is None:
        is_new = await _is_wanted(workbench, name, consent)
    if is_new:
        await retry_while_locked(lambda: gateway.approve(name, consent.text, source=SOURCE))
    is_approved = is_new or consent.is_given
    if as_json:
        fields = {"power": name, "approved": is_approved, "text": consent.text, "digest": consent.digest}
        write_document(out, fields)
    else:
        print(visible_lines(_outcome(name, is_new=is_new, is_approved=is_approved)), file=out)
    return is_approved


def _outcome(name: str, *, is_new: bool, is_approved: bool) -> str:
    if is_new:
        return say("Approved “{name}”; “intentscope undo” takes that back.", name=name)
    return say("“{name}” is approved already.", name=name) if is_approved else say("Nothing was approved.")


async def _is_wanted(workbench: Workbench, name: str, consent: Consent) -> bool:
    """Ask the person at the terminal; KnownError where nobody sits there."""
    power = next(one for one in await workbench.catalogue.powers() if one.name == name)
    past = await workbench.journal.history(ThingKind.POWER, power.key) if power.key is not None else []
    values = await workbench.gateway.values_from(power)
    is_again = await workbench.gateway.asks_again(name)
    asked = start_asked(power, consent.text, past, values, only_approves=True, is_again=is_again)
    print(visible_lines("\n".join(_question(asked))), file=sys.stderr)
    if not sys.stdin.isatty():
        raise KnownError(
            say("Nobody can be asked here. Who has read that may add --yes {digest}", digest=consent.digest)
        )
    print(say("{verb}? [y/N] ", verb=asked.verb), end="", file=sys.stderr, flush=True)
    answer = (await asyncio.to_thread(sys.stdin.readline)).strip().casefold()
    return answer in {"y", "yes", say("y"), say("yes")}


def _question(asked: StartAsked) -> Iterator[str]:
    """What is said yes to, as the window asks it: what would run, from where, and what it gets."""
    yield asked.question
    yield from (f"    {line}" for line in asked.text.split("\n"))
    if asked.before:
        yield say("Approved before") + ":"
        yield from (f"    {line}" for line in asked.before.split("\n"))
    yield from filter(None, (asked.origin, asked.variables, asked.warning))
