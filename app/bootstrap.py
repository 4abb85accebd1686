"""The composition root: the one place where concrete classes are chosen and joined."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from app import files
from app.adapters.datastores.table import DATA_STORES, shared_answers
from app.adapters.encoders.installer import ProgramInstaller
from app.adapters.encoders.learned_files import CalibrationFile, FitFile, RefitFile
from app.adapters.encoders.table import ENCODERS
from app.adapters.encoders.vector_cache import VectorCache
from app.adapters.folder.library_folder import SyncStateFiles, TomlFolders
from app.adapters.formats import json_lines
from app.adapters.formats.csv_tables import ColumnMappings, detect_kind, head_of
from app.adapters.formats.query_logs import LOGS, read_log
from app.adapters.formats.records import ItemKind
from app.adapters.formats.rule_packs import TomlPacks, read_packs
from app.adapters.local.machine import SystemClock, release_memory, resident_bytes
from app.adapters.local.profile import SettingsFiles, encoders_folder, profile_folder, profiles_list, sources_of
from app.adapters.local.secrets import KeyringSecrets
from app.adapters.store import backups, leftovers, notices
from app.adapters.store.connections import library_identity
from app.adapters.store.dry_run import dry_run, open_to_read, open_to_show
from app.adapters.store.faults import tried_writing
from app.adapters.store.library import SqlLibrary
from app.adapters.store.opening import FILE
from app.adapters.store.team.open_library import open_candidate_search, open_library
from app.display.documents import stored_document
from app.domain.case import Task, TaughtExample
from app.domain.errors import FormatError
from app.domain.library import Change, Joined, Line, Membership, MoveProgress, Problem
from app.ports.candidates import CandidateSearch, SearchStatus
from app.ports.clock import Clock
from app.ports.encoder import Embedder, TokenCounter
from app.ports.llm import LlmConnection
from app.ports.power import PowerRunner
from app.ports.store import Library
from app.services.engine.adapters import Adapters, TableHead
from app.services.engine.metrics import EngineMetrics
from app.services.engine.typing_priority import TypingPriority
from app.services.workbench import Workbench
from app.settings.model import Choices, SettingsSources, layer
from app.settings.sections import EncoderSettings, LlmSettings

if TYPE_CHECKING:
    # What assistants need is only loaded by those who serve them, the formats of files by those who have one.
    from app.adapters.formats.table import Writer
    from app.domain.outside import RestoreCandidate
    from app.surfaces.http.server import Endpoint
    from app.surfaces.mcp.assistant_workbench import AssistantWorkbench

RESOURCES = Path(__file__).parent.parent / "resources"
SEEDED = (ItemKind.MEMORIES, ItemKind.POWERS)
"""The kinds of which the program ships a small library."""


def settings_sources(choices: Choices, environment: Mapping[str, str] = os.environ) -> SettingsSources:
    """What file, environment and command line say; SettingsError if one of them is refused."""
    return sources_of(choices, environment)


def engine_folder(choices: Choices) -> Path:
    """Where the running engine of the profile is asked."""
    return profile_folder(choices)


def make_workbench(choices: Choices, reading: Callable[[str], object] | None = None) -> Workbench:
    """A workbench on the profile, not yet opened; SettingsError if the settings are refused.

    Who only reads says so by `reading`, which hears it where nothing can be written, and nothing is kept then.
    """
    files = SettingsFiles(choices)
    adapters = _adapters(choices, files)
    if reading is not None:
        folder, typing_priority = profile_folder(choices), adapters.typing_priority
        to_read = partial(open_to_read, folder, KeyringSecrets(folder), typing_priority.yield_to_typing, reading)
        adapters = replace(adapters, open_library=to_read)
    return Workbench(adapters, files.read_strictly())


def make_assistant_workbench(choices: Choices) -> AssistantWorkbench:
    """A workbench with everything that assistants may ask for; SettingsError if the settings are refused."""
    from app.surfaces.mcp.assistant_workbench import AssistantWorkbench

    workbench = make_workbench(choices)
    return AssistantWorkbench(workbench, workbench.gateway, workbench.history)


def make_endpoint(choices: Choices, host: str, port: int | None, *, anew: bool = False) -> Endpoint:
    """Where assistants come in over HTTP, `port` None being the one of the settings, and the profile's token, which is
    kept from the first time on; `anew` makes another. SettingsError, StoreError."""
    from app.surfaces.http.server import Endpoint, token_in

    folder = profile_folder(choices)
    SqlLibrary.open(folder, KeyringSecrets(folder)).close()  # makes the profile, for its owner alone
    chosen = layer(settings_sources(choices)).values.serve.port if port is None else port
    return Endpoint(host, chosen, token_in(KeyringSecrets(folder), anew=anew))


def make_forgiving_workbench(choices: Choices) -> Workbench:
    """A workbench for a window: refused settings are left out, and a library that cannot be written is shown; the
    status says so."""
    files = SettingsFiles(choices)
    said = files.read()
    assert said.sources is not None, "at the start there is nothing else to go on with"
    adapters = _adapters(choices, files)
    folder = profile_folder(choices)
    to_show = partial(open_to_show, folder, KeyringSecrets(folder), adapters.typing_priority.yield_to_typing)
    adapters = replace(adapters, open_library=to_show)
    return Workbench(adapters, said.sources, settings_fault=said.fault, fault_is_outside=said.is_outside)


def make_token_counter() -> TokenCounter:
    """The tokenizer that ships; EncoderError if it cannot be loaded."""
    # Loaded by those who look at what is surfaced, or at what an answer costs.
    from app.adapters.encoders.minilm import WordPieceCounter

    return WordPieceCounter.load()


def load_encoder(settings: EncoderSettings) -> Embedder:
    """The encoder that the settings name; EncoderError if it cannot be loaded."""
    return ENCODERS[settings.name].load(settings)


def make_clock() -> Clock:
    """The system's own."""
    return SystemClock()


