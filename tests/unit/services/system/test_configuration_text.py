"""Tests of values set in a text, with everything around them unchanged."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.system.configuration_text import (
    UnreadableConfigurationError,
    json_tree,
    with_json_value,
    with_toml_table,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=4)
LAYOUTS = st.sampled_from([None, 1, 2, "\t"])


@given(VALUES, LAYOUTS)
def test_that_json_is_read_as_json(value: Any, layout: Any) -> None:
    assert json_tree(json.dumps(value, indent=layout)).value == value


@given(OBJECTS, LAYOUTS, st.text(max_size=4), st.text(max_size=4), VALUES)
def test_that_a_value_that_is_set_is_there_and_nothing_else_changed(
    document: dict[str, Any], layout: Any, outer: str, inner: str, value: Any
) -> None:
    expected = copy.deepcopy(document)
    if not isinstance(expected.get(outer, {}), dict):
        with pytest.raises(UnreadableConfigurationError):
            with_json_value(json.dumps(document), (outer, inner), value)
        return
    expected.setdefault(outer, {})[inner] = value
    assert json.loads(with_json_value(json.dumps(document, indent=layout), (outer, inner), value)) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ("// mine\n", '// mine\n{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ('{"x": 2}', '{"x": 2, "a": {"b": 1}}'),
        ('{\n    "x": 2, // two\n}', '{\n    "x": 2, // two\n    "a": {\n        "b": 1\n    },\n}'),
        ('{\n  "x": 2 /* two */ // 2\n}', '{\n  "x": 2, /* two */ // 2\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"x": 2 // two\n}', '{"x": 2, "a": {"b": 1} // two\n}'),
        ('{\n  "a": {}\n}', '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"a": {"b": 0, /* none */ "b": 5}}', '{"a": {"b": 0, /* none */ "b": 1}}'),
        ('\ufeff{\r\n  "x": 2\r\n}', '\ufeff{\r\n  "x": 2,\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}'),
    ],
)
def test_that_the_text_keeps_its_look(before: str, after: str) -> None:
    assert with_json_value(before, ("a", "b"), 1) == after


def test_that_a_list_on_one_line_stays_on_one() -> None:
    assert with_json_value('{\n  "a": ["x"]\n}', ("a",), ["y", "z"]) == '{\n  "a": ["y", "z"]\n}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('[t]\na = "old" # note\nb = 1\n', '[t]\na = "new" # note\nb = 1\n'),
        ('[t]\r\na = "o#d"\t# a # b\r\n', '[t]\r\na = "new"\t# a # b\r\n'),
        ("[t]\na = [ # one\n  1,\n] # end", '[t]\na = "new" # end\n'),
        ('[t]\na = "o#d"\n', '[t]\na = "new"\n'),
    ],
)
def test_that_the_comment_behind_a_tables_value_stays(before: str, after: str) -> None:
    assert with_toml_table(before, ["t"], {"a": "new"}) == after


def test_that_depth_without_end_is_refused() -> None:
    with pytest.raises(UnreadableConfigurationError):
        json_tree("[" * 100_000)
