"""Inspections in every state of the LLM, merged by the real policies."""

from dataclasses import replace

from app.detect.merge import Ceiling, by_merger, merge
from app.domain.inspection import Detection, Inspection, Phase, Stage, Trace
from app.domain.intent import IntentType
from app.domain.llm import LlmAnswer, LlmOutcome, LlmReport
from app.domain.match import Operand, Step
from app.ports.llm import LlmState
from app.scoring.arithmetic import step
from app.settings.model import Settings, layer
from tests.gui.inspections import TEXT, FakeWorkbench, design

MODEL = "qwen2.5:1.5b"
SHARES = {
    "troubleshoot": 0.91,
    "howto": 0.041,
    "explanation": 0.032,
    "general": 0.01,
    "comparison": 0.004,
    "location": 0.003,
}
ANSWER = LlmAnswer(
    IntentType.TROUBLESHOOT,
    0.91,
    "one_token",
    distribution=SHARES,
    prompt='Classify what the writer of a query wants.\n\nQuery: "why does <b>the build</b> keep failing"\nType:',
    reply="' Trouble' -0.094\n' How' -3.194",
)
UNSURE = replace(
    ANSWER,
    name=IntentType.EXPLANATION,
    confidence=0.38,
    distribution={**SHARES, "troubleshoot": 0.3, "explanation": 0.38, "howto": 0.303},
)
DETAIL = LlmAnswer(
    IntentType.TROUBLESHOOT, 0.9, "json", ("build", "mac"), "The build fails again and again.", prompt="p", reply="{}"
)
SENTENCES = {
    LlmOutcome.OFF: "LLM is off. Keywords and examples decide alone.",
    LlmOutcome.UNREACHABLE: "No answer from http://localhost:11434.",
    LlmOutcome.MODEL_MISSING: "qwen2.5:1.5b is not on the server. Choose another or pull it.",
    LlmOutcome.COLD: "The model is loading. This is not a time-out.",
    LlmOutcome.FAILED: "The server answered 500: out of memory.",
    LlmOutcome.UNREADABLE: "The answer holds no type.",
}
TOOK = {
    LlmOutcome.ANSWERED: 142.0,
    LlmOutcome.LOW_CONFIDENCE: 142.0,
    LlmOutcome.TIMED_OUT: 200.4,
    LlmOutcome.LATE: 740.0,
    LlmOutcome.FAILED: 31.0,
    LlmOutcome.UNREADABLE: 118.0,
    LlmOutcome.SUPERSEDED: 63.0,
}
ANSWERS = {LlmOutcome.ANSWERED: ANSWER, LlmOutcome.LATE: ANSWER, LlmOutcome.LOW_CONFIDENCE: UNSURE}
PHASES = {LlmOutcome.LATE: Phase.LATE}


def settings(**values: object) -> Settings:
    here: dict[str, object] = {"llm.url": "http://localhost:11434", "llm.model": MODEL}
    return layer(here=here | {key.replace("__", "."): value for key, value in values.items()}).values


def weighed_detection() -> Detection:
    """Make the design's detection, with its floor computed like the present keyword rules."""
    found = design().detection
    floor = step("floor", "sum", (Operand("base", 0.5), Operand("cues", 1.0, 0.05)))
    return replace(found, steps=(floor,))


def report_of(outcome: LlmOutcome, answer: LlmAnswer | None = None, pause_ms: float = 120.0) -> LlmReport:
    """Make a report like that of the requests."""
    if outcome is LlmOutcome.OFF:
        return LlmReport(outcome, SENTENCES[outcome])
    answer = answer or ANSWERS.get(outcome)
    return LlmReport(
        outcome,
        SENTENCES.get(outcome, ""),
        MODEL,
        "one_token",
        TOOK.get(outcome),
        200.0,
        pause_ms,
        answer,
        prompt=answer.prompt if answer else "",
        reply=answer.reply if answer else "",
    )


def inspection_with(
    report: LlmReport, values: Settings | None = None, before: Inspection | None = None, found: Detection | None = None
) -> Inspection:
    """Make the design's query with this report, merged by the settings.

    `before` keeps its query and rows.
    """
    values = values or settings()
    base = before or design(TEXT)
    found = found or weighed_detection()
    late = report.outcome is LlmOutcome.LATE
    ceiling = Ceiling(LlmOutcome.TIMED_OUT if late else report.outcome, None if late else report.answer)
    policies = by_merger(found.intent, ceiling, values.search_intent)
    merged = policies[values.search_intent.merge]
    if late and report.answer is not None:
        would_be = merge(found.intent, Ceiling(LlmOutcome.ANSWERED, report.answer), values.search_intent).intent
        report = replace(report, would_be=would_be.confidence if would_be else 0.0)
    stage = () if report.ms is None else (Stage("llm", report.ms, report.outcome.value, report.pause_ms),)
    stages = tuple(stage for stage in base.trace.stages if stage.name != "llm")
    return replace(
        base,
        phase=PHASES.get(report.outcome, Phase.MERGED if report.ms is not None else base.phase),
        detection=found,
        intent=merged.intent,
        trace=Trace((*stages, *stage), found.hits, (*found.steps, *merged.steps), report),
        by_merger=policies,
    )


def inspection_in(outcome: LlmOutcome, **values: object) -> Inspection:
    return inspection_with(report_of(outcome), settings(**values))


def floor_of(*steps: Step) -> Detection:
    found = weighed_detection()
    assert found.intent is not None
    return replace(found, intent=replace(found.intent, confidence=steps[-1].result), steps=steps)


def bench(outcome: LlmOutcome = LlmOutcome.ANSWERED, **values: object) -> FakeWorkbench:
    made = FakeWorkbench()
    made.values = {
        "llm.url": "http://localhost:11434",
        "llm.model": MODEL,
        **{key.replace("__", "."): value for key, value in values.items()},
    }
    state = LlmState(outcome, SENTENCES.get(outcome, ""), MODEL, "one_token", load_ms=6_100.0)
    made.state = replace(made.state, llm=state)
    return made