def _adapters(choices: Choices, files: SettingsFiles) -> Adapters:
    folder, typing_priority = profile_folder(choices), TypingPriority()
    return Adapters(
        profile=folder.name,
        open_library=lambda: open_library(folder, KeyringSecrets(folder), typing_priority.yield_to_typing),
        typing_priority=typing_priority,
        settings_file=files,
        encoders=ENCODERS,
        clock=SystemClock(),
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
        log_formats={name: row.title for name, row in LOGS.items()},
        seed={
            kind.value: partial(json_lines.read, RESOURCES / "seed" / f"{kind}.jsonl", kind)
            for kind in (*SEEDED, ItemKind.CASES)
        },
    )


def _make_llm(settings: LlmSettings) -> LlmConnection:
    # The client and its HTTP library are only paid for by those who have set up a server.
    from app.adapters.llm import OllamaClient

    return OllamaClient(settings)


def _candidate_search(folder: Path, library: Library) -> CandidateSearch | None:
    return open_candidate_search(library, KeyringSecrets(folder)) if isinstance(library, SqlLibrary) else None


def _make_power_runner() -> PowerRunner:
    # The MCP client and its libraries are only loaded once a power is started.
    from app.adapters.mcp.runner import McpRunner

    return McpRunner()


def _shared_background(encoder: str) -> FitFile:
    """Beside the encoders that were fetched, which take longest; named by a hash, as names of encoders are none of
    files."""
    name = hashlib.sha256(encoder.encode("utf-8", "replace")).hexdigest()[:16]
    return FitFile(encoders_folder() / f"background-{name}.npz")


def _background() -> tuple[str, ...]:
    return tuple((RESOURCES / "datasets" / "background.txt").read_text("utf-8").splitlines())


LESSONS = {Task.ROUTE: ("routes.jsonl", "routes.npz"), Task.TYPE: ("types.jsonl", "types.npz")}
"""The examples that ship, and what was learned of them: the latter under this name in a profile, too."""


