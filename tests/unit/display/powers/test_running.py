"""Tests of running powers in words: states, approvals, tools, arguments, calls, messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.display.library.tables import sorted_by
from app.display.powers import running, tools
from app.display.powers.rows import (
    POWER_COLUMNS,
    PowerRow,
    draft_fault,
    effect_words,
    keyword_score_text,
    matches_search,
    rank_text,
    rebased_draft,
    stripped,
)
from app.display.powers.running import ApprovalPrompt
from app.display.powers.tools import WHOLE, arguments, read_form
from app.display.words import LACKS
from app.domain.journal import Revision, Step
from app.domain.library import Power, Tool, Transport
from app.domain.match import Tier
from app.domain.running import (
    ActivationBlocker,
    PowerRun,
    RunState,
    ToolResult,
    ToolSchema,
    ValueFrom,
    WireMessage,
    approval_text,
)
from app.services.scope.edit_previews import PowerEffect, PowerRank
from tests.build import some

GOLDEN = Path(__file__).with_name("running.txt")
"""Text of states and questions; rewrite it with `GOLDEN.write_text(read())`."""
GIT = Power("git", transport=Transport("git-server", ("--stdio",)), key=1, approved=True)
HOSTILE = "<b>bold</b> \u202egnp.exe \x1b[31mred"


def step(number: int, verb: str, source: str) -> Step:
    return Step(number, "2026-11-22 04:26:21", verb, "", 1, source)


class TestState:
    @pytest.mark.parametrize("state", list(RunState))
    def test_that_each_state_has_a_glyph_and_a_word_of_its_own(self, state: RunState) -> None:
        said = {running.state_word(PowerRun("x", one)) for one in RunState}
        assert len(said) == len(RunState)
        glyph, word = running.state_word(PowerRun("x", state)).split(" ")
        assert (len(glyph), word.lower()) == (1, state.value)


def prompts() -> Iterator[ApprovalPrompt]:
    """Yield a question for each origin, change, address and sort of variables."""
    typed = Revision(step(2, "edited", "window"), Power("git", key=1), GIT)
    imported = Revision(step(2, "imported", "powers.jsonl"), None, GIT)
    seeded = Revision(step(2, "added", "seed"), None, GIT)
    reworded = Revision(step(3, "edited", "window"), Power("git", "old", transport=GIT.transport, key=1), GIT)
    for steps in ([typed], [imported], [seeded], [], [reworded, imported]):
        yield running.approval_prompt(GIT, approval_text(GIT.transport), steps)
    other = Power("git", transport=Transport("rm", ("-rf", "/")), key=1)
    changed = Revision(step(2, "edited", "window"), GIT, other)
    yield running.approval_prompt(other, approval_text(other.transport), [changed])
    web = Power("web", transport=Transport(url="http://127.0.0.1/mcp"), key=2)
    yield running.approval_prompt(web, approval_text(web.transport), [])
    yield running.approval_prompt(web, "", [], only_approves=True)
    yield running.approval_prompt(web, "", [], {"A": ValueFrom.NOWHERE})
    mixed = {"A": ValueFrom.STORED, "B": ValueFrom.NOWHERE, "\u202eC": ValueFrom.OWN}
    choosing = {"PATH": ValueFrom.STORED, "NODE_OPTIONS": ValueFrom.OWN, "ZONE": ValueFrom.STORED}
    for values in (mixed, {"A": ValueFrom.STORED}):
        yield running.approval_prompt(GIT, "", [], values)
    yield running.approval_prompt(GIT, "", [], choosing, is_again=True)
    yield running.approval_prompt(web, "", [], choosing)


def read() -> str:
    run = PowerRun("git", RunState.RUNNING, server="git 1.2", protocol="2025-11-25", started_ms=812.0, idle_turns=4)
    refused = (
        running.sentence(None, Power("new", transport=Transport("x"))),
        running.sentence(None, Power("bare", key=3)),
        running.sentence(None, Power("p", transport=Transport("x"), paused=True, key=3)),
        running.sentence(PowerRun("git", RunState.FAILED, "It ended.\x1b"), GIT),
        running.sentence(PowerRun("git", RunState.STOPPED, "It was idle."), GIT),
    )
    facts = [f"{name}: {value}" for name, value in running.facts(run, 192, 10)]
    words = (running.turns_left(run, 0), running.memory_text(84_240_000), running.duration_text(7_300))
    parts = ("title", "question", "origin", "before", "verb", "variables", "warning")
    questions = (
        "\n".join(f"{part}: {getattr(one, part)}" for part in parts if getattr(one, part)) for one in prompts()
    )
    return "\n\n".join(("\n".join(refused), "\n".join(facts), "\n".join(words), *questions)) + "\n"


def test_that_states_and_questions_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")
    assert running.sentence(None, GIT) == ""


class TestTools:
    def test_that_arguments_are_rows_in_their_order(self) -> None:
        schema = {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Where"},
                "depth": {"type": "integer", "default": 3, "minimum": 1, "maximum": 9},
                "kind": {"enum": ["a", "b"]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "maybe": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None},
                "mode": {"$ref": "#/$defs/Mode"},
                "odd": 7,
            },
            "required": ["path", 7],
            "$defs": {"Mode": {"enum": ["fast"], "type": "string"}},
        }
        rows = some(arguments(schema))
        assert [(row.name, row.kind, row.word, row.is_required, row.default) for row in rows] == [
            ("path", "string", "text", True, ""),
            ("depth", "integer", "integer", False, "3"),
            ("kind", "choice", "one of 2", False, ""),
            ("tags", "json", "list of string", False, ""),
            ("maybe", "number", "number", False, "null"),
            ("mode", "choice", "one of 1", False, ""),
            ("odd", "json", "any JSON", False, ""),
        ]

    def test_that_a_schema_of_another_form_is_asked_for_as_json(self) -> None:
        assert arguments({"type": "object", "oneOf": []}) is None
        assert arguments({"type": "object"}) == ()
        assert [field.name for field in tools.fields(None)] == [WHOLE]
        many = arguments({"properties": {f"a{n}": {} for n in range(31)}})
        assert [field.name for field in tools.fields(many)] == [WHOLE]

    def test_that_a_schema_that_refers_to_itself_comes_to_an_end(self) -> None:
        rows = arguments({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"$ref": "#/$defs/A"}}})
        assert some(rows)[0].kind == "json"


class TestForm:
    ROWS = arguments(
        {
            "properties": {
                "text": {"type": "string"},
                "count": {"type": "integer", "minimum": 1, "maximum": 5},
                "share": {"type": "number"},
                "on": {"type": "boolean"},
                "kind": {"enum": ["a", 2]},
                "list": {"type": "array"},
            },
            "required": ["text"],
        }
    )

    def test_that_what_is_typed_becomes_values(self) -> None:
        typed = {"text": "12", "count": " 3 ", "share": "0.5", "on": "true", "kind": "2", "list": '["a"]'}
        assert self.ROWS is not None
        found, wrong = read_form(self.ROWS, typed)
        assert wrong == {}
        assert found == {"text": "12", "count": 3, "share": 0.5, "on": True, "kind": 2, "list": ["a"]}

    def test_that_what_is_empty_is_left_out_unless_it_is_required(self) -> None:
        assert self.ROWS is not None
        assert read_form(self.ROWS, {"text": "x"}) == ({"text": "x"}, {})
        assert read_form(self.ROWS, {}) == ({}, {"text": "This is required."})

    def test_that_all_arguments_can_be_one_object(self) -> None:
        rows = tools.fields(None)
        assert read_form(rows, {WHOLE: '{"a": 1}'}) == ({"a": 1}, {})
        assert "Write an object: {" in read_form(rows, {WHOLE: "[1]"})[1][WHOLE]

    def test_that_defaults_stand_as_a_person_would_type_them(self) -> None:
        rows = some(
            arguments({"properties": {"a": {"type": "string", "default": "x"}, "b": {"default": [1]}, "c": {}}})
        )
        assert [tools.default_text(row) for row in rows] == ["x", "[1]", ""]


class TestAnswer:
    TOOL = ToolSchema("look")

    def test_that_pictures_are_notes_and_errors_are_called_so(self) -> None:
        image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
        came = tools.call_outcome(self.TOOL, ToolResult((image,), is_error=True, ms=12.0, cut=True))
        assert came.text == "[Picture, image/png, 3 bytes]"
        assert came.is_bad
        assert "reports an error, after 12 ms, some of it was left out" in came.head

    def test_that_what_is_told_twice_is_shown_once(self) -> None:
        came = tools.call_outcome(self.TOOL, ToolResult(({"type": "text", "text": '{"a": 1}'},), {"a": 1}))
        assert came.text == '{\n  "a": 1\n}'
        came = tools.call_outcome(self.TOOL, ToolResult(({"type": "text", "text": "one"},), {"a": 1}))
        assert came.text == 'one\nStructured:\n{\n  "a": 1\n}'

    def test_that_a_long_answer_is_cut_for_the_eye_and_not_for_the_clipboard(self) -> None:
        said = HOSTILE + "x" * 100_000
        came = tools.call_outcome(self.TOOL, ToolResult(({"type": "text", "text": said},)))
        assert came.whole == said
        assert len(came.text) < 21_000
        assert max(map(len, came.text.split("\n"))) <= 400
        assert "more characters" in came.text
        assert "\u202e" not in came.text

    def test_that_messages_have_a_direction_and_a_time(self) -> None:
        sent = WireMessage(1_234.4, True, '{"a":1}')
        assert [column.cell(sent) for column in tools.EXCHANGE_COLUMNS] == ["→ sent", "1,234", '{"a":1}']
        assert tools.exchange_text(sent) == '{\n  "a": 1\n}'
        assert tools.exchange_text(WireMessage(0, False, '{"a"…')) == '{"a"…'
        assert tools.exchange_line(sent) == '→ sent 1234 ms {"a":1}'

    def test_that_progress_says_how_far_it_is(self) -> None:
        assert tools.progress_words(1, 2, "step\x1b 1") == "1 of 2, step 1"
        assert tools.progress_words(3, None, "") == "3"


class TestDraft:
    def test_that_an_approval_takes_no_edit_away(self) -> None:
        before = Power("git", key=1, version=1, transport=GIT.transport)
        now = Power("git", key=1, version=2, transport=GIT.transport, approved=True, tools=(Tool("a"),))
        draft = Power("git", "edited", key=1, version=1, transport=GIT.transport)
        after = rebased_draft(draft, before, now)
        assert (after.description, after.version, after.approved, after.tools) == ("edited", 2, True, (Tool("a"),))

    def test_that_what_another_hand_edited_stays_for_a_person_to_decide(self) -> None:
        before = Power("git", key=1, version=1)
        now = Power("git", "theirs", key=1, version=2)
        draft = Power("git", "mine", key=1, version=1)
        assert rebased_draft(draft, before, now).version == 1
        mine, other = (Power("git", tools=(Tool(name),), key=1, version=n) for n, name in ((1, "b"), (2, "a")))
        assert rebased_draft(mine, before, other).version == 1


FIRST = PowerRank(0.952, 1, 20, Tier.ACTIVATED)
SECOND = PowerRank(0.733, 2, 20, Tier.MULTIPLE_MATCHES)
POWER = Power("postgres", "Ask", ("sql",), tools=(Tool("query", "run it"),), transport=Transport("npx"), key=1)


def test_that_cells_say_what_a_power_has_and_does() -> None:
    said = [column.cell(PowerRow(POWER, FIRST, is_edited=True)) for column in POWER_COLUMNS]
    assert said == ["postgres  (unsaved)", "Ask", "1", "1", "Command", "", "", "95 % not approved", ""]
    assert [column.cell(PowerRow(POWER)) for column in POWER_COLUMNS[-2:]] == ["–", ""]


def test_that_what_does_not_answer_comes_last_both_ways() -> None:
    rows = [PowerRow(POWER), PowerRow(POWER, SECOND), PowerRow(POWER, FIRST)]
    assert [row.standing for row in sorted_by(POWER_COLUMNS, rows, "tier", descending=False)] == [SECOND, FIRST, None]
    assert [row.standing for row in sorted_by(POWER_COLUMNS, rows, "tier", descending=True)] == [FIRST, SECOND, None]


def test_that_every_column_can_be_sorted_by() -> None:
    rows = [PowerRow(Power("b", key=1)), PowerRow(POWER, FIRST)]
    assert all(len(sorted_by(POWER_COLUMNS, rows, column.order, descending=False)) == 2 for column in POWER_COLUMNS)


@pytest.mark.parametrize(("holders", "said"), [(1, "90 %"), (2, "70 %, in 2 powers"), (3, "63 %, in 3 powers")])
def test_that_a_keyword_is_worth_less_where_more_share_it(holders: int, said: str) -> None:
    assert keyword_score_text(holders) == said


def test_that_an_edit_is_told_as_before_and_after() -> None:
    effect = PowerEffect("q", FIRST, SECOND, knows_meaning=True)
    assert effect_words(effect) == ("95 %, rank 1 of 20, would be activated → 73 %, rank 2 of 20, offered")
    same = PowerEffect("q", FIRST, replace(FIRST, confidence=FIRST.confidence + 1e-9), knows_meaning=True)
    assert effect_words(same) == "95 %, rank 1 of 20, would be activated"
    assert effect_words(PowerEffect("q", FIRST, None, knows_meaning=True)).endswith(" → does not answer")


def test_that_where_a_power_stands_says_what_it_lacks_as_the_verdict_does() -> None:
    said = [rank_text(replace(FIRST, lack=lack)).partition("of 20, ")[2] for lack in ActivationBlocker]
    assert said == [LACKS[lack] for lack in ActivationBlocker]
    assert rank_text(replace(FIRST, confidence=0.0, tier=Tier.NOT_FOUND)) == "0 %, not offered"


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        (Power(" "), "needs a name"),
        (Power("postgres"), "Another power is called “postgres”"),
        (Power("x", transport=Transport(url="example.org")), "http"),
        (Power("x", tools=(Tool("", "does"),)), "no name"),
        (POWER, ""),
    ],
)
def test_that_what_cannot_be_saved_is_said_in_words(draft: Power, said: str) -> None:
    assert said in draft_fault(draft, [POWER])
    assert bool(draft_fault(draft, [POWER])) is bool(said)


def test_that_words_are_sought_everywhere_and_blanks_around_texts_are_no_edit() -> None:
    assert matches_search(POWER, "RUN sql")
    assert not matches_search(POWER, "run nowhere")
    assert stripped(Power(" a ", "b \n", examples=(" ", "c "))) == Power("a", "b", examples=("c",))
