"""The engine's own tools for assistants, one row and one thin function each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, get_type_hints

from mcp_types import Tool, ToolAnnotations
from pydantic import ValidationError

from app.detect.surfacing import MOST_CUT, Cut
from app.display.documents import inspection_document, resolution_document, route_document
from app.display.scope.surfacing import surfaced_document, surfacing_document
from app.display.scope.why_not import why_not_document
from app.domain.case import Case, Task
from app.domain.documents import fields_of
from app.domain.errors import KnownError
from app.domain.filters import CaseFilter
from app.domain.history import Access, Source, UsageCounter
from app.domain.library import Dated, Memory, Power
from app.domain.match import Band, Match, Tier
from app.domain.running import Activation, PowerRun, RunState
from app.domain.why_not import Expectation
from app.evaluation.answers import Delivery
from app.ports.power import Progress
from app.services.evaluation.case_runs import Outcome, run_cases
from app.services.library.memory_overview import count_namespaces
from app.services.workbench import Workbench
from app.settings.model import Settings
from app.surfaces.mcp import schemas
from app.surfaces.mcp.assistant_workbench import AssistantWorkbench
from app.surfaces.mcp.power_tools import DESCRIPTION, MOST_TOOLS, NAME, RESPONSE, SKILL, STEERING, bounded, proxied
from app.surfaces.mcp.schemas import (
    Arguments,
    EvaluateArguments,
    ExplainArguments,
    FeedbackArguments,
    NoArguments,
    PowerArguments,
    QueryArguments,
    SearchArguments,
    TeachArguments,
    WhyNotArguments,
)

Document = dict[str, Any]
Count = Callable[[int, int], None]

SOURCE = "assistant"
"""Source of memories, decisions and marks made by an assistant."""

PROGRESS_SECONDS = 0.5
"""Interval of progress reports, in seconds."""

MOST_WRONG = 20
"""Maximum number of listed cases with wrong answers."""


async def why_not(assistants: AssistantWorkbench, arguments: WhyNotArguments, progress: Progress) -> Document:
    """Return the stage that lost the expected answer, and changes with their effect on cases."""
    workbench = await assistants.ready(progress)
    try:
        expected = Expectation.of(arguments.expect)
    except ValueError as error:
        raise KnownError(str(error)) from None
    return why_not_document(
        await _with_progress(lambda count: workbench.why_nots.explain(arguments.query, expected, count), progress)
    )


async def _with_progress(work: Callable[[Count], Coroutine[Any, Any, Any]], progress: Progress) -> Any:
    """Run counting work with progress reports; cancelling the caller cancels the work."""
    counted = [(0, 0)]
    working = asyncio.create_task(work(lambda done, total: counted.__setitem__(0, (done, total))))
    reported = counted[0]
    try:
        while not working.done():
            await asyncio.wait([working], timeout=PROGRESS_SECONDS)
            if counted[0] != reported:
                reported = counted[0]
                await progress(reported[0], reported[1], f"{reported[0]:,} of {reported[1]:,} labelled queries.")
        return working.result()
    finally:
        working.cancel()


async def route(assistants: AssistantWorkbench, arguments: QueryArguments, progress: Progress) -> Document:
    """Return the data store that should answer the query; the decision is logged."""
    workbench = await assistants.ready(progress)
    decision = await workbench.routing.route(arguments.query)
    workbench.routing.log.note(arguments.query, decision, SOURCE)
    return {"query": arguments.query, **(route_document(decision) or {})}


async def evaluate(assistants: AssistantWorkbench, arguments: EvaluateArguments, progress: Progress) -> Document:
    """Return the number of cases that deliver the expected answer, and some that do not."""
    workbench = await assistants.ready(progress)
    task = Task(arguments.task)
    keys = await workbench.in_store(lambda library: library.find_cases(CaseFilter(task=task)))
    outcomes: list[Outcome] = []
    skipped = 0
    async with aclosing(run_cases(workbench, workbench.evaluations, keys)) as runs:
        async for run in runs:
            outcomes += run.outcomes
            skipped = run.skipped
            await progress(run.done, run.total, f"{run.done:,} of {run.total:,} labelled queries.")
    wrong = [one for one in outcomes if not one.is_right][:MOST_WRONG]
    cases = await _cases(workbench, [one.key for one in wrong])
    right = sum(one.is_right for one in outcomes)
    return {
        "task": task.value,
        "n": len(outcomes),
        "skipped": skipped,
        "right": right,
        "delivered": right / len(outcomes) if outcomes else None,
        "wrong": [_wrong(one, cases[one.key]) for one in wrong if one.key in cases],
    }


async def _cases(workbench: Workbench, keys: list[int]) -> dict[int, Case]:
    found = await workbench.in_store(lambda library: library.cases_by_key(keys))
    return {dated.item.key: dated.item for dated in found if dated.item.key is not None}


def _wrong(outcome: Outcome, case: Case) -> Document:
    return {
        "text": bounded(case.text, DESCRIPTION),
        "expected": [bounded(name, NAME) for name in case.expected],
        "answered": None if outcome.answered is None else bounded(outcome.answered, NAME),
        "why": _why(outcome),
        **fields_of(outcome, "confidence", "rank"),
    }


def _why(outcome: Outcome) -> str:
    """Return why a case fails; "" if another answer is delivered."""
    if outcome.why or outcome.delivery is not Delivery.MISSING:
        return outcome.why
    name = outcome.answered or ""
    return f"{', '.join(filter(None, (name, outcome.fault))) or 'Nothing is found'}."


async def feedback(assistants: AssistantWorkbench, arguments: FeedbackArguments, progress: Progress) -> Document:
    """Mark an answer right or wrong for a query: adjusts its success, makes a case. Undoable."""
    workbench = await assistants.opened()
    kind, _, name = arguments.answer.partition(":")
    kinds = {"memory": Memory, "power": Power}
    if kind not in kinds or not name:
        raise KnownError("`answer` is memory:NAME or power:NAME.")
    answers = workbench.engine.index.answers().values()
    found = next((one for one in answers if isinstance(one, kinds[kind]) and one.name == name), None)
    if found is None:
        raise KnownError(f"No {kind} “{bounded(name, NAME)}” in use.")
    marked = await workbench.curator.mark(found, arguments.query, fits=arguments.right, source=SOURCE)
    workbench.usage.count(UsageCounter.MARKS, "right" if arguments.right else "wrong")
    return {"answer": arguments.answer, "right": arguments.right, "success": getattr(marked, "success", None)}


MOST_POWERS = 200
"""Maximum number of listed available powers; beyond it only their number is returned."""
LOOKED_THROUGH = 1_000
"""Number of best memories searched for those of a namespace."""
MOST_NAMESPACES = 50
"""Maximum number of namespaces listed in reply to an unknown one."""


Found = tuple[Match, Memory]

Call = Callable[[AssistantWorkbench, Any, Progress], Awaitable[Document]]


OMITTED = frozenset(("", "null", "None", "undefined"))
"""Texts that models send for an optional argument that they leave out."""


@dataclass(frozen=True, slots=True)
class OwnTool:
    """One tool: description, result schema, and function, whose `arguments` are the tool's.

    Raises KnownError on failure.
    """

    name: str
    title: str
    description: str
    answer: schemas.Schema
    call: Call
    hints: ToolAnnotations
    is_offered: Callable[[Settings], bool] = lambda settings: True

    @property
    def arguments(self) -> type[Arguments]:
        found: type[Arguments] = get_type_hints(self.call)["arguments"]
        return found

    def listed(self) -> Tool:
        return Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema={name: part for name, part in self.arguments.model_json_schema().items() if name != "title"},
            output_schema=self.answer,
            annotations=self.hints,
        )

    async def answered(self, assistants: AssistantWorkbench, given: Mapping[str, Any], progress: Progress) -> Document:
        """Check the arguments and run the tool; raises KnownError with a sentence for the model.

        Null stands for an omitted argument, and so does a word of OMITTED for an optional one. Unknown arguments are
        ignored and noted in the answer.
        """
        fields = self.arguments.model_fields
        unknown = _listed(name for name in given if name not in fields)
        try:
            known = {
                name: value
                for name, value in given.items()
                if name in fields
                and value is not None
                and (fields[name].is_required() or not isinstance(value, str) or value.strip() not in OMITTED)
            }
            arguments = self.arguments.model_validate(known)
        except ValidationError as error:
            raise KnownError(_refusal(self.name, error, unknown)) from None
        document = await self.call(assistants, arguments, progress)
        return {**document, "note": f"Unknown arguments were ignored: {unknown}."} if unknown else document


def _listed(names: Iterable[str]) -> str:
    return bounded(", ".join(bounded(name, NAME) for name in names), DESCRIPTION)


def _refusal(name: str, error: ValidationError, unknown: str) -> str:
    listed = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()[:5]]
    ignored = f" Unknown arguments: {unknown}." if unknown else ""
    return bounded(f"{name} rejected the arguments. {'; '.join(listed)}.{ignored}", DESCRIPTION)


# ---- functions


async def _resolve(assistants: AssistantWorkbench, arguments: QueryArguments, progress: Progress) -> Document:
    workbench = await assistants.ready(progress)
    if workbench.settings.llm.choose_powers:
        found = await workbench.settle(arguments.query, route=False)
    else:
        found = await workbench.settle_as(arguments.query, {})
    assistants.powers.begin_turn()
    resolution = found.resolution
    if resolution is None:
        raise KnownError("The query is empty.")
    given = [match.power for match in resolution.matches[:1]]
    first = next((match for match in found.powers if match.answer in given), None)
    assistants.history.note(found, Source.MCP, first=first)
    workbench.usage.count(UsageCounter.RESOLUTIONS, resolution.status.value)
    document = _short(resolution_document(resolution))
    several = resolution.status is Tier.MULTIPLE_MATCHES
    assistants.note_search(found, [match.power for match in resolution.matches] if several else [])
    if resolution.status is not Tier.ACTIVATED:
        return document
    return document | await _started(assistants, await assistants.powers.activate(resolution.matches[0].power.name))


def _short(document: Document) -> Document:
    """Cut 003's document: shorter descriptions, and a limited number of powers."""
    for listed in ("matches", "available_powers"):
        rows: list[Document] = document.get(listed, [])
        for row in rows:
            row["description"] = bounded(row["description"], DESCRIPTION)
        if len(rows) > MOST_POWERS:
            document |= {listed: rows[:MOST_POWERS], "more": len(rows) - MOST_POWERS}
    return document


