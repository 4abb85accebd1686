"""Commands `approve` and `call`: approve exactly what a power runs, and call its tools."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.display.powers.running import ApprovalPrompt, approval_prompt
from app.display.powers.tools import BadArgumentError, arguments, call_outcome, read_words, tool_lines
from app.display.words import visible, visible_lines
from app.domain.errors import KnownError
from app.domain.journal import ItemKind
from app.domain.running import Activation, ToolSchema
from app.surfaces.cli.output import SOURCE, Printer, retry_while_locked
from app.surfaces.cli.terminal import agrees

if TYPE_CHECKING:
    from app.services.powers.approvals import Consent
    from app.services.workbench import Workbench


async def approve(workbench: Workbench, options: argparse.Namespace, out: Printer) -> bool:
    """Approve a power; return True if it is approved in the end. Nothing is started.

    Raises KnownError for an unknown power, nothing to approve, or an outdated digest.
    """
    name, gateway = options.name, workbench.gateway
    consent = await gateway.consent(name)
    if not consent.text and any(one.name == name and one.is_text for one in await workbench.catalogue.powers()):
        raise KnownError(f"“{name}” has no server: activating it gives its text, so there is nothing to approve.")
    if not consent.text:
        raise KnownError(f"“{name}” has neither a command nor an address, so there is nothing to approve.")
    if not consent.is_given and options.yes is not None and options.yes != consent.digest:
        raise KnownError(
            "That is the digest of something else: “intentscope approve” shows what there is now, and its digest."
        )
    is_new = not consent.is_given and (options.yes is not None or not out.as_json)
    if is_new and options.yes is None:
        is_new = await _is_confirmed(workbench, name, consent)
    if is_new:
        await retry_while_locked(lambda: gateway.approve(name, consent.text, source=SOURCE))
    is_approved = is_new or consent.is_given
    document = {"power": name, "approved": is_approved, "text": consent.text, "digest": consent.digest}
    out.write(document, [_outcome(name, is_new=is_new, is_approved=is_approved)])
    return is_approved


async def call(workbench: Workbench, options: argparse.Namespace, out: Printer) -> bool:
    """Call a tool of an approved power, or list its tools; return False for a tool error.

    The power runs as long as the command; raises KnownError if it may not or does not run, or for wrong arguments.
    """
    power = options.name
    started = await workbench.gateway.activate(power)
    if started.gives_text:
        raise KnownError(
            f"“{power}” has no server, so it has no tools to call; its text is delivered when it is activated."
        )
    if not started.started:
        how = f"“intentscope approve {power}” asks for that." if started.needs_approval else ""
        raise KnownError(f"{started.reason} {how}".rstrip())
    if options.refresh:
        changed = await retry_while_locked(lambda: workbench.gateway.take_tools(power, source=SOURCE))
        print(_refreshed(power, changed=changed), file=sys.stderr)
    if options.tool is None:
        _list_tools(started, out)
        return True
    tool = next((one for one in started.tools if one.name == options.tool), ToolSchema(options.tool))
    try:
        given = read_words(arguments(tool.input_schema), options.arguments) if tool in started.tools else {}
    except BadArgumentError as error:
        raise KnownError(str(error)) from None
    result = await workbench.gateway.call(power, tool.name, given)  # an unknown tool is refused here
    if out.as_json:
        fields = {"content": list(result.content), "structured": result.structured, "is_error": result.is_error}
        out.write({"power": power, "tool": tool.name, **fields, "ms": result.ms, "cut": result.cut}, ())
    else:
        said = call_outcome(tool, result)
        out.print(visible_lines(said.whole))
        print(visible(said.head), file=sys.stderr)
    return not result.is_error


def _refreshed(power: str, *, changed: bool) -> str:
    if changed:
        return visible(
            f"Queries are scored against the tools of “{power}” as listed now; “intentscope undo” undoes it."
        )
    return visible(f"No change: queries are scored against these tools of “{power}” already.")


def _list_tools(started: Activation, out: Printer) -> None:
    rows = [{"name": one.name, "description": one.description, "input": one.input_schema} for one in started.tools]
    lines = [line for one in started.tools for line in tool_lines(one)] or ["It has no tools."]
    out.write({"power": started.power.name, "tools": rows}, lines)


def _outcome(name: str, *, is_new: bool, is_approved: bool) -> str:
    if is_new:
        return f"Approved “{name}”; “intentscope undo” reverts it."
    return f"No change: “{name}” is approved." if is_approved else "Nothing was approved."


async def _is_confirmed(workbench: Workbench, name: str, consent: Consent) -> bool:
    """Ask for confirmation; raises KnownError without an interactive terminal."""
    power = next(one for one in await workbench.catalogue.powers() if one.name == name)
    past = await workbench.journal.history(ItemKind.POWER, power.key) if power.key is not None else []
    values = await workbench.gateway.values_from(power)
    is_again = await workbench.gateway.needs_new_approval(name)
    asked = approval_prompt(power, consent.text, past, values, only_approves=True, is_again=is_again)
    return await agrees("\n".join(_question(asked)), asked.verb, f"--yes {consent.digest}")


def _question(asked: ApprovalPrompt) -> Iterator[str]:
    """Yield the approval request as in the window: program, origin and values."""
    yield asked.question
    yield from (f"    {line}" for line in asked.said.split("\n"))
    if asked.before:
        yield "Approved before" + ":"
        yield from (f"    {line}" for line in asked.before.split("\n"))
    yield from filter(None, (asked.origin, asked.variables, asked.warning))
