"""Editing of rules and packs, and trials of a rule draft before it is stored (S3.1)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from app.detect.keywords import CompiledRule, KeywordRules, decide
from app.detect.patterns import PatternFault, explain, rule_fault
from app.detect.rule_trial import (
    Hits,
    PastQueryMatches,
    RuleEffect,
    RuleHint,
    RuleMatchTable,
    RuleOutcome,
    RuleUse,
    Subject,
    broad_rules,
    compiled,
    health,
    past_query_matches,
    silent_rules,
)
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.inspection import Detection
from app.domain.intent import Rule, RuleHit, intent_type
from app.domain.journal import Edit, ItemKind, Written
from app.domain.match import Query
from app.evaluation.answers import acceptable
from app.ports.store import Library
from app.services.core import Core
from app.services.engine.adapters import PackFiles
from app.services.engine.typing_priority import chunks
from app.services.library.journal import WINDOW, Journal


class RuleEdits:
    """Packs of one library; each action is a journal step and returns it, None without a change."""

    def __init__(self, core: Core, journal: Journal, shipped: Callable[[], list[Rule]]) -> None:
        self._core = core
        self._journal = journal
        self.shipped = shipped

    async def rules(self, pack: str | None = None) -> list[Rule]:
        """Return the rules of a pack, or of all, each pack in its order."""
        rules = await self._core.in_store(lambda library: library.rules())
        return [rule for rule in rules if pack in (None, rule.pack)]

    async def enable(self, pack: str, *, on: bool, source: str = WINDOW) -> Written | None:
        changed = [replace(rule, enabled=on) for rule in await self.rules(pack)]
        edit = Edit("switched on" if on else "switched off", f"the pack “{pack}”", source)
        return await self._journal.do(edit, changed)

    async def switch(self, rules: Sequence[Rule], *, on: bool, source: str = WINDOW) -> Written | None:
        """Enable or disable these rules."""
        changed = [replace(rule, enabled=on) for rule in rules]
        subject = f"“{rules[0].id}”" if len(rules) == 1 else ""
        return await self._journal.do(Edit("switched on" if on else "switched off", subject, source), changed)

    async def store(self, rule: Rule, *, source: str = WINDOW) -> Rule:
        """Store a new or edited rule; return its stored version. Raises StaleError."""
        verb = "edited" if rule.key is not None else "added"
        written = await self._journal.do(Edit(verb, f"“{rule.id}”", source), [rule])
        item = rule if written is None else written.items[0]
        assert isinstance(item, Rule), "a rule stays one"
        return item

    async def order(self, pack: str, ids: Sequence[str], *, source: str = WINDOW) -> Written | None:
        """Order the rules of a pack by these IDs; unnamed ones follow in their old order."""
        rules = {rule.id: rule for rule in await self.rules(pack)}
        named = [rules.pop(name) for name in dict.fromkeys(ids) if name in rules]
        placed = [replace(rule, position=place) for place, rule in enumerate((*named, *rules.values()))]
        return await self._journal.do(Edit("ordered", f"the pack “{pack}”", source), placed)

    async def reset(self, pack: str, *, source: str = WINDOW) -> Written | None:
        """Reset a shipped pack; raises KnownError for another one."""
        shipped = {rule.id: rule for rule in self.shipped() if rule.pack == pack}
        if not shipped:
            raise KnownError(f"The pack “{pack}” does not ship with the program, so it cannot be reset.")
        everywhere = {rule.id: rule for rule in await self.rules()}
        renewed = [
            replace(rule, key=held.key, version=held.version) if (held := everywhere.get(rule.id)) else rule
            for rule in shipped.values()
        ]
        added = [rule for rule in everywhere.values() if rule.pack == pack and rule.id not in shipped]
        gone = [(ItemKind.RULE, rule.key) for rule in added if rule.key is not None]
        return await self._journal.do(Edit("reset", f"the pack “{pack}”", source), renewed, gone)

    async def delete(self, rules: Sequence[Rule], *, source: str = WINDOW) -> Written | None:
        """Delete custom rules.

        Raises KnownError for a shipped one, which would return at the next start.
        """
        shipped = {rule.id for rule in self.shipped()}
        if kept := [rule.id for rule in rules if rule.id in shipped]:
            raise KnownError(f"“{kept[0]}” ships with the program and cannot be deleted: switch it off instead.")
        name = rules[0].id if len(rules) == 1 else ""
        keys = [(ItemKind.RULE, rule.key) for rule in rules if rule.key is not None]
        return await self._journal.delete(keys, name=name, source=source)


# ---- Packs as files, and previews of a reset or an import

_ASIDE = ("id", "key", "version", "position")
"""Fields left out of a rule's diff; a new order is reported for the pack."""


