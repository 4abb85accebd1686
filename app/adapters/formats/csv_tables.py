"""CSV, one item per row, read row by row; the user maps the columns by its head."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from app.adapters.formats.csv_columns import NEEDED, cell_of, column_of, columns_of, guess_columns, record_of_row
from app.adapters.formats.record_names import POWER_FIELDS, SEVERAL_LABELS
from app.adapters.formats.records import (
    ALSO_READ,
    COLUMNS,
    EXPECTED_FIELDS,
    PARTS,
    READERS,
    Columns,
    FileKind,
    RefusedError,
    asked_columns,
    kind_of,
    record_of,
    says_part,
)
from app.adapters.formats.syntax.text import MAX_LINE_BYTES, byte_lines, opened, text_of, too_long
from app.domain.case import Case, Task
from app.domain.errors import FormatError
from app.domain.journal import KINDS, Item
from app.domain.library import Line, Memory, Power, Problem
from app.files import write_private
from app.services.engine.adapters import ColumnMapping, TableHead

MARKS = (",", ";", "\t", "|")
"""Possible delimiters; the one that fits the first row best is used."""

MOST_NAMES = 1_000
"""Maximum number of names in a first row."""

NAMELESS: Mapping[FileKind, list[str | None]] = {
    FileKind.MEMORIES: ["text", "intent"],
    FileKind.CASES: ["text", "expected"],
}
"""Columns of a table without headings, such as Watson's intents, or the reverse."""

ONE_WORD = re.compile(r"#?\w[\w.:/+-]*")
NO_NAMES = "The first row names no columns, so the {} cell of each is taken as the text, the {} as its label."
NO_SPLIT = "The text contains “;” or “|” and becomes one trigger; name the column triggers to split it there."
MERGED = "An empty intent below another is read as a merged cell: the row gets intent and response of the row above."

LOOKED_AT = 20
"""Number of rows checked for numeric labels."""

UNREAD = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]|^\s*[\u2018-\u201f«»]+|[\u2018-\u201f«»]+\s*$")
"""Invisible characters and typographic quotes, as in a heading copied from a web page."""

CURLY = re.compile(r"(?:^|(?<=[,;\t|]))[“„]|[“”](?=\s*(?:[,;\t|]|$))")
"""Typographic quotes around a cell."""

ESCAPED_QUOTE = re.compile(r'\\"')
"""Quotation mark after a backslash, as MySQL and pandas with an `escapechar` write it."""

MARK_LINE = re.compile(r'"?sep=(.)"?[,;\t|]*\s*', re.IGNORECASE)
"""Excel's line with the delimiter, before the first row."""

csv.field_size_limit(MAX_LINE_BYTES)

_TELLING = frozenset({"unwanted", *chain.from_iterable(EXPECTED_FIELDS.values())})
"""Columns that state the right answer of a case."""

POWER_HEADINGS = frozenset({*POWER_FIELDS, "keyword", "tool", "endpoint"})
POWER_NAMES = frozenset({"name", "power", "server"})
"""A heading of POWER_HEADINGS with one of these marks a table of powers."""

Make = Callable[[dict[str, Any], int], Item]


def read(
    source: Path | BinaryIO, kind: FileKind, task: Task | None = None, columns: Columns | None = None
) -> Iterator[Line[Item] | Problem]:
    """Read the rows as items of one kind, and invalid rows as problems, by first line.

    Lazy, like JSON Lines. `columns` maps headings to columns, "" for none. Raises FormatError if required columns
    are missing in the first row, or if the file cannot be read.
    """
    make = READERS[kind]
    with opened(source) as stream:
        rows = _Rows(stream)
        first = rows.first()
        if first is None:
            return
        head = list(islice(rows, LOOKED_AT))
        cells = [found.value for found in head if isinstance(found, Line)]
        if not columns and kind in NAMELESS and (place := _nameless_labels(first, cells)) is not None:
            step = 1 if place else -1
            names, said = NAMELESS[kind][::step], ("text", "label")[::step]
            fields: tuple[tuple[str, str], ...] = (("column 1", said[0]), ("column 2", said[1]))
            item = _item(Line(rows.first_line, first), names, lambda record, line: make(record, line, task))
            yield replace(item, note=NO_NAMES.format(*("first", "second")[::step])) if isinstance(item, Line) else item
        else:
            names = _names(kind, first, columns or {}, cells, task)
            fields = _fields(first, names, cells)
        is_whole = "triggers" not in names
        is_case = kind is FileKind.CASES
        several = [at for at, name in enumerate(first) if is_case and name.strip().lower() in SEVERAL_LABELS]
        every = chain(head, rows)
        for found in _unmerged(every, _merged(names, cells)) if kind is FileKind.MEMORIES else every:
            if isinstance(found, Problem):
                yield found
            elif any(found.value):
                for at in several:  # labels are separated by commas where nothing else separates them
                    if at < len(found.value) and not any(mark in found.value[at] for mark in ";|[\n"):
                        found.value[at] = found.value[at].replace(",", ";")
                item = _item(found, names, lambda record, line: make(record, line, task))
                texts = item.value.triggers if isinstance(item, Line) and isinstance(item.value, Memory) else ()
                if is_whole and isinstance(item, Line) and any({*";|"} & {*text.strip("; |")} for text in texts):
                    item, is_whole = replace(item, note=NO_SPLIT), False
                yield replace(item, fields=fields) if isinstance(item, Line) and fields else item
                fields = () if isinstance(item, Line) else fields


