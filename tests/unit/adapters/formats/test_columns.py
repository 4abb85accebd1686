"""Tests of tables: headings and fields, first rows, mapped columns, and real files."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.adapters.formats import csv_tables
from app.adapters.formats.csv_columns import cell_of, record_of_row
from app.adapters.formats.csv_tables import MOST_KEPT, ColumnMappings, head_of
from app.adapters.formats.records import ItemKind
from app.adapters.store.library import SqlLibrary
from app.bootstrap import read_file, read_table
from app.domain.case import Case, Task
from app.domain.errors import FormatError
from app.domain.library import Line, Memory, Problem
from app.services.engine.adapters import ColumnMapping
from app.services.library.import_export import ImportValidator, store_lines
from tests.build import some

STOP = Memory(("stop it",), intent="stop")
DONE = Memory(("stop it",), "Done", intent="stop")

HEADED: dict[str, tuple[str, Memory]] = {
    "a category left of the intent": ("flags,utterance,category,intent\nB,stop it,ORDER,stop\n", STOP),
    "a number left of the intent": ("label,text,intent\n3,stop it,stop\n", STOP),
    "a query left of the text": ("query,text,intent\nhead,stop it,stop\n", STOP),
    "the intent first": ("intent,label,category,text\nstop,4,ORDER,stop it\n", STOP),
    "the label before the category": ("text,category,label\nstop it,ORDER,stop\n", STOP),
    "a numbered label": ("text,label,category\nstop it,4,stop\n\ngo,5,go\n", STOP),
    "an answer left of the response": ("reply,response,text\nno,yes,stop it\n", Memory(("stop it",), "yes")),
    "a numbered intent and its name": ("text,intent,intent_name\nstop it,4,stop\n", STOP),
    "the same heading twice": ("text,intent,intent\nstop it,stop,halt\n", STOP),
    "an instruction": ("flags,instruction,category,intent\nB,stop it,ORDER,stop\n", STOP),
    "other marks": ("category;utterance;Intent\nORDER;stop it;stop\n", STOP),
    "Excel's first line": ("sep=;\ntext;intent\nstop it;stop\n", STOP),
    "Excel's first line in quotes": ('"sep=|"\r\ntext|intent\r\nstop it|stop\r\n', STOP),
    "a bot's response": ("User Query,Intent Name,Bot Response\nstop it,stop,Done\n", DONE),
    "an agent's reply": ("customer_question;IntentLabel;agentReply\nstop it;stop;Done\n", DONE),
    "a training phrase": ("training_phrase\tlabel\nstop it\tstop\n", STOP),
    "HWU64": (
        "scenario;intent;answer_annotation;answer;question\nalarm;stop;stop [it];stop it;Say what you would say.\n",
        STOP,
    ),
    "Alpaca": ("instruction,input,output\nStop,it,Done\n", Memory(("Stop\n\nit",), "Done")),
    "a numbered class": ("text,class_id,class_name\nstop it,4,stop\n", STOP),
    "a table of intents": ("name,patterns\nstop,stop it\n", STOP),
    "quotes after blanks": ('"text" ; "intent"\n"stop; it" ; "stop"\n', Memory(("stop; it",), intent="stop")),
    "blanks before marks": ("text ;intent\nstop it ;stop\n", STOP),
    "plural headings": ("Utterances,Intents\nstop it,stop\n", STOP),
    "plural texts": ("Category,Texts\nstop,stop it\n", STOP),
    "a missing label": ("text,intent\nstop it,N/A\n", Memory(("stop it",))),
    "an odd mark": ("SEP=#\ntext#intent\nstop; it#stop\n", Memory(("stop; it",), intent="stop")),
}


@pytest.mark.parametrize("what", HEADED)
@pytest.mark.parametrize("ending", ["csv", "txt"])
def test_that_a_field_s_own_name_wins_wherever_it_stands(tmp_path: Path, what: str, ending: str) -> None:
    text, memory = HEADED[what]
    file = tmp_path / f"words.{ending}"
    file.write_text(text, "utf-8", newline="")
    kind, lines = read_file(file, "auto", None)
    assert kind == "memories"
    assert next(line.value for line in lines if isinstance(line, Line)) == memory


@pytest.mark.parametrize(
    ("record", "intent"),
    [
        ({"category": "ORDER", "label": 4, "text": "stop it", "intent": "stop"}, "stop"),
        ({"category": "ORDER", "utterance": "stop it", "intent": "stop"}, "stop"),
        ({"query": "head", "text": "stop it", "label": 4, "label_text": "stop"}, "stop"),
        ({"text": "stop it", "intent": 4, "intent_name": "stop"}, "stop"),
        ({"instruction": "stop it", "category": "ORDER", "intent": "stop"}, "stop"),
        ({"utt": "stop it", "scenario": "x", "intent": "stop"}, "stop"),
        ({"text": "stop it", "label": True}, "true"),
        ({"Sample Utterance": "stop it", "Intent Name": "stop", "X": 7}, "stop"),
        ({"text": "stop it", "intent": False}, "false"),
        ({"text": "stop it", "intent": {"name": "stop", "confidence": 1}}, "stop"),
    ],
)
def test_that_it_does_so_in_objects(tmp_path: Path, record: dict[str, Any], intent: str) -> None:
    for name, text in (("x.jsonl", json.dumps(record)), ("x.json", json.dumps([record], indent=1))):
        file = tmp_path / name
        file.write_text(text)
        _, lines = read_file(file, "auto", None)
        assert [line.value for line in lines if isinstance(line, Line)] == [Memory(("stop it",), intent=intent)]


def test_that_cases_expect_what_their_own_column_says(tmp_path: Path) -> None:
    file = tmp_path / "held.csv"
    file.write_text("category,text,intent\nORDER,stop it,stop\n")
    for task in ("intent", None):
        _, lines = read_file(file, "cases", task)
        assert [line.value for line in lines if isinstance(line, Line)] == [Case("stop it", ("stop",), Task.INTENT)]
    file.write_text("type,text,label\nGeneral,stop it,stop\n")
    _, lines = read_file(file, "cases", "intent")
    assert [line.value for line in lines if isinstance(line, Line)] == [Case("stop it", ("stop",), Task.INTENT)]


def test_that_the_window_is_offered_the_same(tmp_path: Path) -> None:
    file = tmp_path / "words.csv"
    file.write_text("sep=,\nlabel,query,text,category\n3,head,stop it,stop\n")
    head = some(read_table(file))
    assert head == head_of(file)
    assert head.meant["memories"] == ("", "", "text", "intent")


def test_that_variables_and_headers_share_a_column(tmp_path: Path) -> None:
    file = tmp_path / "powers.csv"
    file.write_text("name,command,url,env,headers\na,npx,,K=1,\nb,,https://example.org,,H=2\n")
    _, lines = read_file(file, "auto", None)
    assert [dict(line.value.transport.env) for line in lines if isinstance(line, Line)] == [{"K": "1"}, {"H": "2"}]


@pytest.mark.parametrize(
    ("name", "text", "fields"),
    [
        (
            "a.csv",
            "flags,utterance,intent,intent,\nB,stop it,stop,halt,\n",
            {"flags": "", "utterance": "text", "intent": "intent", "intent (column 4)": ""},
        ),
        ("a.csv", ",text,,\n0,stop it,,\n,go,x,\n", {"column 1": "", "text": "text", "column 3": ""}),
        ("a.csv", "name,url,title\na,https://example.org,b\n", {"name": "name", "url": "url", "title": ""}),
        (
            "a.jsonl",
            '{"utt": "a", "annot_utt": "a", "intent": "b", "responses": ["c"]}\n',
            {"utt": "text", "annot_utt": "", "intent": "intent", "responses": "response"},
        ),
        (
            "a.jsonl",
            '{"text": "a", "entities": [{"entity": "intent", "value": "b"}]}\n',
            {"text": "text", "entities": "intent"},
        ),
        (
            "a.jsonl",
            '{"utterance": "a", "label": 3, "x": 1}\n{"utterance": "b", "category": "c"}\n',
            {"utterance": "text", "label": "intent", "x": "", "category": "intent"},
        ),
        (
            "a.json",
            '[{"text": "a", "intents": ["b", "c"], "id": 4}]',
            {"text": "text", "intents": "expected", "id": ""},
        ),
        ("a.csv", "text,set,label\na,blue,b\n", {"text": "text", "set": "", "label": "intent"}),
        ("a.csv", "text,set,label\na,blue,b\nc,train,d\n", {"text": "text", "set": "set", "label": "intent"}),
        ("a.jsonl", '{"text": "a", "set": 3, "intent": "b"}\n', {"text": "text", "set": "", "intent": "intent"}),
        ("a.yaml", "- text: a\n  label: b\n  mood: c\n", {"text": "text", "label": "intent", "mood": ""}),
        ("a.toml", '[[memories]]\nquestion = "a"\nmood = "c"\n', {"question": "text", "mood": ""}),
    ],
)
def test_that_it_is_told_what_became_of_each_name(tmp_path: Path, name: str, text: str, fields: dict[str, str]) -> None:
    file = tmp_path / name
    file.write_text(text)
    validator = ImportValidator(read_file(file, "auto", None)[1])
    assert list(validator)
    assert validator.fields == fields


LABELLED = ("intents", "labels", "intent", "label", "category")


@pytest.mark.parametrize("name", LABELLED)
def test_that_lists_of_labels_are_cases_and_never_lost(tmp_path: Path, name: str) -> None:
    file = tmp_path / "routing.json"
    records = [{"text": "save and mail it", name: ["write", "mail"]}, {"query": "what is on", name: ["calendar"]}]
    file.write_text(json.dumps(records))
    kind, lines = read_file(file, "auto", None)
    assert kind == "cases"
    assert [line.value for line in lines if isinstance(line, Line)] == [
        Case("save and mail it", ("write", "mail"), Task.INTENT),
        Case("what is on", ("calendar",), Task.INTENT),
    ]
    problem, line = read_file(file, "memories", None)[1]
    assert isinstance(problem, Problem)
    assert "The text has 2 labels, and a memory has one" in problem.sentence
    assert isinstance(line, Line)
    assert line.value == Memory(("what is on",), intent="calendar")


def test_that_a_table_of_several_labels_holds_cases_also_as_python_writes_lists(tmp_path: Path) -> None:
    file = tmp_path / "routing.csv"
    file.write_text("text,labels\nsave and mail it,write; mail\nsend,\"['write', 'mail']\"\nodd,\"['write'\"\n")
    kind, lines = read_file(file, "auto", None)
    assert kind == "cases"
    expected = [line.value.expected for line in lines if isinstance(line, Line)]
    assert expected == [("write", "mail"), ("write", "mail"), ("['write'",)]


def test_that_a_variable_that_is_none_costs_only_its_row(tmp_path: Path) -> None:
    file = tmp_path / "powers.csv"
    file.write_text('name,command,env\na,npx,[[]]\nb,npx,"[1, 2]"\nc,npx,"[""K=1""]"\n')
    found = list(read_file(file, "auto", None)[1])
    assert [one.sentence[:36] for one in found if isinstance(one, Problem)] == [
        "“env” contains something that is not"
    ] * 2
    assert [dict(one.value.transport.env) for one in found if isinstance(one, Line)] == [{"K": "1"}]


@pytest.mark.parametrize(
    "text",
    [
        "# exported today\ntext,intent\nstop it,stop\n",
        "#utterance,intent\nstop it,stop\n",
        "sep=;\n# x\ntext;intent\nstop it;stop\n",
        "# a, b and c\n# d\n# text,intent\nstop it,stop\n",
    ],
)
def test_that_remarks_before_the_names_are_passed_over(tmp_path: Path, text: str) -> None:
    file = tmp_path / "words.csv"
    file.write_text(text)
    _, lines = read_file(file, "auto", None)
    assert [line.value for line in lines if isinstance(line, Line)] == [STOP]


@pytest.mark.parametrize(
    ("text", "refusal"),
    [("sep=;\n# nothing\n", "has no rows"), ("message,intent\nhello,greet\n", "--columns message=text")],
)
def test_that_no_rows_and_unknown_headings_are_told(tmp_path: Path, text: str, refusal: str) -> None:
    file = tmp_path / "words.csv"
    file.write_text(text)
    with pytest.raises(FormatError, match=refusal):
        read_file(file, "auto", None)


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


def test_that_a_column_can_be_left_out_though_its_heading_is_known(tmp_path: Path) -> None:
    file = tmp_path / "a b.csv"
    file.write_text("text,intent,note\nWie?,how,n\n", "utf-8")
    _, lines = read_file(file, "memories", None, "auto", {"text": "text", "intent": "", "note": "response"})
    assert [line.value for line in lines if isinstance(line, Line)] == [Memory(("Wie?",), "n")]
    with pytest.raises(FormatError, match="No column is set to"):
        list(read_file(file, "memories", None, "auto", {"text": ""})[1])


def test_that_what_columns_hold_tells_what_a_table_holds(tmp_path: Path) -> None:
    file = tmp_path / "phrases.csv"
    file.write_text("Satz;Sorte\nwhat is my balance;balance\n")
    columns = {"satz": "text", "Sorte": "expected"}
    with pytest.raises(FormatError):
        read_file(file, "auto", None)
    kind, items = read_file(file, "auto", "intent", columns=columns)
    assert kind == "cases"
    assert [item.value.expected for item in items if isinstance(item, Line)] == [("balance",)]


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
    assert [line.value for line in csv_tables.read(stream, ItemKind.MEMORIES) if isinstance(line, Line)] == [memory]


@pytest.mark.parametrize(
    ("column", "cell", "found"),
    [
        ("triggers", "a | b", ["a", "b"]),
        ("triggers", "a; b | c\nd", ["a", "b | c", "d"]),
        ("triggers", "|a||b\nc", ["a", "b", "c"]),
        ("triggers", "yes, please\nno", ["yes, please", "no"]),
        ("triggers", "a one\n; two", ["a one", "two"]),
        ("examples", "yes, please | no", ["yes, please", "no"]),
        ("keywords", "a, b", ["a", "b"]),
        ("tags", "a, b | c", ["a, b", "c"]),
        ("expected", "a|b", ["a", "b"]),
        ("triggers", '["a | b", "c; d"]', ["a | b", "c; d"]),
        ("args", "--only; a|b", ["--only", "a|b"]),
        ("env", "RULE=a|b; HOST=c", {"RULE": "a|b", "HOST": "c"}),
    ],
)
def test_that_a_list_in_a_cell_is_split(column: str, cell: str, found: object) -> None:
    assert record_of_row([column], [cell]) == {column: found}
    assert record_of_row([column], [cell_of(found)]) == {column: found}


def test_that_a_text_that_looks_like_several_triggers_is_noted_once(tmp_path: Path) -> None:
    for column, noted in (("text", [False, True, False]), ("triggers", [False] * 3)):
        file = tmp_path / "it.csv"
        file.write_text(f"{column},intent\nhi there;,x\na b; c d,x\ne f; g h,x\n", encoding="utf-8")
        read = csv_tables.read(file, ItemKind.MEMORIES)
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
    head = some(head_of(file))
    assert head.meant[kind] == meant


def test_that_quotes_after_backslashes_stay_in_their_cell(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text('text,intent\n"say \\"hi\\", now",a\n"C:\\dir\\",b\n"say ""yes\\""",c\n')
    items = [item.value for item in read_file(file, "memories", None)[1] if isinstance(item, Line)]
    assert items == [
        Memory(('say "hi", now',), intent="a"),
        Memory(("C:\\dir\\",), intent="b"),
        Memory(('say "yes\\"',), intent="c"),
    ]


