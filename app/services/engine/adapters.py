"""Adapters of a core, chosen by the composition root."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from app.domain.case import Task, TaughtExample
from app.domain.encoder import EncoderFacts, FetchStep
from app.domain.errors import EncoderError, FormatError
from app.domain.inspection import Inspection
from app.domain.intent import Rule
from app.domain.library import Line, Problem
from app.ports.datastore import CandidateSearch, DataStore
from app.ports.encoder import CalibrationStore, Embedder, FitStore, RefitLog, SharedFitStore, TokenCounter, VectorCache
from app.ports.folder import LibraryFolders, SyncStates
from app.ports.llm import LlmConnection
from app.ports.power import PowerRunner
from app.ports.store import Library, Secrets, SharedAnswerCache
from app.services.engine.metrics import EngineMetrics
from app.services.engine.typing_priority import TypingPriority
from app.settings.model import Settings, SettingsSources
from app.settings.sections import EncoderSettings, LlmSettings, RouteSettings

TraceDocument = Callable[[Inspection, Settings], dict[str, Any]]
"""Makes the trace document of an inspection under settings, stored with a past query (S8.7)."""


StoreSecret = Callable[[str], str | None]
"""Reads the secret of a name; raises StoreError."""


class PackFiles(Protocol):
    """Rule packs as files: reading (raises FormatError) and formatting. Both may block."""

    def read(self, path: Path) -> list[Rule]: ...
    def text(self, name: str, title: str, rules: Iterable[Rule]) -> str: ...


@dataclass(frozen=True, slots=True)
class TableHead:
    """Headings and first rows of a table.

    By kind, as in `--kind`: `fields` are the fields of that kind, and `meant` is the field that each heading names (""
    for none). `kind` is the kind detected from the headings, "" if unknown.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    fields: Mapping[str, tuple[str, ...]]
    meant: Mapping[str, tuple[str, ...]]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """User's mapping of a table's columns: the kind, and the field of each heading ("": none)."""

    kind: str
    columns: Mapping[str, str]


class Mappings(Protocol):
    """Stored column mappings by headings; every call may block."""

    def get(self, headings: tuple[str, ...]) -> ColumnMapping | None: ...
    def put(self, headings: tuple[str, ...], mapped: ColumnMapping) -> None: ...


@dataclass(frozen=True, slots=True)
class SettingsRead:
    """Settings given outside the program; `sources` None keeps those in use.

    `fault` is a sentence on what is refused and used instead; `is_outside` marks a fault on the command line or in the
    environment.
    """

    sources: SettingsSources | None
    fault: str | None = None
    is_outside: bool = False


class SettingsFile(Protocol):
    """Settings file of a profile, with the other sources of the start. Both calls may block."""

    def has_changed(self) -> bool: ...
    def read(self) -> SettingsRead: ...


def _no_tokenizer() -> TokenCounter:
    raise EncoderError("No tokenizer is set up.")


def _nothing_outside(*_: object) -> Any:
    """Null object: reads and writes no file."""
    raise FormatError("No files can be read or written here.")


@dataclass(frozen=True, slots=True)
class Encoder:
    """Kind of encoder: loads (raises EncoderError) or describes it. Both may block."""

    load: Callable[[EncoderSettings], Embedder]
    facts: Callable[[EncoderSettings], EncoderFacts] = lambda _: EncoderFacts()
    give_up: Callable[[EncoderSettings], None] = lambda _: None
    """Cancels loading from another thread; does not block."""


class Installer(Protocol):
    """Downloads sentence-transformers and models step by step; closing cancels.

    Raises KnownError.
    """

    def install(self) -> AsyncGenerator[FetchStep, None]: ...

    def download(self, model: str) -> AsyncGenerator[FetchStep, None]: ...


