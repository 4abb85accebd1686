"""Columns of CSV files: recognised headings, and parsing of cells."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import orjson

from app.adapters.formats import record_names
from app.adapters.formats.record_names import EXPECTED, HELD_OUT, INSTRUCTED, LABELS, NAMED_LABELS, RESPONSES, TEXTS
from app.adapters.formats.records import ALSO_READ, COLUMNS, EXPECTED_FIELDS, PARTS, FileKind, RefusedError
from app.domain.case import Task
from app.domain.library import BLANK_LINE

SYNONYMS: Mapping[FileKind, Mapping[str, str]] = {
    FileKind.MEMORIES: {
        **dict.fromkeys(TEXTS, "text"), **dict.fromkeys(LABELS, "intent"), **dict.fromkeys(RESPONSES, "response"),
        "topic": "intent", "a": "response",
        "tag": "tags", "score": "success", "count": "usage",
        "valid_since": "valid_from", "valid_at": "valid_from", "valid_until": "valid_to", "invalid_at": "valid_to",
        "supersedes": "replaces",
        **dict.fromkeys(("phrases", "utterances", "examples", "patterns", "questions"), "triggers"),
    },
    FileKind.POWERS: {
        "power": "name", "server": "name", "title": "name", "summary": "description", "keyword": "keywords",
        "tags": "keywords", "utterances": "examples", "example": "examples", "tool": "tools",
        "arguments": "args", "environment": "env", "headers": "env",
        "endpoint": "url",
    },
    FileKind.RULES: {"regex": "pattern", "intent": "label", "name": "id"},
    FileKind.CASES: {
        **dict.fromkeys(TEXTS, "text"), "expect": "expected", **dict.fromkeys(EXPECTED, "expected"), "not": "unwanted",
        **record_names.OF_TASKS,
    },
}  # fmt: skip
"""Other names of columns, in order of precedence."""

COMPOUNDS: Mapping[FileKind, Mapping[str, str]] = {
    FileKind.MEMORIES: {
        "frage": "text", "satz": "text", "message": "text", "thema": "intent", "kategorie": "intent",
        "antwort": "response", "solution": "response", "loesung": "response", "schlagwort": "tags",
    },
    FileKind.CASES: {"frage": "text", "satz": "text", "message": "text", "thema": "expected", "kategorie": "expected"},
}  # fmt: skip
"""Parts of compound headings, for guesses that the user confirms."""

NEEDED: Mapping[FileKind, tuple[tuple[str, ...], ...]] = {
    FileKind.MEMORIES: (("text", "triggers"),),
    FileKind.POWERS: (("name",),),
    FileKind.RULES: (("id",), ("label",), ("pattern",)),
    FileKind.CASES: (("text",),),
}
"""Groups of columns; one of each group is required."""

LABELLING = ("intent", "expected")
"""Columns with labels, which some data sets number."""

SHARED = ("env",)
"""Columns that several headings may fill: headers of an address, variables of a command."""

LONGEST_LIST = 10_000
"""Maximum length of a list in Python syntax."""

_LEAST_WORD, LONGEST_HEADING = 3, 100

MISSING = ("NaN", "nan", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", r"\N")
"""Missing values as pandas, R, spreadsheets and databases write them.

Only in columns of labels and responses; elsewhere they are texts.
"""

FORMULA = re.compile(  # full-width signs start formulas too
    rf"'*(?:[=+\-@\t\r\n＝＋－＠]|(?:{'|'.join(map(re.escape, MISSING))})\Z)"  # noqa: RUF001
)
"""Start of a formula, or a whole cell with a missing value.

An apostrophe is written before either, and taken off when the file is read, so that the cell stays a text.
"""

TRUTHS = {"true": True, "yes": True, "1": True, "x": True, "false": False, "no": False, "0": False}
WHOLE = re.compile(r"[+-]?[0-9]{1,19}")


def escape_formula(cell: str) -> str:
    """Escape a cell that a spreadsheet would take for a formula or a missing value."""
    return f"'{cell}" if FORMULA.match(cell) else cell


def unescape_formula(cell: str) -> str:
    """Undo `escape_formula`."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def column_of(kind: FileKind, header: str) -> str | None:
    """Return the column of a heading, ignoring case; None if it is none of this kind."""
    name = _plain(header[:LONGEST_HEADING])
    if name in (*COLUMNS[kind], *ALSO_READ.get(kind, ())):
        return name
    return SYNONYMS[kind].get(_synonym(kind, name))


