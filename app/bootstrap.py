"""Composition root: the one place where concrete classes are chosen and joined."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app import files
from app.adapters.datastores.table import DATA_STORES, shared_answers
from app.adapters.encoders.learned_files import CalibrationFile, FitFile, RefitFile
from app.adapters.encoders.model_folders import ProgramInstaller
from app.adapters.encoders.table import ENCODERS
from app.adapters.encoders.vector_cache import VectorCache
from app.adapters.formats import json_lines
from app.adapters.formats.csv_tables import ColumnMappings, detect_kind, head_of
from app.adapters.formats.csv_tables import read as read_csv
from app.adapters.formats.query_logs import read_log
from app.adapters.formats.records import FileKind
from app.adapters.formats.toml_tables import TomlPacks, read_packs
from app.adapters.library_folder import SyncStateFiles, TomlFolders
from app.adapters.machine import now_ms, release_memory, resident_bytes
from app.adapters.profile import SettingsFiles, encoders_folder, profile_folder, profiles_list, sources_of
from app.adapters.secrets import KeyringSecrets
from app.adapters.store import opening, ownership, restoring
from app.adapters.store.connections import library_identity
from app.adapters.store.faults import tried_writing
from app.adapters.store.library import SqlLibrary
from app.adapters.store.opening import FILE
from app.adapters.store.team.open_library import (
    dry_run,
    open_candidate_search,
    open_library,
    open_to_read,
    open_to_show,
)
from app.display.documents import stored_document
from app.domain.case import Task, TaughtExample
from app.domain.errors import FormatError
from app.domain.library import Joined, Line, Membership, MoveProgress, Problem, TeamChange
from app.ports.datastore import CandidateSearch, SearchStatus
from app.ports.encoder import Embedder, TokenCounter
from app.ports.llm import LlmConnection
from app.ports.power import PowerRunner
from app.ports.store import Library
from app.services.engine.adapters import Adapters, TableHead
from app.services.engine.metrics import EngineMetrics
from app.services.engine.typing_priority import TypingPriority
from app.services.workbench import Workbench
from app.settings.model import Choices, layer
from app.settings.sections import EncoderSettings, LlmSettings

if TYPE_CHECKING:
    # Modules for assistants and file formats are imported only when they are used.
    from app.adapters.formats.table import Writer
    from app.domain.outside import RestoreCandidate
    from app.surfaces.http_server import Endpoint
    from app.surfaces.mcp.assistant_workbench import AssistantWorkbench

RESOURCES = Path(__file__).parent.parent / "resources"
SEEDED = (FileKind.MEMORIES, FileKind.POWERS)
"""Kinds of items in the small library that ships with the program."""


# The commands take the whole module as their Program: these calls need nothing but another name.
settings_sources = sources_of
engine_folder = profile_folder
read_queries = read_log
library_folders = TomlFolders


def _place(choices: Choices) -> tuple[Path, KeyringSecrets]:
    """Return the folder of the profile, and its secrets."""
    folder = profile_folder(choices)
    return folder, KeyringSecrets(folder)


def make_workbench(choices: Choices, reading: Callable[[str], object] | None = None) -> Workbench:
    """Make a workbench on the profile, not yet opened.

    A read-only caller passes `reading`: it is called if nothing can be written, and then nothing is stored. Raises
    SettingsError if settings are refused.
    """
    files = SettingsFiles(choices)
    adapters = _adapters(choices, files)
    if reading is not None:
        to_read = partial(open_to_read, *_place(choices), adapters.typing_priority.yield_to_typing, reading)
        adapters = replace(adapters, open_library=to_read)
    return Workbench(adapters, files.read_strictly())


def make_assistant_workbench(choices: Choices) -> AssistantWorkbench:
    """Make a workbench with everything that assistants use.

    Raises SettingsError for refused settings.
    """
    from app.surfaces.mcp.assistant_workbench import AssistantWorkbench

    workbench = make_workbench(choices)
    return AssistantWorkbench(workbench, workbench.gateway, workbench.history.recorder)


def make_endpoint(choices: Choices, host: str, port: int | None, *, anew: bool = False) -> Endpoint:
    """Make the HTTP endpoint for assistants, with the profile's token.

    `port` None is the port of the settings. The token is stored when first made; `anew` makes another. Raises
    SettingsError, StoreError.
    """
    from app.surfaces.http_server import Endpoint, token_in

    folder, secrets = _place(choices)
    SqlLibrary.open(folder, secrets).close()  # creates the profile with permissions for its owner only
    chosen = layer(settings_sources(choices)).values.serve.port if port is None else port
    return Endpoint(host, chosen, token_in(secrets, anew=anew))


def make_forgiving_workbench(choices: Choices) -> Workbench:
    """Make a workbench for a window; it opens despite refused settings or a read-only library.

    Refused settings are left out; the status names both problems.
    """
    files = SettingsFiles(choices)
    adapters = _adapters(choices, files)
    to_show = partial(open_to_show, *_place(choices), adapters.typing_priority.yield_to_typing)
    adapters = replace(adapters, open_library=to_show)
    return Workbench(adapters, files.read())


def make_token_counter() -> TokenCounter:
    """Load the tokenizer that ships with the program; raises EncoderError if that fails."""
    # Imported only where injections are shown or token costs are counted.
    from app.adapters.encoders.minilm import WordPieceCounter

    return WordPieceCounter.load()


def load_encoder(settings: EncoderSettings) -> Embedder:
    """Load the encoder named in the settings; raises EncoderError if that fails."""
    return ENCODERS[settings.name].load(settings)


def _adapters(choices: Choices, files: SettingsFiles) -> Adapters:
    folder, typing_priority = profile_folder(choices), TypingPriority()
    return Adapters(
        profile=folder.name,
        open_library=lambda: open_library(folder, KeyringSecrets(folder), typing_priority.yield_to_typing),
        typing_priority=typing_priority,
        settings_file=files,
        encoders=ENCODERS,
        now_ms=now_ms,
        make_llm=_make_llm,
        serve_metrics=_serve_metrics,
        installer=ProgramInstaller(),
        resident_bytes=resident_bytes,
        try_writing=lambda: tried_writing(folder / FILE),
        release_memory=release_memory,
        make_token_counter=make_token_counter,
        shipped_rules=lambda: read_packs(RESOURCES / "rules"),
        route_examples=partial(shipped_examples, Task.ROUTE),
        data_stores=DATA_STORES,
        candidate_search=partial(_candidate_search, folder),
        shared_answers=shared_answers,
        library_identity=partial(library_identity, folder / FILE),
        secrets=KeyringSecrets(folder),
        type_examples=partial(shipped_examples, Task.TYPE),
        stored_models={
            task: (FitFile(folder / name), FitFile(RESOURCES / "datasets" / name))
            for task, (_, name) in LESSONS.items()
        },
        vector_cache=VectorCache(folder / "cache"),
        kept_calibration=CalibrationFile(folder / "calibration.json"),
        stored_fit=FitFile(folder / "learned.npz"),
        refit_log=RefitFile(folder / "refits.json"),
        shipped_fits=(FitFile(RESOURCES / "encoders" / "intentscope-minilm" / "background.npz"),),
        shared_background=_shared_background,
        background=_background,
        packs=TomlPacks(),
        read_file=read_file,
        read_table=read_table,
        mappings=ColumnMappings(folder / "columns.json"),
        folders=TomlFolders(SyncStateFiles(folder / "folders")),
        synced=SyncStateFiles(folder / "folders"),
        write_file=write_file,
        trace_document=stored_document,
        read_log=read_log,
        make_power_runner=_make_power_runner,
        seed={
            kind.value: partial(json_lines.read, RESOURCES / "seed" / f"{kind}.jsonl", kind)
            for kind in (*SEEDED, FileKind.CASES)
        },
    )


def _make_llm(settings: LlmSettings) -> LlmConnection:
    # The client and its HTTP library are imported only if a server is configured.
    from app.adapters.llm import OllamaClient

    return OllamaClient(settings)


def _candidate_search(folder: Path, library: Library) -> CandidateSearch | None:
    return open_candidate_search(library, KeyringSecrets(folder)) if isinstance(library, SqlLibrary) else None


def _make_power_runner() -> PowerRunner:
    # The MCP client and its libraries are imported only when a power is started.
    from app.adapters.mcp.runner import McpRunner

    return McpRunner()


def _shared_background(encoder: str) -> FitFile:
    """Return the shared file of an encoder's background fit, beside the downloaded encoders.

    The file is named by a hash, since names of encoders are not always valid file names.
    """
    name = hashlib.sha256(encoder.encode("utf-8", "replace")).hexdigest()[:16]
    return FitFile(encoders_folder() / f"background-{name}.npz")


def _background() -> tuple[str, ...]:
    return tuple((RESOURCES / "datasets" / "background.txt").read_text("utf-8").splitlines())


LESSONS = {Task.ROUTE: ("routes.jsonl", "routes.npz"), Task.TYPE: ("types.jsonl", "types.npz")}
"""Shipped examples, and the file name of their fit, which a profile uses, too."""


@cache
def shipped_examples(task: Task) -> list[TaughtExample]:
    """Read the shipped queries that train a voter, once; a test checks that all lines are valid."""
    lines = json_lines.read(RESOURCES / "datasets" / LESSONS[task][0], FileKind.CASES, task)
    return [TaughtExample(line.value.text, line.value.expected, True) for line in lines if isinstance(line, Line)]


def _serve_metrics(metrics: EngineMetrics, port: int) -> Callable[[], None]:
    from app.adapters.metrics import serve_metrics

    return serve_metrics(metrics, port)


def read_file(
    path: Path, kind: str, task: str | None, format_name: str = "auto", columns: Mapping[str, str] | None = None
) -> tuple[str, Iterator[Line[Any] | Problem]]:
    """Return the kind of a file's lines (detected for "auto") and the lines; raises FormatError.

    `columns` maps the headings of a table, or the names in records, to fields.
    """
    from app.adapters.formats.syntax.text import refuse_empty
    from app.adapters.formats.table import format_of

    if not path.is_dir():
        refuse_empty(path)
    format_ = format_of(path, format_name, None if kind == "auto" else FileKind(kind))
    case_task = None if task is None else Task(task)
    if not columns:
        known = format_.detect_kind(path) if kind == "auto" else FileKind(kind)
        return known.value, format_.read(path, known, case_task)
    if format_.read_columns is None:
        raise FormatError(f"No columns are read in {format_.title}; only in CSV, JSON, JSON Lines and YAML.")
    detect = partial(detect_kind, columns=columns) if format_.read is read_csv else format_.detect_kind
    known = detect(path) if kind == "auto" else FileKind(kind)
    return known.value, format_.read_columns(path, known, case_task, columns)


def read_table(path: Path) -> TableHead | None:
    """Read the headings and first rows of a table; None for other files; raises FormatError."""
    from app.adapters.formats.table import format_of

    return head_of(path) if format_of(path).read is read_csv else None


def write_file(path: Path, things: Iterable[Any]) -> int:
    """Write items to a file in the format of its ending, atomically; return their number.

    Raises FormatError for a format that can only be read, OSError if writing fails. Only the owner may read the file,
    since powers may name secrets.
    """
    write = writer_to(path)
    with files.replacing(path, mode=files.PRIVATE) as stream:
        return write(stream, things)


@contextmanager
def dry_run_library(choices: Choices) -> Iterator[Library]:
    """Open a copy of the profile's library as it is after opening, for a dry run.

    Raises StoreError.
    """
    with dry_run(*_place(choices)) as library:
        stored = {rule.id for rule in library.rules()}
        library.add("rules", [rule for rule in read_packs(RESOURCES / "rules") if rule.id not in stored])
        yield library


def kept_copies(choices: Choices) -> Sequence[Path]:
    """List the backups of the library, newest first."""
    return restoring.backups_of(profile_folder(choices))


def remove_abandoned(choices: Choices) -> Sequence[Path]:
    """Remove leftovers of killed programs from the profile and the temporary files; return them."""
    return [*ownership.remove_abandoned(profile_folder(choices)), *ownership.remove_from_system()]


def back_up(choices: Choices, target: Path | None) -> Path:
    """Copy the library to the target (default: into the profile); return the file.

    Raises StoreError.
    """
    return restoring.back_up(profile_folder(choices), target)


def restore_candidate(choices: Choices, source: Path) -> AbstractContextManager[RestoreCandidate]:
    """Open a backup to be checked and then put in the library's place. Raises StoreError."""
    from app.adapters.store.restoring import candidate  # checks values, which is rarely needed

    return candidate(profile_folder(choices), source)


