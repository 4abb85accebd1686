"""Tests of the sentences on a file during import."""

from __future__ import annotations

from pathlib import Path

import pytest

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
from app.domain.case import Case, Task
from app.domain.intent import Rule
from app.domain.library import Memory, Power, Problem, Transport
from app.ports.store import Change
from app.services.library.import_export import ImportFinished, ImportPreview, ImportProgress, ImportResult, ImportStage

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
    told = "Fields of the file: “utterance” as text; ignored: “flags”, “category”."
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
    assert (
        progress_line("a.jsonl", ImportProgress(ImportStage.STORING, 20_000, 20_000), "")
        == "Importing a.jsonl: storing 20,000 lines"
    )
    assert (
        progress_line("a.jsonl", ImportProgress(ImportStage.ANSWERING, 5, 9), "") == "Importing a.jsonl: 5 of 9 answer"
    )


def test_that_every_end_has_its_sentence() -> None:
    assert (
        outcome_sentence("a.jsonl", ImportFinished(None)) == "The import of a.jsonl was cancelled; nothing was changed."
    )
    intake = ImportResult("memories", Change((1, 2), (3,), 4), PROBLEMS)
    assert outcome_sentence("a.jsonl", ImportFinished(intake)) == (
        "Imported memories from a.jsonl: 2 added, 1 updated, 4 there already. 2 lines were skipped."
    )
    assert (
        outcome_sentence("a.jsonl", ImportFinished(ImportResult("cases", Change())))
        == "Imported cases from a.jsonl: nothing new."
    )
