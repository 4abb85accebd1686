"""Edit previews: the effect of an edit on answers, before anything is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from app.detect.resolve import resolve, with_tiers
from app.detect.rule_trial import compiled
from app.detect.topics import FUNCTION_WORDS
from app.domain.case import Case, Task
from app.domain.history import HistoryFilter
from app.domain.inspection import WEAK
from app.domain.intent import Rule
from app.domain.library import Answer, Memory, Power
from app.domain.match import Match, Query, Tier, has_begun
from app.domain.running import ActivationBlocker, activation_blocker
from app.domain.why_not import MOST_CHANGED, ChangedAnswer, EditPreview, Effect
from app.evaluation.answers import BLOCKER_WORDS
from app.ports.store import Library
from app.scoring.index.layout import AnswerKey, key_of, utc_now
from app.scoring.index.ranking import rank, tier_of
from app.scoring.index.scales import confidences
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import QueryVector, ScoredText, tokens, words
from app.services.core import Core, Progress
from app.services.engine.typing_priority import chunks
from app.services.evaluation.deliveries import resolution_of
from app.services.evaluation.evaluate import without_llm
from app.services.evaluation.trial_snapshot import Trial, TrialSnapshot, TrialVectors
from app.services.evaluation.trials import RANKED, NameRanking, TaughtAnswers, TrialEdit, TrialQuery
from app.services.library.curate import with_trigger
from app.services.routing.routes import Routing
from app.services.scope.why_not import effects, tasks_judged, tasks_touched
from app.services.scope.why_not_question import unscored_items
from app.services.scope.why_not_ranked import is_answered
from app.services.scope.why_not_routes import decided, router_like
from app.services.scope.why_not_types import typed
from app.settings.model import Settings

UNSTORED = 0
"""Key of a draft without a stored power; stored keys start at 1."""

MOST_VECTORS = 2_000
"""Limit of cached vectors of draft texts."""


@dataclass(frozen=True, slots=True)
class PowerRank:
    """Rank of one enabled power for a query, from 1, of `among`, and its tier; tied powers share a rank.

    `lack` is what blocks its activation although the confidence suffices.
    """

    confidence: float
    rank: int
    among: int
    tier: Tier
    lack: ActivationBlocker | None = None


@dataclass(frozen=True, slots=True)
class PowerEffect:
    """Rank of a power as stored and as drafted; None if it does not answer.

    `knows_meaning` is False without an encoder: keywords and lexical scores decide then.
    """

    query: str
    before: PowerRank | None
    after: PowerRank | None
    knows_meaning: bool


class PowerTrial:
    """Index of the powers alone, in which a draft can replace the stored one.

    Lives on the engine's thread. Powers and memories share no scores, so the results equal those of the full index.
    """

    def __init__(self, bench: Core) -> None:
        self._bench = bench
        self._encoder: object = None
        self._tried: dict[str, QueryVector] = {}
        self._index = TriggerIndex(1)

    async def standings(self, text: str) -> Mapping[int, PowerRank]:
        """Return the rank of every enabled power by key; raises EncoderError."""
        await self._prepared(text, ())
        return {key: place for (_, key), place in self._scored(text).items()}

    async def effect(self, text: str, draft: Power) -> PowerEffect:
        """Return the rank of the power before and after storing the draft; raises EncoderError."""
        tried = draft if draft.key is not None else replace(draft, key=UNSTORED)
        key = key_of(tried)
        vectors = await self._prepared(text, tried.triggers)
        before = self._scored(text).get(key)
        stored = self._index.answer(key)
        self._put([tried], vectors)
        try:
            after = self._scored(text).get(key)
        finally:
            self._index.remove(key)
            self._put([stored] if isinstance(stored, Power) else [], vectors)
        return PowerEffect(text, before, after, bool(vectors))

    async def _prepared(self, text: str, triggers: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """Synchronise the index with the powers; return all vectors, {} without an encoder."""
        engine = self._bench.engine
        scored_text = Query.of(text).scored
        wanted = [scored_text, *triggers]
        while missing := self._missing_texts(wanted, scored_text):
            made = await self._bench.query_vectors(missing)
            if engine.encoder is not self._encoder:
                continue  # all vectors here have one provenance (S2.15)
            if made is None:
                break
            if len(self._tried) > MOST_VECTORS:
                self._tried = {}
            self._tried |= zip(missing, made, strict=True)
            break
        powers = {key: one for key, one in engine.index.answers().items() if isinstance(one, Power)}
        texts = {one for power in powers.values() for one in power.triggers}
        found = {one: vector for one in {*texts, *wanted} if (vector := self._known_vector(one)) is not None}
        self._sync_index(powers, found)
        return found

    def _missing_texts(self, texts: Iterable[str], scored_text: str) -> list[str]:
        """Return the texts without known vectors; a changed encoder resets the index."""
        if self._bench.engine.encoder is not self._encoder:
            self._encoder, self._tried = self._bench.engine.encoder, {}
            self._index = TriggerIndex(1)
        return [
            one
            for one in dict.fromkeys(texts)
            if (self._both_vectors if one == scored_text else self._known_vector)(one) is None
        ]

    def _both_vectors(self, text: str) -> QueryVector | None:
        return self._tried.get(text) or self._bench.engine.vectors.both(text)

    def _known_vector(self, text: str) -> NDArray[np.float32] | None:
        """Return the vector of a taught, query or draft text."""
        engine = self._bench.engine
        if engine.encoder is None:
            return None
        column = engine.index.semantic
        for row in engine.index.exact.rows(text):
            if column.known[row]:
                vector: NDArray[np.float32] = column.vectors[row]
                return vector
        both = self._both_vectors(text)
        return None if both is None else both.scored

    def _sync_index(self, powers: Mapping[AnswerKey, Power], vectors: Mapping[str, NDArray[np.float32]]) -> None:
        if vectors and not self._index.embedded():
            self._index = TriggerIndex(len(next(iter(vectors.values()))))
        present = self._index.answers()
        for key in present.keys() - powers.keys():
            self._index.remove(key)
        self._put([power for key, power in powers.items() if present.get(key) != power], vectors)

    def _put(self, powers: Sequence[Power], vectors: Mapping[str, NDArray[np.float32]]) -> None:
        self._index.put(powers)
        missing = self._index.unembedded()
        self._index.embed({text: vectors[text] for text in missing if text in vectors})

    def _scored(self, text: str) -> dict[AnswerKey, PowerRank]:
        """Return the rank of every indexed power."""
        index, settings = self._index, self._bench.settings
        scored = Query.of(text).scored
        if not scored.strip() or not index.candidates:
            return {}
        both = self._both_vectors(scored)
        query = ScoredText(scored) if both is None else index.read(scored, both, self._bench.engine.index)
        index.score_as_part_of(whole := self._bench.engine.index, whole.bm25.frequencies)
        scores = index.score(query, name_counts=settings.name_counts)
        values = np.clip(np.nan_to_num(confidences(scores, settings)), 0.0, 1.0)
        order = np.argsort(-values, kind="stable").tolist()
        found: list[Match] = []
        for place in order:
            power, value = index.candidate(int(scores.layout.slots[place])).answer, float(values[place])
            found.append(Match(power, value, {}, (), power.name, tier=tier_of(value, settings)))
        ranking = rank(scores, settings, WEAK)
        resolution = resolve("", found, (), settings, shared=ranking.any_power, best_scores=ranking.best_scores)
        descending = np.sort(-values)
        ranks: dict[AnswerKey, PowerRank] = {}
        for match in with_tiers(found, resolution):
            tier, place = match.tier or Tier.NOT_FOUND, int(np.searchsorted(descending, -match.confidence)) + 1
            lack = None
            if tier is Tier.ACTIVATED and isinstance(match.answer, Power):
                lack = activation_blocker(match.answer)
            ranks[key_of(match.answer)] = PowerRank(match.confidence, place, len(order), tier, lack)
        return ranks


def holders_by_keyword(powers: Iterable[Power], draft: Power) -> dict[str, int]:
    """Count the enabled powers, draft included, that declare each of its keywords (S2.7)."""
    others = [power for power in powers if not power.paused and power.key != draft.key]
    declared = [{words(keyword) for keyword in power.keywords} for power in others]
    return {keyword: 1 + sum(words(keyword) in phrases for phrases in declared) for keyword in draft.keywords}


NEW = -1
"""Stand-in for the key of an answer that is not stored yet."""

MOST_RECENT = 200
"""Maximum number of recent queries in a preview."""

NEAR, BEHIND = 0.3, 0.2
"""Distances in cosine that decide if a new trigger can change the answer to a text.

