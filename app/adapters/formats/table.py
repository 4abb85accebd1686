"""File formats for import and export, one row each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Protocol

import orjson

from app.adapters.formats import (
    agents,
    csv_tables,
    json_arrays,
    json_lines,
    json_tables,
    memory_graphs,
    rasa,
    text_lines,
    toml_tables,
    yaml_records,
)
from app.adapters.formats.agents import BOTPRESS, DIALOGFLOW
from app.adapters.formats.documents import TextReader, TreeReader, trees
from app.adapters.formats.json_arrays import PAIRS
from app.adapters.formats.markdown_texts import (
    MARKDOWN,
    NOTES,
    SKILLS,
    MarkdownReader,
    MarkdownText,
    folder_texts,
    is_skill_file,
    markdown_text,
)
from app.adapters.formats.mcp_servers import PLACE, SERVERS, SPELLS, TOOLS
from app.adapters.formats.records import FileKind, kind_of, names_seen
from app.adapters.formats.routes import ROUTES
from app.adapters.formats.syntax import json_documents, json_streams
from app.adapters.formats.syntax.text import MAX_LINE_BYTES, byte_lines, opened
from app.adapters.formats.syntax.trees import Node
from app.adapters.formats.text_lines import LINES, LU, QUESTIONS, has_questions
from app.adapters.formats.voice_assistants import HOME_ASSISTANT, PADATIOUS, RHASSPY, SNIPS
from app.domain.case import Task
from app.domain.errors import FormatError
from app.domain.journal import Item
from app.domain.library import Line, Problem


class Reader(Protocol):
    """Function that reads items of one kind, with invalid ones as problems."""

    def __call__(
        self, source: Path | BinaryIO, kind: FileKind, task: Task | None = None
    ) -> Iterator[Line[Item] | Problem]: ...


class ColumnReader(Protocol):
    """Reader that accepts a mapping of headings."""

    def __call__(
        self,
        source: Path | BinaryIO,
        kind: FileKind,
        task: Task | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> Iterator[Line[Item] | Problem]: ...


Writer = Callable[[BinaryIO, Iterable[Item]], int]


@dataclass(frozen=True, slots=True)
class Format:
    """Format: title, file endings, and functions to read, detect the kind and write.

    `write` is None if the format cannot hold everything. Formats that share an ending are distinguished by `fits`,
    given the tree, or `fits_lines`, given the first lines. `read_columns` is for tables and records.
    """

    title: str
    endings: tuple[str, ...]
    read: Reader
    detect_kind: Callable[[Path], FileKind]
    write: Writer | None = None
    fits: Callable[[Node], bool] | None = None
    fits_lines: Callable[[list[str]], bool] | None = None
    read_columns: ColumnReader | None = None
    kinds: tuple[FileKind, ...] = tuple(FileKind)


def _table(title: str, ending: str, write: Writer) -> Format:
    return Format(title, (ending,), csv_tables.read, csv_tables.detect_kind, write, read_columns=csv_tables.read)


def _tree(title: str, reader: TreeReader, *endings: str) -> Format:
    return Format(title, endings, reader.read, reader.detect_kind, fits=reader.fits, kinds=reader.kinds)


def _text(
    title: str,
    reader: TextReader,
    *endings: str,
    fits: Callable[[Node], bool] | None = None,
    fits_lines: Callable[[list[str]], bool] | None = None,
) -> Format:
    return Format(title, endings, reader.read, reader.detect_kind, fits=fits, fits_lines=fits_lines, kinds=reader.kinds)


def _markdown(reader: MarkdownReader) -> Format:
    return Format(reader.title.lower(), MARKDOWN, reader.read, reader.detect_kind, kinds=(reader.kind,))


def _intents_reader(root: Node) -> Reader | None:
    """Return the reader of an agent's document; None if it has no utterances."""
    rows = (row for row in FORMATS.values() if row.fits is not None and row is not FORMATS["yaml"])
    row = next((row for row in rows if row.fits is not None and row.fits(root)), None)
    if row is FORMATS["json"] and kind_of(_record_in(root).fields()) is not FileKind.MEMORIES:
        return row.read if json_arrays.labelled_lists(root) else None
    return row.read if row is not None and FileKind.MEMORIES in row.kinds else None


