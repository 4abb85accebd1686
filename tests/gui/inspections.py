"""Inspections as in the design, and a workbench that returns them."""

import asyncio
import random
import threading
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from app.adapters.formats.toml_tables import TomlPacks
from app.adapters.machine import now_ms
from app.detect.keywords import KeywordRules
from app.detect.surfacing import (
    Limits,
    Parts,
    Surfaced,
    entries,
    head_text,
    memory_text,
    number_text,
    surfacing_row,
    weigh,
)
from app.domain.case import EvaluationRun
from app.domain.fits import Refit
from app.domain.history import UsageTotals
from app.domain.inspection import (
    AblationResult,
    Detection,
    Inspection,
    Phase,
    PowerMatch,
    Resolution,
    Stage,
    Trace,
    TypeEvidence,
    WordImportance,
)
from app.domain.intent import DetectionSource, IntentType, Rule, RuleHit, SearchIntent
from app.domain.journal import Edit, Undone
from app.domain.library import Answer, Kind, Memory, Power, Tool
from app.domain.llm import LlmReport
from app.domain.match import Band, Breakdown, EagerExplanation, Match, Operand, Query, Step, Tier, TriggerScores
from app.domain.why_not import EditPreview, Effect
from app.ports.llm import LlmError
from app.ports.store import Library
from app.scoring.arithmetic import contributions
from app.scoring.combiners import COMBINERS
from app.scoring.index.ranking import Confident
from app.scoring.index.trigger_index import TriggerIndex
from app.services.core import Progress, Result
from app.services.engine.connection import REMEDIES, Link, LinkState, without_address
from app.services.engine.engine import Engine
from app.services.engine.llm_requests import LlmRequests
from app.services.engine.metrics import EngineMetrics
from app.services.engine.typing_priority import TypingPriority
from app.services.evaluation.refits import RefitChanges, Refits
from app.services.evaluation.runs import Runs
from app.services.events import Event
from app.services.library.curate import Catalogue
from app.services.library.journal import Journal
from app.services.library.rules import RulePacks, RuleTrial
from app.services.powers.gateway import Gateway
from app.services.review.recorder import UsageLog
from app.services.scope.edit_previews import EditPreviews
from app.services.scope.types import Types
from app.services.status import EncoderState, Status
from app.services.workbench import Workbench
from app.settings.model import Settings, layer
from tests.fakes import MemoryLibrary
from tests.gui.fakes import FakeDuplicates, FakeEncoders, FakeHistory, FakeRouting, FakeStores

TEXT = "why does the build keep failing on my mac"
SCORERS = ("exact", "fuzzy", "token_overlap", "semantic", "centroid", "keyword")

BUILD_FAILS = Memory(
    ("build fails on macos", "the build keeps failing on my laptop", "xcode build error after update"),
    response="Clear the derived data and run the doctor script. Since the 14.4 update the command line tools have to "
    "be selected again: xcode-select --switch.",
    namespace="blockers",
    id="build-fails-locally",
    success=0.86,
    right=31,
    key=1,
)
XCODE = Power(
    "xcode-build",
    "Build, test and archive Xcode projects",
    keywords=("xcode", "archive"),
    tools=(Tool("build", "Build a scheme"), Tool("test", "Run the tests")),
    examples=("why did my xcode build fail",),
    key=1,
)
SENTRY = Power("sentry", "Errors and crashes from production", keywords=("crash",), key=2)
ACTIONS = Power("github-actions", "rerun_failed: run the failed jobs again", keywords=("workflow",), key=3)


def _memory(key: int, name: str, trigger: str) -> Memory:
    return Memory((trigger,), response="Ask the platform team.", namespace="learnings", id=name, key=key)


