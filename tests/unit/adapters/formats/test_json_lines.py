"""Tests of JSON Lines: valid lines, and invalid lines as problems."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.formats.json_lines import detect_kind, read, write
from app.adapters.formats.records import FileKind
from app.adapters.formats.syntax import text as file_text
from app.domain.case import Task
from app.domain.errors import FormatError
from app.domain.journal import Item
from app.domain.library import Line, Memory, Problem
from tests.strategies import STRATEGIES, as_read


def lines(text: str | bytes, kind: FileKind = FileKind.MEMORIES, task: Task | None = None) -> list[Any]:
    return list(read(io.BytesIO(text.encode() if isinstance(text, str) else text), kind, task))


class TestLines:
    @pytest.mark.parametrize(
        ("line", "word"),
        [
            (b'{"text": "\xff"}', "UTF-8 (byte 11)"),
            (b"[" * 200_000, "valid JSON"),
            (b'{"\\ud800":' * 200_000, "valid JSON"),
            (b'{"text": "' + b"x" * 100_001 + b'"}', "100,001 characters"),
            (b'{"text": "a", "intent": "b", "intent": "c"}', "“intent” stands there twice"),
            (b'{"text": "a", "more": {"b": 1, "b" : 2}}', "“b” stands there twice"),
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


class TestDetection:
    def test_that_a_line_that_cannot_be_read_is_the_reason(self, tmp_path: Path) -> None:
        file = tmp_path / "file.jsonl"
        file.write_text(f'{{"text": "{"a " * 2**23}"}}\n')
        with pytest.raises(FormatError, match="line 1 cannot be read: The line is longer than 16 MB"):
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
