"""Tests of clauses: several types in one text, and negated cues."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.adapters.formats.toml_tables import read_packs
from app.detect.keywords import MOST_CLAUSES, KeywordRules
from app.detect.merge import NEGATED, with_vote
from app.display.scope.intent import RuleEffect, cue_rows, cues, several_types_sentence
from app.domain.case import Vote
from app.settings.sections import SearchIntentSettings
from tests.build import some

RULES = KeywordRules(read_packs(Path(__file__).parents[3] / "resources" / "rules"))


@pytest.mark.parametrize(
    ("text", "clause_types"),
    [
        ("fix the error and compare A with B", {"troubleshoot": "fix the error", "comparison": "compare A with B"}),
        ("Where is the config? Explain it.", {"location": "Where is the config", "explanation": "Explain it"}),
        ("how do I create a tag, then fix the bug", {"howto": "how do I create a tag", "troubleshoot": "fix the bug"}),
        ("fix the error and the bug", {}),
        ("compare git and mercurial", {}),
        ("don't fix the error, just explain it", {}),
        ("", {}),
    ],
)
def test_that_each_clause_of_a_type_of_its_own_is_told_with_its_place(text: str, clause_types: dict[str, str]) -> None:
    found = RULES.detect(text, "evidence")
    assert {one.type.value: text[slice(*one.span)] for one in found.clause_types} == clause_types
    assert [one.evidence for one in found.clause_types] == sorted(
        (one.evidence for one in found.clause_types), reverse=True
    )
    assert RULES.detect(text, "priority").clause_types == ()
    assert all(part in several_types_sentence(found, text) for part in clause_types.values())
    assert bool(several_types_sentence(found, text)) is bool(clause_types)


@pytest.mark.parametrize(
    ("text", "type_", "as_documented"),
    [
        ("don't fix the error, just explain it", "explanation", "troubleshoot"),
        ("Please do not fix it but explain it", "explanation", "troubleshoot"),
        ("explain it without debug", "explanation", "troubleshoot"),
        ("I don't want to fix it, where is the file?", "location", "troubleshoot"),
        ("not asking how to", None, "howto"),
        ("why don't you fix it", "troubleshoot", "troubleshoot"),
        ("I don't know how to", "howto", "howto"),
        ("the build is not working", "troubleshoot", "howto"),
        ("don't fix the bug but find the error", "troubleshoot", "troubleshoot"),
        ("don't fix that, fix this", "troubleshoot", "troubleshoot"),
    ],
)
def test_that_a_negated_cue_counts_only_as_documented(text: str, type_: str | None, as_documented: str | None) -> None:
    for policy, wanted in (("evidence", type_), ("priority", as_documented)):
        found = RULES.detect(text, policy)
        assert (None if found.intent is None else found.intent.type.value) == wanted, policy
        assert dict(found.by_policy) == {"evidence": type_, "priority": as_documented}


def test_that_every_place_of_a_cue_is_marked_and_what_is_negated_says_so() -> None:
    text = "don't fix it, explain it and explain it again"
    found = RULES.detect(text, "evidence")
    marked = {(text[cue.start : cue.end], cue.start): cue for cue in cues(found)}
    assert [place for word, place in marked if word == "explain"] == [14, 29]
    assert marked["fix", 6].rule_effect is RuleEffect.HELD_BACK
    assert marked["fix", 6].label == "Troubleshoot (negated)"
    assert [row.weight for row in cue_rows(found) if row.type == "Troubleshoot"] == ["negated"]
    assert marked["fix", 6] not in cues(RULES.detect(text, "priority"))


def test_that_examples_do_not_speak_for_what_is_negated() -> None:
    text = "don't fix it, just explain it"
    vote = Vote("troubleshoot", 0.99, 0.5, (("troubleshoot", 0.9),))
    ours = SearchIntentSettings()
    found = with_vote(RULES.detect(text, "evidence"), text, vote, ours)
    assert some(found.floor).type.value == "explanation"
    assert [step.name for step in found.floor_steps][-1] == NEGATED
    documented = with_vote(RULES.detect(text, "priority"), text, vote, ours)
    assert some(documented.floor).type.value == "troubleshoot"


def test_that_a_text_of_endless_clauses_is_looked_at_so_far() -> None:
    text = "fix it and explain it and " * MOST_CLAUSES
    found = RULES.detect(text, "evidence")
    assert len(found.clause_types) <= MOST_CLAUSES + 1
    assert all(len(hit.spans) <= 8 for hit in found.hits)
