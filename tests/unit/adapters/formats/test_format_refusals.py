"""Tests of hostile and damaged files: no crash, no partial import, and a message for each."""

import json
import os
import random
import resource
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.adapters.formats.csv_tables import read as read_csv
from app.adapters.formats.records import FileKind
from app.adapters.formats.syntax import json_streams, text, trees
from app.adapters.formats.syntax import text as file_text
from app.adapters.formats.table import FORMATS, format_of
from app.adapters.secrets import FileSecrets
from app.adapters.store.library import SqlLibrary
from app.bootstrap import read_file
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
    "an object over lines": ("x.jsonl", b'{\n"text": "a"\n}\n', "line 1 .* only “{”: write each object on one line"),
    "YAML of another form": ("x.yml", b"pipeline:\n- name: tokenizer\npolicies:\n- name: memory\n", "is unclear"),
    "UTF-16 lines": ("x.jsonl", '{"text": "a"}\n'.encode("utf-16"), "UTF-16"),
    "NaN in JSON": ("x.json", b'[\n{"text": NaN}]', "Line 2 is not valid JSON"),
    "a huge number": ("x.json", b'[{"text": ' + b"9" * 10_000 + b"}]", "Line 1 is not valid JSON"),
    "a huge TOML number": ("x.toml", b"a = " + b"9" * 10_000, "number or a date"),
    "an endless TOML word": ("x.toml", b"a" * 1_000_000, "not valid TOML"),
    "an open list": ("x.json", b'[\n{"text": "a"}\n', "begins in line 1 is not closed"),
    "an open comment": ("x.json", b"[ /* \n\n", "not closed"),
    "nothing at all": ("x.json", b"\n\n", "is empty"),
    "nothing but blanks": ("x.csv", b" \t\r\n" * LARGE, "is empty"),
    "no document that we know": (
        "x.json",
        b'{"a": 1}',
        "like graphs of MCP memory, MCP servers, .* a list of tools, .* or JSON.* In line 1 it has “a”",
    ),
    "a web page": ("x.csv", b"\xef\xbb\xbf\n<!DOCTYPE HTML>\n<html>", "a web page"),
    "XML": ("x.xml", b'<?xml version="1.0"?>\n<intents/>', "in XML: save its texts as CSV"),
    "an agent of Dialogflow CX": ("agent.blob", b"\n\x05hello", "read as its JSON package"),
    "some text": ("x.txt", b"Dear all,\nhello.\n", "like questions and answers, .* or a memory on each line"),
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
    return list(read_file(file, "auto", None)[1])


@pytest.mark.parametrize("what", REFUSED)
def test_that_a_bad_file_is_refused_in_a_sentence(tmp_path: Path, what: str) -> None:
    name, content, words = REFUSED[what]
    begun = time.monotonic()
    with pytest.raises(FormatError, match=words) as refused:
        read(put(tmp_path, name, content))
    assert time.monotonic() - begun < 10
    assert str(refused.value).endswith(".")
    assert len(str(refused.value).replace(str(tmp_path), "")) < 400


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


