"""JSON documents of the command line and of MCP, stable from the first release (S8.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from app.detect.topics import topic_words
from app.display.scope.arithmetic import reason_of
from app.display.scope.contributions import Contribution, contributions
from app.display.scope.verdict import verdict_document
from app.domain.case import VoteBasis
from app.domain.documents import fields_of
from app.domain.inspection import Inspection, LearnedType, Merged, PowerMatch, Resolution, RouteDecision
from app.domain.intent import RuleHit, SearchIntent
from app.domain.library import Memory, Power
from app.domain.llm import LlmAnswer, LlmChoice, LlmOutcome, LlmReport
from app.domain.match import Match, Step, Tier
from app.domain.running import activation_blocker

if TYPE_CHECKING:
    from app.settings.model import Settings

Document = dict[str, Any]

AVAILABLE_CHARACTERS = 4_000
"""Maximum total length of the descriptions of available powers, in characters.

An assistant reads the list if nothing was found; for a large library it would cost more than the tools it replaces.
"""

SHORTEST_DESCRIPTION = 16
"""Minimum length of a cut description, in characters; a shorter one is left empty."""


def stored_document(inspection: Inspection, settings: Settings) -> Document:
    """Return the document that the history stores: `inspect` and verdict, without the LLM's texts."""
    return {**inspection_document(inspection, raw=False), "verdict": verdict_document(inspection, settings)}


def inspection_document(inspection: Inspection, settings: Settings | None = None, *, raw: bool = True) -> Document:
    """`inspect`: intent, matches, resolution, route and trace; missing parts are null.

    With `settings` also the verdict and the two separate lists, whose concatenation is `matches`. With `raw` also the
    LLM's prompts and replies.
    """
    leaders = {id(one) for one in (*inspection.memories[:1], *inspection.powers[:1]) if one.is_found}
    document = {
        "query": inspection.query.text,
        "intent": intent_document(inspection.intent),
        "matches": [
            match_document(match, reason_of(inspection, match).credited if id(match) in leaders else ())
            for match in inspection.matches
        ],
        "resolution": None if inspection.resolution is None else resolution_document(inspection.resolution),
        "route": route_document(inspection.route, raw=raw),
        "trace": trace_document(inspection, raw=raw),
        **fields_of(inspection, "absent", "combination", "counts"),
        "searched": None if inspection.searched is None else asdict(inspection.searched),
        "notes": list(inspection.notes),
    }
    return document if settings is None else {**document, **_decided_document(inspection, settings, document)}


def _decided_document(inspection: Inspection, settings: Settings, document: Document) -> Document:
    memories, matches = len(inspection.memories), document["matches"]
    return {
        "memories": matches[:memories],
        "powers": matches[memories:],
        "verdict": verdict_document(inspection, settings),
    }


def detection_document(inspection: Inspection) -> Document:
    """`detect`: the intent and its trace."""
    detection = inspection.detection
    return {
        "query": inspection.query.text,
        "intent": intent_document(inspection.intent),
        "trace": trace_document(inspection),
        **fields_of(detection, "enabled", "policy", "by_policy"),
        "evidence": {matched.type.value: matched.evidence for matched in detection.ranking},
        "notes": list(inspection.notes),
    }


def intent_document(intent: SearchIntent | None) -> Document | None:
    if intent is None:
        return None
    return fields_of(intent, "type", "confidence", "source", "keywords", "topics")


def match_document(match: Match, credited: Sequence[str] = ()) -> Document:
    """Make the document of a match; `winner` lists the scorers that decide, for first ones only."""
    word = {"band": match.band.value} if match.band is not None else {}
    if match.tier is not None:
        word = {"tier": match.tier.value}
    if match.tier is Tier.ACTIVATED and isinstance(match.answer, Power) and (lack := activation_blocker(match.answer)):
        word["lacks"] = lack.value
    return {
        "kind": match.kind.value,
        "id": match.answer.id or str(match.answer.key),
        "name": match.answer.name,
        "confidence": match.confidence,
        **({"intent_confidence": match.label_chance} if match.label_log_odds else {}),
        **word,
        "winner": list(credited),
        **fields_of(match, "trigger", "scores", "lead"),
        "intent": match.answer.intent if isinstance(match.answer, Memory) else None,
        **({} if match.threshold is None else {"threshold": match.threshold}),
        **({} if match.lapse is None else {"lapse": {"kind": match.lapse.kind.value, "reason": match.lapse.words}}),
        "best_trigger": dict(match.best_trigger),
        "arithmetic": [step_document(step) for step in match.steps],
        **({} if match.others is None else {"others": match.others}),
    }