async def _activate(assistants: AssistantWorkbench, arguments: PowerArguments, progress: Progress) -> Document:
    await assistants.opened()
    activation = await assistants.powers.activate(arguments.name)
    assistants.note_choice(activation.power.name)
    status = "activated" if activation.started or activation.gives_text else "not_started"
    return {"status": status, "power": {"name": activation.power.name}, **await _started(assistants, activation)}


async def _started(assistants: AssistantWorkbench, activation: Activation) -> Document:
    """Return the running part of 003's answer: tools with names to call, and steering text."""
    name = activation.power.name
    assistants.workbench.usage.count(
        UsageCounter.POWERS, "started" if activation.started or activation.gives_text else "refused"
    )
    offered = proxied(assistants.powers.runs()) if activation.started else {}
    names = {one.tool.name: offer for offer, one in offered.items() if one.power == name}
    tools: list[Document] = []
    for tool in activation.tools[:MOST_TOOLS]:
        listed = {"name": bounded(tool.name, NAME), "description": bounded(tool.description, DESCRIPTION)}
        tools.append(listed | ({"call": names[tool.name]} if tool.name in names else {}))
    steering = ""
    if activation.started or activation.gives_text:
        steering = bounded(await assistants.powers.steering(name), SKILL if activation.gives_text else STEERING)
    return {"tools": tools, "started": activation.started, "reason": activation.reason, "steering": steering}


