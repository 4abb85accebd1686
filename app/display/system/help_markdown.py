"""The Markdown that the help is written in, taken apart: headings, paragraphs, lists, tables, code and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_FENCE = "```"
_HEADING = re.compile(r"(#{1,3}) (.+)")
_POINT = re.compile(r"( *)(?:[-*]|\d+\.) +(.+)")
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_CELL_END = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")


@dataclass(frozen=True, slots=True)
class Heading:
    """A title; `level` is 1 for that of the page."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text with marks inside it."""

    text: str


@dataclass(frozen=True, slots=True)
class Points:
    """A list; each point has a depth from 0 and a text with marks inside it."""

    points: tuple[tuple[int, str], ...]
    are_numbered: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Heads, which columns stand at the right, and rows of as many cells."""

    heads: tuple[str, ...]
    at_right: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Lines as they are."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A file beside the page, and what it shows in words."""

    file: str
    words: str


Block = Heading | Paragraph | Points | Table | Code | Picture


def blocks(markdown: str) -> list[Block]:
    """The blocks of a page in order. What is no known form is a paragraph; nothing is lost."""
    lines = markdown.splitlines()
    found: list[Block] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        if not line.strip():
            place += 1
            continue
        block, place = _block(lines, place)
        found.append(block)
    return found


def _block(lines: Sequence[str], place: int) -> tuple[Block, int]:
    """The block that begins on this line, and where the next may."""
    line = lines[place]
    if line.startswith(_FENCE):
        end = next((n for n in range(place + 1, len(lines)) if lines[n].startswith(_FENCE)), len(lines))
        return Code("\n".join(lines[place + 1 : end])), end + 1
    if heading := _HEADING.fullmatch(line):
        return Heading(len(heading[1]), heading[2].strip()), place + 1
    if picture := _PICTURE.fullmatch(line.strip()):
        return Picture(picture[2], picture[1]), place + 1
    if _is_table(lines, place):
        end = next((n for n in range(place, len(lines)) if not lines[n].startswith("|")), len(lines))
        return _table(lines[place:end]), end
    end = next((n for n in range(place + 1, len(lines)) if _begins_another(lines, n)), len(lines))
    if _POINT.fullmatch(line):
        while end < len(lines) and _POINT.fullmatch(lines[end]):
            end = next((n for n in range(end + 1, len(lines)) if _begins_another(lines, n)), len(lines))
        return _points(lines[place:end]), end
    return Paragraph(" ".join(part.strip() for part in lines[place:end])), end


def _begins_another(lines: Sequence[str], place: int) -> bool:
    line = lines[place]
    return bool(not line.strip() or line.startswith((_FENCE, "#")) or _POINT.fullmatch(line) or _is_table(lines, place))


def _is_table(lines: Sequence[str], place: int) -> bool:
    rule = lines[place + 1] if place + 1 < len(lines) else ""
    return lines[place].startswith("|") and rule.startswith("|") and all(map(_RULE.fullmatch, _cells(rule)))


def _cells(line: str) -> list[str]:
    cells = _CELL_END.split(line.strip().removeprefix("|").removesuffix("|"))
    return [cell.strip().replace("\\|", "|") for cell in cells]


def _table(lines: Sequence[str]) -> Table:
    heads, rules, *rows = map(_cells, lines)
    wide = len(heads)
    filled = (tuple((row + [""] * wide)[:wide]) for row in rows)
    return Table(tuple(heads), tuple(rule.endswith(":") for rule in rules), tuple(filled))


def _points(lines: Sequence[str]) -> Points:
    points: list[tuple[int, str]] = []
    for line in lines:
        if point := _POINT.fullmatch(line):
            points.append((len(point[1]) // 2, point[2]))
        else:
            depth, text = points.pop()
            points.append((depth, f"{text} {line.strip()}"))
    return Points(tuple(points), lines[0].lstrip()[0].isdigit())


# ---- inside a line


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text: its words, how they are marked, and where they lead, if anywhere."""

    text: str
    is_code: bool = False
    is_strong: bool = False
    is_stressed: bool = False
    link: str = ""


_MARK = re.compile(
    r"(?P<fence>`+)(?P<code>.+?)(?<!`)(?P=fence)(?!`)"
    r"|\*\*(?P<strong>.+?)\*\*"
    r"|(?<![\w*])\*(?P<stressed>[^*\s](?:[^*]*[^*\s])?)\*(?![\w*])"
    r"|!?\[(?P<words>(?:`[^`]*`|[^\]`])*)\]\((?P<link>[^)\s]+)\)"
    r"|\\(?P<sign>[\\`*_\[\]<>|#~&])"
)


def spans(text: str) -> Iterator[Span]:
    """The pieces of a text in order; marks may lie in each other."""
    end = 0
    for mark in _MARK.finditer(text):
        if mark.start() > end:
            yield Span(text[end : mark.start()])
        end = mark.end()
        if mark["code"] is not None:
            yield Span(mark["code"].strip(), is_code=True)
        elif mark["sign"] is not None:
            yield Span(mark["sign"])
        else:
            yield from _inside(mark)
    if end < len(text):
        yield Span(text[end:])


def _inside(mark: re.Match[str]) -> Iterator[Span]:
    words = next(part for name in ("strong", "stressed", "words") if (part := mark[name]) is not None)
    for span in spans(words):
        yield Span(
            span.text,
            span.is_code,
            span.is_strong or mark["strong"] is not None,
            span.is_stressed or mark["stressed"] is not None,
            mark["link"] or span.link,
        )


def plain(text: str) -> str:
    """A text without its marks."""
    return "".join(span.text for span in spans(text))


def slug(title: str) -> str:
    """What a link calls a heading: lower case, words joined by hyphens."""
    kept = re.sub(r"[^\w\s.-]", "", plain(title).casefold())
    return re.sub(r"[\s.]+", "-", kept.strip())
