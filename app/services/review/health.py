"""Health check of a library: unreachable outcomes, unused rules, each memory's own triggers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, replace
from operator import methodcaller

import numpy as np
from numpy.typing import NDArray

from app.detect.rule_trial import distinct
from app.detect.surfacing import is_silent
from app.domain.filters import MemoryFilter
from app.domain.health import (
    Coverage,
    Figures,
    FindingKind,
    FindingSubject,
    Health,
    HealthFinding,
    Severity,
    in_order,
    most_valuable,
)
from app.domain.history import HistoryEntry
from app.domain.intent import Rule
from app.domain.library import Answer, Memory
from app.evaluation.answers import JUDGED
from app.scoring.columns.column import Places, Singles
from app.scoring.combiners import Combiner, combiner_for
from app.scoring.index.layout import Lapses, group_of, utc_now
from app.scoring.own_triggers import NOBODY, EqualTriggers, MeaningSearch, own_worth
from app.scoring.text import TELLING_SIGNS, words
from app.services.core import Core
from app.services.engine.typing_priority import TypingPriority, chunks
from app.services.library.duplicates import Taught, lower_priority, run_slice, snapshot_answers
from app.services.library.intents import Intents
from app.services.library.rules import RuleEdits, RuleTrial
from app.services.powers.gateway import Gateway
from app.services.review import health_findings
from app.services.routing.routes import Routing
from app.services.status import EncoderState
from app.settings.model import Settings

AT_ONCE = 500
"""Number of memories read before yielding to typing."""

EPSILON = 1e-9

BEFORE, MEMORIES = 0.05, 0.93
"""Share of the work before the memories, and for the memories."""


async def check_health(
    core: Core, rule_edits: RuleEdits, rule_trial: RuleTrial, intents: Intents, routing: Routing, gateway: Gateway
) -> AsyncGenerator[float | Health, None]:
    """Yield the progress, 0 to 1, and finally the Health; closing the generator cancels.

    Waits for pending vectors. Runs on the core's thread; slow parts run on another one, which yields to typing. Raises
    StoreError.
    """
    yield 0.0
    await core.ready()
    begun = time.perf_counter()
    taught = await snapshot_answers(core.engine)
    semantic = core.engine.index.semantic
    arrays = Arrays(semantic.vectors, semantic.known.copy())
    survey = await rule_trial.survey()
    rules = await core.in_store(lambda library: library.rules())
    yield BEFORE
    check = MemoryCheck(taught, arrays, core.settings)
    async with aclosing(_on_a_thread(core, check.steps())) as steps:
        async for done in steps:
            yield BEFORE + MEMORIES * done
    texts, policy = survey.cases + survey.others, core.settings.search_intent.selection
    queries = await _newest_entries(core)
    asked = distinct([query.text for query in queries])
    shipped = {rule.id for rule in set(rule_edits.shipped()).intersection(rules)}
    answers = await intents.answered(JUDGED)
    evidence = health_findings.evidence_of(answers, queries)
    findings = [
        *health_findings.confusion_findings(answers),
        *health_findings.rule_findings(rules, survey.hints, texts, policy, shipped),
        *health_findings.use_findings(rules, *await rule_trial.use(asked), len(asked), shipped),
        *_reach_findings(core, rules, check.answers),
        *health_findings.power_findings(core.engine.index.layout().powers, await gateway.approvals(), gateway.runs()),
        *check.findings,
        *await _vector_findings(core, routing, taught, arrays),
        *await _excluded_memories(core),
        *_validity_findings(taught, core.engine.index.lapses),
        *await _history_findings(core, routing, queries, taught),
    ]
    coverage = Coverage(
        memories=sum(isinstance(answer, Memory) for answer, _ in taught),
        triggers=sum(len(rows) for _, rows in taught),
        powers=len(core.engine.index.layout().powers),
        rules=sum(rule.enabled for rule in rules),
        past=len(queries),
        texts=texts,
        seconds=time.perf_counter() - begun,
    )
    ordered = most_valuable(in_order(findings), evidence)
    yield Health(tuple(finding for finding, _ in ordered), coverage, evidence)


def _reach_findings(core: Core, rules: Sequence[Rule], answers: int) -> list[HealthFinding]:
    powers = core.engine.index.layout().powers
    has_meaning = core.status().encoder_state is not EncoderState.FAILED
    inputs = health_findings.ReachInputs(core.settings, powers, answers, rules, has_meaning)
    shipped = health_findings.reach_findings(replace(inputs, settings=Settings()))
    return [replace(one, is_shipped=one in shipped) for one in health_findings.reach_findings(inputs)]


async def _on_a_thread(core: Core, steps: Iterator[float]) -> AsyncGenerator[float, None]:
    """Iterate the steps on a separate thread, a time slice each; typing goes first."""
    loop = asyncio.get_running_loop()
    thread = ThreadPoolExecutor(1, "health", initializer=lower_priority)
    try:
        while (
            done := await loop.run_in_executor(thread, run_slice, _yielding_to_typing(core.typing_priority, steps))
        ) is not None:
            yield done
    finally:
        thread.shutdown(wait=False, cancel_futures=True)


def _yielding_to_typing(typing_priority: TypingPriority, steps: Iterator[float]) -> Iterator[float]:
    for done in steps:
        yield done
        typing_priority.yield_to_typing()


async def _vector_findings(core: Core, routing: Routing, taught: Taught, arrays: Arrays) -> list[HealthFinding]:
    status, encoder = core.status(), core.engine.encoder
    if status.encoder_state is EncoderState.FAILED:
        return [HealthFinding(FindingKind.ENCODER_ABSENT, {"sentence": status.faults.get("encoder", "")})]
    if encoder is None:
        return []
    is_under_way = status.embedded < status.to_embed
    found = [] if is_under_way else missing_vectors(taught, arrays.known, status.put_off)
    counts = await core.in_store(lambda library: library.vector_counts())
    found += health_findings.vector_findings(counts, encoder)
    route, state = core.settings.route, routing.state()
    if route.enabled and route.examples and state.examples and state.missing:
        found.append(HealthFinding(FindingKind.ROUTES_UNLEARNED, {"sentence": state.missing}))
    return found


async def _excluded_memories(core: Core) -> list[HealthFinding]:
    """Return the memories that are not scored: paused, or below the minimum success score."""
    least = core.settings.min_score
    found = await _memories(core, FindingKind.MEMORY_PAUSED, MemoryFilter(paused=True), {})
    if least > 0.0:
        wanted = MemoryFilter(success=(0.0, least - EPSILON), paused=False)
        found += await _memories(core, FindingKind.BELOW_MIN_SCORE, wanted, {"least": least})
    return found


def _validity_findings(taught: Taught, lapses: Lapses) -> list[HealthFinding]:
    """Return memories outside their validity period, and valid ones that contradict another."""
    now, lapsed, holding = utc_now(), list[FindingSubject](), list[Memory]()
    for answer, _ in taught:
        if not isinstance(answer, Memory):
            continue
        lapse = lapses.of(answer, now)
        if lapse is None:
            holding.append(answer)
        else:
            name = answer.name
            lapsed.append(FindingSubject(name, answer.triggers[0], lapse.words, None, "memory", answer.key))
    against = list(_contradictions(holding))
    return [
        *([HealthFinding(FindingKind.CONTRADICTION, {}, against)] if against else []),
        *([HealthFinding(FindingKind.MEMORY_LAPSED, {}, lapsed)] if lapsed else []),
    ]


def _contradictions(memories: Iterable[Memory]) -> Iterator[FindingSubject]:
    """Yield each memory with nearly a trigger of an earlier one of its label, but another response.

    Case, punctuation and plural endings do not distinguish triggers; signs as in -5 and 50 % do.
    """
    first: dict[tuple[str, object], Memory] = {}
    for memory in memories:
        if memory.answer_label is None or is_silent(memory):
            continue
        triggers = {(words(text) or _folded(text), *TELLING_SIGNS.findall(text)): text for text in memory.triggers}
        rivals = [(text, first.setdefault((memory.answer_label, folded), memory)) for folded, text in triggers.items()]
        own = _folded(memory.response)
        for text, rival in rivals:
            if _folded(rival.response) != own:
                yield FindingSubject(memory.name, text, rival.name, None, "memory", memory.key)
                break


def _folded(text: str) -> str:
    """Fold case and spaces of a text for comparison."""
    return " ".join(text.casefold().split())


async def _memories(core: Core, kind: FindingKind, wanted: MemoryFilter, figures: Figures) -> list[HealthFinding]:
    keys = await core.in_store(lambda library: library.find_memories(wanted))
    found: list[FindingSubject] = []
    for some in chunks(keys, AT_ONCE):
        for dated in await core.in_store(lambda library: library.memories_by_key(some)):  # noqa: B023 - awaited at once
            memory = dated.item
            name = memory.answer_label or memory.name
            found.append(FindingSubject(name, memory.triggers[0], "", memory.success, "memory", memory.key))
        await core.typing_priority.turn()
    return [HealthFinding(kind, figures, found)] if found else []


async def _newest_entries(core: Core) -> list[HistoryEntry]:
    """Return the newest queries with their traces, newest first."""
    keys = await core.in_store(health_findings.newest)
    queries: list[HistoryEntry] = []
    for some in chunks(keys, health_findings.READ_AT_ONCE):
        queries += await core.in_store(methodcaller("traced_queries", some))
        await core.typing_priority.turn()
    return queries


async def _history_findings(
    core: Core, routing: Routing, queries: Sequence[HistoryEntry], taught: Taught
) -> list[HealthFinding]:
    names = {called(answer) for answer, _ in taught}
    own = own_thresholds((answer for answer, _ in taught), core.settings)
    found = health_findings.history_findings(queries, core.settings, names, own)
    if core.settings.route.enabled and core.settings.route.has_any_store:
        found += health_findings.route_findings(await routing.log.metrics())
    return found


# ---- Every memory's own triggers as queries, and the resulting findings.


MEANING_COMBINATIONS = frozenset({"balanced", "calibrated"})
"""Combinations that use the mean of the semantic and centroid scores."""

NON_LEXICAL_SCORERS = frozenset({"centroid", "keyword"})
"""Scorers that do not give a trigger's own words the score 1."""