def take_notices(choices: Choices) -> list[str]:
    """Return the notices to be shown once, and delete them."""
    return opening.take_notices(profile_folder(choices) / FILE)


def join_team(choices: Choices, address: str, password: str | None, tell: MoveProgress = lambda *_: None) -> Joined:
    """Join the team's library at this address, or move the profile's library there.

    `tell` gets the progress and may raise to cancel. StoreError.
    """
    from app.adapters.store.team.joining import join  # rarely used

    return join(*_place(choices), address, password, tell)


def leave_team(choices: Choices, *, offline: bool, tell: MoveProgress = lambda *_: None) -> Membership:
    """Leave the team and keep the library's items; return the former membership.

    Raises StoreError.
    """
    from app.adapters.store.team.joining import leave  # rarely used

    return leave(*_place(choices), offline=offline, tell=tell)


def profile_of_team(choices: Choices, address: str) -> tuple[Path, bool]:
    """Return the profile for the team's library at this address, and whether it has joined.

    The profile is the named one, otherwise one that has joined, otherwise a new one beside the usual profile. Raises
    StoreError.
    """
    from app.adapters.store.team.joining import profile_for  # rarely used

    return profile_for(choices.profile, profiles_list().parent, address)


def team_of(choices: Choices) -> tuple[Membership | None, str]:
    """Return the team library that the profile is a copy of, and why it is behind.

    Raises StoreError.
    """
    from app.adapters.store.team.joining import status  # rarely used

    return status(*_place(choices))


