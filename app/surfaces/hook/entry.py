"""Entry of the prompt hook: uses a running engine, or answers itself, one hook at a time.

No slow imports here.
"""

from __future__ import annotations

import io
import sys
from time import sleep

from app.surfaces.hook.budget import NOTHING, START, answer_with, event_in
from app.surfaces.hook.engine_client import (
    ABSENT,
    BUSY,
    HOOK,
    NAME,
    has_address,
    is_hook,
    process_age,
    profile_in,
    request,
    tell,
)
from app.surfaces.local_socket import InstanceLock, is_starting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.surfaces.hook.budget import Budget

MOST_INPUT_BYTES = 2**20

POLL_SECONDS = 0.05
"""Interval in seconds at which a waiting hook looks for an engine, and for its turn."""

LEAST_SECONDS = 0.3
"""Minimum time left in seconds to answer by itself: loading the program takes longer."""


BUSY_ENGINE = "the running engine has more prompts than it can answer in time"
"""Reason for no answer if the engine refused the prompt."""

TOO_LONG = f"the prompt is too long to read: its JSON has more than {MOST_INPUT_BYTES // 2**20} MB"
"""Reason for no answer to an input beyond the limit."""


def is_answered(words: Sequence[str], default_profile: Callable[[], str], budget: Budget) -> bool:
    """Let an engine answer the prompt on stdin; False if this process has to.

    Then the process holds its profile's turn, and stdin is restored; the start of a session needs neither. A hook
    without answer or turn waits here until its budget ends the process.
    """
    answer = budget.answer
    answer.lacks = "no prompt came"
    given = sys.stdin.buffer.read(MOST_INPUT_BYTES + 1)
    answer.event = event_in(given)
    if len(given) > MOST_INPUT_BYTES:
        answer.write(answer_with("", answer.event), f"intentscope: {TOO_LONG}.\n")
        return True
    if answer.event == START:
        answer.lacks = ""
        return False
    if _asked(words, profile_in(words) or default_profile(), budget, given):
        return True
    answer.lacks = NOTHING
    sys.stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    return False


def _asked(words: Sequence[str], folder: str, budget: Budget, given: bytes) -> bool:
    """Let a profile's engine answer the input, waiting for it; False with the turn to answer here."""
    answer = budget.answer
    budget.turn = turn = InstanceLock(folder, HOOK)
    asks = is_hook(words)

    def has_turn() -> bool:
        return budget.left > LEAST_SECONDS and (turn.handle is not None or turn.acquire())

    while True:
        if asks and has_address(folder):
            answer.lacks = "the running engine did not answer in time"
            message = {"input": given.decode("utf-8", "surrogateescape"), "spent_ms": process_age() * 1000.0}
            outcome, found = request(
                folder,
                message if budget.given_ms is None else {**message, "budget_ms": budget.given_ms},
                acknowledged=budget.last_from_now,
                waits_on=lambda: not has_turn(),
            )
            if found is not None:
                answer.write(*found[1:])
                return True
            if outcome == BUSY:
                answer.write(answer_with("", answer.event), f"intentscope: {BUSY_ENGINE}.\n")
                return True
            tell(outcome)
            asks = outcome == ABSENT
        if asks and is_starting(folder, NAME):
            answer.lacks = "the engine was starting"
        elif has_turn():
            return False
        elif budget.left <= LEAST_SECONDS:
            answer.lacks = "too little of it was left to load the program"
        else:
            answer.lacks = "another hook was loading the engine"
        sleep(POLL_SECONDS)
