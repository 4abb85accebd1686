"""Tests of small functions of every package: inputs beside their reviewed results."""

import io
import json
import unicodedata
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from app.adapters.datastores.relay import places
from app.adapters.folder_files import plain_name
from app.adapters.formats.csv_columns import cell_of, record_of_row
from app.adapters.formats.mcp_servers import registry_transport_of
from app.adapters.formats.query_logs import read_log
from app.adapters.formats.voice_assistants import written_out
from app.adapters.mcp.child import resolved_transport
from app.detect.merge import Ceiling, merge
from app.detect.prompts import ROUTES, answer_from_json
from app.display.evaluation.sweep import parse_values
from app.display.library.memories import edited_memory, with_triggers
from app.display.library.rules import RuleDraft
from app.display.powers.tools import read_form, read_words
from app.display.scope.why_not import parse_expectation
from app.display.system.settings import setting_sections
from app.display.words import visible
from app.domain.case import Task
from app.domain.errors import KnownError
from app.domain.intent import DetectionSource, IntentType, SearchIntent
from app.domain.library import Line, Memory, Transport
from app.domain.llm import LlmAnswer, LlmOutcome, same_model
from app.domain.route import route_label
from app.domain.route_alerts import RouteCounts, alerts
from app.evaluation.distribution import unreachable
from app.evaluation.documents import gate, parse_gate
from app.evaluation.evaluation import judged
from app.ports.llm import LlmUnreadableError
from app.scoring.columns.bm25 import lacking_words
from app.scoring.name_filter import fuzzy_filter
from app.scoring.text import words
from app.services.library.import_export import evaluation_word
from app.services.system.checkup import newer
from app.services.system.start_requests import parse_start_request
from app.settings.model import Settings
from app.settings.sections import SearchIntentSettings
from app.surfaces.hook.budget import early_ms, pairs_in
from app.surfaces.hook.context import prompt_of
from app.surfaces.hook.engine_client import is_hook, is_hook_command, is_query_command
from app.surfaces.mcp.power_tools import bounded
from tests.build import some
from tests.golden import answered
from tests.unit.display.library.test_rules import A
from tests.unit.display.powers.test_running import TestForm
from tests.unit.display.scope.test_why_not import BUILDS
from tests.unit.evaluation.test_comparison import turning
from tests.unit.evaluation.test_evaluation import FOUR
from tests.unit.scoring.test_texts import NAMES, TAUGHT, spelling

GOLDEN = Path(__file__).with_name("tables.txt")
"""Inputs with reviewed results; `GOLDEN.write_text(read(), "utf-8")` writes the results again."""
MEMORY = Memory(
    ("one", "two"), "answer", "label", "context", ("a",), key=7, version=3, valid_from="2020-01-01 00:00:00"
)
ROWS = {row.key: row for section in setting_sections(Settings(), {}) for row in section.rows}
SPELLING = spelling(*TAUGHT)
FOUR_INTENTS = judged(Task.INTENT, "balanced", FOUR, Settings())
CHANGE = turning(3, 1, 1)
TOOL = some(TestForm.ROWS)


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
    changed = edited_memory(MEMORY, field, text)
    names = [one.name for one in fields(changed)]
    return {name: getattr(changed, name) for name in names if getattr(changed, name) != getattr(MEMORY, name)}


def cell(column: str, text: str) -> Any:
    """Return the list in a cell, which reads the same once it is written."""
    found = record_of_row([column], [text])
    assert record_of_row([column], [cell_of(found[column])]) == found
    return found[column]


def route_reply(reply: str) -> str:
    try:
        answer = answer_from_json(reply, "prompt", ROUTES)
    except LlmUnreadableError as unreadable:
        return f"refused: {unreadable}"
    return f"{answer.name} {answer.confidence:g} {answer.mode}"


def transport_of(parts: dict[str, Any]) -> Transport:
    return resolved_transport(Transport(**{**parts, "args": tuple(parts.get("args", ()))}), {"HOME": "/home/me"})


def draft_faults(field: str, text: str) -> object:
    draft = replace(RuleDraft.of(A, A), **{field: text})  # type: ignore[arg-type]
    draft.rule()
    return draft.faults()


def queries(text: str) -> list[str]:
    """Return the queries of a log, each in one line; a file of the same text has the same."""
    found = list(read_log(io.BytesIO(text.encode()), "auto"))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "log"
        file.write_text(text, "utf-8", newline="")
        assert list(read_log(file)) == found
    return [json.dumps(one.value) if isinstance(one, Line) else one.sentence for one in found]


def alarms(counts: dict[str, Any]) -> list[str]:
    whole: dict[str, Any] = {
        name: frozenset(value) if isinstance(value, list) else value for name, value in counts.items()
    }
    return [alert.sentence for alert in alerts(RouteCounts(**whole))]


def merged(parts: dict[str, Any]) -> object:
    """Merge a how-to by keywords and a troubleshoot by the LLM, each with confidence and topics."""
    values = SearchIntentSettings.model_validate(
        {name: value for name, value in parts.items() if name not in ("floor", "llm", "outcome")}
    )
    by_keywords, llm = None, None
    if "floor" in parts:
        confidence, topics = parts["floor"]
        by_keywords = SearchIntent(IntentType.HOWTO, confidence, DetectionSource.KEYWORD, ("how to",), tuple(topics))
    if "llm" in parts:
        confidence, topics = parts["llm"]
        llm = LlmAnswer(IntentType.TROUBLESHOOT, confidence, "json", tuple(topics))
    return merge(by_keywords, Ceiling(LlmOutcome(parts.get("outcome", "answered")), llm), values).intent


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
    "templates of sentences": lambda template: [written_out(template, {"start": "(begin|start)"})],
    "lists in cells": of_json(cell),
    "replies on routes": route_reply,
    "places to fill in": of_json(transport_of, spread=False),
    "gates on metrics": lambda condition: gate(FOUR_INTENTS, condition),
    "gates on a change": lambda condition: gate(CHANGE.before, condition, CHANGE),
    "conditions": lambda condition: of_json(parse_gate)(json.dumps(condition)),
    "expectations": of_json(lambda typed, kind: parse_expectation(typed, BUILDS, kind)),
    "drafts of a rule": of_json(draft_faults),
    "fields of a form": of_json(lambda name, text: read_form(TOOL, {"text": "x", name: text})[1]),
    "arguments of a tool": of_json(lambda typed: read_words(TOOL, typed), spread=False),
    "logs of queries": queries,
    "alarms of routes": of_json(alarms, spread=False),
    "tiers that no query ends in": lambda values: [unreachable(Settings.model_validate_json(values))],
    "merges of keywords and LLM": of_json(merged),
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
        ("fields of a form", ["list", "[" * 200_000], "not JSON"),
        ("requests to start a server", {"query": "a" * 100_001}, "too long"),
        ("requests to start a server", {"files": ["/a"] * 1_001}, "too many"),
        ("requests to start a server", {"files": ["/" + "a" * 5_000]}, "no such name"),
    ],
)
def test_that_what_is_too_long_is_refused(section: str, given: object, said: str) -> None:
    assert said in str(FUNCTIONS[section](json.dumps(given)))
