"""Tests of JSON Lines: valid lines, and invalid lines as problems."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.formats.json_lines import detect_kind, read, write
from app.adapters.formats.records import FileKind
from app.adapters.formats.syntax import text as file_text
from app.domain.case import Case, Task
from app.domain.errors import FormatError
from app.domain.intent import Rule
from app.domain.journal import Item
from app.domain.library import Line, Memory, Power, Problem, Tool, Transport
from tests.strategies import STRATEGIES, as_read


def lines(text: str | bytes, kind: FileKind = FileKind.MEMORIES, task: Task | None = None) -> list[Any]:
    return list(read(io.BytesIO(text.encode() if isinstance(text, str) else text), kind, task))


def only(record: dict[str, Any], kind: FileKind = FileKind.MEMORIES, task: Task | None = None) -> Any:
    (found,) = lines(json.dumps(record), kind, task)
    return found.value if isinstance(found, Line) else found.sentence


class TestLines:
    def test_that_a_bad_line_costs_only_itself(self) -> None:
        found = lines('{"text": "a"}\n\n{"text": \nnull\n{"text": "b"}')
        assert [line.value.triggers[0] for line in found if isinstance(line, Line)] == ["a", "b"]
        assert [line.number for line in found if isinstance(line, Line)] == [1, 5]
        assert [line.line for line in found if isinstance(line, Problem)] == [3, 4]
        assert all(line.sentence.endswith(".") for line in found if isinstance(line, Problem))

    def test_that_marks_of_other_systems_are_taken(self) -> None:
        found = lines(b'\xef\xbb\xbf{"text": "a"}\r\n \t \r\n{"text": "b"}\r\n')
        assert [(line.number, line.value.triggers) for line in found] == [(1, ("a",)), (3, ("b",))]

    def test_that_utf_16_is_told_once(self) -> None:
        with pytest.raises(FormatError, match="UTF-16"):
            lines('{"text": "a"}\n'.encode("utf-16"))

    @pytest.mark.parametrize(
        ("line", "word"),
        [
            (b'{"text": "\xff"}', "UTF-8 (byte 11)"),
            (b'{"text": "a", "success": NaN}', "valid JSON"),
            (b'{"text": "a", "success": Infinity}', "valid JSON"),
            (b'{"text": "\\ud800", "success": NaN}', "valid JSON"),
            (b"[" * 200_000, "valid JSON"),
            (b'{"\\ud800":' * 200_000, "valid JSON"),
            (b'["text"]', "no object"),
            (b'"text"', "no object"),
            (b'{"text": "a"} {"text": "b"}', "valid JSON"),
            (b'{"text": "' + b"x" * 100_001 + b'"}', "100,001 characters"),
            (b"{}", "no text"),
            (b'{"text": ""}', "“text” is missing"),
            (b'{"text": " \\t "}', "“text” is missing"),
            ('{"text": "\u200b\u00ad"}'.encode(), "“text” is missing"),
            ('{"triggers": ["a", "\u2060 "]}'.encode(), "A trigger of the memory is empty"),
            (b'{"text": 5}', "not text"),
            (b'{"triggers": []}', "no text"),
            (b'{"triggers": ["a", " "]}', "empty"),
            (b'{"triggers": "a"}', "“triggers” is a list"),
            (b'{"text": "a", "tags": ["b", 1]}', "“tags”"),
            (b'{"text": "a", "tags": "b"}', "“tags” is a list"),
            (b'{"text": "a", "intent": {}}', "“intent”"),
            (b'{"text": "a", "success": 1.5}', "between 0 and 1"),
            (b'{"text": "a", "success": "1"}', "“success” is a number"),
            (b'{"text": "a", "success": true}', "“success” is a number"),
            (b'{"text": "a", "usage": -1}', "“usage”"),
            (b'{"text": "a", "usage": 1e3}', "“usage”"),
            (b'{"text": "a", "usage": 99999999999999999999}', "“usage”"),
            (b'{"text": "a", "paused": "no"}', "“paused”"),
            (b'{"text": "a", "id": []}', "“id”"),
            (b'{"text": "a\\u0000"}', "NUL"),
            (b'{"text": "a\0"}', "NUL"),
        ],
    )
    def test_that_a_malformed_line_is_a_problem_with_a_sentence(self, line: bytes, word: str) -> None:
        good, problem, other = lines(b'{"text": "before"}\n' + line + b'\n{"text": "after"}')
        assert isinstance(good, Line)
        assert isinstance(other, Line)
        assert problem.line == 2
        assert word in problem.sentence
        assert problem.sentence.endswith(".")
        assert len(problem.sentence) < 250

    def test_that_a_line_without_end_is_passed_over_unread(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file_text, "MAX_LINE_BYTES", 50)
        exactly = b'{"text": "' + b"x" * 38 + b'"}'
        assert len(exactly) == 50
        found = lines(b"\n".join([b'{"text": "a"}', b"y" * 333, exactly, exactly + b" ", b'{"text": "b"}']))
        assert [type(line).__name__ for line in found] == ["Line", "Problem", "Line", "Problem", "Line"]
        assert [line.line for line in found if isinstance(line, Problem)] == [2, 4]

    def test_that_half_a_surrogate_pair_is_replaced(self) -> None:
        assert lines(b'{"text": "a\\ud83d", "tags": ["\\uDE00"]}')[0].value == Memory(("a\ufffd",), tags=("\ufffd",))
        assert lines(b'{"text": "\\ud83d\\ude00"}')[0].value == Memory(("😀",))

    def test_that_a_file_is_read_as_it_is_asked_for(self) -> None:
        class Endless(io.RawIOBase):
            def readline(self, size: int | None = -1, /) -> bytes:
                return b'{"text": "again"}\n'

        endless: Any = Endless()
        found = read(endless, FileKind.MEMORIES)
        assert [next(found), next(found)] == [Line(1, Memory(("again",))), Line(2, Memory(("again",)))]

    def test_that_a_file_that_cannot_be_read_is_told(self, tmp_path: Path) -> None:
        for path in (tmp_path / "missing.jsonl", tmp_path):
            with pytest.raises(FormatError, match=str(path)):
                list(read(path, FileKind.MEMORIES))
            with pytest.raises(FormatError, match=str(path)):
                detect_kind(path)


class TestMemories:
    def test_that_every_field_is_read(self) -> None:
        record = {"text": "a", "intent": "x", "response": "r", "namespace": "n", "tags": ["t"], "id": "i", "rank": 3}
        assert only(record) == Memory(("a",), "r", "x", "n", ("t",), "i")
        assert only({"text": "a", "success": 1, "usage": 2, "paused": True}) == Memory(
            ("a",), success=1.0, usage=2, paused=True
        )

    def test_that_a_bare_text_is_enough(self) -> None:
        assert only({"text": "a"}) == Memory(("a",))
        assert only(
            dict.fromkeys(("intent", "response", "namespace", "tags", "id", "usage")) | {"text": "a"}
        ) == Memory(("a",))

    def test_that_text_and_triggers_go_together(self) -> None:
        assert only({"triggers": ["a", "b"]}).triggers == ("a", "b")
        assert only({"triggers": ["a", "b"], "text": "b"}).triggers == ("b", "a")

    def test_that_a_number_may_be_an_id(self) -> None:
        assert only({"text": "a", "id": 17}).id == "17"


class TestPowers:
    def test_that_every_field_is_read_but_approval(self) -> None:
        record = {
            "name": "postgres",
            "description": "d",
            "keywords": ["database"],
            "examples": ["show tables"],
            "tools": ["bare", {"name": "query", "description": "runs", "inputSchema": {}}],
            "command": "npx",
            "args": ["-y"],
            "env": {"A": "b"},
            "url": "https://x",
            "steering": "careful",
            "paused": True,
            "approved": True,
        }
        assert only(record, FileKind.POWERS) == Power(
            "postgres",
            "d",
            ("database",),
            "careful",
            (Tool("bare"), Tool("query", "runs")),
            ("show tables",),
            Transport("npx", ("-y",), {"A": "b"}, "https://x"),
            paused=True,
            approved=False,
        )

    @pytest.mark.parametrize(
        "record",
        [
            {},
            {"name": ""},
            {"name": 3},
            {"name": "a", "tools": [{}]},
            {"name": "a", "tools": [""]},
            {"name": "a", "tools": [1]},
            {"name": "a", "tools": {"b": 1}},
            {"name": "a", "env": []},
            {"name": "a", "env": {"b": 1}},
            {"name": "a", "args": "-y"},
            {"name": "a", "args": [1]},
        ],
    )
    def test_that_a_power_that_is_none_is_a_problem(self, record: dict[str, Any]) -> None:
        assert isinstance(only(record, FileKind.POWERS), str)


class TestRules:
    def test_that_a_rule_needs_id_label_and_pattern(self) -> None:
        assert only({"id": "i", "label": "howto", "pattern": "how"}, FileKind.RULES) == Rule(
            "i", "howto", "how", "imported", 1
        )
        assert isinstance(only({"id": "i", "label": "howto"}, FileKind.RULES), str)

    @pytest.mark.parametrize("field", ["purpose", "position", "weight", "confidence", "enabled", "unless"])
    def test_that_a_wrong_type_is_a_problem(self, field: str) -> None:
        record = {"id": "i", "label": "l", "pattern": "p", field: ["?"]}
        assert f"“{field}”" in only(record, FileKind.RULES)


class TestCases:
    @pytest.mark.parametrize(
        ("task", "record", "expected"),
        [
            (Task.INTENT, {"expected": ["a", "b"], "intent": "c"}, ("a", "b")),
            (Task.INTENT, {"intent": "c"}, ("c",)),
            (Task.INTENT, {"expected": "a"}, ("a",)),
            (Task.INTENT, {"intent": "oos"}, ()),
            (Task.INTENT, {"expected": []}, ()),
            (Task.INTENT, {"expected": None, "intent": "none"}, ()),
            (Task.MEMORY, {"duplicates": ["m-1"], "id": "x"}, ("m-1",)),
            (Task.POWER, {"acceptable": ["p"], "tools": ["load"]}, ("p",)),
            (Task.POWER, {"tools": ["p", "q"]}, ("p", "q")),
            (Task.POWER, {"tools": [], "kind": "none"}, ()),
            (Task.TYPE, {"type": "HowTo"}, ("howto",)),
            (Task.TYPE, {"type": "None"}, ()),
            (Task.TYPE, {"expected": ["explain", "vs"]}, ("explanation", "comparison")),
            (Task.ROUTE, {"route": "graph_traversal", "intent": "x"}, ("graph_traversal",)),
            (Task.ROUTE, {"intent": "hybrid_search"}, ("hybrid_search",)),
        ],
    )
    def test_that_each_task_has_its_own_precedence(
        self, task: Task, record: dict[str, Any], expected: tuple[str, ...]
    ) -> None:
        assert only({"text": "q", **record}, FileKind.CASES, task) == Case("q", expected, task)

    @pytest.mark.parametrize("task", Task)
    def test_that_a_case_that_expects_nothing_says_so_or_is_a_problem(self, task: Task) -> None:
        assert only({"text": "q", "expected": []}, FileKind.CASES, task) == Case("q", (), task)
        assert "“expected”" in only({"text": "q"}, FileKind.CASES, task)
        assert "“expected”" in only({"text": "q", "expected": [""]}, FileKind.CASES, task)

    def test_that_a_type_that_is_none_of_the_six_is_a_problem(self) -> None:
        assert "“how?”" in only({"text": "q", "type": "how?"}, FileKind.CASES, Task.TYPE)

    def test_that_the_line_tells_the_task_where_nobody_does(self) -> None:
        assert only({"text": "q", "type": "General"}, FileKind.CASES).task is Task.TYPE
        assert only({"text": "q", "tools": ["p"]}, FileKind.CASES).task is Task.POWER
        assert only({"text": "q", "intent": "p"}, FileKind.CASES).task is Task.INTENT
        assert only({"text": "q", "expected": ["a"]}, FileKind.CASES) == Case("q", ("a",), Task.INTENT)
        assert only({"text": "q", "expected": "troubleshoot"}, FileKind.CASES).task is Task.TYPE
        assert only({"text": "q", "expected": []}, FileKind.CASES) == Case("q", (), Task.INTENT)
        assert "“task”" in only({"text": "q", "unwanted": ["a"]}, FileKind.CASES)

    def test_that_a_task_of_its_own_comes_first(self) -> None:
        record = {"text": "q", "expected": ["a"], "task": "power"}
        assert only(record, FileKind.CASES, Task.INTENT) == Case("q", ("a",), Task.POWER)
        assert only({**record, "task": "Question Answering"}, FileKind.CASES, Task.INTENT).task is Task.INTENT


class TestDetection:
    @pytest.mark.parametrize(
        ("record", "kind"),
        [
            ({"text": "a", "intent": "b", "rank": 1}, FileKind.MEMORIES),
            ({"triggers": ["a"]}, FileKind.MEMORIES),
            ({"name": "a", "tools": []}, FileKind.POWERS),
            ({"id": "a", "label": "b", "pattern": "c"}, FileKind.RULES),
            ({"text": "a", "expected": []}, FileKind.CASES),
            ({"text": "a", "duplicates": []}, FileKind.CASES),
            ({"text": "a", "tools": [], "kind": "none"}, FileKind.CASES),
            ({"text": "a", "type": "HowTo", "label": "REASON"}, FileKind.CASES),
        ],
    )
    def test_that_a_line_tells_its_kind(self, tmp_path: Path, record: dict[str, Any], kind: FileKind) -> None:
        file = tmp_path / "file.jsonl"
        file.write_text(f"no json\n\n{json.dumps(record)}\n")
        assert detect_kind(file) is kind

    def test_that_a_line_that_cannot_be_read_is_the_reason(self, tmp_path: Path) -> None:
        file = tmp_path / "file.jsonl"
        file.write_text(f'{{"text": "{"a " * 2**23}"}}\n')
        with pytest.raises(FormatError, match="line 1 cannot be read: The line is longer than 16 MB"):
            detect_kind(file)

    @pytest.mark.parametrize(
        "text", ["", "\n\n", "no json\n", '{"what": 1}\n', '{"text": "a"}\n{"name": "b", "url": "c"}\n']
    )
    def test_that_what_cannot_be_told_is_asked_for(self, tmp_path: Path, text: str) -> None:
        file = tmp_path / "file.jsonl"
        file.write_text(text)
        with pytest.raises(FormatError, match="--kind"):
            detect_kind(file)


@given(st.data())
@pytest.mark.parametrize(("kind", "strategy"), STRATEGIES.items())
def test_that_what_is_written_reads_back(
    kind: FileKind, strategy: st.SearchStrategy[Item], data: st.DataObject
) -> None:
    items = data.draw(st.lists(strategy, max_size=4))
    stream = io.BytesIO()
    assert write(stream, items) == len(items)
    assert stream.getvalue().count(b"\n") == len(items)
    found = lines(stream.getvalue(), kind)
    assert [line.value for line in found] == list(map(as_read, items))


@given(
    st.lists(st.binary(max_size=30) | st.text(max_size=30).map(lambda text: text.encode(errors="replace")), max_size=8)
)
def test_that_no_bytes_at_all_do_harm(pieces: list[bytes]) -> None:
    for kind in FileKind:
        try:
            found = lines(b"\n".join(pieces), kind)
        except FormatError:
            continue  # UTF-16
        assert all(isinstance(line, (Line, Problem)) for line in found)
