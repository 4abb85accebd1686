"""Tests of small functions of every package: inputs beside their reviewed results."""

from __future__ import annotations

import io
import json
import unicodedata
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from app.adapters.datastores.relay import places
from app.adapters.folder.files import plain_name
from app.adapters.formats.mcp_servers import registry_transport_of
from app.display.evaluation.sweep import parse_values
from app.display.library.memories import edited_memory, with_triggers
from app.display.system.settings import setting_sections
from app.display.words import visible
from app.domain.errors import KnownError
from app.domain.library import Memory
from app.domain.llm import same_model
from app.domain.route import route_label
from app.scoring.columns.bm25 import lacking_words
from app.scoring.name_filter import fuzzy_filter
from app.scoring.text import words
from app.services.library.import_export import evaluation_word
from app.services.system.checkup import newer
from app.services.system.start_requests import parse_start_request
from app.settings.model import Settings
from app.surfaces.hook.budget import early_ms, pairs_in
from app.surfaces.hook.context import prompt_of
from app.surfaces.hook.engine_client import is_hook, is_hook_command, is_query_command
from app.surfaces.mcp.power_tools import bounded
from tests.golden import answered
from tests.unit.scoring.test_texts import NAMES, TAUGHT, spelling

GOLDEN = Path(__file__).with_name("tables.txt")
"""Inputs with reviewed results; `GOLDEN.write_text(read(), "utf-8")` writes the results again."""
MEMORY = Memory(
    ("one", "two"), "answer", "label", "context", ("a",), key=7, version=3, valid_from="2020-01-01 00:00:00"
)
ROWS = {row.key: row for section in setting_sections(Settings(), {}) for row in section.rows}
SPELLING = spelling(*TAUGHT)


def of_json(work: Callable[..., object], *, spread: bool = True) -> Callable[[str], object]:
    """Return a function of JSON, whose refusals are results; a list is spread over the arguments."""

    def answer(text: str) -> object:
        given = json.loads(text)
        try:
            return work(*given) if spread and isinstance(given, list) else work(given)
        except (KnownError, ValueError) as refused:
            return f"refused: {refused}"

    return answer


def runner(package: dict[str, Any]) -> tuple[object, object]:
    told = registry_transport_of({"packages": [package]})
    return told["command"], told["args"]


def name_of_file(text: str) -> str:
    found = plain_name(text)
    assert plain_name(unicodedata.normalize("NFD", text)) == found
    return found


def edit(field: str, text: str) -> dict[str, object]:
    """Return the fields of a memory that an edit changes."""
    changed = edited_memory(MEMORY, field, text)
    names = [one.name for one in fields(changed)]
    return {name: getattr(changed, name) for name in names if getattr(changed, name) != getattr(MEMORY, name)}


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "servers of an address": of_json(places),
    "names of files": name_of_file,
    "runners of registries": of_json(runner),
    "names of models": of_json(same_model),
    "names of routes": route_label,
    "values of a sweep": of_json(lambda key, text: [parse_values(ROWS[key], text)]),
    "edits of a memory": of_json(edit),
    "triggers of a memory": of_json(lambda triggers: [with_triggers(MEMORY, triggers).triggers], spread=False),
    "words that their own meaning lacks": lambda text: lacking_words(words(text)),
    "names by a few letters": lambda sought: fuzzy_filter(sought, NAMES, str)[0],
    "corrected words": SPELLING.corrected,
    "names of files of cases": evaluation_word,
    "newer versions": of_json(newer),
    "requests to start a server": of_json(parse_start_request, spread=False),
    "words for an engine": of_json(lambda asked: (is_hook(asked), is_query_command(asked)), spread=False),
    "words of a hook": of_json(is_hook_command, spread=False),
    "budgets of a hook": of_json(early_ms),
    "settings among words": of_json(lambda asked: [pairs_in(asked)], spread=False),
    "prompts in parts": lambda prompt: prompt_of(io.BytesIO(f'{{"prompt": {prompt}}}'.encode())),
    "bounded texts": lambda text: repr(bounded(text, 20)),
    "visible texts": visible,
}


def read() -> str:
    return answered(GOLDEN, FUNCTIONS)


def test_that_results_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


@pytest.mark.parametrize(
    ("section", "given", "said"),
    [
        ("edits of a memory", ["label", "x" * 201], "at most 200 characters"),
        ("edits of a memory", ["tags", "x" * 201], "at most 200 characters"),
        ("edits of a memory", ["response", "x" * 100_001], "at most 100,000 characters"),
        ("triggers of a memory", ["x" * 2_001], "at most 2,000 characters"),
        ("requests to start a server", {"query": "a" * 100_001}, "too long"),
        ("requests to start a server", {"files": ["/a"] * 1_001}, "too many"),
        ("requests to start a server", {"files": ["/" + "a" * 5_000]}, "no such name"),
    ],
)
def test_that_what_is_too_long_is_refused(section: str, given: object, said: str) -> None:
    assert said in str(FUNCTIONS[section](json.dumps(given)))
