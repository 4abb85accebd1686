"""Why-not service: explains a missing answer, and tries changes on it and all cases (S7.6)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace

from app.detect.surfacing import Limits, Surfaced
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.filters import MemoryFilter
from app.domain.intent import IntentType, intent_type
from app.domain.journal import Edit, choosing, name_of
from app.domain.match import Query
from app.domain.why_not import (
    MOST_NAMED,
    NOTHING,
    SILENT,
    AddTrigger,
    Change,
    ChangeSettings,
    Effect,
    Expectation,
    LostAt,
    Note,
    RestoreItems,
    Rewrite,
    StoreRules,
    TeachRoute,
    TeachType,
    WhyNot,
)
from app.evaluation.answers import RIGHT, Answered, RankedName, acceptable, blocker_of, grade, is_held_back, unexpected
from app.scoring.combiners import combiner_for
from app.scoring.index.layout import Layout
from app.scoring.learned.library import settings_without_case
from app.services.core import Core, Progress
from app.services.engine.learner import wants_fit
from app.services.evaluation.deliveries import TASKS as DELIVERED
from app.services.evaluation.evaluate import route_answer, type_answer, without_llm
from app.services.evaluation.trial_snapshot import ChangedMeanwhileError, Trial, TrialSnapshot, TrialVectors
from app.services.evaluation.trials import RANKED, TaughtAnswers, TrialQuery
from app.services.library.curate import Curator
from app.services.library.journal import WINDOW, Journal
from app.services.routing.routes import Routing
from app.services.scope.types import Types
from app.services.scope.why_not_question import (
    MOST_PER_FAMILY,
    TASKS,
    Draft,
    FoundAnswer,
    WhyNotQuestion,
    expected_type,
    labels_of,
)
from app.services.scope.why_not_ranked import explain_ranked, is_answered, of_nothing
from app.services.scope.why_not_routes import decided, explain_route
from app.services.scope.why_not_types import explain_type
from app.settings.model import Settings

MOST_EXPECTED = 50
"""Limit of memories of the expected answer to load if a team's server found none of them."""

ADDITIONS = {"trigger.add", "type.teach", "route.teach", "rule.add"}
"""Keys of changes that take nothing away."""

Tried = tuple[Draft, bool]
"""Draft of a change, and whether it gives the expected answer."""

TRIES = 3
"""Number of attempts if the library or settings change meanwhile."""