def resolution_document(resolution: Resolution) -> Document:
    """Make 003's document of each status; `started` and `reason` say why nothing runs (S5.5)."""
    if resolution.status is Tier.ACTIVATED:
        first = resolution.matches[0]
        more = {"steering": first.power.steering} if resolution.started or resolution.gives_text else {}
        if resolution.needs_approval:
            more = {"needs_approval": resolution.needs_approval}
        return {
            "status": resolution.status.value,
            "power": {"name": first.power.name, "confidence": first.confidence, "match_type": first.match_type},
            "tools": [{"name": tool.name, "description": tool.description} for tool in resolution.tools],
            "started": resolution.started,
            "reason": resolution.reason,
            **more,
        }
    document: Document = {"status": resolution.status.value, "query": resolution.query}
    if resolution.status is Tier.NOT_FOUND:
        document["available_powers"] = _available(resolution.available)
    else:
        document["matches"] = [_power_match(match) for match in resolution.matches]
    return {**document, "message": resolution.message}


def route_document(route: RouteDecision | None, *, raw: bool = True) -> Document | None:
    if route is None:
        return None
    return {
        **fields_of(route, "intent", "databases", "confidence", "method", "rule_confidence", "reasoning"),
        "configuration": route.configuration or None,
        "final": route.is_final,
        "ms": route.ms,
        "steps": [
            {
                **fields_of(step, "stage", "outcome", "ms", "confidence"),
                "intent": step.label or None,
                "sentence": step.sentence,
            }
            for step in route.steps
        ],
        "rules": [_hit(hit) for hit in route.hits],
        "nearest": [
            {"text": one.text, "intent": one.label, "similarity": one.similarity, "shipped": one.is_shipped}
            for one in route.nearest
        ],
        "shares": dict(route.shares),
        "grounds": None if route.grounds is None else _grounds(route.grounds),
        **({"llm": route_llm_document(route)} if raw else {}),
    }


def route_llm_document(route: RouteDecision) -> Document | None:
    """Make the document of the LLM's answer on the route; null without one."""
    answer = route.llm
    if answer is None:
        return None
    return {
        "intent": answer.name,
        **fields_of(answer, "confidence", "mode"),
        "distribution": None if answer.distribution is None else dict(answer.distribution),
        "prompt": answer.prompt,
        "reply": answer.reply,
    }


def _grounds(grounds: VoteBasis) -> Document:
    return {
        **fields_of(grounds, "usual", "known"),
        "backed": grounds.is_backed,
        "backing": [fields_of(one, "text", "similarity") for one in grounds.backing],
        "words": list(grounds.words),
    }


def trace_document(inspection: Inspection, *, raw: bool = True) -> Document:
    trace = inspection.trace
    return {
        "stages": [fields_of(stage, "name", "ms", "outcome", "start_ms") for stage in trace.stages],
        "scorers": dict(trace.scorers),
        "rules": [_hit(hit) for hit in trace.hits],
        "asked": [
            {
                "type": one.type.value,
                "span": list(one.span),
                "text": inspection.query.scored[slice(*one.span)],
                "evidence": one.evidence,
            }
            for one in inspection.detection.clause_types
        ],
        "topics": [
            {"word": one.word, "dropped": None if one.dropped is None else one.dropped.value}
            for one in topic_words(inspection.query.scored)
        ],
        "learned": learned_document(inspection.detection.learned),
        "merge": [step_document(step) for step in trace.merge],
        "llm": None if trace.llm is None else llm_document(trace.llm, raw=raw),
        "choices": [choice_document(choice, raw=raw) for choice in trace.choices],
    }


def learned_document(learned: LearnedType | None) -> Document | None:
    """Make the document of the examples' vote on the type; null if examples are not used."""
    if learned is None:
        return None
    vote = learned.vote
    if vote is None:
        return {"type": None, "sentence": learned.missing}
    return {
        "type": None if vote.is_none_first else vote.label,
        "confidence": vote.confidence,
        "none": vote.for_none,
        "distribution": dict(vote.shares),
        "words": list(vote.grounds.words),
        "examples": [
            {"text": one.text, "type": one.label, "similarity": one.similarity, "shipped": one.is_shipped}
            for one in vote.nearest
        ],
        "sentence": "",
    }


def _hit(hit: RuleHit) -> Document:
    return {
        "id": hit.rule.id,
        "label": hit.rule.label,
        "span": list(hit.span),
        "spans": [list(span) for span in hit.spans],
        **fields_of(hit, "negated", "text", "evidence", "held_back"),
    }