FORMATS: dict[str, Format] = {
    "jsonl": Format(
        "JSON Lines", (".jsonl", ".ndjson"), json_lines.read, json_lines.detect_kind, json_lines.write,
        read_columns=json_lines.read,
    ),
    "csv": _table("CSV", ".csv", csv_tables.write),
    "tsv": _table("TSV", ".tsv", partial(csv_tables.write, mark="\t")),
    "graph": _text(
        "graphs of MCP memory", memory_graphs.GRAPHS, ".jsonl", ".json",
        fits=memory_graphs.fits, fits_lines=memory_graphs.fits_lines,
    ),
    "mcp": _tree("MCP servers", SERVERS, ".json", ".yaml", ".yml", ".toml"),
    "toml": Format("TOML", (".toml",), toml_tables.read, toml_tables.detect_kind, toml_tables.write),
    "dialogflow": _tree("Dialogflow's training phrases", DIALOGFLOW, ".json"),
    "botpress": _tree("Botpress's intents", BOTPRESS, ".json"),
    "homeassistant": _tree("Home Assistant's sentences", HOME_ASSISTANT, ".yaml", ".yml"),
    "snips": _tree("Snips datasets", SNIPS, ".yaml", ".yml"),
    "jsontable": Format("tables in JSON", (".json",), json_tables.read, json_tables.detect_kind, fits=json_tables.fits),
    "routes": _tree("semantic-router routes", ROUTES, ".json", ".yaml", ".yml"),
    "tools": _tree("a list of tools", TOOLS, ".json"),
    "rasa": Format(
        "Rasa NLU data", (".yaml", ".yml", ".md"), rasa.read, rasa.detect_kind,
        fits=rasa.fits, fits_lines=rasa.fits_lines, kinds=rasa.kinds,
    ),
    "pairs": _tree("pairs of text and label", PAIRS, ".json", ".yaml", ".yml"),
    "spell": _tree("Grimoire spells", SPELLS, ".spell.yaml", ".spell.yml", ".yaml", ".yml"),
    "json": Format(
        "JSON", (".json",), json_arrays.read, json_arrays.detect_kind, json_arrays.write, json_arrays.fits,
        read_columns=json_arrays.read,
    ),
    "yaml": Format(
        "YAML", (".yaml", ".yml"), yaml_records.read, yaml_records.detect_kind, yaml_records.write, yaml_records.fits,
        read_columns=yaml_records.read,
    ),
    "skill": _markdown(SKILLS),
    "notes": _markdown(NOTES),
    "qa": _text("questions and answers", QUESTIONS, ".txt", ".md", fits_lines=has_questions),
    "fasttext": Format(
        "data of fastText", (".txt",), text_lines.read_fasttext, text_lines.fasttext_kind,
        fits_lines=text_lines.is_fasttext, kinds=text_lines.FASTTEXT_KINDS,
    ),
    "padatious": _text("intents of Padatious", PADATIOUS, ".intent"),
    "lu": _text("intents of the Bot Framework", LU, ".lu"),
    "zip": Format(
        "an exported agent (ZIP)", (".zip",), partial(agents.read, _intents_reader), ROUTES.detect_kind,
        kinds=agents.KINDS,
    ),
    "lines": _text("a memory on each line", LINES, ".txt", ".md"),
    "rhasspy": _text("sentences of Rhasspy", RHASSPY, ".ini"),
}  # fmt: skip
"""Formats by name; of several with one ending, the first that fits the content is used."""

WRITTEN = tuple(name for name, row in FORMATS.items() if row.write is not None)


def format_to_write(path: Path, name: str | None = None) -> Format:
    """Return the format of this name, or of the file's ending, or JSON Lines.

    Raises FormatError if it can only be read.
    """
    ending = path.suffix.lower()
    found = [row for key, row in FORMATS.items() if (key == name if name else ending in row.endings)]
    writable = next((row for row in found if row.write is not None), None)
    if writable is not None:
        return writable
    if found:
        can = ", ".join(ending for key in WRITTEN for ending in FORMATS[key].endings)
        raise FormatError(f"{found[0].title} cannot be written, only read; {can} can.")
    return FORMATS["jsonl"]