def shipped_examples(task: Task) -> list[TaughtExample]:
    """The queries that ship and teach; all lines are good, which a test proves."""
    lines = json_lines.read(RESOURCES / "datasets" / LESSONS[task][0], ItemKind.CASES, task)
    return [TaughtExample(line.value.text, line.value.expected, True) for line in lines if isinstance(line, Line)]


def _serve_metrics(metrics: EngineMetrics, port: int) -> Callable[[], None]:
    from app.adapters.local.metrics import serve_metrics

    return serve_metrics(metrics, port)


def read_file(
    path: Path, kind: str, task: str | None, format_name: str = "auto", columns: Mapping[str, str] | None = None
) -> tuple[str, Iterator[Line[Any] | Problem]]:
    """The kind of a file's lines (told from them for "auto") and the lines; FormatError if it cannot be read.

    `columns` says which heading of a table stands for which column.
    """
    from app.adapters.formats.syntax.text import refuse_empty
    from app.adapters.formats.table import format_of

    if not path.is_dir():
        refuse_empty(path)
    format_ = format_of(path, format_name, None if kind == "auto" else ItemKind(kind))
    case_task = None if task is None else Task(task)
    if not columns:
        known = format_.detect_kind(path) if kind == "auto" else ItemKind(kind)
        return known.value, format_.read(path, known, case_task)
    if format_.read_columns is None:
        raise FormatError(f"{format_.title} have no columns; only CSV does.")
    known = detect_kind(path, columns) if kind == "auto" else ItemKind(kind)
    return known.value, format_.read_columns(path, known, case_task, columns)


def read_queries(log: BinaryIO, format_name: str) -> Iterator[Line[str] | Problem]:
    """The queries of a log or chat, and the lines that hold none though they should; FormatError."""
    return read_log(log, format_name)


def read_table(path: Path) -> TableHead | None:
    """Headings and first rows of a file that is a table; None for any other; FormatError if it cannot be read."""
    from app.adapters.formats.table import format_of

    return head_of(path) if format_of(path).read_columns is not None else None


def write_file(path: Path, things: Iterable[Any]) -> int:
    """Write things to a file in the format of its ending, whole or not at all; how many there were.

    FormatError where such files can only be read, OSError where it cannot be written. Only its owner may read it:
    powers may name secrets.
    """
    write = _writer(path, None)
    with files.replacing(path, mode=files.PRIVATE) as stream:
        return write(stream, things)


@contextmanager
def dry_run_library(choices: Choices) -> Iterator[Library]:
    """A copy of the profile's library as it is after opening, to see what an import would do; StoreError."""
    folder = profile_folder(choices)
    with dry_run(folder, KeyringSecrets(folder)) as library:
        stored = {rule.id for rule in library.rules()}
        library.put_rules([rule for rule in read_packs(RESOURCES / "rules") if rule.id not in stored])
        yield library


def kept_copies(choices: Choices) -> Sequence[Path]:
    """The copies of the library that were asked for, the newest first."""
    return backups.backups_of(profile_folder(choices))


def remove_abandoned(choices: Choices) -> Sequence[Path]:
    """Remove what killed programs left in the profile and among the system's temporary files; what was removed."""
    return [*leftovers.remove_abandoned(profile_folder(choices)), *leftovers.remove_from_system()]


def back_up(choices: Choices, target: Path | None) -> Path:
    """Copy the library, into the profile where no target is named; where it is. StoreError."""
    return backups.back_up(profile_folder(choices), target)


def restore_candidate(choices: Choices, source: Path) -> AbstractContextManager[RestoreCandidate]:
    """The library that a copy comes to, to be looked at and then put in the library's place. StoreError."""
    from app.adapters.store.restoring import candidate  # checks values, which few restore

    return candidate(profile_folder(choices), source)


def take_notices(choices: Choices) -> list[str]:
    """The sentences that a person is to be told once, which are forgotten with that."""
    return notices.taken(profile_folder(choices) / FILE)