@pytest.mark.parametrize("name", SAMPLES)
def test_that_names_may_hold_spaces_and_any_letters(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "ein Ordner mit ß"
    folder.mkdir()
    assert read(put(folder, f"日本 {SAMPLES[name].name}", SAMPLES[name].text.encode()))


class TestLines:
    @pytest.mark.parametrize(
        ("content", "line", "rest"),
        [
            (b'text,usage\na,1\n"b\nc",2\nd,"e\nf,3\n', 5, [(3, "b\nc", 2), (6, "f", 3)]),
            (b'text,usage\r\na,1\r\n"b\r\nc,2\r\n', 3, [(4, "c", 2)]),
            (b'text,usage\ra,1\r"b\rc,2', 3, [(4, "c", 2)]),
            (b'text\tusage\na\t1\n"b\t4\nc\t2\nd\t3\n', 3, [(4, "c", 2), (5, "d", 3)]),
            (b'text,response,usage\na,,1\n"b,,2\nc,"",3\nd,"",4\n', 3, [(4, "c", 3), (5, "d", 4)]),
            (b'text,usage\na,1\nb,"', 3, []),
        ],
    )
    def test_that_a_quote_that_is_never_closed_costs_its_line_alone(
        self, tmp_path: Path, content: bytes, line: int, rest: list[tuple[int, str, int]]
    ) -> None:
        found = list(read_csv(put(tmp_path, "x.csv", content), FileKind.MEMORIES))
        assert found[0] == Line(2, Memory(("a",), usage=1))
        told = [one for one in found if isinstance(one, Problem)]
        assert told == [Problem(line, f"The quote that opens in line {line} is never closed: the line is left out.")]
        assert [one for one in found[1:] if isinstance(one, Line)] == [
            Line(at, Memory((text,), usage=usage)) for at, text, usage in rest
        ]

    def test_that_rows_after_a_bad_one_keep_their_numbers(self, tmp_path: Path) -> None:
        content = b'text,usage\n"a\nb",1\nc,many\n"d\n\ne",2\nf,3.5\n'
        found = list(read_csv(put(tmp_path, "x.csv", content), FileKind.MEMORIES))
        assert [one.number if isinstance(one, Line) else -one.line for one in found] == [2, -4, 5, -8]

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
            for count, line in enumerate(read_csv(file, FileKind.MEMORIES)):
                if count == MANY // 2:
                    with file.open("ab") as stream:
                        stream.truncate(100) if tamper == "cut" else stream.write(b"one more\n")
                yield line

        with pytest.raises(FormatError, match="changed while it was read"):
            store_lines(library, "memories", ImportValidator(tampering()))
        assert [memory.name for memory in library.memories()] == ["kept"]

    def test_that_a_file_that_vanishes_after_the_look_is_told(self, tmp_path: Path, library: SqlLibrary) -> None:
        file = put(tmp_path, "x.csv", b"text\na\n")
        lines = read_csv(file, FileKind.MEMORIES)
        file.unlink()
        with pytest.raises(FormatError, match="No such file"):
            store_lines(library, "memories", ImportValidator(lines))
        assert len(library.memories()) == 1

    def test_that_a_fault_in_the_last_document_takes_all_back(self, tmp_path: Path, library: SqlLibrary) -> None:
        spell = SAMPLES["spell"].text
        text = "---\n".join((spell, spell.replace("postgres\n", "other\n"), "name: [\n"))
        file = put(tmp_path, "x.spell.yaml", text.encode())
        with pytest.raises(FormatError, match="not valid YAML"):
            store_lines(library, "powers", ImportValidator(format_of(file).read(file, FileKind.POWERS)))
        assert library.powers() == []

    def test_that_lines_of_one_id_are_joined_or_noted(self, tmp_path: Path, library: SqlLibrary) -> None:
        file = put(tmp_path, "x.csv", b"id,text,response\n1,a,A\n1,b,A\n2,c,C\n2,c,C\n3,d,D\n3,e,E\n,f,F\n,f,G\n")
        for added in (4, 0):
            result = store_lines(library, "memories", ImportValidator(read_csv(file, FileKind.MEMORIES)))
            assert len(result.change.added) == added
            assert [note.line for note in result.notes] == [7, 9]
            assert "line 6" in result.notes[0].sentence
        stored = [(memory.triggers, memory.response) for memory in library.memories()]
        assert stored[1:] == [(("a", "b"), "A"), (("c",), "C"), (("e",), "E"), (("f",), "G")]


@pytest.mark.skipif(sys.platform == "win32", reason="memory is measured with resource")
def test_that_a_large_table_is_read_in_little_memory(tmp_path: Path) -> None:
    file = tmp_path / "large.csv"
    row = b"how do I get from here to there number %d,navigation,take the second road on the left\r\n"
    with file.open("wb") as stream:
        stream.write(b"text,intent,response\r\n")
        stream.writelines(row % number for number in range(LARGE))
    measure: Callable[[], int] = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # noqa: E731
    before = measure()
    assert sum(isinstance(line, Line) for line in read_csv(file, FileKind.MEMORIES)) == LARGE
    assert (measure() - before) * (1 if sys.platform == "darwin" else 1024) < file.stat().st_size / 2


TOLD = "INTENTSCOPE_FUZZ" in os.environ
TRIED = int(os.environ.get("INTENTSCOPE_FUZZ", "150"))
SEED = int(os.environ.get("INTENTSCOPE_FUZZ_SEED", "7"))

SPICES = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n\n", b'"', b"'", b"{", b"}", b"[", b"]", b",", b":",
    b";", b"\t", b"\\", b"\\u0000", b"\\ud800", b"*a", b"&a ", b"<<: *a", b"!!python/object:os.system ", b"!x ",
    b"---\n", b"...\n", b"- ", b"? ", b"| ", b"> ", b"#", b"//", b"/*", b"*/", b"NaN", b"Infinity", b"-1e999",
    b"9" * 5000, b"null", b"true", b"~", b"Q:", b"A:", b"=1+1", b"\xe2\x80\xa8", b"\xc2\x85", b"[[memories]]\n",
    b"a.b.c.d = 1\n", b"1979-05-27", b"0x", b"\xed\xa0\x80", b"{" * 70, b"[" * 700, b" " * 300, b'"""', b"'''",
    b"%YAML 9.9\n", b"@", b"`", b"nlu:", b"routes:",
)  # fmt: skip


