"""Tests of the library in words: cases, findings, captions, imports, and the question before closing."""

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
from app.display.library.journal import revision_rows, success_changes
from app.display.library.memories import (
    MEMORY_COLUMNS,
    bulk_edit,
    edit_outcome,
    edit_preview,
    edited_memory,
    memory_diffs,
    memory_facets,
    memory_filter,
    three_way_diffs,
)
from app.display.library.tables import Choice, Facet, count_of_total, first_names
from app.display.library.teaching import near_duplicate_line
from app.display.words import success_text
from app.domain.case import Case, Task
from app.domain.filters import MemoryEdit, MemoryOrder
from app.domain.health import DuplicateFinding, DuplicateKind, NearDuplicate, SimilarityThresholds, TriggerUse
from app.domain.history import ReplayProgress
from app.domain.intent import Rule
from app.domain.journal import Revision, Step, Written
from app.domain.library import Dated, Memory, Power, Problem, Transport
from app.evaluation.answers import Delivery
from app.ports.store import WriteResult
from app.scoring.duplicates import Findings, answer_identity
from app.services.evaluation.case_runs import CaseRun, Outcome
from app.services.library.import_export import ImportFinished, ImportPreview, ImportProgress, ImportResult, ImportStage
from tests.golden import written

GOLDEN = Path(__file__).with_name("rows.txt")
"""Reviewed text of rows and sentences; `GOLDEN.write_text(read())` writes it again."""

MISSING = Outcome(2, 0, Delivery.MISSING, None, 0.2, None)
OUTCOMES = {1: Outcome(1, 0, Delivery.RIGHT, 1, 0.9, "a"), 2: MISSING, 3: Outcome(3, 0, Delivery.WRONG, 3, 0.7, "c")}
CASE, UNWANTED = Case("q", (), Task.POWER, 2), Case("q", (), Task.POWER, 1, unwanted=("b", "c"))

BORN = Memory(("when were you born",), intent="age", usage=1, tags=("a", "b"), key=1)
PLACE = Memory(("Where were you, born?", "your home"), "Here.", intent="place", usage=4, success=0.7, key=2)
BANK = Power("bank", "Accounts", examples=("when were you born",), key=3)


def held(*answers: Memory | Power) -> tuple[TriggerUse, ...]:
    first = (answer.examples if isinstance(answer, Power) else answer.triggers for answer in answers)
    return tuple(TriggerUse(a, own[0], answer_identity(a)) for a, own in zip(answers, first, strict=True))


NEAR = DuplicateFinding(DuplicateKind.NEAR_CONFLICT, held(BORN, PLACE), 0.9512, None)
SAME = DuplicateFinding(DuplicateKind.CONFLICT, held(BORN, BANK))
TWICE = DuplicateFinding(DuplicateKind.DUPLICATE, held(BORN, BORN, BORN))
MANY = DuplicateFinding(DuplicateKind.CONFLICT, held(BORN, *(replace(BORN, intent=f"l{n}") for n in range(5))))
SAME_TYPED = NearDuplicate(PLACE, "a", 1.0, None, is_same=True)
NEAR_TYPED = NearDuplicate(BORN, "when were you born", 0.9512, 0.97, is_same=False)

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
MEMORY = Memory(("first", "second", "third"), "do it", "fix", tags=("a", "b"), paused=True, key=1)
PROBLEMS = (Problem(4, "It is not JSON."), Problem(12_000, "It is too long."))
PREVIEWED = (
    Memory(("rotate the keys",), response="Turn."),
    Memory(("rotate the keys", "turn keys"), intent="rotate", tags=("ops",), namespace="help", id="7"),
    Memory(("sum it up\n\na long text",)),
    Memory(("rotate",), paused=True),
    Power("postgres", description="Ask a database."),
    Power("files", transport=Transport("npx", ("-y", "files server"), {"TOKEN": "s3cret"})),
    Power("off", description="Ask.", paused=True),
    Power("web", transport=Transport(url="https://example.org/mcp")),
    Case("open it", (), Task.INTENT),
    Case("open it", ("a", "b"), Task.INTENT),
    Case("open it", (), Task.INTENT, unwanted=("c",)),
    Rule("howto-1", "howto", "how do i", "english", 1),
)


def case_cells(row: CaseRow) -> list[str]:
    return [column.cell(row) for column in CASE_COLUMNS]


