"""Tests of refits: provisional answers before a fit, and changed cases and queries."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from app.adapters.encoders.learned_files import RefitFile
from app.display.evaluation.runs import change_line, refit_document, refit_sentence
from app.display.scope.verdict import verdict, verdict_document
from app.domain.case import Case, Task
from app.domain.library import Line, Memory
from app.domain.scope.fits import ChangedDelivery, Compared, FitPolicy, FitSource, FitState, FitStatus, Refit
from app.domain.scope.inspection import Decision
from app.services.evaluation.fit_words import fit_sentence, fit_words
from app.services.evaluation.learner import refit_of
from app.surfaces.cli.evaluate import print_fit
from app.surfaces.cli.output import Printer
from tests.unit.services.benches import desk, unopened
from tests.unit.services.evaluation.test_calibrating import TAUGHT

SOURCE = FitSource(14, 0, 43, datetime(2026, 11, 26, 12, 56, tzinfo=UTC).timestamp())
LINES = [Line(n, one) for n, one in enumerate(TAUGHT, 1) if isinstance(one, Memory)]


async def test_that_an_answer_before_the_first_fit_is_provisional_and_one_after_it_is_not() -> None:
    workbench = unopened(combination="learned")
    workbench.learning.policy = FitPolicy.NEVER
    await workbench.open(watch=False)
    await workbench.ready()
    for is_fitted in (False, True):
        found = await workbench.settle("open a kitchen")
        document = verdict_document(found, workbench.settings)
        assert (document["memory"]["provisional"], document["power"]["provisional"]) == (not is_fitted,) * 2
        assert verdict(found, workbench.settings).headline.startswith("Provisional: ") != is_fitted
        await workbench.import_lines("memories", LINES, "a test")
        workbench.learning.policy = FitPolicy.FIRST
        await workbench.ready()
    found = await workbench.settle_as("open a kitchen", {"combination": "balanced"})
    assert not found.provisional
    await workbench.close()


async def test_that_what_is_delivered_is_told_by_case_and_by_query_and_changes_keep_their_texts() -> None:
    async with desk() as workbench:
        await workbench.import_lines("memories", LINES, "a test")
        case = Case(LINES[0].value.triggers[0], (str(LINES[0].value.intent),), Task.INTENT)
        types = Case("how do I do it", ("howto",), Task.TYPE)
        await workbench.import_lines("cases", [Line(1, case), Line(2, types)], "a test")
        await workbench.ready()
        before = await workbench.refits.delivered()
        assert list(before) == [(Compared.CASE, 1)], "a type is decided by no fit"
        after = dict.fromkeys(before, ("something else",))
        refit = refit_of(SOURCE, before, after)
        assert (refit.cases, refit.changed_cases, refit.queries) == (1, 1, 0)
        (changed,) = await workbench.refits.changes_of(refit)
        assert changed.text == case.text
        assert change_line(changed).endswith("→ something else")
        assert refit_document(refit, [changed])["changes"][0]["text"] == case.text
        gone = Refit(SOURCE, 1, 1, 0, 1, (ChangedDelivery(Compared.QUERY, 99, (), ("a",)),))
        assert await workbench.refits.changes_of(gone) == [], "forgotten meanwhile"


def test_that_refits_are_stored_newest_first_and_a_damaged_file_is_none(tmp_path: Path) -> None:
    file = RefitFile(tmp_path / "refits.json")
    assert file.load() == []
    one = Refit(SOURCE, 43, 24, 3, 2, (ChangedDelivery(Compared.CASE, 7, (), ("deploy", "rollback")),))
    other = Refit(SOURCE, 0, 0, 0, 0)
    file.add(one)
    file.add(other)
    assert file.load() == [other, one]
    assert "3 of 43 cases and 2 of 24 recent queries changed" in refit_sentence(one)
    assert "no case or recent query" in refit_sentence(other)
    for damage in (b"{", b"[]", b'{"refits": [{"source": 1}]}', b'{"refits": 1}'):
        (tmp_path / "refits.json").write_bytes(damage)
        assert file.load() == []


def test_that_the_state_of_a_fit_names_what_it_was_fitted_on() -> None:
    at = datetime.fromtimestamp(SOURCE.made, UTC).astimezone()
    words = fit_words(FitStatus(FitState.CURRENT, SOURCE), at)
    assert words == f"Learned from 14 memories and 43 cases, {at:%H:%M}"
    later = fit_words(FitStatus(FitState.STALE, SOURCE), at.replace(day=28))
    assert later == f"Learned from 14 memories and 43 cases, {at:%Y-%m-%d %H:%M}; out of date"
    assert fit_words(FitStatus(FitState.FITTING, SOURCE)) == "Learning from the library…"
    assert fit_words(FitStatus()) == ""
    too_few = FitStatus(FitState.CURRENT, replace(SOURCE, memories=0, powers=0, cases=0), is_first=True)
    assert fit_words(too_few) == "Too few triggers to learn from; shipped weights"
    assert fit_sentence(too_few) == ""


async def test_that_a_type_is_provisional_until_its_examples_are_learned() -> None:
    workbench = unopened()
    workbench.types.learns = False
    await workbench.open(watch=False)
    await workbench.fitted()
    for is_learned in (False, True):
        found = await workbench.settle("how do I open a kitchen")
        assert (Decision.TYPE in found.provisional) != is_learned
        workbench.types.learns = True
        workbench.types.library_changed()
        await workbench.types.ready()
    await workbench.close()


async def test_that_a_command_says_which_fit_decides_and_what_its_refit_changed() -> None:
    async with desk(combination="learned") as workbench:
        await workbench.import_lines("memories", LINES, "a test")
        await workbench.ready()
        plain, document = io.StringIO(), io.StringIO()
        await print_fit(workbench, Printer(plain))
        assert plain.getvalue().startswith(f"Learned from {len(LINES)} memories, ")
        await workbench.refits.note(Refit(SOURCE, 43, 24, 3, 2))
        await print_fit(workbench, Printer(document, as_json=True))
        told = json.loads(document.getvalue())
        assert (told["fit"]["state"], told["fit"]["memories"]) == ("current", len(LINES))
        assert (told["refit"]["changed_cases"], told["refit"]["changed_queries"]) == (3, 2)
    async with desk() as workbench:
        await print_fit(workbench, Printer((unwanted := io.StringIO()), as_json=True))
        assert json.loads(unwanted.getvalue())["fit"]["state"] == "unwanted"