def _synonym(kind: FileKind, name: str) -> str:
    """Return the key of SYNONYMS that a heading is in any writing: "intentname" is "intent_name"."""
    if name in SYNONYMS[kind]:
        return name
    bare = name.replace("_", "")
    return next((known for known in SYNONYMS[kind] if known.replace("_", "").lower() == bare), name)


def columns_of(
    kind: FileKind, headings: Sequence[str], rows: Sequence[Sequence[str]] = (), task: Task | None = None
) -> list[str | None]:
    """Return the columns of a row of headings, each column for at most one heading.

    A column's own name takes precedence over other names, then the order of SYNONYMS. A label that is a number in
    all `rows` yields to a textual one.
    """
    plain = [_plain(heading) for heading in headings]
    if "answer_annotation" in plain:  # HWU64: its answer is what was said to the assistant
        plain = [{"answer": "text", "question": ""}.get(name, name) for name in plain]
    names = [column_of(kind, heading) for heading in plain]
    for column in {name for name in names if name not in (None, *SHARED)}:
        places = [place for place, name in enumerate(names) if name == column]
        best = _best(kind, str(column), places, plain, rows, task)
        both = INSTRUCTED if best is not None and plain[best] == INSTRUCTED[0] else ()
        for place in places:
            names[place] = names[place] if place == best or plain[place] in both else None
    if kind is FileKind.MEMORIES and "triggers" in names and "intent" not in names:
        named = next((name for name in ("name", "tag", "intents", "labels") if name in plain), None)
        names = ["intent" if name == named else column for name, column in zip(plain, names, strict=True)]
    return names


def _best(
    kind: FileKind,
    column: str,
    places: Sequence[int],
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    task: Task | None,
) -> int | None:
    """Return the position of a column's heading; None if another column replaces it."""
    own = next((place for place in places if headings[place] == column), None)
    if own is None and column == "expected" and not any(name in headings for name in HELD_OUT):
        stated = {*ALSO_READ[FileKind.CASES]} - {*PARTS} if task is None else EXPECTED_FIELDS[task]
        if any(field in headings for field in stated):
            return None
    ranks = [column, *SYNONYMS[kind]]
    ordered = sorted(places, key=lambda place: ranks.index(_synonym(kind, headings[place])))
    first, *others = ordered if own is None else [own, *(p for p in ordered if headings[p] in NAMED_LABELS)]
    if column in LABELLING and _is_numbered(first, rows):
        return next((place for place in others if not _is_numbered(place, rows)), first)
    return first