def _fields(
    first: Sequence[str], names: Sequence[str | None], rows: Sequence[Sequence[str]]
) -> tuple[tuple[str, str], ...]:
    """Return the column of each heading; repeated and empty headings get their position.

    Columns without a heading and without a cell in `rows` are left out.
    """
    headings = [name.strip() for name in first]
    fields = []
    for place, (heading, name) in enumerate(zip(headings, names, strict=True)):
        if not heading:
            if any(cell.strip() for row in rows for cell in row[place : place + 1]):
                fields.append((f"column {place + 1}", name or ""))
        else:
            shown = f"{heading} (column {place + 1})" if heading in headings[:place] else heading
            is_read = name and says_part(name, [cell for row in rows for cell in row[place : place + 1]])
            fields.append((shown, name if name and is_read else ""))
    return tuple(fields)


def _nameless_labels(first: Sequence[str], rows: Sequence[Sequence[str]]) -> int | None:
    """Return the position of the labels, single words that recur, if the first row is data."""
    full = [row for row in (first, *rows) if any(row)]
    if not all(len(row) == 2 for row in full) or kind_of_header(list(first)) is not None:
        return None
    for place in (1, 0):
        labels, is_spoken = [row[place].strip() for row in full], any(" " in row[1 - place].strip() for row in full)
        if is_spoken and labels[0] in labels[1:] and all(map(ONE_WORD.fullmatch, labels)):
            return place
    return None