# ---- Detection of a file's format, by its ending or its content

RECORDS = (FORMATS["json"], FORMATS["yaml"])
"""Formats of records with our names, without a form of their own."""

LOOKED_AT = 50
"""Number of lines read for detection."""

TOKENS = 20_000
"""Number of tokens of a JSON or YAML file read for detection."""

YAML = (".yaml", ".yml")
MARKUP = (".json", *YAML)

BEGINNINGS = ("{", "[", "//", "/*", "---", "version:", "nlu:", "routes:")
"""Beginnings of JSON and YAML documents without such an ending."""


def format_of(path: Path, name: str = "auto", kind: FileKind | None = None) -> Format:
    """Return the format of this name, or for "auto" the one detected.

    With a known kind, JSON and YAML of no other format hold records of that kind. Raises FormatError if unreadable
    or unknown.
    """
    if name != "auto":
        return FORMATS[name]
    if path.is_dir():
        return _detected_in_folder(path)
    return _format_by_ending(path) or _format_by_content(path, kind)


def _format_by_ending(path: Path) -> Format | None:
    """Return the format of a file's ending, if unambiguous; raises FormatError."""
    ending = path.suffix.lower()
    if ending in FORMATS["jsonl"].endings:
        lines = _first_lines(path)
        is_list = bool(lines) and (lines[0] == "[" or lines[0].startswith("[{"))
        return FORMATS["graph" if memory_graphs.fits_lines(lines) else "json" if is_list else "jsonl"]
    named = [row for row in FORMATS.values() if ending in row.endings]
    if len(named) == 1 and named[0].fits is None and ending not in (*MARKUP, *MARKDOWN):
        return named[0]
    if ending == ".toml":
        return next((row for row in named if _fits_whole(row, path)), FORMATS["toml"])
    long = ((row, name) for row in FORMATS.values() for name in row.endings if name.count(".") > 1)
    return next((row for row, name in long if path.name.lower().endswith(name)), None)


def _format_by_content(path: Path, kind: FileKind | None) -> Format:
    ending, lines = path.suffix.lower(), _first_lines(path)
    if ending in MARKDOWN and (lines[:1] in (["---"], ["+++"]) or is_skill_file(path)):
        return _detected_in_markdown(path, lines)
    if _is_json_lines(lines):
        return FORMATS["graph" if memory_graphs.fits_lines(lines) else "jsonl"]
    if json_streams.is_large(path) and json_streams.begins_as_json(path):
        return FORMATS["json"]
    if ending not in MARKUP and (found := _detected_by_lines(lines)):
        return found
    return _detected_by_tree(path, lines, kind)


def _detected_in_markdown(path: Path, lines: list[str]) -> Format:
    """Detect skills by front matter, then other formats, then notes; raises FormatError."""
    text = markdown_text(path)
    if SKILLS.fits(text):
        return FORMATS["skill"]
    if (other := _detected_by_lines(lines)) is not None:
        return other
    if text.head.value:
        return FORMATS["notes"]
    raise _unknown(path)


def _detected_in_folder(path: Path) -> Format:
    """Detect skills, else notes, by the Markdown files in a folder; raises FormatError if none."""
    texts = [text for text in folder_texts(path) if isinstance(text, MarkdownText)]
    for name, reader in (("skill", SKILLS), ("notes", NOTES)):
        if any(map(reader.fits, texts)):
            return FORMATS[name]
    raise FormatError(
        f"{path} is a folder without library.toml, SKILL.md or Markdown files with text: choose a file in it."
    )


def _fits_whole(row: Format, path: Path) -> bool:
    """Return whether a document of a file has this format; False if unreadable."""
    try:
        return row.fits is not None and any(map(row.fits, trees(path)))
    except FormatError:
        return False


def _first_lines(path: Path) -> list[str]:
    """Return the first non-blank lines, decoded."""
    with opened(path) as stream:
        lines = (line.decode("utf-8", "replace") for _, line in byte_lines(stream) if line is not None)
        return list(islice((line.strip() for line in lines if line.strip()), LOOKED_AT))


