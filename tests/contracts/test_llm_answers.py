"""Contract of every LlmAnswerCache."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from app.adapters.store.library import SqlLibrary
from app.domain.llm import LlmOutcome, StoredLlmAnswer
from app.domain.match import Query
from app.domain.review.history import HistoryEntry, Source
from app.ports.store import Library

KEPT = StoredLlmAnswer(
    "is it broken",
    0,
    LlmOutcome.ANSWERED,
    70.0,
    1_800_000_000.0,
    "troubleshoot",
    0.8,
    "one_token",
    {"troubleshoot": 0.8, "howto": 0.2},
)
SILENT = StoredLlmAnswer("odd \ud800", 0, LlmOutcome.UNREADABLE, 80.0, KEPT.at + 1)


def test_that_answers_come_back_by_text_question_and_run(library: Library) -> None:
    cache, again = library.llm_answers, replace(KEPT, run=1, name="howto", confidence=0.4)
    cache.keep("question", [KEPT, again, SILENT], 10)
    cache.keep("another", [replace(KEPT, confidence=0.1)], 10)
    found = cache.answers("question", [KEPT.text, SILENT.text, "never asked"])
    assert sorted(found, key=lambda one: (one.at, one.run)) == [KEPT, again, SILENT]
    assert cache.answers("another", [KEPT.text])[0].confidence == 0.1
    assert cache.answers("question", []) == []


def test_that_a_newer_answer_takes_the_place_of_its_run_and_only_the_newest_stay(library: Library) -> None:
    cache = library.llm_answers
    cache.keep("q", [KEPT], 10)
    cache.keep("q", [replace(KEPT, name="howto", at=KEPT.at + 5)], 10)
    assert [one.name for one in cache.answers("q", [KEPT.text])] == ["howto"]
    texts = [f"text {n}" for n in range(5)]
    cache.keep("q", [replace(KEPT, text=text, at=KEPT.at + 10 + n) for n, text in enumerate(texts)], 3)
    assert sorted(one.text for one in cache.answers("q", [*texts, KEPT.text])) == texts[2:]


def test_that_no_text_is_kept_and_what_is_damaged_is_not_there(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path / "profile")
    cache = library.llm_answers
    cache.keep("q", [KEPT], 10)
    connection = sqlite3.connect(library.file, isolation_level=None)
    (row,) = connection.execute("SELECT * FROM llm_answers").fetchall()
    assert not any("broken" in str(value) for value in row)
    for spoiling in (
        "UPDATE llm_answers SET confidence = 7",
        "UPDATE llm_answers SET outcome = 'odd'",
        "UPDATE llm_answers SET distribution = '[1]'",
        "UPDATE llm_answers SET ms = 'long'",
        "DROP TABLE llm_answers",
    ):
        cache.keep("q", [KEPT], 10)
        connection.execute(spoiling)
        assert cache.answers("q", [KEPT.text]) == [], spoiling
    assert cache.answers("q", [KEPT.text]) == []
    cache.keep("q", [KEPT], 10)
    assert cache.answers("q", [KEPT.text]) == [KEPT]
    connection.close()
    library.close()


def test_that_what_was_said_of_a_query_is_forgotten_with_it(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path / "profile")
    other = replace(KEPT, text="another")
    library.llm_answers.keep("q", [KEPT, other], 10)
    keys = library.add_queries([HistoryEntry("2026-11-22 04:26:21", Source.WINDOW, KEPT.text)])
    library.forget_queries(keys)
    assert library.llm_answers.answers("q", [KEPT.text, other.text]) == [other]
    long = "why " * 1_000
    said = replace(KEPT, text=Query.of(long).scored)
    library.llm_answers.keep("q", [said], 10)
    assert library.forget_queries(library.add_queries([HistoryEntry("2026-11-22 04:26:22", Source.WINDOW, long)])) == 1
    assert library.llm_answers.answers("q", [said.text, other.text]) == [other]
    library.forget_queries()
    assert library.llm_answers.answers("q", [other.text]) == []
    library.close()
