"""Why an expected answer did not come, and what would make it: the verb behind `why-not` (S7.6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.domain.case import Task
from app.domain.errors import KnownError
from app.domain.intent import IntentType
from app.domain.journal import Deed, name_of
from app.domain.match import Query
from app.domain.route import RouteIntent
from app.domain.why_not import (
    AddTrigger,
    Change,
    ChangeSettings,
    Effect,
    Expectation,
    Note,
    PutBack,
    Rewrite,
    StoreRules,
    TeachRoute,
    WhyNot,
)
from app.scoring.index.layout import Layout
from app.services.core import Core, Progress
from app.services.evaluation.ground import ChangedMeanwhileError, Ground, TrialVectors
from app.services.evaluation.trials import Library as Taught
from app.services.library.curate import Curator
from app.services.library.journal import WINDOW, Journal
from app.services.routing.routes import Routing
from app.services.scope.why_not.detected import of_route, of_type
from app.services.scope.why_not.drafts import MOST_OF_A_FAMILY, Draft
from app.services.scope.why_not.effects import effects
from app.services.scope.why_not.question import FoundAnswer, WhyNotQuestion, labels_of, type_meant
from app.services.scope.why_not.ranked import OfRanked

TRIES = 3
"""So often it is begun anew where something is taught or set meanwhile."""


class WhyNots:
    """`workbench.why_nots`. All methods run on the core's asyncio thread and give way to typing."""

    def __init__(self, core: Core, journal: Journal, curator: Curator, routing: Routing) -> None:
        self._core = core
        self._journal = journal
        self._curator = curator
        self._routing = routing
        self._trial_vectors = TrialVectors(core)
        self._taught: Taught | None = None
        self._names: tuple[Layout, list[str]] | None = None

    async def explain(
        self, text: str, expected: Expectation, on_progress: Callable[[int, int], None] | None = None
    ) -> WhyNot:
        """Where `expected` was lost for the query, and what each change would do to it and to every stored case.

        Nothing is stored, taught, started or sent to an LLM. `on_progress` is told the cases done and their number.
        Cancelling the task stops it between two cases. StoreError, EncoderError; KnownError for a query of nothing, or
        if the library kept changing meanwhile.
        """
        if Query.of(text).is_empty:
            raise KnownError("Nothing was asked.")
        for _ in range(TRIES - 1):
            try:
                return await self._explained(text, expected, on_progress)
            except ChangedMeanwhileError:
                continue
        return await self._explained(text, expected, on_progress)

    async def _explained(self, text: str, expected: Expectation, tell: Progress | None) -> WhyNot:
        ground = await Ground.laid(self._core, self._routing, self._trial_vectors, self._taught)
        self._taught = ground.taught
        found = await _found(WhyNotQuestion(ground, text, expected))
        drafts: list[tuple[Draft, bool]] = []
        for draft in found.drafts:
            if draft.trial.edit is not None:
                await ground.prepare(draft.trial.edit)
            wins = found.wins(draft)
            await self._core.typing_priority.turn()
            ground.check()
            if wins or draft.anyway:
                drafts.append((draft, wins))
        drafts = _needed(drafts)
        has_cases = any(ground.cases.values())
        done: Sequence[Effect | None] = [None] * len(drafts)
        if has_cases:
            done = await effects(ground, [draft.trial for draft, _ in drafts], tell)
        changes = _sorted([(draft, wins, effect) for (draft, wins), effect in zip(drafts, done, strict=True)])
        notes = (*found.answer.notes, *([Note.NO_CASES] if changes and not has_cases else []))
        return replace(found.answer, changes=changes, notes=notes)

    def candidates(self, prefix: str, limit: int = 20) -> list[str]:
        """What can be expected, as KIND:NAME, of those that hold the text (with or without its KIND)."""
        layout = self._core.engine.index.layout()
        if self._names is None or self._names[0] is not layout:
            self._names = layout, _names(Taught(self._core.engine.index))
        routes = {*(intent.value for intent in RouteIntent), *self._routing.state().labels}
        sought, names = prefix.casefold().strip(), [*self._names[1], *(f"route:{name}" for name in sorted(routes))]
        held = [name for name in names if sought in name.casefold()]

        def order(name: str) -> bool:
            return not (name.casefold().startswith(sought) or name.partition(":")[2].casefold().startswith(sought))

        return sorted(held, key=order)[:limit]

    async def apply(self, change: Change, *, source: str = WINDOW) -> None:
        """Make a change by the ordinary verbs, so that it can be undone; StoreError, SettingsError, KnownError."""
        match change.act:
            case ChangeSettings(pairs, _):
                said = " and ".join(f"{key} to {value}" for key, value in pairs)
                await self._core.choose_all(dict(pairs), Deed("set", said, source))
            case AddTrigger(answer, text):
                await self._curator.add_trigger(answer, text, source=source)
            case Rewrite(answers, verb):
                await self._journal.do(Deed(verb, f"“{answers[0].name}”", source), answers)
            case PutBack(keys):
                await self._journal.put_back(keys, source=source)
            case TeachRoute(case, rules):
                await self._journal.do(Deed("taught", f"“{case.text}”", source), [case, *rules])
                await self._routing.let_teach([case.text], on=True)
            case StoreRules(rules):
                verb = "edited" if rules[0].key is not None else "added"
                await self._journal.do(Deed(verb, f"the rule “{name_of(rules[0])}”", source), rules)


async def _found(asking: WhyNotQuestion) -> FoundAnswer:
    if asking.expected.kind == "route":
        return await of_route(asking)
    type_ = type_meant(asking.expected, labels_of(asking.ground.taught))
    return await (of_type(asking, type_) if type_ is not None else OfRanked(asking).found())


def _names(taught: Taught) -> list[str]:
    types = [type_.value for type_ in IntentType]
    labels = sorted(labels_of(taught) - set(types))
    memories, powers = taught.candidates[Task.MEMORY].names, taught.candidates[Task.POWER].names
    by_kind = {"intent": [*types, *labels], "memory": memories, "power": powers}
    return [f"{kind}:{name}" for kind, names in by_kind.items() for name in names]


def _needed(drafts: list[tuple[Draft, bool]]) -> list[tuple[Draft, bool]]:
    """Those that do not hold all of a smaller one that wins by itself."""
    winning = [set(one.act.pairs) for one, wins in drafts if wins and isinstance(one.act, ChangeSettings)]
    return [
        (draft, wins)
        for draft, wins in drafts
        if not (isinstance(draft.act, ChangeSettings) and any(set(draft.act.pairs) > pairs for pairs in winning))
    ]


def _sorted(tried: Sequence[tuple[Draft, bool, Effect | None]]) -> tuple[Change, ...]:
    """Those that win before others, then by what they break, what they fix, and how small they are; the best few of
    each family."""

    def order(one: tuple[Draft, bool, Effect | None]) -> tuple[bool, int, int, int]:
        draft, wins, effect = one
        return not wins, effect.breaks if effect else 0, -effect.fixes if effect else 0, draft.size

    families: dict[str, int] = {}
    changes = []
    for draft, wins, effect in sorted(tried, key=order):
        families[draft.family] = families.get(draft.family, 0) + 1
        if not draft.family or families[draft.family] <= MOST_OF_A_FAMILY:
            changes.append(draft.change(effect, wins=wins))
    return tuple(changes)