def _is_json_lines(lines: list[str]) -> bool:
    """Return whether most lines are objects; a single one must be a record."""
    objects = [line for line in lines if line.startswith("{") and _is_object(line)]
    if lines and lines[0].startswith(("[", "//", "/*")):
        return False
    if objects and any(map(PLACE.search, orjson.loads(objects[0]))):
        return False  # a configuration, with other text beside it
    if len(lines) > 1 or not objects:
        return bool(objects) and 2 * len(objects) >= len(lines)
    try:
        root = json_documents.parse(lines[0], TOKENS)
    except FormatError:
        return False  # the document's reader reports the fault
    if json_arrays.labelled_lists(root):
        return False
    shaped = (row for row in FORMATS.values() if row.fits is not None and row not in RECORDS)
    return kind_of(root.fields()) is not None and not any(row.fits(root) for row in shaped if row.fits)


def _is_object(line: str) -> bool:
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False


def _detected_by_lines(lines: list[str]) -> Format | None:
    if lines and (stated := csv_tables.MARK_LINE.fullmatch(lines[0])):
        names = csv_tables.first_row(lines[1], stated[1]) if len(lines) > 1 else []
        return FORMATS["csv"] if csv_tables.kind_of_header(names) is not None else None
    for row in FORMATS.values():
        if row.fits_lines is not None and row.fits_lines(lines):
            return row
    if lines and not lines[0].startswith(("{", "[")) and len(names := csv_tables.first_row(lines[0])) > 1:
        return FORMATS["csv"] if csv_tables.kind_of_header(names) is not None else None
    return None


def _detected_by_tree(path: Path, lines: list[str], kind: FileKind | None) -> Format:
    # A file of one long line has no lines here.
    if not lines and not json_streams.begins_as_json(path):
        is_long = path.stat().st_size > MAX_LINE_BYTES
        most = f"has no text in lines of up to {MAX_LINE_BYTES // 2**20} MB; longer ones are not read"
        raise FormatError(f"The file {path} {most if is_long else 'is empty'}.")
    ending = path.suffix.lower()
    if lines and not lines[0].startswith(BEGINNINGS) and (ending not in MARKUP or lines[0].startswith("```")):
        raise _unknown(path, lines=lines)
    for root in trees(path, TOKENS):
        for row in FORMATS.values():
            may_be = row is not FORMATS["json"] or ending not in YAML
            if may_be and row.fits is not None and row.fits(root):
                return row
        if ending in MARKUP and _fits_whole(FORMATS["mcp"], path):  # often deep in a settings file
            return FORMATS["mcp"]
        if kind is not None and ending in MARKUP:
            return FORMATS["yaml" if ending in YAML else "json"]
        raise _unknown(path, _record_in(root))
    raise _unknown(path)


def _record_in(root: Node) -> Node:
    """Return the first object of a list, or the document, for messages."""
    return next((node for node in root.items() if node.fields()), root)


def _unknown(path: Path, record: Node | None = None, lines: Sequence[str] = ()) -> FormatError:
    ending = path.suffix.lower()
    shared = [row.title for row in FORMATS.values() if ending in row.endings]
    named = f"{', '.join(shared[:-1])} or {shared[-1]}" if shared else "any format that is read"
    seen = f" In line {record.line:,} {names_seen(record.fields())}." if record and record.fields() else ""
    if any(line.startswith("```") for line in lines) and any(map(PLACE.search, lines)):
        seen += " It has servers in a block of code: copy that into a file of its own, such as mcp.json."
    elif ending == ".blob":
        seen += " An agent of Dialogflow CX is read as its JSON package: export it so, as a ZIP file."
    elif ending in FORMATS["lines"].endings:
        seen += " If each line, or each point of a list, is a separate memory, use --format lines."
    if ending in MARKDOWN:
        seen += " To import it as a note, begin it with three lines: “---”, “title: …” and “---”."
    if ending in MARKUP:
        seen += " If it lists memories, powers, rules or cases, name it with --kind."
    which = " If it is one of them, name it with --format."
    which += "" if shared else " Else save its texts as CSV with “text” and “intent”, or as JSON Lines."
    return FormatError(f"The content of {path} is unclear: it does not look like {named}.{which}{seen}")