class WhyNots:
    """`workbench.why_nots`. Methods run on the core's asyncio thread and yield to typing."""

    def __init__(
        self,
        core: Core,
        journal: Journal,
        curator: Curator,
        routing: Routing,
        types: Types,
        surface: Callable[[str], Awaitable[Surfaced]],
    ) -> None:
        self._core = core
        self._types = types
        self._surface = surface
        self._journal = journal
        self._curator = curator
        self._routing = routing
        self._trial_vectors = TrialVectors(core)
        self._taught: TaughtAnswers | None = None
        self._names: tuple[Layout, list[str]] | None = None

    async def explain(
        self, text: str, expected: Expectation, on_progress: Callable[[int, int], None] | None = None
    ) -> WhyNot:
        """Return the stage that loses `expected`, and the effect of each change on all cases.

        Nothing is stored, started or sent to an LLM. `on_progress` gets the number of cases done and their total.
        Cancelling the task stops it between two cases. Raises StoreError, EncoderError; KnownError for an empty query,
        or if the library kept changing meanwhile.
        """
        if Query.of(text).is_empty:
            raise KnownError("Nothing was asked.")
        beside = await self._gather(text, expected)
        for _ in range(TRIES - 1):
            try:
                return await self._explained(text, expected, on_progress, beside)
            except ChangedMeanwhileError:
                continue
        return await self._explained(text, expected, on_progress, beside)

    async def _gather(self, text: str, expected: Expectation) -> tuple[Note, ...]:
        """Load candidates and expected memories, return notes; raises StoreError, EncoderError."""
        candidates = self._core.engine.candidates
        if candidates is None:
            return ()
        await self._core.gather([text], all_anew=True)
        name = expected.name
        wanted = MemoryFilter(label=name) if expected.kind == "intent" else MemoryFilter(text=name)
        if expected.kind not in ("intent", "memory") or expected.is_nothing:
            return ()
        keys = await self._core.in_store(lambda library: library.find_memories(wanted))
        await candidates.load_keys(keys[:MOST_EXPECTED])
        found = candidates.gathered(Query.of(text).scored) or frozenset()
        return (Note.NOT_FOUND,) if keys and found.isdisjoint(keys) else ()

    async def _explained(
        self, text: str, expected: Expectation, progress: Progress | None, beside: tuple[Note, ...]
    ) -> WhyNot:
        snapshot = await TrialSnapshot.take(self._core, self._routing, self._trial_vectors, self._taught)
        self._taught = snapshot.taught
        is_type = expected_type(expected, labels_of(snapshot.taught)) is not None
        expected = replace(expected, is_type=is_type)
        question = WhyNotQuestion(snapshot, text, expected, await self._surface(text))
        snapshot.check()
        snapshot.tasks.update(DELIVERED)
        found = await _found(question, self._types)
        answer = replace(found.answer, injection=question.injection(found.answer.name))
        case, trial_query = _case_of(snapshot, answer), await snapshot.trial_query(text)
        if case is not None:
            answer = _as_judged(snapshot, answer, case, trial_query)
        drafts: list[Tried] = []
        for draft in () if answer.is_delivered else found.drafts:
            if draft.trial.edit is not None:
                await snapshot.prepare(draft.trial.edit)
            leads = found.wins(draft)
            reached = RIGHT if case is None or not leads else _reached(snapshot, case, trial_query, draft.trial)
            await self._core.typing_priority.turn()
            snapshot.check()
            wins = leads and reached == RIGHT
            if wins or draft.anyway or (leads and reached and not answer.has_won):
                drafts.append((draft, wins))
        drafts, has_cases = _needed(drafts, snapshot), any(snapshot.cases.values())
        done = await _effects_on_cases(snapshot, answer.task, drafts, progress) if has_cases else [None] * len(drafts)
        judged = [(draft, wins, effect) for (draft, wins), effect in zip(drafts, done, strict=True)]
        changes = _sorted([one for one in judged if one[1] or not (one[2] and one[2].breaks)])
        settings_changed = [one.act for one in changes if isinstance(one.act, ChangeSettings)]
        notes = [*beside, *answer.notes]
        if changes and not has_cases:
            notes.append(Note.NO_CASES)
        elif len(settings_changed) < len(changes) and wants_fit(snapshot.settings):
            notes.append(Note.REFIT)
        combination = answer.combination if any(act.point is not None for act in settings_changed) else ""
        return replace(answer, changes=changes, notes=tuple(notes), combination=combination)

    def candidates(self, prefix: str, limit: int = 20) -> list[str]:
        """Return completions of a prefix as KIND:NAME, matching with or without the KIND."""
        layout = self._core.engine.index.layout()
        if self._names is None or self._names[0] is not layout:
            self._names = layout, _names(TaughtAnswers(self._core.engine.index))
        routes = [f"route:{name}" for name in self._routing.known]
        sought, names = prefix.casefold().strip(), [*self._names[1], *routes]
        held = [name for name in names if sought in name.casefold()]

        def order(name: str) -> tuple[bool, bool]:
            forms = name.casefold(), name.casefold().partition(":")[2]
            return sought not in forms, not any(form.startswith(sought) for form in forms)

        return sorted(held, key=order)[:limit]

    async def apply(self, change: Change, *, source: str = WINDOW) -> None:
        """Make an undoable change; raises StoreError, SettingsError, KnownError."""
        match change.act:
            case ChangeSettings(pairs, _):
                await self._core.choose_all(dict(pairs), choosing(dict(pairs), source))
            case AddTrigger(answer, text):
                await self._curator.add_trigger(answer, text, source=source)
            case Rewrite(answers, verb):
                name = change.moved[0].name if change.key.startswith("label.") else answers[0].name
                await self._journal.do(Edit(verb, f"“{name}”", source), answers)
            case RestoreItems(keys):
                await self._journal.put_back(keys, source=source)
            case TeachRoute(case, rules):
                await self._journal.do(Edit("taught", f"“{case.text}”", source), [case, *rules])
                await self._routing.let_teach([case.text], on=True)
            case TeachType(text, type_):
                await self._types.teach(text, type_, source=source)
            case StoreRules(rules):
                verb = "edited" if rules[0].key is not None else "added"
                await self._journal.do(Edit(verb, f"the rule “{name_of(rules[0])}”", source), rules)


def _case_of(snapshot: TrialSnapshot, answer: WhyNot) -> Case | None:
    """Return the case that expects an answer, stored or not; None for types, routes and unknown names."""
    name, task = answer.name, answer.task
    if task not in RANKED or answer.stage is LostAt.NOT_TAUGHT:
        return None
    stored = ((case, acceptable(case.expected)) for case in snapshot.cases[task] if case.text == answer.query)
    same = (case for case, names in stored if (name in names if name else not names))
    return next(same, Case(answer.query, (name,) if name else (), task))


async def _effects_on_cases(
    snapshot: TrialSnapshot, task: Task, drafts: Sequence[Tried], progress: Progress | None
) -> list[Effect | None]:
    """Return the effect of each draft on all cases, with the number of cases of the task."""
    both = (Task.INTENT, Task.MEMORY)
    labelled = sum(len(snapshot.cases[one]) for one in (both if task in both else (task,)))
    counted = await effects(snapshot, [draft.trial for draft, _ in drafts], progress)
    return [replace(effect, labelled=labelled) for effect in counted]


