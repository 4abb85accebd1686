"""Tests of records: expected tiers, excluded answers, and other programs' field names."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.formats.json_lines import detect_kind, read, write
from app.adapters.formats.mcp_servers import registry_transport_of
from app.adapters.formats.records import READERS, FileKind, RefusedError, case_of, kind_of, record_of
from app.adapters.formats.syntax import text as file_text
from app.adapters.formats.table import format_of
from app.adapters.store.library import SqlLibrary
from app.domain.case import Case, Task
from app.domain.errors import FormatError
from app.domain.filters import CaseFilter
from app.domain.journal import Edit, Item
from app.domain.library import Line, Memory, Power, Problem, Transport
from app.domain.match import Tier
from db import upgrade
from tests.build import of_type
from tests.strategies import STRATEGIES, as_read


@pytest.mark.parametrize("tier", ["high", "", "ACTIVATED"])
def test_that_a_tier_nobody_knows_is_refused_with_those_there_are(tier: str) -> None:
    with pytest.raises(RefusedError, match="is one of activated, multiple_matches, weak_matches, not_found, not"):
        case_of({"text": "q", "expected": ["a"], "tier": tier}, Task.POWER)


def test_that_only_powers_have_tiers_and_these_make_no_other_case() -> None:
    assert case_of({"text": "q", "expected": ["a"], "tier": "gold"}, Task.INTENT).tier is None
    assert Case("q", ("a",), Task.POWER, tier=Tier.ACTIVATED) == Case("q", ("a",), Task.POWER)


# ---- Excluded answers: stored, found, undone, migrated, and written to files.


CASE = Case("turn the keys", ("keys",), Task.INTENT, unwanted=("doors", "locks"))


def test_that_what_is_unwanted_is_kept_found_and_taken_back(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    try:
        library.add("cases", [CASE, Case("other", ("doors",), Task.INTENT)])
        (stored, _) = library.cases()
        assert stored.unwanted == ("doors", "locks")
        assert library.find_cases(CaseFilter("locks")) == [stored.key]
        library.change(Edit("edited"), [replace(stored, unwanted=())])
        assert library.cases()[0].unwanted == ()
        library.undo()
        assert library.cases()[0].unwanted == ("doors", "locks")
        library.redo()
        assert library.cases()[0].unwanted == ()
    finally:
        library.close()


def test_that_a_library_of_before_is_migrated_and_its_steps_can_be_taken_back(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path / "today")
    library.change(Edit("added"), [Case("turn", ("keys",), Task.INTENT)])
    library.change(Edit("edited"), [replace(library.cases()[0], expected=("doors",))])
    library.close()
    before = tmp_path / "before"
    before.mkdir()
    engine = sa.create_engine(f"sqlite:///{before / 'library.db'}")
    with engine.begin() as connection:
        upgrade.upgrade(connection, "0003")
    with engine.connect() as connection:
        connection.exec_driver_sql("ATTACH ? AS today", (str(tmp_path / "today" / "library.db"),))
        for table in ("cases", "steps", "revisions"):
            old = sa.Table(table, sa.MetaData(), autoload_with=connection)
            new = sa.Table(table, sa.MetaData(schema="today"), autoload_with=connection)
            names = old.c.keys()
            connection.execute(old.insert().from_select(names, sa.select(*(new.c[name] for name in names))))
        connection.exec_driver_sql("UPDATE main.revisions SET state = json_remove(state, '$.unwanted')")
        connection.commit()
    engine.dispose()
    library = SqlLibrary.open(before)
    try:
        assert library.cases()[0].unwanted == ()
        library.undo()
        (case,) = library.cases()
        assert (case.expected, case.unwanted) == (("keys",), ())
    finally:
        library.close()


def test_that_a_record_reads_back_as_the_same_case() -> None:
    assert case_of(orjson.loads(orjson.dumps(record_of(CASE)))) == CASE
    assert "unwanted" not in record_of(replace(CASE, unwanted=()))


def test_that_a_record_may_say_only_what_is_unwanted() -> None:
    record = {"text": "turn", "unwanted": "doors", "task": "power"}
    assert kind_of(record) is FileKind.CASES
    assert case_of(record) == Case("turn", (), Task.POWER, unwanted=("doors",))
    assert case_of({"text": "t", "unwanted": ["How-To"]}, Task.TYPE).unwanted == ("howto",)


# ---- Other programs' field names are recognised, so that no label is lost silently.


RAIN = Memory(("will it rain",), intent="weather")


def _held(folder: Path, name: str, content: object, kind: FileKind | None = None, task: Task | None = None) -> Any:
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    form = format_of(file)
    found = list(form.read(file, kind or form.detect_kind(file), task))
    return [one.value for one in found if isinstance(one, Line)], [one for one in found if isinstance(one, Problem)]


@pytest.mark.parametrize("text", ["text", "utterance", "sentence", "query", "question", "phrase", "prompt", "input"])
@pytest.mark.parametrize("label", ["intent", "label", "category", "class", "intent_name", "label_text", "label_name"])
def test_that_a_label_is_found_whatever_it_is_called(tmp_path: Path, text: str, label: str) -> None:
    record = {text: "will it rain", label: "weather"}
    assert _held(tmp_path, "x.jsonl", record) == ([RAIN], [])
    assert _held(tmp_path, "x.json", [record]) == ([RAIN], [])
    assert _held(tmp_path, "x.csv", f"{text},{label}\nwill it rain,weather\n") == ([RAIN], [])
    expected = [Case("will it rain", ("weather",), Task.INTENT)]
    assert _held(tmp_path, "x.jsonl", record, FileKind.CASES, Task.INTENT) == (expected, [])
    if label != "intent" or text == "text":
        table = f"{text},{label}\nwill it rain,weather\n"
        assert _held(tmp_path, "y.csv", table, FileKind.CASES, Task.INTENT) == (expected, [])


def test_that_null_means_that_no_intent_is_expected_and_commas_part_several(tmp_path: Path) -> None:
    wanted = [Case("hi", ("greet",), Task.INTENT), Case("what", (), Task.INTENT)]
    for name in ("expected_intent", "expected"):
        lines = f'{{"text": "hi", "{name}": "greet"}}\n{{"text": "what", "{name}": null}}\n'
        assert _held(tmp_path, "x.jsonl", lines, FileKind.CASES) == (wanted, [])
    cases, problems = _held(tmp_path, "x.csv", 'text,intents\n"a both","b, c"\n"d","e, f; g"\n')
    assert ([case.expected for case in cases], problems) == ([("b", "c"), ("e, f", "g")], [])


def test_that_a_name_of_a_table_goes_before_its_number(tmp_path: Path) -> None:
    assert _held(tmp_path, "x.csv", "text,label,label_text\na,0,x\n") == ([Memory(("a",), intent="x")], [])


def test_that_a_long_description_tells_what_a_power_does_beside_its_summary() -> None:
    record = {"name": "w", "description": "Weather.", "long_description": "Say when it rains. Say how warm it is."}
    told = of_type(READERS[FileKind.POWERS](record, 1, None), Power)
    assert told.triggers == ("w", "Weather.", "Say when it rains. Say how warm it is.")
    assert told.summary == "Weather."


class TestRegistry:
    POWER = Power(
        "io.github.me/weather",
        "Weather forecasts",
        transport=Transport("npx", ("-y", "@me/weather@1.0.0", "serve", "--units", "metric"), {"KEY": ""}),
    )

    def test_that_arguments_of_the_runner_do_not_take_the_place_of_how_it_is_begun(self) -> None:
        mount = {"type": "named", "name": "--network", "value": "none"}
        package = {"registryType": "oci", "identifier": "i/b:3", "runtimeArguments": [mount]}
        args = registry_transport_of({"packages": [package]})["args"]
        assert args == ["run", "-i", "--rm", "--network", "none", "i/b:3"]
        whole = [{"type": "positional", "value": word} for word in ("run", "--init", "-i")]
        package = {"registryType": "oci", "identifier": "i/b:3", "runtimeArguments": whole}
        assert registry_transport_of({"packages": [package]})["args"] == ["run", "--init", "-i", "i/b:3"]
        package = {"registryType": "npm", "identifier": "b", "runtimeArguments": [mount]}
        assert registry_transport_of({"packages": [package]})["args"] == ["-y", "--network", "none", "b"]

    def test_that_what_runs_in_a_container_is_handed_its_variables(self) -> None:
        named = [{"name": "KEY", "isSecret": True}, {"name": "LEVEL"}]
        given = [{"type": "named", "name": "-e", "value": "LEVEL"}]
        package = {"registryType": "oci", "identifier": "i/b:3", "environmentVariables": named}
        told = registry_transport_of({"packages": [package | {"runtimeArguments": given}]})
        assert told["args"] == ["run", "-i", "--rm", "-e", "LEVEL", "-e", "KEY", "i/b:3"]
        assert told["env"] == {"KEY": None, "LEVEL": None}

    @pytest.mark.parametrize("asked", [{"value": "{token}"}, {"isRequired": True}, {"valueHint": "token"}])
    def test_that_an_argument_whose_value_a_person_gives_takes_no_other_for_it(self, asked: dict[str, Any]) -> None:
        arguments = [{"type": "named", "name": "--token", **asked}, {"type": "named", "name": "--quiet"}]
        package = {"registryType": "pypi", "identifier": "b", "packageArguments": arguments}
        assert registry_transport_of({"packages": [package]})["args"] == ["b", "--quiet"]

    def test_that_an_address_is_taken_where_no_package_runs_here(self) -> None:
        packages = [
            {"registryType": "mcpb", "identifier": "https://example.org/x.mcpb"},
            "odd",
            {"registryType": ["a"]},
        ]
        urls = ("https://{tenant}.example", "https://weather.example/mcp")
        remotes = [{"type": "streamable-http", "url": url} for url in urls]
        assert registry_transport_of({"packages": packages, "remotes": remotes})["url"] == urls[1]


def lines(text: str | bytes, kind: FileKind = FileKind.MEMORIES, task: Task | None = None) -> list[Any]:
    return list(read(io.BytesIO(text.encode() if isinstance(text, str) else text), kind, task))


class TestLines:
    def test_that_a_line_without_end_is_passed_over_unread(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file_text, "MAX_LINE_BYTES", 50)
        exactly = b'{"text": "' + b"x" * 38 + b'"}'
        assert len(exactly) == 50
        found = lines(b"\n".join([b'{"text": "a"}', b"y" * 333, exactly, exactly + b" ", b'{"text": "b"}']))
        assert [type(line).__name__ for line in found] == ["Line", "Problem", "Line", "Problem", "Line"]
        assert [line.line for line in found if isinstance(line, Problem)] == [2, 4]

    def test_that_a_file_that_cannot_be_read_is_told(self, tmp_path: Path) -> None:
        for path in (tmp_path / "missing.jsonl", tmp_path):
            with pytest.raises(FormatError, match=str(path)):
                list(read(path, FileKind.MEMORIES))
            with pytest.raises(FormatError, match=str(path)):
                detect_kind(path)


class TestDetection:
    def test_that_a_line_that_cannot_be_read_is_the_reason(self, tmp_path: Path) -> None:
        file = tmp_path / "file.jsonl"
        file.write_text(f'{{"text": "{"a " * 2**23}"}}\n')
        with pytest.raises(FormatError, match="line 1 cannot be read: The line is longer than 16 MB"):
            detect_kind(file)


@given(st.data())
@pytest.mark.parametrize(("kind", "strategy"), STRATEGIES.items())
def test_that_what_is_written_reads_back(
    kind: FileKind, strategy: st.SearchStrategy[Item], data: st.DataObject
) -> None:
    items = data.draw(st.lists(strategy, max_size=4))
    stream = io.BytesIO()
    assert write(stream, items) == len(items)
    assert stream.getvalue().count(b"\n") == len(items)
    found = lines(stream.getvalue(), kind)
    assert [line.value for line in found] == list(map(as_read, items))


@given(
    st.lists(st.binary(max_size=30) | st.text(max_size=30).map(lambda text: text.encode(errors="replace")), max_size=8)
)
def test_that_no_bytes_at_all_do_harm(pieces: list[bytes]) -> None:
    for kind in FileKind:
        try:
            found = lines(b"\n".join(pieces), kind)
        except FormatError:
            continue  # UTF-16
        assert all(isinstance(line, (Line, Problem)) for line in found)


def read_server_list(folder: Path, text: str, name: str = "mcp.json") -> list[Line[Any] | Problem]:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return list(format_of(file).read(file, FileKind.POWERS))


def powers(folder: Path, servers: dict[str, Any]) -> dict[str, Power]:
    found = read_server_list(folder, json.dumps({"mcpServers": servers}))
    return {line.value.name: line.value for line in found if isinstance(line, Line)}


def notes(folder: Path, server: dict[str, Any]) -> str:
    (line,) = read_server_list(folder, json.dumps({"mcpServers": {"it": server}}))
    return of_type(line, Line).note


def test_servers_are_found_far_down_in_a_file_of_settings(tmp_path: Path) -> None:
    settings = {"history": [{"n": n} for n in range(9_000)], "mcpServers": {"clock": {"command": "uvx"}}}
    (line,) = read_server_list(tmp_path, json.dumps(settings), "settings.json")
    assert of_type(line, Line).value == Power("clock", transport=Transport("uvx"))


def test_a_password_in_capitals_after_a_dollar_is_kept_as_one_and_the_note_says_so(tmp_path: Path) -> None:
    server = {"command": "c", "env": {"DB_PASSWORD": "$HUNTER", "PIN": "$DRAGON7", "TWO": "$TWO", "T": "$MY_TOKEN"}}
    power = powers(tmp_path, {"it": server})["it"]
    assert power.transport.env == {"DB_PASSWORD": "$HUNTER", "PIN": "$DRAGON7", "TWO": "", "T": "$MY_TOKEN"}
    assert power.transport.named == {"DB_PASSWORD": "", "PIN": "", "TWO": "", "T": "$MY_TOKEN"}
    told = notes(tmp_path, server)
    assert "DB_PASSWORD and PIN are kept as passwords, although a “$” or “%” is in them: write ${NAME}" in told
    assert "TWO and MY_TOKEN are taken from your own environment" in told
    assert "HUNTER" not in told
    assert "DRAGON" not in told


def test_the_command_of_a_power_may_be_a_list_of_words() -> None:
    for words, command, args in ((["npx", "-y", "clock"], "npx", ("-y", "clock", "--utc")), ([], None, ("--utc",))):
        power = of_type(READERS[FileKind.POWERS]({"name": "c", "command": words, "args": ["--utc"]}, 1, None), Power)
        assert power.transport == Transport(command, args)


def test_curly_quotes_in_toml_are_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="curly quotes"):
        read_server_list(tmp_path, "[mcp_servers.a]\ncommand = “x”\n", "config.toml")
