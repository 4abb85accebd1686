"""Tests of every format: detection, messages, and round trips."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.adapters.formats import csv_tables
from app.adapters.formats.csv_columns import escape_formula, unescape_formula
from app.adapters.formats.records import FileKind
from app.adapters.formats.table import FORMATS, WRITTEN, format_of, format_to_write
from app.adapters.local.secrets import FileSecrets
from app.adapters.store.library import SqlLibrary
from app.domain.errors import FormatError
from app.domain.intent import Rule
from app.domain.journal import Item
from app.domain.library import Line, Memory, Problem
from app.services.library.import_export import EXPORTERS, ImportValidator, store_lines
from app.surfaces.cli.commands import library
from tests.build import some
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

    def test_that_json_may_be_lines_or_a_list(self, tmp_path: Path) -> None:
        lines = '{"text": "a"}\n{"text": "b"}\n'
        assert format_of(put(tmp_path, "x.json", lines)) is FORMATS["jsonl"]
        assert format_of(put(tmp_path, "x.json", lines.splitlines()[0])) is FORMATS["jsonl"]
        assert format_of(put(tmp_path, "x.json", '[{"text": "a"},\n{"text": "b"}]')) is FORMATS["json"]
        assert format_of(put(tmp_path, "nothing", lines)) is FORMATS["jsonl"]


class TestTables:
    def test_that_people_may_say_what_a_column_holds(self, tmp_path: Path) -> None:
        file = put(tmp_path, "x.csv", "Frage,text\nWie?,So\n")
        columns = {"Frage": "text", "text": "response"}
        (line,) = csv_tables.read(file, FileKind.MEMORIES, columns=columns)
        assert isinstance(line, Line)
        assert line.value == Memory(("Wie?",), "So")
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