@dataclass(frozen=True, slots=True)
class Adapters:
    """The adapters of a workbench; each call may block and may raise a KnownError."""

    profile: str
    open_library: Callable[[], Library]
    encoders: Mapping[str, Encoder]
    now_ms: Callable[[], float]
    shipped_rules: Callable[[], list[Rule]]
    make_llm: Callable[[LlmSettings], LlmConnection]
    serve_metrics: Callable[[EngineMetrics, int], Callable[[], None]]
    seed: Mapping[str, Callable[[], Iterable[Line[Any] | Problem]]]
    installer: Installer
    packs: PackFiles
    mappings: Mappings
    """Column mappings of earlier imports, by headings."""
    folders: LibraryFolders
    """Libraries as folders of texts."""
    synced: SyncStates
    """Sync states of library folders, stored in the profile."""
    shared_answers: Callable[[RouteSettings, str | None], SharedAnswerCache]
    """Opens the shared cache of LLM answers, with its password. Raises DataStoreError."""
    secrets: Secrets
    """Store of the passwords of such servers."""
    typing_priority: TypingPriority = field(default_factory=TypingPriority)
    """Tells background work and the library's long writes whether the user is typing."""
    settings_file: SettingsFile | None = None
    """Settings file to follow while the workbench is open; None keeps the settings of the start."""
    resident_bytes: Callable[[], int | None] = lambda: None
    """Resident memory of this process in bytes; None if unknown."""
    release_memory: Callable[[], None] = lambda: None
    """Returns freed memory to the system."""
    make_token_counter: Callable[[], TokenCounter] = _no_tokenizer
    """Makes the token counter for injected text; raises EncoderError if there is none."""
    try_writing: Callable[[], str] = lambda: "nothing is kept on a disk"
    """Test write to the library's disk; returns the free space as text. Raises StoreError."""
    vector_cache: VectorCache | None = None
    """Cache file of an index's vectors; None reads them from the library."""
    kept_calibration: CalibrationStore | None = None
    """Store of the fitted scales of `calibrated`; None refits at each start."""
    stored_fit: SharedFitStore | None = None
    """Store of the profile's fit of `learned`; None makes each process fit its own."""
    refit_log: RefitLog | None = None
    """Log of the changes by refits."""
    shipped_fits: Sequence[FitStore] = ()
    """Read-only stores: vectors of the shipped out-of-scope questions."""
    shared_background: Callable[[str], FitStore] | None = None
    """Opens the store of an encoder's vectors of out-of-scope questions, shared by all profiles."""
    background: Callable[[], Sequence[str]] = tuple
    """Out-of-scope questions, which belong to no library."""
    read_file: Callable[..., tuple[str, Iterable[Line[Any] | Problem]]] = _nothing_outside
    """Returns the kind of a file's lines (detected for "auto") and the lines.

    Called with the file, the kind and the task, if any; for a table with mapped columns also with the format "auto" and
    the field of each heading. Raises FormatError.
    """
    read_table: Callable[[Path], TableHead | None] = lambda _: None
    """Reads headings and first rows of a table; None for other files. Raises FormatError."""
    write_file: Callable[[Path, Iterable[Any]], int] = _nothing_outside
    """Writes items of one kind to a file, atomically; returns the count.

    Raises OSError, FormatError.
    """
    trace_document: TraceDocument | None = None
    """Makes the trace of a past query; None stores no traces."""
    read_log: Callable[[Path, str], Iterable[Line[str] | Problem]] = _nothing_outside
    """Reads the queries of a log, in the format of this name or "auto"; raises FormatError.

    Lines without a query are returned as problems.
    """
    make_power_runner: Callable[[], PowerRunner] | None = None
    """Makes the runner of powers' servers; None starts none."""
    route_examples: Callable[[], list[TaughtExample]] = list
    """Shipped training examples of routes."""
    data_stores: Mapping[str, Callable[[RouteSettings, StoreSecret, str], DataStore | None]] = field(
        default_factory=dict
    )
    """Opens a library's data stores by name, None if not set up; raises DataStoreError."""
    library_identity: Callable[[], str] = str
    """Unique ID of the library, used for its data on shared servers. Raises StoreError."""
    candidate_search: Callable[[Library], CandidateSearch | None] = lambda _: None
    """Opens the search of a team's server, None outside a team; raises StoreError."""
    type_examples: Callable[[], list[TaughtExample]] = list
    """Shipped training examples of the six types."""
    stored_models: Mapping[Task, Sequence[FitStore]] = field(default_factory=dict)
    """Stores of trained models by task: the profile's, and the shipped one."""
    wall_seconds: Callable[[], float] = time.time
    """Seconds since 1970, by a clock that may be set."""
