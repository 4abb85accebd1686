"""Jobs of the rules page: rules, counts, live tests, and every change."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.domain.intent import Rule
from app.domain.journal import Written
from app.domain.scope.why_not import EditPreview
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.services.library.rules import PackPlan, RuleSurvey, RuleTrialResult

if TYPE_CHECKING:
    from app.domain.errors import StaleError
    from app.services.library.rules import RuleAttempt
    from app.services.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Listing:
    """All stored rules, and the shipped packs and rule ids."""

    rules: tuple[Rule, ...]
    shipped_packs: frozenset[str]
    shipped: frozenset[str]


class RuleJobs(QObject):
    """Jobs of the page, to be connected queued. A live test replaces the one before."""

    listed = Signal(Listing)
    surveyed = Signal(RuleSurvey)
    tried = Signal(RuleTrialResult)
    previewed = Signal(Rule, EditPreview)  # the rule, and the effect of storing it
    saved = Signal(Rule)  # the rule as stored now
    done = Signal(Written)  # Written, or None if nothing changed
    planned = Signal(PackPlan, bool)  # the plan, True for a reset
    written = Signal(str, str)  # pack, its text
    save_refused = Signal(str, str, Rule)  # id, a sentence, the rule as changed elsewhere meanwhile, or None
    refused = Signal(str)  # a sentence

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._trying, self._counting, self._ahead = Job(worker, self), Job(worker, self), Job(worker, self)
        self._changing = asyncio.Lock()  # a change reads the result of the one before

    # ---- reading

    def load(self) -> None:
        """List the rules, then count their matches."""
        self._worker.do(self._list, self.listed.emit, self.refused.emit)
        self._counting.run(lambda bench: bench.rule_trial.survey(), self.surveyed.emit)

    async def _list(self, bench: Workbench) -> Listing:
        rules, shipped = await bench.rule_packs.stored()
        return Listing(tuple(rules), frozenset(rule.pack for rule in shipped), frozenset(rule.id for rule in shipped))

    def try_out(self, attempt: RuleAttempt) -> None:
        """Test a draft, replacing a running test."""
        self._trying.follow(lambda bench: bench.rule_trial.attempt(attempt), self.tried.emit, self._on_tried)

    def request_preview(self, rule: Rule) -> None:
        """Preview the effect of storing a rule on cases and queries, replacing a running preview."""
        self._ahead.run(lambda bench: bench.edit_previews.of_rule(rule), lambda found: self.previewed.emit(rule, found))

    def cancel_preview(self) -> None:
        """Cancel the preview."""
        self._ahead.cancel()

    def _on_tried(self, sentence: str) -> None:
        if sentence:
            self.refused.emit(sentence)

    # ---- changes

    def save(self, rule: Rule) -> None:
        """Store a new or edited rule."""

        async def act(bench: Workbench) -> None:
            async with self._changing:
                stored = await bench.rule_book.store(rule)
            self.saved.emit(stored)

        def on_conflict(error: StaleError) -> None:
            present = error.present if isinstance(error.present, Rule) else None
            self.save_refused.emit(rule.id, str(error), present)

        self._worker.do(
            act, lambda _: None, lambda sentence: self.save_refused.emit(rule.id, sentence, None), on_conflict
        )

    def switch(self, rules: list[Rule]) -> None:
        """Store rules that were switched on or off."""
        self._change(lambda bench: bench.rule_book.switch(rules, on=rules[0].enabled))

    def switch_pack(self, pack: str, *, on: bool) -> None:
        """Switch every rule of a pack on or off."""
        self._change(lambda bench: bench.rule_book.enable(pack, on=on))

    def order(self, pack: str, ids: list[str]) -> None:
        """Reorder the rules of a pack."""
        self._change(lambda bench: bench.rule_book.order(pack, ids))

    def delete(self, rules: list[Rule]) -> None:
        """Delete custom rules."""
        self._change(lambda bench: bench.rule_book.delete(rules))

    def undo(self) -> None:
        """Undo the last step of the journal."""
        self._change(lambda bench: bench.journal.undo())

    # ---- packs

    def plan_reset(self, pack: str) -> None:
        """Preview a reset."""
        self._worker.do(
            lambda bench: bench.rule_packs.plan_reset(pack),
            lambda plan: self.planned.emit(plan, True),
            self.refused.emit,
        )

    def plan_import(self, path: Path) -> None:
        """Preview an import."""
        self._worker.do(
            lambda bench: bench.rule_packs.plan_import(path),
            lambda plan: self.planned.emit(plan, False),
            self.refused.emit,
        )

    def carry_out(self, plan: PackPlan, *, is_reset: bool) -> None:
        """Apply a plan."""
        if is_reset:
            self._change(lambda bench: bench.rule_book.reset(plan.pack))
        else:
            self._change(lambda bench: bench.rule_packs.take(plan))

    def write_out(self, pack: str) -> None:
        """Export a pack as text."""
        self._worker.do(
            lambda bench: bench.rule_packs.text(pack),
            lambda text: self.written.emit(pack, text),
            self.refused.emit,
        )

    def _change(self, act: Callable[[Workbench], Awaitable[Written | None]]) -> None:
        async def in_order(bench: Workbench) -> Written | None:
            async with self._changing:
                return await act(bench)

        self._worker.do(in_order, self.done.emit, self.refused.emit)