def llm_document(report: LlmReport, *, raw: bool = True) -> Document:
    """Make the document of an LLM request; `late` is an answer after the budget.

    With `raw` also prompt and reply.
    """
    answer, late = report.answer, report.outcome is LlmOutcome.LATE
    words = {"prompt": report.prompt, "reply": report.reply} if raw else {}
    return {
        **fields_of(report, "outcome", "mode", "ms"),
        "late": _answer(answer) if late else None,
        "distribution": None if answer is None or answer.distribution is None else dict(answer.distribution),
        "answer": None if late else _answer(answer),
        **fields_of(report, "sentence", "model", "budget_ms", "pause_ms", "would_be"),
        "detail": _answer(report.detail),
        **words,
    }


def choice_document(choice: LlmChoice, *, raw: bool = True) -> Document:
    """Make the document of an LLM choice among the best answers, with its arithmetic."""
    answer = choice.answer
    return {
        **fields_of(choice, "of", "options", "outcome", "sentence", "mode", "ms", "budget_ms"),
        "chosen": None if answer is None else answer.name,
        "confidence": None if answer is None else answer.confidence,
        "distribution": None if answer is None or answer.distribution is None else dict(answer.distribution),
        "result": {"name": choice.name, "confidence": choice.confidence} if choice.name else None,
        "merge": [step_document(step) for step in choice.steps],
        **({"prompt": choice.prompt, "reply": choice.reply} if raw else {}),
    }


def _answer(answer: LlmAnswer | None) -> Document | None:
    if answer is None:
        return None
    return fields_of(answer, "type", "confidence", "topics", "reasoning", "mode")


def step_document(step: Step) -> Document:
    weights: Mapping[str, float] = {o.name: o.weight for o in step.operands if o.weight is not None}
    document: Document = {
        "step": step.name,
        "operation": step.operation,
        "operands": {operand.name: operand.value for operand in step.operands},
        "result": step.result,
    }
    return {**document, "weights": weights} if weights else document


def _available(powers: Sequence[Power]) -> list[Document]:
    """List name and description of every power; descriptions are cut if they are too long."""
    total = sum(len(power.summary) for power in powers)
    longest = total if total <= AVAILABLE_CHARACTERS else AVAILABLE_CHARACTERS // len(powers)
    return [{"name": power.name, "description": _cut(power.summary, longest)} for power in powers]


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    if longest < SHORTEST_DESCRIPTION:
        return ""
    whole_words = text[:longest].rpartition(" ")[0].rstrip(" ,.;:")
    return (whole_words or text[: longest - 1]) + "…"


def _power_match(match: PowerMatch) -> Document:
    return {
        "name": match.power.name,
        "confidence": match.confidence,
        "match_type": match.match_type,
        "description": match.power.summary,
        "keywords": list(match.power.keywords),
    }


# ---- inspect --json: everything known about a query


def full_inspection_document(inspection: Inspection, settings: Settings | None = None) -> Document:
    """`inspect`: the document with contents, scores by word, all policies, and unlisted matches."""
    document = inspection_document(inspection)
    query, detection = inspection.query.scored, inspection.detection
    listed = zip(document["matches"], inspection.matches, strict=True)
    matches = [{**one, **_answer_content(match), "words": _word_scores(query, match)} for one, match in listed]
    document["matches"] = matches
    return {
        **document,
        **({} if settings is None else _decided_document(inspection, settings, document)),
        "below": [match_document(match) for match in inspection.below],
        "policies": {
            "selection": {"in_force": detection.policy, "types": dict(detection.by_policy)},
            "evidence": {matched.type.value: matched.evidence for matched in detection.ranking},
            "merge": {name: _merge_document(merged) for name, merged in inspection.by_merger.items()},
        },
    }


def _answer_content(match: Match) -> Document:
    answer = match.answer
    if isinstance(answer, Memory):
        return {"response": answer.response, "namespace": answer.namespace, "tags": list(answer.tags)}
    return {"description": answer.description, "steering": answer.steering}


def _merge_document(merged: Merged) -> Document:
    return {"intent": intent_document(merged.intent), "steps": [step_document(step) for step in merged.steps]}


def _word_scores(query: str, match: Match) -> Mapping[str, Document]:
    """Return, by scorer, the words of both texts, the effect of each, and the sum."""
    return {one.scorer: _contribution_document(one) for one in contributions(query, match)}


def _contribution_document(one: Contribution) -> Document:
    rows = [
        {"of": row.title, "words": [{"text": w.text, "is": w.part.value, "adds": w.note} for w in row.words]}
        for row in one.rows
    ]
    return {"rows": rows, "sentence": one.sentence, "arithmetic": one.arithmetic}
