"""Tests of hostile files: no crash, no partial import, and a message for each."""

from __future__ import annotations

import errno
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.adapters.formats.csv_tables import read as read_csv
from app.adapters.formats.records import ItemKind
from app.adapters.formats.syntax import text as file_text
from app.adapters.formats.syntax import trees
from app.adapters.formats.table import format_of
from app.adapters.local.secrets import FileSecrets
from app.adapters.store.library import SqlLibrary
from app.domain.errors import FormatError
from app.domain.library import Line, Memory, Problem
from app.services.library.import_export import ImportValidator, store_lines
from tests.sample_files import SAMPLES

DEEP = 100_000
MANY = 8_000
"""Number of rows that are stored in several parts, more than a reader holds."""
LARGE = 40_000
"""Number of rows that would be noticed if they were held in memory."""

BOMB = "routes:\n- &a {name: x, utterances: [a, a, a, a, a, a, a, a, a, a]}\n" + "".join(
    f"- &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)

REFUSED: dict[str, tuple[str, bytes, str]] = {
    "the settings of another program": ("config.toml", b"[search_intent]\nuse_llm = true\n", "asks before an address"),
    "a ZIP renamed": ("x.json", b"PK\x03\x04" + b"\0" * 50, "ZIP archive"),
    "gzip": ("x.csv", b"\x1f\x8b\x08" + b"\0" * 50, "gzip"),
    "Parquet": ("x.parquet", b"PAR1" + b"\0" * 50, "CSV or JSON Lines"),
    "dotted TOML": ("x.toml", b"".join(b"a%d.b.c.d = 1\n" % n for n in range(23_000)), "too many names with dots"),
    "a database": ("x.txt", b"SQLite format 3\0" + b"\0" * 50, "SQLite"),
    "UTF-16 table": ("x.csv", "text,intent\na,b\n".encode("utf-16"), "UTF-16"),
    "UTF-16 without a mark": ("x.csv", "text,intent\na,b\n".encode("utf-16-le"), "UTF-16"),
    "UTF-32": ("x.csv", "text,intent\na,b\n".encode("utf-32"), "UTF-32"),
    "UTF-16 document": ("x.json", "[]".encode("utf-16"), "UTF-16"),
    "Latin-1 document": ("x.toml", '[[memories]]\ntext = "caf\xe9"\n'.encode("latin-1"), "Line 2 is not valid UTF-8"),
    "NUL in a document": ("x.yaml", b"routes:\n- name: \0\n", "Line 2 holds a NUL"),
    "NUL in a heading": ("x.csv", b"te\0xt\na\n", "NUL"),
    "deep JSON": ("x.json", b"[" * DEEP, "nested more than 64 deep"),
    "deep JSON objects": ("x.json", b'{"a":' * DEEP, "nested more than 64 deep"),
    "deep YAML": ("x.yaml", b"[" * DEEP, "nested more than 64 deep"),
    "deep YAML in blocks": ("x.yaml", b"- " * DEEP, "nested more than 64 deep"),
    "deep TOML": ("x.toml", b"memories = " + b"[" * DEEP, "nested too deep"),
    "endless TOML name": ("x.toml", b"a." * DEEP + b"b = 1", "Line 1: a name of more than 64 parts"),
    "YAML bomb": ("x.yaml", BOMB.encode(), "stands for more than 2,000,000 values"),
    "YAML that holds itself": ("x.yaml", b"routes: &a\n- utterances: *a\n", "an alias stands for something"),
    "YAML alias of nothing": ("x.yaml", b"routes: *a\n", "valid YAML|stands for nothing"),
    "YAML tag": ("x.yaml", b"routes:\n- !!python/object/apply:os.system [ls]\n", "Line 2: the tag"),
    "YAML name twice": ("x.yaml", b"nlu: []\nnlu: []\n", "Line 2: “nlu” stands there twice"),
    "JSON name twice": ("x.json", b'{"mcpServers": {"a": {},\n"a": {}}}', "Line 2: “a” stands there twice"),
    "NaN in JSON": ("x.json", b'[\n{"text": NaN}]', "Line 2 is not valid JSON"),
    "a huge number": ("x.json", b'[{"text": ' + b"9" * 10_000 + b"}]", "Line 1 is not valid JSON"),
    "a huge TOML number": ("x.toml", b"a = " + b"9" * 10_000, "number or a date"),
    "an endless TOML word": ("x.toml", b"a" * 1_000_000, "not valid TOML"),
    "an open list": ("x.json", b'[\n{"text": "a"}\n', "begins in line 1 is not closed"),
    "an open comment": ("x.json", b"[ /* \n\n", "not closed"),
    "nothing at all": ("x.json", b"\n\n", "is empty"),
    "no document that we know": (
        "x.json",
        b'{"a": 1}',
        "like a file of the formats graph, mcp, .* routes, tools, .* or json. In line 1 it has “a”",
    ),
    "some text": ("x.txt", b"Dear all,\nhello.\n", "like a file of the formats qa, fasttext or lines"),
    "an unknown ending": ("x.dat", b"\x01\x02", "like any format that is read"),
    "TOML of nothing that we know": ("x.toml", b"a = 1\n", "--kind"),
    "TOML that is none": ("x.toml", b"a = 1\nb\n", "line 2"),
    "YAML that is none": ("x.yaml", b"a: b\nc: [\n", "Line 3 is not valid YAML"),
}


def put(folder: Path, name: str, content: bytes) -> Path:
    file = folder / name
    file.write_bytes(content)
    return file


def read(file: Path) -> list[object]:
    row = format_of(file)
    return list(row.read(file, row.detect_kind(file)))


@pytest.mark.parametrize("what", REFUSED)
def test_that_a_bad_file_is_refused_in_a_sentence(tmp_path: Path, what: str) -> None:
    name, content, words = REFUSED[what]
    begun = time.monotonic()
    with pytest.raises(FormatError, match=words) as refused:
        read(put(tmp_path, name, content))
    assert time.monotonic() - begun < 10
    assert str(refused.value).endswith(".")
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("name", SAMPLES)
def test_that_what_is_no_file_is_refused_without_waiting(tmp_path: Path, name: str) -> None:
    sample = SAMPLES[name]
    reader = format_of(put(tmp_path, sample.name, sample.text.encode())).read
    (tmp_path / "folder").mkdir()
    missing = tmp_path / "änd ere" / "fehlt.csv"
    cases = {tmp_path / "folder": "is a folder", missing: "No such file", Path("a\0b"): "NUL"}
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        cases |= {tmp_path / "pipe": "a pipe or a device", Path("/dev/zero"): "a pipe or a device"}
    for path, words in cases.items():
        with pytest.raises(FormatError, match=words):
            list(reader(path, sample.kind))
        if path is not missing:  # whose ending is enough to detect it
            with pytest.raises(FormatError, match=words):
                format_of(path)


def test_that_a_file_that_may_not_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = put(tmp_path, "x.csv", b"text\na\n")

    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(FormatError, match=r"x\.csv cannot be read: Permission denied"):
        read(file)


@pytest.mark.parametrize("name", SAMPLES)
def test_that_names_may_hold_spaces_and_any_letters(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "ein Ordner mit ß"
    folder.mkdir()
    assert read(put(folder, f"日本 {SAMPLES[name].name}", SAMPLES[name].text.encode()))


class TestLines:
    def test_that_bad_rows_cost_only_themselves(self, tmp_path: Path) -> None:
        content = b'text,intent\na,b\n\xff,c\nd\0,e\n"f,g\nh"i,j\nk,l\n"never closed,\n'
        found = list(read_csv(put(tmp_path, "x.csv", content), ItemKind.MEMORIES))
        problems = {one.line: one.sentence for one in found if isinstance(one, Problem)}
        assert "UTF-8 (byte 1)" in problems[3]
        assert "NUL" in problems[4]
        assert found[0] == Line(2, Memory(("a",), intent="b"))

    @pytest.mark.parametrize(
        ("content", "line"),
        [
            (b'text,usage\na,1\n"b\nc",2\nd,"e\nf,3\n', 5),
            (b'text,usage\r\na,1\r\n"b\r\nc,2\r\n', 3),
            (b'text,usage\ra,1\r"b\rc,2', 3),
            (b'text,usage\na,1\nb,"', 3),
        ],
    )
    def test_that_a_quote_that_is_never_closed_is_told_by_its_line(
        self, tmp_path: Path, content: bytes, line: int
    ) -> None:
        found = list(read_csv(put(tmp_path, "x.csv", content), ItemKind.MEMORIES))
        assert found[0] == Line(2, Memory(("a",), usage=1))
        sentence = f"The quote that opens in line {line} is never closed: nothing from there on can be read."
        assert found[-1] == Problem(line, sentence)
        assert all(isinstance(one, Line) for one in found[:-1])

    def test_that_rows_after_a_bad_one_keep_their_numbers(self, tmp_path: Path) -> None:
        content = b'text,usage\n"a\nb",1\nc,many\n"d\n\ne",2\nf,3.5\n'
        found = list(read_csv(put(tmp_path, "x.csv", content), ItemKind.MEMORIES))
        assert [one.number if isinstance(one, Line) else -one.line for one in found] == [2, -4, 5, -8]

    @pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.txt"])
    def test_that_an_endless_line_is_passed_over(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        monkeypatch.setattr(file_text, "MAX_LINE_BYTES", 1_000)
        lines = {
            "x.csv": (b"text\na\n", b"b\n"),
            "x.jsonl": (b'{"text": "a"}\n', b'{"text": "b"}\n'),
            "x.txt": (b"Q: a\nA: a\n", b"Q: b\nA: b\n"),
        }
        before, after = lines[name]
        found = read(put(tmp_path, name, before + b"y" * 5_000 + b"\n" + after))
        assert [one.value.triggers for one in found if isinstance(one, Line)] == [("a",), ("b",)]
        assert [one.sentence for one in found if isinstance(one, Problem)] == [file_text.too_long()]

    def test_that_a_document_that_is_too_large_is_refused_unread(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(file_text, "MAX_WHOLE_BYTES", 1_000)
        with pytest.raises(FormatError, match="JSON Lines and CSV may be of any size"):
            read(put(tmp_path, "x.toml", b"#" * 1_001))

    def test_that_a_document_of_too_many_values_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(trees, "MAX_NODES", 100)
        for name, content in (("x.json", b"[" + b"[],\n" * 200 + b"[]]"), ("x.yaml", b"- a\n" * 200)):
            with pytest.raises(FormatError, match=r"Line 1\d\d: up to here"):
                read(put(tmp_path, name, content))

    @pytest.mark.parametrize(
        "text", [f"[{'/*' * 200_000}", '["' + '\\"' * 200_000, '"' * 400_001, "[" + "/ " * 200_000]
    )
    def test_that_no_document_takes_longer_than_its_length(self, tmp_path: Path, text: str) -> None:
        begun = time.process_time()
        with pytest.raises(FormatError):
            read(put(tmp_path, "x.json", text.encode()))
        assert time.process_time() - begun < 5


class TestImports:
    @pytest.fixture
    def library(self, tmp_path: Path) -> Iterator[SqlLibrary]:
        library = SqlLibrary.open(tmp_path / "profile", FileSecrets(tmp_path / "secrets.json"))
        library.add("memories", [Memory(("kept",))])
        yield library
        library.close()

    @pytest.mark.parametrize("tamper", ["grow", "cut"])
    def test_that_a_file_that_changes_meanwhile_is_not_imported_by_half(
        self, tmp_path: Path, library: SqlLibrary, tamper: str
    ) -> None:
        file = put(tmp_path, "x.csv", b"text\n" + b"".join(b"row %d\n" % n for n in range(MANY)))

        def tampering() -> Iterator[Line[object] | Problem]:
            for count, line in enumerate(read_csv(file, ItemKind.MEMORIES)):
                if count == MANY // 2:
                    with file.open("ab") as stream:
                        stream.truncate(100) if tamper == "cut" else stream.write(b"one more\n")
                yield line

        with pytest.raises(FormatError, match="changed while it was read"):
            store_lines(library, "memories", ImportValidator(tampering()))
        assert [memory.name for memory in library.memories()] == ["kept"]

    def test_that_a_file_that_vanishes_after_the_look_is_told(self, tmp_path: Path, library: SqlLibrary) -> None:
        file = put(tmp_path, "x.csv", b"text\na\n")
        lines = read_csv(file, ItemKind.MEMORIES)
        file.unlink()
        with pytest.raises(FormatError, match="No such file"):
            store_lines(library, "memories", ImportValidator(lines))
        assert len(library.memories()) == 1

    def test_that_a_fault_in_the_last_document_takes_all_back(self, tmp_path: Path, library: SqlLibrary) -> None:
        spell = SAMPLES["spell"].text
        text = "---\n".join((spell, spell.replace("postgres\n", "other\n"), "name: [\n"))
        file = put(tmp_path, "x.spell.yaml", text.encode())
        with pytest.raises(FormatError, match="not valid YAML"):
            store_lines(library, "powers", ImportValidator(format_of(file).read(file, ItemKind.POWERS)))
        assert library.powers() == []

    def test_that_the_last_of_the_same_id_wins_and_is_told_once(self, tmp_path: Path, library: SqlLibrary) -> None:
        file = put(tmp_path, "x.csv", b"id,text\n1,a\n1,b\n2,c\n2,c\n")
        for added, unchanged in ((2, 1), (0, 2)):
            change = store_lines(library, "memories", ImportValidator(read_csv(file, ItemKind.MEMORIES))).change
            assert len(change.added) == added
            assert change.unchanged >= unchanged
        assert [memory.triggers for memory in library.memories()] == [("kept",), ("b",), ("c",)]


@pytest.mark.skipif(sys.platform == "win32", reason="memory is measured with resource")
def test_that_a_large_table_is_read_in_little_memory(tmp_path: Path) -> None:
    file = tmp_path / "large.csv"
    row = b"how do I get from here to there number %d,navigation,take the second road on the left\r\n"
    with file.open("wb") as stream:
        stream.write(b"text,intent,response\r\n")
        stream.writelines(row % number for number in range(LARGE))
    measure: Callable[[], int] = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # noqa: E731
    before = measure()
    assert sum(isinstance(line, Line) for line in read_csv(file, ItemKind.MEMORIES)) == LARGE
    grown = (measure() - before) * (1 if sys.platform == "darwin" else 1024)
    assert grown < file.stat().st_size / 2