The answer stays if every new trigger is farther than NEAR from the text, or farther than the nearest present trigger by
BEHIND, unless both share half of their words.
"""

SHARED_WORDS = 0.5

MOST_MOVED = 200
"""Maximum number of memories that a success score may let in or out for a preview."""

COMPARED_AT_ONCE = 32
"""Number of texts compared with all triggers before yielding to typing."""


_Outcome = tuple[str, Tier]
"""Names of what is delivered, and the tier of the powers."""


@dataclass
class _Baseline:
    """Results of texts in the present state, valid until that state changes."""

    seen: tuple[object, ...] = ()
    grades: dict[Case, int] = field(default_factory=dict)
    given: dict[str, _Outcome] = field(default_factory=dict)
    nearest: dict[str, float] = field(default_factory=dict)
    """Cosine of the nearest trigger."""
    rankings: dict[object, NameRanking] = field(default_factory=dict)


class EditPreviews:
    """`workbench.edit_previews`: stores nothing; runs on the asyncio thread, yields to typing."""

    def __init__(self, core: Core, routing: Routing) -> None:
        self._core = core
        self._routing = routing
        self._vectors = TrialVectors(core)
        self._taught: TaughtAnswers | None = None
        self._known = _Baseline()

    async def of_trigger(self, answer: Answer, text: str) -> EditPreview:
        """Preview one more trigger of an answer; empty if it has that trigger. See `of`."""
        more = answer if text in answer.triggers else with_trigger(answer, text)
        return await self.of([more], [text])

    async def of(
        self, answers: Sequence[Answer], texts: Sequence[str], progress: Progress | None = None
    ) -> EditPreview:
        """Preview storing these answers; `texts` are their new triggers.

        Only cases and queries near a new trigger or a replaced memory, or cases that expect one of these, run again.
        Cancelling the task stops it between two of them. Raises StoreError, EncoderError, ChangedMeanwhileError.
        """
        snapshot = await self._take_snapshot()
        stored = [one if one.key is not None else replace(one, key=NEW) for one in answers]
        new = [one for one in stored if isinstance(one, Memory) and not one.paused and has_begun(one, utc_now())]
        known = [one for one in snapshot.taught.answers.values() if isinstance(one, Memory)]
        replaced = [old for old in known if any(old.name in by.replaces and by.name not in old.replaces for by in new)]
        edit = TrialEdit(tuple(stored), tuple(map(key_of, replaced)))
        past = await self._core.in_store(_recent_texts)
        snapshot.tasks |= {*RANKED} if past else set()
        for task in snapshot.tasks:
            _ = snapshot.taught.candidates[task]
        await snapshot.prepare(edit)
        every, total = snapshot.cases, sum(map(len, snapshot.cases.values()))
        held = [text for one in replaced for text in one.triggers]
        near = await self._nearness(snapshot, every, past, [*texts, *held])
        named = {name for one in (*stored, *replaced) for name in (one.name, getattr(one, "intent", None)) if name}
        snapshot.cases = {
            task: [one for one in cases if near(one.text) or named & {*one.expected}] for task, cases in every.items()
        }
        trial = Trial(snapshot.settings, edit)
        (effect,) = await effects(snapshot, [trial], progress, self._known.grades)
        changed, tiers = await self._changed_answers(snapshot, trial, list(filter(near, past)))
        told, effect = tuple(changed[:MOST_CHANGED]), replace(effect, total=total)
        return EditPreview(effect, told, len(changed), tiers, len(past))

    async def of_settings(self, changes: Mapping[str, str]) -> EditPreview:
        """Preview setting these values, with the present calibration and learned weights.

        Empty if no answer depends on them. See `of`; raises SettingsError for a refused value.
        """
        snapshot = await self._take_snapshot()
        settings = snapshot.under(changes)
        trial = Trial(settings, await self._success_edit(snapshot, settings))
        touched, tasks = tasks_touched(trial, snapshot), tasks_judged(trial, snapshot)
        if not tasks:
            return EditPreview(Effect(0, 0))
        past = await self._core.in_store(_recent_texts)
        for task in RANKED:
            _ = snapshot.taught.candidates[task]
        snapshot.cases = {task: snapshot.cases[task] if task in tasks else () for task in Task}
        (effect,) = await effects(snapshot, [trial], None, self._known.grades)
        if touched and touched.isdisjoint(RANKED):
            task = Task.TYPE if Task.TYPE in touched else Task.ROUTE
            changed = await _changed_decisions(snapshot, trial, task, past)
            return EditPreview(effect, tuple(changed[:MOST_CHANGED]), len(changed), query_count=len(past), task=task)
        changed, tiers = await self._changed_answers(snapshot, trial, past)
        return EditPreview(effect, tuple(changed[:MOST_CHANGED]), len(changed), tiers, len(past))

    async def _success_edit(self, snapshot: TrialSnapshot, then: Settings) -> TrialEdit | None:
        """Return the memories that a changed minimum success score lets in or out; None if too many."""
        least, now = then.min_score, snapshot.settings.min_score
        if least == now:
            return None
        out = [key for key, one in snapshot.taught.answers.items() if isinstance(one, Memory) and one.success < least]
        away = () if least > now else (await self._core.in_store(lambda library: unscored_items(library, now))).answers
        into = [one for one in away if isinstance(one, Memory) and not one.paused and one.success >= least]
        if not 0 < len(out) + len(into) <= MOST_MOVED:
            return None
        edit = TrialEdit(tuple(into), tuple(out))
        snapshot.tasks |= {*RANKED}
        await snapshot.prepare(edit)
        return edit

    async def of_rule(self, rule: Rule) -> EditPreview:
        """Preview storing this rule, new or in place of the one with its ID. See `of`.

        Empty if the rule does not compile or has no effect. Only texts that the present or the new rule matches run
        again.
        """
        snapshot = await self._take_snapshot()
        then, now = snapshot.core.engine.rules.with_rule(rule), snapshot.core.engine.rules
        is_route = then.of_routes != now.of_routes
        router = router_like(self._routing.router) if is_route else None  # compiles the rules itself
        trial = Trial(snapshot.settings, rules=then, router=router)
        touched, tasks, drafted = tasks_touched(trial, snapshot), tasks_judged(trial, snapshot), compiled(rule)
        if drafted is None or not tasks:
            return EditPreview(Effect(0, 0))
        stored, past = await self._core.in_store(lambda library: (library.rules(), _recent_texts(library)))
        before = next((one for one in stored if one.id == rule.id), rule)
        finders = [drafted, compiled(before) or drafted]

        def finds(text: str) -> bool:
            return any(one.find(Query.of(text).scored) is not None for one in finders)

        every, snapshot.cases = snapshot.cases, dict.fromkeys(Task, ())
        for task in tasks:
            await self._core.typing_priority.turn()
            snapshot.cases[task] = [one for one in every[task] if finds(one.text)]
        (effect,) = await effects(snapshot, [trial], None, self._known.grades)
        changed = [
            one for task in touched for one in await _changed_decisions(snapshot, trial, task, filter(finds, past))
        ]
        total, of = sum(len(every[task]) for task in tasks), Task.TYPE if Task.TYPE in touched else Task.ROUTE
        told = tuple(changed[:MOST_CHANGED])
        return EditPreview(replace(effect, total=total), told, len(changed), query_count=len(past), task=of)

    async def _nearness(
        self, snapshot: TrialSnapshot, cases: Mapping[Task, Sequence[Case]], past: Sequence[str], texts: Sequence[str]
    ) -> Callable[[str], bool]:
        """Return a predicate for texts that a new trigger comes near, by cosine or by a word."""
        every = list(dict.fromkeys([*(case.text for some in cases.values() for case in some), *past]))
        scored = {text: Query.of(text).scored for text in (*every, *texts)}
        vectors = await snapshot.trial_vectors.of_queries(scored.values())
        snapshot.check()
        await self._compare(
            snapshot, {scored[text]: vectors[scored[text]] for text in every if scored[text] in vectors}
        )
        new = [vectors[scored[text]].scored for text in texts if scored[text] in vectors]
        words, rarity = [_content(scored[text]) for text in texts], snapshot.taught.index.bm25.frequencies.rarity
        near = {text for text in every if any(_share(own, _content(scored[text]), rarity) for own in words)}
        there = [text for text in every if scored[text] in vectors]
        if new and there:
            cosines = (np.stack([vectors[scored[text]].scored for text in there]) @ np.stack(new).T).max(axis=1)
            least = np.maximum(NEAR, np.array([self._known.nearest[scored[text]] for text in there]) - BEHIND)
            near |= {there[place] for place in np.flatnonzero(cosines >= least).tolist()}
        return near.__contains__

    async def _compare(self, snapshot: TrialSnapshot, vectors: Mapping[str, QueryVector]) -> None:
        """Compute the cosine of each text's nearest trigger, once."""
        known = self._known.nearest
        column, missing = snapshot.taught.index.semantic, [text for text in vectors if text not in known]
        taught = column.vectors[column.known]
        for some in chunks(missing, COMPARED_AT_ONCE):
            cosines = np.stack([vectors[text].scored for text in some]) @ taught.T
            known |= zip(some, cosines.max(axis=1, initial=0.0).tolist(), strict=True)
            await snapshot.core.typing_priority.turn()
            snapshot.check()

    async def _take_snapshot(self) -> TrialSnapshot:
        """Take a snapshot for trials; cached results stay valid while the state is unchanged."""
        snapshot = await TrialSnapshot.take(self._core, self._routing, self._vectors, self._taught)
        self._taught, engine = snapshot.taught, self._core.engine
        seen = (snapshot.taught.layout, engine.settings, engine.encoder, engine.rules)
        if list(map(id, seen)) != list(map(id, self._known.seen)):
            self._known = _Baseline(seen)
        snapshot.rankings = self._known.rankings
        return snapshot

    async def _changed_answers(
        self, snapshot: TrialSnapshot, trial: Trial, texts: Sequence[str]
    ) -> tuple[list[ChangedAnswer], int]:
        """Return the queries with another answer under a trial, and the number with another tier."""
        changed, tiers = [], 0
        async for text, trial_query in snapshot.queries(texts, str):
            if text not in self._known.given:
                self._known.given[text] = _outcome(snapshot, trial_query, Trial(snapshot.settings))
            (before, tier_before), (after, tier) = self._known.given[text], _outcome(snapshot, trial_query, trial)
            if before != after:
                changed.append(ChangedAnswer(text, before, after))
            tiers += tier_before is not tier
        return changed, tiers