ROWS: tuple[tuple[Answer, str, Sequence[float | None]], ...] = (
    (BUILD_FAILS, "build fails on macos", (0.0, 0.7791, 0.4 * 5 / 11 + 0.6 * 5 / 9, 0.8381, 0.8739, None)),
    (XCODE, "why did my xcode build fail", (0.0, 0.5622, 0.3, 0.7128, 0.5252, 0.0)),
    (_memory(2, "slow-build", "build is slow on my machine"), "", (0.0, 0.694, 0.4, 0.547, 0.547, None)),
    (_memory(3, "signing", "code signing fails on mac"), "", (0.0, 0.455, 0.2, 0.478, 0.564, None)),
    (_memory(4, "ci-red", "the nightly build is red"), "", (0.0, 0.563, 0.206, 0.394, 0.53, None)),
    (_memory(5, "flaky-tests", "flaky test on mac runner"), "", (0.0, 0.4, 0.2, 0.429, 0.447, None)),
    (_memory(6, "new-laptop", "set up my new mac for development"), "", (0.0, 0.459, 0.19, 0.399, 0.399, None)),
    (SENTRY, "Errors and crashes from production", (0.0, 0.37, 0.0, 0.4452, 0.3228, 0.0)),
    (_memory(7, "arch-build", "how is the build set up"), "", (0.0, 0.5, 0.195, 0.369, 0.375, None)),
    (ACTIONS, "rerun_failed: run the failed jobs again", (0.0, 0.492, 0.2, 0.276, 0.14, 0.0)),
)


def band(value: float) -> Band:
    return Band.HIGH if value >= 0.75 else Band.MEDIUM if value >= 0.5 else Band.LOW if value >= 0.3 else Band.FALLBACK


def tier(value: float) -> Tier:
    if value >= 0.85:
        return Tier.ACTIVATED
    return Tier.MULTIPLE_MATCHES if value >= 0.5 else Tier.WEAK_MATCHES if value >= 0.3 else Tier.NOT_FOUND


@dataclass(frozen=True)
class BalancedAccount(EagerExplanation):
    """Explanation computed by hand, with the contributions of `balanced`."""

    scores: Breakdown = field(default_factory=dict)

    def contributions_over(self, rival: Breakdown) -> tuple[Operand, ...]:
        return contributions(self.scores, rival, Confident(COMBINERS["balanced"].explain, Settings(), None))


def match(answer: Answer, trigger: str, values: Sequence[float | None]) -> Match:
    """Make a match under `balanced`, with a confidence computed by hand."""
    scores = dict(zip(SCORERS, values, strict=True))
    semantic, centroid, exact = scores["semantic"], scores["centroid"], scores["exact"] or 0.0
    if semantic is None or centroid is None:
        operands = tuple(Operand(name, value) for name, value in scores.items() if value is not None)
        best = max(operands, key=lambda operand: operand.value)
        steps: tuple[Step, ...] = (Step("confidence", "max", operands, best.value),)
        winners: tuple[str, ...] = (best.name,)
    else:
        mean = (semantic + centroid) / 2
        steps = (
            Step("mean", "mean", (Operand("semantic", semantic), Operand("centroid", centroid)), mean),
            Step("confidence", "max", (Operand("exact", exact), Operand("mean", mean)), max(exact, mean)),
        )
        winners = ("semantic", "centroid")
    confidence = steps[-1].result
    trigger = trigger or answer.triggers[0]
    lexical = answer.triggers[1] if len(answer.triggers) > 1 and isinstance(answer, Memory) else trigger
    power = isinstance(answer, Power)
    taught = (0.838, 0.772, 0.621, 0.4, 0.3, 0.2, 0.1)
    return Match(
        answer,
        confidence,
        scores,
        winners,
        trigger,
        BalancedAccount(
            steps,
            {"fuzzy": lexical, "token_overlap": lexical, "semantic": trigger, "centroid": None},
            tuple(
                TriggerScores(text, {"semantic": None if semantic is None else taught[place % 7]})
                for place, text in enumerate(answer.triggers)
            ),
            scores=scores,
        ),
        label_size=len(answer.triggers),
        band=None if power else band(confidence),
        tier=tier(confidence) if power else None,
    )