async def _deactivate(assistants: AssistantWorkbench, arguments: PowerArguments, progress: Progress) -> Document:
    await assistants.opened()
    runs = assistants.powers.runs()
    ran = arguments.name in runs and runs[arguments.name].state not in (RunState.STOPPED, RunState.FAILED)
    await assistants.powers.deactivate(arguments.name)
    message = "It is stopped; its tools are gone." if ran else "It did not run."
    return {"power": arguments.name, "stopped": ran, "message": message}


async def _explain(assistants: AssistantWorkbench, arguments: ExplainArguments, progress: Progress) -> Document:
    workbench = await assistants.ready(progress)
    found = await workbench.settle(arguments.query, late=arguments.late)
    assistants.history.note(found, Source.MCP)
    surfaced = await workbench.surface(found)
    reported = {"surfaced": surfaced_document(surfaced), "surfacing": surfacing_document(surfaced)}
    return {**inspection_document(found, workbench.settings), **reported}


async def _search(assistants: AssistantWorkbench, arguments: SearchArguments, progress: Progress) -> Document:
    workbench = await assistants.ready(progress)
    is_whole = arguments.namespace is None and not arguments.invalid
    most = arguments.limit if is_whole else LOOKED_THROUGH
    if arguments.namespace is not None:
        names = list(dict.fromkeys((*await count_namespaces(workbench), *workbench.settings.namespaces.all)))
        if arguments.namespace not in names:
            every = ", ".join(bounded(one, NAME) for one in names[:MOST_NAMESPACES])
            raise KnownError(f"Unknown namespace “{arguments.namespace}”. The namespaces are {every}.")
    found = await workbench.settle_as(arguments.query, {"matches": str(most)})
    memories = [
        (match, match.answer)
        for match in found.matches
        if isinstance(match.answer, Memory) and (arguments.invalid or match.lapse is None)
    ]
    memories.sort(key=lambda pair: (-pair[0].compared, -pair[0].confidence))
    wanted = [pair for pair in memories if arguments.namespace in (None, pair[1].namespace)][: arguments.limit]
    accesses = _accesses(memories, wanted, arguments.namespace)
    kept = replace(found, matches=found.matches[: workbench.settings.matches])
    stored = await workbench.catalogue.memories([memory.key for _, memory in wanted if memory.key is not None])
    assistants.history.note(kept, Source.MCP, accesses)
    return {"query": arguments.query, "memories": [_memory(*pair, stored.get(pair[1].key or 0)) for pair in wanted]}


