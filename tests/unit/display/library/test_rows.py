"""Tests of the library in words: cases, findings, captions, imports, and the question before closing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.display.library import duplicates, importing
from app.display.library.cases import (
    CASE_COLUMNS,
    CaseRow,
    answers_fault,
    canonical_answers,
    case_facets,
    edited_case,
    format_answers,
    is_of_result,
    keys_by_outcome,
    parse_answers,
    progress_words,
    summary,
)
from app.display.library.importing import (
    RemainingTime,
    content_sentence,
    fields_sentence,
    import_verb,
    outcome_sentence,
    preview_line,
    problem_lines,
    progress_line,
)
from app.display.library.memories import MEMORY_COLUMNS, edited_memory, memory_facets, memory_filter, success_text
from app.display.library.tables import Choice, Facet, count_of_total, first_names, short_time
from app.display.library.teaching import near_duplicate_line
from app.domain.case import Case, Task
from app.domain.filters import MemoryOrder
from app.domain.intent import Rule
from app.domain.library import Dated, Memory, Power, Problem, Transport
from app.domain.review.health import DuplicateFinding, DuplicateKind, NearDuplicate, SimilarityThresholds, TriggerUse
from app.domain.review.history import ReplayProgress
from app.evaluation.answers import Delivery
from app.ports.store import WriteResult
from app.scoring.library.duplicates import Findings, answer_identity
from app.services.evaluation.case_runs import CaseRun, Outcome
from app.services.library.import_export import ImportFinished, ImportPreview, ImportProgress, ImportResult, ImportStage

RIGHT = Outcome(1, 0, Delivery.RIGHT, 1, 0.9, "a")
MISSING = Outcome(2, 0, Delivery.MISSING, None, 0.2, None)
LATER = Outcome(3, 0, Delivery.WRONG, 3, 0.7, "c")
OUTCOMES = {1: RIGHT, 2: MISSING, 3: LATER}


@pytest.mark.parametrize("answers", [(), ("a",), ("a, b", "c")])
def test_that_answers_read_as_they_are_written(answers: tuple[str, ...]) -> None:
    assert parse_answers(format_answers(answers)) == answers


def test_that_the_words_for_no_match_and_blanks_are_no_answers() -> None:
    assert parse_answers(" none ; oos;;no match; a; a ") == ("a",)


def test_that_a_row_says_what_it_expects_and_what_it_came_to() -> None:
    case = Case("q", (), Task.POWER, 2)
    assert [column.cell(CaseRow(case)) for column in CASE_COLUMNS] == ["q", "Power", "no match", "", "", "", "", ""]
    told = [column.cell(CaseRow(case, OUTCOMES)) for column in CASE_COLUMNS]
    assert told[4:] == ["✗ not delivered", "no match", "–", "20 %"]
    beside = {2: replace(MISSING, answered="a", why="Unexpected beside it: “git”.", fault="and git")}
    assert [column.cell(CaseRow(case, beside)) for column in CASE_COLUMNS][5] == "a, and git"
    unwanted = Case("q", (), Task.POWER, 1, unwanted=("b", "c"))
    assert [column.cell(CaseRow(unwanted, OUTCOMES)) for column in CASE_COLUMNS][2:5] == ["", "b; c", "✓ delivered"]


def test_that_an_outcome_of_another_version_is_forgotten() -> None:
    assert CaseRow(Case("q", (), Task.POWER, 1, version=5), OUTCOMES).outcome is None


def test_that_an_edit_changes_one_column() -> None:
    case = Case("q", ("a",), Task.TYPE, 1)
    assert edited_case(case, "text", " p ").text == "p"
    assert edited_case(case, "expected", "How-To; debug").expected == ("howto", "troubleshoot")
    assert edited_case(case, "unwanted", "x").unwanted == ("x",)
    assert "none of the six types" in answers_fault(Task.TYPE, ("x",))
    assert answers_fault(Task.POWER, ("x",)) == answers_fault(Task.TYPE, ("vs",)) == ""
    assert canonical_answers(Task.POWER, ("vs",)) == ("vs",)


def test_that_keys_are_sorted_by_what_came_out_and_the_others_come_last() -> None:
    keys = [4, 3, 2, 1]
    assert keys_by_outcome(keys, OUTCOMES, "result", descending=False) == [3, 2, 1, 4]
    assert keys_by_outcome(keys, OUTCOMES, "result", descending=True) == [1, 2, 3, 4]
    assert keys_by_outcome(keys, OUTCOMES, "rank", descending=False) == [1, 3, 4, 2]
    assert keys_by_outcome(keys, OUTCOMES, "confidence", descending=True) == [1, 3, 2, 4]


def test_that_runs_are_summed_up() -> None:
    assert summary({}) == ""
    assert summary(OUTCOMES) == "1 of 3 cases delivered as expected (33.3 %); 1 wrong, 1 not delivered."
    assert summary({}, 1) == "1 case for a route was passed over: routing is off."
    assert progress_words(CaseRun(8, 20_000)) == "8 of 20,000 cases"


def test_that_results_are_sifted_by_only_after_a_run() -> None:
    tasks, *none = case_facets({Task.POWER: 3, Task.ROUTE: 0}, {})
    assert [(choice.value, choice.count) for choice in tasks.choices] == [(Task.POWER, 3)]
    assert none == []
    results = case_facets({}, OUTCOMES)[1]
    counts = [("failed", 2), ("right", 1), ("wrong", 1), ("missing", 1)]
    assert [(choice.value, choice.count) for choice in results.choices] == counts
    for result, count in counts:
        assert sum(is_of_result(one, result) for one in OUTCOMES.values()) == count


BORN = Memory(("when were you born",), intent="age", usage=1, tags=("a", "b"), key=1)
PLACE = Memory(("Where were you, born?", "your home"), "Here.", intent="place", usage=4, success=0.7, key=2)
BANK = Power("bank", "Accounts", examples=("when were you born",), key=3)


def held(*answers: Memory | Power) -> tuple[TriggerUse, ...]:
    first = (answer.examples if isinstance(answer, Power) else answer.triggers for answer in answers)
    return tuple(TriggerUse(a, own[0], answer_identity(a)) for a, own in zip(answers, first, strict=True))


NEAR = DuplicateFinding(DuplicateKind.NEAR_CONFLICT, held(BORN, PLACE), 0.9512, None)
SAME = DuplicateFinding(DuplicateKind.CONFLICT, held(BORN, BANK))


def test_that_a_row_names_trigger_answers_and_scores() -> None:
    row = duplicates.finding_row(NEAR)
    assert (row.word, row.trigger, row.answers) == ("Near conflict", "when were you born", "age · place")
    assert (row.spelling, row.meaning) == ("95 %", "–")
    assert duplicates.finding_row(SAME).spelling == ""
    twice = DuplicateFinding(DuplicateKind.DUPLICATE, held(BORN, BORN, BORN))
    assert duplicates.finding_row(twice).answers == "age, 3 times"
    many = tuple(TriggerUse(BORN, "x", str(n)) for n in range(1)) + tuple(
        TriggerUse(Memory(("x",), intent=f"l{n}", key=n), "x", f"label l{n}") for n in range(5)
    )
    assert duplicates.finding_row(DuplicateFinding(DuplicateKind.CONFLICT, many)).answers == "age · l0 · l1 · 3 more"


def test_that_only_the_words_that_differ_are_marked() -> None:
    marked = duplicates.differing_words(["when were you born", "Where were you, born?"])
    assert [[word for word, differs in own if differs] for own in marked] == [["when"], ["Where"]]
    again = duplicates.differing_words(["the bill of the bank", "the bill of bank"])
    assert [[word for word, differs in own if differs] for own in again] == [["the"], []]
    assert duplicates.differing_words(["Same!", "same"]) == ((("Same!", False),), (("same", False),))


def test_that_cards_say_how_an_answer_does() -> None:
    one, other = duplicates.holding_cards(NEAR)
    assert (one.name, one.others, one.tags) == ("age", "its only trigger", "a, b")
    assert one.use == "success 50 %, never marked right"
    assert (other.use, other.others, other.response) == ("success 70 %, never marked right", "1 more trigger", "Here.")
    power = duplicates.holding_cards(SAME)[1]
    assert (power.name, power.response) == ("bank", "Accounts")
    assert "no success score" in power.use


def test_that_each_likeness_is_explained_and_counted() -> None:
    assert "2 answers" in duplicates.explanation(SAME)
    assert len(
        {duplicates.explanation(DuplicateFinding(likeness, SAME.holdings)) for likeness in DuplicateKind}
    ) == len(DuplicateKind)
    counts = duplicates.counts([NEAR, SAME, SAME], {DuplicateKind.NEAR_CONFLICT: 1_200})
    assert duplicates.counts_line(counts) == "2 conflicts · 1,201 near conflicts"
    assert duplicates.counts_line(duplicates.counts([SAME], {})) == "1 conflict"
    assert duplicates.counts_line({}) == "nothing found"


def test_that_the_line_of_a_search_says_what_was_not_compared() -> None:
    line = duplicates.searched_line(Findings(searched=2_000, unembedded=1), SimilarityThresholds(0.9, 0.95))
    assert line.startswith("All 2,000 triggers were compared, from 0.90 by spelling and 0.95")
    assert "1 trigger has no vector yet" in line
    assert "too many" in duplicates.searched_line(Findings(searched=2, is_cut=True), SimilarityThresholds(0.9, 0.95))
    assert "too many" not in duplicates.searched_line(Findings(searched=2), SimilarityThresholds(0.9, 0.95))


def test_that_the_line_under_a_typed_trigger_names_the_nearest_and_leaves_out_the_same() -> None:
    same = NearDuplicate(PLACE, "a", 1.0, None, is_same=True)
    near = NearDuplicate(BORN, "when were you born", 0.9512, 0.97, is_same=False)
    assert near_duplicate_line([]) == near_duplicate_line([same]) == ""
    assert near_duplicate_line([same, near]) == (
        "Nearly the same under another answer: “when were you born” (age; spelling 95 %, meaning 97 %)."
    )
    assert "2 times" in near_duplicate_line([near, NearDuplicate(PLACE, "b", 0.9, None, is_same=False)])


NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(("shown", "whole", "said"), [(1204, 100_000, "1,204 of 100,000"), (60, 60, "60"), (0, 0, "0")])
def test_that_the_count_names_both_numbers_only_where_they_differ(shown: int, whole: int, said: str) -> None:
    assert count_of_total(shown, whole) == said


def test_that_long_lists_are_cut_with_their_number() -> None:
    assert first_names(["a", "b"]) == "a, b"
    assert first_names(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"


def test_that_a_time_of_today_has_no_day_and_an_unreadable_one_stays() -> None:
    at = NOW.astimezone()
    assert short_time("2026-11-22 12:00:00", NOW) == f"{at:%H:%M}"
    assert short_time("2026-01-02 12:00:00", NOW).startswith("2026-01-02 ")
    assert short_time("", NOW) == ""
    assert short_time("some day", NOW) == "some day"


def test_that_a_facet_names_a_value_that_nothing_has_any_more() -> None:
    facet = Facet("label", "Label", (Choice("a", "Apple", 3),))
    assert facet.word_of("a") == "Apple"
    assert facet.word_of("gone") == "gone"
    assert not facet.is_long


def test_that_facets_keep_the_order_and_the_counts_of_the_store() -> None:
    facets = {facet.key: facet for facet in memory_facets({"label": [("b", 2), ("a", 1)], "source": [("", 3)]})}
    assert [(choice.value, choice.count) for choice in facets["label"].choices] == [("b", 2), ("a", 1), ("", None)]
    assert facets["source"].choices[0].word == "unknown"
    assert set(facets) == {"namespace", "label", "tag", "source", "success", "usage", "right", "age", "paused"}


def test_that_what_is_chosen_becomes_a_filter() -> None:
    chosen = {"label": "x", "success": (0.3, 0.7), "age": ("since", 7), "paused": False}
    wanted = memory_filter("  build ", chosen, NOW)
    assert (wanted.text, wanted.label, wanted.success, wanted.paused) == ("build", "x", (0.3, 0.7), False)
    assert (wanted.updated_from, wanted.updated_to) == ("2026-11-15 12:00:00", None)
    assert memory_filter("", {"age": ("before", 90)}, NOW).updated_to == "2026-08-24 12:00:00"


def test_that_every_column_that_sorts_names_an_order_of_the_store() -> None:
    orders = [column.order for column in MEMORY_COLUMNS]
    assert len(set(orders)) == len(orders)
    assert all(MemoryOrder(order) for order in orders)


def test_that_a_row_says_what_the_memory_holds() -> None:
    memory = Memory(("first", "second", "third"), "do it", "fix", tags=("a", "b"), paused=True, key=1)
    row = Dated(memory, "2026-01-01 00:00:00", "2026-01-02 00:00:00", 1204)
    said = {column.key: column.cell(row) for column in MEMORY_COLUMNS}
    assert said["trigger"] == "first"
    assert MEMORY_COLUMNS[0].aside is not None
    assert MEMORY_COLUMNS[0].aside(row) == "+2"
    assert (said["label"], said["tags"], said["paused"]) == ("fix", "a, b", "Paused")
    assert (said["success"], said["usage"]) == ("–", "1,204"), "never judged"
    judged = [edited_memory(memory, "success", one) for one in ("62 %", "–")] + [replace(memory, right=1)]
    assert [success_text(one) for one in judged] == ["62 %", "–", "50 %"]


@pytest.mark.parametrize(
    ("done", "total", "said"),
    [
        (26_200, 30_000, "An import is under way: 26,200 of 30,000 lines. Nothing of it is stored yet."),
        (1_200, 0, "An import is under way: line 1,200. Nothing of it is stored yet."),
        (0, 0, "An import is under way. Nothing of it is stored yet."),
    ],
)
def test_that_an_import_says_how_far_it_is_and_that_nothing_is_kept(done: int, total: int, said: str) -> None:
    assert importing.import_warning(done, total) == said


def test_that_other_tasks_say_what_stays() -> None:
    assert importing.replay_warning(ReplayProgress(40, 1_300)) == (
        "A replay is under way: 40 of 1,300 queries. What it has found is not kept."
    )
    stays = "The queries stored so far stay; the rest is skipped."
    assert importing.log_warning(40, 1_300) == f"A log is being imported: 40 of 1,300 queries. {stays}"
    assert importing.log_warning(0, 0) == f"A log is being imported. {stays}"
    assert "breaks that off" in importing.folder_warning()
    assert [importing.stop_verb(count) for count in (1, 2)] == ["Stop it and close", "Stop them and close"]


PROBLEMS = (Problem(4, "It is not JSON."), Problem(12_000, "It is too long."))


def test_that_a_file_is_told_before_it_is_stored() -> None:
    looked = ImportPreview(Path("a/faq.jsonl"), "memories", 14_972, (), PROBLEMS)
    assert content_sentence(looked) == "faq.jsonl holds 14,972 memories. 2 lines are skipped, each with a reason."
    assert import_verb(looked) == "Import 14,972 memories"
    assert content_sentence(ImportPreview(Path("one.jsonl"), "cases", 1, (), ())) == "one.jsonl holds 1 case."
    assert problem_lines(PROBLEMS) == "line 4: It is not JSON.\nline 12,000: It is too long."


@pytest.mark.parametrize(
    ("thing", "name", "detail"),
    [
        (Memory(("rotate the keys",), response="Turn."), "rotate the keys", "no intent · response Turn."),
        (
            Memory(("rotate the keys", "turn keys"), intent="rotate", tags=("ops",), namespace="help", id="7"),
            "rotate the keys\nturn keys",
            "id 7 · intent rotate · namespace help · tags ops",
        ),
        (Memory(("sum it up\n\na long text",)), "sum it up a long text", "no intent"),
        (Power("postgres", description="Ask a database."), "postgres", "Ask a database."),
        (
            Power("files", transport=Transport("npx", ("-y", "files server"), {"TOKEN": "s3cret"})),
            "files",
            "npx -y 'files server' with TOKEN",
        ),
        (Power("off", description="Ask.", paused=True), "off", "Ask. · paused"),
        (Memory(("rotate",), paused=True), "rotate", "no intent · paused"),
        (Power("web", transport=Transport(url="https://example.org/mcp")), "web", "https://example.org/mcp"),
        (Case("open it", (), Task.INTENT), "open it", "expects no match"),
        (Case("open it", ("a", "b"), Task.INTENT), "open it", "expects a, b"),
        (Case("open it", (), Task.INTENT, unwanted=("c",)), "open it", "not c"),
    ],
)
def test_that_each_kind_shows_what_it_is_known_by(thing: object, name: str, detail: str) -> None:
    assert (preview_line(thing).name, preview_line(thing).detail) == (name, detail)


def test_that_a_rule_shows_its_pattern() -> None:
    rule = Rule("howto-1", "howto", "how do i", "english", 1)
    assert (preview_line(rule).name, preview_line(rule).detail) == ("howto-1", "label howto · how do i")


def test_that_it_is_told_what_became_of_the_fields_of_a_file() -> None:
    fields = {"utterance": "text", "intent": "intent", "flags": "", "category": ""}
    told = "Read from the file: “utterance” as text. Not imported: “flags”, “category”."
    assert fields_sentence(fields) == told
    assert fields_sentence({"Text": "text", "intent": "intent"}) == fields_sentence({}) == ""
    assert fields_sentence({f"n{n}": "" for n in range(14)}).endswith("“n11” and 2 more.")


def test_that_the_time_left_is_told_from_how_fast_it_went_lately() -> None:
    pace = RemainingTime()
    assert pace.text(100) == ""
    pace.add(0, 0.0)
    pace.add(1_000, 0.5)
    assert pace.text(100_000) == "", "half a second tells nothing"
    pace.add(4_000, 2.0)
    assert pace.text(100_000) == "about 48 s left"
    assert pace.text(1_000_000) == "about 8 min left"
    for second in range(3, 30):
        pace.add(4_000 + (second - 2) * 100, float(second))
    assert pace.text(10_000) == "about 33 s left", "it has become slower"
    pace.add(10_000, 30.0)
    assert pace.text(10_000) == ""
    pace.add(5, 31.0)
    assert pace.text(100) == "", "another count begins"


def test_that_progress_names_what_is_done() -> None:
    assert progress_line("a.jsonl", ImportProgress(ImportStage.STORING, 17), "") == "Importing a.jsonl: line 17"
    told = progress_line("a.jsonl", ImportProgress(ImportStage.STORING, 17_000, 20_000), "about 3 s left")
    assert told == "Importing a.jsonl: 17,000 of 20,000 lines, about 3 s left"
    storing = progress_line("a.jsonl", ImportProgress(ImportStage.STORING, 20_000, 20_000), "")
    assert storing == "Importing a.jsonl: storing 20,000 lines"
    assert (
        progress_line("a.jsonl", ImportProgress(ImportStage.ANSWERING, 5, 9), "") == "Importing a.jsonl: 5 of 9 answer"
    )


def test_that_every_end_has_its_sentence() -> None:
    assert (
        outcome_sentence("a.jsonl", ImportFinished(None)) == "The import of a.jsonl was cancelled; nothing was changed."
    )
    intake = ImportResult("memories", WriteResult((1, 2), (3,), 4), PROBLEMS)
    assert outcome_sentence("a.jsonl", ImportFinished(intake)) == (
        "Imported memories from a.jsonl: 2 added, 1 updated, 4 there already. 2 lines were skipped."
    )
    noted = ImportResult("powers", WriteResult((1,)), notes=PROBLEMS, wordless=("time", "files", "git", "web"))
    assert outcome_sentence("a.json", ImportFinished(noted)).endswith(
        f"{PROBLEMS[0].sentence} 1 more note. time, files and 2 more: found by name only. Start each, or add keywords."
    )
    (silent,) = ImportResult("memories", WriteResult((1, 2)), silent=2).remarks()
    assert silent == "2 memories have no response: the intent is found, but nothing is injected."
    unchanged = outcome_sentence("a.jsonl", ImportFinished(ImportResult("cases", WriteResult())))
    assert unchanged == "Imported cases from a.jsonl: nothing new."
