"""The front door: the window by default, and the commands of the terminal."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import errno
import io
import logging
import math
import os
import stat
import sys
import tempfile
import traceback
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, TextIO

# Scoring is one matrix-vector product a keystroke: more threads of the linear algebra only get in each other's way.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

OK, FAILED, MISUSED, CRASHED = 0, 1, 2, 70
"""Exit codes (S8.1): fine; a check failed; bad usage or input; a bug of this program."""

DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO) if hasattr(errno, "EDQUOT") else (errno.ENOSPC,)
"""What the system says where an output does not fit."""

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
"""The variables of which one must be set for a window to open on Linux."""

KINDS = ("memories", "powers", "rules", "cases")
FORMATS = ("jsonl", "csv", "tsv", "toml", "mcp", "routes", "tools", "rasa", "spell", "json", "qa")
WRITTEN = ("jsonl", "csv", "tsv", "toml", "json")
TASKS = ("intent", "memory", "power", "route", "type")
MOST_TRIGGERS = 2_000_000
REACHED_TASKS = ("intent", "memory", "power", "type")


def parser() -> argparse.ArgumentParser:
    """Every command with its options."""
    common = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--profile", type=Path, metavar="DIR", help="where library, settings and caches are kept")
    common.add_argument("--settings", type=Path, metavar="FILE", help="a settings file (TOML)")
    common.add_argument(
        "--set", action="append", dest="pairs", metavar="KEY=VALUE", help="one setting; may be repeated"
    )
    common.add_argument("--json", action="store_true", help="one JSON document on stdout and nothing else there")
    common.add_argument("--output", type=Path, metavar="FILE", help="write to a file instead of stdout")
    common.add_argument("--verbose", action="store_true", help="log to stderr")
    top = _Parser(
        prog="intentscope",
        description="Type a query and see what a hybrid intent detector makes of it, and why.",
        parents=[common],
    )
    top.add_argument("--version", action=_Version, nargs=0, help="say which version this is")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    def command(name: str, summary: str) -> _Parser:
        return commands.add_parser(name, help=summary, description=summary, parents=[common])

    gui = command("gui", "Open the window (the default).")
    for shown in (top, gui):
        shown.add_argument(
            "--exit-after", type=_seconds, metavar="S", default=argparse.SUPPRESS, help="close again after S seconds"
        )
        shown.add_argument("--query", metavar="TEXT", default=argparse.SUPPRESS, help="type this at the start")
    for name, summary in (
        ("inspect", "Everything that the detector makes of a query."),
        ("detect", "The search intent of a query."),
        ("resolve", "Which power serves a query."),
    ):
        question = command(name, summary)
        question.add_argument("text", nargs="?", metavar="TEXT")
        question.add_argument("--stdin", action="store_true", help="one query a line in, one answer a line out")
        question.add_argument("--no-llm", action="store_true", help="keywords only")
    taken = command("import", "Add what a file holds to the library.")
    taken.add_argument("file", nargs="?", type=Path, metavar="FILE")
    taken.add_argument("--kind", choices=(*KINDS, "auto"), default="auto")
    taken.add_argument("--task", choices=TASKS, help="what imported cases label")
    taken.add_argument("--seed", action="store_true", help="add the library that ships with the program")
    taken.add_argument(
        "--format", choices=("auto", *FORMATS), default="auto", help="what the file is, told from it by default"
    )
    taken.add_argument(
        "--columns", action="append", default=[], metavar="HEADING=COLUMN", help="what a column of a CSV file holds"
    )
    taken.add_argument("--dry-run", action="store_true", help="say what would be added and changed, and change nothing")
    given = command("export", "Write one kind of the library's content.")
    given.add_argument("--kind", choices=KINDS, required=True)
    given.add_argument("--format", choices=WRITTEN, help="by default that of the ending of --output, else jsonl")
    judged = command("evaluate", "How good the answers to labelled queries are.")
    judged.add_argument("cases", type=Path, metavar="CASES")
    judged.add_argument("--task", choices=REACHED_TASKS, required=True)
    judged.add_argument("--gate", action="append", metavar="METRIC>=X", default=[], help="exit 1 unless this holds")
    judged.add_argument("--no-llm", action="store_true", help="keywords only")
    timed = command("bench", "How fast a keystroke is answered, against plain loops, in one run.")
    timed.add_argument("--sizes", default="1000,10000", metavar="N,N", help="how many triggers")
    timed.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw time and memory against size")
    command("doctor", "Check profile, library and encoder.")
    return top


class _Parser(argparse.ArgumentParser):
    """Its complaints quote what was typed, which a terminal must not obey."""

    def error(self, message: str) -> NoReturn:
        super().error(_visible(message))


class _Version(argparse.Action):
    """The version is looked up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"intentscope {version('intentscope')}")
        parser.exit(OK)


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not (math.isfinite(found) and found >= 0.0):
        raise argparse.ArgumentTypeError(f"“{text}” is no number of seconds from 0 on.")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    options = parser().parse_args(arguments)
    with _BugsAreTold():
        return _run(options)


