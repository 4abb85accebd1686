"""Tests of every format: detection, messages, and round trips."""

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.adapters.formats import csv_tables
from app.adapters.formats.csv_columns import escape_formula, unescape_formula
from app.adapters.formats.csv_tables import MOST_KEPT, ColumnMappings, head_of
from app.adapters.formats.records import FileKind
from app.adapters.formats.table import FORMATS, WRITTEN, format_of, format_to_write
from app.adapters.secrets import FileSecrets
from app.adapters.store.library import SqlLibrary
from app.bootstrap import read_file, read_table
from app.domain.errors import FormatError
from app.domain.intent import Rule
from app.domain.journal import Item
from app.domain.library import Line, Memory, Problem
from app.services.engine.adapters import ColumnMapping
from app.services.library.import_export import EXPORTERS, ImportValidator, store_lines
from app.surfaces.cli.commands import library
from tests.build import of_type, some
from tests.sample_files import SAMPLES
from tests.strategies import STRATEGIES, as_read


def put(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def found_in(file: Path, kind: FileKind | None = None) -> tuple[list[Any], list[Problem]]:
    row = format_of(file)
    found = list(row.read(file, kind or row.detect_kind(file)))
    return [one.value for one in found if isinstance(one, Line)], [one for one in found if isinstance(one, Problem)]


@pytest.mark.parametrize("name", SAMPLES)
class TestSamples:
    def test_that_line_ends_and_a_mark_of_utf_8_make_no_difference(self, tmp_path: Path, name: str) -> None:
        sample = SAMPLES[name]
        plain = sample.text.replace("\r\n", "\n").encode()
        expected = found_in(put(tmp_path, sample.name, plain))
        for end in (b"\n", b"\r\n", b"\r"):
            good, problems = found_in(put(tmp_path, sample.name, b"\xef\xbb\xbf" + plain.replace(b"\n", end)))
            # A cell keeps its original line ends.
            told = [str(one).replace("\\r\\n", "\\n").replace("\\r", "\\n") for one in good]
            assert told == list(map(str, expected[0]))
            assert problems == expected[1]

    def test_that_a_second_import_changes_nothing(self, tmp_path: Path, name: str) -> None:
        sample = SAMPLES[name]
        file = put(tmp_path, sample.name, sample.text)
        row = format_of(file)
        library = SqlLibrary.open(tmp_path / "profile", FileSecrets(tmp_path / "secrets.json"))
        try:
            first = store_lines(library, sample.kind, ImportValidator(row.read(file, sample.kind)), sample.name)
            again = store_lines(library, sample.kind, ImportValidator(row.read(file, sample.kind)), sample.name)
        finally:
            library.close()
        assert (len(first.change.added), len(first.change.updated)) == (sample.good, 0)
        assert (again.change.added, again.change.updated, again.change.unchanged) == ((), (), sample.good)

    def test_that_a_kind_that_is_not_there_is_told(self, tmp_path: Path, name: str) -> None:
        sample = SAMPLES[name]
        file = put(tmp_path, sample.name, sample.text)
        for kind in set(FileKind) - set(FORMATS[name].kinds):
            with pytest.raises(FormatError, match=f"no {kind}"):
                list(FORMATS[name].read(file, kind))


class TestContents:
    def test_that_a_rule_pack_is_toml_too(self) -> None:
        folder = Path(__file__).parents[4] / "resources" / "rules"
        for file in sorted(folder.glob("*.toml")):
            good, problems = found_in(file)
            assert good
            assert not problems
            assert all(isinstance(rule, Rule) and rule.pack != "imported" for rule in good)


class TestTables:
    def test_that_people_may_say_what_a_column_holds(self, tmp_path: Path) -> None:
        file = put(tmp_path, "x.csv", "Frage,text\nWie?,So\n")
        columns = {"Frage": "text", "text": "response"}
        (line,) = csv_tables.read(file, FileKind.MEMORIES, columns=columns)
        assert of_type(line, Line).value == Memory(("Wie?",), "So")
        for wrong, word in (({"Frage": "no"}, "“no”"), ({"Wo": "text"}, "“Wo”|“wo”")):
            with pytest.raises(FormatError, match=word):
                list(csv_tables.read(file, FileKind.MEMORIES, columns=wrong))

    def test_that_columns_that_are_needed_are_asked_for(self, tmp_path: Path) -> None:
        file = put(tmp_path, "x.csv", "a,b\nc,d\n")
        with pytest.raises(FormatError, match="--kind"):
            format_of(file).detect_kind(file)
        with pytest.raises(FormatError, match="“text” or “triggers”"):
            found_in(file, FileKind.MEMORIES)

    @given(st.text())
    def test_that_no_cell_is_a_formula_and_every_cell_reads_back(self, text: str) -> None:
        assert unescape_formula(escape_formula(text)) == text
        assert not escape_formula(text).startswith(("=", "+", "-", "@", "\t", "\r"))


class TestWriting:
    @pytest.mark.parametrize(("kind", "strategy"), STRATEGIES.items())
    @given(data=st.data())
    def test_that_what_is_written_reads_back(
        self, kind: FileKind, strategy: st.SearchStrategy[Item], data: st.DataObject
    ) -> None:
        items = data.draw(st.lists(strategy, min_size=1, max_size=4))
        for name in WRITTEN:
            stream = io.BytesIO()
            write = some(FORMATS[name].write)
            assert write(stream, items) == len(items)
            found = list(FORMATS[name].read(io.BytesIO(stream.getvalue()), kind))
            assert [line.value for line in found if isinstance(line, Line)] == list(map(as_read, items)), name
            assert len(found) == len(items), name

    @given(memories=st.lists(STRATEGIES[FileKind.MEMORIES], max_size=5))
    @settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_that_export_and_import_give_the_same_library(
        self, tmp_path_factory: pytest.TempPathFactory, memories: list[Memory]
    ) -> None:
        folder = tmp_path_factory.mktemp("libraries")
        with opened(folder / "one") as one:
            store_lines(one, "memories", ImportValidator(Line(1, memory) for memory in memories))
            for name in WRITTEN:
                file = folder / f"all{FORMATS[name].endings[0]}"
                write = some(FORMATS[name].write)
                with file.open("wb") as stream:
                    write(stream, EXPORTERS["memories"](one))
                with opened(folder / name) as two:
                    for _ in range(2):
                        store_lines(
                            two, "memories", ImportValidator(FORMATS[name].read(file, FileKind.MEMORIES)), "a file"
                        )
                    assert contents(two) == contents(one), name

    def test_that_the_ending_chooses_and_what_is_only_read_is_refused(self) -> None:
        for name in WRITTEN:
            assert format_to_write(Path(f"x{FORMATS[name].endings[0]}")) is FORMATS[name]
            assert format_to_write(Path("x.dat"), name) is FORMATS[name]
        assert format_to_write(Path("x")) is FORMATS["jsonl"]
        with pytest.raises(FormatError, match=r"\.csv"):
            format_to_write(Path("x.md"))

    def test_that_the_front_door_knows_every_format(self) -> None:
        assert tuple(FORMATS) == library.FORMATS
        assert WRITTEN == library.WRITTEN


@contextmanager
def opened(folder: Path) -> Iterator[SqlLibrary]:
    library = SqlLibrary.open(folder, FileSecrets(folder / "secrets.json"))
    try:
        yield library
    finally:
        library.close()


def contents(library: SqlLibrary) -> list[tuple[Any, ...]]:
    def told(memory: Memory) -> Iterator[Any]:
        yield from (memory.triggers, memory.response, memory.intent, memory.namespace, memory.tags, memory.id)
        yield from (memory.success, memory.usage, memory.paused)

    return [tuple(told(memory)) for memory in library.memories()]


def test_that_the_window_is_offered_the_same(tmp_path: Path) -> None:
    file = tmp_path / "words.csv"
    file.write_text("sep=,\nlabel,query,text,category\n3,head,stop it,stop\n")
    head = some(read_table(file))
    assert head == head_of(file)
    assert head.meant["memories"] == ("", "", "text", "intent")


GERMAN = "Frage;Antwort;Nr\n Wie?;So.;1\n\nWo?;Da.;2\nWann?;Nie.;3\nWer?;Ich.;4\n"


def test_that_a_head_has_headings_first_rows_and_what_they_are_taken_for(tmp_path: Path) -> None:
    file = tmp_path / "Fragen & Größen.csv"
    file.write_text(GERMAN, "utf-8")
    head = some(head_of(file))
    assert head.headings == ("Frage", "Antwort", "Nr")
    assert head.rows == ((" Wie?", "So.", "1"), ("Wo?", "Da.", "2"), ("Wann?", "Nie.", "3"))
    assert head.kind == ""
    assert head.meant["memories"] == ("text", "response", "")
    assert "response" in head.fields["memories"]
    assert {"dataset", "split", "ml_use", "is_train"} & {*head.fields["memories"]} == {"dataset"}
    file.write_text("Question,label,\nx,y,z\n", "utf-8")
    head = some(read_table(file))
    assert (head.kind, head.meant["memories"]) == ("memories", ("text", "intent", ""))
    file.write_text("\n\n", "utf-8")
    assert head_of(file) is None
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n')
    assert read_table(tmp_path / "a.jsonl") is None


def test_that_mappings_are_kept_by_headings_and_the_oldest_goes_first(tmp_path: Path) -> None:
    kept = ColumnMappings(tmp_path / "columns.json")
    said = ColumnMapping("memories", {"Frage": "text", "Nr": ""})
    assert kept.get(("Frage", "Nr")) is None
    kept.put(("Frage", "Nr"), said)
    assert kept.get(("FRAGE", "nr")) == said
    assert kept.get(("Nr", "Frage")) is None
    for number in range(MOST_KEPT):
        kept.put((f"h{number}",), said)
    assert kept.get(("Frage", "Nr")) is None
    (tmp_path / "columns.json").write_text('{"[\\"a\\"]": {"kind": "x", "columns": {}}}')
    assert kept.get(("a",)) is None
    (tmp_path / "columns.json").write_text("[")
    assert kept.get(("a",)) is None
    ColumnMappings(tmp_path / "nowhere" / "columns.json").put(("a",), said)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "'=1", "\t=1", "＝1", "'", "-"])