def _outcome(snapshot: TrialSnapshot, trial_query: TrialQuery, trial: Trial) -> _Outcome:
    """Return what is delivered for a recent query under a trial."""
    settings, detector = trial.settings, trial.detector(snapshot.core.engine.detector)
    found = snapshot.delivered(trial_query, settings, trial.edit, detector)
    names = [*dict.fromkeys(label for _, label in found.memories)]
    if not found.can_inject:  # a memory without a response: its intent is all there is
        intents = snapshot.ranking(trial_query, Task.INTENT, settings, trial.edit)
        if intents.top is not None and is_answered(intents, Task.INTENT, settings):
            names.append(intents.names[intents.top])
    tier = resolution_of(snapshot.ranking(trial_query, Task.POWER, settings, trial.edit), settings).status
    names += [found.power] if found.power else []
    if found.blocker is not None and tier is Tier.ACTIVATED:
        names.append(f"{found.found_power} ({BLOCKER_WORDS[found.blocker]})")
    return ", ".join(names), tier


async def _changed_decisions(
    snapshot: TrialSnapshot, trial: Trial, task: Task, texts: Iterable[str]
) -> list[ChangedAnswer]:
    """Return the queries with another type or route under other rules."""
    found = []
    async for text, trial_query in snapshot.queries(list(texts), str):
        query = trial_query.query
        before, after = (_decided(snapshot, one, task, query) for one in (Trial(snapshot.settings), trial))
        if before != after:
            found.append(ChangedAnswer(text, before, after))
    return found