def join_team(choices: Choices, address: str, password: str | None, tell: MoveProgress = lambda *_: None) -> Joined:
    """Make the profile's library a copy of the team's at this address, or bring it there; `tell` hears how far it is
    and may raise to break off. StoreError."""
    from app.adapters.store.team.joining import join  # speaks to a server, which few have

    folder = profile_folder(choices)
    return join(folder, KeyringSecrets(folder), address, password, tell)


def leave_team(choices: Choices, *, offline: bool, tell: MoveProgress = lambda *_: None) -> Membership:
    """Take the profile out of its team, with all that is in the library; what it was a copy of. StoreError."""
    from app.adapters.store.team.joining import part  # speaks to a server, which few have

    folder = profile_folder(choices)
    return part(folder, KeyringSecrets(folder), offline=offline, tell=tell)


def profile_of_team(choices: Choices, address: str) -> tuple[Path, bool]:
    """The profile for the team's library at this address, and whether it has joined already: the one that is named,
    else one that has, else a new one beside the usual one. StoreError."""
    from app.adapters.store.team.joining import mirror  # speaks to a server, which few have

    return mirror(choices.profile, profiles_list().parent, address)


def team_of(choices: Choices) -> tuple[Membership | None, str]:
    """The team's library that the profile has a copy of, and why it is behind. StoreError."""
    from app.adapters.store.team.joining import standing  # speaks to a server, which few have

    folder = profile_folder(choices)
    return standing(folder, KeyringSecrets(folder))


def log_of_team(choices: Choices, most: int) -> Sequence[Change]:
    """The newest changes in the log of the team's server, newest first. StoreError."""
    from app.adapters.store.team.joining import logged  # speaks to a server, which few have

    folder = profile_folder(choices)
    return logged(folder, KeyringSecrets(folder), most)


def index_team(choices: Choices, tell: Callable[[int, int], object]) -> SearchStatus:
    """Fill the team's server with what is searched, as it lies here; how that stands then. StoreError, EncoderError,
    SettingsError."""
    from app.adapters.store.team.bulk_load import filled  # speaks to a server, which few have

    folder = profile_folder(choices)
    with closing(open_library(folder, KeyringSecrets(folder))) as library:
        settings = layer(settings_sources(choices), here=library.setting_values()).values
        return filled(library, KeyringSecrets(folder), load_encoder(settings.encoder), tell)


def search_of_team(choices: Choices) -> SearchStatus | None:
    """How what is searched on the team's server stands; None where nothing is. StoreError."""
    folder = profile_folder(choices)
    with closing(open_library(folder, KeyringSecrets(folder))) as library:
        search = open_candidate_search(library, KeyringSecrets(folder))
        if search is None:
            return None
        with closing(search):
            return search.status()


def keep_team_password(choices: Choices, password: str) -> None:
    """Keep the password of the team's server. StoreError."""
    from app.adapters.store.team.joining import keep_password  # speaks to a server, which few have

    folder = profile_folder(choices)
    keep_password(folder, KeyringSecrets(folder), password)


def library_folders() -> TomlFolders:
    """What reads libraries in folders."""
    return TomlFolders()


def seed_files() -> list[tuple[str, Iterator[Line[Any] | Problem]]]:
    """The files of the library that ships with the program, as `read_file` gives them."""
    return [read_file(RESOURCES / "seed" / f"{kind}.jsonl", kind.value, None) for kind in SEEDED]


def _writer(path: Path, format_name: str | None) -> Writer:
    """What writes the format of this name, or of the file's ending; FormatError where it is only read."""
    from app.adapters.formats.table import format_to_write

    write = format_to_write(path, format_name).write
    assert write is not None, "only what can be written is given"
    return write


def writer_to(path: Path | None, format_name: str | None) -> Writer:
    """What writes to an output that may have no name: JSON Lines, if nobody says otherwise."""
    return _writer(path or Path(), format_name)