def read() -> str:
    beside = {2: replace(MISSING, answered="a", why="Unexpected beside it: “git”.", fault="and git")}
    typed = Case("q", ("a",), Task.TYPE, 1)
    found = [NEAR, SAME, TWICE, MANY]
    limits = SimilarityThresholds(0.9, 0.95)
    noted = ImportResult("powers", WriteResult((1,)), notes=PROBLEMS, wordless=("time", "files", "git", "web"))
    results = (
        None,
        ImportResult("memories", WriteResult((1, 2), (3,), 4), PROBLEMS),
        noted,
        ImportResult("memories", WriteResult((1, 2)), silent=2),
        ImportResult("cases", WriteResult()),
    )
    progress = (
        (ImportProgress(ImportStage.STORING, 17), ""),
        (ImportProgress(ImportStage.STORING, 17_000, 20_000), "about 3 s left"),
        (ImportProgress(ImportStage.STORING, 20_000, 20_000), ""),
        (ImportProgress(ImportStage.ANSWERING, 5, 9), ""),
    )
    dated = Dated(MEMORY, "2026-01-01 12:00:00", "2026-01-02 12:00:00", 1204)
    judged = edited_memory(MEMORY, "success", "62 %"), edited_memory(MEMORY, "success", "–"), replace(MEMORY, right=1)
    return written(
        {
            "case, not run": case_cells(CaseRow(CASE)),
            "case, run": case_cells(CaseRow(CASE, OUTCOMES)),
            "case with an unexpected answer beside it": case_cells(CaseRow(CASE, beside)),
            "case with unwanted answers": case_cells(CaseRow(UNWANTED, OUTCOMES)),
            "edited cases": [
                edited_case(typed, *edit)
                for edit in (("text", " p "), ("expected", "How-To; debug"), ("unwanted", "x"))
            ],
            "faults of answers": [
                answers_fault(*one) for one in ((Task.TYPE, ("x",)), (Task.POWER, ("x",)), (Task.TYPE, ("vs",)))
            ],
            "runs": [summary({}), summary(OUTCOMES), summary({}, 1), progress_words(CaseRun(8, 20_000))],
            "facets before a run": case_facets({Task.POWER: 3, Task.ROUTE: 0}, {}),
            "facets after a run": case_facets({}, OUTCOMES),
            "duplicates": map(duplicates.finding_row, found),
            "cards of duplicates": [card for one in found[:2] for card in duplicates.holding_cards(one)],
            "explanations": [duplicates.explanation(replace(SAME, likeness=kind)) for kind in DuplicateKind],
            "words that differ": [
                duplicates.differing_words(texts)
                for texts in (
                    ["when were you born", "Where were you, born?"],
                    ["the bill of the bank", "the bill of bank"],
                    ["Same!", "same"],
                )
            ],
            "counts of duplicates": [
                duplicates.counts_line(duplicates.counts([NEAR, SAME, SAME], {DuplicateKind.NEAR_CONFLICT: 1_200})),
                duplicates.counts_line(duplicates.counts([SAME], {})),
                duplicates.counts_line({}),
            ],
            "searches": [
                duplicates.searched_line(one, limits)
                for one in (
                    Findings(searched=2_000, unembedded=1),
                    Findings(searched=2, is_cut=True),
                    Findings(searched=2),
                )
            ],
            "below a typed trigger": [
                near_duplicate_line(typed)
                for typed in (
                    [],
                    [SAME_TYPED],
                    [SAME_TYPED, NEAR_TYPED],
                    [NEAR_TYPED, replace(SAME_TYPED, is_same=False)],
                )
            ],
            "counts": [count_of_total(*pair) for pair in ((1204, 100_000), (60, 60), (0, 0))],
            "first names": [first_names(["a", "b"]), first_names(["a", "b", "c", "d", "e"])],
            "facets of memories": memory_facets({"label": [("b", 2), ("a", 1)], "source": [("", 3)]}),
            "memory": [
                (column.title, column.cell(dated), *([column.aside(dated)] if column.aside else []))
                for column in MEMORY_COLUMNS
            ],
            "success of judged memories": map(success_text, judged),
            "before closing": [
                *(importing.import_warning(*pair) for pair in ((26_200, 30_000), (1_200, 0), (0, 0))),
                importing.replay_warning(ReplayProgress(40, 1_300)),
                importing.log_warning(40, 1_300),
                importing.log_warning(0, 0),
                importing.folder_warning(),
                *map(importing.stop_verb, (1, 2)),
            ],
            "before an import": [
                content_sentence(looked := ImportPreview(Path("a/faq.jsonl"), "memories", 14_972, (), PROBLEMS)),
                import_verb(looked),
                content_sentence(ImportPreview(Path("one.jsonl"), "cases", 1, (), ())),
                problem_lines(PROBLEMS),
            ],
            "preview": [(line.name, line.detail) for line in map(preview_line, PREVIEWED)],
            "fields of a file": map(
                fields_sentence,
                (
                    {"utterance": "text", "intent": "intent", "flags": "", "category": ""},
                    {"Text": "text", "intent": "intent"},
                    {},
                    {f"n{n}": "" for n in range(14)},
                ),
            ),
            "during an import": [progress_line("a.jsonl", *one) for one in progress],
            "after an import": [outcome_sentence("a.jsonl", ImportFinished(one)) for one in results],
        }
    )