def _decided(snapshot: TrialSnapshot, trial: Trial, task: Task, query: ScoredText) -> str:
    """Return the type or route of a query, "" for none; without an LLM."""
    engine = snapshot.core.engine
    rules = trial.rules or engine.rules
    if task is Task.TYPE:
        intent = typed(replace(engine.detector, rules=rules), query, trial.settings).intent
        return "" if intent is None else intent.type.value
    router = trial.router or snapshot.routing.router
    return decided(router, query, rules, engine.encoder, without_llm(trial.settings)).intent


def _share(some: frozenset[str], others: frozenset[str], rarity: Callable[[str], float]) -> bool:
    """Check if two texts share half of the shorter one's words, weighted by rarity."""
    if some.isdisjoint(others):
        return False
    shared, *whole = (sum(map(rarity, words)) for words in (some & others, some, others))
    return shared >= SHARED_WORDS * min(whole)


def _content(text: str) -> frozenset[str]:
    return frozenset(tokens(text)) - FUNCTION_WORDS


def _recent_texts(library: Library) -> list[str]:
    """Return the distinct texts of recent queries, newest first; hashed queries are skipped."""
    keys = library.find_queries(HistoryFilter(), descending=True)[:MOST_RECENT]
    found = (past.text for past in library.queries_by_key(keys))
    return list(dict.fromkeys(text for text in found if text))
