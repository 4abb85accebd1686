"""Tests of other programs' memories: their text is found, and deleted ones are left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.adapters.formats.records import ItemKind
from app.adapters.formats.table import format_of
from app.bootstrap import read_file
from app.domain.errors import FormatError
from app.domain.library import Line, Memory, Problem


def found_in(folder: Path, text: str, name: str) -> list[Any]:
    """Read a file of unknown kind: its memories, or the messages on invalid lines."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    kind, lines = read_file(file, "auto", None)
    assert kind == ItemKind.MEMORIES
    return [line.value if isinstance(line, Line) else line.sentence for line in lines]


MEM0 = [
    {"id": "m1", "memory": "Plays the cello", "hash": "x", "metadata": {"a": 1}, "categories": ["music"]},
    {"id": "m2", "memory": "Lives in Graz", "metadata": None, "expiration_date": "2027-01-01"},
]
OPEN = [
    {"id": "m1", "user_id": "u", "content": "Plays the cello", "state": "active", "categories": ["music"]},
    {"id": "m2", "user_id": "u", "content": "Lives in Linz", "state": "deleted", "categories": []},
    {"id": "m3", "user_id": "u", "content": "Lived in Bonn", "state": "archived"},
]
LANG = [
    {
        "namespace": ["memories", "eva"],
        "key": "k",
        "value": {"kind": "Memory", "content": {"content": "Plays the cello"}},
    },
    {"namespace": ["memories"], "key": "l", "value": {"data": "Lives in Graz"}},
]
CELLO = Memory(("Plays the cello",), tags=("music",), id="m1")


@pytest.mark.parametrize("name", ["m.json", "results.json", "m.jsonl"])
def test_mem0(tmp_path: Path, name: str) -> None:
    lines = "".join(f"{json.dumps(one)}\n" for one in MEM0)
    text = {
        "m.json": json.dumps(MEM0),
        "results.json": json.dumps({"results": MEM0, "relations": []}),
        "m.jsonl": lines,
    }
    graz = Memory(("Lives in Graz",), id="m2", valid_to="2027-01-01 00:00:00")
    assert found_in(tmp_path, text[name], name) == [CELLO, graz]


@pytest.mark.parametrize("name", ["m.jsonl", "m.json"])
def test_openmemory(tmp_path: Path, name: str) -> None:
    lines = "".join(f"{json.dumps(one)}\n" for one in OPEN)
    text = lines if name == "m.jsonl" else json.dumps({"user": {"id": "u"}, "apps": [{"name": "x"}], "memories": OPEN})
    cello, gone, bonn = found_in(tmp_path, text, name)
    assert cello == CELLO
    assert gone == "It is deleted in the program that it comes from, so it is left out."
    assert bonn == Memory(("Lived in Bonn",), id="m3", paused=True)


@pytest.mark.parametrize("name", ["m.jsonl", "m.json"])
def test_langmem(tmp_path: Path, name: str) -> None:
    text = "".join(f"{json.dumps(one)}\n" for one in LANG) if name == "m.jsonl" else json.dumps(LANG)
    assert found_in(tmp_path, text, name) == [
        Memory(("Plays the cello",), namespace="memories/eva"),
        Memory(("Lives in Graz",), namespace="memories"),
    ]


def test_subcog_and_others(tmp_path: Path) -> None:
    subcog = {"memories": [{"id": "s1", "content": "Use SQLite", "namespace": "decisions", "tags": ["db"]}]}
    stored = Memory(("Use SQLite",), namespace="decisions", tags=("db",), id="s1")
    assert found_in(tmp_path, json.dumps(subcog), "subcog.json") == [stored]
    zep = {"facts": [{"uuid": "1", "name": "LIVES_IN", "fact": "Eva lives in Graz", "valid_at": "2026-01-01"}]}
    fact = Memory(("Eva lives in Graz",), valid_from="2026-01-01 00:00:00")
    assert found_in(tmp_path, json.dumps(zep), "zep.json") == [fact]
    assert found_in(tmp_path, "- memory: Plays the cello\n  categories: [music]\n  id: m1\n", "m.yaml") == [CELLO]
    titled = '{"title": "How to tune", "content": "Start with A."}\n{"title": "B", "content": "C"}\n'
    assert found_in(tmp_path, titled, "notes.jsonl")[0] == Memory(("How to tune",), "Start with A.")
    flagged = '{"id": "1", "memory": "x", "deleted": true}\n{"id": "2", "memory": ""}\n{"id": "3", "memory": "y"}\n'
    assert [type(one) for one in found_in(tmp_path, flagged, "flagged.jsonl")] == [str, str, Memory]


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ('[{"role": "user", "content": "hi"}]', "chat.json", "as a chat has"),
        ('{"messages": [{"role": "user", "content": "hi"}]}', "chat.json", "inspect --stdin --log chat"),
        (
            '{"type": "user", "sessionId": "s", "message": {"role": "user", "content": "hi"}}\n',
            "s.jsonl",
            "Claude Code",
        ),
        ('{"type": "summary", "summary": "s", "leafUuid": "u"}\n', "s.jsonl", "session of Claude Code"),
        ('[{"name": "a.py", "content": "abc"}]', "files.json", "is unclear"),
        ('{"content": "q", "expected": "a"}\n', "cases.jsonl", "is unclear"),
    ],
)
def test_what_is_no_memory_is_told(tmp_path: Path, text: str, name: str, said: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(FormatError, match=said):
        format_of(file).detect_kind(file)


@pytest.mark.parametrize(
    ("record", "became"),
    [
        (MEM0[0], {"memory": "text", "categories": "tags", "hash": ""}),
        (OPEN[2], {"content": "text", "state": "paused", "user_id": ""}),
        (LANG[0], {"value": "text", "namespace": "namespace"}),
        ({"title": "How to tune", "content": "Start with A."}, {"title": "text", "content": "response"}),
    ],
)
def test_what_became_of_the_fields_is_told(tmp_path: Path, record: dict[str, Any], became: dict[str, str]) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text(json.dumps(record) + "\n")
    (line,) = format_of(file).read(file, ItemKind.MEMORIES)
    assert isinstance(line, Line)
    assert {name: dict(line.fields)[name] for name in became} == became


def test_a_memory_of_our_own_words_is_not_touched(tmp_path: Path) -> None:
    """A record with its own `text` is read as before, whatever other fields it has."""
    (kept,) = found_in(
        tmp_path, '{"text": "why", "content": "x", "state": "deleted", "status": "archived"}\n', "m.jsonl"
    )
    assert kept == Memory(("why",))
    file = tmp_path / "p.jsonl"
    file.write_text('{"id": 5, "memory": 7}\n')
    (problem,) = format_of(file).read(file, ItemKind.MEMORIES)
    assert isinstance(problem, Problem)
