"""An audit of the log, which 001 wants weekly: what rules, LLM and people say of a sample of queries."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

from app.domain.route import LoggedRoute
from app.evaluation.routing import Audit, audit_of, sampled
from app.services.routing.log import AUDITED
from app.services.routing.routes import Routing


@dataclass(frozen=True, slots=True)
class AuditStep:
    """How far an audit is: so many of how many, what it comes to so far, and why the LLM was not asked, if so.

    Each sampled decision stands with what the rules say of it today, and with what the LLM says: what it said then, or
    else what it says now.
    """

    done: int
    whole: int
    audit: Audit
    silence: str = ""


async def audited(
    routing: Routing, *, ask: bool, seed: int = 0, most: int = AUDITED
) -> AsyncGenerator[AuditStep, None]:
    """Look at a sample of the log one by one; with `ask` the LLM is asked where it was not. StoreError.

    The questions cost what questions cost, and end where the budget does.
    """
    sample = sampled([one for one in await routing.log.decisions() if one.text], most, seed)
    seen: list[LoggedRoute] = []
    silence = ""
    yield AuditStep(0, len(sample), audit_of(seen))
    for one in sample:
        looked = replace(one, rule_intent=routing.rule_intent(one.text))
        if ask and not one.llm_intent:
            looked, silence = await _asked(routing, looked)
        seen.append(looked)
        yield AuditStep(len(seen), len(sample), audit_of(seen), silence)


async def _asked(routing: Routing, one: LoggedRoute) -> tuple[LoggedRoute, str]:
    """A logged route with what the LLM says of its query, or why it does not."""
    heard = await routing.ask_llm(one.text)
    if heard.answer is None:
        return one, heard.sentence
    return replace(one, llm=heard.outcome, llm_intent=heard.answer.intent), ""
