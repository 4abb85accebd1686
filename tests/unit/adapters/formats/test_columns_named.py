"""Tests of headings: which one a field uses if several fit, and notes on the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.adapters.formats.csv_tables import head_of
from app.bootstrap import read_file, read_table
from app.domain.case import Case, Task
from app.domain.errors import FormatError
from app.domain.library import Line, Memory, Problem
from app.services.library.import_export import ImportValidator
from tests.build import some

HEADED: dict[str, tuple[str, Memory]] = {
    "a category left of the intent": (
        "flags,utterance,category,intent\nB,stop it,ORDER,stop\n",
        Memory(("stop it",), intent="stop"),
    ),
    "a number left of the intent": ("label,text,intent\n3,stop it,stop\n", Memory(("stop it",), intent="stop")),
    "a query left of the text": ("query,text,intent\nhead,stop it,stop\n", Memory(("stop it",), intent="stop")),
    "the intent first": ("intent,label,category,text\nstop,4,ORDER,stop it\n", Memory(("stop it",), intent="stop")),
    "the label before the category": ("text,category,label\nstop it,ORDER,stop\n", Memory(("stop it",), intent="stop")),
    "a numbered label": ("text,label,category\nstop it,4,stop\n\ngo,5,go\n", Memory(("stop it",), intent="stop")),
    "an answer left of the response": ("reply,response,text\nno,yes,stop it\n", Memory(("stop it",), "yes")),
    "a numbered intent and its name": (
        "text,intent,intent_name\nstop it,4,stop\n",
        Memory(("stop it",), intent="stop"),
    ),
    "the same heading twice": ("text,intent,intent\nstop it,stop,halt\n", Memory(("stop it",), intent="stop")),
    "an instruction": (
        "flags,instruction,category,intent\nB,stop it,ORDER,stop\n",
        Memory(("stop it",), intent="stop"),
    ),
    "other marks": ("category;utterance;Intent\nORDER;stop it;stop\n", Memory(("stop it",), intent="stop")),
    "Excel's first line": ("sep=;\ntext;intent\nstop it;stop\n", Memory(("stop it",), intent="stop")),
    "Excel's first line in quotes": ('"sep=|"\r\ntext|intent\r\nstop it|stop\r\n', Memory(("stop it",), intent="stop")),
    "a bot's response": (
        "User Query,Intent Name,Bot Response\nstop it,stop,Done\n",
        Memory(("stop it",), "Done", intent="stop"),
    ),
    "an agent's reply": (
        "customer_question;IntentLabel;agentReply\nstop it;stop;Done\n",
        Memory(("stop it",), "Done", intent="stop"),
    ),
    "a training phrase": ("training_phrase\tlabel\nstop it\tstop\n", Memory(("stop it",), intent="stop")),
    "HWU64": (
        "scenario;intent;answer_annotation;answer;question\nalarm;stop;stop [it];stop it;Say what you would say.\n",
        Memory(("stop it",), intent="stop"),
    ),
    "Alpaca": ("instruction,input,output\nStop,it,Done\n", Memory(("Stop\n\nit",), "Done")),
    "a numbered class": ("text,class_id,class_name\nstop it,4,stop\n", Memory(("stop it",), intent="stop")),
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
    ],
)
def test_that_it_does_so_in_objects(tmp_path: Path, record: dict[str, Any], intent: str) -> None:
    for name, text in (("x.jsonl", json.dumps(record)), ("x.json", json.dumps([record], indent=1))):
        file = tmp_path / name
        file.write_text(text)
        _, lines = read_file(file, "auto", None)
        assert [line.value for line in lines if isinstance(line, Line)] == [Memory(("stop it",), intent=intent)]


def test_that_a_label_may_be_an_object_with_a_name(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text('[{"text": "stop it", "intent": {"name": "stop", "confidence": 1}}]')
    _, lines = read_file(file, "auto", None)
    assert [line.value for line in lines if isinstance(line, Line)] == [Memory(("stop it",), intent="stop")]


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


def test_that_a_table_of_several_labels_holds_cases(tmp_path: Path) -> None:
    file = tmp_path / "routing.csv"
    file.write_text("text,intents\nsave and mail it,write; mail\n")
    kind, lines = read_file(file, "auto", None)
    assert kind == "cases"
    assert [line.value.expected for line in lines if isinstance(line, Line)] == [("write", "mail")]


def test_that_a_list_as_python_writes_it_is_one(tmp_path: Path) -> None:
    file = tmp_path / "routing.csv"
    file.write_text("text,labels\nsave and mail it,\"['write', 'mail']\"\nodd,\"['write'\"\n")
    _, lines = read_file(file, "auto", None)
    assert [line.value.expected for line in lines if isinstance(line, Line)] == [("write", "mail"), ("['write'",)]


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
    ],
)
def test_that_remarks_before_the_names_are_passed_over(tmp_path: Path, text: str) -> None:
    file = tmp_path / "words.csv"
    file.write_text(text)
    _, lines = read_file(file, "auto", None)
    assert [line.value for line in lines if isinstance(line, Line)] == [Memory(("stop it",), intent="stop")]


def test_that_a_table_without_rows_is_told(tmp_path: Path) -> None:
    file = tmp_path / "words.csv"
    file.write_text("sep=;\n# nothing\n")
    with pytest.raises(FormatError, match="has no rows"):
        read_file(file, "auto", None)