def led(matches: Sequence[Match]) -> tuple[Match, ...]:
    """Return memories, then powers, each best first, with leads over the next."""
    found: list[Match] = []
    for kind in Kind:
        ordered = sorted((one for one in matches if one.kind is kind), key=lambda entry: -entry.confidence)
        leads = [a.confidence - b.confidence for a, b in pairwise(ordered)]
        found += [replace(entry, lead=lead) for entry, lead in zip(ordered, [*leads, None], strict=False)]
    return tuple(found)


def _hit(text: str, label: IntentType, cue: str, evidence: float, *, held_back: bool = False) -> RuleHit:
    start = text.index(cue)
    rule = Rule(f"{label}.{cue}", str(label), cue, "shipped", 1)
    return RuleHit(rule, (start, start + len(cue)), cue, evidence, held_back)


def detection(text: str = TEXT) -> Detection:
    """Make a detection of troubleshoot, with a weaker how-to and a suppressed explanation."""
    failing = _hit(text, IntentType.TROUBLESHOOT, "failing", 1.2)
    build = _hit(text, IntentType.HOWTO, "build", 0.5)
    why = _hit(text, IntentType.EXPLANATION, "why does", 0.0, held_back=True)
    return Detection(
        SearchIntent(
            IntentType.TROUBLESHOOT, 0.55, DetectionSource.KEYWORD, ("failing",), ("build", "keep", "failing", "mac")
        ),
        "evidence",
        (why, build, failing),
        (TypeEvidence(IntentType.TROUBLESHOOT, 1.2, (failing,)), TypeEvidence(IntentType.HOWTO, 0.5, (build,))),
        {"evidence": IntentType.TROUBLESHOOT, "priority": IntentType.HOWTO},
        (Step("floor", "sum", (Operand("base", 0.5), Operand("cues", 0.05)), 0.55),),
    )


STAGES = (
    Stage("keywords", 0.2, start_ms=0.0),
    Stage("lexical", 0.4, start_ms=0.2),
    Stage("embed query", 7.6, start_ms=0.6),
    Stage("combine", 0.3, start_ms=8.2),
    Stage("resolve", 0.1, start_ms=8.5),
)


def design(text: str = TEXT, phase: Phase = Phase.EMBEDDED) -> Inspection:
    """Make the inspection of the design's query."""
    found = detection(text)
    matches = led([match(*row) for row in ROWS])
    return Inspection(
        Query.of(text),
        phase,
        found,
        found.intent,
        matches,
        Resolution(
            Tier.MULTIPLE_MATCHES,
            text,
            (PowerMatch(XCODE, next(one.confidence for one in matches if one.answer is XCODE), "semantic"),),
        ),
        Trace(STAGES, found.hits),
        counts={"memory": 60, "power": 20},
        combination={"memory": "balanced", "power": "balanced"},
    )


def lexical_only(text: str = TEXT) -> Inspection:
    """Make the same while the encoder is loading."""
    rows = [(answer, trigger, (*values[:3], None, None, values[5])) for answer, trigger, values in ROWS]
    return replace(
        design(text, Phase.FLOOR),
        matches=led([match(*row) for row in rows]),
        absent={"semantic": "The encoder is loading; the best lexical score decides for now."},
        trace=Trace(STAGES[:2], ()),
    )


def undetected(text: str) -> Inspection:
    """Make the inspection of any other text: no cue, and matches shuffled by the text."""
    share = 0.3 + (sum(map(ord, text[:200])) % 60) / 100.0
    rows = [
        (a, t, tuple(v if not v or n == 0 else round(min(1.0, v * share + 0.1), 6) for n, v in enumerate(values)))
        for a, t, values in ROWS
    ]
    none = Detection(None, "evidence", by_policy={"evidence": None, "priority": None})
    matches = led([match(*row) for row in rows])
    best = next(entry for entry in matches if isinstance(entry.answer, Power))
    assert isinstance(best.answer, Power)
    assert best.tier is not None
    powers = () if best.tier is Tier.NOT_FOUND else (PowerMatch(best.answer, best.confidence, "semantic"),)
    available = (XCODE, SENTRY, ACTIONS) if best.tier is Tier.NOT_FOUND else ()
    return replace(
        design(),
        query=Query.of(text),
        detection=none,
        intent=None,
        matches=matches,
        resolution=Resolution(best.tier, text, powers, available=available),
    )