def _accesses(memories: Sequence[Found], reported: Sequence[Found], namespace: str | None) -> list[Access]:
    """Return the accesses: memories found, and better ones excluded by the namespace."""
    ranks = {memory.key: rank for rank, (_, memory) in enumerate(memories, 1)}
    last = reported[-1][0].compared if reported else 0.0
    others = [pair for pair in memories if namespace not in (None, pair[1].namespace) and pair[0].compared >= last]
    found = [*((*pair, None) for pair in reported), *((*pair, Cut.NAMESPACE.value) for pair in others[:MOST_CUT])]
    return [
        Access(memory.key or 0, ranks[memory.key], match.confidence, cut)
        for match, memory, cut in found
        if match.band is not Band.FALLBACK and match.lapse is None
    ]


def _memory(match: Match, memory: Memory, stored: Dated[Memory] | None) -> Document:
    return {
        "name": bounded(memory.name, NAME),
        **fields_of(memory, "id", "namespace", "intent", "tags"),
        "confidence": match.confidence,
        "band": match.band.value if match.band is not None else "",
        "trigger": bounded(match.trigger, DESCRIPTION),
        "response": bounded(memory.response, RESPONSE),
        "used": 0 if stored is None else stored.used,
        "right": memory.right,
        "invalid": "" if match.lapse is None else match.lapse.words,
    }


async def _list(assistants: AssistantWorkbench, arguments: NoArguments, progress: Progress) -> Document:
    workbench = await assistants.opened()
    powers: list[Power] = await workbench.in_store(lambda library: library.powers())
    runs, approved = assistants.powers.runs(), await assistants.powers.approvals()
    listed = [
        _power(power, runs.get(power.name, PowerRun(power.name)), approved=power.name in approved) for power in powers
    ]
    return {"powers": listed}