def _reached(snapshot: TrialSnapshot, case: Case, trial_query: TrialQuery, trial: Trial) -> int:
    """Grade a trial of the query itself: by the program, and as an evaluation judges a case."""
    answered = _answered(snapshot, case, trial_query, trial, trial.settings)
    return min(grade(answered), _grade(snapshot, case, trial_query, trial))


def _as_judged(snapshot: TrialSnapshot, answer: WhyNot, case: Case, trial_query: TrialQuery) -> WhyNot:
    """Return the answer with what prevents its delivery, or whether an unwanted one is held back."""
    if not answer.is_scored and not answer.expects_nothing:
        return answer
    now = _answered(snapshot, case, trial_query, Trial(snapshot.settings), snapshot.settings)
    if answer.expects_nothing:
        stage = None if grade(now) == RIGHT or is_held_back(now) else answer.stage
        return replace(answer, stage=stage, unexpected=unexpected(now) if stage is None else ())
    answer = replace(answer, unexpected=unexpected(now), blocker=blocker_of(now) if answer.has_won else None)
    if answer.has_won and answer.injection is not None and now.delivered and not now.delivered.can_inject:
        return replace(answer, injection=replace(answer.injection, cut=SILENT))
    return answer


async def _found(question: WhyNotQuestion, types: Types) -> FoundAnswer:
    if question.expected.kind == "route":
        return await explain_route(question)
    if question.expected.is_nothing and question.expected.name not in _taught_names(question):
        return await of_nothing(question)
    type_ = intent_type(question.expected.name) if question.expected.is_type else None
    return await (explain_ranked(question) if type_ is None else explain_type(question, type_, types))


def _taught_names(question: WhyNotQuestion) -> Collection[str]:
    taught, kind = question.snapshot.taught, question.expected.kind
    return labels_of(taught) if kind == "intent" else taught.candidates[TASKS[kind]].numbers


def _names(taught: TaughtAnswers) -> list[str]:
    memories, powers = taught.candidates[Task.MEMORY].names, taught.candidates[Task.POWER].names
    by_kind = {"intent": sorted(labels_of(taught)), "memory": memories, "power": powers}
    named = [f"{kind}:{name}" for kind, names in by_kind.items() for name in (*names, *({NOTHING} - {*names}))]
    return [*(f"type:{name}" for name in IntentType), *named]


def _needed(drafts: list[Tried], snapshot: TrialSnapshot) -> list[Tried]:
    """Drop drafts with needless parts, and if others are left untested or losing ones."""
    drafts = [one for one in drafts if one[1]] or drafts
    if not any(snapshot.cases.values()):
        drafts = [one for one in drafts if not isinstance(one[0].act, ChangeSettings) or not one[0].act.point] or drafts
    winning = [set(one.act.pairs) for one, wins in drafts if wins and isinstance(one.act, ChangeSettings)]
    return [
        (draft, wins)
        for draft, wins in drafts
        if not (isinstance(draft.act, ChangeSettings) and any(set(draft.act.pairs) > pairs for pairs in winning))
    ]


def _sorted(tried: Sequence[tuple[Draft, bool, Effect | None]]) -> tuple[Change, ...]:
    """Sort changes: harmless, then by cases broken, additions, by cases fixed, reach, and size.

    A setting reaches every query, other changes only similar ones. Of each family only the best few are returned.
    """

    def order(one: tuple[Draft, bool, Effect | None]) -> tuple[bool, int, bool, int, bool, int]:
        draft, _, effect = one
        breaks, fixes = (effect.breaks, effect.fixes) if effect else (0, 0)
        is_setting = isinstance(draft.act, ChangeSettings)
        return breaks > fixes, breaks, draft.key not in ADDITIONS, -fixes, is_setting, draft.size

    families: dict[str, int] = {}
    changes = []
    for one, wins, effect in sorted(tried, key=order):
        families[one.family] = families.get(one.family, 0) + 1
        if not one.family or families[one.family] <= MOST_PER_FAMILY:
            changes.append(Change(one.key, wins, effect, one.act, one.moved, one.about, one.text, one.sure))
    return tuple(changes)


# ---- Effects of changes on every stored case, computed without making them (S7.6).


_LIMITS = ("threshold", "confidence", "coverage", "success", "tokens")
INJECTION = {"certain_confidence", *(f"surfacing_{name}" for name in _LIMITS)}
"""Settings of search intent that do not affect the detected type."""