def test_that_no_cell_is_run_by_a_spreadsheet_and_all_come_back(text: str) -> None:
    stream = io.BytesIO()
    memory = Memory((text, "b"), text, text, "help", (text,))
    csv_tables.write(stream, [memory])
    cells = stream.getvalue().decode().splitlines()[1].split(",")
    assert not any(cell.strip('"').startswith(("=", "+", "-", "@", "\t", "＝")) for cell in cells)
    stream.seek(0)
    assert [line.value for line in csv_tables.read(stream, FileKind.MEMORIES) if isinstance(line, Line)] == [memory]


def test_that_a_text_that_looks_like_several_triggers_is_noted_once(tmp_path: Path) -> None:
    for column, noted in (("text", [False, True, False]), ("triggers", [False] * 3)):
        file = tmp_path / "it.csv"
        file.write_text(f"{column},intent\nhi there;,x\na b; c d,x\ne f; g h,x\n", encoding="utf-8")
        read = csv_tables.read(file, FileKind.MEMORIES)
        assert ["becomes one trigger" in line.note for line in read if isinstance(line, Line)] == noted


def test_that_a_file_that_changes_while_it_is_read_changes_nothing(tmp_path: Path) -> None:
    file, library = tmp_path / "a.csv", SqlLibrary.open(tmp_path / "profile")
    file.write_text("text,intent\n" + "".join(f"phrase {n},l\n" for n in range(50)))
    kind, lines = read_file(file, "memories", None)

    def meddled() -> Iterator[Any]:
        for number, line in enumerate(lines):
            if number == 10:
                file.write_text("text,intent\nother,l\n")
            yield line

    with pytest.raises(FormatError, match="changed while it was read, so nothing of it was used"):
        store_lines(library, kind, ImportValidator(meddled()))
    assert library.memories() == []
    library.close()