def _power(power: Power, run: PowerRun, *, approved: bool) -> Document:
    return {
        "name": bounded(power.name, NAME),
        "description": bounded(power.description, DESCRIPTION),
        "keywords": [bounded(keyword, NAME) for keyword in power.keywords],
        "enabled": not power.paused,
        "approved": approved,
        "state": run.state.value,
        "reason": bounded(run.sentence, DESCRIPTION),
        "tools": len(run.tools or power.tools),
    }


async def _teach(assistants: AssistantWorkbench, arguments: TeachArguments, progress: Progress) -> Document:
    workbench: Workbench = await assistants.opened()
    memory = Memory((arguments.text,), arguments.response, arguments.intent or None, source=SOURCE)
    taught = await workbench.curator.teach(memory)
    return {"id": taught.id, "name": taught.name, "intent": taught.intent, "namespace": taught.namespace}


READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
STARTS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True)
STOPS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
REPLACES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
"""Hints on the effects of tools. Logging a query, as privacy allows, is no change."""

OWN_TOOLS: dict[str, OwnTool] = {
    row.name: row
    for row in (
        OwnTool(
            "resolve_intent",
            "Resolve intent",
            "Find the power (an MCP server with tools) that serves what the user asked. Call it first with the user's "
            "own words. `activated`: this power serves it. It runs only if `started` is true; then its tools are in "
            "the tool list under the names in `call`. If `started` is false it does not run: `tools` are those known "
            "of it, and `reason` says what a person has to do. `multiple_matches`: choose one by activate_power(name). "
            "`weak_matches` and `not_found`: ask the user to clarify.",
            schemas.RESOLUTION,
            _resolve,
            STARTS,
        ),
        OwnTool(
            "activate_power",
            "Activate power",
            "Activate a specific MCP power server by name. Use when resolve_intent returns multiple matches. Only "
            "powers that a person has approved are started. Follow the text in `steering` when you use its tools.",
            schemas.ACTIVATION,
            _activate,
            STARTS,
        ),
        OwnTool(
            "deactivate_power",
            "Deactivate power",
            "Stop a power's server; its tools go from the tool list.",
            schemas.DEACTIVATION,
            _deactivate,
            STOPS,
        ),
        OwnTool(
            "explain",
            "Explain a query",
            "Everything the intent detector makes of a query, and why: type, matches with all scores and "
            "arithmetic, resolution, trace, and the memories that would be injected. Starts nothing.",
            schemas.INSPECTION,
            _explain,
            READS,
        ),
        OwnTool(
            "search_memories",
            "Search memories",
            "The taught memories that match a query best, with their responses. Starts nothing.",
            schemas.MEMORIES,
            _search,
            READS,
        ),
        OwnTool(
            "list_powers",
            "List powers",
            "Every power with its state: enabled, approved, running or not.",
            schemas.POWERS,
            _list,
            READS,
        ),
        OwnTool(
            "why_not",
            "Why not",
            "Why an answer that was expected did not come: the stage that lost it, by what, and the smallest changes "
            "that would win it with their effect on all labelled queries. Changes nothing; may take long.",
            schemas.WHY_NOT,
            why_not,
            READS,
        ),
        OwnTool(
            "route",
            "Route a query",
            "Which data store should answer a query, by which method and how surely. Advice: nothing is connected to.",
            schemas.ROUTE,
            route,
            READS,
        ),
        OwnTool(
            "evaluate",
            "Evaluate",
            "How many of the stored labelled queries of a task get exactly the expected answer today, and some that do "
            "not. May take long.",
            schemas.EVALUATION,
            evaluate,
            READS,
        ),
        OwnTool(
            "feedback",
            "Give feedback",
            "Mark an answer right or wrong for a query: the query becomes a labelled query. Only when the user says "
            "so; a person can undo it.",
            schemas.MARKED,
            feedback,
            REPLACES,
            lambda settings: settings.serve.teach,
        ),
        OwnTool(
            "teach",
            "Teach a memory",
            "Store a new memory: a text that users say, and what is to be known then. Only when the user asks for it.",
            schemas.TAUGHT,
            _teach,
            ADDS,
            lambda settings: settings.serve.teach,
        ),
    )
}
"""Tools by name, in display order."""