@dataclass(frozen=True, slots=True)
class RuleChange:
    """Diff of one rule: no `before` for a new one, no `after` for a deleted one."""

    before: Rule | None
    after: Rule | None

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the differing fields; () for a new or deleted rule."""
        if self.before is None or self.after is None:
            return ()
        return tuple(
            one.name
            for one in fields(Rule)
            if one.name not in _ASIDE and getattr(self.before, one.name) != getattr(self.after, one.name)
        )


@dataclass(frozen=True, slots=True)
class PackPlan:
    """Diff of a pack; `reordered` is True if other rules move.

    `rules` are what an import would store; `problems` are sentences on skipped rules of a file.
    """

    pack: str
    changes: tuple[RuleChange, ...]
    reordered: bool = False
    rules: tuple[Rule, ...] = ()
    problems: tuple[str, ...] = ()
    source: str = ""

    @property
    def is_empty(self) -> bool:
        return not self.changes and not self.reordered


class RulePacks:
    """Packs of one library, as shipped and as files."""

    def __init__(self, core: Core, journal: Journal, shipped: Callable[[], list[Rule]], files: PackFiles) -> None:
        self._core, self._journal, self._shipped, self._files = core, journal, shipped, files

    async def stored(self) -> tuple[list[Rule], list[Rule]]:
        """Return all stored rules, and all shipped rules; raises StoreError."""
        return await self._core.in_store(lambda library: (library.rules(), self._shipped()))

    async def plan_reset(self, pack: str) -> PackPlan:
        """Return the diff of resetting a shipped pack."""
        stored, shipped = await self.stored()
        by_id = {rule.id: rule for rule in stored}
        wanted = {rule.id: rule for rule in shipped if rule.pack == pack}
        changes = _changes(by_id, wanted.values())
        changes += [RuleChange(rule, None) for rule in stored if rule.pack == pack and rule.id not in wanted]
        return PackPlan(pack, tuple(changes), _is_reordered(by_id, wanted.values()))

    async def plan_import(self, path: Path) -> PackPlan:
        """Return the diff of a file; raises FormatError if invalid."""
        found = await self._core.in_store(lambda _: self._files.read(path))
        stored, _ = await self.stored()
        good = [rule for rule in found if rule_fault(rule) is None]
        problems = tuple(f"{rule.id}: {fault}" for rule in found if (fault := rule_fault(rule)) is not None)
        by_id = {rule.id: rule for rule in stored}
        stored_as = ((rule, by_id.get(rule.id)) for rule in good)
        held = [rule if old is None else replace(rule, key=old.key, version=old.version) for rule, old in stored_as]
        name = found[0].pack if found else path.stem
        changes = tuple(_changes(by_id, held))
        return PackPlan(name, changes, _is_reordered(by_id, held), tuple(held), problems, path.name)

    async def take(self, plan: PackPlan) -> Written | None:
        """Apply the plan of an import; raises StaleError if a rule was changed since."""
        return await self._journal.do(Edit("imported", f"the pack “{plan.pack}”", plan.source), plan.rules)

    async def text(self, pack: str) -> str:
        """Return a pack as file text that reads back as the same rules; raises FormatError."""
        stored, _ = await self.stored()
        return self._files.text(pack, pack, [rule for rule in stored if rule.pack == pack])


def _changes(by_id: Mapping[str, Rule], wanted: Iterable[Rule]) -> list[RuleChange]:
    made = [RuleChange(by_id.get(rule.id), rule) for rule in wanted]
    return [change for change in made if change.before is None or change.fields]


def _is_reordered(by_id: Mapping[str, Rule], wanted: Iterable[Rule]) -> bool:
    known = [rule for rule in wanted if rule.id in by_id]
    return [r.id for r in sorted(known, key=lambda rule: by_id[rule.id].position)] != [r.id for r in known]


# ---- Trial of an edited rule: on the query, and on every labelled case under the policy.


SHOWN = 50
"""Limit of listed cases; others are counted."""

MOST_PHRASES = 2_000
"""Limit of triggers that are tried, spread evenly."""

STEPS_SEEN = 1_000
"""Number of newest steps whose undo state is part of the cache key."""

AT_ONCE, TRIED_AT_ONCE = 4, 64
"""Batch sizes of matching texts; yields to typing after each."""


@dataclass(frozen=True, slots=True)
class RuleCounts:
    """Numbers of texts that a rule matched: cases, others, and those held back by `unless`."""

    cases: int
    others: int
    held_back: int


@dataclass(frozen=True, slots=True)
class RuleSurvey:
    """Matches of all rules in all known texts: numbers of texts, counts and hints per rule."""

    cases: int
    others: int
    tallies: Mapping[str, RuleCounts]
    hints: Mapping[str, tuple[RuleHint, ...]]


@dataclass(frozen=True, slots=True)
class RuleAttempt:
    """Rule draft to try, the ID of the stored rule that it replaces, and sample texts."""

    draft: Rule
    of: str = ""
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleSample:
    """Sample text: the draft's match in it, and the detection before and after."""

    text: str
    hit: RuleHit | None
    before: Detection
    after: Detection