def inspection_of(text: str) -> Inspection:
    return design(text) if all(cue in text for cue in ("why does", "build", "failing")) else undetected(text)


COUNTS = {"memories": 60, "powers": 20, "rules": 41}


class FakeTypes(Types):
    """Types service that stores each taught text once."""

    def __init__(self) -> None:
        self.taught: dict[str, IntentType | None] = {}

    async def teach(self, text: str, type_: IntentType | None, *, source: str = "window") -> bool:
        is_new = text not in self.taught
        self.taught[text] = type_
        return is_new


class FakeEditPreviews(EditPreviews):
    """Edit previews with a given result."""

    def __init__(self) -> None:
        self.found = EditPreview(Effect(0, 0))
        self.asked: list[tuple[str, str]] = []

    async def of_trigger(self, answer: Answer, text: str, tell: Progress | None = None) -> EditPreview:
        self.asked.append((answer.name, text))
        return self.found

    async def of_settings(self, changes: Mapping[str, str]) -> EditPreview:
        self.asked += changes.items()
        return self.found


class FakeRuns(Runs):
    def __init__(self) -> None:
        self.latest = {}

    async def kept(self) -> list[EvaluationRun]:
        return []


class FakeRefits(Refits):
    def __init__(self) -> None:
        self.changed = Event[Refit]()

    async def latest(self) -> RefitChanges | None:
        return None


SENTENCES = {
    "Address": "http://127.0.0.1:11434.",
    "Server": "Ollama 0.33.0 answers.",
    "Model": "qwen2.5:1.5b is on the server.",
    "Loaded": "It was loaded in 2,140 ms. A cold start is not a time-out.",
    "Answer": "“how do I rotate a page”: howto 0.912, mode one_token.",
    "Latency": "142 ms is the median of 5 answers; the budget is 200 ms.",
}
MODELS = ["qwen2.5:1.5b", "smollm2:135m"]


class FakeUseLog(UsageLog):
    def __init__(self) -> None:
        self.found = UsageTotals(30)

    async def totals(self, days: int = 30) -> UsageTotals:
        return self.found


class FakeCatalogue(Catalogue):
    def conflicts(self, trigger: str, intent: str | None) -> list[Memory]:
        return [BUILD_FAILS] if trigger in BUILD_FAILS.triggers else []

    def holds(self, name: str, trigger: str) -> bool:
        return self._core.status().counts.get("memories", 0) == COUNTS["memories"]


