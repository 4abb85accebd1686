"""The adapters that a core is joined to, chosen by the composition root."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from app.domain.case import Task, TaughtExample
from app.domain.encoder import EncoderFacts, FetchStep
from app.domain.errors import EncoderError, FormatError
from app.domain.intent import Rule
from app.domain.library import Line, Problem
from app.domain.scope.inspection import Inspection
from app.ports.candidates import CandidateSearch
from app.ports.clock import Clock
from app.ports.datastore import DataStore
from app.ports.encoder import CalibrationStore, Embedder, FitStore, RefitLog, SharedFitStore, TokenCounter, VectorCache
from app.ports.folder import LibraryFolders, SyncStates
from app.ports.llm import LlmConnection
from app.ports.power import PowerRunner
from app.ports.store import Library, Secrets, SharedAnswerCache
from app.services.engine.metrics import EngineMetrics
from app.services.engine.typing_priority import TypingPriority
from app.settings.model import SettingsSources
from app.settings.sections import EncoderSettings, LlmSettings, RouteSettings

TraceDocument = Callable[[Inspection], dict[str, Any]]
"""What makes the document of an inspection that is kept with a past query (S8.7)."""


StoreSecret = Callable[[str], str | None]
"""Reads the secret of a name; StoreError."""


class PackFiles(Protocol):
    """Rule packs as files: a pack read from one (FormatError), and the text of one. Both may block."""

    def read(self, path: Path) -> list[Rule]: ...
    def text(self, name: str, title: str, rules: Iterable[Rule]) -> str: ...


@dataclass(frozen=True, slots=True)
class TableHead:
    """The first row of a table and the few after it.

    By kind, in the words of `--kind`: `fields` that there are, and `meant`, the one that each heading stands for by its
    name ("" for none). `kind` is what the headings tell, "" where they do not.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    fields: Mapping[str, tuple[str, ...]]
    meant: Mapping[str, tuple[str, ...]]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Mapped:
    """The mapping of a table's columns by a person: the kind, and the field of each heading ("" for none)."""

    kind: str
    columns: Mapping[str, str]


class Mappings(Protocol):
    """Stored column mappings by headings; every call may block."""

    def get(self, headings: tuple[str, ...]) -> Mapped | None: ...
    def put(self, headings: tuple[str, ...], mapped: Mapped) -> None: ...