def _is_numbered(place: int, rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the sampled cells of a column are all integers."""
    cells = [row[place].strip() for row in rows if place < len(row)]
    return any(cells) and all(WHOLE.fullmatch(cell) for cell in cells if cell)


def guess_columns(kind: FileKind, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str | None]:
    """Guess the columns of headings, for the user to confirm.

    Required columns without a name are guessed by a word in a heading, and the text by the longest of the first
    cells. A text whose cells are lists holds triggers.
    """
    names = columns_of(kind, headings, rows)
    columns = [[row[place].strip() for row in rows if place < len(row)] for place in range(len(names))]
    if not all(any(name in names for name in group) for group in NEEDED[kind]):
        for place, heading in enumerate(headings):
            word = None if names[place] else _within(kind, heading)
            names[place] = word if word not in names else names[place]
        if kind in (FileKind.MEMORIES, FileKind.CASES) and not {"text", "triggers"} & {*names}:
            is_spoken = [not name and " " in "".join(cells) for name, cells in zip(names, columns, strict=True)]
            spoken = [len("".join(cells)) * spoken for cells, spoken in zip(columns, is_spoken, strict=True)]
            if any(spoken):
                names[spoken.index(max(spoken))] = "text"
    if kind is FileKind.MEMORIES and "text" in names:
        listed = [cell.strip("|; ") for cell in columns[names.index("text")]]
        if sum("|" in cell or ";" in cell for cell in listed) * 2 > sum(map(bool, listed)):
            names[names.index("text")] = "triggers"
    return names


def _within(kind: FileKind, heading: str) -> str | None:
    """Return the column named by a word of a heading, or by the end of a compound."""
    known = {**{name: name for name in COLUMNS[kind]}, **SYNONYMS[kind], **COMPOUNDS.get(kind, {})}
    for word in re.findall(r"[^\W\d_]+", heading.lower()):
        if len(word) < _LEAST_WORD:
            continue  # “a” means answer as a heading, not within one
        found = next((name for name in known if word == name or (len(name) > 4 and word.endswith(name))), None)
        if found is not None:
            return known[found]
    return None


VERBATIM = ("args", "env", "tools")
"""Columns whose lists are separated by semicolons alone: their values may contain bars."""


def _plain(heading: str) -> str:
    return re.sub(r"[\s_-]+", "_", heading.strip(" #\t").lower().replace("(s)", ""))


def _list(cell: str, column: str) -> list[Any]:
    if cell.startswith("["):
        try:
            found = orjson.loads(cell)
        except orjson.JSONDecodeError:
            found = None
        if isinstance(found, list) or isinstance(found := _python_list(cell), list):
            return found
    return [piece for piece in map(str.strip, re.split(_marks(cell, column), cell)) if piece]


def _marks(cell: str, column: str) -> str:
    """Return the pattern of a cell's separators: bars without semicolons, commas without both."""
    if column in VERBATIM:
        return ";"
    mark = next((mark for mark in ";|" if mark in cell), "," if column in ("tags", "keywords") else "")
    return rf"[{mark}\n]"


def _python_list(cell: str) -> Any:
    """Parse a list in Python syntax, which pandas leaves in cells; None for anything else."""
    try:
        return ast.literal_eval(cell) if cell.endswith("]") and len(cell) <= LONGEST_LIST else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _environment(cell: str, column: str) -> dict[str, Any]:
    if cell.startswith("{"):
        try:
            found = orjson.loads(cell)
        except orjson.JSONDecodeError as error:
            raise RefusedError(f"“{column}” begins like JSON, but is none: {error.msg}.") from None
        if isinstance(found, dict):
            return found
    pieces = _list(cell, column)
    if not all(isinstance(piece, str) for piece in pieces):
        raise RefusedError(f"“{column}” contains something that is not NAME=value: {cell[:40]}.")
    return {name.strip(): value.strip() for name, _, value in (piece.partition("=") for piece in pieces)}


def _whole(cell: str, column: str) -> int:
    if not WHOLE.fullmatch(cell.strip()):
        raise RefusedError(f"“{column}” is a whole number, not “{cell[:40]}”.")
    return int(cell)


def _number(cell: str, column: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise RefusedError(f"“{column}” is a number, not “{cell[:40]}”.") from None


def _truth(cell: str, column: str) -> bool:
    try:
        return TRUTHS[cell.strip().lower()]
    except KeyError:
        raise RefusedError(f"“{column}” is true or false, not “{cell[:40]}”.") from None


READ_AS: Mapping[str, Callable[[str, str], Any]] = {
    **dict.fromkeys(("triggers", "tags", "keywords", "examples", "args", "tools", "replaces"), _list),
    **dict.fromkeys(("expected", "unwanted", "duplicates", "acceptable"), _list),
    "env": _environment,
    "intent": lambda cell, _: cell.strip(" ") or cell,
    **dict.fromkeys(("usage", "right", "position"), _whole),
    **dict.fromkeys(("success", "weight", "confidence"), _number),
    **dict.fromkeys(("paused", "enabled"), _truth),
}
"""Parsers of cells by column; other cells are texts."""


def record_of_row(columns: Iterable[str | None], cells: Iterable[str]) -> dict[str, Any]:
    """Convert a row to a record without empty cells; raises RefusedError for an invalid cell."""
    record: dict[str, Any] = {}
    for column, cell in zip(columns, cells, strict=False):
        if column is None or not cell or (cell in MISSING and column in (*LABELLING, "response")):
            continue
        plain = unescape_formula(cell)
        read = READ_AS.get(column)
        if column == "text" and column in record:
            plain = f"{record.pop(column)}{BLANK_LINE}{plain}"
        record.setdefault(column, plain if read is None else read(plain, column))
    return record


def cell_of(value: Any) -> str:
    """Format a value of a record as a cell that reads back as the same."""
    if value is None:
        return ""
    if isinstance(value, str):
        return escape_formula(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return escape_formula(_joined(value))
    if isinstance(value, dict):
        return orjson.dumps(value).decode() if value else ""
    return escape_formula(repr(value))


def _joined(values: list[Any] | tuple[Any, ...]) -> str:
    """Format a list with semicolons where that is unambiguous, else as JSON."""
    if not values:
        return ""
    simple = all(isinstance(value, str) and value and value == value.strip() for value in values)
    if not simple or values[0].startswith("[") or any(mark in value for value in values for mark in ";|,\r\n"):
        return orjson.dumps(values).decode()
    return "; ".join(values)