class FakeWorkbench(Workbench):
    """Workbench that answers immediately with fixtures, and records requests; its LLM is scripted."""

    typing_priority = TypingPriority()

    def __init__(self, *, encoder: EncoderState = EncoderState.READY, counts: dict[str, int] | None = None) -> None:
        self.status_changed = Event[Status]()
        self.values: dict[str, object] = {}
        self.state = Status("default", encoder_state=encoder, counts=COUNTS if counts is None else counts)
        self.asked: list[str] = []
        self.answered: list[str] = []
        self.settled: list[tuple[str, dict[str, str]]] = []
        self.surfaced: list[tuple[str, dict[str, str]]] = []
        self.closed_streams = self.cleared = 0
        self.closed = False
        self.taught: list[Memory] = []
        self.pause = 0.0
        """Duration of later answers in seconds."""
        self.free = threading.Event()
        """While clear, comparisons and pulls do not end."""
        self.free.set()
        self.refuse: Exception | None = None
        self.llm: LlmReport | None = None
        self.llm_server: Any = SimpleNamespace(check=self.check_llm, models=self.llm_models, pull=self.pull_llm)
        self.fails_at: str | None = None  # link of the LLM
        self.step = 0.0  # duration of a link, in seconds
        self.total = 100
        self.models = list(MODELS)
        self.model_fault: LlmError | None = None
        self.under_way = 0
        self.metrics = EngineMetrics()
        self.usage: FakeUseLog = FakeUseLog()
        self.counts_of: dict[str, WordImportance] = {}
        self.edit_previews: FakeEditPreviews = FakeEditPreviews()
        self.encoders: FakeEncoders = FakeEncoders()
        self.refits = FakeRefits()
        self.duplicates = FakeDuplicates()
        self.history = FakeHistory()
        self.routing = FakeRouting()
        self.evaluations: Any = None  # a library without cases asks nothing of it
        self.stores = FakeStores()
        self.types: FakeTypes = FakeTypes()
        self.runs: FakeRuns = FakeRuns()
        llm = LlmRequests(None, now_ms, self.metrics)
        self.engine = Engine(TriggerIndex(384), KeywordRules(()), Settings(), now_ms, llm)
        self.curator: Any = SimpleNamespace(teach=self.teach, undo=self.undo)
        self.journal = Journal(self)
        self.catalogue = FakeCatalogue(self, self.journal)
        self.gateway = Gateway(self, Journal(self), None, now_ms)
        self.rule_packs = RulePacks(self, Journal(self), list, TomlPacks())
        self.rule_trial = RuleTrial(self)

    @property
    def settings(self) -> Settings:
        return layer(here=self.values).values

    @property
    def origins(self) -> Mapping[str, str]:
        return layer(here=self.values).origins

    def status(self) -> Status:
        return self.state

    async def ablate_words(self, inspection: Inspection, match: Match | None = None) -> WordImportance:
        return self.counts_of.get(
            inspection.query.text, WordImportance("", "", AblationResult("", None, 0.0, None, {}))
        )

    async def open(self, *, encoder: bool = True, llm: bool = True, watch: bool = True) -> None:
        return None

    def note_cleared(self) -> None:
        self.cleared += 1

    async def inspect(self, text: str, *, typing: bool = True, route: bool = True) -> AsyncGenerator[Inspection, None]:
        pause = self.pause
        self.asked.append(text)
        if self.refuse is not None:
            raise self.refuse
        try:
            known = "failing" in text and "why does" in text
            yield lexical_only(text) if known else replace(undetected(text), phase=Phase.FLOOR)
            await asyncio.sleep(pause)
            if self.state.encoder_state == "ready":
                self.answered.append(text)
                found = inspection_of(text)
                yield replace(found, trace=replace(found.trace, llm=self.llm))
        finally:
            self.closed_streams += 1

    async def teach(self, memory: Memory) -> Memory:
        if self.refuse is not None:
            raise self.refuse
        self.taught.append(memory)
        self.tell(replace(self.state, counts={**self.state.counts, "memories": len(self.taught)}))
        return memory

    async def undo(self) -> Undone | None:
        return Undone(f"Undone: “{self.taught.pop().name}”.") if self.taught else None

    async def in_store(self, call: Callable[[Library], Result]) -> Result:
        return call(MemoryLibrary())

    async def settle_as(self, text: str, changes: Mapping[str, str]) -> Inspection:
        """Answer under other settings.

        The result of `max` or As documented is a fixture with another type.
        """
        self.settled.append((text, dict(changes)))
        layer(here={**self.values, **changes})
        await asyncio.sleep(self.pause)
        await asyncio.to_thread(self.free.wait, 60.0)
        other = changes.get("preset") == "as_documented" or changes.get("combination") == "max"
        return replace(undetected(text) if other else inspection_of(text), query=Query.of(text))

    async def settle(self, text: str, *, late: bool = False, route: bool = True) -> Inspection:
        await asyncio.sleep(self.pause)
        return replace(inspection_of(text), query=Query.of(text))

    async def prefetch(self, texts: Sequence[str], vectors: object = None) -> None:
        return None

    async def surface(self, inspection: Inspection, changes: Mapping[str, str] = {}) -> Surfaced:
        """Inject the fixtures' memories, weighted by the settings; every text has 50 tokens."""
        settings = layer(here={**self.values, **changes}).values
        self.surfaced.append((inspection.query.text, dict(changes)))
        intent = inspection.intent
        found = [(m.answer, m.confidence) for m in inspection.matches if isinstance(m.answer, Memory)]
        weighed = weigh(found, lambda name: settings.namespaces.weight(intent.type, name) if intent else 1.0)
        limits = Limits(settings.search_intent.surfacing_threshold, settings.search_intent.surfacing_tokens)
        row = surfacing_row(intent.confidence, limits.threshold) if intent else None
        texts = [number_text(place) + memory_text(one.memory) for place, one in enumerate(weighed, 1)]
        parts = Parts(head_text(intent), 50, texts, [50] * len(texts))
        listed = entries(weighed, row, parts, limits)
        return Surfaced(intent, row, limits, listed, (), parts.head, 50, len(listed), len(listed), "made up")

    async def retry(self, part: str) -> None:
        """Retry nothing."""

    async def choose_all(self, changes: Mapping[str, str | None], edit: Edit | None = None) -> None:
        for key, value in changes.items():
            await self.choose(key, value)

    async def add_seed_library(self, *, only_cases: bool = False) -> int:
        self.tell(replace(self.state, counts=COUNTS))
        return 80

    async def choose(self, key: str, value: str | None) -> None:
        others = {name: kept for name, kept in self.values.items() if name != key}
        wanted = others if value is None else {**others, key: value}
        layer(here=wanted)
        self.values = wanted
        self.tell(self.state)

    async def close(self) -> None:
        self.closed = True

    async def check_llm(self) -> AsyncGenerator[tuple[Link, ...], None]:
        if not self.settings.llm.url:
            yield without_address()
            return
        links, step = {name: Link(name, LinkState.WAITING) for name in REMEDIES}, self.step
        self.under_way += 1
        try:
            for name, sentence in SENTENCES.items():
                links[name] = Link(name, LinkState.RUNNING)
                yield tuple(links.values())
                await asyncio.sleep(step)
                if name == self.fails_at:
                    links[name] = Link(name, LinkState.FAILED, "No answer from http://127.0.0.1:9.", REMEDIES[name])
                    yield tuple(links.values())
                    return
                links[name] = Link(name, LinkState.FINE, sentence)
                yield tuple(links.values())
        finally:
            self.under_way -= 1

    async def llm_models(self) -> list[str]:
        if self.model_fault is not None:
            raise self.model_fault
        return self.models

    async def pull_llm(self, model: str) -> AsyncGenerator[tuple[str, int, int], None]:
        self.under_way += 1
        try:
            yield "pulling manifest", 0, 0
            if model == "nowhere":
                raise LlmError("pull model manifest: file does not exist.")
            for done in range(0, self.total + 1, 10):
                await asyncio.sleep(self.step)
                yield "pulling 4a1b", done * 1_000_000, self.total * 1_000_000
                await asyncio.to_thread(self.free.wait, 60.0)
            self.models.append(model)
        finally:
            self.under_way -= 1

    def tell(self, status: Status) -> None:
        self.state = status
        self.status_changed.notify(status)


def with_measures(bench: FakeWorkbench) -> FakeWorkbench:
    """Add some hundred generated detections, most of them with an LLM within its budget."""
    metrics, dice = bench.metrics, random.Random(11)
    for number in range(240):
        ms = dice.lognormvariate(4.9, 0.45)
        late = ms > 200
        metrics.llm_started += 1
        if number % 12 == 0:
            metrics.llm_completed["cancelled"] += 1
            metrics.outcomes["superseded"] += 1
            continue
        metrics.llm_completed["timeout" if late else "success"] += 1
        metrics.outcomes["timed_out" if late else "answered"] += 1
        if late:
            metrics.llm_timeouts["cold" if number < 20 else "budget"] += 1
        metrics.llm_seconds.add(ms / 1000)
        if number % 3 == 0:
            metrics.detected("keyword", dice.uniform(0.0002, 0.0009))
        metrics.detected("keyword" if late else "hybrid" if number % 7 else "llm", min(ms, 200) / 1000)
    metrics.llm_orphaned = 1
    return bench