def test_that_rows_and_sentences_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


@pytest.mark.parametrize("answers", [(), ("a",), ("a, b", "c")])
def test_that_answers_read_as_they_are_written(answers: tuple[str, ...]) -> None:
    assert parse_answers(format_answers(answers)) == answers


def test_that_the_words_for_no_match_and_blanks_are_no_answers() -> None:
    assert parse_answers(" none ; oos;;no match; a; a ") == ("a",)
    assert canonical_answers(Task.POWER, ("vs",)) == ("vs",)


def test_that_an_outcome_of_another_version_is_forgotten() -> None:
    assert CaseRow(replace(UNWANTED, version=5), OUTCOMES).outcome is None


@pytest.mark.parametrize(
    ("column", "descending", "keys"),
    [
        ("result", False, [3, 2, 1, 4]),
        ("result", True, [1, 2, 3, 4]),
        ("rank", False, [1, 3, 4, 2]),
        ("confidence", True, [1, 3, 2, 4]),
    ],
)
def test_that_keys_are_sorted_by_what_came_out_and_the_others_come_last(
    column: str, descending: bool, keys: list[int]
) -> None:
    assert keys_by_outcome([4, 3, 2, 1], OUTCOMES, column, descending=descending) == keys


def test_that_the_count_of_a_result_is_that_of_the_outcomes_it_selects() -> None:
    for choice in case_facets({}, OUTCOMES)[1].choices:
        assert sum(is_of_result(one, choice.value) for one in OUTCOMES.values()) == choice.count


def test_that_a_facet_names_a_value_that_nothing_has_any_more() -> None:
    facet = Facet("label", "Label", (Choice("a", "Apple", 3),))
    assert facet.word_of("a") == "Apple"
    assert facet.word_of("gone") == "gone"
    assert not facet.is_long


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


MEMORY_DETAILS_MEMORY = Memory(("one", "two"), "Press the red button now.", "fix", tags=("a",), key=1)
STEP = Step(4, "2026-01-02 03:04:05", "edited", "“one”", 1, "window")


def test_that_only_fields_that_differ_are_told() -> None:
    told = memory_diffs(MEMORY_DETAILS_MEMORY, replace(MEMORY_DETAILS_MEMORY, paused=True, success=0.75))
    assert [one.title for one in told] == ["Success", "State"]
    assert "gone: Active" in told[1].sentence
    assert "new: Paused" in told[1].sentence
    assert memory_diffs(MEMORY_DETAILS_MEMORY, MEMORY_DETAILS_MEMORY) == ()


def test_that_the_success_history_names_each_move_and_leaves_out_what_was_undone() -> None:
    up = Revision(STEP, MEMORY_DETAILS_MEMORY, replace(MEMORY_DETAILS_MEMORY, success=0.55))
    same = Revision(STEP, MEMORY_DETAILS_MEMORY, replace(MEMORY_DETAILS_MEMORY, intent=None))
    undone = replace(up, step=replace(STEP, undone=True))
    (told,) = success_changes([undone, same, up])
    assert told.startswith("50 % → 55 %, edited “one”")
    assert revision_rows([undone])[0][0] == "Edited: Success (undone)"
    assert revision_rows([Revision(STEP, MEMORY_DETAILS_MEMORY, None)])[0][0] == "Edited “one”"


def test_that_an_edit_of_many_is_said_before_and_after() -> None:
    assert edit_preview(0, 12) == "No change to any of the 12 memories."
    assert edit_preview(12, 12) == "This changes all 12 memories."
    assert edit_preview(9, 12) == "This changes 9 of 12 memories; the others already match."
    assert edit_outcome("edited", None) == "No change."
    assert edit_outcome("deleted", Written(replace(STEP, subject="", count=12))) == "12 memories are in the bin."
    assert edit_outcome("deleted", Written(STEP)) == "“one” is in the bin."


def test_that_fields_left_empty_ask_for_nothing() -> None:
    assert bulk_edit("", None, (), (), None, False) is None
    assert bulk_edit("", "", (), ("x",), None, True) == MemoryEdit(label="", remove_tags=("x",), success=0.5)


def test_that_a_conflict_tells_who_changed_which_field() -> None:
    base = Memory(("a",), "r", intent="tea", tags=("x",))
    theirs = replace(base, response="theirs", tags=("x", "y"), namespace="both")
    mine = replace(base, intent="mine", tags=("x", "z"), namespace="both")
    found = {one.title: one.sentence for one in three_way_diffs(base, theirs, mine, "anna")}
    assert found == {
        "Response · changed by anna": "gone: rnew: theirs",
        "Intent · changed by you": "gone: teanew: mine",
        "Namespace · changed alike by both": f"gone: {base.namespace}new: both",
        "Tags · changed by both: from theirs to yours": "x; gone: ynew: z",
    }
