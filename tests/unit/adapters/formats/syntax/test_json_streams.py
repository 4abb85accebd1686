"""Tests of streamed JSON lists: record by record, with the result of a complete read."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from app.adapters.formats.records import ItemKind
from app.adapters.formats.syntax import json_streams, text
from app.adapters.formats.table import FORMATS, format_of
from app.domain.errors import FormatError
from app.domain.library import Line, Problem

ODD = """\ufeff[ // what people ask
  {"text": "a", "usage": 12,},\r
  5, /* five */ {"text": "ä \\u00e9 \\" ] }", "tags": ["x", "y"],
   "response": null}, {"usage": 1},
  ["text"], {"text": "b//c", "success": 0.25} ,
]
// the end"""

NAMED = '{"version": {"made": [1]}, "powers": [{"name": "p"}], "memories": [{"text": "a"}, {"text": "b"}], "x": 1}'


@pytest.fixture(params=[1, 7, 1_000], ids="{} bytes at a time".format)
def _in_pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_streams, "BLOCK", request.param)


def put(folder: Path, content: str | bytes) -> Path:
    file = folder / "x.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def found_in(file: Path, kind: ItemKind = ItemKind.MEMORIES) -> list[object]:
    return list(FORMATS["json"].read(file, kind))


@pytest.mark.usefixtures("_in_pieces")
@pytest.mark.parametrize("content", [ODD, NAMED, "[]", "[\n\n]\n"])
def test_that_a_large_list_says_what_a_small_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    file = put(tmp_path, content)
    whole = found_in(file)
    monkeypatch.setattr(text, "MAX_WHOLE_BYTES", 1)
    assert found_in(file) == whole
    assert format_of(file) is FORMATS["json"]


def test_that_a_list_is_read_under_the_name_of_what_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for most in (text.MAX_WHOLE_BYTES, 1):
        monkeypatch.setattr(text, "MAX_WHOLE_BYTES", most)
        file = put(tmp_path, NAMED)
        assert [one.value.triggers for one in found_in(file) if isinstance(one, Line)] == [("a",), ("b",)]
        assert len(found_in(file, ItemKind.POWERS)) == 1
        with pytest.raises(FormatError, match="alone or under “rules”"):
            found_in(file, ItemKind.RULES)
        with pytest.raises(FormatError, match="several kinds"):
            FORMATS["json"].detect_kind(file)
        alone = put(tmp_path, '{"memories": [{"text": "a"}]}')
        assert format_of(alone).detect_kind(alone) is ItemKind.MEMORIES


REFUSED = {
    "deep": (b"[" + b"[" * 100_000, "nested more than 64 deep"),
    "deep objects": (b"[" + b'{"a":' * 100_000, "nested more than 64 deep"),
    "NUL": (b'[\n{"text": "a\0"}]', "Line 2 holds a NUL"),
    "Latin-1": ('[{"text": "a"},\n{"text": "\xe9"}]'.encode("latin-1"), "Line 2 is not valid UTF-8"),
    "cut in UTF-8": ('[{"text": "\xe9'.encode()[:-1], "Line 1 is not valid UTF-8"),
    "truncated in a text": (b'[\n{"text": "a', "Line 2 is not valid JSON"),
    "truncated in an object": (b'[\n{"text": "a",\n', "begins in line 2 is not closed"),
    "truncated between": (b'[\n{"text": "a"},\n', "Line 3: the list that begins in line 1 is not closed"),
    "truncated in a name": (b'{"memories": [{"text": "a"}', "the list that begins in line 1 is not closed"),
    "truncated after it": (b'{"memories": []', "the object that begins in line 1 is not closed"),
    "an open comment": (b"[ /* \n\n", "not closed|not valid"),
    "more behind it": (b'[{"text": "a"}]\n5', "Line 2 is not valid JSON: the end was expected, not “5”"),
    "no comma": (b'[{"text": "a"}\n{"text": "b"}]', "Line 2 is not valid JSON: a comma was expected"),
    "a bad word": (b'[\n\n{"text": nil}, 1]', "Line 3 is not valid JSON: a value was expected, not “nil”"),
    "a name twice": (b'[{"text": "a",\n"text": "b"}]', "Line 2: “text” stands there twice"),
    "a list twice": (b'{"memories": [],\n"memories": []}', "Line 2: “memories” stands there twice"),
    "no list": (b"5 5", "a list of objects"),
    "nothing": (b" \n ", "a list of objects"),
}


@pytest.mark.usefixtures("_in_pieces")
@pytest.mark.parametrize("what", REFUSED)
def test_that_a_large_list_that_is_none_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(text, "MAX_WHOLE_BYTES", 1)
    content, sentence = REFUSED[what]
    with pytest.raises(FormatError, match=sentence):
        found_in(put(tmp_path, content))


def test_that_a_record_that_never_ends_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_WHOLE_BYTES", 1)
    monkeypatch.setattr(text, "MAX_LINE_BYTES", 2**16)
    monkeypatch.setattr(json_streams, "BLOCK", 2**10)
    for content in (b'[\n{"text": "' + b"a" * 2**22 + b'"}]', b"[\n/*" + b"a" * 2**22, b"[\n" + b"9" * 2**22):
        file = put(tmp_path, content)
        tracemalloc.start()
        with pytest.raises(FormatError, match="Line 2: what begins there is longer"):
            found_in(file)
        assert tracemalloc.get_traced_memory()[1] < 2**20
        tracemalloc.stop()


def test_that_a_large_list_is_never_in_memory_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_WHOLE_BYTES", 1)
    monkeypatch.setattr(json_streams, "BLOCK", 2**12)
    file = put(tmp_path, json.dumps([{"text": f"phrase {n}", "response": "a" * 1_000} for n in range(4_000)]))
    tracemalloc.start()
    count = sum(isinstance(one, Line) for one in FORMATS["json"].read(file, ItemKind.MEMORIES))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (count, peak < 2**20 < file.stat().st_size // 3) == (4_000, True)


def test_that_one_long_line_is_read_though_no_line_of_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_LINE_BYTES", 100)
    file = put(tmp_path, json.dumps([{"text": f"phrase {n}"} for n in range(20)]))
    row = format_of(file)
    assert row.detect_kind(file) is ItemKind.MEMORIES
    assert not any(isinstance(one, Problem) for one in found_in(file))