async def effects(
    snapshot: TrialSnapshot,
    trials: Sequence[Trial],
    progress: Progress | None = None,
    known: dict[Case, int] | None = None,
) -> list[Effect]:
    """Return the effect of each trial on all cases; raises EncoderError, ChangedMeanwhileError.

    Cancellable between two cases. `known` caches the grades of cases in the present state.
    """
    known = {} if known is None else known
    touched = [tasks_judged(trial, snapshot) for trial in trials]
    total = sum(map(len, snapshot.cases.values()))
    wanted = {task: len(snapshot.cases[task]) for task in Task if any(task in tasks for tasks in touched)}
    tallies: list[tuple[list[str], list[str]]] = [([], []) for _ in trials]
    done, of = 0, sum(wanted.values())
    for task in wanted:
        chosen = [(trial, tally) for trial, tally, tasks in zip(trials, tallies, touched, strict=True) if task in tasks]
        async for case, trial_query in snapshot.queries(snapshot.cases[task], lambda case: case.text):
            if case not in known:
                known[case] = _grade(snapshot, case, trial_query, Trial(snapshot.settings))
            for trial, (fixed, broken) in chosen:
                if (after := _grade(snapshot, case, trial_query, trial)) != known[case]:
                    (fixed if after > known[case] else broken).append(case.text)
            done += 1
            if progress is not None:
                progress(done, of)
    return [
        Effect(len(fixed), len(broken), tuple(fixed[:MOST_NAMED]), tuple(broken[:MOST_NAMED]), total)
        for fixed, broken in tallies
    ]


def tasks_judged(trial: Trial, snapshot: TrialSnapshot) -> frozenset[Task]:
    """Return the tasks whose cases may have another result.

    Cases of RANKED tasks are judged by what is delivered, so a change of memories, powers, types or limits of injection
    may turn all of them.
    """
    touched, now, then = tasks_touched(trial, snapshot), snapshot.settings, trial.settings
    moves = touched.intersection((*RANKED, Task.TYPE)) or Limits.of(now) != Limits.of(then)
    return touched.union(RANKED) if moves else touched


def tasks_touched(trial: Trial, snapshot: TrialSnapshot) -> frozenset[Task]:
    """Return the tasks whose answers may change."""
    now, then = snapshot.settings, trial.settings
    found = {task for task in RANKED if _ranking(now, task) != _ranking(then, task)}
    found |= {task for task in RANKED if snapshot.overlay(trial.edit, task) is not None}
    if _typing(now) != _typing(then) or trial.voter is not None:
        found.add(Task.TYPE)
    if now.route != then.route or trial.router is not None:
        found.add(Task.ROUTE)
    if trial.rules is not None:
        stored = snapshot.core.engine.rules
        found |= {Task.TYPE} if trial.rules.of_types != stored.of_types else set()
        found |= {Task.ROUTE} if trial.rules.of_routes != stored.of_routes else set()
    return frozenset(found)


def _typing(settings: Settings) -> tuple[object, ...]:
    """Return the settings that the detected type depends on."""
    own = settings.search_intent.model_dump(exclude=INJECTION)
    return own, settings.fallback_threshold


def _ranking(settings: Settings, task: Task) -> tuple[object, ...]:
    """Return the settings that the answers of a task depend on."""
    how = combiner_for(settings, power=task is Task.POWER).name
    common = (settings.weights, settings.thresholds, settings.calibration, settings.learned, how)
    if task is Task.POWER:
        return (*common, settings.tiers, settings.name_counts)
    return (*common, settings.fallback_threshold, settings.label_thresholds)


def _grade(snapshot: TrialSnapshot, case: Case, trial_query: TrialQuery, trial: Trial) -> int:
    """Grade a case under a trial, as in an evaluation (S8.5)."""
    engine, task = snapshot.core.engine, case.task
    if task is Task.TYPE:
        return grade(type_answer(case, trial_query.query, trial.detector(engine.detector), trial.settings))
    if task is Task.ROUTE:
        router, rules, settings = trial.router or snapshot.routing.router, trial.rules or engine.rules, trial.settings
        decision = decided(router, trial_query.query, rules, engine.encoder, without_llm(settings), left_out=True)
        return grade(route_answer(case, decision))
    return grade(_answered(snapshot, case, trial_query, trial, settings_without_case(trial.settings, case.text)))


def _answered(
    snapshot: TrialSnapshot, case: Case, trial_query: TrialQuery, trial: Trial, settings: Settings
) -> Answered:
    """Return the answer to a case of a ranked task, with what would be delivered."""
    ranking = snapshot.ranking(trial_query, case.task, settings, trial.edit)
    top = ranking.top
    best = () if top is None else (RankedName(ranking.names[top], float(ranking.values[top])),)
    rejected = not is_answered(ranking, case.task, settings)
    delivered = snapshot.delivered(trial_query, settings, trial.edit, trial.detector(snapshot.core.engine.detector))
    return Answered(case, acceptable(case.expected), best, None, rejected, delivered=delivered)