def mutated(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """Return the file after one to eight random changes."""
    for _ in range(chance.randint(1, 8)):
        start = chance.randrange(len(content) + 1)
        end = min(len(content), start + chance.choice((1, 2, 5, 20, 200)))
        piece = content[start:end]
        content = chance.choice(
            (
                content[:start] + content[end:],
                content[:start] + chance.choice(SPICES) + content[start:],
                content[:start] + chance.choice(SPICES) + content[end:],
                content[:start] + chance.randbytes(end - start) + content[end:],
                content[:end] + piece * chance.choice((1, 2, 30)) + content[end:],
                content[:start] + chance.choice(others)[: chance.randrange(400)] + content[start:],
                content[:start],
                content.replace(b"\n", chance.choice((b"\r", b"\r\n", b"", b"\n "))),
                content.replace(b" ", b"", chance.randrange(9)),
            )
        )
    return content[:200_000]


@pytest.mark.parametrize("name", SAMPLES)
def test_that_no_mutation_does_harm(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    sample = SAMPLES[name]
    chance = random.Random(f"{SEED} {name}")
    others = [other.text.encode() for other in SAMPLES.values()]
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    file = tmp_path / sample.name
    for number in range(TRIED):
        file.write_bytes(mutated(sample.text.encode(), others, chance))
        begun = time.monotonic()
        kind = chance.choice((sample.kind, sample.kind, *FileKind))
        try:
            row = format_of(file, chance.choice((name, "auto")))
            kind = row.detect_kind(file) if number % 2 else kind
            found = list(row.read(file, kind))
        except FormatError as refused:
            outcomes["refused" if str(refused).endswith(".") else f"no sentence: {refused}"] += 1
        else:
            assert all(isinstance(one, (Line, Problem)) for one in found)
            assert all(one.sentence.endswith((".", "?")) for one in found if isinstance(one, Problem))
            outcomes["problems" if any(isinstance(one, Problem) for one in found) else "read"] += 1
        slowest = max(slowest, time.monotonic() - begun)
    assert slowest < 10
    assert "refused" in outcomes
    assert set(outcomes) <= {"refused", "problems", "read"}
    with capsys.disabled():
        if TOLD:
            print(f"\n{FORMATS[name].title}: {TRIED:,} files, {dict(outcomes)}, slowest {slowest * 1000:.0f} ms")


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


def put_bytes(folder: Path, content: str | bytes) -> Path:
    file = folder / "x.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def found_in(file: Path, kind: FileKind = FileKind.MEMORIES) -> list[object]:
    return list(FORMATS["json"].read(file, kind))


@pytest.mark.usefixtures("_in_pieces")
@pytest.mark.parametrize("content", [ODD, NAMED, "[]", "[\n\n]\n"])
def test_that_a_large_list_says_what_a_small_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    file = put_bytes(tmp_path, content)
    whole = found_in(file)
    monkeypatch.setattr(text, "MAX_WHOLE_BYTES", 1)
    assert found_in(file) == whole
    assert format_of(file) is FORMATS["json"]


def test_that_a_list_is_read_under_the_name_of_what_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for most in (text.MAX_WHOLE_BYTES, 1):
        monkeypatch.setattr(text, "MAX_WHOLE_BYTES", most)
        file = put_bytes(tmp_path, NAMED)
        assert [one.value.triggers for one in found_in(file) if isinstance(one, Line)] == [("a",), ("b",)]
        assert len(found_in(file, FileKind.POWERS)) == 1
        with pytest.raises(FormatError, match="alone or under “rules”"):
            found_in(file, FileKind.RULES)
        with pytest.raises(FormatError, match="several kinds"):
            FORMATS["json"].detect_kind(file)
        alone = put_bytes(tmp_path, '{"memories": [{"text": "a"}]}')
        assert format_of(alone).detect_kind(alone) is FileKind.MEMORIES


@pytest.mark.parametrize("most", [text.MAX_WHOLE_BYTES, 1])
def test_that_a_list_of_another_kind_is_seen_after_a_long_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(text, "MAX_WHOLE_BYTES", most)
    many = ", ".join(['{"text": "a"}'] * 1_000)
    with pytest.raises(FormatError, match="several kinds"):
        FORMATS["json"].detect_kind(put_bytes(tmp_path, f'{{"memories": [{many}], "powers": [{{"name": "b"}}]}}'))


REFUSED_JSON = {
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
@pytest.mark.parametrize("what", REFUSED_JSON)
def test_that_a_large_list_that_is_none_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(text, "MAX_WHOLE_BYTES", 1)
    content, sentence = REFUSED_JSON[what]
    with pytest.raises(FormatError, match=sentence):
        found_in(put_bytes(tmp_path, content))


def test_that_a_record_that_never_ends_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_WHOLE_BYTES", 1)
    monkeypatch.setattr(text, "MAX_LINE_BYTES", 2**16)
    monkeypatch.setattr(json_streams, "BLOCK", 2**10)
    for content in (b'[\n{"text": "' + b"a" * 2**22 + b'"}]', b"[\n/*" + b"a" * 2**22, b"[\n" + b"9" * 2**22):
        file = put_bytes(tmp_path, content)
        tracemalloc.start()
        with pytest.raises(FormatError, match="Line 2: what begins there is longer"):
            found_in(file)
        assert tracemalloc.get_traced_memory()[1] < 2**20
        tracemalloc.stop()


def test_that_a_large_list_is_never_in_memory_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_WHOLE_BYTES", 1)
    monkeypatch.setattr(json_streams, "BLOCK", 2**12)
    file = put_bytes(tmp_path, json.dumps([{"text": f"phrase {n}", "response": "a" * 1_000} for n in range(4_000)]))
    tracemalloc.start()
    count = sum(isinstance(one, Line) for one in FORMATS["json"].read(file, FileKind.MEMORIES))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (count, peak < 2**20 < file.stat().st_size // 3) == (4_000, True)


def test_that_one_long_line_is_read_though_no_line_of_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_LINE_BYTES", 100)
    file = put_bytes(tmp_path, json.dumps([{"text": f"phrase {n}"} for n in range(20)]))
    row = format_of(file)
    assert row.detect_kind(file) is FileKind.MEMORIES
    assert not any(isinstance(one, Problem) for one in found_in(file))
