"""Commands `import`, `export`, `backup` and `restore`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

from app.surfaces.cli.output import MISUSED, OK, SOURCE, MisuseError, Printer, escaped, is_confirmed, output, wants_json
from app.surfaces.cli.program import Program, Root, choices_of, interruptible, print_notice, with_workbench


def run_import(options: argparse.Namespace, root: Root) -> int:
    if options.seed == (options.file is not None):
        raise MisuseError("import takes either FILE or --seed.")
    if options.kind == "settings" and options.file is None:
        raise MisuseError("--kind settings takes FILE.")
    if options.kind == "settings" or (options.kind == options.format == "auto" and _is_config(options.file)):
        return _import_settings(options, root)
    columns = columns_of(options.columns)
    if options.file is not None and options.file.is_dir() and _is_library(options):
        return _import_folder(options, root)
    if options.dry_run:
        with interruptible():
            return _dry_run_import(options, root, columns)

    stored: list[str] = []
    reading = Reading()

    async def work(workbench: Any, out: Printer) -> bool:
        program = root()
        from app.domain.case import Task
        from app.surfaces.cli.routes import teaching_among
        from app.surfaces.cli.transfer import import_all

        with interruptible():
            sources = _sources(options, program, columns)
        name = "seed" if options.seed else options.file.name
        watched, texts = teaching_among(sources)
        followed = [(kind, reading.of(lines)) for kind, lines in watched]
        taken = await import_all(workbench, followed, out, name=name, notify=lambda one: stored.append(one.kind))
        if texts[Task.ROUTE]:
            await workbench.routing.let_teach(texts[Task.ROUTE], on=not options.no_teach)
        if any(texts.values()):
            await workbench.ready()
        return taken

    try:
        return MISUSED if with_workbench(options, root, work, wait=False) else OK
    except KeyboardInterrupt:
        raise KeyboardInterrupt(stopped_import(stored, is_read=reading.is_over)) from None


def _is_config(file: Path | None) -> bool:
    from app.settings.layers import is_config

    return file is not None and file.suffix.lower() == ".toml" and file.is_file() and is_config(file)


MARKDOWN = ("*.md", "*.mdc", "*/*.md", "*/*/SKILL.md")
"""Places of skills and notes in a folder."""


def _is_library(options: argparse.Namespace) -> bool:
    """Check if a folder is a library; without its marker file, Markdown means skills or notes."""
    if options.format in ("skill", "notes"):
        return False
    folder: Path = options.file
    has_texts = any(next(folder.glob(pattern), None) for pattern in MARKDOWN)
    return (folder / "library.toml").is_file() or not has_texts


class Reading:
    """Tracks if an iterable was read to its end."""

    def __init__(self) -> None:
        self.is_over = False

    def of(self, lines: Iterable[Any]) -> Iterator[Any]:
        self.is_over = False
        yield from lines
        self.is_over = True


def stopped_import(stored: Sequence[str], *, is_read: bool) -> str:
    """Return the result of an interrupted import: each kind is one transaction."""
    if stored:
        return f"stopped; what was imported before that is kept: {', '.join(stored)}."
    if is_read:
        return "stopped while the end of the file was being stored; “doctor” tells what is there."
    return "stopped; nothing was imported."


def _import_folder(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.transfer import dry_run_folder, import_folder

    if options.columns or options.task or options.format != "auto":
        raise MisuseError("A library in a folder says itself what it holds: leave out --format, --task and --columns.")
    kind = None if options.kind == "auto" else options.kind
    if options.dry_run:
        program = root()
        with interruptible(), output(options) as out, program.dry_run_library(choices_of(options)) as library:
            dry_run_folder(library, program.library_folders(), options.file, kind, out)
        return OK

    try:
        return with_workbench(
            options, root, lambda workbench, out: import_folder(workbench, options.file, kind, out), wait=False
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "stopped; a folder is imported as a whole or not at all: “doctor” tells what is there."
        ) from None


def _dry_run_import(options: argparse.Namespace, root: Root, columns: dict[str, str]) -> int:
    from app.surfaces.cli.transfer import dry_run

    program = root()
    sources = _sources(options, program, columns)
    with output(options) as out, program.dry_run_library(choices_of(options)) as library:
        return OK if dry_run(library, sources, out) else MISUSED


def _sources(options: argparse.Namespace, program: Program, columns: dict[str, str]) -> list[tuple[str, Iterator[Any]]]:
    """Open what is imported; warn about memories that may be evaluation data, which must not be taught."""
    from app.services.library.import_export import evaluation_word

    if options.seed:
        return program.seed_files()
    kind, lines = program.read_file(options.file, options.kind, options.task, options.format, columns)
    if options.kind == "auto" and kind == "memories" and (word := evaluation_word(options.file.name)):
        sentence = (
            f"“{word}” in the name suggests queries to test with, but the lines of {options.file.name} are taken for "
            "memories, which can't be used as a test. If they are tests: --kind cases --task intent. --kind memories "
            "confirms that they are not."
        )
        print(escaped(sentence), file=sys.stderr)
    return [(kind, lines)]


def columns_of(pairs: Sequence[str]) -> dict[str, str]:
    """Parse --columns: the field of each heading; raises MisuseError."""
    pairs = [part for pair in pairs for part in (pair.split(",") if pair.count("=") > 1 else (pair,))]
    columns = dict(pair.rsplit("=", 1) for pair in pairs if "=" in pair)
    if len(columns) != len(pairs):
        raise MisuseError("--columns takes HEADING=COLUMN, such as --columns Frage=text; each heading once.")
    return columns


def run_export(options: argparse.Namespace, root: Root) -> int:
    if options.kind == "library":
        return _export_folder(options, root)
    write = root().writer_to(getattr(options, "output", None), options.format)

    async def work(workbench: Any, out: Printer) -> None:
        from app.services.engine.index_loader import damage_sentence
        from app.services.library.import_export import EXPORTERS
        from app.surfaces.cli.terminal import VisibleStream

        stream = cast("BinaryIO", VisibleStream(out.file.buffer)) if out.file.isatty() else out.file.buffer
        write(stream, EXPORTERS[options.kind](workbench.library))
        faults = workbench.status().faults.values()  # already reported
        if (damage := damage_sentence(workbench.library)) and damage not in faults:
            print_notice(damage)

    # The environment of a power's server often contains secrets.
    return with_workbench(options, root, work, wait=False, encoder=False, private=options.kind == "powers", reads=True)


def _export_folder(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli.transfer import save_folder

    folder: Path | None = getattr(options, "output", None)
    if folder is None or options.format is not None:
        raise MisuseError("export --kind library takes --output FOLDER, and no --format.")
    del options.output  # its result goes to the terminal

    return with_workbench(
        options, root, lambda workbench, out: save_folder(workbench, folder, out), wait=False, encoder=False, reads=True
    )


# ---- Settings of another program, and backups of the library


def _import_settings(options: argparse.Namespace, root: Root) -> int:
    from app.display.library.importing import imported_settings_document, imported_settings_lines, settings_question
    from app.domain.journal import Edit
    from app.settings.layers import from_subcog, sort_settings

    read = from_subcog(options.file)
    personal = sort_settings(read.found).personal
    asks = bool(personal) and not options.dry_run and not wants_json(options)
    is_accepted = options.accept_settings or (
        asks and _accepts(settings_question(personal, f"{options.file.name} holds"))
    )
    left = {} if is_accepted else personal
    taken = {key: value for key, value in read.found.items() if key not in left}

    async def work(workbench: Any, out: Printer) -> None:
        if options.dry_run:
            await workbench.try_choice(taken)
        elif taken:
            await workbench.choose_all(taken, Edit("set", options.file.name, SOURCE))
        document = imported_settings_document(taken, left, read.left_out)
        lines = map(escaped, imported_settings_lines(taken, left, read.left_out))
        out.write(document, lines)

    return with_workbench(options, root, work, wait=False, encoder=False, reads=options.dry_run, vectors=False)


def run_backup(options: argparse.Namespace, root: Root) -> int:
    program, choices = root(), choices_of(options)
    if options.list:
        found = [str(path) for path in program.kept_copies(choices)]
        return print_result(options, {"copies": found}, found or ["No copy is kept."])
    path = program.back_up(choices, getattr(options, "output", None))
    if hasattr(options, "output"):
        del options.output  # it is the backup's path; the result goes to the terminal
    return print_result(options, {"copy": str(path)}, [str(path)])


def run_restore(options: argparse.Namespace, root: Root) -> int:
    program, choices = root(), choices_of(options)
    source = options.copy or next(iter(program.kept_copies(choices)), None)
    if source is None:
        raise MisuseError("No copy is kept in this profile: name a file, or make one with “backup”.")
    source = source.absolute()
    from app.display.library.importing import restored_document, restored_lines, settings_question

    with program.restore_candidate(choices, source) as found:
        question = settings_question(found.settings, "That copy was not made by this profile. It holds")
        asks = bool(found.settings) and not wants_json(options)
        accept = options.accept_settings or (asks and _accepts(question))
        restored = found.restore(accept=accept)
    document = {"restored": str(source), **restored_document(restored)}
    return print_result(options, document, restored_lines(str(source), restored))


def _accepts(question: str) -> bool:
    """Show settings from elsewhere and ask to accept them; without a terminal they are refused."""
    if not sys.stdin.isatty():
        return False
    print_notice(question)
    return is_confirmed("Take them as well?")


def print_result(options: argparse.Namespace, document: dict[str, Any], lines: Sequence[str]) -> int:
    with output(options) as out:
        out.write(document, map(escaped, lines))
    return OK