SAME_SHARE, MEANING_SHARE = 0.1, 0.85


@dataclass(frozen=True, slots=True)
class Arrays:
    """Snapshot of an index: vectors of shape (rows, dimension), and which rows have one."""

    vectors: Singles
    known: NDArray[np.bool_]


def called(answer: Answer) -> str:
    """Return the label of an answer, otherwise its name."""
    return answer.answer_label or answer.name


def own_thresholds(answers: Iterable[Answer], settings: Settings) -> dict[str, float]:
    """Return the thresholds of labels, or of memories without one, if they are enabled."""
    found: dict[str, float] = {}
    for one in answers if settings.label_thresholds else ():
        if isinstance(one, Memory) and (own := one.threshold) is not None:
            found[called(one)] = max(own, found.get(called(one), 0.0))
    return found


class MemoryCheck:
    """Checks all enabled memories stepwise: each trigger as a query, lexically and by vector."""

    def __init__(self, taught: Sequence[tuple[Answer, range]], arrays: Arrays, settings: Settings) -> None:
        self._taught, self._arrays, self._settings = taught, arrays, settings
        self._combiner: Combiner = combiner_for(settings, power=False)
        self._memories: list[Memory] = []
        self._starts: list[int] = []
        self.texts: list[str] = []
        self.findings: list[HealthFinding] = []
        self.answers = 0

    def steps(self) -> Iterator[float]:
        """Do the work; yield the share that is done, 0 to 1."""
        yield from self._gather()
        if not self.texts:
            return
        same = EqualTriggers(self.texts, self._owners, self._rows, self._groups, self._arrays.vectors)
        if self._combiner.name not in NON_LEXICAL_SCORERS:
            for done in same.steps(self._combiner, self._settings):
                yield SAME_SHARE * done
            yield from self._report_outranked(same.taken_by)
        if self._combiner.name in MEANING_COMBINATIONS and (self._rows != NOBODY).any():
            of_row = np.full(len(self._arrays.known), NOBODY, np.intp)
            has = self._rows != NOBODY
            of_row[self._rows[has]] = self._groups[has]
            search = MeaningSearch(self._arrays.vectors, of_row)
            for done in search.steps():
                yield SAME_SHARE + MEANING_SHARE * done
            yield from self._report_meaning(search)
        self._report_below()
        self._report_thin()
        yield 1.0

    # ---- triggers

    def _gather(self) -> Iterator[float]:
        names: dict[Hashable, int] = {}
        owners: list[int] = []
        rows: list[int] = []
        groups: list[int] = []
        for place, (answer, own) in enumerate(self._taught):
            if isinstance(answer, Memory):
                count = len(own)
                owners += [len(self._memories)] * count
                groups += [names.setdefault(group_of(answer), len(names))] * count
                rows += own
                self._starts.append(len(self.texts))
                self.texts += answer.triggers
                self._memories.append(answer)
            if place % AT_ONCE == 0:
                yield 0.0
        self.answers = len(names)
        self._owners, self._groups = np.array(owners, np.intp), np.array(groups, np.intp)
        every = np.array(rows, np.intp)
        self._rows: Places = np.where(self._arrays.known[every], every, NOBODY) if rows else every

    def _triggers(self, place: int) -> range:
        end = self._starts[place + 1] if place + 1 < len(self._starts) else len(self.texts)
        return range(self._starts[place], end)

    def _answer(self, trigger: int) -> str:
        memory = self._memories[int(self._owners[trigger])]
        return memory.answer_label or memory.name

    # ---- findings

    def _report_outranked(self, taken_by: Places) -> Iterator[float]:
        """Report memories that rank behind another one for each of their own triggers."""
        elsewhere: list[FindingSubject] = []
        same: list[FindingSubject] = []
        every = np.logical_and.reduceat(taken_by != NOBODY, self._starts)
        for count, place in enumerate(np.flatnonzero(every).tolist()):
            own = self._triggers(place)
            lost = [one for one in own if self._groups[taken_by[one]] != self._groups[one]]
            worst = lost[0] if lost else own[0]
            by = int(taken_by[worst])
            rival = self._answer(by) if lost else self._memories[int(self._owners[by])].name
            (elsewhere if lost else same).append(self._subject(place, worst, rival, 0.0))
            if count % AT_ONCE == 0:
                yield SAME_SHARE
        if elsewhere:
            self.findings.append(HealthFinding(FindingKind.TRIGGER_TAKEN, {}, elsewhere))
        if same:
            self.findings.append(HealthFinding(FindingKind.MEMORY_HIDDEN, {}, same))

    def _report_meaning(self, search: MeaningSearch) -> Iterator[float]:
        """Report memories whose triggers are all nearer to another answer, widest gap first."""
        trigger_at = np.full(len(self._arrays.known), NOBODY, np.intp)
        has = np.flatnonzero(self._rows != NOBODY)
        trigger_at[self._rows[has]] = has
        nearer = np.full(len(self.texts), NOBODY, np.intp)
        nearer[has] = search.nearer[self._rows[has]]
        ahead = np.zeros(len(self.texts))
        ahead[has] = (search.other - search.own)[self._rows[has]]
        every = np.logical_and.reduceat(nearer != NOBODY, self._starts)
        found = []
        for count, place in enumerate(np.flatnonzero(every).tolist()):
            worst = max(self._triggers(place), key=lambda one: ahead[one])
            rival = self._answer(int(trigger_at[nearer[worst]]))
            found.append(self._subject(place, worst, rival, float(ahead[worst])))
            if count % AT_ONCE == 0:
                yield 1.0
        found.sort(key=lambda one: -(one.value or 0.0))
        if found:
            self.findings.append(HealthFinding(FindingKind.MEANING_ELSEWHERE, {"asked": len(has)}, found))

    def _report_below(self) -> None:
        """Report memories below their label's or the common threshold even for their own words.

        Not where `combine` only ranks: a confidence that is a share depends on all answers.
        """
        if self._combiner.is_shared:
            return
        has = np.logical_or.reduceat(self._rows != NOBODY, self._starts)
        worth = own_worth(self._combiner, self._settings)
        least = self._settings.fallback_threshold
        of_memory = np.where(has, worth[0], worth[1])
        own = own_thresholds(self._memories, self._settings)
        lines = np.array([own.get(called(one), least) for one in self._memories])
        below = np.flatnonzero(of_memory < lines).tolist()
        found = [self._subject(place, self._starts[place], "", float(of_memory[place])) for place in below]
        if found:
            figures: Figures = {"threshold": least, "combination": self._combiner.name}
            self.findings.append(HealthFinding(FindingKind.MEMORY_BELOW, figures, found))

    def _report_thin(self) -> None:
        """Report labels with a single trigger, if others have several."""
        sizes = np.bincount(self._groups)
        thin = [
            FindingSubject(label, self.texts[start], "", 1.0, "label", self._memories[place].key)
            for place, start in enumerate(self._starts)
            if sizes[self._groups[start]] == 1 and (label := self._memories[place].answer_label) is not None
        ]
        if thin and (sizes > 1).any():
            self.findings.append(HealthFinding(FindingKind.LABEL_THIN, {"labels": len(sizes)}, thin))

    def _subject(self, place: int, trigger: int, rival: str, value: float) -> FindingSubject:
        memory = self._memories[place]
        return FindingSubject(
            memory.answer_label or memory.name, self.texts[trigger], rival, value, "memory", memory.key
        )


def missing_vectors(
    taught: Sequence[tuple[Answer, range]], known: NDArray[np.bool_], put_off: int
) -> list[HealthFinding]:
    """Report enabled triggers without a vector despite an encoder; postponed ones as notes."""
    found = [
        FindingSubject(answer.name, text, "", None, answer.kind.value, answer.key)
        for answer, rows in taught
        for text, row in zip(answer.triggers or (answer.name,), rows, strict=True)
        if not known[row]
    ]
    severity = Severity.NOTE if put_off else None
    return [HealthFinding(FindingKind.VECTOR_MISSING, {"put_off": put_off}, found, severity)] if found else []
