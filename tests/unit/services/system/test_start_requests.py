"""Tests of requests from other processes, which are checked first."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.system.start_requests import LONGEST_QUERY, MOST_FILES, StartRequest, parse_start_request

DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


def test_that_a_start_survives_its_document() -> None:
    start = StartRequest("why", (Path("/tmp/a b.csv"), Path("/x/\udcff.csv")), "token-1")
    assert parse_start_request(start.document()) == start
    assert parse_start_request(StartRequest().document()) == StartRequest()


def test_that_a_relative_file_is_handed_over_by_its_whole_path() -> None:
    (file,) = parse_start_request(StartRequest(files=(Path("some.csv"),)).document()).files
    assert file == Path.cwd() / "some.csv"


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {"query": 3},
        {"query": "a" * (LONGEST_QUERY + 1)},
        {"files": "/a"},
        {"files": ["/a"] * (MOST_FILES + 1)},
        {"files": ["a.csv"]},
        {"files": ["/a\0b"]},
        {"files": ["/" + "a" * 5000]},
        {"files": [""]},
        {"files": [3]},
        {"activation": "a\nb"},
        {"activation": "ä"},
        {"activation": "a" * 600},
        {"activation": None},
    ],
    ids=range(15),
)
def test_that_what_is_no_start_is_refused(document: object) -> None:
    with pytest.raises(ValueError, match=r" (is|are|has|gives) "):
        parse_start_request(document)


@given(DOCUMENTS, DOCUMENTS, DOCUMENTS)
def test_that_any_document_is_a_start_or_refused(query: object, files: object, activation: object) -> None:
    document = {"query": query, "files": files, "activation": activation}
    try:
        start = parse_start_request(document)
    except ValueError:
        return
    assert start.query is None or isinstance(start.query, str)
    assert all(path.is_absolute() for path in start.files)