def test_that_an_id_that_comes_twice_is_one_memory_and_a_second_import_changes_nothing(tmp_path: Path) -> None:
    file, library = tmp_path / "zwei Größen.csv", SqlLibrary.open(tmp_path / "profile")
    file.write_text("id,text,intent\na,first,l\na,second,l\nb,third,l\n", "utf-8")
    counts = []
    for _ in range(2):
        kind, lines = read_file(file, "auto", None)
        change = store_lines(library, kind, ImportValidator(lines)).change
        counts.append((len(change.added), len(change.updated), change.unchanged))
    assert [memory.name for memory in library.memories()] == ["a", "b"]
    assert counts[0] == (2, 0, 0)
    assert counts[1][0] == 0
    library.close()


@pytest.mark.parametrize(
    ("lines", "kind", "meant"),
    [
        (
            "Kundenfrage (Original);Thema / Kategorie;Antwort-Vorschlag;Nr.\nmy vpn is down;vpn;Restart it;1\n",
            "memories",
            ("text", "intent", "response", ""),
        ),
        ("What they wrote,Group,Is a test\nmy vpn is down,vpn,0\n", "memories", ("text", "", "")),
        ("what,is meant\nmy vpn is down,vpn\n", "cases", ("text", "")),
        ("topic,customer says\nvpn,no vpn|it is down\n", "memories", ("intent", "triggers")),
        ("utterance,intent\nno vpn|it is down,vpn\nvpn,vpn\n", "memories", ("text", "intent")),
        ("text,customer question,original answer\nmy vpn is down,why,Restart it\n", "memories", ("text", "", "")),
        ("one,two\n1,2\n", "memories", ("", "")),
        ("Server name,Help text\npostgres,Ask it\n", "powers", ("name", "")),
    ],
)
def test_that_odd_headings_are_guessed_only_where_what_is_needed_is_not_named(
    lines: str, kind: str, meant: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "odd.csv"
    file.write_text(lines)
    assert some(head_of(file)).meant[kind] == meant


def test_that_a_first_row_of_very_many_cells_is_left_at_once() -> None:
    begun = time.perf_counter()
    assert len(csv_tables.first_row("(a|" * 300_000)) == csv_tables.MOST_NAMES + 1
    assert time.perf_counter() - begun < 5  # each cell was compared with each heading: minutes
