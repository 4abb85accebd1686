"""Tests of records of powers, and of messages on records that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.bootstrap import read_file
from app.domain.errors import FormatError
from app.domain.library import Line, Power

TELLING: dict[str, Any] = {
    "command": "npx",
    "url": "https://example.org/mcp",
    "keywords": ["weather"],
    "tools": ["now"],
    "steering": "Be brief.",
}

NO_POWERS: dict[str, tuple[str, str]] = {
    "a package": ("package.json", '{\n"name": "shop",\n"version": "1.2.0",\n"keywords": ["shop"],\n"scripts": {}\n}'),
    "a package on one line": ("package.json", '{"name": "shop", "version": "1.2.0", "url": "https://example.org"}'),
    "a PHP package": ("composer.json", '{"name": "a/shop", "keywords": ["shop"], "require": {"php": ">=8"}}'),
    "a plugin": ("plugin.json", '[{"name": "shop", "author": {"name": "Ada"}, "keywords": ["shop"]}]'),
    "people": ("people.json", '[{"name": "Ada", "age": 3}, {"name": "Bob", "age": 4}]'),
    "people in lines": ("people.jsonl", '{"name": "Ada", "age": 3}\n{"name": "Bob", "age": 4}\n'),
    "people in YAML": ("people.yaml", "- name: Ada\n  age: 3\n- name: Bob\n"),
    "people in a table": ("people.csv", "name,age\nAda,3\n"),
    "bookmarks": ("marks.csv", "title,url\nShop,https://example.org\n"),
    "a workflow": ("flow.yml", "name: build\non: push\njobs: {}\n"),
    "a recipe": ("recipe.json", '{"name": "soup", "description": "hot", "examples": ["today"]}'),
}


@pytest.mark.parametrize("what", NO_POWERS)
def test_that_a_name_alone_is_no_power_and_what_was_seen_is_told(tmp_path: Path, what: str) -> None:
    name, text = NO_POWERS[what]
    file = tmp_path / name
    file.write_text(text, "utf-8")
    with pytest.raises(FormatError, match="is unclear") as refused:
        list(read_file(file, "auto", None)[1])
    assert "“name”" in str(refused.value) or "“title”" in str(refused.value)
    assert str(refused.value).endswith("name it with --kind.")


@pytest.mark.parametrize("what", NO_POWERS)
def test_that_who_says_powers_gets_them(tmp_path: Path, what: str) -> None:
    name, text = NO_POWERS[what]
    file = tmp_path / name
    file.write_text(text, "utf-8")
    kind, lines = read_file(file, "powers", None)
    assert kind == "powers"
    assert [type(line.value) for line in lines if isinstance(line, Line)][:1] == [Power]


@pytest.mark.parametrize("field", TELLING)
@pytest.mark.parametrize("ending", ["jsonl", "json", "csv"])
def test_that_each_telling_field_makes_one(tmp_path: Path, field: str, ending: str) -> None:
    file = tmp_path / f"weather.{ending}"
    record = {"name": "weather", field: TELLING[field]}
    if ending == "csv":
        cell = TELLING[field] if isinstance(TELLING[field], str) else TELLING[field][0]
        file.write_text(f"name,{field}\nweather,{cell}\n")
    else:
        file.write_text(json.dumps([record] if ending == "json" else record))
    kind, lines = read_file(file, "auto", None)
    assert kind == "powers"
    assert [line.value.name for line in lines if isinstance(line, Line)] == ["weather"]