def test_that_an_empty_cell_for_what_is_right_expects_no_match(tmp_path: Path) -> None:
    file = tmp_path / "cases.csv"
    file.write_text("text,expected,unwanted\nopen it,doors,\nwhat is up,,\nnot that,,doors\n")
    items = [item.value for item in read_file(file, "cases", "intent")[1] if isinstance(item, Line)]
    assert [(one.expected, one.unwanted) for one in items] == [(("doors",), ()), ((), ()), ((), ("doors",))]


def test_that_a_first_row_of_very_many_cells_is_left_at_once() -> None:
    begun = time.perf_counter()
    assert len(csv_tables.first_row("(a|" * 300_000)) == csv_tables.MOST_NAMES + 1
    assert time.perf_counter() - begun < 5  # each cell was compared with each heading: minutes


@pytest.mark.parametrize("ending", ["json", "jsonl", "yaml"])
def test_that_names_in_records_are_mapped_as_headings_are(ending: str, tmp_path: Path) -> None:
    rows = [{"topic": name, "note": f"what about the {name}", "text": "no"} for name in ("wifi", "bins")]
    file, table = tmp_path / f"notes.{ending}", tmp_path / "notes.csv"
    file.write_text("\n".join(map(json.dumps, rows)) if ending == "jsonl" else json.dumps(rows))
    table.write_text("\n".join([",".join(rows[0]), *(",".join(row.values()) for row in rows)]))
    for columns in ({"topic": "intent", "Note": "text"}, {"topic": "", "note": "text"}):
        read = (read_file(path, "memories", None, columns=columns)[1] for path in (file, table))
        own, others = ([line.value for line in lines if isinstance(line, Line)] for lines in read)
        assert (len(own), own) == (2, others)
    with pytest.raises(FormatError, match="“txt” is not a column of memories"):
        list(read_file(file, "memories", None, columns={"note": "txt"})[1])
