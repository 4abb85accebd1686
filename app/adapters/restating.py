"""What becomes of a stored memory or power when the same one is taught or imported again.

What a file says wins; what a person or the program's use added since, and the file is silent about, stays:

- history (success, usage, paused) stays, unless the newcomer brings a history of its own, as an export does;
- a newcomer with a single trigger that is already there leaves the triggers alone; a list of several replaces them;
- a power without examples leaves the taught examples alone;
- approval stays while the transport does: another command is another program, which nobody has approved.
"""

from __future__ import annotations

from dataclasses import replace

from app.domain.library import NEW_SUCCESS, Memory, Power


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
    same_transport = stored.transport == newcomer.transport
    if newcomer.key is not None:
        approved = newcomer.approved and same_transport
        return replace(newcomer, approved=approved, key=stored.key, version=stored.version)
    return replace(
        newcomer,
        examples=newcomer.examples or stored.examples,
        paused=newcomer.paused or stored.paused,
        approved=(newcomer.approved or stored.approved) and same_transport,
        key=stored.key,
        version=stored.version,
    )