def _merged(names: Sequence[str | None], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the places of intent and response if only the first of several rows has them (merged cells)."""
    places = [names.index(name) for name in ("intent", "response") if name in names and "intent" in names]
    given = [["".join(row[at : at + 1]).strip() for at in places] for row in rows if any(row)]
    heads = [cells[0] for cells in given if cells and cells[0]]
    is_so = heads and given[0][0] and 4 <= len(heads) * 2 <= len(given) and len(set(heads)) == len(heads)
    return places if is_so and not any(any(cells) for cells in given if not cells[0]) else []


def _unmerged(rows: Iterable[Line[list[str]] | Problem], places: Sequence[int]) -> Iterator[Line[list[str]] | Problem]:
    """Yield the rows, each below merged cells with those of the row above; the first one with a note."""
    above, note = list[str](), MERGED
    for row in rows:
        is_below = False
        if places and isinstance(row, Line) and any(row.value):
            row.value.extend([""] * (max(places) + 1 - len(row.value)))
            is_below = not any(row.value[at].strip() for at in places)
            for at in places if is_below else ():
                row.value[at] = above[at]
            above = row.value
        yield replace(row, note=note) if is_below and isinstance(row, Line) else row
        note = "" if is_below else note


def _item(row: Line[list[str]], names: list[str | None], make: Make) -> Line[Item] | Problem:
    if len(row.value) > len(names) and any(row.value[len(names) :]):
        return Problem(row.number, f"The row has {len(row.value):,} cells, but the first row names {len(names):,}.")
    try:
        record = record_of_row(names, row.value)
        if "expected" in names and not any(record.get(name) is not None for name in _TELLING):
            record["expected"] = []  # a case with an empty cell for the right answer expects no match (S8.5)
        return Line(row.number, make(record, row.number), row.note)
    except RefusedError as refused:
        return Problem(row.number, str(refused))


def rows_of(path: Path) -> Iterator[list[str]]:
    """Yield the rows as cells, headings first, without unreadable rows. Raises FormatError."""
    with opened(path) as stream:
        rows = _Rows(stream)
        first = rows.first()
        if first is not None:
            yield first
            yield from (found.value for found in rows if isinstance(found, Line) and any(found.value))


def detect_kind(path: Path, columns: Columns | None = None) -> FileKind:
    """Return the kind from the first row and the mapped `columns`.

    Raises FormatError if unknown.
    """
    with opened(path) as stream:
        rows = _Rows(stream)
        first = rows.first()
        cells = [found.value for found in islice(rows, LOOKED_AT) if isinstance(found, Line)] if first else []
    if first is None:
        raise FormatError(f"The file {path} has no rows.")
    if not columns and _nameless_labels(first, cells) is not None:
        return FileKind.MEMORIES
    if columns:
        asked = {heading.strip().lower(): column for heading, column in columns.items()}
        first = [asked.get(name.strip().lower(), name) for name in first]
    kind = kind_of_header(first)
    if kind is None:
        raise FormatError(
            f"Whether {path} holds {', '.join(FileKind)} is unclear: its first row has {_shown(first)}, where names "
            "such as “text” and “intent”, “name” and “command”, “text” and “expected” belong. If it names no columns, "
            f"put such names before it; else map its columns, as with --columns{_example(first, cells)}, or name it "
            "with --kind."
        )
    return kind


def _example(first: list[str], rows: Sequence[list[str]]) -> str:
    """Return an example of --columns; the text is the unknown column with the longest cells."""
    names = [column_of(FileKind.MEMORIES, name) for name in first]
    unknown = [place for place, name in enumerate(names) if name is None and first[place].strip()]
    place = max(
        unknown, key=lambda place: sum(len(cell) for row in rows for cell in row[place : place + 1]), default=None
    )
    heading = "HEADING" if place is None or "intent" not in names else first[place].strip()[:30]
    return f" “{heading}=text”" if " " in heading else f" {heading}=text"


def kind_of_header(first: list[str]) -> FileKind | None:
    """Return the kind whose columns a first row names; None without one."""
    names = (heading.strip().lower().replace(" ", "_") for heading in first)
    exact = kind_of({name: [] if name in SEVERAL_LABELS else "" for name in names})
    if exact is not None:
        return exact
    fits = [kind for kind in FileKind if not _missing(kind, [column_of(kind, name) for name in first])]
    headings = {name.strip().lower() for name in first}
    if not (POWER_HEADINGS & headings and POWER_NAMES & headings):
        fits = [kind for kind in fits if kind is not FileKind.POWERS]
    # “label” fits both cases and memories; without a column for the right answer it is memories.
    order = (FileKind.RULES, FileKind.MEMORIES, FileKind.POWERS, FileKind.CASES)
    if FileKind.CASES in fits and any(column_of(FileKind.CASES, name) in ("expected", "unwanted") for name in first):
        taught = {column_of(FileKind.MEMORIES, name) for name in first}
        if "intent" not in taught and "response" not in taught:
            return FileKind.CASES
    return next((kind for kind in order if kind in fits), None)


def first_row(text: str, stated: str = "") -> list[str]:
    """Split a first row into cells, by the given or the best delimiter."""
    if stated:
        return _cells(text, stated)
    rows = [_cells(text, mark) for mark in MARKS]
    return max(
        rows,
        key=lambda row: (max(sum(column_of(kind, name) is not None for name in row) for kind in FileKind), len(row)),
    )


def _is_comment(text: str, stated: str) -> bool:
    """Return whether a line before the headings is a remark, which may contain delimiters after "# "."""
    cells = first_row(text, stated) if text.startswith("#") else []
    is_spoken = text.startswith("# ") and any(" " in cell.strip() for cell in cells[1:])
    return len(cells) == 1 or (is_spoken and kind_of_header(cells) is None)


def _cells(text: str, mark: str) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=mark), [])[: MOST_NAMES + 1]
    except csv.Error:
        return []


def _missing(kind: FileKind, names: Iterable[str | None]) -> list[str]:
    there = set(names)
    return [" or ".join(f"“{name}”" for name in group) for group in NEEDED[kind] if not there.intersection(group)]


def _names(
    kind: FileKind, first: list[str], columns: Columns, rows: Sequence[list[str]] = (), task: Task | None = None
) -> list[str | None]:
    headings = [name.strip().lower() for name in first]
    asked = asked_columns(kind, columns)
    for heading in asked:
        if heading not in headings:
            raise FormatError(f"The first row names no “{heading}”: it names {_shown(first)}.")
    # An explicit mapping excludes other headings for that column.
    names: list[str | None] = []
    for heading, known in zip(headings, columns_of(kind, headings, rows, task), strict=True):
        names.append(asked.get(heading, None if known in columns.values() else known) or None)
    if missing := _missing(kind, names):
        raise FormatError(
            f"No column is set to {' or '.join(missing)} for {kind}; the first row has "
            f"{_shown(first)}. Name the columns with --columns HEADING=COLUMN."
        )
    return names


def _shown(first: list[str]) -> str:
    shown = ", ".join(f"“{name[:30]}”" for name in first[:8])
    return f"{shown} and more" if len(first) > 8 else shown


class _Rows:
    """Rows of a stream with their first line numbers; unreadable rows are problems."""

    def __init__(self, stream: BinaryIO) -> None:
        self._lines = byte_lines(stream)
        self._line = 0
        self._mark = ","
        self._stated = ""
        self._began = self.first_line = 1
        self._is_over = self._is_padded = self._is_curly = False
        self._width = 0
        self._reader: Iterator[list[str]] = iter(())
        self._read: list[tuple[int, bytes | None]] = []

    def first(self) -> list[str] | None:
        """Return the first row that is no blank or comment, or None; raises FormatError."""
        for number, line in self._lines:
            self._line = number
            if line is None:
                raise FormatError(f"Line {number:,} is longer than {MAX_LINE_BYTES // 2**20} MB: this is not CSV.")
            try:
                text = text_of(line)
            except FormatError as error:
                raise FormatError(f"Line {number:,}: {error}") from None
            if stated := MARK_LINE.fullmatch(text):
                self._stated = stated[1]
            elif text.strip('" \r\n' + "".join(MARKS)) and not _is_comment(text, self._stated):
                self.first_line = number
                return self._begin(text)
        return None

    def _begin(self, text: str) -> list[str]:
        self._is_curly = CURLY.match(text) is not None
        text = self._straight(text)
        names = [UNREAD.sub("", name) for name in first_row(text, self._stated)]
        self._mark = self._stated or max(MARKS, key=lambda mark: _cells(text, mark) == first_row(text))
        parts = (names[1:], names[:-1]) if len(names) > 1 else ()
        self._is_padded = any(all(name != name.strip() for name in part) for part in parts)
        names = [UNREAD.sub("", name).strip() for name in next(self._rows_in([text]))] if self._is_padded else names
        self._width = len(names)
        if len(names) > MOST_NAMES:
            raise FormatError(f"The first row names more than {MOST_NAMES:,} columns, the most that are read.")
        self._reader = self._rows_in(self._texts())
        return names

    def __iter__(self) -> Iterator[Line[list[str]] | Problem]:
        while True:
            self._began = self._line + 1
            self._read.clear()
            try:
                row = next(self._reader)
                row = [cell.strip() for cell in row] if self._is_padded else row
                yield self._unclosed(row) if self._is_over else Line(self._began, row)
            except StopIteration:
                return
            except FormatError as error:
                yield Problem(self._line, str(error))
                self._restart()
            except csv.Error as error:
                yield Problem(self._began, f"The row is not valid CSV: {error}. Is a quotation mark missing?")
                self._restart()

    def _unclosed(self, row: list[str]) -> Problem:
        """Report an unclosed quote, which starts in the last cell, and continue on the line after it."""
        opened_in = self._line + 1 - max(1, len(row[-1].encode().splitlines()))
        self._lines = iter([one for one in self._read if one[0] > opened_in])
        self._line, self._is_over = opened_in, False
        self._restart()
        return Problem(opened_in, f"The quote that opens in line {opened_in:,} is never closed: the line is left out.")

    def _restart(self) -> None:
        """Continue on the next line after an error of the csv reader."""
        self._reader = self._rows_in(self._texts())

    def _rows_in(self, texts: Iterable[str]) -> Iterator[list[str]]:
        return csv.reader(texts, delimiter=self._mark, skipinitialspace=self._is_padded)

    def _texts(self) -> Iterator[str]:
        for number, line in self._lines:
            self._line = number
            self._read.append((number, line))
            if line is None:
                raise FormatError(too_long())
            text = self._straight(text_of(line))
            doubled = ESCAPED_QUOTE.sub('""', text)  # only if that alone makes it valid CSV
            yield doubled if doubled != text and self._is_row(doubled) and not self._is_row(text) else text
        self._is_over = True

    def _straight(self, line: str) -> str:
        """Return a line with plain quotes for typographic ones around cells, if the headings have such."""
        return CURLY.sub('"', line) if self._is_curly else line

    def _is_row(self, line: str) -> bool:
        try:
            return len(next(csv.reader([line], delimiter=self._mark, strict=True))) == self._width
        except csv.Error:
            return False


def write(stream: BinaryIO, values: Iterable[Item], mark: str = ",") -> int:
    """Write values as rows under their column names, UTF-8 with CR LF; return their number.

    Cells that a spreadsheet would take for formulas are escaped, which reading undoes.
    """
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=False)
    try:
        writer = csv.writer(text, delimiter=mark)
        count = 0
        names: tuple[str, ...] = ()
        for value in values:
            if not names:
                names = COLUMNS[FileKind(KINDS[type(value)].plural)]
                writer.writerow(names)
            record = _record(value)
            writer.writerow([cell_of(record.get(name)) for name in names])
            count += 1
        text.flush()
    finally:
        text.detach()
    return count


def _record(value: Item) -> dict[str, object]:
    record = record_of(value)
    if isinstance(value, Power):
        record["env"] = record.pop("headers", record.get("env", {}))  # a single column, also for headers of an address
    if isinstance(value, Memory) and len(value.triggers) > 1:
        first, *others = value.triggers
        if first not in others:
            record |= {"text": first, "triggers": others}
    if isinstance(value, Case) and not value.expected:
        # An empty cell states nothing, but an expected "no match" must be stated.
        record["expected"] = None if value.unwanted else "[]"
    return record


# ---- Head of a CSV file for the mapping of columns, and earlier mappings.


SHOWN = 3
"""Number of rows shown."""

MOST_KEPT = 200
"""Maximum number of stored mappings; the oldest is dropped."""


def head_of(path: Path) -> TableHead | None:
    """Return headings and first rows; None for a table without headings. Raises FormatError."""
    found = rows_of(path)
    first = next(found, None)
    looked_at = list(islice(found, LOOKED_AT))
    if first is None or _nameless_labels(first, looked_at) is not None:
        return None
    headings = tuple(name.strip() for name in first)
    rows = tuple(tuple(cell[:200] for cell in row) for row in looked_at[:SHOWN])
    kind = kind_of_header(first)
    return TableHead(
        headings,
        rows,
        {one.value: (*COLUMNS[one], *(f for f in ALSO_READ.get(one, ()) if f not in PARTS[1:])) for one in FileKind},
        {kind.value: tuple(name or "" for name in guess_columns(kind, headings, rows)) for kind in FileKind},
        "" if kind is None else kind.value,
    )


class ColumnMappings:
    """Mappings by headings, in a file of the profile."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def get(self, headings: tuple[str, ...]) -> ColumnMapping | None:
        """Return the mapping for these headings; None if missing or unreadable."""
        try:
            held = self._read()[_named(headings)]
            columns = {str(name): str(field) for name, field in held["columns"].items()}
            return ColumnMapping(FileKind(held["kind"]).value, columns)
        except (TypeError, KeyError, ValueError, AttributeError):
            return None

    def put(self, headings: tuple[str, ...], mapped: ColumnMapping) -> None:
        """Store a mapping; errors are ignored."""
        kept = self._read()
        kept.pop(_named(headings), None)
        kept[_named(headings)] = {"kind": mapped.kind, "columns": dict(mapped.columns)}
        latest = dict(list(kept.items())[-MOST_KEPT:])
        with suppress(OSError):
            write_private(self._file, orjson.dumps(latest, option=orjson.OPT_INDENT_2))

    def _read(self) -> dict[str, Any]:
        try:
            held = orjson.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return {}
        return held if isinstance(held, dict) else {}


def _named(headings: tuple[str, ...]) -> str:
    return orjson.dumps([name.lower() for name in headings]).decode()