def head_of_none(path: Path) -> TableHead | None:
    """Null object: reads no tables."""
    return None


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of settings outside the program; no sources where those that hold stay in use.

    `fault` is a sentence about what is refused, with what is used instead; `is_outside` where that stands on the
    command line or in the environment.
    """

    sources: SettingsSources | None
    fault: str | None = None
    is_outside: bool = False


class SettingsFile(Protocol):
    """The settings file of a profile, with all else that was said at the start. Both calls may block."""

    def has_changed(self) -> bool: ...
    def read(self) -> Said: ...


def _nothing_to_end(_: EncoderSettings) -> None:
    """What is loaded from this machine ends by itself."""


def _nothing_known(_: EncoderSettings) -> EncoderFacts:
    return EncoderFacts()


def _no_tokenizer() -> TokenCounter:
    raise EncoderError("No tokenizer is set up.")


def _not_measured() -> int | None:
    return None


def _keep_all() -> None:
    """Nothing is known of how this system takes memory back."""


def _search_nothing(library: Library) -> CandidateSearch | None:
    return None


def _read_nothing(path: Path, kind: str, task: str | None) -> tuple[str, Iterable[Line[Any] | Problem]]:
    raise FormatError("No files can be read here.")


def _read_no_log(path: Path, format_name: str) -> Iterable[Line[str] | Problem]:
    raise FormatError("No logs can be read here.")


def _no_disk() -> str:
    return "nothing is kept on a disk"


def _write_nothing(path: Path, things: Iterable[Any]) -> int:
    raise FormatError("No files can be written here.")


@dataclass(frozen=True, slots=True)
class Encoder:
    """A kind of encoder: how it is loaded (EncoderError), and what is known of it before. Both may block."""

    load: Callable[[EncoderSettings], Embedder]
    facts: Callable[[EncoderSettings], EncoderFacts] = _nothing_known
    give_up: Callable[[EncoderSettings], None] = _nothing_to_end
    """Cancels loading from another thread; does not block."""


class Installer(Protocol):
    """Fetches sentence-transformers and its models, step by step; closing the iterator breaks off; KnownError."""

    def install(self) -> AsyncGenerator[FetchStep, None]: ...

    def download(self, model: str) -> AsyncGenerator[FetchStep, None]: ...


@dataclass(frozen=True, slots=True)
class Adapters:
    """The adapters that a workbench is joined to; each call may block and may raise a KnownError."""

    profile: str
    open_library: Callable[[], Library]
    encoders: Mapping[str, Encoder]
    clock: Clock
    shipped_rules: Callable[[], list[Rule]]
    make_llm: Callable[[LlmSettings], LlmConnection]
    serve_metrics: Callable[[EngineMetrics, int], Callable[[], None]]
    seed: Mapping[str, Callable[[], Iterable[Line[Any] | Problem]]]
    installer: Installer | None = None
    typing_priority: TypingPriority = field(default_factory=TypingPriority)
    """What work in the background asks whether a person types; the library's long writes do too."""
    settings_file: SettingsFile | None = None
    """The settings file that is followed while the desk is open; without it what was said at the start holds."""
    resident_bytes: Callable[[], int | None] = _not_measured
    """How much memory this process holds; None where that cannot be told."""
    release_memory: Callable[[], None] = _keep_all
    """Returns freed memory to the system."""
    make_token_counter: Callable[[], TokenCounter] = _no_tokenizer
    """What counts the tokens of what is surfaced; EncoderError where there is none."""
    try_writing: Callable[[], str] = _no_disk
    """Writes a little to the disk of the library and takes it away again; what room there is. StoreError."""
    vector_cache: VectorCache | None = None
    """The cache file of an index's vectors; without it they are read from the library."""
    kept_calibration: CalibrationStore | None = None
    """The store of the fitted scales of `calibrated`; without it each start fits them again."""
    stored_fit: SharedFitStore | None = None
    """The store of the profile's fit of `learned`; without it each process fits for itself."""
    refit_log: RefitLog | None = None
    """The log of what refits changed."""
    shipped_fits: Sequence[FitStore] = ()
    """Stores that are only read: the vectors of out-of-scope questions that ship."""
    shared_background: Callable[[str], FitStore] | None = None
    """Where vectors of such questions by an encoder are kept for all profiles."""
    background: Callable[[], Sequence[str]] = tuple
    """Out-of-scope questions, about no library."""
    packs: PackFiles | None = None
    read_file: Callable[..., tuple[str, Iterable[Line[Any] | Problem]]] = _read_nothing
    """The kind of a file's lines, told from them for "auto", and the lines; FormatError if it cannot be read.

    Called with the file, the kind and the task, if any; for a table whose columns are mapped also with the format
    "auto" and the field of each heading.
    """
    read_table: Callable[[Path], TableHead | None] = head_of_none
    """Headings and first rows of a table; None for a file that is none. FormatError."""
    mappings: Mappings | None = None
    """How columns of tables with the same headings were mapped before."""
    folders: LibraryFolders | None = None
    """Libraries as folders of texts."""
    synced: SyncStates | None = None
    """What the profile remembers of such folders."""
    write_file: Callable[[Path, Iterable[Any]], int] = _write_nothing
    """Writes things of one kind to a file, whole or not at all; how many; OSError, or FormatError for its ending."""
    trace_document: TraceDocument | None = None
    """Makes what is kept of an answer beside its row; without it past queries have no traces."""
    read_log: Callable[[Path, str], Iterable[Line[str] | Problem]] = _read_no_log
    """The queries of a log, in a format of `log_formats` or "auto", and the lines that hold none; FormatError."""
    make_power_runner: Callable[[], PowerRunner] | None = None
    """What starts the servers of powers; without it none is ever started."""
    route_examples: Callable[[], list[TaughtExample]] = list
    """The shipped training examples of routes."""
    data_stores: Mapping[str, Callable[[RouteSettings, StoreSecret, str], DataStore | None]] = field(
        default_factory=dict
    )
    """What opens the stores behind the router for a library, by name; None where one is not set up. DataStoreError."""
    library_identity: Callable[[], str] = str
    """A word that no other library has, beside what this one keeps on servers that it shares. StoreError."""
    candidate_search: Callable[[Library], CandidateSearch | None] = _search_nothing
    """What searches a team's library on its server, or on those of these addresses, parted by spaces; None for one
    that is in no team. StoreError."""
    shared_answers: Callable[[RouteSettings, str | None], SharedAnswerCache] | None = None
    """What opens the cache in front of the LLM's answers, with its password. DataStoreError."""
    secrets: Secrets | None = None
    """Where passwords of such stores are kept."""
    type_examples: Callable[[], list[TaughtExample]] = list
    """The shipped training examples of the six types."""
    stored_models: Mapping[Task, Sequence[FitStore]] = field(default_factory=dict)
    """The stores of trained models by task: the profile's, and the shipped one."""
    wall_seconds: Callable[[], float] = time.time
    """Seconds since 1970, by a clock that may be set."""
    log_formats: Mapping[str, str] = field(default_factory=dict)
    """What logs can be read: name and title."""