def log_of_team(choices: Choices, most: int) -> Sequence[TeamChange]:
    """Return the newest changes in the log of the team's server, newest first.

    Raises StoreError.
    """
    from app.adapters.store.team.joining import newest_changes  # rarely used

    return newest_changes(*_place(choices), most)


def index_team(choices: Choices, tell: Callable[[int, int], object]) -> SearchStatus:
    """Fill the search index of the team's server; return its status.

    Raises StoreError, EncoderError, SettingsError.
    """
    from app.adapters.store.team.bulk_load import fill_search  # rarely used

    folder, secrets = _place(choices)
    with closing(open_library(folder, secrets)) as library:
        settings = layer(settings_sources(choices), here=library.setting_values()).values
        return fill_search(library, secrets, load_encoder(settings.encoder), tell)


def search_of_team(choices: Choices) -> SearchStatus | None:
    """Return the status of the search index on the team's server; None without one.

    Raises StoreError.
    """
    folder, secrets = _place(choices)
    with closing(open_library(folder, secrets)) as library:
        search = open_candidate_search(library, secrets)
        if search is None:
            return None
        with closing(search):
            return search.status()


def keep_team_password(choices: Choices, password: str) -> None:
    """Store the password of the team's server. Raises StoreError."""
    from app.adapters.store.team.joining import keep_password  # rarely used

    keep_password(*_place(choices), password)


def seed_files() -> list[tuple[str, Iterator[Line[Any] | Problem]]]:
    """Read the files of the library that ships with the program, like `read_file`."""
    return [read_file(RESOURCES / "seed" / f"{kind}.jsonl", kind.value, None) for kind in SEEDED]


def writer_to(path: Path | None, format_name: str | None = None) -> Writer:
    """Return the writer of the named format, or of the file's ending; of JSON Lines without either.

    Raises FormatError if read-only.
    """
    from app.adapters.formats.table import format_to_write

    write = format_to_write(path or Path(), format_name).write
    assert write is not None, "only what can be written is given"
    return write
