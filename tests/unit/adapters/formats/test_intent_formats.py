"""Tests of files of bot platforms: each text gets its label, or a message explains why not."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from app.adapters.formats import csv_columns, csv_tables
from app.adapters.formats.json_arrays import is_test
from app.adapters.formats.table import FORMATS, format_of
from app.adapters.formats.voice_assistants import MOST, written_out
from app.bootstrap import read_file
from app.domain.case import Case, Task
from app.domain.errors import FormatError
from app.domain.library import Line, Memory, Problem
from tests.sample_files import SAMPLES

BOOK, BYE = ("a table for two", "book a table"), ("good bye",)
BOTH = {"book": BOOK, "leave": BYE}

TEXTS = [(text, label) for label, texts in BOTH.items() for text in texts]


def each(field: str, phrases: str, form: Callable[[str], object] = str, **more: object) -> list[dict[str, Any]]:
    """Return the intents as records with these fields."""
    return [{field: label, phrases: [*map(form, texts)], **more} for label, texts in BOTH.items()]


def bare(text: str) -> dict[str, Any]:
    return {"text": text}


def marked(text: str) -> dict[str, Any]:
    return {"text": text, "mentions": []}


def parts(text: str) -> dict[str, Any]:
    """Return a text whose end is an entity."""
    return {"parts": [{"text": text[:5]}, {"text": text[5:], "parameterId": "n"}]}


SNIPS = {
    label: [{"data": [{"text": text[:5]}, {"text": text[5:], "entity": "n"}]} for text in texts]
    for label, texts in BOTH.items()
}

ALIKE: dict[str, tuple[str, Any]] = {
    "Watson": (
        "skill.json",
        {"name": "x", "intents": each("intent", "examples", marked), "counterexamples": [{"text": "hm"}]},
    ),
    "Watson in a workspace": ("export.json", {"workspace": {"intents": each("intent", "examples", bare)}}),
    "Alexa": (
        "en-US.json",
        {
            "interactionModel": {
                "languageModel": {
                    "invocationName": "x",
                    "intents": [{"name": "AMAZON.StopIntent", "samples": []}, *each("name", "samples")],
                    "types": [],
                }
            }
        },
    ),
    "Lex": ("lex.json", {"metadata": {}, "resource": {"name": "x", "intents": each("name", "sampleUtterances")}}),
    "Voiceflow": ("x.vf", {"version": {"platformData": {"intents": each("name", "inputs", bare, key="1")}}}),
    "Jovo": ("en.json", {"invocation": "x", "intents": {label: {"phrases": texts} for label, texts in BOTH.items()}}),
    "Snips in JSON": (
        "dataset.json",
        {"intents": {label: {"utterances": texts} for label, texts in SNIPS.items()}, "entities": {}, "language": "en"},
    ),
    "Snips benchmarks": ("train.json", SNIPS),
    "nlp.js": ("corpus.json", {"name": "x", "locale": "en", "data": each("intent", "utterances")}),
    "a map": ("map.json", BOTH),
    "a map in YAML": ("map.yml", "book:\n- a table for two\n- book a table\nleave:\n- good bye\n"),
    "a map of objects": ("map.json", {label: {"examples": texts} for label, texts in BOTH.items()}),
    "a list of tags": (
        "intents.json",
        {"intents": [{"tag": "none", "patterns": []}, *each("tag", "patterns", context=[""])]},
    ),
    "Dialogflow CX": ("cx.json", {"intents": each("displayName", "trainingPhrases", parts)}),
    "Dialogflow CX with resource names": (
        "cx.json",
        {"intents": each("displayName", "trainingPhrases", parts, name="projects/p/locations/l/agents/a/intents/1")},
    ),
    "names with display names": (
        "intents.json",
        {
            "intents": [
                {"name": "book", "display_name": "Book a table", "utterances": ["a table for two", "book a table"]},
                {"name": "leave", "displayName": "Say good bye", "utterances": ["good bye"]},
            ]
        },
    ),
    "pairs": ("pairs.json", [["a table for two", "book"], ["book a table", "book"], ["good bye", "leave"]]),
    "pairs the other way round": (
        "pairs.json",
        {"data": [["book", "a table for two"], ["book", "book a table"], ["leave", "good bye"]]},
    ),
    "rows": (
        "rows.json",
        {
            "features": [{"name": "text"}, {"name": "label", "type": {"names": ["book", "leave"]}}],
            "rows": [
                {"row": {"text": "a table for two", "label": 0}},
                {"row": {"text": "book a table", "label": 0}},
                {"row": {"text": "good bye", "label": 1}},
            ],
        },
    ),
    "columns": (
        "columns.json",
        {"text": ["a table for two", "book a table", "good bye"], "intent": ["book", "book", "leave"]},
    ),
    "columns of pandas": (
        "pandas.json",
        {
            "text": {"0": "a table for two", "1": "book a table", "2": "good bye"},
            "label": {"0": "book", "1": "book", "2": "leave"},
        },
    ),
    "a split table of pandas": (
        "split.json",
        {
            "columns": ["text", "label"],
            "index": [0, 1, 2],
            "data": [["a table for two", "book"], ["book a table", "book"], ["good bye", "leave"]],
        },
    ),
    "wit.ai, older": (
        "expressions.json",
        {
            "data": [
                {"text": text, "entities": [{"entity": "n", "value": "2"}, {"entity": "intent", "value": f'"{label}"'}]}
                for text, label in TEXTS
            ]
        },
    ),
    "wit.ai, newer": (
        "utterances-1.json",
        {"utterances": [{"text": text, "intent": label, "entities": [], "traits": []} for text, label in TEXTS]},
    ),
    "wit.ai, entities by name": (
        "log.jsonl",
        "\n".join(json.dumps({"text": text, "entities": {"intent": [{"value": label}]}}) for text, label in TEXTS),
    ),
    "LUIS": (
        "app.json",
        {
            "luis_schema_version": "7.0.0",
            "name": "x",
            "intents": [{"name": "book"}],
            "utterances": [{"text": text, "intent": label, "entities": []} for text, label in TEXTS],
        },
    ),
    "Genesys": (
        "flow.json",
        {
            "intents": [
                {
                    "name": label,
                    "utterances": [
                        {
                            "source": "User",
                            "segments": [{"text": text[:5]}, {"text": text[5:], "entity": {"name": "x"}}],
                        }
                        for text in texts
                    ],
                }
                for label, texts in BOTH.items()
            ]
        },
    ),
    "Cognigy": (
        "intents.json",
        [{"intentName": label, "exampleSentences": list(texts)} for label, texts in BOTH.items()],
    ),
    "Kore.ai": (
        "bot.json",
        {"utterances": [{"utterance": text, "taskName": label, "type": "DialogIntent"} for text, label in TEXTS]},
    ),
    "Prodigy": (
        "ann.jsonl",
        "".join(json.dumps({"text": text, "label": label, "answer": "accept"}) + "\n" for text, label in TEXTS),
    ),
    "Prodigy's choices": (
        "ann.json",
        [{"text": text, "options": [{"id": label}], "accept": [label], "answer": "accept"} for text, label in TEXTS],
    ),
    "spaCy": ("train.jsonl", "".join(json.dumps({"text": x, "cats": {y: 1, "z": 0.1}}) + "\n" for x, y in TEXTS)),
    "Label Studio": (
        "project.json",
        [
            {"data": {"text": text}, "annotations": [{"result": [{"value": {"choices": [label]}}]}]}
            for text, label in TEXTS
        ],
    ),
    "padded table": ("x.csv", "text | intent\n" + "".join(f"{text} | {label}\n" for text, label in TEXTS)),
    "padded labels": ("x.csv", "text,intent\n" + "".join(f"{text}, {label}\n" for text, label in TEXTS)),
    "headings of one word": ("x.csv", "intentName,Question\n" + "".join(f"{y},{x}\n" for x, y in TEXTS)),
    "headings with zero-width spaces": (
        "x.csv",
        "\u200btext,intent\u200b\n" + "".join(f"{text},{label}\n" for text, label in TEXTS),
    ),
    "all in curly quotes": ("x.csv", "“text”,“intent”\n" + "".join(f"“{text}”,“{label}”\n" for text, label in TEXTS)),
    "headings in curly quotes": ("x.csv", "“text”;„intent“\n" + "".join(f"{text};{label}\n" for text, label in TEXTS)),
    "Watson's CSV": ("x.csv", "a table for two,book\nbook a table,book\ngood bye,leave\n"),
    "labels before texts": ("x.tsv", "book\ta table for two\nbook\tbook a table\nleave\tgood bye\n"),
    "JSON Lines with commas": ("x.jsonl", "".join(f"{json.dumps({'text': x, 'label': y})},\n" for x, y in TEXTS)),
    "Watson's list": ("intents.json", each("intent", "examples", bare)),
    "Bot Framework": ("x.lu", "# book\n- a table for {@n={m=two}}\n- book a table\n@ ml n\n- x\n# leave\n* good bye\n"),
    "labels of fastText behind": ("x.txt", "".join(f"{text} __label__{label}\n" for text, label in TEXTS)),
    "fastText": ("x.txt", "__label__book a table for two\n__label__book book a table\n__label__leave good bye\n"),
    "Rasa in Markdown": (
        "nlu.md",
        (
            "## intent:book\n- a table for [two](n)\n* book a table\n<!-- - not this\n-->\n## synonym:two\n- 2\n\n"
            "## intent: leave\n+ good bye\n## lookup:city\n cities.txt\n"
        ),
    ),
}
"""The same texts and labels in each format."""


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


@pytest.mark.parametrize("what", ALIKE)
def test_that_each_text_comes_in_under_its_label(tmp_path: Path, what: str) -> None:
    kind, items, problems = held(put(tmp_path, *ALIKE[what]))
    assert (kind, problems) == ("memories", [])
    assert items == [Memory((text,), intent=label) for label, texts in BOTH.items() for text in texts]


@pytest.mark.parametrize("what", ALIKE)
def test_that_it_comes_in_as_a_case_as_well(tmp_path: Path, what: str) -> None:
    _, lines = read_file(put(tmp_path, *ALIKE[what]), "cases", "intent")
    cases = [Case(text, (label,), Task.INTENT) for label, texts in BOTH.items() for text in texts]
    assert [line.value for line in lines if isinstance(line, Line)] == cases


def test_that_every_format_has_a_sample() -> None:
    assert set(FORMATS) - {"zip", "yaml", "lines"} == set(SAMPLES)


class TestRasa:
    def test_that_a_line_loses_its_dash_alone_and_others_are_named(self, tmp_path: Path) -> None:
        text = (
            "nlu:\n- intent: pay\n  examples: |\n    - by card - not cash\n    -at once\n\n    # - later\n    * now\n"
        )
        _, items, problems = held(put(tmp_path, "x.yml", text + "    - - twice\n      - deeper\n"))
        assert items == [Memory((text,), intent="pay") for text in ("by card - not cash", "at once", "- twice")]
        assert [problem.rpartition(": ")[2] for problem in problems] == ["“# - later”.", "“* now”.", "“- deeper”."]

    @pytest.mark.parametrize(
        ("written", "bare"),
        [
            ('seat [12A][{"entity": "seat"}] please', "seat 12A please"),
            ('seat [12A][{"entity": "seat"}, {"entity": "row", "value": "12"}]', "seat 12A"),
            ("[two [big](size) tables](n) now", "two big tables now"),
            ('from [here]{"entity": "place", "role": "from"}', "from here"),
            ("ask [me] about (this)", "ask [me] about (this)"),
        ],
    )
    def test_that_markup_is_taken_off(self, tmp_path: Path, written: str, bare: str) -> None:
        for name, text in (
            ("x.yml", f"nlu:\n- intent: a\n  examples: |\n    - {written}\n"),
            ("x.yml", f"nlu:\n- intent: a\n  examples:\n  - text: |\n      {written}\n"),
            ("x.md", f"## intent:a\n- {written}\n"),
        ):
            assert held(put(tmp_path, name, text))[1] == [Memory((bare,), intent="a")]

    def test_that_a_bare_null_is_a_word(self, tmp_path: Path) -> None:
        text = "nlu:\n- intent: a\n  examples:\n  - null\n  - Null\n  - ~\n  - none\n"
        _, items, problems = held(put(tmp_path, "x.yml", text))
        assert items == [Memory((word,), intent="a") for word in ("null", "Null", "none")]
        assert len(problems) == 1
        routes = "routes:\n- name: a\n  utterances: [null, no]\n"
        assert held(put(tmp_path, "x.yaml", routes))[1] == [Memory((word,), intent="a") for word in ("null", "no")]

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            (
                "test_stories.yml",
                (
                    "stories:\n- story: a\n  steps:\n  - user: |\n      fly to [Rome](city)\n    intent: fly\n"
                    "  - action: utter\n  - or:\n    - user: bye\n      intent: leave\n  - user: /stop\n    intent: x\n"
                ),
            ),
            (
                "rules.yml",
                (
                    "rules:\n- rule: a\n  steps:\n  - intent: x\n  - user: fly to Rome\n    intent: fly\n"
                    "- rule: b\n  steps:\n  - user: bye\n    intent: leave\n  - user: what\n"
                ),
            ),
            ("tests.md", "## a\n* fly: fly to [Rome](city)\n  - utter\n\n## b\n* leave: bye\n* stop: /stop\n"),
        ],
    )
    def test_that_test_stories_are_cases(self, tmp_path: Path, name: str, text: str) -> None:
        kind, items, problems = held(put(tmp_path, name, text))
        assert kind == "cases"
        assert items == [Case("fly to Rome", ("fly",), Task.INTENT), Case("bye", ("leave",), Task.INTENT)]
        assert len(problems) == 1

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("intents:\n- a\n- b:\n    use_entities: []\nresponses:\n  utter_a: []\n", "Rasa domain"),
            ("stories:\n- story: a\n  steps:\n  - intent: a\n  - action: b\n", "without what people say"),
        ],
    )
    def test_that_other_files_are_told(self, tmp_path: Path, text: str, words: str) -> None:
        with pytest.raises(FormatError, match=words) as refused:
            held(put(tmp_path, "x.yml", text))
        assert "nlu.yml" in str(refused.value)


class TestDialogflow:
    def test_that_phrases_are_called_after_their_file(self, tmp_path: Path) -> None:
        phrases = '[{"data": [{"text": "a table "}, {"text": "for two", "alias": "n"}], "isTemplate": false}]'
        for name in ("book.table_usersays_en.json", "book.table_usersays_pt-BR.json", "book.table.json"):
            assert held(put(tmp_path, name, phrases))[1] == [Memory(("a table for two",), intent="book.table")]
        older = '{"name": "book", "userSays": [{"data": [{"text": "a table "}, {"text": "for two"}]}], "responses": []}'
        assert held(put(tmp_path, "x.json", older))[1] == [Memory(("a table for two",), intent="book")]

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (
                '{"id": "1", "name": "book", "auto": true, "responses": [{"messages": [{"speech": ["Sure!"]}]}]}',
                "book_usersays_en",
            ),
            ('{"name": "book", "auto": true, "priority": 5, "responses": [], "events": []}', "book_usersays_en"),
            ('{"id": "1", "name": "n", "isOverridable": true, "isEnum": false}', "an entity of Dialogflow"),
            ('[{"value": "two", "synonyms": ["2", "a pair"]}]', "an entity of Dialogflow"),
            ('{"description": "", "language": "en", "supportedLanguages": []}', "settings of a Dialogflow agent"),
        ],
    )
    def test_that_other_files_are_told(self, tmp_path: Path, text: str, words: str) -> None:
        for indent in (None, 1):
            with pytest.raises(FormatError, match=words) as refused:
                held(put(tmp_path, "book.json", json.dumps(json.loads(text), indent=indent)))
            assert "ZIP" in str(refused.value)


class TestArchives:
    FILES: ClassVar = {
        "agent.json": '{"language": "en", "supportedLanguages": ["de"]}',
        "intents/book.json": '{"name": "book", "responses": [{"messages": []}]}',
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

    def test_that_an_agent_comes_in_as_one_file(self, tmp_path: Path) -> None:
        kind, items, problems = held(self.packed(tmp_path, self.FILES))
        assert (kind, items) == ("memories", [Memory(("a table",), intent="book")])
        assert problems == ["What is said in “de” is left out: of several languages one is taken."]

    def test_that_phrases_of_cx_have_the_label_of_their_folder(self, tmp_path: Path) -> None:
        files = {"agent.json": '{"displayName": "A", "defaultLanguageCode": "en"}'}
        for place, text in (("book/trainingPhrases/de", "ein Tisch"), ("book/trainingPhrases/en", "a table")):
            files[f"intents/{place}.json"] = json.dumps({"trainingPhrases": [{"parts": [{"text": text}]}]})
        _, items, problems = held(self.packed(tmp_path, files))
        assert items == [Memory(("a table",), intent="book")]
        assert problems == ["What is said in “de” is left out: of several languages one is taken."]

    def test_that_a_bad_file_in_it_costs_only_itself(self, tmp_path: Path) -> None:
        files = {"bad.json": "{", "utterances/u-1.json": '{"utterances": [{"text": "bye", "intent": "leave"}]}'}
        _, items, problems = held(self.packed(tmp_path, files))
        assert items == [Memory(("bye",), intent="leave")]
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

    def test_that_one_without_intents_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="No file of the archive holds intents"):
            held(self.packed(tmp_path, {"a.json": "[]", "b.txt": "x"}))

    def test_that_a_bomb_is_not_unpacked(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("app.adapters.formats.agents.MAX_WHOLE_BYTES", 1_000)
        with pytest.raises(FormatError, match="so much is not read"):
            held(self.packed(tmp_path, {"a_usersays_en.json": " " * 2_000}))
        monkeypatch.setattr("app.adapters.formats.agents.MOST_FILES", 3)
        with pytest.raises(FormatError, match="more than 3 files"):
            held(self.packed(tmp_path, {f"{n}.json": "[]" for n in range(4)}))


class TestBotpress:
    def test_that_one_language_is_taken_and_markup_off(self, tmp_path: Path) -> None:
        intent = {"name": "book", "utterances": {"en": ["for [two](n)"], "fr": ["pour deux"]}, "slots": []}
        for document in (intent, [intent], {"intents": [intent]}):
            _, items, problems = held(put(tmp_path, "x.json", json.dumps(document)))
            assert items == [Memory(("for two",), intent="book")]
            assert ["“fr”" in problem for problem in problems] == [True]

    def test_that_all_intents_are_in_the_language_of_the_first(self, tmp_path: Path) -> None:
        intents = [
            {"name": "book", "utterances": {"en": ["for two"], "de": []}},
            {"name": "leave", "utterances": {"en": [], "de": ["tschau"]}},
        ]
        _, items, problems = held(put(tmp_path, "x.json", intents))
        assert items == [Memory(("for two",), intent="book")]
        assert ["“de”" in problem for problem in problems] == [True]

    def test_that_questions_share_their_answer(self, tmp_path: Path) -> None:
        data = {"questions": {"en": ["when", "opening hours"]}, "answers": {"en": ["At 9.", "Nine."]}, "enabled": False}
        _, items, _ = held(put(tmp_path, "x.json", json.dumps({"qnas": [{"id": "hours", "data": data}]})))
        assert items == [Memory(("when", "opening hours"), "At 9.", "hours", paused=True)]


class TestTemplates:
    @pytest.mark.parametrize(
        ("template", "sentences"),
        [
            ("turn on [the] {name}", ("turn on the {name}", "turn on {name}")),
            ("(switch|turn) it on", ("switch it on", "turn it on")),
            ("(please|) order", ("please order", "order")),
            (
                "light[s] (on|off [now])",
                ("lights on", "lights off now", "lights off", "light on", "light off now", "light off"),
            ),
            ("<start> it", ("begin it", "start it")),
            ("<turn_on> it", ("turn on it",)),
            ("say \\(this\\)", ("say (this)",)),
            ("an (open group", ("an (open group",)),
            ("a stray ) mark", ("a stray ) mark",)),
            ("", ()),
        ],
    )
    def test_that_they_are_written_out(self, template: str, sentences: tuple[str, ...]) -> None:
        assert written_out(template, {"start": "(begin|start)"}) == sentences

    def test_that_none_becomes_too_many_or_too_deep(self) -> None:
        assert len(written_out("(a|b)" * 40)) == MOST
        assert written_out("(" * 5_000) == ("(" * 5_000,)
        assert written_out("<a> x", {"a": "[b] <a>"}) == ("<a> x",)

    def test_that_rhasspy_s_marks_are_no_words(self, tmp_path: Path) -> None:
        text = "[Lamp]\nrooms = (kitchen | hall){room}\nturn on:1 [the] <rooms> lamp\n\n[Other]\nlike <Lamp.rooms>\n"
        _, items, _ = held(put(tmp_path, "x.ini", text))
        assert items == [
            Memory(
                ("turn on the kitchen lamp", "turn on the hall lamp", "turn on kitchen lamp", "turn on hall lamp"),
                intent="Lamp",
            ),
            Memory(("like kitchen", "like hall"), intent="Other"),
        ]
        with pytest.raises(FormatError, match="Sentences of Rhasspy were expected"):
            held(put(tmp_path, "x.ini", "[core]\nname = x\n"))

    def test_that_home_assistant_s_shared_file_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="lists and rules, but no sentences"):
            held(put(tmp_path, "_common.yaml", "language: en\nexpansion_rules:\n  a: b\n"))


def test_that_a_file_that_names_no_label_gives_its_own(tmp_path: Path) -> None:
    text = '{"description": "", "phrases": {"en": ["why was I charged"]}, "type": "action"}'
    assert held(put(tmp_path, "billing.json", text))[1] == [Memory(("why was I charged",), intent="billing")]


def test_that_a_heading_of_any_level_ends_an_intent(tmp_path: Path) -> None:
    text = "## intent:book\n- a table\n# Intent: leave\n- good bye\n### notes\n- not this\n"
    assert held(put(tmp_path, "nlu.md", text))[1] == [
        Memory(("a table",), intent="book"),
        Memory(("good bye",), intent="leave"),
    ]


def test_that_the_name_of_a_list_is_no_label(tmp_path: Path) -> None:
    assert held(put(tmp_path, "billing.json", {"utterances": ["why was I charged"]}))[1] == [
        Memory(("why was I charged",), intent="billing")
    ]


def test_that_a_conversation_is_a_text_and_its_response(tmp_path: Path) -> None:
    text = "categories: [greetings]\nconversations:\n- - Hello\n  - Hi\n- - How are you\n  - Fine\n"
    assert held(put(tmp_path, "greetings.yml", text))[1] == [Memory(("Hello",), "Hi"), Memory(("How are you",), "Fine")]


def test_that_what_an_annotator_rejected_is_not_taught(tmp_path: Path) -> None:
    rows = [{"text": f"text {answer}", "label": "x", "answer": answer} for answer in ("accept", "reject", "ignore")]
    _, items, problems = held(put(tmp_path, "ann.json", rows))
    assert items == [Memory(("text accept",), intent="x")]
    assert [problem[:30] for problem in problems] == [
        "Its annotator chose “reject”, ",
        "Its annotator chose “ignore”, ",
    ]


QUIZ = {"question": "capital of France", "answer": "Paris"}

NO_ANNOTATOR: dict[str, tuple[dict[str, Any], Memory]] = {
    "choices of a quiz": ({**QUIZ, "choices": ["Paris", "Rome"]}, Memory((QUIZ["question"],), "Paris")),
    "a choice of a quiz": ({**QUIZ, "choice": "Rome"}, Memory((QUIZ["question"],), "Paris")),
    "options of a quiz": (
        {**QUIZ, "options": ["Paris", "Rome"], "accept": ["Paris"]},
        Memory((QUIZ["question"],), "Paris"),
    ),
    "an answer that is a decision elsewhere": (
        {"question": "what about spam", "category": "mail", "answer": "reject"},
        Memory(("what about spam",), "reject", "mail"),
    ),
    "real cats": ({"text": "my cats", "cats": {"Tom": 1, "Kitty": 1}, "response": "r"}, Memory(("my cats",), "r")),
    "ages of cats": ({"text": "my cats", "cats": {"Tom": 12, "Kitty": 3}}, Memory(("my cats",))),
    "a choice that was made": (
        {"text": "which database", "choice": "postgres", "response": "r"},
        Memory(("which database",), "r"),
    ),
    "a note": (
        {"text": "reset a password", "annotation": "see page 3", "response": "r"},
        Memory(("reset a password",), "r"),
    ),
    "a choice alone": ({"text": "which database", "choice": "postgres"}, Memory(("which database",))),
}


@pytest.mark.parametrize("name", NO_ANNOTATOR)
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_that_names_of_annotators_mean_nothing_without_their_marks(tmp_path: Path, name: str, ending: str) -> None:
    record, expected = NO_ANNOTATOR[name]
    other = {"text": "bye", "response": "Good bye"}
    text = json.dumps([record, other]) if ending == "json" else f"{json.dumps(record)}\n{json.dumps(other)}\n"
    _, items, problems = held(put(tmp_path, f"x.{ending}", text))
    assert (items, problems) == ([expected, Memory(("bye",), "Good bye")], [])


def test_that_the_field_of_an_annotators_label_is_told(tmp_path: Path) -> None:
    rows = {
        "choice": {"text": "a table", "choice": "book", "annotator": 1},
        "cats": {"text": "a table", "cats": {"book": 1, "leave": 0}},
        "accept": {"text": "a table", "accept": ["book"], "_task_hash": 7, "answer": "accept"},
    }
    for name, row in rows.items():
        (line,) = read_file(put(tmp_path, "x.json", [row]), "auto", None)[1]
        assert isinstance(line, Line)
        assert line.value.intent == "book"
        assert (name, "intent") in line.fields


@pytest.mark.parametrize("words", [("how-to", "Troubleshoot"), ("explain", "debug"), ("where", "general")])
def test_that_a_type_in_any_accepted_writing_makes_a_case(tmp_path: Path, words: tuple[str, str]) -> None:
    rows = [{"text": f"text {word}", "intent": "x", "type": word} for word in words]
    _, items, problems = held(put(tmp_path, "x.json", rows))
    assert [item.task for item in items if isinstance(item, Case)] == [Task.TYPE, Task.TYPE]
    assert problems == []


def test_that_a_longer_conversation_is_left_out_and_named(tmp_path: Path) -> None:
    value = {"conversations": [["hi", "hello", "how are you"], ["who is it", "me"]]}
    _, items, problems = held(put(tmp_path, "x.json", value))
    assert items == [Memory(("who is it",), "me")]
    assert problems == ["A conversation of 3 texts is left out: a memory takes 2, a text and its response in [ ]."]


def test_that_repeated_words_of_questions_are_labels(tmp_path: Path) -> None:
    pairs = [["how do I pay", "billing"], ["refund please", "billing"], ["hi", "greet"], ["hello", "greet"]]
    expected = [Memory((text,), intent=label) for text, label in pairs]
    for name in ("qa", "faq", "conversations"):
        assert held(put(tmp_path, "x.json", {name: pairs}))[1] == expected
    assert held(put(tmp_path, "x.json", {"qa": [pair[::-1] for pair in pairs]}))[1] == expected


@pytest.mark.parametrize(
    "more", [{"response": "Hello", "tags": ["x"]}, {"responses": ["Hello"]}, {"id": "7"}, {"usage": 4}]
)
def test_that_a_memory_with_a_name_keeps_its_fields(tmp_path: Path, more: dict[str, Any]) -> None:
    tags = tuple(more.get("tags", ()))
    response = "Hello" if more.keys() & {"response", "responses"} else ""
    expected = Memory(("hi", "hey"), response, "greet", tags=tags, id=more.get("id"), usage=more.get("usage", 0))
    for name in ("name", "tag", "intent"):
        assert held(put(tmp_path, "x.json", [{name: "greet", "phrases": ["hi", "hey"], **more}]))[1] == [expected]


def test_that_one_memory_with_its_own_fields_makes_a_list_of_memories(tmp_path: Path) -> None:
    plain, dated = {"name": "bye", "phrases": ["bye"]}, {"name": "greet", "phrases": ["hi"], "id": "7", "usage": 4}
    expected = [Memory(("bye",), intent="bye"), Memory(("hi",), intent="greet", id="7", usage=4)]
    assert held(put(tmp_path, "x.json", [plain, dated]))[1] == expected
    assert held(put(tmp_path, "x.json", [dated, plain]))[1] == expected[::-1]


def test_that_several_responses_go_before_another_output(tmp_path: Path) -> None:
    value = {"intents": [{"tag": "greet", "patterns": ["hi"], "responses": ["Hello"], "output": "x"}]}
    assert held(put(tmp_path, "x.json", value))[1] == [Memory(("hi",), "Hello", "greet")]


def test_that_a_route_keeps_its_response_and_tags(tmp_path: Path) -> None:
    value = {"intents": [{"name": "greet", "samples": ["hi"], "response": "Hello", "tags": ["x"]}]}
    for written in (value, value["intents"]):
        assert held(put(tmp_path, "x.json", written))[1] == [Memory(("hi",), "Hello", "greet", tags=("x",))]


def test_that_a_project_of_luis_with_bare_intents_is_no_domain_of_rasa(tmp_path: Path) -> None:
    rows = [{"text": text, "intent": label, "entities": []} for text, label in TEXTS]
    document = {"intents": [{"name": label} for label in BOTH], "entities": [], "utterances": rows}
    assert held(put(tmp_path, "luis.json", document))[1] == [Memory((text,), intent=label) for text, label in TEXTS]


def test_that_sentences_that_are_not_for_training_are_not_taught(tmp_path: Path) -> None:
    rows = [{"text": str(is_taught), "intent": "x", "training": is_taught} for is_taught in (True, False)]
    _, items, problems = held(put(tmp_path, "corpus.json", {"sentences": rows}))
    assert (items, len(problems)) == ([Memory(("True",), intent="x")], 1)


@pytest.mark.parametrize("part", ["dataset", "split", "partition"])
@pytest.mark.parametrize("name", ["x.jsonl", "x.csv"])
def test_that_rows_of_parts_to_test_with_are_not_taught(tmp_path: Path, name: str, part: str) -> None:
    rows = [("a", "train"), ("b", "test"), ("c", "Validation"), ("d", "dev")]
    lines = [json.dumps({"text": text, "label": "x", part: where}) for text, where in rows]
    if name == "x.csv":
        lines = [f"text,label,{part}", *(f"{text},x,{where}" for text, where in rows)]
    _, items, problems = held(put(tmp_path, name, "\n".join(lines)))
    assert (items, len(problems)) == ([Memory(("a",), intent="x")], 3)
    assert all(f"to test with (“{part}”)" in problem for problem in problems)


def test_that_an_utterance_without_a_label_makes_no_route_of_the_others(tmp_path: Path) -> None:
    rows = [{"text": "hm", "entities": []}, {"text": "fly", "intent": "flight", "entities": []}]
    for order in (rows, rows[::-1]):
        _, items, problems = held(put(tmp_path, "utterances-1.json", {"utterances": order}))
        assert (items, problems) == ([Memory((str(row["text"]),), intent=row.get("intent")) for row in order], [])  # type: ignore[arg-type]


def test_that_a_heading_of_dialogflow_cx_names_the_label(tmp_path: Path) -> None:
    file = put(tmp_path, "cx.csv", "Intent Display Name,Language,Phrase\nbook,en,a table\n")
    assert held(file)[1] == [Memory(("a table",), intent="book")]


@pytest.mark.parametrize("missing", csv_columns.MISSING)
def test_that_a_missing_value_is_no_label_but_may_be_a_text(tmp_path: Path, missing: str) -> None:
    file = put(tmp_path, "x.csv", f"text,label,response\n{missing},{missing},{missing}\n")
    assert held(file)[1] == [Memory((missing,))]
    said = Memory((missing,), missing, missing)
    with file.open("wb") as stream:
        csv_tables.write(stream, [said])
    assert [replace(memory, id=None) for memory in held(file)[1] if isinstance(memory, Memory)] == [said]


@pytest.mark.parametrize("part", ["dataset", "split", "subset", "set", "ml_use"])
def test_that_texts_to_test_with_of_one_project_are_not_taught(tmp_path: Path, part: str) -> None:
    rows = [{"text": name, "intent": "x", part: name} for name in ("Train", "Test")]
    _, items, problems = held(put(tmp_path, "clu.json", {"assets": {"utterances": rows}}))
    assert items == [Memory(("Train",), intent="x")]
    assert "a text to test with" in problems[0]
    _, items, problems = held(put(tmp_path, "x.csv", f"text,label,{part}\nTrain,x,train\nTest,x,TEST\n"), "cases")
    assert items == [Case("Test", ("x",), Task.INTENT)]
    assert "a text to teach" in problems[0]


@pytest.mark.parametrize("names", [{"labels": ["x", "y"]}, {"id2label": {"0": "x", "1": "y"}}, {"intents": ["x", "y"]}])
def test_that_numbered_labels_get_the_names_beside_them(tmp_path: Path, names: dict[str, object]) -> None:
    rows = [{"text": "a b", "label": 1}, {"text": "c d", "label": 0}]
    assert held(put(tmp_path, "x.json", {**names, "data": rows}))[1] == [
        Memory(("a b",), intent="y"), Memory(("c d",), intent="x"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["expected_intent", "true_label", "gold_label", "y_true"])
def test_that_a_right_label_makes_a_case_and_goes_before_another(tmp_path: Path, name: str) -> None:
    for more in ({}, {"intent": "other"}):
        record = {"text": "a b", **more, name: "x"}
        table = put(tmp_path, "x.csv", f"{','.join(record)}\n{','.join(record.values())}\n")
        for file in (table, put(tmp_path, "x.jsonl", json.dumps(record))):
            assert held(file)[:2] == ("cases", [Case("a b", ("x",), Task.INTENT)])


def test_that_thresholds_of_either_name_are_kept(tmp_path: Path) -> None:
    for name in ("score_threshold", "confidence_threshold"):
        text = json.dumps({"routes": [{"name": "a", "utterances": ["b"], name: 0.35}]})
        assert held(put(tmp_path, "x.json", text))[1] == [Memory(("b",), intent="a", tags=("score_threshold=0.35",))]


def test_that_a_threshold_of_the_other_name_may_be_null(tmp_path: Path) -> None:
    route = {"name": "a", "utterances": ["b"], "score_threshold": None, "confidence_threshold": 0.5}
    assert held(put(tmp_path, "x.json", [route]))[1] == [Memory(("b",), intent="a", tags=("score_threshold=0.5",))]


@pytest.mark.parametrize(
    "document",
    [
        {"interactionModel": {"languageModel": {"intents": [{"name": "AMAZON.StopIntent", "samples": []}]}}},
        {"intents": [{"tag": "none", "patterns": [], "responses": ["Sorry?"]}]},
        {"name": "book", "contexts": ["global"], "utterances": {"en": []}},
    ],
)
def test_that_intents_of_which_nothing_is_said_are_told(tmp_path: Path, document: object) -> None:
    with pytest.raises(FormatError, match="nothing that people say for them"):
        held(put(tmp_path, "x.json", document))


def test_that_columns_of_different_lengths_are_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="not of one length: “text” 2, “label” 1"):
        held(put(tmp_path, "x.json", {"text": ["a b", "c d"], "label": ["x"]}))


def test_that_long_columns_are_told_by_their_beginning(tmp_path: Path) -> None:
    document = {"text": [f"say {n}" for n in range(8_000)], "label": ["x"] * 8_000}
    kind, items, problems = held(put(tmp_path, "x.json", document))
    assert (kind, len(items), problems) == ("memories", 8_000, [])


PAIRS = {"train": [["a b", "x"]], "val": [["c d", "x"], ["e f", "x"]], "contest": [["g h", "y"]]}
RECORDS = {name: [dict(zip(("text", "intent"), pair, strict=True)) for pair in pairs] for name, pairs in PAIRS.items()}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(PAIRS, id="pairs"),
        pytest.param(RECORDS, id="records"),
        pytest.param({"data": RECORDS}, id="below another name"),
        pytest.param({name: {"rows": rows} for name, rows in RECORDS.items()}, id="each in an object"),
        pytest.param({**RECORDS, "label_names": ["z"]}, id="names of labels"),
        pytest.param(
            {"version": 2, "trainSet": RECORDS["train"] + RECORDS["contest"], "devSet": RECORDS["val"]}, id="camel"
        ),
    ],
)
def test_that_parts_to_test_with_are_cases_and_never_taught(tmp_path: Path, document: object) -> None:
    file = put(tmp_path, "x.json", document)
    kind, items, problems = held(file)
    assert (kind, items) == ("memories", [Memory(("a b",), intent="x"), Memory(("g h",), intent="y")])
    assert len(problems) == 1
    assert "2 texts to test with is left out" in problems[0]
    assert "--kind cases --task intent" in problems[0]
    _, lines = read_file(file, "cases", Task.INTENT)
    found = [*lines]
    assert [one.value for one in found if isinstance(one, Line)] == [
        Case("c d", ("x",), Task.INTENT), Case("e f", ("x",), Task.INTENT),
    ]  # fmt: skip
    assert all("to teach is left out" in one.sentence for one in found if isinstance(one, Problem))


def test_that_lists_of_one_sort_are_all_read(tmp_path: Path) -> None:
    for names in (("first", "latest"), ("test", "dev")):
        rows = dict(zip(names, ([{"text": "a b", "intent": "x"}], [{"text": "c d", "intent": "y"}]), strict=True))
        _, items, problems = held(put(tmp_path, "x.json", rows))
        assert (items, problems) == ([Memory(("a b",), intent="x"), Memory(("c d",), intent="y")], [])


TESTS = "test oos_test testset testSet Held-Out heldout validation evaluation TEST testing dev eval_data data.test"
OTHERS = "contest valuation values latest devices train value"


@pytest.mark.parametrize(
    ("name", "is_one"),
    [*((name, True) for name in TESTS.split()), *((name, False) for name in OTHERS.split()), ("", False)],
)
def test_that_a_part_to_test_with_is_known_by_a_word_of_its_name(name: str, is_one: bool) -> None:
    assert is_test(name) is is_one


def test_that_questions_of_the_bot_framework_are_told(tmp_path: Path) -> None:
    _, items, problems = held(put(tmp_path, "x.lu", "# ? Why?\n- why so\n# book\n- a table\n"))
    assert (items, len(problems)) == ([Memory(("a table",), intent="book")], 1)


def test_that_bold_questions_below_headings_are_no_stories(tmp_path: Path) -> None:
    text = "# FAQ\n## Q: Where?\nA: Here.\n## Hours\n**Q: When?**\nA: At 9.\n- note\n* **NB**: late\n"
    here, when = Memory(("Where?",), "Here."), Memory(("When?",), "At 9.\n- note\n* **NB**: late")
    assert held(put(tmp_path, "x.md", text))[1] == [here, when]


def test_that_several_labels_of_fasttext_are_cases(tmp_path: Path) -> None:
    file = put(tmp_path, "x.txt", "__label__a __label__b say it\n__label__a go\n")
    kind, items, _ = held(file)
    assert kind == "cases"
    assert items == [Case("say it", ("a", "b"), Task.INTENT), Case("go", ("a",), Task.INTENT)]
    assert "has 2 labels" in held(file, "memories")[2][0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tsconfig.json", '{"include": ["src"], "exclude": ["node_modules"]}'),
        ("compose.yml", "services:\n  web:\n    image: nginx\n"),
        ("pairs.json", '[["a", "b"], ["c", "d"]]'),
        ("matrix.json", "[[1, 2], [3, 4]]"),
        ("geo.json", '{"columns": ["x", "y"], "data": [[1, 2]]}'),
        ("notes.md", "# Title\n\n- one\n- two\n"),
        ("words.json", '{"stop": ["the", "of"], "go": ["on"]}'),
    ],
)
def test_that_other_files_are_not_taken_for_intents(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(FormatError, match="is unclear"):
        held(put(tmp_path, name, text))


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