@dataclass(frozen=True, slots=True)
class RuleTrialResult:
    """Result of an attempt so far: `rule_effects` is None until the cases are evaluated.

    With a fault nothing is tried. `is_edit`: the answers before are those of the stored rules; otherwise, for an
    unchanged stored rule, those without it.
    """

    attempt: RuleAttempt
    policy: str
    fault: PatternFault | None = None
    unless_fault: PatternFault | None = None
    is_edit: bool = True
    samples: tuple[RuleSample, ...] = ()
    outcomes: tuple[RuleOutcome, ...] = ()
    rule_effects: Mapping[RuleEffect, int] | None = None
    matched: int = 0
    held_back: int = 0
    others_matched: int = 0
    matches: tuple[tuple[str, RuleHit], ...] = ()
    """First texts among the others that the rule matches."""
    cases: int = 0
    others: int = 0

    @property
    def is_whole(self) -> bool:
        """True if the cases are evaluated, not only the samples."""
        return self.rule_effects is not None


class RuleTrial:
    """`workbench.rule_trial`: caches the matches of stored rules. Runs on the core's thread."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._table: RuleMatchTable | None = None
        self._of: tuple[KeywordRules, object] | None = None
        self._laying = asyncio.Lock()

    async def survey(self) -> RuleSurvey:
        """Match all rules against all cases and triggers; raises StoreError."""
        table = await self._current()
        judged = sum(subject.right is not None for subject in table.subjects)
        tallies = {name: RuleCounts(f.cases, f.others, f.held_back) for name, f in table.finds.items()}
        return RuleSurvey(judged, len(table.subjects) - judged, tallies, health(table))

    async def use(self, queries: Sequence[str]) -> tuple[list[RuleUse], list[RuleUse]]:
        """Return the rules that match too many, and those that match none of these queries.

        Raises StoreError.
        """
        table = await self._current()
        policy = self._core.engine.settings.search_intent.selection
        found: list[tuple[Subject, Hits]] = []
        for some in chunks(queries, AT_ONCE):
            found += past_query_matches(table, (Query.of(text).scored for text in some))
            await asyncio.sleep(0)
        past_matches = PastQueryMatches(tuple(found))
        return broad_rules(table, past_matches, policy), silent_rules(table, past_matches, policy)

    async def attempt(self, attempt: RuleAttempt) -> AsyncGenerator[RuleTrialResult, None]:
        """Try a draft on the texts, then on the cases in blocks. Stores nothing; raises StoreError."""
        policy = self._core.engine.settings.search_intent.selection
        draft = attempt.draft
        unless = None if draft.unless is None else explain(draft.unless)
        trial = RuleTrialResult(attempt, policy, explain(draft.pattern), unless)
        made = compiled(draft)
        if made is None or trial.fault is not None:
            yield trial
            return
        rules = await self._core.in_store(lambda library: library.rules())
        stored = next((rule for rule in rules if rule.id == attempt.of), None)
        trial = replace(trial, is_edit=stored != draft)
        trial = replace(trial, samples=_samples(trial, RuleMatchTable(rules), made))
        yield trial
        table = await self._current()
        found: list[RuleOutcome] = []
        for places in chunks(range(len(table.subjects)), TRIED_AT_ONCE):
            outcomes = (table.outcome(place, policy, attempt.of, made, base=trial.is_edit) for place in places)
            found += (outcome for outcome in outcomes if outcome is not None)
            await asyncio.sleep(0)
        yield _summed(trial, table, found)

    async def _current(self) -> RuleMatchTable:
        """Return the cached matches, recomputed after changes."""
        async with self._laying:
            rules = self._core.engine.rules
            state = await self._core.in_store(_state)
            if self._table is not None and self._of is not None:
                known, before = self._of
                if known is rules and before == state:
                    return self._table
            table = RuleMatchTable(await self._core.in_store(lambda library: library.rules()))
            cases = await self._core.in_store(lambda library: library.cases())
            subjects = [*(Subject(Query.of(case.text).scored, _right(case)) for case in cases), *self._phrases()]
            for some in chunks(subjects, AT_ONCE):
                table.add(some)
                await asyncio.sleep(0)
            self._table, self._of = table, (rules, state)
            return table

    def _phrases(self) -> list[Subject]:
        answers = self._core.engine.index.answers().values()
        texts = list(dict.fromkeys(text for answer in answers for text in answer.triggers))
        every = max(1, -(-len(texts) // MOST_PHRASES))
        return [Subject(Query.of(text).scored) for text in texts[::every]]


def _samples(trial: RuleTrialResult, table: RuleMatchTable, made: CompiledRule) -> tuple[RuleSample, ...]:
    attempt, policy, samples = trial.attempt, trial.policy, []
    for text in attempt.texts:
        hits, hit = table.match(text), made.find(text)
        before = table.counts(hits, "" if trial.is_edit else attempt.of)
        after = table.counts(hits, attempt.of, hit)
        samples.append(RuleSample(text, hit, decide(text, before, policy), decide(text, after, policy)))
    return tuple(samples)


def _state(library: Library) -> object:
    """Return a cache key that changes with every step, undo or redo, by any program."""
    steps = tuple((step.id, step.undone) for step in library.steps(STEPS_SEEN))
    return steps, library.data_version(), tuple(sorted(library.counts().items()))


def _right(case: Case) -> frozenset[str] | None:
    """Return the right types for a case (empty: no type); None for another task."""
    if case.task is not Task.TYPE:
        return None
    names = acceptable(case.expected)
    return frozenset(name if (type_ := intent_type(name)) is None else type_.value for name in names)


def _summed(trial: RuleTrialResult, table: RuleMatchTable, found: Sequence[RuleOutcome]) -> RuleTrialResult:
    judged = [outcome for outcome in found if outcome.subject.right is not None]
    rank = list(RuleEffect)
    judged.sort(key=lambda outcome: rank.index(outcome.rule_effect))
    cases = sum(subject.right is not None for subject in table.subjects)
    hits = [outcome.hit for outcome in judged if outcome.hit is not None]
    others = [(o.subject.text, o.hit) for o in found if o.subject.right is None and o.hit and not o.hit.held_back]
    return replace(
        trial,
        outcomes=tuple(judged[:SHOWN]),
        rule_effects=Counter(outcome.rule_effect for outcome in judged),
        matched=sum(not hit.held_back for hit in hits),
        held_back=sum(hit.held_back for hit in hits),
        others_matched=len(others),
        matches=tuple(others[:SHOWN]),
        cases=cases,
        others=len(table.subjects) - cases,
    )
