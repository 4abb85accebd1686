"""The composition root: the one place where concrete classes are chosen and joined."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from app.adapters import json_lines
from app.adapters.clock import SystemClock
from app.adapters.encoders import ENCODERS
from app.adapters.formats import FORMATS, format_of
from app.adapters.json_records import ItemKind
from app.adapters.process_memory import resident_bytes
from app.adapters.profile_folder import profile_folder, settings_file
from app.adapters.keyring_secrets import KeyringSecrets
from app.adapters.rule_packs import read_packs
from app.adapters.sql_library import SqlLibrary
from app.adapters.supplies import ProgramSupplies
from app.domain.case import Task
from app.ports import Line, LlmConnection, Problem
from app.services.measures import Measures
from app.services.outside import Outside
from app.services.workbench import Workbench
from app.settings import (
    Choices,
    SettingsError,
    SettingsSources,
    from_environment,
    from_file,
    from_lines,
    from_pairs,
    layer,
)
from app.settings_sections import LlmSettings

RESOURCES = Path(__file__).parent.parent / "resources"
SEEDED = (ItemKind.MEMORIES, ItemKind.POWERS)
"""The kinds of which the program ships a small library."""


def settings_sources(choices: Choices, environment: Mapping[str, str] = os.environ) -> SettingsSources:
    """What file, environment and command line say; SettingsError if one of them is refused."""
    file = settings_file(choices)
    found = from_file(file) if choices.settings is not None or file.is_file() else {}
    sources = SettingsSources(found, from_environment(environment), from_pairs(choices.pairs))
    try:
        layer(sources)
    except SettingsError as error:
        raise from_lines(file, error) from error
    return sources


def make_workbench(choices: Choices) -> Workbench:
    """A workbench on the profile, not yet opened; SettingsError if the settings are refused."""
    return Workbench(_outside(choices), settings_sources(choices))


def make_forgiving_workbench(choices: Choices) -> Workbench:
    """The same for a window: refused settings are left out, and the status says so."""
    try:
        return make_workbench(choices)
    except SettingsError as error:
        fault = f"{error} The defaults are used until it is mended."
        return Workbench(_outside(choices), SettingsSources(), settings_fault=fault)


def _outside(choices: Choices) -> Outside:
    return Outside(
        profile=profile_folder(choices).name,
        open_library=lambda: SqlLibrary.open(profile_folder(choices), KeyringSecrets(profile_folder(choices))),
        encoders=ENCODERS,
        clock=SystemClock(),
        make_llm=_make_llm,
        serve_measures=_serve_measures,
        supplies=ProgramSupplies(),
        resident_bytes=resident_bytes,
        shipped_rules=lambda: read_packs(RESOURCES / "rules"),
        seed={kind.value: partial(json_lines.read, RESOURCES / "seed" / f"{kind}.jsonl", kind) for kind in SEEDED},
    )


def _make_llm(settings: LlmSettings) -> LlmConnection:
    # The client and its HTTP library are only paid for by those who have set up a server.
    from app.adapters.ollama_client import OllamaClient

    return OllamaClient(settings)


def _serve_measures(measures: Measures, port: int) -> Callable[[], None]:
    from app.adapters.prometheus_exporter import serve_measures

    return serve_measures(measures, port)


def read_file(path: Path, kind: str, task: str | None) -> tuple[str, Iterator[Line[Any] | Problem]]:
    """The kind of a file's lines (told from them for "auto") and the lines; FormatError if it cannot be read."""
    format_ = format_of(path)
    known = format_.detect_kind(path) if kind == "auto" else ItemKind(kind)
    return known.value, format_.read(path, known, None if task is None else Task(task))


def seed_files() -> list[tuple[str, Iterator[Line[Any] | Problem]]]:
    """The files of the library that ships with the program, as `read_file` gives them."""
    return [read_file(RESOURCES / "seed" / f"{kind}.jsonl", kind.value, None) for kind in SEEDED]


def write_lines(stream: BinaryIO, values: Iterable[Any]) -> int:
    """Write values of any kind as JSON Lines; how many there were."""
    return FORMATS["jsonl"].write(stream, values)
