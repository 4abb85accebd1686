"""What becomes of a stored memory or power when the same one is taught or imported again.

What a file says wins; what a person or the program's use added since, and the file is silent about, stays:

- history (success, usage, paused) stays, unless the newcomer brings a history of its own, as an export does;
- a newcomer with a single trigger that is already there leaves the triggers alone; a list of several replaces them;
- a power without a description, keywords, steering, tools or examples leaves those that are there alone, as one does
  that is reached by nothing (a list of tools tells no server), or without an environment at the same command or URL;
- approval stays while the transport does: another command is another program, which nobody has approved.
"""

from __future__ import annotations

from dataclasses import replace

from app.domain.library import NEW_SUCCESS, Memory, Power, Transport


def restated_memory(stored: Memory, newcomer: Memory) -> Memory:
    """The stored memory as the newcomer leaves it, under the stored key."""
    silent = (newcomer.success, newcomer.usage, newcomer.paused) == (NEW_SUCCESS, 0, False)
    history = stored if silent else newcomer
    is_known = len(newcomer.triggers) == 1 and newcomer.triggers[0] in stored.triggers
    return replace(
        newcomer,
        triggers=stored.triggers if is_known else newcomer.triggers,
        id=newcomer.id or stored.id,
        success=history.success,
        usage=history.usage,
        paused=history.paused,
        key=stored.key,
        source=stored.source,
        version=stored.version,
    )


def restated_power(stored: Power, newcomer: Power) -> Power:
    """The stored power as the newcomer leaves it, under the stored key.

    A newcomer with a key is the stored power, edited: its flags and examples are meant as they are, but an approval
    never passes to another transport.
    """
    transport = newcomer.transport if newcomer.key is not None else _restated_transport(stored, newcomer)
    same_transport = stored.transport == transport
    if newcomer.key is not None:
        approved = newcomer.approved and same_transport
        return replace(newcomer, approved=approved, key=stored.key, version=stored.version)
    return replace(
        newcomer,
        description=newcomer.description or stored.description,
        keywords=newcomer.keywords or stored.keywords,
        steering=newcomer.steering or stored.steering,
        tools=newcomer.tools or stored.tools,
        transport=transport,
        examples=newcomer.examples or stored.examples,
        paused=newcomer.paused or stored.paused,
        approved=(newcomer.approved or stored.approved) and same_transport,
        key=stored.key,
        version=stored.version,
    )


def _restated_transport(stored: Power, newcomer: Power) -> Transport:
    """How the power is reached from now on; the names of an environment never pass to another command or URL."""
    held, told = stored.transport, newcomer.transport
    if told.command is None and told.url is None:
        return replace(held, args=told.args or held.args, env=told.env or held.env)
    if not told.env and (told.command, told.args, told.url) == (held.command, held.args, held.url):
        return held
    return told
