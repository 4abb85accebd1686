"""Program: the commands' interface to the composition root; opening a profile for a command."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, Protocol

from app.surfaces.cli.output import FAILED, OK, Printer, escaped, output

if TYPE_CHECKING:
    # For types only: the entry point imports this module before the window is painted.
    from app.domain.library import Joined, Line, Membership, MoveProgress, Problem, TeamChange
    from app.domain.outside import RestoreCandidate
    from app.ports.datastore import SearchStatus
    from app.ports.encoder import Embedder, TokenCounter
    from app.ports.folder import LibraryFolders
    from app.ports.store import Library
    from app.services.workbench import Workbench
    from app.settings.model import Choices, SettingsSources
    from app.settings.sections import EncoderSettings
    from app.surfaces.http_server import Endpoint
    from app.surfaces.mcp.assistant_workbench import AssistantWorkbench

    Lines = Iterator[Line[Any] | Problem]


class Program(Protocol):
    """Composition root as seen by the commands; implemented by the module `app.bootstrap`."""

    def engine_folder(self, choices: Choices) -> Path: ...
    def settings_sources(self, choices: Choices) -> SettingsSources: ...
    def make_workbench(self, choices: Choices, reading: Callable[[str], object] | None = None) -> Workbench: ...
    def make_forgiving_workbench(self, choices: Choices) -> Workbench: ...
    def make_assistant_workbench(self, choices: Choices) -> AssistantWorkbench: ...
    def make_endpoint(self, choices: Choices, host: str, port: int | None, *, anew: bool = False) -> Endpoint: ...
    def make_token_counter(self) -> TokenCounter: ...
    def load_encoder(self, settings: EncoderSettings) -> Embedder: ...
    def dry_run_library(self, choices: Choices) -> AbstractContextManager[Library]: ...
    def kept_copies(self, choices: Choices) -> Sequence[Path]: ...
    def remove_abandoned(self, choices: Choices) -> Sequence[Path]: ...
    def back_up(self, choices: Choices, target: Path | None) -> Path: ...
    def restore_candidate(self, choices: Choices, source: Path) -> AbstractContextManager[RestoreCandidate]: ...
    def take_notices(self, choices: Choices) -> Sequence[str]: ...
    def join_team(self, choices: Choices, address: str, password: str | None, tell: MoveProgress = ...) -> Joined: ...
    def leave_team(self, choices: Choices, *, offline: bool, tell: MoveProgress = ...) -> Membership: ...
    def profile_of_team(self, choices: Choices, address: str) -> tuple[Path, bool]: ...
    def team_of(self, choices: Choices) -> tuple[Membership | None, str]: ...
    def log_of_team(self, choices: Choices, most: int) -> Sequence[TeamChange]: ...
    def index_team(self, choices: Choices, progress: Callable[[int, int], object]) -> SearchStatus: ...
    def search_of_team(self, choices: Choices) -> SearchStatus | None: ...
    def keep_team_password(self, choices: Choices, password: str) -> None: ...
    def library_folders(self) -> LibraryFolders: ...
    def seed_files(self) -> list[tuple[str, Lines]]: ...
    def read_file(
        self,
        path: Path,
        kind: str,
        task: str | None,
        format_name: str = "auto",
        columns: Mapping[str, str] | None = None,
    ) -> tuple[str, Lines]: ...
    def read_queries(self, log: BinaryIO, format_name: str) -> Iterator[Line[str] | Problem]: ...
    def writer_to(self, path: Path | None, format_name: str | None) -> Callable[[BinaryIO, Iterable[Any]], int]: ...


Root = Callable[[], Program]
"""Returns the composition root, importing it (0.5 s): commands check their options first."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the terminal: the only place that says what it is."""

    name: str
    summary: str
    """One sentence for `--help`."""
    run: Callable[[argparse.Namespace, Root], int]
    """Runs the command with its options; returns the exit code."""
    add_options: Callable[[argparse.ArgumentParser], None] = lambda _: None
    uses_fit: bool = True
    """False if the fit of the learned weights does not matter for its result."""
    answers: bool = False
    """True if it curates with answers to queries, which need the encoder and all vectors."""
    for_programs: bool = False
    """True if programs read its output."""


def choices_of(options: argparse.Namespace) -> Choices:
    """Return the profile and settings chosen by the options."""
    from app.settings.model import Choices

    pairs = tuple(getattr(options, "pairs", ()))
    if getattr(options, "no_llm", False) and not getattr(options, "llm", False):
        pairs += ("search_intent.use_llm=false", "route.use_llm=false")
    return Choices(getattr(options, "profile", None), getattr(options, "settings", None), pairs)


def is_plain(options: argparse.Namespace) -> bool:
    """Check that no settings are chosen: a running engine would ignore them."""
    return not getattr(options, "pairs", ()) and getattr(options, "settings", None) is None


def with_workbench(
    options: argparse.Namespace,
    root: Root,
    work: Callable[[Workbench, Printer], Coroutine[Any, Any, bool | None]],
    *,
    wait: bool,
    encoder: bool = True,
    llm: bool = False,
    private: bool = False,
    reads: bool = False,
    vectors: bool = True,
) -> int:
    """Run work on the opened profile; the exit code is FAILED if it returns False, else OK.

    `reads` marks work that stores nothing requested, so that a read-only profile suffices. Without `vectors` none are
    computed. With `--refit` an outdated fit is fitted again.
    """
    import asyncio

    from app.domain.fits import FitPolicy
    from app.surfaces.cli.terminal import opened

    program = root()

    async def run() -> int:
        with output(options, private=private) as out:
            made = program.make_workbench(choices_of(options), print_notice if reads else None)
            if not vectors:
                made.make_no_vectors()
            if getattr(options, "refit", False):
                made.learning.policy = FitPolicy.REFIT
            fit = options.row.uses_fit
            async with opened(made, wait=wait, encoder=encoder, llm=llm, uses_fit=fit) as workbench:
                for sentence in program.take_notices(choices_of(options)):
                    print_notice(sentence)
                if (refit := workbench.refits.last) is not None and getattr(options, "cases", None) is not None:
                    from app.display.evaluation.runs import refit_sentence

                    print_notice(refit_sentence(refit))
                return FAILED if await work(workbench, out) is False else OK

    return asyncio.run(run())


class Interrupted(KeyboardInterrupt):
    """Ctrl+C in work that never awaits.

    When a plain KeyboardInterrupt passes through `exec`, such as in the import of a module with dataclasses, CPython
    ends the program by the signal even if it is caught.
    """


@contextmanager
def interruptible() -> Iterator[None]:
    """Let the first Ctrl+C end long work that never awaits, such as parsing or importing.

    While a coroutine runs, asyncio turns Ctrl+C into a cancellation at the next `await`, which may be minutes away. No
    effect outside the main thread.
    """
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt(*_: object) -> NoReturn:
    raise Interrupted


def print_notice(sentence: str) -> None:
    """Print one or more lines on stderr, beside the output of the command."""
    print("\n".join(map(escaped, sentence.split("\n"))), file=sys.stderr)