class _BugsAreTold:
    """What nobody expected ends with its traceback and an exit code of its own: 1 is for checks that failed."""

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            traceback.print_exception(error)
            raise SystemExit(CRASHED)


def _run(options: argparse.Namespace) -> int:
    if getattr(options, "verbose", False):
        logging.basicConfig(level=logging.DEBUG, format="%(levelname)s %(name)s: %(message)s")
    run = COMMANDS[options.command or "gui"]
    from app.ports import KnownError
    from app.settings import SettingsError

    try:
        code = run(options)
        sys.stdout.flush()
        return code
    except (KnownError, SettingsError, MisuseError) as error:
        print(f"intentscope: {_visible(error)}", file=sys.stderr)
        return MISUSED
    except KeyboardInterrupt:
        print("intentscope: stopped; what was stored until now is kept.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output has gone; nothing is left to say, not even at exit.
        _give_up_stdout()
        return OK
    except OSError as error:
        if error.errno not in DISK_FULL:
            raise
        print(f"intentscope: The output cannot be written: {_visible(error.strerror)}.", file=sys.stderr)
        _give_up_stdout()
        return MISUSED


def _visible(sentence: object) -> str:
    """A sentence for the terminal, which may quote a file or an argument: what would steer the terminal is shown."""
    from app.display.plain import visible

    return visible(str(sentence))


def _give_up_stdout() -> None:
    """What could not be written must not be tried again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class MisuseError(Exception):
    """The command line asks for something that cannot be; the message is a sentence."""


def _choices(options: argparse.Namespace) -> Any:
    from app.settings import Choices

    pairs = tuple(getattr(options, "pairs", ()))
    if getattr(options, "no_llm", False):
        pairs += ("search_intent.use_llm=false",)
    return Choices(getattr(options, "profile", None), getattr(options, "settings", None), pairs)


@contextlib.contextmanager
def _output(options: argparse.Namespace, *, private: bool = False) -> Iterator[TextIO]:
    """Stdout, or the file that --output names, which is replaced only when everything has been written.

    What is no regular file, such as a pipe, is written straight to. A private file is for its owner alone.
    """
    path: Path | None = getattr(options, "output", None)
    if path is None:
        yield sys.stdout
        return
    with _told_as_misuse(path):
        mode = _mode_of(path)
        straight = path.parent == Path("/dev") or (mode is not None and not stat.S_ISREG(mode))
        target = path if straight else path.resolve()
        draft = None if straight else _draft_beside(target, 0o600 if private else mode)
        file = (draft or target).open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        with contextlib.closing(file):
            yield file
            with _told_as_misuse(path):
                file.close()
        if draft is not None:
            with _told_as_misuse(path):
                draft.replace(target)
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)


def _mode_of(path: Path) -> int | None:
    """Kind and rights of what is there already, behind links; None if nothing is."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _draft_beside(target: Path, mode: int | None) -> Path:
    """An empty new file in the target's folder, with these rights or those of any new file."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    os.close(handle)
    if mode is None:
        mask = os.umask(0o077)
        os.umask(mask)
        mode = 0o666 & ~mask
    draft = Path(name)
    draft.chmod(stat.S_IMODE(mode))
    return draft


@contextlib.contextmanager
def _told_as_misuse(path: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise MisuseError(f"{path} cannot be written: {error.strerror or error}.") from error


def _run_gui(options: argparse.Namespace) -> int:
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in SCREENS):
        raise MisuseError("There is no screen to open a window on (DISPLAY and WAYLAND_DISPLAY are not set).")
    from app.adapters.profile_folder import profile_folder, settings_file
    from app.gui.application import run
    from app.gui.mending import Places

    choices = _choices(options)
    places = Places(profile_folder(choices), settings_file(choices))

    def make_workbench() -> Any:
        from app.bootstrap import make_forgiving_workbench

        return make_forgiving_workbench(choices)

    query, exit_after = getattr(options, "query", None), getattr(options, "exit_after", None)
    return run(make_workbench, query=query, exit_after=exit_after, places=places)


def _with_workbench(
    options: argparse.Namespace,
    work: Callable[[Any, TextIO], Coroutine[Any, Any, int]],
    *,
    wait: bool,
    encoder: bool = True,
    llm: bool = False,
    private: bool = False,
) -> int:
    from app.bootstrap import make_workbench
    from app.surfaces.terminal import opened

    async def run() -> int:
        with _output(options, private=private) as out:
            async with opened(make_workbench(_choices(options)), wait=wait, encoder=encoder, llm=llm) as workbench:
                return await work(workbench, out)

    return asyncio.run(run())


def _as_json(options: argparse.Namespace) -> bool:
    return bool(getattr(options, "json", False))


def _run_question(options: argparse.Namespace) -> int:
    from app.surfaces.terminal import QUESTIONS, answer, lines_of

    if options.stdin == (options.text is not None):
        raise MisuseError(f"{options.command} takes either TEXT or --stdin.")
    queries = lines_of(sys.stdin.buffer) if options.stdin else [options.text]
    as_json = _as_json(options)

    async def work(workbench: Any, out: TextIO) -> int:
        await answer(workbench, options.command, queries, out, as_json=as_json)
        return OK

    needed = QUESTIONS[options.command].needs_encoder
    return _with_workbench(options, work, wait=True, encoder=needed, llm=True)


def _run_import(options: argparse.Namespace) -> int:
    if options.seed == (options.file is not None):
        raise MisuseError("import takes either FILE or --seed.")
    columns = _columns(options.columns)
    if options.dry_run:
        return _rehearse_import(options, columns)

    async def work(workbench: Any, out: TextIO) -> int:
        from app.bootstrap import read_file, seed_files
        from app.surfaces.terminal import take_in

        file = (options.file, options.kind, options.task, options.format, columns)
        sources = seed_files() if options.seed else [read_file(*file)]
        name = "seed" if options.seed else options.file.name
        return OK if await take_in(workbench, sources, out, as_json=_as_json(options), name=name) else MISUSED

    return _with_workbench(options, work, wait=False)


def _columns(pairs: Sequence[str]) -> dict[str, str]:
    columns = dict(pair.rsplit("=", 1) for pair in pairs if "=" in pair)
    if len(columns) != len(pairs):
        raise MisuseError("--columns takes HEADING=COLUMN, such as --columns Frage=text; each heading once.")
    return columns


def _rehearse_import(options: argparse.Namespace, columns: dict[str, str]) -> int:
    from app.bootstrap import read_file, rehearsal, seed_files
    from app.surfaces.rehearsing import rehearse

    file = (options.file, options.kind, options.task, options.format, columns)
    sources = seed_files() if options.seed else [read_file(*file)]
    with _output(options) as out, rehearsal(_choices(options)) as library:
        return OK if rehearse(library, sources, out, as_json=_as_json(options)) else MISUSED


def _run_export(options: argparse.Namespace) -> int:
    from app.bootstrap import writer_to

    write = writer_to(getattr(options, "output", None), options.format)

    async def work(workbench: Any, out: TextIO) -> int:
        from app.services.transfer import GIVERS

        write(out.buffer, GIVERS[options.kind](workbench.library))
        return OK

    # The environment of a power's server often holds secrets.
    return _with_workbench(options, work, wait=False, encoder=False, private=options.kind == "powers")


def _run_evaluate(options: argparse.Namespace) -> int:
    from app.bootstrap import read_file
    from app.evaluation.gate import parse_gate
    from app.surfaces.terminal import evaluate_cases

    try:
        for text in options.gate:
            parse_gate(text)
    except ValueError as error:
        raise MisuseError(str(error)) from None

    async def work(workbench: Any, out: TextIO) -> int:
        _, lines = read_file(options.cases, "cases", options.task)
        held = evaluate_cases(workbench, lines, options.task, options.gate, out, as_json=_as_json(options))
        return OK if held else FAILED

    needed = options.task != "type"
    return _with_workbench(options, work, wait=needed, encoder=needed)


def _run_bench(options: argparse.Namespace) -> int:
    from app.surfaces.terminal import bench_sizes

    try:
        sizes = [int(size) for size in options.sizes.split(",")]
    except ValueError:
        raise MisuseError(f"--sizes takes whole numbers, not “{options.sizes}”.") from None
    if any(not 1 <= size <= MOST_TRIGGERS for size in sizes):
        raise MisuseError(f"--sizes takes numbers from 1 to {MOST_TRIGGERS:,}.")
    if options.plot is not None and (options.plot.suffix.lower() != ".svg" or not options.plot.parent.is_dir()):
        raise MisuseError(f"--plot takes a file ending in .svg, in a folder that is there, not “{options.plot}”.")
    with _output(options) as out:
        try:
            bench_sizes(sizes, out, as_json=_as_json(options), plot=options.plot, embed=_shipped_encoder())
        except OSError as error:
            raise MisuseError(f"{options.plot} cannot be written: {error.strerror or error}.") from error
    return OK


def _shipped_encoder() -> Callable[[Sequence[str]], Any] | None:
    """The encoder that comes with the program, None where it cannot be loaded: a bench does without."""
    from app.adapters.encoders import ENCODERS
    from app.ports import EncoderError
    from app.settings import Settings

    encoder = Settings().encoder
    try:
        return ENCODERS[encoder.name].load(encoder).encode
    except EncoderError:
        return None


def _run_doctor(options: argparse.Namespace) -> int:
    async def work(workbench: Any, out: TextIO) -> int:
        from app.surfaces.terminal import tell_checkup

        return OK if tell_checkup(workbench, out, as_json=_as_json(options)) else FAILED

    return _with_workbench(options, work, wait=True)


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "gui": _run_gui,
    "inspect": _run_question,
    "detect": _run_question,
    "resolve": _run_question,
    "import": _run_import,
    "export": _run_export,
    "evaluate": _run_evaluate,
    "bench": _run_bench,
    "doctor": _run_doctor,
}

if __name__ == "__main__":
    sys.exit(main())
