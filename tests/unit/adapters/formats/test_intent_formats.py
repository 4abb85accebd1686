"""Tests of files of bot platforms that are archives, templates, long, or written and read again."""

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from app.adapters.formats import csv_columns, csv_tables
from app.adapters.formats.json_arrays import is_test
from app.adapters.formats.table import FORMATS, format_of
from app.adapters.formats.voice_assistants import MOST, written_out
from app.bootstrap import read_file
from app.domain.errors import FormatError
from app.domain.library import Line, Memory, Problem
from tests.sample_files import SAMPLES


def put(folder: Path, name: str, content: object) -> Path:
    """Write a file with a text, or with another value as JSON."""
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return file


def held(file: Path, kind: str = "auto") -> tuple[str, list[object], list[str]]:
    found, lines = read_file(file, kind, None)
    items = [*lines]
    return (
        found,
        [line.value for line in items if isinstance(line, Line)],
        [line.sentence for line in items if isinstance(line, Problem)],
    )


def test_that_every_format_has_a_sample() -> None:
    assert set(FORMATS) - {"zip", "yaml", "lines"} == set(SAMPLES)


REPLIES = [
    {"type": 0, "lang": "de", "speech": "Ein Tisch."},
    {"type": 0, "lang": "en", "speech": ["A table.", "One table."]},
    {"type": 4, "lang": "en", "payload": {"card": 1}},
]


class TestArchives:
    FILES: ClassVar = {
        "agent.json": '{"language": "en", "supportedLanguages": ["de"]}',
        "intents/book.json": json.dumps({"name": "book", "responses": [{"messages": REPLIES}]}),
        "intents/book_usersays_de.json": '[{"data": [{"text": "ein Tisch"}]}]',
        "intents/book_usersays_en.json": '[{"data": [{"text": "a table"}]}]',
        "entities/n.json": '{"name": "n", "isEnum": true}',
        "entities/n_entries_en.json": '[{"value": "two", "synonyms": []}]',
        "package.json": '{"version": "1.0.0"}',
        "__MACOSX/intents/._book.json": "no JSON",
        "read me.txt": "hello",
    }

    @staticmethod
    def packed(folder: Path, files: dict[str, str]) -> Path:
        file = folder / "agent.zip"
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return file

    def test_that_a_bad_file_in_it_costs_only_itself(self, tmp_path: Path) -> None:
        files = {"bad.json": "{", "utterances/u-1.json": '{"utterances": [{"text": "bye", "intent": "leave"}]}'}
        files["data/nlu.yml"] = "nlu:\n- intent: greet\n  examples: |\n    - hi\n"
        _, items, problems = held(self.packed(tmp_path, files))
        assert items == [Memory(("bye",), intent="leave"), Memory(("hi",), intent="greet")]
        assert problems[0].startswith("bad.json: ")

    def test_that_what_cannot_be_unpacked_is_told(self, tmp_path: Path) -> None:
        file = self.packed(tmp_path, self.FILES)
        content = file.read_bytes()
        file.write_bytes(content[:-30])
        with pytest.raises(FormatError, match="cannot be unpacked"):
            held(file)
        file.write_bytes(content[:42] + b"\xff" * 20 + content[62:])
        with pytest.raises(FormatError, match="cannot be unpacked"):
            held(file)
        with pytest.raises(FormatError, match="cannot be unpacked"):
            held(put(tmp_path, "text.zip", "no archive"))
        with pytest.raises(FormatError, match="No file of the archive holds intents"):
            held(self.packed(tmp_path, {"a.json": "[]", "b.txt": "x"}))

    def test_that_a_bomb_is_not_unpacked(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("app.adapters.formats.agents.MAX_WHOLE_BYTES", 1_000)
        with pytest.raises(FormatError, match="so much is not read"):
            held(self.packed(tmp_path, {"a_usersays_en.json": " " * 2_000}))
        monkeypatch.setattr("app.adapters.formats.agents.MOST_FILES", 3)
        with pytest.raises(FormatError, match="more than 3 files"):
            held(self.packed(tmp_path, {f"{n}.json": "[]" for n in range(4)}))


class TestTemplates:
    def test_that_none_becomes_too_many_or_too_deep(self) -> None:
        assert len(written_out("(a|b)" * 40)) == MOST
        assert written_out("(" * 5_000) == ("(" * 5_000,)
        assert written_out("<a> x", {"a": "[b] <a>"}) == ("<a> x",)


@pytest.mark.parametrize("missing", csv_columns.MISSING)
def test_that_a_missing_value_is_no_label_but_may_be_a_text(tmp_path: Path, missing: str) -> None:
    file = put(tmp_path, "x.csv", f"text,label,response\n{missing},{missing},{missing}\n")
    assert held(file)[1] == [Memory((missing,))]
    said = Memory((missing,), missing, missing)
    with file.open("wb") as stream:
        csv_tables.write(stream, [said])
    assert [replace(memory, id=None) for memory in held(file)[1] if isinstance(memory, Memory)] == [said]


def test_that_long_columns_are_told_by_their_beginning(tmp_path: Path) -> None:
    document = {"text": [f"say {n}" for n in range(8_000)], "label": ["x"] * 8_000}
    kind, items, problems = held(put(tmp_path, "x.json", document))
    assert (kind, len(items), problems) == ("memories", 8_000, [])


TESTS = "test oos_test testset testSet Held-Out heldout validation evaluation TEST testing dev eval_data data.test"
OTHERS = "contest valuation values latest devices train value"


@pytest.mark.parametrize(
    ("name", "is_one"),
    [*((name, True) for name in TESTS.split()), *((name, False) for name in OTHERS.split()), ("", False)],
)
def test_that_a_part_to_test_with_is_known_by_a_word_of_its_name(name: str, is_one: bool) -> None:
    assert is_test(name) is is_one


def test_that_a_stream_has_no_name_to_be_called_after() -> None:
    row = FORMATS["padatious"]
    (line,) = row.read(io.BytesIO(b"good bye\n"), row.kinds[0])
    assert isinstance(line, Line)
    assert line.value == Memory(("good bye",), intent="imported")


def test_that_a_table_with_names_stays_one(tmp_path: Path) -> None:
    file = put(tmp_path, "x.csv", "What they wrote,Group\nmy vpn is down,vpn\nthe vpn,vpn\n")
    with pytest.raises(FormatError, match="put such names before it"):
        held(file)
    assert format_of(file) is FORMATS["csv"]


def test_that_a_template_that_is_too_long_for_a_text_is_not_written_out() -> None:
    template = "(a|b) " * 250_000  # writing it out took minutes
    assert written_out(template) == (template,)
